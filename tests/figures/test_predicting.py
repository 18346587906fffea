"""Predict, then look: a figure waits for its prediction, and nothing tells what it shows before the choice."""

import ast
import json
import re
from types import SimpleNamespace

import nbformat
import pytest

from autograder import lessons
from autograder.authoring.site import answers
from autograder.courses import current
from helpers.figures import predicting, showing
from helpers.figures.predicting import Prediction, after_predicting, predict, predictions, revealed
from helpers.figures.showing import waiting_for

TOPICS = current().topics

KNOWN = {id: it for topic in TOPICS for id, it in predictions(topic).items()}
LESSON = {lessons.topic(name): name for name in lessons.names()}
each = pytest.mark.parametrize("prediction", KNOWN)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is displayed, as text."""
    found: list[str] = []
    for room in (showing, predicting):
        monkeypatch.setattr(room, "put", lambda page, text: found.append(text))
    monkeypatch.setattr(predicting, "reveal", lambda prediction: found.append(revealed(prediction)))
    monkeypatch.setattr(predicting, "_chosen", {})
    return found


def requested(code: str, cell: str = "") -> dict:
    """The request that runs a cell; not every program says which cell it is."""
    return {"content": {"code": code}, "metadata": {"cellId": cell} if cell else {}}


class Shell:
    """A kernel's shell, as far as predictions need it."""

    kernel = True

    def __init__(self) -> None:
        self.parent_header = requested("predict()")
        self.ran: list[tuple[str, dict]] = []

    def set_parent(self, parent: dict) -> None:
        self.parent_header = parent

    def run_cell(self, source: str) -> None:
        self.ran.append((source, self.parent_header))


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, tmp_path) -> Shell:
    """Somebody who can click: what is displayed is kept in `shell.outputs`."""
    made, outputs = Shell(), []
    handle = SimpleNamespace(
        display=lambda data, raw, metadata: outputs.append((data["text/plain"], metadata)),
        update=lambda data, raw, metadata: outputs.append((data["text/plain"], metadata)),
    )
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(predicting, "kernel", lambda: made)
    monkeypatch.setattr(predicting, "_waiting", {})
    monkeypatch.setattr(predicting, "_drawn", set())
    monkeypatch.setattr("IPython.display.DisplayHandle", lambda: handle)
    monkeypatch.setattr("IPython.display.display", lambda box: setattr(made, "box", box))
    monkeypatch.setattr("IPython.display.clear_output", lambda wait: None)
    made.outputs = outputs
    return made


def click(shell: Shell, letter: str) -> None:
    """Press one of the buttons on show."""
    [button] = [found for found in shell.box.children[0].children if found.description == letter]
    button.click()


def look(prediction: str, shown: list[str], told: bool = True) -> list[str]:
    """What a cell shows that draws after a prediction."""
    shown.clear()
    with waiting_for("Exercise 1.2"), after_predicting(prediction, told=told):
        shown.append("the figure")
    return shown


@each
def test_a_figure_waits_and_says_below_what_it_shows(prediction: str, shown: list[str]) -> None:
    predict(prediction, "z")
    assert shown[0] == f"○ {predicting.NOTHING}"
    assert ["waits for your prediction" in text for text in look(prediction, shown)] == [True]
    for letter, (option, reason) in KNOWN[prediction].letters.items():
        shown.clear()
        predict(prediction, f" {letter.upper()}")
        right = letter == KNOWN[prediction].right
        assert shown[0].startswith("Right. " if right else "Not quite. ")
        assert option in shown[0] and reason in shown[0]
        assert look(prediction, shown) == ["the figure", revealed(prediction)]


@each
def test_nothing_in_the_released_lesson_tells_before_the_choice(prediction: str) -> None:
    """Neither what the figure shows nor what the options are answered, in a text, a code cell or metadata."""
    notebook = nbformat.read(lessons.release_path(LESSON[prediction.partition(".")[0]]), as_version=4)
    told = _words(json.dumps(notebook.cells, ensure_ascii=False).replace("\\n", " "))
    text, reasons = revealed(prediction), [reason for _, reason in KNOWN[prediction].letters.values()]
    sentences = [part for said in (text, *reasons) for part in re.split(r"(?<=[.:?])\s", said)]
    assert len(sentences) > len(reasons)
    assert [each for each in sentences if len(_words(each)) > 20 and _words(each) in told] == []


def test_what_waits_for_a_prediction_says_so_instead_of_stopping_run_all() -> None:
    """`after_predicting` raises where nothing is chosen, and `waiting_for` around it makes a note of that."""
    for lesson in LESSON.values():
        for cell in nbformat.read(lessons.release_path(lesson), as_version=4).cells:
            if cell.cell_type != "code" or "after_predicting(" not in cell.source:
                continue
            withs = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.With)]
            names = [[_called(item.context_expr) for item in node.items] for node in withs]
            waits = [each for each in names if "after_predicting" in each]
            assert waits and all(each[0] == "waiting_for" for each in waits), cell.source


def _called(code: ast.expr) -> str:
    return ast.unparse(code.func) if isinstance(code, ast.Call) else ""


def _words(text: str) -> str:
    """Letters and digits alone: a sentence is found however its line is broken or marked."""
    return re.sub(r"[\W_]+", " ", text).strip()


def test_marks_of_an_option_and_its_reason_are_shown_as_code_and_emphasis() -> None:
    told = Prediction("Which?", {"The `first`.": "It *is*.", "The *second*.": "It `isn't`."}, "a")
    for letter in told.letters:
        page, _ = told.answer(letter)
        assert "<code>" in page and "<i>" in page and not {"`", "*"} & {*page}


