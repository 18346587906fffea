"""Predict, then look: a figure waits for its prediction, and each option has its sentence."""

import pytest

from autograder.lessons import TOPICS
from helpers.figures import predicting, showing
from helpers.figures.predicting import after_predicting, predict, predictions
from helpers.figures.showing import waiting_for

KNOWN = {id: it for topic in TOPICS for id, it in predictions(topic).items()}
each = pytest.mark.parametrize("prediction", KNOWN)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is displayed, as text."""
    found: list[str] = []
    for room in (showing, predicting):
        monkeypatch.setattr(room, "put", lambda page, text: found.append(text))
    monkeypatch.setattr(predicting, "_chosen", {})
    return found


def look(prediction: str, shown: list[str]) -> str:
    """What a cell shows that draws after a prediction."""
    shown.clear()
    with waiting_for("Exercise 1.2"), after_predicting(prediction):
        shown.append("the figure")
    return shown[-1]


@each
def test_a_figure_waits_and_each_choice_has_its_sentence(prediction: str, shown: list[str]) -> None:
    predict(prediction, ...)
    assert 'Put one of "a", "b"' in shown[-1]
    assert "waits for your prediction" in look(prediction, shown)
    for letter, (option, sentence) in KNOWN[prediction].letters.items():
        predict(prediction, f" {letter.upper()}")
        assert option in shown[-1] and sentence in shown[-1]
        assert look(prediction, shown) == "the figure"
    predict(prediction, ...)
    assert "waits" in look(prediction, shown), "a choice that was taken back"


@each
def test_what_stands_in_backticks_is_shown_as_code(prediction: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[str] = []
    monkeypatch.setattr(predicting, "put", lambda page, text: pages.append(page))
    monkeypatch.setattr(predicting, "_chosen", {})
    for letter, told in KNOWN[prediction].letters.items():
        predict(prediction, letter)
        assert "`" not in pages[-1] and ("<code>" in pages[-1]) == ("`" in "".join(told))


@pytest.mark.parametrize("choice", [None, 3, "", "z", "ab", ["a"]])
def test_what_is_no_letter_of_it_is_no_choice(choice: object, shown: list[str]) -> None:
    predict("attention.order", choice)
    assert "Put one of" in shown[-1] and "waits" in look("attention.order", shown)


def test_right_letters_are_spread() -> None:
    """Or they could be guessed."""
    letters = [it.right for it in KNOWN.values()]
    assert max(map(letters.count, "abc")) <= 0.6 * len(letters)


def test_a_lesson_without_predictions_has_none() -> None:
    assert predictions("start_here") == {}
