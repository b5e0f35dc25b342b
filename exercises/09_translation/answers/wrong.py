# %% translation_batch: no end for the encoder | source_without_end
def translation_batch(sources, targets, bos, eos):
    if not sources or len(sources) != len(targets):
        raise ValueError("not one target for each source")
    source, mask = pad_batch(sources)
    y_in, _ = pad_batch([[bos] + t for t in targets])
    y_out, _ = pad_batch([t + [eos] for t in targets])
    return source, mask, y_in, y_out


# %% translation_batch: the mask from the ids | mask_from_ids
def translation_batch(sources, targets, bos, eos):
    if not sources or len(sources) != len(targets):
        raise ValueError("not one target for each source")
    source = pad_batch([s + [eos] for s in sources])[0]
    y_in = pad_batch([[bos] + t for t in targets])[0]
    y_out = pad_batch([t + [eos] for t in targets])[0]
    return source, source.ne(0), y_in, y_out


# %% translation_batch: targets without their end | output_without_end
def translation_batch(sources, targets, bos, eos):
    if not sources or len(sources) != len(targets):
        raise ValueError("not one target for each source")
    source, mask = pad_batch([list(s) + [eos] for s in sources])
    y_in, _ = pad_batch([[bos] + list(t) for t in targets])
    y_out, _ = pad_batch([list(t) for t in targets])
    return source, mask, y_in, y_out


# %% TranslationEncoder: runs over padding | reads_padding
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.lstm = nn.LSTM(d_e, d, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d, d)

    def forward(self, source, mask):
        H, (h, c) = self.lstm(self.embedding(source))
        H = H.masked_fill(~mask.unsqueeze(-1), 0.0)
        return H, torch.tanh(self.bridge(torch.cat((h[0], h[1]), dim=1)))


# %% TranslationEncoder: no tanh | without_tanh
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.lstm = nn.LSTM(d_e, d, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d, d)

    def forward(self, source, mask):
        lengths = mask.sum(1)
        X = pack_padded_sequence(self.embedding(source), lengths, True, enforce_sorted=False)
        H, (h, c) = self.lstm(X)
        H, _ = pad_packed_sequence(H, True, total_length=source.shape[1])
        return H, self.bridge(torch.cat((h[0], h[1]), dim=1))


# %% TranslationEncoder: lengths from the ids | lengths_from_ids
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.lstm = nn.LSTM(d_e, d, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d, d)

    def forward(self, source, mask):
        lengths = (source != 0).sum(dim=1)
        p = pack_padded_sequence(
            self.embedding(source), lengths, batch_first=True, enforce_sorted=False
        )
        states, (h_n, c_n) = self.lstm(p)
        H, _ = pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        return H, torch.tanh(self.bridge(torch.cat([h_n[0], h_n[1]], dim=-1)))


# %% TranslationEncoder: no total_length | without_total_length
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.lstm = nn.LSTM(d_e, d, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d, d)

    def forward(self, source, mask):
        p = pack_padded_sequence(
            self.embedding(source), mask.sum(dim=1), batch_first=True, enforce_sorted=False
        )
        states, (h_n, c_n) = self.lstm(p)
        H, _ = pad_packed_sequence(states, batch_first=True)
        return H, self.bridge(torch.cat([h_n[0], h_n[1]], dim=-1)).tanh()


# %% TranslationDecoder: the state of the encoder is dropped | starts_at_zeros
# -         S, last = self.gru(self.embedding(y), s[None])
# -         return self.output(S), last[0]
# +         S, last = self.gru(self.embedding(y))
# +         return self.output(S), last.squeeze(0)


# %% TranslationDecoder: keeps PyTorch's axis | keeps_the_layer_axis
# -         S, last = self.gru(self.embedding(y), s[None])
# -         return self.output(S), last[0]
# +         S, s = self.gru(self.embedding(y), s.unsqueeze(0))
# +         return self.output(S), s


# %% TranslationDecoder: the logits of the last step | one_position
# -         S, last = self.gru(self.embedding(y), s[None])
# -         return self.output(S), last[0]
# +         S, last = self.gru(self.embedding(y), s.unsqueeze(0))
# +         return self.output(last[0]), last[0]


# %% TranslationDecoder: relu before the GRU | relu_of_embeddings
# edits: unsqueezes
# -         embedded = self.embedding(y)
# +         embedded = F.relu(self.embedding(y))


# %% translation_loss: padding counts | counts_padding
def translation_loss(logits, y_out, padding=0):
    return F.cross_entropy(logits.transpose(1, 2), y_out)


# %% translation_loss: the mean over all positions | divides_by_all
def translation_loss(logits, y_out, padding=0):
    logp = logits.log_softmax(-1).gather(-1, y_out[..., None]).squeeze(-1)
    return -(logp * (y_out != padding)).mean()


# %% translation_loss: a sum for each sentence | divides_by_sentences
def translation_loss(logits, y_out, padding=0):
    logp = logits.log_softmax(-1).gather(-1, y_out[..., None]).squeeze(-1)
    return -(logp * (y_out != padding)).sum(dim=1).mean()


