# %% bag_times_matrix: two branches
def bag_times_matrix(R, x):
    x = x.type(R.dtype)
    if x.dim() == 1:
        return R @ x
    return (R @ x.T).T


# %% bag_times_matrix: linear
def bag_times_matrix(R, x):
    return nn.functional.linear(x.to(R.dtype), R)


# %% bag_times_matrix: transposes twice
def bag_times_matrix(R, x):
    return (R @ x.to(R.dtype).T).T if x.dim() == 2 else R @ x.to(R.dtype)


# %% bag_times_matrix: multiply and add
def bag_times_matrix(R, x):
    return (x.to(R.dtype).unsqueeze(-2) * R).sum(dim=-1)


# %% bag_times_matrix: text by text
def bag_times_matrix(R, x):
    bags = x.type_as(R)
    if bags.ndim == 1:
        return R.mv(bags)
    return torch.stack([R.mv(bag) for bag in bags])


# %% bag_times_matrix: matmul with one more axis
def bag_times_matrix(R, x):
    column = x.to(dtype=R.dtype)[..., None]
    return torch.matmul(R, column).squeeze(-1)


# %% bag_times_matrix: tensordot
def bag_times_matrix(R: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.tensordot(x.to(R.dtype), R, dims=([-1], [1]))


# %% bag_times_matrix: recursive for a batch
def bag_times_matrix(R, x):
    if len(x.shape) > 1:
        return torch.stack([bag_times_matrix(R, bag) for bag in x])
    return torch.matmul(R, x.to(R.dtype))


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


# %% embedding_bag: rows of the transpose
def embedding_bag(R, ids):
    return R.T[ids].sum(dim=0)


# %% embedding_bag: a count bag
def embedding_bag(R, ids):
    x = torch.bincount(ids, minlength=R.shape[1])
    return R @ x.to(R.dtype)


# %% embedding_bag: list comprehension
def embedding_bag(R, ids):
    if len(ids) == 0:
        return torch.zeros(R.shape[0], dtype=R.dtype)
    return torch.stack([R[:, i] for i in ids.tolist()]).sum(dim=0)


# %% embedding_bag: take_along_dim
def embedding_bag(R, ids):
    columns = torch.gather(R, 1, ids[None, :].expand(R.shape[0], -1))
    return columns.sum(-1)


# %% embedding_bag: Python's sum
def embedding_bag(R, ids):
    return sum((R[:, i] for i in ids), start=R.new_zeros(len(R)))


# %% embedding_bag: an embedding module
def embedding_bag(R: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
    table = nn.Embedding.from_pretrained(R.T, freeze=False)
    vectors = table.weight[ids]
    return vectors.sum(dim=0)


# %% embedding_bag: einsum with ones
def embedding_bag(R, ids):
    ones = torch.ones(len(ids), dtype=R.dtype)
    return torch.einsum("dl,l->d", R[:, ids], ones)


# %% sum_pool: where
def sum_pool(X, mask):
    return torch.where(mask[:, :, None], X, torch.zeros_like(X)).sum(1)


# %% sum_pool: einsum
def sum_pool(X, mask):
    return torch.einsum("blk,bl->bk", X, mask.to(X.dtype))


# %% sum_pool: matrix product with the mask
def sum_pool(X, mask):
    X = torch.where(mask.unsqueeze(-1), X, torch.zeros_like(X))
    return (mask.to(X.dtype).unsqueeze(1) @ X).squeeze(1)


# %% sum_pool: zeros in a copy
def sum_pool(X, mask):
    X = X.clone()
    X[~mask] = 0
    return X.sum(1)


# %% sum_pool: a list of sums
def sum_pool(X, mask):
    sums = []
    for b in range(len(X)):
        sums.append(torch.sum(X[b, mask[b]], dim=0))
    return torch.stack(sums, dim=0)


# %% sum_pool: word by word
def sum_pool(X, mask):
    B, L, d = X.shape
    total = torch.zeros(B, d, dtype=X.dtype)
    for i in range(L):
        total = total + torch.where(mask[:, i : i + 1], X[:, i], 0)
    return total


# %% sum_pool: index_add
def sum_pool(X, mask):
    text_of_word = mask.nonzero()[:, 0]
    empty = torch.zeros(X.shape[0], X.shape[2], dtype=X.dtype)
    return empty.index_add(0, text_of_word, X[mask])


# %% sum_pool: expanded mask
def sum_pool(X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    padding = torch.logical_not(mask)[:, :, None].expand(X.shape)
    return torch.sum(torch.masked_fill(X, padding, 0), axis=1)


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


# %% mean_pool: sum over count in double
def mean_pool(X, mask):
    n = mask.sum(dim=1)
    total = X.double().masked_fill(~mask[..., None], 0).sum(dim=1)
    mean = total / torch.maximum(n, torch.ones_like(n))[:, None]
    return mean.to(X.dtype)


# %% mean_pool: where for texts without words
def mean_pool(X, mask):
    m = mask.unsqueeze(-1).float()
    n = m.sum(dim=1)
    mean = (X.float() * m).sum(dim=1) / n.clamp(min=1)
    return torch.where(n > 0, mean, torch.zeros_like(mean)).to(X.dtype)


# %% mean_pool: einsum with weights
def mean_pool(X, mask):
    weights = mask.float() / mask.sum(dim=-1, keepdim=True).clamp(min=1)
    return torch.einsum("bld,bl->bd", X.float(), weights).to(X.dtype)


# %% mean_pool: a matrix product of weights
def mean_pool(X, mask):
    n = mask.sum(1, keepdim=True)
    n[n == 0] = 1
    a = mask.to(torch.float32) / n
    return torch.bmm(a.unsqueeze(1), X.to(torch.float32))[:, 0].type(X.dtype)


# %% mean_pool: Python loop with early continue
def mean_pool(X, mask):
    B, _, d = X.shape
    means = []
    for b in range(B):
        if not mask[b].any():
            means.append(torch.zeros(d, dtype=X.dtype))
            continue
        means.append(X[b][mask[b]].float().mean(0).to(X.dtype))
    return torch.stack(means)


# %% mean_pool: sum_pool in float32
def mean_pool(X, mask):
    lengths = mask.sum(dim=1, keepdim=True).clamp_min(1)
    return (sum_pool(X.float(), mask) / lengths).to(X.dtype)


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


# %% max_pool: text by text with a default
def max_pool(X, mask):
    def largest(vectors):
        return vectors.max(dim=0).values if len(vectors) else vectors.new_zeros(vectors.shape[1])

    return torch.stack([largest(x[m]) for x, m in zip(X, mask)])


# %% max_pool: minus infinity in a copy
def max_pool(X, mask):
    Y = X.clone()
    Y[~mask] = -torch.inf
    h, _ = Y.max(dim=1)
    h[mask.sum(dim=1) == 0] = 0
    return h


# %% max_pool: where at the end
def max_pool(X, mask):
    filled = torch.where(mask.unsqueeze(2), X, torch.tensor(float("-inf"), dtype=X.dtype))
    h = torch.max(filled, dim=1)[0]
    return torch.where(torch.isinf(h), torch.zeros_like(h), h)


# %% max_pool: running maximum
def max_pool(X, mask):
    low = torch.finfo(X.dtype).min
    h = torch.full_like(X[:, 0], low)
    for i in range(X.shape[1]):
        h = torch.where(mask[:, i, None], torch.maximum(h, X[:, i]), h)
    return h * mask.any(dim=1)[:, None]


# %% max_pool: a loop with a branch for empty texts
def max_pool(X: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    pooled = []
    for text, real in zip(X, mask):
        words = text[real]
        if words.shape[0] == 0:
            pooled.append(torch.zeros_like(text[0]))
        else:
            pooled.append(torch.amax(words, 0))
    return torch.stack(pooled)


# %% max_pool: the smallest number of each text as filler
def max_pool(X, mask):
    lowest = X.amin(dim=(1, 2), keepdim=True)
    h = torch.where(mask[:, :, None], X, lowest).amax(dim=1)
    return torch.where(mask.any(1)[:, None], h, torch.zeros_like(h))


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


# %% CBOWClassifier: flatten and logical_and
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super(CBOWClassifier, self).__init__()
        if pool is None:
            pool = mean_pool
        self.pool = pool
        self.R = nn.Embedding(num_embeddings=n_words, embedding_dim=dim)
        self.W_o = nn.Linear(in_features=dim, out_features=1)

    def forward(self, ids, mask):
        real = torch.logical_and(mask, ids.ne(Vocabulary.unknown))
        vectors = self.R(ids)
        return self.W_o(self.pool(vectors, real)).flatten()


# %% CBOWClassifier: einsum for the score
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.W_o = nn.Linear(dim, 1)
        self.R = nn.Embedding(n_words, dim)
        self.pool = pool if pool is not None else mean_pool

    def forward(self, ids, mask):
        h = self.pool(self.R(ids), mask & ~(ids == 1))
        return torch.einsum("bd,od->bo", h, self.W_o.weight)[:, 0] + self.W_o.bias


# %% CBOWClassifier: functional forms
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.W_o = nn.Linear(dim, 1)
        self.pool = mean_pool if pool is None else pool

    def forward(self, ids, mask):
        X = nn.functional.embedding(ids, self.R.weight)
        known = torch.where(ids == Vocabulary.unknown, False, mask)
        h = self.pool(X, known)
        return nn.functional.linear(h, self.W_o.weight, self.W_o.bias).squeeze(1)


# %% CBOWClassifier: two helper methods
class CBOWClassifier(nn.Module):
    def __init__(self, n_words, dim, pool=None):
        super().__init__()
        self.R, self.W_o = nn.Embedding(n_words, dim), nn.Linear(dim, 1)
        self.pool = pool

    def known(self, ids, mask):
        return mask.masked_fill(ids == Vocabulary.unknown, False)

    def pooled(self, ids, mask):
        pool = self.pool or mean_pool
        return pool(self.R(ids), self.known(ids, mask))

    def forward(self, ids, mask):
        return self.W_o(self.pooled(ids, mask)).reshape(len(ids))


# %% CBOWClassifier: looks rows up by index
class CBOWClassifier(nn.Module):
    def __init__(self, n_words: int, dim: int, pool=None) -> None:
        nn.Module.__init__(self)
        self.R = nn.Embedding(n_words, dim)
        self.W_o = nn.Linear(dim, 1, bias=True)
        self.pool = mean_pool if pool is None else pool

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        mask = mask * (ids != Vocabulary.unknown)
        X = self.R.weight[ids]
        h = self.pool(X, mask)
        scores = self.W_o(h)
        return scores[..., 0]


# %% Trainer: a helper for the mean of an epoch
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def mean(self, pairs):
        total = sum(loss * n for loss, n in pairs)
        return total / sum(n for _, n in pairs)

    def train_epoch(self, batches):
        self.model.train()
        pairs = []
        for ids, mask, labels in batches:
            loss = self.loss(ids, mask, labels)
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), max_norm=self.max_norm)
            self.optimizer.step()
            pairs.append((loss.item(), len(labels)))
        return self.mean(pairs)

    @torch.no_grad()
    def evaluate(self, batches):
        self.model.eval()
        return self.mean(
            [(self.loss(ids, mask, labels).item(), len(labels)) for ids, mask, labels in batches]
        )

    def fit(self, train, validation, epochs, patience):
        import copy

        training, validating = [], []
        best, best_loss, bad = None, float("inf"), 0
        for _ in range(epochs):
            training.append(self.train_epoch(train))
            validating.append(self.evaluate(validation))
            if validating[-1] < best_loss:
                best_loss = validating[-1]
                best = copy.deepcopy(self.model.state_dict())
                bad = 0
            else:
                bad += 1
                if bad >= patience:
                    break
        self.model.load_state_dict(best)
        return training, validating


# %% Trainer: one method for both kinds of epoch
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def run(self, batches, training):
        self.model.train(training)
        total, texts = 0.0, 0
        with torch.set_grad_enabled(training):
            for ids, mask, labels in batches:
                loss = self.loss(ids, mask, labels)
                if training:
                    self.optimizer.zero_grad()
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
                    self.optimizer.step()
                total += float(loss) * labels.shape[0]
                texts += labels.shape[0]
        return total / texts

    def train_epoch(self, batches):
        return self.run(batches, True)

    def evaluate(self, batches):
        return self.run(batches, training=False)

    def fit(self, train, validation, epochs, patience):
        history = ([], [])
        best_epoch, best = 0, None
        for epoch in range(epochs):
            history[0].append(self.train_epoch(train))
            history[1].append(self.evaluate(validation))
            if best is None or history[1][epoch] < history[1][best_epoch]:
                best_epoch = epoch
                best = {k: v.detach().clone() for k, v in self.model.state_dict().items()}
            if epoch - best_epoch == patience:
                break
        self.model.load_state_dict(best)
        return history


# %% Trainer: the minimum of the losses so far
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches):
        model, optimizer = self.model.train(), self.optimizer
        losses, sizes = [], []
        for batch in batches:
            optimizer.zero_grad(set_to_none=True)
            loss = self.loss(*batch)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), self.max_norm)
            optimizer.step()
            losses.append(loss.detach())
            sizes.append(len(batch[2]))
        losses, sizes = torch.stack(losses), torch.tensor(sizes)
        return ((losses * sizes).sum() / sizes.sum()).item()

    def evaluate(self, batches):
        self.model.eval()
        losses, sizes = [], []
        with torch.inference_mode():
            for batch in batches:
                losses.append(self.loss(*batch).item())
                sizes.append(len(batch[2]))
        return sum(a * b for a, b in zip(losses, sizes)) / sum(sizes)

    def fit(self, train, validation, epochs, patience):
        train_losses, validation_losses = [], []
        while len(train_losses) < epochs:
            train_losses.append(self.train_epoch(train))
            loss = self.evaluate(validation)
            if loss < min(validation_losses, default=float("inf")):
                weights = {name: t.clone() for name, t in self.model.state_dict().items()}
                left = patience
            else:
                left -= 1
            validation_losses.append(loss)
            if left == 0:
                break
        self.model.load_state_dict(weights)
        return train_losses, validation_losses


