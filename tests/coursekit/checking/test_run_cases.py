import random
import subprocess
import sys
import threading

import numpy as np
import pytest
import torch

from coursekit.checking import codec
from coursekit.checking.format import show_call
from coursekit.checking.run_cases import run_case, run_cases


def case(*args, **more):
    return {"args": [codec.encode(a) for a in args], "names": ["x", "y"], **more}


def test_a_value_is_returned_as_plain_data():
    assert run_case(lambda x: x + 1, case(2)) == {"status": "value", "value": 3}


def test_an_unwritten_function_is_told_apart_from_a_failing_one():
    def unwritten(x):
        raise NotImplementedError("the sum of x")

    outcome = run_case(unwritten, case(2))
    assert outcome["status"] == "unwritten"
    assert outcome["message"] == "the sum of x"


def test_an_exception_names_the_students_line():
    def divide(x):
        return x / 0

    outcome = run_case(divide, case(1))
    assert outcome["type"] == "ZeroDivisionError"
    assert "return x / 0" in outcome["line"]


def test_endless_recursion_ends_with_a_sentence():
    def again(x):
        return again(x)

    assert "without ever stopping" in run_case(again, case(1))["message"]


def test_an_endless_loop_is_stopped_even_if_it_catches_everything():
    def stubborn(x):
        while True:
            try:
                threading.Event().wait()
            except BaseException:
                if x:
                    raise

    assert run_case(stubborn, case(1), seconds=0.2)["status"] == "timeout"


def test_after_a_timeout_the_other_cases_are_not_run():
    calls = []

    def slow(x):
        calls.append(x)
        threading.Event().wait()

    outcomes = run_cases(slow, [case(1), case(2)], seconds=0.1)
    assert [o["status"] for o in outcomes] == ["timeout", "timeout"]
    assert calls == [1]


def test_a_call_to_exit_is_an_outcome_like_any_other():
    def leave(x):
        raise SystemExit(0)

    assert run_case(leave, case(1))["type"] == "SystemExit"


def test_a_change_of_an_input_in_place_is_noted_by_name():
    def add_one(x):
        x += 1
        return x

    assert run_case(add_one, case(torch.zeros(2)))["changed"] == ["x"]
    assert "changed" not in run_case(lambda x: x + 1, case(torch.zeros(2)))


def test_a_flood_of_printing_is_counted_not_kept():
    def chatty(x):
        for _ in range(10_000):
            print("hello")
        return x

    outcome = run_case(chatty, case(1))
    assert outcome["printed_characters"] == 60_000
    assert len(outcome["printed"]) <= 2_000


def test_checking_leaves_the_random_generators_as_they_were():
    torch.manual_seed(1), np.random.seed(1), random.seed(1)
    expected = torch.rand(1).item(), np.random.rand(), random.random()
    torch.manual_seed(1), np.random.seed(1), random.seed(1)
    run_case(lambda x: torch.rand(3), case(1))
    assert (torch.rand(1).item(), np.random.rand(), random.random()) == expected


def test_a_check_leaves_numpys_generator_as_it_was_whichever_it_is():
    def draws(n):
        return float(np.random.standard_normal())

    case = {"args": [1], "names": ["n"], "seed": 3}
    before = np.random.get_bit_generator()
    expected = run_cases(draws, [case])[0]["value"]
    try:
        for kind in (np.random.MT19937, np.random.PCG64):
            generator = kind(7)
            np.random.set_bit_generator(generator)
            one = np.random.standard_normal()  # NumPy keeps a second one for the next draw
            assert [o["value"] for o in run_cases(draws, [case, case])] == [expected, expected]
            assert np.random.get_bit_generator() is generator
            two = np.random.standard_normal()
            np.random.set_bit_generator(kind(7))
            if kind is np.random.MT19937:
                assert [one, two] == [np.random.standard_normal(), np.random.standard_normal()]
            else:
                assert one == np.random.standard_normal()
    finally:
        np.random.set_bit_generator(before)


