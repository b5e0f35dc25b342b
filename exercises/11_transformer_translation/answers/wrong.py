# %% merge: with str.replace | replaces_text
def merge(tokens, pair):
    text = " ".join(tokens)
    text = text.replace(pair[0] + " " + pair[1], pair[0] + pair[1])
    return text.split(" ") if text else []


# %% merge: stops before the last token | loses_the_last
def merge(tokens, pair):
    new = []
    i = 0
    while i < len(tokens) - 1:
        if (tokens[i], tokens[i + 1]) == pair:
            new.append(tokens[i] + tokens[i + 1])
            i += 2
        else:
            new.append(tokens[i])
            i += 1
    return new


# %% learn_merges: the most common pair of the Counter | ties_by_first_seen
def learn_merges(counts, n_merges):
    words = {word: ["▁"] + list(word) for word in counts}
    merges = []
    for _ in range(n_merges):
        pairs = Counter()
        for word, tokens in words.items():
            for left, right in zip(tokens[:-1], tokens[1:]):
                pairs[left, right] += counts[word]
        if not pairs:
            break
        pair = pairs.most_common(1)[0][0]
        merges.append(pair)
        words = {word: merge(tokens, pair) for word, tokens in words.items()}
    return merges


# %% learn_merges: every word once | counts_words_once
def learn_merges(counts, n_merges):
    words = [["▁", *word] for word in counts]
    age = {token: i for i, token in enumerate(sorted({t for word in words for t in word}))}
    merges = []
    while len(merges) < n_merges:
        pairs = Counter(pair for word in words for pair in zip(word, word[1:]))
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], age[p[0]], age[p[1]]))
        merges.append(best)
        age.setdefault(best[0] + best[1], len(age))
        words = [merge(word, best) for word in words]
    return merges


# %% apply_merges: no mark | without_mark
# -     tokens = ["▁", *word]
# +     tokens = list(word)


# %% apply_merges: as WordPiece | longest_token
def apply_merges(word, merges):
    vocabulary = {a + b for a, b in merges}
    word = "▁" + word
    tokens, start = [], 0
    while start < len(word):
        end = len(word)
        while end > start + 1 and word[start:end] not in vocabulary:
            end -= 1
        tokens.append(word[start:end])
        start = end
    return tokens


