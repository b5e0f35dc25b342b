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
    right = F.one_hot(y_out.clamp(min=0), logits.shape[-1]).to(logp.dtype)
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


# %% translation_batch: fills NumPy arrays
def translation_batch(sources, targets, bos, eos):
    import numpy as np

    B = len(sources)
    if B == 0:
        raise ValueError("sources is empty!")
    if B != len(targets):
        raise ValueError("len(sources) != len(targets)")
    L = max([len(s) for s in sources]) + 1
    T = max([len(t) for t in targets]) + 1
    source = np.zeros((B, L), dtype=np.int64)
    mask = np.zeros((B, L), dtype=bool)
    y_in = np.zeros((B, T), dtype=np.int64)
    y_out = np.zeros((B, T), dtype=np.int64)
    for b in range(B):
        n, m = len(sources[b]), len(targets[b])
        source[b, :n] = sources[b]
        source[b, n] = eos
        mask[b, : n + 1] = True
        y_in[b, 0] = bos
        y_in[b, 1 : m + 1] = targets[b]
        y_out[b, :m] = targets[b]
        y_out[b, m] = eos
    return tuple(torch.from_numpy(x) for x in (source, mask, y_in, y_out))


# %% translation_batch: zip_longest transposes
def translation_batch(sources, targets, bos, eos):
    from itertools import zip_longest

    if not sources or not targets or len(sources) != len(targets):
        raise ValueError(f"got {len(sources)} and {len(targets)} sentences")

    def pad(rows):
        return torch.tensor(list(zip_longest(*rows, fillvalue=0)), dtype=torch.int64).T

    source = pad(s + [eos] for s in sources)
    mask = pad([1] * (len(s) + 1) for s in sources) == 1
    y_in = pad([bos] + t for t in targets)
    y_out = pad(t + [eos] for t in targets)
    return source, mask, y_in, y_out


# %% translation_batch: pad_sequence, appends to copies
def translation_batch(sources, targets, bos, eos):
    from copy import deepcopy

    from torch.nn.utils.rnn import pad_sequence

    if len(sources) < 1 or len(targets) < 1:
        raise ValueError("no pairs")
    elif len(sources) != len(targets):
        raise ValueError("not parallel")
    sources, before, after = deepcopy(sources), deepcopy(targets), deepcopy(targets)
    for s in sources:
        s.append(eos)
    for t in before:
        t.insert(0, bos)
    for t in after:
        t.append(eos)
    src, y_in, y_out = [
        pad_sequence([torch.LongTensor(row) for row in rows], batch_first=True, padding_value=0)
        for rows in (sources, before, after)
    ]
    mask = torch.zeros_like(src, dtype=torch.bool)
    for row, s in zip(mask, sources):
        row[: len(s)] = True
    return src, mask, y_in, y_out


# %% translation_batch: F.pad and stack
def translation_batch(sources, targets, bos, eos):
    if len(sources) != len(targets) or len(sources) == 0:
        raise ValueError
    L = 1 + max(map(len, sources))
    T = 1 + max(map(len, targets))
    source = torch.stack([F.pad(torch.tensor(s + [eos]), (0, L - 1 - len(s))) for s in sources])
    lengths = torch.tensor([[len(s) + 1] for s in sources])
    y_in = torch.stack([F.pad(torch.tensor([bos] + t), (0, T - 1 - len(t))) for t in targets])
    y_out = torch.stack([F.pad(torch.tensor(t + [eos]), (0, T - 1 - len(t))) for t in targets])
    return source, torch.arange(L) < lengths, y_in, y_out


# %% translation_batch: y_in from y_out
def translation_batch(sources, targets, bos, eos):
    if not len(sources):
        raise ValueError("there is nothing to translate")
    if len(targets) - len(sources):
        raise ValueError("sources and targets must have the same length")
    source, mask = pad_batch([s + [eos] for s in sources])
    y_out, real = pad_batch([t + [eos] for t in targets])
    y_in = torch.roll(y_out, 1, dims=1)
    y_in[:, 0] = bos
    y_in = y_in * real
    return source, mask, y_in, y_out


# %% TranslationEncoder: positional arguments and states of zeros
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super(TranslationEncoder, self).__init__()
        self.d = d
        self.embedding = nn.Embedding(num_embeddings=n_words, embedding_dim=d_e)
        self.lstm = nn.LSTM(d_e, d, 1, True, True, 0.0, True)
        self.bridge = nn.Linear(in_features=2 * d, out_features=d, bias=True)

    def forward(self, source, mask):
        B, L = source.shape
        lengths = [int(n) for n in mask.sum(-1)]
        emb = F.embedding(source, self.embedding.weight)
        packed = pack_padded_sequence(emb, lengths, batch_first=True, enforce_sorted=False)
        h_0 = torch.zeros(2, B, self.d)
        c_0 = torch.zeros(2, B, self.d)
        packed, (h_n, _) = self.lstm(packed, (h_0, c_0))
        H, _ = pad_packed_sequence(packed, batch_first=True, padding_value=0.0)
        if H.size(1) < L:
            H = torch.cat((H, torch.zeros(B, L - H.size(1), H.size(2))), dim=1)
        both = torch.cat((h_n[0, :, :], h_n[1, :, :]), dim=1)
        return H, torch.tanh(self.bridge(both))


# %% TranslationEncoder: the gates by hand
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.lstm = nn.LSTM(d_e, d, bidirectional=True, batch_first=True)
        self.bridge = nn.Linear(2 * d, d)

    def run(self, X, mask, suffix, steps):
        W, U = getattr(self.lstm, "weight_ih_l0" + suffix), getattr(self.lstm, "weight_hh_l0" + suffix)
        bias = getattr(self.lstm, "bias_ih_l0" + suffix) + getattr(self.lstm, "bias_hh_l0" + suffix)
        h = c = torch.zeros(X.shape[0], self.lstm.hidden_size)
        states = [None] * X.shape[1]
        for t in steps:
            i, f, g, o = (X[:, t] @ W.T + h @ U.T + bias).chunk(4, dim=1)
            new_c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            new_h = o.sigmoid() * new_c.tanh()
            real = mask[:, t : t + 1]
            h, c = torch.where(real, new_h, h), torch.where(real, new_c, c)
            states[t] = new_h * real
        return torch.stack(states, dim=1), h

    def forward(self, source, mask):
        X = self.embedding(source)
        forward, last = self.run(X, mask, "", range(X.shape[1]))
        backward, first = self.run(X, mask, "_reverse", reversed(range(X.shape[1])))
        s = self.bridge(torch.cat([last, first], dim=1)).tanh()
        return torch.cat([forward, backward], dim=2), s


