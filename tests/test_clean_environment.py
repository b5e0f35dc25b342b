"""As in Colab: only the wheel, no checkout and no network, for every notebook solved or as released.

nbval runs the solved ones and compares the outputs that are stable across machines.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
import zipfile
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import nbformat
import pytest
from checkout import ROOT

from autograder.authoring.bundle import make_bundle, make_repository
from autograder.authoring.wheels import build_wheels, wheel_names
from autograder.course.layout import Course

COURSE = Course(ROOT)
FIRST, *REST = COURSE.assignments()

_RUN = """
import json, sys
import nbformat
from nbclient import NotebookClient

path, folder = sys.argv[1:]
notebook = nbformat.read(path, as_version=4)
client = NotebookClient(notebook, kernel_name="colab", timeout=300, allow_errors=True,
                        resources={"metadata": {"path": folder}})
client.execute()
errors = [o.ename + ": " + o.evalue for c in notebook.cells for o in c.get("outputs", [])
          if o.output_type == "error"]
text = "".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") + "\\n"
               for c in notebook.cells for o in c.get("outputs", []))
print(json.dumps({"errors": errors, "text": text}))
"""


_LOOPBACK = """
import fcntl, os, socket, struct, sys

SIOCSIFFLAGS, IFF_UP = 0x8914, 1
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
    fcntl.ioctl(probe, SIOCSIFFLAGS, struct.pack("16sh22x", b"lo", IFF_UP))
os.execvp(sys.argv[1], sys.argv[1:])
"""


@functools.cache
def _without_network():
    """The prefix of a command that leaves it this machine's own addresses, where the system can."""
    command = ["unshare", "--map-root-user", "--net", sys.executable, "-c", _LOOPBACK]
    if shutil.which("unshare") and subprocess.run([*command, "true"], check=False).returncode == 0:
        return command
    return []


