"""The loss mask."""

import math

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.answer_mask",
    title="The loss mask",
    points=4,
    difficulty=4,
    minutes=9,
    reference=posttraining.answer_mask,
    returns=("mask",),
    properties=(inputs_unchanged,),
)

WORD, REQUEST, ANSWER, END, PAD = "w", "r", "a", "e", "p"


@exercise.cases
def mask_cases(g: Generator) -> list[Case]:
    """Rows are written in letters: w a word, r <request>, a <answer>, e <end>, p padding."""

    def case(title: str, *rows: str, front: tuple[int, ...] | None = None, same: bool = False) -> Case:
        r, a, e, p = shared.numbers(g, 4, 20, 40)
        tokens = {REQUEST: r, ANSWER: a, END: e, PAD: e if same else p}
        ids = [
            [tokens[letter] if letter in tokens else shared.one(g, 1, 20) for letter in row] for row in rows
        ]
        shape = (len(rows),) if front is None else front
        return Case(title, (torch.tensor(ids).reshape(*shape, -1), a, e))

    def rows(T: int, front: tuple[int, ...]) -> list[str]:
        """Random rows of T letters: a request, an answer of one word or more, its end, padding."""
        made = []
        for _ in range(math.prod(front)):
            asked = shared.one(g, 1, T - 4)
            said = shared.one(g, 1, T - 3 - asked)
            made.append((REQUEST + asked * WORD + ANSWER + said * WORD + END).ljust(T, PAD))
        return made

    length, long = pick(g, 7, 8, 6), pick(g, 9, 11, 8)
    several = pick(g, (2, 1), (1,), (1, 3), (2, 3, 1))
    return [
        case("one row", *rows(length, ()), front=()),
        case("padding after the end", *pick(g, ("rwawwepp", "rwwawwwe", "rwawwwep"), ("rawepp", "rwawwe"))),
        case(
            "padding that is <end> itself",
            *pick(g, ("rwawwep", "rwawepp"), ("rawepppp", "rwawwwep")),
            same=True,
        ),
        case("an answer that was cut off", *pick(g, ("rwwawwww", "rwawwepp"), ("rawwww", "rwawww"))),
        case("a request without an answer", *pick(g, ("rwww", "rawe"), ("rwwwwww", "rwawwep"))),
        case("an <end> in the request", *pick(g, ("rwewawwep", "rewawwwep"), ("rewawwp", "rwweawe"))),
        case("<answer> within the answer", *pick(g, ("rwawawep", "rawwwaep"), ("rawaaep", "rwawwae"))),
        case("an answer without words", *pick(g, ("rwaeppp", "rwwwaep"), ("raepp", "rwaep", "rwwae"))),
        case("words after the end", *pick(g, ("rwawwewwe", "rwawewwww"), ("rawewwe", "rwawewa"))),
        case("axes in front", *rows(long, several), front=several),
    ]


@exercise.alternative
def mask_row_by_row(ids, answer_token, end_token):
    mask = torch.zeros_like(ids, dtype=torch.bool)
    rows = ids.reshape(-1, ids.size(-1)).tolist()
    for number, row in enumerate(rows):
        inside = False
        for t, token in enumerate(row):
            mask.view(-1, ids.size(-1))[number, t] = inside
            if not inside and token == answer_token and answer_token not in row[:t]:
                inside = True
            elif inside and token == end_token:
                inside = False
    return mask


@exercise.alternative
def mask_by_places(ids, answer_token, end_token):
    T = ids.size(-1)
    places = torch.arange(T)
    start = torch.where(ids == answer_token, places, T).amin(dim=-1, keepdim=True)
    is_end = (ids == end_token) & (places > start)
    end = torch.where(is_end, places, T).amin(dim=-1, keepdim=True)
    return (places > start) & (places <= end)


@exercise.alternative
def mask_by_cummax(ids, answer_token, end_token):
    started = (ids == answer_token).int().cummax(dim=-1).values
    after = torch.nn.functional.pad(started, (1, 0))[..., :-1].bool()
    ended = (after & (ids == end_token)).int().cummax(dim=-1).values
    return after & ~torch.nn.functional.pad(ended, (1, 0))[..., :-1].bool()


