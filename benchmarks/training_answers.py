"""Lesson 13's measured figures: what fine-tuning, preferences and rewards bring, and what they cost.

python -m benchmarks.training_answers [--updates] [--seeds 0 1 2] [--processes 1] [--folder FOLDER]

The model that lesson 08 keeps (one is trained where there is none) gets the new tokens, and goes through each
stage once per seed, which sets the demonstrations, their order, the requests and the draws. `--processes`
says how many stages run at once, on one core each. With `--folder`, an interrupted run resumes after those
that it has finished. With `--updates`, it compares trainings on rewards that make one, two and four updates
with each draw, as many in all. Intervals are mean ± Student's t times the standard error.
"""

import argparse
import copy
import json
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
from helpers import posttraining, pretraining
from helpers.models.transformer import LanguageModel
from helpers.posttraining import experiments, figures, measures, requests
from helpers.posttraining.experiments import Setting

TOOLS = experiments.Tools(**{name: getattr(posttraining, name) for name in experiments.Tools._fields})
T_TWO = 4.303  # Student's t: 97.5 %, two degrees of freedom
TRIES = 16  # answers to each request, for best-of-n
SHOWN = {
    "fulfilled": "fulfilled", "reviews": "whole reviews", "sentences": "grammatical sentences",
    "read": "questions", "forgotten": "nats forgotten", "to grammar": "KL(grammar, model)",
    "from start": "KL(model, start)", "entropy": "entropy", "words": "words", "praise": "praise",
    "different": "different openings",
}  # fmt: skip
PER_CENT = ("fulfilled", "reviews", "sentences", "read", "different", "clipped")
FORMS = {"forgotten": ".3f", "clipped": ".2f"}

Row = dict[str, float]
Stage = Callable[[LanguageModel, LanguageModel, int], Row]


def rewarded(setting: Setting) -> Stage:
    """A stage of training on rewards."""

    def run(model: LanguageModel, frozen: LanguageModel, seed: int) -> Row:
        live = experiments.reinforce(model, frozen, TOOLS, setting, seed=seed)
        words = sum(words for _, words in live.lines["words"])
        found = {"sampled": words * setting.requests * setting.group}
        if "clipped" in live.lines:
            found["clipped"] = mean(share for _, share in live.lines["clipped"])
        return found

    return run


def preferred(model: LanguageModel, frozen: LanguageModel, seed: int) -> Row:
    """DPO on pairs of the fine-tuned model's own answers."""
    asked = [each.request for each in requests.to_write(960, 400_000 + seed)]
    pairs = experiments.pairs_of(frozen, asked, seed)
    experiments.prefer(model, frozen, pairs, TOOLS, seed=seed)
    return {"pairs": len(pairs)}


def more_demonstrations(model: LanguageModel, frozen: LanguageModel, seed: int) -> Row:
    """As much text again of right answers."""
    demonstrations = experiments.demonstrations(experiments.DEMONSTRATIONS, seed + 50)
    experiments.supervise(model, demonstrations, TOOLS, seed=seed)
    return {}


