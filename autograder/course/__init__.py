"""What a course consists of, read from its folder: paths, exercises, references, recorded cases.

Everything else in `autograder` builds on this package. Read `layout` (paths), then `exercise` and
`edits` (what an author writes), `catalog` (finds and loads it), `reference` (loads the solution)
and `recording` (runs reference and misconceptions on the cases).
"""
