"""An exercise as a file for pytest, which needs nothing of ours."""

import re

from autograder.authoring.formats.core import Core

FIND = '''
def cells(path):
    """The code of a module, or of each cell of a notebook without IPython's own lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return [text]
    code = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    own = re.compile(r"^(\\s*)[%!?].*$", re.MULTILINE)
    return [own.sub(r"\\1pass", each) for each in code if not each.lstrip().startswith("%%")]


@pytest.fixture(scope="module")
def answer():
    """The student's answer, from the notebook or module that ANSWER names, or the only one beside this."""
    here = pathlib.Path(__file__).parent
    beside = [path for path in here.glob("*.*") if path.suffix in (".ipynb", ".py")]
    beside = [path for path in beside if not path.name.startswith(("test_", "conftest"))]
    named = os.environ.get("ANSWER")
    assert named or len(beside) == 1, "say where the answer is: ANSWER=notebook.ipynb pytest ..."
    names, failed = {"__name__": "answer"}, ""
    for code in cells(pathlib.Path(named) if named else beside[0]):
        try:
            exec(code, names)
        except Exception as error:  # the next cell runs all the same, as it would in a notebook
            failed = f"; a cell raised {type(error).__name__}: {error}"
    assert NAME in names, f"it doesn't define {NAME}{failed}"
    return names[NAME]
'''


def as_pytest(core: Core) -> dict[str, bytes]:
    """The file of an exercise, by its name: `test_softmax.py`."""
    tests = []
    for number, call in enumerate(core.calls, 1):
        kind = "hidden_" if call.hidden else ""
        title = re.sub(r"[^a-z0-9]+", "_", call.title.lower()).strip("_")
        tests.append(f"def test_{kind}{number}_{title}(answer):\n    # {call.title}\n    {call.code}\n")
    run = f"\n\nRun it with `ANSWER=notebook.ipynb pytest test_{core.stem}.py`, or beside the only notebook."
    parts = [
        core.docstring(run),
        "# ruff: noqa\nimport json\nimport os\nimport pathlib\nimport re\n\nimport pytest\n",
        core.code,
        f"NAME = {core.name!r}\n\n{FIND}\n",
        "\n\n".join(tests),
    ]
    return {f"test_{core.stem}.py": "\n".join(parts).encode()}
