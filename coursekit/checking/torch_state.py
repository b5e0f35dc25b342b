"""Process-wide settings of torch, and the modes that code can enter."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

_PRINTING = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
#: The files of torch that replace its own functions when something is compiled.
_COMPILER = re.compile(r"[/\\]torch[/\\](_dynamo|_inductor|_compile\.py)")
_DEVICES = ("cpu", "cuda", "mps")
_ATTENTION = ("flash", "mem_efficient", "math", "cudnn")


def settings_of_torch(torch: Any) -> Iterator[tuple[Any, ...]]:
    """Yield each setting: clause, reader, writer, value in a case, perhaps a test for usual values.

    Parameters
    ----------
    torch : module
        The imported package.
    """
    yield (
        "the default dtype is {}",
        torch.get_default_dtype,
        torch.set_default_dtype,
        torch.float32,
    )
    yield "", torch.get_num_threads, torch.set_num_threads, 1
    yield (
        "only deterministic algorithms are allowed",
        lambda: (
            torch.are_deterministic_algorithms_enabled(),
            torch.is_deterministic_algorithms_warn_only_enabled(),
        ),
        lambda both: torch.use_deterministic_algorithms(both[0], warn_only=both[1]),
        (False, False),
    )
    yield (
        "anomalies are looked for",
        lambda: (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()),
        lambda both: torch.set_anomaly_enabled(*both),
        (False, True),
    )
    yield "matrices are multiplied with another precision", *_precision(torch)
    yield "tiny numbers count as 0", _flushes, torch.set_flush_denormal, False
    yield "", torch.is_warn_always_enabled, torch.set_warn_always, False
    yield "torch prints numbers in another way", *_attributes(torch._tensor_str, "PRINT_OPTS")
    yield "modules have global hooks", *_hooks(torch.nn.modules.module)
    yield "optimizers have global hooks", *_hooks(sys.modules["torch.optim.optimizer"])
    if hasattr(torch._C._autograd, "_top_saved_tensors_default_hooks"):  # not in older versions
        yield "hooks change the tensors that are saved for gradients", *_saved_tensors(torch)
    yield "a default device or another mode of torch is set", *_stacks(torch)
    for device in _DEVICES:
        yield (f"autocast is on for {device}", *_autocast(torch, device))
    for name in _ATTENTION:
        read = getattr(torch._C, f"_get_{name}_sdp_enabled", None)
        write = getattr(torch._C, f"_set_sdp_use_{name}", None)
        if read and write:
            yield f"{name} attention is off", read, write, True
    if hasattr(torch._C, "_get_mkldnn_enabled"):
        read, write = torch._C._get_mkldnn_enabled, torch._C._set_mkldnn_enabled
        yield "mkldnn is off", read, write, True
    yield "", lambda: torch.compile, lambda value: setattr(torch, "compile", value), _not_compiled
    dynamo = sys.modules.get("torch._dynamo.eval_frame")
    if dynamo is not None and hasattr(dynamo, "_set_stance"):
        stance = type(dynamo._stance)("force_eager")
        yield "", lambda: dynamo._stance, dynamo._set_stance, stance


def _not_compiled(model: Any = None, **options: Any) -> Any:
    """Replace `torch.compile` by a function that returns its argument: compiling takes too long."""
    return _not_compiled if model is None else model


def is_compiled(thing: Any) -> bool:
    """Tell whether `torch.compile` made this function or module."""
    return hasattr(thing, "_torchdynamo_orig_callable") or hasattr(thing, "_orig_mod")


def is_of_the_compiler(thing: Any) -> bool:
    """Tell whether torch's compiler put this function into torch's modules and classes."""
    code = getattr(thing, "__code__", None)
    return code is not None and _COMPILER.search(code.co_filename) is not None


def _flushes() -> bool:
    """Tell whether denormal numbers are flushed to 0."""
    tiny = 5e-324
    return tiny * 1.0 == 0.0


def _attributes(owner: Any, name: str) -> tuple[Any, Any, Any]:
    """Return reader, writer and usual value of the attributes of an options object."""

    def write(values: dict[str, Any]) -> None:
        vars(getattr(owner, name)).update(values)

    return lambda: dict(vars(getattr(owner, name))), write, _PRINTING


def _hooks(module: Any) -> tuple[Any, Any, Any]:
    """Return reader, writer and usual value of the global hooks in a module of torch."""
    names = [name for name, value in vars(module).items() if name.startswith("_global_")]
    tables = [getattr(module, name) for name in names if isinstance(getattr(module, name), dict)]

    def write(contents: list[dict[Any, Any]]) -> None:
        for table, content in zip(tables, contents):
            table.clear()
            table.update(content)

    return lambda: [dict(table) for table in tables], write, [{} for _ in tables]


def _autocast(torch: Any, device: str) -> tuple[Any, Any, Any]:
    """Return reader, writer and usual value of autocast on a device."""

    def read() -> tuple[bool, Any]:
        on = torch.is_autocast_enabled(device)
        return on, torch.get_autocast_dtype(device) if on else None

    def write(value: tuple[bool, Any]) -> None:
        torch.set_autocast_enabled(device, value[0])
        if value[1] is not None:
            torch.set_autocast_dtype(device, value[1])

    return read, write, (False, None)


def _precision(torch: Any) -> tuple[Any, ...]:
    """Return reader, writer and usual value of the precision of matrix products."""
    read_all, write_all = torch.get_float32_matmul_precision, torch.set_float32_matmul_precision
    read_one = getattr(torch._C, "_get_fp32_precision_getter", None)
    write_one = getattr(torch._C, "_set_fp32_precision_setter", None)
    if read_one is None or write_one is None:
        return read_all, write_all, "highest"
    of = (("generic", "all"), ("cuda", "matmul"), ("mkldnn", "all"), ("mkldnn", "matmul"))

    def read() -> tuple[str, ...]:
        try:
            older = read_all()
        except RuntimeError:  # the newer one was used, and says something else
            older = ""
        return older, *(read_one(*one) for one in of)

    def write(values: tuple[str, ...]) -> None:
        write_all(values[0] or "highest")
        for one, value, above in zip(of, values[1:], (None, values[1], values[1], values[3])):
            write_one(*one, "none" if value == above else value)  # else it has the one above

    def is_usual(values: tuple[str, ...]) -> bool:
        return values[0] == "highest" and set(values[1:]) <= {"none", "ieee"}

    return read, write, ("highest", *("none",) * len(of)), is_usual


def _saved_tensors(torch: Any) -> tuple[Any, Any, Any]:
    """Return reader, writer and usual value of the hooks on tensors saved for the backward pass."""
    autograd = torch._C._autograd
    top, push, pop = (
        getattr(autograd, f"_{what}_saved_tensors_default_hooks") for what in ("top", "push", "pop")
    )

    def emptied() -> list[Any]:
        found = []
        while (pair := top(True)) is not None:
            found.append(pair)
            pop()
        return found

    def fill(pairs: list[Any]) -> None:
        for pack, unpack in reversed(pairs):
            push(pack, unpack)

    def read() -> list[Any]:
        found = emptied()
        fill(found)
        return found

    def write(pairs: list[Any]) -> None:
        emptied()
        fill(pairs)

    return read, write, []


def _stacks(torch: Any) -> tuple[Any, Any, Any]:
    """Return reader, writer and usual value of torch's mode stacks, default devices included."""
    import torch.utils._device as default

    functions = (
        torch._C._len_torch_function_stack,
        torch._C._pop_torch_function_stack,
        torch._C._push_on_torch_function_stack,
    )
    operators = (
        torch._C._len_torch_dispatch_stack,
        torch._C._pop_torch_dispatch_stack,
        torch._C._push_on_torch_dispatch_stack,
    )
    context = torch._GLOBAL_DEVICE_CONTEXT

    def emptied(count: Any, pop: Any, push: Any) -> list[Any]:
        key = () if pop is functions[1] else (None,)  # the mode on top, whatever its kind
        return [pop(*key) for _ in range(count())]

    def read() -> tuple[list[Any], list[Any], Any, Any]:
        if not functions[0]() and not operators[0]():
            found: list[list[Any]] = [[], []]
        else:
            found = [emptied(*functions), emptied(*operators)]
            fill(found)
        device = getattr(context, "device_context", None)
        return found[0], found[1], device, default.CURRENT_DEVICE

    def fill(stacks: list[list[Any]]) -> None:
        for stack, (_, _, push) in zip(stacks, (functions, operators)):
            for mode in reversed(stack):
                push(mode)

    def write(value: tuple[list[Any], list[Any], Any, Any]) -> None:
        emptied(*functions), emptied(*operators)
        fill([value[0], value[1]])
        context.device_context, default.CURRENT_DEVICE = value[2], value[3]

    return read, write, ([], [], None, None)


