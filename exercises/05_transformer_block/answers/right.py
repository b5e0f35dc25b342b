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


# %% simple_self_attention: matmul and functional softmax
def simple_self_attention(X):
    weights = F.softmax(torch.matmul(X, X.transpose(-2, -1)), dim=-1)
    return torch.matmul(weights, X)


# %% simple_self_attention: swapaxes and a softmax method
def simple_self_attention(X):
    return (X @ X.swapaxes(-1, -2)).softmax(-1) @ X


# %% simple_self_attention: token by token
def simple_self_attention(X):
    rows = []
    for i in range(X.shape[-2]):
        scores = (X * X[..., i : i + 1, :]).sum(dim=-1)
        weights = torch.softmax(scores, dim=-1)
        rows.append((weights.unsqueeze(-1) * X).sum(dim=-2))
    return torch.stack(rows, dim=-2)


# %% simple_self_attention: recursive over the axes in front
def simple_self_attention(X):
    if X.dim() > 2:
        return torch.stack([simple_self_attention(x) for x in X])
    return torch.softmax(X.mm(X.t()), dim=1).mm(X)


# %% simple_self_attention: log_softmax
def simple_self_attention(X: torch.Tensor) -> torch.Tensor:
    log_weights = torch.log_softmax(X @ X.mT, dim=-1)
    return log_weights.exp() @ X


# %% simple_self_attention: softmax over columns, transposed
def simple_self_attention(X):
    scores = torch.einsum("...jd,...id->...ji", X, X)
    return torch.softmax(scores, dim=-2).mT @ X


# %% padding_mask: None
def padding_mask(mask):
    return mask[:, None, :].bool()


# %% padding_mask: view
def padding_mask(mask):
    B, L = mask.shape
    return (mask != 0).reshape(B, 1, L)


# %% padding_mask: logical_not twice
def padding_mask(mask):
    padding = torch.logical_not(mask)
    return torch.logical_not(padding)[:, None]


# %% padding_mask: to bool, slice
def padding_mask(mask):
    return mask.to(torch.bool)[:, None, :]


# %% padding_mask: compares with one
def padding_mask(mask):
    return torch.eq(mask, 1).unsqueeze(-2)


# %% padding_mask: stack
def padding_mask(mask):
    return torch.stack([mask.bool()], dim=1)


# %% padding_mask: text by text
def padding_mask(mask: torch.Tensor) -> torch.Tensor:
    return torch.stack([row.type(torch.bool).unsqueeze(0) for row in mask])


# %% padding_mask: greater than zero
def padding_mask(mask):
    result = mask > 0
    return torch.unsqueeze(result, dim=1)


# %% causal_mask: compares positions
def causal_mask(length):
    i = torch.arange(length)
    return i[:, None] >= i[None, :]


# %% causal_mask: not triu
def causal_mask(length):
    return ~torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)


# %% causal_mask: tril of ones
def causal_mask(length):
    return torch.tril(torch.ones((length, length))).bool()


# %% causal_mask: nested lists
def causal_mask(length):
    rows = [[j <= i for j in range(length)] for i in range(length)]
    return torch.tensor(rows, dtype=torch.bool).reshape(length, length)


# %% causal_mask: tril_indices
def causal_mask(length):
    mask = torch.zeros(length, length, dtype=torch.bool)
    i, j = torch.tril_indices(length, length)
    mask[i, j] = True
    return mask


# %% causal_mask: greater or equal
def causal_mask(length: int) -> torch.Tensor:
    at = torch.arange(length)
    return torch.ge(at.unsqueeze(1), at.unsqueeze(0))


# %% causal_mask: cumulative sum of the identity
def causal_mask(length):
    return torch.eye(length).cumsum(dim=0).T.flip(0, 1).bool() if length else torch.zeros(0, 0).bool()


# %% causal_mask: meshgrid
def causal_mask(length):
    query, key = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    return ~(key > query)


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


# %% scaled_dot_product_attention: lowest number, multiplied by the mask
def scaled_dot_product_attention(Q, K, V, mask=None):
    d_k = Q.size(-1)
    scores = torch.matmul(Q / d_k**0.5, K.transpose(-2, -1))
    if mask is None:
        mask = torch.ones_like(scores, dtype=torch.bool)
    scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
    weights = F.softmax(scores, dim=-1) * mask
    return torch.matmul(weights, V), weights


