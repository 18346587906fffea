"""Catch the slip: counting attention."""

from headstart import recall

exercise = recall(
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
