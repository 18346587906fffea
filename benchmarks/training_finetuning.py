"""What pretraining is worth, in lesson 09's experiments: accuracies with intervals, and what is forgotten.

python -m benchmarks.training_finetuning [--real | --trials]

The pretrained body is the one that lesson 09 kept on this computer, or one trained first. With --real the
comparison is on film reviews instead, and takes longer. With --trials it is of the choices that the lesson
reports in a sentence: fewer steps where labels are few, and adapters of different ranks.
"""

import argparse
import copy
import time
from collections.abc import Callable, Iterable

import torch
from rich.table import Table

from benchmarks.results import Parts, record
from helpers import corpora, finetuning, training
from helpers.finetuning import T_95, Classifier, class_loss, experiments, real_text, t_interval, wilson
from helpers.finetuning.experiments import RATES, Examples, Run

LABELS, EPOCHS, SEEDS, TESTED = 200, 15, 5, 300
SHOWN = (1, 2, 3, 5, 10, 15)
SIZES, SIZE_SEEDS = (50, 100, 200, 500, 1000, 2000), 2
FEW, FEW_STEPS = (50, 100), 80  # the lesson's runs with few labels, which are shorter


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    others = parser.add_mutually_exclusive_group()
    others.add_argument("--real", action="store_true", help="film reviews instead")
    others.add_argument("--trials", action="store_true", help="shorter runs, and adapters, instead")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.real:
        record("Training: finetuning, real text", real)
    elif options.trials:
        record("Training: finetuning, trials", trials)
    else:
        record("Training: finetuning", measure)


def measure(console: Parts) -> None:
    """The experiments on the course's corpus."""
    weights = _timed(console, "pretrained body", experiments.pretrained_weights)
    test = experiments.examples(TESTED, experiments.TEST_SEED)
    fresh = experiments.examples(100, seed=998)
    trained = _timed(console, "epochs", lambda: _epochs(console, weights, test))
    _timed(console, "numbers of labels", lambda: _sizes(console, weights, test))
    untouched = _model("full", 0, weights)
    losses = {"before": experiments.language_loss(untouched.body, fresh)}
    losses |= {name: experiments.language_loss(model.body, fresh) for name, model in trained.items()}
    table = Table("as a language model", "nats per token", title="on 100 new reviews")
    for name, loss in ({"the entropy": corpora.entropy_per_token()} | losses).items():
        table.add_row(name, f"{loss:.3f}")
    console.print(table)


