"""Beam search."""

import torch
from torch import Generator, Tensor

from exercises.translation import shared
from headstart import Case, Entry, pick
from helpers import translation

# Tokens of the beam's small tables: 0 is <pad>, 1 <bos>, 2 <eos>; A, B, C are 3, 4, 5.
A, B, C = 3, 4, 5


exercise = Entry(
    id="translation.beam_search",
    title="Beam search",
    points=5,
    difficulty=5,
    minutes=28,
    driver="call_with_layer",
    reference=translation.beam_search,
    returns=("hypotheses",),
)


@exercise.cases
def beam_cases(g: Generator) -> list[Case]:
    """A trap for greedy decoding, one for sums without normalisation, and tables drawn at random."""
    others = pick(g, (5, 0), (4, 3), (3, 5))
    return [
        Case("greedy decoding is wrong here", (_trap(g), 2, 4, 0.0)),
        Case("the same with one beam", (_trap(g), 1, 4, 0.0)),
        Case("a short and a long translation", (_short_and_long(g), 3, 4, 1.0)),
        Case("all alive to the end", (_drawn(g, -30.0, V=pick(g, 7, 8, 9)), pick(g, 3, 2, 4), 3, 0.6)),
        Case("more beams than tokens", (_drawn(g, 1.0), pick(g, 8, 7, 9), 3, 0.6)),
        Case("one token at most", (_drawn(g, 1.0, V=pick(g, 6, 7)), pick(g, 3, 2), 1, 0.6)),
        Case(
            "other numbers for `<bos>` and `<eos>`", (_drawn(g, 0.7, *others), 2, pick(g, 3, 4), 0.6, *others)
        ),
    ]


def _near(g: Generator, rows: dict[tuple[int, int], dict[int, float]], P: int = 4, V: int = 6) -> Tensor:
    """Probabilities by position and last token, a little different each time; the rest share what is left."""
    table = torch.full((1, P, V, V), 1e-4)
    table[..., shared.EOS] = 1.0
    for (position, last), chances in rows.items():
        table[0, position, last] = 1e-4
        for token, chance in chances.items():
            table[0, position, last, token] = chance
    table = table * (1 + 0.05 * torch.rand(table.shape, generator=g))
    return (table / table.sum(-1, keepdim=True)).log()


def _trap(g: Generator) -> dict:
    """A looks better than B, but everything after A is uncertain."""
    return shared.table(
        _near(
            g,
            {
                (0, shared.BOS): {A: 0.55, B: 0.4, C: 0.05},
                (1, A): {A: 0.36, B: 0.3, C: 0.24, shared.EOS: 0.1},
                (1, B): {C: 0.9, A: 0.07, shared.EOS: 0.03},
                (2, C): {shared.EOS: 0.9, A: 0.1},
                (2, A): {shared.EOS: 0.6, B: 0.4},
            },
        )
    )


def _short_and_long(g: Generator) -> dict:
    """The short one is a little likelier as a whole, and less likely a token."""
    return shared.table(
        _near(
            g,
            {
                (0, shared.BOS): {shared.EOS: 0.01, A: 0.62, B: 0.37},
                (1, A): {shared.EOS: 0.45, A: 0.55},
                (1, B): {shared.EOS: 0.7, C: 0.3},
                (2, A): {B: 0.8, C: 0.1, shared.EOS: 0.1},
                (2, C): {shared.EOS: 0.9, C: 0.1},
                (3, B): {shared.EOS: 0.95, A: 0.05},
                (3, C): {shared.EOS: 0.95, A: 0.05},
            },
        )
    )


def _drawn(g: Generator, more: float, bos: int = shared.BOS, eos: int = shared.EOS, V: int = 6) -> dict:
    logits = shared.normal(g, 1, 4, V, V, spread=1.5)
    logits[..., [shared.PAD if eos != shared.PAD else shared.BOS, bos]] -= 30
    logits[..., eos] += more
    return shared.table(logits)


@exercise.alternative
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
    answers = [(score / ((5 + len(tokens[1:])) / 6) ** alpha, tokens[1:]) for tokens, score in ended]
    answers.sort(key=lambda pair: pair[0], reverse=True)
    return answers


