# %% skip_gram_pairs: two loops over positions
def skip_gram_pairs(ids, window):
    pairs = []
    for i in range(len(ids)):
        for j in range(len(ids)):
            if i != j and abs(i - j) <= window:
                pairs.append((ids[i], ids[j]))
    return torch.tensor(pairs, dtype=torch.int64).view(-1, 2)


# %% skip_gram_pairs: offsets
def skip_gram_pairs(ids, window):
    offsets = [d for d in range(-window, window + 1) if d != 0]
    pairs = [
        [ids[i], ids[i + d]] for i in range(len(ids)) for d in offsets if 0 <= i + d < len(ids)
    ]
    return torch.tensor(pairs) if pairs else torch.zeros(0, 2, dtype=torch.int64)


# %% skip_gram_pairs: all pairs, filtered by distance
def skip_gram_pairs(ids, window):
    n = len(ids)
    pairs = [
        [ids[i], ids[j]] for i in range(n) for j in range(n) if i != j and abs(i - j) <= window
    ]
    return torch.tensor(pairs, dtype=torch.int64).view(-1, 2)


# %% skip_gram_pairs: a mask and nonzero
def skip_gram_pairs(ids, window):
    t = torch.tensor(ids, dtype=torch.long)
    at = torch.arange(len(ids))
    distance = (at[:, None] - at[None, :]).abs()
    i, j = torch.nonzero((distance > 0) & (distance <= window), as_tuple=True)
    return torch.stack([t[i], t[j]], dim=1)


# %% skip_gram_pairs: early return
def skip_gram_pairs(ids, window):
    if len(ids) < 2:
        return torch.empty((0, 2), dtype=torch.long)
    centers, contexts = [], []
    for i in range(len(ids)):
        for j in range(max(0, i - window), min(len(ids), i + window + 1)):
            if j == i:
                continue
            centers.append(ids[i])
            contexts.append(ids[j])
    return torch.tensor([centers, contexts]).T


# %% skip_gram_pairs: a generator beside it
def neighbors(ids, i, window):
    yield from ids[max(i - window, 0) : i]
    yield from ids[i + 1 : i + window + 1]


def skip_gram_pairs(ids, window):
    pairs = [(ids[i], context) for i in range(len(ids)) for context in neighbors(ids, i, window)]
    if not pairs:
        return torch.zeros(0, 2, dtype=torch.int64)
    return torch.tensor(pairs)


# %% skip_gram_pairs: built from examples of CBOW
def skip_gram_pairs(ids: list[int], window: int) -> torch.Tensor:
    rows = []
    for context, center in cbow_examples(ids, window):
        rows.extend([center, outside] for outside in context)
    return torch.LongTensor(rows).reshape(len(rows), 2)


# %% skip_gram_pairs: numpy
def skip_gram_pairs(ids, window):
    import numpy as np

    found = []
    for i, center in enumerate(ids):
        for offset in range(-window, window + 1):
            if offset and 0 <= i + offset < len(ids):
                found.append((center, ids[i + offset]))
    return torch.from_numpy(np.array(found, dtype=np.int64).reshape(-1, 2))


# %% cbow_examples: enumerates the window
def cbow_examples(ids, window):
    examples = []
    for i, center in enumerate(ids):
        start = max(0, i - window)
        context = [w for j, w in enumerate(ids[start : i + window + 1], start) if j != i]
        if context:
            examples.append((context, center))
    return examples


# %% cbow_examples: a comprehension
def cbow_examples(ids, window):
    n = len(ids)
    if n < 2:
        return []
    return [
        ([ids[j] for j in range(max(0, i - window), min(n, i + window + 1)) if j != i], ids[i])
        for i in range(n)
    ]


# %% cbow_examples: pops the center
def cbow_examples(ids, window):
    examples = []
    for i in range(len(ids)):
        start = max(0, i - window)
        around = list(ids[start : i + window + 1])
        center = around.pop(i - start)
        if len(around) > 0:
            examples.append((around, center))
    return examples


# %% cbow_examples: early return, then a comprehension
def cbow_examples(ids, window):
    if len(ids) <= 1:
        return []

    def context(i):
        return ids[max(i - window, 0) : i] + ids[i + 1 : i + 1 + window]

    return [(context(i), word) for i, word in enumerate(ids)]


# %% cbow_examples: offsets
def cbow_examples(ids, window):
    offsets = [o for o in range(-window, window + 1) if o != 0]
    result = []
    for i, word in enumerate(ids):
        context = [ids[i + o] for o in offsets if 0 <= i + o < len(ids)]
        if context != []:
            result += [(context, word)]
    return result


# %% cbow_examples: padded with None
def cbow_examples(ids, window):
    padded = [None] * window + list(ids) + [None] * window
    examples = []
    for i, word in enumerate(ids):
        left, right = padded[i : i + window], padded[i + window + 1 : i + 2 * window + 1]
        context = [w for w in left + right if w is not None]
        if context:
            examples.append((context, word))
    return examples


# %% cbow_examples: zip of contexts and words
def cbow_examples(ids, window):
    n = len(ids)
    contexts = [
        [ids[j] for j in range(n) if j != i and abs(j - i) <= window] for i in range(n)
    ]
    return [(context, word) for context, word in zip(contexts, ids) if context]


# %% cbow_examples: a generator
def cbow_examples(ids: list[int], window: int) -> list[tuple[list[int], int]]:
    def examples():
        for i in range(len(ids)):
            left, right = ids[:i][-window:], ids[i + 1 :][:window]
            if left or right:
                yield [*left, *right], ids[i]

    return list(examples())


