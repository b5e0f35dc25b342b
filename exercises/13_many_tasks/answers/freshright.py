# %% labels_to_spans: a regular expression on one letter per word, kinds numbered
def labels_to_spans(labels):
    for label in labels:
        if label != "O" and not re.fullmatch(r"[BI]-.+", label, re.S):
            raise ValueError(label)
    starts = [
        i
        for i, label in enumerate(labels)
        if label != "O"
        and (label[0] == "B" or i == 0 or labels[i - 1] == "O" or labels[i - 1][2:] != label[2:])
    ]
    found = []
    for i in starts:
        j = i + 1
        while j < len(labels) and labels[j] == "I-" + labels[i][2:]:
            j += 1
        found.append((i, j, labels[i][2:]))
    return found


# %% spans_to_labels: a dictionary from words to labels, and counting
def spans_to_labels(spans, n_words):
    at = {}
    total = 0
    for a, b, kind in spans:
        if b <= a:
            raise ValueError("empty")
        at |= {w: f"I-{kind}" for w in range(a, b)}
        at[a] = f"B-{kind}"
        total += b - a
    if total != len(at) or not set(at) <= set(range(n_words)):
        raise ValueError("overlap or outside")
    return [at.get(w, "O") for w in range(n_words)]


# %% entity_scores: harmonic mean of the statistics module over numbered spans
def entity_scores(gold, predicted):
    from fractions import Fraction

    if len(gold) != len(predicted):
        raise ValueError("lengths")
    g = {(i, *s) for i, row in enumerate(gold) for s in row}
    p = {(i, *s) for i, row in enumerate(predicted) for s in row}
    right = len(g) + len(p) - len(g | p)
    P = Fraction(right, max(1, len(p)))
    R = Fraction(right, max(1, len(g)))
    F1 = Fraction(2 * right, max(1, len(g) + len(p)))
    return float(P), float(R), float(F1)


# %% labels_to_pieces: word_ids.index finds the first pieces
def labels_to_pieces(labels, word_ids):
    row = [-100] * len(word_ids)
    for word in set(word_ids) - {None}:
        try:
            row[list(word_ids).index(word)] = labels[word]
        except IndexError:
            raise ValueError(f"word {word} has no label") from None
    return row


# %% Tagger: the loss by log_softmax, gather and a masked sum
class Tagger(nn.Module):
    def __init__(self, encoder, d_model, n_labels, dropout=0.1):
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_labels)

    def forward(self, ids, mask):
        return self.output(self.dropout(self.encoder(ids, ids * 0, mask)))

    def loss(self, ids, mask, labels):
        log_p = self(ids, mask).log_softmax(dim=-1)
        counted = labels != -100
        picked = log_p.gather(2, labels.masked_fill(~counted, 0)[:, :, None])[:, :, 0]
        picked = torch.where(counted, picked, torch.zeros_like(picked))
        return -picked.sum() / max(1, counted.sum().item())


# %% viterbi: backwards, from the last word to the first, in numpy
def viterbi(scores, mask, transitions, start):
    import numpy as np

    S, A, s0 = scores.detach().numpy(), transitions.detach().numpy(), start.detach().numpy()
    B, L, K = S.shape
    result = np.full((B, L), -100, dtype=np.int64)
    for b in range(B):
        n = int(mask[b].sum())
        if n == 0:
            continue
        rest = np.zeros((n, K), dtype=S.dtype)  # the best that can follow a label
        for t in range(n - 2, -1, -1):
            rest[t] = (A + S[b, t + 1][None] + rest[t + 1][None]).max(axis=1)
        k = int((s0 + S[b, 0] + rest[0]).argmax())
        result[b, 0] = k
        for t in range(1, n):
            k = int((A[k] + S[b, t] + rest[t]).argmax())
            result[b, t] = k
    return torch.from_numpy(result)


# %% PairClassifier: selects the first vector after the dropout, loss with one-hot targets
class PairClassifier(nn.Module):
    def __init__(self, encoder, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)

    def forward(self, ids, segments, mask):
        vectors = self.encoder(ids, segments, mask)
        return self.output(self.dropout(vectors.select(1, 0)))

    def loss(self, ids, segments, mask, labels):
        scores = self(ids, segments, mask)
        wanted = F.one_hot(labels, scores.shape[1]).to(scores.dtype)
        return F.cross_entropy(scores, wanted)


