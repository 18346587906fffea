"""Slips to catch at the start of masks, on lessons 02 and 03."""

from autograder.recall import recall

ADD = recall(
    "masking.recall_add",
    "positional.add",
    title="Catch the slip: adding positions",
    task=("This adds the table's first rows to the words of each sentence, (B, T, C)."),
    code="""
def add_positions(x, table):
    T = x.size(0)
    return x + table[:T]
""",
    inputs=(
        "add_positions(torch.zeros(2, 2, 1), torch.tensor([[1.0], [2.0], [3.0]]))",
        "add_positions(torch.zeros(1, 3, 1), torch.tensor([[1.0], [2.0], [3.0]]))",
        "add_positions(torch.zeros(3, 3, 1), torch.tensor([[1.0], [2.0], [3.0]]))",
    ),
    hint=("the first axis counts the sentences, and positions are counted by the axis before the last"),
    line=2,
    shows=2,
)

PENALTY = recall(
    "masking.recall_penalty",
    "positional.penalty",
    title="Catch the slip: a penalty for distance",
    task=(
        "This returns what each head adds to its scores, (H, T_q, T_k): a penalty that grows with the "
        "distance, fastest in the first head."
    ),
    code="""
def distance_penalty(n_heads, T_q, T_k):
    slopes = 2.0 ** (-8 * torch.arange(n_heads) / n_heads)
    distance = torch.arange(T_k) - torch.arange(T_q).unsqueeze(1)
    return -slopes[:, None, None] * distance.abs()
""",
    inputs=(
        "distance_penalty(1, 1, 1)",
        "distance_penalty(2, 1, 1)",
        "distance_penalty(1, 2, 2)",
    ),
    hint=("a head's slope is 2 to the power of −8h/H, with h counted from 1"),
    line=2,
    shows=3,
)

OFF = recall(
    "masking.recall_off",
    "multihead.switch_off",
    title="Catch the slip: switching heads off",
    task=("This sets the part of the output matrix (C, C) to 0 that reads from heads that are off."),
    code="""
def switch_off(weight, keep):
    D = weight.size(1) // len(keep)
    columns = keep.repeat_interleave(D)
    return weight * columns
""",
    inputs=(
        "switch_off(torch.ones(2, 2), torch.tensor([True, False]))",
        "switch_off(torch.ones(4, 4), torch.tensor([False, True]))",
    ),
    hint=("a Linear keeps its matrix as (out, in), and a head owns D neighbouring inputs"),
)