# %% Trainer: sums the losses of texts, clips by hand
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def clip(self):
        gradients = [p.grad for p in self.model.parameters() if p.grad is not None]
        length = torch.sqrt(sum(g.square().sum() for g in gradients))
        if length > self.max_norm:
            for g in gradients:
                g.mul_(self.max_norm / length)

    def train_epoch(self, batches):
        self.model.train()
        total, n = 0.0, 0
        for ids, mask, labels in batches:
            self.optimizer.zero_grad()
            loss = self.loss(ids, mask, labels)
            loss.backward()
            self.clip()
            self.optimizer.step()
            total = total + loss.item() * ids.shape[0]
            n = n + ids.shape[0]
        return total / n

    def evaluate(self, batches):
        self.model.train(False)
        total, n = 0.0, 0
        with torch.no_grad():
            for ids, mask, labels in batches:
                losses = nn.functional.binary_cross_entropy_with_logits(
                    self.model(ids, mask), labels.float(), reduction="sum"
                )
                total += losses.item()
                n += len(labels)
        return total / n

    def fit(self, train, validation, epochs, patience):
        lowest, best, waited = None, {}, 0
        losses, validation_losses = [], []
        for _ in range(epochs):
            losses.append(self.train_epoch(train))
            now = self.evaluate(validation)
            validation_losses.append(now)
            if lowest is None or now < lowest:
                lowest, waited = now, 0
                for name, tensor in self.model.state_dict().items():
                    best[name] = tensor.clone()
                continue
            waited += 1
            if waited == patience:
                break
        self.model.load_state_dict(best)
        return losses, validation_losses


