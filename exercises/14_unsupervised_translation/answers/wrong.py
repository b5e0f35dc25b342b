# %% procrustes: the product the other way round | the_way_back
def procrustes(X, Y):
    if X.shape != Y.shape:
        raise ValueError("different shapes")
    U, S, Vh = torch.linalg.svd(Y.T @ X)
    return U @ Vh


# %% procrustes: takes Vh for V | v_not_transposed
def procrustes(X, Y):
    if X.shape != Y.shape:
        raise ValueError("different shapes")
    U, S, V = torch.linalg.svd(X.T.matmul(Y))
    return U @ V.T


# %% procrustes: the pseudoinverse | least_squares
def procrustes(X, Y):
    if X.shape != Y.shape:
        raise ValueError("different shapes")
    return torch.linalg.pinv(X) @ Y


# %% csls: means of all words | mean_of_all
def csls(similarity, k):
    if k < 1 or k > min(similarity.shape):
        raise ValueError("k")
    return 2 * similarity - similarity.mean(1, keepdim=True) - similarity.mean(0, keepdim=True)


# %% csls: without the factor of two | not_doubled
def csls(similarity, k):
    if k < 1 or k > min(similarity.shape):
        raise ValueError("k")
    rows = similarity.topk(k, dim=1)[0].mean(dim=1, keepdim=True)
    columns = similarity.topk(k, dim=0)[0].mean(dim=0, keepdim=True)
    return similarity - rows - columns


# %% mutual_neighbors: only the rows choose | one_way
def mutual_neighbors(similarity):
    return list(enumerate(similarity.argmax(dim=1).tolist()))


# %% mutual_neighbors: goes through the columns | in_the_order_of_columns
def mutual_neighbors(similarity):
    pairs = []
    for j in range(similarity.shape[1]):
        i = int(similarity[:, j].argmax())
        if int(similarity[i].argmax()) == j:
            pairs.append((i, j))
    return pairs


# %% word_by_word: skips what it does not know | drops_unknown_words
def word_by_word(sentence, dictionary):
    out = []
    for word in sentence:
        if dictionary.get(word):
            out.append(dictionary[word])
    return out


# %% word_by_word: a sentence again | returns_a_string
def word_by_word(sentence, dictionary):
    text = ""
    for word in sentence:
        text += dictionary.get(word, word) + " "
    return text.strip()


# %% add_noise: may lose everything | loses_the_sentence
def add_noise(ids, p, k, generator):
    if not 0 <= p < 1 or k < 0:
        raise ValueError("p or k")
    u = torch.rand(len(ids), generator=generator)
    kept = [w for w, x in zip(ids, u) if x >= p]
    keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
    return [kept[i] for i in keys.argsort()]


# %% add_noise: a window of k | moves_too_little
def add_noise(ids, p, k, generator):
    if not 0 <= p < 1 or k < 0:
        raise ValueError("p or k")
    u = torch.rand(len(ids), generator=generator)
    kept = [w for w, x in zip(ids, u) if x >= p]
    if not kept:
        kept = list(ids)
    v = torch.rand(len(kept), generator=generator)
    order = sorted(range(len(kept)), key=lambda i: i + k * v[i].item())
    return [kept[i] for i in order]


# %% denoising_batch: the language token in front of the source | token_in_the_source
# -     noisy = [add_noise(ids, p, k, generator) for ids in sentences]
# +     noisy = [[language] + add_noise(ids, p, k, generator) for ids in sentences]


# %% back_translation_batch: forgets no_grad | with_gradient
def back_translation_batch(translate, sentences, language, other, eos):
    return translation_batch(translate(sentences, other), sentences, language, eos)


# %% unsupervised_loss: the mean of four | mean
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    losses = []
    a, b = sentences
    for x, y in ((a, b), (b, a)):
        losses.append(loss(*denoising_batch(sentences[x], x, eos, p, k, generator)))
        losses.append(loss(*back_translation_batch(translate, sentences[x], x, y, eos)))
    return torch.stack(losses).mean()


# %% unsupervised_loss: no denoising | back_translation_only
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    a, b = sentences
    into_a = loss(*back_translation_batch(translate, sentences[a], a, b, eos))
    return into_a + loss(*back_translation_batch(translate, sentences[b], b, a, eos))


