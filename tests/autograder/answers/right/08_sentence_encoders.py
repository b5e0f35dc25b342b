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


# %% read_tree: character by character
def read_tree(text):
    i = 0

    def skip():
        nonlocal i
        while i < len(text) and text[i].isspace():
            i += 1

    def word():
        nonlocal i
        skip()
        start = i
        while i < len(text) and not text[i].isspace() and text[i] not in "()":
            i += 1
        if start == i:
            raise ValueError(f"a word should be at {start}")
        return text[start:i]

    def node():
        nonlocal i
        skip()
        if i >= len(text) or text[i] != "(":
            raise ValueError(f"a bracket should open at {i}")
        i += 1
        label = int(word())
        skip()
        if i < len(text) and text[i] == "(":
            result = (label, node(), node())
        else:
            result = (label, word())
        skip()
        if i >= len(text) or text[i] != ")":
            raise ValueError(f"a bracket should close at {i}")
        i += 1
        return result

    tree = node()
    skip()
    if i < len(text):
        raise ValueError("something follows the tree")
    return tree


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


# %% read_tree: recursion that returns the position after the node
def read_tree(text):
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()

    def node(i):
        if i + 1 >= len(tokens) or tokens[i] != "(" or not tokens[i + 1].isdigit():
            raise ValueError(f"no node begins at {i}")
        label = int(tokens[i + 1])
        i += 2
        if i < len(tokens) and tokens[i] not in "()":
            result = (label, tokens[i])
            i += 1
        else:
            left, i = node(i)
            right, i = node(i)
            result = (label, left, right)
        if i >= len(tokens) or tokens[i] != ")":
            raise ValueError(f"no bracket closes at {i}")
        return result, i + 1

    tree, end = node(0)
    if end != len(tokens):
        raise ValueError("something comes after the tree")
    return tree
