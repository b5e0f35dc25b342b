# %% translation_batch: one row at a time
def translation_batch(sources, targets, bos, eos):
    if not len(sources) == len(targets) > 0:
        raise ValueError("need as many targets as sources")

    def fill(rows):
        out = torch.zeros(len(rows), max(len(r) for r in rows), dtype=torch.long)
        for i, r in enumerate(rows):
            out[i, : len(r)] = torch.tensor(r)
        return out

    src = [s + [eos] for s in sources]
    lengths = torch.tensor([len(s) for s in src])
    source = fill(src)
    mask = torch.arange(source.shape[1]).unsqueeze(0) < lengths.unsqueeze(1)
    return source, mask, fill([[bos] + t for t in targets]), fill([t + [eos] for t in targets])


# %% translation_batch: shifts a whole sentence
def translation_batch(sources, targets, bos, eos):
    if len(sources) == 0:
        raise ValueError("an empty batch")
    if len(sources) != len(targets):
        raise ValueError(f"{len(sources)} sources but {len(targets)} targets")
    source, mask = pad_batch([list(s) + [eos] for s in sources])
    both = [[bos] + list(t) + [eos] for t in targets]
    return source, mask, pad_batch([b[:-1] for b in both])[0], pad_batch([b[1:] for b in both])[0]


# %% TranslationEncoder: concatenates the last states with cat and chunks
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.lstm = nn.LSTM(input_size=d_e, hidden_size=d, bidirectional=True, batch_first=True)
        self.bridge = nn.Linear(2 * d, d)

    def forward(self, source, mask):
        lengths = mask.long().sum(1)
        X = self.embedding(source)
        packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        output, (h_n, c_n) = self.lstm(packed)
        H, _ = pad_packed_sequence(output, batch_first=True, total_length=mask.size(1))
        last = h_n.transpose(0, 1).reshape(source.size(0), -1)
        return H, self.bridge(last).tanh()


