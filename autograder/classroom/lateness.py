"""How late a submission is, and what that costs: by due date, extension, grace and late days.

The gradebook has nbgrader's due dates and extensions. Beside these, the table `headstart_extension` keeps
what each student was given, for a lesson or for the whole term, as it was said: two days, or until a date.
nbgrader's extensions follow from it, so two days stay two days if the due date moves.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from nbgrader.api import Assignment, SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import AssignLatePenalties
from traitlets.config import Config

from autograder.classroom import dates
from autograder.classroom.database import make_table
from autograder.lessons import counted

EVERY = ""  # in place of a lesson: every one, and those to come
EXTENSIONS = sa.Table(
    "headstart_extension",
    sa.MetaData(),
    sa.Column("student", sa.String(128), primary_key=True),
    sa.Column("assignment", sa.String(128), primary_key=True),
    sa.Column("days", sa.Float),
    sa.Column("until", sa.DateTime),  # UTC
)


@dataclass(frozen=True)
class Policy:
    """A course's rules.

    Attributes:
        zone: its time zone.
        grace: how much later than due still counts as on time.
        late_days: how many days late cost a student nothing, over the whole term.
    """

    zone: ZoneInfo
    grace: timedelta = timedelta(0)
    late_days: int = 0

    @classmethod
    def of(cls, config: Config) -> "Policy":
        """Those in a course's settings.

        Raises:
            LookupError: one isn't a number, or is below 0; or there is no such time zone.
        """
        minutes, days = (config.Headstart.get(name, 0) for name in ("grace_minutes", "late_days"))
        for name, value, kinds in (("grace_minutes", minutes, int | float), ("late_days", days, int)):
            if not isinstance(value, kinds) or not 0 <= value <= 1_000_000:
                raise LookupError(f"Headstart.{name} is {value!r}, but has to be a number, 0 or more")
        return cls(dates.zone_of(config), timedelta(minutes=minutes), days)


@dataclass(frozen=True)
class Extension:
    """What a student was given: days after the due date, or a date, in UTC."""

    days: float | None = None
    until: datetime | None = None

    def end(self, due: datetime, zone: ZoneInfo) -> datetime:
        """Until when they may hand in, in UTC; never before the due date.

        Raises:
            LookupError: that is beyond any calendar.
        """
        return max(due, self.until or dates.days_after(due, self.days or 0, zone))


@dataclass(frozen=True)
class Lateness:
    """How late one submission is. All times are in UTC.

    Attributes:
        handed_in: when.
        due: when it was due, with the student's extension; None if never.
        extended: whether there is an extension.
        late: how long after that it came; 0 within the grace.
        days: how many late days it uses up.
        left: how many are left after it.
        charged: for how long a penalty is due.
    """

    handed_in: datetime
    due: datetime | None
    extended: bool
    late: timedelta
    days: int
    left: int
    charged: timedelta


def lateness(submissions: Iterable[SubmittedAssignment], policy: Policy) -> Iterator[tuple[str, Lateness]]:
    """How late one student's submissions are, by lesson. Late days are used in the order of due dates."""
    left = policy.late_days
    order = [(one.assignment.duedate or datetime.max, str(one.name), one) for one in submissions]
    for _, name, one in sorted(order, key=lambda each: each[:2]):
        if one.timestamp is None:
            continue
        due = one.duedate if one.assignment.duedate else None
        late = charged = timedelta(0)
        used = 0
        if due and one.timestamp > due + policy.grace:
            late = one.timestamp - due
            used = min(left, _days(due, one.timestamp - policy.grace, policy.zone))
            end = dates.days_after(due, used, policy.zone)
            charged = one.timestamp - end if one.timestamp > end + policy.grace else timedelta(0)
            left -= used
        yield name, Lateness(one.timestamp, due, bool(one.extension), late, used, left, charged)


def _days(due: datetime, when: datetime, zone: ZoneInfo) -> int:
    """How many days after the due date have begun by then, by the student's clocks."""
    days = (dates.by_clocks(when, zone) - dates.by_clocks(due, zone)) / timedelta(days=1)
    return max(1, math.ceil(days))  # in an hour that a change of clocks repeats, it may be less than none


def charge(
    db: sa.orm.Session, config: Config, assignment: str, student: str = "", done: Collection[str] = ()
) -> None:
    """Set what lateness costs, by the course's own plugin, for every submission of a lesson so far.

    Not only for those just graded: a due date, an extension or points by hand may have changed since. Where
    there are late days, a change in one lesson changes what is left for the others, so all are charged.

    Args:
        db: the gradebook.
        config: with the plugin and the policy.
        assignment: the lesson.
        student: the only one to charge, whose page is to be made at once; "" for everybody.
        done: those who have just been charged.
    """
    policy = Policy.of(config)
    extend_all(db, policy.zone)
    step = AssignLatePenalties(config=config)
    step.init_plugin()
    everyones = defaultdict(list)
    query = db.query(SubmittedAssignment).join(Assignment)
    query = query.filter(SubmittedAssignment.student_id == student) if student else query
    for submission in query if policy.late_days else query.filter(Assignment.name == assignment):
        if submission.student_id not in done:
            everyones[submission.student_id].append(submission)
    charged = _charged(db, student)
    for who, submissions in everyones.items():
        late = {name: one.charged.total_seconds() for name, one in lateness(submissions, policy)}
        for submission in submissions:
            seconds = late.get(submission.name, 0)
            for notebook in submission.notebooks if seconds else charged.get(submission.id, ()):
                penalty = None
                if seconds:
                    penalty = step.plugin_inst.late_submission_penalty(who, notebook.score, seconds)
                notebook.late_submission_penalty = penalty and min(max(penalty, 0), notebook.score)
    db.commit()
    db.expunge_all()


