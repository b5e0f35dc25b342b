# %% context_vectors: a slice with the word in it | word_included
def context_vectors(X, mask, positions, window):
    rows = []
    for x, m, p in zip(X, mask, positions.tolist()):
        part = slice(max(0, p - window), p + window + 1)
        rows.append(x[part][m[part]].mean(dim=0))
    return torch.stack(rows)


# %% context_vectors: divides by the full window | divides_by_the_window
def context_vectors(X, mask, positions, window):
    i = torch.arange(X.shape[1])
    d = (i[None] - positions[:, None]).abs()
    near = (d <= window) & (d != 0) & mask
    return (X * near[..., None]).sum(1) / (window * 2)


# %% spherical_k_means: forgets to scale the vectors | vectors_not_scaled
def spherical_k_means(X, starts, n_rounds):
    C = F.normalize(starts, dim=1)
    for _ in range(n_rounds):
        label = (X @ C.T).argmax(1)
        for j in range(len(C)):
            if (label == j).any() and X[label == j].sum(0).norm() > 1e-6:
                C[j] = F.normalize(X[label == j].sum(0), dim=0)
    return (X @ C.T).argmax(1), C


# %% spherical_k_means: an empty center is zero | empty_center_becomes_zero
def spherical_k_means(X, starts, n_rounds):
    Z, C = F.normalize(X, dim=1), F.normalize(starts, dim=1)
    for _ in range(n_rounds):
        member = F.one_hot((Z @ C.T).argmax(1), len(C)).float()
        C = F.normalize(member.T @ Z, dim=1)
    return (Z @ C.T).argmax(1), C


# %% spherical_k_means: moves each center that has a vector, also to zero | sum_of_zero
def spherical_k_means(X, starts, n_rounds):
    Z = F.normalize(X, dim=1)
    centers = F.normalize(starts, dim=1)
    for _ in range(n_rounds):
        clusters = (Z @ centers.T).argmax(dim=1)
        moved = centers.clone()
        for k in range(len(centers)):
            members = Z[clusters == k]
            if len(members) > 0:
                moved[k] = F.normalize(members.sum(dim=0), dim=0)
        centers = moved
    return (Z @ centers.T).argmax(dim=1), centers


# %% paired_f1: cluster numbers as senses | accuracy
def paired_f1(clusters, senses):
    right = 0
    for c, s in zip(clusters.tolist(), senses.tolist()):
        right += c == s
    return right / len(senses)


# %% paired_f1: the diagonal counts | with_itself
def paired_f1(clusters, senses):
    a = clusters.unsqueeze(0) == clusters.unsqueeze(1)
    b = senses.unsqueeze(0) == senses.unsqueeze(1)
    return 2 * (a & b).sum().item() / (a.sum() + b.sum()).item()


# %% nearest_tokens: itself first | itself
def nearest_tokens(X, queries, k):
    if k < 1 or k >= len(X):
        raise ValueError("k")
    X = F.normalize(X, dim=1)
    return torch.topk(X[queries] @ X.T, k, dim=1)[1]


# %% nearest_tokens: products of the vectors as they are | dot_product
def nearest_tokens(X, queries, k):
    if k < 1 or k >= len(X):
        raise ValueError("k")
    S = X[queries] @ X.T
    for row, q in enumerate(queries):
        S[row, q] = -float("inf")
    return S.topk(k).indices


# %% reconstruction_loss: without detach | words_learn
def reconstruction_loss(decoded, X, mask, weights):
    w = mask * weights
    squares = torch.sum((X - decoded) ** 2, dim=2)
    return (w * squares).sum() / (w.sum() if w.sum() > 0 else 1)


# %% reconstruction_loss: divides by the number of words | divides_by_words
def reconstruction_loss(decoded, X, mask, weights):
    squares = torch.sum((X.detach() - decoded) ** 2, dim=2)
    n = mask.sum()
    return (weights * squares * mask).sum() / max(n, 1)


# %% reconstruction_loss: divides by the weights of all places | padding_counts_below
def reconstruction_loss(decoded, X, mask, weights):
    w = weights.expand(mask.shape).to(decoded.dtype)
    distances = torch.sum((decoded - X.detach()) ** 2, dim=-1)
    numerator = (w * mask * distances).sum()
    return numerator / w.sum() if w.sum() > 0 else numerator


# %% context_states: concatenates the states at the word | states_at_the_word
def context_states(ahead, behind, mask):
    both = torch.cat([ahead, behind], dim=2)
    return torch.where(mask[:, :, None], both, torch.tensor(0.0, dtype=both.dtype))


