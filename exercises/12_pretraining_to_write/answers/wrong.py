# %% CausalBlock: norm after the addition, as in 05 | post_norm
# -         Y = self.norm_1(X)
# +         Y = X
# ...
# -         X = X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2)))
# -         new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
# -         return X + self.dropout(new), K, V
# +         Z = self.norm_1(X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2))))
# +         new = self.W_2(F.gelu(self.W_1(Z), approximate="tanh"))
# +         return self.norm_2(Z + self.dropout(new)), K, V


# %% CausalBlock: a square triangle | diagonal_at_the_start
# -             mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
# +             mask = torch.tril(torch.ones(T, L)) == 1


# %% CausalBlock: nn.GELU as it comes | exact_gelu
# -         new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
# +         new = self.W_2(nn.GELU()(self.W_1(self.norm_2(X))))


# %% GPT: positions always from 0 | positions_from_zero
# -         X = self.dropout(self.tokens(ids) + self.positions.weight[start:end])
# +         X = self.dropout(self.tokens(ids) + self.positions(torch.arange(ids.shape[1])))


# %% GPT: scaled like the translator | scales_the_embeddings
# -         X = self.dropout(self.tokens(ids) + self.positions.weight[start:end])
# +         scaled = self.tokens(ids) * self.tokens.weight.shape[1] ** 0.5
# +         X = self.dropout(scaled + self.positions.weight[start:end])


# %% next_token_loss: forgets the shift | not_shifted
def next_token_loss(logits, ids, counted):
    keep = counted.clone()
    if not keep.any() or keep.shape[1] < 2:
        return logits.sum() * 0
    losses = F.cross_entropy(logits.flatten(0, 1), ids.flatten(), reduction="none").view(ids.shape)
    return (losses * keep).sum() / keep.sum()


# %% next_token_loss: the mean over all positions | divides_by_all
def next_token_loss(logits, ids, counted):
    if ids.shape[1] < 2:
        return logits.sum() * 0
    losses = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")
    return (losses * counted[:, 1:]).mean()


# %% rename_gpt2: no transposition | not_transposed
# -             found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if kind == "weight" else tensor
# +             found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor
# ...
# -                 found[f"blocks.{number}.{W}.{kind}"] = piece.mT if kind == "weight" else piece
# +                 found[f"blocks.{number}.{W}.{kind}"] = piece


# %% generate: without the cache | drops_the_cache
def generate(step, prompt, n, choose, end, max_length):
    if not 1 <= len(prompt) <= max_length:
        raise ValueError("prompt")
    ids, new = torch.tensor([list(prompt)]), []
    for _ in range(min(n, max_length - len(prompt))):
        logits, _ = step(ids, None)
        token = choose(logits)
        if token == end:
            break
        new.append(token)
        ids = torch.tensor([[token]])
    return new


# %% generate: the end is kept | returns_the_end
def generate(step, prompt, n, choose, end, max_length):
    if not 1 <= len(prompt) <= max_length:
        raise ValueError("prompt")
    ids, cache, new = torch.tensor([list(prompt)]), None, []
    for _ in range(min(n, max_length - len(prompt))):
        logits, cache = step(ids, cache)
        token = choose(logits)
        new.append(token)
        if token == end:
            return new
        ids = torch.tensor([[token]])
    return new


# %% continuation_scores: multiplies by the mask | zero_times_infinity
def continuation_scores(logits, ids, counted, per_token=False):
    log_p = logits[:, :-1].log_softmax(-1).gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)
    keep = counted[:, 1:].float()
    total = (log_p * keep).sum(1)
    return total / keep.sum(1).clamp(min=1) if per_token else total


# %% verbalizer_probabilities: sums of logarithms | sums_logarithms
# -     parts = [log_p[:, members == c].logsumexp(dim=1) for c in range(max(classes) + 1)]
# +     parts = []
# +     for c in range(max(classes) + 1):
# +         parts.append(sum(log_p[:, w] for w in range(len(classes)) if classes[w] == c))


# %% calibrate: only divides | not_normalized
def calibrate(p, content_free):
    preference = content_free.mean(0)
    if (preference <= 0).any():
        raise ValueError("zero")
    return p / preference


# %% task_inputs: cuts what is too long at the end | cuts_the_sequence
# -         while sum(map(len, texts)) > max_length - len(texts) - 1:
# -             max(texts, key=len).pop()
# ...
# -         rows.append([*row, extract])
# +         rows.append((row + [extract])[:max_length])


