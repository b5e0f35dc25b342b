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


# %% word_lengths: recursive
def word_lengths(words):
    if not words:
        return []
    first, *rest = words
    return [len(first)] + word_lengths(rest)


# %% word_lengths: sums ones
def word_lengths(words):
    return [sum(1 for _ in word) for word in words]


# %% word_lengths: a generator function beside it
def lengths_of(words):
    for word in words:
        yield len(word)


def word_lengths(words):
    return [*lengths_of(words)]


# %% word_lengths: a while loop
def word_lengths(words):
    i, result = 0, []
    while i < len(words):
        result = result + [words[i].__len__()]
        i += 1
    return result


# %% word_lengths: early return for the empty list
def word_lengths(words):
    if len(words) == 0:
        return []
    return torch.tensor([len(word) for word in words]).tolist()


# %% word_lengths: enumerate
def word_lengths(words):
    lengths = dict()
    for i, word in enumerate(words):
        lengths[i] = len(word)
    return [lengths[i] for i in range(len(words))]


# %% word_lengths: zip with the lengths
def word_lengths(words):
    pairs = [(word, len(word)) for word in words]
    return [length for _, length in pairs]


# %% word_lengths: accumulates the ends
def word_lengths(words):
    ends = [0]
    for word in words:
        ends.append(ends[-1] + len(word))
    return [end - start for start, end in zip(ends, ends[1:])]


# %% word_lengths: reduce
def word_lengths(words):
    from functools import reduce

    return reduce(lambda lengths, word: lengths + [len(word)], words, [])


# %% word_lengths: a lambda
word_lengths = lambda words: [len(w) for w in words]  # noqa: E731


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


# %% standardize: std_mean
def standardize(x):
    std, mean = torch.std_mean(x, dim=0, correction=0)
    std = torch.where(std == 0, 1.0, std)
    return (x - mean) / std


# %% standardize: replaces NaN
def standardize(x):
    mean, std = x.mean(dim=0), x.std(dim=0, unbiased=False)
    return torch.nan_to_num((x - mean) / std, nan=0.0)


# %% standardize: numpy
def standardize(x):
    import numpy as np

    table = x.numpy()
    sigma = table.std(axis=0)
    sigma = np.where(sigma == 0, 1, sigma).astype(table.dtype)
    return torch.from_numpy((table - table.mean(axis=0)) / sigma)


# %% standardize: clamps the deviation
def standardize(x: torch.Tensor) -> torch.Tensor:
    centered = x - torch.mean(x, dim=0)
    sigma = (centered.pow(2).sum(dim=0) / x.shape[0]).sqrt()
    return centered / sigma.clamp(min=1e-12)


# %% standardize: the formula with sums
def standardize(x):
    N = x.size(0)
    mu = x.sum(axis=0, keepdims=True) / N
    z = x.sub(mu)
    sigma = torch.sqrt(torch.einsum("nd,nd->d", z, z) / N)
    sigma = sigma + (sigma == 0)
    return z.div(sigma)


# %% standardize: only the columns that vary
def standardize(x):
    z = torch.zeros_like(x)
    for j in range(x.shape[1]):
        s = x[:, j].std(unbiased=False)
        if s.item() != 0:
            z[:, j] = (x[:, j] - x[:, j].mean()) / s
    return z


# %% standardize: corrects the default deviation
def standardize(x):
    n = x.shape[0]
    if n == 1:
        return torch.zeros_like(x)
    std = x.std(dim=0) * ((n - 1) / n) ** 0.5
    std[std == 0] = 1.0
    return (x - x.mean(dim=0)) / std


# %% standardize: in double precision
def standardize(x):
    wide = x.double()
    centered = wide - wide.mean(0)
    sigma = centered.square().mean(0).sqrt()
    sigma = torch.where(sigma == 0, torch.ones_like(sigma), sigma)
    return (centered / sigma).to(x.dtype)


# %% standardize: mean and deviation of the transposed rows in a list
def standardize(x):
    columns = []
    for column in x.unbind(dim=1):
        sigma = column.std(correction=0)
        columns.append((column - column.mean()) / (sigma if sigma > 0 else 1))
    return torch.stack(columns).T


