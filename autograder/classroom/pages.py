"""How graded notebooks look in formgrader and in feedback.

Formulas are turned into MathML, which browsers draw themselves. MathJax would come from the network, and with
it a formula can be drawn over what is around it. (JupyterLab's MathJax is part of its own bundle, and npm's
would need npm on every teacher's machine.) The template in `templates/` keeps each cell in its box.

The pages are nbgrader's own, changed by nbconvert's own means: a filter, and a template under the name that
all of them include in their head.
"""

import functools
import html
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbgrader
import nh3
from bs4 import BeautifulSoup
from jinja2 import BytecodeCache, Environment, pass_context
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from latex2mathml.converter import convert
from nbconvert.exporters import HTMLExporter, TemplateExporter
from nbconvert.filters import Highlight2HTML
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.filters.widgetsdatatypefilter import WidgetsDataTypeFilter
from nbformat import NotebookNode
from traitlets import Bool

from autograder.grading.clean import LINK, PICTURE

# Where nbconvert looks for templates: those that are ours first.
TEMPLATES = [
    str(Path(__file__).parent / "templates"),
    str(Path(nbgrader.__file__).parent / "server_extensions/formgrader/templates"),
]
# Without those that move or cover things: voffset, and the sizes of mpadded, which `\raise` and `\smash` use.
PARTS = {
    "math", "menclose", "mfrac", "mi", "mmultiscripts", "mn", "mo", "mover", "mpadded", "mphantom",
    "mprescripts", "mroot", "mrow", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd",
    "mtext", "mtr", "munder", "munderover", "none",
}  # fmt: skip
ATTRIBUTES = {
    "*": {
        "accent", "accentunder", "columnalign", "columnspacing", "display", "displaystyle", "fence", "form",
        "largeop", "linethickness", "mathcolor", "mathvariant", "maxsize", "minsize",
        "movablelimits", "notation", "rowspacing", "scriptlevel", "separator", "stretchy",
        "symmetric",
    },
    "mo": {"lspace", "rspace"},
    # defence: pages: nothing that moves a formula
    "mspace": {"width"},
}  # fmt: skip
IN_HTML = re.compile(r"(<(?:code|pre)\b.*?</(?:code|pre)>)|\$([^$\n]+)\$", re.DOTALL)
UNDESCRIBED = re.compile(r"<img(?![^>]*\salt=)")
KEPT = 1000  # texts, and cells of code: a lesson has about a hundred
_cleaner = nh3.Cleaner(tags=PARTS, attributes=ATTRIBUTES)


def mathml(formula: str, display: str) -> str:
    """A formula as MathML, or as it was typed where it can't be read.

    Args:
        formula: in TeX, without its dollar signs. It may be anything.
        display: "inline" or "block".
    """
    try:
        # These are the ones that it doesn't know by their names in a formula.
        known = formula.replace("{aligned}", "{align*}").replace("{gathered}", "{align*}")
        # defence: pages: no part of a formula but those that are known
        return _cleaner.clean(convert(known, display=display))
    except Exception:  # of a formula that somebody typed, and a deep one ends with a RecursionError
        return f"<code>{html.escape(formula)}</code>"


class _Renderer(IPythonRenderer):
    """nbconvert's, but for formulas."""

    def inline_math(self, body: str) -> str:
        return mathml(body, "inline")

    def block_math(self, body: str) -> str:
        return mathml(body, "block")

    def latex_environment(self, name: str, body: str) -> str:
        return mathml(f"\\begin{{{name}}}{body}\\end{{{name}}}", "block")


class _Ours(_Renderer):
    """For the course's own text, whose hints are HTML with formulas, as JupyterLab draws them too."""

    def block_html(self, html: str) -> str:
        return super().block_html(_with_formulas(html))


def _with_formulas(page: str) -> str:
    """HTML with formulas as MathML, but for those in code."""
    return IN_HTML.sub(lambda found: found[1] or mathml(html.unescape(found[2]), "inline"), page)


