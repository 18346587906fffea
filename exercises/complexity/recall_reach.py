"""Catch the slip: several layers."""

from headstart import recall

exercise = recall(
    "complexity.recall_reach",
    "masking.reach",
    title="Catch the slip: several layers",
    task=(
        "This says which positions each one knows about after some layers. In each layer, it sees itself and "
        "those that the mask allows."
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
    hint=("a position keeps what it knows, and learns all that is known at the positions it sees"),
)
