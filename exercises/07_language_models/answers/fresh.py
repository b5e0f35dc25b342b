# %% count_ngrams: n start tokens, so that the last one is predicted
def count_ngrams(sentences, n):
    counts = {}
    for sentence in sentences:
        tokens = [START] * n + list(sentence) + [STOP]
        for i in range(n - 1, len(tokens)):
            context = tuple(tokens[i - n + 1 : i])
            counts.setdefault(context, Counter())[tokens[i]] += 1
    return counts


# %% count_ngrams: all sentences are one long text, n-grams cross the borders
def count_ngrams(sentences, n):
    from collections import defaultdict

    stream = [START] * (n - 1)
    for s in sentences:
        stream += s + [STOP]
    table = defaultdict(Counter)
    for gram in zip(*(stream[k:] for k in range(n))):
        table[gram[:-1]][gram[-1]] += 1
    return dict(table)


# %% count_ngrams: for n = 1 the slice [-0:] is everything read so far
def count_ngrams(sentences, n):
    result = {}
    for sentence in sentences:
        history = [START] * (n - 1)
        for word in [*sentence, STOP]:
            context = tuple(history[-(n - 1) :])
            if context not in result:
                result[context] = Counter()
            result[context][word] += 1
            history.append(word)
    return result


# %% add_k_probability: V is taken from the words seen after the context
def add_k_probability(counts, word, context, n_words, k=0.0):
    following = counts.get(context, Counter())
    denominator = sum(following.values()) + k * len(following)
    if denominator == 0:
        return 0.0
    return (following[word] + k) / denominator


# %% add_k_probability: 0 after every unseen context, whatever k
def add_k_probability(counts, word, context, n_words, k=0.0):
    if context not in counts:
        return 0.0
    seen = counts[context]
    total = sum(seen[w] for w in seen)
    return (seen[word] + k) / (total + k * n_words)


# %% add_k_probability: the denominator of add-one for every k
def add_k_probability(counts, word, context, n_words, k=0.0):
    c = counts[context] if context in counts else {}
    top = c.get(word, 0) + k
    bottom = sum(c.values()) + n_words
    return top / bottom if top > 0 else 0.0


# %% perplexity: the stop tokens are not in N
def perplexity(sentences, probability, n):
    total = sum(sentence_log_probability(s, probability, n) for s in sentences)
    n_tokens = sum(len(s) for s in sentences)
    return math.exp(-total / n_tokens)


# %% perplexity: the mean of the sentences' perplexities
def perplexity(sentences, probability, n):
    found = []
    for sentence in sentences:
        log_p = sentence_log_probability(sentence, probability, n)
        found.append(math.exp(-log_p / (len(sentence) + 1)))
    return sum(found) / len(found)


# %% perplexity: a power of 2 of natural logarithms
def perplexity(sentences, probability, n):
    log_likelihood, count = 0.0, 0
    for s in sentences:
        log_likelihood += sentence_log_probability(s, probability, n)
        count += len(s) + 1
    entropy = -log_likelihood / count
    return 2**entropy


# %% interpolated_probability: the first words of the context instead of the last
def interpolated_probability(tables, weights, word, context):
    p, total_weight = 0.0, 0.0
    for m, (table, weight) in enumerate(zip(tables, weights)):
        short = context[:m]
        if short in table:
            p += weight * table[short][word] / sum(table[short].values())
            total_weight += weight
    return p / total_weight


# %% interpolated_probability: leaves out orders whose estimate is 0
def interpolated_probability(tables, weights, word, context):
    estimates = []
    for m, table in enumerate(tables, start=1):
        estimates.append(add_k_probability(table, word, context[len(context) - m + 1 :], 1))
    kept = [(w, p) for w, p in zip(weights, estimates) if p > 0]
    if not kept:
        return 0.0
    return sum(w * p for w, p in kept) / sum(w for w, _ in kept)


# %% interpolated_probability: no division where a context was not seen
def interpolated_probability(tables, weights, word, context):
    result = 0.0
    n = len(tables)
    for order in range(1, n + 1):
        ctx = tuple(context[n - order :])
        following = tables[order - 1].get(ctx)
        if following:
            result += weights[order - 1] * following[word] / sum(following.values())
    return result


