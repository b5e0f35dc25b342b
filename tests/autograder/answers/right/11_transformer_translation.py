# %% merge: a while loop with pop
def merge(tokens, pair):
    rest = list(tokens)
    merged = []
    while rest:
        token = rest.pop(0)
        if rest and token == pair[0] and rest[0] == pair[1]:
            token += rest.pop(0)
        merged.append(token)
    return merged


# %% merge: an iterator
def merge(tokens, pair):
    new = []
    skip = False
    for this, following in zip(tokens, list(tokens[1:]) + [None]):
        if skip:
            skip = False
        elif (this, following) == pair:
            new.append(this + following)
            skip = True
        else:
            new.append(this)
    return new


# %% learn_merges: names each step
def learn_merges(counts, n_merges):
    splits = {}
    ages = {}
    for word in counts:
        splits[word] = ["▁"] + [character for character in word]
    alphabet = set()
    for tokens in splits.values():
        alphabet.update(tokens)
    for i, character in enumerate(sorted(alphabet)):
        ages[character] = i
    merges = []
    for _ in range(n_merges):
        frequencies = {}
        for word, tokens in splits.items():
            for i in range(len(tokens) - 1):
                pair = (tokens[i], tokens[i + 1])
                frequencies[pair] = frequencies.get(pair, 0) + counts[word]
        if not frequencies:
            break
        best = None
        for pair, frequency in frequencies.items():
            key = (-frequency, ages[pair[0]], ages[pair[1]])
            if best is None or key < best[0]:
                best = (key, pair)
        merges.append(best[1])
        if best[1][0] + best[1][1] not in ages:
            ages[best[1][0] + best[1][1]] = len(ages)
        for word in splits:
            splits[word] = merge(splits[word], best[1])
    return merges


# %% apply_merges: starts from a string
def apply_merges(word, merges):
    tokens = list("▁" + word)
    for merge_pair in merges:
        tokens = merge(tokens, merge_pair)
    return tokens


# %% join_tokens: adds to the last word
def join_tokens(tokens):
    words = []
    current = ""
    for character in "".join(tokens):
        if character == "▁":
            if current:
                words.append(current)
            current = ""
        else:
            current += character
    return words + [current] if current else words


# %% CrossAttention: reshapes and matmul by hand
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model must be a multiple of n_heads")
        self.h = n_heads
        self.d_k = d_model // n_heads
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def heads(self, X):
        B, L, _ = X.shape
        return X.reshape(B, L, self.h, self.d_k).permute(0, 2, 1, 3)

    def keys_values(self, M):
        return self.heads(self.W_K(M)), self.heads(self.W_V(M))

    def attend(self, X, K, V, mask=None):
        Q = self.heads(self.W_Q(X))
        scores = torch.matmul(Q, K.transpose(2, 3)) / self.d_k**0.5
        if mask is None:
            weights = F.softmax(scores, dim=-1)
        else:
            mask = mask[:, None] if mask.dim() == 3 else mask[None, None]
            scores = scores.masked_fill(mask == 0, -1e30)
            weights = F.softmax(scores, dim=-1) * mask
        Z = torch.matmul(weights, V).permute(0, 2, 1, 3)
        return self.W_O(Z.reshape(*X.shape)), weights

    def forward(self, X, M, mask=None):
        K, V = self.keys_values(M)
        return self.attend(X, K, V, mask)


# %% AddAndNorm: two returns
class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm, self.dropout = nn.LayerNorm(d_model), nn.Dropout(p=dropout)
        self.pre = norm_first

    def forward(self, X, sublayer):
        if not self.pre:
            out = sublayer(X)
            return self.norm(self.dropout(out) + X)
        else:
            out = sublayer(self.norm(X))
            return self.dropout(out) + X


# %% DecoderLayer: nested calls
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attention, self.cross_attention = (CrossAttention(d_model, n_heads) for _ in "12")
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        self.add_1, self.add_2, self.add_3 = (
            AddAndNorm(d_model, dropout=dropout, norm_first=norm_first) for _ in range(3)
        )

    def forward(self, Y, M, target_mask=None, source_mask=None):
        def own(y):
            return self.self_attention.forward(y, y, target_mask)[0]

        def source(y):
            out, weights = self.cross_attention(y, M, source_mask)
            return out

        return self.add_3(self.add_2(self.add_1(Y, own), source), self.feed_forward)


# %% decoder_mask: ones and tril
def decoder_mask(y, padding=0):
    T = y.shape[-1]
    allowed = torch.tril(torch.ones((T, T))).bool()
    real = torch.ne(y, padding)
    return torch.logical_and(real[:, None, :], allowed[None])


