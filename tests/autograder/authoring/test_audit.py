"""The audit: which mutants there are, how they are judged, and what is reported."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from checkout import ROOT
from click.testing import CliRunner

from autograder.authoring.audit import audit_course, audit_processes, judge_mutants
from autograder.authoring.audit.audit_results import RESULTS, digest, summarize, unaudited
from autograder.authoring.audit.mutants import as_edit, form, mutants
from autograder.authoring.audit.observe import observe
from autograder.authoring.audit.one_place_edits import Reference
from autograder.cli import main
from autograder.course import catalog
from autograder.course.apply_edit import apply_edit
from autograder.course.layout import Course
from autograder.course.recording import record, record_reference
from autograder.course.reference import bare_sources
from autograder.errors import CourseError

NAME, EXERCISE = "07_topic", "average_topic"
COURSE = Course(ROOT)
#: At most this many changed exercises are audited in the tests.
CHANGED = 2


def made(source, seen=None):
    """The mutants' texts, each with its operator, without the lines that all share."""
    return {mutant.source: mutant.operator for mutant in mutants(Reference(source, seen))}


def of(name):
    """The mutants of one of the course's references, by the lines that they add."""
    assignment, _ = catalog.find(COURSE, name)
    notebook = COURSE.solution(assignment)
    source = bare_sources(notebook)[name]
    cases = record_reference(COURSE, assignment, name, 0)["cases"]
    found = mutants(Reference(source, observe(notebook, name, source, cases)))
    old = {line.strip() for line in source.splitlines()}
    lines = ({line.strip() for line in mutant.source.splitlines()} - old for mutant in found)
    return [mutant.source for mutant in found], set().union(*lines)


@pytest.mark.parametrize(
    ("line", "edited"),
    [
        ("a + b", "a - b"),
        ("a - b", "b - a"),
        ("a < b", "a <= b"),
        ("a and b", "a or b"),
        ("not a", "a"),
        ("7", "8"),
        ("1e-5", "0.0001"),
        ("'ab'", "'abx'"),
        ("f(a, b)", "f(b, a)"),
        ("f(a, key=b)", "f(a)"),
        ("a.sum(dim=1)", "a.sum()"),
        ("a.sum(dim=1, keepdim=True)", "a.sum(dim=1)"),
        ("a.argmax()", "a.argmin()"),
        ("a[1:]", "a[2:]"),
        ("a[0]", "a[-1]"),
        ("a[:, 0]", "a[:, -1]"),
        ("a if b else c", "a if False else c"),
        ("[x for x in a if x]", "[x for x in a if True]"),
        ("[a, b]", "[b, a]"),
        ("sorted(a)", "sorted(a, reverse=True)"),
        ("f'<{a}>'", "f'{a}>'"),
        ("(a + b) * c", "(a - b) * c"),
        ("a.masked_fill(b, 0)", "a.masked_fill(b, -1e9)"),
        ("nn.Parameter(a)", "a"),
    ],
)
def test_an_expression_is_edited_at_one_place(line, edited):
    texts = {
        source.partition("return ")[2].strip()
        for source in made(f"def f(a, b, c):\n    return {line}\n")
    }
    assert edited in texts


def test_statements_are_dropped_and_loops_end_early():
    source = (
        "def f(a):\n    found = []\n    for x in a:\n        found.append(x)\n    return found\n"
    )
    texts = set(made(source))
    assert source.replace("    found = []\n", "") in texts
    assert source.replace("(x)\n", "(x)\n        break\n") in texts
    assert source.replace("(a):\n    found = []\n", "(a, found=[]):\n") in texts


def test_mutants_are_python_and_differ_from_each_other_and_show_as_edits():
    name = "AttentionClassifier"
    assignment, _ = catalog.find(COURSE, name)
    reference = bare_sources(COURSE.solution(assignment))[name]
    texts, _ = of(name)
    forms = [form(text) for text in texts]
    assert len(set(forms)) == len(forms) > 100
    assert form(reference) not in forms
    for text in texts[::5]:
        edit = as_edit(reference, text)
        assert form(apply_edit(reference, edit)) == form(text)
        assert len(edit.splitlines()) < 8


def test_edits_know_tensors_modules_and_the_recorded_cases():
    _, lines = of("AttentionClassifier")
    assert {
        "self.v = torch.zeros(dim)",
        'self.__dict__["output"] = nn.Linear(dim, 1)',
        "mask = ids != 0",
        "ids = ids[:1].expand_as(ids)",
        "@torch.no_grad()",
        "return self.output(h).squeeze()",
        "return self.output(h.detach()).squeeze(-1)",
        "return self.output(h).squeeze(-1).double()",
        "dim = 3",
        "self.v = nn.Parameter(torch.zeros(3))",
    } <= lines
    assert not any("ids.detach()" in line or "mask.detach()" in line for line in lines)


