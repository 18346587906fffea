"""What a check found, as data, and the one place where such data becomes text or HTML.

A student reads it under a cell, an instructor in formgrader and in feedback; the start page shows its signs.
"""

import html
import re
from dataclasses import dataclass
from enum import StrEnum


class Status(StrEnum):
    """How an exercise went. `PARTLY` is for a foreign test's partial credit alone."""

    PASSED = "passed"
    PARTLY = "partly"
    FAILED = "failed"
    NOT_WRITTEN = "not written"
    NOT_RUN = "not run"


# The colours are of Okabe and Ito 2008: colour-blind readers tell them apart.
SIGNS = {
    Status.PASSED: "✓",
    Status.PARTLY: "◐",
    Status.FAILED: "✗",
    Status.NOT_WRITTEN: "○",
    Status.NOT_RUN: "○",
}
COLORS = {
    Status.PASSED: "#009e73",
    Status.PARTLY: "#e69f00",
    Status.FAILED: "#d55e00",
    Status.NOT_WRITTEN: "#888888",
    Status.NOT_RUN: "#888888",
}


ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
SHOWN, WIDEST = 6, 100  # lines from the beginning and from the end of what was printed; characters of each


@dataclass(frozen=True)
class Finding:
    """What a check found.

    Attributes:
        title: the exercise's.
        status: how it went.
        points: that can be earned.
        cases: how many there are.
        case: which one failed first.
        returned: what came back, against what was expected.
        meaning: what that usually means, or why nothing was run.
        look_at: the lesson's heading that explains it.
        cause: a misconception's name where one is recognised, otherwise the kind of the problem: "type",
            "structure", "shape", "dtype", "nan", "value", "raised", "forbidden", "timeout", "unusable",
            "needs" where it is an earlier answer's, or a property.
        relation: what is true of wrong numbers that no misconception explains.
        remark: what isn't as it should be in an answer that passes, and costs nothing.
        earned: the points that a foreign test beside the student's code gave; None where the judge decides.
        said: what such a test displayed or raised.
        printed: what the answer printed in one case, as it was printed.
        printed_in: which case that was.
    """

    title: str
    status: Status
    points: float = 0
    cases: int = 0
    case: str = ""
    returned: str = ""
    meaning: str = ""
    look_at: str = ""
    cause: str = ""
    relation: str = ""
    remark: str = ""
    earned: float | None = None
    said: str = ""
    printed: str = ""
    printed_in: str = ""

    @classmethod
    def not_run(cls, title: str, points: float, why: str, cause: str = "not run") -> "Finding":
        """What is found of an exercise that never came to be judged."""
        return cls(title, Status.NOT_RUN, points, meaning=why, cause=cause)

    @property
    def headline(self) -> str:
        """The first line: the exercise and how it went."""
        return _shown(" · ".join(filter(None, (f"{SIGNS[self.status]} {self.title}", self._detail()))))

    def _detail(self) -> str:
        if self.earned is not None:
            return f"{self.earned:g} of {self.points:g} points · in process"
        if self.status == Status.PASSED:
            cases = "every case" if self.cases == 1 else f"{self.cases} of {self.cases} cases"
            return f"{cases} · {self.points:g} {'point' if self.points == 1 else 'points'}"
        if self.status == Status.NOT_WRITTEN:
            return self.meaning or "not written yet"
        return "not run" if self.status == Status.NOT_RUN else self.case

    @property
    def rows(self) -> list[tuple[str, str]]:
        """What stands under the headline: a label and its text each."""
        if self.earned is not None:
            rows = [("the test said", self.said)]
        elif self.status == Status.NOT_RUN:
            rows = [("because", self.meaning)]
        elif self.status == Status.FAILED:
            rows = [("returned", self.returned), ("likely cause", self.meaning), ("look at", self.look_at)]
        else:
            rows = [("note", self.remark)]
        # defence: message: lines of its own
        return [(label, _shown(text)) for label, text in rows if text]

    def text(self) -> str:
        """The message for a terminal: four lines, and the first and last of what the answer printed."""
        lines = printed_lines(self.printed)
        printed = [("printed", f"in {_shown(self.printed_in)}")] if lines else []
        if len(lines) > 2 * SHOWN:
            lines[SHOWN:-SHOWN] = ["…"]
        told = [f"  {label:<14} {text}" for label, text in [*self.rows, *printed]]
        return "\n".join([self.headline, *told, *(f"    │ {line:.{WIDEST}}" for line in lines)])

    def html(self) -> str:
        """The message for a notebook: a small table that takes its colours from JupyterLab's theme."""
        cell = "padding:2px 12px 2px 0;text-align:left;vertical-align:top;background:none;border:none"
        label_cell = f"{cell};font-weight:normal;white-space:nowrap;opacity:.75"
        rows = "".join(
            f'<tr style="background:none"><th scope="row" style="{label_cell}">{label}</th>'
            f'<td style="{cell}">{marked(text)}</td></tr>'
            for label, text in self.rows
        )
        look = "margin:4px 0 0;border:none;color:inherit;font-size:inherit"
        table = f'<table style="{look}">{rows}</table>' if rows else ""
        return box(f"<strong>{html.escape(self.headline)}</strong>{table}{self._folded()}", self.status)

    def _folded(self) -> str:
        """What the answer printed, in HTML that unfolds by itself."""
        if not (lines := printed_lines(self.printed)):
            return ""
        look = (
            "margin:4px 0 0;padding:0;white-space:pre-wrap;overflow-wrap:anywhere;background:none;border:none"
        )
        text = f'<pre style="{look};color:inherit">{html.escape(chr(10).join(lines))}</pre>'
        said = f"printed in {html.escape(_shown(self.printed_in))}"
        summary = f'<summary style="cursor:pointer;opacity:.75">{said}</summary>'
        return f'<details style="margin:4px 0 0">{summary}{text}</details>'

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": self.text(), "text/html": self.html()}


def printed_lines(text: str) -> list[str]:
    """Text that somebody's code printed, as lines of characters that show.

    Colours are left out, and of a line that was written again and again, such as a progress bar's, the last.
    """
    # defence: message: what was printed steers nothing
    lines = (line.rstrip("\r").rpartition("\r")[2] for line in ESCAPES.sub("", text).split("\n"))
    shown = ["".join(c if c.isprintable() else " " for c in line.expandtabs(4)).rstrip() for line in lines]
    filled = [number for number, line in enumerate(shown) if line]
    return shown[filled[0] : filled[-1] + 1] if filled else []


def one_line(text: str) -> str:
    """Text as one line of characters that show: where it is a stranger's, it begins no line of its own."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _shown(text: str) -> str:
    return text if text.isprintable() else one_line(text)


def box(content: str, status: Status) -> str:
    """HTML with an edge in the colour of a status, which screen readers announce when it appears."""
    edge = f"border-left:4px solid {COLORS[status]};padding:4px 12px;margin:2px 0"
    return f'<div role="status" style="{edge}">{content}</div>'


def marked(text: str) -> str:
    """Text as HTML, with what stands in backticks as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text))
