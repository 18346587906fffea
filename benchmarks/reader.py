"""Trains the small readers of lessons 01 to 05, and measures what these lessons say of them.

python -m benchmarks.reader [--keep [KIND ...]]

They learn on reviews like those of lesson 08, each of which they see six times. `--keep` trains the reader
that lesson 01 opens with, and then, on its vectors for words, those without positions and without a mask; or
only those that are named. It writes them into `helpers/attention/`. What lies there is measured.
"""

import argparse
import random
from functools import partial
from statistics import mean

import torch
from rich.table import Table

from benchmarks.results import Parts, record
from helpers import corpora, pretraining, training
from helpers.attention import reader, writer
from helpers.finetuning import wilson

STEPS, BATCH, PASSES, RATE = 6_000, 64, 6, 3e-3
SEED, TESTED = 0, 985


def trained(seed: int, kind: str = "") -> reader.Reader:
    """A new reader, trained on reviews from one of their sentences on; the others keep the reader's words."""
    torch.manual_seed(seed)
    model = reader.Reader(list(corpora.vocabulary().words), kind)
    if kind:
        model.words.load_state_dict(reader.reader().words.state_dict())
        model.words.requires_grad_(False)
    steps = training.steps(STEPS)
    rng, texts = random.Random(seed), []
    for review in corpora.reviews(steps * BATCH // PASSES, seed=1_000 + seed):
        sentences = corpora.sentences(review.text)
        texts.append(" ".join(sentences[rng.randrange(len(sentences)) :]))
    drawn = pretraining.batches(texts, BATCH, seed, corpora.vocabulary())
    optimizer = pretraining.optimizer_of([each for each in model.parameters() if each.requires_grad], RATE)
    for step in training.Live(
        steps, "nats per token", {"entropy": corpora.entropy_per_token()}, f"Reader {kind}"
    ):
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


def grammatical(own: writer.OwnReader, temperature: float, count: int = 100) -> tuple[str, str]:
    """The share of grammatical sentences in so many reviews that it writes, and their number."""
    texts = [writer.BEGINNING + " " + own.write(writer.BEGINNING, temperature, seed) for seed in range(count)]
    sentences = [each for text in texts for each in corpora.sentences(text)]
    share = mean(corpora.is_grammatical(each) for each in sentences)
    return f"{share:.0%}", str(len(sentences))


def measure(console: Parts, kind: str) -> None:
    """A reader's loss on new reviews, how often it chooses right, and how its texts read."""
    model = reader.reader(kind=kind)
    reviews = corpora.reviews(300, TESTED)
    new = corpora.vocabulary().batch(review.text for review in reviews)
    with torch.no_grad():
        loss = float(pretraining.loss_of(model, *pretraining.inputs_and_targets(new)))
    size = sum(weight.numel() for weight in model.parameters())
    own = writer.OwnReader(model, {}, [])
    again = [own.loss(review.text, one_by_one=True) for review in reviews[:100]]
    once = [own.loss(review.text) for review in reviews[:100]]
    table = Table(
        "nats", "per token", "per word, in one pass", "per word, one by one", title=f"{size:,} numbers"
    )
    table.add_row("new reviews", f"{loss:.2f}", f"{mean(once):.2f}", f"{mean(again):.2f}")
    console.print(table)
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
    table = Table("temperature", "grammatical sentences", "of")
    for temperature in (0.3, 0.7, 1.0, 2.0):
        table.add_row(str(temperature), *grammatical(own, temperature))
    if not kind:
        removed = writer.OwnReader(model, {"positions": lambda x, table: x}, [])
        table.add_row("0.7, positions removed", *grammatical(removed, 0.7))
    console.print(table)


def main() -> None:
    """Train those that are asked for, measure all, and write."""
    kinds = {"reader": "", **{kind: kind for kind in reader.OTHERS}}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", nargs="*", choices=kinds, help="train these, or all three, and keep them")
    named = parser.parse_args().keep
    for kind in [] if named is None else named or kinds:
        reader.write(trained(SEED, kinds[kind]), reader.file_of(kinds[kind]))
        reader.reader.cache_clear()
    for name, kind in kinds.items():
        record(f"Reader: {name}", partial(measure, kind=kind))


if __name__ == "__main__":
    main()