# %% round_trip_bleu: never comes back | one_way_only
def round_trip_bleu(translate, sentences):
    a, b = sentences
    first = corpus_bleu(translate(sentences[a], b), [[s] for s in sentences[a]])
    second = corpus_bleu(translate(sentences[b], a), [[s] for s in sentences[b]])
    return (first + second) / 2


# %% round_trip_bleu: the first language only | one_direction_only
def round_trip_bleu(translate, sentences):
    a, b = sentences
    back = translate(translate(sentences[a], b), a)
    return corpus_bleu(back, [[s] for s in sentences[a]])


# %% csls: forgets keepdim | rows_without_their_axis
def csls(similarity, k):
    if k < 1 or k > min(similarity.shape):
        raise ValueError("k")
    rows = similarity.topk(k, dim=1).values.mean(dim=1)
    columns = similarity.topk(k, dim=0).values.mean(dim=0)
    return 2 * similarity - rows - columns


# %% csls: takes dim=0 for the rows | axes_exchanged
def csls(similarity, k):
    if k < 1 or k > min(similarity.shape):
        raise ValueError("k")
    rows = similarity.topk(k, dim=0)[0].mean(dim=0)
    columns = similarity.topk(k, dim=1)[0].mean(dim=1)
    return 2 * similarity - rows[:, None] - columns[None]


# %% csls: the mean of the column for both | columns_twice
def csls(similarity, k):
    if k < 1 or k > min(similarity.shape):
        raise ValueError("k")
    return 2 * similarity - 2 * similarity.topk(k, dim=0).values.mean(dim=0, keepdim=True)


# %% mutual_neighbors: takes dim=0 for the rows | columns_first
def mutual_neighbors(similarity):
    best = similarity.argmax(0).tolist()
    back = similarity.argmax(1).tolist()
    return [(i, j) for i, j in enumerate(best) if back[j] == i]


# %% add_noise: the position in the whole sentence | positions_before_dropping
def add_noise(ids, p, k, generator):
    if p < 0 or p >= 1 or k < 0:
        raise ValueError("p or k")
    keep = torch.rand(len(ids), generator=generator) >= p
    kept = [(n, i) for n, i in enumerate(ids) if keep[n]] or list(enumerate(ids))
    u = torch.rand(len(kept), generator=generator)
    keys = [n + float(x) * (k + 1) for (n, _), x in zip(kept, u)]
    return [i for _, (_, i) in sorted(zip(keys, kept), key=lambda pair: pair[0])]


# %% add_noise: draws all keys before it drops | keys_for_all
def add_noise(ids, p, k, generator):
    if p < 0 or p >= 1 or k < 0:
        raise ValueError("p or k")
    drop = torch.rand(len(ids), generator=generator)
    keys = torch.arange(len(ids)) + torch.rand(len(ids), generator=generator) * (k + 1)
    order = keys.argsort().tolist()
    return [ids[i] for i in order if drop[i] >= p] or [ids[i] for i in order]


# %% add_noise: gives up where all is lost | stays_as_it_is
def add_noise(ids, p, k, generator):
    if p < 0 or p >= 1 or k < 0:
        raise ValueError("p or k")
    left = [i for i in ids if torch.rand(1, generator=generator).item() >= p]
    if not left:
        return list(ids)
    keys = torch.arange(len(left)) + torch.rand(len(left), generator=generator) * (k + 1)
    return [left[i] for i in keys.argsort().tolist()]


# %% add_noise: argsort the wrong way round | inverse_order
def add_noise(ids, p, k, generator):
    if p < 0 or p >= 1 or k < 0:
        raise ValueError("p or k")
    drop = torch.rand(len(ids), generator=generator).tolist()
    left = [i for i, u in zip(ids, drop) if u >= p] or list(ids)
    u = torch.rand(len(left), generator=generator).tolist()
    order = sorted(range(len(left)), key=lambda i: i + u[i] * (k + 1))
    out = [0] * len(left)
    for i, position in enumerate(order):
        out[position] = left[i]
    return out


# %% denoising_batch: add_noise draws n numbers twice | add_noise_draws_for_all
def denoising_batch(sentences, language, eos, p, k, generator):
    def noise(ids):
        left = [i for i in ids if torch.rand(1, generator=generator).item() >= p] or list(ids)
        u = torch.rand(len(ids), generator=generator)[: len(left)]
        return [left[i] for i in (torch.arange(len(left)) + (k + 1) * u).argsort().tolist()]

    return translation_batch([noise(ids) for ids in sentences], sentences, language, eos)


