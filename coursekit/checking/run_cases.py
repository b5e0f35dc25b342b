"""Running of an exercise's cases on a function or class; the outcomes are plain data.

The same code runs on a student's machine (`check`), in a release (recording the reference) and in
a submission's kernel (grading). Nothing is judged here: an *outcome* only says what happened, see
`recording_format.Outcome`.
"""

from __future__ import annotations

import contextlib
import dis
import sys
import sysconfig
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from coursekit.checking import codec, object_members
from coursekit.checking.captured_output import captured
from coursekit.checking.defined_state import DefinedState
from coursekit.checking.gradients import Followed
from coursekit.checking.process_settings import SEEDS, Settings
from coursekit.checking.recording_format import Outcome, Plain, Question
from coursekit.checking.retained_state import changed as changed_in
from coursekit.checking.retained_state import kept
from coursekit.checking.running_threads import of_the_notebook
from coursekit.checking.seeded_generators import kept_generators, move_by_themselves, seeded
from coursekit.checking.shadowed_builtins import shadowed
from coursekit.checking.time_limit import TimeUp, time_limit
from coursekit.forbidden import without

#: Processor time.
SECONDS_PER_CASE = 10.0
#: Code that is not the student's: this package, the standard library and installed packages.
_LIBRARIES = (
    str(Path(__file__).parents[1]),
    *(sysconfig.get_paths()[kind] for kind in ("stdlib", "platstdlib", "purelib", "platlib")),
    "<frozen",
)
_RAISE = dis.opmap["RAISE_VARARGS"]
#: An input: its name, its encoded value before the call, and the value itself.
Given: TypeAlias = tuple[str, Plain, Any]


def run_cases(
    thing: Callable[..., Any],
    cases: Sequence[Question],
    seconds: float = SECONDS_PER_CASE,
    name: str = "",
    as_it_was: bool = False,
) -> list[Outcome]:
    """Call `thing` on every case, each in the defined state, and return the outcomes.

    After a timeout the remaining cases are not run but get the same outcome, so that an infinite
    loop costs the time limit only once. `name` and `as_it_was` are explained in `run_case`.
    """
    outcomes: list[Outcome] = []
    # a call in the state that the notebook has set defines it again by itself
    with contextlib.nullcontext() if as_it_was else DefinedState(), kept_generators():
        for case in cases:
            if outcomes and outcomes[-1]["status"] == "timeout":
                outcomes.append(outcomes[-1].copy())
            else:
                outcomes.append(_run_case(thing, case, seconds, name, as_it_was))
    return outcomes


def run_case(
    thing: Callable[..., Any],
    case: Question,
    seconds: float = SECONDS_PER_CASE,
    name: str = "",
    as_it_was: bool = False,
) -> Outcome:
    """Run one case with limited time and captured output, and return its outcome.

    The call begins in the state that `defined_state` describes, with seeded random generators, and
    all is restored afterwards, so that checking never changes what a notebook computes.

    Parameters
    ----------
    thing : callable
        The function or class.
    case : Question
        Its input.
    seconds : float
        The processor time that it may take.
    name : str
        The exercise's name, where `thing` has another, such as a decorator's function.
    as_it_was : bool
        Call it in the state that the notebook has set instead.
    """
    with kept_generators():
        return _run_case(thing, case, seconds, name, as_it_was)


