"""A stranger in the child's place: whatever it sends, the judge alone decides.

No sandbox and no worker: the messages wait in the channel before the judge looks.
"""

import contextlib
import json
import math
import os
import shutil
import socket
import threading
import time
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograder import lessons, limits
from autograder.child import wire
from autograder.classroom.beside import kept_as
from autograder.classroom.course import course_directory
from autograder.grading import clean, clock, judge, submission, which_notebook
from autograder.grading.grader import questions
from autograder.grading.handed_in import Submission
from autograder.grading.lesson import Lesson
from autograder.grading.questions import Question, Sheets
from autograder.grading.submission import canonical
from autograder.results import Ended, Judgement
from autograder.sheets import HiddenSheets
from helpers.checking.calling.drivers import run
from helpers.checking.calling.outcome import Outcome
from helpers.checking.calling.values import decode, encode, map_tensors
from helpers.checking.sheet import Sheet
from tests.support.raising import nothing_else_raised, raises_only

LESSON, EXERCISE, OTHER = "01_attention", "attention.softmax", "attention.find_slip"
DIGEST = "of this test"


NO_MORE = b'{"cases": []}'


@dataclass
class Stranger:
    """What stands for a worker and its child: it says what it was told to say, whatever it hears."""

    says: list = field(default_factory=list)
    for_ever: dict | None = None
    interrupted: int = 0
    begun: float = math.inf
    foreign: bool = False

    def begin(self, files: object) -> socket.socket:
        ours, self.theirs = socket.socketpair()
        for message in self.says:
            wire.send(self.theirs, message)
        for does in (self.listen, self.talk):
            threading.Thread(target=does, daemon=True).start()
        return ours

    def listen(self) -> None:
        with contextlib.suppress(OSError):
            while heard := self.theirs.recv(1 << 20):
                if not self.says or NO_MORE in heard:  # what it has to say has been judged
                    self.begun = min(self.begun, time.monotonic())

    def talk(self) -> None:
        with contextlib.suppress(wire.WireError, OSError):  # closed meanwhile
            while self.for_ever:
                wire.send(self.theirs, self.for_ever)

    def interrupt(self) -> None:
        self.interrupted += 1
        assert self.interrupted < 10, "it is interrupted again and again"

    def times(self) -> clock.Times:
        used = max(0.0, time.monotonic() - self.begun)  # it has a core and uses it, from then on
        return clock.Times(used, 0.0, 0.0)

    def end(self) -> Ended:
        self.theirs.close()
        return Ended(signal=9)


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    return Lesson.load(LESSON, lessons.ROOT, course_directory(lessons.ROOT)[1])


@pytest.fixture(scope="module")
def hidden() -> HiddenSheets:
    return HiddenSheets(b"of this test")


@pytest.fixture
def judged(lesson, hidden):
    """Judges what a stranger says at the check of an exercise."""

    def judged(
        *says: object, at: str = EXERCISE, answer: str = "", lesson: Lesson = lesson, **how
    ) -> Judgement:
        skeleton = lesson.skeletons[LESSON]
        [cell] = [cell for cell in lesson.cells(skeleton, LESSON) if cell.exercise == at]
        cell = replace(cell, source=f"{answer}\n{cell.source}")
        stranger = how.pop("stranger", None) or Stranger(list(says))
        with nothing_else_raised():
            return judge.judge(stranger, [cell], questions(lesson, LESSON, hidden, DIGEST), **how)

    return judged


@pytest.fixture
def right(lesson, hidden):
    """The right outcomes of an exercise's hidden cases, as a child would send them."""
    return outcomes(lesson, hidden.of(lesson.exercises[EXERCISE], DIGEST))


@pytest.fixture
def visible(lesson):
    """The right outcomes of the visible cases, which are asked for first."""
    return outcomes(lesson, lesson.visible[EXERCISE])


