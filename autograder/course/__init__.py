"""A course, read from its folder: paths, exercises, references, recorded cases.

Everything else in `autograder` builds on this package. Read `layout` (paths), then `exercise` and
`apply_edit` (what an author writes), `assignment` (what is read of one) with `reference` (its solution),
and `record_cases` (runs reference and misconceptions on the cases).
"""