# %% context_states: torch.roll | rolled
def context_states(ahead, behind, mask):
    m = ~mask.unsqueeze(-1)
    before = torch.roll(ahead.masked_fill(m, 0), 1, 1)
    after = torch.roll(behind.masked_fill(m, 0), -1, 1)
    return torch.cat([before, after], -1).masked_fill(m, 0)


# %% language_model_targets: torch.roll | rolled
def language_model_targets(ids, mask):
    a, b = torch.roll(ids, -1, dims=1), torch.roll(ids, 1, dims=1)
    return torch.where(mask, a, -100), torch.where(mask, b, -100)


# %% language_model_targets: the wrong way | exchanged
def language_model_targets(ids, mask):
    a, b = torch.full_like(ids, -100), torch.full_like(ids, -100)
    for i, n in enumerate(mask.sum(1).tolist()):
        if n > 1:
            a[i, 1:n] = ids[i, : n - 1]
            b[i, : n - 1] = ids[i, 1:n]
    return a, b


# %% WordFromLetters: the maximum over all places | padding_takes_part
# edits: windows by stacking shifts
# -             out.append(response.masked_fill(~real[..., None], 0.0).max(dim=1).values)
# +             out.append(response.max(dim=1).values)


# %% WordFromLetters: flattened as unfold leaves it | component_by_component
# edits: windows by stacking shifts
# -             windows = torch.cat([padded[:, j : j + L] for j in range(w)], dim=2)
# +             windows = padded.unfold(1, w, 1).flatten(2)


# %% WordFromLetters: windows around the letter | centered
# edits: windows by stacking shifts
# -             padded = torch.cat([X, X.new_zeros(N, w - 1, d)], dim=1)
# +             padded = F.pad(X, (0, 0, (w - 1) // 2, w // 2))


# %% WordFromLetters: zeros for a word without letters | zeros_without_letters
# edits: windows by stacking shifts
# -         return self.project(torch.cat(out, dim=-1))
# +         return self.project(torch.cat(out, dim=-1)) * real.any(dim=1, keepdim=True)


# %% ScalarMix: s as it is | without_softmax
# edits: tensordot
# -         return self.gamma * torch.tensordot(e / e.sum(), clean, dims=1)
# +         return self.gamma * torch.tensordot(self.s, clean, dims=1)


# %% ScalarMix: fills the result | filled_too_late
# edits: tensordot
# -         return self.gamma * torch.tensordot(e / e.sum(), clean, dims=1)
# +         mixed = self.gamma * torch.tensordot(e / e.sum(), layers, dims=1)
# +         return torch.where(mask[..., None], mixed, 0)


# %% fit_probe: returns what the optimizer left | last_epoch
def fit_probe(
    X, y, X_validation, y_validation, n_classes, generator, lr=0.02, batch_size=128, max_epochs=20,
    patience=2,
):
    W = torch.zeros(n_classes, X.shape[1], requires_grad=True)
    b = torch.zeros(n_classes, requires_grad=True)
    opt = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
    best, bad = 1e9, 0
    for _ in range(max_epochs):
        for i in torch.randperm(len(X), generator=generator).split(batch_size):
            opt.zero_grad()
            F.cross_entropy(X[i] @ W.T + b, y[i]).backward()
            opt.step()
        loss = float(F.cross_entropy(X_validation @ W.T + b, y_validation))
        if loss < best:
            best, bad = loss, 0
        else:
            bad += 1
        if bad >= patience:
            break
    return W.detach(), b.detach()


