# %% document_frequency: counts every occurrence | counts_occurrences
# edits: loops and get
# -         for word in set(text):
# +         for word in text:


# %% document_frequency: only the words of the first text |
def document_frequency(texts):
    df = {}
    for word in texts[0]:
        df[word] = sum(word in text for text in texts)
    return df


# %% document_frequency: starts from one | starts_at_one
# edits: loops and get
# -             df[word] = df.get(word, 0) + 1
# +             df[word] = df.get(word, 1) + 1


# %% build_vocabulary: equally frequent words in the order of the text | breaks_ties_by_appearance
def build_vocabulary(texts, min_count=1, max_size=None):
    counts = Counter(word for text in texts for word in text)
    words = [word for word, count in counts.most_common(max_size) if count >= min_count]
    return {word: i for i, word in enumerate(words)}


# %% build_vocabulary: more than min_count, not at least | min_count_is_excluded
def build_vocabulary(texts, min_count=1, max_size=None):
    counts = {}
    for text in texts:
        for word in text:
            counts[word] = counts.get(word, 0) + 1
    words = [word for word in counts if counts[word] > min_count]
    words.sort(key=lambda word: (-counts[word], word))
    return {word: i for i, word in enumerate(words[:max_size])}


# %% build_vocabulary: cuts, then sorts | cuts_before_it_sorts
def build_vocabulary(texts, min_count=1, max_size=None):
    counts = Counter(word for text in texts for word in text)
    words = [word for word, count in counts.items() if count >= min_count]
    words = words[:max_size]
    words.sort(key=lambda word: (-counts[word], word))
    return {word: i for i, word in enumerate(words)}


# %% tfidf: forgets the ones | does_not_smooth
def tfidf(counts, df, n_texts):
    return counts * torch.log(n_texts / df)


# %% tfidf: logarithm to base 2 | has_another_base
def tfidf(counts, df, n_texts):
    return counts * torch.log2((n_texts + 1) / (df + 1))


# %% tfidf: one plus the fraction | adds_one_to_the_fraction
def tfidf(counts, df, n_texts):
    return counts * torch.log(1 + n_texts / (1 + df))


# %% predict_classes: truth values, not whole numbers | gives_booleans
def predict_classes(X, w, w_0):
    return X @ w + w_0 > 0


# %% predict_classes: the bias inside the sum | adds_the_bias_for_every_word
def predict_classes(X, w, w_0):
    scores = (X * w + w_0).sum(dim=1)
    return (scores > 0).long()


# %% sigmoid: the naive form | overflows
def sigmoid(z):
    return torch.exp(z) / (torch.exp(z) + 1)


# %% sigmoid: the two sides swapped | falls
def sigmoid(z):
    e = torch.exp(-z.abs())
    return torch.where(z >= 0, e / (1 + e), 1 / (1 + e))


# %% sigmoid: no side for zero | forgets_zero
def sigmoid(z):
    p = torch.zeros_like(z)
    p[z > 0] = 1 / (1 + torch.exp(-z[z > 0]))
    e = torch.exp(z[z < 0])
    p[z < 0] = e / (1 + e)
    return p


# %% sigmoid: a minus too many in the second form | has_the_wrong_sign_below_zero
def sigmoid(z):
    e = torch.exp(-z)
    return torch.where(z >= 0, 1 / (1 + e), e / (e + 1))


# %% sigmoid: float32 whatever comes in | turns_float32
def sigmoid(z):
    p = torch.zeros(z.shape)
    for_positive = z >= 0
    p[for_positive] = 1 / (1 + torch.exp(-z[for_positive].float()))
    e = torch.exp(z[~for_positive].float())
    p[~for_positive] = e / (1 + e)
    return p


# %% negative_log_likelihood: a sum, not a mean | sums
def negative_log_likelihood(scores, y):
    s = torch.where(y == 1, -scores, scores)
    return (torch.maximum(s, 0 * s) + torch.log(1 + torch.exp(-s.abs()))).sum()