# %% denoising_batch: ends the targets itself | eos_twice
# -     return translation_batch(noisy, sentences, language, eos)
# +     return translation_batch(noisy, [ids + [eos] for ids in sentences], language, eos)


# %% unsupervised_loss: one token for both | translates_into_the_same
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    total = 0
    for x, ids in sentences.items():
        total = total + loss(*denoising_batch(ids, x, eos, p, k, generator))
        total = total + loss(*back_translation_batch(translate, ids, x, x, eos))
    return total


# %% round_trip_bleu: the same token twice | never_leaves
def round_trip_bleu(translate, sentences):
    scores = []
    for language, rows in sentences.items():
        if len(rows) == 0:
            raise ValueError("no sentence")
        back = translate(translate(rows, language), language)
        scores.append(corpus_bleu(back, [[ids] for ids in rows]))
    return sum(scores) / 2


# %% round_trip_bleu: all sentences in one test set | one_corpus
def round_trip_bleu(translate, sentences):
    a, b = sentences
    hypotheses, references = [], []
    for language, other in ((a, b), (b, a)):
        if len(sentences[language]) == 0:
            raise ValueError("no sentence")
        hypotheses += translate(translate(sentences[language], other), language)
        references += [[ids] for ids in sentences[language]]
    return corpus_bleu(hypotheses, references)


# %% round_trip_bleu: checks first, then forgets the inner brackets | not_a_list_of_references
def round_trip_bleu(translate, sentences):
    scores = []
    for language, other in zip(sentences, reversed(list(sentences))):
        if not sentences[language]:
            raise ValueError("no sentence")
        back = translate(translate(sentences[language], other), language)
        scores.append(corpus_bleu(back, sentences[language]))
    return sum(scores) / 2


# %% mutual_neighbors: indices stay tensors | tensors_for_numbers
def mutual_neighbors(similarity):
    best_column = similarity.argmax(dim=1)
    best_row = similarity.argmax(dim=0)
    rows = torch.arange(len(similarity))
    return [(i, best_column[i]) for i in rows if best_row[best_column[i]] == i]


# %% add_noise: one number for each word, used twice | one_draw_for_both
def add_noise(ids, p, k, generator):
    if not 0 <= p < 1 or k < 0:
        raise ValueError("p or k")
    u = torch.rand(len(ids), generator=generator)
    left = [n for n in range(len(ids)) if u[n] >= p]
    if not left:
        left = list(range(len(ids)))
    keys = {n: i + u[n].item() * (k + 1) for i, n in enumerate(left)}
    return [ids[n] for n in sorted(left, key=keys.get)]


# %% unsupervised_loss: a mean over two languages | mean_of_languages
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    first, second = sentences
    losses = []
    for token, other in ((first, second), (second, first)):
        denoise = loss(*denoising_batch(sentences[token], token, eos, p, k, generator))
        back = loss(*back_translation_batch(translate, sentences[token], token, other, eos))
        losses.append(denoise + back)
    return torch.stack(losses).mean()


# %% unsupervised_loss: the tokens of the back-translation | tokens_swapped
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    (a, A), (b, B) = sentences.items()
    total = loss(*denoising_batch(A, a, eos, p, k, generator))
    total = total + loss(*back_translation_batch(translate, A, b, a, eos))
    total = total + loss(*denoising_batch(B, b, eos, p, k, generator))
    return total + loss(*back_translation_batch(translate, B, a, b, eos))


# %% procrustes: vectors of length 1 | normalizes_first
def procrustes(X, Y):
    if X.shape != Y.shape:
        raise ValueError
    U, _, Vh = torch.linalg.svd(F.normalize(X).T @ F.normalize(Y))
    return U @ Vh


# %% procrustes: Vh first | factors_exchanged
def procrustes(X, Y):
    if X.shape != Y.shape:
        raise ValueError
    U, _, Vh = torch.linalg.svd(X.T @ Y)
    return Vh @ U


# %% procrustes: makes the best matrix orthogonal | straightens_least_squares
def procrustes(X, Y):
    if X.shape != Y.shape:
        raise ValueError
    W = torch.linalg.lstsq(X, Y).solution
    U, _, Vh = torch.linalg.svd(W)
    return U @ Vh


