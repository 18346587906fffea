"""Catch the slip: inputs and targets."""

from headstart import recall

exercise = recall(
    "finetuning.recall_shift",
    "pretraining.inputs_and_targets",
    title="Catch the slip: inputs and targets",
    task=(
        "This makes inputs of texts, and for each position the token that comes next; -100 where none does."
    ),
    code="""
def inputs_and_targets(ids, pad=0):
    inputs = ids[:, :-1]
    targets = ids[:, 1:]
    return inputs, targets.masked_fill(inputs == pad, -100)
""",
    inputs=(
        "inputs_and_targets(torch.tensor([[1, 2, 3]]))",
        "inputs_and_targets(torch.tensor([[1, 2, 0]]))",
    ),
    hint=("a position counts if there is something to predict, which the next token says"),
    line=4,
    shows=2,
)
