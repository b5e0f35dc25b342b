"""What the fork server is started with; `test_sandbox` starts it."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from checkout import ROOT

from autograder.sandbox.launch import make_socket_folder, server_environment
from autograder.sandbox.scratch import delete_scratch


def test_the_fork_server_runs_the_checkout_that_started_it_not_the_installed_one(tmp_path):
    checkout = tmp_path / "checkout"
    for package in ("autograder", "coursekit"):
        source = Path(ROOT, package, "__init__.py")
        (checkout / package).mkdir(parents=True)
        shutil.copy(source, checkout / package)
    for name in ("errors.py", "sandbox"):
        source = ROOT / "autograder" / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, checkout / "autograder" / name)
    program = (
        "import subprocess, sys\n"
        "from autograder.sandbox.launch import server_environment\n"
        "environment = server_environment('/')\n"
        "program = 'import autograder, importlib.util as u; print(autograder.__file__);'\n"
        "program += 'print(u.find_spec(\"coursekit\").origin)'\n"
        "subprocess.run([sys.executable, '-c', program], env=environment, cwd='/', check=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
    )
    found = [Path(line) for line in done.stdout.splitlines()]
    assert found == [checkout / p / "__init__.py" for p in ("autograder", "coursekit")], done.stderr


def test_the_fork_server_gets_no_secret_of_the_environment(monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "hunter2")
    assert "hunter2" not in server_environment("/").values()


def test_sockets_fit_into_their_paths_even_where_the_temporary_folder_is_long(
    tmp_path, monkeypatch
):
    long = tmp_path / ("x" * 90)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    folder = make_socket_folder()
    delete_scratch(folder)
    assert len(f"{folder}/r-12345678/1/s/k-5") <= 107
    assert list(long.iterdir()) == []
