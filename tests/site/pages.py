"""The website that `make site` has built, in a real browser: `make site-test` runs this, `make test` doesn't."""

import functools
import html
import http.server
import json
import re
import threading
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from autograder import exercises, lessons, programs
from autograder.authoring.review import BEGIN, END
from autograder.authoring.site.building import SITE
from helpers.checking.finding import Status
from helpers.figures.predicting import predictions
from tests.support.browser import AXE, CHROMIUM_OPTIONS

MADE = SITE / "html"
PAGES = sorted(path.name for path in MADE.glob("*.html"))
OURS = [name for name in PAGES if name != "report.html"]  # that one has tests of its own
LESSONS = [name.removesuffix(".html") for name in PAGES if name[:2].isdigit() and name != "404.html"]
PLACES = [(1280, "light"), (1280, "dark"), (820, "light"), (390, "light"), (390, "dark")]
HEAVIEST = 1_000_000  # bytes of a page with all that it asks for, but formulas' fonts
RULES = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
VIOLATIONS = """async rules => (await axe.run(document, rules)).violations.flatMap(
    rule => rule.nodes.map(node => `${rule.id}: ${node.html.slice(0, 160)}`))"""
LINK = re.compile(r'\b(?:href|src)="([^"]*)"')
ID = re.compile(r'\bid="([^"]*)"')


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(MADE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=programs.find(programs.CHROMIUM), args=list(CHROMIUM_OPTIONS)
        )
        yield started
        started.close()


def test_the_site_has_a_page_for_each_lesson() -> None:
    assert lessons.names() == LESSONS, "build all lessons first: make site"


@pytest.mark.parametrize("name", OURS)
def test_a_page_asks_no_other_host_raises_nothing_fits_and_axe_finds_nothing(browser, address, name) -> None:
    for width, theme in PLACES:
        with browser.new_page(viewport={"width": width, "height": 1000}, color_scheme=theme) as page:
            asked: list[str] = []
            wrong: list[str] = []
            weight: list[int] = []
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.on("pageerror", lambda error, wrong=wrong: wrong.append(str(error)))
            page.on("console", lambda said, wrong=wrong: said.type == "error" and wrong.append(said.text))
            page.on("requestfinished", lambda request, weight=weight: weight.append(_bytes(request)))
            page.goto(f"{address}/{name}")
            page.wait_for_load_state("networkidle")
            assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
            assert wrong == []
            assert sum(weight) < HEAVIEST
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
            page.add_script_tag(path=AXE)
            assert page.evaluate(VIOLATIONS, RULES) == [], (width, theme)


def _bytes(request) -> int:
    return 0 if "/fonts/" in request.url else request.sizes()["responseBodySize"]


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_prediction_answers_a_click_and_then_shows_its_figure(browser, address, lesson) -> None:
    known = predictions(lessons.topic(lesson))
    with browser.new_page() as page:
        page.goto(f"{address}/{lesson}.html")
        assert page.locator(".hs-predict").count() == len(known)
        for id, prediction in known.items():
            place = page.locator(f'[data-prediction="{id}"]')
            figure = page.locator(f".tag_waits-{id.replace('.', '-')}")
            assert [each.is_visible() for each in figure.all()] == [False] * figure.count() != []
            for letter in prediction.letters:
                place.get_by_role("button", name=letter, exact=True).click()
                text = html.unescape(re.sub("<[^>]+>", "", prediction.answer(letter)[0]))
                assert _plain(place.locator(".hs-said").text_content()) == _plain(text)
            assert all(each.is_visible() for each in figure.all())


@pytest.mark.parametrize("lesson", LESSONS)
def test_an_exercise_of_choice_passes_by_the_right_choice_alone(browser, address, lesson) -> None:
    known = [spec for spec in exercises.load(lessons.topic(lesson)).values() if spec.driver == "choice"]
    with browser.new_page() as page:
        page.goto(f"{address}/{lesson}.html")
        assert page.locator(".hs-choices").count() == len(known)
        for spec in known:
            slots = dict(spec.cases(None)[0].args[0])
            for slot, options in slots.items():
                _choose(page, spec.id, [*slots].index(slot), options.index(spec.reference[slot]))
            said = page.locator(".hs-choices", has=page.locator(f'[name="{_name(spec.id)}-0"]')).locator(
                ".hs-said"
            )
            assert said.get_attribute("data-status") == Status.PASSED
            wrong = next(number for number, option in enumerate(options) if option != spec.reference[slot])
            _choose(page, spec.id, len(slots) - 1, wrong)
            assert said.get_attribute("data-status") == Status.FAILED
            sentences = [m.sentence for m in spec.misconceptions if m.variant == {slot: options[wrong]}]
            assert _plain(sentences[0]).replace("`", "") in _plain(said.text_content())


def _name(id: str) -> str:
    return id.replace(".", "-")


def _choose(page: Page, id: str, slot: int, option: int) -> None:
    page.locator(f'[name="{_name(id)}-{slot}"][value="{option}"]').check()


def _plain(text: str | None) -> str:
    return " ".join((text or "").split())


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_solution_is_on_a_page(lesson) -> None:
    """Neither as code nor as text; what an answer shares with its docstring or another cell may be there."""
    text = _plain(html.unescape(re.sub("<[^>]+>", "", (MADE / f"{lesson}.html").read_text(encoding="utf-8"))))
    for cell in lessons.load_source_notebook(lesson).cells:
        if lessons.kind(cell) in ("exercise", "written") and BEGIN in cell.source:
            solution = cell.source.partition(BEGIN)[2].partition(END)[0].strip("# \n")
            assert _plain(solution) not in text, lessons.exercise_of(cell)


@pytest.mark.parametrize("name", OURS)
def test_every_link_within_the_site_leads_somewhere(name) -> None:
    text = (MADE / name).read_text(encoding="utf-8")
    for link in LINK.findall(text):
        parts = urlsplit(html.unescape(link))
        if parts.scheme or parts.netloc:
            continue
        target = MADE / unquote(parts.path) if parts.path else MADE / name
        assert target.exists(), (name, link)
        if parts.fragment and target.suffix == ".html":
            assert parts.fragment in ID.findall(target.read_text(encoding="utf-8")), (name, link)


def test_what_can_be_downloaded_is_what_was_released() -> None:
    for lesson in LESSONS:
        notebook = (MADE / f"downloads/{lesson}.ipynb").read_bytes()
        assert notebook == lessons.release_path(lesson).read_bytes()
        assert (MADE / f"downloads/{lesson}.zip").is_file()
        assert nbformat.validate(json.loads(notebook)) is None
