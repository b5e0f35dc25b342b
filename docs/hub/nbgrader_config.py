"""What students' servers need: put it into /etc/jupyter/ of the machine or image they run in.

No `course_id` here: it would hide a student's other courses.
"""

c = get_config()  # noqa: F821  (nbgrader provides it)

c.Exchange.root = "/srv/nbgrader/exchange"
