"""Trains the small reader that lesson 01 opens with, and measures what that lesson says of it.

python -m benchmarks.reader [--keep]

It learns on reviews like those of lesson 08, each of which it sees six times. `--keep` trains one and writes
its words and weights into `helpers/attention/reader.npz`; without it, the ones that lie there are measured.
"""

import argparse
import random

import torch
from rich.table import Table

from benchmarks.results import Parts, record
from helpers import corpora, pretraining, training
from helpers.attention import reader
from helpers.finetuning import wilson

STEPS, BATCH, PASSES, RATE = 6_000, 64, 6, 3e-3
SEED, TESTED = 0, 985


def trained(seed: int) -> reader.Reader:
    """A new reader, trained on reviews, each from one of its sentences on."""
    torch.manual_seed(seed)
    model = reader.Reader(list(corpora.vocabulary().words))
    steps = training.steps(STEPS)
    rng, texts = random.Random(seed), []
    for review in corpora.reviews(steps * BATCH // PASSES, seed=1_000 + seed):
        sentences = corpora.sentences(review.text)
        texts.append(" ".join(sentences[rng.randrange(len(sentences)) :]))
    drawn = pretraining.batches(texts, BATCH, seed, corpora.vocabulary())
    optimizer = pretraining.optimizer_of(model, RATE)
    for step in training.Live(steps, "nats per token", {"entropy": corpora.entropy_per_token()}, "Reader"):
        optimizer.param_groups[0]["lr"] = pretraining.learning_rate(step, steps, 100, RATE)
        batch = pretraining.inputs_and_targets(next(drawn))
        pretraining.training_step(model, optimizer, pretraining.loss_of, batch)
    return model


def choices(reviews: list[corpora.Review]) -> list[tuple[str, str, str, str]]:
    """Places where one of two words follows, and what came before decides which.

    Returns:
        For each: what is chosen, the text up to there, the right word, the other one.
    """
    pairs = {"is or are": ("is", "are"), "he or she": ("he", "she"), "him or her": ("him", "her")}
    found = []
    for review in reviews:
        words = review.text.split()
        for at, word in enumerate(words):
            for name, pair in pairs.items():
                if word in pair and at > 0:
                    other = pair[1 - pair.index(word)]
                    found.append((name, " ".join(words[:at]), word, other))
    return found


def measure(console: Parts, model: reader.Reader) -> None:
    """The loss on new reviews, and how often the right one of two words is the more probable."""
    reviews = corpora.reviews(300, TESTED)
    new = corpora.vocabulary().batch(review.text for review in reviews)
    with torch.no_grad():
        loss = float(pretraining.loss_of(model, *pretraining.inputs_and_targets(new)))
    size = sum(weight.numel() for weight in model.parameters())
    console.print(f"{size:,} numbers; {loss:.2f} nats per token, entropy {corpora.entropy_per_token():.2f}")
    table = Table("which of the two", "places", "right (95 % interval)")
    right: dict[str, list[bool]] = {}
    for name, text, word, other in choices(reviews):
        following = model.read(text).following
        better = following[model.vocabulary[word]] > following[model.vocabulary[other]]
        right.setdefault(name, []).append(bool(better))
    for name, each in right.items():
        low, high = wilson(sum(each), len(each), 1.96)
        table.add_row(name, str(len(each)), f"{sum(each) / len(each):.1%} ({low:.1%} to {high:.1%})")
    console.print(table)


def main() -> None:
    """Train if asked to, measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="train a new one and keep it")
    if parser.parse_args().keep:
        reader.write(trained(SEED))
    record("Reader", lambda parts: measure(parts, reader.reader()))


if __name__ == "__main__":
    main()
