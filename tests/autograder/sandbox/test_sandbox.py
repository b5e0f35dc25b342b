"""What code in a sandbox can see, reach and break: each test runs hostile cells in a real kernel."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from checkout import ROOT
from nbformat.v4 import new_code_cell, new_notebook
from processes import TELLS_CELLS, processes_of, wait_for_end, wait_for_line

from autograder.grading.isolated_run import run_notebook
from autograder.grading.limits import Limits, hidden_folders
from autograder.sandbox import launch
from autograder.sandbox.doctor import examine, is_available
from autograder.sandbox.isolation import plan_mounts

pytestmark = pytest.mark.skipif(
    not is_available(), reason="this machine cannot sandbox processes; see `autograder doctor`"
)
QUESTION = {"answer": [{"args": [], "names": [], "seed": 0, "group": "values"}]}


def run(*sources, **limits):
    """Run the cells in a sandbox, then ask `answer()`; (what each cell printed, the answers)."""
    cells = [new_code_cell(source) for source in sources]
    check = new_code_cell("check(answer)")
    check.metadata["nbgrader"] = {"grade": True, "solution": False, "grade_id": "check_answer"}
    notebook = new_notebook(cells=[*cells, new_code_cell("def answer(): return 1"), check])
    answers = run_notebook(notebook, QUESTION, Limits(**{"cell_seconds": 20, **limits}))
    printed = [
        "".join(o.get("text", "") or f"{o.get('ename')}: {o.get('evalue')}" for o in cell.outputs)
        for cell in notebook.cells[: len(sources)]
    ]
    return printed, answers


def still_answers(answers):
    return answers.outcomes["answer"] is not None


def test_the_doctor_finds_everything_that_a_sandbox_needs():
    assert all(finding.works for finding in examine())


def test_the_solutions_and_the_host_cannot_be_seen():
    names = ("solutions", "autograder", "tests", "pyproject.toml", "data/results/hints.tsv")
    paths = [*(str(ROOT / name) for name in names), "/etc/shadow", "/var", "/sys"]
    assert all(map(os.path.exists, paths))
    (printed,), answers = run(f"import os; print([p for p in {paths!r} if os.path.exists(p)])")
    assert printed.strip() == "[]"
    assert still_answers(answers)


def test_a_file_of_the_instructor_cannot_be_read_nor_other_submissions(tmp_path):
    (tmp_path / "gradebook.db").write_text("secret")
    (printed,), _ = run(f"print(open({str(tmp_path / 'gradebook.db')!r}).read())")
    assert "FileNotFoundError" in printed


def test_the_graders_package_cannot_be_imported():
    (printed,), _ = run("import autograder")
    assert "ModuleNotFoundError" in printed


def test_nothing_of_the_graders_environment_is_passed_on(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    (printed,), _ = run("import os; print(os.environ, open('/proc/self/environ').read())")
    assert "PATH" in printed
    assert "hunter2" not in printed


def test_only_its_own_processes_can_be_seen():
    (printed,), _ = run("import os; print([p for p in os.listdir('/proc') if p.isdigit()])")
    assert printed.strip() == "['1']"


def test_a_server_on_this_machine_cannot_be_reached():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        (printed,), answers = run(
            f"import socket; socket.create_connection(('127.0.0.1', {port}), 3)"
        )
    assert "ConnectionRefusedError" in printed
    assert still_answers(answers)


def test_an_address_outside_has_no_route():
    (printed,), _ = run("import socket; socket.create_connection(('192.0.2.1', 80), 3)")
    assert "unreachable" in printed


def test_nothing_outside_its_home_can_be_written():
    paths = ("/usr/lib/x", "/etc/passwd", str(ROOT / "coursekit" / "x.py"), "/run/kernel/x")
    printed, _ = run(*(f"open({path!r}, 'w')" for path in paths))
    for text in printed:
        assert "Read-only" in text or "Permission" in text


def test_system_calls_that_no_course_needs_are_refused():
    calls = (
        "libc.unshare(0x10000000)",
        "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
        "libc.ptrace(16, 1, 0, 0)",
        "libc.setns(3, 0)",
        "libc.chroot(b'/tmp')",
    )
    printed, _ = run(
        "import ctypes; libc = ctypes.CDLL(None, use_errno=True)",
        *(f"print({call}, ctypes.get_errno())" for call in calls),
    )
    assert [text.strip() for text in printed[1:]] == ["-1 1"] * len(calls)


def test_sockets_of_the_host_such_as_vsock_are_refused():
    (printed,), _ = run("import socket; socket.socket(40, socket.SOCK_STREAM)")
    assert "PermissionError" in printed


def test_no_privilege_is_left_and_none_can_be_gained():
    (printed,), _ = run("print(open('/proc/self/status').read())")
    status = dict(line.split(":\t") for line in printed.splitlines() if ":\t" in line)
    for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[kind], 16) == 0
    assert status["NoNewPrivs"] == "1"
    assert status["Uid"].split() == ["1000"] * 4


def test_memory_ends_with_a_memory_error_in_python_and_the_rest_is_judged():
    (printed,), answers = run(
        "import torch; x = torch.ones(2**30)", memory_bytes=2**30, cell_seconds=30
    )
    assert "memory" in printed.lower()
    assert still_answers(answers)


@pytest.mark.parametrize("hiding", ["", "import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)"])
def test_processes_that_fill_the_memory_together_are_killed_with_the_reason(hiding):
    (printed,), answers = run(
        "import os, time\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0:\n"
        f"        {hiding or 'pass'}\n"
        "        x = b'1' * (150 * 2**20)\n"
        "        time.sleep(60)\n"
        "time.sleep(60)",
        memory_bytes=2**29,
    )
    assert "it used more than 0.5 GiB of memory" in printed
    assert still_answers(answers)


def test_a_full_disk_costs_only_the_submission():
    (printed,), answers = run(
        "with open('big', 'wb') as file:\n    for _ in range(40): file.write(b'0' * 2**20)",
        disk_bytes=16 * 2**20,
    )
    assert "space" in printed or "large" in printed
    assert still_answers(answers)


def test_a_fork_bomb_hits_the_limit_and_leaves_no_process_behind():
    (printed,), _ = run(
        "import os, time\n"
        "for _ in range(100):\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(100)\n"
        "        os._exit(0)",
        processes=40,
    )
    assert "BlockingIOError" in printed
    wait_for_the_end_of_sandboxes()


def wait_for_the_end_of_sandboxes():
    """Wait until no process of a sandbox is left: the fork server ends none twice."""
    server = launch._server
    while left := processes_of(server.folder) - {server.process.pid}:
        wait_for_end(left)


def test_a_daemon_does_not_outlive_the_submission():
    run(
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(1000)\n"
        "    os._exit(0)"
    )
    wait_for_the_end_of_sandboxes()


@pytest.mark.parametrize(
    "source",
    ["import os; os._exit(0)", "import os; os.abort()", "import ctypes; ctypes.string_at(0)"],
)
def test_a_kernel_that_ends_itself_ends_only_itself(source):
    (printed,), answers = run(source)
    assert "kernel died" in printed
    assert still_answers(answers)
    _, others = run("1")
    assert still_answers(others)


def test_a_kernel_can_kill_neither_its_parent_nor_other_processes():
    _, answers = run("import os; os.kill(os.getppid(), 9)", "import os; os.kill(-1, 9)")
    assert still_answers(answers)


def test_a_loop_that_ignores_signals_is_stopped():
    (printed,), answers = run(
        "import signal\n"
        "for number in (2, 15): signal.signal(number, signal.SIG_IGN)\n"
        "while True: pass",
        cell_seconds=2,
    )
    assert "could not be interrupted" in printed
    assert still_answers(answers)


def test_nothing_is_left_on_disk_or_among_the_mounts(tmp_path, monkeypatch):
    folder = Path(launch.start_server()).parent
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mounts, files = Path("/proc/self/mounts").read_text(), set(folder.rglob("*"))
    run("open('file', 'w').write('x')")
    assert list(tmp_path.iterdir()) == []
    assert set(folder.rglob("*")) == files
    assert Path("/proc/self/mounts").read_text() == mounts


def test_sandboxes_and_their_files_are_gone_after_the_grader_is_killed(tmp_path):
    tmp_path = tmp_path.parent / "b"  # short: sockets are made there
    tmp_path.mkdir()
    source = "import time; time.sleep(10_000)"
    program = TELLS_CELLS + (
        "from nbformat.v4 import *\n"
        f"nb = new_notebook(cells=[new_code_cell({source!r})])\n"
        "nb.cells[0].metadata['nbgrader'] = {'grade': True}\n"
        "isolated_run.run_notebook(nb, {})"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as grader:
        assert wait_for_line(grader.stdout, repr(source))
        assert len(processes_of(tmp_path)) >= 3  # server, supervisor, kernel
        grader.kill()
    while left := processes_of(tmp_path):
        wait_for_end(left)
    assert list(tmp_path.iterdir()) == []


def test_a_fork_server_whose_grader_is_killed_while_it_starts_leaves_nothing(tmp_path):
    folder = tmp_path / "kernels"
    folder.mkdir()
    program = (
        "from autograder.sandbox import fork_server\n"
        "fork_server._IMPORTED = ()\n"  # quicker
        f"fork_server.main({str(folder / 'server')!r})"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    server.stdin.close()
    server.stdout.close()
    with server.stderr:
        assert b"Traceback" not in server.stderr.read()
    server.wait()
    assert not folder.exists()


def test_a_course_in_a_visible_folder_is_not_visible(make_small_course, tmp_path, monkeypatch):
    tmp_path.chmod(0o755)  # pytest's folders are private, and root's sandboxes are not root
    course = make_small_course(tmp_path)
    (course.root / "submitted" / "ada").mkdir(parents=True)
    (tmp_path / "cached").write_text("data")
    monkeypatch.setenv("COURSEKIT_CACHE", str(tmp_path))  # mounted, with all that is in it
    classroom = tmp_path / "classes" / "spring"
    classroom.mkdir(parents=True)
    (classroom / "gradebook.db").write_text("secret")
    source = (
        "import glob\n"
        f"print(sorted(glob.glob({str(tmp_path)!r} + '/**', recursive=True)))\n"
        f"print(open({str(tmp_path / 'cached')!r}).read())"
    )
    hidden = hidden_folders(course.root, classroom)
    (printed, written), answers = run(
        source, f"open({str(course.root / 'x')!r}, 'w')", hidden=hidden
    )
    assert "Read-only" in written or "Permission" in written
    assert still_answers(answers)
    folder = str(tmp_path)
    paths = [
        f"{folder}/",
        *(f"{folder}/{name}" for name in ("cached", "classes", "classes/spring")),
    ]
    assert printed == f"{sorted([*paths, f'{folder}/course'])}\ndata\n"


def test_of_usr_only_what_programs_need_is_visible():
    assert os.path.exists("/usr/src")
    (printed,), answers = run(
        "import os; print([os.path.exists(p) for p in ('/usr/src', '/usr/lib')])"
    )
    assert printed.strip() == "[False, True]"
    assert still_answers(answers)


@pytest.mark.parametrize(
    ("visible", "hidden", "plan"),
    [
        (["/v"], ["/elsewhere"], [("/v", True)]),
        (["/v"], ["/v/course"], [("/v", True), ("/v/course", False)]),
        (
            ["/v", "/v/course/.venv/lib"],
            ["/v/course"],
            [("/v", True), ("/v/course", False), ("/v/course/.venv/lib", True)],
        ),
        (["/v", "/v/lib"], [], [("/v", True)]),
        (["/home/ada/lib"], ["/home/ada"], [("/home/ada/lib", True)]),
        (["/v", "/vv"], ["/v"], [("/vv", True)]),
    ],
)
def test_the_innermost_folder_decides_what_is_visible(visible, hidden, plan):
    assert plan_mounts(visible, hidden) == plan


def test_a_folder_reached_through_a_link_is_hidden_too(tmp_path):
    (tmp_path / "real" / "course").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    visible = f"{tmp_path}/link/course"
    plan = plan_mounts([visible], [f"{tmp_path}/real/course/class"])
    assert plan == [(visible, True), (f"{visible}/class", False)]


def test_memory_that_belongs_to_no_process_is_refused():
    (shared, zero, message, files), answers = run(
        "import mmap; mmap.mmap(-1, 4096)",
        "open('/dev/zero', 'rb')",
        "import ctypes; libc = ctypes.CDLL(None)\nprint(libc.msgget(0, 0o1600), libc.semget(0, 1, 0o1600))",
        "import torch; print(torch.ones(3).share_memory_().sum(), mmap.mmap(-1, 9, mmap.MAP_PRIVATE)[0])",
    )
    assert "PermissionError" in shared
    assert "FileNotFoundError" in zero
    assert message.split() == ["-1", "-1"]
    assert files.split() == ["tensor(3.)", "0"]
    assert still_answers(answers)


def test_full_buffers_of_sockets_count_as_memory():
    (printed, after), answers = run(
        "import socket, time\n"
        "kept = []\n"
        "for _ in range(450): kept.append(socket.socketpair())\n"
        "time.sleep(60)",
        "import socket\n"
        "one, other = socket.socketpair()\n"
        "try: one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**20)\n"
        "except PermissionError: print('refused')\n"
        "other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n"
        "one.setblocking(False)\n"
        "print(one.send(b'x' * 2**20) < 2**18)\n",
        memory_bytes=200 * 2**20,
    )
    assert "it used more than 0.195312 GiB of memory" in printed
    assert after.split() == ["refused", "True"]
    assert still_answers(answers)


@pytest.mark.parametrize("start", ["os.fork() or (os.setsid(), spin())", "threads.append(spin)"])
def test_a_hundred_busy_processes_or_threads_are_killed_with_the_reason(start):
    # numpy's sort lets the other threads run
    (printed,), answers = run(
        "import numpy, os, threading\n"
        "threads, numbers = [], numpy.random.rand(10**6)\n"
        "def spin():\n"
        "    while True: numpy.sort(numbers)\n"
        f"for _ in range(60): {start}\n"
        "for one in threads: threading.Thread(target=one, daemon=True).start()\n"
        "spin()"
    )
    assert "processes or threads busy" in printed
    assert still_answers(answers)