# %% TranslationEncoder: last states reshaped with view
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        layers = {
            "embedding": nn.Embedding(n_words, d_e),
            "lstm": nn.LSTM(d_e, d, num_layers=1, bidirectional=True, batch_first=True),
            "bridge": nn.Linear(d * 2, d),
        }
        for name, layer in layers.items():
            self.add_module(name, layer)

    def forward(self, source, mask):
        n = torch.count_nonzero(mask, dim=1)
        packed = pack_padded_sequence(self.embedding(source), n, True, False)
        H, (h, _) = self.lstm(packed)
        H = pad_packed_sequence(H, True, 0, source.size(-1))[0]
        h = h.view(1, 2, len(source), -1)[0]
        return H, nn.functional.tanh(self.bridge(torch.cat((h[0], h[1]), -1)))


# %% TranslationEncoder: groups sentences of equal length
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.lstm = nn.LSTM(d_e, d, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d, d)

    def forward(self, source, mask):
        lengths = mask.sum(dim=1)
        d = self.lstm.hidden_size
        H = torch.zeros(*source.shape, 2 * d)
        s = torch.zeros(len(source), d)
        for n in lengths.unique().tolist():
            rows = torch.where(lengths == n)[0]
            states, (last, _) = self.lstm(self.embedding(source[rows, :n]))
            H[rows, :n] = states
            s[rows] = torch.tanh(self.bridge(torch.cat(tuple(last), dim=1)))
        return H, s


# %% TranslationDecoder: shapes written out
class TranslationDecoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super(TranslationDecoder, self).__init__()
        self.n_words, self.d_e, self.d = n_words, d_e, d
        self.embedding = nn.Embedding(n_words, d_e)
        self.gru = nn.GRU(input_size=d_e, hidden_size=d, num_layers=1, batch_first=True)
        self.output = nn.Linear(d, n_words)

    def forward(self, y, s):
        B, T = y.size()
        emb = self.embedding(y)  # (B, T, d_e)
        h_0 = s.view(1, B, self.d)
        out, h_n = self.gru(emb, h_0)
        out = out.reshape(B * T, self.d)
        logits = self.output(out)
        return logits.view(B, T, self.n_words), h_n.view(B, self.d)


# %% TranslationDecoder: the gates by hand
class TranslationDecoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.gru = nn.GRU(d_e, d, batch_first=True)
        self.output = nn.Linear(d, n_words)

    def cell(self, x, h):
        gi = F.linear(x, self.gru.weight_ih_l0, self.gru.bias_ih_l0).chunk(3, -1)
        gh = F.linear(h, self.gru.weight_hh_l0, self.gru.bias_hh_l0).chunk(3, -1)
        r = torch.sigmoid(gi[0] + gh[0])
        z = torch.sigmoid(gi[1] + gh[1])
        n = torch.tanh(gi[2] + r * gh[2])
        return (1 - z) * n + z * h

    def forward(self, y, s):
        states = []
        for x in self.embedding(y).unbind(dim=1):
            s = self.cell(x, s)
            states.append(s)
        return self.output(torch.stack(states, 1)), s


# %% TranslationDecoder: one sentence at a time
class TranslationDecoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.gru = nn.GRU(d_e, d, batch_first=True)
        self.output = nn.Linear(d, n_words)

    def forward(self, y, s):
        all_logits, all_states = [], []
        for ids, state in zip(y, s):
            states, last = self.gru(self.embedding(ids), state[None, :])
            all_logits.append(self.output(states))
            all_states.append(last[0])
        return torch.stack(all_logits), torch.stack(all_states)


# %% TranslationDecoder: transposes to time first and back
class TranslationDecoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.gru = nn.GRU(d_e, d, batch_first=True)
        self.output = nn.Linear(d, n_words)

    def forward(self, y, s):
        h = torch.stack([s], dim=0)
        S, h = self.gru(self.embedding(y.T).transpose(0, 1), h)
        scores = S @ self.output.weight.t() + self.output.bias
        return scores, h[-1, :, :]


# %% TranslationDecoder: annotated attributes
class TranslationDecoder(nn.Module):
    embedding: nn.Embedding
    gru: nn.GRU
    output: nn.Linear

    def __init__(self, n_words, d_e, d):
        nn.Module.__init__(self)
        self.embedding, self.output = nn.Embedding(n_words, d_e), nn.Linear(d, n_words)
        self.gru = nn.GRU(d_e, d, bias=True, batch_first=True, dropout=0.0, bidirectional=False)

    def forward(self, y: torch.Tensor, s: torch.Tensor):
        S, (last,) = self.gru(self.embedding(y), s[None, ...])
        return (self.output(S), last)


# %% translation_loss: gathers, sums and counts
def translation_loss(logits, y_out, padding=0):
    log_p = torch.log_softmax(logits, dim=-1)
    real = y_out.ne(padding).float()
    picked = torch.gather(log_p, 2, (y_out * real.long()).unsqueeze(2)).squeeze(2)
    return -torch.sum(picked * real) / torch.sum(real)


# %% translation_loss: CrossEntropyLoss over the transposed logits
def translation_loss(logits, y_out, padding=0):
    criterion = nn.CrossEntropyLoss(ignore_index=padding)
    return criterion(logits.transpose(1, 2), y_out)


# %% translation_loss: token by token
def translation_loss(logits, y_out, padding=0):
    total, n = 0, 0
    B, T, V = logits.shape
    for b in range(B):
        for t in range(T):
            word = y_out[b, t].item()
            if word == padding:
                continue
            total = total + torch.logsumexp(logits[b, t], dim=0) - logits[b, t, word]
            n += 1
    return total / n


# %% translation_loss: selects the real tokens first
def translation_loss(logits, y_out, padding=0):
    keep = y_out != padding
    return F.cross_entropy(logits[keep], y_out[keep], reduction="mean")


# %% translation_loss: no reduction, masked mean
def translation_loss(logits, y_out, padding=0):
    B, T = y_out.shape
    targets = y_out.masked_fill(y_out == padding, 0)
    losses = F.cross_entropy(logits.view(B * T, -1), targets.view(-1), reduction="none").view(B, T)
    losses = losses.masked_fill(y_out == padding, 0.0)
    return losses.sum() / (y_out != padding).sum()


# %% translation_loss: a stable softmax by hand in float64
def translation_loss(logits, y_out, padding=0):
    x = logits.double()
    x = x - x.max(dim=-1, keepdim=True).values
    log_p = x - x.exp().sum(dim=-1, keepdim=True).log()
    rows, columns = torch.nonzero(y_out != padding, as_tuple=True)
    loss = -log_p[rows, columns, y_out[rows, columns]].mean()
    return loss.to(logits.dtype)


