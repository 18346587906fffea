"""Greedy decoding."""

import torch
from torch import Generator

from exercises.translation import shared
from headstart import Case, Entry, pick
from helpers import translation

exercise = Entry(
    id="translation.greedy_decode",
    title="Greedy decoding",
    points=3,
    difficulty=3,
    minutes=12,
    driver="call_with_layer",
    reference=translation.greedy_decode,
    returns=("tokens",),
)


@exercise.cases
def greedy_cases(g: Generator) -> list[Case]:
    """Rows that finish at different steps, one that never does, and a limit that cuts."""

    def one(B: int, stops: list[int], P: int = 5, V: int = 6) -> dict:
        logits = shared.normal(g, B, P, V, V, spread=2)
        logits[..., shared.EOS] -= 30
        logits[..., [shared.PAD, shared.BOS]] -= 2
        for row, stop in enumerate(shared.shuffled(g, torch.tensor(stops)).tolist()):
            logits[row, stop, :, shared.EOS] += 60
        return shared.table(logits)

    B, n, others = pick(g, 2, 3, 4), pick(g, 3, 2, 4), pick(g, (4, 2, 5), (5, 3, 1), (2, 0, 4))
    return [
        Case("one sentence", (one(1, [pick(g, 2, 1, 3)], V=pick(g, 6, 5, 7)), 1, 5)),
        Case("three sentences, each finished at a different step", (one(3, [1, 2, 3]), 3, pick(g, 5, 6))),
        Case("the first ends before the others", (_first_ends(one(B, [1, 2, 3, 3][:B])), B, pick(g, 6, 5))),
        Case("a sentence that doesn't end", (one(2, [1, 4]), 2, pick(g, 3, 2))),
        Case("one token at most", (one(n, [0, 2, 3, 4][:n]), n, 1)),
        Case("finished at once", (one(1, [0]), 1, pick(g, 4, 3, 2))),
        Case(
            "other numbers for the special tokens",
            (_renamed(one(2, [1, 2]), *others), 2, pick(g, 4, 5), *others),
        ),
    ]


def _first_ends(recipe: dict) -> dict:
    """The same, with the row that is finished first in front."""
    (table,) = recipe["weights"]
    size = round(table.size(-1) ** 0.5)
    ends = table.unflatten(-1, (size, size))[..., 0, shared.EOS].argmax(dim=1)
    return {**recipe, "weights": [table[ends.argsort()]]}


def _renamed(recipe: dict, bos: int, eos: int, pad: int) -> dict:
    """The same with other numbers for the special tokens: their rows and columns move there."""
    (table,) = recipe["weights"]
    size = round(table.size(-1) ** 0.5)
    new, words = {bos: shared.BOS, eos: shared.EOS, pad: shared.PAD}, iter(range(3, size))
    order = [new[token] if token in new else next(words) for token in range(size)]
    square = table.unflatten(-1, (size, size))[..., order, :][..., order]
    return {**recipe, "weights": [square.flatten(-2)]}


@exercise.alternative
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


@exercise.alternative
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


@exercise.alternative
def greedy_in_lists(step, rows, longest, bos=1, eos=2, pad=0):
    written = [[bos] for _ in range(rows)]
    for _ in range(longest):
        best = step(torch.tensor(written)).log_softmax(dim=-1).topk(1).indices.flatten().tolist()
        for row, token in zip(written, best, strict=True):
            row.append(pad if eos in row[1:] else token)
        if all(eos in row[1:] for row in written):
            break
    return torch.tensor(written)[:, 1:]


exercise.slip("beginning_kept", "tokens[:, 1:] → tokens").says(
    "`<bos>` is returned with the rest: nobody wrote it."
)
exercise.slip(
    "goes_on_after_the_end",
    "step(tokens).argmax(dim=-1).masked_fill(finished, pad) → step(tokens).argmax(-1)",
).says("Rows that are finished keep writing while others aren't: after its `<eos>` a row gets `<pad>`.")
exercise.slip(
    "ends_again_and_again",
    "step(tokens).argmax(dim=-1).masked_fill(finished, pad) → "
    "step(tokens).argmax(dim=-1).masked_fill(finished, eos)",
).says("Finished rows get `<eos>` once more at each step: one is the end, and `<pad>` comes after it.")
exercise.slip("stops_with_the_first", "finished.all() → finished.any()").says(
    "All rows stop as soon as one of them is finished: the others' sentences are cut off."
)


@exercise.misconception
def stops_where_all_end_at_once(step, rows, longest, bos=1, eos=2, pad=0):
    """The loop stops only where all rows write `<eos>` in the same step, and those that ended before
    continue: which rows are finished has to be remembered from step to step.
    """
    tokens = torch.full((rows, 1), bos)
    for _ in range(longest):
        best = step(tokens).argmax(-1)
        tokens = torch.cat([tokens, best[:, None]], 1)
        if (best == eos).all():
            break
    return tokens[:, 1:]


exercise.slip(
    "always_to_the_limit",
    "for _ in range(longest): → finished = torch.zeros(rows, dtype=torch.bool)\n    for _ in range(longest):",
    "if not any(alive):\n            break → finished = finished | (column == eos)",
    of=greedy_in_a_for_loop,
).says(
    "The loop runs to the limit though every row is finished: it pays for steps that write nothing but "
    "padding."
)
exercise.slip("only_the_last_token", "step(tokens).argmax(dim=-1) → step(tokens[:, -1:]).argmax(-1)").says(
    "`step` gets only the last token, and so doesn't know what was written before, nor how much: it is "
    "called with all tokens so far."
)
exercise.slip(
    "end_hidden",
    "        tokens = torch.cat([tokens, best.unsqueeze(1)], dim=1)\n →",
    "return tokens[:, 1:] →     tokens = torch.cat([tokens, best.masked_fill(finished, pad)[:, None]], 1)\n"
    "    return tokens[:, 1:]",
).says("`<eos>` is overwritten by `<pad>`, because a row counts as finished before its `<eos>` is written.")
exercise.slip("one_token_more", "tokens.size(1) <= longest → tokens.size(1) <= (longest + 1)").says(
    "One token too many is written where a sentence doesn't end: `longest` counts tokens without `<bos>`."
)
exercise.slip("bos_counted", "tokens.size(1) <= longest → tokens.size(1) < longest").says(
    "`<bos>` is counted among the `longest` tokens, though nobody wrote it: a text ends one token early."
)
exercise.slip("finished_for_one_step", "finished | (best == eos) → best == eos").says(
    "A row counts as finished for one step alone, then continues: once finished, it stays so."
)
