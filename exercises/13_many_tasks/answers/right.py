# %% labels_to_spans: an open entity in a list
def labels_to_spans(labels):
    spans, current = [], None
    for i, label in enumerate(labels):
        if label == "O":
            current = None
            continue
        if not (label.startswith("B-") or label.startswith("I-")) or len(label) == 2:
            raise ValueError(f"what is {label}?")
        kind = label[2:]
        if label[0] == "I" and current is not None and current[2] == kind:
            current[1] = i + 1
        else:
            current = [i, i + 1, kind]
            spans.append(current)
    return [tuple(span) for span in spans]


# %% labels_to_spans: splits at the first hyphen, closes with a helper
def labels_to_spans(labels):
    spans = []
    begin, kind = None, None

    def close(end):
        if begin is not None:
            spans.append((begin, end, kind))

    for i in range(len(labels)):
        if labels[i] == "O":
            close(i)
            begin = None
            continue
        parts = labels[i].split("-", 1)
        if len(parts) != 2 or parts[0] not in "BI" or not parts[0] or not parts[1]:
            raise ValueError("bad label")
        if parts[0] == "B" or begin is None or kind != parts[1]:
            close(i)
            begin, kind = i, parts[1]
    close(len(labels))
    return spans


# %% spans_to_labels: marks what is taken
def spans_to_labels(spans, n_words):
    result = ["O" for _ in range(n_words)]
    taken = [False] * n_words
    for span in spans:
        start, stop, name = span
        if start < 0 or stop > n_words or stop - start < 1:
            raise ValueError(f"bad span {span}")
        if any(taken[start:stop]):
            raise ValueError("overlap")
        result[start] = "B-" + name
        for k in range(start + 1, stop):
            result[k] = "I-" + name
        for k in range(start, stop):
            taken[k] = True
    return result


# %% entity_scores: zip strict
def entity_scores(gold, predicted):
    tp = n_pred = n_gold = 0
    for g, p in zip(gold, predicted, strict=True):
        g, p = set(map(tuple, g)), set(map(tuple, p))
        tp += len(g.intersection(p))
        n_pred += len(p)
        n_gold += len(g)
    precision = 0.0 if n_pred == 0 else tp / n_pred
    recall = 0.0 if n_gold == 0 else tp / n_gold
    f1 = 0.0 if precision + recall == 0 else 2 * precision * recall / (precision + recall)
    return precision, recall, f1


# %% labels_to_pieces: catches the index error
def labels_to_pieces(labels, word_ids):
    out = [-100] * len(word_ids)
    try:
        for i in range(len(word_ids)):
            w = word_ids[i]
            if w is not None and (i == 0 or word_ids[i - 1] != w):
                out[i] = labels[w]
    except IndexError:
        raise ValueError("more words than labels")
    return out


# %% Tagger: picks the labeled pieces
class Tagger(nn.Module):
    def __init__(self, encoder, d_model, n_labels, dropout=0.1):
        super().__init__()
        self.encoder, self.dropout = encoder, nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_labels)

    def forward(self, ids, mask):
        H = self.encoder(ids, torch.zeros_like(ids), mask)
        H = self.dropout(H)
        return self.output(H)

    def loss(self, ids, mask, labels):
        scores = self(ids, mask)
        chosen = labels >= 0
        if chosen.sum() == 0:
            return scores.sum() * 0.0
        return F.cross_entropy(scores[chosen], labels[chosen])


# %% viterbi: plain Python lists
def viterbi(scores, mask, transitions, start):
    A, first = transitions.tolist(), start.tolist()
    rows = []
    for row, real in zip(scores.tolist(), mask.tolist()):
        n = sum(real)
        best = {k: (first[k] + s, [k]) for k, s in enumerate(row[0])}
        for t in range(1, n):
            best = {
                k: max((total + A[j][k] + s, path + [k]) for j, (total, path) in best.items())
                for k, s in enumerate(row[t])
            }
        path = max(best.values())[1] if n else []
        rows.append(path + [-100] * (len(real) - n))
    return torch.tensor(rows)


# %% PairClassifier: nll
class PairClassifier(nn.Module):
    def __init__(self, encoder, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes, bias=True)
        self.encoder = encoder

    def forward(self, ids, segments, mask):
        vectors = self.encoder(ids, segments, mask)
        return self.output(self.dropout(vectors[:, 0]))

    def loss(self, ids, segments, mask, labels):
        return F.nll_loss(F.log_softmax(self(ids, segments, mask), dim=1), labels)


