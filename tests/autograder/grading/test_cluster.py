"""Grading on a Dask cluster: a real scheduler and real workers, processes of their own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.grade_class import Options, grade_class
from autograder.grading import cluster

NAME, EXERCISE = "07_topic", "average_topic"
CLASS = 6  # two for each of three workers


def free_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture
def processes():
    """Start programs of Dask; they end with the test."""
    started = []

    def start(*arguments, before=()):
        process = subprocess.Popen(
            [*before, sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
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


def ip(*arguments):
    return subprocess.run(["ip", *arguments], capture_output=True).returncode == 0


@pytest.fixture
def hosts():
    """Three hosts with a network of their own, each with a cable to this one: (name, cable, our
    address at the cable)."""
    number = os.getpid() % 200
    found = []
    for k in range(3):
        name, cable, subnet = f"host{number}-{k}", f"cable{number}-{k}", f"10.{number}.{k}"
        made = shutil.which("ip") and ip("netns", "add", name)
        found.append((name, cable, f"{subnet}.1"))
        if not made or not all(
            (
                ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name),
                ip("address", "add", f"{subnet}.1/24", "dev", cable),
                ip("link", "set", cable, "up"),
                ip("-n", name, "address", "add", f"{subnet}.2/24", "dev", "eth0"),
                ip("-n", name, "link", "set", "eth0", "up"),
                ip("-n", name, "link", "set", "lo", "up"),
            )
        ):
            remove(found)
            pytest.skip("this machine makes no network namespaces")
    yield found
    remove(found)


def remove(hosts):
    for name, cable, _ in hosts:
        if shutil.which("ip"):
            ip("link", "delete", cable)
            ip("netns", "delete", name)


@pytest.fixture
def course(small_course):
    """Right, wrong and unwritten answers in turn, each notebook with a second of work."""
    wrong = Assignment(small_course, NAME).exercises[EXERCISE].misconceptions[0]
    answers = ({}, {EXERCISE: Assignment(small_course, NAME).typed(wrong)}, {EXERCISE: None})
    for number in range(CLASS):
        notebook = filled(Assignment(small_course, NAME), answers[number % 3])
        notebook.cells.insert(1, new_code_cell("import time\ntime.sleep(1)"))
        path = small_course.root / "submitted" / f"s{number}" / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    return small_course


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Half a minute is waited in a real class."""
    monkeypatch.setattr(cluster, "_LOOK_EVERY", 1.0)
    monkeypatch.setattr(cluster, "_FROZEN_AFTER", 5.0)


