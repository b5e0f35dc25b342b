"""Proves questions about code on their own: by reading the sheet and running what it says."""

import random
import re
from types import SimpleNamespace

import nbformat

from autograder.course.assignment import Assignment
from autograder.course.filled_notebooks import filled
from autograder.course.typed_answers import typed_answers
from autograder.gradebook.class_folder import Classroom
from autograder.grading.limits import Limits
from autograder.own_code.question_sheets import draw_sheet
from autograder.own_code.traced_calls import limits_for
from coursekit.checking import codec
from coursekit.checking.format import show

_EDIT = re.compile(r"Line (\d+) is changed from `(.*)` to `(.*?)`\. (?:Which|What does)", re.S)
_OPTION = re.compile(r"line (\d+): (.*)")
_STOP = re.compile(r"`(.*)` is called\. What is `(\w+)` once line (\d+) has run\?", re.S)


def made_up_answers(assignment, rng):
    """Exercise -> a right answer in some style: the reference, an alternative or a typed one."""
    found = {}
    typed = typed_answers(assignment, "right")
    for name, exercise in assignment.exercises.items():
        styles = [assignment.solution.bare_sources[name]]
        styles += [assignment.typed(one) for one in exercise.alternatives]
        styles += [one.source for one in typed if one.exercise == name]
        found[name] = rng.choice(styles)
    return found


def draw_for(course, name, student, answers, folder, count=4, seed=0):
    """A sheet for a made-up student all of whose answers are right, without grading them."""
    assignment = Assignment(course, name)
    classroom = Classroom(course, folder)
    path = classroom.autograded(student, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(filled(assignment, answers), path)
    right = SimpleNamespace(points=1, max_points=1)
    submission = SimpleNamespace(
        student=student, answers=answers, verdicts=dict.fromkeys(answers, right), problem=""
    )
    limits = limits_for(Limits(preload=course.preload, visible=course.visible))
    rng = random.Random(f"{student} {seed}")
    return draw_sheet(classroom, assignment, submission, count, rng, limits)


def scope_of(assignment, answers):
    """The names of a notebook with these answers."""
    scope = dict(assignment.solution.definitions)
    for source in answers.values():
        exec(source, scope)
    return scope


def right_options(sheet, question, scope):
    """The indices of the options that are right, found by running the student's code as shown."""
    source = sheet.sources[question.exercise]
    run = _Runner(source, question.exercise, scope)
    if question.kind == "telling_input":
        edited = run.edited(*_edit(question.text))
        return [i for i, call in enumerate(question.options) if run(call) != run(call, edited)]
    if question.kind == "silent_edit":
        own = [run(call) for call in question.calls]
        found = []
        for i, option in enumerate(question.options):
            line, new = _OPTION.fullmatch(option).groups()
            edited = run.edited(int(line), None, new)
            if [run(call, edited) for call in question.calls] == own:
                found.append(i)
        return found
    if question.kind == "value_of_a_line":
        call, name, line = _STOP.fullmatch(question.text).groups()
        given = run(call, run.stopped(int(line), name))
        return [i for i, option in enumerate(question.options) if option == given]
    edited = run.edited(*_edit(question.text))
    call = re.search(r"What does `(.*)` then return\?", question.text, re.S)[1]
    return [i for i, option in enumerate(question.options) if option == run(call, edited)]


def _edit(text):
    line, old, new = _EDIT.match(text).groups()
    return int(line), old, new


class _Runner:
    def __init__(self, source, name, scope):
        self.source, self.name, self.scope = source, name, scope

    def __call__(self, call, source=None):
        """What a call prints, in a fresh copy of the notebook's names."""
        scope = dict(self.scope)
        exec(source or self.source, scope)
        try:
            value = eval(call, scope)
            return show(codec.decode_views(codec.encode(value)), 121)
        except Exception as error:
            return f"raises {type(error).__name__}"

    def edited(self, line, old, new):
        lines = self.source.splitlines()
        own = lines[line - 1]
        assert old is None or own.strip() == old
        lines[line - 1] = own[: len(own) - len(own.lstrip())] + new
        return "\n".join(lines)

    def stopped(self, line, name):
        lines = self.source.splitlines()
        first = next(text for text in lines if re.match(rf"def {self.name}\b", text))
        body = lines[lines.index(first) + 1 :]
        indent = next(len(t) - len(t.lstrip()) for t in body if t.startswith(" "))
        lines.insert(line, " " * indent + f"return {name}")
        return "\n".join(lines)
