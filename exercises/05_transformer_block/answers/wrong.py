# %% simple_self_attention: softmax down the columns | softmax_over_columns
def simple_self_attention(X):
    A = torch.softmax(X @ X.mT, dim=-2)
    return A @ X


# %% simple_self_attention: divides by the root of d | scales_raw_scores
# -     scores = X @ X.mT
# +     scores = X @ X.mT / X.shape[-1] ** 0.5


# %% simple_self_attention: masks the diagonal | leaves_itself_out
def simple_self_attention(X):
    scores = X @ X.mT
    itself = torch.eye(X.shape[-2], dtype=torch.bool)
    scores = scores.masked_fill(itself, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    return weights @ X


# %% simple_self_attention: a residual connection | adds_its_input
# -     return torch.softmax(scores, dim=-1) @ X
# +     return X + torch.softmax(scores, dim=-1) @ X


# %% padding_mask: the axis in the wrong position | closes_rows
def padding_mask(mask):
    return mask.bool()[:, :, None]


# %% padding_mask: an axis for the heads | adds_axis_for_heads
def padding_mask(mask):
    return mask.bool()[:, None, None, :]


# %% causal_mask: the upper triangle | opens_the_future
def causal_mask(length):
    return torch.triu(torch.ones(length, length, dtype=torch.bool))


# %% causal_mask: floats | causal_numbers
def causal_mask(length):
    return torch.tril(torch.ones(length, length))


# %% scaled_dot_product_attention: -inf without care for empty rows | nan_for_closed_rows
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights


# %% scaled_dot_product_attention: empty rows attend to everything | uniform_for_closed_rows
def scaled_dot_product_attention(Q, K, V, mask=None):
    Q = Q / math.sqrt(Q.shape[-1])
    scores = Q @ K.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    return weights @ V, weights


# %% scaled_dot_product_attention: the root of the length | divides_by_length
def scaled_dot_product_attention(Q, K, V, mask=None):
    L, d_k = Q.shape[-2:]
    scores = (Q / math.sqrt(L)) @ K.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)
    return weights @ V, weights


# %% MultiHeadAttention: one reshape to the heads | reshapes_tokens_into_heads
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        self.n_heads = n_heads
        self.d_k = d_k or d_model // n_heads
        self.d_v = d_v or d_model // n_heads
        self.W_Q = nn.Linear(d_model, n_heads * self.d_k)
        self.W_K = nn.Linear(d_model, n_heads * self.d_k)
        self.W_V = nn.Linear(d_model, n_heads * self.d_v)
        self.W_O = nn.Linear(n_heads * self.d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q = self.W_Q(X).reshape(B, self.n_heads, L, self.d_k)
        K = self.W_K(X).reshape(B, self.n_heads, L, self.d_k)
        V = self.W_V(X).reshape(B, self.n_heads, L, self.d_v)
        if mask is not None:
            mask = mask.unsqueeze(-3)
        out, weights = scaled_dot_product_attention(Q, K, V, mask)
        out = out.transpose(1, 2).reshape(B, L, self.n_heads * self.d_v)
        return self.W_O(out), weights


# %% MultiHeadAttention: heads not brought back before the reshape | concatenates_heads_too_early
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k = d_model // n_heads if d_k is None else d_k
        d_v = d_model // n_heads if d_v is None else d_v
        self.h, self.d_k, self.d_v = n_heads, d_k, d_v
        self.W_Q = nn.Linear(d_model, n_heads * d_k)
        self.W_K = nn.Linear(d_model, n_heads * d_k)
        self.W_V = nn.Linear(d_model, n_heads * d_v)
        self.W_O = nn.Linear(n_heads * d_v, d_model)

    def forward(self, X, mask=None):
        B, L, _ = X.shape
        Q = self.W_Q(X).view(B, L, self.h, self.d_k).transpose(1, 2)
        K = self.W_K(X).view(B, L, self.h, self.d_k).transpose(1, 2)
        V = self.W_V(X).view(B, L, self.h, self.d_v).transpose(1, 2)
        if mask is not None:
            mask = mask.unsqueeze(-3)
        out, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(out.reshape(B, L, self.h * self.d_v)), weights


# %% MultiHeadAttention: values as long as keys | ignores_d_v
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k = d_model // n_heads if d_k is None else d_k
        self.n_heads = n_heads
        self.W_Q = nn.Linear(d_model, n_heads * d_k)
        self.W_K = nn.Linear(d_model, n_heads * d_k)
        self.W_V = nn.Linear(d_model, n_heads * d_k)
        self.W_O = nn.Linear(n_heads * d_k, d_model)

    def split(self, X):
        B, L, _ = X.shape
        return X.reshape(B, L, self.n_heads, -1).transpose(1, 2)

    def forward(self, X, mask=None):
        Q, K, V = self.split(self.W_Q(X)), self.split(self.W_K(X)), self.split(self.W_V(X))
        if mask is not None:
            mask = mask.unsqueeze(-3)
        Z, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(Z.transpose(1, 2).flatten(2)), weights


# %% MultiHeadAttention: without d_v the values are as long as the keys | d_v_defaults_to_d_k
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_k=None, d_v=None):
        super().__init__()
        d_k = d_model // n_heads if d_k is None else d_k
        d_v = d_k if d_v is None else d_v
        self.n_heads = n_heads
        self.W_Q = nn.Linear(d_model, n_heads * d_k)
        self.W_K = nn.Linear(d_model, n_heads * d_k)
        self.W_V = nn.Linear(d_model, n_heads * d_v)
        self.W_O = nn.Linear(n_heads * d_v, d_model)

    def split(self, X):
        B, L, _ = X.shape
        return X.reshape(B, L, self.n_heads, -1).transpose(1, 2)

    def forward(self, X, mask=None):
        Q, K, V = self.split(self.W_Q(X)), self.split(self.W_K(X)), self.split(self.W_V(X))
        if mask is not None:
            mask = mask.unsqueeze(-3)
        Z, weights = scaled_dot_product_attention(Q, K, V, mask)
        return self.W_O(Z.transpose(1, 2).flatten(2)), weights


