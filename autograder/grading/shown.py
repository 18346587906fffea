"""Where a student's text shows a picture: in each of the ways that Markdown has, and in its HTML.

The text may be anything, so every expression here takes time in proportion to it.
"""

import hashlib
import html
import re
from collections.abc import Callable
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


def replaced(text: str, replacement: Callable[[str, str], str]) -> str:
    """Text with something else in the place of each picture.

    Args:
        text: Markdown.
        replacement: what takes a picture's place, by its description and by where it says that it is.
    """
    defined = {name.casefold(): angled or plain for name, angled, plain in _DEFINED.findall(text)}
    used = set()

    def replace(found: re.Match) -> str:
        if found["tag"]:
            return replacement(_attribute(_ALT, found["tag"]), _attribute(_SRC, found["tag"]))
        target = found["plain"] if found["angled"] is None else found["angled"]
        if target is None:
            name = (found["reference"] or found["label"]).casefold()
            if name not in defined:
                return found[0]
            used.add(name)
            target = defined[name]
        return replacement(found["label"], target.strip())

    text = _SHOWN.sub(replace, text)
    return _DEFINED.sub(lambda found: "" if found[1].casefold() in used else found[0], text) if used else text


def targets(text: str) -> list[str]:
    """Where the pictures of a text are, as it says."""
    found: list[str] = []
    replaced(text, lambda _, target: found.append(target) or "")  # type: ignore[func-returns-value]
    return found


def _attribute(pattern: re.Pattern[str], tag: str) -> str:
    found = pattern.search(tag)
    return html.unescape(next(filter(None, found.groups()), "")).strip() if found else ""
