# %% multiclass_loss: log-softmax by hand
def multiclass_loss(scores, labels):
    m = torch.max(scores, dim=1, keepdim=True)[0]
    log_p = scores - m - torch.log(torch.sum(torch.exp(scores - m), dim=1, keepdim=True))
    return -log_p[range(len(labels)), labels].mean()


# %% multiclass_loss: one-hot labels
def multiclass_loss(scores, labels):
    y = F.one_hot(labels, scores.shape[1]).to(scores.dtype)
    return -(y * F.log_softmax(scores, dim=1)).sum() / len(scores)


# %% multiclass_loss: nn.CrossEntropyLoss
def multiclass_loss(scores, labels):
    return nn.CrossEntropyLoss(reduction="mean")(scores, labels)


# %% last_state: argmax of positions
def last_state(H, mask):
    B, L, D = H.shape
    number = torch.arange(1, L + 1) * mask.long()
    last = number.argmax(dim=1)
    out = H[range(B), last]
    out[number.sum(dim=1) == 0] = 0
    return out


# %% last_state: fills a tensor
def last_state(H, mask):
    out = torch.zeros(H.shape[0], H.shape[2], dtype=H.dtype)
    for b in range(H.shape[0]):
        real = mask[b].nonzero().flatten()
        if real.numel() > 0:
            out[b] = H[b, real[-1]]
    return out


# %% BiLSTMEncoder: sorts the texts itself
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling not in ["last", "mean", "max"]:
            raise ValueError("pooling should be last, mean or max")
        self.lstm = nn.LSTM(dim, hidden, bidirectional=True, batch_first=True)
        self.pooling = pooling
        self.size = hidden + hidden

    def forward(self, X, mask):
        n = torch.clamp(mask.sum(dim=1), min=1)
        order = torch.argsort(n, descending=True)
        back = torch.argsort(order)
        packed = pack_padded_sequence(X[order], n[order].tolist(), batch_first=True)
        out, (h_n, c_n) = self.lstm(packed)
        H, _ = pad_packed_sequence(out, batch_first=True, total_length=X.size(1))
        H = H[back]
        if self.pooling == "mean":
            return mean_pool(H, mask)
        elif self.pooling == "max":
            return max_pool(H, mask)
        h = torch.cat((h_n[0], h_n[1]), dim=1)[back]
        return h.masked_fill(mask.sum(dim=1, keepdim=True) == 0, 0.0)


# %% ngram_windows: rolls and masks
def ngram_windows(X, n):
    if n < 1:
        raise ValueError(f"{n} is not a width")
    L = X.shape[1]
    parts = []
    for k in range(n):
        inside = (torch.arange(L) + k < L)[None, :, None]
        parts.append(torch.where(inside, X.roll(-k, dims=1), 0.0))
    return torch.cat(parts, dim=2)


# %% ngram_windows: unfold and movedim
def ngram_windows(X, n):
    if n < 1:
        raise ValueError("n < 1")
    zeros = torch.zeros(X.size(0), n - 1, X.size(2), dtype=X.dtype)
    windows = torch.cat((X, zeros), dim=1).unfold(dimension=1, size=n, step=1)
    return windows.movedim(-1, 2).reshape(X.size(0), X.size(1), n * X.size(2))


# %% TextCNN: width by width with einsum
class TextCNN(nn.Module):
    def __init__(self, dim, n_filters, widths=(3, 4, 5)):
        super().__init__()
        layers = []
        for width in widths:
            layers.append(nn.Linear(width * dim, n_filters))
        self.filters = nn.ModuleList(layers)
        self.widths = tuple(widths)
        self.size = len(layers) * n_filters

    def forward(self, X, mask):
        X = torch.where(mask.unsqueeze(2), X, torch.zeros_like(X))
        vectors = []
        for width, layer in zip(self.widths, self.filters):
            z = torch.einsum("blw,mw->blm", ngram_windows(X, width), layer.weight) + layer.bias
            z = z.clamp(min=0) * mask.unsqueeze(2)
            vectors.append(z.max(dim=1)[0])
        return torch.cat(vectors, dim=-1)


# %% self_attention_pool: loops over texts and words
def self_attention_pool(X, mask):
    out = []
    for x, m in zip(X, mask):
        words = x[m]
        scores = (
            torch.stack([sum(w @ other for other in words) for w in words])
            if len(words)
            else words.sum(1)
        )
        out.append((torch.softmax(scores, 0)[:, None] * words).sum(0))
    return torch.stack(out)


# %% StructuredSelfAttention: matrices as in the paper
class StructuredSelfAttention(nn.Module):
    def __init__(self, dim, hidden, n_heads):
        super().__init__()
        self.W_1 = nn.Linear(dim, hidden, False)
        self.W_2 = nn.Linear(hidden, n_heads, False)
        self.size = n_heads * dim

    def attention(self, X, mask):
        scores = self.W_2.weight @ torch.tanh(self.W_1.weight @ X.transpose(1, 2))
        return masked_softmax(scores, mask[:, None, :])

    def forward(self, X, mask):
        M = torch.matmul(self.attention(X, mask), X)
        return M.reshape(X.shape[0], self.size)

    def penalty(self, A):
        r = A.shape[1]
        total = 0.0
        for a in A:
            total = total + torch.sum((a @ a.t() - torch.eye(r)) ** 2)
        return total / A.shape[0]


# %% RecursiveNetwork: a helper for leaves
class RecursiveNetwork(nn.Module):
    def __init__(self, n_words, dim, n_classes):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.W = nn.Linear(2 * dim, dim)
        self.output = nn.Linear(dim, n_classes)

    def is_leaf(self, tree):
        return not isinstance(tree[1], tuple)

    def vector(self, tree):
        if self.is_leaf(tree):
            return self.embedding(torch.as_tensor(tree[1]))
        left, right = self.vector(tree[1]), self.vector(tree[2])
        return torch.tanh(F.linear(torch.cat((left, right)), self.W.weight, self.W.bias))

    def forward(self, trees):
        H = torch.stack([self.vector(tree) for tree in trees])
        return H @ self.output.weight.T + self.output.bias


