"""What the website says of answers: of wrong ones below each exercise, and of what one may click.

Of a wrong answer, only the lines that make it wrong are shown. Several that change one line of a right one
are shown only if part of that line is in none of them: side by side they would give it away.
"""

import difflib
import html
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autograder import answers
from autograder.authoring.trials import checked
from autograder.exercise import Exercise, Misconception
from helpers.checking.finding import Status, marked
from helpers.checks import Sheet
from helpers.figures.predicting import Prediction, without_marks

SHOWN = 3  # wrong answers below each exercise, where so many can be shown
TITLES = (
    "",
    "A wrong answer, and what the check says of it",
    "Two wrong answers, and what the check says of each",
    "Three wrong answers, and what the check says of each",
)
LEFT_OUT = "…"
MISSING = "<p>A step is missing.</p>"
TOKEN = re.compile(r"\w+|[^\w\s()\[\]{},.:;'\"]")  # of a line, without what only separates


def gallery(exercise: Exercise, sheet: Sheet) -> str:
    """Up to three wrong answers and what the check says of each, as folded HTML."""
    shown = []
    for wrong, text in chosen(exercise):
        finding = checked(exercise, wrong.variant, sheet)
        assert finding.status == Status.FAILED, wrong.name  # the build has tried it
        code = f"<pre>{html.escape(text)}</pre>" if text else MISSING
        shown.append(f"<li>{code}{finding.html()}</li>")
    summary = f"<summary>{TITLES[len(shown)]}</summary>"
    return f'<details class="hs-gallery">{summary}<ol>{"".join(shown)}</ol></details>'


def chosen(exercise: Exercise) -> list[tuple[Misconception, str]]:
    """The wrong answers that the site shows, each with the lines that make it wrong.

    As many as possible, and those that share the fewest lines. Two that change the same line of a right
    answer are shown together only if part of that line is in neither: else a reader could put the right line
    together. One that only leaves lines out has no code to show, and comes last.
    """
    rights = {
        line.strip() for right in (exercise.reference, *exercise.alternatives) for line in _lines(right)
    }
    codes = [(wrong, wrong_lines(exercise, wrong)) for wrong in exercise.misconceptions]
    without_code = [each for each in codes if not each[1]]
    unlike = {code: wrong for wrong, code in reversed(codes) if code}
    lacking = {code: _lacking(code, rights) for code in unlike}
    with_code = [(wrong, code) for wrong, code in codes if code and unlike[code] is wrong]
    for count in range(SHOWN, 0, -1):
        together = (
            (_shared([lacking[code] for _, code in some]), some)
            for some in itertools.combinations(with_code, count)
        )
        safe = [(len(left), some) for left, some in together if all(left)]
        if safe:
            _, best = min(safe, key=lambda each: each[0])
            return [*best, *without_code][:SHOWN]
    return without_code[:SHOWN]


def _lacking(code: str, rights: Iterable[str]) -> dict[str, set[str]]:
    """For each right line of which some code shows more than half: its tokens that aren't in the code."""
    found = {}
    for right in rights:
        tokens = Counter(TOKEN.findall(right))
        lacks = [tokens - Counter(TOKEN.findall(line)) for line in code.split("\n")]
        if near := [each for each in lacks if 2 * each.total() < tokens.total()]:
            found[right] = set.intersection(*map(set, near))
    return found


def _shared(lacking: Sequence[Mapping[str, set[str]]]) -> list[set[str]]:
    """For each right line that several codes show most of: its tokens that are in none of them."""
    lines = Counter(itertools.chain.from_iterable(lacking))
    several = [line for line, count in lines.items() if count > 1]
    return [set.intersection(*(each[line] for each in lacking if line in each)) for line in several]


def wrong_lines(exercise: Exercise, wrong: Misconception) -> str:
    """The lines of a wrong answer that the nearest right one lacks, with "…" for each part left out.

    Returns:
        The code, or "" if nothing but "…" is left.
    """
    theirs = _lines(wrong.variant)
    rights = [_lines(answer) for answer in (exercise.reference, *exercise.alternatives)]
    matches = [difflib.SequenceMatcher(None, right, theirs, autojunk=False) for right in rights]
    shown = []
    for kind, _, _, first, last in max(matches, key=lambda match: match.ratio()).get_opcodes():
        indent = theirs[first][: -len(theirs[first].lstrip())] if kind == "equal" else ""
        shown += [indent + LEFT_OUT] if kind == "equal" else theirs[first:last]
    return "\n".join(shown) if {line.strip() for line in shown} - {LEFT_OUT, ""} else ""


def _lines(answer: Any) -> list[str]:
    return answers.code(answer).rstrip("\n").split("\n")


def prediction(id: str, known: Prediction) -> str:
    """Buttons for a prediction's options, with what each is answered, as HTML."""
    buttons = "".join(
        f'<button type="button" aria-pressed="false" value="{letter}" '
        f'title="{html.escape(without_marks(option))}">{letter}</button>'
        for letter, (option, _) in known.letters.items()
    )
    said = "".join(
        f'<template data-letter="{letter}">{known.answer(letter)[0]}</template>' for letter in known.letters
    )
    return (
        f'<div class="hs-predict" data-prediction="{id}"><div role="group" aria-label="Your prediction">'
        f'<span>Your prediction:</span>{buttons}</div>{said}<div class="hs-said"></div></div>'
    )


def choices(exercise: Exercise, sheet: Sheet) -> str:
    """Buttons for each slot of an exercise of choice, with what the check says of each, as HTML."""
    [case] = sheet.cases
    slots: dict[str, list] = dict(case.args[0])
    said: dict[str, list] = {}
    pieces: dict[str, int] = {}  # sentences, each once: of six slots with three options there are 729 answers
    for picked in itertools.product(*map(enumerate, slots.values())):
        chosen = {slot: option for slot, (_, option) in zip(slots, picked, strict=True)}
        wrong = {slot: option for slot, option in chosen.items() if option != exercise.reference[slot]}
        finding = checked(exercise, wrong or exercise.reference, sheet)
        told = [finding.headline, *(part for label, text in finding.rows for part in (label, marked(text)))]
        split = [re.split(r"(?<=[.;:]) ", text) for text in told]
        numbers = [[pieces.setdefault(piece, len(pieces)) for piece in text] for text in split]
        said[",".join(str(number) for number, _ in picked)] = [finding.status, *numbers]
    name = exercise.id.replace(".", "-")
    groups = "".join(_group(f"{name}-{place}", *slot) for place, slot in enumerate(slots.items()))
    table = {"pieces": list(pieces), "said": said}
    data = json.dumps(table, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<div class="hs-choices">{groups}<script type="application/json">{data}</script>'
        '<div class="hs-said" role="status"></div></div>'
    )


def _group(name: str, slot: str, options: list) -> str:
    buttons = "".join(
        f'<label><input type="radio" name="{name}" value="{number}"> {marked(str(option))}</label>'
        for number, option in enumerate(options)
    )
    return f"<fieldset><legend>{marked(slot)}</legend>{buttons}</fieldset>"