# %% fit_probe: a new optimizer in each epoch | new_optimizer
def fit_probe(X, y, X_validation, y_validation, n_classes, generator, lr=0.02, batch_size=128, max_epochs=20, patience=2):
    W = torch.zeros(n_classes, X.shape[1], dtype=X.dtype, requires_grad=True)
    b = torch.zeros(n_classes, dtype=X.dtype, requires_grad=True)
    best_loss, best, waited = float("inf"), None, 0
    for epoch in range(max_epochs):
        order = torch.randperm(len(X), generator=generator)
        optimizer = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
        for start in range(0, len(X), batch_size):
            rows = order[start : start + batch_size]
            loss = F.cross_entropy(X[rows] @ W.T + b, y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            val_loss = F.cross_entropy(X_validation @ W.T + b, y_validation).item()
        if val_loss < best_loss:
            best_loss, waited = val_loss, 0
            best = W.detach().clone(), b.detach().clone()
        else:
            waited += 1
            if waited >= patience:
                break
    return best


# %% fit_probe: the epoch with the highest accuracy | accuracy
def fit_probe(X, y, X_validation, y_validation, n_classes, generator, lr=0.02, batch_size=128, max_epochs=20, patience=2):
    W = torch.zeros(n_classes, X.shape[1], dtype=X.dtype, requires_grad=True)
    b = torch.zeros(n_classes, dtype=X.dtype, requires_grad=True)
    optimizer = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
    best_loss, best, waited = float("inf"), None, 0
    for epoch in range(max_epochs):
        order = torch.randperm(len(X), generator=generator)
        for start in range(0, len(X), batch_size):
            rows = order[start : start + batch_size]
            loss = F.cross_entropy(X[rows] @ W.T + b, y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            predicted = (X_validation @ W.T + b).argmax(dim=1)
            val_loss = 1 - (predicted == y_validation).double().mean().item()
        if val_loss < best_loss:
            best_loss, waited = val_loss, 0
            best = W.detach().clone(), b.detach().clone()
        else:
            waited += 1
            if waited >= patience:
                break
    return best


# %% control_labels: a label for each token | per_token
def control_labels(types, labels, generator):
    return labels[torch.randint(len(labels), (len(labels),), generator=generator)]


# %% control_labels: a label, not a token | number_of_the_token
def control_labels(types, labels, generator):
    drawn = torch.randint(len(labels), (int(types.max()) + 1,), generator=generator)
    return drawn[types]


# %% control_labels: draws among the different labels | different_labels
def control_labels(types, labels, generator):
    V = int(types.max()) + 1
    classes = torch.unique(labels)
    draw = torch.randint(len(classes), (V,), generator=generator)
    return classes[draw][types]


# %% control_labels: V counts the different types | number_of_different_types
def control_labels(types, labels, generator):
    N, V = len(types), len(types.unique())
    draw = torch.randint(N, (V,), generator=generator)
    return labels[draw][types]


# %% control_labels: no generator | without_the_generator
def control_labels(types, labels, generator):
    V = int(types.max().item()) + 1
    draw = torch.randint(len(types), (V,))
    type_labels = labels[draw]
    return type_labels[types]


# %% ContextualTagger: trains the layers | layers_learn
# edits: two names for the two cases
# -             both = torch.cat([own, self.mix(layers.detach(), mask)], dim=2)
# +             both = torch.cat([own, self.mix(layers, mask)], dim=2)


# %% ContextualTagger: does not pack | backward_reads_padding
# edits: two names for the two cases
# -         packed = pack_padded_sequence(
# -             self.dropout(both), mask.sum(1).tolist(), batch_first=True, enforce_sorted=False
# -         )
# -         states, _ = pad_packed_sequence(
# -             self.lstm(packed)[0], batch_first=True, total_length=mask.shape[1]
# -         )
# +         states, _ = self.lstm(self.dropout(both))


# %% nearest_tokens: takes k + 1 and drops the first, which need not be the token itself | drops_the_first
def nearest_tokens(X, queries, k):
    if k < 1 or k > X.shape[0] - 1:
        raise ValueError(k)
    Z = F.normalize(X, dim=1)
    order = (Z[queries] @ Z.T).argsort(dim=1, descending=True)
    return order[:, 1 : k + 1]


# %% nearest_tokens: no query is a neighbor of any other query | no_query_is_a_neighbor
def nearest_tokens(X, queries, k):
    if not 0 < k < len(X):
        raise ValueError("no k others")
    cos = F.cosine_similarity(X[queries].unsqueeze(1), X.unsqueeze(0), dim=-1)
    cos[:, queries] = float("-inf")
    values, places = torch.topk(cos, k)
    return places


# %% nearest_tokens: leaves out the diagonal | diagonal
def nearest_tokens(X, queries, k):
    if k < 1 or k > len(X) - 1:
        raise ValueError(f"k is {k}")
    Z = F.normalize(X, dim=1)
    cosines = Z[queries] @ Z.T
    cosines.fill_diagonal_(float("-inf"))
    return cosines.topk(k, dim=1).indices


# %% nearest_tokens: k = N is allowed | k_may_be_n
def nearest_tokens(X, queries, k):
    N = X.shape[0]
    if k < 1 or k > N:
        raise ValueError(f"k must be from 1 to {N}")
    Z = F.normalize(X, dim=-1)
    cosines = Z[queries] @ Z.T
    cosines[torch.arange(len(queries)), queries] = float("-inf")
    return torch.topk(cosines, k, dim=1).indices


# %% context_states: padding is multiplied by 0, which leaves NaN | multiplies_twice
def context_states(ahead, behind, mask):
    real = mask[:, :, None].float()
    a = F.pad(ahead * real, (0, 0, 1, 0))[:, :-1]
    b = F.pad(behind * real, (0, 0, 0, 1))[:, 1:]
    return torch.cat((a, b), dim=2) * real


# %% language_model_targets: goes by the id 0 and not by the mask | id_zero_is_no_target
def language_model_targets(ids, mask):
    hidden = ids.masked_fill(ids == 0, -100)
    nothing = torch.full((len(ids), 1), -100)
    forward = torch.cat([hidden[:, 1:], nothing], dim=1)
    backward = torch.cat([nothing, hidden[:, :-1]], dim=1)
    backward[ids == 0] = -100
    return forward, backward


# %% ScalarMix: the mean over the weighted layers, so it is divided by J once more | divided_by_the_layers
class ScalarMix(nn.Module):
    def __init__(self, n_layers):
        super().__init__()
        self.n_layers = n_layers
        self.s = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.tensor(1.0))

    def forward(self, layers, mask):
        weights = F.softmax(self.s, dim=0)
        clean = layers.clone()
        clean[:, ~mask] = 0.0
        weighted = [weights[j] * clean[j] for j in range(self.n_layers)]
        return self.gamma * torch.stack(weighted).mean(dim=0)


# %% context_vectors: the slice to the right ends at p + window, one word short | right_side_one_short
def context_vectors(X, mask, positions, window):
    rows = []
    for x, m, p in zip(X, mask, positions.tolist()):
        around = torch.cat([x[max(0, p - window) : p], x[p + 1 : p + window]])
        real = torch.cat([m[max(0, p - window) : p], m[p + 1 : p + window]])
        rows.append(around[real].mean(dim=0) if real.any() else torch.zeros(x.shape[1]))
    return torch.stack(rows)


# %% context_vectors: the mean of no vector is NaN | nan_alone
def context_vectors(X, mask, positions, window):
    rows = []
    for x, m, p in zip(X, mask, positions.tolist()):
        keep = m.clone()
        keep[p] = False
        part = slice(max(0, p - window), p + window + 1)
        rows.append(x[part][keep[part]].mean(dim=0))
    return torch.stack(rows)


# %% context_vectors: stacks a list that is empty without context | stack_of_nothing
def context_vectors(X, mask, positions, window):
    L = X.shape[1]
    out = torch.zeros(X.shape[0], X.shape[2])
    for b, p in enumerate(positions.tolist()):
        near = [j for j in range(L) if j != p and mask[b, j] and p - window <= j <= p + window]
        out[b] = torch.stack([X[b, j] for j in near]).mean(0)
    return out


# %% context_vectors: a sum in Python, divided by how many there are | divides_by_no_word
def context_vectors(X, mask, positions, window):
    rows = []
    for b in range(len(X)):
        p = positions[b].item()
        around = []
        for i in range(max(0, p - window), min(X.shape[1], p + window + 1)):
            if i != p and mask[b, i]:
                around.append(X[b, i])
        rows.append(sum(around) / len(around))
    return torch.stack(rows)


# %% context_vectors: slices that begin below 0 | negative_start
def context_vectors(X, mask, positions, window):
    found = []
    for x, m, p in zip(X, mask, positions.tolist()):
        near = torch.cat([x[p - window : p], x[p + 1 : p + 1 + window]])
        real = torch.cat([m[p - window : p], m[p + 1 : p + 1 + window]])
        near = near[real]
        found.append(near.mean(dim=0) if len(near) else x.new_zeros(x.shape[-1]))
    return torch.stack(found)


# %% context_vectors: the mean of the mean of each side | mean_of_two_means
def context_vectors(X, mask, positions, window):
    offset = torch.arange(X.shape[1]) - positions.unsqueeze(1)
    left = (offset < 0) & (offset >= -window) & mask
    right = (offset > 0) & (offset <= window) & mask

    def mean(near):
        near = near.to(X.dtype).unsqueeze(-1)
        return (X * near).sum(dim=1) / near.sum(dim=1).clamp(min=1)

    sides = (left.any(dim=1).int() + right.any(dim=1).int()).clamp(min=1).unsqueeze(1)
    return (mean(left) + mean(right)) / sides


# %% context_vectors: padding counts among the words by which it divides | padding_counts_below
def context_vectors(X, mask, positions, window):
    place = torch.arange(X.shape[1]).unsqueeze(0)
    distance = (place - positions.unsqueeze(1)).abs()
    near = (distance <= window) & (distance > 0)
    total = (X * (near & mask).unsqueeze(-1)).sum(dim=1)
    return total / near.sum(dim=1, keepdim=True).clamp(min=1)


# %% paired_f1: pairs that are apart in both count as right, too | rand_index
def paired_f1(clusters, senses):
    c, s = clusters.tolist(), senses.tolist()
    agree = total = 0
    for i in range(len(c)):
        for j in range(i + 1, len(c)):
            total += 1
            agree += (c[i] == c[j]) == (s[i] == s[j])
    return agree / total if total else 1.0


# %% paired_f1: compares the two whole tables of pairs, with the diagonal | rand_index_with_itself
def paired_f1(clusters, senses):
    together = clusters.unsqueeze(1) == clusters.unsqueeze(0)
    same = senses.unsqueeze(1) == senses.unsqueeze(0)
    return (together == same).sum().item() / together.numel()


# %% paired_f1: P and R with the pairs that are apart in both above the line | apart_counts_as_right
def paired_f1(clusters, senses):
    i, j = torch.triu_indices(len(clusters), len(clusters), offset=1)
    together, same = clusters[i] == clusters[j], senses[i] == senses[j]
    n_together, n_same = together.sum().item(), same.sum().item()
    if n_together == 0 and n_same == 0:
        return 1.0
    if n_together == 0 or n_same == 0:
        return 0.0
    right = (together == same).sum().item()
    P, R = right / n_together, right / n_same
    return 2 * P * R / (P + R) if right else 0.0


# %% ScalarMix: s begins with 1 / J | shares_at_first
class ScalarMix(nn.Module):
    def __init__(self, n_layers):
        super().__init__()
        self.s = nn.Parameter(torch.ones(n_layers) / n_layers)
        self.gamma = nn.Parameter(torch.tensor(1.0))

    def forward(self, layers, mask):
        H = torch.where(mask[None, :, :, None], layers, torch.zeros_like(layers))
        return self.gamma * torch.einsum("j,jbld->bld", F.softmax(self.s, dim=0), H)


# %% ScalarMix: s begins with ones | ones_at_first
# edits: tensordot
# -         self.s = nn.Parameter(torch.zeros(n_layers))
# +         self.s = nn.Parameter(torch.ones(n_layers))


# %% ScalarMix: leaves the padding out of the mix and not of the layers | filled_before_gamma
class ScalarMix(nn.Module):
    def __init__(self, n_layers):
        super().__init__()
        self.s = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.ones(()))

    def forward(self, layers, mask):
        weights = torch.softmax(self.s, dim=0)
        mixed = sum(w * layer for w, layer in zip(weights, layers))
        mixed = torch.where(mask.unsqueeze(-1), mixed, torch.zeros_like(mixed))
        return self.gamma * mixed


