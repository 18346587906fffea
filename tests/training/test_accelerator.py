"""On a GPU, which is pretended: every training of lessons 06 to 13 runs there, or says why it runs on the CPU."""

import ast
import contextlib
import copy
import functools
import itertools
import signal
import threading
from collections.abc import Callable, Container, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from autograder import exercises
from autograder.answers import pasted
from autograder.authoring.master import read_master
from autograder.lessons import master_path
from helpers import corpora, finetuning, own, posttraining, training
from helpers.bert import published
from helpers.block import experiments as of_the_block
from helpers.checking.code import keeping
from helpers.finetuning import experiments, real_text
from helpers.models.transformer import Encoder, EncoderConfig, LanguageModel, LanguageModelConfig
from helpers.modern import experiments as of_today
from helpers.posttraining import experiments as answering
from helpers.posttraining import measures as of_answers
from helpers.posttraining import requests
from helpers.pretraining import plays, scaling
from helpers.training import parallel
from helpers.training.muon import CombinedOptimizer, Muon
from tests.support import accelerator, spoken
from tests.support.proved import follows_from
from tests.support.raising import nothing_else_raised, raises_only

GIVES_WAY = "This training runs on the CPU, since on mps:0 it stops"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.delenv("HEADSTART_OWN_PARTS", raising=False)
    monkeypatch.setenv("HEADSTART_QUICK", "1000")
    monkeypatch.setattr(parallel, "cores", lambda: 2)
    parallel._say_once.cache_clear()
    return tmp_path


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[torch.device]:
    monkeypatch.setenv("HEADSTART_DEVICE", "mps")
    with accelerator.pretended() as place:
        yield place


# -- what is pretended -----------------------------------------------------------------------------------

REFUSED = {
    "a sum": (lambda x: x + torch.ones(3), "at least two devices, mps:0 and cpu!"),
    "a product": (lambda x: torch.ones(2, 3) @ x, "at least two devices, mps:0 and cpu!"),
    "a mask": (lambda x: x.masked_fill(torch.ones(3).bool(), 0.0), "at least two devices"),
    "a list": (lambda x: torch.cat([x, torch.ones(3)]), "at least two devices"),
    "rows of a table": (lambda x: nn.functional.embedding(torch.ones(1).long(), x[None]), "two devices"),
    "into a tensor of the CPU": (lambda x: torch.ones(3).add_(x), "at least two devices"),
    "a tensor of the CPU at its places": (lambda x: torch.ones(3)[x.long()], "should be either on cpu or"),
    "float64": (lambda x: x.double(), "doesn't support float64"),
    "float64, made there": (lambda x: torch.zeros(2, dtype=torch.float64, device=x.device), "float64"),
    "float64, from the CPU": (lambda x: torch.zeros(2).double().to(x.device), "doesn't support float64"),
    "numpy": (lambda x: x.numpy(), "Tensor.cpu\\(\\) to copy the tensor to host memory"),
    "the CPU's chance": (
        lambda x: x.multinomial(1, generator=torch.Generator()),
        "'mps' device type for gen",
    ),
}
ALLOWED: dict[str, Callable] = {
    "a number of the CPU": lambda x: x * torch.tensor(2.0),
    "places named on the CPU": lambda x: x[torch.tensor([1, 2])],
    "to and fro": lambda x: x.to("cpu").to(x.device) + x,
    "made there": lambda x: x + torch.arange(3, device=x.device),
    "made there of a list": lambda x: x + torch.tensor([1.0, 2.0, 3.0], device=x.device),
    "written into": lambda x: torch.zeros(3, device=x.device).copy_(torch.ones(3)),
    "a choice": lambda x: torch.where(x > 1, x, 0.0),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_refuses_what_a_gpu_refuses(what: str, gpu: torch.device) -> None:
    call, message = REFUSED[what]
    x = torch.tensor([0.0, 1.0, 2.0]).to(gpu)
    with pytest.raises((RuntimeError, TypeError), match=message):
        call(x)


@pytest.mark.parametrize("what", ALLOWED)
def test_it_does_what_a_gpu_does(what: str, gpu: torch.device) -> None:
    found = ALLOWED[what](torch.tensor([0.0, 1.0, 2.0]).to(gpu))
    assert found.device == gpu and isinstance(found, accelerator.Pretended)
    assert found.tolist() == ALLOWED[what](torch.tensor([0.0, 1.0, 2.0])).tolist()
    assert f"{found.sum():.3f}" == f"{float(found.to('cpu').sum()):.3f}"


def test_a_second_thread_may_not_use_it(gpu: torch.device) -> None:
    x, caught = torch.ones(3).to(gpu), []

    def use() -> None:
        with pytest.raises(RuntimeError, match="used from two threads"):
            x.add_(1)
        caught.append(True)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert caught


def test_a_model_learns_there_what_it_learns_on_the_cpu(gpu: torch.device) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 8), nn.GELU(), nn.Linear(8, 1))
    there, found = copy.deepcopy(model), []
    parameters = list(there.parameters())
    for each in (model, there.to(gpu)):
        optimizer = torch.optim.AdamW(each.parameters(), lr=0.1, fused=True)
        for step in range(3):
            x = torch.full((2, 3), float(step)).to(next(each.parameters()).device)
            optimizer.zero_grad()
            each(x).square().sum().backward()
            nn.utils.clip_grad_norm_(each.parameters(), 1.0)
            optimizer.step()
        found.append([weight.tolist() for weight in each.parameters()])
    assert found[0] == found[1]
    assert all(map(lambda a, b: a is b, parameters, there.to("cpu").parameters())), "as with a GPU"


