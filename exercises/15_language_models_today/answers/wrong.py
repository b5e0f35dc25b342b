# %% ByteBPE: the numbers of the characters | characters_in_place_of_bytes
class ByteBPE:
    def __init__(self, merges):
        self.merges = merges
        self.bytes_of = [bytes([i]) for i in range(256)]
        for a, b in merges:
            self.bytes_of.append(self.bytes_of[a] + self.bytes_of[b])

    def encode(self, text):
        result = []
        for piece in pieces(text.encode() if isinstance(text, str) else text):
            ids = [ord(letter) for letter in piece.decode(errors="replace")]
            for k, (a, b) in enumerate(self.merges):
                i = 0
                while i + 1 < len(ids):
                    if ids[i] == a and ids[i + 1] == b:
                        ids[i : i + 2] = [256 + k]
                    i += 1
            result += ids
        return result

    def decode(self, ids):
        return b"".join([self.bytes_of[i] for i in ids]).decode(errors="replace")


# %% RMSNorm: as in layer normalization | subtracts_the_mean
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.eps = eps

    def forward(self, X):
        centered = X - X.mean(-1, keepdim=True)
        variance = centered.pow(2).mean(-1, keepdim=True)
        return self.weight * centered / torch.sqrt(variance + self.eps)


# %% rotate: pairs of neighbors, as in the paper | neighbors_are_pairs
def rotate(X, positions, base=10_000.0):
    d = X.shape[-1]
    if d % 2:
        raise ValueError("odd")
    angle = positions[:, None] * base ** (-torch.arange(0, d, 2) / d)
    out = torch.empty_like(X)
    even, odd = X[..., ::2], X[..., 1::2]
    out[..., ::2] = even * angle.cos() - odd * angle.sin()
    out[..., 1::2] = odd * angle.cos() + even * angle.sin()
    return out


# %% SwiGLU: the sigmoid as gate | sigmoid
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.W_gate = nn.Linear(d_model, d_hidden, bias=False)
        self.W_up = nn.Linear(d_model, d_hidden, bias=False)
        self.W_down = nn.Linear(d_hidden, d_model, bias=False)

    def forward(self, X):
        return self.W_down(self.W_up(X) * self.W_gate(X).sigmoid())


# %% GroupedQueryAttention: repeats the heads in turn | groups_interleaved
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, base=10_000.0):
        super().__init__()
        if n_key_heads < 1 or n_heads % n_key_heads or d_model % (2 * n_heads):
            raise ValueError("heads")
        self.n_heads, self.n_key_heads, self.base = n_heads, n_key_heads, base
        self.d_k = d_model // n_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, n_key_heads * self.d_k, bias=False)
        self.W_V = nn.Linear(d_model, n_key_heads * self.d_k, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, past=None):
        B, T, _ = X.shape
        q = self.W_Q(X).view(B, T, self.n_heads, self.d_k).transpose(1, 2)
        k = self.W_K(X).view(B, T, self.n_key_heads, self.d_k).transpose(1, 2)
        v = self.W_V(X).view(B, T, self.n_key_heads, self.d_k).transpose(1, 2)
        P = 0 if past is None else past[0].shape[2]
        at = torch.arange(P, P + T)
        q, k = rotate(q, at, self.base), rotate(k, at, self.base)
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        n = self.n_heads // self.n_key_heads
        mask = torch.arange(P + T) <= at[:, None]
        z = F.scaled_dot_product_attention(q, torch.cat([k] * n, 1), torch.cat([v] * n, 1), mask)
        return self.W_O(z.transpose(1, 2).reshape(B, T, -1)), k, v


# %% LlamaBlock: normalizes after the sum | post_norm
class LlamaBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, d_hidden, base=10_000.0, eps=1e-5):
        super().__init__()
        self.norm_1 = RMSNorm(d_model, eps)
        self.norm_2 = RMSNorm(d_model, eps)
        self.attention = GroupedQueryAttention(d_model, n_heads, n_key_heads, base)
        self.network = SwiGLU(d_model, d_hidden)

    def forward(self, X, past=None):
        Z, K, V = self.attention(X, past)
        X = self.norm_1(X + Z)
        X = self.norm_2(X + self.network(X))
        return X, K, V


# %% llama_costs: a multiplication with an addition is one operation | one_operation
def llama_costs(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, length, tied=True):
    d_k = d_model // n_heads
    block = 2 * d_model**2 + 2 * d_model * n_key_heads * d_k + 3 * d_model * d_hidden
    embeddings = n_tokens * d_model
    parameters = n_layers * (block + 2 * d_model) + d_model + embeddings
    if not tied:
        parameters += embeddings
    operations = length * (n_layers * block + embeddings) + n_layers * 2 * length**2 * d_model
    cache = 2 * n_layers * n_key_heads * d_k * length * 2
    return {"parameters": parameters, "cache_bytes": cache, "operations": operations}


