"""Users of the system, for what only several of them can try: nbgrader's exchange."""

import contextlib
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import ROOT


def user_name(name: str) -> str:
    """A user's name in this process: a run of the tests beside this one has users of its own."""
    return f"ck_{name}_{os.getpid()}"


def run(user: str, folder: Path, *command: str) -> str:
    """Run a Python module as a user, in a folder; its output."""
    home = str(folder)
    environment = {
        **{k: os.environ[k] for k in ("LANG", "OMP_NUM_THREADS") if k in os.environ},
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        **dict.fromkeys(("HOME", "IPYTHONDIR", "MPLCONFIGDIR", "JUPYTER_CONFIG_DIR"), home),
        **dict.fromkeys(("USER", "LOGNAME"), user),
    }
    done = subprocess.run(
        [sys.executable, "-m", *command],
        user=user,
        group=user,
        extra_groups=[],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"{user}: {command}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


@contextlib.contextmanager
def system_users(*names: str) -> Iterator[None]:
    """Users that can run `autograder`; the test is skipped where they cannot be made or run Python."""
    with new_users(*names):
        try:
            run(names[-1], Path("/"), "autograder", "--version")
        except (PermissionError, AssertionError):
            pytest.skip(f"other users cannot run {sys.executable}")
        yield


@contextlib.contextmanager
def new_users(*names: str) -> Iterator[None]:
    """Users that are deleted again; the test is skipped where they cannot be made.

    Those of a run that was killed before it could delete them are deleted too.
    """
    if sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("useradd"):
        pytest.skip("only root can create the users that this needs")
    for user in pwd.getpwall():
        left_behind = re.fullmatch(r"ck_[a-z]+_(\d+)", user.pw_name)
        if left_behind and not Path("/proc", left_behind[1]).exists():
            subprocess.run(["userdel", "--force", user.pw_name], check=True)
    made = []
    try:
        for name in names:
            subprocess.run(["useradd", "--no-create-home", "--user-group", name], check=True)
            made.append(name)
        yield
    finally:
        for name in made:
            subprocess.run(["userdel", "--force", name], check=True)


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter; pytest's own is closed by the next run of pytest."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def guides_mode() -> int:
    """Return the permissions that docs/hub.md gives the exchange."""
    (mode,) = re.findall(r"chmod (\d+) /srv/nbgrader/exchange", (ROOT / "docs/hub.md").read_text())
    return int(mode, 8)


def give(folder: Path, user: str) -> None:
    """Make a user the owner of a folder and of all that is in it."""
    subprocess.run(["chown", "-R", f"{user}:{user}", folder], check=True)
