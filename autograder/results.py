"""What travels: from a lesson to the judge, from the judge to the gradebook, and from process to process."""

from dataclasses import dataclass, field, replace
from typing import Any

from helpers.checking.finding import Finding, Status


@dataclass(frozen=True)
class Cell:
    """A code cell to run. Check cells alone have an exercise, and the cell that answers it."""

    id: str
    source: str
    exercise: str = ""
    answer: "Cell | None" = None


UNREADABLE = "unreadable"  # the cause where nothing of a notebook could be read


@dataclass(frozen=True)
class Verdict:
    """What was decided about one exercise of one submission.

    Attributes:
        exercise: its id.
        status: how it went.
        points: earned.
        max_points: to be earned.
        message: the four lines that the student reads, as text.
        html: the same as a small table.
        cause: one word or name for the class report: a misconception's name, "shape", "timeout", ...
        key: of all that it follows from: what was handed in, the exercise, the hidden seed.
        relation, remark: as in a finding.
        again: whether it was not run a second time, too, for the same submission: a third would tell nothing.
    """

    exercise: str
    status: Status
    points: float
    max_points: float
    message: str = ""
    html: str = field(default="", repr=False)
    cause: str = ""
    key: str = ""
    relation: str = ""
    remark: str = ""
    again: bool = False

    @classmethod
    def of(cls, exercise: str, finding: Finding) -> "Verdict":
        """What a finding is worth: all points or none, but for the partial credit of a foreign test."""
        whole = finding.points if finding.status == Status.PASSED else 0
        earned = whole if finding.earned is None else finding.earned
        texts = (finding.text(), finding.html(), finding.cause)
        points = float(earned), float(finding.points)
        verdict = cls(exercise, finding.status, *points, *texts)
        return replace(verdict, relation=finding.relation, remark=finding.remark)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Verdict":
        """Read a verdict that the gradebook kept."""
        return cls(**{**value, "status": Status(value["status"])})


@dataclass(frozen=True)
class Ended:
    """How a child ended.

    Attributes:
        signal: the signal that ended it, 0 for none.
        failed: why it never ran, empty if it did.
        cpu_seconds: of the child and its threads.
        peak_mb: resident memory at its highest, in MiB.
        worker_seconds: CPU time of the worker and all its children so far.
        out_of_memory: whether the kernel ended it, for want of memory in its worker's cgroup.
    """

    signal: int = 0
    failed: str = ""
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0
    worker_seconds: float = 0.0
    out_of_memory: bool = False


@dataclass(frozen=True)
class Judgement:
    """All that came of one notebook.

    Attributes:
        verdicts: by exercise.
        outputs: by cell id.
        stopped: why it could not go on, empty if it did.
        ended: how its child ended, and its cost.
        output_files: what its cells wrote, by relative path.
        starved: whether wall time ran out before CPU time did, and the machine may be the reason.
        remarks: which cells took too long and were interrupted, while those after them ran; how many files
            that cells wrote were left out.
    """

    verdicts: dict[str, Verdict]
    outputs: dict[str, list[dict]]
    stopped: str = ""
    ended: Ended = field(default_factory=Ended)
    output_files: dict[str, bytes] = field(default_factory=dict, repr=False)
    starved: bool = False
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """One notebook of a submission, as graded.

    Attributes:
        name: of the notebook.
        notebook: with outputs and verdicts in it, as its file holds it.
        verdicts: one per exercise.
        blank: grade ids of the answers left as they were released.
        problem: why nothing of it could be read, for student and instructor; empty for most.
        remarks: what else the instructor should know.
        settled: whether running it again would give the same; not if it was stopped for the first time.
        by_hand: a digest of each answer that a person grades, by grade id.
    """

    name: str
    notebook: str
    verdicts: tuple[Verdict, ...]
    blank: frozenset[str] = frozenset()
    problem: str = ""
    remarks: tuple[str, ...] = ()
    settled: bool = True
    by_hand: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Graded:
    """One submission as graded.

    Attributes:
        student: their id.
        digest: of the submission, the lesson and the hidden seed: equal digests give equal results. Empty
            where a run was stopped.
        papers: its notebooks.
        files: what goes beside the notebooks, for feedback, by relative path.
        ended: how the child that ran the last of them ended, and what it took.
        output_files: what cells of a foreign assignment wrote beside the notebooks, by relative path.
    """

    student: str
    digest: str
    papers: tuple[Paper, ...]
    files: dict[str, bytes] = field(default_factory=dict, repr=False)
    ended: Ended = field(default_factory=Ended)
    output_files: dict[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def verdicts(self) -> list[Verdict]:
        return [verdict for paper in self.papers for verdict in paper.verdicts]

    @property
    def problem(self) -> str:
        """Why nothing of a notebook could be read; of several, the first."""
        return next((paper.problem for paper in self.papers if paper.problem), "")

    @property
    def remarks(self) -> list[str]:
        return [remark for paper in self.papers for remark in paper.remarks]
