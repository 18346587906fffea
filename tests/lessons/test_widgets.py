"""Every explorer of every lesson reaches a notebook, with this environment's ipywidgets and with older ones."""

import dataclasses
import importlib
import inspect
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_args, get_origin

import pytest

from autograder.courses import current
from autograder.lessons import ROOT
from tests.support.proved import PROJECT, follows_from

pytestmark = follows_from(*PROJECT)

TOPICS = current().topics
VIEW = "application/vnd.jupyter.widget-view+json"
# What Colab has, and what its IPython imports that newer ones don't: the versions stand in colab.txt.
OLDER = (
    "ipywidgets",
    "ipython",
    "ipykernel",
    "ipython-genutils",
    "traitlets",
    "backcall",
    "decorator",
    "pickleshare",
)
SHOW = """
from tests.lessons import test_widgets
test_widgets.every_explorer_is_shown()
import ipykernel, IPython, ipywidgets
print("all shown by", ipywidgets.__version__, IPython.__version__, ipykernel.__version__)
"""


def explorers() -> Iterator[Callable]:
    """What all lessons call to show an explorer."""
    for topic in TOPICS:
        name = "page" if topic == "start_here" else "explorers"
        module = importlib.import_module(f"helpers.{topic}.{name}")
        for name, function in inspect.getmembers(module, inspect.isfunction):
            here = function.__module__ == module.__name__ and not name.startswith("_")
            if here and inspect.signature(function).return_annotation == "VBox":
                yield function


def unwritten(*_: object, **__: object) -> None:
    """What a student hasn't written yet."""
    raise NotImplementedError


def stand_in(annotation: object) -> object:
    """Something of a parameter's type that any notebook could have."""
    if dataclasses.is_dataclass(annotation):
        return annotation(*[unwritten for _ in dataclasses.fields(annotation)])
    if type(None) in get_args(annotation):
        return None
    kinds = {Callable: unwritten, Mapping: {}, Sequence: ["the plot is good", "two"], str: "Exercise 1.1"}
    return kinds[get_origin(annotation) or annotation]


def every_explorer_is_shown() -> None:
    """Display each explorer as a notebook does: a live widget, and one still picture of the same class."""
    import ipywidgets  # noqa: F401  (what older packages are warned of as they are imported isn't ours)
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.display import display
    from IPython.utils.capture import capture_output
    from traitlets.config import Config

    InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    try:
        made = 0
        for make in explorers():
            parameters = inspect.signature(make).parameters.values()
            given = [stand_in(p.annotation) for p in parameters if p.default is p.empty]
            with warnings.catch_warnings(), capture_output() as shown:
                warnings.simplefilter("error")
                box = make(*given)
                display(box)
            assert not shown.stdout + shown.stderr, (make, shown.stdout + shown.stderr)
            live, still = (output.data for output in shown.outputs)
            assert live[VIEW]["model_id"] == box.model_id and len(live["text/plain"]) < 200, make
            assert f'class="headstart-still headstart-{box.model_id}-still"' in still["text/html"], make
            assert f"headstart-{box.model_id}" in box.get_state()["_dom_classes"], make
            made += 1
        assert made > len(TOPICS)
    finally:
        InteractiveShell.clear_instance()


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the packages that a server like Colab has in older versions."""
    folder = tmp_path_factory.mktemp("older")
    constraints = folder / "constraints.txt"
    constraints.write_text((ROOT / "tests" / "support" / "colab.txt").read_text())
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        folder / "packages",
    ]
    done = subprocess.run([*command, "--constraint", constraints, *OLDER], capture_output=True, text=True)
    if done.returncode:
        problem = f"pip can't get older packages: {done.stderr.strip().splitlines()[-1]}"
        pytest.fail(problem) if os.environ.get("CI") == "true" else pytest.skip(problem)
    return folder / "packages"


def test_every_explorer_is_shown_here() -> None:
    every_explorer_is_shown()


@pytest.mark.timeout(600)
def test_every_explorer_is_shown_by_older_widgets(older: Path) -> None:
    path = os.pathsep.join(map(str, (older, ROOT / "tests", ROOT)))
    env = os.environ | {"PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", SHOW], env=env, capture_output=True, text=True, cwd=older)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip() == "all shown by 7.7.1 7.34.0 6.17.1"
