import json

import torch

from coursekit.checking import codec
from coursekit.checking.html import VerdictView
from coursekit.checking.judge_case import same_outcome
from coursekit.checking.run_cases import run_cases
from coursekit.checking.verdict import Verdict, judge


def exercise(*misconceptions):
    def one(group, x, title=""):
        data = {"group": group, "args": [codec.encode(x)], "names": ["x"], "seed": 0}
        return {**data, "title": title} if title else data

    cases = [
        one("values", torch.tensor([1.0, 2.0])),
        one("values", torch.tensor([3.0])),
        one("empty", torch.zeros(0), "an empty tensor"),
    ]
    for case, outcome in zip(cases, run_cases(torch.sum, cases)):
        case["expected"] = outcome
    recorded = {
        "name": "total",
        "kind": "function",
        "groups": {"values": 2, "empty": 1},
        "cases": cases,
        "misconceptions": [],
    }
    for name, wrong in misconceptions:
        outcomes = run_cases(wrong, cases)
        kept = [
            o if o.get("value") != c["expected"]["value"] else None for o, c in zip(outcomes, cases)
        ]
        recorded["misconceptions"].append(
            {"name": name, "hint": f"hint of {name}", "outcomes": kept}
        )
    return recorded


def verdict(answer, *misconceptions):
    recorded = exercise(*misconceptions)
    return judge(recorded, run_cases(answer, recorded["cases"]))


def test_a_right_answer_gets_all_points():
    result = verdict(lambda x: x.sum())
    assert (result.points, result.max_points, result.passed) == (3, 3, True)


def test_each_group_is_earned_on_its_own_with_the_reason_for_what_is_lost():
    result = verdict(lambda x: x.sum() if len(x) else torch.tensor(7.0))
    assert result.points == 2
    assert [group.points for group in result.groups] == [2, 0]
    assert result.groups[1].reason == "expected 0, got 7"


def test_in_the_first_group_with_a_mistake_the_earliest_stage_and_smallest_case_are_shown():
    result = verdict(lambda x: None if len(x) == 2 else x.sum() + 1)
    assert result.stage == "type"
    result = verdict(lambda x: x.sum() + 1)
    assert result.detail[0] == ["call", "total(torch.tensor([3.]))"]


def test_a_known_misconception_gets_its_hint():
    result = verdict(
        lambda x: x.max() if len(x) else x.sum(),
        ("max", lambda x: x.max()),
        ("mean", lambda x: x.mean()),
    )
    assert result.misconception == ""
    result = verdict(
        lambda x: torch.mean(x), ("max", lambda x: x.max()), ("mean", lambda x: x.mean())
    )
    assert (result.misconception, result.hint) == ("mean", "hint of mean")


def test_the_case_that_is_shown_is_one_that_the_named_misconception_gets_wrong():
    def two_mistakes(x):
        return x.mean() if len(x) != 1 else None  # the None is a mistake of its own

    result = verdict(two_mistakes, ("mean", lambda x: x.mean() if len(x) else x.sum()))
    assert result.misconception == "mean"
    assert result.detail[0] == ["call", "total(torch.tensor([1., 2.]))"]


def test_a_hint_about_a_special_case_waits_until_the_ordinary_ones_are_right():
    def of_nothing(x):
        return x.sum() if len(x) else torch.tensor(7.0)

    both_wrong = verdict(lambda x: x.prod() if len(x) else torch.tensor(7.0), ("seven", of_nothing))
    assert both_wrong.misconception == ""
    assert both_wrong.headline == "expected 3, got 2"
    assert verdict(of_nothing, ("seven", of_nothing)).misconception == "seven"


def test_a_hint_is_shown_beside_a_second_mistake_in_another_group():
    def scaled_and_seven(x):
        return (x * 0.37).sum() if len(x) else torch.tensor(7.0)

    result = verdict(scaled_and_seven, ("scaled", lambda x: (x * 0.37).sum() + (len(x) == 0)))
    assert result.misconception == "scaled"


def test_a_misconception_whose_outcomes_could_be_chance_explains_no_second_mistake():
    def zeros(x):
        return torch.tensor(0.0) if len(x) else torch.tensor(7.0)

    assert verdict(zeros, ("zero for two", lambda x: x.sum() * (len(x) != 2))).hint == ""


