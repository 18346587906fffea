"""Slips to catch at the start of BERT, on lessons 08 and 09."""

from autograder.recall import recall

LAST = recall(
    "bert.recall_last",
    "finetuning.last_real",
    title="Catch the slip: the last token",
    task=("This takes the vector of each text's last real token, (B, T, C) to (B, C)."),
    code="""
def last_real(hidden, real):
    last = real.sum(dim=-1)
    return hidden[torch.arange(len(hidden)), last - 1]
""",
    inputs=(
        "last_real(torch.arange(2.0).view(1, 2, 1), torch.tensor([[True, False]]))",
        "last_real(torch.arange(4.0).view(2, 2, 1), torch.tensor([[True, True], [True, False]]))",
    ),
    hint=("places count from 0, so the last of n is n − 1"),
)

MEAN = recall(
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

RATE = recall(
    "bert.recall_rate",
    "pretraining.learning_rate",
    title="Catch the slip: up, then down",
    task=(
        "This learning rate rises in a line to its peak at step `warmup`, then falls to 0 at step `steps`."
    ),
    code="""
def learning_rate(step, steps, warmup, peak):
    if step <= warmup:
        return peak * step / warmup
    return peak * (steps - step) / steps
""",
    inputs=(
        "learning_rate(1, 10, 2, 1.0)",
        "learning_rate(10, 10, 2, 1.0)",
        "learning_rate(6, 10, 2, 1.0)",
    ),
    hint=("on the way down the line begins at the peak, right after the warm-up"),
    line=4,
    shows=3,
)