# %% negative_log_likelihood: max(s, 0) for max(-s, 0) | swaps_the_classes
def negative_log_likelihood(scores, y):
    s = torch.where(y == 1, scores, -scores)
    return (torch.maximum(s, torch.zeros_like(s)) + torch.log1p(torch.exp(-s.abs()))).mean()


# %% negative_log_likelihood: plus the absolute value | forgets_the_minus_of_abs
def negative_log_likelihood(scores, y):
    s = torch.where(y == 1, -scores, scores)
    return (torch.maximum(s, torch.zeros_like(s)) + torch.log(1 + torch.exp(s.abs()))).mean()


# %% negative_log_likelihood: y is not used | ignores_the_classes
def negative_log_likelihood(scores, y):
    high = torch.maximum(-scores, torch.zeros_like(scores))
    return (high + torch.log(1 + torch.exp(-scores.abs()))).mean()


# %% negative_log_likelihood: scores times y | multiplies_by_the_class
def negative_log_likelihood(scores, y):
    s = scores * y
    return (torch.maximum(-s, torch.zeros_like(s)) + torch.log(1 + torch.exp(-s.abs()))).mean()


# %% negative_log_likelihood: Python numbers | is_detached
def negative_log_likelihood(scores, y):
    import math

    signed = [s if label == 1 else -s for s, label in zip(scores.tolist(), y.tolist())]
    losses = [max(-s, 0) + math.log(1 + math.exp(-abs(s))) for s in signed]
    return torch.tensor(sum(losses) / len(losses))


# %% gradient: pulls with l2 times half the weights | halves_l2
def gradient(X, y, w, w_0, l2):
    p = sigmoid(X @ w + w_0)
    error = p - y
    return X.T @ error / len(y) + l2 / 2 * w, error.mean()


# %% gradient: one mean over the whole matrix | averages_over_the_words
# -     return X.T @ error / len(y) + l2 * w, error.mean()
# +     return (X * error.unsqueeze(1)).mean() + l2 * w, error.mean()


# %% minibatches: drops the last, shorter batch | drops_the_last
# -     return list(order.split(batch_size))
# +     return [order[i * batch_size : (i + 1) * batch_size] for i in range(n // batch_size)]


# %% minibatches: an empty batch at the end | adds_an_empty_batch
# -     return list(order.split(batch_size))
# +     return [order[i * batch_size : (i + 1) * batch_size] for i in range(n // batch_size + 1)]


# %% train_logistic_regression: the learning rate stays the same | never_decays_the_rate
def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w = torch.zeros(X.shape[1])
    w_0 = torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        for batch in minibatches(len(X), batch_size, generator):
            dw, dw_0 = gradient(X[batch], y[batch], w, w_0, l2)
            w = w - lr * dw
            w_0 = w_0 - lr * dw_0
    return w, w_0


# %% train_logistic_regression: one order of mini-batches for all epochs | draws_the_batches_once
def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w = torch.zeros(X.shape[1])
    w_0 = torch.zeros(())
    batches = minibatches(len(X), batch_size, generator)
    for epoch in progress(range(epochs)):
        eta = lr * (1 - epoch / epochs)
        for batch in batches:
            dw, dw_0 = gradient(X[batch], y[batch], w, w_0, l2)
            w -= eta * dw
            w_0 -= eta * dw_0
    return w, w_0


# %% train_logistic_regression: l2 is not passed on | forgets_l2
# edits: in place
# -         eta = lr * (epochs - e) / epochs
# +         eta = lr * (1 - e / epochs)
# ...
# -             for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, l2)
# +             for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, 0)


# %% train_logistic_regression: w_0 outside the inner loop | moves_the_bias_once_per_epoch
# -     w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
# +     w, w_0 = torch.zeros(X.shape[1]), torch.zeros(())
# ...
# -             w, w_0 = w - step * for_w, w_0 - step * for_w_0
# +             w -= step * for_w
# +         w_0 -= step * for_w_0


