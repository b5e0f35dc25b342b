# %% [markdown]
# # __NUMBER__ __TITLE__
#
# [![Open in Colab]()]()
#
# **Goal.** One sentence: what a student can do at the end.
# **You will build** one small function.
#
# **Time** about 10 minutes: 5 for the exercise, the rest for reading.
#
# *Course text: CC BY 4.0.*
# %%
# Set-up
# %%
from coursekit import check


# %% [markdown]
# ## 1. Averaging what counts
#
# *about 5 minutes · easy*
#
# A list of scores comes with a mask, which says for each score whether it counts. For the scores
# `[2.0, 4.0, 0.0]` with the mask `[True, True, False]` the average is 3, not 2: the last score does
# not count.
#
# Write `average___TOPIC__(scores, mask)`. Both are lists of one length; the result is a number. If
# no score counts, the average is 0.
# %%
def average___TOPIC__(scores: list[float], mask: list[bool]) -> float:
    """The average of the scores for which mask is True; 0.0 if there is none."""
    ### BEGIN SOLUTION: the average of the scores that count
    kept = [score for score, counts in zip(scores, mask) if counts]
    return sum(kept) / len(kept) if kept else 0.0
    ### END SOLUTION


# %%
check(average___TOPIC__)
# %% [nbval-check-output]
average___TOPIC__([2.0, 4.0, 0.0], [True, True, False])
# %% [markdown]
# Before you run the next cell, guess: is its average larger or smaller?
# %% [nbval-check-output]
# without the mask
sum([2.0, 4.0, 0.0]) / 3
# %% [markdown]
# The last score pulls the average down.
#
# If no score counts:
# %% [nbval-check-output]
average___TOPIC__([2.0, 4.0], [False, False])
# %% [markdown]
# **What came out.** Say here what the exercise showed, and what still does not work.
