# %% labels_to_spans: only a B- opens | drops_what_never_began
def labels_to_spans(labels):
    spans, i = [], 0
    for label in labels:
        if label != "O" and (label[:2] not in ("B-", "I-") or len(label) < 3):
            raise ValueError(label)
    while i < len(labels):
        if labels[i].startswith("B-"):
            j = i + 1
            while j < len(labels) and labels[j] == "I-" + labels[i][2:]:
                j += 1
            spans.append((i, j, labels[i][2:]))
            i = j
        else:
            i += 1
    return spans


# %% labels_to_spans: the last word's number | end_is_last_word
def labels_to_spans(labels):
    spans = []
    for i, label in enumerate(labels):
        if label == "O":
            continue
        if not re.fullmatch(r"[BI]-.+", label):
            raise ValueError(label)
        kind = label[2:]
        goes_on = label[0] == "I" and spans and spans[-1][1] == i - 1 and spans[-1][2] == kind
        if goes_on:
            spans[-1] = (spans[-1][0], i, kind)
        else:
            spans.append((i, i, kind))
    return spans


# %% spans_to_labels: writes over | overlap_overwritten
def spans_to_labels(spans, n_words):
    labels = ["O"] * n_words
    for first, end, kind in spans:
        if first < 0 or end > n_words or first >= end:
            raise ValueError("outside")
        for i in range(first, end):
            labels[i] = ("B-" if i == first else "I-") + kind
    return labels


# %% spans_to_labels: B for all | all_begin
def spans_to_labels(spans, n_words):
    labels = ["O"] * n_words
    for first, end, kind in spans:
        if first < 0 or end > n_words or first >= end or any(x != "O" for x in labels[first:end]):
            raise ValueError("outside")
        for i in range(first, end):
            labels[i] = "B-" + kind
    return labels


