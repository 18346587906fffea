"""What all explorers share: a control's label, the words of a typed sentence, and how one is displayed."""

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ipywidgets import VBox, Widget

# Shown only where no live widget stands beside it, in the place of "model not found". The script gives each
# slider's handle its label, which ipywidgets leaves without a name. A slider's track is only a background,
# which forced colours take away: there it gets a border. A menu's arrow is a picture in black, which the dark
# theme swallows: there the browser draws its own. JupyterLab breaks what is printed in the middle of words.
STILL = """<style>
.jp-OutputArea:has(.jupyter-widgets > *) .headstart-still {{ display: none }}
.jp-OutputArea-child:has(+ * .headstart-still) .jp-OutputArea-output:not(:has(*)) {{ display: none }}
@media (forced-colors: active) {{ .jp-OutputArea .noUi-target {{ border: 1px solid }} }}
[data-jp-theme-light="false"] .jp-OutputArea .widget-dropdown > select {{
    appearance: auto; background-image: none; color-scheme: dark }}
.jp-OutputArea .jp-RenderedText pre {{ word-break: normal; overflow-wrap: anywhere }}
</style>
<div class="headstart-still">{picture}
<p><i>A still picture: run the notebook to move its controls.</i></p></div>
<script>
(area => {{
    const name = () => area.querySelectorAll("[role=slider]:not([aria-label])").forEach(handle => {{
        const label = handle.closest(".widget-inline-hbox")?.querySelector("label");
        if (label) handle.setAttribute("aria-label", label.textContent);
    }});
    new MutationObserver(name).observe(area, {{childList: true, subtree: true}});
    name();
}})(document.currentScript.closest(".jp-OutputArea") ?? document.body);
</script>"""


def labelled(name: str) -> dict:
    """A control's label, the same as its tooltip, and its width."""
    width = {"style": {"description_width": "100px"}, "layout": {"width": "min(560px, 95%)"}}
    return {"description": name, "tooltip": name, **width}


def tokens_of(sentence: str) -> list[str]:
    """The words of a sentence, in lower case."""
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)?", sentence.lower())


def explorer(children: "Sequence[Widget]") -> "VBox":
    """Controls and pictures, one below the other.

    A notebook that is opened again or exported has no live widgets. It shows the pictures as they were first.
    """
    return _explorer_class()(children)


@functools.cache
def _explorer_class() -> "type[VBox]":
    import ipywidgets as w
    from IPython.display import display

    class Explorer(w.VBox):
        def _ipython_display_(self) -> None:
            display(self._repr_mimebundle_(), raw=True)
            pictures = [child.value for child in self.children if isinstance(child, w.HTML)]
            display({"text/html": STILL.format(picture="".join(pictures)), "text/plain": ""}, raw=True)

    return Explorer