# -- which device ----------------------------------------------------------------------------------------


def test_it_is_the_cpu_unless_the_environment_names_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_devices", lambda: pytest.fail("nobody asked for a GPU"))
    monkeypatch.delenv("HEADSTART_DEVICE", raising=False)
    assert training.device() == torch.device("cpu")
    monkeypatch.setattr(parallel, "_devices", lambda: ["cpu", "cuda:0", "cuda:1", "mps:0"])
    for asked, found in {
        "": "cpu", "cpu": "cpu", " CUDA ": "cuda:0", "cuda:1": "cuda:1", "mps": "mps:0", "mps:0": "mps:0",
    }.items():  # fmt: skip
        monkeypatch.setenv("HEADSTART_DEVICE", asked)
        assert training.device() == torch.device(found)


@pytest.mark.parametrize("asked", ["cuda:2", "gpu", "mps", "cuda:x", "cpu:1", "meta"])
def test_what_is_not_there_is_said_in_a_sentence_with_its_cure(
    asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "_devices", lambda: ["cpu", "cuda:0", "cuda:1"])
    monkeypatch.setenv("HEADSTART_DEVICE", asked)
    with raises_only(training.NoSuchDevice) as raised:
        training.device()
    sentence = str(raised.value)
    assert f'"{asked}"' in sentence and "only cpu, cuda:0, cuda:1 here" in sentence
    assert raised.value._render_traceback_() == [sentence], "and no traceback"
    [cure] = [word for word in sentence.split() if word.startswith("HEADSTART_DEVICE=")]
    monkeypatch.setenv(*cure.split("="))
    training.device()


