"""The run stage alone: which cells run, within which limits, and the usage that is noted."""

import os
import signal

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.course.cells import checked_exercise
from autograder.errors import CourseError
from autograder.grading import isolated_run, run_budget
from autograder.grading.isolated_run import run_notebook
from autograder.grading.limits import Limits, slowdown
from autograder.grading.run_budget import Allowance
from autograder.sandbox import launch
from autograder.sandbox.launch import start_server
from autograder.sandbox.messages import Connection


def graded(source):
    """A graded cell; a check has the grade id that says of which exercise."""
    cell = new_code_cell(source)
    name = checked_exercise(source)
    cell.metadata["nbgrader"] = {"grade": True, "grade_id": f"check_{name}" if name else "last"}
    return cell


def test_cells_after_the_last_graded_one_are_not_run():
    notebook = new_notebook(cells=[new_code_cell("1"), graded("2"), new_code_cell("3")])
    run_notebook(notebook, {})
    assert [cell.execution_count for cell in notebook.cells] == [1, 2, None]


def test_time_processor_and_memory_are_noted():
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    usage = run_notebook(new_notebook(cells=[graded(busy)]), {}).usage
    assert usage.sandboxed
    assert usage.end == ""
    assert usage.cpu_seconds >= 0.5
    assert usage.seconds > 0
    assert usage.memory_bytes > 50 * 2**20


def test_each_cell_that_is_stopped_halves_the_time_of_those_after_it(monkeypatch):
    seconds, timeout = [], Allowance.timeout

    def soon(self):
        seconds.append(timeout(self))
        return 1 if seconds[-1] > 10 else 10_000

    monkeypatch.setattr(Allowance, "timeout", soon)
    monkeypatch.setattr(run_budget, "slowdown", lambda: 1.0)
    cells = [new_code_cell("import time\ntime.sleep(10_000)") for _ in range(2)] + [graded("7")]
    notebook = new_notebook(cells=cells)
    run_notebook(notebook, {}, Limits(cell_seconds=40, sandbox=False))
    assert sorted(set(seconds)) == [10, 20, 40]
    assert notebook.cells[2].outputs[0].data["text/plain"] == "7"


def test_a_cell_gets_five_seconds_however_many_were_stopped_before_it(monkeypatch):
    monkeypatch.setattr(run_budget, "slowdown", lambda: 1.0)
    allowance = Allowance(Limits(cell_seconds=9))
    for _ in range(3):
        allowance.shorten()
    assert allowance.timeout() == 5


@pytest.mark.parametrize(("load", "times"), [(0.5, 1), (4.0, 1), (10.0, 2.5), (400.0, 4)])
def test_wall_time_is_longer_where_processes_wait_for_a_core(monkeypatch, load, times):
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0), raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    assert slowdown() == times


def test_what_all_cells_print_together_is_cut_and_the_cells_go_on():
    cells = [new_code_cell(f"print('{i}' * 10**6); x = {i}") for i in range(5)]
    notebook = new_notebook(cells=[*cells, graded("check(answer)")])
    notebook.cells.insert(5, new_code_cell("def answer(): return x"))
    limits = Limits(notebook_output_bytes=3 * 2**20 + 2**19)
    answers = run_notebook(notebook, {"answer": [{"args": []}]}, limits)
    assert answers.outcomes["answer"][0]["value"] == 4
    texts = ["".join(output.text for output in cell.outputs) for cell in notebook.cells[:5]]
    assert sum(map(len, texts)) < 2**22
    assert any("outputs are left out: a notebook keeps 3.5 MiB" in text for text in texts)


def test_what_an_exercise_forbids_raises_in_the_kernel_though_it_was_imported_before():
    cells = [
        new_code_cell("from coursekit import pad_batch as helper\nprint(helper([[1]])[0])"),
        new_code_cell("def pads(rows): return helper(rows)[0].tolist()"),
        graded("check(pads)"),
    ]
    for forbidden in ([], ["coursekit.text.pad_batch"]):
        case = {"args": [[[1]]], "forbidden": forbidden}
        (outcome,) = run_notebook(new_notebook(cells=cells), {"pads": [case]}).outcomes["pads"]
        assert outcome.get("type") == ("NotAllowed" if forbidden else None)


