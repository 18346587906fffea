"""One submission, from what was handed in to its papers: `Grader.grade`, in any process of any machine."""

import contextlib
import functools
import gc
import hashlib
import hmac
import json
import queue
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat import NotebookNode

from autograder.grading.cgroups import Groups
from autograder.grading.clock import among_others
from autograder.grading.finishing import finish
from autograder.grading.foreign import merge_foreign
from autograder.grading.handed_in import Submission, handed_in, read_time
from autograder.grading.identities import is_answer
from autograder.grading.lesson import Lesson
from autograder.grading.pictures import Answer, answers_shown, by_hand, files_shown, keep
from autograder.grading.questions import Question, Sheets
from autograder.grading.shown import as_given
from autograder.grading.submission import Canonical, canonical
from autograder.grading.versions import RUNNING
from autograder.grading.workers import Worker
from autograder.kept import FitDraws
from autograder.limits import CELL_SECONDS
from autograder.results import UNREADABLE, Cell, Ended, Graded, Judgement, Paper, Verdict
from helpers.checking.finding import Status

if TYPE_CHECKING:
    from autograder.sheets import HiddenSheets
    from helpers.checking.calling.outcome import Outcome
    from helpers.checking.sheet import Sheet

    Witnessed = tuple[Sheet, list[Outcome]]


@dataclass(frozen=True)
class Prepared:
    """A submission as read.

    Attributes:
        submission: where it lies.
        digest: of all that decides its grade.
        content: a digest of what was handed in alone, which decides the hidden cases it gets.
        forms: its notebooks in canonical form.
        known: verdicts of before, by exercise. Those that follow from the same stand.
    """

    submission: Submission
    digest: str
    content: str
    forms: dict[str, Canonical]
    known: dict[str, Verdict] = field(default_factory=dict)


