"""Catch the slip: an interval for a share."""

from headstart import recall

exercise = recall(
    "translation.recall_wilson",
    "finetuning.wilson",
    title="Catch the slip: an interval for a share",
    task=("This is Wilson's interval for the share of right answers."),
    code="""
def wilson(correct, n, z):
    p, extra = correct / n, z * z / n
    centre = (p + extra / 2) / (1 + extra)
    half = z * math.sqrt(p * (1 - p) / n + extra / n / 4) / (1 + extra)
    return centre - half, centre + half
""",
    inputs=(
        "wilson(1, 2, 1.0)",
        "wilson(2, 2, 2.0)",
    ),
    hint=("the square root holds the variance of a share, and a quarter of z²/n²"),
)
