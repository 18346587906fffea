"""Explorers that compute in the page agree with torch, and can be used by everybody, in any page."""

import copy
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from IPython.utils.capture import capture_output
from playwright.sync_api import Page, expect, sync_playwright

from autograder import programs
from autograder.lessons import ROOT
from helpers import attention, block, complexity, corpora, masking, modern, positional, pretraining
from helpers.attention import explorers
from helpers.attention.reader import BEGIN, HEADS, WIDTH, for_a_page, reader
from helpers.attention.writer import own_reader
from helpers.block import explorers as block_explorers
from helpers.block.reference import DecoderOnly
from helpers.complexity import explorers as complexity_explorers
from helpers.figures.live import bundled, live
from helpers.masking import explorers as masking_explorers
from helpers.modern import explorers as modern_explorers
from helpers.positional import explorers as positional_explorers
from tests.support.browser import AXE, CHROMIUM_OPTIONS

pytestmark = [pytest.mark.needs_chromium, pytest.mark.timeout(240)]

DRAWS = 100
Agreement = tuple[str, list[list], list]  # an expression in a module's names and `args`; arguments; results
MODULES = sorted(
    path.relative_to(ROOT / "helpers").as_posix()
    for path in (ROOT / "helpers").rglob("*.js")
    if "export default" in path.read_text(encoding="utf-8")
)


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
    return f"({kept}, softmax(read(globalThis.kept, ...args).scores))", given, right


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
        tokens = modern.tokens_per_call(share, count)
        right.append([modern.adjusted(target, draft).tolist(), tokens])
    return "[adjusted(args[0], args[1]), tokensPerCall(args[2], args[3])]", given, right


AGREE: dict[str, Callable[[torch.Generator], Agreement]] = {
    "attention/heads.js": heads,
    "attention/reads.js": reads,
    "attention/weights.js": weights,
    "attention/writes.js": writes,
    "complexity/costs.js": costs,
    "masking/reaches.js": reaches,
    "modern/drafts.js": drafts,
    "positional/clocks.js": clocks,
    "positional/turns.js": turns,
}


def stream() -> object:
    torch.manual_seed(0)
    model = DecoderOnly(len(corpora.vocabulary().words), d_model=16, n_heads=2, n_layers=2, positions=64)
    return block_explorers.stream_explorer(model.eval(), block.unembed, "the training of 6.10")


SHOWN: dict[str, Callable[[], object]] = {
    "attention/heads.js": lambda: explorers.writing_explorer(
        {"": own_reader(attention=attention.scaled_dot_product_attention)}, looks=True
    ),
    "attention/reads.js": explorers.reading_explorer,
    "attention/weights.js": lambda: explorers.attention_explorer(attention.scaled_dot_product_attention),
    "attention/writes.js": lambda: explorers.writing_explorer({}),
    "block/path.js": stream,
    "complexity/costs.js": lambda: complexity_explorers.layer_explorer(complexity.layer_cost),
    "masking/reaches.js": lambda: masking_explorers.reach_explorer(masking.reach),
    "modern/drafts.js": lambda: modern_explorers.draft_explorer(modern.adjusted, "Exercise 12.16"),
    "positional/clocks.js": lambda: positional_explorers.positions_explorer(positional.sinusoidal),
    "positional/turns.js": lambda: positional_explorers.rotary_explorer(positional.rotary),
}
each_module = pytest.mark.parametrize("module", MODULES)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    options = {"executable_path": programs.find(programs.CHROMIUM), "args": CHROMIUM_OPTIONS}
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(**options)
        yield program.new_page()
        program.close()


def leaves(value: object) -> Iterator[float]:
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    else:
        yield float(value)


def test_each_module_that_computes_is_compared_and_each_is_shown() -> None:
    computing = [m for m in MODULES if "\nexport const " in _text(m) or "\nexport function " in _text(m)]
    models = [m for m in MODULES if '"./model.js"' in _text(m)]
    assert sorted({*computing, *models}) == sorted(AGREE) and sorted(SHOWN) == MODULES and len(MODULES) >= 10


def _text(module: str) -> str:
    return (ROOT / "helpers" / module).read_text(encoding="utf-8")


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


def exported(module: str) -> str:
    """The explorer of a module as a notebook keeps it, without what needs a kernel."""
    InteractiveShell.instance()
    try:
        with capture_output() as shown:
            display(SHOWN[module]())
    finally:
        InteractiveShell.clear_instance()
    [html] = [output.data["text/html"] for output in shown.outputs if "text/html" in output.data]
    return html


