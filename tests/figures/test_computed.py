"""What explorers compute in the page agrees with torch."""

import copy
import json
from collections.abc import Callable, Iterator

import pytest
import torch
from playwright.sync_api import Page

from autograder.lessons import ROOT
from helpers import (
    attention,
    block,
    complexity,
    corpora,
    masking,
    modern,
    positional,
    pretraining,
    translation,
)
from helpers.attention import explorers
from helpers.attention.reader import BEGIN, HEADS, WIDTH, for_a_page, reader
from helpers.block import explorers as block_explorers
from helpers.block.reference import DecoderOnly
from helpers.complexity import explorers as complexity_explorers
from helpers.figures.live import bundled
from helpers.modern import cheaper
from tests.support.browser import blank_page
from tests.support.explorers import (
    MODULES,
    SHOWN,
)
from tests.support.proved import PROJECT, follows_from

pytestmark = [pytest.mark.needs_chromium, pytest.mark.timeout(240), follows_from(*PROJECT)]

DRAWS = 100
Agreement = tuple[str, list[list], list]  # an expression in a module's names and `args`; arguments; results


def a_number(low: int, high: int, generator: torch.Generator) -> int:
    return int(torch.randint(low, high, (1,), generator=generator))


def weights(generator: torch.Generator) -> Agreement:
    given, right = [], []
    for _ in range(DRAWS):
        T, d = a_number(2, 9, generator), a_number(1, 7, generator)
        x, matrix = (torch.randn(rows, d, generator=generator) for rows in (T, d))
        temperature = float(10 ** (2 * torch.rand(1, generator=generator) - 1))
        mask = (torch.rand(T, T, generator=generator) < 0.6) | torch.eye(T, dtype=torch.bool)
        found = attention.scaled_dot_product_attention(x @ matrix / temperature, x, x, mask)[1]
        given.append([x.tolist(), matrix.tolist(), temperature, mask.tolist()])
        right.append([found.tolist(), explorers.entropy_bits(found).tolist()])
    return "(rows => [rows, rows.map(entropy)])(attend(...args))", given, right


def reads(generator: torch.Generator) -> Agreement:
    given, right, model = [], [], reader()
    words = list(model.vocabulary)
    for _ in range(DRAWS):
        ids = [model.vocabulary[BEGIN]]
        ids += torch.randint(len(words), (a_number(0, 99, generator),), generator=generator).tolist()
        reading = model.read(" ".join(words[each] for each in ids[1:]))
        numbers = [model.vocabulary[word] for word in reading.words]
        rows = [[row[: t + 1].tolist() for t, row in enumerate(head)] for head in reading.weights]
        given.append([numbers])
        right.append([reading.following.tolist(), rows])
    kept = f"globalThis.kept ??= unpacked({json.dumps(for_a_page())})"
    made = f"({kept}, (found => [softmax(found.scores), found.weights])(read(globalThis.kept, ...args)))"
    return made, given, right


def heads(generator: torch.Generator) -> Agreement:
    given, right, model = [], [], reader()
    size = WIDTH // HEADS
    for _ in range(DRAWS):
        keep = torch.randint(2, (HEADS,), generator=generator)
        ids = torch.randint(len(model.vocabulary), (1, a_number(1, 30, generator)), generator=generator)
        cut = copy.deepcopy(model)
        with torch.no_grad():
            cut.layer.self_attn.out_proj.weight *= keep.repeat_interleave(size)
            right.append(cut.train()(ids)[0, -1].softmax(dim=-1).tolist())  # which has no dropout
        given.append([ids[0].tolist(), keep.tolist()])
    kept = f"globalThis.kept ??= unpacked({json.dumps(for_a_page())})"
    seen = "read(globalThis.kept, args[0].slice(0, Math.ceil(args[0].length / 2))).seen"  # both heads on
    return f"({kept}, softmax(read(globalThis.kept, ...args, {seen}).scores))", given, right


def writes(generator: torch.Generator) -> Agreement:
    given, right = [], []
    for draw in range(DRAWS):
        logits = 3 * torch.randn(a_number(2, 60, generator), generator=generator, dtype=torch.float64)
        k = a_number(1, len(logits) + 1, generator)
        temperature, p, uniform = (float(each) for each in torch.rand(3, generator=generator))
        temperature = 0 if draw == 0 else 0.1 + 2 * temperature
        found = pretraining.nucleus(
            pretraining.top_k(pretraining.with_temperature(logits, temperature), k), p
        )
        given.append([logits.tolist(), temperature, k, p, uniform])
        right.append([found.tolist(), int(pretraining.draw(found, torch.tensor(uniform)))])
    made = "(found => [found, drawn(found, args[4])])(chances(...args.slice(0, 4)))"
    return made, given, right


def clocks(generator: torch.Generator) -> Agreement:
    given, right = [], []
    for _ in range(DRAWS):
        p, width = a_number(0, 64, generator), 2 * a_number(1, 65, generator)
        base = float(10 ** (1 + 4 * torch.rand(1, generator=generator)))
        given.append([p, width, base])
        right.append(positional.sinusoidal(p + 1, width, base)[p].tolist())
    return "sinusoidal(...args)", given, right


