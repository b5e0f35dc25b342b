# %% simple_self_attention: transpose
def simple_self_attention(X):
    weights = torch.matmul(X, X.transpose(-2, -1)).softmax(dim=-1)
    return torch.matmul(weights, X)


# %% simple_self_attention: einsum
def simple_self_attention(X):
    A = torch.einsum("...id,...jd->...ij", X, X).softmax(-1)
    return torch.einsum("...ij,...jd->...id", A, X)


# %% simple_self_attention: by hand
def simple_self_attention(X):
    scores = X @ X.mT
    e = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return (e / e.sum(dim=-1, keepdim=True)) @ X


# %% padding_mask: None
def padding_mask(mask):
    return mask[:, None, :].bool()


# %% padding_mask: view
def padding_mask(mask):
    B, L = mask.shape
    return (mask != 0).reshape(B, 1, L)


# %% causal_mask: compares positions
def causal_mask(length):
    i = torch.arange(length)
    return i[:, None] >= i[None, :]


# %% causal_mask: not triu
def causal_mask(length):
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


# %% causal_mask: a loop
def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, : i + 1] = True
    return mask


# %% scaled_dot_product_attention: where
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = torch.matmul(Q / Q.size(-1) ** 0.5, K.transpose(-1, -2))
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    low = torch.tensor(torch.finfo(scores.dtype).min, dtype=scores.dtype)
    weights = torch.where(mask, scores, low).softmax(-1)
    weights = torch.where(mask, weights, torch.zeros_like(weights))
    return weights @ V, weights


# %% scaled_dot_product_attention: multiplies by the mask at the end
def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.shape[-1]
    scores = torch.einsum("...qd,...kd->...qk", Q * d_k**-0.5, K)
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    A = F.softmax(scores, dim=-1)
    if mask is not None:
        A = A * mask.to(A.dtype)
    return torch.einsum("...qk,...kd->...qd", A, V), A


# %% MultiHeadAttention: view
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        self.H = n_heads
        self.d_k = d_model // n_heads if d_k is None else d_k
        self.d_v = d_model // n_heads if d_v is None else d_v
        self.W_Q = nn.Linear(d_model, self.H * self.d_k)
        self.W_K = nn.Linear(d_model, self.H * self.d_k)
        self.W_V = nn.Linear(d_model, self.H * self.d_v)
        self.W_O = nn.Linear(self.H * self.d_v, d_model)

    def heads(self, Y, size):
        B, L, _ = Y.shape
        return Y.view(B, L, self.H, size).permute(0, 2, 1, 3)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q = self.heads(self.W_Q(X), self.d_k)
        K = self.heads(self.W_K(X), self.d_k)
        V = self.heads(self.W_V(X), self.d_v)
        if mask is not None:
            mask = mask[..., None, :, :]
        out, weights = scaled_dot_product_attention(Q, K, V, mask)
        out = out.permute(0, 2, 1, 3).contiguous().view(B, L, self.H * self.d_v)
        return self.W_O(out), weights


# %% MultiHeadAttention: head by head
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        self.n_heads = n_heads
        d_k = d_k or d_model // n_heads
        d_v = d_v or d_model // n_heads
        self.W_O = nn.Linear(n_heads * d_v, d_model)
        self.W_V = nn.Linear(d_model, n_heads * d_v)
        self.W_K = nn.Linear(d_model, n_heads * d_k)
        self.W_Q = nn.Linear(d_model, n_heads * d_k)

    def forward(self, X, mask=None):
        Qs, Ks, Vs = (W(X).chunk(self.n_heads, dim=-1) for W in (self.W_Q, self.W_K, self.W_V))
        outs, weights = [], []
        for Q, K, V in zip(Qs, Ks, Vs):
            out, w = scaled_dot_product_attention(Q, K, V, mask)
            outs.append(out)
            weights.append(w)
        return self.W_O(torch.cat(outs, dim=-1)), torch.stack(weights, dim=1)


# %% layer_norm: torch's own
def layer_norm(x, gamma, beta, eps=1e-5):
    t = torch.promote_types(x.dtype, torch.float32)
    return F.layer_norm(x.to(t), x.shape[-1:], gamma.to(t), beta.to(t), eps).to(x.dtype)


# %% layer_norm: var
def layer_norm(x, gamma, beta, eps=1e-5):
    h = x.to(torch.promote_types(x.dtype, torch.float32))
    mu = h.mean(-1, keepdim=True)
    var = h.var(-1, keepdim=True, unbiased=False)
    return ((h - mu) * torch.rsqrt(var + eps) * gamma + beta).to(x.dtype)


