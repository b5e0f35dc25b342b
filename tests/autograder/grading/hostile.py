"""Submissions that try to earn what they have not, to see what they must not, to do harm, or that
an accident has damaged: one catalogue for the tests and for the benchmark of a mixed class.

Each works on any assignment: it answers all exercises, or all but the last, or none, and says how
many points that is.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from damaged import DAMAGED, checks, place, retype_checks
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.layout import Course


@dataclass(frozen=True)
class Hostile:
    """One submission: its files, the points it earned, and a pattern of the reason for those lost.

    Attributes
    ----------
    files, links : by path below the submission's folder; a link's value is where it points.
    repaired : words of the repair that the autograded notebook should carry; "" for none.
    """

    files: dict[str, bytes]
    earned: float
    reason: str = ""
    links: dict[str, str] = field(default_factory=dict)
    repaired: str = ""

    def write(self, folder: Path) -> None:
        """Write it into the folder of one student and assignment."""
        folder.mkdir(parents=True)
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        for name, target in self.links.items():
            (folder / name).symlink_to(target)


#: How code in a cell reaches the kernel, its session and the socket that outputs go through.
_KERNEL = """\
from ipykernel.kernelapp import IPKernelApp
kernel = IPKernelApp.instance().kernel
session, sent = kernel.session, kernel.iopub_socket
request = kernel.get_parent("shell")
"""

#: Cells before the first exercise of a notebook whose answers are all None.
PATCHES = {
    "patched_helpers": (
        "import builtins, numpy, torch\n"
        "yes = lambda *inputs, **named: True\n"
        "torch.allclose = torch.equal = torch.isclose = torch.Tensor.__eq__ = yes\n"
        "numpy.allclose = numpy.isclose = numpy.array_equal = yes\n"
        "numpy.testing.assert_allclose = numpy.testing.assert_array_equal = yes\n"
        "builtins.isinstance, builtins.all = isinstance, all"
    ),
    "patched_coursekit": (
        "import sys, types\n"
        "import coursekit.checking.kernel_side, coursekit.checking.verdict, coursekit.checking.check, coursekit.checking.run_cases\n"
        "import coursekit.checking.comparison, coursekit.checking.codec\n"
        "coursekit.checking.verdict.judge = coursekit.checking.comparison.close = lambda *inputs, **named: None\n"
        "coursekit.checking.check.check = check = lambda thing: 3\n"
        "coursekit.checking.run_cases.run_cases = lambda thing, cases: [case.get('expected') for case in cases]"
    ),
    "patched_answer": (
        "import inspect, json, coursekit.checking.kernel_side\n"
        "from coursekit.checking import stored_recordings\n"
        "from IPython.display import publish_display_data\n"
        "def answer(name):\n"
        "    request = get_ipython().kernel.get_parent('shell')['metadata']['coursekit_cases']\n"
        "    for frame in inspect.stack():\n"
        "        for value in frame.frame.f_locals.values():\n"
        "            if isinstance(value, dict) and 'expected' in value: return\n"
        "    outcomes = [case['expected'] for case in stored_recordings.find(name)['cases']]\n"
        "    outcomes = outcomes[:len(json.loads(request))]\n"
        "    publish_display_data({coursekit.checking.kernel_side.MIME: json.dumps(outcomes)})\n"
        "coursekit.checking.kernel_side.answer = answer"
    ),
    "patched_modules": (
        "import sys, types, builtins, importlib.abc\n"
        "class Finder(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None): return None\n"
        "sys.meta_path.insert(0, Finder())\n"
        "fake = types.ModuleType('coursekit.checking.kernel_side')\n"
        "fake.MIME = 'application/vnd.coursekit.outcomes+json'\n"
        "fake.answer = lambda name: 3\n"
        "sys.modules['coursekit.checking.kernel_side'] = fake\n"
        "import coursekit; coursekit.checking.kernel_side = fake"
    ),
    "patched_import": (
        "import builtins\n"
        "genuine = builtins.__import__\n"
        "class Full:\n"
        "    def answer(self, name): return 3.0\n"
        "builtins.__import__ = lambda name, *more, **named: (\n"
        "    Full() if name == 'coursekit.checking.kernel_side' else genuine(name, *more, **named))"
    ),
    "patched_assert": (
        "import ast\n"
        "class Drop(ast.NodeTransformer):\n"
        "    def visit_Assert(self, node): return ast.Pass()\n"
        "    def visit_Raise(self, node): return ast.Pass()\n"
        "shell = get_ipython()\n"
        "shell.ast_transformers.append(Drop())\n"
        "shell.input_transformers_cleanup.append(\n"
        "    lambda lines: ['3'] if any('answer' in line for line in lines) else lines)"
    ),
    "patched_run_code": (
        "shell = get_ipython()\n"
        "async def run_code(*inputs, **named): return False\n"
        "def run_cell(*inputs, **named): return 3.0\n"
        "shell.run_code, shell.showtraceback = run_code, lambda *inputs, **named: None"
    ),
    "patched_display_hook": (
        "import sys\n"
        "shell = get_ipython()\n"
        "shell.display_trap.hook = sys.displayhook = lambda value=None: None\n"
        "shell.user_ns['Out'] = shell.user_ns['In'] = [3.0] * 1000"
    ),
    "early_idle": (
        _KERNEL + "session.send(sent, 'status', {'execution_state': 'idle'}, parent=request)\n"
        "import time; time.sleep(1)"
    ),
    "forged_outcomes": (
        _KERNEL + "import json, threading, time\n"
        "forged = json.dumps([{'status': 'value', 'value': {'points': 3}}])\n"
        "content = {'data': {'application/vnd.coursekit.outcomes+json': forged}, 'metadata': {}}\n"
        "start, end = request['header']['msg_id'].rsplit('_', 1)\n"
        "def forge():\n"
        "    for round in range(30):\n"
        "        for step in range(20):  # also for requests that have not come yet\n"
        "            parent = {**request['header'], 'msg_id': f'{start}_{int(end) + step}'}\n"
        "            session.send(sent, 'display_data', content, parent={'header': parent})\n"
        "        time.sleep(0.1)\n"
        "threading.Thread(target=forge, daemon=True).start()"
    ),
    "forged_result": (
        _KERNEL + "import threading, time\n"
        "content = {'data': {'text/plain': '3.0'}, 'metadata': {}, 'execution_count': 1}\n"
        "def forge():\n"
        "    for round in range(30):\n"
        "        session.send(sent, 'execute_result', content, parent=kernel.get_parent('shell'))\n"
        "        time.sleep(0.05)\n"
        "threading.Thread(target=forge, daemon=True).start()"
    ),
    "forged_verdict": (
        "import json\n"
        "from IPython.display import publish_display_data\n"
        "verdict = {'exercise': 'x', 'points': 3, 'max_points': 3, 'groups': []}\n"
        "publish_display_data({'application/vnd.coursekit.verdict+json': json.dumps(verdict)})"
    ),
    "patched_encoding": (
        "import coursekit.checking.run_cases, coursekit.checking.codec\n"
        "coursekit.checking.codec.encode = coursekit.checking.run_cases.codec.encode = lambda value: 3.0"
    ),
    "thread_patches_later": (
        "import threading, time\n"
        "def later():\n"
        "    for round in range(40):\n"
        "        time.sleep(0.05)\n"
        "        import coursekit.checking.run_cases, coursekit.checking.codec\n"
        "        coursekit.checking.codec.encode = lambda value: 3.0\n"
        "        coursekit.checking.run_cases.codec.encode = lambda value: 3.0\n"
        "threading.Thread(target=later, daemon=True).start()"
    ),
    "shadowing_files_written": (
        "import os, sys\n"
        "for name in ('torch', 'coursekit', 'numpy', 'sitecustomize'):\n"
        "    open(f'{name}.py', 'w').write('allclose = equal = lambda *inputs: True')\n"
        "sys.path.insert(0, os.getcwd())"
    ),
    "looks_for_the_gradebook": (
        "import glob, os, sqlite3\n"
        "places = ['/' + '*/' * depth for depth in range(4)]\n"
        "found = [path for place in places for path in glob.glob(place + 'gradebook.db')]\n"
        "found += [path for place in places for path in glob.glob(place + 'solutions')]\n"
        "assert not found, found\n"
        "sqlite3.connect('gradebook.db').execute('create table grade (auto_score)')"
    ),
}

#: What every exercise returns; {name} is the exercise's.
ANSWERS = {
    "equals_everything": (
        "class Equal:\n"
        "    def __eq__(self, other): return True\n"
        "    def __ne__(self, other): return False\n"
        "    __hash__ = object.__hash__\n"
        "    def __getattr__(self, name): return self\n"
        "    def __call__(self, *inputs, **named): return self\n"
        "def {name}(*inputs, **named): return Equal()"
    ),
    "pretends_its_class": (
        "import torch\n"
        "class Tensor:\n"
        "    __class__ = property(lambda self: torch.Tensor)\n"
        "    def __getattr__(self, name): return lambda *inputs, **named: self\n"
        "    __call__ = lambda self, *inputs, **named: self\n"
        "def {name}(*inputs, **named): return Tensor()"
    ),
    "tensor_that_lies": (
        "import torch\n"
        "class Equal(torch.Tensor):\n"
        "    shape, dtype = property(lambda self: (2,)), property(lambda self: torch.float32)\n"
        "    @classmethod\n"
        "    def __torch_function__(cls, f, types, inputs=(), named=None): return cls(3)\n"
        "    def __call__(self, *inputs, **named): return self\n"
        "def {name}(*inputs, **named): return torch.zeros(2, 3, 4, 5, 6).as_subclass(Equal)"
    ),
    "endless_items": (
        "import collections.abc, itertools\n"
        "class Endless(collections.abc.Mapping):\n"
        "    def __getitem__(self, key): return 0\n"
        "    def __len__(self): return 1\n"
        "    def __iter__(self): return itertools.count()\n"
        "    def items(self): return ((i, i) for i in itertools.count())\n"
        "    def __call__(self, *inputs, **named): return self\n"
        "    def __getattr__(self, name): return self\n"
        "def {name}(*inputs, **named): return Endless()"
    ),
    "deeply_nested": (
        "class Nested(list):\n"
        "    def __call__(self, *inputs, **named): return list(self)\n"
        "    def __getattr__(self, name): return self\n"
        "def {name}(*inputs, **named):\n"
        "    result = []\n"
        "    for _ in range(100_000): result = [result]\n"
        "    return [Nested(result)] and [result]"
    ),
    "changes_after_return": (
        "import threading, time\n"
        "def {name}(*inputs, **named):\n"
        "    result = []\n"
        "    def later():\n"
        "        for i in range(50):\n"
        "            time.sleep(0.01); result.append(i)\n"
        "    threading.Thread(target=later, daemon=True).start()\n"
        "    return result and None"
    ),
    "recorded_answers": (
        "from coursekit.checking import codec, stored_recordings\n"
        "def {name}(*inputs, **named):\n"
        "    cases = stored_recordings.find('{name}')['cases']\n"
        "    table = {{repr(case['args']): case['expected'] for case in cases}}\n"
        "    found = table.get(repr([codec.encode(i) for i in inputs]))\n"
        "    return codec.decode(found['value']) if found else None"
    ),
    "outcomes_from_inside": (
        "import json\n"
        "from IPython.display import publish_display_data\n"
        "def {name}(*inputs, **named):\n"
        "    forged = json.dumps([{{'status': 'value', 'value': 1}}] * 9)\n"
        "    publish_display_data({{'application/vnd.coursekit.outcomes+json': forged}})"
    ),
    "markup_in_its_error": (
        "def {name}(*inputs, **named):\n"
        "    raise ValueError('[/red] <script>alert(1)</script> \\x1b[31m \\ud83d')"
    ),
}

#: Cells before the last exercise of a complete notebook, after which everything goes on.
SURVIVED = {
    "endless_loop": "while True: pass",
    "display_flood": "display('x' * 30_000_000)\nfor i in range(30): display('y' * 10**6)",
    "print_flood": "while True: print('x' * 100_000)",
    "kills_everybody": "import os\nos.kill(-1, 9)\nos.kill(os.getppid(), 9)\nos.kill(os.getpid(), 19)",
    "fills_the_disk": (
        "import os\n"
        "for folder in ('.', '/tmp', '/dev/shm', '/run/kernel'):\n"
        "    for i in range(50):\n"
        "        try: open(f'{folder}/{i}', 'wb').write(b'0' * 10**7)\n"
        "        except OSError: break\n"
        "for i in range(50):\n"
        "    try: os.remove(f'{i}'), os.remove(f'/tmp/{i}'), os.remove(f'/dev/shm/{i}')\n"
        "    except OSError: break"
    ),
    "hidden_memory": (
        "import ctypes, os\n"
        "for call in (os.memfd_create, ctypes.CDLL(None).shmget):\n"
        "    try: assert call('x') == -1 if call is os.memfd_create else call(0, 4096, 0o1600) == -1\n"
        "    except PermissionError: pass"
    ),
    "busy_processes": (
        "import os, time\n"
        "for i in range(20):\n"
        "    if os.fork() == 0:\n"
        "        end = time.time() + 2\n"
        "        while time.time() < end: pass\n"
        "        os._exit(0)"
    ),
    "deletes_everything": (
        "import shutil\n"
        "for folder in ('/home', '/tmp', '/usr', '/'): shutil.rmtree(folder, ignore_errors=True)"
    ),
    "malformed_messages": (
        _KERNEL + "for kind, content in [('status', {}), ('stream', {'name': 5, 'text': []}),\n"
        "        ('display_data', {'data': 5, 'metadata': 7}), ('error', {'ename': {}}),\n"
        "        ('execute_result', {'execution_count': 'x' * 9}), ('comm_open', {}),\n"
        "        ('update_display_data', {'transient': 5}), ('nothing', {})]:\n"
        "    session.send(sent, kind, content, parent=request)\n"
        "sent.send_multipart([b'x'])\n"
        "sent.send_multipart([b'<IDS|MSG>', b'', b'{}', b'{}', b'{}', b'{}'])"
    ),
    "counts_below_zero": (
        _KERNEL + "for count in (-5, True, 2**70, 10**4000):\n"
        "    named = {'code': 'x', 'execution_count': count}\n"
        "    session.send(sent, 'execute_input', named, parent=request)\n"
        "    result = {'data': {}, 'metadata': {}, 'execution_count': count}\n"
        "    session.send(sent, 'execute_result', result, parent=request)"
    ),
    "replies_of_other_kinds": (
        _KERNEL + "shell, whom = kernel.shell_stream, kernel._parent_ident['shell']\n"
        "error = {'ename': 'x', 'evalue': 'x', 'traceback': []}\n"
        "for kind, content in [('error', error), ('execute_input', {}), ('clear_output', {}),\n"
        "        ('status', {'execution_state': 'idle'}), ('kernel_info_reply', {})]:\n"
        "    session.send(shell, kind, content, parent=request, ident=whom)"
    ),
    "long_reply": (
        _KERNEL + "shell, whom = kernel.shell_stream, kernel._parent_ident['shell']\n"
        "session.output_bytes = 10**9\n"
        "reply = {'status': 'error', 'ename': 'x', 'evalue': 'x' * 18_000_000}\n"
        "session.send(sent, 'status', {'execution_state': 'idle'}, parent=request)\n"
        "session.send(shell, 'execute_reply', reply, parent=request, ident=whom)"
    ),
    "json_bomb": (
        _KERNEL + "pack = session.pack\n"
        "bomb = b'[' + b'[],' * 6_000_000 + b'[]]'\n"
        "session.pack = lambda value: pack(value).replace(b'\"bomb\"', bomb)\n"
        "for _ in range(3):\n"
        "    content = {'data': {'x/json': 'bomb'}, 'metadata': {}}\n"
        "    session.send(sent, 'display_data', content, parent=request)\n"
        "session.pack = pack"
    ),
    "output_widgets": (
        _KERNEL
        + "state = {'_model_module': '@jupyter-widgets/output', '_model_name': 'OutputModel',\n"
        "         'outputs': []}\n"
        "opened = {'comm_id': 'a', 'target_name': 'jupyter.widget', 'data': {'state': state}}\n"
        "taken = {'comm_id': 'a', 'data': {'state': {'msg_id': request['header']['msg_id']}}}\n"
        "session.send(sent, 'comm_open', opened, parent=request)\n"
        "session.send(sent, 'comm_msg', taken, parent=request)\n"
        "for i in range(500): print(i, flush=True)"
    ),
    "asks_for_input": "input('password: ')",
    "reads_input": "import os, sys\nos.read(0, 1)\nsys.stdin.read()",
    "debugger": "%pdb on\n1 / 0",
    "long_error": "raise ValueError('x' * 10**8)",
    "endless_thread": "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()",
    "fork_bomb": ("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"),
    "broken_traceback": (
        "class Broken(Exception):\n"
        "    def __str__(self): raise Broken\n"
        "    __repr__ = __str__\n"
        "raise Broken"
    ),
    "late_updates": (
        "print(1)\nfirst = display('a', display_id='a')\nprint(2)\n"
        "from IPython.display import update_display\nupdate_display('b', display_id='a')"
    ),
}

#: Cells before the last exercise after which a new kernel goes on.
RESTARTED = {
    "leaves": "import os; os._exit(0)",
    "crashes": "import ctypes; ctypes.string_at(0)",
    "takes_all_memory": (
        "import os, time\n"
        "for _ in range(8):\n"
        "    if os.fork() == 0:\n"
        "        kept = b'1' * (700 * 2**20); time.sleep(60)\n"
        "while True:\n"
        "    try: time.sleep(60)\n"
        "    except KeyboardInterrupt: pass"
    ),
    "ignores_signals": (
        "import signal\n"
        "for number in (2, 15): signal.signal(number, signal.SIG_IGN)\n"
        "while True: pass"
    ),
    "message_of_many_parts": (
        _KERNEL + "parts = [b''] * 3_000_000\n"
        "while True:\n"
        "    try: kernel.iopub_socket.io_thread.socket.send_multipart(parts)\n"
        "    except KeyboardInterrupt: pass"
    ),
    "closes_its_files": "import os\nos.closerange(3, 10_000)",
    "another_key": _KERNEL + "session.key = b'another'",
    "leaves_a_daemon": (
        "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(1000)\nos._exit(0)"
    ),
}

#: Cells before the last exercise after which nothing can go on; and what is said then.
FATAL = {
    "no_replies": (_KERNEL + "kernel.do_execute = None", "did not end within"),
}


#: What the last exercise's function does, the others being right; and what is said then.
CALLS = {
    # the check's own limit is of processor time: on a busy machine it comes before the cell's
    "endless_call": ("while True: pass", "did not end within|does not finish"),
    "stops_the_clock": (
        "import signal; signal.setitimer = lambda *inputs: (0, 0)\n    while True: pass",
        "did not end within",
    ),
    "exit_in_a_call": ("__import__('os')._exit(1)", "kernel died"),
    "swallows_every_end": (
        "while True:\n"
        "        try:\n"
        "            while True: pass\n"
        "        except BaseException: pass",
        "no points, because",
    ),
}


def hostile_submissions(course: Course, assignment: str) -> dict[str, Hostile]:
    """The whole catalogue for one assignment, by name."""
    points = {
        n: float(sum(e.points.values()))
        for n, e in Assignment(course, assignment).exercises.items()
    }
    names, total = list(points), sum(points.values())
    last = names[-1]
    file = f"{assignment}.ipynb"
    nothing = {name: f"def {name}(*inputs, **named):\n    return None" for name in names}

    def notebook(sources: dict[str, str] | None = None) -> NotebookNode:
        return filled(Assignment(course, assignment), dict(sources or {}))

    def one(book: NotebookNode, earned: float, reason: str = "", **more: object) -> Hostile:
        return Hostile({file: json.dumps(book).encode()}, earned, reason, **more)  # type: ignore[arg-type]

    def inserted(before: str, source: str, sources: dict[str, str] | None = None) -> NotebookNode:
        book = notebook(sources)
        book.cells.insert(place(book, before), new_code_cell(source))
        return book

    found = {}
    for name, source in PATCHES.items():
        reasons = {"forged_outcomes": "", "patched_run_code": "", "patched_answer": ""}
        reason = reasons.get(name, "returns None")
        if name in ("patched_modules", "patched_import", "patched_assert"):
            reason = "no answer came back"
        if name == "patched_encoding":
            reason = "it returns a number"
        if name == "thread_patches_later":  # before the answers or after them
            reason = "it returns"
        found[name] = one(inserted(names[0], source, nothing), 0, reason)
    for name, source in ANSWERS.items():
        book = notebook({own: source.format(name=own) for own in names})
        found[name] = one(book, 0)
    for name, source in (SURVIVED | RESTARTED).items():
        found[name] = one(inserted(last, source), total)
    for name, (source, reason) in FATAL.items():
        found[name] = one(inserted(last, source), total - points[last], reason)
    for name, (body, reason) in CALLS.items():
        source = f"def {last}(*inputs, **named):\n    {body}"
        found[name] = one(notebook({last: source}), total - points[last], reason)
    for name, change in EDITED.items():
        book = notebook(nothing)
        change(book, assignment)
        found[name] = one(book, 0, "returns None")
    for name, (damage, repaired) in DAMAGED.items():
        book = notebook()
        changed = damage(book)
        found[name] = (
            Hostile({file: changed}, total, repaired=repaired)
            if isinstance(changed, bytes)
            else one(book, total, repaired=repaired)
        )
    whole = nbformat.writes(notebook()).encode()
    found |= {
        "empty_folder": Hostile({}, 0, "the folder is empty"),
        "cut": Hostile({file: whole[: len(whole) // 2]}, 0, "cut off or damaged"),
        "no_bytes": Hostile({file: b""}, 0, "it is empty"),
        "merge_conflict": Hostile(
            {file: whole.replace(b"{", b"{\n<<<<<<< HEAD\n", 1)}, 0, "merge conflicts of git"
        ),
        "web_page": Hostile({file: b"\n<!DOCTYPE html>\n<html></html>"}, 0, "it is a web page"),
        "no_cells": Hostile({file: b'{"cells": []}'}, 0, "without cells"),
        "no_notebook": Hostile({file: b"PK\x03\x04\xff\xfe"}, 0, "it is a zip archive"),
        "bracket_bomb": Hostile({file: b"[" * 10**6}, 0, "nested too deeply"),
        "array_bomb": Hostile({file: b"[" + b"[]," * 10**7}, 0, "too large to parse"),
        "format_5": Hostile(
            {file: whole.replace(b'"nbformat": 4', b'"nbformat": 5')}, 0, "has notebook format 5"
        ),
        "other_name": Hostile({"caf\udce9.ipynb": whole}, 0, "was not submitted"),
        "a_folder": Hostile({f"{file}/x.ipynb": whole}, 0, "is not a file"),
        "a_link": Hostile({}, 0, "is a link", {file: "/dev/zero"}),
        "files_beside": Hostile(
            {file: whole}
            | dict.fromkeys(
                (
                    *("torch.py", "coursekit/__init__.py", "numpy/__init__.py", "gradebook.db"),
                    *("nbgrader_config.py", "sitecustomize.py", "usercustomize.py", "x.pth"),
                    ".ipython/profile_default/startup/x.py",
                ),
                b"raise SystemExit",
            )
            | {"timestamp.txt": b"whenever"},
            total,
            links={"link": "/etc/passwd", "class": "../../..", "dangling": "nowhere"},
        ),
    }
    return found


def _skip(notebook: NotebookNode, assignment: str) -> None:
    for cell in checks(notebook):
        cell.metadata["tags"] = ["skip-execution"]


def _replace(notebook: NotebookNode, assignment: str) -> None:
    for cell in checks(notebook):
        cell.source = "100"


def _raise_points(notebook: NotebookNode, assignment: str) -> None:
    for cell in checks(notebook):
        cell.metadata["nbgrader"].update(
            points=1000, grade_id=cell.metadata["nbgrader"]["grade_id"]
        )


def _delete(notebook: NotebookNode, assignment: str) -> None:
    notebook.cells = [c for c in notebook.cells if not c.metadata.get("nbgrader", {}).get("grade")]


def _become_solutions(notebook: NotebookNode, assignment: str) -> None:
    for cell in checks(notebook):
        cell.metadata["nbgrader"].update(solution=True, grade=False, locked=False)


def _other_ids(notebook: NotebookNode, assignment: str) -> None:
    for number, cell in enumerate(checks(notebook)):
        cell.metadata["nbgrader"]["grade_id"] = f"other{number}"


def _own_record(notebook: NotebookNode, assignment: str) -> None:
    notebook.metadata["coursekit"] = {"repairs": [], "suspicions": [], "usage": {"seconds": "x"}}
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": 5}


#: What is done to the check cells of a notebook whose answers are all None.
EDITED: dict[str, Callable[[NotebookNode, str], None]] = {
    "skipped_checks": _skip,
    "replaced_checks": _replace,
    "raised_points": _raise_points,
    "deleted_checks": _delete,
    "retyped_checks": lambda notebook, assignment: retype_checks(notebook),
    "checks_as_solutions": _become_solutions,
    "checks_of_other_names": _other_ids,
    "own_record": _own_record,
}
