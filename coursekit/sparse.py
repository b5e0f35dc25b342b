"""Sparse storage of many bags of words."""

from collections.abc import Iterable
from itertools import islice

import numpy as np
import torch
from scipy.sparse import csr_array, vstack


class SparseRows:
    """Rows of a matrix X, (N, D), of which `scipy.sparse` stores only the nonzero numbers.

    A bag of words has one number per word of the vocabulary, and nearly all are zero. The 67,349
    bags of SST-2 with 10,000 words each would take 2.7 GB as a tensor; this takes a few megabytes.
    `X[batch]` is an ordinary dense tensor, so a training loop that takes mini-batches works with
    both.

    Parameters
    ----------
    rows : iterable of torch.Tensor
        Dense rows, tensors of shape (D,), one at a time.

    Attributes
    ----------
    matrix : scipy.sparse.csr_array of shape (N, D)
        What scikit-learn's models take.
    """

    def __init__(self, rows: Iterable[torch.Tensor]) -> None:
        rows = iter(rows)
        blocks = iter(lambda: list(islice(rows, 100)), [])  # until there are no rows left
        dense = (torch.stack(block).float().numpy() for block in blocks)
        self.matrix = vstack([csr_array(block) for block in dense], format="csr")

    @property
    def shape(self) -> tuple[int, int]:
        """Shape (N, D) of the matrix."""
        n, d = self.matrix.shape
        return n, d

    def __len__(self) -> int:
        """Return the number of rows, N."""
        return self.shape[0]

    def __getitem__(self, rows: torch.Tensor | slice) -> torch.Tensor:
        """Return some rows as a dense tensor, float32, (B, D)."""
        chosen = rows if isinstance(rows, slice) else np.asarray(rows)
        return torch.from_numpy(self.matrix[chosen].toarray())

    def __repr__(self) -> str:
        """Return shape and memory size as text."""
        n, d = self.shape
        size = (self.matrix.data.nbytes + self.matrix.indices.nbytes) / 2**20
        share = self.matrix.nnz / (n * d)
        return f"<SparseRows: {n:,} rows of {d:,} numbers, {share:.2%} not zero, {size:.1f} MiB>"