def test_a_misconception_that_is_wrong_where_the_answer_is_right_explains_nothing():
    result = verdict(lambda x: x.mean() if len(x) == 2 else x.sum(), ("mean", lambda x: x.mean()))
    assert result.misconception == ""


def columns(x):
    return x @ torch.ones(5, 1)


def test_an_exception_is_the_same_in_other_variable_names():
    def total(x):
        return x.sum() + x @ torch.ones(5)

    def named_otherwise(numbers):
        weights = torch.ones(5)
        product = numbers @ weights
        return numbers.sum() + product

    named_otherwise.__code__ = named_otherwise.__code__.replace(co_name="total")
    assert verdict(named_otherwise, ("five", total)).misconception == "five"


def test_an_exception_is_the_same_in_a_function_that_the_answer_defines_for_itself():
    def total(x):
        return x @ torch.ones(5)

    def divided(x):
        def product(numbers):
            return numbers @ torch.ones(5)

        return product(x)

    divided.__code__ = divided.__code__.replace(co_name="total")
    assert verdict(divided, ("five", total)).misconception == "five"
    assert verdict(total, ("five", divided)).misconception == "five"


def test_exceptions_of_one_type_with_other_messages_sizes_or_places_get_no_hint():
    def total(x):
        return x @ torch.ones(5)

    def helper(x):
        return total(x)

    for other in (lambda x: x @ torch.ones(6), lambda x: x.view(7), lambda x: x @ "5", helper):
        other.__code__ = other.__code__.replace(co_name=other.__name__.replace("<lambda>", "total"))
        assert verdict(other, ("five", total)).misconception == ""


def test_an_error_of_ones_own_gets_its_hint_however_it_is_worded():
    def refuses_zero(x):
        if (x == x).all():
            raise ValueError("zero is not allowed here")

    def words_it_otherwise(x):
        if (x == x).all():
            raise ValueError(f"{x} must be positive")

    def raises_another(x):
        raise TypeError("zero is not allowed here")

    def has_it_from_a_library(x):
        return int("zero")

    for other in (words_it_otherwise, raises_another, has_it_from_a_library):
        other.__code__ = other.__code__.replace(co_name="refuses_zero")
    assert verdict(words_it_otherwise, ("refuses", refuses_zero)).misconception == "refuses"
    assert verdict(raises_another, ("refuses", refuses_zero)).misconception == ""
    assert verdict(has_it_from_a_library, ("refuses", refuses_zero)).misconception == ""


def test_the_words_of_a_message_may_differ_but_not_its_numbers_and_quotes():
    def error(message):
        return {"status": "error", "type": "RuntimeError", "place": "f", "message": message}

    def same(one, two):
        return same_outcome({}, error(one), error(two))

    assert same("float division by zero", "division by zero")
    assert same("size of tensor a (2) must match b (3)", "size of tensor a (3) must match b (2)")
    assert same("cannot multiply (2x3 and 4x5)", "the shapes cannot multiply (2x3 and 4x5)")
    assert not same("cannot multiply (2x3 and 4x5)", "cannot multiply (2x3 and 4x6)")
    assert not same("no attribute 'rate'", "no attribute 'pool'")
    assert not same("index 3 is out of bounds", "3 values to unpack")


def test_input_is_explained_in_one_sentence():
    error = {"status": "error", "type": "StdinNotImplementedError", "message": "raw_input was"}
    result = judge(exercise(), [error] * 3)
    assert result.headline == "it calls input(), which is not available while checking"


def test_the_tip_on_parameters_is_only_for_the_call_of_the_function_itself():
    def calls_another(x):
        return columns()

    assert "keep the parameters" in verdict(lambda: 1).headline
    assert "keep the parameters" not in verdict(calls_another).headline


def test_another_mistake_gets_no_hint():
    assert verdict(lambda x: x.sum() + 1, ("mean", lambda x: x.mean())).hint == ""


def test_changing_the_input_costs_points_even_if_the_values_are_right():
    def in_place(x):
        total = x.sum().clone()
        x.zero_()
        return total

    result = verdict(in_place)
    assert result.stage == "property"
    assert "input x in place" in result.headline