def _charged(db: sa.orm.Session, student: str) -> Mapping[str, list[SubmittedNotebook]]:
    """The notebooks with a penalty from before, by submission: it may no longer be late."""
    query = db.query(SubmittedNotebook).filter(SubmittedNotebook.late_submission_penalty.isnot(None))
    if student:
        query = query.join(SubmittedAssignment).filter(SubmittedAssignment.student_id == student)
    found: dict[str, list[SubmittedNotebook]] = defaultdict(list)
    for notebook in query:
        found[notebook.assignment_id].append(notebook)
    return found


def given(db: sa.orm.Session) -> dict[tuple[str, str], Extension]:
    """By student and lesson, `EVERY` for the whole term, what was given."""
    if not sa.inspect(db.connection()).has_table(EXTENSIONS.name):
        return {}
    return {
        (row.student, row.assignment): Extension(row.days, row.until)
        for row in db.execute(sa.select(EXTENSIONS))
    }


def give(db: sa.orm.Session, student: str, lesson: str, extension: Extension, zone: ZoneInfo) -> None:
    """Give a student an extension, in place of one before; of no days, none. The caller commits."""
    make_table(db, EXTENSIONS)
    mine = (EXTENSIONS.c.student == student) & (EXTENSIONS.c.assignment == lesson)
    db.execute(sa.delete(EXTENSIONS).where(mine))
    whole_term = lesson != EVERY and (student, EVERY) in given(db)
    if extension.days != 0 or whole_term:  # of no days, it is an exception to that
        db.execute(sa.insert(EXTENSIONS), {"student": student, "assignment": lesson, **vars(extension)})
    own = {name for who, name in given(db) if who == student} - {EVERY}
    query = db.query(SubmittedAssignment).filter_by(student_id=student)
    for submission in query:
        if submission.name == lesson or (lesson == EVERY and submission.name not in own):
            submission.extension = None
    extend_all(db, zone)


def extend_all(db: sa.orm.Session, zone: ZoneInfo) -> None:
    """Have nbgrader's extensions follow from what was given; those that somebody else made stay.

    Where there is no due date, there are none: nbgrader would add their days to it, and fail.
    """
    extended = db.query(SubmittedAssignment).filter(SubmittedAssignment.extension.is_not(None))
    for submission in extended.join(Assignment).filter(Assignment.duedate.is_(None)):
        submission.extension = None
    known = given(db)
    everyone = {student for student, _ in known}
    query = db.query(SubmittedAssignment).filter(SubmittedAssignment.student_id.in_(everyone))
    for submission in query if everyone else ():
        mine = ((submission.student_id, lesson) for lesson in (submission.name, EVERY))
        extension = next((known[key] for key in mine if key in known), None)
        if extension and (due := submission.assignment.duedate):
            submission.extension = extension.end(due, zone) - due or None


def explained(one: Lateness, policy: Policy, marked: str = "") -> str:
    """What a student reads about when they handed in.

    Args:
        one: how late it was.
        policy: the course's rules.
        marked: the platform that only says that it was late; its time is made up then.
    """
    text = f"Marked late by {marked}" if marked else f"Handed in {dates.said(one.handed_in, policy.zone)}"
    if not one.due:
        return f"{text}."
    due = f"{dates.said(one.due, policy.zone)}{', with your extension' if one.extended else ''}"
    if not one.late:
        grace = f", plus {_duration(policy.grace)} of grace" if one.handed_in > one.due else ""
        return f"{text}, {'but ' * bool(marked)}on time: it was due {due}{grace * (not marked)}."
    late = f", {_duration(_by_clocks(one, one.late, policy))} late" * (not marked)
    text = f"{text}{late}: it was due {due}."
    if one.days:
        most = f"all but {_duration(_by_clocks(one, one.charged, policy))}" if one.charged else "all of that"
        make = "makes" if one.days == 1 else "make"
        text += f" {one.days} of your {counted(policy.late_days, 'late day')} {make} up for {most}."
    if policy.late_days:
        text += f" You have {counted(one.left, 'late day') if one.left else 'no late days'} left."
    return text


def _by_clocks(one: Lateness, late: timedelta, policy: Policy) -> timedelta:
    """A time until the hand-in, by the student's clocks, as it is seen from the two dates."""
    start, end = (dates.by_clocks(when, policy.zone) for when in (one.handed_in - late, one.handed_in))
    return end - start


def _duration(time: timedelta) -> str:
    """A time span in words, in its two largest units."""
    minutes = max(1, round(time.total_seconds() / 60))
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(days, "day"), (hours, "hour"), (minutes, "minute")]
    return " and ".join(counted(number, unit) for number, unit in [each for each in parts if each[0]][:2])
