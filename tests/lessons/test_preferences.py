"""Lesson 13's formulas against torch, enumeration and closed forms."""

import itertools
import math
import random

import pytest
import torch
from torch import Tensor, nn

from helpers import posttraining
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)


@pytest.fixture(autouse=True)
def seeded() -> None:
    torch.manual_seed(0)


# -- rows of tokens ------------------------------------------------------------------------------------------

SPECIAL = (10, 11, 12)  # <request>, <answer>, <end>


def encode(text: str) -> list[int]:
    return [ord(letter) - ord("a") for letter in text]


def test_what_the_template_writes_is_what_the_mask_finds():
    row = posttraining.template("abc", "de", SPECIAL, encode)
    assert row == [10, 0, 1, 2, 11, 3, 4, 12]
    mask = posttraining.answer_mask(torch.tensor(row), *SPECIAL[1:])
    assert torch.tensor(row)[mask].tolist() == [3, 4, 12]
    assert posttraining.template("abc", None, SPECIAL, encode) == row[:5]


def test_the_mask_is_that_of_a_loop_on_every_row_of_six_tokens():
    word, answer, end = 0, 1, 2
    rows = list(itertools.product((word, answer, end), repeat=6))
    expected = []
    for row in rows:
        start = row.index(answer) if answer in row else len(row)
        stop = row.index(end, start) if end in row[start:] else len(row) - 1
        expected.append([start < t <= stop for t in range(len(row))])
    assert posttraining.answer_mask(torch.tensor(rows), answer, end).tolist() == expected


def test_new_rows_of_a_tied_embedding_leave_the_old_tokens_their_proportions():
    """The mean row's logit is the mean logit, and e to a mean is at most the mean of e to each: Hewitt 2021."""
    V, n_new = 50, 3
    embedding, hidden = torch.randn(V, 8).double(), 3 * torch.randn(200, 8).double()
    before = (hidden @ embedding.T).softmax(-1)
    after = (hidden @ posttraining.grow(embedding, n_new).T).softmax(-1)
    kept = after[:, :V] / before
    assert (kept >= V / (V + n_new) - 1e-9).all()
    torch.testing.assert_close(kept, kept[:, :1].expand_as(kept))


# -- losses --------------------------------------------------------------------------------------------------


def test_the_loss_of_answers_is_torchs_cross_entropy_of_labels():
    logits, ids, mask = 5 * torch.randn(3, 7, 11), torch.randint(11, (3, 7)), torch.rand(3, 7) < 0.5
    labels = ids.masked_fill(~mask, -100)[:, 1:]
    expected = nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), labels.flatten())
    torch.testing.assert_close(posttraining.sft_loss(logits, ids, mask), expected)


def test_the_probabilities_of_all_answers_sum_to_one():
    V, T = 4, 3
    torch.manual_seed(1)
    table = torch.randn(V, V)  # a model that looks at the last token
    answers = torch.tensor([[0, *rest] for rest in itertools.product(range(V), repeat=T)])
    mask = torch.arange(T + 1).expand(len(answers), -1) > 0
    log_p = posttraining.answer_log_probability(table[answers], answers, mask)
    torch.testing.assert_close(log_p.exp().sum(), torch.tensor(1.0))


def test_dpo_starts_at_ln_2_and_its_gradient_is_the_papers():
    answers = [torch.randn(5, requires_grad=True) for _ in range(2)]
    frozen = [answer.detach().clone() for answer in answers]
    start = posttraining.dpo_loss(*answers, *frozen, beta=0.3)
    assert start.item() == pytest.approx(math.log(2))
    chosen, rejected = answers
    frozen = [torch.randn(5), torch.randn(5)]
    posttraining.dpo_loss(chosen, rejected, *frozen, beta=0.3).backward()
    rewards = [0.3 * (answer - before).detach() for answer, before in zip(answers, frozen, strict=True)]
    expected = -0.3 * torch.sigmoid(rewards[1] - rewards[0]) / 5  # Rafailov et al. 2023, section 4
    torch.testing.assert_close(chosen.grad, expected)
    torch.testing.assert_close(rejected.grad, -expected)