# %% Trainer: saves the weights in memory
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def train_epoch(self, batches: Iterable[Batch]) -> float:
        self.model.train()
        weighted = 0.0
        count = 0
        for batch in batches:
            ids, mask, labels = batch
            loss = self.loss(ids=ids, mask=mask, labels=labels)
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm, norm_type=2.0)
            self.optimizer.step()
            weighted += labels.numel() * loss.item()
            count += labels.numel()
        return weighted / count

    def evaluate(self, batches: Iterable[Batch]) -> float:
        self.model.eval()
        weighted = count = 0
        for ids, mask, labels in batches:
            with torch.no_grad():
                loss = self.loss(ids, mask, labels)
            weighted += labels.numel() * loss.item()
            count += labels.numel()
        return weighted / count

    def fit(self, train, validation, epochs, patience):
        import io

        file = io.BytesIO()
        train_losses, validation_losses, best_epoch = [], [], -1
        for epoch in range(epochs):
            train_losses += [self.train_epoch(train)]
            validation_losses += [self.evaluate(validation)]
            if best_epoch < 0 or validation_losses[-1] < validation_losses[best_epoch]:
                best_epoch = epoch
                file = io.BytesIO()
                torch.save(self.model.state_dict(), file)
            elif epoch >= best_epoch + patience:
                break
        file.seek(0)
        self.model.load_state_dict(torch.load(file))
        return train_losses, validation_losses