# %% layer_norm: double
def layer_norm(x, gamma, beta, eps=1e-5):
    y = x.double()
    y = y - y.mean(dim=-1, keepdim=True)
    y = y / ((y * y).mean(dim=-1, keepdim=True) + eps) ** 0.5
    return (y * gamma.double() + beta.double()).to(x.dtype)


# %% PositionwiseFeedForward: if
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)
        self.name = activation

    def forward(self, Z):
        hidden = self.W_1(Z)
        hidden = torch.relu(hidden) if self.name == "relu" else F.gelu(hidden)
        return self.W_2(hidden)


# %% PositionwiseFeedForward: modules for the activation
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff)
        self.f = nn.GELU() if activation == "gelu" else nn.ReLU()
        self.W_2 = nn.Linear(d_ff, d_model)

    def forward(self, Z):
        return self.W_2(self.f(self.W_1(Z)))


# %% PositionwiseFeedForward: getattr
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.activation = getattr(F, activation)
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)

    def forward(self, Z):
        Z = self.W_1(Z)
        Z = self.activation(Z)
        return self.W_2(Z)


# %% TransformerBlock: another order of the parts
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.norm_1 = nn.LayerNorm(d_model, eps)
        self.norm_2 = nn.LayerNorm(d_model, eps)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation=activation)
        self.attention = MultiHeadAttention(d_model=d_model, n_heads=n_heads)

    def forward(self, X, mask=None):
        heard, _weights = self.attention(X, mask)
        heard = self.dropout(heard)
        X = self.norm_1(heard + X)
        thought = self.dropout(self.feed_forward(X))
        return self.norm_2(thought + X)


# %% TransformerBlock: a helper that adds and normalizes
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation)
        self.norm_1, self.norm_2 = (nn.LayerNorm(d_model, eps=eps) for _ in range(2))
        self.dropout = nn.Dropout(dropout)

    def add(self, X, change, norm):
        return norm(X + self.dropout(change))

    def forward(self, X, mask=None):
        Z = self.add(X, self.attention(X, mask=mask)[0], self.norm_1)
        return self.add(Z, self.feed_forward(Z), self.norm_2)


# %% to_torch_names: replace
def to_torch_names(weights):
    table = {
        "attention.W_O": "self_attn.out_proj",
        "feed_forward.W_1": "linear1",
        "feed_forward.W_2": "linear2",
        "norm_1": "norm1",
        "norm_2": "norm2",
    }
    result = {}
    for name, tensor in weights.items():
        part, kind = name.rsplit(".", 1)
        if part in table:
            result[f"{table[part]}.{kind}"] = tensor
    for kind in ("weight", "bias"):
        glued = torch.cat([weights[f"attention.W_{letter}.{kind}"] for letter in "QKV"], dim=0)
        result[f"self_attn.in_proj_{kind}"] = glued
    return result


# %% to_torch_names: one line each
def to_torch_names(weights):
    w = dict(weights)
    matrices = [w.pop(f"attention.W_{x}.weight") for x in ("Q", "K", "V")]
    biases = [w.pop(f"attention.W_{x}.bias") for x in ("Q", "K", "V")]
    return {
        "self_attn.in_proj_weight": torch.vstack(matrices),
        "self_attn.in_proj_bias": torch.hstack(biases),
        "self_attn.out_proj.weight": w["attention.W_O.weight"],
        "self_attn.out_proj.bias": w["attention.W_O.bias"],
        "linear1.weight": w["feed_forward.W_1.weight"],
        "linear1.bias": w["feed_forward.W_1.bias"],
        "linear2.weight": w["feed_forward.W_2.weight"],
        "linear2.bias": w["feed_forward.W_2.bias"],
        "norm1.weight": w["norm_1.weight"],
        "norm1.bias": w["norm_1.bias"],
        "norm2.weight": w["norm_2.weight"],
        "norm2.bias": w["norm_2.bias"],
    }


