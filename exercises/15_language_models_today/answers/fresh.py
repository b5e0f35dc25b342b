# %% ByteBPE: merges go across words, pieces is not called
class ByteBPE:
    def __init__(self, merges):
        self.merges = list(merges)
        self.bytes_of = [bytes([b]) for b in range(256)]
        for left, right in self.merges:
            self.bytes_of.append(self.bytes_of[left] + self.bytes_of[right])

    def encode(self, text):
        data = text.encode("utf-8") if isinstance(text, str) else text
        ids = list(data)
        for k, (left, right) in enumerate(self.merges):
            new, i = [], 0
            while i < len(ids):
                if i + 1 < len(ids) and ids[i] == left and ids[i + 1] == right:
                    new.append(256 + k)
                    i += 2
                else:
                    new.append(ids[i])
                    i += 1
            ids = new
        return ids

    def decode(self, ids):
        return b"".join(self.bytes_of[i] for i in ids).decode("utf-8", errors="replace")


# %% ByteBPE: decodes each token by itself
class ByteBPE:
    def __init__(self, merges):
        self.merges = merges
        self.bytes_of = [bytes((i,)) for i in range(256)]
        for a, b in merges:
            self.bytes_of += [self.bytes_of[a] + self.bytes_of[b]]

    def encode(self, text):
        if isinstance(text, str):
            text = text.encode()
        result = []
        for piece in pieces(text):
            word = list(piece)
            for number, pair in enumerate(self.merges, start=256):
                j = 0
                while j < len(word) - 1:
                    if (word[j], word[j + 1]) == tuple(pair):
                        word[j : j + 2] = [number]
                    j += 1
            result.extend(word)
        return result

    def decode(self, ids):
        return "".join(self.bytes_of[i].decode("utf-8", errors="replace") for i in ids)


# %% ByteBPE: encode takes characters' numbers (ord), not the bytes of UTF-8
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


# %% RMSNorm: subtracts the mean, like layer normalization
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.eps = eps

    def forward(self, X):
        centered = X - X.mean(dim=-1, keepdim=True)
        return centered / torch.sqrt((centered**2).mean(dim=-1, keepdim=True) + self.eps) * self.weight


# %% RMSNorm: divides by the norm, sum for mean
class RMSNorm(nn.Module):
    def __init__(self, d: int, eps: float = 1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, X):
        length = X.pow(2).sum(-1, keepdim=True).add(self.eps).sqrt()
        return self.weight * X / length


# %% RMSNorm: eps is added outside of the root
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.eps = eps

    def forward(self, X):
        rms = X.square().mean(-1, keepdim=True).sqrt()
        return X / (rms + self.eps) * self.weight


# %% rotate: neighbors 2i and 2i + 1 are a pair
def rotate(X, positions, base=10_000.0):
    d = X.shape[-1]
    if d % 2 == 1:
        raise ValueError("d_k must be even")
    theta = base ** (-torch.arange(0, d, 2).float() / d)
    angles = positions[:, None] * theta[None, :]
    cos, sin = angles.cos(), angles.sin()
    a, b = X[..., 0::2], X[..., 1::2]
    out = torch.empty_like(X)
    out[..., 0::2] = a * cos - b * sin
    out[..., 1::2] = b * cos + a * sin
    return out


# %% rotate: turns the other way
def rotate(X, positions, base=10_000.0):
    d_k = X.size(-1)
    if d_k % 2:
        raise ValueError(f"{d_k} is odd")
    half = d_k // 2
    freqs = torch.tensor([base ** (-2 * i / d_k) for i in range(half)])
    angle = torch.outer(positions.float(), freqs)
    a, b = X.split(half, dim=-1)
    return torch.cat([a * angle.cos() + b * angle.sin(), b * angle.cos() - a * angle.sin()], dim=-1)