# %% Trainer: a method for one step
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def step(self, ids, mask, labels):
        self.optimizer.zero_grad()
        loss = self.loss(ids, mask, labels)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.optimizer.step()
        return loss.item()

    def train_epoch(self, batches):
        self.model.train()
        total = n = 0
        for ids, mask, labels in batches:
            total += len(labels) * self.step(ids, mask, labels)
            n += len(labels)
        return total / n

    def evaluate(self, batches):
        self.model.eval()
        total = n = 0
        with torch.set_grad_enabled(False):
            for ids, mask, labels in batches:
                total += len(labels) * self.loss(ids, mask, labels).item()
                n += len(labels)
        return total / n

    def fit(self, train, validation, epochs, patience):
        losses = []
        best_loss = float("inf")
        since_best = 0
        for _ in range(epochs):
            losses.append((self.train_epoch(train), self.evaluate(validation)))
            if losses[-1][1] < best_loss:
                best_loss, since_best = losses[-1][1], 0
                kept = [p.detach().clone() for p in self.model.state_dict().values()]
            else:
                since_best += 1
            if since_best == patience:
                break
        with torch.no_grad():
            for tensor, old in zip(self.model.state_dict().values(), kept):
                tensor.copy_(old)
        return [a for a, _ in losses], [b for _, b in losses]


