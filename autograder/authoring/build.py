"""Masters -> source -> release: what people open is built from `notebooks/`, and only from there.

Everything is made in a folder of its own first. A mistake stops the build of its lesson, and of no other,
before a file is touched. What is already as it should be is left alone: nobody's open notebook is disturbed.
"""

import contextlib
import json
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path

import nbformat
from nbgrader.converters import GenerateAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.utils import capture_log
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from autograder import exercises
from autograder import lessons as course
from autograder.answers import SlipError
from autograder.authoring import bundles, trees
from autograder.authoring.expanding import read_lesson, what_is_revealed, with_model_answers
from autograder.authoring.leaks import leaks
from autograder.authoring.lesson_numbers import in_readme, numbers_of
from autograder.authoring.master import Cell, MasterError, Mistake, did_you_mean, read_master
from autograder.authoring.mutating import verified
from autograder.authoring.mutating.verified import Slips
from autograder.authoring.review import BEGIN, END, parse, review, unfinished
from autograder.authoring.rules import of_exercises, of_pictures, of_predictions, place
from autograder.authoring.source import SpecError, alike, as_text, dump, make_checks, make_notebook
from autograder.authoring.starting import SKELETONS
from autograder.authoring.trials import Load
from autograder.courses import current
from autograder.exercise import Exercise
from autograder.lessons import counted
from autograder.recall import Recall
from helpers.figures.predicting import REVEALED, predictions
from helpers.storage import write_whole


def build(lessons: list[str], check: bool, *, root: Path | None = None, load: Load = exercises.load) -> int:
    """Build lessons, or only compare them with what would be built.

    Args:
        lessons: their names, as `lessons.find` takes them. None means all.
        check: compare and write nothing.
        root: the course's folder; None means the current course's.
        load: where a topic's exercises come from.

    Returns:
        The exit code: 1 after a mistake in a lesson, whatever became of the others, or, with `check`, a
        difference.
    """
    begun, root = time.monotonic(), root or current().root
    try:
        names = sorted({course.find(name, root) for name in lessons}) or course.names(root)
        with tempfile.TemporaryDirectory(prefix="headstart-") as folder:
            made, mistakes = _make(names, Path(folder).resolve(), check, root, load)
    except LookupError as error:
        print(f"headstart: {error.args[0]}", file=sys.stderr)
        return 1
    if mistakes:
        found = MasterError([each for those in mistakes.values() for each in those])
        print(found, file=sys.stderr)
        names = [name for name in names if name not in mistakes]
        left = f"{' and '.join(mistakes)} not built" if names else "nothing built"
        print(f"headstart: {counted(len(found.mistakes), 'mistake')}, {left}", file=sys.stderr)
        if not names:
            return 1
    report = _check if check else _write
    summary = f"{counted(len(names), 'lesson')}, {time.monotonic() - begun:.1f} s"
    return max(report(names, made, root, summary), bool(mistakes))


def _check(names: list[str], made: Mapping[str, bytes], root: Path, summary: str) -> int:
    found = trees.differences(names, made, root)
    for path, what in found.items():
        print(f"{path} {what}", file=sys.stderr)
    if not found:
        print(f"headstart: source/ and release/ are in step with notebooks/ ({summary})")
        return 0
    rooms = {part for path in found for part in Path(path).parts}
    stale = [name for name in names if rooms & {name, course.topic(name)}]
    command = " ".join(["headstart build", *stale])
    print(f"headstart: {counted(len(found), 'difference')}; to fix: {command}", file=sys.stderr)
    return 1


def _write(names: list[str], made: Mapping[str, bytes], root: Path, summary: str) -> int:
    count, kept = trees.write(names, made, root)
    for path in kept:
        print(
            f"headstart: {path} has answers in it, so it stays; move it away and build again", file=sys.stderr
        )
    print(f"headstart: {counted(count, 'file')} written ({summary})")
    return 0


# -- making ----------------------------------------------------------------------------------------------


def make(
    names: list[str],
    folder: Path,
    check: bool = False,
    *,
    root: Path | None = None,
    load: Load = exercises.load,
) -> dict[str, bytes]:
    """Build lessons in an empty folder.

    Args:
        names: of the lessons.
        folder: receives `source/`, `release/` and the records of what was tried.
        check: take what is known of the exercises as it is, and try nothing.
        root: the course's folder, with the masters and helpers, and with what was built before.
        load: where a topic's exercises come from.

    Returns:
        What was made: the bytes of each file, by its path below the course's folder.

    Raises:
        MasterError: there are mistakes in the lessons.
    """
    made, mistakes = _make(names, folder, check, root or current().root, load)
    if mistakes:
        raise MasterError([each for those in mistakes.values() for each in those])
    return made


