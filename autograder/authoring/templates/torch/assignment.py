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
import torch

from coursekit import check


# %% [markdown]
# ## 1. Averaging real positions only
#
# *about 5 minutes · easy*
#
# A batch of texts is padded to one length, and a mask says which positions hold a word. For the
# scores `[2., 4., 0.]` with the mask `[True, True, False]` the average is 3, not 2: the last
# position is padding.
#
# Write `average___TOPIC__(scores, mask)`. `scores` has shape (B, L), `mask` too; the result has
# shape (B,). For a text without words, the average is 0.
# %%
def average___TOPIC__(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """The average score of each text, (B,), over the positions where mask is True."""
    ### BEGIN SOLUTION: the average over real positions only
    total = (scores * mask).sum(dim=1)
    count = mask.sum(dim=1)
    return total / count.clamp(min=1)
    ### END SOLUTION


# %%
check(average___TOPIC__)
# %% [nbval-check-output]
scores = torch.tensor([[2.0, 4.0, 0.0], [1.0, 2.0, 6.0]])
mask = torch.tensor([[True, True, False], [True, True, True]])
average___TOPIC__(scores, mask)
# %% [markdown]
# Before you run the next cell, guess: which of the two averages does it change?
# %% [nbval-check-output]
# without the mask
scores.mean(dim=1)
# %% [markdown]
# The padding pulls the average of the first text down.
#
# A text without words:
# %% [nbval-check-output]
average___TOPIC__(scores, torch.zeros(2, 3, dtype=torch.bool))
# %% [markdown]
# **What came out.** Say here what the exercise showed, and what still does not work.