class Modes:
    """Gradient and inference mode: before a case, and during it.

    Inference mode can be left only through a guard, which restores what there was before it.
    """

    def __init__(self, gradients: bool, inference: bool) -> None:
        self._gradients, self._inference = gradients, inference
        self._guards: list[Any] = []

    @classmethod
    def of_now(cls) -> Modes:
        """Return the current modes."""
        torch = sys.modules.get("torch")
        if torch is None:
            return cls(True, False)
        return cls(torch.is_grad_enabled(), torch.is_inference_mode_enabled())

    def define(self) -> None:
        """Turn gradients on and inference mode off."""
        torch = sys.modules.get("torch")
        if torch is None:
            return
        if not self._guards or torch.is_inference_mode_enabled():
            self._enter(torch, False)
        torch._C._set_grad_enabled(True)

    def resume(self) -> None:
        """Return to the modes before the case, until the next `define`."""
        torch = sys.modules.get("torch")
        if torch is not None:
            if self._inference:
                self._enter(torch, True)
            torch._C._set_grad_enabled(self._gradients)

    def leave(self) -> None:
        """Leave all inference guards that were entered."""
        while self._guards:
            self._guards.pop().__exit__(None, None, None)

    def differences(self) -> list[str]:
        """Describe the modes that a notebook has changed."""
        if self._inference:
            return ["inference mode is on"]
        return [] if self._gradients else ["gradients are off"]

    def _enter(self, torch: Any, mode: bool) -> None:
        """Enter an inference guard, on or off."""
        guard = torch._C._InferenceMode(mode)
        guard.__enter__()
        self._guards.append(guard)
