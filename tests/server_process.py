"""A Jupyter server in a course's folder, with nbgrader's extensions, and requests to it."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path


class Server:
    """A Jupyter server in the course's folder, and requests to it."""

    def __init__(self, root, log):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.token = secrets.token_hex(16)
        tools = Path(sys.executable).parent
        environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        environment |= {"JUPYTER_TOKEN": self.token, "JUPYTER_CONFIG_DIR": str(root / ".jupyter")}
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
        command += ["--ip=127.0.0.1", f"--port={self.port}", "--ServerApp.port_retries=0"]
        self.log = log.open("w")
        self.process = subprocess.Popen(
            command, cwd=root, env=environment, stdout=self.log, stderr=self.log
        )

    def url(self, path):
        return f"http://127.0.0.1:{self.port}{path}"

    def __call__(self, method, path):
        request = urllib.request.Request(
            self.url(path), method=method, headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=None) as answer:
            return answer.read().decode("utf-8")

    def get(self, path):
        return json.loads(self("GET", path))

    def wait(self):
        """Wait until the server answers, or has ended."""
        while True:
            try:
                return self("GET", "/api/status")
            except (urllib.error.URLError, ConnectionError):
                assert self.process.poll() is None, "the server did not start"
                time.sleep(0.1)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()
