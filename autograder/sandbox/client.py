"""The grader's client for a sandboxed kernel, which drops malformed messages of a submission.

A submission can send anything. Messages that are too large close the connection. Malformed ones
are dropped, so that nbclient only sees messages that a kernel would send.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Mapping
from queue import Empty
from types import MappingProxyType
from typing import Any

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.channels import AsyncZMQSocketChannel
from traitlets import Type

from coursekit.checking.codec import MAX_NODES

#: Size limit of a message part; a kernel that sends a larger one loses its connection.
PART_BYTES = 20 * 2**20
#: Limit of brackets and commas in a message, which decide how much memory its JSON takes.
MAX_TOKENS = 2 * MAX_NODES
_MAX_QUEUED = 16  # messages; more wait in the kernel's own memory, which is limited
#: Messages that answer a request, on the channel that it went through; each has a status.
_REPLIES = frozenset({"execute_reply", "kernel_info_reply"})
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class Channel(AsyncZMQSocketChannel):
    """A channel that drops malformed messages, and messages that belong to other channels.

    A client that waits for a reply would take any message on its channel for one.
    """

    def is_kind(self, kind: str) -> bool:
        """Tell whether a kernel sends messages of this type on this channel."""
        return kind not in _REPLIES and kind != "input_request"

    async def get_msg(self, timeout: float | None = None) -> dict[str, Any]:  # type: ignore[override]  # not async in the base of the base
        """Wait for the next message and return it.

        Raises
        ------
        Empty
            No message arrived within `timeout` seconds.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if end is None else max(0, round(1000 * (end - time.monotonic())))
            if not await self.socket.poll(left):
                raise Empty
            parts = await self.socket.recv_multipart()
            try:
                message = self._message(parts)
            except Exception:  # the signature, encoding or shape may be wrong in any way
                message = None
            if message is not None:
                return message
            await asyncio.sleep(0)  # a flood must not starve the other tasks

    def _message(self, parts: list[bytes]) -> dict[str, Any] | None:
        """Return the message in some parts; None if it is too large or malformed."""
        if _tokens(parts) > MAX_TOKENS:
            return None
        _, signed = self.session.feed_identities(parts)
        message: dict[str, Any] = self.session.deserialize(signed)
        texts = [part for part in signed if isinstance(part, bytes)]  # all are, as `parts` are
        message["content"] = replace_surrogates(message["content"], texts)
        return message if self.is_kind(message["msg_type"]) and is_message(message) else None


class _Replies(Channel):
    """The channel of requests and their replies.

    Attributes
    ----------
    attached : mapping of str to str
        Metadata to send with the next cell's request.
    """

    attached: Mapping[str, str] = MappingProxyType({})

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, with `attached` in the metadata of an execute request."""
        if message["msg_type"] == "execute_request":
            message["metadata"] |= self.attached
            self.attached = MappingProxyType({})
        super().send(message)

    def is_kind(self, kind: str) -> bool:
        """Tell whether a message is a reply."""
        return kind in _REPLIES


class _Input(Channel):
    """The channel through which a kernel asks for input."""

    def is_kind(self, kind: str) -> bool:
        """Tell whether a message asks for input."""
        return kind == "input_request"


class GuardedClient(AsyncKernelClient):
    """A client that drops malformed messages, without the heartbeat channel.

    A cell can ask for input only where `allow_stdin` is set before it runs.
    """

    shell_channel_class = Type(_Replies)
    iopub_channel_class = Type(Channel)
    control_channel_class = Type(_Replies)
    stdin_channel_class = Type(_Input)

    def start_channels(self, *args: bool, **channels: bool) -> None:
        """Start the channels, with limits on message sizes and queues."""
        self.context.maxmsgsize = PART_BYTES
        self.context.rcvhwm = _MAX_QUEUED
        super().start_channels(hb=False)


def replace_surrogates(value: Any, source: list[bytes]) -> Any:
    """Replace lone surrogates in the texts of a value: no file can store them.

    Parameters
    ----------
    source : list of bytes
        The JSON that the value was read from.
    """
    if not any(map(_SURROGATE.search, source)):
        return value
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def is_message(message: dict[str, Any]) -> bool:
    """Tell whether a message is of a known type and has its fields; widgets are not supported."""
    kind, content = message["msg_type"], message["content"]
    if not isinstance(message["parent_header"], dict) or not isinstance(content, dict):
        return False
    if not is_count(content.get("execution_count")):
        return False
    if kind == "stream":
        return _are_str(content["name"], content["text"])
    if kind == "error":
        return _is_error(content) and _are_str(*content["traceback"])
    if kind in ("display_data", "execute_result", "update_display_data"):
        transient = content.get("transient") or {}
        valid = _are_str(transient.get("display_id") or "")
        return valid and isinstance(content["metadata"], dict) and _is_bundle(content["data"])
    if kind == "input_request":
        return _are_str(content["prompt"])
    if kind == "status":
        return _are_str(content["execution_state"])
    if kind in _REPLIES:
        return content["status"] != "error" or _is_error(content)
    return kind in ("execute_input", "clear_output")


def is_count(value: Any) -> bool:
    """Tell whether a value may be an execution count in a notebook."""
    return value is None or (type(value) is int and 0 <= value < 2**53)


def _tokens(parts: list[bytes]) -> int:
    return sum(part.count(token) for part in parts for token in (b"[", b"{", b","))


def _are_str(*values: Any) -> bool:
    return all(isinstance(value, str) for value in values)


def _is_error(content: dict[str, Any]) -> bool:
    return _are_str(content["ename"], content["evalue"])


def _is_bundle(data: dict[str, Any]) -> bool:
    """Tell whether a MIME bundle has text for every type other than JSON."""
    return all(isinstance(value, str) or mime.endswith("json") for mime, value in data.items())