def test_a_kernel_that_does_not_start_is_an_error_not_a_zero():
    full = Limits(disk_bytes=1)
    with pytest.raises(
        CourseError, match=r"no kernel could be started on this machine: .*No space left"
    ):
        run_notebook(new_notebook(cells=[graded("7")]), {}, full)


def test_a_message_of_too_many_parts_costs_only_its_cell():
    parts = (
        "from ipykernel.kernelapp import IPKernelApp\n"
        "socket = IPKernelApp.instance().kernel.iopub_socket.io_thread.socket\n"
        "socket.send_multipart([b''] * 2_000_000)"
    )
    parts = f"def other(): return 8\n{parts}\nlost = 1"
    cells = ["def answer(): return 7", "check(answer)", parts, "check(other)"]
    notebook = new_notebook(cells=[graded(source) for source in cells])
    limits = Limits(cell_seconds=20, reader_bytes=2**26)
    questions = {"answer": [{"call": {}}], "other": [{"call": {}}]}
    answers = run_notebook(notebook, questions, limits)
    assert answers.outcomes["answer"][0]["value"] == 7
    assert answers.outcomes["other"][0]["value"] == 8
    assert "too large to read" in notebook.cells[2].outputs[0].evalue
    assert answers.usage.end == ""


def test_many_long_answers_come_back_whole_and_in_order():
    define = new_code_cell("def repeat(letter, n): return letter * n")
    lengths = [10, 900_000, 100_000, 100_000, 100_000, 0, 1_000_000, 5]
    cases = [{"args": [chr(97 + i), n], "kwargs": {}} for i, n in enumerate(lengths)]
    notebook = new_notebook(cells=[define, graded("check(repeat)")])
    answers = run_notebook(notebook, {"repeat": cases})
    values = [outcome["value"] for outcome in answers.outcomes["repeat"]]
    assert values == [chr(97 + i) * n for i, n in enumerate(lengths)]


UNLIMITED = """
from coursekit.checking import codec
codec.Encoder.__init__.__defaults__ = (2**40, 2**40)
calls = []
def first(i): return calls.append("first") or [float(i)] * 100_000
def second(i): return calls.append("second") or [float(i)] * 100_000
def right(i): return calls.append("right") or i + 1
"""


def test_after_an_answer_that_is_too_large_others_are_asked_for_one_case_before_the_rest():
    names = ("first", "second", "right")
    checks = [graded(f"check({name})") for name in names]
    shown = graded("[calls.count(name) for name in ('first', 'second', 'right')]")
    notebook = new_notebook(cells=[new_code_cell(UNLIMITED), *checks, shown])
    questions = {name: [{"args": [i], "room": 1000} for i in range(8)] for name in names}
    answers = run_notebook(notebook, questions)
    for name in ("first", "second"):
        assert "many times larger" in answers.ends[name]
    assert [outcome["value"] for outcome in answers.outcomes["right"]] == list(range(1, 9))
    assert shown.outputs[0].data["text/plain"] == "[8, 1, 8]"


def test_a_fork_server_that_is_killed_costs_no_points(monkeypatch):
    start_server()
    killed = []

    class Killing(Connection):
        def __iter__(self):
            for message in super().__iter__():
                if message.get("begun") == 0 and not killed:
                    launch._server.process.kill()
                    killed.append(launch._server.process.wait())
                yield message

    monkeypatch.setattr(isolated_run, "Connection", Killing)
    notebook = new_notebook(cells=[graded("7")])
    answers = run_notebook(notebook, {})
    assert killed == [-signal.SIGKILL]
    assert answers.usage.end == ""
    assert notebook.cells[0].outputs[0].data["text/plain"] == "7"


def test_a_package_that_is_missing_here_is_named_where_its_name_is_used():
    cells = [
        new_code_cell("from a_package_of_colab import reduce"),
        new_code_cell("def answer(x): return reduce(x)"),
        graded("check(answer)"),
    ]
    answers = run_notebook(new_notebook(cells=cells), {"answer": [{"args": [1]}]})
    assert answers.outcomes["answer"][0]["message"] == (
        "name 'reduce' is not defined: cell 1, which imports it, stopped with ModuleNotFoundError:"
        " No module named 'a_package_of_colab'"
    )
