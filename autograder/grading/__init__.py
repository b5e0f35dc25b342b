"""The grading of a submission, from a file to a score: sanitize, run, verdict.

Start with `grade_submission`, which names the stages. Then `submissions` and `sanitize` (read and
repair a notebook), `isolated_run` and `run` (its cells and our questions in a sandboxed kernel),
`verdicts` (compares the answers with the reference), `worker_pool` and `cluster` (many at a time).
"""