# %% greedy_decode: a while loop over active sentences
def greedy_decode(step, s, bos, eos, max_length):
    if max_length < 1:
        raise ValueError("max_length has to be positive")
    B = len(s)
    results = {b: [] for b in range(B)}
    active = set(range(B))
    y = torch.LongTensor([[bos] for _ in range(B)])
    t = 0
    while active and t < max_length:
        logits, s = step(y, s)
        words = logits.squeeze(1).argmax(1).tolist()
        for b in list(active):
            if words[b] == eos:
                active.remove(b)
            else:
                results[b].append(words[b])
        y = torch.LongTensor(words).unsqueeze(1)
        t += 1
    return [results[b] for b in range(B)]


# %% greedy_decode: NumPy matrix of words and takewhile
def greedy_decode(step, s, bos, eos, max_length):
    from itertools import takewhile

    import numpy as np

    if max_length < 1:
        raise ValueError("max_length must not be smaller than one")
    words = np.full((len(s), max_length), eos)
    y = torch.tensor([bos]).repeat(len(s), 1)
    for t in range(max_length):
        logits, s = step(y, s)
        y = logits.argmax(dim=2)
        words[:, t] = y[:, 0].numpy()
    return [list(takewhile(lambda w: w != eos, row)) for row in words.tolist()]


# %% greedy_decode: softmax, no_grad and find eos
@torch.no_grad()
def greedy_decode(step, s, bos, eos, max_length):
    if not max_length > 0:
        raise ValueError("max_length should be larger than 0")
    y = s.new_full((s.shape[0], 1), bos).long()
    written = torch.empty(s.shape[0], 0, dtype=torch.long)
    for i in range(max_length):
        logits, s = step(y, s)
        probabilities = F.softmax(logits, dim=-1)
        y = probabilities.argmax(dim=-1)
        written = torch.cat([written, y], dim=1)
        if (written == eos).any(dim=1).all():
            break
    translations = []
    for row in written:
        ends = (row == eos).nonzero()
        if len(ends) > 0:
            row = row[: ends[0, 0]]
        translations.append(row.tolist())
    return translations


# %% clipped_matches: dictionaries with get
def clipped_matches(hypothesis, references, n):
    def count_ngrams(tokens):
        d = {}
        for i in range(len(tokens) - n + 1):
            ngram = tuple(tokens[i : i + n])
            d[ngram] = d.get(ngram, 0) + 1
        return d

    hyp_counts = count_ngrams(hypothesis)
    ref_counts = [count_ngrams(ref) for ref in references]
    matches = 0
    total = 0
    for ngram, count in hyp_counts.items():
        total += count
        max_ref = 0
        for rc in ref_counts:
            if ngram in rc and rc[ngram] > max_ref:
                max_ref = rc[ngram]
        if count > max_ref:
            matches += max_ref
        else:
            matches += count
    return matches, total


# %% clipped_matches: defaultdict of the maximum
def clipped_matches(hypothesis, references, n):
    from collections import defaultdict

    ngrams = lambda x: [tuple(x[i : i + n]) for i in range(0, len(x) - n + 1)]
    max_counts = defaultdict(int)
    for reference in references:
        for ngram, count in Counter(ngrams(reference)).items():
            max_counts[ngram] = max(max_counts[ngram], count)
    clipped = {g: min(c, max_counts[g]) for g, c in Counter(ngrams(hypothesis)).items()}
    return sum(clipped.values()), max(len(hypothesis) - n + 1, 0)


# %% clipped_matches: uses up an allowance
def clipped_matches(hypothesis, references, n):
    if len(hypothesis) < n:
        return 0, 0
    allowance = Counter()
    for ref in references:
        c = Counter(tuple(ref[i : i + n]) for i in range(len(ref) - n + 1))
        for k in c:
            if c[k] > allowance[k]:
                allowance[k] = c[k]
    matches = 0
    for i in range(len(hypothesis) - n + 1):
        gram = tuple(hypothesis[i : i + n])
        if allowance[gram] > 0:
            allowance[gram] -= 1
            matches += 1
    return matches, len(hypothesis) - n + 1


# %% clipped_matches: deque windows and functools
def clipped_matches(hypothesis, references, n):
    from collections import deque
    from functools import reduce
    from operator import or_

    def windows(tokens):
        window, seen = deque(maxlen=n), Counter()
        for token in tokens:
            window.append(token)
            if len(window) == n:
                seen[tuple(window)] += 1
        return seen

    mine = windows(hypothesis)
    return sum((mine & reduce(or_, map(windows, references))).values()), sum(mine.values())