# %% TreeLSTMCell: tensor_split
class TreeLSTMCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.leaf_gates = nn.Linear(dim, 3 * hidden)
        self.gates = nn.Linear(2 * hidden, 5 * hidden)

    def leaf(self, X):
        i, o, u = torch.tensor_split(self.leaf_gates(X), 3, dim=-1)
        memory = torch.sigmoid(i) * torch.tanh(u)
        return torch.sigmoid(o) * torch.tanh(memory), memory

    def forward(self, left, right):
        i, f_l, f_r, o, u = torch.tensor_split(
            self.gates(torch.cat([left[0], right[0]], dim=-1)), 5, dim=-1
        )
        memory = torch.sigmoid(i) * torch.tanh(u)
        memory = memory + torch.sigmoid(f_l) * left[1] + torch.sigmoid(f_r) * right[1]
        return torch.sigmoid(o) * torch.tanh(memory), memory


# %% TreeClassifier: lists of heights
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = TreeLSTMCell(dim, hidden) if cell is None else cell(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        hs, cs = [], []
        for k in torch.unique(height).tolist():
            rows = height == k
            if k == 0:
                h, c = self.cell.leaf(self.dropout(self.embedding(words[rows])))
            else:
                all_h, all_c = torch.cat(hs), torch.cat(cs)
                h, c = self.cell(
                    (all_h[left[rows]], all_c[left[rows]]), (all_h[right[rows]], all_c[right[rows]])
                )
            hs.append(h)
            cs.append(c)
        return self.output(self.dropout(torch.cat(hs)))


# %% pair_features: einsum for the product
def pair_features(u, v):
    difference = torch.maximum(u, v) - torch.minimum(u, v)
    return torch.cat((u, v, difference, torch.einsum("bd,bd->bd", u, v)), dim=1)


# %% pearson_correlation: standard scores
def pearson_correlation(x, y):
    x, y = x.to(torch.float64), y.to(torch.float64)
    if x.numel() < 2 or x.max() == x.min() or y.max() == y.min():
        return 0.0
    a = (x - x.mean()) / x.std(unbiased=False)
    b = (y - y.mean()) / y.std(unbiased=False)
    return float((a * b).mean())


# %% multiclass_loss: logsumexp minus gathered scores
def multiclass_loss(scores, labels):
    right = scores.gather(1, labels.unsqueeze(1)).squeeze(1)
    return (scores.logsumexp(dim=1) - right).mean()


# %% multiclass_loss: a loop over texts
def multiclass_loss(scores, labels):
    total = 0
    for row, label in zip(scores, labels):
        top = row.max()
        shifted = row - top
        total = total + torch.log(torch.exp(shifted).sum()) - shifted[label]
    return total / len(labels)


# %% multiclass_loss: einsum with an identity matrix
def multiclass_loss(scores, labels):
    B, C = scores.size()
    eye = torch.eye(C, dtype=scores.dtype)[labels]
    log_p = scores.log_softmax(-1)
    return -torch.einsum("bc,bc->", log_p, eye) / B


# %% multiclass_loss: a log-softmax written as a nested function, nll_loss
def multiclass_loss(scores, labels):
    def log_softmax(s):
        s = s - s.amax(dim=-1, keepdim=True)
        return s - s.exp().sum(dim=-1, keepdim=True).log()

    return F.nll_loss(log_softmax(scores), labels)


# %% multiclass_loss: differences to the label's score
def multiclass_loss(scores, labels):
    losses = []
    for b in range(scores.shape[0]):
        difference = scores[b] - scores[b, labels[b]]
        losses.append(torch.logsumexp(difference, 0))
    return torch.stack(losses).mean()


# %% last_state: a loop from the end
def last_state(H, mask):
    vectors = []
    for b in range(len(H)):
        vector = H.new_zeros(H.shape[2])
        for t in reversed(range(H.shape[1])):
            if mask[b, t]:
                vector = H[b, t]
                break
        vectors.append(vector)
    return torch.stack(vectors)


# %% last_state: gather with the flipped mask
def last_state(H, mask):
    B, L, D = H.shape
    last = L - 1 - mask.flip(1).int().argmax(1)
    index = last.view(B, 1, 1).expand(B, 1, D)
    picked = torch.gather(H, 1, index).squeeze(1)
    return picked.masked_fill(~mask.any(1, keepdim=True), 0)


# %% last_state: a running state
def last_state(H, mask):
    h = torch.zeros_like(H[:, 0])
    for t in range(H.shape[1]):
        h = torch.where(mask[:, t].unsqueeze(1), H[:, t], h)
    return h


# %% last_state: a mask with one True for each text
def last_state(H, mask):
    after = mask.flip(1).cumsum(1).flip(1)
    only = mask & (after == 1)
    return torch.where(only[..., None], H, torch.zeros((), dtype=H.dtype)).sum(dim=1)


# %% last_state: positions as NumPy numbers
def last_state(H, mask):
    import numpy as np

    out = H.new_zeros((H.shape[0], H.shape[2]))
    for b, row in enumerate(mask.numpy()):
        where = np.flatnonzero(row)
        if where.size:
            out[b] = H[b, int(where.max())]
    return out


# %% BiLSTMEncoder: text by text
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling not in {"last", "mean", "max"}:
            raise ValueError(f"unknown pooling {pooling!r}")
        self.pooling, self.size = pooling, 2 * hidden
        self.lstm = nn.LSTM(dim, hidden, num_layers=1, batch_first=True, bidirectional=True)

    def forward(self, X, mask):
        vectors = []
        for x, m in zip(X, mask):
            n = int(m.sum())
            if n == 0:
                vectors.append(X.new_zeros(self.size))
                continue
            H, (h, _) = self.lstm(x[:n].unsqueeze(0))
            if self.pooling == "last":
                vectors.append(h.flatten())
            elif self.pooling == "mean":
                vectors.append(H[0].mean(0))
            else:
                vectors.append(H[0].max(0).values)
        return torch.stack(vectors)


# %% BiLSTMEncoder: the states picked from H
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling != "last" and pooling != "mean" and pooling != "max":
            raise ValueError("Pooling is last, mean or max.")
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.pooling = pooling
        self.hidden = hidden
        self.size = 2 * hidden

    def forward(self, X, mask):
        lengths = mask.sum(dim=1).clamp(min=1).cpu()
        packed = pack_padded_sequence(X, lengths, batch_first=True, enforce_sorted=False)
        H, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=mask.shape[1]
        )
        if self.pooling == "last":
            forward, backward = H[:, :, : self.hidden], H[:, 0, self.hidden :]
            backward = backward * mask[:, :1]
            return torch.cat([last_state(forward, mask), backward], dim=1)
        return {"mean": mean_pool, "max": max_pool}[self.pooling](H, mask)