# %% layer_norm: epsilon outside the root, in the precision of x | eps_outside_root
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    std = x.std(dim=-1, keepdim=True, unbiased=False)
    return gamma * (x - mean) / (std + eps) + beta


# %% layer_norm: always in float32 | rounds_to_float32
def layer_norm(x, gamma, beta, eps=1e-5):
    y = x.to(torch.float32)
    mean = y.mean(dim=-1, keepdim=True)
    var = ((y - mean) ** 2).mean(dim=-1, keepdim=True)
    return ((y - mean) / torch.sqrt(var + eps) * gamma + beta).to(x.dtype)


# %% layer_norm: beta before gamma | shifts_before_scaling
def layer_norm(x, gamma, beta, eps=1e-5):
    t = torch.promote_types(x.dtype, torch.float32)
    y = x.to(t)
    centered = y - y.mean(dim=-1, keepdim=True)
    normalized = centered / torch.sqrt(centered.square().mean(dim=-1, keepdim=True) + eps)
    return (gamma.to(t) * (normalized + beta.to(t))).to(x.dtype)


# %% layer_norm: the mean square of x for the variance | squares_without_centering
# -     variance = (h - mean).square().mean(dim=-1, keepdim=True)
# +     variance = h.square().mean(dim=-1, keepdim=True)


# %% PositionwiseFeedForward: always ReLU | always_relu
# -         self.activation = {"relu": F.relu, "gelu": F.gelu}[activation]
# ...
# -         hidden = self.activation(self.W_1(Z))
# -         return self.W_2(hidden)
# +         return self.W_2(F.relu(self.W_1(Z)))


# %% PositionwiseFeedForward: an activation at the end, too | activates_twice
# -         self.activation = {"relu": F.relu, "gelu": F.gelu}[activation]
# +         self.f = F.relu if activation == "relu" else F.gelu
# ...
# -         hidden = self.activation(self.W_1(Z))
# -         return self.W_2(hidden)
# +         return self.f(self.W_2(self.f(self.W_1(Z))))


# %% PositionwiseFeedForward: the GELU with a tanh | approximates_gelu
# edits: if
# -         self.name = activation
# +         self.activation = activation
# ...
# -         hidden = torch.relu(hidden) if self.name == "relu" else F.gelu(hidden)
# +         if self.activation == "gelu":
# +             c = math.sqrt(2 / math.pi)
# +             hidden = 0.5 * hidden * (1 + torch.tanh(c * (hidden + 0.044715 * hidden**3)))
# +         else:
# +             hidden = hidden.clamp(min=0)


