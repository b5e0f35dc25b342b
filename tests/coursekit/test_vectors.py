"""Word vectors: kept in a file, loaded by name, and damaged files refused in one sentence."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from scipy.sparse import csr_array

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


def test_words_and_numpy_matrix_of_gensim_are_taken_and_the_matrix_is_not_shared():
    vectors = np.arange(4, dtype=np.float64).reshape(2, 2)
    mine = WordVectors(np.array(["a", "b"]), vectors)
    vectors[0] = 9
    assert mine["a"].tolist() == [0.0, 1.0]
    assert [type(word) for word in mine] == [str, str]
    assert WordVectors(["a"], [[1, 2]])["a"].dtype == torch.float32


@pytest.mark.parametrize(
    "matrix",
    [
        torch.eye(2, requires_grad=True),
        torch.nn.Embedding.from_pretrained(torch.eye(2)).weight,
        torch.eye(2).to_sparse(),
        csr_array(np.eye(2)),
        [torch.tensor([1.0, 0.0], requires_grad=True), torch.tensor([0.0, 1.0])],
    ],
)
def test_numbers_are_taken_from_any_kind_of_matrix(matrix):
    read = WordVectors(["a", "b"], matrix)
    assert torch.equal(read.matrix, torch.eye(2))
    assert not read.matrix.requires_grad


def test_several_words_give_a_matrix(vectors):
    for words in (["queen", "king"], ("queen", "king"), np.array(["queen", "king"])):
        assert torch.equal(vectors[words], torch.tensor([[2.0, 3.0], [0.0, 1.0]]))
    assert vectors[["queen"]].shape == (1, 2)
    assert vectors[[]].shape == (0, 2)
    for words in (["king", "prince"], ["king", ["queen"]], [["king"]]):
        with pytest.raises(DataError, match="no vector for"):
            vectors[words]
    with pytest.raises(DataError, match="a word or a list of words"):
        vectors[3]


def test_going_through_vectors_gives_the_words(vectors):
    assert list(vectors) == ["king", "queen", "größer"]


@pytest.mark.parametrize(
    ("words", "matrix", "about", "sentence"),
    [
        (["a"], [["x"]], {}, "matrix of numbers"),
        (["a", "b"], [[1.0], [1.0, 2.0]], {}, "rows of different lengths"),
        (["a"], None, {}, "need a matrix|matrix of numbers"),
        ([1], [[1.0]], {}, "1 is a int"),
        (["a"], [[1.0]], {"words": "x"}, "fact called"),
    ],
)
def test_what_are_no_vectors_is_refused_in_one_sentence(words, matrix, about, sentence):
    with pytest.raises(DataError, match=sentence):
        WordVectors(words, matrix, about)


def test_facts_of_any_type_are_stored_as_text(tmp_path):
    WordVectors(["a"], torch.ones(1, 2), {"dim": 300}).save(tmp_path / "x.safetensors")
    assert load_vectors(tmp_path / "x.safetensors").about == {"dim": "300"}


@pytest.mark.parametrize(
    ("word", "name", "number", "sentence"),
    [
        ("\ud800", "x.safetensors", 1.0, "no valid text"),
        ("a", "x.pt", 1.0, "must end in .safetensors"),
        ("a", "x.safetensors", 1e5, "too large for 16 bits"),
    ],
)
def test_what_could_not_be_loaded_again_is_not_saved(tmp_path, word, name, number, sentence):
    with pytest.raises(DataError, match=sentence):
        WordVectors([word], [[number]]).save(tmp_path / name, half=True)
    assert list(tmp_path.iterdir()) == []


TEXTS = {
    "word2vec.txt": "3 2\nking 1 0.5\nnew york -2e-1 3\nking 7 7\n",
    "glove.txt": "king 1 0.5\nnew york -2e-1 3\n",
    "windows.vec": "2 2\r\nking 1 0.5 \r\nnew york -0.2 3 \r\n",
    "notepad.txt": "\ufeffking 1 0.5\nnew york -0.2 3\n",
    "notepad.vec": "\ufeff2 2\nking 1 0.5\nnew york -0.2 3\n",
    "tabs.txt": "2\t2\nking\t1\t0.5\nnew york\t-0.2\t3\n",
    "both.txt": "king\t1 0.5\nnew york\t-0.2 3\n",
    "LARGE.TXT": "king 1 0.5\nnew york -0.2 3\n",
    "LARGE.VEC": "2 2\nking 1 0.5\nnew york -0.2 3\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_of_word2vec_fasttext_or_glove_is_read(tmp_path, name):
    (tmp_path / name).write_bytes(TEXTS[name].encode())
    read = load_vectors(tmp_path / name)
    assert read.words == ["king", "new york"]
    assert torch.allclose(read.matrix, torch.tensor([[1, 0.5], [-0.2, 3]]))


@pytest.mark.parametrize("kind", ["<f4", "<f8"])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_binary_file_of_word2vec_is_read(tmp_path, end, kind):
    numbers = np.array([[1, 0.5], [-0.2, 3]], kind)
    rows = [word.encode() + b" " + row.tobytes() for word, row in zip(("é", "b"), numbers)]
    (tmp_path / "x.bin").write_bytes(b"2 2\n" + end.join(rows) + end)
    read = load_vectors(tmp_path / "x.bin")
    assert read.words == ["é", "b"]
    assert torch.equal(read.matrix, torch.from_numpy(numbers).float())


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("x.txt", b"king 1 x\n", "Line 1 .* no number"),
        ("x.txt", b"2 3\nking 1 2 3\nqueen 1\n", "Line 3"),
        ("x.txt", b"", "no vectors"),
        ("x.vec", b"\xff\xfe 1 2\n", "UTF-8"),
        ("x.bin", b"2 2\na 12345678", "ends after 1 of 2 words"),
        ("x.txt", b"5 2\nking 1 2\nqueen 1 2\n", "says 5 words, but 2 follow"),
        ("x.txt", b"1 2\nking 1 2\nqueen 1 2\n", "says 1 words, but 2 follow"),
        ("x.txt", b"2 1\nking 1 2\nqueen 1 2\n", "says 1 numbers for each word, but there are"),
        ("x.txt", b"2 5\nking 1 2\nqueen 1 2\n", "5 numbers, as its first line says"),
        ("x.bin", b"1 1\na 1234b 1234", "more in it than 1 words"),
        ("x.bin", b"\xba\x16O/\x0c", "not a binary file of word2vec"),
        ("x.kv", b"pickle", "kv.index_to_key"),
        ("x.txt.gz", b"packed", "is packed; unpack it"),
        ("x.ZIP", b"packed", "is packed; unpack it"),
    ],
)
def test_what_is_wrong_with_a_file_of_another_program_is_said(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=sentence):
        load_vectors(tmp_path / name)
