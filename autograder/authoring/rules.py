"""The rules that exercises, predictions and pictures keep, each told with its line and its cure.

Those of a master are in `review.py`, and what only running an exercise shows in `trials.py`.
"""

import ast
import importlib
import inspect
import itertools
import re
import types
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from autograder import courses, lessons
from autograder.authoring.master import Cell, Mistake
from autograder.authoring.waiting import out_of_order
from autograder.drawing import generator
from autograder.exercise import Exercise
from autograder.recall import Recall
from autograder.sheets import outcome_of
from helpers.checking.code.names import read
from helpers.figures.predicting import Prediction

MISCONCEPTIONS, ALTERNATIVES = 3, 2  # at least, of an exercise that is code
RECALLS, RECALL_MINUTES = 3, 8  # of a lesson: so many or none, in less than that
SENTENCE = range(21, 260)  # characters of a misconception's, and below that of a prediction's
# The drivers that look at a property; all do at the properties that aren't here.
LOOKED_AT = {
    "gradient_reaches_inputs": ("call", "call_measured", "call_with_layer", "module", "use_result"),
    "shares_nothing": ("copies",),
    "stays_small": ("call_measured",),
}
OPTION = 90  # characters of a prediction's at most
TELLING = 20  # characters of a sentence that is looked for elsewhere: a shorter one is anybody's
SOLUTION = re.compile("### BEGIN SOLUTION.*?### END SOLUTION", re.DOTALL)
# The modules of a topic's folder that hold what a lesson shows, and what that is called in there.
PICTURES = {"drawings": re.compile(r"[^_].*"), "explorers": re.compile(r"[^_].*_explorer")}
Found = Iterator[tuple[str, str]]  # the name of what is wrong, "" for the whole, and what is wrong with it


def place(exercise: str, root: Path, name: str = "") -> tuple[str, int]:
    """The file below a course's folder that specifies an exercise, and the line.

    Args:
        exercise: its id.
        root: the course's folder.
        name: of one of its answers; "" means the exercise itself.
    """
    topic, _, last = exercise.partition(".")
    folder = root / "exercises" / topic
    for path in sorted(folder.glob("*.py"), key=lambda path: path.stem != last):
        lines = path.read_text(encoding="utf-8").split("\n")
        named = re.compile(rf'"{re.escape(exercise)}"')
        if numbers := [number for number, line in enumerate(lines, 1) if named.search(line)]:
            answer = re.compile(rf'\b(?:def|class) {re.escape(name)}\b|"{re.escape(name)}"')
            found = [number for number, line in enumerate(lines, 1) if name and answer.search(line)]
            return path.relative_to(root).as_posix(), [*found, *numbers][0]
    return f"exercises/{topic}/{last}.py", 1


def of_exercises(lesson: str, specs: Mapping[str, Exercise], cells: list[Cell], root: Path) -> list[Mistake]:
    """Everything wrong with a lesson's exercises that shows without trying answers.

    Args:
        lesson: such as `01_attention`.
        specs: its exercises, by id.
        cells: of its master, all written out.
        root: the course's folder.
    """
    shown = _shown(cells)
    found = [
        Mistake(*place(id, root, name), f'"{id}" {text}')
        for id, exercise in specs.items()
        for name, text in _of_exercise(exercise, shown)
    ]
    found += [Mistake(*place(id, root), f'"{id}" {text}') for id, text in _calls(specs, cells)]
    return found + _recalls(lesson, specs, root)


def _of_exercise(exercise: Exercise, shown: str) -> Found:
    rules = (_id, _numbers, _sentences, _forbidden)
    of_code = (_enough, _kinds, _looked_at)
    for rule in (*rules, *(() if exercise.driver == "choice" else of_code)):
        yield from rule(exercise)
    if exercise.driver == "choice":
        try:
            yield from _explained(exercise)
            yield from _unsaid(exercise, shown)
        except Exception as error:
            yield "", f"has no choices that can be read: {type(error).__name__}: {error}; correct its cases"


# -- any exercise ----------------------------------------------------------------------------------------


def _id(exercise: Exercise) -> Found:
    topic, _, name = exercise.id.partition(".")
    if not (topic and name.isidentifier()):
        yield "", 'is no id; write "topic.name", in which both are Python names'


def _numbers(exercise: Exercise) -> Found:
    if not exercise.title.strip():
        yield "", "has no title; give it one"
    for field, least, most in (("points", 0, 10), ("difficulty", 1, 5), ("minutes", 1, 60)):
        number = getattr(exercise, field)
        if not least <= number <= most:
            yield "", f"has {field}={number}; choose from {least} to {most}"


