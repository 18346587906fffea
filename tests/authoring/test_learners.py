"""The reported bugs that benchmarks.learners judges: they are complete, and judged as somebody read them."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from autograder import lessons
from autograder.exercises import load
from autograder.lessons import ROOT
from benchmarks.learners import __main__ as learners
from benchmarks.learners.reports import UNKNOWN, Report, bound, judged, reports, verdict
from helpers.checking.explaining.causes import ONE_CHANGE
from helpers.checking.finding import Finding, Status

EVERY = [report for lesson in lessons.names() for report in reports(lesson)]
SOFTMAX = Report(
    exercise="attention.softmax", kept=False, url="https://example.org", fault="one sum for all",
    named=("divided_by_total",), true=(), nothing=(), misleading=(), place="here:1",
    code="def softmax(x, dim):\n    e = torch.exp(x - x.amax(dim, keepdim=True))\n    return e / e.sum()\n",
)  # fmt: skip
STRANGE = "def softmax(x, dim):\n    e = 2 + torch.sin(7.3 * x)\n    return e / e.sum(dim, keepdim=True)\n"


@pytest.mark.parametrize("report", EVERY, ids=lambda report: report.place)
def test_every_report_names_an_exercise_its_misconceptions_and_an_answer(report):
    exercise = load(report.exercise.partition(".")[0])[report.exercise]
    assert report.place.startswith(lessons.find(exercise.topic))
    assert set(report.named) <= {misconception.name for misconception in exercise.misconceptions}
    assert bound(report.code)


def test_none_is_there_twice():
    assert len({report.code for report in EVERY}) == len(EVERY)


def test_the_source_of_a_kept_report_is_used_nowhere_else():
    """Neither by an open report, whose message somebody read, nor by other data, an exercise or a text."""
    folders = ("autograder", "benchmarks", "docs", "exercises", "helpers", "notebooks", "tests")
    texts = (path for folder in folders for path in (ROOT / folder).rglob("*.*"))
    texts = (path.read_text(encoding="utf-8") for path in texts if path.suffix in (".py", ".md", ".toml"))
    used = Counter(url.rstrip(".,:") for text in texts for url in re.findall(r"https?://[^\s\"')>\]]+", text))
    kept = [report.url for report in EVERY if report.kept]
    assert len(kept) >= 60
    assert {url: used[url] for url in kept} == dict.fromkeys(kept, 1)


FOUND = ("karpathy/neuraltalk/pull/5", "sockeye/issues/545", "transformer-tensorflow2.0/issues/14",
         "Kyubyong/transformer/issues/89", "Halton-MaskGIT/issues/36", "yolov5/issues/1213")  # fmt: skip


@pytest.mark.parametrize("source", FOUND)
def test_gaps_that_open_reports_found_are_closed(source):
    (report,) = [report for report in EVERY if report.url.endswith(source)]
    assert not report.kept
    assert judged(report).verdict == "named"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("# %% exercise=attention.softmax\n# https://example.org: no\ndef f(): ...", "begin with"),
        ('# %% exercise="attention.softmax"\n# somebody said so\ndef f(): ...', "begin with"),
    ],
    ids=["no id", "no source"],
)
def test_a_report_without_its_source_is_refused(tmp_path, monkeypatch, text, wrong):
    (tmp_path / "01_attention.py").write_text(text)
    monkeypatch.setattr("benchmarks.learners.reports.FOLDER", tmp_path)
    with pytest.raises(ValueError, match=wrong):
        reports("01_attention")


def test_a_wrong_answer_is_rejected_and_a_right_one_is_not():
    wrong, right = (
        judged(SOFTMAX),
        judged(replace(SOFTMAX, code=SOFTMAX.code.replace(".sum()", ".sum(dim, keepdim=True)"))),
    )
    assert (wrong.rejected, wrong.verdict) == (True, "named")
    assert not right.rejected
    assert "ACCEPTED" in learners.told(SOFTMAX, right)


@pytest.mark.parametrize(
    ("finding", "expected"),
    [
        ({"cause": "divided_by_total", "meaning": "This is the root."}, "named"),
        (
            {"meaning": f"{ONE_CHANGE} a root is taken.", "relation": f"{ONE_CHANGE} a root is taken."},
            "named",
        ),
        ({"meaning": f"{ONE_CHANGE} a root is taken. And more."}, "true relation"),
        ({"meaning": "Every number is the root of the right one."}, "true relation"),
        ({"meaning": "Look at the shapes."}, "nothing"),
        ({"meaning": ""}, "nothing"),
        ({"meaning": "The axes are swapped."}, "misleading"),
        ({"cause": "value", "meaning": "Something that nobody has read."}, "unread"),
    ],
)
def test_a_message_is_what_somebody_read_it_to_be(finding, expected):
    read = replace(SOFTMAX, true=(ONE_CHANGE, "Every number"), nothing=("Look at",), misleading=("The axes",))
    assert verdict(read, Finding("", Status.FAILED, **finding)) == expected


def test_a_message_that_names_no_mistake_is_nothing():
    strange = judged(replace(SOFTMAX, code=STRANGE))
    assert strange.finding.meaning.startswith(UNKNOWN)
    assert strange.verdict == "nothing"


def test_the_table_counts_kept_reports_apart():
    pairs = [(replace(SOFTMAX, kept=kept), judged(SOFTMAX)) for kept in (True, False, False)]
    columns = learners.table({"01_attention": pairs}).columns
    rows = list(zip(*(column.cells for column in columns), strict=True))
    assert [row[:5] for row in rows[:2]] == [
        ("01_attention", "kept", "1", "1", "1"), ("01_attention", "others", "2", "2", "2"),
    ]  # fmt: skip
    assert [row[:3] for row in rows[2:]] == [("all", "kept", "1"), ("all", "others", "2")]