def test_answers_that_are_missing_or_nonsense_are_zero_with_a_reason():
    recorded = exercise()
    for outcomes in (
        [],
        [{}] * 3,
        [{"status": "value"}] * 3,
        [{"status": "value", "value": {"$x": 1}}] * 3,
        [{"status": "error"}] * 3,
        [{"status": 3}] * 3,
    ):
        result = judge(recorded, outcomes)
        assert result.points == 0
        assert result.headline


def test_using_the_shared_generator_costs_points_only_where_it_is_forbidden():
    def noisy(x):
        torch.rand(1)
        return x.sum()

    assert verdict(noisy).passed
    recorded = exercise()
    for case in recorded["cases"]:
        case["judge"] = {"keeps_generators": True}
    result = judge(recorded, run_cases(noisy, recorded["cases"]))
    assert result.points == 0
    assert "global random generator (torch)" in result.headline


def test_what_is_shown_as_printed_belongs_to_the_call_that_is_shown():
    def chatty(x):
        print("got", len(x), "numbers")
        return x.sum() + 1

    result = verdict(chatty)
    assert result.detail[0] == ["call", "total(torch.tensor([3.]))"]
    assert result.printed == "got 1 numbers"


def test_an_expected_exception_is_a_right_answer():
    recorded = exercise()
    for case in recorded["cases"]:
        case["expected"] = {"status": "error", "type": "ValueError"}
    assert judge(recorded, [{"status": "error", "type": "ValueError"}] * 3).passed
    assert not judge(recorded, [{"status": "error", "type": "KeyError", "message": ""}] * 3).passed
    assert (
        "should raise ValueError" in judge(recorded, [{"status": "value", "value": 1}] * 3).headline
    )


def test_a_subclass_of_the_exception_that_an_input_should_raise_is_right():
    def not_json(x):
        return json.loads("{")

    recorded = exercise()
    for case in recorded["cases"]:
        case["expected"] = {"status": "error", "type": "ValueError"}
    judged = [judge(recorded, run_cases(answer, recorded["cases"])) for answer in (not_json, len)]
    assert [one.points for one in judged] == [3, 0]


def test_a_verdict_survives_being_written_and_read():
    result = verdict(lambda x: x.max())
    assert Verdict.from_dict(result.to_dict()) == result


def test_an_answer_that_no_judge_can_compare_costs_its_points_and_nothing_else():
    recorded = exercise()
    for case in recorded["cases"]:
        case["expected"] = {"status": "value", "value": 0.5}
        case["judge"] = {"kind": "between", "low": 0, "high": 1}
    huge = {"status": "value", "value": {"$int": "1" + "0" * 390}}
    nonsense = {"status": "value", "value": {"$float": 10**400}}
    for answer in (huge, nonsense):
        assert judge(recorded, [answer] * 3).points == 0


def test_two_misconceptions_that_change_the_same_outputs_show_both_hints():
    def both(x):
        return (x * 0.37).sum() + x.mean() if len(x) else torch.tensor(0.5)

    recorded = exercise(("scaled", lambda x: (x * 0.37).sum()), ("mean", lambda x: x.mean()))
    outcomes = run_cases(both, recorded["cases"])
    assert judge(recorded, outcomes).misconception == ""
    recorded["pairs"] = [{"names": ["mean", "scaled"], "outcomes": {"0": outcomes[0]}}]
    result = judge(recorded, outcomes)
    assert (result.misconception, result.hint) == ("mean", "hint of mean")
    assert result.next_hint == "hint of scaled"
    assert "hint of scaled" in VerdictView(result)._repr_html_()
    assert "hint of scaled" in repr(VerdictView(result))
    assert judge(recorded, run_cases(lambda x: x * 7, recorded["cases"])).next_hint == ""


def test_answers_with_equal_wrong_outputs_have_equal_digests():
    def noisy(x):
        return x.mean() * (1 + 1e-6)

    assert verdict(lambda x: x.mean()).digest == verdict(noisy).digest != ""
    assert verdict(lambda x: x.mean()).digest != verdict(lambda x: x.max()).digest
    assert verdict(lambda x: x.sum()).digest == ""


def shuffle_verdict(shuffle):
    """The verdict on a function that shuffles with a generator, the same again, another, and the
    first one after it has drawn numbers.
    """
    cases = [
        {
            "group": "values",
            "args": [20, codec.encode(generator)],
            "names": ["n", "generator"],
            "judge": {"kind": "shuffled", "must_shuffle": True},
        }
        for generator in map(codec.Drawn, (1, 1, 2, 1), (0, 0, 0, 4))
    ]
    for case, outcome in zip(
        cases, run_cases(lambda n, generator: [torch.randperm(n, generator=generator)], cases)
    ):
        case["expected"] = outcome
    recorded = {"name": "shuffle", "groups": {"values": 1}, "cases": cases}
    return judge(recorded, run_cases(shuffle, cases))