# %% greedy_decode: feeds <s> again and again | always_feeds_bos
def greedy_decode(step, s, bos, eos, max_length):
    if max_length < 1:
        raise ValueError("too short")
    out = [[] for _ in range(len(s))]
    done = [False] * len(s)
    for _ in range(max_length):
        y = torch.full((len(s), 1), bos)
        logits, s = step(y, s)
        for b, w in enumerate(logits[:, 0].argmax(-1).tolist()):
            done[b] |= w == eos
            if not done[b]:
                out[b].append(w)
    return out


# %% greedy_decode: leaves the end in | keeps_the_end
def greedy_decode(step, s, bos, eos, max_length):
    if max_length < 1:
        raise ValueError("too short")
    y = torch.full((len(s), 1), bos)
    columns = []
    for _ in range(max_length):
        logits, s = step(y, s)
        y = logits.argmax(-1)
        columns.append(y)
    rows = torch.cat(columns, 1).tolist()
    return [row[: row.index(eos) + 1] if eos in row else row for row in rows]


# %% greedy_decode: counts <s> as a word | one_word_too_few
def greedy_decode(step, s, bos, eos, max_length):
    if max_length < 1:
        raise ValueError("too short")
    y = torch.full((len(s), 1), bos)
    out = [[] for _ in range(len(s))]
    done = [False] * len(s)
    for _ in range(1, max_length):
        logits, s = step(y, s)
        y = logits.argmax(dim=-1)
        for b in range(len(out)):
            done[b] = done[b] or y[b].item() == eos
            if not done[b]:
                out[b].append(y[b].item())
        if all(done):
            break
    return out


# %% greedy_decode: leaves out </s> only | drops_only_the_end
def greedy_decode(step, s, bos, eos, max_length):
    if max_length < 1:
        raise ValueError("too short")
    y = torch.full((len(s), 1), bos)
    out = [[] for _ in range(len(s))]
    done = set()
    for _ in range(max_length):
        logits, s = step(y, s)
        y = logits.argmax(dim=-1)
        for b, w in enumerate(y[:, 0].tolist()):
            if w == eos:
                done.add(b)
            else:
                out[b].append(w)
        if len(done) == len(out):
            break
    return out


# %% clipped_matches: no clipping | without_clipping
def clipped_matches(hypothesis, references, n):
    grams = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    known = {tuple(r[i : i + n]) for r in references for i in range(len(r) - n + 1)}
    return sum(g in known for g in grams), len(grams)


# %% clipped_matches: sets | counts_each_ngram_once
def clipped_matches(hypothesis, references, n):
    grams = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    known = {tuple(r[i : i + n]) for r in references for i in range(len(r) - n + 1)}
    return len(set(grams) & known), len(grams)


# %% clipped_matches: sets on both sides | sets_of_ngrams
def clipped_matches(hypothesis, references, n):
    grams = {tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)}
    known = {tuple(r[i : i + n]) for r in references for i in range(len(r) - n + 1)}
    return len(grams & known), len(grams)


# %% corpus_bleu: averages over sentences | mean_of_sentences
def corpus_bleu(hypotheses, references, max_n=4):
    if not hypotheses or len(hypotheses) != len(references) or not all(references):
        raise ValueError("bad input")
    scores = []
    for h, refs in zip(hypotheses, references):
        logs = 0.0
        for n in range(1, max_n + 1):
            m, t = clipped_matches(h, refs, n)
            if m == 0:
                logs = -math.inf
                break
            logs += math.log(m / t) / max_n
        r = min((abs(len(x) - len(h)), len(x)) for x in refs)[1]
        bp = min(1.0, math.exp(1 - r / len(h))) if h else 0.0
        scores.append(100 * bp * math.exp(logs))
    return sum(scores) / len(scores)


# %% corpus_bleu: no brevity penalty | without_brevity_penalty
def corpus_bleu(hypotheses, references, max_n=4):
    if not hypotheses or len(hypotheses) != len(references) or not all(references):
        raise ValueError("bad input")
    product = 1.0
    for n in range(1, max_n + 1):
        pairs = [clipped_matches(h, r, n) for h, r in zip(hypotheses, references)]
        total = sum(t for _, t in pairs)
        product *= sum(m for m, _ in pairs) / total if total else 0
    return 100 * product ** (1 / max_n)


# %% corpus_bleu: c / r in the penalty | ratio_upside_down
def corpus_bleu(hypotheses, references, max_n=4):
    if not hypotheses or len(hypotheses) != len(references) or not all(references):
        raise ValueError("bad input")
    logs = 0.0
    for n in range(1, max_n + 1):
        pairs = [clipped_matches(h, r, n) for h, r in zip(hypotheses, references)]
        m, t = sum(m for m, _ in pairs), sum(t for _, t in pairs)
        if m == 0:
            return 0.0
        logs += math.log(m / t) / max_n
    c = sum(map(len, hypotheses))
    r = sum(
        min(map(len, refs), key=lambda n: (abs(n - len(h)), n))
        for h, refs in zip(hypotheses, references)
    )
    bp = 1.0 if c >= r else math.exp(1 - c / r)
    return 100 * bp * math.exp(logs)