# %% matthews: four sums
def matthews(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError("not the same length")
    tp = tn = fp = fn = 0
    for g, p in zip(gold, predicted):
        if g == 1 and p == 1:
            tp += 1
        elif g == 0 and p == 0:
            tn += 1
        elif g == 0 and p == 1:
            fp += 1
        elif g == 1 and p == 0:
            fn += 1
        else:
            raise ValueError("labels are 0 and 1")
    d = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    if d == 0:
        return 0.0
    return (tp * tn - fp * fn) / d


# %% choice_scores: one number after the other
def choice_scores(model, ids, segments, mask):
    places = [(b, k) for b in range(len(ids)) for k in range(ids.shape[1]) if mask[b, k].any()]
    b, k = (list(x) for x in zip(*places))
    found = model(ids[b, k], segments[b, k], mask[b, k])
    scores = torch.full(ids.shape[:2], -math.inf)
    for (i, j), value in zip(places, found):
        scores[i, j] = value[0]
    return scores


# %% answer_windows: characters to pieces by a table
def answer_windows(question, context, offsets, answer, cls, sep, max_length, stride):
    n_q, n_c = len(question), len(context)
    space = max_length - n_q - 3
    if n_q < 1 or space < 1 or stride < 1 or stride > space:
        raise ValueError("nothing can be read like this")
    first_piece, last_piece = -1, -1
    if answer is not None:
        piece_of = {}
        for i, (a, b) in enumerate(offsets):
            for c in range(a, b):
                piece_of[c] = i
        hit = [piece_of[c] for c in range(answer[0], answer[1]) if c in piece_of]
        if not hit:
            raise ValueError("answer not in the paragraph")
        first_piece, last_piece = min(hit), max(hit)
    result = []
    for begin in range(0, n_c, stride):
        stop = min(n_c, begin + space)
        ids = [cls, *question, sep, *context[begin:stop], sep]
        if answer is not None and begin <= first_piece and last_piece <= stop - 1:
            target = (n_q + 2 + first_piece - begin, n_q + 2 + last_piece - begin)
        else:
            target = (0, 0)
        result.append((ids, begin, target))
        if stop >= n_c:
            break
    return result


# %% best_spans: takes the best again and again
def best_spans(start, end, allowed, n, longest):
    L = start.shape[0]
    grid = torch.full((L, L), float("-inf"))
    for i in range(L):
        for j in range(i, L):
            if j - i + 1 <= longest and bool(allowed[i]) and bool(allowed[j]):
                grid[i, j] = start[i] + end[j]
    result = []
    while len(result) < n and grid.max() > float("-inf"):
        place = int(grid.argmax())
        i, j = divmod(place, L)
        result.append((float(grid[i, j]), i, j))
        grid[i, j] = float("-inf")
    return result


# %% answer_scores: step by step
def answer_scores(prediction, answers):
    if not len(answers):
        raise ValueError("nothing to compare with")

    def normalize(text):
        text = text.lower()
        for mark in string.punctuation:
            text = text.replace(mark, "")
        words = []
        for word in text.split():
            if word != "a" and word != "an" and word != "the":
                words.append(word)
        return words

    exact, f1 = [], []
    mine = normalize(prediction)
    for answer in answers:
        gold = normalize(answer)
        exact.append(1.0 if " ".join(mine) == " ".join(gold) else 0.0)
        if len(mine) == 0 or len(gold) == 0:
            f1.append(1.0 if len(mine) == len(gold) else 0.0)
            continue
        overlap = sum((Counter(mine) & Counter(gold)).values())
        if overlap == 0:
            f1.append(0.0)
            continue
        precision, recall = overlap / len(mine), overlap / len(gold)
        f1.append(2 * precision * recall / (precision + recall))
    return max(exact), max(f1)


# %% paired_bootstrap: numpy's quantiles
def paired_bootstrap(a, b, n_samples, generator):
    import numpy as np

    if a.shape != b.shape:
        raise ValueError("a and b must have the same shape")
    diff = (a - b).numpy()
    index = torch.randint(len(diff), (n_samples, len(diff)), generator=generator).numpy()
    means = diff[index].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(diff.mean()), float(low), float(high)


# %% ngram_overlap: plain loops
def ngram_overlap(texts, others, n):
    known = set()
    for other in others:
        for i in range(len(other) - n + 1):
            known.add(tuple(other[i : i + n]))
    out = []
    for text in texts:
        count = hits = 0
        for i in range(len(text)):
            gram = tuple(text[i : i + n])
            if len(gram) < n:
                break
            count += 1
            if gram in known:
                hits += 1
        if count == 0:
            out.append(0.0)
        else:
            out.append(hits / count)
    return out
