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


# %% merge: index with try and slices
def merge(tokens, pair):
    tokens = list(tokens)
    left, right = pair
    i = 0
    while i < len(tokens) - 1:
        if tokens[i] == left and tokens[i + 1] == right:
            tokens[i : i + 2] = [left + right]
        i += 1
    return tokens


# %% merge: recursion
def merge(tokens, pair):
    if len(tokens) < 2:
        return list(tokens)
    first, second, *rest = tokens
    if (first, second) == tuple(pair):
        return [first + second] + merge(rest, pair)
    return [first] + merge([second, *rest], pair)


# %% merge: searches for the next left token
def merge(tokens, pair):
    tokens = list(tokens)
    new_word = []
    i = 0
    while i < len(tokens):
        try:
            j = tokens.index(pair[0], i)
        except ValueError:
            new_word.extend(tokens[i:])
            break
        new_word.extend(tokens[i:j])
        i = j
        if i < len(tokens) - 1 and tokens[i + 1] == pair[1]:
            new_word.append(pair[0] + pair[1])
            i += 2
        else:
            new_word.append(tokens[i])
            i += 1
    return new_word


# %% merge: a stack with a flag for what was just merged
def merge(tokens, pair):
    result = []
    just_merged = True
    for token in tokens:
        if not just_merged and result[-1] == pair[0] and token == pair[1]:
            result[-1] += token
            just_merged = True
        else:
            result.append(token)
            just_merged = False
    return result


# %% merge: a regular expression over separated tokens
def merge(tokens, pair):
    import re

    text = "\x00" + "\x00\x00".join(tokens) + "\x00" if tokens else ""
    pattern = re.escape("\x00" + pair[0] + "\x00\x00" + pair[1] + "\x00")
    text = re.sub(pattern, lambda m: "\x00" + "".join(pair) + "\x00", text)
    return text[1:-1].split("\x00\x00") if text else []


# %% learn_merges: defaultdict and sorted
def learn_merges(counts, n_merges):
    from collections import defaultdict

    corpus = {w: ["▁"] + list(w) for w in counts}
    vocab = sorted(set("▁" + "".join(counts)))
    merges = []
    while n_merges > 0:
        stats = defaultdict(int)
        for w, toks in corpus.items():
            for a, b in zip(toks[:-1], toks[1:]):
                stats[a, b] += counts[w]
        if len(stats) == 0:
            break
        ranked = sorted(stats, key=lambda p: (-stats[p], vocab.index(p[0]), vocab.index(p[1])))
        best = ranked[0]
        merges.append(best)
        if best[0] + best[1] not in vocab:
            vocab.append(best[0] + best[1])
        corpus = {w: merge(toks, best) for w, toks in corpus.items()}
        n_merges -= 1
    return merges


# %% learn_merges: two parallel lists, max with negative ages
def learn_merges(counts, n_merges):
    splits = [list("▁" + word) for word in counts.keys()]
    freqs = list(counts.values())
    order = {c: k for k, c in enumerate(sorted({c for s in splits for c in s}))}
    result = []
    for step in range(n_merges):
        pair_counts = Counter()
        for split, f in zip(splits, freqs):
            for k in range(1, len(split)):
                pair_counts.update({(split[k - 1], split[k]): f})
        if sum(len(s) > 1 for s in splits) == 0:
            return result
        top = max(pair_counts.values())
        tied = [p for p, c in pair_counts.items() if c == top]
        tied.sort(key=lambda p: order[p[1]])
        tied.sort(key=lambda p: order[p[0]])
        winner = tied[0]
        result.append(winner)
        order.setdefault(winner[0] + winner[1], len(order))
        splits = [merge(s, winner) for s in splits]
    return result


# %% learn_merges: a class that keeps the state
class _Learner:
    def __init__(self, counts):
        self.words = [(["▁", *word], n) for word, n in counts.items()]
        self.tokens = sorted({t for tokens, _ in self.words for t in tokens})

    def best(self):
        pairs = {}
        for tokens, n in self.words:
            for i, left in enumerate(tokens[:-1]):
                right = tokens[i + 1]
                pairs[left, right] = pairs.get((left, right), 0) + n
        if not pairs:
            return None
        most = max(pairs.values())
        for left in self.tokens:
            for right in self.tokens:
                if pairs.get((left, right)) == most:
                    return left, right

    def merge(self, pair):
        self.words = [(merge(tokens, pair), n) for tokens, n in self.words]
        if "".join(pair) not in self.tokens:
            self.tokens.append("".join(pair))


def learn_merges(counts, n_merges):
    learner, merges = _Learner(counts), []
    while len(merges) < n_merges and (pair := learner.best()):
        learner.merge(pair)
        merges.append(pair)
    return merges


# %% learn_merges: a heap of all pairs, rebuilt each time
def learn_merges(counts, n_merges):
    import heapq

    words = {word: tuple("▁" + word) for word in counts}
    age = {c: ord(c) for tokens in words.values() for c in tokens}
    newest = 2_000_000
    merges = []
    for _ in range(n_merges):
        pairs = Counter()
        for word in words:
            tokens = words[word]
            for pair in zip(tokens, tokens[1:]):
                pairs[pair] += counts[word]
        heap = [(-n, age[a], age[b], a, b) for (a, b), n in pairs.items()]
        if not heap:
            break
        heapq.heapify(heap)
        *_, a, b = heapq.heappop(heap)
        merges.append((a, b))
        if a + b not in age:
            age[a + b] = newest
            newest += 1
        words = {word: tuple(merge(tokens, (a, b))) for word, tokens in words.items()}
    return merges


# %% apply_merges: functools.reduce
def apply_merges(word, merges):
    from functools import reduce

    return reduce(merge, merges, ["▁", *word])


# %% apply_merges: recursion over the merges
def apply_merges(word, merges):
    def apply(tokens, todo):
        if len(todo) == 0:
            return tokens
        return apply(merge(tokens, todo[0]), todo[1:])

    return apply(["▁"] + [c for c in word], list(merges))


# %% apply_merges: without merge
def apply_merges(word, merges):
    tokens = ["▁"]
    for c in word:
        tokens.append(c)
    for left, right in merges:
        i = 0
        while i + 1 < len(tokens):
            if tokens[i] == left and tokens[i + 1] == right:
                tokens = tokens[:i] + [left + right] + tokens[i + 2 :]
            i += 1
    return tokens


# %% apply_merges: skips merges that do not occur
def apply_merges(word, merges):
    pieces = list("▁") + list(word)
    for pair in merges:
        if len(pieces) == 1:
            break
        if pair in zip(pieces, pieces[1:]):
            pieces = merge(pieces, pair)
    return pieces


# %% apply_merges: ranks, as in GPT-2
def apply_merges(word, merges):
    rank = {pair: i for i, pair in reversed(list(enumerate(merges)))}
    tokens = ["▁", *word]
    done = -1
    while True:
        later = [rank[p] for p in zip(tokens, tokens[1:]) if p in rank and rank[p] > done]
        if not later:
            return tokens
        done = min(later)
        tokens = merge(tokens, merges[done])


