# %% ByteBPE: replaces pairs in a row of ids with a helper
class ByteBPE:
    def __init__(self, merges):
        self.merges = [tuple(pair) for pair in merges]
        table = {i: bytes((i,)) for i in range(256)}
        for k in range(len(self.merges)):
            a, b = self.merges[k]
            table[256 + k] = table[a] + table[b]
        self.bytes_of = [table[i] for i in range(len(table))]

    def join(self, row, pair, new):
        out = []
        for token in row:
            if out and (out[-1], token) == pair and out[-1] != new:
                out[-1] = new
            else:
                out.append(token)
        return out

    def encode(self, text):
        data = text if isinstance(text, bytes) else text.encode("utf8")
        ids = []
        for piece in pieces(data):
            row = [b for b in piece]
            for k, pair in enumerate(self.merges):
                row = self.join(row, pair, 256 + k)
            ids.extend(row)
        return ids

    def decode(self, ids):
        data = bytearray()
        for i in ids:
            data.extend(self.bytes_of[i])
        return bytes(data).decode(errors="replace")


# %% RMSNorm: with the norm of the vector
class RMSNorm(nn.Module):
    def __init__(self, d, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.full((d,), 1.0))
        self.d, self.eps = d, eps

    def forward(self, X):
        mean_square = torch.einsum("...i,...i->...", X, X) / self.d
        return torch.einsum("...i,i->...i", X / (mean_square + self.eps).sqrt().unsqueeze(-1), self.weight)


# %% rotate: pair by pair
def rotate(X, positions, base=10_000.0):
    size = X.shape[-1]
    if size % 2 == 1:
        raise ValueError("odd")
    half = size // 2
    columns = [None] * size
    for i in range(half):
        angle = positions.float() * float(base) ** (-2 * i / size)
        columns[i] = X[..., i] * torch.cos(angle) - X[..., i + half] * torch.sin(angle)
        columns[i + half] = X[..., i + half] * torch.cos(angle) + X[..., i] * torch.sin(angle)
    return torch.stack(columns, dim=-1)


# %% SwiGLU: one linear layer after the other
class SwiGLU(nn.Module):
    def __init__(self, d_model, d_hidden):
        super().__init__()
        for name in ("W_gate", "W_up"):
            setattr(self, name, nn.Linear(d_model, d_hidden, bias=False))
        self.W_down = nn.Linear(d_hidden, d_model, bias=False)

    def forward(self, X):
        z = self.W_gate(X)
        passes = z / (1 + torch.exp(-z))
        up = self.W_up(X)
        return self.W_down(up * passes)


# %% GroupedQueryAttention: head by head
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, base=10_000.0):
        super().__init__()
        if n_key_heads <= 0 or n_heads % n_key_heads != 0:
            raise ValueError("key heads")
        if d_model % n_heads != 0 or (d_model // n_heads) % 2 != 0:
            raise ValueError("heads")
        self.H, self.G, self.d, self.base = n_heads, n_key_heads, d_model // n_heads, base
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, self.d * n_key_heads, bias=False)
        self.W_V = nn.Linear(d_model, self.d * n_key_heads, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)

    def forward(self, X, past=None):
        T = X.shape[1]
        P = past[0].shape[2] if past is not None else 0
        where = torch.arange(P, P + T)
        K = torch.stack([rotate(k, where, self.base) for k in self.W_K(X).split(self.d, dim=-1)], dim=1)
        V = torch.stack(self.W_V(X).split(self.d, dim=-1), dim=1)
        if past is not None:
            K = torch.cat((past[0], K), dim=2)
            V = torch.cat((past[1], V), dim=2)
        outputs = []
        for h, q in enumerate(self.W_Q(X).split(self.d, dim=-1)):
            g = h // (self.H // self.G)
            scores = rotate(q, where, self.base) @ K[:, g].transpose(-1, -2) / self.d**0.5
            hidden = torch.arange(P + T)[None, :] > where[:, None]
            outputs.append(scores.masked_fill(hidden, -1e9).softmax(-1) @ V[:, g])
        return self.W_O(torch.cat(outputs, dim=-1)), K, V


# %% LlamaBlock: keywords and small steps
class LlamaBlock(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, d_hidden, base=10_000.0, eps=1e-5):
        super().__init__()
        self.norm_1 = RMSNorm(d_model, eps=eps)
        self.norm_2 = RMSNorm(d_model, eps=eps)
        self.attention = GroupedQueryAttention(d_model, n_heads, n_key_heads, base=base)
        self.network = SwiGLU(d_model, d_hidden)

    def forward(self, X, past=None):
        update, keys, values = self.attention(self.norm_1(X), past)
        summed = X + update
        summed = summed + self.network(self.norm_2(summed))
        return summed, keys, values


