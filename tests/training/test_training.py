"""What every training run needs: the same gradients on all cores, live pictures, models that are kept."""

import dataclasses
import io
import re
import sys
import threading
import time
from pathlib import Path

import nbclient
import nbformat
import pytest
import torch
from torch import nn

from benchmarks.lessons import bars
from helpers import bert, finetuning, pretraining, training
from helpers.finetuning import experiments
from helpers.models.transformer import EncoderConfig, LanguageModel, LanguageModelConfig
from helpers.pretraining import inputs_and_targets, language_model_loss, loss_of
from tests.support.limits import PATIENCE
from tests.support.proved import follows_from

pytestmark = follows_from("helpers")

ROOT = Path(__file__).parents[2]


@pytest.fixture
def batch():
    torch.manual_seed(0)
    ids = torch.randint(1, 30, (5, 9))
    ids[0, 3:] = 0
    ids[4, 1:] = 0
    return inputs_and_targets(ids)


def gradients(model, loss, batch):
    model.zero_grad()
    loss(model, *batch).backward()
    return [weight.grad.clone() for weight in model.parameters()]


@pytest.mark.parametrize("cores", [1, 2, 3, 5, 8])
def test_on_all_cores_loss_and_gradients_are_the_same(batch, cores, monkeypatch):
    monkeypatch.setattr(training.parallel, "cores", lambda: cores)
    model = LanguageModel(LanguageModelConfig(30, 8, 2, 2, 9)).double()
    spread = training.on_all_cores(loss_of)
    torch.testing.assert_close(spread(model, *batch), loss_of(model, *batch))
    for one, other in zip(gradients(model, spread, batch), gradients(model, loss_of, batch), strict=True):
        torch.testing.assert_close(one, other)
    with torch.no_grad():
        torch.testing.assert_close(spread(model, *batch), loss_of(model, *batch))


def test_on_all_cores_each_part_has_a_thread(batch, monkeypatch):
    monkeypatch.setattr(training.parallel, "cores", lambda: 2)
    seen = set()

    def loss(model, inputs, targets):
        seen.add((threading.get_ident(), len(inputs)))
        return loss_of(model, inputs, targets)

    training.on_all_cores(loss)(LanguageModel(LanguageModelConfig(30, 8, 2, 2, 9)), *batch).backward()
    assert sorted(rows for _, rows in seen) == [2, 3]
    assert threading.get_ident() not in {thread for thread, _ in seen}


class Added(nn.Module):
    """Two parameters that are added, and one that is summed: autograd gives the first two one gradient between
    them, and the third a single number that is shown many times.
    """

    def __init__(self):
        super().__init__()
        self.one, self.other, self.summed = (nn.Parameter(torch.randn(30)) for _ in range(3))


def test_on_all_cores_parameters_may_share_a_gradient(batch, monkeypatch):
    def loss(model, inputs, targets):
        logits = (model.one + model.other).expand(*inputs.shape, 30)
        return language_model_loss(logits, targets) + model.summed.sum()

    torch.manual_seed(0)
    model = Added()
    expected = gradients(model, loss, batch)
    monkeypatch.setattr(training.parallel, "cores", lambda: 2)
    for ours, theirs in zip(gradients(model, training.on_all_cores(loss), batch), expected, strict=True):
        torch.testing.assert_close(ours, theirs)


def test_on_all_cores_what_is_frozen_stays_without_gradient(batch, monkeypatch):
    monkeypatch.setattr(training.parallel, "cores", lambda: 2)
    model = LanguageModel(LanguageModelConfig(30, 8, 2, 2, 9))
    model.blocks.requires_grad_(False)
    unused = nn.Linear(2, 2)
    model.unused = unused
    training.on_all_cores(loss_of)(model, *batch).backward()
    assert all(weight.grad is None for weight in [*model.blocks.parameters(), *unused.parameters()])
    assert model.words.weight.grad.abs().sum() > 0