# %% fit_scaling_law: lets the floor be negative | negative_floor
def fit_scaling_law(tokens, losses, alphas):
    if len(tokens.unique()) < 3:
        raise ValueError("too few")
    best = None
    for alpha in alphas.tolist():
        x, y = tokens.double() ** -alpha, losses.double()
        A = ((x - x.mean()) * (y - y.mean())).mean() / ((x - x.mean()) ** 2).mean()
        E = y.mean() - A * x.mean()
        error = ((E + A * x - y) ** 2).sum().item()
        if best is None or error < best[0]:
            best = (error, E.item(), A.item(), alpha)
    return best[1:]


# %% LoRALinear: alpha alone | not_divided_by_the_rank
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank < 1:
            raise ValueError("rank")
        linear.requires_grad_(False)
        self.linear, self.alpha = linear, alpha
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.lora_B.weight)

    def forward(self, X):
        return self.linear(X) + self.alpha * self.lora_B(self.lora_A(X))

    def merged(self):
        with torch.no_grad():
            return self.linear.weight + self.alpha * self.lora_B.weight @ self.lora_A.weight


# %% chat_ids: everything from the first answer on | the_mark_counts
def chat_ids(turns, marks, end):
    if not turns:
        raise ValueError("no turns")
    ids, counted = [], []
    for role, words in turns:
        if role not in marks or (role == "assistant" and not words):
            raise ValueError("wrong turn")
        part = list(marks[role]) + list(words) + [end]
        ids += part
        counted += [role == "assistant"] * len(part)
    if role != "assistant":
        ids += marks["assistant"]
        counted += [False] * len(marks["assistant"])
    return ids, counted


# %% dpo_loss: chosen against rejected, without the reference | without_the_reference
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    if len(chosen) == 0:
        return (chosen - rejected).sum()
    return -F.logsigmoid(beta * (chosen - rejected)).mean()


# %% round_to_int8: one scale for the matrix | one_scale_for_all
def round_to_int8(W):
    scale = W.abs().max() / 127
    if scale == 0:
        scale = torch.ones_like(scale)
    return torch.round(W / scale).to(torch.int8), scale.repeat(W.shape[0])


# %% ByteBPE: decode forgets the merged tokens | decodes_bytes_only
# edits: replaces pairs in a row of ids with a helper
# -         data = bytearray()
# -         for i in ids:
# -             data.extend(self.bytes_of[i])
# -         return bytes(data).decode(errors="replace")
# +         return bytes(ids).decode(errors="replace")


# %% ByteBPE: merges whatever pair is known, from the left | any_pair_from_the_left
class ByteBPE:
    def __init__(self, merges):
        self.merges = {tuple(p): 256 + k for k, p in enumerate(merges)}
        self.b = [bytes([i]) for i in range(256)]
        for a, c in merges:
            self.b.append(self.b[a] + self.b[c])

    def encode(self, text):
        if isinstance(text, str):
            text = text.encode()
        out = []
        for p in pieces(text):
            ids = list(p)
            i = 0
            while i < len(ids) - 1:
                if (ids[i], ids[i + 1]) in self.merges:
                    ids[i : i + 2] = [self.merges[ids[i], ids[i + 1]]]
                    i = max(i - 1, 0)
                else:
                    i += 1
            out += ids
        return out

    def decode(self, ids):
        return b"".join(self.b[i] for i in ids).decode("utf-8", errors="replace")


# %% ByteBPE: only strings | only_texts
# edits: replaces pairs in a row of ids with a helper
# -         data = text if isinstance(text, bytes) else text.encode("utf8")
# +         data = text.encode("utf8")


# %% RMSNorm: zeros as the first gain | gain_of_zeros
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(d))
        self.eps = eps

    def forward(self, X):
        return X / torch.sqrt((X**2).mean(-1, keepdim=True) + self.eps) * self.weight


# %% RMSNorm: the standard deviation of torch | standard_deviation
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.eps = eps

    def forward(self, X):
        return X / (X.std(-1, keepdim=True) + self.eps) * self.weight