# %% BiLSTMEncoder: the final states, hstack
class BiLSTMEncoder(nn.Module):
    POOLINGS = ("last", "mean", "max")

    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        if pooling not in self.POOLINGS:
            raise ValueError("pooling must be one of " + ", ".join(self.POOLINGS))
        self.lstm = nn.LSTM(
            input_size=dim, hidden_size=hidden, batch_first=True, bidirectional=True
        )
        self.pooling = pooling
        self.size = self.lstm.hidden_size * 2

    def forward(self, X, mask):
        B, L, _ = X.shape
        n = mask.long().sum(1)
        empty = n == 0
        n = torch.where(empty, 1, n).tolist()
        packed = pack_padded_sequence(X, n, True, False)
        out, (h_n, _) = self.lstm(packed)
        H = pad_packed_sequence(out, batch_first=True, total_length=L)[0]
        if self.pooling == "last":
            v = torch.hstack(list(h_n))
        elif self.pooling == "mean":
            v = (H * mask[..., None]).sum(1) / torch.tensor(n)[:, None]
        else:
            v = H.masked_fill(~mask[..., None], -torch.inf).amax(1)
        v = torch.where(empty[:, None], torch.zeros(B, self.size), v)
        return v


# %% ngram_windows: new zeros filled by slices
def ngram_windows(X, n):
    if n < 1:
        raise ValueError("n has to be at least 1")
    B, L, d = X.shape
    out = X.new_zeros(B, L, n * d)
    for k in range(min(n, L)):
        out[:, : L - k, k * d : (k + 1) * d] = X[:, k:]
    return out


# %% ngram_windows: F.pad and concatenated slices
def ngram_windows(X, n):
    if n <= 0:
        raise ValueError(f"windows of width {n}?")
    L = X.size(1)
    padded = F.pad(X, (0, 0, 0, n - 1))
    return torch.cat([padded[:, k : k + L] for k in range(n)], dim=-1)


# %% ngram_windows: an index table
def ngram_windows(X, n):
    if n < 1:
        raise ValueError("the width must be positive")
    B, L, d = X.shape
    X = torch.cat([X, torch.zeros(B, n, d, dtype=X.dtype)], 1)
    index = torch.arange(L)[:, None] + torch.arange(n)[None, :]
    return X[:, index].flatten(2)


# %% ngram_windows: three loops
def ngram_windows(X, n):
    if not n >= 1:
        raise ValueError("n >= 1, please")
    zero = torch.zeros(X.shape[2], dtype=X.dtype)
    texts = []
    for text in X:
        windows = []
        for begin in range(len(text)):
            parts = []
            for i in range(begin, begin + n):
                parts.append(text[i] if i < len(text) else zero)
            windows.append(torch.cat(parts))
        texts.append(torch.stack(windows))
    return torch.stack(texts)


# %% ngram_windows: recursion over the width
def ngram_windows(X, n):
    if n < 1:
        raise ValueError("n")
    if n == 1:
        return X.clone()
    moved = torch.zeros_like(X)
    moved[:, :-1] = X[:, 1:]
    return torch.cat((X, ngram_windows(moved, n - 1)), 2)


# %% TextCNN: conv1d with the weights of the layers
class TextCNN(nn.Module):
    def __init__(self, dim, n_filters, widths=(3, 4, 5)):
        super().__init__()
        self.dim = dim
        self.widths = tuple(widths)
        self.filters = nn.ModuleList([nn.Linear(n * dim, n_filters) for n in self.widths])
        self.size = n_filters * len(self.widths)

    def forward(self, X, mask):
        X = (X * mask.unsqueeze(-1)).transpose(1, 2)
        parts = []
        for n, layer in zip(self.widths, self.filters):
            kernel = layer.weight.view(-1, n, self.dim).transpose(1, 2)
            z = F.relu(F.conv1d(F.pad(X, (0, n - 1)), kernel, layer.bias))
            parts.append(F.adaptive_max_pool1d(z * mask.unsqueeze(1), 1).squeeze(2))
        return torch.cat(parts, dim=1)


# %% TextCNN: minus infinity before the maximum, relu after it
class TextCNN(nn.Module):
    def __init__(self, dim, n_filters, widths=(3, 4, 5)):
        super().__init__()
        self.filters = nn.ModuleList()
        for n in widths:
            self.filters.append(nn.Linear(in_features=n * dim, out_features=n_filters))
        self.widths = (*widths,)
        self.size = sum(layer.out_features for layer in self.filters)

    def forward(self, X, mask):
        X = X.masked_fill(~mask[:, :, None], 0.0)
        out = []
        for i in range(len(self.widths)):
            z = self.filters[i](ngram_windows(X, self.widths[i]))
            z = z.masked_fill(~mask[:, :, None], float("-inf"))
            out.append(torch.relu(z.max(dim=1).values))
        return torch.hstack(out)


