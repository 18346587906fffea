"""What the website says of answers is what the check says, and nothing on it gives a right answer away."""

import ast
import html
import json
import re
from collections import Counter
from dataclasses import replace

import nbformat
import pytest
from nbformat import v4

from autograder import answers as code_of
from autograder import exercises, lessons
from autograder.authoring.site import answers, building, pages, repeating, sample
from autograder.exercise import Misconception
from autograder.lessons import ROOT
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers.figures.live import live
from tests.support.proved import follows_from

pytestmark = follows_from(
    "autograder", "exercises", "helpers", "notebooks", "docs", "README.md", "release/01_attention"
)
SOFTMAX = "attention.softmax"
CLOCK = re.compile(r"perf_counter|process_time|monotonic|timeit|\bclock\(\)|\btime\.time\(")


@pytest.fixture(scope="module")
def softmax():
    spec = exercises.load("attention")[SOFTMAX]
    return spec, make_sheet(spec, VISIBLE_SEED)


def test_a_gallery_has_three_wrong_answers_with_what_the_check_says_of_them(softmax):
    spec, sheet = softmax
    page = html.unescape(answers.gallery(spec, sheet))
    assert page.count("<li>") == 3 == page.count("✗ Softmax")
    sentences = [wrong.sentence for wrong in spec.misconceptions if wrong.sentence in page]
    assert len(sentences) == 3


def test_a_gallery_says_how_many_wrong_answers_it_has(softmax):
    spec, sheet = softmax
    for count, said in ((1, "A wrong answer,"), (2, "Two wrong answers,")):
        page = answers.gallery(replace(spec, misconceptions=spec.misconceptions[:count]), sheet)
        assert page.count("<li>") == count == page.count("<pre>") and f"<summary>{said}" in page


total = 1  # what `mean` finds without its line


def mean(values, weights):
    heavy = values * weights
    total = weights.sum()
    return heavy.sum() / total


def slips(*edits):
    made = [Misconception(edit, code_of.slip(edit, mean, [edit]), edit) for edit in edits]
    spec = exercises.load("attention")[SOFTMAX]
    return replace(spec, reference=mean, alternatives=(), misconceptions=tuple(made))


@pytest.mark.parametrize(
    ("edits", "shown"),
    [
        # Each shows what the other has wrong; none has the right sign; the right words in another order.
        (["values * → values +", "* weights → * total"], [0]),
        (["values * → values +", "values * → values -", "values * → values @"], [0, 1, 2]),
        (["heavy.sum() → total", "heavy.sum() / total → total / heavy.sum()"], [0]),
        # They are about two lines; they look alike; the first only leaves a line out.
        (["/ total →", "/ total → / 2", "values * → values +"], [0, 1, 2]),
        (["/ total →", "/ total → "], [0]),
        (["    total = weights.sum()\n →", "values * → values +"], [1, 0]),
    ],
)
def test_wrong_answers_of_one_line_are_shown_together_if_no_reader_can_put_it_together(edits, shown):
    assert [wrong.name for wrong, _ in answers.chosen(slips(*edits))] == [edits[each] for each in shown]


def test_nearly_every_gallery_shows_code_for_three_and_no_entry_lacks_both_code_and_a_reason():
    counts = Counter()
    for topic in map(lessons.topic, lessons.names()):
        for spec in exercises.load(topic).values():
            if spec.driver != "choice":
                shown = answers.chosen(spec)
                counts[sum(bool(code) for _, code in shown)] += 1
                assert shown, spec.id
                for wrong, code in shown:  # a step is missing: it is a right answer with lines left out
                    assert code or _is_part(wrong.variant, spec), (spec.id, wrong.name)
    assert counts[3] >= 125 and not counts[0], counts


def _is_part(answer, spec):
    for right in (spec.reference, *spec.alternatives):
        lines = iter(code_of.code(right).split("\n"))
        if all(line in lines for line in code_of.code(answer).split("\n")):
            return True
    return False


@pytest.mark.parametrize("topic", ["attention", "multihead", "masking"])
def test_no_line_that_is_shown_is_one_of_the_nearest_right_answer(topic):
    for spec in exercises.load(topic).values():
        rights = [] if spec.driver == "choice" else [spec.reference, *spec.alternatives]
        known = [set(map(str.strip, code_of.code(right).split("\n"))) for right in rights]
        for wrong in spec.misconceptions if rights else ():
            shown = {line.strip() for line in answers.wrong_lines(spec, wrong).split("\n")}
            assert any(not shown - {answers.LEFT_OUT, ""} & lines for lines in known), wrong.name


def test_a_choice_gets_the_checks_sentences_and_only_the_right_one_passes():
    spec = exercises.load("multihead")["multihead.recall_softmax"]
    page = answers.choices(spec, make_sheet(spec, VISIBLE_SEED))
    table = json.loads(re.search(r"<script[^>]*>(.*?)</script>", page)[1])
    said = {
        key: (status, [" ".join(table["pieces"][n] for n in part) for part in parts])
        for key, (status, *parts) in table["said"].items()
    }
    assert [key for key, (status, _) in said.items() if status == "passed"] == ["3,2"]
    assert said["0,2"][1][3:5] == ["likely cause", "Line 1 does what it should: the slip is in another."]


