"""Reads the gradebook of a large class as the tool does, and submission by submission.

    python benchmarks/large_classes.py                  # classes of 200 and of 2,000
    python benchmarks/large_classes.py --sizes 100 1000 --slow 300

The gradebooks are made up. What is printed is the processor time of each way, and by how much it grows
from the small class to the large one: a tenfold class should cost ten times as much. Submission by
submission, with nbgrader's own attributes, is left out for classes larger than `--slow`.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from nbgrader.api import BaseCell, Grade, Student, SubmittedAssignment, SubmittedNotebook, new_uuid

from autograder.classroom.export import grades
from autograder.classroom.points_table import read_points
from autograder.classroom.term_gradebook import read_term
from autograder.course.layout import Course
from autograder.gradebook.class_folder import Classroom

ROOT = Path(__file__).parent.parent
NAME = "05_transformer_block"
CELLS = 18


def make_class(folder: Path, students: int) -> Classroom:
    """Make a class with one graded submission of each student, in the gradebook alone."""
    classroom = Classroom(Course(ROOT), folder)
    with classroom.open_gradebook() as gradebook:
        gradebook.add_assignment(NAME)
        notebook = gradebook.add_notebook(NAME, NAME).id
        for number in range(CELLS):
            gradebook.add_grade_cell(f"check_{number}", NAME, NAME, max_score=2, cell_type="code")
        cells = [row.id for row in gradebook.db.query(BaseCell.id)]
        assignment = gradebook.find_assignment(NAME).id
        who = [f"student{number:05}" for number in range(students)]
        handed_in, answers = [new_uuid() for _ in who], [new_uuid() for _ in who]
        rows = {
            Student: [{"id": name} for name in who],
            SubmittedAssignment: [
                {"id": one, "assignment_id": assignment, "student_id": name}
                for one, name in zip(handed_in, who)
            ],
            SubmittedNotebook: [
                {"id": own, "assignment_id": one, "notebook_id": notebook}
                for own, one in zip(answers, handed_in)
            ],
            Grade: [
                {"notebook_id": own, "cell_id": cell, "auto_score": 1, "needs_manual_grade": False}
                for own in answers
                for cell in cells
            ],
        }
        for table, values in rows.items():
            gradebook.db.bulk_insert_mappings(table, values)
        gradebook.db.commit()
    return classroom


def one_by_one(classroom: Classroom) -> None:
    """Read the scores as nbgrader's models offer them."""
    with classroom.open_gradebook() as gradebook:
        for one in gradebook.assignment_submissions(NAME):
            for notebook in one.notebooks:
                for grade in notebook.grades:
                    _ = grade.name, grade.auto_score
            _ = one.score, one.late_submission_penalty, one.max_score


READERS: dict[str, Callable[[Classroom], object]] = {
    "scores, one by one": one_by_one,
    "scores": lambda classroom: classroom.scores(NAME),
    "grades (report, export)": lambda classroom: grades(classroom.course, NAME, classroom.folder),
    "points of each exercise": lambda classroom: read_points(classroom, NAME),
    "term (gradebook)": lambda classroom: read_term(classroom.course, classroom.folder),
}


def main() -> None:
    """Measure each way in both classes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs=2, default=(200, 2_000))
    parser.add_argument("--slow", type=int, default=2_000, help="largest class read one by one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        classes = []
        for size in options.sizes:
            place = Path(folder) / str(size)
            place.mkdir()
            classes.append(make_class(place, size))
        for name, read in READERS.items():
            seconds = []
            for size, classroom in zip(options.sizes, classes):
                if read is one_by_one and size > options.slow:
                    continue
                begun = time.process_time()
                read(classroom)
                seconds.append(time.process_time() - begun)
                print(f"{name}, {size} students: {seconds[-1]:.2f} s of processor time")
            if len(seconds) == 2:
                factor = options.sizes[1] / options.sizes[0]
                print(f"{name}: x {seconds[1] / seconds[0]:.1f} for {factor:.0f} times as many")


if __name__ == "__main__":
    main()
