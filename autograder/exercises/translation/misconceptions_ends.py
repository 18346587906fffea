"""Lesson 11's misconceptions about shares, ends, sides and places."""

# ruff: noqa: D205  (a sentence may take two lines)

import math

import torch

from helpers.translation import brevity_penalty, clipped_matches, length_normalised


def one_too_few_below(logits, targets, epsilon):
    """ε/(V - 1) goes to all V tokens, the right one too, so more than 1 is handed out: where the right one
    has a part, each part is ε/V.
    """
    asked = targets != -100
    log_p = logits.log_softmax(-1)[asked]
    right = log_p.gather(-1, targets[asked][:, None])[:, 0]
    return (-(1 - epsilon) * right - epsilon / (logits.size(-1) - 1) * log_p.sum(-1)).mean()


def wrong_side_punished(candidate_length, reference_length):
    """The short ones get 1 and the long ones the exponential, the wrong way round: what is to be punished is
    a candidate that is too short.
    """
    if candidate_length < reference_length:
        return 1.0
    return math.exp(1 - reference_length / candidate_length) if candidate_length else 0.0


def averaged_along_the_queries(weights, real):
    """The mean is taken over the written words, not over the heads: the heads are the first axis."""
    return weights.mean(dim=1).masked_fill(~real, -1.0).argmax(dim=-1)


def averaged_along_the_queries_unmasked(weights, real):
    """The mean is taken over the written words, and `real` isn't asked: take it over the heads, the first
    axis, and hide what no word may be aligned with.
    """
    return weights.mean(dim=1).argmax(dim=-1)


def counted_among_the_real(weights, real):
    """The places that count for nothing are cut out, and the rest is counted anew: hide them instead, so that
    a place keeps its number.
    """
    return weights.mean(dim=0)[:, real].argmax(dim=-1)


def letters_for_words(candidates, references):
    """The texts aren't split, so these are n-grams of letters: split() gives the words."""
    total = 0.0
    for n in range(1, 5):
        pairs = [clipped_matches(c, r, n) for c, r in zip(candidates, references, strict=True)]
        matches, grams = sum(m for m, _ in pairs), sum(g for _, g in pairs)
        if not matches:
            return 0.0
        total += math.log(matches / grams) / 4
    lengths = sum(map(len, candidates)), sum(map(len, references))
    return 100 * brevity_penalty(*lengths) * math.exp(total)


def letters_and_words(candidates, references):
    """The lengths are in words, but the n-grams are of letters: split() the texts for both."""
    total = 0.0
    for n in range(1, 5):
        pairs = [clipped_matches(c, r, n) for c, r in zip(candidates, references, strict=True)]
        matches, grams = sum(m for m, _ in pairs), sum(g for _, g in pairs)
        if not matches:
            return 0.0
        total += math.log(matches / grams) / 4
    lengths = (sum(len(text.split()) for text in texts) for texts in (candidates, references))
    return 100 * brevity_penalty(*lengths) * math.exp(total)


class PathNormalised(torch.nn.Module):
    """y itself is normalised before each sublayer, and then added to: what goes into a sublayer is
    normalised, and the path beside it stays as it is.
    """

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = cache or (None, None)
        y = self.norm_1(y)
        y = y + self.attention(y, causal=True, cache=own)
        y = self.norm_2(y)
        y = y + self.cross_attention(y, memory, memory_mask, crossed)
        y = self.norm_3(y)
        return y + self.feed_forward(y)


def ends_before_choosing(step, beams, longest, alpha, bos=1, eos=2):
    """Hypotheses finish before the best are chosen: of all continuations together the best `beams` stay, and
    those of them that end are finished.
    """
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        found = []
        for (total, tokens), log_p in zip(running, step(torch.tensor([t for _, t in running])), strict=True):
            best = log_p.topk(min(beams, len(log_p)))
            for value, token in zip(best.values.tolist(), best.indices.tolist(), strict=True):
                found.append((total + value, [*tokens, token]))
        finished += [one for one in found if one[1][-1] == eos]
        going_on = [one for one in found if one[1][-1] != eos]
        running = sorted(going_on, key=lambda one: one[0], reverse=True)[:beams]
    scored = [
        (length_normalised(total, len(tokens) - 1, alpha), tokens[1:]) for total, tokens in finished + running
    ]
    return sorted(scored, key=lambda one: one[0], reverse=True)


def one_list_for_all(step, beams, longest, alpha, bos=1, eos=2):
    """Continuations of one hypothesis share its list, so what one appends stands in all of them: make a new
    list, [*tokens, token].
    """
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        sums = torch.tensor([[total] for total, _ in running])
        table = step(torch.tensor([tokens for _, tokens in running])) + sums
        best, found = table.flatten().topk(min(beams, table.numel())), []
        for total, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, table.size(-1))
            running[row][1].append(token)
            found.append((total, running[row][1], token))
        finished += [(total, tokens) for total, tokens, token in found if token == eos]
        running = [(total, tokens) for total, tokens, token in found if token != eos]
    scored = [
        (length_normalised(total, len(tokens) - 1, alpha), tokens[1:]) for total, tokens in finished + running
    ]
    return sorted(scored, key=lambda one: one[0], reverse=True)
