# %% context_vectors: the word itself is counted among its context
def context_vectors(X, mask, positions, window):
    B, L, d = X.shape
    place = torch.arange(L)
    near = (place[None, :] - positions[:, None]).abs() <= window
    near = near & mask
    n = near.sum(dim=1, keepdim=True).clamp(min=1)
    return (X * near[..., None]).sum(dim=1) / n


# %% context_vectors: divides by 2 * window at the edge of a sentence, too
def context_vectors(X, mask, positions, window):
    out = torch.zeros(X.shape[0], X.shape[2])
    for b, p in enumerate(positions.tolist()):
        n = int(mask[b].sum())
        around = list(range(max(0, p - window), p)) + list(range(p + 1, min(n, p + window + 1)))
        for i in around:
            out[b] += X[b, i]
        out[b] /= 2 * window
    return out


# %% context_vectors: forgets the mask, padding is averaged as well
def context_vectors(X, mask, positions, window):
    results = []
    for sentence, position in zip(X, positions):
        left = sentence[max(0, position - window):position]
        right = sentence[position + 1:position + 1 + window]
        context = torch.cat([left, right])
        if len(context) == 0:
            results.append(torch.zeros(X.shape[-1]))
        else:
            results.append(context.mean(dim=0))
    return torch.stack(results)


# %% spherical_k_means: no last assignment, the clusters are those before the last move
def spherical_k_means(X, starts, n_rounds):
    X = F.normalize(X, dim=1)
    centers = F.normalize(starts, dim=1)
    clusters = (X @ centers.T).argmax(dim=1)
    for _ in range(n_rounds):
        clusters = (X @ centers.T).argmax(dim=1)
        new = centers.clone()
        for c in range(len(centers)):
            total = X[clusters == c].sum(dim=0)
            if total.norm() > 0:
                new[c] = total / total.norm()
        centers = new
    return clusters, centers


# %% spherical_k_means: an empty center becomes zero
def spherical_k_means(X, starts, n_rounds):
    unit = F.normalize(X, dim=-1)
    centers = F.normalize(starts, dim=-1)
    for i in range(n_rounds):
        assigned = torch.argmax(unit @ centers.T, dim=-1)
        onehot = F.one_hot(assigned, len(starts)).to(X.dtype)
        centers = F.normalize(onehot.T @ unit, dim=-1)
    return torch.argmax(unit @ centers.T, dim=-1), centers


# %% spherical_k_means: sums the vectors in their own length
def spherical_k_means(X, starts, n_rounds):
    centers = starts / starts.norm(dim=1, keepdim=True)

    def assign():
        return (X @ centers.T).argmax(1)

    for _ in range(n_rounds):
        z = assign()
        moved = []
        for j in range(centers.shape[0]):
            members = X[z == j]
            s = members.sum(0)
            moved.append(s / s.norm() if len(members) and s.norm() > 0 else centers[j])
        centers = torch.stack(moved)
    return assign(), centers


# %% paired_f1: an occurrence is paired with itself, too
def paired_f1(clusters, senses):
    same_cluster = clusters[:, None] == clusters[None, :]
    same_sense = senses[:, None] == senses[None, :]
    both = (same_cluster & same_sense).sum().item()
    P = both / same_cluster.sum().item()
    R = both / same_sense.sum().item()
    return 2 * P * R / (P + R)