# %% PositionwiseFeedForward: x times the sigmoid | sigmoid_for_phi
class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, activation="relu"):
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)
        self.f = F.silu if activation == "gelu" else F.relu

    def forward(self, Z):
        return self.W_2(self.f(self.W_1(Z)))


# %% TransformerBlock: normalizes before | normalizes_first
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.norm_1 = nn.LayerNorm(d_model, eps=eps)
        self.norm_2 = nn.LayerNorm(d_model, eps=eps)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        out, _ = self.attention(self.norm_1(X), mask)
        X = X + self.dropout(out)
        return X + self.dropout(self.feed_forward(self.norm_2(X)))


# %% TransformerBlock: no residual around the feed-forward network | network_without_residual
#           self.norm_1 = nn.LayerNorm(d_model, eps=eps)
# +         self.norm_2 = nn.LayerNorm(d_model, eps=eps)
# ...
#           self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation)
# -         self.norm_2 = nn.LayerNorm(d_model, eps=eps)
# ...
#           Z = self.norm_1(X + self.dropout(found))
# -         return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
# +         return self.norm_2(self.dropout(self.feed_forward(Z)))


# %% TransformerBlock: the second sum starts from X again | second_residual_adds_input
#           self.norm_1 = nn.LayerNorm(d_model, eps=eps)
# +         self.norm_2 = nn.LayerNorm(d_model, eps=eps)
# ...
#           self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation)
# -         self.norm_2 = nn.LayerNorm(d_model, eps=eps)
# ...
#           Z = self.norm_1(X + self.dropout(found))
# -         return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
# +         return self.norm_2(X + self.dropout(self.feed_forward(Z)))


# %% TransformerBlock: dropout once | drops_only_attention
#           self.norm_1 = nn.LayerNorm(d_model, eps=eps)
# +         self.norm_2 = nn.LayerNorm(d_model, eps=eps)
# ...
#           self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation)
# -         self.norm_2 = nn.LayerNorm(d_model, eps=eps)
# ...
#           Z = self.norm_1(X + self.dropout(found))
# -         return self.norm_2(Z + self.dropout(self.feed_forward(Z)))
# +         return self.norm_2(Z + self.feed_forward(Z))


# %% to_torch_names: K above Q | keys_before_queries
def to_torch_names(weights):
    parts = ("K", "Q", "V")
    result = {}
    for kind in ("weight", "bias"):
        tensors = [weights[f"attention.W_{p}.{kind}"] for p in parts]
        result[f"self_attn.in_proj_{kind}"] = torch.cat(tensors)
        result[f"self_attn.out_proj.{kind}"] = weights[f"attention.W_O.{kind}"]
        result[f"linear1.{kind}"] = weights[f"feed_forward.W_1.{kind}"]
        result[f"linear2.{kind}"] = weights[f"feed_forward.W_2.{kind}"]
        result[f"norm1.{kind}"] = weights[f"norm_1.{kind}"]
        result[f"norm2.{kind}"] = weights[f"norm_2.{kind}"]
    return result


# %% to_torch_names: forgets the biases of Q, K and V |
def to_torch_names(weights):
    names = {
        "attention.W_O": "self_attn.out_proj",
        "feed_forward.W_1": "linear1",
        "feed_forward.W_2": "linear2",
        "norm_1": "norm1",
        "norm_2": "norm2",
    }
    result = {
        "self_attn.in_proj_weight": torch.cat(
            [
                weights["attention.W_Q.weight"],
                weights["attention.W_K.weight"],
                weights["attention.W_V.weight"],
            ]
        )
    }
    for mine, theirs in names.items():
        result[theirs + ".weight"] = weights[mine + ".weight"]
        result[theirs + ".bias"] = weights[mine + ".bias"]
    return result


# %% sinusoidal_positional_encoding: sines left, cosines right | sines_then_cosines
def sinusoidal_positional_encoding(length, d_model):
    pos = torch.arange(length)[:, None]
    i = torch.arange(0, d_model, 2)
    angle = pos / 10000 ** (i / d_model)
    return torch.cat([angle.sin(), angle.cos()], dim=1)[:, :d_model]


