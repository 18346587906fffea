"""The experiments of lesson 09: labelled reviews, a backbone under the head, and the loop of a training run.

What the student writes, classifier, loss and groups, comes in as arguments. `B` reviews, `T` positions.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, cast

import torch
from torch import nn

from helpers import corpora, pretraining, training
from helpers.models.blocks import Cache
from helpers.models.transformer import LanguageModel, LanguageModelConfig

BATCH = 16
# How far above the grammar's own loss a body may be. Ours are 2.4 to 2.6 % above (lesson 08). One at 5 % gave
# praise one half everywhere, and gained nothing from fine-tuning.
ENOUGH = 0.04
# The best of a few, or as good but for chance, on other reviews: learning rates of body and head; pooling.
RATES = {
    "head only": (0.0, 1e-2),
    "full": (5e-4, 1e-2),
    "from scratch": (1e-3, 1e-2),
    "adapters": (5e-3, 1e-2),
}
POOLS = {"head only": "mean", "full": "mean", "from scratch": "last", "adapters": "mean"}
RANK, ALPHA = 4, 8.0  # of the adapters
NEAR = 5  # batches whose reviews are sorted by length together
WARMUP = 0.1  # the share of the steps in which the learning rate rises
PRAISE = "wonderful charming beautiful gripping superb brilliant vivid elegant clever funny good great"
BLAME = "boring predictable tedious shallow confusing awkward wooden empty dull flat bad weak"
TEST_SEED, TRAIN_SEED = 4_990, 6_000  # the pretraining's reviews have seeds from 999 to some above 1,000


class Examples(NamedTuple):
    """Labelled reviews: tokens (N, T), padded with `<pad>`, and labels (N,)."""

    ids: torch.Tensor
    labels: torch.Tensor

    def __len__(self) -> int:
        return len(self.labels)

    def part(self, rows: torch.Tensor | slice) -> "Examples":
        """Some of them, padded to the longest of these."""
        ids = self.ids[rows]
        longest = int((ids != corpora.PAD).sum(dim=-1).max())
        return Examples(ids[:, :longest], self.labels[rows])


def examples(n: int, seed: int) -> Examples:
    """Labelled reviews of the course's corpus, each between `<bos>` and `<eos>`."""
    drawn = corpora.reviews(n, seed)
    ids = corpora.vocabulary().batch(review.text for review in drawn)
    return Examples(ids, torch.tensor([review.label for review in drawn]))


def known_sentences(count: int) -> tuple[torch.Tensor, Examples]:
    """Which test reviews have a sentence of the pretraining text, word for word, (N,), and these reviews."""
    pretraining_text = corpora.reviews(training.steps(pretraining.STEPS) * pretraining.BATCH, seed=1_000)
    seen = {sentence for review in pretraining_text for sentence in corpora.sentences(review.text)}
    tested = corpora.reviews(count, TEST_SEED)
    known = [any(sentence in seen for sentence in corpora.sentences(review.text)) for review in tested]
    return torch.tensor(known), examples(count, TEST_SEED)