# %% Llama: blocks in a loop, lengths checked one after the other
class Llama(nn.Module):
    def __init__(self, n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, max_length=128, tied=True, base=10_000.0, eps=1e-5):
        super().__init__()
        self.tokens = nn.Embedding(n_tokens, d_model)
        self.blocks = nn.ModuleList([])
        for _ in range(n_layers):
            self.blocks.append(LlamaBlock(d_model, n_heads, n_key_heads, d_hidden, base, eps))
        self.norm = RMSNorm(d_model, eps)
        self.head = nn.Linear(d_model, n_tokens, bias=False)
        if tied:
            self.tokens.weight = self.head.weight
        self.limit = max_length

    def states(self, ids, cache=None):
        old = 0
        if cache is not None:
            old = cache[0][0].size(-2)
        if ids.size(1) == 0:
            raise ValueError("no tokens")
        if old + ids.size(1) > self.limit:
            raise ValueError("too many tokens")
        X = self.tokens(ids)
        new_cache = []
        for number, block in enumerate(self.blocks):
            if cache is None:
                X, K, V = block(X)
            else:
                X, K, V = block(X, cache[number])
            new_cache = new_cache + [(K, V)]
        return self.norm(X), new_cache

    def forward(self, ids):
        H, _ = self.states(ids)
        return self.head(H)


# %% llama_costs: block by block
def llama_costs(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, length, tied=True):
    d_k = d_model // n_heads
    parameters = n_tokens * d_model + d_model
    operations = 2 * length * d_model * n_tokens
    cache = 0
    if not tied:
        parameters += n_tokens * d_model
    for _ in range(n_layers):
        W_Q = W_O = d_model**2
        W_K = W_V = d_model * d_k * n_key_heads
        network = 3 * d_model * d_hidden
        weights = W_Q + W_K + W_V + W_O + network
        parameters += weights + 2 * d_model
        operations += 2 * length * weights
        for _ in range(n_heads):
            operations += 2 * length * d_k * length
            operations += 2 * length * length * d_k
        cache += 2 * n_key_heads * d_k * length * 2
    return {"parameters": parameters, "cache_bytes": cache, "operations": operations}


# %% fit_scaling_law: plain Python
def fit_scaling_law(tokens, losses, alphas):
    N, L = [float(n) for n in tokens], [float(x) for x in losses]
    if len(set(N)) <= 2:
        raise ValueError("not enough runs")
    n, best = len(N), None
    for alpha in alphas.tolist():
        x = [v**-alpha for v in N]
        mx, mL = sum(x) / n, sum(L) / n
        A = sum((a - mx) * (b - mL) for a, b in zip(x, L)) / sum((a - mx) ** 2 for a in x)
        E = mL - A * mx
        if E < 0:
            E = 0.0
            A = sum(a * b for a, b in zip(x, L)) / sum(a * a for a in x)
        error = sum((E + A * a - b) ** 2 for a, b in zip(x, L))
        if best is None or error < best[0]:
            best = (error, E, A, alpha)
    return best[1], best[2], best[3]