# %% Trainer: keeps a copy of the model's weights per epoch
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
        totals = torch.zeros(2, dtype=torch.float64)
        for ids, mask, labels in batches:
            self.model.zero_grad()
            mean = self.loss(ids, mask, labels)
            mean.backward()
            nn.utils.clip_grad_norm_(parameters=self.model.parameters(), max_norm=self.max_norm)
            self.optimizer.step()
            totals += torch.tensor([mean.item() * len(labels), len(labels)])
        return (totals[0] / totals[1]).item()

    def evaluate(self, batches):
        self.model.eval()
        totals = torch.zeros(2, dtype=torch.float64)
        with torch.no_grad():
            for ids, mask, labels in batches:
                mean = self.loss(ids, mask, labels)
                totals += torch.tensor([mean.item() * len(labels), len(labels)])
        return (totals[0] / totals[1]).item()

    def fit(self, train, validation, epochs, patience):
        train_losses, validation_losses, weights = [], [], []
        for _ in range(epochs):
            train_losses.append(self.train_epoch(train))
            validation_losses.append(self.evaluate(validation))
            weights.append({k: v.clone() for k, v in self.model.state_dict().items()})
            best = validation_losses.index(min(validation_losses))
            if len(validation_losses) - 1 - best >= patience:
                break
        self.model.load_state_dict(weights[best])
        return train_losses, validation_losses