# %% CrossAttention: reshapes | reshapes_into_heads
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("heads")
        self.n_heads = n_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def split(self, X):
        B, L, d = X.shape
        return X.reshape(B, self.n_heads, L, d // self.n_heads)

    def keys_values(self, M):
        return self.split(self.W_K(M)), self.split(self.W_V(M))

    def attend(self, X, K, V, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(-3)
        Z, weights = scaled_dot_product_attention(self.split(self.W_Q(X)), K, V, mask)
        return self.W_O(Z.transpose(1, 2).reshape(X.shape)), weights

    def forward(self, X, M, mask=None):
        return self.attend(X, *self.keys_values(M), mask)


# %% AddAndNorm: the normalized one is added | adds_the_normalized
# -             return X + self.dropout(sublayer(self.norm(X)))
# +             X = self.norm(X)
# +             return X + self.dropout(sublayer(X))


# %% AddAndNorm: forgets the option | always_post
# -         self.norm_first = norm_first
# ...
# -         if self.norm_first:
# -             return X + self.dropout(sublayer(self.norm(X)))


# %% DecoderLayer: no mask in the cross-attention | ignores_the_source_mask
# -         Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
# -         return self.add_3(Y, self.feed_forward)
# +         Y = self.add_2(Y, lambda X: self.cross_attention(X, M)[0])
# +         return self.add_3(Y, lambda X: self.feed_forward(X))


# %% DecoderLayer: the outer Y inside the lambda | keys_without_norm
# -         Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
# -         Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
# -         return self.add_3(Y, self.feed_forward)
# +         Z = self.add_1(Y, lambda X: self.self_attention(X, Y, target_mask)[0])
# +         Z = self.add_2(Z, lambda X: self.cross_attention(X, M, source_mask)[0])
# +         return self.add_3(Z, self.feed_forward)


# %% decoder_mask: only causal | only_causal
def decoder_mask(y, padding=0):
    B, T = y.shape
    return causal_mask(T).unsqueeze(0).repeat(B, 1, 1)


# %% decoder_mask: always 0 | padding_is_always_0
def decoder_mask(y, padding=0):
    return (y > 0)[:, None] & causal_mask(y.shape[1])[None]


# %% smoothed_loss: everything counts | counts_padding
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing")
    return F.cross_entropy(logits.flatten(0, 1), y_out.flatten(), label_smoothing=smoothing)


# %% smoothed_loss: the others share it | only_wrong_tokens
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing")
    n = logits.shape[-1]
    labels = torch.full_like(logits, smoothing / (n - 1))
    labels.scatter_(-1, y_out[..., None], 1 - smoothing)
    losses = -(labels * torch.log_softmax(logits, dim=-1)).sum(dim=-1)
    return losses[y_out != padding].mean()


# %% transformer_rate: max | larger_term
def transformer_rate(step, d_model, warmup):
    if step < 1 or warmup < 1:
        raise ValueError("from 1 on")
    return 1 / math.sqrt(d_model) * max(1 / math.sqrt(step), step / warmup**1.5)


# %% transformer_rate: divides by d_model | divides_by_d_model
def transformer_rate(step, d_model, warmup):
    if step < 1 or warmup < 1:
        raise ValueError("from 1 on")
    return 1 / d_model * min(1 / math.sqrt(step), step / warmup**1.5)


# %% CachedTransformer: no start in embed | position_zero
class CachedTransformer(TranslationTransformer):
    def start(self, source, mask):
        M = self.encode(source, mask)
        cache = [mask]
        for layer in self.decoder:
            K, V = layer.cross_attention.keys_values(M)
            cache += [K[:, :, :0], V[:, :, :0], K, V]
        return cache

    def step(self, y, cache):
        Y = self.embed(self.target_embedding, y)
        new = [cache[0]]
        for i, layer in enumerate(self.decoder):
            K, V, KM, VM = cache[1 + 4 * i : 5 + 4 * i]
            both = []

            def own(X):
                k, v = layer.self_attention.keys_values(X)
                both.extend([torch.cat([K, k], dim=2), torch.cat([V, v], dim=2)])
                return layer.self_attention.attend(X, *both)[0]

            Y = layer.add_1(Y, own)
            Y = layer.add_2(
                Y, lambda X: layer.cross_attention.attend(X, KM, VM, padding_mask(cache[0]))[0]
            )
            Y = layer.add_3(Y, layer.feed_forward)
            new += [*both, KM, VM]
        return self.decoder_norm(Y) @ self.target_embedding.weight.T, new


# %% rank_hypotheses: returns log-probabilities | returns_probabilities
def rank_hypotheses(hypotheses, alpha, n):
    if n < 1:
        raise ValueError("n")
    key = lambda pair: pair[1] / ((5 + len(pair[0])) / 6) ** alpha
    return sorted(hypotheses, key=key, reverse=True)[:n]


# %% rank_hypotheses: plain length | plain_length
def rank_hypotheses(hypotheses, alpha, n):
    if n < 1:
        raise ValueError("n")
    scored = [(ids, log_p / max(len(ids), 1) ** alpha) for ids, log_p in hypotheses]
    return sorted(scored, key=lambda pair: pair[1], reverse=True)[:n]


# %% beam_search: forgets the sum | ignores_the_past
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1 or max_length < 1:
        raise ValueError("beam and max_length")
    alive, ended = [([], 0.0)], []
    for _ in range(max_length):
        y = torch.tensor([[ids[-1] if ids else bos] for ids, _ in alive])
        logits, state = step(y, state)
        log_p = torch.log_softmax(logits[:, 0], dim=-1)
        values, indices = log_p.flatten().topk(min(beam, log_p.numel()))
        new, rows = [], []
        for value, index in zip(values.tolist(), indices.tolist()):
            row, token = index // log_p.shape[1], index % log_p.shape[1]
            if token == eos:
                ended.append((alive[row][0], value))
            else:
                new.append((alive[row][0] + [token], value))
                rows.append(row)
        alive, state = new, [part[rows] for part in state]
        if len(ended) >= beam:
            alive = []
            break
    return sorted(ended + alive, key=lambda pair: -pair[1])


# %% beam_search: only what ended | drops_the_unfinished
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1 or max_length < 1:
        raise ValueError("beam and max_length")
    alive, ended = [([], 0.0)], []
    for _ in range(max_length):
        y = torch.tensor([[ids[-1] if ids else bos] for ids, _ in alive])
        logits, state = step(y, state)
        log_p = (
            torch.log_softmax(logits[:, 0], dim=-1) + torch.tensor([s for _, s in alive])[:, None]
        )
        values, indices = log_p.flatten().topk(min(beam, log_p.numel()))
        new, rows = [], []
        for value, index in zip(values.tolist(), indices.tolist()):
            row, token = index // log_p.shape[1], index % log_p.shape[1]
            if token == eos:
                ended.append((alive[row][0], value))
            else:
                new.append((alive[row][0] + [token], value))
                rows.append(row)
        alive, state = new, [part[rows] for part in state]
        if len(ended) >= beam:
            break
    return sorted(ended, key=lambda pair: -pair[1])


# %% learn_merges: the mark is the first token | mark_is_the_oldest
def learn_merges(counts, n_merges):
    words = [(["▁", *word], n) for word, n in counts.items()]
    letters = sorted({letter for word in counts for letter in word})
    age = {token: i for i, token in enumerate(["▁", *letters])}
    merges = []
    for _ in range(n_merges):
        pairs = Counter()
        for tokens, n in words:
            for pair in zip(tokens, tokens[1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], age[p[0]], age[p[1]]))
        merges.append(best)
        age[best[0] + best[1]] = len(age)
        words = [(merge(tokens, best), n) for tokens, n in words]
    return merges


# %% apply_merges: index finds one pair | only_the_first_occurrence
def apply_merges(word, merges):
    tokens = ["▁", *word]
    for left, right in merges:
        for i in range(len(tokens) - 1):
            if tokens[i] == left and tokens[i + 1] == right:
                tokens[i : i + 2] = [left + right]
                break
    return tokens


# %% join_tokens: skips what is before the first mark | cuts_off_the_first
def join_tokens(tokens):
    text = "".join(tokens)
    return text.split("▁")[1:]


# %% decoder_mask: rows and columns | masks_rows_and_columns
def decoder_mask(y, padding=0):
    real = padding_mask(y != padding)
    return real & real.transpose(1, 2) & causal_mask(y.shape[1])


# %% smoothed_loss: the sign | wrong_sign
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing")
    log_p = F.log_softmax(logits, dim=-1)[y_out != padding]
    right = log_p[torch.arange(len(log_p)), y_out[y_out != padding]]
    return ((1 - smoothing) * right + smoothing * log_p.mean(dim=-1)).mean()


# %% smoothed_loss: no logarithm | without_log
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing")
    p = torch.softmax(logits, dim=-1)[y_out != padding]
    right = p[torch.arange(len(p)), y_out[y_out != padding]]
    return -((1 - smoothing) * right + smoothing * p.mean(dim=-1)).mean()


# %% transformer_rate: the same exponent twice | warmup_to_minus_half
def transformer_rate(step, d_model, warmup):
    if step < 1 or warmup < 1:
        raise ValueError("from 1 on")
    return d_model ** (-0.5) * min(step ** (-0.5), step * warmup ** (-0.5))


# %% rank_hypotheses: only the numerator | alpha_on_the_numerator
def rank_hypotheses(hypotheses, alpha, n):
    if n < 1:
        raise ValueError("n")
    scored = [(ids, log_p / ((5 + len(ids)) ** alpha / 6)) for ids, log_p in hypotheses]
    return sorted(scored, key=lambda pair: pair[1], reverse=True)[:n]


# %% rank_hypotheses: sorts pairs | ties_by_ids
def rank_hypotheses(hypotheses, alpha, n):
    if n < 1:
        raise ValueError("n")
    scored = [(log_p / ((5 + len(ids)) / 6) ** alpha, ids) for ids, log_p in hypotheses]
    return [(ids, score) for score, ids in sorted(scored, reverse=True)[:n]]


# %% beam_search: k less those that ended | beam_shrinks
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1 or max_length < 1:
        raise ValueError("beam and max_length")
    alive, ended = [([], 0.0)], []
    for _ in range(max_length):
        y = torch.tensor([[ids[-1] if ids else bos] for ids, _ in alive])
        logits, state = step(y, state)
        log_p = torch.log_softmax(logits[:, 0], dim=-1)
        total = (log_p + torch.tensor([[s] for _, s in alive])).flatten()
        new, rows = [], []
        for index in total.argsort(descending=True)[: beam - len(ended)].tolist():
            row, token = divmod(index, log_p.shape[1])
            if token == eos:
                ended.append((alive[row][0], total[index].item()))
            else:
                new.append((alive[row][0] + [token], total[index].item()))
                rows.append(row)
        alive, state = new, [part[rows] for part in state]
        if len(ended) >= beam:
            alive = []
            break
    return sorted(ended + alive, key=lambda pair: -pair[1])


# %% beam_search: k that go on | beam_is_topped_up
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1 or max_length < 1:
        raise ValueError("beam and max_length")
    alive, ended = [([], 0.0)], []
    for _ in range(max_length):
        y = torch.tensor([[ids[-1] if ids else bos] for ids, _ in alive])
        logits, state = step(y, state)
        log_p = torch.log_softmax(logits[:, 0], dim=-1)
        total = (log_p + torch.tensor([[s] for _, s in alive])).flatten()
        new, rows = [], []
        for index in total.argsort(descending=True).tolist():
            if len(new) == beam:
                break
            row, token = divmod(index, log_p.shape[1])
            if token == eos:
                ended.append((alive[row][0], total[index].item()))
            else:
                new.append((alive[row][0] + [token], total[index].item()))
                rows.append(row)
        alive, state = new, [part[rows] for part in state]
        if len(ended) >= beam:
            alive = []
            break
    return sorted(ended + alive, key=lambda pair: -pair[1])


# %% merge: zips neighbors | loses_the_last
# edits: an iterator
# -     for this, following in zip(tokens, list(tokens[1:]) + [None]):
# +     for this, following in zip(tokens, tokens[1:]):


# %% join_tokens: token by token, empty words stay | keeps_bare_marks
def join_tokens(tokens):
    words = []
    for tok in tokens:
        if tok.startswith("▁"):
            words.append(tok[1:])
        elif words:
            words[-1] += tok
        else:
            words.append(tok)
    return words


# %% join_tokens: the marks are not words | skips_bare_marks
def join_tokens(tokens):
    words = []
    for tok in tokens:
        if tok == "▁":
            continue
        if tok[0] == "▁":
            words.append(tok[1:])
        elif words:
            words[-1] += tok
        else:
            words.append(tok)
    return words


# %% CrossAttention: the root of d_model | divides_by_the_root_of_d_model
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("d_model must be a multiple of n_heads")
        self.n_heads = n_heads
        self.d_model = d_model
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def split(self, X):
        return X.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def keys_values(self, M):
        return self.split(self.W_K(M)), self.split(self.W_V(M))

    def attend(self, X, K, V, mask=None):
        Q = self.split(self.W_Q(X))
        scores = Q @ K.transpose(-2, -1) / math.sqrt(self.d_model)
        if mask is not None:
            if mask.dim() == 3:
                mask = mask.unsqueeze(1)
            scores = scores.masked_fill(~mask, float("-inf"))
        w = torch.nan_to_num(scores.softmax(dim=-1))
        out = (w @ V).transpose(1, 2).flatten(2)
        return self.W_O(out), w

    def forward(self, X, M, mask=None):
        return self.attend(X, *self.keys_values(M), mask)


# %% TranslationTransformer: compares the length alone | length_without_start
class TranslationTransformer(nn.Module):
    def __init__(
        self,
        n_source,
        n_target,
        d_model,
        n_heads,
        d_ff,
        n_layers,
        dropout=0.1,
        norm_first=False,
        max_length=64,
    ):
        super().__init__()
        self.max_length = max_length
        self.scale = d_model**0.5
        self.source_embedding = nn.Embedding(n_source, d_model)
        self.target_embedding = nn.Embedding(n_target, d_model)
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        self.dropout = nn.Dropout(dropout)
        sizes = d_model, n_heads, d_ff, dropout, norm_first
        self.encoder = nn.ModuleList([EncoderLayer(*sizes) for _ in range(n_layers)])
        self.decoder = nn.ModuleList([DecoderLayer(*sizes) for _ in range(n_layers)])
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder_norm = nn.LayerNorm(d_model)

    def embed(self, embedding, ids, start=0):
        L = ids.shape[1]
        if L > self.max_length:
            raise ValueError("too long")
        return self.dropout(embedding(ids) * self.scale + self.positions[start : start + L])

    def encode(self, source, mask):
        X = self.embed(self.source_embedding, source)
        for layer in self.encoder:
            X = layer(X, padding_mask(mask))
        return self.encoder_norm(X)

    def decode(self, y, M, mask):
        Y = self.embed(self.target_embedding, y)
        for layer in self.decoder:
            Y = layer(Y, M, decoder_mask(y), padding_mask(mask))
        return F.linear(self.decoder_norm(Y), self.target_embedding.weight)

    def forward(self, source, mask, y_in):
        return self.decode(y_in, self.encode(source, mask), mask)


# %% smoothed_loss: ε on top | full_share
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing")
    real = y_out != padding
    log_p, y = F.log_softmax(logits, dim=-1)[real], y_out[real]
    return F.nll_loss(log_p, y) - smoothing * log_p.mean()


# %% smoothed_loss: the uniform part over everything | smooths_padding
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing")
    log_p = logits.log_softmax(dim=-1)
    nll = F.nll_loss(log_p.flatten(0, 1), y_out.flatten(), ignore_index=padding)
    return (1 - smoothing) * nll - smoothing * log_p.mean()


# %% rank_hypotheses: times the penalty | multiplies
def rank_hypotheses(hypotheses, alpha, n):
    if n < 1:
        raise ValueError("n")
    scored = [(ids, logp * ((5 + len(ids)) / 6) ** alpha) for ids, logp in hypotheses]
    return sorted(scored, key=lambda h: h[1], reverse=True)[:n]


# %% transformer_rate: the root of the step | root_grows
def transformer_rate(step, d_model, warmup):
    if step < 1 or warmup < 1:
        raise ValueError("from 1 on")
    return min(math.sqrt(step), step * warmup**-1.5) / math.sqrt(d_model)


# %% CachedTransformer: keys and values before the lambda | keys_before_the_norm
class CachedTransformer(TranslationTransformer):
    def start(self, source, mask):
        M = self.encode(source, mask)
        cache = [mask]
        for layer in self.decoder:
            K, V = layer.cross_attention.keys_values(M)
            cache += [K[:, :, :0], V[:, :, :0], K, V]
        return cache

    def step(self, y, cache):
        mask = padding_mask(cache[0])
        Y = self.embed(self.target_embedding, y, cache[1].shape[2])
        new = [cache[0]]
        for i, layer in enumerate(self.decoder):
            K, V, MK, MV = cache[1 + 4 * i : 5 + 4 * i]
            k, v = layer.self_attention.keys_values(Y)
            K, V = torch.cat([K, k], dim=2), torch.cat([V, v], dim=2)
            Y = layer.add_1(Y, lambda X: layer.self_attention.attend(X, K, V)[0])
            Y = layer.add_2(Y, lambda X: layer.cross_attention.attend(X, MK, MV, mask)[0])
            Y = layer.add_3(Y, layer.feed_forward)
            new += [K, V, MK, MV]
        return self.decoder_norm(Y) @ self.target_embedding.weight.T, new


# %% beam_search: the state stays where it is | states_in_old_order
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1 or max_length < 1:
        raise ValueError("beam")
    alive, done = [([], 0.0)], []
    for _ in range(max_length):
        y = torch.tensor([[ids[-1] if ids else bos] for ids, _ in alive])
        state = [part[[0] * len(alive)] if len(part) == 1 else part[: len(alive)] for part in state]
        logits, state = step(y, state)
        logp = logits[:, 0].log_softmax(-1) + torch.tensor([[s] for _, s in alive])
        best, where = logp.flatten().topk(min(beam, logp.numel()))
        n = logp.shape[1]
        candidates = []
        for value, w in zip(best.tolist(), where.tolist()):
            ids = alive[w // n][0]
            if w % n == eos:
                done.append((ids, value))
            else:
                candidates.append(([*ids, w % n], value))
        alive = candidates
        if len(done) >= beam:
            alive = []
            break
    return sorted(done + alive, key=lambda h: -h[1])


# %% merge: compares the strings | compares_joined_strings
def merge(tokens, pair):
    tokens = list(tokens)
    i = 0
    while i < len(tokens) - 1:
        if tokens[i] + tokens[i + 1] == pair[0] + pair[1]:
            tokens[i : i + 2] = [pair[0] + pair[1]]
        i += 1
    return tokens


# %% learn_merges: characters in the order of the text | characters_as_they_appear
def learn_merges(counts, n_merges):
    words = {w: ["▁", *w] for w in counts}
    age = {}
    for toks in words.values():
        for t in toks:
            age.setdefault(t, len(age))
    found = []
    for _ in range(n_merges):
        pairs = Counter()
        for w, toks in words.items():
            for p in zip(toks, toks[1:]):
                pairs[p] += counts[w]
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], age[p[0]], age[p[1]]))
        found.append(best)
        age["".join(best)] = len(age)
        words = {w: merge(t, best) for w, t in words.items()}
    return found


