"""Padded batches: texts of different lengths in one tensor, with a mask of the real tokens."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from coursekit.forbidden import require_allowed
from coursekit.text.errors import TextError
from coursekit.text.tokens import tokenize
from coursekit.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    import torch

# How many batches are sorted by length together: enough to save most of the padding, few enough
# that a batch does not always hold the same texts.
_POOL = 50


class Batch(NamedTuple):
    """Several texts as tensors.

    Attributes
    ----------
    ids : LongTensor of shape (B, L)
        Word numbers, 0 where a text has ended.
    mask : BoolTensor of shape (B, L)
        True at real tokens, False at padding.
    labels : LongTensor of shape (B,), or None
        One class per text; None for texts without labels.
    """

    ids: "torch.Tensor"
    mask: "torch.Tensor"
    labels: "torch.Tensor | None" = None


def pad_batch(
    id_lists: Sequence[Sequence[int]], max_length: int | None = None, padding: int = 0
) -> tuple["torch.Tensor", "torch.Tensor"]:
    """Put texts of different lengths into one tensor.

    Parameters
    ----------
    id_lists : sequence of sequence of int
        B lists of word numbers; a list may be empty.
    max_length : int, optional
        Cut longer texts to their first `max_length` tokens.
    padding : int
        The number that fills the positions after the end of a text.

    Returns
    -------
    ids : LongTensor of shape (B, L)
        L is the longest length, and at least 1, so that a batch of empty texts is still a tensor
        that models can read.
    mask : BoolTensor of shape (B, L)
        True at real tokens. The row of an empty text is False everywhere.

    Raises
    ------
    TextError
        If there is no text, or one is not a flat list of integers.
    """
    require_allowed("coursekit.text.pad_batch")
    import torch

    _check_max_length(max_length)
    if len(id_lists) == 0:
        raise TextError("pad_batch needs at least one text, but the batch is empty.")
    rows: list[list[int]] = []
    for position, row in enumerate(id_lists):
        row = row.tolist() if hasattr(row, "tolist") else row
        if not isinstance(row, (list, tuple)) or any(type(number) is not int for number in row):
            raise TextError(
                f"pad_batch needs lists of integers, but text {position} is {str(row)[:40]!r}; "
                "use vocabulary.encode(tokens) first."
            )
        rows.append(list(row[:max_length]))
    longest = max(1, *(len(row) for row in rows))
    lengths = torch.tensor([len(row) for row in rows])
    ids = torch.tensor([row + [padding] * (longest - len(row)) for row in rows], dtype=torch.long)
    mask = torch.arange(longest)[None, :] < lengths[:, None]
    return ids, mask


class Batches:
    """Padded batches of a data set, to be gone through as often as needed.

    Each pass in a `for` loop shuffles anew; calling it with a number gives the batches of that
    epoch and nothing else counts, which is what `fit` does, so that training twice with the same
    seed sees the same batches. Make one with `batches`.
    """

    def __init__(
        self,
        id_lists: list[list[int]],
        labels: list[int] | None,
        batch_size: int,
        shuffle: bool,
        seed: int,
    ) -> None:
        self.id_lists = id_lists
        self.labels = labels
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.seed = seed
        self._passes = 0

    def __len__(self) -> int:
        """Count the batches of one pass."""
        return -(-len(self.id_lists) // self.batch_size)

    def __iter__(self) -> Iterator[Batch]:
        """Iterate over the batches of the next epoch."""
        self._passes += 1
        return self(self._passes - 1)

    def __call__(self, epoch: int) -> Iterator[Batch]:
        """Return the batches of one epoch, counted from 0; the same number gives the same ones."""
        import torch

        for chosen in self._order(epoch):
            ids, mask = pad_batch([self.id_lists[i] for i in chosen])
            labels = None
            if self.labels is not None:
                labels = torch.tensor([self.labels[i] for i in chosen])
            yield Batch(ids, mask, labels)

    def __repr__(self) -> str:
        """Return the numbers of texts and batches as text."""
        order = "shuffled" if self.shuffle else "in order"
        return f"Batches({len(self.id_lists):,} texts in {len(self):,} batches, {order})"

    def in_order(self) -> "Batches":
        """Return the same texts in the order of the data set, as a prediction needs them."""
        return Batches(self.id_lists, self.labels, self.batch_size, False, self.seed)

    def _order(self, epoch: int) -> list[list[int]]:
        """Return the texts of each batch; those of like length share one, to pad little."""
        n, size = len(self.id_lists), self.batch_size
        order = list(range(n))
        if self.shuffle:
            # Its own generator: what else draws random numbers in the notebook changes nothing.
            draw = random.Random(f"{self.seed} {epoch}")
            draw.shuffle(order)
            for start in range(0, n, size * _POOL):
                pool = order[start : start + size * _POOL]
                order[start : start + size * _POOL] = sorted(
                    pool, key=lambda i: len(self.id_lists[i])
                )
        chunks = [order[start : start + size] for start in range(0, n, size)]
        if self.shuffle:
            draw.shuffle(chunks)
        return chunks


def batches(
    dataset: Any,
    vocabulary: Vocabulary,
    batch_size: int = 32,
    *,
    max_length: int | None = None,
    shuffle: bool = True,
    seed: int = 0,
    tokenizer: Callable[[str], list[str]] = tokenize,
) -> Batches:
    """Cut a data set into padded batches with masks and labels.

    Parameters
    ----------
    dataset : object
        What `coursekit.data.load` returns, or anything with `texts` and `labels`; or a list of
        texts, which gives batches without labels.
    vocabulary : Vocabulary
        Numbers the words. Use the training texts' vocabulary for every split.
    batch_size : int
        Texts per batch; the last one may be smaller.
    max_length : int, optional
        Cut longer texts to their first `max_length` tokens.
    shuffle : bool
        True, for training: a new order every epoch, and texts of like length together, which
        saves padding. False, for predicting: the order of the data set.
    seed : int
        The same seed gives the same batches on every machine.
    tokenizer : callable
        Splits a text into tokens; it must be the one the vocabulary was built with.

    Returns
    -------
    Batches
        Iterate over it for `Batch(ids, mask, labels)`, or hand it to `fit`.

    Raises
    ------
    TextError
        If the data set is empty or has another form, or lengths differ.
    """
    if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size < 1:
        raise TextError(f"batch_size must be a positive integer, but is {batch_size!r}.")
    _check_max_length(max_length)
    texts = getattr(dataset, "texts", dataset)
    labels = getattr(dataset, "labels", None)
    if isinstance(texts, str) or not all(isinstance(text, str) for text in texts):
        raise TextError(
            "batches needs a data set with texts and labels, as coursekit.data.load gives it, "
            "or a list of texts."
        )
    if len(texts) == 0:
        raise TextError("The data set is empty, so there are no batches to make.")
    if labels is not None:
        labels = [int(label) for label in labels]
        if len(labels) != len(texts):
            raise TextError(f"There are {len(texts)} texts but {len(labels)} labels.")
    id_lists = [vocabulary.encode(tokenizer(text))[:max_length] for text in texts]
    return Batches(id_lists, labels, batch_size, shuffle, seed)


def _check_max_length(max_length: int | None) -> None:
    """Refuse a maximum length that is not a positive integer."""
    if max_length is not None and max_length < 1:
        raise TextError(f"max_length must be 1 or more, but is {max_length}.")
