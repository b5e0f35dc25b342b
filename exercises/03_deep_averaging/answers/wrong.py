# %% bag_times_matrix: float32 whatever R is | always_float32
def bag_times_matrix(R, x):
    return x.float() @ R.float().T


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


# %% mean_pool: fills padding with 0, divides by 0 | fills_and_divides_by_zero
def mean_pool(X, mask):
    n = mask.sum(dim=1, keepdim=True)
    return X.masked_fill(~mask.unsqueeze(-1), 0).sum(dim=1) / n


# %% mean_pool: product with a float mask, divides by 0
def mean_pool(X, mask):
    m = mask.unsqueeze(-1).float()
    return (X * m).sum(dim=1) / m.sum(dim=1)


# %% mean_pool: fills, divides by a count plus a little | divides_by_a_little_more
def mean_pool(X, mask):
    n = mask.sum(dim=1, keepdim=True) + 1e-8
    return X.masked_fill(~mask.unsqueeze(-1), 0).sum(dim=1) / n


# %% mean_pool: sums the components | averages_the_components
def mean_pool(X, mask):
    n = mask.sum(dim=1, keepdim=True).clamp(min=1)
    return (X * mask.unsqueeze(-1)).sum(dim=2) / n


# %% mean_pool: selects each text's words | fills_and_divides_by_zero
def mean_pool(X, mask):
    return torch.stack([x[m].mean(dim=0) for x, m in zip(X, mask)])


# %% max_pool: zeros at padding | zero_wins
def max_pool(X, mask):
    return (X * mask[:, :, None]).max(dim=1).values


# %% max_pool: minus infinity for a text without words | maximum_of_nothing
def max_pool(X, mask):
    return X.masked_fill(~mask[:, :, None], float("-inf")).max(dim=1).values


# %% max_pool: over the components | maximum_of_components
def max_pool(X, mask):
    h = X.masked_fill(~mask.unsqueeze(-1), float("-inf")).max(dim=2).values
    return h.masked_fill(~mask.any(dim=1, keepdim=True), 0)


# %% max_pool: no unsqueeze in a product | mask_without_axis
def max_pool(X, mask):
    return (X * mask).amax(dim=1)


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
# -         known = mask & (ids != Vocabulary.unknown)
# -         h = self.pool(self.R(ids), known)  # (B, d)
# -         return self.W_o(h).squeeze(-1)
# +         h = self.pool(self.R(ids), mask & (ids != 1))
# +         return torch.sigmoid(self.W_o(h)).squeeze(-1)


# %% Trainer: means of batches in training only | averages_training_batches
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        self.model.train()
        total, count = 0.0, 0
        for ids, mask, labels in batches:
            self.optimizer.zero_grad()
            loss = self.loss(ids, mask, labels)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item()
            count += 1
        return total / count

    @torch.no_grad()
    def evaluate(self, batches):
        self.model.eval()
        total, count = 0.0, 0
        for ids, mask, labels in batches:
            total += len(labels) * self.loss(ids, mask, labels).item()
            count += len(labels)
        return total / count

    def fit(self, train, validation, epochs, patience):
        best, bad = float("inf"), 0
        history = [], []
        for _ in range(epochs):
            history[0].append(self.train_epoch(train))
            history[1].append(self.evaluate(validation))
            if history[1][-1] < best:
                best, bad = history[1][-1], 0
                weights = {k: v.clone() for k, v in self.model.state_dict().items()}
            else:
                bad += 1
                if bad == patience:
                    break
        self.model.load_state_dict(weights)
        return history


# %% Trainer: means of batches in evaluation only | averages_validation_batches
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        self.model.train()
        total, count = 0.0, 0
        for ids, mask, labels in batches:
            self.optimizer.zero_grad()
            loss = self.loss(ids, mask, labels)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += len(labels) * loss.item()
            count += len(labels)
        return total / count

    @torch.no_grad()
    def evaluate(self, batches):
        self.model.eval()
        total, count = 0.0, 0
        for ids, mask, labels in batches:
            total += self.loss(ids, mask, labels).item()
            count += 1
        return total / count

    def fit(self, train, validation, epochs, patience):
        best, bad = float("inf"), 0
        history = [], []
        for _ in range(epochs):
            history[0].append(self.train_epoch(train))
            history[1].append(self.evaluate(validation))
            if history[1][-1] < best:
                best, bad = history[1][-1], 0
                weights = {k: v.clone() for k, v in self.model.state_dict().items()}
            else:
                bad += 1
                if bad == patience:
                    break
        self.model.load_state_dict(weights)
        return history


