# %% average___TOPIC__: zeros outside the mask
def average___TOPIC__(scores, mask):
    kept = torch.where(mask, scores, torch.zeros_like(scores))
    return kept.sum(dim=1) / mask.sum(dim=1).clamp(min=1)


# %% average___TOPIC__: text by text
def average___TOPIC__(scores, mask):
    result = []
    for row, real in zip(scores, mask):
        result.append(row[real].mean() if real.any() else torch.tensor(0.0))
    return torch.stack(result)


# %% average___TOPIC__: masked_fill, then divide where there are words
def average___TOPIC__(scores, mask):
    total = scores.masked_fill(~mask, 0.0).sum(-1)
    count = mask.sum(-1)
    return torch.where(count > 0, total / count, torch.zeros_like(total))
