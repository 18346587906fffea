"""Catch the slip: the last token."""

from headstart import recall

exercise = recall(
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