def grade_while(course, scheduler, monkeypatch, harm):
    """Grade, and do harm when the first submission is booked: the verdicts."""
    booked = []
    autograde = Classroom.autograde

    def counted(self, assignment, student, config):
        booked.append(student)
        return autograde(self, assignment, student, config)

    monkeypatch.setattr(Classroom, "autograde", counted)

    def wait_and_harm():
        deadline = time.monotonic() + 120
        while not booked and time.monotonic() < deadline:
            time.sleep(0.05)
        harm()

    harming = threading.Thread(target=wait_and_harm)
    harming.start()
    there = grade_class(course, NAME, options=Options(scheduler=scheduler))
    harming.join()
    assert sorted(booked) == list(there.verdicts) == [f"s{n}" for n in range(CLASS)]
    points = [sum(v.points for v in verdicts) for verdicts in there.verdicts.values()]
    assert points == [3, 1, 0] * (CLASS // 3)
    return there.verdicts


def test_what_a_killed_worker_had_goes_to_another_and_nothing_is_graded_twice(
    course, scheduler, start_worker, monkeypatch
):
    worker, _ = start_worker(), start_worker()
    grade_while(course, scheduler, monkeypatch, worker.kill)
    assert worker.poll() is not None


@pytest.mark.slow
def test_one_worker_killed_and_one_frozen_nothing_is_lost_nor_graded_twice(
    course, scheduler, start_worker, monkeypatch
):
    workers = [start_worker() for _ in range(3)]

    def harm():
        workers[0].kill()
        os.kill(workers[1].pid, signal.SIGSTOP)

    there = grade_while(course, scheduler, monkeypatch, harm)
    assert workers[0].poll() is not None
    assert grade_class(course, NAME, options=Options(regrade=True)).verdicts == there


@pytest.mark.slow
def test_on_several_hosts_one_dead_and_one_cable_pulled_nothing_is_lost_nor_graded_twice(
    course, hosts, processes, tmp_path, monkeypatch
):
    scheduler = free_address()
    port = scheduler.rpartition(":")[2]
    processes("scheduler", "--host", "0.0.0.0", "--port", port)
    workers = [
        processes(
            *("worker", f"tcp://{address}:{port}", "--no-nanny", "--nthreads", "1"),
            *("--local-directory", str(tmp_path / name)),
            before=("ip", "netns", "exec", name),
        )
        for name, _, address in hosts
    ]

    def harm():
        workers[0].kill()
        ip("link", "set", hosts[1][1], "down")

    grade_while(course, scheduler, monkeypatch, harm)


@pytest.mark.slow
def test_when_every_worker_is_lost_the_rest_runs_on_this_machine(
    course, scheduler, start_worker, monkeypatch, capsys
):
    monkeypatch.setattr(cluster, "_JOIN_SECONDS", 10.0)
    worker = start_worker()
    autograde = Classroom.autograde

    def killing(self, assignment, student, config):
        if student == "s1":
            worker.kill()
        return autograde(self, assignment, student, config)

    monkeypatch.setattr(Classroom, "autograde", killing)
    graded = grade_class(course, NAME, options=Options(scheduler=scheduler))
    assert len(graded.verdicts) == CLASS
    assert graded.unread == {}
    assert sum(v.points for v in graded.verdicts["s3"]) == 3
    assert "running it on this machine instead" in capsys.readouterr().out


@pytest.mark.slow
def test_no_scheduler_no_worker_and_another_version_are_each_one_sentence(
    course, scheduler, start_worker, monkeypatch
):
    with pytest.raises(CourseError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1 "):
        grade_class(course, NAME, options=Options(scheduler="tcp://127.0.0.1:1"))
    monkeypatch.setattr(cluster, "_JOIN_SECONDS", 3.0)
    with pytest.raises(CourseError, match="has no workers"):
        grade_class(course, NAME, options=Options(scheduler=scheduler))
    start_worker()
    monkeypatch.setattr(cluster, "_JOIN_SECONDS", 60.0)
    monkeypatch.setattr(cluster, "grader_digest", lambda: "another")
    with pytest.raises(CourseError, match="another version of the course"):
        grade_class(course, NAME, options=Options(scheduler=scheduler))


FAULT = """
import autograder.grading.isolated_run as module
def run_notebook(*args):
    return {}["a bug of the worker"]
module.run_notebook = run_notebook
"""


@pytest.fixture
def faulty_worker(start_worker, tmp_path, monkeypatch):
    """A worker on which the grader fails."""
    (tmp_path / "sitecustomize.py").write_text(FAULT)
    with monkeypatch.context() as planted:
        planted.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
        return start_worker()


def test_a_fault_on_a_worker_is_tried_once_here_and_then_costs_no_point(
    course, scheduler, faulty_worker, monkeypatch, capsys
):
    options = Options(scheduler=scheduler)
    graded = grade_class(course, NAME, students=["s0"], options=options)
    assert (graded.faults, [v.points for v in graded.verdicts["s0"]]) == ({}, [3])
    assert "lost a submission on the cluster (the grader failed there)" in capsys.readouterr().out
    tried = []

    def fail_here_too(*args):
        tried.append(args)
        return {}["a bug of this machine"]

    monkeypatch.setattr(cluster, "run_notebook", fail_here_too)
    graded = grade_class(
        course, NAME, students=["s0", "s1"], options=replace(options, regrade=True)
    )
    assert len(tried) == 2
    assert list(graded.faults) == ["s0", "s1"]
    assert [v.points for v in graded.verdicts["s0"]] == [3]
    assert graded.not_graded() == ["s1"]
    text = graded.faults["s1"].read_text()
    assert "KeyError: 'a bug of the worker'" in text
    assert text.rstrip().endswith("KeyError: 'a bug of this machine'")
