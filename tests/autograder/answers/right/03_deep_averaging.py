# %% bag_times_matrix: einsum
def bag_times_matrix(R, x):
    return torch.einsum("kv,...v->...k", R, x.to(R.dtype))


# %% bag_times_matrix: two branches
def bag_times_matrix(R, x):
    x = x.type(R.dtype)
    if x.dim() == 1:
        return R @ x
    return (R @ x.T).T


# %% bag_times_matrix: linear
def bag_times_matrix(R, x):
    return nn.functional.linear(x.to(R.dtype), R)


# %% embedding_bag: embedding
def embedding_bag(R, ids):
    return nn.functional.embedding(ids, R.T).sum(dim=0)


# %% embedding_bag: a loop
def embedding_bag(R, ids):
    total = torch.zeros(R.shape[0], dtype=R.dtype)
    for i in ids.tolist():
        total += R[:, i]
    return total


# %% embedding_bag: index_select
def embedding_bag(R, ids):
    return torch.index_select(R, 1, ids).sum(-1)


# %% sum_pool: multiplies
def sum_pool(X, mask):
    return (X * mask.unsqueeze(-1)).sum(dim=1)


# %% sum_pool: text by text
def sum_pool(X, mask):
    return torch.stack([x[m].sum(dim=0) for x, m in zip(X, mask)])


# %% sum_pool: where
def sum_pool(X, mask):
    return torch.where(mask[:, :, None], X, torch.zeros_like(X)).sum(1)


# %% sum_pool: einsum
def sum_pool(X, mask):
    return torch.einsum("blk,bl->bk", X, mask.to(X.dtype))


# %% mean_pool: in float32
def mean_pool(X, mask):
    m = mask[..., None].float()
    n = m.sum(dim=1).clamp(min=1)
    return ((X.float() * m).sum(dim=1) / n).to(X.dtype)


# %% mean_pool: text by text
def mean_pool(X, mask):
    means = []
    for x, m in zip(X, mask):
        words = x[m]
        means.append((words.float().mean(dim=0) if len(words) else x.sum(dim=0) * 0).to(X.dtype))
    return torch.stack(means)


# %% mean_pool: divides first
def mean_pool(X, mask):
    n = mask.sum(dim=1).clamp(min=1)[:, None, None]
    return torch.where(mask[:, :, None], X / n.to(X.dtype), torch.zeros_like(X)).sum(dim=1)


# %% max_pool: where
def max_pool(X, mask):
    filled = torch.where(mask[..., None], X, torch.full_like(X, -torch.inf))
    highest = filled.max(dim=1).values
    return torch.where(mask.any(dim=1)[:, None], highest, torch.zeros_like(highest))


# %% max_pool: text by text
def max_pool(X, mask):
    rows = []
    for x, m in zip(X, mask):
        rows.append(x[m].amax(dim=0) if m.any() else torch.zeros_like(x[0]))
    return torch.stack(rows)


# %% max_pool: the lowest finite number
def max_pool(X, mask):
    h = X.masked_fill(~mask.unsqueeze(2), torch.finfo(X.dtype).min).amax(1)
    h = h.clone()
    h[~mask.any(1)] = 0
    return h


# %% CBOWClassifier: or
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.W_o = nn.Linear(dim, 1)
        self.R = nn.Embedding(n_words, dim)
        self.pool = pool or mean_pool

    def forward(self, ids, mask):
        X = self.R(ids)
        known = mask & (ids != 1)
        scores = self.W_o(self.pool(X, known))
        return scores[:, 0]


# %% CBOWClassifier: decides in forward
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.W_o = nn.Linear(in_features=dim, out_features=1)
        self.pooling = pool

    def forward(self, ids, mask):
        pool = mean_pool if self.pooling is None else self.pooling
        mask = torch.logical_and(mask, ids != Vocabulary.unknown)
        return self.W_o(pool(self.R(ids), mask)).flatten()


# %% CBOWClassifier: the product by hand
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.W_o = nn.Linear(dim, 1)
        if pool is None:
            pool = mean_pool
        self.pool_function = pool

    def forward(self, ids, mask):
        d = self.pool_function(self.R.weight[ids], mask & ~(ids == 1))
        return d @ self.W_o.weight[0] + self.W_o.bias


# %% word_dropout: text by text
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask
    numbers = torch.rand(mask.shape, generator=generator)
    rows = []
    for row, number in zip(mask, numbers):
        kept = row & (number >= rate)
        rows.append(kept if kept.any() else row)
    return torch.stack(rows)


# %% word_dropout: on a copy
def word_dropout(mask, rate, training, generator=None):
    if training is False:
        return mask.clone()
    result = mask.clone()
    result[torch.rand(mask.shape, generator=generator) < rate] = False
    lost = result.sum(dim=1) == 0
    result[lost] = mask[lost]
    return result


# %% DeepAveragingNetwork: a growing list of layers
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.layers = nn.ModuleList()
        size = dim
        for _ in range(n_layers):
            self.layers.append(nn.Linear(size, hidden))
            size = hidden
        self.W_o = nn.Linear(size, 1)
        self.rate = rate

    def forward(self, ids, mask):
        mask = mask & (ids != 1)
        if self.training:
            mask = word_dropout(mask, self.rate, True)
        z = mean_pool(self.R(ids), mask)
        for layer in self.layers:
            z = nn.functional.relu(layer(z))
        return self.W_o(z).squeeze(1)


# %% DeepAveragingNetwork: a helper method
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.dropout_rate = rate
        sizes = [dim, *[hidden] * n_layers]
        self.R = nn.Embedding(n_words, dim)
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes[:-1], sizes[1:])])
        self.W_o = nn.Linear(sizes[-1], 1)

    def average(self, ids, mask):
        known = word_dropout(mask & (ids > 1), self.dropout_rate, self.training)
        return mean_pool(self.R(ids), known)

    def forward(self, ids, mask):
        z = self.average(ids, mask)
        for layer in self.layers:
            z = layer(z).clamp(min=0)
        return self.W_o(z)[:, 0]


# %% character_trigrams: zip
def character_trigrams(word):
    marked = f"<{word}>"
    return ["".join(three) for three in zip(marked, marked[1:], marked[2:])]


# %% character_trigrams: a while loop
def character_trigrams(word):
    rest = "<" + word + ">"
    found = []
    while len(rest) >= 3:
        found.append(rest[:3])
        rest = rest[1:]
    return found


# %% trigram_average: a loop
def trigram_average(trigrams, index, T):
    total, n = torch.zeros(T.shape[1], dtype=torch.float32), 0
    for trigram in trigrams:
        if trigram in index:
            total += T[index[trigram]].float()
            n += 1
    return (total / max(n, 1)).to(T.dtype)


# %% trigram_average: mean of the rows
def trigram_average(trigrams, index, T):
    rows = [index[t] for t in trigrams if index.get(t) is not None]
    return T[rows].mean(0) if rows else torch.zeros(T.size(1), dtype=T.dtype)


# %% initial_embeddings: a list of rows
def initial_embeddings(words, index, matrix, random):
    rows = [torch.zeros_like(random[0])]
    for i, word in enumerate(words[1:], start=1):
        rows.append(matrix[index[word]].to(random.dtype) if word in index else random[i])
    return torch.stack(rows)


# %% initial_embeddings: all known rows at once
def initial_embeddings(words, index, matrix, random):
    result = random.clone()
    known = [i for i, word in enumerate(words) if word in index]
    result[known] = matrix[[index[words[i]] for i in known]].to(result.dtype)
    result[0] = 0
    return result