# %% clipped_matches: sorted groups
def clipped_matches(hypothesis, references, n):
    from itertools import groupby

    def count(tokens):
        grams = sorted(list(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
        return {"\t".join(map(str, gram)): len(list(same)) for gram, same in groupby(grams)}

    ours = count(hypothesis)
    theirs = [count(r) for r in references]
    matches = sum(min(ours[g], max([r[g] for r in theirs if g in r], default=0)) for g in ours)
    return matches, sum(ours.values())


# %% corpus_bleu: statistics.geometric_mean
def corpus_bleu(hypotheses, references, max_n=4):
    from statistics import geometric_mean

    if len(hypotheses) == 0:
        raise ValueError("no sentences")
    if len(hypotheses) != len(references):
        raise ValueError("different lengths")
    if not all(len(r) > 0 for r in references):
        raise ValueError("missing references")
    precisions = []
    for n in range(1, max_n + 1):
        pairs = [clipped_matches(h, rs, n) for h, rs in zip(hypotheses, references)]
        correct, total = sum(p[0] for p in pairs), sum(p[1] for p in pairs)
        if correct == 0 or total == 0:
            return 0.0
        precisions.append(correct / total)
    c = sum(len(h) for h in hypotheses)
    r = sum(
        min((len(ref) for ref in rs), key=lambda x: (abs(x - len(h)), x))
        for h, rs in zip(hypotheses, references)
    )
    bp = 1 if c >= r else math.exp(1 - r / c)
    return bp * geometric_mean(precisions) * 100


# %% corpus_bleu: NumPy
def corpus_bleu(hypotheses, references, max_n=4):
    import numpy as np

    if len(hypotheses) != len(references) or len(hypotheses) < 1 or [] in list(references):
        raise ValueError("hypotheses and references have to belong together")
    matches, totals = np.zeros(max_n), np.zeros(max_n)
    hyp_len = ref_len = 0
    for hyp, refs in zip(hypotheses, references):
        for n in range(max_n):
            m, t = clipped_matches(hyp, refs, n + 1)
            matches[n] += m
            totals[n] += t
        hyp_len += len(hyp)
        lens = np.sort([len(ref) for ref in refs])
        ref_len += lens[np.abs(lens - len(hyp)).argmin()]
    if np.any(matches == 0):
        return 0.0
    brevity = min(1.0, np.exp(1 - ref_len / hyp_len))
    return 100 * brevity * np.exp(np.log(matches / totals).mean())


# %% corpus_bleu: math.prod of the ratios
def corpus_bleu(hypotheses, references, max_n=4):
    if not hypotheses:
        raise ValueError("empty corpus")
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses, {len(references)} references")
    numerators, denominators, lengths = [0] * max_n, [0] * max_n, [0, 0]
    for hypothesis, refs in zip(hypotheses, references):
        if not refs:
            raise ValueError("each sentence needs at least one reference")
        lengths[0] += len(hypothesis)
        distances = {}
        for ref in refs:
            distances.setdefault(abs(len(ref) - len(hypothesis)), []).append(len(ref))
        lengths[1] += min(distances[min(distances)])
        for i in range(max_n):
            m, t = clipped_matches(hypothesis, refs, i + 1)
            numerators[i] += m
            denominators[i] += t
    if 0 in numerators or 0 in denominators:
        return 0
    product = math.prod(a / b for a, b in zip(numerators, denominators))
    bleu = product ** (1 / max_n)
    if lengths[0] < lengths[1]:
        bleu *= math.e ** (1 - lengths[1] / lengths[0])
    return bleu * 100


# %% corpus_bleu: fractions and try
def corpus_bleu(hypotheses, references, max_n=4):
    from fractions import Fraction

    try:
        pairs = list(zip(hypotheses, references, strict=True))
    except ValueError as error:
        raise ValueError("each hypothesis needs references") from error
    if not pairs or min(len(refs) for _, refs in pairs) == 0:
        raise ValueError("no hypothesis, or no reference for one")
    log = 0.0
    for n in range(1, max_n + 1):
        m, t = map(sum, zip(*(clipped_matches(h, rs, n) for h, rs in pairs)))
        try:
            log += math.log(Fraction(m, t))
        except (ZeroDivisionError, ValueError):
            return 0.0
    c, r = 0, 0
    for h, rs in pairs:
        c += len(h)
        r += sorted((abs(len(x) - len(h)), len(x)) for x in rs)[0][1]
    return 100 * math.exp(log / max_n + min(0, 1 - r / c))


# %% corpus_bleu: a dataclass that adds up
def corpus_bleu(hypotheses, references, max_n=4):
    from dataclasses import dataclass, field

    @dataclass
    class Stats:
        match: Counter = field(default_factory=Counter)
        total: Counter = field(default_factory=Counter)
        length: int = 0
        closest: int = 0

        def add(self, h, rs):
            if len(rs) == 0:
                raise ValueError("a sentence without references")
            for n in range(1, max_n + 1):
                m, t = clipped_matches(h, rs, n)
                self.match[n] += m
                self.total[n] += t
            self.length += len(h)
            self.closest += min(rs, key=lambda r: (abs(len(r) - len(h)), len(r))).__len__()

        def score(self):
            if any(self.match[n] == 0 for n in range(1, max_n + 1)):
                return 0.0
            p = [math.log(self.match[n] / self.total[n]) for n in range(1, max_n + 1)]
            bp = 1.0 if self.length > self.closest else math.exp(1 - self.closest / self.length)
            return 100.0 * bp * math.exp(math.fsum(p) / max_n)

    if len(hypotheses) == 0 or len(references) != len(hypotheses):
        raise ValueError("check the number of sentences")
    stats = Stats()
    for h, rs in zip(hypotheses, references):
        stats.add(h, rs)
    return stats.score()


# %% BahdanauAttention: two loops over pairs
class BahdanauAttention(nn.Module):
    def __init__(self, d_s, d_h, d_a):
        super().__init__()
        self.W = nn.Linear(d_s, d_a, bias=False)
        self.U = nn.Linear(d_h, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)

    def forward(self, S, H, mask):
        B, T, _ = S.shape
        L = H.shape[1]
        scores = torch.zeros(B, T, L)
        for t in range(T):
            for i in range(L):
                scores[:, t, i] = self.v(torch.tanh(self.W(S[:, t]) + self.U(H[:, i])))[:, 0]
        scores = scores.masked_fill(mask.unsqueeze(1).expand(B, T, L) == False, -float("inf"))  # noqa
        a = F.softmax(scores, dim=-1)
        return torch.bmm(a, H), a


# %% BahdanauAttention: a large negative number added
class BahdanauAttention(nn.Module):
    def __init__(self, d_s, d_h, d_a):
        super(BahdanauAttention, self).__init__()
        self.W, self.U = nn.Linear(d_s, d_a, False), nn.Linear(d_h, d_a, False)
        self.v = nn.Linear(d_a, 1, False)

    def forward(self, S, H, mask):
        proj_s = self.W(S).unsqueeze(2).repeat(1, 1, H.size(1), 1)
        proj_h = self.U(H).unsqueeze(1).repeat(1, S.size(1), 1, 1)
        energy = self.v(torch.tanh(proj_s + proj_h)).squeeze(3)
        energy = energy + (1.0 - mask.float()).unsqueeze(1) * -1e9
        attention = torch.softmax(energy, dim=2)
        context = (attention.unsqueeze(-1) * H.unsqueeze(1)).sum(dim=2)
        return context, attention


# %% BahdanauAttention: exponentials times the mask
class BahdanauAttention(nn.Module):
    def __init__(self, d_s, d_h, d_a):
        super().__init__()
        self.W = nn.Linear(d_s, d_a, bias=False)
        self.U = nn.Linear(d_h, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)

    def score(self, S, H):
        return self.v((self.W(S)[:, :, None, :] + self.U(H)[:, None, :, :]).tanh())[:, :, :, 0]

    def forward(self, S, H, mask):
        e = torch.exp(self.score(S, H)) * mask[:, None, :]
        alpha = e / e.sum(-1, keepdim=True)
        return torch.einsum("ijk,ikl->ijl", alpha, H), alpha


# %% BahdanauAttention: one sentence at a time, only real states
class BahdanauAttention(nn.Module):
    def __init__(self, d_s, d_h, d_a):
        super().__init__()
        self.W = nn.Linear(d_s, d_a, bias=False)
        self.U = nn.Linear(d_h, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)

    def forward(self, S, H, mask):
        contexts, weights = [], []
        for s, h, m in zip(S, H, mask):
            real = h[m]
            r = self.v(torch.tanh(self.W(s)[:, None] + self.U(real)[None]))[..., 0]
            a = r.softmax(dim=1)
            contexts.append(a @ real)
            full = torch.zeros(len(s), len(h))
            full[:, m] = a
            weights.append(full)
        return torch.stack(contexts), torch.stack(weights)


# %% BahdanauAttention: bmm with v and finfo
class BahdanauAttention(nn.Module):
    def __init__(self, d_s, d_h, d_a):
        super().__init__()
        for name, n_in, n_out in [("W", d_s, d_a), ("U", d_h, d_a), ("v", d_a, 1)]:
            setattr(self, name, nn.Linear(n_in, n_out, bias=False))

    def forward(self, S, H, mask):
        B, T, L = S.size(0), S.size(1), H.size(1)
        hidden = torch.tanh(self.W(S).view(B, T, 1, -1) + self.U(H).view(B, 1, L, -1))
        v = self.v.weight.expand(B, 1, -1).transpose(1, 2)
        r = torch.bmm(hidden.reshape(B, T * L, -1), v).reshape(B, T, L)
        r = r.masked_fill(torch.logical_not(mask[:, None, :]), torch.finfo(r.dtype).min)
        a = nn.Softmax(dim=-1)(r)
        return a.matmul(H), a


# %% LuongAttention: a method per score
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        scores = {"dot": self.dot, "general": self.general, "concat": self.concat}
        if kind not in scores:
            raise ValueError(f"choose one of {list(scores)}")
        if kind == "dot" and d_h != d_s:
            raise ValueError("dot needs d_s == d_h")
        self.score = scores[kind]
        if kind != "dot":
            self.W = nn.Linear(d_h if kind == "general" else d_s + d_h, d_s, bias=False)
        if kind == "concat":
            self.v = nn.Linear(d_s, 1, bias=False)

    def dot(self, S, H):
        return S @ H.transpose(-2, -1)

    def general(self, S, H):
        return S @ self.W(H).transpose(-2, -1)

    def concat(self, S, H):
        B, T, L = S.shape[0], S.shape[1], H.shape[1]
        s = S.unsqueeze(2).expand(B, T, L, S.shape[2])
        h = H.unsqueeze(1).expand(B, T, L, H.shape[2])
        return self.v(torch.tanh(self.W(torch.cat((s, h), -1)))).squeeze(-1)

    def forward(self, S, H, mask):
        scores = self.score(S, H)
        scores[(~mask)[:, None, :].expand_as(scores)] = float("-inf")
        a = F.softmax(scores, dim=-1)
        return a @ H, a


# %% LuongAttention: einsum for everything
class LuongAttention(nn.Module):
    KINDS = "dot", "general", "concat"

    def __init__(self, d_s, d_h, kind):
        super().__init__()
        if kind not in self.KINDS:
            raise ValueError("kind!")
        if kind == "dot" and d_s != d_h:
            raise ValueError("sizes!")
        self.kind, self.d_s = kind, d_s
        if kind in ("general", "concat"):
            self.W = nn.Linear(d_h + d_s * (kind == "concat"), d_s, bias=False)
        if kind == "concat":
            self.v = nn.Linear(d_s, 1, bias=False)

    def forward(self, S, H, mask):
        if self.kind == "dot":
            r = torch.einsum("btd,bld->btl", S, H)
        elif self.kind == "general":
            r = torch.einsum("bts,sh,blh->btl", S, self.W.weight, H)
        else:
            s = torch.einsum("btd,ad->bta", S, self.W.weight[:, : self.d_s])
            h = torch.einsum("bld,ad->bla", H, self.W.weight[:, self.d_s :])
            hidden = torch.tanh(s.unsqueeze(2) + h.unsqueeze(1))
            r = torch.einsum("btla,oa->btl", hidden, self.v.weight)
        r = torch.where(mask[:, None, :], r, torch.tensor(-float("inf")))
        a = torch.softmax(r, -1)
        return torch.einsum("btl,blh->bth", a, H), a


# %% LuongAttention: match and add_module
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        match kind:
            case "dot":
                if d_s != d_h:
                    raise ValueError("the decoder's and encoder's states need the same size")
            case "general":
                self.add_module("W", nn.Linear(d_h, d_s, bias=False))
            case "concat":
                self.add_module("W", nn.Linear(d_s + d_h, d_s, bias=False))
                self.add_module("v", nn.Linear(d_s, 1, bias=False))
            case _:
                raise ValueError("unknown attention")
        self.method = kind

    def forward(self, S, H, mask):
        match self.method:
            case "dot":
                r = torch.matmul(S, H.permute(0, 2, 1))
            case "general":
                r = torch.matmul(self.W(H), S.permute(0, 2, 1)).permute(0, 2, 1)
            case "concat":
                rows = []
                for t in range(S.shape[1]):
                    s = S[:, t : t + 1].expand(-1, H.shape[1], -1)
                    rows.append(self.v(torch.tanh(self.W(torch.cat([s, H], dim=2)))))
                r = torch.cat(rows, dim=2).transpose(1, 2)
        r = r.masked_fill(mask[:, None].logical_not(), -1e10)
        a = r.softmax(dim=-1)
        return torch.matmul(a, H), a


# %% LuongAttention: pairs in lists, the softmax by hand
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        self.kind = kind.lower()
        if self.kind == "dot":
            if d_s - d_h != 0:
                raise ValueError("d_s is not d_h")
        elif self.kind == "general":
            self.W = nn.Linear(d_h, d_s, bias=False)
        elif self.kind == "concat":
            self.W = nn.Linear(d_h + d_s, d_s, bias=False)
            self.v = nn.Linear(d_s, 1, bias=False)
        else:
            raise ValueError("only dot, general, concat")

    def forward(self, S, H, mask):
        if self.kind == "concat":
            pairs = [
                [torch.cat([S[:, t], H[:, i]], dim=-1) for i in range(H.shape[1])]
                for t in range(S.shape[1])
            ]
            pairs = torch.stack([torch.stack(row, dim=1) for row in pairs], dim=1)
            r = self.v(torch.tanh(self.W(pairs))).flatten(2)
        else:
            keys = self.W(H) if self.kind == "general" else H
            r = (S[:, :, None] * keys[:, None]).sum(-1)
        r = r - r.max(dim=-1, keepdim=True).values
        e = r.exp() * mask.unsqueeze(1).to(r.dtype)
        a = e / e.sum(dim=-1, keepdim=True)
        return (a[..., None] * H[:, None]).sum(2), a


# %% LuongAttention: a projection per kind
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        if not (kind == "dot" or kind == "general" or kind == "concat"):
            raise ValueError(repr(kind) + " is no score function")
        if kind == "dot":
            if d_s != d_h:
                raise ValueError(f"{d_s} != {d_h}")
            self.project = lambda H: H
        if kind == "general":
            self.W = nn.Linear(d_h, d_s, bias=False)
            self.project = lambda H: self.W(H)
        if kind == "concat":
            self.W = nn.Linear(d_s + d_h, d_s, bias=False)
            self.v = nn.Linear(d_s, 1, bias=False)
        self.kind = kind

    def forward(self, S, H, mask):
        if self.kind != "concat":
            energies = torch.bmm(self.project(H), S.mT).mT
        else:
            b, t, d_s = S.shape
            _, l, d_h = H.shape
            x = torch.empty(b, t, l, d_s + d_h)
            x[..., :d_s] = S[:, :, None]
            x[..., d_s:] = H[:, None]
            energies = self.v(self.W(x).tanh()).view(b, t, l)
        penalty = torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))
        weights = torch.softmax(energies + penalty[:, None], dim=-1)
        return torch.bmm(weights, H), weights


