"""The website that `make site` has built, in a real browser: `make site-test` runs this, `make test` doesn't.

Every page is opened at three widths, light and dark, every explorer moved, every prediction answered and every
hint unfolded. `python -m benchmarks.website` weighs the pages.
"""

import functools
import html
import http.server
import itertools
import json
import re
import threading
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from autograder import exercises, lessons, programs
from autograder.authoring.bundles import links
from autograder.authoring.review import BEGIN, END
from autograder.authoring.site.building import SITE
from autograder.authoring.site.pages import LIVE
from helpers.checking.finding import Status
from helpers.figures.predicting import predictions
from tests.support.browser import AXE, CHROMIUM_OPTIONS
from tests.support.explorers import it_can_be_used
from tests.support.site import (
    ALL_PICTURES,
    BROKEN_CODE,
    MOVED,
    RULES,
    UNFOLDED,
    UNREACHED,
    VIOLATIONS,
    WIDE_MESSAGES,
)

MADE = SITE / "html"
PAGES = sorted(path.name for path in MADE.glob("*.html"))
LESSONS = [name.removesuffix(".html") for name in PAGES if name[:2].isdigit() and name != "404.html"]
PLACES = [(1280, "light"), (1280, "dark"), (820, "light"), (820, "dark"), (390, "light"), (390, "dark")]
HEAVIEST = 1_000_000  # bytes of a page with every figure, but formulas' fonts
TEXT = ("text-base", "text-muted", "link", "link-hover", "primary", "secondary", "accent", "inline-code")
GROUND = ("background", "surface", "on-background")
CODE = re.compile(r"<(script|style|template|pre|code)\b.*?</\1>", re.DOTALL)
TYPED = re.compile(r"\$[^$\n]{1,60}\$|\\[a-z]+\{[^}\n]*\}|(?<![\w*])\*[a-z][^*\n]{0,60}\*(?![\w*])")
LINK = re.compile(r'\b(?:href|src)="([^"]*)"')
ID = re.compile(r'\bid="([^"]*)"')
# With what the links of 404.html start, which is shown at any depth.
START = "".join(
    start
    for path in MADE.glob("404.html")
    for start in re.findall(r'data-content_root="([^"]*)\./"', path.read_text(encoding="utf-8"))
)

pytestmark = pytest.mark.needs_chromium


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:  # as if it were served where SITE_URL says
            return super().translate_path(
                path.replace(START, "/", 1) if START and path.startswith(START) else path
            )

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


@pytest.mark.parametrize("name", PAGES)
def test_a_page_asks_no_other_host_raises_nothing_fits_and_axe_finds_nothing(browser, address, name) -> None:
    """As it opens, and then with its explorers moved, its predictions answered and everything unfolded."""
    for width, theme in PLACES:
        with browser.new_page(viewport={"width": width, "height": 1000}, color_scheme=theme) as page:
            asked: list[str] = []
            wrong: list[str] = []
            weight: list[int] = []
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.on("pageerror", lambda error, wrong=wrong: wrong.append(str(error)))
            page.on("console", lambda said, wrong=wrong: _is_wrong(said) and wrong.append(said.text))
            page.on("requestfinished", lambda request, weight=weight: weight.append(_bytes(request)))
            page.goto(f"{address}/{name}")
            page.wait_for_load_state("networkidle")
            page.evaluate(ALL_PICTURES)
            page.wait_for_load_state("networkidle")
            assert sum(weight) < HEAVIEST
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
            assert page.evaluate(MOVED) == [], (width, theme)
            assert page.evaluate(UNFOLDED) == 0
            assert page.evaluate(UNREACHED) == [], (width, theme)
            assert page.evaluate(WIDE_MESSAGES) == [], (width, theme)
            assert page.evaluate(BROKEN_CODE) == [], (width, theme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
            assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
            assert wrong == []  # before axe, which asks for each style sheet as if it were beside the page
            page.add_script_tag(path=AXE)
            assert page.evaluate(VIOLATIONS, RULES) == [], (width, theme)
            page.emulate_media(media="print")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)


def _is_wrong(said) -> bool:
    """Whether the console says an error; pages of feedback and reports have no icon, which isn't one."""
    return said.type == "error" and not said.location["url"].endswith("/favicon.ico")


def _bytes(request) -> int:
    return 0 if "/fonts/" in request.url else request.sizes()["responseBodySize"]


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_prediction_answers_a_click_and_then_shows_its_figure(browser, address, lesson) -> None:
    known, made = predictions(lessons.topic(lesson)), set()
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
            made.add(id.replace(".", "-"))
            for each in figure.all():  # it may wait for several
                waits = re.findall(r"tag_waits-(\S+)", each.get_attribute("class"))
                assert each.is_visible() == made.issuperset(waits)


