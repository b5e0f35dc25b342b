# %% count_ngrams: with a defaultdict
def count_ngrams(sentences, n):
    import collections

    if n < 1:
        raise ValueError("n has to be at least 1")
    counts = collections.defaultdict(collections.Counter)
    for sentence in sentences:
        words = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        for i, word in enumerate(words):
            if i >= n - 1:
                counts[tuple(words[i - (n - 1) : i])][word] += 1
    return counts


# %% count_ngrams: get with a default
def count_ngrams(sentences, n):
    if n <= 0:
        raise ValueError(f"{n} is too small")
    result = {}
    for s in sentences:
        s = (n - 1) * [START] + s + [STOP]
        for end in range(n, len(s) + 1):
            *context, word = s[end - n : end]
            row = result.get(tuple(context), Counter())
            row[word] = row[word] + 1
            result[tuple(context)] = row
    return result


# %% add_k_probability: an if for the unseen context
def add_k_probability(counts, word, context, n_words, k=0.0):
    if k < 0:
        raise ValueError("k < 0")
    if context in counts:
        c = counts[context][word]
        total = sum(counts[context].values())
    else:
        c, total = 0, 0
    denominator = total + k * n_words
    if denominator == 0:
        return 0.0
    return (c + k) / denominator


# %% perplexity: a power of e
def perplexity(sentences, probability, n):
    if len(sentences) < 1:
        raise ValueError("need a sentence")
    log_p, n_tokens = 0.0, 0
    for s in sentences:
        log_p += sentence_log_probability(s, probability, n)
        n_tokens += len(s + [STOP])
    cross_entropy = -log_p / n_tokens
    return math.exp(cross_entropy)


# %% interpolated_probability: from the longest context down
def interpolated_probability(tables, weights, word, context):
    p = 0.0
    total_weight = 0.0
    for m in range(len(tables), 0, -1):
        if context in tables[m - 1]:
            row = tables[m - 1][context]
            p += weights[m - 1] * (row[word] / sum(row.values()))
            total_weight += weights[m - 1]
        context = context[1:]
    return p / total_weight


# %% interpolated_probability: a slice with None for the unigrams
def interpolated_probability(tables, weights, word, context):
    ps, ws = [], []
    for m in range(1, len(tables) + 1):
        c = context[-(m - 1) :] if m > 1 else ()
        counts = tables[m - 1].get(c)
        if counts is None:
            continue
        ps.append(counts[word] / sum(counts.values()))
        ws.append(weights[m - 1])
    return sum(p * w for p, w in zip(ps, ws)) / sum(ws)


# %% KneserNey: recursive, counts recomputed by context
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.V = n_words
        self.D = discount
        self.n = n
        table = count_ngrams(sentences, n)
        self.table = {}
        for order in range(n, 0, -1):
            self.table.update(table)
            below = {}
            for context in table:
                for word in table[context]:
                    if context:
                        below.setdefault(context[1:], Counter())[word] += 1
            table = below

    def probability(self, word, context):
        if len(context) == 0:
            lower = 1 / self.V
        else:
            lower = self.probability(word, context[1:])
        row = self.table.get(context)
        if not row:
            return lower
        total = sum(row.values())
        return max(row[word] - self.D, 0) / total + self.D * len(row) / total * lower


# %% ElmanCell: step by step
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, hidden, bias=True)
        self.U = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x, h):
        from_word = self.W(x)
        from_state = self.U(h)
        return nn.functional.tanh(from_word + from_state)


# %% RecurrentLanguageModel: an if for each kind
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        if kind == "RNN":
            self.rnn = nn.RNN(dim, hidden, batch_first=True)
        elif kind == "GRU":
            self.rnn = nn.GRU(dim, hidden, batch_first=True)
        else:
            self.rnn = nn.LSTM(dim, hidden, batch_first=True)
        self.projection = nn.Linear(hidden, dim)
        self.bias = nn.Parameter(torch.zeros(n_words))
        self.dropout = nn.Dropout(p=dropout)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids, state=None):
        X = self.embedding(ids)
        X = self.dropout(X)
        if state is None:
            H, state = self.rnn(X)
        else:
            H, state = self.rnn(X, state)
        Z = self.projection(H)
        Z = self.dropout(Z)
        logits = torch.matmul(Z, self.embedding.weight.t())
        return logits + self.bias, state


# %% LanguageModelTrainer: keeps lists of losses
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
        sums, tokens = [], []
        for x, y in windows:
            loss, state = self.loss(x, y, state)
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            state = detach(state)
            sums.append(loss.item() * y.shape[0] * y.shape[1])
            tokens.append(y.shape[0] * y.shape[1])
        return sum(sums) / sum(tokens)

    @torch.no_grad()
    def evaluate(self, windows):
        self.model.eval()
        state = None
        sums, tokens = [], []
        for x, y in windows:
            loss, state = self.loss(x, y, state)
            sums.append(loss.item() * y.numel())
            tokens.append(y.numel())
        return sum(sums) / sum(tokens)


# %% gradient_norms: reads grad
def gradient_norms(cell, X, state):
    X = X.clone().detach()
    X.requires_grad_(True)
    H, last = unroll(cell, X, state)
    H[:, -1, :].sum().backward()
    norms = []
    for t in range(X.shape[1] - 1, -1, -1):
        norms.append(X.grad[:, t].pow(2).sum().sqrt())
    return torch.stack(norms)


