"""The client that runs single cells in a submission's kernel, within limits on time and output."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import tempfile
from collections.abc import Callable
from queue import Empty
from typing import Any

from nbclient import NotebookClient
from nbclient.exceptions import DeadKernelError
from nbconvert.preprocessors import CoalesceStreamsPreprocessor
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.grading.kernels import kernel_manager, sandbox_limits
from autograder.grading.limits import Limits
from autograder.grading.outputs import error_output, flood, time_limit_error, too_much
from autograder.grading.partial_execution import Stopped
from autograder.grading.run_budget import Allowance
from autograder.sandbox.client import GuardedClient
from coursekit.checking.kernel_side import MIME

_MERGE = CoalesceStreamsPreprocessor()
_OUTPUTS = {"stream", "display_data", "execute_result", "error", "update_display_data"}


class CellClient(NotebookClient):
    """A client that runs cells one by one within limits and notes which definitions failed."""

    def __init__(self, notebook: NotebookNode, limits: Limits, environment: dict[str, str]) -> None:
        self.allowance, self.stopped = Allowance(limits), Stopped()
        self._interrupting: asyncio.Future[Any] | None = None
        super().__init__(
            notebook,
            kernel_name="python3",
            kernel_manager_class=kernel_manager(limits),
            allow_errors=True,
            timeout_func=lambda cell: self.allowance.timeout(),
            interrupt_on_timeout=True,
            error_on_timeout=time_limit_error(limits.cell_seconds),
            raise_on_iopub_timeout=True,
            skip_cells_with_tag="",  # a tag in a submission must not skip anything
            on_cell_executed=self._note_reply,
            shutdown_kernel="immediate",
            store_widget_state=False,
            record_timing=False,
            iopub_timeout=10,  # much output may be waiting to be read
        )
        self.log = logging.getLogger("autograder.grading.run")
        self.log.addHandler(logging.NullHandler())
        self.log.propagate = False
        self.limits, self.environment = limits, environment

    async def start(self, parent: str) -> None:
        """Start a kernel, with its files in a new folder in `parent`, and connect to it."""
        self.create_kernel_manager()
        km: Any = self.km  # one of ours, see `kernels`
        km.client_factory = GuardedClient
        if self.limits.user and not self.limits.sandbox:
            folder = km.make_room(self.limits.user, parent)
        else:
            folder = tempfile.mkdtemp(prefix="k-", dir=parent)
            os.mkdir(f"{folder}/s")  # short: a Unix socket's path has at most 107 bytes
            if os.name == "posix":  # Windows has no Unix sockets for a kernel
                km.transport, km.ip = "ipc", f"{folder}/s/k"
            km.connection_file = f"{folder}/kernel.json"
        if self.limits.sandbox:
            km.limits = sandbox_limits(self.limits)
        homes = dict.fromkeys(("HOME", "IPYTHONDIR", "MPLCONFIGDIR"), folder)
        # not async_setup_kernel: its signal handlers would swallow the instructor's ctrl-C
        await self.async_start_new_kernel(cwd=folder, env={**self.environment, **homes})
        await self.async_start_new_kernel_client()

    async def run_cell(self, cell: NotebookNode, index: int, **how: Any) -> None:
        """Run a cell and store its outputs in it."""
        self.allowance.new_cell()
        await self.async_execute_cell(cell, index, **how)
        _MERGE.preprocess_cell(cell, {}, index)  # once, at the end: nbclient's way is quadratic
        self.clear_display_id_mapping(index)  # the outputs have moved: ignore later updates

    async def async_execute_cell(self, *args: Any, **kwargs: Any) -> NotebookNode:
        """Run a cell, once an interrupt that was meant for the cell before has been sent."""
        if self._interrupting is not None:
            with contextlib.suppress(Exception):
                await self._interrupting
            self._interrupting = None
        cell: NotebookNode = await super().async_execute_cell(*args, **kwargs)
        return cell

    async def run_answering(
        self, cell: NotebookNode, index: int, reply: Callable[[str], str]
    ) -> None:
        """Run a cell that may ask for input, which `reply` answers.

        Each request begins with a number and a space, and its answer with the same number.
        """
        client: Any = self.kc
        answering = asyncio.ensure_future(self._answer(client, reply))
        client.allow_stdin = True
        try:
            await self.async_execute_cell(cell, index, store_history=False)
        finally:
            client.allow_stdin = False
            answering.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await answering

    async def _answer(self, client: Any, reply: Callable[[str], str]) -> None:
        while True:
            with contextlib.suppress(Empty):
                message = await client.stdin_channel.get_msg(timeout=60)
                if message["msg_type"] == "input_request":
                    number, _, text = message["content"]["prompt"].partition(" ")
                    # in a thread, since the output of the cell is read meanwhile
                    client.input(f"{number[:20]} {await asyncio.to_thread(reply, text)}")

    async def run_for_effect(self, source: str, index: int, **how: Any) -> None:
        """Run code in place of a cell, whose outputs stay; nbclient puts what it runs there."""
        original = self.nb.cells[index]
        await self.run_cell(new_code_cell(source), index, **how)
        self.nb.cells[index] = original

    def _note_reply(
        self, cell: NotebookNode, cell_index: int, execute_reply: dict[str, Any]
    ) -> None:
        """Note which definitions a failing cell did not reach, and store its error if missing."""
        content = execute_reply["content"]
        if content.get("ename") == "TimeLimit":
            self.allowance.shorten()
            self.error_on_timeout = time_limit_error(self.allowance.cell_seconds)
        if content["status"] == "error" and all(o.output_type != "error" for o in cell.outputs):
            cell.outputs.append(error_output(content["ename"], content["evalue"]))
        self.stopped.note_reply(cell, cell_index, content)

    async def _async_check_alive(self) -> None:
        if self.kc is None:  # called by a leftover task, after the cleanup
            raise DeadKernelError("the kernel was shut down")
        await super()._async_check_alive()

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> Any:
        """Count output as it arrives; past the limit, drop it and interrupt the cell.

        An answer, which is sent when all is done, causes no interrupt: that would reach the kernel
        between two cells, and the reply to the cell that has ended would be lost.
        """
        if msg["msg_type"] in _OUTPUTS:
            size = len(repr(msg["content"]))
            flooded, before = self.allowance.is_flooded(size)
            if flooded:
                if not before:
                    cell.outputs.append(flood(self.allowance.allowed_bytes))
                ends = _is_answer(msg["content"])
                if self.km is not None and not ends and self.allowance.may_interrupt():
                    interrupt: Any = (
                        self.km.interrupt_kernel()
                    )  # a coroutine: ours are asynchronous
                    self._interrupting = asyncio.ensure_future(interrupt)
                return None
            if cell is self.nb.cells[cell_index]:
                room, before = self.allowance.has_room(size)
                if not room:
                    if before:
                        cell.outputs.append(too_much(self.limits.notebook_output_bytes))
                    return None
        return super().process_message(msg, cell, cell_index)


def _is_answer(content: dict[str, Any]) -> bool:
    data = content.get("data")
    return isinstance(data, dict) and MIME in data
