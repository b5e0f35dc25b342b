# %% procrustes: the product by hand, full_matrices off
def procrustes(X, Y):
    if X.size() != Y.size():
        raise ValueError("shapes: " + str(X.size()) + str(Y.size()))
    M = torch.zeros(X.shape[1], X.shape[1], dtype=X.dtype)
    for x, y in zip(X, Y):
        M += torch.outer(x, y)
    U, S, Vh = torch.linalg.svd(M, full_matrices=False)
    return torch.matmul(U, Vh)


# %% procrustes: Newton's iteration for the nearest orthogonal matrix
def procrustes(X, Y):
    if X.shape[0] != Y.shape[0] or X.shape[1] != Y.shape[1]:
        raise ValueError("need as many rows and columns")
    W = (X.T @ Y).double()
    W = W / W.norm()
    for _ in range(60):
        W = (W + torch.linalg.inv(W).T) / 2
    return W.to(X.dtype)


# %% csls: one word pair at a time
def csls(similarity, k):
    n, m = similarity.shape
    if k < 1 or k > n or k > m:
        raise ValueError("bad k")
    result = torch.zeros(n, m)
    for i in range(n):
        for j in range(m):
            r_i = similarity[i].sort().values[-k:].mean()
            r_j = similarity[:, j].sort().values[-k:].mean()
            result[i, j] = 2 * similarity[i, j] - r_i - r_j
    return result


# %% csls: with keepdim
def csls(similarity, k):
    if not 0 < k <= min(len(similarity), len(similarity[0])):
        raise ValueError(f"cannot take {k} neighbors")
    rows = torch.topk(similarity, k, dim=-1)[0].sum(-1, keepdim=True) / k
    cols = torch.topk(similarity, k, dim=-2)[0].sum(-2, keepdim=True) / k
    return (similarity - rows) + (similarity - cols)


# %% mutual_neighbors: a dictionary of the way back
def mutual_neighbors(similarity):
    back = {}
    for j in range(similarity.shape[1]):
        back[j] = similarity[:, j].max(dim=0).indices.item()
    pairs = []
    for i, row in enumerate(similarity):
        j = row.max(dim=0).indices.item()
        if back[j] == i:
            pairs.append((i, j))
    return pairs


# %% word_by_word: try and except
def word_by_word(sentence, dictionary):
    out = []
    for w in sentence:
        try:
            out.append(dictionary[w])
        except KeyError:
            out.append(w)
    return out


# %% word_by_word: a conditional expression
def word_by_word(sentence, dictionary):
    return [dictionary[w] if w in dictionary.keys() else w for w in sentence]


# %% add_noise: a list of keys, sorted together with the words
def add_noise(ids, p, k, generator):
    if p < 0 or p >= 1:
        raise ValueError("p should be a probability below 1")
    if k < 0:
        raise ValueError("k should not be negative")
    drop = torch.rand(len(ids), generator=generator) < p
    if drop.all():
        drop = torch.zeros(len(ids), dtype=torch.bool)
    words = [w for w, d in zip(ids, drop) if not d]
    u = torch.rand(len(words), generator=generator)
    keys = [i + (k + 1) * u[i].item() for i in range(len(words))]
    order = sorted(range(len(words)), key=lambda i: keys[i])
    return [words[i] for i in order]


# %% denoising_batch: by position and by name
def denoising_batch(sentences, language, eos, p, k, generator):
    broken = []
    for s in sentences:
        broken += [add_noise(list(s), p=p, k=k, generator=generator)]
    return translation_batch(broken, sentences, eos=eos, bos=language)


# %% back_translation_batch: detached lists
def back_translation_batch(translate, sentences, language, other, eos):
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    try:
        synthetic = translate(sentences, other)
    finally:
        torch.set_grad_enabled(before)
    source, mask, y_in, y_out = translation_batch(synthetic, sentences, language, eos)
    return source, mask, y_in, y_out


# %% unsupervised_loss: a list of four
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    losses = []
    keys = list(sentences.keys())
    for i, language in enumerate(keys):
        other = keys[1] if i == 0 else keys[0]
        a = denoising_batch(sentences[language], language, eos, p, k, generator)
        b = back_translation_batch(translate, sentences[language], language, other, eos)
        losses.append(loss(a[0], a[1], a[2], a[3]))
        losses.append(loss(b[0], b[1], b[2], b[3]))
    return losses[0] + losses[1] + losses[2] + losses[3]


# %% round_trip_bleu: without gradients, with numpy's mean
def round_trip_bleu(translate, sentences):
    import numpy as np

    one, two = sentences.keys()
    scores = {}
    with torch.no_grad():
        for x, y in [(one, two), (two, one)]:
            there = translate(sentences[x], y)
            again = translate(there, x)
            scores[x] = corpus_bleu(again, [[s] for s in sentences[x]])
    return float(np.mean(list(scores.values())))