# %% AttentionDecoder: a loop over the steps of the GRU cell
class AttentionDecoder(nn.Module):
    def __init__(self, n_words, d_e, d, attention):
        super(AttentionDecoder, self).__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.gru = nn.GRU(d_e, d, batch_first=True)
        self.attention = attention
        self.combine = nn.Linear(3 * d, d)
        self.output = nn.Linear(d, n_words)

    def forward(self, y, s, H, mask):
        hidden = s[None].contiguous()
        all_logits, all_weights = [], []
        for t in range(y.size(1)):
            emb = self.embedding(y[:, t]).unsqueeze(1)
            state, hidden = self.gru(emb, hidden)
            context, weights = self.attention(state, H, mask)
            tilde = torch.tanh(self.combine(torch.cat((context.squeeze(1), state.squeeze(1)), dim=1)))
            all_logits.append(self.output(tilde))
            all_weights.append(weights.squeeze(1))
        return torch.stack(all_logits, 1), hidden.squeeze(0), torch.stack(all_weights, 1)


# %% AttentionDecoder: inherits from TranslationDecoder
class AttentionDecoder(TranslationDecoder):
    def __init__(self, n_words, d_e, d, attention):
        super().__init__(n_words, d_e, d)
        self.attention = attention
        self.combine = nn.Linear(3 * d, d)

    def forward(self, y, s, H, mask):
        S, last = self.gru(self.embedding(y), s.unsqueeze(0))
        C, a = self.attention(S, H, mask)
        return self.output(torch.tanh(self.combine(torch.cat([C, S], 2)))), last.squeeze(0), a


