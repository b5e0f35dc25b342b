# %% attention_scores: text by text
def attention_scores(X, v):
    return torch.stack([torch.mv(text, v) for text in X])


# %% attention_scores: a column
def attention_scores(X, v):
    return torch.matmul(X, v.unsqueeze(-1)).squeeze(-1)


# %% attention_scores: transposed
def attention_scores(X, v):
    return (v @ X.transpose(1, 2)).to(X.dtype)


# %% attention_scores: inner
def attention_scores(X, v):
    return torch.inner(X, v)


# %% attention_scores: flat words
def attention_scores(X, v):
    B, L, d = X.shape
    return X.reshape(B * L, d).mv(v).reshape(B, L)


# %% attention_scores: bmm with expanded queries
def attention_scores(X, v):
    queries = v[None, :, None].expand(len(X), -1, 1)
    return torch.bmm(X, queries)[:, :, 0]


# %% attention_scores: two loops
def attention_scores(X: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    rows = [[torch.dot(x, v) for x in text] for text in X]
    return torch.stack([torch.stack(row) for row in rows])


# %% attention_scores: tensordot
def attention_scores(X, v):
    return torch.tensordot(X, v, dims=1)


# %% attention_scores: linear
def attention_scores(X, v):
    return nn.functional.linear(X, v.unsqueeze(0)).squeeze(-1)


# %% attention_scores: component by component
def attention_scores(X, v):
    scores = torch.zeros(X.shape[:2], dtype=X.dtype)
    for j in range(X.shape[2]):
        scores = scores + X[:, :, j] * v[j]
    return scores


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


# %% masked_softmax: only rows with a word
def masked_softmax(r, mask):
    open_ = mask.expand_as(r) & (r > -torch.inf)
    some = open_.any(dim=-1)
    a = torch.zeros_like(r)
    a[some] = torch.softmax(r.masked_fill(~open_, -torch.inf)[some], dim=-1)
    return a


# %% masked_softmax: harmless scores in empty rows
def masked_softmax(r, mask):
    scores = torch.where(mask, r, -torch.inf)
    empty = (scores == -torch.inf).all(dim=-1, keepdim=True)
    scores = torch.where(empty, torch.zeros_like(scores), scores)
    a = torch.softmax(scores, dim=-1)
    return torch.where(empty, torch.zeros_like(a), a)


# %% masked_softmax: lowest finite number, masked again
def masked_softmax(r, mask):
    closed = ~mask | r.isneginf()
    scores = r.masked_fill(closed, torch.finfo(r.dtype).min)
    return scores.softmax(dim=-1).masked_fill(closed, 0.0)


# %% masked_softmax: log_softmax
def masked_softmax(r, mask):
    allowed = mask & (r != float("-inf"))
    scores = r.masked_fill(~allowed, torch.finfo(r.dtype).min)
    return torch.log_softmax(scores, dim=-1).exp() * allowed


# %% masked_softmax: row by row
def masked_softmax(r, mask):
    mask = torch.broadcast_to(mask, r.shape)
    flat_r, flat_mask = r.reshape(-1, r.shape[-1]), mask.reshape(-1, r.shape[-1])
    rows = []
    for scores, real in zip(flat_r, flat_mask):
        use = real & (scores != -torch.inf)
        weights = torch.zeros_like(scores)
        if use.any():
            weights = weights.masked_scatter(use, torch.softmax(scores[use], dim=0))
        rows.append(weights)
    return torch.stack(rows).reshape(r.shape)


# %% masked_softmax: exponentials and a safe denominator
def masked_softmax(r: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    r = torch.where(mask, r, torch.full_like(r, -math.inf))
    m = torch.max(r, dim=-1, keepdim=True).values
    m = torch.where(torch.isfinite(m), m, torch.zeros_like(m))
    numerator = (r - m).exp()
    denominator = numerator.sum(-1, keepdim=True)
    return numerator / torch.where(denominator > 0, denominator, torch.ones_like(denominator))


# %% masked_softmax: in float32 and back
def masked_softmax(r, mask):
    open_ = mask & (r != -torch.inf)
    wide = r.to(torch.promote_types(r.dtype, torch.float32))
    low = torch.finfo(wide.dtype).min
    a = nn.functional.softmax(wide.masked_fill(~open_, low), dim=-1)
    return (a * open_).to(r.dtype)


# %% masked_softmax: clamps the maximum from below
def masked_softmax(r, mask):
    scores = torch.where(mask, r, float("-inf"))
    low = torch.finfo(r.dtype).min
    m = scores.max(dim=-1, keepdim=True).values.clamp(min=low)
    e = torch.exp(scores - m)
    return e / e.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(r.dtype).tiny)


# %% attend: multiply and add
def attend(a, X):
    return (a[..., None] * X).sum(dim=1)


# %% attend: bmm
def attend(a, X):
    return torch.bmm(a.unsqueeze(1), X).squeeze(1)


# %% attend: transposed matrix product
def attend(a, X):
    return (X.transpose(1, 2) @ a.unsqueeze(-1)).squeeze(-1)


# %% attend: word by word
def attend(a, X):
    h = torch.zeros(X.shape[0], X.shape[2], dtype=X.dtype)
    for i in range(X.shape[1]):
        h = h + a[:, i : i + 1] * X[:, i]
    return h


# %% attend: expanded weights
def attend(a, X):
    weights = a.unsqueeze(2).expand_as(X)
    return torch.mul(weights, X).sum(axis=1)


# %% attend: einsum the other way round
def attend(a: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
    return torch.einsum("bld,bl->bd", [X, a])


# %% attend: vector-matrix products in a loop
def attend(a, X):
    h = []
    for b in range(a.size(0)):
        h.append(torch.mv(X[b].t(), a[b]))
    return torch.stack(h, 0)


# %% attend: matmul and indexing
def attend(a, X):
    return torch.matmul(a.reshape(len(a), 1, -1), X)[:, 0]


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


# %% AttentionClassifier: zeros by init
class AttentionClassifier(nn.Module):
    def __init__(self, n_words, dim):
        super(AttentionClassifier, self).__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim), requires_grad=True)
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        scores = attention_scores(X=X, v=self.v)
        return masked_softmax(r=scores, mask=mask)

    def forward(self, ids, mask):
        X = self.embedding(ids)
        a = self.attention(ids, mask)
        h = attend(a, X)
        return self.output(h)[..., 0]


