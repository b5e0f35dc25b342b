# %% attention_scores: einsum
def attention_scores(X, v):
    return torch.einsum("bld,d->bl", X, v)


# %% attention_scores: multiply and add
def attention_scores(X, v):
    return (X * v).sum(dim=-1)


# %% attention_scores: text by text
def attention_scores(X, v):
    return torch.stack([torch.mv(text, v) for text in X])


# %% attention_scores: a column
def attention_scores(X, v):
    return torch.matmul(X, v.unsqueeze(-1)).squeeze(-1)


# %% masked_softmax: a finite lowest number
def masked_softmax(r, mask):
    mask = mask.expand(r.shape) & (r != -torch.inf)
    low = torch.finfo(r.dtype).min
    a = torch.softmax(torch.where(mask, r, torch.full_like(r, low)), dim=-1)
    return torch.where(mask, a, torch.zeros_like(a))


# %% masked_softmax: by hand with where
def masked_softmax(r, mask):
    open_ = mask & torch.isfinite(r)
    safe = torch.where(open_, r, torch.zeros_like(r))
    low = torch.where(open_, safe, torch.full_like(r, torch.finfo(r.dtype).min))
    m = low.max(dim=-1, keepdim=True).values.detach()
    e = torch.where(open_, torch.exp(torch.where(open_, safe - m, torch.zeros_like(r))), 0 * safe)
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))


# %% attend: multiply and add
def attend(a, X):
    return (a[..., None] * X).sum(dim=1)


# %% attend: bmm
def attend(a, X):
    return torch.bmm(a.unsqueeze(1), X).squeeze(1)


# %% attend: text by text
def attend(a, X):
    return torch.stack([weights @ words for weights, words in zip(a, X)])


# %% attend: einsum
def attend(a, X):
    return torch.einsum("bl,bld->bd", a, X)


