"""A lesson as the website shows it: the released text, the outputs of the right answers, and no solution.

Set-up cells are left out, and so is what an output says of the machine that made it: its files, dates, speed
and progress bars. Figures become files of their own, as do an explorer's large numbers, which several share.
"""

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4

from autograder import lessons
from autograder.authoring.site import answers
from autograder.exercise import Exercise
from helpers.checks import Sheet
from helpers.figures.predicting import predictions
from helpers.storage import write_whole

DETAILS = re.compile(r"<details>.*?</details>", re.DOTALL)
FORMULA = re.compile(r"(?<![\\$])\$([^$]+)\$(?!\$)")
FIGURE = re.compile(r'src="data:image/(svg\+xml|png);base64,([^"]+)"')
CLIP = re.compile(rb"\bp[0-9a-f]{10}\b")  # its id, and where that is named
COMMENT = re.compile(
    r"^( {0,3})%(?!\w)", re.MULTILINE
)  # as MyST reads it; but it is a line such as "% of them"
WAITS = re.compile(r'after_predicting\(\s*"([^"]+)"')
# What these display is of the machine that builds the site, not of the reader's.
PERSONAL = (
    "check_installation()",
    "list_lessons()",
    "live_slider()",
    "make_proof(",
    "training.kept()",
    "from timeit import repeat",
)
WHEN = re.compile(r"^.* (was trained|were made) here.* on \d{4}-\d\d-\d\d .*\n?", re.MULTILINE)
PROGRESS = "<progress "  # how fast that machine went
# An explorer that needs a kernel has a number that differs at each run; here it is still, or computes.
STYLE, SCRIPT = (
    re.compile(r"<style>.*?</style>\s*", re.DOTALL),
    re.compile(r"<script>.*?</script>", re.DOTALL),
)
STILL = re.compile(r"\bheadstart-[0-9a-f]{32}(-still)?\b")
WRITE = (
    "*In the notebook, write your answer here: then it shows a model answer, and what earns points in it.*"
)
LIVE = 'class="headstart-live"'  # an explorer that computes in the page: it is one piece of HTML
DATA = "const data = "
LARGE = 10_000  # characters of a value: it gets a file of its own, since several explorers may have it


def page(lesson: str, ran: NotebookNode, specs: Mapping[str, Exercise], figures: Path) -> NotebookNode:
    """A lesson's page, as a notebook for Sphinx that isn't run again.

    Args:
        lesson: its name.
        ran: the instructor's notebook, executed.
        specs: its exercises, by id.
        figures: the folder that receives its pictures.
    """
    released = nbformat.read(lessons.release_path(lesson), as_version=4).cells
    checks = json.loads(lessons.release_path(lesson).with_name("checks.json").read_text(encoding="utf-8"))
    sheets = {id: Sheet.from_json(sheet) for id, sheet in checks.items()}
    cells: list[NotebookNode] = []
    for cell, done in zip(released, ran.cells, strict=True):
        cells += _shown(cell, done, specs, sheets, figures)
    cells.insert(1, v4.new_markdown_cell(_downloads(lesson)))
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    return v4.new_notebook(cells=cells, metadata={"kernelspec": ran.metadata.kernelspec})


def outputs_of(call: str, ran: NotebookNode, figures: Path) -> str:
    """What the cell that makes a call displays, as HTML."""
    [cell] = [cell for cell in ran.cells if cell.cell_type == "code" and call in cell.source]
    return "".join(output.data.get("text/html", "") for output in _outputs(cell, figures) if "data" in output)


def _downloads(lesson: str) -> str:
    alone = f'<a href="downloads/{lesson}.ipynb" download>the notebook alone</a>'
    whole = f'<a href="downloads/{lesson}.zip" download>the lesson as a zip</a>, with all it needs'
    return f'<p class="hs-downloads">Do it yourself: {whole}, or {alone}.</p>'


def _shown(
    cell: NotebookNode,
    done: NotebookNode,
    specs: Mapping[str, Exercise],
    sheets: Mapping[str, Sheet],
    figures: Path,
) -> Iterator[NotebookNode]:
    """What the website shows of one cell."""
    kind, id = lessons.kind(cell), lessons.exercise_of(cell)
    if kind in ("setup", "bundle") or cell.id.endswith("-model-answer"):
        return
    if kind == "prose":
        yield v4.new_markdown_cell(_prose(cell.source))
    elif kind == "written":
        yield v4.new_markdown_cell(WRITE)
    elif kind == "predict":
        yield _html(answers.prediction(id, predictions(id.partition(".")[0])[id]))
    elif kind == "exercise" and specs[id].driver == "choice":
        yield _html(answers.choices(specs[id], sheets[id]))
    elif kind == "exercise":
        yield _code(cell.source)
    elif kind == "check" and specs[id].driver != "choice":
        yield _html(answers.gallery(specs[id], sheets[id]))
    elif kind in ("given", "draw"):
        outputs = [] if any(call in cell.source for call in PERSONAL) else _outputs(done, figures)
        folded = kind == "draw" and cell.metadata.get("jupyter", {}).get("source_hidden")
        waits = (id.replace(".", "-") for id in WAITS.findall(cell.source))
        tags = ["remove-input"] * bool(folded) + [f"waits-{id}" for id in waits]
        if outputs or not folded:
            yield _code(cell.source, outputs, tags)


