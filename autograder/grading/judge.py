"""Outcomes -> verdicts. The only place that decides.

The judge walks a submission's cells in canonical form, tells the child which to run, and at a check cell
sends inputs and receives outcomes. Expected values stay on this side. Seeds and references aren't even here:
the judge is handed questions, with sheets of numbers. Which exercise a check cell is about is read from the
lesson, never from the child; a cell without a verdict earns nothing.
"""

import contextlib
import re
import signal
import socket
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from autograder.child import wire
from autograder.grading.clean import clean_outputs, page_characters
from autograder.grading.clock import Clock
from autograder.grading.endless import MEANING as ENDLESS
from autograder.grading.endless import Endless
from autograder.grading.in_process import read_test
from autograder.grading.outcomes import Stopped, bounded, raised, read_outcomes
from autograder.grading.output_files import read_left_out, read_output_files
from autograder.grading.questions import Question, Sheets
from autograder.grading.second_look import answer_of, look_again
from autograder.grading.workers import Worker
from autograder.limits import (
    CELL_SECONDS,
    GRACE_SECONDS,
    LISTEN_SECONDS,
    MAX_FILES,
    MAX_FILES_BYTES,
    NOTEBOOK_SECONDS,
    OUTPUT_CHARACTERS,
)
from autograder.results import Cell, Ended, Judgement, Verdict
from helpers.checking.assessing import ROUNDS, assess
from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.code.tracing import FAILS_IN, Tangled, fails_in, fix_first, forbidden_use
from helpers.checking.finding import Finding, Status
from helpers.checking.sheet import Sheet

FIRST = "the first cell"


def judge(
    worker: Worker,
    cells: list[Cell],
    questions: Mapping[str, Question],
    files: dict[str, bytes] | None = None,
    *,
    ignore: tuple[str, ...] = (),
    cell_seconds: float = CELL_SECONDS,
) -> Judgement:
    """Run one notebook of a submission and judge its exercises.

    Args:
        worker: a worker of the lesson.
        cells: the code cells in canonical order.
        questions: what to decide, by exercise id.
        files: what was handed in beside the notebook.
        ignore: names of files and folders, as patterns, that are nobody's when a cell writes them.
        cell_seconds: how long one cell may run.
    """
    try:
        channel = worker.begin(files)
    except wire.WireError as error:
        ended = worker.end()
        stopped = _crashed(ended, FIRST) or _gone(error, FIRST)
        return Judgement({id: not_run(each, stopped) for id, each in questions.items()}, {}, stopped, ended)
    whole = NOTEBOOK_SECONDS * max(1.0, cell_seconds / CELL_SECONDS)
    clock = Clock(worker, cell_seconds, whole)  # not counting what a worker takes to start
    run = _Run(worker, channel, questions, clock)
    try:
        stopped = run.cells(cells)
        if not stopped:
            look_again(run, cells)
        output_files, left_out = ({}, "") if stopped or not worker.foreign else run.output_files(ignore)
    finally:
        channel.close()
        ended = worker.end()
    if stopped:
        stopped = _crashed(ended, run.where) or stopped
    reason = stopped or "its check did not run"
    verdicts = {
        id: run.verdicts.get(id) or not_run(question, run.reasons.get(id, reason))
        for id, question in questions.items()
    }
    remarks = (*run.interruptions, *filter(None, [left_out]))
    return Judgement(verdicts, run.outputs, stopped, ended, output_files, clock.starved, remarks)


def not_run(question: Question, reason: str, cause: str = "not run") -> Verdict:
    """A verdict for an exercise that never came to be judged."""
    return Verdict.of(question.id, Finding.not_run(question.title, question.points, reason, cause))