def _run_case(
    thing: Callable[..., Any], case: Question, seconds: float, name: str, as_it_was: bool
) -> Outcome:
    """Run one case; the caller restores the random generators."""
    outcome: Outcome
    words = ""
    with (
        DefinedState() as state,
        seeded(case.get("seed", 0)) as drew_from,
        captured(_is_students) as printed,
    ):
        args = [codec.decode(a) for a in case.get("args", [])]
        kwargs = {key: codec.decode(v) for key, v in case.get("kwargs", {}).items()}
        followed = Followed.of(case, args, kwargs)
        given = _given(case, args, kwargs)
        settings, before = Settings(), kept(thing)
        settings.note()

        def answer() -> Any:
            return _call(thing, args, kwargs, case, given, followed, settings)

        try:
            with time_limit(seconds), without(_forbidden(thing, case, name)):
                try:
                    result = state.as_it_was(answer) if as_it_was else state.runs(answer)
                finally:
                    settings.note_end()
                state.define_again()
                if followed is not None:
                    result = followed.gradient(result)
                outcome = {"status": "value", "value": codec.encode(result)}
        except codec.PlainDataError as error:
            outcome = {"status": "unreadable", "message": str(error)}
        except NotImplementedError as error:
            outcome = _unwritten(thing, error, name) or _error(error, thing)
        except TimeUp as error:
            outcome = {"status": "timeout", "message": str(error)}
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a student's code raises is an outcome
            state.define_again()
            outcome = _error(error, thing)
            words = shadowed(thing, error)
        changed = [key for key, before, value in given if _is_changed(before, value)]
    if place := changed_in(before, kept(thing)):
        outcome["keeps"] = place
    if words or (words := shadowed(thing)):
        outcome["shadows"] = words
    if changed:
        outcome["changed"] = changed
    left = settings.changed()
    if (drew_from or left) and of_the_notebook() and move_by_themselves():
        drew_from, left = [], [name for name in left if name not in SEEDS]
    if drew_from:
        outcome["drew_from"] = drew_from
    if followed is not None and followed.is_constant:
        outcome["constant"] = True
    draws = _next_draws(given)
    if draws:
        outcome["next_draws"] = draws
    if left:
        outcome["left"] = left
    if printed.count:
        outcome["printed"] = printed.getvalue()
        outcome["printed_characters"] = printed.count
    return outcome


def _forbidden(thing: Callable[..., Any], case: Question, name: str = "") -> list[str]:
    """Return the helpers that a case forbids, and the given function of the exercise's name."""
    of = name or getattr(thing, "__name__", "")
    return [*case.get("forbidden", ()), f"coursekit.given.{of}"]


def call(thing: Callable[..., Any], case: Question) -> Any:
    """Return the result of `thing` on a case; with ``gradient``, the gradient instead."""
    args = [codec.decode(a) for a in case.get("args", [])]
    kwargs = {name: codec.decode(v) for name, v in case.get("kwargs", {}).items()}
    followed = Followed.of(case, args, kwargs)
    with without(_forbidden(thing, case)):
        result = _call(thing, args, kwargs, case, [], followed, Settings())
        return result if followed is None else followed.gradient(result)


def _call(
    thing: Callable[..., Any],
    args: list[Any],
    kwargs: dict[str, Any],
    case: Question,
    given: list[Given],
    followed: Followed | None,
    settings: Settings,
) -> Any:
    """Return the result of the call, or of the calls that follow it (a tuple if several).

    The inputs of these calls are added to `given`.
    """
    result = thing(*args, **kwargs)
    if case.get("again"):
        return (result, *_call_again(thing, case, given))
    steps = case.get("then", [])
    if isinstance(thing, type) or steps or case.get("state"):
        settings.note_seed()  # seeding the first weights is a matter of taste
    if result is None or not (steps or case.get("state")):
        return result
    for name, value in case.get("state", {}).items():
        _set_state(result, name, codec.decode(value))
    if followed is not None:
        followed.add_parameters(result)
    if not steps:
        return result
    outputs = []
    for method, step_args, step_kwargs in steps:
        if method.startswith("."):
            outputs.append(object_members.attribute(result, method[1:]))
        else:
            call = object_members.method(result, method)
            inputs = [codec.decode(a) for a in step_args]
            named = {name: codec.decode(value) for name, value in step_kwargs.items()}
            where = "the call" if method == "__call__" else method
            given += [(f"of {where}", b, v) for b, v in zip(step_args, inputs)]
            given += [(f"{n} of {where}", step_kwargs[n], v) for n, v in named.items()]
            if followed is not None:
                followed.add_inputs(inputs, named)
            outputs.append(call(*inputs, **named))
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _call_again(thing: Callable[..., Any], case: Question, given: list[Given]) -> list[Any]:
    """Return the results of a function's further calls, whose inputs are added to `given`."""
    results = []
    for args, kwargs in case["again"]:
        inputs = [codec.decode(value) for value in args]
        named = {name: codec.decode(value) for name, value in kwargs.items()}
        where = "of the second call"
        names = [*case.get("names", []), *(f"input {i + 1}" for i in range(len(args)))]
        given += [(f"{n} {where}", b, v) for n, b, v in zip(names, args, inputs)]
        given += [(f"{n} {where}", kwargs[n], v) for n, v in named.items()]
        results.append(thing(*inputs, **named))
    return results