# %% join_tokens: token by token
def join_tokens(tokens):
    words = []
    for token in tokens:
        if token.startswith("▁") or not words:
            words.append(token.replace("▁", ""))
        else:
            words[-1] += token
    return [w for w in words if w != ""]


# %% join_tokens: a regular expression
def join_tokens(tokens):
    import re

    return re.findall("[^▁]+", "".join(tokens))


# %% join_tokens: groupby
def join_tokens(tokens):
    from itertools import chain, groupby

    characters = chain.from_iterable(tokens)
    return ["".join(g) for mark, g in groupby(characters, lambda c: c == "▁") if not mark]


# %% CrossAttention: a loop over the heads
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super(CrossAttention, self).__init__()
        if d_model / n_heads != d_model // n_heads:
            raise ValueError("cannot split d_model")
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def keys_values(self, M):
        K, V = self.W_K(M), self.W_V(M)
        K = torch.stack(torch.split(K, self.d_k, dim=2), dim=1)
        V = torch.stack(torch.split(V, self.d_k, dim=2), dim=1)
        return K, V

    def attend(self, X, K, V, mask=None):
        Q = self.W_Q(X)
        heads, all_weights = [], []
        for h in range(self.n_heads):
            q = Q[:, :, h * self.d_k : (h + 1) * self.d_k]
            out, w = scaled_dot_product_attention(q, K[:, h], V[:, h], mask)
            heads.append(out)
            all_weights.append(w)
        return self.W_O(torch.cat(heads, dim=2)), torch.stack(all_weights, dim=1)

    def forward(self, X, M, mask=None):
        keys, values = self.keys_values(M)
        return self.attend(X, keys, values, mask=mask)


# %% CrossAttention: einsum
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads:
            raise ValueError(f"{d_model} % {n_heads} != 0")
        self.n_heads = n_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def keys_values(self, M):
        def project(layer):
            W = layer.weight.view(self.n_heads, -1, M.shape[-1])
            b = layer.bias.view(self.n_heads, 1, -1)
            return torch.einsum("bld,hkd->bhlk", M, W) + b

        return project(self.W_K), project(self.W_V)

    def attend(self, X, K, V, mask=None):
        Q = self.W_Q(X).unflatten(2, (self.n_heads, K.shape[-1]))
        scores = torch.einsum("bthk,bhlk->bhtl", Q, K) / math.sqrt(K.shape[-1])
        if mask is not None:
            if mask.ndim == 2:
                mask = mask[None]
            mask = mask[:, None]
            scores = torch.where(mask, scores, -1e9)
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights * mask
        heads = torch.einsum("bhtl,bhlk->bthk", weights, V)
        return self.W_O(heads.reshape(X.shape)), weights

    def forward(self, X, M, mask=None):
        return self.attend(X, *self.keys_values(M), mask=mask)


# %% CrossAttention: heads folded into the batch
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads > 0:
            raise ValueError("n_heads does not divide d_model")
        self.H = n_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=True)
        self.W_K = nn.Linear(d_model, d_model, bias=True)
        self.W_V = nn.Linear(d_model, d_model, bias=True)
        self.W_O = nn.Linear(d_model, d_model, bias=True)

    def keys_values(self, M):
        B, L, d = M.shape
        K = self.W_K(M).view(B, L, self.H, d // self.H).swapaxes(1, 2).contiguous()
        V = self.W_V(M).view(B, L, self.H, d // self.H).swapaxes(1, 2).contiguous()
        return K, V

    def attend(self, X, K, V, mask=None):
        B, T, d = X.shape
        d_k, L = d // self.H, K.shape[2]
        Q = self.W_Q(X).view(B, T, self.H, d_k).swapaxes(1, 2).reshape(B * self.H, T, d_k)
        scores = torch.bmm(Q, K.reshape(B * self.H, L, d_k).mT) / d_k**0.5
        weights = scores.view(B, self.H, T, L)
        if mask is not None:
            allowed = torch.broadcast_to(mask, (B, T, L)).unsqueeze(1)
            weights = weights.masked_fill(~allowed, float("-inf"))
            weights = F.softmax(weights, dim=-1)
            weights = torch.nan_to_num(weights, nan=0.0)
        else:
            weights = F.softmax(weights, dim=-1)
        Z = torch.bmm(weights.reshape(B * self.H, T, L), V.reshape(B * self.H, L, d_k))
        Z = Z.view(B, self.H, T, d_k).swapaxes(1, 2).reshape(B, T, d)
        return self.W_O(Z), weights

    def forward(self, X, M, mask=None):
        K, V = self.keys_values(M)
        return self.attend(X, K, V, mask)


# %% CrossAttention: sums the heads' shares of W_O
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.d_k, rest = divmod(d_model, n_heads)
        if rest:
            raise ValueError("the heads need equal sizes")
        self.n_heads = n_heads
        for letter in "QKVO":
            self.add_module(f"W_{letter}", nn.Linear(d_model, d_model))

    def heads(self, layer, X):
        return torch.stack(layer(X).chunk(self.n_heads, dim=-1), dim=1)

    def keys_values(self, M):
        return self.heads(self.W_K, M), self.heads(self.W_V, M)

    def attend(self, X, K, V, mask=None):
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        Z, A = scaled_dot_product_attention(self.heads(self.W_Q, X), K, V, mask)
        out = self.W_O.bias
        for h, W in enumerate(self.W_O.weight.split(self.d_k, dim=1)):
            out = out + Z[:, h] @ W.T
        return out, A

    def forward(self, X, M, mask=None):
        return self.attend(X, self.heads(self.W_K, M), self.heads(self.W_V, M), mask)


# %% AddAndNorm: clumsy branches
class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super(AddAndNorm, self).__init__()
        self.norm_first = norm_first
        self.norm = nn.LayerNorm(normalized_shape=d_model, eps=1e-5)
        self.dropout = nn.Dropout(dropout)

    def forward(self, X, sublayer):
        residual = X
        if self.norm_first == True:  # noqa: E712
            X = self.norm(X)
        X = sublayer(X)
        X = self.dropout(X)
        X = X + residual
        if self.norm_first == False:  # noqa: E712
            X = self.norm(X)
        return X


# %% AddAndNorm: two methods chosen once
class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.order = self._before if norm_first else self._after

    def _before(self, X, f):
        return torch.add(self.dropout(f(self.norm(X))), X)

    def _after(self, X, f):
        return self.norm(torch.add(self.dropout(f(X)), X))

    def forward(self, X, sublayer):
        return self.order(X, sublayer)


# %% AddAndNorm: the normalization by hand
class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def normalize(self, X):
        mean = X.mean(-1, keepdim=True)
        variance = ((X - mean) ** 2).mean(-1, keepdim=True)
        return (X - mean) / torch.sqrt(variance + self.norm.eps) * self.norm.weight + self.norm.bias

    def forward(self, X, sublayer):
        if self.norm_first:
            return X + self.dropout(sublayer(self.normalize(X)))
        return self.normalize(X + self.dropout(sublayer(X)))


# %% AddAndNorm: conditional expressions with F.dropout
class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm, self.dropout, self.pre_ln = nn.LayerNorm([d_model]), nn.Dropout(dropout), norm_first

    def forward(self, X, sublayer):
        Z = sublayer(self.norm(X) if self.pre_ln else X)
        Z = F.dropout(Z, p=self.dropout.p, training=self.training)
        return X + Z if self.pre_ln else self.norm(X + Z)


# %% AddAndNorm: nn.Identity
class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.before, self.after = nn.Identity(), self.norm
        if norm_first:
            self.before, self.after = self.after, self.before

    def forward(self, X, sublayer):
        return self.after(X + self.dropout(sublayer(self.before(X))))


# %% DecoderLayer: inline, without lambdas
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, norm_first=False):
        super(DecoderLayer, self).__init__()
        self.norm_first = norm_first
        self.self_attention = CrossAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, "relu")
        self.add_1 = AddAndNorm(d_model, dropout=dropout, norm_first=norm_first)
        self.add_2 = AddAndNorm(d_model, dropout=dropout, norm_first=norm_first)
        self.add_3 = AddAndNorm(d_model, dropout=dropout, norm_first=norm_first)

    def forward(self, Y, M, target_mask=None, source_mask=None):
        if self.norm_first:
            Z = self.add_1.norm(Y)
            Y = Y + self.add_1.dropout(self.self_attention(Z, Z, target_mask)[0])
            Z = self.add_2.norm(Y)
            Y = Y + self.add_2.dropout(self.cross_attention(Z, M, source_mask)[0])
            Z = self.add_3.norm(Y)
            return Y + self.add_3.dropout(self.feed_forward(Z))
        Z, _ = self.self_attention(Y, Y, target_mask)
        Y = self.add_1.norm(Y + self.add_1.dropout(Z))
        Z, _ = self.cross_attention(Y, M, source_mask)
        Y = self.add_2.norm(Y + self.add_2.dropout(Z))
        return self.add_3.norm(Y + self.add_3.dropout(self.feed_forward(Y)))


