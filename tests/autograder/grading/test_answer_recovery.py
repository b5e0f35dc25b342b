"""An answer to a question that is graded by hand is before a person, wherever it was written."""

import copy
import re

import pytest
from honest import LINES
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


def code_cell(notebook, source):
    """A cell of the release that shows something, in both notebooks."""
    return next(cell for cell in notebook.cells if cell.source.startswith(source))


def doubts(repairs, grade_id):
    return [one.what for one in repairs if one.doubtful and grade_id in one.what]


@pytest.fixture
def shown(release):
    """The release with a cell that only shows something, and a submission of it."""
    show = new_code_cell("# the loss\nfor x in [1, 2]:\n    print(x)", id="show")
    release.cells.insert(3, show)
    return copy.deepcopy(release)


@pytest.mark.parametrize("start", ["def step", "check(step)", "# the loss", "def decay"])
@pytest.mark.parametrize(
    "words",
    [
        f"# Question 1: {ANSWER}",
        f"# Q1.\n# {ANSWER}",
        f"# A1: {ANSWER}",
        f'"""Question 1\n\n{ANSWER}"""',
        f'print("Q1: {ANSWER}")',
        f'answer_1 = "{ANSWER}"',
        f"# question no. 1a) {ANSWER}",
        f"Question 1: {ANSWER}",
    ],
)
def test_an_answer_that_names_its_question_in_code_is_copied(shown, release, start, words):
    code_cell(shown, start).source += f"\n{words}"
    repairs = restore(shown, release)
    assert ANSWER in answer(shown, "why")
    assert doubts(repairs, "why")
    assert answer(shown, "how") == STUB
    assert not doubts(repairs, "how")


def test_an_answer_in_a_docstring_of_an_exercise_is_copied(submission, release):
    submission.cells[1].source = f'def step(x):\n    """Question 1: {ANSWER}"""\n    return x'
    restore(submission, release)
    assert ANSWER in answer(submission, "why")


@pytest.mark.parametrize("start", ["def step", "check(step)", "# the loss"])
@pytest.mark.parametrize("words", [f"# {ANSWER}", f'"{ANSWER}"', f'print("{ANSWER}")'])
def test_an_explanation_below_code_is_to_be_reviewed(shown, release, start, words):
    code_cell(shown, start).source += f"\n{words}"
    repairs = restore(shown, release)
    for grade_id in ("why", "how"):
        assert answer(shown, grade_id) == STUB
        (what,) = doubts(repairs, grade_id)
        assert ANSWER in what


@pytest.mark.parametrize(
    ("start", "source"),
    [
        ("def step", f"def step(x):\n    # {ANSWER}\n    return x"),
        ("def step", f'def step(x):\n    """{ANSWER}"""\n    return x'),
        (
            "def step",
            "def step(x):\n    return x\n\n\n# a1 = step(3)\n# q1 = 2  # why?\n# print(q1)",
        ),
        ("# the loss", "# the loss\nfor x in [1, 2, 3]:  # more steps\n    print(x)"),
        ("# the loss", "for x in [1, 2]:\n    print(x)\n# the loss"),
        ("# the loss", f'text = "{ANSWER}"\nq = 1\nprint(text)'),
        ("# the loss", f"a = 1\nb = [1]\nlabels = [\n    '{ANSWER}',\n]"),
        ("check(step)", "check(step)\n# why?"),
    ],
)
def test_what_students_note_in_code_is_no_answer(shown, release, start, source):
    code_cell(shown, start).source = source
    assert restore(shown, release) == []


@pytest.mark.parametrize("start", ["# the loss", "check(step)"])
def test_a_short_comment_in_code_of_the_release_is_to_be_reviewed(shown, release, start):
    code_cell(shown, start).source += "\n# it stalls at 512 here"
    repairs = restore(shown, release)
    assert "stalls at 512" in doubts(repairs, "why")[0]


@pytest.mark.parametrize("line", sorted(LINES.values()))
def test_lines_of_other_platforms_are_no_answers(shown, release, line):
    cell = code_cell(shown, "# the loss")
    cell.source = f"{line}\n{cell.source}"
    assert restore(shown, release) == []


def test_a_question_merged_into_a_check_is_found(submission, release):
    check = submission.cells[place(submission, "check_step")]
    question_text = submission.cells[place(submission, "why") - 1]
    check.source += f"\n\n{question_text.source}\n\nIt overshoots."
    submission.cells.remove(question_text)
    restore(submission, release)
    assert "It overshoots." in answer(submission, "why")
    assert answer(submission, "how") == STUB


def test_comments_change_nothing_where_all_questions_are_answered(shown, release):
    for grade_id in ("why", "how"):
        shown.cells[place(shown, grade_id)].source = f"1. {MORE}\n2. {MORE}"
    code_cell(shown, "# the loss").source += f"\n# Question 1: {ANSWER}"
    assert restore(shown, release) == []


