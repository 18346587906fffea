"""In a foreign assignment, an error counts whatever student code does so that nobody sees it."""

import json
import shutil
from pathlib import Path

import pytest

from tests.grading.test_foreign import CONFIG, answer, notebook, run, scores, test
from tests.support.proved import ENGINE, follows_from

pytestmark = [pytest.mark.needs_bubblewrap, pytest.mark.timeout(300), follows_from(*ENGINE)]

SOURCE = [
    answer("square", "def square(x):\n    return x * x"),
    test("shown", "assert square(3) == 9", 1),
    test("awaited", "import asyncio\nawait asyncio.sleep(0)\nassert square(3) == 9", 1),
    test("only_when_graded", "import os\nif os.getenv('NBGRADER_EXECUTION') == 'autograde':\n    assert square(3) == 9", 1),
    test("only_when_validated", "import os\nif os.getenv('NBGRADER_EXECUTION') == 'validate':\n    assert False", 1),
]  # fmt: skip
WRONG = "def square(x):\n    return x\n"
IPYTHON = "from IPython.core.interactiveshell import ExecutionResult, InteractiveShell\n"
SHELL = IPYTHON + "shell = get_ipython()\nnothing = lambda *a, **k: None\n"


def raising(code: str, before: str = SHELL) -> str:
    """An answer whose call does this, rather than that it is done before the test's cell."""
    indented = "".join(f"    {line}\n" for line in code.splitlines())
    return f"{before}def square(x):\n{indented}    return x\n"


