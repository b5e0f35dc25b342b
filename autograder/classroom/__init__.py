"""Between a class and its gradebook: LMS archives in, feedback, grades and reports out.

`archives` reads an LMS's download, `collect` sorts it into `submitted/`, `lms_table` and `matching`
read and write its tables (`code_pages` says how they were encoded), `enrolment` is the roster, `teams`
and `clones` find students in the names of teams and repositories, `send_back` and `canvas_comments`
return feedback to the LMS, `export` writes grades as CSV, `analysis` and `report` show how the class
did, `term` all assignments, `similar` submissions that are alike, `printed` formats what the commands
print.
"""
