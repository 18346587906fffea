"""Lesson 13's helpers: the parser's verdicts are right, distances are exact, and each training does its work."""

import copy
import itertools
import math
import random

import pytest
import torch

from helpers import corpora, posttraining, pretraining
from helpers.figures.showing import Table
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from helpers.posttraining import drawings, experiments, explorers, figures, following, measures, requests
from helpers.posttraining.experiments import Setting
from helpers.posttraining.requests import Demonstration, Request
from helpers.text import reviews
from helpers.text.review_words import GENRES, NAMES
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)

TOOLS = experiments.Tools(**{name: getattr(posttraining, name) for name in experiments.Tools._fields})


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


@pytest.fixture
def whole_trainings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trainings with all of their steps, which are few here."""
    monkeypatch.delenv("HEADSTART_QUICK", raising=False)


def small() -> LanguageModel:
    """A small model with the new tokens, untrained."""
    return LanguageModel(LanguageModelConfig(len(requests.vocabulary()), 16, 2, 1, 100))


def ended(text: str) -> list[int]:
    return [*requests.encode(text), requests.special().end]


def people(text: str) -> dict[str, str]:
    """Who wrote a review and whom it is about, read off the names alone."""
    found = {}
    for word in text.split():
        for place, (name,) in NAMES.items():
            if word == name:
                kind, pronoun = place.strip("{]").replace("}[", " ").split()[0::2]
                found[kind] = requests.PERSONS[pronoun]
    return found


# -- the parser's verdicts -------------------------------------------------------------------------------


def test_features_are_those_that_the_names_and_the_label_say() -> None:
    for review in corpora.reviews(300, seed=11):
        found = requests.read(review.text)
        assert found is not None
        assert {name: found[name] for name in ("author", "hero")} == people(review.text)
        assert found["sentiment"] == ("unfavourable", "favourable")[review.label]
        assert f"{found['kind']} " in review.text.partition(" . ")[0] + " "


def test_an_answer_is_fulfilled_if_it_ends_is_a_review_and_has_each_feature_and_only_then() -> None:
    for each in requests.to_write(60, seed=12):
        assert requests.judge(each.request, ended(each.answer)).fulfilled
        assert not requests.judge(each.request, requests.encode(each.answer)).fulfilled
        assert not requests.judge(each.request, ended(each.answer.rpartition(" ")[0])).grammatical
        features = requests.read(each.answer)
        for name, value in each.request.asked.items():
            values = {"kind": [*requests.kinds()], "sentiment": requests.SENTIMENTS}
            other = next(new for new in values.get(name, ["woman", "man"]) if new != value)
            wrong = requests.judge(Request("", {**each.request.asked, name: other}), ended(each.answer))
            assert not wrong.fulfilled
            assert [kind for kind, holds in wrong.features.items() if not holds] == [name]
        assert features is not None and each.request.asked.items() <= features.items()


def test_a_question_has_one_right_answer() -> None:
    for each in requests.to_read(60, seed=13):
        assert requests.judge(each.request, ended(each.answer)).fulfilled
        others = {"blame", "praise", "clara", "leon", "rosa lambert", "julia marsh", each.answer + " ."}
        for wrong in others - {each.answer}:
            assert not requests.judge(each.request, ended(wrong)).fulfilled
    with pytest.raises(ValueError, match="no review"):
        requests.answers("it is good .")


def test_what_is_worded_is_understood() -> None:
    options = ("favourable", "unfavourable", None), (*requests.kinds(), None), ("woman", "man", None)
    for sentiment, kind, author, hero in itertools.product(*options, ("woman", "man", None)):
        values = {"sentiment": sentiment, "kind": kind, "author": author, "hero": hero}
        asked = {name: value for name, value in values.items() if value}
        understood = requests.understood(requests.worded(asked).capitalize() + ".")
        assert isinstance(understood, Request) and understood.asked == asked
        requests.encode(understood.text)
    text = corpora.reviews(1, seed=5)[0].text
    asked = requests.understood("What is the hero called?", text)
    assert isinstance(asked, Request) and asked.asked["answer"] in text
    for strange in ("what is the hero called?", "a review of a cookbook", "tell me a joke", ""):
        assert isinstance(requests.understood(strange), str)
    assert (
        requests.understood("a review by a woman by a man") == "The judge understands each feature only once."
    )


def test_requests_are_understood_as_people_type_them() -> None:
    usual = requests.understood("a favourable review of a ghost story by a woman about a man")
    assert isinstance(usual, Request) and len(usual.asked) == 4
    for typed in (
        "A favorable review of a ghost story, by a woman, about a man.",
        "a favourable review about a man by a woman of a ghost story",
    ):
        assert requests.understood(typed) == usual
    text = corpora.reviews(1, seed=5)[0].text
    called = requests.understood("what is the hero called ?", text)
    assert (
        requests.understood("What’s the hero called?", text)
        == called
        == requests.understood("what's the hero called", text)
    )


@pytest.mark.parametrize("mark", [*requests.MARKS, "<eos>", "<pad>"])
def test_nobody_can_type_a_special_token(mark: str) -> None:
    with pytest.raises(ValueError, match=f"'{mark}' is a special token"):
        requests.encode(f"a review {mark} of a ghost story")


# -- the language of right answers -----------------------------------------------------------------------


def test_right_answers_have_the_probability_of_the_review_over_that_of_its_features() -> None:
    whole = reviews.grammar()
    for each in requests.to_write(40, seed=14):
        chance = 1.0
        for name in ("sentiment", "author", "hero"):
            chance /= 2 if name in each.request.asked else 1
        if kind := each.request.asked.get("kind"):
            symbol = f"Kind[{requests.kinds()[kind]} one]"
            rule = [" ".join(body) for body in whole.bodies[symbol]].index(kind)
            chance *= whole.probabilities[symbol][rule] / len(GENRES)
        expected = corpora.log_probability(each.answer) - math.log(chance)
        assert requests.log_probability(each.request, each.answer) == pytest.approx(expected)


def test_next_words_multiply_to_the_probability_of_the_text() -> None:
    for each in requests.to_write(12, seed=15):
        rows = following.distributions(each.request.asked, each.answer)
        torch.testing.assert_close(rows.sum(dim=-1), torch.ones(len(rows), dtype=torch.float64))
        drawn = torch.tensor(ended(each.answer))[:, None]
        found = float(rows.gather(-1, drawn).log().sum())
        assert found == pytest.approx(requests.log_probability(each.request, each.answer))


def test_next_words_are_as_frequent_as_drawn_reviews_have_them() -> None:
    text = following.Following(reviews.grammar())
    for word in ("i", "read", "this"):
        text.take(word)
    drawn = [
        review.text.split()[3] for review in corpora.reviews(6_000, seed=16) if review.text[:6] == "i read"
    ]
    for word, p in text.next_words().items():
        assert abs(drawn.count(word) / len(drawn) - p) < 5 * math.sqrt(p / len(drawn))
    with pytest.raises(ValueError, match="goes on"):
        text.take("candle")


# -- a model that answers --------------------------------------------------------------------------------


def test_new_rows_leave_the_old_ones_and_are_tied() -> None:
    old = LanguageModel(LanguageModelConfig(len(corpora.vocabulary()), 16, 2, 1, 100))
    new = experiments.with_new_tokens(old, posttraining.grow)
    assert new.head.weight is new.words.weight
    assert torch.equal(new.words.weight[: len(old.words.weight)], old.words.weight)
    assert requests.vocabulary().words[: len(corpora.vocabulary())] == corpora.vocabulary().words


def test_answers_written_together_are_those_written_alone() -> None:
    model = small()
    torch.nn.init.normal_(model.words.weight, std=0.4)  # so that rounding decides no choice
    asked = [each.request for each in requests.to_write(5, 17) + requests.to_read(3, 18)]
    together = experiments.write(model, asked, torch.Generator(), temperature=0)
    for row, request in enumerate(asked):
        alone = experiments.write(model, [request], torch.Generator(), temperature=0)
        assert together.answer(row) == alone.answer(0)
        assert together.ids[row, : together.prompts[row]].tolist() == experiments.prompt(request)


def test_fine_tuning_teaches_answers_and_only_without_the_mask_requests(whole_trainings: None) -> None:
    start, shown, asked = small(), requests.to_read(240, 19), {}
    for masked in (True, False):
        model = copy.deepcopy(start)
        losses = [
            loss for _, loss in experiments.supervise(model, shown, TOOLS, masked=masked).lines["training"]
        ]
        assert sum(losses[-3:]) < sum(losses[:3]) - 1.5
        ids, _ = TOOLS.batch(shown[:8])
        with torch.no_grad():
            asked[masked] = float(posttraining.log_probabilities(model(ids), ids)[:, :20].mean())
    assert asked[False] > asked[True] + 0.1


def test_preferences_part_chosen_from_rejected(whole_trainings: None) -> None:
    model, frozen = small(), small()
    frozen.load_state_dict(model.state_dict())
    request = requests.to_write(1, 20)[0].request
    pairs = [(Demonstration(request, "it is good ."), Demonstration(request, "it is bad ."))] * 160
    margins: list[float] = []
    experiments.prefer(
        model, frozen, pairs, TOOLS, rate=3e-3, watch=lambda c, r: margins.append(float((c - r).mean()))
    )
    assert margins[0] == 0
    assert margins[-1] > 1


def test_pairs_are_a_right_answer_and_a_wrong_one(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, rng = requests.to_write(40, 21), random.Random(0)

    def wrote(model: object, asked: list[Request], *_: object) -> experiments.Answered:
        known = {each.request.text: each.answer for each in shown}
        texts = [known[request.text] if rng.random() < 0.5 else "it is good ." for request in asked]
        ids, _ = posttraining.pad([ended(text) for text in texts], corpora.PAD)
        return experiments.Answered(ids, [0] * len(asked), asked)

    monkeypatch.setattr(experiments, "write", wrote)
    pairs = experiments.pairs_of(small(), [each.request for each in shown], seed=0)
    assert len(pairs) > 20
    for better, worse in pairs:
        assert better.request == worse.request
        assert requests.judge(better.request, ended(better.answer)).fulfilled
        assert worse.answer == "it is good ."


def test_rewards_are_learned_and_a_penalty_holds_back(whole_trainings: None) -> None:
    def odd(request: Request, answer: list[int]) -> float:
        return sum(token % 2 for token in answer) / len(answer)

    start = LanguageModel(LanguageModelConfig(len(requests.vocabulary()), 16, 2, 1, 40))
    last = {}
    for beta in (0.0, 1.0):
        model = copy.deepcopy(start)
        setting = Setting(30, rate=0.05, beta=beta, reward=odd, requests=2, group=8, divide=True)
        rewards = [
            reward for _, reward in experiments.reinforce(model, start, TOOLS, setting).lines["reward"]
        ]
        last[beta] = sum(rewards[-3:]) / 3
        assert rewards[0] < 0.6
    assert last[0.0] > 0.8
    assert last[1.0] < 0.6


def test_later_updates_compare_with_the_policy_that_drew_the_answers() -> None:
    asked: list[tuple[torch.Tensor, torch.Tensor | None]] = []

    def watched(
        log_p: torch.Tensor, advantages: torch.Tensor, epsilon: float, old: torch.Tensor | None = None
    ) -> torch.Tensor:
        asked.append((log_p.detach(), old))
        return posttraining.clipped(log_p, advantages, epsilon, old)

    def odd(request: Request, answer: list[int]) -> float:
        return sum(token % 2 for token in answer) / len(answer)

    model = LanguageModel(LanguageModelConfig(len(requests.vocabulary()), 16, 2, 1, 40))
    setting = Setting(4, updates=3, rate=0.05, reward=odd, requests=2, group=4)
    live = experiments.reinforce(model, model, TOOLS._replace(clipped=watched), setting)
    assert len(asked) == 12
    for (drawn, none), *later in (asked[at : at + 3] for at in range(0, 12, 3)):
        assert none is None
        for now, old in later:
            assert old is not None and torch.equal(old, drawn) and not torch.equal(now, drawn)
    assert [step for step, _ in live.lines["clipped"]] == [1, 2, 3, 4]
    assert 0 < max(share for _, share in live.lines["clipped"]) < 1


def test_tokens_are_counted_as_clipped_where_that_changes_the_objective() -> None:
    model, ids = small(), torch.randint(len(requests.vocabulary()), (6, 12))
    mask, better = torch.rand(6, 11) < 0.7, torch.tensor([1.0, 1.0, 0.0, -1.0, -1.0, 2.0])
    now = posttraining.log_probabilities(model(ids), ids).detach()
    drawn = now + 0.4 * torch.randn(now.shape)
    *_, share = experiments._objective(model, ids, mask, better, drawn, frozen=model, tools=TOOLS, beta=0.0)
    held, free = (posttraining.clipped(now, better, epsilon, drawn) for epsilon in (0.2, math.inf))
    assert float(share) == pytest.approx(float((held != free)[mask].double().mean()))
    assert 0.1 < share < 0.6


def test_with_one_update_per_draw_nothing_is_clipped() -> None:
    model = LanguageModel(LanguageModelConfig(len(requests.vocabulary()), 16, 2, 1, 40))
    live = experiments.reinforce(
        model, copy.deepcopy(model), TOOLS, Setting(4, updates=1, requests=1, group=2)
    )
    assert {*live.lines} == {"reward", "words"} and "clipped" not in live.apart  # no empty panel


def test_the_parser_s_reward_is_its_verdict() -> None:
    shown = requests.to_write(6, 23) + requests.to_read(6, 24)
    ids, _ = TOOLS.batch(shown)
    answered = experiments.Answered(ids, [len(experiments.prompt(each.request)) for each in shown], [])
    answered = answered._replace(requests=[each.request for each in shown[::-1]][::-1])
    assert experiments.rewards_of(answered, TOOLS) == [1.0] * 12
    mixed = answered._replace(requests=[*answered.requests[1:], answered.requests[0]])
    assert experiments.rewards_of(mixed, TOOLS) == [float(each.fulfilled) for each in mixed.verdicts()]


# -- what is measured ------------------------------------------------------------------------------------


def test_the_policy_gradient_is_that_of_all_answers_and_finds_the_best() -> None:
    exact, drawn = measures.bandit_gradients(posttraining.policy_gradient)
    assert exact == pytest.approx(drawn, abs=0.006)
    _, shares = measures.bandit(posttraining.policy_gradient)
    assert shares["reward 0.8"][-1] > 0.95


def test_as_losses_the_estimates_have_the_gradients_that_the_lesson_says() -> None:
    """On average over the model's own draws, that is weighed by its probabilities, as constants."""
    model, frozen = torch.randn(7, dtype=torch.float64, requires_grad=True), torch.randn(7).double()
    log_p, log_q = model.log_softmax(-1), frozen.log_softmax(-1)
    averages = [(log_p.exp().detach() * each).sum() for each in posttraining.kl_estimates(log_p, log_q)]
    # KL(frozen ‖ model)
    to_model = torch.nn.functional.kl_div(log_p, log_q, reduction="sum", log_target=True)
    said = (0 * model.sum(), posttraining.kl(model, frozen), to_model)
    for average, distance in zip(averages, said, strict=True):
        got, right = (torch.autograd.grad(each, model, retain_graph=True)[0] for each in (average, distance))
        torch.testing.assert_close(got, right)