# %% learn_merges: a set of pairs | pair_once_per_word
def learn_merges(counts, n_merges):
    words = {w: ["▁", *w] for w in counts}
    age = {c: i for i, c in enumerate(sorted({c for t in words.values() for c in t}))}
    found = []
    for _ in range(n_merges):
        pairs = Counter()
        for w, toks in words.items():
            for p in set(zip(toks, toks[1:])):
                pairs[p] += counts[w]
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], age[p[0]], age[p[1]]))
        found.append(best)
        age["".join(best)] = len(age)
        words = {w: merge(t, best) for w, t in words.items()}
    return found


# %% learn_merges: the age of the left token alone | right_token_ignored
def learn_merges(counts, n_merges):
    words = {w: ["▁", *w] for w in counts}
    age = {c: i for i, c in enumerate(sorted({c for t in words.values() for c in t}))}
    found = []
    for _ in range(n_merges):
        pairs = Counter()
        for w, toks in words.items():
            for p in zip(toks, toks[1:]):
                pairs[p] += counts[w]
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], age[p[0]]))
        found.append(best)
        age["".join(best)] = len(age)
        words = {w: merge(t, best) for w, t in words.items()}
    return found


# %% apply_merges: stops where nothing is found | stops_at_a_miss
# -         tokens = merge(tokens, pair)
# +         new = merge(tokens, pair)
# +         if new == tokens:
# +             break
# +         tokens = new


