"""nbgrader's settings for a teacher: ~/.jupyter/nbgrader_config.py. The rest is read from the course root."""

c = get_config()  # noqa: F821  (nbgrader defines it)

c.CourseDirectory.root = "/srv/headstart"
c.CourseDirectory.groupshared = True  # what one teacher makes, the others may change
