"""How long each solved lesson takes from top to bottom, under a real kernel, and what `import helpers` costs.

python -m benchmarks.lessons
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import nbclient
from rich.console import Console
from rich.table import Table

from autograder import lessons

IMPORTS = ("", "import torch", "import torch, helpers", "import torch, helpers.checks")
RUNS = 5


def main() -> None:
    """Measure and print."""
    os.environ["OMP_NUM_THREADS"] = "1"
    table = Table("lesson", "seconds, top to bottom")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HEADSTART_PROGRESS"] = str(Path(folder, "progress.json"))
        for name in lessons.names():
            notebook = lessons.load_source_notebook(name)
            begun = time.perf_counter()
            nbclient.NotebookClient(notebook, timeout=600).execute(cwd=str(lessons.source_path(name).parent))
            table.add_row(name, f"{time.perf_counter() - begun:.1f}")
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


if __name__ == "__main__":
    main()
