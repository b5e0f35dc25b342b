# %% document_frequency: loops and get
def document_frequency(texts):
    df = {}
    for text in texts:
        for word in set(text):
            df[word] = df.get(word, 0) + 1
    return df


# %% document_frequency: one counter
def document_frequency(texts):
    return dict(Counter(word for text in texts for word in set(text)))


# %% document_frequency: asks every text about every word
def document_frequency(texts):
    sets = [set(text) for text in texts]
    every = set().union(*sets)
    return {word: sum(word in words for words in sets) for word in every}


# %% document_frequency: remembers what it has seen
def document_frequency(texts):
    frequency = {}
    for text in texts:
        seen = []
        for word in text:
            if word not in seen:
                seen.append(word)
                frequency.setdefault(word, 0)
                frequency[word] += 1
    return frequency


# %% document_frequency: defaultdict
def document_frequency(texts):
    from collections import defaultdict

    df = defaultdict(int)
    for text in texts:
        for word in set(text):
            df[word] += 1
    return dict(df)


# %% document_frequency: adds counters
def document_frequency(texts):
    total = Counter()
    for text in texts:
        total += Counter(dict.fromkeys(text, 1))
    return dict(total)


# %% document_frequency: try and except
def document_frequency(texts):
    frequency = {}
    for words in map(set, texts):
        for word in words:
            try:
                frequency[word] += 1
            except KeyError:
                frequency[word] = 1
    return frequency


# %% document_frequency: chain
def document_frequency(texts):
    from itertools import chain

    return Counter(chain.from_iterable(set(text) for text in texts))


# %% document_frequency: the texts that each word is in
def document_frequency(texts: list[list[str]]) -> dict[str, int]:
    found_in = {}
    for number, text in enumerate(texts):
        for word in text:
            found_in.setdefault(word, set()).add(number)
    return {word: len(numbers) for word, numbers in found_in.items()}


# %% document_frequency: sorted and grouped
def document_frequency(texts):
    from itertools import groupby

    words = sorted(word for text in texts for word in dict.fromkeys(text))
    return {word: len(list(group)) for word, group in groupby(words)}


# %% build_vocabulary: counts by hand, sorts pairs
def build_vocabulary(texts, min_count=1, max_size=None):
    counts = {}
    for text in texts:
        for word in text:
            counts[word] = counts.get(word, 0) + 1
    pairs = sorted((-count, word) for word, count in counts.items() if count >= min_count)
    if max_size is not None:
        pairs = pairs[:max_size]
    return {word: i for i, (_, word) in enumerate(pairs)}


# %% build_vocabulary: fills a dictionary
def build_vocabulary(texts, min_count=1, max_size=None):
    counter = Counter()
    for text in texts:
        counter.update(text)
    vocabulary = {}
    for word in sorted(counter, key=lambda w: (-counter[w], w)):
        if max_size is not None and len(vocabulary) >= max_size:
            break
        if counter[word] >= min_count:
            vocabulary[word] = len(vocabulary)
    return vocabulary


# %% build_vocabulary: sorts the items of a counter
def build_vocabulary(texts, min_count=1, max_size=None):
    items = Counter([w for t in texts for w in t]).items()
    items = sorted(sorted(items), key=lambda item: item[1], reverse=True)
    words = [word for word, n in items if n >= min_count][:max_size]
    return {words[i]: i for i in range(len(words))}


# %% build_vocabulary: sorted twice
def build_vocabulary(texts, min_count=1, max_size=None):
    counts = Counter()
    for text in texts:
        counts.update(text)
    words = sorted(word for word, n in counts.items() if n >= min_count)
    words.sort(key=counts.get, reverse=True)
    if max_size is not None:
        words = words[0:max_size]
    return dict(zip(words, range(len(words))))


# %% build_vocabulary: most_common of a sorted counter
def build_vocabulary(texts, min_count=1, max_size=None):
    every = sorted(word for text in texts for word in text)
    ranked = Counter(every).most_common()
    kept = [word for word, count in ranked if count >= min_count]
    limit = len(kept) if max_size is None else max_size
    return {word: i for i, word in enumerate(kept) if i < limit}


# %% build_vocabulary: a heap
def build_vocabulary(texts, min_count=1, max_size=None):
    import heapq

    counts = Counter(w for t in texts for w in t)
    entries = [(-n, word) for word, n in counts.items() if n >= min_count]
    size = len(entries) if max_size is None else min(max_size, len(entries))
    return {word: i for i, (_, word) in enumerate(heapq.nsmallest(size, entries))}