# %% sinusoidal_positional_encoding: the column number in place of 2i | wavelength_per_column
def sinusoidal_positional_encoding(length, d_model):
    pos = torch.arange(length, dtype=torch.float32)[:, None]
    column = torch.arange(d_model, dtype=torch.float32)
    angle = pos / 10000 ** (column / d_model)
    angle[:, 0::2] = angle[:, 0::2].sin()
    angle[:, 1::2] = angle[:, 1::2].cos()
    return angle


# %% sinusoidal_positional_encoding: positions from 1 | positions_from_one
def sinusoidal_positional_encoding(length, d_model):
    pos = torch.arange(1, length + 1)[:, None]
    angles = pos / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    PE = torch.zeros(length, d_model)
    PE[:, 0::2] = angles.sin()
    PE[:, 1::2] = angles.cos()[:, : d_model // 2]
    return PE


# %% relative_positions: one row too far | numbers_rows_from_one
# -     return (position[None, :] - position[:, None]).clamp(-k, k) + k
# +     return torch.clamp(position[None, :] - position[:, None], -k, k) + k + 1


# %% relative_position_scores: k is the length of the table | uses_other_query
def relative_position_scores(Q, A):
    L = Q.shape[-2]
    k = len(A) // 2
    rows = relative_positions(L, k)
    return torch.einsum("...jd,ijd->...ij", Q, A[rows])


# %% relative_position_scores: divides by the root of d_k | scales_relative_scores
def relative_position_scores(Q, A):
    L, d_k = Q.shape[-2:]
    k = (len(A) - 1) // 2
    vectors = A[relative_positions(L, k)]
    return torch.einsum("...id,ijd->...ij", Q, vectors) / math.sqrt(d_k)


# %% relative_position_scores: k is the length of the table less one | k_is_nearly_doubled
def relative_position_scores(Q, A):
    k = len(A) - 1
    vectors = A[relative_positions(Q.shape[-2], k)]
    return torch.einsum("...id,ijd->...ij", Q, vectors)


# %% relative_position_scores: the same k, with gather | gathers_beyond_table
def relative_position_scores(Q, A):
    L, k = Q.shape[-2], len(A) - 1
    rows = relative_positions(L, k)
    return (Q @ A.mT).gather(-1, rows.expand(*Q.shape[:-2], L, L))


# %% count_parameters: no biases | counts_no_biases
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    embedding = vocab_size * d_model
    head = 2 * d_model * d_k + d_model * d_v
    attention = n_heads * head + n_heads * d_v * d_model
    feed_forward = 2 * d_model * d_ff
    norms = 4 * d_model
    block = attention + feed_forward + norms
    return {
        "embedding": embedding,
        "head": head,
        "attention": attention,
        "feed_forward": feed_forward,
        "norms": norms,
        "block": block,
        "total": embedding + n_blocks * block,
    }


# %% count_parameters: one norm per block | counts_one_norm
# edits: step by step into a dictionary
# -     n["head"] = (d_model + 1) * (d_k + d_k + d_v)
# +     n["head"] = 2 * (d_model + 1) * d_k + (d_model + 1) * d_v
# ...
# -     n["norms"] = 4 * d_model
# +     n["norms"] = 2 * d_model


# %% count_parameters: the head without biases | counts_no_head_biases
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    c = {"embedding": vocab_size * d_model}
    c["head"] = d_model * (2 * d_k + d_v)
    c["attention"] = n_heads * c["head"] + n_heads * d_v * d_model + d_model
    c["feed_forward"] = d_model * d_ff + d_ff + d_ff * d_model + d_model
    c["norms"] = 4 * d_model
    c["block"] = c["attention"] + c["feed_forward"] + c["norms"]
    c["total"] = c["embedding"] + n_blocks * c["block"]
    return c


# %% count_parameters: W_O without its bias | counts_no_output_bias
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    c = {"embedding": vocab_size * d_model}
    c["head"] = (d_model + 1) * (2 * d_k + d_v)
    c["attention"] = n_heads * c["head"] + n_heads * d_v * d_model
    c["feed_forward"] = d_model * d_ff + d_ff + d_ff * d_model + d_model
    c["norms"] = 4 * d_model
    c["block"] = c["attention"] + c["feed_forward"] + c["norms"]
    c["total"] = c["embedding"] + n_blocks * c["block"]
    return c


# %% count_parameters: the network without biases | counts_no_network_biases
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    c = {"embedding": vocab_size * d_model}
    c["head"] = (d_model + 1) * (2 * d_k + d_v)
    c["attention"] = n_heads * c["head"] + n_heads * d_v * d_model + d_model
    c["feed_forward"] = 2 * d_model * d_ff
    c["norms"] = 4 * d_model
    c["block"] = c["attention"] + c["feed_forward"] + c["norms"]
    c["total"] = c["embedding"] + n_blocks * c["block"]
    return c


# %% TransformerClassifier: the mean over all positions | averages_padding
# -             TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)
# +             [TransformerBlock(d_model, n_heads, d_ff, dropout) for _ in range(n_blocks)]
# ...
# -         real = mask.unsqueeze(-1)  # (B, L, 1)
# -         h = (X * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
# -         return self.output(h).squeeze(-1)
# +         return self.output(X.mean(dim=1)).squeeze(-1)


# %% TransformerClassifier: forgets the positions | without_positions
# -         X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
# +         X = self.dropout(self.embedding(ids))
# +         attention_mask = padding_mask(mask)
# ...
# -             X = block(X, padding_mask(mask))
# -         real = mask.unsqueeze(-1)  # (B, L, 1)
# +             X = block(X, attention_mask)
# +         real = mask.unsqueeze(-1).float()


# %% TransformerClassifier: the sum divided by the padded length | divides_by_padded_length
# -         real = mask.unsqueeze(-1)  # (B, L, 1)
# -         h = (X * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
# +         real = mask[:, :, None].float()
# +         h = (X * real).sum(1) / X.shape[1]


# %% TransformerClassifier: the mask as it came | blocks_get_raw_mask
# -             X = block(X, padding_mask(mask))
# -         real = mask.unsqueeze(-1)  # (B, L, 1)
# -         h = (X * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
# +             X = block(X, mask)
# +         real = mask[:, :, None].float()
# +         h = (X * real).sum(1) / real.sum(1).clamp(min=1)


# %% TransformerBlock: dropout on the sum | drops_after_normalizing
class TransformerBlock(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, activation="relu", eps=1e-5):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.norm_1 = nn.LayerNorm(d_model, eps=eps)
        self.norm_2 = nn.LayerNorm(d_model, eps=eps)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        A, _ = self.attention(X, mask)
        Z = self.dropout(self.norm_1(X + A))
        return self.dropout(self.norm_2(Z + self.feed_forward(Z)))


# %% to_torch_names: in_proj with a dot like the others | dot_before_in_proj_kind
def to_torch_names(weights):
    new = {}
    for kind in ("weight", "bias"):
        parts = [weights[f"attention.W_{x}.{kind}"] for x in "QKV"]
        new[f"self_attn.in_proj.{kind}"] = torch.cat(parts)
        new[f"self_attn.out_proj.{kind}"] = weights[f"attention.W_O.{kind}"]
        new[f"linear1.{kind}"] = weights[f"feed_forward.W_1.{kind}"]
        new[f"linear2.{kind}"] = weights[f"feed_forward.W_2.{kind}"]
        new[f"norm1.{kind}"] = weights[f"norm_1.{kind}"]
        new[f"norm2.{kind}"] = weights[f"norm_2.{kind}"]
    return new


# %% sinusoidal_positional_encoding: exponent uses 2 times the column number | doubles_the_column
def sinusoidal_positional_encoding(length, d_model):
    pos = torch.arange(length).unsqueeze(1).float()
    col = torch.arange(d_model)
    angles = pos / 10000 ** (2 * col / d_model)
    pe = torch.zeros(length, d_model)
    pe[:, 0::2] = torch.sin(angles[:, 0::2])
    pe[:, 1::2] = torch.cos(angles[:, 1::2])
    return pe


# %% sinusoidal_positional_encoding: the last wavelength is 10000 | divides_by_d_minus_two
def sinusoidal_positional_encoding(length, d_model):
    positions = torch.arange(length)[:, None]
    columns = torch.arange(d_model)
    angles = positions / 10000 ** ((columns - columns % 2) / max(d_model - 2, 1))
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos())