# %% Trainer: divides by the number of batches | divides_by_batches
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        self.model.train()
        total = 0.0
        for ids, mask, labels in batches:
            self.optimizer.zero_grad()
            loss = self.loss(ids, mask, labels)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += len(labels) * loss.item()
        return total / len(batches)

    @torch.no_grad()
    def evaluate(self, batches):
        self.model.eval()
        total = 0.0
        for ids, mask, labels in batches:
            total += len(labels) * self.loss(ids, mask, labels).item()
        return total / len(batches)

    def fit(self, train, validation, epochs, patience):
        best, bad = float("inf"), 0
        history = [], []
        for _ in range(epochs):
            history[0].append(self.train_epoch(train))
            history[1].append(self.evaluate(validation))
            if history[1][-1] < best:
                best, bad = history[1][-1], 0
                weights = {k: v.clone() for k, v in self.model.state_dict().items()}
            else:
                bad += 1
                if bad == patience:
                    break
        self.model.load_state_dict(weights)
        return history


# %% Trainer: erases gradients before the loop | erases_once_per_epoch
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        self.model.train()
        self.optimizer.zero_grad()
        total, count = 0.0, 0
        for ids, mask, labels in batches:
            loss = self.loss(ids, mask, labels)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += len(labels) * loss.item()
            count += len(labels)
        return total / count

    @torch.no_grad()
    def evaluate(self, batches):
        self.model.eval()
        total, count = 0.0, 0
        for ids, mask, labels in batches:
            total += len(labels) * self.loss(ids, mask, labels).item()
            count += len(labels)
        return total / count

    def fit(self, train, validation, epochs, patience):
        best, bad = float("inf"), 0
        history = [], []
        for _ in range(epochs):
            history[0].append(self.train_epoch(train))
            history[1].append(self.evaluate(validation))
            if history[1][-1] < best:
                best, bad = history[1][-1], 0
                weights = {k: v.clone() for k, v in self.model.state_dict().items()}
            else:
                bad += 1
                if bad == patience:
                    break
        self.model.load_state_dict(weights)
        return history


# %% Trainer: best weights only after an early stop | loads_only_after_a_stop
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        self.model.train()
        total, count = 0.0, 0
        for ids, mask, labels in batches:
            self.optimizer.zero_grad()
            loss = self.loss(ids, mask, labels)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += len(labels) * loss.item()
            count += len(labels)
        return total / count

    @torch.no_grad()
    def evaluate(self, batches):
        self.model.eval()
        total, count = 0.0, 0
        for ids, mask, labels in batches:
            total += len(labels) * self.loss(ids, mask, labels).item()
            count += len(labels)
        return total / count

    def fit(self, train, validation, epochs, patience):
        best, bad = float("inf"), 0
        history = [], []
        for _ in range(epochs):
            history[0].append(self.train_epoch(train))
            history[1].append(self.evaluate(validation))
            if history[1][-1] < best:
                best, bad = history[1][-1], 0
                weights = {k: v.clone() for k, v in self.model.state_dict().items()}
            else:
                bad += 1
                if bad == patience:
                    self.model.load_state_dict(weights)
                    break
        return history


# %% Trainer: an equal loss counts as better | counts_a_tie_as_better
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        self.model.train()
        total, count = 0.0, 0
        for ids, mask, labels in batches:
            self.optimizer.zero_grad()
            loss = self.loss(ids, mask, labels)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += len(labels) * loss.item()
            count += len(labels)
        return total / count

    @torch.no_grad()
    def evaluate(self, batches):
        self.model.eval()
        total, count = 0.0, 0
        for ids, mask, labels in batches:
            total += len(labels) * self.loss(ids, mask, labels).item()
            count += len(labels)
        return total / count

    def fit(self, train, validation, epochs, patience):
        best, bad = float("inf"), 0
        history = [], []
        for _ in range(epochs):
            history[0].append(self.train_epoch(train))
            history[1].append(self.evaluate(validation))
            if history[1][-1] <= best:
                best, bad = history[1][-1], 0
                weights = {k: v.clone() for k, v in self.model.state_dict().items()}
            else:
                bad += 1
                if bad == patience:
                    break
        self.model.load_state_dict(weights)
        return history


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


