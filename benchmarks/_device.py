"""Runs the notebooks' code on a GPU: their tensors, modules and generators are made there."""

from __future__ import annotations

from typing import Any

import torch

_Generator = torch.Generator


def compute_on(device: str) -> str:
    """Make new tensors and generators on a device, such as "cpu" or "cuda".

    Returns
    -------
    str
        What results say of where they were measured.
    """
    torch.set_default_device(device)
    if device == "cpu":
        return f"processor, torch {torch.__version__}"

    def generator(of: Any = device) -> torch.Generator:
        return _Generator(of)

    torch.Generator = generator  # type: ignore[assignment,misc]
    return f"{torch.cuda.get_device_name(device)}, torch {torch.__version__}"