# %% build_vocabulary: islice
def build_vocabulary(texts, min_count=1, max_size=None):
    from itertools import chain, islice

    counts = Counter(chain(*texts))
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    frequent = (word for word, n in ordered if n >= min_count)
    return {word: number for number, word in enumerate(islice(frequent, max_size))}


# %% build_vocabulary: words by their count
def build_vocabulary(texts, min_count=1, max_size=None):
    counts = {}
    for text in texts:
        for token in text:
            counts[token] = counts.get(token, 0) + 1
    by_count = {}
    for token, count in counts.items():
        by_count.setdefault(count, []).append(token)
    vocabulary = {}
    for count in sorted(by_count, reverse=True):
        if count < min_count:
            break
        for token in sorted(by_count[count]):
            if max_size is None or len(vocabulary) < max_size:
                vocabulary[token] = len(vocabulary)
    return vocabulary


# %% tfidf: difference of logarithms
def tfidf(counts, df, n_texts):
    import math

    idf = math.log(1 + n_texts) - torch.log(1 + df.float())
    return counts * idf[None, :]


# %% tfidf: row by row
def tfidf(counts, df, n_texts):
    idf = ((1 + n_texts) / (1 + df)).log()
    return torch.stack([row * idf for row in counts])


# %% tfidf: einsum
def tfidf(counts, df, n_texts):
    return torch.einsum("md,d->md", counts, -torch.log((df + 1) / (n_texts + 1)))


# %% tfidf: multiply and log1p
def tfidf(counts, df, n_texts):
    idf = torch.log1p(torch.tensor(float(n_texts))) - torch.log1p(df)
    return torch.mul(counts, idf)


# %% tfidf: a diagonal matrix
def tfidf(counts, df, n_texts):
    idf = torch.log((1.0 + n_texts) / (1.0 + df))
    return counts @ torch.diag(idf)


# %% tfidf: word by word
def tfidf(counts, df, n_texts):
    import math

    weighted = torch.zeros_like(counts)
    for j, n in enumerate(df.tolist()):
        weighted[:, j] = counts[:, j] * math.log((1 + n_texts) / (1 + n))
    return weighted


# %% tfidf: a helper and expand
def tfidf(counts, df, n_texts):
    def inverse_document_frequency(n):
        return torch.log(torch.as_tensor(1 + n_texts) / (n + 1))

    return counts * inverse_document_frequency(df).unsqueeze(0).expand_as(counts)


# %% tfidf: on a copy, in place
def tfidf(counts: torch.Tensor, df: torch.Tensor, n_texts: int) -> torch.Tensor:
    result = counts.clone()
    result *= (df + 1).div(n_texts + 1).log().neg()
    return result


# %% tfidf: numpy
def tfidf(counts, df, n_texts):
    import numpy as np

    idf = np.log((1 + n_texts) / (1 + df.numpy()))
    return torch.from_numpy((counts.numpy() * idf).astype(np.float32))


# %% predict_classes: where
def predict_classes(X, w, w_0):
    s = X.matmul(w) + w_0
    return torch.where(s > 0, 1, 0)


# %% predict_classes: int
def predict_classes(X, w, w_0):
    return (w_0 + (X * w).sum(dim=1) > 0).int()


# %% predict_classes: a loop
def predict_classes(X, w, w_0):
    classes = []
    for x in X:
        classes.append(1 if w_0 + torch.dot(w, x) > 0 else 0)
    return torch.tensor(classes)


# %% predict_classes: gt
def predict_classes(X, w, w_0):
    return torch.gt(w @ X.T + w_0, 0).to(torch.int64)


# %% predict_classes: long of the comparison
def predict_classes(X, w, w_0):
    score = torch.einsum("nv,v->n", X, w) + w_0
    return score.gt(0).long()


# %% predict_classes: sets ones in zeros
def predict_classes(X, w, w_0):
    scores = torch.mv(X, w).add(w_0)
    classes = torch.zeros(len(X), dtype=torch.long)
    classes[scores > 0] = 1
    return classes


# %% predict_classes: heaviside
def predict_classes(X, w, w_0):
    s = w_0 + X @ w
    return torch.heaviside(s, torch.zeros(1)).to(torch.int64)


