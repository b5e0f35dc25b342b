"""Instructor's guide: facts from the course's files, and the author's texts on each assignment.

Read `write_guide` first. Facts come from the notebooks (`lesson_facts`), mistakes from a class or the
typed answers (`frequent_mistakes`), the rest from the folder that `guide` in `pyproject.toml` names
(`written_sheets`, `exam_bank`). It holds solutions, so no student gets any of it.
"""