# %% standardize: a helper
def safe(sigma):
    return sigma + (sigma == 0).to(sigma.dtype)


def standardize(x):
    return torch.div(torch.sub(x, torch.mean(x, 0)), safe(torch.std(x, 0, unbiased=False)))


# %% standardize: expanded mean and deviation
def standardize(x):
    mean = x.mean(dim=0).expand_as(x)
    std = x.var(dim=0, correction=0).sqrt().expand_as(x)
    result = torch.zeros_like(x)
    varies = std > 0
    result[varies] = (x[varies] - mean[varies]) / std[varies]
    return result


# %% standardize: early return for one row
def standardize(x: torch.Tensor) -> torch.Tensor:
    if x.shape[0] < 2:
        return torch.zeros_like(x)
    centered = x - x.mean(dim=0, keepdim=True)
    norm = torch.linalg.vector_norm(centered, dim=0) / x.shape[0] ** 0.5
    return centered / norm.masked_fill(norm == 0, 1.0)


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


# %% pairwise_distances: norm of the differences
def pairwise_distances(a, b):
    return (a[:, None, :] - b[None, :, :]).norm(dim=-1)


# %% pairwise_distances: linalg and unsqueeze
def pairwise_distances(a, b):
    difference = torch.unsqueeze(a, dim=1) - torch.unsqueeze(b, dim=0)
    return torch.linalg.norm(difference, dim=2)


# %% pairwise_distances: numpy
def pairwise_distances(a, b):
    import numpy as np

    x, y = a.numpy(), b.numpy()
    return torch.from_numpy(np.sqrt(((x[:, np.newaxis] - y) ** 2).sum(axis=-1)))


# %% pairwise_distances: nested comprehension
def pairwise_distances(a, b):
    import math

    rows = [[math.dist(p, q) for q in b.tolist()] for p in a.tolist()]
    return torch.tensor(rows, dtype=a.dtype)


# %% pairwise_distances: component by component
def pairwise_distances(a, b):
    squares = torch.zeros(a.shape[0], b.shape[0], dtype=a.dtype)
    for j in range(a.shape[1]):
        squares = squares + (a[:, j].unsqueeze(1) - b[:, j].unsqueeze(0)) ** 2
    return torch.sqrt(squares)


# %% pairwise_distances: expanded copies
def pairwise_distances(a, b):
    N, M, d = len(a), len(b), a.shape[1]
    left = a.reshape(N, 1, d).expand(N, M, d)
    right = b.reshape(1, M, d).expand(N, M, d)
    return torch.nn.functional.pairwise_distance(left, right, eps=0.0)


# %% pairwise_distances: nested stack
def pairwise_distances(a, b):
    return torch.stack([torch.stack([torch.dist(p, q) for q in b]) for p in a])


# %% pairwise_distances: column by column
def pairwise_distances(a, b):
    columns = [((a - q) ** 2).sum(dim=1) ** 0.5 for q in b]
    return torch.stack(columns, dim=1)


# %% pairwise_distances: repeated rows
def pairwise_distances(a, b):
    N, M = a.shape[0], b.shape[0]
    left = a.repeat_interleave(M, dim=0)
    right = b.repeat(N, 1)
    return torch.sqrt(torch.sum(torch.pow(left - right, 2), dim=1)).view(N, M)