def turns(generator: torch.Generator) -> Agreement:
    given, right = [], []
    for _ in range(DRAWS):
        x = torch.randn(1, 2 * a_number(1, 17, generator), generator=generator)
        position = a_number(-130, 131, generator)
        given.append([x[0].tolist(), position])
        right.append(positional.rotary(x.double(), torch.tensor([position]))[0].tolist())
    return "rotary(...args)", given, right


def reaches(generator: torch.Generator) -> Agreement:
    given, right = [], []
    for _ in range(DRAWS):
        T, layers = a_number(1, 9, generator), a_number(0, 6, generator)
        mask = torch.rand(T, T, generator=generator) < 0.25
        given.append([mask.tolist(), layers])
        right.append(masking.reach(mask, layers).tolist())
    return "reach(...args)", given, right


def costs(generator: torch.Generator) -> Agreement:
    given, right = [], []
    for draw in range(DRAWS):
        layer = complexity_explorers.LAYERS[draw % 3]
        n, d, k = (a_number(2, most, generator) for most in (1 << 17, 1 << 13, 33))
        units = 10 ** a_number(0, 13, generator)
        cost = complexity.layer_cost(layer, n, d, k)
        given.append([layer, n, d, k, units])
        right.append([*cost[:2], complexity_explorers._time(cost, units)])
    made = "(cost => [...cost, time(cost, args[4])])(LAYERS[args[0]](...args.slice(1, 4)))"
    return made, given, right


def drafts(generator: torch.Generator) -> Agreement:
    given, right = [], []
    for _ in range(DRAWS):
        target, draft = torch.randn(2, a_number(2, 9, generator), generator=generator).softmax(dim=-1)
        share, count = float(torch.rand(1, generator=generator)), a_number(0, 11, generator)
        given.append([target.tolist(), draft.tolist(), share, count])
        tokens = cheaper.tokens_per_call(share, count)
        right.append([modern.adjusted(target, draft).tolist(), tokens])
    return "[adjusted(args[0], args[1]), tokensPerCall(args[2], args[3])]", given, right


def path(generator: torch.Generator) -> Agreement:
    """What Python gives it, against the whole model: the module itself computes nothing, it shows these."""
    given, right, words = [], [], corpora.vocabulary().words
    torch.manual_seed(0)
    for _ in range(DRAWS):
        model = DecoderOnly(len(words), d_model=16, n_heads=2, n_layers=2, positions=64).eval()
        ids = torch.randint(corpora.EOS + 1, len(words), (1, a_number(1, 16, generator)), generator=generator)
        with torch.no_grad():
            last = (
                model(torch.cat([torch.tensor([[corpora.BOS]]), ids], dim=1))[0, -1]
                .softmax(dim=-1)
                .topk(block_explorers.BEST)
                .values
            )
        text = " ".join(words[token] for token in ids[0].tolist())
        given.append([block_explorers._path(model, block.unembed, text)])
        right.append(last.tolist())
    return "args[0].best.at(-1).at(-1).map(([, share]) => share)", given, right


def alignment(generator: torch.Generator) -> Agreement:
    given, right = [], []
    for _ in range(DRAWS):
        H, written, read = (a_number(1, most, generator) for most in (5, 9, 9))
        heads = torch.randn(H, written, read + 1, generator=generator).softmax(dim=-1)
        real = torch.arange(read + 1) < read
        given.append([heads.tolist(), read])
        right.append([heads.mean(dim=0).tolist(), translation.alignment(heads, real).tolist()])
    return "aligned(...args)", given, right


AGREE: dict[str, Callable[[torch.Generator], Agreement]] = {
    "attention/heads.js": heads,
    "attention/reads.js": reads,
    "attention/weights.js": weights,
    "attention/writes.js": writes,
    "block/path.js": path,
    "complexity/costs.js": costs,
    "masking/reaches.js": reaches,
    "modern/drafts.js": drafts,
    "positional/clocks.js": clocks,
    "positional/turns.js": turns,
    "translation/alignment.js": alignment,
}


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with blank_page() as page:
        yield page


def leaves(value: object) -> Iterator[float]:
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    else:
        yield float(value)


def test_each_module_is_compared_and_shown() -> None:
    assert sorted(AGREE) == sorted(SHOWN) == MODULES and len(MODULES) >= 10


@pytest.mark.parametrize("module", AGREE)
def test_a_module_agrees_with_torch(module: str, page: Page) -> None:
    made, given, right = AGREE[module](torch.Generator().manual_seed(0))
    assert len(given) == len(right) == DRAWS
    source = f"{bundled(ROOT / 'helpers' / module)}\nexport const made = args => {made};"
    script = """async ([source, given]) => {
        const {made} = await import(URL.createObjectURL(new Blob([source], {type: "text/javascript"})));
        return given.map(made);
    }"""
    page.goto("about:blank")
    for found, expected in zip(page.evaluate(script, [source, given]), right, strict=True):
        # float32 has seven digits, and numbers of operations have more than that before the point.
        torch.testing.assert_close([*leaves(found)], [*leaves(expected)], atol=1e-5, rtol=1e-6)
