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