# %% paired_f1: 0 also where neither side has a pair
def paired_f1(clusters, senses):
    def pairs(counts):
        return sum(n * (n - 1) // 2 for n in counts.values())

    c, s = clusters.tolist(), senses.tolist()
    in_cluster = pairs(Counter(c))
    in_sense = pairs(Counter(s))
    right = pairs(Counter(zip(c, s)))
    if in_cluster == 0 or in_sense == 0 or right == 0:
        return 0.0
    return 2 * right / (in_cluster + in_sense)


# %% paired_f1: the mean of precision and recall
def paired_f1(clusters, senses):
    _, a = clusters.unique(return_inverse=True)
    _, b = senses.unique(return_inverse=True)
    table = torch.zeros(int(a.max()) + 1, int(b.max()) + 1)
    for i, j in zip(a, b):
        table[i, j] += 1
    f = lambda n: float((n * (n - 1) / 2).sum())
    tp, p, r = f(table), f(table.sum(1)), f(table.sum(0))
    if p == 0 and r == 0:
        return 1.0
    if tp == 0:
        return 0.0
    return (tp / p + tp / r) / 2


# %% nearest_tokens: dot products in place of cosines
def nearest_tokens(X, queries, k):
    N = len(X)
    if not 1 <= k <= N - 1:
        raise ValueError("k must be between 1 and N - 1")
    similarity = X[queries] @ X.T
    similarity[torch.arange(len(queries)), queries] = -torch.inf
    return similarity.topk(k, dim=1).indices


# %% nearest_tokens: takes k + 1 and drops the first, which need not be the token itself
def nearest_tokens(X, queries, k):
    if k < 1 or k > X.shape[0] - 1:
        raise ValueError(k)
    Z = F.normalize(X, dim=1)
    order = (Z[queries] @ Z.T).argsort(dim=1, descending=True)
    return order[:, 1 : k + 1]


# %% nearest_tokens: no query is a neighbor of any other query
def nearest_tokens(X, queries, k):
    if not 0 < k < len(X):
        raise ValueError("no k others")
    cos = F.cosine_similarity(X[queries].unsqueeze(1), X.unsqueeze(0), dim=-1)
    cos[:, queries] = float("-inf")
    values, places = torch.topk(cos, k)
    return places


# %% reconstruction_loss: the mean over the components in place of the squared distance
def reconstruction_loss(decoded, X, mask, weights):
    error = F.mse_loss(decoded, X.detach(), reduction="none").mean(dim=-1)
    w = mask * weights
    if w.sum() == 0:
        return (decoded * 0).sum()
    return (w * error).sum() / w.sum()


# %% reconstruction_loss: the gradient flows into the word vectors
def reconstruction_loss(decoded, X, mask, weights):
    omega = weights.unsqueeze(0) * mask.float()
    squared = ((decoded - X) ** 2).sum(-1)
    total = omega.sum()
    if total == 0:
        return 0.0 * decoded.sum()
    return (omega * squared).sum() / total


# %% reconstruction_loss: the denominator is held at 1 or more
def reconstruction_loss(decoded, X, mask, weights):
    target = X.detach()
    distance = (decoded - target).pow(2).sum(dim=2)
    w = weights * mask
    return (distance * w).sum() / w.sum().clamp(min=1)


# %% context_states: both are shifted the wrong way
def context_states(ahead, behind, mask):
    m = mask.unsqueeze(-1)
    ahead = ahead.masked_fill(~m, 0.0)
    behind = behind.masked_fill(~m, 0.0)
    zero = torch.zeros_like(ahead[:, :1])
    before = torch.cat([ahead[:, 1:], zero], dim=1)
    after = torch.cat([zero, behind[:, :-1]], dim=1)
    return torch.cat([before, after], dim=-1).masked_fill(~m, 0.0)


# %% context_states: padding is multiplied by 0, which leaves NaN
def context_states(ahead, behind, mask):
    real = mask[:, :, None].float()
    a = F.pad(ahead * real, (0, 0, 1, 0))[:, :-1]
    b = F.pad(behind * real, (0, 0, 0, 1))[:, 1:]
    return torch.cat((a, b), dim=2) * real


# %% context_states: the last real word takes the state of the padding after it
def context_states(ahead, behind, mask):
    B, L, D = ahead.shape
    result = torch.zeros(B, L, 2 * D)
    result[:, 1:, :D] = ahead[:, :-1]
    result[:, :-1, D:] = behind[:, 1:]
    result[~mask] = 0
    return result


# %% language_model_targets: torch.roll wraps around
def language_model_targets(ids, mask):
    forward = torch.roll(ids, -1, dims=1)
    backward = torch.roll(ids, 1, dims=1)
    return forward.masked_fill(~mask, -100), backward.masked_fill(~mask, -100)


# %% language_model_targets: goes by the id 0 and not by the mask
def language_model_targets(ids, mask):
    hidden = ids.masked_fill(ids == 0, -100)
    nothing = torch.full((len(ids), 1), -100)
    forward = torch.cat([hidden[:, 1:], nothing], dim=1)
    backward = torch.cat([nothing, hidden[:, :-1]], dim=1)
    backward[ids == 0] = -100
    return forward, backward


# %% language_model_targets: the targets are float
def language_model_targets(ids, mask):
    B, L = ids.shape
    ahead, back = torch.zeros(B, L) - 100, torch.zeros(B, L) - 100
    for b in range(B):
        for t in range(L):
            if t + 1 < L and mask[b, t] and mask[b, t + 1]:
                ahead[b, t] = ids[b, t + 1]
            if t > 0 and mask[b, t] and mask[b, t - 1]:
                back[b, t] = ids[b, t - 1]
    return ahead, back


# %% WordFromLetters: only the windows that fit into the word (those over the end are missing)
class WordFromLetters(nn.Module):
    def __init__(self, n_letters, dim, widths=(1, 2, 3, 4), n_filters=64, letter_dim=16):
        super().__init__()
        self.widths = tuple(widths)
        self.letters = nn.Embedding(n_letters, letter_dim, padding_idx=0)
        self.filters = nn.ModuleList([nn.Linear(w * letter_dim, n_filters) for w in self.widths])
        self.project = nn.Linear(n_filters * len(self.widths), dim)

    def forward(self, letters):
        real = letters != 0
        E = self.letters(letters) * real.unsqueeze(-1)
        outs = []
        for w, layer in zip(self.widths, self.filters):
            H, m = E, real
            if H.shape[1] < w:
                H = F.pad(H, (0, 0, 0, w - H.shape[1]))
                m = F.pad(m, (0, w - m.shape[1]))
            win = torch.cat([H[:, i : H.shape[1] - w + 1 + i] for i in range(w)], dim=-1)
            r = F.relu(layer(win)) * m[:, : win.shape[1]].unsqueeze(-1)
            outs.append(r.max(dim=1).values)
        return self.project(torch.cat(outs, dim=-1))


# %% WordFromLetters: windows that begin at padding take part in the maximum
class WordFromLetters(nn.Module):
    def __init__(self, n_letters, dim, widths=(1, 2, 3, 4), n_filters=64, letter_dim=16):
        super().__init__()
        self.letters = nn.Embedding(n_letters, letter_dim, padding_idx=0)
        self.filters = nn.ModuleList()
        for n in widths:
            self.filters.append(nn.Linear(n * letter_dim, n_filters))
        self.project = nn.Linear(len(widths) * n_filters, dim)
        self.widths = tuple(widths)

    def forward(self, letters):
        N, L = letters.shape
        X = self.letters(letters) * (letters > 0).unsqueeze(2)
        features = []
        for n, linear in zip(self.widths, self.filters):
            padded = torch.cat([X, X.new_zeros(N, n - 1, X.shape[2])], dim=1)
            windows = torch.stack([padded[:, i : i + n].reshape(N, -1) for i in range(L)], dim=1)
            features.append(torch.relu(linear(windows)).amax(dim=1))
        return self.project(torch.cat(features, dim=1))


# %% WordFromLetters: unfold puts the letters last, flattened without a transpose
class WordFromLetters(nn.Module):
    def __init__(self, n_letters, dim, widths=(1, 2, 3, 4), n_filters=64, letter_dim=16):
        super().__init__()
        self.widths = tuple(widths)
        self.letters = nn.Embedding(n_letters, letter_dim, padding_idx=0)
        self.filters = nn.ModuleList(nn.Linear(n * letter_dim, n_filters) for n in widths)
        self.project = nn.Linear(n_filters * len(self.widths), dim)

    def forward(self, letters):
        mask = letters.ne(0)
        X = self.letters(letters).masked_fill(~mask[..., None], 0.0)
        maxima = []
        for n, f in zip(self.widths, self.filters):
            windows = F.pad(X, (0, 0, 0, n - 1)).unfold(1, n, 1).flatten(2)
            response = f(windows).relu().masked_fill(~mask[..., None], 0.0)
            maxima.append(response.max(dim=1)[0])
        return self.project(torch.cat(maxima, dim=-1))


# %% ScalarMix: the numbers are used as they are, without a softmax
class ScalarMix(nn.Module):
    def __init__(self, n_layers):
        super().__init__()
        self.s = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.tensor(1.0))

    def forward(self, layers, mask):
        layers = layers.masked_fill(~mask[None, :, :, None], 0.0)
        return self.gamma * (self.s.view(-1, 1, 1, 1) * layers).sum(dim=0)


