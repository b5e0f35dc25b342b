"""A process that has the references and answers calls of them; started by `ReferenceDesk`.

Standard input: a line with the solution's cells, the names that may be called and the processor time
of one call, then a line per call. Standard output: a line when it is ready, then a line per answer,
which begins with the processor time it took. It ends with its standard input, and at its limits.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from pathlib import Path
from typing import IO

from nbformat.v4 import new_code_cell, new_notebook

from autograder.course.reference import Solution
from autograder.grading.reference_calls import answer
from autograder.grading.reference_desk import READY
from coursekit.checking.time_limit import TimeUp, time_limit

#: Processor time of all calls, and memory beyond what the libraries take.
_PROCESS_SECONDS = 300
_MEMORY_BYTES = 2**30


def main(requests: IO[str], answers: IO[str]) -> None:
    """Answer calls until there are no more.

    Parameters
    ----------
    requests, answers : file
        One JSON text per line.
    """
    task = json.loads(requests.readline())
    solution = Solution(Path("reference.ipynb"))
    solution.notebook = new_notebook(cells=[new_code_cell(source) for source in task["cells"]])
    definitions = {name: solution.definitions[name] for name in task["names"]}
    import torch

    torch.set_num_threads(1)
    _limit()
    answers.write(f"{READY}\n")
    answers.flush()
    for line in requests:
        begun = time.process_time()
        try:
            with time_limit(task["seconds"]), contextlib.redirect_stdout(sys.stderr):
                text = json.dumps(answer(definitions, json.loads(line)))
        except (TimeUp, MemoryError, RecursionError) as error:
            message = str(error) or "it takes too much memory"
            text = json.dumps({"error": "RuntimeError", "message": message})
        answers.write(f"{time.process_time() - begun:.3f} {text}\n")
        answers.flush()


def _limit() -> None:
    try:
        import resource
    except ImportError:  # Windows has none
        return
    status = Path("/proc/self/status")
    if status.exists():
        allocated = 1024 * int(status.read_text().partition("VmData:")[2].split()[0])
        resource.setrlimit(resource.RLIMIT_DATA, (allocated + _MEMORY_BYTES,) * 2)
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = int(used.ru_utime + used.ru_stime) + _PROCESS_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    main(sys.stdin, sys.stdout)