def outcomes(lesson: Lesson, sheet: Sheet) -> list[dict]:
    exercise = lesson.exercises[sheet.exercise]
    answer = partial(run, exercise.driver, exercise.reference, gradients=exercise.gradients)
    return [answer(case).to_json() for case in sheet.cases]


ASK, DONE = {"ask": EXERCISE}, {"done": []}


def test_who_fails_is_judged_by_a_draw_that_known_right_answers_pass(lesson, hidden, visible, right):
    exercise, shown = lesson.exercises[EXERCISE], lesson.visible[EXERCISE]
    [cell] = [cell for cell in lesson.cells(lesson.skeletons[LESSON], LESSON) if cell.exercise == EXERCISE]
    other = hidden.draw(exercise, (hidden.number(DIGEST) + 1) % hidden.DRAWS)

    def verdict(explained: Sheet, *says: list[dict]) -> str:
        sheets = Sheets(shown, partial(hidden.of, exercise, DIGEST), lambda: explained)
        stranger = Stranger([ASK, *({"outcomes": each} for each in (visible, *says)), DONE])
        judgement = judge.judge(stranger, [cell], {EXERCISE: Question(EXERCISE, "", 1, sheets)})
        return judgement.verdicts[EXERCISE].status

    rights = outcomes(lesson, other)
    wrong = [{**each, "outputs": None} for each in right]
    assert verdict(other, wrong, rights) == "passed"
    assert verdict(other, wrong, right) == "failed"  # right for the first draw alone
    assert verdict(hidden.of(exercise, DIGEST), wrong) == "failed"  # asked for once


CALLER = "attention.scaled_dot_product"  # it calls EXERCISE's answer
FORBIDDEN = "scaled_dot_product_attention = torch.nn.functional.scaled_dot_product_attention"
AGAIN = {
    "both right": ([("visible", "hidden")], "", "passed"),
    "visible ones wrong": ([("wrong", "hidden")], "", "failed"),
    "hidden ones wrong": ([("visible", "visible")], "", "failed"),
    "right the second time": ([("wrong",), ("visible", "hidden")], "", "failed"),
    "forbidden": ([("visible", "hidden")], FORBIDDEN, "failed"),
}


@pytest.mark.parametrize(("asks", "answer", "status"), AGAIN.values(), ids=AGAIN)
def test_beside_a_solution_an_answer_has_to_pass_everything(lesson, hidden, asks, answer, status):
    """It is judged once more: by both sheets, by what it says first, and by what it names."""
    known = {cell.exercise: cell for cell in lesson.cells(lesson.skeletons[LESSON], LESSON)}
    cells = []
    for id in (EXERCISE, CALLER):
        cells.append(replace(known[id].answer, source=answer if id == CALLER else ""))
        cells.append(replace(known[id], answer=cells[-1]))
    says = {
        "visible": outcomes(lesson, lesson.visible[CALLER]),
        "hidden": outcomes(lesson, hidden.of(lesson.exercises[CALLER], DIGEST)),
        "wrong": [{"status": "raised"}] * len(lesson.visible[CALLER].cases),
    }
    wrong = {"outcomes": [{"status": "raised"}] * len(lesson.visible[EXERCISE].cases)}
    stranger = Stranger(
        [DONE, {"ask": EXERCISE}, wrong, DONE]
        + [DONE, {"ask": CALLER}, *([] if answer else [{"outcomes": says["wrong"]}]), DONE]
        + [DONE]  # the solution
        + [{"ask": CALLER}, DONE]  # the answer's cell, where nobody is asked for anything
        + [each for names in asks for each in ({"ask": CALLER}, *({"outcomes": says[n]} for n in names))]
        + [DONE]
    )
    asked = {id: each for id, each in questions(lesson, LESSON, hidden, DIGEST).items() if id in known}
    asked = {id: asked[id] for id in (EXERCISE, CALLER)}
    assert judge.judge(stranger, cells, asked).verdicts[CALLER].status == status