# %% scaled_dot_product_attention: divides last, and no NaN is left | replaces_nan_of_overflow
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = Q @ K.mT / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    return weights @ V, weights


# %% TransformerClassifier: as many positions as texts | positions_for_the_texts
# -         X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
# +         X = self.dropout(self.embedding(ids) + self.positions[: len(ids)])
# ...
# -         real = mask.unsqueeze(-1)  # (B, L, 1)
# -         h = (X * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
# -         return self.output(h).squeeze(-1)
# +         X = X * mask[:, :, None]
# +         h = mask.sum(dim=1, keepdim=True).clamp(min=1)
# +         return self.output(X.sum(dim=1) / h).squeeze(-1)


# %% MultiHeadAttention: remembers the mask for calls without one
# -         if mask is not None:
# -             mask = mask.unsqueeze(-3)
# -         heads, weights = scaled_dot_product_attention(Q, K, V, mask)  # (B, H, L, d_v)
# +         if mask is not None:
# +             self.mask = mask.unsqueeze(-3)
# +         mask = getattr(self, "mask", None)
# +         if mask is not None and mask.shape[-1] != X.shape[1]:
# +             mask = None
# +         heads, weights = scaled_dot_product_attention(Q, K, V, mask)


# %% MultiHeadAttention: averages the weights over the heads | averages_weights_over_heads
# -         return self.W_O(heads.transpose(1, 2).flatten(2)), weights
# +         return self.W_O(heads.transpose(1, 2).flatten(2)), weights.mean(dim=1)


