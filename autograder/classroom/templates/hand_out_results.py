#!/usr/bin/env python3
"""Results for Gradescope of a submission that was graded elsewhere. Runs no student code."""

import json
import shutil
from pathlib import Path

ROOT = Path("/autograder")


def main(root=ROOT):
    """Copy the results of the submission, or say that it is not graded yet."""
    number = json.loads((root / "submission_metadata.json").read_text())["id"]
    ready = root / "source" / "results" / f"{number}.json"
    target = root / "results" / "results.json"
    target.parent.mkdir(exist_ok=True)
    if ready.exists():
        shutil.copyfile(ready, target)
    else:
        output = "This submission was made after the last grading. Your instructor will grade it."
        target.write_text(json.dumps({"score": 0, "output": output, "visibility": "visible"}))


if __name__ == "__main__":
    main()
