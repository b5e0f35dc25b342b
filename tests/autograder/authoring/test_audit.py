"""The audit: which mutants there are, how they are judged, and what is reported."""

import ast
import json
import signal
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest
from checkout import ROOT, shared_assignment
from click.testing import CliRunner
from processes import wait_for_line

from autograder.authoring.audit import audit_course, audit_processes, audit_results, judge_mutants
from autograder.authoring.audit.audit_report import unwritten_entries
from autograder.authoring.audit.audit_results import digest
from autograder.authoring.audit.mutants import as_edit, form, mutants
from autograder.authoring.audit.observed_values import observe
from autograder.authoring.audit.one_place_edits import Reference, Seen, key
from autograder.authoring.proofs import prove_written
from autograder.cli import main
from autograder.course.apply_edit import apply_edit
from autograder.course.assignment import Assignment
from autograder.course.exercise import read_exercise
from autograder.course.layout import Course
from autograder.course.record_cases import record_reference
from autograder.errors import CourseError
from autograder.grading.record_misconceptions import record

NAME, EXERCISE = "07_topic", "average_topic"
COURSE = Course(ROOT)
#: At most this many changed exercises are audited in the tests.
CHANGED = 2


def made(source, seen=None):
    """The mutants' texts, each with its operator, without the lines that all share."""
    return {mutant.source: mutant.operator for mutant in mutants(Reference(source, seen))}


def owner(name):
    """The assignment that has an exercise."""
    assignments = map(shared_assignment, COURSE.assignments())
    return next(one for one in assignments if name in one.exercises)


def of(name):
    """The mutants of one of the course's references, by the lines that they add."""
    assignment = owner(name)
    source = assignment.solution.bare_sources[name]
    cases = record_reference(assignment, name, 0)["cases"]
    found = mutants(Reference(source, observe(assignment.solution, name, source, cases)))
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
    reference = owner(name).solution.bare_sources[name]
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
    solution = Assignment(small_course, NAME).solution
    recorded = {0: record(Assignment(small_course, NAME), EXERCISE, 0)}
    recorded[1] = record_reference(Assignment(small_course, NAME), EXERCISE, 1)
    right = solution.bare_sources[EXERCISE]
    head = right.partition("\n")[0]
    sources = [
        right,
        f"{head}\n    import os\n    os._exit(0)\n",
        f"{head}\n    return bytes(2**40)\n",
        "average_topic = 1 / 0\n",
        f"{head}\n    torch.set_grad_enabled(False)\n",
        right,
    ]
    found = judge_mutants.judge_all(solution, recorded, sources)
    assert [judged.status for judged in found] == ["survived", *["killed"] * 4, "survived"]
    assert found[0].lost == {0: False, 1: False}
    assert found[1].headline == "it ends its process"


def test_an_endless_loop_is_stopped(small_course, monkeypatch):
    monkeypatch.setattr(judge_mutants, "CASE_SECONDS", 0.1)
    head = Assignment(small_course, NAME).solution.bare_sources[EXERCISE].partition("\n")[0]
    recorded = {seed: record(Assignment(small_course, NAME), EXERCISE, seed) for seed in (0, 1)}
    source = f"{head}\n    while True:\n        pass\n"
    judged = judge_mutants.judge_one(Assignment(small_course, NAME).solution, recorded, source)
    assert (judged.status, judged.lost) == ("killed", {0: True})


def test_points_lost_with_some_seeds_only_are_inconsistent():
    assert judge_mutants.Judged({0: False, 1: True, 2: True}).status == "inconsistent"
    assert judge_mutants.Judged({0: True, 1: True, 2: False}).status == "inconsistent"
    assert judge_mutants.Judged({0: True, 1: True}).status == "killed"


