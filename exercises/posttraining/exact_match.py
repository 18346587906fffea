"""Exact match."""

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.exact_match",
    title="Exact match",
    points=2,
    difficulty=2,
    minutes=5,
    reference=posttraining.exact_match,
    returns=("share",),
    properties=(inputs_unchanged,),
)

END = 7


@exercise.cases
def match_cases(g: Generator) -> list[Case]:
    """How each answer is right or wrong is written as a word, and a share is that of the right ones."""

    def words(least: int, most: int) -> list[int]:
        return torch.randint(10, 60, (shared.one(g, least, most + 1),), generator=g).tolist()

    def answer(how: str, end: int) -> tuple[list[int], list[int]]:
        """What a model wrote, and what is right."""
        right = words(2, 4)
        wrong = [*right[:-1], 70]
        more = words(1, 3)
        wrote = {
            "right": [*right, end],
            "right, then more": [*right, end, *more],
            "right, and padded with ends": [*right, end, end, end],
            "wrong": [*wrong, end],
            "wrong at first": [70, *right[1:], end],
            "too long": [*right, *more, end],
            "too short": [*right[:-1], end],
            "ended too early": [*right[:-1], end, right[-1], end],
            "unfinished": right,
            "unfinished and too long": [*right, *more],
            "right later": [*more, end, *right, end],
            "words of it": [*right[::-1], end] if right != right[::-1] else [*right, 70, end],
        }[how]
        return wrote, right

    def case(title: str, *hows: str) -> Case:
        order = torch.randperm(len(hows), generator=g).tolist()
        end = shared.one(g, 1, 10)
        pairs = [answer(hows[number], end) for number in order]
        return Case(title, ([wrote for wrote, _ in pairs], [right for _, right in pairs], end))

    empty = [[END], [12, END]]
    return [
        case(
            "some right, some wrong", "right", "wrong", "right", *pick(g, ("wrong at first",), ("right",) * 3)
        ),
        case("more text after the end", "right, then more", *pick(g, ("wrong", "right"), ("wrong",) * 2)),
        case("padding made of ends", "right, and padded with ends", *pick(g, ("wrong", "wrong"), ("wrong",))),
        case(
            "answers without an end",
            "right",
            "unfinished",
            *pick(g, ("unfinished and too long",), ("right", "wrong")),
        ),
        case("the right words and more", "too long", "right", "right", *pick(g, (), ("too short",))),
        case("a part of the right words", "too short", *pick(g, ("right",), ("right", "right"))),
        case(
            "right, but after the end", "right later", "ended too early", *pick(g, ("right",), ("right",) * 2)
        ),
        case(
            "the right words in a different order", "words of it", "right", *pick(g, ("wrong",), ("right",))
        ),
        case("none of them right", "wrong", *pick(g, ("unfinished",), ("too long", "wrong"))),
        Case("an answer without words", (empty, [[], [12]] if pick(g, True, False) else [[], [13]], END)),
    ]


@exercise.alternative
def match_by_cutting(generated, truth, end):
    count = 0
    for row, wanted in zip(generated, truth, strict=True):
        if end in row and row[: row.index(end)] == wanted:
            count += 1
    return count / len(truth)


@exercise.alternative
def match_step_by_step(generated, truth, end):
    right = 0
    for row, wanted in zip(generated, truth, strict=True):
        said, ended = [], False
        for token in row:
            if token == end:
                ended = True
                break
            said.append(token)
        right += ended and said == wanted
    return right / len(generated)


@exercise.alternative
def match_with_tensors(generated, truth, end):
    same = []
    for row, wanted in zip(generated, truth, strict=True):
        target = torch.tensor([*wanted, end])
        same.append(torch.equal(torch.tensor(row)[: len(target)], target))
    return torch.tensor(same).float().mean().item()


exercise.slip(
    "not_cut",
    "row[: len(wanted) + 1] == [*wanted, end] → list(row) == [*wanted, end]",
    of=posttraining.exact_match,
).says(
    "What follows the first <end> is compared as well: a batch is generated until its slowest row has ended."
)
exercise.slip("begins_right", "row[: len(wanted) + 1] == [*wanted, end] → row[:len(wanted)] == wanted").says(
    "An answer that begins with the right words passes, whatever follows: it has to end there."
)
exercise.slip(
    "unfinished_passes",
    "end in row and row[: row.index(end)] == wanted → (row[: row.index(end)] if end in row else row) == "
    "wanted",
    of=match_by_cutting,
).says("An answer that was cut off before its <end> passes: it isn't finished.")
exercise.slip(
    "last_end", "row[: row.index(end)] → row[: len(row) - 1 - row[::-1].index(end)]", of=match_by_cutting
).says("The answer is cut at the last <end>: it is over at the first.")
exercise.slip(
    "contained",
    "row[: row.index(end)] == wanted → all(token in row for token in wanted)",
    of=match_by_cutting,
).says(
    "The right words count wherever they are, in any order and with others among them: the whole answer is "
    "compared."
)
exercise.slip("how_many", "return sum(right) / len(right) → return sum(right)").says(
    "This is how many are right: return their share."
)
exercise.slip("all_or_nothing", "return sum(right) / len(right) → return float(all(right))").says(
    "This is 1 only if all answers are right: the share of the right ones is asked for."
)
exercise.slip("wrong_ones", "return sum(right) / len(right) → return 1 - sum(right) / len(right)").says(
    "This is the share of the wrong answers."
)


@exercise.misconception
def share_of_tokens(generated, truth, end):
    """Tokens are counted one by one, so an answer with one wrong word is nearly right: here it is wrong."""
    right = [
        token == wanted
        for row, answer in zip(generated, truth, strict=True)
        for token, wanted in zip(row, [*answer, end], strict=False)
    ]
    return sum(right) / len(right)


@exercise.misconception
def as_sets(generated, truth, end):
    """The order of the words is ignored, as by sets or sorted lists: compare the lists as they are."""
    pairs = zip(generated, truth, strict=True)
    right = [end in row and set(row[: row.index(end)]) == set(wanted) for row, wanted in pairs]
    return sum(right) / len(right)


exercise.slip("as_they_are", "row[: len(wanted) + 1] == [*wanted, end] → row == wanted").says(
    "The rows are compared as they are, though what a model wrote has its <end> in it and the right answers "
    "don't."
)
exercise.slip(
    "as_long_as_the_shorter",
    "row[: row.index(end)] == wanted → all(a == b for a, b in zip(row[: row.index(end)], wanted))",
    of=match_by_cutting,
).says("zip stops at the end of the shorter list, so a part of the right words passes: compare the lists.")


@exercise.misconception
def share_of_the_finished(generated, truth, end):
    """Unfinished answers are left out of the count, though they are wrong: divide by the number of all."""
    finished = [(row, wanted) for row, wanted in zip(generated, truth, strict=True) if end in row]
    right = sum(row[: row.index(end)] == wanted for row, wanted in finished)
    return right / max(1, len(finished))
