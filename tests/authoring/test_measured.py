"""Numbers that a benchmark has measured are filled into the texts; one that it hasn't stops the build."""

from pathlib import Path

import nbformat
import pytest

from autograder import lessons
from autograder.authoring.lesson_numbers import Numbers, main
from autograder.authoring.master import Cell
from autograder.authoring.measured import RESULTS, fill_in, read_results
from autograder.lessons import ROOT
from tests.support.small_course import NOTEBOOK, Course

MEASURED = """# Results

## Training: modern

`python -m benchmarks.training_modern`, a machine.

| rung | weights | change | since the rung above | right |
| --- | ---: | --- | --- | --- |
| norm first | 256,640 | -0.1887 (-0.3452 to -0.0323) | 9 | |
| 2 heads of keys | 12 | +0.0043 | 13 | 99.7% (99 to 100) |

| rung | weights |
| --- | --- |
| twice | 1 |
| twice | 2 |
"""
FIRST = "training_modern.norm_first"


def filled(text: str) -> tuple[str, list[str]]:
    """A text with its numbers, and what is said about those that aren't there."""
    cells, mistakes = fill_in([Cell("prose", text, 1, 2)], read_results(MEASURED), "a master")
    return cells[0].source, [mistake.text for mistake in mistakes]


@pytest.mark.parametrize(
    ("place", "text"),
    {
        "a cell": (f"{{measured.{FIRST}.weights}}", "256,640"),
        "a cell with an interval": (f"{{measured.{FIRST}.change}}", "−0.1887 (−0.3452 to −0.0323)"),
        "a share": ("{measured.training_modern.2_heads_of_keys.right}", "99.7 % (99 to 100)"),
        "its first number": (f"{{measured.{FIRST}.change.1}}", "−0.1887"),
        "rounded": (f"{{measured.{FIRST}.change:.2f}}", "−0.19"),
        "turned": (f"{{-measured.{FIRST}.change}}", "0.1887"),
        "the third, turned and rounded": (f"{{-measured.{FIRST}.change.3:.2f}}", "0.03"),
        "as a share": (f"{{-measured.{FIRST}.change:.0%}}", "19 %"),
        "in words": (f"{{measured.{FIRST}.since_the_rung_above:words}}", "nine"),
        "too large for words": (
            "{measured.training_modern.2_heads_of_keys.since_the_rung_above:words}", "13",
        ),
        "with a sign": ("{measured.training_modern.2_heads_of_keys.change.1}", "0.0043"),
    }.values(),
)  # fmt: skip
def test_a_measured_number_is_filled_in(place: str, text: str) -> None:
    assert filled(place) == (text, [])


@pytest.mark.parametrize(
    ("place", "cure"),
    {
        "a slip": ("training_modern.norm_first.wieghts", f'did you mean "{FIRST}.weights"?'),
        "nothing like it": ("x.y.z", "name a section, a row and a column of it"),
        "too few numbers": (
            f"{FIRST}.change.4", "its row is there twice, or has fewer numbers in that column",
        ),
        "two such rows": (
            "training_modern.twice.weights", "its row is there twice, or has fewer numbers in that column",
        ),
    }.values(),
)  # fmt: skip
def test_one_that_was_not_measured_is_a_mistake(place: str, cure: str) -> None:
    place = f"{{measured.{place}}}"
    assert filled(place) == (place, [f"`{place}` isn't in a table of {RESULTS}; {cure}"])


def test_one_that_cannot_be_written_so_is_a_mistake() -> None:
    assert filled(f"{{measured.{FIRST}.weights:.2q}}")[1]


def test_the_build_fills_in_every_text_and_stops_at_what_was_not_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    course = Course(tmp_path)
    course.write(RESULTS, MEASURED)
    place = f"{{measured.{FIRST}.weights}}"
    course.edit("Some prose.", f"It is {place} here.")
    course.edit("Because it is so.", f"Because it is {place}.")
    assert course.build() == 0
    notebook = nbformat.reads((course.root / "source" / NOTEBOOK).read_text(encoding="utf-8"), as_version=4)
    sources = "\n".join(cell.source for cell in notebook.cells)
    assert "It is 256,640 here." in sources and "Because it is 256,640." in sources
    course.write(RESULTS, "# Results")
    assert course.build() == 1
    assert f"notebooks/01_attention.py:10: `{place}` isn't in a table" in capsys.readouterr().err


def test_every_table_of_the_results_can_be_read() -> None:
    found = read_results((ROOT / RESULTS).read_text(encoding="utf-8"))
    assert len(found) > 500 and found["training_modern.norm_first.equal_steps"]


def test_the_table_of_lessons_has_their_numbers_and_sums(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    heads, _, *rows, sums = (line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines())
    assert heads[1:] == list(Numbers.__annotations__) and [row[0] for row in rows] == lessons.names()
    assert [float(number) for number in sums[1:]] == [
        sum(float(row[column]) for row in rows) for column in range(1, len(heads))
    ]
    assert all(float(number) > 0 for row in rows[1:] for number in row[1:])


def test_no_lesson_is_longer_than_its_sittings_bear(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    heads, _, *rows, _ = (line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines())
    for lesson, *numbers in rows:
        found = dict(zip(heads[1:], map(float, numbers), strict=True))
        assert found["words"] <= 5000 and found["minutes"] <= 190, lesson
