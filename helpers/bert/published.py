"""Lesson 10 on a checkpoint that others trained: all-MiniLM-L6-v2, a BERT of 22.7 million numbers.

Its labels are those of rt-polarity, sentences of film reviews. Nothing here answers an exercise.
`B` batch, `T` positions, `C` channels.
"""

import copy
import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import nn

from helpers import corpora, finetuning, training
from helpers.finetuning import experiments
from helpers.finetuning.experiments import Examples, Run
from helpers.models.blocks import BERT, GPT2
from helpers.models.transformer import Encoder, EncoderConfig, LanguageModel, LanguageModelConfig

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CHECKPOINT = "all-minilm-l6-v2"
MINILM = EncoderConfig(30_522, 384, 12, 1_536, 6, 512, segments=2, style=BERT)
TESTED, LONGEST, SEEDS = 2_000, 64, 5  # sentences are cut to LONGEST sub-words
EPOCHS = {50: 16, 200: 8, 1_000: 3}  # by the number of labels
FROZEN, TUNED, SCRATCH, COUNTED = "frozen", "fine-tuned", "from scratch", "TF-IDF"
RATES = {TUNED: (5e-5, 1e-3), SCRATCH: (3e-4, 1e-3)}  # of the body and of the head
HEAD_RATE, HEAD_DECAY = 3e-3, 30.0  # few labels leave most of the 384 channels to chance: they are kept small
SENTENCE = "the plot is thin , and yet nobody in the room wanted the film to end ."
# What transformers' BertModel gives at [CLS] of SENTENCE with the same weights: the first four channels.
BY_TRANSFORMERS = (0.508270, -0.032067, 0.004987, 0.267593)


# -- what lesson 10 shows where nothing was fetched ----------------------------------------------------------

# By `python -m benchmarks.training_published`: accuracies of five seeds, by the number of labels.
MEASURED: dict[str, dict[int, list[float]]] = {
    FROZEN: {
        50: [0.599, 0.6075, 0.5955, 0.6295, 0.624],
        200: [0.664, 0.694, 0.6945, 0.7025, 0.6615],
        1_000: [0.7445, 0.745, 0.746, 0.7395, 0.732],
    },
    TUNED: {
        50: [0.6, 0.6465, 0.639, 0.5455, 0.5815],
        200: [0.7055, 0.751, 0.7435, 0.7245, 0.7285],
        1_000: [0.7925, 0.7945, 0.793, 0.8, 0.804],
    },
    SCRATCH: {
        50: [0.5435, 0.5535, 0.5535, 0.522, 0.519],
        200: [0.578, 0.5815, 0.59, 0.5675, 0.5565],
        1_000: [0.654, 0.677, 0.655, 0.653, 0.653],
    },
    COUNTED: {
        50: [0.513, 0.488, 0.5125, 0.512, 0.533],
        200: [0.572, 0.6165, 0.5715, 0.5745, 0.595],
        1_000: [0.673, 0.674, 0.6805, 0.6765, 0.653],
    },
}

# -- GPT-2 by the same road ----------------------------------------------------------------------------------

GPT2_SMALL = LanguageModelConfig(50_257, 768, 12, 12, 1_024, style=GPT2, scale=1.0)
GPT2_NAMES = {
    "words": ["wte"],
    "head": ["wte"],  # tied: the same matrix under a second name
    "positions": ["wpe"],
    "blocks.{}.norm_1": ["h.{}.ln_1"],
    "blocks.{}.attention.W_qkv": ["h.{}.attn.c_attn"],
    "blocks.{}.attention.W_o": ["h.{}.attn.c_proj"],
    "blocks.{}.norm_2": ["h.{}.ln_2"],
    "blocks.{}.feed_forward.W_up": ["h.{}.mlp.c_fc"],
    "blocks.{}.feed_forward.W_down": ["h.{}.mlp.c_proj"],
    "norm": ["ln_f"],
}
GPT2_TURNED = [name for name in GPT2_NAMES if "W_" in name]  # its file keeps them as (in, out)


@torch.no_grad()
def written(
    model: LanguageModel,
    tokenizer: "Tokenizer",
    beginning: str,
    keep: Callable[[torch.Tensor], torch.Tensor],
    words: int = 60,
    seed: int = 0,
) -> str:
    """A text, sub-word by sub-word, with a cache.

    Args:
        model: of the tokenizer's sub-words.
        tokenizer: cuts the beginning into them.
        beginning: what the text begins with.
        keep: turns probabilities (V,) into those that are drawn from, such as nucleus sampling.
        words: how many sub-words are written.
        seed: of the draws.
    """
    generator, cache = torch.Generator().manual_seed(seed), model.new_cache()
    ids = tokenizer.encode(beginning).ids
    new = torch.tensor([ids])
    for _ in range(words):
        training.unless_stopped()
        chances = keep(model(new, cache=cache)[0, -1].softmax(dim=-1))
        new = torch.multinomial(chances, 1, generator=generator)[None]
        ids.append(int(new))
    return tokenizer.decode(ids)


def student_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean of five seeds, and the lower and upper end of its 95 % interval. Source: Student 1908."""
    numbers = torch.tensor(values, dtype=torch.float64)
    mean, half = float(numbers.mean()), 2.776 * float(numbers.std()) / len(values) ** 0.5
    return mean, mean - half, mean + half


# -- film reviews --------------------------------------------------------------------------------------------


class Sentences(NamedTuple):
    """rt-polarity as sub-words: what is tested, and what training sets are drawn from."""

    test: Examples
    pool: Examples


class Reader(nn.Module):
    """An encoder whose padding is hidden: reader(ids) is (B, T, C)."""

    def __init__(self, encoder: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Tokens (B, T) between `[CLS]` and `[SEP]`, padding with number 0 at their ends, to vectors."""
        return self.encoder(ids, ids != corpora.PAD)