# %% AttentionDecoder: context and state in one new tensor
class AttentionDecoder(nn.Module):
    def __init__(self, n_words, d_e, d, attention):
        super().__init__()
        self.d = d
        self.attention = attention
        self.output = nn.Linear(d, n_words)
        self.combine = nn.Linear(d * 3, d)
        self.gru = nn.GRU(input_size=d_e, hidden_size=d, batch_first=True)
        self.embedding = nn.Embedding(n_words, d_e)

    def forward(self, y, s, H, mask):
        B, T = y.shape
        S, _ = self.gru(self.embedding(y), s.view(1, B, self.d))
        C, a = self.attention(S, H, mask)
        both = torch.zeros(B, T, 3 * self.d)
        both[:, :, : 2 * self.d] = C
        both[:, :, 2 * self.d :] = S
        logits = F.linear(F.linear(both, self.combine.weight, self.combine.bias).tanh(), self.output.weight)
        return logits + self.output.bias, S[:, -1], a


# %% AttentionDecoder: one sentence at a time
class AttentionDecoder(nn.Module):
    def __init__(self, n_words, d_e, d, attention):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.gru = nn.GRU(d_e, d, batch_first=True)
        self.attention = attention
        self.combine = nn.Linear(3 * d, d)
        self.output = nn.Linear(d, n_words)

    def one(self, y, s, H, mask):
        S, last = self.gru(self.embedding(y), s)
        C, a = self.attention(S[None], H[None], mask[None])
        joint = torch.hstack([C[0], S])
        return self.output(self.combine(joint).tanh()), last[0], a[0]

    def forward(self, y, s, H, mask):
        found = [self.one(y[b], s[b : b + 1], H[b], mask[b]) for b in range(len(y))]
        return tuple(torch.stack(part) for part in zip(*found))


# %% AttentionDecoder: nn.Sequential over the same layers
class AttentionDecoder(nn.Module):
    def __init__(self, n_words, d_e, d, attention):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.gru = nn.GRU(d_e, d, batch_first=True)
        self.attention = attention
        self.combine = nn.Linear(3 * d, d)
        self.output = nn.Linear(d, n_words)
        self.head = nn.Sequential(self.combine, nn.Tanh(), self.output)

    def forward(self, y, s, H, mask):
        states, last = self.gru(self.embedding(y), s[None])
        context, weights = self.attention(S=states, H=H, mask=mask)
        return self.head(torch.cat([context, states], dim=-1)), last[0], weights


# %% read_alignment: enumerate and torch.max
def read_alignment(a, source, target):
    if len(source) == 0:
        raise ValueError("empty source")
    if len(source) > a.shape[1]:
        raise ValueError("source too long")
    if len(target) > a.shape[0]:
        raise ValueError("target too long")
    out = []
    for t, word in enumerate(target):
        _, index = torch.max(a[t, : len(source)], dim=0)
        out.append((word, source[index.item()]))
    return out


# %% read_alignment: NumPy
def read_alignment(a, source, target):
    import numpy as np

    a = a.detach().cpu().numpy()
    T, L = a.shape
    if not 0 < len(source) <= L or len(target) > T:
        raise ValueError("a has the wrong shape")
    if len(target) == 0:
        return []
    columns = np.argmax(a[: len(target), : len(source)], axis=-1)
    return list(zip(target, [source[c] for c in columns]))


# %% read_alignment: max with a key
def read_alignment(a, source, target):
    n, m = len(source), len(target)
    if n < 1 or a.size(1) < n or a.size(0) < m:
        raise ValueError(f"cannot align {n} with {m} words")
    return [(target[t], source[max(range(n), key=lambda i: a[t][i].item())]) for t in range(m)]


