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
