"""nbgrader's settings for everybody on the course's server: /etc/jupyter/nbgrader_config.py."""

c = get_config()  # noqa: F821  (nbgrader defines it)

c.CourseDirectory.course_id = "headstart"
c.Exchange.root = "/srv/nbgrader/exchange"
