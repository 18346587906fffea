"""Each released lesson as one zip that runs by itself, and the cell and the links that lead to it.

A zip holds the notebook, its checks, and of the helpers that the lesson's students may read those that it
reaches: what it imports, what these import, the data they name, the recipes that its cases name, and what its
predictions reveal. Imports are read, not executed, so this can be wrong only where a name is put together at
run time; `python -m tests.long.bundles` runs every zip, solved, where there is nothing else.

Entries are sorted and have one date, so the same files give the same bytes. The zips aren't committed: a
change of one helper can change them all, 4 MB in git's history each time. Compressed, in kB: the
check engine 93, figures 15 to 31, the notebook up to 28, the numbers of the checks 13 to 93 (a third of them
for known mistakes), the weights of lesson 01's models 128, text, training and models from lesson 06 on 70 to
105. Fewer digits save nothing; one compressed stream would save a tenth, but a zip can't have that.

The first cell is one folded function, which is deleted once it has run, so it leaves no name behind. The
grader doesn't run it.
"""

import ast
import functools
import io
import json
import posixpath
import re
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from autograder import lessons
from autograder.authoring.master import Cell
from autograder.authoring.review import parse
from autograder.courses import current
from helpers.figures.live import IMPORT
from helpers.figures.predicting import REVEALED

# It imports a package only where there are values of that package: a lesson without them doesn't need it.
CHECK = "helpers/checking/"
# A zip's own times would make it another one on each build.
NEW_YEAR_1980 = (1980, 1, 1, 0, 0, 0)
ON_GITHUB = re.compile(r"(https://github\.com/[\w.-]+/[\w.-]+?)(?:\.git)?/?")
CELL = """\
# @title Is everything here? On Colab, this fetches the lesson's files.
def look_around(lesson, packages, address):
    import os
    import sys
    from importlib.util import find_spec

    class Missing(Exception):
        def _render_traceback_(self):
            return [str(self)]

    if sys.version_info < (3, 11):
        raise Missing(f"This is Python {{sys.version.split()[0]}}. The course needs Python 3.11 or newer.")
    if not find_spec("helpers") and "google.colab" in sys.modules:
        from shutil import unpack_archive
        from urllib.request import urlretrieve

        place = os.environ.get("HEADSTART_URL", address)
        if not place:
            raise Missing(
                f"Where is {{lesson}}.zip? Put a cell with `%env HEADSTART_URL=https://...` before this one: "
                "the address of the folder on the web in which your teacher keeps it. Then run both."
            )
        bundle = f"{{place}}/{{lesson}}.zip"
        try:
            unpack_archive(urlretrieve(bundle, f"{{lesson}}.zip")[0])
        except OSError as error:
            raise Missing(f"{{bundle}}: {{error}}. `%env HEADSTART_URL=...` names another place.") from None
        os.chdir(lesson)
    if not find_spec("helpers"):
        raise Missing(f"The folder helpers is missing. Unpack {{lesson}}.zip, and open its notebook.")
    missing = " ".join(name for name in packages if not find_spec(name))
    if missing:
        raise Missing(f"Not installed: {{missing}}. Run `%pip install {{missing}}`, and restart the kernel.")


look_around("{lesson}", {packages}, "{address}")
del look_around"""


class Dependencies(NamedTuple):
    """What a lesson needs: paths below its folder, and packages that aren't Python's own."""

    files: set[str]
    packages: list[str]


def repository() -> str:
    """Where the course is published, as `https://github.com/ACCOUNT/NAME`, for links and downloads.

    Returns:
        What its `course.toml` says. Empty if it says nothing, or names another place than GitHub: neither
        Colab nor Codespaces opens anything from there.
    """
    found = ON_GITHUB.fullmatch(current().repository)
    return found[1] if found else ""


def with_first_cell(lesson: str, cells: list[Cell], checks: str, helpers: Mapping[str, bytes]) -> list[Cell]:
    """A lesson's cells with one before the set-up that says what is missing.

    What sets nothing up stays as it is.

    Args:
        lesson: its name.
        cells: of its master.
        checks: the text of its `checks.json`.
        helpers: those that its students may read, as in `dependencies`.
    """
    at = next((number for number, cell in enumerate(cells) if cell.kind == "setup"), None)
    if at is None:
        return cells
    packages = dependencies(lesson, [cell.source for cell in cells if cell.is_code], checks, helpers).packages
    published = repository()
    address = f"{published}/releases/download/lessons" if published else ""
    source = CELL.format(lesson=lesson, packages=json.dumps(packages), address=address)
    return [*cells[:at], replace(cells[at], kind="bundle", source=source), *cells[at:]]


