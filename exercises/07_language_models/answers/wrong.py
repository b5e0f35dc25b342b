# %% count_ngrams: no stop token | no_stop
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError("n")
    counts = {}
    for sentence in sentences:
        words = [START] * (n - 1) + sentence
        for i in range(n - 1, len(words)):
            counts.setdefault(tuple(words[i - n + 1 : i]), Counter())[words[i]] += 1
    return counts


# %% count_ngrams: stop tokens on the right as many as start tokens | several_stops
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError("n")
    counts = {}
    for sentence in sentences:
        words = [START] * (n - 1) + sentence + [STOP] * max(1, n - 1)
        for i in range(n - 1, len(words)):
            counts.setdefault(tuple(words[i - n + 1 : i]), Counter())[words[i]] += 1
    return counts


# %% count_ngrams: as many start tokens as n | one_start_too_many
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError("n must be 1 or more")
    counts = {}
    for sentence in sentences:
        tokens = [START] * n + sentence + [STOP]
        for i in range(n - 1, len(tokens)):
            context = tuple(tokens[i - n + 1 : i])
            if context not in counts:
                counts[context] = Counter()
            counts[context][tokens[i]] += 1
    return counts


# %% count_ngrams: the context as one string | context_is_a_string
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError("n must be 1 or more")
    counts = {}
    for sentence in sentences:
        tokens = [START] * (n - 1) + sentence + [STOP]
        for i in range(len(tokens) - n + 1):
            context = " ".join(tokens[i : i + n - 1])
            counts.setdefault(context, Counter())[tokens[i + n - 1]] += 1
    return counts


# %% add_k_probability: k only above | numerator_only
def add_k_probability(counts, word, context, n_words, k=0.0):
    if k < 0:
        raise ValueError("k")
    row = counts.get(context, Counter())
    total = sum(row.values())
    return (row[word] + k) / total if total else 0.0


# %% add_k_probability: k below without the vocabulary | denominator_plus_k
def add_k_probability(counts, word, context, n_words, k=0.0):
    if k < 0:
        raise ValueError("k")
    row = counts.get(context, Counter())
    total = sum(row.values()) + k
    return (row[word] + k) / total if total else 0.0


# %% add_k_probability: an unseen context is impossible | unseen_context_gives_zero
def add_k_probability(counts, word, context, n_words, k=0.0):
    if k < 0:
        raise ValueError("k")
    if context not in counts:
        return 0.0
    row = counts[context]
    return (row[word] + k) / (sum(row.values()) + k * n_words)


# %% perplexity: stop tokens not counted | forgets_stops
def perplexity(sentences, probability, n):
    if not sentences:
        raise ValueError("no sentences")
    total = sum(sentence_log_probability(s, probability, n) for s in sentences)
    return math.exp(-total / max(1, sum(len(s) for s in sentences)))


# %% perplexity: a mean over sentences | per_sentence
def perplexity(sentences, probability, n):
    if not sentences:
        raise ValueError("no sentences")
    each = []
    for s in sentences:
        log_p = sentence_log_probability(s, probability, n)
        each.append(math.exp(-log_p / (len(s) + 1)))
    return sum(each) / len(each)


# %% perplexity: exp of the mean of the sentences' means | mean_of_means
def perplexity(sentences, probability, n):
    if not sentences:
        raise ValueError("no sentences")
    means = []
    for sentence in sentences:
        log_p = sentence_log_probability(sentence, probability, n)
        means.append(log_p / (len(sentence) + 1))
    return math.exp(-sum(means) / len(means))


# %% perplexity: start tokens are counted | counts_starts
def perplexity(sentences, probability, n):
    if not sentences:
        raise ValueError("no sentences")
    total, count = 0.0, 0
    for sentence in sentences:
        total += sentence_log_probability(sentence, probability, n)
        count += len([START] * (n - 1) + sentence + [STOP])
    return math.exp(-total / count)


# %% interpolated_probability: the first words | first_words
def interpolated_probability(tables, weights, word, context):
    p, used = 0.0, 0.0
    for m in range(len(tables)):
        row = tables[m].get(context[:m])
        if row:
            p += weights[m] * row[word] / sum(row.values())
            used += weights[m]
    return p / used


# %% interpolated_probability: nothing renormalized | not_renormalized
def interpolated_probability(tables, weights, word, context):
    p = 0.0
    for m in range(len(tables)):
        row = tables[m].get(context[len(context) - m :])
        if row:
            p += weights[m] * row[word] / sum(row.values())
    return p


# %% KneserNey: absolute discounting with plain counts | plain_counts_everywhere
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n_words, self.discount = n_words, discount
        self.table = {}
        for m in range(1, n + 1):
            for context, row in count_ngrams(sentences, n).items():
                for word, count in row.items():
                    shorter = context[n - m :]
                    self.table.setdefault(shorter, Counter())[word] += count

    def probability(self, word, context):
        lower = self.probability(word, context[1:]) if context else 1 / self.n_words
        row = self.table.get(context)
        if row is None:
            return lower
        total = sum(row.values())
        kept = max(row[word] - self.discount, 0)
        return (kept + self.discount * len(row) * lower) / total


# %% KneserNey: an empty slice counted from the end | minus_zero
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n, self.V, self.D = n, n_words, discount
        self.tables = [count_ngrams(sentences, n)]
        for _ in range(n - 1):
            lower = {}
            for context, following in self.tables[0].items():
                for word in following:
                    lower.setdefault(context[1:], Counter())[word] += 1
            self.tables.insert(0, lower)
        self.sums = [{c: sum(row.values()) for c, row in table.items()} for table in self.tables]

    def probability(self, word, context):
        p = 1 / self.V
        for m in range(1, self.n + 1):
            short = context[-(m - 1) :]
            if short not in self.tables[m - 1]:
                break
            row, total = self.tables[m - 1][short], self.sums[m - 1][short]
            p = max(row[word] - self.D, 0) / total + self.D * len(row) / total * p
        return p


