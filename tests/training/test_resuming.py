"""A training run that is interrupted stops after its step, says so in a sentence, and can be taken up again."""

import itertools
import operator
import os
import signal
import sys
import threading
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import nbclient
import nbformat
import pytest
import torch
from torch import nn

from helpers import training
from helpers.training import checkpoints
from helpers.training import live as live_module
from helpers.training.muon import CombinedOptimizer, Muon
from tests.support.limits import PATIENCE
from tests.training.test_training import Terminal

ROOT = Path(__file__).parents[2]
STEPS = 12


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    return tmp_path


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """As in a notebook's kernel, also where these tests run in the background, with interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press_the_square() -> None:
    """What Jupyter's button sends. Python runs the handler before the next line."""
    signal.raise_signal(signal.SIGINT)


class Practice:
    """A small run with two optimizers, random numbers, and batches from a generator."""

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.3), nn.Linear(4, 1))
        matrices = [self.model[0].weight]
        rest = [p for p in self.model.parameters() if p is not matrices[0]]
        self.optimizer = CombinedOptimizer(Muon(matrices, lr=0.1), torch.optim.AdamW(rest, lr=0.1))
        self.data, self.generator = self.batches(), torch.Generator().manual_seed(5)

    def batches(self) -> Iterator[torch.Tensor]:
        for number in itertools.count():
            yield torch.full((2, 3), float(number))

    def run(self, stop_at: int = 0, steps: int = STEPS) -> training.Live:
        chance = training.Chance(self.generator)
        keep = training.Checkpoint("practice", model=self.model, optimizer=self.optimizer, chance=chance)
        live = training.Live(steps, "loss", title="Practice", keep=keep, data=self.data)
        for step in live:
            self.optimizer.set_rate(1 / step)
            loss = (
                (self.model(next(self.data)) - step - torch.rand((), generator=self.generator))
                .square()
                .mean()
            )
            self.optimizer.zero_grad()
            loss.backward()
            if step == stop_at:
                press_the_square()
            self.optimizer.step()
            live.add(training=loss.detach())
        return live

    @property
    def weights(self) -> torch.Tensor:
        return torch.cat([p.detach().flatten() for p in self.model.parameters()])


def test_a_run_that_was_stopped_goes_on_and_ends_as_if_it_hadn_t_been(
    home: Path, capsys: pytest.CaptureFixture
) -> None:
    whole = Practice()
    lines = whole.run().lines
    for stop_at in (4, 9):
        with pytest.raises(training.Stopped, match=f"Stopped after {stop_at} of 12 steps"):
            Practice().run(stop_at)
    assert (home / "models/practice.part.pt").exists()
    again = Practice()
    assert again.run().lines == lines
    assert torch.equal(again.weights, whole.weights)
    assert "Practice goes on after 9 of 12 steps." in capsys.readouterr().out
    assert not (home / "models/practice.part.pt").exists(), "it is finished"


def test_every_half_minute_it_is_kept_without_being_asked(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "KEEP_SECONDS", -1.0)
    practice, steps = Practice(), []
    live = training.Live(3, "loss", keep=training.Checkpoint("practice", model=practice.model))
    for step in live:
        steps.append((step, (home / "models/practice.part.pt").exists()))
    assert steps == [(1, False), (2, True), (3, True)]


@pytest.mark.parametrize("spoiled", ["another length", "other weights", "cut off"])
def test_what_does_not_fit_is_no_such_run(home: Path, spoiled: str) -> None:
    with pytest.raises(training.Stopped):
        Practice().run(4)
    fresh, path = Practice(), home / "models/practice.part.pt"
    if spoiled == "cut off":
        path.write_bytes(path.read_bytes()[:-50])
    if spoiled == "other weights":
        fresh.model = nn.Sequential(nn.Linear(3, 5), nn.Linear(5, 1))
    before = fresh.weights
    parts = {"model": fresh.model, "optimizer": fresh.optimizer, "chance": training.Chance(fresh.generator)}
    keep = training.Checkpoint("practice", **parts)
    assert keep.load(13 if spoiled == "another length" else STEPS) == (0, {})
    assert torch.equal(fresh.weights, before)