# %% AttentionClassifier: looks up once
class AttentionClassifier(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.v = nn.Parameter(torch.zeros(dim))
        self.embedding = nn.Embedding(n_words, dim)
        self.output = nn.Linear(dim, 1)

    def weights_of(self, X, mask):
        return masked_softmax(X @ self.v, mask)

    def attention(self, ids, mask):
        return self.weights_of(self.embedding(ids), mask)

    def forward(self, ids, mask):
        X = self.embedding(ids)
        h = (self.weights_of(X, mask)[:, :, None] * X).sum(1)
        return self.output(h)[:, 0]


# %% AttentionClassifier: einsum
class AttentionClassifier(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(num_embeddings=n_words, embedding_dim=dim)
        self.output = nn.Linear(dim, 1, bias=True)
        self.v = nn.Parameter(torch.empty(dim))
        nn.init.zeros_(self.v)

    def attention(self, ids, mask):
        r = torch.einsum("bld,d->bl", self.embedding(ids), self.v)
        return masked_softmax(r, mask)

    def forward(self, ids, mask):
        a = self.attention(ids, mask)
        h = torch.einsum("bl,bld->bd", a, self.embedding(ids))
        return self.output(h).view(-1)


# %% leave_one_out: fills a tensor
def leave_one_out(score, tokens):
    whole = score(tokens)
    importance = torch.zeros(len(tokens))
    for i in range(len(tokens)):
        rest = list(tokens)
        del rest[i]
        importance[i] = whole - score(rest)
    return importance


# %% leave_one_out: enumerate
def leave_one_out(score, tokens):
    full = score(tokens)
    values = [
        full - score([t for j, t in enumerate(tokens) if j != i]) for i in range(len(tokens))
    ]
    return torch.tensor(values, dtype=torch.float32)


# %% key_value_attention: scales the query
def key_value_attention(X, mask, q, W_K, W_V):
    keys = torch.matmul(X, W_K)
    values = torch.matmul(X, W_V)
    scores = (keys * (q / q.shape[0] ** 0.5)).sum(-1)
    weights = masked_softmax(scores, mask)
    return (weights.unsqueeze(-1) * values).sum(1), weights


# %% key_value_attention: einsum
def key_value_attention(X, mask, q, W_K, W_V):
    K = torch.einsum("bld,dk->blk", X, W_K)
    V = torch.einsum("bld,dv->blv", X, W_V)
    a = masked_softmax(torch.einsum("blk,k->bl", K, q) / math.sqrt(len(q)), mask)
    return torch.einsum("bl,blv->bv", a, V), a


# %% soft_dictionary: query by query
def soft_dictionary(Q, K, V, sharpness=1.0):
    answers = []
    for q in Q.float():
        scores = sharpness * (K.float() @ q) / math.sqrt(len(q))
        answers.append(torch.softmax(scores, dim=0) @ V.float())
    return torch.stack(answers).to(V.dtype)


# %% soft_dictionary: einsum
def soft_dictionary(Q, K, V, sharpness=1.0):
    d = Q.shape[-1]
    s = torch.einsum("md,nd->mn", Q.float(), K.float()) * (sharpness / d**0.5)
    return torch.einsum("mn,nv->mv", s.softmax(dim=-1), V.float()).type_as(V)


# %% multi_head_attention_pooling: head by head
def multi_head_attention_pooling(X, mask, vs):
    all_h, all_a = [], []
    for v in vs:
        a = masked_softmax(attention_scores(X, v), mask)
        all_a.append(a)
        all_h.append(attend(a, X))
    return torch.cat(all_h, dim=1), torch.stack(all_a, dim=1)


# %% multi_head_attention_pooling: einsum
def multi_head_attention_pooling(X, mask, vs):
    B, _, D = X.shape
    a = masked_softmax(torch.einsum("bld,hd->bhl", X, vs), mask.unsqueeze(1))
    return torch.einsum("bhl,bld->bhd", a, X).reshape(B, len(vs) * D), a


# %% split_into_sentences: looks ahead
def split_into_sentences(tokens):
    sentences, current = [], []
    for i, token in enumerate(tokens):
        current.append(token)
        following = tokens[i + 1] if i + 1 < len(tokens) else None
        if following is None or (token in END_MARKS and following not in END_MARKS):
            sentences.append(current)
            current = []
    return sentences


# %% split_into_sentences: slices between ends
def split_into_sentences(tokens):
    starts = [
        i
        for i in range(len(tokens))
        if i == 0 or (tokens[i - 1] in END_MARKS and tokens[i] not in END_MARKS)
    ]
    return [tokens[i:j] for i, j in zip(starts, [*starts[1:], len(tokens)])]


# %% HierarchicalAttention: one helper for both levels
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v = nn.Parameter(torch.zeros(dim))
        self.sentence_v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    @staticmethod
    def level(X, mask, layer, v):
        a = masked_softmax(layer(X).tanh() @ v, mask)
        return a, (a.unsqueeze(-1) * X).sum(dim=-2)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        a, h = self.level(X, mask, self.word_layer, self.word_v)
        b, text = self.level(h, mask.any(-1), self.sentence_layer, self.sentence_v)
        return a, b, text

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[-1])[:, 0]


# %% HierarchicalAttention: flattens the sentences
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer = nn.Linear(dim, dim)
        self.word_v = nn.Parameter(torch.zeros(dim))
        self.sentence_layer = nn.Linear(dim, dim)
        self.sentence_v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        B, S, L = ids.shape
        X = self.embedding(ids).view(B * S, L, -1)
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = masked_softmax(r, mask.reshape(B * S, L))
        h = attend(a, X).view(B, S, -1)
        scores = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        b = masked_softmax(scores, mask.sum(dim=2) > 0)
        return a.view(B, S, L), b, attend(b, h)

    def forward(self, ids, mask):
        _, _, h = self.attention(ids, mask)
        return self.output(h).squeeze(1)
