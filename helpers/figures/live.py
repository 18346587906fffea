"""Explorers that compute in the page: a module in JavaScript and its numbers, in one piece of HTML.

They need no kernel, no package and no network, so they work in JupyterLab, Notebook 7, VS Code and Colab, in
a saved notebook, an exported one, and any web page. Where scripts are off, a picture is shown. A module
exports `{render({model, el})}`, which is what anywidget calls, too; what several share is in `live.js`.

While a kernel is there, the explorers that call a student's function are widgets. Their numbers go to the
same module's `follow(el)`, which shows them as it shows its own.
"""

import hashlib
import html
import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

IMPORT = re.compile(r'(?m)^import \{[^}]*\} from "([^"]+)";\n')
# JupyterLab runs a script before what it belongs to is in the page; other front ends, after.
PAGE = """<div class="headstart-live" data-live="{name}">{still}</div>
<script>
(async () => {{
    const data = {data}, source = {source};
    const address = URL.createObjectURL(new Blob([source], {{type: "text/javascript"}}));
    const view = (await import(address)).default;
    const find = () => document.querySelector('[data-live="{name}"]:not([data-runs])');
    for (let frame = 0; frame < 600 && !find(); frame++) await new Promise(requestAnimationFrame);
    const place = find(), el = document.createElement("div");
    if (!place) return;
    place.dataset.runs = "";
    view.render({{el, model: {{get: () => data}}}});
    place.replaceChildren(el);
{follows}}})();
</script>"""
# Beside a live widget, the same view shows the numbers that the widget's function gives.
FOLLOWS = """    const places = new Map();
    const follow = () => document.querySelectorAll(".{beside} .widget-html").forEach(widget => {{
        const numbers = widget.querySelector("[data-numbers]"), at = places.get(widget);
        if (at) at.el.hidden = !numbers;
        if (!numbers || "shown" in numbers.dataset) return;
        if (!at) {{
            const el = widget.appendChild(document.createElement("div"));
            widget.style.cssText += "flex-wrap: wrap; width: auto";
            el.style.cssText = "flex: 1 1 100%; min-width: 0";
            places.set(widget, {{el, show: view.follow(el)}});
        }}
        numbers.dataset.shown = "";
        places.get(widget).show(JSON.parse(numbers.dataset.numbers));
    }});
    const area = place.closest(".jp-OutputArea") ?? document.body;
    new MutationObserver(follow).observe(area, {{childList: true, subtree: true}});
    follow();
"""


@dataclass(frozen=True)
class Live:
    """An explorer that computes in the page.

    Attributes:
        html: all of it.
        text: what stands in its place where there is no HTML.
    """

    html: str
    text: str

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}


def live(
    module: Path, data: object, still: str, text: str = "[a picture with controls]", beside: str = ""
) -> Live:
    """An explorer that computes in the page.

    Args:
        module: its file, with a default export `{render({model, el})}`; `model.get("data")` gives the data.
        data: its numbers, as JSON can hold them.
        still: HTML to show where scripts are off.
        text: what to show where there is no HTML.
        beside: the class of a live widget, whose `shown` numbers the module's `follow(el)` shows in place.
    """
    source, numbers = bundled(module), json.dumps(data, separators=(",", ":"))
    name = hashlib.sha256(f"{source}{numbers}".encode()).hexdigest()[:16]
    # "<" would let a text in it end the script.
    quoted = {"data": numbers.replace("<", r"\u003c"), "source": json.dumps(source).replace("<", r"\u003c")}
    follows = FOLLOWS.format(beside=beside) if beside else ""
    return Live(PAGE.format(name=name, still=still, follows=follows, **quoted), text)


def shown(numbers: dict[str, object]) -> str:
    """HTML for a widget, in which a page shows numbers as the explorer's own module does.

    Args:
        numbers: what the module's view takes, as JSON can hold it. What isn't finite becomes null.
    """
    text = json.dumps(_finite(numbers), separators=(",", ":"))
    return f'<div data-numbers="{html.escape(text)}"></div>'


def _finite(value: object) -> object:
    """NaN and infinities aren't JSON."""
    if isinstance(value, dict):
        return {name: _finite(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def bundled(module: Path) -> str:
    """A module with those that it imports, as one that imports nothing."""
    return _joined(module, set())


def _joined(module: Path, before: set[Path]) -> str:
    if module in before:
        return ""
    before.add(module)
    text = module.read_text(encoding="utf-8")
    found = [_joined((module.parent / name).resolve(), before) for name in IMPORT.findall(text)]
    needs = re.sub(r"(?m)^export (?!default)", "", "".join(found))
    return needs + IMPORT.sub("", text)
