"""What lesson 10's checkpoint is worth on real film reviews: frozen, fine-tuned, from scratch, TF-IDF.

HEADSTART_DATA=FOLDER python -m benchmarks.training_published [--labels 50 200 1000] [--tune]

Five seeds each, with 95 % intervals (Student). A run with all labels and kinds is written into RESULTS.md.
With --tune, training sets are tested on 600 other sentences of the pool, which is where learning rates were
chosen.
"""

import argparse

import torch
from rich.console import Console
from rich.table import Table

from benchmarks.results import write
from helpers import bert, corpora, finetuning
from helpers.bert import published
from helpers.bert.published import COUNTED, FROZEN, RATES, SCRATCH, SEEDS, TUNED
from helpers.finetuning import experiments
from helpers.models.transformer import Encoder

KINDS = [FROZEN, TUNED, SCRATCH, COUNTED]
Accuracies = dict[str, dict[int, list[float]]]


def measure(labels: list[int], kinds: list[str], tune: bool = False) -> Accuracies:
    """Train and test: the accuracy of each seed, by kind and number of labels."""
    torch.set_num_threads(1)
    text = published.sentences()
    if tune:
        rows = torch.arange(len(text.pool))
        text = published.Sentences(text.pool.part(rows[:600]), text.pool.part(rows[600:]))
    weights = corpora.load(published.CHECKPOINT).weights
    encoder = Encoder(published.MINILM)
    encoder.load_state_dict(bert.renamed(weights, bert.PUBLISHED_NAMES, published.MINILM.n_layers))
    found: Accuracies = {}
    for kind in kinds:
        if kind == FROZEN:
            found[kind] = published.frozen(encoder, finetuning.mean_real, text, labels)
        else:
            found[kind] = {count: _accuracies(kind, encoder, text, count) for count in labels}
        print(kind, found[kind], flush=True)
    return found


def _accuracies(kind: str, encoder: Encoder, text: published.Sentences, count: int) -> list[float]:
    if kind != COUNTED:
        return published.trained(encoder if kind == TUNED else None, finetuning.mean_real, text, count)
    sets = [published.training_set(text.pool, count, seed) for seed in range(SEEDS)]
    size = published.MINILM.vocabulary
    right = [experiments.by_counting(finetuning.tfidf, train, text.test, size) for train in sets]
    return [number / len(text.test) for number in right]


def _interval(shares: list[float]) -> str:
    mean, low, high = published.student_interval(shares)
    return f"{100 * mean:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def main() -> None:
    """Measure, print, and write what the lesson shows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--labels", type=int, nargs="+", default=list(published.EPOCHS))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--tune", action="store_true", help="test on sentences that aren't for testing")
    parser.add_argument("--rates", type=float, nargs=2, help="of body and head, in place of the lesson's")
    options = parser.parse_args()
    if options.rates:
        RATES.update({TUNED: tuple(options.rates), SCRATCH: tuple(options.rates)})
    found = measure(options.labels, options.kinds, options.tune)
    table = Table("labels", *found, title="film reviews, 2,000 test sentences, 5 seeds: mean, t-interval")
    for count in options.labels:
        table.add_row(f"{count:,}", *(_interval(shares[count]) for shares in found.values()))
    if options.tune or options.rates or options.labels != list(published.EPOCHS) or options.kinds != KINDS:
        Console(width=120).print(table)
    else:
        write("Training: published weights", "python -m benchmarks.training_published", table)


if __name__ == "__main__":
    main()
