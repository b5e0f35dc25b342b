"""What a course consists of, read from its folder: paths, exercises, references, recorded cases.

Everything else in `autograder` builds on this package. Read `layout` (where things are), then
`exercise` and `edits` (what an author writes), `catalog` (finds it), `reference` (loads the
solution) and `recording` (runs both on drawn cases).
"""