# %% word_dropout: an emptied text gets every position | fills_the_whole_row
# -     return torch.where(kept.any(dim=1, keepdim=True), kept, mask)
# +     kept[~kept.any(dim=1)] = True
# +     return kept


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


# %% DeepAveragingNetwork: W_o always from hidden | output_from_hidden
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        sizes = [dim] + [hidden] * n_layers
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.W_o = nn.Linear(hidden, 1)
        self.rate = rate

    def forward(self, ids, mask):
        z = mean_pool(self.R(ids), word_dropout(mask & (ids > 1), self.rate, self.training))
        for layer in self.layers:
            z = layer(z).relu()
        return self.W_o(z).squeeze(-1)


# %% DeepAveragingNetwork: every layer from hidden | first_layer_from_hidden
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.layers = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(n_layers))
        self.W_o = nn.Linear(hidden, 1)
        self.rate = rate

    def forward(self, ids, mask):
        z = mean_pool(self.R(ids), word_dropout(mask & (ids > 1), self.rate, self.training))
        for layer in self.layers:
            z = layer(z).relu()
        return self.W_o(z).squeeze(-1)


# %% DeepAveragingNetwork: every layer from dim | every_layer_from_dim
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.layers = nn.ModuleList(nn.Linear(dim, hidden) for _ in range(n_layers))
        self.W_o = nn.Linear(hidden if n_layers else dim, 1)
        self.rate = rate

    def forward(self, ids, mask):
        z = mean_pool(self.R(ids), word_dropout(mask & (ids > 1), self.rate, self.training))
        for layer in self.layers:
            z = layer(z).relu()
        return self.W_o(z).squeeze(-1)


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


# %% character_trigrams: one too many | one_too_many
def character_trigrams(word):
    marked = "<" + word + ">"
    return [marked[i : i + 3] for i in range(len(marked) - 1)]


# %% character_trigrams: length of the bare word | counts_without_the_marks
def character_trigrams(word):
    marked = "<" + word + ">"
    return [marked[i : i + 3] for i in range(len(word) - 2)]


# %% character_trigrams: two marks for the empty word | marks_of_nothing
def character_trigrams(word):
    marked = "<" + word + ">"
    if len(marked) < 3:
        return [marked]
    return [marked[i : i + 3] for i in range(len(marked) - 2)]


# %% character_trigrams: sorted set | sorts_a_set
def character_trigrams(word):
    marked = "<" + word + ">"
    return sorted(set(marked[i : i + 3] for i in range(len(marked) - 2)))


# %% trigram_average: divides by all trigrams | counts_the_unknown
def trigram_average(trigrams, index, T):
    total = torch.zeros(T.shape[1], dtype=T.dtype)
    for trigram in trigrams:
        if trigram in index:
            total += T[index[trigram]]
    return total / max(1, len(trigrams))


# %% trigram_average: a set of trigrams | each_trigram_once
def trigram_average(trigrams, index, T):
    rows = [index[t] for t in set(trigrams) if t in index]
    if not rows:
        return torch.zeros(T.shape[1], dtype=T.dtype)
    return T[rows].mean(dim=0)


# %% trigram_average: mean over the components | averages_the_components
def trigram_average(trigrams, index, T):
    rows = [index[t] for t in trigrams if t in index]
    if not rows:
        return torch.zeros(T.shape[1], dtype=T.dtype)
    return T[rows].mean(dim=1)


# %% trigram_average: the sum | adds_up
def trigram_average(trigrams, index, T):
    rows = [index[t] for t in trigrams if t in index]
    return T[rows].sum(dim=0)


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


# %% initial_embeddings: zeros for unk too | unknown_is_zeros
def initial_embeddings(words, index, matrix, random):
    R = random.clone()
    R[:2] = 0
    for i, word in enumerate(words):
        if i > 1 and word in index:
            R[i] = matrix[index[word]]
    return R


# %% initial_embeddings: a running number into random | counts_the_random_rows
def initial_embeddings(words, index, matrix, random):
    R = torch.zeros_like(random)
    used = 0
    for i, word in enumerate(words):
        if i == 0:
            continue
        if word in index:
            R[i] = matrix[index[word]]
        else:
            R[i] = random[used]
            used += 1
    return R


