"""What is adopted, written as a course has it: a file for each exercise, and the lesson's master."""

import ast
import re
import symtable
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from autograder import lessons
from autograder.authoring.formats.literals import preamble
from autograder.authoring.review import BEGIN, END, WIDEST
from autograder.classroom.adopting.notebook import Lost, Part, Source, without_marks
from autograder.classroom.adopting.running import Recorded

TITLE = 60  # characters of a case's
DIFFICULTY, MINUTES = 2, 10


@dataclass
class Adopted:
    """A function that becomes an exercise.

    Attributes:
        name: of the function.
        part: the cell that defines it.
        node: its definition there.
        tests: the cells whose tests call it.
        calls: the calls that become cases, by title.
        passing: the mutants that its own tests let pass, of how many.
        mutants: how many it has.
    """

    name: str
    part: Part
    node: ast.FunctionDef
    tests: list[Part]
    calls: dict[str, Recorded]
    passing: list[str] = field(default_factory=list)
    mutants: int = 0

    @property
    def id(self) -> str:
        """The part of its id after the dot."""
        return self.name.strip("_")[:1].lower() + self.name.strip("_")[1:40]

    @property
    def points(self) -> float:
        """What its tests are worth, from 1 to 10."""
        points = min(10, max(1, sum(part.points for part in self.tests)))
        return int(points) if points == int(points) else points

    @property
    def tried(self) -> str:
        """What became of its mutants, in a sentence."""
        if not self.mutants:
            return "No mutants were tried."
        return f"Of {lessons.counted(self.mutants, 'mutant')}, {len(self.passing)} pass its tests."

    @property
    def source(self) -> str:
        """Its definition, without nbgrader's marks."""
        return without_marks(ast.get_source_segment(self.part.code, self.node) or "")


def titled(calls: list[Recorded], name: str) -> dict[str, Recorded]:
    """The calls that differ, each under a title that nobody else has: the call itself where that is short."""
    found: dict[str, Recorded] = {}
    seen = set()
    for call in calls:
        if (call.args, call.kwargs) in seen:
            continue
        seen.add((call.args, call.kwargs))
        args = call.args.removeprefix("[").removesuffix("]")
        title = (
            f"{name}({args})" if call.kwargs == "{}" and len(args) < TITLE else f"{name}, cell {call.cell}"
        )
        title = title.replace('"', "'").replace("\\", "")
        while title in found:
            title = f"{title}, another"
        found[title] = call
    return found


# -- an exercise's file --------------------------------------------------------------------------------------


def exercise_file(adopted: Adopted, topic: str, others: list[Adopted], source: Source) -> str:
    """The text of an exercise's file."""
    cases = "".join(
        f"        Case({title!r}, ({_items(call.args)})"
        + (f", {call.kwargs}" if call.kwargs != "{}" else "")
        + "),\n"
        for title, call in adopted.calls.items()
    )
    answer = adopted.source
    needs = [each for each in others if each.name in names_read(answer) and each is not adopted]
    above = _above(answer, source, {each.name for each in others})
    imported = "".join(f"from exercises.{topic}.{each.id} import {each.name}\n" for each in needs)
    needed = ", ".join(f'"{topic}.{each.id}"' for each in needs)
    values = [line for line in preamble(cases).split("\n")[1:] if line not in above]
    infinite = ["from math import inf, nan"] if re.search(r"\b(inf|nan)\b", cases) else []
    imports = "".join(f"\n{line}" for line in [*infinite, *values])
    above = f"\n{above}\n" if above else ""
    return f'''"""{adopted.name}, from cell {adopted.part.number} of {source.name}.ipynb."""
{imports}
from headstart import Case, Entry
{imported}{above}
exercise = Entry(
    id="{topic}.{adopted.id}",
    title="{title_of(adopted.name)}",
    points={adopted.points},
    difficulty={DIFFICULTY},
    minutes={MINUTES},
    returns=("{adopted.name}",),
    draft=True,{
        f"""
    needs=({needed},),"""
        if needs
        else ""
    }
)


@exercise.reference
{answer}


@exercise.cases
def cases(generator):
    return [
{cases}    ]
'''


def _items(code: str) -> str:
    """The items of a list's code as those of a tuple."""
    tree = ast.parse(code, mode="eval").body
    assert isinstance(tree, ast.List)
    items = code[1:-1]
    return f"{items}," if len(tree.elts) == 1 else items


def title_of(name: str) -> str:
    """A function's name as a heading."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").split()
    return " ".join(words).capitalize()


def names_read(code: str) -> set[str]:
    """The names that a piece of code takes from around it."""
    found: set[str] = set()
    waiting = [symtable.symtable(code, "<answer>", "exec")]
    while waiting:
        table = waiting.pop()
        waiting += table.get_children()
        found |= {
            each.get_name() for each in table.get_symbols() if each.is_referenced() and each.is_global()
        }
    return found


def _above(answer: str, source: Source, exercises: set[str]) -> str:
    """What an answer reads of its notebook: imports, constants and functions that are no exercises."""
    known: dict[str, str] = {}
    for part in source.of("given", "solution"):
        for node in ast.parse(part.code).body:
            text = without_marks(ast.get_source_segment(part.code, node) or "")
            known |= dict.fromkeys(set(_defined(node)) - exercises, text)
    needed, waiting = [], [answer]
    while waiting:
        for name in sorted(names_read(waiting.pop())):
            if name in known and known[name] not in needed:
                needed.append(known[name])
                waiting.append(known[name])
    order = list(known.values())
    return "\n\n".join(sorted(needed, key=order.index))


def _defined(node: ast.stmt) -> Iterator[str]:
    """The names that a statement at the top of a cell defines."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        yield from (n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


