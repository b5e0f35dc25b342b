"""Everything behind `check`: run the recorded cases, compare the outputs, explain the difference.

Read `check` (the entry point) and `records` (the data), then `run_cases` (calls the student's code,
with `defined_state`, `torch_state`, `originals`, `captured`, `time_limit`, `seeded`, `settings`,
`gradients`),
`judges` and `judge_case`, `hints`, `verdict` (points and explanation), `distinguish` (how failing
cases differ), `format` and `html` (display), `last_case` (the failing case as objects). `codec`
serializes values, `kernel_side` and `kernel_setup` run in a submission's kernel.
"""
