# %% wordpiece: no ## inside a word | ignores_marks
def wordpiece(word, vocabulary):
    result = []
    start = 0
    while start < len(word):
        end = len(word)
        while end > start and word[start:end] not in vocabulary:
            end -= 1
        if end == start:
            return ["[UNK]"]
        result.append(word[start:end])
        start = end
    return result


# %% wordpiece: keeps the tokens found before it is stuck | keeps_the_beginning
def wordpiece(word, vocabulary):
    result = []
    rest = word
    while rest:
        prefix = "##" if result else ""
        for n in range(len(rest), 0, -1):
            if prefix + rest[:n] in vocabulary:
                result.append(prefix + rest[:n])
                rest = rest[n:]
                break
        else:
            result.append("[UNK]")
            break
    return result


# %% add_special_tokens: cuts the end of the packed list | cuts_the_end
def add_special_tokens(first, second, max_length, cls_id, sep_id):
    ids = [cls_id] + first + [sep_id]
    segments = [0] * len(ids)
    if second is not None:
        ids = ids + second + [sep_id]
        segments = segments + [1] * (len(second) + 1)
    return ids[:max_length], segments[:max_length]


# %% add_special_tokens: equally long texts lose from the first; pops the given lists |
def add_special_tokens(first, second, max_length, cls_id, sep_id):
    if second is None:
        first = first[: max_length - 2]
        return [cls_id] + first + [sep_id], [0] * (len(first) + 2)
    while len(first) + len(second) > max_length - 3:
        if len(first) > len(second):
            first.pop()
        else:
            second.pop()
    ids = [cls_id] + first + [sep_id] + second + [sep_id]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)


# %% pad_inputs: the mask from ids != pad | mask_from_ids
def pad_inputs(inputs, pad):
    L = max((len(ids) for ids, _ in inputs), default=0)
    ids = torch.tensor([ids + [pad] * (L - len(ids)) for ids, _ in inputs], dtype=torch.int64)
    segments = torch.tensor([s + [0] * (L - len(s)) for _, s in inputs], dtype=torch.int64)
    return ids, segments, ids != pad


# %% pad_inputs: segments filled up with pad | segments_padded_with_pad
def pad_inputs(inputs, pad):
    B, L = len(inputs), max(len(ids) for ids, _ in inputs)
    ids = torch.full((B, L), pad)
    segments = torch.full((B, L), pad)
    mask = torch.zeros(B, L, dtype=torch.bool)
    for b, (i, s) in enumerate(inputs):
        ids[b, : len(i)] = torch.tensor(i)
        segments[b, : len(s)] = torch.tensor(s)
        mask[b, : len(i)] = True
    return ids, segments, mask


# %% BertEmbeddings: dropout before the normalization | dropout_before_norm
# -         positions = torch.arange(ids.shape[1], device=ids.device)
# +         B, L = ids.shape
# +         positions = torch.arange(L).expand(B, L)
# ...
# -         return self.dropout(self.norm(vectors))
# +         return self.norm(self.dropout(vectors))


# %% BertEmbeddings: positions start again in the second text | positions_restart
# -         positions = torch.arange(ids.shape[1], device=ids.device)
# +         positions = torch.zeros_like(ids)
# +         for b in range(ids.shape[0]):
# +             for i in range(1, ids.shape[1]):
# +                 same = segments[b, i] == segments[b, i - 1]
# +                 positions[b, i] = positions[b, i - 1] + 1 if same else 0


# %% BertEncoder: pools the mean of all positions | pools_the_mean
# -             TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
# +             TransformerBlock(d_model, n_heads, d_ff, dropout, "gelu", 1e-12)
# ...
# -         return X, torch.tanh(self.pooler(X[:, 0]))
# +         return X, torch.tanh(self.pooler(X.mean(dim=1)))


# %% BertEncoder: blocks with the ReLU | relu_in_blocks
class BertEncoder(nn.Module):
    def __init__(
        self,
        vocab_size,
        d_model,
        n_heads,
        d_ff,
        n_blocks,
        max_length=512,
        n_segments=2,
        dropout=0.1,
    ):
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments, dropout)
        self.blocks = nn.ModuleList(
            [TransformerBlock(d_model, n_heads, d_ff, dropout, eps=1e-12) for _ in range(n_blocks)]
        )
        self.pooler = nn.Linear(d_model, d_model)

    def forward(self, ids, segments, mask):
        H = self.embeddings(ids, segments)
        m = padding_mask(mask)
        for block in self.blocks:
            H = block(H, m)
        c = torch.tanh(self.pooler(H[:, 0]))
        return H, c


