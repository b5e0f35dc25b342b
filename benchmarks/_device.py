"""Runs the notebooks' code on a GPU: their tensors, modules and generators are made there."""

from __future__ import annotations

from typing import Any

import torch

_Generator = torch.Generator


def compute_on(device: str) -> str:
    """Make new tensors and generators on a device, such as "cpu" or "cuda"; the device's name."""
    torch.set_default_device(device)
    if device == "cpu":
        return device

    def generator(of: Any = device) -> torch.Generator:
        return _Generator(of)

    torch.Generator = generator  # type: ignore[assignment,misc]
    return torch.cuda.get_device_name(device)