def test_what_a_mutant_does_to_its_process_costs_it_its_points(small_course):
    notebook = small_course.solution(NAME)
    recorded = {0: record(small_course, NAME, EXERCISE, 0)}
    recorded[1] = record_reference(small_course, NAME, EXERCISE, 1)
    right = bare_sources(notebook)[EXERCISE]
    head = right.partition("\n")[0]
    sources = [
        right,
        f"{head}\n    import os\n    os._exit(0)\n",
        f"{head}\n    return bytes(2**40)\n",
        "average_topic = 1 / 0\n",
        f"{head}\n    torch.set_grad_enabled(False)\n",
        right,
    ]
    found = judge_mutants.judge_all(notebook, recorded, sources)
    assert [judged.status for judged in found] == ["survived", *["killed"] * 4, "survived"]
    assert found[0].lost == {0: False, 1: False}
    assert found[1].headline == "it ends its process"


def test_an_endless_loop_is_stopped(small_course, monkeypatch):
    monkeypatch.setattr(judge_mutants, "CASE_SECONDS", 0.1)
    head = bare_sources(small_course.solution(NAME))[EXERCISE].partition("\n")[0]
    recorded = {seed: record(small_course, NAME, EXERCISE, seed) for seed in (0, 1)}
    source = f"{head}\n    while True:\n        pass\n"
    judged = judge_mutants.judge_one(small_course.solution(NAME), recorded, source)
    assert (judged.status, judged.lost) == ("killed", {0: True})


def test_points_lost_with_some_seeds_only_are_inconsistent():
    assert judge_mutants.Judged({0: False, 1: True, 2: True}).status == "inconsistent"
    assert judge_mutants.Judged({0: True, 1: True, 2: False}).status == "inconsistent"
    assert judge_mutants.Judged({0: True, 1: True}).status == "killed"


