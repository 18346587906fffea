"""A master's cells -> the instructor's notebook, and the numbers of its checks."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import nbformat
from nbformat import NotebookNode, v4

from autograder import lessons
from autograder.authoring.bundles import links
from autograder.authoring.case_forms import CALLED, EACH_PARAMETER, TRIED_OUT, misplaced
from autograder.authoring.lesson_numbers import in_header, numbers_of
from autograder.authoring.master import Cell
from autograder.authoring.review import INTRODUCTION
from autograder.exercise import Exercise
from autograder.parts import recorded
from autograder.sheets import VISIBLE_SEED, make_sheet, one_thread
from helpers.checking.calling.outcome import CallStatus, Outcome
from helpers.checking.calling.values import decode
from helpers.checking.comparing import GRADIENT_SLACK, compare
from helpers.checking.explaining.sketches import rewritten
from helpers.checking.sheet import Sheet
from helpers.figures.answering import STUB

KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LONG = ("cases", "misconceptions", "slips", "parts")  # fields of a sheet
LANGUAGE = {"file_extension": ".py", "name": "python", "pygments_lexer": "ipython3"}


# -- the notebook ----------------------------------------------------------------------------------------


def make_notebook(lesson: str, cells: list[Cell], specs: Mapping[str, Exercise]) -> NotebookNode:
    """The source notebook: nbgrader's metadata on what is graded or locked, lasting ids, no outputs."""
    numbers = numbers_of(cells, specs)
    cells = [cell for cell in cells if cell.stays]
    names, texts = cell_ids(cells), with_rules(cells, specs)
    texts[0] = f"{in_header(texts[0], numbers)}\n\n{links(lesson)}".strip()
    made = []
    for cell, name, text in zip(cells, names, texts, strict=True):
        new = v4.new_code_cell if cell.is_code else v4.new_markdown_cell
        text = STUB if cell.ungraded else text
        made.append(new(text, id=name, metadata=_metadata(cell, name, specs)))
    metadata = {"headstart": {"lesson": lesson}, "kernelspec": KERNEL, "language_info": LANGUAGE}
    notebook = v4.new_notebook(cells=made, metadata=metadata)
    notebook.nbformat_minor = 5
    nbformat.validate(notebook)
    return notebook


def as_text(notebook: NotebookNode) -> str:
    """A notebook as text, with the metadata of each cell on one line."""
    plain = json.loads(nbformat.writes(notebook))
    holders = [*plain["cells"], plain]
    lines = [json.dumps(holder["metadata"], sort_keys=True, ensure_ascii=False) for holder in holders]
    for number, holder in enumerate(holders):
        holder["metadata"] = number
    text = json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=False)
    # No cell's text holds what is replaced: in JSON its quotes would be escaped.
    return re.sub(r'"metadata": (\d+)', lambda found: f'"metadata": {lines[int(found[1])]}', text) + "\n"


def with_rules(cells: list[Cell], specs: Mapping[str, Exercise]) -> list[str]:
    """The texts of all cells, in which each exercise's task is followed by what it must do without."""
    texts = [cell.source for cell in cells]
    waiting: list[tuple[int, str]] = []
    for number, cell in enumerate(cells):
        if cell.kind == "prose":
            waiting += [
                (number, line) for line in cell.source.splitlines() if INTRODUCTION.match(line.strip())
            ]
        elif cell.kind in ("exercise", "written") and waiting:
            where, line = waiting.pop(0)
            if cell.kind == "exercise" and (forbidden := specs[cell.id].forbidden):
                before, _, after = texts[where].partition(line)
                task, gap, rest = after.strip("\n").partition("\n\n")
                texts[where] = f"{before}{line}\n\n{task}\n\n{rule(forbidden)}{gap}{rest}"
    return texts


# Whose functions may be forbidden, as students read it.
OWNERS = {
    "torch": "torch's",
    "numpy": "NumPy's",
    "pandas": "pandas'",
    "builtins": "Python's own",
    **{kind: f"a {kind}'s" for kind in ("list", "str", "dict", "set")},
}