# %% pairwise_distances: torch.cdist with p
def pairwise_distances(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.cdist(x1=a, x2=b, p=2.0)


# %% pairwise_distances: meshgrid of indices
def pairwise_distances(a, b):
    i, j = torch.meshgrid(torch.arange(len(a)), torch.arange(len(b)), indexing="ij")
    return (a[i] - b[j]).square().sum(-1).sqrt()


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


# %% masked_mean: masked_fill
def masked_mean(x, mask):
    n = mask.sum(dim=1)
    total = x.masked_fill(~mask, 0).sum(dim=1)
    return total / torch.clamp(n, min=1)


# %% masked_mean: where on both sides
def masked_mean(x, mask):
    n = torch.sum(mask, dim=-1)
    total = torch.where(mask, x, 0.0).sum(-1)
    return torch.where(n > 0, total / n, 0.0)


# %% masked_mean: nanmean
def masked_mean(x, mask):
    means = torch.nanmean(torch.where(mask, x, torch.nan), dim=1)
    return torch.nan_to_num(means)


# %% masked_mean: plain Python
def masked_mean(x, mask):
    means = []
    for numbers, real in zip(x.tolist(), mask.tolist()):
        kept = [number for number, is_real in zip(numbers, real) if is_real]
        means.append(sum(kept) / len(kept) if kept else 0.0)
    return torch.tensor(means)


# %% masked_mean: matrix product of weights
def masked_mean(x, mask):
    weights = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)
    return (weights[:, None, :] @ x[:, :, None]).flatten()


# %% masked_mean: fills a tensor of zeros
def masked_mean(x, mask):
    result = torch.zeros(x.shape[0])
    for b in range(x.shape[0]):
        if mask[b].any():
            result[b] = x[b, mask[b]].mean()
    return result


# %% masked_mean: max with one
def masked_mean(x, mask):
    masked = x * mask.float()
    return masked.sum(axis=1) / mask.sum(axis=1).maximum(torch.ones(1))


# %% masked_mean: two sums with einsum
def masked_mean(x, mask):
    x = torch.where(mask, x, torch.tensor(0.0))
    total, n = torch.einsum("bl->b", x), torch.einsum("bl->b", mask.float())
    return total / torch.where(n == 0, 1.0, n)


# %% masked_mean: dot products
def masked_mean(x, mask):
    means = torch.zeros(len(x))
    for b, (row, real) in enumerate(zip(x, mask.float())):
        n = real.sum()
        if n > 0:
            means[b] = torch.dot(row, real) / n
    return means


# %% masked_mean: numpy
def masked_mean(x, mask):
    import numpy as np

    numbers, real = x.numpy(), mask.numpy()
    total = np.where(real, numbers, 0).sum(axis=1)
    return torch.from_numpy((total / np.maximum(real.sum(axis=1), 1)).astype(numbers.dtype))


# %% masked_mean: index_add
def masked_mean(x, mask):
    rows = mask.nonzero()[:, 0]
    total = torch.zeros(len(x)).index_add(0, rows, x[mask])
    count = torch.bincount(rows, minlength=len(x))
    return total / count.clamp(min=1)


