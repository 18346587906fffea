"""Catch the slip: perplexity."""

from headstart import recall

exercise = recall(
    "finetuning.recall_perplexity",
    "pretraining.perplexity",
    title="Catch the slip: perplexity",
    task=("This is the perplexity of several batches, from their mean losses and their numbers of tokens."),
    code="""
def perplexity(losses, counts):
    mean = losses.mean()
    return mean.exp()
""",
    inputs=(
        "perplexity(torch.tensor([1.0, 1.0]), torch.tensor([1, 9]))",
        "perplexity(torch.tensor([0.0, 1.0]), torch.tensor([2, 2]))",
        "perplexity(torch.tensor([0.0, 1.0]), torch.tensor([3, 1]))",
    ),
    hint=("a batch counts for as much as it has tokens"),
    line=2,
    shows=3,
)