# %% Trainer: a nested function that updates the best
class Trainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, ids, mask, labels):
        scores = self.model(ids, mask)
        return nn.functional.binary_cross_entropy_with_logits(scores, labels.float())

    def losses(self, batches, after=None):
        for ids, mask, labels in batches:
            loss = self.loss(ids, mask, labels)
            if after is not None:
                after(loss)
            yield loss.item(), len(labels)

    def update(self, loss):
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.optimizer.step()

    def train_epoch(self, batches):
        self.model.train()
        values, sizes = zip(*self.losses(batches, after=self.update))
        return sum(v * n for v, n in zip(values, sizes)) / sum(sizes)

    def evaluate(self, batches):
        self.model.eval()
        with torch.no_grad():
            values, sizes = zip(*self.losses(batches))
        return sum(v * n for v, n in zip(values, sizes)) / sum(sizes)

    def fit(self, train, validation, epochs, patience):
        best = {"loss": float("inf"), "waited": 0}
        history = []

        def remember(loss):
            if loss < best["loss"]:
                copy = {k: v.detach().clone() for k, v in self.model.state_dict().items()}
                best.update(loss=loss, waited=0, weights=copy)
            else:
                best["waited"] += 1

        for _ in range(epochs):
            history.append([self.train_epoch(train), self.evaluate(validation)])
            remember(history[-1][1])
            if best["waited"] == patience:
                break
        self.model.load_state_dict(best["weights"])
        losses = list(zip(*history))
        return list(losses[0]), list(losses[1])


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


# %% word_dropout: returns early, multiplies
def word_dropout(mask, rate, training, generator=None):
    if training is False:
        return mask
    draws = torch.rand(mask.shape, generator=generator)
    kept = mask * (draws >= rate)
    empty = kept.sum(dim=1, keepdim=True) == 0
    return kept | (mask & empty)


# %% word_dropout: masked_fill
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask.clone()
    dropped = torch.rand(mask.shape, generator=generator) < rate
    kept = mask.masked_fill(dropped, False)
    return torch.where(kept.any(-1).unsqueeze(-1), kept, mask)


# %% word_dropout: logical functions
def word_dropout(mask, rate, training, generator=None):
    if training:
        stays = torch.rand(mask.shape, generator=generator).ge(rate)
        kept = torch.logical_and(mask, stays)
        lost = torch.logical_not(torch.any(kept, dim=1))
        return torch.logical_or(kept, torch.logical_and(mask, lost[:, None]))
    return mask


# %% word_dropout: indexes the rows that lost everything
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask
    numbers = torch.rand(size=mask.shape, generator=generator)
    result = mask & ~(numbers < rate)
    lost = result.sum(1) == 0
    result[lost] = mask[lost]
    return result


# %% word_dropout: position by position
def word_dropout(mask, rate, training, generator=None):
    if not training:
        return mask
    draws = torch.rand(mask.shape, generator=generator).tolist()
    rows = []
    for real, numbers in zip(mask.tolist(), draws):
        kept = [r and x >= rate for r, x in zip(real, numbers)]
        rows.append(kept if any(kept) else real)
    return torch.tensor(rows).reshape(mask.shape)


# %% word_dropout: a helper for one text
def word_dropout(mask, rate, training, generator=None):
    def thinned(real, draws):
        kept = real & (draws >= rate)
        return kept if kept.any() else real

    if not training:
        return mask
    draws = torch.rand(*mask.shape, generator=generator)
    return torch.stack([thinned(real, row) for real, row in zip(mask, draws)])


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


# %% DeepAveragingNetwork: relu by clamp
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.rate = rate
        self.R = nn.Embedding(n_words, dim)
        self.layers = nn.ModuleList()
        size = dim
        for _ in range(n_layers):
            self.layers.append(nn.Linear(size, hidden))
            size = hidden
        self.W_o = nn.Linear(size, 1)

    def forward(self, ids, mask):
        real = mask & ids.ne(Vocabulary.unknown)
        real = word_dropout(mask=real, rate=self.rate, training=self.training)
        h = mean_pool(self.R(ids), real)
        for layer in self.layers:
            h = layer(h).clamp(min=0)
        return self.W_o(h)[:, 0]


# %% DeepAveragingNetwork: an if for the output layer
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        if n_layers == 0:
            self.layers = nn.ModuleList([])
            self.W_o = nn.Linear(dim, 1)
        else:
            first = [nn.Linear(dim, hidden)]
            others = [nn.Linear(hidden, hidden) for _ in range(n_layers - 1)]
            self.layers = nn.ModuleList(first + others)
            self.W_o = nn.Linear(hidden, 1)
        self.dropout_rate = rate

    def forward(self, ids, mask):
        mask = torch.logical_and(mask, ids != 1)
        if self.training:
            mask = word_dropout(mask, self.dropout_rate, True)
        z = mean_pool(self.R(ids), mask)
        for i in range(len(self.layers)):
            z = nn.functional.relu(self.layers[i](z))
        return self.W_o(z).flatten()


