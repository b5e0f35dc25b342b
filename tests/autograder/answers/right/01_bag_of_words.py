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


# %% binary_bag: a loop
def binary_bag(tokens, vocabulary):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        if token in vocabulary:
            x[vocabulary[token]] = 1
    return x


# %% binary_bag: get
def binary_bag(tokens, vocabulary):
    x = torch.zeros(len(vocabulary), dtype=torch.float32)
    for token in set(tokens):
        index = vocabulary.get(token)
        if index is not None:
            x[index] = 1.0
    return x


# %% binary_bag: walks through the vocabulary
def binary_bag(tokens, vocabulary):
    x = [0.0] * len(vocabulary)
    for word, i in vocabulary.items():
        x[i] = float(word in tokens)
    return torch.tensor(x)


# %% count_bag: a loop
def count_bag(tokens, vocabulary):
    x = torch.zeros(len(vocabulary))
    for token in tokens:
        if token in vocabulary:
            x[vocabulary[token]] += 1
    return x


# %% count_bag: index_add_
def count_bag(tokens, vocabulary):
    indices = torch.tensor([vocabulary[t] for t in tokens if t in vocabulary], dtype=torch.long)
    return torch.zeros(len(vocabulary)).index_add_(0, indices, torch.ones(len(indices)))


# %% count_bag: a counter
def count_bag(tokens, vocabulary):
    x = torch.zeros(len(vocabulary))
    for word, n in Counter(tokens).items():
        if word in vocabulary:
            x[vocabulary[word]] = n
    return x


# %% count_bag: one-hot rows
def count_bag(tokens, vocabulary):
    rows = torch.eye(len(vocabulary))
    return sum((rows[vocabulary[t]] for t in tokens if t in vocabulary), torch.zeros(len(vocabulary)))


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


# %% minibatches: slices
def minibatches(n, batch_size, generator):
    order = torch.randperm(n, generator=generator)
    return [order[i : i + batch_size] for i in range(0, n, batch_size)]


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


# %% decisive_words: sorts indices
def decisive_words(w, vocabulary, k):
    words = {i: word for word, i in vocabulary.items()}
    order = w.argsort(descending=True).tolist()
    return [words[i] for i in order[:k]], [words[i] for i in order[::-1][:k]]


# %% decisive_words: a helper
def decisive_words(w, vocabulary, k):
    def strongest(sign):
        ranked = sorted(vocabulary.items(), key=lambda item: -sign * float(w[item[1]]))
        return [word for word, _ in ranked[:k]]

    return strongest(1), strongest(-1)


# %% decisive_words: heapq
def decisive_words(w, vocabulary, k):
    import heapq

    weight = {word: w[i].item() for word, i in vocabulary.items()}
    return heapq.nlargest(k, weight, key=weight.get), heapq.nsmallest(k, weight, key=weight.get)
