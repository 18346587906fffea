"""A question with its answers and marks as the page gets them, and the changes that the page asks for."""

import getpass
import hashlib
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from nbgrader.coursedir import CourseDirectory

from autograder.classroom.marking import marks
from autograder.classroom.marking.marks import Conflict, Entry, Mark
from autograder.classroom.marking.questions import Answer, Question, answer

LONGEST = 20_000  # characters of a comment
REMEMBERED = 50  # steps, and comments to use again, that the page offers


class Desk:
    """A question with all that was answered and given, as it is right now."""

    def __init__(self, db: sa.orm.Session, course: CourseDirectory, lesson: str, question: Question) -> None:
        self.db, self.question = db, question
        self.entries = {
            entry.id: entry for entry in marks.entries(db, lesson, question.notebook, question.cell)
        }
        folders = {
            id: Path(course.format_path(course.autograded_directory, entry.student, lesson))
            for id, entry in self.entries.items()
        }
        self.answers = {
            id: answer(folder / f"{question.notebook}.ipynb", question) or Answer("", "", "")
            for id, folder in folders.items()
        }
        self.steps = marks.history(db, [*self.entries])

    def version(self, id: str) -> str:
        """What a grader sees of an answer: another one if it, or its mark, has changed."""
        seen = f"{self.entries[id].mark}{self.answers[id].digest}"
        return hashlib.sha256(seen.encode()).hexdigest()[:16]

    def mark(self, wanted: dict[str, Any]) -> str:
        """Give points and a comment.

        Args:
            wanted: `grader`; `answers`, ids with the versions that the grader has seen; `score`, or None to
                leave them waiting; `met`, lines of the rubric, or None; `text`.

        Returns:
            The step.

        Raises:
            KeyError, TypeError, ValueError: it is none of that.
            Conflict: some answers have other versions. Nothing is changed.
        """
        seen = wanted["answers"]
        # defence: marking: no text that the grader hasn't seen
        if late := [
            id for id, version in seen.items() if id not in self.entries or version != self.version(id)
        ]:
            raise Conflict(late)
        score = None if wanted["score"] is None else marks.allowed(wanted["score"], self.question)
        met = None if wanted["met"] is None else [int(number) for number in wanted["met"]]
        comment = marks.comment_of(self.question.rubric, met, str(wanted["text"])[:LONGEST])
        changes = []
        for entry in (self.entries[id] for id in seen):
            waits = score is None and entry.auto is None
            changes.append((entry, Mark(score, waits, comment)))
        return marks.change(self.db, _grader(wanted), changes)

    def undo(self, wanted: dict[str, Any]) -> str:
        """Undo a step.

        Args:
            wanted: `grader`; `undo`, the step; `only`, ids, where others of the step stay.

        Raises:
            KeyError, TypeError: it is none of that.
            ValueError, Conflict: as `marks.undo`. Nothing is changed.
        """
        only = {*wanted.get("only", self.entries)}
        known = {id: entry for id, entry in self.entries.items() if id in only}
        marks.undo(self.db, _grader(wanted), str(wanted["undo"]), known, self.question)
        return ""

    def shown(self, names: bool) -> dict[str, Any]:
        """All of it for the page; names only where they are asked for."""
        groups: dict[str, list[str]] = defaultdict(list)
        for id, found in self.answers.items():
            groups[found.key].append(id)
        order = sorted(groups, key=lambda key: (not key, -len(groups[key]), key))
        shown = [{"key": key, "texts": self._texts(groups[key])} for key in order]
        edition = hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]
        return {
            "answers": {
                entry.id: self._entry(number, entry, names)
                for number, entry in enumerate(self.entries.values(), 1)
            },
            "groups": shown,
            "edition": edition,
            "comments": self._comments(),
            "steps": [self._step(step) for step in self.steps[:REMEMBERED]],
        }  # fmt: skip

    def _texts(self, ids: list[str]) -> list[dict[str, Any]]:
        """How a group's answers were written, the most frequent way first."""
        texts: dict[str, list[str]] = defaultdict(list)
        for id in ids:
            texts[self.answers[id].html].append(id)
        return [
            {"html": html, "answers": found}
            for html, found in sorted(texts.items(), key=lambda item: (-len(item[1]), item[0]))
        ]

    def _entry(self, number: int, entry: Entry, names: bool) -> dict[str, Any]:
        met, text = marks.read(self.question.rubric, entry.mark.comment)
        by, step = marks.by_whom(entry, self.steps)
        shown = {
            "number": number, "score": entry.mark.score, "auto": entry.auto, "waits": entry.waits,
            "changed": entry.waits and entry.mark.score is not None, "met": met, "text": text,
            "by": by, "step": step, "version": self.version(entry.id),
        }  # fmt: skip
        # defence: marking: no names unless asked for
        return shown | ({"student": entry.student, "name": entry.name} if names else {})

    def _step(self, step: dict[str, Any]) -> dict[str, Any]:
        known = {name: step[name] for name in ("step", "grader", "time", "grades")}
        return known | self._read(step["after"])

    def _read(self, after: str) -> dict[str, Any]:
        mark = Mark(**json.loads(after))
        return {"score": mark.score, "text": marks.read(self.question.rubric, mark.comment)[1]}

    def _comments(self) -> list[str]:
        """The words of comments on this question, the most used first."""
        counts: dict[str, int] = defaultdict(int)
        for entry in self.entries.values():
            if text := marks.read(self.question.rubric, entry.mark.comment)[1]:
                counts[text] += 1
        for text in (self._read(step["after"])["text"] for step in self.steps):
            counts[text] += bool(text)  # also what was taken back, or given to nobody any more
        return sorted(filter(None, counts), key=lambda text: (-counts[text], text))[:REMEMBERED]


def _grader(wanted: dict[str, Any]) -> str:
    """Who marks, as they call themselves."""
    name = "".join(filter(str.isprintable, str(wanted["grader"]))).strip()[:128]
    return name or getpass.getuser()
