"""Rules on answers: typed as students type them, wrong in a helper, or edited at one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from autograder.authoring.audit import audit_results
from autograder.course.typed_answers import typed_answers, verdict_on
from autograder.verify import measurements
from autograder.verify.rules import Subject, rule


@rule(thresholds={"right-answers-per-exercise": 3})
def answer_styles(subject: Subject) -> Iterator[str]:
    """Require that every exercise has right answers in several styles, no two of them the same."""
    found = typed_answers(subject.assignment, "right")
    styles = Counter(answer.exercise for answer in found)
    fewest = subject.thresholds["right-answers-per-exercise"]
    for name, exercise in subject.assignment.exercises.items():
        count = styles[name] + len(exercise.alternatives)
        if count < fewest or not styles[name]:
            yield (
                f"{name} has {count} right answers, {styles[name]} of them in answers/right.py; write"
                f" {fewest:g}, with at least one there."
            )
    twice = [
        source for source, count in Counter(a.source for a in found).items() if source and count > 1
    ]
    for answer in found:
        if answer.source in twice:
            yield f"answers/right.py has the same answer twice: {answer.exercise}, {answer.words}."
    for (name, words), count in Counter((a.exercise, a.words) for a in found).items():
        if count > 1:
            yield f"answers/right.py: two answers are called `{name}: {words}`; rename one."


@rule()
def right_answers(subject: Subject) -> Iterator[str]:
    """Require that every right answer, as students type it, passes its check."""
    for answer in typed_answers(subject.assignment, "right"):
        verdict = verdict_on(subject.assignment, subject.recorded[answer.exercise], answer.source)
        if not verdict.passed:
            yield f"{answer.exercise}, {answer.words}: {verdict.headline}."


@rule()
def wrong_answers(subject: Subject) -> Iterator[str]:
    """Require that every wrong answer loses points, and gets the hint that names its mistake."""
    for answer in typed_answers(subject.assignment, "wrong"):
        verdict = verdict_on(subject.assignment, subject.recorded[answer.exercise], answer.source)
        where = f"{answer.exercise}, {answer.words}"
        if verdict.passed:
            yield f"{where}: it earns every point; add a case that tells."
        elif verdict.misconception != answer.misconception:
            got = verdict.misconception or "no hint"
            yield f"{where}: it gets {got}, not {answer.misconception or 'no hint'}."


def _measure_command(is_stale: bool, subject: Subject) -> str:
    return f"autograder verify {subject.name} --measure" if is_stale else ""


@rule(
    thresholds={"answer-seeds": 10},
    stale=lambda s: _measure_command(bool(measurements.stale_answers(s)), s),
    measure=measurements.measure_answers,
)
def answer_seeds(subject: Subject) -> Iterator[str]:
    """Require that the verdict on no typed answer depends on the class's seed, for many seeds."""
    for name, found in measurements.stored_answers(subject).items():
        for what in found["lost"]:
            yield f"{name}: a right answer loses points: {what}"
        for what in found["lucky"]:
            yield f"{name}: a wrong answer loses none: {what}"


@rule(
    stale=lambda s: _measure_command(measurements.is_stale_carried(s), s),
    measure=measurements.measure_carried,
)
def error_carried_forward(subject: Subject) -> Iterator[str]:
    """Require that with right helpers in place of wrong ones, no mistake costs a point of another exercise.

    Nor does any right answer to an exercise that others call cost one.
    """
    found: dict[str, Any] = measurements.stored_carried(subject)
    for key in ("points lost elsewhere, right helpers", "points lost elsewhere, right answers"):
        for what in found[key]:
            yield f"{key}: {what}"


@rule(
    thresholds={"audit-seeds": 10},
    stale=lambda s: _measure_command(bool(measurements.stale_audits(s)), s),
    measure=measurements.measure_audit,
)
def audit(subject: Subject) -> Iterator[str]:
    """Require that every edit of a reference at one place loses points, or is right as far as is known.

    Right are the edits that EQUIVALENT lists with a reason, those that equal the reference by algebra, and
    those that no input was found to tell from it.
    """
    stored = audit_results.stored(subject.assignment)
    for name in subject.assignment.exercises:
        found: dict[str, Any] = stored[name]
        counts: Iterable[tuple[str, int]] = (
            ("survive", len(found["survivors"])),
            ("lose points with some class seeds only", len(found["inconsistent"])),
            ("are listed wrongly", len(found["wrongly_listed"])),
        )
        said = [f"{count} {what}" for what, count in counts if count]
        if said:
            yield f"{name}: of its mutants {', '.join(said)}; `autograder audit {name}` shows them."
