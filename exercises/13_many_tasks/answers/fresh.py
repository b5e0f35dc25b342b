# %% labels_to_spans: an I- after an O is dropped, not repaired
def labels_to_spans(labels):
    spans = []
    begin, kind = None, None
    for i, label in enumerate(labels):
        if label != "O" and label[:2] not in ("B-", "I-"):
            raise ValueError(label)
        if label == "O":
            if begin is not None:
                spans.append((begin, i, kind))
            begin, kind = None, None
        elif label.startswith("B-"):
            if begin is not None:
                spans.append((begin, i, kind))
            begin, kind = i, label[2:]
        else:
            if begin is not None and label[2:] != kind:
                spans.append((begin, i, kind))
                begin, kind = i, label[2:]
    if begin is not None:
        spans.append((begin, len(labels), kind))
    return spans


# %% labels_to_spans: the entity at the end of the sentence is never closed
def labels_to_spans(labels):
    result = []
    current = None
    for pos, lab in enumerate(labels):
        if lab == "O":
            tag, kind = "O", None
        else:
            tag, _, kind = lab.partition("-")
            if tag not in {"B", "I"} or not kind:
                raise ValueError(f"bad label {lab!r}")
        continues = tag == "I" and current is not None and current[1] == kind
        if continues:
            continue
        if current is not None:
            result.append((current[0], pos, current[1]))
            current = None
        if tag != "O":
            current = (pos, kind)
    return result


# %% labels_to_spans: label.split("-")[1] cuts kinds that have a hyphen
def labels_to_spans(labels):
    out = []
    i = 0
    while i < len(labels):
        if labels[i] == "O":
            i += 1
            continue
        parts = labels[i].split("-")
        if parts[0] not in ("B", "I") or len(parts) < 2 or parts[1] == "":
            raise ValueError("unknown label " + labels[i])
        kind = parts[1]
        j = i + 1
        while j < len(labels) and labels[j].split("-")[0] == "I" and labels[j].split("-")[1] == kind:
            j += 1
        out.append((i, j, kind))
        i = j
    return out


# %% spans_to_labels: the end is taken as inclusive
def spans_to_labels(spans, n_words):
    labels = ["O"] * n_words
    for first, last, kind in spans:
        if first < 0 or last > n_words or first >= last:
            raise ValueError("span outside of the sentence")
        if any(l != "O" for l in labels[first:last]):
            raise ValueError("overlap")
        labels[first] = "B-" + kind
        for k in range(first + 1, min(last + 1, n_words)):
            labels[k] = "I-" + kind
    return labels


# %% spans_to_labels: overlaps are only looked for at the first word of a span
def spans_to_labels(spans, n_words):
    tags = n_words * ["O"]
    for start, stop, kind in spans:
        if not 0 <= start < stop <= n_words:
            raise ValueError(f"({start}, {stop}) is not in the sentence")
        if tags[start] != "O":
            raise ValueError("two entities share a word")
        tags[start:stop] = [f"B-{kind}"] + [f"I-{kind}"] * (stop - start - 1)
    return tags


# %% spans_to_labels: an empty span is skipped
def spans_to_labels(spans, n_words):
    taken = set()
    labels = ["O" for _ in range(n_words)]
    for a, b, kind in sorted(spans):
        if a < 0 or b > n_words:
            raise ValueError("leaves the sentence")
        for w in range(a, b):
            if w in taken:
                raise ValueError("word used twice")
            taken.add(w)
            labels[w] = ("B-" if w == a else "I-") + kind
    return labels