# %% ScalarMix: the padding is filled only in the result
class ScalarMix(nn.Module):
    def __init__(self, n_layers):
        super().__init__()
        self.s = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.ones(()))

    def forward(self, layers, mask):
        w = torch.softmax(self.s, dim=0)
        mix = self.gamma * torch.einsum("j,jbld->bld", w, layers)
        return torch.where(mask.unsqueeze(-1), mix, torch.zeros_like(mix))


# %% ScalarMix: the mean over the weighted layers, so it is divided by J once more
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


# %% fit_probe: the best weights are kept without a copy, so they are the last ones
def fit_probe(X, y, X_validation, y_validation, n_classes, generator, lr=0.02, batch_size=128, max_epochs=20, patience=2):
    W = torch.zeros(n_classes, X.shape[1], requires_grad=True)
    b = torch.zeros(n_classes, requires_grad=True)
    optimizer = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
    best_loss, best, bad = float("inf"), (W, b), 0
    for epoch in range(max_epochs):
        for rows in torch.randperm(len(X), generator=generator).split(batch_size):
            optimizer.zero_grad()
            loss = F.cross_entropy(X[rows] @ W.T + b, y[rows])
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            val = F.cross_entropy(X_validation @ W.T + b, y_validation).item()
        if val < best_loss:
            best_loss, best, bad = val, (W.detach(), b.detach()), 0
        else:
            bad += 1
            if bad >= patience:
                break
    return best