def test_chance_inside_a_call_is_seeded_by_the_case():
    first = run_case(lambda x: torch.rand(3), case(1, seed=5))
    assert first == run_case(lambda x: torch.rand(3), case(1, seed=5))
    assert first != run_case(lambda x: torch.rand(3), case(1, seed=6))


def test_a_class_is_made_filled_and_called():
    class Scale(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(width))

        def forward(self, x):
            return self.weight * x

    steps = case(2, state={"weight": codec.encode(torch.tensor([2.0, 3.0]))})
    steps["then"] = [["__call__", [codec.encode(torch.ones(2))], {}], [".weight", [], {}]]
    value = codec.decode(run_case(Scale, steps)["value"])
    assert value[0].tolist() == [2.0, 3.0]
    assert value[1].tolist() == [2.0, 3.0]


def test_a_parameter_of_the_wrong_shape_is_explained():
    class Scale(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(3))

    outcome = run_case(Scale, case(state={"weight": codec.encode(torch.ones(2))}))
    assert outcome["message"].startswith("self.weight should have shape (2,), not (3,): make it as")


def test_a_parameter_that_is_left_out_is_explained():
    state = {"bias": codec.encode(torch.ones(2))}
    outcome = run_case(lambda: torch.nn.Linear(1, 2, bias=False), case(state=state))
    assert outcome["message"].startswith("self.bias should have shape (2,), but is None: make it")


def test_a_missing_attribute_points_to_the_docstring():
    class Scale:
        def __init__(self):
            self.wieght = 2

    asked = case(state={"weight": codec.encode(2)})
    assert run_case(Scale, asked)["message"] == (
        "Scale has no attribute weight (it has wieght): keep the names that the docstring lists under"
        " Attributes"
    )
    read = case() | {"then": [[".bias.shape", [], {}]]}
    assert run_case(lambda: torch.nn.Linear(1, 2, bias=False), read)["message"] == (
        "self.bias is None: make it as the docstring's Attributes say"
    )
    read = case() | {"then": [[".0.bias", [], {}]]}
    message = run_case(lambda: torch.nn.Sequential(torch.nn.ReLU()), read)["message"]
    assert message.startswith("self.0, of type ReLU, has no bias: make it as")


def test_an_error_in_a_property_is_the_students_own():
    class Scale:
        @property
        def weight(self):
            return self.nothing

    outcome = run_case(Scale, case() | {"then": [[".weight", [], {}]]})
    assert outcome["message"] == "'Scale' object has no attribute 'nothing'"


def test_a_misspelled_or_badly_indented_method_is_named():
    class Cell(torch.nn.Module):
        def foward(self, x):
            return x

    called = case() | {"then": [["__call__", [1], {}]]}
    outcome = run_case(Cell, called)
    assert outcome["status"] == "error"
    assert (
        outcome["message"]
        == "Cell has no method forward; did you mean forward where you wrote foward?"
    )

    class Inside(torch.nn.Module):
        def __init__(self):
            super().__init__()

            def forward(self, x):
                return x

    assert "its `def` must be in the class" in run_case(Inside, called)["message"]
    asked = case() | {"then": [["attention", [1], {}]]}
    assert "Cell has no method attention" in run_case(Cell, asked)["message"]


def test_a_module_that_is_called_in_another_way_needs_no_forward():
    class Called(torch.nn.Module):
        def __call__(self, x):
            return x + 1

    class Assigned(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.forward = lambda x: x + 1

    called = case() | {"then": [["__call__", [1], {}]]}
    assert [run_case(kind, called).get("value") for kind in (Called, Assigned)] == [2, 2]


def test_a_helper_without_forward_is_not_an_exercise_that_is_not_written_yet():
    class Helper(torch.nn.Module):
        def foward(self, x):
            return x

    outcome = run_case(lambda x: Helper()(x), case(1))
    assert outcome["type"] == "NotImplementedError"
    assert 'missing the required "forward" function' in outcome["message"]


def test_cases_also_run_off_the_main_thread_where_no_alarm_can_ring():
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(run_case(lambda x: x, case(1))))
    thread.start(), thread.join()
    assert outcomes[0]["status"] == "value"


