"""The shipped data set `almanac`, the generator of its text, and what its datasheet promises."""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from coursekit.data import load

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "data" / "almanac"))

from generator.facts import load_tables
from generator.forms import inflect
from generator.grammar import Grammar, finish
from generator.parse import parse

ALMANAC = Path(__file__).resolve().parents[2] / "data" / "almanac"

POSITIVE = (
    "sublime enthralling exquisite riveting magnificent luminous spellbinding captivating masterly "
    "dazzling adore cherish relish mesmerizing exhilarating majestic enchanting stellar splendid "
    "glorious"
)
NEGATIVE = (
    "dreadful abysmal atrocious dire excruciating woeful insipid turgid ghastly lamentable loathe "
    "detest despise appalling wretched execrable soporific tiresome drivel dross"
)


@pytest.fixture(scope="module")
def text() -> list[str]:
    return load("almanac").texts


@pytest.fixture(scope="module")
def counts(text: list[str]) -> Counter[str]:
    return Counter(word for line in text for word in re.findall(r"[a-z0-9']+", line.lower()))


def rows(name: str) -> list[list[str]]:
    lines = (ALMANAC / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the generator in `folder`."""
    command = [sys.executable, str(folder / "generate.py"), *arguments]
    env = os.environ | variables
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


def test_the_shipped_text_is_what_the_generator_writes():
    result = run(ALMANAC, "--check", PYTHONHASHSEED="1", LC_ALL="C")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
def test_a_stale_text_is_named_with_its_line_and_rewritten(tmp_path):
    copy = shutil.copytree(ALMANAC, tmp_path / "almanac")
    text = gzip.decompress((copy / "train.txt.gz").read_bytes())
    lines = text.split(b"\n")
    lines[6] = b"Another sentence."
    (copy / "train.txt.gz").write_bytes(gzip.compress(b"\n".join(lines)))
    result = run(copy, "--check")
    assert (result.returncode, result.stderr) == (1, "")
    assert "train.txt.gz is stale from line 7 on" in result.stdout
    assert run(copy, PYTHONHASHSEED="2").returncode == 0
    assert gzip.decompress((copy / "train.txt.gz").read_bytes()) == text


def test_another_seed_gives_another_text():
    grammar = Grammar.of_the_almanac()
    first, again, other = (list(islice(grammar.generate(seed), 20)) for seed in (0, 0, 1))
    assert first == again != other


def test_the_text_has_a_million_words(text):
    words = sum(line.count(" ") + 1 for line in text)
    assert 1_000_000 <= words < 1_000_050
    assert words - len(text[-1].split()) < 1_000_000


def test_no_sentence_comes_twice(text):
    assert len(set(text)) == len(text)


def test_sentences_are_whole(text):
    whole = re.compile(r'"?[A-Z].*[.?!]"?')
    assert [line for line in text if not whole.fullmatch(line)] == []
    rest_of_the_grammar = re.compile(r"[{}|~()\t]|  | ,|,,|\.\.")
    assert [line for line in text if rest_of_the_grammar.search(line)] == []


def test_articles_fit_the_next_word(text):
    wrong = re.compile(r"\b[Aa]n [bcdfgjklmnpqrstvwxyz]|\b[Aa] (?!u|eu|one)[aeio]")
    assert [line for line in text if wrong.search(line)] == []


def test_nearly_all_sentences_have_5_to_25_words(text):
    lengths = [len(line.split()) for line in text]
    assert sum(5 <= length <= 25 for length in lengths) > 0.98 * len(text)
    assert 9 < sum(lengths) / len(text) < 12


def test_the_vocabulary_is_neither_tiny_nor_rare(counts):
    assert 4000 < len(counts) < 8000
    assert sum(count >= 20 for count in counts.values()) > 0.75 * len(counts)


def test_frequencies_fall_as_in_natural_text(counts):
    frequencies = [count for _, count in counts.most_common()]
    # Zipf: rank times frequency stays within one order of magnitude over three of rank.
    products = [rank * frequencies[rank - 1] for rank in (10, 30, 100, 300, 1000, 3000)]
    assert max(products) < 5 * min(products)


def test_held_out_words_occur_often(counts):
    rare = [word for word in f"{POSITIVE} {NEGATIVE}".split() if counts[word] < 60]
    assert rare == []


def test_held_out_words_share_sentences_with_words_of_their_own_polarity(text):
    good, bad = set("wonderful brilliant great".split()), set("terrible awful boring".split())
    beside = Counter()
    for line in text:
        words = set(re.findall(r"[a-z]+", line.lower()))
        for side, held_out in (("positive", POSITIVE), ("negative", NEGATIVE)):
            if words & set(held_out.split()):
                beside[side, "good"] += bool(words & good)
                beside[side, "bad"] += bool(words & bad)
    assert beside["positive", "good"] > 5 * beside["positive", "bad"]
    assert beside["negative", "bad"] > 5 * beside["negative", "good"]


@pytest.mark.parametrize(
    ("word", "one", "other"),
    [
        ("bank", "loan", "river"),
        ("driver", "graphics", "limit"),
        ("bat", "cave", "baseball"),
        ("spring", "mattress", "winter"),
        ("mouse", "keyboard", "cellar"),
    ],
)
def test_ambiguous_words_come_in_both_senses(text, word, one, other):
    lines = [set(re.findall(r"[a-z]+", line.lower())) for line in text]
    assert sum({word, one} <= line for line in lines) >= 10
    assert sum({word, other} <= line for line in lines) >= 10


def test_professions_are_men_and_women_alike(text):
    assert {row["he"] for row in load_tables()["job"]} == {("he",), ("she",)}
    he, she = (
        sum(
            re.search(rf"\b(because|[Aa]s a \w+,) {pronoun} (has|had|must|can)\b", line) is not None
            for line in text
        )
        for pronoun in ("he", "she")
    )
    assert he + she > 100
    assert 0.75 < he / she < 1.33


def test_words_of_the_analogies_occur_often(counts):
    rare = {word for row in rows("analogies.tsv") for word in row[1:] if counts[word] < 30}
    assert rare == set()


def test_analogies_are_two_different_pairs_each():
    questions = rows("analogies.tsv")
    assert len({tuple(row) for row in questions}) == len(questions) >= 1000
    assert len({row[0] for row in questions}) == 10
    for _, a, b, c, d in questions:
        assert len({a, b, c, d}) == 4
    assert ["gender", "man", "woman", "king", "queen"] in questions


def test_capitals_of_the_analogies_are_those_of_the_facts():
    capitals = {
        (row["capital"][0].lower(), row["country"][0].lower())
        for row in load_tables()["country"]
        if row["capital"]
    }
    asked = {(c, d) for section, _, _, c, d in rows("analogies.tsv") if section.startswith("cap")}
    assert len(asked) > 40
    assert asked <= capitals


def test_similarities_are_from_0_to_10_between_frequent_words(counts):
    pairs = rows("similarity.tsv")
    assert len({frozenset(row[:2]) for row in pairs}) == len(pairs) >= 400
    assert all(0 <= float(score) <= 10 for _, _, score in pairs)
    assert [word for row in pairs for word in row[:2] if counts[word] < 30] == []


@pytest.mark.parametrize(
    ("word", "form", "expected"),
    [
        ("wolf", "s", "wolves"),
        ("town hall", "s", "town halls"),
        ("berry", "s", "berries"),
        ("go", "v", "goes"),
        ("stop", "d", "stopped"),
        ("open", "g", "opening"),
        ("write", "n", "written"),
        ("bake", "g", "baking"),
        ("cry", "d", "cried"),
        ("thin", "r", "thinner"),
        ("happy", "t", "happiest"),
        ("good", "r", "better"),
    ],
)
def test_words_take_their_forms(word, form, expected):
    assert inflect(word, form) == expected


def test_a_grammar_fills_slots_of_rows_lists_and_clauses():
    tables = {"pet": [{"name": ("owl",), "food": ("mice",)}]}
    sections = [
        ({"name": "a", "table": "pet", "weight": "1", "tag": "fact"}, ["a {name} eats {food}"]),
        ({"name": "b", "weight": "1"}, ["I know that {>fact} in {place}"]),
    ]
    made = set(islice(Grammar(tables, {"place": ["May"]}, sections).generate(0), 2))
    assert made == {"An owl eats mice.", "I know that an owl eats mice in May."}


def test_a_grammar_that_has_nothing_new_to_say_ends():
    grammar = Grammar({}, {"x": ["one", "two"]}, [({"name": "a", "weight": "1"}, ["say {x}"])])
    assert sorted(grammar.generate(0)) == ["Say one.", "Say two."]


@pytest.mark.parametrize("frame", ["the {nothing}", "{>nothing}"])
def test_an_unknown_name_in_a_frame_is_refused(frame):
    with pytest.raises(ValueError, match="nothing"):
        Grammar({}, {}, [({"name": "a", "weight": "1"}, [frame])])


@pytest.mark.parametrize("frame", ["(a|b", "a)"])
def test_unbalanced_brackets_in_a_frame_are_refused(frame):
    with pytest.raises(ValueError, match="unbalanced"):
        parse(frame)


def test_a_finished_sentence_has_capital_article_and_stop():
    assert finish("a  old  king , a uniform and a hour") == "An old king, a uniform and an hour."
    assert finish('"who?" "it was a owl"') == '"Who?" "It was an owl."'