def rule(forbidden: tuple[str, ...]) -> str:
    """What an exercise forbids, as students read it."""
    packages = [f"`{name}`" for name in forbidden if "." not in name]
    told = []
    for package, owner in OWNERS.items():
        last = dict.fromkeys(name.rpartition(".")[2] for name in forbidden if name.startswith(f"{package}."))
        if functions := [f"`{name}`" for name in last if not name.startswith("_")]:
            told.append(f"{owner} {lessons.listed(functions, 'or')}")
    told += (
        [f"the {'libraries' if len(packages) > 1 else 'library'} {lessons.listed(packages, 'or')}"]
        if packages
        else []
    )
    return f"Write it without {' and without '.join(told)}."


def cell_ids(cells: list[Cell]) -> list[str]:
    """An id for each cell, the same as long as its exercise, or the heading over it, is.

    Cells of other kinds are counted apart, so that a paragraph put in changes the id of no code.
    """
    graded = {"exercise": "{}-answer", "check": "{}", "written": "{}", "predict": "{}-prediction"}
    graded["answered"] = "{}-model-answer"
    names = [graded.get(cell.kind, "").format(lessons.grade_id(cell.id)) for cell in cells]
    taken = set(names)
    counts: Counter[str] = Counter()
    for number, cell in enumerate(cells):
        ending = {"prose": "", "given": "-code", "draw": "-draw"}.get(cell.kind)
        base = cell.kind if cell.kind in ("setup", "bundle") else f"{_slug(cell.heading)}{ending}"
        while not names[number]:
            counts[base] += 1
            name = base if counts[base] == 1 else f"{base}-{counts[base]}"
            if name not in taken:
                names[number] = name
                taken.add(name)
    return names


def _slug(heading: str) -> str:
    """A heading as part of an id, without its number, which changes when a section is put in before it."""
    words = re.sub(r"^[\d.]+\s*·?\s*", "", heading).lower()
    slug = re.sub(r"[^a-z0-9]+", "-", words).strip("-")
    return (slug if len(slug) <= 40 else slug[:41].rpartition("-")[0] or slug[:40]) or "section"


def _metadata(cell: Cell, name: str, specs: Mapping[str, Exercise]) -> dict:
    if cell.kind in ("prose", "given"):
        return {}
    ours: dict[str, Any] = {"kind": cell.kind} | ({"id": cell.id} if cell.id else {})
    if cell.kind == "bundle":  # folded away, by Colab too
        return {"headstart": ours, "jupyter": {"source_hidden": True}, "cellView": "form"}
    if cell.kind == "answered":
        return {"headstart": {"kind": "draw"}, "tags": ["draw"]}
    if cell.ungraded:
        return {"headstart": ours}
    if cell.kind == "draw":
        # There is nothing to learn from how a picture is drawn. JupyterLab and Notebook 7 fold by this. VS
        # Code folds by nothing in the file, and Colab would show a button alone, without the comment on top.
        folded = {"jupyter": {"source_hidden": True}} if cell.folded else {}
        return {"headstart": ours, **folded, "tags": ["draw"]}
    theirs: dict[str, Any] = {
        "cell_type": "code" if cell.is_code else "markdown",
        "grade": cell.kind in ("check", "written"),
        "grade_id": name,
        "locked": cell.kind in ("check", "setup"),
        "schema_version": 3,
        "solution": cell.kind in ("exercise", "written", "predict"),
        "task": False,
    }
    if cell.kind == "check":
        theirs["points"] = specs[cell.id].points
    elif cell.kind == "written":
        theirs["points"] = cell.points
    elif cell.kind == "predict" or (cell.kind == "exercise" and specs[cell.id].driver == "choice"):
        ours["choice"] = True
    return {"headstart": ours, "nbgrader": theirs}


# -- the checks ------------------------------------------------------------------------------------------


class SpecError(ValueError):
    """An exercise's spec can't be used as it is."""

    def __init__(self, exercise: str, text: str) -> None:
        self.exercise = exercise
        super().__init__(text)