# %% LoRALinear: adds to the weight while it computes
class LoRALinear(nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        if rank <= 0:
            raise ValueError("rank")
        self.linear = linear
        for p in self.linear.parameters():
            p.requires_grad_(False)
        self.lora_A = nn.Linear(linear.in_features, rank, bias=False)
        self.lora_B = nn.Linear(rank, linear.out_features, bias=False)
        self.lora_B.weight.data.zero_()
        self.factor = alpha / rank

    def matrix(self):
        return self.linear.weight + self.factor * (self.lora_B.weight @ self.lora_A.weight)

    def forward(self, X):
        return F.linear(X, self.matrix(), self.linear.bias)

    def merged(self):
        return self.matrix().detach()


# %% chat_ids: ids first, the booleans beside them
def chat_ids(turns, marks, end):
    if turns == []:
        raise ValueError("no turns")
    ids, counted = [], []
    for role, words in turns:
        if role not in marks.keys():
            raise ValueError(f"unknown role {role}")
        for i in marks[role]:
            ids.append(i)
            counted.append(False)
        is_answer = role == "assistant"
        if is_answer and len(words) < 1:
            raise ValueError("empty answer")
        for i in list(words) + [end]:
            ids.append(i)
            counted.append(is_answer)
    last_role = turns[-1][0]
    if last_role != "assistant":
        for i in marks["assistant"]:
            ids.append(i)
            counted.append(False)
    return ids, counted


# %% dpo_loss: pair by pair
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    total = 0 * (chosen.sum() + rejected.sum() + reference_chosen.sum() + reference_rejected.sum())
    for w, l, rw, rl in zip(chosen, rejected, reference_chosen, reference_rejected):
        total = total - F.logsigmoid(beta * ((w - rw) - (l - rl)))
    return total / len(chosen) if len(chosen) else total


# %% round_to_int8: with keepdim
def round_to_int8(W):
    biggest, _ = W.abs().max(dim=1, keepdim=True)
    scale = biggest / 127
    scale[scale == 0] = 1
    return torch.round(W / scale).char(), scale.squeeze(1)


# %% GroupedQueryAttention: einsum with an axis for the groups
class GroupedQueryAttention(nn.Module):
    def __init__(self, d_model, n_heads, n_key_heads, base=10_000.0):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model")
        d_k = d_model // n_heads
        if d_k % 2 != 0:
            raise ValueError("d_k is odd")
        if n_key_heads < 1:
            raise ValueError("key heads")
        if n_heads % n_key_heads != 0:
            raise ValueError("heads")
        self.H, self.G, self.d_k, self.base = n_heads, n_key_heads, d_k, base
        self.W_Q = nn.Linear(d_model, d_model, bias=False)
        self.W_O = nn.Linear(d_model, d_model, bias=False)
        self.W_K = nn.Linear(d_model, n_key_heads * d_k, bias=False)
        self.W_V = nn.Linear(d_model, n_key_heads * d_k, bias=False)

    def forward(self, X, past=None):
        B, T, _ = X.shape
        Q = self.W_Q(X).view(B, T, self.H, self.d_k).permute(0, 2, 1, 3)
        K = self.W_K(X).view(B, T, self.G, self.d_k).permute(0, 2, 1, 3)
        V = self.W_V(X).view(B, T, self.G, self.d_k).permute(0, 2, 1, 3)
        P = past[0].size(2) if past else 0
        where = P + torch.arange(T)
        Q = rotate(Q, where, self.base)
        K = rotate(K, where, self.base)
        if past:
            K = torch.cat((past[0], K), 2)
            V = torch.cat((past[1], V), 2)
        Q = Q.reshape(B, self.G, self.H // self.G, T, self.d_k)
        scores = torch.einsum("bgrtd,bgsd->bgrts", Q, K) / math.sqrt(self.d_k)
        ahead = torch.arange(P + T)[None, :] > where[:, None]
        scores = scores.masked_fill(ahead, float("-inf"))
        Z = torch.einsum("bgrts,bgsd->bgrtd", scores.softmax(-1), V)
        Z = Z.reshape(B, self.H, T, self.d_k).permute(0, 2, 1, 3).reshape(B, T, -1)
        return self.W_O(Z), K, V


# %% llama_costs: makes the model on the meta device and counts
def llama_costs(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, length, tied=True):
    with torch.device("meta"):
        model = Llama(n_tokens, d_model, n_heads, n_key_heads, d_hidden, n_layers, tied=tied)
    parameters = sum(p.numel() for p in model.parameters())
    d_k = d_model / n_heads
    cache = 2 * n_layers * n_key_heads * d_k * length * 2
    operations = 0
    for name, module in model.named_modules():
        if isinstance(module, nn.Linear):
            operations += 2 * length * module.in_features * module.out_features
    operations += n_layers * n_heads * (2 * length * d_k * length + 2 * length * length * d_k)
    return {"parameters": parameters, "cache_bytes": int(cache), "operations": int(operations)}


# %% chat_ids: pairs that are unzipped
def chat_ids(turns, marks, end):
    turns = list(turns)
    if len(turns) == 0:
        raise ValueError("no turns")
    pairs = []
    for role, words in turns:
        try:
            mark = marks[role]
        except KeyError:
            raise ValueError(role) from None
        if role == "assistant" and len(words) == 0:
            raise ValueError("empty answer")
        pairs.extend((i, False) for i in mark)
        pairs.extend((i, role == "assistant") for i in words)
        pairs.append((end, role == "assistant"))
    if role != "assistant":
        pairs.extend((i, False) for i in marks["assistant"])
    ids, counted = zip(*pairs)
    return list(ids), list(counted)


# %% dpo_loss: logaddexp
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    if len(chosen) == 0:
        return chosen.sum()
    w = chosen - reference_chosen
    l = rejected - reference_rejected
    return torch.logaddexp(torch.zeros_like(w), beta * (l - w)).mean()


# %% dpo_loss: detaches the references
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    reference_chosen, reference_rejected = reference_chosen.detach(), reference_rejected.detach()
    bracket = (chosen - reference_chosen) - (rejected - reference_rejected)
    if bracket.numel() == 0:
        return bracket.sum()
    return -F.logsigmoid(beta * bracket).mean()


# %% dpo_loss: the reference's difference without gradients
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta=0.1):
    if len(chosen) == 0:
        return (chosen - rejected).sum()
    with torch.no_grad():
        reference = reference_chosen - reference_rejected
    return F.softplus(beta * (reference - chosen + rejected)).mean()