# %% KneserNey: an empty slice counted from the end, what is unseen skipped | minus_zero_skipped
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n, self.V, self.D = n, n_words, discount
        self.tables = [count_ngrams(sentences, n)]
        for _ in range(n - 1):
            lower = {}
            for context, following in self.tables[0].items():
                for word in following:
                    lower.setdefault(context[1:], Counter())[word] += 1
            self.tables.insert(0, lower)
        self.sums = [{c: sum(row.values()) for c, row in table.items()} for table in self.tables]

    def probability(self, word, context):
        p = 1 / self.V
        for m in range(1, self.n + 1):
            short = context[-(m - 1) :]
            if short in self.tables[m - 1]:
                row, total = self.tables[m - 1][short], self.sums[m - 1][short]
                p = max(row[word] - self.D, 0) / total + self.D * len(row) / total * p
        return p


# %% KneserNey: the first words of the context | context_not_shortened_from_the_left
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n, self.V, self.D = n, n_words, discount
        self.tables = [count_ngrams(sentences, n)]
        for _ in range(n - 1):
            lower = {}
            for context, following in self.tables[0].items():
                for word in following:
                    lower.setdefault(context[1:], Counter())[word] += 1
            self.tables.insert(0, lower)
        self.sums = [{c: sum(row.values()) for c, row in table.items()} for table in self.tables]

    def probability(self, word, context):
        p = 1 / self.V
        for m in range(1, self.n + 1):
            short = context[: m - 1]
            if short not in self.tables[m - 1]:
                break
            row, total = self.tables[m - 1][short], self.sums[m - 1][short]
            p = max(row[word] - self.D, 0) / total + self.D * len(row) / total * p
        return p


# %% KneserNey: plain counts between the highest order and the unigrams | only_unigrams_by_contexts
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n, self.V, self.D = n, n_words, discount
        self.tables = [count_ngrams(sentences, m) for m in range(1, n + 1)]
        if n > 1:
            bigrams = count_ngrams(sentences, 2)
            self.tables[0] = {(): Counter(w for row in bigrams.values() for w in row)}

    def probability(self, word, context):
        p = 1 / self.V
        for m in range(1, self.n + 1):
            row = self.tables[m - 1].get(context[self.n - m :])
            if row is not None:
                total = sum(row.values())
                p = max(row[word] - self.D, 0) / total + self.D * len(row) / total * p
        return p


# %% KneserNey: the sums are those of plain counts | divides_by_plain_counts
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n, self.V, self.D = n, n_words, discount
        plain = [count_ngrams(sentences, m) for m in range(1, n + 1)]
        self.sums = [{c: sum(row.values()) for c, row in table.items()} for table in plain]
        self.tables = [plain[-1]]
        for _ in range(n - 1):
            lower = {}
            for context, following in self.tables[0].items():
                for word in following:
                    lower.setdefault(context[1:], Counter())[word] += 1
            self.tables.insert(0, lower)

    def probability(self, word, context):
        p = 1 / self.V
        for m in range(1, self.n + 1):
            short = context[self.n - m :]
            if short not in self.tables[m - 1]:
                return p
            row, total = self.tables[m - 1][short], self.sums[m - 1][short]
            p = max(row[word] - self.D, 0) / total + self.D * len(row) / total * p
        return p


# %% RecurrentLanguageModel: softmax at the end | returns_probabilities
# edits: getattr and a product with E
# -         z = self.dropout(self.projection(H))
# -         return nn.functional.linear(z, self.embedding.weight, self.bias), state
# +         z = self.dropout(self.projection(H)) @ self.embedding.weight.T + self.bias
# +         return torch.softmax(z, dim=-1), state


# %% RecurrentLanguageModel: the state is not passed on | forgets_the_state
# -         X = self.dropout(self.embedding(ids))
# -         H, state = self.rnn(X, state)
# -         Z = self.dropout(self.projection(H))
# -         return nn.functional.linear(Z, self.embedding.weight, self.bias), state
# +         X, state = self.rnn(self.dropout(self.embedding(ids)))
# +         return self.dropout(self.projection(X)) @ self.embedding.weight.T + self.bias, state


# %% RecurrentLanguageModel: an output layer of its own | output_layer_of_its_own
#           self.dropout = nn.Dropout(dropout)
# +         self.out = nn.Linear(dim, n_words)
# ...
#           Z = self.dropout(self.projection(H))
# -         return nn.functional.linear(Z, self.embedding.weight, self.bias), state
# +         return self.out(Z) + self.bias, state


# %% RecurrentLanguageModel: an output layer of its own without bias | output_layer_of_its_own
#           self.dropout = nn.Dropout(dropout)
# +         self.out = nn.Linear(dim, n_words, bias=False)
# ...
#           Z = self.dropout(self.projection(H))
# -         return nn.functional.linear(Z, self.embedding.weight, self.bias), state
# +         return self.out(Z) + self.bias, state


# %% RecurrentLanguageModel: dropout in front of the projection | dropout_before_projection
# -         Z = self.dropout(self.projection(H))
# -         return nn.functional.linear(Z, self.embedding.weight, self.bias), state
# +         Z = self.projection(self.dropout(H))
# +         return Z @ self.embedding.weight.T + self.bias, state


# %% LanguageModelTrainer: no state in either loop | state_not_carried
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def train_epoch(self, windows):
        self.model.train()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            state = None
            self.optimizer.zero_grad()
            loss, state = self.loss(x, y, state)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item() * y.numel()
            count += y.numel()
        return total / count

    @torch.no_grad()
    def evaluate(self, windows):
        self.model.eval()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            loss, state = self.loss(x, y, None)
            total += loss.item() * y.numel()
            count += y.numel()
        return total / count


# %% LanguageModelTrainer: detach before the first window | detaches_none
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def train_epoch(self, windows):
        self.model.train()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            state = detach(state)
            self.optimizer.zero_grad()
            loss, state = self.loss(x, y, state)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item() * y.numel()
            count += y.numel()
        return total / count

    @torch.no_grad()
    def evaluate(self, windows):
        self.model.eval()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            loss, state = self.loss(x, y, state)
            total += loss.item() * y.numel()
            count += y.numel()
        return total / count


