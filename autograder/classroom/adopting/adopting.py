"""A source notebook of nbgrader, made into a lesson whose exercises are first specs."""

import ast
import re
import sys
import unicodedata
from pathlib import Path

from autograder import lessons
from autograder.authoring.mutating.mutants import sources
from autograder.authoring.starting import new_lesson
from autograder.classroom.adopting.notebook import Lost, Source, read
from autograder.classroom.adopting.running import Recorded, Run, opened, passing, record
from autograder.classroom.adopting.writing import Adopted, exercise_file, master, place, report, titled
from helpers.storage import write_whole

MUTANTS = 150  # of one function that are tried
QUESTIONS = "TODO: the questions that it answers."


def adopt(
    path: Path, root: Path, sandboxed: bool = True
) -> tuple[str, list[Adopted], list[Lost], list[Path]]:
    """Make a lesson of a notebook. It runs in the sandbox alone; the files that are written hold its code.

    Args:
        path: the notebook.
        root: the course's folder.
        sandboxed: if not, the notebook runs with your own rights.

    Returns:
        The lesson's name, its exercises, what isn't taken over, and the files that were written.

    Raises:
        LookupError: it can't be read or run, no function of it is tested, or there is such a lesson.
    """
    source = read(path)
    with opened(path.absolute().parent, sandboxed) as run:
        adopted = _adopted(source, record(source, run))
        if not adopted:
            raise LookupError(_nothing(source))
        _try_mutants(source, adopted, run)
    return _written(source, adopted, root)


def _try_mutants(source: Source, adopted: list[Adopted], run: Run) -> None:
    """Note which mutants a notebook's tests let pass. The first of them is none, and has to pass."""
    made = {each.name: [("", ast.unparse(each.node)), *sources(each.node)] for each in adopted}
    made = {name: those[: MUTANTS + 1] for name, those in made.items()}
    codes = {name: [code for _, code in those] for name, those in made.items()}
    tests = {each.name: each.tests for each in adopted}
    passed = passing(source, run, codes, tests)
    for each in adopted:
        if 0 not in passed[each.name]:
            told = f"the tests of `{each.name}` fail when run once more: no mutants tried"
            source.lost.append(Lost(each.part.number, told))
            continue
        each.mutants = len(codes[each.name]) - 1
        each.passing = [made[each.name][number][0] for number in passed[each.name] if number]


def _adopted(source: Source, calls: list[Recorded]) -> list[Adopted]:
    """The functions that a test calls with what can be a case. Whatever can't be is added to what is lost."""
    found = []
    for part in source.of("solution"):
        for node in part.definitions if part.code else []:
            mine = [call for call in calls if call.name == node.name]
            fit = [call for call in mine if not call.unfit]
            unfit = {(call.cell, call.unfit): call for call in mine if call.unfit}
            source.lost += [Lost(cell, f"a call of `{node.name}`: {why}") for cell, why in unfit]
            if not fit:
                told = "no call of it can be a case" if mine else "no test calls it"
                source.lost.append(Lost(part.number, f"`{node.name}`: {told}"))
                continue
            cells = {call.cell for call in mine}
            tests = [each for each in source.of("test") if each.number in cells]
            found.append(Adopted(node.name, part, node, tests, titled(fit, node.name)))
    return found


def _nothing(source: Source) -> str:
    told = "; ".join(f"cell {each.number}: {each.text}" for each in source.lost)
    return f"{source.name}.ipynb has no function that its tests call with plain values: {told}"


def _written(
    source: Source, adopted: list[Adopted], root: Path
) -> tuple[str, list[Adopted], list[Lost], list[Path]]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", source.name) if not unicodedata.combining(c))
    topic = re.sub(r"[^a-z0-9]+", "_", plain.casefold()).strip("_")
    topic = topic if topic[:1].isalpha() else f"lesson_{topic}"
    lesson, changed = new_lesson(topic, root)
    write_whole(lessons.master_path(lesson, root), master(source, adopted, lesson).encode())
    for path in changed:
        text = path.read_text(encoding="utf-8")
        if QUESTIONS in text:
            write_whole(path, text.replace(QUESTIONS, f"Adopted from {source.name}.ipynb.").encode())
    folder = place(root, topic).parent
    for each in adopted:
        file = folder / f"{each.id}.py"
        write_whole(file, exercise_file(each, topic, adopted, source).encode())
        changed.append(file)
    write_whole(place(root, topic), report(source, adopted, source.lost, lesson).encode())
    return lesson, adopted, source.lost, [*changed, place(root, topic)]


def unlisted(written: list[Path], packages: tuple[str, ...]) -> list[str]:
    """The packages that adopted exercises import, and a course doesn't list."""
    found = set()
    for path in written:
        if path.suffix == ".py" and path.parent.parent.name == "exercises":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    found |= {alias.name.partition(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    found.add((node.module or "").partition(".")[0])
    known = {
        *sys.stdlib_module_names,
        "headstart",
        "exercises",
        *(each.partition(".")[0] for each in packages),
    }
    return sorted(found - known)
