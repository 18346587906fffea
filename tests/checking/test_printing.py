"""What an answer prints while it is checked is shown once, folded below the verdict, and hides nothing else."""

import contextlib
import io
import json
import logging
import os
import re
import subprocess
import sys
import threading
from html import unescape

import pytest
import torch
from jupyter_client.manager import start_new_kernel

from autograder.classroom import feedback
from autograder.exercise import Exercise
from autograder.grading.outcomes import Stopped, read_outcomes
from autograder.sheets import make_sheet
from helpers import checks
from helpers.checking.calling.drivers import run
from helpers.checking.calling.outcome import Case
from helpers.checking.calling.printing import KEPT, captured
from helpers.checking.finding import printed_lines
from helpers.checks import CheckFailed, Finding, Status, assess
from tests.support.course import LESSON, Course
from tests.support.limits import PATIENCE

RIGHT = "    e = torch.exp(x - x.amax(dim=dim, keepdim=True))\n    return e / e.sum(dim=dim, keepdim=True)\n"


# -- what is kept ----------------------------------------------------------------------------------------


def test_everything_that_python_prints_is_kept_and_the_streams_are_as_before(capsys):
    before = {name: dict(vars(getattr(sys, name))) for name in ("stdout", "stderr")}
    logger, handler = logging.getLogger("kept"), logging.StreamHandler(sys.stderr)
    logger.addHandler(handler)
    stream = sys.stdout  # as a progress bar has one from before
    with captured() as printed:
        print("one")
        print("two", file=sys.stderr)
        logger.warning("three")
        stream.writelines(["four\n"])
        thread = threading.Thread(target=print, args=("five",))
        thread.start()
        thread.join()
    logger.removeHandler(handler)
    for number in ("one", "two", "three", "four", "five"):
        assert number in str(printed)
    assert capsys.readouterr() == ("", "")
    print("after")
    assert capsys.readouterr().out == "after\n"
    assert {name: dict(vars(getattr(sys, name))) for name in ("stdout", "stderr")} == before


def test_output_without_end_is_kept_to_its_beginning_and_its_end():
    with captured() as printed:
        for number in range(100_000):
            print(number)
        print("x" * 10_000_000)
        print("the end")
    text = str(printed)
    assert len(text) < 2 * KEPT and text.startswith("0\n1\n2\n") and text.endswith("x\nthe end\n")
    [left_out] = re.findall(r"… ([\d,]+) characters left out …", text)
    assert int(left_out.replace(",", "")) == sum(len(f"{n}\n") for n in range(100_000)) + 10_000_009 - KEPT