def _set_state(thing: Any, path: str, value: Any) -> None:
    """Set an attribute, or fill a parameter after checking that its shape fits."""
    *owners, name = path.split(".")
    owner = object_members.attribute(thing, ".".join(owners)) if owners else thing
    current = object_members.attribute(thing, path)
    if current is None and hasattr(value, "shape"):  # absent, as with bias=False
        raise ValueError(
            f"self.{path} should have shape {tuple(value.shape)}, but is None: make it as the"
            " docstring's Attributes say"
        )
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(current, torch.Tensor):
        if current.shape != value.shape:
            raise ValueError(
                f"self.{path} should have shape {tuple(value.shape)}, not {tuple(current.shape)}:"
                " make it as the docstring's Attributes say"
            )
        with torch.no_grad():
            current.copy_(value)
    else:
        setattr(owner, name, value)


def _given(case: Question, args: list[Any], kwargs: dict[str, Any]) -> list[Given]:
    """Return name, encoded value and value of each input."""
    names = case.get("names", [])
    given = [
        (names[i] if i < len(names) else f"input {i + 1}", case["args"][i], value)
        for i, value in enumerate(args)
    ]
    return given + [(name, case["kwargs"][name], value) for name, value in kwargs.items()]


def _next_draws(given: list[Given]) -> list[float]:
    """Return the next number that each torch generator among the inputs draws."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    kind = torch._C.Generator  # `torch.Generator` may be something else in a student's notebook
    generators = (value for _, _, value in given if isinstance(value, kind))
    return [torch.rand((), generator=generator).item() for generator in generators]


def _is_changed(before: Plain, value: Any) -> bool:
    """Tell whether a value differs from its encoding before the call."""
    if isinstance(before, dict) and next(iter(before)) in ("$source", "$generator"):
        return False
    try:
        after = codec.encode(value)
        # decoding itself may change the type, such as from a Counter to a dict
        return after != before and after != codec.encode(codec.decode(before))
    except Exception:  # it can no longer be encoded, so it has changed
        return True


def _unwritten(
    thing: Callable[..., Any], error: NotImplementedError, name: str = ""
) -> Outcome | None:
    """Return the outcome if a TODO raised the error; None if a library did.

    If it is the TODO of another exercise, which this one calls, the outcome is an error naming it.
    """
    frames = traceback.extract_tb(error.__traceback__, limit=60)
    last = frames[-1]
    if type(error) is not NotImplementedError or not (last.line or "raise").startswith("raise"):
        return None
    if last.filename.startswith(_LIBRARIES):
        return None
    if last.name not in (getattr(thing, "__name__", ""), name, "<lambda>", *dir(thing)):
        message = f"it needs {last.name}, which is not written yet"
        return {"status": "error", "type": "NotImplementedError", "message": message, "line": ""}
    return {"status": "unwritten", "message": str(error)[:300]}


def _error(error: BaseException, thing: Callable[..., Any]) -> Outcome:
    """Return the outcome of an exception."""
    if isinstance(error, RecursionError):
        message = "the function calls itself without ever stopping"
    else:
        message = str(error).partition("\n")[0][:500]  # the other lines list overloads
    frames = _student_frames(error)
    line = frames[-1] if frames and frames[-1].line else None
    outcome: Outcome = {
        "status": "error",
        "type": type(error).__name__,
        "bases": " ".join(kind.__name__ for kind in type(error).__mro__[1:-1]),
        "message": message,
        "line": f"line {line.lineno} of {line.name}: {line.line}" if line else "",
        "place": _place([frame.name for frame in frames if frame.name[0] != "<"], thing),
    }
    if _is_raised_by_student(error):
        outcome["raised"] = True
    return outcome


def _place(called: list[str], thing: Callable[..., Any]) -> str:
    """Return the path to an error: the answer and those of its methods that were called.

    Functions that it calls are left out: everybody names and divides them differently.
    """
    methods = {*dir(thing)}
    return " > ".join([*called[:1], *(name for name in called[1:] if name in methods)])[:200]


def _student_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """Return the frames of the student's code in the traceback, outermost first."""
    frames = traceback.extract_tb(error.__traceback__, limit=60)
    return [frame for frame in frames if _is_students(frame.filename)]


def _is_raised_by_student(error: BaseException) -> bool:
    """Tell whether a ``raise`` in the student's code, not a library, raised the error."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not _is_students(trace.tb_frame.f_code.co_filename):
        return False
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] == _RAISE


def _is_students(filename: str) -> bool:
    """Tell whether a file is the student's, not a library's."""
    return not filename.startswith(_LIBRARIES)