# %% csls: the mean of both means | half_of_it
def csls(similarity, k):
    if not 1 <= k <= min(similarity.shape):
        raise ValueError
    r = similarity.topk(k, dim=1).values.mean(dim=1, keepdim=True)
    c = similarity.topk(k, dim=0).values.mean(dim=0, keepdim=True)
    return similarity - (r + c) / 2


# %% csls: the last of the k | only_the_kth
def csls(similarity, k):
    if not 1 <= k <= min(similarity.shape):
        raise ValueError
    r = similarity.topk(k, dim=1).values[:, -1:]
    c = similarity.topk(k, dim=0).values[-1:]
    return 2 * similarity - r - c


# %% csls: mean without an axis | one_mean_for_all
def csls(similarity, k):
    if not 1 <= k <= min(similarity.shape):
        raise ValueError
    r = similarity.topk(k, dim=1).values.mean()
    c = similarity.topk(k, dim=0).values.mean()
    return 2 * similarity - r - c


# %% mutual_neighbors: or in place of and | either_choice
def mutual_neighbors(similarity):
    best = (similarity == similarity.max(dim=1, keepdim=True).values) | (
        similarity == similarity.max(dim=0, keepdim=True).values
    )
    return [tuple(p) for p in best.nonzero().tolist()]


# %% mutual_neighbors: lists | lists_for_tuples
def mutual_neighbors(similarity):
    col = similarity.argmax(dim=1)
    row = similarity.argmax(dim=0)
    return [[i, int(j)] for i, j in enumerate(col) if row[j] == i]


# %% add_noise: greater than p | drops_equal_numbers
def add_noise(ids, p, k, generator):
    if not 0 <= p < 1 or k < 0:
        raise ValueError
    drop = torch.rand(len(ids), generator=generator)
    kept = [w for w, d in zip(ids, drop) if d > p]
    if not kept:
        kept = ids
    keys = torch.arange(len(kept)) + torch.rand(len(kept), generator=generator) * (k + 1)
    return [kept[i] for i in keys.argsort()]


# %% add_noise: saves a draw | draws_nothing_for_p_0
def add_noise(ids, p, k, generator):
    if not 0 <= p < 1 or k < 0:
        raise ValueError
    kept = list(ids)
    if p > 0:
        drop = torch.rand(len(ids), generator=generator)
        kept = [w for w, d in zip(ids, drop) if d >= p] or list(ids)
    keys = torch.arange(len(kept)) + torch.rand(len(kept), generator=generator) * (k + 1)
    return [kept[i] for i in keys.argsort()]


# %% back_translation_batch: one by one, with gradients | with_gradient
def back_translation_batch(translate, sentences, language, other, eos):
    made = [translate([s], other)[0] for s in sentences]
    return translation_batch(made, sentences, language, eos)


# %% back_translation_batch: the token in front of the source | token_in_the_source
# -         translations = translate(sentences, other)
# +         translations = [[other, *s] for s in translate(sentences, other)]


# %% unsupervised_loss: the sentences of the other language | tokens_swapped
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    total = 0
    a, b = sentences
    for language, other in ((a, b), (b, a)):
        total = total + loss(*denoising_batch(sentences[language], language, eos, p, k, generator))
        total = total + loss(
            *back_translation_batch(translate, sentences[other], language, other, eos)
        )
    return total


# %% unsupervised_loss: the other token for denoising | denoises_with_the_other_token
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    total = 0
    a, b = sentences
    for language, other in ((a, b), (b, a)):
        total = total + loss(*denoising_batch(sentences[language], other, eos, p, k, generator))
        total = total + loss(
            *back_translation_batch(translate, sentences[language], language, other, eos)
        )
    return total


# %% unsupervised_loss: tokens as numbers | fixed_tokens
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    total = 0
    for language, other in ((2, 3), (3, 2)):
        total = total + loss(*denoising_batch(sentences[language], language, eos, p, k, generator))
        total = total + loss(
            *back_translation_batch(translate, sentences[language], language, other, eos)
        )
    return total


# %% unsupervised_loss: adds up items | a_number
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    total = 0.0
    a, b = sentences
    for language, other in ((a, b), (b, a)):
        total += loss(*denoising_batch(sentences[language], language, eos, p, k, generator)).item()
        total += loss(
            *back_translation_batch(translate, sentences[language], language, other, eos)
        ).item()
    return torch.tensor(total)


