"""Bags of all texts as `SparseRows`."""

import numpy as np
import pytest
import torch

from coursekit.sparse import SparseError, SparseRows

DENSE = torch.tensor([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, -0.5], [0.0, 0.0, 3.0]])


@pytest.fixture
def rows():
    return SparseRows(iter(DENSE))


def test_it_has_the_length_and_shape_of_the_dense_matrix(rows):
    assert len(rows) == 4
    assert rows.shape == (4, 3)
    assert rows.shape[1] == DENSE.shape[1]


def test_a_tensor_of_indices_gives_these_rows_dense_and_in_order(rows):
    chosen = rows[torch.tensor([3, 0, 3])]
    assert chosen.dtype == torch.float32
    assert torch.equal(chosen, DENSE[[3, 0, 3]])


@pytest.mark.parametrize("index", [[2, 1], np.array([2, 1])])
def test_lists_and_arrays_of_indices_work_too(rows, index):
    assert torch.equal(rows[index], DENSE[[2, 1]])


def test_a_slice_gives_rows_and_may_reach_past_the_end(rows):
    assert torch.equal(rows[1:3], DENSE[1:3])
    assert torch.equal(rows[2:100], DENSE[2:])


def test_no_index_gives_no_row(rows):
    assert rows[torch.tensor([], dtype=torch.long)].shape == (0, 3)
    assert rows[[]].shape == (0, 3)


def test_what_comes_out_can_be_changed_without_changing_the_rows(rows):
    rows[:].zero_()
    rows.to_scipy().data[:] = 0
    assert torch.equal(rows[:], DENSE)


def test_scipy_gets_the_same_matrix(rows):
    matrix = rows.to_scipy()
    assert matrix.format == "csr"
    assert matrix.dtype == np.float32
    assert np.array_equal(matrix.toarray(), DENSE.numpy())


def test_a_training_step_is_the_same_as_on_the_dense_matrix(rows):
    w, batch = torch.tensor([0.5, -1.0, 2.0]), torch.tensor([2, 0])
    assert torch.equal(rows[batch] @ w, DENSE[batch] @ w)


def test_rows_of_other_numbers_and_with_gradients_become_float32():
    rows = SparseRows([torch.tensor([1, 0]), torch.ones(2, dtype=torch.float64).requires_grad_()])
    assert torch.equal(rows[:], torch.tensor([[1.0, 0.0], [1.0, 1.0]]))


def test_a_generator_is_read_once_and_no_row_is_kept():
    rows = SparseRows(torch.eye(2_000)[i] for i in range(2_000))
    assert "2,000 rows of 2,000 numbers, 0.05% not zero, 0.0 MiB" in repr(rows)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "no row"),
        ([torch.zeros(3), torch.zeros(2)], "Row 1 holds 2 numbers, but the rows before it 3"),
        ([torch.zeros(1, 3)], r"Row 0 has the shape \(1, 3\)"),
        ([torch.tensor(1.0)], r"shape \(\)"),
        ([[0.0, 1.0]], "Row 0 is of type list"),
        ([None], "NoneType"),
    ],
)
def test_rows_that_make_no_matrix_are_refused_in_one_sentence(given, message):
    with pytest.raises(SparseError, match=message):
        SparseRows(given)


@pytest.mark.parametrize(
    ("index", "message"),
    [
        (torch.tensor([0.5]), "whole numbers"),
        (torch.tensor([[0, 1]]), "whole numbers"),
        (torch.tensor([True, False, True, False]), "whole numbers"),
        (0, "slice"),
        ("all", "whole numbers"),
        (torch.tensor([1, 4]), "There are 4 rows, numbered 0 to 3; 4 is none of them"),
    ],
)
def test_an_index_that_fits_no_row_is_refused_in_one_sentence(rows, index, message):
    with pytest.raises(SparseError, match=message):
        rows[index]
