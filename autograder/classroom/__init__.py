"""Between a class and its gradebook: LMS archives in, feedback, grades and reports out.

`archives` reads an LMS's download, `collect` sorts it into `submitted/`, `send_back` packs feedback
for the LMS, `export` writes grades as CSV, `analysis` and `report` show how the class did, `term` all
assignments, `similar` submissions that are alike, `tables` formats what the commands print.
"""
