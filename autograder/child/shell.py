"""A notebook's cells run in this process, their outputs recorded as a notebook would show them.

It is IPython's own shell, as in a Jupyter kernel, with the messages to the front end replaced by a list. That
costs milliseconds where a kernel behind ZMQ costs tenths of a second.
"""

import asyncio
import base64
import builtins
import contextlib
import functools
import inspect
import io
import os
import re
import sys
import threading
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_ONLY_AST
from asyncio.events import _set_running_loop
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, NoReturn

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError
from IPython.core.history import HistoryManager
from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any as AnyTrait

from autograder.limits import MAX_DISPLAYED, MAX_PRINTED

CUT = "\n… the rest of this cell's output was cut: it is over {:,} characters\n"


class Recorder:
    """The outputs of the cell that is running, as nbformat states them."""

    def __init__(self) -> None:
        self.muted = False
        self.start()

    def start(self) -> None:
        self.outputs: list[dict] = []
        self.displays: dict[str, dict] = {}
        self.text = self.data = 0
        self.clear_next = False

    def add(self, output: dict, display_id: str | None = None) -> None:
        if self.muted:
            return
        if self.clear_next:
            self.start()
        size = len(str(output.get("data", "")))
        self.data += size
        # A cell's value and its error decide a foreign test: what it displayed before doesn't push them out.
        # defence: child: displayed characters
        if size > MAX_DISPLAYED or (self.data > MAX_DISPLAYED and output["output_type"] == "display_data"):
            if self.data - size <= MAX_DISPLAYED:  # said once
                self.stream("stderr", CUT.format(MAX_DISPLAYED))
            return
        self.outputs.append(output)
        if display_id:
            self.displays[display_id] = output

    def stream(self, name: str, text: str) -> None:
        if self.muted or not text or self.text > MAX_PRINTED:
            return
        if self.clear_next:
            self.start()
        self.text += len(text)
        # defence: child: printed characters
        if self.text > MAX_PRINTED:
            text = text[: len(text) - (self.text - MAX_PRINTED)] + CUT.format(MAX_PRINTED)
        if self.outputs and self.outputs[-1].get("name") == name:
            self.outputs[-1]["text"] += text
        else:
            self.outputs.append({"output_type": "stream", "name": name, "text": text})

    def clear(self, wait: bool) -> None:
        self.clear_next = wait
        if not wait:
            self.start()


class Stream(io.TextIOBase):
    """Stands for sys.stdout or sys.stderr."""

    encoding, errors, closed = "utf-8", "strict", False

    def __init__(self, recorder: Recorder, name: str) -> None:
        self._recorder, self.name = recorder, f"<{name}>"
        self._stream = name

    def close(self) -> None: ...

    def fileno(self) -> int:
        """A descriptor, as a kernel's streams have one; here it leads nowhere."""
        return 1 if self._stream == "stdout" else 2

    def write(self, text: str) -> int:
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text)}")
        self._recorder.stream(self._stream, text)
        return len(text)

    def flush(self) -> None: ...

    def writable(self) -> bool:
        return True


class Publisher(DisplayPublisher):
    """Where display() goes."""

    recorder = AnyTrait()

    def publish(self, data: dict, metadata: dict | None = None, source: object = None, *,
                transient: dict | None = None, update: bool = False, **_: Any) -> None:  # fmt: skip
        display_id = (transient or {}).get("display_id")
        output = {"output_type": "display_data", "data": _jsonable(data), "metadata": metadata or {}}
        if not update:
            self.recorder.add(output, display_id)
        elif shown := self.recorder.displays.get(display_id):
            shown.update(data=output["data"], metadata=output["metadata"])

    def clear_output(self, wait: bool = False) -> None:
        self.recorder.clear(wait)


class ResultHook(DisplayHook):
    """Where the value of a cell's last expression goes."""

    recorder = AnyTrait()
    exec_result = None  # plain, as in NotebookShell
    shell: "NotebookShell"

    def write_output_prompt(self) -> None: ...

    def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
        self.recorder.add({
            "output_type": "execute_result", "execution_count": self.prompt_count,
            "data": _jsonable(format_dict), "metadata": md_dict or {},
        })  # fmt: skip

    def finish_displayhook(self) -> None: ...

    def quiet(self) -> bool:
        """Whether a semicolon ends the cell. IPython takes the cell apart, in Python, to see."""
        history = self.shell.history_manager
        assert history is not None, "`init_history` has made it"
        return ";" in history.input_hist_parsed[-1] and super().quiet()


def _steps(manager: TransformerManager) -> list:
    return [manager.cleanup_transforms, manager.line_transforms, manager.token_transformers]


