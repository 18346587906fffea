"""What lesson 10 measures, over several seeds: pretraining, blanks, fine-tuning, writing.

python -m benchmarks.training_bert [--seeds 2] [--shares 0.15 0.4]
python -m benchmarks.training_bert --equal

Each BERT is trained as in the lesson. The language model is lesson 08's, as kept, or one trained now. With
--equal only the blanks are measured, with three seeds of each, and each language model is asked for as many
words as BERT.
"""

import argparse
import time
from functools import partial

import torch
from rich.table import Table
from torch import nn

from benchmarks.results import Parts, record
from helpers import bert, corpora, pretraining, training
from helpers.bert import Bert, PairClassifier, bert_loss, experiments, mask_tokens
from helpers.models.blocks import BERT, PRE_NORM, Style
from helpers.models.transformer import EncoderConfig
from helpers.text.vocabulary import MASK, PAD

STEPS, ROWS, SHARE, LENGTH = 2_200, 12, 0.4, 100
LABELLED, TUNING, RATE = 2_000, 600, 2e-3
V = len(corpora.vocabulary())
config_of = partial(EncoderConfig, segments=2, style=PRE_NORM)


def rows_of(documents: list, generator: torch.Generator) -> list[tuple[experiments.Packed, int]]:
    """Packed rows with their labels."""
    pairs = experiments.next_sentence_pairs(documents, generator)
    return [(bert.pack(first, second, LENGTH), follows) for first, second, follows in pairs]


def batch_of(rows: tuple, generator: torch.Generator, share: float) -> tuple[torch.Tensor, ...]:
    """Tokens to read, segments, what follows, labels."""
    ids, segments, follows = rows
    read, labels = mask_tokens(ids, V, generator, share)
    return read, segments, follows, labels


def loss_of(
    model: nn.Module, read: torch.Tensor, segments: torch.Tensor, follows: torch.Tensor, labels: torch.Tensor
) -> torch.Tensor:
    """BERT's loss of a batch."""
    word_logits, follows_logits = model(read, segments)
    return bert_loss(word_logits, follows_logits, labels, follows)


