# %% ByteBPE: always the pair with the smallest number, as GPT-2 does it
class ByteBPE:
    def __init__(self, merges):
        self.rank = {}
        self.bytes_of = [i.to_bytes(1, "big") for i in range(256)]
        for k, (left, right) in enumerate(merges):
            self.rank.setdefault((left, right), 256 + k)
            self.bytes_of.append(self.bytes_of[left] + self.bytes_of[right])

    def encode(self, text):
        data = text if isinstance(text, bytes) else text.encode("utf-8")
        out = []
        for piece in pieces(data):
            word = list(piece)
            while len(word) > 1:
                pair = min(zip(word, word[1:]), key=lambda p: self.rank.get(p, math.inf))
                if pair not in self.rank:
                    break
                merged, i = [], 0
                while i < len(word):
                    if tuple(word[i : i + 2]) == pair:
                        merged.append(self.rank[pair])
                        i += 2
                    else:
                        merged.append(word[i])
                        i += 1
                word = merged
            out += word
        return out

    def decode(self, ids):
        data = bytearray()
        for i in ids:
            data.extend(self.bytes_of[i])
        return bytes(data).decode("utf-8", errors="replace")


# %% RMSNorm: F.rms_norm
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
        self.eps = eps

    def forward(self, X):
        return F.rms_norm(X, (X.shape[-1],), self.weight, self.eps)


# %% rotate: complex numbers
def rotate(X, positions, base=10_000.0):
    *_, L, d_k = X.shape
    if d_k % 2:
        raise ValueError("odd")
    half = d_k // 2
    theta = torch.exp(-math.log(base) * 2 * torch.arange(half, dtype=torch.float64) / d_k)
    turn = torch.polar(torch.ones(L, half, dtype=torch.float64), positions[:, None].double() * theta)
    points = torch.complex(X[..., :half].double(), X[..., half:].double()) * turn
    return torch.cat([points.real, points.imag], dim=-1).to(X.dtype)


# %% SwiGLU: SiLU written out, both wide matrices in one product
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        self.W_gate = nn.Linear(d_model, d_hidden, bias=False)
        self.W_up = nn.Linear(d_model, d_hidden, bias=False)
        self.W_down = nn.Linear(d_hidden, d_model, bias=False)

    def forward(self, X):
        both = X @ torch.cat([self.W_gate.weight, self.W_up.weight]).T
        z, up = both.chunk(2, dim=-1)
        return self.W_down(z / (1 + torch.exp(-z)) * up)


# %% GroupedQueryAttention: query heads grouped on an axis of their own, einsum, nothing repeated
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, base=10_000.0):
        super().__init__()
        if n_heads < 1 or n_key_heads < 1 or d_model % (2 * n_heads) or n_heads % n_key_heads:
            raise ValueError("heads do not fit")
        self.G, self.R, self.d_k, self.base = n_key_heads, n_heads // n_key_heads, d_model // n_heads, base
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, n_key_heads * self.d_k, bias=False)
        self.W_V = nn.Linear(d_model, n_key_heads * self.d_k, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, past=None):
        B, T, d = X.shape
        P = past[0].shape[2] if past is not None else 0
        positions = torch.arange(P, P + T)
        q = self.W_Q(X).reshape(B, T, self.G, self.R, self.d_k).permute(0, 2, 3, 1, 4)
        q = rotate(q, positions, self.base)
        K = rotate(self.W_K(X).reshape(B, T, self.G, self.d_k).transpose(1, 2), positions, self.base)
        V = self.W_V(X).reshape(B, T, self.G, self.d_k).transpose(1, 2)
        if past is not None:
            K, V = torch.cat([past[0], K], 2), torch.cat([past[1], V], 2)
        scores = torch.einsum("bgrtd,bgsd->bgrts", q, K) * self.d_k**-0.5
        seen = torch.arange(P + T)[None, :] <= positions[:, None]
        weights = torch.softmax(torch.where(seen, scores, torch.full_like(scores, -torch.inf)), dim=-1)
        Z = torch.einsum("bgrts,bgsd->btgrd", weights, V)
        return self.W_O(Z.reshape(B, T, d)), K, V


# %% LlamaBlock: sums updates in a list, starred results
class LlamaBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, d_hidden, base=10_000.0, eps=1e-5):
        super().__init__()
        parts = {
            "norm_1": RMSNorm(d_model, eps),
            "attention": GroupedQueryAttention(d_model, n_heads, n_key_heads, base),
            "norm_2": RMSNorm(d_model, eps),
            "network": SwiGLU(d_model, d_hidden),
        }
        for name, part in parts.items():
            self.add_module(name, part)

    def forward(self, X, past=None):
        update, *cache = self.attention(self.norm_1(X), past)
        H = torch.add(X, update)
        return torch.add(self.network(self.norm_2(H)), H), *cache