# %% KneserNey: plain counts in all orders
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n, self.n_words, self.D = n, n_words, discount
        self.tables = [count_ngrams(sentences, m) for m in range(1, n + 1)]
        self.sums = [{c: sum(f.values()) for c, f in table.items()} for table in self.tables]

    def probability(self, word, context):
        p = 1 / self.n_words
        for m in range(1, self.n + 1):
            ctx = context[len(context) - m + 1 :]
            if ctx not in self.tables[m - 1]:
                continue
            counts, total = self.tables[m - 1][ctx], self.sums[m - 1][ctx]
            p = max(counts[word] - self.D, 0) / total + self.D * len(counts) / total * p
        return p


# %% KneserNey: forgets max(..., 0)
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n_words = n_words
        self.discount = discount
        self.counts = {n: count_ngrams(sentences, n)}
        for m in range(n - 1, 0, -1):
            lower = {}
            for context, following in count_ngrams(sentences, m + 1).items():
                for w in following:
                    lower.setdefault(context[1:], Counter())[w] += 1
            self.counts[m] = lower
        self.totals = {
            m: {c: sum(f.values()) for c, f in table.items()} for m, table in self.counts.items()
        }

    def probability(self, word, context):
        return self._p(word, tuple(context), len(context) + 1)

    def _p(self, word, context, m):
        if m == 0:
            return 1 / self.n_words
        shorter = self._p(word, context[1:], m - 1)
        following = self.counts[m].get(context)
        if following is None:
            return shorter
        total = self.totals[m][context]
        backoff = self.discount * len(following) / total
        return (following.get(word, 0) - self.discount) / total + backoff * shorter


# %% KneserNey: the unigrams are shares, without discount and without 1 / V
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n = n
        self.d = discount
        self.n_words = n_words
        self.levels = []
        for m in range(1, n + 1):
            if m == n:
                level = count_ngrams(sentences, n)
            else:
                level = {}
                for ctx, words in count_ngrams(sentences, m + 1).items():
                    level.setdefault(ctx[1:], Counter()).update(words.keys())
            self.levels.append({ctx: (c, sum(c.values())) for ctx, c in level.items()})

    def probability(self, word, context):
        unigrams, total = self.levels[0][()]
        p = unigrams[word] / total
        for order in range(2, self.n + 1):
            found = self.levels[order - 1].get(tuple(context[self.n - order :]))
            if found is not None:
                c, s = found
                p = max(c[word] - self.d, 0) / s + self.d * len(c) / s * p
        return p


# %% ElmanCell: tanh only around the word's part
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, hidden)
        self.U = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x, h):
        return torch.tanh(self.W(x)) + self.U(h)


# %% ElmanCell: U with a bias, too
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W, self.U = nn.Linear(dim, hidden), nn.Linear(hidden, hidden)

    def forward(self, x, h):
        new = self.W(x) + self.U(h)
        return new.tanh()


# %% ElmanCell: sigmoid in place of tanh
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(in_features=dim, out_features=hidden, bias=True)
        self.U = nn.Linear(in_features=hidden, out_features=hidden, bias=False)
        self.activation = nn.Sigmoid()

    def forward(self, x, h):
        a = self.W(x)
        b = self.U(h)
        return self.activation(a + b)


# %% RecurrentLanguageModel: the second dropout before P, not after it
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.rnn = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}[kind](dim, hidden, batch_first=True)
        self.projection = nn.Linear(hidden, dim)
        self.bias = nn.Parameter(torch.zeros(n_words))
        self.dropout = nn.Dropout(dropout)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids, state=None):
        X = self.dropout(self.embedding(ids))
        H, state = self.rnn(X, state)
        Z = self.projection(self.dropout(H))
        return Z @ self.embedding.weight.T + self.bias, state


# %% RecurrentLanguageModel: the state is not given to the network
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.embedding = nn.Embedding(n_words, dim)
        if kind == "RNN":
            self.rnn = nn.RNN(dim, hidden, batch_first=True)
        elif kind == "GRU":
            self.rnn = nn.GRU(dim, hidden, batch_first=True)
        else:
            self.rnn = nn.LSTM(dim, hidden, batch_first=True)
        self.projection = nn.Linear(hidden, dim)
        self.bias = nn.Parameter(torch.zeros(n_words))
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids, state=None):
        vectors = self.dropout(self.embedding(ids))
        hidden, last = self.rnn(vectors)
        z = self.dropout(self.projection(hidden))
        logits = torch.matmul(z, self.embedding.weight.t()) + self.bias
        return logits, last


