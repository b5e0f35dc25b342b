"""An error carried forward costs once: what is judged again, with real kernels and cheaters."""

import json
from dataclasses import replace

import pytest
from checkout import ROOT
from nbformat.v4 import new_code_cell, new_notebook

from autograder.course.assignment import Assignment
from autograder.course.helpers import Helpers
from autograder.course.layout import Course
from autograder.course.reference import read
from autograder.grading import isolated_run, reference_rpc
from autograder.grading.error_carried_forward import Plan, plan, with_right_helpers
from autograder.grading.isolated_run import run_notebook
from autograder.grading.limits import Limits
from autograder.grading.questions import Answers
from autograder.grading.reference_rpc import CALLS, Carried, ReferenceDesk
from autograder.grading.stages import checks_in
from autograder.sandbox.doctor import is_available
from coursekit.checking.html import VerdictView
from coursekit.checking.stored_recordings import find
from coursekit.checking.verdict import Verdict, judge

SOLUTION = """
import torch
from torch import nn
def halves(X):
    return X / 2
def total(X):
    return halves(X).sum()
class Base(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layer = nn.Linear(size, 1, bias=False)
    def forward(self, X):
        return self.layer(halves(X))
class Doubled(Base):
    def twice(self, X):
        return 2 * self(X)
"""
CARRIED = Carried(
    helpers={"total": ["halves"], "Doubled": ["halves", "Base"]},
    kinds={"halves": {}, "Base": {"methods": []}},
    cells=(SOLUTION,),
)
ONE = {"$tensor": {"dtype": "float32", "shape": [2], "data": "AACAQAAAAEA=", "device": "cpu"}}
WEIGHT = {"$tensor": {"dtype": "float32", "shape": [1, 2], "data": "AACAPwAAgD8=", "device": "cpu"}}
QUESTIONS = {
    "halves": [{"args": [ONE], "names": ["X"], "seed": 0}],
    "total": [{"args": [ONE], "names": ["X"], "seed": 0, "gradient": "X"}, {"args": [ONE]}],
    "Doubled": [{"args": [2], "state": {"layer.weight": WEIGHT}, "then": [["twice", [ONE], {}]]}],
}
RIGHT_TOTAL = "def total(X):\n    return halves(X).sum()"
DOUBLED = "class Doubled(Base):\n    def twice(self, X):\n        return 2 * self(X)"

sandboxed = pytest.mark.skipif(
    not is_available(), reason="this machine cannot box processes; see `autograder doctor`"
)


def run(*sources, asked=("total",), carried=CARRIED, **limits):
    """The answers of a notebook with these cells and then a check of each exercise in `asked`."""
    cells = [new_code_cell(source) for source in ("import torch", *sources)]
    for name in QUESTIONS:
        check = new_code_cell(f"check({name})")
        check.metadata["nbgrader"] = {"grade": True, "grade_id": f"check_{name}"}
        check.metadata["coursekit_left_out"] = name not in asked
        cells.append(check)
    return run_notebook(new_notebook(cells=cells), QUESTIONS, Limits(**limits), carried)


def values(answers, name="total"):
    return [outcome.get("value", outcome.get("message")) for outcome in answers.outcomes[name]]


def numbers(value):
    from coursekit.checking.codec import decode_views

    return decode_views(value).values.tolist()


@pytest.mark.parametrize(
    "helper",
    ["def halves(X):\n    return 0 * X", "def halves(X):\n    raise NotImplementedError", ""],
)
@pytest.mark.parametrize("sandbox", [pytest.param(True, marks=sandboxed), False])
def test_a_wrong_helper_is_replaced_gradient_included(helper, sandbox, monkeypatch):
    if helper == "" and not sandbox:
        pytest.skip("the sandbox has run it")
    of_run = isolated_run._environment  # without a sandbox, the checkout need not be installed
    monkeypatch.setattr(
        isolated_run, "_environment", lambda *given: {**of_run(*given), "PYTHONPATH": str(ROOT)}
    )
    answers = run(helper, RIGHT_TOTAL, sandbox=sandbox)
    gradient, value = map(numbers, values(answers))
    assert value == 3.0
    assert gradient == [0.5, 0.5]
    assert answers.called == {"total": ["halves"]}


