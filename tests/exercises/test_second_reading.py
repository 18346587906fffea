"""Wrong answers that other people wrote from the texts of lessons 02 to 13, and the mistake that each is told.

Each passed a check once, or got no cause. The sheets are made here, from the exercises as they are.
"""

import math

import pytest
import torch
import torch.nn.functional as F

from autograder import exercises
from autograder.sheets import HiddenSheets, failing_case
from helpers import bert, block, finetuning, multihead
from helpers.checking.comparing import LIST_OR_SET, NOT_ASKED_FOR
from helpers.checking.finding import Status
from helpers.masking import causal_mask
from helpers.models.blocks import PRE_NORM
from helpers.models.transformer import Encoder, EncoderConfig
from tests.exercises.test_named import found

# -- lessons 02 to 05 ----------------------------------------------------------------------------------------


def by_heads(attention):
    """Attention by heads that turns scores and a mask into weights in a way of its own."""

    def answer(q, k, v, n_heads, mask=None):
        Q, K, V = (multihead.split_heads(each, n_heads) for each in (q, k, v))
        weights = attention(Q @ K.mT, Q.size(-1) ** 0.5, mask)
        return multihead.merge_heads(weights @ V), weights

    return answer


def hidden(scores, mask, value):
    return scores if mask is None else scores.masked_fill(~mask, value)


def neighbours(sharp, keys_of_both=True):
    def answer():
        turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
        W_q, W_k, W_v, W_o = (torch.zeros(4, 4) for _ in range(4))
        W_q[:2] = sharp * torch.cat([turn, turn.T], dim=1)
        W_k[:2] = torch.eye(2).repeat(1, 2)
        W_k[:, 2:] *= keys_of_both
        W_v[2, 0] = W_v[2, 2] = W_o[0, 0] = W_o[2, 1] = 1.0
        return W_q, W_k, W_v, W_o

    return answer


def on_as_floats(loss_with, n_heads):
    on = torch.ones(n_heads)
    base = loss_with(on)
    return torch.stack([loss_with(on - torch.eye(n_heads)[head]) - base for head in range(n_heads)])


def of_a_constant_table(x, table):
    return x + table[: x.size(-2)].detach()


def from_the_end(T_q, T_k):
    return torch.arange(T_k) - torch.arange(T_k - T_q, T_k)[:, None]


def bias_as_with_a_cache(table, T_q, T_k):
    K = table.size(-1) // 2
    return table[..., from_the_end(T_q, T_k).clamp(-K, K) + K]


def bias_with_one_bound(table, T_q, T_k):
    K = table.size(-1) // 2
    distances = torch.arange(T_k) - torch.arange(T_q)[:, None]
    return table[..., (distances + K).clamp(max=2 * K)]


def penalty_as_with_a_cache(n_heads, T_q, T_k):
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    return -slopes[:, None, None] * from_the_end(T_q, T_k).abs()


def slopes_at(layer, x):
    return torch.autograd.functional.jacobian(layer, x)


def flops(n, d, scores, softmax):
    return {"projections": 6 * n * d * d, "scores": scores, "softmax": softmax, "mixture": 2 * n * n * d}


def slope_from_point_to_point(sizes, times):
    return (times.log().diff() / sizes.log().diff()).mean()


def by_what_was_largest(largest, total, mixture, scores, values):
    new = torch.maximum(largest, scores.amax(-1))
    shrink, e = (largest - new).exp(), (scores - largest[..., None]).exp()
    return new, shrink * total + e.sum(-1), shrink[..., None] * mixture + e @ values


def plain_sums(largest, total, mixture, scores, values):
    e = scores.exp()
    return torch.maximum(largest, scores.amax(-1)), total + e.sum(-1), mixture + e @ values


# -- lessons 06 and 07 ---------------------------------------------------------------------------------------


class UpToTheLastBlock(block.DecoderOnly):
    def forward(self, ids):
        x = block.embed(ids, self.words.weight, self.positions.weight)
        for each in self.blocks[:-1]:
            x = each(x, causal_mask(ids.size(1)))
        return block.unembed(self.norm(x), self.words.weight)


def with_the_table_of_words_again(state, n_layers):
    return block.from_gpt2(state, n_layers) | {"lm_head.weight": state["lm_head.weight"]}


def norm_of_one_plus(x, weight, bias, eps=1e-5):
    centred = x - x.mean(-1, keepdim=True)
    return centred / (x.var(-1, keepdim=True, correction=0) + eps).sqrt() * (1 + weight) + bias


def smaller_weights(name, n_layers, std=0.02):
    return std / math.sqrt(2 * n_layers) if name.endswith(".weight") else std


# -- lessons 09 and 10 ---------------------------------------------------------------------------------------


