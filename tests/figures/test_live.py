"""Explorers that compute in the page can be used by everybody, in any page."""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Page, expect

from helpers.figures.live import live, shown
from helpers.translation import explorers as translation_explorers
from tests.support.browser import blank_page
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

FRAME = 1 / 60  # seconds
DARK = "background: #111; color: #ddd"
LOOKS = ({"color_scheme": "light"}, {"color_scheme": "dark"}, {"forced_colors": "active"})
each_module = pytest.mark.parametrize("module", MODULES)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with blank_page() as page:
        yield page


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
        const words = () => said.textContent.match(/[\\p{L}\\d-]+|'s|[.,…]/gu).length;  // clichés is one
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
