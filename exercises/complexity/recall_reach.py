"""Catch the slip: several layers."""

from autograder.recall import recall

exercise = recall(
    "complexity.recall_reach",
    "masking.reach",
    title="Catch the slip: several layers",
    task=(
        "This says what each position knows of after some layers, in each of which it sees itself and what "
        "the mask allows."
    ),
    code="""
def reach(mask, layers):
    itself = torch.eye(len(mask), dtype=torch.bool)
    reached = itself.double()
    for _ in range(layers):
        reached = ((mask | itself).double() @ reached > 0).double()
    return reached.bool()
""",
    inputs=(
        "reach(torch.tensor([[True, False], [True, True]]), 1)",
        "reach(torch.tensor([[False, False, False], [True, False, False], [False, True, False]]), 2)",
    ),
    hint=("a position keeps what it knows, and learns what the positions that it sees know"),
)
