"""Lesson 09 on real text: film reviews, sub-words, and a small language model of the same sentences."""

import math
import random
from collections.abc import Callable, Mapping

import torch
from torch import nn

from helpers import corpora, pretraining, training
from helpers.finetuning import experiments
from helpers.finetuning.experiments import Backbone, Examples, Run
from helpers.models.transformer import LanguageModelConfig

SUBWORDS, WIDTH, HEADS, LAYERS, LONGEST = 4_000, 128, 4, 2, 64  # sentences are cut to LONGEST sub-words
EMBEDDED, SPREAD = 0.1, 0.07  # standard deviations of the initial weights: embeddings; maps in the blocks
TESTED, LABELS, SEEDS, EPOCHS = 2_000, 200, 5, 15
PRETRAINING_STEPS, BATCH, PEAK = 2_000, 32, 2e-3
KEPT = "real text"  # the name under which the pretrained model is kept
RATES = {"pretrained": (5e-4, 1e-2), "from scratch": (3e-3, 1e-2)}


class Text:
    """rt-polarity as sub-words: test sentences, and the others, a few of which show their labels."""

    def __init__(self) -> None:
        sentences = corpora.load("rt-polarity")
        random.Random(0).shuffle(sentences)
        self.test, self.pool = sentences[:TESTED], sentences[TESTED:]
        encyclopedia = corpora.load("wikitext-2")
        lines = [line.strip().lower() for part in encyclopedia.values() for line in part.split("\n")]
        self.unlabelled = [text for text, _ in self.pool] + [line for line in lines if len(line) > 40]
        self.tokenizer = corpora.subwords(self.unlabelled, SUBWORDS)

    def batch(self, texts: list[str]) -> torch.Tensor:
        """Sub-words (N, T) between `<bos>` and `<eos>`, padded with `<pad>`."""
        rows = [[corpora.BOS, *self.tokenizer.encode(text).ids[: LONGEST - 2], corpora.EOS] for text in texts]
        longest = max(map(len, rows))
        return torch.tensor([row + [corpora.PAD] * (longest - len(row)) for row in rows])

    def examples(self, rows: list[tuple[str, int]]) -> Examples:
        """Labelled sentences."""
        return Examples(self.batch([text for text, _ in rows]), torch.tensor([label for _, label in rows]))


def pretrained(text: Text, steps: int) -> Backbone:
    """A small language model's backbone, trained without labels on all sentences but the test sentences."""
    torch.manual_seed(0)
    backbone = new_backbone()
    if not training.recall(KEPT, backbone):
        training.keep(KEPT, backbone, _learn(backbone, text, steps))
    return backbone


@training.on_device
def _learn(backbone: Backbone, text: Text, steps: int) -> training.Live:
    optimizer = pretraining.optimizer_of(backbone, PEAK)
    drawn = pretraining.batches(text.unlabelled, BATCH, 0, text)
    keep = training.Checkpoint(KEPT, model=backbone, optimizer=optimizer)
    live = training.Live(steps, "nats per token", title="Pretraining on real text", keep=keep, data=drawn)
    spread = training.on_all_cores(_language_loss)
    for step in live:
        optimizer.param_groups[0]["lr"] = pretraining.learning_rate(step, steps, min(100, steps - 1), PEAK)
        batch = pretraining.inputs_and_targets(next(drawn))
        live.add(training=pretraining.training_step(backbone, optimizer, spread, batch))
    return live


def new_backbone() -> Backbone:
    """A backbone for sub-words, untrained."""
    backbone = Backbone(LanguageModelConfig(SUBWORDS, WIDTH, HEADS, LAYERS, LONGEST, scale=1))
    # Larger initial weights: with 128 channels, 0.02 leaves attention uniform and words alike.
    nn.init.normal_(backbone.words.weight, std=EMBEDDED)
    nn.init.normal_(backbone.positions.weight, std=EMBEDDED)
    for name, weight in backbone.blocks.named_parameters():
        if weight.dim() == 2:
            writes = name.endswith(("W_o.weight", "W_down.weight"))
            nn.init.normal_(weight, std=SPREAD / math.sqrt(2 * LAYERS) if writes else SPREAD)
    return backbone


def _language_loss(backbone: Backbone, inputs: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return pretraining.language_model_loss(backbone(inputs) @ backbone.words.weight.T, targets)


def comparison(
    classifier: Callable[..., nn.Module],
    pool: Callable[..., torch.Tensor],
    loss: Callable[..., torch.Tensor],
    transfer: Callable[..., dict[str, torch.Tensor]],
    groups: Callable[..., list[dict]],
    tfidf: Callable[..., torch.Tensor],
) -> dict[str, list[float]]:
    """Accuracies on real sentences, for each seed: pretrained, from scratch, and by counting sub-words.

    Args:
        classifier: the student's class.
        pool: turns the body's vectors into one.
        loss: loss(logits, labels).
        transfer: transfer(old, new, prefix).
        groups: groups(model, body_rate, head_rate).
        tfidf: tfidf(train, counts).
    """
    text = Text()
    backbone = pretrained(text, training.steps(PRETRAINING_STEPS))
    test = text.examples(text.test[: training.steps(TESTED)])
    weights = {name: tensor.clone() for name, tensor in backbone.state_dict().items()}

    def make() -> nn.Module:
        return classifier(new_backbone(), WIDTH, 2, pool)

    jobs = [
        (name, _run(name, seed, text, make, weights, transfer, groups))
        for seed in range(SEEDS)
        for name in RATES
    ]
    right = [counts[-1] for counts in experiments.fit_each([run for _, run in jobs], loss, test, "real text")]
    found: dict[str, list[float]] = {name: [] for name in (*RATES, "TF-IDF")}
    for (name, _), count in zip(jobs, right, strict=True):
        found[name].append(count / len(test))
    for seed in range(SEEDS):
        train = text.examples(random.Random(seed).sample(text.pool, LABELS))
        found["TF-IDF"].append(experiments.by_counting(tfidf, train, test, SUBWORDS) / len(test))
    return found


def _run(
    name: str,
    seed: int,
    text: Text,
    make: Callable[[], nn.Module],
    weights: Mapping[str, torch.Tensor],
    transfer: Callable[..., dict[str, torch.Tensor]],
    groups: Callable[..., list[dict]],
) -> Run:
    torch.manual_seed(seed)
    model = make()
    if name == "pretrained":
        model.load_state_dict(transfer(weights, model.state_dict(), "body."))
    train = text.examples(random.Random(seed).sample(text.pool, LABELS))
    steps = experiments.epochs(EPOCHS, LABELS)
    return Run(model, groups(model, *RATES[name]), train, steps, (steps,), seed)
