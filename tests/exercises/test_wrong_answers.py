"""Wrong answers to lessons 07 to 12, as people write them: what is said is true, and leads to the mistake.

They come from habits, tutorials and other code, and share no line with the misconceptions that name them.
"""

import collections
import itertools
import math

import numpy as np
import pytest
import torch

from helpers import bert, counting, finetuning, modern, pretraining, translation
from helpers.checking.comparing import NOT_PUT_IN, ONE_TEXT
from helpers.checking.finding import Status
from helpers.checking.properties import shares_nothing
from helpers.models import blocks
from helpers.models.transformer import Encoder, EncoderConfig
from tests.exercises.test_named import found as find
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)

# -- lesson 07 -----------------------------------------------------------------------------------------------


def attention_head_by_head(d_model, n_heads, bias=True):
    total = 0
    for _ in range(n_heads):
        for _ in "qkv":
            total += counting.linear_parameters(d_model, d_model, bias)
    return total + counting.linear_parameters(n_heads * d_model, d_model, bias)


def lab_in_another_order(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    total = vocabulary * d_model
    for _ in range(n_layers):
        total += 4 * d_model * (d_model + 1) + 2 * d_model * n_heads + n_heads + d_model + 4 * d_model
    return total + d_model * n_out + n_out


def activations_of_one_sequence(batch, positions, d_model, n_heads, d_ff, n_layers):
    per_token = 8 * d_model + 2 * d_ff
    return n_layers * (batch * positions * per_token + n_heads * positions**2)


def linear_all_or_nothing(n_in, n_out, bias=True):
    return n_in * n_out + n_out if bias else 0


def decoder_layer_with_thin_norms(d_model, n_heads, d_ff):
    attention = 2 * counting.attention_parameters(d_model, n_heads)
    return attention + counting.feed_forward_parameters(d_model, d_ff) + 3 * d_model


# -- lesson 08 -----------------------------------------------------------------------------------------------


def targets_written_into(ids, pad=0):
    inputs, targets = ids[:, :-1], ids[:, 1:]
    targets[targets == pad] = -100
    return inputs, targets


def mean_of_powers_in_float32(losses, counts):
    w = counts / counts.sum()
    return (w * torch.exp(losses)).sum()


def top_k_as_it_comes(probabilities, k):
    values, _ = torch.topk(probabilities, k)
    return values / values.sum(dim=-1, keepdim=True)


def line_from_behind(budgets, best, flops):
    intercept, slope = np.polyfit(np.log(budgets.numpy()), np.log(best.numpy()), deg=1)
    n = np.exp(intercept + slope * np.log(flops))
    return n, flops / 6 / n


def tokens_in_a_list(word, merges):
    tokens = list(word)
    for merge in merges:
        a, b = merge.split()
        i = 0
        while i < len(tokens) - 1:
            if (tokens[i], tokens[i + 1]) == (a, b):
                tokens[i : i + 2] = [a + b]
            i += 1
    return tokens


def pairs_as_tuples(words):
    pairs = {}
    for word, times in words.items():
        tokens = word.split()
        for pair in itertools.pairwise(tokens):
            pairs[pair] = pairs.get(pair, 0) + times
    return pairs


def pairs_the_other_way(inputs, targets, vocabulary, alpha):
    counts = torch.zeros(vocabulary, vocabulary)
    for now, then in zip(inputs.reshape(-1), targets.reshape(-1), strict=True):
        if then >= 0:
            counts[then, now] += 1
    counts += alpha
    return torch.log(counts / counts.sum(-1, keepdim=True))


def share_of_the_peak(step, steps, warmup, peak):
    if step <= warmup:
        return step / warmup
    return (steps - step) / (steps - warmup)


def last_token_lost(word, pair):
    tokens = word.split()
    out, i = [], 0
    while i < len(tokens) - 1:
        if tokens[i] + " " + tokens[i + 1] == pair:
            out.append(tokens[i] + tokens[i + 1])
            i += 2
        else:
            out.append(tokens[i])
            i += 1
    return " ".join(out)


def fit_on_its_side(budgets, best, flops):
    m, k = np.polyfit(torch.log(best), torch.log(budgets), 1)
    n = math.exp(m * math.log(flops) + k)
    return n, flops / (6 * n)


def two_bases(budgets, best, flops):
    fit = np.poly1d(np.polyfit(budgets.log10(), best.log10(), 1))
    n = math.exp(fit(math.log10(flops)))
    return n, flops / 6 / n


def ends_above(probabilities, uniform):
    ends = probabilities.cumsum(-1)
    return (ends > uniform[..., None]).sum(-1)


def returned_in_the_loop(word, merges):
    tokens = " ".join(word)
    for m in merges:
        return pretraining.merge_pair(tokens, m)


# -- lesson 09 -----------------------------------------------------------------------------------------------


def last_of_all_rows(hidden, real):
    return hidden[:, real.long().sum(-1) - 1]


def one_mean(hidden, real):
    return torch.mean(hidden[real], 0)


def fits_by_numel(old, new, prefix):
    fits, other, missing = [], [], []
    for name in (n for n in new if n.startswith(prefix)):
        there = old.get(name[len(prefix) :])
        (missing if there is None else fits if there.numel() == new[name].numel() else other).append(name)
    left = [n for n in old if prefix + n not in new]
    return {"fits": fits, "other shape": other, "missing": missing, "left over": left}


def fits_by_lstrip(old, new, prefix):
    body = {name: name.lstrip(prefix) for name in new if name.startswith(prefix)}
    return {
        "fits": [n for n, o in body.items() if o in old and old[o].shape == new[n].shape],
        "other shape": [n for n, o in body.items() if o in old and old[o].shape != new[n].shape],
        "missing": [n for n, o in body.items() if o not in old],
        "left over": [n for n in old if prefix + n not in new],
    }


def moved_without_clone(old, new, prefix):
    result = dict(new)
    fits = finetuning.match_state_dict(old, new, prefix)["fits"]
    result.update({name: old[name.removeprefix(prefix)] for name in fits})
    return result


def moved_but_for_one(old, new, prefix):
    """Shares only what it moves last, which no misconception does."""
    result = {name: tensor.clone() for name, tensor in new.items()}
    for name in finetuning.match_state_dict(old, new, prefix)["fits"]:
        result[name] = old[name.removeprefix(prefix)].clone()
    return result | {list(new)[-1]: new[list(new)[-1]]}


class LogProbabilities(torch.nn.Module):
    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body, self.head, self.pool = body, torch.nn.Linear(d_model, n_classes), pool

    def forward(self, ids):
        return torch.nn.functional.log_softmax(self.head(self.pool(self.body(ids), ids.ne(0))), dim=-1)


def written_over(old, new, prefix):
    for name in finetuning.match_state_dict(old, new, prefix)["fits"]:
        new[name].copy_(old[name.removeprefix(prefix)])
    return {k: v.clone() for k, v in new.items()}


class OwnMean(torch.nn.Module):
    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body, self.head, self.pool = body, torch.nn.Linear(d_model, n_classes), pool

    def forward(self, ids):
        real = (ids > 0).float()
        return self.head(torch.einsum("btc,bt->bc", self.body(ids), real) / real.sum(1, keepdim=True))


# -- lesson 10 -----------------------------------------------------------------------------------------------


def specials_chosen(ids, vocabulary, generator, share=0.15):
    chosen = torch.bernoulli(torch.full(ids.shape, share), generator=generator).bool()
    fate = torch.rand(ids.shape, generator=generator)
    read = ids.clone()
    read[chosen & (fate < 0.8)] = 3
    other = chosen & (fate >= 0.9)
    read[other] = torch.randint(6, vocabulary, ids.shape, generator=generator)[other]
    return read, ids.masked_fill(~chosen, -100)


def cut_to_halves(first, second, length):
    room = (length - 3) // 2
    if len(first) + len(second) + 3 > length:
        first, second = first[:room], second[:room]
    return [4, *first, 5, *second, 5], [0, *[0] * len(first), 0] + [1] * len(second) + [1]


def whole_table(ids, segments, words, positions, kinds):
    look_up = torch.nn.functional.embedding
    return look_up(ids, words) + positions + look_up(segments, kinds)


class NewGelu(torch.nn.Module):
    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        h = self.transform(x)
        h = 0.5 * h * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (h + 0.044715 * torch.pow(h, 3.0))))
        return torch.nn.functional.linear(self.norm(h), embedding, self.bias)