def test_code_pasted_from_an_earlier_assignment_answers_no_question(submission, release):
    for notebook in (submission, release):
        pasted_here = new_code_cell("# paste here")
        notebook.cells.insert(1, marked(pasted_here, "from_00_steps", solution=True))
    submission.cells[1].source = f"def old(x):\n    return x\n\n# Question 1: {ANSWER}"
    assert restore(submission, release) == []


@pytest.mark.parametrize(
    "words", ["The step is 2.", "2", "Where the step is, the loss does grow", "∞"]
)
@pytest.mark.parametrize("change", ["{0}\n\n{1}", "{1}\n\n{0}", "{0} {1}"])
def test_an_answer_in_words_of_its_question_is_found(submission, release, words, change):
    cell = submission.cells[place(submission, "how") - 1]
    cell.source = change.format(cell.source, words)
    repairs = restore(submission, release)
    assert answer(submission, "how").endswith(words)
    assert not doubts(repairs, "why")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("Why does the loss", "Why does\nthe loss"),
        lambda text: text.replace(" ", "\n"),
        lambda text: "Why does the loss grow where the step is 1?\n\n**Question 1 (2 points).**",
        lambda text: text.replace("**", "__"),
    ],
)
def test_a_question_that_was_wrapped_otherwise_is_no_answer(submission, release, change):
    cell = submission.cells[place(submission, "why") - 1]
    cell.source = change(cell.source)
    assert restore(submission, release) == []


@pytest.mark.parametrize(
    "two", ["2. {}", "2) {}", "And this. 2. {}", "(2) {}", "**2.** {}", "## 2\n{}", "2: {}"]
)
@pytest.mark.parametrize(("there", "blank"), [("why", "how"), ("how", "why")])
def test_a_list_with_a_questions_number_is_to_be_reviewed(submission, release, there, blank, two):
    one = two.replace("2", "1")
    text = f"{one.format(ANSWER)}\n\n{two.format(MORE)}"
    submission.cells[place(submission, there)].source = text
    repairs = restore(submission, release)
    assert answer(submission, blank) == STUB
    assert answer(submission, there) == text
    assert doubts(repairs, blank)
    assert not doubts(repairs, there)


@pytest.mark.parametrize(
    "text", ["It is 2.5 times larger.", "2.5 is larger", "2 steps", "12. x", "* x 2."]
)
def test_a_number_in_an_answer_is_no_list(submission, release, text):
    submission.cells[place(submission, "why")].source = text
    assert restore(submission, release) == []


@pytest.mark.parametrize("kept", [0, 1, 2, 3])
@pytest.mark.parametrize("marks", ["kept", "lost"])
def test_questions_and_answers_merged_into_one_cell_are_found(submission, release, kept, marks):
    first = place(submission, "why") - 1
    cells = submission.cells[first : first + 4]
    merged = cells[kept]
    text = [cells[0].source, ANSWER, cells[2].source, MORE]
    merged.source = "\n\n".join(text)
    if marks == "lost":
        merged.metadata.pop("nbgrader", None)
    submission.cells[first : first + 4] = [merged]
    restore(submission, release)
    assert ANSWER in answer(submission, "why")
    assert MORE in answer(submission, "how")


@pytest.mark.parametrize("cell", [new_markdown_cell, new_raw_cell])
def test_text_that_names_one_question_is_reviewed_for_no_other(submission, release, cell):
    submission.cells.insert(0, cell(f"Question 1: {ANSWER}"))
    repairs = restore(submission, release)
    assert ANSWER in answer(submission, "why")
    assert not doubts(repairs, "how")


def test_a_review_quotes_little_and_no_character_that_controls_a_terminal(submission, release):
    submission.cells.append(new_markdown_cell(f"\x1b[2J{ANSWER} " * 1000))
    for what in (repair.what for repair in restore(submission, release)):
        assert what.isprintable()
        assert len(what) < 250


def test_text_added_to_a_text_far_away_is_to_be_reviewed(submission, release):
    submission.cells[0].source += f"\n\n{ANSWER}"
    repairs = restore(submission, release)
    assert doubts(repairs, "why")
    assert doubts(repairs, "how")


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
    submission.cells[place(submission, "decay")].source += f"\n# Question 2: {MORE}"
    restore(submission, release)
    before = copy.deepcopy(submission)
    restore(submission, release)
    assert submission == before


def test_a_notebook_without_an_answer_or_other_text_gets_nothing(submission, release):
    submission.cells[place(submission, "step")].source = "def step(x):\n    return x"
    submission.cells.append(new_code_cell("step(3)"))
    assert restore(submission, release) == []
    assert answer(submission, "why") == STUB