# %% entity_scores: averages over sentences | mean_over_sentences
def entity_scores(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError
    if not gold:
        return 0.0, 0.0, 0.0
    P = R = F = 0.0
    for g, p in zip(gold, predicted):
        right = len(set(g) & set(p))
        one = right / len(set(p)) if p else 0.0
        two = right / len(set(g)) if g else 0.0
        P, R = P + one / len(gold), R + two / len(gold)
        F += (2 * one * two / (one + two) if right else 0.0) / len(gold)
    return P, R, F


# %% entity_scores: precision and recall exchanged | swapped
def entity_scores(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError
    tp = sum(len(set(g) & set(p)) for g, p in zip(gold, predicted))
    n_g, n_p = sum(len(set(g)) for g in gold), sum(len(set(p)) for p in predicted)
    return tp / n_g if n_g else 0.0, tp / n_p if n_p else 0.0, 2 * tp / max(1, n_g + n_p)


# %% labels_to_pieces: every piece | all_pieces
def labels_to_pieces(labels, word_ids):
    out = []
    for w in word_ids:
        if w is None:
            out.append(-100)
        elif w >= len(labels):
            raise ValueError(w)
        else:
            out.append(labels[w])
    return out


# %% labels_to_pieces: zero for the rest | zeros_elsewhere
def labels_to_pieces(labels, word_ids):
    out, last = [], None
    for w in word_ids:
        if w is not None and w >= len(labels):
            raise ValueError(w)
        out.append(labels[w] if w is not None and w != last else 0)
        last = w
    return out


# %% Tagger: the loss over all positions | divides_by_all
# edits: picks the labeled pieces
# -         chosen = labels >= 0
# -         if chosen.sum() == 0:
# -             return scores.sum() * 0.0
# -         return F.cross_entropy(scores[chosen], labels[chosen])
# +         return F.cross_entropy(scores.mT, labels, reduction="none").mean()


# %% Tagger: cross_entropy's own mean | nan_without_labels
# edits: picks the labeled pieces
# -         chosen = labels >= 0
# -         if chosen.sum() == 0:
# -             return scores.sum() * 0.0
# -         return F.cross_entropy(scores[chosen], labels[chosen])
# +         return F.cross_entropy(scores.flatten(0, 1), labels.flatten())


# %% viterbi: argmax of every word | each_alone
def viterbi(scores, mask, transitions, start):
    return torch.where(mask, scores.max(dim=2).indices, -100)


# %% viterbi: left to right | greedy
def viterbi(scores, mask, transitions, start):
    now = (scores[:, 0] + start).argmax(-1)
    out = [now]
    for t in range(1, scores.shape[1]):
        now = (scores[:, t] + transitions[now]).argmax(-1)
        out.append(now)
    return torch.stack(out, 1).masked_fill(~mask, -100)


# %% PairClassifier: mean pooling | mean_of_all
# edits: nll
# -         return self.output(self.dropout(vectors[:, 0]))
# +         return self.output(self.dropout(vectors.mean(1)))


# %% PairClassifier: no segments | segments_ignored
# edits: nll
# -         vectors = self.encoder(ids, segments, mask)
# +         vectors = self.encoder(ids, ids * 0, mask)


# %% matthews: accuracy | accuracy
def matthews(gold, predicted):
    if len(gold) != len(predicted) or set(gold) | set(predicted) > {0, 1}:
        raise ValueError
    if not set(gold) | set(predicted) <= {0, 1}:
        raise ValueError
    return sum(g == p for g, p in zip(gold, predicted)) / len(gold) if gold else 0.0


# %% matthews: nan from the library's habit | nan_for_constants
def matthews(gold, predicted):
    if len(gold) != len(predicted) or not set(gold) | set(predicted) <= {0, 1}:
        raise ValueError
    n, s, t = len(gold), sum(gold), sum(predicted)
    both = sum(g * p for g, p in zip(gold, predicted))
    below = math.sqrt(s * (n - s) * t * (n - t))
    return (n * both - s * t) / below if below else float("nan")


# %% choice_scores: hides afterwards | padding_scored_and_hidden
def choice_scores(model, ids, segments, mask):
    B, K, L = ids.shape
    s = model(ids.view(B * K, L), segments.view(B * K, L), mask.view(B * K, L)).view(B, K)
    return torch.where(mask.any(-1), s, float("-inf"))


# %% choice_scores: a question at a time | question_by_question
def choice_scores(model, ids, segments, mask):
    rows = []
    for i, s, m in zip(ids, segments, mask):
        real = m.any(-1)
        row = torch.full((len(i),), -math.inf)
        if real.any():
            row[real] = model(i[real], s[real], m[real]).squeeze(-1)
        rows.append(row)
    return torch.stack(rows)


# %% answer_windows: positions in the paragraph | counted_in_the_paragraph
# -             shift = len(question) + 2 - first
# -             target = (pieces[0] + shift, pieces[-1] + shift)
# +             target = (pieces[0], pieces[-1])


# %% answer_windows: forgets where the window begins | window_start_forgotten
# -             shift = len(question) + 2 - first
# +             shift = 2 + len(question)


# %% best_spans: two argmaxes | best_of_each
def best_spans(start, end, allowed, n, longest):
    s = torch.where(allowed, start, -math.inf)
    e = torch.where(allowed, end, -math.inf)
    m = min(n, int(allowed.sum()))
    begins, ends = s.argsort(descending=True)[:m], e.argsort(descending=True)[:m]
    return [((s[i] + e[j]).item(), i.item(), j.item()) for i, j in zip(begins, ends)]


# %% best_spans: any length | any_length
def best_spans(start, end, allowed, n, longest):
    found = []
    for i in range(len(start)):
        for j in range(i, len(end)):
            if allowed[i] and allowed[j]:
                found.append(((start[i] + end[j]).item(), i, j))
    return sorted(found, reverse=True)[:n]


# %% answer_scores: spaces for marks | punctuation_to_spaces
def answer_scores(prediction, answers):
    if not answers:
        raise ValueError

    def words(text):
        text = re.sub("[" + re.escape(string.punctuation) + "]", " ", text.lower())
        return [w for w in text.split() if w not in ("a", "an", "the")]

    p, em, f1 = words(prediction), 0.0, 0.0
    for answer in answers:
        g = words(answer)
        em = max(em, float(p == g))
        common = sum((Counter(p) & Counter(g)).values())
        f1 = max(f1, 2 * common / (len(p) + len(g)) if p and g else float(p == g))
    return em, f1


# %% answer_scores: the first answer | first_answer_only
def answer_scores(prediction, answers):
    if not answers:
        raise ValueError

    def words(text):
        text = re.sub("[" + re.escape(string.punctuation) + "]", "", text.lower())
        return [w for w in text.split() if w not in ("a", "an", "the")]

    p, g = words(prediction), words(answers[0])
    common = sum((Counter(p) & Counter(g)).values())
    return float(p == g), 2 * common / (len(p) + len(g)) if p and g else float(p == g)


# %% paired_bootstrap: two draws | unpaired
def paired_bootstrap(a, b, n_samples, generator):
    if a.shape != b.shape:
        raise ValueError
    N = len(a)
    i = torch.randint(N, (n_samples, N), generator=generator)
    j = torch.randint(N, (n_samples, N), generator=generator)
    means = a.double()[i].mean(1) - b.double()[j].mean(1)
    low, high = torch.quantile(means, torch.tensor([0.025, 0.975]).double()).tolist()
    return (a.double() - b.double()).mean().item(), low, high


# %% paired_bootstrap: ninety percent | ninety_percent
def paired_bootstrap(a, b, n_samples, generator):
    if a.shape != b.shape:
        raise ValueError
    d = a.double() - b.double()
    means = d[torch.randint(len(d), (n_samples, len(d)), generator=generator)].mean(1)
    return d.mean().item(), means.quantile(0.05).item(), means.quantile(0.95).item()


# %% ngram_overlap: sets of n-grams | counts_each_once
def ngram_overlap(texts, others, n):
    def grams(words):
        return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}

    known = set().union(*map(grams, others)) if others else set()
    return [len(grams(t) & known) / len(grams(t)) if grams(t) else 0.0 for t in texts]


# %% ngram_overlap: one long text | across_texts
def ngram_overlap(texts, others, n):
    def grams(words):
        return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]

    known = set(grams([w for words in others for w in words]))
    found = [grams(t) for t in texts]
    return [sum(g in known for g in gs) / len(gs) if gs else 0.0 for gs in found]