def test_the_audit_lists_survivors_that_the_author_may_list_as_right(small_course, monkeypatch):
    monkeypatch.chdir(small_course.root)
    module = small_course.cases(NAME) / f"{EXERCISE}.py"
    one_text = 'yield Case("values", [scores, mask[None]], title="one text with one word")'
    assert one_text in module.read_text()  # without it, a batch of one is never judged
    module.write_text(f"{module.read_text().replace(one_text, '')}\nEQUIVALENT = {{}}\n")
    arguments = ["audit", EXERCISE, "--seeds", "1", "--jobs", "1"]
    first = CliRunner().invoke(main, arguments)
    assert first.exit_code == 1, first.output
    stored = audit_results.stored(Assignment(small_course, NAME))[EXERCISE]
    survivors = stored["survivors"]
    kept = len(survivors) + len(stored["probably_equal"]) + stored["recognized"]
    assert stored["mutants"] == stored["killed"] + kept + len(stored["inconsistent"])
    assert stored["with_hint"] > 0
    assert survivors[0]["edit"] in first.output
    assert survivors[0]["input"] in first.output

    # what is judged is not judged again: neither now nor after an entry of EQUIVALENT
    monkeypatch.setattr(audit_processes, "audit_exercise", None)
    text = module.read_text()
    listed = "\n\n".join(mutant["edit"].rstrip() for mutant in survivors)
    pasted = first.output.partition(f"{EXERCISE}.py:\n\n")[2]
    module.write_text(f"{text}\n{pasted}")
    (found,) = audit_course.audit(small_course, [EXERCISE], seeds=1)
    assert (found.equivalent, found.survivors, found.wrongly_listed) == (len(survivors), [], [])
    small = Assignment(small_course, NAME)
    with pytest.raises(CourseError, match=r'replace "TODO: write why \([a-z ]+\)\." in EQUIVALENT'):
        prove_written(small)

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

    operator = survivors[0]["operator"]
    cache = json.loads((small_course.root / ".audit" / f"{EXERCISE}.json").read_text())
    of_one = [m for m in cache["mutants"] if (m["operator"], m["status"]) == (operator, "survived")]
    every = {"right": f"every edit: {operator}", "none": "every edit: no operator"}
    module.write_text(f"{text}\nEQUIVALENT = {every}\n")
    (found,) = audit_course.audit(small_course, [EXERCISE], seeds=1)
    assert found.equivalent == len(of_one)
    assert found.wrongly_listed == [
        "average_topic: EQUIVALENT has `every edit: no operator` (none), but no such edit survives;"
        " remove it."
    ]


def test_an_exercise_is_judged_again_if_what_decides_changes(small_course):
    before = digest(Assignment(small_course, NAME), EXERCISE)
    module = small_course.cases(NAME) / f"{EXERCISE}.py"
    text = module.read_text()
    hint = Assignment(small_course, NAME).exercises[EXERCISE].misconceptions[0].hint.split()[0]
    reworded = text.replace(hint, "Reworded:", 1)
    module.write_text(f"# a comment\n{reworded}\nEQUIVALENT = {{}}\n")
    assert digest(Assignment(small_course, NAME), EXERCISE) == before
    module.write_text(text.replace("(2, 4)", "(2, 6)"))
    assert digest(Assignment(small_course, NAME), EXERCISE) != before


def test_an_exercise_is_judged_again_if_an_import_changes_that_it_uses(small_course):
    before = digest(Assignment(small_course, NAME), EXERCISE)
    path = small_course.solution(NAME)
    text = path.read_text()
    assert "import torch" in text
    path.write_text(text.replace("import torch", "import turtle, torch", 1))
    assert digest(Assignment(small_course, NAME), EXERCISE) == before
    path.write_text(text.replace("import torch", "import numpy as torch", 1))
    assert digest(Assignment(small_course, NAME), EXERCISE) != before


