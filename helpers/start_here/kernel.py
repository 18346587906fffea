"""What each kernel of the course's JupyterLab starts with: a cell that runs before the set-up says so.

`headstart lab` names this file in PYTHONSTARTUP, which kernels run first.
"""


def _point_to_the_first_cell() -> None:
    import sys
    from types import TracebackType
    from typing import Any

    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:  # a plain Python
        return

    def explained(
        shell: Any, kind: type, error: BaseException, trace: TracebackType, tb_offset: Any = None
    ) -> None:
        if "helpers.checks" not in sys.modules:  # the first cells of every lesson import it
            name = getattr(error, "name", None) or "this name"
            print(
                "Run the first cells of this notebook: they haven't run since the kernel started, so "
                f"`{name}` isn't known.\n"
                "The menu Run → Run All Above Selected Cell runs all that comes before a cell."
            )
            return
        shell.showtraceback((kind, error, trace), tb_offset=tb_offset)

    shell.set_custom_exc((NameError,), explained)


_point_to_the_first_cell()
del _point_to_the_first_cell