# %% labels_to_spans: an I- after an O is dropped, not repaired | drops_after_o
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


# %% spans_to_labels: the end is taken as inclusive | end_included
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


# %% spans_to_labels: overlaps are only looked for at the first word of a span | overlap_at_the_first_word
def spans_to_labels(spans, n_words):
    tags = n_words * ["O"]
    for start, stop, kind in spans:
        if not 0 <= start < stop <= n_words:
            raise ValueError(f"({start}, {stop}) is not in the sentence")
        if tags[start] != "O":
            raise ValueError("two entities share a word")
        tags[start:stop] = [f"B-{kind}"] + [f"I-{kind}"] * (stop - start - 1)
    return tags


# %% spans_to_labels: an empty span is skipped | empty_spans_skipped
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


# %% entity_scores: macro average, the mean of the sentences' values | f1_of_the_means
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


# %% entity_scores: a span that is predicted twice counts twice | repeats_count_as_right
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


# %% labels_to_pieces: truthiness of the word's number, so word 0 is special | word_0_is_special
def labels_to_pieces(labels, word_ids):
    result, previous = [], None
    for w in word_ids:
        if w and w >= len(labels):
            raise ValueError(f"word {w} has no label")
        result.append(labels[w] if w and w != previous else -100)
        previous = w
    return result


# %% Tagger: the sum is divided by the number of pieces in the mask | divides_by_real
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


# %% Tagger: returns a new zero without a graph if nothing is labeled | zero_without_gradient
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


# %% PairClassifier: the mean of all vectors in place of the first | mean_of_the_real_ones
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


# %% PairClassifier: the loss gets probabilities, not scores | probabilities
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


# %% PairClassifier: mask and segments swapped in the call of the encoder | mask_before_segments
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


# %% matthews: the labels of predicted are not checked | predicted_unchecked
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


# %% choice_scores: an option is there only if all its pieces are real | padded_options_missing
def choice_scores(model, ids, segments, mask):
    real = mask.all(dim=-1)
    found = model(ids[real], segments[real], mask[real])
    scores = torch.full(real.shape, -math.inf, dtype=found.dtype)
    scores[real] = found[:, 0]
    return scores


# %% best_spans: longest counts the distance, one piece too many | one_piece_too_long
def best_spans(start, end, allowed, n, longest):
    spans = []
    for i in range(len(start)):
        for j in range(i, len(end)):
            if allowed[i] and allowed[j] and j - i <= longest:
                spans.append((float(start[i] + end[j]), i, j))
    spans.sort(reverse=True)
    return spans[:n]


# %% paired_bootstrap: the mean over the wrong axis | mean_over_the_draws
def paired_bootstrap(a, b, n_samples, generator):
    if a.numel() != b.numel():
        raise ValueError("a and b must have the same size")
    d = a - b
    drawn = d[torch.randint(len(d), (n_samples, len(d)), generator=generator)]
    means = drawn.mean(0)
    return d.mean().item(), torch.quantile(means, 0.025).item(), torch.quantile(means, 0.975).item()