IPYTHONS = _steps(TransformerManager())
ESCAPES = re.compile(r"[%!?]|^\s*[,;/]", re.MULTILINE)  # what IPython's own syntax has to have
# What it puts right before: prompts that were copied, lines of blanks, other ends of lines.
UNTIDY = re.compile(r"^\s*(>>>|\.\.\.)|In \[|^[ \t]+$|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", re.MULTILINE)


class Transformers(TransformerManager):
    """IPython's search for its own syntax, which takes a cell apart in Python: code that parses has none."""

    def transform_cell(self, cell: str) -> str:
        changed = _steps(self) != IPYTHONS  # a notebook may have added its own
        if changed or cell[:1].isspace() or ESCAPES.search(cell) or UNTIDY.search(cell):
            return super().transform_cell(cell)
        return cell if cell.endswith("\n") else cell + "\n"

    def do_token_transforms(self, lines: list[str]) -> list[str]:
        if _steps(self) == IPYTHONS:
            if not ESCAPES.search("".join(lines)):
                return lines
            with contextlib.suppress(SyntaxError, ValueError, MemoryError, RecursionError):
                compile("".join(lines), "<cell>", "exec", PyCF_ONLY_AST | PyCF_ALLOW_TOP_LEVEL_AWAIT)
                return lines
        return super().do_token_transforms(lines)


class Compiler(CachingCompiler):
    """Says where cells belong. A traceback would search all of torch's modules for that, for each frame."""

    def cache(self, *args: Any, **kwargs: Any) -> str:
        name = super().cache(*args, **kwargs)
        inspect.modulesbyfile[name] = inspect.modulesbyfile[os.path.join(os.getcwd(), name)] = "__main__"
        return name


class History(HistoryManager):
    """Keeps the last inputs as plain attributes: traitlets would check each of them at each cell."""

    _i00 = _i = _ii = _iii = ""


class Loop:
    """The event loop of a kernel, in which each cell finds itself: and tasks can be made without `await`.

    Only `await` really runs it. Other cells are told that it runs: nothing stands between them and IPython.
    """

    def __init__(self) -> None:
        self._loop: Any = None

    @contextlib.contextmanager
    def around(self, cell: str) -> Iterator[None]:
        """Let a cell find it, from the first on that has to do with such a thing: it takes descriptors."""
        if self._loop is None and "async" not in cell and "await" not in cell:
            yield
            return
        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        self._say_that_it_runs(True)
        try:
            yield
        finally:
            self._say_that_it_runs(False)

    def _say_that_it_runs(self, runs: bool) -> None:
        _set_running_loop(self._loop if runs else None)
        self._loop._thread_id = threading.get_ident() if runs else None

    def wait_for(self, cell: Coroutine) -> Any:
        """Run a cell that waits for something, and meanwhile all that waits."""
        self._say_that_it_runs(False)
        try:
            return self._loop.run_until_complete(cell)
        finally:
            self._say_that_it_runs(True)

    def go_on(self) -> None:
        """Let what is ready go on, as a kernel does between two cells. Whatever it raises ends no cell."""
        if self._loop is None or self._loop.is_closed() or not (self._loop._ready or self._loop._scheduled):
            return
        with contextlib.suppress(BaseException):
            self._loop.call_soon(self._loop.stop)
            self._loop.run_forever()

    def close(self) -> None:
        """End it, before a fork: both sides would hear what one of them waits for."""
        if self._loop is not None:
            self._loop.close()
            asyncio.set_event_loop(None)
        self._loop = None


class NotebookShell(InteractiveShell):
    """IPython's shell, recording instead of printing."""

    colors_force = True
    # Plain attributes: traitlets would check each at each cell, and tell observers that nobody has.
    execution_count, last_execution_succeeded, last_execution_result = 1, True, None
    compiler_class = Compiler

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        super().__init__(display_pub_class=Publisher, displayhook_class=ResultHook)
        assert isinstance(self.display_pub, Publisher) and isinstance(self.displayhook, ResultHook)
        self.display_pub.recorder = self.displayhook.recorder = recorder
        self.streams: tuple[Any, Any] = Stream(recorder, "stdout"), Stream(recorder, "stderr")
        self.loop = Loop()
        self.loop_runner = self.loop.wait_for
        self.input_transformer_manager = Transformers()
        # What get_ipython() answers.
        NotebookShell._instance = self  # type: ignore[assignment]  # traitlets declares it as None
        InteractiveShell._instance = self  # type: ignore[assignment]

    def init_history(self) -> None:
        self.config.HistoryManager.enabled = False
        self.history_manager = History(shell=self, parent=self)
        self.configurables.append(self.history_manager)  # type: ignore[arg-type]  # as IPython itself does

    def init_virtualenv(self) -> None: ...  # the interpreter is the right one already

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        self.recorder.add(_error(etype, str(evalue), stb))

    # IPython keeps what was raised in a history, too, which nobody reads here.

    def _format_exception_for_storage(self, *_: object, **__: object) -> dict:
        return {}

    def ask_exit(self) -> None: ...  # what `exit` calls: under nbgrader the cells that follow run, too

    def enable_gui(self, gui: object = None) -> None: ...

    def should_run_async(self, raw_cell: str, *, transformed_cell: str = "", **rest: Any) -> bool:
        """IPython compiles each cell to find out. Without these words there is nothing to wait for."""
        mentioned = "await" in transformed_cell or "async" in transformed_cell
        return mentioned and super().should_run_async(raw_cell, transformed_cell=transformed_cell, **rest)


