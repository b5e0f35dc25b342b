"""A Dask client for a cluster whose machines are not trusted: it unpickles nothing and reads no flood.

Dask reads most of what it receives with pickle, which can run any code. Here, results are MessagePack,
what else a worker sends is left unread, and the module that would unpickle refuses to. Connections to
other machines need TLS, as `docs/scaling.md` describes.
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

#: The largest piece that is read of a message: many times what a notebook may put out.
LONGEST_MESSAGE = 256 * 2**20
_HOW = "docs/scaling.md says how to set up TLS"


class _WritesOnly:
    """Stands for the module `pickle` where Dask uses it: it pickles, and unpickles nothing."""

    def __getattr__(self, name: str) -> Any:
        return getattr(pickle, name)

    @staticmethod
    def loads(*args: Any, **kwargs: Any) -> Any:
        raise TypeError("nothing that comes from a cluster is unpickled")

    load = Unpickler = loads


@contextlib.contextmanager
def only_reading() -> Iterator[None]:
    """While it lasts, Dask unpickles and decompresses nothing in this process, nor reads a flood."""
    read = distributed.comm.tcp.read_bytes_rw

    async def read_limited(stream: Any, length: int) -> memoryview:
        if length > LONGEST_MESSAGE:
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
    """A client that reads results as MessagePack, and of a failure only that there was one."""

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
        # of the stream of reports; results are asked for by `rpc`, which has its own arguments
        self.connection_args = {**self.connection_args, "deserialize": False}
        self._stream_handlers["task-erred"] = self._state_handlers["erred"] = self._failed
        super().start(**options)

    def _failed(self, key: Any = None, **left_unread: Any) -> None:
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
    """Whether a name or an address is one of this machine's loopback interface."""
    try:
        found = {str(one[4][0]) for one in socket.getaddrinfo(host, None)}
        return bool(found) and all(ipaddress.ip_address(one).is_loopback for one in found)
    except (OSError, ValueError, UnicodeError):
        return False