# %% predict_classes: a column of weights
def predict_classes(X, w, w_0):
    scores = torch.nn.functional.linear(X, w[None, :], w_0.reshape(1))
    return (scores[:, 0] > 0) * 1


# %% predict_classes: list comprehension
def predict_classes(X, w, w_0):
    scores = [(row * w).sum().item() + w_0.item() for row in X]
    return torch.tensor([int(s > 0) for s in scores], dtype=torch.long)


# %% predict_classes: full_like and where
def predict_classes(X, w, w_0):
    scores = (X @ w.unsqueeze(1)).squeeze(1) + w_0
    yes = torch.ones_like(scores, dtype=torch.long)
    return yes.masked_fill(scores <= 0, 0)


# %% sigmoid: boolean indexing
def sigmoid(z):
    p = torch.empty_like(z)
    positive = z >= 0
    p[positive] = 1 / (1 + torch.exp(-z[positive]))
    e = torch.exp(z[~positive])
    p[~positive] = e / (1 + e)
    return p


# %% sigmoid: clamps both exponents
def sigmoid(z):
    high = 1 / (1 + torch.exp(-z.clamp(min=0)))
    e = torch.exp(z.clamp(max=0))
    return torch.where(z >= 0, high, e / (e + 1))


# %% sigmoid: by tanh
def sigmoid(z):
    return (torch.tanh(z / 2) + 1) / 2


# %% sigmoid: exponent of minus the absolute value
def sigmoid(z):
    e = (-torch.abs(z)).exp()
    p = 1 / (1 + e)
    return torch.where(z < 0, e * p, p)


# %% sigmoid: logsigmoid
def sigmoid(z):
    return torch.exp(torch.nn.functional.logsigmoid(z))


# %% sigmoid: one numerator
def sigmoid(z):
    small = torch.exp(-z.abs())
    numerator = torch.where(z >= 0, torch.ones_like(z), small)
    return numerator / (1 + small)


# %% sigmoid: softmax of two scores
def sigmoid(z):
    return torch.softmax(torch.stack([z, torch.zeros_like(z)]), dim=0)[0]


# %% sigmoid: minimum and maximum of the exponent
def sigmoid(z):
    zero = torch.zeros_like(z)
    above = torch.exp(torch.minimum(z, zero))
    below = torch.exp(-torch.maximum(z, zero))
    return above / (above + below)


# %% sigmoid: the other way round first
def sigmoid(z: torch.Tensor) -> torch.Tensor:
    decay = torch.exp(torch.where(z < 0, z, -z))
    small_side = decay / (decay + 1)
    return torch.where(z < 0, small_side, 1 - small_side)


# %% negative_log_likelihood: softplus
def negative_log_likelihood(scores, y):
    return torch.nn.functional.softplus(torch.where(y == 1, -scores, scores)).mean()


# %% negative_log_likelihood: binary cross-entropy
def negative_log_likelihood(scores, y):
    return torch.nn.functional.binary_cross_entropy_with_logits(scores, y.to(scores.dtype))


# %% negative_log_likelihood: a helper for both classes
def negative_log_likelihood(scores, y):
    def surprise(s):
        return (-s).clamp(min=0) + torch.log(1 + torch.exp(-s.abs()))

    y = y.float()
    return (y * surprise(scores) + (1 - y) * surprise(-scores)).mean()


# %% negative_log_likelihood: logaddexp
def negative_log_likelihood(scores, y):
    signs = 1 - 2 * y
    return torch.logaddexp(signs * scores, torch.zeros_like(scores)).sum() / len(y)


# %% negative_log_likelihood: the formula with max
def negative_log_likelihood(scores, y):
    sign = torch.where(y == 1, 1.0, -1.0).to(scores.dtype)
    m = sign * scores
    loss = torch.relu(-m) + torch.log1p(torch.exp(-torch.abs(m)))
    return torch.mean(loss)


# %% negative_log_likelihood: logsigmoid of both signs
def negative_log_likelihood(scores, y):
    log_p = torch.nn.functional.logsigmoid(scores)
    log_not_p = torch.nn.functional.logsigmoid(-scores)
    return -torch.where(y == 1, log_p, log_not_p).mean()


# %% negative_log_likelihood: cross-entropy of two classes
def negative_log_likelihood(scores, y):
    two = torch.stack([torch.zeros_like(scores), scores], dim=1)
    return torch.nn.functional.cross_entropy(two, y)


