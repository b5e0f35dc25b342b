"""An answer to a question that is graded by hand is before a person, wherever it was written."""

import copy
import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from autograder.grading.sanitize import restore

ANSWER = "A larger step overshoots the minimum, so the loss grows."
MORE = "With decay the step shrinks."
STUB = "*Your answer, in a few sentences.*"


def marked(cell, grade_id, **marks):
    cell.id = grade_id
    usual = {"grade": False, "solution": False, "locked": False, "schema_version": 3}
    cell.metadata["nbgrader"] = {"grade_id": grade_id, **usual, **marks}
    return cell


def question(number, grade_id):
    text = f"**Question {number} (2 points).** Why does the loss grow where the step is {number}?"
    return [
        new_markdown_cell(text),
        marked(new_markdown_cell(STUB), grade_id, grade=True, solution=True),
    ]


@pytest.fixture
def release():
    """An exercise, two questions, and another exercise after a text."""
    return new_notebook(
        cells=[
            new_markdown_cell("# Steps\n\nA step is a share of the gradient."),
            marked(new_code_cell("def step(x):\n    ..."), "step", solution=True),
            marked(new_code_cell("check(step)"), "check_step", grade=True, locked=True),
            *question(1, "why"),
            *question(2, "how"),
            new_markdown_cell("## Decay\n\nNow the step shrinks."),
            marked(new_code_cell("def decay(x):\n    ..."), "decay", solution=True),
            marked(new_code_cell("check(decay)"), "check_decay", grade=True, locked=True),
        ]
    )


@pytest.fixture
def submission(release):
    return copy.deepcopy(release)


def place(notebook, grade_id):
    return next(
        i
        for i, cell in enumerate(notebook.cells)
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id
    )


def answer(notebook, grade_id):
    return notebook.cells[place(notebook, grade_id)].source


def below(notebook, cell):
    notebook.cells.insert(place(notebook, "why") + 1, cell)


def above(notebook, cell):
    notebook.cells.insert(place(notebook, "why"), cell)


def above_the_question(notebook, cell):
    notebook.cells.insert(place(notebook, "why") - 1, cell)


def under_the_next_text(notebook, cell):
    notebook.cells.insert(place(notebook, "decay"), cell)


@pytest.mark.parametrize("where", [below, above, above_the_question, under_the_next_text])
@pytest.mark.parametrize(
    "cell",
    [
        new_markdown_cell(ANSWER),
        new_raw_cell(ANSWER),
        new_code_cell(f"# {ANSWER}"),
        new_code_cell(ANSWER),
        new_code_cell(f'"""{ANSWER}"""'),
        new_code_cell(f'print("{ANSWER}")'),
        new_code_cell(f'answer = "{ANSWER}"'),
    ],
    ids=["text", "raw", "comment", "words", "docstring", "print", "variable"],
)
def test_an_answer_in_another_cell_is_copied_into_its_own(submission, release, where, cell):
    where(submission, copy.deepcopy(cell))
    repairs = restore(submission, release)
    assert ANSWER in answer(submission, "why")
    assert STUB not in answer(submission, "why")
    assert any(repair.doubtful and "why" in repair.what for repair in repairs)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: f"{text}\n\n{ANSWER}",
        lambda text: f"{ANSWER}\n{text}",
        lambda text: f"{text} {ANSWER}",
        lambda text: text.replace("Why does", f"Why does\n\n{ANSWER}\n\n"),
    ],
)
@pytest.mark.parametrize("same_id", [True, False])
def test_an_answer_in_the_questions_own_cell_is_found(submission, release, change, same_id):
    cell = submission.cells[place(submission, "why") - 1]
    cell.source = change(cell.source)
    if not same_id:
        cell.id = "another"
    restore(submission, release)
    assert ANSWER in answer(submission, "why")
    assert answer(submission, "how") == STUB


def test_an_answer_in_a_locked_question_is_found(submission, release):
    for notebook in (submission, release):
        marked(notebook.cells[3], "asked", locked=True)
    submission.cells[3].source += f"\n\n{ANSWER}"
    restore(submission, release)
    assert ANSWER in answer(submission, "why")


def test_code_beside_a_question_without_answer_is_before_a_person(submission, release):
    below(submission, new_code_cell("losses.plot()"))
    restore(submission, release)
    assert "```python\nlosses.plot()\n```" in answer(submission, "why")


def test_code_beside_an_answer_changes_nothing(submission, release):
    submission.cells[place(submission, "why")].source = ANSWER
    below(submission, new_code_cell("losses.plot()"))
    assert restore(submission, release) == []
    assert answer(submission, "why") == ANSWER


@pytest.mark.parametrize("answered", [0, 1])
def test_of_two_copies_of_a_text_the_one_that_differs_counts(submission, release, answered):
    at = place(submission, "why")
    submission.cells.insert(at, copy.deepcopy(submission.cells[at]))
    submission.cells[at + answered].source = ANSWER
    (repair,) = restore(submission, release)
    assert not repair.doubtful
    assert answer(submission, "why") == ANSWER
    assert len(submission.cells) == len(release.cells)