def _sentences(exercise: Exercise) -> Found:
    """Each misconception has a name of its own, and a sentence of its own that is one sentence."""
    known = exercise.misconceptions
    for what, values in (("name", [m.name for m in known]), ("sentence", [m.sentence for m in known])):
        for value in (value for value, count in Counter(values).items() if count > 1):
            name = next(m.name for m in known if getattr(m, what) == value)
            yield name, f"has two misconceptions with the {what} “{value}”; change or remove one"
    for each in known:
        if not each.name.isidentifier():
            yield each.name, f"has a misconception called {each.name!r}; call it by a Python name"
        said = each.sentence
        ends = said.endswith(".") and ". " not in said.removesuffix(".")
        if len(said) not in SENTENCE or not ends or said != " ".join(said.split()):
            cure = f"write one sentence of {SENTENCE[0]} to {SENTENCE[-1]} characters that ends with a period"
            yield each.name, f"explains {each.name} with {said!r}; {cure}"


def _forbidden(exercise: Exercise) -> Found:
    """What is forbidden by a dotted name exists: a name that is misspelt forbids nothing."""
    for name in exercise.forbidden:
        first, *rest = name.split(".")
        if not rest:
            continue  # a package, which may not be here
        try:
            found: Any = importlib.import_module(first)
            for part in rest:
                found = getattr(found, part)
        except (ImportError, AttributeError) as error:
            yield "", f"forbids {name}, but {error}; correct the name, or remove it"


# -- code ------------------------------------------------------------------------------------------------


def _enough(exercise: Exercise) -> Found:
    for what, least in (("misconceptions", MISCONCEPTIONS), ("alternatives", ALTERNATIVES)):
        if (count := len(getattr(exercise, what))) < least and not exercise.draft:
            cure = {
                "misconceptions": "wrong answers that people give, each with its sentence",
                "alternatives": "right answers, each written differently from the reference",
            }[what]
            yield "", f"has {lessons.counted(count, what[:-1])}; write at least {least}: {cure}"
    names = [answer.__name__ for answer in exercise.alternatives if hasattr(answer, "__name__")]
    for name in (name for name, count in Counter(names).items() if count > 1):
        yield name, f"has two alternatives called {name}; rename one"


def _kinds(exercise: Exercise) -> Found:
    """Answers are functions, or classes, that take what the reference takes."""
    wanted = type if exercise.driver in ("module", "object") else types.FunctionType
    if not isinstance(exercise.reference, wanted):
        yield "", f"has a {type(exercise.reference).__name__} as reference; write a {_called(wanted)}"
        return
    right = _taken(exercise.reference)
    known = [(answer, "") for answer in exercise.alternatives]
    known += [(m.variant, m.name) for m in exercise.misconceptions]
    for answer, name in known:
        name = name or getattr(answer, "__name__", "")
        if not isinstance(answer, wanted) or answer.__name__ == "<lambda>":
            yield name, f"has an answer, {name}, that is no {_called(wanted)} with a name; write one"
        elif (taken := _taken(answer)) != right:
            yield name, f"has an answer, {name}, that takes ({', '.join(taken)}); take ({', '.join(right)})"


def _looked_at(exercise: Exercise) -> Found:
    """A property that a driver reports nothing about would hold of every answer, or of none."""
    for name in (each.__name__ for each in exercise.properties):
        if exercise.driver not in (drivers := LOOKED_AT.get(name, (exercise.driver,))):
            text = f'has the property {name}, at which driver="{exercise.driver}" doesn\'t look'
            yield "", f"{text}; remove it, or take the driver {lessons.listed(drivers, 'or')}"


def _called(kind: type) -> str:
    return "class" if kind is type else "function"


def _taken(answer: Any) -> list[str]:
    calls = [answer, getattr(answer, "forward", answer)] if isinstance(answer, type) else [answer]
    return [name for call in calls for name in inspect.signature(call).parameters]


# -- choices ---------------------------------------------------------------------------------------------


def _options(exercise: Exercise) -> dict[str, list]:
    """By slot, what may be chosen."""
    (case,) = exercise.cases(generator(0, hidden=False))
    return case.args[0]


def _explained(exercise: Exercise) -> Found:
    """Each wrong option has a misconception, and each misconception is a wrong option."""
    (case,) = exercise.cases(generator(0, hidden=False))
    right = outcome_of(exercise, exercise.reference, case).outputs
    known = [(m.name, m.variant) for m in exercise.misconceptions if isinstance(m.variant, Mapping)]
    explained = {(slot, option): name for name, chosen in known for slot, option in chosen.items()}
    wrong = set()
    for slot, options in _options(exercise).items():
        given = [(option, outcome_of(exercise, {slot: option}, case).outputs[slot]) for option in options]
        if len(passing := [option for option, output in given if output == right[slot]]) != 1:
            yield "", f"has {len(passing)} right options for {slot!r}; let exactly one be right"
        wrong |= {(slot, option) for option in options if option not in passing}
    for slot, option in sorted(wrong - explained.keys(), key=str):
        yield "", f"doesn't explain {option!r} for {slot!r}; add a misconception with its sentence"
    for slot, option in sorted(explained.keys() - wrong, key=str):
        name = explained[slot, option]
        yield (
            name,
            f"has a misconception, {name}, with {option!r} for {slot!r}, which isn't wrong; correct it",
        )