def test_a_part_without_targets_counts_nothing(monkeypatch):
    monkeypatch.setattr(training.parallel, "cores", lambda: 2)
    inputs, targets = torch.ones(2, 3, dtype=torch.long), torch.tensor([[2, 3, 4], [-100] * 3])
    model = LanguageModel(LanguageModelConfig(30, 8, 2, 2, 9))
    loss = training.on_all_cores(loss_of)(model, inputs, targets)
    torch.testing.assert_close(loss, language_model_loss(model(inputs[:1]), targets[:1]))
    loss.backward()
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


def test_each_keeps_the_order_and_tells_what_went_wrong():
    assert training.each(lambda job: job * job, range(7), "Squares") == [job * job for job in range(7)]
    with pytest.raises(ZeroDivisionError):
        training.each(lambda job: 1 / job, [1, 0, 2], "Inverses")


def test_live_counts_and_draws():
    live = training.Live(400, "nats per token", {"entropy": 1.175}, "Practice")
    for step in live:
        live.add(training=10 / step)
        if step % 100 == 0:
            live.add(held_out=torch.tensor(12.0 / step))
    assert live.lines["held out"] == [(step, pytest.approx(12 / step)) for step in (100, 200, 300, 400)]
    ax = live.figure()
    training_line, held_out, limit = ax.get_lines()
    assert len(training_line.get_xdata()) <= training.POINTS
    assert list(held_out.get_ydata()) == pytest.approx([0.12, 0.06, 0.04, 0.03])
    assert limit.get_ydata()[0] == 1.175
    said = ax.get_label()
    assert "Practice, nats per token after 400 steps" in said
    assert "held out: from 0.120 to 0.030" in said


