# %% CausalBlock: what is added to is the normalized input
class CausalBlock(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model must be a multiple of n_heads")
        self.n_heads = n_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)
        self.W_1 = nn.Linear(d_model, 4 * d_model)
        self.W_2 = nn.Linear(4 * d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def _split(self, X):
        B, T, d = X.shape
        return X.view(B, T, self.n_heads, d // self.n_heads).transpose(1, 2)

    def forward(self, X, mask=None, past=None):
        B, T, d = X.shape
        X = self.norm_1(X)
        Q, K, V = self._split(self.W_Q(X)), self._split(self.W_K(X)), self._split(self.W_V(X))
        if past is not None:
            K = torch.cat([past[0], K], dim=2)
            V = torch.cat([past[1], V], dim=2)
        P = K.shape[2] - T
        if mask is None:
            mask = torch.ones(T, P + T, dtype=torch.bool).tril(diagonal=P)
        elif mask.dim() == 3:
            mask = mask.unsqueeze(1)
        A = F.scaled_dot_product_attention(Q, K, V, mask)
        X = X + self.dropout(self.W_O(A.transpose(1, 2).reshape(B, T, d)))
        X = self.norm_2(X)
        X = X + self.dropout(self.W_2(F.gelu(self.W_1(X), approximate="tanh")))
        return X, K, V


# %% CausalBlock: is_causal also with a past, which starts the triangle at the left
class CausalBlock(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} is not a multiple of {n_heads}")
        self.n_heads = n_heads
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(d_model, d_model))
        self.W_1 = nn.Linear(d_model, d_model * 4)
        self.W_2 = nn.Linear(d_model * 4, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None, past=None):
        Y = self.norm_1(X)
        Q, K, V = (W(Y).unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for W in (self.W_Q, self.W_K, self.W_V))
        if past is not None:
            old_K, old_V = past
            K, V = torch.cat((old_K, K), dim=-2), torch.cat((old_V, V), dim=-2)
        if mask is not None and mask.dim() == 3:
            mask = mask[:, None]
        heads = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask, is_causal=mask is None)
        X = X + self.dropout(self.W_O(heads.transpose(1, 2).flatten(2)))
        hidden = F.gelu(self.W_1(self.norm_2(X)), approximate="tanh")
        return X + self.dropout(self.W_2(hidden)), K, V