def sorted_by(short, of_the_body=True):
    def answer(old, new, prefix):
        made = {"fits": [], "other shape": [], "missing": [], "left over": []}
        asked = set()
        for name, tensor in new.items():
            if name.startswith(prefix) or not of_the_body:
                own = short(name, prefix)
                asked.add(own)
                fits = own in old and old[own].shape == tensor.shape
                made["missing" if own not in old else "fits" if fits else "other shape"].append(name)
        made["left over"] = [name for name in old if name not in asked]
        return made

    return answer


def wilson_without_brackets(correct, n, z):
    p = correct / n
    centre = (p + z**2 / 2 * n) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(p * (1 - p) / n + z**2 / 4 * n**2)
    return centre - half, centre + half


class OnlyFromTwo(torch.nn.Module):
    """Takes token 1 for padding."""

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body, self.head, self.pool = body, torch.nn.Linear(d_model, n_classes), pool

    def forward(self, ids):
        return self.head(self.pool(self.body(ids), ids > 1))


def one_word_for_all(ids, vocabulary, generator, share=0.15):
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    fate = torch.rand(ids.shape, generator=generator)
    word = torch.randint(6, vocabulary, (1,), generator=generator)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    return torch.where(chosen & (fate >= 0.9), word, read), torch.where(chosen, ids, -100)


def products_of_probabilities(model, ids, place, candidates):
    texts = ids.repeat(len(candidates), 1)
    texts[:, place] = candidates
    p = model(texts)[:, :-1].softmax(-1).gather(-1, texts[:, 1:, None])[..., 0]
    whole = p.prod(1)
    return p[:, place - 1] / p[:, place - 1].sum(), whole / whole.sum()


def filled(rank_of, again_of):
    def answer(ids, logits, again):
        blank = ids == 3
        certain, words = logits[..., 6:].softmax(-1).max(-1)
        rank = rank_of(certain.masked_fill(~blank, 2.0))
        return torch.where(blank & again_of(rank, again), 3, torch.where(blank, words + 6, ids))

    return answer


class WordsAlone(bert.Bert):
    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        torch.nn.Module.__init__(self)
        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = bert.WordHead(d_model, vocabulary)
        self.pooler, self.follows = torch.nn.Linear(d_model, d_model), torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        x = self.encoder(ids, ids >= 6, segments)
        pairs = self.follows(self.pooler(x[:, 0]).tanh())
        return self.word_head(x, self.encoder.words.weight), pairs


# -- lessons 12 and 13 ---------------------------------------------------------------------------------------


def routed(shares_of, chosen_by):
    def answer(logits, k, bias):
        shares = shares_of(logits)
        chosen = (chosen_by(logits, shares) + bias).topk(k, dim=-1).indices
        kept = torch.zeros_like(shares).scatter(-1, chosen, shares.gather(-1, chosen))
        return kept / kept.sum(-1, keepdim=True)

    return answer


def with_a_small_number(logits, ids):
    p = F.softmax(logits, dim=-1)[..., :-1, :].gather(-1, ids[..., 1:, None])[..., 0]
    return torch.log(p + 1e-8)


def divergence_with_a_small_number(logits, frozen):
    p, q = logits.softmax(-1), frozen.softmax(-1)
    return ((p + 1e-8).log().exp() * ((p + 1e-8).log() - (q + 1e-8).log())).sum(-1)