# %% BertEncoder: pools the last position | pools_the_last_position
# -             TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
# +             TransformerBlock(d_model, n_heads, d_ff, dropout, "gelu", 1e-12)
# ...
# -         return X, torch.tanh(self.pooler(X[:, 0]))
# +         return X, torch.tanh(self.pooler(X[:, -1]))


# %% rename_weights: output.dense replaced inside attention.output.dense | replaces_short_names_first
def rename_weights(weights):
    table = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "encoder.layer": "blocks",
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "output.dense": "feed_forward.W_2",
        "output.LayerNorm": "norm_2",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "feed_forward.W_1",
        "pooler.dense": "pooler",
        "gamma": "weight",
        "beta": "bias",
    }
    result = {}
    for name, tensor in weights.items():
        if name.startswith("cls."):
            continue
        new = name.removeprefix("bert.")
        for old, ours in table.items():
            new = new.replace(old, ours)
        result[new] = tensor
    return result


# %% rename_weights: the name of the normalization replaced inside the longer one | replaces_output_LayerNorm_first
def rename_weights(weights):
    result = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        if not name.startswith(("embeddings.", "encoder.", "pooler.")) or "position_ids" in name:
            continue
        name = name.replace("embeddings.word_embeddings", "embeddings.tokens")
        name = name.replace("embeddings.position_embeddings", "embeddings.positions")
        name = name.replace("embeddings.token_type_embeddings", "embeddings.segments")
        name = name.replace("embeddings.LayerNorm", "embeddings.norm")
        name = name.replace("encoder.layer", "blocks")
        name = name.replace("self.query", "W_Q")
        name = name.replace("self.key", "W_K")
        name = name.replace("self.value", "W_V")
        name = name.replace("output.LayerNorm", "norm_2")
        name = name.replace("attention.output.LayerNorm", "norm_1")
        name = name.replace("attention.output.dense", "attention.W_O")
        name = name.replace("intermediate.dense", "feed_forward.W_1")
        name = name.replace("output.dense", "feed_forward.W_2")
        name = name.replace("pooler.dense", "pooler")
        name = name.replace("gamma", "weight").replace("beta", "bias")
        result[name] = tensor
    return result


# %% rename_weights: gamma and beta stay | keeps_gamma_and_beta
def rename_weights(weights):
    result = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        if not name.startswith(("embeddings.", "encoder.", "pooler.")) or "position_ids" in name:
            continue
        name = name.replace("embeddings.word_embeddings", "embeddings.tokens")
        name = name.replace("embeddings.position_embeddings", "embeddings.positions")
        name = name.replace("embeddings.token_type_embeddings", "embeddings.segments")
        name = name.replace("embeddings.LayerNorm", "embeddings.norm")
        name = name.replace("encoder.layer", "blocks")
        name = name.replace("self.query", "W_Q")
        name = name.replace("self.key", "W_K")
        name = name.replace("self.value", "W_V")
        name = name.replace("attention.output.LayerNorm", "norm_1")
        name = name.replace("output.LayerNorm", "norm_2")
        name = name.replace("attention.output.dense", "attention.W_O")
        name = name.replace("intermediate.dense", "feed_forward.W_1")
        name = name.replace("output.dense", "feed_forward.W_2")
        name = name.replace("pooler.dense", "pooler")
        result[name] = tensor
    return result


# %% rename_weights: position_ids stay | keeps_position_ids
def rename_weights(weights):
    result = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        if not name.startswith(("embeddings.", "encoder.", "pooler.")):
            continue
        name = name.replace("embeddings.word_embeddings", "embeddings.tokens")
        name = name.replace("embeddings.position_embeddings", "embeddings.positions")
        name = name.replace("embeddings.token_type_embeddings", "embeddings.segments")
        name = name.replace("embeddings.LayerNorm", "embeddings.norm")
        name = name.replace("encoder.layer", "blocks")
        name = name.replace("self.query", "W_Q")
        name = name.replace("self.key", "W_K")
        name = name.replace("self.value", "W_V")
        name = name.replace("attention.output.LayerNorm", "norm_1")
        name = name.replace("output.LayerNorm", "norm_2")
        name = name.replace("attention.output.dense", "attention.W_O")
        name = name.replace("intermediate.dense", "feed_forward.W_1")
        name = name.replace("output.dense", "feed_forward.W_2")
        name = name.replace("pooler.dense", "pooler")
        name = name.replace("gamma", "weight").replace("beta", "bias")
        result[name] = tensor
    return result


