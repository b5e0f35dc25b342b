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
# -     return torch.logsumexp(scores, dim=0) - scores[o]
# +     p = torch.exp(scores) / torch.exp(scores).sum()
# +     return -torch.log(p[o])


# %% softmax_loss: subtracts the maximum only in the sum | does_not_add_back
# -     return torch.logsumexp(scores, dim=0) - scores[o]
# +     m = scores.max()
# +     return -scores[o] + torch.log(torch.exp(scores - m).sum())


# %% softmax_gradients: y is left out | truth_for_the_center_only
def softmax_gradients(v_c, U, o):
    p = torch.softmax(U @ v_c, dim=0)
    return U.T @ p - U[o], torch.outer(p, v_c)


# %% softmax_gradients: truth minus probability | truth_minus_probability
# edits: y as a tensor
# -     return U.T @ (p - y), torch.outer(p - y, v_c)
# +     error = y - p
# +     return U.T @ error, error[:, None] * v_c[None, :]


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


# %% negative_sampling_loss: plus before the sum | adds_the_logarithms_of_negatives
def negative_sampling_loss(v_c, u_o, U_neg):
    log_sigmoid = torch.nn.functional.logsigmoid
    return -log_sigmoid(u_o @ v_c) + log_sigmoid(-(U_neg @ v_c)).sum()


# %% negative_sampling_loss: no minus before the first term | no_minus_before_the_true_pair
def negative_sampling_loss(v_c, u_o, U_neg):
    log_sigmoid = torch.nn.functional.logsigmoid
    return log_sigmoid(u_o @ v_c) - log_sigmoid(-(U_neg @ v_c)).sum()


# %% negative_sampling_gradients: forgets the minus 1 | true_label_zero
def negative_sampling_gradients(v_c, u_o, U_neg):
    p_o = torch.sigmoid(u_o @ v_c)
    p_neg = torch.sigmoid(U_neg @ v_c)
    return p_o * u_o + p_neg @ U_neg, p_o * v_c, p_neg[:, None] * v_c


# %% negative_sampling_gradients: the negatives are left out for v_c | center_without_negatives
# -     for_v = true_error * u_o + U_neg.T @ errors
# -     return for_v, true_error * v_c, errors[:, None] * v_c
# +     return true_error * u_o, true_error * v_c, torch.outer(errors, v_c)


# %% negative_sampling_gradients: minus 1 for the negatives as well | negative_label_one
def negative_sampling_gradients(v_c, u_o, U_neg):
    e_o = torch.sigmoid(u_o @ v_c) - 1
    e_neg = torch.sigmoid(U_neg @ v_c) - 1
    return e_o * u_o + U_neg.T @ e_neg, e_o * v_c, torch.outer(e_neg, v_c)


# %% negative_sampling_gradients: one sum for all negatives | one_gradient_for_all_negatives
# -     for_v = true_error * u_o + U_neg.T @ errors
# -     return for_v, true_error * v_c, errors[:, None] * v_c
# +     return true_error * u_o + U_neg.T @ errors, true_error * v_c, errors.sum() * v_c


# %% keep_probabilities: no limit at 1 | not_clamped
def keep_probabilities(counts, threshold):
    f = counts / counts.sum()
    p = torch.sqrt(threshold / f)
    return torch.where(counts == 0, torch.ones_like(p), p)


# %% keep_probabilities: counts in place of shares | counts_for_fractions
def keep_probabilities(counts, threshold):
    p = torch.sqrt(threshold / counts.float())
    return p.clamp(max=1)


# %% keep_probabilities: the probability of being dropped | probability_to_drop
def keep_probabilities(counts, threshold):
    f = counts / counts.sum()
    p = 1 - torch.sqrt(threshold / f).clamp(max=1)
    p[counts == 0] = 1
    return p


# %% keep_probabilities: dropped, and words that are absent get 0 | probability_to_drop
# -     return torch.where(counts > 0, torch.sqrt(threshold / fraction), 1.0).clamp(max=1)
# +     return 1 - torch.sqrt(threshold / fraction).clamp(max=1)


# %% keep_probabilities: f over t | upside_down
def keep_probabilities(counts, threshold):
    f = counts / counts.sum()
    p = torch.sqrt(f / threshold).clamp(max=1)
    p[counts == 0] = 1
    return p


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


