"""Characters that Python refuses and a reader can't tell from others, read as what they look like.

They come with text copied from a page, a PDF or a word processor: blanks of other widths, characters that
aren't shown, curly quotes. Only code that Python can't read is changed, and only if it can be read then. What
stands in a text or a comment stays.
"""

import ast
import functools
import re
import unicodedata
import warnings
from dataclasses import dataclass

from helpers.checking.limits import MAX_SOURCE

DOUBLE, SINGLE = "“”„‟", "‘’‚‛"
ALIKE = {
    **dict.fromkeys(DOUBLE, '"'),
    **dict.fromkeys(SINGLE, "'"),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),  # hyphens, the en dash, the minus sign
    **dict.fromkeys("\u2028\u2029", "\n"),
    "…": "...",
    **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},  # of full width, as in （x，y）
}
# They turn the direction of what follows: code with them isn't what it looks like.
TURNING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
PIECES = re.compile(
    r"""(?P<kept> \#[^\n]* | '{3}(?:\\.|[^\\])*?'{3} | "{3}(?:\\.|[^\\])*?"{3}
        | '(?:\\.|[^\\'\n])*' | "(?:\\.|[^\\"\n])*" )"""
    rf"""| [{DOUBLE}](?P<double>[^{DOUBLE}"\n]*)[{DOUBLE}]
         | [{SINGLE}](?P<single>[^{SINGLE}'\n]*)[{SINGLE}] | [^\x00-\x7f]""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class Reading:
    """A cell's code as it is read, and what was said of it: "" where it is as it was written."""

    source: str
    remark: str = ""


@functools.lru_cache(maxsize=2000)
def as_it_looks(source: str) -> Reading:
    """Python code as its reader sees it, unless it can be read as it is, or in neither way."""
    if source.isascii() or len(source) > MAX_SOURCE or _is_code(source):
        return Reading(source)
    found: dict[str, None] = {}

    def looks(match: re.Match) -> str:
        if match["kept"]:
            return match[0]
        quoted = match["double"] if match["double"] is not None else match["single"]
        ends = match[0] if quoted is None else match[0][0] + match[0][-1]
        read = [_looks_like(each) for each in ends]
        if None in read:
            return match[0]
        found.update(dict.fromkeys(ends))
        return f"{read[0]}{quoted}{read[1]}" if quoted is not None else f"{read[0]}"

    text = PIECES.sub(looks, source)
    if text[:1] == " " != source[:1]:  # IPython has taken away what blanks it knows
        from IPython.core.inputtransformer2 import leading_indent

        text = "".join(leading_indent(text.splitlines(keepends=True)))
    if not found or not _is_code(text):
        return Reading(source)
    names = ", ".join(f"U+{ord(each):04X} ({unicodedata.name(each, 'no name').lower()})" for each in found)
    return Reading(
        text, f"Python refuses these characters, so they were read as what they look like: {names}"
    )


def _is_code(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the student's code
        try:
            compile(text, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _looks_like(character: str) -> str | None:
    """What a reader sees in its place: "" for nothing at all, None for nothing of Python's."""
    if character in ALIKE:
        return ALIKE[character]
    kind = unicodedata.category(character)
    if kind == "Zs":
        return " "
    return "" if kind == "Cf" and character not in TURNING else None
