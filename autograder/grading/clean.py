"""What a student's work may put into a page that others open.

Formgrader and feedback show a notebook's HTML as it is, on the instructor's own server. So everything that
comes from a student, outputs and text, loses whatever a browser could run. What becomes of formulas, and that
nothing is drawn over what is around it, is up to the pages (see `pages`).
"""

import html
import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from typing import Any

import nh3
from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograder.limits import (
    COLOUR_COST,
    MAX_ADDED,
    MAX_CODE,
    MAX_COLOURS,
    MAX_COPIED,
    MAX_FORMULAS,
    MAX_HTML,
    MAX_SEARCHED,
    MAX_TAG_DEPTH,
    MAX_TAGS,
    MAX_WORDS,
    OUTPUT_COST,
)
from helpers.storage import printable

TAGS = {
    "b", "blockquote", "br", "code", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img",
    "li", "ol", "p", "pre", "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot",
    "th", "thead", "tr", "u", "ul",
}  # fmt: skip
ATTRIBUTES = {"*": {"style", "role"}, "img": {"src", "alt", "width", "height"}, "td": {"colspan", "rowspan"}}
STYLES = {
    "background-color", "border", "border-bottom", "border-collapse", "border-color", "border-left",
    "border-radius", "border-right", "border-spacing", "border-style", "border-top", "border-width", "color",
    "display", "float", "font", "font-family", "font-size", "font-style", "font-weight", "height",
    "letter-spacing", "line-height", "margin", "margin-bottom", "margin-left", "margin-right", "margin-top",
    "max-height", "max-width", "min-height", "min-width", "opacity", "overflow", "padding", "padding-bottom",
    "padding-left", "padding-right", "padding-top", "text-align", "text-decoration", "text-indent",
    "vertical-align", "white-space", "width", "word-spacing",
}  # fmt: skip
IMAGES = ("image/png", "image/jpeg")  # base64; SVG can hold scripts
SOURCES = tuple(f"data:{kind};" for kind in IMAGES)
COLOUR = re.compile(r"\x1b(?:\[.*?[@-~])?")  # an escape alone, too: two halves could meet around one
_cleaner = nh3.Cleaner(
    # defence: clean: tags
    tags=TAGS,
    attributes=ATTRIBUTES,
    # defence: clean: pictures in pages
    attribute_filter=lambda tag, name, value: value if name != "src" or value.startswith(SOURCES) else None,
    # defence: clean: styles
    filter_style_properties=STYLES,
    url_schemes={"data"},
    link_rel=None,
)


def clean_outputs(raw: Any) -> list[dict]:
    """Outputs of a child as nbformat states them, and nothing else.

    Args:
        raw: what a child said its cell displayed. It may be anything.
    """
    outputs = [output for output in raw if isinstance(output, dict)] if isinstance(raw, list) else []
    pages = "".join(map(_page, outputs))
    # defence: clean: size of pages
    with_html = len(pages) <= MAX_HTML and pages.count("<") <= MAX_TAGS
    texts = [text for output in outputs for text in _texts(output)]
    colours = sum(text.count("\x1b[") for text in texts)
    # defence: clean: colours
    with_colours = colours <= MAX_COLOURS and colours * sum(map(len, texts)) <= MAX_COPIED

    def text(value: Any) -> str:
        shown = printable(value) if isinstance(value, str) else ""
        return shown if with_colours else COLOUR.sub("", shown)

    return [cleaned for output in outputs if (cleaned := _clean_output(output, text, with_html))]


def page_characters(outputs: list[dict]) -> int:
    """How many characters outputs take in a page, at most: signs become words there, and colours tags."""
    text = json.dumps(outputs)
    # defence: clean: what outputs take in a page
    return len(html.escape(text)) + text.count("\\u001b") * COLOUR_COST + len(outputs) * OUTPUT_COST


def _texts(output: dict) -> Iterator[str]:
    data, lines = output.get("data"), output.get("traceback")
    plain = data.get("text/plain") if isinstance(data, dict) else None
    lines = lines if isinstance(lines, list) else []
    return (text for text in (output.get("text"), plain, *lines) if isinstance(text, str))


def _page(output: dict) -> str:
    data = output.get("data")
    page = data.get("text/html") if isinstance(data, dict) else None
    return page if isinstance(page, str) else ""


def _clean_output(output: dict, text: Callable[[Any], str], with_html: bool) -> dict | None:
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": text(output.get("text"))}
    if kind == "error":
        lines = output.get("traceback")
        trace = [text(line) for line in lines] if isinstance(lines, list) else []
        return {
            "output_type": kind,
            "ename": text(output.get("ename")),
            "evalue": text(output.get("evalue")),
            "traceback": trace,
        }
    if kind not in ("display_data", "execute_result") or not isinstance(output.get("data"), dict):
        return None
    cleaned = {"output_type": kind, "data": _clean_data(output["data"], text, with_html), "metadata": {}}
    if kind == "execute_result":
        count = output.get("execution_count")
        # defence: clean: counts
        cleaned["execution_count"] = count if type(count) is int and count >= 0 else None
    return cleaned