def _epochs(console: Parts, weights: dict, test: Examples) -> dict[str, torch.nn.Module]:
    """15 epochs of 200 labels; the model of one seed for each regime comes back."""
    steps = experiments.epochs(EPOCHS, LABELS)
    measured = [steps * epoch // EPOCHS for epoch in range(1, EPOCHS + 1)]
    jobs = [
        (name, _run(name, seed, LABELS, steps, measured, weights))
        for seed in range(SEEDS)
        for name in ("full", "from scratch")
    ]
    right = training.each(lambda job: experiments.fit(job[1], class_loss, test), jobs, "Runs")
    heads = [_run("head only", seed, LABELS, 0, (), weights) for seed in range(SEEDS)]
    found = {
        name: [r for (n, _), r in zip(jobs, right, strict=True) if n == name]
        for name in ("full", "from scratch")
    }
    found["head only"] = [[experiments.fit_head(run, class_loss, test)] for run in heads]
    vocabulary = len(corpora.vocabulary())
    found["TF-IDF"] = [
        [experiments.by_counting(finetuning.tfidf, run.train, test, vocabulary)] for run in heads
    ]
    table = Table(
        "epoch", *found, title=f"{LABELS} labels, {SEEDS} seeds, {len(test)} test reviews: mean, t-interval"
    )
    for epoch in SHOWN:
        cells = [
            _interval([run[epoch - 1] / len(test) for run in runs]) if len(runs[0]) > 1 else ""
            for runs in found.values()
        ]
        table.add_row(str(epoch), *cells)
    table.add_row("end", *(_interval([run[-1] / len(test) for run in runs]) for runs in found.values()))
    console.print(table)
    first = {name: run.model for name, run in reversed(jobs)}
    return {"head only": heads[0].model, "full": first["full"]}


def _sizes(console: Parts, weights: dict, test: Examples) -> None:
    steps = experiments.epochs(EPOCHS, LABELS)  # for all, so that what differs is the labels
    title = f"{steps} steps, {SIZE_SEEDS} seeds: mean, Wilson's interval"
    table = Table("labels", "full", "from scratch", "TF-IDF", title=title)
    vocabulary = len(corpora.vocabulary())
    for n in SIZES:
        jobs = [
            (name, _run(name, 50 + seed, n, steps, (steps,), weights))
            for seed in range(SIZE_SEEDS)
            for name in ("full", "from scratch")
        ]
        right = training.each(lambda job: experiments.fit(job[1], class_loss, test)[-1], jobs, "Runs")
        cells = []
        for regime in ("full", "from scratch"):
            cells.append(
                _mean([r for (name, _), r in zip(jobs, right, strict=True) if name == regime], len(test))
            )
        counted = [
            experiments.by_counting(finetuning.tfidf, run.train, test, vocabulary) for _, run in jobs[::2]
        ]
        table.add_row(f"{n:,}", *cells, _mean(counted, len(test)))
    console.print(table)


def trials(console: Parts) -> None:
    """What shorter runs change where labels are few, and what adapters of rank 1 and more reach."""
    weights = _timed(console, "pretrained body", experiments.pretrained_weights)
    test = experiments.examples(TESTED, experiments.TEST_SEED)
    _timed(console, "shorter runs", lambda: _shorter(console, weights, test))
    _timed(console, "adapters", lambda: _adapters(console, weights, test))


def _shorter(console: Parts, weights: dict, test: Examples) -> None:
    steps = experiments.epochs(EPOCHS, LABELS)
    kinds = [
        (n, name, 50 + seed) for n in FEW for seed in range(SIZE_SEEDS) for name in ("full", "from scratch")
    ]
    runs = [
        _run(name, seed, n, count, (count,), weights)
        for n, name, seed in kinds
        for count in (FEW_STEPS, steps)
    ]
    right = training.each(lambda run: experiments.fit(run, class_loss, test)[-1], runs, "Runs")
    title = (
        f"The same runs with {FEW_STEPS} and with {steps} steps, {SIZE_SEEDS} seeds, {TESTED} test reviews"
    )
    table = Table("labels", "runs", "largest change, points", title=title)
    changes = [abs(many - few) for few, many in zip(right[::2], right[1::2], strict=True)]
    table.add_row(" or ".join(map(str, FEW)), str(len(changes)), f"{100 * max(changes) / TESTED:.1f}")
    console.print(table)


def _adapters(console: Parts, weights: dict, test: Examples) -> None:
    steps = experiments.epochs(EPOCHS, LABELS)
    ranks = {"full": None, "rank 1": 1, f"rank {experiments.RANK}": experiments.RANK}
    runs = [
        _run("adapters" if rank else "full", seed, LABELS, steps, (steps,), weights, rank)
        for rank in ranks.values()
        for seed in range(SEEDS)
    ]
    right = training.each(lambda run: experiments.fit(run, class_loss, test)[-1], runs, "Runs")
    by_rank = {
        name: [n / len(test) for n in right[at * SEEDS : (at + 1) * SEEDS]] for at, name in enumerate(ranks)
    }
    title = f"{LABELS} labels, {steps} steps, {SEEDS} seeds, α = {experiments.ALPHA:g}: mean, t-interval"
    table = Table("what trains", "accuracy", "more than full, points", title=title)
    for name, shares in by_rank.items():
        more = [share - full for share, full in zip(shares, by_rank["full"], strict=True)]
        table.add_row(name, _interval(shares), "" if name == "full" else _interval(more).replace(" %", ""))
    console.print(table)


def real(console: Parts) -> None:
    """Film reviews: pretrained on unlabelled text, from scratch, and counting sub-words."""

    def compare() -> dict[str, list[float]]:
        return real_text.comparison(
            Classifier, finetuning.mean_real, class_loss, finetuning.transfer, finetuning.parameter_groups,
            finetuning.tfidf,
        )  # fmt: skip

    found = _timed(console, "film reviews", compare)
    sizes = f"{real_text.LABELS} labels, {real_text.SEEDS} seeds"
    title = f"rt-polarity, {sizes}, {real_text.TESTED:,} test sentences: mean, t-interval"
    table = Table("film reviews", "accuracy", title=title)
    for name, shares in found.items():
        table.add_row(name, _interval(shares))
    console.print(table)


def _run(
    name: str, seed: int, n: int, steps: int, measured: Iterable[int], weights: dict, rank: int | None = None
) -> Run:
    model = _model(name, seed, weights)
    if rank:
        experiments.adapted(model, finetuning.LoRALinear, rank, experiments.ALPHA)
    train = experiments.examples(n, experiments.TRAIN_SEED + seed)
    return Run(model, finetuning.parameter_groups(model, *RATES[name]), train, steps, tuple(measured), seed)


def _model(name: str, seed: int, weights: dict) -> Classifier:
    torch.manual_seed(seed)
    pool = finetuning.mean_real if experiments.POOLS[name] == "mean" else finetuning.last_real
    backbone = experiments.new_backbone()
    model = Classifier(backbone, backbone.config.d_model, 2, pool)
    if name != "from scratch":
        model.load_state_dict(finetuning.transfer(copy.copy(weights), model.state_dict(), "body."))
    if name == "head only":
        finetuning.freeze(model)
    return model


def _interval(shares: list[float]) -> str:
    low, high = t_interval(shares, T_95)
    return f"{100 * sum(shares) / len(shares):.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _mean(right: list[int], n: int) -> str:
    share = sum(right) / len(right) / n
    low, high = wilson(share * n, n, 1.96)
    return f"{100 * share:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _timed(console: Parts, name: str, work: Callable) -> object:
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    console.print(
        f"{name}: {time.perf_counter() - wall:.0f} s, {time.process_time() - cpu:.0f} CPU seconds of the "
        f"process"
    )
    return result


if __name__ == "__main__":
    main()
