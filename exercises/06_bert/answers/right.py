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


# %% wordpiece: a helper for the longest token
def wordpiece(word, vocabulary):
    def longest(start):
        mark = "" if start == 0 else "##"
        for end in range(len(word), start, -1):
            if mark + word[start:end] in vocabulary:
                return end
        return None

    tokens, start = [], 0
    while start < len(word):
        end = longest(start)
        if end is None:
            return ["[UNK]"]
        tokens.append(("##" if start else "") + word[start:end])
        start = end
    return tokens


# %% wordpiece: the longest of all that fit
def wordpiece(word, vocabulary):
    tokens, rest = [], word
    while rest:
        text = "##" + rest if tokens else rest
        least = 2 if tokens else 0
        fitting = [t for t in vocabulary if text.startswith(t) and len(t) > least]
        if not fitting:
            return ["[UNK]"]
        tokens.append(max(fitting, key=len))
        rest = text[len(tokens[-1]) :]
    return tokens


# %% wordpiece: two pointers
def wordpiece(word, vocabulary):
    tokens = []
    start, end = 0, len(word)
    while start < len(word):
        if start == end:
            return ["[UNK]"]
        candidate = word[start:end]
        if start > 0:
            candidate = "##" + candidate
        if candidate in vocabulary:
            tokens.append(candidate)
            start, end = end, len(word)
        else:
            end -= 1
    return tokens


# %% wordpiece: max with a default
def wordpiece(word, vocabulary):
    pieces = []
    position = 0
    while position != len(word):
        sign = "##" if position > 0 else ""
        ends = [e for e in range(position + 1, len(word) + 1) if sign + word[position:e] in vocabulary]
        end = max(ends, default=-1)
        if end < 0:
            return ["[UNK]"]
        pieces += [sign + word[position:end]]
        position = end
    return pieces


# %% wordpiece: recursive, and early returns
def wordpiece(word: str, vocabulary: set[str], mark: str = "") -> list[str]:
    if not word:
        return []
    for end in range(len(word), 0, -1):
        token = mark + word[:end]
        if token in vocabulary:
            rest = wordpiece(word[end:], vocabulary, "##")
            return ["[UNK]"] if rest == ["[UNK]"] else [token] + rest
    return ["[UNK]"]


# %% wordpiece: an exception for words without tokens
def wordpiece(word, vocabulary):
    def tokens():
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            end = next(
                e for e in reversed(range(start + 1, len(word) + 1)) if prefix + word[start:e] in vocabulary
            )
            yield prefix + word[start:end]
            start = end

    try:
        return list(tokens())
    except RuntimeError:
        return ["[UNK]"]


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


# %% add_special_tokens: slices by computed lengths
def add_special_tokens(first, second, max_length, cls_id, sep_id):
    if second is None:
        ids = [cls_id] + first[: max_length - 2] + [sep_id]
        return ids, [0] * len(ids)
    room = max_length - 3
    a, b = len(first), len(second)
    excess = max(a + b - room, 0)
    for _ in range(excess):
        if a > b:
            a = a - 1
        else:
            b = b - 1
    left, right = [cls_id, *first[:a], sep_id], [*second[:b], sep_id]
    return left + right, [0] * len(left) + [1] * len(right)


# %% add_special_tokens: deletes the last from copies
def add_special_tokens(first, second, max_length, cls_id, sep_id):
    first = first[:]
    second = None if second is None else second[:]
    special = 2 if second is None else 3
    while len(first) + len(second or []) + special > max_length:
        if second is None or len(first) > len(second):
            del first[-1]
        else:
            del second[-1]
    ids = [cls_id] + first + [sep_id]
    segments = [0 for _ in ids]
    if second is not None:
        ids = ids + second + [sep_id]
        segments = segments + [1] * (len(second) + 1)
    return ids, segments


# %% add_special_tokens: append and extend
def add_special_tokens(first, second, max_length, cls_id, sep_id):
    texts = [list(first)] if second is None else [list(first), list(second)]
    while sum(map(len, texts)) + len(texts) + 1 > max_length:
        longest = texts[-1] if len(texts[-1]) >= len(texts[0]) else texts[0]
        longest.pop()
    ids, segments = [cls_id], [0]
    for segment, text in enumerate(texts):
        ids.extend(text)
        ids.append(sep_id)
        segments.extend([segment] * (len(text) + 1))
    return ids, segments


# %% add_special_tokens: a helper that truncates
def truncated(first, second, room):
    if len(first) + len(second) <= room:
        return first, second
    if len(first) > len(second):
        return truncated(first[:-1], second, room)
    return truncated(first, second[:-1], room)


def add_special_tokens(first, second, max_length, cls_id, sep_id):
    if second is None:
        text = first[: max_length - 2]
        return [cls_id, *text, sep_id], [0 for _ in range(len(text) + 2)]
    a, b = truncated(first, second, max_length - 3)
    return [cls_id, *a, sep_id, *b, sep_id], [0] * (len(a) + 2) + [1] * (len(b) + 1)


# %% add_special_tokens: the formula for the lengths
def add_special_tokens(first, second, max_length, cls_id, sep_id):
    if second is None:
        kept = first[0 : max(0, max_length - 2)]
        ids = [cls_id] + kept + [sep_id]
        return ids, [0] * len(ids)
    n, m, room = len(first), len(second), max_length - 3
    if n + m > room:
        if n <= room // 2:
            m = room - n
        elif m <= room // 2:
            n = room - m
        else:
            n = room - room // 2
            m = room // 2
    ids = [cls_id] + first[:n] + [sep_id] + second[:m] + [sep_id]
    return ids, [0] * (n + 2) + [1] * (m + 1)