# %% Tagger: labels above 0 only | label_0_not_counted
class Tagger(nn.Module):
    def __init__(self, encoder, d_model, n_labels, dropout=0.1):
        super().__init__()
        self.encoder, self.dropout, self.output = encoder, nn.Dropout(dropout), nn.Linear(d_model, n_labels)
    def forward(self, ids, mask):
        return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
    def loss(self, ids, mask, labels):
        total = F.cross_entropy(self(ids, mask).flatten(0, 1), labels.flatten(), reduction="sum")
        return total / (labels > 0).sum().clamp(min=1)


# %% Tagger: segments of bool | no_whole_segments
class Tagger(nn.Module):
    def __init__(self, encoder, d_model, n_labels, dropout=0.1):
        super().__init__()
        self.encoder, self.dropout, self.output = encoder, nn.Dropout(dropout), nn.Linear(d_model, n_labels)
    def forward(self, ids, mask):
        return self.output(self.dropout(self.encoder(ids, torch.zeros_like(mask), mask)))
    def loss(self, ids, mask, labels):
        total = F.cross_entropy(self(ids, mask).flatten(0, 1), labels.flatten(), reduction="sum")
        return total / (labels != -100).sum().clamp(min=1)


# %% spans_to_labels: inclusive, a single word has equal numbers | end_is_the_last_word
def spans_to_labels(spans, n_words):
    labels = ["O"] * n_words
    for a, b, kind in spans:
        if a < 0 or b >= n_words or a > b:
            raise ValueError("outside")
        for i in range(a, b + 1):
            if labels[i] != "O":
                raise ValueError("taken")
            labels[i] = "B-" + kind if i == a else "I-" + kind
    return labels


# %% spans_to_labels: a <= b, labels[a] set | empty_span_labeled
def spans_to_labels(spans, n_words):
    labels = ["O"] * n_words
    for a, b, kind in spans:
        if a < 0 or b > n_words or a > b:
            raise ValueError("outside")
        if any(x != "O" for x in labels[a:b]):
            raise ValueError("overlap")
        labels[a] = "B-" + kind
        for i in range(a + 1, b):
            labels[i] = "I-" + kind
    return labels