# %% negative_log_likelihood: the loss as a module
def negative_log_likelihood(scores, y):
    criterion = torch.nn.BCEWithLogitsLoss(reduction="mean")
    return criterion(scores, y.type_as(scores))


# %% negative_log_likelihood: score minus label times score
def negative_log_likelihood(scores, y):
    losses = scores.clamp(min=0) - scores * y + torch.log(1 + torch.exp(-scores.abs()))
    return losses.sum() / scores.shape[0]


# %% negative_log_likelihood: a loop
def negative_log_likelihood(scores, y):
    losses = []
    for s, label in zip(scores, y):
        if label == 1:
            s = -s
        losses.append(torch.nn.functional.softplus(s))
    return torch.stack(losses).mean()


# %% gradient: means over rows
def gradient(X, y, w, w_0, l2):
    p = sigmoid((X * w).sum(dim=1) + w_0)
    e = p - y
    return (e[:, None] * X).mean(dim=0) + l2 * w, e.mean()


# %% gradient: a loop over the texts
def gradient(X, y, w, w_0, l2):
    for_w, for_w_0 = torch.zeros_like(w), torch.zeros(())
    N = X.shape[0]
    for n in range(N):
        error = sigmoid(X[n] @ w + w_0) - y[n]
        for_w = for_w + error * X[n] / N
        for_w_0 = for_w_0 + error / N
    return for_w + l2 * w, for_w_0


# %% gradient: einsum and torch.sigmoid
def gradient(X, y, w, w_0, l2):
    errors = torch.sigmoid(torch.einsum("nd,d->n", X, w) + w_0) - y.float()
    return torch.einsum("n,nd->d", errors, X) / len(errors) + l2 * w, errors.sum() / len(errors)


# %% gradient: transposes the error
def gradient(X, y, w, w_0, l2):
    N = len(X)
    error = sigmoid(torch.matmul(X, w) + w_0).sub(y)
    for_w = torch.matmul(error, X).div(N).add(l2 * w)
    return for_w, error.sum().div(N)


# %% gradient: a column of ones
def gradient(X, y, w, w_0, l2):
    ones = torch.ones(len(X), 1, dtype=X.dtype)
    extended = torch.cat([ones, X], dim=1)
    weights = torch.cat([w_0.reshape(1), w])
    g = extended.T @ (sigmoid(extended @ weights) - y) / len(y)
    return g[1:] + l2 * w, g[0]


# %% gradient: two helpers
def errors_of(X, y, w, w_0):
    return sigmoid(w_0 + X @ w) - y.to(w.dtype)


def gradient(X, y, w, w_0, l2):
    error = errors_of(X, y, w, w_0)
    data_term = torch.einsum("n,nv->v", error, X) / X.shape[0]
    regularization = l2 * w
    return data_term + regularization, torch.mean(error)


# %% gradient: word by word
def gradient(X, y, w, w_0, l2):
    scores = X @ w + w_0
    error = torch.sigmoid(scores) - y
    for_w = [(error * X[:, j]).mean() + l2 * w[j] for j in range(len(w))]
    return torch.stack(for_w), error.mean()


# %% gradient: autograd on detached copies
def gradient(X, y, w, w_0, l2):
    w_, b_ = w.detach().clone().requires_grad_(), w_0.detach().clone().requires_grad_()
    J = negative_log_likelihood(X @ w_ + b_, y) + l2 / 2 * w_.square().sum()
    J.backward()
    return w_.grad, b_.grad


# %% minibatches: a while loop
def minibatches(n, batch_size, generator):
    rest = torch.randperm(n, generator=generator)
    batches = []
    while len(rest) > 0:
        batches.append(rest[:batch_size])
        rest = rest[batch_size:]
    return batches


# %% minibatches: sorts random numbers
def minibatches(n, batch_size, generator):
    order = torch.rand(n, generator=generator).argsort()
    return list(torch.split(order, batch_size))


# %% minibatches: chunks by number
def minibatches(n, batch_size, generator):
    import math

    order = torch.randperm(n, generator=generator)
    count = math.ceil(n / batch_size)
    return [order[b * batch_size : (b + 1) * batch_size] for b in range(count)]


# %% minibatches: tuple of split into a list
def minibatches(n, batch_size, generator):
    return [*torch.split(torch.randperm(n, generator=generator), batch_size)]