def test_exact_distances_and_estimates_agree_on_average() -> None:
    found = measures.from_the_grammar(small(), posttraining.kl, posttraining.kl_estimates, TOOLS, 12)
    exact, estimates = (torch.stack([getattr(each, name).sum() for each in found]) for name in Apart)
    gap = (exact - estimates).mean()
    assert (exact > 0).all()
    assert abs(gap) < 4 * (exact - estimates).std() / len(found) ** 0.5


Apart = ("exact", "estimate")


@torch.no_grad()
def test_figures_of_a_model_are_those_of_its_answers() -> None:
    model = small()
    found = measures.measure(model, model, TOOLS, count=4)
    assert found["fulfilled"] == found["read"] == found["from start"] == 0
    right = requests.to_write(4, 70)
    theirs = [
        posttraining.answer_log_probability(model(ids), ids, mask) for ids, mask in [TOOLS.batch(right)]
    ]
    known = [requests.log_probability(each.request, each.answer) for each in right]
    assert found["to grammar"] == pytest.approx(sum(known) / 4 - float(theirs[0].mean()), rel=1e-4)


def test_three_ways_to_ask_use_what_the_student_wrote() -> None:
    found = measures.three_ways(small(), TOOLS, posttraining.exact_match, posttraining.likelier, count=10)
    assert [*found.values()][:2] == [0, 0]
    assert 0 < found["choosing the likelier"] < 1