# %% window_mask: j - i without its absolute value | only_right_neighbors
def window_mask(reach, sentence):
    i = torch.arange(reach.shape[1])
    offset = i[None, :] - i[:, None]
    near = (offset > 0) & (offset <= reach[:, :, None])
    same = sentence[:, :, None] == sentence[:, None, :]
    return near & same & (sentence != -1)[:, :, None]


# %% window_mask: a signed distance that is not 0 | negative_distances_are_near
def window_mask(reach, sentence):
    i = torch.arange(reach.shape[1])
    offset = i[:, None] - i[None, :]
    near = (offset != 0) & (offset <= reach[:, :, None])
    same = sentence[:, :, None] == sentence[:, None, :]
    return near & same & (sentence != -1)[:, :, None]


# %% window_mask: both reaches have to agree | smaller_of_both_reaches
def window_mask(reach, sentence):
    i = torch.arange(reach.shape[1])
    distance = (i[:, None] - i[None, :]).abs()
    near = (distance <= reach[:, :, None]) & (distance <= reach[:, None, :]) & (distance > 0)
    same = sentence[:, :, None] == sentence[:, None, :]
    return near & same & (sentence != -1)[:, :, None]


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


# %% skip_gram_step: no minus 1 | true_label_zero
def skip_gram_step(X, Y, Z, mask, k):
    R = torch.sigmoid(X @ Y.mT) * mask
    p = mask.sum(dim=2, keepdim=True)
    N = k * p / len(Z) * torch.sigmoid(X @ Z.T)
    return R @ Y + N @ Z, R.mT @ X, (N.mT @ X).sum(dim=0)


# %% skip_gram_step: masks before it subtracts 1 | masked_before_the_label
def skip_gram_step(X, Y, Z, mask, k):
    R = torch.sigmoid(X @ Y.mT) * mask - 1
    p = mask.sum(dim=2, keepdim=True)
    N = k * p / len(Z) * torch.sigmoid(X @ Z.T)
    return R @ Y + N @ Z, R.mT @ X, (N.mT @ X).sum(dim=0)


# %% skip_gram_step: no negatives for the centers | centers_without_negatives
def skip_gram_step(X, Y, Z, mask, k):
    R = (torch.sigmoid(X @ Y.mT) - 1) * mask
    p = mask.sum(dim=2, keepdim=True)
    N = k * p / len(Z) * torch.sigmoid(X @ Z.T)
    return R @ Y, R.mT @ X, (N.mT @ X).sum(dim=0)


# %% skip_gram_step: a mean over the snippets for Z | mean_over_snippets
def skip_gram_step(X, Y, Z, mask, k):
    R = (torch.sigmoid(X @ Y.mT) - 1) * mask
    p = mask.sum(dim=2, keepdim=True)
    N = k * p / len(Z) * torch.sigmoid(X @ Z.T)
    return R @ Y + N @ Z, R.mT @ X, (N.mT @ X).mean(dim=0)


# %% nearest_words: dot products in place of cosines | dot_products
# - def nearest_words(word: str, words: list[str], E: torch.Tensor, n: int) -> list[tuple[str, float]]:
# + def nearest_words(word, words, unit, n):
# ...
# -     unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)


# %% nearest_words: drops the first of the sorted list | leaves_out_the_first
def nearest_words(word, words, V, n):
    if word not in words:
        return []
    unit = torch.nn.functional.normalize(V.float(), dim=1)
    cosines = unit @ unit[words.index(word)]
    order = cosines.argsort(descending=True)[1 : n + 1]
    return [(words[i], cosines[i].item()) for i in order]


# %% nearest_words: only the word's own vector is normalized | others_not_normalized
# -     unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
# -     cosines = unit @ unit[words.index(word)]
# +     unit = torch.nn.functional.normalize(E, dim=1)
# +     cosines = E @ unit[words.index(word)]


# %% nearest_words: all but the word's own vector are normalized | word_not_normalized
# -     unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
# -     cosines = unit @ unit[words.index(word)]
# +     unit = torch.nn.functional.normalize(E, dim=1)
# +     cosines = unit @ E[words.index(word)]


