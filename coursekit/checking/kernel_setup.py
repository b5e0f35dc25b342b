"""Setup of a grading kernel: an error in a cell costs only the statement that raised it.

Notebooks come from Colab, Kaggle, VS Code and elsewhere. What exists only there (a drive to mount,
a widget backend, a package that is missing here) must not take with it the imports and definitions
of its cell. A kernel that grades therefore goes on with the next statement after an error, whose
traceback stays in the output.
"""

from __future__ import annotations

import ast
import importlib.util
import signal
import sys
from collections.abc import Collection, Iterator
from types import FrameType, TracebackType
from typing import Any

from coursekit.checking.defined_state import begin

#: A traceback keeps this many entries at each end: formatting a thousand takes 15 seconds.
_ENTRIES = 5
#: And an exception this many others that it came from.
_CAUSES = 5
_IMPORTS = (ast.Import, ast.ImportFrom)
#: What still runs in a cell that was interrupted.
_DEFINITIONS = (*_IMPORTS, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


#: A cell that was cut off gets the exception again after so many seconds: code may swallow it.
_AGAIN_SECONDS = 1.0


class CutOff(KeyboardInterrupt):
    """Exception raised in a cell that has used up its processor time."""


def prepare(limited: Collection[str] = (), seconds: float | None = None) -> None:
    """Prepare the kernel of the caller for grading.

    Parameters
    ----------
    limited : collection of str
        The text of the cells that are cut off; what they have bound by then stays.
    seconds : float or None
        The processor time after which they are; None for no limit.
    """
    from IPython import get_ipython

    begin()
    _keep_messages()
    shell = get_ipython()
    _go_on_after_errors(shell)
    if seconds is not None and hasattr(signal, "setitimer"):  # Windows has none
        _cut_off(shell, frozenset(limited), seconds)
    _shorten_tracebacks(shell)
    shell.ask_exit = lambda: None  # what `exit()` calls: the cells after it count

    def time(line: str, cell: str) -> None:
        shell.run_cell(f"{line}\n{cell}")

    # IPython's own runs the cell as one statement
    shell.register_magic_function(time, magic_kind="cell", magic_name="time")


def _keep_messages() -> None:
    """Let the kernel read and write its messages with a copy of `json` that no cell can change."""
    session = sys.modules.get("jupyter_client.session")
    spec = importlib.util.find_spec("json")
    if session is None or spec is None or spec.loader is None:
        return
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    session.json = copy  # type: ignore[attr-defined]  # what it has imported


def _go_on_after_errors(shell: Any) -> None:
    """Make the shell run a cell statement by statement, past those that raise errors."""
    run = shell.run_ast_nodes

    async def run_ast_nodes(
        nodelist: list[ast.stmt],
        cell_name: str,
        interactivity: str = "last_expr",
        compiler: Any = compile,
        result: Any = None,
    ) -> bool:
        errors: list[BaseException | None] = []
        interrupted = False
        nodes = [single for node in nodelist for single in _single_imports(node)]
        for node in nodes:
            if interrupted and not isinstance(node, _DEFINITIONS):
                continue
            shown = node is nodes[-1] or interactivity == "all"
            how = interactivity if shown else "none"
            shell.call_pdb = False  # after `%pdb on` each error would ask for input
            if await run([node], cell_name, how, compiler, result):
                error = result and (result.error_before_exec or result.error_in_exec)
                interrupted = interrupted or isinstance(error, KeyboardInterrupt)
                errors.append(error)
                if result:
                    result.error_before_exec = result.error_in_exec = None
        if errors and result:
            result.error_in_exec = errors[0]
        return bool(errors)

    shell.run_ast_nodes = run_ast_nodes


def _cut_off(shell: Any, limited: frozenset[str], seconds: float) -> None:
    """Raise `CutOff` in a cell of `limited` after so many seconds of this process's time.

    Only in the cell's own code and what it calls: IPython is left to finish its work.
    """

    def on_time(number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_globals is shell.user_ns:
                raise CutOff(f"this cell only shows something; it had {seconds:g} seconds")
            frame = frame.f_back

    def begin(info: Any) -> None:
        if info.raw_cell in limited:
            signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN_SECONDS)

    def end(result: Any) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    signal.signal(signal.SIGPROF, on_time)
    shell.events.register("pre_run_cell", begin)
    shell.events.register("post_run_cell", end)


def _single_imports(node: ast.stmt) -> Iterator[ast.stmt]:
    """Yield ``import a, b`` as two statements, any other as it is."""
    if isinstance(node, ast.Import):
        for name in node.names:
            yield ast.copy_location(ast.Import([name]), node)
    else:
        yield node


def _shorten_tracebacks(shell: Any) -> None:
    """Make the shell shorten the tracebacks that it shows."""
    exc_info = shell._get_exc_info

    def short_exc_info(*given: Any, **named: Any) -> Any:
        kind, error, trace = exc_info(*given, **named)
        _cut(trace)
        _cut_causes(error)
        return kind, error, trace

    shell._get_exc_info = short_exc_info


def _cut_causes(error: BaseException) -> None:
    """Shorten the tracebacks of an exception and its nearest causes; drop more distant causes."""
    for _ in range(_CAUSES):
        _cut(error.__traceback__)
        cause = error.__cause__ or error.__context__
        if cause is None:
            return
        error = cause
    error.__cause__ = error.__context__ = None


def _cut(trace: TracebackType | None) -> None:
    """Remove the middle of a long traceback."""
    entries = []
    while trace is not None:
        entries.append(trace)
        trace = trace.tb_next
    if len(entries) > 2 * _ENTRIES:
        entries[_ENTRIES - 1].tb_next = entries[-_ENTRIES]
