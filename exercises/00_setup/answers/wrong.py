# %% word_lengths: the total instead of a list | adds_up
def word_lengths(words):
    total = 0
    for word in words:
        total += len(word)
    return total


# %% standardize: divides by N - 1 | sample_deviation_guarded
def standardize(x):
    mean = x.mean(dim=0)
    std = x.std(dim=0)
    std[std == 0] = 1
    return (x - mean) / std


# %% standardize: changes the table it was given | in_place
def standardize(x):
    x -= x.mean(dim=0)
    sigma = x.std(dim=0, unbiased=False)
    x /= torch.where(sigma == 0, torch.ones_like(sigma), sigma)
    return x


# %% pairwise_distances: no square root | squared
def pairwise_distances(a, b):
    diff = a[:, None, :] - b[None, :, :]
    return (diff * diff).sum(dim=-1)


# %% pairwise_distances: adds up along the wrong axis | wrong_axis
# -     return difference.square().sum(dim=-1).sqrt()
# +     return torch.sqrt((difference**2).sum(dim=1))


# %% masked_mean: divides by the length of the row | counts_padding
def masked_mean(x, mask):
    return (x * mask).mean(dim=1)


# %% masked_mean: NaN for a row without a real position | empty_text_is_nan
def masked_mean(x, mask):
    total = (x * mask).sum(dim=1)
    count = mask.sum(dim=1)
    return total / count


# %% mean_squared_error_gradient: forgets the factor 2 | without_two
# -     return 2 / len(y) * (X.T @ errors)
# +     return X.T @ errors / len(y)


# %% mean_squared_error_gradient: a sum, not a mean | sum_of_squares
def mean_squared_error_gradient(w, X, y):
    prediction = X @ w
    return 2 * X.T @ (prediction - y)


# %% numerical_gradient: the second name of x is no copy | second_name
# edits: two clones
# -     for i in range(x.shape[0]):
# -         up, down = x.clone(), x.clone()
# +     for i in range(len(x)):
# +         up = x
# +         down = x


# %% numerical_gradient: a step to one side only | forward_only
def numerical_gradient(f, x, eps):
    gradient = torch.zeros_like(x)
    for i in range(len(x)):
        up = x.clone()
        up[i] += eps
        gradient[i] = (f(up) - f(x)) / eps
    return gradient


# %% seeded_sample: a generator that is never seeded |
# -     generator = torch.Generator().manual_seed(seed)
# +     generator = torch.Generator()
# +     generator.seed()


# %% word_lengths: the length of the first word | returns_the_first_length
def word_lengths(words):
    for w in words:
        n = len(w)
        return n


# %% word_lengths: leaves out the last word | stops_before_the_last
def word_lengths(words):
    lengths = []
    for i in range(len(words) - 1):
        lengths.append(len(words[i]))
    return lengths


# %% pairwise_distances: subtracts without new axes | row_by_row
def pairwise_distances(a, b):
    return torch.sqrt(((a - b) ** 2).sum(dim=1))


# %% pairwise_distances: subtracts without new axes, and adds up everything | row_by_row_to_one_number
def pairwise_distances(a, b):
    return torch.norm(a - b)


# %% pairwise_distances: adds up everything | one_number
def pairwise_distances(a, b):
    diff = a.unsqueeze(1) - b.unsqueeze(0)
    return torch.sqrt((diff**2).sum())


# %% masked_mean: one count for the whole batch | divides_by_the_whole_batch
def masked_mean(x, mask):
    return (x * mask).sum(dim=1) / mask.sum()


# %% masked_mean: sums without a dim | one_mean_for_all_texts
def masked_mean(x, mask):
    return (x * mask).sum() / mask.sum()


# %% mean_squared_error_gradient: errors without a second axis | errors_as_a_row
# -     return 2 / len(y) * (X.T @ errors)
# +     return 2 * (errors * X).mean(dim=0)


# %% standardize: the root is forgotten | divides_by_variance
def standardize(x):
    mu = x.mean(dim=0)
    var = ((x - mu) ** 2).mean(dim=0)
    return torch.where(var > 0, (x - mu) / var, torch.zeros_like(x))


# %% standardize: one mean and one deviation for the table | whole_table_population
def standardize(x):
    mu = x.mean()
    sigma = x.std(unbiased=False)
    if sigma == 0:
        return torch.zeros_like(x)
    return (x - mu) / sigma