def test_a_value_too_large_to_compare_is_an_outcome():
    outcome = run_case(lambda x: np.zeros(70 * 2**20, np.uint8), case(1))
    assert outcome["status"] == "unreadable"


def test_the_shared_generators_that_a_call_used_are_noted():
    assert "drew_from" not in run_case(lambda x: x, case(1))
    assert run_case(lambda x: torch.manual_seed(x) and None, case(1))["drew_from"] == ["torch"]
    used = run_case(lambda x: (random.random(), np.random.rand()), case(1))["drew_from"]
    assert used == ["random", "numpy.random"]


def test_a_generator_that_is_restarted_from_its_first_seed_was_used():
    def draw_and_restart(x):
        before = torch.initial_seed()
        torch.manual_seed(x)
        sample = torch.randn(3)
        torch.manual_seed(before)
        return sample

    assert run_case(draw_and_restart, case(1))["drew_from"] == ["torch"]


def test_a_missing_return_is_not_hidden_by_the_calls_that_would_follow():
    steps = case(1, then=[["apply", [2], {}]])
    assert run_case(lambda x: None, steps) == {"status": "value", "value": None}


def test_warnings_of_a_students_function_do_not_litter_the_notebook(capsys):
    outcome = run_case(lambda x: print("careful!", file=sys.stderr), case(1))
    assert capsys.readouterr().err == ""
    assert "printed" not in outcome


def test_an_input_changed_by_a_later_call_is_noted():
    class Doubler:
        def __call__(self, x):
            doubled = 2 * x
            x.zero_()
            return doubled

    steps = case(then=[["__call__", [codec.encode(torch.ones(2))], {}]])
    assert run_case(Doubler, steps)["changed"] == ["of the call"]


def test_an_input_that_reads_back_as_another_type_is_not_taken_for_changed():
    import collections

    counter = {"args": [codec.encode(collections.Counter("aab"))], "names": ["x"]}
    assert "changed" not in run_case(lambda x: len(x), counter)
    functions = {"args": [codec.encode([codec.Source("lambda x: x")])], "names": ["x"]}
    assert "changed" not in run_case(lambda x: len(x), functions)


def test_a_result_whose_text_never_ends_is_stopped_too():
    class Endless:
        def __repr__(self):
            while True:
                pass

    assert run_case(lambda x: Endless(), case(1), seconds=0.2)["status"] in ("timeout", "value")


def test_the_line_shown_is_the_students_not_a_librarys():
    import json

    def parse(x):
        return json.loads("{bad")

    assert "json.loads" in run_case(parse, case(1))["line"]


def gradient_of(function, *inputs, name="x"):
    outcome = run_case(function, case(*inputs, gradient=name))
    return codec.decode(outcome["value"]), outcome


def test_the_gradient_of_an_input_weighs_the_floats_of_the_result_1_2_3():
    x = torch.tensor([1.0, 2.0, 3.0])
    assert gradient_of(lambda x: x**2, x)[0].tolist() == [2.0, 8.0, 18.0]
    several = gradient_of(lambda x, y: (x.sum(), x > 0, y * x), x, 2 * x)[0]
    assert several.tolist() == [1 + 2 * 2, 1 + 3 * 4, 1 + 4 * 6]
    by_name = {"args": [], "kwargs": {"z": codec.encode(x)}, "gradient": "z"}
    assert codec.decode(run_case(lambda z: 3 * z, by_name)["value"]).tolist() == [3.0, 6.0, 9.0]


def test_nan_that_only_the_way_back_makes_is_seen_in_the_gradient():
    def repaired(x):
        return (x / x.sum()).nan_to_num(0.0)

    assert gradient_of(repaired, torch.zeros(2))[0].isnan().all()


def test_a_result_that_does_not_depend_on_the_input_has_the_gradient_zero():
    for function in (torch.zeros_like, lambda x: torch.ones(2, requires_grad=True)):
        assert gradient_of(function, torch.ones(2))[0].tolist() == [0.0, 0.0]


def test_a_result_without_a_gradient_is_compared_as_it_is():
    assert gradient_of(lambda x: None, torch.ones(2))[0] is None
    assert gradient_of(lambda x: x.tolist(), torch.ones(2))[0] == [1.0, 1.0]


