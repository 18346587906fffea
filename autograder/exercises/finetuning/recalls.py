"""Slips to catch at the start of fine-tuning, on lessons 07 and 08."""

from autograder.recall import recall

SHIFT = recall(
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

PERPLEXITY = recall(
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

LAYER = recall(
    "finetuning.recall_layer",
    "counting.attention",
    title="Catch the slip: counting attention",
    task=("This counts the parameters of multi-head attention with biases."),
    code="""
def attention_parameters(d_model, n_heads):
    one_head = d_model * (d_model // n_heads) + d_model // n_heads
    inwards = 3 * n_heads * one_head
    outwards = d_model * d_model + d_model
    return inwards + outwards
""",
    inputs=(
        "attention_parameters(2, 1)",
        "attention_parameters(4, 2)",
    ),
    hint=("heads share the width out, and each map has a bias for each of its outputs"),
)
