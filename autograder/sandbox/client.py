"""The grader's end of a kernel's sockets. What comes through them is written by a submission.

A message that is too large never enters this process; one that no kernel sends is dropped, as if
it had been lost on the way, so that nobody behind has to think of its shape.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from queue import Empty
from typing import Any

import zmq
from jupyter_client.asynchronous import AsyncKernelClient
from jupyter_client.channels import AsyncZMQSocketChannel
from traitlets import Type

from coursekit.checking.codec import MAX_NODES

#: The longest part of a message; a kernel that sends a longer one loses its connection.
PART_BYTES = 20 * 2**20
#: The most brackets and commas in a message: what JSON takes in memory depends on them.
MAX_SIGNS = 2 * MAX_NODES
_WAITING = 16  # messages; the rest waits in the kernel's own memory, which is limited
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class Channel(AsyncZMQSocketChannel):
    """A channel that passes on what is a message and drops the rest."""

    async def get_msg(self, timeout: float | None = None) -> dict[str, Any]:  # type: ignore[override]
        """The next message.

        Raises
        ------
        Empty
            None came within `timeout` seconds.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if end is None else max(0, round(1000 * (end - time.monotonic())))
            if not await self.socket.poll(left):
                raise Empty
            parts = await self.socket.recv_multipart()
            try:
                message = self._message(parts)
            except Exception:  # a signature, an encoding, a shape: there is no end to what may be
                message = None
            if message is not None:
                return message
            await asyncio.sleep(0)  # others have their turn, however much comes

    def _message(self, parts: list[bytes]) -> dict[str, Any] | None:
        if _signs(parts) > MAX_SIGNS:
            return None
        _, signed = self.session.feed_identities(parts)
        message: dict[str, Any] = self.session.deserialize(signed)
        message["content"] = whole_characters(message["content"], signed)
        return message if is_message(message) else None


class GuardedClient(AsyncKernelClient):
    """A client without the channels for the keyboard and the heartbeat, which grading never reads."""

    shell_channel_class = Type(Channel)  # type: ignore[assignment]
    iopub_channel_class = Type(Channel)  # type: ignore[assignment]
    control_channel_class = Type(Channel)  # type: ignore[assignment]

    def start_channels(self, **channels: bool) -> None:
        self.context.setsockopt(zmq.MAXMSGSIZE, PART_BYTES)
        self.context.setsockopt(zmq.RCVHWM, _WAITING)
        super().start_channels(stdin=False, hb=False)


def whole_characters(value: Any, read_from: list[bytes]) -> Any:
    """A value that was read from JSON, without halves of characters: no file can hold them."""
    if not any(map(_SURROGATE.search, read_from)):
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def is_message(message: dict[str, Any]) -> bool:
    """Whether a message has the shape that its type demands. Widgets' messages are none here."""
    kind, content = message["msg_type"], message["content"]
    if not isinstance(message["parent_header"], dict) or not isinstance(content, dict):
        return False
    count = content.get("execution_count")
    if not (count is None or isinstance(count, int)):
        return False
    if kind == "stream":
        return _are_texts(content["name"], content["text"])
    if kind == "error":
        return _is_error(content) and _are_texts(*content["traceback"])
    if kind in ("display_data", "execute_result", "update_display_data"):
        transient = content.get("transient") or {}
        shown = _are_texts(transient.get("display_id") or "")
        return shown and isinstance(content["metadata"], dict) and _is_bundle(content["data"])
    if kind == "status":
        return _are_texts(content["execution_state"])
    if kind == "execute_reply":
        return content["status"] != "error" or _is_error(content)
    return kind in ("execute_input", "clear_output", "kernel_info_reply")


def _signs(parts: list[bytes]) -> int:
    return sum(part.count(sign) for part in parts for sign in (b"[", b"{", b","))


def _are_texts(*values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_error(content: dict[str, Any]) -> bool:
    return _are_texts(content["ename"], content["evalue"])


def _is_bundle(data: dict[str, Any]) -> bool:
    """Whether each form of an output is text, but for forms in JSON."""
    return all(isinstance(value, str) or kind.endswith("json") for kind, value in data.items())