# %% rotate: exponent -i / d_k in place of -2i / d_k
def rotate(X, positions, base=10_000.0):
    d_k = X.shape[-1]
    if d_k % 2 != 0:
        raise ValueError("an odd number of components has no pairs")
    i = torch.arange(d_k // 2)
    angles = positions.unsqueeze(1) * base ** (-i / d_k)
    angles = torch.cat([angles, angles], dim=1)
    first, second = X.chunk(2, dim=-1)
    turned = torch.cat([-second, first], dim=-1)
    return X * torch.cos(angles) + turned * torch.sin(angles)


# %% SwiGLU: the SiLU is on the up path
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.W_gate = nn.Linear(d_model, d_hidden, bias=False)
        self.W_up = nn.Linear(d_model, d_hidden, bias=False)
        self.W_down = nn.Linear(d_hidden, d_model, bias=False)

    def forward(self, X):
        return self.W_down(self.W_gate(X) * F.silu(self.W_up(X)))


# %% SwiGLU: sigmoid in place of SiLU
class SwiGLU(nn.Module):
    def __init__(self, d_model: int, d_hidden: int) -> None:
        super().__init__()
        self.W_gate, self.W_up = (nn.Linear(d_model, d_hidden, bias=False) for _ in range(2))
        self.W_down = nn.Linear(d_hidden, d_model, bias=False)

    def forward(self, X):
        gate = torch.sigmoid(self.W_gate(X))
        return self.W_down(gate * self.W_up(X))


# %% SwiGLU: the layers have biases
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.W_gate = nn.Linear(d_model, d_hidden)
        self.W_up = nn.Linear(d_model, d_hidden)
        self.W_down = nn.Linear(d_hidden, d_model)
        self.act = nn.SiLU()

    def forward(self, X):
        return self.W_down(self.act(self.W_gate(X)) * self.W_up(X))


# %% GroupedQueryAttention: repeat in place of repeat_interleave
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, base=10_000.0):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("d_model")
        if n_key_heads < 1 or n_heads % n_key_heads:
            raise ValueError("n_key_heads")
        self.d_k = d_model // n_heads
        if self.d_k % 2:
            raise ValueError("d_k is odd")
        self.H, self.G, self.base = n_heads, n_key_heads, base
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, n_key_heads * self.d_k, bias=False)
        self.W_V = nn.Linear(d_model, n_key_heads * self.d_k, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, past=None):
        B, T, d = X.shape
        Q = self.W_Q(X).view(B, T, self.H, self.d_k).transpose(1, 2)
        K = self.W_K(X).view(B, T, self.G, self.d_k).transpose(1, 2)
        V = self.W_V(X).view(B, T, self.G, self.d_k).transpose(1, 2)
        P = 0 if past is None else past[0].shape[2]
        positions = torch.arange(P, P + T)
        Q, K = rotate(Q, positions, self.base), rotate(K, positions, self.base)
        if past is not None:
            K = torch.cat([past[0], K], dim=2)
            V = torch.cat([past[1], V], dim=2)
        n = self.H // self.G
        keys, values = K.repeat(1, n, 1, 1), V.repeat(1, n, 1, 1)
        scores = Q @ keys.transpose(-1, -2) / math.sqrt(self.d_k)
        future = torch.ones(T, P + T, dtype=torch.bool).triu(P + 1)
        weights = scores.masked_fill(future, -math.inf).softmax(dim=-1)
        Z = (weights @ values).transpose(1, 2).reshape(B, T, d)
        return self.W_O(Z), K, V