# %% softmax_loss: by hand
def softmax_loss(v_c, U, o):
    s = U @ v_c
    m = s.max()
    return -s[o] + m + torch.log(torch.exp(s - m).sum())


# %% softmax_loss: log_softmax
def softmax_loss(v_c, U, o):
    return -torch.log_softmax((U * v_c).sum(dim=1), dim=0)[o]


# %% softmax_loss: nll_loss
def softmax_loss(v_c, U, o):
    scores = torch.mv(U, v_c)
    return torch.nn.functional.nll_loss(scores.log_softmax(-1), torch.tensor(o))


# %% softmax_loss: cross_entropy
def softmax_loss(v_c, U, o):
    scores = torch.matmul(U, v_c).unsqueeze(0)
    return torch.nn.functional.cross_entropy(scores, torch.tensor([o]))


# %% softmax_loss: einsum and the method logsumexp
def softmax_loss(v_c, U, o):
    s = torch.einsum("wd,d->w", U, v_c)
    return s.logsumexp(0) - s[o]


# %% softmax_loss: relative to the true score
def softmax_loss(v_c, U, o):
    s = (U * v_c).sum(dim=1)
    return torch.logsumexp(s - s[o], dim=0)


# %% softmax_loss: maximum subtracted, with mv
def softmax_loss(v_c, U, o):
    scores = U.mv(v_c)
    m = torch.max(scores)
    return m - scores[o] + (scores - m).exp().sum().log()


# %% softmax_loss: one-hot times log-probabilities
def softmax_loss(v_c, U, o):
    y = torch.zeros(len(U), dtype=v_c.dtype)
    y[o] = 1.0
    log_p = torch.nn.functional.log_softmax(U @ v_c, dim=-1)
    return -(y * log_p).sum()


# %% softmax_loss: logaddexp word by word
def softmax_loss(v_c, U, o):
    scores = [torch.dot(u, v_c) for u in U]
    total = scores[0]
    for s in scores[1:]:
        total = torch.logaddexp(total, s)
    return total - scores[o]


# %% softmax_loss: gathers from log-probabilities
def softmax_loss(v_c: torch.Tensor, U: torch.Tensor, o: int) -> torch.Tensor:
    log_probabilities = (U @ v_c).log_softmax(dim=0)
    return -log_probabilities.gather(0, torch.tensor(o))


# %% softmax_gradients: y as a tensor
def softmax_gradients(v_c, U, o):
    p = torch.softmax(U @ v_c, dim=0)
    y = torch.zeros_like(p)
    y[o] = 1
    return U.T @ (p - y), torch.outer(p - y, v_c)


# %% softmax_gradients: a loop over the rows
def softmax_gradients(v_c, U, o):
    p = (U @ v_c).softmax(0)
    for_U = torch.empty_like(U)
    for w in range(len(U)):
        for_U[w] = (p[w] - (1 if w == o else 0)) * v_c
    p[o] -= 1
    return p @ U, for_U


# %% softmax_gradients: einsum and one_hot
def softmax_gradients(v_c, U, o):
    p = torch.nn.functional.softmax(torch.einsum("wd,d->w", U, v_c), dim=0)
    y = torch.nn.functional.one_hot(torch.tensor(o), len(U)).to(p.dtype)
    e = p - y
    return torch.einsum("w,wd->d", e, U), torch.einsum("w,d->wd", e, v_c)


# %% softmax_gradients: outer
def softmax_gradients(v_c, U, o):
    scores = U @ v_c
    p = torch.exp(scores - scores.logsumexp(dim=0))
    p[o] = p[o] - 1
    return p @ U, torch.outer(p, v_c)


# %% softmax_gradients: the softmax by hand
def softmax_gradients(v_c, U, o):
    scores = U.matmul(v_c)
    e = torch.exp(scores - scores.max())
    p = e / e.sum()
    errors = torch.where(torch.arange(len(p)) == o, p - 1, p)
    return (errors.unsqueeze(1) * U).sum(dim=0), errors.unsqueeze(1) * v_c.unsqueeze(0)


# %% softmax_gradients: autograd
def softmax_gradients(v_c, U, o):
    v = v_c.detach().clone().requires_grad_(True)
    W = U.detach().clone().requires_grad_(True)
    loss = softmax_loss(v, W, o)
    return torch.autograd.grad(loss, (v, W))


# %% softmax_gradients: mean of the vectors minus the true one
def softmax_gradients(v_c, U, o):
    p = torch.softmax((U * v_c).sum(-1), dim=-1)
    for_v = (p[:, None] * U).sum(0) - U[o]
    for_U = p[:, None] * v_c
    for_U[o] -= v_c
    return for_v, for_U


# %% softmax_gradients: columns and matrix products
def softmax_gradients(v_c, U, o):
    v = v_c.reshape(-1, 1)
    p = torch.softmax(U @ v, dim=0)
    y = torch.zeros_like(p)
    y[o, 0] = 1
    return (U.T @ (p - y)).flatten(), (p - y) @ v.T


# %% noise_distribution: masked_fill
def noise_distribution(counts, power=0.75):
    powers = (counts.float() ** power).masked_fill(counts == 0, 0.0)
    return powers / powers.sum() if powers.sum() > 0 else powers


# %% noise_distribution: a list
def noise_distribution(counts, power=0.75):
    powers = [n**power if n > 0 else 0.0 for n in counts.tolist()]
    total = sum(powers) or 1.0
    return torch.tensor([p / total for p in powers])


