"""Lesson 11's real task, letters to sounds: its data, its measures, and its cells with and without the data."""

import html
import itertools
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from autograder.authoring.master import read_master
from autograder.lessons import master_path
from helpers import corpora, translation
from helpers.translation import explorers, sounds
from tests.support import spoken
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sounds.Dictionary]:
    with spoken.dictionary(tmp_path, monkeypatch):
        yield sounds.dictionary()


# -- the dictionary --------------------------------------------------------------------------------------


def test_a_second_pronunciation_belongs_to_its_word_and_a_comment_to_none(small):
    raw = corpora.load("cmudict")
    assert raw["a"] == ["AH0", "EY1"]
    assert raw["aalto"] == ["AA1 L T OW2"]
    assert not [word for word in raw if "(" in word or "#" in "".join(raw[word])]


def test_stress_is_left_out_and_what_is_then_the_same_is_one(small):
    assert small.sounds["tomato"] == ["T AH M EY T OW", "T AH M AA T OW"]
    used = {sound for ways in small.sounds.values() for way in ways for sound in way.split()}
    assert used <= set(sounds.SOUNDS)
    assert sounds.vocabulary().encode("d a b ' s") != sounds.vocabulary().encode("D AE B Z S")


def test_words_that_are_no_plain_letters_are_left_out(small):
    assert "a.d." not in small.sounds
    assert "dab's" in small.sounds


@pytest.mark.parametrize("word", ["king", "king's", "kings", "kings'"])
def test_a_word_its_plural_and_its_genitive_are_one_family(word):
    assert sounds.family(word) == "king"
    assert sounds.family("s") == "s"


def test_no_family_is_both_learned_and_held_out(small):
    assert len(small.looked_at) == 5 and len(small.tested) == 12
    parts = [{sounds.family(word) for word in part} for part in small[:3]]
    assert not any(one & other for one, other in itertools.combinations(parts, 2))
    assert len(small.learned) + 17 <= len(small.sounds)


def test_the_sound_of_a_letter_is_counted_where_letters_and_sounds_are_as_many(small):
    fixed = sounds.sound_of_each_letter()
    assert [fixed[letter] for letter in "bdkta"] == ["B", "D", "K", "T", "AE"]
    assert fixed["z"] == "" and len(fixed) == 27


# -- edit distance and error rates -----------------------------------------------------------------------


def least_edits(written: tuple, right: tuple, letters: str) -> int:
    """Edit distance by breadth: all lists one edit away, then all two edits away, and so on."""
    reached, edits = {written}, 0
    while right not in reached:
        edits += 1
        grown = set()
        for one in reached:
            for at in range(len(one) + 1):
                grown |= {(*one[:at], letter, *one[at:]) for letter in letters}
                grown |= {(*one[:at], letter, *one[at + 1 :]) for letter in letters if at < len(one)}
                grown.add((*one[:at], *one[at + 1 :]))
        reached |= {one for one in grown if len(one) <= 5}
    return edits


def test_the_edit_distance_is_the_least_number_of_edits():
    rng = random.Random(0)
    for _ in range(12):
        written, right = (tuple(rng.choices("abc", k=rng.randrange(4))) for _ in range(2))
        assert translation.edit_distance(written, right) == least_edits(written, right, "abc")
    assert translation.edit_distance(list("kitten"), list("sitting")) == 3
    assert translation.edit_distance(["K", "N", "AY", "T"], ["N", "AY", "T"]) == 1


def lesson(kinds: tuple[str, ...], names: dict, *pieces: str) -> dict:
    """Run the solved lesson's cells of some kinds; those that draw only if a piece of text is in them."""
    for cell in read_master(master_path("11_translation"), "master")[0]:
        draws = cell.kind == "draw"
        wanted = any(piece in cell.source for piece in pieces) if draws else cell.kind in kinds
        if cell.is_code and wanted:
            exec(compile(cell.source, "<lesson>", "exec"), names)
    return names