# %% DecoderLayer: functools.partial
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, norm_first=False):
        from functools import partial

        super().__init__()
        attention = partial(CrossAttention, d_model, n_heads)
        add = partial(AddAndNorm, d_model, dropout, norm_first)
        self.self_attention, self.cross_attention = attention(), attention()
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        self.add_1, self.add_2, self.add_3 = add(), add(), add()

    def _to_target(self, mask, X):
        return self.self_attention(X, X, mask)[0]

    def _to_source(self, M, mask, X):
        return self.cross_attention(X, M, mask)[0]

    def forward(self, Y, M, target_mask=None, source_mask=None):
        from functools import partial

        Y = self.add_1(Y, partial(self._to_target, target_mask))
        Y = self.add_2(Y, partial(self._to_source, M, source_mask))
        Y = self.add_3(Y, self.feed_forward.forward)
        return Y


# %% DecoderLayer: a loop over the sublayers
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attention = CrossAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, activation="relu")
        for i in range(1, 4):
            self.add_module(f"add_{i}", AddAndNorm(d_model, dropout, norm_first))

    def forward(self, Y, M, target_mask=None, source_mask=None):
        sublayers = (
            lambda y: self.self_attention(X=y, M=y, mask=target_mask)[0],
            lambda y: self.cross_attention(X=y, M=M, mask=source_mask)[0],
            lambda y: self.feed_forward(y),
        )
        for add, sublayer in zip((self.add_1, self.add_2, self.add_3), sublayers):
            Y = add(Y, sublayer)
        return Y


# %% DecoderLayer: keys and values of the source first
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.add_1 = AddAndNorm(d_model, dropout, norm_first)
        self.self_attention = CrossAttention(d_model, n_heads)
        self.add_2 = AddAndNorm(d_model, dropout, norm_first)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.add_3 = AddAndNorm(d_model, dropout, norm_first)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)

    def forward(self, Y, M, target_mask=None, source_mask=None):
        B, T, _ = Y.shape
        L = M.shape[1]
        if target_mask is None:
            target_mask = torch.ones(B, T, T).bool()
        if source_mask is None:
            source_mask = torch.ones(B, 1, L).bool()
        K, V = self.cross_attention.keys_values(M)

        def own(X):
            k, v = self.self_attention.keys_values(X)
            return self.self_attention.attend(X, k, v, target_mask)[0]

        Y1 = self.add_1(Y, own)
        Y2 = self.add_2(Y1, lambda X: self.cross_attention.attend(X, K, V, source_mask)[0])
        Y3 = self.add_3(Y2, self.feed_forward)
        return Y3


# %% decoder_mask: two loops
def decoder_mask(y, padding=0):
    B, T = y.shape
    mask = torch.zeros(B, T, T, dtype=torch.bool)
    for b in range(B):
        for i in range(T):
            for j in range(i + 1):
                if y[b, j] != padding:
                    mask[b, i, j] = True
    return mask


# %% decoder_mask: compares positions
def decoder_mask(y, padding=0):
    positions = torch.arange(y.size(1))
    return (positions[None, :, None] >= positions[None, None, :]) & (y != padding)[:, None, :]


# %% decoder_mask: the complement, with triu
def decoder_mask(y, padding=0):
    B, T = y.shape
    future = torch.triu(torch.ones(T, T, dtype=torch.uint8), diagonal=1).bool()
    forbidden = future.unsqueeze(0).expand(B, T, T) | y.eq(padding).unsqueeze(1)
    return ~forbidden


# %% decoder_mask: tril of the expanded padding mask
def decoder_mask(y, padding=0):
    return (y != padding)[:, None].repeat(1, y.shape[1], 1).tril()


# %% decoder_mask: NumPy
def decoder_mask(y, padding=0):
    import numpy as np

    ids = y.numpy()
    lower = np.tri(ids.shape[1], dtype=bool)
    return torch.from_numpy(np.stack([lower * (row != padding) for row in ids]))


# %% TranslationTransformer: ModuleLists from list comprehensions, checks by size
class TranslationTransformer(nn.Module):
    def __init__(
        self, n_source, n_target, d_model, n_heads, d_ff, n_layers,
        dropout=0.1, norm_first=False, max_length=64,
    ):  # fmt: skip
        super(TranslationTransformer, self).__init__()
        self.scale = d_model**0.5
        self.source_embedding = nn.Embedding(n_source, d_model)
        self.target_embedding = nn.Embedding(n_target, d_model)
        self.register_buffer(
            "positions", sinusoidal_positional_encoding(max_length, d_model)
        )
        self.dropout = nn.Dropout(dropout)
        self.encoder = nn.ModuleList(
            [EncoderLayer(d_model, n_heads, d_ff, dropout, norm_first) for _ in range(n_layers)]
        )
        self.decoder = nn.ModuleList(
            [DecoderLayer(d_model, n_heads, d_ff, dropout, norm_first) for _ in range(n_layers)]
        )
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def embed(self, embedding, ids, start=0):
        L = ids.shape[1]
        pos = self.positions[start : start + L]
        if pos.shape[0] < L:
            raise ValueError("out of positions")
        return self.dropout(embedding(ids).mul(self.scale).add(pos))

    def encode(self, source, mask):
        Z, m = self.embed(self.source_embedding, source), mask[:, None, :]
        for i in range(len(self.encoder)):
            Z = self.encoder[i](Z, m)
        return self.encoder_norm(Z)

    def decode(self, y, M, mask):
        Z, own, other = self.embed(self.target_embedding, y), decoder_mask(y, 0), mask[:, None, :]
        for block in self.decoder:
            Z = block(Y=Z, M=M, target_mask=own, source_mask=other)
        return F.linear(self.decoder_norm(Z), self.target_embedding.weight)

    def forward(self, source, mask, y_in):
        memory = self.encode(source, mask)
        logits = self.decode(y_in, memory, mask)
        return logits