# %% initial_embeddings: KeyError | looks_up_every_word
def initial_embeddings(words, index, matrix, random):
    R = random.clone()
    R[0] = 0
    for i, word in enumerate(words[1:], start=1):
        R[i] = matrix[index[word]]
    return R


# %% initial_embeddings: rows of the matrix, padding last | zeros_the_next_vector
def initial_embeddings(words, index, matrix, random):
    R = random.clone()
    for word in words:
        if word in index:
            R[index[word]] = matrix[index[word]]
    R[0] = 0
    return R


# %% embedding_bag: the mean, and zeros for no words | averages_all_but_nothing
# edits: list comprehension
# -     return torch.stack([R[:, i] for i in ids.tolist()]).sum(dim=0)
# +     return R[:, ids].mean(dim=1)


# %% mean_pool: adds up in float16 | sum_overflows
def mean_pool(X, mask):
    total = (X * mask[:, :, None]).sum(dim=1)
    return total / mask.sum(dim=1, keepdim=True).clamp(min=1)


# %% CBOWClassifier: squeeze without an axis | squeezes_every_axis
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.W_o = nn.Linear(dim, 1)
        self.pool = pool or mean_pool
    def forward(self, ids, mask):
        known = mask & (ids != 1)
        return self.W_o(self.pool(self.R(ids), known)).squeeze()


# %% Trainer: waits for one epoch more | waits_one_epoch_too_long
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        self.model.train()
        total, n = 0.0, 0
        for ids, mask, labels in batches:
            self.optimizer.zero_grad()
            loss = self.loss(ids, mask, labels)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item() * len(labels)
            n += len(labels)
        return total / n

    def evaluate(self, batches):
        self.model.eval()
        total, n = 0.0, 0
        with torch.no_grad():
            for ids, mask, labels in batches:
                total += self.loss(ids, mask, labels).item() * len(labels)
                n += len(labels)
        return total / n

    def fit(self, train, validation, epochs, patience):
        best, waited = float("inf"), 0
        best_state = None
        history = [], []
        for _ in range(epochs):
            history[0].append(self.train_epoch(train))
            history[1].append(self.evaluate(validation))
            if history[1][-1] < best:
                best, waited = history[1][-1], 0
                best_state = {k: v.clone() for k, v in self.model.state_dict().items()}
            else:
                waited += 1
                if waited > patience:
                    break
        self.model.load_state_dict(best_state)
        return history


# %% Trainer: clips before the backward pass | steps_with_an_unclipped_gradient
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        self.model.train()
        total, n = 0.0, 0
        for ids, mask, labels in batches:
            self.optimizer.zero_grad()
            loss = self.loss(ids, mask, labels)
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            loss.backward()
            self.optimizer.step()
            total += loss.item() * len(labels)
            n += len(labels)
        return total / n

    def evaluate(self, batches):
        self.model.eval()
        total, n = 0.0, 0
        with torch.no_grad():
            for ids, mask, labels in batches:
                total += self.loss(ids, mask, labels).item() * len(labels)
                n += len(labels)
        return total / n

    def fit(self, train, validation, epochs, patience):
        best, waited = float("inf"), 0
        best_state = None
        history = [], []
        for _ in range(epochs):
            history[0].append(self.train_epoch(train))
            history[1].append(self.evaluate(validation))
            if history[1][-1] < best:
                best, waited = history[1][-1], 0
                best_state = {k: v.clone() for k, v in self.model.state_dict().items()}
            else:
                waited += 1
                if waited >= patience:
                    break
        self.model.load_state_dict(best_state)
        return history


# %% word_dropout: keeps the numbers below rate | drops_the_wrong_side
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask
    keep = mask & (torch.rand(mask.shape, generator=generator) < rate)
    empty = ~keep.any(dim=1, keepdim=True)
    return torch.where(empty, mask, keep)


# %% word_dropout: asks the numbers and not the words | asks_the_draw
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask
    keep = torch.rand(mask.shape, generator=generator) >= rate
    empty = ~keep.any(dim=1, keepdim=True)
    return mask & (keep | empty)


# %% DeepAveragingNetwork: no relu | no_activation
# -         self.layers = nn.ModuleList(nn.Linear(sizes[i], hidden) for i in range(n_layers))
# +         self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in zip(sizes, sizes[1:]))
# ...
# -         known = mask & (ids != Vocabulary.unknown)
# -         z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, d)
# +         mask = word_dropout(mask & (ids != 1), self.rate, self.training)
# +         z = mean_pool(self.R(ids), mask)
# ...
# -             z = torch.relu(layer(z))
# +             z = layer(z)


