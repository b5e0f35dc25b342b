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


# %% denoising_batch: the noise is the target | noise_on_the_target
def denoising_batch(sentences, language, eos, p, k, generator):
    targets = [add_noise(s, p, k, generator) for s in sentences]
    return translation_batch(sentences, targets, language, eos)


# %% denoising_batch: the language token in front of the source | token_in_the_source
def denoising_batch(sentences, language, eos, p, k, generator):
    sources = [[language] + add_noise(s, p, k, generator) for s in sentences]
    return translation_batch(sources, sentences, language, eos)


# %% back_translation_batch: forgets no_grad | with_gradient
def back_translation_batch(translate, sentences, language, other, eos):
    return translation_batch(translate(sentences, other), sentences, language, eos)


# %% back_translation_batch: forward, not back | learns_to_write_its_own
def back_translation_batch(translate, sentences, language, other, eos):
    with torch.no_grad():
        targets = translate(sentences, other)
    return translation_batch(sentences, targets, other, eos)


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