# %% round_trip_bleu: each sentence by itself | mean_of_sentences
def round_trip_bleu(translate, sentences):
    a, b = sentences
    scores = []
    for language, other in ((a, b), (b, a)):
        if not sentences[language]:
            raise ValueError
        back = translate(translate(sentences[language], other), language)
        each = [corpus_bleu([h], [[s]]) for h, s in zip(back, sentences[language])]
        scores.append(sum(each) / len(each))
    return sum(scores) / 2


# %% add_noise: the generator forgotten | ignores_the_generator_twice
def add_noise(ids, p, k, generator):
    if not 0 <= p < 1 or k < 0:
        raise ValueError("p, k")
    u = torch.rand(len(ids))
    kept = [i for i, x in zip(ids, u.tolist()) if x >= p] or list(ids)
    keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept))
    return [kept[i] for i in keys.argsort().tolist()]


# %% add_noise: randperm | a_random_permutation
def add_noise(ids, p, k, generator):
    if not 0 <= p < 1 or k < 0:
        raise ValueError("p, k")
    u = torch.rand(len(ids), generator=generator)
    kept = [i for i, x in zip(ids, u.tolist()) if x >= p] or list(ids)
    return [kept[i] for i in torch.randperm(len(kept), generator=generator).tolist()]


# %% unsupervised_loss: a float | adds_up_numbers
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    a, b = sentences
    t = 0.0
    for x, y in ((a, b), (b, a)):
        t += loss(*denoising_batch(sentences[x], x, eos, p, k, generator)).item()
        t += loss(*back_translation_batch(translate, sentences[x], x, y, eos)).item()
    return t


# %% back_translation_batch: switches gradients off for good | leaves_gradients_off
def back_translation_batch(translate, sentences, language, other, eos):
    torch.set_grad_enabled(False)
    translations = translate(sentences, other)
    if len(translations) != len(sentences):
        raise ValueError("a sentence is lost")
    return translation_batch(translations, sentences, language, eos)


# %% add_noise: draws a number for each word of the whole sentence | draws_for_all_words_again
def add_noise(ids, p, k, generator):
    if p < 0 or p >= 1 or k < 0:
        raise ValueError("p or k")
    first = torch.rand(len(ids), generator=generator)
    kept = [word for word, u in zip(ids, first.tolist()) if u >= p]
    if not kept:
        kept = list(ids)
    second = torch.rand(len(ids), generator=generator)[: len(kept)]
    keys = [i + u * (k + 1) for i, u in enumerate(second.tolist())]
    return [kept[i] for i in sorted(range(len(kept)), key=keys.__getitem__)]


# %% add_noise: draws nothing without shuffling
def add_noise(ids, p, k, generator):
    if p < 0 or p >= 1 or k < 0:
        raise ValueError("p or k")
    kept = [w for w, u in zip(ids, torch.rand(len(ids), generator=generator)) if u >= p] or ids
    if k == 0:
        return list(kept)
    keys = torch.arange(len(kept)) + (k + 1) * torch.rand(len(kept), generator=generator)
    return [kept[i] for i in keys.argsort()]


# %% unsupervised_loss: calls backward itself | calls_backward_itself
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    a, b = sentences
    total = 0
    for one, other in ((a, b), (b, a)):
        total += loss(*denoising_batch(sentences[one], one, eos, p, k, generator))
        total += loss(*back_translation_batch(translate, sentences[one], one, other, eos))
    total.backward()
    return total


# %% procrustes: torch.svd | v_not_transposed
def procrustes(X, Y):
    if X.shape != Y.shape:
        raise ValueError("X and Y must have the same shape")
    U, S, Vh = torch.svd(X.T @ Y)
    return U @ Vh


# %% csls: max in place of the mean of k | only_the_nearest
def csls(similarity, k):
    if k < 1 or k > min(similarity.shape):
        raise ValueError("k")
    rows = similarity.max(dim=1, keepdim=True).values
    columns = similarity.max(dim=0, keepdim=True).values
    return 2 * similarity - rows - columns


