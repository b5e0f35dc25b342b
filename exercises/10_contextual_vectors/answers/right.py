# %% context_vectors: cumulative sums
def context_vectors(X, mask, positions, window):
    B, L, d = X.shape
    words = X * 0
    words[mask] = X[mask]
    zeros = torch.zeros(B, 1, d, dtype=X.dtype)
    sums = torch.cat([zeros, words.cumsum(dim=1)], dim=1)
    counts = torch.cat([torch.zeros(B, 1), mask.float().cumsum(dim=1)], dim=1)
    left = (positions - window).clamp(min=0)
    right = (positions + window + 1).clamp(max=L)
    b = torch.arange(B)
    total = sums[b, right] - sums[b, left] - words[b, positions]
    n = counts[b, right] - counts[b, left] - mask[b, positions].float()
    mean = total / n.clamp(min=1)[:, None].to(X.dtype)
    return torch.where(n[:, None] > 0, mean, torch.zeros_like(mean))


# %% context_vectors: left and right lists
def context_vectors(X, mask, positions, window):
    out = torch.zeros(X.shape[0], X.shape[2], dtype=X.dtype)
    for b in range(len(X)):
        p = int(positions[b])
        around = []
        for j in range(1, window + 1):
            if p - j >= 0 and mask[b, p - j]:
                around.append(X[b, p - j])
            if p + j < X.shape[1] and mask[b, p + j]:
                around.append(X[b, p + j])
        if around:
            out[b] = sum(around) / len(around)
    return out


# %% spherical_k_means: masks and a while loop
def spherical_k_means(X, starts, n_rounds):
    lengths = torch.linalg.vector_norm(X, dim=-1, keepdim=True)
    X = torch.where(lengths > 0, X / lengths.clamp(min=1e-20), X)
    C = starts / torch.linalg.vector_norm(starts, dim=-1, keepdim=True)
    label = torch.argmax(X @ C.T, dim=-1)
    done = 0
    while done < n_rounds:
        C = C.clone()
        for j in range(len(C)):
            s = X[label == j].sum(0)
            if torch.linalg.vector_norm(s) > 1e-6:
                C[j] = s / torch.linalg.vector_norm(s)
        label = torch.argmax(X @ C.T, dim=-1)
        done += 1
    return label, C


# %% paired_f1: two loops
def paired_f1(clusters, senses):
    c, s = clusters.tolist(), senses.tolist()
    in_cluster = in_sense = in_both = 0
    for i in range(len(c)):
        for j in range(i):
            in_cluster += c[i] == c[j]
            in_sense += s[i] == s[j]
            in_both += c[i] == c[j] and s[i] == s[j]
    if in_cluster == 0 and in_sense == 0:
        return 1.0
    if in_both == 0:
        return 0.0
    precision, recall = in_both / in_cluster, in_both / in_sense
    return 2 * precision * recall / (precision + recall)


# %% paired_f1: a table of counts
def paired_f1(clusters, senses):
    _, a = torch.unique(clusters, return_inverse=True)
    _, b = torch.unique(senses, return_inverse=True)
    table = F.one_hot(a).double().T @ F.one_hot(b).double()

    def pairs(n):
        return (n * (n - 1) / 2).sum().item()

    below = pairs(table.sum(0)) + pairs(table.sum(1))
    return 1.0 if below == 0 else 2 * pairs(table) / below


# %% nearest_tokens: masks with the identity
def nearest_tokens(X, queries, k):
    n = X.size(0)
    if k < 1 or k > n - 1:
        raise ValueError("there are only " + str(n - 1) + " other tokens")
    unit = F.normalize(X, p=2, dim=-1)
    S = (unit @ unit.T).masked_fill(torch.eye(n, dtype=torch.bool), float("-inf"))
    return S[queries].argsort(dim=-1, descending=True)[:, :k]


# %% reconstruction_loss: loops
def reconstruction_loss(decoded, X, mask, weights):
    top, bottom = (decoded * 0).sum(), 0.0
    for b in range(mask.shape[0]):
        for i in range(mask.shape[1]):
            if mask[b, i]:
                top = top + weights[i] * torch.sum((decoded[b, i] - X[b, i].detach()) ** 2)
                bottom = bottom + weights[i]
    return top / bottom if bottom > 0 else top


# %% reconstruction_loss: mse_loss without reduction
def reconstruction_loss(decoded, X, mask, weights):
    squares = F.mse_loss(decoded, X.detach(), reduction="none").sum(2)
    w = torch.where(mask, weights, torch.zeros_like(weights))
    if not (w > 0).any():
        return (squares * 0).sum()
    return (w * squares).sum() / w.sum()


# %% context_states: fills zeros
def context_states(ahead, behind, mask):
    D = ahead.shape[-1]
    out = ahead.new_zeros(*mask.shape, 2 * D)
    real_and_before = mask[:, 1:] & mask[:, :-1]
    out[:, 1:, :D][real_and_before] = ahead[:, :-1][real_and_before]
    out[:, :-1, D:][real_and_before] = behind[:, 1:][real_and_before]
    return out


# %% language_model_targets: copies and fills
def language_model_targets(ids, mask):
    ahead = torch.full(ids.shape, -100)
    behind = torch.full(ids.shape, -100)
    ahead[:, :-1] = ids[:, 1:]
    behind[:, 1:] = ids[:, :-1]
    length = mask.sum(dim=1)
    place = torch.arange(ids.shape[1])
    ahead[place >= (length - 1)[:, None]] = -100
    behind[place >= length[:, None]] = -100
    behind[:, 0] = -100
    return ahead, behind


