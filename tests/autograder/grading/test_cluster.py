"""Grading on a Dask cluster over TLS: a real scheduler and real workers, processes of their own."""

import contextlib
import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import replace

import dask
import distributed
import nbformat
import pytest
from distributed.protocol.serialize import Serialize, ToPickle
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from processes import wait_for

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.errors import CourseError
from autograder.gradebook.class_folder import Classroom
from autograder.gradebook.grade_class import Options, grade_class
from autograder.gradebook.save_submission import SubmissionSaver
from autograder.grading import cluster, dask_client
from autograder.grading.cluster_answers import Odd, Problem, read_answer

NAME, EXERCISE = "07_topic", "average_topic"
CLASS = 6  # two for each of three workers


def free_address(protocol="tls"):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"{protocol}://127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """Dask's settings for TLS, with an authority of the class's own: name -> file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificates")
    folder = tmp_path_factory.mktemp("tls")
    ours = authority(folder)
    files = {"distributed.comm.tls.ca-file": ours["ca"]}
    for role in ("client", "scheduler", "worker"):
        files[f"distributed.comm.tls.{role}.key"] = ours["key"]
        files[f"distributed.comm.tls.{role}.cert"] = ours["cert"]
    return files


def authority(folder):
    """An authority and a certificate of it: as `docs/scaling.md` makes them."""
    script = """
openssl req -x509 -newkey rsa:2048 -nodes -days 365 -subj /CN=authority -keyout ca.key -out ca.pem
openssl req -newkey rsa:2048 -nodes -subj /CN=grading -keyout grading.key -out grading.csr
openssl x509 -req -in grading.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 365 -out grading.pem
"""
    for line in script.split("\n"):
        if line:
            subprocess.run(line.split(), cwd=folder, check=True, capture_output=True)
    names = {"ca": "ca.pem", "key": "grading.key", "cert": "grading.pem"}
    return {name: str(folder / file) for name, file in names.items()}


@pytest.fixture(autouse=True)
def with_certificates(certificates):
    with dask.config.set(certificates):
        yield


