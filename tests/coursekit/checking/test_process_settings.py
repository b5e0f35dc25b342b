import contextlib
import functools
import os
import random
import threading

import numpy as np
import pytest
import torch

from coursekit.checking import codec, running_threads
from coursekit.checking.judge_case import judge_case
from coursekit.checking.process_settings import SEEDS
from coursekit.checking.run_cases import run_case

#: Threads are ended by an exception.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
CASE = {"group": "values", "args": [codec.encode(2.0)], "names": ["x"], "seed": 3}
EXPECTED = {**CASE, "expected": {"status": "value", "value": 2.0}}


def switch_gradients_off(x):
    torch.set_grad_enabled(False)
    return x


def change_the_dtype(x):
    torch.set_default_dtype(torch.float64)
    return x


def seed_the_generator(x):
    torch.manual_seed(0)
    return x


def seed_numpy(x):
    np.random.seed(0)
    return x


def seed_python(x):
    random.seed(0)
    return x


def change_the_folder(x):
    os.chdir("/")
    return x


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (switch_gradients_off, "leaves gradients switched off"),
        (change_the_dtype, "another default dtype"),
        (seed_the_generator, "seeds the global random generator of torch"),
        (seed_numpy, "seeds the global random generator of NumPy"),
        (seed_python, "seeds the global random generator of Python"),
        (change_the_folder, "another current folder"),
    ],
)
def test_what_a_call_leaves_changed_costs_points_and_is_restored(function, words):
    before = torch.is_grad_enabled(), torch.get_default_dtype(), os.getcwd()
    finding = judge_case(EXPECTED, run_case(function, CASE))
    assert finding is not None
    assert finding.stage == "property"
    assert words in finding.message
    assert (torch.is_grad_enabled(), torch.get_default_dtype(), os.getcwd()) == before


def test_an_error_does_not_hide_that_gradients_are_off():
    def fails(x):
        torch.set_grad_enabled(False)
        raise KeyError(x)

    assert run_case(fails, CASE)["left"] == ["gradients"]
    assert torch.is_grad_enabled()


def test_gradients_switched_off_for_a_while_and_random_numbers_are_allowed():
    def draws(x):
        with torch.no_grad(), torch.random.fork_rng():
            torch.manual_seed(0)
            torch.rand(3)
        torch.rand(3)
        return x

    assert judge_case(EXPECTED, run_case(draws, CASE)) is None


@pytest.mark.parametrize(
    "draw",
    [
        random.random,
        lambda: random.shuffle(list(range(1000))),
        lambda: random.gauss(0, 1),
        lambda: random.getrandbits(10**5),
        lambda: random.randbytes(10**6),
        np.random.rand,
        lambda: np.random.permutation(1000),
        lambda: np.random.randn(3),
        lambda: np.random.rand(10**6),
        lambda: np.random.bytes(10**6),
        lambda: (random.setstate(random.getstate()), np.random.set_state(np.random.get_state())),
        lambda: (random.Random(0).random(), np.random.default_rng(0), np.random.RandomState(0)),
    ],
)
def test_numbers_that_are_drawn_are_no_seed(draw):
    assert "left" not in run_case(lambda x: [x, draw()][0], CASE)


@pytest.mark.parametrize(
    "seed",
    [
        lambda: (random.random(), random.seed(5), random.random()),
        lambda: (np.random.seed(5), np.random.rand(700)),
        lambda: random.setstate(random.Random(4).getstate()),
        lambda: np.random.set_state(np.random.RandomState(4).get_state()),
        random.seed,
        np.random.seed,
    ],
)
def test_a_seed_is_seen_whatever_is_drawn_before_and_after(seed):
    assert len(run_case(lambda x: [x, seed()][0], CASE)["left"]) == 1


def test_a_seed_for_the_first_weights_is_allowed_but_none_in_a_call():
    class Model:
        def __init__(self, x):
            torch.manual_seed(0), np.random.seed(0), random.seed(0)
            self.x = x

        def plain(self):
            return self.x

        def seeded(self):
            torch.manual_seed(1), np.random.seed(1), random.seed(1)
            return self.x

    for made in (Model, functools.partial(Model), lambda x: Model(x)):
        for method, left in (("plain", None), ("seeded", [*SEEDS])):
            assert run_case(made, {**CASE, "then": [[method, [], {}]]}).get("left") == left


