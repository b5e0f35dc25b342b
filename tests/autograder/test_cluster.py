"""Grading on a Dask cluster: a real scheduler and real workers, processes of their own."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from autograder import cluster
from autograder.authoring import source_of
from autograder.catalog import exercises
from autograder.demo import filled
from autograder.errors import CourseError
from autograder.gradebook import Classroom
from autograder.grading import grade_class

NAME, EXERCISE = "07_topic", "average_topic"


def free_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture
def processes():
    """Start programs of Dask; they end with the test."""
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()


@pytest.fixture
def scheduler(processes):
    address = free_address()
    processes("scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2])
    return address


@pytest.fixture
def start_worker(processes, scheduler, tmp_path):
    def start():
        folder = str(tmp_path / "workers")
        return processes(
            "worker", scheduler, "--no-nanny", "--nthreads", "1", "--local-directory", folder
        )

    return start


@pytest.fixture
def class_of_nine(small_course):
    """Right, wrong and unwritten answers in turn, each notebook with a second of work."""
    wrong = exercises(small_course, NAME)[EXERCISE].misconceptions[0]
    answers = ({}, {EXERCISE: source_of(wrong.implementation, EXERCISE)}, {EXERCISE: None})
    for number in range(9):
        notebook = filled(small_course, NAME, answers[number % 3])
        notebook.cells.insert(1, new_code_cell("import time\ntime.sleep(1)"))
        path = small_course.root / "submitted" / f"s{number}" / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    return small_course


def test_one_worker_killed_and_one_frozen_nothing_is_lost_nor_graded_twice(
    class_of_nine, scheduler, start_worker, monkeypatch
):
    monkeypatch.setattr(cluster, "_FROZEN_AFTER", 5.0)
    booked = []
    autograde = Classroom.autograde

    def counted(self, assignment, student, config):
        booked.append(student)
        return autograde(self, assignment, student, config)

    monkeypatch.setattr(Classroom, "autograde", counted)
    workers = [start_worker() for _ in range(3)]

    def harm():
        deadline = time.monotonic() + 120
        while not booked and time.monotonic() < deadline:
            time.sleep(0.05)
        workers[0].kill()
        os.kill(workers[1].pid, signal.SIGSTOP)

    harming = threading.Thread(target=harm)
    harming.start()
    there = grade_class(class_of_nine, NAME, scheduler=scheduler)
    harming.join()
    assert workers[0].poll() is not None
    assert booked == sorted(there.verdicts) == [f"s{n}" for n in range(9)]
    assert [sum(v.points for v in there.verdicts[f"s{n}"]) for n in (0, 2)] == [3, 0]
    here = grade_class(class_of_nine, NAME, again=True)
    assert here.verdicts == there.verdicts


def test_when_every_worker_is_lost_the_rest_runs_on_this_machine(
    class_of_nine, scheduler, start_worker, monkeypatch, capsys
):
    monkeypatch.setattr(cluster, "_JOIN_SECONDS", 10.0)
    worker = start_worker()
    autograde = Classroom.autograde

    def killing(self, assignment, student, config):
        if student == "s1":
            worker.kill()
        return autograde(self, assignment, student, config)

    monkeypatch.setattr(Classroom, "autograde", killing)
    graded = grade_class(class_of_nine, NAME, scheduler=scheduler)
    assert len(graded.verdicts) == 9
    assert graded.unread == {}
    assert sum(v.points for v in graded.verdicts["s6"]) == 3
    assert "runs here instead" in capsys.readouterr().out


def test_no_scheduler_no_worker_and_another_version_are_each_one_sentence(
    class_of_nine, scheduler, start_worker, monkeypatch
):
    with pytest.raises(CourseError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1 "):
        grade_class(class_of_nine, NAME, scheduler="tcp://127.0.0.1:1")
    monkeypatch.setattr(cluster, "_JOIN_SECONDS", 3.0)
    with pytest.raises(CourseError, match="has no workers"):
        grade_class(class_of_nine, NAME, scheduler=scheduler)
    start_worker()
    monkeypatch.setattr(cluster, "_JOIN_SECONDS", 60.0)
    monkeypatch.setattr(cluster, "grader_digest", lambda: "another")
    with pytest.raises(CourseError, match="another version of the course"):
        grade_class(class_of_nine, NAME, scheduler=scheduler)