@pytest.fixture
def processes(certificates):
    """Start programs of Dask; they end with the test."""
    started = []
    settings = {
        f"DASK_{name.replace('.', '__').replace('-', '_').upper()}": path
        for name, path in certificates.items()
    }

    def start(*arguments, before=()):
        process = subprocess.Popen(
            [*before, sys.executable, "-m", "dask", *arguments, "--no-dashboard"],
            env={**os.environ, **settings},
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
def scheduler(processes, tmp_path):
    where = tmp_path / "scheduler.json"  # it writes its address, once it listens
    process = processes(
        *("scheduler", "--protocol", "tls", "--host", "127.0.0.1", "--port", "0"),
        *("--scheduler-file", str(where)),
    )
    assert wait_for(where, process, lambda path: path.exists() and path.stat().st_size)
    return json.loads(where.read_text())["address"]


@pytest.fixture
def start_worker(processes, scheduler, tmp_path):
    def start():
        folder = str(tmp_path / "workers")
        return processes(
            "worker", scheduler, "--no-nanny", "--nthreads", "1", "--local-directory", folder
        )

    return start


@pytest.fixture
def plant(tmp_path, monkeypatch):
    """Code that runs first in each Python that is started in the block."""

    @contextlib.contextmanager
    def planted(code):
        (tmp_path / "sitecustomize.py").write_text(code)
        with monkeypatch.context() as only_here:
            only_here.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
            yield

    return planted


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
    """Right, wrong and unwritten answers in turn."""
    wrong = Assignment(small_course, NAME).exercises[EXERCISE].misconceptions[0]
    answers = ({}, {EXERCISE: Assignment(small_course, NAME).typed(wrong)}, {EXERCISE: None})
    for number in range(CLASS):
        notebook = filled(Assignment(small_course, NAME), answers[number % 3])
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
    booked, begun = [], threading.Event()
    save = SubmissionSaver.save

    def counted(self, student, notebook):
        booked.append(student)
        begun.set()
        return save(self, student, notebook)

    monkeypatch.setattr(SubmissionSaver, "save", counted)

    def wait_and_harm():
        begun.wait()
        harm()

    harming = threading.Thread(target=wait_and_harm)
    harming.start()
    try:
        there = grade_class(course, NAME, options=Options(scheduler=scheduler))
    finally:
        begun.set()
        harming.join()
    assert sorted(booked) == list(there.verdicts) == [f"s{n}" for n in range(CLASS)]
    points = [sum(v.points for v in verdicts) for verdicts in there.verdicts.values()]
    assert points == [3, 1, 0] * (CLASS // 3)
    return there.verdicts


#: A worker that says that it has a submission, and never returns it.
HOLDING = """
import pathlib, time
import autograder.grading.cluster as module
def run_here(*request):
    pathlib.Path({path!r}).touch()
    time.sleep(10_000)
module.run_here = run_here
"""


def test_what_a_killed_worker_had_goes_to_another_and_nothing_is_graded_twice(
    course, scheduler, start_worker, plant, tmp_path, monkeypatch
):
    has = tmp_path / "has"
    with plant(HOLDING.format(path=str(has))):
        worker = start_worker()
    start_worker()
    wait_for_workers(scheduler, 2)

    def harm():
        assert wait_for(has, worker)
        worker.kill()

    grade_while(course, scheduler, monkeypatch, harm)
    assert worker.poll() is not None


def wait_for_workers(scheduler, number):
    with distributed.Client(scheduler, set_as_default=False, timeout="1h") as client:
        client.wait_for_workers(number)


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
    processes("scheduler", "--protocol", "tls", "--host", "0.0.0.0", "--port", port)
    workers = [
        processes(
            *("worker", f"tls://{address}:{port}", "--no-nanny", "--nthreads", "1"),
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
    with pytest.raises(CourseError, match=r"no Dask scheduler answers at tls://127\.0\.0\.1:1 "):
        grade_class(course, NAME, options=Options(scheduler="tls://127.0.0.1:1"))
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
def faulty_worker(start_worker, plant):
    """A worker on which the grader fails."""
    with plant(FAULT):
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


def test_without_tls_only_this_machine_is_reached(course, monkeypatch):
    for address in ("tcp://10.0.0.5:8786", "tcp://192.0.2.1:1", "ws://127.0.0.1:1"):
        with pytest.raises(CourseError, match=r"not reached over TLS.*docs/scaling\.md"):
            grade_class(course, NAME, options=Options(scheduler=address))
    with pytest.raises(CourseError, match="is no address of a Dask scheduler"):
        grade_class(course, NAME, options=Options(scheduler="10.0.0.5"))
    dask_client.require_safe("tcp://localhost:8786", "the scheduler at")
    dask_client.require_safe("tcp://[::1]:8786", "the scheduler at")
    with (
        dask.config.set({"distributed.comm.tls.ca-file": None}),
        pytest.raises(CourseError, match="needs certificates, and Dask's configuration names none"),
    ):
        grade_class(course, NAME, options=Options(scheduler="tls://10.0.0.5:8786"))


def test_who_has_no_certificate_of_the_class_reaches_nothing(
    course, scheduler, start_worker, tmp_path
):
    start_worker()
    strange = authority(tmp_path)
    settings = {f"distributed.comm.tls.client.{name}": strange[name] for name in ("key", "cert")}
    with dask.config.set(settings), pytest.raises(CourseError, match="no Dask scheduler answers"):
        grade_class(course, NAME, options=Options(scheduler=scheduler))
    plain = scheduler.replace("tls:", "tcp:")
    with pytest.raises(CourseError, match="no Dask scheduler answers"):
        grade_class(course, NAME, options=Options(scheduler=plain))


class Bomb:
    """Whoever unpickles it writes the number of the process into a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        write = (
            f"with open({str(self.path)!r}, 'a') as f: f.write(f'{{__import__(\"os\").getpid()}} ')"
        )
        return exec, (write,)


@pytest.mark.parametrize("wrapped", [ToPickle, Serialize])
def test_nothing_that_dask_sends_is_unpickled_while_a_cluster_is_used(tmp_path, wrapped):
    path = tmp_path / "unpickled"
    frames = [bytes(f) for f in distributed.protocol.dumps({"x": wrapped(Bomb(path))})]
    with dask_client.only_reading():
        with pytest.raises(TypeError, match="nothing that comes from a cluster is unpickled"):
            distributed.protocol.loads(frames)
        with pytest.raises(TypeError):
            distributed.protocol.pickle.loads(pickle.dumps(Bomb(path)))
    assert not path.exists()
    distributed.protocol.loads(frames)  # it would have been
    assert path.read_text().split() == [str(os.getpid())]


ANSWER = {
    "nonce": "n",
    "cells": [[1, [{"output_type": "stream", "name": "stdout", "text": "x"}], 1]],
    "outcomes": {"one": [{"value": 1}], "two": None},
    "ends": {"two": "it stopped"},
    "usage": {"seconds": 1.0},
}


def read(answer, nonce="n"):
    notebook = new_notebook(cells=[new_markdown_cell("text"), new_code_cell("code")])
    text = answer if isinstance(answer, (str, bytes)) else json.dumps(answer)
    answers = read_answer(text, nonce, notebook, {"one": [{}], "two": [{}]})
    return notebook, answers


def test_an_answer_changes_outputs_only():
    notebook, answers = read({**ANSWER, "metadata": {"points": 9}, "source": "x"})
    assert notebook.cells[1].source == "code"
    assert notebook.cells[1].outputs == [{"output_type": "stream", "name": "stdout", "text": "x"}]
    assert answers.outcomes == {"one": [{"value": 1}], "two": None}
    assert answers.ends == {"two": "it stopped"}
    with pytest.raises(Problem, match="why") as problem:
        read({"nonce": "n", "kind": "fault", "problem": "why"})
    assert problem.value.kind == "fault"


SHOWN = {"output_type": "display_data", "data": {"text/html": ["x"]}, "metadata": {}}


@pytest.mark.parametrize(
    "change",
    [
        {"nonce": "another"},
        {"nonce": None},
        {"problem": 1},
        {"problem": "x", "kind": "mine"},
        {"cells": [[0, [], None]]},
        {"cells": [[1, [], None], [7, [], None]]},
        {"cells": [[1, [], "<script>"]]},
        {"cells": [[1, [{"output_type": "stream", "name": "stdout"}], 1]]},
        {"cells": [[1, [{"output_type": "stream", "name": 1, "text": []}], 1]]},
        {"cells": [[1, [{"output_type": "pickle", "data": "x"}], 1]]},
        {"cells": [[1, [SHOWN], 1]]},
        {"cells": 5},
        {"outcomes": {"one": [{"value": 1}]}},
        {"outcomes": {"one": [{}, {}], "two": None}},
        {"outcomes": {"one": [1], "two": None}},
        {"outcomes": {"one": "x", "two": None}},
        {"outcomes": {"one": None, "two": None, "three": None}},
        {"outcomes": []},
        {"ends": {"two": 5}},
        {"usage": {"seconds": "long"}},
        {"usage": {"seconds": 1e999}},
        {"usage": {"seconds": 1.0, "points": 9}},
        {"usage": 5},
    ],
)
def test_an_answer_that_is_not_in_order_is_not_taken(change):
    with pytest.raises(Odd):
        read({**ANSWER, **change})


@pytest.mark.parametrize(
    "text", ["", "[", "[]", "null", b"{}", "[" * 100_000, "[],", '{"nonce": "n"}']
)
def test_an_answer_that_is_no_answer_is_not_taken(text):
    with pytest.raises(Odd):
        read(text)


def test_an_answer_of_too_many_elements_is_not_parsed(monkeypatch):
    text = "[" + "[]," * 20_000_000 + "0]"
    monkeypatch.delattr(json, "loads")
    with pytest.raises(Odd, match="too many"):
        read(text)


HOSTILE = """
import os, time
import autograder.grading.cluster as module
import distributed.protocol.serialize as serialize
before = module.run_here
class Bomb(Exception):
    def __reduce__(self):
        return eval, ("open({path!r}, 'a').write(f'{{os.getpid()}} ')", {{"os": os}})
def run_here(text, questions, limits, digest, nonce):
    {body}
module.run_here = run_here
"""
BODIES = {
    "pickle": "serialize.families['msgpack'] = serialize.families['pickle']; return Bomb()",
    "exception": "raise Bomb()",
    "flood": "return 'x' * 4_000_000",
    "hang": "time.sleep(10_000)",
    "nothing": "return '{{}}'",
    "another": "return before(text, questions, limits, digest, 'another')",
    "end": "os._exit(1)",
    "version": "return before(text, questions, limits, 'another', nonce)",
}


@pytest.mark.parametrize(
    "body",
    [name if name == "pickle" else pytest.param(name, marks=pytest.mark.slow) for name in BODIES],
)
def test_a_hostile_worker_costs_its_own_submissions_another_run_and_nothing_else(
    body, course, scheduler, start_worker, plant, tmp_path, monkeypatch
):
    monkeypatch.setattr(dask_client, "MAX_MESSAGE_BYTES", 2_000_000)
    monkeypatch.setattr(cluster, "_MAX_SLOWDOWN", 0.0)
    monkeypatch.setattr(cluster, "_GRACE_SECONDS", 30.0)
    unpickled = tmp_path / "unpickled"
    with plant(HOSTILE.format(path=str(unpickled), body=BODIES[body].format())):
        start_worker()
    start_worker()
    wait_for_workers(scheduler, 2)
    there = grade_class(course, NAME, options=Options(scheduler=scheduler))
    points = [sum(v.points for v in verdicts) for verdicts in there.verdicts.values()]
    assert points == [3, 1, 0] * (CLASS // 3)
    assert (there.faults, there.unread) == ({}, {})
    ran = unpickled.read_text().split() if unpickled.exists() else []
    assert str(os.getpid()) not in ran
