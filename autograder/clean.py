"""What of a student's may stand in a page that others open.

Formgrader and feedback show a notebook's HTML as it is, on the instructor's own server. So whatever comes
from a student, outputs and words, loses all that a browser could run.
"""

import re
from typing import Any

import bleach
from bleach.css_sanitizer import CSSSanitizer
from nbformat import NotebookNode

from helpers.values import printable

TAGS = {
    "b", "blockquote", "br", "code", "div", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "img",
    "li", "ol", "p", "pre", "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot",
    "th", "thead", "tr", "u", "ul",
}  # fmt: skip
ATTRIBUTES = {"*": ["style", "role"], "img": ["src", "alt", "width", "height"], "td": ["colspan", "rowspan"]}
IMAGES = ("image/png", "image/jpeg")  # base64; SVG can hold scripts
_cleaner = bleach.Cleaner(TAGS, ATTRIBUTES, protocols=["data"], strip=True, css_sanitizer=CSSSanitizer())


def clean_outputs(raw: Any) -> list[dict]:
    """Outputs of a child as nbformat states them, and nothing else.

    Args:
        raw: what a child said its cell displayed. It may be anything.
    """
    outputs = raw if isinstance(raw, list) else []
    return [cleaned for output in outputs if isinstance(output, dict) and (cleaned := _clean_output(output))]


def _clean_output(output: dict) -> dict | None:
    kind = output.get("output_type")
    if kind == "stream":
        name = "stderr" if output.get("name") == "stderr" else "stdout"
        return {"output_type": kind, "name": name, "text": printable(str(output.get("text")))}
    if kind == "error":
        lines = output.get("traceback")
        trace = [printable(str(line)) for line in lines] if isinstance(lines, list) else []
        return {
            "output_type": kind,
            "ename": printable(str(output.get("ename"))),
            "evalue": printable(str(output.get("evalue"))),
            "traceback": trace,
        }
    if kind not in ("display_data", "execute_result") or not isinstance(output.get("data"), dict):
        return None
    cleaned = {"output_type": kind, "data": clean_data(output["data"]), "metadata": {}}
    if kind == "execute_result":
        count = output.get("execution_count")
        cleaned["execution_count"] = count if type(count) is int else None
    return cleaned


def clean_data(data: dict) -> dict[str, str]:
    """The forms of one display that can't run anything: text, pictures, and HTML without scripts."""
    kept = {}
    for mime, value in data.items():
        if not isinstance(value, str):
            continue
        if mime == "text/plain":
            kept[mime] = printable(value)
        elif mime == "text/html":
            kept[mime] = _cleaner.clean(printable(value))
        elif mime in IMAGES and re.fullmatch(r"[A-Za-z0-9+/=\s]*", value):
            kept[mime] = value
    return kept


def clean_words(cell: NotebookNode) -> None:
    """Make a student's markdown harmless: tags in it are shown as text. Markdown itself needs none."""
    cell.source = re.sub(r"<(?=[A-Za-z/!?])", "&lt;", cell.source)
    cell.pop("attachments", None)