def test_right_outcomes_pass(judged, right, visible):
    """Else the tests below would prove nothing."""
    assert judged(ASK, {"outcomes": visible}, {"outcomes": right}, DONE).verdicts[EXERCISE].status == "passed"


NAMED = {
    "by attribute": "softmax = lambda x, dim: x.softmax(dim)",
    "by import": "from torch import softmax",
    "by getattr": "softmax = getattr(torch, 'soft' 'max')",
    "in other letters": "softmax = torch.ｓｏｆｔｍａｘ",  # to Python, the same name
}


@pytest.mark.parametrize("answer", NAMED.values(), ids=NAMED)
def test_an_answer_that_names_a_forbidden_function_fails_whatever_its_outcomes(
    answer, judged, right, visible
):
    verdict = judged(ASK, {"outcomes": visible}, {"outcomes": right}, DONE, answer=answer).verdicts[EXERCISE]
    assert (verdict.status, verdict.cause) == ("failed", "forbidden")


def test_an_answers_own_name_is_not_forbidden(judged, right, visible):
    answer = "def softmax(x, dim):\n    return softmax.__name__"
    says = [ASK, {"outcomes": visible}, {"outcomes": right}, DONE]
    assert judged(*says, answer=answer).verdicts[EXERCISE].status == "passed"


def test_which_exercise_a_check_is_about_is_not_asked(judged, right, visible):
    verdicts = judged(ASK, {"outcomes": visible}, {"outcomes": right}, DONE, at=OTHER).verdicts
    assert {verdict.status for verdict in verdicts.values()} <= {"failed", "not run"}


def test_the_first_outcomes_count(judged, right, visible):
    wrong = [right[0]] * len(right)
    says = [ASK, {"outcomes": wrong}, ASK, {"outcomes": visible}, {"outcomes": right}, DONE]
    assert judged(*says).verdicts[EXERCISE].status == "failed"


def test_the_hidden_cases_decide(judged, visible):
    says = [ASK, {"outcomes": visible}, {"outcomes": visible}, DONE]
    assert judged(*says).verdicts[EXERCISE].status == "failed"


def test_what_fails_before_the_students_eyes_fails(judged, right, visible):
    """Whatever the hidden draw, which may be easier."""
    wrong = [*visible[:-1], {"status": "raised", "error": "E"}]
    verdict = judged(ASK, {"outcomes": wrong}, {"outcomes": right}, DONE).verdicts[EXERCISE]
    assert (verdict.status, verdict.points) == ("failed", 0)


def test_work_in_float32_is_remarked_on_once_and_earns_all_points(lesson, hidden):
    ids = ["attention.softmax", "attention.scaled_dot_product"]  # the second builds on the first
    cells = {cell.exercise: cell for cell in lesson.cells(lesson.skeletons[LESSON], LESSON)}
    says = []
    for id in ids:
        sheets = (lesson.visible[id], hidden.of(lesson.exercises[id], DIGEST))
        says += [ASK, *({"outcomes": list(map(rounded, outcomes(lesson, sheet)))} for sheet in sheets), DONE]
    asked = questions(lesson, LESSON, hidden, DIGEST)
    verdicts = judge.judge(Stranger(says), [cells[id] for id in ids], asked).verdicts
    assert [verdicts[id].status for id in ids] == ["passed", "passed"]
    assert [verdicts[id].points == verdicts[id].max_points for id in ids] == [True, True]
    assert [bool(verdicts[id].remark) for id in ids] == [True, False]


def rounded(outcome: dict) -> dict:
    outputs = map_tensors(lambda t: t.float().to(t.dtype), decode(outcome["outputs"]))
    return {**outcome, "outputs": encode(outputs)}