# %% GRUCell: slices of one matrix
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.hidden = hidden
        self.W = nn.Linear(dim, 3 * hidden)
        self.U = nn.Linear(hidden, 3 * hidden)

    def forward(self, x, h):
        a, b = self.W(x), self.U(h)
        k = self.hidden
        r = torch.sigmoid(a[:, :k] + b[:, :k])
        z = torch.sigmoid(a[:, k : 2 * k] + b[:, k : 2 * k])
        n = torch.tanh(a[:, 2 * k :] + r * b[:, 2 * k :])
        return n - z * n + z * h


# %% LSTMCell: split
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.hidden = hidden
        self.forget_bias = forget_bias
        self.W = nn.Linear(dim, 4 * hidden)
        self.U = nn.Linear(hidden, 4 * hidden)

    def forward(self, x, state):
        h, c = state
        i, f, g, o = torch.split(self.W(x) + self.U(h), self.hidden, dim=1)
        i, f, o = i.sigmoid(), (f + self.forget_bias).sigmoid(), o.sigmoid()
        new_c = f * c + i * g.tanh()
        new_h = o * new_c.tanh()
        return new_h, new_c


# %% sampling_probabilities: minus infinity for what is taken out
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0:
        raise ValueError("the temperature is negative")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k is below 1")
    if not (0 < top_p <= 1):
        raise ValueError("top_p is not in (0, 1]")
    if temperature == 0:
        result = torch.zeros(len(logits))
        result[torch.argmax(logits)] = 1.0
        return result
    scaled = logits / temperature
    if top_k is not None and top_k < len(logits):
        threshold = scaled.sort(descending=True).values[top_k - 1]
        scaled = scaled.masked_fill(scaled < threshold, float("-inf"))
    p = scaled.softmax(dim=-1)
    sorted_p, positions = torch.sort(p, descending=True)
    total = 0.0
    keep = torch.zeros(len(p), dtype=torch.bool)
    for value, position in zip(sorted_p, positions):
        keep[position] = True
        total += value.item()
        if total >= top_p:
            break
    p = p * keep
    return p / p.sum()


# %% count_ngrams: zip of shifted lists
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError("an n-gram has at least one word")
    counts = {}
    for sentence in sentences:
        padded = [START] * (n - 1) + sentence + [STOP]
        for gram in zip(*[padded[i:] for i in range(n)]):
            counts.setdefault(gram[:-1], Counter())[gram[-1]] += 1
    return counts


# %% count_ngrams: a deque of the last words
def count_ngrams(sentences, n):
    from collections import defaultdict, deque

    if not n >= 1:
        raise ValueError("n must be positive, got " + str(n))
    table = defaultdict(Counter)
    for sentence in sentences:
        history = deque([START] * (n - 1), maxlen=n - 1)
        for word in [*sentence, STOP]:
            table[tuple(history)].update([word])
            history.append(word)
    return dict(table)


# %% count_ngrams: first a counter of whole n-grams
def count_ngrams(sentences, n):
    import itertools

    if n < 1:
        raise ValueError("n has to be 1 or more")
    grams = Counter()
    for s in sentences:
        s = list(itertools.chain(itertools.repeat(START, n - 1), s, [STOP]))
        grams += Counter(tuple(s[i : i + n]) for i in range(len(s) - n + 1))
    result = {}
    for gram, count in grams.items():
        if gram[:-1] not in result:
            result[gram[:-1]] = Counter()
        result[gram[:-1]][gram[-1]] = count
    return result


# %% count_ngrams: tuples that grow and shrink
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError
    out = {}
    for sentence in sentences:
        context = (START,) * (n - 1)
        for token in (*sentence, STOP):
            if context in out:
                out[context][token] += 1
            else:
                out[context] = Counter({token: 1})
            context = (context + (token,))[1:]
    return out


# %% add_k_probability: an early return for each edge
def add_k_probability(counts, word, context, n_words, k=0.0):
    if k < 0:
        raise ValueError("k has to be 0 or more, but is " + str(k))
    if context not in counts and k == 0:
        return 0.0
    if context not in counts:
        return 1 / n_words
    following = counts[context]
    return (following.get(word, 0) + k) / (sum(following.values()) + k * n_words)


# %% add_k_probability: catches the division by zero
def add_k_probability(counts, word, context, n_words, k=0.0):
    if k < 0.0:
        raise ValueError("negative k")
    row = counts.get(context, {})
    try:
        return (row.get(word, 0) + k) / (sum(row.values()) + k * n_words)
    except ZeroDivisionError:
        return 0.0


# %% add_k_probability: Counter.total and a conditional expression
def add_k_probability(counts, word, context, n_words, k=0.0):
    if not k >= 0:
        raise ValueError(f"k={k} makes no sense")
    c = Counter(counts[context]) if context in counts else Counter()
    below = c.total() + k * n_words
    return (c[word] + k) / below if below else 0.0


# %% add_k_probability: fractions
def add_k_probability(counts, word, context, n_words, k=0.0):
    from fractions import Fraction

    if k < 0:
        raise ValueError("k below zero")
    k = Fraction(k)
    above, below = k, k * n_words
    for other, count in counts.get(context, Counter()).items():
        below += count
        if other == word:
            above += count
    return float(above / below) if below != 0 else 0.0


# %% add_k_probability: adds in a loop over the words
def add_k_probability(counts, word, context, n_words, k=0.0):
    assert n_words > 0
    if k < 0:
        raise ValueError("Negative k makes no sense")
    total = 0
    mine = 0
    if context in counts.keys():
        for w in counts[context]:
            total = total + counts[context][w]
            if w == word:
                mine = counts[context][w]
    if total == 0 and k == 0:
        return 0
    return (mine + k) / (total + k * n_words)