# %% LanguageModelTrainer: a mean over windows in both methods | averages_the_windows
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def train_epoch(self, windows):
        self.model.train()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            if state is not None:
                state = detach(state)
            self.optimizer.zero_grad()
            loss, state = self.loss(x, y, state)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item()
            count += 1
        return total / count

    @torch.no_grad()
    def evaluate(self, windows):
        self.model.eval()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            loss, state = self.loss(x, y, state)
            total += loss.item()
            count += 1
        return total / count


# %% LanguageModelTrainer: a mean over windows in training | averages_the_windows
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def train_epoch(self, windows):
        self.model.train()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            if state is not None:
                state = detach(state)
            self.optimizer.zero_grad()
            loss, state = self.loss(x, y, state)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item()
            count += 1
        return total / count

    @torch.no_grad()
    def evaluate(self, windows):
        self.model.eval()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            loss, state = self.loss(x, y, state)
            total += loss.item() * y.numel()
            count += y.numel()
        return total / count


# %% LanguageModelTrainer: a mean over windows in evaluation | averages_the_windows_in_evaluation
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def train_epoch(self, windows):
        self.model.train()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            if state is not None:
                state = detach(state)
            self.optimizer.zero_grad()
            loss, state = self.loss(x, y, state)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item() * y.numel()
            count += y.numel()
        return total / count

    @torch.no_grad()
    def evaluate(self, windows):
        self.model.eval()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            loss, state = self.loss(x, y, state)
            total += loss.item()
            count += 1
        return total / count


# %% LanguageModelTrainer: each component clipped | clips_values
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model = model
        self.max_norm = max_norm
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def train_epoch(self, windows):
        self.model.train()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            if state is not None:
                state = detach(state)
            self.optimizer.zero_grad()
            loss, state = self.loss(x, y, state)
            loss.backward()
            nn.utils.clip_grad_value_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            total += loss.item() * y.numel()
            count += y.numel()
        return total / count

    @torch.no_grad()
    def evaluate(self, windows):
        self.model.eval()
        total, count, state = 0.0, 0, None
        for x, y in windows:
            loss, state = self.loss(x, y, state)
            total += loss.item() * y.numel()
            count += y.numel()
        return total / count


# %% gradient_norms: in the order of the text | order_of_the_text
def gradient_norms(cell, X, state):
    X = X.detach().clone().requires_grad_()
    H, _ = unroll(cell, X, state)
    H[:, -1].sum().backward()
    return X.grad.norm(dim=(0, 2))


# %% gradient_norms: all states summed | all_states
def gradient_norms(cell, X, state):
    X = X.detach().clone().requires_grad_()
    H, _ = unroll(cell, X, state)
    H.sum().backward()
    return X.grad.norm(dim=(0, 2)).flip(0)


# %% gradient_norms: the caller's tensor | changes_x
def gradient_norms(cell, X, state):
    X.requires_grad_()
    H, _ = unroll(cell, X, state)
    H[:, -1].sum().backward()
    return X.grad.norm(dim=(0, 2)).flip(0)


# %% gradient_norms: the memory of a pair | memory_not_state
def gradient_norms(cell, X, state):
    X = X.clone().detach().requires_grad_(True)
    _, last = unroll(cell, X, state)
    if isinstance(last, tuple):
        last = last[1]
    last.sum().backward()
    return X.grad.norm(dim=(0, 2)).flip(0)


# %% gradient_norms: a pair is no tensor | pair_has_no_sum
def gradient_norms(cell, X, state):
    X = X.clone().detach().requires_grad_(True)
    _, last = unroll(cell, X, state)
    last.sum().backward()
    return X.grad.norm(dim=(0, 2)).flip(0)


# %% gradient_norms: sums | sums_not_norms
def gradient_norms(cell, X, state):
    X = X.clone().detach().requires_grad_(True)
    H, _ = unroll(cell, X, state)
    H[:, -1].sum().backward()
    return X.grad.sum(dim=(0, 2)).flip(0)


# %% GRUCell: the update gate as in Chung et al. | update_gate_writes
# edits: PyTorch's own function
# -         return torch.gru_cell(x, h, self.W.weight, self.U.weight, self.W.bias, self.U.bias)
# +         a, b = self.W(x).chunk(3, -1), self.U(h).chunk(3, -1)
# +         r = torch.sigmoid(a[0] + b[0])
# +         z = torch.sigmoid(a[1] + b[1])
# +         n = torch.tanh(a[2] + r * b[2])
# +         return z * n + (1 - z) * h


# %% GRUCell: no reset gate | no_reset
# edits: PyTorch's own function
# -         return torch.gru_cell(x, h, self.W.weight, self.U.weight, self.W.bias, self.U.bias)
# +         r, z, n = (self.W(x) + self.U(h)).chunk(3, -1)
# +         z = torch.sigmoid(z)
# +         return (1 - z) * torch.tanh(n) + z * h


# %% LSTMCell: returns c first | state_reversed
# -         return torch.sigmoid(o) * torch.tanh(c), c
# +         h = torch.sigmoid(o) * torch.tanh(c)
# +         return c, h


# %% LSTMCell: the memory is shown as it is | no_tanh_of_the_memory
# -         c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
# -         return torch.sigmoid(o) * torch.tanh(c), c
# +         c = (f + self.forget_bias).sigmoid() * c + i.sigmoid() * g.tanh()
# +         return o.sigmoid() * c, c


# %% sampling_probabilities: times the temperature | multiplies_by_temperature
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError("options")
    if temperature == 0:
        return nn.functional.one_hot(logits.argmax(), len(logits)).float()
    p, order = torch.softmax(logits * temperature, dim=-1).sort(descending=True)
    p[len(p) if top_k is None else top_k :] = 0
    p = p / p.sum()
    p = p * (p.cumsum(0) - p < top_p)
    result = torch.zeros_like(p)
    result[order] = p / p.sum()
    return result


