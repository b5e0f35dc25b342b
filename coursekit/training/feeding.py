"""Training data in any of the forms that `fit` takes, as batches of inputs and labels."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from coursekit.training.errors import TrainingError

Inputs = tuple[Any, ...] | dict[str, Any]
FORMS = "a tuple of tensors (inputs..., labels) or batches, as coursekit.text.batches makes them"


@dataclass
class Feed:
    """Batches for every epoch; `steps` is how many one epoch has, or None when nobody knows."""

    batches: Callable[[int], Iterator[Any]]
    steps: int | None


def feed(data: Any, batch_size: int, seed: int | None, *, shuffle: bool, role: str) -> Feed:
    """Turn `data` into batches; `role` names it in an error ("training", "validation").

    Whole tensors are shuffled here, by a generator of their own that depends on nothing but the
    seed and the epoch. Batches that come ready-made keep the order they come in.
    """
    data = getattr(data, "tensors", data)
    if is_whole(data):
        return _feed_whole(data, batch_size, seed, shuffle, role)
    if callable(data):
        steps = len(data) if hasattr(data, "__len__") else None
        return Feed(lambda epoch: iter(data(epoch)), steps)
    if not isinstance(data, Iterable) or isinstance(data, (str, bytes, torch.Tensor, np.ndarray)):
        raise TrainingError(f"The {role} data must be {FORMS}, but got {type(data).__name__}.")
    if isinstance(data, Iterator):
        # It could be gone through only once, but every epoch needs it.
        data = list(data)
    steps = len(data) if hasattr(data, "__len__") else None
    if steps == 0:
        raise TrainingError(f"The {role} data are empty.")
    return Feed(lambda epoch: iter(data), steps)


def is_whole(data: Any) -> bool:
    """Tell whole columns (one tensor per input, one for the labels) from a list of batches."""
    if isinstance(data, Mapping):
        return True
    return (
        isinstance(data, (tuple, list))
        and len(data) > 0
        and isinstance(data[0], (torch.Tensor, np.ndarray))
    )


def _feed_whole(data: Any, batch_size: int, seed: int | None, shuffle: bool, role: str) -> Feed:
    if isinstance(data, Mapping):
        names, columns = list(data), [to_tensor(column, role) for column in data.values()]
    else:
        names, columns = None, [to_tensor(column, role) for column in data]
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        shown = ", ".join(str(length) for length in lengths)
        raise TrainingError(
            f"The {role} data must have as many rows in every part, but have {shown}."
        )
    if not lengths or lengths[0] == 0:
        raise TrainingError(f"The {role} data are empty.")
    n = lengths[0]

    def batches(epoch: int) -> Iterator[Any]:
        order = torch.arange(n)
        if shuffle:
            draw = np.random.default_rng(None if seed is None else [abs(seed), epoch])
            order = torch.from_numpy(draw.permutation(n))
        for start in range(0, n, batch_size):
            rows = order[start : start + batch_size]
            parts = [column[rows] for column in columns]
            yield tuple(parts) if names is None else dict(zip(names, parts, strict=True))

    return Feed(batches, -(-n // batch_size))


def split(batch: Any, role: str) -> tuple[Inputs, torch.Tensor]:
    """Take a batch apart into what the model reads and the labels, both as tensors."""
    if isinstance(batch, Mapping):
        inputs = {name: to_tensor(part, role) for name, part in batch.items() if name != "labels"}
        labels, first = batch.get("labels"), next(iter(inputs.values()), None)
    elif isinstance(batch, (tuple, list)) and len(batch) >= 2:
        inputs = tuple(to_tensor(part, role) for part in batch[:-1])
        labels, first = batch[-1], inputs[0]
    else:
        raise TrainingError(
            f"A batch of the {role} data must be a tuple (inputs..., labels) or a dictionary "
            f'with "labels", but is {type(batch).__name__}.'
        )
    if labels is None or first is None:
        missing = "labels" if labels is None else "inputs"
        raise TrainingError(f"The {role} data have no {missing}.")
    labels = to_tensor(labels, role)
    if labels.dim() == 0 or len(labels) != len(first):
        rows = 0 if labels.dim() == 0 else len(labels)
        raise TrainingError(
            f"A batch of the {role} data has {len(first)} inputs but {rows} labels."
        )
    return inputs, labels


def to_tensor(part: Any, role: str) -> torch.Tensor:
    """Make a tensor of an array or a list; decimals get the precision of the models' weights."""
    if isinstance(part, torch.Tensor):
        tensor = part
    else:
        try:
            tensor = torch.as_tensor(np.asarray(part))
        except (TypeError, ValueError) as error:
            raise TrainingError(
                f"The {role} data must be {FORMS}, but one part is a {type(part).__name__} that "
                "is no tensor of numbers."
            ) from error
        tensor = tensor.float() if tensor.dtype == torch.float64 else tensor
    return tensor


def to_device(inputs: Inputs, device: torch.device) -> Inputs:
    """Move a batch's inputs."""
    if isinstance(inputs, dict):
        return {name: part.to(device) for name, part in inputs.items()}
    return tuple(part.to(device) for part in inputs)