TAKEN = re.compile(r"^(?:def|class)[ \t]+check\b|^check[ \t]*=(?!=)", re.MULTILINE)
TAKEN_BY = (
    "a cell gives the name `check` to something else, so the course's check didn't run: choose another name"
)
UNDEFINING = re.compile(r"\s*(%%(?!(?:time|capture|prun)\b)\w+)")
DEFINES_NOTHING = "its cell begins with `{}`, by which nothing in it is defined: take that line out"


class _Run:
    """One submission's run: the conversation with its child, cell by cell."""

    def __init__(
        self, worker: Worker, channel: socket.socket, questions: Mapping[str, Question], clock: Clock
    ) -> None:
        self.worker, self.channel, self.questions = worker, channel, questions
        self.inbox, self.clock = wire.Inbox(channel), clock
        self.limit, self.interrupted = "", False  # of the cell that runs
        self.interruptions: list[str] = []  # of all cells so far, in words
        self.verdicts: dict[str, Verdict] = {}
        self.findings: dict[str, Finding] = {}  # of those that weren't kept from last time
        self.outputs: dict[str, list[dict]] = {}
        self.reasons: dict[str, str] = {}
        self.ran: list[str] = []  # the cells so far
        self.endless = Endless(clock.cell_seconds, self.ran)
        self.failed: dict[int, str] = {}  # of these, which raised, and what
        self.room = OUTPUT_CHARACTERS
        self.where = FIRST

    def cells(self, cells: list[Cell]) -> str:
        """Run cells in order.

        Returns:
            Why the child couldn't go on; empty if all ran.
        """
        try:
            for cell in cells:
                self.cell(cell)
        except Stopped as stop:
            return str(stop)
        except wire.WireError as error:
            return _gone(error, self.where)
        return ""

    def output_files(self, ignore: tuple[str, ...]) -> tuple[dict[str, bytes], str]:
        """What the cells wrote beside the notebook, by relative path, and a remark if not all of it."""
        with contextlib.suppress(wire.WireError, Stopped):
            self.clock.start_cell()
            self.interrupted = False
            self._send({"files": MAX_FILES, "size": MAX_FILES_BYTES})
            answer = self._receive()
            return read_output_files(answer, ignore), read_left_out(answer)
        return {}, "the files that its cells wrote can't be read: its Python process doesn't list them"

    def cell(self, cell: Cell) -> None:
        """Run one cell; at a check cell, judge what its check asks for, once."""
        self.where = f"the cell “{_first_line(cell.source)}”"
        # defence: judge: no cell after that
        if self.clock.notebook_is_over:
            seconds = self.clock.notebook_seconds
            raise Stopped(f"the notebook's time of {seconds:.0f} s was over before {self.where}")
        done = self.run(
            cell.source, lambda: self._answer(cell), test=self.worker.foreign and bool(cell.exercise)
        )
        if self.interrupted:
            self.interruptions.append(f"{self.where} took over {self.limit} and was interrupted")
        # defence: judge: outputs are cleaned
        outputs = clean_outputs(done)
        self.room -= page_characters(outputs)
        # defence: judge: room for outputs
        if self.room < 0:
            raise Stopped(f"the cells up to {self.where} display more than the grader keeps")
        self.outputs[cell.id] = outputs
        if names := [output["ename"] for output in outputs if output["output_type"] == "error"]:
            self.failed[len(self.ran) - 1] = names[0][:100]
        question = self.questions.get(cell.exercise)
        if question and not question.sheets and not self.interrupted:
            self.verdicts[question.id] = Verdict.of(question.id, read_test(question, outputs))
        if cell.exercise and cell.exercise not in self.verdicts:
            self._explain_silence(cell)

    def run(self, source: str, answer: Callable[[], None], *, test: bool = False) -> Any:
        """Have the child run a cell, and answer whenever its check() asks for cases.

        Returns:
            What the child says that the cell displayed.
        """
        self.clock.start_cell()
        self.interrupted = False
        self.ran.append(source)
        self._send({"run": source, "test": test})
        while True:
            message = self._receive()
            # defence: judge: a message is a dict
            if not isinstance(message, dict):
                raise Stopped("the grading channel was broken (not a message of ours)")
            if "done" in message:
                return message["done"]
            # defence: judge: in turn
            if "ask" not in message:
                raise Stopped("the grading channel was broken (a message out of turn)")
            # defence: judge: the exercise is the lesson's
            answer()
            self._send({"cases": []})  # a check elsewhere gets no more

    def _answer(self, cell: Cell) -> None:
        """The child's check() asks for cases: send them, receive outcomes, decide."""
        question = self.questions.get(cell.exercise)
        # defence: judge: whose outcomes count
        if question and question.sheets and cell.exercise not in self.verdicts:
            self.endless.judged = answer_of(cell)
            found = question.kept or self._decide(question, question.sheets)
            if isinstance(found, Finding):
                self.findings[question.id] = found = replace(found, points=question.points)
                found = Verdict.of(question.id, found)
            self.verdicts[question.id] = found

    def _decide(self, question: Question, sheets: Sheets) -> Finding:
        """An answer passes if all cases do: first the visible ones, which may be shown, then the hidden ones.

        A draw may be easier than what the student has seen fail.

        One that is wrong only by what it calls is found right later (`second_look.py`).
        """
        visible = sheets.visible
        with self.clock.stopped():
            try:
                # defence: judge: forbidden names
                use = forbidden_use(self.ran, question.id, visible.forbidden)
            except Tangled as error:
                return Finding.not_run(question.title, question.points, str(error))
        if use:
            outcome = Outcome(CallStatus.FORBIDDEN, error=use.name, where=use.where)
            return assess(visible, [outcome] * len(visible.cases))
        outcomes = self.timed_outcomes(visible)
        question.witness(visible, outcomes)
        rounding = [id for id, verdict in self.verdicts.items() if verdict.remark in ROUNDS]
        shown = assess(visible, outcomes, rounding=rounding)
        with self.clock.stopped():
            first = fix_first(shown.returned, self.ran, self.failed)
        if first := first or self._endless(outcomes):
            return replace(shown, meaning=first, cause="needs")
        # defence: judge: visible cases
        if shown.status != Status.PASSED:
            failing = [id for id, verdict in self.verdicts.items() if verdict.status != Status.PASSED]
            if not (other := fails_in(outcomes, self.ran, failing)):
                return shown
            return replace(shown, meaning=FAILS_IN.format(self.questions[other].title), cause="needs")
        finding, outcomes = self.on_hidden(question, sheets)
        if first := self._endless(outcomes):
            return replace(finding, meaning=first, cause="needs")
        return replace(finding, remark=shown.remark) if finding.status != Status.FAILED else finding

    def on_hidden(self, question: Question, sheets: Sheets) -> tuple[Finding, list[Outcome]]:
        """What the hidden cases show of an answer, and the outcomes that show it."""
        with self.clock.stopped():
            # defence: judge: hidden cases
            hidden = sheets.hidden()
        outcomes = self.timed_outcomes(hidden)
        finding = assess(hidden, outcomes, reveal=False)
        if finding.status == Status.FAILED:
            with self.clock.stopped():
                explained = sheets.explained()
            if explained.request != hidden.request:  # by another draw, since a right answer fails this one
                outcomes = self.ask(explained)
            hidden = explained
            # defence: judge: hidden numbers
            finding = assess(hidden, outcomes, reveal=False)
        question.witness(hidden, outcomes)
        return finding, outcomes

    def timed_outcomes(self, sheet: Sheet) -> list[Outcome]:
        """As `ask`, but a call that is stopped in an answer that doesn't end had only a short time.

        Whatever else is stopped by then begins again, with all the time that a cell has.
        """
        if self.endless:
            with self.clock.briefly():
                outcomes = self.ask(sheet)
            # defence: judge: who is only slow has its time
            if not self.interrupted or self.endless.stopped_in(outcomes):
                return outcomes
            self._send({"anew": True})
            self.interrupted = False
            self.clock.start_cell()
        outcomes = self.ask(sheet)
        self.endless.learn(sheet, outcomes)
        return outcomes

    def _endless(self, outcomes: list[Outcome]) -> str:
        """Whose answer doesn't end, so that these outcomes were stopped early, in a sentence; or ""."""
        title = self.endless.stopped_in(outcomes)
        return ENDLESS.format(title, self.limit) if title else ""

    def ask(self, sheet: Sheet) -> list[Outcome]:
        """Let the child call the answer on a sheet's cases. Inputs go, expected values stay."""
        self._send(sheet.request)
        outcomes = read_outcomes(self._receive(), len(sheet.cases))
        # What is judged by a function of ours is many results, each looked at once.
        # defence: judge: values without end
        return outcomes if sheet.driver in ("draws", "use_result") else list(map(bounded, outcomes))

    def _send(self, message: dict | bytes) -> None:
        wire.send(self.channel, message, seconds=LISTEN_SECONDS)

    def _receive(self) -> Any:
        """Wait for the child, interrupting it when its time is up and giving it up a little later.

        That holds for a child that talks without end as for a silent one.
        """
        while True:
            # defence: judge: time of whoever talks on
            while left := self.clock.left():
                with contextlib.suppress(wire.WireTimeout):
                    return self.inbox.receive(seconds=left)
            # defence: judge: gives up
            if self.interrupted:
                raise Stopped(f"{self.where} took over {self.limit} and couldn't be interrupted")
            self.interrupted, self.limit = True, self.clock.said
            self.worker.interrupt()
            self.clock.give_grace(GRACE_SECONDS)

    def _explain_silence(self, cell: Cell) -> None:
        """Why a check cell ended without a verdict: what the answer's cell says, or else its own."""
        own = [cell.answer, cell] if cell.answer else [cell]
        of_each = [
            [each for each in self.outputs.get(part.id, []) if each["output_type"] == "error"] for part in own
        ]
        errors = [error for found in of_each for error in found]
        # A NameError in the check's own cell is the answer's name.
        unnamed = errors == of_each[-1] and [error["ename"] for error in errors] == ["NameError"]
        ours = errors == of_each[-1] and not unnamed
        if self.interrupted:
            self.reasons[cell.exercise] = f"its check took over {self.limit} and was interrupted"
        elif ours and any(map(TAKEN.search, self.ran)):
            self.reasons[cell.exercise] = TAKEN_BY
        elif unnamed and (magic := UNDEFINING.match(own[0].source)):
            self.reasons[cell.exercise] = DEFINES_NOTHING.format(magic[1])
        elif errors:
            reason = raised(errors[0])[:300]
            sources = [each.source for each in own]
            others = {n: error for n, error in self.failed.items() if self.ran[n] not in sources}
            first = fix_first(reason, self.ran, others)
            self.reasons[cell.exercise] = f"{reason}. {first}" if first else reason


def _gone(error: wire.WireError, where: str) -> str:
    return f"the Python process was gone or its grading channel broken ({error}) after {where}"


def _crashed(ended: Ended, where: str) -> str:
    """What the child's end says of why it stopped; empty where it says nothing."""
    if ended.failed:
        return f"the grader could not run it ({ended.failed}) in {where}"
    if ended.out_of_memory:
        return f"it took more memory than it may, and was ended in {where}"
    if ended.signal and ended.signal != signal.SIGKILL:
        return f"the Python interpreter crashed ({_name(ended.signal)}) in {where}"
    return ""


def _name(number: int) -> str:
    with contextlib.suppress(ValueError):  # the real-time signals have none
        return signal.Signals(number).name
    return f"signal {number}"


def _first_line(source: str) -> str:
    line = next((line for line in source.splitlines() if line.strip() and not line.startswith("#")), "")
    return line.strip()[:60]
