"""nbgrader's bookkeeping around a submission's way: scores, late work, what need not run again.

Start with `grade_class`. Then `class_folder` (a class's paths, nbgrader as a library),
`preprocessors`, `score_savers` and `exporter` (our steps in nbgrader's pipeline), `roster` (who is in the
class), `timestamps`, `deadlines`, `late_policy` and `late_penalties` (when work was due, what lateness costs), `withdraw`
and `withdrawn` (what does not count; `own_tables` keeps it), `regrade_cache` (skips what did not
change), `retry` and `class_lock` (a busy machine), `upload_manifest`.
"""