def test_hidden_numbers_stay_hidden(judged, right, visible):
    """Where the visible cases explain nothing, the message is about a hidden one."""
    wrong = [{**right[0], "status": "raised", "error": "E", "message": "canary"}] * len(right)
    verdict = judged(*[ASK, {"outcomes": visible}, {"outcomes": wrong}, DONE]).verdicts[EXERCISE]
    assert verdict.status == "failed"
    assert "canary" not in verdict.message + verdict.html


def test_a_test_that_runs_beside_the_code_is_not_judged_by_outcomes(judged, lesson, right):
    plain = replace(lesson, visible={})
    verdicts = judged(ASK, {"outcomes": right}, DONE, lesson=plain).verdicts
    assert verdicts[EXERCISE].status != "passed"


BROKEN = {
    "a list": [[]],
    "a number": [5],
    "a verdict": [{"verdict": "passed"}],
    "a verdict for outcomes": [ASK, {"verdict": "passed"}],
    "no outcomes": [ASK, {"outcomes": []}],
    "no list of outcomes": [ASK, {"outcomes": {"0": "passed"}}],
    "outcomes that are none": [ASK, {"outcomes": ["passed"]}],
}


@pytest.mark.parametrize("says", BROKEN.values(), ids=BROKEN)
def test_whoever_speaks_out_of_turn_is_stopped(says, judged, right):
    stopped(judged(*says, {"outcomes": right}, DONE))


def stopped(judgement: Judgement) -> None:
    assert "broken" in judgement.stopped
    assert judgement.verdicts[EXERCISE].status == "not run"


@pytest.mark.parametrize("change", [lambda all: all + all[:1], lambda all: all[:-1]], ids=["more", "fewer"])
def test_outcomes_are_as_many_as_cases(change, judged, right, visible):
    stopped(judged(ASK, {"outcomes": visible}, {"outcomes": change(right)}, DONE))


@pytest.mark.parametrize("name", ["error", "message", "where"])
def test_a_text_without_end_is_no_outcome(name, judged, right, visible):
    long = [{**right[0], name: "x" * 1001}] * len(right)
    stopped(judged(ASK, {"outcomes": visible}, {"outcomes": long}, DONE))


STRANGE = {
    "no dict": [],
    "unknown parts": {"status": "returned", "points": 3},
    "no status": {"outputs": 1},
    "another status": {"status": "passed"},
    "a status of another type": {"status": ["returned"]},
    "another text": {"status": "raised", "error": ["E"]},
    "another message": {"status": "raised", "message": 5},
    "another line": {"status": "raised", "where": {}},
    "inputs in a dict": {"status": "returned", "inputs_after": {}},
    "inputs in a text": {"status": "returned", "inputs_after": "as they were"},
    "gradients as given": {"status": "returned", "gradients": "as given"},
    "gradients in a text": {"status": "returned", "gradients": "none"},
    "a size in a text": {"status": "returned", "largest": "5"},
    "seconds in a text": {"status": "interrupted", "seconds": "5"},
    "a type that is no text": {"status": "returned", "outputs": {"$type": 5}},
    "a malformed tensor": {
        "status": "returned",
        "outputs": {"$tensor": "float32", "shape": [2], "data": [1]},
    },
}


@pytest.mark.parametrize("value", STRANGE.values(), ids=STRANGE)
def test_what_is_no_outcome_is_refused(value):
    with raises_only(ValueError):
        Outcome.from_json(value)


# -- without end -----------------------------------------------------------------------------------------


def test_whoever_displays_without_end_is_stopped(judged, monkeypatch):
    monkeypatch.setattr(judge, "OUTPUT_CHARACTERS", 50_000)
    """Where a page would be large, too: there `&` is `&amp;`, and a colour a tag of some 60 characters."""

    def stream(text: str) -> dict:
        return {"output_type": "stream", "name": "stdout", "text": text}

    assert not judged({"done": [stream("x" * 40_000)]}).stopped
    for outputs in (
        [stream("x" * 60_000)],
        [stream("x")] * 60,
        [stream("&" * 20_000)],
        [stream("\x1b[31m" * 1000)],
    ):
        judgement = judged({"done": outputs})
        assert judgement.stopped
        assert not judgement.outputs