# %% TranslationEncoder: time first
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.lstm = nn.LSTM(d_e, d, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(d + d, d)

    def forward(self, source, mask):
        H, firsts = [], []
        for ids, n in zip(source, mask.sum(dim=1).tolist()):
            states, (h, c) = self.lstm(self.embedding(ids[:n]).unsqueeze(0))
            padding = torch.zeros(1, len(ids) - n, states.shape[-1])
            H.append(torch.cat([states, padding], dim=1))
            firsts.append(torch.cat([h[0], h[1]], dim=1))
        return torch.cat(H), torch.tanh(self.bridge(torch.cat(firsts)))


# %% TranslationDecoder: unsqueezes
class TranslationDecoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.gru = nn.GRU(d_e, d, batch_first=True)
        self.output = nn.Linear(d, n_words)

    def forward(self, y, s):
        embedded = self.embedding(y)
        states, s = self.gru(embedded, s.unsqueeze(0))
        logits = self.output(states)
        return logits, s.squeeze(0)


# %% translation_loss: one-hot
def translation_loss(logits, y_out, padding=0):
    logp = logits.log_softmax(dim=-1)
    right = F.one_hot(y_out, logits.shape[-1]).to(logp.dtype)
    per_token = -(logp * right).sum(-1)
    real = (y_out != padding).to(logp.dtype)
    return (per_token * real).sum() / real.sum()


# %% translation_loss: nll
def translation_loss(logits, y_out, padding=0):
    logp = F.log_softmax(logits, -1)
    return F.nll_loss(logp.view(-1, logp.shape[-1]), y_out.reshape(-1), ignore_index=padding)


# %% greedy_decode: collects columns
def greedy_decode(step, s, bos, eos, max_length):
    if max_length < 1:
        raise ValueError("max_length must be at least 1")
    B = s.shape[0]
    y = torch.full((B, 1), bos, dtype=torch.int64)
    history = []
    finished = torch.zeros(B, 1, dtype=torch.bool)
    for i in range(max_length):
        logits, s = step(y, s)
        y = torch.argmax(logits[:, -1, :], dim=-1, keepdim=True)
        finished = finished | (y == eos)
        history.append(torch.where(finished, torch.full_like(y, eos), y))
        if finished.all():
            break
    ids = torch.cat(history, dim=1).tolist()
    return [[w for w in row if w != eos] for row in ids]


# %% clipped_matches: removes from a list
def clipped_matches(hypothesis, references, n):
    ngrams = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    matches = 0
    for gram in set(ngrams):
        in_refs = []
        for ref in references:
            grams = [tuple(ref[i : i + n]) for i in range(len(ref) - n + 1)]
            in_refs.append(grams.count(gram))
        matches += min(ngrams.count(gram), max(in_refs))
    return matches, len(ngrams)


# %% corpus_bleu: powers
def corpus_bleu(hypotheses, references, max_n=4):
    if not hypotheses or len(hypotheses) != len(references):
        raise ValueError("bad input")
    for refs in references:
        if len(refs) == 0:
            raise ValueError("no reference")
    c = sum(map(len, hypotheses))
    r = 0
    for h, refs in zip(hypotheses, references):
        lengths = sorted(len(ref) for ref in refs)
        r += min(lengths, key=lambda n: abs(n - len(h)))
    score = 1.0
    for n in range(1, max_n + 1):
        found = [clipped_matches(h, refs, n) for h, refs in zip(hypotheses, references)]
        total = sum(t for _, t in found)
        if total == 0:
            return 0.0
        score *= (sum(m for m, _ in found) / total) ** (1 / max_n)
    bp = 1.0 if c > r else math.exp(1 - r / c)
    return 100 * bp * score


# %% BahdanauAttention: unsqueeze and broadcast
class BahdanauAttention(nn.Module):
    def __init__(self, d_s, d_h, d_a):
        super().__init__()
        self.W = nn.Linear(d_s, d_a, bias=False)
        self.U = nn.Linear(d_h, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)

    def forward(self, S, H, mask):
        query = self.W(S).unsqueeze(2)
        keys = self.U(H).unsqueeze(1)
        scores = self.v((query + keys).tanh())[..., 0]
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        weights = F.softmax(scores, dim=2)
        return torch.matmul(weights, H), weights


# %% LuongAttention: one score per branch
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        if kind == "dot":
            if d_s != d_h:
                raise ValueError("sizes differ")
        elif kind == "general":
            self.W = nn.Linear(d_h, d_s, bias=False)
        elif kind == "concat":
            self.W = nn.Linear(d_s + d_h, d_s, bias=False)
            self.v = nn.Linear(d_s, 1, bias=False)
        else:
            raise ValueError("unknown kind " + str(kind))
        self.kind = kind

    def forward(self, S, H, mask):
        if self.kind == "dot":
            scores = torch.bmm(S, H.transpose(1, 2))
        elif self.kind == "general":
            scores = torch.bmm(S, self.W(H).transpose(1, 2))
        else:
            s = S.unsqueeze(2).repeat(1, 1, H.shape[1], 1)
            h = H.unsqueeze(1).repeat(1, S.shape[1], 1, 1)
            scores = self.v(torch.tanh(self.W(torch.cat((s, h), dim=3)))).squeeze(3)
        weights = scores.masked_fill(~mask.unsqueeze(1), float("-inf")).softmax(2)
        return torch.bmm(weights, H), weights


# %% AttentionDecoder: names every step
class AttentionDecoder(nn.Module):
    def __init__(self, n_words, d_e, d, attention):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.gru = nn.GRU(d_e, d, batch_first=True)
        self.attention = attention
        self.combine = nn.Linear(2 * d + d, d)
        self.output = nn.Linear(d, n_words)

    def forward(self, y, s, H, mask):
        embedded = self.embedding(y)
        states, final = self.gru(embedded, s.unsqueeze(0).contiguous())
        context, weights = self.attention(states, H, mask)
        joint = torch.cat((context, states), dim=2)
        return self.output(torch.tanh(self.combine(joint))), final.squeeze(0), weights


# %% read_alignment: max of each row
def read_alignment(a, source, target):
    if len(source) == 0 or len(source) > a.size(1) or len(target) > a.size(0):
        raise ValueError("weights do not fit")
    result = []
    for row, word in zip(a, target):
        i = int(torch.argmax(row[: len(source)]))
        result.append((word, source[i]))
    return result


# %% bleu_by_length: pairs of edges
def bleu_by_length(hypotheses, references, lengths, edges):
    if len(hypotheses) != len(lengths):
        raise ValueError("lengths")
    for a, b in zip(edges[:-1], edges[1:]):
        if a >= b:
            raise ValueError("edges")
    result = {}
    uppers = list(edges[1:]) + [None]
    for low, up in zip(edges, uppers):
        hyp, ref = [], []
        for h, r, n in zip(hypotheses, references, lengths):
            if n >= low and (up is None or n < up):
                hyp.append(h)
                ref.append(r)
        if hyp:
            result[f"{low}+" if up is None else f"{low}-{up - 1}"] = corpus_bleu(hyp, ref)
    return result
