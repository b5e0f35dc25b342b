"""What the commands print: rich tables, and the summary of a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from autograder.escaping import for_terminal

if TYPE_CHECKING:
    from autograder.classroom.collected import Collected
    from autograder.gradebook.grade_class import Graded
    from autograder.gradebook.late import Lateness


_MAX_LISTED = 10


def show(*tables: Table) -> None:
    """Print tables; long text is wrapped to the terminal's width, never truncated."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)
    for table in tables:
        console.print(table)


def exercise_table(rows: list[dict[str, Any]]) -> Table:
    """One row per exercise: points, groups and misconceptions."""
    table = Table(title=f"{len(rows)} exercises")
    for column in ("assignment", "exercise", "points", "groups", "misconceptions"):
        table.add_column(column, justify="right" if column == "points" else "left")
    for row in rows:
        groups = ", ".join(f"{name} {points:g}" for name, points in row["groups"].items())
        wrong = ", ".join(row["misconceptions"])
        table.add_row(row["assignment"], row["exercise"], f"{row['points']:g}", groups, wrong)
    return table


def summary_table(graded: Graded) -> Table:
    """One row per student: points, and the exercises that lost some."""
    table = Table(title=f"{graded.assignment}: {len(graded.verdicts)} submissions")
    for column in ("student", "points", "late", "points lost in"):
        if column != "late" or graded.late:
            table.add_column(column, justify="right" if column == "points" else "left")
    for student, verdicts in graded.verdicts.items():
        total = sum(verdict.points for verdict in verdicts)
        best = sum(verdict.max_points for verdict in verdicts)
        lost = ", ".join(verdict.exercise for verdict in verdicts if not verdict.passed)
        lost = f"not run: {graded.unread[student]}" if student in graded.unread else lost
        points = f"{total:g} / {best:g}"
        if student in graded.faults:
            lost = "the autograder failed; these are the earlier points"
            if not verdicts:
                points, lost = "not graded", "the autograder failed"
        late = [_cell(late_words(graded.late.get(student)))] if graded.late else []
        table.add_row(_cell(student), points, *late, _cell(lost))
    return table


def late_words(late: Lateness | None) -> str:
    """How late, and what it costs; "" if in time."""
    if late is None:
        return ""
    return f"{late.words}, -{late.penalty:g} points" if late.penalty else late.words


def changes_table(graded: Graded) -> Table:
    """One row per exercise of a student whose points are not those of the last time."""
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


def verdict_tables(graded: Graded, perfect: bool = True) -> list[Table]:
    """One table per student: a row per exercise, with the reason for each point lost.

    Unless `perfect`, skips students with full points and submissions that could not be run. Skips
    submissions on which the grader has failed.
    """
    tables = []
    for student, verdicts in graded.verdicts.items():
        flawless = all(verdict.passed for verdict in verdicts)
        if student in graded.faults or (not perfect and (flawless or student in graded.unread)):
            continue
        total = sum(verdict.points for verdict in verdicts)
        best = sum(verdict.max_points for verdict in verdicts)
        table = Table(
            title=_cell(f"{student}: {total:g} of {best:g} points in {graded.assignment}"),
            title_justify="left",
        )
        table.add_column("exercise", no_wrap=True)
        table.add_column("points", justify="right", no_wrap=True)
        table.add_column("why points were lost")
        for verdict in verdicts:
            points = f"{verdict.points:g} / {verdict.max_points:g}"
            style = "" if verdict.passed else "yellow"
            table.add_row(_cell(verdict.exercise), Text(points, style), _cell(_reasons(verdict)))
        tables.append(table)
    return tables


def _cell(text: str) -> Text:
    """Text that may come from students: no markup, no control characters."""
    return Text(for_terminal(text))


def _reasons(verdict: Any) -> str:
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
    """The summary of a collection, with a line for everything that an instructor should check."""
    new = len(collected.students) - len(collected.unchanged)
    naming = "one folder per student"
    if collected.layout != "folder":
        naming = f"{collected.layout.capitalize()} naming"
    lines = [f"Collected {_count(new)} ({naming})."]
    if collected.around:
        lines.append(_reading(collected))
    if collected.unchanged:
        lines.append(f"Already in submitted/: {_count(len(collected.unchanged))}.")
    for student, files in collected.earlier.items():
        earlier = f"{len(files)} earlier one{'s' * (len(files) > 1)}"
        graded = collected.students[student]
        lines.append(f"{student}: will grade {graded}; saved {earlier} in earlier/.")
    for title, found in (("Not matched", collected.unmatched), ("Refused", collected.refused)):
        if found:
            lines.append(f"{title} ({len(found)}):")
            lines += _listed(found)
    return [for_terminal(line, lines=False) for line in lines]


def _reading(collected: Collected) -> str:
    """Which reading was taken, where folders hold the whole class."""
    around = collected.around.rstrip("/")
    if collected.layout != "folder":
        return f"Everything is in the folder {around}."
    top = around.partition("/")[0]
    return (
        f"Everything is in the folder {around}; the students are named by what it contains. If"
        f" {top} is one student, choose --layout folder."
    )


def _listed(found: list[tuple[str, str]]) -> list[str]:
    """A line for each file; of many with the same reason in one folder or archive, the first."""
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