# %% add_special_tokens: segments from the positions
def add_special_tokens(
    first: list[int], second: list[int] | None, max_length: int, cls_id: int, sep_id: int
) -> tuple[list[int], list[int]]:
    from collections import deque

    a, b = deque(first), deque(second if second is not None else [])
    room = max_length - (2 if second is None else 3)
    while len(a) + len(b) > room:
        if len(b) == 0 or len(a) > len(b):
            a.pop()
        else:
            b.pop()
    ids = [cls_id, *a, sep_id]
    end = len(ids)
    if second is not None:
        ids += [*b, sep_id]
    return ids, [int(i >= end) for i in range(len(ids))]


# %% add_special_tokens: divides the room before it cuts
def add_special_tokens(first, second, max_length, cls_id, sep_id):
    if second is None:
        first = list(first)
        while len(first) > max_length - 2:
            first.pop(-1)
        return [cls_id] + first + [sep_id], [0] * (len(first) + 2)
    room = max_length - 3
    if len(first) + len(second) > room:
        n = max(room - room // 2, room - len(second))
        n = min(n, len(first))
        first, second = first[:n], second[: room - n]
    return (
        [cls_id, *first, sep_id, *second, sep_id],
        [0] * (1 + len(first) + 1) + [1] * (len(second) + 1),
    )


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


# %% pad_inputs: three comprehensions
def pad_inputs(inputs, pad):
    longest = max(len(row) for row, _ in inputs)
    ids = [row + [pad] * (longest - len(row)) for row, _ in inputs]
    segments = [row + [0] * (longest - len(row)) for _, row in inputs]
    mask = [[i < len(row) for i in range(longest)] for row, _ in inputs]
    return torch.tensor(ids), torch.tensor(segments), torch.tensor(mask)


# %% pad_inputs: zip_longest
def pad_inputs(inputs, pad):
    from itertools import zip_longest

    ids = torch.tensor([*zip_longest(*(row for row, _ in inputs), fillvalue=pad)]).T
    segments = torch.tensor([*zip_longest(*(row for _, row in inputs), fillvalue=0)]).T
    lengths = torch.tensor([len(row) for row, _ in inputs]).unsqueeze(1)
    mask = torch.arange(ids.shape[1]).unsqueeze(0) < lengths
    return ids, segments, mask


# %% pad_inputs: F.pad
def pad_inputs(inputs, pad):
    L = max(len(ids) for ids, _ in inputs)

    def fill(row, value, dtype=torch.long):
        return F.pad(torch.tensor(row, dtype=dtype), (0, L - len(row)), value=value)

    ids = torch.stack([fill(row, pad) for row, _ in inputs])
    segments = torch.stack([fill(row, 0) for _, row in inputs])
    mask = torch.stack([fill([True] * len(row), False, torch.bool) for row, _ in inputs])
    return ids, segments, mask


# %% pad_inputs: numpy
def pad_inputs(inputs, pad):
    import numpy as np

    lengths = np.array([len(ids) for ids, _ in inputs])
    shape = (len(inputs), lengths.max())
    ids, segments = np.full(shape, pad, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for b, (row, kinds) in enumerate(inputs):
        ids[b, : len(row)] = row
        segments[b, : len(kinds)] = kinds
    mask = np.arange(shape[1])[None, :] < lengths[:, None]
    return torch.from_numpy(ids), torch.from_numpy(segments), torch.from_numpy(mask)


# %% pad_inputs: writes with a boolean mask
def pad_inputs(inputs, pad):
    lengths = torch.tensor([len(ids) for ids, _ in inputs])
    mask = torch.arange(int(lengths.max())) < lengths[:, None]
    ids = torch.full(mask.shape, pad, dtype=torch.int64)
    segments = torch.zeros_like(ids)
    ids[mask] = torch.tensor([i for row, _ in inputs for i in row], dtype=torch.int64)
    segments[mask] = torch.tensor([s for _, row in inputs for s in row], dtype=torch.int64)
    return ids, segments, mask


# %% pad_inputs: zip of ids and segments, a helper
def pad_inputs(
    inputs: list[tuple[list[int], list[int]]], pad: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    all_ids, all_segments = zip(*inputs)
    L = max(map(len, all_ids))

    def padded(rows, filler):
        return torch.tensor([(list(row) + [filler] * L)[:L] for row in rows])

    ones = [[True] * len(row) for row in all_ids]
    return padded(all_ids, pad), padded(all_segments, 0), padded(ones, False)


# %% pad_inputs: cat with fillers
def pad_inputs(inputs, pad):
    lengths = [len(ids) for ids, _ in inputs]
    L = max(lengths)
    all_ids, all_segments = [], []
    for (ids, segments), n in zip(inputs, lengths):
        filler = torch.full((L - n,), pad, dtype=torch.long)
        all_ids.append(torch.cat([torch.tensor(ids, dtype=torch.long), filler]))
        all_segments.append(torch.cat([torch.tensor(segments, dtype=torch.long), filler * 0]))
    mask = torch.stack([torch.arange(L) < n for n in lengths])
    return torch.stack(all_ids), torch.stack(all_segments), mask


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


# %% BertEmbeddings: functional embeddings
class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        at = torch.arange(ids.shape[-1]).expand_as(ids)
        X = F.embedding(ids, self.tokens.weight)
        X = X + F.embedding(at, self.positions.weight)
        X = X + F.embedding(segments, self.segments.weight)
        X = F.layer_norm(X, X.shape[-1:], self.norm.weight, self.norm.bias, 1e-12)
        return self.dropout(X)


# %% BertEmbeddings: positions as a buffer that is not saved
class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.register_buffer("numbers", torch.arange(max_length), persistent=False)

    def forward(self, ids, segments):
        numbers = self.numbers[: ids.size(1)]
        summed = torch.stack(
            [self.tokens(ids), self.segments(segments), self.positions(numbers).expand(*ids.shape, -1)]
        ).sum(dim=0)
        return self.dropout(self.norm(summed))


# %% BertEmbeddings: rows by indexing
class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        sizes = {"tokens": vocab_size, "positions": max_length, "segments": n_segments}
        for name, rows in sizes.items():
            setattr(self, name, nn.Embedding(rows, d_model))
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        L = ids.shape[1]
        E, P, S = self.tokens.weight, self.positions.weight, self.segments.weight
        return self.dropout(self.norm(E[ids] + P[None, :L] + S[segments]))


# %% BertEmbeddings: cumulative sum of ones for the positions
class BertEmbeddings(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        max_length: int = 512,
        n_segments: int = 2,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.tokens = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
        self.positions = nn.Embedding(num_embeddings=max_length, embedding_dim=d_model)
        self.segments = nn.Embedding(num_embeddings=n_segments, embedding_dim=d_model)
        self.norm = nn.LayerNorm(normalized_shape=d_model, eps=1e-12)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, ids, segments):
        at = torch.ones_like(ids).cumsum(dim=1) - 1
        embedded = self.tokens(ids).add(self.positions(at)).add(self.segments(segments))
        normalized = self.norm(embedded)
        return self.dropout(normalized)


# %% BertEmbeddings: Sequential for norm and dropout
class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, d_model, max_length=512, n_segments=2, dropout=0.1):
        super(BertEmbeddings, self).__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm, self.dropout = nn.LayerNorm(d_model, 1e-12), nn.Dropout(dropout)

    def forward(self, ids, segments):
        positions = torch.tensor([list(range(ids.shape[1]))] * ids.shape[0])
        parts = (self.tokens(ids), self.positions(positions), self.segments(segments))
        return nn.Sequential(self.norm, self.dropout)(sum(parts))


# %% BertEmbeddings: adds position by position
class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def at(self, i, ids, segments):
        return self.tokens(ids[:, i]) + self.segments(segments[:, i]) + self.positions.weight[i]

    def forward(self, ids, segments):
        columns = [self.at(i, ids, segments) for i in range(ids.shape[1])]
        return self.dropout(self.norm(torch.stack(columns, dim=1)))


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


# %% BertEncoder: while appending blocks
class BertEncoder(nn.Module):
    def __init__(
        self, vocab_size, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.blocks = nn.ModuleList([])
        while len(self.blocks) < n_blocks:
            self.blocks.append(
                TransformerBlock(d_model, n_heads, d_ff, dropout, eps=1e-12, activation="gelu")
            )
        self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments, dropout)
        self.pooler = nn.Linear(in_features=d_model, out_features=d_model)

    def forward(self, ids, segments, mask):
        H = self.embeddings(ids=ids, segments=segments)
        for i in range(len(self.blocks)):
            H = self.blocks[i](H, padding_mask(mask))
        cls = H[:, 0]
        return H, F.tanh(self.pooler(cls))


# %% BertEncoder: reduce
class BertEncoder(nn.Module):
    def __init__(
        self, vocab_size, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        make = lambda: TransformerBlock(  # noqa: E731
            d_model=d_model, n_heads=n_heads, d_ff=d_ff, dropout=dropout, activation="gelu", eps=1e-12
        )
        self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(make() for _ in range(n_blocks))
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        from functools import reduce

        allowed = padding_mask(mask)
        X = reduce(lambda X, block: block(X, allowed), self.blocks, self.embeddings(ids, segments))
        return X, torch.tanh(X[:, 0] @ self.pooler.weight.T + self.pooler.bias)


# %% BertEncoder: helper methods
class BertEncoder(nn.Module):
    def __init__(
        self, vocab_size, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(
            vocab_size=vocab_size,
            d_model=d_model,
            max_length=max_length,
            n_segments=n_segments,
            dropout=dropout,
        )
        settings = {"dropout": dropout, "activation": "gelu", "eps": 1e-12}
        self.blocks = nn.ModuleList(
            [TransformerBlock(d_model, n_heads, d_ff, **settings) for _ in range(n_blocks)]
        )
        self.pooler = nn.Linear(d_model, d_model)

    def encode(self, ids, segments, mask):
        X = self.embeddings(ids, segments)
        for block in self.blocks:
            X = block(X, mask)
        return X

    def pool(self, X):
        return self.pooler(X[:, 0]).tanh()

    def forward(self, ids, segments, mask):
        X = self.encode(ids, segments, padding_mask(mask))
        return X, self.pool(X)


# %% BertEncoder: pools by unbind
class BertEncoder(nn.Module):
    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        n_heads: int,
        d_ff: int,
        n_blocks: int,
        max_length: int = 512,
        n_segments: int = 2,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList()
        self.blocks.extend(
            [
                TransformerBlock(d_model, n_heads, d_ff, dropout, "gelu", eps=1e-12)
                for _ in range(n_blocks)
            ]
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        vectors = self.embeddings(ids, segments)
        attention_mask = mask.bool().unsqueeze(-2)
        for _, block in enumerate(self.blocks):
            vectors = block(vectors, mask=attention_mask)
        first, *_ = vectors.unbind(dim=1)
        return vectors, torch.tanh(self.pooler(first))


# %% BertEncoder: pooled by einsum
class BertEncoder(nn.Module):
    def __init__(
        self, vocab_size, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            map(
                lambda _: TransformerBlock(d_model, n_heads, d_ff, dropout, "gelu", 1e-12),
                range(n_blocks),
            )
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        H = self.embeddings(ids, segments)
        B, L = mask.shape
        full_mask = mask[:, None, :].expand(B, L, L)
        for block in self.blocks:
            H = block(H, full_mask)
        c = torch.einsum("bd,od->bo", H[:, 0, :], self.pooler.weight) + self.pooler.bias
        return H, c.tanh()


# %% BertEncoder: keeps the vectors of all layers
class BertEncoder(nn.Module):
    def __init__(
        self, vocab_size, d_model, n_heads, d_ff, n_blocks, max_length=512, n_segments=2, dropout=0.1
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            TransformerBlock(d_model, n_heads, d_ff, dropout=dropout, activation="gelu", eps=1e-12)
            for _ in range(n_blocks)
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        layers = [self.embeddings(ids, segments)]
        for block in self.blocks:
            layers.append(block(layers[-1], padding_mask(mask)))
        last = layers[-1]
        pooled = F.linear(last[:, 0], self.pooler.weight, self.pooler.bias)
        return last, torch.tanh(pooled)


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


# %% rename_weights: startswith and slices
def rename_weights(weights):
    embeddings = {
        "word_embeddings": "tokens",
        "position_embeddings": "positions",
        "token_type_embeddings": "segments",
        "LayerNorm": "norm",
    }
    layers = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "feed_forward.W_1",
        "output.dense": "feed_forward.W_2",
        "output.LayerNorm": "norm_2",
    }
    endings = {"weight": "weight", "bias": "bias", "gamma": "weight", "beta": "bias"}
    result = {}
    for name, tensor in weights.items():
        parts = name.split(".")
        if parts[0] == "bert":
            parts = parts[1:]
        ending = endings.get(parts[-1])
        if ending is None:
            continue
        if parts[0] == "embeddings" and parts[1] in embeddings:
            result[f"embeddings.{embeddings[parts[1]]}.{ending}"] = tensor
        elif parts[:2] == ["encoder", "layer"] and ".".join(parts[3:-1]) in layers:
            result[f"blocks.{parts[2]}.{layers['.'.join(parts[3:-1])]}.{ending}"] = tensor
        elif parts[:2] == ["pooler", "dense"]:
            result[f"pooler.{ending}"] = tensor
    return result


# %% rename_weights: a helper that gives the new name or None
def rename_weights(weights):
    in_block = [
        (".attention.self.query", ".attention.W_Q"),
        (".attention.self.key", ".attention.W_K"),
        (".attention.self.value", ".attention.W_V"),
        (".attention.output.dense", ".attention.W_O"),
        (".attention.output.LayerNorm", ".norm_1"),
        (".intermediate.dense", ".feed_forward.W_1"),
        (".output.dense", ".feed_forward.W_2"),
        (".output.LayerNorm", ".norm_2"),
    ]
    fixed = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }

    def renamed(name):
        module, _, kind = name.removeprefix("bert.").rpartition(".")
        kind = kind.replace("gamma", "weight").replace("beta", "bias")
        if module in fixed:
            return f"{fixed[module]}.{kind}"
        if module.startswith("encoder.layer."):
            for old, new in in_block:
                if module.endswith(old):
                    return module.replace("encoder.layer.", "blocks.").removesuffix(old) + f"{new}.{kind}"
        return None

    pairs = [(renamed(name), tensor) for name, tensor in weights.items()]
    return {name: tensor for name, tensor in pairs if name is not None}


# %% rename_weights: builds the whole table first
def rename_weights(weights):
    table = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    numbers = {int(n) for name in weights for n in re.findall(r"encoder\.layer\.(\d+)\.", name)}
    for i in numbers:
        theirs, ours = f"encoder.layer.{i}", f"blocks.{i}"
        for old, new in (("query", "W_Q"), ("key", "W_K"), ("value", "W_V")):
            table[f"{theirs}.attention.self.{old}"] = f"{ours}.attention.{new}"
        table[f"{theirs}.attention.output.dense"] = f"{ours}.attention.W_O"
        table[f"{theirs}.attention.output.LayerNorm"] = f"{ours}.norm_1"
        table[f"{theirs}.intermediate.dense"] = f"{ours}.feed_forward.W_1"
        table[f"{theirs}.output.dense"] = f"{ours}.feed_forward.W_2"
        table[f"{theirs}.output.LayerNorm"] = f"{ours}.norm_2"
    result = {}
    for old, new in table.items():
        for prefix in ("", "bert."):
            for theirs, ours in (("weight",) * 2, ("bias",) * 2, ("gamma", "weight"), ("beta", "bias")):
                name = f"{prefix}{old}.{theirs}"
                if name in weights:
                    result[f"{new}.{ours}"] = weights[name]
    return result


# %% rename_weights: substitutions one after the other
def rename_weights(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    patterns = {
        r"^embeddings\.word_embeddings\.weight$": "embeddings.tokens.weight",
        r"^embeddings\.position_embeddings\.weight$": "embeddings.positions.weight",
        r"^embeddings\.token_type_embeddings\.weight$": "embeddings.segments.weight",
        r"^embeddings\.LayerNorm\.(weight|bias)$": r"embeddings.norm.\1",
        r"^encoder\.layer\.(\d+)\.attention\.self\.query\.(weight|bias)$": r"blocks.\1.attention.W_Q.\2",
        r"^encoder\.layer\.(\d+)\.attention\.self\.key\.(weight|bias)$": r"blocks.\1.attention.W_K.\2",
        r"^encoder\.layer\.(\d+)\.attention\.self\.value\.(weight|bias)$": r"blocks.\1.attention.W_V.\2",
        r"^encoder\.layer\.(\d+)\.attention\.output\.dense\.(weight|bias)$": r"blocks.\1.attention.W_O.\2",
        r"^encoder\.layer\.(\d+)\.attention\.output\.LayerNorm\.(weight|bias)$": r"blocks.\1.norm_1.\2",
        r"^encoder\.layer\.(\d+)\.intermediate\.dense\.(weight|bias)$": r"blocks.\1.feed_forward.W_1.\2",
        r"^encoder\.layer\.(\d+)\.output\.dense\.(weight|bias)$": r"blocks.\1.feed_forward.W_2.\2",
        r"^encoder\.layer\.(\d+)\.output\.LayerNorm\.(weight|bias)$": r"blocks.\1.norm_2.\2",
        r"^pooler\.dense\.(weight|bias)$": r"pooler.\1",
    }
    result = {}
    for name, tensor in weights.items():
        name = re.sub(r"^bert\.", "", name)
        name = re.sub(r"LayerNorm\.gamma$", "LayerNorm.weight", name)
        name = re.sub(r"LayerNorm\.beta$", "LayerNorm.bias", name)
        for pattern, replacement in patterns.items():
            new, n = re.subn(pattern, replacement, name)
            if n:
                result[new] = tensor
    return result


# %% rename_weights: partition and early continue
def rename_weights(weights):
    top = {"word_embeddings": "tokens", "position_embeddings": "positions"}
    top |= {"token_type_embeddings": "segments", "LayerNorm": "norm"}
    self_attention = {"query": "W_Q", "key": "W_K", "value": "W_V"}
    found = {}
    for name, tensor in weights.items():
        *path, kind = name.removeprefix("bert.").split(".")
        kind = {"gamma": "weight", "beta": "bias"}.get(kind, kind)
        if kind not in ("weight", "bias"):
            continue
        match path:
            case ["embeddings", part] if part in top:
                new = f"embeddings.{top[part]}"
            case ["pooler", "dense"]:
                new = "pooler"
            case ["encoder", "layer", n, "attention", "self", part]:
                new = f"blocks.{n}.attention.{self_attention[part]}"
            case ["encoder", "layer", n, "attention", "output", "dense"]:
                new = f"blocks.{n}.attention.W_O"
            case ["encoder", "layer", n, "attention", "output", "LayerNorm"]:
                new = f"blocks.{n}.norm_1"
            case ["encoder", "layer", n, "intermediate", "dense"]:
                new = f"blocks.{n}.feed_forward.W_1"
            case ["encoder", "layer", n, "output", "dense"]:
                new = f"blocks.{n}.feed_forward.W_2"
            case ["encoder", "layer", n, "output", "LayerNorm"]:
                new = f"blocks.{n}.norm_2"
            case _:
                continue
        found[f"{new}.{kind}"] = tensor
    return found


# %% rename_weights: longest names first
def rename_weights(weights):
    names = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "feed_forward.W_1",
        "output.dense": "feed_forward.W_2",
        "output.LayerNorm": "norm_2",
        "pooler.dense": "pooler",
    }
    result = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.").replace(".gamma", ".weight").replace(".beta", ".bias")
        stem, _, kind = name.rpartition(".")
        block, rest = "", stem
        if stem.startswith("encoder.layer."):
            number, rest = stem[len("encoder.layer.") :].split(".", 1)
            block = f"blocks.{number}."
        elif not stem.startswith(("embeddings.", "pooler.")):
            continue
        if rest in names:
            result[block + names[rest] + "." + kind] = tensor
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


# %% MaskedLanguageModelHead: matmul with the transposed table
class MaskedLanguageModelHead(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.transform = nn.Linear(in_features=d_model, out_features=d_model)
        self.norm = nn.LayerNorm(normalized_shape=d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros((vocab_size,)))

    def forward(self, H, table):
        U = self.transform(H)
        U = F.gelu(U)
        U = self.norm(U)
        return torch.matmul(U, table.transpose(0, 1)).add(self.bias)


# %% MaskedLanguageModelHead: Sequential in forward
class MaskedLanguageModelHead(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.transform, self.norm = nn.Linear(d_model, d_model), nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.empty(vocab_size))
        nn.init.constant_(self.bias, 0.0)

    def forward(self, H, table):
        head = nn.Sequential(self.transform, nn.GELU(), self.norm)
        return torch.inner(head(H), table) + self.bias


# %% MaskedLanguageModelHead: flattened vectors and addmm
class MaskedLanguageModelHead(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(vocab_size), requires_grad=True)
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, 1e-12)

    def forward(self, H, table):
        u = self.norm(nn.functional.gelu(self.transform(H)))
        flat = u.reshape(-1, u.shape[-1])
        return torch.addmm(self.bias, flat, table.t()).reshape(*H.shape[:-1], len(table))


# %% MaskedLanguageModelHead: functional layers
class MaskedLanguageModelHead(nn.Module):
    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.register_parameter("bias", nn.Parameter(torch.zeros(vocab_size)))

    def forward(self, H, table):
        t = F.linear(H, self.transform.weight, self.transform.bias)
        u = F.layer_norm(F.gelu(t), (self.d_model,), self.norm.weight, self.norm.bias, eps=1e-12)
        return (u.unsqueeze(-2) * table).sum(dim=-1) + self.bias


# %% MaskedLanguageModelHead: the GELU by its formula
class MaskedLanguageModelHead(nn.Module):
    def __init__(self, vocab_size, d_model):
        super(MaskedLanguageModelHead, self).__init__()
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.transform = nn.Linear(d_model, d_model)
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    @staticmethod
    def gelu(x):
        return x * (1 + torch.erf(x / math.sqrt(2))) / 2

    def forward(self, H, table):
        u = self.norm(self.gelu(self.transform(H)))
        return (table @ u.unsqueeze(-1)).squeeze(-1) + self.bias


# %% MaskedLanguageModelHead: token by token of the table
class MaskedLanguageModelHead(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.gelu = nn.GELU(approximate="none")
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, H, table):
        u = self.norm(self.gelu(self.transform(H)))
        scores = [(u * e).sum(dim=-1) for e in table]
        return torch.stack(scores, dim=-1) + self.bias


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


# %% mask_tokens: masked_fill and masked_scatter
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    selected = select_draws.lt(probability).logical_and(special.logical_not())
    labels = ids.masked_fill(~selected, -100)
    inputs = ids.masked_fill(selected & replace_draws.lt(0.8), mask_id)
    swapped = selected & replace_draws.ge(0.8) & replace_draws.lt(0.9)
    return inputs.masked_scatter(swapped, random_ids[swapped]), labels


# %% mask_tokens: list comprehensions
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    def changed(token, draw, other):
        if draw < 0.8:
            return mask_id
        return other if draw < 0.9 else token

    selected = ((select_draws < probability) & ~special).flatten().tolist()
    flat = ids.flatten().tolist()
    columns = zip(flat, replace_draws.flatten(), random_ids.flatten().tolist(), selected)
    inputs = [changed(t, d, r) if s else t for t, d, r, s in columns]
    labels = [t if s else -100 for t, s in zip(flat, selected)]
    return torch.tensor(inputs).view_as(ids), torch.tensor(labels).view_as(ids)


# %% mask_tokens: overwrites in order
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    chosen = (select_draws < probability) & (special == False)  # noqa: E712
    labels = torch.where(chosen, ids, torch.tensor(-100))
    inputs = ids.clone()
    inputs[chosen & (replace_draws < 0.9)] = random_ids[chosen & (replace_draws < 0.9)]
    inputs[chosen & (replace_draws < 0.8)] = mask_id
    return inputs, labels


# %% mask_tokens: gathers one of three choices
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    selected = ~special & (select_draws < probability)
    kind = (replace_draws >= 0.8).long() + (replace_draws >= 0.9).long()
    choices = torch.stack([torch.full_like(ids, mask_id), random_ids, ids])
    replaced = torch.gather(choices, 0, kind.unsqueeze(0)).squeeze(0)
    return torch.where(selected, replaced, ids), torch.where(selected, ids, -100)


# %% mask_tokens: arithmetic with zeros and ones
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    s = ((select_draws < probability) & ~special).long()
    m = s * (replace_draws < 0.8).long()
    r = s * (replace_draws >= 0.8).long() * (replace_draws < 0.9).long()
    inputs = m * mask_id + r * random_ids + (1 - m - r) * ids
    return inputs, s * ids - 100 * (1 - s)


# %% mask_tokens: a loop over the selected positions
def mask_tokens(
    ids: torch.Tensor,
    special: torch.Tensor,
    mask_id: int,
    select_draws: torch.Tensor,
    replace_draws: torch.Tensor,
    random_ids: torch.Tensor,
    probability: float = 0.15,
) -> tuple[torch.Tensor, torch.Tensor]:
    inputs = ids.clone()
    labels = ids.new_full(ids.shape, fill_value=-100)
    for b, i in torch.nonzero((select_draws < probability) & ~special).tolist():
        draw = replace_draws[b, i]
        labels[b, i] = ids[b, i]
        inputs[b, i] = mask_id if draw < 0.8 else random_ids[b, i] if draw < 0.9 else ids[b, i]
    return inputs, labels


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


# %% word_vectors: masks of each word
def word_vectors(H, word_ids):
    numbers = sorted({word for word in word_ids if word is not None})
    ids = torch.tensor([-1 if word is None else word for word in word_ids])
    means = [H[ids == number].mean(dim=0) for number in numbers]
    return torch.stack(means) if means else torch.empty(0, H.shape[1], dtype=H.dtype)


# %% word_vectors: groupby
def word_vectors(H, word_ids):
    from itertools import groupby

    vectors = []
    for word, group in groupby(range(len(word_ids)), key=lambda i: word_ids[i]):
        if word is not None:
            vectors.append(H[list(group)].mean(0))
    if not vectors:
        return H.new_empty((0, H.size(1)))
    return torch.stack(vectors, dim=0)


# %% word_vectors: matrix of weights
def word_vectors(H, word_ids):
    known = [word for word in word_ids if word is not None]
    W = max(known) + 1 if known else 0
    A = torch.zeros(W, len(word_ids))
    for i, word in enumerate(word_ids):
        if word is not None:
            A[word, i] = 1 / known.count(word)
    return (A @ H.float()).to(H.dtype)


# %% word_vectors: early return, then a list per word
def word_vectors(H, word_ids):
    if all(word is None for word in word_ids):
        return torch.zeros((0, H.shape[-1]), dtype=H.dtype)
    rows = [[] for _ in range(1 + max(w for w in word_ids if w is not None))]
    for position, word in enumerate(word_ids):
        if word is None:
            continue
        rows[word].append(position)
    return torch.stack([torch.mean(H[row], dim=0) for row in rows])


# %% word_vectors: running sums
def word_vectors(H, word_ids):
    sums, counts = [], []
    last = None
    for h, word in zip(H, word_ids):
        if word is not None and word == last:
            sums[-1] = sums[-1] + h
            counts[-1] += 1
        elif word is not None:
            sums.append(h)
            counts.append(1)
        last = word
    if len(sums) == 0:
        return H[0:0]
    return torch.stack([s / n for s, n in zip(sums, counts)])


# %% word_vectors: scatter_reduce
def word_vectors(H: torch.Tensor, word_ids: list[int | None]) -> torch.Tensor:
    kept = [i for i, word in enumerate(word_ids) if word is not None]
    index = torch.tensor([word_ids[i] for i in kept], dtype=torch.long)
    n = len(set(index.tolist()))
    zeros = torch.zeros(n, H.shape[1], dtype=H.dtype)
    index = index[:, None].expand(-1, H.shape[1])
    return zeros.scatter_reduce(0, index, H[kept], reduce="mean", include_self=False)


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


# %% BertClassifier: no_grad around the frozen encoder
class BertClassifier(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder = encoder
        self.frozen = frozen
        self.dropout = nn.Dropout(p=dropout)
        self.output = nn.Linear(in_features=d_model, out_features=1)
        self.encoder.requires_grad_(not frozen)

    def forward(self, ids, mask):
        segments = torch.zeros_like(ids)
        if self.frozen:
            self.encoder.eval()
            with torch.no_grad():
                _, pooled = self.encoder(ids, segments, mask)
        else:
            _, pooled = self.encoder(ids, segments, mask)
        return self.output(self.dropout(pooled)).flatten()


# %% BertClassifier: a helper method
class BertClassifier(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder, self.frozen = encoder, frozen
        self.output = nn.Linear(d_model, 1)
        self.dropout = nn.Dropout(dropout)
        if self.frozen:
            for name, weight in self.encoder.named_parameters():
                weight.requires_grad_(False)

    def pooled(self, ids, mask):
        if self.frozen:
            self.encoder.train(False)
        return self.encoder(ids, torch.full_like(ids, 0), mask)[1]

    def forward(self, ids, mask):
        c = self.dropout(self.pooled(ids, mask))
        return self.output(c)[..., 0]


# %% BertClassifier: functional dropout and linear
class BertClassifier(nn.Module):
    def __init__(self, encoder: nn.Module, d_model: int, dropout: float = 0.1, frozen: bool = False):
        super().__init__()
        self.encoder = encoder
        self.output = nn.Linear(d_model, 1)
        self.dropout = nn.Dropout(dropout)
        self.frozen = frozen
        if frozen:
            self.encoder.requires_grad_(False)

    def forward(self, ids, mask):
        encoder = self.encoder.eval() if self.frozen else self.encoder
        pooled = encoder(ids, ids * 0, mask)[-1]
        pooled = F.dropout(pooled, self.dropout.p, training=self.training)
        return F.linear(pooled, self.output.weight, self.output.bias).squeeze(-1)


# %% BertClassifier: keyword arguments for the encoder
class BertClassifier(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super(BertClassifier, self).__init__()
        if frozen:
            for parameter in encoder.parameters():
                parameter.requires_grad_(False)
            encoder.eval()
        self.frozen = frozen
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)

    def forward(self, ids, mask):
        if self.frozen and self.encoder.training:
            self.encoder.eval()
        B, L = ids.shape
        segments = torch.zeros((B, L), dtype=torch.long)
        vectors, pooled = self.encoder(ids=ids, segments=segments, mask=mask)
        return self.output(self.dropout(pooled)).view(B)


# %% BertClassifier: the score by a dot product
class BertClassifier(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.frozen = frozen
        self.encoder = encoder.requires_grad_(not frozen)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)

    def forward(self, ids, mask):
        self.encoder.train(self.training and not self.frozen)
        c = self.encoder(ids, ids.new_zeros(ids.shape), mask)[1]
        return self.dropout(c) @ self.output.weight[0] + self.output.bias


# %% BertClassifier: two branches
class BertClassifier(nn.Module):
    def __init__(self, encoder, d_model, dropout=0.1, frozen=False):
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(d_model, 1)
        self.frozen = frozen
        for p in encoder.parameters():
            p.requires_grad = not frozen

    def encode(self, ids, mask):
        segments = torch.zeros_like(ids, dtype=torch.long)
        if not self.frozen:
            return self.encoder(ids, segments, mask)[1]
        self.encoder.eval()
        return self.encoder(ids, segments, mask)[1].detach()

    def forward(self, ids, mask):
        scores = self.output(self.dropout(self.encode(ids, mask)))
        return scores.reshape(scores.shape[0])


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


# %% predict_scores: no_grad as a decorator
@torch.no_grad()
def predict_scores(model, inputs, batch_size):
    before = model.training
    model.eval()
    scores = torch.zeros(len(inputs))
    for start in range(0, len(inputs), batch_size):
        batch = inputs[start : start + batch_size]
        ids, segments, mask = pad_inputs([(row, [0] * len(row)) for row in batch], pad=0)
        scores[start : start + len(batch)] = model(ids, mask)
    model.train(before)
    return scores


# %% predict_scores: early return
def predict_scores(model, inputs, batch_size):
    if not inputs:
        return torch.zeros(0)
    was_training = model.training
    model.eval()
    parts = []
    for i in range(0, len(inputs), batch_size):
        rows = inputs[i : i + batch_size]
        ids, _, mask = pad_inputs([(row, [0 for _ in row]) for row in rows], 0)
        with torch.no_grad():
            parts.append(model(ids, mask))
    if was_training:
        model.train()
    return torch.cat(parts, dim=0)


# %% predict_scores: a helper for the batches
def batches_of(inputs, batch_size):
    for start in range(0, len(inputs), batch_size):
        yield inputs[start : start + batch_size]


def predict_scores(model, inputs, batch_size):
    mode = model.training
    model.train(False)
    with torch.no_grad():
        scores = [torch.empty(0)]
        for rows in batches_of(inputs, batch_size):
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.append(model(ids, mask))
    model.train(mode)
    return torch.hstack(scores)


# %% predict_scores: pad_sequence
def predict_scores(model, inputs, batch_size):
    from torch.nn.utils.rnn import pad_sequence

    training, scores = model.training, []
    model.eval()
    rest = list(inputs)
    while rest:
        rows, rest = rest[:batch_size], rest[batch_size:]
        ids = pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=0)
        lengths = torch.tensor([len(row) for row in rows])
        mask = torch.arange(ids.shape[1])[None, :] < lengths[:, None]
        scores += model(ids, mask).detach().tolist()
    model.train(training)
    return torch.tensor(scores)


# %% predict_scores: its own context manager
def predict_scores(model, inputs, batch_size):
    from contextlib import contextmanager

    @contextmanager
    def evaluating():
        before = model.training
        model.eval()
        try:
            with torch.no_grad():
                yield
        finally:
            model.train(before)

    scores = []
    with evaluating():
        for start in range(0, len(inputs), batch_size):
            rows = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in rows], 0)
            scores.extend(model(ids, mask).unbind())
    return torch.stack(scores) if scores else torch.tensor([])


# %% predict_scores: sorted by length, and back
def predict_scores(model: nn.Module, inputs: list[list[int]], batch_size: int) -> torch.Tensor:
    order = sorted(range(len(inputs)), key=lambda i: len(inputs[i]))
    scores = torch.zeros(len(inputs))
    training = model.training
    model.eval()
    with torch.no_grad():
        for start in range(0, len(order), batch_size):
            chosen = order[start : start + batch_size]
            pairs = [(inputs[i], [0] * len(inputs[i])) for i in chosen]
            ids, _, mask = pad_inputs(pairs, 0)
            scores[chosen] = model(ids, mask)
    model.train(training)
    return scores


# %% MaskedLanguageModelTrainer: a loss function as an attribute, labels flattened
class MaskedLanguageModelTrainer:
    def __init__(self, encoder, head, lr):
        self.encoder = encoder
        self.head = head
        self.params = list(encoder.parameters()) + list(head.parameters())
        self.optimizer = torch.optim.AdamW(self.params, lr=lr, weight_decay=0.01)
        self.loss_fn = nn.CrossEntropyLoss(ignore_index=-100)

    def step(self, inputs, segments, mask, labels):
        y = labels.view(-1)
        if int((y != -100).sum()) == 0:
            return 0.0
        self.encoder.train(True)
        self.head.train(True)
        self.optimizer.zero_grad(set_to_none=False)
        vectors = self.encoder(inputs, segments, mask)[0]
        logits = self.head(vectors, self.encoder.embeddings.tokens.weight)
        loss = self.loss_fn(logits.view(y.shape[0], -1), y)
        loss.backward()
        self.optimizer.step()
        return float(loss.detach())


# %% MaskedLanguageModelTrainer: gradients by autograd.grad
class MaskedLanguageModelTrainer:
    def __init__(self, encoder: nn.Module, head: nn.Module, lr: float) -> None:
        self.encoder = encoder
        self.head = head
        parameters = [*encoder.parameters(), *head.parameters()]
        self.optimizer = torch.optim.AdamW(parameters, lr=lr, weight_decay=0.01)

    def loss(self, inputs, segments, mask, labels):
        keep = labels >= 0
        H = self.encoder(inputs, segments, mask)[0][keep]
        log_p = F.log_softmax(self.head(H, self.encoder.embeddings.tokens.weight), -1)
        return F.nll_loss(log_p, labels[keep])

    def step(self, inputs, segments, mask, labels):
        if not (labels >= 0).any():
            return 0.0
        nn.ModuleList([self.encoder, self.head]).train()
        loss = self.loss(inputs, segments, mask, labels)
        parameters = self.optimizer.param_groups[0]["params"]
        for p, g in zip(parameters, torch.autograd.grad(loss, parameters, allow_unused=True)):
            p.grad = g
        self.optimizer.step()
        return loss.item()


# %% MaskedLanguageModelTrainer: sum and number of the losses
class MaskedLanguageModelTrainer:
    def __init__(self, encoder, head, lr):
        self.encoder = encoder
        self.head = head
        self.optimizer = torch.optim.AdamW(
            [*encoder.parameters(), *head.parameters()], lr=lr, weight_decay=0.01
        )

    def step(self, inputs, segments, mask, labels):
        self.encoder.train()
        self.head.train()
        H, pooled = self.encoder(inputs, segments, mask)
        scores = self.head(H, self.encoder.embeddings.tokens.weight)
        total, n = 0, 0
        for s, y in zip(scores, labels):
            total = total + F.cross_entropy(s, y, reduction="sum")
            n += (y != -100).sum().item()
        if n == 0:
            return 0.0
        loss = total / n
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()


# %% BertEmbeddings: a padding_idx, as in transformers
class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, d_model, max_length=512, n_segments=2, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, d_model, padding_idx=0)
        self.positions = nn.Embedding(max_length, d_model)
        self.segments = nn.Embedding(n_segments, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments):
        B, L = ids.shape
        where = torch.arange(L).expand(B, L)
        return self.dropout(self.norm(self.tokens(ids) + self.segments(segments) + self.positions(where)))