# %% WordFromLetters: windows by stacking shifts
class WordFromLetters(nn.Module):
    def __init__(self, n_letters, dim, widths=(1, 2, 3, 4), n_filters=64, letter_dim=16):
        super().__init__()
        self.widths = tuple(widths)
        self.letters = nn.Embedding(n_letters, letter_dim, padding_idx=0)
        layers = []
        for w in self.widths:
            layers.append(nn.Linear(w * letter_dim, n_filters))
        self.filters = nn.ModuleList(layers)
        self.project = nn.Linear(len(layers) * n_filters, dim)

    def forward(self, letters):
        real = letters != 0
        X = self.letters(letters).masked_fill(~real[..., None], 0.0)
        N, L, d = X.shape
        out = []
        for w, layer in zip(self.widths, self.filters):
            padded = torch.cat([X, X.new_zeros(N, w - 1, d)], dim=1)
            windows = torch.cat([padded[:, j : j + L] for j in range(w)], dim=2)
            response = F.relu(layer(windows))
            out.append(response.masked_fill(~real[..., None], 0.0).max(dim=1).values)
        return self.project(torch.cat(out, dim=-1))


# %% ScalarMix: tensordot
class ScalarMix(nn.Module):
    def __init__(self, n_layers):
        super().__init__()
        self.s = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.tensor(1.0))

    def forward(self, layers, mask):
        clean = torch.where(mask.unsqueeze(-1).unsqueeze(0), layers, torch.zeros_like(layers))
        e = torch.exp(self.s - self.s.max())
        return self.gamma * torch.tensordot(e / e.sum(), clean, dims=1)


# %% fit_probe: keeps everything and chooses at the end
def fit_probe(
    X,
    y,
    X_validation,
    y_validation,
    n_classes,
    generator,
    lr=0.02,
    batch_size=128,
    max_epochs=20,
    patience=2,
):
    W = nn.Parameter(torch.zeros(n_classes, X.shape[1]))
    b = nn.Parameter(torch.zeros(n_classes))
    opt = torch.optim.SGD([W, b], lr=lr, momentum=0.9)
    losses, weights = [], []
    for epoch in range(max_epochs):
        order = torch.randperm(len(X), generator=generator)
        for start in range(0, len(X), batch_size):
            i = order[start : start + batch_size]
            opt.zero_grad()
            loss = nn.CrossEntropyLoss()(F.linear(X[i], W, b), y[i])
            loss.backward()
            opt.step()
        with torch.no_grad():
            losses.append(F.cross_entropy(F.linear(X_validation, W, b), y_validation).item())
        weights.append((W.detach().clone(), b.detach().clone()))
        best = min(range(len(losses)), key=losses.__getitem__)
        if epoch - best >= patience:
            break
    return weights[best]


# %% control_labels: a dictionary
def control_labels(types, labels, generator):
    drawn = torch.randint(len(labels), (types.max().item() + 1,), generator=generator)
    label_of = {t: labels[n] for t, n in enumerate(drawn.tolist())}
    return torch.stack([label_of[t] for t in types.tolist()])


# %% ContextualTagger: two names for the two cases
class ContextualTagger(nn.Module):
    def __init__(self, n_words, dim, n_layers, layer_dim, hidden, n_tags, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        if n_layers == 0:
            self.mix = None
            self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True)
        else:
            self.mix = ScalarMix(n_layers)
            self.lstm = nn.LSTM(dim + layer_dim, hidden, batch_first=True, bidirectional=True)
        self.output = nn.Linear(2 * hidden, n_tags)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, layers, mask):
        own = self.embedding(ids)
        if self.mix is None:
            both = own
        else:
            both = torch.cat([own, self.mix(layers.detach(), mask)], dim=2)
        packed = pack_padded_sequence(
            self.dropout(both), mask.sum(1).tolist(), batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(
            self.lstm(packed)[0], batch_first=True, total_length=mask.shape[1]
        )
        return self.output(self.dropout(states)) * mask.unsqueeze(2)


# %% context_vectors: numpy and a loop over the sentences
def context_vectors(X, mask, positions, window):
    import numpy as np

    x, real = X.detach().numpy(), mask.numpy()
    rows = []
    for b, p in enumerate(positions.tolist()):
        chosen = [x[b, i] for i in range(x.shape[1]) if real[b, i] and i != p and p - window <= i <= p + window]
        rows.append(np.mean(chosen, axis=0) if chosen else np.zeros(x.shape[2], dtype=x.dtype))
    return torch.from_numpy(np.stack(rows)).to(X.dtype)


# %% reconstruction_loss: only the real places are taken, weights by expand and a product with einsum
def reconstruction_loss(decoded, X, mask, weights):
    omega = weights.expand(mask.shape)[mask]
    gap = decoded[mask] - X.detach()[mask]
    above = torch.einsum("n,nd,nd->", omega, gap, gap)
    below = float(omega.sum())
    return above / below if below > 0 else above


# %% ScalarMix: detaches the frozen layers
class ScalarMix(nn.Module):
    def __init__(self, n_layers):
        super().__init__()
        self.s = nn.Parameter(torch.zeros(n_layers))
        self.gamma = nn.Parameter(torch.tensor(1.0))

    def forward(self, layers, mask):
        clean = torch.where(mask[None, :, :, None], layers.detach(), 0.0)
        return self.gamma * torch.einsum("j,jbld->bld", torch.softmax(self.s, 0), clean)
