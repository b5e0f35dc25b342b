"""One progress bar for a whole training."""

import os
import sys
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coursekit.training.averages import Average
    from coursekit.training.history import History


class Bar:
    """A tqdm bar over all steps; it also says the epoch and how well it goes."""

    def __init__(self, total: int | None, hidden: bool) -> None:
        with warnings.catch_warnings():
            # Without ipywidgets tqdm draws the bar as text, which is fine; no need to warn.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm

            self._bar = tqdm(total=total, disable=hidden, unit="step", dynamic_ncols=True)
        self._judged = ""

    def begin(self, epoch: int, epochs: int) -> None:
        self._bar.set_description(f"epoch {epoch + 1}/{epochs}", refresh=False)

    def step(self, average: "Average") -> None:
        self._bar.set_postfix_str(f"loss {average.loss:.3f}{self._judged}", refresh=False)
        self._bar.update()

    def end(self, history: "History") -> None:
        if history.validation_loss:
            name, value = "loss", history.validation_loss[-1]
            if history.validation_metric:
                name, value = history.metric, history.validation_metric[-1]
            self._judged = f", validation {name} {value:.3f}"
        self._bar.set_postfix_str(f"loss {history.train_loss[-1]:.3f}{self._judged}")

    def close(self) -> None:
        self._bar.close()


def open_bar(total: int | None, progress: bool | None) -> Bar:
    """Open a bar over `total` steps; hide it when nobody watches, unless told otherwise."""
    return Bar(total, hidden=not (_watched() if progress is None else progress))


def _watched() -> bool:
    """Whether a person may be looking: in a terminal or a notebook, not under nbgrader."""
    if os.environ.get("NBGRADER_EXECUTION") or os.environ.get("TQDM_DISABLE"):
        return False
    shell: Any = None
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
    return hasattr(shell, "kernel") or sys.stderr.isatty()