# %% minibatches: a generator inside
def minibatches(n: int, batch_size: int, generator: torch.Generator) -> list[torch.Tensor]:
    def cut(order):
        while order.numel():
            yield order[:batch_size]
            order = order[batch_size:]

    return list(cut(torch.randperm(n, generator=generator)))


# %% minibatches: fills batches index by index
def minibatches(n, batch_size, generator):
    batches, current = [], []
    for i in torch.randperm(n, generator=generator).tolist():
        current.append(i)
        if len(current) == batch_size:
            batches.append(torch.tensor(current))
            current = []
    if current:
        batches.append(torch.tensor(current))
    return batches


# %% minibatches: the ends of the batches
def minibatches(n, batch_size, generator):
    shuffled = torch.arange(n)[torch.randperm(n, generator=generator)]
    starts = range(0, n, batch_size)
    ends = [min(start + batch_size, n) for start in starts]
    return [shuffled[a:b] for a, b in zip(starts, ends)]


# %% train_logistic_regression: in place
def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.zeros(())
    for e in progress(range(epochs)):
        eta = lr * (epochs - e) / epochs
        for batch in minibatches(len(X), batch_size, generator):
            for_w, for_w_0 = gradient(X[batch], y[batch], w, w_0, l2)
            w -= eta * for_w
            w_0 -= eta * for_w_0
    return w, w_0


# %% train_logistic_regression: a bias from a Python number
def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    n, d = X.shape
    weights = torch.zeros(d)
    bias = torch.tensor(0.0)
    for epoch in progress(range(epochs)):
        step = lr * (1 - epoch / epochs)
        batches = minibatches(n, batch_size, generator)
        for indices in batches:
            bags, classes = X[indices], y[indices]
            gradients = gradient(bags, classes, weights, bias, l2)
            weights = weights - step * gradients[0]
            bias = bias - step * gradients[1]
    return weights, bias


# %% train_logistic_regression: a helper for the learning rate
def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    def rate(epoch):
        return lr * (1.0 - epoch / epochs)

    w = torch.zeros(X.shape[1], dtype=torch.float32)
    w_0 = torch.zeros([])
    for epoch in progress(range(epochs)):
        for rows in minibatches(len(X), batch_size, generator):
            g, g_0 = gradient(X[rows], y[rows], w, w_0, l2)
            w = w.sub(rate(epoch) * g)
            w_0 = w_0.sub(rate(epoch) * g_0)
    return w, w_0


# %% train_logistic_regression: a list of parameters
def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    parameters = [torch.zeros(X.shape[1]), torch.tensor(0.0)]
    for epoch in progress(range(epochs)):
        eta = lr - lr * epoch / epochs
        for batch in minibatches(len(X), batch_size, generator):
            steps = gradient(X[batch], y[batch], *parameters, l2)
            parameters = [p - eta * g for p, g in zip(parameters, steps)]
    return parameters[0], parameters[1]


# %% train_logistic_regression: keyword arguments
def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.tensor(0.0)
    for e in progress(range(epochs)):
        for b in minibatches(n=len(X), batch_size=batch_size, generator=generator):
            dw, dw_0 = gradient(X=X[b], y=y[b], w=w, w_0=w_0, l2=l2)
            w = w - lr * (1 - e / epochs) * dw
            w_0 = w_0 - lr * (1 - e / epochs) * dw_0
    return (w, w_0)


# %% train_logistic_regression: its own step function
def step_against(X, y, w, w_0, l2, rate):
    g_w, g_0 = gradient(X, y, w, w_0, l2)
    return w - rate * g_w, w_0 - rate * g_0


def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    w, w_0 = torch.zeros(X.shape[1]), torch.zeros(())
    for epoch in progress(range(epochs)):
        rate = (1 - epoch / epochs) * lr
        for batch in minibatches(X.shape[0], batch_size, generator):
            w, w_0 = step_against(X[batch], y[batch], w, w_0, l2, rate)
    return w, w_0


# %% train_logistic_regression: sub_ with alpha
def train_logistic_regression(X, y, epochs, batch_size, lr, l2, generator, progress=iter):
    V = X.shape[1]
    w = torch.zeros(V)
    w_0 = torch.zeros(1).squeeze()
    for epoch in progress(range(epochs)):
        for indices in minibatches(len(X), batch_size, generator):
            d_w, d_0 = gradient(X[indices], y[indices], w, w_0, l2)
            w.sub_(d_w, alpha=lr * (epochs - epoch) / epochs)
            w_0.sub_(d_0, alpha=lr * (epochs - epoch) / epochs)
    return w, w_0