# %% scaled_dot_product_attention: einsum and a default mask
def scaled_dot_product_attention(Q, K, V, mask=None):
    if mask is None:
        mask = torch.tensor(True)
    scores = torch.einsum("...qd,...kd->...qk", Q * Q.shape[-1] ** -0.5, K)
    low = torch.full_like(scores, torch.finfo(scores.dtype).min)
    weights = torch.where(mask, scores, low).softmax(dim=-1)
    weights = torch.where(mask, weights, torch.zeros_like(weights))
    return torch.einsum("...qk,...kv->...qv", weights, V), weights


# %% scaled_dot_product_attention: early return without a mask
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q.div(math.sqrt(Q.shape[-1])).matmul(K.mT)
    if mask is None:
        A = scores.softmax(-1)
        return A.matmul(V), A
    nothing = ~mask.any(dim=-1, keepdim=True)
    scores = scores.masked_fill(~mask & ~nothing, -torch.inf)
    A = scores.softmax(-1).masked_fill(~mask, 0.0)
    return A.matmul(V), A


# %% scaled_dot_product_attention: divides both by the fourth root
def scaled_dot_product_attention(Q, K, V, mask=None):
    root = Q.shape[-1] ** 0.25
    scores = (Q / root) @ (K / root).mT
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return weights @ V, weights


# %% scaled_dot_product_attention: the softmax by hand
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = (Q / math.sqrt(K.shape[-1])) @ K.mT
    allowed = torch.ones_like(scores, dtype=torch.bool)
    if mask is not None:
        allowed = allowed & mask
    low = torch.finfo(scores.dtype).min
    highest = scores.masked_fill(~allowed, low).amax(dim=-1, keepdim=True)
    shifted = torch.where(allowed, scores - highest, torch.zeros_like(scores))
    e = shifted.exp() * allowed
    total = e.sum(dim=-1, keepdim=True)
    weights = e / torch.where(total > 0, total, torch.ones_like(total))
    return weights @ V, weights


# %% scaled_dot_product_attention: adds a bias to the scores
def scaled_dot_product_attention(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = (Q / Q.shape[-1] ** 0.5) @ K.transpose(-1, -2)
    keep = 1.0
    if mask is not None:
        keep = mask.to(scores.dtype)
        low = torch.finfo(scores.dtype).min
        scores = scores * keep + (1 - keep) * low
    weights = torch.softmax(scores, dim=-1) * keep
    return weights @ V, weights


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


# %% MultiHeadAttention: reshape and permute
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        self.H = n_heads
        self.d_k = d_k or d_model // n_heads
        self.d_v = d_v or d_model // n_heads
        self.W_Q = nn.Linear(d_model, self.H * self.d_k)
        self.W_K = nn.Linear(d_model, self.H * self.d_k)
        self.W_V = nn.Linear(d_model, self.H * self.d_v)
        self.W_O = nn.Linear(self.H * self.d_v, d_model)

    def split(self, Y):
        B, L, _ = Y.shape
        return Y.reshape(B, L, self.H, -1).permute(0, 2, 1, 3)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        if mask is not None:
            mask = mask[None] if mask.dim() == 2 else mask[:, None]
        Z, A = scaled_dot_product_attention(
            self.split(self.W_Q(X)), self.split(self.W_K(X)), self.split(self.W_V(X)), mask
        )
        return self.W_O(Z.permute(0, 2, 1, 3).reshape(B, L, self.H * self.d_v)), A


# %% MultiHeadAttention: chunks stacked
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        if d_k is None:
            d_k = d_model // n_heads
        if d_v is None:
            d_v = d_model // n_heads
        self.n_heads = n_heads
        self.W_O = nn.Linear(n_heads * d_v, d_model)
        self.W_Q = nn.Linear(d_model, n_heads * d_k)
        self.W_K = nn.Linear(d_model, n_heads * d_k)
        self.W_V = nn.Linear(d_model, n_heads * d_v)

    def forward(self, X, mask=None):
        Q = torch.stack(self.W_Q(X).chunk(self.n_heads, dim=-1), dim=1)
        K = torch.stack(self.W_K(X).chunk(self.n_heads, dim=-1), dim=1)
        V = torch.stack(self.W_V(X).chunk(self.n_heads, dim=-1), dim=1)
        if mask is not None:
            mask = mask.unsqueeze(-3)
        Z, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(torch.cat(Z.unbind(dim=1), dim=-1)), weights


# %% MultiHeadAttention: einsum
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_model // n_heads if d_k is None else d_k
        self.d_v = d_model // n_heads if d_v is None else d_v
        self.W_Q = nn.Linear(d_model, n_heads * self.d_k)
        self.W_K = nn.Linear(d_model, n_heads * self.d_k)
        self.W_V = nn.Linear(d_model, n_heads * self.d_v)
        self.W_O = nn.Linear(n_heads * self.d_v, d_model)

    def forward(self, X, mask=None):
        B, L = X.shape[:2]
        Q = self.W_Q(X).view(B, L, self.n_heads, self.d_k)
        K = self.W_K(X).view(B, L, self.n_heads, self.d_k)
        V = self.W_V(X).view(B, L, self.n_heads, self.d_v)
        scores = torch.einsum("bihd,bjhd->bhij", Q / math.sqrt(self.d_k), K)
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            mask = mask.unsqueeze(-3)
            scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
            weights = scores.softmax(dim=-1).masked_fill(~mask, 0)
        heads = torch.einsum("bhij,bjhd->bihd", weights, V)
        return self.W_O(heads.flatten(2)), weights


# %% MultiHeadAttention: slices of the layers' weights
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int, d_k=None, d_v=None) -> None:
        super().__init__()
        default = d_model // n_heads
        self.d_k = default if d_k is None else d_k
        self.d_v = default if d_v is None else d_v
        self.n_heads = n_heads
        self.W_Q = nn.Linear(d_model, n_heads * self.d_k)
        self.W_K = nn.Linear(d_model, n_heads * self.d_k)
        self.W_V = nn.Linear(d_model, n_heads * self.d_v)
        self.W_O = nn.Linear(n_heads * self.d_v, d_model)

    def head(self, X, h, mask):
        k = slice(h * self.d_k, (h + 1) * self.d_k)
        v = slice(h * self.d_v, (h + 1) * self.d_v)
        Q = F.linear(X, self.W_Q.weight[k], self.W_Q.bias[k])
        K = F.linear(X, self.W_K.weight[k], self.W_K.bias[k])
        V = F.linear(X, self.W_V.weight[v], self.W_V.bias[v])
        return scaled_dot_product_attention(Q, K, V, mask)

    def forward(self, X, mask=None):
        heads = [self.head(X, h, mask) for h in range(self.n_heads)]
        concatenated = torch.cat([Z for Z, _ in heads], dim=-1)
        return self.W_O(concatenated), torch.stack([A for _, A in heads], dim=1)