# %% ScalarMix: replaces NaN and not the padding | only_nan_replaced
# edits: tensordot
# -         clean = torch.where(mask.unsqueeze(-1).unsqueeze(0), layers, torch.zeros_like(layers))
# +         clean = torch.nan_to_num(layers, nan=0.0)


# %% nearest_tokens: raises no ValueError for k = 0 | too_large_k
def nearest_tokens(X, queries, k):
    if k > len(X):
        raise ValueError("not so many tokens")
    Z = F.normalize(X, dim=1)
    scores = Z[queries] @ Z.T
    scores[torch.arange(len(queries)), queries] = -torch.inf
    return scores.topk(k, dim=1).indices


# %% ScalarMix: uses s itself | shares_without_softmax
class ScalarMix(nn.Module):
    def __init__(self, n_layers):
        super().__init__()
        self.s = nn.Parameter(torch.full((n_layers,), 1 / n_layers))
        self.gamma = nn.Parameter(torch.tensor(1.0))

    def forward(self, layers, mask):
        layers = layers.masked_fill(~mask[None, ..., None], 0.0)
        return self.gamma * (self.s[:, None, None, None] * layers).sum(dim=0)


# %% paired_f1: counts by the numbers of clusters and of senses | numbers_as_places
def paired_f1(clusters, senses):
    def pairs(counts):
        return int((counts * (counts - 1) // 2).sum())

    c, s = pairs(torch.bincount(clusters)), pairs(torch.bincount(senses))
    both = (clusters[:, None] == clusters) & (senses[:, None] == senses)
    right = (int(both.sum()) - len(clusters)) // 2
    return 1.0 if c + s == 0 else 2 * right / (c + s)
