"""Catch the slip: the loss."""

from headstart import recall

exercise = recall(
    "posttraining.recall_loss",
    "pretraining.loss",
    title="Catch the slip: the loss",
    task="This is the mean surprise of the targets, in nats; a target of -100 doesn't count.",
    code="""
def language_model_loss(logits, targets):
    log_p = logits.log_softmax(dim=-1)
    real = targets != -100
    chosen = log_p.gather(-1, targets.clamp(min=0)[..., None])[..., 0]
    return -(chosen * real).mean()
""",
    inputs=(
        "language_model_loss(torch.zeros(1, 2, 3), torch.tensor([[2, 0]]))",
        "language_model_loss(torch.zeros(1, 2, 3), torch.tensor([[2, -100]]))",
    ),
    hint="some targets are left out, and the mean is over the others",
    line=5,
    shows=2,
)