# %% corpus_bleu: the penalty first | divides_by_no_words
def corpus_bleu(hypotheses, references, max_n=4):
    if not hypotheses or len(hypotheses) != len(references) or not all(references):
        raise ValueError("bad input")
    c = r = 0
    for h, refs in zip(hypotheses, references):
        c += len(h)
        r += min((abs(len(x) - len(h)), len(x)) for x in refs)[1]
    bp = min(1.0, math.exp(1 - r / c))
    logs = 0.0
    for n in range(1, max_n + 1):
        pairs = [clipped_matches(h, r, n) for h, r in zip(hypotheses, references)]
        m, t = sum(m for m, _ in pairs), sum(t for _, t in pairs)
        if m == 0:
            return 0.0
        logs += math.log(m / t) / max_n
    return 100 * bp * math.exp(logs)


# %% corpus_bleu: divides by totals of 0 | divides_by_no_ngrams
def corpus_bleu(hypotheses, references, max_n=4):
    if not hypotheses or len(hypotheses) != len(references) or not all(references):
        raise ValueError("bad input")
    p = []
    for n in range(1, max_n + 1):
        pairs = [clipped_matches(h, r, n) for h, r in zip(hypotheses, references)]
        p.append(sum(m for m, _ in pairs) / sum(t for _, t in pairs))
    if min(p) == 0:
        return 0.0
    c = sum(map(len, hypotheses))
    r = 0
    for h, refs in zip(hypotheses, references):
        r += min((abs(len(x) - len(h)), len(x)) for x in refs)[1]
    bp = 1.0 if c >= r else math.exp(1 - r / c)
    return 100 * bp * math.exp(sum(map(math.log, p)) / max_n)


# %% BahdanauAttention: no mask | attends_to_padding
# -         hidden = torch.tanh(self.W(S)[:, :, None] + self.U(H)[:, None])  # (B, T, L, d_a)
# -         r = self.v(hidden).squeeze(-1)
# -         a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
# +         hidden = self.v(torch.tanh(self.W(S).unsqueeze(2) + self.U(H).unsqueeze(1))).squeeze(-1)
# +         a = hidden.softmax(dim=-1)


# %% BahdanauAttention: zeros after the softmax | masks_the_weights
# -         hidden = torch.tanh(self.W(S)[:, :, None] + self.U(H)[:, None])  # (B, T, L, d_a)
# -         r = self.v(hidden).squeeze(-1)
# -         a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
# +         hidden = self.v(torch.tanh(self.W(S).unsqueeze(2) + self.U(H).unsqueeze(1))).squeeze(-1)
# +         a = hidden.softmax(dim=-1).masked_fill(~mask.unsqueeze(1), 0.0)


# %% BahdanauAttention: the mask the wrong way round | mask_inverted
# -         hidden = torch.tanh(self.W(S)[:, :, None] + self.U(H)[:, None])  # (B, T, L, d_a)
# -         r = self.v(hidden).squeeze(-1)
# -         a = torch.softmax(r.masked_fill(~mask[:, None], -torch.inf), dim=-1)
# +         hidden = self.v(torch.tanh(self.W(S).unsqueeze(2) + self.U(H).unsqueeze(1))).squeeze(-1)
# +         a = hidden.masked_fill(mask.unsqueeze(1), -math.inf).softmax(dim=-1)


# %% LuongAttention: divides by the root of d | divides_by_the_root
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        if kind not in ("dot", "general", "concat") or (kind == "dot" and d_s != d_h):
            raise ValueError("no such attention")
        self.kind = kind
        if kind == "general":
            self.W = nn.Linear(d_h, d_s, bias=False)
        if kind == "concat":
            self.W = nn.Linear(d_s + d_h, d_s, bias=False)
            self.v = nn.Linear(d_s, 1, bias=False)

    def forward(self, S, H, mask):
        if self.kind == "concat":
            s = S.unsqueeze(2).expand(-1, -1, H.shape[1], -1)
            h = H.unsqueeze(1).expand(-1, S.shape[1], -1, -1)
            r = self.v(torch.tanh(self.W(torch.cat([s, h], -1)))).squeeze(-1)
        else:
            keys = self.W(H) if self.kind == "general" else H
            r = S @ keys.transpose(1, 2) / S.shape[-1] ** 0.5
        a = r.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(-1)
        return a @ H, a


# %% LuongAttention: another order in concat | concat_in_the_other_order
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        if kind not in ("dot", "general", "concat") or (kind == "dot" and d_s != d_h):
            raise ValueError("no such attention")
        self.kind = kind
        if kind == "general":
            self.W = nn.Linear(d_h, d_s, bias=False)
        if kind == "concat":
            self.W = nn.Linear(d_s + d_h, d_s, bias=False)
            self.v = nn.Linear(d_s, 1, bias=False)

    def forward(self, S, H, mask):
        if self.kind == "concat":
            s = S.unsqueeze(2).expand(-1, -1, H.shape[1], -1)
            h = H.unsqueeze(1).expand(-1, S.shape[1], -1, -1)
            r = self.v(torch.tanh(self.W(torch.cat([h, s], -1)))).squeeze(-1)
        else:
            keys = self.W(H) if self.kind == "general" else H
            r = S @ keys.transpose(1, 2)
        a = r.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(-1)
        return a @ H, a


