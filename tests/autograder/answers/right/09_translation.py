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
    picked = torch.gather(log_p, 2, y_out.unsqueeze(2)).squeeze(2)
    real = y_out.ne(padding).float()
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
    losses = F.cross_entropy(logits.view(B * T, -1), y_out.view(-1), reduction="none").view(B, T)
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


# %% greedy_decode: drops finished sentences from the batch
def greedy_decode(step, s, bos, eos, max_length):
    if max_length <= 0:
        raise ValueError("need at least one step")
    out = [[] for _ in range(s.size(0))]
    index = torch.arange(s.size(0))
    y = torch.full((s.size(0), 1), bos, dtype=torch.long)
    for _ in range(max_length):
        logits, s = step(y, s)
        y = logits[:, -1, :].topk(1, dim=-1).indices
        keep = (y != eos).squeeze(1)
        y, s, index = y[keep], s[keep], index[keep]
        if index.numel() == 0:
            break
        for i, w in zip(index.tolist(), y.squeeze(1).tolist()):
            out[i].append(w)
    return out


# %% greedy_decode: recursion
def greedy_decode(step, s, bos, eos, max_length):
    if max_length < 1:
        raise ValueError(max_length)

    def go(word, state, left):
        if left == 0:
            return []
        logits, state = step(torch.tensor([[word]]), state)
        word = torch.argmax(logits.flatten()).item()
        return [] if word == eos else [word] + go(word, state, left - 1)

    return [go(bos, s[b : b + 1], max_length) for b in range(len(s))]


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
