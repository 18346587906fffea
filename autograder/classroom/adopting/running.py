"""A notebook run in the sandbox, which is where student code runs: the calls of its tests, and its mutants.

Nothing of the notebook runs anywhere else. What comes back is text, read as data: JSON, and in it values as
Python code of which `only_values` lets nothing pass but values.
"""

import ast
import contextlib
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder import lessons
from autograder.authoring.formats import literals
from autograder.classroom.adopting import recorder
from autograder.classroom.adopting.notebook import Lost, Part, Source
from autograder.courses import with_solutions
from autograder.grading.judge import judge
from autograder.grading.outcomes import raised
from autograder.grading.workers import Worker
from autograder.limits import MAX_FILES, MAX_FILES_BYTES
from autograder.programs import sandbox_problem
from autograder.results import Cell, Judgement

NOTED = "headstart-noted.json"
MADE_BY = {"torch.tensor", "np.array", "pd.Series", "pd.DataFrame", "set", "frozenset"}
METHODS = {"reshape", "set_axis"}
Run = Callable[[list[Cell]], tuple[dict, Judgement]]
SCALAR = re.compile(r"np\.(u?int|float|complex|bool)\w*")


@dataclass(frozen=True)
class Recorded:
    """A call that a test made.

    Attributes:
        name: of the function.
        cell: the number of the test's cell.
        line: of the cell, in which the call is.
        args: the positional arguments, a list as code.
        kwargs: those by name, a dict as code.
        result: what came back, as code.
        unfit: why it can be no case; "" if it can.
    """

    name: str
    cell: int
    line: int
    args: str
    kwargs: str
    result: str
    unfit: str


@contextlib.contextmanager
def opened(folder: Path, sandboxed: bool) -> Iterator[Run]:
    """What runs cells in a process of their own, among the files of a folder, and gives what was noted.

    Args:
        folder: where the notebook lies: its cells may read what lies beside it.
        sandboxed: if not, they run with your own rights.

    Raises:
        LookupError: no sandbox can start.
    """
    if sandboxed and (problem := sandbox_problem()):
        raise LookupError(problem)
    files = _beside(folder)
    helpers = lessons.helper_files(0)  # which the worker has, and the notebook doesn't see
    worker = Worker(helpers, hide=tuple(with_solutions()), sandboxed=sandboxed, foreign=True)

    def run(cells: list[Cell]) -> tuple[dict, Judgement]:
        done = judge(worker, cells, {}, files)
        if NOTED not in done.output_files:
            raise LookupError(
                f"the notebook can't be run to its end: {done.stopped or 'its last cell failed'}"
            )
        return json.loads(done.output_files[NOTED]), done

    try:
        yield run
    finally:
        worker.stop()


def record(source: Source, run: Run) -> list[Recorded]:
    """Run a notebook twice, and note the calls that its tests make. What fails is added to what is lost.

    Args:
        source: the notebook.
        run: of `opened`.

    Raises:
        LookupError: the notebook can't be run.
    """
    (first, done), (second, _) = run(_noting(source)), run(_noting(source))
    source.lost += _failed(source, done)
    calls = [_recorded(each) for each in first["calls"]]
    again = [_recorded(each) for each in second["calls"]]
    for number, call in enumerate(calls):
        other = again[number] if number < len(again) else None
        if other != call and not call.unfit:
            calls[number] = Recorded(**{**vars(call), "unfit": "it is another at each run: set a seed"})
    return calls


def passing(
    source: Source, run: Run, mutants: Mapping[str, Sequence[str]], tests: Mapping[str, Sequence[Part]]
) -> dict[str, list[int]]:
    """Which mutants a notebook's own tests let pass: their numbers, by function.

    Args:
        source: the notebook.
        run: of `opened`.
        mutants: the code of each, by function.
        tests: the cells that test each function.
    """
    cells = [Cell(f"cell-{part.number}", part.source) for part in source.of("given", "solution")]
    for name, codes in mutants.items():
        told = [part.code for part in tests[name]]
        for number, code in enumerate(codes):
            tried = f"_noted['attempt'](globals(), {name!r}, {number}, {code!r}, {told!r})"
            cells.append(Cell(f"mutant-{name}-{number}", tried))
    found, _ = run([_start(), *cells, _end()])
    passed: dict[str, list[int]] = {name: [] for name in mutants}
    for name, number in found["passing"]:
        passed[name].append(number)
    return passed


