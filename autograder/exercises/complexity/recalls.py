"""Slips to catch at the start of complexity, on lessons 03 and 04."""

from autograder.recall import recall

BOTH = recall(
    "complexity.recall_both",
    "masking.both",
    title="Catch the slip: padding and the future",
    task=("This makes the decoder's mask, given where the words are, (B, T) to (B, T, T)."),
    code="""
def decoder_mask(real):
    T = real.size(-1)
    earlier = torch.ones(T, T, dtype=torch.bool).tril()
    return earlier & real.unsqueeze(-1)
""",
    inputs=(
        "decoder_mask(torch.tensor([[True, True]]))",
        "decoder_mask(torch.tensor([[False, True]]))",
    ),
    hint=("padding is hidden as a key, and keys are the last axis"),
    line=4,
    shows=2,
)

REACH = recall(
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

ROWS = recall(
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