def pretrained(seed: int, share: float = SHARE, steps: int = STEPS, style: Style = PRE_NORM) -> nn.Module:
    """A BERT that is trained as in section 10.8."""
    model = experiments.new_bert(lambda *sizes, **more: Bert(config_of(*sizes, **more, style=style)), seed)
    generator, steps = torch.Generator().manual_seed(seed), training.steps(steps)
    rows = rows_of(experiments.documents(ROWS * steps // 2, 5_000 + 10 * seed), generator)
    drawn, spread = experiments.batches(rows, ROWS, seed), training.on_all_cores(loss_of)
    optimizer = experiments.optimizer_of(model)
    for step in range(1, steps + 1):
        optimizer.set_rate(pretraining.learning_rate(step, steps, min(50, steps // 3), 1.0))
        pretraining.training_step(model, optimizer, spread, batch_of(next(drawn), generator, share))
    return model


@torch.no_grad()
def shares_right(model: nn.Module) -> tuple[int, int, int, int]:
    """On 400 held-out pairs with 15 % hidden: hidden words right, how many there are, pairs right, pairs."""
    held_out = rows_of(experiments.documents(400, 4_999), torch.Generator().manual_seed(0))
    rows = next(experiments.batches(held_out, 400, seed=0))
    read, segments, follows, labels = batch_of(rows, torch.Generator().manual_seed(1), 0.15)
    word_logits, follows_logits = model(read, segments)
    chosen = labels != -100
    words = int((word_logits[chosen].argmax(dim=-1) == labels[chosen]).sum())
    return words, int(chosen.sum()), int((follows_logits.argmax(dim=-1) == follows).sum()), len(follows)


@torch.no_grad()
def guesses(model: nn.Module, left_model: nn.Module, blank: experiments.Blank) -> list[float]:
    """The probability of the true word: left side, both sides, the language model's whole text."""
    candidates = experiments.candidates()[blank.kind]
    true = candidates == blank.words[blank.place]
    text = corpora.vocabulary().batch([corpora.vocabulary().decode(blank.words)])[0]
    left, whole = bert.blank_left_to_right(left_model, text, blank.place + 1, candidates)
    row, segments = bert.pack(blank.first, blank.second, LENGTH)
    at = blank.place + 1 + (blank.place >= len(blank.first))
    row[at] = MASK
    both = model(torch.tensor([row]), torch.tensor([segments]))[0][0, at, candidates].softmax(dim=-1)
    return [float(p[true].sum()) for p in (left, both, whole)]


def tuned(seed: int, start: nn.Module | None) -> float:
    """The share of 400 new pairs of books that a fine-tuned classifier gets right."""
    model = experiments.new_bert(
        lambda *sizes, **more: PairClassifier(config_of(*sizes, **more), classes=2), seed
    )
    if start is not None:
        model.encoder.load_state_dict(start.encoder.state_dict())
        model.pooler.load_state_dict(start.pooler.state_dict())
    labelled, unseen = (
        [(bert.pack(a, b, LENGTH), same) for a, b, same in experiments.same_genre(count, of)]
        for count, of in ((LABELLED, 6_000), (400, 6_001))
    )
    drawn, optimizer = experiments.batches(labelled, 16, seed), pretraining.optimizer_of(model, RATE)
    spread, steps = training.on_all_cores(_classifier_loss), training.steps(TUNING)
    for step in range(1, steps + 1):
        optimizer.param_groups[0]["lr"] = pretraining.learning_rate(step, steps, max(1, steps // 10), RATE)
        pretraining.training_step(model, optimizer, spread, next(drawn))
    ids, segments, labels = next(experiments.batches(unseen, 400, seed=0))
    with torch.no_grad():
        return float((model(ids, segments).argmax(dim=-1) == labels).float().mean())


def _classifier_loss(
    model: nn.Module, ids: torch.Tensor, segments: torch.Tensor, labels: torch.Tensor
) -> torch.Tensor:
    return nn.functional.cross_entropy(model(ids, segments), labels)


@torch.no_grad()
def written(model: nn.Module, left_model: nn.Module, texts: int = 40, seed: int = 0) -> dict[str, list[str]]:
    """Texts of each procedure of section 10.12."""
    empty, segments = experiments.empty_rows(texts, seed=8_000 + seed)
    blank = empty == MASK

    def words(ids: torch.Tensor) -> torch.Tensor:
        return model(ids, segments)[0]

    def seeded(number: int = 0) -> torch.Generator:
        return torch.Generator().manual_seed(10 * seed + number)

    predicted, total = empty, int(blank.sum(dim=1).max())
    for left in range(9, -1, -1):
        predicted = bert.fill_and_mask_again(predicted, words(predicted), total * left // 10)
    at_once = experiments.all_at_once(words, empty, seeded())
    rows = {
        "BERT, all at once": at_once,
        "BERT, mask-predict, 10 rounds": predicted,
        "BERT, one by one, any order": experiments.one_by_one(words, empty, seeded(), shuffled=True),
        "BERT, one by one, from the left": experiments.one_by_one(words, empty, seeded()),
        "BERT, Gibbs, 2 sweeps": experiments.drawn_again(words, at_once, blank, 2, seeded(1)),
    }
    texts_of = {way: experiments.texts_of(ids) for way, ids in rows.items()}
    return texts_of | {"language model": experiments.left_to_right(left_model, len(empty), seed=seed)}


def asked(seed: int, share: float = SHARE) -> int:
    """The words that BERT is asked for in its training of section 10.8."""
    generator, steps = torch.Generator().manual_seed(seed), training.steps(STEPS)
    rows = rows_of(experiments.documents(ROWS * steps // 2, 5_000 + 10 * seed), generator)
    drawn = experiments.batches(rows, ROWS, seed)
    batches = (batch_of(next(drawn), generator, share) for _ in range(steps))
    return sum(int((labels != -100).sum()) for _, _, _, labels in batches)


def language_model_asked(words: int, seed: int) -> nn.Module:
    """Lesson 08's language model, trained until it has been asked for so many words."""
    texts = corpora.vocabulary().batch(review.text for review in corpora.reviews(1_000, seed=1_000 + seed))
    a_text = float((texts[:, 1:] != PAD).sum()) / len(texts)
    torch.manual_seed(seed)
    model = pretraining.new_model()
    pretraining.pretrain(model, round(words / (a_text * pretraining.BATCH)), seed)
    return model


def compare_at_equal_words(console: Parts, seeds: int = 3) -> None:
    """Blanks of each kind, as BERT and a language model that was asked for as many words fill them."""
    torch.set_num_threads(1)
    found: dict[str, list[list[float]]] = {kind: [] for kind in experiments.candidates()}
    counts = []
    for seed in range(seeds):
        counts.append(asked(seed))
        both, left = pretrained(seed), language_model_asked(counts[-1], seed)
        for blank in experiments.blanks(40, 4_000):
            if len(blank.words) < LENGTH - 3:
                found[blank.kind].append([*guesses(both, left, blank), seed])
    title = f"asked for {min(counts):,} to {max(counts):,} words each, {seeds} seeds"
    columns = "blank", "left side", "BERT, both sides", "whole text", "BERT, each seed", "whole, each seed"
    table = Table(*columns, title=title)
    for kind, values in found.items():
        means = (experiments.mean_interval(column) for column in zip(*(v[:3] for v in values), strict=True))
        by_seed = [
            " ".join(f"{_mean([v[at] for v in values if v[3] == seed]):.2f}" for seed in range(seeds))
            for at in (1, 2)
        ]
        table.add_row(kind, *(f"{mean:.2f} ± {half:.2f}" for mean, half in means), *by_seed)
    console.print(table)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _percent(share: float, low: float, high: float) -> str:
    return f"{share:.0%} ({low:.0%} to {high:.0%})"


def measure(
    console: Parts, seeds: int = 1, shares: tuple[float, ...] = (SHARE,), styles: bool = False
) -> None:
    """Train, measure, print tables with seeds, seconds and 95 % intervals."""
    torch.set_num_threads(1)
    left_model, models = pretraining.pretrained(), []
    table = Table("hidden", "norms", "seed", "wall s", "CPU s", "hidden words right", "pairs right")
    plans = [(share, PRE_NORM, seed) for share in shares for seed in range(seeds)]
    plans += [(SHARE, BERT, seed) for seed in range(seeds if styles else 0)]
    for share, style, seed in plans:
        begun = time.perf_counter(), time.process_time()
        model = pretrained(seed, share, style=style)
        spent = time.perf_counter() - begun[0], time.process_time() - begun[1]
        words, hidden, pairs, rows = shares_right(model)
        place = "first" if style.norm_first else "after, as BERT"
        figures = (f"{share:.0%}", place, str(seed), *(f"{seconds:.0f}" for seconds in spent))
        right = (_percent(*experiments.interval(*counted)) for counted in ((words, hidden), (pairs, rows)))
        table.add_row(*figures, *right)
        if share == SHARE and style.norm_first:
            models.append(model)
    console.print(table)
    for seed, model in enumerate(models):
        _uses(console, model, left_model, seed)


def _uses(console: Parts, model: nn.Module, left_model: nn.Module, seed: int) -> None:
    """Blanks, fine-tuning and writing with one BERT."""
    table = Table("blank", "left side", "BERT, both sides", "whole text", title=f"blanks, seed {seed}")
    blanks = [blank for blank in experiments.blanks(40, 4_000 + seed) if len(blank.words) < LENGTH - 3]
    for kind in experiments.candidates():
        found = [guesses(model, left_model, blank) for blank in blanks if blank.kind == kind]
        means = (experiments.mean_interval(values) for values in zip(*found, strict=True))
        table.add_row(kind, *(f"{mean:.2f} ± {half:.2f}" for mean, half in means))
    console.print(table)
    table = Table("the same genre?", *(f"seed {n}" for n in range(3)))
    for name, start in (("pretrained", model), ("from scratch", None)):
        table.add_row(name, *(_percent(*experiments.interval(400 * tuned(n, start), 400)) for n in range(3)))
    console.print(table)
    table = Table("who writes", "grammatical sentences", title=f"writing, seed {seed}")
    for way, texts in written(model, left_model, seed=seed).items():
        table.add_row(way, _percent(*experiments.grammatical(texts)))
    console.print(table)


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--shares", type=float, nargs="+", default=[SHARE], help="of hidden words")
    parser.add_argument(
        "--styles", action="store_true", help="norms after each sum as well, as BERT has them"
    )
    parser.add_argument(
        "--equal", action="store_true", help="blanks alone, the language model asked for as many words"
    )
    options = parser.parse_args()
    if options.equal:
        record("Training: bert, equal words", compare_at_equal_words)
        return
    shares = tuple(options.shares)
    record("Training: bert", lambda parts: measure(parts, options.seeds, shares, options.styles))


if __name__ == "__main__":
    main()