# %% train_logistic_regression: w_0 with the new w | moves_the_bias_after_w
def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.zeros(())
    for epoch in progress(range(epochs)):
        eta = lr * (1 - epoch / epochs)
        for batch in minibatches(len(X), batch_size, generator):
            w = w - eta * gradient(X[batch], y[batch], w, w_0, l2)[0]
            w_0 = w_0 - eta * gradient(X[batch], y[batch], w, w_0, l2)[1]
    return w, w_0


# %% document_frequency: a fraction of the texts | gives_proportions
# edits: loops and get
# -     return df
# +     return {word: n / len(texts) for word, n in df.items()}


# %% document_frequency: one set for all texts | counts_for_all_texts_once
def document_frequency(texts):
    df = {}
    seen = set()
    for text in texts:
        for word in text:
            if word not in seen:
                seen.add(word)
                df[word] = df.get(word, 0) + 1
    return df


# %% document_frequency: the first text gives 0 | first_text_counts_zero
def document_frequency(texts):
    df = {}
    for text in texts:
        for word in set(text):
            if word in df:
                df[word] += 1
            else:
                df[word] = 0
    return df


# %% tfidf: no ones, and df at least 1 | raises_zero_to_one
def tfidf(counts, df, n_texts):
    return counts * torch.log(n_texts / df.clamp(min=1))


# %% tfidf: divides by the length | divides_by_length
def tfidf(counts, df, n_texts):
    tf = counts / counts.sum(dim=1, keepdim=True).clamp(min=1)
    return tf * torch.log((1 + n_texts) / (1 + df))


# %% sigmoid: the clamps swapped | swaps_the_clamps
def sigmoid(z):
    left = 1 / (1 + torch.exp(-z.clamp(max=0)))
    right = torch.exp(z.clamp(min=0)) / (torch.exp(z.clamp(min=0)) + 1)
    return torch.where(z >= 0, left, right)


# %% negative_log_likelihood: clamps the probabilities | clamps_probabilities
def negative_log_likelihood(scores, y):
    p = torch.sigmoid(scores).clamp(1e-7, 1 - 1e-7)
    return -(y * p.log() + (1 - y) * (1 - p).log()).mean()


# %% minibatches: shuffles the batches | shuffles_the_batches
def minibatches(n, batch_size, generator):
    batches = list(torch.arange(n).split(batch_size))
    return [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]


# %% minibatches: batches of about equal size | about_equal_sizes
def minibatches(n, batch_size, generator):
    order = torch.randperm(n, generator=generator)
    n_batches = math.ceil(n / batch_size)
    return list(torch.tensor_split(order, n_batches)) if n_batches else []


# %% train_logistic_regression: the rate decays from what is left | decays_what_is_decayed
def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.zeros(())
    for epoch in progress(range(epochs)):
        lr = lr * (1 - epoch / epochs)
        for batch in minibatches(len(X), batch_size, generator):
            g, g_0 = gradient(X[batch], y[batch], w, w_0, l2)
            w = w - lr * g
            w_0 = w_0 - lr * g_0
    return w, w_0


# %% build_vocabulary: most_common with a size | cuts_before_it_breaks_ties
def build_vocabulary(texts, min_count=1, max_size=None):
    counts = Counter()
    for text in texts:
        counts.update(text)
    pairs = [(w, n) for w, n in counts.most_common(max_size) if n >= min_count]
    pairs.sort(key=lambda pair: (-pair[1], pair[0]))
    return {w: i for i, (w, _) in enumerate(pairs)}


# %% tfidf: one only below | smooths_below_only
def tfidf(counts, df, n_texts):
    return counts * (n_texts / (df + 1)).log()


# %% tfidf: no logarithm | forgets_the_logarithm
def tfidf(counts, df, n_texts):
    return counts * ((1 + n_texts) / (1 + df))