# %% CrossAttention: the wrong axis | softmax_over_the_target
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("d_model must be a multiple of n_heads")
        self.n_heads = n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def split(self, X):
        return X.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def keys_values(self, M):
        return self.split(self.W_K(M)), self.split(self.W_V(M))

    def attend(self, X, K, V, mask=None):
        Q = self.split(self.W_Q(X))
        scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask.unsqueeze(-3), -1e9)
        w = scores.softmax(dim=-2)
        return self.W_O((w @ V).transpose(1, 2).flatten(2)), w

    def forward(self, X, M, mask=None):
        return self.attend(X, *self.keys_values(M), mask)


# %% CrossAttention: True is masked | true_is_forbidden
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError("d_model must be a multiple of n_heads")
        self.n_heads = n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def split(self, X):
        return X.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def keys_values(self, M):
        return self.split(self.W_K(M)), self.split(self.W_V(M))

    def attend(self, X, K, V, mask=None):
        if mask is not None:
            mask = ~mask.unsqueeze(-3)
        Z, w = scaled_dot_product_attention(self.split(self.W_Q(X)), K, V, mask)
        return self.W_O(Z.transpose(1, 2).flatten(2)), w

    def forward(self, X, M, mask=None):
        return self.attend(X, *self.keys_values(M), mask)


