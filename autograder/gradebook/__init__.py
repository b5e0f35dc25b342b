"""nbgrader's bookkeeping around a submission's way: scores, late work, what need not run again.

Start with `grade_class`. Then `class_folder` (a class's paths, nbgrader as a library),
`preprocessors` and `exporter` (our steps in nbgrader's pipeline), `roster` (who is in the class),
`clock`, `deadlines`, `late` and `settle` (when work was due, and what lateness costs),
`regrade_cache` (skips what did not change), `patience` and `class_lock` (a busy machine), `origins`.
"""
