"""Catch the slip: the temperature."""

from headstart import recall

exercise = recall(
    "modern.recall_temperature",
    "pretraining.temperature",
    title="Catch the slip: the temperature",
    task="This gives the probabilities of the next token at a temperature; at 0, the best token alone.",
    code="""
def with_temperature(logits, temperature):
    if temperature == 0:
        best = logits.argmax(dim=-1)
        return torch.nn.functional.one_hot(best, logits.size(-1)).to(logits.dtype)
    return (logits / temperature).softmax(dim=-1)
""",
    inputs=(
        "with_temperature(torch.tensor([1.0, 2.0]), 0)",
        "with_temperature(torch.tensor([0.0, 0.0, 4.0]), 2.0)",
    ),
    hint="it divides before the softmax, and at 0 the best token gets everything",
)