def test_a_shuffled_order_comes_from_the_generator_that_is_given():
    own = torch.Generator()
    answers = {
        "": lambda n, generator: [torch.rand(n, generator=generator).argsort()],
        "two different generators give the same order": lambda n, generator: [
            torch.randperm(n, generator=torch.Generator().manual_seed(0))
        ],
        "two different generators give the same": lambda n, generator: [
            torch.randperm(n, generator=torch.Generator().manual_seed(generator.initial_seed()))
        ],
        "the same state of the generator gives different orders": lambda n, generator: [
            torch.randperm(n, generator=own)
        ],
    }
    for headline, answer in answers.items():
        result = shuffle_verdict(answer)
        assert result.passed == (not headline)
        assert headline in result.headline


def test_where_another_exception_was_wanted_the_message_says_which():
    def refuses(x):
        raise ValueError("too many")

    def fails(x):
        return x @ torch.ones(5)

    case = {"group": "values", "args": [codec.encode(torch.ones(2, 3))], "names": ["x"], "seed": 0}
    case["expected"] = {"status": "error", "type": "ValueError"}
    recorded = {"name": "total", "groups": {"values": 1}, "cases": [case], "misconceptions": []}
    result = judge(recorded, run_cases(fails, [case]))
    assert result.headline.startswith("this input should raise ValueError; it raises RuntimeError:")
    assert "print both shapes" not in result.headline
    assert judge(recorded, run_cases(refuses, [case])).passed


def test_an_attribute_that_is_wrong_is_named_as_in_the_call():
    steps = [["__call__", [codec.encode(torch.ones(2))], {}], [".bias", [], {}]]
    case = {"group": "values", "args": [2, 1], "names": [], "seed": 0, "then": steps}
    case["state"] = {"weight": codec.encode(torch.ones(1, 2))}
    wanted = run_cases(lambda n, m: torch.nn.Linear(n, m, bias=False), [case])
    recorded = {"name": "layer", "groups": {"values": 1}, "misconceptions": []}
    recorded["cases"] = [case | {"expected": wanted[0]}]

    def with_bias(n, m):
        layer = torch.nn.Linear(n, m)
        torch.nn.init.zeros_(layer.bias)
        return layer

    result = judge(recorded, run_cases(with_bias, [case]))
    assert result.headline == "in obj.bias: it is a tensor instead of None"
    result = judge(recorded, run_cases(lambda n, m: torch.nn.Linear(n, m).double(), [case]))
    assert result.headline.startswith("it raises RuntimeError")


def test_not_a_number_is_no_evidence_for_a_misconception_beside_a_second_mistake():
    def spoiled(x):
        return x.sum() * float("nan")

    def named(x):  # NaN for another reason, and an ordinary number in an empty tensor
        return x.sum() * float("nan") if len(x) else torch.tensor(0.25)

    assert verdict(spoiled, ("named", named)).misconception == ""
    assert verdict(named, ("named", named)).misconception == "named"


def test_a_mistake_is_named_where_the_answer_avoids_another_that_comes_with_it():
    def both(x):
        return (x * 1.37 + 0.2).sum() if len(x) else torch.tensor(float("nan"))

    def one(x):
        return (x * 1.37 + 0.2).sum()

    def neither(x):
        return (x * 1.41 + 0.2).sum()

    assert verdict(one, ("both", both)).misconception == ""  # two numbers could be chance
    recorded = exercise(("both", both))
    more = [
        {**recorded["cases"][0], "args": [codec.encode(torch.tensor([n, 0.5]))]} for n in (4.0, 5.0)
    ]
    for case, outcome in zip(more, run_cases(torch.sum, more)):
        case["expected"] = outcome
    recorded["cases"] += more
    recorded["misconceptions"][0]["outcomes"] += run_cases(both, more)
    assert judge(recorded, run_cases(one, recorded["cases"])).misconception == "both"
    assert judge(recorded, run_cases(neither, recorded["cases"])).misconception == ""
