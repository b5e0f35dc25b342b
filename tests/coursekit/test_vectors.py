"""Word vectors: kept in a file, loaded by name, and damaged files refused in one sentence."""

import json

import pytest
import torch
from safetensors.torch import save_file

from coursekit import WordVectors, load_vectors
from coursekit.data import DamagedFile, DataError, UnknownName
from coursekit.vectors import names


@pytest.fixture
def vectors():
    matrix = torch.arange(6.0).reshape(3, 2)
    return WordVectors(["king", "queen", "größer"], matrix, {"text": "a test"})


def test_saved_vectors_come_back_with_words_numbers_and_what_is_said_about_them(vectors, tmp_path):
    vectors.save(tmp_path / "mine.safetensors")
    again = load_vectors(tmp_path / "mine.safetensors")
    assert again.words == vectors.words
    assert torch.equal(again.matrix, vectors.matrix)
    assert again.about == {"text": "a test"}


def test_half_precision_halves_the_file_and_is_widened_when_loaded(tmp_path):
    matrix = torch.randn(500, 20)
    large = WordVectors([f"w{i}" for i in range(500)], matrix)
    large.save(tmp_path / "full.safetensors")
    large.save(tmp_path / "half.safetensors", half=True)
    sizes = [(tmp_path / f"{n}.safetensors").stat().st_size for n in ("full", "half")]
    assert sizes[0] - sizes[1] == 500 * 20 * 2
    again = load_vectors(tmp_path / "half.safetensors")
    assert again.matrix.dtype == torch.float32
    assert torch.allclose(again.matrix, matrix, atol=2e-3)


def test_a_word_gives_its_vector_and_an_unknown_one_a_sentence(vectors):
    assert torch.equal(vectors["queen"], torch.tensor([2.0, 3.0]))
    assert "queen" in vectors
    assert "prince" not in vectors
    with pytest.raises(DataError, match="no vector for 'prince'"):
        vectors["prince"]


@pytest.mark.parametrize(
    ("words", "shape", "sentence"),
    [
        (["a", "b"], (3, 2), "2 words need a matrix with 2 rows"),
        (["a", "a"], (2, 2), "'a' is repeated"),
        (["a"], (1,), "need a matrix"),
    ],
)
def test_words_and_rows_must_fit(words, shape, sentence):
    with pytest.raises(DataError, match=sentence):
        WordVectors(words, torch.zeros(shape))


@pytest.mark.parametrize("name", names())
def test_the_shipped_vectors_load_by_name_and_are_numbers(name):
    vectors = load_vectors(name)
    assert len(vectors) > 4000
    assert vectors.matrix.shape == (len(vectors), 100)
    assert vectors.matrix.isfinite().all()


def test_an_unknown_name_is_answered_with_the_names_there_are():
    with pytest.raises(UnknownName, match="Did you mean 'almanac'"):
        load_vectors("almanach")


def damage(path, kind):
    if kind == "cut":
        path.write_bytes(path.read_bytes()[:-3])
    elif kind == "no safetensors":
        path.write_text("king 0.1 0.2")
    elif kind == "other tensors":
        save_file({"weight": torch.zeros(2, 2)}, path)
    elif kind == "words that are no list":
        save_file({"vectors": torch.zeros(2, 2)}, path, metadata={"words": json.dumps("ab")})
    elif kind == "words that are no JSON":
        save_file({"vectors": torch.zeros(2, 2)}, path, metadata={"words": "["})


@pytest.mark.parametrize(
    "kind",
    ["cut", "no safetensors", "other tensors", "words that are no list", "words that are no JSON"],
)
def test_a_damaged_or_foreign_file_is_refused_in_one_sentence(vectors, tmp_path, kind):
    path = tmp_path / "mine.safetensors"
    vectors.save(path)
    damage(path, kind)
    with pytest.raises(DamagedFile, match=r"mine\.safetensors"):
        load_vectors(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match="There is no file"):
        load_vectors(tmp_path / "mine.safetensors")


def test_a_folder_that_cannot_be_written_is_named(vectors):
    with pytest.raises(DataError, match="cannot be written"):
        vectors.save("/proc/nothing/mine.safetensors")
