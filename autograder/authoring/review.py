"""The mistakes that an author can make in a master, each found with its line and its cure."""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager

from autograder import lessons
from autograder.authoring.master import Cell, Mistake, did_you_mean, headings
from autograder.exercise import Exercise
from helpers.figures.answering import rubric_of

BEGIN, END = "BEGIN SOLUTION", "END SOLUTION"
# nbgrader's own marks would change the release in ways that the design has no use for.
UNUSED_MARKS = ("BEGIN HIDDEN TESTS", "BEGIN MARK SCHEME", "AUTOTEST")
INTRODUCTION = re.compile(r"^\*\*(?:Exercise|Question) (\S*?)\*\*")
FOLDED_LINES = 16  # a comment, and fifteen lines that a reader of VS Code scrolls past
WORDS = re.compile(r"# [A-Z“][^_=`#]*$")  # a comment that is no code and no directive, such as `# fmt: off`
TODO = re.compile(r"\bTODO\b:?([^<|*\"]*)")
EXAMPLE = "# The six ways at three lengths"
WIDEST = 72  # characters: what JupyterLab shows of a line at 1,024 pixels beside its list of files
ITEM = re.compile(r"([-+*]) ")
WHOLE = re.compile(r"[.:!?]\W*$|^(\s|#|[-+*>|<]|\d+\.)")  # a line that ends a sentence, or is none
Found = Iterator[tuple[int, str]]  # lines of the master, and what is wrong there


def review(lesson: str, cells: list[Cell], specs: Mapping[str, Exercise], name: str) -> list[Mistake]:
    """Everything wrong with a master whose markers could be read.

    Args:
        lesson: `01_attention`.
        cells: of the master.
        specs: the exercises of its topic, by id.
        name: what to call the master in mistakes.
    """
    found = [
        *_title(lesson, cells),
        *_tasks(lesson, cells),
        *_duplicates(cells),
        *_pairs(lesson, cells, specs),
        *_introductions(lesson, cells, specs),
        *(mistake for cell in cells for mistake in _cell(cell, lessons.topic(lesson))),
    ]
    return [Mistake(name, line, text) for line, text in found]


def unfinished(lesson: str, root: Path) -> list[Mistake]:
    """Each TODO left in a lesson's master, in its exercises and in its row of the README's table."""
    readme = root / "README.md"
    folder = root / "exercises" / lessons.topic(lesson)
    return [
        Mistake(path.relative_to(root).as_posix(), number, f"still to be written: {todo[1].strip()}")
        for path in (lessons.master_path(lesson, root), *sorted(folder.glob("*.py")), readme)
        if path.is_file()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n"), 1)
        if (todo := TODO.search(line)) and (path != readme or line.startswith(f"| {lesson[:2]} "))
    ]


def solution_lines(cell: Cell) -> list[str]:
    """The lines between the solution marks of a cell."""
    inside, found = False, []
    for _, text in cell.lines:
        inside = (inside or BEGIN in text) and END not in text
        if inside and BEGIN not in text:
            found.append(text)
    return found


def introduction(number: str, spec: Exercise) -> str:
    """The line that introduces an exercise."""
    counted = f"{lessons.counted(spec.minutes, 'minute')} · {lessons.counted(spec.points, 'point')}"
    return f"**Exercise {number}** · difficulty {spec.difficulty} of 5 · {counted}"


def question(number: str, minutes: str, points: float) -> str:
    """The line that introduces a written question."""
    counted = f"{lessons.counted(int(minutes), 'minute')} · {lessons.counted(points, 'point')}"
    return f"**Question {number}** · {'graded by hand' if points else 'not graded'} · {counted}"