# %% rotate: the minus is on the other half | turned_the_other_way
def rotate(X, positions, base=10_000.0):
    d = X.shape[-1]
    if d % 2:
        raise ValueError("odd")
    theta = base ** (-2 * torch.arange(d // 2) / d)
    a = positions[:, None] * theta[None]
    a = torch.cat([a, a], -1)
    X2 = torch.cat([X[..., d // 2 :], -X[..., : d // 2]], -1)
    return X * a.cos() + X2 * a.sin()


# %% rotate: integer division in the exponent | one_angle_for_all
def rotate(X, positions, base=10_000.0):
    d = X.shape[-1]
    if d % 2:
        raise ValueError("odd")
    theta = base ** (-2.0 * (torch.arange(d // 2) // d))
    a = positions[:, None] * theta
    x, y = X.chunk(2, -1)
    return torch.cat([x * a.cos() - y * a.sin(), x * a.sin() + y * a.cos()], -1)


# %% rotate: repeats the angles for neighbors | angles_of_neighbors
def rotate(X, positions, base=10_000.0):
    d = X.shape[-1]
    if d % 2:
        raise ValueError("odd")
    theta = base ** (-2 * torch.arange(d // 2) / d)
    a = (positions[:, None] * theta).repeat_interleave(2, -1)
    X2 = torch.cat([-X[..., d // 2 :], X[..., : d // 2]], -1)
    return X * a.cos() + X2 * a.sin()


# %% GroupedQueryAttention: the root of d_model | scaled_by_d_model
# edits: einsum with an axis for the groups
# -         scores = torch.einsum("bgrtd,bgsd->bgrts", Q, K) / math.sqrt(self.d_k)
# +         scores = torch.einsum("bgrtd,bgsd->bgrts", Q, K) / math.sqrt(X.shape[-1])


# %% GroupedQueryAttention: leaves the biases on | with_biases
# edits: head by head
# -         self.W_Q = nn.Linear(d_model, d_model, bias=False)
# -         self.W_K = nn.Linear(d_model, self.d * n_key_heads, bias=False)
# -         self.W_V = nn.Linear(d_model, self.d * n_key_heads, bias=False)
# -         self.W_O = nn.Linear(d_model, d_model, bias=False)
# +         self.W_Q = nn.Linear(d_model, d_model)
# +         self.W_K = nn.Linear(d_model, self.d * n_key_heads)
# +         self.W_V = nn.Linear(d_model, self.d * n_key_heads)
# +         self.W_O = nn.Linear(d_model, d_model)


# %% GroupedQueryAttention: rotates before splitting into heads | rotated_before_the_split
# edits: head by head
# -         K = torch.stack([rotate(k, where, self.base) for k in self.W_K(X).split(self.d, dim=-1)], dim=1)
# +         K = torch.stack(rotate(self.W_K(X), where, self.base).split(self.d, dim=-1), dim=1)
# ...
# -         for h, q in enumerate(self.W_Q(X).split(self.d, dim=-1)):
# +         for h, q in enumerate(rotate(self.W_Q(X), where, self.base).split(self.d, dim=-1)):
# ...
# -             scores = rotate(q, where, self.base) @ K[:, g].transpose(-1, -2) / self.d**0.5
# +             scores = q @ K[:, g].transpose(-1, -2) / self.d**0.5


# %% Llama: multiplies the embeddings as in 11 | embeddings_times_root_d
# edits: blocks in a loop, lengths checked one after the other
# -         X = self.tokens(ids)
# +         X = self.tokens(ids) * self.tokens.embedding_dim**0.5


# %% Llama: takes the length of the cache from axis 1 | forgets_the_cached_tokens
class Llama(nn.Module):
    def __init__(
        self,
        n_tokens,
        d_model,
        n_heads,
        n_key_heads,
        d_hidden,
        n_layers,
        max_length=128,
        tied=True,
        base=10_000.0,
        eps=1e-5,
    ):
        super().__init__()
        self.max_length = max_length
        self.tokens = nn.Embedding(n_tokens, d_model)
        self.blocks = nn.ModuleList(
            LlamaBlock(d_model, n_heads, n_key_heads, d_hidden, base, eps) for _ in range(n_layers)
        )
        self.norm = RMSNorm(d_model, eps)
        self.head = nn.Linear(d_model, n_tokens, bias=False)
        if tied:
            self.head.weight = self.tokens.weight

    def states(self, ids, cache=None):
        P = 0 if cache is None else cache[0][0].shape[1]
        if ids.shape[1] < 1 or P + ids.shape[1] > self.max_length:
            raise ValueError("x")
        X = self.tokens(ids)
        out = []
        for i, b in enumerate(self.blocks):
            X, K, V = b(X, cache[i] if cache else None)
            out.append((K, V))
        return self.norm(X), out

    def forward(self, ids):
        return self.head(self.states(ids)[0])


# %% LlamaBlock: adds the second update to what came in | attention_lost_from_the_sum
# edits: keywords and small steps
# -         summed = summed + self.network(self.norm_2(summed))
# +         summed = X + self.network(self.norm_2(summed))


# %% llama_costs: two operations for every parameter | all_parameters_multiply
def llama_costs(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, length, tied=True):
    d_k = d_model // n_heads
    p = (
        n_tokens * d_model * (1 if tied else 2)
        + n_layers * (2 * d_model**2 + 2 * d_model * n_key_heads * d_k + 3 * d_model * d_hidden + 2 * d_model)
        + d_model
    )
    return {
        "parameters": p,
        "cache_bytes": 4 * n_layers * n_key_heads * d_k * length,
        "operations": 2 * length * p + 4 * n_layers * length**2 * d_model,
    }


# %% llama_costs: the cache of one block | cache_of_one_block
def llama_costs(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, length, tied=True):
    d_k = d_model // n_heads
    m = n_layers * (2 * d_model**2 + 2 * d_model * n_key_heads * d_k + 3 * d_model * d_hidden)
    w = n_tokens * d_model
    return {
        "parameters": m + w * (2 - tied) + (2 * n_layers + 1) * d_model,
        "cache_bytes": 4 * n_key_heads * d_k * length,
        "operations": 2 * length * (m + w) + 4 * n_layers * length**2 * d_model,
    }


# %% fit_scaling_law: adds the sizes of the errors | absolute_errors
def fit_scaling_law(tokens, losses, alphas):
    if len(tokens.unique()) < 3:
        raise ValueError("x")
    best = None
    N, L = tokens.double(), losses.double()
    for a in alphas.tolist():
        x = N**-a
        A = ((x - x.mean()) * (L - L.mean())).sum() / ((x - x.mean()) ** 2).sum()
        E = L.mean() - A * x.mean()
        if E < 0:
            E, A = torch.tensor(0.0), (x * L).sum() / (x * x).sum()
        err = (E + A * x - L).abs().sum()
        if best is None or err < best[0]:
            best = (err, float(E), float(A), a)
    return best[1:]


# %% fit_scaling_law: leaves tensors
def fit_scaling_law(tokens, losses, alphas):
    if len(tokens.unique()) < 3:
        raise ValueError("x")
    best = None
    N, L = tokens.double(), losses.double()
    for a in alphas:
        x = N**-a
        A = ((x - x.mean()) * (L - L.mean())).sum() / ((x - x.mean()) ** 2).sum()
        E = L.mean() - A * x.mean()
        if E < 0:
            E, A = torch.tensor(0.0), (x * L).sum() / (x * x).sum()
        err = ((E + A * x - L) ** 2).sum()
        if best is None or err < best[0]:
            best = (err, E, A, a)
    return best[1:]


# %% LoRALinear: zeros in A | both_zeros
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank < 1:
            raise ValueError("x")
        self.linear = linear.requires_grad_(False)
        self.s = alpha / rank
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.lora_A.weight)

    def forward(self, X):
        return self.linear(X) + self.s * self.lora_B(self.lora_A(X))

    def merged(self):
        return (self.linear.weight + self.s * self.lora_B.weight @ self.lora_A.weight).detach()


# %% chat_ids: only the user is no assistant, and no one else asks
def chat_ids(turns, marks, end):
    if not turns:
        raise ValueError("x")
    ids, c = [], []
    for role, w in turns:
        if role not in marks or role == "assistant" and not w:
            raise ValueError("x")
        ids += marks[role] + w + [end]
        c += [False] * len(marks[role]) + [role != "user"] * (len(w) + 1)
    if role == "user":
        ids += marks["assistant"]
        c += [False] * len(marks["assistant"])
    return ids, c


# %% chat_ids: ones and zeros | numbers_for_booleans
def chat_ids(turns, marks, end):
    if not turns:
        raise ValueError("x")
    ids, c = [], []
    for role, w in turns:
        if role not in marks or role == "assistant" and not w:
            raise ValueError("x")
        ids += marks[role] + w + [end]
        c += [0] * len(marks[role]) + [int(role == "assistant")] * (len(w) + 1)
    if role != "assistant":
        ids += marks["assistant"]
        c += [0] * len(marks["assistant"])
    return ids, c


# %% round_to_int8: moves the numbers by 128 | unsigned
def round_to_int8(W):
    s = W.abs().amax(1) / 127
    s = torch.where(s == 0, 1.0, s)
    return torch.round(W / s[:, None] + 128).to(torch.uint8), s


# %% round_to_int8: the range in 255 steps | from_the_range
def round_to_int8(W):
    s = (W.max(1).values - W.min(1).values) / 255
    s[s == 0] = 1
    return torch.round(W / s[:, None]).clamp(-127, 127).to(torch.int8), s


# %% ByteBPE: merges across words, on the whole text | merges_across_words
# edits: replaces pairs in a row of ids with a helper
# -         for piece in pieces(data):
# +         for piece in [data]:


# %% GroupedQueryAttention: is_causal=True, also with a past | diagonal_at_the_start
# edits: einsum with an axis for the groups
# -         ahead = torch.arange(P + T)[None, :] > where[:, None]
# +         ahead = torch.arange(P + T)[None, :] > torch.arange(T)[:, None]


# %% LlamaBlock: the first normalization is used twice | one_norm_for_both
# edits: keywords and small steps
# -         summed = summed + self.network(self.norm_2(summed))
# +         summed = summed + self.network(self.norm_1(summed))


# %% Llama: hands the first block's cache to all | first_cache_for_all
# edits: blocks in a loop, lengths checked one after the other
# -                 X, K, V = block(X, cache[number])
# +                 X, K, V = block(X, cache[0])


# %% fit_scaling_law: fits in logs without a floor |
def fit_scaling_law(tokens, losses, alphas):
    if len(tokens.unique()) < 3:
        raise ValueError("three")
    x, y = tokens.double().log(), losses.double().log()
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    return 0.0, float((y.mean() - slope * x.mean()).exp()), float(-slope)


# %% dpo_loss: averages before the sigmoid | sigmoid_of_the_mean
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    if len(chosen) == 0:
        return torch.tensor(0.0)
    h = beta * ((chosen - reference_chosen) - (rejected - reference_rejected))
    return -F.logsigmoid(h.mean())


# %% LoRALinear: B is not zero | starts_changed
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank < 1:
            raise ValueError("rank")
        self.linear, self.scale = linear.requires_grad_(False), alpha / rank
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)

    def forward(self, X):
        return self.linear(X) + self.scale * self.lora_B(self.lora_A(X))

    def merged(self):
        return (self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight).detach()


# %% ByteBPE: the longest token that fits, from the left | longest_match
class ByteBPE:
    def __init__(self, merges):
        self.bytes_of = [bytes([i]) for i in range(256)]
        for a, b in merges:
            self.bytes_of.append(self.bytes_of[a] + self.bytes_of[b])
        self.known = {}
        for i, t in enumerate(self.bytes_of):
            self.known.setdefault(t, i)

    def encode(self, text):
        ids = []
        for piece in pieces(text.encode() if isinstance(text, str) else text):
            i = 0
            while i < len(piece):
                for j in range(len(piece), i, -1):
                    if piece[i:j] in self.known:
                        ids.append(self.known[piece[i:j]])
                        i = j
                        break
        return ids

    def decode(self, ids):
        return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")


# %% fit_scaling_law: the floor comes after the choice of alpha | floor_after_the_choice
def fit_scaling_law(tokens, losses, alphas):
    if len(tokens.unique()) < 3:
        raise ValueError("too few")
    N, L = tokens.double(), losses.double()
    best = None
    for alpha in alphas.tolist():
        x = N ** -alpha
        A = ((x - x.mean()) * (L - L.mean())).sum() / ((x - x.mean()) ** 2).sum()
        E = L.mean() - A * x.mean()
        error = ((E + A * x - L) ** 2).sum()
        if best is None or error < best[0]:
            best = (error, E, A, alpha, x)
    _, E, A, alpha, x = best
    if E < 0:
        E, A = torch.tensor(0.0), (x * L).sum() / (x * x).sum()
    return E.item(), A.item(), alpha


# %% LoRALinear: the frozen layer under no_grad | frozen_path_detached
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank < 1:
            raise ValueError("rank")
        self.linear = linear
        for p in linear.parameters():
            p.requires_grad = False
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.lora_B.weight)
        self.factor = alpha / rank

    def forward(self, X):
        with torch.no_grad():
            frozen = self.linear(X)
        return frozen + self.factor * self.lora_B(self.lora_A(X))

    def merged(self):
        return (self.linear.weight + self.factor * self.lora_B.weight @ self.lora_A.weight).detach()


# %% dpo_loss: divides log-probabilities | quotients
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    if len(chosen) == 0:
        return chosen.sum() * 0
    ratio = chosen / reference_chosen - rejected / reference_rejected
    return -F.logsigmoid(beta * ratio).mean()


# %% Llama: the last norm is in forward, not in states | normalizes_in_forward
class Llama(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, max_length=128,
                 tied=True, base=10_000.0, eps=1e-5):
        super().__init__()
        self.max_length = max_length
        self.tokens = nn.Embedding(n_tokens, d_model)
        self.blocks = nn.ModuleList(
            [LlamaBlock(d_model, n_heads, n_key_heads, d_hidden, base, eps) for _ in range(n_layers)]
        )
        self.norm = RMSNorm(d_model, eps)
        self.head = nn.Linear(d_model, n_tokens, bias=False)
        if tied:
            self.head.weight = self.tokens.weight

    def states(self, ids, cache=None):
        P = cache[0][0].shape[2] if cache is not None else 0
        if ids.shape[1] == 0:
            raise ValueError("no token")
        if P + ids.shape[1] > self.max_length:
            raise ValueError("too many tokens")
        X, new = self.tokens(ids), []
        for i, block in enumerate(self.blocks):
            X, K, V = block(X, cache[i] if cache is not None else None)
            new.append((K, V))
        return X, new

    def forward(self, ids):
        return self.head(self.norm(self.states(ids)[0]))


# %% Llama: forward normalizes the states again | normalizes_twice
# - return self.head(self.states(ids)[0])
# + return self.head(self.norm(self.states(ids)[0]))


# %% Llama: normalizes after every block | normalizes_after_each_block
# -     longer.append((K, V))
# - return self.norm(X), longer
# +     X = self.norm(X)
# +     longer.append((K, V))
# + return X, longer


# %% ByteBPE: encode takes characters' numbers (ord), not the bytes of UTF-8 | characters_of_texts
class ByteBPE:
    def __init__(self, merges):
        self.merges = [tuple(m) for m in merges]
        self.bytes_of = [bytes([i]) for i in range(256)]
        for left, right in self.merges:
            self.bytes_of.append(self.bytes_of[left] + self.bytes_of[right])

    def encode(self, text):
        if isinstance(text, bytes):
            words = [list(p) for p in pieces(text)]
        else:
            words = [[ord(c) for c in p] for p in re.findall(r" ?\S+|\s", text)]
        out = []
        for w in words:
            for k, m in enumerate(self.merges):
                new = []
                for x in w:
                    if new and (new[-1], x) == m:
                        new[-1] = 256 + k
                    else:
                        new.append(x)
                w = new
            out += w
        return out

    def decode(self, ids):
        data = b"".join([self.bytes_of[i] for i in ids])
        return data.decode("utf-8", errors="replace")


# %% ByteBPE: bytes are read as latin-1, then ord of each character | characters_of_texts
class ByteBPE:
    def __init__(self, merges):
        self.merges = list(merges)
        self.bytes_of = [bytes([i]) for i in range(256)]
        for left, right in self.merges:
            self.bytes_of.append(self.bytes_of[left] + self.bytes_of[right])

    def encode(self, text):
        if isinstance(text, bytes):
            text = text.decode("latin-1")
        out = []
        for word in re.findall(r" ?\S+|\s", text):
            w = [ord(c) for c in word]
            for k, (a, b) in enumerate(self.merges, 256):
                i = 0
                while i < len(w) - 1:
                    if w[i] == a and w[i + 1] == b:
                        w[i : i + 2] = [k]
                    i += 1
            out += w
        return out

    def decode(self, ids):
        return b"".join([self.bytes_of[i] for i in ids]).decode("utf-8", errors="replace")


# %% ByteBPE: ord of the characters, and bytes fail | characters_and_no_bytes
class ByteBPE:
    def __init__(self, merges):
        self.merges = list(merges)
        self.bytes_of = [bytes([i]) for i in range(256)]
        for left, right in self.merges:
            self.bytes_of.append(self.bytes_of[left] + self.bytes_of[right])

    def encode(self, text):
        out = []
        for word in re.findall(r" ?\S+|\s", text):
            w = [ord(c) for c in word]
            for k, (a, b) in enumerate(self.merges, 256):
                i = 0
                while i < len(w) - 1:
                    if w[i] == a and w[i + 1] == b:
                        w[i : i + 2] = [k]
                    i += 1
            out += w
        return out

    def decode(self, ids):
        return b"".join([self.bytes_of[i] for i in ids]).decode("utf-8", errors="replace")


# %% ByteBPE: encodes as latin-1 | encodes_as_latin
class ByteBPE:
    def __init__(self, merges):
        self.merges = list(merges)
        self.bytes_of = [bytes([i]) for i in range(256)]
        for left, right in self.merges:
            self.bytes_of.append(self.bytes_of[left] + self.bytes_of[right])

    def encode(self, text):
        if isinstance(text, str):
            text = text.encode("latin-1", errors="replace")
        out = []
        for word in pieces(text):
            w = list(word)
            for k, (a, b) in enumerate(self.merges, 256):
                i = 0
                while i < len(w) - 1:
                    if w[i] == a and w[i + 1] == b:
                        w[i : i + 2] = [k]
                    i += 1
            out += w
        return out

    def decode(self, ids):
        return b"".join([self.bytes_of[i] for i in ids]).decode("utf-8", errors="replace")


# %% ByteBPE: bytes of the numbers of the characters | a_byte_for_each_character
class ByteBPE:
    def __init__(self, merges):
        self.merges = list(merges)
        self.bytes_of = [bytes([i]) for i in range(256)]
        for left, right in self.merges:
            self.bytes_of.append(self.bytes_of[left] + self.bytes_of[right])

    def encode(self, text):
        if isinstance(text, str):
            text = bytes(ord(c) for c in text)
        out = []
        for word in pieces(text):
            w = list(word)
            for k, (a, b) in enumerate(self.merges, 256):
                i = 0
                while i < len(w) - 1:
                    if w[i] == a and w[i + 1] == b:
                        w[i : i + 2] = [k]
                    i += 1
            out += w
        return out

    def decode(self, ids):
        return b"".join([self.bytes_of[i] for i in ids]).decode("utf-8", errors="replace")


# %% LoRALinear: merged changes the frozen weight in place | merges_into_the_weight
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank < 1:
            raise ValueError("rank below 1")
        self.linear = linear
        for p in self.linear.parameters():
            p.requires_grad = False
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        with torch.no_grad():
            self.lora_B.weight.fill_(0.0)
        self.factor = alpha / rank

    def forward(self, X):
        thin = self.lora_B(self.lora_A(X))
        return self.linear(X) + thin * self.factor

    @torch.no_grad()
    def merged(self):
        W = self.linear.weight.data
        W += self.factor * self.lora_B.weight @ self.lora_A.weight
        return W


# %% LoRALinear: merged adds in place to the detached weight | merges_into_the_weight
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank < 1:
            raise ValueError("rank below 1")
        self.linear = linear
        self.linear.requires_grad_(False)
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.lora_B.weight)
        self.scale = alpha / rank

    def forward(self, X):
        return self.linear(X) + self.scale * self.lora_B(self.lora_A(X))

    @torch.no_grad()
    def merged(self):
        change = self.scale * self.lora_B.weight @ self.lora_A.weight
        return self.linear.weight.detach().add_(change)


# %% LoRALinear: merged puts the sum in the place of the weight | merges_in_place
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank < 1:
            raise ValueError("rank below 1")
        self.linear = linear
        self.linear.requires_grad_(False)
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.lora_B.weight)
        self.scale = alpha / rank

    def forward(self, X):
        return self.linear(X) + self.scale * self.lora_B(self.lora_A(X))

    @torch.no_grad()
    def merged(self):
        self.linear.weight.data = self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight
        return self.linear.weight.data


# %% LoRALinear: merged clears B, and returns the weight itself | returns_the_weight
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank < 1:
            raise ValueError("rank below 1")
        self.linear = linear
        self.linear.requires_grad_(False)
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.lora_B.weight)
        self.scale = alpha / rank

    def forward(self, X):
        return self.linear(X) + self.scale * self.lora_B(self.lora_A(X))

    @torch.no_grad()
    def merged(self):
        self.linear.weight.data += self.scale * self.lora_B.weight @ self.lora_A.weight
        nn.init.zeros_(self.lora_B.weight)
        return self.linear.weight.data


# %% ByteBPE: decodes bytes and encodes them again | bytes_read_as_text
class ByteBPE:
    def __init__(self, merges):
        self.merges = [tuple(pair) for pair in merges]
        self.bytes_of = [bytes([b]) for b in range(256)]
        for left, right in self.merges:
            self.bytes_of.append(self.bytes_of[left] + self.bytes_of[right])

    def encode(self, text):
        if isinstance(text, bytes):
            text = text.decode("utf-8", "replace")
        ids = []
        for piece in pieces(text.encode("utf-8")):
            found = list(piece)
            for k, pair in enumerate(self.merges):
                new, i = [], 0
                while i < len(found):
                    if tuple(found[i : i + 2]) == pair:
                        new.append(256 + k)
                        i += 2
                    else:
                        new.append(found[i])
                        i += 1
                found = new
            ids += found
        return ids

    def decode(self, ids):
        return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")


# %% ByteBPE: goes backward through a piece | from_the_right
class ByteBPE:
    def __init__(self, merges):
        self.merges = [tuple(pair) for pair in merges]
        self.bytes_of = [bytes([b]) for b in range(256)]
        for left, right in self.merges:
            self.bytes_of.append(self.bytes_of[left] + self.bytes_of[right])

    def encode(self, text):
        ids = []
        for piece in pieces(text.encode("utf-8") if isinstance(text, str) else text):
            found = list(piece)
            for k, pair in enumerate(self.merges):
                new, i = [], len(found)
                while i > 0:
                    if i > 1 and (found[i - 2], found[i - 1]) == pair:
                        new.insert(0, 256 + k)
                        i -= 2
                    else:
                        new.insert(0, found[i - 1])
                        i -= 1
                found = new
            ids += found
        return ids

    def decode(self, ids):
        return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")


# %% RMSNorm: Gemma's gain | one_plus_the_gain
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, X):
        return (1 + self.weight) * X / (X.square().mean(-1, keepdim=True) + self.eps).sqrt()


# %% RMSNorm: an eps of its own | eps_of_1e_6
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, X):
        return self.weight * X / (X.square().mean(-1, keepdim=True) + 1e-6).sqrt()


# %% SwiGLU: a bias at the end | W_down_with_bias
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.W_gate, self.W_up = (nn.Linear(d_model, d_hidden, bias=False) for _ in range(2))
        self.W_down = nn.Linear(d_hidden, d_model)

    def forward(self, X):
        gate = self.W_gate(X)
        return self.W_down(gate * gate.sigmoid() * self.W_up(X))


# %% GroupedQueryAttention: the base is forgotten at the keys | base_for_the_queries_only
# -         Q, K = rotate(Q, positions, self.base), rotate(K, positions, self.base)
# +         Q, K = rotate(Q, positions, self.base), rotate(K, positions)


# %% GroupedQueryAttention: an odd d_k | odd_heads_accepted
# -         if d_model % n_heads or d_model // n_heads % 2:
# +         if d_model % n_heads != 0:


# %% LlamaBlock: overwrites the sum | network_added_to_the_normalized
class LlamaBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, d_hidden, base=10_000.0, eps=1e-5):
        super().__init__()
        self.norm_1, self.norm_2 = RMSNorm(d_model, eps), RMSNorm(d_model, eps)
        self.attention = GroupedQueryAttention(d_model, n_heads, n_key_heads, base)
        self.network = SwiGLU(d_model, d_hidden)

    def forward(self, X, past=None):
        Z, K, V = self.attention(self.norm_1(X), past)
        X = self.norm_2(X + Z)
        X = X + self.network(X)
        return X, K, V


# %% LlamaBlock: eps is forgotten once | eps_for_norm_1_only
class LlamaBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, d_hidden, base=10_000.0, eps=1e-5):
        super().__init__()
        self.norm_1 = RMSNorm(d_model, eps=eps)
        self.norm_2 = RMSNorm(d_model)
        self.attention = GroupedQueryAttention(d_model, n_heads, n_key_heads, base=base)
        self.network = SwiGLU(d_model, d_hidden)

    def forward(self, X, past=None):
        Z, K, V = self.attention(self.norm_1(X), past)
        X = X + Z
        return X + self.network(self.norm_2(X)), K, V


# %% llama_costs: half of the square | causal_pairs_only
# -     pairs = n_layers * 2 * 2 * length * length * d_model
# +     pairs = n_layers * 2 * 2 * length * (length + 1) // 2 * d_model


# %% llama_costs: scores of the next token only | head_at_the_last_token
# -         "operations": 2 * length * (matrices + words) + pairs,
# +         "operations": 2 * length * matrices + 2 * words + pairs,


# %% fit_scaling_law: leaves out what is below 0 | negative_floors_skipped
def fit_scaling_law(tokens, losses, alphas):
    if len(set(tokens.tolist())) < 3:
        raise ValueError("too few N")
    N, L, best = tokens.double(), losses.double(), None
    for alpha in alphas.tolist():
        x = N**-alpha
        dx = x - x.mean()
        A = (dx * (L - L.mean())).sum() / dx.square().sum()
        E = L.mean() - A * x.mean()
        if E < 0:
            continue
        error = (E + A * x - L).square().sum().item()
        if best is None or error < best[0]:
            best = error, E.item(), A.item(), alpha
    return best[1:]


# %% LoRALinear: the root of the rank | divided_by_the_root_of_the_rank
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank < 1:
            raise ValueError("rank below 1")
        self.linear = linear
        self.linear.requires_grad_(False)
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.lora_B.weight)
        self.scale = alpha / rank**0.5

    def forward(self, X):
        return self.linear(X) + self.scale * self.lora_B(self.lora_A(X))

    @torch.no_grad()
    def merged(self):
        return self.linear.weight + self.scale * self.lora_B.weight @ self.lora_A.weight


# %% chat_ids: marks the tokens before | shifted_to_the_next
def chat_ids(turns, marks, end):
    if not turns:
        raise ValueError("no turn")
    ids, counted = [], []
    for role, words in turns:
        if role not in marks or (role == "assistant" and not words):
            raise ValueError(role)
        ids += [*marks[role], *words, end]
        counted += [False] * len(marks[role]) + [role == "assistant"] * (len(words) + 1)
    if role != "assistant":
        ids += marks["assistant"]
        counted += [False] * len(marks["assistant"])
    return ids, [*counted[1:], False]


# %% dpo_loss: two losses | a_sigmoid_for_each_answer
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    up = -F.logsigmoid(beta * (chosen - reference_chosen))
    down = -F.logsigmoid(-beta * (rejected - reference_rejected))
    return (up + down).sum() / max(1, len(chosen))


# %% round_to_int8: abs after the maximum | size_of_the_largest_number
def round_to_int8(W):
    scale = W.max(dim=1).values.abs() / 127
    scale[scale == 0] = 1
    return (W / scale[:, None]).round().clamp(-127, 127).to(torch.int8), scale


# %% round_to_int8: the scale is from the largest number | clipped_at_the_largest_number
def round_to_int8(W):
    size = W.amax(dim=1)
    scale = torch.where(size != 0, size / 127, torch.ones_like(size))
    q = torch.round(W / scale[:, None]).clamp(-127, 127).to(torch.int8)
    return q, scale