# %% sampling_probabilities: probabilities left sorted | keeps_the_order_of_sorting
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError("options")
    if temperature == 0:
        return nn.functional.one_hot(logits.argmax(), len(logits)).float()
    p = torch.softmax(logits / temperature, dim=-1).sort(descending=True).values
    p[len(p) if top_k is None else top_k :] = 0
    p = p / p.sum()
    p = p * (p.cumsum(0) - p < top_p)
    return p / p.sum()


# %% sampling_probabilities: not divided after the nucleus | not_renormalized_after_nucleus
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError("bad options")
    if temperature == 0:
        p = torch.zeros_like(logits)
        p[logits.argmax()] = 1.0
        return p
    p, order = torch.softmax(logits / temperature, dim=-1).sort(descending=True)
    if top_k is not None:
        p[top_k:] = 0
        p = p / p.sum()
    p[p.cumsum(0) - p >= top_p] = 0
    return torch.zeros_like(p).scatter(0, order, p)


# %% sampling_probabilities: not divided after top-k | nucleus_before_top_k
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError("bad options")
    if temperature == 0:
        p = torch.zeros_like(logits)
        p[logits.argmax()] = 1.0
        return p
    p, order = torch.softmax(logits / temperature, dim=-1).sort(descending=True)
    if top_k is not None:
        p[top_k:] = 0
    p[p.cumsum(0) - p >= top_p] = 0
    p = p / p.sum()
    return torch.zeros_like(p).scatter(0, order, p)


# %% sampling_probabilities: the whole sum is taken out | nothing_is_left
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError("bad options")
    if temperature == 0:
        p = torch.zeros_like(logits)
        p[logits.argmax()] = 1.0
        return p
    p, order = torch.softmax(logits / temperature, dim=-1).sort(descending=True)
    if top_k is not None:
        p[top_k:] = 0
        p = p / p.sum()
    p[p.cumsum(0) >= top_p] = 0
    p = p / p.sum()
    return torch.zeros_like(p).scatter(0, order, p)


# %% count_ngrams: the loop ends before the stop token | no_stop
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError("n is too small")
    counts = {}
    for sentence in sentences:
        tokens = [START] * (n - 1) + sentence + [STOP]
        for i in range(len(tokens) - n):
            counts.setdefault(tuple(tokens[i : i + n - 1]), Counter())[tokens[i + n - 1]] += 1
    return counts


# %% count_ngrams: no start tokens | no_start
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError("n is too small")
    counts = {}
    for sentence in sentences:
        tokens = [*sentence, "</s>"]
        for i in range(n - 1, len(tokens)):
            counts.setdefault(tuple(tokens[i - n + 1 : i]), Counter())[tokens[i]] += 1
    return counts


# %% count_ngrams: a Counter of n-grams | keys_are_whole_ngrams
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError("n must be positive")
    counts = Counter()
    for sentence in sentences:
        tokens = ["<s>"] * (n - 1) + sentence + ["</s>"]
        for i in range(len(tokens) - n + 1):
            counts[tuple(tokens[i : i + n])] += 1
    return counts


# %% add_k_probability: equal shares where nothing is known | equal_although_k_is_zero
def add_k_probability(counts, word, context, n_words, k=0.0):
    if k < 0:
        raise ValueError("k must not be negative")
    following = counts.get(context)
    if not following:
        return 1 / n_words
    return (following[word] + k) / (sum(following.values()) + k * n_words)


# %% add_k_probability: counts the stop token once more | one_word_more
def add_k_probability(counts, word, context, n_words, k=0.0):
    if k < 0:
        raise ValueError("k must not be negative")
    following = counts.get(context, Counter())
    denominator = sum(following.values()) + k * (n_words + 1)
    if denominator == 0:
        return 0.0
    return (following[word] + k) / denominator


# %% perplexity: one stop token in all | one_stop_for_all
def perplexity(sentences, probability, n):
    if len(sentences) == 0:
        raise ValueError("no sentences")
    total = sum(sentence_log_probability(s, probability, n) for s in sentences)
    return math.exp(-total / (sum(map(len, sentences)) + 1))


# %% perplexity: an error if there are no words |
def perplexity(sentences, probability, n):
    if not any(sentences):
        raise ValueError("nothing to measure")
    total = sum(sentence_log_probability(s, probability, n) for s in sentences)
    return math.exp(-total / (sum(map(len, sentences)) + len(sentences)))


# %% perplexity: sentences that cannot be are left out | skips_impossible_sentences
def perplexity(sentences, probability, n):
    if not sentences:
        raise ValueError("no sentences")
    total, N = 0.0, 0
    for sentence in sentences:
        log_p = sentence_log_probability(sentence, probability, n)
        if log_p > -math.inf:
            total += log_p
            N += len(sentence) + 1
    return math.exp(-total / N)


# %% interpolated_probability: an unseen order's weight to the words | unseen_weight_to_unigrams
def interpolated_probability(tables, weights, word, context):
    p = rest = 0.0
    for m, (table, weight) in enumerate(zip(tables, weights)):
        following = table.get(context[len(context) - m :])
        if following:
            p += weight * following[word] / sum(following.values())
        else:
            rest += weight
    words = tables[0][()]
    return p + rest * words[word] / sum(words.values())


# %% interpolated_probability: KeyError at a context never seen | unseen_context_is_an_error
def interpolated_probability(tables, weights, word, context):
    p = 0.0
    for m in range(len(tables)):
        following = tables[m][context[len(context) - m :]]
        p += weights[m] * following[word] / sum(following.values())
    return p


# %% KneserNey: continuation counts that add up the counts | plain_counts_everywhere
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n_words, self.discount = n_words, discount
        self.tables = [count_ngrams(sentences, n)]
        for _ in range(n - 1):
            lower = {}
            for context, following in self.tables[0].items():
                for word, count in following.items():
                    lower.setdefault(context[1:], Counter())[word] += count
            self.tables.insert(0, lower)
        self.sums = [{c: sum(f.values()) for c, f in table.items()} for table in self.tables]

    def probability(self, word, context):
        p = 1 / self.n_words
        for m, (table, sums) in enumerate(zip(self.tables, self.sums)):
            short = context[len(context) - m :]
            if short in table:
                kept = max(table[short][word] - self.discount, 0)
                p = (kept + self.discount * len(table[short]) * p) / sums[short]
        return p


