"""The commands' output: rich tables, and the summary of a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.escaping import for_terminal

if TYPE_CHECKING:
    from autograder.classroom.collection import Collected
    from autograder.classroom.export import Filled
    from autograder.classroom.term_plan import Plan
    from autograder.gradebook.grade_class import Graded
    from autograder.gradebook.late_penalties import Settled
    from autograder.gradebook.late_policy import Lateness
    from autograder.gradebook.submission_score import Score
    from autograder.gradebook.withdraw import Withdrawn


_MAX_LISTED = 10


def show(*tables: Table) -> None:
    """Print tables; long text is wrapped to the terminal's width, never truncated."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    for table in tables:
        console.print(table)


def exercise_table(rows: list[dict[str, Any]]) -> Table:
    """Return a table with a row per exercise: points, groups and misconceptions."""
    table = Table(title=f"{len(rows)} exercises")
    for column in ("assignment", "exercise", "points", "groups", "misconceptions"):
        table.add_column(column, justify="right" if column == "points" else "left")
    for row in rows:
        groups = ", ".join(f"{name} {points:g}" for name, points in row["groups"].items())
        wrong = ", ".join(row["misconceptions"])
        table.add_row(row["assignment"], row["exercise"], f"{row['points']:g}", groups, wrong)
    return table


def summary_table(graded: Graded) -> Table:
    """Return a table with a row per student: score, and the exercises that lost points."""
    table = Table(title=f"{graded.assignment}: {len(graded.verdicts)} submissions")
    waiting = any(one.waiting for one in graded.scores.values())
    for column in ("student", "points", "by hand", "late", "points lost in"):
        if {"late": bool(graded.late), "by hand": waiting}.get(column, True):
            table.add_column(column, justify="right" if column == "points" else "left")
    for student, verdicts in graded.verdicts.items():
        score, out = _score(graded, student), _without_points(graded, student)
        points = f"{score.final:g} / {score.max_score:g}"
        lost = ", ".join(v.exercise for v in verdicts if not (v.passed or v.exercise in out))
        lost = f"not run: {graded.unread[student]}" if student in graded.unread else lost
        if student in graded.faults:
            lost = "the autograder failed; these are the earlier points"
            if not verdicts:
                points, lost = "not graded", "the autograder failed"
        rest = [f"{score.waiting} to grade" if score.waiting else ""] if waiting else []
        rest += [for_terminal(late_words(graded.late.get(student)))] if graded.late else []
        table.add_row(_cell(student), points, *map(_cell, rest), _cell(lost))
    return table


def withdrawn_lines(withdrawn: list[Withdrawn]) -> list[str]:
    """Return a line per withdrawn exercise, with the reason."""
    return [
        for_terminal(f"{one.assignment}: {one.exercise} {one.effect}: {one.reason}", lines=False)
        for one in withdrawn
    ]


def reinstated_lines(lifted: list[Withdrawn], left: list[Withdrawn]) -> list[str]:
    """Return a line per exercise that counts again; say if it stays withdrawn for everyone.

    Parameters
    ----------
    left : list of Withdrawn
        What is withdrawn now.
    """
    lines = []
    for one in lifted:
        others = [two for two in left if not two.student and two.exercise == one.exercise]
        others = [two for two in others if two.assignment == one.assignment]
        if others:
            said = f"is no longer withdrawn for {one.student} alone, but still {others[0].effect}"
        else:
            said = f"counts again{f' for {one.student}' * bool(one.student)}"
        lines.append(for_terminal(f"{one.assignment}: {one.exercise} {said}.", lines=False))
    return lines


def _without_points(graded: Graded, student: str) -> set[str]:
    """Return the exercises whose verdicts do not decide the student's points."""
    return {one.exercise for one in graded.withdrawn if one.concerns(student)}


def _score(graded: Graded, student: str) -> Score:
    """Return the score in the gradebook; for a submission not in it, that of its verdicts."""
    from autograder.gradebook.submission_score import Score

    verdicts = graded.verdicts[student]
    return graded.scores.get(student) or Score(
        sum(verdict.points for verdict in verdicts),
        0.0,
        sum(verdict.max_points for verdict in verdicts),
    )


def late_words(late: Lateness | None) -> str:
    """Say how late a submission is, and what it costs; "" if in time."""
    if late is None:
        return ""
    return f"{late.words}, -{late.penalty:g} points" if late.penalty else late.words


def settled_lines(settled: list[Settled]) -> list[str]:
    """Return a line per late penalty that has changed."""
    return [
        for_terminal(
            f"late penalty of {one.student} in {one.assignment}: {one.before:g} before,"
            f" {one.now:g} now",
            lines=False,
        )
        for one in settled
    ]


def changes_table(graded: Graded) -> Table:
    """Return a table with a row per exercise of a student whose points have changed."""
    changes = graded.changes()
    students = len({student for student, _, _ in changes})
    table = Table(title=f"points changed for {students} of {len(graded.earlier)} students")
    for column in ("student", "exercise", "before", "now", "why"):
        table.add_column(column, justify="right" if column in ("before", "now") else "left")
    for student, before, now in changes:
        why = _reasons(now) or "every case matches the reference"
        if (student, now.exercise) in graded.by_hand:
            why = "points set by hand stay as they are"
        row = (f"{before.points:g}", f"{now.points:g}", _cell(why))
        table.add_row(_cell(student), _cell(now.exercise), *row)
    return table


