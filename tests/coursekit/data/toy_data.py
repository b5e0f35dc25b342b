"""A toy SST-2, and a classroom server that can misbehave."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

TRAIN = b"sentence\tlabel\na fine film \t1\na dull film \t0\nthe wit never runs dry \t1\n"
DEV = b"sentence\tlabel\nno fun at all \t0\nfun from start to end \t1\n"
TEST = b"1 a film to see twice\n0 once was too much\n"


def checksum(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def zipped(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)


ZIP = zipped({"SST-2/train.tsv": TRAIN, "SST-2/dev.tsv": DEV})


def leftovers(folder: Path) -> list[str]:
    """The files below a folder, as paths relative to it."""
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())


class Server:
    """A server on this machine. What it does with a path is set in `answers`.

    An answer is the body to send, an error status, or ("cut", body) to announce the whole
    body and break off in the middle, ("short", body) to send half of it as if it were all, or
    ("together", body) to pause in the middle until as many have asked as `together` says.
    """

    def __init__(self) -> None:
        self.answers: dict[str, bytes | int | tuple[str, bytes]] = {}
        self.asked: list[str] = []
        self.together = threading.Barrier(1)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                answer = outer.answers.get(self.path, 404)
                if isinstance(answer, int):
                    self.send_error(answer)
                    return
                how, body = answer if isinstance(answer, tuple) else ("whole", answer)
                half = len(body) // 2
                self.send_response(200)
                self.send_header("Content-Length", str(half if how == "short" else len(body)))
                self.end_headers()
                self.wfile.write(body[:half])
                if how == "together":
                    outer.together.wait()
                if how in ("whole", "together"):
                    self.wfile.write(body[half:])

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = False  # `stop` waits for those that answer
        self.address = f"http://127.0.0.1:{self.http.server_address[1]}"
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()