def test_a_thread_of_before_prints_as_before(capsys):
    """A training in the background isn't the answer."""
    go, done = threading.Event(), threading.Event()
    thread = threading.Thread(target=lambda: (go.wait(), print("in the background"), done.set()))
    thread.start()
    with captured() as printed:
        go.set()
        done.wait()
    thread.join()
    assert str(printed) == "" and capsys.readouterr().out == "in the background\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_process_of_the_answer_s_prints_as_before():
    """What it kept would end with it."""
    code = (
        "import os\nfrom helpers.checking.calling.printing import captured\nwith captured():\n"
        "    if not os.fork():\n        print('from a child', flush=True)\n        os._exit(0)\n    os.wait()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "from a child\n"


def test_who_asks_something_is_seen_with_what_was_printed_before(capsys, monkeypatch):
    seen = []

    def answer(prompt):
        seen.append((capsys.readouterr().out, prompt))
        return "c"

    monkeypatch.setattr("builtins.input", answer)
    with captured() as printed:
        print("hidden no more")
        with captured() as inner:  # as the call for gradients is
            print("nor this")
            assert input("(Pdb) ") == "c"
            print("and this at once")
    assert seen == [("hidden no more\nnor this\n", "(Pdb) ")] and input is answer
    assert (str(printed), str(inner)) == ("", "") and capsys.readouterr().out == "and this at once\n"


def test_a_stream_that_allows_nothing_or_is_none_costs_no_check(monkeypatch):
    class Slotted:
        __slots__ = ("text",)

        def write(self, text):
            self.text = text

    for stream in (Slotted(), None):
        monkeypatch.setattr(sys, "stdout", stream)
        with captured():
            print("somewhere")
    with contextlib.redirect_stdout(io.StringIO()) as theirs, captured() as printed:
        print("kept")
    assert theirs.getvalue() == "" and str(printed) == "kept\n"


# -- what is shown ---------------------------------------------------------------------------------------


def cases(generator):
    x = torch.randn(2, 3, generator=generator)
    return [Case("rows", (x, 1)), Case("columns", (x, 0)), Case("in float64", (x.double(), 0))]


def weigh(x, dim):
    return x.softmax(dim)


EXERCISE = Exercise(
    id="topic.weigh",
    title="Weigh",
    points=3,
    reference=weigh,
    cases=cases,
    properties=(checks.gradient_reaches_inputs,),
)
SHEET = make_sheet(EXERCISE, "visible")


def outcomes(answer):
    how = {"gradients": SHEET.wants_gradients, "forbidden": SHEET.forbidden}
    return [run(SHEET.driver, answer, case, **how) for case in SHEET.cases]


def loud(x, dim):
    print(f"dim is {dim}, {x.dtype}")
    return x.softmax(dim)


def loud_and_wrong(x, dim):
    print(f"dim is {dim}")
    return x.softmax(1)


def test_each_case_runs_twice_and_what_the_first_one_printed_is_shown_once():
    finding = assess(SHEET, outcomes(loud))
    assert finding.text().split("\n") == [
        "✓ Weigh · 3 of 3 cases · 3 points",
        "  printed        in case 1 of 3: rows",
        "    │ dim is 1, torch.float32",
    ]
    assert finding.html().count("dim is") == 1


def test_of_a_wrong_answer_the_case_that_failed_is_shown_or_else_one_that_printed():
    finding = assess(SHEET, outcomes(loud_and_wrong))
    assert (finding.printed, finding.printed_in) == ("dim is 0\n", "case 2 of 3: columns")

    def raises(x, dim):
        if dim == 1:
            print("all is well")
            return x.softmax(1)
        raise ValueError

    finding = assess(SHEET, outcomes(raises))
    assert finding.case.startswith("case 2") and finding.printed_in == "case 1 of 3: rows"


def test_what_was_printed_before_it_raised_or_was_stopped_is_there():
    def stopped(x, dim):
        print("before")
        raise KeyboardInterrupt

    assert [outcome.printed for outcome in outcomes(stopped)[:1]] == ["before\n"]
    assert "before" in assess(SHEET, outcomes(stopped)).text()


@pytest.mark.promise(56)
def test_nothing_that_was_printed_in_a_hidden_case_is_shown():
    for answer in (loud, loud_and_wrong):
        finding = assess(SHEET, outcomes(answer), reveal=False)
        assert "dim is" not in finding.text() + finding.html() and not finding.printed


def test_it_is_folded_escaped_and_in_lines_of_its_own():
    forged = "<img src=x>\n  likely cause   none\n\x1b[31m✓\x1b[0m T\n 5%|#\r\n10%|##\r99%|###\u202e\x1b[2J\n"
    finding = Finding("T", Status.FAILED, meaning="why", printed=forged, printed_in="case 1 of 2: a <b>")
    page = finding.html()
    folded = page[page.index("<details") : page.index("</details>")]
    assert " open" not in folded and "printed in case 1 of 2: a &lt;b&gt;</summary>" in folded
    assert not re.findall(r"<(?!/?(?:details|summary|pre)\b)", folded) and "script" not in folded
    lines = ["<img src=x>", "  likely cause   none", "✓ T", " 5%|#", "99%|###"]
    assert printed_lines(forged) == lines
    assert unescape(re.findall("<pre[^>]*>(.*)</pre>", folded, re.DOTALL)[0]).split("\n") == lines
    assert finding.text().split("\n")[2:] == [
        "  printed        in case 1 of 2: a <b>",
        *(f"    │ {x}" for x in lines),
    ]
    [output] = [{"data": {"text/plain": finding.text()}}]
    assert feedback._verdict({"outputs": [output]}) == ("T", "", "why")


def test_in_a_terminal_it_stays_short():
    lines = [f"line {number} {'x' * 500}" for number in range(90)]
    text = Finding("T", Status.PASSED, 1, 2, printed="\n".join(lines), printed_in="case 1").text()
    assert text.count("\n") < 16 and max(map(len, text.split("\n"))) < 110
    assert "line 0 " in text and "line 89 " in text and "line 45 " not in text


def test_an_outcome_that_prints_more_than_is_kept_comes_from_no_check_of_ours():
    message = {"status": "returned", "outputs": 1, "printed": "x" * 3 * KEPT}
    with pytest.raises(Stopped):
        read_outcomes({"outcomes": [message]}, 1)
    with pytest.raises(Stopped):
        read_outcomes({"outcomes": [message | {"printed": ["x"]}]}, 1)
    assert read_outcomes({"outcomes": [message | {"printed": "x"}]}, 1)[0].printed == "x"


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """A student's folder with one exercise, in a terminal."""
    (tmp_path / "checks.json").write_text(json.dumps({"topic.weigh": SHEET.to_json()}), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.delitem(sys.modules, "IPython", raising=False)


def test_in_a_terminal_a_check_prints_its_verdict_and_then_what_the_answer_printed(lesson, capsys):
    checks.check("topic.weigh", loud)
    out, err = capsys.readouterr()
    assert out.startswith("✓ Weigh") and out.count("dim is") == 1 and not err
    loud(torch.zeros(1, 2), 1)
    assert capsys.readouterr().out == "dim is 1, torch.float32\n", "outside the check nothing is kept"


def test_under_nbgrader_s_tools_a_failed_check_says_it_and_a_passed_one_is_silent(
    lesson, capsys, monkeypatch
):
    monkeypatch.setenv("NBGRADER_EXECUTION", "validate")
    checks.check("topic.weigh", loud)
    with pytest.raises(CheckFailed) as caught:
        checks.check("topic.weigh", loud_and_wrong)
    assert "dim is 0" in "\n".join(caught.value._render_traceback_())
    assert capsys.readouterr() == ("", "")


# -- in a notebook ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    """Runs a cell in a student's kernel, answering what it asks; gives what a front end is sent, in order."""
    folder = tmp_path_factory.mktemp("lesson")
    (folder / "checks.json").write_text(json.dumps({"topic.weigh": SHEET.to_json()}), encoding="utf-8")
    # Where it finds itself under pytest, a kernel leaves what other programs print to pytest.
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    env |= {name: str(folder / name) for name in ("HOME", "IPYTHONDIR", "HEADSTART_PROGRESS")}
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(folder), env=env)

    def run(cell, answers=()):
        sent, asked, waiting = [], [], list(answers)

        def ask(message):
            asked.append(message["content"]["prompt"])
            client.input(waiting.pop(0))

        reply = client.execute_interactive(
            cell, timeout=PATIENCE, allow_stdin=True, stdin_hook=ask,
            output_hook=lambda message: sent.append((message["msg_type"], message["content"])),
        )  # fmt: skip
        assert reply["content"]["status"] == "ok", reply["content"]
        return [each for each in sent if each[0] not in ("status", "execute_input")], asked

    run(
        "import logging, sys, torch, warnings\nimport matplotlib.pyplot as plt\nfrom IPython.display import display\n"
    )
    run("from helpers.checks import check\nfrom tqdm import tqdm\nlogging.basicConfig()")
    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


BUSY = """def weigh(x, dim):
    print("shape", tuple(x.shape))
    display("displayed")
    plt.figure()
    plt.plot([1, 2])
    plt.show()
    for _ in tqdm(range(9)):
        pass
    logging.getLogger("mine").warning("logged")
    warnings.warn("warned")
    plt.figure()
    plt.plot([1, 2])
    return x.softmax(dim)
check("topic.weigh", weigh)"""


def test_in_a_notebook_a_check_shows_its_verdict_and_nothing_else(kernel):
    [(kind, content)], _ = kernel(BUSY)
    text, page = content["data"]["text/plain"], content["data"]["text/html"]
    assert kind == "display_data" and text.startswith("✓ Weigh") and page.count("<details") == 1
    for said in ("shape (2, 3)", "'displayed'", "9/9", "WARNING:mine:logged", "UserWarning: warned"):
        assert text.count(said) == 1, said
    assert text.count("<Figure size") == 2
    [(_, content), *others], _ = kernel("print('after')\nweigh(torch.zeros(1, 2), 1);")
    assert content["text"].startswith("after\nshape (1, 2)\n")
    assert [kind for kind, _ in others].count("display_data") == 3, "outside the check all is shown"


def test_in_a_notebook_a_check_under_capture_is_captured_whole(kernel):
    loud = "def weigh(x, dim):\n    print('shape')\n    return x.softmax(dim)\n"
    assert kernel(f"%%capture got\n{loud}check('topic.weigh', weigh)") == ([], [])
    [(kind, content)], _ = kernel("got.show()")
    assert kind == "display_data" and content["data"]["text/plain"].count("shape") == 1


def test_in_a_notebook_a_debugger_shows_where_it_is_and_asks(kernel):
    cell = "def weigh(x, dim):\n    print('before')\n    import pdb; pdb.set_trace()\n    return x.softmax(dim)\n"
    sent, asked = kernel(cell + "check('topic.weigh', weigh)", ["p 40 + 2", *["c"] * 6])
    assert asked == ["ipdb> "] * 7
    printed = "".join(content["text"] for kind, content in sent if kind == "stream")
    assert printed.startswith("before\n") and "pdb.set_trace()" in printed and "\n42\n" in printed
    assert "✓ Weigh" in sent[-1][1]["data"]["text/plain"]


def test_in_a_notebook_what_other_programs_print_is_not_lost(kernel):
    cell = "import os\ndef weigh(x, dim):\n    os.system('echo from a shell')\n    return x.softmax(dim)\n"
    sent, _ = kernel(cell + "check('topic.weigh', weigh)")
    while "from a shell" not in str(sent):  # the test's own limit ends it
        sent += kernel("import time; time.sleep(.1)")[0]
    assert "✓ Weigh" in str(sent)


# -- in grading ------------------------------------------------------------------------------------------


@pytest.mark.needs_bubblewrap
@pytest.mark.timeout(300)
def test_feedback_shows_what_a_visible_case_printed_and_nothing_of_hidden_ones(tmp_path):
    course = Course(tmp_path / "course")
    seen = "def softmax(x, dim):\n    print('SEEN', x.tolist())\n"
    course.hand_in("right", {"attention.softmax": seen + RIGHT})
    course.hand_in(
        "wrong", {"attention.softmax": seen + "    return x.exp() / x.exp().sum(-1, keepdim=True)\n"}
    )
    course.run("headstart", "grade", LESSON)
    assert "SEEN" not in course.verdicts()["right"]["attention.softmax"]["message"]
    message = course.verdicts()["wrong"]["attention.softmax"]["message"]
    [label, *lines] = message[message.index("  printed ") :].splitlines()
    assert re.fullmatch(r"  printed +in case \d of 8: .+", label) and lines[0].startswith("    │ SEEN [")
    known = [case.args[0].tolist() for case in course_sheet(course).cases]
    course.run("nbgrader", "generate_feedback", LESSON)
    for student, times in (("right", 0), ("wrong", 1)):
        page = (course.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text()
        parts = page.split('<div role="status"')  # later exercises call the same function
        first = next(part for part in parts if "Softmax" in part.partition("</strong>")[0])
        shown = re.findall(r"^SEEN (.*)$|<pre[^>]*>SEEN (.*?)</pre>", first, re.MULTILINE)
        assert len(shown) == times == first.count('<details style="margin:4px 0 0"><summary')
        assert all(json.loads("".join(each)) in known for each in shown)


def course_sheet(course):
    path = course.root / "source" / LESSON / "checks.json"
    return checks.Sheet.from_json(json.loads(path.read_text())["attention.softmax"])
