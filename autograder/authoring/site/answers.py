"""What the website says of answers: of three wrong ones below each exercise, and of what one may click."""

import difflib
import html
import itertools
import json
import re
from typing import Any

from autograder import answers
from autograder.authoring.trials import checked
from autograder.exercise import Exercise, Misconception
from helpers.checking.finding import Status, marked
from helpers.checks import Sheet
from helpers.figures.predicting import Prediction, plain

SHOWN = 3  # wrong answers below each exercise
TITLE = "Three wrong answers, and what the check says of each"
LEFT_OUT = "…"
SAME_LINE = "<p>One more slip, in a line shown above.</p>"
MISSING = "<p>A step is missing.</p>"


def gallery(exercise: Exercise, sheet: Sheet) -> str:
    """Three wrong answers and what the check says of each, as folded HTML; "" where none has code.

    Of each, only the lines that make it wrong are shown, and of those that change the same line only the
    first: side by side they would give the right one away.
    """
    fresh: list[tuple[Misconception, str]] = []
    again: list[tuple[Misconception, str]] = []
    touched: set[int] = set()
    for wrong in exercise.misconceptions:
        text, lines = wrong_lines(exercise, wrong)
        if lines & touched:
            again.append((wrong, SAME_LINE))
        else:
            fresh.append((wrong, f"<pre>{html.escape(text)}</pre>" if text else MISSING))
        touched |= lines
    shown = []
    for wrong, code in itertools.islice([*fresh, *again], SHOWN):
        finding = checked(exercise, wrong.variant, sheet)
        assert finding.status == Status.FAILED, wrong.name  # the build has tried it
        shown.append(f"<li>{code}{finding.html()}</li>")
    return f'<details class="hs-gallery"><summary>{TITLE}</summary><ol>{"".join(shown)}</ol></details>'


def wrong_lines(exercise: Exercise, wrong: Misconception) -> tuple[str, set[int]]:
    """The lines of a wrong answer that the nearest right one lacks, and what they change.

    Returns:
        The code, with "…" for each part left out, or "" if nothing else is left; and the numbers of the
        reference's lines that are others.
    """
    theirs = _lines(wrong.variant)
    rights = [_lines(answer) for answer in (exercise.reference, *exercise.alternatives)]
    matches = [difflib.SequenceMatcher(None, right, theirs, autojunk=False) for right in rights]
    shown = []
    for kind, _, _, first, last in max(matches, key=lambda match: match.ratio()).get_opcodes():
        indent = theirs[first][: -len(theirs[first].lstrip())] if kind == "equal" else ""
        shown += [indent + LEFT_OUT] if kind == "equal" else theirs[first:last]
    code = "\n".join(shown) if {line.strip() for line in shown} - {LEFT_OUT, ""} else ""
    changes = [change for change in matches[0].get_opcodes() if change[0] != "equal"]
    return code, {line for _, start, end, _, _ in changes for line in range(start, max(end, start + 1))}


def _lines(answer: Any) -> list[str]:
    return answers.code(answer).rstrip("\n").split("\n")


def prediction(id: str, known: Prediction) -> str:
    """Buttons for a prediction's options, with what each is answered, as HTML."""
    buttons = "".join(
        f'<button type="button" aria-pressed="false" value="{letter}" title="{html.escape(plain(option))}">'
        f"{letter}</button>"
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
