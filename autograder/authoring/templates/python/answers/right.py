# %% average___TOPIC__: products with the mask
def average___TOPIC__(scores, mask):
    total = sum(score * counts for score, counts in zip(scores, mask))
    return total / max(1, sum(mask))


# %% average___TOPIC__: compress and fmean
def average___TOPIC__(scores, mask):
    from itertools import compress
    from statistics import fmean

    kept = list(compress(scores, mask))
    return fmean(kept) if kept else 0.0


# %% average___TOPIC__: early return and positions
def average___TOPIC__(scores, mask):
    places = [i for i in range(len(scores)) if mask[i]]
    if not places:
        return 0.0
    return sum(scores[i] for i in places) / len(places)