# %% rename_weights: cls. stays
def rename_weights(weights):
    result = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        if "position_ids" in name:
            continue
        name = name.replace("embeddings.word_embeddings", "embeddings.tokens")
        name = name.replace("embeddings.position_embeddings", "embeddings.positions")
        name = name.replace("embeddings.token_type_embeddings", "embeddings.segments")
        name = name.replace("embeddings.LayerNorm", "embeddings.norm")
        name = name.replace("encoder.layer", "blocks")
        name = name.replace("self.query", "W_Q")
        name = name.replace("self.key", "W_K")
        name = name.replace("self.value", "W_V")
        name = name.replace("attention.output.LayerNorm", "norm_1")
        name = name.replace("output.LayerNorm", "norm_2")
        name = name.replace("attention.output.dense", "attention.W_O")
        name = name.replace("intermediate.dense", "feed_forward.W_1")
        name = name.replace("output.dense", "feed_forward.W_2")
        name = name.replace("pooler.dense", "pooler")
        name = name.replace("gamma", "weight").replace("beta", "bias")
        result[name] = tensor
    return result


# %% rename_weights: a pattern for one digit | skips_two_digits
def rename_weights(weights):
    parts = {
        "embeddings.word_embeddings": "embeddings.tokens",
        "embeddings.position_embeddings": "embeddings.positions",
        "embeddings.token_type_embeddings": "embeddings.segments",
        "embeddings.LayerNorm": "embeddings.norm",
        "pooler.dense": "pooler",
    }
    in_block = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
        "attention.output.dense": "attention.W_O",
        "attention.output.LayerNorm": "norm_1",
        "intermediate.dense": "feed_forward.W_1",
        "output.dense": "feed_forward.W_2",
        "output.LayerNorm": "norm_2",
    }
    result = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.").replace("gamma", "weight").replace("beta", "bias")
        stem, _, kind = name.rpartition(".")
        if stem in parts:
            result[f"{parts[stem]}.{kind}"] = tensor
        found = re.match(r"encoder\.layer\.(\d)\.(.+)$", stem)
        if found:
            result[f"blocks.{found[1]}.{in_block[found[2]]}.{kind}"] = tensor
    return result


# %% rename_weights: does not know gamma and beta | skips_gamma_and_beta
def rename_weights(weights):
    pairs = [
        ("embeddings.word_embeddings", "embeddings.tokens"),
        ("embeddings.position_embeddings", "embeddings.positions"),
        ("embeddings.token_type_embeddings", "embeddings.segments"),
        ("embeddings.LayerNorm", "embeddings.norm"),
        ("encoder.layer", "blocks"),
        ("attention.self.query", "attention.W_Q"),
        ("attention.self.key", "attention.W_K"),
        ("attention.self.value", "attention.W_V"),
        ("attention.output.dense", "attention.W_O"),
        ("attention.output.LayerNorm", "norm_1"),
        ("intermediate.dense", "feed_forward.W_1"),
        ("output.dense", "feed_forward.W_2"),
        ("output.LayerNorm", "norm_2"),
        ("pooler.dense", "pooler"),
    ]
    result = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        if not name.startswith(("embeddings.", "encoder.", "pooler.")):
            continue
        if not name.endswith((".weight", ".bias")):
            continue
        for theirs, ours in pairs:
            name = name.replace(theirs, ours)
        result[name] = tensor
    return result


# %% MaskedLanguageModelHead: a softmax at the end | returns_probabilities
# -         return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
# +         u = self.norm(F.gelu(self.transform(H)))
# +         scores = u @ table.T + self.bias
# +         return torch.softmax(scores, dim=-1)