# %% DecoderLayer: the outer Y asks | asks_with_the_first_Y
# -         Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
# -         Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
# -         return self.add_3(Y, self.feed_forward)
# +         Z = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
# +         Z = self.add_2(Z, lambda X: self.cross_attention(Y, M, source_mask)[0])
# +         return self.add_3(Z, self.feed_forward)


# %% DecoderLayer: begins with Y again | loses_the_self_attention
# -         Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
# -         Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
# -         return self.add_3(Y, self.feed_forward)
# +         Z = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
# +         Z = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
# +         return self.add_3(Z, self.feed_forward)


# %% decoder_mask: True at padding | real_tokens_forbidden
def decoder_mask(y, padding=0):
    pad = padding_mask(y == padding)
    return pad & causal_mask(y.shape[1])


# %% decoder_mask: counts the real tokens | padding_at_the_end
def decoder_mask(y, padding=0):
    T = y.shape[1]
    lengths = (y != padding).sum(dim=1)
    real = torch.arange(T)[None, :] < lengths[:, None]
    return padding_mask(real) & causal_mask(T)


# %% decoder_mask: the diagonal is always allowed | padding_attends_to_itself
def decoder_mask(y, padding=0):
    T = y.shape[1]
    allowed = causal_mask(T) & padding_mask(y != padding)
    return allowed | torch.eye(T, dtype=torch.bool)


# %% TranslationTransformer: lists times n | same_layer_in_both_stacks
class TranslationTransformer(nn.Module):
    def __init__(
        self,
        n_source,
        n_target,
        d_model,
        n_heads,
        d_ff,
        n_layers,
        dropout=0.1,
        norm_first=False,
        max_length=64,
    ):
        super().__init__()
        self.d_model = d_model
        self.source_embedding = nn.Embedding(n_source, d_model)
        self.target_embedding = nn.Embedding(n_target, d_model)
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        self.dropout = nn.Dropout(dropout)
        sizes = (d_model, n_heads, d_ff, dropout, norm_first)
        self.encoder = nn.ModuleList([EncoderLayer(*sizes)] * n_layers)
        self.decoder = nn.ModuleList([DecoderLayer(*sizes)] * n_layers)
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder_norm = nn.LayerNorm(d_model)

    def embed(self, embedding, ids, start=0):
        L = ids.shape[1]
        if start + L > len(self.positions):
            raise ValueError("too long")
        return self.dropout(
            embedding(ids) * math.sqrt(self.d_model) + self.positions[start : start + L]
        )

    def encode(self, source, mask):
        X = self.embed(self.source_embedding, source)
        for layer in self.encoder:
            X = layer(X, padding_mask(mask))
        return self.encoder_norm(X)

    def decode(self, y, M, mask):
        Y = self.embed(self.target_embedding, y)
        for layer in self.decoder:
            Y = layer(Y, M, decoder_mask(y), padding_mask(mask))
        return self.decoder_norm(Y) @ self.target_embedding.weight.T

    def forward(self, source, mask, y_in):
        return self.decode(y_in, self.encode(source, mask), mask)


# %% TranslationTransformer: no dropout | without_dropout
class TranslationTransformer(nn.Module):
    def __init__(
        self,
        n_source,
        n_target,
        d_model,
        n_heads,
        d_ff,
        n_layers,
        dropout=0.1,
        norm_first=False,
        max_length=64,
    ):
        super().__init__()
        self.d_model = d_model
        self.source_embedding = nn.Embedding(n_source, d_model)
        self.target_embedding = nn.Embedding(n_target, d_model)
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        self.dropout = nn.Dropout(dropout)
        sizes = (d_model, n_heads, d_ff, dropout, norm_first)
        self.encoder = nn.ModuleList(EncoderLayer(*sizes) for _ in range(n_layers))
        self.decoder = nn.ModuleList(DecoderLayer(*sizes) for _ in range(n_layers))
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder_norm = nn.LayerNorm(d_model)

    def embed(self, embedding, ids, start=0):
        L = ids.shape[1]
        if start + L > len(self.positions):
            raise ValueError("too long")
        return embedding(ids) * math.sqrt(self.d_model) + self.positions[start : start + L]

    def encode(self, source, mask):
        X = self.embed(self.source_embedding, source)
        for layer in self.encoder:
            X = layer(X, padding_mask(mask))
        return self.encoder_norm(X)

    def decode(self, y, M, mask):
        Y = self.embed(self.target_embedding, y)
        for layer in self.decoder:
            Y = layer(Y, M, decoder_mask(y), padding_mask(mask))
        return self.decoder_norm(Y) @ self.target_embedding.weight.T

    def forward(self, source, mask, y_in):
        return self.decode(y_in, self.encode(source, mask), mask)


# %% TranslationTransformer: drops before the positions are added | dropout_before_the_positions
# edits: long form
# -         X = X + self.positions[start : start + length].unsqueeze(0)
# -         return self.dropout(X)
# +         return self.dropout(X) + self.positions[start : start + length].unsqueeze(0)


# %% smoothed_loss: reshapes for the library | reshapes_the_logits
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if not 0 <= smoothing < 1:
        raise ValueError
    B, T, n = logits.shape
    return F.cross_entropy(
        logits.reshape(B, n, T), y_out, ignore_index=padding, label_smoothing=smoothing
    )


# %% smoothed_loss: axis 1 | softmax_over_positions
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if not 0 <= smoothing < 1:
        raise ValueError
    logp = logits.log_softmax(dim=1)
    right = logp.gather(-1, y_out[..., None])[..., 0]
    loss = -(1 - smoothing) * right - smoothing * logp.mean(-1)
    return loss[y_out != padding].mean()


# %% rank_hypotheses: parentheses | divides_only_the_length
def rank_hypotheses(hypotheses, alpha, n):
    if n < 1:
        raise ValueError
    scored = [(ids, logp / (5 + len(ids) / 6) ** alpha) for ids, logp in hypotheses]
    return sorted(scored, key=lambda h: -h[1])[:n]


# %% rank_hypotheses: sorts first | chooses_by_probability
def rank_hypotheses(hypotheses, alpha, n):
    if n < 1:
        raise ValueError
    best = sorted(hypotheses, key=lambda h: -h[1])[:n]
    return [(ids, logp / ((5 + len(ids)) / 6) ** alpha) for ids, logp in best]


