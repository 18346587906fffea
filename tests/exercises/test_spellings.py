"""A mistake has many spellings, and gets its name in each; a right answer passes in each.

The sheets are made here, from the exercises as they are. Draws that a hidden sheet could have are tried as well,
where the spellings that pass some of them alone would earn points by luck.
"""

import functools
import json
import math
import textwrap

import pytest
import torch

from autograder import exercises
from autograder.sheets import VISIBLE_SEED, HiddenSheets, failing_case, make_sheet
from helpers.checking.assessing import assess
from helpers.checking.calling.drivers import run
from helpers.checking.calling.outcome import Outcome
from helpers.checking.finding import Finding, Status
from helpers.checking.sheet import Sheet

HIDDEN = HiddenSheets(b"of these tests")
DRAWS = 4
HEADS = {
    "masking.sees": "sees(layer, x)",
    "block.embed": "embed(ids, words, positions)",
    "pretraining.adamw": "adamw(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01)",
    "pretraining.bigram": "bigram(inputs, targets, vocabulary, alpha)",
    "pretraining.draw": "draw(probabilities, uniform)",
    "bert.mask_tokens": "mask_tokens(ids, vocabulary, generator, share=0.15)",
    "bert.blank": "blank_left_to_right(model, ids, place, candidates)",
}
CHANGED = """
y, table = layer(x), torch.zeros(len(x), len(x), dtype=torch.bool)
for j in range(len(x)):
    z = x.clone()
    {}
    table[:, j] = (layer(z) != y).any(dim=-1)
return table
"""
COUNTED = """
counts = torch.zeros(vocabulary, vocabulary)
for now, then in zip(inputs.flatten().tolist(), targets.flatten().tolist()):
    if then != -100:
        counts[now, then] += 1
return {}
"""
LOOPED = """
read, labels = ids.clone(), torch.full_like(ids, -100)
chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
for r, t in chosen.nonzero().tolist():
    fate = torch.rand((), generator=generator).item()
    if {}:
        read[r, t], labels[r, t] = 3, ids[r, t]
    elif {}:
        read[r, t] = torch.randint(6, vocabulary, (), generator=generator)
        labels[r, t] = ids[r, t]
return read, labels
"""
DRAWN = """
probability = torch.where(ids >= 6, share, 0.0)
chosen = torch.bernoulli(probability, generator=generator).bool()
fate = torch.rand(ids.shape, generator=generator)
other = torch.randint(6, vocabulary, ids.shape, generator=generator)
read = torch.where(chosen & (fate < 0.8), 3, torch.where(chosen & (fate > 0.9), other, ids))
"""
AFTER_ALL = "labels = ids.clone()\nlabels[read == ids] = -100\nreturn read, labels"
WHOLE = """
texts = ids.repeat(len(candidates), 1)
texts[:, place] = candidates
log_p = model(texts[:, :-1]).log_softmax(-1)
total = log_p.gather(-1, texts[:, 1:, None])[..., 0].sum(-1)
return {}, {}
"""
AMONG = "total.softmax(0)"
BY_HALVES = """
mean = betas[0] * mean.float() + (1 - betas[0]) * gradient.float()
square = betas[1] * square.float() + (1 - betas[1]) * gradient.float() ** 2
move = mean / (1 - betas[0] ** step) / ((square / (1 - betas[1] ** step)).sqrt() + eps)
left = weight.float() * (1 - lr * decay) if weight.dim() > 1 else weight.float()
return tuple(each.to(weight.dtype) for each in (left - lr * move, mean, square))
"""

