"""The helpers of lesson 09 do what they say, and what the lesson claims is so."""

import math
import re

import pytest
import torch

from helpers import corpora, finetuning, pretraining
from helpers.checking.calling.drivers import Case, run
from helpers.checking.calling.outcome import AS_GIVEN
from helpers.figures import repeats, showing
from helpers.finetuning import Classifier, experiments, explorers, figures
from helpers.finetuning.experiments import Backbone, Examples, Run
from helpers.models.transformer import LanguageModelConfig
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)


def close(got, expected, **how):
    torch.testing.assert_close(got, expected, **how)


@pytest.fixture
def small():
    torch.manual_seed(0)
    backbone = Backbone(LanguageModelConfig(len(corpora.vocabulary()), 8, 2, 2, 100))
    return Classifier(backbone, 8, 2)


@pytest.fixture(scope="module")
def reviews():
    return experiments.examples(24, seed=1)


# -- the classifier ------------------------------------------------------------------------------------------


def test_padding_changes_no_review(small, reviews):
    together = small(reviews.ids)
    alone = torch.cat([small(reviews.part(slice(n, n + 1)).ids) for n in range(len(reviews))])
    close(together, alone, rtol=1e-4, atol=1e-5)


def test_who_reads_the_last_column_depends_on_the_neighbours(small, reviews):
    shortest = (reviews.ids != 0).sum(dim=-1).argmin()
    alone = reviews.part(shortest[None]).ids
    in_batch, by_itself = small.body(reviews.ids)[shortest, -1], small.body(alone)[0, -1]
    assert (in_batch - by_itself).norm() > 0.1


def test_the_first_position_of_a_causal_body_is_the_same_for_every_review(small, reviews):
    first = small.body(reviews.ids)[:, 0]
    close(first, first[:1].expand_as(first))


def test_the_loss_is_torchs():
    torch.manual_seed(0)
    logits, labels = torch.randn(5, 3), torch.randint(3, (5,))
    close(finetuning.class_loss(logits, labels), torch.nn.functional.cross_entropy(logits, labels))
    close(finetuning.class_loss(torch.zeros(2, 2), torch.tensor([0, 1])), torch.tensor(math.log(2)))
    by_hand = finetuning.class_loss(torch.tensor([[math.log(3), 0.0]]), torch.tensor([1]))
    close(by_hand, torch.tensor(math.log(4)))


# -- moving --------------------------------------------------------------------------------------------------


def test_a_language_models_weights_fit_and_its_head_is_left_over():
    old, new = (
        pretraining.new_model().state_dict(),
        Classifier(experiments.new_backbone(), 96, 2).state_dict(),
    )
    found = finetuning.match_state_dict(old, new, "body.")
    assert found["left over"] == ["head.weight"]
    assert not found["missing"] and not found["other shape"]
    weights = finetuning.transfer(old, new, "body.")
    assert all(torch.equal(weights[f"body.{name}"], old[name]) for name in old if name != "head.weight")
    assert torch.equal(weights["head.weight"], new["head.weight"])
    assert weights["body.words.weight"].data_ptr() != old["words.weight"].data_ptr()


def test_runs_are_made_once_for_the_same_answers(monkeypatch, tmp_path):
    """Whatever the answers look like; others, rates and seeds make runs of their own."""
    monkeypatch.setenv("HEADSTART_PROGRESS", str(tmp_path / "progress.json"))
    reviews, made = experiments.examples(20, seed=1), []
    monkeypatch.setattr(experiments, "fit", lambda *of: made.append(of) or [7])

    def fit(loss=finetuning.class_loss, rate=1e-3, seed=0, start=0):
        torch.manual_seed(start)
        body = Backbone(LanguageModelConfig(len(corpora.vocabulary()), 8, 2, 2, 100))
        model = Classifier(body, 8, 2)
        run = Run(model, finetuning.parameter_groups(model, rate, 1e-2), reviews, 4, (4,), seed)
        assert experiments.fit_each([run], loss, reviews, "tried", models=True) == [[7]]
        return model.head.weight

    first = fit()
    assert torch.equal(fit(), first) and len(made) == 1
    fit(lambda logits, labels: -logits.log_softmax(-1)[range(len(labels)), labels].mean())
    assert len(made) == 1
    for count, other in enumerate(({"rate": 2e-3}, {"seed": 1}, {"start": 1}), 2):
        fit(**other)
        assert len(made) == count
    fit(lambda logits, labels: 2 * finetuning.class_loss(logits, labels))
    assert len(made) == 5, "a wrong loss"


def test_a_body_that_is_not_trained_enough_is_said_to_be(monkeypatch, capsys):
    weights = pretraining.new_model().state_dict()
    experiments.trained_enough(weights, 5)
    said = capsys.readouterr().out
    assert "its loss on 5 new reviews:" in said and "The results below need 4% at most" in said
    assert 'training.forget("reviews")' in said
    monkeypatch.setattr(experiments, "ENOUGH", 100.0)
    experiments.trained_enough(weights, 5)
    assert "The results below" not in capsys.readouterr().out