def parse(source: str) -> ast.Module:
    """The syntax tree of a code cell, in which IPython's % and ! are allowed.

    Raises:
        SyntaxError: it has none.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", SyntaxWarning)  # such as for an unknown escape in a string
        code = TransformerManager().transform_cell(source)
        return compile(code, "<cell>", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def _title(lesson: str, cells: list[Cell]) -> Found:
    if not cells or cells[0].kind != "prose" or not any(headings(cells[0].source)):
        title = f"# {lessons.number(lesson)} · {lessons.topic(lesson).capitalize()}"
        text = f"the lesson has no title; begin with a `# %% [markdown]` cell with the heading `{title}`"
        yield cells[0].line if cells else 1, text


def _tasks(lesson: str, cells: list[Cell]) -> Found:
    """A lesson says how long it takes, and each exercise in bold what to write; but not the start page."""
    if not lessons.number(lesson) or not cells:
        return
    if not re.search(r"\*\*Time\*\* {minutes} minutes", cells[0].source):
        yield (
            cells[0].line,
            "the first cell doesn't say how long the lesson takes; add `**Time** {minutes} minutes`",
        )
    prose = [each for cell in cells if cell.kind == "prose" for each in cell.lines]
    for number, (line, text) in enumerate(prose):
        if text.startswith("**Exercise ") and (found := INTRODUCTION.match(text.strip())):
            below = "\n".join(text for _, text in prose[number + 1 :])
            task = below.partition("<details>")[0].partition("**Exercise ")[0]
            if not re.search(r"^\*\*[A-Z][^*]+\*\*", task, re.MULTILINE):
                yield (
                    line,
                    f"exercise {found[1]} doesn't say what to write; add a bold sentence below this line",
                )


# -- cells, checks and specs -----------------------------------------------------------------------------


def _duplicates(cells: list[Cell]) -> Found:
    """An id names one exercise cell and one graded cell, a check or a question: nbgrader wants it so.

    And one prediction, with one text that it reveals.
    """
    seen: dict[tuple[bool, str], Cell] = {}
    for cell in cells:
        first = seen.setdefault((cell.kind in ("exercise", "reveals"), cell.id), cell)
        if cell.id and first is not cell:
            text = f'"{cell.id}" is used twice, on line {first.line} ({first.kind}) and here ({cell.kind})'
            yield cell.line, f"{text}; rename one of them"


def _pairs(lesson: str, cells: list[Cell], specs: Mapping[str, Exercise]) -> Found:
    """Each exercise has a cell, a check below it and a spec. A slip in one id is reported once."""
    folder = f"exercises/{lessons.topic(lesson)}/"
    placed, checks = _by_id(cells, "exercise"), _by_id(cells, "check")
    lonely_cells = [name for name in placed if name not in checks]
    lonely_specs = [name for name in specs if name not in placed]
    for name, cell in checks.items():
        if name not in placed:
            near = did_you_mean(name, lonely_cells or list(placed))
            lonely_cells = [other for other in lonely_cells if other != near]
            cure = f'did you mean "{near}"? Rename one of them' if near else "add one, or remove the check"
            yield cell.line, f'check "{name}" has no exercise cell; {cure}'
        elif cell.line < placed[name].line:
            text = f'check "{name}" is above its exercise on line {placed[name].line}; move it below'
            yield cell.line, text
    for name, cell in placed.items():
        if name not in specs:
            near = did_you_mean(name, lonely_specs)
            lonely_specs = [other for other in lonely_specs if other != near]
            cure = f'did you mean "{near}"? Rename one of them' if near else "add one, or remove the cell"
            yield cell.line, f'exercise "{name}" isn\'t in {folder}; {cure}'
        if name in lonely_cells:
            yield cell.line, f'exercise "{name}" has no check cell; add `# %% check="{name}"` below it'
    for name in lonely_specs:
        cure = f'add `# %% exercise="{name}"` and a check, or remove its file'
        yield cells[-1].line if cells else 1, f'"{name}" in {folder} has no cell in this lesson; {cure}'


def _by_id(cells: Iterable[Cell], kind: str) -> dict[str, Cell]:
    """The first cell of a kind for each id."""
    found: dict[str, Cell] = {}
    for cell in cells:
        if cell.kind == kind:
            found.setdefault(cell.id, cell)
    return found


def _introductions(lesson: str, cells: list[Cell], specs: Mapping[str, Exercise]) -> Found:
    """Each exercise and question is introduced by a line with the right numbers."""
    waiting: list[tuple[int, str]] = []
    numbers: dict[str, int] = {}
    for cell in cells:
        if cell.kind == "prose":
            waiting += [(line, text.strip()) for line, text in cell.lines if INTRODUCTION.match(text)]
        elif cell.kind in ("exercise", "written"):
            line, text = waiting.pop(0) if waiting else (cell.line, "")
            yield from _introduction(lesson, line, text, cell, specs.get(cell.id), numbers)
    for line, text in waiting:
        yield line, f"no answer cell follows `{text}`; add one, or remove the line"


def _introduction(
    lesson: str, line: int, text: str, cell: Cell, spec: Exercise | None, numbers: dict[str, int]
) -> Found:
    chapter = lessons.number(lesson)
    found = INTRODUCTION.match(text)
    number = found[1] if found else f"{chapter}.{len(numbers) + 1}"
    said = re.search(r"\d+(?= minutes? ·)", text)  # nobody but the author knows how long a question takes
    right = question(number, said[0] if said else "10", cell.points) if cell.points is not None else ""
    if cell.kind == "exercise":
        right = introduction(number, spec) if spec else text
    if not text:
        yield line, f'{cell.kind} "{cell.id}" isn\'t introduced; put this line in the text above it: {right}'
    elif text != right:
        yield line, f'this line and "{cell.id}" differ; if the line is wrong, write: {right}'
    elif not re.fullmatch(rf"{chapter}\.\d+[a-z]?", number):
        yield line, f"this is lesson {chapter}, so its exercises are {chapter}.1, {chapter}.2a and so on"
    elif number in numbers:
        yield line, f"{number} is already on line {numbers[number]}; renumber one of them"
    numbers.setdefault(number, line)


# -- one cell --------------------------------------------------------------------------------------------


def _cell(cell: Cell, topic: str) -> Found:
    """What is wrong with a cell by itself."""
    if not cell.source.strip():
        yield cell.line, "this cell is empty; remove it"
    if cell.id and not cell.id.startswith(f"{topic}."):
        yield cell.line, f'"{cell.id}" isn\'t of this lesson; ids here begin with "{topic}."'
    yield from _regions(cell)
    if not cell.is_code:
        yield from _lists(cell)
    if cell.kind == "written" and (solution := "\n".join(solution_lines(cell))):
        yield from _rubric(cell, solution)
    if cell.folded:
        yield from _folded(cell, topic)
    if cell.is_code:
        try:
            tree = parse(cell.source)
            yield from _calls(cell, tree)
            yield from _whole_classes(cell, tree)
            yield from _wide(cell, tree)
        except SyntaxError as error:
            yield cell.first + (error.lineno or 1) - 1, f"syntax error: {error.msg}"


def _regions(cell: Cell) -> Found:
    """Solution cells have solution regions, and no others do."""
    begun = found = 0
    for line, text in cell.lines:
        if BEGIN in text:
            if begun:
                yield line, f"{BEGIN} inside the region that begins on line {begun}; end that one first"
            begun, found = line, line
        elif END in text:
            if not begun:
                yield line, f"{END} without {BEGIN}; add `### {BEGIN}` above it, or remove it"
            begun, found = 0, line
        for mark in UNUSED_MARKS:
            if mark in text:
                yield line, f"nbgrader would act on {mark}; reword it (hidden cases are the judge's)"
    if begun:
        yield begun, f"{BEGIN} without {END}; add `### {END}` below it"
    if found and cell.kind not in ("exercise", "written", "predict"):
        text = "students get this cell as it is, so it can't hold a solution"
        yield found, f"{text}; mark it as an exercise, or remove {BEGIN} and {END}"
    if not found and cell.kind in ("exercise", "written"):
        text = f'{cell.kind} "{cell.id}" has no solution'
        yield cell.line, f"{text}; put it between `### {BEGIN}` and `### {END}`"


def _lists(cell: Cell) -> Found:
    """A sign of a formula or a dash at the beginning of a line would be a bullet."""
    above, fenced = "", False
    for line, text in cell.lines:
        fenced ^= text.lstrip().startswith("```")
        if (found := ITEM.match(text)) and above.strip() and not WHOLE.search(above) and not fenced:
            cure = "break the line elsewhere, or leave an empty one above the list"
            yield (
                line,
                f"this line of a sentence begins with `{found[1]}` and would be shown as a list; {cure}",
            )
        above = text


def _whole_classes(cell: Cell, tree: ast.Module) -> Found:
    """A solution is inside of functions: the stub in a class's body would raise as the class is made."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    begun = {number for number, text in enumerate(cell.source.split("\n"), start=1) if BEGIN in text}
    within = {line for node in functions for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    for made in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        for line in sorted(begun.intersection(range(made.lineno, (made.end_lineno or 0) + 1)) - within):
            text = f"the stub would stand in the class {made.name} itself, and raise as the class is made"
            yield cell.first + line - 1, f"{text}; put the body of each method between {BEGIN} and {END}"


def _rubric(cell: Cell, solution: str) -> Found:
    """A question's solution is a model answer and a rubric, whose lines a student can tick."""
    answer, rubric = rubric_of(solution)
    if not answer.startswith("**Model answer.** ") or not rubric.lines:
        text = "begin with `**Model answer.** `, and end with `**Rubric**` and lines like `- 1 point: ...`"
        yield cell.first + 1, f'the solution of "{cell.id}" lacks a model answer or a rubric; {text}'
    elif cell.points and (points := sum(points for points, _ in rubric.lines)) != cell.points:
        text = f'the rubric of "{cell.id}" has {lessons.counted(points, "point")}'
        yield cell.first + 1, f"{text}, and its marker {cell.points:g}; change one of them"


def _calls(cell: Cell, tree: ast.Module) -> Found:
    """A check cell checks its own exercise, and nothing is checked where the grader doesn't look."""
    made = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls = [node for node in made if isinstance(node.func, ast.Name) and node.func.id == "check"]
    if cell.kind == "draw" and calls:
        text = "the grader doesn't run draw cells, so they can't check; move the check to its own cell"
        yield cell.first + calls[0].lineno - 1, text
    if cell.kind == "check":
        checked = [
            call.args[0].value for call in calls if call.args and isinstance(call.args[0], ast.Constant)
        ]
        if checked != [cell.id]:
            text = f'this cell should call `check("{cell.id}", ...)` once, with the id of its marker'
            yield cell.line, text


def _folded(cell: Cell, topic: str) -> Found:
    """What JupyterLab folds, VS Code and Colab show: it has to begin with words, and to be short."""
    first, count = cell.source.partition("\n")[0], len(cell.lines)
    if not WORDS.match(first) or len(first.split()) < 3:
        text = "JupyterLab shows only the first line of this folded cell; make it a comment that says"
        yield cell.first, f"{text} what will be seen, such as `{EXAMPLE}`"
    if count > FOLDED_LINES:
        text = (
            f"this folded cell has {count} lines, which VS Code and Colab show; leave at most {FOLDED_LINES}"
        )
        cure = (
            f'by moving its work to helpers/{topic}/, or mark it `draw="open"` where its code is the lesson'
        )
        yield cell.line, f"{text}, {cure}"


def _wide(cell: Cell, tree: ast.Module) -> Found:
    """Whoever reads a docstring or a comment shouldn't have to scroll sideways."""
    described = {
        number
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None
        for number in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    unseen = solution_lines(cell)
    for number, (line, text) in enumerate(cell.lines, 1):
        prose = number in described or text.lstrip().startswith("#")
        if prose and len(text) > WIDEST and text not in unseen:
            cure = f"break it after {WIDEST} at most: a notebook 1,024 pixels wide shows no more"
            yield line, f"this line has {len(text)} characters; {cure}"