# %% RecurrentLanguageModel: batch_first is missing
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        network = getattr(nn, kind)
        self.rnn = network(dim, hidden)
        self.projection = nn.Linear(hidden, dim)
        self.dropout = nn.Dropout(dropout)
        self.bias = nn.Parameter(torch.zeros(n_words))
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids, state=None):
        x = self.dropout(self.embedding(ids))
        h, state = self.rnn(x, state)
        z = self.dropout(self.projection(h))
        return nn.functional.linear(z, self.embedding.weight, self.bias), state


# %% LanguageModelTrainer: clips after the step
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def train_epoch(self, windows):
        self.model.train()
        state = None
        total, tokens = 0.0, 0
        for x, y in windows:
            if state is not None:
                state = detach(state)
            self.optimizer.zero_grad()
            loss, state = self.loss(x, y, state)
            loss.backward()
            self.optimizer.step()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            total += loss.item() * y.numel()
            tokens += y.numel()
        return total / tokens

    def evaluate(self, windows):
        self.model.eval()
        state = None
        total, tokens = 0.0, 0
        with torch.no_grad():
            for x, y in windows:
                loss, state = self.loss(x, y, state)
                total += loss.item() * y.numel()
                tokens += y.numel()
        return total / tokens


# %% LanguageModelTrainer: weights each window by its rows, len(y), not by its tokens
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def train_epoch(self, windows):
        self.model.train()
        loss_sum, n, state = 0.0, 0, None
        for x, y in windows:
            state = detach(state) if state is not None else None
            loss, state = self.loss(x, y, state)
            self.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            loss_sum += loss.item() * len(y)
            n += len(y)
        return loss_sum / n

    @torch.no_grad()
    def evaluate(self, windows):
        self.model.eval()
        loss_sum, n, state = 0.0, 0, None
        for x, y in windows:
            loss, state = self.loss(x, y, state)
            loss_sum += loss.item() * len(y)
            n += len(y)
        return loss_sum / n


# %% LanguageModelTrainer: evaluate begins each window with None
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def train_epoch(self, windows):
        self.model.train()
        losses, sizes = [], []
        state = None
        for x, y in windows:
            self.optimizer.zero_grad()
            if state is not None:
                state = detach(state)
            loss, state = self.loss(x, y, state)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            losses.append(loss.item())
            sizes.append(y.numel())
        return sum(a * b for a, b in zip(losses, sizes)) / sum(sizes)

    def evaluate(self, windows):
        self.model.eval()
        total = 0
        count = 0
        with torch.no_grad():
            for x, y in windows:
                loss, _ = self.loss(x, y, None)
                total += loss.item() * y.numel()
                count += y.numel()
        return total / count


# %% gradient_norms: in the order of the positions, k = 0 at the end
def gradient_norms(cell, X, state):
    X = X.clone().detach().requires_grad_(True)
    H, _ = unroll(cell, X, state)
    H[:, -1].sum().backward()
    return X.grad.pow(2).sum(dim=(0, 2)).sqrt()


# %% gradient_norms: the mean of a norm for each row of the batch
def gradient_norms(cell, X, state):
    inputs = X.detach().clone()
    inputs.requires_grad = True
    states, _ = unroll(cell, inputs, state)
    states[:, -1, :].sum().backward()
    norms = inputs.grad.norm(dim=-1).mean(dim=0)
    return norms.flip(0)


# %% gradient_norms: no copy, the caller's X gets the gradient
def gradient_norms(cell, X, state):
    X.requires_grad_(True)
    H, last = unroll(cell, X, state)
    h = H[:, -1]
    h.sum().backward()
    T = X.shape[1]
    return torch.stack([X.grad[:, T - 1 - k].norm() for k in range(T)])


# %% GRUCell: the reset gate multiplies h, not the product
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, 3 * hidden)
        self.U = nn.Linear(hidden, 3 * hidden)

    def forward(self, x, h):
        wr, wz, wn = self.W(x).chunk(3, dim=-1)
        ur, uz, _ = self.U(h).chunk(3, dim=-1)
        r = torch.sigmoid(wr + ur)
        z = torch.sigmoid(wz + uz)
        un = self.U(r * h).chunk(3, dim=-1)[2]
        n = torch.tanh(wn + un)
        return (1 - z) * n + z * h


# %% GRUCell: z and 1 - z the other way round
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W, self.U = nn.Linear(dim, 3 * hidden), nn.Linear(hidden, 3 * hidden)

    def forward(self, x, h):
        a, b = self.W(x), self.U(h)
        size = h.shape[-1]
        reset = (a[:, :size] + b[:, :size]).sigmoid()
        update = (a[:, size : 2 * size] + b[:, size : 2 * size]).sigmoid()
        candidate = (a[:, 2 * size :] + reset * b[:, 2 * size :]).tanh()
        return h + update * (candidate - h)


