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
    error = p - torch.eye(len(U), dtype=p.dtype)[o]
    return error @ U, for_U


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


# %% character_ngrams: appends what is new
def character_ngrams(word, shortest=3, longest=6):
    marked = "<" + word + ">"
    grams = []
    for n in range(shortest, longest + 1):
        for i in range(len(marked) - n + 1):
            gram = marked[i : i + n]
            if gram not in grams:
                grams.append(gram)
    return grams if marked in grams else [*grams, marked]


# %% character_ngrams: a dictionary as an ordered set
def character_ngrams(word, shortest=3, longest=6):
    w = f"<{word}>"
    grams = {}
    for n in range(shortest, longest + 1):
        grams.update(dict.fromkeys(w[i : i + n] for i in range(len(w) + 1 - n)))
    grams[w] = None
    return list(grams)


# %% subword_vector: a loop
def subword_vector(word, pieces, Z):
    total = torch.zeros(Z.shape[1], dtype=Z.dtype)
    for gram in character_ngrams(word):
        if gram in pieces:
            total = total + Z[pieces[gram]]
    return total


# %% subword_vector: stacks
def subword_vector(word, pieces, Z):
    found = [Z[pieces[gram]] for gram in character_ngrams(word) if gram in pieces]
    return torch.stack(found).sum(0) if found else Z.new_zeros(Z.shape[1])