def test_a_page_that_is_opened_from_a_disk_answers_too(browser) -> None:
    with browser.new_page() as page:
        page.goto((MADE / f"{LESSONS[1]}.html").as_uri())
        waiting = page.locator(".hs-waits").count()
        page.locator(".hs-predict button").first.click()
        assert page.locator(".hs-waits").count() < waiting
        assert page.evaluate(MOVED) == []


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
def test_no_solution_is_on_any_page(lesson) -> None:
    """Neither as code nor as text; what an answer shares with its docstring or another cell may be there."""
    pages = {name: _plain(html.unescape(re.sub("<[^>]+>", "", _read(name)))) for name in PAGES}
    for cell in lessons.load_source_notebook(lesson).cells:
        if lessons.kind(cell) in ("exercise", "written") and BEGIN in cell.source:
            solution = _plain(cell.source.partition(BEGIN)[2].partition(END)[0].strip("# \n"))
            assert [name for name, text in pages.items() if solution in text] == [], lessons.exercise_of(cell)


@pytest.mark.parametrize("name", sorted({*PAGES} - {"feedback.html", "report.html"}))
def test_no_formula_and_no_emphasis_is_left_as_it_was_typed(name) -> None:
    """On the pages that Sphinx makes, outside of code."""
    text = html.unescape(re.sub("<[^>]+>", "", CODE.sub("", _read(name))))
    assert TYPED.findall(text) == []


@functools.cache
def _read(name: str) -> str:
    return (MADE / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in PAGES if LIVE in _read(name)])
def test_an_explorer_can_be_used_as_in_jupyterlab(browser, address, name) -> None:
    """By the test that it passes there."""
    with browser.new_page(viewport={"width": 1280, "height": 800}) as page:
        page.goto(f"{address}/{name}")
        page.evaluate(UNFOLDED)
        places = page.locator(".headstart-live")
        assert places.count()
        for place in places.all():
            it_can_be_used(page, place)


def test_the_first_screen_has_the_title_a_sentence_a_live_model_and_two_doors(browser, address) -> None:
    with browser.new_page(viewport={"width": 1280, "height": 800}) as page:
        page.goto(f"{address}/index.html")
        main = page.get_by_role("main")
        reader = main.locator(".headstart-live")
        expect(reader.get_by_role("status")).not_to_be_empty()
        doors = [
            main.get_by_role("link", name=name, exact=True) for name in ("Start reading", "do it yourself")
        ]
        for place in (main.locator("section > h1"), main.locator("h1 ~ p").first, reader, *doors):
            box = place.bounding_box()
            assert box and box["y"] >= 0 and box["y"] + box["height"] <= 800, (place, box)


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_page_leads_to_its_lesson_in_colab_where_the_course_is_published(lesson) -> None:
    found = [link for link in LINK.findall(_read(f"{lesson}.html")) if "colab.research.google.com" in link]
    assert found == re.findall(r"\[Open in Colab\]\((.*?)\)", links(lesson))


@pytest.mark.parametrize("name", PAGES)
def test_every_link_within_the_site_leads_somewhere(name) -> None:
    for link in LINK.findall(_read(name)):
        parts = urlsplit(html.unescape(link))
        if parts.scheme or parts.netloc:
            continue
        target = MADE / unquote(parts.path).removeprefix(START) if parts.path else MADE / name
        assert target.exists(), (name, link)
        if parts.fragment and target.suffix == ".html":
            assert parts.fragment in ID.findall(target.read_text(encoding="utf-8")), (name, link)


def test_what_can_be_downloaded_is_what_was_released() -> None:
    for lesson in LESSONS:
        notebook = (MADE / f"downloads/{lesson}.ipynb").read_bytes()
        assert notebook == lessons.release_path(lesson).read_bytes()
        assert (MADE / f"downloads/{lesson}.zip").is_file()
        assert nbformat.validate(json.loads(notebook)) is None


def test_previous_and_next_lead_through_all_lessons() -> None:
    following = {name: re.findall(r'class="right-next"\s+href="([^"]+)"', _read(name)) for name in PAGES}
    before = {name: re.findall(r'class="left-prev"\s+href="([^"]+)"', _read(name)) for name in PAGES}
    way = ["index.html"]
    while following[way[-1]]:
        way += following[way[-1]]
    assert way[1 : len(LESSONS) + 2] == [*(f"{lesson}.html" for lesson in LESSONS), "instructors.html"]
    assert all(before[after] == [name] for name, after in itertools.pairwise(way))


def test_the_search_finds_a_lesson(browser, address) -> None:
    with browser.new_page() as page:
        page.goto(f"{address}/search.html?q=softmax")
        page.locator("#search-results a[href*='01_attention.html']").first.wait_for()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_each_colour_of_text_is_readable_on_each_ground(browser, address, theme) -> None:
    """Also those that axe doesn't see: of links and menus under the mouse."""
    with browser.new_page(color_scheme=theme) as page:
        page.goto(f"{address}/index.html")
        style = "getComputedStyle(document.documentElement).getPropertyValue('--pst-color-{}')"
        color = {name: page.evaluate(style.format(name)) for name in (*TEXT, *GROUND)}
        pairs = {(text, ground): _contrast(color[text], color[ground]) for text in TEXT for ground in GROUND}
        assert {pair: found for pair, found in pairs.items() if found < 4.5} == {}


