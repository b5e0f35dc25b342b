# %% word_lengths: numpy
def word_lengths(words):
    import numpy as np

    return [int(n) for n in np.char.str_len(words)] if words else []


# %% word_lengths: counts letters
def word_lengths(words: list[str]) -> list[int]:
    result = []
    for word in words:
        n = 0
        for _ in word:
            n += 1
        result += [n]
    return result


# %% word_lengths: one list, filled by index
def word_lengths(words):
    lengths = [0] * len(words)
    for i in range(len(words)):
        lengths[i] = len(words[i])
    return lengths


# %% standardize: guards with masked_fill
def standardize(x):
    mean = torch.mean(x, dim=0, keepdim=True)
    std = torch.sqrt(torch.mean((x - mean) ** 2, dim=0, keepdim=True))
    std = std.masked_fill(std == 0, 1.0)
    return (x - mean) / std


# %% standardize: column by column
def standardize(x):
    columns = []
    for column in x.T:
        centered = column - column.mean()
        variance = (centered**2).mean()
        columns.append(centered / variance.sqrt() if variance > 0 else torch.zeros_like(column))
    return torch.stack(columns, dim=1)


# %% standardize: on a copy, in place
def standardize(x):
    z = x.clone()
    z -= z.mean(0)
    s = z.std(0, correction=0)
    s[s == 0] = 1
    z /= s
    return z


# %% standardize: transposed
def standardize(x):
    rows = x.T
    mu = rows.mean(1, keepdim=True)
    sigma = rows.var(1, unbiased=False, keepdim=True).sqrt()
    z = torch.where(sigma > 0, (rows - mu) / sigma.clamp(min=1e-30), torch.zeros_like(rows))
    return z.T


# %% pairwise_distances: cdist
def pairwise_distances(a, b):
    return torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist")


# %% pairwise_distances: two loops
def pairwise_distances(a, b):
    result = torch.empty(len(a), len(b), dtype=a.dtype)
    for i, p in enumerate(a):
        for j, q in enumerate(b):
            result[i, j] = (p - q).norm()
    return result


# %% pairwise_distances: one row at a time
def pairwise_distances(a, b):
    return torch.stack([torch.linalg.vector_norm(b - row, dim=1) for row in a])


# %% pairwise_distances: unsqueeze and einsum
def pairwise_distances(a, b):
    d = a.unsqueeze(1) - b.unsqueeze(0)
    return torch.einsum("nmd,nmd->nm", d, d).sqrt()


# %% masked_mean: multiplies
def masked_mean(x, mask):
    m = mask.to(x.dtype)
    return (x * m).sum(dim=1) / m.sum(dim=1).clamp(min=1)


# %% masked_mean: row by row
def masked_mean(x, mask):
    means = []
    for row, real in zip(x, mask):
        chosen = row[real]
        means.append(chosen.mean() if len(chosen) else torch.tensor(0.0))
    return torch.stack(means)


# %% masked_mean: writes zeros into a copy
def masked_mean(x, mask):
    x = x.clone()
    x[~mask] = 0
    n = mask.sum(1)
    n[n == 0] = 1
    return x.sum(1) / n


# %% masked_mean: einsum
def masked_mean(x, mask):
    count = torch.maximum(mask.sum(-1), torch.tensor(1))
    return torch.einsum("bl,bl->b", x, mask.float()) / count


# %% mean_squared_error_gradient: mean over rows
def mean_squared_error_gradient(w, X, y):
    error = (X * w).sum(dim=1) - y
    return (2 * error[:, None] * X).mean(dim=0)


# %% mean_squared_error_gradient: a loop over the reviews
def mean_squared_error_gradient(w, X, y):
    total = torch.zeros_like(w)
    for x_n, y_n in zip(X, y):
        total += (x_n @ w - y_n) * x_n
    return 2 * total / X.shape[0]


# %% mean_squared_error_gradient: einsum
def mean_squared_error_gradient(w, X, y):
    error = torch.einsum("nd,d->n", X, w) - y
    return 2 / X.size(0) * torch.einsum("n,nd->d", error, X)


# %% mean_squared_error_gradient: vector times matrix
def mean_squared_error_gradient(w, X, y):
    N = len(X)
    return (X.matmul(w) - y) @ X * 2 / N


# %% numerical_gradient: two clones
def numerical_gradient(f, x, eps):
    gradient = torch.zeros_like(x)
    for i in range(x.shape[0]):
        up, down = x.clone(), x.clone()
        up[i] += eps
        down[i] -= eps
        gradient[i] = (f(up) - f(down)) / (2 * eps)
    return gradient


# %% numerical_gradient: rows of the identity
def numerical_gradient(f, x, eps):
    steps = eps * torch.eye(len(x), dtype=x.dtype)
    return torch.stack([(f(x + e) - f(x - e)) / (2 * eps) for e in steps])


# %% numerical_gradient: a helper for one slope
def numerical_gradient(f, x, eps):
    def slope(i):
        e = torch.zeros_like(x)
        e[i] = eps
        return (f(x + e).item() - f(x - e).item()) / (2 * eps)

    return torch.tensor([slope(i) for i in range(len(x))], dtype=x.dtype)


# %% seeded_sample: normal
def seeded_sample(n, seed):
    g = torch.Generator()
    g.manual_seed(seed)
    return torch.randn((n,), generator=g)


# %% seeded_sample: torch.normal
def seeded_sample(n, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.normal(0.0, 1.0, size=(n,), generator=generator)