def test_strict_false_moves_nothing_without_the_prefix_and_says_nothing(small, recwarn):
    before = {name: tensor.clone() for name, tensor in small.state_dict().items()}
    other = Backbone(LanguageModelConfig(len(corpora.vocabulary()), 8, 2, 2, 100)).state_dict()
    small.load_state_dict(other, strict=False)
    assert all(torch.equal(tensor, before[name]) for name, tensor in small.state_dict().items())
    assert not recwarn


def test_strict_false_forgives_no_shape(small):
    with pytest.raises(RuntimeError, match="size mismatch"):
        small.load_state_dict({"head.weight": torch.zeros(3, 8)}, strict=False)


def test_exchanged_blocks_raise_nothing_and_compute_something_else(small, reviews):
    with torch.no_grad():
        for weight in small.body.blocks.parameters():
            weight.add_(0.1 * torch.randn_like(weight))
        before = small(reviews.ids)
        weights = small.state_dict()
        names = {name: name.replace("blocks.0", "blocks.1") for name in weights if "blocks.0" in name}
        names |= {other: name for name, other in names.items()}
        small.load_state_dict({names.get(name, name): tensor.clone() for name, tensor in weights.items()})
        assert (small(reviews.ids) - before).abs().max() > 0.01


# -- freezing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("gradient", "stays"), [(None, True), (torch.zeros(2), False)])
def test_weight_decay_moves_what_has_a_gradient_of_zeros_alone(gradient, stays):
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.grad = gradient
    torch.optim.AdamW([parameter], lr=0.1, weight_decay=0.1).step()
    assert torch.equal(parameter, torch.ones(2)) is stays


def test_an_optimizer_takes_a_misspelt_rate_without_a_word():
    group = {"params": [torch.nn.Parameter(torch.ones(2))], "rate": 0.5}
    assert torch.optim.AdamW([group], lr=0.1).param_groups[0]["lr"] == 0.1


def test_the_head_alone_has_as_many_numbers_as_the_lesson_says():
    model = Classifier(experiments.new_backbone(), 96, 2)
    finetuning.freeze(model)
    assert finetuning.trainable(model) == 194


def test_head_only_forgets_nothing_and_full_changes_the_body(small, reviews):
    before = experiments.language_loss(small.body, reviews)
    frozen = Run(small, [{"params": list(small.head.parameters()), "lr": 0.01}], reviews, 4, (), 0)
    experiments.fit_head(frozen, finetuning.class_loss, reviews, steps=4)
    assert experiments.language_loss(small.body, reviews) == before
    groups = finetuning.parameter_groups(small, 1e-2, 1e-2)
    found = experiments.fit(Run(small, groups, reviews, 4, (2, 4), 0), finetuning.class_loss, reviews)
    assert len(found) == 2
    assert experiments.language_loss(small.body, reviews) != before


def test_a_frozen_body_stays_in_the_same_loop(small, reviews):
    finetuning.freeze(small)
    before = [weight.clone() for weight in small.body.parameters()]
    groups = finetuning.parameter_groups(small, 1e-2, 1e-2)
    assert len(groups) == 1
    experiments.fit(Run(small, groups, reviews, 2, (), 0), finetuning.class_loss, reviews)
    assert all(map(torch.equal, before, small.body.parameters()))


def test_features_are_what_the_head_reads(small, reviews):
    close(small.head(experiments.features(small, reviews)), small(reviews.ids), rtol=1e-4, atol=1e-5)
    assert isinstance(small.head, torch.nn.Linear)


# -- intervals -----------------------------------------------------------------------------------------------


def test_intervals_by_hand():
    assert finetuning.wilson(4, 4, 2) == pytest.approx((0.5, 1))
    low, high = finetuning.t_interval([0.6, 0.7, 0.8], finetuning.T_95)
    assert (low, high) == pytest.approx((0.7 - 0.2484, 0.7 + 0.2484), abs=1e-3)


@pytest.mark.parametrize("share", [0.5, 0.7, 0.97])
def test_wilsons_interval_covers_what_it_says(share):
    """Exactly: the probability, over all possible numbers of right reviews, that the interval holds the truth."""
    n = 100
    correct = torch.arange(n + 1)
    chance = torch.distributions.Binomial(n, torch.tensor(share, dtype=torch.float64)).log_prob(
        correct.double()
    )
    inside = [low <= share <= high for low, high in (finetuning.wilson(int(k), n, 1.96) for k in correct)]
    assert 0.92 < float(chance.exp()[torch.tensor(inside)].sum()) < 0.98


def test_students_interval_covers_what_it_says_and_the_normal_one_less():
    torch.manual_seed(0)
    runs = torch.randn(2000, 3, dtype=torch.float64).tolist()
    intervals = [finetuning.t_interval(run, finetuning.T_95) for run in runs]
    assert sum(low <= 0 <= high for low, high in intervals) / 2000 == pytest.approx(0.95, abs=0.02)
    normal = [finetuning.t_interval(run, [1.96] * 4) for run in runs]
    assert sum(low <= 0 <= high for low, high in normal) / 2000 < 0.88


