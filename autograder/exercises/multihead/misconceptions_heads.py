"""Lesson 02's misconceptions about what single heads do; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

import torch

# -- two places at once --------------------------------------------------------------------------------------


def turned_the_other_way():
    """The two heads have changed sides: channel 0 should hold the number of the next place clockwise, channel
    1 that of the place before.
    """
    turn = 40.0 * torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
    W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
    W_q[:2, :2], W_q[:2, 2:] = turn, turn.T
    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
    W_v[2, 0] = W_v[2, 2] = W_o[0, 0] = W_o[2, 1] = 1.0
    return W_q, W_k, W_v, W_o


def both_look_the_same_way():
    """Both heads look at the next place: turn the second head's queries the other way."""
    turn = 40.0 * torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
    W_q[:2, :2] = W_q[:2, 2:] = turn
    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
    W_v[2, 0] = W_v[2, 2] = W_o[0, 0] = W_o[2, 1] = 1.0
    return W_q, W_k, W_v, W_o


def both_look_at_themselves():
    """The queries aren't turned, so each place finds itself: turn them by a quarter, one head clockwise, the
    other the other way.
    """
    W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
    W_q[:2, :2] = W_q[:2, 2:] = 40.0 * torch.eye(2)
    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
    W_v[2, 0] = W_v[2, 2] = W_o[0, 0] = W_o[2, 1] = 1.0
    return W_q, W_k, W_v, W_o


def not_sharp():
    """The right directions, but the scores are about 1, and a softmax of such scores listens to all four
    places: multiply the queries by a large number.
    """
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
    W_q[:2, :2], W_q[:2, 2:] = turn, turn.T
    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
    W_v[2, 0] = W_v[2, 2] = W_o[0, 0] = W_o[2, 1] = 1.0
    return W_q, W_k, W_v, W_o


def everything_alike():
    """Queries or keys are 0, so all scores are alike, and each head gives the average of the four numbers."""
    W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
    W_v[2, 0] = W_v[2, 2] = W_o[0, 0] = W_o[2, 1] = 1.0
    return W_q, W_k, W_v, W_o


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


def one_head_has_the_number():
    """Only the first head's values hold the number: the second head's channels of W_v, the last two columns,
    need it too.
    """
    turn = 40.0 * torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
    W_q[:2, :2], W_q[:2, 2:] = turn, turn.T
    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
    W_v[2, 0] = W_o[0, 0] = W_o[2, 1] = 1.0
    return W_q, W_k, W_v, W_o


def both_in_one_channel():
    """W_o adds both heads up in channel 0: the second head's number belongs in channel 1."""
    turn = 40.0 * torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
    W_q[:2, :2], W_q[:2, 2:] = turn, turn.T
    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
    W_v[2, 0] = W_v[2, 2] = W_o[0, 0] = W_o[2, 0] = 1.0
    return W_q, W_k, W_v, W_o


def nothing_gets_through():
    """Every output is 0, so no number gets through: in x @ W a row is where something is read and a column
    where it goes, and the number is in channel 2 of x.
    """
    turn = 40.0 * torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
    W_q[:2, :2], W_q[:2, 2:] = turn, turn.T
    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
    W_v[2, 0] = W_v[2, 2] = W_o[0, 0] = W_o[2, 1] = 1.0
    return W_q.T, W_k.T, W_v.T, W_o.T


# -- switching heads off -------------------------------------------------------------------------------------


def rows_off(weight, keep):
    """Rows are set to 0, which silences some output channels for all heads: nn.Linear holds its weight as
    (out, in), and a head comes in through its columns.
    """
    size = weight.size(1) // len(keep)
    off = weight.clone()
    for head in range(len(keep)):
        if not keep[head]:
            off[head * size : (head + 1) * size] = 0
    return off


