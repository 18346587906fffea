"""How long each solved lesson takes from top to bottom, under a real kernel, and what `import helpers` costs.

python -m benchmarks.lessons [LESSON ...]

HEADSTART_DEVICE says where models are trained. The losses are the last ones beside each training's bar.

The graded part is what the grader runs of a lesson, without cells that only draw: here with the notebook's
own checks, in CPU seconds of a process that has imported everything.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import nbclient
import nbformat
import torch
from rich.console import Console
from rich.table import Table

from autograder import lessons
from benchmarks.grading import seconds_of, warm_up
from helpers import training

IMPORTS = ("", "import torch", "import torch, helpers", "import torch, helpers.checks")
RUNS = 5


def main() -> None:
    """Measure and print."""
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    table = Table("lesson", "seconds, top to bottom", "CPU seconds, graded part", "losses")
    table.title = f"trained on {training.device()}"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HEADSTART_PROGRESS"] = str(Path(folder, "progress.json"))
        for name in [lessons.find(asked) for asked in sys.argv[1:]] or lessons.names():
            notebook = lessons.load_source_notebook(name)
            place = lessons.source_path(name).parent
            graded = [
                cell.source
                for cell in notebook.cells
                if cell.cell_type == "code" and lessons.kind(cell) != "draw"
            ]
            warm_up(name)
            seconds = seconds_of(graded, place)
            begun = time.perf_counter()
            nbclient.NotebookClient(notebook, timeout=600).execute(cwd=str(place))
            taken = time.perf_counter() - begun
            table.add_row(name, f"{taken:.1f}", f"{seconds:.2f}", "\n".join(losses(notebook)))
    Console().print(table)
    table = Table("import", f"seconds, median of {RUNS}")
    times: dict[str, list[float]] = {code: [] for code in IMPORTS}
    for _ in range(RUNS):
        for code in IMPORTS:  # in turn, so that a slow moment of the machine hits all alike
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True, cwd=lessons.ROOT)
            times[code].append(time.perf_counter() - begun)
    for code, seconds in times.items():
        table.add_row(code or "nothing", f"{median(seconds):.2f}")
    Console().print(table)


def losses(notebook: nbformat.NotebookNode) -> list[str]:
    """What stood last beside the bars of a lesson's trainings, with the name of each."""
    shown = [
        output.get("data", {}).get("text/plain", "")
        for c in notebook.cells
        for output in c.get("outputs", ())
    ]
    bars = [re.fullmatch(r"(.+?): [\d,]+ of .* left · [^,]+, (.+)", text) for text in shown]
    return [f"{bar[1]}: {bar[2]}" for bar in bars if bar]


if __name__ == "__main__":
    main()