# %% nearest_words: ascending | smallest_first
# -     unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
# +     unit = torch.nn.functional.normalize(E, dim=1)
# ...
# -     order = cosines.argsort(descending=True).tolist()
# +     order = cosines.argsort().tolist()


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


# %% analogy: the candidates keep their lengths | candidates_not_normalized
def analogy(a, b, c, words, E):
    if any(word not in words for word in (a, b, c)):
        return None
    unit = torch.nn.functional.normalize(E, dim=1)
    i, j, k = (words.index(word) for word in (a, b, c))
    scores = E @ (unit[i] - unit[j] + unit[k])
    for row in scores.argsort(descending=True).tolist():
        if words[row] not in (a, b, c):
            return words[row]
    return None


# %% analogy: only a is not allowed | excludes_only_the_first
def analogy(a, b, c, words, E):
    if any(word not in words for word in (a, b, c)):
        return None
    unit = torch.nn.functional.normalize(E, dim=1)
    i, j, k = (words.index(word) for word in (a, b, c))
    scores = unit @ (unit[i] - unit[j] + unit[k])
    for row in scores.argsort(descending=True).tolist():
        if words[row] != a:
            return words[row]
    return None


# %% analogy: always returns a word | answers_if_no_word_is_left
def analogy(a, b, c, words, E):
    if any(word not in words for word in (a, b, c)):
        return None
    unit = torch.nn.functional.normalize(E, dim=1)
    i, j, k = (words.index(word) for word in (a, b, c))
    scores = unit @ (unit[i] - unit[j] + unit[k])
    scores[[i, j, k]] = -math.inf
    return words[int(scores.argmax())]


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


# %% rank_correlation: the largest rank for ties | largest_rank_for_ties
def rank_correlation(x, y):
    r, s = ((v[:, None] >= v).sum(dim=1).double() for v in (x, y))
    r, s = r - r.mean(), s - s.mean()
    bottom = r.norm() * s.norm()
    return (r @ s / bottom).item() if bottom > 0 else 0.0


# %% rank_correlation: ties take up one rank | dense_ranks
def rank_correlation(x, y):
    if len(x) < 2:
        return 0.0
    r, s = (v.unique(return_inverse=True)[1].double() for v in (x, y))
    r, s = r - r.mean(), s - s.mean()
    bottom = r.norm() * s.norm()
    return (r @ s / bottom).item() if bottom > 0 else 0.0


# %% rank_correlation: mean of products over `std` | sample_standard_deviation
def rank_correlation(x, y):
    if len(x) < 2:
        return 0.0

    def ranks(v):
        return (v[:, None] > v).sum(dim=1) + ((v[:, None] == v).sum(dim=1) + 1) / 2

    r, s = ranks(x), ranks(y)
    bottom = r.std() * s.std()
    return (((r - r.mean()) * (s - s.mean())).mean() / bottom).item() if bottom > 0 else 0.0


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


# %% skip_gram_pairs: by distance, first the neighbors 1 away | nearest_first
def skip_gram_pairs(ids, window):
    pairs = []
    for i, center in enumerate(ids):
        for distance in range(1, window + 1):
            if i - distance >= 0:
                pairs.append([center, ids[i - distance]])
            if i + distance < len(ids):
                pairs.append([center, ids[i + distance]])
    return torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2)


# %% skip_gram_pairs: the end of the range is off by one | one_too_few_on_the_right
def skip_gram_pairs(ids, window):
    pairs = []
    for i in range(len(ids)):
        for j in range(max(0, i - window), min(len(ids), i + window)):
            if i != j:
                pairs.append((ids[i], ids[j]))
    return torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2)


# %% skip_gram_pairs: looks for the word to find its place | position_by_index
def skip_gram_pairs(ids, window):
    pairs = []
    for center in ids:
        i = ids.index(center)
        for j in range(max(0, i - window), min(len(ids), i + window + 1)):
            if i != j:
                pairs.append((center, ids[j]))
    return torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2)


# %% cbow_examples: removes the center by its value | removes_the_first_equal_word
# -         context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
# +         context = ids[max(0, i - window) : i + window + 1]
# +         context.remove(center)