# %% beam_search: k and no more | keeps_the_k_best_that_ended
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1 or max_length < 1:
        raise ValueError("beam")
    alive, done = [([], 0.0)], []
    for _ in range(max_length):
        y = torch.tensor([[ids[-1] if ids else bos] for ids, _ in alive])
        logits, state = step(y, state)
        logp = logits[:, 0].log_softmax(-1) + torch.tensor([[s] for _, s in alive])
        best, where = logp.flatten().topk(min(beam, logp.numel()))
        n = logp.shape[1]
        new, rows = [], []
        for value, w in zip(best.tolist(), where.tolist()):
            ids = alive[w // n][0]
            if w % n == eos:
                done.append((ids, value))
            else:
                new.append(([*ids, w % n], value))
                rows.append(w // n)
        alive = new
        state = [part[rows] for part in state]
        if len(done) >= beam:
            done = sorted(done, key=lambda h: -h[1])[:beam]
            alive = []
            break
    return sorted(done + alive, key=lambda h: -h[1])


# %% beam_search: forgets the new state | keeps_the_old_state
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1 or max_length < 1:
        raise ValueError("beam")
    alive, done = [([], 0.0)], []
    for _ in range(max_length):
        y = torch.tensor([[ids[-1] if ids else bos] for ids, _ in alive])
        logits, _ = step(y, state)
        logp = logits[:, 0].log_softmax(-1) + torch.tensor([[s] for _, s in alive])
        best, where = logp.flatten().topk(min(beam, logp.numel()))
        n = logp.shape[1]
        new, rows = [], []
        for value, w in zip(best.tolist(), where.tolist()):
            ids = alive[w // n][0]
            if w % n == eos:
                done.append((ids, value))
            else:
                new.append(([*ids, w % n], value))
                rows.append(w // n)
        alive = new
        state = [part[rows] for part in state]
        if len(done) >= beam:
            alive = []
            break
    return sorted(done + alive, key=lambda h: -h[1])


# %% beam_search: topk of k | fewer_candidates_than_k
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1 or max_length < 1:
        raise ValueError("beam")
    alive, done = [([], 0.0)], []
    for _ in range(max_length):
        y = torch.tensor([[ids[-1] if ids else bos] for ids, _ in alive])
        logits, state = step(y, state)
        logp = logits[:, 0].log_softmax(-1) + torch.tensor([[s] for _, s in alive])
        best, where = logp.flatten().topk(beam)
        n = logp.shape[1]
        new, rows = [], []
        for value, w in zip(best.tolist(), where.tolist()):
            ids = alive[w // n][0]
            if w % n == eos:
                done.append((ids, value))
            else:
                new.append(([*ids, w % n], value))
                rows.append(w // n)
        alive = new
        state = [part[rows] for part in state]
        if len(done) >= beam or not alive:
            alive = []
            break
    return sorted(done + alive, key=lambda h: -h[1])


# %% learn_merges: as blogs do it, with replace | replaces_text
def learn_merges(counts, n_merges):
    vocab = {" ".join(["▁", *word]): count for word, count in counts.items()}
    symbols = sorted({s for word in vocab for s in word.split()})
    age = {s: i for i, s in enumerate(symbols)}
    merges = []
    for _ in range(n_merges):
        pairs = Counter()
        for word, count in vocab.items():
            parts = word.split()
            for i in range(len(parts) - 1):
                pairs[parts[i], parts[i + 1]] += count
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], age.get(p[0], 10**9), age.get(p[1], 10**9)))
        vocab = {w.replace(" ".join(best), "".join(best)): c for w, c in vocab.items()}
        age["".join(best)] = len(age)
        merges.append(best)
    return merges


# %% learn_merges: overlapping pairs once | overlapping_pairs_once
def learn_merges(counts, n_merges):
    words = [(["▁", *word], count) for word, count in counts.items()]
    age = {c: i for i, c in enumerate(sorted({c for tokens, _ in words for c in tokens}))}
    merges = []
    while len(merges) < n_merges:
        pairs = Counter()
        for tokens, count in words:
            i = 0
            while i < len(tokens) - 1:
                pairs[tokens[i], tokens[i + 1]] += count
                same = tokens[i : i + 3] == [tokens[i]] * 3
                i += 2 if same else 1
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], age[p[0]], age[p[1]]))
        merges.append(best)
        age["".join(best)] = len(age)
        words = [(merge(tokens, best), count) for tokens, count in words]
    return merges


# %% learn_merges: ties by length and alphabet | ties_by_length
def learn_merges(counts, n_merges):
    words = {word: ["▁"] + list(word) for word in counts}
    merges = []
    for _ in range(n_merges):
        pairs = {}
        for word, tokens in words.items():
            for pair in zip(tokens, tokens[1:]):
                pairs[pair] = pairs.get(pair, 0) + counts[word]
        if not pairs:
            break
        best = sorted(pairs, key=lambda p: (-pairs[p], len(p[0]), p[0], len(p[1]), p[1]))[0]
        merges.append(best)
        words = {word: merge(tokens, best) for word, tokens in words.items()}
    return merges


# %% beam_search: exactly k | stops_at_exactly_k
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1 or max_length < 1:
        raise ValueError("beam and max_length must be positive")
    hypotheses, finished = [([], 0.0)], []
    for _ in range(max_length):
        y = torch.tensor([[ids[-1] if ids else bos] for ids, _ in hypotheses])
        logits, state = step(y, state)
        log_p = logits[:, -1].log_softmax(dim=-1)
        scores = log_p + torch.tensor([score for _, score in hypotheses])[:, None]
        values, indices = scores.flatten().topk(min(beam, scores.numel()))
        rows, new = [], []
        for value, index in zip(values.tolist(), indices.tolist()):
            row, token = index // scores.shape[1], index % scores.shape[1]
            if token == eos:
                finished.append((hypotheses[row][0], value))
            else:
                new.append((hypotheses[row][0] + [token], value))
                rows.append(row)
        hypotheses = new
        if len(finished) == beam:
            hypotheses = []
            break
        if not hypotheses:
            break
        state = [part[rows] for part in state]
    return sorted(finished + hypotheses, key=lambda h: h[1], reverse=True)