# %% matthews: the correlation of numpy
def matthews(gold, predicted):
    import numpy as np

    if len(gold) != len(predicted) or not {*gold, *predicted} <= {0, 1}:
        raise ValueError("two lists of zeros and ones")
    if len(set(gold)) < 2 or len(set(predicted)) < 2:
        return 0.0
    return float(np.corrcoef(gold, predicted)[0, 1])


# %% choice_scores: index_put with the places of the options
def choice_scores(model, ids, segments, mask):
    B, K, L = ids.shape
    where = mask.reshape(B * K, L).sum(dim=1).nonzero().flatten()
    rows = (part.reshape(B * K, L).index_select(0, where) for part in (ids, segments, mask))
    got = model(*rows).reshape(-1)
    empty = torch.full((B * K,), -torch.inf, dtype=got.dtype)
    return empty.index_put((where,), got).reshape(B, K)


# %% answer_windows: number of windows by a formula, list comprehension
def answer_windows(question, context, offsets, answer, cls, sep, max_length, stride):
    room = max_length - len(question) - 3
    if len(question) < 1 or room < 1 or stride not in range(1, room + 1):
        raise ValueError("question, room, stride")
    inside = None
    if answer is not None:
        inside = {i for i, (x, y) in enumerate(offsets) if max(x, answer[0]) < min(y, answer[1])}
        if not inside:
            raise ValueError("no piece")
    count = 1 + max(0, -(-(len(context) - room) // stride))
    head = [cls, *question, sep]
    out = []
    for k in range(count):
        numbers = range(k * stride, min(k * stride + room, len(context)))
        whole = inside is not None and inside <= set(numbers)
        target = (0, 0)
        if whole:
            target = tuple(len(head) + f(inside) - k * stride for f in (min, max))
        out.append((head + [context[i] for i in numbers] + [sep], k * stride, target))
    return out


# %% best_spans: a heap over all legal spans
def best_spans(start, end, allowed, n, longest):
    import heapq

    begins, ends, ok = start.tolist(), end.tolist(), allowed.tolist()
    spans = (
        (begins[i] + ends[j], i, j)
        for i in range(len(ok))
        for j in range(i, min(i + longest, len(ok)))
        if ok[i] and ok[j]
    )
    return heapq.nlargest(n, spans)


# %% answer_scores: regular expressions, F1 as 2c / (p + r)
def answer_scores(prediction, answers):
    if not len(answers):
        raise ValueError("no right answer")

    def clean(text):
        text = re.sub("[" + re.escape(string.punctuation) + "]", "", text.lower())
        return re.sub(r"\b(a|an|the)\b", " ", text).split()

    mine = clean(prediction)
    exact, f1 = [], []
    for other in map(clean, answers):
        exact.append(1.0 if mine == other else 0.0)
        if mine and other:
            f1.append(2 * (Counter(mine) & Counter(other)).total() / (len(mine) + len(other)))
        else:
            f1.append(exact[-1])
    return max(exact), max(f1)


# %% paired_bootstrap: counts how often each example was drawn, numpy's percentile
def paired_bootstrap(a, b, n_samples, generator):
    import numpy as np

    if a.shape != b.shape:
        raise ValueError("sizes")
    d = (a - b).double().numpy()
    N = len(d)
    draw = torch.randint(N, (n_samples, N), generator=generator).numpy()
    counts = np.stack([np.bincount(row, minlength=N) for row in draw])
    means = counts @ d / N
    low, high = np.percentile(means, [2.5, 97.5])
    return float(d.mean()), float(low), float(high)


# %% ngram_overlap: n-grams as strings with a separator no word has
def ngram_overlap(texts, others, n):
    def runs(words):
        return ["\x00".join(words[i : i + n]) for i in range(max(0, len(words) - n + 1))]

    known = Counter()
    for other in others:
        known.update(runs(other))
    return [
        sum(1 for g in runs(text) if known[g]) / max(1, len(runs(text)))
        for text in texts
    ]