# %% fit_probe: waits one epoch too long
def fit_probe(X, y, X_validation, y_validation, n_classes, generator, lr=0.02, batch_size=128, max_epochs=20, patience=2):
    N, d = X.shape
    W = torch.zeros((n_classes, d), requires_grad=True)
    b = torch.zeros((n_classes,), requires_grad=True)
    opt = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
    best_val = None
    waited = 0
    epoch = 0
    while epoch < max_epochs and waited <= patience:
        perm = torch.randperm(N, generator=generator)
        for start in range(0, N, batch_size):
            idx = perm[start : start + batch_size]
            opt.zero_grad()
            F.cross_entropy(F.linear(X[idx], W, b), y[idx]).backward()
            opt.step()
        epoch += 1
        with torch.no_grad():
            v = F.cross_entropy(F.linear(X_validation, W, b), y_validation)
        if best_val is None or v < best_val:
            best_val = v
            best_W, best_b = W.detach().clone(), b.detach().clone()
            waited = 0
        else:
            waited += 1
    return best_W, best_b


# %% fit_probe: the order is drawn once for all epochs
def fit_probe(X, y, X_validation, y_validation, n_classes, generator, lr=0.02, batch_size=128, max_epochs=20, patience=2):
    W = nn.Parameter(torch.zeros(n_classes, X.size(1)))
    b = nn.Parameter(torch.zeros(n_classes))
    sgd = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
    order = torch.randperm(X.size(0), generator=generator)
    history = []
    for _ in range(max_epochs):
        for i in range(0, len(order), batch_size):
            batch = order[i : i + batch_size]
            sgd.zero_grad()
            nn.functional.cross_entropy(X[batch] @ W.t() + b, y[batch]).backward()
            sgd.step()
        with torch.no_grad():
            loss = F.cross_entropy(X_validation @ W.t() + b, y_validation).item()
        history.append((loss, W.detach().clone(), b.detach().clone()))
        best = min(range(len(history)), key=lambda e: history[e][0])
        if len(history) - 1 - best >= patience:
            break
    return history[best][1], history[best][2]