def test_a_change_in_place_of_an_input_with_a_gradient_is_noted_too():
    gradient, outcome = gradient_of(lambda x: x.mul_(3), torch.ones(2))
    assert outcome["changed"] == ["x"]
    assert gradient.tolist() == [3.0, 6.0]


def test_the_call_that_is_shown_says_whose_gradient_is_compared():
    shown = show_call({"name": "double"}, case(torch.ones(2), 3, gradient="x"))
    assert shown == "double(x=tensor([1., 1.]), y=3), then the gradient of x"


def test_the_calls_on_one_object_are_shown_one_by_one():
    steps = [
        [".v", [], {}],
        [".v.requires_grad", [], {}],
        ["scores", [2], {}],
        ["__call__", [3], {}],
    ]
    exercise = {"name": "Model"}
    shown = show_call(exercise, {"args": [4], "state": {"v": 1}, "then": steps})
    calls = "obj.v, obj.v.requires_grad, obj.scores(2), obj(3)"
    assert shown == f"obj = Model(4) with v = 1; {calls}"
    assert show_call(exercise, {"args": [4], "then": steps[2:3]}) == "Model(4).scores(2)"


def test_an_empty_tensor_is_shown_with_its_shape():
    shown = show_call({"name": "double"}, case(torch.ones(0, 2), torch.ones(0)))
    assert shown == "double(torch.zeros((0, 2)), torch.zeros((0,)))"


@pytest.mark.parametrize(
    "value",
    [
        torch.tensor([-11.39, -0.0878, 1.483, 12.805], dtype=torch.float16),
        torch.tensor([[0.1, -2.5e-7], [3e30, 2.0]]),
        torch.tensor([1 / 3, 1e-9], dtype=torch.float64),
        torch.tensor([0.3, -1.5], dtype=torch.bfloat16),
        torch.tensor([torch.inf, -torch.inf, 0.0]),
        torch.tensor([[True, False]]),
        torch.tensor([3, -4]),
        torch.tensor(7, dtype=torch.int32),
        torch.zeros(0, 2, dtype=torch.int64),
        np.array([0.1, 0.2]),
        np.array([1, 2], dtype=np.int8),
        {"a": [1, (2,), float("inf")], 3: {1, 2}},
        "it's",
        None,
        float("-inf"),
    ],
)
def test_the_call_that_is_shown_can_be_pasted_and_gives_the_same_input(value):
    asked = case(value, kwargs={"key": codec.encode(value)})
    shown = show_call({"name": "double"}, asked)
    given = eval(shown, {"double": lambda x, key: (x, key), "torch": torch, "np": np})
    assert [codec.encode(v) for v in given] == [*asked["args"], asked["kwargs"]["key"]]


def test_a_call_that_no_line_can_repeat_is_abbreviated():
    columns = torch.ones(2, 3).mT  # its layout in memory is part of the case
    assert show_call({"name": "double"}, case(columns)).startswith("double(tensor([[1., 1.]")
    long = show_call({"name": "double"}, case(torch.ones(300)))
    assert long == "double(tensor of shape (300,))"


def test_a_course_in_plain_python_needs_no_torch():
    code = """
import sys
sys.modules["torch"] = None  # as if it were not installed
from coursekit.checking.codec import Source, encode
from coursekit.checking.recording_format import Case
from coursekit.checking.run_cases import run_case
from coursekit.checking.verdict import judge
import coursekit.checking.check

case = {"args": [encode(Source("lambda x: x + 1")), [1.5]], "names": ["f", "x"], "seed": 0}
for more in ({}, {"gradient": "all"}):
    outcome = run_case(lambda f, x: f(x[0]), {**case, **more})
    assert outcome == {"status": "value", "value": 2.5}, outcome
case |= {"group": "values", "expected": outcome}
exercise = {"name": "add", "groups": {"values": 1}, "cases": [case], "misconceptions": []}
assert judge(exercise, [outcome]).passed
"""
    subprocess.run([sys.executable, "-c", code], check=True)
