"""Between a class and its gradebook: LMS archives in, grades and reports out.

`archives` reads an LMS's download safely, `collect` sorts it into `submitted/`, `export` writes the
grades as CSV, `analysis` and `report` show how the class did, `tables` formats what the commands
print, and `demo` grades a made-up class.
"""