# %% mask_tokens: special tokens can be chosen | selects_special_tokens
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    chosen = select_draws < probability
    inputs = ids.clone()
    inputs[chosen & (replace_draws < 0.8)] = mask_id
    other = chosen & (replace_draws >= 0.8) & (replace_draws < 0.9)
    inputs[other] = random_ids[other]
    labels = torch.where(chosen, ids, -100)
    return inputs, labels


# %% mask_tokens: labels only where the token changed | labels_only_changed
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    chosen = (select_draws < probability) & ~special
    masked = chosen & (replace_draws < 0.8)
    swapped = chosen & (replace_draws >= 0.8) & (replace_draws < 0.9)
    inputs = torch.where(masked, mask_id, ids)
    inputs = torch.where(swapped, random_ids, inputs)
    labels = torch.where(masked | swapped, ids, -100)
    return inputs, labels


# %% mask_tokens: the probability written as a number | always_selects_15_percent
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    chosen = (select_draws < 0.15) & ~special
    masked = chosen & (replace_draws < 0.8)
    swapped = chosen & (replace_draws >= 0.8) & (replace_draws < 0.9)
    inputs = torch.where(masked, mask_id, ids)
    inputs = torch.where(swapped, random_ids, inputs)
    labels = torch.where(chosen, ids, -100)
    return inputs, labels


# %% word_vectors: the first token only | takes_the_first_token
def word_vectors(H, word_ids):
    seen = []
    rows = []
    for i, w in enumerate(word_ids):
        if w is not None and w not in seen:
            seen.append(w)
            rows.append(H[i])
    return torch.stack(rows) if rows else torch.zeros(0, H.shape[1])


# %% word_vectors: adds the tokens up | sums_the_tokens
def word_vectors(H, word_ids):
    n = max([w for w in word_ids if w is not None], default=-1) + 1
    result = torch.zeros(n, H.shape[1], dtype=H.dtype)
    for i, w in enumerate(word_ids):
        if w is not None:
            result[w] += H[i]
    return result


# %% word_vectors: None becomes word 0 | counts_special_tokens_as_word_zero
def word_vectors(H, word_ids):
    words = [w if w else 0 for w in word_ids]
    n = max(words, default=-1) + 1
    rows = [H[[i for i, w in enumerate(words) if w == k]].mean(dim=0) for k in range(n)]
    return torch.stack(rows) if rows else H[:0]


# %% word_vectors: float32 without words | forgets_the_dtype_without_words
def word_vectors(H, word_ids):
    n = max([w for w in word_ids if w is not None], default=-1) + 1
    if n == 0:
        return torch.zeros(0, H.shape[1])
    rows = [[i for i, w in enumerate(word_ids) if w == k] for k in range(n)]
    return torch.stack([H[r].mean(0) for r in rows])


# %% BertClassifier: frozen encoder keeps its dropout | frozen_encoder_drops_out
# -         self.frozen = frozen
# ...
# -             encoder.requires_grad_(False)
# +             self.encoder.requires_grad_(False)
# ...
# -         if self.frozen:
# -             self.encoder.eval()


# %% BertClassifier: takes the vector of the first position, not the pooled one | takes_the_first_vector
# -             encoder.requires_grad_(False)
# +             for p in encoder.parameters():
# +                 p.requires_grad = False
# ...
# -         return self.output(self.dropout(pooled)).squeeze(-1)
# +         return self.output(self.dropout(_[:, 0])).squeeze(-1)


# %% BertClassifier: all of the classifier in evaluation mode | evaluates_the_whole_classifier
# -             encoder.requires_grad_(False)
# +             self.encoder.requires_grad_(False)
# ...
# -             self.encoder.eval()
# +             self.eval()


# %% BertClassifier: no_grad also when it is fine-tuned | never_trains_the_encoder
# -             encoder.requires_grad_(False)
# +             self.encoder.requires_grad_(False)
# ...
# -         _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)
# +         with torch.no_grad():
# +             _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)


# %% BertClassifier: frozen is kept under another name | frozen_under_another_name
# -         self.frozen = frozen
# +         self._keep = frozen
# ...
# -             encoder.requires_grad_(False)
# +             self.encoder.requires_grad_(False)
# ...
# -         if self.frozen:
# +         if self._keep:


# %% predict_scores: leaves the model in evaluation mode | leaves_the_model_in_evaluation
def predict_scores(model, inputs, batch_size):
    model.eval()
    scores = []
    with torch.no_grad():
        for i in range(0, len(inputs), batch_size):
            batch = [(ids, [0] * len(ids)) for ids in inputs[i : i + batch_size]]
            ids, _, mask = pad_inputs(batch, 0)
            scores.append(model(ids, mask))
    return torch.cat(scores) if scores else torch.zeros(0)


# %% predict_scores: dropout stays on | leaves_dropout_on
def predict_scores(model, inputs, batch_size):
    scores = torch.zeros(len(inputs))
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            part = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(p, [0] * len(p)) for p in part], 0)
            scores[start : start + len(part)] = model(ids, mask)
    return scores


# %% predict_scores: sorted by length, in that order | loses_the_order
# -     scores = []
# -     with torch.set_grad_enabled(False):
# +     inputs = sorted(inputs, key=len)
# +     scores = [torch.zeros(0)]
# +     with torch.no_grad():
# ...
# -     return torch.cat(scores) if scores else torch.zeros(0)
# +     return torch.cat(scores)


# %% wordpiece: forgets the ## when looking up, adds it afterwards | looks_up_without_the_mark
def wordpiece(word, vocabulary):
    tokens, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            if word[start:end] in vocabulary:
                break
        else:
            return ["[UNK]"]
        tokens.append(("##" if start else "") + word[start:end])
        start = end
    return tokens


# %% rename_weights: only cls. heads are left out | keeps_other_heads
def rename_weights(weights):
    table = {
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
        "encoder.layer": "blocks",
        "gamma": "weight",
        "beta": "bias",
    }
    new = {}
    for name, tensor in weights.items():
        name = name.removeprefix("bert.")
        if name.startswith("cls.") or name.endswith("position_ids"):
            continue
        for a, b in table.items():
            name = name.replace(a, b)
        new[name] = tensor
    return new


# %% mask_tokens: changes ids in place, labels from the changed ones | labels_from_masked_ids
def mask_tokens(ids, special, mask_id, select_draws, replace_draws, random_ids, probability=0.15):
    selected = (select_draws < probability) & ~special
    inputs = ids
    to_mask = selected & (replace_draws < 0.8)
    to_random = selected & (replace_draws >= 0.8) & (replace_draws < 0.9)
    inputs[to_mask] = mask_id
    inputs[to_random] = random_ids[to_random]
    labels = torch.where(selected, ids, -100)
    return inputs, labels


# %% mask_tokens: replaces from 0.9 on | keeps_before_it_replaces
def mask_tokens(
    ids: torch.Tensor,
    special: torch.Tensor,
    mask_id: int,
    select_draws: torch.Tensor,
    replace_draws: torch.Tensor,
    random_ids: torch.Tensor,
    probability: float = 0.15,
) -> tuple[torch.Tensor, torch.Tensor]:
    selected = (select_draws < probability) & ~special
    masked = selected & (replace_draws < 0.8)
    random = selected & (replace_draws >= 0.9)
    inputs = ids.clone()
    inputs[masked] = mask_id
    inputs[random] = random_ids[random]
    labels = torch.where(selected, ids, -100)
    return inputs, labels


# %% mask_tokens: labels of special tokens | labels_special_tokens
def mask_tokens(
    ids: torch.Tensor,
    special: torch.Tensor,
    mask_id: int,
    select_draws: torch.Tensor,
    replace_draws: torch.Tensor,
    random_ids: torch.Tensor,
    probability: float = 0.15,
) -> tuple[torch.Tensor, torch.Tensor]:
    selected = select_draws < probability
    masked = selected & ~special & (replace_draws < 0.8)
    random = selected & ~special & (replace_draws >= 0.8) & (replace_draws < 0.9)
    inputs = ids.clone()
    inputs[masked] = mask_id
    inputs[random] = random_ids[random]
    labels = torch.where(selected, ids, -100)
    return inputs, labels


# %% BertEmbeddings: the whole table of positions | adds_all_positions
# -         positions = torch.arange(ids.shape[1], device=ids.device)
# -         vectors = self.tokens(ids) + self.positions(positions) + self.segments(segments)
# +         vectors = self.tokens(ids) + self.segments(segments) + self.positions.weight


