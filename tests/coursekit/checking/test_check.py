"""`check` as a student meets it, against a small recording of its own."""

import contextlib
import functools
import json

import numpy as np
import pytest
import torch

from coursekit.checking import codec, stored_recordings
from coursekit.checking.check import CheckFailed, check
from coursekit.checking.run_cases import run_cases
from coursekit.checking.stored_recordings import RecordingError


class Scale:
    def __init__(self, factor):
        self.factor = factor

    def apply(self, x):
        return self.factor * x


def softmax(x):
    weights = torch.exp(x - x.max())
    return weights / weights.sum()


def no_exponential(x):
    return x / x.sum()


def recorded(name, reference, cases, misconceptions=()):
    for number, case in enumerate(cases):
        case.setdefault("seed", number)
    for case, outcome in zip(cases, run_cases(reference, cases)):
        case["expected"] = outcome
    return {
        "name": name,
        "kind": "function",
        "groups": {"values": 2},
        "cases": cases,
        "misconceptions": [
            {"name": wrong.__name__, "hint": "Take exp first.", "outcomes": run_cases(wrong, cases)}
            for wrong in misconceptions
        ],
    }


@pytest.fixture(autouse=True)
def recording(tmp_path, monkeypatch):
    x = codec.encode(torch.tensor([1.0, 2.0]))
    exercises = {
        "softmax": recorded(
            "softmax", softmax, [{"group": "values", "args": [x], "names": ["x"]}], [no_exponential]
        ),
        "Scale": recorded(
            "Scale", Scale, [{"group": "values", "args": [2.0], "then": [["apply", [x], {}]]}]
        ),
    }
    data = {"format": stored_recordings.FORMAT, "coursekit": "0", "exercises": exercises}
    (tmp_path / "04_attention.json").write_text(json.dumps(data))
    (tmp_path / "index.json").write_text(json.dumps(dict.fromkeys(exercises, "04_attention")))
    monkeypatch.setattr(stored_recordings, "_FOLDER", tmp_path)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setattr("coursekit.checking.check._failures", {})
    (
        stored_recordings._paths.cache_clear(),
        stored_recordings.index.cache_clear(),
        stored_recordings.read.cache_clear(),
    )
    yield tmp_path
    (
        stored_recordings._paths.cache_clear(),
        stored_recordings.index.cache_clear(),
        stored_recordings.read.cache_clear(),
    )


def defined(body):
    scope = {"torch": torch, "np": np}
    exec(f"def softmax(x):\n    {body}", scope)
    return scope["softmax"]


def failure(thing):
    with pytest.raises(CheckFailed) as caught:
        check(thing)
    return str(caught.value)


def test_a_right_function_passes_and_says_so(capsys):
    assert check(softmax) is None
    assert "✓ softmax: 2 of 2 points" in capsys.readouterr().out


def test_a_right_class_passes():
    assert check(Scale) is None


def test_a_misconception_shows_its_hint_with_expected_and_actual(capsys):
    message = failure(defined("return x / x.sum()"))
    assert message.startswith("softmax: Take exp first. (")
    shown = capsys.readouterr().out
    assert "expected:" in shown
    assert "softmax(torch.tensor([1., 2.]))" in shown


def test_the_failing_case_can_be_looked_at_and_run_again(capsys):
    failure(defined("return x / x.sum()"))
    last = check.last
    assert "`check.failures` has all failing cases as objects" in capsys.readouterr().out
    assert last.args[0].tolist() == [1.0, 2.0]
    assert torch.equal(last.expected, softmax(last.args[0]))
    assert torch.equal(last.actual, last.run())
    assert torch.equal(last.expected, last.run(softmax))
    check(softmax)
    assert check.last is None
    assert check.failures == []


def test_the_failing_case_of_a_class_has_its_calls_and_runs_again():
    class Broken(Scale):
        def apply(self, x):
            return self.factor + x

    Broken.__name__ = "Scale"
    failure(Broken)
    assert (check.last.args, check.last.steps[0][0]) == ([2.0], "apply")
    assert check.last.run().tolist() == [3.0, 4.0]
    assert check.last.run(Scale).tolist() == check.last.expected.tolist() == [2.0, 4.0]


def test_all_failing_cases_are_kept_the_shown_one_first(recording):
    x = [codec.encode(torch.tensor(values)) for values in ([5.0, 1.0, 2.0], [3.0], [1.0, 2.0])]
    cases = [{"group": "values", "args": [one], "names": ["x"]} for one in x]
    cases[0]["title"] = "three numbers"
    _record(recording, recorded("softmax", softmax, cases))
    failure(defined("return x / x.sum()"))
    shown, other = check.failures
    assert shown is check.last
    assert [len(shown.args[0]), len(other.args[0])] == [2, 3]
    assert torch.equal(other.run(softmax), other.expected)
    assert "softmax, a case of values (three numbers): 3 of 3 numbers differ" in repr(other)
    assert "args = [tensor([5., 1., 2.])]" in repr(other)


def test_a_failing_case_without_a_result_names_the_exception_and_raises_it_again():
    failure(defined("return x / (1 / 0)"))
    assert check.last.actual == "ZeroDivisionError"
    with pytest.raises(ZeroDivisionError):
        check.last.run()
    failure(defined("return object()"))
    assert check.last.actual.type == "object"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("raise NotImplementedError('softmax over x')", "not written yet: softmax over x"),
        ("pass", "as a function without `return` does"),
        ("return torch.softmax(x, 0).numpy()", "torch.from_numpy"),
        ("return torch.softmax(x, 0).long()", "int64 instead of float32"),
        ("return torch.softmax(x, 0)[None]", "shape is (1, 2) instead of (2,)"),
        ("return torch.softmax(x, 0).to('meta')", "on meta"),
        ("return x.exp_() / x.sum()", "input x in place"),
        ("return softmax(x)", "without ever stopping"),
        ("return torch.softmax(x, 0) / 0", "infinity"),
        ("return y", "NameError"),
    ],
)
def test_each_kind_of_mistake_gets_its_own_sentence(body, words):
    assert words in failure(defined(body))


