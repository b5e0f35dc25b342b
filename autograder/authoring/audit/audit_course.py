"""The audit of what `autograder audit` names, with a progress bar; what is finished is kept."""

from __future__ import annotations

import os

from tqdm.auto import tqdm

from autograder.authoring.audit.audit_processes import audit_exercises
from autograder.authoring.audit.audit_results import Audit, cached, store, summarize
from autograder.course.assignment import Assignment, every_assignment, find
from autograder.course.layout import Course
from autograder.errors import Stopped


def audit(
    course: Course,
    names: list[str],
    seeds: int = 10,
    jobs: int | None = None,
    again: bool = False,
) -> list[Audit]:
    """Audit exercises; those whose sources did not change since the last audit keep its result.

    Parameters
    ----------
    names : list of str
        Assignments or exercises; none stands for the whole course.
    seeds : int
        How many class seeds each mutant is judged with.
    jobs : int, optional
        Exercises to audit side by side (default: the number of cores).
    again : bool
        Audit unchanged exercises, too.

    Raises
    ------
    CourseError
        There is no assignment or exercise of a name, or an exercise cannot be recorded.
    Stopped
        The user pressed ctrl-C.
    """
    wanted = chosen(course, names)
    results = {}
    for assignment, name in wanted:
        result = None if again else cached(assignment, name, seeds)
        if result is not None:
            results[name] = result
    left = [pair for pair in wanted if pair[1] not in results]
    # the longest references first, so that no process is left alone with one at the end
    left.sort(key=lambda pair: -len(pair[0].solution.bare_sources[pair[1]]))
    with tqdm(total=0, desc="audit", unit="mutant", disable=None) as bar:

        def advance(found: int, judged: int) -> None:
            bar.total = (bar.total or 0) + found
            bar.update(judged)

        running = audit_exercises(left, seeds, jobs or os.cpu_count() or 1, advance)
        try:
            for assignment, name, result in running:
                store(assignment, name, seeds, result)
                results[name] = result
                bar.set_postfix_str(f"{len(results)} of {len(wanted)} exercises")
        except KeyboardInterrupt:
            raise Stopped(
                f"stopped: {len(results)} of {len(wanted)} exercises are audited; run the command"
                " again, and it goes on from there."
            ) from None
        finally:
            running.close()
    return [summarize(assignment, name, results[name]) for assignment, name in wanted]


def chosen(course: Course, names: list[str]) -> list[tuple[Assignment, str]]:
    """Return assignment and name of each exercise meant by names of assignments and exercises.

    Raises
    ------
    CourseError
        Nothing has one of these names.
    """
    every = {assignment.name: assignment for assignment in every_assignment(course)}
    found: dict[tuple[Assignment, str], None] = {}
    for name in names or every:
        if name in every or name[:2].isdigit():
            own = every[course.require(name)]
            found |= {(own, exercise): None for exercise in own.exercises}
        else:
            own = every[find(course, name).name]
            found[own, name] = None
    return list(found)