def test_what_the_reference_changes_an_answer_may_change_too():
    outcome = run_case(seed_the_generator, CASE)
    assert judge_case({**CASE, "expected": outcome}, outcome) is None


def test_a_loss_without_a_gradient_is_told_apart_from_one_whose_gradient_is_zero():
    case = {**CASE, "args": [codec.encode(torch.ones(2))], "gradient": "x"}
    expected = {**case, "expected": run_case(lambda x: (x * 0).sum(), case)}
    assert judge_case(expected, run_case(lambda x: 0 * x.sum(), case)) is None
    finding = judge_case(expected, run_case(lambda x: torch.tensor(0.0), case))
    assert "its result has no gradient" in finding.message
    rows = {**case, "expected": run_case(lambda x: x * 0, case)}
    assert judge_case(rows, run_case(lambda x: torch.zeros(2), case)) is None


def test_a_counter_is_told_apart_from_a_dictionary_where_it_counts():
    from collections import Counter, defaultdict

    case = {**CASE, "judge": {"counters": True}}
    expected = {**case, "expected": run_case(lambda x: {"a": Counter(b=1)}, case)}
    right = (lambda x: {"a": Counter(b=1)}, lambda x: defaultdict(Counter, a=Counter(b=1)))
    assert all(judge_case(expected, run_case(answer, case)) is None for answer in right)
    wrong = (lambda x: {"a": {"b": 1}}, lambda x: {"a": defaultdict(int, b=1)})
    for answer in wrong:
        assert "instead of a Counter" in judge_case(expected, run_case(answer, case)).message
    plain = {**CASE, "expected": expected["expected"]}
    assert judge_case(plain, run_case(wrong[0], plain)) is None


def test_a_generator_that_was_drawn_from_too_often_is_told_where_the_text_says_how_often():
    def draws(count):
        def function(x):
            return float(torch.rand(count, generator=x)[0] * 0)

        return function

    case = {**CASE, "args": [codec.encode(codec.Drawn(4, 2))], "judge": {"draws": True}}
    expected = {**case, "expected": run_case(draws(3), case)}
    assert judge_case(expected, run_case(draws(3), case)) is None
    finding = judge_case(expected, run_case(draws(4), case))
    assert "more or fewer numbers" in finding.message
    assert judge_case({**expected, "judge": {}}, run_case(draws(4), case)) is None


def test_what_a_thread_of_the_notebook_draws_or_seeds_is_not_the_answers():
    source = """
import random, threading
seeded = threading.Event()
def spin():
    while True:
        random.seed(1)
        seeded.set()
def waits(x):
    for _ in range(2):  # the first may come of a seed before the call
        seeded.clear()
        seeded.wait()
    return x
thread = threading.Thread(target=spin, daemon=True)
"""
    scope = {"__name__": "__main__"}
    exec(source, scope)
    case = {**CASE, "judge": {"keeps_generators": True}}
    expected = {**case, "expected": {"status": "value", "value": 2.0}}
    scope["thread"].start()
    try:
        assert judge_case(expected, run_case(scope["waits"], case)) is None
    finally:
        running_threads.end_those_of_the_notebook()
        scope["thread"].join()


#: A thread that waits until it is told to end, and one that computes.
THREADS = """
import threading
begun, end = threading.Event(), threading.Event()
def wait():
    begun.set()
    end.wait()
def spin():
    begun.set()
    while True:
        pass
"""


@contextlib.contextmanager
def waiting():
    """A thread of a notebook that only waits, and which an exception does not end."""
    scope = {"__name__": "__main__"}
    exec(THREADS, scope)
    thread = threading.Thread(target=scope["wait"], daemon=True)
    thread.start()
    scope["begun"].wait()
    try:
        yield
    finally:
        scope["end"].set()
        thread.join()


def test_a_thread_that_only_waits_excuses_no_seed():
    with waiting():
        assert running_threads.of_the_notebook()
        assert run_case(seed_python, CASE)["left"] == ["python_seed"]


def test_a_thread_is_ended_though_one_before_it_with_its_number_could_not_be(monkeypatch):
    monkeypatch.setattr(running_threads, "_SECONDS", 0.02)
    with waiting():
        running_threads.end_those_of_the_notebook()
    monkeypatch.undo()
    scope = {"__name__": "__main__"}
    exec(THREADS, scope)
    thread = threading.Thread(target=scope["spin"], daemon=True)
    thread.start()
    scope["begun"].wait()
    running_threads.end_those_of_the_notebook()
    thread.join()
