# %% CausalBlock: norm after the addition, as in 05 | post_norm
# -         Y = self.norm_1(X)
# +         Y = X
# ...
# -         X = X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2)))
# -         new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
# -         return X + self.dropout(new), K, V
# +         Z = self.norm_1(X + self.dropout(self.W_O(found.transpose(1, 2).flatten(2))))
# +         new = self.W_2(F.gelu(self.W_1(Z), approximate="tanh"))
# +         return self.norm_2(Z + self.dropout(new)), K, V


# %% CausalBlock: a square triangle | diagonal_at_the_start
# -             mask = torch.ones(T, L, dtype=torch.bool, device=X.device).tril(L - T)
# +             mask = torch.tril(torch.ones(T, L)) == 1


# %% CausalBlock: nn.GELU as it comes | exact_gelu
# -         new = self.W_2(F.gelu(self.W_1(self.norm_2(X)), approximate="tanh"))
# +         new = self.W_2(nn.GELU()(self.W_1(self.norm_2(X))))


# %% GPT: positions always from 0 | positions_from_zero
# -         X = self.dropout(self.tokens(ids) + self.positions.weight[start:end])
# +         X = self.dropout(self.tokens(ids) + self.positions(torch.arange(ids.shape[1])))


# %% GPT: scaled like the translator | scales_the_embeddings
# -         X = self.dropout(self.tokens(ids) + self.positions.weight[start:end])
# +         scaled = self.tokens(ids) * self.tokens.weight.shape[1] ** 0.5
# +         X = self.dropout(scaled + self.positions.weight[start:end])


# %% next_token_loss: forgets the shift | not_shifted
def next_token_loss(logits, ids, counted):
    keep = counted.clone()
    if not keep.any() or keep.shape[1] < 2:
        return logits.sum() * 0
    losses = F.cross_entropy(logits.flatten(0, 1), ids.flatten(), reduction="none").view(ids.shape)
    return (losses * keep).sum() / keep.sum()


# %% next_token_loss: the mean over all positions | divides_by_all
def next_token_loss(logits, ids, counted):
    if ids.shape[1] < 2:
        return logits.sum() * 0
    losses = F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")
    return (losses * counted[:, 1:]).mean()


# %% rename_gpt2: no transposition | not_transposed
# -             found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor.mT if kind == "weight" else tensor
# +             found[f"blocks.{number}.{layers[part]}.{kind}"] = tensor
# ...
# -                 found[f"blocks.{number}.{W}.{kind}"] = piece.mT if kind == "weight" else piece
# +                 found[f"blocks.{number}.{W}.{kind}"] = piece


# %% generate: without the cache | drops_the_cache
def generate(step, prompt, n, choose, end, max_length):
    if not 1 <= len(prompt) <= max_length:
        raise ValueError("prompt")
    ids, new = torch.tensor([list(prompt)]), []
    for _ in range(min(n, max_length - len(prompt))):
        logits, _ = step(ids, None)
        token = choose(logits)
        if token == end:
            break
        new.append(token)
        ids = torch.tensor([[token]])
    return new


# %% generate: the end is kept | returns_the_end
def generate(step, prompt, n, choose, end, max_length):
    if not 1 <= len(prompt) <= max_length:
        raise ValueError("prompt")
    ids, cache, new = torch.tensor([list(prompt)]), None, []
    for _ in range(min(n, max_length - len(prompt))):
        logits, cache = step(ids, cache)
        token = choose(logits)
        new.append(token)
        if token == end:
            return new
        ids = torch.tensor([[token]])
    return new


# %% continuation_scores: multiplies by the mask | zero_times_infinity
def continuation_scores(logits, ids, counted, per_token=False):
    log_p = logits[:, :-1].log_softmax(-1).gather(2, ids[:, 1:].unsqueeze(2)).squeeze(2)
    keep = counted[:, 1:].float()
    total = (log_p * keep).sum(1)
    return total / keep.sum(1).clamp(min=1) if per_token else total


# %% verbalizer_probabilities: sums of logarithms | sums_logarithms
# -     parts = [log_p[:, members == c].logsumexp(dim=1) for c in range(max(classes) + 1)]
# +     parts = []
# +     for c in range(max(classes) + 1):
# +         parts.append(sum(log_p[:, w] for w in range(len(classes)) if classes[w] == c))


# %% calibrate: only divides | not_normalized
def calibrate(p, content_free):
    preference = content_free.mean(0)
    if (preference <= 0).any():
        raise ValueError("zero")
    return p / preference


# %% task_inputs: cuts what is too long at the end | cuts_the_sequence
# -         while sum(map(len, texts)) > max_length - len(texts) - 1:
# -             max(texts, key=len).pop()
# ...
# -         rows.append([*row, extract])
# +         rows.append((row + [extract])[:max_length])


# %% GPTClassifier: the last column | last_position
# -         last = H[torch.arange(len(H)), mask.sum(dim=1) - 1]
# +         last = H[:, mask.shape[1] - 1]


# %% transfer_blocks: startswith without a dot | first_digit
# -         transferred |= part == "blocks" and int(number) < n
# +         transferred |= part == "blocks" and int(number[:1]) < n


# %% unilm_mask: only the triangle | first_text_is_causal
# -         return real & (earlier | (position < first[:, None])[:, None])
# +         return real & torch.ones(L, L, dtype=torch.bool).tril()


# %% rouge: reports the recall | recall
# -             best = max(best, 2 * common / sum(totals))
# +             best = max(best, common / max(totals[1], 1))


# %% induction_scores: looks at the earlier token itself | the_token_itself
def induction_scores(weights, ids):
    total, n = torch.zeros(len(weights)), 0
    for t in range(len(ids)):
        earlier = [s for s in range(t) if ids[s] == ids[t]]
        if earlier:
            n += 1
            total = total + weights[:, t, earlier].sum(dim=1)
    return total / max(n, 1)