# %% noise_distribution: multiplies by the mask
def noise_distribution(counts, power=0.75):
    q = torch.pow(counts.to(torch.float32), power) * (counts > 0)
    total = q.sum()
    return torch.where(total > 0, q / total.clamp(min=1e-9), torch.zeros_like(q))


# %% noise_distribution: pow and clamp
def noise_distribution(counts, power=0.75):
    p = counts.to(torch.float32).pow(power) * (counts > 0)
    return p / p.sum().clamp(min=1e-30)


# %% noise_distribution: early return
def noise_distribution(counts, power=0.75):
    if counts.sum() == 0:
        return torch.zeros(len(counts))
    weights = torch.pow(counts.float(), power)
    weights[counts == 0] = 0.0
    return weights / torch.sum(weights)


# %% noise_distribution: only the words that occur
def noise_distribution(counts, power=0.75):
    q = torch.zeros(counts.shape, dtype=torch.float32)
    occurs = counts > 0
    if occurs.any():
        n = counts[occurs].float() ** power
        q[occurs] = n / n.sum()
    return q


# %% noise_distribution: numpy
def noise_distribution(counts, power=0.75):
    import numpy as np

    n = counts.numpy()
    powers = np.where(n > 0, np.power(n.astype(np.float64), power), 0)
    total = powers.sum()
    return torch.tensor(powers / total if total > 0 else powers, dtype=torch.float32)


# %% noise_distribution: exponential of logarithms
def noise_distribution(counts, power=0.75):
    if not counts.any():
        return torch.zeros(counts.shape)
    logs = torch.where(counts > 0, power * torch.log(counts.float()), -torch.inf)
    return torch.softmax(logs, dim=0)


# %% noise_distribution: normalize
def noise_distribution(counts, power=0.75):
    powers = [float(n) ** power if n > 0 else 0.0 for n in counts.tolist()]
    return torch.nn.functional.normalize(torch.tensor(powers), p=1, dim=0)


# %% negative_sampling_loss: softplus
def negative_sampling_loss(v_c, u_o, U_neg):
    softplus = torch.nn.functional.softplus
    return softplus(-(u_o @ v_c)) + softplus(U_neg @ v_c).sum()


# %% negative_sampling_loss: a helper by hand
def negative_sampling_loss(v_c, u_o, U_neg):
    def surprise(s):
        return (-s).clamp(min=0) + torch.log1p(torch.exp(-s.abs()))

    return surprise(u_o @ v_c) + surprise(-(U_neg @ v_c)).sum()


# %% negative_sampling_loss: one vector of signed scores
def negative_sampling_loss(v_c, u_o, U_neg):
    vectors = torch.cat([u_o[None], -U_neg])
    return -torch.nn.functional.logsigmoid(vectors @ v_c).sum()


# %% negative_sampling_loss: binary cross-entropy
def negative_sampling_loss(v_c, u_o, U_neg):
    U = torch.cat([u_o.unsqueeze(0), U_neg])
    y = torch.zeros(len(U), dtype=v_c.dtype)
    y[0] = 1
    return torch.nn.functional.binary_cross_entropy_with_logits(U @ v_c, y, reduction="sum")


# %% negative_sampling_loss: a loop over the negatives
def negative_sampling_loss(v_c, u_o, U_neg):
    loss = -torch.nn.functional.logsigmoid(torch.dot(u_o, v_c))
    for u in U_neg:
        loss = loss - torch.nn.functional.logsigmoid(-torch.dot(u, v_c))
    return loss


# %% negative_sampling_loss: logaddexp with zero
def negative_sampling_loss(v_c, u_o, U_neg):
    zero = torch.zeros((), dtype=v_c.dtype)
    positive = torch.logaddexp(zero, -(u_o * v_c).sum())
    negative = torch.logaddexp(zero, (U_neg * v_c).sum(dim=1))
    return positive + negative.sum()


# %% negative_sampling_loss: einsum and the module LogSigmoid
def negative_sampling_loss(v_c, u_o, U_neg):
    log_sigmoid = torch.nn.LogSigmoid()
    real = log_sigmoid(torch.einsum("d,d->", u_o, v_c))
    made_up = log_sigmoid(-torch.einsum("kd,d->k", U_neg, v_c))
    return -(real + made_up.sum())


# %% negative_sampling_loss: stacked with a minus
def negative_sampling_loss(v_c, u_o, U_neg):
    rows = torch.vstack([u_o, -U_neg])
    return -torch.nn.functional.logsigmoid(rows.matmul(v_c)).sum()


# %% negative_sampling_loss: max plus log1p
def negative_sampling_loss(v_c, u_o, U_neg):
    against = torch.cat([-(u_o @ v_c).reshape(1), U_neg @ v_c])
    return (torch.clamp(against, min=0) + torch.log1p(torch.exp(-torch.abs(against)))).sum()


# %% negative_sampling_gradients: outer
def negative_sampling_gradients(v_c, u_o, U_neg):
    e_o = torch.sigmoid(torch.dot(u_o, v_c)) - 1
    e = torch.sigmoid(U_neg @ v_c)
    return e_o * u_o + e @ U_neg, e_o * v_c, torch.outer(e, v_c)


# %% negative_sampling_gradients: all words together
def negative_sampling_gradients(v_c, u_o, U_neg):
    U = torch.cat([u_o[None], U_neg])
    y = torch.zeros(len(U), dtype=U.dtype)
    y[0] = 1
    errors = torch.sigmoid(U @ v_c) - y
    for_U = errors[:, None] * v_c
    return U.T @ errors, for_U[0], for_U[1:]