# %% perplexity: sums of generators
def perplexity(sentences, probability, n):
    if not sentences:
        raise ValueError("there is no sentence to measure")
    total = sum(sentence_log_probability(s, probability, n) for s in sentences)
    return math.exp(-total / sum(len(s) + 1 for s in sentences))


# %% perplexity: the words one by one, without the other function
def perplexity(sentences, probability, n):
    if len(sentences) == 0:
        raise ValueError("empty list of sentences")
    surprise = []
    for sentence in sentences:
        words = [START] * (n - 1) + sentence + [STOP]
        for end in range(n - 1, len(words)):
            p = probability(words[end], tuple(words[end - n + 1 : end]))
            if p == 0:
                return float("inf")
            surprise.append(-math.log(p))
    return math.e ** (sum(surprise) / len(surprise))


# %% perplexity: bits per token
def perplexity(sentences, probability, n):
    if sentences == []:
        raise ValueError("at least one sentence, please")
    N = len(sentences) + sum(map(len, sentences))
    bits = 0.0
    for sentence in sentences:
        bits -= sentence_log_probability(sentence, probability, n) / math.log(2)
    return 2 ** (bits / N)


# %% perplexity: numpy
def perplexity(sentences, probability, n):
    import numpy as np

    if not len(sentences):
        raise ValueError("no sentences")
    log_p = np.array([sentence_log_probability(s, probability, n) for s in sentences])
    lengths = np.array([len(s) + 1 for s in sentences])
    return float(np.exp(-log_p.sum() / lengths.sum()))


# %% interpolated_probability: a helper for one order
def interpolated_probability(tables, weights, word, context):
    def estimate(order):
        short = context[len(context) - order + 1 :]
        if short not in tables[order - 1]:
            return None
        following = tables[order - 1][short]
        return following[word] / sum(following.values())

    found = [(w, estimate(i + 1)) for i, w in enumerate(weights)]
    found = [(w, p) for w, p in found if p is not None]
    return sum(w * p for w, p in found) / sum(w for w, _ in found)


# %% interpolated_probability: add_k_probability with k = 0
def interpolated_probability(tables, weights, word, context):
    n = len(tables)
    total, left = 0.0, 0.0
    for m, (table, weight) in enumerate(zip(tables, weights), start=1):
        history = tuple(context[n - m :])
        if history in table:
            total += weight * add_k_probability(table, word, history, 1)
            left += weight
    return total / left


# %% interpolated_probability: catches the KeyError
def interpolated_probability(tables, weights, word, context):
    numerator, denominator = 0.0, 0.0
    for i in range(len(tables)):
        try:
            row = tables[i][tuple(context[len(context) - i :])]
        except KeyError:
            continue
        numerator += weights[i] * row.get(word, 0) / sum(row.values())
        denominator += weights[i]
    return numerator / denominator


# %% interpolated_probability: numpy average
def interpolated_probability(tables, weights, word, context):
    import numpy as np

    values, kept = [], []
    context = list(context)
    for order in range(len(tables), 0, -1):
        row = tables[order - 1].get(tuple(context))
        if row:
            values.append(row[word] / np.sum(list(row.values())))
            kept.append(weights[order - 1])
        if context:
            context.pop(0)
    return float(np.average(values, weights=kept))


# %% interpolated_probability: recursion over the orders
def interpolated_probability(tables, weights, word, context):
    def mix(tables, weights, context):
        if not tables:
            return 0.0, 0.0
        p, w = mix(tables[:-1], weights[:-1], context[1:])
        counts = tables[-1].get(context)
        if not counts:
            return p, w
        return p + weights[-1] * counts[word] / sum(counts.values()), w + weights[-1]

    p, w = mix(tables, weights, tuple(context))
    return p / w


# %% KneserNey: from the bottom up, with sums
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n, self.n_words, self.discount = n, n_words, discount
        tables = [count_ngrams(sentences, n)]
        while len(tables) < n:
            lower = {}
            for context, following in tables[0].items():
                for word in following:
                    if context[1:] not in lower:
                        lower[context[1:]] = Counter()
                    lower[context[1:]][word] += 1
            tables.insert(0, lower)
        self.tables = tables
        self.sums = [{c: sum(row.values()) for c, row in table.items()} for table in tables]

    def probability(self, word, context):
        p = 1.0 / self.n_words
        for order in range(1, self.n + 1):
            c = tuple(context[len(context) - order + 1 :])
            if c not in self.tables[order - 1]:
                continue
            row, total = self.tables[order - 1][c], self.sums[order - 1][c]
            p = (max(row[word] - self.discount, 0) + self.discount * len(row) * p) / total
        return p


# %% KneserNey: sets of the words before
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        from collections import defaultdict

        self.n = n
        self.d = discount
        self.uniform = 1 / n_words
        before = defaultdict(set)
        self.count = Counter()
        for sentence in sentences:
            words = [START] * (n - 1) + sentence + [STOP]
            for end in range(n, len(words) + 1):
                gram = tuple(words[end - n : end])
                self.count[gram] += 1
                for i in range(1, n):
                    before[gram[i:]].add(gram[i - 1])
        for gram, words in before.items():
            self.count[gram] = len(words)
        self.total, self.different = Counter(), Counter()
        for gram, c in self.count.items():
            self.total[gram[:-1]] += c
            self.different[gram[:-1]] += 1

    def probability(self, word, context):
        p = self.uniform
        for i in range(len(context), -1, -1):
            c = context[i:]
            if self.total[c] > 0:
                seen = max(self.count[c + (word,)] - self.d, 0) / self.total[c]
                p = seen + self.d * self.different[c] / self.total[c] * p
        return p


