"""How well lesson 11's translator translates, and how long that takes: with the lesson's own cells.

python -m benchmarks.training_translation [--seeds 3] [--sounds] [--real] [--minutes 30]

Seconds are of the clock and of the processors. `--sounds` trains on the pronouncing dictionary instead, and
gives the shares of wrong sounds and wrong words among those held out. `--real` trains on German captions for
so many minutes, and gives BLEU on the test set.
"""

import argparse
import time
from collections.abc import Mapping, Sequence
from statistics import mean, stdev
from typing import Any

import torch
from rich.table import Table

from autograder import lessons
from benchmarks.results import Parts, record
from helpers import corpora, training
from helpers.finetuning import T_95, t_interval
from helpers.translation import explorers as data
from helpers.translation import sounds

LESSON = "11_translation"
SEEDS, BEAMED = 3, 100  # training runs; sentences that beams are tried on


def lesson_cells() -> dict[str, Any]:
    """The names of the solved lesson: what its cells define that neither draw nor check."""
    names: dict[str, Any] = {"__name__": "lesson"}
    for cell in lessons.load_source_notebook(LESSON).cells:
        if cell.cell_type == "code" and lessons.kind(cell) not in ("draw", "check"):
            exec(cell.source, names)
    return names


def measure(console: Parts, seeds: int = SEEDS) -> None:
    """Train on the invented language from several seeds, and print what comes of it."""
    lesson = lesson_cells()
    table = Table(
        "seed", "exact, greedy", f"exact of {BEAMED}, 4 beams", "BLEU", "aligned, by layer",
        "seconds", "CPU s",
        title=f"{lesson['STEPS']} steps, {len(data.pairs()[0]):,} pairs, {len(data.pairs()[1])} held out",
    )  # fmt: skip
    shares = []
    for seed in range(seeds):
        torch.manual_seed(seed)
        width, layers = lesson["WIDTH"], lesson["LAYERS"]
        model = lesson["Translator"](len(data.vocabulary()), width, lesson["HEADS"], 4 * width, layers)
        begun, used = time.perf_counter(), time.process_time()
        lesson["train_on_pairs"](model, training.steps(lesson["STEPS"]), seed)
        seconds = f"{time.perf_counter() - begun:.0f}", f"{time.process_time() - used:.0f}"
        data.finished(model)
        lesson["model"] = model
        found = _scores(lesson)
        shares.append(found["exact"])
        aligned = ", ".join(f"{share:.0%}" for share in found["aligned"])
        table.add_row(
            str(seed),
            f"{found['exact']:.1%}",
            f"{found['beams']:.0%}",
            f"{found['bleu']:.1f}",
            aligned,
            *seconds,
        )
    console.print(table)
    spread = f" ± {stdev(shares):.1%} (standard deviation)" if seeds > 1 else ""
    console.print(f"exactly right: {mean(shares):.1%}{spread}, least {min(shares):.1%}")


def _scores(lesson: Mapping[str, Any]) -> dict[str, Any]:
    """What the lesson's functions say of its model."""
    model, held_out = lesson["model"], data.pairs()[1]
    right = [pair.target for pair in held_out]
    found = lesson["translations"](model, [pair.source for pair in held_out])
    beamed = [
        lesson["beam_search"](lesson["step_of"](pair.source), 4, lesson["LONGEST"], 0.6)[0][1]
        for pair in held_out[:BEAMED]
    ]
    texts = [data.vocabulary().decode(tokens) for tokens in beamed]
    hits, total = [0] * lesson["LAYERS"], 0
    for pair in held_out[:BEAMED]:
        truth, (_, _, _, crossed) = data.true_alignment(pair.source), lesson["watched"](pair.source)
        total += len(truth)
        for layer, weights in enumerate(crossed):
            real = torch.arange(weights.size(-1)) < len(pair.source.split())
            places = lesson["alignment"](weights, real).tolist()
            hits[layer] += sum(a == b for a, b in zip(places, truth, strict=False))
    return {
        "exact": mean(one == other for one, other in zip(found, right, strict=True)),
        "beams": mean(one == other for one, other in zip(texts, right, strict=False)),
        "bleu": lesson["bleu"](found, right),
        "aligned": [count / total for count in hits],
    }


def real(console: Parts, minutes: float = 30) -> None:
    """German to English for so many minutes: BLEU on Multi30k's test set of 2016."""
    begun, used = time.perf_counter(), time.process_time()
    _, reached = lesson_cells()["german_to_english"](minutes)
    seconds, used = time.perf_counter() - begun, time.process_time() - used
    captions = len(corpora.load("multi30k")["test"])
    table = Table(
        "captions", "BLEU", "seconds in all", "CPU minutes",
        title=f"{minutes:g} minutes of training on {training.cores()} cores; {captions} captions",
    )  # fmt: skip
    table.add_row("Multi30k", f"{reached:.1f}", f"{seconds:.0f}", f"{used / 60:.0f}")
    console.print(table)


def letters_to_sounds(console: Parts, seeds: int = SEEDS) -> None:
    """Train on the pronouncing dictionary from several seeds: error rates on held-out words."""
    lesson, spoken = lesson_cells(), sounds.dictionary()
    table = Table(
        "written by", "sounds wrong", "words wrong", "seconds", "CPU s",
        title=f"{lesson['SPOKEN_STEPS']} steps of {lesson['SPOKEN_BATCH']}, {len(spoken.learned):,} words, "
        f"{len(spoken.tested):,} held out with all their family; no stress, greedy",
    )  # fmt: skip
    fixed = sounds.sound_of_each_letter()
    spelled = [" ".join(fixed[letter] for letter in word) for word in spoken.tested]
    table.add_row(
        "a fixed sound per letter", *_shares(lesson["error_rates"](spelled, spoken.tested)), "–", "–"
    )
    rates = []
    for seed in range(seeds):
        model = lesson["new_speaker"](seed)
        begun, used = time.perf_counter(), time.process_time()
        lesson["train_on_sounds"](model, training.steps(lesson["SPOKEN_STEPS"]), seed)
        clocks = f"{time.perf_counter() - begun:.0f}", f"{time.process_time() - used:.0f}"
        rates.append(lesson["error_rates"](lesson["said"](model, spoken.tested), spoken.tested))
        table.add_row(f"seed {seed}", *_shares(rates[-1]), *clocks)
    if seeds > 1:
        intervals = [(mean(column), *t_interval(column, T_95)) for column in zip(*rates, strict=True)]
        cells = [f"{middle:.1%}, {low:.1%} to {high:.1%}" for middle, low, high in intervals]
        table.add_row("mean, t-interval", *cells, "–", "–")
    console.print(table)


def _shares(rates: Sequence[float]) -> list[str]:
    return [f"{rate:.1%}" for rate in rates]


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--sounds", action="store_true", help="letters to sounds")
    parser.add_argument("--real", action="store_true", help="German to English")
    parser.add_argument("--minutes", type=float, default=30, help="of training, with --real")
    options = parser.parse_args()
    if options.real:
        record("Training: translation, real text", lambda parts: real(parts, options.minutes))
    elif options.sounds:
        record("Training: letters to sounds", lambda parts: letters_to_sounds(parts, options.seeds))
    else:
        record("Training: translation", lambda parts: measure(parts, options.seeds))


if __name__ == "__main__":
    main()