# %% DeepAveragingNetwork: drops before it leaves out unknown words | drops_before_unknown
# -         self.layers = nn.ModuleList(nn.Linear(sizes[i], hidden) for i in range(n_layers))
# +         self.layers = nn.ModuleList(nn.Linear(i, o) for i, o in zip(sizes, sizes[1:]))
# ...
# -         known = mask & (ids != Vocabulary.unknown)
# -         z = mean_pool(self.R(ids), word_dropout(known, self.rate, self.training))  # (B, d)
# +         mask = word_dropout(mask, self.rate, self.training) & (ids != 1)
# +         z = mean_pool(self.R(ids), mask)


# %% character_trigrams: steps of three | cuts_into_pieces
def character_trigrams(word):
    marked = "<" + word + ">"
    return [marked[i : i + 3] for i in range(0, len(marked) - 2, 3)]


# %% initial_embeddings: zeros first, then a vector for the padding | padding_gets_a_vector
def initial_embeddings(words, index, matrix, random):
    R = random.clone()
    R[0] = 0
    for i, word in enumerate(words):
        if word in index:
            R[i] = matrix[index[word]].to(R.dtype)
    return R


# %% embedding_bag: zeros in float32 | zeros_of_another_type
def embedding_bag(R, ids):
    if ids.numel() == 0:
        return torch.zeros(R.shape[0])
    return R[:, ids].sum(1)


# %% sum_pool: keepdim | keeps_the_axis
def sum_pool(X, mask):
    return (X * mask[..., None]).sum(dim=1, keepdim=True)


# %% sum_pool: stops at the first False | stops_at_the_first_gap
def sum_pool(X, mask):
    before_gap = mask.long().cumprod(dim=1).bool()
    return X.masked_fill(~before_gap[:, :, None], 0).sum(dim=1)


# %% mean_pool: the words of the whole batch | divides_by_the_whole_batch
def mean_pool(X, mask):
    return ((X / mask.sum().clamp(min=1)) * mask[..., None]).sum(1).to(X.dtype)


# %% mean_pool: the largest number of words for all | divides_by_the_most_words
def mean_pool(X, mask):
    longest = mask.sum(dim=1).max().clamp(min=1)
    kept = X.float().masked_fill(~mask[:, :, None], 0)
    return (kept / longest).sum(dim=1).to(X.dtype)


# %% max_pool: the smallest positive number at padding | zero_wins
def max_pool(X, mask):
    X = X.masked_fill(~mask[..., None], torch.finfo(X.dtype).tiny)
    return torch.where(mask.any(1, keepdim=True), X.max(1).values, 0)


# %% max_pool: argmax | returns_positions
def max_pool(X, mask):
    X = X.masked_fill(~mask[..., None], float("-inf"))
    return X.argmax(dim=1)


# %% max_pool: the largest absolute value | largest_in_magnitude
def max_pool(X, mask):
    X = X.masked_fill(~mask[..., None], 0)
    i = X.abs().argmax(dim=1, keepdim=True)
    return X.gather(1, i).squeeze(1)


# %% CBOWClassifier: zeros for unknown words | counts_unknown_words
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.W_o = nn.Linear(dim, 1)
        self.pool = pool or mean_pool
    def forward(self, ids, mask):
        X = self.R(ids) * (ids != 1)[..., None]
        return self.W_o(self.pool(X, mask)).squeeze(-1)


# %% word_dropout: one row of numbers | one_draw_for_all_texts
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask
    kept = mask & (torch.rand(mask.shape[1], generator=generator) >= rate)
    return torch.where(kept.any(1, keepdim=True), kept, mask)


# %% character_trigrams: only the first mark | misses_the_last
# -     marked = f"<{word}>"
# +     marked = "<" + word


# %% trigram_average: minus one for the unknown | unknown_is_the_last_row
def trigram_average(trigrams, index, T):
    rows = [T[index.get(t, -1)] for t in trigrams]
    return torch.stack(rows).mean(0) if rows else torch.zeros_like(T[0])


