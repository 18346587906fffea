"""The reader of lesson 01 with a student's functions in it gives torch's numbers, and says what it makes of wrong ones."""

import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from IPython.utils.capture import capture_output

from autograder import lessons
from helpers import corpora, masking, multihead, positional
from helpers.attention import reference
from helpers.attention.explorers import writing_explorer
from helpers.attention.reader import OTHERS, reader
from helpers.attention.writer import REVIEW, OwnReader, as_printed, calling, own_reader
from helpers.checking.code import keeping
from helpers.timing import seconds
from tests.support.proved import COURSE, follows_from
from tests.support.shown import shown_in

pytestmark = follows_from(*COURSE)

RIGHT = {
    "attention": reference.scaled_dot_product_attention,
    "heads": multihead.MultiHeadAttention,
    "positions": positional.add_positions,
    "mask": masking.causal_mask,
    "cache": masking.cached_step,
}
SECTION = re.compile(r"## \d+\.\d+ Your \w+ writes?\n")
SETUP = "import math\n\nimport torch\n\nfrom helpers.checks import check\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.delenv("HEADSTART_OWN_PARTS", raising=False)
    return tmp_path


def written_here(function: Callable) -> Callable:
    """The same function, as if a notebook had defined it."""

    def mine(*inputs: object) -> object:
        return function(*inputs)

    return mine