# %% read_alignment: sorts by weight, stably
def read_alignment(a, source, target):
    rows, columns = a.shape
    if not source:
        raise ValueError("nothing to align with")
    if columns < len(source) or rows < len(target):
        raise ValueError("too few weights")
    pairs = []
    for row, word in zip(a.tolist(), target):
        ranked = sorted(zip(row, source), key=lambda pair: pair[0], reverse=True)
        pairs.append((word, ranked[0][1]))
    return pairs


# %% read_alignment: a generator
def read_alignment(a, source, target):
    if len(source) not in range(1, a.shape[1] + 1):
        raise ValueError("source")
    if len(target) not in range(a.shape[0] + 1):
        raise ValueError("target")

    def pairs():
        for t in range(len(target)):
            best, most = None, -math.inf
            for i, word in enumerate(source):
                if float(a[t, i]) > most:
                    best, most = word, float(a[t, i])
            yield target[t], best

    return list(pairs())


# %% bleu_by_length: a defaultdict of buckets
def bleu_by_length(hypotheses, references, lengths, edges):
    from collections import defaultdict

    if len(hypotheses) != len(lengths):
        raise ValueError("Need exactly one length per hypothesis")
    for i in range(1, len(edges)):
        if edges[i] <= edges[i - 1]:
            raise ValueError("Edges must be strictly increasing")
    buckets = defaultdict(list)
    for idx, length in enumerate(lengths):
        which = -1
        for k, edge in enumerate(edges):
            if length >= edge:
                which = k
        if which >= 0:
            buckets[which].append(idx)
    result = {}
    for k in sorted(buckets):
        if k == len(edges) - 1:
            label = str(edges[k]) + "+"
        else:
            label = str(edges[k]) + "-" + str(edges[k + 1] - 1)
        result[label] = corpus_bleu(
            [hypotheses[i] for i in buckets[k]], [references[i] for i in buckets[k]]
        )
    return result


# %% bleu_by_length: an OrderedDict
def bleu_by_length(hypotheses, references, lengths, edges):
    from collections import OrderedDict

    if len(lengths) != len(hypotheses):
        raise ValueError("lengths")
    if sorted(set(edges)) != list(edges):
        raise ValueError("edges")
    scores = OrderedDict()
    ends = [e - 1 for e in edges[1:]] + [10**9]
    for start, end in zip(edges, ends):
        triples = [x for x in zip(hypotheses, references, lengths) if start <= x[2] <= end]
        if not triples:
            continue
        name = f"{start}+" if end == 10**9 else f"{start}-{end}"
        scores[name] = corpus_bleu([h for h, _, _ in triples], [r for _, r, _ in triples])
    return scores


# %% bleu_by_length: NumPy digitize
def bleu_by_length(hypotheses, references, lengths, edges):
    import numpy as np

    if len(lengths) != len(hypotheses):
        raise ValueError("the numbers of lengths and translations differ")
    if np.any(np.diff(edges) <= 0):
        raise ValueError("the edges have to increase")
    which = np.digitize(lengths, edges) - 1
    result = {}
    for k in range(len(edges)):
        members = np.where(which == k)[0]
        if len(members) == 0:
            continue
        label = "{}-{}".format(edges[k], edges[k + 1] - 1) if k + 1 < len(edges) else "%d+" % edges[k]
        result[label] = corpus_bleu([hypotheses[i] for i in members], [references[i] for i in members])
    return result


# %% bleu_by_length: itertools.pairwise and compress
def bleu_by_length(hypotheses, references, lengths, edges):
    from itertools import compress, pairwise

    if len(hypotheses) != len(lengths) or not all(a < b for a, b in pairwise(edges)):
        raise ValueError("bad lengths or edges")
    found = {}
    for low, high in pairwise([*edges, float("inf")]):
        inside = [low <= n < high for n in lengths]
        if any(inside):
            name = f"{low}+" if math.isinf(high) else f"{low}-{high - 1}"
            found[name] = corpus_bleu(
                list(compress(hypotheses, inside)), list(compress(references, inside))
            )
    return found


# %% bleu_by_length: recursion over the edges
def bleu_by_length(hypotheses, references, lengths, edges):
    if len(lengths) != len(hypotheses):
        raise ValueError("one length each, please")
    if not edges:
        return {}
    low, *rest = edges
    if rest and rest[0] <= low:
        raise ValueError("edges out of order")
    mine = [i for i, n in enumerate(lengths) if n >= low and (not rest or n < rest[0])]
    first = {}
    if mine:
        name = f"{low}-{rest[0] - 1}" if rest else f"{low}+"
        first[name] = corpus_bleu([hypotheses[i] for i in mine], [references[i] for i in mine])
    return {**first, **bleu_by_length(hypotheses, references, lengths, rest)}


# %% BahdanauAttention: tanh and v in a Sequential
class BahdanauAttention(nn.Module):
    def __init__(self, d_s, d_h, d_a):
        super().__init__()
        self.W = nn.Linear(d_s, d_a, bias=False)
        self.U = nn.Linear(d_h, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)
        self.score = nn.Sequential(nn.Tanh(), self.v, nn.Flatten(2))
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, S, H, mask):
        r = self.score(self.W(S).unsqueeze(2) + self.U(H).unsqueeze(1))
        a = self.softmax(r.masked_fill(~mask.unsqueeze(1), float("-inf")))
        return a @ H, a


# %% BahdanauAttention: float64 inside
class BahdanauAttention(nn.Module):
    def __init__(self, d_s, d_h, d_a):
        super().__init__()
        self.W = nn.Linear(d_s, d_a, bias=None)
        self.U = nn.Linear(d_h, d_a, bias=None)
        self.v = nn.Linear(d_a, 1, bias=None)

    def forward(self, S, H, mask):
        r = self.v(torch.tanh(self.W(S)[:, :, None] + self.U(H)[:, None])).squeeze(-1)
        r = r.to(torch.float64)
        r.masked_fill_(~mask[:, None], -math.inf)
        a = torch.softmax(r, dim=2).to(S.dtype)
        return torch.matmul(a, H), a