@exercise.alternative
def beam_in_tensors(step, beams, longest, alpha, bos=1, eos=2):
    tokens, sums, ended = torch.tensor([[bos]]), torch.zeros(1, dtype=torch.float64), []
    for written in range(1, longest + 1):
        total = sums[:, None] + step(tokens).double()
        sums, flat = total.flatten().sort(descending=True)
        sums, flat = sums[:beams], flat[:beams]
        last = flat % total.shape[1]
        tokens = torch.cat([tokens[flat // total.shape[1]], last[:, None]], dim=1)
        for at in torch.nonzero(last == eos).flatten().tolist():
            ended.append((float(sums[at]) / ((5 + written) / 6) ** alpha, tokens[at, 1:].tolist()))
        tokens, sums = tokens[last != eos], sums[last != eos]
        if len(tokens) == 0:
            break
    for row, total in zip(tokens.tolist(), sums.tolist(), strict=True):
        ended.append((total / ((5 + len(row) - 1) / 6) ** alpha, row[1:]))
    return sorted(ended, reverse=True)


@exercise.alternative
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


exercise.slip("one_beam", "min(beams, total.numel()) → 1").says(
    "The number of beams isn't used: this keeps the likeliest beginning only, as greedy decoding does."
)
exercise.slip("probabilities_added", "in running])) → in running])).exp()").says(
    "Probabilities are added up where log-probabilities should be: a product of probabilities is a sum of "
    "logarithms."
)
exercise.slip(
    "last_token_alone", " + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype) →"
).says(
    "Only the last token's log-probability counts: a hypothesis is as likely as all its tokens together, "
    "so their sum goes with it."
)


@exercise.misconception
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
    scored = [(v / ((5 + len(t) - 1) / 6) ** alpha, t[1:]) for v, t in finished + running]
    return sorted(scored, key=lambda one: -one[0])


exercise.slip(
    "goes_on_after_the_end",
    "        finished += [one for one in grown if one[1][-1] == eos]\n →",
    "[one for one in grown if one[1][-1] != eos] → grown",
).says("Finished hypotheses are continued after their `<eos>`: they leave the beam as they are.")
exercise.slip("not_normalised", "value / ((5 + len(tokens) - 1) / 6) ** alpha → value").says(
    "alpha isn't used, so that short translations win because they have fewer factors below 1."
)
exercise.slip(
    "limit_not_normalised",
    "finished + running\n    ] → finished\n    ] + [(value, tokens[1:]) for value, tokens in running]",
).says(
    "Hypotheses that still run at the limit keep their plain sums: only normalised scores can be compared."
)
exercise.slip("end_not_counted", "len(tokens) - 1 → len(tokens) - 1 - (tokens[-1] == eos)").says(
    "`<eos>` isn't counted in the length: it is a token with a log-probability, so it counts as one."
)
exercise.slip("beginning_counted", "len(tokens) - 1 → len(tokens)").says(
    "`<bos>` is counted in the length: it was given and not written."
)
exercise.slip("beginning_returned", "tokens[1:] → tokens").says(
    "`<bos>` is returned with the tokens: nobody wrote it."
)
exercise.slip(
    "first_end_wins",
    "[one for one in grown if one[1][-1] != eos] → [one for one in grown if one[1][-1] != eos and not "
    "finished]",
).says("The search stops with the first finished hypothesis: one that is still running may become better.")
exercise.slip("unfinished_dropped", "finished + running → finished").says(
    "Hypotheses that still run when the limit is reached are dropped: they count as they are, or a long "
    "sentence would get no translation at all."
)
exercise.slip(
    "places_filled_again",
    "min(beams, total.numel()) → total.numel()",
    "[one for one in grown if one[1][-1] == eos] → [one for one in grown[:beams] if one[1][-1] == eos]",
    "[one for one in grown if one[1][-1] != eos] → [one for one in grown if one[1][-1] != eos][:beams]",
).says(
    "Places of finished hypotheses are filled by the next likeliest ones, as some programs do: here "
    "nobody takes them in that step, so that the search ends."
)


@exercise.misconception
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
    scored = [(v / ((5 + len(t) - 1) / 6) ** alpha, t[1:]) for v, t in kept]
    return sorted(scored, key=lambda one: -one[0])


exercise.slip("worst_first", "-one[0] → one[0]").says(
    "The worst comes first: log-probabilities are negative, and the best is the one nearest to 0."
)
exercise.slip("end_taken_off", "tokens[1:] → [token for token in tokens[1:] if token != eos]").says(
    "The end is taken off what is returned: a hypothesis that has ended holds its `<eos>`, at its end."
)
exercise.slip("twice_as_many_beams", "min(beams, total.numel()) → min(2 * beams, total.numel())").says(
    "Twice as many hypotheses are kept as there are beams: of all continuations, the best `beams` stay."
)
exercise.slip(
    "sorted_before_normalising",
    "in finished + running → in sorted(finished + running, key=lambda one: -one[0])",
    "sorted(scored, key=lambda one: -one[0]) → scored",
).says(
    "The hypotheses are sorted by their sums, before these were normalised: sort by the normalised scores."
)
exercise.slip(
    "normalised_on_the_way",
    "[one for one in grown if one[1][-1] != eos] → [(v / ((5 + len(t) - 1) / 6) ** alpha, t) for v, t "
    "in grown if t[-1] != eos]",
).says(
    "Sums are normalised at each step and then added to, so early tokens are divided again and again: "
    "keep the plain sum, and divide it once at the end."
)


@exercise.misconception
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
        (total / ((5 + len(tokens) - 1) / 6) ** alpha, tokens[1:]) for total, tokens in finished + running
    ]
    return sorted(scored, key=lambda one: one[0], reverse=True)


@exercise.misconception
def one_list_for_all(step, beams, longest, alpha, bos=1, eos=2):
    """Continuations of one hypothesis share its list, so what one appends is in all of them: make a new list,
    [*tokens, token].
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
        (total / ((5 + len(tokens) - 1) / 6) ** alpha, tokens[1:]) for total, tokens in finished + running
    ]
    return sorted(scored, key=lambda one: one[0], reverse=True)


exercise.slip("by_plain_length", "((5 + len(tokens) - 1) / 6) → (len(tokens) - 1)").says(
    "This divides by length^α, which is also used, but here it is ((5 + length) / 6)^α, which is gentler "
    "to short sentences."
)
exercise.slip("multiplied_by_the_penalty", "value / (( → value * ((").says(
    "The log-probability is multiplied by the penalty, which makes long sentences worse still: divide by it."
)
exercise.slip(
    "power_above_alone", "((5 + len(tokens) - 1) / 6) ** alpha → ((5 + len(tokens) - 1) ** alpha / 6)"
).says("The power is taken of 5 + length alone: the 6 is inside it, so that one token has the penalty 1.")