NAMED = {
    "multihead.attend_by_heads": [
        ("heads_unscaled", by_heads(lambda s, root, mask: hidden(s, mask, -1e9).softmax(-1))),
        ("hidden_scores_at_zero", by_heads(lambda s, root, mask: hidden(s / root, mask, 0).softmax(-1))),
        (
            "mask_added_as_numbers",
            by_heads(lambda s, root, mask: (s / root + (0 if mask is None else mask)).softmax(-1)),
        ),
    ],
    "multihead.both_neighbours": [
        ("sharper_by_3", neighbours(3)),
        ("keys_of_one_head", neighbours(40, keys_of_both=False)),
    ],
    "multihead.head_importance": [("raised", on_as_floats)],
    "positional.add": [("table_detached", of_a_constant_table)],
    "positional.relative": [
        ("queries_at_the_end", bias_as_with_a_cache),
        ("clipped_above_alone", bias_with_one_bound),
    ],
    "positional.penalty": [("last_query_at_the_last_key", penalty_as_with_a_cache)],
    "masking.sees": [
        ("positions_reduced", lambda layer, x: (slopes_at(layer, x) != 0).any(2).any(0)),
        ("first_features_alone", lambda layer, x: slopes_at(layer, x)[:, 0, :, 0].ne(0)),
    ],
    "masking.reach": [
        ("each_entry_to_a_power", lambda mask, n: (mask | torch.eye(len(mask)).bool()).float() ** n > 0)
    ],
    "complexity.attention_flops": [
        ("scores_and_softmax_of_n_by_d", lambda n, d: flops(n, d, 2 * n * d * d, 6 * n * d)),
        ("n_and_d_exchanged", lambda d, n: flops(n, d, 2 * n * n * d, 6 * n * n)),
    ],
    "complexity.crossover_length": [("sign_dropped", lambda d, p, r: abs(r - p) * d / 2)],
    "complexity.fitted_exponent": [("mean_of_slopes", slope_from_point_to_point)],
    "complexity.absorb": [
        ("by_the_old_maximum", by_what_was_largest),
        ("nothing_subtracted", plain_sums),
    ],
    "block.embed": [
        ("positions_by_token", lambda ids, words, rows: words[ids] * words.size(1) ** 0.5 + rows[ids])
    ],
    "block.layer_norm": [("one_plus_weight", norm_of_one_plus)],
    "block.gelu": [("relu", lambda x: x.clamp(min=0)), ("relu", F.relu)],
    "block.model": [("LastBlockSkipped", UpToTheLastBlock)],
    "block.from_gpt2": [("words_kept_again", with_the_table_of_words_again)],
    "block.initial_std": [
        ("every_weight_smaller", smaller_weights),
        (
            "biases_at_zero",
            lambda name, n, std=0.02: 0 if "bias" in name else block.initial_std(name, n, std),
        ),
    ],
    "counting.training_state": [
        ("optimizer_alone", lambda n, name: 4 * n * {"sgd": 0, "momentum": 1, "adam": 2}[name])
    ],
    "counting.flops": [("weights_in_every_layer", lambda n, L, T, d: L * (6 * n + 12 * T * d))],
    "counting.activations": [
        (
            "statistics_of_norms_too",
            lambda B, T, d, H, f, L: L * B * (T * (8 * d + 2 * f + 4) + H * T * T),
        )
    ],
    "finetuning.what_fits": [
        ("letters_stripped_everywhere", sorted_by(str.lstrip)),
        ("prefix_taken_out_everywhere", sorted_by(lambda name, prefix: name.replace(prefix, ""))),
        ("head_among_the_body", sorted_by(str.removeprefix, of_the_body=False)),
    ],
    "finetuning.trainable": [
        ("counts_rows", lambda model: sum(len(p) for p in model.parameters() if p.requires_grad))
    ],
    "finetuning.wilson": [("multiplied_by_n", wilson_without_brackets)],
    "finetuning.classifier": [("value", OnlyFromTwo)],
    "bert.mask_tokens": [("one_other_word_for_all", one_word_for_all)],
    "bert.blank": [("probabilities_multiplied", products_of_probabilities)],
    "bert.model": [("SpecialsHidden", WordsAlone)],
    "bert.fill": [
        ("sorted_once", filled(lambda p: p.argsort(1), torch.lt)),
        ("one_more_hidden", filled(lambda p: p.argsort(1).argsort(1), torch.le)),
    ],
    "modern.gates": [
        ("biases_beside_shares", routed(lambda logits: logits.softmax(-1), lambda logits, shares: shares)),
        ("sigmoids_shared_out", routed(torch.sigmoid, lambda logits, shares: logits)),
    ],
    "posttraining.log_probabilities": [("small_number_in_the_logarithm", with_a_small_number)],
    "posttraining.kl": [("small_number_in_the_logarithms", divergence_with_a_small_number)],
}
ROWS = [(exercise, *row) for exercise, rows in NAMED.items() for row in rows]


@pytest.mark.parametrize(
    ("exercise", "cause", "answer"), ROWS, ids=[f"{exercise}: {cause}" for exercise, cause, _ in ROWS]
)
def test_the_mistake_is_told(exercise, cause, answer):
    finding = found(exercise, answer)
    assert finding.status == Status.FAILED
    assert finding.cause == cause


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [
        ("multihead.head_importance", on_as_floats),
        ("positional.add", of_a_constant_table),
        ("finetuning.classifier", OnlyFromTwo),
        ("bert.mask_tokens", one_word_for_all),
        ("bert.blank", products_of_probabilities),
    ],
)
def test_what_passed_some_hidden_cases_fails_all_draws(exercise, answer):
    spec, draws = exercises.load(exercise.partition(".")[0])[exercise], HiddenSheets(b"others")
    assert all(failing_case(spec, answer, draws.draw(spec, number)) is not None for number in range(4))


def test_of_a_key_too_many_no_spelling_is_said():
    def with_another(*args):
        return bert.renamed(*args) | {"lm_head.weight": torch.ones(1)}

    assert found("bert.renamed", with_another).meaning.startswith(NOT_ASKED_FOR)


def test_a_set_for_a_list_is_told_as_one():
    def in_sets(*args):
        return {kind: set(names) for kind, names in finetuning.match_state_dict(*args).items()}

    assert found("finetuning.what_fits", in_sets).meaning.startswith(LIST_OR_SET)