def make_python(folder):
    """A Python without coursekit in `folder/venv`."""
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True
    )
    python = folder / "venv" / "bin" / "python"
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    # torch and the rest are there already, as in Colab; a .pth line does not follow .pth files,
    # so the editable install of this checkout stays invisible
    (packages / "already_installed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    (packages / "google" / "colab").mkdir(parents=True)
    (packages / "google" / "colab" / "__init__.py").write_text("")
    return python


@pytest.fixture
def new_colab(tmp_path):
    """A folder with a Python without coursekit."""
    make_python(tmp_path / "colab")
    return tmp_path / "colab"


@pytest.fixture(scope="module")
def colab(tmp_path_factory):
    """A content folder with the wheel in it, and a Python without coursekit for its kernel."""
    folder = tmp_path_factory.mktemp("colab")
    make_bundle(COURSE, folder / "bundle")
    content = folder / "content"
    (content / "sample_data").mkdir(parents=True)
    shutil.copy(next((folder / "bundle").glob("*.whl")), content)
    python = make_python(folder)
    kernel = folder / "share" / "kernels" / "colab"
    kernel.mkdir(parents=True)
    launch = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    home = {
        "HOME": str(folder),
        "IPYTHONDIR": str(folder / "ipython"),
        "PYTHONPATH": "",
        "COURSEKIT_MIRROR": "",
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": "/dev/null",
    }
    (kernel / "kernel.json").write_text(
        json.dumps({"argv": launch, "display_name": "Colab", "language": "python", "env": home})
    )
    return folder


def run(colab, *command, **environment):
    return subprocess.run(
        [*_without_network(), sys.executable, *command],
        cwd=colab / "content",
        capture_output=True,
        text=True,
        env={**os.environ, "JUPYTER_PATH": str(colab / "share"), **environment},
    )


def executed(colab, notebook, name):
    """The errors and the text that a notebook gives, run to its end."""
    path = colab / "content" / f"{name}.ipynb"
    nbformat.write(notebook, path)
    done = run(colab, "-c", _RUN, str(path), str(colab / "content"))
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_only_the_wheel_is_there_and_no_network(colab):
    source = (
        "try:\n    import autograder\n    print('autograder is visible')\n"
        "except ImportError:\n    pass\n"
        "import coursekit, socket\nprint('from', coursekit.__file__)\n"
        "try:\n    socket.create_connection(('192.0.2.1', 80), timeout=0.2)\n"
        "except OSError:\n    print('no network')"
    )
    cells = nbformat.read(COURSE.notebook("00_setup"), as_version=4).cells
    install = next(cell for cell in cells if "%pip install" in cell.source)
    probe = nbformat.v4.new_notebook(cells=[install, nbformat.v4.new_code_cell(source)])
    result = executed(colab, probe, "probe")
    assert result["errors"] == []
    assert "autograder is visible" not in result["text"]
    assert f"from {colab}/venv" in result["text"]
    assert "no network" in result["text"]


def set_up(colab, folder, address=""):
    """Runs the set-up cell in a folder, with wheels from another address."""
    notebook = nbformat.read(COURSE.notebook("00_setup"), as_version=4)
    (source,) = [c.source for c in notebook.cells if "%pip install" in c.source]
    own = f"{COURSE.config.students}/raw/main"
    assert own in source
    code = (
        "from IPython.core.interactiveshell import InteractiveShell\n"
        f"result = InteractiveShell.instance().run_cell({source.replace(own, address or own)!r})\n"
        "result.raise_error()\nimport coursekit\nprint('from', coursekit.__file__)"
    )
    folder.mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": "", "PIP_NO_INDEX": "1", "IPYTHONDIR": str(colab)}
    return subprocess.run(
        [*_without_network(), str(colab / "venv/bin/python"), "-c", code]
        if not address
        else [str(colab / "venv/bin/python"), "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        env=environment,
    )


def test_without_wheel_and_network_the_set_up_cell_says_what_to_upload(new_colab, tmp_path):
    done = set_up(new_colab, tmp_path / "content")
    assert done.returncode != 0
    assert f"Upload {wheel_names(COURSE)[0]} from the course's handout next to this" in done.stderr


def aged(wheel, folder):
    """A wheel of the same version whose checks of the first assignment are older."""
    older = folder / wheel.name
    with zipfile.ZipFile(wheel) as new, zipfile.ZipFile(older, "w") as old:
        for item in new.infolist():
            content = new.read(item)
            if item.filename == f"coursekit/recordings/{FIRST}.json":
                content = json.dumps({**json.loads(content), "revision": 0}).encode()
            old.writestr(item, content)
    return older


def test_the_set_up_cell_replaces_an_older_wheel_and_says_to_restart(new_colab, tmp_path):
    (tmp_path / "built").mkdir()
    build_wheels(COURSE, tmp_path / "built")
    wheel = tmp_path / "built" / wheel_names(COURSE)[0]
    python = str(new_colab / "venv/bin/python")
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    environment = {**os.environ, "PYTHONPATH": ""}
    subprocess.run([*install, aged(wheel, tmp_path)], env=environment, check=True)
    content = tmp_path / "content"

    done = set_up(new_colab, content)
    assert "newer than your coursekit, which could not be updated. Upload" in done.stderr
    shutil.copy(wheel, content)
    done = set_up(new_colab, content)
    assert "coursekit is up to date now: restart the kernel" in done.stderr
    done = set_up(new_colab, content)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "updating" not in done.stdout
    assert f"from {new_colab}/venv" in done.stdout


def test_the_set_up_cell_installs_from_the_students_repository(new_colab, tmp_path):
    make_repository(COURSE, tmp_path / "students")
    handler = functools.partial(SimpleHTTPRequestHandler, directory=tmp_path / "students")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        done = set_up(new_colab, tmp_path / "content", address)
        server.shutdown()
    assert done.returncode == 0, done.stderr[-3000:]
    assert f"from {new_colab}/venv" in done.stdout
    assert not list(new_colab.glob("venv/lib/python*/site-packages/autograder"))


@pytest.mark.slow  # the rule runs-from-wheel does it with few steps of training
@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_a_solution_notebook_runs_from_the_wheel_alone_with_its_whole_training(colab, assignment):
    path = shutil.copy(COURSE.solution(assignment), colab / "content")
    done = run(
        *(colab, "-m", "pytest", "--nbval-lax", "--nbval-kernel-name", "colab"),
        *("--nbval-cell-timeout=180", "-p", "no:cacheprovider", "-q", path),
        COURSEKIT_MAX_STEPS="",
    )
    assert done.returncode == 0, done.stdout[-5000:]


@pytest.mark.parametrize(
    "assignment",
    # the release proves it of each without a kernel
    [FIRST, *(pytest.param(name, marks=pytest.mark.slow) for name in REST)],
)
def test_a_student_notebook_as_released_fails_every_check_with_not_written_yet(colab, assignment):
    notebook = nbformat.read(COURSE.notebook(assignment), as_version=4)
    errors = executed(colab, notebook, f"released_{assignment}")["errors"]
    checks = [e for e in errors if e.startswith("CheckFailed")]
    graded = [c for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade")]
    assert len(checks) == len([c for c in graded if c.cell_type == "code"])
    assert all("not written yet" in error for error in checks)
