"""From `submitted/` to a score, in three stages: sanitize, run, verdict.

Start with `grade_class`; `grade_submission` in it names the stages. Then `sanitize` (repairs a
notebook), `run` (cells and questions in a sandboxed kernel), `verdicts` (compares the answers with
the reference), and around them `submissions` (reads files), `gradebook` and `preprocessors`
(nbgrader), `regrade_cache` (skips what did not change) and `cluster` (the same on Dask).
"""