def others_off(weight, keep):
    """The wrong heads are off: `keep` is True for those that stay on."""
    return weight * (~keep).repeat_interleave(weight.size(1) // len(keep))


def every_hth_column(weight, keep):
    """Every H-th column is set to 0: merging puts the D channels of a head side by side, so its columns are
    neighbours.
    """
    return weight * keep.repeat(weight.size(1) // len(keep))


def one_column(weight, keep):
    """One column is set to 0 for each head that is off: a head has D of them, side by side, where D is the
    number of columns divided by H.
    """
    off = weight.clone()
    for head in range(len(keep)):
        if not keep[head]:
            off[:, head] = 0
    return off


def made_up_for(weight, keep):
    """The heads that stay on are made louder to make up for the others, as dropout does in training: here
    they stay as they are.
    """
    columns = keep.repeat_interleave(weight.size(1) // len(keep))
    return weight * columns * (len(keep) / keep.sum())


def cut_out(weight, keep):
    """The columns are cut out, so that the weight no longer fits what the merge gives: set them to 0."""
    return weight[:, keep.repeat_interleave(weight.size(1) // len(keep))]


def written_into(weight, keep):
    """The weight itself is changed, and the head stays off for ever: work on a copy, and every head can be
    switched on again.
    """
    weight[:, ~keep.repeat_interleave(weight.size(1) // len(keep))] = 0
    return weight


# -- head importance -----------------------------------------------------------------------------------------


def this_head_alone(loss_with, n_heads):
    """Only one head is on at a time, which asks what a head can do alone: keep all others on, and see how
    much one is missed.
    """
    complete = loss_with(torch.ones(n_heads, dtype=torch.bool))
    return torch.stack([loss_with(torch.arange(n_heads) == head) - complete for head in range(n_heads)])


def losses_themselves(loss_with, n_heads):
    """These are the losses themselves: subtract the loss with all heads on, so that 0 means “not missed”."""
    return torch.stack([loss_with(torch.arange(n_heads) != head) for head in range(n_heads)])


def sign_turned(loss_with, n_heads):
    """The signs are the wrong way round: a head that is missed makes the loss grow, and its importance is
    above 0.
    """
    complete = loss_with(torch.ones(n_heads, dtype=torch.bool))
    return torch.stack([complete - loss_with(torch.arange(n_heads) != head) for head in range(n_heads)])


def without_sign(loss_with, n_heads):
    """The sign is lost: a head that does harm has an importance below 0, and looks important here."""
    complete = loss_with(torch.ones(n_heads, dtype=torch.bool))
    losses = torch.stack([loss_with(torch.arange(n_heads) != head) for head in range(n_heads)])
    return (losses - complete).abs()


def as_shares(loss_with, n_heads):
    """The increases are divided by their sum, which makes shares of them: return them as they are, in the
    units of the loss.
    """
    complete = loss_with(torch.ones(n_heads, dtype=torch.bool))
    losses = torch.stack([loss_with(torch.arange(n_heads) != head) for head in range(n_heads)])
    return (losses - complete) / (losses - complete).sum()


def never_on_again(loss_with, n_heads):
    """The heads aren't switched on again, so that in the end all are off: each loss should lack only one
    head.
    """
    keep = torch.ones(n_heads, dtype=torch.bool)
    complete, losses = loss_with(keep), []
    for head in range(n_heads):
        keep[head] = False
        losses.append(loss_with(keep))
    return torch.stack(losses) - complete


def against_none(loss_with, n_heads):
    """The losses are compared with the loss of no heads at all: the question is what one head adds to all
    the others.
    """
    empty = loss_with(torch.zeros(n_heads, dtype=torch.bool))
    return torch.stack([empty - loss_with(torch.arange(n_heads) == head) for head in range(n_heads)])


def as_ratio(loss_with, n_heads):
    """These are ratios of two losses: take the difference, which is 0 for a head that isn't missed."""
    complete = loss_with(torch.ones(n_heads, dtype=torch.bool))
    return torch.stack([loss_with(torch.arange(n_heads) != head) / complete for head in range(n_heads)])