# %% DeepAveragingNetwork: pairs of sizes
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        sizes = [dim, *[hidden] * n_layers]
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
        self.W_o = nn.Linear(sizes[-1], 1)
        self.R = nn.Embedding(n_words, dim)
        self.rate = rate

    def forward(self, ids, mask):
        known = mask & ~(ids == Vocabulary.unknown)
        z = mean_pool(self.R.weight[ids], word_dropout(known, self.rate, self.training, None))
        for layer in self.layers:
            z = torch.maximum(layer(z), torch.zeros(1))
        return (z @ self.W_o.weight.T + self.W_o.bias).squeeze(1)


# %% DeepAveragingNetwork: reduce over the layers
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words, dim, hidden, n_layers, rate):
        super().__init__()
        self.rate = rate
        self.relu = nn.ReLU()
        self.R = nn.Embedding(n_words, dim)
        self.layers = nn.ModuleList(
            nn.Linear(hidden if i > 0 else dim, hidden) for i in range(n_layers)
        )
        self.W_o = nn.Linear(hidden if n_layers > 0 else dim, 1)

    def forward(self, ids, mask):
        from functools import reduce

        known = mask.masked_fill(ids == Vocabulary.unknown, False)
        kept = word_dropout(known, self.rate, self.training)
        z_0 = mean_pool(self.R(ids), kept)
        z = reduce(lambda z, layer: self.relu(layer(z)), self.layers, z_0)
        return self.W_o(z).squeeze(-1)


# %% DeepAveragingNetwork: relu as a product with the sign
class DeepAveragingNetwork(nn.Module):
    def __init__(self, n_words: int, dim: int, hidden: int, n_layers: int, rate: float) -> None:
        super().__init__()
        self.R = nn.Embedding(n_words, dim)
        self.layers = nn.ModuleList()
        for l in range(1, n_layers + 1):
            self.layers.append(nn.Linear(dim if l == 1 else hidden, hidden, bias=True))
        last = self.layers[-1].out_features if n_layers else dim
        self.W_o = nn.Linear(last, 1)
        self.rate = rate

    def words(self, ids, mask):
        known = mask & (ids != Vocabulary.unknown)
        return word_dropout(known, self.rate, self.training)

    def forward(self, ids, mask):
        z = mean_pool(self.R(ids), self.words(ids, mask))
        for layer in self.layers:
            z = layer(z)
            z = z * (z > 0)
        return self.W_o(z)[..., 0]


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


# %% character_trigrams: for over a range
def character_trigrams(word):
    marked = "<" + word + ">"
    trigrams = []
    for i in range(len(marked) - 2):
        trigrams.append(marked[i] + marked[i + 1] + marked[i + 2])
    return trigrams


# %% character_trigrams: early return
def character_trigrams(word):
    if word == "":
        return []
    text = f"<{word}>"
    return [text[end - 3 : end] for end in range(3, len(text) + 1)]


# %% character_trigrams: recursive
def character_trigrams(word):
    def cut(text):
        return [text[:3]] + cut(text[1:]) if len(text) >= 3 else []

    return cut("<" + word + ">")


# %% character_trigrams: regular expression with look-ahead
def character_trigrams(word):
    import re

    return re.findall(r"(?s)(?=(...))", "<" + word + ">")


# %% character_trigrams: a sliding window
def character_trigrams(word):
    from collections import deque

    window, trigrams = deque(maxlen=3), []
    for letter in ["<", *word, ">"]:
        window.append(letter)
        if len(window) == 3:
            trigrams.append("".join(window))
    return trigrams


# %% character_trigrams: neighbors of each letter
def character_trigrams(word: str) -> list[str]:
    left = "<" + word[:-1]
    right = word[1:] + ">"
    return [a + b + c for a, b, c in zip(left, word, right)]


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


# %% trigram_average: divides the sum
def trigram_average(trigrams, index, T):
    rows = [index[t] for t in trigrams if t in index]
    if len(rows) == 0:
        return torch.zeros(T.shape[1], dtype=T.dtype)
    return (T[rows].float().sum(dim=0) / len(rows)).to(T.dtype)


