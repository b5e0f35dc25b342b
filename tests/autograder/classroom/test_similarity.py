"""Similar submissions: copies are found, independent work is not."""

import random
import re

import nbformat
import pytest
from click.testing import CliRunner
from made_up_class import copied, independent, made_up_class

from autograder.classroom.code_fingerprints import statements
from autograder.classroom.similarity import _Rarity, known_answers, similar_pairs, threshold
from autograder.cli import main
from autograder.course.assignment import Assignment
from autograder.course.reference import without_docstrings

ONE = "def pool(x, mask):\n    total = (x * mask).sum(1)\n    return total / mask.sum(1)"
SAME = "def pool(a, b):  # my own\n    s = (a * b).sum(1)\n    return s / b.sum(1)"
OTHER = "def pool(x, mask):\n    total = (x * mask).sum(0)\n    return total / len(mask)"


def test_names_comments_hints_and_docstrings_play_no_part():
    typed = SAME.replace("(a, b)", "(a: int, b: list) -> float").replace(
        "    s", '    """Pools."""\n    s', 1
    )
    assert set(statements(ONE)) == set(statements(SAME)) == set(statements(typed))
    assert set(statements(ONE)).isdisjoint(statements(OTHER))


def test_order_plays_no_part_and_what_is_no_python_says_nothing():
    first, second = "a = torch.ones(3) + 1", "b = torch.zeros(4) * 2"
    assert set(statements(f"{first}\n{second}")) == set(statements(f"{second}\n{first}"))
    assert statements("def f(:\n    pass") == {}
    assert statements("(" * 10_000) == {}


@pytest.fixture(scope="module")
def possible(course):
    """Exercise -> what independent students begin with: reference, alternatives, misconceptions."""
    known = known_answers(Assignment(course, "04_attention"))
    return {n: [without_docstrings(text) for text in texts[1:]] for n, texts in known.items()}


def planted(possible, people, seed):
    """A class with copies of one answer in seven; the pairs who share a whole assignment."""
    rng = random.Random(seed)
    students = made_up_class(possible, people, seed)
    pairs = set()
    for i, victim in enumerate(rng.sample(sorted(students), people // 7)):
        own = {name: copied(text, rng) for name, text in students[victim].items()}
        students[f"copy_{i}"] = own
        pairs.add((f"copy_{i}", victim))
    return students, pairs


def test_whole_copies_are_found_and_independent_pairs_are_not(possible):
    students, pairs = planted(possible, 60, seed=3)
    found = {pair.students for pair in similar_pairs(students, possible)}
    assert found == pairs


@pytest.mark.slow
def test_among_300_independent_students_no_pair_is_listed(possible):
    for seed in range(2):
        assert similar_pairs(made_up_class(possible, 300, seed), possible) == []


def test_what_everybody_writes_says_nothing(possible):
    rng = random.Random(1)
    one = independent(possible, rng)
    assert similar_pairs({f"s{i}": one for i in range(20)}, possible) == []


def test_the_threshold_rises_with_the_number_of_pairs():
    assert threshold(10) < threshold(100) < threshold(1_000)


def test_the_command_asks_a_question_and_shows_both_answers(small_course, monkeypatch, tmp_path):
    monkeypatch.chdir(small_course.root)
    lines = "\n".join(
        f"    x{i} = torch.{name}(scores * {i}.25 + mask, dim={i}).clamp(min={i}.5, max=99.{i})"
        for i, name in enumerate(("cumsum", "cumprod", "logsumexp", "softmin", "amax", "amin"))
    )
    copy = f"def average_topic(scores, mask):\n{lines}\n    return x1 < '<script>'"
    answers = {
        "ada": copy,
        "bob": re.sub(r"\bx(?=\d)", "y", copy),
        "cem": "def average_topic(s, m): pass",
    }
    answers |= {f"s{i}": f"def average_topic(s, m):\n    return s.sum({i})" for i in range(9)}
    for student, answer in answers.items():
        notebook = nbformat.read(small_course.notebook("07_topic"), as_version=4)
        for cell in notebook.cells:
            if cell.metadata.get("nbgrader", {}).get("solution"):
                cell.source = answer
        path = small_course.root / "autograded" / student / "07_topic" / "07_topic.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    result = CliRunner().invoke(main, ["similar", "07_topic"])
    assert result.exit_code == 0, result.output
    assert "ada and bob: did they work together on average_topic?" in result.output
    page = (small_course.root / "reports" / "07_topic-similar.html").read_text("utf-8")
    assert "<mark>" in page
    assert "<script>" not in page
    assert "Talk to them" in page


def test_before_anything_is_graded_a_sentence_says_so(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    result = CliRunner().invoke(main, ["similar", "07_topic"])
    assert result.exit_code == 1
    assert "graded; run `autograder grade 07_topic` first." in result.output


def test_the_command_that_is_named_works_on_the_class_that_was_asked_about(
    small_course, monkeypatch, tmp_path
):
    monkeypatch.chdir(small_course.root)
    elsewhere = tmp_path / "class of 2031"
    for command in ("similar", "report", "export"):
        result = CliRunner().invoke(main, [command, "07_topic", "--folder", str(elsewhere)])
        assert result.exit_code == 1
        named = f"run `autograder grade 07_topic --folder '{elsewhere.resolve()}'` first."
        assert named in result.output


def test_an_answer_of_thousands_of_statements_is_compared_with_few_of_them(monkeypatch):
    asked = []
    monkeypatch.setattr(_Rarity, "_given", lambda self, one, other, alone: asked.append(one) or 0.0)
    long = statements("def f(v):\n" + "\n".join(f"    v = v * {n}" for n in range(400)))
    _Rarity([long, []]).nats(long)
    assert len(asked) <= 100 * len(long)
    assert len(long) >= 400
