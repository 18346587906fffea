"""What a benchmark has measured, filled into a master's texts from the tables of benchmarks/RESULTS.md.

`{measured.training_modern.norm_first.equal_steps}` is the cell of a section, a row and a column there, in
lower case and with _ for all else. `.2` at its end takes its second number, and `:.1f` rounds one as in
Python, as `:.0%` does to a share. `{-measured…}` turns the sign, and `:words` writes a whole number out.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from autograder.authoring.master import Cell, Mistake, did_you_mean

RESULTS = "benchmarks/RESULTS.md"
PLACE = re.compile(r"\{(-?)measured\.([\w.]+?)(?:\.(\d))?(?::([^{}]*))?\}")
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?")
WORDS = "no", *"one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905

Measured = dict[str, str]


def fill_in(cells: list[Cell], known: Measured, name: str) -> tuple[list[Cell], list[Mistake]]:
    """Write the numbers into the texts that name them.

    Args:
        cells: of the master.
        known: what was measured.
        name: what to call the master in mistakes.

    Returns:
        The cells with their numbers, and a mistake for each that wasn't measured.
    """
    mistakes: list[Mistake] = []

    def filled(line: int, text: str) -> str:
        try:
            return PLACE.sub(lambda place: _number(place, known), text)
        except ValueError as error:
            mistakes.append(Mistake(name, line, str(error)))
            return text

    made = [
        cell if cell.is_code else replace(cell, source="\n".join(filled(*each) for each in cell.lines))
        for cell in cells
    ]
    return made, mistakes


def read_results(results: str) -> Measured:
    """Each cell of the tables in RESULTS.md, by section, row and column."""
    found: Measured = {}
    for section in re.split(r"^## ", results, flags=re.MULTILINE)[1:]:
        title = _slug(section.partition("\n")[0])
        for heads, *rows in _tables(section):
            for first, *values in rows:
                for head, value in zip(heads[1:], values, strict=False):
                    name = f"{title}.{_slug(first)}.{_slug(head)}"
                    found[name] = "" if name in found else value  # nobody could say which
    return found


def _tables(section: str) -> Iterator[list[list[str]]]:
    """The rows of each Markdown table, without the rule below its head."""
    for table in re.findall(r"(?:^\|.*\|\n?)+", section, re.MULTILINE):
        rows = [[part.strip() for part in line.strip("| ").split("|")] for line in table.splitlines()]
        yield rows[:1] + rows[2:]


def _slug(text: str) -> str:
    return re.sub(r"\W+", "_", text.lower()).strip("_")


def _number(place: re.Match[str], known: Measured) -> str:
    """What is written in a place.

    Raises:
        ValueError: there is no such number, or it can't be written like this; the text says what to do.
    """
    sign, name, which, spec = place.groups()
    cell = known.get(name, "")
    numbers, at = NUMBER.findall(cell), int(which or 1) - 1
    if at >= len(numbers):
        near = did_you_mean(name, list(known))
        cure = f'did you mean "{near}"?' if near else "name a section, a row and a column of it"
        cure = "its row is there twice, or has fewer numbers in that column" if near == name else cure
        raise ValueError(f"`{place[0]}` isn't in a table of {RESULTS}; {cure}")
    printed = numbers[at].lstrip("+") if which or sign else cell
    value = float(numbers[at].replace(",", "")) * (-1 if sign else 1)
    if spec == "words":
        return WORDS[int(value)] if value in range(len(WORDS)) else f"{value:,.0f}"
    text = format(value, spec) if spec else printed.removeprefix("-") if sign else printed
    return re.sub(r"-(?=\d)", "−", re.sub(r"(?<=\d)%", " %", text))
