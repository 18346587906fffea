"""Proof of work: one page of what was passed, when and with which checks, bound to the answers by a digest.

`headstart proof` compares a page with notebooks. It proves little, and the page says so: whoever can edit a
notebook can make a page.
"""

import hashlib
import html
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helpers.checking import progress
from helpers.checking.finding import marked
from helpers.start_here.page import Lesson, find_lessons, told_in_words
from helpers.storage import write_whole

if TYPE_CHECKING:
    from IPython.display import HTML

NAME = "proof.html"
LIMITS = (
    "The digests show that this page and the notebooks belong together. They don't show who wrote the "
    "answers, or with what help.",
    "Passing was recorded on the student's computer, with its clock. Whoever can edit a notebook can make "
    "such a page. What the answers are worth, only grading tells: `headstart grade --once NOTEBOOK`.",
    "Answers in words aren't judged: the points beside them were ticked by the student.",
)
DATA = re.compile(r'<script type="application/json">(.*?)</script>', re.DOTALL)
STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100%; margin-bottom: 1.5rem }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0;
    border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent) }
td:last-child { white-space: nowrap }
code { overflow-wrap: anywhere }
h2 { margin-bottom: .2rem; break-after: avoid }
tr { break-inside: avoid }
"""


def make_proof(name: str = "", here: Path | None = None) -> "HTML":
    """Write `proof.html` beside this notebook: what passed in the lessons beside it. Needs no network.

    Args:
        name: whose work it is, to stand on the page.
        here: this lesson's folder; if None, where the notebook runs.

    Returns:
        A link to the page.

    Raises:
        OSError: it can't be written.
    """
    from IPython.display import HTML

    here = (here or Path.cwd()).resolve()
    lessons = [found for lesson in find_lessons(here.parent) if (found := _lesson(lesson))["passed"]]
    made = {"name": name, "made": datetime.now(UTC).isoformat(timespec="seconds"), "lessons": lessons}
    write_whole(here / NAME, page_of(made | {"digest": digest(made)}).encode())
    count = sum(len(lesson["passed"]) for lesson in lessons)
    return HTML(f'<a href="{NAME}" target="_blank">{NAME}</a>, with {count} checks that passed')


def _lesson(lesson: Lesson) -> dict[str, Any]:
    folder = lesson.notebook.parent
    since = progress.times(folder)
    passed = [
        {"id": id, "title": title, "since": since[id].since, "checks": since[id].version}
        for id, title in lesson.exercises.items()
        if id in since
    ]
    return {
        "lesson": lesson.notebook.stem,
        "title": lesson.title,
        "answers": answers(json.loads(lesson.notebook.read_text(encoding="utf-8"))),
        "passed": passed,
        "of": len(lesson.exercises),
        "in words": told_in_words(lesson),
    }


def answers(notebook: dict[str, Any]) -> str:
    """A digest of all answers in a notebook. Outputs, other cells and white space at the ends don't count."""
    found = {
        theirs["grade_id"]: "".join(cell["source"]).strip()
        for cell in notebook["cells"]
        if (theirs := cell.get("metadata", {}).get("nbgrader", {})).get("solution")
    }
    return digest(found)


def digest(content: object) -> str:
    """SHA-256 of plain data."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read(page: str) -> dict[str, Any]:
    """The data of a page.

    Raises:
        ValueError: it has none, or it was changed after the page was made.
    """
    found = DATA.search(page)
    try:
        made = json.loads(found[1]) if found else {}
        if made.pop("digest") == digest(made) and page == page_of(made | {"digest": digest(made)}):
            return made
    except (KeyError, TypeError, ValueError, AttributeError):
        pass
    raise ValueError("this isn't a proof of work as it was made: it has no data, or was changed afterwards")


def page_of(made: dict[str, Any]) -> str:
    """The page: the same bytes for the same data."""
    title = f"Proof of work{' of ' + made['name'] if made['name'] else ''}"
    lessons = "".join(_section(lesson) for lesson in made["lessons"]) or "<p>No check has passed yet.</p>"
    data = json.dumps(made).replace("<", "\\u003c")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n<body>\n'
        f"<h1>{html.escape(title)}</h1>\n"
        f"<p>Headstart, a course on Transformers. Made on {_day(made['made'])} (UTC).</p>\n"
        f"{lessons}\n<h2>What this page proves, and what it doesn't</h2>\n<ul>{_items(LIMITS)}</ul>\n"
        f"<p>Digest of this page: <code>{made['digest']}</code><br>To compare it with the notebooks: "
        f"<code>headstart proof {NAME} FOLDER</code></p>\n"
        f'<script type="application/json">{data}</script>\n</body></html>\n'
    )


def _section(lesson: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td>{html.escape(each['title'])}</td><td>{_day(each['since'])}</td>"
        f"<td><code>{html.escape(each['checks'])}</code></td></tr>"
        for each in lesson["passed"]
    )
    words = f"; in words {html.escape(lesson['in words'])}" if lesson["in words"] else ""
    return (
        f"<h2>{html.escape(lesson['title'])}</h2>\n"
        f"<p>{len(lesson['passed'])} of {lesson['of']} checks passed{words}.<br>"
        f"Digest of the answers: <code>{html.escape(lesson['answers'])}</code></p>\n"
        f'<table><tr><th scope="col">passed</th><th scope="col">since (UTC)</th>'
        f'<th scope="col">checks\' version</th></tr>{rows}</table>\n'
    )


def _day(time: str) -> str:
    return html.escape(time[:16].replace("T", " "))


def _items(texts: Iterable[str]) -> str:
    return "".join(f"<li>{marked(text)}</li>" for text in texts)
