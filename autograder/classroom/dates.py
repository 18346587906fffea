"""Dates as people write and read them, in the course's time zone. The gradebook has all of them in UTC.

The zone is nbgrader's own setting for it, NbGraderAPI.timezone, in which formgrader shows dates. One
notation holds everywhere, for what is read and what is said: `2027-01-15 18:00 Europe/Berlin`. nbgrader
reads it, too.
"""

import functools
import re
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import nbgrader.utils
from nbgrader.apps.baseapp import NbGrader
from nbgrader.apps.dbapp import DbAssignmentAddApp, DbAssignmentImportApp
from traitlets.config import Config

from autograder.grading.handed_in import is_likely, read_time

FORM = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)(?:[ T](?P<time>\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?)"
    r"(?: ?(?P<zone>[+-]\d\d:?\d\d|[A-Za-z][\w/+-]*))?)?"
)
END_OF_DAY = "23:59:59"
HOW = "write it as 2027-01-15 18:00, in the course's time zone, or with one: 2027-01-15 18:00 Europe/Berlin"
CURE = "write it as in Europe/Berlin or UTC: shorter names, such as CEST, are ambiguous"
_by_nbgrader = nbgrader.utils.parse_utc


def zone_of(config: Config) -> ZoneInfo:
    """The course's time zone.

    Raises:
        LookupError: the setting is no zone's name.
    """
    return _zone(str(config.NbGraderAPI.get("timezone", "UTC")), "NbGraderAPI.timezone is {!r}, which")


def _zone(name: str, said: str = "{!r}") -> ZoneInfo:
    try:
        return ZoneInfo("UTC" if name.upper() == "Z" else name)
    except (LookupError, ValueError, OSError):
        raise LookupError(f"{said.format(name)} is no time zone; {CURE}") from None


def read_date(text: str, zone: ZoneInfo) -> datetime:
    """A date that somebody wrote, in UTC. A day alone means until its end.

    Args:
        text: day, time and zone, of which time and zone may be missing.
        zone: the one it is in if it names none. In the hour that a change of clocks repeats, the later of
            both readings counts, which is said.

    Raises:
        LookupError: it can't be read, or a change of clocks leaves it out; the text says how to write it.
    """
    found = FORM.fullmatch(" ".join(text.split()))
    day, time, named = found.group("day", "time", "zone") if found else ("", "", "")
    try:
        local = datetime.fromisoformat(f"{day} {(time or END_OF_DAY).zfill(5)}")
        offset = datetime.fromisoformat(f"{local}{named}") if named and named[0] in "+-" else None
    except ValueError:
        raise LookupError(f"{text!r} isn't a date; {HOW}") from None
    if not is_likely(local):
        raise LookupError(f"{text!r} is beyond any calendar; {HOW}")
    if offset:
        return _naive(offset)
    short = re.fullmatch("[A-Z]{3,4}", named or "")  # in summer, CET may mean CEST
    if short and named not in ("UTC", "GMT", zone.key):
        raise LookupError(f"{named!r} is no time zone; {CURE}")
    zone = _zone(named) if named else zone
    return _shown_by_clocks(local, zone) if time else in_utc(local, zone)


def _shown_by_clocks(local: datetime, zone: ZoneInfo) -> datetime:
    """A time that a person typed, in UTC.

    Raises:
        LookupError: the clocks of the zone never show it.
    """
    one, other = sorted(_naive(local.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    shown = f"{local:%Y-%m-%d %H:%M}"
    if by_clocks(other, zone) != local:
        before, after = said(one, zone), said(other, zone)
        why = f"there is no {shown} in {zone.key}: the clocks are put forward past it"
        raise LookupError(f"{why}; write {before} or {after}")
    if one != other:
        both = [f"{shown} {when.replace(tzinfo=UTC).astimezone(zone):%z}" for when in (one, other)]
        why = f"{shown} comes twice in {zone.key}, where the clocks are put back"
        print(f"headstart: {why}: the later is taken, {both[1]}, not {both[0]}", file=sys.stderr)
    return other


def in_utc(local: datetime, zone: ZoneInfo) -> datetime:
    """A time by the clocks of a zone, in UTC."""
    return max(_naive(local.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))


def by_clocks(when: datetime, zone: ZoneInfo) -> datetime:
    """A time in UTC as the clocks of a zone show it."""
    return when.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None, fold=0)


def days_after(when: datetime, days: float, zone: ZoneInfo) -> datetime:
    """So many days later, at the same time by the clocks of a zone: over a change a day has 23 or 25 hours.

    Raises:
        LookupError: that is beyond any calendar.
    """
    try:
        later = by_clocks(when, zone) + timedelta(days=days)
        if is_likely(later):
            return in_utc(later, zone)
    except (OverflowError, ValueError):
        pass
    raise LookupError(f"{days:,.10g} days after the due date is beyond any calendar")


def said(when: datetime, zone: ZoneInfo) -> str:
    """A time in UTC as it is written for people of a zone, who can write it like that themselves."""
    return f"{by_clocks(when, zone):%Y-%m-%d %H:%M} {zone.key}"


def handed_in_at(stamp: bytes, config: Config) -> datetime | None:
    """The time in a submission's timestamp.txt, in UTC; None if there is none.

    Where a course sets Exchange.timezone, nbgrader writes such times as 18:00 CEST. It reads many of these
    abbreviations as UTC.
    """
    name = str(config.Exchange.get("timezone", "UTC"))
    time, _, short = stamp.decode(errors="replace").strip().rpartition(" ")
    if name != "UTC" and short.isalpha() and (local := read_time(time.encode())):
        zone = _zone(name, "Exchange.timezone is {!r}, which")
        for fold in (0, 1):
            if (there := local.replace(tzinfo=zone, fold=fold)).tzname() == short:
                return _naive(there)
    return read_time(stamp)


def _naive(when: datetime) -> datetime:
    return when.astimezone(UTC).replace(tzinfo=None)


def _parse_utc(ts: Any) -> Any:
    """Read a date for nbgrader's gradebook, as it does, but drop no time zone.

    By itself, nbgrader takes `12:00 +01:00` and `12:00 CEST` for 12:00 UTC, and `12:00 +0100` for 11:58.

    Raises:
        LookupError: there is no such time zone.
    """
    words = " ".join(ts.split()) if isinstance(ts, str) else ""
    found = FORM.fullmatch(words)
    if found and found["zone"]:
        return read_date(words, ZoneInfo("UTC"))
    if found:
        print(f"headstart: {ts!r} names no time zone, so nbgrader takes it for UTC", file=sys.stderr)
    return _by_nbgrader(ts)


# nbgrader's gradebook looks it up here, for `nbgrader db assignment add --duedate` and in formgrader.
setattr(nbgrader.utils, "parse_utc", _parse_utc)  # noqa: B010  (a function isn't to be assigned)


def _refusing(start: Callable) -> Callable:
    """A command of nbgrader's that ends in a sentence, not a traceback, if it can't read a date."""

    @functools.wraps(start)
    def started(command: NbGrader) -> None:
        try:
            start(command)
        except (LookupError, ValueError) as error:
            command.fail("%s", error)

    return started


for _command in (DbAssignmentAddApp, DbAssignmentImportApp):
    _command.start = _refusing(_command.start)