# %% KneserNey: one model for each order
class _Order:
    def __init__(self, table, below, discount):
        self.rows = {c: (row, sum(row.values())) for c, row in table.items()}
        self.below, self.discount = below, discount

    def probability(self, word, context):
        p = self.below(word, context[1:])
        if context not in self.rows:
            return p
        row, total = self.rows[context]
        kept = row[word] - self.discount if row[word] > self.discount else 0.0
        return kept / total + p * self.discount * len(row) / total


class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        tables = [count_ngrams(sentences, n)]
        for _ in range(n - 1):
            lower = {}
            for context, row in tables[-1].items():
                lower.setdefault(context[1:], Counter()).update(row.keys())
            tables.append(lower)
        below = lambda word, context: 1 / n_words  # noqa: E731
        for table in reversed(tables):
            below = _Order(table, below, discount).probability
        self.model = below

    def probability(self, word, context):
        return self.model(word, context)


# %% KneserNey: recursion with lru_cache
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        import functools

        self.D, self.V, self.n = discount, n_words, n
        self.counts = {n: count_ngrams(sentences, n)}
        for m in range(n - 1, 0, -1):
            grams = {(*c[1:], w, c[0]) for c, row in self.counts[m + 1].items() for w in row}
            self.counts[m] = {}
            for *context, word, _first in grams:
                self.counts[m].setdefault(tuple(context), Counter())[word] += 1
        self.sums = {m: {c: r.total() for c, r in t.items()} for m, t in self.counts.items()}
        self.p = functools.lru_cache(maxsize=None)(self._p)

    def _p(self, word, context):
        m = len(context) + 1
        shorter = self.p(word, context[1:]) if context else 1 / self.V
        if context not in self.counts[m]:
            return shorter
        row, s = self.counts[m][context], self.sums[m][context]
        return max(row[word] - self.D, 0) / s + self.D * len(row) / s * shorter

    def probability(self, word, context):
        return self.p(word, tuple(context))


# %% ElmanCell: matrix products with the weights
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.U = nn.Linear(hidden, hidden, False)
        self.W = nn.Linear(dim, hidden)

    def forward(self, x, h):
        a = x @ self.W.weight.T + h @ self.U.weight.T + self.W.bias
        return torch.tanh(a)


# %% ElmanCell: PyTorch's own cell function
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super(ElmanCell, self).__init__()
        self.W = nn.Linear(dim, hidden)
        self.U = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x, h):
        return torch.rnn_tanh_cell(
            x, h, self.W.weight, self.U.weight, self.W.bias, torch.zeros_like(self.W.bias)
        )


# %% ElmanCell: one product of the concatenations
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(in_features=dim, out_features=hidden)
        self.U = nn.Linear(in_features=hidden, out_features=hidden, bias=False)

    def forward(self, x, h):
        both = torch.cat([x, h], dim=1)
        weight = torch.cat([self.W.weight, self.U.weight], dim=1)
        return nn.functional.linear(both, weight, self.W.bias).tanh()


# %% ElmanCell: einsum and exponentials
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.dim = dim
        self.hidden = hidden
        self.W = nn.Linear(dim, hidden)
        self.U = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x, h):
        a = torch.einsum("bd,hd->bh", x, self.W.weight) + self.W.bias
        a = a + torch.einsum("bk,hk->bh", h, self.U.weight)
        return 2 * torch.sigmoid(2 * a) - 1


# %% ElmanCell: an activation module, added in place
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, hidden)
        self.U = nn.Linear(hidden, hidden, bias=False)
        self.activation = nn.Tanh()

    def forward(self, x, h):
        z = self.W(x)
        z += self.U(h)
        return self.activation(z)


# %% RecurrentLanguageModel: getattr and a product with E
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.rnn = getattr(nn, kind)(dim, hidden, batch_first=True)
        self.projection = nn.Linear(hidden, dim)
        self.bias = nn.Parameter(torch.zeros(n_words))
        self.dropout = nn.Dropout(dropout)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids, state=None):
        H, state = self.rnn(self.dropout(self.embedding(ids)), state)
        z = self.dropout(self.projection(H))
        return nn.functional.linear(z, self.embedding.weight, self.bias), state


# %% RecurrentLanguageModel: a dictionary of networks, einsum
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        networks = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}
        if kind not in networks:
            raise ValueError(f"kind is one of {sorted(networks)}")
        self.embedding = nn.Embedding(num_embeddings=n_words, embedding_dim=dim)
        self.rnn = networks[kind](input_size=dim, hidden_size=hidden, batch_first=True)
        self.projection = nn.Linear(hidden, dim, bias=True)
        self.bias = nn.Parameter(torch.Tensor([0.0] * n_words))
        self.dropout = nn.Dropout(dropout)
        self.embedding.weight.data.uniform_(-0.1, 0.1)

    def forward(self, ids, state=None):
        out, last = self.rnn(self.dropout(self.embedding(ids)), state)
        z = self.dropout(self.projection(out))
        return torch.einsum("bld,vd->blv", z, self.embedding.weight) + self.bias, last