# %% MultiHeadAttention: heads folded into the batch
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model // n_heads, d_v or d_model // n_heads
        self.n_heads = n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, n_heads * d_k), nn.Linear(d_model, n_heads * d_k)
        self.W_V, self.W_O = nn.Linear(d_model, n_heads * d_v), nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        H = self.n_heads

        def fold(Y):
            return Y.view(B, L, H, -1).transpose(1, 2).reshape(B * H, L, -1)

        if mask is not None:
            mask = mask.expand(B, L, L).repeat_interleave(H, dim=0)
        Z, A = scaled_dot_product_attention(
            fold(self.W_Q(X)), fold(self.W_K(X)), fold(self.W_V(X)), mask
        )
        Z = Z.view(B, H, L, -1).transpose(1, 2).reshape(B, L, -1)
        return self.W_O(Z), A.view(B, H, L, L)


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


# %% layer_norm: var_mean
def layer_norm(x, gamma, beta, eps=1e-5):
    h = x.to(torch.promote_types(x.dtype, torch.float32))
    variance, mean = torch.var_mean(h, dim=-1, correction=0, keepdim=True)
    z = (h - mean) * torch.rsqrt(variance + eps)
    return (z * gamma + beta).to(x.dtype)


# %% layer_norm: float or stays double
def layer_norm(x, gamma, beta, eps=1e-5):
    y = x if x.dtype == torch.float64 else x.float()
    centered = y - y.mean(-1, keepdim=True)
    sigma = (centered.pow(2).mean(-1, keepdim=True) + eps).sqrt()
    return (gamma * centered / sigma + beta).type_as(x)


# %% layer_norm: a helper and einsum
def layer_norm(x, gamma, beta, eps=1e-5):
    d = x.shape[-1]

    def mean(t):
        return t.sum(dim=-1, keepdim=True) / d

    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    c = wide - mean(wide)
    variance = torch.einsum("...i,...i->...", c, c).unsqueeze(-1) / d
    return (c / (variance + eps) ** 0.5 * gamma + beta).to(dtype=x.dtype)


# %% layer_norm: a module with gamma and beta put in
def layer_norm(x, gamma, beta, eps=1e-5):
    dtype = torch.promote_types(x.dtype, torch.float32)
    normalized = F.layer_norm(x.to(dtype), x.shape[-1:], eps=eps)
    return torch.addcmul(beta.to(dtype), normalized, gamma.to(dtype)).to(x.dtype)