# %% TranslationTransformer: reduce over the layers, einsum for the logits
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
        more = dict(dropout=dropout, norm_first=norm_first)
        self.max_length = max_length
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        self.dropout = nn.Dropout(dropout)
        for side, n_words, layer in (
            ("encoder", n_source, EncoderLayer),
            ("decoder", n_target, DecoderLayer),
        ):
            stack = nn.ModuleList(layer(d_model, n_heads, d_ff, **more) for _ in range(n_layers))
            setattr(self, side, stack)
            setattr(self, side + "_norm", nn.LayerNorm(d_model))
            name = "source" if side == "encoder" else "target"
            setattr(self, name + "_embedding", nn.Embedding(n_words, d_model))

    def embed(self, embedding, ids, start=0):
        B, L = ids.shape
        if start + L > self.max_length:
            raise ValueError(f"only {self.max_length} positions")
        index = torch.arange(start, start + L)
        E = embedding(ids) * math.sqrt(embedding.embedding_dim)
        return self.dropout(E + self.positions[index].expand(B, -1, -1))

    def encode(self, source, mask):
        from functools import reduce

        X = self.embed(self.source_embedding, source)
        return self.encoder_norm(reduce(lambda x, f: f(x, padding_mask(mask)), self.encoder, X))

    def decode(self, y, M, mask):
        from functools import reduce

        Y, masks = self.embed(self.target_embedding, y), (decoder_mask(y), padding_mask(mask))
        Y = self.decoder_norm(reduce(lambda x, f: f(x, M, *masks), self.decoder, Y))
        return torch.einsum("btd,wd->btw", Y, self.target_embedding.weight)

    def forward(self, source, mask, y_in):
        return self.decode(y_in, self.encode(source, mask), mask)


