"""Makes this folder an nbgrader course: `nbgrader` commands and formgrader work from here."""

import os
from pathlib import Path

from autograder.course.layout import Course
from autograder.pages.formgrader_policy import restrict_formgrader

c = get_config()  # noqa: F821  (nbgrader provides it)

c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "notebooks"

# nbgrader's Validate finds what `check` compares with even if the course is not installed.
os.environ.update(Course(Path(__file__).parent).environment())

c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.LockCells",
    "autograder.gradebook.preprocessors.NamedStub",
    "autograder.gradebook.preprocessors.RunAll",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "autograder.gradebook.score_savers.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Submissions are read within limits of time and memory.
c.Autograde.exporter_class = "autograder.gradebook.exporter.SubmissionExporter"

# Student code never runs in nbgrader's own kernel: Grade replaces nbgrader's Execute.
c.Autograde.autograde_preprocessors = [
    "autograder.gradebook.preprocessors.Grade",
    "nbgrader.preprocessors.IgnorePattern",
    "nbgrader.preprocessors.LimitOutput",
    "autograder.gradebook.score_savers.SaveAutoGrades",
    "autograder.gradebook.late_penalties.AssignLatePenalties",
]
c.Autograde.sanitize_preprocessors = [
    "nbgrader.preprocessors.ClearOutput",
    "autograder.gradebook.preprocessors.RestoreCells",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "autograder.gradebook.score_savers.OverwriteCells",
]  # without CheckCellMetadata: RestoreCells has just copied the metadata from the release

# Text cells and outputs run no script in formgrader, load nothing, stay in their place, and take no
# longer than others.
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.filters = {
    "clean_html": "autograder.grading.clean_outputs.shown_html",
    "markdown2html": "autograder.pages.markup.markdown_to_html",
    "strip_files_prefix": "autograder.pages.markup.keep_links",
}
restrict_formgrader()

# Formgrader's page of a submission begins with what is graded by hand.
c.HTMLExporter.preprocessors = ["autograder.pages.formgrader_order.HandGradedFirst"]

# One page per submission, without scripts: points, hints, the student's code, comments.
c.GenerateFeedback.exporter_class = "autograder.pages.feedback_page.FeedbackExporter"
c.GenerateFeedback.preprocessors = []

# Only the owner reads what is about students; the exchange gives each student their own page.
c.Autograde.permissions = 400
c.GenerateFeedback.permissions = 600
c.ExchangeFactory.release_feedback = "autograder.gradebook.release_feedback.ReleaseFeedback"

# Late work costs nothing unless you say so here.
c.AssignLatePenalties.plugin_class = "autograder.gradebook.late_policy.DailyPenalty"
c.DailyPenalty.percent_per_day = 0  # of the score, as in 10
c.DailyPenalty.grace_days = 0  # per student in the term, free of charge

# nbgrader's exchange, on a JupyterHub or shared computers: the course's id and the exchange's folder.
# c.CourseDirectory.course_id = "course"
# c.Exchange.root = "/srv/nbgrader/exchange"