# %% entity_scores: macro average, the mean of the sentences' values
def entity_scores(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError("different numbers of sentences")
    ps, rs = [], []
    for g, p in zip(gold, predicted):
        g, p = set(g), set(p)
        right = len(g & p)
        ps.append(right / len(p) if p else 0.0)
        rs.append(right / len(g) if g else 0.0)
    if not ps:
        return 0.0, 0.0, 0.0
    P, R = sum(ps) / len(ps), sum(rs) / len(rs)
    return P, R, 2 * P * R / (P + R) if P + R else 0.0


# %% entity_scores: all sentences' spans in one set, without the sentence's number
def entity_scores(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError
    all_gold = {span for sentence in gold for span in sentence}
    all_pred = {span for sentence in predicted for span in sentence}
    tp = len(all_gold & all_pred)
    precision = tp / len(all_pred) if all_pred else 0.0
    recall = tp / len(all_gold) if all_gold else 0.0
    f1 = 2 * precision * recall / (precision + recall) if tp else 0.0
    return precision, recall, f1


# %% entity_scores: a span that is predicted twice counts twice
def entity_scores(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError("gold and predicted differ in length")
    n_right = n_gold = n_pred = 0
    for g, p in zip(gold, predicted):
        n_gold += len(g)
        n_pred += len(p)
        for span in p:
            if span in g:
                n_right += 1
    P = n_right / n_pred if n_pred > 0 else 0.0
    R = n_right / n_gold if n_gold > 0 else 0.0
    F1 = 2 * P * R / (P + R) if P + R > 0 else 0.0
    return P, R, F1


# %% labels_to_pieces: all pieces of a word get its label
def labels_to_pieces(labels, word_ids):
    out = []
    for w in word_ids:
        if w is None:
            out.append(-100)
        elif w >= len(labels):
            raise ValueError("word without a label")
        else:
            out.append(labels[w])
    return out


# %% labels_to_pieces: the last piece has the label
def labels_to_pieces(labels, word_ids):
    pieces = []
    for i, word in enumerate(word_ids):
        following = word_ids[i + 1] if i + 1 < len(word_ids) else None
        if word is None or word == following:
            pieces.append(-100)
        else:
            if not word < len(labels):
                raise ValueError("no label for this word")
            pieces.append(labels[word])
    return pieces


# %% labels_to_pieces: truthiness of the word's number, so word 0 is special
def labels_to_pieces(labels, word_ids):
    result, previous = [], None
    for w in word_ids:
        if w and w >= len(labels):
            raise ValueError(f"word {w} has no label")
        result.append(labels[w] if w and w != previous else -100)
        previous = w
    return result


# %% Tagger: F.cross_entropy's mean gives NaN if nothing is labeled
class Tagger(nn.Module):
    def __init__(self, encoder, d_model, n_labels, dropout=0.1):
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_labels)

    def forward(self, ids, mask):
        vectors = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(vectors))

    def loss(self, ids, mask, labels):
        logits = self(ids, mask)
        return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1), ignore_index=-100)


