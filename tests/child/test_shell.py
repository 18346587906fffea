"""What cells display in the grader is what they display under a real kernel."""

import json
import re
import subprocess
import sys

import nbclient
import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from autograder import lessons
from autograder.child.shell import Transformers
from tests.support.limits import PATIENCE

CELLS = [
    "print('a'); print('b', end=''); print('c')",
    "import sys; sys.stderr.write('err\\n'); 3",
    "def f():\n    raise ValueError('x')\nf()",
    "1 / 0",
    "x = (1,",
    "from IPython.display import HTML, Markdown, clear_output, display\ndisplay(HTML('<b>x</b>'), 5)\nMarkdown('*m*')",
    "print(1); clear_output(); print(2)",
    "print(1); clear_output(wait=True)",
    "h = display('one', display_id='id')\nh.update('two')",
    "import torch; torch.arange(3.)",
    "import matplotlib.pyplot as plt\nfig, ax = plt.subplots(figsize=(1, 1)); ax.plot([1, 2]);",
    "fig",
    "In[2], _",
    "%%capture captured\nprint(3)",
    "captured.stdout",
    "raise KeyboardInterrupt",
    "assert False, 'no'",
    "print('x', end=''); display(1); print('y')",
    "from helpers.checks import Finding\nFinding('T', 'failed', 1, 2, 'case 1', 'returned', 'meaning', 'look')",
    "__name__",
    "import logging; logging.warning('w')",
    "None",
    "import asyncio\nasync def later(x):\n    await asyncio.sleep(0)\n    return x\ntask = asyncio.create_task(later(3))",
    "await task, asyncio.get_event_loop().is_running()",
    "waits = later(4)\ntry:\n    asyncio.run(waits)\nexcept RuntimeError as error:\n    waits.close()\n    print(error)",
    "import io, sys\nbefore, sys.stdout = sys.stdout, io.StringIO()",
    "print('into it')",
    "sys.stdout, before = before, sys.stdout\nbefore.getvalue()",
    "isinstance(sys.stdout, io.TextIOBase), sys.stdout.writable(), sys.stdout.seekable()",
    "type(get_ipython()).__name__",
    "exit",
]
RUNNER = """
import json, os, sys
os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
import matplotlib.pyplot
from autograder.child.shell import make_shell, run_cell
shell, recorder = make_shell()
print(json.dumps([run_cell(shell, recorder, cell) for cell in json.load(sys.stdin)]))
"""


def ours(cells: list[str], cwd: str = ".") -> list[list[dict]]:
    command = [sys.executable, "-W", "ignore", "-c", RUNNER]
    done = subprocess.run(
        command, input=json.dumps(cells), capture_output=True, text=True, check=True, cwd=cwd
    )
    return json.loads(done.stdout.splitlines()[-1])


def kernels(cells: list[str], cwd: str = ".") -> list[list[dict]]:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = nbclient.NotebookClient(
        notebook, allow_errors=True, kernel_name="python3", startup_timeout=PATIENCE
    )
    client.execute(cwd=cwd)
    return [cell.outputs for cell in notebook.cells]


def alike(outputs: list[dict]) -> str:
    """Outputs without what differs from run to run: addresses, colours, file names, how a text was cut."""
    merged: list[dict] = []
    for output in map(dict, outputs):
        if merged and output.get("name") and merged[-1].get("name") == output["name"]:
            merged[-1]["text"] += output["text"]
        else:
            merged.append(output)
    text = json.dumps(merged, sort_keys=True)
    text = re.sub(r"\\u001b\[[0-9;]*m", "", text)
    text = re.sub(r"\((<ipython-input-[^>]*>|\d+\.py), line", "(cell, line", text)
    return re.sub(r"0x[0-9a-f]+|[0-9a-f]{32}", "…", text)


@pytest.mark.timeout(120)
def test_cells_of_all_kinds_display_the_same_as_under_a_kernel(tmp_path) -> None:
    for cell, got, expected in zip(CELLS, ours(CELLS), kernels(CELLS), strict=True):
        assert alike(got) == alike(expected), cell


@pytest.mark.timeout(180)
def test_lesson_01_displays_the_same_as_under_a_kernel(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    folder = str(lessons.source_path("01_attention").parent)
    notebook = lessons.load_source_notebook("01_attention")
    unlike = ("draw", "predict")  # without a kernel, predictions have no buttons
    cells = [c.source for c in notebook.cells if c.cell_type == "code" and lessons.kind(c) not in unlike]
    for cell, got, expected in zip(cells, ours(cells, folder), kernels(cells, folder), strict=True):
        assert alike(got) == alike(expected), cell


ODD = [
    "", "\n", " x = 1", "\n\nx = 1", "\tx", "x\r\ny", "x\x0cy", "a\u2028b", "\ufeffx = 1", "x = 1\\\n",
    ">>> x = 1\n... y", "x = 1\n>>> y = 2", "'doc'\n  >>> 1", "'''\n>>> a\n'''", "def f():\n    ...",
    "In [1]: x = 1", "[nav] In [3]: x", "x\n   ...: y", "x\n...: y", "In[2], In [3]",
    "%%time\nx", "%time x", "x?", "??x", "!ls", "x = !ls", "x = %time y", ",f a", ";f a", "/f a", "x; y", "x;",
    "s = '''a\n   \nb'''", "x = 1\r>>> y = 2", "x\u2028>>> y", "x = 1\x0c>>> y", "if x:\n  y\n  \n  z",
    "print('50 %')", "a != b", "if x:\n    !ls", "(1,\n,2)",
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.make_tokens_by_line")
def test_ipythons_own_syntax_is_read_as_ipython_reads_it() -> None:
    """The search for it is left out where there can be none."""
    lesson = lessons.load_source_notebook("01_attention")
    for source in [*ODD, *CELLS, *(cell.source for cell in lesson.cells)]:
        assert Transformers().transform_cell(source) == TransformerManager().transform_cell(source), source


def test_a_transformation_of_the_notebooks_own_is_applied() -> None:
    ours = Transformers()
    ours.cleanup_transforms.append(lambda lines: ["changed\n"])
    assert ours.transform_cell("x = 1") == "changed\n"


@pytest.mark.promise(15)
def test_output_is_bounded() -> None:
    (printed, displayed) = ours(["print('x' * 5_000_000)", "display('y' * 9_000_000); print('after')"])
    assert len(printed[0]["text"]) < 110_000
    assert "was cut" in printed[0]["text"]
    assert len(json.dumps(displayed)) < 1000
    assert "after" in json.dumps(displayed)
