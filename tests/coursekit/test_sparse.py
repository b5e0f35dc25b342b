"""Bags of all texts as `SparseRows`."""

import numpy as np
import pytest
import torch

from coursekit.sparse import SparseRows

DENSE = torch.tensor([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, -0.5], [0.0, 0.0, 3.0]])


@pytest.fixture
def rows():
    return SparseRows(iter(DENSE))


def test_it_has_the_length_and_shape_of_the_dense_matrix(rows):
    assert len(rows) == 4
    assert rows.shape == (4, 3)
    assert repr(rows) == "<SparseRows: 4 rows of 3 numbers, 33.33% not zero, 0.0 MiB>"


@pytest.mark.parametrize("index", [torch.tensor([3, 0, 3]), torch.tensor([], dtype=torch.long)])
def test_a_tensor_of_indices_gives_these_rows_dense_and_in_order(rows, index):
    assert rows[index].dtype == torch.float32
    assert torch.equal(rows[index], DENSE[index])


@pytest.mark.parametrize("index", [slice(1, 3), slice(2, 100)])
def test_a_slice_gives_rows_and_may_reach_past_the_end(rows, index):
    assert torch.equal(rows[index], DENSE[index])


def test_scikit_learn_gets_the_same_matrix(rows):
    assert rows.matrix.format == "csr"
    assert rows.matrix.dtype == np.float32
    assert np.array_equal(rows.matrix.toarray(), DENSE.numpy())


def test_integer_rows_become_float32():
    assert torch.equal(SparseRows([torch.tensor([1, 0])])[:], torch.tensor([[1.0, 0.0]]))


def test_only_numbers_that_are_not_zero_are_stored():
    rows = SparseRows(torch.eye(200))
    assert rows.matrix.nnz == 200
    assert rows.matrix.indices.dtype == np.int32