# %% trigram_average: filter and map
def trigram_average(trigrams, index, T):
    known = list(map(index.__getitem__, filter(index.__contains__, trigrams)))
    return T[known].mean(0) if known else T.new_zeros(T.size(1))


# %% trigram_average: counts as weights
def trigram_average(trigrams, index, T):
    counts = torch.zeros(len(T))
    for trigram in trigrams:
        if trigram in index:
            counts[index[trigram]] += 1
    n = counts.sum().clamp(min=1)
    return (counts / n @ T.float()).to(T.dtype)


# %% trigram_average: index_select
def trigram_average(trigrams, index, T):
    ids = torch.tensor([index[t] for t in trigrams if t in index], dtype=torch.long)
    if ids.numel() == 0:
        return torch.zeros_like(T[0])
    return torch.mean(T.index_select(0, ids), dim=0)


# %% trigram_average: try and except
def trigram_average(trigrams: list[str], index: dict[str, int], T: torch.Tensor) -> torch.Tensor:
    vectors = []
    for trigram in trigrams:
        try:
            vectors.append(T[index[trigram]])
        except KeyError:
            continue
    if not vectors:
        return torch.zeros(T.shape[-1]).to(T.dtype)
    return torch.stack(vectors).mean(dim=0)


# %% trigram_average: mean_pool with a mask
def trigram_average(trigrams, index, T):
    if not trigrams:
        return torch.zeros_like(T[0])
    ids = torch.tensor([index.get(t, 0) for t in trigrams])
    known = torch.tensor([t in index for t in trigrams])
    return mean_pool(T[ids][None], known[None])[0]


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


# %% initial_embeddings: fills an empty matrix
def initial_embeddings(words, index, matrix, random):
    R = torch.zeros(random.shape, dtype=random.dtype)
    for i in range(1, len(words)):
        if words[i] in index:
            R[i] = matrix[index[words[i]]]
        else:
            R[i] = random[i]
    return R


# %% initial_embeddings: get and continue
def initial_embeddings(words, index, matrix, random):
    R = random.detach().clone()
    for i, word in enumerate(words):
        row = index.get(word)
        if i == 0:
            R[i].zero_()
        elif row is not None:
            R[i] = matrix[row].to(R.dtype)
    return R


# %% initial_embeddings: where on rows
def initial_embeddings(words, index, matrix, random):
    has = torch.tensor([word in index for word in words])
    rows = torch.tensor([index.get(word, 0) for word in words])
    R = random.clone()
    R[has] = matrix[rows[has]].to(random.dtype)
    R[0] = 0
    return R


# %% initial_embeddings: stacked, padding first
def initial_embeddings(words, index, matrix, random):
    def row(i, word):
        return matrix[index[word]].to(random.dtype) if word in index else random[i]

    rest = [row(i, word) for i, word in enumerate(words) if i > 0]
    return torch.stack([torch.zeros_like(random[0]), *rest])


# %% initial_embeddings: index_copy
def initial_embeddings(words, index, matrix, random):
    here = [i for i, word in enumerate(words) if i and word in index]
    there = [index[words[i]] for i in here]
    R = random.index_copy(0, torch.tensor(here, dtype=torch.long), matrix[there].to(random.dtype))
    R[0, :] = 0.0
    return R


# %% initial_embeddings: overwrites a copy word by word
def initial_embeddings(
    words: list[str], index: dict[str, int], matrix: torch.Tensor, random: torch.Tensor
) -> torch.Tensor:
    R = torch.empty_like(random).copy_(random)
    position = {word: i for i, word in enumerate(words)}
    for word in set(words) & set(index):
        R[position[word]] = matrix[index[word]]
    R[0] = torch.zeros(R.shape[1])
    return R


# %% trigram_average: adds and divides
def trigram_average(trigrams, index, T):
    rows = [index[t] for t in trigrams if t in index]
    if len(rows) == 0:
        return torch.zeros(T.shape[1], dtype=T.dtype)
    return T[rows].sum(dim=0) / len(rows)
