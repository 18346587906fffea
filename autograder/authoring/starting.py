"""The skeletons of new lessons and exercises, in which each TODO says what is left to write."""

import keyword
import re
from pathlib import Path
from string import Template

from autograder import lessons
from autograder.lessons import NUMBERED
from helpers.storage import write_whole

SKELETONS = Path(__file__).with_name("skeletons")
NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
NUMBER = re.compile(r"^# (?:## |\*\*(?:Exercise|Question) )\d+\.(\d+)", re.MULTILINE)
ROW = re.compile(r"^\| \d\d .*\|$", re.MULTILINE)  # of the README's table of lessons


def new_lesson(topic: str, root: Path) -> tuple[str, list[Path]]:
    """Start a lesson after the last one: its master, the package of its exercises, its row in the README.

    Args:
        topic: the word in all of its files' names.
        root: the course's folder.

    Returns:
        The lesson's name, and the files that were written.

    Raises:
        LookupError: the word can't be a topic, or is one already.
    """
    _check_name(topic, "a topic")
    known = lessons.names(root)
    if topic in map(lessons.topic, known):
        raise LookupError(f"there is a lesson on {topic} already: {lessons.find(topic, root)}")
    if topic in {name.partition("/")[0].removesuffix(".py") for name in lessons.OPENS}:
        raise LookupError(f"helpers/{topic} is shared by several lessons; choose a different word")
    number = lessons.number(known[-1]) + 1 if known else 0
    lesson = f"{number:02}_{topic}"
    title = _title(topic)
    exercises = root / "exercises" / topic / "__init__.py"
    write_whole(lessons.master_path(lesson, root), _skeleton("lesson", number=number, title=title))
    write_whole(exercises, f'"""The exercises of lesson {number:02}, {title}."""\n'.encode())
    changed = [lessons.master_path(lesson, root), exercises]
    readme = root / "README.md"
    if readme.is_file() and (rows := ROW.findall(text := readme.read_text(encoding="utf-8"))):
        row = f"| {number:02} {title} | | | | TODO: the questions that it answers. |"
        write_whole(readme, text.replace(rows[-1], f"{rows[-1]}\n{row}").encode())
        changed.append(readme)
    return lesson, changed


def new_exercise(name: str, exercise: str, root: Path) -> tuple[str, list[Path]]:
    """Start an exercise: a file of its own, and its cells at the end of the lesson.

    Args:
        name: the lesson's, as `lessons.find` takes it.
        exercise: the name of the function that students write.
        root: the course's folder.

    Returns:
        The lesson's name, and the files that were written.

    Raises:
        LookupError: there is no such lesson, or there is such an exercise, or no function can have this name.
    """
    lesson = lessons.find(name, root)
    _check_name(exercise, "an exercise")
    topic, master = lessons.topic(lesson), lessons.master_path(lesson, root)
    file = root / "exercises" / topic / f"{exercise}.py"
    text = master.read_text(encoding="utf-8")
    id = f"{topic}.{exercise}"
    if file.exists() or f'exercise="{id}"' in text:
        raise LookupError(f'there is an exercise "{id}" already; choose a different name')
    number = f"{lessons.number(lesson)}.{max(map(int, NUMBER.findall(text)), default=0) + 1}"
    facts = {"id": id, "name": exercise, "title": _title(exercise), "number": number}
    write_whole(file, _skeleton("exercise", **facts))
    write_whole(master, text.rstrip("\n").encode() + _skeleton("cells", **facts))
    return lesson, [file, master]


def _check_name(name: str, what: str) -> None:
    if not NAME.fullmatch(name) or keyword.iskeyword(name) or NUMBERED.match(name):
        raise LookupError(f"{name!r} can't be the name of {what}: use lower-case letters, digits and _")


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _skeleton(template: str, **facts: object) -> bytes:
    """A skeleton with what is known filled in."""
    return Template((SKELETONS / f"{template}.txt").read_text(encoding="utf-8")).substitute(facts).encode()
