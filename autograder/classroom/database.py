"""nbgrader's database, opened as nbgrader opens it, and the tables of ours in it."""

from pathlib import Path

import nbgrader.api
import sqlalchemy as sa
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.dbutil import ALEMBIC_DIR

from autograder.classroom import locked  # noqa: F401  (it waits for a gradebook that another program has locked)
from autograder.grading.alone import alone_in

GRADING = sa.Table(
    "headstart_grading",
    sa.MetaData(),
    sa.Column("assignment", sa.String(128), primary_key=True),
    sa.Column("student", sa.String(128), primary_key=True),
    sa.Column("digest", sa.String(64), nullable=False),
    sa.Column("problem", sa.Text, nullable=False),
    sa.Column("verdicts", sa.Text, nullable=False),
    sa.Column("remarks", sa.Text, nullable=False, server_default="[]"),
    sa.Column("by_hand", sa.Text, nullable=False, server_default="{}"),
)


def _newest_schema() -> str:
    """The version of nbgrader's tables that a new database has."""
    from alembic.config import Config as Settings
    from alembic.script import ScriptDirectory

    settings = Settings()
    settings.set_main_option("script_location", ALEMBIC_DIR.replace("%", "%%"))
    return ScriptDirectory.from_config(settings).get_current_head() or ""


# nbgrader itself calls the `alembic` command, which takes a second and has to be on the path.
setattr(nbgrader.api, "get_alembic_version", _newest_schema)  # noqa: B010  (a function isn't to be assigned)


def opened(course: CourseDirectory) -> Gradebook:
    """Open a course's gradebook as nbgrader does. It is made if there is none; the caller closes it."""
    # defence: gradebook: made by one
    with alone_in(Path(course.root)):
        return Gradebook(course.db_url, course.course_id)


def has_gradebook(course: CourseDirectory) -> bool:
    """Whether a course has a gradebook, which `opened` would make. A server's database counts as one."""
    url = sa.engine.make_url(course.db_url)
    return url.get_backend_name() != "sqlite" or Path(url.database or "").is_file()


def is_recorded(course: CourseDirectory, lesson: str) -> bool:
    """Whether anything of a lesson was graded. No gradebook is made if there is none."""
    if not has_gradebook(course):
        return False
    with opened(course) as book:
        there = sa.inspect(book.db.get_bind()).has_table(GRADING.name)
        return there and bool(
            book.db.execute(sa.select(GRADING).where(GRADING.c.assignment == lesson)).first()
        )


def make_table(db: sa.orm.Session, table: sa.Table) -> None:
    """Make a table of ours if there is none. Others who open the gradebook may be making it, too."""
    if sa.inspect(db.connection()).has_table(table.name):
        return
    try:
        db.execute(sa.schema.CreateTable(table, if_not_exists=True))
        db.commit()
    except (sa.exc.IntegrityError, sa.exc.ProgrammingError):  # PostgreSQL looks first, and then makes it
        db.rollback()
        if not sa.inspect(db.connection()).has_table(table.name):
            raise


def make_grading(db: sa.orm.Session) -> None:
    """Make the table of what was graded, or add what one of an earlier Headstart lacks."""
    make_table(db, GRADING)
    known = {column["name"] for column in sa.inspect(db.connection()).get_columns(GRADING.name)}
    for name, empty in (("remarks", "[]"), ("by_hand", "{}")):
        # defence: gradebook: tables of before
        if name not in known:
            db.execute(
                sa.text(f"ALTER TABLE {GRADING.name} ADD COLUMN {name} TEXT NOT NULL DEFAULT '{empty}'")
            )
            db.commit()