def _contrast(*colors: str) -> float:
    """Of two colours such as `#fff` and `#222832`, as WCAG defines it: from 1 to 21."""
    light = []
    for color in colors:
        digits = color.strip("# ")
        digits = digits if len(digits) == 6 else "".join(2 * each for each in digits)
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        light.append(sum(part * share for part, share in zip(parts, (0.2126, 0.7152, 0.0722), strict=True)))
    return (max(light) + 0.05) / (min(light) + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_an_open_menu_of_colour_modes_has_no_barrier(browser, address, width, theme) -> None:
    with browser.new_page(viewport={"width": width, "height": 800}, color_scheme=theme) as page:
        page.goto(f"{address}/index.html")
        page.get_by_role("button", name="Color mode").click()
        page.get_by_role("button", name="Dark").click(trial=True)  # which also puts the mouse on it
        page.add_script_tag(path=AXE)
        assert page.evaluate(VIOLATIONS, RULES) == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_colour_mode_is_chosen_by_mouse_or_keys_and_kept(browser, address, width) -> None:
    with browser.new_page(viewport={"width": width, "height": 800}, color_scheme="light") as page:
        page.goto(f"{address}/index.html")
        button, mode = page.get_by_role("button", name="Color mode"), "document.documentElement.dataset.theme"
        button.click()
        page.get_by_role("button", name="Dark").click(trial=True)
        page.keyboard.press("Escape")
        assert not page.get_by_role("button", name="Dark").is_visible() and page.evaluate(mode) == "light"
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Dark").click()
        assert not page.get_by_role("button", name="Dark").is_visible() and page.evaluate(mode) == "dark"
        page.goto(f"{address}/{LESSONS[1]}.html")
        assert page.evaluate(mode) == "dark"
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", [name for name in PAGES if "_images/" in _read(name)])
def test_the_text_of_a_screenshot_can_be_read_on_a_phone(browser, address, name) -> None:
    shares = "images => images.map(each => each.clientWidth / each.naturalWidth)"
    with browser.new_page(viewport={"width": 390, "height": 800}) as page:
        page.goto(f"{address}/{name}")
        found = page.locator(".bd-article p > img").evaluate_all(shares)
        assert all(share > 0.55 for share in found), found


def test_a_print_shows_the_text_and_the_figures_that_wait_but_nothing_to_click(browser, address) -> None:
    with browser.new_page() as page:
        page.goto(f"{address}/01_attention.html")
        page.emulate_media(media="print")
        assert all(each.is_visible() for each in page.locator(".hs-waits").all())
        for hidden in (".bd-sidebar-primary", ".bd-sidebar-secondary", ".hs-predict", ".hs-downloads"):
            assert not any(each.is_visible() for each in page.locator(hidden).all()), hidden


def test_a_print_is_black_on_white_in_the_dark_as_well(browser, address) -> None:
    with browser.new_page(color_scheme="dark") as page:
        page.goto(f"{address}/01_attention.html")
        theme = "document.documentElement.dataset.theme"
        for media, expected in (("screen", "dark"), ("print", "light"), ("screen", "dark")):
            page.emulate_media(media=media)
            page.wait_for_function(f"{theme} === '{expected}'")


def test_a_page_that_does_not_exist_leads_back_from_any_depth(browser, address) -> None:
    """As GitHub Pages serves it: in the place of the page that somebody asked for."""
    if not START:
        pytest.skip("built without SITE_URL")
    with browser.new_page() as page:
        page.route("**/far/away/*", lambda route: route.fulfill(path=MADE / "404.html"))
        page.goto(f"{address}/far/away/nothing.html")
        assert page.evaluate("[...document.styleSheets].length") > 1
        page.get_by_role("link", name="All lessons").click()
        assert page.url == f"{address}{START}index.html"


def test_with_an_address_there_are_a_sitemap_and_what_other_sites_show_of_a_page() -> None:
    if not (MADE / "sitemap.xml").is_file():
        pytest.skip("built without SITE_URL")
    known = {url.rpartition("/")[2]: url for url in re.findall(r"<loc>(.*?)</loc>", _read("sitemap.xml"))}
    assert {*known} == {*PAGES} - {"404.html", "search.html"}
    for name in [f"{lesson}.html" for lesson in LESSONS]:
        assert re.findall(r'rel="canonical" href="([^"]+)"', _read(name)) == [known[name]]
        [picture] = re.findall(r'property="og:image" content="[^"]*/([^/"]+)"', _read(name))
        assert (MADE / picture).is_file()
