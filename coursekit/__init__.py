"""Package that a student of the course imports: checks, text, data, training, evaluation, figures.

Importing the package takes a few milliseconds; each part (and with it torch, matplotlib or
scikit-learn) is imported on first use.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Threads that wait for each other would otherwise spin, and on a shared computer keep the processor
# from the thread that they wait for. OpenMP reads this when torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

_HOME = {
    "check": "coursekit.checking.check",
    "CheckFailed": "coursekit.checking.check",
    "require": "coursekit.checking.version_check",
    "load": "coursekit.data",
    "load_pretrained": "coursekit.pretrained",
    "load_results": "coursekit.results",
    "store_prediction": "coursekit.predictions",
    "compare_prediction": "coursekit.predictions",
    "load_vectors": "coursekit.vectors",
    "WordVectors": "coursekit.vectors",
    "Pretrained": "coursekit.pretrained",
    "tokenize": "coursekit.text",
    "Vocabulary": "coursekit.text",
    "pad_batch": "coursekit.text",
    "batches": "coursekit.text",
    "fit": "coursekit.training",
    "predict": "coursekit.training",
    "initialize": "coursekit.training",
    "set_seed": "coursekit.training",
    "pick_device": "coursekit.training",
}
_PARTS = (
    "data",
    "evaluation",
    "figures",
    "pretrained",
    "results",
    "text",
    "training",
    "vectors",
)
__all__ = ["__version__", *_HOME]

if TYPE_CHECKING:
    from coursekit.checking.check import CheckFailed, check  # noqa: F401
    from coursekit.checking.version_check import require  # noqa: F401
    from coursekit.data import load  # noqa: F401
    from coursekit.predictions import compare_prediction, store_prediction  # noqa: F401
    from coursekit.pretrained import Pretrained, load_pretrained  # noqa: F401
    from coursekit.results import load_results  # noqa: F401
    from coursekit.text import Vocabulary, batches, pad_batch, tokenize  # noqa: F401
    from coursekit.training import fit, initialize, pick_device, predict, set_seed  # noqa: F401
    from coursekit.vectors import WordVectors, load_vectors  # noqa: F401


def __getattr__(name: str) -> Any:
    """Import a part of the package on first use."""
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _PARTS:
        return import_module(f"coursekit.{name}")
    raise AttributeError(f"module 'coursekit' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the names of the package, those that are not imported yet included."""
    return sorted([*__all__, *_PARTS])