def test_a_request_in_words_gets_an_answer_with_a_verdict() -> None:
    model, last = small(), [""]
    page = explorers.answered(model, "A favourable review of a ghost story.", 1.0, 0, last)
    assert all(point in page for point in ("✗ a review, by the grammar", "– sentiment: favourable (can"))
    assert "no review yet" in explorers.answered(model, "who wrote it?", 1.0, 0, last)
    last[0] = corpora.reviews(1, seed=5)[0].text
    assert "About" in explorers.answered(model, "who wrote it?", 1.0, 0, last)
    for strange, said in (("tell me a joke", "understand"), ("a review of a <b>bore", "&lt;b&gt;bore")):
        page = explorers.answered(model, strange, 1.0, 0, last)
        assert said in page and "praise or blame" in page
        assert not any(wrong in page for wrong in ("&lt;i", "&amp;", "<b>bore"))
    with pytest.raises(NotImplementedError):
        explorers.answered(None, "who wrote it?", 1.0, 0, last)


def test_a_long_request_is_shortened_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    tables: list[Table] = []
    monkeypatch.setattr(figures, "show_table", tables.append)
    asked = [each.request for each in requests.to_read(6, 26)]
    figures.show_verdicts(experiments.write(small(), asked, torch.Generator().manual_seed(1)), 6)
    for (shown, *_), request in zip(tables[0].rows, asked, strict=True):
        assert f" {shown.removeprefix('... ')}" in request.text != shown


def test_drawings_say_what_they_show() -> None:
    for draw in (drawings.counted, drawings.loop):
        assert draw().get_label()


def test_a_pretrained_model_can_be_asked() -> None:
    model = experiments.with_new_tokens(pretraining.new_model(), posttraining.grow)
    asked = [each.request for each in requests.to_read(2, 25)]
    assert len(experiments.write(model, asked, torch.Generator()).verdicts()) == 2
