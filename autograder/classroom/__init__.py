"""Exchange between a class and its gradebook: LMS archives in, feedback, grades and reports out.

`archives` reads an LMS's download, `collect` sorts it into `submitted/`, `lms_table` and `student_matching`
read and write its tables (`code_pages` says how they were encoded), `enrolment` is the roster, `team_names`
and `git_submissions` find students in the names of teams and repositories, `return_feedback` and `canvas_comments`
return feedback to the LMS, `export` writes grades as CSV, `analysis` and `report` show how the class
did, `term_gradebook` all assignments, `similarity` submissions that are alike, `console_tables` formats what the commands
print.
"""
