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


# %% labels_to_spans: index
def labels_to_spans(labels):
    for label in labels:
        if label != "O" and (label[:2] not in ("B-", "I-") or len(label) < 3):
            raise ValueError(label)
    found, i = [], 0
    while i < len(labels):
        if labels[i] == "O":
            i += 1
            continue
        kind, j = labels[i][2:], i + 1
        while j < len(labels) and labels[j] == "I-" + kind:
            j += 1
        found.append((i, j, kind))
        i = j
    return found


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


# %% spans_to_labels: sorted
def spans_to_labels(spans, n_words):
    labels, at = [], 0
    for first, end, kind in sorted(spans):
        if first < at or first < 0 or end > n_words or end <= first:
            raise ValueError("span")
        labels += ["O"] * (first - at) + ["B-" + kind] + ["I-" + kind] * (end - first - 1)
        at = end
    return labels + ["O"] * (n_words - at)


# %% spans_to_labels: word by word
def spans_to_labels(spans, n_words):
    labels = {}
    for first, end, kind in spans:
        if first >= end:
            raise ValueError("empty")
        for i in range(first, end):
            if i in labels or not 0 <= i < n_words:
                raise ValueError(i)
            labels[i] = ("B-" if i == first else "I-") + kind
    return [labels.get(i, "O") for i in range(n_words)]


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


# %% entity_scores: numbered
def entity_scores(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError("sentences")
    a = {(i, *span) for i, spans in enumerate(gold) for span in spans}
    b = {(i, *span) for i, spans in enumerate(predicted) for span in spans}
    P = len(a & b) / len(b) if b else 0.0
    R = len(a & b) / len(a) if a else 0.0
    return P, R, 2 * P * R / (P + R) if P + R else 0.0


# %% entity_scores: loops
def entity_scores(gold, predicted):
    tp = fp = fn = 0
    if len(predicted) != len(gold):
        raise ValueError()
    for i in range(len(gold)):
        for span in set(predicted[i]):
            if span in gold[i]:
                tp += 1
            else:
                fp += 1
        fn += sum(span not in predicted[i] for span in set(gold[i]))
    return (tp / max(1, tp + fp), tp / max(1, tp + fn), 2 * tp / max(1, 2 * tp + fp + fn))


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


# %% labels_to_pieces: seen
def labels_to_pieces(labels, word_ids):
    seen, found = set(), []
    for word in word_ids:
        if word is None or word in seen:
            found.append(-100)
            continue
        if word > len(labels) - 1:
            raise ValueError(word)
        seen.add(word)
        found.append(labels[word])
    return found


# %% labels_to_pieces: first positions
def labels_to_pieces(labels, word_ids):
    word_ids = list(word_ids)
    words = [w for w in word_ids if w is not None]
    if words and max(words) >= len(labels):
        raise ValueError("labels")
    return [
        labels[w] if w is not None and word_ids.index(w) == i else -100
        for i, w in enumerate(word_ids)
    ]


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


# %% Tagger: by hand
class Tagger(nn.Module):
    def __init__(self, encoder, d_model, n_labels, dropout=0.1):
        super().__init__()
        self.output = nn.Linear(d_model, n_labels)
        self.dropout = nn.Dropout(dropout)
        self.encoder = encoder

    def forward(self, ids, mask):
        segments = torch.zeros(ids.shape, dtype=torch.long)
        H = self.dropout(self.encoder(ids, segments, mask))
        return H @ self.output.weight.T + self.output.bias

    def loss(self, ids, mask, labels):
        keep = labels != -100
        log_p = self(ids, mask).log_softmax(dim=-1)
        picked = log_p.gather(2, labels.clamp(min=0).unsqueeze(2)).squeeze(2)
        return -(picked * keep).sum() / max(1, int(keep.sum()))


# %% Tagger: library mean
class Tagger(nn.Module):
    def __init__(self, encoder, d_model, n_labels, dropout=0.1):
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_labels)

    def forward(self, ids, mask):
        return self.output(self.dropout(self.encoder(ids, ids * 0, mask)))

    def loss(self, ids, mask, labels):
        scores = self.forward(ids, mask)
        if torch.all(labels == -100):
            return 0 * scores.sum()
        return nn.CrossEntropyLoss(ignore_index=-100)(scores.transpose(1, 2), labels)


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


# %% viterbi: sentence by sentence
def viterbi(scores, mask, transitions, start):
    B, L, K = scores.shape
    result = torch.full((B, L), -100)
    for b in range(B):
        n = int(mask[b].sum())
        if n == 0:
            continue
        best, notes = scores[b, 0] + start, []
        for t in range(1, n):
            table = best[:, None] + transitions + scores[b, t]
            notes.append(table.argmax(dim=0))
            best = table.max(dim=0).values
        k = int(best.argmax())
        result[b, n - 1] = k
        for t in range(n - 1, 0, -1):
            k = int(notes[t - 1][k])
            result[b, t - 1] = k
    return result


