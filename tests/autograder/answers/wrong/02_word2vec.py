# %% skip_gram_pairs: leaves out equal words, not the place | leaves_out_equal_words
def skip_gram_pairs(ids, window):
    pairs = []
    for i, center in enumerate(ids):
        for context in ids[max(0, i - window) : i + window + 1]:
            if context != center:
                pairs.append((center, context))
    return torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2)


# %% skip_gram_pairs: the window wraps around at the beginning | neighbors_from_the_end
def skip_gram_pairs(ids, window):
    pairs = []
    for i in range(len(ids)):
        for j in range(i - window, i + window + 1):
            if j != i and j < len(ids):
                pairs.append([ids[i], ids[j]])
    return torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2)


# %% cbow_examples: keeps places without a neighbor | keeps_empty_context
def cbow_examples(ids, window):
    examples = []
    for i in range(len(ids)):
        context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
        examples.append((context, ids[i]))
    return examples


# %% cbow_examples: a negative slice at the beginning | negative_start
def cbow_examples(ids, window):
    examples = []
    for i in range(len(ids)):
        context = ids[i - window : i] + ids[i + 1 : i + window + 1]
        if context:
            examples.append((context, ids[i]))
    return examples


# %% softmax_loss: the naive softmax | naive_softmax
def softmax_loss(v_c, U, o):
    scores = U @ v_c
    p = torch.exp(scores) / torch.exp(scores).sum()
    return -torch.log(p[o])


# %% softmax_loss: subtracts the maximum only in the sum | does_not_add_back
def softmax_loss(v_c, U, o):
    scores = U @ v_c
    m = scores.max()
    return -scores[o] + torch.log(torch.exp(scores - m).sum())


# %% softmax_gradients: y is left out | truth_for_the_center_only
def softmax_gradients(v_c, U, o):
    p = torch.softmax(U @ v_c, dim=0)
    return U.T @ p - U[o], torch.outer(p, v_c)


# %% softmax_gradients: truth minus probability | truth_minus_probability
def softmax_gradients(v_c, U, o):
    p = torch.softmax(U @ v_c, dim=0)
    y = torch.zeros_like(p)
    y[o] = 1
    error = y - p
    return U.T @ error, error[:, None] * v_c[None, :]


# %% noise_distribution: ignores the power | always_three_quarters
def noise_distribution(counts, power=0.75):
    powers = counts.float() ** 0.75
    return powers / powers.sum()


# %% noise_distribution: power after dividing | normalized_too_early
def noise_distribution(counts, power=0.75):
    total = counts.sum()
    if total == 0:
        return torch.zeros(len(counts))
    q = (counts / total) ** power
    return torch.where(counts > 0, q, torch.zeros_like(q))


# %% negative_sampling_loss: no minus inside the second sigmoid | negatives_as_real_pairs
def negative_sampling_loss(v_c, u_o, U_neg):
    positive = torch.nn.functional.logsigmoid(u_o @ v_c)
    negative = torch.nn.functional.logsigmoid(U_neg @ v_c).sum()
    return -positive - negative


# %% negative_sampling_loss: a mean over the negatives | mean_of_the_negatives
def negative_sampling_loss(v_c, u_o, U_neg):
    loss = -torch.nn.functional.logsigmoid(u_o @ v_c)
    return loss - torch.nn.functional.logsigmoid(-(U_neg @ v_c)).mean()


# %% negative_sampling_gradients: forgets the minus 1 | true_label_zero
def negative_sampling_gradients(v_c, u_o, U_neg):
    p_o = torch.sigmoid(u_o @ v_c)
    p_neg = torch.sigmoid(U_neg @ v_c)
    return p_o * u_o + p_neg @ U_neg, p_o * v_c, p_neg[:, None] * v_c


# %% negative_sampling_gradients: the negatives are left out for v_c | center_without_negatives
def negative_sampling_gradients(v_c, u_o, U_neg):
    e_o = torch.sigmoid(u_o @ v_c) - 1
    e_neg = torch.sigmoid(U_neg @ v_c)
    return e_o * u_o, e_o * v_c, torch.outer(e_neg, v_c)


# %% keep_probabilities: no limit at 1 | not_clamped
def keep_probabilities(counts, threshold):
    f = counts / counts.sum()
    p = torch.sqrt(threshold / f)
    return torch.where(counts == 0, torch.ones_like(p), p)


# %% keep_probabilities: counts in place of shares | counts_for_fractions
def keep_probabilities(counts, threshold):
    p = torch.sqrt(threshold / counts.float())
    return p.clamp(max=1)


# %% window_mask: the reach of the context word | reach_of_the_context
def window_mask(reach, sentence):
    T = reach.shape[1]
    i = torch.arange(T)
    distance = (i[:, None] - i[None, :]).abs()
    near = distance[None] <= reach[:, None, :]
    same = sentence[:, :, None] == sentence[:, None, :]
    return near & same & (distance > 0)[None] & (sentence != -1)[:, None, :]


# %% window_mask: padding counts as a sentence | padding_is_a_sentence
def window_mask(reach, sentence):
    place = torch.arange(reach.shape[1])
    distance = (place[:, None] - place).abs()
    near = (distance <= reach[:, :, None]) & (distance > 0)
    return near & (sentence[:, :, None] == sentence[:, None, :])


