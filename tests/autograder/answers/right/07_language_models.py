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


# %% sentence_log_probability: stops at the first zero
def sentence_log_probability(sentence, probability, n):
    words = [START] * (n - 1) + sentence + [STOP]
    logs = []
    for i in range(len(sentence) + 1):
        p = probability(words[i + n - 1], tuple(words[i : i + n - 1]))
        if p <= 0:
            return -math.inf
        logs.append(math.log(p))
    return sum(logs)


# %% sentence_log_probability: catches the error of math.log
def sentence_log_probability(sentence, probability, n):
    history = [START] * (n - 1)
    result = 0
    for word in sentence + [STOP]:
        context = tuple(history[len(history) - (n - 1) :])
        try:
            result += math.log(probability(word, context))
        except ValueError:
            return float("-inf")
        history.append(word)
    return float(result)


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


# %% sequence_loss: selects the real positions
def sequence_loss(logits, targets, mask):
    if not mask.any():
        return 0.0 * logits.sum()
    return nn.functional.cross_entropy(logits[mask], targets[mask])


# %% sequence_loss: row by row
def sequence_loss(logits, targets, mask):
    total = logits.new_zeros(())
    count = 0
    for row, target, keep in zip(logits, targets, mask):
        for scores, right, real in zip(row, target, keep):
            if real:
                total = total - scores.log_softmax(dim=0)[right]
                count += 1
    return total / max(count, 1)


# %% bptt_windows: chunks of rows
def bptt_windows(ids, batch_size, length):
    pairs = len(ids) - 1
    if pairs < batch_size:
        raise ValueError("too few tokens")
    per_row = pairs // batch_size
    usable = per_row * batch_size
    inputs = torch.stack(ids[:usable].chunk(batch_size))
    targets = torch.stack(ids[1 : usable + 1].chunk(batch_size))
    windows = []
    for start in range(0, per_row, length):
        stop = start + length
        windows.append((inputs[:, start:stop], targets[:, start:stop]))
    return windows


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


# %% sentence_log_probability: numpy's logarithm
def sentence_log_probability(sentence, probability, n):
    import numpy as np

    words = [START] * (n - 1) + sentence + [STOP]
    p = [probability(words[t], tuple(words[t - n + 1 : t])) for t in range(n - 1, len(words))]
    with np.errstate(divide="ignore"):
        return float(np.log(p).sum())


# %% sentence_log_probability: recursion from the end
def sentence_log_probability(sentence, probability, n):
    def rest(context, words):
        if len(words) == 0:
            return 0.0
        p = probability(words[0], context)
        if p == 0:
            return -math.inf
        return math.log(p) + rest((context + (words[0],))[1:], words[1:])

    return rest((START,) * (n - 1), list(sentence) + [STOP])


# %% sentence_log_probability: fsum of a generator
def sentence_log_probability(sentence, probability, n):
    def log(p):
        return math.log(p) if p > 0 else -math.inf

    words = [*[START] * (n - 1), *sentence, STOP]
    return math.fsum(
        log(probability(word, tuple(words[i : i + n - 1]))) for i, word in enumerate(words[n - 1 :])
    )


# %% sentence_log_probability: torch.log in double precision
def sentence_log_probability(sentence, probability, n):
    padded = (n - 1) * [START] + sentence + [STOP]
    values = []
    for gram in zip(*(padded[i:] for i in range(n))):
        values.append(probability(gram[-1], gram[:-1]))
    return torch.tensor(values, dtype=torch.float64).log().sum().item()


# %% sentence_log_probability: a flag for the impossible word
def sentence_log_probability(sentence, probability, n):
    from collections import deque

    window = deque(["<s>"] * (n - 1), maxlen=n - 1)
    log_probability = 0.0
    impossible = False
    for word in sentence + ["</s>"]:
        p = probability(word, tuple(window))
        if p == 0.0:
            impossible = True
        else:
            log_probability += math.log(p)
        window.append(word)
    if impossible:
        return -float("inf")
    return log_probability


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