def make_checks(
    cells: list[Cell], specs: Mapping[str, Exercise], titles: Mapping[str, str], recalled: Mapping[str, str]
) -> dict:
    """What the lesson's checks compare with: each exercise's sheet as JSON, by id.

    Args:
        cells: of the master; a sheet points to the heading over its exercise.
        specs: the lesson's exercises, by id.
        titles: those of all exercises that these need, by id.
        recalled: where else to look, by id, if not at the heading over the exercise.

    Raises:
        SpecError: a spec's cases can't be made, its reference doesn't return, or an answer can't be typed.
    """
    checks = {}
    for cell in cells:
        if cell.kind != "exercise":
            continue
        spec = specs[cell.id]
        needs = {name: titles[name] for name in spec.needs}
        try:
            with one_thread():
                sheet = make_sheet(
                    spec, VISIBLE_SEED, look_at=recalled.get(cell.id, cell.heading), needs=needs
                )
                needed = [specs[name] for name in spec.needs if name in specs]
                sheet = replace(sheet, parts=recorded(spec, sheet.cases, needed))
        except Exception as error:
            text = f"its cases can't be made: {type(error).__name__}: {error}; change them"
            raise SpecError(spec.id, f'"{spec.id}": {text}') from error
        for case, outcome in zip(sheet.cases, sheet.expected, strict=True):
            if form := misplaced(spec.driver, case):
                text = f'case "{case.title}" of "{spec.id}" has other arguments than'
                raise SpecError(spec.id, f'{text} driver="{spec.driver}" takes: {form}; change them')
            if outcome.status != "returned":
                text = f'the reference of "{spec.id}" on case "{case.title}": {_what_failed(spec, outcome)}'
                raise SpecError(spec.id, text)
        for text in typed(sheet):
            if odd := next((each for each in text if not (each.isascii() or each.isalpha())), ""):
                cure = f"that keyboards lack, {odd!r}; write it in letters"
                raise SpecError(spec.id, f'"{spec.id}" asks for a text, {text!r}, with a character {cure}')
        checks[spec.id] = sheet.to_json()
    return checks


def _what_failed(spec: Exercise, outcome: Outcome) -> str:
    """How a reference failed on a case, and the cure."""
    if outcome.status == CallStatus.UNUSABLE and (gets := TRIED_OUT.get(spec.driver)):
        cure = f"fix the function of the case's recipe, which gets {gets}, or the reference"
        return f"{outcome.message}; {cure}"
    if outcome.status == CallStatus.UNUSABLE and spec.driver == "module" and "parameters" in outcome.error:
        return f"the class makes {outcome.message}, the case gives {outcome.error}; {EACH_PARAMETER}"
    what = " ".join(filter(None, (outcome.status, outcome.error, outcome.message)))
    called = CALLED.get(spec.driver, "")
    return f"{what}; fix it" + (f": it is called with {called}" if called else "")


def typed(sheet: Sheet) -> list[str]:
    """What students have to type to the letter: the options of a choice, the keys of a dict to return.

    Keys that come from what a case gives, as where characters are counted, needn't be typed.
    """
    if sheet.driver == "choice":
        slots = [options for case in sheet.cases for options in case.args[0].values()]
        return [str(option) for options in slots for option in options]
    pairs = zip(sheet.cases, sheet.expected, strict=True)
    keys = [(case, key) for case, outcome in pairs for key in _keys(outcome.outputs)]
    return [key for case, key in keys if key.isascii() or key not in str((case.args, case.kwargs))]


def _keys(value: object) -> list[str]:
    parts = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else []
    own = map(str, value) if isinstance(value, dict) else ()
    return [*own, *(key for part in parts for key in _keys(part))]


def dump(checks: dict) -> str:
    """The text of `checks.json`: a line per case and misconception, so that a diff shows which changed."""
    return "{\n" + ",\n".join(f" {_json(name)}: {_sheet(sheet)}" for name, sheet in checks.items()) + "\n}\n"


def _sheet(sheet: dict) -> str:
    """A sheet's many small fields on its first line, and then each of the long ones."""
    text = ", ".join(f"{_json(key)}: {_json(value)}" for key, value in sheet.items() if key not in LONG)
    for key in (key for key in LONG if key in sheet):
        value = sheet[key]
        items = ",\n".join(f"   {_json(item)}" for item in value) if isinstance(value, list) else ""
        text += f",\n  {_json(key)}: " + (f"[\n{items}]" if items else _json(value))
    return "{" + text + "}"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def alike(old: Any, new: Any) -> bool:
    """Whether two pieces of `checks.json` say the same, but for how a processor rounds the last bit."""
    if isinstance(old, dict) and isinstance(new, dict):
        if "$tensor" in old and "$tensor" in new:
            return compare(decode(old), decode(new), slack=GRADIENT_SLACK) is None
        if list(old) != list(new):
            return False
        return all((rewritten if key in ("gives", "given") else alike)(old[key], new[key]) for key in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(alike, old, new))
    if isinstance(old, float) and isinstance(new, float):
        return compare(old, new) is None
    return type(old) is type(new) and old == new