def test_another_unit_has_axes_of_its_own_once_there_is_something_on_them():
    live = training.Live(400, "nats", title="Practice", apart={"share": "per cent"})
    for live.step in range(1, 401):
        live.add(training=10 / live.step)
        if live.step == 40:
            assert [each.get_visible() for each in live.figure().figure.axes] == [True, False]
        if live.step % 50 == 0:
            live.add(share=1000 / live.step)
    _, shares = live.figure().figure.axes
    assert shares.get_visible()
    assert shares.get_ylim()[1] < 12, "what it ends with can be read, although it began with 20"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_in_a_terminal_a_bar_is_text_with_rate_and_time_left(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    live = training.Live(40, "loss", title="Practice")
    for step in live:
        live.add(training=step)
        if step == 20:
            time.sleep(0.3)  # more than from one drawing to the next
    training.each(lambda job: job, range(3), "Jobs")
    assert re.search(
        r"Practice: +50%.* 20/40 \[\d\d:\d\d<\d\d:\d\d, .*(steps/s|s/steps), training 20\.000\]",
        terminal.getvalue(),
    )
    assert "40/40" in terminal.getvalue() and "Jobs: 100%" in terminal.getvalue()


def test_in_a_log_file_there_is_no_bar(capsys):
    for _ in training.Live(3, "loss"):
        pass
    assert training.each(lambda job: job, range(3), "Jobs") == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("stopped", [False, True])
def test_in_a_notebook_the_bar_and_the_picture_stay_where_they_stood(stopped):
    cell = nbformat.v4.new_code_cell(NOTEBOOK.format(stopped=stopped))
    notebook = nbformat.v4.new_notebook(cells=[cell])
    resources = {"metadata": {"path": str(ROOT)}}
    nbclient.NotebookClient(
        notebook,
        kernel_name="python3",
        resources=resources,
        allow_errors=stopped,
        startup_timeout=PATIENCE,
    ).execute()
    bar, picture, *error = notebook.cells[0].outputs
    done = 7 if stopped else 12
    assert f'<progress value="{done}" max="12"' in bar["data"]["text/html"]
    assert re.search(
        rf"Practice: {done} of 12 · \d\d:\d\d, \d\d:\d\d left · .* steps/s, &lt;b&gt; ",
        bar["data"]["text/html"],
    )
    assert f"Practice: {done} of 12" in bar["data"]["text/plain"]
    [read] = bars(notebook)
    assert (read.title, read.end) == ("· Practice", f"<b> {1 / done:.3f}"), "by the benchmark of lessons"
    assert f"after {done + stopped} steps" in picture["data"]["text/html"]
    assert [output["ename"] for output in error] == ["KeyboardInterrupt"] * stopped


NOTEBOOK = """
from helpers import training
live = training.Live(12, "loss", title="Practice")
for step in live:
    live.add(**{{"<b>": 1 / step}})
    if {stopped} and step == 8:
        raise KeyboardInterrupt
"""


def test_live_lets_an_interrupt_through():
    live = training.Live(10, "loss")
    with pytest.raises(KeyboardInterrupt):
        for step in live:
            live.add(training=1.0)
            if step == 3:
                raise KeyboardInterrupt
    assert live.step == 3
    assert len(live.lines["training"]) == 3


def test_a_model_is_kept_and_recalled(tmp_path, monkeypatch):
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    model, same, other = (
        LanguageModel(LanguageModelConfig(9, 8, 2, 1, 5)),
        LanguageModel(LanguageModelConfig(9, 8, 2, 1, 5)),
        LanguageModel(LanguageModelConfig(9, 8, 2, 2, 5)),
    )
    assert not training.recall("mine", same)
    path = training.keep("mine", model)
    assert path.parent == tmp_path / "models"
    before = [weight.clone() for weight in other.parameters()]
    assert training.recall("mine", same)
    assert all(map(torch.equal, model.parameters(), same.parameters()))
    assert not training.recall("mine", other)
    assert all(map(torch.equal, before, other.parameters()))
    path.write_bytes(b"cut off")
    assert not training.recall("mine", same)


def test_steps_are_few_where_a_test_asks(monkeypatch):
    monkeypatch.delenv("HEADSTART_QUICK", raising=False)
    assert training.steps(1000) == 1000
    monkeypatch.setenv("HEADSTART_QUICK", "20")
    assert [training.steps(count) for count in (1000, 30)] == [50, 4]


def test_pretraining_comes_closer_to_the_entropy():
    narrow = dataclasses.replace(pretraining.model_config(), d_model=32)
    torch.manual_seed(0)
    live = pretraining.pretrain(LanguageModel(narrow), 60)
    held_out = [value for _, value in live.lines["held out"]]
    assert held_out[-1] < 0.8 * held_out[0]
    assert held_out[-1] > live.limits["entropy"]
    above = [value for _, value in live.lines[pretraining.reference.GAP]]
    assert len(above) == len(held_out) and above[-1] == min(above) > 0
    [loss, gap] = held_out[-1], above[-1]
    assert loss / (1 + gap / 100) == pytest.approx(live.limits["entropy"], rel=0.05)  # on 100 texts
    assert live.apart == {pretraining.reference.GAP: "per cent"}


# -- another device --------------------------------------------------------------------------------------


def classifier_step(device, ids):
    backbone = experiments.Backbone(LanguageModelConfig(30, 16, 2, 2, 9))
    model = finetuning.Classifier(backbone, 16, 2, finetuning.last_real).to(device)
    return finetuning.class_loss(model(ids), ids[:, 0] % 2)


def bert_step(device, ids):
    model = bert.Bert(EncoderConfig(30, 16, 2, 32, 2, 9, segments=2)).to(device)
    return bert.bert_loss(*model(ids, ids % 2), ids, ids[:, 0] % 2)


@pytest.mark.parametrize(
    "step",
    [
        lambda device, ids: loss_of(LanguageModel(LanguageModelConfig(30, 16, 2, 2, 9)).to(device), ids, ids),
        classifier_step,
        bert_step,
    ],
)
def test_a_training_step_makes_nothing_on_another_device_than_its_models(step):
    # Tensors on "meta" have shapes and no numbers, and can't be mixed with those of another device.
    device = torch.device("meta")
    with torch.fx.experimental._config.patch(meta_nonzero_assume_all_nonzero=True):
        step(device, torch.randint(6, 30, (3, 8)).to(device)).backward()