def verdict_tables(graded: Graded, perfect: bool = True, kept: bool = True) -> list[Table]:
    """Return a table per student: a row per exercise, with the reason for each point lost.

    Unless `perfect`, skips students with full points and submissions that could not be run; unless
    `kept`, those whose scores were kept. Skips submissions on which the grader has failed.
    """
    tables = []
    for student, verdicts in graded.verdicts.items():
        flawless = all(verdict.passed for verdict in verdicts)
        if student in graded.faults or (not perfect and (flawless or student in graded.unread)):
            continue
        if not kept and student in graded.kept:
            continue
        score, out = _score(graded, student), _without_points(graded, student)
        points = f"{score.final:g} of {score.max_score:g} points"
        so_far = " so far" if score.waiting else ""
        table = Table(
            title=_cell(f"{student}: {points} in {graded.assignment}{so_far}"),
            title_justify="left",
        )
        table.add_column("exercise", no_wrap=True)
        table.add_column("points", justify="right", no_wrap=True)
        table.add_column("why points were lost")
        for verdict in verdicts:
            points = f"{verdict.points:g} / {verdict.max_points:g}"
            style = "" if verdict.passed else "yellow"
            why = "withdrawn" if verdict.exercise in out else _reasons(verdict)
            table.add_row(_cell(verdict.exercise), Text(points, style), _cell(why))
        tables.append(table)
    return tables


def _cell(text: str) -> Text:
    """Return text that may come from students without markup and control characters."""
    return Text(for_terminal(text))


def _reasons(verdict: Any) -> str:
    """Return the reasons for the points lost, with the hint, a line each."""
    if verdict.passed:
        return ""
    lost = [group for group in verdict.groups if group.reason]
    reasons = {group.reason for group in lost}
    if len(reasons) == 1:
        lines = [lost[0].reason]
    else:
        lines = [f"{g.name} (-{g.max_points - g.points:g}): {g.reason}" for g in lost]
    if verdict.hint:
        lines.append(f"hint: {verdict.hint}")
    return "\n".join(lines)


def collected_lines(collected: Collected) -> list[str]:
    """Summarize a collection, with a line for everything that an instructor should check."""
    new = len(collected.students) - len(collected.unchanged)
    naming = "one folder per student"
    if collected.layout != "folder":
        naming = f"{collected.layout.capitalize()} naming"
    lines = [f"Collected {_count(new)} ({naming})."]
    if collected.inside:
        lines.append(f"The download is the archive {collected.inside} in what you passed.")
    if collected.matched_in:
        lines.append(
            f"{collected.matched_in} is no student: its files were matched to the class by their names."
        )
    elif collected.guessed and not collected.prefix:
        lines.append(
            "No LMS's naming was recognized: each folder or archive was taken for one student."
        )
    if collected.around:
        lines.append(_reading(collected))
    if collected.unchanged:
        lines.append(f"Already in submitted/: {_count(len(collected.unchanged))}.")
    for student, files in collected.earlier.items():
        earlier = f"{len(files)} earlier one{'s' * (len(files) > 1)}"
        graded = collected.students[student]
        lines.append(f"{student}: will grade {graded}; saved {earlier} in earlier/.")
    lines += _about_students(collected)
    for title, found in (("Not matched", collected.unmatched), ("Refused", collected.refused)):
        if found:
            lines.append(f"{title} ({len(found)}):")
            lines += _listed(found)
    return [for_terminal(line, lines=False) for line in lines]


def filled_lines(filled: Filled, most: float) -> list[str]:
    """Summarize how a gradebook of the LMS was filled in: column, scaling, students left out.

    Parameters
    ----------
    most : float
        Out of how many points the assignment counts here.
    """
    lines = []
    if filled.added:
        lines.append(
            f"there is no column like this assignment; {filled.column} is new, and the LMS may take"
            " it for a new assignment: --column names another."
        )
    else:
        lines.append(f"column: {filled.column}")
    if filled.possible is not None and filled.possible != most:
        lines.append(
            f"the LMS counts {filled.column} out of {filled.possible:g} points, here it is out of"
            f" {most:g}: change the points possible there, since scores are points."
        )
    if filled.scaled:
        lines.append(
            f"scaled to {most:g} points, since an exercise is out of the student's total:"
            f" {_on_one_line(filled.scaled)}"
        )
    for title, names in (
        ("graded, but not in the LMS gradebook", filled.unknown),
        ("in the LMS gradebook, but not graded", filled.ungraded),
        ("not filled in: several rows or students fit, try --who", filled.ambiguous),
    ):
        if names:
            lines.append(f"{title}, {len(names)}: {_on_one_line(names)}")
    return lines