# %% gradient_norms: no root | norms_without_the_root
def gradient_norms(cell, X, state):
    X = X.detach().clone().requires_grad_()
    H, _ = unroll(cell, X, state)
    H[:, -1].sum().backward()
    return (X.grad**2).sum(dim=(0, 2)).flip(0)


# %% gradient_norms: the mean of the state | mean_of_the_state
def gradient_norms(cell, X, state):
    X = X.detach().clone().requires_grad_()
    H, _ = unroll(cell, X, state)
    H[:, -1].mean().backward()
    return X.grad.norm(dim=(0, 2)).flip(0)


# %% GRUCell: gates from the word alone | gates_without_the_state
# edits: PyTorch's own function
# -         return torch.gru_cell(x, h, self.W.weight, self.U.weight, self.W.bias, self.U.bias)
# +         wr, wz, wn = self.W(x).chunk(3, dim=-1)
# +         r, z = torch.sigmoid(wr), torch.sigmoid(wz)
# +         n = torch.tanh(wn + r * self.U(h).chunk(3, dim=-1)[2])
# +         return (1 - z) * n + z * h


# %% LSTMCell: keeps h in place of c | keeps_the_hidden_state
# -         h, c = state
# +         h, _ = state
# ...
# -         c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
# -         return torch.sigmoid(o) * torch.tanh(c), c
# +         i, f, o = i.sigmoid(), (f + self.forget_bias).sigmoid(), o.sigmoid()
# +         c = f * h + i * g.tanh()
# +         return o * c.tanh(), c


# %% LSTMCell: the forget bias in every score | forget_bias_for_all
# -         i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
# -         c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
# +         scores = self.W(x) + self.U(h) + self.forget_bias
# +         i, f, g, o = scores.chunk(4, dim=-1)
# +         c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)


# %% sampling_probabilities: the order the wrong way round | indexes_with_the_order
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError("out of range")
    if temperature == 0:
        p = torch.zeros_like(logits)
        p[logits.argmax()] = 1
        return p
    p, order = torch.softmax(logits / temperature, dim=0).sort(descending=True)
    if top_k is not None:
        p[top_k:] = 0
        p = p / p.sum()
    p = p.masked_fill(p.cumsum(0) - p >= top_p, 0)
    return (p / p.sum())[order]


# %% sampling_probabilities: removed logits become 0 | zero_is_a_logit
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
        raise ValueError("out of range")
    if temperature == 0:
        return nn.functional.one_hot(logits.argmax(), len(logits)).to(logits.dtype)
    scores, order = (logits / temperature).sort(descending=True)
    if top_k is not None:
        scores[top_k:] = 0
    p = torch.softmax(scores, dim=0)
    p = p.masked_fill(p.cumsum(0) - p >= top_p, 0)
    return torch.zeros_like(p).scatter(0, order, p / p.sum())


# %% count_ngrams: a dictionary in a dictionary | plain_dictionaries
def count_ngrams(sentences, n):
    if n < 1:
        raise ValueError("n is too small")
    counts = {}
    for sentence in sentences:
        tokens = ["<s>"] * (n - 1) + list(sentence) + ["</s>"]
        for i in range(len(tokens) - n + 1):
            *context, word = tokens[i : i + n]
            context = tuple(context)
            if context not in counts:
                counts[context] = {}
            if word not in counts[context]:
                counts[context][word] = 0
            counts[context][word] += 1
    return counts


# %% count_ngrams: defaultdict of int | plain_dictionaries
def count_ngrams(sentences, n):
    from collections import defaultdict

    if n < 1:
        raise ValueError
    counts = defaultdict(lambda: defaultdict(int))
    for s in sentences:
        s = [START] * (n - 1) + s + [STOP]
        for j in range(n - 1, len(s)):
            counts[tuple(s[j - n + 1 : j])][s[j]] += 1
    return dict(counts)


# %% ElmanCell: keeps its state as in old tutorials | keeps_its_own_state
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, hidden)
        self.U = nn.Linear(hidden, hidden, bias=False)
        self.h = None

    def forward(self, x, h):
        if self.h is None:
            self.h = h
        self.h = torch.tanh(self.W(x) + self.U(self.h))
        return self.h


# %% GRUCell: keeps its state | keeps_its_own_state
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W, self.U = nn.Linear(dim, 3 * hidden), nn.Linear(hidden, 3 * hidden)
        self.h = None

    def forward(self, x, h):
        if self.h is not None:
            h = self.h
        xr, xz, xn = self.W(x).chunk(3, dim=-1)
        hr, hz, hn = self.U(h).chunk(3, dim=-1)
        r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
        self.h = (1 - z) * torch.tanh(xn + r * hn) + z * h
        return self.h


# %% LSTMCell: keeps its state | keeps_its_own_state
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.W, self.U = nn.Linear(dim, 4 * hidden), nn.Linear(hidden, 4 * hidden)
        self.forget_bias = forget_bias
        self.state = None

    def forward(self, x, state):
        h, c = state if self.state is None else self.state
        i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        c = torch.sigmoid(f + self.forget_bias) * c + i.sigmoid() * g.tanh()
        self.state = o.sigmoid() * c.tanh(), c
        return self.state


# %% RecurrentLanguageModel: goes on where it stopped | keeps_its_own_state
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.rnn = getattr(nn, kind)(dim, hidden, batch_first=True)
        self.projection = nn.Linear(hidden, dim)
        self.bias = nn.Parameter(torch.zeros(n_words))
        self.dropout = nn.Dropout(dropout)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)
        self.saved = None

    def forward(self, ids, state=None):
        if state is None:
            state = self.saved
        H, self.saved = self.rnn(self.dropout(self.embedding(ids)), state)
        Z = self.dropout(self.projection(H))
        return Z @ self.embedding.weight.T + self.bias, self.saved


