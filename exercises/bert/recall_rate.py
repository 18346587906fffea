"""Catch the slip: up, then down."""

from headstart import recall

exercise = recall(
    "bert.recall_rate",
    "pretraining.learning_rate",
    title="Catch the slip: up, then down",
    task=(
        "This learning rate rises in a straight line to its peak at step `warmup`, then falls to 0 at step "
        "`steps`."
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