#: A wrong helper, and a right `total` that calls it under another name.
OTHER_NAMES = {
    "alias": "half = halves\ndef total(X):\n    return half(X).sum()",
    "import": "from __main__ import halves as half\ndef total(X):\n    return half(X).sum()",
    "default": "def total(X, half=halves):\n    return half(X).sum()",
    "named default": "def total(X, *, half=halves):\n    return half(X).sum()",
    "class": "class Of:\n    half = staticmethod(halves)\ndef total(X):\n    return Of.half(X).sum()",
    "attribute": "class Of:\n    def __init__(self): self.half = halves\nof = Of()\n"
    "def total(X):\n    return of.half(X).sum()",
    "partial": "import functools\nhalf = functools.partial(halves)\n"
    "def total(X):\n    return half(X).sum()",
    "container": "PARTS = {'half': [halves]}\ndef total(X):\n    return PARTS['half'][0](X).sum()",
    "closure": "def make(half):\n    def total(X):\n        return half(X).sum()\n    return total\n"
    "total = make(halves)",
    "decorated": "def same(f):\n    def inner(X, n=1):\n        return f(X)\n    return inner\n"
    "halves = same(halves)\nhalf = halves\ndef total(X, half=half):\n    return half(X).sum()",
}


@sandboxed
@pytest.mark.parametrize("kind", OTHER_NAMES)
def test_a_wrong_helper_is_replaced_under_every_name(kind):
    answers = run("def halves(X):\n    return 0 * X", OTHER_NAMES[kind])
    assert numbers(values(answers)[1]) == 3.0
    assert answers.called == {"total": ["halves"]}


@sandboxed
def test_a_wrong_class_is_replaced_under_every_name():
    wrong = "from torch import nn\nclass Base(nn.Module):\n    def __init__(self, size): pass"
    uses = "def total(X, kind=Base):\n    model = kind(2)\n    nn.init.ones_(model.layer.weight)\n"
    uses += "    return model(X).sum()"
    carried = replace(CARRIED, helpers={"total": ["Base"]}, pasted=("Base",))
    answers = run(wrong, uses, carried=carried)
    assert numbers(values(answers)[1]) == 3.0


@sandboxed
def test_what_is_replaced_for_one_exercise_is_the_students_for_another():
    """`Doubled` may not ask for `halves`: it gets the student's, under every name."""
    own = "half = halves\nclass Doubled(nn.Module):\n"
    own += "    def __init__(self, size):\n        super().__init__()\n"
    own += "        self.layer = nn.Linear(size, 1, bias=False)\n"
    own += "    def twice(self, X, other=halves):\n        return half(X) + halves(X) + other(X)"
    carried = replace(CARRIED, helpers={"total": ["halves"], "Doubled": []})
    wrong = "from torch import nn\ndef halves(X):\n    return 0 * X + 1"
    answers = run(wrong, own, RIGHT_TOTAL, asked=["total", "Doubled"], carried=carried)
    assert numbers(values(answers)[1]) == 3.0
    assert numbers(values(answers, "Doubled")[0]) == [3.0, 3.0]


@sandboxed
def test_a_function_of_a_library_is_replaced_under_the_helpers_name_alone():
    wrong = "from torch import neg, neg as halves"
    total = "def total(X):\n    return -neg(halves(X)).sum()"
    assert numbers(values(run(wrong, total))[1]) == 3.0


@sandboxed
def test_a_class_that_inherits_from_a_missing_one_gets_a_right_one():
    carried = replace(CARRIED, pasted=("Base",))
    answers = run(DOUBLED, asked=["Doubled"], carried=carried)
    (found,) = values(answers, "Doubled")
    assert numbers(found) == [6.0]
    assert answers.called == {"Doubled": ["Base"]}


@sandboxed
def test_a_wrong_function_stays_wrong_with_right_helpers():
    answers = run("def halves(X):\n    return X", "def total(X):\n    return halves(X).max()")
    assert numbers(values(answers)[1]) == 2.0