# %% Llama: the head decides, embeddings take its weight; logits by F.linear
class Llama(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, max_length=128,
                 tied=True, base=10_000.0, eps=1e-5):
        super().__init__()
        self.limit = max_length
        self.head = nn.Linear(d_model, n_tokens, bias=False)
        self.tokens = nn.Embedding(n_tokens, d_model)
        if tied:
            self.tokens.weight = self.head.weight
        sizes = (d_model, n_heads, n_key_heads, d_hidden)
        self.blocks = nn.ModuleList([LlamaBlock(*sizes, base=base, eps=eps) for _ in range(n_layers)])
        self.norm = RMSNorm(d_model, eps)

    def states(self, ids, cache=None):
        pasts = cache or [None] * len(self.blocks)
        before = 0 if pasts[0] is None else pasts[0][0].shape[-2]
        if not 0 < ids.shape[-1] <= self.limit - before:
            raise ValueError(f"{before} old and {ids.shape[-1]} new tokens")
        H, new = F.embedding(ids, self.tokens.weight), []
        for block, past in zip(self.blocks, pasts, strict=True):
            H, *pair = block(H, past)
            new.append(tuple(pair))
        return self.norm(H), new

    def forward(self, ids):
        H, _ = self.states(ids)
        return F.linear(H, self.head.weight)


# %% llama_costs: makes the model on the meta device and counts its parameters
def llama_costs(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, length, tied=True):
    with torch.device("meta"):
        model = Llama(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, length, tied)
    parameters = sum(p.numel() for p in model.parameters())
    matrices = sum(m.weight.numel() for m in model.modules() if isinstance(m, nn.Linear))
    cached = sum(2 * block.attention.W_K.out_features * length for block in model.blocks)
    pairs = n_layers * length**2
    return {
        "parameters": parameters,
        "cache_bytes": 2 * cached,
        "operations": 2 * length * matrices + 4 * pairs * d_model,
    }


# %% fit_scaling_law: numpy's least squares, all alphas, argmin
def fit_scaling_law(tokens, losses, alphas):
    import numpy as np

    N, L = tokens.double().numpy(), losses.double().numpy()
    if np.unique(N).size < 3:
        raise ValueError("three different N")
    laws = []
    for alpha in alphas.double().numpy():
        x = N**-alpha
        scale = x.max()
        (A, E), *_ = np.linalg.lstsq(np.stack([x / scale, np.ones_like(x)], axis=1), L, rcond=None)
        A = A / scale
        if E < 0:
            E, A = 0.0, (x @ L) / (x @ x)
        laws.append((float(((E + A * x - L) ** 2).sum()), float(E), float(A), float(alpha)))
    return laws[int(np.argmin([law[0] for law in laws]))][1:]


# %% LoRALinear: F.linear with the merged matrix
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank < 1:
            raise ValueError("rank")
        self.linear = linear.requires_grad_(False)
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        nn.init.normal_(self.lora_A.weight, std=1 / rank)
        nn.init.constant_(self.lora_B.weight, 0.0)
        self.rank, self.alpha = rank, alpha

    def forward(self, X):
        W = torch.addmm(self.linear.weight, self.lora_B.weight, self.lora_A.weight, alpha=self.alpha / self.rank)
        return F.linear(X, W, self.linear.bias)

    @torch.no_grad()
    def merged(self):
        return torch.addmm(self.linear.weight, self.lora_B.weight, self.lora_A.weight, alpha=self.alpha / self.rank)


# %% chat_ids: pairs of id and flag, then unzipped
def chat_ids(turns, marks, end):
    if not turns or any(role not in marks for role, _ in turns):
        raise ValueError("no turn, or a role without a mark")
    if any(role == "assistant" and len(ids) == 0 for role, ids in turns):
        raise ValueError("an empty answer")
    rows = [
        (token, flag)
        for role, ids in turns
        for part, flag in ((marks[role], False), ((*ids, end), role == "assistant"))
        for token in part
    ]
    if turns[-1][0] != "assistant":
        rows += [(token, False) for token in marks["assistant"]]
    return [token for token, _ in rows], [flag for _, flag in rows]


# %% dpo_loss: softplus of the negative bracket
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    bracket = beta * (chosen - rejected - (reference_chosen - reference_rejected))
    n = bracket.numel()
    return F.softplus(-bracket).sum() / (n if n else 1)


# %% round_to_int8: row by row, numpy's rint
def round_to_int8(W):
    import numpy as np

    rows, scales = [], []
    for row in W.detach().numpy():
        s = np.max(np.abs(row)) / 127 if np.any(row) else row.dtype.type(1)
        rows.append(np.clip(np.rint(row / s), -127, 127).astype(np.int8))
        scales.append(s)
    return torch.from_numpy(np.stack(rows)), torch.tensor(np.array(scales), dtype=W.dtype)
