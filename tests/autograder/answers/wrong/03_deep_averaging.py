# %% bag_times_matrix: only works for one text
def bag_times_matrix(R, x):
    return R @ x.to(R.dtype)


# %% bag_times_matrix: float32 whatever R is
def bag_times_matrix(R, x):
    return x.float() @ R.float().T


# %% embedding_bag: rows in place of columns
def embedding_bag(R, ids):
    return R[ids].sum(dim=0)


# %% embedding_bag: every word once
def embedding_bag(R, ids):
    return R[:, ids.unique()].sum(dim=1)


# %% sum_pool: ignores the mask
def sum_pool(X, mask):
    return X.sum(dim=1)


# %% sum_pool: the first n places
def sum_pool(X, mask):
    lengths = mask.sum(dim=1)
    return torch.stack([x[:n].sum(dim=0) for x, n in zip(X, lengths)])


# %% mean_pool: divides by zero, then repairs
def mean_pool(X, mask):
    total = (X * mask[:, :, None]).sum(dim=1)
    mean = total / mask.sum(dim=1, keepdim=True)
    return torch.nan_to_num(mean)


# %% mean_pool: divides by the length with padding
def mean_pool(X, mask):
    return (X * mask.unsqueeze(-1)).mean(dim=1)


# %% max_pool: zeros at padding
def max_pool(X, mask):
    return (X * mask[:, :, None]).max(dim=1).values


# %% max_pool: minus infinity for a text without words
def max_pool(X, mask):
    return X.masked_fill(~mask[:, :, None], float("-inf")).max(dim=1).values


# %% CBOWClassifier: unknown words count
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.W_o = nn.Linear(dim, 1)
        self.pool = pool or mean_pool

    def forward(self, ids, mask):
        return self.W_o(self.pool(self.R(ids), mask)).squeeze(-1)


# %% CBOWClassifier: applies the sigmoid
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.W_o = nn.Linear(dim, 1)
        self.pool = mean_pool if pool is None else pool

    def forward(self, ids, mask):
        d = self.pool(self.R(ids), mask & (ids != 1))
        return torch.sigmoid(self.W_o(d)).squeeze(-1)


# %% word_dropout: a text can lose all its words
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask
    keep = torch.rand(mask.shape, generator=generator) >= rate
    return mask & keep


# %% word_dropout: also drops when judged
def word_dropout(mask, rate, training, generator=None):
    dropped = mask & (torch.rand(mask.shape, generator=generator) >= rate)
    empty = dropped.sum(dim=1) == 0
    dropped[empty] = mask[empty]
    return dropped


# %% DeepAveragingNetwork: an ordinary list of layers
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


# %% DeepAveragingNetwork: relu on the score
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


# %% character_trigrams: forgets the marks
def character_trigrams(word):
    return [word[i : i + 3] for i in range(len(word) - 2)]


# %% character_trigrams: one trigram too few
def character_trigrams(word):
    marked = "<" + word + ">"
    trigrams = []
    for i in range(len(marked) - 3):
        trigrams.append(marked[i : i + 3])
    return trigrams


# %% trigram_average: divides by all trigrams
def trigram_average(trigrams, index, T):
    total = torch.zeros(T.shape[1], dtype=T.dtype)
    for trigram in trigrams:
        if trigram in index:
            total += T[index[trigram]]
    return total / max(1, len(trigrams))


# %% trigram_average: NaN if none is known
def trigram_average(trigrams, index, T):
    rows = [index[t] for t in trigrams if t in index]
    return T[rows].mean(dim=0)


# %% initial_embeddings: row of the vocabulary in place of the row of the vectors
def initial_embeddings(words, index, matrix, random):
    result = random.clone()
    for i, word in enumerate(words):
        if word in index:
            result[i] = matrix[i]
    result[0] = 0
    return result


# %% initial_embeddings: writes into random
def initial_embeddings(words, index, matrix, random):
    for i, word in enumerate(words):
        if word in index:
            random[i] = matrix[index[word]]
    random[0] = 0
    return random


# %% Trainer: the gradients of all batches add up
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model, self.max_norm = model, max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        self.model.train()
        total = n = 0
        for batch in batches:
            loss = self.loss(*batch)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item() * len(batch[2])
            n += len(batch[2])
        return total / n

    def evaluate(self, batches):
        self.model.eval()
        with torch.no_grad():
            total = sum(self.loss(*batch).item() * len(batch[2]) for batch in batches)
        return total / sum(len(labels) for _, _, labels in batches)

    def fit(self, train, validation, epochs, patience):
        train_losses, validation_losses, bad = [], [], 0
        for _ in range(epochs):
            train_losses.append(self.train_epoch(train))
            validation_losses.append(self.evaluate(validation))
            if validation_losses[-1] == min(validation_losses):
                best = {k: v.clone() for k, v in self.model.state_dict().items()}
                bad = 0
            else:
                bad += 1
                if bad == patience:
                    break
        self.model.load_state_dict(best)
        return train_losses, validation_losses


# %% Trainer: keeps no copy of the weights
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model, self.max_norm = model, max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        self.model.train()
        total = n = 0
        for batch in batches:
            self.optimizer.zero_grad()
            loss = self.loss(*batch)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item() * len(batch[2])
            n += len(batch[2])
        return total / n

    def evaluate(self, batches):
        self.model.eval()
        with torch.no_grad():
            total = sum(self.loss(*batch).item() * len(batch[2]) for batch in batches)
        return total / sum(len(labels) for _, _, labels in batches)

    def fit(self, train, validation, epochs, patience):
        train_losses, validation_losses, bad = [], [], 0
        for _ in range(epochs):
            train_losses.append(self.train_epoch(train))
            validation_losses.append(self.evaluate(validation))
            if validation_losses[-1] < min([*validation_losses[:-1], 1e9]):
                best = self.model.state_dict()
                bad = 0
            else:
                bad += 1
                if bad == patience:
                    break
        self.model.load_state_dict(best)
        return train_losses, validation_losses
