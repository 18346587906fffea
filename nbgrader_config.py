"""nbgrader's settings for this course. nbgrader reads them when it is started in this folder."""

c = get_config()  # noqa: F821  (nbgrader defines it)

try:
    from headstart import nbgrader_settings
except ImportError:  # students' nbgrader needs no grader; without one, nothing is collected, graded or shown
    c.ExchangeCollect.check_owner = c.BaseConverter.pre_convert_hook = "headstart.is_missing"
    c.HTMLExporter.filters = "headstart.is_missing"
else:
    nbgrader_settings(c)

# The course's own: `help(headstart.nbgrader_settings)` lists its time zone, late days and more.
c.CourseDirectory.course_id = "headstart"