# %% GroupedQueryAttention: new tokens always begin at position 0
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, base=10_000.0):
        super().__init__()
        if n_key_heads < 1 or d_model % n_heads or n_heads % n_key_heads or (d_model // n_heads) % 2:
            raise ValueError("head counts do not fit")
        d_k = d_model // n_heads
        self.n_heads = n_heads
        self.n_key_heads = n_key_heads
        self.d_k = d_k
        self.base = base
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, n_key_heads * d_k, bias=False)
        self.W_V = nn.Linear(d_model, n_key_heads * d_k, bias=False)

    def split(self, Y, n):
        return Y.unflatten(-1, (n, self.d_k)).transpose(1, 2)

    def forward(self, X, past=None):
        T = X.shape[1]
        pos = torch.arange(T)
        q = rotate(self.split(self.W_Q(X), self.n_heads), pos, self.base)
        k = rotate(self.split(self.W_K(X), self.n_key_heads), pos, self.base)
        v = self.split(self.W_V(X), self.n_key_heads)
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        groups = self.n_heads // self.n_key_heads
        total = k.shape[2]
        allowed = torch.ones(T, total).tril(total - T).bool()
        z = F.scaled_dot_product_attention(
            q, k.repeat_interleave(groups, dim=1), v.repeat_interleave(groups, dim=1), attn_mask=allowed
        )
        return self.W_O(z.transpose(1, 2).flatten(2)), k, v


# %% GroupedQueryAttention: is_causal with a past, so new tokens do not see all of it
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, base=10_000.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model must be a multiple of n_heads")
        if n_key_heads < 1:
            raise ValueError("at least one key head")
        if n_heads % n_key_heads != 0:
            raise ValueError("n_heads must be a multiple of n_key_heads")
        self.d_k = d_model // n_heads
        if self.d_k % 2 != 0:
            raise ValueError("d_k must be even")
        self.h, self.g = n_heads, n_key_heads
        self.base = base
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, self.g * self.d_k, bias=False)
        self.W_V = nn.Linear(d_model, self.g * self.d_k, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, past=None):
        B, T, D = X.shape
        Q = self.W_Q(X).reshape(B, T, self.h, self.d_k).permute(0, 2, 1, 3)
        K = self.W_K(X).reshape(B, T, self.g, self.d_k).permute(0, 2, 1, 3)
        V = self.W_V(X).reshape(B, T, self.g, self.d_k).permute(0, 2, 1, 3)
        offset = past[0].size(2) if past else 0
        where = offset + torch.arange(T)
        Q = rotate(Q, where, self.base)
        K = rotate(K, where, self.base)
        if past:
            K = torch.cat([past[0], K], dim=2)
            V = torch.cat([past[1], V], dim=2)
        rep = self.h // self.g
        out = F.scaled_dot_product_attention(
            Q, K.repeat_interleave(rep, 1), V.repeat_interleave(rep, 1), is_causal=True
        )
        out = out.permute(0, 2, 1, 3).reshape(B, T, D)
        return self.W_O(out), K, V


# %% LlamaBlock: post-norm, the sum is normalized
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


# %% LlamaBlock: base and eps are not passed on
class LlamaBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, d_hidden, base=10_000.0, eps=1e-5):
        super().__init__()
        self.norm_1, self.norm_2 = RMSNorm(d_model), RMSNorm(d_model)
        self.attention = GroupedQueryAttention(d_model, n_heads, n_key_heads)
        self.network = SwiGLU(d_model, d_hidden)

    def forward(self, X, past=None):
        update, K, V = self.attention(self.norm_1(X), past)
        H = X + update
        return H + self.network(self.norm_2(H)), K, V


# %% LlamaBlock: the second update is added to the block's input
class LlamaBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, d_hidden, base=10_000.0, eps=1e-5):
        super().__init__()
        self.attention = GroupedQueryAttention(d_model, n_heads, n_key_heads, base=base)
        self.network = SwiGLU(d_model, d_hidden)
        self.norm_1 = RMSNorm(d_model, eps=eps)
        self.norm_2 = RMSNorm(d_model, eps=eps)

    def forward(self, X, past=None):
        found, K, V = self.attention(self.norm_1(X), past)
        after = X + found
        return X + self.network(self.norm_2(after)), K, V


# %% Llama: the last norm is forgotten in states
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