# %% negative_sampling_gradients: einsum
def negative_sampling_gradients(v_c, u_o, U_neg):
    e_o = torch.sigmoid(torch.dot(u_o, v_c)) - 1
    e_neg = torch.sigmoid(torch.einsum("kd,d->k", U_neg, v_c))
    for_v = e_o * u_o + torch.einsum("k,kd->d", e_neg, U_neg)
    return for_v, e_o * v_c, torch.einsum("k,d->kd", e_neg, v_c)


# %% negative_sampling_gradients: sigmoid of minus the score
def negative_sampling_gradients(v_c, u_o, U_neg):
    error = -torch.sigmoid(-(u_o @ v_c))
    errors = torch.sigmoid(U_neg @ v_c).unsqueeze(1)
    return error * u_o + (errors * U_neg).sum(dim=0), error * v_c, errors * v_c


# %% negative_sampling_gradients: a loop over the negatives
def negative_sampling_gradients(v_c, u_o, U_neg):
    error = torch.sigmoid(u_o @ v_c) - 1
    for_v, for_u = error * u_o, error * v_c
    for_neg = torch.zeros_like(U_neg)
    for j, u in enumerate(U_neg):
        s = torch.sigmoid(u @ v_c)
        for_v = for_v + s * u
        for_neg[j] = s * v_c
    return for_v, for_u, for_neg


# %% negative_sampling_gradients: autograd
def negative_sampling_gradients(v_c, u_o, U_neg):
    inputs = [t.detach().clone().requires_grad_() for t in (v_c, u_o, U_neg)]
    negative_sampling_loss(*inputs).backward()
    return inputs[0].grad, inputs[1].grad, inputs[2].grad


# %% negative_sampling_gradients: vector times matrix
def negative_sampling_gradients(v_c, u_o, U_neg):
    s = (u_o * v_c).sum().sigmoid()
    p = U_neg.mv(v_c).sigmoid()
    for_v = (s - 1) * u_o + p.matmul(U_neg)
    return for_v, (s - 1) * v_c, p.outer(v_c)


# %% negative_sampling_gradients: a helper for the error
def negative_sampling_gradients(v_c, u_o, U_neg):
    def error(u, label):
        return torch.sigmoid((u * v_c).sum(dim=-1, keepdim=True)) - label

    real, drawn = error(u_o, 1), error(U_neg, 0)
    return real * u_o + (drawn * U_neg).sum(dim=0), real * v_c, drawn * v_c


# %% keep_probabilities: minimum
def keep_probabilities(counts, threshold):
    f = counts / counts.sum().clamp(min=1)
    kept = torch.sqrt(threshold / f.clamp(min=1e-30))
    return torch.minimum(kept, torch.ones_like(kept))


# %% keep_probabilities: a loop
def keep_probabilities(counts, threshold):
    total = counts.sum().item()
    result = torch.ones(len(counts))
    for i, n in enumerate(counts.tolist()):
        if n > 0:
            result[i] = min(1.0, math.sqrt(threshold / (n / total)))
    return result


# %% keep_probabilities: only the words that occur
def keep_probabilities(counts, threshold):
    p = torch.ones(counts.shape)
    some = counts > 0
    p[some] = (threshold * counts.sum() / counts[some]).sqrt().clamp(max=1)
    return p


# %% keep_probabilities: masked_fill
def keep_probabilities(counts, threshold):
    f = counts.float() / counts.sum()
    p = (threshold / f).sqrt().clamp(max=1.0)
    return p.masked_fill(counts == 0, 1.0)


# %% keep_probabilities: list of Python numbers
def keep_probabilities(counts, threshold):
    total = counts.sum().item()
    probabilities = [
        min(1.0, math.sqrt(threshold * total / n)) if n else 1.0 for n in counts.tolist()
    ]
    return torch.tensor(probabilities)


# %% keep_probabilities: numpy
def keep_probabilities(counts, threshold):
    import numpy as np

    n = counts.numpy().astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.sqrt(threshold / (n / n.sum()))
    p = np.where(n > 0, np.minimum(p, 1), 1)
    return torch.from_numpy(p.astype(np.float32))


# %% keep_probabilities: early return and clone
def keep_probabilities(counts, threshold):
    if counts.sum() == 0:
        return torch.ones(len(counts))
    frequency = counts / counts.sum()
    result = torch.ones_like(frequency)
    frequent = frequency > threshold
    result[frequent] = torch.sqrt(threshold / frequency[frequent])
    return result


# %% keep_probabilities: rsqrt
def keep_probabilities(counts, threshold):
    fraction = counts.clamp(min=1) / counts.sum().clamp(min=1)
    keep = torch.rsqrt(fraction / threshold).clamp(0, 1)
    return torch.where(counts == 0, torch.ones_like(keep), keep)


# %% keep_probabilities: infinity clamped away
def keep_probabilities(counts, threshold):
    total = max(int(counts.sum()), 1)
    return torch.sqrt(threshold * total / counts).clamp(max=1)


# %% window_mask: loops
def window_mask(reach, sentence):
    B, T = reach.shape
    mask = torch.zeros(B, T, T, dtype=torch.bool)
    for b in range(B):
        for i in range(T):
            for j in range(T):
                near = 0 < abs(i - j) <= reach[b, i]
                same = sentence[b, i] == sentence[b, j] and sentence[b, i] != -1
                mask[b, i, j] = bool(near and same)
    return mask


# %% window_mask: without the diagonal at the end
def window_mask(reach, sentence):
    T = reach.shape[-1]
    at = torch.arange(T)
    near = (at.view(1, 1, T) - at.view(1, T, 1)).abs() <= reach.unsqueeze(-1)
    same = sentence.unsqueeze(-1) == sentence.unsqueeze(-2)
    real = sentence >= 0
    return near & same & real.unsqueeze(1) & real.unsqueeze(2) & ~torch.eye(T, dtype=torch.bool)


