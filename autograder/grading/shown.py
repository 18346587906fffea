"""Where a student's text shows a picture: in each of the ways that Markdown has, and in its HTML.

The text may be anything, so every expression here takes time in proportion to it.
"""

import functools
import hashlib
import html
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote

_LABEL = r"(?:\\.|[^\[\]\\\n]|\[[^\[\]\n]{0,100}\]){0,300}"
_SPACE = r"\s{0,20}+"  # and never fewer than there are, or the time would grow with their square
_TITLE = r"""(?:\s{1,20}+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?"""
_MARKDOWN = (
    rf"!\[(?P<label>{_LABEL})\]"
    rf"(?:\({_SPACE}(?:<(?P<angled>[^<>\n]{{0,2000}})>|(?P<plain>(?!<)(?:[^()\n]|\([^()\n]{{0,200}}\)){{0,2000}}?))"
    rf"{_TITLE}{_SPACE}\)|\[(?P<reference>[^\[\]\n]{{0,300}})\])?"
)
_HTML = r"""(?P<tag><(?i:img)\b(?:[^<>"']|"[^"<>]*"|'[^'<>]*')*>)"""
_SHOWN = re.compile(f"{_MARKDOWN}|{_HTML}")
_DEFINED = re.compile(rf"^ {{0,3}}\[([^\[\]\n]{{1,300}})\]:[ \t]*(?:<([^<>\n]*)>|(\S+)){_TITLE}[ \t]*$", re.M)
_ATTRIBUTE = r"""(?<![\w-])(?i:{})\s{{0,20}}+=\s{{0,20}}+(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"""
_SRC, _ALT = (re.compile(_ATTRIBUTE.format(name)) for name in ("src", "alt"))
_URL = r"data:(image/[\w.+-]{1,40})(?:;[\w=.+-]{1,40}){0,3};base64,"
_DATA = re.compile(rf"(?<=[\"']){_URL}([\w+/=%\s-]*)(?=[\"'])|(?<=[(<\s]){_URL}([\w+/=%-]*)")


def lifted(text: str) -> tuple[str, dict[str, dict[str, str]]]:
    """Text with the pictures that are written into it as `data:` taken out, and these as attachments.

    Colab writes a pasted picture so. It isn't text: no limit for text is meant for it.
    """
    pictures: dict[str, dict[str, str]] = {}

    def lift(found: re.Match) -> str:
        kind, data = (found[1] or found[3]).lower(), unquote(found[2] or found[4] or "")
        # By the content: a cell with nothing but a picture is known by its text.
        name = f"pasted-{hashlib.sha256(data.encode()).hexdigest()[:8]}"
        pictures[name] = {"image/jpeg" if kind == "image/jpg" else kind: data}
        return f"attachment:{name}"

    return (_DATA.sub(lift, text) if "data:image/" in text else text), pictures


@functools.lru_cache(4096)
def as_given(text: str) -> str:
    """A text of the lesson's as it is compared with a student's. Every submission needs it again."""
    return lifted(text)[0]


@dataclass(frozen=True)
class Shown:
    """A text taken apart at its pictures.

    Attributes:
        between: the text before, between and after them.
        pictures: each as its description, and where the text says that it is.
        defined: the names of those that say it elsewhere in the text.
    """

    between: tuple[str, ...]
    pictures: tuple[tuple[str, str], ...]
    defined: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "Shown":
        """Take some Markdown apart."""
        defined = {name.casefold(): angled or plain for name, angled, plain in _DEFINED.findall(text)}
        between, pictures, names, last = [], [], set(), 0
        for found in _SHOWN.finditer(text):
            name, label, target = _picture(found)
            if target is None:
                if name not in defined:
                    continue
                names.add(name)
                target = defined[name]
            between.append(text[last : found.start()])
            pictures.append((label, target.strip()))
            last = found.end()
        return cls((*between, text[last:]), tuple(pictures), frozenset(names))

    def with_each(self, replacements: Sequence[str]) -> str:
        """The text with something else in the place of each picture, and without where it defines them."""
        pairs = zip(self.between, (*replacements, ""), strict=True)
        text = "".join(itertools.chain.from_iterable(pairs))
        if not self.defined:
            return text
        return _DEFINED.sub(lambda found: "" if found[1].casefold() in self.defined else found[0], text)


def _picture(found: re.Match) -> tuple[str, str, str | None]:
    """A picture's name, where that is defined elsewhere, its description, and where it is, if it says so."""
    if found["tag"]:
        return "", _attribute(_ALT, found["tag"]), _attribute(_SRC, found["tag"])
    target = found["plain"] if found["angled"] is None else found["angled"]
    return (found["reference"] or found["label"]).casefold(), found["label"], target


def _attribute(pattern: re.Pattern[str], tag: str) -> str:
    found = pattern.search(tag)
    return html.unescape(next(filter(None, found.groups()), "")).strip() if found else ""
