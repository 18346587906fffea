"""Which course this is: a folder with a `course.toml`, and in it `notebooks/`, `exercises/` and `helpers/`.

To import it takes only the standard library.
"""

import json
import os
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

# The folder in which autograder/ and helpers/ lie. In a clone of Headstart, it is its course's, too.
ENGINE = Path(__file__).resolve().parents[1]
# The students' half of the engine, in its helpers/. All else in there is the course's.
ENGINE_HELPERS = ("__init__.py", "checks.py", "checking", "figures", "kept.py", "storage.py", "timing.py")
FILE, VARIABLE = "course.toml", "HEADSTART_COURSE"
SHOWS, SHOWN = "each_lesson_shows", ("drawings", "explorers")
KNOWN = Path(".headstart", "courses")  # below the user's home: the courses that they have named or made
LESSON = re.compile(r"[0-9]{2}_[a-z][a-z0-9_]*")


@dataclass(frozen=True)
class Course:
    """What a `course.toml` says.

    Attributes:
        root: the course's folder.
        name: for people.
        lessons: in order: `01_attention`, and so on. If it names none, all that have a master.
        packages: the modules that its lessons import, beside Python's own.
        opens: by helper, a file or a folder below `helpers/`, the topic of the first lesson that gets it.
        each_lesson_shows: `drawings`, `explorers` or both: what each lesson but the start page, 00, shows.
        repository: where it is published, as `https://github.com/ACCOUNT/NAME`; "" if nowhere.
    """

    root: Path
    name: str
    lessons: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    opens: Mapping[str, str] = field(default_factory=dict)
    repository: str = ""
    each_lesson_shows: tuple[str, ...] = ()

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each topic, in the course's order."""
        return {lesson[3:]: int(lesson[:2]) for lesson in self.lessons}

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics in order: the word that all files of a lesson share."""
        return tuple(self.numbers)

    @property
    def is_engines(self) -> bool:
        """Whether it is the course that the engine was written for, and lies with."""
        return self.root == ENGINE


def at(root: Path) -> Course:
    """The course in a folder. Without a `course.toml`, it has the folder's name and all lessons in there.

    Raises:
        LookupError: its `course.toml` can't be used; the text says what to change.
    """
    file = root / FILE
    content = file.read_bytes() if file.is_file() else f"name = {json.dumps(root.name)}".encode()
    masters = sorted(path.stem for path in (root / "notebooks").glob("*.py") if LESSON.fullmatch(path.stem))
    return _read(root, content, tuple(masters))


@cache
def _read(root: Path, content: bytes, masters: tuple[str, ...]) -> Course:
    try:
        said = {"lessons": [*masters], **tomllib.loads(content.decode())}
    except ValueError as error:
        raise LookupError(f"{root / FILE} can't be read: {error}") from None
    if problem := _problem(said):
        raise LookupError(f"{root / FILE}: {problem}")
    lessons, packages = tuple(said["lessons"]), tuple(said.get("packages", ()))
    repository, shows = said.get("repository", ""), tuple(said.get(SHOWS, ()))
    return Course(root, said["name"], lessons, packages, said.get("opens", {}), repository, shows)


def _problem(said: Mapping[str, Any]) -> str:
    """What is wrong with a `course.toml`, and the cure; "" if nothing is."""
    kinds = {
        "name": str, "lessons": list, "packages": list, SHOWS: list, "opens": dict, "repository": str,
    }  # fmt: skip
    if unknown := sorted({*said} - {*kinds}):
        return f"there is no key {unknown[0]!r}; the keys are {', '.join(kinds)}"
    if "name" not in said:
        return 'it says no name; add a line such as name = "Signals"'
    for key, value in said.items():
        values = value if isinstance(value, list) else [*value.values()] if isinstance(value, dict) else []
        if not isinstance(value, kinds[key]) or not all(isinstance(each, str) for each in values):
            kind = {str: "a text", list: "a list of texts", dict: "a table of texts"}[kinds[key]]
            return f"{key} isn't {kind}; write it as one"
    lessons = said["lessons"]
    if odd := [name for name in lessons if not LESSON.fullmatch(name)]:
        return f"{odd[0]!r} can't be a lesson's name; write two digits and one word, such as 01_sampling"
    if lessons != sorted(lessons) or len({name[:2] for name in lessons}) < len(lessons):
        return "the lessons aren't in the order of their numbers; give each a number of its own, in order"
    if odd := [each for each in said.get(SHOWS, ()) if each not in SHOWN]:
        return f"{SHOWS} has {odd[0]!r}; choose from {', '.join(SHOWN)}"
    topics = [name[3:] for name in lessons]
    if twice := [topic for topic in topics if topics.count(topic) > 1]:
        return f"two lessons are called {twice[0]}; rename one"
    for helper, topic in said.get("opens", {}).items():
        if topic not in topics:
            known = ", ".join(topics)
            return f"[opens] has {helper!r} = {topic!r}, which is no lesson's topic; the topics are {known}"
    return ""


# -- the current one -------------------------------------------------------------------------------------


def current() -> Course:
    """The course that this process works on.

    That is the one that `use` was called with, here or in the process that started this one, or else the
    engine's own. Without one, as where the engine is installed as a package, it is a course without lessons.
    """
    named = os.environ.get(VARIABLE)
    if named:
        return at(Path(named))
    return at(ENGINE) if (ENGINE / FILE).is_file() else Course(ENGINE / ".no-course", "no course")


def with_solutions() -> list[Path]:
    """The folders of courses that student code must not see: the current one, and the engine's own."""
    return [current().root, *([ENGINE] if (ENGINE / FILE).is_file() else [])]