# %% viterbi: paths along
def viterbi(scores, mask, transitions, start):
    B, L, K = scores.shape
    best = start + scores[:, 0]
    paths = torch.arange(K).repeat(B, 1)[:, :, None]
    for t in range(1, L):
        total = best[:, :, None] + transitions[None]
        top, index = torch.max(total, dim=1)
        extended = paths.gather(1, index[:, :, None].expand(-1, -1, t))
        extended = torch.cat([extended, torch.arange(K).repeat(B, 1)[:, :, None]], dim=2)
        waiting = torch.cat([paths, torch.zeros(B, K, 1, dtype=torch.long)], dim=2)
        m = mask[:, t]
        best = torch.where(m[:, None], top + scores[:, t], best)
        paths = torch.where(m[:, None, None], extended, waiting)
    chosen = paths[torch.arange(B), best.argmax(dim=1)]
    return torch.where(mask, chosen, -100)


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


# %% PairClassifier: unpacked
class PairClassifier(nn.Module):
    def __init__(self, encoder, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.encoder = encoder
        self.output = nn.Linear(d_model, n_classes)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, ids, segments, mask):
        H = self.encoder(ids, segments, mask)
        first = self.dropout(H)[:, 0, :]
        return torch.einsum("bd,cd->bc", first, self.output.weight) + self.output.bias

    def loss(self, ids, segments, mask, labels):
        log_p = self.forward(ids, segments, mask).log_softmax(dim=-1)
        return -log_p.gather(1, labels.unsqueeze(1)).mean()


# %% PairClassifier: module loss
class PairClassifier(nn.Module):
    def __init__(self, encoder, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)

    def forward(self, ids, segments, mask):
        cls = self.encoder(ids, segments, mask).select(1, 0)
        return self.output(self.dropout(cls))

    def loss(self, ids, segments, mask, labels):
        return nn.CrossEntropyLoss()(self.forward(ids, segments, mask), labels)


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