# %% rank_hypotheses: nothing to do without a penalty
def rank_hypotheses(hypotheses, alpha, n):
    if n < 1:
        raise ValueError("n")
    if alpha == 0:
        return list(hypotheses)[:n]
    scored = [(ids, p / ((5 + len(ids)) / 6) ** alpha) for ids, p in hypotheses]
    return sorted(scored, key=lambda h: h[1], reverse=True)[:n]


# %% rank_hypotheses: the shorter of two equal ones first
def rank_hypotheses(hypotheses, alpha, n):
    if n < 1:
        raise ValueError("n")
    scored = [(ids, p / ((5 + len(ids)) / 6) ** alpha) for ids, p in hypotheses]
    return sorted(scored, key=lambda h: (-h[1], len(h[0])))[:n]


# %% rank_hypotheses: chooses n first | chooses_before_dividing
def rank_hypotheses(hypotheses, alpha, n):
    best = sorted(hypotheses, key=lambda pair: pair[1], reverse=True)[:n]
    scored = [(ids, log_p / ((5 + len(ids)) / 6) ** alpha) for ids, log_p in best]
    return sorted(scored, key=lambda pair: pair[1], reverse=True)


# %% smoothed_loss: gathers first, masks afterwards | looks_up_padding
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing")
    log_p = F.log_softmax(logits, dim=-1)
    nll = -log_p.gather(-1, y_out[..., None]).squeeze(-1)
    loss = (1 - smoothing) * nll - smoothing * log_p.mean(-1)
    mask = (y_out != padding).float()
    return (loss * mask).sum() / mask.sum()


# %% apply_merges: in alphabetical order | sorts_the_merges
def apply_merges(word, merges):
    tokens = ["▁"] + list(word)
    for pair in sorted(merges):
        tokens = merge(tokens, pair)
    return tokens


# %% smoothed_loss: 1 - smoothing at the right token | whole_share_for_the_right_token
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing")
    V = logits.shape[-1]
    q = torch.full_like(logits, smoothing / V)
    q.scatter_(-1, y_out.clamp(0, V - 1)[..., None], 1 - smoothing)
    losses = -(q * torch.log_softmax(logits, -1)).sum(-1)
    mask = y_out != padding
    return (losses * mask).sum() / mask.sum()


# %% smoothed_loss: the logarithm of a smoothed probability | smooths_the_probabilities
def smoothed_loss(logits, y_out, smoothing, padding=0):
    real = y_out != padding
    P = logits[real].softmax(dim=-1)
    p = P.gather(-1, y_out[real].unsqueeze(-1)).squeeze(-1)
    p = (1 - smoothing) * p + smoothing / logits.shape[-1]
    return -p.log().mean()


# %% apply_merges: the mark at the end, as Sennrich et al. do | mark_at_the_end
def apply_merges(word, merges):
    tokens = list(word) + ["▁"]
    for pair in merges:
        tokens = merge(tokens, pair)
    return tokens


# %% apply_merges: the mark glued to the end of the word | mark_at_the_end
def apply_merges(word, merges):
    tokens = list(word + "▁")
    for left, right in merges:
        tokens = merge(tokens, (left, right))
    return tokens


# %% apply_merges: no tokens for an empty word | nothing_for_an_empty_word
def apply_merges(word, merges):
    if not word:
        return []
    tokens = ["▁"] + list(word)
    for pair in merges:
        tokens = merge(tokens, pair)
    return tokens


# %% transformer_rate: by cases, the same exponent | minus_half_by_cases
def transformer_rate(step: int, d_model: int, warmup: int) -> float:
    if step <= warmup:
        rate = step / warmup ** 0.5
    else:
        rate = step ** -0.5
    return rate * d_model ** -0.5


# %% transformer_rate: by cases, divides by the root of the warm-up | minus_half_before_the_peak
def transformer_rate(step, d_model, warmup):
    if step < warmup:
        return step / math.sqrt(warmup) / math.sqrt(d_model)
    return 1 / math.sqrt(step) / math.sqrt(d_model)


# %% transformer_rate: -3 / 2 without parentheses | half_of_the_power
def transformer_rate(step, d_model, warmup):
    return d_model ** -0.5 * min(step ** -0.5, step * warmup ** -3 / 2)


# %% transformer_rate: -1 / 2 without parentheses | half_of_one_over_d_model
def transformer_rate(step, d_model, warmup):
    falling = step ** (-0.5)
    growing = step * warmup ** (-1.5)
    return d_model ** -1 / 2 * min(falling, growing)


# %% join_tokens: nothing to append to yet | continues_no_word
def join_tokens(tokens):
    words = []
    for t in tokens:
        if t[0] == "▁":
            words.append(t[1:])
        else:
            words[-1] += t
    return [w for w in words if w != ""]


# %% join_tokens: nothing to continue, removeprefix and filter | continues_no_word
def join_tokens(tokens):
    words = []
    for token in tokens:
        if not token.startswith("▁"):
            words[len(words) - 1] = words[len(words) - 1] + token
            continue
        words.append(token.removeprefix("▁"))
    return list(filter(None, words))


# %% join_tokens: a word is complete at the next mark | loses_the_last
def join_tokens(tokens):
    words, current = [], ""
    for character in "".join(tokens):
        if character == "▁":
            if current:
                words.append(current)
            current = ""
        else:
            current += character
    return words


# %% CrossAttention: softmax of nothing but minus infinity | nan_where_all_is_masked
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.d_model, self.n_heads, self.d_k = d_model, n_heads, d_model // n_heads
        self.W_Q, self.W_K = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.W_V, self.W_O = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def keys_values(self, M):
        B, L, _ = M.shape
        K = self.W_K(M).view(B, L, self.n_heads, self.d_k).permute(0, 2, 1, 3)
        V = self.W_V(M).view(B, L, self.n_heads, self.d_k).permute(0, 2, 1, 3)
        return K, V

    def attend(self, X, K, V, mask=None):
        B, T, _ = X.shape
        Q = self.W_Q(X).view(B, T, self.n_heads, self.d_k).permute(0, 2, 1, 3)
        scores = Q @ K.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            m = mask if mask.dim() == 2 else mask.unsqueeze(1)
            scores = scores.masked_fill(~m, float("-inf"))
        a = scores.softmax(-1)
        return self.W_O((a @ V).permute(0, 2, 1, 3).reshape(B, T, self.d_model)), a

    def forward(self, X, M, mask=None):
        K, V = self.keys_values(M)
        return self.attend(X, K, V, mask)