def opened(page: Page, html: str, tmp_path: Path) -> list[str]:
    """Open HTML as a page of its own, from a file. What goes wrong later is in the list."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: wrong.append(asked.url) if asked.url.startswith("http") else None)
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>t</title>'
    (tmp_path / "page.html").write_text(
        f'<!doctype html><html lang="en"><head>{head}</head><body><main><h1>t</h1>{html}</main></body></html>'
    )
    page.goto((tmp_path / "page.html").as_uri())
    return wrong


HEARD = (
    "[...document.querySelectorAll('.headstart-live > div > div')].map(el => el.shadowRoot.innerHTML).join()"
)


@each_module
def test_a_module_lives_in_a_page_by_the_keyboard_and_on_a_phone(
    module: str, page: Page, tmp_path: Path
) -> None:
    """Every control changes what is shown, axe finds nothing, and no request leaves the page."""
    page.set_viewport_size({"width": 390, "height": 800})
    wrong = opened(page, exported(module), tmp_path)
    el = page.locator(".headstart-live")
    expect(el.get_by_role("status")).not_to_be_empty()
    expect(el.locator("img")).to_have_count(0)
    for control in el.locator("input[type=range]:visible, select:visible").all():
        before = page.evaluate(HEARD)
        control.focus()
        at_end = control.evaluate("el => el.type === 'range' && Number(el.value) >= Number(el.max)")
        page.keyboard.press("ArrowLeft" if at_end else "ArrowDown")
        if page.evaluate(HEARD) == before:
            page.keyboard.press("ArrowUp")
        assert page.evaluate(HEARD) != before, control.evaluate("el => el.labels[0].textContent")
    for button in el.locator("button:visible").all()[:3]:
        before = page.evaluate(HEARD)
        button.focus()
        page.keyboard.press("Enter")
        assert page.evaluate(HEARD) != before
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for table in el.locator("table").all():
        assert table.locator("caption").inner_text() and table.locator("tbody th[scope=row]").count()
    page.evaluate(AXE.read_text(encoding="utf-8"))
    for dark in (False, True):
        page.evaluate(f"document.body.style = '{'background: #111; color: #ddd' if dark else ''}'")
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]] == []
    assert wrong == []


def test_typed_words_are_read_and_a_touched_word_is_written(page: Page, tmp_path: Path) -> None:
    wrong = opened(page, exported("attention/reads.js") + exported("attention/writes.js"), tmp_path)
    reads, writes = page.locator(".headstart-live").all()
    expect(reads.get_by_role("status")).to_contain_text(re.compile("head 1 most at plot.* Next: is"))
    reads.get_by_label("sentence").fill("the jokes that fill the zebra book")
    expect(reads.get_by_role("status")).to_contain_text(re.compile("head 1 most at jokes.* Next: are"))
    expect(reads.get_by_role("status")).to_contain_text("It has never seen zebra")
    reads.get_by_role("slider", name="words read").press("ArrowLeft")
    expect(reads.get_by_role("status")).to_contain_text("From “the” it looks")
    word = writes.get_by_role("group").get_by_role("button").first
    text = word.inner_text()
    word.click()
    expect(writes.get_by_label("beginning")).to_have_value(re.compile(rf" {text}$"))
    assert wrong == []


def test_where_scripts_are_off_there_is_a_picture(page: Page, tmp_path: Path) -> None:
    assert page.context.browser
    with page.context.browser.new_context(java_script_enabled=False) as context:
        still = context.new_page()
        opened(still, exported("attention/reads.js"), tmp_path)
        expect(still.locator("img").first).to_be_visible()


def test_no_text_in_the_data_ends_the_script(page: Page, tmp_path: Path) -> None:
    module = tmp_path / "module.js"
    module.write_text("export default {render: ({model, el}) => el.append(model.get('data'), '</script>')};")
    said = "</script><!-- <script>"
    wrong = opened(page, live(module, said, "still").html, tmp_path)
    expect(page.locator(".headstart-live")).to_have_text(f"{said}</script>")
    assert wrong == []


def test_the_same_explorer_twice_lives_twice(page: Page, tmp_path: Path) -> None:
    opened(page, 2 * exported("positional/turns.js"), tmp_path)
    expect(page.locator(".headstart-live").get_by_role("status")).to_have_count(2)
