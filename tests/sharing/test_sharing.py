"""A model shared as one file: it writes in a browser without a network, and gives torch's probabilities."""

import math
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from playwright.sync_api import Browser, Page, expect, sync_playwright
from torch import nn

from autograder import programs
from autograder.commands import cli
from helpers import block, corpora, posttraining, sharing, training
from helpers.block import experiments
from helpers.kept import Whose
from helpers.models.blocks import Parts, Style
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from helpers.posttraining import experiments as answering
from helpers.posttraining import requests
from helpers.posttraining.experiments import Setting
from tests.support.browser import AXE, CHROMIUM_OPTIONS
from tests.support.limits import PATIENCE
from tests.support.proved import PROJECT, follows_from

VOCABULARY = corpora.vocabulary()
TOOLS = answering.Tools(**{name: getattr(posttraining, name) for name in answering.Tools._fields})
SIZES = (len(VOCABULARY), 16, 2, 2, 40)
FULL = (len(VOCABULARY), 96, 4, 2, 100)  # as in the lessons
NAME = """Ada</title></script><img src=x onerror="document.title='bad'">{{model}}&"""
PROBABILITIES = "ids => Array.from(softmax(model.logits(ids)))"
SERIOUS = """async () => (await axe.run()).violations.flatMap(
    rule => rule.nodes.map(node => rule.id + ": " + node.html.slice(0, 200)))"""
pytestmark = [pytest.mark.needs_chromium, follows_from(*PROJECT)]


# -- a student's parts, in other words than the course's -----------------------------------------------------


def my_attention(q, k, v, mask=None):
    scores = torch.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -0.5
    weights = torch.where(mask, scores, -math.inf).softmax(-1) if mask is not None else scores.softmax(-1)
    return torch.einsum("...qk,...kd->...qd", weights, v), weights


def my_norm(x, weight, bias, eps):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return (x - mean) * (variance + eps).rsqrt() * weight + bias