# %% TextCNN: text by text, only the real windows
class TextCNN(nn.Module):
    def __init__(self, dim, n_filters, widths=(3, 4, 5)):
        super().__init__()
        self.widths = tuple(int(n) for n in widths)
        self.filters = nn.ModuleList(nn.Linear(n * dim, n_filters) for n in self.widths)
        self.size = len(self.widths) * n_filters

    def encode(self, x):
        if len(x) == 0:
            return torch.zeros(self.size)
        vectors = []
        for n, layer in zip(self.widths, self.filters):
            responses = layer(ngram_windows(x[None], n)[0]).relu()
            vectors.append(responses.amax(dim=0))
        return torch.cat(vectors)

    def forward(self, X, mask):
        return torch.stack([self.encode(X[b, mask[b]]) for b in range(X.size(0))])


# %% TextCNN: a running maximum over the positions, max_pool of 03
class TextCNN(nn.Module):
    def __init__(self, dim, n_filters, widths=(3, 4, 5)):
        nn.Module.__init__(self)
        layers = {n: nn.Linear(n * dim, n_filters) for n in widths}
        self.filters = nn.ModuleList(layers.values())
        self.widths = tuple(layers)
        self.size = n_filters * len(layers)

    def forward(self, X, mask):
        zeroed = torch.where(mask[..., None], X, 0.0)
        maxima = [
            max_pool(layer(ngram_windows(zeroed, n)).relu(), mask)
            for n, layer in zip(self.widths, self.filters)
        ]
        return torch.cat(maxima, -1)


# %% self_attention_pool: the matrix of all dot products
def self_attention_pool(X, mask):
    X = X * mask.unsqueeze(-1)
    scores = (X @ X.transpose(1, 2)).sum(dim=2)
    weights = masked_softmax(scores, mask)
    return (weights.unsqueeze(2) * X).sum(dim=1)


# %% self_attention_pool: einsum throughout
def self_attention_pool(X, mask):
    total = torch.einsum("bld,bl->bd", X, mask.to(X.dtype))
    a = masked_softmax(torch.einsum("bld,bd->bl", X, total), mask)
    return torch.einsum("bl,bld->bd", a, X)


# %% self_attention_pool: bmm
def self_attention_pool(X, mask):
    zeroed = X.masked_fill(~mask[..., None], 0)
    s = zeroed.sum(1, keepdim=True)
    scores = torch.bmm(zeroed, s.transpose(1, 2)).squeeze(2)
    return torch.bmm(masked_softmax(scores, mask).unsqueeze(1), zeroed).squeeze(1)


# %% self_attention_pool: one text at a time, an if for the empty one
def self_attention_pool(X, mask):
    vectors = []
    for x, m in zip(X, mask):
        x = x[m]
        if x.shape[0] == 0:
            vectors.append(torch.zeros(X.shape[2], dtype=X.dtype))
        else:
            a = (x @ x.sum(0)).softmax(0)
            vectors.append(a @ x)
    return torch.stack(vectors)


# %% self_attention_pool: exponentials by hand, nan_to_num
def self_attention_pool(X, mask):
    X = torch.where(mask.unsqueeze(2), X, torch.zeros_like(X))
    scores = torch.matmul(X, X.sum(dim=1).unsqueeze(2)).squeeze(2)
    scores[~mask] = -float("inf")
    e = torch.exp(scores - scores.max(dim=1, keepdim=True).values)
    a = torch.nan_to_num(e / e.sum(dim=1, keepdim=True))
    return torch.sum(a[:, :, None] * X, dim=1)


# %% StructuredSelfAttention: einsum and a Frobenius norm
class StructuredSelfAttention(nn.Module):
    def __init__(self, dim, hidden, n_heads):
        super().__init__()
        self.W_1 = nn.Linear(dim, hidden, bias=False)
        self.W_2 = nn.Linear(hidden, n_heads, bias=False)
        self.size = n_heads * dim

    def attention(self, X, mask):
        scores = self.W_2(torch.tanh(self.W_1(X)))
        return masked_softmax(scores.permute(0, 2, 1), mask.unsqueeze(1))

    def forward(self, X, mask):
        return torch.einsum("brl,bld->brd", self.attention(X, mask), X).flatten(1)

    def penalty(self, A):
        G = torch.einsum("bil,bjl->bij", A, A) - torch.eye(A.shape[1])
        return (torch.linalg.vector_norm(G.flatten(1), dim=1) ** 2).mean()


# %% StructuredSelfAttention: minus infinity, nan_to_num, bmm
class StructuredSelfAttention(nn.Module):
    def __init__(self, dim, hidden, n_heads):
        super().__init__()
        self.W_1 = nn.Linear(dim, hidden, bias=False)
        self.W_2 = nn.Linear(hidden, n_heads, bias=False)
        self.n_heads = n_heads
        self.size = dim * n_heads

    def attention(self, X, mask):
        scores = self.W_2(self.W_1(X).tanh())
        scores = scores.masked_fill(mask.logical_not().unsqueeze(-1), -torch.inf)
        return scores.softmax(dim=1).nan_to_num(0.0).transpose(1, 2)

    def forward(self, X, mask):
        A = self.attention(X, mask)
        M = torch.bmm(A, X)
        return torch.cat([M[:, i] for i in range(self.n_heads)], dim=1)

    def penalty(self, A):
        AAT = torch.bmm(A, A.transpose(1, 2))
        I = torch.eye(A.size(1)).unsqueeze(0).expand(A.size(0), -1, -1)  # noqa: E741
        return F.mse_loss(AAT, I, reduction="sum") / A.size(0)


