"""Commands about who takes the course, when work is due and what counts. Heavy imports wait until needed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from autograder.cli.options import folder_option, on_one_line, say, some_on_one_line, with_course
from autograder.errors import ClassError

_CLONES = "Submissions came from clones: collect them again, since the last commit before the due date counts."


@click.command()
@click.argument("assignment")
@click.argument("when", required=False)
@click.option("--clear", is_flag=True, help="Remove the due date.")
@folder_option
@with_course
def due(course: Any, assignment: str, when: str | None, clear: bool, folder: Path | None) -> None:
    """Set the due date of ASSIGNMENT, or print it, in local time and in UTC.

    WHEN is a date with its time zone, as in "2026-10-20 23:59 Europe/Berlin"; without a zone, this
    machine's is taken.
    """
    from autograder.classroom.console_tables import settled_lines
    from autograder.gradebook.class_folder import Classroom
    from autograder.gradebook.deadlines import due_date, extensions, has_clones, set_due_date
    from autograder.gradebook.timestamps import both, read_date, span_words, stored

    if when is not None and clear:
        raise click.UsageError("--clear takes no date.")
    assignment = course.require(assignment)
    classroom = Classroom(course, folder)
    if when is not None or clear:
        zone, taken = None, ""
        date = None
        if when is not None:
            local, taken = read_date(when)
            date, zone = stored(local), local.tzinfo
        classroom.require_writable()
        settled = set_due_date(classroom, assignment, date)
        if date is None:
            say(f"{assignment} has no due date any more.")
        else:
            say(f"{assignment} is due {both(date, zone)} (zone: {taken}).")
        for line in settled_lines(settled):
            say(line)
        if has_clones(classroom, assignment):
            say(_CLONES)
        return
    date = due_date(classroom, assignment)
    say(f"{assignment} is due {both(date)}." if date else f"{assignment} has no due date.")
    for student, extension in sorted(extensions(classroom, assignment).items()):
        until = f": until {both(date + extension)}" if date else ""
        say(f"  {on_one_line([student])} has {span_words(extension)} more{until}")


@click.command()
@click.argument("assignment")
@click.argument("student", required=False)
@click.argument("extension", required=False)
@click.option(
    "--csv",
    "table",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    default=None,
    help="Table with a column for the student and one called 'extension', for many at once.",
)
@folder_option
@with_course
def extend(
    course: Any,
    assignment: str,
    student: str | None,
    extension: str | None,
    table: Path | None,
    folder: Path | None,
) -> None:
    """Give STUDENT more time for ASSIGNMENT: 3d, 12h, 1d12h, a date, or 0d to take it back.

    It counts from the due date and replaces an earlier extension. Penalties change at once.
    """
    from autograder.classroom.console_tables import settled_lines
    from autograder.classroom.grant_extensions import grant, read_extensions
    from autograder.gradebook.class_folder import Classroom
    from autograder.gradebook.deadlines import due_date, has_clones
    from autograder.gradebook.timestamps import both, span_words

    if (table is None) == (student is None or extension is None) or (table and student):
        raise click.UsageError("give STUDENT and EXTENSION, or --csv with a table of both.")
    assignment = course.require(assignment)
    classroom = Classroom(course, folder)
    wanted = (
        read_extensions(classroom, assignment, table)
        if table is not None
        else {str(student): str(extension)}
    )
    granted, settled = grant(classroom, assignment, wanted)
    date = due_date(classroom, assignment)
    for who, more in granted.items():
        until = f", until {both(date + more)}" if date else "; there is no due date yet"
        words = (
            f"has {span_words(more)} more for {assignment}{until}"
            if more
            else "has no extension any more"
        )
        say(f"{on_one_line([who])} {words}.")
    for line in settled_lines(settled):
        say(line)
    if has_clones(classroom, assignment):
        say(_CLONES)


@click.command()
@click.argument(
    "table", type=click.Path(path_type=Path, exists=True, dir_okay=False), required=False
)
@click.option("--add", is_flag=True, help="TABLE is a part of the class: nobody drops out.")
@click.option("--drop", multiple=True, metavar="STUDENT", help="STUDENT has left the course.")
@folder_option
@with_course
def roster(
    course: Any, table: Path | None, add: bool, drop: tuple[str, ...], folder: Path | None
) -> None:
    """List who is in the class; first take its students from TABLE, a CSV file of the LMS.

    Students who never hand in anything are then listed as missing. Who is in an earlier table and
    not in this one has dropped out: no list shows them any more, and nothing of theirs is deleted.
    """
    from autograder.classroom import enrolment
    from autograder.gradebook.class_folder import Classroom

    classroom = Classroom(course, folder)
    if table is None and not classroom.folder.is_dir():
        raise ClassError(f"there is no folder {classroom.folder}; --folder names a class's.")
    if table is not None:
        classroom.require_writable()
        found = enrolment.enrol(classroom, table, add)
        if found.added:
            say(f"new, {len(found.added)}: {some_on_one_line(found.added)}")
        for title, names in (
            ("dropped out", found.dropped),
            ("in the class, but in no roster", found.unlisted),
            ("not taken, since the row fits several students or none", found.unclear),
        ):
            if names:
                say(f"{title}, {len(names)}: {on_one_line(names)}")
    if drop:
        enrolment.drop(classroom, drop)
    members = classroom.members()
    if table is None and not drop:
        for student in members:
            say(on_one_line([student]))
    say(f"{len(members)} student{'s' * (len(members) != 1)} in the class")


@click.command()
@click.argument("exercise", required=False)
@click.option("--reason", default=None, help="Why, as students read it on their feedback page.")
@click.option(
    "--full-points", is_flag=True, help="Give everyone its points, instead of leaving it out."
)
@click.option(
    "--student",
    "students",
    multiple=True,
    help="Only out of the total of this student (repeatable).",
)
@click.option("--undo", is_flag=True, help="Count EXERCISE as usual again.")
@click.option(
    "--assignment", default=None, help="Where several assignments have a question called EXERCISE."
)
@folder_option
@with_course
def withdraw(
    course: Any,
    exercise: str | None,
    reason: str | None,
    full_points: bool,
    students: tuple[str, ...],
    undo: bool,
    assignment: str | None,
    folder: Path | None,
) -> None:
    """Leave EXERCISE, or a question by its grade id, out of everyone's total.

    Without EXERCISE, list what is withdrawn. The gradebook keeps the reason, and the points and
    comments that were given by hand, which --undo brings back. Nothing is graded again.
    """
    from autograder.classroom.console_tables import reinstated_lines, settled_lines, withdrawn_lines
    from autograder.gradebook import withdraw as verb
    from autograder.gradebook.class_folder import Classroom

    assignment = course.require(assignment) if assignment else None
    classroom = Classroom(course, folder)
    if exercise is None:
        if reason is not None or full_points or students or undo:
            raise click.UsageError("name the EXERCISE.")
        for line in withdrawn_lines(verb.read_withdrawn(classroom, assignment)) or [
            "nothing is withdrawn."
        ]:
            say(line)
        return
    if undo == (reason is not None):
        raise click.UsageError("give a --reason, or --undo.")
    if full_points and (students or undo):
        raise click.UsageError("--full-points is for everyone, and not for --undo.")
    classroom.require_writable()
    if undo:
        found, settled = verb.reinstate(classroom, exercise, assignment, students)
        for line in reinstated_lines(found, verb.read_withdrawn(classroom)):
            say(line)
    else:
        found, settled = verb.withdraw(
            classroom, exercise, reason or "", assignment, students, full_points
        )
        for line in withdrawn_lines(found):
            say(line)
    for line in settled_lines(settled):
        say(line)


@click.command()
@click.option("--weeks", type=int, default=None, help="Weeks of teaching in the term.")
@click.option("--track", default=None, help="A track of the course's plans.toml.")
@click.option("--start", default=None, metavar="DATE", help="First day of the first week.")
@click.option(
    "--credits", type=int, default=None, help="ECTS credits (default: as usual for --weeks)."
)
@click.option(
    "--break", "breaks", multiple=True, metavar="DATE", help="A day in a week without teaching."
)
@click.option("--time", default="23:59", show_default=True, help="Time of day of a due date.")
@click.option("--zone", default=None, help="Time zone of the due dates, such as Asia/Tokyo.")
@click.option("--set-due", is_flag=True, help="Set the due dates in the gradebook.")
@click.option(
    "--calendar",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Calendar file to write, as in term.ics.",
)
@click.option(
    "--syllabus",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    help="Markdown file to write: a syllabus to edit, as in syllabus.md.",
)
@folder_option
@with_course
def plan(
    course: Any,
    weeks: int | None,
    track: str | None,
    start: str | None,
    credits: int | None,
    breaks: tuple[str, ...],
    time: str,
    zone: str | None,
    set_due: bool,
    calendar: Path | None,
    syllabus: Path | None,
    folder: Path | None,
) -> None:
    """Plan a term: which assignment is due when, by the hours and the order of a track.

    --weeks, --track and --start are required. An assignment is due on the last day of its week.
    --set-due and --calendar need --zone.
    """
    from autograder.classroom.console_tables import plan_lines, settled_lines
    from autograder.classroom.term_plan import make_plan, read_day, read_plans
    from autograder.gradebook.class_folder import Classroom
    from autograder.gradebook.deadlines import due_date, has_clones, set_due_date
    from autograder.gradebook.timestamps import both, read_date, stored

    if weeks is None or track is None or start is None:
        needed = {"--weeks": weeks, "--track": track, "--start": start}
        missing = ", ".join(option for option, value in needed.items() if value is None)
        tracks = sorted(read_plans(course).tracks)
        raise click.UsageError(
            f"missing: {missing}; as in `autograder plan --weeks 10 --track {next(iter(tracks), 'TRACK')} --start 2027-02-01`."
            f" The tracks of plans.toml are {', '.join(tracks)}."
        )
    if (set_due or calendar) and zone is None:
        raise click.UsageError(
            "say in which time zone work is due, as in --zone Asia/Tokyo, with --set-due and --calendar."
        )
    free = tuple(read_day(day, "--break") for day in breaks)
    made = make_plan(course, track, weeks, read_day(start, "--start"), credits, free)
    for line in plan_lines(made):
        say(line)
    dates = {}
    if zone is not None:
        dates = {one.assignment: read_date(f"{one.due} {time}", zone)[0] for one in made.entries}
    if syllabus is not None:
        from autograder.classroom.syllabus import write_syllabus

        write_syllabus(syllabus, course, made, dates, folder)
        say(f"written: {syllabus}; what stands in [brackets] is for you to write")
    if set_due:
        classroom = Classroom(course, folder)
        classroom.require_writable()
        for assignment, date in dates.items():
            before = due_date(classroom, assignment)
            settled = set_due_date(classroom, assignment, stored(date))
            was = f"; it was {both(before, date.tzinfo)}" if before else ""
            say(f"{assignment} is due {both(stored(date), date.tzinfo)}{was}.")
            for line in settled_lines(settled):
                say(line)
            if has_clones(classroom, assignment):
                say(_CLONES)
    if calendar is not None:
        from autograder.classroom.calendar_file import write_calendar

        utc = {assignment: stored(date) for assignment, date in dates.items()}
        write_calendar(calendar, course.config.name, course.config.title, utc)
        say(f"written: {calendar}")


COMMANDS = (roster, due, extend, withdraw, plan)