def test_of_two_copies_that_both_differ_a_person_decides(submission, release):
    at = place(submission, "why")
    other = copy.deepcopy(submission.cells[at])
    submission.cells[at].source, other.source = ANSWER, MORE
    submission.cells.insert(place(submission, "decay"), other)
    (repair,) = restore(submission, release)
    assert repair.doubtful
    assert answer(submission, "why").startswith(ANSWER)
    assert answer(submission, "why").endswith(MORE)
    assert answer(submission, "how") == STUB


@pytest.mark.parametrize("metadata", [True, False])
@pytest.mark.parametrize("second", [new_markdown_cell(MORE), new_code_cell(f"# {MORE}")])
def test_two_halves_are_together_in_their_order(submission, release, metadata, second):
    at = place(submission, "why")
    submission.cells[at].source = ANSWER
    second = copy.deepcopy(second)
    if metadata:
        second.metadata = copy.deepcopy(submission.cells[at].metadata)
    submission.cells.insert(at + 1, second)
    assert restore(submission, release)
    assert answer(submission, "why").index(ANSWER) < answer(submission, "why").index(MORE)


def test_a_question_merged_with_its_answer_is_found(submission, release):
    at = place(submission, "why")
    del submission.cells[at]
    submission.cells[at - 1].source += f"\n{ANSWER}"
    restore(submission, release)
    assert ANSWER in answer(submission, "why")


def test_the_answers_of_all_questions_in_one_cell_are_before_a_person_for_each(submission, release):
    submission.cells.append(new_markdown_cell(f"Question 1: {ANSWER}\n\nQ2: {MORE}"))
    restore(submission, release)
    assert ANSWER in answer(submission, "why")
    assert MORE in answer(submission, "how")


def test_text_far_from_an_unanswered_question_is_to_be_reviewed(submission, release):
    submission.cells.append(new_markdown_cell(ANSWER))
    repairs = restore(submission, release)
    assert [repair.doubtful for repair in repairs] == [True, True]
    assert answer(submission, "why") == STUB


def test_a_picture_in_another_cell_comes_along(submission, release):
    cell = new_markdown_cell("![plot](attachment:plot.png)")
    cell.attachments = {"plot.png": {"image/png": "iVBORw0KGgo="}}
    below(submission, cell)
    restore(submission, release)
    found = submission.cells[place(submission, "why")]
    assert found.attachments == cell.attachments


def pasted(picture, name="image.png", cell=new_markdown_cell):
    text = cell(f"![{name}](attachment:{name})")
    text.attachments = {name: {"image/png": picture}}
    return text


def shown_pictures(cell):
    names = re.findall(r"\(attachment:(.*?)\)", cell.source)
    return [cell.attachments[name]["image/png"] for name in names]


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("name", ["image.png", "my plot.png", "plot"])
def test_pictures_of_one_name_are_all_shown(submission, release, own, name):
    below(submission, pasted("second", name))
    below(submission, pasted("first", name))
    if own:
        answered = submission.cells[place(submission, "why")]
        answered.update(
            source=f"![](attachment:{name})", attachments=pasted("own", name).attachments
        )
    restore(submission, release)
    found = submission.cells[place(submission, "why")]
    assert shown_pictures(found) == ["own"] * own + ["first", "second"]


def test_a_picture_is_given_no_name_of_another_one(submission, release):
    both = pasted("second")
    both.source += "\n![](attachment:image-2.png)"
    both.attachments["image-2.png"] = {"image/png": "third"}
    below(submission, both)
    below(submission, pasted("first"))
    restore(submission, release)
    found = submission.cells[place(submission, "why")]
    assert shown_pictures(found) == ["first", "second", "third"]


def test_an_answer_in_a_raw_cell_keeps_its_picture(submission, release):
    at = place(submission, "why")
    raw = pasted("drawn", cell=new_raw_cell)
    raw.metadata = submission.cells[at].metadata
    submission.cells[at] = raw
    restore(submission, release)
    assert shown_pictures(submission.cells[at]) == ["drawn"]
    assert submission.cells[at].cell_type == "markdown"


def test_a_second_pass_changes_nothing(submission, release):
    below(submission, new_markdown_cell(ANSWER))
    submission.cells[place(submission, "how") - 1].source += f"\n{MORE}"
    restore(submission, release)
    before = copy.deepcopy(submission)
    restore(submission, release)
    assert submission == before


def test_a_notebook_without_an_answer_or_other_text_gets_nothing(submission, release):
    submission.cells[place(submission, "step")].source = "def step(x):\n    return x"
    submission.cells.append(new_code_cell("step(3)"))
    assert restore(submission, release) == []
    assert answer(submission, "why") == STUB
