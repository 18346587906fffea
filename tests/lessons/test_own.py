"""Answers whose checks passed are kept, and later models are put together of them; nothing else is."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import torch

from autograder import exercises, lessons
from helpers import own
from helpers.checking.code import keeping
from helpers.checking.code.tracing import source_of
from helpers.models.blocks import COURSE
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from tests.support import proved

pytestmark = proved.follows_from(*proved.COURSE)

SETUP = "import math\n\nimport torch\n\nfrom helpers.checks import check\n"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.delenv("HEADSTART_OWN_PARTS", raising=False)
    return tmp_path


def passed(exercise: str, name: str, *cells: str) -> None:
    """Keep an answer as a check does that passes."""
    keeping.keep(exercise, [SETUP, *cells, f'check("{exercise}", {name})'], name)


def whose(part: str) -> own.Whose:
    return next(row for row in own.parts()[1] if row.part == part)


SOFTMAX = """
def softmax(x, dim):  # mine
    e = (x - x.amax(dim, keepdim=True)).exp()
    return e / e.sum(dim, keepdim=True)
"""
ATTENTION = """
BIG = -math.inf

def scaled_dot_product_attention(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
    if mask is not None:
        s = s.masked_fill(~mask, BIG)
    w = softmax(s, -1)
    return w @ v, w
"""


def test_an_answer_is_kept_with_what_it_leads_to_and_nothing_else(home: Path) -> None:
    others = "print(1 / 0)\ntorch.set_num_threads(1)"
    passed("attention.scaled_dot_product", "scaled_dot_product_attention", SOFTMAX, others, ATTENTION)
    text = (home / "parts" / "attention.scaled_dot_product.py").read_text()
    assert "def softmax(x, dim):  # mine" in text and "BIG = -math.inf" in text
    assert text.startswith("# attention.scaled_dot_product: scaled_dot_product_attention\n")
    assert "import math" in text and "print" not in text and "threads" not in text and "check" not in text
    assert whose("attention").yours


def test_a_model_of_ones_own_parts_computes_what_the_course_s_does() -> None:
    passed("attention.scaled_dot_product", "scaled_dot_product_attention", SOFTMAX, ATTENTION)
    parts, _ = own.parts()
    assert parts.attention is not None and parts.layer_norm is None
    config = LanguageModelConfig(20, 8, 2, 2, 12)
    torch.manual_seed(0)
    ours, theirs = LanguageModel(config), LanguageModel(config, parts)
    theirs.load_state_dict(ours.state_dict())
    ids = torch.randint(20, (3, 9))
    seen: list[torch.Tensor] = []
    assert torch.allclose(theirs(ids, weights=seen), ours(ids), atol=1e-5)
    assert len(seen) == 2
    cache = theirs.new_cache()
    steps = torch.cat([theirs(ids[:, t : t + 1], cache) for t in range(9)], dim=1)
    assert torch.allclose(steps, ours(ids), atol=1e-5)


def test_annotations_name_whatever_they_like() -> None:
    """Python evaluates them only when asked from 3.14 on; what they name isn't kept."""
    hinted = ATTENTION.replace(
        "(q, k, v, mask=None):", "(q: Rows, k: Rows, v: Rows, mask: Rows | None = None) -> Rows:"
    )
    passed(
        "attention.scaled_dot_product", "scaled_dot_product_attention", "Rows = torch.Tensor", SOFTMAX, hinted
    )
    assert whose("attention").yours


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ([ATTENTION], "stops with NameError"),
        ([SOFTMAX, ATTENTION.replace("/ math.sqrt(k.shape[-1])", "")], "other numbers"),
        ([SOFTMAX, ATTENTION.replace("return w @ v, w", "return w @ v")], "stops with"),
        ([SOFTMAX, ATTENTION.replace("return w @ v, w", "return (w @ v).detach(), w")], "stops with"),
        ([SOFTMAX, ATTENTION.replace("w = soft", "[float(x) for x in s.detach().flatten()]\n    w = soft")], "times as long"),
        ([SOFTMAX, "open('x')\nBIG = print(3)", ATTENTION.partition("\n\n")[2]], "hasn't passed here"),
    ],
)  # fmt: skip
def test_a_part_that_does_not_stand_by_itself_is_the_course_s_and_says_why(
    cells: list[str], why: str
) -> None:
    passed("attention.scaled_dot_product", "scaled_dot_product_attention", *cells)
    row = whose("attention")
    assert not row.yours and why in row.why
    assert own.parts()[0].attention is None