# %% split_words: verbose pattern
def split_words(text):
    pattern = re.compile(
        r"""
        \w+ (?: (?!'(?:s|re|ve|ll|d|m)\b) ['-] \w+ | (?<=\d) [.,] \d \w* )*
        | '(?:s|re|ve|ll|d|m)\b
        | \.{3}
        | [^\w\s]
        """,
        re.VERBOSE,
    )
    return pattern.findall(text.lower())


# %% split_words: peels marks off pieces between spaces
def split_words(text):
    endings = ["'s", "'re", "'ve", "'ll", "'d", "'m"]

    def belongs(piece, i):
        if piece[i].isalnum():
            return True
        if i == 0 or i == len(piece) - 1:
            return False
        before, after = piece[i - 1], piece[i + 1]
        if piece[i] in "'-":
            return before.isalnum() and after.isalnum()
        return piece[i] in ".," and before.isdigit() and after.isdigit()

    tokens = []
    for piece in text.lower().split():
        word, i = "", 0
        while i <= len(piece):
            if i < len(piece) and belongs(piece, i):
                word += piece[i]
                i += 1
                continue
            for ending in endings:
                if word.endswith(ending):
                    tokens += [word[: -len(ending)], ending]
                    break
            else:
                if word:
                    tokens.append(word)
            word = ""
            if i < len(piece):
                mark = "..." if piece.startswith("...", i) else piece[i]
                tokens.append(mark)
                i += len(mark)
            else:
                i += 1
    return tokens


# %% split_words: finditer and a second look at each word
def split_words(text: str) -> list[str]:
    tokens = []
    for match in re.finditer(r"\d+(?:[.,]\d+)+\w*|\w+(?:['-]\w+)*|\.\.\.|\S", text.lower()):
        token = match.group()
        cut = re.fullmatch(r"(.+)('(?:s|re|ve|ll|d|m))", token)
        tokens.extend(cut.groups() if cut else [token])
    return tokens


# %% bag_of_words: a loop with if
def bag_of_words(tokens, vocabulary, binary=False):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        if token in vocabulary:
            if binary:
                x[vocabulary[token]] = 1
            else:
                x[vocabulary[token]] += 1
    return x


# %% bag_of_words: counts, then compares
def bag_of_words(tokens, vocabulary, binary=False):
    bag = torch.zeros(len(vocabulary))
    for word, n in Counter(tokens).items():
        if word in vocabulary:
            bag[vocabulary[word]] = n
    return (bag > 0).float() if binary else bag


# %% bag_of_words: a set of tokens for the binary bag
def bag_of_words(tokens, vocabulary, binary=False):
    if binary:
        tokens = set(tokens)
    ids = torch.tensor([vocabulary[t] for t in tokens if t in vocabulary], dtype=torch.int64)
    x = torch.zeros(len(vocabulary))
    return x.scatter_add_(0, ids, torch.ones_like(ids, dtype=x.dtype))


# %% bag_of_words: the method count
def bag_of_words(tokens, vocabulary, binary=False):
    x = torch.zeros(len(vocabulary))
    for word, index in vocabulary.items():
        n = tokens.count(word)
        x[index] = min(n, 1) if binary else n
    return x


# %% bag_of_words: one-hot rows
def bag_of_words(tokens, vocabulary, binary=False):
    rows = torch.eye(len(vocabulary))
    zeros = torch.zeros(len(vocabulary))
    x = sum((rows[vocabulary[t]] for t in tokens if t in vocabulary), zeros)
    return torch.sign(x) if binary else x


# %% bag_of_words: numpy add.at
def bag_of_words(tokens, vocabulary, binary=False):
    import numpy as np

    x = np.zeros(len(vocabulary), dtype="float32")
    np.add.at(x, [vocabulary[t] for t in tokens if t in vocabulary], 1)
    if binary:
        x = np.minimum(x, 1)
    return torch.from_numpy(x)


# %% bag_of_words: try and except
def bag_of_words(tokens: list[str], vocabulary: dict[str, int], binary: bool = False):
    bag = [0.0] * len(vocabulary)
    for token in tokens:
        try:
            i = vocabulary[token]
        except KeyError:
            continue
        bag[i] = 1.0 if binary else bag[i] + 1.0
    return torch.tensor(bag)