def encode(texts: Sequence[str]) -> torch.Tensor:
    """The checkpoint's sub-words, (N, T), between `[CLS]` and `[SEP]`, padded with 0."""
    tokenizer = corpora.load(CHECKPOINT).tokenizer
    tokenizer.enable_truncation(LONGEST)
    tokenizer.enable_padding()
    return torch.tensor([row.ids for row in tokenizer.encode_batch(list(texts))])


def sentences() -> Sentences:
    """Film reviews, shuffled once, the same for everybody."""
    found = corpora.load("rt-polarity")
    random.Random(0).shuffle(found)
    ids, labels = encode([text for text, _ in found]), torch.tensor([label for _, label in found])
    tested = training.steps(TESTED)
    return Sentences(Examples(ids[:tested], labels[:tested]), Examples(ids[TESTED:], labels[TESTED:]))


def training_set(pool: Examples, labels: int, seed: int) -> Examples:
    """That many sentences of the pool, others for each seed."""
    rows = random.Random(seed).sample(range(len(pool)), labels)
    return pool.part(torch.tensor(rows))


def by_frozen(
    features: torch.Tensor, tested: torch.Tensor, train: Examples, test: Examples, seed: int
) -> int:
    """How many test sentences come out right by a linear head on vectors that stay as they are.

    Args:
        features: of the training sentences, (N, C).
        tested: features of the test sentences.
        train: the training sentences, for their labels.
        test: the test sentences, for theirs.
        seed: of the head's initial weights.
    """
    torch.manual_seed(seed)
    head = nn.Linear(features.size(-1), 2)
    mean, spread = features.mean(dim=0), features.std(dim=0) + 1e-6
    optimizer = torch.optim.AdamW(head.parameters(), lr=HEAD_RATE, weight_decay=HEAD_DECAY)
    for _ in range(training.steps(200)):
        optimizer.zero_grad()
        nn.functional.cross_entropy(head((features - mean) / spread), train.labels).backward()
        optimizer.step()
    with torch.no_grad():
        return int((head((tested - mean) / spread).argmax(dim=-1) == test.labels).sum())


def frozen(
    encoder: Encoder,
    pool_words: Callable[..., torch.Tensor],
    text: Sentences,
    labels: Sequence[int],
    seeds: Sequence[int] = range(SEEDS),
) -> dict[int, list[float]]:
    """Accuracies of heads on the frozen encoder, for each number of labels, one a seed.

    Args:
        encoder: filled with the checkpoint.
        pool_words: turns a sentence's vectors into one, as lesson 09's `mean_real`.
        text: what is read.
        labels: numbers of labels.
        seeds: of the sentences drawn and of the heads.
    """
    jobs = [(count, seed) for count in labels for seed in seeds]
    drawn = {job: random.Random(job[1]).sample(range(len(text.pool)), job[0]) for job in jobs}
    needed = sorted({row for rows in drawn.values() for row in rows})
    place = {row: at for at, row in enumerate(needed)}
    tested = _vectors(encoder, pool_words, text.test)
    features = _vectors(encoder, pool_words, text.pool.part(torch.tensor(needed)))
    found: dict[int, list[float]] = {count: [] for count in labels}
    for (count, seed), rows in drawn.items():
        vectors = features[[place[row] for row in rows]]
        train = text.pool.part(torch.tensor(rows))
        found[count].append(by_frozen(vectors, tested, train, text.test, seed) / len(text.test))
    return found


@training.on_device
def _vectors(encoder: Encoder, pool_words: Callable[..., torch.Tensor], read: Examples) -> torch.Tensor:
    """One vector for each sentence, (N, C), computed on all cores in batches of about one length."""
    pooled = training.beside(
        lambda model, ids: pool_words(model(ids, ids != corpora.PAD), ids != corpora.PAD)
    )

    def of(rows: torch.Tensor) -> torch.Tensor:
        training.unless_stopped()
        with torch.no_grad():
            return pooled(encoder, read.part(rows).ids).to("cpu")

    order = (read.ids != corpora.PAD).sum(dim=-1).argsort()
    return torch.cat(training.each(of, order.split(100), "Reading"))[order.argsort()]


def trained(
    encoder: Encoder | None,
    pool_words: Callable[..., torch.Tensor],
    text: Sentences,
    labels: int,
    seeds: Sequence[int] = range(SEEDS),
) -> list[float]:
    """Accuracies of classifiers that were trained as a whole, one a seed.

    Args:
        encoder: filled with the checkpoint, and left as it is; None to begin from scratch.
        pool_words: turns a sentence's vectors into one, as lesson 09's `mean_real`.
        text: what is learned and tested.
        labels: how many labels there are, 50, 200 or 1,000.
        seeds: of the sentences drawn and of the weights.
    """
    runs = []
    for seed in seeds:
        torch.manual_seed(seed)
        body = Encoder(MINILM) if encoder is None else copy.deepcopy(encoder)
        model = finetuning.Classifier(Reader(body), MINILM.d_model, 2, pool_words)
        train, steps = training_set(text.pool, labels, seed), experiments.epochs(EPOCHS[labels], labels)
        groups = finetuning.parameter_groups(model, *RATES[SCRATCH if encoder is None else TUNED])
        runs.append(Run(model, groups, train, steps, (steps,), seed))
    loss = finetuning.class_loss
    right = training.each(lambda run: experiments.fit(run, loss, text.test)[-1], runs, f"{labels} labels")
    return [number / len(text.test) for number in right]