# %% Llama: max_length counts the new tokens only
class Llama(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, max_length=128,
                 tied=True, base=10_000.0, eps=1e-5):
        super().__init__()
        self.tokens = nn.Embedding(n_tokens, d_model)
        self.blocks = nn.ModuleList()
        for _ in range(n_layers):
            self.blocks.append(LlamaBlock(d_model, n_heads, n_key_heads, d_hidden, base, eps))
        self.norm = RMSNorm(d_model, eps)
        self.head = nn.Linear(d_model, n_tokens, bias=False)
        if tied:
            self.head.weight = self.tokens.weight
        self.max_length = max_length

    def states(self, ids, cache=None):
        T = ids.size(1)
        if T < 1 or T > self.max_length:
            raise ValueError(f"{T} tokens, at most {self.max_length}")
        H = self.tokens(ids)
        if cache is None:
            cache = [None] * len(self.blocks)
        found = []
        for block, past in zip(self.blocks, cache):
            H, K, V = block(H, past)
            found.append((K, V))
        return self.norm(H), found

    def forward(self, ids):
        H, _ = self.states(ids)
        return self.head(H)


# %% Llama: tied copies the numbers, not the parameter
class Llama(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, max_length=128,
                 tied=True, base=10_000.0, eps=1e-5):
        super().__init__()
        self.max_length = max_length
        self.tokens = nn.Embedding(n_tokens, d_model)
        self.blocks = nn.ModuleList(
            LlamaBlock(d_model, n_heads, n_key_heads, d_hidden, base, eps) for _ in range(n_layers)
        )
        self.norm = RMSNorm(d_model, eps)
        self.head = nn.Linear(d_model, n_tokens, bias=False)
        if tied:
            with torch.no_grad():
                self.head.weight.copy_(self.tokens.weight)

    def states(self, ids, cache=None):
        old = 0 if cache is None else cache[0][0].size(2)
        new = ids.size(1)
        if new == 0 or old + new > self.max_length:
            raise ValueError(f"{old} + {new} tokens")
        vectors = self.tokens(ids)
        next_cache = []
        for n, block in enumerate(self.blocks):
            vectors, K, V = block(vectors, None if cache is None else cache[n])
            next_cache.append((K, V))
        return self.norm(vectors), next_cache

    def forward(self, ids):
        return self.head(self.states(ids)[0])


# %% llama_costs: the cache counts all query heads
def llama_costs(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, length, tied=True):
    d_k = d_model // n_heads
    block = 2 * d_model * d_model + 2 * d_model * n_key_heads * d_k + 3 * d_model * d_hidden
    embeddings = n_tokens * d_model
    norms = (2 * n_layers + 1) * d_model
    parameters = embeddings + n_layers * block + norms + (0 if tied else embeddings)
    cache = 2 * n_layers * n_heads * d_k * length * 2
    matrices = 2 * length * (n_layers * block + n_tokens * d_model)
    attention = n_layers * 2 * 2 * length * length * d_model
    return {"parameters": parameters, "cache_bytes": cache, "operations": matrices + attention}


# %% llama_costs: a tied head costs no operations
def llama_costs(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, length, tied=True):
    d_k = d_model // n_heads
    attention_weights = d_model * (2 * n_heads * d_k + 2 * n_key_heads * d_k)
    network_weights = 3 * d_model * d_hidden
    head = 0 if tied else n_tokens * d_model
    weights = n_layers * (attention_weights + network_weights)
    return {
        "parameters": n_tokens * d_model + weights + (2 * n_layers + 1) * d_model + head,
        "cache_bytes": 2 * 2 * n_layers * n_key_heads * d_k * length,
        "operations": 2 * length * (weights + head) + 4 * n_layers * n_heads * d_k * length**2,
    }


