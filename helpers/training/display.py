"""What a training run shows while it goes on: a progress bar, and HTML that is replaced by newer HTML."""

import html
import io
import sys
from typing import TYPE_CHECKING

from tqdm import tqdm  # type: ignore[import-untyped]  # tqdm comes without types

if TYPE_CHECKING:
    from IPython.display import DisplayHandle

NOTEBOOK_TEXT = "{desc}: {n_fmt} of {total_fmt} · {elapsed}, {remaining} left · {rate_noinv_fmt}{postfix}"
INTERVAL = 0.25  # seconds from one drawing of a bar to the next, at least


def in_notebook() -> bool:
    """Whether a Jupyter kernel runs this."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return "IPKernelApp" in getattr(shell, "config", ())


def progress_bar(title: str, total: int, unit: str = "it", done: int = 0) -> tqdm:
    """A bar with rate and time left: HTML in a notebook, text in a terminal, nothing where stderr is a file.

    Args:
        title: beside the bar.
        total: how many steps there will be; `update()` counts one.
        unit: what is counted, for the rate.
        done: how many were made earlier, which count for the bar and not for the rate.
    """
    options: dict[str, str | float] = {
        "desc": title, "total": total, "unit": unit, "initial": done, "mininterval": INTERVAL,
    }  # fmt: skip
    if in_notebook():
        return NotebookBar(**options)
    return tqdm(**options, dynamic_ncols=True, disable=None)  # None: disabled where stderr is a file


class NotebookBar(tqdm):
    """tqdm, drawn as HTML."""

    # Not tqdm.notebook: that bar is a widget, which stays at 0 % in a saved notebook and in feedback.

    def __init__(self, **options: str | float) -> None:
        self.output = Output()
        super().__init__(**options, bar_format=NOTEBOOK_TEXT, file=io.StringIO())

    def display(self, msg: str | None = None, pos: int | None = None) -> bool:
        """Show the bar as it stands. The arguments are for terminals."""
        self.output.update(
            f'<label style="font-variant-numeric:tabular-nums"><progress value="{self.n}" max="{self.total}" '
            f'style="width:16em;vertical-align:middle"></progress> {html.escape(str(self))}</label>',
            str(self),
        )
        return True


class Output:
    """A place in a notebook's output whose content can be replaced."""

    def __init__(self) -> None:
        self.handle: DisplayHandle | None = None

    def update(self, page: str, text: str = "") -> None:
        """Put this HTML there, with a text for those who can't show HTML."""
        from IPython.display import display

        content = {"text/html": page, "text/plain": text}
        if self.handle is None:
            self.handle = display(content, raw=True, display_id=True)
        else:
            self.handle.update(content, raw=True)