STEPS, BETA = experiments.REWARDED, 0.05
STAGES: dict[str, Stage] = {
    "DPO": preferred,
    "rewards": rewarded(Setting(STEPS)),
    "rewards, KL": rewarded(Setting(STEPS, beta=BETA)),
    "rewards, divided": rewarded(Setting(STEPS, divide=True)),
    "praise": rewarded(Setting(STEPS, reward=measures.praising)),
    "praise, KL": rewarded(Setting(STEPS, beta=BETA, reward=measures.praising)),
    "more demonstrations": more_demonstrations,
}
PER_DRAW = {
    f"{updates} per draw": rewarded(Setting(STEPS // updates, updates=updates)) for updates in (1, 2, 4)
}
FIRST = ("fine-tuned", "no mask")
COLD = 0.5  # a temperature at which answers are drawn once more, without further training
COLDER = {f"{name}, temperature {COLD}": name for name in ("fine-tuned", "rewards")}


def _stage(job: tuple[int, str, str]) -> tuple[str, Row]:
    """One stage of one seed, measured."""
    torch.set_num_threads(1)
    seed, name, folder = job
    done = Path(folder, f"{seed} {name}.json")
    if done.is_file():
        return name, json.loads(done.read_text())
    stages = STAGES | PER_DRAW
    begins = "fine-tuned" if name in stages else COLDER.get(name)
    model = _kept(folder, f"{seed} {begins}" if begins else "pretrained")
    frozen, row = copy.deepcopy(model), Row()
    begun = time.process_time()
    if name in stages:
        row = stages[name](model, frozen, seed)
    elif name in FIRST:
        demonstrations = experiments.demonstrations(experiments.DEMONSTRATIONS, seed)
        experiments.supervise(model, demonstrations, TOOLS, masked=name == "fine-tuned", seed=seed)
    spent = time.process_time() - begun
    _keep(model, folder, f"{seed} {name}")
    temperature = COLD if name in COLDER else 1.0
    row |= measures.measure(model, frozen, TOOLS, temperature=temperature) | {"CPU seconds": spent}
    if name in ("fine-tuned", "rewards"):
        row |= best_of(model, seed)
    done.write_text(json.dumps(row))
    return name, row


def best_of(model: LanguageModel, seed: int, count: int = 60) -> Row:
    """The chance that one of k answers fulfils its request, without bias, for k = 1, 2, 4, 8, 16."""
    counts = measures.right_of(model, TRIES, count, seed)
    return {
        f"best of {k}": mean(posttraining.pass_at_k(TRIES, correct, k) for correct in counts)
        for k in (1, 2, 4, 8, 16)
    }


def _keep(model: LanguageModel, folder: str, name: str) -> None:
    torch.save(model.state_dict(), Path(folder, f"{name}.pt"))


def _kept(folder: str, name: str) -> LanguageModel:
    model = experiments.with_new_tokens(pretraining.new_model(), posttraining.grow)
    model.load_state_dict(torch.load(Path(folder, f"{name}.pt"), weights_only=True))
    return model


ALL = (("pretrained", *FIRST), tuple(STAGES), tuple(COLDER))  # none needs one of its own part


def runs(
    seeds: Sequence[int], processes: int, folder: str, parts: Sequence[Sequence[str]] = ALL
) -> dict[str, list[Row]]:
    """Each stage's figures, seed by seed; models and figures are kept in a folder."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    found: dict[str, list[Row]] = {}
    with ProcessPoolExecutor(processes) as pool:
        if not Path(folder, "pretrained.pt").is_file():
            grown = experiments.with_new_tokens(pretraining.pretrained(), posttraining.grow)
            _keep(grown, folder, "pretrained")
        for names in parts:
            jobs = [
                (seed, name, folder)
                for name in names
                for seed in (seeds[:1] if name == "pretrained" else seeds)  # the same for every seed
            ]
            for name, row in pool.map(_stage, jobs):
                found.setdefault(name, []).append(row)
    return found


def table_of(found: dict[str, list[Row]], columns: dict[str, str], title: str) -> Table:
    """Means over seeds, each with half of its 95 % interval."""
    table = Table("stage", *columns.values(), title=title)
    for name, rows in found.items():
        if any(key in rows[0] for key in columns):
            known = [[row[key] for row in rows if key in row] for key in columns]
            table.add_row(name, *map(_interval, columns, known))
    return table


def _interval(key: str, values: list[float]) -> str:
    if not values:
        return "–"
    share = key in PER_CENT or key.startswith("best")
    scale, form = (100, ".1f") if share else (0.001, ".0f") if key == "sampled" else (1, ".1f")
    form, unit = FORMS.get(key, form), " %" if share else ""
    middle = f"{scale * mean(values):{form}}"
    if len(values) != 3:
        return middle + unit
    half = scale * T_TWO * stdev(values) / len(values) ** 0.5
    return f"{middle} ± {half:{form}}{unit}"


def report(console: Parts, found: dict[str, list[Row]]) -> None:
    """The tables of all stages."""
    title = f"{len(found['fine-tuned'])} seeds: mean ± half of the 95 % interval"
    console.print(table_of(found, SHOWN | {"CPU seconds": "CPU seconds"}, title))
    best = {f"best of {k}": f"best of {k}" for k in (1, 2, 4, 8, 16)}
    title = f"The share of requests that one of k answers fulfils, of {TRIES} tries"
    console.print(table_of(found, best, title))
    sampled = {"sampled": "tokens sampled"}
    console.print(table_of(found, sampled, "Thousands of tokens that a training on rewards drew"))


def report_updates(console: Parts, found: dict[str, list[Row]]) -> None:
    """The table of trainings on rewards with more updates per draw."""
    columns = {key: SHOWN[key] for key in ("fulfilled", "to grammar", "words")}
    columns |= {"sampled": "thousand tokens", "clipped": "tokens clipped"}
    title = f"{STEPS} updates in all; of the tokens drawn, the share that is clipped after the first update"
    console.print(table_of(found, columns, title))


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", action="store_true", help="compare numbers of updates per draw")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2], help="three, for the intervals")
    parser.add_argument("--processes", type=int, default=1, help="stages that run at once")
    parser.add_argument("--folder", help="where finished stages are kept; else nowhere")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory() as passing:
        parts = (("fine-tuned",), tuple(PER_DRAW)) if options.updates else ALL
        found = runs(options.seeds, options.processes, options.folder or passing, parts)
    command = "python -m benchmarks.training_answers"
    if options.updates:
        title = "Training: answers, updates per draw"
        record(title, lambda console: report_updates(console, found), f"{command} --updates")
        return
    figures.STAGES.write_text(json.dumps(found, indent=1) + "\n")
    record("Training: answers", lambda console: report(console, found), command)


if __name__ == "__main__":
    main()