# %% Tagger: the sum is divided by the number of pieces in the mask
class Tagger(nn.Module):
    def __init__(self, encoder: nn.Module, d_model: int, n_labels: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(p=dropout)
        self.output = nn.Linear(d_model, n_labels)

    def forward(self, ids, mask):
        segments = torch.zeros(ids.shape, dtype=torch.int64)
        return self.output(self.dropout(self.encoder(ids, segments, mask)))

    def loss(self, ids, mask, labels):
        scores = self.forward(ids, mask)
        summed = F.cross_entropy(scores.transpose(1, 2), labels, reduction="sum")
        return summed / mask.sum().clamp(min=1)


# %% Tagger: returns a new zero without a graph if nothing is labeled
class Tagger(nn.Module):
    def __init__(self, encoder, d_model, n_labels, dropout=0.1):
        super().__init__()
        self.encoder, self.dropout, self.output = encoder, nn.Dropout(dropout), nn.Linear(d_model, n_labels)

    def forward(self, ids, mask):
        h = self.encoder(ids, torch.zeros_like(ids), mask)
        h = self.dropout(h)
        return self.output(h)

    def loss(self, ids, mask, labels):
        if (labels == -100).all():
            return torch.tensor(0.0)
        return F.cross_entropy(self(ids, mask).flatten(0, 1), labels.flatten())


# %% viterbi: transitions transposed
def viterbi(scores, mask, transitions, start):
    B, L, K = scores.shape
    out = torch.full((B, L), -100, dtype=torch.int64)
    for b in range(B):
        n = int(mask[b].sum())
        if n == 0:
            continue
        best = start + scores[b, 0]
        notes = []
        for t in range(1, n):
            total = best[None, :, None] + transitions.T[None]
            values, index = total[0].max(dim=0)
            notes.append(index)
            best = values + scores[b, t]
        label = int(best.argmax())
        out[b, n - 1] = label
        for t in range(n - 1, 0, -1):
            label = int(notes[t - 1][label])
            out[b, t - 1] = label
    return out


# %% viterbi: the start scores are forgotten
def viterbi(scores, mask, transitions, start):
    B, L, K = scores.shape
    labels = torch.full((B, L), -100, dtype=torch.long)
    for row in range(B):
        length = mask[row].sum().item()
        if not length:
            continue
        table = torch.zeros(length, K)
        back = torch.zeros(length, K, dtype=torch.long)
        table[0] = scores[row, 0]
        for t in range(1, length):
            for k in range(K):
                candidates = table[t - 1] + transitions[:, k]
                back[t, k] = candidates.argmax()
                table[t, k] = candidates.max() + scores[row, t, k]
        y = table[length - 1].argmax()
        for t in reversed(range(length)):
            labels[row, t] = y
            y = back[t, y]
    return labels


# %% viterbi: greedy, the best legal label given the one chosen before
def viterbi(scores, mask, transitions, start):
    paths = []
    for s, m in zip(scores, mask):
        path, previous = [], None
        for t in range(len(s)):
            if not m[t]:
                path.append(-100)
                continue
            now = s[t] + (start if previous is None else transitions[previous])
            previous = now.argmax().item()
            path.append(previous)
        paths.append(path)
    return torch.tensor(paths, dtype=torch.int64).reshape(mask.shape)


# %% PairClassifier: the mean of all vectors in place of the first
class PairClassifier(nn.Module):
    def __init__(self, encoder, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)

    def forward(self, ids, segments, mask):
        H = self.encoder(ids, segments, mask)
        pooled = (H * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        return self.output(self.dropout(pooled))

    def loss(self, ids, segments, mask, labels):
        return F.cross_entropy(self(ids, segments, mask), labels)


# %% PairClassifier: the loss gets probabilities, not scores
class PairClassifier(nn.Module):
    def __init__(self, encoder, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)

    def forward(self, ids, segments, mask):
        first = self.encoder(ids, segments, mask)[:, 0]
        return torch.softmax(self.output(self.dropout(first)), dim=-1)

    def loss(self, ids, segments, mask, labels):
        return nn.CrossEntropyLoss()(self.forward(ids, segments, mask), labels)


# %% PairClassifier: mask and segments swapped in the call of the encoder
class PairClassifier(nn.Module):
    def __init__(self, encoder, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)

    def forward(self, ids, segments, mask):
        cls_vector = self.encoder(ids, mask, segments)[:, 0, :]
        return self.output(self.dropout(cls_vector))

    def loss(self, ids, segments, mask, labels):
        logits = self(ids, segments, mask)
        return -logits.log_softmax(dim=1)[torch.arange(len(labels)), labels].mean()


# %% matthews: no root in the denominator
def matthews(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError("lengths differ")
    if any(x not in (0, 1) for x in [*gold, *predicted]):
        raise ValueError("labels other than 0 and 1")
    tp = sum(g == 1 and p == 1 for g, p in zip(gold, predicted))
    tn = sum(g == 0 and p == 0 for g, p in zip(gold, predicted))
    fp = sum(g == 0 and p == 1 for g, p in zip(gold, predicted))
    fn = sum(g == 1 and p == 0 for g, p in zip(gold, predicted))
    bottom = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / bottom if bottom else 0.0


# %% matthews: FP and FN are added in the numerator's product difference (sign)
def matthews(gold, predicted):
    if len(gold) != len(predicted) or not set(gold) <= {0, 1} or not set(predicted) <= {0, 1}:
        raise ValueError("two lists of zeros and ones of one length, please")
    table = Counter(zip(gold, predicted))
    TP, TN, FP, FN = table[1, 1], table[0, 0], table[0, 1], table[1, 0]
    denominator = math.sqrt((TP + FP) * (TP + FN) * (TN + FP) * (TN + FN))
    if denominator == 0:
        return 0.0
    return (TP * TN + FP * FN) / denominator


# %% matthews: the labels of predicted are not checked
def matthews(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError("different lengths")
    for g in gold:
        if g not in (0, 1):
            raise ValueError("label is neither 0 nor 1")
    tp = tn = fp = fn = 0
    for g, p in zip(gold, predicted):
        if g == 1:
            if p == 1:
                tp += 1
            else:
                fn += 1
        elif p == 1:
            fp += 1
        else:
            tn += 1
    d = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return 0.0 if d == 0 else (tp * tn - fp * fn) / d**0.5


# %% choice_scores: all rows go through the model, padding is set to -inf afterwards
def choice_scores(model, ids, segments, mask):
    B, K, L = ids.shape
    flat = [x.reshape(B * K, L) for x in (ids, segments, mask)]
    scores = model(*flat).reshape(B, K)
    return scores.masked_fill(~mask.any(dim=-1), float("-inf"))


# %% choice_scores: absent options get 0
def choice_scores(model, ids, segments, mask):
    is_option = mask.any(dim=2)
    out = torch.zeros(ids.shape[:2])
    out[is_option] = model(ids[is_option], segments[is_option], mask[is_option]).squeeze(-1)
    return out


# %% choice_scores: an option is there only if all its pieces are real
def choice_scores(model, ids, segments, mask):
    real = mask.all(dim=-1)
    found = model(ids[real], segments[real], mask[real])
    scores = torch.full(real.shape, -math.inf, dtype=found.dtype)
    scores[real] = found[:, 0]
    return scores


# %% answer_windows: positions without the [CLS], question + 1 in place of + 2
def answer_windows(question, context, offsets, answer, cls, sep, max_length, stride):
    if len(question) == 0:
        raise ValueError("no question")
    room = max_length - len(question) - 3
    if room < 1:
        raise ValueError("no room")
    if stride < 1 or stride > room:
        raise ValueError("bad stride")
    if answer is not None:
        hit = [i for i, (s, e) in enumerate(offsets) if s < answer[1] and e > answer[0]]
        if not hit:
            raise ValueError("no piece for the answer")
    windows = []
    start = 0
    while True:
        part = list(context[start : start + room])
        target = (0, 0)
        if answer is not None and hit[0] >= start and hit[-1] < start + len(part):
            shift = len(question) + 1 - start
            target = (hit[0] + shift, hit[-1] + shift)
        windows.append(([cls, *question, sep, *part, sep], start, target))
        if start + room >= len(context):
            return windows
        start += stride


# %% answer_windows: range over the whole context, windows after the first that reaches the end
def answer_windows(question, context, offsets, answer, cls, sep, max_length, stride):
    room = max_length - len(question) - 3
    if not question or room < 1 or not 1 <= stride <= room:
        raise ValueError("question, room or stride do not fit")
    if answer is not None:
        a, b = answer
        pieces = [i for i, (first, end) in enumerate(offsets) if first < b and end > a]
        if not pieces:
            raise ValueError("the answer has no piece")
    out = []
    for begin in range(0, len(context), stride):
        chunk = context[begin : begin + room]
        ids = [cls] + list(question) + [sep] + list(chunk) + [sep]
        if answer is not None and begin <= pieces[0] and pieces[-1] < begin + len(chunk):
            offset = len(question) + 2 - begin
            out.append((ids, begin, (pieces[0] + offset, pieces[-1] + offset)))
        else:
            out.append((ids, begin, (0, 0)))
    return out


# %% answer_windows: a cut answer is clipped to the window, not (0, 0)
def answer_windows(question, context, offsets, answer, cls, sep, max_length, stride):
    n_q = len(question)
    if n_q == 0:
        raise ValueError("the question is empty")
    space = max_length - n_q - 3
    if space <= 0:
        raise ValueError("max_length leaves no room")
    if stride <= 0 or stride > space:
        raise ValueError("stride")
    span = None
    if answer is not None:
        touched = [k for k in range(len(context)) if offsets[k][0] < answer[1] and offsets[k][1] > answer[0]]
        if len(touched) == 0:
            raise ValueError("the answer is nowhere")
        span = touched[0], touched[-1]
    result, i = [], 0
    while True:
        end = min(i + space, len(context))
        target = (0, 0)
        if span is not None:
            lo, hi = max(span[0], i), min(span[1], end - 1)
            if lo <= hi:
                target = (lo - i + n_q + 2, hi - i + n_q + 2)
        result.append(([cls] + [*question] + [sep] + [*context[i:end]] + [sep], i, target))
        if end == len(context):
            break
        i += stride
    return result


# %% best_spans: longest counts the distance, one piece too many
def best_spans(start, end, allowed, n, longest):
    spans = []
    for i in range(len(start)):
        for j in range(i, len(end)):
            if allowed[i] and allowed[j] and j - i <= longest:
                spans.append((float(start[i] + end[j]), i, j))
    spans.sort(reverse=True)
    return spans[:n]


# %% best_spans: the end may stand before the beginning
def best_spans(start, end, allowed, n, longest):
    L = len(start)
    table = start[:, None] + end[None, :]
    i, j = torch.meshgrid(torch.arange(L), torch.arange(L), indexing="ij")
    legal = allowed[:, None] & allowed[None, :] & ((j - i).abs() < longest)
    table = table.masked_fill(~legal, -math.inf)
    values, places = table.flatten().topk(min(n, int(legal.sum())))
    return [(v, p // L, p % L) for v, p in zip(values.tolist(), places.tolist())]


# %% best_spans: topk(n) without looking how many legal ones there are
def best_spans(start, end, allowed, n, longest):
    L = start.shape[0]
    sums = start.unsqueeze(1) + end.unsqueeze(0)
    ok = torch.ones(L, L, dtype=torch.bool).triu() & torch.ones(L, L, dtype=torch.bool).tril(longest - 1)
    ok &= allowed.unsqueeze(1) & allowed.unsqueeze(0)
    sums[~ok] = -float("inf")
    best = sums.flatten().topk(min(n, L * L))
    return [(s.item(), k.item() // L, k.item() % L) for s, k in zip(best.values, best.indices)]


# %% answer_scores: articles are removed before the punctuation
def answer_scores(prediction, answers):
    if not answers:
        raise ValueError("no right answer")

    def normalize(text):
        text = text.lower()
        text = re.sub(r"\b(a|an|the)\b", " ", text)
        text = "".join(ch for ch in text if ch not in string.punctuation)
        return " ".join(text.split())

    def f1(p, g):
        p, g = p.split(), g.split()
        if not p or not g:
            return float(p == g)
        common = sum((Counter(p) & Counter(g)).values())
        if common == 0:
            return 0.0
        precision, recall = common / len(p), common / len(g)
        return 2 * precision * recall / (precision + recall)

    pred = normalize(prediction)
    golds = [normalize(a) for a in answers]
    return max(float(pred == g) for g in golds), max(f1(pred, g) for g in golds)


# %% answer_scores: common words as a set
def answer_scores(prediction, answers):
    if len(answers) == 0:
        raise ValueError("at least one answer")
    table = str.maketrans("", "", string.punctuation)

    def words(text):
        return [w for w in text.lower().translate(table).split() if w not in ("a", "an", "the")]

    p = words(prediction)
    em, best = 0.0, 0.0
    for answer in answers:
        g = words(answer)
        em = max(em, float(p == g))
        if len(p) == 0 or len(g) == 0:
            score = 1.0 if p == g else 0.0
        else:
            same = len(set(p) & set(g))
            score = 2 * same / (len(p) + len(g))
        best = max(best, score)
    return em, best


# %% answer_scores: only the first right answer counts
def answer_scores(prediction, answers):
    if not answers:
        raise ValueError("nothing to compare with")
    cleaned = []
    for text in (prediction, answers[0]):
        text = "".join(c for c in text.lower() if c not in set(string.punctuation))
        cleaned.append([w for w in text.split() if w not in {"a", "an", "the"}])
    guess, right = cleaned
    exact = 1.0 if guess == right else 0.0
    if not guess or not right:
        return exact, exact
    c = sum(min(guess.count(w), right.count(w)) for w in set(guess))
    if c == 0:
        return exact, 0.0
    P, R = c / len(guess), c / len(right)
    return exact, 2 * P * R / (P + R)


# %% paired_bootstrap: the two systems' examples are drawn apart
def paired_bootstrap(a, b, n_samples, generator):
    if a.shape != b.shape:
        raise ValueError("different sizes")
    N = len(a)
    mean_a = a[torch.randint(N, (n_samples, N), generator=generator)].mean(dim=1)
    mean_b = b[torch.randint(N, (n_samples, N), generator=generator)].mean(dim=1)
    diff = mean_a - mean_b
    low, high = torch.quantile(diff, torch.tensor([0.025, 0.975])).tolist()
    return (a - b).mean().item(), low, high


# %% paired_bootstrap: the mean over the wrong axis
def paired_bootstrap(a, b, n_samples, generator):
    if a.numel() != b.numel():
        raise ValueError("a and b must have the same size")
    d = a - b
    drawn = d[torch.randint(len(d), (n_samples, len(d)), generator=generator)]
    means = drawn.mean(0)
    return d.mean().item(), torch.quantile(means, 0.025).item(), torch.quantile(means, 0.975).item()


# %% paired_bootstrap: quantiles 0.05 and 0.95
def paired_bootstrap(a, b, n_samples, generator):
    if len(a) != len(b):
        raise ValueError
    difference = a - b
    N = difference.shape[0]
    picks = torch.randint(N, (n_samples, N), generator=generator)
    means = torch.stack([difference[row].mean() for row in picks])
    return float(difference.mean()), float(means.quantile(0.05)), float(means.quantile(0.95))


# %% ngram_overlap: distinct n-grams, a set in place of a count
def ngram_overlap(texts, others, n):
    def grams(words):
        return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}

    known = set().union(*(grams(o) for o in others)) if others else set()
    shares = []
    for text in texts:
        own = grams(text)
        shares.append(len(own & known) / len(own) if own else 0.0)
    return shares


# %% ngram_overlap: the last n-gram is missing
def ngram_overlap(texts, others, n):
    seen = set()
    for other in others:
        for i in range(len(other) - n):
            seen.add(tuple(other[i : i + n]))
    result = []
    for text in texts:
        grams = [tuple(text[i : i + n]) for i in range(len(text) - n)]
        if not grams:
            result.append(0.0)
            continue
        result.append(sum(g in seen for g in grams) / len(grams))
    return result


# %% ngram_overlap: the other texts are joined, n-grams cross from one into the next
def ngram_overlap(texts, others, n):
    everything = [word for other in others for word in other]
    index = set(zip(*(everything[k:] for k in range(n))))
    shares = []
    for text in texts:
        rows = list(zip(*(text[k:] for k in range(n))))
        shares.append(sum(row in index for row in rows) / len(rows) if rows else 0.0)
    return shares