# %% window_mask: logical_and of four conditions
def window_mask(reach, sentence):
    B, T = reach.shape
    i = torch.arange(T).view(1, T, 1)
    j = torch.arange(T).view(1, 1, T)
    same = sentence.unsqueeze(2).eq(sentence.unsqueeze(1))
    real = (sentence != -1).unsqueeze(2)
    close = (i - j).abs() <= reach.unsqueeze(2)
    return torch.logical_and(torch.logical_and(same, real), torch.logical_and(close, i != j))


# %% window_mask: diagonal cleared
def window_mask(reach, sentence):
    T = reach.size(1)
    at = torch.arange(T)
    mask = (at[None, :] - at[:, None]).abs()[None] <= reach[..., None]
    mask = mask & (sentence[..., None] == sentence[:, None]) & (sentence[..., None] > -1)
    mask[:, at, at] = False
    return mask


# %% window_mask: snippet by snippet
def window_mask(reach, sentence):
    position = torch.arange(reach.shape[1])
    masks = []
    for r, s in zip(reach, sentence):
        distance = torch.abs(position[:, None] - position[None, :])
        near = (distance >= 1) & (distance <= r[:, None])
        masks.append(near & (s[:, None] == s[None, :]) & (s[:, None] >= 0) & (s[None, :] >= 0))
    return torch.stack(masks)


# %% window_mask: fills neighbors offset by offset
def window_mask(reach, sentence):
    B, T = reach.shape
    mask = torch.zeros(B, T, T, dtype=torch.bool)
    for offset in range(1, T):
        i = torch.arange(T - offset)
        j = i + offset
        together = (sentence[:, i] == sentence[:, j]) & (sentence[:, i] >= 0)
        mask[:, i, j] = together & (reach[:, i] >= offset)
        mask[:, j, i] = together & (reach[:, j] >= offset)
    return mask


# %% window_mask: not any of the reasons against
def window_mask(reach, sentence):
    T = reach.shape[1]
    rows, columns = torch.meshgrid(torch.arange(T), torch.arange(T), indexing="ij")
    too_far = (rows - columns).abs() > reach[:, :, None]
    itself = torch.eye(T, dtype=torch.bool)
    other = sentence[:, :, None] != sentence[:, None, :]
    padding = (sentence == -1)[:, :, None]
    return ~(too_far | itself | other | padding)


# %% window_mask: a product of zeros and ones
def window_mask(reach: torch.Tensor, sentence: torch.Tensor) -> torch.Tensor:
    at = torch.arange(reach.shape[-1])
    distance = (at.unsqueeze(0) - at.unsqueeze(1)).abs().unsqueeze(0)
    product = (distance <= reach.unsqueeze(-1)).int() * (distance > 0).int()
    product = product * (sentence.unsqueeze(-1) == sentence.unsqueeze(-2)).int()
    return (product * (sentence >= 0).int().unsqueeze(-1)).bool()


# %% skip_gram_step: einsum
def skip_gram_step(X, Y, Z, mask, k):
    m = mask.to(X.dtype)
    G = (torch.sigmoid(torch.einsum("bik,bjk->bij", X, Y)) - 1) * m
    H = torch.sigmoid(torch.einsum("bik,mk->bim", X, Z)) * m.sum(2, keepdim=True) * (k / len(Z))
    for_X = torch.einsum("bij,bjk->bik", G, Y) + torch.einsum("bim,mk->bik", H, Z)
    return for_X, torch.einsum("bij,bik->bjk", G, X), torch.einsum("bim,bik->mk", H, X)


# %% skip_gram_step: snippet by snippet
def skip_gram_step(X, Y, Z, mask, k):
    for_X, for_Y, for_Z = [], [], torch.zeros_like(Z)
    for x, y, real in zip(X, Y, mask):
        G = torch.where(real, torch.sigmoid(x @ y.T) - 1, torch.zeros((), dtype=x.dtype))
        weight = real.sum(dim=1, keepdim=True).to(x.dtype) * k / Z.shape[0]
        H = torch.sigmoid(x @ Z.T) * weight
        for_X.append(G @ y + H @ Z)
        for_Y.append(G.T @ x)
        for_Z = for_Z + H.T @ x
    return torch.stack(for_X), torch.stack(for_Y), for_Z


# %% skip_gram_step: masked_fill and tensordot
def skip_gram_step(X, Y, Z, mask, k):
    R = (torch.sigmoid(torch.matmul(X, Y.transpose(1, 2))) - 1).masked_fill(~mask, 0)
    weight = k * mask.sum(-1) / Z.shape[0]
    N = weight.unsqueeze(-1) * torch.sigmoid(torch.matmul(X, Z.t()))
    for_Z = torch.tensordot(N, X, dims=([0, 1], [0, 1]))
    return torch.matmul(R, Y) + torch.matmul(N, Z), torch.matmul(R.transpose(1, 2), X), for_Z


# %% skip_gram_step: bmm with the negatives expanded
def skip_gram_step(X, Y, Z, mask, k):
    B, M = X.shape[0], Z.shape[0]
    ZB = Z.unsqueeze(0).expand(B, -1, -1)
    R = torch.where(mask, torch.bmm(X, Y.mT).sigmoid() - 1, 0.0)
    p = mask.float().sum(dim=2, keepdim=True)
    N = k * p / M * torch.bmm(X, ZB.mT).sigmoid()
    return torch.bmm(R, Y) + torch.bmm(N, ZB), torch.bmm(R.mT, X), torch.bmm(N.mT, X).sum(dim=0)