# %% RecurrentLanguageModel: the given line is lost | initialization_deleted
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        kinds = {"RNN": nn.RNN, "GRU": nn.GRU, "LSTM": nn.LSTM}
        self.rnn = kinds[kind](dim, hidden, batch_first=True)
        self.projection = nn.Linear(hidden, dim)
        self.bias = nn.Parameter(torch.zeros(n_words))
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, state=None):
        H, state = self.rnn(self.dropout(self.embedding(ids)), state)
        return self.dropout(self.projection(H)) @ self.embedding.weight.T + self.bias, state


# %% RecurrentLanguageModel: dropout three times | drops_the_states_too
class RecurrentLanguageModel(nn.Module):
    def __init__(self, n_words, dim, hidden, kind="LSTM", dropout=0.0):
        super().__init__()
        self.embedding = nn.Embedding(n_words, dim)
        self.rnn = getattr(nn, kind)(dim, hidden, batch_first=True)
        self.projection = nn.Linear(hidden, dim)
        self.bias = nn.Parameter(torch.zeros(n_words))
        self.dropout = nn.Dropout(dropout)
        nn.init.uniform_(self.embedding.weight, -0.1, 0.1)

    def forward(self, ids, state=None):
        X = self.dropout(self.embedding(ids))
        H, state = self.rnn(X, state)
        Z = self.dropout(self.projection(self.dropout(H)))
        return nn.functional.linear(Z, self.embedding.weight, self.bias), state


# %% LSTMCell: the forget bias also in the bias of W
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.W, self.U = nn.Linear(dim, 4 * hidden), nn.Linear(hidden, 4 * hidden)
        with torch.no_grad():
            self.W.bias[hidden : 2 * hidden] += forget_bias
        self.forget_bias = forget_bias

    def forward(self, x, state):
        h, c = state
        i, f, g, o = (self.W(x) + self.U(h)).chunk(4, dim=-1)
        c = torch.sigmoid(f + self.forget_bias) * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


# %% sampling_probabilities: temperature 0 before the tests | zero_before_the_tests
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0:
        raise ValueError("a negative temperature")
    if temperature == 0:
        p = torch.zeros_like(logits)
        p[logits.argmax()] = 1.0
        return p
    if top_k is not None and top_k < 1:
        raise ValueError("k below 1")
    if top_p <= 0 or top_p > 1:
        raise ValueError("p outside")
    p = torch.softmax(logits / temperature, dim=-1)
    if top_k is not None:
        kept = p.topk(min(top_k, len(p))).indices
        p = torch.zeros_like(p).index_copy(0, kept, p[kept])
        p = p / p.sum()
    q, order = p.sort(descending=True)
    q[q.cumsum(0) - q >= top_p] = 0
    return torch.zeros_like(p).index_copy(0, order, q / q.sum())


# %% sampling_probabilities: keeps sums below top_p and the first word | nucleus_without_its_last_word
def sampling_probabilities(logits, temperature=1.0, top_k=None, top_p=1.0):
    if temperature < 0 or not 0 < top_p <= 1 or (top_k is not None and top_k < 1):
        raise ValueError("bad arguments")
    if temperature == 0:
        result = torch.zeros_like(logits)
        result[logits.argmax()] = 1
        return result
    p = torch.softmax(logits / temperature, dim=0)
    p, order = torch.sort(p, descending=True)
    if top_k is not None:
        p[top_k:] = 0
        p = p / p.sum()
    keep = p.cumsum(0) < top_p
    keep[0] = True
    p = p * keep
    p = p / p.sum()
    return torch.zeros_like(p).scatter(0, order, p)


# %% GRUCell: n is the first block | candidate_first
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, 3 * hidden)
        self.U = nn.Linear(hidden, 3 * hidden)

    def forward(self, x, h):
        wn, wr, wz = self.W(x).chunk(3, -1)
        un, ur, uz = self.U(h).chunk(3, -1)
        r, z = torch.sigmoid(wr + ur), torch.sigmoid(wz + uz)
        n = torch.tanh(wn + r * un)
        return (1 - z) * n + z * h


# %% ElmanCell: weight from the right | multiplies_by_U_from_the_right
class ElmanCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W = nn.Linear(dim, hidden)
        self.U = nn.Linear(hidden, hidden, bias=False)

    def forward(self, x, h):
        return torch.tanh(self.W(x) + torch.matmul(h, self.U.weight))


# %% LSTMCell: U reads the memory | gates_from_the_memory
class LSTMCell(nn.Module):
    def __init__(self, dim, hidden, forget_bias=0.0):
        super().__init__()
        self.W = nn.Linear(dim, 4 * hidden)
        self.U = nn.Linear(hidden, 4 * hidden)
        self.forget_bias = forget_bias

    def forward(self, x, state):
        h, c = state
        i, f, g, o = torch.split(self.W(x) + self.U(c), c.shape[-1], dim=-1)
        c = torch.sigmoid(f + self.forget_bias) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, c


# %% count_ngrams: for n = 1 the slice [-0:] is everything read so far | everything_before
def count_ngrams(sentences, n):
    result = {}
    for sentence in sentences:
        history = [START] * (n - 1)
        for word in [*sentence, STOP]:
            context = tuple(history[-(n - 1) :])
            if context not in result:
                result[context] = Counter()
            result[context][word] += 1
            history.append(word)
    return result


# %% count_ngrams: a moving context that is one word for n = 1, too | context_grows_for_unigrams
def count_ngrams(sentences, n):
    counts = {}
    for sentence in sentences:
        context = (START,) * (n - 1)
        for word in [*sentence, STOP]:
            counts.setdefault(context, Counter())[word] += 1
            context = context[1:] + (word,)
    return counts


# %% count_ngrams: at least one start token and one word of context | bigrams_for_unigrams
def count_ngrams(sentences, n):
    counts = {}
    m = max(n - 1, 1)
    for sentence in sentences:
        padded = [START] * m + sentence + [STOP]
        for i in range(m, len(padded)):
            counts.setdefault(tuple(padded[i - m : i]), Counter())[padded[i]] += 1
    return counts