# %% bag_of_words: index_put_ that accumulates or not
def bag_of_words(tokens, vocabulary, binary=False):
    known = torch.tensor([vocabulary[t] for t in tokens if t in vocabulary], dtype=torch.long)
    x = torch.zeros(len(vocabulary))
    return x.index_put_((known,), torch.tensor(1.0), accumulate=not binary)


# %% wilson_interval: the formula in one piece
def wilson_interval(correct, n):
    if not n:
        return (0.0, 1.0)
    z = 1.96
    p_hat = correct / n
    root = z * math.sqrt(p_hat * (1 - p_hat) / n + z**2 / (4 * n**2))
    ends = [(p_hat + z**2 / (2 * n) + sign * root) / (1 + z**2 / n) for sign in (-1, 1)]
    return tuple(ends)


# %% wilson_interval: in tensors
def wilson_interval(correct, n):
    if n == 0:
        return 0.0, 1.0
    z = torch.tensor(1.96, dtype=torch.float64)
    p = torch.tensor(correct / n, dtype=torch.float64)
    middle = p + z**2 / (2 * n)
    half = z * (p * (1 - p) / n + z**2 / (4 * n**2)).sqrt()
    both = torch.stack([middle - half, middle + half]) / (1 + z**2 / n)
    return both[0].item(), both[1].item()


# %% wilson_interval: searches the ends
def wilson_interval(correct, n):
    if n == 0:
        return 0.0, 1.0
    share = correct / n

    def agrees(pi):
        return abs(share - pi) <= 1.96 * math.sqrt(pi * (1 - pi) / n)

    ends = []
    for outside in (0.0, 1.0):
        far, near = outside, share
        if agrees(far):
            ends.append(far)
            continue
        for _ in range(60):
            middle = (far + near) / 2
            if agrees(middle):
                near = middle
            else:
                far = middle
        ends.append(near)
    return ends[0], ends[1]


# %% wilson_interval: z from the standard library
def wilson_interval(correct: int, n: int) -> tuple[float, float]:
    from statistics import NormalDist

    if n < 1:
        return 0.0, 1.0
    z2 = NormalDist().inv_cdf(0.975) ** 2
    wrong = n - correct
    middle = (2 * correct + z2) / (2 * (n + z2))
    half = math.sqrt(z2) / (n + z2) * math.sqrt(correct * wrong / n + z2 / 4)
    return middle - half, middle + half


# %% mcnemar: a loop that counts
def mcnemar(first, second):
    b = c = 0
    for x, y in zip(first, second):
        if x and not y:
            b += 1
        elif y and not x:
            c += 1
    n = b + c
    if b == c:
        return 1.0
    return 2 * sum(math.comb(n, i) for i in range(min(b, c) + 1)) / 2**n


# %% mcnemar: both tails, added up one by one
def mcnemar(first, second):
    b = sum(1 for i in range(len(first)) if first[i] and not second[i])
    c = sum(1 for i in range(len(first)) if second[i] and not first[i])
    n, low, high = b + c, min(b, c), max(b, c)
    ways = [math.comb(n, i) for i in range(n + 1)]
    uneven = [w for i, w in enumerate(ways) if i <= low or i >= high]
    return sum(uneven) / sum(ways)


# %% mcnemar: tensors and a row of Pascal's triangle
def mcnemar(first, second):
    a, b = torch.tensor(first), torch.tensor(second)
    n = int(torch.logical_xor(a, b).sum())
    k = min(int((a & ~b).sum()), int((~a & b).sum()))
    row = [1]
    for i in range(n):
        row.append(row[-1] * (n - i) // (i + 1))
    return min(1.0, 2 * sum(row[: k + 1]) / 2**n)


# %% mcnemar: numpy counts, scipy's distribution
def mcnemar(first, second):
    import numpy as np
    from scipy.stats import binom

    one, other = np.array(first, dtype=bool), np.array(second, dtype=bool)
    b, c = int(np.sum(one & ~other)), int(np.sum(other & ~one))
    return float(min(1.0, 2 * binom.cdf(min(b, c), b + c, 0.5)))


# %% mcnemar: from the middle outwards
def mcnemar(first, second):
    pairs = Counter(zip(first, second))
    b, c = pairs[(True, False)], pairs[(False, True)]
    n = b + c
    inner = sum(math.comb(n, i) for i in range(min(b, c) + 1, max(b, c)))
    return 1 - inner / 2**n
