"""`nbgrader collect` for an exchange in which students put what they like.

nbgrader's own copies what links point to, with the rights of whoever collects: the secret, the solutions,
other submissions, or a device without end. Here everything that isn't a plain file of the submission's owner
stays where it is, links included, and a submission that can't be collected delays no other.
"""

import contextlib
import errno
import os
import pwd
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from nbgrader.exchange import ExchangeError
from nbgrader.exchange.default import ExchangeCollect

from autograder.classroom.course import gone, odd_name
from autograder.grading.alone import alone_in
from autograder.grading.handed_in import RECORDS, STEERING, is_likely, read_record, read_time
from autograder.limits import MAX_ENTRIES, MAX_FILES_DEPTH

NEVER = datetime.min  # the time of a submission whose name holds none
MADE = "made-when-collected-"  # in front of a secret that the student doesn't have
IN_FUTURE = "was handed in in the future"
AHEAD = timedelta(minutes=1)  # the clocks of machines that share an exchange differ by less
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


class Collect(ExchangeCollect):
    """nbgrader's collect, but for how a submission is copied and what happens where it can't be."""

    src_records: list[dict]

    def _path_to_record(self, path: str) -> dict:
        name = os.path.basename(path)
        record = {"username": name.split("+")[0], "filename": name, "timestamp": NEVER}
        with contextlib.suppress(Exception):  # whatever dateutil raises: anybody may make a folder there
            found = super()._path_to_record(path)
            record = found if is_likely(found["timestamp"]) else record
        return record

    def _sort_by_timestamp(self, records: list[dict]) -> list[dict]:
        """One student's submissions, the last first: those that belong to their account, where some do.

        Anybody may make a folder there that bears another's name, and a later time than theirs.
        """
        real = [record for record in records if record["timestamp"] is not NEVER]
        theirs = [record for record in real if self._owner(record) == record["username"]]
        # defence: collect: whose it is
        best = theirs or real or records
        for record in [record for record in records if theirs and record not in theirs]:
            self.log.error("%a was not collected: it doesn't belong to that student", record["filename"])
        return super()._sort_by_timestamp(best)

    def _owner(self, record: dict) -> str:
        """The name of the account that a submission belongs to; "" if it can't be told."""
        try:
            return pwd.getpwuid(os.lstat(os.path.join(self.inbound_path, record["filename"])).st_uid).pw_name
        except (KeyError, OSError):
            return ""

    def copy_files(self) -> None:
        """Collect each submission by itself.

        Raises:
            OSError: the disk is full or can't be written to, which isn't the submission's fault.
        """
        everyone, full = self._of_those_here(self.src_records), None
        for record in everyone:
            self.src_records = [record]
            try:
                if record["timestamp"] is NEVER:
                    raise ExchangeError("its name doesn't say who handed in what and when")
                if problem := odd_name(record["username"]):
                    raise ExchangeError(problem)
                self._tell_if_ahead(record)
                # defence: collect: nobody else meanwhile
                with alone_in(self._place(record["username"])):
                    super().copy_files()
            # defence: collect: one at a time
            except Exception as error:  # this one's alone
                self.log.error("%a was not collected: %s", record["filename"], error)
                full = error if getattr(error, "errno", None) in FULL else full
        self.src_records = everyone
        if full:
            raise full

    def _tell_if_ahead(self, record: dict) -> None:
        """Warn of a submission that hides those that come after it, since the latest time counts."""
        if record["timestamp"] - datetime.now(UTC).replace(tzinfo=None) > AHEAD:
            self.log.warning(
                "%a %s, so a clock was wrong then or is now. What they hand in before that time isn't "
                "collected. If they did, remove this folder from the exchange, and theirs from submitted/",
                record["filename"],
                IN_FUTURE,
            )

    def _place(self, student: str) -> Path:
        """The folder of a student's submissions."""
        course = self.coursedir
        return Path(course.format_path(course.submitted_directory, student, course.assignment_id)).parent

    def _of_those_here(self, records: list[dict]) -> list[dict]:
        """Without those of students who have left: what they handed in would bring them back."""
        left = gone(self.coursedir)
        # defence: collect: students who have left
        return [record for record in records if record["username"] not in left]

    def do_copy(self, src: str, dest: str, log: object = None) -> None:
        """Copy a submission, without following anything that leads out of it."""
        with tempfile.TemporaryDirectory() as place:
            stage = Path(place, "submission")
            copying = _Copying(stage, 1000 * self.coursedir.max_dir_size)
            copying.copy(src)
            # defence: collect: the records that nbgrader needs
            self._complete(stage)
            whole(dest, lambda part: super(Collect, self).do_copy(str(stage), part, log))
        for name, reason in copying.refused.items():
            self.log.warning("%a of %a was left out: %s", name, os.path.basename(src), reason)

    def _complete(self, stage: Path) -> None:
        """Give a submission the records that `nbgrader submit` writes, where a student took them away.

        Without them, or with others, nbgrader's later steps stop for everybody.
        """
        time, secret = (stage / name for name in RECORDS)
        [record] = self.src_records
        if read_time(read_record(time)) is None:
            _replace(time, f"{record['timestamp']} UTC")
        if not read_record(secret):
            _replace(secret, MADE + secrets.token_hex(32))


