"""Every live explorer as a notebook shows it, and what somebody without a mouse does with it."""

import re
import statistics
from collections.abc import Callable
from pathlib import Path

import torch
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from IPython.utils.capture import capture_output
from playwright.sync_api import Locator, Page, expect

from autograder.lessons import ROOT
from helpers import attention, block, complexity, corpora, masking, modern, positional
from helpers.attention import explorers
from helpers.attention.writer import own_reader
from helpers.block import explorers as block_explorers
from helpers.block.reference import DecoderOnly
from helpers.complexity import explorers as complexity_explorers
from helpers.masking import explorers as masking_explorers
from helpers.modern import explorers as modern_explorers
from helpers.positional import explorers as positional_explorers
from helpers.translation import explorers as translation_explorers
from tests.support.browser import AXE

MODULES = sorted(
    path.relative_to(ROOT / "helpers").as_posix()
    for path in (ROOT / "helpers").rglob("*.js")
    if "export default" in path.read_text(encoding="utf-8")
)
HEARD = (
    "el => [...el.querySelectorAll('[data-lm-suppress-shortcuts]')].map(el => el.shadowRoot.innerHTML).join()"
)

MOVED = """el => new Promise(done => {
    const last = el.dataset.last ?? el.value.split(" ").at(-1);
    if (el.type === "button") el.click();
    else if (el.type === "checkbox") el.checked = !el.checked;
    else if (el.type === "range") el.value = Number(el.value) + (el.value === el.max ? -1 : 1) * (el.step || 1);
    else if (el.type === "text") {  // without its last word, or with it again
        el.value = "last" in el.dataset ? `${el.value} ${last}` : el.value.split(" ").slice(0, -1).join(" ");
        if ("last" in el.dataset) delete el.dataset.last; else el.dataset.last = last;
    } else el.selectedIndex = (el.selectedIndex + 1) % el.options.length;
    if (el.type !== "button") el.dispatchEvent(new Event("input"));
    requestAnimationFrame(() => setTimeout(done));
})"""
MOVES = 9  # of each control
CONTROLS = "input, select, .press button, [role=group] button:first-child"
NAME = "el => (el.closest('label')?.firstChild ?? el).textContent"


def stream() -> object:
    torch.manual_seed(0)
    model = DecoderOnly(len(corpora.vocabulary().words), d_model=16, n_heads=2, n_layers=2, positions=64)
    return block_explorers.stream_explorer(model.eval(), block.unembed, "the training of 6.10")


def translated(text: str) -> tuple[list[str], torch.Tensor]:
    """A right translation that looks where nobody knows."""
    words = [*corpora.translate(text).split(), "<eos>"]
    generator = torch.Generator().manual_seed(len(text))
    return words, torch.randn(4, len(words), len(text.split()) + 1, generator=generator).softmax(dim=-1)


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
    "translation/alignment.js": lambda: translation_explorers.translation_explorer(translated),
}

# Letters of a picture that lie outside of it.
CUT_OFF = """all => all.filter(each => {
    const text = each.getBoundingClientRect(), picture = each.ownerSVGElement.getBoundingClientRect();
    return text.left < picture.left - 1 || text.right > picture.right + 1
        || text.top < picture.top - 1 || text.bottom > picture.bottom + 1;
}).map(each => each.textContent)"""


def exported(module: object) -> str:
    """An explorer, or that of a module, as a notebook keeps it, without what needs a kernel."""
    InteractiveShell.instance()
    try:
        return displayed(SHOWN[module]() if isinstance(module, str) else module)
    finally:
        InteractiveShell.clear_instance()


def displayed(box: object) -> str:
    """What a notebook keeps of an explorer, where there is a shell."""
    with capture_output() as shown:
        display(box)
    [html] = [output.data["text/html"] for output in shown.outputs if "text/html" in output.data]
    return html


def data_of(html: str) -> str:
    """The numbers that an explorer's page holds, as JSON."""
    return re.search(r"const data = (.*), source = ", html)[1]


def it_can_be_used(page: Page, el: Locator) -> None:
    """Every control of an explorer changes what is shown, by the keyboard; its tables have headers.

    No letter of its pictures is cut off, neither at first nor afterwards.
    """
    expect(el.get_by_role("status")).not_to_be_empty()
    assert el.locator("svg text").evaluate_all(CUT_OFF) == []
    expect(el.locator("img")).to_have_count(0)
    for control in el.locator("input[type=range]:visible, select:visible").all():
        before = el.evaluate(HEARD)
        control.focus()
        at_end = control.evaluate("el => el.type === 'range' && Number(el.value) >= Number(el.max)")
        page.keyboard.press("ArrowLeft" if at_end else "ArrowDown")
        if el.evaluate(HEARD) == before:
            page.keyboard.press("ArrowUp")
        assert el.evaluate(HEARD) != before, control.evaluate("el => el.labels[0].textContent")
    for button in el.locator("button:visible").all()[:3]:
        before = el.evaluate(HEARD)
        button.focus()
        page.keyboard.press("Enter")
        assert el.evaluate(HEARD) != before
    assert el.locator("svg text").evaluate_all(CUT_OFF) == []
    for table in el.locator("table").all():
        assert table.locator("caption").inner_text() and table.locator("tbody th[scope=row]").count()


def barriers(page: Page, within: str = "main") -> list[tuple[str, str]]:
    """What axe-core finds: its rule, and the first element."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("within => axe.run(within, {resultTypes: ['violations']})", within)
    return [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]]


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


def updates(page: Page) -> dict[str, float]:
    """The processor time that the page's thread takes to answer each control and draw: the medians, in seconds.

    What the thread does for the one who measures, the commands themselves, isn't the page's.
    """
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
        return found["TaskDuration"] - found["DevToolsCommandDuration"]

    def once(control: Locator) -> float:
        before = spent()
        control.evaluate(MOVED)
        return spent() - before

    controls = page.locator(".headstart-live").locator(CONTROLS)
    names = controls.evaluate_all(f"all => all.map({NAME})")
    return {
        name: statistics.median(once(controls.nth(n)) for _ in range(MOVES)) for n, name in enumerate(names)
    }