#: Ways to get points by asking; each would make `total` right if it worked.
CHEATS = {
    "asks for its own exercise": """
        from coursekit.checking.right_helpers import Grader, stand_in
        from coursekit.checking.rejudging import _ask
        from functools import partial
        def total(X):
            return stand_in("total", {}, Grader(partial(_ask, get_ipython().kernel)))(X)
        """,
    "asks by the transport": """
        import json
        from coursekit.checking import call_protocol
        def total(X):
            request = {"name": "total", "args": [{"$at": 0}], "kwargs": {"$dict": []},
                "tensors": [call_protocol.write_tensor(X)], "needs": [False], "grad": False,
                "generators": [], "functions": 0, "results": [], "state": [],
                "rng": call_protocol.write_tensor(torch.get_rng_state())}
            reply = get_ipython().kernel.raw_input("1 " + json.dumps(request)).partition(" ")[2]
            return call_protocol.read_tensor(json.loads(reply)["tensors"][0])
        """,
    "asks for another exercise's helper": """
        from coursekit.checking.rejudging import stand_ins
        def total(X):
            return stand_ins["Base"](2)(X).sum() * 0 + 3.0
        """,
    "asks for the text": """
        import inspect
        def total(X):
            return eval(inspect.getsource(halves).split("return")[1])
        """,
    "evaluates there": """
        import json
        def total(X):
            request = {"name": "halves", "args": [{"$source": "3.0"}], "kwargs": {"$dict": []},
                "tensors": [], "needs": [], "grad": False, "generators": [], "functions": 0,
                "results": [], "state": [], "rng": None}
            reply = get_ipython().kernel.raw_input("1 " + json.dumps(request)).partition(" ")[2]
            return torch.tensor(json.loads(reply)["value"])
        """,
}


@sandboxed
def test_no_point_is_earned_by_asking():
    from textwrap import dedent

    for name, cheat in CHEATS.items():
        outcomes = run(dedent(cheat)).outcomes["total"]
        assert all(outcome["status"] == "error" for outcome in outcomes), name


@sandboxed
def test_a_helper_answers_nothing_before_its_own_verdict_is_fixed():
    """The check of `halves`, which is judged in the same run, cannot be answered by its stand-in."""
    helpers = {"halves": ["Base"], **CARRIED.helpers}
    carried = Carried(helpers, CARRIED.kinds, cells=CARRIED.cells)
    cheat = (
        "from functools import partial\n"
        "from coursekit.checking.rejudging import _ask\n"
        "from coursekit.checking.right_helpers import Grader, stand_in\n"
        "def halves(X):\n"
        "    return stand_in('halves', {}, Grader(partial(_ask, get_ipython().kernel)))(X)"
    )
    answers = run(cheat, RIGHT_TOTAL, asked=["halves", "total"], carried=carried)
    (outcome,) = answers.outcomes["halves"]
    assert outcome["status"] == "error"
    assert "only the helpers of the exercise" in outcome["message"]
    assert numbers(values(answers)[1]) == 3.0  # what calls it later is judged with a right one


@sandboxed
def test_the_solution_is_nowhere_in_the_sandbox():
    search = (
        "import gc\n"
        "def total(X):\n"
        "    texts = [one for one in gc.get_objects() if isinstance(one, (list, dict, tuple))]\n"
        "    mark = 'return X ' + '/ 2'\n"
        "    return torch.tensor(float(sum(mark in str(one)[:10**5] for one in texts[-2000:])))"
    )
    seen = run("def halves(X):\n    return X", search)
    assert numbers(values(seen)[1]) == 0.0


def call(name="halves", **change):
    request = {"name": name, "args": [1.5], "kwargs": {"$dict": []}, "tensors": [], "needs": []}
    request |= {"grad": False, "generators": [], "functions": 0, "results": [], "state": []}
    import torch

    from coursekit.checking.call_protocol import write_tensor

    return json.dumps({**request, "rng": write_tensor(torch.get_rng_state()), **change})


@pytest.fixture(scope="module")
def desk():
    endless = SOLUTION.replace(
        "return X / 2", "import time\n    while X == 9: pass\n    return X / 2"
    )
    carried = Carried({"total": ["halves"]}, {"halves": {}}, cells=(endless,))
    with pytest.MonkeyPatch.context() as patch, ReferenceDesk(carried) as desk:
        patch.setattr(reference_rpc, "CALL_SECONDS", 1.0)
        desk.start()
        yield desk


def ask(desk, *given, exercise="total", fixed=()):
    return json.loads(desk.answer(exercise, *given, fixed))


def test_the_desk_answers_for_the_exercise_that_is_judged_and_nothing_else(desk):
    assert ask(desk, call())["value"] == 0.75
    assert "error" in ask(desk, call(), exercise="Doubled")
    assert "error" in ask(desk, call(), fixed=["total"])
    assert "error" in ask(desk, call("total"))
    for text in ("nothing", "[]", "[" * 10**5, '{"name": []}', "x" * 5 * 2**20):
        assert "error" in ask(desk, text)
    assert ask(desk, call())["value"] == 0.75


def test_calls_are_limited_in_number_and_size(desk, monkeypatch):
    monkeypatch.setattr(reference_rpc, "CALLS", desk._calls["total"] + 1)
    assert "value" in ask(desk, call())
    assert "may call its helpers" in ask(desk, call())["message"]
    monkeypatch.setattr(reference_rpc, "CALLS", CALLS)
    monkeypatch.setattr(reference_rpc, "CHARACTERS", desk._characters["total"] + 10)
    assert "MiB" in ask(desk, call())["message"]


