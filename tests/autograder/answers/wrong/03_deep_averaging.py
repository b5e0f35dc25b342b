# %% bag_times_matrix: only works for one text | matrix_on_the_left
def bag_times_matrix(R, x):
    return R @ x.to(R.dtype)


# %% bag_times_matrix: float32 whatever R is | always_float32
def bag_times_matrix(R, x):
    return x.float() @ R.float().T


# %% embedding_bag: rows in place of columns | looks_up_rows
def embedding_bag(R, ids):
    return R[ids].sum(dim=0)


# %% embedding_bag: every word once | each_word_once
def embedding_bag(R, ids):
    return R[:, ids.unique()].sum(dim=1)


# %% sum_pool: ignores the mask | adds_padding
def sum_pool(X, mask):
    return X.sum(dim=1)


# %% sum_pool: the first n places | adds_the_first_vectors
def sum_pool(X, mask):
    lengths = mask.sum(dim=1)
    return torch.stack([x[:n].sum(dim=0) for x, n in zip(X, lengths)])


# %% mean_pool: divides by zero, then repairs | overflows_and_repairs
def mean_pool(X, mask):
    total = (X * mask[:, :, None]).sum(dim=1)
    mean = total / mask.sum(dim=1, keepdim=True)
    return torch.nan_to_num(mean)


# %% mean_pool: divides by the length with padding | divides_by_the_longest
def mean_pool(X, mask):
    return (X * mask.unsqueeze(-1)).mean(dim=1)


# %% max_pool: zeros at padding | zero_wins
def max_pool(X, mask):
    return (X * mask[:, :, None]).max(dim=1).values


# %% max_pool: minus infinity for a text without words | maximum_of_nothing
def max_pool(X, mask):
    return X.masked_fill(~mask[:, :, None], float("-inf")).max(dim=1).values


# %% CBOWClassifier: unknown words count | includes_unknown_words
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.W_o = nn.Linear(dim, 1)
        self.pool = pool or mean_pool

    def forward(self, ids, mask):
        return self.W_o(self.pool(self.R(ids), mask)).squeeze(-1)


# %% CBOWClassifier: applies the sigmoid | returns_probabilities
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.W_o = nn.Linear(dim, 1)
        self.pool = mean_pool if pool is None else pool

    def forward(self, ids, mask):
        d = self.pool(self.R(ids), mask & (ids != 1))
        return torch.sigmoid(self.W_o(d)).squeeze(-1)


# %% word_dropout: a text can lose all its words | loses_whole_texts
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask
    keep = torch.rand(mask.shape, generator=generator) >= rate
    return mask & keep


# %% word_dropout: also drops when judged | drops_in_evaluation
def word_dropout(mask, rate, training, generator=None):
    dropped = mask & (torch.rand(mask.shape, generator=generator) >= rate)
    empty = dropped.sum(dim=1) == 0
    dropped[empty] = mask[empty]
    return dropped


# %% DeepAveragingNetwork: an ordinary list of layers | plain_list
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.layers = []
        size = dim
        for _ in range(n_layers):
            self.layers.append(nn.Linear(size, hidden))
            size = hidden
        self.W_o = nn.Linear(size, 1)
        self.rate = rate

    def forward(self, ids, mask):
        mask = word_dropout(mask & (ids != 1), self.rate, self.training)
        z = mean_pool(self.R(ids), mask)
        for layer in self.layers:
            z = torch.relu(layer(z))
        return self.W_o(z).squeeze(-1)


# %% DeepAveragingNetwork: relu on the score | relu_on_score
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        sizes = [dim] + [hidden] * n_layers
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.W_o = nn.Linear(sizes[-1], 1)
        self.rate = rate

    def forward(self, ids, mask):
        mask = mask & (ids > 1)
        if self.training:
            mask = word_dropout(mask, self.rate, True)
        z = mean_pool(self.R(ids), mask)
        for layer in self.layers:
            z = layer(z).relu()
        return self.W_o(z).relu()[:, 0]


# %% character_trigrams: forgets the marks | forgets_the_marks
def character_trigrams(word):
    return [word[i : i + 3] for i in range(len(word) - 2)]


# %% character_trigrams: one trigram too few | misses_the_last
def character_trigrams(word):
    marked = "<" + word + ">"
    trigrams = []
    for i in range(len(marked) - 3):
        trigrams.append(marked[i : i + 3])
    return trigrams


# %% trigram_average: divides by all trigrams | counts_the_unknown
def trigram_average(trigrams, index, T):
    total = torch.zeros(T.shape[1], dtype=T.dtype)
    for trigram in trigrams:
        if trigram in index:
            total += T[index[trigram]]
    return total / max(1, len(trigrams))


# %% trigram_average: NaN if none is known | averages_nothing
def trigram_average(trigrams, index, T):
    rows = [index[t] for t in trigrams if t in index]
    return T[rows].mean(dim=0)


# %% initial_embeddings: row of the vocabulary in place of the row of the vectors | takes_row_i
def initial_embeddings(words, index, matrix, random):
    result = random.clone()
    for i, word in enumerate(words):
        if word in index:
            result[i] = matrix[i]
    result[0] = 0
    return result


# %% initial_embeddings: writes into random | changes_random
def initial_embeddings(words, index, matrix, random):
    for i, word in enumerate(words):
        if word in index:
            random[i] = matrix[index[word]]
    random[0] = 0
    return random