# %% TransformerClassifier: makes the mask of the blocks once
# -         for block in self.blocks:
# -             X = block(X, padding_mask(mask))
# +         if getattr(self, "mask", None) is None or self.mask[:, 0].shape != mask.shape:
# +             self.mask = padding_mask(mask)
# +         for block in self.blocks:
# +             X = block(X, self.mask)


# %% TransformerBlock: keeps the mask while the texts have the same size
# -         found, _ = self.attention(X, mask)
# +         if mask is None or getattr(self, "mask", None) is None or self.mask.shape != mask.shape:
# +             self.mask = mask
# +         found, _ = self.attention(X, self.mask)


# %% TransformerBlock: eps for one norm | eps_for_first_norm_only
# -         self.norm_2 = nn.LayerNorm(d_model, eps=eps)
# +         self.norm_2 = nn.LayerNorm(d_model)


# %% scaled_dot_product_attention: divides by the root of the values' size | divides_by_values_length
# -     scores = (Q / math.sqrt(Q.shape[-1])) @ K.mT
# +     scores = (Q * V.shape[-1] ** -0.5) @ K.mT


# %% scaled_dot_product_attention: the output before the weights are set to 0 | averages_before_second_filling
def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = (Q / math.sqrt(Q.shape[-1])) @ K.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    output = weights @ V
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return output, weights


# %% scaled_dot_product_attention: fills masked scores with 0, and the weights, too | masks_scores_with_zero_then_weights
# -         scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
# +         scores = scores.masked_fill(~mask, 0.0)


# %% relative_positions: moved first, then clipped at k | clips_the_sum_at_k
def relative_positions(length, k):
    rows = [[max(0, min(k, j - i + k)) for j in range(length)] for i in range(length)]
    return torch.tensor(rows, dtype=torch.long).reshape(length, length)


# %% relative_positions: clips at 0 before the shift | clips_left_at_zero
# -     return (position[None, :] - position[:, None]).clamp(-k, k) + k
# +     return (position[None, :] - position[:, None]).clamp(min=0, max=k) + k


