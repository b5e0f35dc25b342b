"""What a course shows to everybody: chapters with outputs, landing page, slides, figures.

Start with `chapter`, which makes a page of the site from a student notebook, and `secrets`, which says
what must not be on it. `failing_check` shows what a check says to a mistake, `landing` the assignments
as cards and `dependency_graph` what builds on what; `section_links` turns "[05] §2" into a link.
"""