# %% skip_gram_step: autograd of the loss
def skip_gram_step(X, Y, Z, mask, k):
    X, Y, Z = (t.detach().clone().requires_grad_() for t in (X, Y, Z))
    log_sigmoid = torch.nn.functional.logsigmoid
    real = log_sigmoid(X @ Y.mT)[mask].sum()
    weight = k * mask.sum(dim=2, keepdim=True) / len(Z)
    drawn = (weight * log_sigmoid(-(X @ Z.T))).sum()
    return torch.autograd.grad(-(real + drawn), (X, Y, Z))


# %% skip_gram_step: sums over products
def skip_gram_step(X, Y, Z, mask, k):
    scores = (X[:, :, None] * Y[:, None]).sum(-1)
    R = -torch.sigmoid(-scores) * mask
    weights = mask.sum(dim=2) * k / len(Z)
    N = torch.sigmoid(torch.einsum("btd,md->btm", X, Z)) * weights[..., None]
    for_X = (R[..., None] * Y[:, None]).sum(2) + (N[..., None] * Z).sum(2)
    for_Y = (R[..., None] * X[:, :, None]).sum(1)
    return for_X, for_Y, (N[..., None] * X[:, :, None]).sum((0, 1))


# %% skip_gram_step: flat centers against the negatives
def skip_gram_step(X, Y, Z, mask, k):
    B, T, d = X.shape
    R = torch.zeros(B, T, T, dtype=X.dtype)
    R[mask] = torch.sigmoid((X @ Y.mT)[mask]) - 1
    flat = X.reshape(B * T, d)
    weight = (k / len(Z)) * mask.sum(dim=2).reshape(B * T, 1)
    N = weight * torch.sigmoid(flat @ Z.T)
    return R @ Y + (N @ Z).view(B, T, d), R.mT @ X, N.T @ flat


# %% nearest_words: normalize
def nearest_words(word, words, V, n):
    if word not in words:
        return []
    unit = torch.nn.functional.normalize(V.float(), dim=1)
    i = words.index(word)
    cosines = (unit @ unit[i]).tolist()
    others = [(words[j], cosines[j]) for j in range(len(words)) if j != i]
    return sorted(others, key=lambda pair: -pair[1])[:n]


# %% nearest_words: cosine_similarity
def nearest_words(word, words, V, n):
    if word not in words:
        return []
    V = V.float()
    cosines = torch.nn.functional.cosine_similarity(V, V[words.index(word)][None], dim=1)
    found = []
    for i in cosines.argsort(descending=True).tolist():
        if words[i] != word:
            found.append((words[i], float(cosines[i])))
    return found[:n]


# %% nearest_words: a list sorted by cosine
def nearest_words(word, words, E, n):
    if word not in words:
        return []
    target = E[words.index(word)]

    def cosine(v):
        length = v.norm() * target.norm()
        return (v @ target / length).item() if length > 0 else 0.0

    others = [(w, cosine(v)) for w, v in zip(words, E) if w != word]
    return sorted(others, key=lambda pair: pair[1], reverse=True)[:n]


# %% nearest_words: topk
def nearest_words(word, words, E, n):
    if word not in words:
        return []
    i = words.index(word)
    unit = torch.nn.functional.normalize(E, dim=1)
    cosines = unit @ unit[i]
    cosines[i] = -2.0
    values, indices = cosines.topk(min(n, len(words) - 1))
    return [(words[j], c) for j, c in zip(indices.tolist(), values.tolist())]


# %% nearest_words: heapq
def nearest_words(word, words, E, n):
    import heapq

    index = {w: i for i, w in enumerate(words)}
    if word not in index:
        return []
    norms = E.norm(dim=1)
    norms = torch.where(norms == 0, 1.0, norms)
    cosines = (E @ E[index[word]] / norms / norms[index[word]]).tolist()
    candidates = [(w, c) for w, c in zip(words, cosines) if w != word]
    return heapq.nlargest(n, candidates, key=lambda pair: pair[1])


# %% nearest_words: try and except
def nearest_words(word, words, E, n):
    try:
        i = words.index(word)
    except ValueError:
        return []
    lengths = torch.linalg.vector_norm(E, dim=1)
    dots = torch.mv(E, E[i])
    cosines = torch.nan_to_num(dots / (lengths * lengths[i]), nan=0.0)
    order = [j for j in torch.argsort(cosines, descending=True).tolist() if j != i]
    return [(words[j], float(cosines[j])) for j in order[:n]]


# %% nearest_words: a dictionary of cosines
def nearest_words(word, words, E, n):
    if not (word in words):
        return []
    unit = E / torch.clamp(torch.sqrt((E * E).sum(dim=1, keepdim=True)), min=1e-12)
    similar = dict(zip(words, (unit @ unit[words.index(word)]).tolist()))
    del similar[word]
    ranked = sorted(similar, key=similar.get, reverse=True)
    return [(other, similar[other]) for other in ranked[:n]]


# %% analogy: minus infinity for the three
def analogy(a, b, c, words, V):
    index = {word: i for i, word in enumerate(words)}
    if any(word not in index for word in (a, b, c)):
        return None
    unit = torch.nn.functional.normalize(V, dim=1)
    target = unit[index[a]] - unit[index[b]] + unit[index[c]]
    scores = unit @ target
    for word in (a, b, c):
        scores[index[word]] = float("-inf")
    best = int(scores.argmax())
    return None if words[best] in (a, b, c) else words[best]