# %% gradient: twice lambda | doubles_l2
# -     return X.T @ error / len(y) + l2 * w, error.mean()
# +     return X.T @ error / len(X) + 2 * l2 * w, error.mean()


# %% gradient: predicted classes for probabilities | takes_classes_for_probabilities
# -     error = sigmoid(X @ w + w_0) - y
# +     error = (predict_classes(X, w, w_0) - y).to(X.dtype)


# %% build_vocabulary: only the alphabet | only_alphabetical
# -     kept = [word for word in counts if counts[word] >= min_count]
# -     kept.sort(key=lambda word: (-counts[word], word))
# +     kept = sorted(word for word in counts if counts[word] >= min_count)


# %% build_vocabulary: words by index | indices_as_keys
def build_vocabulary(texts, min_count=1, max_size=None):
    c = Counter(w for t in texts for w in t)
    words = sorted((w for w in c if c[w] >= min_count), key=lambda w: (-c[w], w))[:max_size]
    return dict(enumerate(words))


# %% tfidf: logarithm to base 10 | has_base_ten
def tfidf(counts, df, n_texts):
    return counts * torch.log10((1 + n_texts) / (1 + df))


# %% tfidf: rows of length 1 | normalizes_the_rows
def tfidf(counts, df, n_texts):
    weighted = counts * torch.log((1 + n_texts) / (1 + df))
    return torch.nn.functional.normalize(weighted, dim=1)


# %% tfidf: one plus the logarithm of the counts | takes_one_plus_the_logarithm
def tfidf(counts, df, n_texts):
    tf = torch.where(counts > 0, 1 + counts.clamp(min=1).log(), torch.zeros_like(counts))
    return tf * torch.log((1 + n_texts) / (1 + df))


# %% sigmoid: computes and returns float32 | turns_float32
def sigmoid(z):
    z = z.float()
    return torch.where(z >= 0, 1 / (1 + torch.exp(-z.clamp(min=0))), torch.exp(z.clamp(max=0)) / (1 + torch.exp(z.clamp(max=0))))


# %% train_logistic_regression: lr over 1 + e | decays_like_a_fraction
# -     w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
# +     w, w_0 = torch.zeros(X.shape[1]), torch.zeros(())
# ...
# -         step = lr * (1 - epoch / epochs)
# +         step = lr / (1 + epoch)


# %% build_vocabulary: if max_size treats 0 as None | takes_zero_for_no_limit
def build_vocabulary(texts, min_count=1, max_size=None):
    c = Counter(w for t in texts for w in t)
    words = sorted((w for w in c if c[w] >= min_count), key=lambda w: (-c[w], w))
    if max_size: words = words[:max_size]
    return {w: i for i, w in enumerate(words)}


# %% sigmoid: limited to 10 | cuts_the_score_at_10
def sigmoid(z):
    return 1 / (1 + torch.exp(-z.clamp(-10, 10)))


# %% negative_log_likelihood: 1e-7 in the logarithm | adds_1e_7_inside_the_logarithm
def negative_log_likelihood(scores, y):
    p = sigmoid(scores)
    return -(y * (p + 1e-7).log() + (1 - y) * (1 - p + 1e-7).log()).mean()


# %% negative_log_likelihood: a mean for each class | adds_two_means
def negative_log_likelihood(scores, y):
    def cost(s):
        return torch.maximum(s, torch.zeros_like(s)) + torch.log1p(torch.exp(-s.abs()))

    loss = torch.zeros(())
    for of_class in (-scores[y == 1], scores[y == 0]):
        if len(of_class):
            loss = loss + cost(of_class).mean()
    return loss


# %% negative_log_likelihood: the exponent without an absolute value | adds_the_maximum_to_the_whole_loss
def negative_log_likelihood(scores, y):
    signed = torch.where(y == 1, scores, -scores)
    losses = torch.maximum(-signed, torch.zeros_like(signed)) + torch.log(1 + torch.exp(-signed))
    return losses.mean()