# %% count_ngrams: at least one start token | start_among_unigrams
def count_ngrams(sentences, n):
    counts = {}
    for sentence in sentences:
        padded = [START] * max(n - 1, 1) + sentence + [STOP]
        for i in range(n - 1, len(padded)):
            counts.setdefault(tuple(padded[i - n + 1 : i]), Counter())[padded[i]] += 1
    return counts


# %% add_k_probability: the denominator of add-one for every k | vocabulary_without_k
def add_k_probability(counts, word, context, n_words, k=0.0):
    c = counts[context] if context in counts else {}
    top = c.get(word, 0) + k
    bottom = sum(c.values()) + n_words
    return top / bottom if top > 0 else 0.0


# %% add_k_probability: adds the words, not k times the words, unless k is 0 | vocabulary_without_k
def add_k_probability(counts, word, context, n_words, k=0.0):
    c = counts.get(context, {})
    total = sum(c.values())
    if k > 0:
        return (c.get(word, 0) + k) / (total + n_words)
    return c.get(word, 0) / total if total else 0.0


# %% add_k_probability: adds k and the number of words | k_plus_vocabulary
def add_k_probability(counts, word, context, n_words, k=0.0):
    c = counts.get(context, {})
    total = sum(c.values()) + k + n_words
    return (c.get(word, 0) + k) / total if total else 0.0


# %% add_k_probability: a parenthesis around the sum and k | counts_times_vocabulary
def add_k_probability(counts, word, context, n_words, k=0.0):
    c = counts.get(context, {})
    total = (sum(c.values()) + k) * n_words
    return (c.get(word, 0) + k) / total if total else 0.0


# %% add_k_probability: 1 above, k below | one_in_the_numerator
def add_k_probability(counts, word, context, n_words, k=0.0):
    c = counts.get(context, {})
    total = sum(c.values()) + k * n_words
    return (c.get(word, 0) + 1) / total if total else 0.0


# %% KneserNey: the unigrams are shares, without discount and without 1 / V | unigrams_are_shares
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n = n
        self.d = discount
        self.n_words = n_words
        self.levels = []
        for m in range(1, n + 1):
            if m == n:
                level = count_ngrams(sentences, n)
            else:
                level = {}
                for ctx, words in count_ngrams(sentences, m + 1).items():
                    level.setdefault(ctx[1:], Counter()).update(words.keys())
            self.levels.append({ctx: (c, sum(c.values())) for ctx, c in level.items()})

    def probability(self, word, context):
        unigrams, total = self.levels[0][()]
        p = unigrams[word] / total
        for order in range(2, self.n + 1):
            found = self.levels[order - 1].get(tuple(context[self.n - order :]))
            if found is not None:
                c, s = found
                p = max(c[word] - self.d, 0) / s + self.d * len(c) / s * p
        return p


# %% KneserNey: the unigrams are shares, or 1 / V where there is none | unigrams_are_shares
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n, self.n_words, self.D = n, n_words, discount
        table = count_ngrams(sentences, n)
        self.rows = dict(table)
        for _ in range(n - 1):
            lower = {}
            for ctx, f in table.items():
                for w in f:
                    lower.setdefault(ctx[1:], Counter())[w] += 1
            table = lower
            self.rows.update(table)
        self.sums = {c: sum(f.values()) for c, f in self.rows.items()}

    def probability(self, word, context):
        if not context:
            count = self.rows[()][word]
            return count / self.sums[()] if count else 1 / self.n_words
        lower = self.probability(word, context[1:])
        if context not in self.rows:
            return lower
        f, s = self.rows[context], self.sums[context]
        return max(f[word] - self.D, 0) / s + self.D * len(f) / s * lower


# %% KneserNey: 1 / V in place of the unigrams | no_unigrams
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n, self.n_words, self.D = n, n_words, discount
        table = count_ngrams(sentences, n)
        self.rows = dict(table)
        for _ in range(n - 1):
            lower = {}
            for ctx, f in table.items():
                for w in f:
                    lower.setdefault(ctx[1:], Counter())[w] += 1
            table = lower
            self.rows.update(table)
        self.sums = {c: sum(f.values()) for c, f in self.rows.items()}

    def probability(self, word, context):
        if not context:
            return 1 / self.n_words
        lower = self.probability(word, context[1:])
        if context not in self.rows:
            return lower
        f, s = self.rows[context], self.sums[context]
        return max(f[word] - self.D, 0) / s + self.D * len(f) / s * lower


# %% KneserNey: unigrams are shares of plain counts | unigrams_are_shares_of_tokens
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n, self.n_words, self.D = n, n_words, discount
        table = count_ngrams(sentences, n)
        self.rows = dict(table)
        for _ in range(n - 1):
            lower = {}
            for ctx, f in table.items():
                for w in f:
                    lower.setdefault(ctx[1:], Counter())[w] += 1
            table = lower
            self.rows.update(table)
        self.sums = {c: sum(f.values()) for c, f in self.rows.items()}
        self.unigrams = count_ngrams(sentences, 1)[()]
        self.N = sum(self.unigrams.values())

    def probability(self, word, context):
        if not context:
            return self.unigrams[word] / self.N
        lower = self.probability(word, context[1:])
        if context not in self.rows:
            return lower
        f, s = self.rows[context], self.sums[context]
        return max(f[word] - self.D, 0) / s + self.D * len(f) / s * lower


# %% KneserNey: unigrams not discounted, but with the uniform part | unigrams_not_discounted
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.n, self.n_words, self.D = n, n_words, discount
        table = count_ngrams(sentences, n)
        self.rows = dict(table)
        for _ in range(n - 1):
            lower = {}
            for ctx, f in table.items():
                for w in f:
                    lower.setdefault(ctx[1:], Counter())[w] += 1
            table = lower
            self.rows.update(table)
        self.sums = {c: sum(f.values()) for c, f in self.rows.items()}

    def probability(self, word, context):
        lower = self.probability(word, context[1:]) if context else 1 / self.n_words
        if context not in self.rows:
            return lower
        f, s = self.rows[context], self.sums[context]
        taken = self.D if context else 0
        return max(f[word] - taken, 0) / s + self.D * len(f) / s * lower