# %% LuongAttention: the scaled dot product | divides_dot_by_the_root
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        if kind not in ("dot", "general", "concat") or (kind == "dot" and d_s != d_h):
            raise ValueError("no such attention")
        self.kind = kind
        if kind == "general":
            self.W = nn.Linear(d_h, d_s, bias=False)
        if kind == "concat":
            self.W = nn.Linear(d_s + d_h, d_s, bias=False)
            self.v = nn.Linear(d_s, 1, bias=False)

    def forward(self, S, H, mask):
        if self.kind == "concat":
            s = S.unsqueeze(2).expand(-1, -1, H.shape[1], -1)
            h = H.unsqueeze(1).expand(-1, S.shape[1], -1, -1)
            r = self.v(torch.tanh(self.W(torch.cat([s, h], -1)))).squeeze(-1)
        elif self.kind == "general":
            r = S @ self.W(H).mT
        else:
            r = S @ H.mT / H.shape[-1] ** 0.5
        a = r.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(-1)
        return a @ H, a


# %% LuongAttention: general applies W to s | general_projects_s
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        if kind not in ("dot", "general", "concat") or (kind == "dot" and d_s != d_h):
            raise ValueError("no such attention")
        self.kind = kind
        if kind == "general":
            self.W = nn.Linear(d_s, d_h, bias=False)
        if kind == "concat":
            self.W = nn.Linear(d_s + d_h, d_s, bias=False)
            self.v = nn.Linear(d_s, 1, bias=False)

    def forward(self, S, H, mask):
        if self.kind == "concat":
            s = S.unsqueeze(2).expand(-1, -1, H.shape[1], -1)
            h = H.unsqueeze(1).expand(-1, S.shape[1], -1, -1)
            r = self.v(torch.tanh(self.W(torch.cat([s, h], -1)))).squeeze(-1)
        elif self.kind == "general":
            r = self.W(S) @ H.mT
        else:
            r = S @ H.mT
        a = r.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(-1)
        return a @ H, a


# %% LuongAttention: dot for any sizes | dot_of_any_sizes
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        if kind not in ("dot", "general", "concat"):
            raise ValueError("no such attention")
        self.kind = kind
        if kind == "general":
            self.W = nn.Linear(d_h, d_s, bias=False)
        if kind == "concat":
            self.W = nn.Linear(d_s + d_h, d_s, bias=False)
            self.v = nn.Linear(d_s, 1, bias=False)

    def forward(self, S, H, mask):
        if self.kind == "concat":
            s = S.unsqueeze(2).expand(-1, -1, H.shape[1], -1)
            h = H.unsqueeze(1).expand(-1, S.shape[1], -1, -1)
            r = self.v(torch.tanh(self.W(torch.cat([s, h], -1)))).squeeze(-1)
        elif self.kind == "general":
            r = S @ self.W(H).mT
        else:
            r = S @ H.mT
        a = r.masked_fill(~mask.unsqueeze(1), -torch.inf).softmax(-1)
        return a @ H, a


# %% AttentionDecoder: [s; c] | state_before_context
# -         S, last = self.gru(self.embedding(y), s[None])
# +         S, last = self.gru(self.embedding(y), s.unsqueeze(0))
# ...
# -         combined = torch.tanh(self.combine(torch.cat([C, S], dim=-1)))
# -         return self.output(combined), last[0], a
# +         return self.output(torch.tanh(self.combine(torch.cat([S, C], 2)))), last.squeeze(0), a


# %% AttentionDecoder: no tanh | without_tanh
# -         S, last = self.gru(self.embedding(y), s[None])
# +         S, last = self.gru(self.embedding(y), s.unsqueeze(0))
# ...
# -         combined = torch.tanh(self.combine(torch.cat([C, S], dim=-1)))
# -         return self.output(combined), last[0], a
# +         return self.output(self.combine(torch.cat([C, S], 2))), last.squeeze(0), a


# %% AttentionDecoder: makes its own attention | attention_of_its_own
# -         self.attention = attention
# +         self.attention = LuongAttention(d, 2 * d, "general")
# ...
# -         S, last = self.gru(self.embedding(y), s[None])
# +         S, last = self.gru(self.embedding(y), s.unsqueeze(0))
# ...
# -         combined = torch.tanh(self.combine(torch.cat([C, S], dim=-1)))
# -         return self.output(combined), last[0], a
# +         return self.output(torch.tanh(self.combine(torch.cat([C, S], 2)))), last.squeeze(0), a


# %% read_alignment: the pairs the other way round | source_first
def read_alignment(a, source, target):
    if not source or len(source) > a.shape[1] or len(target) > a.shape[0]:
        raise ValueError("wrong sizes")
    pairs = []
    for t, word in enumerate(target):
        pairs.append((source[int(a[t, : len(source)].argmax())], word))
    return pairs


# %% read_alignment: by position | word_by_word
def read_alignment(a, source, target):
    if not source or len(source) > a.shape[1] or len(target) > a.shape[0]:
        raise ValueError("wrong sizes")
    return [(w, source[min(t, len(source) - 1)]) for t, w in enumerate(target)]


# %% read_alignment: the column of </s> stays | reads_the_end
def read_alignment(a, source, target):
    if len(source) == 0 or len(source) > a.shape[1] or len(target) > a.shape[0]:
        raise ValueError("wrong sizes")
    return [(w, source[i]) for w, i in zip(target, a.argmax(dim=1).tolist())]


# %% read_alignment: the largest of each column | largest_in_each_column
def read_alignment(a, source, target):
    if not source or len(source) > a.shape[1] or len(target) > a.shape[0]:
        raise ValueError("wrong sizes")
    best = a[: len(target), : len(source)].argmax(dim=0).tolist()
    return [(w, source[i]) for w, i in zip(target, best)]