# %% StructuredSelfAttention: head by head
class StructuredSelfAttention(nn.Module):
    def __init__(self, dim, hidden, n_heads):
        super().__init__()
        self.W_1, self.W_2 = nn.Linear(dim, hidden, False), nn.Linear(hidden, n_heads, False)
        self.size = n_heads * dim

    def attention(self, X, mask):
        inner = torch.tanh(X @ self.W_1.weight.T)
        rows = [masked_softmax(inner @ w, mask) for w in self.W_2.weight]
        return torch.stack(rows, dim=1)

    def forward(self, X, mask):
        heads = self.attention(X, mask).unbind(dim=1)
        return torch.cat([(a.unsqueeze(2) * X).sum(dim=1) for a in heads], dim=1)

    def penalty(self, A):
        total = 0.0
        for i in range(A.shape[1]):
            for j in range(A.shape[1]):
                product = (A[:, i] * A[:, j]).sum(dim=1)
                total = total + (product - (1.0 if i == j else 0.0)) ** 2
        return total.mean()


# %% RecursiveNetwork: len of the tree, hstack
class RecursiveNetwork(nn.Module):
    def __init__(self, n_words, dim, n_classes):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.W = nn.Linear(2 * dim, dim, bias=True)
        self.output = nn.Linear(dim, n_classes)

    def vector(self, tree):
        if len(tree) == 2:
            return self.embedding.weight[tree[1]]
        _, left, right = tree
        return self.W(torch.hstack([self.vector(left), self.vector(right)])).tanh()

    def forward(self, trees):
        return torch.stack([self.output(self.vector(tree)) for tree in trees])


# %% RecursiveNetwork: match, two halves of the matrix
class RecursiveNetwork(nn.Module):
    def __init__(self, n_words, dim, n_classes):
        super().__init__()
        self.dim = dim
        self.embedding = nn.Embedding(n_words, dim)
        self.W = nn.Linear(dim * 2, dim)
        self.output = nn.Linear(dim, n_classes)

    def vector(self, tree):
        match tree:
            case (_, left, right):
                W_l, W_r = self.W.weight[:, : self.dim], self.W.weight[:, self.dim :]
                return torch.tanh(W_l @ self.vector(left) + W_r @ self.vector(right) + self.W.bias)
            case (_, word):
                return self.embedding(torch.tensor([word]))[0]

    def forward(self, trees):
        vectors = torch.cat([self.vector(tree).unsqueeze(0) for tree in trees])
        return self.output(vectors)


# %% RecursiveNetwork: a stack instead of recursion
class RecursiveNetwork(nn.Module):
    def __init__(self, n_words, dim, n_classes):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.W = nn.Linear(2 * dim, dim)
        self.output = nn.Linear(dim, n_classes)

    def vector(self, tree):
        todo, done = [(tree, False)], []
        while todo:
            node, children_done = todo.pop()
            if len(node) == 2:
                done.append(self.embedding(torch.tensor(node[1])))
            elif children_done:
                right, left = done.pop(), done.pop()
                done.append(torch.tanh(self.W(torch.cat([left, right], dim=0))))
            else:
                todo += [(node, True), (node[2], False), (node[1], False)]
        return done[0]

    def forward(self, trees):
        rows = map(self.vector, trees)
        return F.linear(torch.vstack(list(rows)), self.output.weight, self.output.bias)


# %% TreeLSTMCell: chunk and a helper
class TreeLSTMCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.leaf_gates = nn.Linear(dim, 3 * hidden)
        self.gates = nn.Linear(2 * hidden, 5 * hidden)

    @staticmethod
    def close(o, c):
        return o.sigmoid() * c.tanh(), c

    def leaf(self, X):
        i, o, u = self.leaf_gates(X).chunk(3, dim=1)
        return self.close(o, i.sigmoid() * u.tanh())

    def forward(self, left, right):
        (h_l, c_l), (h_r, c_r) = left, right
        i, f_l, f_r, o, u = self.gates(torch.cat([h_l, h_r], dim=1)).chunk(5, dim=1)
        c = i.sigmoid() * u.tanh() + f_l.sigmoid() * c_l + f_r.sigmoid() * c_r
        return self.close(o, c)


# %% TreeLSTMCell: slices, the sigmoid of all gates at once
class TreeLSTMCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.D = hidden
        self.leaf_gates = nn.Linear(dim, hidden * 3)
        self.gates = nn.Linear(hidden * 2, hidden * 5)

    def leaf(self, X):
        D = self.D
        z = self.leaf_gates(X)
        gates, u = torch.sigmoid(z[:, : 2 * D]), torch.tanh(z[:, 2 * D :])
        c = gates[:, :D] * u
        h = gates[:, D : 2 * D] * torch.tanh(c)
        return h, c

    def forward(self, left, right):
        D = self.D
        z = self.gates(torch.hstack((left[0], right[0])))
        gates, u = torch.sigmoid(z[:, : 4 * D]), torch.tanh(z[:, 4 * D :])
        c = gates[:, :D] * u
        c += gates[:, D : 2 * D] * left[1]
        c += gates[:, 2 * D : 3 * D] * right[1]
        h = gates[:, 3 * D :] * torch.tanh(c)
        return h, c


# %% TreeLSTMCell: both children in one tensor, einsum
class TreeLSTMCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.hidden = hidden
        self.leaf_gates = nn.Linear(dim, 3 * hidden)
        self.gates = nn.Linear(2 * hidden, 5 * hidden)

    def leaf(self, X):
        z = self.leaf_gates(X).view(len(X), 3, self.hidden)
        c = F.sigmoid(z[:, 0]) * F.tanh(z[:, 2])
        return F.sigmoid(z[:, 1]) * F.tanh(c), c

    def forward(self, left, right):
        h = torch.stack([left[0], right[0]], dim=1).flatten(1)
        C = torch.stack([left[1], right[1]], dim=1)
        z = self.gates(h).unflatten(1, (5, self.hidden))
        c = F.sigmoid(z[:, 0]) * F.tanh(z[:, 4])
        c = c + torch.einsum("nkd,nkd->nd", F.sigmoid(z[:, 1:3]), C)
        return F.sigmoid(z[:, 3]) * F.tanh(c), c


