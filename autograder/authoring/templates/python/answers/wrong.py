# %% average___TOPIC__: zeros in place of what does not count, and the mean of all | counts_all
def average___TOPIC__(scores, mask):
    return sum(score if counts else 0.0 for score, counts in zip(scores, mask)) / len(scores)


# %% average___TOPIC__: no test for an empty list | divides_by_zero
def average___TOPIC__(scores, mask):
    from itertools import compress

    kept = list(compress(scores, mask))
    return sum(kept) / len(kept)