def test_ctrl_c_gives_one_line_and_the_exit_status_of_a_shell(small_course):
    # what arrives while Python forks is lost, so it says when the process that judges is there
    program = (
        "from autograder.authoring.audit import audit_processes as module\n"
        "wait = module.wait\n"
        "module.wait = lambda pipes: print('judging', flush=True) or wait(pipes)\n"
        "from autograder.cli import main\n"
        "main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "audit", EXERCISE, "--seeds", "500"],
        cwd=small_course.root,
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        # a shell that runs the tests in the background has them ignore ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert wait_for_line(process.stdout, "judging")
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()
    assert process.returncode == 130
    assert (set(output.splitlines()) - {"judging"}, errors.splitlines()) == (
        set(),
        [
            "autograder: stopped: 0 of 1 exercises are audited; run the command again, and it goes"
            " on from there."
        ],
    )


def chosen(names):
    return [(assignment.name, name) for assignment, name in audit_course.chosen(COURSE, names)]


def test_names_are_those_of_assignments_and_exercises():
    assert chosen(["attend"]) == [("04_attention", "attend")]
    assert ("04_attention", "attend") in chosen(["04_attention", "attend"])
    with pytest.raises(CourseError, match="did you mean attend"):
        chosen(["atend"])


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("MultiHeadAttention", ".transpose(2, 1)"),  # its arguments swapped
        ("MultiHeadAttention", ".transpose(1, -2)"),  # the same axis of four
        ("MultiHeadAttention", "for layer in [self.W_Q, self.W_K, self.W_V]"),
        ("cbow_examples", "max(i - window, 0)"),
        ("window_mask", "reach.shape[-1]"),  # the last of two axes
        ("TextCNN", "torch.cat(found, dim=-1)"),
        ("csls", "r_rows = similarity.topk(k)."),  # the last axis is the default
        ("csls", "- r_columns\n"),  # broadcasting adds the axis in front
        ("pair_features", "(v - u).abs()"),
        ("pairwise_distances", "b[None, :] - a[:, None]"),  # squared in the next line
        ("negative_sampling_gradients", "v_c @ u_o"),
        ("masked_softmax", "highest <= -torch.inf"),
        ("count_ngrams", "'<s>'"),  # START is '<s>'
        ("negative_log_likelihood", "loss = (high + torch.log1p(torch.exp(-against.abs()))).sq"),
        ("word_dropout", "(~mask).shape"),
        ("trigram_average", "zeros_like(T[-1])"),
        ("trigram_average", "-torch.zeros_like"),
    ],
)
def test_edits_that_are_equal_by_construction_are_not_made(name, same):
    assert not any(same in source for source in of(name)[0])


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("a / b.clamp(min=1e-12)", "a / b.clamp(min=1e-11)"),
        ("a / b.clamp(min=1e-12)", "a / b.clamp(min=1e-12 * 2)"),
        ("a / (b + 1e-12)", "a / (b + 1e-13)"),
        ("a.masked_fill(b, 0.0)", "a.masked_fill(b, 0)"),
        ("a in (b, c)", "a in (c, b)"),
        ("isinstance(a, (b, c))", "isinstance(a, (c, b))"),
        ("a.sum(dim=(1, 2))", "a.sum(dim=(2, 1))"),
        ("float('inf')", "float('INF')"),
        ("torch.einsum('ij,jk->ik', a, b)", "torch.einsum('IJ,JK->IK', a, b)"),
        ("len(a) == 0", "len(a) <= 0"),
        ("a.view(b)", "a.reshape(b)"),
        ("2 * 2 * a", "(2 + 2) * a"),
        ("torch.arange(a, device=b)", "torch.arange(a)"),
        ("[a for _ in range(b)]", "[a for _ in list(range(b))[::-1]]"),
    ],
)
def test_another_way_to_write_the_same_is_not_made(line, same):
    texts = {
        source.partition("return ")[2].strip()
        for source in made(f"def f(a, b, c):\n    return {line}\n")
    }
    assert texts
    assert same not in texts


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("max(a, b)", "max(b, a)"),  # of 1 and 1.0, or of NaN
        ("(a + 1e-12).log()", "(a + 1e-11).log()"),
        ("a / b.clamp(min=1e-3)", "a / b.clamp(min=0.01)"),
        ("a - b", "b - a"),
        ("a == 0", "a <= 0"),
        ("a.shape[1]", "a.shape[-1]"),  # nothing is known of a
        ("a @ b", "b @ a"),
        ("[a, b]", "[b, a]"),
        ("[i for i in range(b)]", "[i for i in list(range(b))[::-1]]"),
        ("sorted([i for i in a], key=b)", "sorted([i for i in list(a)[::-1]], key=b)"),
        ("a[None, :] + b", "a + b"),
        ("torch.einsum('ij,jk->ik', a, b)", "torch.einsum('ji,jk->ik', a, b)"),
    ],
)
def test_what_may_differ_on_some_input_is_made(line, other):
    texts = {
        source.partition("return ")[2].strip()
        for source in made(f"def f(a, b, c):\n    return {line}\n")
    }
    assert other in texts