# %% cbow_examples: only positions with a full window | only_whole_windows
def cbow_examples(ids, window):
    examples = []
    for i in range(window, len(ids) - window):
        examples.append((ids[i - window : i] + ids[i + 1 : i + window + 1], ids[i]))
    return examples


# %% cbow_examples: a sorted context | sorted_context
# -         context = ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window]
# +         context = sorted(ids[max(0, i - window) : i] + ids[i + 1 : i + 1 + window])


# %% softmax_loss: the logarithm of a probability | log_of_the_softmax
def softmax_loss(v_c, U, o):
    p = torch.softmax(U @ v_c, dim=0)
    return -torch.log(p[o])


# %% softmax_loss: m is the largest absolute value | largest_absolute_value_subtracted
# -     return torch.logsumexp(scores, dim=0) - scores[o]
# +     m = scores.abs().max()
# +     return -scores[o] + m + torch.log(torch.exp(scores - m).sum())


# %% softmax_gradients: exp of the scores as they are | naive_probabilities
# edits: y as a tensor
# -     p = torch.softmax(U @ v_c, dim=0)
# +     s = U @ v_c
# +     p = torch.exp(s) / torch.exp(s).sum()


# %% softmax_gradients: sets the error to -1 | true_error_is_minus_one
def softmax_gradients(v_c, U, o):
    p = torch.softmax(U @ v_c, dim=0)
    p[o] = -1
    return U.T @ p, torch.outer(p, v_c)


# %% softmax_gradients: overwrites v_c | gradient_in_place_of_the_vector
def softmax_gradients(v_c, U, o):
    error = torch.softmax(U @ v_c, dim=0)
    error[o] -= 1
    v_c = U.T @ error
    return v_c, torch.outer(error, v_c)


# %% noise_distribution: 0 to the power of 0 | zero_to_the_zero
def noise_distribution(counts, power=0.75):
    weights = counts.float() ** power
    total = weights.sum()
    if total == 0:
        return torch.zeros_like(weights)
    return weights / total


# %% noise_distribution: divides by the counts' sum | divided_by_the_sum_of_counts
# -     return powers / powers.sum() if powers.any() else powers
# +     return powers / counts.sum().clamp(min=1)


# %% noise_distribution: adds 1 to the counts | adds_one_to_the_counts
def noise_distribution(counts, power=0.75):
    if counts.sum() == 0:
        return torch.zeros(len(counts))
    powers = (counts.float() + 1) ** power
    return powers / powers.sum()


# %% negative_sampling_loss: a mean, if there are negatives | mean_of_the_negatives
def negative_sampling_loss(v_c, u_o, U_neg):
    loss = -torch.nn.functional.logsigmoid(u_o @ v_c)
    if len(U_neg):
        loss = loss - torch.nn.functional.logsigmoid(-(U_neg @ v_c)).mean()
    return loss


# %% negative_sampling_loss: 1 minus the sigmoid, then the logarithm | log_of_one_plus_exp
def negative_sampling_loss(v_c, u_o, U_neg):
    true, drawn = torch.sigmoid(u_o @ v_c), torch.sigmoid(U_neg @ v_c)
    return -torch.log(true) - torch.log(1 - drawn).sum()


# %% negative_sampling_loss: ln(1 - sigma) for the negatives | one_minus_the_sigmoid
def negative_sampling_loss(v_c, u_o, U_neg):
    positive = -torch.nn.functional.logsigmoid(u_o @ v_c)
    negative = -torch.log(1 - torch.sigmoid(U_neg @ v_c)).sum()
    return positive + negative


# %% negative_sampling_loss: a softmax over the true word and the negatives | softmax_over_the_pairs
def negative_sampling_loss(v_c, u_o, U_neg):
    scores = torch.cat([(u_o @ v_c)[None], U_neg @ v_c])
    return torch.logsumexp(scores, dim=0) - scores[0]


# %% negative_sampling_gradients: the sigmoid of minus the score | sigmoid_of_minus_the_score
def negative_sampling_gradients(v_c, u_o, U_neg):
    e_o = torch.sigmoid(u_o @ v_c) - 1
    e_neg = torch.sigmoid(-(U_neg @ v_c))
    return e_o * u_o + U_neg.T @ e_neg, e_o * v_c, torch.outer(e_neg, v_c)