# %% RecurrentLanguageModel: match, register_parameter, F.embedding
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.add_module("embedding", nn.Embedding(n_words, dim))
        match kind:
            case "RNN":
                network = nn.RNN
            case "GRU":
                network = nn.GRU
            case _:
                network = nn.LSTM
        self.add_module("rnn", network(dim, hidden, num_layers=1, batch_first=True))
        self.add_module("projection", nn.Linear(hidden, dim))
        self.register_parameter("bias", nn.Parameter(torch.zeros((n_words,))))
        self.add_module("dropout", nn.Dropout(dropout))
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids, state=None):
        E = self.embedding.weight
        x = self.dropout(nn.functional.embedding(ids, E))
        h, state = self.rnn(x, state)
        z = self.dropout(self.projection(h))
        return (z @ E.mT) + self.bias.view(1, 1, -1), state


# %% RecurrentLanguageModel: token by token
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.rnn = eval("nn." + kind)(dim, hidden, batch_first=True)
        self.projection = nn.Linear(hidden, dim)
        self.bias = nn.Parameter(torch.zeros(n_words), requires_grad=True)
        self.dropout = nn.Dropout(dropout)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids, state=None):
        x = self.dropout(self.embedding(ids))
        outputs = []
        for t in range(ids.shape[1]):
            h, state = self.rnn(x[:, t : t + 1], state)
            outputs.append(h)
        z = self.dropout(self.projection(torch.cat(outputs, dim=1)))
        return torch.matmul(z, self.embedding.weight.transpose(0, 1)) + self.bias, state


# %% LanguageModelTrainer: one loop for both
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def _run(self, windows, training):
        self.model.train(training)
        total, count, state = 0.0, 0, None
        with torch.set_grad_enabled(training):
            for x, y in windows:
                loss, state = self.loss(x, y, state)
                if training:
                    self.optimizer.zero_grad(set_to_none=True)
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
                    self.optimizer.step()
                state = detach(state)
                total += float(loss) * x.numel()
                count += x.numel()
        return total / count

    def train_epoch(self, windows):
        return self._run(windows, True)

    def evaluate(self, windows):
        return self._run(windows, False)


# %% LanguageModelTrainer: the gradient clipped by hand
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
        losses, weights = [], []
        for x, y in windows:
            self.model.zero_grad()
            if state is not None:
                state = detach(state)
            loss, state = self.loss(x, y, state)
            loss.backward()
            gradients = [p.grad for p in self.model.parameters() if p.grad is not None]
            norm = torch.sqrt(sum((g**2).sum() for g in gradients))
            if norm > self.max_norm:
                for g in gradients:
                    g.mul_(self.max_norm / norm)
            self.optimizer.step()
            losses.append(loss.detach())
            weights.append(float(y.numel()))
        weights = torch.tensor(weights)
        return ((torch.stack(losses) * weights).sum() / weights.sum()).item()

    def evaluate(self, windows):
        self.model.eval()
        with torch.inference_mode():
            state = None
            losses, weights = [], []
            for x, y in windows:
                loss, state = self.loss(x, y, state)
                losses.append(loss.item())
                weights.append(y.numel())
        return sum(a * b for a, b in zip(losses, weights)) / sum(weights)


# %% LanguageModelTrainer: state detached by its type, numpy average
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def train_epoch(self, windows):
        import numpy as np

        self.model.train(mode=True)
        state = None
        log = []
        for window in windows:
            x, y = window
            self.optimizer.zero_grad()
            loss, new_state = self.loss(x, y, state)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=self.max_norm)
            self.optimizer.step()
            if type(new_state) is tuple:
                state = tuple(s.detach() for s in new_state)
            else:
                state = new_state.detach()
            log.append((loss.item(), x.shape[0] * x.shape[1]))
        values, n = zip(*log)
        return float(np.average(values, weights=n))

    def evaluate(self, windows):
        self.model.train(False)
        state, total, count = None, 0.0, 0
        for x, y in windows:
            with torch.no_grad():
                loss, state = self.loss(x, y, state)
            total = total + loss.item() * len(x) * len(x[0])
            count = count + len(x) * len(x[0])
        return total / count


# %% LanguageModelTrainer: sums of losses from the logits
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
        tokens = sum(y.numel() for _, y in windows)
        mean, state = 0.0, None
        for x, y in windows:
            logits, state = self.model(x, detach(state) if state is not None else None)
            log_p = logits.log_softmax(dim=-1).gather(-1, y[..., None])
            loss = -log_p.mean()
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            mean += loss.item() * (y.numel() / tokens)
        return mean

    @torch.no_grad()
    def evaluate(self, windows):
        self.model.eval()
        tokens = sum(y.numel() for _, y in windows)
        total, state = 0.0, None
        for x, y in windows:
            logits, state = self.model(x, state)
            log_p = logits.log_softmax(-1).gather(-1, y[..., None])
            total -= log_p.sum().item()
        return total / tokens


# %% gradient_norms: autograd.grad and vector_norm
def gradient_norms(cell, X, state):
    copy = X.detach().clone().requires_grad_()
    H, _ = unroll(cell, copy, state)
    (gradient,) = torch.autograd.grad(H[:, -1].sum(), copy)
    return torch.linalg.vector_norm(gradient, dim=(0, 2)).flip(0)


# %% gradient_norms: a leaf for each position
def gradient_norms(cell, X, state):
    xs = [X[:, t].detach().clone().requires_grad_(True) for t in range(X.shape[1])]
    for x in xs:
        state = cell(x, state)
    h = state[0] if isinstance(state, tuple) else state
    h.sum().backward()
    return torch.stack([x.grad.norm() for x in reversed(xs)])


# %% gradient_norms: a list of Python numbers
def gradient_norms(cell, X, state):
    X = X.clone().detach().requires_grad_(True)
    H, state = unroll(cell, X, state)
    last = H[:, H.shape[1] - 1, :]
    last.backward(torch.ones_like(last))
    norms = []
    for k in range(X.size(1)):
        total = 0.0
        for row in X.grad[:, X.size(1) - 1 - k].tolist():
            for number in row:
                total += number**2
        norms.append(math.sqrt(total))
    return torch.tensor(norms)


