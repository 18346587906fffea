"""What all explorers share: a control's label, the words of a typed sentence, and how one is displayed."""

import functools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from helpers.figures.live import live
from helpers.figures.showing import put

if TYPE_CHECKING:
    from ipywidgets import VBox, Widget

VIEW = "application/vnd.jupyter.widget-view+json"
# The live explorer carries a class of its own, and its still picture hides wherever an element of that
# class is in the page. That holds in every front end that shows a cell's outputs in one document, whatever
# it calls the elements around them, and a page without live widgets has no such element. Beside the still
# picture, JupyterLab and Notebook 7 hide "model not found". The script gives each slider's handle its
# label, which ipywidgets leaves without a name. A slider's track is only a background, which forced colours
# take away: there it gets a border. A menu's arrow is a picture in black, which the dark theme swallows:
# there the browser draws its own. JupyterLab breaks what is printed in the middle of words, and code nowhere.
STILL = """<style>
:root:has(.{live}) .{live}-still {{ display: none }}
.jp-OutputArea-child:has(+ * .headstart-still) .jp-OutputArea-output:not(:has(*)) {{ display: none }}
@media (forced-colors: active) {{ .{live} .noUi-target {{ border: 1px solid }} }}
[data-jp-theme-light="false"] .{live} .widget-dropdown > select {{
    appearance: auto; background-image: none; color-scheme: dark }}
.jp-OutputArea .jp-RenderedText pre {{ word-break: normal; overflow-wrap: anywhere }}
.jp-RenderedHTMLCommon code {{ overflow-wrap: break-word }}
</style>
<div class="headstart-still {live}-still">{picture}</div>
<script>
(area => {{
    const name = () => area.querySelectorAll("[role=slider]:not([aria-label])").forEach(handle => {{
        const label = handle.closest(".widget-inline-hbox")?.querySelector("label");
        if (label) handle.setAttribute("aria-label", label.textContent);
    }});
    new MutationObserver(name).observe(area, {{childList: true, subtree: true}});
    name();
}})(document.currentScript?.closest(".jp-OutputArea") ?? document.body);
</script>"""

MOVE = "\n<p><i>Run the notebook to move its controls.</i></p>"


def labelled(name: str) -> dict:
    """A control's label, the same as its tooltip, and its width."""
    width = {"style": {"description_width": "100px"}, "layout": {"width": "min(560px, 95%)"}}
    return {"description": name, **tooltip(name), **width}


def tooltip(text: str) -> dict[str, str]:
    """A control's tooltip, under the name that the installed ipywidgets has for it."""
    import ipywidgets as w

    # Before version 8, only buttons have a `tooltip`.
    return {"tooltip" if hasattr(w.DOMWidget, "tooltip") else "description_tooltip": text}


def tokens_of(sentence: str) -> list[str]:
    """The words of a sentence, in lower case."""
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)?", sentence.lower())


def explorer(
    children: "Sequence[Widget]",
    still: str = "",
    text: str = "[a picture with controls]",
    module: Path | None = None,
    data: object = None,
    above: str = "",
) -> "VBox":
    """Controls and pictures, one below the other.

    A notebook that is opened again or exported has no live widgets.

    Args:
        children: the controls and pictures.
        still: the HTML to show then; by default, the pictures as they were first.
        text: the same for where there is no HTML.
        module: what computes the same in the page, without a kernel, and while there is one shows the
            numbers of a child's `shown`; see `live`.
        data: its numbers.
        above: HTML to show above it.
    """
    made = _explorer_class()(children)
    made.still, made.text, made.module, made.data, made.above = still, text, module, data, above
    return made


@functools.cache
def _explorer_class() -> "type[VBox]":
    import ipywidgets as w

    class Explorer(w.VBox):
        still = text = above = ""
        module: Path | None = None
        data: object = None

        def _ipython_display_(self, **_: object) -> None:
            from IPython.display import display

            # From what ipywidgets documents: how it displays itself differs between its versions.
            name = f"headstart-{self.model_id}"
            self.add_class(name)
            view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
            display({VIEW: view, "text/plain": ""}, raw=True)
            pictures = "".join(child.value for child in self.children if isinstance(child, w.HTML))
            picture = self.still or pictures + MOVE
            if self.module:
                picture = live(self.module, self.data, picture, beside=name).html
            put(STILL.format(live=name, picture=self.above + picture), self.text)

    return Explorer