# %% bleu_by_length: both edges included | upper_edge_included
def bleu_by_length(hypotheses, references, lengths, edges):
    if len(lengths) != len(hypotheses) or sorted(set(edges)) != list(edges):
        raise ValueError("bad input")
    scores = {}
    for low, high in zip(edges, [*edges[1:], math.inf]):
        k = [i for i, n in enumerate(lengths) if low <= n <= high]
        if k:
            name = f"{low}+" if high == math.inf else f"{low}-{high - 1}"
            scores[name] = corpus_bleu([hypotheses[i] for i in k], [references[i] for i in k])
    return scores


# %% bleu_by_length: the mean of sentence scores | mean_of_sentences
def bleu_by_length(hypotheses, references, lengths, edges):
    if len(lengths) != len(hypotheses) or sorted(set(edges)) != list(edges):
        raise ValueError("bad input")
    scores = {}
    for low, high in zip(edges, [*edges[1:], math.inf]):
        each = [
            corpus_bleu([h], [r])
            for h, r, n in zip(hypotheses, references, lengths)
            if low <= n < high
        ]
        if each:
            name = f"{low}+" if high == math.inf else f"{low}-{high - 1}"
            scores[name] = sum(each) / len(each)
    return scores


# %% bleu_by_length: edges end their buckets | edges_end_buckets
def bleu_by_length(hypotheses, references, lengths, edges):
    if len(lengths) != len(hypotheses) or sorted(set(edges)) != list(edges):
        raise ValueError("bad input")
    scores = {}
    for low, high in zip(edges, [*edges[1:], math.inf]):
        k = [i for i, n in enumerate(lengths) if low < n <= high]
        if k:
            name = f"{low}+" if high == math.inf else f"{low}-{high - 1}"
            scores[name] = corpus_bleu([hypotheses[i] for i in k], [references[i] for i in k])
    return scores


# %% bleu_by_length: a bucket called 3 | short_names
def bleu_by_length(hypotheses, references, lengths, edges):
    if len(lengths) != len(hypotheses) or sorted(set(edges)) != list(edges):
        raise ValueError("bad input")
    scores = {}
    for low, high in zip(edges, [*edges[1:], math.inf]):
        k = [i for i, n in enumerate(lengths) if low <= n < high]
        if k:
            name = f"{low}+" if high == math.inf else f"{low}-{high - 1}"
            name = str(low) if high - low == 1 else name
            scores[name] = corpus_bleu([hypotheses[i] for i in k], [references[i] for i in k])
    return scores


# %% translation_batch: y_in has bos and eos | end_in_what_is_read
def translation_batch(sources, targets, bos, eos):
    if not sources or len(sources) != len(targets):
        raise ValueError("one target for each source, and at least one pair")
    source, mask = pad_batch([s + [eos] for s in sources])
    full, _ = pad_batch([[bos] + t + [eos] for t in targets])
    return source, mask, full[:, :-1], full[:, 1:]


# %% translation_batch: the mask has the lengths without </s> | mask_without_end
def translation_batch(sources, targets, bos, eos):
    if len(sources) != len(targets):
        raise ValueError("the numbers of sources and targets differ")
    source, _ = pad_batch([ids + [eos] for ids in sources])
    lengths = torch.tensor([len(ids) for ids in sources])
    mask = torch.arange(source.shape[1])[None, :] < lengths[:, None]
    y_in, _ = pad_batch([[bos] + ids for ids in targets])
    y_out, _ = pad_batch([ids + [eos] for ids in targets])
    return source, mask, y_in, y_out


# %% greedy_decode: stops when the first sentence ends | stops_before_the_others_write
def greedy_decode(step, s, bos, eos, max_length):
    if max_length < 1:
        raise ValueError("max_length must be at least 1")
    y = torch.full((len(s), 1), bos)
    out = [[] for _ in range(len(s))]
    for _ in range(max_length):
        logits, s = step(y, s)
        y = logits.argmax(dim=-1)
        if (y == eos).any():
            break
        for i, w in enumerate(y[:, 0].tolist()):
            out[i].append(w)
    return out


# %% read_alignment: argmax over all columns, </s> included | end_of_the_source_counts
def read_alignment(a, source, target):
    if not source or len(source) > a.shape[1] or len(target) > a.shape[0]:
        raise ValueError("the words do not fit the weights")
    words = list(source) + ["</s>"] * (a.shape[1] - len(source))
    best = a.argmax(dim=1).tolist()
    return [(t, words[i]) for t, i in zip(target, best)]


# %% read_alignment: all columns but the last | drops_the_last_column
def read_alignment(a, source, target):
    padded = list(source) + ["</s>"] * (a.shape[1] - len(source))
    best = a[: len(target), :-1].argmax(dim=1).tolist() if len(target) else []
    return [(word, padded[i]) for word, i in zip(target, best)]


# %% read_alignment: no pair for a word that points at </s> | leaves_words_out
def read_alignment(a, source, target):
    pairs = []
    for t, word in enumerate(target):
        i = int(a[t].argmax())
        if i < len(source):
            pairs.append((word, source[i]))
    return pairs


# %% clipped_matches: the best of all references | best_reference_only
def clipped_matches(hypothesis, references, n):
    def ngrams(tokens):
        return Counter(zip(*[tokens[i:] for i in range(n)]))

    found = ngrams(hypothesis)
    return max(sum((found & ngrams(r)).values()) for r in references), sum(found.values())


