"""Other right answers to lesson 11's exercises, each written differently from the reference."""

# ruff: noqa: D103  (their names say it)

import math

import torch

from helpers.translation import length_normalised

# -- the decoder block ---------------------------------------------------------------------------------------


class Plain(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = cache if cache is not None else (None, None)
        y = y + self.attention(self.norm_1(y), causal=True, cache=own)
        y = y + self.cross_attention(self.norm_2(y), memory, memory_mask, crossed)
        return y + self.feed_forward(self.norm_3(y))


class StepByStep(torch.nn.Module):
    """One line for each thing that happens."""

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        first = second = None
        if cache:
            first, second = cache[0], cache[1]
        written = self.norm_1(y)
        y = self.attention(x=written, mask=None, causal=True, cache=first) + y
        question = self.norm_2(y)
        y = self.cross_attention(question, memory, mask=memory_mask, cache=second) + y
        return self.feed_forward(self.norm_3(y)) + y


class WithAMaskOfItsOwn(torch.nn.Module):
    """The causal mask made by hand."""

    def __init__(self, d_model, n_heads, d_ff):
        from helpers.models.blocks import CrossAttention, FeedForward, SelfAttention

        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = ({}, {}) if cache is None else cache
        T, before = y.size(1), own["k"].size(-2) if own else 0
        earlier = torch.ones(T, before + T, dtype=torch.bool).tril(before)
        for norm, sublayer in (
            (self.norm_1, lambda x: self.attention(x, earlier, cache=own)),
            (self.norm_2, lambda x: self.cross_attention(x, memory, memory_mask, crossed)),
            (self.norm_3, self.feed_forward),
        ):
            y = y + sublayer(norm(y))
        return y


# -- training ------------------------------------------------------------------------------------------------


def smoothed_by_distributions(logits, targets, epsilon):
    V = logits.shape[-1]
    logits, targets = logits.reshape(-1, V), targets.reshape(-1)
    logits, targets = logits[targets != -100], targets[targets != -100]
    wanted = torch.full_like(logits, epsilon / V)
    wanted[range(len(targets)), targets] += 1 - epsilon
    return -(wanted * torch.log_softmax(logits, dim=1)).sum(dim=1).mean()


def smoothed_by_one_hot(logits, targets, epsilon):
    keep = (targets != -100).to(logits.dtype)
    one_hot = torch.nn.functional.one_hot(targets.clamp(min=0), logits.size(-1)).to(logits.dtype)
    wanted = (1 - epsilon) * one_hot + epsilon / logits.size(-1)
    each = -(wanted * torch.log_softmax(logits, -1)).sum(-1)
    return (each * keep).sum() / keep.sum()


def rate_in_two_cases(step, d_model, warmup):
    if step < warmup:
        return step / (math.sqrt(d_model) * warmup * math.sqrt(warmup))
    return 1 / math.sqrt(d_model * step)


def rate_with_tensors(step, d_model, warmup):
    step = torch.tensor(float(step), dtype=torch.float64)
    return float((1 / d_model**0.5) * torch.minimum(step.rsqrt(), step / warmup**1.5))


# -- decoding ------------------------------------------------------------------------------------------------


def greedy_in_a_for_loop(step, rows, longest, bos=1, eos=2, pad=0):
    tokens, alive = torch.tensor([[bos]] * rows), [True] * rows
    for _ in range(longest):
        scores = step(tokens)
        column = [int(scores[row].argmax()) if alive[row] else pad for row in range(rows)]
        alive = [was and token != eos for was, token in zip(alive, column, strict=True)]
        tokens = torch.cat([tokens, torch.tensor(column).view(-1, 1)], dim=1)
        if not any(alive):
            break
    return tokens[:, 1:]


def greedy_into_a_table(step, rows, longest, bos=1, eos=2, pad=0):
    table = torch.full((rows, longest + 1), pad)
    table[:, 0] = bos
    done, used = torch.zeros(rows, dtype=torch.bool), 1
    for t in range(1, longest + 1):
        word = torch.where(done, pad, step(table[:, :t]).max(dim=1).indices)
        table[:, t], done, used = word, done | (word == eos), t + 1
        if bool(done.all()):
            break
    return table[:, 1:used]


def work_in_closed_form(length):
    n = length
    return n * (n + 1) // 2, n, n * (n + 1) * (2 * n + 1) // 6, n * (n + 1) // 2


def work_in_a_loop(length):
    plain = plain_scores = kept_scores = 0
    for t in range(1, length + 1):
        plain, plain_scores, kept_scores = plain + t, plain_scores + t**2, kept_scores + t
    return plain, length, plain_scores, kept_scores


def normalised_with_pow(log_p, length, alpha):
    return log_p / (math.pow(5 + length, alpha) / math.pow(5 + 1, alpha))


def normalised_with_exp(log_p, length, alpha):
    return log_p * math.exp(-alpha * (math.log(length + 5) - math.log(6)))


def beam_by_sorting(step, beams, longest, alpha, bos=1, eos=2):
    alive, ended = [([bos], 0.0)], []
    while alive and len(alive[0][0]) <= longest:
        found = []
        for tokens, score in alive:
            row = step(torch.tensor([tokens]))[0].tolist()
            found += [([*tokens, token], score + gain) for token, gain in enumerate(row)]
        found.sort(key=lambda pair: pair[1], reverse=True)
        alive = []
        for pair in found[:beams]:
            (ended if pair[0][-1] == eos else alive).append(pair)
    ended += alive
    answers = [(length_normalised(score, len(tokens[1:]), alpha), tokens[1:]) for tokens, score in ended]
    answers.sort(key=lambda pair: pair[0], reverse=True)
    return answers


def beam_in_tensors(step, beams, longest, alpha, bos=1, eos=2):
    tokens, sums, ended = torch.tensor([[bos]]), torch.zeros(1, dtype=torch.float64), []
    for written in range(1, longest + 1):
        total = sums[:, None] + step(tokens).double()
        sums, flat = total.flatten().sort(descending=True)
        sums, flat = sums[:beams], flat[:beams]
        last = flat % total.shape[1]
        tokens = torch.cat([tokens[flat // total.shape[1]], last[:, None]], dim=1)
        for at in torch.nonzero(last == eos).flatten().tolist():
            ended.append((length_normalised(float(sums[at]), written, alpha), tokens[at, 1:].tolist()))
        tokens, sums = tokens[last != eos], sums[last != eos]
        if len(tokens) == 0:
            break
    for row, total in zip(tokens.tolist(), sums.tolist(), strict=True):
        ended.append((length_normalised(total, len(row) - 1, alpha), row[1:]))
    return sorted(ended, reverse=True)


def beam_with_a_penalty_of_its_own(step, beams, longest, alpha, bos=1, eos=2):
    beam, ended = {(bos,): 0.0}, {}
    for _ in range(longest):
        table = {}
        for path, total in beam.items():
            log_p = step(torch.tensor([path]))[0]
            table.update({(*path, token): total + float(log_p[token]) for token in range(len(log_p))})
        kept = sorted(table, key=table.get, reverse=True)[:beams]
        ended.update({path: table[path] for path in kept if path[-1] == eos})
        beam = {path: table[path] for path in kept if path[-1] != eos}
    ended.update(beam)
    answers = [(total / ((4 + len(path)) / 6) ** alpha, list(path[1:])) for path, total in ended.items()]
    return sorted(answers, key=lambda pair: pair[0], reverse=True)