def test_an_output_keeps_its_picture_and_loses_what_needs_a_kernel(tmp_path):
    picture = '<img alt="a" src="data:image/svg+xml;base64,PHN2Zy8+">'
    view = {"application/vnd.jupyter.widget-view+json": {}, "text/plain": ""}
    number = "headstart-" + "0123456789abcdef" * 2
    still = f'<style>x</style><div class="{number}-still">{picture}</div><script>y()</script>'
    place = '<div class="{}-still"><div class="headstart-live">z</div><script>const data = {{}};z({})</script></div>'
    both = place.format(number, number)
    cell = v4.new_code_cell(
        "explore()",
        outputs=[
            v4.new_output("display_data", data) for data in (view, {"text/html": still}, {"text/html": both})
        ],
    )
    shown = pages.outputs_of("explore()", v4.new_notebook(cells=[cell]), tmp_path)
    [file] = tmp_path.iterdir()
    alike = place.format("headstart-view", "headstart-view")
    assert shown == f'<div class="still"><img alt="a" loading="lazy" src="figures/{file.name}"></div>{alike}'
    assert file.read_bytes() == b"<svg/>"


def test_what_is_large_in_an_explorer_s_numbers_is_in_one_file_for_all_that_have_it(tmp_path):
    module, weights = ROOT / "helpers/attention/reads.js", ["</script>" * 1000, 2000 * [1]]
    made = [live(module, {"a": text, "weights": weights}, "still").html for text in ("<1>", "2")]
    first, second = (pages._lasting(page, tmp_path) for page in made)
    [file] = tmp_path.glob("*.js")
    key, text = file.stem, json.dumps(weights, separators=(",", ":")).replace("<", r"\u003c")
    assert file.read_text() == f'(self.headstart ??= {{}})["{key}"] = {text}'
    for page, a in ((first, r"\u003c1>"), (second, "2")):
        assert page.startswith(f'<script src="figures/{key}.js"></script><div class="headstart-live"')
        assert f'const data = {{"a":"{a}","weights":headstart["{key}"]}}, source = "' in page
        assert len(page) < 40_000


def test_formulas_in_folded_hints_are_marked_and_code_with_dollars_elsewhere_is_left_alone():
    text = "costs $5 <details><summary>Hint</summary>Which $c < 0$?</details> and $d$"
    span = '<span class="math">\\(c &lt; 0\\)</span>'
    assert pages._prose(text) == f"costs $5 <details><summary>Hint</summary>Which {span}?</details> and $d$"


def test_a_line_that_starts_with_a_percent_sign_is_shown(tmp_path):
    text, shown = "We hide **40\n%** of it.\n%env A=1", "We hide **40\n\\%** of it.\n%env A=1"
    assert pages._prose(text) == shown
    told = v4.new_code_cell("", outputs=[v4.new_output("display_data", {"text/markdown": text})])
    assert pages._outputs(told, tmp_path)[0].data == {"text/markdown": shown}


def test_a_figure_waits_for_all_of_its_predictions(tmp_path):
    cell = v4.new_code_cell(
        'with (\n    after_predicting("a.b", told=False),\n    after_predicting("a.c"),\n): ...'
    )
    [shown] = pages._shown(cell, cell, {}, {}, tmp_path)
    assert shown.metadata.tags == ["waits-a-b", "waits-a-c"]


def test_pictures_that_differ_in_the_names_of_their_clips_are_one():
    svg = '<clipPath id="{0}"/><g clip-path="url(#{0})"/><g clip-path="url(#{1})"/>'
    one, other = (
        svg.format(*ids).encode() for ids in (("p0123456789", "pfedcba9876"), ("pbbd1e90ec9", "ped992c4588"))
    )
    expected = b'<clipPath id="clip0"/><g clip-path="url(#clip0)"/><g clip-path="url(#clip1)"/>'
    assert pages._numbered(one) == pages._numbered(other) == expected


def test_the_report_that_everybody_may_read_does_not_say_when_it_was_made():
    template = (ROOT / "autograder/classroom/reports/templates/lesson.html.j2").read_text(encoding="utf-8")
    assert "strftime" in template and "strftime" not in sample.WHEN.sub("", template)


def test_what_is_printed_in_pieces_is_shown_as_one_and_warnings_are_not(tmp_path):
    pieces = [("stdout", "a\n"), ("stderr", "a path of this machine"), ("stdout", "b\n")]
    outputs = [v4.new_output("stream", name=name, text=text) for name, text in pieces]
    [shown] = pages._outputs(v4.new_code_cell("", outputs=outputs), tmp_path)
    assert shown.text == "a\nb\n"