# %% mutual_neighbors: greedy | greedy_pairs
def mutual_neighbors(similarity):
    n, m = similarity.shape
    order = similarity.flatten().argsort(descending=True, stable=True).tolist()
    rows, columns, pairs = set(), set(), []
    for index in order:
        i, j = index // m, index % m
        if i not in rows and j not in columns:
            rows.add(i)
            columns.add(j)
            pairs.append((i, j))
    return sorted(pairs)


# %% csls: skips the nearest one, as if a word were its own neighbor | skips_the_nearest
def csls(similarity, k):
    n, m = similarity.shape
    best_columns = similarity.sort(dim=1, descending=True).values
    best_rows = similarity.sort(dim=0, descending=True).values
    r_i = best_columns[:, 1 : k + 1].mean(dim=1)
    r_j = best_rows[1 : k + 1, :].mean(dim=0)
    return 2 * similarity - r_i.view(n, 1) - r_j.view(1, m)


# %% csls: the k + 1 nearest without the first | skips_the_nearest
def csls(similarity, k):
    if k < 1 or k > min(similarity.shape):
        raise ValueError("k")
    rows = similarity.topk(k + 1, dim=1).values[:, 1:].mean(dim=1, keepdim=True)
    columns = similarity.topk(k + 1, dim=0).values[1:].mean(dim=0, keepdim=True)
    return 2 * similarity - rows - columns


# %% csls: the k nearest without the first | skips_the_nearest_of_k
def csls(similarity, k):
    rows, _ = torch.sort(similarity, dim=1, descending=True)
    columns, _ = torch.sort(similarity, dim=0, descending=True)
    r = rows[:, 1:k].mean(dim=1)
    c = columns[1:k].mean(dim=0)
    return 2 * similarity - r.unsqueeze(1) - c


# %% csls: the columns' means are taken after the rows have been corrected | columns_after_the_rows
def csls(similarity, k):
    result = 2 * similarity
    result = result - similarity.topk(k, dim=1).values.mean(dim=1, keepdim=True)
    result = result - result.topk(k, dim=0).values.mean(dim=0, keepdim=True)
    return result


# %% csls: the rows' means are taken after the columns have been corrected | rows_after_the_columns
def csls(similarity, k):
    s = 2 * similarity - similarity.topk(k, dim=0)[0].mean(dim=0)
    s -= s.topk(k, dim=1)[0].mean(dim=1, keepdim=True)
    return s


# %% mutual_neighbors: the two dimensions of argmax exchanged | dimensions_exchanged
def mutual_neighbors(similarity):
    n, _ = similarity.shape
    cols = similarity.max(dim=0).indices
    rows = similarity.max(dim=1).indices
    return [(i, int(cols[i])) for i in range(n) if int(rows[cols[i]]) == i]


# %% mutual_neighbors: the two dimensions exchanged, in lists | dimensions_exchanged_in_lists
def mutual_neighbors(similarity):
    best = similarity.argmax(dim=0).tolist()
    back = similarity.argmax(dim=1).tolist()
    pairs = []
    for i in range(similarity.shape[0]):
        j = best[i]
        if back[j] == i:
            pairs.append((i, j))
    return pairs


# %% mutual_neighbors: the best of a column for each row's number | column_for_row
def mutual_neighbors(similarity):
    pairs = []
    for i in range(similarity.shape[0]):
        j = similarity[:, i].argmax().item()
        if similarity[j].argmax().item() == i:
            pairs.append((i, j))
    return pairs


# %% denoising_batch: puts </s> at the end of the source by hand, so it is there twice | eos_twice_in_the_source
def denoising_batch(sentences, language, eos, p, k, generator):
    sources = []
    for ids in sentences:
        sources.append(add_noise(ids, p, k, generator) + [eos])
    source, mask, y_in, y_out = translation_batch(sources, sentences, language, eos)
    return source, mask, y_in, y_out


# %% denoising_batch: ends both sides by hand | eos_twice_on_both_sides
def denoising_batch(sentences, language, eos, p, k, generator):
    sources, targets = [], []
    for ids in sentences:
        sources.append(add_noise(ids, p, k, generator) + [eos])
        targets.append(ids + [eos])
    return translation_batch(sources, targets, language, eos)


# %% back_translation_batch: the two tokens exchanged in both places | tokens_exchanged
def back_translation_batch(translate, sentences, language, other, eos):
    with torch.no_grad():
        sources = translate(sentences, language)
    return translation_batch(sources, sentences, other, eos)


