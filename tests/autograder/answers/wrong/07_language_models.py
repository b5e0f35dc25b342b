# %% count_ngrams: no stop token | no_stop
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError("n")
    counts = {}
    for sentence in sentences:
        words = [START] * (n - 1) + sentence
        for i in range(n - 1, len(words)):
            counts.setdefault(tuple(words[i - n + 1 : i]), Counter())[words[i]] += 1
    return counts


# %% count_ngrams: stop tokens on the right as many as start tokens | several_stops
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError("n")
    counts = {}
    for sentence in sentences:
        words = [START] * (n - 1) + sentence + [STOP] * max(1, n - 1)
        for i in range(n - 1, len(words)):
            counts.setdefault(tuple(words[i - n + 1 : i]), Counter())[words[i]] += 1
    return counts


# %% add_k_probability: k only above | numerator_only
def add_k_probability(counts, word, context, n_words, k=0.0):
    if k < 0:
        raise ValueError("k")
    row = counts.get(context, Counter())
    total = sum(row.values())
    return (row[word] + k) / total if total else 0.0


# %% add_k_probability: k below without the vocabulary | denominator_plus_k
def add_k_probability(counts, word, context, n_words, k=0.0):
    if k < 0:
        raise ValueError("k")
    row = counts.get(context, Counter())
    total = sum(row.values()) + k
    return (row[word] + k) / total if total else 0.0


# %% sentence_log_probability: product first | multiplies
def sentence_log_probability(sentence, probability, n):
    words = [START] * (n - 1) + sentence + [STOP]
    product = 1.0
    for i in range(n - 1, len(words)):
        product = product * probability(words[i], tuple(words[i - n + 1 : i]))
    if product == 0:
        return -math.inf
    return math.log(product)


# %% sentence_log_probability: stop forgotten | no_stop
def sentence_log_probability(sentence, probability, n):
    words = [START] * (n - 1) + sentence
    total = 0.0
    for i in range(n - 1, len(words)):
        p = probability(words[i], tuple(words[i - n + 1 : i]))
        total += math.log(p) if p else -math.inf
    return total


# %% perplexity: stop tokens not counted | forgets_stops
def perplexity(sentences, probability, n):
    if not sentences:
        raise ValueError("no sentences")
    total = sum(sentence_log_probability(s, probability, n) for s in sentences)
    return math.exp(-total / max(1, sum(len(s) for s in sentences)))


# %% perplexity: a mean over sentences | per_sentence
def perplexity(sentences, probability, n):
    if not sentences:
        raise ValueError("no sentences")
    each = []
    for s in sentences:
        log_p = sentence_log_probability(s, probability, n)
        each.append(math.exp(-log_p / (len(s) + 1)))
    return sum(each) / len(each)


# %% interpolated_probability: the first words | first_words
def interpolated_probability(tables, weights, word, context):
    p, used = 0.0, 0.0
    for m in range(len(tables)):
        row = tables[m].get(context[:m])
        if row:
            p += weights[m] * row[word] / sum(row.values())
            used += weights[m]
    return p / used


# %% interpolated_probability: nothing renormalized | not_renormalized
def interpolated_probability(tables, weights, word, context):
    p = 0.0
    for m in range(len(tables)):
        row = tables[m].get(context[len(context) - m :])
        if row:
            p += weights[m] * row[word] / sum(row.values())
    return p


# %% KneserNey: absolute discounting with plain counts | plain_counts_everywhere
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n_words, self.discount = n_words, discount
        self.table = {}
        for m in range(1, n + 1):
            for context, row in count_ngrams(sentences, n).items():
                for word, count in row.items():
                    shorter = context[n - m :]
                    self.table.setdefault(shorter, Counter())[word] += count

    def probability(self, word, context):
        lower = self.probability(word, context[1:]) if context else 1 / self.n_words
        row = self.table.get(context)
        if row is None:
            return lower
        total = sum(row.values())
        kept = max(row[word] - self.discount, 0)
        return (kept + self.discount * len(row) * lower) / total


# %% ElmanCell: tanh forgotten | no_tanh
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, hidden)
        self.U = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x, h):
        return self.W(x) + self.U(h)


# %% ElmanCell: a bias in both | two_biases
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, hidden)
        self.U = nn.Linear(hidden, hidden)

    def forward(self, x, h):
        return torch.tanh(self.W(x) + self.U(h))


# %% RecurrentLanguageModel: softmax at the end | returns_probabilities
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
        logits = self.dropout(self.projection(H)) @ self.embedding.weight.T + self.bias
        return torch.softmax(logits, dim=-1), state


