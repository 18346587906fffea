"""Catch the slip: a table of positions."""

from headstart import recall

exercise = recall(
    "complexity.recall_rows",
    "positional.add",
    title="Catch the slip: a table of positions",
    task=("This adds row p of the table to the vector at position p."),
    code="""
def add_positions(x, table):
    T = x.size(-2)
    return x + table[-T:]
""",
    inputs=(
        "add_positions(torch.eye(2), torch.eye(2))",
        "add_positions(torch.eye(2), torch.arange(6.0).view(3, 2))",
    ),
    hint=("the first vector gets the first row, however long the table is"),
    line=3,
    shows=2,
)