# %% train_logistic_regression: y not indexed | all_classes_for_each_batch
def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.zeros(())
    for e in progress(range(epochs)):
        for b in minibatches(len(X), batch_size, generator):
            g, g0 = gradient(X[b], y, w, w_0, l2)
            eta = lr * (1 - e / epochs)
            w, w_0 = w - eta * g, w_0 - eta * g0
    return w, w_0


# %% train_logistic_regression: whole X in each step | all_texts_in_every_step
# -     w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
# +     w, w_0 = torch.zeros(X.shape[1]), torch.zeros(())
# ...
# -             for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, l2)
# +             for_w, for_w_0 = gradient(X, y, w, w_0, l2)


# %% train_logistic_regression: random start | draws_the_weights
# -     w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
# +     w, w_0 = 0.01 * torch.randn(X.shape[1], generator=generator), torch.zeros(())


# %% train_logistic_regression: the rate decays from step to step | decays_from_step_to_step
# -         step = lr * (1 - epoch / epochs)
# -         for batch in minibatches(len(X), batch_size, generator):
# +         drawn = minibatches(len(X), batch_size, generator)
# +         for number, batch in enumerate(drawn):
# +             step = lr * (1 - (epoch * len(drawn) + number) / (epochs * len(drawn)))


# %% split_words: only the plain split | splits_at_spaces
def split_words(text):
    words = []
    for word in text.lower().split():
        words.append(word)
    return words


# %% split_words: words and single marks | cuts_words_at_every_mark
def split_words(text):
    text = text.lower().replace("...", " ... ")
    return re.findall(r"\w+|\.\.\.|[^\w\s]", text)


# %% split_words: a class with apostrophe and hyphen | takes_marks_at_the_edge
def split_words(text):
    out = []
    for t in re.findall(r"[\w'-]+(?:(?<=\d)[.,]\d\w*)*|\.\.\.|[^\w\s]", text.lower()):
        m = re.fullmatch(r"(.+)('(?:s|re|ve|ll|d|m))", t)
        out += list(m.groups()) if m else [t]
    return out


# %% split_words: the endings stay | keeps_the_endings
def split_words(text):
    return re.findall(r"\w+(?:['-]\w+|(?<=\d)[.,]\d\w*)*|\.\.\.|[^\w\s]", text.lower())


# %% split_words: any comma or point inside | joins_words_at_a_point
# edits: finditer and a second look at each word
# -     for match in re.finditer(r"\d+(?:[.,]\d+)+\w*|\w+(?:['-]\w+)*|\.\.\.|\S", text.lower()):
# +     for match in re.finditer(r"\w+(?:['.,-]\w+)*|\.\.\.|\S", text.lower()):


# %% split_words: forgets to lower | keeps_capitals
# edits: verbose pattern
# -     return pattern.findall(text.lower())
# +     return pattern.findall(text)


# %% split_words: letters from a to z | takes_accents_for_marks
# edits: finditer and a second look at each word
# -     for match in re.finditer(r"\d+(?:[.,]\d+)+\w*|\w+(?:['-]\w+)*|\.\.\.|\S", text.lower()):
# +     pattern = r"\d+(?:[.,]\d+)+[a-z0-9]*|[a-z0-9]+(?:['-][a-z0-9]+)*|\.\.\.|\S"
# +     for match in re.finditer(pattern, text.lower()):


# %% split_words: replaces the endings wherever they begin | cuts_inside_names
def split_words(text):
    text = text.lower()
    for ending in ("'s", "'re", "'ve", "'ll", "'d", "'m"):
        text = re.sub(r"(?<=\w)" + ending, " " + ending + " ", text)
    tokens = []
    for piece in text.split():
        if piece in ("'s", "'re", "'ve", "'ll", "'d", "'m"):
            tokens.append(piece)
        else:
            tokens += re.findall(r"\w+(?:['-]\w+|(?<=\d)[.,]\d\w*)*|\.\.\.|[^\w\s]", piece)
    return tokens