# %% procrustes: numpy's SVD
def procrustes(X, Y):
    import numpy as np

    if tuple(X.shape) != tuple(Y.shape):
        raise ValueError("X and Y should have the same shape")
    u, s, vt = np.linalg.svd(X.numpy().T @ Y.numpy())
    return torch.from_numpy(u @ vt)


# %% procrustes: of the transposed product, einsum
def procrustes(X, Y):
    if X.shape != Y.shape:
        raise ValueError("X and Y differ in shape")
    M = torch.einsum("nd,ne->de", Y, X)
    U, _, V = torch.svd(M)
    return V @ U.T


# %% procrustes: in double precision
def procrustes(X, Y):
    if X.shape != Y.shape:
        raise ValueError(f"{X.shape} != {Y.shape}")
    U, S, Vh = torch.linalg.svd((Y.T @ X).double())
    return (U @ Vh).T.to(X)


# %% procrustes: scipy
def procrustes(X, Y):
    from scipy.linalg import orthogonal_procrustes

    if X.shape != Y.shape:
        raise ValueError("each word needs a translation")
    W, _ = orthogonal_procrustes(X.numpy(), Y.numpy())
    return torch.as_tensor(W)


# %% csls: sorted in descending order
def csls(similarity, k):
    n, m = similarity.shape
    if k < 1 or k > min(n, m):
        raise ValueError("k is too small or too large")
    r = similarity.sort(dim=1, descending=True)[0][:, :k].mean(1)
    c = similarity.sort(dim=0, descending=True)[0][:k].mean(0)
    return similarity.mul(2).sub(r.unsqueeze(1)).sub(c.unsqueeze(0))


# %% csls: the transposed matrix for the columns
def csls(similarity, k):
    def neighborhood(s):
        if not 1 <= k <= s.shape[1]:
            raise ValueError(f"there are no {k} neighbors")
        return torch.stack([torch.topk(row, k)[0].mean() for row in s])

    rows = neighborhood(similarity).view(-1, 1)
    columns = neighborhood(similarity.T).view(1, -1)
    return 2 * similarity - (rows + columns)


# %% csls: numpy's partition
def csls(similarity, k):
    import numpy as np

    s = similarity.numpy()
    if k <= 0 or k > s.shape[0] or k > s.shape[1]:
        raise ValueError("no such neighborhood")
    r = np.partition(s, -k, axis=1)[:, -k:].mean(axis=1, keepdims=True)
    c = np.partition(s, -k, axis=0)[-k:].mean(axis=0, keepdims=True)
    return torch.tensor(2 * s - r - c)


# %% mutual_neighbors: two loops
def mutual_neighbors(similarity):
    found = []
    n, m = similarity.shape
    for i in range(n):
        for j in range(m):
            s = similarity[i, j]
            if s == similarity[i].max() and s == similarity[:, j].max():
                found.append((i, j))
    return found


# %% mutual_neighbors: a boolean matrix
def mutual_neighbors(similarity):
    best = similarity == similarity.amax(dim=1, keepdim=True)
    best &= similarity == similarity.amax(dim=0, keepdim=True)
    return [(int(i), int(j)) for i, j in best.nonzero()]


# %% mutual_neighbors: the way there and back
def mutual_neighbors(similarity):
    there = similarity.argmax(1)
    back = similarity.argmax(0)
    rows = torch.arange(len(similarity))
    rows = rows[back[there] == rows]
    return list(zip(rows.tolist(), there[rows].tolist()))


# %% mutual_neighbors: the common pairs of two sets, sorted
def mutual_neighbors(similarity):
    a = {(i, int(row.argmax())) for i, row in enumerate(similarity)}
    b = {(int(column.argmax()), j) for j, column in enumerate(similarity.T)}
    return sorted(a & b)


# %% word_by_word: a loop
def word_by_word(sentence, dictionary):
    result = []
    for i in range(len(sentence)):
        if sentence[i] in dictionary:
            result.append(dictionary[sentence[i]])
        else:
            result.append(sentence[i])
    return result


# %% word_by_word: a copied list
def word_by_word(sentence, dictionary):
    out = list(sentence)
    for i, w in enumerate(out):
        if w in dictionary:
            out[i] = dictionary[w]
    return out


# %% add_noise: a boolean mask and argsort
def add_noise(ids, p, k, generator):
    if not (0 <= p < 1):
        raise ValueError("p must be in [0, 1)")
    if k < 0:
        raise ValueError("k must be at least 0")
    x = torch.tensor(ids, dtype=torch.long)
    keep = torch.rand(len(x), generator=generator) >= p
    if keep.any():
        x = x[keep]
    position = torch.arange(len(x), dtype=torch.float)
    keys = position + torch.rand(len(x), generator=generator) * (k + 1)
    return x[torch.argsort(keys)].tolist()