class MyFeedForward(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        x = self.W_up(x)
        return self.W_down(0.5 * x * torch.erfc(-x / 2**0.5))


def my_embed(ids, words, positions):
    return nn.functional.embedding(ids, words) * words.size(1) ** 0.5 + positions[: ids.size(-1)]


OWN = Parts(attention=my_attention, layer_norm=my_norm, feed_forward=MyFeedForward, embed=my_embed)
MODELS = {
    "lesson 06's": lambda sizes: block.DecoderOnly(*sizes),
    "lesson 08's": lambda sizes: LanguageModel(LanguageModelConfig(*sizes)),
    "of the student's parts": lambda sizes: LanguageModel(LanguageModelConfig(*sizes), OWN),
    "unscaled": lambda sizes: LanguageModel(LanguageModelConfig(*sizes, scale=1.0, d_ff=24)),
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def trained(kind: str, sizes: tuple[int, ...] = SIZES, steps: int = 60) -> nn.Module:
    """A model after a few steps, kept as "reviews" with its curve."""
    torch.manual_seed(0)
    model = MODELS[kind](sizes)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.02)
    live = training.Live(steps, "nats per token", {"entropy": corpora.entropy_per_token()}, "Pretraining")
    longest = sizes[-1]
    for (inputs, targets), _ in zip(experiments.batches(steps, 4, seed=0), live, strict=True):
        loss = experiments.loss_of(model, inputs[:, :longest], targets[:, :longest])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        live.add(training=loss.detach())
    training.keep("reviews", model, live)
    return model


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    options = {"executable_path": programs.find(programs.CHROMIUM), "args": CHROMIUM_OPTIONS}
    with sync_playwright() as playwright:
        program = playwright.chromium.launch(**options)
        yield program
        program.close()


def opened(chromium: Browser, path: Path, **options: object) -> tuple[Page, list[str]]:
    """A shared page, opened as a file, and what goes wrong in it or is asked of a network."""
    page, noticed = chromium.new_page(**{"reduced_motion": "reduce", **options}), list[str]()
    page.set_default_timeout(1000 * PATIENCE)

    def asked(url: str) -> None:
        if not url.startswith(("file:", "data:")):
            noticed.append(url)

    page.on("request", lambda request: asked(request.url))
    page.on("console", lambda message: noticed.append(message.text))
    page.on("pageerror", lambda error: noticed.append(str(error)))
    page.goto(path.resolve().as_uri())
    return page, noticed


@pytest.mark.parametrize("kind", MODELS)
def test_a_shared_model_writes_and_gives_torch_s_probabilities(kind: str, chromium: Browser) -> None:
    model = trained(kind)
    page, noticed = opened(chromium, sharing.share("reviews", model))
    expect(page.locator("#checked")).to_contain_text("Checked on opening")
    chance = random.Random(0)
    for _ in range(100):
        ids = chance.choices(range(len(VOCABULARY)), k=chance.randint(1, SIZES[-1]))
        with torch.no_grad():
            right = model(torch.tensor([ids]))[0, -1].softmax(-1)
        assert (torch.tensor(page.evaluate(PROBABILITIES, ids)) - right).abs().max() < 1e-5, ids
    box = page.locator("#text")
    page.locator("#write").click()
    text = box.input_value()
    assert re.match(r"i read this[ ,.?]", text) and len(text) > 12  # what is drawn first may be a comma
    page.locator("#again").click()
    assert box.input_value() == "i read this" and noticed == []


def test_a_page_shows_the_attention_that_torch_computes(chromium: Browser) -> None:
    model = trained("lesson 08's")
    page, _ = opened(chromium, sharing.share("reviews", model))
    weights: list[torch.Tensor] = []
    with torch.no_grad():
        model(VOCABULARY.batch(["i read this"], eos=False), weights=weights)
    last = torch.cat([layer[0, :, -1] for layer in weights]).T  # (positions, blocks · heads)
    rows = page.locator(".heat tbody tr")
    assert rows.locator("th").all_inner_texts() == ["(start)", "i", "read", "this"]
    shown = [int(text) for text in rows.locator("td").all_inner_texts()]
    assert (torch.tensor(shown).view_as(last) - 100 * last).abs().max() < 0.51
    page.locator("#reader").select_option("2")
    assert rows.locator("th").all_inner_texts() == ["(start)", "i", "read"]


def test_bars_follow_the_sliders_and_a_chosen_word_is_added(chromium: Browser) -> None:
    model = trained("lesson 08's")
    page, _ = opened(chromium, sharing.share("reviews", model))
    with torch.no_grad():
        logits = model(VOCABULARY.batch(["i read this"], eos=False))[0, -1]
    page.locator("#temperature").fill("2")
    page.locator("#most").fill("3")
    best = (logits / 2).topk(3)
    shares = [f"{100 * share:.1f} %" for share in best.values.softmax(-1).tolist()]
    words = ["(the end)" if n == corpora.EOS else VOCABULARY.words[n] for n in best.indices.tolist()]
    choices = page.locator("#next button:visible")
    assert choices.all_inner_texts() == [f"{w}\n{s}" for w, s in zip(words, shares, strict=True)]
    page.locator("#temperature").fill("0")
    expect(choices).to_have_count(1)
    expect(choices).to_contain_text("100.0 %")
    added = VOCABULARY.words[int(logits.argmax())]
    choices.focus()
    page.keyboard.press("Enter")
    assert page.locator("#text").input_value().removeprefix("i read this").strip() == added


def test_words_are_read_as_people_type_them_and_unknown_ones_are_named(chromium: Browser) -> None:
    page, _ = opened(chromium, sharing.share("reviews", trained("lesson 08's")))
    typed = "Sadly, the thief’s old-fashioned plot is dull.\nI"
    page.locator("#text").fill(typed)
    right = VOCABULARY.encode("sadly , the thief 's old-fashioned plot is dull . i")
    assert page.evaluate("model.read.map(each => each.id)") == [corpora.BOS, *right]
    page.locator("#text").fill("the plo")
    expect(page.locator("#status")).to_contain_text("“plo”. It knows plot")
    page.locator("#text").fill("the " * 40)
    expect(page.locator("#status")).to_contain_text("more than 39")
    page.locator("#text").fill("")
    expect(page.locator("#next button").first).to_be_enabled()


def test_what_a_name_holds_is_text(chromium: Browser) -> None:
    page, noticed = opened(chromium, sharing.share("reviews", trained("lesson 06's", steps=5), NAME))
    expect(page.locator("#checked")).to_contain_text("Checked on opening")
    assert page.locator("h1").inner_text() == f"{NAME}’s language model" == page.title()
    assert noticed == []


def test_classes_written_in_a_notebook_are_the_student_s(
    chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(block.DecoderOnly, "__module__", "__main__")
    page, _ = opened(chromium, sharing.share("reviews", trained("lesson 06's", steps=5)))
    parts = page.locator("table:not(.heat) tbody tr").all_inner_texts()
    assert parts[:2] == ["DecoderOnly\tthe student", "Block\tthe course"]
    assert page.title() == "A language model, trained by a student"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_fits_and_has_no_barriers(width: int, scheme: str, chromium: Browser) -> None:
    rows = [
        Whose("attention", "attention", "attention.scaled_dot_product", True),
        Whose("embed", "embedding", ""),
    ]
    path = sharing.share("reviews", trained("lesson 08's", FULL, 5), "Ada", rows)
    assert path.stat().st_size < sharing.MOST
    page, _ = opened(chromium, path, viewport={"width": width, "height": 844}, color_scheme=scheme)
    expect(page.locator("#checked")).to_contain_text("Checked on opening")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("(box => box.scrollWidth <= box.clientWidth)(document.querySelector('.wide'))")
    parts = page.locator("table:not(.heat) tbody tr")
    assert parts.all_inner_texts() == ["attention\tAda", "embedding\tthe course"]
    page.evaluate(AXE.read_text())
    assert page.evaluate(SERIOUS) == []


def test_without_scripts_a_page_says_what_to_do_and_how_the_model_learned(chromium: Browser) -> None:
    page, _ = opened(chromium, sharing.share("reviews", trained("lesson 06's")), java_script_enabled=False)
    text = page.locator("body").inner_text()
    assert "this viewer runs no scripts" in text
    assert (
        "In 60 steps of training, it fell on its training texts from" in text
        and "is the best possible on average" in text
    )
    assert page.locator("img").get_attribute("alt").startswith("Pretraining, nats per token after 60 steps")
    assert not page.locator("#live").is_visible()


def test_a_page_that_computes_something_else_says_so(chromium: Browser) -> None:
    """As for a model with another activation than lesson 06's: nothing in its weights tells."""
    model = LanguageModel(LanguageModelConfig(*SIZES, style=Style(activation="relu")))
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.3)
    training.keep("reviews", model)
    page, _ = opened(chromium, sharing.share("reviews", model))
    expect(page.locator("#checked")).to_contain_text("doesn't compute what the model does")


def test_what_a_page_cannot_run_is_refused(home: Path) -> None:
    model = LanguageModel(LanguageModelConfig(*SIZES))
    with pytest.raises(LookupError, match="train it first"):
        sharing.share("reviews", model)
    strange = LanguageModel(LanguageModelConfig(*SIZES))
    strange.gate = nn.Linear(2, 2)
    large = LanguageModel(LanguageModelConfig(len(VOCABULARY), 128, 4, 4, 64))
    letters = LanguageModel(LanguageModelConfig(65, 16, 2, 2, 40))
    merged = (letters, [*LETTERS[:-1], "th"])
    for wrong, why, *tokens in (
        (strange, "gate.weight"),
        (large, r"would have 4\.\d MB, but the limit is 2.*have 76 numbers at most"),
        (letters, "65 tokens"),
        (merged[0], "without merges", merged[1]),
    ):
        training.keep("reviews", wrong, tokens=tokens[0] if tokens else ())
        with pytest.raises(ValueError, match=why):
            sharing.share("reviews", wrong)
    assert not (home / "my_model.html").exists()
    fits, wider = (LanguageModel(LanguageModelConfig(len(VOCABULARY), C, 4, 4, 64)) for C in (76, 80))
    training.keep("reviews", wider)
    with pytest.raises(ValueError, match="MB"):
        sharing.share("reviews", wider)
    training.keep("reviews", fits)
    assert sharing.share("reviews", fits).stat().st_size < sharing.MOST


LETTERS = sorted({*"¶▁!$&',-.3:;?", *map(chr, range(65, 91)), *map(chr, range(97, 123))})  # Shakespeare's


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_model_of_letters_writes_on_a_phone_with_a_name_and_no_network(
    scheme: str, home: Path, chromium: Browser
) -> None:
    """Of lesson 08's sizes for Shakespeare, but for the width: 80, which the lesson says fits a page."""
    torch.manual_seed(0)
    model = LanguageModel(LanguageModelConfig(len(LETTERS), 80, 4, 4, 64))
    for weight in model.parameters():
        nn.init.normal_(weight, std=0.15)
    training.keep("plays", model, tokens=LETTERS)
    assert cli.main(["share", "plays", "--name", "Ada", "--to", "ada.html"]) == 0
    assert (home / "ada.html").stat().st_size < sharing.MOST
    phone = {"width": 390, "height": 844}
    page, noticed = opened(chromium, home / "ada.html", viewport=phone, color_scheme=scheme)
    expect(page.locator("#checked")).to_contain_text("Checked on opening: after 64 random letters")
    assert page.title() == "Ada’s language model" and "letter by letter" in page.locator("main").inner_text()
    chance = random.Random(0)
    for _ in range(100):
        ids = chance.choices(range(len(LETTERS)), k=chance.randint(1, 9))  # the page itself compares 64
        with torch.no_grad():
            right = model(torch.tensor([ids]))[0, -1].softmax(-1)
        assert (torch.tensor(page.evaluate(PROBABILITIES, ids)) - right).abs().max() < 1e-5, ids
    page.locator("#text").fill("ROMEO:\nBut soft " + "x" * 100)
    read = page.evaluate("model.read.map(each => each.id)")
    assert 32 <= len(read) <= 64 and {*read} == {LETTERS.index("x")}
    page.locator("#text").fill("ROMEO:\nBut")
    right = [LETTERS.index(letter) for letter in "¶ROMEO:¶But"]
    assert page.evaluate("model.read.map(each => each.id)") == right
    page.locator("#next button").first.click()
    assert len(page.locator("#text").input_value()) == len("ROMEO:\nBut") + 1
    page.locator("#write").click()
    expect(page.locator("#status")).to_contain_text("Write again")
    assert len(page.locator("#text").input_value()) > 200
    page.locator("#text").fill("ROMEO 7")
    expect(page.locator("#status")).to_contain_text("never read the sign “7”")
    page.locator("#text").fill("ROMEO:\nBut")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.evaluate(AXE.read_text())
    assert page.evaluate(SERIOUS) == [] and noticed == []


@pytest.mark.parametrize("name", ["answers", "rewarded"])
def test_a_model_that_answers_does_so_on_its_page_as_in_torch(
    name: str, home: Path, chromium: Browser
) -> None:
    torch.manual_seed(0)
    model = LanguageModel(LanguageModelConfig(len(requests.vocabulary()), 16, 4, 2, 100))
    live = answering.supervise(model, answering.demonstrations(320), TOOLS)
    if name == "rewarded":
        live = answering.reinforce(model, model, TOOLS, Setting(4, group=2, requests=2))
    training.keep(name, model, live, requests.vocabulary().words)
    assert cli.main(["share", name, "--name", "Ada", "--to", "ada.html"]) == 0
    page, noticed = opened(chromium, home / "ada.html", viewport={"width": 390, "height": 844})
    expect(page.locator("#checked")).to_contain_text("Checked on opening: after 100 random words")
    told = (
        "4 steps of training on rewards"
        if name == "rewarded"
        else "steps of training, it fell on its training texts"
    )
    assert told in page.locator("main").inner_text()
    box, asked = page.locator("#text"), requests.understood("a favourable review of a ghost story by a woman")
    assert box.input_value() == f"{asked.text} <answer>"
    page.locator("#temperature").fill("0")
    for typed in (box.input_value(), asked.text.capitalize()):  # with <answer>, and without
        box.fill(typed)
        page.locator("#write").click()
        written = answering.write(model, [asked], torch.Generator(), temperature=0).ids[0].tolist()
        end = requests.special().end
        right = written[: written.index(end)] if end in written else written
        assert page.evaluate("model.read.map(each => each.id)") == right
    assert re.search("ends its answer|no positions left", page.locator("#status").inner_text())
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.evaluate(AXE.read_text())
    assert page.evaluate(SERIOUS) == [] and noticed == []


@pytest.mark.parametrize("name", ["reviews", "block"])
def test_the_command_shares_what_the_lessons_keep(
    name: str, home: Path, chromium: Browser, capsys: pytest.CaptureFixture
) -> None:
    assert cli.main(["share", name]) == 2
    assert "train it first" in capsys.readouterr().err
    training.keep(name, MODELS["lesson 06's" if name == "block" else "lesson 08's"](FULL))
    assert cli.main(["share", name, "--name", "Ada", "--to", "ada.html"]) == 0
    page, _ = opened(chromium, home / "ada.html")
    expect(page.locator("#checked")).to_contain_text("Checked on opening")
    assert page.title() == "Ada’s language model"
