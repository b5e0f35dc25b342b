"""Makes a release: `make tag VERSION=0.2.0` (see RELEASING.md).

Sets the version, releases all assignments with it, commits and tags. Nothing is pushed; whatever
stops it leaves the working tree as it was.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "coursekit" / "__init__.py"
_LINE = re.compile(r'^__version__ = "(\d+)\.(\d+)\.(\d+)"$', re.MULTILINE)
_VERSION = re.compile(r"(\d+)\.(\d+)\.(\d+)")


def main(version: str) -> None:
    """Check that `version` can be released, then release, commit and tag it."""
    if problem := not_releasable(version):
        sys.exit(f"make tag: {problem}")
    PLACE.write_text(_LINE.sub(f'__version__ = "{version}"', PLACE.read_text("utf-8")), "utf-8")
    try:
        # in a new process: the notebooks name the wheel of the version that it imports
        subprocess.run([sys.executable, "-m", "autograder", "release"], cwd=ROOT, check=True)
        git("commit", "--quiet", "--all", "--message", f"Release {version}")
    except (subprocess.CalledProcessError, KeyboardInterrupt):
        git("reset", "--quiet", "--hard")
        sys.exit("make tag: nothing was released, and every file is as it was.")
    git("tag", "--annotate", f"v{version}", "--message", f"coursekit {version}")
    print(f"v{version} is committed and tagged here. To publish it: git push --follow-tags")


def not_releasable(version: str) -> str:
    """Why this version cannot be released from this tree, as one sentence; "" if it can."""
    wanted = _VERSION.fullmatch(version)
    if not wanted:
        return f"{version or 'nothing'} is not a version; use three numbers, as in VERSION=0.2.0."
    now = _LINE.search(PLACE.read_text("utf-8"))
    if [int(n) for n in wanted.groups()] <= [int(n) for n in now.groups()]:
        return f"{version} is not above {'.'.join(now.groups())}, which coursekit/__init__.py has."
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    if not re.search(rf"^## {re.escape(version)} \(\d{{4}}-\d\d-\d\d\)$", changelog, re.MULTILINE):
        return f"CHANGELOG.md has no section `## {version} (YEAR-MONTH-DAY)`; write it first."
    if git("tag", "--list", f"v{version}"):
        return f"there is a tag v{version} already."
    if git("status", "--porcelain"):
        return "there are changes that are not committed; commit or stash them first."
    return ""


def git(*arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return done.stdout.strip()


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
