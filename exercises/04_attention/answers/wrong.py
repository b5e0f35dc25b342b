# %% masked_softmax: a plain softmax, padding set to 0 afterwards | masks_afterwards
def masked_softmax(r, mask):
    a = torch.softmax(r, dim=-1)
    return a * mask


# %% masked_softmax: minus infinity and nothing for empty rows | nan_for_empty_text
def masked_softmax(r, mask):
    r = r.masked_fill(~mask, float("-inf"))
    return torch.softmax(r, dim=-1)


# %% masked_softmax: minus a billion | fills_with_minus_a_billion
def masked_softmax(r, mask):
    return torch.softmax(r.masked_fill(~mask, -1e9), dim=-1)


# %% masked_softmax: minus a billion, padding set to 0 afterwards | fills_with_minus_a_billion
def masked_softmax(r, mask):
    a = torch.softmax(r.masked_fill(~mask, -1e9), dim=-1)
    return a * mask


# %% masked_softmax: the lowest number, padding set to 0 afterwards | nan_for_forbidden_words
def masked_softmax(r, mask):
    lowest = torch.finfo(r.dtype).min
    return torch.softmax(r.masked_fill(~mask, lowest), dim=-1) * mask


# %% masked_softmax: takes care of empty texts alone | nan_for_forbidden_words
def masked_softmax(r, mask):
    r = r.masked_fill(~mask, -torch.inf)
    r = torch.where(mask.any(dim=-1, keepdim=True), r, 0.0)
    return torch.softmax(r, dim=-1) * mask


# %% masked_softmax: no maximum | overflows_before_the_mask
def masked_softmax(r, mask):
    e = torch.exp(r) * mask
    s = e.sum(-1, keepdim=True)
    return e / s.masked_fill(s == 0, 1)


# %% masked_softmax: the maximum of all positions | maximum_over_padding
def masked_softmax(r, mask):
    e = torch.exp(r - r.max(dim=-1, keepdim=True).values) * mask
    s = e.sum(-1, keepdim=True)
    return e / s.masked_fill(s == 0, 1)


# %% masked_softmax: the maximum of all positions, a clamped sum | maximum_over_padding
def masked_softmax(r, mask):
    e = torch.exp(r - r.amax(-1, keepdim=True)) * mask
    return e / e.sum(-1, keepdim=True).clamp(min=1e-9)


# %% attend: sums along the wrong axis | sums_each_vector
def attend(a, X):
    return (a[:, :, None] * X).sum(dim=2)


# %% attend: the mean of the weighted words | takes_the_mean
def attend(a, X):
    return (a.unsqueeze(-1) * X).mean(dim=1)


# %% AttentionClassifier: v is a plain tensor | v_is_no_parameter
# -         self.v = nn.Parameter(torch.zeros(dim))
# +         self.v = torch.zeros(dim)
# ...
# -         h = attend(self.attention(ids, mask), self.embedding(ids))
# -         return self.output(h).squeeze(-1)
# +         h = self.embedding(ids)
# +         return self.output(attend(self.attention(ids, mask), h)).squeeze(-1)


# %% AttentionClassifier: v starts at random | v_starts_at_random
# -         self.v = nn.Parameter(torch.zeros(dim))
# +         self.v = nn.Parameter(torch.randn(dim))
# ...
# -         return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)
# +         r = attention_scores(self.embedding(ids), self.v)
# +         return masked_softmax(r, mask)
# ...
# -         return self.output(h).squeeze(-1)
# +         return self.output(h)[:, 0]


# %% AttentionClassifier: the mask from the ids | mask_from_ids
# -         return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)
# +         r = attention_scores(self.embedding(ids), self.v)
# +         return masked_softmax(r, ids != 0)


# %% leave_one_out: leaves out all equal words | leaves_out_all_equal_words
# -     importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
# +     importances = []
# +     for token in tokens:
# +         rest = [other for other in tokens if other != token]
# +         importances.append(full - score(rest))