def unscaled(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> tuple:
    weights = (q @ k.transpose(-2, -1)).masked_fill(~mask, -math.inf).softmax(dim=-1)
    return weights @ v, weights


def text_of(explorer: object) -> str:
    return explorer.children[-1].value


# -- the same numbers as torch's layers ------------------------------------------------------------------


@pytest.mark.parametrize("names", [*([name] for name in RIGHT), [*RIGHT]], ids="+".join)
def test_right_functions_give_the_numbers_of_torch_s_layers(names: list[str]) -> None:
    own = OwnReader(reader(), {name: RIGHT[name] for name in names}, [])
    ids = torch.cat([own.ids(REVIEW), own.ids(REVIEW).flip(1)])
    scores, weights = own.read(ids)
    right = reader()(ids).detach()
    torch.testing.assert_close(scores.log_softmax(-1), right.log_softmax(-1), atol=1e-5, rtol=1e-5)
    looks = reader().read(REVIEW).weights
    torch.testing.assert_close(weights[0], looks, atol=1e-5, rtol=1e-5)
    assert own.difference() < 1e-4


def test_with_the_cache_it_draws_the_same_words_and_in_less_time() -> None:
    own = OwnReader(reader(), RIGHT, [])
    ids = own.ids("luckily , the plot").expand(64, -1)

    def drawn(cached: bool, words: int) -> torch.Tensor:
        return torch.cat([*itertools.islice(own.drawn(ids, seed=3, cached=cached), words)], dim=1)

    assert torch.equal(drawn(True, 40), drawn(False, 40))
    assert seconds(drawn, True, 90, laps=2) < seconds(drawn, False, 90, laps=2) / 2


# -- what it writes --------------------------------------------------------------------------------------


def test_it_writes_sentences_of_the_grammar_and_at_a_high_temperature_it_does_not() -> None:
    own = OwnReader(reader(), RIGHT, [])
    shares = []
    for temperature in (0.7, 2.0):
        texts = [own.write("", temperature, seed) for seed in range(40)]
        found = [corpora.is_grammatical(each) for text in texts for each in corpora.sentences(text)]
        shares.append(sum(found) / len(found))
    assert shares[0] > 0.7 and shares[1] < 0.3


def test_a_text_is_printed_as_in_a_book() -> None:
    words = "i like it , and moreau 's plot is good . i will read it again ."
    assert as_printed(words) == "I like it, and moreau's plot is good. I will read it again."


def test_it_knows_no_more_positions_than_it_was_trained_on_and_stops_before() -> None:
    endless = OwnReader(reader(kind="without a mask"), {}, []).write("luckily ,", temperature=0.1).split()
    assert len(endless) == 61 and endless[-1] == "…"
    assert 0 < len(OwnReader(reader(), {}, []).write("the plot " * 200).split()) <= 61


def test_what_was_trained_without_a_mask_predicts_what_it_sees_and_nothing_else() -> None:
    leaky, own = (OwnReader(reader(kind=kind), {}, []) for kind in ("without a mask", ""))
    assert leaky.loss(REVIEW) < 0.3 < corpora.entropy_per_token() < own.loss(REVIEW)
    assert leaky.loss(REVIEW, one_by_one=True) > math.log(len(corpora.vocabulary().words))
    assert own.loss(REVIEW, one_by_one=True) == pytest.approx(own.loss(REVIEW), abs=1e-5)


@pytest.mark.parametrize("kind", OTHERS)
def test_the_other_readers_take_little_room_and_have_the_reader_s_words(kind: str) -> None:
    assert Path(lessons.ROOT, "helpers", "attention", OTHERS[kind]).stat().st_size < 30_000
    assert torch.equal(reader(kind=kind).words.weight, reader().words.weight)


# -- whose each part is ----------------------------------------------------------------------------------


ATTENTION = """
def scaled_dot_product_attention(q, k, v, mask=None):
    s = torch.einsum("...td,...sd->...ts", q, k) / math.sqrt(k.shape[-1])
    w = torch.softmax(s if mask is None else s.masked_fill(~mask, -math.inf), -1)
    return w @ v, w
"""


def passed(exercise: str, name: str, *cells: str) -> None:
    """Keep an answer as a check does that passes."""
    keeping.keep(exercise, [SETUP, *cells, f'check("{exercise}", {name})'], name)


def whose(own: OwnReader) -> dict[str, tuple[bool, str]]:
    return {row.part: (row.yours, row.why) for row in own.rows}


def test_a_notebook_s_own_function_is_yours_and_an_imported_one_the_course_s() -> None:
    assert whose(own_reader(attention=written_here(RIGHT["attention"])))["attention"] == (True, "")
    found = whose(own_reader(cache=RIGHT["cache"]))
    assert not any(yours for yours, _ in found.values())
    assert found["cache"] == (False, "its check hasn't passed here yet")


def test_what_an_earlier_lesson_kept_takes_its_place_if_it_gives_the_same_numbers() -> None:
    passed("attention.scaled_dot_product", "scaled_dot_product_attention", ATTENTION)
    own = own_reader(positions=written_here(RIGHT["positions"]))
    assert [yours for yours, _ in whose(own).values()] == [True, False, True, False]
    assert "einsum" in own.parts["attention"].__code__.co_names and own.difference() < 1e-4
    passed("attention.scaled_dot_product", "scaled_dot_product_attention", ATTENTION.replace(" / ", " * "))
    own = own_reader(positions=written_here(RIGHT["positions"]))
    assert "gives other numbers" in whose(own)["attention"][1] and "attention" not in own.parts
    passed("attention.scaled_dot_product", "scaled_dot_product_attention", ATTENTION.replace("w @ v, w", "w"))
    assert "it stops with" in whose(own_reader(mask=RIGHT["mask"]))["attention"][1]


def test_a_module_calls_the_attention_that_was_written_in_lesson_1() -> None:
    """Also where a function of the notebook, which the module calls, calls it."""
    notebook = {"Base": multihead.MultiHeadAttention, "scaled_dot_product_attention": None}
    exec(
        "def attend_by_heads(q, mask=None): return scaled_dot_product_attention(q, q, q, mask)\n"
        "class Module(Base):\n"
        "    def forward(self, y, x=None, mask=None): return attend_by_heads(self.W_q(y), mask)",
        notebook,
    )
    mine = lambda *inputs: ("mine", inputs[0].shape)  # noqa: E731
    made = calling(notebook["Module"], scaled_dot_product_attention=mine)
    assert made(4, 2)(torch.ones(1, 3, 4)) == ("mine", (1, 3, 4))


def test_the_table_says_what_comes_later() -> None:
    text = own_reader(attention=written_here(RIGHT["attention"])).table().text
    assert text.splitlines()[0].split() == ["✓", "attention", "yours", "attention.scaled_dot_product"]
    assert text.splitlines()[-1].endswith("lesson 6")


@pytest.mark.parametrize("given", [{}, {"head": unscaled}])
def test_what_is_given_under_no_known_name_is_refused(given: dict) -> None:
    with pytest.raises(ValueError, match="give some of attention, heads, positions, mask, cache, not"):
        own_reader(**given)


# -- the lessons' last sections --------------------------------------------------------------------------


def cells_of(lesson: str) -> tuple[dict[str, object], list[str]]:
    """A solved lesson's names, from its set-up and its answers, and the code of the section that writes."""
    cells = lessons.load_source_notebook(lesson).cells
    [first] = [n for n, cell in enumerate(cells) if SECTION.match(cell.source)]
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in cells[:first]:
        if cell.cell_type == "code" and lessons.kind(cell) in ("setup", "exercise"):
            exec(cell.source, names)
    after = itertools.takewhile(lambda cell: "What to remember" not in cell.source, cells[first:])
    return names, [cell.source for cell in after if cell.cell_type == "code"]


def runs(names: dict[str, object], code: list[str]) -> str:
    """What the cells display, as HTML and text."""
    with capture_output() as shown:
        for source in code:
            exec(source, names)
    assert not shown.stderr
    return shown.stdout + " ".join(str(output.data) for output in shown.outputs)


def broken(*_: object, **__: object) -> None:
    raise RuntimeError("shapes don't fit")


LAST = {  # by lesson: a function that goes in, and a wrong one that does run
    "01_attention": ("scaled_dot_product_attention", unscaled),
    "02_multihead": ("MultiHeadAttention", None),
    "03_positional": ("add_positions", lambda x, table: x + table[1 : 1 + x.size(-2)]),
    "04_masking": ("causal_mask", lambda T: torch.ones(T, T, dtype=torch.bool)),
    "05_complexity": ("cached_step", None),
}


@pytest.mark.parametrize("lesson", LAST)
def test_a_lesson_ends_with_a_model_that_writes(lesson: str) -> None:
    names, code = cells_of(lesson)
    said = runs(names, code)
    assert "In her new mystery, " in said and "right yet" not in said and "This needs" not in said
    assert said.count("'yours'") == (lesson != "05_complexity")


@pytest.mark.parametrize("lesson", LAST)
def test_a_wrong_answer_is_told_in_a_sentence(lesson: str) -> None:
    names, code = cells_of(lesson)
    name, wrong = LAST[lesson]
    if wrong is not None:
        assert "isn&#x27;t right yet" in runs(names | {name: wrong}, code)
    said = runs(names | {name: broken}, code)
    assert "Now it stops with RuntimeError: shapes don" in said and "In her new mystery" not in said


def test_an_answer_that_is_not_written_is_waited_for() -> None:
    def stub(*_: object) -> None:
        raise NotImplementedError

    explorer = writing_explorer({"": own_reader(attention=stub)}, "Exercise 1.4")
    assert "This needs Exercise 1.4, not written yet" in text_of(explorer)


def test_controls_draw_again() -> None:
    explorer = writing_explorer({"": own_reader(attention=written_here(RIGHT["attention"]))}, looks=True)
    (beginning, temperature, again), picture = explorer.children[0].children, explorer.children[1]
    first = picture.value
    again.click()
    assert picture.value != first
    beginning.value = "sadly , the zebra"
    assert "Sadly, the " in picture.value and "It has never seen zebra" in picture.value
    numbers = shown_in(picture.value)
    assert numbers["words"][-1] == "the" and sorted(numbers["looks"]) == ["head 0", "head 1"]
    assert "head 1 most at" in explorer.still
    temperature.value, before = 2.0, picture.value
    assert picture.value != before