def test_the_audit_lists_survivors_that_the_author_may_list_as_right(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    module = small_course.cases(NAME) / f"{EXERCISE}.py"
    module.write_text(f"{module.read_text()}\nEQUIVALENT = {{}}\n")
    path = small_course.root / "audit.json"
    arguments = ["audit", EXERCISE, "--seeds", "1", "--jobs", "1"]
    first = CliRunner().invoke(main, [*arguments, "--json", str(path)])
    assert first.exit_code == 1, first.output
    stored = json.loads(path.read_text())["exercises"][EXERCISE]
    survivors = stored["survivors"]
    assert stored["mutants"] == stored["killed"] + len(survivors) + len(stored["inconsistent"])
    assert stored["with_hint"] > 0
    assert survivors[0]["edit"] in first.output

    # what is judged is not judged again: neither now nor after an entry of EQUIVALENT
    monkeypatch.setattr(audit_processes, "audit_exercise", None)
    text = module.read_text()
    listed = "\n\n".join(mutant["edit"].rstrip() for mutant in survivors)
    module.write_text(f"{text}\nEQUIVALENT = {{'the same': {listed!r}}}\n")
    (found,) = audit_course.audit(small_course, [EXERCISE], seeds=1)
    assert (found.equivalent, found.survivors, found.wrongly_listed) == (len(survivors), [], [])

    caught = "- count = mask.sum(dim=1)\n+ count = mask.sum(dim=0)"
    gone = "- no such line\n+ another"
    module.write_text(f"{text}\nEQUIVALENT = {{'caught': {caught!r}, 'gone': {gone!r}}}\n")
    (found,) = audit_course.audit(small_course, [EXERCISE], seeds=1)
    problems = "\n".join(found.wrongly_listed)
    assert "EQUIVALENT (caught) loses points" in problems
    assert "average_topic, gone: `no such line` is not in the solution" in problems

    of_one = [m for m in survivors if m["operator"] == survivors[0]["operator"]]
    every = {"right": f"every edit: {survivors[0]['operator']}", "none": "every edit: no operator"}
    module.write_text(f"{text}\nEQUIVALENT = {every}\n")
    (found,) = audit_course.audit(small_course, [EXERCISE], seeds=1)
    assert found.equivalent == len(of_one)
    assert found.wrongly_listed == [
        "average_topic: EQUIVALENT has `every edit: no operator` (none), but no such edit survives;"
        " remove it."
    ]


def test_an_exercise_is_judged_again_if_what_decides_changes(small_course):
    before = digest(small_course, NAME, EXERCISE)
    module = small_course.cases(NAME) / f"{EXERCISE}.py"
    text = module.read_text()
    hint = catalog.exercises(small_course, NAME)[EXERCISE].misconceptions[0].hint.split()[0]
    reworded = text.replace(hint, "Reworded:", 1)
    module.write_text(f"# a comment\n{reworded}\nEQUIVALENT = {{}}\n")
    assert digest(small_course, NAME, EXERCISE) == before
    module.write_text(text.replace("(2, 4)", "(2, 6)"))
    assert digest(small_course, NAME, EXERCISE) != before


def test_an_exercise_is_judged_again_if_an_import_changes_that_it_uses(small_course):
    before = digest(small_course, NAME, EXERCISE)
    path = small_course.solution(NAME)
    text = path.read_text()
    assert "import torch" in text
    path.write_text(text.replace("import torch", "import turtle, torch", 1))
    assert digest(small_course, NAME, EXERCISE) == before
    path.write_text(text.replace("import torch", "import numpy as torch", 1))
    assert digest(small_course, NAME, EXERCISE) != before


def test_ctrl_c_gives_one_line_and_the_exit_status_of_a_shell(small_course):
    command = [sys.executable, "-m", "autograder", "audit", EXERCISE, "--seeds", "500"]
    process = subprocess.Popen(
        command, cwd=small_course.root, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not children.read_text():  # the process that judges
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(1)  # what arrives while Python forks is lost
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert (output, errors.splitlines()) == (
        "",
        [
            "autograder: stopped: 0 of 1 exercises are audited; run the command again, and it goes"
            " on from there."
        ],
    )


def test_names_are_those_of_assignments_and_exercises():
    assert audit_course.chosen(COURSE, ["attend"]) == [("04_attention", "attend")]
    assert ("04_attention", "attend") in audit_course.chosen(COURSE, ["04_attention", "attend"])
    with pytest.raises(CourseError, match="did you mean attend"):
        audit_course.chosen(COURSE, ["atend"])


def test_exercises_that_changed_since_the_last_audit_have_no_hole():
    changed = unaudited(COURSE, COURSE.assignments())
    what = f"run `autograder audit --json {RESULTS}`"
    assert len(changed) <= CHANGED, f"{len(changed)} exercises have changed or have holes; {what}"
    for name in changed:
        assignment, _ = catalog.find(COURSE, name)
        result = audit_processes.audit_exercise(COURSE, assignment, name, seeds=2)
        audit = summarize(COURSE, assignment, name, result)
        assert audit.passed, f"{name} has holes; {what}"
    audited = set(json.loads((ROOT / RESULTS).read_text())["exercises"])
    assert audited == {name for _, name in audit_course.chosen(COURSE, [])}


def test_exercises_that_changed_since_the_committed_audit_are_listed(make_small_course, tmp_path):
    course = make_small_course(tmp_path)
    assert unaudited(course, [NAME]) == []  # there is no audit yet
    (course.root / RESULTS).parent.mkdir(parents=True)
    known = {"digest": digest(course, NAME, EXERCISE), "survivors": [], "inconsistent": []}
    for entry, listed in (
        (known, []),
        ({**known, "digest": "another"}, [EXERCISE]),
        ({**known, "survivors": [{}]}, [EXERCISE]),
    ):
        (course.root / RESULTS).write_text(json.dumps({"exercises": {EXERCISE: entry}}))
        assert unaudited(course, [NAME]) == listed


def test_pairs_of_misconceptions_are_listed_with_what_is_shown(tmp_path):
    output = tmp_path / "pairs.json"
    result = CliRunner().invoke(main, ["audit", "--compounds", "layer_norm", "--json", str(output)])
    assert result.exit_code == 0, result.output
    pairs = json.loads(output.read_text())["layer_norm"]
    assert {pair["status"] for pair in pairs} >= {"explained", "named"}
    assert f"│ all        │ {len(pairs):5} │" in result.output


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("MultiHeadAttention", ".transpose(2, 1)"),  # its arguments swapped
        ("MultiHeadAttention", ".transpose(1, -2)"),  # the same axis of four
        ("MultiHeadAttention", "for layer in [self.W_Q, self.W_K, self.W_V]"),
    ],
)
def test_edits_that_change_only_syntax_are_not_made(name, same):
    assert not any(same in source for source in of(name)[0])
