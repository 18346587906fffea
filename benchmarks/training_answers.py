"""Lesson 13's measured figures: what supervised fine-tuning, preferences and rewards bring, and what they cost.

python -m benchmarks.training_answers [--seeds 0 1 2] [--processes 1]

For each seed a model is pretrained as in lesson 08, gets the new tokens, and goes through every stage. A stage
is one process's work on one core; `--processes` says how many run at once. Intervals are of three seeds: mean
plus or minus Student's t times the standard error.
"""

import argparse
import copy
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import mean, stdev

import torch
from rich.table import Table

from benchmarks.results import Parts, record
from helpers import posttraining, pretraining, training
from helpers.models.transformer import LanguageModel
from helpers.posttraining import experiments, requests
from helpers.posttraining.experiments import Setting

TOOLS = experiments.Tools(**{name: getattr(posttraining, name) for name in experiments.Tools._fields})
T_TWO = 4.303  # Student's t: 97.5 %, two degrees of freedom
TRIES = 16  # answers to each request, for best-of-n
SHOWN = {
    "fulfilled": "fulfilled", "reviews": "whole reviews", "sentences": "grammatical sentences",
    "read": "questions", "forgotten": "nats forgotten", "to grammar": "KL(grammar, model)",
    "from start": "KL(model, fine-tuned)", "entropy": "entropy", "words": "words", "praise": "praise",
    "different": "different openings",
}  # fmt: skip
PER_CENT = ("fulfilled", "reviews", "sentences", "read", "different")

Stage = Callable[[LanguageModel, LanguageModel, int], None]


def rewarded(setting: Setting) -> Stage:
    """A stage of training on rewards."""

    def run(model: LanguageModel, frozen: LanguageModel, seed: int) -> None:
        experiments.reinforce(model, frozen, TOOLS, setting, seed=seed)

    return run


def preferred(model: LanguageModel, frozen: LanguageModel, seed: int) -> None:
    """DPO on pairs of the fine-tuned model's own answers."""
    asked = [each.request for each in requests.to_write(1_600, 400_000 + seed)]
    experiments.prefer(model, frozen, experiments.pairs_of(frozen, asked, TOOLS, seed), TOOLS, seed=seed)


def more_demonstrations(model: LanguageModel, frozen: LanguageModel, seed: int) -> None:
    """As much text again of right answers."""
    demonstrations = experiments.demonstrations(experiments.DEMONSTRATIONS, seed + 50)
    experiments.supervise(model, demonstrations, TOOLS, seed=seed)


STEPS = experiments.REWARDED
STAGES: dict[str, Stage] = {
    "DPO": preferred,
    "rewards": rewarded(Setting(STEPS)),
    "rewards, KL 0.05": rewarded(Setting(STEPS, beta=0.05)),
    "rewards, divided": rewarded(Setting(STEPS, divide=True)),
    "praise": rewarded(Setting(STEPS, reward=experiments.praising)),
    "praise, KL 0.05": rewarded(Setting(STEPS, beta=0.05, reward=experiments.praising)),
    "praise, KL 0.5": rewarded(Setting(STEPS, beta=0.5, reward=experiments.praising)),
    "more demonstrations": more_demonstrations,
}
FIRST = ("fine-tuned", "no mask")
Row = dict[str, float]


def _begin(job: tuple[int, str]) -> None:
    """Pretrain a seed's model, give it the new tokens, and keep it."""
    seed, folder = job
    torch.manual_seed(seed)
    model = pretraining.new_model()
    pretraining.pretrain(model, training.steps(pretraining.STEPS), seed)
    _keep(experiments.with_new_tokens(model, posttraining.grow), folder, seed, "pretrained")


