"""For an instructor who opens formgrader on a server of their own, which starts in their home folder.

Put it into ~/.jupyter/ as nbgrader_config.py. A formgrader that is a service of the hub needs none.
"""

c = get_config()  # noqa: F821  (nbgrader provides it)

c.CourseDirectory.root = "/home/text-course/course"  # where the course's own nbgrader_config.py is