# %% masked_mean: column by column
def masked_mean(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(x.shape[0])
    count = torch.zeros(x.shape[0])
    for column, real in zip(x.T, mask.T):
        total += torch.where(real, column, 0.0)
        count += real
    return total / torch.clamp(count, min=1.0)


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


# %% mean_squared_error_gradient: transposed with mv
def mean_squared_error_gradient(w, X, y):
    residual = torch.mv(X, w) - y
    return torch.mv(X.t(), residual).mul(2).div(X.shape[0])


# %% mean_squared_error_gradient: one weight at a time
def mean_squared_error_gradient(w, X, y):
    errors = X @ w - y
    return torch.stack([2 * (errors * X[:, j]).mean() for j in range(len(w))])


# %% mean_squared_error_gradient: columns
def mean_squared_error_gradient(w, X, y):
    w_column, y_column = w.reshape(-1, 1), y.reshape(-1, 1)
    gradient = (2 / len(X)) * X.T @ (X @ w_column - y_column)
    return gradient.squeeze(1)


# %% mean_squared_error_gradient: multiplied out
def mean_squared_error_gradient(w, X, y):
    N = X.shape[0]
    return 2 * (X.T @ X @ w - X.T @ y) / N


# %% mean_squared_error_gradient: numpy
def mean_squared_error_gradient(w, X, y):
    W, A, t = w.numpy(), X.numpy(), y.numpy()
    return torch.from_numpy(A.T.dot(A.dot(W) - t) * (2 / len(t))).to(w.dtype)


# %% mean_squared_error_gradient: outer and inner derivative
def mean_squared_error_gradient(w, X, y):
    def outer(error):
        return 2 * error

    inner = X
    errors = (inner * w).sum(dim=-1) - y
    return torch.mean(outer(errors).unsqueeze(-1) * inner, dim=0)


# %% mean_squared_error_gradient: inner and outer in one einsum
def mean_squared_error_gradient(w, X, y):
    prediction = torch.inner(X, w)
    return torch.einsum("nd,n->d", X, prediction - y).mul(2.0 / y.numel())


# %% mean_squared_error_gradient: comprehension over the reviews
def mean_squared_error_gradient(w, X, y):
    gradients = [2 * (torch.dot(x, w) - target) * x for x, target in zip(X, y)]
    return torch.stack(gradients).mean(dim=0)


# %% mean_squared_error_gradient: autograd
def mean_squared_error_gradient(w, X, y):
    w = w.detach().clone().requires_grad_(True)
    loss = ((X @ w - y) ** 2).mean()
    (gradient,) = torch.autograd.grad(loss, w)
    return gradient


# %% mean_squared_error_gradient: linear and bmm
def mean_squared_error_gradient(w, X, y):
    e = torch.nn.functional.linear(X, w.unsqueeze(0)).squeeze(1) - y
    product = torch.bmm(e.view(1, 1, -1), X.unsqueeze(0))
    return 2 * product.flatten() / e.shape[0]


# %% mean_squared_error_gradient: diagonal of the errors
def mean_squared_error_gradient(
    w: torch.Tensor, X: torch.Tensor, y: torch.Tensor
) -> torch.Tensor:
    errors = torch.matmul(X, w).sub(y)
    return torch.diag(errors).matmul(X).sum(dim=0).div(len(errors) / 2)


# %% numerical_gradient: two clones
def numerical_gradient(f, x, eps):
    gradient = torch.zeros_like(x)
    for i in range(x.shape[0]):
        up, down = x.clone(), x.clone()
        up[i] += eps
        down[i] -= eps
        gradient[i] = (f(up) - f(down)) / (2 * eps)
    return gradient


# %% numerical_gradient: a helper for one slope
def numerical_gradient(f, x, eps):
    def slope(i):
        e = torch.zeros_like(x)
        e[i] = eps
        return (f(x + e).item() - f(x - e).item()) / (2 * eps)

    return torch.tensor([slope(i) for i in range(len(x))], dtype=x.dtype)


# %% numerical_gradient: a copy that is put back
def numerical_gradient(f, x, eps):
    point = x.clone()
    gradient = torch.empty_like(x)
    for i in range(len(x)):
        old = point[i].item()
        point[i] = old + eps
        above = f(point)
        point[i] = old - eps
        below = f(point)
        point[i] = old
        gradient[i] = (above - below) / (2 * eps)
    return gradient


# %% numerical_gradient: list comprehension over one-hot vectors
def numerical_gradient(f, x, eps):
    d = x.shape[0]
    one_hot = torch.nn.functional.one_hot(torch.arange(d), d).to(x.dtype)
    slopes = [(f(x + eps * e) - f(x - eps * e)) / eps / 2 for e in one_hot]
    return torch.stack(slopes)


# %% numerical_gradient: all points first
def numerical_gradient(f, x, eps):
    steps = torch.diag(torch.full_like(x, eps))
    up = torch.stack([f(point) for point in x + steps])
    down = torch.stack([f(point) for point in x - steps])
    return (up - down) / (2 * eps)


# %% numerical_gradient: enumerate and append
def numerical_gradient(f, x, eps):
    slopes = []
    for i, value in enumerate(x):
        plus, minus = x.clone(), x.clone()
        plus[i], minus[i] = value + eps, value - eps
        slopes.append((f(plus) - f(minus)) / (plus[i] - minus[i]))
    return torch.stack(slopes).to(dtype=x.dtype)


# %% numerical_gradient: torch.where for the coordinate
def numerical_gradient(f, x, eps):
    index = torch.arange(x.numel())
    gradient = torch.zeros_like(x)
    for i in index:
        up = f(torch.where(index == i, x + eps, x))
        down = f(torch.where(index == i, x - eps, x))
        gradient[i] = 0.5 * (up - down) / eps
    return gradient


# %% numerical_gradient: two one-sided differences
def numerical_gradient(f, x, eps):
    middle = f(x)
    e = torch.eye(len(x), dtype=x.dtype) * eps
    right = torch.stack([(f(x + step) - middle) / eps for step in e])
    left = torch.stack([(middle - f(x - step)) / eps for step in e])
    return (right + left) / 2


# %% numerical_gradient: index_fill for the step
def numerical_gradient(f, x, eps):
    result = torch.zeros(len(x), dtype=x.dtype)
    for i in range(len(x)):
        e = torch.zeros_like(x).index_fill(0, torch.tensor([i]), eps)
        result[i] = (f(x + e) - f(x - e)) / (2.0 * eps)
    return result


# %% numerical_gradient: map over the coordinates
def numerical_gradient(f, x, eps):
    def moved(i, step):
        y = x.clone()
        y[i] = y[i] + step
        return y

    def slope(i):
        return (f(moved(i, eps)) - f(moved(i, -eps))) / (2 * eps)

    return torch.stack(list(map(slope, range(len(x))))).to(x.dtype)


# %% numerical_gradient: numpy for the steps
def numerical_gradient(f, x, eps):
    import numpy as np

    steps = torch.from_numpy(np.eye(len(x)) * eps).to(x.dtype)
    above = torch.tensor([f(x + step).item() for step in steps], dtype=x.dtype)
    below = torch.tensor([f(x - step).item() for step in steps], dtype=x.dtype)
    return (above - below) / (2 * eps)


# %% numerical_gradient: concatenates the parts around the coordinate
def numerical_gradient(f, x, eps):
    slopes = []
    for i in range(x.numel()):
        up = torch.cat([x[:i], x[i : i + 1] + eps, x[i + 1 :]])
        down = torch.cat([x[:i], x[i : i + 1] - eps, x[i + 1 :]])
        slopes.append((f(up) - f(down)) / (2 * eps))
    return torch.stack(slopes)


# %% seeded_sample: normal
def seeded_sample(n, seed):
    g = torch.Generator()
    g.manual_seed(seed)
    return torch.randn((n,), generator=g)


# %% seeded_sample: torch.normal
def seeded_sample(n, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.normal(0.0, 1.0, size=(n,), generator=generator)


# %% seeded_sample: empty and normal_
def seeded_sample(n, seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.empty(n).normal_(generator=generator)


# %% seeded_sample: a shape tuple and keyword arguments
def seeded_sample(n: int, seed: int) -> torch.Tensor:
    own = torch.Generator(device="cpu")
    own.manual_seed(seed)
    return torch.randn(size=(n,), generator=own, dtype=torch.float32)


# %% seeded_sample: the first row of a table
def seeded_sample(n, seed):
    g = torch.Generator()
    g = g.manual_seed(seed)
    return torch.randn(1, n, generator=g)[0]


# %% seeded_sample: normal with a tensor of means
def seeded_sample(n, seed):
    gen = torch.Generator().manual_seed(seed)
    return torch.normal(mean=torch.zeros(n), std=torch.ones(n), generator=gen)


# %% seeded_sample: keeps and restores the state
def seeded_sample(n, seed):
    state = torch.get_rng_state()
    torch.manual_seed(seed)
    numbers = torch.randn(n)
    torch.set_rng_state(state)
    return numbers


# %% seeded_sample: randn with out
def seeded_sample(n, seed):
    sample = torch.empty(n)
    torch.randn(n, generator=torch.Generator().manual_seed(seed), out=sample)
    return sample


# %% seeded_sample: a helper that makes the generator
def generator_for(seed):
    generator = torch.Generator()
    generator.manual_seed(seed)
    return generator


def seeded_sample(n, seed):
    return torch.randn(n, generator=generator_for(seed))