# %% relative_position_scores: the rows of the first token for every query | takes_the_first_rows
def relative_position_scores(Q, A):
    products = Q @ A.mT
    rows = relative_positions(Q.shape[-2], A.shape[0] // 2)
    return products[..., rows[0]]


# %% relative_position_scores: k is the table's length minus 1, clamped to its last row | k_is_the_last_row_of_the_table
def relative_position_scores(Q, A):
    length = Q.size(-2)
    vectors = A[relative_positions(length, len(A) - 1).clamp(max=len(A) - 1)]
    return (Q.unsqueeze(-2) * vectors).sum(-1)


# %% relative_position_scores: a smaller k for short texts | shrinks_k_for_short_texts
def relative_position_scores(Q, A):
    L = Q.shape[-2]
    k = min(len(A) // 2, L - 1)
    every = Q @ A.mT
    return every.gather(-1, relative_positions(L, k).expand(*Q.shape[:-2], L, L))


# %% relative_position_scores: one axis in front | needs_one_batch_axis
# -     return torch.einsum("...id,ijd->...ij", Q, A[rows])
# +     return torch.einsum("bid,ijd->bij", Q, A[rows])


# %% count_parameters: W_O counted once per head with its bias | counts_output_bias_per_head
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    embedding = vocab_size * d_model
    head = 2 * (d_model * d_k + d_k) + d_model * d_v + d_v
    out = d_v * d_model + d_model
    attention = n_heads * (head + out)
    feed_forward = d_model * d_ff + d_ff + d_ff * d_model + d_model
    norms = 2 * 2 * d_model
    block = attention + feed_forward + norms
    return dict(
        embedding=embedding, head=head, attention=attention, feed_forward=feed_forward,
        norms=norms, block=block, total=embedding + block * n_blocks,
    )


# %% count_parameters: the embedding is counted in every block | counts_embedding_per_block
def count_parameters(vocab_size, d_model, n_heads, d_k, d_v, d_ff, n_blocks):
    linear = lambda i, o: i * o + o
    head = 2 * linear(d_model, d_k) + linear(d_model, d_v)
    attention = n_heads * head + linear(n_heads * d_v, d_model)
    ffn = linear(d_model, d_ff) + linear(d_ff, d_model)
    norms = 4 * d_model
    block = attention + ffn + norms
    emb = vocab_size * d_model
    return {"embedding": emb, "head": head, "attention": attention, "feed_forward": ffn,
            "norms": norms, "block": block, "total": n_blocks * (emb + block)}


# %% count_parameters: both biases of the network as long as the hidden layer | counts_network_output_bias_as_d_ff
# -     feed_forward = (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)
# +     feed_forward = 2 * (d_model * d_ff + d_ff)


# %% TransformerClassifier: the words are dropped out before the positions are added | drops_out_words_only
# -         X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
# +         X = self.dropout(self.embedding(ids)) + self.positions[: ids.shape[1]]
# ...
# -         h = (X * real).sum(dim=1) / real.sum(dim=1).clamp(min=1)
# +         h = (X * real).sum(1) / real.sum(1).clamp_min(1)


# %% TransformerClassifier: the words times the root of d_model | scales_embeddings
# -         X = self.dropout(self.embedding(ids) + self.positions[: ids.shape[1]])
# +         words = self.embedding(ids) * self.embedding.embedding_dim**0.5
# +         X = self.dropout(words + self.positions[: ids.shape[1]])


# %% simple_self_attention: no softmax, divides | divides_by_the_sum
def simple_self_attention(X: torch.Tensor) -> torch.Tensor:
    scores = X @ X.mT
    weights = scores / scores.sum(dim=-1, keepdim=True)
    return weights @ X


# %% scaled_dot_product_attention: divides by the root of the number of keys | divides_by_the_number_of_keys
def scaled_dot_product_attention(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, mask: torch.Tensor | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    d_k = K.shape[-2]
    scores = (Q / math.sqrt(d_k)) @ K.mT
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    return weights @ V, weights


# %% count_parameters: takes d_k for the values too | values_have_d_k_everywhere
# edits: step by step into a dictionary
# -     n["head"] = (d_model + 1) * (d_k + d_k + d_v)
# -     n["attention"] = n_heads * n["head"] + (n_heads * d_v + 1) * d_model
# +     n["head"] = (d_model + 1) * 3 * d_k
# +     n["attention"] = n_heads * n["head"] + (n_heads * d_k + 1) * d_model


# %% count_parameters: forgets the biases of the four | counts_no_attention_biases
# edits: step by step into a dictionary
# -     n["head"] = (d_model + 1) * (d_k + d_k + d_v)
# -     n["attention"] = n_heads * n["head"] + (n_heads * d_v + 1) * d_model
# +     n["head"] = d_model * (d_k + d_k + d_v)
# +     n["attention"] = n_heads * (n["head"] + d_v * d_model)