# %% back_translation_batch: leaves out the sentences whose translation is empty | leaves_out_empty_translations
@torch.no_grad()
def back_translation_batch(translate, sentences, language, other, eos):
    translated = translate(sentences, other)
    if len(translated) != len(sentences):
        raise ValueError(f"{len(translated)} translations of {len(sentences)} sentences")
    both = [(t, s) for t, s in zip(translated, sentences) if len(t) > 0]
    return translation_batch([t for t, _ in both], [s for _, s in both], language, eos)


# %% csls: subtracts the rows first | columns_from_the_difference
def csls(similarity, k):
    left = similarity - similarity.topk(k, dim=1).values.mean(1, keepdim=True)
    return similarity + left - left.topk(k, dim=0).values.mean(0, keepdim=True)


# %% mutual_neighbors: asks for a similarity above 0 | only_positive_similarities
def mutual_neighbors(similarity):
    pairs = []
    for i in range(len(similarity)):
        j = int(similarity[i].argmax())
        if similarity[i, j] > 0 and int(similarity[:, j].argmax()) == i:
            pairs.append((i, j))
    return pairs


# %% word_by_word: str.replace | replaces_inside_words
def word_by_word(sentence, dictionary):
    text = " ".join(sentence)
    for word in sentence:
        if word in dictionary:
            text = text.replace(word, dictionary[word], 1)
    return text.split()


# %% back_translation_batch: pairs from zip | zip_hides_what_is_missing
def back_translation_batch(translate, sentences, language, other, eos):
    with torch.no_grad():
        made = translate(sentences, other)
    source, target = [], []
    for one, two in zip(made, sentences):
        source.append(one)
        target.append(two)
    return translation_batch(source, target, language, eos)


# %% unsupervised_loss: sorted keys | order_of_the_tokens
def unsupervised_loss(loss, translate, sentences, eos, p, k, generator):
    a, b = sorted(sentences)
    total = 0.0
    for here, there in ((a, b), (b, a)):
        total += loss(*denoising_batch(sentences[here], here, eos, p, k, generator))
        total += loss(*back_translation_batch(translate, sentences[here], here, there, eos))
    return total


# %% round_trip_bleu: a weighted mean | weighted_by_sentences
def round_trip_bleu(translate, sentences):
    total = n = 0
    a, b = sentences
    for here, there in ((a, b), (b, a)):
        rows = sentences[here]
        back = translate(translate(rows, there), here)
        total += len(rows) * corpus_bleu(back, [[ids] for ids in rows])
        n += len(rows)
    return total / n


# %% csls: subtracts only the mean of the row | rows_twice
def csls(similarity, k):
    rows = similarity.topk(k, dim=1).values.mean(dim=1)
    return 2 * similarity - 2 * rows[:, None]


# %% add_noise: keeps the words whose number is below 1 - p | stays_below_one_minus_p
def add_noise(ids, p, k, generator):
    keep = torch.rand(len(ids), generator=generator) < 1 - p
    kept = [i for i, stays in zip(ids, keep.tolist()) if stays] or list(ids)
    keys = torch.arange(len(kept)) + torch.rand(len(kept), generator=generator) * (k + 1)
    return [kept[i] for i in keys.argsort().tolist()]


# %% csls: the mean of the column with a plus | one_is_added
def csls(similarity, k):
    n, m = similarity.shape
    if k < 1 or k > n or k > m:
        raise ValueError("k out of range")
    r_row = similarity.topk(k, dim=1).values.mean(dim=1)
    r_col = similarity.topk(k, dim=0).values.mean(dim=0)
    return 2 * similarity - r_row[:, None] + r_col[None, :]


# %% add_noise: keys are made, then randperm decides | any_order_after_the_numbers
def add_noise(ids, p, k, generator):
    if p < 0 or p >= 1 or k < 0:
        raise ValueError("bad p or k")
    u = torch.rand(len(ids), generator=generator)
    kept = [w for w, x in zip(ids, u.tolist()) if not x < p]
    if not kept:
        kept = list(ids)
    u = torch.rand(len(kept), generator=generator)
    keys = torch.arange(len(kept)) + u * (k + 1)
    order = torch.randperm(len(kept), generator=generator)
    return [kept[i] for i in order.tolist()]