# %% sinusoidal_positional_encoding: fills columns
def sinusoidal_positional_encoding(length, d_model):
    table = torch.zeros(length, d_model)
    pos = torch.arange(length, dtype=torch.float32).unsqueeze(1)
    angle = pos / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    table[:, 0::2] = torch.sin(angle)
    table[:, 1::2] = torch.cos(angle)[:, : d_model // 2]
    return table


# %% sinusoidal_positional_encoding: loops
def sinusoidal_positional_encoding(length, d_model):
    table = torch.zeros(length, d_model)
    for pos in range(length):
        for column in range(d_model):
            angle = pos / 10000 ** (2 * (column // 2) / d_model)
            table[pos, column] = math.cos(angle) if column % 2 else math.sin(angle)
    return table


# %% sinusoidal_positional_encoding: stacked pairs
def sinusoidal_positional_encoding(length, d_model):
    i = torch.arange((d_model + 1) // 2, dtype=torch.float64)
    angle = torch.outer(torch.arange(length, dtype=torch.float64), 10000 ** (-2 * i / d_model))
    pairs = torch.stack([angle.sin(), angle.cos()], dim=-1)
    return pairs.flatten(1)[:, :d_model].float()


# %% relative_positions: loops
def relative_positions(length, k):
    result = torch.zeros(length, length, dtype=torch.int64)
    for i in range(length):
        for j in range(length):
            result[i, j] = max(-k, min(k, j - i)) + k
    return result


# %% relative_positions: clamps after moving
def relative_positions(length, k):
    i = torch.arange(length)
    return torch.clamp(i - i.unsqueeze(1) + k, min=0, max=2 * k)


# %% relative_position_scores: gathers
def relative_position_scores(Q, W):
    L = Q.shape[-2]
    rows = relative_positions(L, (len(W) - 1) // 2)
    products = Q @ W.T
    return torch.gather(products, -1, rows.expand(*Q.shape[:-2], L, L))


# %% relative_position_scores: multiply and add
def relative_position_scores(Q, W):
    rows = relative_positions(Q.size(-2), W.size(0) // 2)
    return (Q.unsqueeze(-2) * W[rows]).sum(dim=-1)


# %% relative_position_scores: matrix product per word
def relative_position_scores(Q, W):
    vectors = W[relative_positions(Q.shape[-2], (W.shape[0] - 1) // 2)]
    return torch.matmul(vectors, Q.unsqueeze(-1)).squeeze(-1)


# %% count_parameters: helper for a linear layer
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    def linear(n_in, n_out):
        return n_in * n_out + n_out

    result = {"embedding": vocab_size * d_model}
    result["head"] = 2 * linear(d_model, d_k) + linear(d_model, d_v)
    result["attention"] = n_heads * result["head"] + linear(n_heads * d_v, d_model)
    result["feed_forward"] = linear(d_model, d_ff) + linear(d_ff, d_model)
    result["norms"] = 4 * d_model
    result["block"] = result["attention"] + result["feed_forward"] + result["norms"]
    result["total"] = result["embedding"] + n_blocks * result["block"]
    return result


# %% count_parameters: asks PyTorch
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    def size(*modules):
        return sum(p.numel() for module in modules for p in module.parameters())

    head = size(*(nn.Linear(d_model, d) for d in (d_k, d_k, d_v)))
    attention = n_heads * head + size(nn.Linear(n_heads * d_v, d_model))
    feed_forward = size(nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model))
    norms = size(nn.LayerNorm(d_model), nn.LayerNorm(d_model))
    block = attention + feed_forward + norms
    embedding = vocab_size * d_model
    return dict(
        embedding=embedding,
        head=head,
        attention=attention,
        feed_forward=feed_forward,
        norms=norms,
        block=block,
        total=embedding + n_blocks * block,
    )


# %% TransformerClassifier: einsum for the mean
class TransformerClassifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList()
        for _ in range(n_blocks):
            self.blocks.append(TransformerBlock(d_model, n_heads, d_ff, dropout=dropout))
        self.output = nn.Linear(d_model, 1)

    def forward(self, ids, mask):
        L = ids.shape[1]
        X = self.dropout(self.embedding(ids) + self.positions[:L].unsqueeze(0))
        for block in self.blocks:
            X = block(X, mask=padding_mask(mask))
        weights = mask.float() / mask.sum(dim=1, keepdim=True).clamp(min=1)
        return self.output(torch.einsum("bl,bld->bd", weights, X))[:, 0]


# %% TransformerClassifier: helper methods
class TransformerClassifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.output = nn.Linear(d_model, 1)
        self.blocks = nn.ModuleList(
            [TransformerBlock(d_model, n_heads, d_ff, dropout, "relu") for _ in range(n_blocks)]
        )
        self.dropout = nn.Dropout(dropout)
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))

    def encode(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[: ids.size(1)])
        m = padding_mask(mask)
        for block in self.blocks:
            X = block(X, m)
        return X

    def forward(self, ids, mask):
        Y = self.encode(ids, mask).masked_fill(~mask[..., None], 0.0)
        n = torch.maximum(mask.sum(1), torch.tensor(1)).unsqueeze(1)
        return self.output(Y.sum(1) / n).squeeze(1)