# %% leave_one_out: the difference the other way round | subtracts_the_full_score
# edits: RIGHT enumerate
# -         importance[i] = score(tokens) - score([t for j, t in enumerate(tokens) if j != i])
# +         importance[i] = score(tokens[:i] + tokens[i + 1 :]) - score(tokens)


# %% leave_one_out: no dtype | returns_integers
def leave_one_out(score, tokens):
    full = score(tokens)
    return torch.tensor([full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))])


# %% leave_one_out: the difference the other way round, and no dtype | subtracts_the_full_score
def leave_one_out(score, tokens):
    full = score(tokens)
    return torch.tensor([score(tokens[:i] + tokens[i + 1 :]) - full for i in range(len(tokens))])


# %% key_value_attention: no scaling | forgets_to_scale
def key_value_attention(X, mask, q, W_K, W_V):
    K = X @ W_K
    V = X @ W_V
    a = masked_softmax(K @ q, mask)
    return attend(a, V), a


# %% key_value_attention: scaled by the size of the word vectors | scales_by_word_size
# -     a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
# +     r = K @ q / X.shape[-1] ** 0.5
# +     a = masked_softmax(r, mask)


# %% soft_dictionary: the sharpness after the softmax | multiplies_the_weights
def soft_dictionary(Q, K, V, sharpness=1.0):
    scores = Q.float() @ K.float().T / Q.shape[1] ** 0.5
    weights = sharpness * torch.softmax(scores, dim=1)
    return (weights @ V.float()).to(V.dtype)


# %% soft_dictionary: softmax over the queries | softmax_over_queries
def soft_dictionary(Q, K, V, sharpness=1.0):
    scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(Q.shape[-1])
    weights = torch.softmax(scores, dim=0)
    return (weights @ V.float()).to(V.dtype)


# %% soft_dictionary: scaled by the size of the values | scales_by_value_size
def soft_dictionary(Q, K, V, sharpness=1.0):
    scores = sharpness * (Q.float() @ K.float().T) / V.shape[1] ** 0.5
    return (torch.softmax(scores, dim=1) @ V.float()).to(V.dtype)


# %% multi_head_attention_pooling: the heads are averaged | averages_the_heads
def multi_head_attention_pooling(X, mask, vs):
    scores = (X @ vs.T).transpose(1, 2)
    a = masked_softmax(scores, mask[:, None, :])
    return (a @ X).mean(dim=1), a


# %% multi_head_attention_pooling: flattened with the heads last | interleaves_the_heads
def multi_head_attention_pooling(X, mask, vs):
    scores = torch.einsum("bld,hd->bhl", X, vs)
    a = masked_softmax(scores, mask[:, None, :])
    h = torch.einsum("bhl,bld->bdh", a, X)
    return h.flatten(1), a


# %% split_into_sentences: a new sentence after every mark | every_mark_ends
def split_into_sentences(tokens):
    sentences, current = [], []
    for token in tokens:
        current.append(token)
        if token in END_MARKS:
            sentences.append(current)
            current = []
    if current:
        sentences.append(current)
    return sentences


# %% split_into_sentences: loses the last words without a mark | loses_the_open_end
def split_into_sentences(tokens):
    sentences = []
    start = 0
    for i, token in enumerate(tokens):
        is_last = i + 1 == len(tokens) or tokens[i + 1] not in END_MARKS
        if token in END_MARKS and is_last:
            sentences.append(tokens[start : i + 1])
            start = i + 1
    return sentences


# %% HierarchicalAttention: no mask for the sentences | attends_to_padding_sentences
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
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = masked_softmax(r, mask)
        h_s = (a[..., None] * X).sum(dim=2)
        r_s = torch.tanh(self.sentence_layer(h_s)) @ self.sentence_v
        a_s = torch.softmax(r_s, dim=-1)
        return a, a_s, attend(a_s, h_s)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2]).squeeze(-1)


