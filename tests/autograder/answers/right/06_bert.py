# %% wordpiece: shortens the rest
def wordpiece(word, pieces):
    result, rest = [], word
    while rest:
        prefix = "##" if result else ""
        n = len(rest)
        while n > 0 and prefix + rest[:n] not in pieces:
            n -= 1
        if n == 0:
            return ["[UNK]"]
        result.append(prefix + rest[:n])
        rest = rest[n:]
    return result


# %% wordpiece: recursive
def wordpiece(word, pieces):
    def cut(rest, prefix):
        if not rest:
            return []
        for n in range(len(rest), 0, -1):
            if prefix + rest[:n] in pieces:
                following = cut(rest[n:], "##")
                return None if following is None else [prefix + rest[:n], *following]
        return None

    found = cut(word, "")
    return ["[UNK]"] if found is None else found


# %% wordpiece: for and else
def wordpiece(word, pieces):
    tokens = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = word[start:end] if start == 0 else "##" + word[start:end]
            if piece in pieces:
                tokens.append(piece)
                start = end
                break
        else:
            return ["[UNK]"]
    return tokens


# %% add_special_tokens: copies
def add_special_tokens(first, second, max_length, cls, sep):
    a = list(first)
    if second is None:
        a = a[: max_length - 2]
        return [cls, *a, sep], [0] * (len(a) + 2)
    b = list(second)
    while len(a) + len(b) + 3 > max_length:
        if len(a) > len(b):
            a.pop()
        else:
            b.pop()
    return [cls, *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1)


# %% add_special_tokens: counts lengths
def add_special_tokens(first, second, max_length, cls, sep):
    if second is None:
        n = min(len(first), max_length - 2)
        ids = [cls] + first[:n] + [sep]
        return ids, [0] * len(ids)
    n, m = len(first), len(second)
    while n + m > max_length - 3:
        if n > m:
            n -= 1
        else:
            m -= 1
    left = [cls] + first[:n] + [sep]
    right = second[:m] + [sep]
    return left + right, [0 for _ in left] + [1 for _ in right]


# %% pad_inputs: full and fill
def pad_inputs(inputs, pad):
    B, L = len(inputs), max(len(ids) for ids, _ in inputs)
    ids = torch.full((B, L), pad, dtype=torch.int64)
    segments = torch.zeros(B, L, dtype=torch.int64)
    mask = torch.zeros(B, L, dtype=torch.bool)
    for b, (row, kinds) in enumerate(inputs):
        n = len(row)
        ids[b, :n] = torch.tensor(row)
        segments[b, :n] = torch.tensor(kinds)
        mask[b, :n] = True
    return ids, segments, mask


# %% pad_inputs: pad_sequence
def pad_inputs(inputs, pad):
    from torch.nn.utils.rnn import pad_sequence

    rows = [torch.tensor(ids) for ids, _ in inputs]
    kinds = [torch.tensor(segments) for _, segments in inputs]
    ids = pad_sequence(rows, batch_first=True, padding_value=pad)
    segments = pad_sequence(kinds, batch_first=True)
    lengths = torch.tensor([len(row) for row in rows])
    return ids, segments, torch.arange(ids.shape[1]) < lengths[:, None]


# %% BertEmbeddings: expands the positions
class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.segments = nn.Embedding(n_segments, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(d_model, 1e-12)

    def forward(self, ids, segments):
        B, L = ids.shape
        at = torch.arange(L).unsqueeze(0).expand(B, L)
        X = self.segments(segments) + self.positions(at) + self.tokens(ids)
        return self.dropout(self.norm(X))


# %% BertEmbeddings: slices the table of positions
class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, ids, segments):
        X = self.tokens(ids)
        X = X + self.positions.weight[: X.shape[1]]
        X = X + self.segments(segments)
        X = self.norm(X)
        return self.dropout(X)