# %% CausalBlock: a mask of three dimensions gets no dimension for the heads
class CausalBlock(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("heads do not fit")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.norm_1 = nn.LayerNorm(d_model)
        self.norm_2 = nn.LayerNorm(d_model)
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))
        self.W_1, self.W_2 = nn.Linear(d_model, 4 * d_model), nn.Linear(4 * d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None, past=None):
        B, T, _ = X.shape
        normed = self.norm_1(X)

        def heads(layer):
            return layer(normed).reshape(B, T, self.n_heads, self.d_k).permute(0, 2, 1, 3)

        Q, K, V = heads(self.W_Q), heads(self.W_K), heads(self.W_V)
        if past:
            K, V = torch.cat([past[0], K], 2), torch.cat([past[1], V], 2)
        S = K.size(2)
        if mask is None:
            mask = torch.tril(torch.ones(T, S, dtype=torch.bool), S - T)
        scores = Q @ K.transpose(-2, -1) / math.sqrt(self.d_k)
        scores = scores.masked_fill(~mask, float("-inf"))
        out = (scores.softmax(-1) @ V).permute(0, 2, 1, 3).reshape(B, T, -1)
        X = X + self.dropout(self.W_O(out))
        X = X + self.dropout(self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh")))
        return X, K, V


# %% GPT: the positions begin at 0 again with a cache
class GPT(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_layers, max_length=128, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(n_tokens, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList([CausalBlock(d_model, n_heads, dropout) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(d_model)
        self.max_length = max_length

    def states(self, ids, mask=None, cache=None):
        B, T = ids.shape
        past_length = cache[0][0].shape[2] if cache is not None else 0
        if past_length + T > self.max_length:
            raise ValueError("too long")
        X = self.dropout(self.tokens(ids) + self.positions(torch.arange(T)))
        new_cache = []
        for i, block in enumerate(self.blocks):
            X, K, V = block(X, mask, cache[i] if cache is not None else None)
            new_cache.append((K, V))
        return self.norm(X), new_cache

    def forward(self, ids, mask=None):
        H, _ = self.states(ids, mask)
        return H @ self.tokens.weight.T


# %% GPT: a head of its own in place of the token embeddings
class GPT(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_layers, max_length=128, dropout=0.1):
        super().__init__()
        self.max_length = max_length
        self.tokens = nn.Embedding(n_tokens, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(CausalBlock(d_model, n_heads, dropout) for _ in range(n_layers))
        self.norm = nn.LayerNorm(d_model)
        self.head = nn.Linear(d_model, n_tokens, bias=False)

    def states(self, ids, mask=None, cache=None):
        P = 0 if cache is None else cache[0][0].size(-2)
        end = P + ids.size(1)
        if end > self.max_length:
            raise ValueError(f"{end} tokens, {self.max_length} positions")
        X = self.tokens(ids) + self.positions.weight[P:end]
        X = self.dropout(X)
        pasts = cache if cache is not None else [None] * len(self.blocks)
        out = []
        for block, past in zip(self.blocks, pasts):
            X, K, V = block(X, mask, past)
            out.append((K, V))
        return self.norm(X), out

    def forward(self, ids, mask=None):
        return self.head(self.states(ids, mask)[0])


# %% GPT: only the new tokens are compared with the number of positions
class GPT(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_layers, max_length=128, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(n_tokens, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList()
        for _ in range(n_layers):
            self.blocks.append(CausalBlock(d_model, n_heads, dropout))
        self.norm = nn.LayerNorm(d_model)

    def states(self, ids, mask=None, cache=None):
        if ids.shape[1] > self.positions.num_embeddings:
            raise ValueError("the text is longer than the positions")
        begin = 0 if not cache else cache[0][0].shape[2]
        where = torch.arange(begin, begin + ids.shape[1], device=ids.device)
        X = self.dropout(self.tokens(ids) + self.positions(where))
        grown = []
        for number, block in enumerate(self.blocks):
            past = cache[number] if cache else None
            X, *kv = block(X, mask=mask, past=past)
            grown.append(tuple(kv))
        return self.norm(X), grown

    def forward(self, ids, mask=None):
        return F.linear(self.states(ids, mask)[0], self.tokens.weight)


# %% next_token_loss: counted is cut at the wrong end
def next_token_loss(logits, ids, counted):
    predictions = logits[:, :-1]
    targets = ids[:, 1:]
    keep = counted[:, :-1]
    if keep.sum() == 0:
        return (logits * 0).sum()
    return F.cross_entropy(predictions[keep], targets[keep])


# %% next_token_loss: the mean over all positions, those that do not count with 0
def next_token_loss(logits, ids, counted):
    if logits.shape[1] < 2:
        return torch.tensor(0.0)
    losses = F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], reduction="none")
    return (losses * counted[:, 1:]).mean()


# %% next_token_loss: NaN where nothing is to be predicted
def next_token_loss(logits, ids, counted):
    targets = ids.masked_fill(~counted, -100)[:, 1:]
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten(), ignore_index=-100)


# %% rename_gpt2: all matrices are transposed, the embeddings, too
def rename_gpt2(weights):
    places = {"ln_1": "norm_1", "ln_2": "norm_2", "attn.c_proj": "W_O", "mlp.c_fc": "W_1", "mlp.c_proj": "W_2"}
    result = {}
    for name, w in weights.items():
        name = name.removeprefix("transformer.")
        parts = name.split(".")
        kind = parts[-1]
        if w.dim() == 2:
            w = w.T
        if parts[0] == "wte":
            result["tokens.weight"] = w
        elif parts[0] == "wpe":
            result["positions.weight"] = w
        elif parts[0] == "ln_f":
            result[f"norm.{kind}"] = w
        elif parts[0] == "h":
            layer = ".".join(parts[2:-1])
            if layer == "attn.c_attn":
                for letter, part in zip("QKV", w.chunk(3, dim=0)):
                    result[f"blocks.{parts[1]}.W_{letter}.{kind}"] = part
            elif layer in places:
                result[f"blocks.{parts[1]}.{places[layer]}.{kind}"] = w
    return result


# %% rename_gpt2: the fused matrix is cut along its inputs
def rename_gpt2(weights):
    new = {}
    simple = {"wte": "tokens", "wpe": "positions", "ln_f": "norm"}
    inner = {"ln_1": "norm_1", "ln_2": "norm_2"}
    conv = {"attn.c_proj": "W_O", "mlp.c_fc": "W_1", "mlp.c_proj": "W_2"}
    for full, tensor in weights.items():
        if full.startswith("transformer."):
            full = full[len("transformer."):]
        path, _, what = full.rpartition(".")
        if path in simple:
            new[simple[path] + "." + what] = tensor
            continue
        if not path.startswith("h."):
            continue
        _, i, rest = path.split(".", 2)
        if rest in inner:
            new[f"blocks.{i}.{inner[rest]}.{what}"] = tensor
        elif rest in conv:
            new[f"blocks.{i}.{conv[rest]}.{what}"] = tensor.T if what == "weight" else tensor
        elif rest == "attn.c_attn":
            d = tensor.shape[0] // 3
            for j, target in enumerate(("W_Q", "W_K", "W_V")):
                part = tensor[j * d : (j + 1) * d]
                new[f"blocks.{i}.{target}.{what}"] = part.T if what == "weight" else part
    return new


# %% rename_gpt2: the bias of c_attn is thrown away with the causal mask
def rename_gpt2(weights):
    renamed = {}
    for name, value in weights.items():
        name = name.replace("transformer.", "")
        if "lm_head" in name or "attn.bias" in name or "masked_bias" in name:
            continue
        for old, new in (
            ("h.", "blocks."), ("ln_1", "norm_1"), ("ln_2", "norm_2"), ("ln_f", "norm"),
            ("wte", "tokens"), ("wpe", "positions"), ("attn.c_proj", "W_O"),
            ("mlp.c_fc", "W_1"), ("mlp.c_proj", "W_2"),
        ):
            name = name.replace(old, new)
        conv = any(part in name for part in ("W_O", "W_1", "W_2", "c_attn"))
        if conv and name.endswith("weight"):
            value = value.t()
        if "attn.c_attn" in name:
            q, k, v = value.split(value.shape[0] // 3)
            renamed[name.replace("attn.c_attn", "W_Q")] = q
            renamed[name.replace("attn.c_attn", "W_K")] = k
            renamed[name.replace("attn.c_attn", "W_V")] = v
        else:
            renamed[name] = value
    return renamed


# %% generate: the whole text is read again in each step, with the cache
def generate(step, prompt, n, choose, end, max_length):
    if not prompt or len(prompt) > max_length:
        raise ValueError("the prompt has no token or too many")
    ids = list(prompt)
    cache = None
    while len(ids) - len(prompt) < n and len(ids) < max_length:
        logits, cache = step(torch.tensor([ids]), cache)
        token = choose(logits)
        if token == end:
            break
        ids.append(token)
    return ids[len(prompt):]


# %% generate: the last token is read, too, though nobody asks for what comes next
def generate(step, prompt, n, choose, end, max_length):
    if len(prompt) == 0 or len(prompt) > max_length:
        raise ValueError("prompt")
    new = []
    logits, cache = step(torch.tensor([list(prompt)]), None)
    for _ in range(min(n, max_length - len(prompt))):
        token = choose(logits)
        if token == end:
            return new
        new.append(token)
        logits, cache = step(torch.tensor([[token]]), cache)
    return new


# %% generate: max_length is compared with the new tokens alone
def generate(step, prompt, n, choose, end, max_length):
    if len(prompt) < 1:
        raise ValueError("empty prompt")
    if len(prompt) > max_length:
        raise ValueError("prompt too long")
    written, cache, reads = [], None, list(prompt)
    while len(written) < n and len(written) < max_length:
        logits, cache = step(torch.tensor(reads).unsqueeze(0), cache)
        chosen = choose(logits)
        if chosen == end:
            break
        written.append(chosen)
        reads = [chosen]
    return written


# %% continuation_scores: what does not count is multiplied by 0
def continuation_scores(logits, ids, counted, per_token=False):
    log_p = torch.log_softmax(logits[:, :-1], dim=-1)
    picked = log_p.gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)
    c = counted[:, 1:].float()
    total = (picked * c).sum(dim=1)
    return total / c.sum(dim=1).clamp(min=1) if per_token else total


# %% continuation_scores: the mean divides by a count with the first token in it
def continuation_scores(logits, ids, counted, per_token=False):
    n = counted.sum(dim=1)
    log_p = F.log_softmax(logits, dim=-1)[:, :-1]
    targets = ids[:, 1:]
    scores = log_p.gather(-1, targets[..., None])[..., 0].masked_fill(~counted[:, 1:], 0.0)
    result = scores.sum(-1)
    if per_token:
        result = result / n.clamp(min=1)
    return result


# %% continuation_scores: 0 / 0 for a text in which nothing counts
def continuation_scores(logits, ids, counted, per_token=False):
    scores = []
    for row_logits, row, chosen in zip(logits, ids, counted):
        lp = row_logits.log_softmax(dim=-1)
        values = [lp[t - 1, row[t]] for t in range(1, len(row)) if chosen[t]]
        total = sum(values, torch.tensor(0.0))
        if per_token:
            total = total / torch.tensor(len(values))
        scores.append(total)
    return torch.stack(scores)


# %% verbalizer_probabilities: exp first, which underflows
def verbalizer_probabilities(log_p, classes):
    P = log_p.exp()
    C = max(classes) + 1
    sums = torch.zeros(len(log_p), C)
    for w, c in enumerate(classes):
        sums[:, c] += P[:, w]
    total = sums.sum(dim=1, keepdim=True)
    return torch.where(total > 0, sums / total.clamp(min=1e-30), torch.full_like(sums, 1 / C))


# %% verbalizer_probabilities: the mean of a class's words and not their sum
def verbalizer_probabilities(log_p, classes):
    of = torch.tensor(classes)
    C = int(of.max()) + 1
    safe = torch.where((log_p == -math.inf).all(dim=1, keepdim=True), torch.zeros_like(log_p), log_p)
    parts = [torch.logsumexp(safe[:, of == c], dim=1) - math.log((of == c).sum().item()) for c in range(C)]
    P = torch.stack(parts, dim=1).softmax(dim=1)
    P[(log_p == -math.inf).all(dim=1)] = 1 / C
    return P


# %% verbalizer_probabilities: NaN where all words are impossible
def verbalizer_probabilities(log_p, classes):
    n_classes = len(set(classes))
    by_class = []
    for c in range(n_classes):
        columns = [w for w, k in enumerate(classes) if k == c]
        by_class.append(log_p[:, columns].logsumexp(dim=-1))
    by_class = torch.stack(by_class, dim=-1)
    return (by_class - by_class.logsumexp(dim=-1, keepdim=True)).exp()


# %% calibrate: a softmax in place of the division by the sum
def calibrate(p, content_free):
    preference = content_free.mean(dim=0)
    if torch.any(preference == 0):
        raise ValueError("a class cannot be calibrated")
    return F.softmax(p / preference, dim=-1)


# %% calibrate: a single content-free text with 0 is already an error
def calibrate(p, content_free):
    if (content_free == 0).any():
        raise ValueError("content-free probability of 0")
    q = p / content_free.mean(0)
    return q / q.sum(1, keepdim=True)


# %% calibrate: divides by each content-free text and takes the mean afterwards
def calibrate(p, content_free):
    if (content_free.mean(dim=0) == 0).any():
        raise ValueError("zero")
    results = []
    for cf in content_free:
        ratio = p / cf
        results.append(ratio / ratio.sum(dim=1, keepdim=True))
    return torch.stack(results).mean(dim=0)


# %% task_inputs: cuts the end of the sequence, so only the last text gives way
def task_inputs(parts, kind, start, delim, extract, max_length):
    def sequence(*texts):
        row = [start, *texts[0]]
        for text in texts[1:]:
            row += [delim, *text]
        return row[: max_length - 1] + [extract]

    if kind == "single" and len(parts) == 1:
        return [sequence(parts[0])]
    if kind == "pair" and len(parts) == 2:
        return [sequence(*parts)]
    if kind == "similarity" and len(parts) == 2:
        return [sequence(parts[0], parts[1]), sequence(parts[1], parts[0])]
    if kind == "choice" and len(parts) >= 2:
        return [sequence(parts[0], answer) for answer in parts[1:]]
    raise ValueError(kind)


# %% task_inputs: in similarity the texts are shortened once and then swapped
def task_inputs(parts, kind, start, delim, extract, max_length):
    needed = {"single": 1, "pair": 2, "similarity": 2}
    if kind not in ("single", "pair", "similarity", "choice"):
        raise ValueError("unknown kind")
    if kind == "choice":
        if len(parts) < 2:
            raise ValueError("a context and an answer")
    elif len(parts) != needed[kind]:
        raise ValueError("wrong number of parts")

    def shorten(a, b):
        a, b = list(a), list(b)
        while len(a) + len(b) + 3 > max_length:
            (a if len(a) >= len(b) else b).pop()
        return a, b

    if kind == "single":
        return [[start, *parts[0][: max_length - 2], extract]]
    if kind == "choice":
        rows = []
        for answer in parts[1:]:
            c, a = shorten(parts[0], answer)
            rows.append([start, *c, delim, *a, extract])
        return rows
    a, b = shorten(*parts)
    rows = [[start] + a + [delim] + b + [extract]]
    if kind == "similarity":
        rows.append([start] + b + [delim] + a + [extract])
    return rows


# %% task_inputs: of two equally long texts the second gives way
def task_inputs(parts, kind, start, delim, extract, max_length):
    parts = [list(p) for p in parts]

    def join(texts):
        texts = [t[:] for t in texts]
        special = len(texts) + 1
        while sum(map(len, texts)) + special > max_length:
            if len(texts) == 2 and len(texts[1]) >= len(texts[0]):
                texts[1] = texts[1][:-1]
            else:
                texts[0] = texts[0][:-1]
        row = [start] + texts[0]
        if len(texts) == 2:
            row = row + [delim] + texts[1]
        return row + [extract]

    match kind, len(parts):
        case "single", 1:
            return [join(parts)]
        case "pair", 2:
            return [join(parts)]
        case "similarity", 2:
            return [join(parts), join(parts[::-1])]
        case "choice", k if k >= 2:
            return [join([parts[0], a]) for a in parts[1:]]
        case _:
            raise ValueError(f"{kind} with {len(parts)} parts")


# %% GPTClassifier: reads the last position, which may be padding
class GPTClassifier(nn.Module):
    def __init__(self, gpt, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.gpt = gpt
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)

    def forward(self, ids, mask):
        H, _ = self.gpt.states(ids)
        return self.output(self.dropout(H[:, -1]))

    def loss(self, ids, mask, labels, lm_weight=0.5):
        H, _ = self.gpt.states(ids)
        task = F.cross_entropy(self.output(self.dropout(H[:, -1])), labels)
        lm = next_token_loss(H @ self.gpt.tokens.weight.T, ids, mask)
        return task + lm_weight * lm


# %% GPTClassifier: reads the states once for each of the two losses
class GPTClassifier(nn.Module):
    def __init__(self, gpt, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.gpt = gpt
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)

    def forward(self, ids, mask):
        states = self.gpt.states(ids)[0]
        last = mask.sum(dim=1) - 1
        return self.output(self.dropout(states[torch.arange(len(ids)), last]))

    def loss(self, ids, mask, labels, lm_weight=0.5):
        task_loss = F.cross_entropy(self(ids, mask), labels)
        lm_loss = next_token_loss(self.gpt(ids), ids, mask)
        return task_loss + lm_weight * lm_loss


# %% GPTClassifier: padding counts in the loss of the language model
class GPTClassifier(nn.Module):
    def __init__(self, gpt, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.gpt, self.dropout, self.output = gpt, nn.Dropout(dropout), nn.Linear(d_model, n_classes)

    def _score(self, H, mask):
        index = (mask.sum(1) - 1).view(-1, 1, 1).expand(-1, 1, H.shape[-1])
        return self.output(self.dropout(H.gather(1, index).squeeze(1)))

    def forward(self, ids, mask):
        H, _ = self.gpt.states(ids)
        return self._score(H, mask)

    def loss(self, ids, mask, labels, lm_weight=0.5):
        H, _ = self.gpt.states(ids)
        everything = torch.ones_like(ids, dtype=torch.bool)
        lm = next_token_loss(H @ self.gpt.tokens.weight.T, ids, everything)
        return nn.functional.cross_entropy(self._score(H, mask), labels) + lm_weight * lm


# %% transfer_blocks: blocks.10 begins like blocks.1
def transfer_blocks(pretrained, fresh, n):
    n_blocks = len({name.split(".")[1] for name in fresh if name.startswith("blocks.")})
    out = dict(fresh)
    for name in pretrained:
        if name.startswith(("tokens", "positions")):
            out[name] = pretrained[name]
        elif name.startswith("norm"):
            if n >= n_blocks:
                out[name] = pretrained[name]
        elif any(name.startswith(f"blocks.{i}") for i in range(n)):
            out[name] = pretrained[name]
    return out


# %% transfer_blocks: the last normalization is always transferred
def transfer_blocks(pretrained, fresh, n):
    result = {}
    for name, weight in fresh.items():
        if name.startswith("blocks.") and int(name.split(".")[1]) >= n:
            result[name] = weight
        else:
            result[name] = pretrained[name]
    return result


# %% transfer_blocks: the normalization comes along only if n is the number of blocks exactly
def transfer_blocks(pretrained, fresh, n):
    numbers = [int(key.split(".")[1]) for key in pretrained if key.split(".")[0] == "blocks"]
    total = max(numbers) + 1

    def old(key):
        head, second = key.split(".")[:2]
        if head in ("tokens", "positions"):
            return True
        if head == "blocks":
            return int(second) < n
        return n == total

    return {key: (pretrained if old(key) else fresh)[key] for key in fresh}


# %% unilm_mask: left-to-right is the upper triangle
def unilm_mask(first, lengths, kind):
    L = int(lengths.max())
    real = torch.arange(L)[None, None, :] < lengths[:, None, None]
    causal = torch.ones(L, L, dtype=torch.bool).triu()
    if kind == "bidirectional":
        rule = torch.ones(L, L, dtype=torch.bool)
    elif kind == "left-to-right":
        rule = causal
    elif kind == "sequence-to-sequence":
        rule = causal | (torch.arange(L) < first[:, None, None])
    else:
        raise ValueError(kind)
    return (real & rule).expand(len(first), L, L)


# %% unilm_mask: the second text sees all of itself
def unilm_mask(first, lengths, kind):
    if kind not in ("bidirectional", "left-to-right", "sequence-to-sequence"):
        raise ValueError("no such kind of mask")
    B, L = len(lengths), int(lengths.max())
    mask = torch.zeros(B, L, L, dtype=torch.bool)
    for b in range(B):
        n, f = int(lengths[b]), int(first[b])
        if kind == "bidirectional":
            mask[b, :, :n] = True
        elif kind == "left-to-right":
            mask[b, :, :n] = torch.ones(L, L).tril().bool()[:, :n]
        else:
            mask[b, :f, :f] = True
            mask[b, f:, :n] = True
    return mask


# %% unilm_mask: the rows of padding see nothing
def unilm_mask(first, lengths, kind):
    L = lengths.max().item()
    i = torch.arange(L).view(1, L, 1)
    j = torch.arange(L).view(1, 1, L)
    inside = i < lengths.view(-1, 1, 1)
    real = inside & inside.transpose(1, 2)
    if kind == "bidirectional":
        return real
    if kind == "left-to-right":
        return real & (j <= i)
    if kind == "sequence-to-sequence":
        return real & ((j <= i) | (j < first.view(-1, 1, 1)))
    raise ValueError(f"unknown kind {kind}")


# %% rouge: sets of n-grams, so that each counts once
def rouge(summary, references, kind):
    if len(references) == 0:
        raise ValueError("no reference")

    def lcs(a, b):
        table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        for i in range(len(a)):
            for j in range(len(b)):
                if a[i] == b[j]:
                    table[i + 1][j + 1] = table[i][j] + 1
                else:
                    table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
        return table[-1][-1]

    best = 0.0
    for reference in references:
        if kind == "L":
            common, a, b = lcs(summary, reference), len(summary), len(reference)
        else:
            x = {tuple(summary[i : i + kind]) for i in range(len(summary) - kind + 1)}
            y = {tuple(reference[i : i + kind]) for i in range(len(reference) - kind + 1)}
            common, a, b = len(x & y), len(x), len(y)
        if common:
            P, R = common / a, common / b
            best = max(best, 2 * P * R / (P + R))
    return best


# %% rouge: the longest common run of neighbors in place of the subsequence
def rouge(summary, references, kind):
    if not references:
        raise ValueError("there is no reference")
    scores = []
    for ref in references:
        if kind == "L":
            m, n = len(summary), len(ref)
            c = [[0] * (n + 1) for _ in range(m + 1)]
            longest = 0
            for i in range(1, m + 1):
                for j in range(1, n + 1):
                    if summary[i - 1] == ref[j - 1]:
                        c[i][j] = c[i - 1][j - 1] + 1
                        longest = max(longest, c[i][j])
            overlap = longest
        else:
            m, n = max(len(summary) - kind + 1, 0), max(len(ref) - kind + 1, 0)
            grams = lambda words, size: Counter(tuple(words[k : k + kind]) for k in range(size))
            overlap = sum((grams(summary, m) & grams(ref, n)).values())
        scores.append(2 * overlap / (m + n) if m + n > 0 else 0.0)
    return max(scores)


# %% rouge: the best precision and the best recall may come from two references
def rouge(summary, references, kind):
    if len(references) == 0:
        raise ValueError("needs a reference")

    def ngrams(words):
        return Counter(zip(*(list(words)[i:] for i in range(kind))))

    def lcs(x, y):
        previous = [0] * (len(y) + 1)
        for a in x:
            current = [0]
            for j, b in enumerate(y):
                current.append(previous[j] + 1 if a == b else max(previous[j + 1], current[j]))
            previous = current
        return previous[-1]

    P = R = 0.0
    for reference in references:
        if kind == "L":
            hits, mine, theirs = lcs(summary, reference), len(summary), len(reference)
        else:
            s, r = ngrams(summary), ngrams(reference)
            hits, mine, theirs = (s & r).total(), s.total(), r.total()
        if hits == 0:
            continue
        P, R = max(P, hits / mine), max(R, hits / theirs)
    return 2 * P * R / (P + R) if P + R else 0.0


# %% induction_scores: the weight on the earlier occurrence itself and not on what follows
def induction_scores(weights, ids):
    L = len(ids)
    same = (ids[:, None] == ids[None, :]).tril(-1)
    again = same.any(dim=1)
    if not again.any():
        return torch.zeros(len(weights))
    return (weights * same).sum(-1)[:, again].mean(dim=-1)


# %% induction_scores: the mean over all positions
def induction_scores(weights, ids):
    H, L, _ = weights.shape
    total = torch.zeros(H)
    for t in range(L):
        for s in range(t):
            if ids[s] == ids[t]:
                total += weights[:, t, s + 1]
    return total / L


# %% induction_scores: divides by the number of pairs and not of positions
def induction_scores(weights, ids):
    pairs = [(t, s + 1) for t in range(len(ids)) for s in range(t) if ids[s].item() == ids[t].item()]
    if not pairs:
        return weights.new_zeros(weights.shape[0])
    rows, columns = zip(*pairs)
    return weights[:, list(rows), list(columns)].mean(dim=1)