# %% HierarchicalAttention: one layer and vector for both levels | word_parts_for_both
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
        u = torch.tanh(self.word_layer(X))
        a = masked_softmax(u @ self.word_v, mask)
        h_s = torch.einsum("bsl,bsld->bsd", a, X)
        u_s = torch.tanh(self.word_layer(h_s))
        a_s = masked_softmax(u_s @ self.word_v, mask.any(dim=-1))
        return a, a_s, torch.einsum("bs,bsd->bd", a_s, h_s)

    def forward(self, ids, mask):
        _, _, h = self.attention(ids, mask)
        return self.output(h)[:, 0]


# %% HierarchicalAttention: sentences whose first position is real | first_position_only
#           self.word_layer = nn.Linear(dim, dim)
# +         self.sentence_layer = nn.Linear(dim, dim)
# ...
#           self.word_v = nn.Parameter(torch.zeros(dim))
# -         self.sentence_layer = nn.Linear(dim, dim)
# ...
#           a_words = masked_softmax(torch.tanh(self.word_layer(X)) @ self.word_v, mask)
# -         h_sentences = (a_words[..., None] * X).sum(dim=2)  # (B, S, d)
# +         h_sentences = torch.einsum("bsl,bsld->bsd", a_words, X)
# ...
#           r = torch.tanh(self.sentence_layer(h_sentences)) @ self.sentence_v
# -         a_sentences = masked_softmax(r, mask.any(dim=-1))
# -         return a_words, a_sentences, (a_sentences[..., None] * h_sentences).sum(dim=1)
# +         a_sentences = masked_softmax(r, mask[:, :, 0])
# +         return a_words, a_sentences, attend(a_sentences, h_sentences)


# %% masked_softmax: an own softmax over all, the mask at the end | masks_afterwards
def masked_softmax(r, mask):
    m = r.amax(dim=-1, keepdim=True)
    m = torch.where(m == -torch.inf, torch.zeros_like(m), m)
    e = torch.exp(r - m)
    total = e.sum(dim=-1, keepdim=True)
    total = torch.where(total > 0, total, torch.ones_like(total))
    return e / total * mask


# %% masked_softmax: the scores times the mask | score_zero_and_masked_afterwards
def masked_softmax(r, mask):
    return torch.softmax(torch.where(mask, r, torch.zeros_like(r)), dim=-1) * mask


# %% masked_softmax: NaN replaced at the end | replaces_nan_afterwards
def masked_softmax(r, mask):
    a = torch.softmax(r.masked_fill(~mask, -torch.inf), dim=-1)
    return torch.nan_to_num(a)


# %% attend: one more softmax | normalizes_with_a_softmax
def attend(a, X):
    return (torch.softmax(a, dim=-1).unsqueeze(-1) * X).sum(dim=1)


# %% attend: the first row of a @ X | weights_of_the_first_text
def attend(a: torch.Tensor, X: torch.Tensor) -> torch.Tensor:
    return (a @ X)[:, 0]


# %% leave_one_out: an unknown word in its place | replaces_by_padding
# -     importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
# +     importances = [full - score(tokens[:i] + ["<unk>"] + tokens[i + 1 :]) for i in range(len(tokens))]


# %% leave_one_out: only the words after it stay | leaves_out_the_words_before
# -     importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
# +     importances = [full - score(tokens[i + 1 :]) for i in range(len(tokens))]


# %% leave_one_out: looks for the word to find its place | position_by_index
# -     importances = [full - score(tokens[:i] + tokens[i + 1 :]) for i in range(len(tokens))]
# +     importances = []
# +     for word in tokens:
# +         i = tokens.index(word)
# +         importances.append(full - score(tokens[:i] + tokens[i + 1 :]))


# %% key_value_attention: sums up the keys | sums_the_keys
def key_value_attention(X, mask, q, W_K, W_V):
    K = X @ W_K
    a = masked_softmax(K @ q / math.sqrt(len(q)), mask)
    return attend(a, K), a