# -- the master ----------------------------------------------------------------------------------------------


def master(source: Source, adopted: list[Adopted], lesson: str) -> str:
    """The text of the lesson's master: the notebook's cells in their order, those of its tests left out."""
    number, topic = lessons.number(lesson), lessons.topic(lesson)
    title = f"# {number} · {title_of(topic)}\n\n- **Time** {{minutes}} minutes."
    cells = [_prose(title), "# %% setup=true\nfrom helpers.checks import check\n"]
    count, failed = 0, {each.number for each in source.lost}
    for part in source.parts:
        mine = [each for each in adopted if each.part is part]
        if part.kind == "prose":
            cells.append(_prose(_quiet(part.source)))
        elif part.kind == "given" and part.code.strip() and part.number not in failed:
            cells.append(f"# %%\n{narrowed(_quiet(part.source))}\n")
        for each in mine:
            count += 1
            said = (
                f"difficulty {DIFFICULTY} of 5 · {MINUTES} minutes · {lessons.counted(each.points, 'point')}"
            )
            cells.append(_prose(f"**Exercise {number}.{count}** · {said}\n\n**Write `{each.name}`.**"))
            id = f"{topic}.{each.id}"
            cells.append(f'# %% exercise="{id}"\n{narrowed(_quiet(_marked(each)))}\n')
            cells.append(f'# %% check="{id}"\ncheck("{id}", {each.name})\n')
    return "\n\n".join(cells)


def _prose(text: str) -> str:
    lines = "\n".join(f"# {line}".rstrip() for line in text.split("\n"))
    return f"# %% [markdown]\n{lines}\n"


def _quiet(text: str) -> str:
    """The text without what means something to a build: TODOs, and lines that look like introductions."""
    return re.sub(
        r"\bTODO\b", "To do", re.sub(r"^\*\*((?:Exercise|Question) .*?)\*\*", r"\1", text, flags=re.MULTILINE)
    )


def _marked(adopted: Adopted) -> str:
    """A solution's definition with marks around what students have to write."""
    text = ast.get_source_segment(adopted.part.code, adopted.node) or ""
    if BEGIN in text and END in text:
        return text
    lines, first = adopted.source.split("\n"), 0
    node = ast.parse(adopted.source).body[0]
    assert isinstance(node, ast.FunctionDef)
    body = node.body[1:] if ast.get_docstring(node) is not None and node.body[1:] else node.body
    first, indent = body[0].lineno - 1, " " * body[0].col_offset
    return "\n".join([*lines[:first], f"{indent}### {BEGIN}", *lines[first:], f"{indent}### {END}"])


def narrowed(code: str) -> str:
    """The code with its docstrings and comments broken where a notebook's page ends."""
    try:
        tree = ast.parse(code)
    except SyntaxError:  # IPython's own lines
        return code
    described = {
        number
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None
        for number in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    made = []
    for number, line in enumerate(code.split("\n"), 1):
        stripped = line.lstrip()
        indent = line[: len(line) - len(stripped)]
        if len(line) <= WIDEST or not (number in described or stripped.startswith("#")):
            made.append(line)
            continue
        further = f"{indent}# " if stripped.startswith("#") and number not in described else indent
        made += textwrap.wrap(line, WIDEST, subsequent_indent=further, break_long_words=False) or [line]
    return "\n".join(made)


# -- what is told --------------------------------------------------------------------------------------------


def report(source: Source, adopted: list[Adopted], lost: list[Lost], lesson: str) -> str:
    """What was taken over and what wasn't, as a page."""
    lines = [f"# {source.name}.ipynb, adopted as {lesson}", "", "## Exercises", ""]
    for each in adopted:
        cases = lessons.counted(len(each.calls), "case")
        lines.append(f"- `{each.name}` (cell {each.part.number}): {cases} from its tests. {each.tried}")
        lines += [f"  - `{name}`" for name in each.passing]
    lines += ["", "## Not taken over", ""]
    lines += [f"- Cell {each.number}: {each.text}." for each in sorted(lost, key=lambda each: each.number)]
    lines += [] if lost else ["Nothing."]
    lines += ["", "## What each exercise still needs", "", NEEDED, ""]
    return "\n".join(lines)


NEEDED = """An exercise with `draft=True` is built and graded, but not held to all that Headstart asks for:

- cases that are drawn, so that hidden ones differ from the visible ones,
- two more right answers, each written differently,
- three wrong answers that people give, each with a sentence,
- a case on which each mutant fails, or the reason why that is right as well.

Add these, then remove `draft=True`: the build says what is left."""


def place(root: Path, topic: str) -> Path:
    """Where the page is written."""
    return root / "exercises" / topic / "adopted.md"
