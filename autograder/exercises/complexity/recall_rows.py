"""Catch the slip: learned positions."""

from autograder.recall import recall

exercise = recall(
    "complexity.recall_rows",
    "positional.learned",
    title="Catch the slip: learned positions",
    task=("This adds the row of its place to each token's row."),
    code="""
def with_learned_positions(ids, words, positions):
    T = ids.size(-1)
    return words[ids] + positions[-T:]
""",
    inputs=(
        "with_learned_positions(torch.tensor([0, 1]), torch.eye(2), torch.eye(2))",
        "with_learned_positions(torch.tensor([0, 1]), torch.eye(2), torch.arange(6.0).view(3, 2))",
    ),
    hint=("the first token gets the first row, however long the table is"),
    line=3,
    shows=2,
)