# %% BertEncoder: keyword arguments
class BertEncoder(nn.Module):
    def __init__(
        self, vocab_size, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(
            vocab_size, d_model, max_length=max_length, n_segments=n_segments, dropout=dropout
        )
        self.blocks = nn.ModuleList()
        for _ in range(n_blocks):
            block = TransformerBlock(
                d_model, n_heads, d_ff, dropout=dropout, activation="gelu", eps=1e-12
            )
            self.blocks.append(block)
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        H = self.embeddings(ids, segments)
        attention_mask = padding_mask(mask)
        for block in self.blocks:
            H = block(H, attention_mask)
        first = H[:, 0, :]
        return H, self.pooler(first).tanh()


# %% BertEncoder: its own mask
class BertEncoder(nn.Module):
    def __init__(
        self, vocab_size, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.pooler = nn.Linear(d_model, d_model)
        self.blocks = nn.ModuleList(
            [TransformerBlock(d_model, n_heads, d_ff, dropout, "gelu", 1e-12) for _ in range(n_blocks)]
        )
        self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments, dropout)

    def forward(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for layer in self.blocks:
            X = layer(X, mask[:, None, :])
        return X, torch.tanh(self.pooler(X.select(1, 0)))


# %% rename_weights: regular expressions
def rename_weights(weights):
    table = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "feed_forward.W_1",
        "output.dense": "feed_forward.W_2",
        "output.LayerNorm": "norm_2",
    }
    others = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    kinds = {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}
    result = {}
    for name, tensor in weights.items():
        match = re.fullmatch(r"(?:bert\.)?(.+)\.(\w+)", name)
        if match is None or match[2] not in kinds:
            continue
        part, kind = match[1], kinds[match[2]]
        layer = re.fullmatch(r"encoder\.layer\.(\d+)\.(.+)", part)
        if layer and layer[2] in table:
            result[f"blocks.{layer[1]}.{table[layer[2]]}.{kind}"] = tensor
        elif part in others:
            result[f"{others[part]}.{kind}"] = tensor
    return result


# %% rename_weights: replaces in the right order
def rename_weights(weights):
    replacements = [
        ("embeddings.word_embeddings.", "embeddings.tokens."),
        ("embeddings.position_embeddings.", "embeddings.positions."),
        ("embeddings.token_type_embeddings.", "embeddings.segments."),
        ("embeddings.LayerNorm.", "embeddings.norm."),
        ("encoder.layer.", "blocks."),
        ("attention.self.query.", "attention.W_Q."),
        ("attention.self.key.", "attention.W_K."),
        ("attention.self.value.", "attention.W_V."),
        ("attention.output.dense.", "attention.W_O."),
        ("attention.output.LayerNorm.", "norm_1."),
        ("intermediate.dense.", "feed_forward.W_1."),
        ("output.dense.", "feed_forward.W_2."),
        ("output.LayerNorm.", "norm_2."),
        ("pooler.dense.", "pooler."),
        (".gamma", ".weight"),
        (".beta", ".bias"),
    ]
    result = {}
    for name, tensor in weights.items():
        new = name[5:] if name.startswith("bert.") else name
        if not new.startswith(("embeddings.", "encoder.layer.", "pooler.dense.")):
            continue
        if not new.endswith((".weight", ".bias", ".gamma", ".beta")):
            continue
        for old, ours in replacements:
            new = new.replace(old, ours)
        result[new] = tensor
    return result


# %% MaskedLanguageModelHead: linear
class MaskedLanguageModelHead(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(vocab_size))
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.transform = nn.Linear(d_model, d_model)

    def forward(self, H, table):
        u = self.norm(F.gelu(self.transform(H)))
        return F.linear(u, table, self.bias)


# %% MaskedLanguageModelHead: einsum
class MaskedLanguageModelHead(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.activation = nn.GELU()
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, H, table):
        u = self.norm(self.activation(self.transform(H)))
        return torch.einsum("...d,nd->...n", u, table) + self.bias


# %% mask_tokens: boolean indexing
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    chosen = (select_draws < probability) & ~special
    labels = torch.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    inputs = ids.clone()
    inputs[chosen & (replace_draws < 0.8)] = mask_id
    swap = chosen & (replace_draws >= 0.8) & (replace_draws < 0.9)
    inputs[swap] = random_ids[swap]
    return inputs, labels


# %% mask_tokens: a loop
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    inputs, labels = ids.clone(), torch.full_like(ids, -100)
    B, L = ids.shape
    for b in range(B):
        for i in range(L):
            if special[b, i] or select_draws[b, i] >= probability:
                continue
            labels[b, i] = ids[b, i]
            if replace_draws[b, i] < 0.8:
                inputs[b, i] = mask_id
            elif replace_draws[b, i] < 0.9:
                inputs[b, i] = random_ids[b, i]
    return inputs, labels


# %% mask_tokens: nested where
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    chosen = torch.logical_and(select_draws < probability, torch.logical_not(special))
    hidden = torch.where(
        replace_draws < 0.8, torch.full_like(ids, mask_id), torch.where(replace_draws < 0.9, random_ids, ids)
    )
    return torch.where(chosen, hidden, ids), ids.masked_fill(~chosen, -100)


# %% word_vectors: a dictionary of lists
def word_vectors(H, words):
    groups = {}
    for vector, word in zip(H, words):
        if word is not None:
            groups.setdefault(word, []).append(vector)
    if not groups:
        return H.new_zeros(0, H.shape[1])
    return torch.stack([torch.stack(vectors).mean(dim=0) for vectors in groups.values()])


# %% word_vectors: index_add
def word_vectors(H, words):
    at = [i for i, word in enumerate(words) if word is not None]
    if not at:
        return H[:0]
    number = torch.tensor([words[i] for i in at])
    n = int(number.max()) + 1
    sums = torch.zeros(n, H.shape[1], dtype=H.dtype).index_add(0, number, H[at])
    return sums / torch.bincount(number, minlength=n)[:, None].to(H.dtype)


# %% BertClassifier: freezes parameter by parameter
class BertClassifier(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        self.frozen = frozen
        if frozen:
            for parameter in self.encoder.parameters():
                parameter.requires_grad = False

    def forward(self, ids, mask):
        if self.frozen:
            self.encoder.eval()
        segments = torch.zeros(ids.shape, dtype=torch.int64)
        pooled = self.encoder(ids, segments, mask)[1]
        return self.output(self.dropout(pooled))[:, 0]


# %% BertClassifier: train overridden
class BertClassifier(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.frozen = frozen
        self.output = nn.Linear(d_model, 1)
        self.dropout = nn.Dropout(dropout)
        self.encoder = encoder.requires_grad_(False) if frozen else encoder
        self.train(self.training)

    def train(self, mode=True):
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self

    def forward(self, ids, mask):
        _, c = self.encoder(ids, torch.zeros_like(ids), mask)
        return self.output(self.dropout(c)).squeeze(1)


# %% learning_rate: minimum of two lines
def learning_rate(step, n_steps, peak, warmup=0.1):
    top = warmup * n_steps
    up = step / top if top > 0 else 1.0
    down = (n_steps - step) / (n_steps - top) if n_steps > top else 1.0
    return peak * min(up, down)


# %% learning_rate: early returns
def learning_rate(step, n_steps, peak, warmup=0.1):
    warm_steps = n_steps * warmup
    if warm_steps > 0 and step <= warm_steps:
        return peak * (step / warm_steps)
    rest = n_steps - warm_steps
    return peak * (1 - (step - warm_steps) / rest)


# %% predict_scores: inference_mode
@torch.inference_mode()
def predict_scores(model, inputs, batch_size):
    was_training = model.training
    model.eval()
    scores = []
    for i in range(0, len(inputs), batch_size):
        pairs = [(ids, [0] * len(ids)) for ids in inputs[i : i + batch_size]]
        ids, _, mask = pad_inputs(pairs, 0)
        scores.extend(model(ids, mask).tolist())
    model.train(was_training)
    return torch.tensor(scores)


# %% predict_scores: try and finally
def predict_scores(model, inputs, batch_size):
    mode = model.training
    found = [torch.zeros(0)]
    try:
        model.eval()
        with torch.no_grad():
            for start in range(0, len(inputs), batch_size):
                rows = inputs[start : start + batch_size]
                longest = max(map(len, rows))
                ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
                mask = torch.tensor([[i < len(row) for i in range(longest)] for row in rows])
                found.append(model(ids, mask))
    finally:
        model.train(mode)
    return torch.cat(found)