# %% BertEmbeddings: positions after the normalization | positions_after_norm
# edits: slices the table of positions
# -         X = X + self.positions.weight[: X.shape[1]]
# -         X = X + self.segments(segments)
# -         X = self.norm(X)
# +         X = X + self.segments(segments)
# +         X = self.norm(X)
# +         X = X + self.positions.weight[: X.shape[1]]


# %% wordpiece: cuts the rest by the length of the token, ## included | counts_the_marks_as_letters
def wordpiece(word, vocabulary):
    tokens = []
    rest = word
    while rest:
        for n in range(len(rest), 0, -1):
            piece = "##" + rest[:n] if tokens else rest[:n]
            if piece in vocabulary:
                tokens.append(piece)
                rest = rest[len(piece) :]
                break
        else:
            return ["[UNK]"]
    return tokens


# %% word_vectors: if w leaves word 0 without tokens | nan_for_word_zero
def word_vectors(H, word_ids):
    n = max([w for w in word_ids if w is not None], default=-1) + 1
    sums = H.new_zeros(n, H.shape[1])
    counts = H.new_zeros(n, 1)
    for i, w in enumerate(word_ids):
        if w:
            sums[w] += H[i]
            counts[w] += 1
    return sums / counts


# %% word_vectors: new_zeros(0) without words | one_axis_without_words
def word_vectors(H: torch.Tensor, word_ids: list[int | None]) -> torch.Tensor:
    positions: dict[int, list[int]] = {}
    for i, word in enumerate(word_ids):
        if word is not None:
            positions.setdefault(word, []).append(i)
    if not positions:
        return H.new_zeros(0)
    return torch.stack([H[rows].mean(dim=0) for rows in positions.values()])


# %% pad_inputs: segments filled up with 1 | segments_padded_with_one
def pad_inputs(inputs, pad):
    L = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (L - len(ids)) for ids, _ in inputs])
    segments = torch.tensor([s + [1] * (L - len(s)) for _, s in inputs])
    mask = torch.tensor([[i < len(ids) for i in range(L)] for ids, _ in inputs])
    return ids, segments, mask


# %% pad_inputs: all segments are one | segments_all_one
def pad_inputs(inputs, pad):
    L = max(len(ids) for ids, _ in inputs)
    ids = torch.tensor([ids + [pad] * (L - len(ids)) for ids, _ in inputs])
    mask = torch.tensor([[i < len(ids) for i in range(L)] for ids, _ in inputs])
    return ids, torch.ones_like(ids), mask


# %% add_special_tokens: all segments are one | segments_from_one
def add_special_tokens(first, second, max_length, cls_id, sep_id):
    if second is None:
        ids = [cls_id, *first[: max_length - 2], sep_id]
    else:
        first, second = list(first), list(second)
        while len(first) + len(second) > max_length - 3:
            (first if len(first) > len(second) else second).pop()
        ids = [cls_id, *first, sep_id, *second, sep_id]
    return ids, [1] * len(ids)


# %% MaskedLanguageModelTrainer: erases the gradients before it uses them | steps_before_backward
# edits: a loss function as an attribute, labels flattened
# -         self.optimizer.zero_grad(set_to_none=False)
# ...
# -         loss.backward()
# +         loss.backward()
# +         self.optimizer.zero_grad()


# %% MaskedLanguageModelTrainer: no thought of a batch without labels | nan_without_labels
# edits: a loss function as an attribute, labels flattened
# -         if int((y != -100).sum()) == 0:
# -             return 0.0


# %% MaskedLanguageModelTrainer: the mean over the real tokens | divides_by_real_positions
# edits: sum and number of the losses
# -         if n == 0:
# -             return 0.0
# -         loss = total / n
# +         n = mask.sum()
# +         loss = total / n


# %% MaskedLanguageModelTrainer: only the encoder in training mode | head_stays_in_evaluation_mode
# edits: sum and number of the losses
# -         self.head.train()


# %% BertEncoder: the dropout rate is not handed on | forgets_dropout
# -         self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments, dropout)
# +         self.embeddings = BertEmbeddings(vocab_size, d_model, max_length, n_segments)
# ...
# -             TransformerBlock(d_model, n_heads, d_ff, dropout, activation="gelu", eps=1e-12)
# +             TransformerBlock(d_model, n_heads, d_ff, activation="gelu", eps=1e-12)


