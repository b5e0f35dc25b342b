"""nbgrader's bookkeeping of grades: scores, late work, and the cache of graded submissions.

Start with `grade_class`. Then `class_folder` (a class's paths, nbgrader as a library),
`preprocessors`, `score_savers` and `exporter` (the tool's steps in nbgrader's pipeline), `roster`
(the students of the class), `timestamps`, `deadlines`, `late_policy` and `late_penalties` (due
dates and late penalties), `withdraw` and `withdrawn` (exercises that do not count; `own_tables`
stores them), `regrade_cache` (skips unchanged submissions), `retry` and `class_lock` (a busy
machine), `upload_manifest` (the files of an LMS's download).
"""