def _start() -> Cell:
    text = f"{inspect.getsource(literals)}\n{inspect.getsource(recorder)}"
    return Cell("start", f"exec({text!r}, _noted := {{}})")


def _end() -> Cell:
    return Cell("end", f"_noted['write']({NOTED!r})")


def _noting(source: Source) -> list[Cell]:
    """The notebook's cells, with what notes calls around its tests."""
    names = [node.name for part in source.of("solution") if part.code for node in part.definitions]
    cells = [_start()]
    for part in source.of("given", "solution", "test"):
        if part.kind == "test":
            cells.append(
                Cell(f"watch-{part.number}", f"_noted['watch'](globals(), {names!r}, {part.number})")
            )
        cells.append(Cell(f"cell-{part.number}", part.source))
        if part.kind == "test":
            cells.append(Cell(f"unwatch-{part.number}", f"_noted['unwatch'](globals(), {names!r})"))
    return [*cells, _end()]


def _beside(folder: Path) -> dict[str, bytes]:
    """The files beside a notebook, no links, as far as a submission may hold them."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or not path.is_file() or path.suffix == ".ipynb":
            continue
        room = MAX_FILES_BYTES - sum(map(len, found.values()))
        if len(found) < MAX_FILES - 1 and path.stat().st_size <= room:
            found[path.name] = path.read_bytes()
    return found


def _failed(source: Source, done: Judgement) -> Iterator[Lost]:
    """The cells that raised, with what they raised."""
    for part in source.of("given", "solution", "test"):
        for output in done.outputs.get(f"cell-{part.number}", []):
            if output["output_type"] == "error":
                what = raised(output)[:200]
                told = "its tests fail on the notebook's own solution" if part.kind == "test" else "it raises"
                yield Lost(part.number, f"{told}: {what}")


def _recorded(said: dict) -> Recorded:
    """A call as the child says it; nothing in it is believed.

    Raises:
        LookupError: it isn't a call.
    """
    try:
        name, cell, line = str(said["name"]), int(said["cell"]), int(said["line"])
        unfit = f"it raises {said['raised']}" if "raised" in said else ""
        code = []
        for key in ("args", "kwargs", "result"):
            value = said.get(key, {"code": "None"})
            if "no" in value:
                unfit = unfit or f"{'its result' if key == 'result' else 'an argument'} is a {value['no']}"
            code.append(only_values(value.get("code", "None")))
        if not unfit and code[2] == "None":
            unfit = "it returns nothing: what it prints or draws isn't compared"
        if not name.isidentifier():
            raise ValueError("a name that is none")
    except (KeyError, TypeError, ValueError, SyntaxError) as error:
        raise LookupError(f"what the notebook left can't be read: {error}") from None
    return Recorded(name, cell, line, code[0], code[1], code[2], unfit)


def only_values(code: str) -> str:
    """Code that makes a value, and does nothing else.

    Raises:
        ValueError, SyntaxError: it does.
    """
    usual = (
        ast.Expression,
        ast.Constant,
        ast.List,
        ast.Tuple,
        ast.Set,
        ast.Dict,
        ast.UnaryOp,
        ast.USub,
        ast.Load,
    )
    complex_number = (ast.BinOp, ast.Add, ast.Sub)
    tree = ast.parse(code, mode="eval")
    called = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, (*usual, *complex_number, ast.Call, ast.keyword)):
            continue
        text = ast.unparse(node)
        makes = text in MADE_BY or SCALAR.fullmatch(text)
        if id(node) in called and (makes or (isinstance(node, ast.Attribute) and node.attr in METHODS)):
            continue
        if isinstance(node, ast.Name) and node.id in ("inf", "nan", "np", "torch", "pd"):
            continue
        if id(node) not in called and re.fullmatch(r"torch\.[a-z]+\d*", text):
            continue  # a dtype
        raise ValueError(f"{text:.40} in a value")
    return code