# %% analogy: max over the others
def analogy(a, b, c, words, V):
    if not {a, b, c} <= set(words):
        return None
    lengths = V.norm(dim=1, keepdim=True)
    unit = V / torch.where(lengths > 0, lengths, torch.ones_like(lengths))
    at = words.index
    scores = (unit @ (unit[at(a)] - unit[at(b)] + unit[at(c)])).tolist()
    others = [i for i, word in enumerate(words) if word not in (a, b, c)]
    return words[max(others, key=lambda i: scores[i])] if others else None


# %% analogy: normalize and mask
def analogy(a, b, c, words, E):
    if any(word not in words for word in (a, b, c)):
        return None
    unit = torch.nn.functional.normalize(E, dim=-1)
    i, j, k = (words.index(word) for word in (a, b, c))
    target = unit[i] - unit[j] + unit[k]
    scores = torch.nn.functional.cosine_similarity(unit, target[None], dim=1)
    allowed = [n for n, word in enumerate(words) if word not in {a, b, c}]
    if not allowed:
        return None
    return words[max(allowed, key=lambda n: scores[n].item())]


# %% analogy: sorts, first that is allowed
def analogy(a, b, c, words, E):
    index = {word: i for i, word in enumerate(words)}
    if not {a, b, c} <= set(index):
        return None
    norms = E.norm(dim=1, keepdim=True)
    unit = E / torch.where(norms > 0, norms, torch.ones_like(norms))
    target = unit[index[a]] - unit[index[b]] + unit[index[c]]
    for i in torch.argsort(unit @ target, descending=True).tolist():
        if words[i] not in (a, b, c):
            return words[i]
    return None


# %% analogy: a running best
def analogy(a, b, c, words, E):
    vectors = {}
    for word, row in zip(words, E):
        length = row.norm()
        vectors[word] = row / length if length > 0 else row
    if a not in vectors or b not in vectors or c not in vectors:
        return None
    target = vectors[a] - vectors[b] + vectors[c]
    best, best_score = None, -math.inf
    for word, vector in vectors.items():
        if word in (a, b, c):
            continue
        score = float(vector @ target)
        if score > best_score:
            best, best_score = word, score
    return best


# %% analogy: nearest_words with the target as an extra row
def analogy(a, b, c, words, E):
    if a not in words or b not in words or c not in words:
        return None
    unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
    target = unit[words.index(a)] - unit[words.index(b)] + unit[words.index(c)]
    extended = torch.cat([unit, target[None]])
    ranked = nearest_words("", [*words, ""], extended, len(words))
    found = [word for word, _ in ranked if word not in (a, b, c)]
    return found[0] if found else None


# %% analogy: masked_fill of the three rows
def analogy(a, b, c, words, E):
    try:
        rows = torch.tensor([words.index(a), words.index(b), words.index(c)])
    except ValueError:
        return None
    if len(set(words) - {a, b, c}) == 0:
        return None
    unit = torch.nn.functional.normalize(E, p=2, dim=1, eps=1e-12)
    target = torch.tensor([1.0, -1.0, 1.0]) @ unit[rows]
    forbidden = torch.zeros(len(words), dtype=torch.bool).index_fill(0, rows, True)
    return words[int((unit @ target).masked_fill(forbidden, -math.inf).argmax())]


# %% analogy: a comprehension over the other words
def analogy(a, b, c, words, E):
    given = (a, b, c)
    if not all(word in words for word in given):
        return None
    unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-9)
    row = words.index
    target = unit[row(a)] - unit[row(b)] + unit[row(c)]
    scored = [(float(u @ target), w) for u, w in zip(unit, words) if w not in given]
    return max(scored, key=lambda pair: pair[0])[1] if scored else None


# %% rank_correlation: scipy
def rank_correlation(x, y):
    from scipy.stats import rankdata

    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    r = torch.from_numpy(rankdata(x.numpy()))
    s = torch.from_numpy(rankdata(y.numpy()))
    return torch.corrcoef(torch.stack([r, s]))[0, 1].item()


# %% rank_correlation: a helper for ranks with a loop
def rank_correlation(x, y):
    def ranks(values):
        values = values.tolist()
        ordered = sorted(values)
        return torch.tensor(
            [ordered.index(v) + (1 + ordered.count(v)) / 2 for v in values], dtype=torch.float64
        )

    if len(x) < 2:
        return 0.0
    r, s = ranks(x), ranks(y)
    r, s = r - r.mean(), s - s.mean()
    bottom = math.sqrt((r * r).sum()) * math.sqrt((s * s).sum())
    return float((r * s).sum()) / bottom if bottom else 0.0


# %% rank_correlation: ranks with unique
def rank_correlation(x, y):
    def ranks(values):
        _, inverse, counts = torch.unique(values, return_inverse=True, return_counts=True)
        last = counts.cumsum(0).double()
        return (last - (counts - 1) / 2)[inverse]

    if len(x) < 2:
        return 0.0
    r, s = ranks(x), ranks(y)
    r, s = r - r.mean(), s - s.mean()
    below = (r.square().sum() * s.square().sum()).sqrt()
    return 0.0 if below == 0 else float((r * s).sum() / below)


# %% rank_correlation: corrcoef
def rank_correlation(x, y):
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return 0.0
    ranks = [
        (v[:, None] > v[None, :]).double().sum(1) + (v[:, None] == v[None, :]).double().sum(1) / 2
        for v in (x, y)
    ]
    return torch.corrcoef(torch.stack(ranks))[0, 1].item()


