"""A Python that every user of the system can run: this one, or a copy of it that is open to all."""

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from checkout import ROOT

_NEEDED = "import ipykernel, coursekit"


def can_run(python: str, user: str) -> bool:
    """Whether a user can run a Python and import what a kernel needs."""
    try:
        done = subprocess.run(
            [python, "-c", _NEEDED], user=user, extra_groups=[], cwd="/", capture_output=True
        )
    except (OSError, ValueError):
        return False
    return done.returncode == 0


@contextlib.contextmanager
def open_python(user: str) -> Iterator[str]:
    """The path of a Python that a user can run; the test is skipped where there can be none.

    Where the interpreter lies in a folder that is closed to others, such as root's home, its standard
    library is copied (125 MB); the installed packages are not.
    """
    if can_run(sys.executable, user):
        yield sys.executable
        return
    with tempfile.TemporaryDirectory(prefix="python-") as folder:
        os.chmod(folder, 0o755)
        python = _copy(Path(folder))
        if not can_run(python, user):
            pytest.skip(f"other users can run neither {sys.executable} nor a copy of it")
        yield python


def _copy(folder: Path) -> str:
    base, version = Path(sys.base_prefix), f"python{sys.version_info[0]}.{sys.version_info[1]}"
    (folder / "bin").mkdir()
    shutil.copy(base / "bin" / version, folder / "bin")
    left_out = shutil.ignore_patterns("site-packages", "test", "idlelib", "config-*")
    shutil.copytree(base / "lib" / version, folder / "lib" / version, ignore=left_out)
    for library in base.glob("lib/libpython*"):
        shutil.copy(library, folder / "lib", follow_symlinks=False)
    packages = folder / "lib" / version / "site-packages"
    packages.mkdir()
    paths = [str(ROOT), sysconfig.get_path("purelib")]
    (packages / "all.pth").write_text("".join(f"{path}\n" for path in paths))
    start = folder / "python"  # the interpreter looks for its library where it was built
    start.write_text(
        f'#!/bin/sh\nLD_LIBRARY_PATH={folder}/lib exec {folder}/bin/{version} "$@"\n', "utf-8"
    )
    start.chmod(0o755)
    return str(start)