def test_how_fast_and_when_a_lesson_ran_is_left_out(tmp_path):
    said = 'The model "reviews" was trained here on 2026-11-26 at 13:51. training.forget(...) removes it.\n'
    bar = '<label><progress value="1"></progress> Runs: 4 of 4 · 00:03, 00:00 left</label>'
    outputs = [
        v4.new_output("stream", text=said),
        v4.new_output("display_data", {"text/html": bar, "text/plain": "Runs: 4 of 4"}),
        v4.new_output("stream", text=f"loss 2.1\n{said}"),
    ]
    [shown] = pages._outputs(v4.new_code_cell("", outputs=outputs), tmp_path)
    assert shown.text == "loss 2.1\n"


def test_what_was_made_on_this_machine_and_when_is_left_out_of_runs_too(tmp_path):
    said = (
        'These runs were made here, the last on 2026-11-27 at 02:42. training.forget("depth") removes them.\n'
    )
    some = said.replace("These runs", "3 of these 9 runs")
    outputs = [v4.new_output("stream", text=f"{said}{some}kept\n")]
    [shown] = pages._outputs(v4.new_code_cell("", outputs=outputs), tmp_path)
    assert shown.text == "kept\n"


def test_a_cell_gets_the_times_that_were_measured_once_and_measures_what_is_new(tmp_path):
    cells, measured = ["", "# How long\nseconds(f)"], iter([0.12345, 0.5])
    times = {repeating.name_of(cells[1]): [0.25]}
    file = tmp_path / repeating.USED
    seconds = repeating._known_first(lambda *_, laps: next(measured), times, cells, file)
    assert [seconds(print), seconds(print)] == [0.25, 0.123]
    cells.append(cells[1] + "  # changed")
    assert seconds(print) == 0.5
    assert [*json.loads(file.read_text()).values()] == [[0.25, 0.123], [0.5]]


def test_new_times_are_kept_and_known_ones_change_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(repeating, "TIMES", tmp_path / "times.json")
    used = {"0123abcd # How long": [0.25, 1e-05]}
    (tmp_path / repeating.USED).write_text(json.dumps(used))
    repeating.keep("01_attention", tmp_path)
    assert repeating.known("01_attention") == used and "timed anew" in capsys.readouterr().out
    before = repeating.TIMES.stat().st_mtime_ns
    repeating.keep("01_attention", tmp_path)
    assert repeating.TIMES.stat().st_mtime_ns == before and not capsys.readouterr().out


def test_each_time_that_is_kept_is_of_a_cell_that_is_there():
    """Else the cell has changed, and `make site` has to time it anew."""
    for lesson, times in json.loads(repeating.TIMES.read_text(encoding="utf-8")).items():
        cells = [cell.source for cell in lessons.load_source_notebook(lesson).cells if cell.source.strip()]
        assert {*times} <= {repeating.name_of(source) for source in cells}, lesson


@pytest.mark.parametrize("lesson", lessons.names())
def test_a_cell_measures_time_by_what_is_kept_or_its_output_is_left_out(lesson):
    for cell in lessons.load_source_notebook(lesson).cells:
        if cell.cell_type == "code" and CLOCK.search(cell.source):
            nodes = {type(node) for node in ast.parse(cell.source).body}
            defines = nodes <= {ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign}
            assert defines or any(call in cell.source for call in pages.PERSONAL), cell.source


@pytest.mark.parametrize("place", ["", "https://github.com/somebody/headstart"])
def test_the_docs_link_to_the_repository_where_it_is_published(tmp_path, monkeypatch, place):
    monkeypatch.setattr(building, "repository", lambda: place)
    names = building._docs(tmp_path)
    assert {f"{name}.md" for name in names} == {path.name for path in (ROOT / "docs").glob("*.md")}
    text = (tmp_path / "elsewhere.md").read_text() + (tmp_path / "commands.md").read_text()
    assert "](../" not in text
    assert (f"]({place}/blob/main/CONTRIBUTING.md#add-" in text) == bool(place)


def test_the_page_for_what_does_not_exist_is_found_from_any_depth(tmp_path):
    page = '<html data-content_root="./"><a href="index.html"><img src="_static/a.svg"><a href="#b"><a href="https://c">'
    (tmp_path / "404.html").write_text(page)
    (tmp_path / "index.html").touch()
    building._with_address(tmp_path, "https://somebody.github.io/headstart")
    assert (tmp_path / "404.html").read_text() == (
        '<html data-content_root="/headstart/./"><a href="/headstart/index.html">'
        '<img src="/headstart/_static/a.svg"><a href="#b"><a href="https://c">'
    )
    found = re.findall("<loc>(.*?)</loc>", (tmp_path / "sitemap.xml").read_text())
    assert found == ["https://somebody.github.io/headstart/index.html"]


def test_a_students_answers_are_left_out_of_the_feedback_that_everybody_may_read(tmp_path):
    path = tmp_path / "lesson.ipynb"
    path.write_text((ROOT / "release/01_attention/01_attention.ipynb").read_text())
    before = nbformat.read(path, as_version=4)
    sample._without_answers(path)
    for cell, was in zip(nbformat.read(path, as_version=4).cells, before.cells, strict=True):
        assert cell.source == (sample.LEFT_OUT if lessons.kind(was) == "exercise" else was.source)
