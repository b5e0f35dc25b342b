"""Tokens, vocabularies and padded batches."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from coursekit.text import Batch, TextError, Vocabulary, batches, pad_batch, tokenize

TEXTS = ["a good film", "bad", "", "a film with a good end , really", "good good", "a b c d e f"]


def small_dataset():
    return SimpleNamespace(texts=TEXTS, labels=[1, 0, 0, 1, 1, 0])


def small_vocabulary():
    return Vocabulary.build(tokenize(text) for text in TEXTS)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("This movie is GREAT!", ["this", "movie", "is", "great", "!"]),
        ("a well-made, 90-minute film", ["a", "well-made", ",", "90-minute", "film"]),
        ("don't; o'neill; rock'n'roll", ["don't", ";", "o'neill", ";", "rock'n'roll"]),
        ("It's John's; we'll see", ["it", "'s", "john", "'s", ";", "we", "'ll", "see"]),
        ("wait.... what--really", ["wait", "...", "what", "--", "really"]),
        ("3.5 of 1,000 (10/10)", ["3.5", "of", "1,000", "(", "10", "/", "10", ")"]),
        ("the dogs' tails", ["the", "dogs", "'", "tails"]),
        ("one<br /><br />two _three_", ["one", "two", "three"]),
        ("", []),
        (" \n\t ", []),
    ],
)
def test_a_text_becomes_words_and_punctuation(text, tokens):
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("written", "split"),
    [
        ("it doesn't work", "it does n't work "),
        ("I can't, you won't", "i ca n't , you wo n't "),
        ("the film's end (yet)", "the film 's end -lrb- yet -rrb- "),
        ('they\'ve "it"', "they 've `` it ''"),
        ("black/white", "black \\/ white"),
    ],
)
def test_text_that_was_tokenized_before_gives_the_same_tokens(written, split):
    assert tokenize(split) == tokenize(written)


def test_typographic_and_plain_characters_give_the_same_tokens():
    assert tokenize("“It’s fine” — isn’t it…") == tokenize("\"It's fine\" -- isn't it...")
    assert tokenize("cliche\u0301") == tokenize("cliché") == ["cliché"]
    assert tokenize("soft\u00adhyphen zero\u200bwidth") == ["softhyphen", "zerowidth"]


def test_letters_of_every_script_make_words():
    assert tokenize("Ünïcode ПРИВЕТ हिन्दी 映画") == ["ünïcode", "привет", "हिन्दी", "映画"]


def test_an_emoji_is_one_token():
    assert tokenize("good 👍🏽 ❤️ 👨‍👩‍👧!") == ["good", "👍🏽", "❤️", "👨‍👩‍👧", "!"]


def test_tokenizing_joined_tokens_changes_nothing():
    text = "She's 'not' so-so... the dogs' “İstanbul” -- it's 'god's' 1,5.2-x n't ca n't a_b!?"
    tokens = tokenize(text)
    assert tokenize(" ".join(tokens)) == tokens


def test_only_a_string_can_be_tokenized():
    with pytest.raises(TextError, match=r"one text.*list"):
        tokenize(["a", "b"])


def test_importing_text_does_not_import_torch():
    code = "import sys, coursekit.text; sys.exit('torch' in sys.modules)"
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)


def test_frequent_words_come_first_and_ties_are_alphabetical():
    vocabulary = Vocabulary.build([["b", "c", "a"], ["c", "b", "d"], ["c"]])
    assert vocabulary.words == ["<pad>", "<unk>", "c", "b", "a", "d"]
    assert vocabulary.counts == [0, 0, 3, 2, 1, 1]
    assert len(vocabulary) == 6
    assert "c" in vocabulary
    assert "z" not in vocabulary
    assert vocabulary["c"] == 2
    assert vocabulary["z"] == 1


def test_rare_words_are_left_out_and_counted_as_unknown():
    lists = [["a", "a", "b", "c", "c"]]
    assert Vocabulary.build(lists, min_count=2).words == ["<pad>", "<unk>", "a", "c"]
    limited = Vocabulary.build(lists, max_size=3)
    assert limited.words == ["<pad>", "<unk>", "a"]
    assert limited.counts == [0, 3, 2]


def test_a_text_cannot_bring_in_the_special_words():
    vocabulary = Vocabulary.build([["<pad>", "<unk>", "a"]])
    assert vocabulary.words == ["<pad>", "<unk>", "a"]
    assert vocabulary.counts == [0, 2, 1]


def test_decoding_undoes_encoding_but_for_unknown_words_and_padding():
    vocabulary = Vocabulary(["good", "film"])
    ids = vocabulary.encode(["good", "strange", "film"])
    assert ids == [2, 1, 3]
    assert vocabulary.encode([]) == []
    assert vocabulary.decode([*ids, 0, 0]) == ["good", "<unk>", "film"]
    assert vocabulary.decode(torch.tensor([2, 0]), skip_padding=False) == ["good", "<pad>"]


def test_a_saved_vocabulary_is_the_same_when_loaded(tmp_path):
    vocabulary = Vocabulary.build([["é", "映画", "a\tb", "é"]], min_count=1)
    path = vocabulary.save(tmp_path / "words.json")
    assert Vocabulary.load(path) == vocabulary
    assert "映画" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"words": ["a"]}', '{"words": ["<pad>", "<unk>", "a"], "counts": [0]}']
)
def test_a_damaged_vocabulary_file_is_named(tmp_path, content):
    path = tmp_path / "words.json"
    path.write_text(content)
    with pytest.raises(TextError, match=r"words\.json"):
        Vocabulary.load(path)


def test_a_vocabulary_file_with_wrong_counts_or_missing_is_named(tmp_path):
    path = Vocabulary(["a"]).save(tmp_path / "words.json")
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "counts": [0]}))
    with pytest.raises(TextError, match="damaged"):
        Vocabulary.load(path)
    with pytest.raises(TextError, match="No such file"):
        Vocabulary.load(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: Vocabulary.build(["a film"]), r"tokenize\(text\) first"),
        (lambda: Vocabulary(["a"]).encode("a film"), r"tokenize\(text\) first"),
        (lambda: Vocabulary(["a", "a"]), "twice"),
        (lambda: Vocabulary(["<pad>"]), "twice"),
        (lambda: Vocabulary([3]), "must be a string"),
        (lambda: Vocabulary("word"), "one string"),
        (lambda: Vocabulary(["a"], [1, 2]), "1 words but 2 counts"),
        (lambda: Vocabulary.build([["a"]], min_count=0), "min_count"),
        (lambda: Vocabulary.build([["a"]], max_size=1), "max_size"),
        (lambda: Vocabulary(["a"]).decode([7]), "7 is not a word's number"),
        (lambda: Vocabulary(["a"]).decode([[1]]), "flat list"),
    ],
)
def test_a_vocabulary_refuses_what_it_cannot_use(wrong, sentence):
    with pytest.raises(TextError, match=sentence):
        wrong()


def test_padding_is_ignored_by_the_mask():
    ids, mask = pad_batch([[5, 6, 7], [8], []])
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0], [0, 0, 0]]
    assert mask.tolist() == [[True, True, True], [True, False, False], [False, False, False]]
    assert ids.dtype == torch.int64
    assert mask.dtype == torch.bool


def test_empty_texts_alone_still_make_a_tensor_with_one_column():
    ids, mask = pad_batch([[], []])
    assert ids.tolist() == [[0], [0]]
    assert not mask.any()


def test_long_texts_are_cut():
    ids, mask = pad_batch([[5, 6, 7], (8,), torch.tensor([9, 9])], max_length=2, padding=4)
    assert ids.tolist() == [[5, 6], [8, 4], [9, 9]]
    assert mask.tolist() == [[True, True], [True, False], [True, True]]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: pad_batch([]), "empty"),
        (lambda: pad_batch([["a"]]), r"vocabulary\.encode"),
        (lambda: pad_batch([3, 4]), "lists of integers"),
        (lambda: pad_batch([[3]], max_length=0), "max_length"),
        (lambda: batches([], small_vocabulary()), "empty"),
        (lambda: batches("text", small_vocabulary()), "list of texts"),
        (lambda: batches([("a", 1)], small_vocabulary()), "list of texts"),
        (lambda: batches(["a"], small_vocabulary(), 0), "batch_size"),
        (
            lambda: batches(SimpleNamespace(texts=["a", "b"], labels=[1]), small_vocabulary()),
            "2 texts but 1 labels",
        ),
    ],
)
def test_batches_refuse_what_they_cannot_use(wrong, sentence):
    with pytest.raises(TextError, match=sentence):
        wrong()


def test_batches_in_order_keep_the_order_of_the_data_set():
    made = batches(small_dataset(), small_vocabulary(), 4, shuffle=False, max_length=3)
    assert len(made) == 2
    first, second = made
    assert isinstance(first, Batch)
    assert torch.cat([first.labels, second.labels]).tolist() == [1, 0, 0, 1, 1, 0]
    assert first.mask.sum(1).tolist() == [3, 1, 0, 3]


def test_a_shuffled_pass_holds_every_text_once_and_passes_differ():
    data = SimpleNamespace(texts=["a " * (i % 7) for i in range(40)], labels=list(range(40)))
    made = batches(data, small_vocabulary(), 4)
    passes = [[batch.labels.tolist() for batch in made] for _ in range(2)]
    assert passes[0] != passes[1]
    for order in passes:
        assert sorted(label for labels in order for label in labels) == list(range(40))


def test_texts_of_like_length_share_a_batch():
    data = SimpleNamespace(texts=["a " * (1 + i % 10) for i in range(200)], labels=[0] * 200)
    made = batches(data, small_vocabulary(), 20)
    assert all(batch.mask.all() for batch in made)


def test_the_batches_of_an_epoch_depend_on_seed_and_epoch_only():
    def order(seed, epoch):
        made = batches(small_dataset(), small_vocabulary(), 2, seed=seed)
        return [batch.ids.tolist() for batch in made(epoch)]

    torch.manual_seed(1)
    first = order(0, 3)
    torch.manual_seed(2)
    assert order(0, 3) == first
    assert any(order(seed, 3) != first for seed in range(1, 5))
    assert any(order(0, epoch) != first for epoch in range(3))


def test_batches_of_texts_alone_have_no_labels():
    (batch,) = batches(TEXTS, small_vocabulary(), 10, shuffle=False)
    assert batch.labels is None
    assert batch.ids.shape == (6, 8)


@pytest.mark.skipif(
    not os.environ.get("COURSEKIT_MIRROR"),
    reason="needs real data: set COURSEKIT_MIRROR to a folder that has SST-2",
)
def test_tokens_of_real_sentences_stay_the_same_when_joined():
    (path,) = Path(os.environ["COURSEKIT_MIRROR"]).glob("sst2*/dev.tsv")
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    for line in lines:
        tokens = tokenize(line.split("\t")[0])
        assert tokenize(" ".join(tokens)) == tokens