@dataclass
class Grader:
    """Grades submissions of one lesson. Any number of threads may call `grade` at once.

    It can be sent to another process, which then starts workers of its own.

    Attributes:
        draws: the folder in which to keep which hidden draws are fit to judge by; None for none.
    """

    lesson: Lesson
    secret: bytes
    sandboxed: bool = True
    cell_seconds: float = CELL_SECONDS
    draws: Path | None = None

    def __post_init__(self) -> None:
        self.workers: list[Worker] = []
        self.groups: Groups | None = None  # of this machine's workers, from whoever starts several
        self.expected = 0  # submissions that each worker will have, as far as is known
        self.first: Worker | None = None  # which runs nothing, and has twins
        self._idle: queue.SimpleQueue[Worker] = queue.SimpleQueue()

    @functools.cached_property
    def _hidden(self) -> "HiddenSheets":
        from autograder.sheets import HiddenSheets

        fit = FitDraws(self.draws, self.secret, self.lesson.versions) if self.draws else None
        return HiddenSheets(self.secret, fit)

    def get_ready(self) -> None:
        """Launch a worker, and import and read all that grading takes: so that no judge has to by itself."""
        self.first = self._new_worker()
        self.first.launch()
        if self.expected > self.first.few:
            self.first.get_ready()
        import autograder.grading.judge  # noqa: F401

        for needed in (self.lesson.exercises, self.lesson.visible, self.lesson.versions):
            dict(needed)
        _ = self._hidden
        gc.freeze()  # all that stays: no collection looks through it again, here or in a judge

    def __getstate__(self) -> tuple[str, dict]:
        return RUNNING, {each.name: getattr(self, each.name) for each in fields(self)}

    def __setstate__(self, state: tuple[str, dict]) -> None:
        if state[0] != RUNNING:  # a machine that joined a cluster later than the others
            raise RuntimeError("it has another version of Headstart: install the same one on all machines")
        for name, value in state[1].items():
            setattr(self, name, value)
        self.__post_init__()

    def __enter__(self) -> "Grader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "workers"):  # not where __setstate__ refused
            self.close()

    def grade(
        self, submission: Submission, known_digest: str = "", known: dict[str, Verdict] | None = None
    ) -> Graded | None:
        """Grade one submission.

        Args:
            submission: where it lies.
            known_digest: of what was graded last; equal to this one's, there is nothing to do.
            known: the verdicts it got, by exercise. Those that follow from the same stand.

        Returns:
            The result, or None if it would be the same as last time.
        """
        prepared = self.prepare(submission)
        return None if prepared.digest == known_digest else self.run(replace(prepared, known=known or {}))

    def digest(self, submission: Submission) -> str:
        """A digest of all that decides a submission's grade, as `prepare` gives it. Nothing is parsed."""
        return self._key(self._content(submission), self.lesson.version)

    def draw(self, submission: Submission) -> int:
        """The number of the hidden draw that a submission is judged by. Nothing is parsed."""
        return 0 if self.lesson.foreign else self._hidden.number(self._content(submission))

    def _content(self, submission: Submission) -> str:
        """A digest of what was handed in, as `prepare` gives it."""
        ignore = self.lesson.ignore
        parts = (
            handed_in(submission, self._only(name), ignore=ignore).digest for name in self.lesson.skeletons
        )
        return self._digest(submission.student, *parts)

    def prepare(self, submission: Submission) -> Prepared:
        """Read what was handed in. Nothing of a student's is run."""
        forms = {name: self._canonical(submission, name) for name in self.lesson.skeletons}
        content = self._digest(submission.student, *(form.digest for form in forms.values()))
        return Prepared(submission, self._key(content, self.lesson.version), content, forms)

    def _key(self, content: str, version: str) -> str:
        """A digest of what was handed in, of what judges it, and of where and how long it runs."""
        # defence: digest: settings
        return self._digest(content, version, f"{float(self.cell_seconds)}", f"{self.sandboxed}")

    def _digest(self, *parts: str) -> str:
        return hmac.new(self.secret, "/".join(parts).encode(errors="replace"), "sha256").hexdigest()

    def run(self, prepared: Prepared) -> Graded:
        """Run what was handed in, and judge it. It needs nothing but what it is given, on any machine."""
        papers, ended = [], Ended()
        output_files: dict[str, bytes] = {}
        for name, form in prepared.forms.items():
            found = replace(form, files=form.files | output_files)  # what one writes, the next can read
            paper, ended, more = self._paper(name, found, prepared)
            papers.append(paper)
            output_files |= more
        forms = prepared.forms.values()
        files = {name: content for form in forms for name, content in form.files.items()}
        files |= next(iter(forms)).records
        # What was stopped may run another time: the next call doesn't take it for what it has graded.
        digest = prepared.digest if all(paper.settled for paper in papers) else ""
        return Graded(prepared.submission.student, digest, tuple(papers), files, ended, output_files)

    def witness(self, submission: Submission, exercise: str) -> "tuple[Verdict, list[Witnessed]]":
        """Judge a submission anew, and see what decided one of its exercises. It is for staff.

        Args:
            submission: to a lesson of ours.
            exercise: its id.

        Returns:
            The verdict, and each sheet by which the answer was judged, with what came back. The last of them
            decided; there is none if no case was called.
        """
        prepared, seen = self.prepare(submission), []
        [(name, form)] = prepared.forms.items()
        asked = questions(self.lesson, name, self._hidden, prepared.content)
        if form.problem:
            from autograder.grading.judge import not_run

            return not_run(asked[exercise], form.problem, UNREADABLE), []
        asked[exercise] = replace(asked[exercise], witness=lambda *judged: seen.append(judged))
        return self._judge(name, form, asked).verdicts[exercise], seen

    def _canonical(self, submission: Submission, name: str) -> Canonical:
        lesson = self.lesson
        merge = merge_foreign if lesson.foreign else None
        return canonical(
            submission, lesson.skeletons[name], self._only(name), merge=merge, ignore=lesson.ignore
        )

    def _only(self, name: str) -> str:
        """The name under which a notebook has to be handed in; "" if any will do, as it is the only one."""
        return "" if self.lesson.skeletons.keys() == {self.lesson.name} else name

    def _paper(self, name: str, form: Canonical, prepared: Prepared) -> tuple[Paper, Ended, dict[str, bytes]]:
        """Grade one notebook. Its paper, how its child ended, and the files that its cells wrote."""
        from autograder.grading.judge import not_run  # here, as in `_judge`: it imports torch

        lesson = self.lesson
        blank = frozenset(_blank(form.notebook, lesson.skeletons[name]))
        answers = answers_shown(form.notebook)
        to_grade = dict(_to_grade(form, answers))
        keys = {id: self._key(prepared.content, version) for id, version in lesson.versions.items()}
        kept = {id: verdict for id, verdict in prepared.known.items() if _stands(verdict, keys.get(id))}
        asked = questions(lesson, name, self._hidden, prepared.content, kept)
        if form.problem:
            unread = {id: not_run(question, form.problem, UNREADABLE) for id, question in asked.items()}
            notebook = finish(form.notebook, name, lesson.foreign, {}, unread, [form.problem, *form.notes])
            return Paper(name, json.dumps(notebook), tuple(unread.values()), blank, form.problem), Ended(), {}
        result = self._judge(name, form, asked)
        pictures = keep(answers, form.pictures, form.files, form.notes, self._look)
        remarks = [*form.notes, *result.remarks, *filter(None, [result.stopped])]
        if (stamp := form.records.get("timestamp.txt")) is not None and read_time(stamp) is None:
            remarks.append("timestamp.txt holds no time: the submission counts as on time")
        notebook = finish(
            form.notebook, name, lesson.foreign, result.outputs, result.verdicts, remarks, pictures
        )
        verdicts = []
        for id, verdict in result.verdicts.items():
            keyed = replace(verdict, key=keys.get(id, prepared.digest))
            # A machine that was too busy may have kept it from running any number of times.
            again = not result.starved and _again(keyed, prepared.known.get(id))
            verdicts.append(replace(keyed, again=again))
        may_run = any(verdict.status == Status.NOT_RUN and not verdict.again for verdict in verdicts)
        settled = not (result.starved or (result.stopped and may_run))
        paper = Paper(
            name, json.dumps(notebook), tuple(verdicts), blank, "", tuple(remarks), settled, to_grade
        )
        return paper, result.ended, result.output_files

    def _judge(self, name: str, form: Canonical, asked: dict[str, Question]) -> Judgement:
        """Have a notebook run and judged; if worker, machine or memory failed, again with no other beside it.

        Raises:
            RuntimeError: no sandbox starts.
        """
        from autograder.grading.judge import judge

        cells = self.lesson.cells(form.notebook, name)
        with self._worker() as worker:
            # defence: grader: a worker that fails costs nobody
            for alone in (False, True):
                with among_others(alone=alone):
                    result = judge(
                        worker, cells, asked, form.files,
                        ignore=self.lesson.ignore, cell_seconds=self.cell_seconds,
                    )  # fmt: skip
                if not (result.ended.failed or result.ended.out_of_memory or result.starved):
                    break
        if result.ended.failed and not result.outputs:
            raise RuntimeError(f"the sandbox doesn't start: {result.ended.failed}")
        return result

    def _look(self, cells: list[Cell], files: dict[str, bytes]) -> dict[str, list[dict]]:
        """Run cells of ours in a child of their own that has these files. What they displayed, by cell id."""
        from autograder.grading.judge import judge

        with self._worker() as worker:
            return judge(worker, cells, {}, files).outputs

    @contextlib.contextmanager
    def _worker(self) -> Iterator[Worker]:
        try:
            worker = self._idle.get_nowait()
        except queue.Empty:
            worker = self._new_worker()
        try:
            yield worker
        finally:
            self._idle.put(worker)

    def _new_worker(self) -> Worker:
        worker = self.lesson.new_worker(self.sandboxed)
        worker.groups = self.groups
        self.workers.append(worker)
        return worker

    def employ(self, twin: Worker | None) -> None:
        """Be the grader of a judge that was just forked: with this worker, and none of those before.

        `first` is kept, or its folder, which is the twin's as well, would be removed.
        """
        self.workers = [twin] if twin else []
        for worker in self.workers:
            self._idle.put(worker)

    def close(self) -> None:
        """End all workers."""
        for worker in self.workers:
            worker.stop()