# %% layer_norm: standard deviation squared
def layer_norm(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor, eps: float = 1e-5):
    h = x.to(torch.promote_types(x.dtype, torch.float32))
    mu = torch.mean(h, dim=-1, keepdim=True)
    sigma_squared = torch.mean((h - mu) ** 2, dim=-1, keepdim=True)
    scale = gamma.to(h.dtype) / torch.sqrt(sigma_squared + eps)
    return torch.mul(h - mu, scale).add(beta).to(x.dtype)


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


# %% PositionwiseFeedForward: Sequential around the layers
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)
        self.f = nn.GELU() if activation == "gelu" else nn.ReLU()

    def forward(self, Z):
        return nn.Sequential(self.W_1, self.f, self.W_2)(Z)


# %% PositionwiseFeedForward: F.linear
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.activation = activation
        self.W_1, self.W_2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, Z):
        hidden = F.linear(Z, self.W_1.weight, self.W_1.bias)
        hidden = F.gelu(hidden) if self.activation == "gelu" else hidden.clamp(min=0)
        return F.linear(hidden, self.W_2.weight, self.W_2.bias)


# %% PositionwiseFeedForward: matrix products with transposed weights
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model: int, d_ff: int, activation: str = "relu") -> None:
        super().__init__()
        self.W_1 = nn.Linear(in_features=d_model, out_features=d_ff)
        self.W_2 = nn.Linear(in_features=d_ff, out_features=d_model)
        self.activation = torch.relu if activation == "relu" else F.gelu

    def forward(self, Z: torch.Tensor) -> torch.Tensor:
        inner = self.activation(Z @ self.W_1.weight.T + self.W_1.bias)
        return inner @ self.W_2.weight.T + self.W_2.bias


# %% PositionwiseFeedForward: the GELU by its formula
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)
        self.gelu = activation == "gelu"

    def f(self, x):
        if self.gelu:
            return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))
        return torch.maximum(x, torch.zeros_like(x))

    def forward(self, Z):
        return self.W_2(self.f(self.W_1(Z)))


# %% PositionwiseFeedForward: match
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        match activation:
            case "relu":
                self.f = F.relu
            case "gelu":
                self.f = F.gelu
        self.W_2 = nn.Linear(d_ff, d_model)
        self.W_1 = nn.Linear(d_model, d_ff)

    def forward(self, Z):
        Z = self.W_1(Z)
        Z = self.f(Z)
        Z = self.W_2(Z)
        return Z


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


# %% TransformerBlock: keyword arguments
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model=d_model, n_heads=n_heads)
        self.feed_forward = PositionwiseFeedForward(
            d_model=d_model, d_ff=d_ff, activation=activation
        )
        self.norm_1 = nn.LayerNorm(normalized_shape=d_model, eps=eps)
        self.norm_2 = nn.LayerNorm(normalized_shape=d_model, eps=eps)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, X, mask=None):
        SA = self.dropout(self.attention(X, mask)[0])
        X = self.norm_1(SA + X)
        FFN = self.dropout(self.feed_forward(X))
        return self.norm_2(FFN + X)


# %% TransformerBlock: two methods for the two halves
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.norm_1, self.norm_2 = (nn.LayerNorm(d_model, eps) for _ in range(2))
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation)

    def attend(self, X, mask):
        output, _weights = self.attention(X, mask=mask)
        return self.norm_1(X + self.dropout(output))

    def process(self, Z):
        return self.norm_2(Z + self.dropout(self.feed_forward(Z)))

    def forward(self, X, mask=None):
        return self.process(self.attend(X, mask))


# %% TransformerBlock: functional layer normalization
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super(TransformerBlock, self).__init__()
        self.eps = eps
        self.attention = MultiHeadAttention(d_model, n_heads, None, None)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation=activation)
        self.norm_1 = nn.LayerNorm(d_model, eps=eps)
        self.norm_2 = nn.LayerNorm(d_model, eps=eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        for sublayer, norm in (
            (lambda Y: self.attention(Y, mask)[0], self.norm_1),
            (self.feed_forward, self.norm_2),
        ):
            total = X + self.dropout(sublayer(X))
            X = F.layer_norm(total, total.shape[-1:], norm.weight, norm.bias, self.eps)
        return X


# %% TransformerBlock: in-place additions
class TransformerBlock(nn.Module):
    def __init__(
        self,
        d_model: int,
        n_heads: int,
        d_ff: int,
        dropout: float = 0.1,
        activation: str = "relu",
        eps: float = 1e-5,
    ) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.norm_1 = nn.LayerNorm(d_model, eps=eps)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation)
        self.norm_2 = nn.LayerNorm(d_model, eps=eps)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Z, weights = self.attention(X, mask)
        Z = self.dropout(Z)
        Z = Z + X
        Z = self.norm_1(Z)
        Y = self.feed_forward(Z)
        Y = self.dropout(Y)
        Y += Z
        return self.norm_2(Y)