def test_a_second_interrupt_does_not_wait_for_the_step() -> None:
    with pytest.raises(KeyboardInterrupt) as raised:
        for _ in training.Live(3, "loss"):
            press_the_square()
            press_the_square()
            pytest.fail("the second one was noted, too")
    assert not isinstance(raised.value, training.Stopped)


def test_once_the_loop_is_left_an_interrupt_is_raised_at_once() -> None:
    """Also where the error that left it is kept, as IPython does, and with it the waiting generator."""
    live = training.Live(3, "loss")

    def fails() -> None:
        for _ in live:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as kept:
        fails()
    with pytest.raises(KeyboardInterrupt):
        press_the_square()
    assert kept.value.__traceback__ is not None
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_after_a_run_interrupts_are_python_s_again() -> None:
    assert list(training.Live(3, "loss")) == [1, 2, 3]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_in_a_thread_a_run_goes_as_ever() -> None:
    assert training.each(lambda n: list(training.Live(n, "loss")), [2, 3], "Runs") == [[1, 2], [1, 2, 3]]


def test_of_runs_side_by_side_all_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training.parallel, "cores", lambda: 2)
    both, ended = threading.Barrier(3), threading.Semaphore(0)

    def job(number: int) -> None:
        if number < 2:  # a third may begin before the pool hears that it has been stopped
            both.wait()
        try:
            while True:
                training.unless_stopped()
        finally:
            ended.release()

    presses = threading.Thread(target=lambda: (both.wait(), os.kill(os.getpid(), signal.SIGINT)))
    presses.start()
    with pytest.raises(training.Stopped, match=r"Stopped after 0 of 3 runs; none of them is kept"):
        training.each(job, range(3), "Runs")
    presses.join()
    assert ended.acquire() and ended.acquire()


def test_models_are_listed_with_their_sizes_and_forgotten() -> None:
    assert "No model" in training.kept().text
    training.keep("mine", nn.Linear(100, 100))
    with pytest.raises(training.Stopped):
        Practice().run(4)
    text = training.kept().text
    assert "mine" in text and "trained" in text and "MB" in text
    assert "practice" in text and "unfinished" in text
    training.forget("mine")
    training.forget("practice")
    training.forget("never kept")
    assert "No model" in training.kept().text


