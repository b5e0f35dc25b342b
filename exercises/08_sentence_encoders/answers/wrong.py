# %% multiclass_loss: exponentials as they are | overflows
def multiclass_loss(scores, labels):
    e = torch.exp(scores)
    own = scores[torch.arange(len(scores)), labels]
    return (torch.log(e.sum(dim=1)) - own).mean()


# %% multiclass_loss: the log of the softmax | log_of_rounded_probability
def multiclass_loss(scores, labels):
    P = F.softmax(scores, dim=1)
    losses = [-torch.log(p[y]) for p, y in zip(P, labels)]
    return torch.stack(losses).mean()


# %% multiclass_loss: probabilities into a loss that expects scores | softmax_twice
def multiclass_loss(scores, labels):
    return F.nll_loss(F.log_softmax(scores.softmax(dim=1), dim=1), labels)


# %% last_state: the last column | last_position
def last_state(H, mask):
    return H[:, H.shape[1] - 1, :]


# %% last_state: counts the tokens | counts_tokens
def last_state(H, mask):
    n = mask.sum(dim=1)
    h = H[torch.arange(H.shape[0]), torch.clamp(n - 1, min=0)]
    return h.masked_fill((n == 0)[:, None], 0.0)


# %% last_state: multiplies by whether there are tokens | nan_for_an_empty_text
def last_state(H, mask):
    t = torch.where(mask, torch.arange(mask.shape[1]), -1).amax(dim=1)
    h = H[torch.arange(len(H)), t.clamp(min=0)]
    return h * (t >= 0)[:, None]


# %% last_state: subtracts 1 from a position | one_before_the_last
def last_state(H, mask):
    t = torch.where(mask, torch.arange(mask.shape[1]), -1).amax(dim=1)
    h = H[torch.arange(len(H)), (t - 1).clamp(min=0)]
    return torch.where((t >= 0)[:, None], h, 0.0)


# %% last_state: a position in the flipped mask | counted_from_the_end
def last_state(H, mask):
    h = H[torch.arange(len(H)), mask.flip(1).long().argmax(dim=1)]
    return torch.where(mask.any(dim=1)[:, None], h, 0.0)


# %% last_state: argmax finds the first True | first_position
def last_state(H, mask):
    t = mask.long().argmax(dim=1)
    return torch.where(mask.any(dim=1)[:, None], H[torch.arange(len(H)), t], 0.0)


# %% BiLSTMEncoder: the state of both directions at the last token | backward_state_at_last_token
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling not in ("last", "mean", "max"):
            raise ValueError("pooling")
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.pooling = pooling
        self.size = 2 * hidden

    def forward(self, X, mask):
        n = mask.sum(1).clamp(min=1)
        packed = pack_padded_sequence(X, n, batch_first=True, enforce_sorted=False)
        H = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=X.shape[1])[0]
        pool = {"last": last_state, "mean": mean_pool, "max": max_pool}[self.pooling]
        return pool(H, mask)


# %% BiLSTMEncoder: runs over the padded batch | backward_reads_padding
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling not in ("last", "mean", "max"):
            raise ValueError("pooling")
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.pooling = pooling
        self.hidden = hidden
        self.size = 2 * hidden

    def forward(self, X, mask):
        H = self.lstm(X)[0]
        if self.pooling == "mean":
            return mean_pool(H, mask)
        if self.pooling == "max":
            return max_pool(H, mask)
        there = mask.any(dim=1, keepdim=True)
        first = H[:, 0, self.hidden :] * there
        return torch.cat([last_state(H[:, :, : self.hidden], mask), first], dim=1)


# %% BiLSTMEncoder: the final states as they are | empty_text_gets_both_states
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling not in ("last", "mean", "max"):
            raise ValueError("pooling")
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.pooling = pooling
        self.size = 2 * hidden

    def forward(self, X, mask):
        lengths = mask.sum(1).clamp(min=1)
        packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        out, (h_n, c_n) = self.lstm(packed)
        H = pad_packed_sequence(out, batch_first=True, total_length=X.shape[1])[0]
        if self.pooling == "mean":
            return mean_pool(H, mask)
        if self.pooling == "max":
            return max_pool(H, mask)
        return torch.cat([h_n[0], h_n[1]], dim=1)


# %% BiLSTMEncoder: reshapes the final states | mixes_texts
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling not in ("last", "mean", "max"):
            raise ValueError("pooling")
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.pooling = pooling
        self.size = 2 * hidden

    def forward(self, X, mask):
        lengths = mask.sum(1).clamp(min=1)
        packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        out, (h_n, c_n) = self.lstm(packed)
        H = pad_packed_sequence(out, batch_first=True, total_length=X.shape[1])[0]
        if self.pooling == "mean":
            return mean_pool(H, mask)
        if self.pooling == "max":
            return max_pool(H, mask)
        return h_n.reshape(X.shape[0], -1)