exercise.slip("answer_token_counts", "opens.cumsum(dim=-1) > opens → opens.cumsum(dim=-1) > 0").says(
    "<answer> itself counts: it belongs to the template, which writes it for the model, so start one place "
    "later."
)
exercise.slip(
    "end_left_out",
    "closes.cumsum(dim=-1) == closes → closes.cumsum(dim=-1) == 0",
).says("<end> doesn't count, so the model never learns to stop: it is the answer's last token.")
exercise.slip(
    "shifted_already",
    "return inside & (closes.cumsum(dim=-1) == closes)  # no earlier token ends it → "
    "mask = inside & (closes.cumsum(dim=-1) == closes)\n"
    "    return torch.cat([mask[..., 1:], torch.zeros_like(mask[..., :1])], dim=-1)",
).says(
    "The mask is one place too early: it says which tokens count when they are predicted, not at which "
    "positions the model predicts them, and the loss shifts later."
)
exercise.slip(
    "shifted_the_other_way",
    "return inside & (closes.cumsum(dim=-1) == closes)  # no earlier token ends it → "
    "mask = inside & (closes.cumsum(dim=-1) == closes)\n"
    "    return torch.cat([torch.zeros_like(mask[..., :1]), mask[..., :-1]], dim=-1)",
).says(
    "The mask is one place too late: the answer's first token is left out, and the place after <end> counts."
)
exercise.slip("all_after_the_end", "inside & (closes.cumsum(dim=-1) == closes) → inside").says(
    "What follows <end> counts as well, padding among it: stop at the first <end> after <answer>."
)
exercise.slip("the_request", "inside & (closes.cumsum(dim=-1) == closes) → ~inside").says(
    "This is the request: the answer's tokens should be True, and the others False."
)
exercise.slip("any_end", "inside & (ids == end_token) → ids == end_token").says(
    "An <end> in the request is taken for the answer's: look for the first one after <answer>."
)
exercise.slip(
    "last_answer",
    "opens.cumsum(dim=-1) > opens → (opens.cumsum(dim=-1) - opens.long() == opens.sum(dim=-1, keepdim=True)) "
    "& opens.any(dim=-1, keepdim=True)",
).says(
    "The answer starts after the last <answer>: a model may write one itself, and what counts begins after "
    "the first."
)
exercise.slip(
    "second_answer_ends_it", "opens.cumsum(dim=-1) > opens → opens.cumsum(dim=-1) - opens.long() == 1"
).says("A second <answer> ends the answer here: after the first, it is a token like any other.")


@exercise.misconception
def every_end_masked(ids, answer_token, end_token):
    """All <end> tokens are left out as if they were padding, as happens where both have one number: the model
    never learns to stop.
    """
    opens = (ids == answer_token).long()
    return (opens.cumsum(dim=-1) > opens) & (ids != end_token)


@exercise.misconception
def up_to_the_last_end(ids, answer_token, end_token):
    """The answer goes up to the last <end>, so padding made of <end>, or more text, counts too: it ends at
    the first.
    """
    opens = (ids == answer_token).long()
    inside = opens.cumsum(dim=-1) > opens
    closes = (inside & (ids == end_token)).long()
    left = closes.flip(-1).cumsum(dim=-1).flip(-1)
    return inside & ((left > 0) | (closes.sum(dim=-1, keepdim=True) == 0))


@exercise.misconception
def first_token_left_out(ids, answer_token, end_token):
    """The answer's first token doesn't count, so the model never learns how to begin: it is predicted at
    <answer>.
    """
    opens = (ids == answer_token).long()
    inside = opens.cumsum(dim=-1) > opens
    closes = (inside & (ids == end_token)).long()
    first = (opens.cumsum(dim=-1) - opens).cumsum(dim=-1) == 1
    return inside & (closes.cumsum(dim=-1) == closes) & ~first


@exercise.misconception
def begins_at_nothing(ids, answer_token, end_token):
    """A row without <answer> is treated as if it began with one: argmax gives 0 where nothing is True."""
    places = torch.arange(ids.size(-1))
    begins = (ids == answer_token).int().argmax(dim=-1, keepdim=True)
    closes = (ids == end_token) & (places > begins)
    ends = closes.int().argmax(dim=-1, keepdim=True)
    ends = torch.where(closes.any(dim=-1, keepdim=True), ends, ids.size(-1))
    return (places > begins) & (places <= ends)


@exercise.misconception
def every_end_counts(ids, answer_token, end_token):
    """Each <end> after the answer counts, padding made of <end> among them: only the first one ends it."""
    opens = (ids == answer_token).long()
    inside = opens.cumsum(dim=-1) > opens
    closes = (inside & (ids == end_token)).long()
    return inside & ((closes.cumsum(dim=-1) == 0) | closes.bool())


@exercise.misconception
def cut_off_is_nothing(ids, answer_token, end_token):
    """No token of an answer that was cut off before its <end> counts here: all of them should."""
    opens = (ids == answer_token).long()
    inside = opens.cumsum(dim=-1) > opens
    closes = (inside & (ids == end_token)).long()
    first = closes.cumsum(dim=-1) == closes
    return inside & first & closes.any(dim=-1, keepdim=True)


@exercise.misconception
def one_place_early(ids, answer_token, end_token):
    """<answer> counts and <end> doesn't, so the mask is one place early: True is for the tokens that are
    predicted, and the loss does the shift.
    """
    opens = (ids == answer_token).cumsum(dim=-1) > 0
    return opens & ((opens & (ids == end_token)).cumsum(dim=-1) == 0)


exercise.slip(
    "answer_tokens_left_out",
    "opens.cumsum(dim=-1) > opens → (opens.cumsum(dim=-1) > 0) & ~opens",
).says("Every <answer> is left out, but one within the answer counts, like any other token of it.")


@exercise.misconception
def by_two_argmaxes(ids, answer_token, end_token):
    """The first <end> of the row is looked for by argmax, but it may come before <answer>, and where there
    is none, argmax says 0.
    """
    places = torch.arange(ids.size(-1))
    begins = (ids == answer_token).long().argmax(dim=-1, keepdim=True)
    ends = (ids == end_token).long().argmax(dim=-1, keepdim=True)
    return (places > begins) & (places <= ends)


@exercise.misconception
def opened_and_not_closed(ids, answer_token, end_token):
    """<answer> itself counts here, the <end> that closes the answer doesn't, and an <end> in the request
    leaves nothing of the answer.
    """
    opened = (ids == answer_token).cumsum(dim=-1) > 0
    return opened & ((ids == end_token).cumsum(dim=-1) == 0)