# %% matthews: sums
def matthews(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError("lengths")
    if any(y not in (0, 1) for y in [*gold, *predicted]):
        raise ValueError("labels")
    n, s, t = len(gold), sum(gold), sum(predicted)
    both = sum(g * p for g, p in zip(gold, predicted))
    below = s * (n - s) * t * (n - t)
    return (n * both - s * t) / below**0.5 if below > 0 else 0.0


# %% matthews: tensors
def matthews(gold, predicted):
    if len(gold) != len(predicted) or set(gold) - {0, 1} or set(predicted) - {0, 1}:
        raise ValueError("lists")
    if len(set(gold)) < 2 or len(set(predicted)) < 2:
        return 0.0
    both = torch.tensor([gold, predicted], dtype=torch.float64)
    return torch.corrcoef(both)[0, 1].item()


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


# %% choice_scores: scatter
def choice_scores(model, ids, segments, mask):
    B, K, L = ids.shape
    rows = mask.reshape(B * K, L).any(dim=1).nonzero()[:, 0]
    found = model(
        ids.reshape(B * K, L)[rows], segments.reshape(B * K, L)[rows], mask.reshape(B * K, L)[rows]
    )
    empty = torch.full((B * K,), float("-inf"))
    return empty.index_put((rows,), found.squeeze(1)).reshape(B, K)


# %% choice_scores: masked scatter
def choice_scores(model, ids, segments, mask):
    real = mask.sum(dim=2) > 0
    flat = model(ids[real], segments[real], mask[real]).flatten()
    return torch.full(real.shape, -torch.inf).masked_scatter(real, flat)


# %% choice_scores: one number after the other
def choice_scores(model, ids, segments, mask):
    places = [(b, k) for b in range(len(ids)) for k in range(ids.shape[1]) if mask[b, k].any()]
    b, k = (list(x) for x in zip(*places))
    found = model(ids[b, k], segments[b, k], mask[b, k])
    scores = torch.full(ids.shape[:2], -math.inf)
    for (i, j), value in zip(places, found):
        scores[i, j] = value[0]
    return scores


# %% answer_windows: starts first
def answer_windows(question, context, offsets, answer, cls, sep, max_length, stride):
    room = max_length - 3 - len(question)
    if len(question) == 0 or room <= 0 or stride <= 0 or stride > room:
        raise ValueError("windows")
    low = high = None
    if answer is not None:
        touched = []
        for i, (a, b) in enumerate(offsets):
            if max(a, answer[0]) < min(b, answer[1]):
                touched.append(i)
        if touched == []:
            raise ValueError("answer")
        low, high = touched[0], touched[-1]
    starts = [0]
    while starts[-1] + room < len(context):
        starts.append(starts[-1] + stride)
    found = []
    for s in starts:
        part = list(context[s : s + room])
        ids = [cls] + list(question) + [sep] + part + [sep]
        before = len(question) + 2
        whole = low is not None and s <= low and high < s + len(part)
        found.append((ids, s, (before + low - s, before + high - s) if whole else (0, 0)))
    return found


# %% answer_windows: by characters
def answer_windows(question, context, offsets, answer, cls, sep, max_length, stride):
    room = max_length - len(question) - 3
    if not len(question) or room < 1:
        raise ValueError("no room or no question")
    if stride < 1 or stride > room:
        raise ValueError("stride")
    inside = [answer is not None and a < answer[1] and b > answer[0] for a, b in offsets]
    if answer is not None and not any(inside):
        raise ValueError("the answer is not in the paragraph")
    windows, first = [], 0
    while not windows or windows[-1][1] + room < len(context):
        marks = inside[first : first + room]
        target = (0, 0)
        if any(marks) and sum(marks) == sum(inside):
            begin = len(question) + 2 + marks.index(True)
            target = (begin, begin + sum(marks) - 1)
        ids = [cls, *question, sep]
        ids.extend(context[first : first + room])
        ids.append(sep)
        windows.append((ids, first, target))
        first += stride
    return windows


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


# %% best_spans: loops
def best_spans(start, end, allowed, n, longest):
    found = []
    for i in range(len(start)):
        for j in range(i, min(len(end), i + longest)):
            if allowed[i] and allowed[j]:
                found.append(((start[i] + end[j]).item(), i, j))
    return sorted(found, reverse=True)[:n]


# %% best_spans: triangle
def best_spans(start, end, allowed, n, longest):
    table = start.unsqueeze(1) + end.unsqueeze(0)
    keep = torch.ones_like(table, dtype=torch.bool).triu().tril(longest - 1)
    keep = keep & allowed.unsqueeze(0) & allowed.unsqueeze(1)
    rows, columns = keep.nonzero(as_tuple=True)
    values = table[rows, columns]
    order = values.argsort(descending=True)[:n]
    return list(zip(values[order].tolist(), rows[order].tolist(), columns[order].tolist()))


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


# %% answer_scores: translate
def answer_scores(prediction, answers):
    if len(answers) == 0:
        raise ValueError("answers")

    def clean(text):
        text = text.lower().translate(str.maketrans("", "", string.punctuation))
        return " ".join(word for word in text.split() if word not in ("a", "an", "the"))

    def f1(one, other):
        a, b = one.split(), other.split()
        if not a or not b:
            return float(a == b)
        same = sum(min(a.count(w), b.count(w)) for w in set(a))
        if same == 0:
            return 0.0
        p, r = same / len(a), same / len(b)
        return 2 * p * r / (p + r)

    p = clean(prediction)
    exact = any(p == clean(answer) for answer in answers)
    return float(exact), max(f1(p, clean(answer)) for answer in answers)


# %% answer_scores: removes what is common
def answer_scores(prediction, answers):
    def normal(text):
        text = re.sub("[" + re.escape(string.punctuation) + "]", "", text.lower())
        return re.sub(r"\b(?:a|an|the)\b", " ", text).split()

    def score(one, other):
        left = list(other)
        for word in one:
            if word in left:
                left.remove(word)
        common = len(other) - len(left)
        f1 = 2 * common / (len(one) + len(other)) if one or other else 1.0
        return float(one == other), f1

    if not answers:
        raise ValueError("no answers")
    scores = [score(normal(prediction), normal(answer)) for answer in answers]
    return max(s[0] for s in scores), max(s[1] for s in scores)


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


# %% paired_bootstrap: gathered
def paired_bootstrap(a, b, n_samples, generator):
    if len(a) != len(b):
        raise ValueError("sizes")
    N = len(a)
    rows = torch.randint(N, (n_samples, N), generator=generator)
    means = a.double()[rows].mean(dim=1) - b.double()[rows].mean(dim=1)
    d = (a - b).double().mean()
    return d.item(), torch.quantile(means, 0.025).item(), torch.quantile(means, 0.975).item()


# %% paired_bootstrap: sorted
def paired_bootstrap(a, b, n_samples, generator):
    if a.numel() != b.numel():
        raise ValueError("different sizes")
    d = (a - b).tolist()
    rows = torch.randint(len(d), (n_samples, len(d)), generator=generator).tolist()
    means = sorted(sum(d[i] for i in row) / len(d) for row in rows)

    def at(q):
        place = q * (len(means) - 1)
        below = int(place)
        above = min(below + 1, len(means) - 1)
        return means[below] + (place - below) * (means[above] - means[below])

    return sum(d) / len(d), at(0.025), at(0.975)


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


# %% ngram_overlap: zip
def ngram_overlap(texts, others, n):
    def split(words):
        return list(zip(*(words[i:] for i in range(n))))

    seen = set()
    for words in others:
        seen.update(split(words))
    shares = []
    for words in texts:
        own = split(words)
        shares.append(sum(1 for gram in own if gram in seen) / len(own) if own else 0.0)
    return shares


# %% ngram_overlap: joined
def ngram_overlap(texts, others, n):
    seen = Counter(
        "\n".join(words[i : i + n]) for words in others for i in range(len(words) - n + 1)
    )
    result = []
    for words in texts:
        total = max(0, len(words) - n + 1)
        hits = sum(seen["\n".join(words[i : i + n])] > 0 for i in range(total))
        result.append(hits / total if total else 0.0)
    return result


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
