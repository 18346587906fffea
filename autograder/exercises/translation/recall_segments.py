"""Catch the slip: whose words they are."""

from autograder.recall import recall

exercise = recall(
    "translation.recall_segments",
    "bert.segments",
    title="Catch the slip: whose words they are",
    task=(
        "This gives each token its segment: 1 after the first `[SEP]`, number 5, up to the "
        "second; 0 elsewhere, and for padding."
    ),
    code="""
def segments_of(ids):
    separators = (ids == 5).long()
    closed = separators.cumsum(dim=-1)
    return ((closed == 1) & (ids != 0)).long()
""",
    inputs=(
        "segments_of(torch.tensor([[4, 7]]))",
        "segments_of(torch.tensor([[4, 7, 5, 8, 5]]))",
    ),
    hint=("a separator closes its own segment, and still belongs to it"),
    line=3,
    shows=2,
)
