"""Random seeds, and the device to compute on."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import nn

from coursekit.training.errors import TrainingError


def set_seed(seed: int) -> None:
    """Seed the random numbers of Python, NumPy and torch (on every device).

    Parameters
    ----------
    seed
        Any whole number. The same one gives the same numbers again.
    """
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def pick_device(name: str | torch.device = "auto") -> torch.device:
    """Choose where to compute.

    Parameters
    ----------
    name
        "auto" takes an NVIDIA GPU when there is one and the processor otherwise; any other name
        ("cpu", "cuda", "cuda:1", "mps") is taken as it is.

    Returns
    -------
    torch.device

    Raises
    ------
    TrainingError
        When the named device is unknown or not there.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        raise TrainingError(
            f'This machine cannot compute on {name!r}; use device="auto" or "cpu".'
        ) from error
    return device


@contextmanager
def own_random_numbers(seed: int | None, device: torch.device) -> Iterator[None]:
    """Seed everything inside the block, and give the outside its random numbers back after it.

    So training does not change what a cell after it draws, and what was drawn before does not
    change the training. `None` leaves everything as it is.
    """
    if seed is None:
        yield
        return
    python_state, numpy_state = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            set_seed(seed)
            yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)


@contextmanager
def borrowed(model: nn.Module, device: torch.device) -> Iterator[None]:
    """Move a model to `device` for the block, then put it back where and how it was.

    Every part gets back its own training or evaluation mode, so an encoder that was frozen with
    `encoder.eval()` stays so.
    """
    modes = [(module, module.training) for module in model.modules()]
    home = next((tensor.device for tensor in model.parameters()), torch.device("cpu"))
    try:
        model.to(device)
        yield
    finally:
        model.to(home)
        for module, mode in modes:
            module.training = mode
