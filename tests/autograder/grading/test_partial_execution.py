"""What is known of definitions that a failing cell did not reach."""

from nbformat.v4 import new_code_cell

from autograder.grading.partial_execution import Stopped

ERROR = {
    "status": "error",
    "ename": "ModuleNotFoundError",
    "evalue": "No module named 'einops'",
}


def undefined(name):
    return {"status": "error", "type": "NameError", "message": f"name '{name}' is not defined"}


def test_a_name_whose_import_failed_is_explained_where_it_is_used():
    stopped = Stopped()
    source = "from einops import reduce, repeat as again\nimport einops.layers"
    stopped.note_reply(new_code_cell(source), 4, ERROR)
    told = stopped.explain([undefined(name) for name in ("reduce", "again", "einops", "other")])
    why = "cell 5, which imports it, stopped with ModuleNotFoundError: No module named 'einops'"
    assert [outcome["message"] for outcome in told] == [
        f"name 'reduce' is not defined: {why}",
        f"name 'again' is not defined: {why}",
        f"name 'einops' is not defined: {why}",
        "name 'other' is not defined",
    ]


def test_other_outcomes_stay_as_they_are_whatever_they_contain():
    stopped = Stopped()
    stopped.note_reply(new_code_cell("import einops"), 0, ERROR)
    strange = [{"status": "value", "value": 1}, {"type": "NameError", "message": 3}, None, "no"]
    assert stopped.explain(strange) == strange


def test_a_cell_that_failed_in_another_way_explains_no_import():
    stopped = Stopped()
    reply = {**ERROR, "ename": "ZeroDivisionError"}
    stopped.note_reply(new_code_cell("import math\n1 / 0"), 0, reply)
    assert stopped.explain([undefined("math")]) == [undefined("math")]