class FirstRow(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=blocks.PRE_NORM))
        self.word_head = bert.WordHead(d_model, vocabulary)
        self.pooler = torch.nn.Linear(d_model, d_model)
        self.follows = torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        h = self.encoder(ids, ids != 0, segments)
        cls = torch.tanh(self.pooler(h[0]))
        return self.word_head(h, self.encoder.words.weight), self.follows(cls)


def three_side_by_side(ids, segments, words, positions, kinds):
    places = positions[: ids.size(1)].expand(len(ids), -1, -1)
    return torch.cat([words[ids], places, kinds[segments]], dim=-1)


def blank_not_shifted(model, ids, place, candidates):
    rows = ids.repeat(len(candidates), 1)
    rows[:, place] = candidates
    log_p = model(rows).log_softmax(-1)
    scores = log_p.gather(-1, rows.unsqueeze(-1)).squeeze(-1)
    return log_p[0, place, candidates].softmax(-1), scores.sum(-1).softmax(-1)


def renamed_block_by_block(published, names, n_layers, turned=()):
    found = {}
    for i in range(n_layers):
        for ours, theirs in names.items():
            for end in (".weight", ".bias"):
                parts = [published[t.format(i) + end] for t in theirs if t.format(i) + end in published]
                parts = [p.t() if ours in turned and end == ".weight" else p for p in parts]
                if parts:
                    found[ours.format(i) + end] = (
                        torch.vstack(parts) if parts[0].dim() > 1 else torch.cat(parts)
                    )
    return found


