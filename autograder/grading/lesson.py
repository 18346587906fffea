"""What grading one lesson takes: its notebooks, its exercises, and what its students may read.

A lesson of ours has one notebook, whose checks the judge decides. Any other nbgrader assignment is graded
too: it may have several notebooks, and tests that run beside the student's code.
"""

import copy
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import nbformat
from nbformat import NotebookNode
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.nbgraderformat import (
    MetadataValidator,
    SchemaTooNewError,
    SchemaTooOldError,
    ValidationError,
)
from nbgrader.preprocessors import ClearOutput, ComputeChecksums, InstantiateTests
from nbgrader.utils import find_all_files
from traitlets.config import Config

from autograder import exercises as specs
from autograder import lessons
from autograder.courses import current, with_solutions
from autograder.exercise import Exercise, Mistake, Outline
from autograder.grading.handed_in import OURS
from autograder.grading.submission import SKIPPED
from autograder.grading.versions import ENGINE_VERSION, contents, digest, hidden_digests, of_exercises
from autograder.grading.workers import FEW, Worker
from autograder.kept import KeptDigests
from autograder.results import Cell
from autograder.stubs import ClearAnswers

if TYPE_CHECKING:
    from helpers.checking.sheet import Sheet

AUTOTEST = InstantiateTests().autotest_delimiter
T = TypeVar("T")
# Where cells or right answers need these, torch imports modules for most of a second: in each child that
# has them, or before the first.
LATE = re.compile(r"""["']meta["']|\bvmap\b|\btorch\.func\.""")


class Late(Mapping[str, T]):
    """A mapping whose keys are known, and whose values are made when one is first asked for.

    Exercises import torch, and most commands need none: grading, too, where nothing is new.
    """

    def __init__(self, keys: Iterable[str], make: Callable[[], Mapping[str, T]]) -> None:
        self._keys, self._make = tuple(keys), make

    def __getitem__(self, key: str) -> T:
        if key not in self._keys:
            raise KeyError(key)
        return self._made[key]

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __reduce__(self) -> tuple:
        return dict, (dict(self._made),)

    @cached_property
    def _made(self) -> Mapping[str, T]:
        return self._make()


