"""What grading one lesson takes: its notebooks, its exercises, and what its students may read.

A lesson of ours has one notebook, whose checks the judge decides. Any other nbgrader assignment is graded
too: it may have several notebooks, and tests that run beside the student's code.
"""

import copy
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

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
from autograder.exercise import Exercise
from autograder.grading.submission import OURS, SKIPPED
from autograder.grading.workers import FEW, Worker
from autograder.results import Cell
from autograder.sheets import make_sheet
from autograder.stubs import ClearAnswers
from helpers.checks import Sheet, load_sheet

ENGINE_VERSION = "4"  # raised when a change of the engine can change a grade
AUTOTEST = InstantiateTests().autotest_delimiter
# Where cells need these, torch imports modules for most of a second: in each child, or before the first.
LATE = re.compile(r"""["']meta["']|\bvmap\b""")


@dataclass(frozen=True)
class Lesson:
    """What grading one lesson takes.

    Attributes:
        name: such as `01_attention`.
        folder: its source folder.
        skeletons: by name, its notebooks as released, made from the source: student copies prove nothing.
        exercises: what earns points by itself, by id: its specifications, or the tests of a plain assignment.
        visible: its students' sheets by exercise; the tests of a plain assignment have none.
        given: what students have beside the notebooks, by relative path, and can't hand in another of.
        ignore: names of files, as patterns, that are nobody's; of our lessons, what comes with them.
        version: changes when anything does that can change a grade: the notebooks, `checks.json`, the
            exercises, the engine's version.
        versions: by exercise id: changes when anything does that can change this exercise's verdict. A plain
            assignment has none: its tests run beside the student's code, so all run or none.
        plain: whether it is an nbgrader assignment with tests in it instead of checks.
        root: the course's folder.
    """

    name: str
    folder: Path
    skeletons: dict[str, NotebookNode]
    exercises: dict[str, Exercise]
    visible: dict[str, Sheet]
    given: dict[str, bytes]
    version: str
    versions: dict[str, str]
    plain: bool
    root: Path
    ignore: tuple[str, ...] = OURS

    @classmethod
    def load(
        cls, name: str, root: Path, config: Config, tests: Callable[[str, str], str] = lambda *_: ""
    ) -> "Lesson":
        """Read a lesson from the folder of the course's sources, `source/`.

        Args:
            name: such as `01_attention`, or an assignment of any nbgrader course.
            root: the course's folder.
            config: nbgrader's settings.
            tests: the source of a cell as nbgrader's generate_assignment wrote it, by notebook and grade id;
                "" where there is none. Only cells with an AUTOTEST comment are asked for.

        Raises:
            FileNotFoundError: it isn't built, or a clone of it has no numbers for its checks yet.
            LookupError: nothing specifies its exercises, it isn't in Python, or its tests aren't made yet.
        """
        course = CourseDirectory(config=config, root=str(root))
        folder = Path(course.format_path(course.source_directory, ".", name))
        paths = sorted(folder.glob("*.ipynb"))
        if not paths:
            lessons.load_source_notebook(name, root)  # raises, and says what to do
        sources = {path.stem: _with_ids(nbformat.read(path, as_version=4)) for path in paths}
        plain = not any("headstart" in source.metadata for source in sources.values())
        if not plain:  # one notebook; a copy that somebody left beside it is no part of the lesson
            if name not in sources:
                lessons.load_source_notebook(name, root)  # raises, and says what to do
            paths, sources = [folder / f"{name}.ipynb"], {name: sources[name]}
            if not (folder / "checks.json").is_file():  # git has no copy: `release/` has the file
                raise FileNotFoundError(
                    f"{folder}/checks.json isn't there: build it with `headstart build {name}`"
                )
        ignore = tuple(course.ignore) if plain else OURS
        kept = Autograde(config=config).exclude_overwriting.get(name, []) if plain else []
        given = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in (_given(folder, ignore) if plain else [folder / "checks.json"])
            if path.is_file() and str(path.relative_to(folder)) not in kept
        }
        if plain:
            _validate(name, sources)
            _fill_in_tests(name, sources, tests)
            exercises, visible, versions = dict(_tests(sources)), {}, {}
        else:
            exercises = _specified(name, sources[name])
            visible = {id: load_sheet(id, folder) for id in exercises}
            versions = _versions(name, release(sources[name], config), exercises, visible)
        cells = [cell.source for source in sources.values() for cell in source.cells]
        version = _digest(
            ENGINE_VERSION, *_contents(paths), *cells, *given.keys(), *given.values(), *versions.values()
        )
        skeletons = {notebook: release(source, config) for notebook, source in sources.items()}
        return cls(name, folder, skeletons, exercises, visible, given, version, versions, plain, root, ignore)

    @property
    def own_files(self) -> dict[str, bytes]:
        """What goes into the autograded folders, as nbgrader has it; of our lessons nothing."""
        return self.given if self.plain else {}

    def exercises_of(self, notebook: str) -> dict[str, Exercise]:
        """The exercises of one of its notebooks, by id."""
        ids = {exercise_id(cell, notebook, self.plain) for cell in self.skeletons[notebook].cells}
        return {id: exercise for id, exercise in self.exercises.items() if id in ids}

    def new_worker(self, sandboxed: bool) -> Worker:
        """A worker that shows student code what this lesson's students have, and nothing else."""
        elsewhere = () if self.folder.is_relative_to(self.root) else (self.folder.parent,)
        hide = (self.root, *elsewhere, lessons.ROOT)
        helpers = lessons.helper_files(0 if self.plain else lessons.number(self.name))
        cells = [cell for notebook in self.skeletons.values() for cell in notebook.cells]
        late = any(cell.cell_type == "code" and LATE.search(cell.source) for cell in cells)
        return Worker(tuple(helpers), self.given, hide, sandboxed, self.plain, few=0 if late else FEW)

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
            for exercise in [exercise_id(cell, name, self.plain)]
            if exercise or SKIPPED not in cell.metadata.get("tags", [])
        ]