def test_a_function_that_never_ends_is_stopped(monkeypatch):
    monkeypatch.setattr("coursekit.checking.run_cases.run_cases.__defaults__", (0.2, "", False))
    assert "it does not finish" in failure(defined("while True: pass"))


def test_what_a_function_prints_is_shown_in_short(capsys):
    failure(defined("print('look ' * 10_000)"))
    assert "characters in all" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        (torch.ones(2), "without parentheses"),
        (0.5, "without parentheses"),
        ([1], "without parentheses"),
        (None, "you passed None"),
        ("softmax", "not its name in quotes: check(softmax)"),
        (Scale(2.0), "takes the class itself"),
        (lambda x: x, "with `def`"),
        (functools.partial(softmax), "with `def`"),
        (np.exp, "with `def`"),
        (len, "`len` is not a function that you wrote"),
    ],
)
def test_checking_the_wrong_thing_says_what_to_pass(thing, words):
    assert words in failure(thing)


def test_a_renamed_function_is_told_the_name_to_keep():
    def softmaks(x):
        return x

    assert "did you mean softmax?" in failure(softmaks)

    def entirely_different(x):
        return x

    message = failure(entirely_different)
    assert "there is no exercise called entirely_different" in message
    assert "if you did, this notebook is newer than your coursekit: run the first cell" in message


def test_while_autograding_points_are_returned_instead_of_raised(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert check(softmax) == 2
    assert check(defined("return x")) == 0


def test_a_recording_from_another_version_says_to_install_again(recording):
    path = recording / "04_attention.json"
    path.write_text(
        path.read_text().replace(f'"format": {stored_recordings.FORMAT}', '"format": 99')
    )
    stored_recordings.read.cache_clear()
    with pytest.raises(RecordingError, match="another version of coursekit"):
        check(softmax)


def test_a_damaged_recording_says_to_install_again(recording):
    (recording / "04_attention.json").write_text('{"format": 1, "exerc')
    stored_recordings.read.cache_clear()
    with pytest.raises(RecordingError, match="install coursekit again"):
        check(softmax)


def test_failures_show_no_traceback_in_a_notebook():
    error = CheckFailed("softmax: wrong")
    assert error._render_traceback_() == ["CheckFailed: softmax: wrong"]


def _record(folder, exercise, **more):
    """Put an exercise in the place of the recorded one of the same name."""
    path = folder / "04_attention.json"
    data = json.loads(path.read_text())
    data["exercises"][exercise["name"]] = exercise | more
    path.write_text(json.dumps(data))
    stored_recordings.read.cache_clear()


def test_a_further_hint_stays_away_from_failures_that_it_is_not_about(recording, capsys):
    x = codec.encode(torch.tensor([1.0, 2.0]))
    cases = [{"group": group, "args": [x], "names": ["x"]} for group in ("values", "other")]
    exercise = recorded("softmax", softmax, cases)
    exercise["groups"] = {"values": 1, "other": 1}
    _record(recording, exercise, further="Start with torch.exp.", further_for=["other"])

    def offered(answer):
        for _ in range(4):
            failure(answer)
        return "Start with torch.exp." in capsys.readouterr().out

    assert not offered(defined("return x"))
    assert not offered(defined("return x.foo"))
    _record(recording, exercise, further="Start with torch.exp.", further_for=["values"])
    assert not offered(defined("return x.foo"))
    assert offered(defined("return x"))


def test_the_points_of_all_exercises_of_the_notebook_are_shown_at_a_glance(monkeypatch):
    monkeypatch.setattr("coursekit.checking.version_check._needed", {"04_attention": 1})
    monkeypatch.setattr(
        "coursekit.checking.check.notebook_names", lambda: {"softmax": softmax, "Scale": None}
    )
    found = check.all()
    assert (found.points, found.max_points) == (2, 4)
    assert repr(found).splitlines() == [
        "✓ softmax  2 of 2",
        "✗ Scale    0 of 2  not defined: run its cell first",
        "2 of 4 points in the checks",
    ]
    assert "<b>Scale</b>" in found._repr_html_()


def test_the_exercises_of_other_assignments_are_not_among_all(monkeypatch):
    monkeypatch.setattr("coursekit.checking.version_check._needed", {})
    with pytest.raises(CheckFailed, match="run the first cell, which says which assignment"):
        check.all()
    monkeypatch.setattr("coursekit.checking.version_check._needed", {"05_transformer_block": 1})
    with pytest.raises(CheckFailed, match="run the first cell"):
        check.all()
    monkeypatch.setattr("coursekit.checking.version_check._needed", {"04_attention": 1})
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert check.all() is None


def test_a_further_hint_is_offered_from_the_third_failure_on(recording, capsys):
    path = recording / "04_attention.json"
    data = json.loads(path.read_text())
    data["exercises"]["softmax"]["further"] = "Start with torch.exp."
    path.write_text(json.dumps(data))
    stored_recordings.read.cache_clear()
    wrong, right = defined("return x"), defined("return torch.softmax(x, -1)")
    offered = []
    for answer in (wrong, wrong, wrong, wrong, right, wrong):
        with contextlib.suppress(CheckFailed):
            check(answer)
        offered.append("further hint: Start with torch.exp." in capsys.readouterr().out)
    assert offered == [False, False, True, True, False, False]
