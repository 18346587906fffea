"""Catch the slip: the mean of the words."""

from headstart import recall

exercise = recall(
    "bert.recall_mean",
    "finetuning.mean_real",
    title="Catch the slip: the mean of the words",
    task=("This is the mean of each text's vectors at its real tokens."),
    code="""
def mean_real(hidden, real):
    kept = hidden * real[..., None]
    return kept.mean(dim=-2)
""",
    inputs=(
        "mean_real(torch.tensor([[[2.0], [4.0]]]), torch.tensor([[True, True]]))",
        "mean_real(torch.tensor([[[2.0], [4.0]]]), torch.tensor([[True, False]]))",
    ),
    hint=("what is left out of the sum must be left out of the divisor too"),
    line=3,
    shows=2,
)