def test_devices_are_those_that_torch_finds(gpu: torch.device, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parallel._devices() == ["cpu", "mps:0"]
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert parallel._devices() == ["cpu", "cuda:0", "cuda:1", "mps:0"]


# -- the trainings of all lessons ------------------------------------------------------------------------

# Cells that train, by a piece of their text.
TRAININGS = {
    "06_block": ("experiments.depths(", "experiments.train("),
    "08_pretraining": ("adam.measure(", "pretrain(fresh", "scaling.measure([1e11]"),
    "09_finetuning": (
        "experiments.pretrained_weights()", 'training.Live(steps, "nats per review"', "watched = None",
        "EPOCHS, SEEDS, LABELS = ", "steps_by_size = ", "adapter=LoRALinear",
    ),
    "10_bert": ("experiments.new_bert(Bert, seed=0)", "fine_tune(classifiers"),
    "11_translation": ("train_on_pairs(model,", "train_on_sounds(speaker,"),
    "12_modern": ("experiments.learn(", "rungs.learn(", "experiments.crowded("),
    "13_posttraining": (
        "pretraining.pretrained()", "experiments.supervise(", "measures.moved_by_preferences(",
        "experiments.reinforce(",
    ),
}  # fmt: skip
# Other cells for figures, on whose names these lean, or which look at the models afterwards.
BESIDES = {
    "06_block": ("experiments.speak(model",),
    "08_pretraining": (
        "runs, best = ",
        "held_out_texts = ",
        "your model {math.log(found)",
        "def train_on_plays",
    ),
    "09_finetuning": ("heads = [", "backbones = {", "taken_out = experiments.merged("),
    "11_translation": ("translations(model, mine)", "here = SOUNDS"),
    "12_modern": ("experiments.next_words(",),
    "13_posttraining": ("measures.three_ways(",),
}
# Changes to cells, so that experiments have fewer and smaller runs.
SMALLER = {
    "EPOCHS, SEEDS, LABELS = 15, 5, 200": "EPOCHS, SEEDS, LABELS = 2, 2, 20",
    "{50: few, 100: few, 500: steps, 2000: steps}": "{30: few, 60: few}",
    "(n, name) == (2000, ": "(n, name) == (60, ",
    "LABELLED, TUNING, RATE = 2_000, 600": "LABELLED, TUNING, RATE = 60, 600",
    "documents(200, 4_999)": "documents(20, 4_999)",
    "(400, 6_001)": "(40, 6_001)",
    "batches(unseen, 400": "batches(unseen, 40",
}
# Right answers that make tensors of their own, and don't ask where the others are.
ON_THE_CPU = {
    "block.layer_norm": """
def layer_norm(x, weight, bias, eps=1e-5):
    small = torch.tensor([eps])
    centred = x - x.mean(-1, keepdim=True)
    return weight * centred / (centred.square().mean(-1, keepdim=True) + small).sqrt() + bias
""",
    "block.model": """
class DecoderOnly(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)
        self.earlier = torch.ones(positions, positions).tril() > 0

    def forward(self, ids):
        T = ids.size(-1)
        x = embed(ids, self.words.weight, self.positions.weight)
        for block in self.blocks:
            x = block(x, self.earlier[:T, :T])
        return unembed(self.norm(x), self.words.weight)
""",
    "pretraining.loss": """
def language_model_loss(logits, targets):
    total, count = torch.zeros(1), torch.zeros(1)
    for row, wanted in zip(logits.flatten(0, -2), targets.flatten()):
        if wanted != -100:
            total, count = total - row.log_softmax(-1)[wanted], count + 1
    return (total / count)[0]
""",
    "finetuning.mean_real": """
def mean_real(hidden, real):
    total = torch.zeros(len(hidden), hidden.size(-1))
    for at in range(hidden.size(1)):
        total = total + hidden[:, at] * real[:, at, None]
    return total / real.sum(dim=1, keepdim=True)
""",
    "finetuning.adapter": """
class LoRALinear(torch.nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.share = torch.full((1,), alpha / rank)

    def forward(self, x):
        return self.linear(x) + self.share * (x @ self.A.T @ self.B.T)
""",
    "bert.word_head": """
class WordHead(torch.nn.Module):
    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        x = self.norm(torch.nn.functional.gelu(self.transform(x)))
        return (x + torch.zeros(1)) @ embedding.T + self.bias
""",
    "translation.label_smoothed_loss": """
def label_smoothed_loss(logits, targets, epsilon):
    little = epsilon / logits.size(-1)
    asked = torch.full(logits.shape, little, dtype=logits.dtype)
    asked.scatter_(-1, targets.clamp(min=0)[..., None], 1 - epsilon + little)
    return -(asked * logits.log_softmax(-1)).sum(-1)[targets != -100].mean()
""",
    "modern.rms_norm": """
def rms_norm(x, weight, eps=1e-6):
    return x / (x.square().mean(-1, keepdim=True) + torch.tensor([eps])).sqrt() * weight
""",
    "modern.gates": """
def gates(logits, k, bias):
    places = (logits + bias).topk(k, dim=-1).indices
    return torch.zeros(logits.shape).scatter(-1, places, logits.gather(-1, places).softmax(dim=-1))
""",
    "posttraining.clipped": """
def clipped(log_probability, advantages, epsilon, old=None):
    before = (log_probability if old is None else old).detach()
    ratio = (log_probability - before).exp()
    bounded = ratio.clamp(torch.tensor([1 - epsilon]), torch.tensor([1 + epsilon]))
    A = advantages[..., None]
    return torch.minimum(ratio * A, bounded * A)
""",
}


def answer(id: str, source: str, name: str, style: int | str, known: Container[str]) -> str:
    """An answer's cell in a style: as it is, as an alternative of the exercise's spec has it, or as above."""
    if style == "on the CPU":
        return ON_THE_CPU.get(id, source)
    found = [each for each in exercises.load(id.partition(".")[0])[id].alternatives if callable(each)]
    if style == "the course's" or not found:
        return source
    chosen = found[int(style) % len(found)]
    return f"{pasted(chosen, known)}\n\n{name} = {chosen.__name__}"


@contextlib.contextmanager
def anyway(*_: object, **options: object) -> Iterator[None]:
    """Instead of waiting for what isn't written, or predicted."""
    yield


def run(lesson: str, style: int | str, monkeypatch: pytest.MonkeyPatch) -> tuple[dict, list[int]]:
    """A lesson's answers and trainings: its names, and how often each training has called the device."""
    monkeypatch.setattr("helpers.figures.predicting.after_predicting", anyway)
    monkeypatch.setattr("helpers.figures.showing.waiting_for", anyway)
    monkeypatch.setattr("helpers.figures.showing.show", lambda *_: None)
    cells = [cell for cell in read_master(master_path(lesson), "master")[0] if cell.is_code]
    asked = {cell.id: cell.source.rpartition(", ")[2].strip(" )\n") for cell in cells if cell.kind == "check"}
    names: dict = {"__name__": "lesson"}
    pieces, used = {*TRAININGS[lesson], *BESIDES.get(lesson, ())}, {}
    for cell in cells:
        source, found = (
            cell.source,
            [piece for piece in pieces if cell.kind == "draw" and piece in cell.source],
        )
        if cell.kind == "exercise":
            source = answer(cell.id, source, asked[cell.id], style, names)
        elif not found and cell.kind not in ("setup", "given"):
            continue
        for text, shorter in SMALLER.items():
            source = source.replace(text, shorter)
        before = accelerator.calls
        exec(compile(ast.parse(source), f"<{lesson}>", "exec"), names)
        used |= dict.fromkeys(found, accelerator.calls - before)
    assert used.keys() == pieces, "a cell has another text now"
    return names, [used[piece] for piece in TRAININGS[lesson]]


@pytest.fixture
def smaller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fewer runs of those experiments that have many, and shorter texts from models that have learned nothing."""
    monkeypatch.setattr(of_the_block, "DEPTHS", (2,))
    monkeypatch.setattr(of_the_block, "SEEDS", (0,))
    monkeypatch.setattr(of_the_block, "KINDS", {"neither": (False, False)})
    monkeypatch.setattr(of_today, "BATCH", 2)
    monkeypatch.setattr(of_the_block, "speak", functools.partial(of_the_block.speak, longest=6))
    shown = answering.demonstrations(32)  # a model that has learned nothing has no pairs of its own
    monkeypatch.setattr(of_answers, "pairs_of", lambda *_: list(itertools.pairwise(shown)))
    with spoken.dictionary(tmp_path, monkeypatch):
        yield


DECIDE = ("helpers", "autograder/*.py", "autograder/authoring/*.py", "exercises/**/*.py")
each_lesson = pytest.mark.parametrize(
    "lesson",
    [pytest.param(lesson, marks=follows_from(f"notebooks/{lesson}.py", *DECIDE)) for lesson in TRAININGS],
)


@each_lesson
def test_every_training_runs_on_the_gpu(
    lesson: str,
    gpu: torch.device,
    smaller: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
) -> None:
    _, used = run(lesson, "the course's", monkeypatch)
    assert min(used) > 100, used
    assert GIVES_WAY not in capsys.readouterr().out


@pytest.mark.parametrize("style", [0, 1, "on the CPU"])
@each_lesson
def test_no_training_stops_at_a_student_s_parts(
    lesson: str, style: int | str, gpu: torch.device, smaller: None, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
) -> None:  # fmt: skip
    names, used = run(lesson, style, monkeypatch)
    gave_way = GIVES_WAY in capsys.readouterr().out
    assert gave_way if style == "on the CPU" else gave_way or min(used) > 100
    models = [value for value in names.values() if isinstance(value, nn.Module)]
    assert models and all(p.device.type == "cpu" for model in models for p in model.parameters())


def test_what_is_made_smaller_is_still_there() -> None:
    text = "".join(master_path(lesson).read_text() for lesson in TRAININGS)
    assert [part for part in SMALLER if part not in text] == []


def test_a_policy_and_the_frozen_model_are_compared_on_the_gpu(
    gpu: torch.device, capsys: pytest.CaptureFixture
) -> None:
    frozen = LanguageModel(LanguageModelConfig(len(requests.vocabulary()), 8, 2, 1, positions=30))
    tools = answering.Tools(**{name: getattr(posttraining, name) for name in answering.Tools._fields})
    policy, before = copy.deepcopy(frozen), accelerator.calls
    answering.reinforce(policy, frozen, tools, answering.Setting(4, beta=1.0, requests=1, group=2))
    assert accelerator.calls > before + 100 and GIVES_WAY not in capsys.readouterr().out
    assert {p.device.type for model in (policy, frozen) for p in model.parameters()} == {"cpu"}


# -- one thread ------------------------------------------------------------------------------------------


def test_runs_side_by_side_take_turns_on_a_gpu_in_the_thread_that_asks(gpu: torch.device) -> None:
    seen = []

    def job(number: int) -> float:
        seen.append(threading.get_ident())
        return float(torch.full((2,), float(number), device=gpu).sum())

    assert training.each(job, range(3), "Sums") == [0.0, 2.0, 4.0]
    assert {*seen} == {threading.get_ident()}


def test_runs_that_take_turns_end_at_an_interrupt(gpu: torch.device, interrupts: None) -> None:
    done = []

    def job(number: int) -> None:
        if number == 1:
            signal.raise_signal(signal.SIGINT)
            training.unless_stopped()
        done.append(number)

    with raises_only(training.Stopped, match=r"Stopped after 1 of 3 runs; none of them is kept"):
        training.each(job, range(3), "Runs")
    assert done == [0]
    training.unless_stopped()


def test_muon_moves_matrices_on_a_gpu_in_the_thread_that_asks(
    gpu: torch.device, recwarn: pytest.WarningsRecorder
) -> None:
    found = []
    for place in (torch.device("cpu"), gpu):
        torch.manual_seed(0)
        matrices = [nn.Parameter(torch.randn(shape).to(place)) for shape in ((3, 4), (4, 3), (2, 5))]
        for matrix in matrices:
            matrix.grad = torch.randn(matrix.shape).to(place)
        with nothing_else_raised():
            Muon(matrices, lr=0.1).step()
        found.append([matrix.to("cpu") for matrix in matrices])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other)
    assert not recwarn.list


# -- what doesn't run there ------------------------------------------------------------------------------


class Halves(nn.Module):
    """Learns to halve; where `spoiled` is asked for, from the second step on with a tensor of its own on the CPU."""

    def __init__(self, spoiled: bool) -> None:
        super().__init__()
        self.map, self.spoiled = nn.Linear(2, 2), spoiled

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.map(x) * (torch.full((2,), 0.5) if self.spoiled and x[0, 0] > 1 else 0.5)


@training.on_device
def learn(model: nn.Module, places: list[str], stop_at: int = 0) -> None:
    spread = training.on_all_cores(lambda model, x, y: (model(x) - y).square().mean())
    adam = torch.optim.AdamW([model.map.bias], lr=0.1, fused=True)
    optimizer = CombinedOptimizer(Muon([model.map.weight], lr=0.1), adam)
    keep = training.Checkpoint("halves", model=model, optimizer=optimizer)
    for step in training.Live(3, "loss", keep=keep):
        places.append(next(model.parameters()).device.type)
        x = torch.full((4, 2), float(step))
        optimizer.zero_grad()
        spread(model, x, x / 2).backward()
        if step == stop_at:
            signal.raise_signal(signal.SIGINT)
        optimizer.step()


def test_a_training_is_on_the_gpu_and_its_model_comes_back(gpu: torch.device, capsys) -> None:
    places: list[str] = []
    model = Halves(spoiled=False)
    learn(model, places)
    assert places == ["mps"] * 3 and next(model.parameters()).device.type == "cpu"
    assert GIVES_WAY not in capsys.readouterr().out


def test_a_training_that_stops_on_the_gpu_says_so_once_and_is_made_on_the_cpu(
    gpu: torch.device, capsys: pytest.CaptureFixture
) -> None:
    torch.manual_seed(0)
    models = [Halves(spoiled=True) for _ in range(2)]
    alone = copy.deepcopy(models[0])
    for model in models:
        places: list[str] = []
        with nothing_else_raised():
            learn(model, places)
        assert places == ["mps", "mps", "cpu", "cpu", "cpu"]
    said = capsys.readouterr().out
    assert (
        said.count(GIVES_WAY) == 1 and "RuntimeError: Expected all tensors to be on the same device" in said
    )
    with parallel._on_the_cpu():
        learn(alone, [])
    assert torch.equal(alone.map.weight, models[0].map.weight), "from the weights that it began with"
    assert training.device() == gpu


def test_a_mistake_that_the_cpu_finds_too_is_raised(gpu: torch.device) -> None:
    @training.on_device
    def divides(model: nn.Module) -> float:
        return 1 / 0

    with pytest.raises(ZeroDivisionError):
        divides(nn.Linear(2, 2))
    assert training.device() == gpu


def test_of_what_is_not_written_nothing_else_is_said(
    gpu: torch.device, capsys: pytest.CaptureFixture
) -> None:
    @training.on_device
    def unwritten(model: nn.Module) -> None:
        raise NotImplementedError

    with pytest.raises(NotImplementedError):
        unwritten(nn.Linear(2, 2))
    assert capsys.readouterr().out == ""


@pytest.fixture
def interrupts() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("first, then", [("mps", "cpu"), ("cpu", "mps")])
def test_a_run_that_was_stopped_goes_on_on_another_device(
    first: str, then: str, interrupts: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    torch.manual_seed(0)
    model, places = Halves(spoiled=False), []
    whole, other = copy.deepcopy(model), Halves(spoiled=False)
    with accelerator.pretended():
        monkeypatch.setenv("HEADSTART_DEVICE", first)
        with raises_only(training.Stopped, match="Stopped after 2 of 3 steps"):
            learn(model, places, stop_at=2)
        assert next(model.parameters()).device.type == "cpu"
        monkeypatch.setenv("HEADSTART_DEVICE", then)
        learn(other, places)
    assert places == [first, first, then]
    assert "goes on after 2 of 3 steps" in capsys.readouterr().out
    monkeypatch.delenv("HEADSTART_DEVICE")
    learn(whole, [])
    torch.testing.assert_close(other.state_dict(), whole.state_dict())


def test_a_model_that_was_trained_on_a_gpu_is_found_without_one(gpu: torch.device, home: Path) -> None:
    model = Halves(spoiled=False).to(gpu)
    training.keep("halves", model)
    again = Halves(spoiled=False)
    assert training.recall("halves", again)
    assert again.map.weight.device.type == "cpu" and again.map.weight.tolist() == model.map.weight.tolist()


# -- a student's own parts -------------------------------------------------------------------------------

SETUP = "import math\n\nimport torch\n\nfrom helpers.checks import check\n"
OWN = {
    "attention.scaled_dot_product": """
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(k.size(-1))
    if mask is not None:
        hidden = torch.zeros(mask.shape)
        hidden[~mask] = -math.inf
        scores = scores + hidden
    weights = scores.softmax(-1)
    return weights @ v, weights
""",
    "block.layer_norm": ON_THE_CPU["block.layer_norm"],
    "block.feed_forward": """
class FeedForward(torch.nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)
        self.root = torch.tensor([2.0]).sqrt()

    def forward(self, x):
        y = self.W_up(x)
        return self.W_down(y * (1 + torch.erf(y / self.root)) / 2)
""",
    "block.embed": """
def embed(ids, words, positions):
    return words[ids] * math.sqrt(words.size(-1)) + positions[torch.arange(ids.size(-1))]
""",
    "masking.causal": "def causal_mask(T):\n    return torch.arange(T) <= torch.arange(T)[:, None]\n",
}
PARTS = {"attention", "layer_norm", "feed_forward", "embed", "causal_mask"}


@pytest.fixture
def kept() -> None:
    for exercise, source in OWN.items():
        name = source.split("def ")[1].partition("(")[0] if "class" not in source else "FeedForward"
        keeping.keep(exercise, [SETUP, source, f'check("{exercise}", {name})'], name)


def test_a_part_that_is_right_on_the_cpu_alone_gives_way_and_says_why(kept: None, gpu: torch.device) -> None:
    rows = {row.part: row for row in own.parts()[1] if row.part in PARTS}
    assert {part for part, row in rows.items() if row.yours} == {"embed", "causal_mask"}
    for part in ("attention", "layer_norm", "feed_forward"):
        assert rows[part].why.startswith("it serves on the CPU, but on mps:0 it stops with RuntimeError: ")
        assert "on the same device" in rows[part].why
    assert "on mps:0 it stops" in own.table([*rows.values()])._repr_mimebundle_()["text/html"]


def test_without_a_gpu_the_same_parts_are_used(kept: None) -> None:
    assert all(row.yours for row in own.parts()[1] if row.part in PARTS)


def test_lesson_08_trains_with_the_parts_that_run_on_the_gpu(
    kept: None, gpu: torch.device, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    names, used = run("08_pretraining", "the course's", monkeypatch)
    assert min(used) > 100 and GIVES_WAY not in capsys.readouterr().out
    assert [row.part for row in names["whose"] if row.yours] == ["embed", "causal_mask"]


# -- trainings that a notebook makes on request ----------------------------------------------------------


@follows_from("notebooks/08_pretraining.py", *DECIDE)
def test_longer_trainings_run_on_the_gpu_too(
    gpu: torch.device, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    before, texts = accelerator.calls, [review.text for review in corpora.reviews(40, seed=1)]
    monkeypatch.setitem(scaling.WIDTHS, 2e9, (8,))
    assert scaling.measure([2e9])[0].tokens > 0
    monkeypatch.setattr(corpora, "load", lambda _: " ".join(texts))
    assert plays.measure([0])[0].nats > 0
    vocabulary = corpora.vocabulary()
    text = SimpleNamespace(
        unlabelled=texts, batch=lambda some: vocabulary.batch(some)[:, : real_text.LONGEST]
    )
    backbone = real_text.pretrained(text, 4)
    assert backbone.words.weight.device.type == "cpu"
    encoder = Encoder(EncoderConfig(len(vocabulary), 8, 2, 16, 1, 100, segments=2))
    some = experiments.examples(7, seed=1)
    assert published._vectors(encoder, finetuning.mean_real, some).shape == (7, 8)
    names, _ = run("08_pretraining", "the course's", monkeypatch)
    ids, tokens = torch.randint(50, (400,)), [*map(str, range(49)), "¶"]
    names["WIDTH"] = 128  # of a later cell
    names["train_on_plays"](names["new_model"](50, 128, 4, 4, 64), ids, tokens, 4)
    assert accelerator.calls > before + 1000 and GIVES_WAY not in capsys.readouterr().out