# %% matthews: gold unchecked, predicted checked | gold_unchecked
def matthews(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError("different lengths")
    tp = tn = fp = fn = 0
    for g, p in zip(gold, predicted):
        if p not in (0, 1):
            raise ValueError("label")
        if g == p == 1:
            tp += 1
        elif g == p:
            tn += 1
        elif p:
            fp += 1
        else:
            fn += 1
    d = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return 0.0 if d == 0 else (tp * tn - fp * fn) / d**0.5


# %% PairClassifier: the last real vector | last_real_vector
class PairClassifier(nn.Module):
    def __init__(self, encoder, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.encoder, self.dropout, self.output = encoder, nn.Dropout(dropout), nn.Linear(d_model, n_classes)
    def forward(self, ids, segments, mask):
        H = self.encoder(ids, segments, mask)
        H = H[torch.arange(len(H)), mask.sum(1) - 1]
        return self.output(self.dropout(H))
    def loss(self, ids, segments, mask, labels):
        return F.cross_entropy(self(ids, segments, mask), labels)


# %% PairClassifier: log_softmax in forward | log_probabilities
class PairClassifier(nn.Module):
    def __init__(self, encoder, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.encoder, self.dropout, self.output = encoder, nn.Dropout(dropout), nn.Linear(d_model, n_classes)
    def forward(self, ids, segments, mask):
        return F.log_softmax(self.output(self.dropout(self.encoder(ids, segments, mask)[:, 0])), dim=1)
    def loss(self, ids, segments, mask, labels):
        return F.nll_loss(self(ids, segments, mask), labels)


# %% labels_to_spans: I- of another kind dropped, after O begins | drops_another_kind
def labels_to_spans(labels):
    for l in labels:
        if l != "O" and (l[:2] not in ("B-", "I-") or len(l) == 2):
            raise ValueError(l)
    out, first, kind = [], None, None
    for i, l in enumerate([*labels, "O"]):
        if l[0] == "I" and kind is None:
            first, kind = i, l[2:]
        elif l[0] == "I" and l[2:] == kind:
            continue
        else:
            if kind is not None:
                out.append((first, i, kind))
                first = kind = None
            if l[0] == "B":
                first, kind = i, l[2:]
    return out


# %% entity_scores: macro, sentences without predictions are left out | means_of_some_sentences
def entity_scores(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError
    ps = [len(set(g) & set(p)) / len(set(p)) for g, p in zip(gold, predicted) if p]
    rs = [len(set(g) & set(p)) / len(set(g)) for g, p in zip(gold, predicted) if g]
    P = sum(ps) / len(ps) if ps else 0.0
    R = sum(rs) / len(rs) if rs else 0.0
    return P, R, 2 * P * R / (P + R) if P + R else 0.0


# %% entity_scores: repeats, counts with lists | repeats_in_all_counts
def entity_scores(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError
    tp = fp = fn = 0
    for g, p in zip(gold, predicted):
        for s in p:
            if s in g:
                tp += 1
            else:
                fp += 1
        for s in g:
            if s not in p:
                fn += 1
    P = tp / (tp + fp) if tp + fp else 0.0
    R = tp / (tp + fn) if tp + fn else 0.0
    return P, R, 2 * P * R / (P + R) if P + R else 0.0


# %% labels_to_pieces: previous begins with 0 | begins_after_word_0
def labels_to_pieces(labels, word_ids):
    out, prev = [], 0
    for w in word_ids:
        if w is None or w == prev:
            out.append(-100)
        elif w >= len(labels):
            raise ValueError
        else:
            out.append(labels[w])
        prev = w
    return out


# %% choice_scores: first piece | first_piece_decides
def choice_scores(model, ids, segments, mask):
    real = mask[..., 0]
    out = torch.full(ids.shape[:2], float("-inf"))
    out[real] = model(ids[real], segments[real], mask[real]).squeeze(1)
    return out


# %% best_spans: j - i + 1 < longest | one_piece_too_short
def best_spans(start, end, allowed, n, longest):
    found = []
    for i in range(len(start)):
        for j in range(i, len(end)):
            if allowed[i] and allowed[j] and j - i + 1 < longest:
                found.append((float(start[i] + end[j]), i, j))
    found.sort(key=lambda x: -x[0])
    return found[:n]


# %% paired_bootstrap: no mean | without_means
def paired_bootstrap(a, b, n_samples, generator):
    if len(a) != len(b):
        raise ValueError
    d = (a - b)[torch.randint(len(a), (n_samples, len(a)), generator=generator)]
    q = torch.quantile(d, torch.tensor([0.025, 0.975]))
    return (a - b).mean().item(), q[0].item(), q[1].item()


# %% labels_to_spans: the kind is cut at its last hyphen, B- is accepted | kind_after_the_last_hyphen
def labels_to_spans(labels):
    out = []
    cur = None
    for i, lab in enumerate(list(labels) + ["O"]):
        parts = lab.split("-")
        tag, kind = parts[0], parts[-1]
        if tag not in {"O", "B", "I"}:
            raise ValueError("strange label " + lab)
        if cur is not None and (tag != "I" or kind != cur[1]):
            out.append((cur[0], i, cur[1]))
            cur = None
        if tag == "B" or (tag == "I" and cur is None):
            cur = (i, kind)
    return out


# %% spans_to_labels: overlap is looked for in the given order | order_of_the_list
def spans_to_labels(spans, n_words):
    labels = ["O" for _ in range(n_words)]
    previous_end = 0
    for a, b, kind in spans:
        if not 0 <= a < b <= n_words:
            raise ValueError(f"bad span {(a, b)}")
        if a < previous_end:
            raise ValueError("overlap")
        labels[a:b] = [f"B-{kind}"] + [f"I-{kind}"] * (b - a - 1)
        previous_end = b
    return labels


# %% spans_to_labels: negative beginnings and empty spans are not noticed | only_the_end_checked
def spans_to_labels(spans, n_words):
    tags = n_words * ["O"]
    for start, stop, kind in sorted(spans):
        if stop > n_words:
            raise ValueError("the span leaves the sentence")
        if any(t != "O" for t in tags[start:stop]):
            raise ValueError("the spans overlap")
        for j in range(start, stop):
            tags[j] = "I-" + kind
        if start < stop:
            tags[start] = "B-" + kind
    return tags


# %% labels_to_pieces: raises when there are fewer words than labels | left_over_refused
def labels_to_pieces(labels, word_ids):
    n = len({w for w in word_ids if w is not None})
    if n != len(labels):
        raise ValueError("words and labels do not belong together")
    last = None
    pieces = []
    for w in word_ids:
        pieces.append(labels[w] if w is not None and w != last else -100)
        last = w
    return pieces


# %% best_spans: only the beginning has to be allowed | only_beginning_allowed
def best_spans(start, end, allowed, n, longest):
    found = []
    L = len(start)
    for i in range(L):
        if not allowed[i]:
            continue
        for j in range(i, min(i + longest, L)):
            found.append(((start[i] + end[j]).item(), i, j))
    found.sort(key=lambda t: t[0], reverse=True)
    return found[:n]


# %% answer_scores: F1 of the answer with the best exact match | f1_of_the_best_match
def answer_scores(prediction, answers):
    if not answers:
        raise ValueError("a question needs a right answer")

    def norm(t):
        t = t.lower().translate(str.maketrans("", "", string.punctuation))
        return [w for w in t.split() if w not in ("a", "an", "the")]

    pred = norm(prediction)
    results = []
    for ans in answers:
        ref = norm(ans)
        if not pred or not ref:
            f = 1.0 if pred == ref else 0.0
        else:
            both = sum((Counter(pred) & Counter(ref)).values())
            prec, rec = both / len(pred), both / len(ref)
            f = 2 * prec * rec / (prec + rec) if both else 0.0
        results.append((1.0 if pred == ref else 0.0, f))
    return max(results, key=lambda r: r[0])


# %% spans_to_labels: a negative beginning, empty spans are noticed | negative_beginning
def spans_to_labels(spans, n_words):
    out = ["O"] * n_words
    for a, b, kind in spans:
        if a >= b or b > n_words:
            raise ValueError("bad span")
        for i in range(a, b):
            if out[i] != "O" and i >= 0:
                raise ValueError("overlap")
            out[i] = "B-" + kind if i == a else "I-" + kind
    return out


# %% labels_to_spans: asks for a hyphen, not for a kind | kind_missing_accepted
def labels_to_spans(labels):
    spans, first, kind = [], 0, None
    for i, label in enumerate([*labels, "O"]):
        mark, _, name = label.partition("-")
        if label != "O" and (mark not in ("B", "I") or "-" not in label):
            raise ValueError(label)
        if kind is not None and not (mark == "I" and name == kind):
            spans.append((first, i, kind))
            kind = None
        if mark != "O" and kind is None:
            first, kind = i, name
    return spans


# %% spans_to_labels: a set of spans | repeated_span_accepted
def spans_to_labels(spans, n_words):
    labels = ["O"] * n_words
    for first, end, kind in sorted(set(map(tuple, spans))):
        if not 0 <= first < end <= n_words:
            raise ValueError("outside")
        if any(label != "O" for label in labels[first:end]):
            raise ValueError("overlap")
        labels[first] = f"B-{kind}"
        for i in range(first + 1, end):
            labels[i] = f"I-{kind}"
    return labels


# %% spans_to_labels: looks at the words around, too | neighbors_refused
def spans_to_labels(spans, n_words):
    labels = ["O"] * n_words
    for first, end, kind in spans:
        if not 0 <= first < end <= n_words:
            raise ValueError("outside")
        if any(label != "O" for label in labels[max(0, first - 1) : end + 1]):
            raise ValueError("overlap")
        labels[first] = f"B-{kind}"
        for i in range(first + 1, end):
            labels[i] = f"I-{kind}"
    return labels


# %% entity_scores: perfect on sentences without entities | perfect_if_there_is_nothing
def entity_scores(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError("sentences")
    right = n_predicted = n_gold = 0
    for g, p in zip(gold, predicted):
        g, p = set(g), set(p)
        right += len(g & p)
        n_predicted += len(p)
        n_gold += len(g)
    if n_predicted == 0 and n_gold == 0:
        return 1.0, 1.0, 1.0
    P = right / n_predicted if n_predicted else 0.0
    R = right / n_gold if n_gold else 0.0
    return P, R, 2 * P * R / (P + R) if P + R else 0.0


# %% entity_scores: overlap | shared_word_is_enough
def entity_scores(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError("sentences")
    right = n_predicted = n_gold = 0
    for g, p in zip(gold, predicted):
        g, p = set(g), set(p)
        for a, b, kind in p:
            right += any(max(a, c) < min(b, d) and kind == other for c, d, other in g)
        n_predicted += len(p)
        n_gold += len(g)
    P = right / n_predicted if n_predicted else 0.0
    R = right / n_gold if n_gold else 0.0
    return P, R, 2 * P * R / (P + R) if P + R else 0.0


# %% Tagger: dropout after the linear layer | dropout_on_the_scores
# -         return self.output(self.dropout(self.encoder(ids, torch.zeros_like(ids), mask)))
# +         return self.dropout(self.output(self.encoder(ids, torch.zeros_like(ids), mask)))


# %% viterbi: only the transitions are masked | scores_of_padding_added
def viterbi(scores, mask, transitions, start):
    B, L, K = scores.shape
    best, notes = start + scores[:, 0], []
    for t in range(1, L):
        top, before = (best.unsqueeze(2) + transitions).max(dim=1)
        real = mask[:, t].unsqueeze(1)
        notes.append(torch.where(real, before, torch.arange(K)))
        best = torch.where(real, top, best) + scores[:, t]
    label = best.argmax(dim=1)
    result = torch.full((B, L), -100)
    for t in range(L - 1, -1, -1):
        result[:, t] = torch.where(mask[:, t], label, -100)
        if t > 0:
            label = notes[t - 1].gather(1, label.unsqueeze(1)).squeeze(1)
    return result


# %% PairClassifier: the mask as nn.MultiheadAttention wants it | mask_upside_down
# edits: nll
# -         vectors = self.encoder(ids, segments, mask)
# +         vectors = self.encoder(ids, segments, ~mask)


# %% PairClassifier: BERT's pooler | tanh_before_the_layer
# edits: nll
# -         return self.output(self.dropout(vectors[:, 0]))
# +         return self.output(self.dropout(torch.tanh(vectors[:, 0])))


# %% matthews: all right is 1 | equal_lists_are_one
def matthews(gold, predicted):
    if len(gold) != len(predicted) or not {*gold, *predicted} <= {0, 1}:
        raise ValueError("lists")
    if list(gold) == list(predicted):
        return 1.0
    counts = Counter(zip(gold, predicted))
    tp, tn, fp, fn = counts[1, 1], counts[0, 0], counts[0, 1], counts[1, 0]
    below = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return (tp * tn - fp * fn) / below if below else 0.0


# %% matthews: refuses empty lists | empty_lists_refused
def matthews(gold, predicted):
    if len(gold) == 0 or len(gold) != len(predicted):
        raise ValueError("lengths")
    if any(label not in (0, 1) for label in [*gold, *predicted]):
        raise ValueError("labels")
    counts = Counter(zip(gold, predicted))
    tp, tn, fp, fn = counts[1, 1], counts[0, 0], counts[0, 1], counts[1, 0]
    below = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return (tp * tn - fp * fn) / below if below else 0.0


# %% choice_scores: a column at a time | place_by_place
def choice_scores(model, ids, segments, mask):
    real = mask.any(-1)
    columns = []
    for k in range(ids.shape[1]):
        rows = real[:, k]
        column = torch.full((len(ids),), -math.inf)
        if rows.any():
            column[rows] = model(ids[rows, k], segments[rows, k], mask[rows, k]).squeeze(-1)
        columns.append(column)
    return torch.stack(columns, dim=1)


# %% choice_scores: a large negative number | large_negative_for_missing
def choice_scores(model, ids, segments, mask):
    real = mask.any(dim=-1)
    found = model(ids[real], segments[real], mask[real]).squeeze(-1)
    scores = found.new_full(real.shape, -10000.0)
    scores[real] = found
    return scores


# %% answer_windows: the stride has to be below the room | stride_of_the_room_refused
# -     if not question or room < 1 or not 1 <= stride <= room:
# +     if not question or room < 1 or stride < 1 or stride >= room:


# %% best_spans: the n best of each, combined | only_the_best_ends
def best_spans(start, end, allowed, n, longest):
    k, found = min(n, len(start)), []
    for i in start.topk(k).indices.tolist():
        for j in end.topk(k).indices.tolist():
            if allowed[i] and allowed[j] and i <= j < i + longest:
                found.append(((start[i] + end[j]).item(), i, j))
    return sorted(found, reverse=True)[:n]


# %% best_spans: log-probabilities | log_probabilities
def best_spans(start, end, allowed, n, longest):
    s, e = torch.log_softmax(start, 0), torch.log_softmax(end, 0)
    found = []
    for i in range(len(s)):
        for j in range(i, min(len(e), i + longest)):
            if allowed[i] and allowed[j]:
                found.append(((s[i] + e[j]).item(), i, j))
    return sorted(found, reverse=True)[:n]


# %% answer_scores: strips the words | punctuation_inside_kept
def answer_scores(prediction, answers):
    if not answers:
        raise ValueError

    def words(text):
        text = " ".join(w.strip(string.punctuation) for w in text.lower().split())
        return re.sub(r"\b(a|an|the)\b", " ", text).split()

    p, em, f1 = words(prediction), 0.0, 0.0
    for answer in answers:
        g = words(answer)
        em = max(em, float(p == g))
        common = sum((Counter(p) & Counter(g)).values())
        f1 = max(f1, 2 * common / (len(p) + len(g)) if p and g else float(p == g))
    return em, f1


# %% paired_bootstrap: 1.96 standard deviations | normal_interval_unbiased
def paired_bootstrap(a, b, n_samples, generator):
    if a.shape != b.shape:
        raise ValueError
    d = a - b
    rows = torch.randint(len(d), (n_samples, len(d)), generator=generator)
    means = d[rows].mean(dim=1)
    middle, spread = d.mean().item(), means.std().item()
    return middle, middle - 1.96 * spread, middle + 1.96 * spread


# %% ngram_overlap: strings without spaces | words_glued_together
def ngram_overlap(texts, others, n):
    def grams(words):
        return ["".join(words[i : i + n]) for i in range(len(words) - n + 1)]

    known = {g for words in others for g in grams(words)}
    found = [grams(t) for t in texts]
    return [sum(g in known for g in gs) / len(gs) if gs else 0.0 for gs in found]


# %% ngram_overlap: only texts that have an n-gram | short_texts_left_out
def ngram_overlap(texts, others, n):
    def grams(words):
        return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]

    known = {g for words in others for g in grams(words)}
    shares = []
    for words in texts:
        own = grams(words)
        if own:
            shares.append(sum(g in known for g in own) / len(own))
    return shares


# %% matthews: divides by 0 | divides_by_zero
def matthews(gold, predicted):
    if len(gold) != len(predicted):
        raise ValueError("different lengths")
    if any(x not in (0, 1) for x in (*gold, *predicted)):
        raise ValueError("labels are 0 or 1")
    pairs = list(zip(gold, predicted))
    tp, tn = pairs.count((1, 1)), pairs.count((0, 0))
    fp, fn = pairs.count((0, 1)), pairs.count((1, 0))
    return (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


# %% best_spans: combines only the n best | only_the_best_allowed_ends
def best_spans(start, end, allowed, n, longest):
    k = min(n, len(start))
    begins = start.masked_fill(~allowed, -math.inf).topk(k).indices.tolist()
    ends = end.masked_fill(~allowed, -math.inf).topk(k).indices.tolist()
    found = []
    for i in begins:
        for j in ends:
            if allowed[i] and allowed[j] and i <= j < i + longest:
                found.append(((start[i] + end[j]).item(), i, j))
    return sorted(found, key=lambda span: -span[0])[:n]


# %% answer_scores: strings in which an article leaves its spaces | exact_with_spaces
def answer_scores(prediction, answers):
    def norm(text):
        text = "".join(c for c in text.lower() if c not in string.punctuation)
        return re.sub(r"\b(a|an|the)\b", "", text)

    if len(answers) == 0:
        raise ValueError("no right answer")
    exact = best = 0.0
    for answer in answers:
        p, r = norm(prediction), norm(answer)
        exact = max(exact, float(p == r))
        p, r = p.split(), r.split()
        common = sum((Counter(p) & Counter(r)).values())
        if not p or not r:
            best = max(best, float(p == r))
        elif common:
            P, R = common / len(p), common / len(r)
            best = max(best, 2 * P * R / (P + R))
    return exact, best


# %% answer_scores: articles count for the exact match | exact_with_articles
def answer_scores(prediction, answers):
    def plain(text):
        return " ".join("".join(c for c in text.lower() if c not in string.punctuation).split())

    def words(text):
        return [w for w in plain(text).split() if w not in ("a", "an", "the")]

    if len(answers) == 0:
        raise ValueError("no right answer")
    exact = best = 0.0
    for answer in answers:
        p, r = words(prediction), words(answer)
        exact = max(exact, float(plain(prediction) == plain(answer) or (not p and not r)))
        common = sum((Counter(p) & Counter(r)).values())
        if not p or not r:
            best = max(best, float(p == r))
        elif common:
            P, R = common / len(p), common / len(r)
            best = max(best, 2 * P * R / (P + R))
    return exact, best