# %% TransformerBlock: torch.add and a dictionary of parts
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        parts = {
            "attention": MultiHeadAttention(d_model, n_heads),
            "norm_1": nn.LayerNorm(d_model, eps=eps),
            "feed_forward": PositionwiseFeedForward(d_model, d_ff, activation),
            "norm_2": nn.LayerNorm(d_model, eps=eps),
            "dropout": nn.Dropout(dropout),
        }
        for name, part in parts.items():
            self.add_module(name, part)

    def forward(self, X, mask=None):
        found = self.attention(X, mask)[0]
        Z = self.norm_1(torch.add(X, self.dropout(found)))
        return self.norm_2(torch.add(Z, self.dropout(self.feed_forward(Z))))


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


# %% to_torch_names: concatenates first, then a comprehension
def to_torch_names(weights):
    def in_proj(kind):
        return torch.cat([weights[f"attention.W_{letter}.{kind}"] for letter in "QKV"], dim=0)

    table = {
        "attention.W_O": "self_attn.out_proj",
        "feed_forward.W_1": "linear1",
        "feed_forward.W_2": "linear2",
        "norm_1": "norm1",
        "norm_2": "norm2",
    }
    theirs = {
        f"{theirs}.{kind}": weights[f"{ours}.{kind}"]
        for ours, theirs in table.items()
        for kind in ("weight", "bias")
    }
    return theirs | {f"self_attn.in_proj_{kind}": in_proj(kind) for kind in ("weight", "bias")}


# %% to_torch_names: walks through the weights
def to_torch_names(weights):
    names = {"W_O": "self_attn.out_proj", "W_1": "linear1", "W_2": "linear2"}
    names |= {"norm_1": "norm1", "norm_2": "norm2"}
    projections, result = {"weight": {}, "bias": {}}, {}
    for name, tensor in weights.items():
        *_, layer, kind = name.split(".")
        if layer in ("W_Q", "W_K", "W_V"):
            projections[kind][layer] = tensor
        else:
            result[names[layer] + "." + kind] = tensor
    for kind, found in projections.items():
        result["self_attn.in_proj_" + kind] = torch.cat([found["W_Q"], found["W_K"], found["W_V"]])
    return result


# %% to_torch_names: pops from a copy
def to_torch_names(weights):
    mine = dict(weights)
    theirs = {}
    for kind in ["weight", "bias"]:
        q, k, v = (mine.pop(f"attention.{name}.{kind}") for name in ("W_Q", "W_K", "W_V"))
        theirs[f"self_attn.in_proj_{kind}"] = torch.concat((q, k, v))
    for name, tensor in mine.items():
        new = name.replace("attention.W_O", "self_attn.out_proj")
        new = new.replace("feed_forward.W_", "linear").replace("norm_", "norm")
        theirs[new] = tensor
    return theirs


