# %% context_vectors: numpy and a loop over the sentences
def context_vectors(X, mask, positions, window):
    import numpy as np

    x, real = X.detach().numpy(), mask.numpy()
    rows = []
    for b, p in enumerate(positions.tolist()):
        chosen = [x[b, i] for i in range(x.shape[1]) if real[b, i] and i != p and p - window <= i <= p + window]
        rows.append(np.mean(chosen, axis=0) if chosen else np.zeros(x.shape[2], dtype=x.dtype))
    return torch.from_numpy(np.stack(rows)).to(X.dtype)


# %% spherical_k_means: index_add and explicit comparisons
def spherical_k_means(X, starts, n_rounds):
    norms = X.norm(dim=1, keepdim=True)
    unit = torch.where(norms > 0, X / norms.clamp(min=1e-30), torch.zeros_like(X))
    centers = starts / starts.norm(dim=1, keepdim=True)

    def assign(centers):
        best = (unit * centers[0]).sum(1)
        which = torch.zeros(len(X), dtype=torch.int64)
        for j in range(1, len(centers)):
            now = (unit * centers[j]).sum(1)
            better = now > best
            best, which = torch.where(better, now, best), torch.where(better, j, which)
        return which

    for _ in range(n_rounds):
        sums = torch.zeros_like(centers).index_add(0, assign(centers), unit)
        length = sums.norm(dim=1, keepdim=True)
        centers = torch.where(length > 1e-6, sums / length.clamp(min=1e-6), centers)
    return assign(centers), centers


# %% paired_f1: Counter and math.comb
def paired_f1(clusters, senses):
    from math import comb

    count = lambda things: sum(comb(n, 2) for n in Counter(things).values())
    c, s = clusters.tolist(), senses.tolist()
    together = count(c) + count(s)
    return 1.0 if together == 0 else 2 * count(zip(c, s)) / together


# %% nearest_tokens: sorts each query's list of others in Python
def nearest_tokens(X, queries, k):
    if k not in range(1, len(X)):
        raise ValueError("there are not so many others")
    length = X.norm(dim=1)
    rows = []
    for q in queries.tolist():
        others = [i for i in range(len(X)) if i != q]
        dots = X @ X[q]

        def cosine(i):
            below = float(length[i] * length[q])
            return float(dots[i]) / below if below > 0 else 0.0

        rows.append(sorted(others, key=cosine, reverse=True)[:k])
    return torch.tensor(rows, dtype=torch.int64).view(-1, k)


# %% reconstruction_loss: only the real places are taken, weights by expand and a product with einsum
def reconstruction_loss(decoded, X, mask, weights):
    omega = weights.expand(mask.shape)[mask]
    gap = decoded[mask] - X.detach()[mask]
    above = torch.einsum("n,nd,nd->", omega, gap, gap)
    below = float(omega.sum())
    return above / below if below > 0 else above


# %% context_states: a loop over texts, with slices up to the length
def context_states(ahead, behind, mask):
    B, L, D = ahead.shape
    out = ahead.new_zeros(B, L, 2 * D)
    for b, n in enumerate(mask.sum(dim=1).tolist()):
        if n > 1:
            out[b, 1:n, :D] = ahead[b, : n - 1]
            out[b, : n - 1, D:] = behind[b, 1:n]
    return out


# %% language_model_targets: lists of Python
def language_model_targets(ids, mask):
    forward, backward = [], []
    for row, real in zip(ids.tolist(), mask.sum(dim=1).tolist()):
        words, rest = row[:real], [-100] * (len(row) - real)
        forward.append((words[1:] + [-100] if real else []) + rest)
        backward.append(([-100] + words[:-1] if real else []) + rest)
    return torch.tensor(forward, dtype=torch.int64), torch.tensor(backward, dtype=torch.int64)