def questions(
    lesson: Lesson,
    notebook: str,
    hidden: "HiddenSheets",
    content: str,
    kept: Mapping[str, Verdict] | None = None,
) -> dict[str, Question]:
    """What one notebook of a lesson asks of one submission, by exercise id.

    Args:
        lesson: what is asked.
        notebook: which of its notebooks.
        hidden: the sheets that nobody has.
        content: a digest of what was handed in; it decides which hidden cases the submission gets.
        kept: verdicts of last time that still follow.
    """

    def sheets(id: str) -> Sheets | None:
        if id not in lesson.visible:  # a test of a foreign assignment
            return None
        exercise, visible = lesson.exercises[id], lesson.visible[id]
        return Sheets(
            visible,
            functools.partial(hidden.of, exercise, content),
            functools.partial(hidden.explained, exercise, content, visible),
        )

    return {
        id: Question(
            id,
            outline.title,
            outline.points,
            sheets(id),
            lesson.solutions.get(id, ""),
            (kept or {}).get(id),
        )
        for id, outline in lesson.outlines_of(notebook).items()
    }


def _stands(verdict: Verdict, key: str | None) -> bool:
    """Whether judging again would say the same. What didn't run may run another time."""
    return verdict.key == key and verdict.status != Status.NOT_RUN


def _again(verdict: Verdict, before: Verdict | None) -> bool:
    """Whether an exercise wasn't run, and neither was it before, although nothing has changed."""
    known = before is not None and (before.status, before.key) == (verdict.status, verdict.key)
    return known and verdict.status == Status.NOT_RUN


def _blank(notebook: NotebookNode, skeleton: NotebookNode) -> Iterator[str]:
    released = {cell.id: as_given(cell.source).strip() for cell in skeleton.cells}
    for cell in notebook.cells:
        if is_answer(cell) and cell.source.strip() == released[cell.id]:
            yield cell.metadata.nbgrader.grade_id


def _to_grade(form: Canonical, answers: list[Answer]) -> Iterator[tuple[str, str]]:
    """A digest of each answer that a person grades, by which its points stand as long as it is the same."""
    for cell, shown in answers:
        if by_hand(cell):
            pictures = [form.pictures.get(cell.id), files_shown(shown, form.files)]
            answer = cell.source + (json.dumps(pictures, sort_keys=True) if any(pictures) else "")
            yield cell.metadata.nbgrader.grade_id, hashlib.sha256(answer.encode()).hexdigest()