def rows_filled(filled: Filled) -> str:
    """Say how many rows were filled in, and which were not."""
    count = len(filled.students)
    text = f"{count} row{'s' * (count != 1)} filled"
    left = [*filled.ungraded, *filled.ambiguous]
    return f"{text}; not filled, {len(left)}: {_on_one_line(left)}" if left else text


def _on_one_line(names: list[str]) -> str:
    """Join names, each escaped; with semicolons if a name has a comma."""
    separator = "; " if any("," in name for name in names) else ", "
    return separator.join(for_terminal(name, lines=False) for name in names)


def _about_students(collected: Collected) -> list[str]:
    """Return the lines of a collection's summary about students, groups and times."""
    lines = [
        f"{student}: now called {name} in the LMS; its number is the same."
        for student, name in collected.renamed.items()
    ]
    if collected.new:
        more = len(collected.new) - _MAX_LISTED
        names = _on_one_line(collected.new[:_MAX_LISTED]) + (
            f" and {more} more" if more > 0 else ""
        )
        lines.append(f"New in the class: {names}.")
    if collected.prefix:
        lines.append(f"Read as clones of GitHub Classroom: {collected.prefix}USERNAME.")
    if collected.teams:
        lines.append(f"Read as names of teams: {_on_one_line(collected.teams)}.")
    lines += [
        f"{group}: one submission for {_on_one_line(students)}."
        for group, students in collected.groups.items()
    ]
    lines += [
        f"{student}: not in {group} any more, whose submission is moved to earlier/."
        for student, group in collected.left.items()
    ]
    lines += [
        f"{student}: a group, {group}, and no student any more; its submission is moved to earlier/."
        for student, group in collected.were_groups.items()
    ]
    lines += [
        f"{student}: no answer can be read in {_on_one_line(files)}; another file, which has some, counts."
        for student, files in collected.unanswered.items()
    ]
    lines += [f"{who}: {what}, left out." for who, what in collected.later.items()]
    if collected.zone:
        lines.append(f"Times of submission are read in {collected.zone}.")
    if collected.corrected:
        count = len(collected.corrected)
        lines.append(f"Times that had been read in another zone and are corrected: {count}.")
    if collected.untimed:
        count, everyone = len(collected.untimed), set(collected.untimed) >= set(collected.students)
        whose = "these submissions" if everyone else _on_one_line(collected.untimed[:_MAX_LISTED])
        whose += f" and {count - _MAX_LISTED} more" if not everyone and count > _MAX_LISTED else ""
        lines.append(
            f"The download does not say when {whose} were handed in: nobody is late, unless the LMS"
            " has marked it; --times reads the times from a CSV of the LMS."
        )
    if collected.of_others:
        books = "notebook" if collected.of_others == 1 else "notebooks"
        lines.append(f"Left out: {collected.of_others} {books} of other assignments.")
    if collected.late:
        names = _on_one_line(collected.late)
        lines.append(f"Marked late by the LMS, which does not say by how much: {names}.")
    if collected.dropped:
        names = _on_one_line(collected.dropped)
        lines.append(f"Not in the course any more, and not graded: {names}.")
    return lines


def _reading(collected: Collected) -> str:
    """Say how folders that hold the whole class were read."""
    around = collected.around.rstrip("/")
    if collected.layout != "folder":
        return f"Everything is in the folder {around}."
    top = around.partition("/")[0]
    return (
        f"Everything is in the folder {around}; the students are named by what it contains. If"
        f" {top} is one student, choose --layout folder."
    )


def _listed(found: list[tuple[str, str]]) -> list[str]:
    """Return a line per file; only the first of many with one reason in one folder or archive."""
    groups: dict[tuple[str, str], list[str]] = {}
    for name, reason in found:
        groups.setdefault((name.partition("/")[0], reason), []).append(name)
    lines = []
    for (folder, reason), names in groups.items():
        lines += [f"  {name}: {reason}" for name in names[:_MAX_LISTED]]
        more = len(names) - _MAX_LISTED
        if more > 0:
            lines.append(f"  {folder}: {more:,} more, {reason}; --json lists all")
    return lines


def _count(submissions: int) -> str:
    return f"{submissions} submission{'s' * (submissions != 1)}"


def plan_lines(plan: Plan) -> list[str]:
    """Return a term plan as a table, with its hours and the assignments left out."""
    rows = [("week", "due on", "assignment", "hours", "reuses code of")]
    for one in plan.entries:
        needs = ", ".join(name[:2] for name in one.needs)
        rows.append(
            (str(one.week), f"{one.due:%a %Y-%m-%d}", one.assignment, f"{one.hours:g}", needs)
        )
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = [f"{plan.track.title}, {plan.weeks} weeks, {plan.credits} ECTS credits", ""]
    lines += ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    average = plan.hours / plan.weeks
    lines += [
        "",
        f"{plan.hours:g} hours of assignments, {average:.1f} a week, of the {plan.credit_hours:g}"
        f" hours that {plan.credits} credits stand for.",
    ]
    if plan.missing:
        lines.append(
            f"Left out, since the course does not have them yet: {', '.join(plan.missing)}."
        )
    return lines
