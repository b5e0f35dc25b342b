"""Everything behind `check`: run the recorded cases, compare the outputs, explain the difference.

Read `check` (the entry point), then `run_cases` (calls the student's code), `compare` and
`judge_case` (the judges), `hints` (which hint is shown), `verdict` (points and explanation),
`distinguish` (how failing cases differ from passing ones), `format` and `html` (display), `last_case`
(the failing case as objects). `guards` limits time and seeds chance, `codec` serializes values,
`recordings` loads the recorded cases, and `kernel_side` runs the cases that the grader sends to a
submission's kernel.
"""