def test_a_call_without_end_is_stopped(desk):
    assert "no answer after" in ask(desk, call(args=[9]))["message"]
    assert ask(desk, call())["value"] == 0.75


@pytest.fixture(scope="module")
def attention():
    assignment = Assignment(Course(ROOT), "04_attention")
    return assignment, Helpers(assignment), read(assignment.course.solution(assignment.name))


def verdict(name, passed=True, **more):
    return Verdict(name, 2.0 * passed, 2.0, [], **more)


def planned(notebook, *given):
    return plan(notebook, checks_in(notebook), *given)


def verdicts(assignment, *failed):
    return [verdict(name, name not in failed) for name in assignment.exercises]


def test_nothing_is_judged_again_where_nothing_or_no_helper_failed(attention):
    assignment, helpers, notebook = attention
    for failed in ([], ["masked_softmax"], ["HierarchicalAttention"]):
        found = planned(notebook, assignment.release, helpers, verdicts(assignment, *failed))
        assert found is None, failed


def test_what_calls_a_failed_helper_is_judged_again_if_it_failed_and_is_written(attention):
    assignment, helpers, notebook = attention
    failed = verdicts(assignment, "masked_softmax", "HierarchicalAttention", "key_value_attention")
    found = planned(notebook, assignment.release, helpers, failed)
    assert found.carried.helpers == {
        "key_value_attention": ["masked_softmax"],
        "HierarchicalAttention": ["masked_softmax"],
    }
    assert found.carried.kinds == {"masked_softmax": {}}
    assert planned(assignment.release, assignment.release, helpers, failed) is None  # all TODOs


WRONG_LATER = "def masked_softmax(X, lengths):\n    return 0 * X"
#: Cells after the check of `masked_softmax`, and whether they may change it.
LATER = {
    WRONG_LATER: True,
    "from torch import softmax as masked_softmax": True,
    "if True:\n    masked_softmax = None": True,
    "torch = None": True,
    "exec('masked_softmax = None')": True,
    "masked_softmax.__code__ = (lambda *given: 0).__code__": True,
    "import torch\nscores = torch.zeros(2)\nprint(masked_softmax(scores, None))": False,
    "def my_softmax(X):\n    masked_softmax = X\n    return masked_softmax": False,
    "masked_softmax = = 2": False,  # it does not run
}


@pytest.mark.parametrize("source", LATER)
def test_a_helper_that_may_have_changed_after_its_check_is_replaced(attention, source):
    assignment, helpers, notebook = attention
    place = next(i for i, c in enumerate(notebook.cells) if c.source == "check(masked_softmax)")
    cells = [*notebook.cells]
    cells.insert(place + 1, new_code_cell(source))
    failed = verdicts(assignment, "HierarchicalAttention")
    found = planned(new_notebook(cells=cells), assignment.release, helpers, failed)
    if not LATER[source]:
        assert found is None
        return
    assert "masked_softmax" in found.carried.helpers["HierarchicalAttention"]
    assert "masked_softmax" in found.changed
    before = new_notebook(cells=[new_code_cell(source), *notebook.cells])
    assert planned(before, assignment.release, helpers, failed) is None  # its check has seen it


def test_what_a_later_cell_of_the_student_defines_for_a_helper_counts_as_its_change(attention):
    assignment, helpers, notebook = attention
    cells = [new_code_cell("def minus(X):\n    return -X"), *notebook.cells]
    place = next(i for i, c in enumerate(cells) if c.source == "check(masked_softmax)")
    own = new_code_cell("def masked_softmax(X, lengths):\n    return -minus(X)")
    cells[place:place] = [own]
    failed = verdicts(assignment, "HierarchicalAttention")
    assert planned(new_notebook(cells=cells), assignment.release, helpers, failed) is None
    cells.insert(place + 2, new_code_cell("minus = None"))
    found = planned(new_notebook(cells=cells), assignment.release, helpers, failed)
    assert found.carried.helpers == {"HierarchicalAttention": ["masked_softmax"]}


def test_what_was_pasted_is_judged_too_but_carries_no_points():
    assignment = Assignment(Course(ROOT), "08_sentence_encoders")
    notebook = read(assignment.course.solution(assignment.name))
    failed = verdicts(assignment, "self_attention_pool")
    found = planned(notebook, assignment.release, Helpers(assignment), failed)
    assert found.carried.helpers == {
        "self_attention_pool": ["masked_softmax"],
        "masked_softmax": [],
    }
    assert found.carried.judged == ["self_attention_pool"]


