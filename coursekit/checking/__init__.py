"""Everything behind `check`: run the recorded cases, compare the outputs, explain the difference.

Read `check` and `records` (the data), then `run_cases` (calls the student's code, with `defined_state`,
`torch_state`, `originals`, `captured`, `time_limit`, `seeded`, `settings`, `gradients`), `judges` and
`judge_case`, `hints`, `verdict` (points and explanation), `distinguish` (how failing cases differ),
`format` and `html`, `as_code` (a call that can be pasted), `last_case` (failing cases as objects),
`overview` (all exercises of a notebook), `parts` (what a student's object lacks). `codec` serializes
values, `recordings` loads recorded cases, `kernel_side` and `kernel_setup` run in a submission's kernel.
"""