# %% skip_gram_step: forgets to weight the negatives | negatives_without_weight
def skip_gram_step(X, Y, Z, mask, k):
    m = mask.to(X.dtype)
    G = (torch.sigmoid(X @ Y.mT) - 1) * m
    H = torch.sigmoid(X @ Z.T)
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


# %% skip_gram_step: sigmoid minus mask everywhere | other_words_as_negatives
def skip_gram_step(X, Y, Z, mask, k):
    m = mask.to(X.dtype)
    G = torch.sigmoid(X @ Y.mT) - m
    weight = k * m.sum(dim=2, keepdim=True) / len(Z)
    H = weight * torch.sigmoid(X @ Z.T)
    return G @ Y + H @ Z, G.mT @ X, (H.mT @ X).sum(dim=0)


# %% nearest_words: dot products in place of cosines | dot_products
def nearest_words(word, words, V, n):
    if word not in words:
        return []
    scores = V @ V[words.index(word)]
    order = scores.argsort(descending=True).tolist()
    return [(words[i], scores[i].item()) for i in order if words[i] != word][:n]


# %% nearest_words: drops the first of the sorted list | leaves_out_the_first
def nearest_words(word, words, V, n):
    if word not in words:
        return []
    unit = torch.nn.functional.normalize(V.float(), dim=1)
    cosines = unit @ unit[words.index(word)]
    order = cosines.argsort(descending=True)[1 : n + 1]
    return [(words[i], cosines[i].item()) for i in order]


# %% analogy: the three words are allowed | answers_with_an_input
def analogy(a, b, c, words, V):
    if a not in words or b not in words or c not in words:
        return None
    unit = torch.nn.functional.normalize(V, dim=1)
    target = unit[words.index(a)] - unit[words.index(b)] + unit[words.index(c)]
    return words[int((unit @ target).argmax())]


# %% analogy: not brought to length 1 | adds_raw_vectors
def analogy(a, b, c, words, V):
    if a not in words or b not in words or c not in words:
        return None
    target = V[words.index(a)] - V[words.index(b)] + V[words.index(c)]
    cosines = torch.nn.functional.cosine_similarity(V, target[None], dim=1)
    best = None
    for i in cosines.argsort(descending=True).tolist():
        if words[i] not in (a, b, c):
            best = words[i]
            break
    return best


# %% rank_correlation: ties get different ranks | breaks_ties_by_position
def rank_correlation(x, y):
    if len(x) < 2:
        return 0.0
    r = x.argsort().argsort().float()
    s = y.argsort().argsort().float()
    r, s = r - r.mean(), s - s.mean()
    bottom = r.norm() * s.norm()
    return (r @ s / bottom).item() if bottom > 0 else 0.0


# %% rank_correlation: argsort once in place of ranks | sorts_once
def rank_correlation(x, y):
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return 0.0
    r, s = x.argsort().float(), y.argsort().float()
    r, s = r - r.mean(), s - s.mean()
    return float((r * s).sum() / (r.norm() * s.norm()))


# %% principal_components: does not center | not_centered
def principal_components(X, k):
    x = X.float()
    _, _, W = torch.linalg.svd(x, full_matrices=False)
    W = W[:k]
    big = W.abs().argmax(dim=1)
    W = W * W[torch.arange(len(W)), big].sign()[:, None]
    out = torch.zeros(len(X), k)
    out[:, : len(W)] = x @ W.T
    return out.to(X.dtype)


# %% principal_components: no agreement on the signs |
def principal_components(X, k):
    x = X.float() - X.float().mean(dim=0)
    _, _, W = torch.linalg.svd(x, full_matrices=False)
    out = torch.zeros(len(X), k)
    found = x @ W[:k].T
    out[:, : found.shape[1]] = found
    return out.to(X.dtype)


# %% character_ngrams: repeats | keeps_repetitions
def character_ngrams(word, shortest=3, longest=6):
    marked = f"<{word}>"
    grams = []
    for n in range(shortest, longest + 1):
        for i in range(len(marked) - n + 1):
            grams.append(marked[i : i + n])
    grams.append(marked)
    return grams


# %% character_ngrams: stops before the longest | without_the_longest
def character_ngrams(word, shortest=3, longest=6):
    marked = "<" + word + ">"
    grams = []
    for n in range(shortest, longest):
        for i in range(len(marked) - n + 1):
            if marked[i : i + n] not in grams:
                grams.append(marked[i : i + n])
    if marked not in grams:
        grams.append(marked)
    return grams


# %% subword_vector: KeyError at an unknown n-gram | stops_at_an_unknown_ngram
def subword_vector(word, pieces, Z):
    total = torch.zeros(Z.shape[1], dtype=Z.dtype)
    for gram in character_ngrams(word):
        total += Z[pieces[gram]]
    return total


# %% subword_vector: the mean | mean_of_the_ngrams
def subword_vector(word, pieces, Z):
    rows = [pieces[gram] for gram in character_ngrams(word) if gram in pieces]
    if not rows:
        return torch.zeros(Z.shape[1], dtype=Z.dtype)
    return Z[rows].mean(dim=0)
