"""From raw text to padded batches: `tokenize`, `Vocabulary`, `pad_batch`, `batches`.

Importing this package does not import torch; only the functions that make tensors do.
"""

from coursekit.text.batching import Batch, Batches, batches, pad_batch
from coursekit.text.errors import TextError
from coursekit.text.tokens import tokenize
from coursekit.text.vocabulary import PADDING, UNKNOWN, Vocabulary

__all__ = [
    "PADDING",
    "UNKNOWN",
    "Batch",
    "Batches",
    "TextError",
    "Vocabulary",
    "batches",
    "pad_batch",
    "tokenize",
]
