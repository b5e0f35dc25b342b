"""Implementation of `check`: run the recorded cases, compare the outputs, explain the difference.

Read `check` and `recording_format` (the data), then `run_cases` (calls the student's code, with `defined_state`,
`torch_state`, `monkeypatch_guard`, `captured_output`, `time_limit`, `seeded_generators`, `process_settings`, `gradients`), `comparison` and
`judge_case`, `hints`, `verdict` (points and explanation), `failure_patterns` (how failing cases differ),
`format` and `html`, `as_code` (a call that can be pasted), `failed_cases` (failing cases as objects),
`overview` (all exercises of a notebook), `object_members` (what a student's object lacks). `codec` serializes
values, `stored_recordings` loads recorded cases, `kernel_side` and `kernel_setup` run in a submission's kernel.
"""