# %% AttentionClassifier: register_parameter and bmm
class AttentionClassifier(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.register_parameter("v", nn.Parameter(torch.zeros(dim)))
        self.output = nn.Linear(in_features=dim, out_features=1)
        self.embedding = nn.Embedding(n_words, dim)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.matmul(X, self.v[:, None])[..., 0]
        return masked_softmax(r, mask)

    def forward(self, ids, mask):
        a = self.attention(ids, mask)
        h = torch.bmm(a[:, None, :], self.embedding(ids))[:, 0, :]
        return self.output(h).flatten()


# %% AttentionClassifier: a helper that returns both
class AttentionClassifier(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.output = nn.Linear(dim, 1)
        self.v = nn.Parameter(torch.zeros((dim,)))

    def look_and_weigh(self, ids, mask):
        X = self.embedding(ids)
        return X, masked_softmax(X @ self.v, mask)

    def attention(self, ids, mask):
        return self.look_and_weigh(ids, mask)[1]

    def forward(self, ids, mask):
        X, a = self.look_and_weigh(ids, mask)
        return self.output((X * a.unsqueeze(-1)).sum(dim=-2)).squeeze(dim=-1)


# %% AttentionClassifier: functional layers
class AttentionClassifier(nn.Module):
    def __init__(self, n_words: int, dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = nn.functional.embedding(ids, self.embedding.weight)
        return masked_softmax(torch.inner(X, self.v), mask)

    def forward(self, ids, mask):
        h = attend(self.attention(ids, mask), self.embedding.weight[ids])
        logits = nn.functional.linear(h, self.output.weight, self.output.bias)
        return logits.reshape(-1)


# %% AttentionClassifier: its own softmax
class AttentionClassifier(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        scores = (self.embedding(ids) * self.v).sum(-1)
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        return torch.softmax(scores, dim=-1) * mask

    def forward(self, ids, mask):
        a = self.attention(ids, mask)
        logits_of_words = self.embedding(ids) @ self.output.weight[0]
        return (a * logits_of_words).sum(dim=1) + self.output.bias


# %% AttentionClassifier: rows of the table, scored first
class AttentionClassifier(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        score_of_each_word = self.embedding.weight @ self.v
        return masked_softmax(score_of_each_word[ids], mask)

    def forward(self, ids, mask):
        a = self.attention(ids, mask)
        logits = [
            self.output(weights @ self.embedding(text)) for weights, text in zip(a, ids)
        ]
        return torch.cat(logits)


# %% AttentionClassifier: initialized in a method of its own
class AttentionClassifier(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.randn(dim))
        self.output = nn.Linear(dim, 1)
        self.reset()

    @torch.no_grad()
    def reset(self):
        self.v.fill_(0.0)

    def attention(self, ids, mask):
        vectors = self.embedding(ids)
        return masked_softmax((vectors @ self.v.view(-1, 1)).squeeze(2), mask)

    def forward(self, ids, mask):
        vectors = self.embedding(ids)
        weights = self.attention(ids, mask).unsqueeze(dim=2)
        h = vectors.mul(weights).sum(dim=1)
        return self.output(h).squeeze(1)


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


# %% leave_one_out: pop from a copy
def leave_one_out(score, tokens):
    full = score(tokens)
    importances = []
    for i in range(len(tokens)):
        without = tokens.copy()
        without.pop(i)
        importances.append(full - score(without))
    return torch.tensor(importances, dtype=torch.float32)


# %% leave_one_out: a helper for one position
def leave_one_out(score, tokens):
    def without(i):
        return [*tokens[:i], *tokens[i + 1 :]]

    scores = torch.tensor([float(score(without(i))) for i in range(len(tokens))])
    return float(score(list(tokens))) - scores


# %% leave_one_out: early return
def leave_one_out(score, tokens):
    if not tokens:
        return torch.zeros(0)
    whole = score(list(tokens))
    rest = [score(tokens[0:i] + tokens[i + 1 : len(tokens)]) for i in range(len(tokens))]
    return torch.tensor([whole - part for part in rest]).float()


# %% leave_one_out: combinations
def leave_one_out(score, tokens):
    from itertools import combinations

    shorter = list(combinations(tokens, len(tokens) - 1))[::-1] if tokens else []
    full = score(tokens)
    return torch.tensor([full - score(list(words)) for words in shorter], dtype=torch.float)


# %% leave_one_out: filter
def leave_one_out(score, tokens):
    n = len(tokens)
    result = torch.empty(n)
    everything = score(tokens)
    for i in range(n):
        kept = filter(lambda j: j != i, range(n))
        result[i] = everything - score([tokens[j] for j in kept])
    return result


# %% leave_one_out: numpy
def leave_one_out(score: Callable[[list[str]], float], tokens: list[str]) -> torch.Tensor:
    import numpy as np

    full = score(tokens)
    changes = [full - score(tokens[:i] + tokens[i + 1 :]) for i, _ in enumerate(tokens)]
    return torch.from_numpy(np.array(changes, dtype=np.float32))


# %% leave_one_out: two growing lists
def leave_one_out(score, tokens):
    full = score(tokens)
    before, after, importances = [], list(tokens), []
    while after:
        word = after.pop(0)
        importances.append(full - score(before + after))
        before = before + [word]
    return torch.tensor(importances, dtype=torch.float32)


# %% leave_one_out: a dictionary of shorter texts
def leave_one_out(score, tokens):
    shorter = {i: tokens[:i] + tokens[i + 1 :] for i in range(len(tokens))}
    full = float(score(tokens))
    scores = torch.tensor([float(score(text)) for text in shorter.values()])
    return torch.full((len(tokens),), full) - scores


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


# %% key_value_attention: its own helper for the scores
def key_value_attention(X, mask, q, W_K, W_V):
    def scaled(K):
        return K @ q / K.size(-1) ** 0.5

    keys, values = X @ W_K, X @ W_V
    weights = masked_softmax(scaled(keys), mask)
    return attend(a=weights, X=values), weights


# %% key_value_attention: text by text
def key_value_attention(X, mask, q, W_K, W_V):
    texts, weights = [], []
    for x, m in zip(X, mask):
        K, V = x @ W_K, x @ W_V
        a = masked_softmax(K @ q / math.sqrt(len(q)), m)
        texts.append(a @ V)
        weights.append(a)
    return torch.stack(texts), torch.stack(weights)


# %% key_value_attention: the query goes through W_K
def key_value_attention(X, mask, q, W_K, W_V):
    direction = W_K @ (q / math.sqrt(q.shape[0]))
    a = masked_softmax(X @ direction, mask)
    return attend(a, X) @ W_V, a


# %% key_value_attention: bmm
def key_value_attention(X, mask, q, W_K, W_V):
    K = torch.matmul(X, W_K).div(math.sqrt(W_K.shape[1]))
    r = torch.bmm(K, q.view(1, -1, 1).expand(X.shape[0], -1, -1)).squeeze(2)
    a = masked_softmax(r, mask)
    return torch.bmm(a.unsqueeze(1), torch.matmul(X, W_V)).squeeze(1), a


# %% key_value_attention: linear with transposed matrices
def key_value_attention(X, mask, q, W_K, W_V):
    keys = nn.functional.linear(X, W_K.T)
    values = nn.functional.linear(X, W_V.T)
    scores = attention_scores(keys, q) * q.shape[-1] ** -0.5
    weights = masked_softmax(scores, mask)
    h = torch.sum(weights[:, :, None] * values, dim=1)
    return h, weights


# %% key_value_attention: one matrix for keys and values
def key_value_attention(X, mask, q, W_K, W_V):
    d_k = W_K.shape[1]
    both = X @ torch.cat([W_K, W_V], dim=1)
    K, V = both[..., :d_k], both[..., d_k:]
    a = masked_softmax((K * q).sum(dim=-1) / d_k**0.5, mask)
    return attend(a, V), a


# %% key_value_attention: softmax with the lowest number
def key_value_attention(X, mask, q, W_K, W_V):
    K, V = X @ W_K, X @ W_V
    r = (K @ q) / torch.tensor(float(K.shape[-1])).sqrt().to(K.dtype)
    r = r.masked_fill(~mask, torch.finfo(r.dtype).min)
    a = torch.softmax(r, dim=1).masked_fill(~mask, 0)
    return torch.einsum("bl,blv->bv", a, V), a


# %% key_value_attention: appends text by text
def key_value_attention(X, mask, q, W_K, W_V):
    K, V = (torch.matmul(X, W) for W in (W_K, W_V))
    query = q / math.sqrt(len(q))
    h, a = [], []
    for keys, values, real in zip(K, V, mask):
        weights = masked_softmax(keys.mv(query), real)
        h += [weights @ values]
        a += [weights]
    return torch.stack(h), torch.stack(a)


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


# %% soft_dictionary: scales the queries
def soft_dictionary(Q, K, V, sharpness=1.0):
    queries = Q.float() * sharpness / math.sqrt(Q.shape[1])
    weights = torch.softmax(queries @ K.float().mT, dim=1)
    return torch.matmul(weights, V.float()).to(V.dtype)


# %% soft_dictionary: early return for the empty dictionary
def soft_dictionary(Q, K, V, sharpness=1.0):
    if len(K) == 0:
        return torch.zeros(len(Q), V.shape[1], dtype=V.dtype)
    scores = torch.einsum("md,nd->mn", Q.float(), K.float())
    scores = scores.mul(sharpness).div(Q.shape[-1] ** 0.5)
    scores = scores - scores.max(dim=1, keepdim=True).values
    e = scores.exp()
    return (e / e.sum(dim=1, keepdim=True) @ V.float()).to(V.dtype)


# %% soft_dictionary: masked_softmax with a mask of True
def soft_dictionary(Q, K, V, sharpness=1.0):
    Qf, Kf, Vf = (t.to(torch.float32) for t in (Q, K, V))
    if Kf.shape[0] == 0:
        return V.new_zeros(Q.shape[0], V.shape[1])
    r = sharpness / math.sqrt(Qf.shape[1]) * Qf @ Kf.T
    a = masked_softmax(r, torch.ones_like(r, dtype=torch.bool))
    return (a @ Vf).to(V.dtype)


# %% soft_dictionary: multiply and add
def soft_dictionary(Q, K, V, sharpness=1.0):
    products = (Q.float()[:, None] * K.float()[None]).sum(dim=-1)
    weights = nn.functional.softmax(sharpness * products / Q.size(1) ** 0.5, dim=-1)
    return (weights[:, :, None] * V.float()[None]).sum(dim=1).to(V.dtype)


# %% soft_dictionary: PyTorch's own attention
def soft_dictionary(Q, K, V, sharpness=1.0):
    if K.shape[0] == 0:
        return torch.zeros(Q.shape[0], V.shape[1]).to(V.dtype)
    answers = nn.functional.scaled_dot_product_attention(
        (sharpness * Q.float())[None], K.float()[None], V.float()[None]
    )
    return answers[0].to(V.dtype)


# %% soft_dictionary: a helper for one query
def answer(q, K, V, sharpness):
    scores = sharpness * torch.mv(K, q) / len(q) ** 0.5
    return torch.softmax(scores, dim=-1) @ V


def soft_dictionary(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, sharpness: float = 1.0
) -> torch.Tensor:
    answers = [answer(q, K.float(), V.float(), sharpness) for q in Q.float()]
    return torch.stack(answers, dim=0).to(dtype=V.dtype)


# %% soft_dictionary: transposed
def soft_dictionary(Q, K, V, sharpness=1.0):
    scores = K.float() @ Q.float().T / math.sqrt(K.shape[1])
    weights = (sharpness * scores).softmax(dim=0)
    return (V.float().T @ weights).T.to(V.dtype)


# %% soft_dictionary: log_softmax in float32
def soft_dictionary(Q, K, V, sharpness=1.0):
    Q32, K32, V32 = Q.to(torch.float32), K.to(torch.float32), V.to(torch.float32)
    scores = torch.matmul(Q32, K32.transpose(0, 1)).div_(math.sqrt(Q.shape[-1])).mul_(sharpness)
    weights = torch.log_softmax(scores, dim=1).exp()
    return torch.einsum("mn,nv->mv", weights, V32).to(V.dtype)


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


# %% multi_head_attention_pooling: matmul with the transposed queries
def multi_head_attention_pooling(X, mask, vs):
    r = torch.matmul(X, vs.T).transpose(1, 2)
    a = masked_softmax(r, mask[:, None])
    return torch.matmul(a, X).reshape(len(X), -1), a


# %% multi_head_attention_pooling: comprehension
def multi_head_attention_pooling(X, mask, vs):
    weights = [masked_softmax(X @ v, mask) for v in vs]
    heads = [attend(a, X) for a in weights]
    return torch.cat(heads, dim=-1), torch.stack(weights, 1)


# %% multi_head_attention_pooling: fills a tensor of the result
def multi_head_attention_pooling(X, mask, vs):
    B, L, d = X.shape
    H = vs.shape[0]
    h = torch.zeros(B, H * d, dtype=X.dtype)
    a = torch.zeros(B, H, L, dtype=X.dtype)
    for j in range(H):
        weights = masked_softmax(attention_scores(X, vs[j]), mask)
        a[:, j] = weights
        h[:, j * d : (j + 1) * d] = attend(weights, X)
    return h, a


# %% multi_head_attention_pooling: broadcasting
def multi_head_attention_pooling(X, mask, vs):
    r = (X[:, None] * vs[None, :, None]).sum(dim=-1)
    a = masked_softmax(r, mask.unsqueeze(1).expand_as(r))
    h = (a[..., None] * X[:, None]).sum(dim=2)
    return h.flatten(start_dim=1), a


# %% multi_head_attention_pooling: text by text
def multi_head_attention_pooling(X, mask, vs):
    pooled, weights = [], []
    for text, real in zip(X, mask):
        a = masked_softmax(vs @ text.T, real)
        pooled.append((a @ text).reshape(-1))
        weights.append(a)
    return torch.stack(pooled), torch.stack(weights)


# %% multi_head_attention_pooling: bmm with expanded queries
def multi_head_attention_pooling(X, mask, vs):
    B = X.shape[0]
    r = torch.bmm(vs.unsqueeze(0).expand(B, -1, -1), X.permute(0, 2, 1))
    a = masked_softmax(r, mask[:, None, :])
    h = torch.bmm(a, X)
    return torch.cat([h[:, j] for j in range(len(vs))], dim=1), a


# %% multi_head_attention_pooling: helper for one head
def multi_head_attention_pooling(
    X: torch.Tensor, mask: torch.Tensor, vs: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    def head(v):
        a = masked_softmax(attention_scores(X, v), mask)
        return attend(a, X), a

    sums, weights = zip(*map(head, vs))
    return torch.hstack(sums), torch.stack(weights, dim=-2)


# %% multi_head_attention_pooling: stacks over the heads
def multi_head_attention_pooling(X, mask, vs):
    H = vs.shape[0]
    scores = torch.stack([(X * v).sum(-1) for v in vs], dim=1)
    weights = masked_softmax(scores, mask.unsqueeze(1).repeat(1, H, 1))
    sums = torch.stack([(weights[:, j, :, None] * X).sum(1) for j in range(H)], dim=1)
    return sums.reshape(X.shape[0], -1), weights


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


# %% split_into_sentences: append to the last sentence
def split_into_sentences(tokens):
    sentences = []
    for i, token in enumerate(tokens):
        if i > 0 and (token in END_MARKS or tokens[i - 1] not in END_MARKS):
            sentences[-1].append(token)
        else:
            sentences.append([token])
    return sentences


# %% split_into_sentences: recursive
def split_into_sentences(tokens):
    if not tokens:
        return []
    end = 0
    while end < len(tokens) and tokens[end] not in END_MARKS:
        end += 1
    while end < len(tokens) and tokens[end] in END_MARKS:
        end += 1
    return [list(tokens[:end])] + split_into_sentences(tokens[end:])


# %% split_into_sentences: groupby
def split_into_sentences(tokens):
    from itertools import groupby

    sentences = []
    for is_mark, group in groupby(tokens, key=lambda token: token in END_MARKS):
        if is_mark and sentences:
            sentences[-1].extend(group)
        else:
            sentences.append(list(group))
    return sentences


# %% split_into_sentences: a flag
def split_into_sentences(tokens):
    sentences, current, ended = [], [], False
    for token in tokens:
        is_mark = token in END_MARKS
        if ended and not is_mark:
            sentences.append(current)
            current = []
        current = current + [token]
        ended = is_mark
    if current:
        sentences.append(current)
    return sentences


# %% split_into_sentences: numbers the sentences
def split_into_sentences(tokens):
    number, sentences = 0, {}
    for i, token in enumerate(tokens):
        if i and tokens[i - 1] in END_MARKS and token not in END_MARKS:
            number += 1
        sentences.setdefault(number, []).append(token)
    return list(sentences.values())


# %% split_into_sentences: a generator
def split_into_sentences(tokens: list[str]) -> list[list[str]]:
    def sentences():
        start = 0
        for i in range(1, len(tokens)):
            if tokens[i - 1] in END_MARKS and tokens[i] not in END_MARKS:
                yield tokens[start:i]
                start = i
        if tokens:
            yield tokens[start:]

    return list(sentences())


# %% split_into_sentences: zip of neighbors
def split_into_sentences(tokens):
    if len(tokens) == 0:
        return []
    result = [[tokens[0]]]
    for before, token in zip(tokens, tokens[1:]):
        if before in END_MARKS and token not in END_MARKS:
            result.append([])
        result[-1] += [token]
    return result


# %% split_into_sentences: an iterator and a stack
def split_into_sentences(tokens):
    sentences = []
    rest = list(reversed(tokens))
    while rest:
        sentence = [rest.pop()]
        while rest and not (sentence[-1] in END_MARKS and rest[-1] not in END_MARKS):
            sentence.append(rest.pop())
        sentences.append(sentence)
    return sentences


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


# %% HierarchicalAttention: einsum
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer = nn.Linear(dim, dim)
        self.sentence_layer = nn.Linear(dim, dim)
        self.word_v = nn.Parameter(torch.zeros(dim))
        self.sentence_v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.einsum("bsld,d->bsl", self.word_layer(X).tanh(), self.word_v)
        a = masked_softmax(r, mask)
        h_s = torch.einsum("bsl,bsld->bsd", a, X)
        r_s = torch.einsum("bsd,d->bs", self.sentence_layer(h_s).tanh(), self.sentence_v)
        b = masked_softmax(r_s, torch.any(mask, dim=2))
        return a, b, torch.einsum("bs,bsd->bd", b, h_s)

    def forward(self, ids, mask):
        a, b, h = self.attention(ids, mask)
        return self.output(h).flatten()


# %% HierarchicalAttention: matrix products
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.output = nn.Linear(dim, 1)
        self.embedding = nn.Embedding(n_words, dim)
        self.word_v, self.sentence_v = (nn.Parameter(torch.zeros(dim)) for _ in range(2))
        self.word_layer, self.sentence_layer = (nn.Linear(dim, dim) for _ in range(2))

    def attention(self, ids, mask):
        X = self.embedding(ids)
        word_scores = torch.matmul(torch.tanh(self.word_layer(X)), self.word_v)
        word_weights = masked_softmax(word_scores, mask)
        sentences = (word_weights.unsqueeze(-2) @ X).squeeze(-2)
        sentence_scores = torch.matmul(torch.tanh(self.sentence_layer(sentences)), self.sentence_v)
        sentence_weights = masked_softmax(sentence_scores, mask.sum(-1).bool())
        return word_weights, sentence_weights, attend(sentence_weights, sentences)

    def forward(self, ids, mask):
        h = self.attention(ids, mask)[-1]
        return (h @ self.output.weight.T + self.output.bias)[:, 0]


# %% HierarchicalAttention: sentence by sentence
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer = nn.Linear(dim, dim)
        self.word_v = nn.Parameter(torch.zeros(dim))
        self.sentence_layer = nn.Linear(dim, dim)
        self.sentence_v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def words(self, ids, mask):
        X = self.embedding(ids)
        a = masked_softmax(torch.tanh(self.word_layer(X)) @ self.word_v, mask)
        return a, attend(a, X)

    def attention(self, ids, mask):
        found = [self.words(ids[:, s], mask[:, s]) for s in range(ids.shape[1])]
        a_words = torch.stack([a for a, _ in found], dim=1)
        h = torch.stack([h for _, h in found], dim=1)
        r = torch.tanh(self.sentence_layer(h)) @ self.sentence_v
        a_sentences = masked_softmax(r, mask.any(dim=2))
        return a_words, a_sentences, attend(a_sentences, h)

    def forward(self, ids, mask):
        _, _, h = self.attention(ids, mask)
        return self.output(h).squeeze(-1)


# %% HierarchicalAttention: a nested function for a level
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words: int, dim: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        for name in ("word", "sentence"):
            setattr(self, f"{name}_layer", nn.Linear(dim, dim))
            setattr(self, f"{name}_v", nn.Parameter(torch.zeros(dim)))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        def weights(vectors, name, real):
            layer, v = getattr(self, f"{name}_layer"), getattr(self, f"{name}_v")
            return masked_softmax((layer(vectors).tanh() * v).sum(dim=-1), real)

        X = self.embedding(ids)
        a = weights(X, "word", mask)
        h = torch.sum(a[:, :, :, None] * X, dim=2)
        b = weights(h, "sentence", mask.any(-1))
        return a, b, torch.sum(b[:, :, None] * h, dim=1)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[..., 0]


# %% HierarchicalAttention: a function beside the class
def pool_by_attention(vectors, mask, layer, v):
    weights = masked_softmax(torch.inner(torch.tanh(layer(vectors)), v), mask)
    return weights, torch.einsum("...l,...ld->...d", weights, vectors)


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
        X = self.embedding(ids)
        a, h = pool_by_attention(X, mask, self.word_layer, self.word_v)
        real = mask.any(dim=-1)
        b, text = pool_by_attention(h, real, self.sentence_layer, self.sentence_v)
        return (a, b, text)

    def forward(self, ids, mask):
        *_, h = self.attention(ids, mask)
        return nn.functional.linear(h, self.output.weight, self.output.bias).view(-1)


# %% HierarchicalAttention: softmax with the lowest number
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer = nn.Linear(dim, dim)
        self.word_v = nn.Parameter(torch.zeros(dim))
        self.sentence_layer = nn.Linear(dim, dim)
        self.sentence_v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def weights(self, r, mask):
        r = r.masked_fill(~mask, torch.finfo(r.dtype).min)
        return torch.softmax(r, dim=-1) * mask

    def attention(self, ids, mask):
        X = self.embedding(ids)
        a = self.weights(torch.tanh(self.word_layer(X)).matmul(self.word_v), mask)
        h = torch.matmul(a[:, :, None, :], X)[:, :, 0]
        real = mask.sum(dim=2) > 0
        b = self.weights(torch.tanh(self.sentence_layer(h)).matmul(self.sentence_v), real)
        return a, b, torch.matmul(b[:, None, :], h)[:, 0]

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2]).view(-1)


# %% HierarchicalAttention: scores with linear layers in functional form
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v, self.sentence_v = nn.Parameter(torch.zeros(dim)), nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        B, S, L = ids.shape
        X = self.embedding(ids.flatten(0, 1))
        keys = torch.tanh(X @ self.word_layer.weight.T + self.word_layer.bias)
        a = masked_softmax(attention_scores(keys, self.word_v), mask.flatten(0, 1))
        h = attend(a, X).unflatten(0, (B, S))
        keys = torch.tanh(h @ self.sentence_layer.weight.T + self.sentence_layer.bias)
        b = masked_softmax(attention_scores(keys, self.sentence_v), mask.any(dim=2))
        return a.unflatten(0, (B, S)), b, attend(b, h)

    def forward(self, ids, mask):
        weights_and_text = self.attention(ids, mask)
        return self.output(weights_and_text[-1]).squeeze(-1)


# %% masked_softmax: the logarithm of the sum
def masked_softmax(r, mask):
    mask = mask.expand_as(r) & (r != -torch.inf)
    some = mask.any(dim=-1, keepdim=True)
    x = torch.where(mask, r, -torch.inf)
    x = torch.where(some, x, 0.0)
    a = torch.exp(x - torch.logsumexp(x, dim=-1, keepdim=True))
    return torch.where(some, a, 0.0)