# %% TranslationTransformer: masks computed by hand
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
        self.source_embedding = nn.Embedding(num_embeddings=n_source, embedding_dim=d_model)
        self.target_embedding = nn.Embedding(num_embeddings=n_target, embedding_dim=d_model)
        pe = torch.zeros(max_length, d_model)
        position = torch.arange(0, max_length, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term[: d_model // 2])
        self.register_buffer("positions", pe)
        self.dropout = nn.Dropout(p=dropout)
        self.encoder = nn.ModuleList()
        self.decoder = nn.ModuleList()
        for i in range(n_layers):
            self.encoder.append(EncoderLayer(d_model, n_heads, d_ff, dropout, norm_first))
            self.decoder.append(DecoderLayer(d_model, n_heads, d_ff, dropout, norm_first))
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder_norm = nn.LayerNorm(d_model)

    def embed(self, embedding, ids, start=0):
        if start + ids.shape[-1] > self.positions.shape[0]:
            raise ValueError("sequence is longer than max_length")
        x = embedding(ids)
        x = x * math.sqrt(self.d_model)
        x = x + self.positions[start : start + ids.shape[-1], :]
        x = self.dropout(x)
        return x

    def encode(self, source, mask):
        x = self.embed(self.source_embedding, source)
        source_mask = mask.unsqueeze(-2)
        for layer in self.encoder:
            x = layer(x, source_mask)
        x = self.encoder_norm(x)
        return x

    def decode(self, y, M, mask):
        x = self.embed(self.target_embedding, y)
        T = y.shape[1]
        causal = torch.tril(torch.ones(1, T, T)) > 0
        target_mask = (y > 0).unsqueeze(-2) & causal
        source_mask = mask.unsqueeze(-2)
        for layer in self.decoder:
            x = layer(x, M, target_mask, source_mask)
        x = self.decoder_norm(x)
        return x @ self.target_embedding.weight.transpose(0, 1)

    def forward(self, source, mask, y_in):
        return self.decode(y_in, self.encode(source, mask), mask)


# %% smoothed_loss: label_smoothing of PyTorch
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if not (smoothing >= 0 and smoothing < 1):
        raise ValueError("smoothing must be in [0, 1)")
    real = y_out != padding
    return F.cross_entropy(logits[real], y_out[real], label_smoothing=smoothing)


# %% smoothed_loss: a target distribution
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if smoothing < 0:
        raise ValueError("negative smoothing")
    if smoothing >= 1:
        raise ValueError("too much smoothing")
    V = logits.size(-1)
    target = torch.full_like(logits, smoothing / V)
    words = torch.where(y_out == padding, 0, y_out).unsqueeze(-1)
    target.scatter_add_(-1, words, torch.full_like(logits[..., :1], 1 - smoothing))
    loss = -(target * F.log_softmax(logits, dim=-1)).sum(dim=-1)
    keep = (y_out != padding).float()
    return (loss * keep).sum() / keep.sum()


# %% smoothed_loss: token by token with logsumexp
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if smoothing not in [0] and not 0 < smoothing < 1:
        raise ValueError(smoothing)
    losses = []
    for scores, words in zip(logits, y_out):
        for score, word in zip(scores, words):
            if int(word) == padding:
                continue
            z = torch.logsumexp(score, 0)
            losses.append(z - (1 - smoothing) * score[word] - smoothing * score.sum() / len(score))
    return sum(losses) / len(losses)


# %% smoothed_loss: soft labels for F.cross_entropy
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if smoothing < 0.0 or not smoothing < 1.0:
        raise ValueError("epsilon out of range")
    n_words = logits.shape[2]
    logits, y_out = logits.reshape(-1, n_words), y_out.reshape(-1)
    index = torch.nonzero(y_out != padding).flatten()
    labels = F.one_hot(y_out[index], n_words) * (1 - smoothing) + smoothing / n_words
    return F.cross_entropy(logits[index], labels.to(logits.dtype))


# %% smoothed_loss: ignore_index for both parts
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if smoothing >= 1 or smoothing < 0:
        raise ValueError("0 <= smoothing < 1, please")
    criterion = nn.CrossEntropyLoss(ignore_index=padding, label_smoothing=smoothing)
    return criterion(logits.permute(0, 2, 1), y_out)


# %% transformer_rate: two phases
def transformer_rate(step, d_model, warmup):
    if min(step, warmup) < 1:
        raise ValueError("step and warmup must be positive")
    if step < warmup:
        factor = step / (warmup * math.sqrt(warmup))
    else:
        factor = 1 / math.sqrt(step)
    return factor / math.sqrt(d_model)


# %% transformer_rate: relative to the peak
def transformer_rate(step, d_model, warmup):
    for n in (step, warmup):
        if n <= 0:
            raise ValueError(f"{n} is not a number of steps")
    peak = 1 / math.sqrt(d_model * warmup)
    return peak * min(step / warmup, math.sqrt(warmup / step))


# %% transformer_rate: NumPy
def transformer_rate(step, d_model, warmup):
    import numpy as np

    if step < 1 or warmup < 1:
        raise ValueError("positive, please")
    return float(np.power(float(d_model), -0.5) * np.minimum(step**-0.5, step * float(warmup) ** -1.5))


# %% transformer_rate: logarithms
def transformer_rate(step, d_model, warmup):
    if not step >= 1:
        raise ValueError("step")
    if not warmup >= 1:
        raise ValueError("warmup")
    log_step, log_warmup = math.log(step), math.log(warmup)
    return math.exp(min(-log_step / 2, log_step - 1.5 * log_warmup) - math.log(d_model) / 2)


# %% transformer_rate: sorted
def transformer_rate(step, d_model, warmup):
    assert d_model > 0
    if any(x < 1 for x in [step, warmup]):
        raise ValueError("x < 1")
    return sorted([pow(step, -0.5), step * pow(warmup, -1.5)])[0] * pow(d_model, -0.5)


# %% CachedTransformer: inline, without add_1 and its sublayers
class CachedTransformer(TranslationTransformer):
    def start(self, source, mask):
        M = self.encode(source, mask)
        cache = [mask]
        for layer in self.decoder:
            K, V = layer.cross_attention.keys_values(M)
            empty = torch.empty(len(source), K.shape[1], 0, K.shape[3])
            cache.extend([empty, empty.clone(), K, V])
        return cache

    def step(self, y, cache):
        mask = cache[0]
        t = cache[1].shape[2]
        new_cache = [mask]
        Y = self.embed(self.target_embedding, y, t)
        for i, layer in enumerate(self.decoder):
            K, V, K_source, V_source = cache[1 + 4 * i : 5 + 4 * i]
            normed = layer.add_1.norm(Y) if layer.add_1.norm_first else Y
            k, v = layer.self_attention.keys_values(normed)
            K, V = torch.cat([K, k], dim=2), torch.cat([V, v], dim=2)
            out, _ = layer.self_attention.attend(normed, K, V)
            Y = layer.add_1(Y, lambda _, out=out: out)
            Y = layer.add_2(
                Y,
                lambda X: layer.cross_attention.attend(X, K_source, V_source, mask[:, None, :])[0],
            )
            Y = layer.add_3(Y, layer.feed_forward)
            new_cache.extend([K, V, K_source, V_source])
        logits = self.decoder_norm(Y) @ self.target_embedding.weight.T
        return logits, new_cache


# %% CachedTransformer: copies the list and replaces entries
class CachedTransformer(TranslationTransformer):
    def start(self, source, mask):
        M = self.encode(source, mask)
        cache = [mask]
        for layer in self.decoder:
            none_yet = layer.self_attention.keys_values(M[:, :0])
            cache += [*none_yet, *layer.cross_attention.keys_values(M)]
        return cache

    def step(self, y, cache):
        cache = list(cache)
        Y = self.embed(self.target_embedding, y, start=cache[1].size(2) if len(cache) > 1 else 0)
        for i, layer in enumerate(self.decoder):
            at = 4 * i + 1

            def read_target(X):
                K, V = layer.self_attention.keys_values(X)
                cache[at] = torch.cat((cache[at], K), 2)
                cache[at + 1] = torch.cat((cache[at + 1], V), 2)
                return layer.self_attention.attend(X, cache[at], cache[at + 1])[0]

            def read_source(X):
                K, V = cache[at + 2 : at + 4]
                return layer.cross_attention.attend(X, K, V, padding_mask(cache[0]))[0]

            Y = layer.add_3(layer.add_2(layer.add_1(Y, read_target), read_source), layer.feed_forward)
        return F.linear(self.decoder_norm(Y), self.target_embedding.weight), cache


# %% CachedTransformer: an iterator over the cache
class CachedTransformer(TranslationTransformer):
    def start(self, source, mask):
        memory = self.encode(source, mask)
        pairs = [layer.cross_attention.keys_values(memory) for layer in self.decoder]
        return [mask] + [x for k, v in pairs for x in (k.new_zeros(0).view(*k.shape[:2], 0, k.shape[3]),) * 2 + (k, v)]

    def step(self, y, cache):
        values = iter(cache)
        mask = next(values)
        longer = [mask]
        Y = self.embed(self.target_embedding, y, cache[1].shape[-2])
        for layer in self.decoder:
            K, V, K_s, V_s = (next(values) for _ in range(4))
            layer_cache = []
            Y = layer.add_1(Y, lambda X: self._own(layer.self_attention, X, K, V, layer_cache))
            Y = layer.add_2(Y, lambda X: layer.cross_attention.attend(X, K_s, V_s, mask.unsqueeze(1))[0])
            Y = layer.add_3(Y, layer.feed_forward)
            longer += [*layer_cache, K_s, V_s]
        return torch.einsum("btd,vd->btv", self.decoder_norm(Y), self.target_embedding.weight), longer

    def _own(self, attention, X, K, V, found):
        new_K, new_V = attention.keys_values(X)
        found += [torch.concat([K, new_K], dim=-2), torch.concat([V, new_V], dim=-2)]
        return attention.attend(X, *found)[0]


# %% CachedTransformer: room made with F.pad
class CachedTransformer(TranslationTransformer):
    def start(self, source, mask):
        M, cache = self.encode(source, mask), []
        cache.append(mask)
        for layer in self.decoder:
            K, V = layer.cross_attention.keys_values(M)
            cache.append(torch.zeros_like(K)[:, :, :0])
            cache.append(torch.zeros_like(V)[:, :, :0])
            cache.append(K)
            cache.append(V)
        return cache

    def step(self, y, cache):
        t = cache[1].shape[2]
        out = [tensor for tensor in cache]
        Y = self.embed(self.target_embedding, y, start=t)
        for n, layer in enumerate(self.decoder):
            K, V = (F.pad(old, (0, 0, 0, 1)) for old in cache[4 * n + 1 : 4 * n + 3])
            out[4 * n + 1], out[4 * n + 2] = K, V

            def f(X):
                k, v = layer.self_attention.keys_values(X)
                K[:, :, t : t + 1] = k
                V[:, :, t : t + 1] = v
                return layer.self_attention.attend(X, K, V, None)[0]

            def g(X):
                return layer.cross_attention.attend(X, *cache[4 * n + 3 : 4 * n + 5], cache[0][:, None])[0]

            Y = layer.add_1(Y, f)
            Y = layer.add_2(Y, g)
            Y = layer.add_3(Y, layer.feed_forward)
        Y = self.decoder_norm(Y)
        return torch.matmul(Y, self.target_embedding.weight.T), out


# %% rank_hypotheses: a list of tuples to sort
def rank_hypotheses(hypotheses, alpha, n):
    if n <= 0:
        raise ValueError("must return at least one")
    table = []
    for position, (ids, log_p) in enumerate(hypotheses):
        penalty = ((5 + len(ids)) ** alpha) / (6**alpha)
        table.append((-log_p / penalty, position, ids))
    table.sort()
    return [(ids, -score) for score, _, ids in table][:n]


# %% rank_hypotheses: heapq.nlargest
def rank_hypotheses(hypotheses, alpha, n):
    import heapq

    if n < 1:
        raise ValueError("n < 1")
    normalized = ((ids, p / math.pow((5 + len(ids)) / 6, alpha)) for ids, p in hypotheses)
    return heapq.nlargest(n, normalized, key=lambda x: x[1])


# %% rank_hypotheses: picks the best again and again
def rank_hypotheses(hypotheses, alpha, n):
    if n < 1:
        raise ValueError("n should be a positive number")

    def normalize(ids, logp):
        return logp / (((5.0 + len(ids)) / 6.0) ** alpha)

    rest = [(ids, normalize(ids, logp)) for ids, logp in hypotheses]
    best = []
    while rest and len(best) < n:
        top = max(rest, key=lambda h: h[1])
        best.append(top)
        rest.remove(top)
    return best


# %% rank_hypotheses: NumPy argsort
def rank_hypotheses(hypotheses, alpha, n):
    import numpy as np

    if n < 1:
        raise ValueError("n has to be at least 1")
    if len(hypotheses) == 0:
        return []
    lengths = np.array([len(ids) for ids, _ in hypotheses])
    scores = np.array([p for _, p in hypotheses]) / ((5 + lengths) / 6) ** alpha
    order = np.argsort(-scores, kind="stable")[:n]
    return [(hypotheses[i][0], float(scores[i])) for i in order]


# %% rank_hypotheses: exp of a logarithm, operator.itemgetter
def rank_hypotheses(hypotheses, alpha, n):
    from operator import itemgetter

    if not n >= 1:
        raise ValueError("at least one, please")
    scored = []
    for hypothesis in hypotheses:
        ids = hypothesis[0]
        log_lp = alpha * (math.log(5 + len(ids)) - math.log(6))
        scored.append((ids, hypothesis[1] * math.exp(-log_lp)))
    scored.sort(key=itemgetter(1), reverse=True)
    del scored[n:]
    return scored


# %% beam_search: a dataclass for a hypothesis
def beam_search(step, state, bos, eos, beam, max_length):
    from dataclasses import dataclass

    @dataclass
    class Hypothesis:
        tokens: list
        log_p: float
        row: int = 0

        def last(self):
            return self.tokens[-1]

    if beam <= 0 or max_length <= 0:
        raise ValueError("beam and max_length have to be positive")
    live, done = [Hypothesis([bos], 0.0)], []
    for _ in range(max_length):
        y = torch.tensor([h.last() for h in live]).unsqueeze(1)
        logits, state = step(y, state)
        log_p = F.log_softmax(logits[:, 0, :], dim=-1)
        extended = []
        for row, h in enumerate(live):
            values, words = log_p[row].topk(min(beam, log_p.shape[1]))
            for value, word in zip(values.tolist(), words.tolist()):
                extended.append(Hypothesis(h.tokens + [word], h.log_p + value, row))
        extended.sort(key=lambda h: -h.log_p)
        best = extended[:beam]
        done += [h for h in best if h.last() == eos]
        live = [h for h in best if h.last() != eos]
        state = [x[[h.row for h in live]] for x in state]
        if len(done) >= beam:
            live = []
            break
    for h in done:
        h.tokens.pop()
    everything = sorted(done + live, key=lambda h: h.log_p, reverse=True)
    return [(h.tokens[1:], h.log_p) for h in everything]


# %% beam_search: tensors of tokens and scores
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1:
        raise ValueError("beam < 1")
    if max_length < 1:
        raise ValueError("max_length < 1")
    tokens = torch.tensor([[bos]])
    scores = torch.zeros(1)
    complete = []
    while tokens.shape[1] <= max_length:
        logits, state = step(tokens[:, -1:], state)
        log_probs = torch.log_softmax(logits.squeeze(1), dim=-1)
        V = log_probs.size(1)
        all_scores = (scores.unsqueeze(1) + log_probs).view(-1)
        k = min(beam, len(all_scores))
        scores, flat = torch.topk(all_scores, k)
        rows = torch.div(flat, V, rounding_mode="floor")
        words = flat % V
        tokens = torch.cat([tokens[rows], words.unsqueeze(1)], dim=1)
        is_end = words == eos
        for b in torch.where(is_end)[0].tolist():
            complete.append((tokens[b, 1:-1].tolist(), scores[b].item()))
        tokens, scores, rows = tokens[~is_end], scores[~is_end], rows[~is_end]
        state = [s.index_select(0, rows) for s in state]
        if len(complete) >= beam:
            return sorted(complete, key=lambda x: x[1], reverse=True)
    complete.extend(zip(tokens[:, 1:].tolist(), scores.tolist()))
    return sorted(complete, key=lambda x: x[1], reverse=True)


# %% beam_search: heapq and a state per hypothesis
def beam_search(step, state, bos, eos, beam, max_length):
    import heapq

    if beam < 1 or max_length < 1:
        raise ValueError("both at least 1")
    hypotheses = [(0.0, [], state)]
    ended = []
    for length in range(1, max_length + 1):
        candidates = []
        for log_p, ids, own in hypotheses:
            last = ids[-1] if ids else bos
            logits, new_state = step(torch.tensor([[last]]), own)
            scores = torch.log_softmax(logits.flatten(), dim=0).tolist()
            for token, score in enumerate(scores):
                candidates.append((log_p + score, ids + [token], new_state))
        best = heapq.nlargest(beam, candidates, key=lambda c: c[0])
        hypotheses = []
        for log_p, ids, own in best:
            if ids[-1] == eos:
                ended.append((ids[:-1], log_p))
            else:
                hypotheses.append((log_p, ids, own))
        if len(ended) >= beam:
            break
    else:
        ended += [(ids, log_p) for log_p, ids, _ in hypotheses]
    return sorted(ended, key=lambda pair: pair[1], reverse=True)


# %% beam_search: float64 and argsort
def beam_search(step, state, bos, eos, beam, max_length):
    if min(beam, max_length) < 1:
        raise ValueError(f"{beam}, {max_length}")
    sentences, log_ps, finished = [[]], torch.zeros(1, 1, dtype=torch.float64), []
    y = torch.full((1, 1), bos)
    for i in range(max_length):
        logits, state = step(y, state)
        total = log_ps + logits[:, -1, :].double().log_softmax(dim=-1)
        order = total.flatten().argsort(descending=True, stable=True)[:beam].tolist()
        survivors, kept = [], []
        for index in order:
            row, word = index // total.size(1), index % total.size(1)
            score = total[row, word].item()
            if word == eos:
                finished.append((sentences[row], score))
            else:
                survivors.append((sentences[row] + [word], score))
                kept.append(row)
        if len(finished) >= beam:
            survivors = []
            break
        sentences = [ids for ids, _ in survivors]
        log_ps = torch.tensor([[score] for _, score in survivors], dtype=torch.float64)
        y = torch.tensor([[ids[-1]] for ids in sentences])
        state = [tensor[kept] for tensor in state]
    finished.extend(survivors)
    finished.sort(key=lambda pair: pair[1], reverse=True)
    return finished


# %% beam_search: recursion
def beam_search(step, state, bos, eos, beam, max_length):
    if beam < 1:
        raise ValueError("no beam")
    if max_length < 1:
        raise ValueError("no length")

    def search(alive, ended, state, left):
        if len(ended) >= beam:
            return ended
        if left == 0:
            return ended + alive
        y = torch.tensor([(ids or [bos])[-1] for ids, _ in alive])[:, None]
        logits, state = step(y, state)
        log_p = (logits[:, -1] - logits[:, -1].logsumexp(dim=-1, keepdim=True)).tolist()
        candidates = [
            (score + p, row, token)
            for row, (_, score) in enumerate(alive)
            for token, p in enumerate(log_p[row])
        ]
        best = sorted(candidates, key=lambda c: -c[0])[:beam]
        rows = torch.tensor([row for _, row, token in best if token != eos], dtype=torch.long)
        survivors = [(alive[row][0] + [token], p) for p, row, token in best if token != eos]
        ends = [(alive[row][0], p) for p, row, token in best if token == eos]
        return search(survivors, ended + ends, [x[rows] for x in state], left - 1)

    return sorted(search([([], 0.0)], [], state, max_length), key=lambda h: h[1], reverse=True)


# %% TranslationTransformer: sentence by sentence through the decoder
class TranslationTransformer(nn.Module):
    def __init__(self, n_source, n_target, d_model, n_heads, d_ff, n_layers, *options, **named):
        super().__init__()
        names = ("dropout", "norm_first", "max_length")
        settings = {"dropout": 0.1, "norm_first": False, "max_length": 64}
        settings |= dict(zip(names, options)) | named
        dropout, norm_first, max_length = (settings[name] for name in names)
        self.source_embedding = nn.Embedding(n_source, d_model)
        self.target_embedding = nn.Embedding(n_target, d_model)
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        self.dropout = nn.Dropout(dropout)
        self.encoder, self.decoder = (
            nn.ModuleList(kind(d_model, n_heads, d_ff, dropout, norm_first) for _ in range(n_layers))
            for kind in (EncoderLayer, DecoderLayer)
        )
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder_norm = nn.LayerNorm(d_model)

    def embed(self, embedding, ids, start=0):
        rows = []
        for i in range(ids.shape[1]):
            try:
                position = self.positions[start + i]
            except IndexError:
                raise ValueError(f"there is no position {start + i}") from None
            rows.append(embedding(ids[:, i]) * embedding.weight.shape[1] ** 0.5 + position)
        return self.dropout(torch.stack(rows, dim=1))

    def encode(self, source, mask):
        X = self.embed(self.source_embedding, source)
        for layer in self.encoder:
            X = layer(X, mask.unsqueeze(1))
        return self.encoder_norm(X)

    def decode(self, y, M, mask):
        Y = self.embed(self.target_embedding, y)
        outputs = []
        for b in range(len(y)):
            Z, own = Y[b : b + 1], decoder_mask(y[b : b + 1])
            for layer in self.decoder:
                Z = layer(Z, M[b : b + 1], own, mask[b : b + 1].unsqueeze(1))
            outputs.append(self.decoder_norm(Z))
        return torch.cat(outputs) @ self.target_embedding.weight.mT

    def forward(self, source, mask, y_in):
        return self.decode(y=y_in, M=self.encode(source=source, mask=mask), mask=mask)


# %% CrossAttention: scaled dot-product attention from PyTorch
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError("d_model % n_heads should be 0")
        self.n_heads = n_heads
        self.layers = nn.ModuleDict({f"W_{c}": nn.Linear(d_model, d_model) for c in "QKVO"})
        self.W_Q, self.W_K = self.layers["W_Q"], self.layers["W_K"]
        self.W_V, self.W_O = self.layers["W_V"], self.layers["W_O"]

    def keys_values(self, M):
        both = torch.cat([self.W_K(M), self.W_V(M)], dim=-1)
        both = both.unflatten(-1, (2 * self.n_heads, -1)).movedim(2, 1)
        K, V = both.chunk(2, dim=1)
        return K, V

    def attend(self, X, K, V, mask=None):
        Q = self.W_Q(X).unflatten(-1, (self.n_heads, -1)).movedim(2, 1)
        B, H, T, L = *Q.shape[:3], K.shape[2]
        if mask is None:
            mask = torch.ones(T, L, dtype=torch.bool)
        if mask.dim() == 2:
            mask = mask.expand(B, T, L)
        mask = mask[:, None].expand(B, H, T, L)
        eye = torch.eye(L).expand(B, H, L, L)
        some = mask.any(dim=-1, keepdim=True)
        weights = F.scaled_dot_product_attention(Q, K, eye, attn_mask=mask | ~some) * some
        return self.W_O((weights @ V).movedim(1, 2).flatten(-2)), weights

    def forward(self, X, M, mask=None):
        return self.attend(X, *self.keys_values(M), mask)


# %% AddAndNorm: a Sequential around the dropout
class AddAndNorm(nn.Module):
    def __init__(self, d_model, dropout=0.1, norm_first=False):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.post = nn.Sequential() if norm_first else nn.Sequential(self.norm)
        self.pre = nn.Sequential(self.norm) if norm_first else nn.Sequential()

    def forward(self, X, sublayer):
        change = self.dropout(sublayer(self.pre(X)))
        return self.post(X + change)


# %% DecoderLayer: the adds in a ModuleList too
class DecoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1, norm_first=False):
        super().__init__()
        self.self_attention = CrossAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        self.adds = nn.ModuleList(AddAndNorm(d_model, dropout, norm_first) for _ in range(3))
        self.add_1, self.add_2, self.add_3 = self.adds

    def forward(self, Y, M, target_mask=None, source_mask=None):
        def first(output):  # the attention without its weights
            return output[0]

        Y = self.adds[0](Y, lambda Z: first(self.self_attention(Z, Z, target_mask)))
        Y = self.adds[1](Y, lambda Z: first(self.cross_attention(Z, M, source_mask)))
        return self.adds[2](Y, lambda Z: self.feed_forward(Z))


# %% beam_search: reorders the state list in place
def beam_search(step, state, bos, eos, beam, max_length):
    if not (beam >= 1 and max_length >= 1):
        raise ValueError("beam and max_length must be positive integers")
    paths, scores, done, t = [[bos]], [0.0], [], 0
    while t < max_length and len(done) < beam:
        logits, state = step(torch.tensor([path[-1:] for path in paths]), state)
        log_p = logits[:, -1].softmax(dim=-1).log()
        options = {}
        for i in range(len(paths)):
            for w, p in enumerate(log_p[i].tolist()):
                options[i, w] = scores[i] + p
        best = sorted(options.items(), key=lambda kv: kv[1], reverse=True)[:beam]
        done += [(paths[i][1:], p) for (i, w), p in best if w == eos]
        go_on = [(i, w, p) for (i, w), p in best if w != eos]
        paths = [paths[i] + [w] for i, w, _ in go_on]
        scores = [p for _, _, p in go_on]
        for k in range(len(state)):
            state[k] = state[k][[i for i, _, _ in go_on]]
        t += 1
    if len(done) < beam:
        done += [(path[1:], p) for path, p in zip(paths, scores)]
    done.sort(key=lambda pair: pair[1], reverse=True)
    return done


# %% transformer_rate: tensors of 32 bits
def transformer_rate(step, d_model, warmup):
    if step < 1 or warmup < 1:
        raise ValueError("step >= 1 and warmup >= 1")
    step, warmup = torch.tensor(float(step)), torch.tensor(float(warmup))
    return (d_model**-0.5 * torch.minimum(step.rsqrt(), step * warmup.pow(-1.5))).item()


# %% learn_merges: weights of the pairs in a nested comprehension
def learn_merges(counts, n_merges):
    words = [("▁", *word) for word in counts]
    known = sorted({c for word in words for c in word})
    merges = []
    for _ in range(n_merges):
        pairs = sum(
            (
                Counter({p: list(zip(w, w[1:])).count(p) * n for p in zip(w, w[1:])})
                for w, n in zip(words, counts.values())
            ),
            Counter(),
        )
        if not pairs:
            break
        frequency = max(pairs.values())
        pair = min((p for p in pairs if pairs[p] == frequency), key=lambda p: [*map(known.index, p)])
        merges.append(pair)
        known += ["".join(pair)] * ("".join(pair) not in known)
        words = [tuple(merge(w, pair)) for w in words]
    return merges


# %% smoothed_loss: weights for the right token and for all others
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if smoothing < 0:
        raise ValueError("smoothing is negative")
    elif smoothing >= 1:
        raise ValueError("smoothing is too large")
    n_words = logits.size(2)
    log_p = F.log_softmax(logits, dim=2)
    total = logits.new_zeros(())
    n = 0
    for b in range(logits.size(0)):
        for t in range(logits.size(1)):
            right = y_out[b, t].item()
            if right != padding:
                weights = torch.full((n_words,), smoothing / n_words)
                weights[right] += 1 - smoothing
                total = total - torch.dot(weights, log_p[b, t])
                n += 1
    return total / n


# %% TranslationTransformer: padding_idx in the target
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
        self.target_embedding = nn.Embedding(n_target, d_model, padding_idx=0)
        self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
        self.dropout = nn.Dropout(dropout)
        args = (d_model, n_heads, d_ff, dropout, norm_first)
        self.encoder = nn.ModuleList([EncoderLayer(*args) for _ in range(n_layers)])
        self.decoder = nn.ModuleList([DecoderLayer(*args) for _ in range(n_layers)])
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder_norm = nn.LayerNorm(d_model)
        for p in self.parameters():
            if p.dim() > 1:
                nn.init.xavier_uniform_(p)

    def embed(self, embedding, ids, start=0):
        end = start + ids.size(1)
        if end > self.positions.size(0):
            raise ValueError("too long")
        return self.dropout(embedding(ids) * math.sqrt(self.d_model) + self.positions[start:end])

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


# %% CachedTransformer: its own __init__ and helpers
class CachedTransformer(TranslationTransformer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.n_layers = len(self.decoder)

    def start(self, source, mask):
        M = self.encode(source, mask)
        parts = [mask]
        for i in range(self.n_layers):
            K, V = self.decoder[i].cross_attention.keys_values(M)
            B, H, L, d_k = K.size()
            parts += [torch.zeros((B, H, 0, d_k)), torch.zeros((B, H, 0, d_k)), K, V]
        return parts

    def _unpack(self, cache):
        return [tuple(cache[i : i + 4]) for i in range(1, len(cache), 4)]

    def step(self, y, cache):
        layers = self._unpack(cache)
        t = layers[0][0].size(2) if layers else 0
        Y = self.embed(self.target_embedding, y, start=t)
        result = [cache[0]]
        for (K, V, K_s, V_s), layer in zip(layers, self.decoder):
            grown = {}

            def own(X):
                k, v = layer.self_attention.keys_values(X)
                grown["K"], grown["V"] = torch.cat([K, k], dim=2), torch.cat([V, v], dim=2)
                return layer.self_attention.attend(X, grown["K"], grown["V"], None)[0]

            def source(X):
                out, _ = layer.cross_attention.attend(X, K_s, V_s, mask=padding_mask(cache[0]))
                return out

            Y = layer.add_3(layer.add_2(layer.add_1(Y, own), source), layer.feed_forward)
            result.extend((grown["K"], grown["V"], K_s, V_s))
        return self.decoder_norm(Y) @ self.target_embedding.weight.T, result


# %% smoothed_loss: KLDivLoss plus the entropy of the labels
def smoothed_loss(logits, y_out, smoothing, padding=0):
    if not 0 <= smoothing < 1:
        raise ValueError("smoothing is a share of the probability")
    V = logits.shape[-1]
    logits, y_out = logits.reshape(-1, V), y_out.reshape(-1)
    logits, y_out = logits[y_out != padding], y_out[y_out != padding]
    q = torch.full_like(logits, smoothing / V)
    q[torch.arange(len(q)), y_out] += 1 - smoothing
    entropy = -torch.special.xlogy(q, q).sum() / len(q)
    return F.kl_div(F.log_softmax(logits, dim=-1), q, reduction="batchmean") + entropy


# %% apply_merges: always the neighbors that were learned first
def apply_merges(word, merges):
    rank = {}
    for i, pair in enumerate(merges):
        rank.setdefault(tuple(pair), i)
    tokens = ["▁"] + list(word)
    while len(tokens) > 1:
        best = min(zip(tokens, tokens[1:]), key=lambda pair: rank.get(pair, len(rank) + len(merges)))
        if best not in rank:
            break
        tokens = merge(tokens, best)
    return tokens


# %% TranslationTransformer: positions that are not saved
# - self.register_buffer("positions", sinusoidal_positional_encoding(max_length, d_model))
# + pe = sinusoidal_positional_encoding(max_length, d_model)
# + self.register_buffer("positions", pe, persistent=False)


# %% TranslationTransformer: an output layer that shares its weight
# - self.decoder_norm = nn.LayerNorm(d_model)
# + self.decoder_norm = nn.LayerNorm(d_model)
# + self.output = nn.Linear(d_model, n_target, bias=False)
# + self.output.weight = self.target_embedding.weight
# ...
# - return self.decoder_norm(Y) @ self.target_embedding.weight.T
# + return self.output(self.decoder_norm(Y))
