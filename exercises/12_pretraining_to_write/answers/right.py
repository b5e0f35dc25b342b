# %% CausalBlock: heads in a loop
class CausalBlock(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("d_model must be a multiple of n_heads")
        self.n_heads = n_heads
        self.d_k = d_model // n_heads
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)
        self.W_1 = nn.Linear(d_model, 4 * d_model)
        self.W_2 = nn.Linear(4 * d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def split(self, X):
        return torch.stack(X.split(self.d_k, dim=-1), dim=1)

    def forward(self, X, mask=None, past=None):
        normed = self.norm_1(X)
        Q = self.split(self.W_Q(normed))
        K = self.split(self.W_K(normed))
        V = self.split(self.W_V(normed))
        P = 0
        if past is not None:
            P = past[0].shape[2]
            K = torch.cat([past[0], K], dim=2)
            V = torch.cat([past[1], V], dim=2)
        T = X.shape[1]
        if mask is None:
            mask = torch.zeros(T, P + T, dtype=torch.bool)
            for t in range(T):
                mask[t, : P + t + 1] = True
        outputs = []
        for h in range(self.n_heads):
            outputs.append(F.scaled_dot_product_attention(Q[:, h], K[:, h], V[:, h], mask))
        X = X + self.dropout(self.W_O(torch.cat(outputs, dim=-1)))
        hidden = F.gelu(self.W_1(self.norm_2(X)), approximate="tanh")
        X = X + self.dropout(self.W_2(hidden))
        return X, K, V


# %% GPT: states in small steps
class GPT(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_layers, max_length=128, dropout=0.1):
        super().__init__()
        self.max_length = max_length
        self.tokens = nn.Embedding(n_tokens, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList()
        for _ in range(n_layers):
            self.blocks.append(CausalBlock(d_model, n_heads, dropout))
        self.norm = nn.LayerNorm(d_model)

    def states(self, ids, mask=None, cache=None):
        n_read = cache[0][0].size(2) if cache else 0
        n_new = ids.size(1)
        if n_read + n_new > self.max_length:
            raise ValueError("too many tokens")
        where = n_read + torch.arange(n_new)
        X = self.dropout(self.tokens(ids) + self.positions(where))
        new_cache = []
        for number in range(len(self.blocks)):
            past = cache[number] if cache else None
            X, K, V = self.blocks[number](X, mask, past)
            new_cache.append((K, V))
        return self.norm(X), new_cache

    def forward(self, ids, mask=None):
        H, _ = self.states(ids, mask)
        return torch.matmul(H, self.tokens.weight.t())


# %% next_token_loss: one token at a time
def next_token_loss(logits, ids, counted):
    losses = []
    for b in range(ids.shape[0]):
        for t in range(1, ids.shape[1]):
            if counted[b, t]:
                losses.append(-torch.log_softmax(logits[b, t - 1], dim=0)[ids[b, t]])
    if not losses:
        return 0.0 * logits.sum()
    return sum(losses) / len(losses)


# %% rename_gpt2: replaces parts of the names
def rename_gpt2(weights):
    result = {}
    for name, w in weights.items():
        if name.startswith("transformer."):
            name = name[len("transformer.") :]
        if name in ("wte.weight", "wpe.weight"):
            result[{"wte.weight": "tokens.weight", "wpe.weight": "positions.weight"}[name]] = w
            continue
        if name.startswith("ln_f."):
            result[name.replace("ln_f", "norm")] = w
            continue
        if not name.startswith("h."):
            continue
        parts = name.split(".")
        block = "blocks." + parts[1] + "."
        layer, kind = ".".join(parts[2:-1]), parts[-1]
        if layer in ("ln_1", "ln_2"):
            result[block + layer.replace("ln", "norm") + "." + kind] = w
        if layer == "attn.c_attn":
            for letter, part in zip("QKV", torch.chunk(w, 3, dim=-1)):
                if kind == "weight":
                    part = part.transpose(0, 1)
                result[block + "W_" + letter + "." + kind] = part
        for theirs, ours in (("attn.c_proj", "W_O"), ("mlp.c_fc", "W_1"), ("mlp.c_proj", "W_2")):
            if layer == theirs:
                result[block + ours + "." + kind] = w.t() if kind == "weight" else w
    return result


# %% generate: a while loop over one list
def generate(step, prompt, n, choose, end, max_length):
    if len(prompt) < 1:
        raise ValueError("the prompt is empty")
    if len(prompt) > max_length:
        raise ValueError("the prompt is too long")
    text = list(prompt)
    cache = None
    while len(text) < max_length and len(text) - len(prompt) < n:
        if cache is None:
            logits, cache = step(torch.tensor([text]), None)
        else:
            logits, cache = step(torch.tensor([[text[-1]]]), cache)
        token = choose(logits)
        if token == end:
            break
        text.append(token)
    return text[len(prompt) :]


# %% continuation_scores: picks with advanced indexing
def continuation_scores(logits, ids, counted, per_token=False):
    B, L = ids.shape
    log_p = F.log_softmax(logits, dim=-1)
    scores = []
    for b in range(B):
        where = [t for t in range(1, L) if counted[b, t]]
        picked = log_p[b, [t - 1 for t in where], ids[b, where]] if where else torch.zeros(1)
        scores.append(picked.mean() if per_token else picked.sum())
    return torch.stack(scores)


# %% verbalizer_probabilities: loops over texts
def verbalizer_probabilities(log_p, classes):
    C = max(classes) + 1
    rows = []
    for row in log_p:
        if torch.isinf(row).all():
            rows.append(torch.full((C,), 1 / C))
            continue
        p = torch.exp(row - row.max())
        sums = torch.stack([sum(p[w] for w in range(len(classes)) if classes[w] == c) for c in range(C)])
        rows.append(sums / sums.sum())
    return torch.stack(rows)


# %% calibrate: text by text
def calibrate(p, content_free):
    means = content_free.mean(dim=0).tolist()
    if 0 in means:
        raise ValueError("preference of 0")
    rows = []
    for text in p:
        weighted = torch.stack([value / m for value, m in zip(text, means)])
        rows.append(weighted / weighted.sum())
    return torch.stack(rows)


# %% task_inputs: a helper for each sequence
def task_inputs(parts, kind, start, delim, extract, max_length):
    def join(texts):
        texts = [list(t) for t in texts]
        special = len(texts) + 1
        while len(texts[0]) + sum(len(t) for t in texts[1:]) + special > max_length:
            longest = max(len(t) for t in texts)
            for t in texts:
                if len(t) == longest:
                    del t[-1]
                    break
        sequence = [start]
        for number, t in enumerate(texts):
            if number:
                sequence.append(delim)
            sequence.extend(t)
        sequence.append(extract)
        return sequence

    if kind == "single":
        if len(parts) != 1:
            raise ValueError("one text")
        return [join(parts)]
    if kind in ("pair", "similarity"):
        if len(parts) != 2:
            raise ValueError("two texts")
        a, b = parts
        return [join([a, b])] + ([join([b, a])] if kind == "similarity" else [])
    if kind == "choice":
        if len(parts) < 2:
            raise ValueError("no answers")
        return [join([parts[0], answer]) for answer in parts[1:]]
    raise ValueError("unknown task")


# %% GPTClassifier: selects with a one-hot mask
class GPTClassifier(nn.Module):
    def __init__(self, gpt, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.gpt = gpt
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)

    def from_states(self, H, mask):
        at = mask.long().sum(1) - 1
        chosen = F.one_hot(at, H.shape[1]).to(H.dtype)
        return self.output(self.dropout(torch.einsum("bl,bld->bd", chosen, H)))

    def forward(self, ids, mask):
        return self.from_states(self.gpt.states(ids)[0], mask)

    def loss(self, ids, mask, labels, lm_weight=0.5):
        H = self.gpt.states(ids)[0]
        lm = next_token_loss(F.linear(H, self.gpt.tokens.weight), ids, mask)
        return nn.CrossEntropyLoss()(self.from_states(H, mask), labels) + lm_weight * lm


# %% transfer_blocks: a list of beginnings
def transfer_blocks(pretrained, fresh, n):
    depth = 0
    while any(name.startswith(f"blocks.{depth}.") for name in fresh):
        depth += 1
    beginnings = ["tokens.", "positions."]
    for i in range(min(n, depth)):
        beginnings.append(f"blocks.{i}.")
    if n >= depth:
        beginnings.append("norm.")
    result = {}
    for name in fresh:
        if any(name.startswith(beginning) for beginning in beginnings):
            result[name] = pretrained[name]
        else:
            result[name] = fresh[name]
    return result


# %% unilm_mask: compares rows and columns
def unilm_mask(first, lengths, kind):
    L = max(int(n) for n in lengths)
    q = torch.arange(L).view(1, L, 1)
    k = torch.arange(L).view(1, 1, L)
    real = k < lengths.view(-1, 1, 1)
    if kind == "bidirectional":
        allowed = (k >= 0) & (q >= 0)
    elif kind == "left-to-right":
        allowed = k <= q
    elif kind == "sequence-to-sequence":
        allowed = (k <= q) | (k < first.view(-1, 1, 1))
    else:
        raise ValueError(kind)
    return allowed & real


# %% rouge: two helpers, precision and recall
def rouge(summary, references, kind):
    if len(references) < 1:
        raise ValueError("no references")

    def ngrams(words):
        counts = {}
        for i in range(len(words) - kind + 1):
            gram = " ".join(words[i : i + kind])
            counts[gram] = counts.get(gram, 0) + 1
        return counts

    def lcs(a, b):
        table = torch.zeros(len(a) + 1, len(b) + 1, dtype=torch.long)
        for i in range(len(a)):
            for j in range(len(b)):
                if a[i] == b[j]:
                    table[i + 1, j + 1] = table[i, j] + 1
                else:
                    table[i + 1, j + 1] = torch.maximum(table[i, j + 1], table[i + 1, j])
        return table[-1, -1].item()

    results = []
    for reference in references:
        if kind == "L":
            matches, n_summary, n_reference = lcs(summary, reference), len(summary), len(reference)
        else:
            a, b = ngrams(summary), ngrams(reference)
            matches = sum(min(count, b.get(gram, 0)) for gram, count in a.items())
            n_summary, n_reference = sum(a.values()), sum(b.values())
        if matches == 0:
            results.append(0.0)
        else:
            precision, recall = matches / n_summary, matches / n_reference
            results.append(2 * precision * recall / (precision + recall))
    return max(results)


# %% induction_scores: position by position
def induction_scores(weights, ids):
    H, L, _ = weights.shape
    rows = []
    for t in range(L):
        targets = [s + 1 for s in range(t) if int(ids[s]) == int(ids[t])]
        if targets:
            rows.append(weights[:, t, targets].sum(dim=1))
    if not rows:
        return torch.zeros(H)
    return torch.stack(rows).mean(dim=0)


# %% CausalBlock: no gradient into the past
class CausalBlock(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model must be a multiple of n_heads")
        self.n_heads = n_heads
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(d_model, d_model))
        self.W_1 = nn.Linear(d_model, 4 * d_model)
        self.W_2 = nn.Linear(4 * d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def heads(self, X):
        B, T, d = X.shape
        return X.reshape(B, T, self.n_heads, d // self.n_heads).transpose(1, 2)

    def forward(self, X, mask=None, past=None):
        Y = self.norm_1(X)
        Q, K, V = self.heads(self.W_Q(Y)), self.heads(self.W_K(Y)), self.heads(self.W_V(Y))
        P = 0
        if past is not None:
            P = past[0].shape[2]
            K = torch.cat([past[0].detach(), K], dim=2)
            V = torch.cat([past[1].detach(), V], dim=2)
        T = X.shape[1]
        if mask is None:
            mask = torch.arange(P + T) <= torch.arange(P, P + T)[:, None]
        if mask.dim() == 3:
            mask = mask[:, None]
        scores = Q @ K.transpose(-1, -2) / math.sqrt(Q.shape[-1])
        Z = scores.masked_fill(~mask, -math.inf).softmax(-1) @ V
        X = X + self.dropout(self.W_O(Z.transpose(1, 2).reshape(X.shape)))
        return X + self.dropout(self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))), K, V