# %% to_torch_names: a list of pairs
def to_torch_names(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    pairs = [
        ("self_attn.out_proj", "attention.W_O"),
        ("linear1", "feed_forward.W_1"),
        ("linear2", "feed_forward.W_2"),
        ("norm1", "norm_1"),
        ("norm2", "norm_2"),
    ]
    result = dict()
    for new, old in pairs:
        for ending in (".weight", ".bias"):
            result[new + ending] = weights[old + ending]
    for ending in ("weight", "bias"):
        rows = [weights["attention." + W + "." + ending] for W in ["W_Q", "W_K", "W_V"]]
        result["self_attn.in_proj_" + ending] = torch.vstack(rows) if ending == "weight" else torch.hstack(rows)
    return result


# %% to_torch_names: regular expressions
def to_torch_names(weights):
    import re

    result = {}
    for kind in ("weight", "bias"):
        result["self_attn.in_proj_" + kind] = torch.cat(
            [weights[f"attention.W_{x}.{kind}"] for x in ("Q", "K", "V")]
        )
    for name, tensor in weights.items():
        if re.match(r"attention\.W_[QKV]", name):
            continue
        name = re.sub(r"^attention\.W_O", "self_attn.out_proj", name)
        name = re.sub(r"^feed_forward\.W_(\d)", r"linear\1", name)
        result[re.sub(r"^norm_(\d)", r"norm\1", name)] = tensor
    return result


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


# %% sinusoidal_positional_encoding: exponential of logarithms
def sinusoidal_positional_encoding(length, d_model):
    position = torch.arange(length, dtype=torch.float).unsqueeze(1)
    factor = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    PE = torch.zeros(length, d_model)
    PE[:, 0::2] = torch.sin(position * factor)
    PE[:, 1::2] = torch.cos(position * factor)[:, : d_model // 2]
    return PE


# %% sinusoidal_positional_encoding: nested comprehension
def sinusoidal_positional_encoding(length, d_model):
    def entry(pos, j):
        angle = pos / 10000 ** ((j - j % 2) / d_model)
        return math.cos(angle) if j % 2 else math.sin(angle)

    rows = [[entry(pos, j) for j in range(d_model)] for pos in range(length)]
    return torch.tensor(rows, dtype=torch.float32).reshape(length, d_model)


# %% sinusoidal_positional_encoding: a cosine is a shifted sine
def sinusoidal_positional_encoding(length, d_model):
    column = torch.arange(d_model, dtype=torch.float64)
    angle = torch.outer(
        torch.arange(length, dtype=torch.float64), 10000 ** (-2 * (column // 2) / d_model)
    )
    return torch.sin(angle + (column % 2) * math.pi / 2).float()


# %% sinusoidal_positional_encoding: numpy
def sinusoidal_positional_encoding(length, d_model):
    import numpy as np

    pos = np.arange(length)[:, np.newaxis]
    two_i = 2 * (np.arange(d_model) // 2)[np.newaxis, :]
    angles = pos / np.power(10000, two_i / d_model)
    table = np.zeros((length, d_model))
    table[:, 0::2] = np.sin(angles[:, 0::2])
    table[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.tensor(table, dtype=torch.float32)


# %% sinusoidal_positional_encoding: an even width, then cut
def sinusoidal_positional_encoding(length: int, d_model: int) -> torch.Tensor:
    pairs = (d_model + 1) // 2
    wavelength = torch.pow(10000.0, 2 * torch.arange(pairs) / d_model)
    angle = torch.arange(length).reshape(-1, 1) / wavelength
    both = torch.stack((torch.sin(angle), torch.cos(angle)), dim=-1)
    return both.flatten(1)[:, :d_model]


# %% relative_positions: clamps after moving
def relative_positions(length, k):
    i = torch.arange(length)
    return torch.clamp(i - i.unsqueeze(1) + k, min=0, max=2 * k)


# %% relative_positions: broadcast and minimum
def relative_positions(length, k):
    at = torch.arange(length)
    distance = at.unsqueeze(0) - at.unsqueeze(1)
    return torch.minimum(torch.maximum(distance, torch.tensor(-k)), torch.tensor(k)) + k


# %% relative_positions: nested lists
def relative_positions(length, k):
    rows = [
        [max(-k, min(k, j - i)) + k for j in range(length)] for i in range(length)
    ]
    return torch.tensor(rows, dtype=torch.int64).view(length, length)


# %% relative_positions: shifted slices of one long row
def relative_positions(length, k):
    if length == 0:
        return torch.zeros(0, 0, dtype=torch.long)
    distances = torch.arange(-(length - 1), length).clamp(-k, k) + k
    return torch.stack([distances[length - 1 - i : 2 * length - 1 - i] for i in range(length)])


# %% relative_positions: where
def relative_positions(length, k):
    i, j = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    d = j - i
    d = torch.where(d > k, k, d)
    d = torch.where(d < -k, -k, d)
    return d + k


# %% relative_positions: numpy
def relative_positions(length, k):
    import numpy as np

    at = np.arange(length, dtype=np.int64)
    return torch.from_numpy(np.clip(np.subtract.outer(-at, -at), -k, k) + k)


# %% relative_positions: assigns beyond the limits
def relative_positions(length: int, k: int) -> torch.Tensor:
    rows = torch.arange(length).repeat(length, 1) - torch.arange(length)[:, None] + k
    rows[rows < 0] = 0
    rows[rows > 2 * k] = 2 * k
    return rows


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


# %% relative_position_scores: first all products, then take_along_dim
def relative_position_scores(Q, A):
    L, k = Q.shape[-2], (len(A) - 1) // 2
    products = Q @ A.T
    index = relative_positions(L, k).expand(*Q.shape[:-2], L, L)
    return torch.take_along_dim(products, index, dim=-1)


# %% relative_position_scores: advanced indexing of the products
def relative_position_scores(Q, A):
    L = Q.size(-2)
    rows = relative_positions(L, A.size(0) // 2)
    products = torch.matmul(Q, A.transpose(0, 1))
    return products[..., torch.arange(L).unsqueeze(1), rows]


# %% relative_position_scores: query by query
def relative_position_scores(Q, A):
    rows = relative_positions(Q.shape[-2], A.shape[0] // 2)
    scores = [Q[..., i, :] @ A[rows[i]].T for i in range(len(rows))]
    return torch.stack(scores, dim=-2)


# %% relative_position_scores: embedding and matmul
def relative_position_scores(Q, A):
    vectors = F.embedding(relative_positions(Q.shape[-2], len(A) // 2), A)
    return torch.matmul(vectors, Q.unsqueeze(-1)).squeeze(-1)


# %% relative_position_scores: one-hot distances
def relative_position_scores(Q: torch.Tensor, A: torch.Tensor) -> torch.Tensor:
    n = A.shape[0]
    one_hot = F.one_hot(relative_positions(Q.shape[-2], n // 2), n).to(Q.dtype)
    return torch.einsum("...id,rd,ijr->...ij", Q, A, one_hot)


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


# %% count_parameters: step by step into a dictionary
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    n = {}
    n["embedding"] = vocab_size * d_model
    n["head"] = (d_model + 1) * (d_k + d_k + d_v)
    n["attention"] = n_heads * n["head"] + (n_heads * d_v + 1) * d_model
    n["feed_forward"] = (d_model + 1) * d_ff + (d_ff + 1) * d_model
    n["norms"] = 4 * d_model
    n["block"] = n["attention"] + n["feed_forward"] + n["norms"]
    n["total"] = n["embedding"] + n_blocks * n["block"]
    return n


# %% count_parameters: keyword arguments of dict
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    weights = d_model * d_k + d_model * d_k + d_model * d_v
    biases = d_k + d_k + d_v
    head = weights + biases
    attention = head * n_heads + d_model * n_heads * d_v + d_model
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    norms = sum([d_model, d_model]) * 2
    block = sum((attention, feed_forward, norms))
    embedding = d_model * vocab_size
    return dict(
        embedding=embedding,
        head=head,
        attention=attention,
        feed_forward=feed_forward,
        norms=norms,
        block=block,
        total=embedding + block * n_blocks,
    )


# %% count_parameters: lists of layers
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    layers = {
        "head": [(d_model, d_k), (d_model, d_k), (d_model, d_v)],
        "feed_forward": [(d_model, d_ff), (d_ff, d_model)],
    }
    counts = {part: sum(a * b + b for a, b in sizes) for part, sizes in layers.items()}
    W_O = n_heads * d_v * d_model + d_model
    counts["attention"] = sum(counts["head"] for _ in range(n_heads)) + W_O
    counts["norms"] = 2 * (d_model + d_model)
    counts["block"] = counts["attention"] + counts["feed_forward"] + counts["norms"]
    counts["embedding"] = vocab_size * d_model
    counts["total"] = counts["embedding"] + n_blocks * counts["block"]
    return counts


# %% count_parameters: counts the modules on the meta device
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    def size(*modules):
        return sum(p.numel() for module in modules for p in module.parameters())

    with torch.device("meta"):
        head = size(nn.Linear(d_model, d_k), nn.Linear(d_model, d_k), nn.Linear(d_model, d_v))
        attention = n_heads * head + size(nn.Linear(n_heads * d_v, d_model))
        feed_forward = size(nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model))
        norms = 2 * size(nn.LayerNorm(d_model))
    embedding = torch.empty(vocab_size, d_model, device="meta").numel()
    block = attention + feed_forward + norms
    return {
        "total": embedding + n_blocks * block,
        "block": block,
        "norms": norms,
        "feed_forward": feed_forward,
        "attention": attention,
        "head": head,
        "embedding": embedding,
    }


# %% count_parameters: an expression for each key
def count_parameters(
    vocab_size: int, d_model: int, n_heads: int, d_k: int, d_v: int, d_ff: int, n_blocks: int
) -> dict[str, int]:
    d = d_model
    per_head = 2 * d * d_k + d * d_v + 2 * d_k + d_v
    per_block = n_heads * (per_head + d_v * d) + d + 2 * d * d_ff + d_ff + d + 4 * d
    keys = ["embedding", "head", "attention", "feed_forward", "norms", "block", "total"]
    values = [
        vocab_size * d,
        per_head,
        n_heads * (per_head + d_v * d) + d,
        2 * d * d_ff + d_ff + d,
        4 * d,
        per_block,
        vocab_size * d + n_blocks * per_block,
    ]
    return dict(zip(keys, values))


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


# %% TransformerClassifier: masked_fill for the mean
class TransformerClassifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        self.dropout = nn.Dropout(p=dropout)
        blocks = [
            TransformerBlock(d_model=d_model, n_heads=n_heads, d_ff=d_ff, dropout=dropout)
            for _ in range(n_blocks)
        ]
        self.blocks = nn.ModuleList(blocks)
        self.output = nn.Linear(d_model, 1)

    def forward(self, ids, mask):
        B, L = ids.shape
        X = self.embedding(ids) + self.positions[None, :L]
        X = self.dropout(X)
        attention_mask = padding_mask(mask)
        for block in self.blocks:
            X = block(X, attention_mask)
        total = X.masked_fill(~mask[:, :, None], 0).sum(dim=1)
        h = total / torch.clamp(mask.sum(dim=1), min=1)[:, None]
        return self.output(h)[:, 0]


# %% TransformerClassifier: weights of a mean, matmul
class TransformerClassifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.output = nn.Linear(d_model, 1)
        self.blocks = nn.ModuleList()
        for _ in range(n_blocks):
            self.blocks.append(TransformerBlock(d_model, n_heads, d_ff, dropout, "relu"))
        self.dropout = nn.Dropout(dropout)
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))

    def forward(self, ids, mask):
        X = self.dropout(self.embedding(ids) + self.positions[torch.arange(ids.size(1))])
        for block in self.blocks:
            X = block(X, mask=mask[:, None, :])
        n = mask.sum(dim=1, keepdim=True)
        weights = mask / torch.where(n == 0, 1, n)
        h = torch.matmul(weights.unsqueeze(1), X).squeeze(1)
        return self.output(h).flatten()


# %% TransformerClassifier: text by text for the mean
class TransformerClassifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.d_model = d_model
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.positions = nn.Buffer(sinusoidal_positional_encoding(max_length, d_model))
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(
            [TransformerBlock(d_model, n_heads, d_ff, dropout=dropout) for _ in range(n_blocks)]
        )
        self.output = nn.Linear(d_model, 1)

    def forward(self, ids, mask):
        X = self.embedding(ids)
        X = self.dropout(X + self.positions[: X.shape[1]])
        for block in self.blocks:
            X = block(X, padding_mask(mask))
        means = []
        for text, real in zip(X, mask):
            tokens = text[real]
            means.append(tokens.mean(dim=0) if len(tokens) else torch.zeros(self.d_model))
        return self.output(torch.stack(means)).squeeze(-1)


# %% TransformerClassifier: where and reduce
class TransformerClassifier(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        n_heads: int,
        d_ff: int,
        n_blocks: int,
        dropout: float = 0.1,
        max_length: int = 512,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.output = nn.Linear(in_features=d_model, out_features=1)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        self.blocks = nn.ModuleList()
        self.blocks.extend(TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks))

    def forward(self, ids, mask):
        from functools import reduce

        allowed = padding_mask(mask)
        start = self.dropout(self.embedding(ids).add(self.positions[: ids.shape[-1]]))
        Y = reduce(lambda X, block: block(X, allowed), self.blocks, start)
        Y = torch.where(mask.unsqueeze(-1), Y, torch.zeros_like(Y))
        h = Y.sum(1) / mask.sum(1, keepdim=True).clamp(min=1)
        return (self.output.weight @ h.T).squeeze(0) + self.output.bias


# %% TransformerClassifier: a function beside the class for the mean
def mean_of_real_tokens(Y, mask):
    real = mask.to(Y.dtype)
    totals = (real[:, None, :] @ Y)[:, 0]
    counts = real.sum(dim=1, keepdim=True)
    return totals / counts.clamp(min=1)


class TransformerClassifier(nn.Module):
    def __init__(self, vocab_size, d_model, n_heads, d_ff, n_blocks, dropout=0.1, max_length=512):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)
        )
        self.output = nn.Linear(d_model, 1)

    def forward(self, ids, mask):
        Y = self.embedding(ids) + self.positions.narrow(0, 0, ids.shape[1])
        Y = self.dropout(Y)
        for block in self.blocks:
            Y = block(Y, padding_mask(mask))
        return self.output(mean_of_real_tokens(Y, mask)).squeeze(1)