# %% pairwise_distances: the mean of the squares | averages_the_squares
# -     return difference.square().sum(dim=-1).sqrt()
# +     return (difference ** 2).mean(dim=-1).sqrt()


# %% masked_mean: counts the numbers that are not 0 | counts_real_numbers_that_are_not_zero
def masked_mean(x, mask):
    x = x * mask
    n = (x != 0).sum(dim=1).clamp(min=1)
    return x.sum(dim=1) / n


# %% mean_squared_error_gradient: y minus the prediction | wrong_sign
def mean_squared_error_gradient(w, X, y):
    return 2 / len(y) * X.T @ (y - X @ w)


# %% mean_squared_error_gradient: divides by the number of entries | divides_by_all_entries
def mean_squared_error_gradient(w, X, y):
    return 2 * X.T @ (X @ w - y) / X.numel()


# %% numerical_gradient: the second step only leads back | half_a_step_over_the_whole_width
def numerical_gradient(f, x, eps):
    grad = torch.zeros_like(x)
    point = x.clone()
    for i in range(len(x)):
        point[i] += eps
        up = f(point)
        point[i] -= eps
        down = f(point)
        grad[i] = (up - down) / (2 * eps)
    return grad


# %% seeded_sample: a generator that randn does not get | forgets_to_pass_it
# edits: RIGHT normal_in_place
# -     return torch.empty(n).normal_(generator=generator)
# +     return torch.randn(n)


# %% seeded_sample: NumPy's numbers | draws_with_numpy
def seeded_sample(n, seed):
    import numpy as np

    return torch.tensor(np.random.RandomState(seed).randn(n), dtype=torch.float32)


# %% seeded_sample: the numbers of NumPy's default_rng | draws_with_default_rng
def seeded_sample(n, seed):
    import numpy as np

    rng = np.random.default_rng(seed)
    return torch.tensor(rng.normal(size=n), dtype=torch.float32)


# %% standardize: the mean of the whole table, a deviation per column | one_mean_for_all_columns
def standardize(x):
    sigma = x.std(dim=0, unbiased=False)
    sigma[sigma == 0] = 1
    return (x - x.mean()) / sigma


# %% mean_squared_error_gradient: no inner derivative | forgets_the_inner_derivative
def mean_squared_error_gradient(w, X, y):
    return (2 * (X @ w - y)).mean()


# %% masked_mean: down the columns | down_the_columns
def masked_mean(x, mask):
    n = mask.sum(0)
    return torch.where(mask, x, 0).sum(0) / n.clamp(min=1)


# %% numerical_gradient: only one step, backwards | backward_only
def numerical_gradient(f, x, eps):
    g = torch.zeros_like(x)
    for i in range(len(x)):
        low = x.clone()
        low[i] -= eps
        g[i] = (f(x) - f(low)) / eps
    return g


# %% standardize: the root of the sum of squares | divides_by_the_norm
def standardize(x):
    c = x - x.mean(dim=0)
    s = (c ** 2).sum(dim=0).sqrt()
    return c / torch.where(s > 0, s, 1.0)


# %% standardize: from zero to one | scales_from_zero_to_one
def standardize(x):
    lo, hi = x.min(dim=0).values, x.max(dim=0).values
    span = hi - lo
    return (x - lo) / torch.where(span > 0, span, 1.0)


# %% masked_mean: fills where the mask is True | adds_up_the_padding
def masked_mean(x, mask):
    x = x.masked_fill(mask, 0)
    return x.sum(dim=1) / mask.sum(dim=1).clamp(min=1)


# %% masked_mean: keepdim | keeps_the_axis
def masked_mean(x, mask):
    return (x * mask).sum(dim=1, keepdim=True) / mask.sum(dim=1, keepdim=True).clamp(min=1)


# %% masked_mean: keepdim in the count only | row_divided_by_a_column
def masked_mean(x, mask):
    return (x * mask).sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)


# %% pairwise_distances: keepdim | keeps_the_last_axis
def pairwise_distances(a, b):
    return ((a[:, None] - b[None]) ** 2).sum(-1, keepdim=True).sqrt()


# %% pairwise_distances: expands the square without its 2 | forgets_the_factor_two
def pairwise_distances(a, b):
    squares = (a**2).sum(dim=1)[:, None] + (b**2).sum(dim=1)[None, :]
    return (squares - a @ b.T).clamp(min=0).sqrt()