@dataclass(frozen=True)
class Lesson:
    """What grading one lesson takes.

    Attributes:
        name: such as `01_attention`.
        folder: its source folder.
        skeletons: by name, its notebooks as released, made from the source: student copies prove nothing.
        outlines: what earns points by itself, by id, in the notebook's order: exercises, or the tests of a
            foreign assignment.
        exercises: their specifications, which import torch; a foreign assignment has none.
        solutions: the cells that solve them, by id, for what builds on them.
        visible: its students' sheets by exercise, which import torch, too; a foreign assignment has none.
        given: what students have beside the notebooks, by relative path, and can't hand in another of.
        ignore: names of files, as patterns, that are nobody's; of our lessons, what comes with them.
        content: a digest of the notebooks and of what is given out with them.
        versions: by exercise id: changes with anything that can change this exercise's verdict. A foreign
            assignment has none: its tests run beside the student's code, so all run or none.
        foreign: whether it is an nbgrader assignment with tests in it instead of checks.
        root: the course's folder.
    """

    name: str
    folder: Path
    skeletons: dict[str, NotebookNode]
    outlines: Mapping[str, Outline]
    exercises: Mapping[str, Exercise]
    solutions: Mapping[str, str]
    visible: Mapping[str, "Sheet"]
    given: dict[str, bytes]
    content: str
    versions: Mapping[str, str]
    foreign: bool
    root: Path
    ignore: tuple[str, ...] = OURS

    @classmethod
    def load(
        cls,
        name: str,
        root: Path,
        config: Config,
        tests: Callable[[str, str], str] = lambda *_: "",
        kept: KeptDigests | None = None,
    ) -> "Lesson":
        """Read a lesson from the folder of the course's sources, `source/`.

        Args:
            name: such as `01_attention`, or an assignment of any nbgrader course.
            root: the course's folder.
            config: nbgrader's settings.
            tests: the source of a cell as nbgrader's generate_assignment wrote it, by notebook and grade id;
                "" where there is none. Only cells with an AUTOTEST comment are asked for.
            kept: where the course keeps digests of hidden cases; without it, `versions` draws some.

        Raises:
            FileNotFoundError: it isn't built.
            LookupError: its exercises aren't in `checks.json`, it isn't in Python, or its tests aren't made
                yet. Asked for its exercises, also if nothing specifies them.
        """
        course = CourseDirectory(config=config, root=str(root))
        folder = Path(course.format_path(course.source_directory, ".", name))
        paths = sorted(folder.glob("*.ipynb"))
        if not paths:
            lessons.load_source_notebook(name, root)  # raises, and says what to do
        sources = {path.stem: _with_ids(nbformat.read(path, as_version=4)) for path in paths}
        foreign = not any("headstart" in source.metadata for source in sources.values())
        if not foreign:  # one notebook; a copy that somebody left beside it is no part of the lesson
            if name not in sources:
                lessons.load_source_notebook(name, root)  # raises, and says what to do
            paths, sources = [folder / f"{name}.ipynb"], {name: sources[name]}
            if not (folder / "checks.json").is_file():
                raise FileNotFoundError(
                    f"{folder}/checks.json isn't there: build it with `headstart build {name}`"
                )
        ignore = tuple(course.ignore) if foreign else OURS
        stays = Autograde(config=config).exclude_overwriting.get(name, []) if foreign else []
        given = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in (_given(folder, ignore) if foreign else [folder / "checks.json"])
            if path.is_file() and str(path.relative_to(folder)) not in stays
        }
        if foreign:
            _validate(name, sources)
            _fill_in_tests(name, sources, tests)
        cells = [cell.source for source in sources.values() for cell in source.cells]
        content = digest(ENGINE_VERSION, *contents(paths), *cells, *given.keys(), *given.values())
        skeletons = {notebook: release(source, config) for notebook, source in sources.items()}
        asked = _foreign(sources) if foreign else _ours(name, folder, sources[name], skeletons[name], kept)
        return cls(
            name,
            folder,
            skeletons,
            **asked,
            given=given,
            content=content,
            foreign=foreign,
            root=root,
            ignore=ignore,
        )

    @cached_property
    def version(self) -> str:
        """Changes when anything does that can change a grade: what is given out, exercises, the engine."""
        return digest(self.content, *self.versions.values())

    @property
    def own_files(self) -> dict[str, bytes]:
        """What goes into the autograded folders, as nbgrader has it; of our lessons nothing."""
        return self.given if self.foreign else {}

    def outlines_of(self, notebook: str) -> dict[str, Outline]:
        """What earns points in one of its notebooks, by id."""
        ids = {exercise_id(cell, notebook, self.foreign) for cell in self.skeletons[notebook].cells}
        return {id: outline for id, outline in self.outlines.items() if id in ids}

    def new_worker(self, sandboxed: bool) -> Worker:
        """A worker that shows student code what this lesson's students have, and nothing else."""
        elsewhere = () if self.folder.is_relative_to(self.root) else (self.folder.parent,)
        # defence: worker: the course is hidden
        hide = (self.root, *elsewhere, *with_solutions())
        helpers = lessons.helper_files(0 if self.foreign else lessons.number(self.name))
        cells = [cell for notebook in self.skeletons.values() for cell in notebook.cells]
        code = [cell.source for cell in cells if cell.cell_type == "code"]
        if not self.foreign:
            answers = current().root / "exercises" / lessons.topic(self.name)
            code += [path.read_text() for path in answers.glob("*.py")]
        late = any(map(LATE.search, code))
        few = 0 if late else FEW
        usual = [name for name in ("matplotlib.pyplot", "torch") if find_spec(name.partition(".")[0])]
        packages = tuple(usual) if self.foreign else current().packages
        return Worker(
            helpers, self.given, hide, sandboxed, self.foreign, late=late, packages=packages, few=few
        )

    def cells(self, notebook: NotebookNode, name: str) -> list[Cell]:
        """The cells of a canonical notebook that are to be run."""
        answers = {
            lessons.exercise_of(cell): Cell(cell.id, cell.source)
            for cell in notebook.cells
            if lessons.kind(cell) == "exercise"
        }
        return [
            Cell(cell.id, cell.source, exercise, answers.get(exercise))
            for cell in notebook.cells
            if cell.cell_type == "code" and lessons.kind(cell) not in ("draw", "bundle")
            for exercise in [exercise_id(cell, name, self.foreign)]
            if exercise or SKIPPED not in cell.metadata.get("tags", [])
        ]