WRONG = [
    ("masking.sees", CHANGED.format("z[j, 0] += 1"), "one feature of an input is changed"),
    ("masking.sees", CHANGED.format("z[j, 0] = z[j, 0] + 0.5"), "one feature of an input is changed"),
    ("masking.sees", CHANGED.format("z[j] += 1"), "moved by the same amount"),
    ("masking.sees", CHANGED.format("z[j] -= 1e-3"), "moved by the same amount"),
    ("masking.sees", CHANGED.format("z[j] += torch.randn(())"), "moved by the same amount"),
    ("pretraining.draw", "return (probabilities.cumsum(-1) < uniform[..., None]).sum(-1)", "with <="),
    (
        "pretraining.draw",
        "return torch.searchsorted(probabilities.cumsum(-1), uniform[..., None])[..., 0]",
        "with <=",
    ),
    (
        "pretraining.draw",
        "return (probabilities.cumsum(-1) >= uniform[..., None]).int().argmax(-1)",
        "look for the first above it",
    ),
    (
        "pretraining.bigram",
        COUNTED.format("((counts + alpha) / counts.sum(-1, keepdim=True)).log()"),
        "added to the numerator alone",
    ),
    (
        "pretraining.bigram",
        COUNTED.format("(counts + alpha).log() - counts.sum(-1, keepdim=True).log()"),
        "added to the numerator alone",
    ),
    (
        "block.embed",
        "C = words.size(-1)\nreturn words[ids] * C**0.5 + positions[: ids.size(-1)] * C**-0.5",
        "positions are divided by √C",
    ),
    ("bert.mask_tokens", LOOPED.format("fate < 0.8", "fate < 0.9"), "Only words that have changed get a label"),
    ("bert.mask_tokens", LOOPED.format("fate > 0.2", "fate > 0.1"), "Only words that have changed get a label"),
    ("bert.mask_tokens", DRAWN + AFTER_ALL, "Only words that have changed get a label"),
    (
        "bert.mask_tokens",
        DRAWN + "return read, torch.where(read == ids, -100, ids)",
        "Only words that have changed get a label",
    ),
    ("bert.mask_tokens", LOOPED.format("fate < 0.8", "True"), "so none stays"),
    (
        "bert.blank",
        WHOLE.format("model(ids[None])[0, place, candidates].softmax(-1)", AMONG),
        "predicts the one after it",
    ),
    (
        "bert.blank",
        WHOLE.format("model(ids[None, : place + 1])[0, -1, candidates].softmax(-1)", AMONG),
        "predicts the one after it",
    ),
    (
        "bert.blank",
        WHOLE.format("torch.softmax(model(ids.unsqueeze(0)).squeeze(0)[place][candidates], 0)", AMONG),
        "predicts the one after it",
    ),
    (
        "bert.blank",
        WHOLE.format("model(texts)[range(len(texts)), place, candidates].softmax(0)", AMONG)
        .replace("model(texts)[", "model(texts).log_softmax(-1)["),
        "read at its own place",
    ),
    (
        "bert.blank",
        WHOLE.format("model(ids[None, :place])[0, -1].softmax(-1)[candidates]", AMONG),
        "shares of the whole vocabulary",
    ),
    (
        "bert.blank",
        WHOLE.format("model(ids[None])[0, place - 1].log_softmax(-1)[candidates].exp()", AMONG),
        "shares of the whole vocabulary",
    ),
    (
        "bert.blank",
        WHOLE.format("model(ids[None])[0, place - 1, candidates].softmax(0)", "total.exp()"),
        "among all texts",
    ),
]  # fmt: skip
RIGHT = [
    ("masking.sees", CHANGED.format("z[j] = torch.randn(x.size(1))")),
    ("masking.sees", CHANGED.format("z[j] += torch.rand(x.size(1))")),
    ("masking.sees", CHANGED.format("z[j] += 1e-3 * torch.randn_like(z[j])")),
    ("masking.sees", CHANGED.format("z[j] = 0")),
    ("masking.sees", CHANGED.format("z[j] = -z[j]")),
    ("masking.sees", CHANGED.format("z[j] = z[j].flip(0)")),
    ("pretraining.adamw", BY_HALVES),
]


@functools.cache
def sheet_of(exercise: str) -> Sheet:
    made = make_sheet(exercises.load(exercise.partition(".")[0])[exercise], VISIBLE_SEED)
    return Sheet.from_json(json.loads(json.dumps(made.to_json())))


def answered(exercise: str, lines: str):
    """The function that has these lines."""
    names: dict = {"torch": torch, "math": math}
    exec(f"def {HEADS[exercise]}:\n{textwrap.indent(lines.strip(), '    ')}", names)
    return names[HEADS[exercise].partition("(")[0]]


def found(exercise: str, answer) -> Finding:
    sheet = sheet_of(exercise)
    outcomes = [run(sheet.driver, answer, case, gradients=sheet.wants_gradients) for case in sheet.cases]
    return assess(sheet, [Outcome.from_json(json.loads(json.dumps(each.to_json()))) for each in outcomes])


def passing(exercise: str, answer) -> list[bool]:
    """On which of a few hidden sheets it passes."""
    spec = exercises.load(exercise.partition(".")[0])[exercise]
    return [failing_case(spec, answer, HIDDEN.draw(spec, number)) is None for number in range(DRAWS)]


@pytest.mark.parametrize(("exercise", "lines", "said"), WRONG)
def test_a_mistake_is_named_in_each_spelling_and_passes_nowhere(exercise, lines, said) -> None:
    answer = answered(exercise, lines)
    assert said in found(exercise, answer).meaning
    assert not any(passing(exercise, answer))


@pytest.mark.parametrize(("exercise", "lines"), RIGHT)
def test_a_right_answer_passes_in_each_spelling_on_every_draw(exercise, lines) -> None:
    answer = answered(exercise, lines)
    assert found(exercise, answer).status == Status.PASSED
    assert all(passing(exercise, answer))


def test_work_in_float32_that_no_text_forbids_is_a_remark() -> None:
    finding = found("pretraining.adamw", answered("pretraining.adamw", BY_HALVES))
    assert finding.status == Status.PASSED
    assert "float32" in finding.remark