@pytest.fixture(scope="module")
def solved() -> dict:
    return lesson(("setup", "given", "exercise"), {"__name__": "lesson"})


def test_error_rates_take_the_nearest_pronunciation_and_divide_once(small, solved):
    words = ["a", "tomato", "dab"]
    assert solved["error_rates"](["EY", "T AH M AA T OW", "D AE B"], words) == (0, 0)
    phonemes, of_words = solved["error_rates"](["B AH", "T AH M AA", "D AE B"], words)
    assert phonemes == pytest.approx((1 + 2 + 0) / (1 + 6 + 3))
    assert of_words == pytest.approx(2 / 3)


# -- the cells -------------------------------------------------------------------------------------------

CELLS = (
    "here = SOUNDS",
    "speaker = None",
    "Words that it has never",
    "goes back, in each",
    "One word, and the",
    "sounds_explorer(",
)


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "home" / "progress.json"))
    monkeypatch.setenv("HEADSTART_QUICK", "25")


def test_a_model_learns_to_say_words_and_shows_where_it_looks(small, quick, solved, capsys):
    names = lesson((), solved, *CELLS)
    out = capsys.readouterr().out
    assert f"{len(small.learned)} words to learn from, 12 held out" in out
    assert "4 words have more than one pronunciation" in out
    assert "a fixed sound per letter" in out and "your model" in out
    assert "layer 1:" in out and "steps go back" in out
    assert "Left out" not in out
    written, weights = names["listen"]("dab")
    assert weights.shape == (4, len(written), len("dab") + 1)
    phonemes, _ = names["error_rates"](names["said"](names["speaker"], small.tested), small.tested)
    fresh = names["new_speaker"](seed=1)
    assert phonemes < names["error_rates"](names["said"](fresh, small.tested), small.tested)[0]


def test_without_the_dictionary_each_cell_says_what_to_do(tmp_path, monkeypatch, quick, solved, capsys):
    monkeypatch.setenv("HEADSTART_DATA", str(tmp_path))
    sounds.dictionary.cache_clear()
    made, make = [], explorers.sounds_explorer
    monkeypatch.setattr(explorers, "sounds_explorer", lambda *given: made.append(make(*given)))
    lesson((), solved, *CELLS)
    out = capsys.readouterr().out
    assert out.count(sounds.LEFT_OUT) == 5, out
    assert html.escape(sounds.LEFT_OUT) in made[0].children[-1].value


# -- the explorer ----------------------------------------------------------------------------------------


def spelled(word: str) -> tuple[list[str], torch.Tensor]:
    written = [*(spoken.SAID.get(letter, "Z").rstrip("01") for letter in word), "<eos>"]
    return written, torch.eye(len(written)).repeat(2, 1, 1)


def test_the_explorer_says_a_word_that_is_chosen_or_typed(small):
    chosen, typed, picture = explorers.sounds_explorer(spelled).children
    assert "<img" in picture.value
    typed.value = "dab"
    assert "<b>D AE B</b>, so this is right" in picture.value
    typed.value = "Read"
    assert "R EH D or R IY D" in picture.value and "wrong" in picture.value
    typed.value = "zzyzx"
    assert "doesn't have this word" in picture.value
    for odd in ("naïve", "mp3", "", " ", "a" * 31):
        typed.value = odd
        assert "1 to 30 letters" in picture.value and "<img" not in picture.value
    chosen.value = sounds.WORDS[1]
    assert typed.value == sounds.WORDS[1]


def test_the_explorer_waits_for_what_is_not_trained():
    def missing(*_: object) -> None:
        raise NotImplementedError

    [_, _, picture] = explorers.sounds_explorer(missing, "the training in 11.22").children
    assert "not done yet" in picture.value


def test_the_figure_has_a_column_for_each_letter():
    from helpers.translation import figures

    written, weights = spelled("dab")
    ax = figures.spoken(weights[0], written, "dab")
    assert [text.get_text() for text in ax.get_xticklabels()] == ["d", "a", "b", "<eos>"]
    assert "AE most at a (1.00)" in ax.get_label()
