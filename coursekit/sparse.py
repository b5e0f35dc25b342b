"""Many bags of words in little memory: a matrix that remembers only its nonzero numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import torch
    from scipy.sparse import csr_matrix


class SparseError(ValueError):
    """The rows do not make a matrix, or an index does not fit; one sentence says why."""


class SparseRows:
    """A matrix X of shape (N, D), built row by row, of which only nonzero numbers are kept.

    A bag of words has one number per word of the vocabulary, and nearly all are zero. Of the
    67,349 bags of SST-2 with 10,000 words each, a dense tensor would take 2.7 GB; this takes a
    few megabytes. What comes out is dense again: ``X[indices]`` is an ordinary tensor, so a
    training loop that takes mini-batches ``X[batch]`` needs no change.

    Parameters
    ----------
    rows : iterable of tensors of shape (D,)
        One dense row at a time; a generator is fine, and no row is kept.

    Attributes
    ----------
    shape : (N, D)

    Raises
    ------
    SparseError
        There is no row, or a row is not a tensor of shape (D,) with the D of the first.

    Examples
    --------
    >>> X = SparseRows(count_bag(tokens, vocabulary) for tokens in texts)  # doctest: +SKIP
    >>> X[torch.tensor([5, 0])].shape  # doctest: +SKIP
    torch.Size([2, 3000])
    """

    def __init__(self, rows: Iterable[torch.Tensor]) -> None:
        from scipy.sparse import csr_matrix

        columns: list[np.ndarray] = []
        values: list[np.ndarray] = []
        ends = [0]
        width: int | None = None
        for number, row in enumerate(rows):
            array = _dense_row(row, number)
            width = len(array) if width is None else width
            if len(array) != width:
                raise SparseError(
                    f"Row {number} holds {len(array)} numbers, but the rows before it {width}; "
                    "make all of them with the same vocabulary."
                )
            kept = np.flatnonzero(array)
            columns.append(kept.astype(np.int32))
            values.append(array[kept])
            ends.append(ends[-1] + len(kept))
        if width is None:
            raise SparseError("There is no row to build from; give at least one tensor.")
        self._matrix = csr_matrix(
            (np.concatenate(values), np.concatenate(columns), np.asarray(ends)),
            shape=(len(values), width),
        )

    @property
    def shape(self) -> tuple[int, int]:
        return self._matrix.shape

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: torch.Tensor | slice | list[int]) -> torch.Tensor:
        """The rows with these numbers, dense.

        Parameters
        ----------
        rows : integer tensor of shape (B,), list of B numbers, or slice

        Returns
        -------
        torch.Tensor
            float32, of shape (B, D).

        Raises
        ------
        SparseError
            It is something else, or there is no row with such a number.
        """
        import torch

        if not isinstance(rows, slice):
            rows = np.asarray(rows)
            if rows.ndim != 1 or (rows.size and rows.dtype.kind not in "iu"):
                raise SparseError(
                    "Ask for rows with a tensor of whole numbers, as in X[torch.tensor([3, 0])], "
                    "or with a slice, as in X[:100]."
                )
            rows = rows.astype(np.int64)
        try:
            return torch.from_numpy(self._matrix[rows].toarray())
        except IndexError:
            raise SparseError(
                f"There are {len(self)} rows, numbered 0 to {len(self) - 1}; "
                f"{int(rows[np.abs(rows).argmax()])} is none of them."
            ) from None

    def to_scipy(self) -> csr_matrix:
        """The same matrix as scikit-learn's models take it: a copy, CSR, float32."""
        return self._matrix.copy()

    def __repr__(self) -> str:
        n, d = self.shape
        share = self._matrix.nnz / max(1, n * d)
        size = sum(a.nbytes for a in (self._matrix.data, self._matrix.indices)) / 2**20
        return f"<SparseRows: {n:,} rows of {d:,} numbers, {share:.2%} not zero, {size:.1f} MiB>"


def _dense_row(row: Any, number: int) -> np.ndarray:
    """The row as an array, or one sentence about what it is instead."""
    if not hasattr(row, "detach"):
        raise SparseError(
            f"Row {number} is of type {type(row).__name__}, not a tensor; "
            "a bag of words is a tensor of shape (D,)."
        )
    if row.ndim != 1:
        raise SparseError(f"Row {number} has the shape {tuple(row.shape)} instead of (D,).")
    return row.detach().cpu().numpy().astype(np.float32, copy=False)
