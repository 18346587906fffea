"""Two places at once."""

import torch
from torch import Generator

from exercises.multihead import shared
from headstart import Case, Entry
from helpers import multihead

exercise = Entry(
    id="multihead.both_neighbours",
    title="Two places at once",
    points=4,
    difficulty=4,
    minutes=15,
    driver="use_result",
    reference=multihead.both_neighbours,
    returns=("what the two heads put out",),
)


@exercise.cases
def round_table_cases(g: Generator) -> list[Case]:
    """Numbers at four places, all different and none 0, so that each tells where it comes from.

    They are even, so that no average of two or four of them lies where rounding to one decimal is a toss-up.
    """
    even = 2.0 * torch.arange(1, 10)
    once = shared.shuffled(g, even)[:4].unsqueeze(0)
    signs = 2.0 * torch.randint(2, (3, 4), generator=g) - 1
    more = signs * torch.stack([shared.shuffled(g, even)[:4] for _ in range(3)])
    table = {"layer": "two heads at a round table"}
    return [
        Case("numbers at four places", ({**table, "weights": [once]},)),
        Case("three tables, with negative numbers", ({**table, "weights": [more]},)),
    ]


@exercise.alternative
def as_written_tables():
    W_q = torch.tensor([[0.0, -20, 0, 20], [20, 0, -20, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    W_k = torch.tensor([[1.0, 0, 1, 0], [0, 1, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]])
    W_v = torch.tensor([[0.0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0]])
    W_o = torch.tensor([[1.0, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    return W_q, W_k, W_v, W_o


@exercise.alternative
def with_turned_keys_and_heads_exchanged():
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    W_q, W_k = torch.zeros(4, 4), torch.zeros(4, 4)
    W_q[:2, :2] = W_q[:2, 2:] = torch.eye(2) * 60
    W_k[:2, :2], W_k[:2, 2:] = turn, turn.T
    W_v, W_o = torch.zeros(4, 4), torch.zeros(4, 4)
    W_v[2, 1] = W_v[2, 3] = -1.0
    W_o[1, 1] = W_o[3, 0] = -1.0
    return [W_q, W_k, W_v, W_o]


exercise.slip(
    "turned_the_other_way",
    "clockwise = torch.tensor([[0.0, -1.0], [1.0, 0.0]]) → turn = 40.0 * torch.tensor([[0.0, 1.0], [-1.0, "
    "0.0]])",
    "sharp * clockwise, sharp * clockwise.T → turn, turn.T",
).says(
    "The two heads have changed sides: channel 0 should hold the number of the next place clockwise, "
    "channel 1 that of the place before."
)
exercise.slip(
    "both_look_the_same_way",
    "clockwise = torch.tensor([[0.0, -1.0], [1.0, 0.0]]) → turn = 40.0 * torch.tensor([[0.0, -1.0], [1.0, "
    "0.0]])",
    "W_q[:2, :2], W_q[:2, 2:] = sharp * clockwise, sharp * clockwise.T → W_q[:2, :2] = W_q[:2, 2:] = turn",
).says(
    "Both channels hold the next place's number: either both heads look there, so turn the second head's "
    "queries the other way, or the second head's number doesn't get through W_v and W_o to channel 1."
)
exercise.slip(
    "both_look_at_themselves",
    "W_q[:2, :2], W_q[:2, 2:] = sharp * clockwise, sharp * clockwise.T → W_q[:2, :2] = W_q[:2, 2:] = 40.0 "
    "* torch.eye(2)",
).says(
    "The queries aren't turned, so each place finds itself: turn them by a quarter, one head clockwise, "
    "the other the other way."
)
exercise.slip("not_sharp", "sharp * clockwise, sharp * clockwise.T → clockwise, clockwise.T").says(
    "The right directions, but the scores are about 1, and a softmax of such scores listens to all four "
    "places: multiply the queries by a large number."
)
exercise.slip(
    "everything_alike",
    "    W_q[:2, :2], W_q[:2, 2:] = sharp * clockwise, sharp * clockwise.T\n"
    "    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)\n"
    " →",
).says("Queries or keys are 0, so all scores are alike, and each head gives the average of the four numbers.")


@exercise.misconception
def output_not_moved():
    """W_o leaves the second head's number in channel 2, where the merge has put it: W_o has to bring it to
    channel 1.
    """
    turn = 40.0 * torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    W_q, W_k, W_v = torch.zeros(3, 4, 4)
    W_q[:2, :2], W_q[:2, 2:] = turn, turn.T
    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
    W_v[2, 0] = W_v[2, 2] = 1.0
    return W_q, W_k, W_v, torch.eye(4)


exercise.slip(
    "one_head_has_the_number",
    "clockwise = torch.tensor([[0.0, -1.0], [1.0, 0.0]]) → turn = 40.0 * torch.tensor([[0.0, -1.0], [1.0, "
    "0.0]])",
    "sharp * clockwise, sharp * clockwise.T → turn, turn.T",
    "W_v[2, 0] = W_v[2, 2] = 1.0 → W_v[2, 0] = W_o[0, 0] = W_o[2, 1] = 1.0",
).says(
    "Only the first head's values hold the number: the second head's channels of W_v, the last two "
    "columns, need it too."
)


@exercise.misconception
def both_in_one_channel():
    """W_o adds both heads up in channel 0: the second head's number belongs in channel 1."""
    turn = 40.0 * torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
    W_q[:2, :2], W_q[:2, 2:] = turn, turn.T
    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
    W_v[2, 0] = W_v[2, 2] = W_o[0, 0] = W_o[2, 0] = 1.0
    return W_q, W_k, W_v, W_o


exercise.slip(
    "nothing_gets_through",
    "clockwise = torch.tensor([[0.0, -1.0], [1.0, 0.0]]) → turn = 40.0 * torch.tensor([[0.0, -1.0], [1.0, "
    "0.0]])",
    "sharp * clockwise, sharp * clockwise.T → turn, turn.T",
    "return W_q, W_k, W_v, W_o → return W_q.T, W_k.T, W_v.T, W_o.T",
).says(
    "Every output is 0, so no number gets through: in x @ W a row is where something is read and a column "
    "where it goes, and the number is in channel 2 of x."
)
exercise.slip(
    "keys_of_one_head", "W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2) → W_k[:2, :2] = torch.eye(2)"
).says(
    "One head has no keys, so all its scores are 0 and it averages all places: its columns of W_k need the "
    "direction too."
)
for _length in (2, 3, 4, 5, 6, 7, 8):
    exercise.slip(f"sharper_by_{_length}", f"sharp = 40.0 → sharp = {_length}.0").says(
        f"The directions are right, but with queries of length {_length} the softmax isn't sharp enough yet, "
        "and other places get a share: make them longer."
    )