# %% RecurrentLanguageModel: the state is not passed on | forgets_the_state
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
        H, state = self.rnn(self.dropout(self.embedding(ids)))
        return self.dropout(self.projection(H)) @ self.embedding.weight.T + self.bias, state


# %% sequence_loss: cross-entropy of everything | averages_padding
def sequence_loss(logits, targets, mask):
    return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())


# %% sequence_loss: 0 taken for padding | padding_by_id
def sequence_loss(logits, targets, mask):
    losses = nn.functional.cross_entropy(logits.mT, targets, reduction="none")
    real = targets != 0
    return (losses * real).sum() / real.sum().clamp(min=1)


# %% bptt_windows: text in columns | columns
def bptt_windows(ids, batch_size, length):
    n = (len(ids) - 1) // batch_size
    if n < 1:
        raise ValueError("too few")
    x = ids[: n * batch_size].reshape(n, batch_size).T
    y = ids[1 : n * batch_size + 1].reshape(n, batch_size).T
    return [(x[:, i : i + length], y[:, i : i + length]) for i in range(0, n, length)]


# %% bptt_windows: the last window dropped | drops_the_short_window
def bptt_windows(ids, batch_size, length):
    n = (len(ids) - 1) // batch_size
    if n < 1:
        raise ValueError("too few")
    x = ids[: n * batch_size].reshape(batch_size, n)
    y = ids[1 : n * batch_size + 1].reshape(batch_size, n)
    windows = []
    for i in range(0, n, length):
        if i + length <= n:
            windows.append((x[:, i : i + length], y[:, i : i + length]))
    return windows


# %% gradient_norms: in the order of the text | order_of_the_text
def gradient_norms(cell, X, state):
    X = X.detach().clone().requires_grad_()
    H, _ = unroll(cell, X, state)
    H[:, -1].sum().backward()
    return X.grad.norm(dim=(0, 2))


# %% gradient_norms: all states summed | all_states
def gradient_norms(cell, X, state):
    X = X.detach().clone().requires_grad_()
    H, _ = unroll(cell, X, state)
    H.sum().backward()
    return X.grad.norm(dim=(0, 2)).flip(0)


# %% GRUCell: the update gate as in Cho et al. | update_gate_writes
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, 3 * hidden)
        self.U = nn.Linear(hidden, 3 * hidden)

    def forward(self, x, h):
        a, b = self.W(x).chunk(3, -1), self.U(h).chunk(3, -1)
        r = torch.sigmoid(a[0] + b[0])
        z = torch.sigmoid(a[1] + b[1])
        n = torch.tanh(a[2] + r * b[2])
        return z * n + (1 - z) * h


# %% GRUCell: no reset gate | no_reset
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, 3 * hidden)
        self.U = nn.Linear(hidden, 3 * hidden)

    def forward(self, x, h):
        r, z, n = (self.W(x) + self.U(h)).chunk(3, -1)
        z = torch.sigmoid(z)
        return (1 - z) * torch.tanh(n) + z * h


# %% LSTMCell: returns c first | state_reversed
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.W = nn.Linear(dim, 4 * hidden)
        self.U = nn.Linear(hidden, 4 * hidden)
        self.forget_bias = forget_bias

    def forward(self, x, state):
        h, c = state
        i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return c, h


# %% LSTMCell: the memory is shown as it is | no_tanh_of_the_memory
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.W = nn.Linear(dim, 4 * hidden)
        self.U = nn.Linear(hidden, 4 * hidden)
        self.forget_bias = forget_bias

    def forward(self, x, state):
        h, c = state
        i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        c = (f + self.forget_bias).sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c, c


# %% sampling_probabilities: times the temperature | multiplies_by_temperature
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError("options")
    if temperature == 0:
        return nn.functional.one_hot(logits.argmax(), len(logits)).float()
    p, order = torch.softmax(logits * temperature, dim=-1).sort(descending=True)
    p[len(p) if top_k is None else top_k :] = 0
    p = p / p.sum()
    p = p * (p.cumsum(0) - p < top_p)
    result = torch.zeros_like(p)
    result[order] = p / p.sum()
    return result


# %% sampling_probabilities: probabilities left sorted | keeps_the_order_of_sorting
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError("options")
    if temperature == 0:
        return nn.functional.one_hot(logits.argmax(), len(logits)).float()
    p = torch.softmax(logits / temperature, dim=-1).sort(descending=True).values
    p[len(p) if top_k is None else top_k :] = 0
    p = p / p.sum()
    p = p * (p.cumsum(0) - p < top_p)
    return p / p.sum()