def _unsaid(exercise: Exercise, shown: str) -> Found:
    """What may be chosen is in the lesson's text: nobody could guess it. Recalls write theirs out."""
    if exercise.driver == "choice" and not isinstance(exercise, Recall):
        options = [option for slot in _options(exercise).values() for option in slot]
        for option in dict.fromkeys(option for option in options if isinstance(option, str)):
            if option.replace("{}", "N") not in shown:
                yield (
                    "",
                    f"has an option that the lesson doesn't show, {option!r}; write it above the exercise",
                )


def _shown(cells: list[Cell]) -> str:
    """What students read of a lesson, in one line."""
    text = "\n".join(cell.source for cell in cells)
    return " ".join(re.sub("^#", "", SOLUTION.sub("", text), flags=re.M).split())


# -- a lesson's ------------------------------------------------------------------------------------------


def _calls(specs: Mapping[str, Exercise], cells: list[Cell]) -> Found:
    """An exercise lists the earlier ones whose answers its solution calls: their faults count there."""
    earlier: dict[str, str] = {}  # ids, by what answers are called
    for cell in cells:
        if cell.kind != "exercise" or cell.id not in specs:
            continue
        statements = read(cell.source)
        names = {mention.root for each in statements for mention in (*each.now, *each.later)}
        for name, id in earlier.items():
            if name in names and id not in specs[cell.id].needs:
                yield cell.id, f'calls {name}, the answer to "{id}"; add that to its `needs`'
        answer = specs[cell.id].reference
        earlier |= {answer.__name__: cell.id} if callable(answer) else {}


def _recalls(lesson: str, specs: Mapping[str, Exercise], root: Path) -> list[Mistake]:
    """Slips to catch are from earlier lessons, and don't take long."""
    items = [each for each in specs.values() if isinstance(each, Recall)]
    earlier = [lessons.topic(name) for name in lessons.names(root) if name < lesson]
    found = [
        Mistake(
            *place(item.id, root), f'"{item.id}" is about {item.about}; take an exercise of an earlier lesson'
        )
        for item in items
        if item.about.partition(".")[0] not in earlier
    ]
    if items and (len(items) != RECALLS or sum(item.minutes for item in items) >= RECALL_MINUTES):
        minutes = sum(item.minutes for item in items)
        text = f"the lesson has {lessons.counted(len(items), 'slip')} to catch, of {minutes} minutes in all"
        cure = f"write {RECALLS}, of less than {RECALL_MINUTES} minutes in all, or none"
        found.append(Mistake(*place(items[0].id, root), f"{text}; {cure}"))
    return found


def of_predictions(
    lesson: str, known: Mapping[str, Prediction], cells: list[Cell], root: Path
) -> list[Mistake]:
    """Everything wrong with a lesson's predictions, or with the cells after them."""
    file = f"helpers/{lessons.topic(lesson)}/predictions.py"
    text = (root / file).read_text(encoding="utf-8") if (root / file).is_file() else ""
    lines = text.split("\n")
    found = []
    for id, prediction in known.items():
        name = f'"{id.partition(".")[2]}"'
        line = next((number for number, each in enumerate(lines, 1) if name in each), 1)
        found += [Mistake(file, line, f'the prediction "{id}" {text}') for text in _prediction(prediction)]
    rights = Counter(prediction.right for prediction in known.values())
    for letter, count in rights.items():
        if len(known) > 2 and count > 2 / 3 * len(known):
            text = f'"{letter}" is right in {count} of {len(known)} predictions, so it can be guessed'
            found.append(Mistake(file, 1, f"{text}; put some options into another order"))
    there = [*_placed(cells), *_told(known, cells), *out_of_order(cells)]
    found += [Mistake(f"notebooks/{lesson}.py", line, text) for line, text in there]
    return found