# %% key_value_attention: the mask after the softmax | key_value_masks_afterwards
# -     a = masked_softmax(attention_scores(K, q) / math.sqrt(K.shape[-1]), mask)
# +     a = torch.softmax(K @ q / math.sqrt(q.shape[0]), dim=1) * mask


# %% key_value_attention: zeros for padding | words_times_mask
def key_value_attention(
    X: torch.Tensor, mask: torch.Tensor, q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    X = X * mask.unsqueeze(-1)
    K = X @ W_K
    V = X @ W_V
    scores = K @ q / math.sqrt(q.shape[0])
    a = torch.softmax(scores, dim=-1)
    h = attend(a, V)
    return h, a


# %% key_value_attention: scores in place of weights | returns_scores
def key_value_attention(
    X: torch.Tensor, mask: torch.Tensor, q: torch.Tensor, W_K: torch.Tensor, W_V: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    K = X @ W_K
    V = X @ W_V
    scores = K @ q / math.sqrt(q.shape[0])
    a = masked_softmax(scores, mask)
    h = attend(a, V)
    return h, scores


# %% soft_dictionary: divides by the sharpness, if it is not 0 | divides_by_sharpness
def soft_dictionary(Q, K, V, sharpness=1.0):
    scores = Q.float() @ K.float().T / math.sqrt(Q.shape[-1]) / max(sharpness, 1e-9)
    return (torch.softmax(scores, dim=1) @ V.float()).to(V.dtype)


# %% soft_dictionary: exp without subtracting the largest score | exp_of_large_scores
def soft_dictionary(Q, K, V, sharpness=1.0):
    e = (sharpness * Q.float() @ K.float().T / math.sqrt(K.shape[1])).exp()
    return ((e / e.sum(dim=1, keepdim=True)) @ V.float()).to(V.dtype)


# %% multi_head_attention_pooling: the mask after the softmax | heads_mask_afterwards
def multi_head_attention_pooling(X, mask, vs):
    a = torch.softmax(torch.einsum("hd,bld->bhl", vs, X), dim=-1) * mask.unsqueeze(1)
    return (a @ X).flatten(1), a


# %% multi_head_attention_pooling: einsum to (H, B, d) | heads_before_texts
def multi_head_attention_pooling(
    X: torch.Tensor, mask: torch.Tensor, vs: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = (X @ vs.T).transpose(1, 2)
    a = masked_softmax(scores, mask[:, None, :])
    h = torch.einsum("bhl,bld->hbd", a, X)
    return h.reshape(X.shape[0], -1), a


# %% multi_head_attention_pooling: all heads together sum to 1 | divides_by_the_heads
def multi_head_attention_pooling(
    X: torch.Tensor, mask: torch.Tensor, vs: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    scores = (X @ vs.T).transpose(1, 2)
    a = masked_softmax(scores, mask[:, None, :]) / len(vs)
    h = a @ X
    return h.reshape(X.shape[0], -1), a


# %% split_into_sentences: a string in place of END_MARKS | forgets_three_dots
# -     sentences = []
# -     before = "."
# +     sentences, before = [], "."
# ...
# -         if not sentences or (before in END_MARKS and token not in END_MARKS):
# +         if not sentences or (before in list(".!?") and token not in list(".!?")):


# %% HierarchicalAttention: tanh of the words is the value, too | sums_up_word_keys
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
        X = torch.tanh(self.word_layer(self.embedding(ids)))
        a = masked_softmax(X @ self.word_v, mask)
        H = (a.unsqueeze(-1) * X).sum(dim=2)
        b = masked_softmax(torch.tanh(self.sentence_layer(H)) @ self.sentence_v, mask.any(dim=-1))
        return a, b, attend(b, H)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2]).squeeze(-1)


# %% HierarchicalAttention: the queries start at random | queries_start_at_random
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer = nn.Linear(dim, dim)
        self.sentence_layer = nn.Linear(dim, dim)
        self.word_v = nn.Parameter(torch.randn(dim))
        self.sentence_v = nn.Parameter(torch.randn(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        a = masked_softmax(torch.tanh(self.word_layer(X)) @ self.word_v, mask)
        H = torch.einsum("bsl,bsld->bsd", a, X)
        b = masked_softmax(torch.tanh(self.sentence_layer(H)) @ self.sentence_v, mask.any(dim=-1))
        return a, b, attend(b, H)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2]).squeeze(-1)


# %% HierarchicalAttention: the mask from the ids | mask_from_ids
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.word_layer = nn.Linear(dim, dim)
        self.sentence_layer = nn.Linear(dim, dim)
        self.word_v = nn.Parameter(torch.zeros(dim))
        self.sentence_v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X, real = self.embedding(ids), ids > 0
        a = masked_softmax(torch.tanh(self.word_layer(X)) @ self.word_v, real)
        H = (a[..., None] * X).sum(dim=2)
        r = torch.tanh(self.sentence_layer(H)) @ self.sentence_v
        b = masked_softmax(r, real.any(dim=2))
        return a, b, attend(b, H)

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2])[:, 0]


