"""Random seeds, and the choice of the device to compute on."""

import random
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch
from torch import nn

from coursekit.training.errors import TrainingError


def set_seed(seed: int) -> None:
    """Seed the random number generators of Python, NumPy and torch (on every device)."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def pick_device(name: str | torch.device = "auto") -> torch.device:
    """Choose where to compute.

    Parameters
    ----------
    name : str or torch.device
        "auto" chooses an NVIDIA GPU if there is one and the CPU otherwise; any other name ("cpu",
        "cuda", "cuda:1", "mps") is used as it is.

    Returns
    -------
    torch.device

    Raises
    ------
    TrainingError
        If the named device is unknown or not available.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError, TypeError) as error:
        raise TrainingError(
            f'This machine has no device {name!r}; use pick_device("auto") or "cpu".'
        ) from error
    return device


@contextmanager
def seeded(seed: int, device: torch.device) -> Iterator[None]:
    """Seed all generators for the block, then restore their state.

    So training does not change what later cells draw, and what was drawn before does not change
    the training.
    """
    python_state, numpy_state = random.getstate(), np.random.get_state()
    try:
        with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            set_seed(seed)
            yield
    finally:
        random.setstate(python_state)
        np.random.set_state(numpy_state)


@contextmanager
def moved_to(device: torch.device, model: nn.Module) -> Iterator[None]:
    """Move a model to the device for the block, then restore its device and modes.

    Every submodule gets its own training or evaluation mode back, so an encoder that was frozen
    with `encoder.eval()` stays in evaluation mode.
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
