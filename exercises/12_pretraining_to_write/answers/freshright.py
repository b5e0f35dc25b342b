# %% CausalBlock: one head after another, softmax by hand
class CausalBlock(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.d_k, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError("d_model is not a multiple of n_heads")
        self.W_2, self.W_1 = nn.Linear(4 * d_model, d_model), nn.Linear(d_model, 4 * d_model)
        for letter in "OVKQ":
            self.add_module(f"W_{letter}", nn.Linear(d_model, d_model))
        self.norm_2, self.norm_1 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None, past=None):
        Y = self.norm_1(X)
        T, P = X.shape[1], 0 if past is None else past[0].shape[2]
        if mask is None:
            mask = torch.arange(P + T)[None, :] <= torch.arange(P, P + T)[:, None]
        closed = torch.zeros(mask.shape).masked_fill(mask.logical_not(), -math.inf)
        outs, Ks, Vs = [], [], []
        q, k, v = self.W_Q(Y), self.W_K(Y), self.W_V(Y)
        for h in range(self.n_heads):
            part = slice(h * self.d_k, (h + 1) * self.d_k)
            kh, vh = k[..., part], v[..., part]
            if past is not None:
                kh, vh = torch.cat([past[0][:, h], kh], 1), torch.cat([past[1][:, h], vh], 1)
            scores = torch.einsum("btd,bsd->bts", q[..., part], kh) * self.d_k**-0.5 + closed
            outs.append(torch.bmm(F.softmax(scores, dim=2), vh))
            Ks.append(kh)
            Vs.append(vh)
        X = X + self.dropout(self.W_O(torch.cat(outs, dim=-1)))
        u = self.W_1(self.norm_2(X))
        u = 0.5 * u * (1 + torch.tanh(math.sqrt(2 / math.pi) * (u + 0.044715 * u**3)))
        return X + self.dropout(self.W_2(u)), torch.stack(Ks, dim=1), torch.stack(Vs, dim=1)