def _make(
    names: list[str], folder: Path, check: bool, root: Path, load: Load
) -> tuple[dict[str, bytes], dict[str, list[Mistake]]]:
    """As `make`. A lesson with mistakes is left out, and stops no other; those are returned, by lesson."""
    mistakes: dict[str, list[Mistake]] = {}
    cells: dict[str, list[Cell]] = {}
    for lesson in names:
        try:
            cells[lesson] = _make_source(lesson, folder, check, root, load)
        except MasterError as error:
            mistakes[lesson] = error.mistakes
    if cells:
        _generate(folder, root)
    for lesson in cells:
        if found := list(_audit(lesson, cells[lesson], folder)):
            mistakes[lesson] = found
            for tree in ("source", "release"):
                shutil.rmtree(folder / tree / lesson)
            continue
        _count_in_readme(lesson, cells[lesson], folder, root, load)
        packed = bundles.bundle(lesson, _held(folder / "release" / lesson))
        write_whole(folder / "release" / f"{lesson}.zip", packed)
    return _held(folder), mistakes


def _held(folder: Path) -> dict[str, bytes]:
    """What the files in a folder hold, by path below it."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def _make_source(lesson: str, folder: Path, check: bool, root: Path, load: Load) -> list[Cell]:
    """Fill `source/` with one lesson, record what was tried of it, and return its master's cells."""
    if left := unfinished(lesson, root):
        raise MasterError(left)
    specs, topic = _specs(lesson, load), course.topic(lesson)
    known = predictions(topic) if (root / f"helpers/{topic}/predictions.py").is_file() else {}
    cells, mistakes = read_lesson(lesson, specs, known, root)
    mistakes = mistakes or [
        *review(lesson, cells, specs, _master(lesson)),
        *of_exercises(lesson, specs, cells, root),
        *of_predictions(lesson, known, cells, root),
        *of_pictures(lesson, cells, root),
        *leaks(lesson, root, load),
    ]
    if mistakes:
        raise MasterError(mistakes)
    built = folder / "source" / lesson
    try:
        checks = make_checks(cells, specs, _titles(specs, load), _recalled(specs, root))
    except SpecError as error:
        raise MasterError([Mistake(*place(error.exercise, root), str(error))]) from error
    for exercise, slips in _slips(lesson, folder, check, root, specs, load).items():
        checks[exercise]["slips"] = slips
    text = _unless_alike(course.release_path(lesson, root).with_name("checks.json"), dump(checks))
    write_whole(built / "checks.json", text.encode())
    if settings(root).Headstart.get("model_answers", True):
        cells = list(with_model_answers(cells))
    helpers = _helpers(lesson, cells, folder, root)
    for name, content in helpers.items():
        write_whole(built / name, content)
    cells = bundles.with_first_cell(lesson, cells, text, helpers)
    write_whole(built / f"{lesson}.ipynb", as_text(make_notebook(lesson, cells, specs)).encode())
    return cells


def _helpers(lesson: str, cells: list[Cell], folder: Path, root: Path) -> dict[str, bytes]:
    """The helpers of a lesson's students, by path. What the lesson reveals is written beside them, too."""
    helpers = {
        name: trees.contents(path) for name, path in course.helper_files(course.number(lesson), root).items()
    }
    told, name = what_is_revealed(cells), f"helpers/{course.topic(lesson)}/{REVEALED}"
    if json.loads(told) or name in helpers:
        helpers[name] = told
        write_whole(folder / name, told)
    return helpers


def _count_in_readme(lesson: str, cells: list[Cell], folder: Path, root: Path, load: Load) -> None:
    """Write a lesson's numbers into the README's table, where the course has one."""
    made = folder / "README.md"
    known = made if made.is_file() else root / "README.md"
    if known.is_file():
        text = trees.contents(known).decode()
        counted = in_readme(text, lesson, numbers_of(cells, _specs(lesson, load)))
        if made.is_file() or counted != text:
            write_whole(made, counted.encode())


def _master(lesson: str) -> str:
    return f"notebooks/{lesson}.py"


def _specs(lesson: str, load: Load) -> Mapping[str, Exercise]:
    """A lesson's exercises. Whatever goes wrong on importing them is an author's mistake like the others."""
    folder = f"exercises/{course.topic(lesson)}"
    try:
        return load(course.topic(lesson))
    except Exception as error:
        file, line = f"{folder}/__init__.py", 1
        places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
        if isinstance(error, SyntaxError):  # its own file isn't among those that ran
            places.append((error.filename or "", error.lineno))
        for path, number in places:
            if (found := Path(path)).parent.as_posix().endswith(folder):
                file, line = f"{folder}/{found.name}", number or 1
        said = getattr(error, "msg", None) or str(error)
        text = said if isinstance(error, SlipError) else f"{type(error).__name__}: {said}"
        raise MasterError([Mistake(file, line, text)]) from error