# %% LuongAttention: the score of concat in a Sequential
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        if kind not in {"dot", "general", "concat"}:
            raise ValueError("wrong kind")
        self.kind = kind
        if kind == "concat":
            self.W = nn.Linear(d_s + d_h, d_s, bias=False)
            self.v = nn.Linear(d_s, 1, bias=False)
            self.layers = nn.Sequential(self.W, nn.Tanh(), self.v)
        elif kind == "general":
            self.W = nn.Linear(d_h, d_s, bias=False)
            self.keys = self.W
        elif d_s == d_h:
            self.keys = nn.Identity()
        else:
            raise ValueError("dot product of vectors of different sizes")

    def forward(self, S, H, mask):
        if self.kind == "concat":
            n_t, n_l = S.shape[1], H.shape[1]
            s = S.repeat_interleave(n_l, dim=1)
            h = H.repeat(1, n_t, 1)
            r = self.layers(torch.cat([s, h], dim=2)).view(-1, n_t, n_l)
        else:
            r = torch.matmul(S, self.keys(H).transpose(1, 2))
        r = r.masked_fill(~mask.unsqueeze(1), float("-inf"))
        a = F.softmax(r, dim=-1)
        return torch.matmul(a, H), a


# %% LuongAttention: dot-product attention from PyTorch
class LuongAttention(nn.Module):
    def __init__(self, d_s, d_h, kind):
        super().__init__()
        needed = {
            "dot": [],
            "general": [("W", d_h, d_s)],
            "concat": [("W", d_s + d_h, d_s), ("v", d_s, 1)],
        }
        if kind not in needed or kind == "dot" and d_s != d_h:
            raise ValueError("kind or sizes are wrong")
        for name, n_in, n_out in needed[kind]:
            setattr(self, name, nn.Linear(n_in, n_out, bias=False))
        self.kind = kind

    def forward(self, S, H, mask):
        allowed = mask.unsqueeze(1).expand(-1, S.shape[1], -1)
        if self.kind == "concat":
            S_part = S @ self.W.weight.T[: S.shape[-1]]
            H_part = H @ self.W.weight.T[S.shape[-1] :]
            r = self.v(torch.tanh(S_part[:, :, None] + H_part[:, None]))[..., 0]
            a = r.masked_fill(~allowed, -1e9).softmax(-1)
            return a @ H, a
        K = self.W(H) if self.kind == "general" else H
        C = F.scaled_dot_product_attention(S, K, H, attn_mask=allowed, scale=1.0)
        eye = torch.eye(H.shape[1]).expand(len(H), -1, -1)
        a = F.scaled_dot_product_attention(S, K, eye, attn_mask=allowed, scale=1.0)
        return C, a


# %% TranslationDecoder: the layers in a ModuleList too
class TranslationDecoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.gru = nn.GRU(d_e, d, batch_first=True)
        self.output = nn.Linear(d, n_words)
        self.layers = nn.ModuleList([self.embedding, self.gru, self.output])

    def forward(self, y, s):
        embed, run, score = self.layers
        states, last = run(embed(y), s.unsqueeze(0))
        return score(states), last.squeeze(0)


# %% TranslationEncoder: reverses the sentences by hand
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e)
        self.lstm = nn.LSTM(d_e, d, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d, d)
        self.tanh = nn.Tanh()

    def forward(self, source, mask):
        lengths = mask.sum(1)
        position = torch.arange(source.shape[1])
        back = (lengths[:, None] - 1 - position).clamp(min=0)
        X = self.embedding(source)
        weights = [p for p in self.lstm.parameters()]
        zero = torch.zeros(1, len(source), self.lstm.hidden_size)

        def run(inputs, part):
            return torch.lstm(inputs, (zero, zero), part, True, 1, 0.0, False, False, True)[0]

        forward = run(X, weights[:4])
        reverse = run(X[torch.arange(len(X))[:, None], back], weights[4:])
        rows = torch.arange(len(X))
        s = torch.cat([forward[rows, lengths - 1], reverse[rows, lengths - 1]], dim=1)
        backward = reverse[rows[:, None], back]
        H = torch.cat([forward, backward], dim=2) * mask[:, :, None]
        return H, self.tanh(self.bridge(s))


# %% clipped_matches: NumPy counts
def clipped_matches(hypothesis, references, n):
    import numpy as np

    grams = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
    if not grams:
        return 0, 0
    distinct = list(dict.fromkeys(grams))
    table = np.zeros((len(references), len(distinct)), dtype=int)
    for r, ref in enumerate(references):
        for i in range(len(ref) - n + 1):
            gram = tuple(ref[i : i + n])
            if gram in distinct:
                table[r, distinct.index(gram)] += 1
    ours = np.array([grams.count(g) for g in distinct])
    return int(np.minimum(ours, table.max(axis=0)).sum()), len(grams)


# %% clipped_matches: subtracts what is left over
def clipped_matches(hypothesis, references, n):
    def ngrams(tokens):
        result = Counter()
        for start in range(len(tokens)):
            if start + n <= len(tokens):
                result[" ".join(map(str, tokens[start : start + n]))] += 1
        return result

    ours, most = ngrams(hypothesis), Counter()
    for reference in references:
        most = most | ngrams(reference)
    left_over = ours - most
    total = sum(ours.values())
    return total - sum(left_over.values()), total


# %% greedy_decode: deques that start with bos
def greedy_decode(step, s, bos, eos, max_length):
    from collections import deque

    if max_length < 1:
        raise ValueError("max_length below 1")
    sentences = [deque([bos]) for _ in range(len(s))]
    for _ in range(max_length):
        logits, s = step(torch.tensor([[words[-1]] for words in sentences]), s)
        for words, scores in zip(sentences, logits.tolist()):
            best = scores[0].index(max(scores[0]))
            words.append(eos if words[-1] == eos and len(words) > 1 else best)
    found = []
    for words in sentences:
        words.popleft()
        while words and words[-1] == eos:
            words.pop()
        found.append(list(words))
    return found


# %% translation_loss: NLLLoss summed and divided
def translation_loss(logits, y_out, padding=0):
    loss = nn.NLLLoss(ignore_index=padding, reduction="sum")
    scores = nn.LogSoftmax(dim=2)(logits)
    n_tokens = torch.numel(y_out) - int((y_out == padding).sum())
    return loss(scores.flatten(end_dim=1), y_out.flatten()) / n_tokens


# %% TranslationEncoder: row 0 is padding
class TranslationEncoder(nn.Module):
    def __init__(self, n_words, d_e, d):
        super().__init__()
        self.embedding = nn.Embedding(n_words, d_e, padding_idx=0)
        self.lstm = nn.LSTM(d_e, d, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d, d)

    def forward(self, source, mask):
        lengths = mask.sum(dim=1)
        packed = pack_padded_sequence(
            self.embedding(source), lengths, batch_first=True, enforce_sorted=False
        )
        states, (h, _) = self.lstm(packed)
        H, _ = pad_packed_sequence(states, batch_first=True, total_length=mask.shape[1])
        return H, torch.tanh(self.bridge(torch.cat((h[0], h[1]), dim=1)))