def test_a_part_that_is_slow_at_a_lesson_s_sizes_alone_is_the_course_s() -> None:
    passed("block.unembed", "scores", "def scores(x, words):\n    return (x.unsqueeze(-2) * words).sum(-1)")
    assert "times as long" in whose("unembed").why


def test_nothing_is_kept_or_used_once_it_is_switched_off(home: Path) -> None:
    passed("attention.scaled_dot_product", "scaled_dot_product_attention", SOFTMAX, ATTENTION)
    own.use(False)
    assert own.parts()[0] == COURSE and whose("attention").why == "switched off"
    passed("masking.causal", "mask", "def mask(T):\n    return torch.ones(T, T).bool().tril()")
    assert not (home / "parts" / "masking.causal.py").exists()
    own.use(True)
    assert whose("attention").yours


def test_an_answer_that_can_not_be_kept_any_more_is_forgotten(home: Path) -> None:
    passed("masking.causal", "mask", "def mask(T):\n    return torch.ones(T, T).bool().tril()")
    assert whose("causal_mask").yours
    passed("masking.causal", "mask", "table = open('x').read()", "def mask(T):\n    return table[T]")
    assert not whose("causal_mask").yours


@pytest.mark.parametrize("part", own.KNOWN)
def test_each_part_is_an_exercise_whose_reference_and_alternatives_serve(part: str) -> None:
    _, exercise, course, probe = own.KNOWN[part]
    right, _ = own._tried(course, probe)
    spec = exercises.load(exercise.partition(".")[0])[exercise]
    for answer in (spec.reference, *spec.alternatives):
        assert own._alike(own._tried(answer, probe)[0], right), answer.__name__


def test_solved_lessons_keep_each_part() -> None:
    """The answers of the lessons themselves stand by themselves."""
    for _, exercise, _, _ in own.KNOWN.values():
        [lesson] = [n for n in lessons.names() if lessons.topic(n) == exercise.partition(".")[0]]
        cells = lessons.load_source_notebook(lesson).cells
        code = [c.source for c in cells if c.cell_type == "code" and lessons.kind(c) != "draw"]
        last = next(n for n, text in enumerate(code) if text.startswith(f'check("{exercise}"'))
        [name] = re.findall(r", (\w+)\)$", code[last])
        assert source_of(code[: last + 1], exercise, name), exercise


def test_the_table_says_whose_each_part_is() -> None:
    passed("attention.scaled_dot_product", "scaled_dot_product_attention", SOFTMAX, ATTENTION)
    bundle = own.table(own.parts()[1])._repr_mimebundle_()
    assert "yours" in bundle["text/html"] and "the course" in bundle["text/html"]
    assert re.search("✓ attention +yours", bundle["text/plain"]), json.dumps(bundle)


def test_the_table_shows_what_stopped_a_part_as_it_was_said() -> None:
    why = "it stops with TypeError: '<' not supported between instances of 'list' and 'int'"
    bundle = own.table([own.Whose("embed", "tokens to vectors", "block.embed", why=why)])._repr_mimebundle_()
    page = ElementTree.fromstring(bundle["text/html"].replace("<wbr>", "<wbr/>"))
    cells = ["".join(cell.itertext()) for cell in page.iter("td")]
    assert cells == ["tokens to vectors", f"the course's: {why}", "block.embed"]


def test_an_answer_is_the_students_where_its_check_passed_and_the_courses_where_it_did_not() -> None:
    assert own.answer("finetuning.moved", len) is len
    passed("finetuning.moved", "transfer", "def match(old):\n    return dict(old)\n",
           "def transfer(old, new, prefix):\n    return match(old) | {'mine': prefix}\n")  # fmt: skip
    assert own.answer("finetuning.moved", len)({}, {}, "body.") == {"mine": "body."}
    own.use(False)
    assert own.answer("finetuning.moved", len) is len
    own.use(True)
    passed("finetuning.moved", "transfer", "transfer = missing_by_now\n")
    assert own.answer("finetuning.moved", len) is len
