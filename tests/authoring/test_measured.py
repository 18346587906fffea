"""Numbers that a benchmark has measured are filled into the texts; one that it hasn't stops the build."""

from pathlib import Path

import nbformat
import pytest

from autograder import lessons
from autograder.authoring.lesson_numbers import Numbers, main
from autograder.authoring.master import Cell
from autograder.authoring.measured import NUMBER, RESULTS, fill_in, read_results
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


# What the option that is called right says, by prediction, as a measured number between two bounds.
SIZES = {
    "bert.checkpoint": ("training_published_weights.200.fine_tuned", 70, 90),
    "modern.bits": ("training_cheaper.3_bits.change_of_the_loss_nats_per_token", 0.02, 1),
    "modern.recall": ("training_cheaper.32_pairs.a_state_of_fixed_size", 40, 60),
    "posttraining.often": ("training_answers.fine_tuned.best_of_16", 90, 100),
}
RATIOS = {
    "modern.crowd": ("training_cheaper.nothing.busiest", "training_cheaper.nothing.idlest", 1.7, 2.5),
    "posttraining.closer": (
        "training_answers.rewards.kl_grammar_model", "training_answers.fine_tuned.kl_grammar_model", 2.5, 10,
    ),
    "posttraining.price": (
        "training_answers.fine_tuned.nats_forgotten", "training_answers.pretrained.nats_forgotten", 8, 13,
    ),
}  # fmt: skip


def test_an_option_that_states_a_size_is_right_by_what_was_measured() -> None:
    """No build fills numbers into predictions, so this says which of them a new measurement makes wrong."""
    found = read_results((ROOT / RESULTS).read_text(encoding="utf-8"))

    def number(name: str) -> float:
        return float(NUMBER.findall(found[name])[0])

    sizes = {name: (number(size), low, high) for name, (size, low, high) in SIZES.items()}
    sizes |= {name: (number(one) / number(two), low, high) for name, (one, two, low, high) in RATIOS.items()}
    assert {name: each for name, each in sizes.items() if not each[1] < each[0] < each[2]} == {}
    assert number("training_cheaper.4_bits.change_of_the_loss_nats_per_token") < 0.02
    assert number("training_answers.rewards.best_of_1") < number("training_answers.fine_tuned.best_of_16")
    assert 50 < number("training_published_weights.200.tf_idf") < 60  # the question of bert.checkpoint
    assert 0.02 < number("training_answers.pretrained.nats_forgotten") < 0.05  # that of posttraining.price


def test_the_table_of_lessons_has_their_numbers_and_sums(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    heads, _, *rows, sums = (line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines())
    assert heads[1:] == list(Numbers.__annotations__) and [row[0] for row in rows] == lessons.names()
    assert [float(number) for number in sums[1:]] == [
        sum(float(row[column]) for row in rows) for column in range(1, len(heads))
    ]
    assert all(float(number) > 0 for row in rows[1:] for number in row[1:])


MINUTES = {"13_posttraining": 150}  # the last lesson comes after twelve others


def test_no_lesson_is_longer_than_its_sittings_bear(capsys: pytest.CaptureFixture[str]) -> None:
    main()
    heads, _, *rows, _ = (line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines())
    for lesson, *numbers in rows:
        found = dict(zip(heads[1:], map(float, numbers), strict=True))
        assert found["words"] <= 5000 and found["minutes"] <= MINUTES.get(lesson, 190), lesson
