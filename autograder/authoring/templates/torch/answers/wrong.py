# %% average___TOPIC__: the mean of what the mask leaves, padding as zeros | counts_padding
def average___TOPIC__(scores, mask):
    return scores.masked_fill(~mask, 0.0).mean(dim=1)


# %% average___TOPIC__: indexed row by row, and a text without words is NaN | divides_by_zero
def average___TOPIC__(scores, mask):
    return torch.stack([row[real].mean() for row, real in zip(scores, mask)])