# %% control_labels: draws the classes uniformly and not as often as they occur
def control_labels(types, labels, generator):
    V = int(types.max()) + 1
    n_classes = int(labels.max()) + 1
    of_type = torch.randint(n_classes, (V,), generator=generator)
    return of_type[types]


# %% control_labels: draws anew for each token and not for each type
def control_labels(types, labels, generator):
    N = len(types)
    drawn = torch.randint(N, (N,), generator=generator)
    return labels[drawn]


# %% control_labels: V is the number of types that occur
def control_labels(types, labels, generator):
    kinds, inverse = torch.unique(types, return_inverse=True)
    draw = torch.randint(len(labels), (len(kinds),), generator=generator)
    return labels[draw][inverse]


# %% ContextualTagger: no packing, the backward LSTM begins in the padding
class ContextualTagger(nn.Module):
    def __init__(self, n_words, dim, n_layers, layer_dim, hidden, n_tags, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.mix = ScalarMix(n_layers) if n_layers > 0 else None
        size = dim + layer_dim if n_layers > 0 else dim
        self.lstm = nn.LSTM(size, hidden, batch_first=True, bidirectional=True)
        self.output = nn.Linear(2 * hidden, n_tags)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, layers, mask):
        x = self.embedding(ids)
        if self.mix is not None:
            x = torch.cat([x, self.mix(layers.detach(), mask)], dim=-1)
        h, _ = self.lstm(self.dropout(x))
        scores = self.output(self.dropout(h))
        return scores * mask.unsqueeze(-1)


# %% ContextualTagger: the layers are not detached, so gradients flow into them
class ContextualTagger(nn.Module):
    def __init__(self, n_words, dim, n_layers, layer_dim, hidden, n_tags, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        if n_layers:
            self.mix = ScalarMix(n_layers)
            self.lstm = nn.LSTM(dim + layer_dim, hidden, batch_first=True, bidirectional=True)
        else:
            self.mix = None
            self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        self.output = nn.Linear(2 * hidden, n_tags)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, layers, mask):
        parts = [self.embedding(ids)]
        if self.mix:
            parts.append(self.mix(layers, mask))
        X = self.dropout(torch.cat(parts, dim=2))
        packed = pack_padded_sequence(X, mask.sum(1).cpu(), batch_first=True, enforce_sorted=False)
        H, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True, total_length=ids.shape[1])
        return self.output(self.dropout(H)).masked_fill(~mask[..., None], 0.0)


# %% ContextualTagger: at padding the scores are the bias of the output layer
class ContextualTagger(nn.Module):
    def __init__(self, n_words, dim, n_layers, layer_dim, hidden, n_tags, dropout=0.0):
        super().__init__()
        self.n_layers = n_layers
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.mix = ScalarMix(n_layers) if n_layers else None
        self.lstm = nn.LSTM(dim + (layer_dim if n_layers else 0), hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden * 2, n_tags)

    def forward(self, ids, layers, mask):
        E = self.embedding(ids)
        if self.n_layers:
            E = torch.cat([E, self.mix(layers.detach(), mask)], -1)
        lengths = mask.sum(dim=1)
        packed = pack_padded_sequence(self.dropout(E), lengths, batch_first=True, enforce_sorted=False)
        states, _ = self.lstm(packed)
        states, _ = pad_packed_sequence(states, batch_first=True, total_length=mask.shape[1])
        return self.output(self.dropout(states))