# %% soft_dictionary: zeros in float32 | empty_in_float32
def soft_dictionary(Q, K, V, sharpness=1.0):
    if K.shape[0] == 0:
        return torch.zeros(Q.shape[0], V.shape[1])
    weights = torch.softmax(sharpness * (Q.float() @ K.float().T) / K.shape[1] ** 0.5, dim=1)
    return (weights @ V.float()).to(V.dtype)


# %% soft_dictionary: converts the product | product_in_half_precision
def soft_dictionary(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, sharpness: float = 1.0
) -> torch.Tensor:
    scores = sharpness * (Q @ K.T).float() / math.sqrt(Q.shape[1])
    weights = torch.softmax(scores, dim=-1)
    return (weights @ V.float()).to(V.dtype)


# %% soft_dictionary: no rows for an empty dictionary | no_answers
def soft_dictionary(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, sharpness: float = 1.0
) -> torch.Tensor:
    if len(K) == 0:
        return V.new_zeros(0, V.shape[1])
    scores = sharpness * (Q.float() @ K.float().T) / math.sqrt(Q.shape[1])
    weights = torch.softmax(scores, dim=-1)
    return (weights @ V.float()).to(V.dtype)


# %% split_into_sentences: spares titles
def split_into_sentences(tokens):
    sentences, current = [], []
    for i, token in enumerate(tokens):
        current.append(token)
        follows = tokens[i + 1] if i + 1 < len(tokens) else ""
        title = i > 0 and tokens[i - 1] in ("mr", "mrs", "dr")
        if token in END_MARKS and follows not in END_MARKS and not title:
            sentences.append(current)
            current = []
    return sentences + ([current] if current else [])


# %% split_into_sentences: two marks at the start are two sentences
def split_into_sentences(tokens):
    sentences = []
    for token in tokens:
        last = sentences[-1] if sentences else []
        begins = not last or (last[-1] in END_MARKS and token not in END_MARKS)
        if begins or all(t in END_MARKS for t in last):
            sentences.append([token])
        else:
            last.append(token)
    return sentences


# %% split_into_sentences: clears the list and appends the rest | one_list_for_all
def split_into_sentences(tokens: list[str]) -> list[list[str]]:
    sentences, current = [], []
    for i, token in enumerate(tokens):
        current.append(token)
        following = tokens[i + 1] if i + 1 < len(tokens) else None
        if token in END_MARKS and following not in END_MARKS:
            sentences.append(current)
            current.clear()
    if current:
        sentences.append(current)
    return sentences


