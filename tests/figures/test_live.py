"""Explorers that compute in the page agree with torch, and can be used by everybody, in any page."""

import copy
import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Page, expect, sync_playwright

from autograder import programs
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
from helpers.figures.live import bundled, live, shown
from helpers.modern import cheaper
from helpers.translation import explorers as translation_explorers
from tests.support.browser import CHROMIUM_OPTIONS
from tests.support.explorers import (
    HEARD,
    MODULES,
    SHOWN,
    barriers,
    exported,
    it_can_be_used,
    opened,
    translated,
    updates,
)
from tests.support.proved import PROJECT, follows_from
from tests.support.shown import shown_in

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


FRAME = 1 / 60  # seconds
DARK = "background: #111; color: #ddd"
LOOKS = ({"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"})
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


@each_module
def test_a_module_lives_in_a_page_by_the_keyboard_and_on_a_phone(
    module: str, page: Page, tmp_path: Path
) -> None:
    """Every control changes what is shown, axe finds nothing, and no request leaves the page."""
    page.set_viewport_size({"width": 390, "height": 800})
    wrong = opened(page, exported(module), tmp_path)
    el = page.locator(".headstart-live")
    it_can_be_used(page, el)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for looks in LOOKS:
        page.emulate_media(**looks)
        page.evaluate(f"document.body.style = '{DARK if looks == {'color_scheme': 'dark'} else ''}'")
        assert barriers(page) == []
    page.emulate_media(color_scheme="light", forced_colors="none", reduced_motion="no-preference")
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


@pytest.mark.parametrize("module", ["attention/reads.js", "attention/writes.js"])
def test_it_writes_on_word_by_word_until_something_else_is_asked(
    module: str, page: Page, tmp_path: Path
) -> None:
    """A frame for each word; a screen reader hears of it when it has ended."""
    wrong = opened(page, exported(module), tmp_path)
    frames = """async el => {
        const root = [...el.querySelectorAll("*")].find(each => each.shadowRoot).shadowRoot;
        const [said, counts] = [root.querySelector("[role=status]"), []];
        const words = () => said.textContent.match(/[\\w-]+|'s|[.,…]/g).length;
        root.querySelector(".press button").click();
        do {
            counts.push(words());
            await new Promise(requestAnimationFrame);
        } while (said.ariaBusy === "true" || counts.length < 2);
        return [...counts, words()];
    }"""
    place = page.locator(".headstart-live")
    runs = [place.evaluate(frames) for _ in range(5)]
    assert all(after - before in (0, 1) for run in runs for before, after in itertools.pairwise(run))
    assert max(run[-1] - run[0] for run in runs) > 3
    temperature = place.get_by_role("slider", name="temperature")
    place.get_by_role("button", name="write on").click()
    temperature.press("ArrowRight")
    before = place.evaluate(HEARD)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert place.evaluate(HEARD) == before and wrong == []


def test_a_slider_with_one_place_is_off_until_it_has_more(page: Page, tmp_path: Path) -> None:
    still, *others = translation_explorers.SENTENCES

    def watch(text: str) -> tuple[list[str], torch.Tensor]:
        return translated(text) if text != still else (["<eos>"], torch.eye(1, len(text.split()) + 1)[None])

    wrong = opened(page, exported(translation_explorers.translation_explorer(watch)), tmp_path)
    el = page.locator(".headstart-live")
    slider = el.get_by_role("slider", name="words written")
    expect(slider).to_be_disabled()
    expect(el.get_by_role("status")).to_contain_text("stops before its first word")
    el.get_by_label("sentence").select_option(others[0])
    expect(slider).to_be_enabled()
    expect(el.get_by_role("status")).not_to_contain_text("stops")
    el.get_by_label("sentence").select_option(still)
    expect(slider).to_be_disabled()
    assert wrong == []


@each_module
def test_a_finger_moves_it(module: str, page: Page, tmp_path: Path) -> None:
    assert page.context.browser
    with page.context.browser.new_context(has_touch=True, viewport={"width": 390, "height": 800}) as context:
        phone = context.new_page()
        wrong = opened(phone, exported(module), tmp_path)
        el = phone.locator(".headstart-live")
        for control in el.locator(
            "input[type=range]:visible, input[type=checkbox]:visible, button:visible"
        ).all()[:3]:
            before, box = el.evaluate(HEARD), control.bounding_box()
            assert box and min(box["width"], box["height"]) >= 20
            for share in (0.5, 0.9):  # it may be in the middle already
                if el.evaluate(HEARD) == before:
                    phone.touchscreen.tap(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
            assert el.evaluate(HEARD) != before
        assert wrong == []


@each_module
def test_it_answers_within_a_frame(module: str, page: Page, tmp_path: Path) -> None:
    """Each control, by the processor time of the page's thread, so that a busy machine changes nothing."""
    opened(page, exported(module), tmp_path)
    took = updates(page)
    assert took and {name: seconds for name, seconds in took.items() if seconds >= FRAME} == {}


@each_module
def test_where_scripts_are_off_there_is_a_picture(module: str, page: Page, tmp_path: Path) -> None:
    assert page.context.browser
    with page.context.browser.new_context(java_script_enabled=False) as context:
        still = context.new_page()
        opened(still, exported(module), tmp_path)
        expect(still.locator("img").first).to_be_visible()
        assert len(still.locator("img").first.get_attribute("alt") or "") > 40


@pytest.mark.parametrize(
    "module", [m for m in MODULES if m not in ("attention/reads.js", "attention/writes.js")]
)
def test_numbers_of_a_widget_are_shown_by_the_module_itself(module: str, page: Page, tmp_path: Path) -> None:
    """Those of the student's function: first, after a change, and not beside a note that it stops."""
    box = SHOWN[module]()
    html = exported(box)
    [numbers] = [child.value for child in box.children if "data-numbers" in str(getattr(child, "value", ""))]
    name = f"headstart-{box.model_id}"
    widget = f'<div class="{name}"><div class="widget-html"><div>{numbers}</div></div></div>'
    wrong = opened(page, f'<div class="jp-OutputArea">{html}{widget}</div>', tmp_path)
    place, inner = page.locator(f".{name}"), page.locator(f".{name} .widget-html > div").first
    expect(page.locator(f".{name}-still")).to_be_hidden()
    expect(place.get_by_role("status")).not_to_be_empty()
    assert place.locator("table, svg").count()
    before = place.evaluate(HEARD)
    other = changed(shown_in(numbers))
    inner.evaluate("(el, html) => { el.innerHTML = html; }", shown(other))
    page.wait_for_function(f"before => ({HEARD})(document.querySelector('.{name}')) !== before", arg=before)
    inner.evaluate("el => { el.innerHTML = 'a note'; }")
    expect(place.get_by_role("status")).to_be_hidden()
    assert wrong == []


def changed(value: object) -> object:
    """The same, with each number that isn't whole doubled, and each truth turned."""
    if isinstance(value, dict):
        return {name: changed(each) for name, each in value.items()}
    if isinstance(value, list):
        return [changed(each) for each in value]
    if isinstance(value, bool):
        return not value
    return 2 * value if isinstance(value, float) else value


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