# %% gradient_norms: torch.func
def gradient_norms(cell, X, state):
    def last_sum(x):
        return unroll(cell, x, state)[0][:, -1].sum()

    G = torch.func.grad(last_sum)(X.detach())
    return G.transpose(0, 1).flatten(1).norm(dim=1).flip(dims=[0])


# %% gradient_norms: the last state that unroll returns
def gradient_norms(cell, X, state):
    X = torch.tensor(X.detach().numpy(), requires_grad=True)
    _, last = unroll(cell, X, state)
    if isinstance(last, tuple):
        last = last[0]
    torch.sum(last).backward()
    T = X.shape[1]
    result = torch.zeros(T)
    for k in range(T):
        result[k] = torch.sqrt(torch.sum(X.grad[:, T - 1 - k, :] ** 2))
    return result


# %% GRUCell: chunk and torch.lerp
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, 3 * hidden)
        self.U = nn.Linear(hidden, 3 * hidden)

    def forward(self, x, h):
        Wr, Wz, Wn = self.W(x).chunk(3, dim=-1)
        Ur, Uz, Un = self.U(h).chunk(3, dim=-1)
        r = torch.sigmoid(Wr + Ur)
        z = torch.sigmoid(Wz + Uz)
        n = torch.tanh(Wn + r * Un)
        return torch.lerp(n, h, z)


# %% GRUCell: PyTorch's own function
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, 3 * hidden)
        self.U = nn.Linear(hidden, 3 * hidden)

    def forward(self, x, h):
        return torch.gru_cell(x, h, self.W.weight, self.U.weight, self.W.bias, self.U.bias)


# %% GRUCell: three axes and both gates at once
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, hidden * 3, bias=True)
        self.U = nn.Linear(hidden, hidden * 3, bias=True)

    def forward(self, x, h):
        batch, hidden = h.shape
        from_x = self.W(x).reshape(batch, 3, hidden)
        from_h = self.U(h).reshape(batch, 3, hidden)
        gates = 1 / (1 + torch.exp(-(from_x[:, :2] + from_h[:, :2])))
        r, z = gates.unbind(1)
        n = (from_x[:, 2] + r * from_h[:, 2]).tanh()
        return (1 - z) * n + z * h


# %% GRUCell: weights cut into blocks
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.dim, self.size = dim, hidden
        self.W = nn.Linear(dim, 3 * hidden)
        self.U = nn.Linear(hidden, 3 * hidden)

    def product(self, layer, v, k):
        rows = slice(k * self.size, (k + 1) * self.size)
        return v @ layer.weight[rows].t() + layer.bias[rows]

    def forward(self, x, h):
        r = nn.Sigmoid()(self.product(self.W, x, 0) + self.product(self.U, h, 0))
        z = nn.Sigmoid()(self.product(self.W, x, 1) + self.product(self.U, h, 1))
        n = nn.Tanh()(self.product(self.W, x, 2) + r.mul(self.product(self.U, h, 2)))
        return torch.add(torch.mul(1 - z, n), torch.mul(z, h))


# %% LSTMCell: PyTorch's own function, the forget bias in the bias
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.W = nn.Linear(dim, 4 * hidden)
        self.U = nn.Linear(hidden, 4 * hidden)
        self.forget_bias = forget_bias
        extra = torch.zeros(4 * hidden)
        extra[hidden : 2 * hidden] = forget_bias
        self.register_buffer("extra", extra, persistent=False)

    def forward(self, x, state):
        h, c = torch.lstm_cell(
            x, state, self.W.weight, self.U.weight, self.W.bias + self.extra, self.U.bias
        )
        return h, c


# %% LSTMCell: in-place addition to a slice
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.hidden = hidden
        self.forget_bias = forget_bias
        self.W = nn.Linear(dim, 4 * hidden)
        self.U = nn.Linear(hidden, 4 * hidden)

    def forward(self, x, state):
        h, c = state
        n = self.hidden
        a = self.W(x) + self.U(h)
        a[:, n : 2 * n] += self.forget_bias
        i = torch.sigmoid(a[:, 0:n])
        f = torch.sigmoid(a[:, n : 2 * n])
        g = torch.tanh(a[:, 2 * n : 3 * n])
        o = torch.sigmoid(a[:, 3 * n : 4 * n])
        c = f * c + i * g
        h = o * torch.tanh(c)
        return (h, c)


# %% LSTMCell: addcmul and four axes
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.W = nn.Linear(dim, 4 * hidden, True)
        self.U = nn.Linear(hidden, 4 * hidden, True)
        self.forget_bias = float(forget_bias)

    def forward(self, x, state):
        scores = self.W(x).add(self.U(state[0])).unflatten(1, (4, -1))
        i = scores[:, 0].sigmoid()
        f = scores[:, 1].add(self.forget_bias).sigmoid()
        g = scores[:, 2].tanh()
        o = scores[:, 3].sigmoid()
        c = torch.addcmul(f * state[1], i, g)
        return o * c.tanh(), c


