"""Public pages of a course: chapters with outputs, a landing page, slides, figures.

Start with `chapter`, which makes a page of the site from a student notebook, and `secrets`, which says
what must not be on it; `slides` and `figures` take what `chapter` lets through. `failing_check` shows
what a check says to a mistake, `landing` the assignments as cards, `dependency_graph` what builds on
what, and `section_links` turns "[05] §2" into a link. `assets` holds reveal.js and a font, unchanged.
"""
