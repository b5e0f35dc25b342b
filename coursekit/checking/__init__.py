"""Everything behind `check`: run the recorded cases, compare the outputs, explain the difference.

Read `check` (the entry point), then `run_cases` (calls the student's code), `compare` (the judges),
`verdict` (points, and which hint is shown), `format` and `html` (display); `codec` serializes
values, `recordings` loads the recorded cases, and `kernel_side` runs the cases that the grader
sends to a submission's kernel.
"""
