"""Catch the slip: adding positions."""

from headstart import recall

exercise = recall(
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