@pytest.mark.parametrize("choice", [None, 3, "", "z", "ab", ["a"]])
def test_what_is_no_letter_of_it_is_no_choice(choice: object, shell: Shell, shown: list[str]) -> None:
    predict("attention.order", choice)
    assert 'Put "a"' in shown[0]
    assert "waits" in look("attention.order", shown)[-1]


def test_without_a_kernel_what_the_figure_shows_is_told_at_once(shown: list[str]) -> None:
    """As when a submission is graded: nobody can click, and no figure is drawn."""
    predict("attention.order", ...)
    assert shown == [f"○ {predicting.NOTHING}", revealed("attention.order")]


def test_what_a_figure_shows_is_a_page_where_markdown_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []
    text = "One **bold\nword** & one *more*:\n\n- `a < b`,\n- last.\n\n| | loss |\n| --- | --- |\n| *a* | 1 |"
    monkeypatch.setattr(predicting, "put", lambda page, text: pages.append(page))
    monkeypatch.setattr(predicting, "revealed", lambda prediction: text)
    predicting.reveal("attention.order")
    [page] = pages
    first = "<p>One <b>bold\nword</b> &amp; one <i>more</i>:</p>"
    table = "<table><tr><th></th><th>loss</th></tr><tr><td><i>a</i></td><td>1</td></tr></table>"
    assert page == f"{first}<p>• <code>a &lt; b</code>,</p><p>• last.</p>{table}"


def test_a_click_is_answered_and_its_figure_drawn_where_it_waited(shell: Shell, shown: list[str]) -> None:
    predict("attention.order", ...)
    assert shell.outputs == [("", {predicting.PREDICTED: {"attention.order": ""}})]
    figure = shell.parent_header = requested("draw()")
    assert "waits" in look("attention.order", shown)[-1]
    shell.parent_header = {"comm": "click"}
    click(shell, "a")
    said, metadata = shell.outputs[-1]
    assert said.startswith("Not quite. ") and predicting.THEN not in said
    assert metadata == {predicting.PREDICTED: {"attention.order": "a"}}
    assert shell.ran == [("draw()", figure)]
    assert shell.parent_header == {"comm": "click"}
    assert look("attention.order", shown)[0] == "the figure"


def test_a_click_draws_all_figures_that_waited_and_one_tells(shell: Shell, shown: list[str]) -> None:
    predict("attention.order", ...)
    for cell, source in (
        ("one", "draw()"),
        ("two", "draw(2)"),
        ("one", "draw(1)"),
    ):  # one was changed, and run again
        shell.parent_header = requested(source, cell)
        assert "waits" in look("attention.order", shown)[-1]
    click(shell, "a")
    assert [source for source, _ in shell.ran] == ["draw(1)", "draw(2)"]
    assert look("attention.order", shown, told=False) == ["the figure"]
    click(shell, "b")
    assert len(shell.ran) == 2


def test_a_figure_that_waits_for_two_is_drawn_by_the_second_click(
    shell: Shell, shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(source: str) -> None:
        ran.append(source)
        with waiting_for("1.2"), after_predicting("attention.order"), after_predicting("attention.size"):
            shown.append("the figure")

    ran: list[str] = []
    monkeypatch.setattr(shell, "run_cell", draw)
    shell.parent_header = requested("draw()", "figure")
    draw("draw()")
    shell.parent_header = requested("goodbye()", "the last")
    for name, figures in (("attention.order", 0), ("attention.size", 1)):
        predict(name, ...)
        click(shell, "a")
        assert shown.count("the figure") == figures
    assert ran == ["draw()"] * 3


def test_a_tooltip_shows_an_option_without_its_marks(shell: Shell, shown: list[str]) -> None:
    predict("positional.bag", ...)
    [first, *_] = shell.box.children[0].children[1:]
    assert first.tooltip == "Two different guesses: luckily and sadly have changed places."
    page = answers.prediction("positional.bag", KNOWN["positional.bag"])
    assert f'title="{first.tooltip}"' in page


def test_a_click_before_the_figure_was_run_says_what_to_run(shell: Shell, shown: list[str]) -> None:
    predict("attention.order", ...)
    click(shell, "b")
    assert shell.outputs[-1][0].startswith("Right. ") and shell.outputs[-1][0].endswith(predicting.THEN)
    assert shell.ran == [] and look("attention.order", shown)[0] == "the figure"
    click(shell, "a")
    assert predicting.THEN not in shell.outputs[-1][0], "the figure is there"


def test_a_click_still_counts_when_the_kernel_was_restarted(
    shell: Shell, shown: list[str], monkeypatch
) -> None:
    predict("attention.order", ...)
    click(shell, "c")
    monkeypatch.setattr(predicting, "_chosen", {})
    predict("attention.order", ...)
    assert "You chose c" in shell.outputs[-1][0] and look("attention.order", shown)[0] == "the figure"
    click(shell, "b")
    assert "You chose b" in shell.outputs[-1][0]
    styles = {found.description: found.button_style for found in shell.box.children[0].children[1:]}
    assert {letter for letter, style in styles.items() if style} == {"b"}


def test_right_letters_are_spread() -> None:
    """Or they could be guessed."""
    letters = [it.right for it in KNOWN.values()]
    assert max(map(letters.count, "abc")) <= 0.6 * len(letters)


def test_a_lesson_without_predictions_has_none() -> None:
    assert predictions("start_here") == {} and revealed("start_here.none") == ""