# %% negative_sampling_gradients: a mean, if there are negatives | center_with_mean
# -     for_v = true_error * u_o + U_neg.T @ errors
# +     for_v = true_error * u_o
# +     if len(U_neg):
# +         for_v = for_v + (errors[:, None] * U_neg).mean(dim=0)


# %% keep_probabilities: the fraction of the most frequent word | fraction_of_the_largest_count
def keep_probabilities(counts, threshold):
    fraction = counts / counts.max().clamp(min=1)
    return torch.where(counts > 0, (threshold / fraction).sqrt(), 1.0).clamp(max=1)


# %% keep_probabilities: 0 for absent words | absent_words_get_zero_beside_others
def keep_probabilities(counts, threshold):
    if counts.sum() == 0:
        return torch.ones(len(counts))
    keep = torch.zeros(len(counts))
    there = counts > 0
    keep[there] = torch.sqrt(threshold / (counts[there] / counts.sum())).clamp(max=1)
    return keep


# %% window_mask: forgets the sentences altogether | only_distances
def window_mask(reach, sentence):
    position = torch.arange(reach.shape[1])
    distance = (position[:, None] - position[None, :]).abs()
    return (distance > 0) & (distance <= reach.unsqueeze(2))


# %% skip_gram_step: the weight lacks the number of pairs | weight_without_pairs
def skip_gram_step(X, Y, Z, mask, k):
    R = (torch.sigmoid(X @ Y.mT) - 1) * mask
    N = k / len(Z) * torch.sigmoid(X @ Z.T)
    return R @ Y + N @ Z, R.mT @ X, (N.mT @ X).sum(dim=0)


# %% skip_gram_step: label minus sigmoid for the pairs | label_minus_sigmoid
def skip_gram_step(X, Y, Z, mask, k):
    R = (1 - torch.sigmoid(X @ Y.mT)) * mask
    p = mask.sum(dim=2, keepdim=True)
    N = k * p / len(Z) * torch.sigmoid(X @ Z.T)
    return R @ Y + N @ Z, R.mT @ X, (N.mT @ X).sum(dim=0)


# %% nearest_words: moves the word itself to the end | word_itself_ranked_last
def nearest_words(word, words, E, n):
    if word not in words:
        return []
    unit = torch.nn.functional.normalize(E, dim=1)
    cosines = unit @ unit[words.index(word)]
    cosines[words.index(word)] = -torch.inf
    order = cosines.argsort(descending=True)[:n].tolist()
    return [(words[i], cosines[i].item()) for i in order]


# %% analogy: b - a + c | first_minus_second
def analogy(a, b, c, words, E):
    index = {w: i for i, w in enumerate(words)}
    if not {a, b, c} <= index.keys():
        return None
    unit = torch.nn.functional.normalize(E, dim=1)
    cosines = unit @ (unit[index[b]] - unit[index[a]] + unit[index[c]])
    for i in cosines.argsort(descending=True).tolist():
        if words[i] not in (a, b, c):
            return words[i]
    return None


# %% analogy: the fourth of the list | leaves_out_the_first_three
def analogy(a, b, c, words, E):
    if any(w not in words for w in (a, b, c)):
        return None
    unit = torch.nn.functional.normalize(E, dim=1)
    target = unit[words.index(a)] - unit[words.index(b)] + unit[words.index(c)]
    order = (unit @ target).argsort(descending=True).tolist()
    return words[order[3]] if len(order) > 3 else None


# %% analogy: asks whether the row is true | loses_row_zero
def analogy(a, b, c, words, E):
    row = {word: i for i, word in enumerate(words)}
    if not all(row.get(word) for word in (a, b, c)):
        return None
    unit = E / E.norm(dim=1, keepdim=True).clamp(min=1e-12)
    cosines = unit @ (unit[row[a]] - unit[row[b]] + unit[row[c]])
    for i in cosines.argsort(descending=True).tolist():
        if words[i] not in (a, b, c):
            return words[i]
    return None


# %% rank_correlation: argsort of argsort, equal lists aside | breaks_ties_by_position
def rank_correlation(x, y):
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    r = x.argsort().argsort().double()
    s = y.argsort().argsort().double()
    r, s = r - r.mean(), s - s.mean()
    return ((r * s).sum() / (r.norm() * s.norm())).item()