# -- lesson 11 -----------------------------------------------------------------------------------------------


class NormalisedPath(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention = blocks.SelfAttention(d_model, n_heads)
        self.cross_attention = blocks.CrossAttention(d_model, n_heads)
        self.feed_forward = blocks.FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        c1, c2 = cache if cache else (None, None)
        steps = (
            (self.norm_1, lambda z: self.attention(z, causal=True, cache=c1)),
            (self.norm_2, lambda z: self.cross_attention(z, memory, memory_mask, c2)),
            (self.norm_3, self.feed_forward),
        )
        for norm, sublayer in steps:
            y = norm(y)
            y = y + sublayer(y)
        return y


def smoothed_by_scatter(logits, targets, epsilon):
    mask = targets != -100
    log_p = torch.log_softmax(logits[mask], dim=-1)
    wanted = torch.full_like(log_p, epsilon / logits.size(-1))
    wanted.scatter_(1, targets[mask].unsqueeze(1), 1 - epsilon)
    return -(wanted * log_p).sum(-1).mean()


def work_in_pairs(length):
    steps = range(1, length + 1)
    return sum(steps), sum(t**2 for t in steps), length, sum(steps)


def bleu_of_letters(candidates, references):
    product = 1.0
    for n in range(1, 5):
        both = [translation.clipped_matches(*pair, n) for pair in zip(candidates, references, strict=True)]
        product *= sum(m for m, _ in both) / max(sum(g for _, g in both), 1)
    c, r = len("".join(candidates)), len("".join(references))
    return 100 * min(1.0, math.exp(1 - r / c)) * product**0.25


def aligned_among_the_real(weights, real):
    return torch.einsum("hts->ts", weights)[:, real].max(-1).indices


def fewer_than_none(candidate, reference, n):
    counts = [
        collections.Counter(zip(*(s[k:] for k in range(n)), strict=False)) for s in (candidate, reference)
    ]
    return (counts[0] & counts[1]).total(), len(candidate) - n + 1


def bleu_with_lengths_of_lists(candidates, references):
    c, r = [s.split() for s in candidates], [s.split() for s in references]
    logs = []
    for n in range(1, 5):
        m, t = map(
            sum, zip(*(translation.clipped_matches(a, b, n) for a, b in zip(c, r, strict=True)), strict=True)
        )
        if m == 0:
            return 0.0
        logs.append(math.log(m / t))
    return 100 * min(1.0, math.exp(1 - len(r) / len(c))) * math.exp(sum(logs) / 4)


def weights_and_places(weights, real):
    return weights.mean(0).masked_fill(~real, 0).max(-1)


# -- lesson 12 -----------------------------------------------------------------------------------------------


def rms_by_normalize(x, weight, eps=1e-6):
    return weight * torch.nn.functional.normalize(x, dim=-1, eps=eps)


def rms_by_variance(x, weight, eps=1e-6):
    return x / torch.sqrt(x.var(dim=-1, keepdim=True, unbiased=False) + eps) * weight


def gates_and_places(logits, k, bias):
    chosen = torch.topk(logits + bias, k, dim=-1).indices
    return logits.gather(-1, chosen).softmax(dim=-1), chosen


class OneNorm(torch.nn.Module):
    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = modern.GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = modern.GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        for part in (self.attention, self.feed_forward):
            x = x + part(modern.rms_norm(x, self.norm_1))
        return x


def shares_of_raw_scores(logits, k, bias):
    i = torch.topk(logits + bias, k).indices
    v = logits.gather(-1, i)
    return torch.zeros_like(logits).scatter(-1, i, v / v.sum(-1, keepdim=True))


def best_of_the_batch(logits, k, bias):
    best = {*(logits + bias).flatten().topk(k).indices.tolist()}
    keep = torch.tensor([i in best for i in range(logits.numel())]).view_as(logits)
    return logits.masked_fill(~keep, -math.inf).softmax(-1)


def clamped_without_abs(weight):
    top = weight.max(dim=-1, keepdim=True).values
    scales = torch.where(top == 0, 1.0, top / 127)
    return (weight / scales).round().clamp(-127, 127).to(torch.int8), scales


def accepted_crosswise(target, draft, drafted, chances):
    p, q = target[:, drafted], draft[:, drafted]
    return int((chances < torch.clamp(p / q, max=1)).long().cumprod(0).sum())


def softmax_of_relu(target, draft):
    return torch.relu(target - draft).softmax(-1)


NAMED = {
    "counting.attention": [(attention_head_by_head, "queries, keys and values of the whole width")],
    "counting.lab_model": [(lab_in_another_order, "n_heads and d_ff are swapped")],
    "counting.activations": [(activations_of_one_sequence, "counted for one sequence")],
    "pretraining.inputs_and_targets": [(targets_written_into, "slices of one tensor")],
    "pretraining.perplexity": [(mean_of_powers_in_float32, "Each batch's perplexity is averaged")],
    "pretraining.top_k": [(top_k_as_it_comes, "The k largest come back alone")],
    "pretraining.compute_optimal": [
        (two_bases, "way back has base e"),
        (fit_on_its_side, "budgets are x"),
        (line_from_behind, "gives the slope first"),
    ],
    "pretraining.encode_word": [
        (returned_in_the_loop, "a `return` is inside the loop"),
        (tokens_in_a_list, ONE_TEXT),
    ],
    "finetuning.last_real": [(last_of_all_rows, "hidden[rows, positions]")],
    "finetuning.mean_real": [(one_mean, "one mean of them all")],
    "finetuning.what_fits": [(fits_by_numel, "holds as many"), (fits_by_lstrip, "`lstrip`")],
    "finetuning.moved": [
        (written_over, shares_nothing.meaning),
        (moved_without_clone, shares_nothing.meaning),
        (moved_but_for_one, shares_nothing.meaning),
    ],
    "bert.mask_tokens": [(specials_chosen, "Special tokens are chosen too")],
    "bert.pack": [(cut_to_halves, "cut to half of the room")],
    "bert.embed": [
        (three_side_by_side, "3 times as long as it should be"),
        (whole_table, "The whole table of positions is added"),
    ],
    "bert.word_head": [(NewGelu, "approximation by a tanh")],
    "bert.model": [(FirstRow, "x[0] is the first row of the batch")],
    "bert.blank": [(blank_not_shifted, "they are for the next one")],
    "bert.renamed": [(renamed_block_by_block, "once for each block, for all layers alike")],
    "translation.decoder_block": [(NormalisedPath, "y itself is normalised")],
    "translation.label_smoothed_loss": [(smoothed_by_scatter, "1 - ε in place of its ε/V")],
    "translation.decoder_work": [(work_in_pairs, "in reverse order")],
    "translation.bleu": [
        (bleu_with_lengths_of_lists, "aren't numbers of words"),
        (bleu_of_letters, "n-grams of letters"),
    ],
    "translation.alignment": [
        (weights_and_places, "The value at place [1] of these is right"),
        (aligned_among_the_real, "the rest is renumbered"),
    ],
    "modern.rms_norm": [(rms_by_normalize, "`normalize`"), (rms_by_variance, "deviation from the mean")],
    "modern.accepted": [(accepted_crosswise, "K × K numbers")],
    "modern.adjusted": [(softmax_of_relu, "A softmax of the differences above 0")],
    "counting.linear": [(linear_all_or_nothing, "brackets of its own")],
    "counting.decoder_layer": [(decoder_layer_with_thin_norms, "Too small by 3 · `d_model`.")],
    "pretraining.bigram": [(pairs_the_other_way, "counted as [next, now]")],
    "pretraining.learning_rate": [(share_of_the_peak, "the right one divided by `peak`")],
    "pretraining.merge_pair": [(last_token_lost, "The last token is lost")],
    "finetuning.classifier": [
        (OwnMean, "`self.pool` decides"),
        (LogProbabilities, "the log_softmax of the right ones"),
    ],
    "translation.clipped_matches": [(fewer_than_none, "a negative number of n-grams")],
    "modern.block": [(OneNorm, "Both norms use norm_1")],
    "modern.gates": [
        (best_of_the_batch, "of all rows together"),
        (shares_of_raw_scores, "divided by their sum"),
    ],
    "pretraining.draw": [(ends_above, "The ends above the number are counted")],
    "modern.quantized": [(clamped_without_abs, "without `abs`")],
}
ROWS = [(exercise, *row) for exercise, rows in NAMED.items() for row in rows]


@pytest.mark.parametrize(("exercise", "answer", "said"), ROWS, ids=[row[1].__name__ for row in ROWS])
def test_the_mistake_is_named(exercise, answer, said):
    found = find(exercise, answer)
    assert found.status == Status.FAILED
    assert said in found.meaning


def test_what_came_back_is_called_what_it_is():
    assert "2 values, expected one: gates" in find("modern.gates", gates_and_places).returned
    assert "and with ('e', 's')" in find("pretraining.count_pairs", pairs_as_tuples).returned


def fill_with_topk(ids, logits, again):
    """Right but where more blanks are asked for than a row has places."""
    certain, words = logits[..., 6:].softmax(-1).max(-1)
    blank = ids == 3
    least = certain.masked_fill(~blank, 9.0).topk(again, dim=1, largest=False).indices
    hidden = torch.zeros_like(blank).scatter(1, least, True) & blank
    return torch.where(blank, words + 6, ids).masked_fill(hidden, 3)


def blank_text_by_text(model, ids, place, candidates):
    """Right but for a model that takes batches, as the lesson's own does."""
    left, whole = [], []
    for candidate in candidates:
        text = ids.clone()
        text[place] = candidate
        each = model(text).log_softmax(-1)[:-1].gather(-1, text[1:, None])[:, 0]
        left.append(each[place - 1])
        whole.append(each.sum())
    return torch.stack(left).softmax(0), torch.stack(whole).softmax(0)


@pytest.mark.parametrize(
    ("exercise", "answer"), [("bert.fill", fill_with_topk), ("bert.blank", blank_text_by_text)]
)
def test_what_would_stop_in_the_lesson_stops_in_the_check(exercise, answer):
    assert find(exercise, answer).cause == "raised"


def test_of_keys_that_are_missing_no_spelling_is_said():
    found = find("bert.renamed", lambda *args: {})
    assert NOT_PUT_IN in found.meaning