def _stage(job: tuple[int, str, str]) -> tuple[str, Row]:
    """One stage of one seed, measured."""
    torch.set_num_threads(1)
    seed, name, folder = job
    after = name in STAGES
    model = _kept(folder, seed, "fine-tuned" if after else "pretrained")
    frozen = _kept(folder, seed, "fine-tuned") if after else copy.deepcopy(model)
    begun = time.process_time()
    if after:
        STAGES[name](model, frozen, seed)
    elif name in FIRST:
        demonstrations = experiments.demonstrations(experiments.DEMONSTRATIONS, seed)
        experiments.supervise(model, demonstrations, TOOLS, masked=name == "fine-tuned", seed=seed)
    spent = time.process_time() - begun
    _keep(model, folder, seed, name)
    row = experiments.measure(model, frozen, TOOLS) | {"CPU seconds": spent}
    if name in ("fine-tuned", "rewards", "DPO"):
        row |= best_of(model, seed)
    return name, row


def best_of(model: LanguageModel, seed: int, count: int = 100) -> Row:
    """The chance that one of k answers fulfils its request, without bias, for k = 1, 2, 4, 8, 16."""
    asked = [each.request for each in requests.to_write(count, 72) for _ in range(TRIES)]
    generator, right = torch.Generator().manual_seed(seed), []
    for start in range(0, len(asked), 20 * TRIES):
        written = experiments.write(model, asked[start : start + 20 * TRIES], generator)
        right += [verdict.fulfilled for verdict in written.verdicts()]
    counts = [sum(right[at : at + TRIES]) for at in range(0, len(right), TRIES)]
    return {
        f"best of {k}": mean(posttraining.pass_at_k(TRIES, correct, k) for correct in counts)
        for k in (1, 2, 4, 8, 16)
    }


def _keep(model: LanguageModel, folder: str, seed: int, name: str) -> None:
    torch.save(model.state_dict(), Path(folder, f"{seed} {name}.pt"))


def _kept(folder: str, seed: int, name: str) -> LanguageModel:
    model = experiments.with_new_tokens(pretraining.new_model(), posttraining.grow)
    model.load_state_dict(torch.load(Path(folder, f"{seed} {name}.pt"), weights_only=True))
    return model


def runs(seeds: Sequence[int], processes: int) -> dict[str, list[Row]]:
    """Each stage's figures, seed by seed."""
    found: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(processes) as pool:
        list(pool.map(_begin, [(seed, folder) for seed in seeds]))
        for names in (("pretrained", *FIRST), tuple(STAGES)):
            jobs = [(seed, name, folder) for name in names for seed in seeds]
            for name, row in pool.map(_stage, jobs):
                found.setdefault(name, []).append(row)
    return found


def table_of(found: dict[str, list[Row]], columns: dict[str, str], title: str) -> Table:
    """Means over seeds, each with half of its 95 % interval."""
    table = Table("stage", *columns.values(), title=title)
    for name, rows in found.items():
        if all(key in rows[0] for key in columns):
            table.add_row(name, *(_interval(key, [row[key] for row in rows]) for key in columns))
    return table


def _interval(key: str, values: list[float]) -> str:
    middle = mean(values)
    half = T_TWO * stdev(values) / len(values) ** 0.5 if len(values) == 3 else 0.0
    if key in PER_CENT or key.startswith("best"):
        return f"{100 * middle:.1f} ± {100 * half:.1f} %"
    return f"{middle:.3f} ± {half:.3f}" if key == "forgotten" else f"{middle:.1f} ± {half:.1f}"


def report(console: Parts, found: dict[str, list[Row]]) -> None:
    """The tables of all stages."""
    seeds = len(found["pretrained"])
    console.print(table_of(found, SHOWN | {"CPU seconds": "CPU seconds"}, f"{seeds} seeds: mean ± half of the 95 % interval"))
    best = {f"best of {k}": f"best of {k}" for k in (1, 2, 4, 8, 16)}
    console.print(table_of(found, best, f"The share of requests that one of k answers fulfils, {TRIES} tries each"))


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="three, for the intervals")
    parser.add_argument("--processes", type=int, default=1, help="stages that run at once")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    found = runs(options.seeds, options.processes)
    record("Training: answers", lambda console: report(console, found))


if __name__ == "__main__":
    main()