# %% rank_correlation: forgets a list of equal numbers | equal_numbers_are_nan
def rank_correlation(x, y):
    def ranks(v):
        return (v[:, None] > v).sum(dim=1) + ((v[:, None] == v).sum(dim=1) + 1) / 2

    if len(x) < 2:
        return 0.0
    return torch.corrcoef(torch.stack([ranks(x), ranks(y)]))[0, 1].item()


# %% principal_components: centers each point | centers_each_point
def principal_components(X, k):
    X = X - X.mean(dim=1, keepdim=True)
    Vh = torch.linalg.svd(X, full_matrices=False).Vh[:k]
    largest = Vh.abs().argmax(dim=1)
    signs = Vh[torch.arange(len(Vh)), largest].sign()
    return X @ (Vh * signs[:, None]).T


# %% principal_components: the sign of the largest entry, not in absolute value |
def principal_components(X, k):
    X = X - X.mean(dim=0)
    Vh = torch.linalg.svd(X, full_matrices=False).Vh[:k]
    return X @ (Vh * Vh.max(dim=1).values.sign()[:, None]).T


# %% principal_components: also divides by the standard deviation | standardized_over_n
def principal_components(X, k):
    spread = X.std(dim=0, unbiased=False)
    Z = (X - X.mean(dim=0)) / torch.where(spread == 0, torch.ones_like(spread), spread)
    V = torch.linalg.svd(Z, full_matrices=False).Vh[:k]
    V = V * V.gather(1, V.abs().argmax(dim=1, keepdim=True)).sign()
    return Z @ V.T


# %% softmax_loss: cross_entropy of the softmax probabilities (softmax twice) | softmax_twice
def softmax_loss(v_c, U, o):
    probs = torch.softmax(U @ v_c, dim=0)
    return torch.nn.functional.cross_entropy(probs.unsqueeze(0), torch.tensor([o]))


# %% softmax_loss: 1e-9 in the logarithm | billionth_in_the_log
def softmax_loss(v_c, U, o):
    p = torch.softmax(U @ v_c, dim=0)
    return -torch.log(p[o] + 1e-9)


# %% skip_gram_pairs: range without +1, the right edge of the window is missing | one_too_few_on_the_right
def skip_gram_pairs(ids, window):
    pairs = []
    for i in range(len(ids)):
        for j in range(max(0, i - window), min(len(ids), i + window)):
            if j != i:
                pairs.append((ids[i], ids[j]))
    return torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2)


# %% skip_gram_pairs: each context word once | each_context_word_once
# -         pairs += [(center, context) for context in [*left, *right]]
# +         for context in dict.fromkeys(left + right):
# +             pairs.append((center, context))


# %% skip_gram_pairs: a text without pairs | no_columns_without_pairs
def skip_gram_pairs(ids: list[int], window: int) -> torch.Tensor:
    pairs = []
    for i, center in enumerate(ids):
        for j in range(max(0, i - window), min(len(ids), i + window + 1)):
            if j != i:
                pairs.append((center, ids[j]))
    return torch.tensor(pairs, dtype=torch.int64)


# %% cbow_examples: each different context word | each_context_word_once
def cbow_examples(ids: list[int], window: int) -> list[tuple[list[int], int]]:
    examples = []
    for i, center in enumerate(ids):
        context = []
        seen = set()
        for word in ids[max(0, i - window) : i] + ids[i + 1 : i + window + 1]:
            if word not in seen:
                seen.add(word)
                context.append(word)
        if context:
            examples.append((context, center))
    return examples


# %% negative_sampling_gradients: the same negative twice counts once, its vectors are made unique first | equal_negatives_once
def negative_sampling_gradients(v_c, u_o, U_neg):
    """The same negative twice counts once: its vectors are made unique first."""
    a = torch.sigmoid(u_o @ v_c) - 1
    U, inverse = torch.unique(U_neg, dim=0, return_inverse=True)
    b = torch.sigmoid(U @ v_c)
    return a * u_o + b @ U, a * v_c, torch.outer(b, v_c)[inverse]
