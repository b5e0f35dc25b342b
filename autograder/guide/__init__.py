"""The instructor's guide: what the course's files say of each assignment, and what its author wrote.

Read `write_guide` first. Facts come from the notebooks (`lesson_facts`), mistakes from a class or the
typed answers (`frequent_mistakes`), the rest from the folder that `guide` in `pyproject.toml` names
(`written_sheets`, `exam_bank`). It holds solutions, so no student gets any of it.
"""