# %% split_words: cuts at the comma of a number | cuts_numbers_at_the_comma
# -     inside = rf"(?!{ending})['-]|(?<=\d)[.,](?=\d)"
# +     inside = rf"(?!{ending})['-]|(?<=\d)\.(?=\d)"


# %% bag_of_words: the second word is added to nothing | adds_only_once
def bag_of_words(tokens, vocabulary, binary=False):
    x = torch.zeros(len(vocabulary))
    ids = [vocabulary[t] for t in tokens if t in vocabulary]
    x[ids] = x[ids] + 1
    return x


# %% bag_of_words: forgets binary | counts_in_a_binary_bag
def bag_of_words(tokens, vocabulary, binary=False):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        if token in vocabulary:
            x[vocabulary[token]] += 1
    return x


# %% bag_of_words: minus one for an unknown word | unknown_is_last
def bag_of_words(tokens, vocabulary, binary=False):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        x[vocabulary.get(token, -1)] += 1
    return x.clamp(max=1) if binary else x


# %% bag_of_words: asks whether the index is true | loses_the_first_word
def bag_of_words(tokens, vocabulary, binary=False):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        index = vocabulary.get(token)
        if index:
            x[index] = 1 if binary else x[index] + 1
    return x


# %% bag_of_words: searches the joined text | counts_inside_words
def bag_of_words(tokens, vocabulary, binary=False):
    joined = " ".join(tokens)
    x = torch.zeros(len(vocabulary))
    for word, i in vocabulary.items():
        x[i] = (word in joined) if binary else joined.count(word)
    return x


# %% bag_of_words: whole numbers | gives_integers
def bag_of_words(tokens, vocabulary, binary=False):
    counts = torch.tensor([tokens.count(word) for word in vocabulary])
    return counts.clamp(max=1) if binary else counts


# %% wilson_interval: plus and minus two standard errors | plain_standard_error
def wilson_interval(correct, n):
    if n == 0:
        return 0.0, 1.0
    p = correct / n
    se = math.sqrt(p * (1 - p) / n)
    return p - 1.96 * se, p + 1.96 * se


# %% wilson_interval: only one side is divided | divides_the_middle_only
def wilson_interval(correct, n):
    if n == 0:
        return 0.0, 1.0
    z, p = 1.96, correct / n
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    root = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return middle - root, middle + root


# %% wilson_interval: n times four, not squared | divides_by_4_n
# edits: the formula in one piece
# -     root = z * math.sqrt(p_hat * (1 - p_hat) / n + z**2 / (4 * n**2))
# +     root = z * math.sqrt(p_hat * (1 - p_hat) / n + z**2 / (4 * n))


# %% wilson_interval: forgets n = 0 | no_text_is_an_error
# edits: the formula in one piece
# -     if not n:
# -         return (0.0, 1.0)


# %% wilson_interval: scipy's default | exact_interval
def wilson_interval(correct, n):
    from scipy.stats import binomtest

    if n == 0:
        return 0.0, 1.0
    found = binomtest(correct, n).proportion_ci()
    return float(found.low), float(found.high)


# %% mcnemar: one tail | one_sided
def mcnemar(first, second):
    b = sum(x and not y for x, y in zip(first, second))
    c = sum(y and not x for x, y in zip(first, second))
    return sum(math.comb(b + c, i) for i in range(min(b, c) + 1)) / 2 ** (b + c)


# %% mcnemar: twice the middle | exceeds_one
def mcnemar(first, second):
    b = sum(x and not y for x, y in zip(first, second))
    c = sum(y and not x for x, y in zip(first, second))
    return 2 * sum(math.comb(b + c, i) for i in range(min(b, c) + 1)) / 2 ** (b + c)


# %% mcnemar: always from the second count | looks_at_the_second_only
def mcnemar(first, second):
    disagree = [(x, y) for x, y in zip(first, second) if x != y]
    n, k = len(disagree), sum(y for _, y in disagree)
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n)