def _code(
    source: str, outputs: list[NotebookNode] | None = None, tags: list[str] | None = None
) -> NotebookNode:
    return v4.new_code_cell(source, outputs=outputs or [], metadata={"tags": tags or []})


def _html(text: str) -> NotebookNode:
    """HTML as an output: unlike in a text, it may have anything in it. Sphinx skips a cell without code."""
    return _code("...", [v4.new_output("display_data", {"text/html": text})], ["remove-input"])


def _prose(text: str) -> str:
    """A text in which MyST finds no comments, and whose folded hints have their formulas marked.

    Nothing within HTML is read as Markdown.
    """
    return DETAILS.sub(lambda found: FORMULA.sub(_inline, found[0]), COMMENT.sub(r"\1\\%", text))


def _inline(found: re.Match[str]) -> str:
    return f'<span class="math">\\({html.escape(found[1])}\\)</span>'


def _outputs(done: NotebookNode, figures: Path) -> list[NotebookNode]:
    """A cell's outputs, with pictures in files of their own, and without what needs a kernel."""
    kept: list[NotebookNode] = []
    for output in done.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            if kept and kept[-1].output_type == "stream":  # printed in several pieces
                kept[-1].text += output.text
            else:
                kept.append(v4.new_output("stream", name="stdout", text=output.text))
            kept[-1].text = WHEN.sub("", kept[-1].text)
        data = output.get("data", {})
        if PROGRESS in data.get("text/html", ""):
            continue
        if "text/html" in data:
            kept.append(v4.new_output("display_data", {"text/html": _lasting(data["text/html"], figures)}))
        elif text := data.get("text/markdown") or data.get("text/plain"):
            name = "text/markdown" if "text/markdown" in data else "text/plain"
            shown = _prose(text) if name == "text/markdown" else text
            kept.append(v4.new_output("display_data", {name: shown}))
    return [output for output in kept if output.get("text") != ""]


def _lasting(page: str, figures: Path) -> str:
    """What an output shows as HTML where there is no kernel: a live module, or a still picture."""
    if LIVE in page:
        alike = _with_large_values_apart(STILL.sub(r"headstart-view\1", page), figures)
        return FIGURE.sub(lambda found: _in_a_file(found, figures), alike)
    still = STILL.sub("still", SCRIPT.sub("", STYLE.sub("", page)))
    return FIGURE.sub(lambda found: _in_a_file(found, figures), still)


def _with_large_values_apart(page: str, figures: Path) -> str:
    """An explorer whose large values, such as a model's weights, are in files that several can load.

    A script of the old kind is loaded from a disk as well, and before the one that needs it.
    """
    start = page.index(DATA) + len(DATA)
    data, end = json.JSONDecoder().raw_decode(page, start)
    scripts, written = "", []
    for name, value in data.items():
        text = _script_json(value)
        if len(text) > LARGE:
            key = hashlib.sha256(text.encode()).hexdigest()[:16]
            text, content = f'headstart["{key}"]', f'(self.headstart ??= {{}})["{key}"] = {text}'
            write_whole(figures / f"{key}.js", content.encode())
            scripts += f'<script src="figures/{key}.js"></script>'
        written.append(f"{_script_json(name)}:{text}")
    return f"{scripts}{page[:start]}{{{','.join(written)}}}{page[end:]}"


def _script_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":")).replace("<", r"\u003c")  # "<" could end the script


def _numbered(svg: bytes) -> bytes:
    """A picture whose clips are numbered: in Matplotlib's names for them, the last bit of rounding shows."""
    known: dict[bytes, bytes] = {}
    return CLIP.sub(lambda found: known.setdefault(found[0], b"clip%d" % len(known)), svg)


def _in_a_file(found: re.Match[str], figures: Path) -> str:
    content = _numbered(base64.b64decode(found[2])) if found[1] == "svg+xml" else base64.b64decode(found[2])
    name = f"{hashlib.sha256(content).hexdigest()[:16]}.{found[1].partition('+')[0]}"
    if not (figures / name).is_file():
        write_whole(figures / name, content)
    return f'loading="lazy" src="figures/{name}"'