@pytest.mark.timeout(60)
@pytest.mark.parametrize("for_ever", [None, ASK], ids=["is silent", "asks on"])
def test_whoever_does_not_end_is_interrupted_once_and_given_up(for_ever, judged, right, visible, monkeypatch):
    monkeypatch.setattr(judge, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(
        clock, "WALL_PER_CPU", 10_000
    )  # or a busy machine could have it stopped before it is judged
    stranger = Stranger([ASK, {"outcomes": visible}, {"outcomes": right}], for_ever)
    judgement = judged(stranger=stranger, cell_seconds=0.2)
    assert "interrupted" in judgement.stopped
    assert stranger.interrupted == 1
    assert judgement.verdicts[EXERCISE].status == "passed"  # what was judged before stands


@pytest.mark.timeout(60)
def test_a_notebook_has_its_time(judged, monkeypatch):
    monkeypatch.setattr(judge, "GRACE_SECONDS", 0.2)
    monkeypatch.setattr(judge, "NOTEBOOK_SECONDS", 0.2)
    assert judged(stranger=Stranger(), cell_seconds=1000).stopped
    monkeypatch.setattr(judge, "NOTEBOOK_SECONDS", -1)
    assert judged(DONE).stopped


def test_what_a_cell_displays_is_cleaned(judged):
    page = {"output_type": "display_data", "data": {"text/html": "<script>alert(1)</script>"}, "metadata": {}}
    [outputs] = judged({"done": [page]}).outputs.values()
    assert "script" not in json.dumps(outputs)


# -- values, pages and files -----------------------------------------------------------------------------


def test_a_tensor_beyond_measure_is_refused():
    with raises_only(ValueError):
        decode({"$tensor": "bool", "shape": [1001, 1000], "data": [False] * 1_001_000})


def test_half_characters_go_no_further():
    outcome = Outcome.from_json({"status": "raised", "message": "\ud800", "outputs": {"\ud800": "\ud800"}})
    with nothing_else_raised():
        json.dumps([outcome.message, outcome.outputs], ensure_ascii=False).encode()


def shown(**data: str) -> dict:
    raw = {
        "output_type": "display_data",
        "data": {name.replace("_", "/"): text for name, text in data.items()},
    }
    [output] = clean.clean_outputs([raw])
    return output["data"]


def test_displays_are_text_pages_and_pictures():
    assert shown(application_javascript="alert(1)", image_svg="<svg/>", text_latex="x", text_plain="x") == {
        "text/plain": "x"
    }
    assert shown(image_png="AA==") == {"image/png": "AA=="}
    assert shown(image_png='AA=="><script>alert(1)</script>') == {}


@pytest.mark.parametrize("text", ["\x1b[m" * (clean.MAX_COLOURS + 1), "\x1b[m" * 1000 + "x" * 30_000])
def test_colours_beyond_their_bounds_are_dropped(text):
    assert "\x1b" not in shown(text_plain=text)["text/plain"]
    assert "\x1b" in shown(text_plain=text[:400])["text/plain"]


WORDS = {
    "&#106;avascript": "&amp;#106;avascript",
    "<img src=x onerror=alert(1)>": "< img src=x onerror=alert(1)>",
    "[a](javascript:alert(1))": "[a] (javascript:alert(1))",
    "[a]: javascript:alert(1)": "[a] : javascript:alert(1)",
    "![a](https://elsewhere.org/a.png)": "! [a](https://elsewhere.org/a.png)",
    "[a](../logout)": "[a] (../logout)",
    "~~~c++\nx": "~~~\nx",
    "x" * 60_000: "x" * clean.MAX_WORDS + " … (cut: 60,000 characters)",
    "$" * 501: "formula " * 501,
    "$" * 499 + "x" * 45_000: "formula " * 499 + "x" * 45_000,
    "[a](https://example.org), ![b](b.png) and $x < y$": "[a](https://example.org), ![b](b.png) and $x < y$",
}


@pytest.mark.parametrize(("written", "shown"), WORDS.items(), ids=[text[:20] for text in WORDS])
def test_words_lose_what_would_run_or_take_long(written, shown):
    cell = new_markdown_cell(written, attachments={"a.svg": {"image/svg+xml": "<svg/>"}})
    clean.clean_words(cell)
    assert cell.source == shown
    assert "attachments" not in cell


@pytest.mark.parametrize(
    "code", ["x\n" * 15_000, "x = 1" + "." * 200, "x" + " " * 200], ids=["long", "dots", "blanks"]
)
def test_code_that_takes_long_to_colour_is_text(code):
    cell = new_code_cell(code)
    clean.clean_code(cell)
    assert (cell.source[:1], cell.outputs[0].text) == ("#", code)


def test_a_file_that_a_browser_would_run_is_kept_as_text():
    names = ("page.html", "PAGE.HTM", "picture.svg", "run.js", "page.xhtml", "page.xml", "a.txt.html")
    assert [kept_as(name) for name in names] == [f"{name}.txt" for name in names]
    assert kept_as("folder/notes.txt") == "folder/notes.txt"


@pytest.fixture
def folder(tmp_path, lesson):
    """A submission as it was released."""
    folder = tmp_path / "submitted" / "amy" / LESSON
    folder.mkdir(parents=True)
    nbformat.write(lesson.skeletons[LESSON], folder / f"{LESSON}.ipynb")
    return folder


@pytest.fixture
def read(folder, lesson):
    """Brings it into canonical form."""
    return lambda: canonical(Submission("amy", LESSON, folder), lesson.skeletons[LESSON])


def test_what_is_handed_in_can_be_read(read):
    assert not read().problem


def test_a_hard_link_is_not_followed(read, folder, tmp_path):
    os.link(folder / f"{LESSON}.ipynb", tmp_path / "elsewhere")
    assert "link" in read().problem


def test_a_folder_that_is_a_link_is_not_followed(read, folder, tmp_path):
    folder.rename(tmp_path / "elsewhere")
    folder.symlink_to(tmp_path / "elsewhere")
    assert "link" in read().problem
    folder.unlink()
    (tmp_path / "elsewhere").rename(folder)
    folder.parent.rename(tmp_path / "elsewhere")
    folder.parent.symlink_to(tmp_path / "elsewhere")
    assert "link" in read().problem


@pytest.mark.promise(27)
@pytest.mark.parametrize(
    ("inner", "file"),
    [("", "timestamp.txt"), ("inner", "answer.csv"), ("inner", "second.ipynb")],
    ids=["submission", "inner", "notebook"],
)
def test_a_folder_that_becomes_a_link_while_it_is_read_is_not_followed(
    inner, file, folder, tmp_path, monkeypatch
):
    """Between the look at it and the reading: whoever can write there may try that as often as they like."""
    (folder / "inner").mkdir()
    (folder / "timestamp.txt").write_text("2027-01-02 12:00:00 UTC")
    (folder / "inner" / "answer.csv").write_text("theirs")
    shutil.copy(folder / f"{LESSON}.ipynb", folder / "inner" / "second.ipynb")
    bait = tmp_path / "bait"
    shutil.copytree(folder, bait)
    (bait / "inner" / "answer.csv").write_text("bait")
    for notebook in bait.rglob("*.ipynb"):
        raw = json.loads(notebook.read_text())
        raw["cells"][-1]["source"] = "bait"
        notebook.write_text(json.dumps(raw))
    swapped, opened = folder / inner, os.open

    def lose(path, *flags, **options):
        if Path(path).name == file and not swapped.is_symlink():
            swapped.rename(tmp_path / "elsewhere")
            swapped.symlink_to(bait / swapped.relative_to(folder))
        return opened(path, *flags, **options)

    monkeypatch.setattr(os, "open", lose)
    found = submission.handed_in(Submission("amy", LESSON, folder))
    assert swapped.is_symlink() and swapped.exists()
    # Once it is a link, the next walk through the submission doesn't enter it.
    assert found.files == ({} if file == "second.ipynb" else {"inner/answer.csv": b"theirs"})
    assert found.notebooks and not any(b"bait" in each.content for each in found.notebooks)


def test_a_file_that_grows_while_it_is_read_has_its_limit(folder, monkeypatch):
    look = os.fstat
    (folder / "log.csv").write_text("x" * 10)

    def look_and_grow(descriptor):
        found = look(descriptor)
        if found.st_size == 10:
            (folder / "log.csv").write_text("x" * 2 * limits.MAX_FILES_BYTES)
        return found

    monkeypatch.setattr(os, "fstat", look_and_grow)
    found = submission.handed_in(Submission("amy", LESSON, folder))
    assert len(found.files["log.csv"]) == limits.MAX_FILES_BYTES


def test_a_notebook_beyond_measure_is_not_read(read, monkeypatch):
    monkeypatch.setattr(which_notebook, "MAX_NOTEBOOK", 1000)
    assert "limit" in read().problem


def test_files_come_along_but_for_links_and_ours(read, folder, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    for name in ("secret.txt", "key.txt"):
        (tmp_path / "elsewhere" / name).write_text("canary")
    (folder / "linked").symlink_to(tmp_path / "elsewhere")
    (folder / "link.txt").symlink_to(tmp_path / "elsewhere" / "secret.txt")
    os.link(tmp_path / "elsewhere" / "secret.txt", folder / "hard.txt")
    (folder / "helpers").mkdir()
    for name in ("checks.json", "helpers/checks.py", "mine.py"):
        (folder / name).write_text("x")
    (folder / "timestamp.txt").write_text("x" * 2000)
    form = read()
    assert list(form.files) == ["mine.py"]
    assert form.records == {"timestamp.txt": b""}


def test_only_so_many_files_come_along(read, folder):
    for number in range(limits.MAX_FILES + 10):
        (folder / f"{number}.txt").write_text("x")
    assert len(read().files) == limits.MAX_FILES


def test_an_added_cell_is_code_or_text(read, folder):
    raw = json.loads((folder / f"{LESSON}.ipynb").read_text())
    raw["cells"].append({"cell_type": "raw", "source": "<script>alert(1)</script>", "metadata": {}})
    (folder / f"{LESSON}.ipynb").write_text(json.dumps(raw))
    added = read().notebook.cells[-1]
    assert (added.cell_type, added.source) == ("markdown", "<script>alert(1)</script>")


@pytest.mark.promise(15)
@pytest.mark.parametrize(
    "value", [[[0.1]] * 10_000, [0.1] * 10_000, {str(n): 1 for n in range(10_000)}, [[[1] * 99] * 99]]
)
def test_more_values_than_anybody_asks_for_are_not_compared(value, monkeypatch):
    """Each would be compared with the right result and with every known mistake's: for hours."""
    large = Outcome("returned", value, inputs_after=value, gradients=value)
    small = Outcome("returned", [[0.1]] * 100, inputs_after=[[1.0], {}])
    monkeypatch.setattr(judge, "read_outcomes", lambda *_: [large, small])
    run_of = judge._Run.__new__(judge._Run)
    run_of._send = run_of._receive = lambda *_: None
    found = run_of.ask(SimpleNamespace(driver="call", request=b"", cases=[1, 2]))
    assert found[1] == small
    assert found[0].outputs.type_name == "list of over 5,000 values"
    assert found[0].inputs_after is None and found[0].gradients is None
    draws = SimpleNamespace(driver="draws", request=b"", cases=[1, 2])
    assert run_of.ask(draws) == [large, small]
