"""The shipped data set `bilingual`, its generator, and what its datasheet promises."""

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

from coursekit.data import Bitext, load

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "data" / "bilingual"))

from faces.french import agree, join
from faces.lexicon import french_plural, verbs
from faces.sentences import Sentences

BILINGUAL = Path(__file__).resolve().parents[2] / "data" / "bilingual"
SIZES = {"train": 40_000, "validation": 1_000, "test": 1_000}
LABELS = {"reordering", "negation", "agreement", "idiom", "length", "plain"}


@pytest.fixture(scope="module")
def bitexts() -> dict[str, Bitext]:
    return {split: load("bilingual", split) for split in SIZES}


@pytest.fixture(scope="module")
def french(bitexts) -> list[str]:
    return [sentence for bitext in bitexts.values() for sentence in bitext.targets]


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the generator in `folder`."""
    command = [sys.executable, str(folder / "generate.py"), *arguments]
    env = os.environ | variables
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


def test_the_shipped_pairs_are_what_the_generator_writes():
    result = run(BILINGUAL, "--check", PYTHONHASHSEED="1", LC_ALL="C")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.slow
def test_a_stale_file_is_named_with_its_line_and_rewritten(tmp_path):
    copy = shutil.copytree(BILINGUAL, tmp_path / "bilingual")
    text = gzip.decompress((copy / "test.tsv.gz").read_bytes())
    lines = text.split(b"\n")
    lines[6] = b"another .\tautre .\tplain"
    (copy / "test.tsv.gz").write_bytes(gzip.compress(b"\n".join(lines)))
    result = run(copy, "--check")
    assert (result.returncode, result.stderr) == (1, "")
    assert "test.tsv.gz is stale from line 7 on" in result.stdout
    assert run(copy, PYTHONHASHSEED="2").returncode == 0
    assert gzip.decompress((copy / "test.tsv.gz").read_bytes()) == text


def test_another_seed_gives_other_sentences():
    first, again, other = (list(islice(Sentences(seed), 20)) for seed in (0, 0, 1))
    assert first == again != other


def test_the_splits_have_their_sizes_and_share_no_english_sentence(bitexts):
    assert {split: len(bitext) for split, bitext in bitexts.items()} == SIZES
    sources = [sentence for bitext in bitexts.values() for sentence in bitext.sources]
    assert len(set(sources)) == len(sources)


def test_sentences_have_3_to_30_tokens_and_an_end(bitexts):
    for bitext in bitexts.values():
        for source, target, _ in bitext:
            for sentence in (source, target):
                assert 3 <= len(sentence.split(" ")) <= 30
                assert sentence.endswith((" .", " ?"))
                assert sentence == sentence.lower()
                assert "°" not in sentence


def test_both_vocabularies_have_1000_to_2000_words(bitexts):
    for side in ("sources", "targets"):
        words = {w for b in bitexts.values() for s in getattr(b, side) for w in s.split()}
        assert 1000 <= len(words) <= 2000


def test_every_label_is_frequent_and_none_is_unknown(bitexts):
    counts = Counter(name for b in bitexts.values() for pair in b for name in pair.phenomena)
    assert set(counts) == LABELS
    assert min(counts.values()) > 4000
    assert all(p.phenomena == ("plain",) for p in bitexts["test"] if "plain" in p.phenomena)


def test_labels_say_what_a_pair_shows(bitexts):
    for source, target, phenomena in bitexts["test"]:
        two_part = re.search(r"\b(ne |n' ).*\b(pas|jamais|plus)\b|personne n", target)
        assert ("negation" in phenomena) == bool(two_part), target
        assert ("length" in phenomena) == (len(source.split()) >= 15)


def test_words_elide_before_vowels_and_only_there(french):
    unelided = re.compile(r"\b(le|la|de|je|ne|que|me) (a|e|é|ê|i|o|u|œ|h)(?!uit)")
    wrong = [s for s in french if unelided.search(s) and " de onze" not in s]
    assert [s for s in wrong if not re.search(r"\b(de|que) onze", s)] == []
    elided = re.compile(r"\b(l|d|j|n|qu|m|s|c)' (?![aàâeéèêiîoôuûhœy])")
    assert [s for s in french if elided.search(s)] == []


def test_prepositions_contract_with_articles_but_not_with_pronouns(french):
    assert [s for s in french if re.search(r"\b(de|à) les? (?!\w+er\b)", s)] == []
    assert join("il va à le° marché".split()) == "il va au marché".split()
    assert join("il parle de les° chats".split()) == "il parle des chats".split()
    assert join("près de le° hôtel".split()) == "près de l' hôtel".split()


def test_a_negation_has_its_two_parts(french):
    for sentence in french:
        for clause in re.split(r" (?:et|mais|parce qu[e']|quand|,|qui) ", sentence):
            if re.search(r"\b(pas|jamais)\b", clause):
                assert re.search(r"\bn(e|')", clause), sentence


def test_adjectives_take_their_forms_before_vowels(french):
    singular = re.compile(r"\b(le|un|mon|son|ce|cet) (beau|nouveau|vieux) [aàâeéèêioôuœ]")
    assert [s for s in french if singular.search(s)] == []
    assert any("vieil " in s for s in french)


def test_participles_agree():
    forms = [agree("allé", f, p) for f in (False, True) for p in (False, True)]
    assert forms == ["allé", "allés", "allée", "allées"]
    assert agree("pris", False, True) == "pris"


def test_plurals_and_verbs_have_their_forms():
    assert [french_plural(w) for w in ("gâteau", "souris", "pomme de terre")] == [
        "gâteaux",
        "souris",
        "pommes de terre",
    ]
    by_name = {verb.french: verb for verb in verbs()}
    assert by_name["manger"].present[2] == "mangeons"
    assert by_name["choisir"].present == (
        "choisis",
        "choisit",
        "choisissons",
        "choisissez",
        "choisissent",
    )
    assert by_name["vendre"].future == "vendr"
    assert by_name["prendre"].participle == "pris"