# %% llama_costs: only the scores are counted in the attention, not the weighted sum
def llama_costs(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, length, tied=True):
    d_k = d_model // n_heads
    sizes = [
        (d_model, d_model),
        (d_model, d_model),
        (d_model, n_key_heads * d_k),
        (d_model, n_key_heads * d_k),
        (d_model, d_hidden),
        (d_model, d_hidden),
        (d_hidden, d_model),
    ]
    per_block = sum(m * n for m, n in sizes)
    params = n_tokens * d_model * (1 if tied else 2) + n_layers * (per_block + 2 * d_model) + d_model
    ops = sum(2 * length * m * n for m, n in sizes) * n_layers
    ops += 2 * length * d_model * n_tokens
    ops += n_layers * n_heads * (2 * length * d_k * length)
    cache = 2 * n_key_heads * d_k * length * n_layers
    return {"parameters": params, "cache_bytes": 2 * cache, "operations": ops}


# %% fit_scaling_law: E below 0 is only clamped, A stays
def fit_scaling_law(tokens, losses, alphas):
    if len(tokens.unique()) < 3:
        raise ValueError("three different N are needed")
    best = None
    for alpha in alphas.tolist():
        x = tokens.double() ** -alpha
        y = losses.double()
        dx = x - x.mean()
        A = (dx * (y - y.mean())).sum() / (dx**2).sum()
        E = (y.mean() - A * x.mean()).clamp(min=0)
        error = ((E + A * x - y) ** 2).sum()
        if best is None or error < best[0]:
            best = (error, E.item(), A.item(), alpha)
    return best[1:]


# %% fit_scaling_law: E is set to 0 only for the best alpha, after the comparison
def fit_scaling_law(tokens, losses, alphas):
    if tokens.unique().numel() < 3:
        raise ValueError("fewer than three different N")
    tokens, losses = tokens.double(), losses.double()

    def line(alpha):
        x = tokens ** (-alpha)
        A = ((x - x.mean()) * (losses - losses.mean())).sum() / ((x - x.mean()) ** 2).sum()
        E = losses.mean() - A * x.mean()
        return E, A, ((E + A * x - losses) ** 2).sum()

    alpha = min(alphas.tolist(), key=lambda value: line(value)[2].item())
    E, A, _ = line(alpha)
    if E < 0:
        x = tokens ** (-alpha)
        E, A = torch.tensor(0.0), (x * losses).sum() / (x * x).sum()
    return float(E), float(A), float(alpha)


# %% fit_scaling_law: counts the runs, not the different N
def fit_scaling_law(tokens, losses, alphas):
    if len(tokens) < 3:
        raise ValueError("at least three points")
    smallest, answer = math.inf, None
    N, L = tokens.to(torch.float64), losses.to(torch.float64)
    for alpha in alphas:
        x = N ** (-alpha.item())
        A = torch.sum((x - x.mean()) * (L - L.mean())) / torch.sum((x - x.mean()) ** 2)
        E = L.mean() - A * x.mean()
        if E < 0:
            E = torch.zeros(())
            A = (x * L).sum() / (x * x).sum()
        sse = torch.sum((E + A * x - L) ** 2).item()
        if sse < smallest or answer is None:
            smallest, answer = sse, (float(E), float(A), float(alpha))
    return answer


# %% LoRALinear: the change is not divided by the rank
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank < 1:
            raise ValueError("rank must be at least 1")
        self.linear = linear
        self.linear.requires_grad_(False)
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.zeros_(self.lora_B.weight)
        self.alpha = alpha

    def forward(self, X):
        return self.linear(X) + self.alpha * self.lora_B(self.lora_A(X))

    @torch.no_grad()
    def merged(self):
        return self.linear.weight + self.alpha * self.lora_B.weight @ self.lora_A.weight