def links(lesson: str) -> str:
    """Where a lesson can be opened without installing anything, as Markdown; empty until it is published.

    Words, not pictures: a picture would have to come from another server each time a lesson is opened.
    """
    if not (place := repository().removeprefix("https://github.com/")):
        return ""
    colab = f"https://colab.research.google.com/github/{place}/blob/main/release/{lesson}/{lesson}.ipynb"
    return f"[Open in Colab]({colab}) · [Open in Codespaces](https://codespaces.new/{place})"


def dependencies(lesson: str, code: Iterable[str], checks: str, helpers: Mapping[str, bytes]) -> Dependencies:
    """What a lesson reaches.

    Args:
        lesson: its name.
        code: its code cells.
        checks: the text of its `checks.json`, whose cases may name recipes.
        helpers: those that its students may read: `helpers/checks.py` and so on, with what they hold.
    """
    waiting = [name for cell in code for name in _imports(parse(cell))]
    room, packages = f"helpers/{lessons.topic(lesson)}/", set[str]()
    files = {f"{room}{REVEALED}"} & set(helpers)
    layers = set(_layers(json.loads(checks)))
    for path in (path for path in helpers if path.endswith(".py")):
        named = path.endswith("/recipes.py") and layers & _module(helpers[path]).texts
        if path.startswith(room) or named:
            waiting.append(path.removesuffix(".py").replace("/", "."))
    while waiting:
        name = waiting.pop()
        if not name.startswith("helpers."):
            packages.add(name.partition(".")[0])
            continue
        for path in _holders(name, helpers) - files:
            files.add(path)
            if path.endswith(".py"):
                module = _module(helpers[path])
                waiting += [
                    name
                    for name in module.imports
                    if name.startswith("helpers.") or not path.startswith(CHECK)
                ]
                here = path.rpartition("/")[0]
                files |= {f"{here}/{text}" for text in module.texts if f"{here}/{text}" in helpers}
    scripts = [path for path in files if path.endswith(".js")]
    while scripts:
        path = scripts.pop()
        names = IMPORT.findall(helpers[path].decode())
        found = {posixpath.normpath(posixpath.join(path, "..", name)) for name in names} - files
        files |= found
        scripts += found
    return Dependencies(files, sorted(packages - sys.stdlib_module_names - {"helpers"}, key=str.lower))


def bundle(lesson: str, release: Mapping[str, bytes]) -> bytes:
    """The zip of a lesson: the same bytes for the same files.

    Args:
        lesson: its name.
        release: what its folder in `release/` holds, by path below it.
    """
    notebook, checks = release[f"{lesson}.ipynb"], release["checks.json"].decode()
    cells = [cell for cell in json.loads(notebook)["cells"] if cell["cell_type"] == "code"]
    helpers = {path: content for path, content in release.items() if path.startswith("helpers/")}
    found = dependencies(lesson, ["".join(cell["source"]) for cell in cells], checks, helpers).files
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        for path in sorted({*release} - {*helpers} | found):
            entry = zipfile.ZipInfo(f"{lesson}/{path}", NEW_YEAR_1980)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            # Deflate is what Windows, macOS and every unzip can unpack.
            packed.writestr(entry, release[path], zipfile.ZIP_DEFLATED, compresslevel=9)
    return made.getvalue()


class _Module(NamedTuple):
    """What a piece of code imports anywhere in it, and the texts in it."""

    imports: list[str]
    texts: set[str]


@functools.lru_cache(maxsize=512)
def _module(source: bytes) -> _Module:
    tree = ast.parse(source)
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    return _Module([*_imports(tree)], {value for value in constants if isinstance(value, str)})


def _imports(tree: ast.Module) -> Iterator[str]:
    """The names that code imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names))


def _holders(name: str, helpers: Mapping[str, bytes]) -> set[str]:
    """The files that importing a name reads: the module, and the packages around it."""
    parts = name.split(".")
    begun = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return {path for start in begun for path in (f"{start}.py", f"{start}/__init__.py")} & set(helpers)


def _layers(value: object) -> Iterator[str]:
    """The names of the recipes in the cases of some checks."""
    if isinstance(value, dict):
        if isinstance(value.get("layer"), str):
            yield value["layer"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _layers(item)