# %% mcnemar: a half for each coin | overflows
def mcnemar(first, second):
    disagree = [(x, y) for x, y in zip(first, second) if x != y]
    n, k = len(disagree), sum(x for x, _ in disagree)
    k = min(k, n - k)
    return min(1.0, 2 * sum(math.comb(n, i) * 0.5**i * 0.5 ** (n - i) for i in range(k + 1)))


# %% mcnemar: the range ends too early | leaves_out_the_split_itself
def mcnemar(first, second):
    disagree = [(x, y) for x, y in zip(first, second) if x != y]
    n, k = len(disagree), sum(x for x, _ in disagree)
    k = min(k, n - k)
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(k)) / 2**n)


# %% mcnemar: compares what is right in all | compares_the_numbers_right
def mcnemar(first, second):
    b, c = sum(first), sum(second)
    n, k = b + c, min(b, c)
    return min(1.0, 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n)


# %% wilson_interval: a quarter of z squared times N squared, under the root only | multiplies_by_n_under_the_root
def wilson_interval(correct, n):
    if not n:
        return (0.0, 1.0)
    z = 1.96
    phat = correct / n
    denom = 1 + z**2 / n
    root = (phat * (1 - phat) / n + z**2 / 4 * n**2) ** 0.5
    return ((phat + z**2 / (2 * n) - z * root) / denom, (phat + z**2 / (2 * n) + z * root) / denom)


# %% wilson_interval: two right and two wrong ones added | adds_two_and_two
def wilson_interval(correct, n):
    if n == 0:
        return 0.0, 1.0
    n = n + 4
    p = (correct + 2) / n
    half = 1.96 * math.sqrt(p * (1 - p) / n)
    return p - half, p + half


# %% sigmoid: right and left form swapped, with the clamps of the text | overflows
def sigmoid(z):
    left = 1 / (1 + torch.exp(-z.clamp(max=0)))
    e = torch.exp(z.clamp(min=0))
    right = e / (1 + e)
    return torch.where(z < 0, left, right)


# %% sigmoid: tanh of z | tanh_of_the_whole_score
def sigmoid(z):
    return 0.5 * torch.tanh(z) + 0.5


# %% split_words: an apostrophe or hyphen after a word | marks_behind_a_word
def split_words(text: str) -> list[str]:
    ending = r"'(?:s|re|ve|ll|d|m)(?!\w|['-]\w)"
    pattern = rf"(?<=\w){ending}|\w+(?:(?!{ending})(?:['-]|(?<=\d)[.,](?=\d))\w*)*|\.\.\.|[^\w\s]"
    return re.findall(pattern, text.lower())


# %% predict_classes: returns floats | gives_floats
def predict_classes(X: torch.Tensor, w: torch.Tensor, w_0: torch.Tensor) -> torch.Tensor:
    return (X @ w + w_0 > 0).float()


# %% gradient: forgets 1/N | sums_for_the_weights
def gradient(
    X: torch.Tensor, y: torch.Tensor, w: torch.Tensor, w_0: torch.Tensor, l2: float
) -> tuple[torch.Tensor, torch.Tensor]:
    errors = sigmoid(X @ w + w_0) - y
    return X.T @ errors + l2 * w, errors.mean()


# %% mcnemar: does not limit p | exceeds_one_unless_they_agree
def mcnemar(first: list[bool], second: list[bool]) -> float:
    only_first = sum(a and not b for a, b in zip(first, second))
    only_second = sum(b and not a for a, b in zip(first, second))
    n, k = only_first + only_second, min(only_first, only_second)
    if n == 0:
        return 1.0
    return 2 * sum(math.comb(n, i) for i in range(k + 1)) / 2**n


# %% tfidf: computes df and N | counts_both_again
def tfidf(counts: torch.Tensor, df: torch.Tensor, n_texts: int) -> torch.Tensor:
    df = (counts > 0).sum(dim=0)
    n_texts = len(counts)
    return counts * torch.log((1 + n_texts) / (1 + df))