# %% mean_squared_error_gradient: errors times rows, not added up | does_not_add_up
# -     return 2 / len(y) * (X.T @ errors)
# +     return 2 * errors[:, None] * X / len(y)


# %% word_lengths: a dict, which has each word once | counts_each_word_once
def word_lengths(words):
    lengths = {}
    for word in words:
        lengths[word] = len(word)
    return list(lengths.values())


# %% word_lengths: bytes, not characters | counts_bytes
def word_lengths(words):
    result = []
    for w in words:
        result.append(len(w.encode("utf-8")))
    return result


# %% word_lengths: different characters only | counts_different_characters
def word_lengths(words):
    return [len(set(word)) for word in words]


# %% standardize: one deviation for the whole table | one_deviation_for_all_columns
def standardize(x):
    mu = x.mean(0, keepdim=True)
    sigma = x.std(unbiased=False)
    if sigma == 0:
        return torch.zeros_like(x)
    return (x - mu) / sigma


# %% standardize: one deviation for the whole table, torch's own | one_sample_deviation_for_all_columns
def standardize(x):
    s = x.std()
    return (x - x.mean(dim=0)) / (s if s > 0 else 1)


# %% standardize: one deviation after centering | one_deviation_of_the_centered_table
def standardize(x):
    c = x - x.mean(dim=0, keepdim=True)
    s = (c**2).mean().sqrt()
    return c / s if s > 0 else c


# %% standardize: zeros everywhere if a column is constant | zeros_for_the_whole_table
def standardize(x):
    std = x.std(dim=0, unbiased=False)
    if (std == 0).any():
        return torch.zeros_like(x)
    return (x - x.mean(dim=0)) / std


# %% masked_mean: divides by the length of the longest text | divides_by_the_longest_count
def masked_mean(x, mask):
    total = torch.where(mask, x, torch.zeros_like(x)).sum(dim=-1)
    longest = mask.sum(dim=-1).max().clamp(min=1)
    return total / longest


# %% masked_mean: the first n positions of each row | takes_the_first_positions
def masked_mean(x, mask):
    means = torch.zeros(len(x), dtype=x.dtype)
    for i, n in enumerate(mask.sum(dim=1).tolist()):
        if n > 0:
            means[i] = x[i, :n].mean()
    return means


# %% mean_squared_error_gradient: a column minus a row, then a mean | column_minus_row_averaged
def mean_squared_error_gradient(w, X, y):
    predictions = X @ w.reshape(-1, 1)
    error = predictions - y
    return 2 * (X.T @ error).mean(dim=1) / len(y)


# %% mean_squared_error_gradient: a column minus a row, then a sum | column_minus_row_summed
def mean_squared_error_gradient(w, X, y):
    e = X @ w.unsqueeze(1) - y
    return (2 / len(y)) * (e.T @ X).sum(dim=0)


# %% mean_squared_error_gradient: a row minus a column, then a mean | row_minus_column_averaged
def mean_squared_error_gradient(w, X, y):
    e = X @ w - y.reshape(-1, 1)
    return 2 * (X.T @ e).mean(1) / X.shape[0]


# %% mean_squared_error_gradient: the product of two means | multiplies_the_means
def mean_squared_error_gradient(w, X, y):
    error = (X @ w - y).mean()
    return 2 * error * X.mean(dim=0)


# %% mean_squared_error_gradient: the errors stay squared | keeps_the_square
def mean_squared_error_gradient(w, X, y):
    error = (X @ w - y) ** 2
    return 2 / len(y) * (X.T @ error)


# %% numerical_gradient: steps on x itself and goes back, up to rounding | goes_back_up_to_rounding
def numerical_gradient(f, x, eps):
    g = torch.zeros_like(x)
    for i in range(x.numel()):
        x[i] += eps
        above = f(x).item()
        x[i] -= 2 * eps
        below = f(x).item()
        x[i] += eps
        g[i] = (above - below) / (2 * eps)
    return g


# %% numerical_gradient: half a step to either side | steps_of_half_eps
# -         step[i] = eps
# -         gradient[i] = (f(x + step) - f(x - step)) / (2 * eps)
# +         step[i] = eps / 2
# +         gradient[i] = (f(x + step) - f(x - step)) / eps
