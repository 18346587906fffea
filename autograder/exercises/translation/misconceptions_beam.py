"""Lesson 11's misconceptions about beam search.

A function's docstring is the sentence that the student reads. Each stands alone, with `torch`, `math` and the
lesson's own `length_normalised` as its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205, D403  (a sentence may take two lines, and may begin with a name)

import torch

from helpers.translation import length_normalised


def one_for_each_hypothesis(step, beams, longest, alpha, bos=1, eos=2):
    """Each hypothesis keeps its own best continuation: the continuations of all compete with each other, so
    that a good beginning may take two places and a bad one none.
    """
    first = step(torch.tensor([[bos]]))[0].topk(min(beams, step(torch.tensor([[bos]])).numel()))
    grown = [(v, [bos, t]) for v, t in zip(first.values.tolist(), first.indices.tolist(), strict=True)]
    finished = [one for one in grown if one[1][-1] == eos]
    running = [one for one in grown if one[1][-1] != eos]
    for _ in range(longest - 1):
        if not running:
            break
        best = step(torch.tensor([tokens for _, tokens in running])).max(dim=-1)
        together = zip(running, best.values.tolist(), best.indices.tolist(), strict=True)
        grown = [(before + value, [*tokens, token]) for (before, tokens), value, token in together]
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


def one_beam(step, beams, longest, alpha, bos=1, eos=2):
    """The number of beams isn't used: this keeps the likeliest beginning only, as greedy decoding does."""
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(1)
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


def probabilities_added(step, beams, longest, alpha, bos=1, eos=2):
    """Probabilities are added up where log-probabilities should be: a product of probabilities is a sum of
    logarithms.
    """
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running])).exp()
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


def last_token_alone(step, beams, longest, alpha, bos=1, eos=2):
    """Only the last token's log-probability counts: a hypothesis is as likely as all its tokens together, so
    their sum goes with it.
    """
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


def goes_on_after_the_end(step, beams, longest, alpha, bos=1, eos=2):
    """Finished hypotheses are continued after their `<eos>`: they leave the beam as they are."""
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        running = grown
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


def not_normalised(step, beams, longest, alpha, bos=1, eos=2):
    """alpha isn't used, so that short translations win because they have fewer factors below 1."""
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [(v, t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


def end_not_counted(step, beams, longest, alpha, bos=1, eos=2):
    """`<eos>` isn't counted in the length: it is a token with a log-probability, so it counts as one."""
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [
        (length_normalised(v, len(t) - 1 - (t[-1] == eos), alpha), t[1:]) for v, t in finished + running
    ]
    return sorted(scored, key=lambda one: -one[0])


def beginning_counted(step, beams, longest, alpha, bos=1, eos=2):
    """`<bos>` is counted in the length: it was given and not written."""
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [(length_normalised(v, len(t), alpha), t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


def beginning_returned(step, beams, longest, alpha, bos=1, eos=2):
    """`<bos>` is returned with the tokens: nobody wrote it."""
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [(length_normalised(v, len(t) - 1, alpha), t) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


def first_end_wins(step, beams, longest, alpha, bos=1, eos=2):
    """The search stops with the first finished hypothesis: one that is still running may become better."""
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
        if finished:
            break
    running = [] if finished else running
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


def unfinished_dropped(step, beams, longest, alpha, bos=1, eos=2):
    """Hypotheses that still run when the limit is reached are dropped: they count as they are, or a long
    sentence would get no translation at all.
    """
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in finished]
    return sorted(scored, key=lambda one: -one[0])


def places_filled_again(step, beams, longest, alpha, bos=1, eos=2):
    """Places of finished hypotheses are filled by the next likeliest ones, as some programs do: here nobody
    takes them in that step, so that the search ends.
    """
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(total.numel())
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown[:beams] if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos][:beams]
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


def ended_ones_keep_their_places(step, beams, longest, alpha, bos=1, eos=2):
    """Finished hypotheses stay among the `beams` and compete with those that run, as in some programs: here
    they leave at once, and all that ever finished are returned.
    """
    kept = [(0.0, [bos])]
    for _ in range(longest):
        running = [one for one in kept if one[1][-1] != eos]
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        grown = [one for one in kept if one[1][-1] == eos]
        for (before, tokens), row in zip(running, log_p.tolist(), strict=True):
            grown += [(before + value, [*tokens, token]) for token, value in enumerate(row)]
        kept = sorted(grown, key=lambda one: -one[0])[:beams]
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in kept]
    return sorted(scored, key=lambda one: -one[0])


def worst_first(step, beams, longest, alpha, bos=1, eos=2):
    """The worst comes first: log-probabilities are negative, and the best is the one nearest to 0."""
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: one[0])


def end_taken_off(step, beams, longest, alpha, bos=1, eos=2):
    """The end is taken off what is returned: a hypothesis that has ended holds its `<eos>`, at its end."""
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [
        (length_normalised(v, len(t) - 1, alpha), [x for x in t[1:] if x != eos])
        for v, t in finished + running
    ]
    return sorted(scored, key=lambda one: -one[0])


def twice_as_many_beams(step, beams, longest, alpha, bos=1, eos=2):
    """Twice as many hypotheses are kept as there are beams: of all continuations, the best `beams` stay."""
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(2 * beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


def sorted_before_normalising(step, beams, longest, alpha, bos=1, eos=2):
    """The order is that of the sums, from before they were normalised: it is the normalised scores that
    decide.
    """
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    ended = sorted(finished + running, key=lambda one: -one[0])
    return [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in ended]


def normalised_on_the_way(step, beams, longest, alpha, bos=1, eos=2):
    """Sums are normalised at each step and then added to, so that early tokens are divided again and again:
    the sum runs on as it is, and is divided once at the end.
    """
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [(length_normalised(v, len(t) - 1, alpha), t) for v, t in grown if t[-1] != eos]
    scored = [(length_normalised(v, len(t) - 1, alpha), t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])