# %% GPT: the embeddings by indexing, the logits by einsum
class GPT(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_layers, max_length=128, dropout=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.blocks = nn.ModuleList()
        while len(self.blocks) < n_layers:
            self.blocks.append(CausalBlock(d_model, n_heads, dropout))
        self.dropout = nn.Dropout(dropout)
        self.positions = nn.Embedding(max_length, d_model)
        self.tokens = nn.Embedding(n_tokens, d_model)

    def states(self, ids, mask=None, cache=None):
        old = list(cache) if cache else [None for _ in self.blocks]
        begin = old[0][0].shape[2] if old[0] is not None else 0
        places = self.positions.weight[begin:]
        if ids.shape[1] > len(places):
            raise ValueError("no position is left")
        X = self.dropout(self.tokens.weight[ids] + places[: ids.shape[1]].unsqueeze(0))
        for i in range(len(self.blocks)):
            X, K, V = self.blocks[i](X, mask, old[i])
            old[i] = (K, V)
        return self.norm(X), old

    def forward(self, ids, mask=None):
        return torch.einsum("btd,vd->btv", self.states(ids, mask)[0], self.tokens.weight)


# %% next_token_loss: loops with logsumexp
def next_token_loss(logits, ids, counted):
    total, n = logits.sum() * 0, 0
    for b in range(ids.shape[0]):
        for t in range(1, ids.shape[1]):
            if bool(counted[b, t]):
                row = logits[b, t - 1]
                total = total + torch.logsumexp(row, 0) - row[ids[b, t]]
                n += 1
    return total / max(n, 1)


# %% rename_gpt2: regular expressions
def rename_gpt2(weights):
    import re

    top = {"wte": "tokens", "wpe": "positions", "ln_f": "norm"}
    plain = {"ln_1": ["norm_1"], "ln_2": ["norm_2"]}
    conv = {"attn.c_attn": ["W_Q", "W_K", "W_V"], "attn.c_proj": ["W_O"], "mlp.c_fc": ["W_1"], "mlp.c_proj": ["W_2"]}
    found = {}
    for name, x in weights.items():
        if m := re.fullmatch(r"(?:transformer\.)?(wte|wpe|ln_f)\.(weight|bias)", name):
            found[f"{top[m[1]]}.{m[2]}"] = x.clone()
        elif m := re.fullmatch(r"(?:transformer\.)?h\.(\d+)\.(.+)\.(weight|bias)", name):
            number, layer, kind = m.groups()
            targets = plain.get(layer) or conv.get(layer) or []
            for target, piece in zip(targets, torch.tensor_split(x, max(len(targets), 1), dim=-1)):
                if layer in conv and kind == "weight":
                    piece = piece.permute(1, 0)
                found[f"blocks.{number}.{target}.{kind}"] = piece.contiguous().clone()
    return found


# %% generate: recursion
def generate(step, prompt, n, choose, end, max_length):
    if not 1 <= len(prompt) <= max_length:
        raise ValueError("the prompt")

    def go_on(reads, cache, left):
        if left <= 0:
            return []
        logits, cache = step(torch.as_tensor(reads, dtype=torch.long).reshape(1, -1), cache)
        token = choose(logits)
        return [] if token == end else [token, *go_on([token], cache, left - 1)]

    return go_on(list(prompt), None, min(n, max_length - len(prompt)))


# %% continuation_scores: cross_entropy per token, chosen with where
def continuation_scores(logits, ids, counted, per_token=False):
    B, L = ids.shape
    if L == 1:
        return torch.zeros(B)
    keep = counted[:, 1:]
    rows = torch.where(keep[..., None], logits[:, :-1], 0.0)
    nats = F.cross_entropy(rows.transpose(1, 2), ids[:, 1:], reduction="none")
    total = -torch.where(keep, nats, 0.0).sum(1)
    return total / keep.sum(1).clamp_min(1) if per_token else total


# %% verbalizer_probabilities: each row is raised by its maximum, then a matrix product
def verbalizer_probabilities(log_p, classes):
    top = log_p.max(dim=1, keepdim=True).values
    nothing = torch.isinf(top)
    p = torch.exp(log_p - top.masked_fill(nothing, 0.0))
    member = F.one_hot(torch.tensor(list(classes))).to(p.dtype)
    sums = p @ member + nothing.to(p.dtype)
    return sums / sums.sum(1, keepdim=True)


# %% calibrate: in logarithms
def calibrate(p, content_free):
    mean = content_free.sum(0) / content_free.shape[0]
    if float(mean.min()) <= 0:
        raise ValueError("no preference can be taken out")
    return torch.softmax(p.log() - mean.log(), dim=1)


# %% task_inputs: the lengths by arithmetic, no loop
def task_inputs(parts, kind, start, delim, extract, max_length):
    n = len(parts)
    orders = {
        "single": [(0,)] if n == 1 else None,
        "pair": [(0, 1)] if n == 2 else None,
        "similarity": [(0, 1), (1, 0)] if n == 2 else None,
        "choice": [(0, i) for i in range(1, n)] or None,
    }.get(kind)
    if orders is None:
        raise ValueError("no such task with so many parts")
    rows = []
    for order in orders:
        texts = [list(parts[i]) for i in order]
        room = max_length - len(texts) - 1
        if len(texts) == 1:
            keep = [min(len(texts[0]), room)]
        else:
            a, b = map(len, texts)
            if a + b <= room:
                keep = [a, b]
            elif min(a, b) <= room // 2:
                keep = [a, room - a] if a < b else [room - b, b]
            else:
                keep = [room // 2, room - room // 2]
        row = [start]
        for number, (text, length) in enumerate(zip(texts, keep)):
            row += [delim] * (number > 0) + text[:length]
        rows.append(row + [extract])
    return rows


# %% GPTClassifier: the last token by cumsum, and both losses written out
class GPTClassifier(nn.Module):
    def __init__(self, gpt, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.output = nn.Linear(d_model, n_classes)
        self.dropout = nn.Dropout(dropout)
        self.gpt = gpt

    def forward(self, ids, mask):
        return self._classes(self.gpt.states(ids)[0], mask)

    def _classes(self, H, mask):
        last = mask & (mask.long().flip(1).cumsum(1).flip(1) == 1)
        return self.output(self.dropout(H[last]))

    def loss(self, ids, mask, labels, lm_weight=0.5):
        H, _ = self.gpt.states(ids)
        L = -self._classes(H, mask).log_softmax(1)[torch.arange(len(ids)), labels].mean()
        if mask[:, 1:].any():
            real = mask[:, 1:]
            logits = F.linear(H[:, :-1][real], self.gpt.tokens.weight)
            L = L + lm_weight * F.cross_entropy(logits, ids[:, 1:][real])
        return L


# %% transfer_blocks: begins with the pretrained ones and puts the fresh ones back
def transfer_blocks(pretrained, fresh, n):
    depth = 1 + max((int(k.split(".")[1]) for k in pretrained if k.startswith("blocks.")), default=-1)
    back = tuple(f"blocks.{i}." for i in range(n, depth))
    if n < depth:
        back += ("norm.",)
    chosen = {**pretrained}
    chosen.update((k, v) for k, v in fresh.items() if k.startswith(back))
    return chosen


# %% unilm_mask: cell by cell
def unilm_mask(first, lengths, kind):
    see = {
        "bidirectional": lambda i, j, f: True,
        "left-to-right": lambda i, j, f: j <= i,
        "sequence-to-sequence": lambda i, j, f: j < f or (i >= f and j <= i),
    }.get(kind)
    if see is None:
        raise ValueError(kind)
    size = max(lengths.tolist())
    return torch.tensor(
        [
            [[j < n and see(i, j, f) for j in range(size)] for i in range(size)]
            for f, n in zip(first.tolist(), lengths.tolist())
        ]
    )


# %% rouge: the LCS as a longest rising list (Hunt and Szymanski), n-grams crossed off a list
def rouge(summary, references, kind):
    from bisect import bisect_left

    references = list(references)
    if not references:
        raise ValueError("nothing to compare with")

    def f1(a, b):
        if kind == "L":
            places = {}
            for j, word in enumerate(b):
                places.setdefault(word, []).insert(0, j)
            tails = []
            for word in a:
                for j in places.get(word, []):
                    at = bisect_left(tails, j)
                    tails[at : at + 1] = [j]
            return 2 * len(tails) / max(len(a) + len(b), 1)
        x = [list(a[i : i + kind]) for i in range(len(a) - kind + 1)]
        y = [list(b[i : i + kind]) for i in range(len(b) - kind + 1)]
        total, common = len(x) + len(y), 0
        for gram in x:
            if gram in y:
                y.remove(gram)
                common += 1
        return 2 * common / total if total else 0.0

    return max(f1(list(summary), list(reference)) for reference in references)


# %% induction_scores: a dictionary of the places that follow each token
def induction_scores(weights, ids):
    follows, per_position = {}, []
    for t, token in enumerate(ids.tolist()):
        if token in follows:
            per_position.append(weights[:, t, follows[token]].sum(dim=1))
        follows.setdefault(token, []).append(t + 1)
    if not per_position:
        return torch.zeros(weights.shape[0], dtype=weights.dtype)
    return torch.stack(per_position, dim=1).mean(dim=1)