def test_the_number_of_axes_is_known_only_from_tensors_of_several_shapes():
    source = "def f(a):\n    return a.shape[1]\n"
    place = key(next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Name)))
    for shapes, is_made in (
        ({(2, 3)}, True),
        ({(2, 3), (4, 5)}, False),
        ({(2, 3), (2, 3, 4)}, True),
    ):
        seen = Seen({"Tensor"}, ndims={len(shape) for shape in shapes}, shapes=shapes)
        assert (source.replace("[1]", "[-1]") in made(source, {place: seen})) == is_made


def test_the_text_of_an_exception_is_left_alone():
    source = "def f(a):\n    if a:\n        raise ValueError(f'{a} is wrong')\n    raise ValueError('no')\n"
    texts = made(source)
    assert len(texts) > 3
    assert all("ValueError(f'{a} is wrong')" in text or "'no'" in text for text in texts)
    assert not any("''" in text or "ValueError()" in text for text in texts)


def test_entries_to_paste_are_python_whatever_the_edits_contain():
    edits = ["- a = '\\n'\n+ a = '\\t'\n", '- b = """x"""\n+ b = """y"""\n', "- c\n+ d\n"]
    operators = ("constant", "constant", "other mask")
    survivors = [{"operator": o, "edit": edit} for o, edit in zip(operators, edits)]
    whole = {"operator": "branch", "edit": "def f():\n    pass\n"}
    entries = ast.literal_eval("{" + unwritten_entries([*survivors, whole]) + "}")
    assert list(entries) == ["TODO: write why (constant).", "TODO: write why (other mask)."]
    module = SimpleNamespace(POINTS={"a": 1}, cases=list, WRONG={}, RIGHT={}, EQUIVALENT=entries)
    listed = [answer.text.strip() for answer in read_exercise("f", module).equivalents]
    assert listed == [edit.strip() for edit in edits]


WITHOUT_TORCH = """
import json, sys
from pathlib import Path


class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("there is no torch", name="torch")


sys.meta_path.insert(0, NoTorch())
from autograder.authoring.audit.audit_processes import audit_exercises
from autograder.course.assignment import Assignment
from autograder.course.layout import Course

plain = Assignment(Course(Path(sys.argv[1])), "00_plain")
((_, _, result),) = audit_exercises([(plain, "double")], 1, 1)
assert "torch" not in sys.modules
print(json.dumps({mutant["source"]: mutant["status"] for mutant in result["mutants"]}))
"""
CASES = """
from autograder.course.exercise import Case

POINTS = {"values": 1}
WRONG, RIGHT = {}, {}


def cases(rng):
    for x in (0, 3, 1000):
        yield Case("values", (x,))
"""


def test_a_course_without_torch_is_audited(tmp_path):
    source = "def double(x):\n    return 2 * x\n"
    cells = [
        nbformat.v4.new_code_cell(f"{source}"),
        nbformat.v4.new_code_cell("check(double)"),
    ]
    notebook = tmp_path / "solutions" / "00_plain" / "00_plain.ipynb"
    notebook.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), notebook)
    module = tmp_path / "exercises" / "00_plain" / "double.py"
    module.parent.mkdir(parents=True)
    module.write_text(CASES)
    command = [sys.executable, "-c", WITHOUT_TORCH, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    statuses = json.loads(done.stdout)
    assert statuses[source.replace("*", "+")] == "killed"
    assert statuses[source.replace("2 * x", "x")] == "killed"