def whole(dest: str, copy: Callable[[str], None]) -> None:
    """Put a copy in its place at once: half a one that has its time would never be renewed."""
    part = Path(dest).with_name(f".{Path(dest).name}.part")
    shutil.rmtree(part, ignore_errors=True)  # of a collect that was killed
    try:
        copy(str(part))
        part.rename(dest)
    except shutil.Error as error:  # of many files, in one
        for number in FULL:
            if os.strerror(number) in str(error):
                raise OSError(number, os.strerror(number)) from None
        raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _replace(path: Path, text: str) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.write_text(text)


class _Copying:
    """A folder that others may change while it is copied.

    Attributes:
        refused: relative path to why it wasn't copied.
    """

    def __init__(self, stage: Path, limit: int) -> None:
        self.stage, self.left, self.entries = stage, limit, 0
        self.refused: dict[str, str] = {}

    def copy(self, src: str) -> None:
        """Copy what lies in a folder and belongs to the folder's owner.

        Raises:
            ExchangeError: it isn't a folder, or holds too much.
        """
        if not stat.S_ISDIR(os.lstat(src).st_mode):
            raise ExchangeError("it is a link or a file; a submission is a folder")
        self.stage.mkdir(mode=0o700)
        owner = None
        for place, folders, names, at in os.fwalk(src, follow_symlinks=False):
            owner = os.fstat(at).st_uid if owner is None else owner
            inside = os.path.relpath(place, src)
            if os.fstat(at).st_uid != owner:
                self.refused[inside] = "it belongs to somebody else"
                folders.clear()
                continue
            if inside.count(os.sep) >= MAX_FILES_DEPTH:
                self.refused[inside] = f"it is over {MAX_FILES_DEPTH} folders deep"
                folders.clear()
                continue
            if STEERING.search(inside):
                folders.clear()
                continue  # named already
            (self.stage / inside).mkdir(mode=0o700, exist_ok=True)
            self.entries += len(folders) + len(names)
            # defence: collect: files without end
            if self.entries > MAX_ENTRIES:
                raise ExchangeError(f"it holds more than {MAX_ENTRIES:,} files and folders")
            for name in [*folders, *names]:
                self._copy_one(name, os.path.normpath(os.path.join(inside, name)), at, owner)

    def _copy_one(self, name: str, relative: str, at: int, owner: int) -> None:
        # defence: collect: names that steer a terminal
        if STEERING.search(name):
            self.refused[relative] = "its name could control a terminal"
            return
        try:
            status = os.stat(name, dir_fd=at, follow_symlinks=False)
            # defence: collect: links
            if stat.S_ISLNK(status.st_mode):
                self.refused[relative] = "it is a link"
                return
            if stat.S_ISDIR(status.st_mode):
                return
            # defence: collect: what becomes a link
            descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=at)
        except OSError as error:
            self.refused[relative] = error.strerror or str(error)
            return
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)  # of what was opened, whatever it was before
            if reason := no_copy_of(status, owner):
                self.refused[relative] = reason
                return
            self.left -= status.st_size
            if self.left < 0:
                raise ExchangeError("it holds more than the course takes (CourseDirectory.max_dir_size)")
            with open(self.stage / relative, "wb") as copy:
                _copy(file, copy, status.st_size)
        os.chmod(self.stage / relative, 0o644)


def no_copy_of(status: os.stat_result, owner: int) -> str:
    """Why a file isn't to be copied; "" where it is."""
    if not stat.S_ISREG(status.st_mode):
        return "it is not a regular file"
    # defence: collect: hard links
    if status.st_nlink > 1:  # somebody else's file, perhaps: a link needs no right to read it
        return "it is a hard link"
    # defence: collect: the owner's alone
    return "" if status.st_uid == owner else "it belongs to somebody else"


def _copy(file: BinaryIO, copy: BinaryIO, size: int) -> None:
    """Copy so many bytes and no more: the file may grow while it is read."""
    # defence: collect: files that grow
    while size > 0 and (part := file.read(min(size, 1 << 20))):
        copy.write(part)
        size -= len(part)