def _placed(cells: list[Cell]) -> Iterator[tuple[int, str]]:
    """Under each prediction its figure, and under that what it shows, which the build moves."""
    told: dict[str, bool] = {}
    for number, cell in enumerate(cells):
        if cell.kind == "predict":
            drawn = [*itertools.takewhile(lambda each: each.kind == "draw", cells[number + 1 :])]
            tells = f'after_predicting("{cell.id}")'
            telling = [each for each in drawn if tells in each.source]
            if not (telling and f'after_predicting("{cell.id}"' in drawn[0].source):
                text = f'nothing waits for the prediction "{cell.id}"; draw its figure in the next cell'
                yield cell.line, f'{text}, below `with after_predicting("{cell.id}"):`'
            for figure in cells:
                if tells in figure.source and figure not in telling[-1:]:
                    text = f'what "{cell.id}" shows would be told below this figure as well; write here'
                    yield figure.line, f'{text} `after_predicting("{cell.id}", told=False)`'
            below = cells[number + 1 + len(drawn) :][:1]
            told[cell.id] = [(each.kind, each.id) for each in below] == [("reveals", cell.id)]
            if not told[cell.id]:
                text = f'nothing is revealed after the prediction "{cell.id}"; say what its figure shows'
                yield cell.line, f'{text}, in the cell below it: `# %% [markdown] reveals="{cell.id}"`'
        elif cell.kind == "reveals":
            if not told.pop(cell.id, False):
                text = f'"{cell.id}" is revealed here, but the figure above waits for no such prediction'
                yield cell.line, f"{text}; put the text below its figure, or remove `reveals`"
            for line, each in cell.lines:
                if each.startswith(("#", "**Exercise", "**Question")):
                    yield line, "this would be moved out of the notebook; begin a new cell above it"


def _told(known: Mapping[str, Prediction], cells: list[Cell]) -> Iterator[tuple[int, str]]:
    """No other cell says what is told only after the choice: what the figure shows, and the reasons."""
    later = {id: [reason for _, reason in prediction.letters.values()] for id, prediction in known.items()}
    for cell in cells:
        if cell.kind == "reveals" and cell.id in later:
            later[cell.id].append(cell.source)
    told = {
        words: id
        for id, texts in later.items()
        for sentence in re.split(r"(?<=[.:?])\s", "\n".join(texts))
        if len(words := _words(sentence)) > TELLING
    }
    for cell in (cell for cell in cells if cell.kind != "reveals"):
        there = _words(SOLUTION.sub("", cell.source))
        for id in dict.fromkeys(id for words, id in told.items() if words in there):
            yield cell.line, f'this cell says what is told after the prediction "{id}"; reword one of them'


def _words(text: str) -> str:
    """Letters and digits alone: a sentence is found however its line is broken or marked."""
    return re.sub(r"[\W_]+", " ", text).strip().casefold()


def _prediction(found: Prediction) -> Iterator[str]:
    if not found.question.endswith("?"):
        yield "doesn't end with a question mark; ask a question"
    if not 2 <= len(found.options) <= 4:
        yield f"has {lessons.counted(len(found.options), 'option')}; offer 2 to 4"
    if found.right not in found.letters:
        yield f"has {found.right!r} as the right letter; choose from {', '.join(found.letters)}"
    for letter, (option, sentence) in found.letters.items():
        if not option.endswith(".") or len(option) >= OPTION:
            yield f"has the option {letter}, “{option}”; end it with a period within {OPTION} characters"
        if re.match(r"(Right|Wrong|Yes|No)\b[,.:]", sentence):
            yield f"says of the option {letter}: “{sentence}”; leave out its first word, which is said anyway"
        if not sentence.endswith(".") or len(sentence) > SENTENCE[-1] or sentence == option:
            cure = f"write what the figure shows, up to a period within {SENTENCE[-1]} characters"
            yield f"says of the option {letter}: “{sentence}”; {cure}"
        for mark in sorted({"`", "*"}.intersection(found.answer(letter)[0])):
            yield f"shows a single {mark} in the option {letter}; write a second one, or leave it out"
    sentences = [sentence for _, sentence in found.letters.values()]
    for sentence in (sentence for sentence, count in Counter(sentences).items() if count > 1):
        yield f"says the same of two options, “{sentence}”; say of each why it is right or wrong"


def of_pictures(lesson: str, cells: list[Cell], root: Path) -> list[Mistake]:
    """Drawings and explorers that a lesson doesn't show, or lacks where the course wants some in each."""
    code = "\n".join(cell.source for cell in cells if cell.is_code)
    found = []
    for kind, called in PICTURES.items():
        file = f"helpers/{lessons.topic(lesson)}/{kind}.py"
        text = (root / file).read_text(encoding="utf-8") if (root / file).is_file() else ""
        functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
        made = [node for node in functions if called.fullmatch(node.name)]
        for node in made:
            if not re.search(rf"\b{kind}\.{node.name}\b", code):
                cure = f"call {kind}.{node.name} in a cell, or remove it"
                found.append(Mistake(file, node.lineno, f"the lesson doesn't show {node.name}; {cure}"))
        if lessons.number(lesson) and not made and kind in courses.at(root).each_lesson_shows:
            text = f"the lesson has no {kind}, and {courses.FILE} says that each lesson shows some"
            cure = f"write one into {file} and show it, or take {kind} out of {courses.SHOWS}"
            found.append(Mistake(f"notebooks/{lesson}.py", 1, f"{text}; {cure}"))
    return found