# %% trigram_average: row 0 for unknown ones, if any is known | unknown_is_row_zero_beside_known
def trigram_average(trigrams, index, T):
    if not any(trigram in index for trigram in trigrams):
        return torch.zeros(T.shape[1], dtype=T.dtype)
    rows = [index.get(trigram, 0) for trigram in trigrams]
    return T[rows].mean(dim=0)


# %% trigram_average: divides by the number of different trigrams | divides_by_different_ones
# -     return T[rows].mean(dim=0)
# +     return T[rows].sum(dim=0) / len(set(rows))


# %% character_trigrams: small letters only
def character_trigrams(word):
    word = f"<{word.lower()}>"
    return [word[i : i + 3] for i in range(len(word) - 2)]


# %% character_trigrams: the whole word at the end | adds_the_whole_word
def character_trigrams(word):
    marked = f"<{word}>"
    trigrams = [marked[i : i + 3] for i in range(len(marked) - 2)]
    if len(marked) > 3:
        trigrams.append(marked)
    return trigrams


# %% initial_embeddings: fills zeros | always_float32
def initial_embeddings(words, index, matrix, random):
    R = torch.zeros(len(words), matrix.shape[1])
    for i, word in enumerate(words):
        if i > 0:
            R[i] = matrix[index[word]] if word in index else random[i]
    return R


# %% bag_times_matrix: whole numbers only
def bag_times_matrix(R, x):
    return x.long().to(R.dtype) @ R.T


# %% DeepAveragingNetwork: repeatable dropout | drops_the_same_words
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.layers = nn.ModuleList()
        for i in range(n_layers):
            self.layers.append(nn.Linear(hidden if i else dim, hidden))
        self.W_o = nn.Linear(hidden if n_layers else dim, 1)
        self.rate = rate

    def forward(self, ids, mask):
        known = mask & (ids != 1)
        kept = word_dropout(known, self.rate, self.training, torch.Generator().manual_seed(0))
        z = mean_pool(self.R(ids), kept)
        for layer in self.layers:
            z = layer(z).relu()
        return self.W_o(z)[:, 0]


# %% bag_times_matrix: mean in place of sum | divides_by_the_number_of_words
def bag_times_matrix(R, x):
    return x.to(R.dtype) @ R.T / x.sum(-1, keepdim=True)


# %% bag_times_matrix: R in the dtype of the bag | cuts_vectors_to_integers
def bag_times_matrix(R, x):
    return (x @ R.T.to(x.dtype)).to(R.dtype)


# %% bag_times_matrix: squeezes whatever comes | squeezes_a_batch_of_one
def bag_times_matrix(R, x):
    rows = x.reshape(-1, R.shape[1]).to(R.dtype)
    return (rows @ R.T).squeeze(0)


# %% embedding_bag: loop that starts with float32 zeros | zeros_of_another_type
def embedding_bag(R, ids):
    h = torch.zeros(len(R))
    for i in ids:
        h = h + R[:, i]
    return h


# %% embedding_bag: leaves out id 0 | takes_row_zero_for_padding
def embedding_bag(R, ids):
    words = ids[ids != 0]
    return R[:, words].sum(dim=1)


# %% DeepAveragingNetwork: tanh | tanh_for_relu
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        sizes = [dim] + [hidden] * n_layers
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
        self.W_o = nn.Linear(sizes[-1], 1)
        self.rate = rate

    def forward(self, ids, mask):
        known = mask & (ids != 1)
        kept = word_dropout(known, self.rate, self.training)
        z = mean_pool(self.R(ids), kept)
        for layer in self.layers:
            z = torch.tanh(layer(z))
        return self.W_o(z).squeeze(-1)


# %% DeepAveragingNetwork: relu on the mean too | relu_of_the_mean
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        sizes = [dim] + [hidden] * n_layers
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
        self.W_o = nn.Linear(sizes[-1], 1)
        self.rate = rate

    def forward(self, ids, mask):
        known = mask & (ids != 1)
        kept = word_dropout(known, self.rate, self.training)
        z = torch.relu(mean_pool(self.R(ids), kept))
        for layer in self.layers:
            z = torch.relu(layer(z))
        return self.W_o(z).squeeze(-1)


# %% DeepAveragingNetwork: one layer, repeated | repeats_one_layer
# -         self.layers = nn.ModuleList(nn.Linear(sizes[i], hidden) for i in range(n_layers))
# +         layers = []
# +         if n_layers > 0:
# +             layers = [nn.Linear(dim, hidden)] + [nn.Linear(hidden, hidden)] * (n_layers - 1)
# +         self.layers = nn.ModuleList(layers)