# %% CrossAttention: torch.where with minus infinity | nan_where_all_is_masked
# - heads, weights = scaled_dot_product_attention(self._split(self.W_Q(X)), K, V, mask)
# + scores = torch.einsum("bhtd,bhld->bhtl", self._split(self.W_Q(X)), K) / K.shape[-1] ** 0.5
# + if mask is not None:
# +     scores = torch.where(mask, scores, -torch.inf)
# + weights = F.softmax(scores, dim=-1)
# + heads = torch.matmul(weights, V)


# %% CrossAttention: heads alternate | alternating_heads
# edits: reshapes and matmul by hand
# -         return X.reshape(B, L, self.h, self.d_k).permute(0, 2, 1, 3)
# +         return X.reshape(B, L, self.d_k, self.h).permute(0, 3, 1, 2)
# ...
# -         Z = torch.matmul(weights, V).permute(0, 2, 1, 3)
# +         Z = torch.matmul(weights, V).permute(0, 2, 3, 1)


# %% CrossAttention: mean weights | averages_the_heads
# edits: reshapes and matmul by hand
# -         return self.W_O(Z.reshape(*X.shape)), weights
# +         return self.W_O(Z.reshape(*X.shape)), weights.mean(1)


# %% DecoderLayer: norm_first is not passed on | ignores_norm_first
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attention = CrossAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        self.add_1 = AddAndNorm(d_model, dropout)
        self.add_2 = AddAndNorm(d_model, dropout)
        self.add_3 = AddAndNorm(d_model, dropout)

    def forward(self, Y, M, target_mask=None, source_mask=None):
        Y1 = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        Y2 = self.add_2(Y1, lambda X: self.cross_attention(X, M, source_mask)[0])
        return self.add_3(Y2, lambda X: self.feed_forward(X))


# %% DecoderLayer: norm_first alone is passed on | ignores_dropout
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attention = CrossAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        self.add_1 = AddAndNorm(d_model, norm_first=norm_first)
        self.add_2 = AddAndNorm(d_model, norm_first=norm_first)
        self.add_3 = AddAndNorm(d_model, norm_first=norm_first)

    def forward(self, Y, M, target_mask=None, source_mask=None):
        Y = self.add_1(Y, lambda X: self.self_attention(X, X, target_mask)[0])
        Y = self.add_2(Y, lambda X: self.cross_attention(X, M, source_mask)[0])
        return self.add_3(Y, self.feed_forward)


# %% DecoderLayer: neither option is passed on | ignores_both_options
# - self.add_1 = AddAndNorm(d_model, dropout, norm_first)
# - self.add_2 = AddAndNorm(d_model, dropout, norm_first)
# - self.add_3 = AddAndNorm(d_model, dropout, norm_first)
# + for name in ("add_1", "add_2", "add_3"):
# +     setattr(self, name, AddAndNorm(d_model))


# %% DecoderLayer: the third AddAndNorm without norm_first | norm_first_not_in_the_third
# edits: nested calls
# -         self.add_1, self.add_2, self.add_3 = (
# -             AddAndNorm(d_model, dropout=dropout, norm_first=norm_first) for _ in range(3)
# -         )
# +         self.add_1 = AddAndNorm(d_model, dropout=dropout, norm_first=norm_first)
# +         self.add_2 = AddAndNorm(d_model, dropout=dropout, norm_first=norm_first)
# +         self.add_3 = AddAndNorm(d_model, dropout=dropout)


# %% beam_search: fills the beam with k unfinished | ends_beside_the_beam
def beam_search(step, state, bos, eos, beam, max_length):
    device = state[0].device
    alive, scores = [[]], torch.zeros(1, device=device)
    y = torch.full((1, 1), bos, dtype=torch.long, device=device)
    finished = []
    for _ in range(max_length):
        logits, state = step(y, state)
        log_p = scores[:, None] + logits[:, -1].log_softmax(dim=-1)
        n_words = log_p.shape[1]
        best, index = log_p.flatten().topk(min(2 * beam, log_p.numel()))
        rows, going, kept = [], [], []
        for value, i in zip(best.tolist(), index.tolist()):
            row, word = divmod(i, n_words)
            if word == eos:
                finished.append((alive[row], value))
            elif len(rows) < beam:
                rows.append(row)
                going.append(alive[row] + [word])
                kept.append(value)
        alive, scores = going, torch.tensor(kept, device=device)
        if len(finished) >= beam:
            alive = []
            break
        if not alive:
            break
        state = [part[rows] for part in state]
        y = torch.tensor([[ids[-1]] for ids in alive], device=device)
    finished += list(zip(alive, scores.tolist()))
    return sorted(finished, key=lambda pair: -pair[1])


# %% CachedTransformer: an id of 0 may see nothing | masks_the_id_0
class CachedTransformer(TranslationTransformer):
    def start(self, source, mask):
        M = self.encode(source, mask)
        cache = [mask]
        for layer in self.decoder:
            K, V = layer.cross_attention.keys_values(M)
            cache += [K[:, :, :0], V[:, :, :0], K, V]
        return cache

    def step(self, y, cache):
        mask = padding_mask(cache[0])
        new = [cache[0]]
        Y = self.embed(self.target_embedding, y, start=cache[1].shape[2])
        for i, layer in enumerate(self.decoder):
            sK, sV, cK, cV = cache[1 + 4 * i:5 + 4 * i]

            def self_attention(X):
                k, v = layer.self_attention.keys_values(X)
                K, V = torch.cat([sK, k], dim=2), torch.cat([sV, v], dim=2)
                new.extend([K, V, cK, cV])
                return layer.self_attention.attend(X, K, V, (y != 0)[:, :, None].expand(-1, 1, K.shape[2]))[0]

            Y = layer.add_1(Y, self_attention)
            Y = layer.add_2(Y, lambda X: layer.cross_attention.attend(X, cK, cV, mask)[0])
            Y = layer.add_3(Y, layer.feed_forward)
        return self.decoder_norm(Y) @ self.target_embedding.weight.T, new
