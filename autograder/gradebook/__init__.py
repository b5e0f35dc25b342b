"""nbgrader's bookkeeping around a submission's way: scores, late work, what need not run again.

Start with `grade_class`. Then `class_folder` (a class's paths, nbgrader as a library),
`preprocessors`, `saving` and `exporter` (our steps in nbgrader's pipeline), `roster` (who is in the
class), `clock`, `deadlines`, `late` and `settle` (when work was due, what lateness costs), `withdraw`
and `withdrawn` (what does not count; `own_tables` keeps it), `regrade_cache` (skips what did not
change), `patience` and `class_lock` (a busy machine), `origins`.
"""