def _clean_data(data: dict, text: Callable[[Any], str], with_html: bool) -> dict[str, str]:
    """The forms of one display that can't run anything: text, pictures, and HTML without scripts."""
    kept = {}
    for mime, value in data.items():
        if not isinstance(value, str):
            continue
        if mime == "text/plain":
            kept[mime] = text(value)
        elif mime == "text/html" and with_html:
            page = _cleaner.clean(printable(value))
            # defence: clean: depth of pages
            if _depth(page) <= MAX_TAG_DEPTH:  # and let nothing of it cover what is around it
                # defence: clean: pages stay in their place
                kept[mime] = f'<div style="overflow:auto">{page}</div>'
        # defence: clean: displays
        elif mime in IMAGES and re.fullmatch(r"[A-Za-z0-9+/=\s]*", value):
            kept[mime] = value
    return kept


class _Depth(HTMLParser):
    depth = most = 0

    def handle_starttag(self, tag: str, attributes: list) -> None:
        self.depth += tag not in ("br", "hr", "img")
        self.most = max(self.most, self.depth)

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag not in ("br", "hr", "img")


def _depth(page: str) -> int:
    """How deep the tags of clean HTML are nested."""
    parser = _Depth()
    parser.feed(page)
    return parser.most


# A file beside the notebook, and nothing above or beside its folder: the server's own pages are there.
# (Of what begins with files/, nbconvert takes that away, and the rest may begin with a slash.)
# defence: clean: files
FILE = r"(?!/|files/)(?:(?!\.\.|%2[eE])[\w./%-])+"
OURS = r"attachment:picture-\d+\.(?:png|jpg)"  # what `pictures` has made anew
LINK, PICTURE = rf"https?://.*|#.*|{FILE}", rf"{FILE}\.(?i:png|jpe?g|gif|webp)|{OURS}"
WORDS = (
    # defence: clean: characters by number
    (r"&(?=#|\w+;)", "&amp;"),  # characters by number, which would slip past what follows
    # defence: clean: tags in text
    (r"<(?=[A-Za-z/!?])", "< "),  # so that it is no tag, and a formula is the same formula
    # defence: clean: links
    (rf"\](?=\((?!https?://|#|(?:{FILE}|{OURS})\))|:)", "] "),  # links that may run code
    # Pictures load by themselves: one from elsewhere would tell who looks at it, and when. In code and
    # formulas, and behind a backslash, a bracket ends nothing.
    # defence: clean: pictures
    (rf"!(?=\[)(?!\[[^][\\`$]*\]\((?:{PICTURE})\))", "! "),
)
FORMULA = re.compile(r"\$|\\\\[\[(]|\\begin\{")
# A run of one character, for which nbconvert's colouring can take the square of its length.
RUN = re.compile(r"\s{200}|([^\w\s])\1{199}")
# By these, it would colour what follows in another language, whose lexer may take longer still.
MAGIC = re.compile(r"%%(?!(?:time|timeit|capture)\b)(?=[A-Za-z!])")
FENCE = re.compile(r"^([ \t>*+\d.)-]*(?:`{3,}(?=[^`\n]*$)|~{3,})).*$", re.MULTILINE)  # with its language


def leave_out(cell: NotebookNode) -> None:
    """Show no more of a cell than that there is one: each takes its time to draw."""
    sign = "# " if cell.cell_type == "code" else ""
    cell.source = f"{sign}Not shown: this and the cells before hold over {MAX_ADDED:,} characters."


def clean_words(cell: NotebookNode) -> None:
    """Make a student's markdown harmless: tags, and links but to files and the web, are shown as text.

    It reads the text alone. What Markdown takes for a link after all is up to the pages (see `pages`).
    """
    # defence: clean: length of text
    if len(cell.source) > MAX_WORDS:
        cell.source = f"{cell.source[:MAX_WORDS]} … (cut: {len(cell.source):,} characters)"
    for pattern, shown in WORDS:
        cell.source = re.sub(pattern, shown, cell.source)
    signs = len(FORMULA.findall(cell.source))
    # defence: clean: formulas
    if signs > MAX_FORMULAS or signs * len(cell.source) > MAX_SEARCHED:
        cell.source = FORMULA.sub("formula ", cell.source)
    # defence: clean: code in text
    cell.source = FENCE.sub(r"\1", cell.source)
    # defence: clean: attachments
    cell.pop("attachments", None)


def clean_code(cell: NotebookNode) -> None:
    """Show code that would take long to colour as text, below its cell."""
    # defence: clean: code that takes long
    long = len(cell.source) > MAX_CODE or RUN.search(cell.source)
    # defence: clean: other languages
    if long or MAGIC.search(cell.source):
        why = "it is too long to highlight, or repeats one character" if long else "it may not be Python"
        cell.outputs = [new_output("stream", text=cell.source), *cell.outputs]
        cell.source = f"# The code is below, as text: {why}."