def exercise_id(cell: NotebookNode, notebook: str, foreign: bool) -> str:
    """The id of the exercise that a cell earns points for; "" where it earns none by itself."""
    if foreign:
        return f"{notebook}/{cell.metadata.nbgrader.grade_id}" if lessons.is_test(cell) else ""
    return lessons.exercise_of(cell) if lessons.kind(cell) == "check" else ""


def _ours(
    name: str, folder: Path, source: NotebookNode, skeleton: NotebookNode, kept: KeptDigests | None
) -> dict[str, Any]:
    """What a lesson of ours asks: outlines, and exercises, sheets and versions once they are needed."""
    # A teacher may have changed them in the source, and nbgrader's tables follow that.
    points = {
        lessons.exercise_of(cell): (cell.metadata.nbgrader.grade and cell.metadata.nbgrader.points) or 0
        for cell in skeleton.cells
        if lessons.kind(cell) == "check"
    }
    ids = [*points]
    code = [cell.source for cell in skeleton.cells if cell.cell_type == "code"]
    solutions = {
        lessons.exercise_of(cell): cell.source for cell in source.cells if lessons.kind(cell) == "exercise"
    }
    sheets = _read_sheets(folder / "checks.json", ids)
    sheets = {id: {**sheet, "points": points[id]} for id, sheet in sheets.items()}
    specified = cache(partial(_specified, name, ids))

    def versions() -> dict[str, str]:
        hidden = hidden_digests(name, ids, specified, kept)
        return of_exercises(code, name, sheets, hidden, solutions)

    return {
        "outlines": {id: _outline(sheet) for id, sheet in sheets.items()},
        "exercises": Late(ids, specified),
        "solutions": solutions,
        "visible": Late(ids, partial(_sheets, sheets, specified)),
        "versions": Late(ids, versions),
    }


def _read_sheets(path: Path, ids: list[str]) -> dict[str, dict]:
    """The sheets of a lesson's exercises as `checks.json` holds them."""
    if not path.is_file():
        raise FileNotFoundError("no checks.json beside this notebook: keep the lesson's folder together")
    sheets = json.loads(path.read_text(encoding="utf-8"))
    if missing := [id for id in ids if id not in sheets]:
        raise LookupError(f"{path} has no exercise {missing[0]!r}; it has {', '.join(sheets)}")
    return {id: sheets[id] for id in ids}


def _outline(sheet: dict) -> Outline:
    known = (Mistake(each["name"], each["sentence"]) for each in sheet["misconceptions"])
    return Outline(sheet["exercise"], sheet["title"], sheet["points"], tuple(known))


def _specified(name: str, ids: list[str]) -> dict[str, Exercise]:
    found = specs.load(lessons.topic(name))
    if missing := [id for id in ids if id not in found]:
        raise LookupError(
            f"{name} checks {missing[0]!r}, which is no exercise of {current().name}; if it is from a "
            "different course, name that: headstart --course FOLDER"
        )
    return {id: found[id] for id in ids}


def _sheets(sheets: dict[str, dict], specified: Callable[[], dict[str, Exercise]]) -> dict[str, "Sheet"]:
    """The sheets that students have, by which the references of today are right.

    Raises:
        LookupError: one isn't: it has changed since the lesson was built, or the build has refused it.
    """
    from autograder.sheets import failing_case
    from helpers.checking.sheet import Sheet

    made = {id: Sheet.from_json(sheet) for id, sheet in sheets.items()}
    for id, exercise in specified().items():
        # defence: lesson: an exercise that was changed and not built
        if failing_case(exercise, exercise.reference, made[id]) is not None:
            topic = id.partition(".")[0]
            raise LookupError(
                f"{id}: its reference fails the check that students have; the exercise or Headstart "
                f"has changed since the lesson was built: undo that, or call `headstart build {topic}`"
            )
    return made