# %% GPTClassifier: the last column | last_position
# -         last = H[torch.arange(len(H)), mask.sum(dim=1) - 1]
# +         last = H[:, mask.shape[1] - 1]


# %% transfer_blocks: startswith without a dot | first_digit
# -         transferred |= part == "blocks" and int(number) < n
# +         transferred |= part == "blocks" and int(number[:1]) < n


# %% unilm_mask: only the triangle | first_text_is_causal
# -         return real & (earlier | (position < first[:, None])[:, None])
# +         return real & torch.ones(L, L, dtype=torch.bool).tril()


# %% rouge: reports the recall | recall
# -             best = max(best, 2 * common / sum(totals))
# +             best = max(best, common / max(totals[1], 1))


# %% induction_scores: looks at the earlier token itself | the_token_itself
def induction_scores(weights, ids):
    total, n = torch.zeros(len(weights)), 0
    for t in range(len(ids)):
        earlier = [s for s in range(t) if ids[s] == ids[t]]
        if earlier:
            n += 1
            total = total + weights[:, t, earlier].sum(dim=1)
    return total / max(n, 1)


# %% CausalBlock: what is added to is the normalized input | residuals_from_the_normalized
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


# %% GPT: a head of its own in place of the token embeddings | a_head_of_its_own
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


# %% GPT: only the new tokens are compared with the number of positions | positions_of_the_new_looked_up
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


# %% next_token_loss: NaN where nothing is to be predicted | nan_where_all_is_ignored
def next_token_loss(logits, ids, counted):
    targets = ids.masked_fill(~counted, -100)[:, 1:]
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), targets.flatten(), ignore_index=-100)


# %% rename_gpt2: the fused matrix is cut along its inputs | cut_along_the_inputs
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


# %% rename_gpt2: the bias of c_attn is thrown away with the causal mask | fused_bias_left_out
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


# %% continuation_scores: the mean divides by a count with the first token in it | divides_by_first_tokens_too
def continuation_scores(logits, ids, counted, per_token=False):
    n = counted.sum(dim=1)
    log_p = F.log_softmax(logits, dim=-1)[:, :-1]
    targets = ids[:, 1:]
    scores = log_p.gather(-1, targets[..., None])[..., 0].masked_fill(~counted[:, 1:], 0.0)
    result = scores.sum(-1)
    if per_token:
        result = result / n.clamp(min=1)
    return result


# %% verbalizer_probabilities: exp first, which underflows | underflows_to_equal
def verbalizer_probabilities(log_p, classes):
    P = log_p.exp()
    C = max(classes) + 1
    sums = torch.zeros(len(log_p), C)
    for w, c in enumerate(classes):
        sums[:, c] += P[:, w]
    total = sums.sum(dim=1, keepdim=True)
    return torch.where(total > 0, sums / total.clamp(min=1e-30), torch.full_like(sums, 1 / C))


# %% calibrate: a single content-free text with 0 is already an error | no_text_may_give_zero
def calibrate(p, content_free):
    if (content_free == 0).any():
        raise ValueError("content-free probability of 0")
    q = p / content_free.mean(0)
    return q / q.sum(1, keepdim=True)


# %% calibrate: divides by each content-free text and takes the mean afterwards | averages_results
def calibrate(p, content_free):
    if (content_free.mean(dim=0) == 0).any():
        raise ValueError("zero")
    results = []
    for cf in content_free:
        ratio = p / cf
        results.append(ratio / ratio.sum(dim=1, keepdim=True))
    return torch.stack(results).mean(dim=0)


# %% task_inputs: in similarity the texts are shortened once and then swapped | shortened_once_for_both_orders
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


# %% GPTClassifier: reads the states once for each of the two losses | reads_the_states_twice
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


# %% transfer_blocks: the normalization comes along only if n is the number of blocks exactly | norm_only_for_the_exact_number
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


# %% unilm_mask: the second text sees all of itself | second_sees_all_of_itself
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


# %% rouge: the longest common run of neighbors in place of the subsequence | common_substring
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


# %% rouge: the best precision and the best recall may come from two references | best_of_each
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