def _titles(specs: Mapping[str, Exercise], load: Load) -> dict[str, str]:
    """The title of every exercise that one of these builds on, of this lesson or of another."""
    titles = {}
    for spec in specs.values():
        for need in spec.needs:
            known = specs if need in specs else load(need.partition(".")[0])
            if need not in known:
                near = did_you_mean(need, list(known))
                cure = f'did you mean "{near}"?' if near else "remove it from `needs`"
                raise SpecError(spec.id, f'"{spec.id}" needs "{need}", which is not an exercise; {cure}')
            titles[need] = known[need].title
    return titles


def _recalled(specs: Mapping[str, Exercise], root: Path) -> dict[str, str]:
    """Where an earlier lesson explains what one of these recalls, as a heading, by the id of this one."""
    found: dict[str, str] = {}
    for lesson in course.names(root):
        recalled = {id: spec.about for id, spec in specs.items() if isinstance(spec, Recall)}
        if course.topic(lesson) in {about.partition(".")[0] for about in recalled.values()}:
            cells, _ = read_master(course.master_path(lesson, root), _master(lesson))
            headings = {cell.id: cell.heading for cell in cells if cell.kind == "exercise"}
            found |= {
                id: f"{headings[about]}, in lesson {course.number(lesson):02d}"
                for id, about in recalled.items()
                if about in headings
            }
    return found


def _slips(
    lesson: str, folder: Path, check: bool, root: Path, specs: Mapping[str, Exercise], load: Load
) -> Mapping[str, Slips]:
    """The slips of a lesson's exercises. Unless checking, tries what has changed, and records that.

    Raises:
        MasterError: an answer isn't judged as it should be, or a mutant passes that isn't listed.
    """
    topic = course.topic(lesson)
    if not (root / "exercises" / topic).is_dir():
        return {}  # a course whose exercises aren't written in its folder
    if check:
        records, slips = verified.in_step(topic, specs, root, load), verified.known_slips(topic, root)
    else:
        records, slips = verified.verify(topic, specs, root, load)
    write_whole(folder / verified.record_file(topic), verified.to_json(records).encode())
    return {id: slips.get(id, {}) for id in records}


def _unless_alike(path: Path, text: str) -> str:
    """The text, or what a file holds where that has the same numbers but for rounding."""
    with contextlib.suppress(OSError, ValueError):
        kept = trees.contents(path).decode()
        if kept != text and dump(checks := json.loads(kept)) == kept and alike(checks, json.loads(text)):
            return kept
    return text


def settings(root: Path) -> Config:
    """What a course's `nbgrader_config.py` sets, for nbgrader and us; without one, that of a new course."""
    place = root if (root / "nbgrader_config.py").is_file() else SKELETONS / "course"
    return PyFileConfigLoader("nbgrader_config.py", path=str(place)).load_config()


def _generate(folder: Path, root: Path) -> None:
    """Let nbgrader make `release/` of `source/`, as `nbgrader generate_assignment` does, but no database."""
    config = settings(root)
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.assignment_id = "*"
    config.GenerateAssignment.no_database = True
    config.SaveCells.enabled = False
    result = capture_log(GenerateAssignment(coursedir=CourseDirectory(config=config), config=config))
    if not result["success"]:
        # The review finds what an author can do wrong, so this is a bug of ours: show all there is.
        raise RuntimeError(f"nbgrader's generate_assignment failed\n{result.get('log', '')}{result['error']}")


def _audit(lesson: str, cells: list[Cell], folder: Path) -> Iterator[Mistake]:
    """Look at the release as a student would: no solution left, and something to fill in."""
    released = nbformat.read(course.release_path(lesson, folder), as_version=4).cells
    for cell, seen in zip(filter(lambda cell: cell.stays, cells), released, strict=True):
        if BEGIN in seen.source or END in seen.source:
            text = "students would see the solution; put each of its marks on a line of its own"
            yield Mistake(_master(lesson), cell.line, text)
        if cell.kind not in ("exercise", "predict"):
            continue
        try:
            parse(seen.source)
        except SyntaxError as error:
            text = f"syntax error without the solution: {error.msg}; move the solution's marks"
            yield Mistake(_master(lesson), cell.line, text)
        if seen.metadata.headstart.get("choice") and "..." not in seen.source:
            text = "students would find no slot to fill in; write `...` for each, above the solution"
            yield Mistake(_master(lesson), cell.line, text)


if __name__ == "__main__":
    sys.exit(build([name for name in sys.argv[1:] if name != "--check"], "--check" in sys.argv))
