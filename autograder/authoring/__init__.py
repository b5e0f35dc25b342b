"""Building and verification of the student notebooks and recordings, from the solutions.

Start with `release`, the command that builds everything; `stamp` fills in the notebook's metadata,
`shown_cells` tags the cells that grading skips, and `proofs` verifies the result. Then
`new_assignment` (a skeleton that is ready to release), `execute` (run a solution notebook),
`try_answer` (judge one file), `bundle` (pack the handout) and `audit` (mutation testing).
"""