# -- counting words ------------------------------------------------------------------------------------------


def test_tfidf_by_hand():
    train = torch.tensor([[1.0, 0.0], [2.0, 1.0], [1.0, 0.0]])
    close(
        finetuning.tfidf(train, torch.tensor([[2.0, 1.0]])), torch.tensor([[0.763, 0.646]]), atol=1e-3, rtol=0
    )


def test_logistic_regression_is_where_the_gradient_is_zero():
    torch.manual_seed(0)
    rows, labels = torch.randn(60, 3), torch.randint(2, (60,))
    labels[rows[:, 0] > 1] = 1
    others = torch.randn(40, 3)
    model = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    for _ in range(3000):
        optimizer.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            model(rows)[:, 0], labels.float(), reduction="sum"
        )
        (loss + 0.5 * model.weight.square().sum()).backward()
        optimizer.step()
    found = experiments.logistic_regression(rows, labels, others)
    assert torch.equal(found, (model(others)[:, 0] > 0).long())


def test_counting_sees_no_padding(reviews):
    table = experiments.counts(reviews, len(corpora.vocabulary()))
    assert table.sum(dim=-1).tolist() == [
        len(review.text.split()) for review in corpora.reviews(len(reviews), seed=1)
    ]


def test_a_part_is_as_long_as_it_needs(reviews):
    part = reviews.part(torch.tensor([3, 5]))
    assert isinstance(part, Examples)
    assert part.ids[:, -1].count_nonzero() >= 1


# -- drivers, figures, explorer ------------------------------------------------------------------------------


def test_prepare_makes_a_step_of_what_trains():
    recipe = {"layer": "a classifier to freeze", "weights": [4, 3, 5, 2, "-"]}
    case = Case("a model", (recipe,))
    frozen = run("prepare", finetuning.freeze, case).outputs
    free = run("prepare", print, case).outputs
    assert torch.equal(frozen["head.bias"], free["head.bias"])
    assert not torch.equal(frozen["body.W.bias"], free["body.W.bias"])
    assert run("prepare", 3, case).status == "unusable"


def test_copies_shows_what_is_shared():
    case = Case("a dict", ({"a": torch.zeros(2)},))
    shared, copied = run("copies", dict, case), run("copies", lambda d: {"a": d["a"].clone()}, case)
    assert shared.outputs["a"].tolist() == copied.outputs["a"].tolist() == [0, 0]
    assert shared.inputs_after[0][0]["a"].tolist() == [1, 1]
    assert copied.inputs_after == AS_GIVEN


def test_figures_tell_their_numbers():
    found = {"pretrained": {50: [0.4, 0.6], 200: [0.7, 0.9]}}
    told, labels = "with 95 % intervals", {"xlabel": "labels", "title": "A"}
    for joined in (False, True):
        said = figures.curves(found, repeats.whole, told, joined=joined, **labels).get_label()
        assert "pretrained: 50: 50 % (40 to 60 %), 200: 80 % (70 to 90 %)" in said and told in said
    assert (
        "full: 50 % (40 to 60 %)" in figures.seeds({"full": [0.4, 0.6]}, repeats.whole, title="B").get_label()
    )
    assert "70 % (60 to 80)" in figures.forest({"full": (0.7, (0.6, 0.8))}, title="B").get_label()


def test_the_examples_are_words_that_the_model_knows():
    for text in explorers.EXAMPLES:
        assert not explorers.unknown(text.split()), text
        assert corpora.sentiment(text) is not None, text


def test_the_explorer_shows_label_weights_and_omissions(small):
    explorer = explorers.review_explorer(small, explorers.EXAMPLES, "8.8")
    which, without, text, verdict, picture = explorer.children
    first = picture.value
    assert "probability" in verdict.value and "<img" in first
    which.value = 2
    assert picture.value != first
    without.value = 3
    assert "without “memoir”" in verdict.value
    text.value = "this book is a masterpiece ."
    assert "never seen" in picture.value and "masterpiece" in picture.value


def test_the_explorer_waits_for_the_classifier():
    class Stub(torch.nn.Module):
        def forward(self, ids):
            raise NotImplementedError

    explorer = explorers.review_explorer(Stub(), explorers.EXAMPLES, "8.3")
    assert explorer.children[-1].value == showing.note(showing.not_yet("8.3"))


def test_the_bars_say_what_matters_most(small):
    words = explorers.EXAMPLES[0].split()
    p, falls = explorers.left_out(small, words)
    looks = explorers.last_looks(small, words)
    assert len(falls) == len(looks) == len(words)
    assert 0 < p < 1 and 0 < float(looks.sum()) < 1
    said = showing.description(explorers.word_bars(words, p, looks, falls))
    assert re.search(rf"looks most at {re.escape(words[int(looks.argmax())])} ", said)