TRICKS = {
    "honest": "def square(x):\n    return x ** 2",
    "wrong": WRONG,
    "showtraceback": f"{SHELL}InteractiveShell.showtraceback = nothing\n{WRONG}",
    "showtraceback_of_the_shell": f"{SHELL}shell.showtraceback = shell._showtraceback = nothing\n{WRONG}",
    "showtraceback_when_called": raising("InteractiveShell.showtraceback = nothing"),
    "showtraceback_that_raises": f"{SHELL}def no(*a, **k): raise ValueError\ntype(shell)._showtraceback = no\n{WRONG}",
    "custom_handler": f"{SHELL}shell.set_custom_exc((BaseException,), nothing)\n{WRONG}",
    "handler_of_its_own": f"{SHELL}shell.custom_exceptions = (BaseException,); shell.CustomTB = nothing\n{WRONG}",
    "exit": raising("raise SystemExit(0)"),
    "exit_unseen": raising("InteractiveShell.showtraceback = nothing\nraise SystemExit(0)"),
    "debugger_quit": raising("import bdb; raise bdb.BdbQuit"),
    "interrupt": raising("raise KeyboardInterrupt"),
    "group": raising("raise ExceptionGroup('x', [ValueError('y')])"),
    "group_of_its_own": raising("class G(BaseExceptionGroup): pass\nraise G('x', [KeyboardInterrupt()])"),
    "looks_that_fail": raising("class E(Exception):\n    def _render_traceback_(self): return 1 / 0\nraise E"),
    "text_that_fails": raising("class E(Exception):\n    def __str__(self): return 1 / 0\nraise E"),
    "text_that_interrupts": raising("class E(KeyboardInterrupt):\n    def __str__(self): raise E\nraise E"),
    "interrupt_when_shown": raising("import sys\ndef no(frame, event, arg):\n    if event == 'call' and 'showtraceback' in frame.f_code.co_name or frame.f_code.co_name == '_text': raise KeyboardInterrupt\nsys.setprofile(no)\nraise ValueError"),
    "interrupt_when_text_is_asked": raising("import sys\ndef no(frame, event, arg):\n    if event == 'call' and frame.f_code.co_name == '_text': raise KeyboardInterrupt\nsys.setprofile(no)\nInteractiveShell.showtraceback = nothing\nraise ValueError"),
    "another_loop": f"{SHELL}from types import SimpleNamespace\nshell.loop_runner = lambda cell: SimpleNamespace(error_in_exec=None, error_before_exec=None)\n{WRONG}",
    "loop_that_runs_nothing": f"{SHELL}type(shell.loop).wait_for = lambda self, cell: ExecutionResult(None)\n{WRONG}",
    "task_that_interrupts": raising("import asyncio\nasync def no(): raise KeyboardInterrupt\nasyncio.get_event_loop().create_task(no())\nInteractiveShell.showtraceback = nothing\nraise ValueError"),
    "error_that_is_false": raising("class E(Exception):\n    __bool__ = lambda self: False\nraise E"),
    "cleared": f"{SHELL}from IPython.display import clear_output\nshell.events.register('post_run_cell', lambda r: clear_output())\n{WRONG}",
    "hook": f"{SHELL}def hook(r):\n    r.error_in_exec = None; shell.recorder.start(); shell.last_execution_succeeded = True\nshell.events.register('post_run_cell', hook)\n{WRONG}",
    "result_that_forgets": f"{SHELL}ExecutionResult.error_in_exec = property(nothing, nothing)\nInteractiveShell.showtraceback = nothing\n{WRONG}",
    "result_that_forgets_when_called": raising("ExecutionResult.error_in_exec = property(nothing, nothing)\nInteractiveShell.showtraceback = nothing"),
    "run_cell": f"{SHELL}InteractiveShell.run_cell = InteractiveShell._run_cell = shell.run_cell = nothing\n{WRONG}",
    "run_code": f"{SHELL}async def nothing(*a, **k): return False\nInteractiveShell.run_code = InteractiveShell.run_ast_nodes = nothing\n{WRONG}",
    "run_code_of_the_shell": f"{SHELL}async def nothing(*a, **k): return False\nshell.run_code = type(shell).run_code = nothing\n{WRONG}",
    "another_shell": f"{SHELL}class Other(type(shell)):\n    def showtraceback(*a, **k): pass\n    async def run_code(*a, **k): return False\nshell.__class__ = Other\n{WRONG}",
    "cells_emptied": f"{SHELL}type(shell).transform_cell = lambda self, cell: 'pass'\nshell.transform_cell = lambda cell: 'pass'\n{WRONG}",
    "parsed_to_nothing": f"{SHELL}import ast\ntype(shell.compile).ast_parse = lambda *a, **k: ast.parse('')\n{WRONG}",
    "exec": f"{SHELL}import builtins\nbuiltins.exec = nothing\n{WRONG}",
    "asserts_taken_out": f"{SHELL}import ast\nclass No(ast.NodeTransformer):\n    def visit_Assert(self, node): return ast.Pass()\nshell.ast_transformers.append(No())\n{WRONG}",
    "lines_taken_out": f"{SHELL}shell.input_transformers_post.append(lambda lines: ['pass'])\nshell.input_transformer_manager.line_transforms.append(lambda lines: ['pass'])\n{WRONG}",
    "cleaned_up": f"{SHELL}shell.input_transformers_cleanup.append(lambda lines: ['pass'])\n{WRONG}",
    "another_reader": f"{SHELL}from IPython.core.inputtransformer2 import TransformerManager\nclass No(TransformerManager):\n    def transform_cell(self, cell): return 'pass'\nshell.input_transformer_manager = No()\n{WRONG}",
    "line_taken_out": f"{SHELL}from IPython.core.prefilter import PrefilterTransformer\nclass No(PrefilterTransformer):\n    def transform(self, line, going_on): return 'pass'\nNo(shell=shell, prefilter_manager=shell.prefilter_manager, parent=shell.prefilter_manager)\n{WRONG}",
    "recorder": f"{SHELL}type(shell.recorder).add = nothing\nshell.recorder.muted = True\n{WRONG}",
    "outputs": f"{SHELL}class Lost(list):\n    def append(self, x): pass\ntype(shell.recorder).start = lambda r: setattr(r, 'outputs', Lost())\n{WRONG}",
}  # fmt: skip


def test_an_error_counts_however_it_is_hidden(tmp_path: Path) -> None:
    """And tests that look whether nbgrader runs them find that it does."""
    source = tmp_path / "source" / "ps1" / "ps1.ipynb"
    source.parent.mkdir(parents=True)
    source.write_text(notebook(SOURCE))
    (tmp_path / "nbgrader_config.py").write_text(CONFIG)
    for student, code in TRICKS.items():
        path = tmp_path / "submitted" / student / "ps1" / "ps1.ipynb"
        path.parent.mkdir(parents=True)
        shutil.copy(source, path)
        theirs = json.loads(path.read_text())
        theirs["cells"][0]["source"] = code
        path.write_text(json.dumps(theirs))
    run(tmp_path, "headstart", "grade", "ps1", "--workers", "1")
    got = {
        (student, cell): values[0]
        for (student, _, cell, kind), values in scores(tmp_path).items()
        if kind == "GradeCell"
    }
    earned = {
        student: tuple(got[student, test] for test in ("shown", "awaited", "only_when_graded"))
        for student in TRICKS
    }
    assert earned.pop("honest") == (1, 1, 1)
    assert got["honest", "only_when_validated"] == 1
    assert earned == dict.fromkeys(earned, (0, 0, 0))
