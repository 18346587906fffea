"""New courses, and skeletons of lessons and exercises, in which each TODO says what is left to write."""

import keyword
import re
from pathlib import Path
from string import Template

from autograder import lessons
from autograder.courses import ENGINE_HELPERS, FILE, at
from autograder.lessons import NUMBERED
from helpers.storage import write_whole

SKELETONS = Path(__file__).with_name("skeletons")
NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")
COURSE = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,40}")
LISTED = re.compile(r"^lessons\s*=\s*\[([^\]#]*)\]", re.MULTILINE)
NUMBER = re.compile(r"^# (?:## |\*\*(?:Exercise|Question) )\d+\.(\d+)", re.MULTILINE)
# What cases are drawn from, by what their lesson imports; from Python's own generator, if neither.
SIZES = " Sizes within one array differ."
DRAWN = {
    "import torch": ("torch.Generator", "torch.randn(5, generator=generator)"),
    "import numpy as np": ("np.random.Generator", "generator.normal(size=5)"),
}
PLAIN = ("random.Random", "[generator.uniform(-9, 9) for _ in range(5)]")
ROW = re.compile(r"^\| \d\d .*\|$", re.MULTILINE)  # of the README's table of lessons


def new_course(folder: Path) -> list[str]:
    """Write a course with one lesson, one exercise and a test, which builds as it is.

    Args:
        folder: a new or an empty one. Its name is the course's.

    Returns:
        The files that were written, by path below the folder.

    Raises:
        LookupError: the name can't be a course's, or there is something in the folder.
    """
    name = folder.resolve().name
    if not COURSE.fullmatch(name):
        raise LookupError(f"{name!r} can't be the name of a course: use letters from A to Z, digits, - and _")
    if folder.is_dir() and any(folder.iterdir()):
        raise LookupError(f"there is something in {folder} already; choose a different name")
    facts = {"name": name, "title": _title(name.replace("-", "_"))}
    skeleton, written = SKELETONS / "course", []
    for path in sorted(path for path in skeleton.rglob("*") if path.is_file() and path.suffix != ".pyc"):
        place = path.relative_to(skeleton).as_posix().replace("gitignore", ".gitignore")
        text = path.read_text(encoding="utf-8")
        for key, value in facts.items():
            text = text.replace(f"${key}", value)
        write_whole(folder / place, text.encode())
        written.append(place)
    return written


def new_lesson(topic: str, root: Path) -> tuple[str, list[Path]]:
    """Start a lesson after the last one: its master, the package of its exercises, its row in the README.

    Where there is a `course.toml`, it is listed there.

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
    shared = (*at(root).opens, *ENGINE_HELPERS)
    if topic in {name.partition("/")[0].removesuffix(".py") for name in shared}:
        raise LookupError(f"helpers/{topic} is shared by several lessons; choose a different word")
    number = lessons.number(known[-1]) + 1 if known else 1
    lesson = f"{number:02}_{topic}"
    title = _title(topic)
    packages = at(root).packages
    imports = "".join(f"{line}\n" for line in sorted(DRAWN) if line.split()[1] in packages)
    imports += "\n" * bool(imports)
    exercises = root / "exercises" / topic / "__init__.py"
    write_whole(
        lessons.master_path(lesson, root), _skeleton("lesson", number=number, title=title, imports=imports)
    )
    write_whole(exercises, f'"""The exercises of lesson {number:02}, {title}."""\n'.encode())
    changed = [lessons.master_path(lesson, root), exercises]
    if _list(lesson, root / FILE):
        changed.append(root / FILE)
    readme = root / "README.md"
    if readme.is_file() and (rows := ROW.findall(text := readme.read_text(encoding="utf-8"))):
        row = f"| {number:02} {title} | | | | TODO: the questions that it answers. |"
        write_whole(readme, text.replace(rows[-1], f"{rows[-1]}\n{row}").encode())
        changed.append(readme)
    return lesson, changed


def _list(lesson: str, file: Path) -> bool:
    """Add a lesson to those of a `course.toml`. Returns whether it names them."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    if not (found := LISTED.search(text)):
        return False
    listed = found[1]
    gap = " " if listed.strip() and "\n" not in listed else ""
    comma = "," if listed.strip() and not listed.rstrip().endswith(",") else ""
    if "\n" in listed:
        listed = f'{listed.rstrip()}{comma}\n    "{lesson}",\n'
    else:
        listed = f'{listed}{comma}{gap}"{lesson}"'
    write_whole(file, f"{text[: found.start(1)]}{listed}{text[found.end(1) :]}".encode())
    return True


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
    write_whole(file, _skeleton("exercise", **facts, **_drawn(text)))
    write_whole(master, text.rstrip("\n").encode() + _skeleton("cells", **facts))
    return lesson, [file, master]


def _drawn(master: str) -> dict[str, str]:
    """What the cases of a lesson's exercises are drawn from, by what the lesson imports."""
    for imported, (generator, drawn) in DRAWN.items():
        if re.search(rf"^{imported}$", master, re.MULTILINE):
            return {"imports": imported, "generator": generator, "drawn": drawn, "sizes": SIZES}
    generator, drawn = PLAIN
    return {"imports": "import random", "generator": generator, "drawn": drawn, "sizes": ""}


def _check_name(name: str, what: str) -> None:
    if not NAME.fullmatch(name) or keyword.iskeyword(name) or NUMBERED.match(name):
        raise LookupError(f"{name!r} can't be the name of {what}: use lower-case letters, digits and _")


def _title(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _skeleton(template: str, **facts: object) -> bytes:
    """A skeleton with what is known filled in."""
    return Template((SKELETONS / f"{template}.txt").read_text(encoding="utf-8")).substitute(facts).encode()