# %% count_ngrams: one start token, none for unigrams | at_most_one_start
def count_ngrams(sentences, n):
    counts = {}
    for sentence in sentences:
        tokens = ([START] if n > 1 else []) + sentence + [STOP]
        for i in range(n - 1, len(tokens)):
            counts.setdefault(tuple(tokens[i - n + 1 : i]), Counter())[tokens[i]] += 1
    return counts


# %% KneserNey: leaves out what follows a start token | starts_are_no_contexts
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.V, self.D = n_words, discount
        self.tables = []
        for m in range(2, n + 1):
            table = {}
            for context, following in count_ngrams(sentences, m).items():
                if context[0] != START:
                    for word in following:
                        table.setdefault(context[1:], Counter())[word] += 1
            self.tables.append(table)
        self.tables.append(count_ngrams(sentences, n))

    def probability(self, word, context):
        p = 1 / self.V
        for m, table in enumerate(self.tables):
            following = table.get(context[len(context) - m :])
            if following is not None:
                kept = max(following[word] - self.D, 0)
                p = (kept + self.D * len(following) * p) / sum(following.values())
        return p


# %% RecurrentLanguageModel: a tanh too many | tanh_after_the_projection
# -         Z = self.dropout(self.projection(H))
# +         Z = self.dropout(torch.tanh(self.projection(H)))


# %% RecurrentLanguageModel: scaled products | scaled_by_the_root_of_dim
# -         return nn.functional.linear(Z, self.embedding.weight, self.bias), state
# +         return Z @ self.embedding.weight.T / Z.shape[-1] ** 0.5 + self.bias, state


# %% LanguageModelTrainer: the state is an attribute | state_kept_between_epochs
class LanguageModelTrainer:
    def __init__(self, model, lr, max_norm=1.0):
        self.model, self.max_norm, self.state = model, max_norm, None
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def loss(self, x, y, state):
        logits, state = self.model(x, state)
        return nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten()), state

    def train_epoch(self, windows):
        self.model.train()
        total = n = 0
        for x, y in windows:
            self.optimizer.zero_grad()
            loss, state = self.loss(x, y, self.state)
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
            self.optimizer.step()
            self.state = detach(state)
            total, n = total + loss.item() * y.numel(), n + y.numel()
        return total / n

    @torch.no_grad()
    def evaluate(self, windows):
        self.model.eval()
        total, n, state = 0.0, 0, None
        for x, y in windows:
            loss, state = self.loss(x, y, state)
            total, n = total + loss.item() * y.numel(), n + y.numel()
        return total / n


# %% GRUCell: adds the bias afterwards | bias_not_reset
class GRUCell(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.W, self.U = nn.Linear(dim, 3 * hidden), nn.Linear(hidden, 3 * hidden)

    def forward(self, x, h):
        a_r, a_z, a_n = self.W(x).chunk(3, dim=1)
        u_r, u_z, u_n = (h @ self.U.weight.T).chunk(3, dim=1)
        b_r, b_z, b_n = self.U.bias.chunk(3)
        r, z = torch.sigmoid(a_r + u_r + b_r), torch.sigmoid(a_z + u_z + b_z)
        return (1 - z) * torch.tanh(a_n + r * u_n + b_n) + z * h


# %% sampling_probabilities: p may be 0 | zero_p_accepted
# -     if temperature < 0 or (top_k is not None and top_k < 1) or not 0 < top_p <= 1:
# +     if temperature < 0 or (top_k is not None and top_k < 1) or top_p < 0 or top_p > 1:


# %% KneserNey: passes on D itself | passes_on_the_discount_itself
class KneserNey:
    def __init__(
        self, sentences: list[list[str]], n: int, n_words: int, discount: float = 0.75
    ) -> None:
        self.n, self.n_words, self.discount = n, n_words, discount
        self.tables = [{} for _ in range(n - 1)] + [count_ngrams(sentences, n)]
        for m in range(1, n):
            for longer, following in count_ngrams(sentences, m + 1).items():
                for word in following:
                    self.tables[m - 1].setdefault(longer[1:], Counter())[word] += 1
        self.sums = [{c: sum(f.values()) for c, f in table.items()} for table in self.tables]

    def probability(self, word: str, context: tuple[str, ...]) -> float:
        p = 1 / self.n_words
        for m, (table, sums) in enumerate(zip(self.tables, self.sums), start=1):
            shorter = tuple(context[len(context) - m + 1 :])
            if shorter not in table:
                continue
            following, total = table[shorter], sums[shorter]
            p = max(following[word] - self.discount, 0) / total + self.discount * p
        return p


# %% KneserNey: counts everything in each call of probability | counts_in_every_call
class KneserNey:
    def __init__(self, sentences, n, n_words, discount=0.75):
        self.s, self.n, self.V, self.D = sentences, n, n_words, discount
    def probability(self, word, context):
        tables = [count_ngrams(self.s, self.n)]
        for m in range(self.n - 1, 0, -1):
            t = {}
            for c, f in tables[0].items():
                for x in f:
                    t.setdefault(c[1:], Counter())[x] += 1
            tables.insert(0, t)
        p = 1 / self.V
        for m, t in enumerate(tables):
            f = t.get(context[self.n - 1 - m:])
            if f:
                tot = sum(f.values())
                p = max(f[word] - self.D, 0) / tot + self.D * len(f) / tot * p
        return p


# %% gradient_norms: turns the first of the three axes around, that of the batch | order_of_the_text
def gradient_norms(cell, X, state):
    X = X.detach().clone().requires_grad_()
    H, _ = unroll(cell, X, state)
    H[:, -1].sum().backward()
    return X.grad.flip(0).norm(dim=(0, 2))