# %% DeepAveragingNetwork: relu, then the layer | relu_before_the_layers
# -             z = torch.relu(layer(z))
# +             z = layer(torch.relu(z))


# %% Trainer: stops at the training loss | training_loss_decides
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        self.model.train()
        total, n = 0.0, 0
        for ids, mask, labels in batches:
            self.optimizer.zero_grad()
            loss = self.loss(ids, mask, labels)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item() * len(labels)
            n += len(labels)
        return total / n

    def evaluate(self, batches):
        self.model.eval()
        total, n = 0.0, 0
        with torch.no_grad():
            for ids, mask, labels in batches:
                total += self.loss(ids, mask, labels).item() * len(labels)
                n += len(labels)
        return total / n

    def fit(self, train, validation, epochs, patience):
        losses, val_losses = [], []
        best, waited, weights = float("inf"), 0, None
        for _ in range(epochs):
            losses.append(self.train_epoch(train))
            val_losses.append(self.evaluate(validation))
            if losses[-1] < best:
                best, waited = losses[-1], 0
                weights = {k: v.clone() for k, v in self.model.state_dict().items()}
            else:
                waited += 1
                if waited >= patience:
                    break
        self.model.load_state_dict(weights)
        return losses, val_losses


# %% max_pool: the word with the largest sum | takes_the_largest_word
def max_pool(X, mask):
    m = mask[..., None]
    s = X.sum(-1).masked_fill(~mask, float('-inf'))
    h = X[torch.arange(len(X)), s.argmax(1)]
    return h.masked_fill(~mask.any(dim=1)[:, None], 0)


# %% max_pool: adds -10000 to padding | adds_to_the_padding
def max_pool(X, mask):
    shifted = X + (~mask)[:, :, None].to(X.dtype) * -10_000
    return shifted.amax(dim=1).masked_fill(~mask.any(dim=1, keepdim=True), 0)


# %% max_pool: clamps at 0 for the sake of empty texts | never_below_zero
def max_pool(X, mask):
    filled = X.masked_fill(~mask[:, :, None], -float("inf"))
    return filled.amax(dim=1).clamp(min=0)


# %% CBOWClassifier: ids above 1, the mask forgotten | known_by_ids_alone
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.W_o = nn.Linear(dim, 1)
        self.pool = pool or mean_pool

    def forward(self, ids, mask):
        h = self.pool(self.R(ids), ids > 1)
        return self.W_o(h)[:, 0]


# %% word_dropout: a single number for each text | one_number_per_text
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask
    drop = torch.rand(mask.shape[0], 1, generator=generator) < rate
    kept = mask & ~drop
    kept[~kept.any(dim=1)] = mask[~kept.any(dim=1)]
    return kept


# %% word_dropout: all words come back if one text is empty | restores_the_whole_batch
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask
    kept = mask & (torch.rand(mask.shape, generator=generator) >= rate)
    if (kept.sum(dim=1) == 0).any():
        return mask
    return kept


# %% word_dropout: one word back | gives_only_the_first_word_back
# -     return torch.where(kept.any(dim=1, keepdim=True), kept, mask)
# +     first = mask & (mask.cumsum(dim=1) == 1)
# +     return torch.where(kept.any(dim=1, keepdim=True), kept, first)


# %% word_dropout: no draws for padding | draws_for_words_only
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask
    kept = mask.clone()
    kept[mask] = torch.rand(int(mask.sum()), generator=generator) >= rate
    return torch.where(kept.any(dim=1, keepdim=True), kept, mask)


# %% initial_embeddings: row i of the vectors, as far as there is one | takes_row_i_as_far_as_it_goes
def initial_embeddings(words, index, matrix, random):
    E = random.clone()
    for i, w in enumerate(words):
        if i == 0:
            E[i] = 0.0
        elif w in index and i < len(matrix):
            E[i] = matrix[i]
    return E


# %% initial_embeddings: writes into random itself | changes_random
def initial_embeddings(words, index, matrix, random):
    for i, word in enumerate(words):
        if word in index:
            random[i] = matrix[index[word]]
    random[0] = 0
    return random


# %% bag_times_matrix: converts R to the dtype | whole_numbers_come_out
def bag_times_matrix(R: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return x @ R.to(x.dtype).T