class Backbone(LanguageModel):
    """A language model without its head: backbone(ids) is (B, T, C)."""

    def __init__(self, config: LanguageModelConfig) -> None:
        super().__init__(config)
        del self.head

    def forward(
        self,
        ids: torch.Tensor,
        cache: list[Cache] | None = None,
        weights: list[torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """Tokens (B, T) to vectors (B, T, C); `weights` gets each layer's, (B, H, T, T)."""
        return self.backbone(ids, cache, weights)


def new_backbone() -> Backbone:
    """A backbone as lesson 08's language model has it, untrained."""
    return Backbone(pretraining.model_config())


def pretrained_weights() -> dict[str, torch.Tensor]:
    """The weights of the language model that lesson 08 kept on this computer, head included.

    Where it kept none, those of one that is trained now.
    """
    return {name: tensor.clone() for name, tensor in pretraining.pretrained().state_dict().items()}


def trained_enough(weights: Mapping[str, torch.Tensor], examples: int = 200) -> None:
    """Say what a language model's loss on new reviews is, and warn where the lesson needs a better one.

    Args:
        weights: of the model, as `pretrained_weights` gives them.
        examples: how many reviews.
    """
    model, texts = pretraining.new_model(), [review.text for review in corpora.reviews(examples, seed=998)]
    model.load_state_dict(dict(weights))
    inputs, targets = pretraining.inputs_and_targets(corpora.vocabulary().batch(texts))
    with torch.no_grad():
        loss = float(pretraining.language_model_loss(model(inputs), targets))
    floor = -sum(map(corpora.log_probability, texts)) / int((targets != -100).sum())
    print(f"its loss on {examples} new reviews: {loss:.2f} nats per token, the grammar's own {floor:.2f}")
    if loss > (1 + ENOUGH) * floor:
        print(
            f"That is {loss / floor - 1:.0%} more. The results below need {ENOUGH:.0%} at most: "
            "with this one, pretraining helps less. Train it to the end in lesson 8, or call "
            f'training.forget("{pretraining.KEPT}") and run this cell again, which trains one here.'
        )


def adapted(classifier: nn.Module, adapter: Callable[..., nn.Module], rank: int, alpha: float) -> nn.Module:
    """Freeze a classifier's body and put an adapter in the place of each linear map of its blocks.

    Args:
        classifier: has a `body` with `blocks`, and a `head`; changed in place and returned.
        adapter: adapter(linear, rank, alpha), a module that stands for the map.
        rank: of each adapter.
        alpha: what each adapter is scaled by, times its rank.
    """
    body = classifier.get_submodule("body").requires_grad_(False)
    for name, module in list(body.get_submodule("blocks").named_modules()):
        if isinstance(module, nn.Linear):
            body.set_submodule(f"blocks.{name}", adapter(module, rank, alpha))
    return classifier


def merged(classifier: nn.Module, merge: Callable[..., torch.Tensor], alpha: float) -> nn.Module:
    """A copy with linear maps again where the adapters are, each of weight merge(weight, A, B, alpha)."""
    classifier = copy.deepcopy(classifier)
    for name, module in list(classifier.named_modules()):
        if hasattr(module, "A"):
            linear = cast(nn.Linear, module.linear)
            parts = (cast(torch.Tensor, part).detach() for part in (linear.weight, module.A, module.B))
            linear.weight = nn.Parameter(merge(*parts, alpha))
            classifier.set_submodule(name, linear)
    return classifier


class Run(NamedTuple):
    """A training run.

    Attributes:
        model: a classifier, changed in place.
        groups: for the optimizer, with peak learning rates.
        train: what to learn from.
        steps: how many.
        measured_at: the steps after which the accuracy is measured.
        seed: of the order of the reviews.
    """

    model: nn.Module
    groups: list[dict]
    train: Examples
    steps: int
    measured_at: Sequence[int]
    seed: int


def fit(
    run: Run,
    loss: Callable[..., torch.Tensor],
    test: Examples,
    each_step: Callable[[float], object] | None = None,
) -> list[int]:
    """Train a classifier with AdamW.

    The learning rate rises for a tenth of the steps and falls to 0 after that.

    Args:
        run: what to train.
        loss: loss(logits, labels), a tensor of one number.
        test: reviews that aren't trained on.
        each_step: called with each step's loss.

    Returns:
        How many test reviews come out right, at each step of `measured_at`.
    """
    return _fit(run.model, run, loss, test, each_step)


@training.on_device
def _fit(
    model: nn.Module,
    run: Run,
    loss: Callable[..., torch.Tensor],
    test: Examples,
    each_step: Callable[[float], object] | None,
) -> list[int]:
    generator = torch.Generator().manual_seed(run.seed)
    optimizer = torch.optim.AdamW(run.groups, betas=(0.9, 0.98), weight_decay=0.05, fused=True)
    peaks = [group["lr"] for group in optimizer.param_groups]
    loss_of = training.beside(lambda model, ids, labels: loss(model(ids), labels))
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    order: list[torch.Tensor] = []
    found: list[int] = []
    for step in range(1, run.steps + 1):
        training.unless_stopped()
        if not order:
            order = _batches(run.train, generator)
        rate = pretraining.learning_rate(step, run.steps + 1, max(1, int(WARMUP * run.steps)), 1.0)
        for group, peak in zip(optimizer.param_groups, peaks, strict=True):
            group["lr"] = peak * rate
        optimizer.zero_grad()
        value = loss_of(model, *run.train.part(order.pop()))
        value.backward()
        nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        if each_step:
            each_step(value.item())
        if step in run.measured_at:
            found.append(right(model, test))
    return found


def fit_each(
    runs: Sequence[Run],
    loss: Callable[..., torch.Tensor],
    test: Examples,
    name: str,
    models: bool = False,
) -> list[list[int]]:
    """`fit` for each run, as many at once as there are cores. Results are kept, and found again.

    Args:
        runs: what to train.
        loss: loss(logits, labels), a tensor of one number.
        test: reviews that aren't trained on.
        name: under which results are kept.
        models: whether the trained models are needed afterwards.

    Returns:
        What `fit` gives, for each run.
    """

    def mark(run: Run) -> str:
        few = run.train.part(slice(0, 8))
        groups = [(group["lr"], len(group["params"])) for group in run.groups]
        asked = (run.steps, list(run.measured_at), run.seed, len(test), int(run.train.ids.sum()))
        return f"{training.behaviour(loss(run.model(few.ids), few.labels), run.model)} {groups} {asked}"

    return training.each(
        lambda run: fit(run, loss, test),
        runs,
        "Runs",
        keep=f"fine-tuning, {name}",
        mark=mark,
        model=lambda run: run.model if models else None,
    )


def _batches(train: Examples, generator: torch.Generator) -> list[torch.Tensor]:
    """Each review once, in batches of about one length, so that little is padding. Rows in each."""
    order = torch.randperm(len(train), generator=generator)
    lengths = (train.ids != corpora.PAD).sum(dim=-1)
    near = torch.cat([part[lengths[part].argsort()] for part in order.split(NEAR * BATCH)])
    batches = near.split(BATCH)
    return [batches[at] for at in torch.randperm(len(batches), generator=generator)]


def fit_head(run: Run, loss: Callable[..., torch.Tensor], test: Examples, steps: int = 300) -> int:
    """Train only a classifier's head, on the outputs of its frozen body, which are computed once.

    Args:
        run: the model, the head's group and the reviews; its steps aren't used.
        loss: loss(logits, labels), a tensor of one number.
        test: reviews that aren't trained on.
        steps: each over all reviews.

    Returns:
        How many test reviews come out right.
    """
    pooled = features(run.model, run.train)
    optimizer = torch.optim.AdamW(run.groups, weight_decay=0.05)
    for _ in range(training.steps(steps)):
        optimizer.zero_grad()
        loss(run.model.get_submodule("head")(pooled), run.train.labels).backward()
        optimizer.step()
    return right(run.model, test)


def features(model: nn.Module, examples: Examples) -> torch.Tensor:
    """What a classifier's head gets of each review: its vectors, pooled, (N, C)."""
    pool = cast(Callable[..., torch.Tensor], model.pool)
    return _each(lambda model, ids: pool(model.body(ids), ids != corpora.PAD), model, examples)


def _each(
    function: Callable[..., torch.Tensor], model: nn.Module, examples: Examples, size: int = 50
) -> torch.Tensor:
    """What comes out for each review, (N, ...), on the model's device in batches of neighbours in length."""
    order, function = (examples.ids != corpora.PAD).sum(dim=-1).argsort(), training.beside(function)
    with torch.no_grad():
        found = [function(model, examples.part(rows).ids).to("cpu") for rows in order.split(size)]
    return torch.cat(found)[order.argsort()]


def predicted_labels(model: nn.Module, examples: Examples) -> torch.Tensor:
    """The class that a classifier gives each review, (N,)."""
    return _each(lambda model, ids: model(ids), model, examples).argmax(dim=-1)


def right(model: nn.Module, examples: Examples) -> int:
    """How many reviews a classifier gets right."""
    return int((predicted_labels(model, examples) == examples.labels).sum())


def language_loss(backbone: Backbone, examples: Examples) -> float:
    """A backbone's loss as a language model, with its words as output map, in nats per token."""
    inputs, targets = pretraining.inputs_and_targets(examples.ids)
    with torch.no_grad():
        logits = backbone(inputs) @ backbone.words.weight.T
        return float(pretraining.language_model_loss(logits, targets))


def share_of_praise(model: LanguageModel, text: str) -> float:
    """Of the probability of words of praise and of blame as a text's next word, the share of praise."""
    vocabulary = corpora.vocabulary()
    with torch.no_grad():
        p = model(vocabulary.batch([text], eos=False))[0, -1].softmax(dim=-1)
    praise, blame = (float(p[vocabulary.encode(words)].sum()) for words in (PRAISE, BLAME))
    return praise / (praise + blame)


def counts(examples: Examples, vocabulary: int) -> torch.Tensor:
    """How often each word occurs in each review, (N, V), without `<pad>`, `<bos>` and `<eos>`."""
    table = torch.zeros(len(examples), vocabulary)
    table.scatter_add_(1, examples.ids, torch.ones(examples.ids.shape))
    table[:, [corpora.PAD, corpora.BOS, corpora.EOS]] = 0
    return table


def logistic_regression(
    rows: torch.Tensor, labels: torch.Tensor, others: torch.Tensor, penalty: float = 1.0
) -> torch.Tensor:
    """A linear classifier of rows of features, trained to the optimum: its classes for other rows.

    Args:
        rows: (N, V).
        labels: 0 or 1, (N,).
        others: (M, V).
        penalty: on the squared weights; 1/C in scikit-learn.

    Returns:
        Classes (M,).
    """
    weights, bias = torch.zeros(rows.size(1), requires_grad=True), torch.zeros((), requires_grad=True)
    optimizer = torch.optim.LBFGS([weights, bias], max_iter=100, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        logits = rows @ weights + bias
        loss = nn.functional.binary_cross_entropy_with_logits(logits, labels.float(), reduction="sum")
        loss = loss + penalty / 2 * weights.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return (others @ weights + bias > 0).long().detach()


def by_counting(
    tfidf: Callable[..., torch.Tensor], train: Examples, others: Examples, vocabulary: int
) -> int:
    """TF-IDF and logistic regression: how many of the other reviews come out right."""
    train_counts = counts(train, vocabulary)
    rows = tfidf(train_counts, train_counts)
    other_rows = tfidf(train_counts, counts(others, vocabulary))
    return int((logistic_regression(rows, train.labels, other_rows) == others.labels).sum())


def epochs(count: int, labels: int) -> int:
    """How many steps that many epochs take; fewer under a test."""
    return training.steps(count * -(-labels // BATCH))
