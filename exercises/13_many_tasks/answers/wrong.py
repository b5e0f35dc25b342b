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