def use(root: Path) -> Course:
    """Make a folder's course the current one, of this process and of those that it starts.

    Raises:
        LookupError: exercises of another course have been imported, or the folder's `course.toml` is wrong.
    """
    course = at(root.resolve())
    imported = getattr(sys.modules.get("exercises"), "__path__", [str(course.root / "exercises")])
    if str(course.root / "exercises") not in imported:
        there = next(iter(imported))
        raise LookupError(f"exercises from {there} are in use; call the command for {root} by itself")
    if course.is_engines:
        os.environ.pop(VARIABLE, None)
    else:
        os.environ[VARIABLE] = str(course.root)
    return course


def find(start: Path, *, named: bool = False) -> Path | None:
    """The folder of the course that a folder lies in, or is; None if there is none.

    A course's exercises are executed. So one that somebody else may have put there, in a download or beside a
    submission, isn't taken: the user has named or made it before, or the engine came with it.

    Args:
        start: where to look, and then in each folder around it.
        named: whether the user has named `start`, which is to be trusted then.

    Raises:
        LookupError: the nearest one isn't known; the text says what to call.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / FILE).is_file():
            # defence: courses: only those that were named
            if folder != ENGINE and folder not in _known() and not (named and folder == start):
                raise LookupError(
                    f"{folder} has a {FILE}, but you haven't named that course before, and its code would be "
                    f"executed; if you trust it, call: headstart --course {folder} COMMAND"
                )
            return folder
    return None


def remember(root: Path) -> None:
    """Note that the user trusts a course, so that commands called inside of it find it."""
    root, known = root.resolve(), _known()
    if root in known or root == ENGINE:
        return
    file = Path.home() / KNOWN
    try:
        file.parent.mkdir(mode=0o700, exist_ok=True)
        file.write_text("".join(f"{each}\n" for each in (*known, root)), encoding="utf-8")
    except OSError:  # then it has to be named each time
        return


def _known() -> list[Path]:
    try:
        return [Path(line) for line in (Path.home() / KNOWN).read_text(encoding="utf-8").splitlines() if line]
    except OSError:
        return []


class _InTheCourse:
    """Finds the exercises of the current course, and its helpers beside the engine's."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == "exercises":
            return PathFinder.find_spec(name, [str(current().root)])
        if name.startswith("helpers.") and name.count(".") == 1 and not current().is_engines:
            if f"{name.removeprefix('helpers.')}" in {Path(each).stem for each in ENGINE_HELPERS}:
                return None
            # Not those of the engine's own course, which may lie beside the engine's.
            found = PathFinder.find_spec(name, [str(current().root / "helpers")])
            if not found:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return found
        return None


sys.meta_path.insert(0, _InTheCourse)