# %% masked_softmax: scores times mask | scores_times_mask
def masked_softmax(r, mask):
    r = r * mask
    m = r.amax(-1, keepdim=True)
    m = m.masked_fill(torch.isinf(m), 0)
    e = torch.exp(r - m)
    s = e.sum(-1, keepdim=True)
    return e / s.masked_fill(s == 0, 1)


# %% masked_softmax: mask ignored | ignores_mask
def masked_softmax(r, mask):
    r = r
    m = r.amax(-1, keepdim=True)
    m = m.masked_fill(torch.isinf(m), 0)
    e = torch.exp(r - m)
    s = e.sum(-1, keepdim=True)
    return e / s.masked_fill(s == 0, 1)


# %% masked_softmax: first axis | along_the_first_axis
def masked_softmax(r, mask):
    r = r.masked_fill(~mask, float("-inf"))
    m = r.amax(0, keepdim=True)
    m = m.masked_fill(torch.isinf(m), 0)
    e = torch.exp(r - m)
    s = e.sum(0, keepdim=True)
    return e / s.masked_fill(s == 0, 1)


# %% AttentionClassifier: weights detached | detaches_the_weights
class AttentionClassifier(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        return masked_softmax(attention_scores(self.embedding(ids), self.v), mask)

    def forward(self, ids, mask):
        h = attend(self.attention(ids, mask).detach(), self.embedding(ids))
        return self.output(h).squeeze(-1)


# %% HierarchicalAttention: no tanh for words | word_keys_without_tanh
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v = nn.Parameter(torch.zeros(dim))
        self.sentence_v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = self.word_layer(X) @ self.word_v
        a = masked_softmax(r, mask)
        H = (a[..., None] * X).sum(dim=2)
        r2 = torch.tanh(self.sentence_layer(H)) @ self.sentence_v
        b = masked_softmax(r2, mask.any(dim=-1))
        h = (b[..., None] * H).sum(dim=1)
        return a, b, h

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2]).squeeze(-1)


# %% HierarchicalAttention: no tanh for sentences | sentence_keys_without_tanh
class HierarchicalAttention(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.word_layer, self.sentence_layer = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.word_v = nn.Parameter(torch.zeros(dim))
        self.sentence_v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        X = self.embedding(ids)
        r = torch.tanh(self.word_layer(X)) @ self.word_v
        a = masked_softmax(r, mask)
        H = (a[..., None] * X).sum(dim=2)
        r2 = self.sentence_layer(H) @ self.sentence_v
        b = masked_softmax(r2, mask.any(dim=-1))
        h = (b[..., None] * H).sum(dim=1)
        return a, b, h

    def forward(self, ids, mask):
        return self.output(self.attention(ids, mask)[2]).squeeze(-1)


# %% HierarchicalAttention: word weights times sentence weights | weights_multiplied
# edits: einsum
# -         return a, b, torch.einsum("bs,bsd->bd", b, h_s)
# +         return a * b[:, :, None], b, torch.einsum("bs,bsd->bd", b, h_s)


# %% masked_softmax: multiplies by the mask and divides by the sum again | renormalizes_nothing
def masked_softmax(r, mask):
    weights = torch.nn.functional.softmax(r, dim=-1)
    weights = weights * mask
    return weights / weights.sum(-1, keepdim=True)


# %% masked_softmax: adds minus infinity and replaces NaN | adds_minus_infinity
def masked_softmax(r: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    penalty = torch.zeros_like(r).masked_fill(~mask, -math.inf)
    return torch.softmax(r + penalty, dim=-1).nan_to_num()


# %% AttentionClassifier: unknown words left out | takes_unknown_words_out
class AttentionClassifier(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.v = nn.Parameter(torch.zeros(dim))
        self.output = nn.Linear(dim, 1)

    def attention(self, ids, mask):
        return masked_softmax(attention_scores(self.embedding(ids), self.v), mask & (ids != 1))

    def forward(self, ids, mask):
        h = attend(self.attention(ids, mask), self.embedding(ids))
        return self.output(h).squeeze(-1)