def _foreign(sources: dict[str, NotebookNode]) -> dict[str, Any]:
    """What a foreign assignment asks, as `_ours` gives it: tests, of which nothing else is known."""
    return {
        "outlines": dict(_tests(sources)),
        "exercises": {},
        "solutions": {},
        "visible": {},
        "versions": {},
    }


def _tests(sources: dict[str, NotebookNode]) -> Iterator[tuple[str, Outline]]:
    for notebook, source in sources.items():
        for cell in filter(lessons.is_test, source.cells):
            id, flags = exercise_id(cell, notebook, True), cell.metadata.nbgrader
            title = flags.grade_id if len(sources) == 1 else f"{notebook} · {flags.grade_id}"
            yield id, Outline(id, title, flags.points)


def _with_ids(notebook: NotebookNode) -> NotebookNode:
    """The notebook with an id for each cell that has none: older formats know no ids."""
    for number, cell in enumerate(notebook.cells):
        known = cell.metadata.get("nbgrader", {}).get("grade_id", f"cell-{number}")
        cell.setdefault("id", known)
    notebook.nbformat_minor = max(notebook.nbformat_minor, 5)
    return notebook


def _given(folder: Path, ignore: tuple[str, ...]) -> list[Path]:
    """What nbgrader gives out beside the notebooks."""
    return sorted(map(Path, find_all_files(str(folder), [*ignore, "*.ipynb"])))


def _validate(name: str, sources: dict[str, NotebookNode]) -> None:
    """Stop at what nbgrader's own check of a source would stop at, and at other languages.

    Raises:
        LookupError: there is such a thing, a cell without its id, say, or two with one.
    """
    for notebook, source in sources.items():
        language = source.metadata.get("kernelspec", {}).get("language", "python")
        if language.lower() != "python":
            raise LookupError(f"{notebook}.ipynb is in {language}: only Python can be graded")
        try:
            MetadataValidator().validate_nb(source)
        except SchemaTooOldError:
            raise LookupError(
                f"{notebook}.ipynb is of an older nbgrader: call `nbgrader update source/{name}`"
            ) from None
        except (SchemaTooNewError, ValidationError) as error:
            reason = str(error).partition("\n")[0]
            raise LookupError(f"{notebook}.ipynb can't be read, by nbgrader neither: {reason}") from None


def _fill_in_tests(name: str, sources: dict[str, NotebookNode], tests: Callable[[str, str], str]) -> None:
    """Put the tests that nbgrader's generate_assignment wrote in the place of AUTOTEST comments.

    Such a comment alone would pass every answer.

    Raises:
        LookupError: they aren't written yet.
    """
    cells = [(id, cell) for id, source in sources.items() for cell in filter(lessons.is_test, source.cells)]
    for notebook, cell in cells:
        if AUTOTEST not in cell.source:
            continue
        grade_id = cell.metadata.nbgrader.grade_id
        cell.source = tests(notebook, grade_id) or cell.source
        # defence: foreign: tests that aren't written yet
        if AUTOTEST in cell.source:
            raise LookupError(
                f"{grade_id} in {notebook}.ipynb has an AUTOTEST: `nbgrader generate_assignment {name}` "
                "writes its tests, and wasn't called yet"
            )


def release(source: NotebookNode, config: Config) -> NotebookNode:
    """A source notebook as students get it, with nbgrader's checksums, which tell an answer from a blank."""
    released = copy.deepcopy(source)
    resources: dict[str, object] = {}
    # Outputs, too: a cell that doesn't come to run would show students those of the solution.
    for step in (ClearAnswers(config=config), ClearOutput(config=config), ComputeChecksums(config=config)):
        released, resources = step.preprocess(released, resources)
    return released