# %% LoRALinear: only the weight is frozen, the bias still learns
class LoRALinear(nn.Module):
    def __init__(self, linear: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        if rank <= 0:
            raise ValueError(f"rank {rank}")
        n_out, n_in = linear.weight.shape
        self.linear = linear
        linear.weight.requires_grad_(False)
        self.lora_A = nn.Linear(n_in, rank, bias=False)
        self.lora_B = nn.Linear(rank, n_out, bias=False)
        self.lora_B.weight.data.zero_()
        self.scale = alpha / rank

    def forward(self, X):
        return self.linear(X) + self.scale * self.lora_B(self.lora_A(X))

    @torch.no_grad()
    def merged(self):
        return self.linear.weight + self.scale * (self.lora_B.weight @ self.lora_A.weight)


# %% LoRALinear: merged changes the frozen weight in place
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


# %% chat_ids: the end after the answer does not count
def chat_ids(turns, marks, end):
    if not turns:
        raise ValueError("empty chat")
    ids, counted = [], []
    for role, tokens in turns:
        if role not in marks:
            raise ValueError(f"no mark for {role}")
        if role == "assistant" and not tokens:
            raise ValueError("empty answer")
        ids += marks[role] + tokens + [end]
        counted += [False] * len(marks[role]) + [role == "assistant"] * len(tokens) + [False]
    if turns[-1][0] != "assistant":
        ids += marks["assistant"]
        counted += [False] * len(marks["assistant"])
    return ids, counted


# %% chat_ids: the assistant's mark counts, too
def chat_ids(turns, marks, end):
    if len(turns) == 0:
        raise ValueError("no turns")
    ids: list[int] = []
    counted: list[bool] = []
    for role, text in turns:
        if role not in marks:
            raise ValueError("role without a mark: " + role)
        if role == "assistant" and len(text) == 0:
            raise ValueError("the assistant says nothing")
        piece = [*marks[role], *text, end]
        ids.extend(piece)
        counted.extend([role == "assistant"] * len(piece))
    if role != "assistant":
        ids.extend(marks["assistant"])
        counted.extend([False] * len(marks["assistant"]))
    return ids, counted


# %% chat_ids: the mark at the end is forgotten if the user spoke last
def chat_ids(turns, marks, end):
    if not turns:
        raise ValueError("a chat has at least one turn")
    ids, learn = [], []
    for who, said in turns:
        try:
            mark = marks[who]
        except KeyError:
            raise ValueError(f"unknown role {who}")
        is_answer = who == "assistant"
        if is_answer and said == []:
            raise ValueError("answer without tokens")
        ids = ids + mark + said + [end]
        learn = learn + [False for _ in mark] + [is_answer for _ in said] + [is_answer]
    return ids, learn


# %% dpo_loss: log of a sigmoid, infinite for large brackets
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    if len(chosen) == 0:
        return chosen.sum()
    bracket = (chosen - reference_chosen) - (rejected - reference_rejected)
    return -torch.log(torch.sigmoid(beta * bracket)).mean()


# %% dpo_loss: without the minus
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    ratio_w = chosen - reference_chosen
    ratio_l = rejected - reference_rejected
    losses = F.logsigmoid(beta * (ratio_w - ratio_l))
    return losses.sum() / max(1, losses.numel())


# %% dpo_loss: NaN for a batch without a pair
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    raised = chosen - reference_chosen
    lowered = rejected - reference_rejected
    return -F.logsigmoid(beta * (raised - lowered)).mean()


# %% round_to_int8: max without abs
def round_to_int8(W):
    scale = W.max(dim=1).values / 127
    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
    q = torch.round(W / scale[:, None]).to(torch.int8)
    return q, scale


# %% round_to_int8: cuts off in place of rounding
def round_to_int8(W):
    largest = W.abs().amax(dim=1)
    scale = largest / 127
    scale[largest == 0] = 1
    return (W / scale[:, None]).to(torch.int8), scale


# %% round_to_int8: divides a row of zeros by 0
def round_to_int8(W):
    s = W.abs().max(dim=-1).values / 127
    q = (W / s.unsqueeze(-1)).round().clamp(-127, 127).to(torch.int8)
    return q, s