class _Theirs(_Renderer):
    """For what a student wrote: no links and pictures but those of `clean`, and code in no language.

    Brackets in code, in formulas and behind a backslash make others of them than can be read off the text.
    And headings get no ids: one could have that of a check, where links lead and formgrader looks for the
    field for points.
    """

    def link(self, text: str, url: str, title: str | None = None) -> str:
        # defence: pages: links as Markdown reads them
        return super().link(text, url, title) if re.fullmatch(LINK, url) else text

    def image(self, text: str, url: str, title: str | None = None) -> str:
        # defence: pages: pictures as Markdown reads them
        shown = re.fullmatch(PICTURE, url) and url.removeprefix("attachment:") in {url, *self.attachments}
        return super().image(text, url, title) if shown else text

    def block_code(self, code: str, info: str | None = None) -> str:
        # defence: pages: code of a student's in no language
        return super().block_code(code)


def is_students(cell: Mapping) -> bool:
    """Whether a student wrote in a cell: they added it, it is an answer, or it has names of theirs in it."""
    known = cell.get("metadata", {})
    # defence: pages: remarks have names of a student's in them
    return bool({"added", "remarks"} & {*known.get("headstart", {})}) or known.get("nbgrader", {}).get(
        "solution", False
    )


@pass_context
def words(context: Context, source: str) -> str:
    """Text as HTML, in the place of nbconvert's own filter `markdown2html`."""
    cell = context.get("cell", {})
    attachments = cell.get("attachments", {})
    theirs = is_students(cell)
    return rendered(source, theirs, attachments) if theirs or attachments else _course_text(source)


@functools.lru_cache(KEPT)
def _course_text(source: str) -> str:
    return rendered(source, theirs=False)


def rendered(source: str, theirs: bool, attachments: dict[str, dict[str, str]] | None = None) -> str:
    """Markdown as HTML, formulas as MathML.

    Args:
        source: the text.
        theirs: whether a student wrote it.
        attachments: its pictures in base64, by name and type.
    """
    kind = _Theirs if theirs else _Ours
    # defence: pages: no ids for a student's headings
    renderer = kind(escape=False, attachments=attachments or {}, exclude_anchor_links=theirs)
    return MarkdownWithMath(renderer=renderer).render(source)


class _Compiled(BytecodeCache):
    """Keeps compiled templates, which nbconvert compiles anew for each page."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self.kept:
            bucket.bytecode_from_string(self.kept[bucket.key])  # unless the template has changed

    def dump_bytecode(self, bucket: Bucket) -> None:
        self.kept[bucket.key] = bucket.bytecode_to_string()


_compiled = _Compiled()


class _Highlight(Highlight2HTML):
    """nbconvert's, but the same code is coloured once."""

    def __call__(self, source: str, language: str | None = None, metadata: Mapping | None = None) -> str:
        if language or "magics_language" in (metadata or {}) or self.extra_formatter_options:
            return super().__call__(source, language, metadata)
        return _coloured(source, self.pygments_lexer)


@functools.lru_cache(KEPT)
def _coloured(source: str, lexer: str | None) -> str:
    return Highlight2HTML(pygments_lexer=lexer)(source)


class FeedbackExporter(HTMLExporter):
    """nbconvert's HTML exporter, in a tenth of the time.

    What many pages share is made once per process: compiled templates, the course's texts and its coloured
    code. nbconvert parses each finished page again, to find pictures without a description; here that is done
    only for a page that may have one.
    """

    optimistic_validation = Bool(True).tag(config=True)  # at the end, not after each step

    def _create_environment(self) -> Environment:
        environment = super()._create_environment()
        environment.bytecode_cache = _compiled
        return environment

    def from_notebook_node(  # type: ignore[override]  # as nbconvert's own
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        """Turn a notebook into a page, as nbconvert does."""
        about = nb.metadata.get("language_info", {})
        lexer = about.get("pygments_lexer", about.get("name"))
        self.register_filter("highlight_code", _Highlight(pygments_lexer=lexer, parent=self))
        self.register_filter("filter_data_type", WidgetsDataTypeFilter(self._nb_metadata, parent=self))
        page, resources = TemplateExporter.from_notebook_node(self, nb, resources, **kw)
        return (_described(page) if UNDESCRIBED.search(page) else page), resources


def _described(page: str) -> str:
    """Give pictures without a description nbconvert's own, which says just that."""
    soup = BeautifulSoup(page, "html.parser")
    for picture in soup.select("img:not([alt])"):
        picture["alt"] = "No description has been provided for this image"
    return str(soup)