# %% TranslationTransformer: long form
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
        self.d_model, self.max_length = d_model, max_length
        self.source_embedding = nn.Embedding(n_source, d_model)
        self.target_embedding = nn.Embedding(n_target, d_model)
        positions = sinusoidal_positional_encoding(max_length, d_model)
        self.register_buffer("positions", positions)
        self.dropout = nn.Dropout(dropout)
        self.encoder, self.decoder = nn.ModuleList(), nn.ModuleList()
        for _ in range(n_layers):
            self.encoder.append(EncoderLayer(d_model, n_heads, d_ff, dropout, norm_first))
            self.decoder.append(DecoderLayer(d_model, n_heads, d_ff, dropout, norm_first))
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder_norm = nn.LayerNorm(d_model)

    def embed(self, embedding, ids, start=0):
        length = ids.size(1)
        if start + length > self.max_length:
            raise ValueError("the sentence is too long")
        X = embedding(ids) * math.sqrt(self.d_model)
        X = X + self.positions[start : start + length].unsqueeze(0)
        return self.dropout(X)

    def encode(self, source, mask):
        X = self.embed(self.source_embedding, source)
        allowed = padding_mask(mask)
        for layer in self.encoder:
            X = layer(X, mask=allowed)
        return self.encoder_norm(X)

    def decode(self, y, M, mask):
        Y = self.embed(self.target_embedding, y)
        target_mask, source_mask = decoder_mask(y), padding_mask(mask)
        for layer in self.decoder:
            Y = layer(Y, M, target_mask, source_mask)
        Y = self.decoder_norm(Y)
        return torch.matmul(Y, self.target_embedding.weight.transpose(0, 1))

    def forward(self, source, mask, y_in):
        M = self.encode(source, mask)
        return self.decode(y_in, M, mask)


# %% smoothed_loss: two losses from PyTorch
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if smoothing < 0 or smoothing >= 1:
        raise ValueError("smoothing has to be in [0, 1)")
    real = y_out != padding
    logits, y_out = logits[real], y_out[real]
    nll = F.cross_entropy(logits, y_out)
    uniform = -logits.log_softmax(dim=-1).mean()
    return (1 - smoothing) * nll + smoothing * uniform


# %% transformer_rate: math.sqrt
def transformer_rate(step, d_model, warmup):
    if step < 1:
        raise ValueError("steps are counted from 1")
    if warmup < 1:
        raise ValueError("warm-up takes at least one step")
    a = 1 / math.sqrt(step)
    b = step / warmup**1.5
    return min(a, b) / math.sqrt(d_model)


# %% CachedTransformer: index arithmetic
class CachedTransformer(TranslationTransformer):
    def start(self, source, mask):
        M = self.encode(source, mask)
        out = [mask]
        for layer in self.decoder:
            keys, values = layer.cross_attention.keys_values(M)
            B, H, _, d_k = keys.shape
            out.append(torch.zeros(B, H, 0, d_k))
            out.append(torch.zeros(B, H, 0, d_k))
            out.append(keys)
            out.append(values)
        return out

    def step(self, y, cache):
        new = [cache[0]]
        Y = self.embed(self.target_embedding, y, start=cache[1].shape[-2])
        for n in range(len(self.decoder)):
            layer = self.decoder[n]
            old_K, old_V, source_K, source_V = cache[4 * n + 1 : 4 * n + 5]
            grown = []

            def first(X):
                k, v = layer.self_attention.keys_values(X)
                grown.append(torch.cat([old_K, k], dim=-2))
                grown.append(torch.cat([old_V, v], dim=-2))
                return layer.self_attention.attend(X, grown[0], grown[1], None)[0]

            def second(X):
                mask = cache[0].unsqueeze(1)
                return layer.cross_attention.attend(X, source_K, source_V, mask)[0]

            Y = layer.add_1(Y, first)
            Y = layer.add_2(Y, second)
            Y = layer.add_3(Y, layer.feed_forward)
            new = new + grown + [source_K, source_V]
        return self.decoder_norm(Y).matmul(self.target_embedding.weight.t()), new


# %% rank_hypotheses: appends and sorts
def rank_hypotheses(hypotheses, alpha, n):
    if n < 1:
        raise ValueError("n must be at least 1")
    result = []
    for tokens, logp in hypotheses:
        lp = pow((5 + len(tokens)) / 6, alpha)
        result.append((tokens, logp / lp))
    return sorted(result, key=lambda hypothesis: hypothesis[1], reverse=True)[:n]


# %% beam_search: lists of candidates
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1:
        raise ValueError("the beam must be at least 1")
    if max_length < 1:
        raise ValueError("max_length must be at least 1")
    hypotheses = [([bos], 0.0)]
    finished = []
    for t in range(max_length):
        last = torch.tensor([ids[-1] for ids, _ in hypotheses]).view(-1, 1)
        logits, state = step(last, state)
        logp = F.log_softmax(logits.squeeze(1), dim=-1)
        candidates = []
        for i, (ids, score) in enumerate(hypotheses):
            for token in range(logp.shape[1]):
                candidates.append((score + logp[i, token].item(), i, token))
        candidates.sort(key=lambda c: c[0], reverse=True)
        kept = []
        for score, i, token in candidates[:beam]:
            if token == eos:
                finished.append((hypotheses[i][0][1:], score))
            else:
                kept.append((score, i, token))
        if len(finished) >= beam:
            hypotheses = []
            break
        state = [s[torch.tensor([i for _, i, _ in kept])] for s in state]
        hypotheses = [(hypotheses[i][0] + [token], score) for score, i, token in kept]
    finished.extend((ids[1:], score) for ids, score in hypotheses)
    return sorted(finished, key=lambda h: h[1], reverse=True)