NotebookShell.__name__ = "ZMQInteractiveShell"  # by which code knows that it is in a notebook


def _error(etype: type, text: str, traceback: list[str]) -> dict:
    return {
        "output_type": "error",
        "ename": str(etype.__name__),
        "evalue": text[:2000],
        "traceback": traceback[-100:],
    }


def _no_input(*_: object, **__: object) -> NoReturn:
    raise StdinNotImplementedError("input() was called, and nobody answers it when a notebook is graded")


def make_shell() -> tuple[NotebookShell, Recorder]:
    """A shell that stands for a fresh kernel, with inline figures."""
    import matplotlib
    from matplotlib_inline.backend_inline import configure_inline_support

    recorder = Recorder()
    shell = NotebookShell(recorder)
    configure_inline_support(shell, "module://matplotlib_inline.backend_inline")
    _keep_what_tracebacks_need()
    matplotlib.interactive(True)  # as a kernel does: figures show themselves at the end of their cell
    builtins.input = _no_input
    return shell, recorder


def _keep_what_tracebacks_need() -> None:
    """Have words, styles and colours worked out once, and modules found once, not for each traceback."""
    import pygments.lexer
    import stack_data
    from pygments.formatters.terminal256 import Terminal256Formatter

    pygments.lexer.words.get = functools.cache(pygments.lexer.words.get)
    stack_data.style_with_executing_node = functools.cache(stack_data.style_with_executing_node)
    closest = Terminal256Formatter._closest_color
    known: dict[tuple[int, ...], int] = {}

    def closest_color(self: Terminal256Formatter, *color: int) -> int:
        if color not in known:
            known[color] = closest(self, *color)
        return known[color]

    Terminal256Formatter._closest_color = closest_color
    inspect.getmodule(compile("", "<a file that isn't there>", "exec"))  # looks at all modules


UNSHOWN = "The cell raised this, and nothing showed it."


def run_cell(shell: NotebookShell, recorder: Recorder, source: str) -> list[dict]:
    """Run one cell as a kernel would.

    Returns:
        Its outputs, ready for nbformat. Where it raised, an error is among them, also where what shows errors
        was silenced. (A kernel says so in its reply, which nbgrader reads, too.)
    """
    recorder.start()
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = shell.streams  # as the cell before left them
    shell.last_execution_succeeded = True
    try:
        # What InteractiveShell.run_cell does. But hooks get the result, and could change what it says.
        with shell.loop.around(source):
            result = shell._run_cell(source, True, False, True, None, None)  # type: ignore[arg-type]
        error = result.error_in_exec if result.error_before_exec is None else result.error_before_exec
        # defence: foreign: errors kept from hooks
        raised = error is not None or not shell.last_execution_succeeded
        shell.events.trigger("post_execute")
        shell.events.trigger("post_run_cell", result)
        shell.loop.go_on()
    finally:
        shell.streams = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = streams
    # defence: foreign: an error that isn't shown
    if raised and not any(output["output_type"] == "error" for output in recorder.outputs):
        return [*recorder.outputs, unshown(error)]
    return recorder.outputs


def unshown(error: BaseException | None) -> dict:
    """The output of an error that nothing showed."""
    return _error(type(error), _text(error), [UNSHOWN])


def _text(error: BaseException | None) -> str:
    try:
        return str(error)
    except BaseException:  # a class of the student's, and what left here would take the error with it
        return ""


def _jsonable(data: dict[str, Any]) -> dict[str, Any]:
    encode: Callable[[Any], Any] = lambda v: base64.encodebytes(v).decode() if isinstance(v, bytes) else v  # noqa: E731
    return {mime: encode(value) for mime, value in data.items()}