# %% BertEncoder: [CLS] before the blocks | pools_the_embeddings
# edits: keyword arguments
# -         attention_mask = padding_mask(mask)
# +         attention_mask, first = padding_mask(mask), H[:, 0, :]
# ...
# -         first = H[:, 0, :]


# %% MaskedLanguageModelHead: compares H itself with the embeddings | compares_h_with_the_table
# -         return self.norm(F.gelu(self.transform(H))) @ table.T + self.bias
# +         u = F.gelu(self.transform(H))
# +         u = self.norm(u)
# +         return H @ table.mT + self.bias


# %% MaskedLanguageModelHead: log-softmax | returns_log_probabilities
# edits: linear
# -         return F.linear(u, table, self.bias)
# +         return F.log_softmax(F.linear(u, table, self.bias), dim=-1)


# %% MaskedLanguageModelTrainer: the loss of all real tokens, not only the selected | predicts_every_real_token
# -         selected = labels != -100
# -         if not selected.any():
# -             return 0.0
# -         self.encoder.train()
# -         self.head.train()
# +         self.encoder.train()
# +         self.head.train()
# +         if (labels == -100).all():
# +             return 0.0
# +         targets = torch.where(labels == -100, inputs, labels)
# ...
# -         scores = self.head(H[selected], self.encoder.embeddings.tokens.weight)
# -         loss = F.cross_entropy(scores, labels[selected])
# +         scores = self.head(H[mask], self.encoder.embeddings.tokens.weight)
# +         loss = F.cross_entropy(scores, targets[mask])


# %% MaskedLanguageModelTrainer: divides by the number of real tokens | divides_by_all_real_tokens
# edits: sum and number of the losses
# -         loss = total / n
# +         loss = total / mask.sum()


# %% BertClassifier: the mask as segments | segments_are_ones
# -             encoder.requires_grad_(False)
# +             for parameter in encoder.parameters():
# +                 parameter.requires_grad_(False)
# ...
# -         _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)
# -         return self.output(self.dropout(pooled)).squeeze(-1)
# +         H, pooled = self.encoder(ids, mask.long(), mask)
# +         return self.output(self.dropout(pooled))[:, 0]


# %% BertClassifier: the mean of the vectors instead of the pooled [CLS] | averages_the_real_tokens
# -         _, pooled = self.encoder(ids, torch.zeros_like(ids), mask)
# -         return self.output(self.dropout(pooled)).squeeze(-1)
# +         H, _ = self.encoder(ids, torch.zeros_like(ids), mask)
# +         m = mask.unsqueeze(-1)
# +         h = (H * m).sum(1) / m.sum(1)
# +         return self.output(self.dropout(h))[:, 0]


# %% BertClassifier: freezes itself | freezes_the_output
# edits: freezes parameter by parameter
# -             for parameter in self.encoder.parameters():
# +             for parameter in self.parameters():


# %% mask_tokens: the random token wherever | replaces_the_masks
# edits: a loop over the selected positions
# -         inputs[b, i] = mask_id if draw < 0.8 else random_ids[b, i] if draw < 0.9 else ids[b, i]
# +         if draw < 0.8:
# +             inputs[b, i] = mask_id
# +         if draw < 0.9:
# +             inputs[b, i] = random_ids[b, i]


# %% word_vectors: a text without words | no_largest_number_without_words
def word_vectors(H: torch.Tensor, word_ids: list[int | None]) -> torch.Tensor:
    n_words = max(word for word in word_ids if word is not None) + 1
    vectors = []
    for number in range(n_words):
        rows = [i for i, word in enumerate(word_ids) if word == number]
        vectors.append(H[rows].mean(dim=0))
    return torch.stack(vectors)


# %% predict_scores: leaves the model in evaluation | stays_in_evaluation_after_texts
def predict_scores(model: nn.Module, inputs: list[list[int]], batch_size: int) -> torch.Tensor:
    if not inputs:
        return torch.zeros(0)
    model.eval()
    scores = []
    with torch.no_grad():
        for start in range(0, len(inputs), batch_size):
            batch = inputs[start : start + batch_size]
            ids, _, mask = pad_inputs([(row, [0] * len(row)) for row in batch], 0)
            scores.append(model(ids, mask))
    return torch.cat(scores)