def test_in_a_notebook_one_sentence_is_all_that_an_interrupt_leaves() -> None:
    source = """
import os, signal
from helpers import training
from helpers.figures.showing import waiting_for
with waiting_for("Exercise 1.2"):
    for step in training.Live(12, "loss"):
        if step == 7:
            os.kill(os.getpid(), signal.SIGINT)
"""
    cells = [nbformat.v4.new_code_cell(source), nbformat.v4.new_code_cell("step")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    resources = {"metadata": {"path": str(ROOT)}}
    nbclient.NotebookClient(
        notebook, kernel_name="python3", resources=resources, allow_errors=True, startup_timeout=PATIENCE
    ).execute()
    [error] = [output for output in cells[0].outputs if output.output_type == "error"]
    assert error.traceback == ["Stopped after 7 of 12 steps. Run the cell again to begin again."]
    assert cells[1].outputs[0].data["text/plain"] == "7"


def test_a_model_that_is_found_again_says_so_with_its_date_and_shows_its_curve(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    practice, shown = Practice(), []
    live = practice.run()
    path = training.keep("practice", practice.model, live)
    os.utime(path, (0, 0))  # as a copy may have it
    monkeypatch.setattr("helpers.training.live.in_notebook", lambda: True)
    monkeypatch.setattr("helpers.training.live.show", shown.append)
    again = Practice()
    assert training.recall("practice", again.model) and torch.equal(again.weights, practice.weights)
    today = datetime.now().strftime("%Y-%m-%d")
    said = f'The model "practice" was trained here on {today} at '
    assert (told := capsys.readouterr().out).startswith(said)
    assert told.endswith('training.forget("practice") removes it.\n')
    [axes] = shown
    assert axes.get_label() == live.figure().get_label() and "after 12 steps" in axes.get_label()
    assert training.recall("practice", again.model, curve=False) and len(shown) == 1
    assert not training.recall("practice", nn.Linear(2, 2)) and len(shown) == 1
    assert capsys.readouterr().out.startswith(said)


def test_a_model_that_an_older_version_kept_is_found(home: Path, capsys: pytest.CaptureFixture) -> None:
    model, again = nn.Linear(2, 3), nn.Linear(2, 3)
    (home / "models").mkdir()
    torch.save(model.state_dict(), home / "models/old.pt")
    os.utime(home / "models/old.pt", (0, 86_400 * 365))
    assert training.recall("old", again) and torch.equal(model.weight, again.weight)
    assert "was trained here on 1971-01-01" in capsys.readouterr().out


def test_a_resumed_run_s_bar_has_the_rate_of_what_is_made_now(monkeypatch: pytest.MonkeyPatch) -> None:
    bars, made = [], live_module.progress_bar
    monkeypatch.setattr(live_module, "progress_bar", lambda *args: bars.append(made(*args)) or bars[-1])
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(training.Stopped):
        Practice().run(9)
    Practice().run()
    assert [(bar.initial, bar.n, bar.total) for bar in bars] == [(0, 9, 12), (9, 12, 12)]


class Job:
    """A model of one number, trained by adding to it."""

    def __init__(self, start: float) -> None:
        self.model = nn.Linear(1, 1, bias=False)
        nn.init.constant_(self.model.weight, start)


def runs(starts: list[float], made: list[float], stop_at: float = -1.0) -> list[Job]:
    """Train some, kept by where they begin."""

    def train(job: Job) -> float:
        made.append(job.model.weight.item())
        if made[-1] == stop_at:
            press_the_square()
        with torch.no_grad():
            job.model.weight += 10
        return job.model.weight.item()

    jobs = [Job(start) for start in starts]
    begins, model = {job: repr(job.model.weight.item()) for job in jobs}, operator.attrgetter("model")
    found = training.each(train, jobs, "Runs", keep="tens", mark=begins.__getitem__, model=model)
    assert found == [job.model.weight.item() for job in jobs] == [start + 10 for start in starts]
    return jobs


def test_runs_that_were_made_are_found_again_with_their_models(capsys: pytest.CaptureFixture) -> None:
    runs([1.0, 2.0], made := [])
    assert sorted(made) == [1.0, 2.0] and capsys.readouterr().out == ""
    runs([1.0, 3.0, 2.0], made)
    assert sorted(made) == [1.0, 2.0, 3.0]
    said = capsys.readouterr().out
    assert said.startswith("2 of these 3 runs were made here, the last on 20")
    runs([3.0], made)
    assert capsys.readouterr().out.startswith("These runs were made here") and len(made) == 3
    assert "tens" in training.kept().text and "runs" in training.kept().text
    training.forget("tens")
    runs([3.0], made)
    assert made[3:] == [3.0]


def test_runs_that_were_stopped_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training.parallel, "device", lambda: torch.device("meta"))  # one after the other
    made: list[float] = []
    with pytest.raises(
        training.Stopped, match=r"Stopped after 2 of 3 runs; they are kept: run the cell again"
    ):
        runs([1.0, 2.0, 3.0], made, stop_at=2.0)
    runs([1.0, 2.0, 3.0], made)
    assert made == [1.0, 2.0, 3.0]


def test_a_model_behaves_alike_however_it_is_written() -> None:
    x, layer = torch.randn(4, 3), nn.Linear(3, 2)
    one = training.behaviour(layer(x).square().mean(), layer)
    assert training.behaviour((x @ layer.weight.T + layer.bias).pow(2).sum() / 8, layer) == one
    assert training.behaviour(layer(x).detach().square().mean() + 0 * layer(x).sum(), layer) != one
    assert training.behaviour(layer(x + 0.1).square().mean(), layer) != one