# %% TreeClassifier: a tensor for all states, filled height by height
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = (cell or TreeLSTMCell)(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        leaves = height == 0
        h, c = self.cell.leaf(self.dropout(self.embedding(words[leaves])))
        for k in range(1, int(height.max()) + 1):
            level = (height == k).nonzero().flatten()
            new_h, new_c = self.cell(
                (h[left[level]], c[left[level]]), (h[right[level]], c[right[level]])
            )
            h, c = torch.cat([h, new_h]), torch.cat([c, new_c])
        return self.output(self.dropout(h))


# %% TreeClassifier: split by the number of nodes of each height
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        if cell is None:
            cell = TreeLSTMCell
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = cell(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, words, left, right, height):
        sizes = torch.bincount(height).tolist()
        n = sizes[0]
        X = self.embedding(words[:n])
        h, c = self.cell.leaf(self.dropout(X))
        for size in sizes[1:]:
            a, b = left[n : n + size], right[n : n + size]
            pair = self.cell((h[a], c[a]), (h[b], c[b]))
            h = torch.vstack((h, pair[0]))
            c = torch.vstack((c, pair[1]))
            n += size
        return self.output(self.dropout(h))


# %% TreeClassifier: node by node
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = TreeLSTMCell(dim, hidden) if cell is None else cell(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        states = {}
        for i in range(len(words)):
            if height[i] == 0:
                x = self.dropout(self.embedding(words[i : i + 1]))
                states[i] = self.cell.leaf(x)
            else:
                states[i] = self.cell(states[left[i].item()], states[right[i].item()])
        H = torch.cat([states[i][0] for i in range(len(words))])
        return self.output(self.dropout(H))


# %% TreeClassifier: index_put into zeros
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = TreeLSTMCell(dim, hidden) if not cell else cell(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        N = words.shape[0]
        ids = torch.where(height == 0)[0]
        leaf_h, leaf_c = self.cell.leaf(self.dropout(self.embedding(words.index_select(0, ids))))
        h = leaf_h.new_zeros(N, leaf_h.shape[1]).index_put((ids,), leaf_h)
        c = leaf_c.new_zeros(N, leaf_c.shape[1]).index_put((ids,), leaf_c)
        level = 1
        while (height == level).any():
            ids = torch.where(height == level)[0]
            l, r = left[ids], right[ids]  # noqa: E741
            new_h, new_c = self.cell((h[l], c[l]), (h[r], c[r]))
            h = h.index_put((ids,), new_h)
            c = c.index_put((ids,), new_c)
            level += 1
        return self.output(self.dropout(h))


# %% pair_features: hstack
def pair_features(u, v):
    return torch.hstack([u, v, torch.abs(u - v), u * v])


# %% pair_features: stack and flatten
def pair_features(u, v):
    return torch.stack((u, v, (u - v).abs(), u.mul(v)), dim=1).flatten(start_dim=1)


# %% pair_features: pair by pair
def pair_features(u, v):
    rows = []
    for a, b in zip(u, v):
        rows.append(torch.cat([a, b, abs(a - b), a * b]))
    return torch.stack(rows)


# %% pair_features: new zeros filled by blocks
def pair_features(u, v):
    B, D = u.shape
    out = torch.zeros(B, 4 * D, dtype=u.dtype)
    out[:, :D] = u
    out[:, D : 2 * D] = v
    out[:, 2 * D : 3 * D] = torch.where(u > v, u - v, v - u)
    out[:, 3 * D :] = u * v
    return out


# %% pair_features: relu in both directions
def pair_features(u, v):
    difference = F.relu(u - v) + F.relu(v - u)
    return torch.concat([u, v, difference, torch.multiply(u, v)], axis=-1)


# %% pearson_correlation: cosine similarity
def pearson_correlation(x, y):
    x, y = x.double(), y.double()
    if len(x) < 2 or (x == x[0]).all() or (y == y[0]).all():
        return 0.0
    return F.cosine_similarity(x - x.mean(), y - y.mean(), dim=0, eps=0.0).item()


# %% pearson_correlation: corrcoef of torch
def pearson_correlation(x, y):
    if x.numel() < 2 or len(x.unique()) == 1 or len(y.unique()) == 1:
        return 0.0
    return torch.corrcoef(torch.stack([x.double(), y.double()]))[0, 1].item()


# %% pearson_correlation: corrcoef of NumPy
def pearson_correlation(x, y):
    import numpy as np

    x = x.numpy().astype(np.float64)
    y = y.numpy().astype(np.float64)
    if len(x) < 2 or x.min() == x.max() or y.min() == y.max():
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


# %% pearson_correlation: the module statistics
def pearson_correlation(x, y):
    import statistics

    x, y = x.double().tolist(), y.double().tolist()
    if len(x) < 2 or min(x) == max(x) or min(y) == max(y):
        return 0.0
    return statistics.correlation(x, y)


# %% pearson_correlation: sums over lists
def pearson_correlation(x, y):
    x = [float(a) for a in x.tolist()]
    y = [float(b) for b in y.tolist()]
    if len(set(x)) < 2 or len(set(y)) < 2:
        return 0
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
    below_x = sum((a - mean_x) ** 2 for a in x) ** 0.5
    below_y = sum((b - mean_y) ** 2 for b in y) ** 0.5
    return above / (below_x * below_y)


# %% pearson_correlation: norms and a dot product
def pearson_correlation(x, y):
    x = x.type(torch.DoubleTensor)
    y = y.type(torch.DoubleTensor)
    n = x.shape[0]
    if n <= 1 or torch.all(x == x[0]) or torch.all(y == y[0]):
        return 0.0
    x = x - x.sum() / n
    y = y - y.sum() / n
    r = torch.dot(x / x.norm(), y / y.norm())
    return float(r.clamp(-1, 1))


# %% last_state: texts of equal last position together
def last_state(H, mask):
    out = torch.zeros_like(H[:, 0, :])
    last = (mask * torch.arange(H.shape[1])).amax(dim=1)
    for t in last.unique():
        rows = (last == t) & mask[:, t]
        out[rows] = H[rows, t]
    return out


# %% last_state: a dictionary of positions
def last_state(H, mask):
    positions = {}
    for b, t in mask.nonzero().tolist():
        positions[b] = t
    zero = H.new_zeros(H.size(2))
    return torch.stack([H[b, positions[b]] if b in positions else zero for b in range(H.size(0))])


# %% BiLSTMEncoder: a dictionary of functions
class BiLSTMEncoder(nn.Module):
    def __init__(self, dim, hidden, pooling="last"):
        super().__init__()
        self.pooling = pooling
        self.size = 2 * hidden
        self.lstm = nn.LSTM(dim, hidden, bidirectional=True, batch_first=True)
        functions = {"last": self.last, "mean": self.mean, "max": self.max}
        try:
            self.function = functions[pooling]
        except KeyError as error:
            raise ValueError(f"{pooling} is none of {list(functions)}") from error

    def last(self, H, h, mask):
        final = h.transpose(0, 1).reshape(len(mask), -1)
        return final * mask.any(dim=1, keepdim=True)

    def mean(self, H, h, mask):
        return mean_pool(H, mask)

    def max(self, H, h, mask):
        return max_pool(H, mask)

    def forward(self, X, mask):
        n = mask.sum(-1)
        n[n == 0] = 1
        packed = pack_padded_sequence(X, n, batch_first=True, enforce_sorted=False)
        packed, (h, _) = self.lstm(packed)
        H, n = pad_packed_sequence(packed, batch_first=True, total_length=X.size(1))
        return self.function(H, h, mask)


# %% TextCNN: all windows of all texts in one matrix
class TextCNN(nn.Module):
    def __init__(self, dim, n_filters, widths=(3, 4, 5)):
        super().__init__()
        self.n_filters = n_filters
        self.widths = tuple(widths)
        self.filters = nn.ModuleList(
            [nn.Linear(dim * width, n_filters, bias=True) for width in widths]
        )

    @property
    def size(self):
        return self.n_filters * len(self.widths)

    def forward(self, X, mask):
        B, L = mask.shape
        X = X * mask[:, :, None].float()
        out = torch.zeros(B, self.size)
        for i, n in enumerate(self.widths):
            rows = ngram_windows(X, n).reshape(B * L, -1)
            z = F.relu(self.filters[i](rows)).reshape(B, L, self.n_filters)
            z = torch.where(mask[:, :, None], z, torch.tensor(0.0))
            out[:, i * self.n_filters : (i + 1) * self.n_filters] = z.max(1)[0]
        return out


# %% TextCNN: new functions for zeros and maximum
class TextCNN(nn.Module):
    def __init__(self, dim, n_filters, widths=(3, 4, 5)):
        super().__init__()
        modules = []
        for n in widths:
            modules += [nn.Linear(n * dim, n_filters)]
        self.filters = nn.ModuleList(modules)
        self.widths = tuple(widths)
        self.size = n_filters * len(widths)
        self.relu = nn.ReLU()

    def respond(self, X, mask, n, layer):
        responses = self.relu(layer(ngram_windows(X, n)))
        best = torch.zeros_like(responses[:, 0])
        for t in range(X.shape[1]):
            best = torch.maximum(best, responses[:, t] * mask[:, t, None])
        return best

    def forward(self, X, mask):
        X = X.clone()
        X[~mask] = 0
        found = [self.respond(X, mask, n, f) for n, f in zip(self.widths, self.filters)]
        return torch.cat(found, dim=1)


# %% StructuredSelfAttention: the network as a Sequential, too
class StructuredSelfAttention(nn.Module):
    def __init__(self, dim, hidden, n_heads):
        super().__init__()
        self.W_1 = nn.Linear(dim, hidden, bias=False)
        self.W_2 = nn.Linear(hidden, n_heads, bias=False)
        self.scores = nn.Sequential(self.W_1, nn.Tanh(), self.W_2)
        self.size = n_heads * dim

    def attention(self, X, mask):
        scores = self.scores(X).mT
        return masked_softmax(scores, mask[:, None].expand_as(scores))

    def forward(self, X, mask):
        return (self.attention(X, mask) @ X).view(len(X), -1)

    def penalty(self, A):
        difference = A @ A.mT - torch.eye(A.shape[1], dtype=A.dtype)
        return difference.pow(2).sum(dim=(1, 2)).mean()


# %% StructuredSelfAttention: the trace instead of the sum of squares
class StructuredSelfAttention(nn.Module):
    def __init__(self, dim, hidden, n_heads):
        super().__init__()
        self.size = n_heads * dim
        self.W_1 = nn.Linear(dim, hidden, bias=False)
        self.W_2 = nn.Linear(hidden, n_heads, bias=False)

    def attention(self, X, mask):
        s = self.W_2(torch.tanh(self.W_1(X))).transpose(1, 2)
        e = torch.exp(s - s.max(dim=-1, keepdim=True).values) * mask.unsqueeze(1)
        return e / e.sum(dim=-1, keepdim=True).clamp(min=1e-30)

    def forward(self, X, mask):
        A = self.attention(X, mask)
        M = torch.sum(A.unsqueeze(-1) * X.unsqueeze(1), dim=2)
        return torch.flatten(M, start_dim=1)

    def penalty(self, A):
        penalties = []
        for a in A:
            D = a @ a.T
            D = D - torch.diag(torch.ones(len(D)))
            penalties.append(torch.trace(D.T @ D))
        return sum(penalties) / len(penalties)


# %% RecursiveNetwork: all leaves looked up at once
class RecursiveNetwork(nn.Module):
    def __init__(self, n_words, dim, n_classes):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.W = nn.Linear(2 * dim, dim)
        self.output = nn.Linear(dim, n_classes)

    def leaves(self, tree):
        if len(tree) == 2:
            return [tree[1]]
        return self.leaves(tree[1]) + self.leaves(tree[2])

    def vector(self, tree):
        vectors = iter(self.embedding(torch.tensor(self.leaves(tree))))

        def compose(node):
            if len(node) == 2:
                return next(vectors)
            left = compose(node[1])
            right = compose(node[2])
            return self.W(torch.cat([left, right])).tanh()

        return compose(tree)

    def forward(self, trees):
        return self.output(torch.stack(list(map(self.vector, trees))))


# %% RecursiveNetwork: rows of one, squeezed at the end
class RecursiveNetwork(nn.Module):
    def __init__(self, n_words, dim, n_classes):
        super(RecursiveNetwork, self).__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.W = nn.Linear(in_features=2 * dim, out_features=dim)
        self.output = nn.Linear(dim, n_classes)
        self.tanh = nn.Tanh()

    def row(self, tree):
        if isinstance(tree[1], int):
            return self.embedding(torch.LongTensor([tree[1]]))
        children = [self.row(child) for child in tree[1:]]
        return self.tanh(self.W(torch.cat(children, dim=1)))

    def vector(self, tree):
        return self.row(tree).squeeze(0)

    def forward(self, trees):
        return torch.cat([self.output(self.row(tree)) for tree in trees], dim=0)


# %% TreeLSTMCell: a dictionary of gates
class TreeLSTMCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.leaf_gates = nn.Linear(dim, 3 * hidden)
        self.gates = nn.Linear(2 * hidden, 5 * hidden)

    def leaf(self, X):
        gate = dict(zip(("i", "o", "u"), self.leaf_gates(X).chunk(3, -1)))
        c = torch.mul(torch.sigmoid(gate["i"]), torch.tanh(gate["u"]))
        h = torch.mul(torch.sigmoid(gate["o"]), torch.tanh(c))
        return h, c

    def forward(self, left, right):
        h = torch.cat((left[0], right[0]), -1)
        gate = dict(zip(("i", "f_l", "f_r", "o", "u"), self.gates(h).chunk(5, -1)))
        c = torch.zeros_like(left[1])
        for name, content in (("i", gate["u"].tanh()), ("f_l", left[1]), ("f_r", right[1])):
            c = c + torch.sigmoid(gate[name]) * content
        return torch.sigmoid(gate["o"]) * torch.tanh(c), c


# %% TreeLSTMCell: blocks of the weight, one gate at a time
class TreeLSTMCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.n = hidden
        self.leaf_gates = nn.Linear(dim, 3 * hidden)
        self.gates = nn.Linear(2 * hidden, 5 * hidden)

    def block(self, layer, k, x):
        rows = slice(k * self.n, k * self.n + self.n)
        return F.linear(x, layer.weight[rows], layer.bias[rows])

    def leaf(self, X):
        i = torch.sigmoid(self.block(self.leaf_gates, 0, X))
        o = torch.sigmoid(self.block(self.leaf_gates, 1, X))
        u = torch.tanh(self.block(self.leaf_gates, 2, X))
        c = i * u
        return o * torch.tanh(c), c

    def forward(self, left, right):
        x = torch.cat([left[0], right[0]], 1)
        i, f_l, f_r, o = (torch.sigmoid(self.block(self.gates, k, x)) for k in range(4))
        u = torch.tanh(self.block(self.gates, 4, x))
        c = torch.addcmul(torch.addcmul(i * u, f_l, left[1]), f_r, right[1])
        return o * torch.tanh(c), c


# %% TreeClassifier: recursion from the roots with a cache
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = TreeLSTMCell(dim, hidden) if cell is None else cell(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        X = self.dropout(self.embedding(words))
        cache = {}

        def state(i):
            if i not in cache:
                if height[i] == 0:
                    cache[i] = self.cell.leaf(X[i : i + 1])
                else:
                    cache[i] = self.cell(state(int(left[i])), state(int(right[i])))
            return cache[i]

        H = torch.vstack([state(i)[0] for i in range(len(words))])
        return self.output(self.dropout(H))


# %% TreeClassifier: functional dropout with the layer's rate
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = (cell or TreeLSTMCell)(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        drop = lambda x: nn.functional.dropout(x, self.dropout.p, self.training)
        h, c = self.cell.leaf(drop(self.embedding(words[height == 0])))
        for k in range(1, int(height.max()) + 1):
            l, r = left[height == k], right[height == k]
            more_h, more_c = self.cell((h[l], c[l]), (h[r], c[r]))
            h, c = torch.cat([h, more_h]), torch.cat([c, more_c])
        return self.output(drop(h))


# %% TreeClassifier: functional dropout with a rate of its own
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = (cell or TreeLSTMCell)(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout, self.rate = nn.Dropout(dropout), dropout

    def forward(self, words, left, right, height):
        X = self.embedding(words[height == 0])
        h, c = self.cell.leaf(nn.functional.dropout(X, self.rate, self.training))
        for k in range(1, int(height.max()) + 1):
            l, r = left[height == k], right[height == k]
            more_h, more_c = self.cell((h[l], c[l]), (h[r], c[r]))
            h, c = torch.cat([h, more_h]), torch.cat([c, more_c])
        return self.output(nn.functional.dropout(h, self.rate, self.training))


# %% TreeClassifier: writes states into their rows
class TreeClassifier(nn.Module):
    def __init__(self, n_words, dim, hidden, n_classes, dropout=0.0, cell=None):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.cell = (cell or TreeLSTMCell)(dim, hidden)
        self.output = nn.Linear(hidden, n_classes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, words, left, right, height):
        h_leaf, c_leaf = self.cell.leaf(self.dropout(self.embedding(words[height == 0])))
        h = h_leaf.new_zeros(len(words), h_leaf.shape[1])
        c = torch.zeros_like(h)
        h[height == 0], c[height == 0] = h_leaf, c_leaf
        for k in range(1, int(height.max()) + 1):
            at = height == k
            new = self.cell((h[left[at]], c[left[at]]), (h[right[at]], c[right[at]]))
            h[at], c[at] = new
        return self.output(self.dropout(h))