# %% rank_correlation: scipy's ranks
def rank_correlation(x, y):
    import numpy as np
    from scipy.stats import rankdata

    if len(x) < 2:
        return 0.0
    r, s = rankdata(x.numpy()), rankdata(y.numpy())
    if r.std() == 0 or s.std() == 0:
        return 0.0
    return float(np.corrcoef(r, s)[0, 1])


# %% rank_correlation: sorted list with positions
def rank_correlation(x, y):
    def ranks(numbers):
        places = {}
        for rank, number in enumerate(sorted(numbers), start=1):
            places.setdefault(number, []).append(rank)
        return [sum(places[number]) / len(places[number]) for number in numbers]

    r, s = ranks(x.tolist()), ranks(y.tolist())
    if not r:
        return 0.0
    r_mean, s_mean = sum(r) / len(r), sum(s) / len(s)
    top = sum((p - r_mean) * (q - s_mean) for p, q in zip(r, s))
    left = math.sqrt(sum((p - r_mean) ** 2 for p in r))
    right = math.sqrt(sum((q - s_mean) ** 2 for q in s))
    return top / (left * right) if left and right else 0.0


# %% rank_correlation: cosine similarity of centered ranks
def rank_correlation(x, y):
    def centered_ranks(v):
        less = (v.unsqueeze(0) < v.unsqueeze(1)).sum(dim=1)
        less_or_equal = (v.unsqueeze(0) <= v.unsqueeze(1)).sum(dim=1)
        rank = (less + less_or_equal + 1).double() / 2
        return rank - rank.mean()

    r, s = centered_ranks(x), centered_ranks(y)
    if not (r.any() and s.any()):
        return 0.0
    return torch.nn.functional.cosine_similarity(r, s, dim=0).item()


# %% rank_correlation: argsort, then averages ties
def rank_correlation(x: torch.Tensor, y: torch.Tensor) -> float:
    def ranks(v):
        order = v.argsort()
        r = torch.empty(len(v), dtype=torch.float64)
        r[order] = torch.arange(1, len(v) + 1, dtype=torch.float64)
        for value in v.unique():
            r[v == value] = r[v == value].mean()
        return r

    if x.numel() < 2:
        return 0.0
    r, s = ranks(x), ranks(y)
    covariance = ((r - r.mean()) * (s - s.mean())).mean()
    deviation = r.std(unbiased=False) * s.std(unbiased=False)
    return (covariance / deviation).item() if deviation.item() > 0 else 0.0


# %% principal_components: a loop over directions
def principal_components(X, k):
    x = X.float()
    x = x - x.mean(dim=0, keepdim=True)
    _, _, Wt = torch.linalg.svd(x, full_matrices=False)
    out = torch.zeros(x.shape[0], k)
    for i in range(min(k, len(Wt))):
        direction = Wt[i]
        if direction[direction.abs().argmax()] < 0:
            direction = -direction
        out[:, i] = x @ direction
    return out.to(X.dtype)


# %% principal_components: numpy
def principal_components(X, k):
    import numpy as np

    x = X.float().numpy().astype(np.float64)
    x = x - x.mean(axis=0)
    W = np.linalg.svd(x, full_matrices=False)[2][:k]
    W = W * np.sign(W[np.arange(len(W)), np.abs(W).argmax(axis=1)])[:, None]
    found = np.zeros((len(x), k))
    found[:, : len(W)] = x @ W.T
    return torch.from_numpy(found).to(X.dtype)


# %% principal_components: scales the left singular vectors
def principal_components(X, k):
    A, S, Wt = torch.linalg.svd(X - X.mean(0), full_matrices=False)
    coordinates = A[:, :k] * S[:k]
    for i in range(k):
        entry = Wt[i][Wt[i].abs().argmax()]
        if entry < 0:
            coordinates[:, i] = -coordinates[:, i]
    return coordinates


# %% principal_components: torch.where for the signs
def principal_components(X, k):
    centered = X - torch.mean(X, dim=0, keepdim=True)
    W = torch.linalg.svd(centered, full_matrices=False)[2][:k]
    flip = W.amax(dim=1) < -W.amin(dim=1)
    W = torch.where(flip[:, None], -W, W)
    return torch.einsum("nd,kd->nk", centered, W)


# %% principal_components: the older torch.svd
def principal_components(X, k):
    centered = X.sub(X.mean(dim=0))
    V = torch.svd(centered).V
    V = V[:, :k]
    top = V.abs().argmax(dim=0)
    signs = torch.sign(V[top, torch.arange(V.shape[1])])
    return centered @ V * signs


# %% principal_components: list of columns
def principal_components(X, k):
    centered = X - X.mean(dim=0)
    _, _, rows = torch.linalg.svd(centered, full_matrices=False)
    columns = []
    for w in rows[:k]:
        if w.max() < w.abs().max():
            w = -w
        columns.append(centered @ w)
    return torch.stack(columns, dim=1)


# %% principal_components: helper for the sign
def positive(direction):
    return direction * torch.sign(max(direction, key=abs))


def principal_components(X, k):
    middle = X.mean(dim=0)
    directions = torch.linalg.svd(X - middle, full_matrices=False).Vh
    W = torch.stack([positive(w) for w in directions[:k]])
    return (X - middle).matmul(W.t())


# %% principal_components: eigenvectors
def principal_components(X, k):
    centered = X - X.mean(dim=0)
    values, vectors = torch.linalg.eigh(centered.double().T @ centered.double())
    W = vectors.flip(1)[:, :k].to(X.dtype)
    largest = W.gather(0, W.abs().argmax(dim=0, keepdim=True))
    return centered @ (W * largest.sign())