# %% LSTMCell: a dictionary of gates
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super(LSTMCell, self).__init__()
        self.W = nn.Linear(dim, 4 * hidden)
        self.U = nn.Linear(hidden, 4 * hidden)
        self.forget_bias = forget_bias

    def forward(self, x, state):
        h, c = state
        gates = dict(zip("ifgo", torch.chunk(self.W(x) + self.U(h), 4, dim=-1)))
        gates["f"] = gates["f"] + self.forget_bias
        for name in gates:
            squash = torch.tanh if name == "g" else torch.sigmoid
            gates[name] = squash(gates[name])
        new_c = c * gates["f"]
        new_c += gates["i"] * gates["g"]
        return gates["o"] * torch.tanh(new_c), new_c


# %% LSTMCell: NumPy-like names, exponentials
def _sigmoid(a):
    return 1.0 / (1.0 + (-a).exp())


class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.forget_bias = forget_bias
        self.W, self.U = nn.Linear(dim, 4 * hidden), nn.Linear(hidden, 4 * hidden)

    def forward(self, x, state):
        h_prev, c_prev = state
        a_i, a_f, a_g, a_o = (
            w + u for w, u in zip(self.W(x).tensor_split(4, 1), self.U(h_prev).tensor_split(4, 1))
        )
        c = _sigmoid(a_f + self.forget_bias) * c_prev + _sigmoid(a_i) * torch.tanh(a_g)
        return _sigmoid(a_o) * torch.tanh(c), c


# %% sampling_probabilities: topk and cumsum
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or top_p <= 0 or top_p > 1:
        raise ValueError("temperature >= 0, top_k >= 1 and 0 < top_p <= 1, please")
    V = logits.size(0)
    if temperature == 0:
        return nn.functional.one_hot(logits.argmax(), V).to(logits.dtype)
    p = torch.softmax(logits / temperature, dim=0)
    k = V if top_k is None else min(top_k, V)
    values, ids = p.topk(k)
    values = values / values.sum()
    before = values.cumsum(0) - values
    values = torch.where(before < top_p - 1e-7, values, 0.0)
    values[0] = max(values[0], 1e-9)
    return torch.zeros_like(p).scatter(0, ids, values / values.sum())


# %% sampling_probabilities: lists and sorted
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0:
        raise ValueError(f"temperature {temperature} < 0")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k {top_k} < 1")
    if top_p <= 0 or top_p > 1:
        raise ValueError(f"top_p {top_p}")
    numbers = logits.tolist()
    best = max(numbers)
    if temperature == 0:
        out = [0.0] * len(numbers)
        out[numbers.index(best)] = 1.0
        return torch.tensor(out)
    e = [math.exp((z - best) / temperature) for z in numbers]
    order = sorted(range(len(e)), key=lambda i: -e[i])
    if top_k is not None:
        order = order[:top_k]
    total = sum(e[i] for i in order)
    kept, so_far = [], 0.0
    for i in order:
        kept.append(i)
        so_far += e[i] / total
        if so_far >= top_p:
            break
    total = sum(e[i] for i in kept)
    return torch.tensor([e[i] / total if i in kept else 0.0 for i in range(len(e))])


# %% sampling_probabilities: filters as in many libraries
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0:
        raise ValueError("`temperature` has to be a positive float")
    if top_k is not None and top_k <= 0:
        raise ValueError("`top_k` has to be a positive integer")
    if not 0 < top_p <= 1.0:
        raise ValueError("`top_p` has to be a float > 0 and <= 1")
    if temperature == 0:
        temperature, top_k = 1.0, 1
        logits = torch.where(torch.arange(len(logits)) == logits.argmax(), 0.0, -torch.inf)
    logits = logits / temperature
    if top_k is not None:
        top_k = min(top_k, logits.size(-1))
        remove = logits < torch.topk(logits, top_k)[0][..., -1, None]
        logits = logits.masked_fill(remove, -float("inf"))
    if top_p < 1.0:
        sorted_logits, sorted_indices = torch.sort(logits, descending=True)
        cumulative = torch.softmax(sorted_logits, dim=-1).cumsum(dim=-1)
        sorted_remove = cumulative >= top_p
        sorted_remove[1:] = sorted_remove[:-1].clone()
        sorted_remove[0] = False
        remove = sorted_remove.scatter(0, sorted_indices, sorted_remove)
        logits = logits.masked_fill(remove, -float("inf"))
    return torch.softmax(logits, dim=-1)


# %% sampling_probabilities: NumPy in double precision
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    import numpy as np

    if temperature < 0:
        raise ValueError("negative temperature")
    if top_k is not None and not top_k >= 1:
        raise ValueError("k below 1")
    if not 0 < top_p <= 1:
        raise ValueError("p outside of (0, 1]")
    z = logits.detach().numpy().astype(np.float64)
    p = np.zeros(len(z))
    if temperature == 0:
        p[np.argmax(z)] = 1
    else:
        z = z / temperature
        p = np.exp(z - z.max())
        p = p / p.sum()
        ranks = np.argsort(-p, kind="stable")
        if top_k is not None:
            p[ranks[top_k:]] = 0
            p = p / p.sum()
        n = 1 + np.searchsorted(np.cumsum(p[ranks]), top_p)
        p[ranks[n:]] = 0
        p = p / p.sum()
    return torch.from_numpy(p).float()


# %% sampling_probabilities: ranks by a double argsort
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0:
        raise ValueError("temperature")
    if top_k is not None and top_k < 1:
        raise ValueError("top_k")
    if top_p <= 0.0 or top_p > 1.0:
        raise ValueError("top_p")
    rank = logits.argsort(descending=True, stable=True).argsort()
    if temperature == 0:
        return (rank == 0).to(logits.dtype)
    p = (logits / temperature).softmax(-1)
    if top_k is not None:
        p = torch.where(rank < top_k, p, torch.zeros_like(p))
        p /= p.sum()
    higher = torch.stack([p[rank < r].sum() for r in rank])
    p[higher >= top_p] = 0
    return p / p.sum()


