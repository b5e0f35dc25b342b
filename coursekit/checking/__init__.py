"""Everything behind `check`: run the recorded cases, compare the outputs, explain the difference.

Read `check` (the entry point), then `run_cases` (calls the student's code), `compare` (the judges),
`verdict` (points, and which hint is shown), `format` and `html` (how it is displayed); `codec`
turns values into plain data and back, `recordings` loads the recorded cases, and `kernel_side`
answers the grader's questions.
"""