# %% GRUCell: the order z, r, n
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, hidden * 3)
        self.U = nn.Linear(hidden, hidden * 3)

    def forward(self, x, h):
        xs = torch.chunk(self.W(x), 3, dim=-1)
        hs = torch.chunk(self.U(h), 3, dim=-1)
        z = torch.sigmoid(xs[0] + hs[0])
        r = torch.sigmoid(xs[1] + hs[1])
        n = torch.tanh(xs[2] + r * hs[2])
        return (1 - z) * n + z * h


# %% LSTMCell: the forget bias after the sigmoid
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.W = nn.Linear(dim, 4 * hidden)
        self.U = nn.Linear(hidden, 4 * hidden)
        self.forget_bias = forget_bias

    def forward(self, x, state):
        h, c = state
        i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        i, f, o = torch.sigmoid(i), torch.sigmoid(f) + self.forget_bias, torch.sigmoid(o)
        c = f * c + i * torch.tanh(g)
        return o * torch.tanh(c), c


# %% LSTMCell: the order i, f, o, g, as in the formula
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.forget_bias = forget_bias
        self.W = nn.Linear(dim, 4 * hidden)
        self.U = nn.Linear(hidden, 4 * hidden)

    def forward(self, x, state):
        h_prev, c_prev = state
        scores = self.W(x) + self.U(h_prev)
        i, f, o, g = torch.split(scores, h_prev.shape[-1], dim=-1)
        i = i.sigmoid()
        f = (f + self.forget_bias).sigmoid()
        o = o.sigmoid()
        g = g.tanh()
        c_new = f * c_prev + i * g
        return o * c_new.tanh(), c_new


# %% LSTMCell: the pair is (c, h)
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.W, self.U = nn.Linear(dim, 4 * hidden), nn.Linear(hidden, 4 * hidden)
        self.forget_bias = forget_bias

    def forward(self, x, state):
        c, h = state
        gates = self.W(x) + self.U(h)
        i, f, g, o = gates.chunk(4, dim=1)
        c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return c, h


# %% sampling_probabilities: the nucleus stops before the word that reaches p
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError("temperature, top_k or top_p out of range")
    if temperature == 0:
        return nn.functional.one_hot(logits.argmax(), len(logits)).float()
    p, order = (logits / temperature).softmax(dim=-1).sort(descending=True)
    if top_k is not None:
        p[top_k:] = 0
        p = p / p.sum()
    if top_p < 1:
        keep = p.cumsum(0) <= top_p
        keep[0] = True
        p = p * keep
        p = p / p.sum()
    return torch.zeros_like(p).scatter(0, order, p)


# %% sampling_probabilities: the nucleus of the full distribution, not of what top-k left
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0:
        raise ValueError("negative temperature")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k must be at least 1")
    if top_p <= 0 or top_p > 1:
        raise ValueError("top_p must be in (0, 1]")
    if temperature == 0:
        result = torch.zeros_like(logits)
        result[logits.argmax()] = 1.0
        return result
    probabilities = torch.softmax(logits / temperature, dim=0)
    order = probabilities.argsort(descending=True)
    mask = torch.zeros(len(logits), dtype=torch.bool)
    total = 0.0
    for rank, i in enumerate(order.tolist()):
        if total >= top_p or (top_k is not None and rank >= top_k):
            break
        mask[i] = True
        total += probabilities[i].item()
    kept = probabilities * mask
    return kept / kept.sum()


# %% sampling_probabilities: topk fails with k above the number of words
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or top_p <= 0 or top_p > 1:
        raise ValueError("out of range")
    if top_k is not None and top_k < 1:
        raise ValueError("k is below 1")
    if temperature == 0:
        p = torch.zeros(logits.shape)
        p[torch.argmax(logits)] = 1
        return p
    scaled = logits / temperature
    if top_k is not None:
        smallest = torch.topk(scaled, top_k).values[-1]
        scaled = scaled.masked_fill(scaled < smallest, -math.inf)
    p = torch.softmax(scaled, dim=0)
    sorted_p, idx = torch.sort(p, descending=True)
    before = torch.cumsum(sorted_p, 0) - sorted_p
    sorted_p[before >= top_p] = 0
    out = torch.zeros_like(p)
    out[idx] = sorted_p / sorted_p.sum()
    return out
