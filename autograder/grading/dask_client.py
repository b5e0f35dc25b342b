"""A Dask client for untrusted machines, which unpickles nothing and limits message sizes.

Dask reads most of what it receives with pickle, which can run any code. Here, results are
MessagePack, everything else that a worker sends is left unread, and the module that would unpickle
refuses to. Connections to other machines need TLS, as `docs/scaling.md` describes.
"""

from __future__ import annotations

import contextlib
import ipaddress
import pickle
import socket
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import distributed.comm.tcp
import distributed.protocol.compression
import distributed.protocol.pickle
from distributed import Client
from distributed.comm.addressing import parse_address, parse_host_port
from distributed.comm.core import CommClosedError
from distributed.security import Security

from autograder.errors import MachineError

#: Size limit of a piece of a message: many times the output that a notebook may have.
MAX_MESSAGE_BYTES = 256 * 2**20
_HOW = "docs/scaling.md says how to set up TLS"


class _WritesOnly:
    """A stand-in for the module `pickle` in Dask, which pickles but refuses to unpickle."""

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the module `pickle`."""
        return getattr(pickle, name)

    @staticmethod
    def loads(*args: Any, **kwargs: Any) -> Any:
        """Raise a `TypeError`."""
        raise TypeError("nothing that comes from a cluster is unpickled")

    load = Unpickler = loads


@contextlib.contextmanager
def only_reading() -> Iterator[None]:
    """Let Dask unpickle and decompress nothing, nor read large messages, while the block runs."""
    read = distributed.comm.tcp.read_bytes_rw

    async def read_limited(stream: Any, length: int) -> memoryview:
        if length > MAX_MESSAGE_BYTES:
            raise CommClosedError("a message is too long")  # the connection is closed
        return await read(stream, length)

    plain = {
        name: how
        for name, how in distributed.protocol.compression.compressions.items()
        if how.name is None
    }
    with (
        _replaced(distributed.protocol.pickle, "pickle", _WritesOnly()),
        _replaced(distributed.comm.tcp, "read_bytes_rw", read_limited),
        _replaced(distributed.protocol.compression, "compressions", plain),
    ):
        yield


@contextlib.contextmanager
def _replaced(module: ModuleType, name: str, value: Any) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


class PlainClient(Client):
    """A Dask client that reads results as MessagePack and leaves a failure's details unread."""

    def __init__(self, address: str, security: Security, timeout: float) -> None:
        super().__init__(
            address,
            security=security,
            timeout=timeout,
            set_as_default=False,
            serializers=["msgpack"],
            deserializers=["msgpack"],
        )

    def start(self, **options: Any) -> None:
        """Connect to the scheduler, without deserializing its stream of reports."""
        # of the stream of reports; results are asked for by `rpc`, which has its own arguments
        self.connection_args = {**self.connection_args, "deserialize": False}
        self._stream_handlers["task-erred"] = self._state_handlers["erred"] = self._failed
        super().start(**options)

    def _failed(self, key: Any = None, **left_unread: Any) -> None:
        """Set a plain error on the future of a failed task."""
        state = self.futures.get(key)
        if state is not None:
            state.set_error(RuntimeError("it failed on its worker"), None)


def connect(address: str, timeout: float) -> Client:
    """Connect to a scheduler: over TLS, or on this machine.

    Raises
    ------
    MachineError
        The connection would not be safe, or nothing answers.
    """
    require_safe(address, "the scheduler at")
    encrypted = address.startswith("tls:")
    security: Any = Security(require_encryption=encrypted)
    if encrypted and not (security.tls_ca_file and security.tls_client_cert):
        raise MachineError(
            f"{address} needs certificates, and Dask's configuration names none"
            f" (distributed.comm.tls); {_HOW}."
        )
    try:
        return PlainClient(address, security, timeout)
    except (OSError, TimeoutError, ValueError, CommClosedError) as error:
        raise MachineError(
            f"no Dask scheduler answers at {address} ({type(error).__name__}): start one with"
            " `dask scheduler`, or omit --scheduler to grade on this machine."
        ) from None


def require_safe(address: str, what: str) -> None:
    """Raise `MachineError` if an address is neither on this machine nor reached over TLS."""
    try:
        protocol, place = parse_address(address, strict=True)
        host, _ = parse_host_port(place)
    except (ValueError, TypeError) as error:
        raise MachineError(
            f"{address} is no address of a Dask scheduler, such as tls://10.0.0.5:8786."
        ) from error
    if protocol == "tls" or (protocol == "tcp" and _is_here(host)):
        return
    raise MachineError(
        f"{what} {address} is not on this machine and not reached over TLS: whoever reaches it could"
        f" send it work and answers. Use tls://...; {_HOW}."
    )


def _is_here(host: str) -> bool:
    """Tell whether a name or an address belongs to this machine's loopback interface."""
    try:
        found = {str(one[4][0]) for one in socket.getaddrinfo(host, None)}
        return bool(found) and all(ipaddress.ip_address(one).is_loopback for one in found)
    except (OSError, ValueError, UnicodeError):
        return False