def exercise_id(cell: NotebookNode, notebook: str, plain: bool) -> str:
    """The id of the exercise that a cell earns points for; "" where it earns none by itself."""
    if plain:
        return f"{notebook}/{cell.metadata.nbgrader.grade_id}" if lessons.is_test(cell) else ""
    return lessons.exercise_of(cell) if lessons.kind(cell) == "check" else ""


def _specified(name: str, source: NotebookNode) -> dict[str, Exercise]:
    found = specs.load(lessons.topic(name))
    wanted = [lessons.exercise_of(cell) for cell in source.cells if lessons.kind(cell) == "check"]
    if missing := [id for id in wanted if id not in found]:
        raise LookupError(f"{name} checks {missing[0]!r}, which autograder/exercises doesn't specify")
    return {id: found[id] for id in wanted}


def _versions(
    name: str, skeleton: NotebookNode, exercises: dict[str, Exercise], visible: dict[str, Sheet]
) -> dict[str, str]:
    """By exercise, a digest of what decides its verdict, but for the submission and the hidden seed.

    That is the course's code, all of which may run before a check, and its numbers: those that students have,
    and a draw of hidden ones, in which a changed reference shows too.
    """
    ours = [cell.source for cell in skeleton.cells if cell.cell_type == "code"]
    around = _digest(ENGINE_VERSION, *ours, *_contents(lessons.helper_files(lessons.number(name))))
    return {
        id: _digest(around, json.dumps(visible[id].to_json()), _drawn(exercise))
        for id, exercise in exercises.items()
    }


_draws: dict[str, tuple[Exercise, str]] = {}


def _drawn(exercise: Exercise) -> str:
    """A draw of hidden cases as text, made once a process."""
    known, text = _draws.get(exercise.id, (None, ""))
    if known is not exercise:
        text = json.dumps(make_sheet(exercise, "version", misconceptions=False).to_json())
        _draws[exercise.id] = exercise, text
    return text


def _digest(*parts: str | bytes) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(part.encode() if isinstance(part, str) else part).digest())
    return digest.hexdigest()


def _tests(sources: dict[str, NotebookNode]) -> Iterator[tuple[str, Exercise]]:
    """The tests of a plain assignment, as exercises that have no more than a name and points."""
    for notebook, source in sources.items():
        language = source.metadata.get("kernelspec", {}).get("language", "python")
        if language.lower() != "python":
            raise LookupError(f"{notebook}.ipynb is in {language}: only Python can be graded")
        for cell in filter(lessons.is_test, source.cells):
            id, flags = exercise_id(cell, notebook, True), cell.metadata.nbgrader
            title = flags.grade_id if len(sources) == 1 else f"{notebook} · {flags.grade_id}"
            yield id, Exercise(id, title, flags.points, None, lambda generator: [])


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
    """Stop at what nbgrader's own check of a source would stop at.

    Raises:
        LookupError: there is such a thing, a cell without its id, say, or two with one.
    """
    for notebook, source in sources.items():
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
        if AUTOTEST in cell.source:
            raise LookupError(
                f"{grade_id} in {notebook}.ipynb has an AUTOTEST: `nbgrader generate_assignment {name}` "
                "writes its tests, and wasn't called yet"
            )


def installation() -> str:
    """A digest of Headstart's own code: what two machines have to have in common to grade alike."""
    modules = [*lessons.ROOT.glob("autograder/**/*.py"), *lessons.ROOT.glob("helpers/**/*.py")]
    return _digest(*_contents(sorted(modules)))


def _contents(paths: list[Path]) -> Iterator[bytes]:
    return (path.read_bytes() for path in paths)


def release(source: NotebookNode, config: Config) -> NotebookNode:
    """A source notebook as students get it, with nbgrader's checksums, which tell an answer from a blank."""
    released = copy.deepcopy(source)
    resources: dict[str, object] = {}
    # Outputs, too: a cell that doesn't come to run would show students those of the solution.
    for step in (ClearAnswers(config=config), ClearOutput(config=config), ComputeChecksums(config=config)):
        released, resources = step.preprocess(released, resources)
    return released
