# %% count_ngrams: a Counter of n-grams from shifted lists, then regrouped
def count_ngrams(sentences, n):
    grams = Counter()
    for sentence in sentences:
        padded = (START,) * (n - 1) + tuple(sentence) + (STOP,)
        grams.update(zip(*(padded[shift:] for shift in range(n))))
    result = {}
    for (*context, word), count in grams.items():
        result.setdefault(tuple(context), Counter()).update({word: count})
    return result


# %% add_k_probability: a mixture of the share and of the uniform distribution
def add_k_probability(counts, word, context, n_words, k=0.0):
    following = counts.get(context) or {}
    total = sum(following.values())
    if total == 0:
        return 1 / n_words if k > 0 else 0.0
    trust = total / (total + k * n_words)
    return trust * following.get(word, 0) / total + (1 - trust) / n_words


# %% perplexity: all probabilities in one numpy array, without sentence_log_probability
def perplexity(sentences, probability, n):
    import numpy as np

    found = []
    for sentence in sentences:
        padded = [START] * (n - 1) + list(sentence) + [STOP]
        for end in range(n - 1, len(padded)):
            found.append(probability(padded[end], tuple(padded[end - n + 1 : end])))
    with np.errstate(divide="ignore"):
        return float(np.exp(-np.log(np.array(found)).mean()))


# %% interpolated_probability: a running weighted mean, from the longest context down
def interpolated_probability(tables, weights, word, context):
    from fractions import Fraction

    mean, weight_so_far = 0.0, 0.0
    rest = tuple(context)
    for table, weight in zip(reversed(tables), reversed(weights)):
        if rest in table:
            following = table[rest]
            share = Fraction(following.get(word, 0), sum(following.values()))
            weight_so_far += weight
            mean += (float(share) - mean) * weight / weight_so_far
        rest = rest[1:]
    return mean


# %% KneserNey: sets of the words in front, counted in the text itself; recursion
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.floor, self.discount = 1 / n_words, discount
        before, plain = {}, Counter()
        for sentence in sentences:
            padded = (START,) * (n - 1) + tuple(sentence) + (STOP,)
            for end in range(n - 1, len(padded)):
                plain[padded[end - n + 1 : end + 1]] += 1
                for m in range(1, n):
                    gram = padded[end - m + 1 : end + 1]
                    before.setdefault(gram, set()).add(padded[end - m])
        self.count = {gram: len(words) for gram, words in before.items()}
        self.count.update(plain)
        self.total, self.kinds = Counter(), Counter()
        for gram, c in self.count.items():
            self.total[gram[:-1]] += c
            self.kinds[gram[:-1]] += 1

    def probability(self, word, context):
        lower = self.probability(word, context[1:]) if context else self.floor
        total = self.total.get(context, 0)
        if not total:
            return lower
        kept = max(self.count.get((*context, word), 0) - self.discount, 0.0)
        return (kept + self.discount * self.kinds[context] * lower) / total


# %% ElmanCell: one product with both matrices side by side
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.U = nn.Linear(hidden, hidden, bias=False)
        self.W = nn.Linear(dim, hidden)

    def forward(self, x, h):
        both = torch.cat([self.W.weight, self.U.weight], dim=1)
        return torch.addmm(self.W.bias, torch.cat([x, h], dim=1), both.t()).tanh()


# %% RecurrentLanguageModel: einsum, modules made in another order, a list of kinds
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.register_parameter("bias", nn.Parameter(torch.zeros(n_words)))
        self.dropout = nn.Dropout(p=dropout)
        self.projection = nn.Linear(hidden, dim)
        kinds = [nn.RNN, nn.GRU, nn.LSTM]
        self.rnn = kinds[["RNN", "GRU", "LSTM"].index(kind)](
            input_size=dim, hidden_size=hidden, num_layers=1, batch_first=True
        )
        self.embedding = nn.Embedding(n_words, dim)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids, state=None):
        X = self.embedding.weight[ids]
        H, last = self.rnn(self.dropout(X), state)
        Z = self.dropout(self.projection(H))
        return torch.einsum("bld,vd->blv", Z, self.embedding.weight).add(self.bias), last


# %% LanguageModelTrainer: detaches right after the step, running mean, one loop for both
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def _run(self, windows, learn):
        mean, seen, state = 0.0, 0, None
        self.model.train(learn)
        with torch.set_grad_enabled(learn):
            for x, y in windows:
                loss, state = self.loss(x, y, state)
                state = detach(state)
                if learn:
                    self.model.zero_grad()
                    loss.backward()
                    nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
                    self.optimizer.step()
                seen += y.numel()
                mean += (loss.item() - mean) * y.numel() / seen
        return mean

    def train_epoch(self, windows):
        return self._run(windows, True)

    def evaluate(self, windows):
        return self._run(windows, False)


# %% gradient_norms: a leaf for each position, autograd.grad
def gradient_norms(cell, X, state):
    words = [X[:, t].detach().clone().requires_grad_() for t in range(X.shape[1])]
    _, last = unroll(cell, torch.stack(words, dim=1), state)
    h = last[0] if isinstance(last, tuple) else last
    gradients = torch.autograd.grad(h.sum(), words[::-1])
    return torch.tensor([g.square().sum().sqrt().item() for g in gradients])


# %% GRUCell: slices of the weights, lerp
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.hidden = hidden
        self.W = nn.Linear(dim, 3 * hidden)
        self.U = nn.Linear(hidden, 3 * hidden)

    def part(self, layer, v, k):
        rows = slice(k * self.hidden, (k + 1) * self.hidden)
        return nn.functional.linear(v, layer.weight[rows], layer.bias[rows])

    def forward(self, x, h):
        r, z = (torch.sigmoid(self.part(self.W, x, k) + self.part(self.U, h, k)) for k in (0, 1))
        n = torch.tanh(torch.addcmul(self.part(self.W, x, 2), r, self.part(self.U, h, 2)))
        return torch.lerp(n, h, z)


# %% LSTMCell: the constant in a vector for all four, tanh from a sigmoid
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.U = nn.Linear(hidden, 4 * hidden)
        self.W = nn.Linear(dim, 4 * hidden)
        self.forget_bias = forget_bias

    def forward(self, x, state):
        h, c = state
        scores = (self.W(x) + self.U(h)).unflatten(-1, (4, -1))
        constant = scores.new_tensor([0.0, self.forget_bias, 0.0, 0.0]).unsqueeze(-1)
        scores = scores + constant
        i, f, o = scores[..., [0, 1, 3], :].sigmoid().unbind(dim=-2)
        g = 2 * torch.sigmoid(2 * scores[..., 2, :]) - 1
        new = torch.addcmul(f * c, i, g)
        return new.tanh().mul(o), new


# %% sampling_probabilities: plain Python over a sorted list
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or not 0 < top_p <= 1 or (top_k is not None and top_k < 1):
        raise ValueError("temperature 0 or more, k 1 or more, p in (0, 1]")
    scores = logits.double().tolist()
    best = max(scores)
    if temperature == 0:
        weights = [0.0] * len(scores)
        weights[scores.index(best)] = 1.0
    else:
        weights = [math.exp((s - best) / temperature) for s in scores]
    order = sorted(range(len(scores)), key=lambda i: -weights[i])[:top_k]
    mass, kept = sum(weights[i] for i in order), {}
    for i in order:
        kept[i] = weights[i]
        if top_p < 1 and sum(kept.values()) >= top_p * mass:
            break
    total = sum(kept.values())
    return torch.tensor([kept.get(i, 0.0) / total for i in range(len(scores))], dtype=logits.dtype)