def judged(old, new, called, carried=CARRIED):
    answers = Answers({name: [] for name in carried.helpers}, {}, called)
    return with_right_helpers(old, new, answers, Plan(new_notebook(), carried))


def test_the_better_verdict_counts_and_names_the_wrong_helper():
    old = [verdict("total", False, hint="wrong hint"), verdict("Doubled")]
    new = [verdict("total"), verdict("Doubled", False)]
    found = judged(old, new, {"total": ["halves"]})
    assert [one.points for one in found] == [2.0, 2.0]
    assert found[0].judged_with == ["halves"]
    assert "judged with a right `halves`, since yours is wrong" in repr(VerdictView(found[0]))
    assert "<code>halves</code>" in VerdictView(found[0])._repr_html_()


def test_what_is_wrong_with_right_helpers_too_is_explained_by_its_own_mistake():
    old, new = verdict("total", False, hint="about halves"), verdict("total", False, hint="its own")
    (found,) = judged([old], [new], {"total": ["halves"]})
    assert (found.hint, found.judged_with) == ("its own", ["halves"])


#: Answers that carry what the submission was told about a helper, one for each way.
MARK = "417.25"
CARRIERS = [
    {"status": "error", "type": f"E{MARK}", "message": MARK, "line": MARK, "shadows": MARK},
    {
        "status": "value",
        "value": {
            "$tensor": {"dtype": "float32", "shape": [0, 41725], "data": "", "device": "cpu"}
        },
    },
    {"status": "value", "value": MARK, "printed": MARK, "printed_characters": 41725},
    {"status": "value", "value": 41725.0, "changed": [MARK], "drew_from": [MARK]},
    {"status": "value", "value": float(MARK)},
]


@pytest.mark.parametrize("outcome", CARRIERS)
def test_a_verdict_with_right_helpers_quotes_nothing_that_the_submission_answered(outcome):
    recorded = find("key_value_attention")
    new = judge(recorded, [outcome] * len(recorded["cases"]))
    assert any(mark in str(new.to_dict()) for mark in (MARK, "41725", "41,725"))
    old = verdict("key_value_attention", False)
    carried = replace(CARRIED, helpers={"key_value_attention": ["masked_softmax"]})
    (found,) = judged([old], [new], {"key_value_attention": ["masked_softmax"]}, carried)
    said = str(found.to_dict()) + repr(VerdictView(found)) + VerdictView(found)._repr_html_()
    assert not any(mark in said for mark in (MARK, "41725", "41,725"))
    assert found.headline


def test_a_helper_that_was_changed_is_named_if_that_made_a_difference():
    old, answers = verdict("total", False, hint="its own", digest="1"), Answers({"total": []})
    answers.called = {"total": ["halves"]}
    plan = Plan(new_notebook(), CARRIED, frozenset(["halves"]))
    (found,) = with_right_helpers([old], [replace(old)], answers, plan)
    assert found is old
    for new in (verdict("total"), replace(old, digest="2")):
        (found,) = with_right_helpers([old], [new], answers, plan)
        assert "a right `halves`, since yours changed after its check had passed" in found.help


def test_a_helper_that_is_right_with_its_own_helper_is_not_named():
    helpers = {"middle": ["inner"], "outer": ["inner", "middle"]}
    carried = Carried(helpers, {"inner": {}, "middle": {}})
    old = [verdict("inner", False), verdict("middle", False), verdict("outer", False)]
    new = [verdict("inner", False), verdict("middle"), verdict("outer")]
    called = {"middle": ["inner"], "outer": ["middle"]}
    found = judged(old, new, called, carried)
    assert [one.judged_with for one in found] == [[], ["inner"], ["inner"]]


def test_an_answer_that_calls_no_helper_keeps_its_own_explanation():
    old, new = verdict("total", False, hint="its own"), verdict("total", False)
    (found,) = judged([old], [new], {})
    assert (found.hint, found.judged_with) == ("its own", [])


def test_where_no_answer_came_back_no_hint_blames_the_caller():
    old = verdict("total", False, hint="about halves", misconception="some")
    answers = Answers({"total": None})
    (found,) = with_right_helpers(
        [old], [verdict("total", False)], answers, Plan(new_notebook(), CARRIED)
    )
    assert (found.hint, found.misconception, found.points) == ("", "", 0.0)