# %% add_noise: early return for the empty sentence, pairs sorted
def add_noise(ids, p, k, generator):
    if p < 0 or p >= 1 or k < 0:
        raise ValueError("bad noise")
    if len(ids) == 0:
        return []
    r = torch.rand(len(ids), generator=generator)
    kept = []
    for i in range(len(ids)):
        if r[i].item() >= p:
            kept.append(ids[i])
    if not kept:
        kept = ids[:]
    u = torch.rand(len(kept), generator=generator)
    pairs = [(i + float(u[i]) * (k + 1), w) for i, w in enumerate(kept)]
    pairs.sort(key=lambda pair: pair[0])
    return [w for _, w in pairs]


# %% denoising_batch: padded by hand
def denoising_batch(sentences, language, eos, p, k, generator):
    if len(sentences) == 0:
        raise ValueError("no sentences")
    noisy = []
    for s in sentences:
        noisy.append(add_noise(s, p, k, generator) + [eos])
    L = max(len(s) for s in noisy)
    T = max(len(s) for s in sentences) + 1
    source = torch.zeros(len(noisy), L, dtype=torch.int64)
    mask = torch.zeros(len(noisy), L, dtype=torch.bool)
    y_in = torch.zeros(len(noisy), T, dtype=torch.int64)
    y_out = torch.zeros(len(noisy), T, dtype=torch.int64)
    for b, (x, y) in enumerate(zip(noisy, sentences)):
        source[b, : len(x)] = torch.tensor(x)
        mask[b, : len(x)] = True
        y_in[b, : len(y) + 1] = torch.tensor([language] + list(y))
        y_out[b, : len(y) + 1] = torch.tensor(list(y) + [eos])
    return source, mask, y_in, y_out


# %% denoising_batch: map and a lambda
def denoising_batch(sentences, language, eos, p, k, generator):
    noisy = list(map(lambda s: add_noise(s, p, k, generator), sentences))
    return translation_batch(sources=noisy, targets=list(sentences), bos=language, eos=eos)


# %% back_translation_batch: inference mode, by name
def back_translation_batch(translate, sentences, language, other, eos):
    with torch.inference_mode():
        synthetic = translate(sentences, other)
    return translation_batch(sources=synthetic, targets=sentences, bos=language, eos=eos)


# %% back_translation_batch: a decorated function inside
def back_translation_batch(translate, sentences, language, other, eos):
    @torch.no_grad()
    def synthesize():
        return [list(s) for s in translate(sentences, other)]

    return translation_batch(synthesize(), sentences, language, eos)


# %% unsupervised_loss: sum of a list, keys reversed
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    languages = list(sentences)
    parts = []
    for language, other in zip(languages, languages[::-1]):
        batch = denoising_batch(sentences[language], language, eos, p, k, generator)
        parts.append(loss(*batch))
        batch = back_translation_batch(translate, sentences[language], language, other, eos)
        parts.append(loss(*batch))
    return sum(parts)


# %% unsupervised_loss: items, stacked
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    (a, texts_a), (b, texts_b) = sentences.items()
    denoise = [
        loss(*denoising_batch(texts_a, a, eos, p, k, generator)),
        loss(*denoising_batch(texts_b, b, eos, p, k, generator)),
    ]
    back = [
        loss(*back_translation_batch(translate, texts_a, a, b, eos)),
        loss(*back_translation_batch(translate, texts_b, b, a, eos)),
    ]
    return torch.stack(denoise).sum() + torch.stack(back).sum()


# %% round_trip_bleu: four steps
def round_trip_bleu(translate, sentences):
    a, b = list(sentences)
    to_b = translate(sentences[a], b)
    back_to_a = translate(to_b, a)
    to_a = translate(sentences[b], a)
    back_to_b = translate(to_a, b)
    bleu_a = corpus_bleu(back_to_a, [[s] for s in sentences[a]])
    bleu_b = corpus_bleu(back_to_b, [[s] for s in sentences[b]])
    return (bleu_a + bleu_b) / 2


# %% round_trip_bleu: a dictionary of the other language
def round_trip_bleu(translate, sentences):
    tokens = tuple(sentences.keys())
    other = {tokens[0]: tokens[1], tokens[1]: tokens[0]}
    total = 0.0
    for token, texts in sentences.items():
        again = translate(translate(texts, other[token]), token)
        total += 0.5 * corpus_bleu(again, list(map(lambda s: [s], texts)))
    return total