# %% GPT: the length of the past from the second axis of the keys, which is the heads | past_from_another_axis
class GPT(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_layers, max_length=128, dropout=0.1):
        super().__init__()
        self.max_length = max_length
        self.tokens = nn.Embedding(n_tokens, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList([CausalBlock(d_model, n_heads, dropout) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(d_model)

    def states(self, ids, mask=None, cache=None):
        P = cache[0][0].shape[1] if cache is not None else 0
        T = ids.shape[1]
        if P + T > self.max_length:
            raise ValueError(f"{P + T} tokens, but {self.max_length} positions")
        places = torch.arange(P, P + T, device=ids.device)
        X = self.dropout(self.tokens(ids) + self.positions(places))
        new = []
        for i, block in enumerate(self.blocks):
            X, K, V = block(X, mask, cache[i] if cache is not None else None)
            new.append((K, V))
        return self.norm(X), new

    def forward(self, ids, mask=None):
        H, _ = self.states(ids, mask)
        return H @ self.tokens.weight.T


# %% GPT: the length of the keys, which is the number of texts | texts_for_tokens
# -         start = 0 if cache is None else cache[0][0].shape[2]
# +         keys = None if cache is None else cache[0][0]
# +         start = 0 if keys is None else len(keys)


# %% rename_gpt2: everything of Conv1D is transposed, but W_O | output_not_transposed
def rename_gpt2(weights):
    plain = {"ln_1": "norm_1", "ln_2": "norm_2", "attn.c_proj": "W_O"}
    conv = {"mlp.c_fc": "W_1", "mlp.c_proj": "W_2"}
    top = {"wte": "tokens", "wpe": "positions", "ln_f": "norm"}
    new = {}
    for name, w in weights.items():
        parts = name.removeprefix("transformer.").split(".")
        kind = parts[-1]
        if parts[0] in top:
            new[f"{top[parts[0]]}.{kind}"] = w
        elif parts[0] == "h":
            at, layer = f"blocks.{parts[1]}", ".".join(parts[2:-1])
            if layer in plain:
                new[f"{at}.{plain[layer]}.{kind}"] = w
            elif layer in conv:
                new[f"{at}.{conv[layer]}.{kind}"] = w.T if kind == "weight" else w
            elif layer == "attn.c_attn":
                d = w.shape[-1] // 3
                for i, letter in enumerate("QKV"):
                    piece = w[..., i * d : (i + 1) * d]
                    new[f"{at}.W_{letter}.{kind}"] = piece.T if kind == "weight" else piece
    return new


# %% rename_gpt2: chunk along dim 0, unpacked into three | unpacked_along_the_inputs
def rename_gpt2(weights):
    top = {"wte": "tokens", "wpe": "positions", "ln_f": "norm"}
    table = {"ln_1": "norm_1", "ln_2": "norm_2", "attn.c_proj": "W_O"}
    table |= {"mlp.c_fc": "W_1", "mlp.c_proj": "W_2"}
    new = {}
    for name, w in weights.items():
        parts = name.removeprefix("transformer.").split(".")
        kind = parts[-1]
        if parts[0] in top:
            new[f"{top[parts[0]]}.{kind}"] = w
        elif parts[0] == "h":
            at, layer = f"blocks.{parts[1]}", ".".join(parts[2:-1])
            if layer == "attn.c_attn":
                q, k, v = w.chunk(3, dim=0)
                for letter, piece in (("Q", q), ("K", k), ("V", v)):
                    new[f"{at}.W_{letter}.{kind}"] = piece.T if piece.dim() == 2 else piece
            elif layer in table:
                conv = ".c_" in layer and kind == "weight"
                new[f"{at}.{table[layer]}.{kind}"] = w.T if conv else w
    return new


# %% rename_gpt2: transposed first, and then still cut along the last dimension | chunks_of_the_inputs
# -             for W, piece in zip(("W_Q", "W_K", "W_V"), tensor.chunk(3, dim=-1)):
# -                 found[f"blocks.{number}.{W}.{kind}"] = piece.mT if kind == "weight" else piece
# +             turned = tensor.T if kind == "weight" else tensor
# +             for W, piece in zip(("W_Q", "W_K", "W_V"), torch.chunk(turned, 3, dim=-1)):
# +                 found[f"blocks.{number}.{W}.{kind}"] = piece


# %% calibrate: a text with a probability of 0 is an error, too | sure_text_refused
def calibrate(p, content_free):
    prior = content_free.mean(dim=0)
    if (prior == 0).any() or (p == 0).any():
        raise ValueError("a probability of 0 cannot be calibrated")
    q = p / prior
    return q / q.sum(dim=-1, keepdim=True)


# %% calibrate: refuses only if all classes have 0 | divides_by_zero
def calibrate(p, content_free):
    prior = content_free.mean(dim=0)
    if (prior == 0).all():
        raise ValueError("the content-free texts give no probability to any class")
    ratio = p / prior
    return ratio / ratio.sum(dim=1, keepdim=True)


# %% GPTClassifier: the last token but one | one_before_the_last
class GPTClassifier(nn.Module):
    def __init__(self, gpt, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.gpt = gpt
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)

    def scores(self, H, mask):
        last = mask.sum(dim=1) - 2
        return self.output(self.dropout(H[torch.arange(H.shape[0]), last]))

    def forward(self, ids, mask):
        H, _ = self.gpt.states(ids)
        return self.scores(H, mask)

    def loss(self, ids, mask, labels, lm_weight=0.5):
        H, _ = self.gpt.states(ids)
        lm = next_token_loss(H @ self.gpt.tokens.weight.T, ids, mask)
        return F.cross_entropy(self.scores(H, mask), labels) + lm_weight * lm


# %% unilm_mask: left-to-right is the triangle alone, without the padding | left_to_right_sees_padding
def unilm_mask(first, lengths, kind):
    B, L = len(lengths), int(lengths.max())
    columns = torch.arange(L)
    real = columns[None, None, :] < lengths[:, None, None]
    triangle = torch.ones(L, L).tril().bool()
    if kind == "bidirectional":
        return real.repeat(1, L, 1)
    if kind == "left-to-right":
        return triangle.repeat(B, 1, 1)
    if kind == "sequence-to-sequence":
        inside = columns[None, None, :] < first[:, None, None]
        return (triangle | inside) & real
    raise ValueError(f"unknown kind {kind}")


# %% CausalBlock: dropout between the two layers | dropout_on_the_hidden_layer
# -         new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
# -         return X + self.dropout(new), K, V
# +         hidden = self.dropout(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
# +         return X + self.W_2(hidden), K, V


# %% next_token_loss: ignores the id 0 | id_0_is_padding
def next_token_loss(logits, ids, counted):
    wanted = ids[:, 1:]
    scores = logits[:, :-1].transpose(1, 2)
    total = F.cross_entropy(scores, wanted, ignore_index=0, reduction="sum")
    return total / (wanted != 0).sum().clamp(min=1)


# %% rename_gpt2: the third character is the number | one_digit_numbers
def rename_gpt2(weights):
    outside = {"wte": "tokens", "wpe": "positions", "ln_f": "norm"}
    inside = {
        **{"ln_1": "norm_1", "ln_2": "norm_2", "attn.c_proj": "W_O"},
        **{"mlp.c_fc": "W_1", "mlp.c_proj": "W_2"},
    }
    found = {}
    for name, tensor in weights.items():
        layer, _, kind = name.removeprefix("transformer.").rpartition(".")
        if layer in outside:
            found[f"{outside[layer]}.{kind}"] = tensor
        elif layer.startswith("h."):
            i, part = layer[2], layer[4:]
            if part == "attn.c_attn":
                for letter, third in zip("QKV", tensor.chunk(3, dim=-1)):
                    found[f"blocks.{i}.W_{letter}.{kind}"] = third.T if third.dim() == 2 else third
            elif part in inside:
                new = f"blocks.{i}.{inside[part]}.{kind}"
                found[new] = tensor.T if tensor.dim() == 2 else tensor
    return found


# %% generate: reads the prompt in any case | reads_for_nothing
def generate(step, prompt, n, choose, end, max_length):
    if len(prompt) == 0 or len(prompt) > max_length:
        raise ValueError("prompt")
    n = min(n, max_length - len(prompt))
    logits, cache = step(torch.tensor([list(prompt)]), None)
    new = []
    for i in range(n):
        token = int(choose(logits))
        if token == end:
            break
        new.append(token)
        if i < n - 1:
            logits, cache = step(torch.tensor([[token]]), cache)
    return new


# %% generate: refuses a prompt that fits | full_prompt_refused
def generate(step, prompt, n, choose, end, max_length):
    if not prompt or len(prompt) >= max_length:
        raise ValueError("prompt")
    new, cache, ids = [], None, list(prompt)
    while len(new) < n and len(prompt) + len(new) < max_length:
        logits, cache = step(torch.tensor([ids]), cache)
        token = choose(logits)
        if token == end:
            break
        new.append(token)
        ids = [token]
    return new


# %% continuation_scores: one divisor for all | divides_by_the_whole_batch
def continuation_scores(logits, ids, counted, per_token=False):
    log_p = F.log_softmax(logits[:, :-1], dim=-1).gather(2, ids[:, 1:, None])[..., 0]
    total = torch.where(counted[:, 1:], log_p, 0.0).sum(dim=1)
    return total / counted[:, 1:].sum().clamp(min=1) if per_token else total


# %% continuation_scores: squeeze without an axis | squeezes_all_axes
def continuation_scores(logits, ids, counted, per_token=False):
    log_p = F.log_softmax(logits[:, :-1], dim=-1).gather(2, ids[:, 1:, None]).squeeze()
    total = log_p.masked_fill(~counted[:, 1:], 0.0).sum(dim=1)
    return total / counted[:, 1:].sum(dim=1).clamp(min=1) if per_token else total


# %% verbalizer_probabilities: any in place of all | one_impossible_class
def verbalizer_probabilities(log_p, classes):
    of_word = torch.tensor(list(classes))
    totals = [log_p[:, of_word == c].logsumexp(dim=1) for c in range(max(classes) + 1)]
    totals = torch.stack(totals, dim=1)
    impossible = totals.isneginf().any(dim=1, keepdim=True)
    return torch.where(impossible, 0.0, totals).softmax(dim=1)


# %% calibrate: a billionth in place of 0 | tiny_floor_for_zero
def calibrate(p, content_free):
    q = p / content_free.mean(dim=0).clamp(min=1e-9)
    return q / q.sum(dim=1, keepdim=True)


# %% task_inputs: room for three special tokens everywhere | three_for_a_single_text
# -         while sum(map(len, texts)) > max_length - len(texts) - 1:
# +         while sum(map(len, texts)) > max_length - 3:


# %% GPTClassifier: drops the states, then reads them | dropout_on_all_states
class GPTClassifier(nn.Module):
    def __init__(self, gpt, d_model, n_classes, dropout=0.1):
        super().__init__()
        self.gpt = gpt
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, n_classes)

    def score(self, H, mask):
        return self.output(H[torch.arange(len(H)), mask.sum(dim=1) - 1])

    def forward(self, ids, mask):
        return self.score(self.dropout(self.gpt.states(ids)[0]), mask)

    def loss(self, ids, mask, labels, lm_weight=0.5):
        H = self.dropout(self.gpt.states(ids)[0])
        language = next_token_loss(H @ self.gpt.tokens.weight.T, ids, mask)
        return F.cross_entropy(self.score(H, mask), labels) + lm_weight * language


# %% transfer_blocks: norm anywhere in the name | norms_in_the_blocks
def transfer_blocks(pretrained, fresh, n):
    n_blocks = len({name.split(".")[1] for name in fresh if name.startswith("blocks.")})
    found = {}
    for name in fresh:
        if "norm" in name:
            old = n >= n_blocks
        elif name.startswith("blocks."):
            old = int(name.split(".")[1]) < n
        else:
            old = True
        found[name] = pretrained[name] if old else fresh[name]
    return found


# %% unilm_mask: else in place of the third kind | unknown_kinds_are_sequence_to_sequence
def unilm_mask(first, lengths, kind):
    L = int(lengths.max())
    t = torch.arange(L)
    real = (t < lengths[:, None])[:, None, :]
    causal = (t <= t[:, None])[None]
    if kind == "bidirectional":
        rule = torch.ones(1, L, L, dtype=torch.bool)
    elif kind == "left-to-right":
        rule = causal
    else:
        rule = causal | (t < first[:, None])[:, None, :]
    return rule & real


# %% rouge: a set of what is common | common_ones_once
# -             common, totals = (mine & theirs).total(), (mine.total(), theirs.total())
# +             common = len(set(mine) & set(theirs))
# +             totals = sum(mine.values()), sum(theirs.values())


# %% induction_scores: only positions before the query | not_on_itself
def induction_scores(weights, ids):
    t = torch.arange(len(ids))
    earlier = (ids[:, None] == ids) & (t < t[:, None])
    repeated = earlier.any(dim=1)
    if not repeated.any():
        return weights.new_zeros(len(weights))
    after = torch.zeros_like(earlier)
    after[:, 1:] = earlier[:, :-1]
    after &= t < t[:, None]
    return (weights * after).sum(dim=-1)[:, repeated].mean(dim=1)