# %% WordFromLetters: conv1d with the weights of the linear layers
class WordFromLetters(nn.Module):
    def __init__(self, n_letters, dim, widths=(1, 2, 3, 4), n_filters=64, letter_dim=16):
        super().__init__()
        self.widths = tuple(widths)
        self.letter_dim = letter_dim
        self.letters = nn.Embedding(n_letters, letter_dim, padding_idx=0)
        self.filters = nn.ModuleList(nn.Linear(n * letter_dim, n_filters) for n in self.widths)
        self.project = nn.Linear(n_filters * len(self.widths), dim)

    def forward(self, letters):
        pad = (letters == 0).unsqueeze(1)  # (N, 1, L)
        X = self.letters(letters).transpose(1, 2).masked_fill(pad, 0.0)
        found = []
        for n, layer in zip(self.widths, self.filters):
            kernel = layer.weight.view(-1, n, self.letter_dim).transpose(1, 2)
            response = F.conv1d(F.pad(X, (0, n - 1)), kernel, layer.bias)
            # relu after the maximum: both grow together, and nothing is below -inf
            found.append(response.masked_fill(pad, -torch.inf).amax(dim=2).clamp(min=0.0))
        return self.project(torch.cat(found, dim=1))


# %% ScalarMix: only the real tokens are mixed, by a matrix product, and put into zeros
class ScalarMix(nn.Module):
    def __init__(self, n_layers):
        super().__init__()
        self.register_parameter("s", nn.Parameter(torch.zeros(n_layers)))
        self.register_parameter("gamma", nn.Parameter(torch.tensor(1.0)))

    def forward(self, layers, mask):
        real = layers[:, mask]  # (J, M, D)
        e = torch.exp(self.s - self.s.max())
        mixed = torch.tensordot(self.gamma * e / e.sum(), real, dims=1)
        out = torch.zeros(layers.shape[1:], dtype=layers.dtype)
        return out.index_put((mask,), mixed)


# %% fit_probe: nn.Linear with deepcopies of its state
def fit_probe(X, y, X_validation, y_validation, n_classes, generator, lr=0.02, batch_size=128, max_epochs=20, patience=2):
    import copy
    import math

    probe = nn.Linear(X.shape[1], n_classes)
    nn.init.zeros_(probe.weight)
    nn.init.zeros_(probe.bias)
    optimizer = torch.optim.SGD([probe.weight, probe.bias], lr=lr, momentum=0.9)
    kept, lowest, since, epochs = None, math.inf, 0, 0
    while since < patience and epochs < max_epochs:
        epochs += 1
        order = torch.randperm(len(X), generator=generator)
        for batch in torch.split(order, batch_size):
            optimizer.zero_grad()
            log_p = probe(X[batch]).log_softmax(dim=1)
            F.nll_loss(log_p, y[batch]).backward()
            optimizer.step()
        with torch.no_grad():
            now = F.cross_entropy(probe(X_validation), y_validation).item()
        since += 1
        if kept is None or now < lowest:
            kept, lowest, since = copy.deepcopy(probe.state_dict()), now, 0
    return kept["weight"], kept["bias"]


# %% control_labels: a dictionary of Python
def control_labels(types, labels, generator):
    numbers, real = types.tolist(), labels.tolist()
    drawn = torch.randint(len(numbers), (max(numbers) + 1,), generator=generator).tolist()
    label_of = {t: real[drawn[t]] for t in set(numbers)}
    return torch.tensor([label_of[t] for t in numbers], dtype=torch.int64)


# %% ContextualTagger: output layer on the packed data, padding filled when unpacked
class ContextualTagger(nn.Module):
    def __init__(self, n_words, dim, n_layers, layer_dim, hidden, n_tags, dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim, padding_idx=0)
        self.mix = None if n_layers == 0 else ScalarMix(n_layers)
        self.lstm = nn.LSTM(dim + layer_dim * (n_layers > 0), hidden, batch_first=True, bidirectional=True)
        self.output = nn.Linear(2 * hidden, n_tags)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, layers, mask):
        X = self.embedding(ids)
        if self.mix is not None:
            with torch.no_grad():
                frozen = layers.clone()
            X = torch.cat((X, self.mix(frozen, mask)), dim=2)
        lengths = mask.long().sum(dim=1).cpu()
        packed = pack_padded_sequence(self.dropout(X), lengths, batch_first=True, enforce_sorted=False)
        H, _ = self.lstm(packed)
        scores = H._replace(data=self.output(self.dropout(H.data)))
        return pad_packed_sequence(scores, batch_first=True, padding_value=0.0, total_length=ids.shape[1])[0]