def test_dpo_finds_the_best_policy_of_a_bandit():
    """With preferences as likely as Bradley and Terry's, the best policy is the frozen one times e^(r/β)."""
    beta, worth = 0.5, torch.tensor([0.0, 0.4, 1.0, -0.6])
    frozen = torch.tensor([0.1, 0.4, 0.2, 0.3]).log()
    logits = frozen.clone().requires_grad_()
    pairs = torch.tensor(list(itertools.permutations(range(4), 2)))
    preferred = torch.sigmoid(worth[pairs[:, 0]] - worth[pairs[:, 1]])
    optimizer = torch.optim.LBFGS([logits], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        log_p = logits.log_softmax(-1)
        losses = [
            posttraining.dpo_loss(*(x[side, None] for x in (log_p, frozen) for side in pair), beta)
            for pair in pairs
        ]
        loss = (torch.stack(losses) * preferred).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    best = (frozen + worth / beta).softmax(-1)
    torch.testing.assert_close(logits.detach().softmax(-1), best, atol=1e-3, rtol=0)


# -- policy gradients ----------------------------------------------------------------------------------------


def two_token_answers() -> tuple[Tensor, Tensor, Tensor]:
    """All answers of two tokens out of three, after a first token; their mask; a worth for each."""
    ids = torch.tensor([[0, *rest] for rest in itertools.product(range(3), repeat=2)])
    return ids, torch.tensor([False, True, True]).expand(len(ids), -1), torch.randn(len(ids))


def test_the_policy_gradient_is_that_of_the_expected_reward():
    """By enumeration: REINFORCE, weighed by how likely each answer is, against autograd of the expectation."""
    ids, mask, worth = two_token_answers()
    table = torch.randn(3, 3, requires_grad=True)
    log_p = posttraining.answer_log_probability(table[ids], ids, mask)
    (exact,) = torch.autograd.grad((log_p.exp() * worth).sum(), table)
    estimates = []
    for row in range(len(ids)):
        one = slice(row, row + 1)
        loss = posttraining.policy_gradient(table[ids[one]], ids[one], mask[one], worth[one])
        estimates.append(torch.autograd.grad(loss, table)[0])
    mean = sum(p * gradient for p, gradient in zip(log_p.exp().detach(), estimates, strict=True))
    torch.testing.assert_close(mean, -exact)


def test_a_baseline_leaves_the_policy_gradient_and_makes_it_less_noisy():
    ids, mask, worth = two_token_answers()
    table = torch.randn(3, 3, requires_grad=True)
    p = posttraining.answer_log_probability(table[ids], ids, mask).exp().detach()

    def gradients(rewards: Tensor) -> Tensor:
        losses = [
            posttraining.policy_gradient(
                table[ids[n : n + 1]], ids[n : n + 1], mask[n : n + 1], rewards[n : n + 1]
            )
            for n in range(len(ids))
        ]
        return torch.stack([torch.autograd.grad(loss, table)[0] for loss in losses])

    plain, centred = gradients(worth + 5), gradients(worth + 5 - (p * (worth + 5)).sum())
    means = [torch.einsum("n,nij->ij", p, each) for each in (plain, centred)]
    torch.testing.assert_close(*means, atol=1e-4, rtol=0)
    noise = [
        (p[:, None, None] * (g - m).square()).sum() for g, m in zip((plain, centred), means, strict=True)
    ]
    assert noise[1] < noise[0] / 10


def test_policy_gradients_find_the_best_arm_of_a_bandit():
    """From answers drawn and rewarded alone, with advantages within a group."""
    worth = torch.tensor([0.1, 0.9, 0.4, 0.2])
    logits = torch.zeros(4, requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=0.1)
    for _ in range(150):
        arms = logits.detach().softmax(-1).multinomial(16, replacement=True)
        ids = torch.stack([torch.zeros_like(arms), arms], dim=1)
        better = posttraining.advantages(worth[arms], divide=False)
        loss = posttraining.policy_gradient(logits.expand(16, 2, 4), ids, ids == arms[:, None], better)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert logits.softmax(-1)[1] > 0.95


def test_the_first_clipped_step_is_the_policy_gradient():
    logits = torch.randn(4, 5, 6, requires_grad=True)
    ids, mask = torch.randint(6, (4, 5)), torch.rand(4, 5) < 0.7
    worth = torch.randn(4)
    tokens = posttraining.clipped(posttraining.log_probabilities(logits, ids), worth, 0.2)
    torch.testing.assert_close(tokens, worth[:, None].expand_as(tokens))
    (ours,) = torch.autograd.grad(-(tokens * mask[:, 1:]).sum(-1).mean(), logits)
    (expected,) = torch.autograd.grad(posttraining.policy_gradient(logits, ids, mask, worth), logits)
    torch.testing.assert_close(ours, expected)


@pytest.mark.parametrize(("moved", "worth", "slope"), [
    (0.5, 1.0, 0), (0.5, -1.0, 1), (-0.5, 1.0, 1), (-0.5, -1.0, 0), (0.1, 1.0, 1), (-0.1, -1.0, 1),
])  # fmt: skip
def test_clipping_stops_only_what_gains(moved: float, worth: float, slope: int):
    """A token is let go where it has moved by more than ε into the direction that its advantage asks for."""
    now = torch.tensor([-2.0 + moved], requires_grad=True)
    (gradient,) = torch.autograd.grad(
        posttraining.clipped(now, torch.tensor(worth), 0.2, torch.tensor([-2.0])).sum(), now
    )
    torch.testing.assert_close(gradient, torch.tensor([slope * worth * math.exp(moved)]))


def test_advantages_divided_are_torchs_standard_scores():
    rewards = torch.randn(3, 8)
    rewards[1] = 0.25
    for divide in (False, True):
        found = posttraining.advantages(rewards, divide)
        torch.testing.assert_close(found.sum(-1), torch.zeros(3), atol=1e-5, rtol=0)
        assert found[1].tolist() == [0] * 8
    torch.testing.assert_close(found[[0, 2]].std(-1), torch.ones(2))


# -- distance to the frozen model ----------------------------------------------------------------------------


def test_the_divergence_is_torchs_and_its_estimates_have_the_means_that_schulman_says():
    logits, frozen = torch.randn(2, 7).double()
    p = logits.softmax(-1)
    exact = posttraining.kl(logits, frozen)
    model, before = (torch.distributions.Categorical(logits=each) for each in (logits, frozen))
    torch.testing.assert_close(exact, torch.distributions.kl_divergence(model, before))
    k1, k2, k3 = posttraining.kl_estimates(logits.log_softmax(-1), frozen.log_softmax(-1))
    torch.testing.assert_close((p * k1).sum(), exact)  # by enumeration: without bias
    torch.testing.assert_close((p * k3).sum(), exact)
    assert (k1 < 0).any()
    assert (k2 >= 0).all()
    assert (k3 >= 0).all()


def test_k3_is_less_noisy_than_k1_where_the_models_are_near():
    frozen = torch.randn(50)
    logits = frozen + 0.1 * torch.randn(50)
    p = logits.softmax(-1)
    k1, k2, k3 = posttraining.kl_estimates(logits.log_softmax(-1), frozen.log_softmax(-1))
    exact = posttraining.kl(logits, frozen)
    noise = [(p * (estimate - exact).square()).sum() for estimate in (k1, k2, k3)]
    assert noise[2] < noise[0] / 10
    assert abs((p * k2).sum() - exact) < 0.05 * exact  # biased, but little where the models are near


# -- evaluation ----------------------------------------------------------------------------------------------


def test_pass_at_k_is_the_share_of_choices_with_a_right_answer():
    for n, correct in itertools.product(range(1, 7), repeat=2):
        for k in range(1, n + 1) if correct <= n else ():
            choices = list(itertools.combinations([True] * correct + [False] * (n - correct), k))
            share = sum(map(any, choices)) / len(choices)
            assert posttraining.pass_at_k(n, correct, k) == pytest.approx(share)


def test_pass_at_k_has_no_bias_and_the_power_of_the_share_has_one():
    p, n, k = 0.2, 6, 4
    chance = [math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]
    truth = 1 - (1 - p) ** k
    assert sum(q * posttraining.pass_at_k(n, c, k) for c, q in enumerate(chance)) == pytest.approx(truth)
    assert sum(q * (1 - (1 - c / n) ** k) for c, q in enumerate(chance)) < truth - 0.03


def test_the_true_share_is_what_a_judge_who_errs_began_with():
    for share, sensitivity, specificity in itertools.product((0.0, 0.3, 1.0), (0.7, 1.0), (0.6, 1.0)):
        measured = share * sensitivity + (1 - share) * (1 - specificity)
        assert posttraining.true_share(measured, sensitivity, specificity) == pytest.approx(share)
    assert posttraining.true_share(0.05, 0.9, 0.8) == 0


def test_an_answer_matches_if_it_is_right_and_ends():
    end, rng = 9, random.Random(0)
    truth = [[rng.randrange(9) for _ in range(rng.randrange(4))] for _ in range(20)]
    wrote = [[*row, end, *row] for row in truth]
    assert posttraining.exact_match(wrote, truth, end) == 1
    assert posttraining.exact_match([row[:-1] for row in [[*row, end] for row in truth]], truth, end) == 0


def test_the_mean_per_token_may_prefer_another_option():
    sums, lengths = torch.tensor([-4.0, -6.0]), torch.tensor([2, 6])
    assert posttraining.likelier(sums, lengths, per_token=False) == 0
    assert posttraining.likelier(sums, lengths, per_token=True) == 1


def test_a_reward_asks_for_an_end_grammar_and_each_feature():
    read = {(1, 2): {"kind": "memoir", "sentiment": "favourable"}}.get
    asked = {"kind": "memoir"}

    def reward(*answer: int, asked: dict[str, str] = asked) -> float:
        return posttraining.reward(list(answer), asked, lambda tokens: read(tuple(tokens)), 9)

    assert reward(1, 2, 9) == reward(1, 2, 9, 3) == 1
    assert reward(1, 2) == reward(2, 1, 9) == reward(9, 1, 2, 9) == 0
    assert reward(1, 2, 9, asked={"kind": "memoir", "sentiment": "unfavourable"}) == 0


def test_padding_is_undone_by_its_mask():
    rows = [[3, 0, 5], [0], [], [7, 7]]
    ids, mask = posttraining.pad(rows, 0)
    assert [row[real].tolist() for row, real in zip(ids, mask, strict=True)] == rows