# %% clipped_matches: takes found n-grams out of each reference | best_reference_only
def clipped_matches(hypothesis, references, n):
    grams = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    best = 0
    for reference in references:
        left = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
        hits = 0
        for gram in grams:
            if gram in left:
                left.remove(gram)
                hits += 1
        best = max(best, hits)
    return best, len(grams)


# %% clipped_matches: the reference of the closest length
def clipped_matches(hypothesis, references, n):
    def ngrams(tokens):
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    found = ngrams(hypothesis)
    reference = min(references, key=lambda r: abs(len(r) - len(hypothesis)))
    return sum((found & ngrams(reference)).values()), sum(found.values())


# %% clipped_matches: small letters only
def clipped_matches(hypothesis, references, n):
    def ngrams(tokens):
        tokens = [token.lower() for token in tokens]
        return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    counts, most = ngrams(hypothesis), Counter()
    for reference in references:
        most |= ngrams(reference)
    return (counts & most).total(), counts.total()


# %% translation_loss: gathers first, masks afterwards | looks_up_padding
def translation_loss(logits, y_out, padding=0):
    log_p = F.log_softmax(logits, dim=-1)
    losses = -log_p.gather(2, y_out[:, :, None])[:, :, 0]
    real = (y_out != padding).float()
    return (losses * real).sum() / real.sum()


# %% translation_loss: weights of the classes
def translation_loss(logits, y_out, padding=0):
    weights = torch.ones(logits.shape[-1])
    weights[padding] = 0
    return F.cross_entropy(logits.transpose(1, 2), y_out, weight=weights)


# %% greedy_decode: a loop over the sentences | one_sentence_at_a_time
def greedy_decode(step, s, bos, eos, max_length):
    if max_length < 1:
        raise ValueError("max_length must be positive")
    result = []
    for b in range(s.shape[0]):
        state, y, words = s[b : b + 1], torch.full((1, 1), bos), []
        for _ in range(max_length):
            logits, state = step(y, state)
            y = logits.argmax(dim=-1)
            if y.item() == eos:
                break
            words.append(y.item())
        result.append(words)
    return result


# %% greedy_decode: only the sentences that go on | drops_what_has_ended
def greedy_decode(step, s, bos, eos, max_length):
    if max_length < 1:
        raise ValueError("max_length must be positive")
    result, active = [[] for _ in range(len(s))], torch.arange(len(s))
    y = torch.full((len(s), 1), bos)
    for _ in range(max_length):
        logits, s = step(y, s)
        y = logits[:, -1].argmax(dim=-1, keepdim=True)
        keep = (y != eos).squeeze(1)
        active, y, s = active[keep], y[keep], s[keep]
        for b, word in zip(active.tolist(), y.flatten().tolist()):
            result[b].append(word)
        if len(active) == 0:
            break
    return result


# %% greedy_decode: leaves out 0 and bos | leaves_out_other_tokens
def greedy_decode(step, s, bos, eos, max_length):
    y = torch.full((len(s), 1), bos, dtype=torch.int64)
    found, ended = [[] for _ in range(len(s))], [False] * len(s)
    for _ in range(max_length):
        logits, s = step(y, s)
        y = logits[:, -1].argmax(dim=-1, keepdim=True)
        for b, word in enumerate(y.squeeze(1).tolist()):
            if word == eos:
                ended[b] = True
            elif not ended[b] and word not in (0, bos):
                found[b].append(word)
        if all(ended):
            break
    return found


# %% TranslationEncoder: remembers its state
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.lstm = nn.LSTM(d_e, d, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d, d)
        self.state = None

    def forward(self, source, mask):
        packed = pack_padded_sequence(
            self.embedding(source), mask.sum(1), batch_first=True, enforce_sorted=False
        )
        if self.state is not None and self.state[0].shape[1] != len(source):
            self.state = None
        states, self.state = self.lstm(packed, self.state)
        H, _ = pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        h = self.state[0]
        return H, torch.tanh(self.bridge(torch.cat([h[0], h[1]], dim=-1)))


# %% translation_loss: mask the wrong way round | mask_inverted
def translation_loss(logits, y_out, padding=0):
    mask = y_out == padding
    loss = F.cross_entropy(logits.transpose(1, 2), y_out, reduction="none")
    return (loss * mask).sum() / mask.sum()


# %% translation_loss: reshape to classes | reshapes_the_logits
def translation_loss(logits, y_out, padding=0):
    B, T, V = logits.shape
    return F.cross_entropy(logits.reshape(B, V, T), y_out, ignore_index=padding)


# %% translation_loss: shifts once more | shifts_again
def translation_loss(logits, y_out, padding=0):
    shift_logits = logits[:, :-1].flatten(0, 1)
    shift_labels = y_out[:, 1:].flatten()
    return F.cross_entropy(shift_logits, shift_labels, ignore_index=padding)