# %% LanguageModelTrainer: sets the mode back after the evaluation
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
        state, total, n = None, 0.0, 0
        for x, y in windows:
            self.optimizer.zero_grad()
            loss, state = self.loss(x, y, state)
            state = detach(state)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total, n = total + loss.item() * y.numel(), n + y.numel()
        return total / n

    def evaluate(self, windows):
        before = self.model.training
        self.model.eval()
        state, total, n = None, 0.0, 0
        with torch.no_grad():
            for x, y in windows:
                loss, state = self.loss(x, y, state)
                total, n = total + loss.item() * y.numel(), n + y.numel()
        self.model.train(before)
        return total / n


# %% RecurrentLanguageModel: an output layer that shares the matrix
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.rnn = {"RNN": nn.RNN, "GRU": nn.GRU}.get(kind, nn.LSTM)(dim, hidden, batch_first=True)
        self.projection = nn.Linear(hidden, dim)
        self.dropout = nn.Dropout(dropout)
        self.decoder = nn.Linear(dim, n_words)
        self.decoder.weight = self.embedding.weight
        nn.init.zeros_(self.decoder.bias)
        self.bias = self.decoder.bias
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids, state=None):
        H, state = self.rnn(self.dropout(self.embedding(ids)), state)
        return self.decoder(self.dropout(self.projection(H))), state


# %% gradient_norms: double precision, detached but the same memory
def gradient_norms(cell, X, state):
    leaf = X.detach().requires_grad_(True)
    H, _ = unroll(cell, leaf, state)
    H[:, -1].sum().backward()
    squares = leaf.grad.double().square().sum(dim=(0, 2))
    return squares.sqrt()[torch.arange(X.shape[1] - 1, -1, -1)]


# %% sampling_probabilities: double precision all the way
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or not 0 < top_p <= 1 or (top_k is not None and top_k < 1):
        raise ValueError("one of the options is out of range")
    logits = logits.double()
    if temperature == 0:
        p = torch.zeros_like(logits)
        p[logits.argmax()] = 1
        return p
    sorted_p, order = torch.softmax(logits / temperature, 0).sort(descending=True)
    if top_k is not None:
        sorted_p[top_k:] = 0
        sorted_p /= sorted_p.sum()
    n = int((sorted_p.cumsum(0) < top_p).sum()) + 1
    sorted_p[n:] = 0
    sorted_p /= sorted_p.sum()
    return sorted_p[order.argsort()]


# %% sampling_probabilities: a tiny temperature instead of 0
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0:
        raise ValueError("temperature < 0")
    if top_k is not None and top_k < 1:
        raise ValueError("k < 1")
    if top_p > 1 or top_p <= 0:
        raise ValueError("p is not a share")
    p = torch.softmax(logits / max(temperature, 1e-8), dim=0)
    order = p.argsort(descending=True)
    if top_k:
        p[order[top_k:]] = 0.0
    p = p / p.sum()
    so_far = 0.0
    for i in order.tolist():
        if so_far >= top_p:
            p[i] = 0.0
        so_far += p[i].item()
    return p.div(p.sum())


# %% ElmanCell: loops over components
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, hidden)
        self.U = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x, h):
        out = torch.empty(h.shape)
        for b in range(h.shape[0]):
            for i in range(h.shape[1]):
                s = self.W.weight[i] @ x[b] + self.U.weight[i] @ h[b] + self.W.bias[i]
                out[b, i] = torch.tanh(s)
        return out


# %% count_ngrams: a subclass of dict with a missing row
def count_ngrams(sentences, n):
    class Rows(dict):
        def __missing__(self, context):
            self[context] = Counter()
            return self[context]

    if n < 1:
        raise ValueError("n must be at least 1")
    rows = Rows()
    for sentence in sentences:
        padded = [START for _ in range(n - 1)]
        padded.extend(sentence)
        padded.append(STOP)
        while len(padded) >= n:
            rows[tuple(padded[: n - 1])][padded[n - 1]] += 1
            padded = padded[1:]
    return rows


# %% count_ngrams: defaultdict rows of ints, turned into counters
def count_ngrams(sentences, n):
    from collections import defaultdict

    if n < 1:
        raise ValueError("n < 1")
    nested = defaultdict(lambda: defaultdict(int))
    for sentence in sentences:
        words = [START] * (n - 1) + sentence + [STOP]
        for i in range(len(words) - n + 1):
            nested[tuple(words[i : i + n - 1])][words[i + n - 1]] += 1
    return {context: Counter(row) for context, row in nested.items()}


# %% LSTMCell: the forget bias is a buffer
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.W = nn.Linear(dim, 4 * hidden)
        self.U = nn.Linear(hidden, 4 * hidden)
        self.register_buffer("forget_bias", torch.tensor(forget_bias), persistent=False)

    def forward(self, x, state):
        h, c = state
        i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


# %% RecurrentLanguageModel: functional dropout with the layer's rate
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.rnn = getattr(nn, kind)(dim, hidden, batch_first=True)
        self.projection = nn.Linear(hidden, dim)
        self.bias = nn.Parameter(torch.zeros(n_words))
        self.dropout = nn.Dropout(dropout)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids, state=None):
        X = nn.functional.dropout(self.embedding(ids), self.dropout.p, self.training)
        H, state = self.rnn(X, state)
        Z = nn.functional.dropout(self.projection(H), self.dropout.p, self.training)
        return Z @ self.embedding.weight.T + self.bias, state