# %% BiLSTMEncoder: as long as the longest text | without_total_length
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling not in ("last", "mean", "max"):
            raise ValueError("pooling")
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.pooling = pooling
        self.size = 2 * hidden

    def forward(self, X, mask):
        lengths = mask.sum(1).clamp(min=1)
        packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.lstm(packed)
        H = pad_packed_sequence(out, batch_first=True)[0]
        if self.pooling == "mean":
            return mean_pool(H, mask)
        if self.pooling == "max":
            return max_pool(H, mask)
        half = self.size // 2
        first = H[:, 0, half:].masked_fill(~mask.any(dim=1, keepdim=True), 0.0)
        return torch.cat([last_state(H[..., :half], mask), first], dim=1)


# %% ngram_windows: reshapes what unfold returns | component_by_component
def ngram_windows(X, n):
    if n < 1:
        raise ValueError("n")
    windows = F.pad(X, (0, 0, 0, n - 1)).unfold(1, n, 1)
    return windows.reshape(X.shape[0], X.shape[1], -1)


# %% ngram_windows: pads on both sides | centered_windows
def ngram_windows(X, n):
    if n < 1:
        raise ValueError("n")
    padded = F.pad(X, (0, 0, (n - 1) // 2, n // 2))
    return torch.cat([padded[:, k : k + X.shape[1]] for k in range(n)], dim=2)


# %% ngram_windows: swaps positions and components | reshaped_for_transposed
def ngram_windows(X, n):
    if n < 1:
        raise ValueError("n")
    windows = F.pad(X, (0, 0, 0, n - 1)).unfold(1, n, 1)
    return windows.transpose(1, 2).reshape(X.shape[0], X.shape[1], -1)


# %% ngram_windows: n positions of zeros | one_zero_too_many
def ngram_windows(X, n):
    if n < 1:
        raise ValueError("n")
    windows = F.pad(X, (0, 0, 0, n)).unfold(1, n, 1)
    return windows.permute(0, 1, 3, 2).flatten(2)


# %% ngram_windows: pads the last axis | pads_the_components
def ngram_windows(X, n):
    if n < 1:
        raise ValueError("n")
    windows = F.pad(X, (0, n - 1)).unfold(1, n, 1)
    return windows.transpose(2, 3).flatten(2)


# %% TextCNN: the maximum over all windows | windows_of_padding_take_part
class TextCNN(nn.Module):
    def __init__(self, dim, n_filters, widths=(3, 4, 5)):
        super().__init__()
        self.filters = nn.ModuleList(nn.Linear(n * dim, n_filters) for n in widths)
        self.widths = tuple(widths)
        self.size = n_filters * len(widths)

    def forward(self, X, mask):
        X = X * mask.unsqueeze(-1)
        found = [
            F.relu(layer(ngram_windows(X, n))).max(dim=1).values
            for n, layer in zip(self.widths, self.filters)
        ]
        return torch.cat(found, dim=1)


# %% TextCNN: the vectors at padding stay | sees_padding
# -         self.size = n_filters * len(self.widths)
# +         self.size = n_filters * len(widths)
# ...
# -         X = X.masked_fill(~mask.unsqueeze(-1), 0.0)
# ...
# -             responses = torch.relu(layer(ngram_windows(X, n)))  # (B, L, m)
# -             found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
# +             found.append(max_pool(torch.relu(layer(ngram_windows(X, n))), mask))


# %% TextCNN: minus infinity at padding | minus_infinity_for_an_empty_text
class TextCNN(nn.Module):
    def __init__(self, dim, n_filters, widths=(3, 4, 5)):
        super().__init__()
        self.filters = nn.ModuleList(nn.Linear(n * dim, n_filters) for n in widths)
        self.widths = tuple(widths)
        self.size = n_filters * len(widths)

    def forward(self, X, mask):
        real = mask.unsqueeze(-1)
        X = X.masked_fill(~real, 0)
        found = []
        for n, layer in zip(self.widths, self.filters):
            responses = F.relu(layer(ngram_windows(X, n)))
            found.append(torch.where(real, responses, float("-inf")).max(dim=1).values)
        return torch.cat(found, dim=1)


# %% self_attention_pool: all positions in the sum | sums_padding
def self_attention_pool(X, mask):
    r = torch.einsum("bid,bjd->bi", X, X)
    a = masked_softmax(r, mask)
    return torch.einsum("bl,bld->bd", a, X)


# %% self_attention_pool: self-attention as in 05, then the mean | self_attention_then_mean
def self_attention_pool(X, mask):
    A = masked_softmax(torch.einsum("bid,bjd->bij", X, X), mask[:, None, :])
    return mean_pool(A @ X, mask)


# %% StructuredSelfAttention: no activation | without_tanh
class StructuredSelfAttention(nn.Module):
    def __init__(self, dim, hidden, n_heads):
        super().__init__()
        self.W_1 = nn.Linear(dim, hidden, bias=False)
        self.W_2 = nn.Linear(hidden, n_heads, bias=False)
        self.size = n_heads * dim

    def attention(self, X, mask):
        r = self.W_2(self.W_1(X)).transpose(1, 2)
        return masked_softmax(r, mask[:, None])

    def forward(self, X, mask):
        return torch.bmm(self.attention(X, mask), X).flatten(1)

    def penalty(self, A):
        return ((A @ A.mT - torch.eye(A.shape[1])) ** 2).sum(dim=(1, 2)).mean()


# %% StructuredSelfAttention: the norm as it is | norm_not_squared
class StructuredSelfAttention(nn.Module):
    def __init__(self, dim, hidden, n_heads):
        super().__init__()
        self.W_1 = nn.Linear(dim, hidden, bias=False)
        self.W_2 = nn.Linear(hidden, n_heads, bias=False)
        self.size = n_heads * dim

    def attention(self, X, mask):
        r = self.W_2(torch.tanh(self.W_1(X))).transpose(1, 2)
        return masked_softmax(r, mask[:, None])

    def forward(self, X, mask):
        return torch.bmm(self.attention(X, mask), X).flatten(1)

    def penalty(self, A):
        return torch.linalg.matrix_norm(A @ A.mT - torch.eye(A.shape[1])).mean()


# %% StructuredSelfAttention: reshapes the scores | reshaped_for_transposed
class StructuredSelfAttention(nn.Module):
    def __init__(self, dim, hidden, n_heads):
        super().__init__()
        self.W_1 = nn.Linear(dim, hidden, bias=False)
        self.W_2 = nn.Linear(hidden, n_heads, bias=False)
        self.size = n_heads * dim

    def attention(self, X, mask):
        X = torch.where(mask[..., None], X, 0.0)
        r = self.W_2(torch.tanh(self.W_1(X)))
        return masked_softmax(r.reshape(X.shape[0], -1, X.shape[1]), mask[:, None])

    def forward(self, X, mask):
        X = torch.where(mask[..., None], X, 0.0)
        return (self.attention(X, mask) @ X).flatten(1)

    def penalty(self, A):
        P = A @ A.transpose(1, 2) - torch.eye(A.shape[1])
        return P.square().sum(dim=(1, 2)).mean()


# %% StructuredSelfAttention: zeros at padding, and a plain softmax | attends_to_zeros
class StructuredSelfAttention(nn.Module):
    def __init__(self, dim, hidden, n_heads):
        super().__init__()
        self.W_1 = nn.Linear(dim, hidden, bias=False)
        self.W_2 = nn.Linear(hidden, n_heads, bias=False)
        self.size = n_heads * dim

    def attention(self, X, mask):
        X = torch.where(mask[..., None], X, 0.0)
        r = self.W_2(torch.tanh(self.W_1(X)))
        return r.transpose(1, 2).softmax(dim=-1)

    def forward(self, X, mask):
        X = torch.where(mask[..., None], X, 0.0)
        return (self.attention(X, mask) @ X).flatten(1)

    def penalty(self, A):
        P = A @ A.transpose(1, 2) - torch.eye(A.shape[1])
        return P.square().sum(dim=(1, 2)).mean()


# %% StructuredSelfAttention: layers with a bias | with_bias
class StructuredSelfAttention(nn.Module):
    def __init__(self, dim, hidden, n_heads):
        super().__init__()
        self.W_1 = nn.Linear(dim, hidden)
        self.W_2 = nn.Linear(hidden, n_heads)
        self.size = n_heads * dim

    def attention(self, X, mask):
        X = torch.where(mask[..., None], X, 0.0)
        r = self.W_2(torch.tanh(self.W_1(X)))
        return masked_softmax(r.transpose(1, 2), mask[:, None])

    def forward(self, X, mask):
        X = torch.where(mask[..., None], X, 0.0)
        return (self.attention(X, mask) @ X).flatten(1)

    def penalty(self, A):
        P = A @ A.transpose(1, 2) - torch.eye(A.shape[1])
        return P.square().sum(dim=(1, 2)).mean()


# %% RecursiveNetwork: no activation | without_tanh
# -             return self.embedding.weight[tree[1]]
# -         children = torch.cat([self.vector(tree[1]), self.vector(tree[2])])
# -         return torch.tanh(self.W(children))
# +             return self.embedding(torch.tensor(tree[1]))
# +         return self.W(torch.cat([self.vector(tree[1]), self.vector(tree[2])]))


# %% RecursiveNetwork: activates the words, too | tanh_of_words
# -             return self.embedding.weight[tree[1]]
# -         children = torch.cat([self.vector(tree[1]), self.vector(tree[2])])
# -         return torch.tanh(self.W(children))
# +             children = self.embedding(torch.tensor(tree[1]))
# +         else:
# +             children = self.W(torch.cat([self.vector(tree[1]), self.vector(tree[2])]))
# +         return torch.tanh(children)


# %% TreeLSTMCell: one forget gate for both | one_forget_gate
class TreeLSTMCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.leaf_gates = nn.Linear(dim, 3 * hidden)
        self.gates = nn.Linear(2 * hidden, 5 * hidden)

    def leaf(self, X):
        i, o, u = self.leaf_gates(X).chunk(3, dim=-1)
        c = torch.sigmoid(i) * torch.tanh(u)
        return torch.sigmoid(o) * torch.tanh(c), c

    def forward(self, left, right):
        z = self.gates(torch.cat([left[0], right[0]], dim=-1))
        i, f, _, o, u = z.chunk(5, dim=-1)
        c = torch.sigmoid(i) * torch.tanh(u) + torch.sigmoid(f) * (left[1] + right[1])
        return torch.sigmoid(o) * torch.tanh(c), c


# %% TreeLSTMCell: the state is the gated memory | state_without_tanh
class TreeLSTMCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.leaf_gates = nn.Linear(dim, 3 * hidden)
        self.gates = nn.Linear(2 * hidden, 5 * hidden)

    def leaf(self, X):
        i, o, u = self.leaf_gates(X).chunk(3, dim=-1)
        c = torch.sigmoid(i) * torch.tanh(u)
        return torch.sigmoid(o) * c, c

    def forward(self, left, right):
        z = self.gates(torch.cat([left[0], right[0]], dim=-1))
        i, f_l, f_r, o, u = z.chunk(5, dim=-1)
        c = torch.sigmoid(i) * torch.tanh(u)
        c = c + torch.sigmoid(f_l) * left[1] + torch.sigmoid(f_r) * right[1]
        return torch.sigmoid(o) * c, c


# %% TreeLSTMCell: forget gates as they come | forget_gates_without_sigmoid
# -         i, f_l, f_r, o, u = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
# -         c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
# +         z = self.gates(torch.cat([h_l, h_r], dim=1))
# +         i, f_l, f_r, o, u = z.chunk(5, dim=1)
# +         c = i.sigmoid() * u.tanh() + f_l * c_l + f_r * c_r


# %% TreeLSTMCell: the output gate second | output_gate_second
# -         i, f_l, f_r, o, u = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
# +         z = self.gates(torch.cat([h_l, h_r], dim=1))
# +         i, o, f_l, f_r, u = z.chunk(5, dim=1)


# %% TreeLSTMCell: sigmoid everywhere | update_is_a_gate
# -         c = i.sigmoid() * u.tanh()
# +         c = i.sigmoid() * u.sigmoid()
# ...
# -         i, f_l, f_r, o, u = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
# -         c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
# +         z = self.gates(torch.cat([h_l, h_r], dim=1))
# +         i, f_l, f_r, o, u = z.chunk(5, dim=1)
# +         c = i.sigmoid() * u.sigmoid() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r


# %% TreeLSTMCell: gates that see the memories | gates_from_memories
# -         i, f_l, f_r, o, u = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
# +         z = self.gates(torch.cat([c_l, c_r], dim=1))
# +         i, f_l, f_r, o, u = z.chunk(5, dim=1)


# %% TreeClassifier: range without its end | stops_too_early
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = (cell or TreeLSTMCell)(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        h, c = self.cell.leaf(self.dropout(self.embedding(words[height == 0])))
        for k in range(1, height.max()):
            l, r = left[height == k], right[height == k]
            more = self.cell((h[l], c[l]), (h[r], c[r]))
            h, c = torch.cat([h, more[0]]), torch.cat([c, more[1]])
        return self.output(self.dropout(h))


# %% TreeClassifier: the dropout only at the end | no_dropout_of_words
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = (cell or TreeLSTMCell)(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        h, c = self.cell.leaf(self.embedding(words[height == 0]))
        for k in range(1, int(height.max()) + 1):
            l, r = left[height == k], right[height == k]
            more = self.cell((h[l], c[l]), (h[r], c[r]))
            h, c = torch.cat([h, more[0]]), torch.cat([c, more[1]])
        return self.output(self.dropout(h))


# %% TreeClassifier: states in place of memories | states_for_memories
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = (cell or TreeLSTMCell)(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        h, c = self.cell.leaf(self.dropout(self.embedding(words[height == 0])))
        for k in range(1, int(height.max()) + 1):
            l, r = left[height == k], right[height == k]
            more = self.cell((h[l], h[l]), (h[r], h[r]))
            h, c = torch.cat([h, more[0]]), torch.cat([c, more[1]])
        return self.output(self.dropout(h))


# %% TreeClassifier: dropout at every height | dropout_inside_the_tree
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = (cell or TreeLSTMCell)(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        h, c = self.cell.leaf(self.dropout(self.embedding(words[height == 0])))
        for k in range(1, int(height.max()) + 1):
            l, r = left[height == k], right[height == k]
            more = self.cell((h[l], c[l]), (h[r], c[r]))
            h, c = torch.cat([h, self.dropout(more[0])]), torch.cat([c, more[1]])
        return self.output(self.dropout(h))


# %% TreeClassifier: every node a leaf first | leaves_for_all_nodes
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = (cell or TreeLSTMCell)(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        h, c = self.cell.leaf(self.dropout(self.embedding(words)))
        for k in range(1, int(height.max()) + 1):
            l, r = left[height == k], right[height == k]
            more = self.cell((h[l], c[l]), (h[r], c[r]))
            h, c = torch.cat([h, more[0]]), torch.cat([c, more[1]])
        return self.output(self.dropout(h))


# %% pair_features: no absolute value | signed_difference
def pair_features(u, v):
    return torch.cat((u, v, torch.sub(u, v), torch.mul(u, v)), dim=1)


# %% pair_features: the product before the difference | product_first
def pair_features(u, v):
    return torch.hstack([u, v, u * v, torch.abs(u - v)])


# %% pair_features: absolute values first | difference_of_absolute_values
def pair_features(u, v):
    return torch.cat([u, v, u.abs() - v.abs(), u * v], dim=1)


# %% pearson_correlation: the cosine of the numbers as they are | not_centered
def pearson_correlation(x, y):
    x, y = x.double(), y.double()
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return 0.0
    return float((x * y).sum() / ((x**2).sum() * (y**2).sum()).sqrt())


# %% pearson_correlation: std divides by n - 1, the mean by n | two_kinds_of_deviation
# -     x, y = x - x.mean(), y - y.mean()
# -     return (x @ y / (x.norm() * y.norm())).item()
# +     covariance = ((x - x.mean()) * (y - y.mean())).mean()
# +     return (covariance / (x.std() * y.std())).item()


# %% pearson_correlation: single precision before the means | single_precision
def pearson_correlation(x, y):
    x, y = x.float(), y.float()
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    x, y = x.double(), y.double()
    return (x @ y / (x.norm() * y.norm())).item()


# %% pearson_correlation: no square roots | root_forgotten
# edits: cosine similarity
# -     return F.cosine_similarity(x - x.mean(), y - y.mean(), dim=0, eps=0.0).item()
# +     x, y = x - x.mean(), y - y.mean()
# +     return (x @ y / (x.square().sum() * y.square().sum())).item()


# %% multiclass_loss: the labels as an index of the columns | scores_of_all_labels
def multiclass_loss(scores, labels):
    return (torch.logsumexp(scores, dim=1) - scores[:, labels]).mean()


# %% multiclass_loss: the sum over the batch | sum_over_batch
def multiclass_loss(scores, labels):
    m = scores.max(dim=1, keepdim=True).values
    lse = m.squeeze(1) + (scores - m).exp().sum(dim=1).log()
    return (lse - scores[torch.arange(len(labels)), labels]).sum()


# %% multiclass_loss: adds 1e-8 to the probability | adds_1e_8
def multiclass_loss(scores, labels):
    e = torch.exp(scores - scores.amax(dim=1, keepdim=True))
    P = e / e.sum(dim=1, keepdim=True)
    p = P.gather(1, labels.unsqueeze(1)).squeeze(1)
    return -torch.log(p + 1e-8).mean()


# %% last_state: positions times the mask, and nothing else | empty_text_gets_a_state
def last_state(H, mask):
    B, L, D = H.shape
    positions = torch.arange(L) * mask
    return H[torch.arange(B), positions.max(dim=1).values]


# %% ngram_windows: pads in front | zeros_in_front
def ngram_windows(X, n):
    if n < 1:
        raise ValueError("n")
    return F.pad(X, (0, 0, n - 1, 0)).unfold(1, n, 1).transpose(2, 3).flatten(2)


# %% ngram_windows: stacks on axis 1 | stacked_before_the_positions
def ngram_windows(X, n):
    B, L, d = X.shape
    padded = F.pad(X, (0, 0, 0, n - 1))
    shifted = torch.stack([padded[:, k : k + L] for k in range(n)], dim=1)
    return shifted.reshape(B, L, n * d)


# %% TextCNN: only empty texts are masked | padding_wins_but_in_empty_texts
# -         X = X.masked_fill(~mask.unsqueeze(-1), 0.0)
# +         X = X * mask.unsqueeze(-1)
# ...
# -             responses = torch.relu(layer(ngram_windows(X, n)))  # (B, L, m)
# -             found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
# -         return torch.cat(found, dim=1)
# +             found.append(layer(ngram_windows(X, n)).relu().max(dim=1).values)
# +         return torch.cat(found, dim=1) * mask.any(dim=1, keepdim=True)


# %% self_attention_pool: similar means cosine | cosines
def self_attention_pool(X, mask):
    X = X * mask.unsqueeze(-1)
    unit = X / X.norm(dim=-1, keepdim=True).clamp(min=1e-12)
    r = (unit @ unit.transpose(1, 2)).sum(dim=-1)
    a = masked_softmax(r, mask)
    return (a.unsqueeze(-1) * X).sum(dim=1)


# %% self_attention_pool: the mean of the text | mean_of_dot_products
# -     X = X.masked_fill(~mask.unsqueeze(-1), 0.0)
# -     r = (X @ X.sum(dim=1).unsqueeze(-1)).squeeze(-1)  # (B, L)
# +     r = (X @ mean_pool(X, mask).unsqueeze(-1)).squeeze(-1)


# %% StructuredSelfAttention: the last axis is that of the heads | softmax_over_heads
# -         return masked_softmax(r.transpose(1, 2), mask.unsqueeze(1))
# +         a = r.softmax(dim=-1) * mask.unsqueeze(-1)
# +         return a.transpose(1, 2)
# ...
# -         excess = A @ A.transpose(1, 2) - torch.eye(A.shape[1], dtype=A.dtype, device=A.device)
# +         excess = A @ A.transpose(1, 2) - torch.eye(A.shape[1])


# %% RecursiveNetwork: right, then left | children_swapped
# -         children = torch.cat([self.vector(tree[1]), self.vector(tree[2])])
# -         return torch.tanh(self.W(children))
# +         children, left, right = tree
# +         return torch.tanh(self.W(torch.cat([self.vector(right), self.vector(left)])))
# ...
# -         return self.output(torch.stack([self.vector(tree) for tree in trees]))
# +         return self.output(torch.stack([self.vector(t) for t in trees]))


# %% TreeLSTMCell: the sigmoid of all five | node_update_is_a_gate
class TreeLSTMCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.leaf_gates = nn.Linear(dim, 3 * hidden)
        self.gates = nn.Linear(2 * hidden, 5 * hidden)

    def leaf(self, X):
        i, o, u = self.leaf_gates(X).chunk(3, dim=1)
        c = i.sigmoid() * u.tanh()
        return o.sigmoid() * c.tanh(), c

    def forward(self, left, right):
        gates = torch.sigmoid(self.gates(torch.cat([left[0], right[0]], dim=1)))
        i, fl, fr, o, u = gates.chunk(5, dim=1)
        c = i * u + fl * left[1] + fr * right[1]
        return o * c.tanh(), c


# %% TreeLSTMCell: forget gates plus 1 | one_added_to_the_forget_gates
# edits: tensor_split
# -         memory = memory + torch.sigmoid(f_l) * left[1] + torch.sigmoid(f_r) * right[1]
# +         memory = memory + torch.sigmoid(f_l + 1) * left[1] + torch.sigmoid(f_r + 1) * right[1]


# %% TreeClassifier: dropout of words alone | no_dropout_of_states
# -         self.cell = (TreeLSTMCell if cell is None else cell)(dim, hidden)
# +         self.cell = (cell or TreeLSTMCell)(dim, hidden)
# ...
# -         X = self.dropout(self.embedding(words[height == 0]))
# -         h, c = self.cell.leaf(X)
# +         h, c = self.cell.leaf(self.dropout(self.embedding(words[height == 0])))
# ...
# -         return self.output(self.dropout(h))
# +         return self.output(h)


# %% pair_features: the product as a dot product | dot_product
def pair_features(u, v):
    return torch.cat([u, v, (u - v).abs(), (u * v).sum(dim=1, keepdim=True)], dim=1)


# %% pearson_correlation: the first number of none | fails_without_numbers
def pearson_correlation(x, y):
    x, y = x.double(), y.double()
    if torch.all(x == x[0]) or torch.all(y == y[0]):
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    return ((x * y).sum() / (x.square().sum() * y.square().sum()).sqrt()).item()


# %% last_state: gather without expand | one_component
def last_state(H, mask):
    pos = (torch.arange(H.shape[1]) * mask).amax(dim=1)
    h = H.gather(1, pos[:, None, None])[:, 0]
    return h.masked_fill(~mask.any(dim=1, keepdim=True), 0.0)


# %% last_state: positions for the second axis alone | positions_of_all_texts
def last_state(H, mask):
    pos = (torch.arange(H.shape[1]) * mask).amax(dim=1)
    return H[:, pos].masked_fill(~mask.any(dim=1)[:, None, None], 0.0)


# %% last_state: argmax of the flipped mask | empty_text_gets_the_last_position
def last_state(H, mask):
    B, L, _ = H.shape
    last = L - 1 - mask.flip(dims=[1]).int().argmax(dim=1)
    return H[torch.arange(B), last]


# %% BiLSTMEncoder: zeros in place of packing | reads_zeros_at_padding
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling not in ("last", "mean", "max"):
            raise ValueError(pooling)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.pooling = pooling
        self.size = 2 * hidden

    def forward(self, X, mask):
        H, _ = self.lstm(X * mask.unsqueeze(-1))
        if self.pooling == "mean":
            return mean_pool(H, mask)
        if self.pooling == "max":
            return max_pool(H, mask)
        f, b = H.chunk(2, dim=-1)
        return torch.cat([last_state(f, mask), b[:, 0] * mask[:, :1]], dim=1)


# %% BiLSTMEncoder: c_n for h_n | memories_for_states
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling not in ("last", "mean", "max"):
            raise ValueError(pooling)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.pooling = pooling
        self.size = 2 * hidden

    def forward(self, X, mask):
        lengths = mask.sum(dim=1).clamp(min=1).cpu()
        packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        out, (h, c) = self.lstm(packed)
        H, _ = pad_packed_sequence(out, batch_first=True, total_length=X.shape[1])
        if self.pooling == "mean":
            return mean_pool(H, mask)
        if self.pooling == "max":
            return max_pool(H, mask)
        return torch.cat([c[0], c[1]], dim=1) * mask.any(dim=1, keepdim=True)


# %% BiLSTMEncoder: texts in any order | expects_sorted_texts
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling not in ("last", "mean", "max"):
            raise ValueError(pooling)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.pooling = pooling
        self.size = 2 * hidden

    def forward(self, X, mask):
        lengths = mask.sum(dim=1).clamp(min=1).cpu()
        packed = pack_padded_sequence(X, lengths, batch_first=True)
        out, _ = self.lstm(packed)
        H, _ = pad_packed_sequence(out, batch_first=True, total_length=X.shape[1])
        if self.pooling == "mean":
            return mean_pool(H, mask)
        if self.pooling == "max":
            return max_pool(H, mask)
        f, b = H.chunk(2, dim=-1)
        return torch.cat([last_state(f, mask), b[:, 0] * mask[:, :1]], dim=1)


# %% BiLSTMEncoder: sorts and does not sort back | order_of_the_lengths
# edits: sorts the texts itself
# -         H = H[back]
# +         mask = mask[order]
# ...
# -         h = torch.cat((h_n[0], h_n[1]), dim=1)[back]
# +         h = torch.cat((h_n[0], h_n[1]), dim=1)


# %% TextCNN: no mask at all | ignores_the_mask
# -         X = X.masked_fill(~mask.unsqueeze(-1), 0.0)
# ...
# -             responses = torch.relu(layer(ngram_windows(X, n)))  # (B, L, m)
# -             found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
# +             found.append(layer(ngram_windows(X, n)).relu().max(dim=1).values)


# %% TextCNN: the sum over time | sum_over_time
# -         X = X.masked_fill(~mask.unsqueeze(-1), 0.0)
# +         X = X * mask.unsqueeze(-1)
# ...
# -             responses = torch.relu(layer(ngram_windows(X, n)))  # (B, L, m)
# -             found.append(responses.masked_fill(~mask.unsqueeze(-1), 0.0).amax(dim=1))
# +             responses = layer(ngram_windows(X, n)).relu() * mask.unsqueeze(-1)
# +             found.append(responses.sum(dim=1))


# %% self_attention_pool: a mean with weights | mean_of_weighted_vectors
def self_attention_pool(X, mask):
    X = X * mask.unsqueeze(-1)
    r = (X @ X.sum(dim=1, keepdim=True).transpose(1, 2)).squeeze(-1)
    a = masked_softmax(r, mask)
    return mean_pool(a.unsqueeze(-1) * X, mask)


# %% self_attention_pool: divides the scores by their sum | scores_as_weights
def self_attention_pool(X, mask):
    X = X * mask.unsqueeze(-1)
    r = (X @ X.sum(dim=1, keepdim=True).transpose(1, 2)).squeeze(-1)
    a = r / r.sum(dim=1, keepdim=True)
    return (a.unsqueeze(-1) * X).sum(dim=1)


# %% self_attention_pool: multiplies without adding up | weights_per_component
def self_attention_pool(X, mask):
    X = X * mask.unsqueeze(-1)
    r = X * X.sum(dim=1, keepdim=True)
    a = masked_softmax(r.transpose(1, 2), mask.unsqueeze(1)).transpose(1, 2)
    return (a * X).sum(dim=1)


# %% TreeClassifier: softmax at the end | returns_probabilities
# -         self.cell = (TreeLSTMCell if cell is None else cell)(dim, hidden)
# +         self.cell = (cell or TreeLSTMCell)(dim, hidden)
# ...
# -         X = self.dropout(self.embedding(words[height == 0]))
# -         h, c = self.cell.leaf(X)
# +         h, c = self.cell.leaf(self.dropout(self.embedding(words[height == 0])))
# ...
# -         return self.output(self.dropout(h))
# +         return self.output(self.dropout(h)).softmax(dim=1)


# %% TreeClassifier: F.dropout for the words | drops_words_in_evaluation
# edits: lists of heights
# -                 h, c = self.cell.leaf(self.dropout(self.embedding(words[rows])))
# +                 h, c = self.cell.leaf(F.dropout(self.embedding(words[rows]), self.dropout.p))


# %% TreeClassifier: the left memory for both children | memory_of_the_left_twice
# edits: lists of heights
# -                     (all_h[left[rows]], all_c[left[rows]]), (all_h[right[rows]], all_c[right[rows]])
# +                     (all_h[left[rows]], all_c[left[rows]]), (all_h[right[rows]], all_c[left[rows]])


# %% pair_features: the distance | one_distance
def pair_features(u, v):
    return torch.cat([u, v, (u - v).norm(dim=1, keepdim=True), u * v], dim=1)


# %% pair_features: u + v | sum_for_product
def pair_features(u, v):
    return torch.cat([u, v, (u - v).abs(), u + v], dim=1)


# %% pair_features: stacks on the last axis | alternating_parts
def pair_features(u, v):
    parts = torch.stack([u, v, torch.abs(u - v), u * v], dim=-1)
    return parts.flatten(1)


# %% pair_features: normalized product | product_of_directions
def pair_features(u, v):
    product = F.normalize(u, dim=1) * F.normalize(v, dim=1)
    return torch.cat([u, v, (u - v).abs(), product], dim=1)


# %% pearson_correlation: a lower limit for the denominator | small_denominator
def pearson_correlation(x, y):
    x, y = x.double(), y.double()
    if len(x) < 2:
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    return (x @ y / (x.norm() * y.norm()).clamp(min=1e-12)).item()


# %% pearson_correlation: the cosine of the library | small_deviation_is_constant
def pearson_correlation(x, y):
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    x, y = x.double(), y.double()
    return nn.functional.cosine_similarity(x - x.mean(), y - y.mean(), dim=0).item()


# %% pearson_correlation: a small deviation counts as constant | small_deviation_is_constant
def pearson_correlation(x, y):
    x, y = x.double(), y.double()
    if len(x) < 2 or x.std() < 1e-8 or y.std() < 1e-8:
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    return float((x * y).sum() / (x.norm() * y.norm()))


# %% TextCNN: max over filters | maximum_over_filters
class TextCNN(nn.Module):
    def __init__(self, dim, n_filters, widths=(3, 4, 5)):
        super().__init__()
        self.filters = nn.ModuleList([nn.Linear(n * dim, n_filters) for n in widths])
        self.widths = tuple(widths)
        self.size = n_filters * len(self.widths)

    def forward(self, X, mask):
        X = X.masked_fill(~mask[..., None], 0)
        out = []
        for n, f in zip(self.widths, self.filters):
            out.append(torch.relu(f(ngram_windows(X, n))).amax(dim=2))
        return torch.cat(out, dim=1)


# %% pearson_correlation: absolute value | absolute_value
def pearson_correlation(x, y):
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    x, y = x.double(), y.double()
    x, y = x - x.mean(), y - y.mean()
    return float((x @ y).abs() / (x.norm() * y.norm()))


# %% pearson_correlation: epsilon in the denominator | a_little_added_to_the_denominator
def pearson_correlation(x, y):
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    x, y = x.double(), y.double()
    x, y = x - x.mean(), y - y.mean()
    return float((x @ y) / (x.norm() * y.norm() + 1e-8))


# %% pearson_correlation: a constant y | forgets_constant_y
def pearson_correlation(x, y):
    x, y = x.double(), y.double()
    if len(x) < 2 or bool((x == x[0]).all()):
        return 0.0
    x = x - x.mean()
    y = y - y.mean()
    return (torch.dot(x, y) / torch.sqrt(x.dot(x) * y.dot(y))).item()


# %% pearson_correlation: computes in single precision | computes_in_single_precision
def pearson_correlation(x: torch.Tensor, y: torch.Tensor) -> float:
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    x, y = x.float(), y.float()
    x, y = x - x.mean(), y - y.mean()
    return ((x * y).sum() / (x.square().sum().sqrt() * y.square().sum().sqrt())).item()


# %% pearson_correlation: a deviation below 1e-12 is none | small_deviation_is_constant
def pearson_correlation(x, y):
    x, y = x.double(), y.double()
    if len(x) < 2 or x.std() < 1e-12 or y.std() < 1e-12:
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    return float((x * y).sum() / (x.norm() * y.norm()))