# %% translation_loss: everything different from 0 is real | zero_is_left_out
def translation_loss(logits, y_out, padding=0):
    real = y_out != 0
    log_p = logits.log_softmax(dim=-1)
    picked = log_p.gather(-1, y_out.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return -picked[real].sum() / real.sum()


# %% clipped_matches: n-grams as strings | joins_the_tokens
def clipped_matches(hypothesis, references, n):
    def ngrams(sentence):
        found = {}
        for i in range(len(sentence) - n + 1):
            gram = " ".join(sentence[i : i + n])
            found[gram] = found.get(gram, 0) + 1
        return found

    most = {}
    for reference in references:
        for gram, times in ngrams(reference).items():
            most[gram] = max(most.get(gram, 0), times)
    ours = ngrams(hypothesis)
    return sum(min(times, most.get(gram, 0)) for gram, times in ours.items()), sum(ours.values())


# %% clipped_matches: total len(hypothesis) | total_of_words
def clipped_matches(hypothesis, references, n):
    def grams(x):
        return Counter(tuple(x[i:i + n]) for i in range(len(x) - n + 1))
    h = grams(hypothesis)
    best = Counter()
    for r in references:
        best |= grams(r)
    return sum((h & best).values()), len(hypothesis)


# %% clipped_matches: one string for each n-gram | strings_run_together
def clipped_matches(hypothesis, references, n):
    def count(tokens):
        tokens = [str(token) for token in tokens]
        return Counter("".join(tokens[i : i + n]) for i in range(len(tokens) - n + 1))

    mine, theirs = count(hypothesis), [count(reference) for reference in references]
    matches = sum(min(c, max(other[gram] for other in theirs)) for gram, c in mine.items())
    return matches, max(len(hypothesis) - n + 1, 0)


# %% corpus_bleu: first reference | first_reference_length
def corpus_bleu(hypotheses, references, max_n=4):
    if not hypotheses or len(hypotheses) != len(references) or not all(references):
        raise ValueError("references")
    m, t, c, r = [0] * max_n, [0] * max_n, 0, 0
    for h, refs in zip(hypotheses, references):
        for n in range(1, max_n + 1):
            a, b = clipped_matches(h, refs, n)
            m[n - 1] += a
            t[n - 1] += b
        c += len(h)
        r += len(refs[0])
    if 0 in m:
        return 0.0
    bp = 1.0 if c >= r else math.exp(1 - r / c)
    return 100 * bp * math.exp(sum(math.log(a / b) for a, b in zip(m, t)) / max_n)


# %% corpus_bleu: skips empty translations | skips_empty_translations
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("not one list of references for each translation")
    matches, totals = [0] * max_n, [0] * max_n
    c = r = 0
    for hypothesis, refs in zip(hypotheses, references):
        if len(hypothesis) == 0:
            continue
        c += len(hypothesis)
        r += min((len(ref) for ref in refs), key=lambda length: (abs(length - len(hypothesis)), length))
        for n in range(1, max_n + 1):
            m, t = clipped_matches(hypothesis, refs, n)
            matches[n - 1] += m
            totals[n - 1] += t
    if min(matches) == 0:
        return 0.0
    log_mean = sum(math.log(m / t) for m, t in zip(matches, totals)) / max_n
    penalty = 1.0 if c >= r else math.exp(1 - r / c)
    return 100 * penalty * math.exp(log_mean)


# %% corpus_bleu: only lengths that have n-grams | skips_missing_ngrams
def corpus_bleu(hypotheses, references, max_n=4):
    if len(hypotheses) != len(references):
        raise ValueError("not one list of references for each translation")
    matches, totals = [0] * max_n, [0] * max_n
    c = r = 0
    for hypothesis, refs in zip(hypotheses, references):
        c += len(hypothesis)
        r += min((len(ref) for ref in refs), key=lambda length: (abs(length - len(hypothesis)), length))
        for n in range(1, max_n + 1):
            m, t = clipped_matches(hypothesis, refs, n)
            matches[n - 1] += m
            totals[n - 1] += t
    pairs = [(m, t) for m, t in zip(matches, totals) if t > 0]
    if not pairs or min(m for m, _ in pairs) == 0:
        return 0.0
    log_mean = sum(math.log(m / t) for m, t in pairs) / len(pairs)
    penalty = 1.0 if c >= r else math.exp(1 - r / c)
    return 100 * penalty * math.exp(log_mean)


# %% AttentionDecoder: softmax | returns_probabilities
class AttentionDecoder(nn.Module):
    def __init__(self, n_words, d_e, d, attention):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.gru = nn.GRU(d_e, d, batch_first=True)
        self.output = nn.Linear(d, n_words)
        self.attention = attention
        self.combine = nn.Linear(3 * d, d)

    def forward(self, y, s, H, mask):
        S, s = self.gru(self.embedding(y), s[None])
        C, a = self.attention(S, H, mask)
        t = torch.tanh(self.combine(torch.cat([C, S], dim=-1)))
        return torch.softmax(self.output(t), -1), s[0], a


# %% BahdanauAttention: adds 0 times minus infinity | infinity_times_zero
class BahdanauAttention(nn.Module):
    def __init__(self, d_s, d_h, d_a):
        super().__init__()
        self.W = nn.Linear(d_s, d_a, bias=False)
        self.U = nn.Linear(d_h, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)

    def forward(self, S, H, mask):
        scores = self.v(torch.tanh(self.W(S).unsqueeze(2) + self.U(H).unsqueeze(1))).squeeze(-1)
        scores = scores + (1 - mask.unsqueeze(1).float()) * float("-inf")
        a = F.softmax(scores, dim=-1)
        return torch.bmm(a, H), a


# %% BahdanauAttention: projects the source once, as long as its size stays
# -         hidden = torch.tanh(self.W(S)[:, :, None] + self.U(H)[:, None])  # (B, T, L, d_a)
# +         if getattr(self, "UH", None) is None or self.UH.shape[:2] != H.shape[:2]:
# +             self.UH = self.U(H)
# +         hidden = torch.tanh(self.W(S)[:, :, None] + self.UH[:, None])


# %% BahdanauAttention: scaled scores | divides_by_the_root
# edits: unsqueeze and broadcast
# -         scores = self.v((query + keys).tanh())[..., 0]
# +         scores = self.v((query + keys).tanh())[..., 0] / keys.shape[-1] ** 0.5


# %% AttentionDecoder: keeps the source of the first step
# -         C, a = self.attention(S, H, mask)
# +         if getattr(self, "H", None) is None or self.H.shape != H.shape:
# +             self.H, self.mask = H, mask
# +         C, a = self.attention(S, self.H, self.mask)


# %% AttentionDecoder: relu | relu_for_tanh
# edits: names every step
# -         return self.output(torch.tanh(self.combine(joint))), final.squeeze(0), weights
# +         return self.output(F.relu(self.combine(joint))), final.squeeze(0), weights


# %% bleu_by_length: scores empty buckets | scores_empty_buckets
def bleu_by_length(hypotheses, references, lengths, edges):
    out = {}
    bounds = [*edges, math.inf]
    for low, high in zip(bounds, bounds[1:]):
        chosen = [i for i, n in enumerate(lengths) if low <= n < high]
        key = f"{low}+" if high == math.inf else f"{low}-{high - 1}"
        out[key] = corpus_bleu([hypotheses[i] for i in chosen], [references[i] for i in chosen])
    return out


# %% bleu_by_length: lists of pairs, the empty ones too | scores_empty_buckets
def bleu_by_length(hypotheses, references, lengths, edges):
    scores = {}
    for k, edge in enumerate(edges):
        last = k + 1 == len(edges)
        hyps, refs = [], []
        for hyp, ref, length in zip(hypotheses, references, lengths):
            if length >= edge and (last or length < edges[k + 1]):
                hyps.append(hyp)
                refs.append(ref)
        scores[f"{edge}+" if last else f"{edge}-{edges[k + 1] - 1}"] = corpus_bleu(hyps, refs)
    return scores


# %% bleu_by_length: what is shorter goes into the first bucket | shorter_in_the_first
def bleu_by_length(hypotheses, references, lengths, edges):
    from bisect import bisect_right

    bucket_of = [max(bisect_right(edges, length) - 1, 0) for length in lengths]
    result = {}
    for k in range(len(edges)):
        rows = [i for i, b in enumerate(bucket_of) if b == k]
        if not rows:
            continue
        name = f"{edges[k]}-{edges[k + 1] - 1}" if k < len(edges) - 1 else f"{edges[k]}+"
        result[name] = corpus_bleu([hypotheses[i] for i in rows], [references[i] for i in rows])
    return result


# %% translation_batch: no ValueError when the numbers | zip_drops_the_rest
def translation_batch(sources, targets, bos, eos):
    src, ins, outs = [], [], []
    for s, t in zip(sources, targets):
        src.append(s + [eos])
        ins.append([bos] + t)
        outs.append(t + [eos])
    source, mask = pad_batch(src)
    y_in, _ = pad_batch(ins)
    y_out, _ = pad_batch(outs)
    return source, mask, y_in, y_out


# %% translation_batch: eos first and bos last | bos_and_eos_exchanged
def translation_batch(sources, targets, bos, eos):
    if len(sources) == 0 or len(sources) != len(targets):
        raise ValueError("need one target for each source, and at least one pair")
    source, mask = pad_batch([[*s, eos] for s in sources])
    y_in, _ = pad_batch([[eos, *t] for t in targets])
    y_out, _ = pad_batch([[*t, bos] for t in targets])
    return source, mask, y_in, y_out


# %% BahdanauAttention: -1e9 where the mask is True | hides_the_real_words
class BahdanauAttention(nn.Module):
    def __init__(self, d_s, d_h, d_a):
        super().__init__()
        self.W = nn.Linear(d_s, d_a, bias=False)
        self.U = nn.Linear(d_h, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)

    def forward(self, S, H, mask):
        scores = self.v(torch.tanh(self.W(S)[:, :, None] + self.U(H)[:, None])).squeeze(-1)
        scores = scores + mask[:, None].float() * -1e9
        a = torch.softmax(scores, dim=-1)
        return a @ H, a


# %% greedy_decode: the whole prefix in every step | feeds_all_words
def greedy_decode(step, s, bos, eos, max_length):
    if max_length < 1:
        raise ValueError("max_length must be at least 1")
    B = s.shape[0]
    y = torch.full((B, 1), bos, dtype=torch.int64)
    found = [[] for _ in range(B)]
    done = [False] * B
    for _ in range(max_length):
        logits, s = step(y, s)
        y = torch.cat([y, logits[:, -1].argmax(dim=-1, keepdim=True)], dim=1)
        for b, word in enumerate(y[:, -1].tolist()):
            if done[b]:
                continue
            if word == eos:
                done[b] = True
            else:
                found[b].append(word)
        if all(done):
            break
    return found
