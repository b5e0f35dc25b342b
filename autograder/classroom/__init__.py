"""Between a class and its gradebook: LMS archives in, grades and reports out.

Read `collect` and `archives` (an LMS's download into `submitted/`), `export` (grades as CSV),
`analysis` and `report` (how the class did), `tables` (what the commands print) and `demo` (a
made-up class, graded from start to end).
"""
