"""What students predict about post-training before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "rows": Prediction(
        "Sixteen new rows are added to the tied embedding, and nothing is trained yet. With which rows does "
        "the loss on reviews, in which none of the new tokens occurs, rise most?",
        {
            "Mean rows: they look like every word a little.": "Their logit is the mean of all logits, and most "
            "of those are far below the likely words'.",
            "Rows of zeros.": "Their logit is 0 everywhere, and 0 is far above the mean of the trained logits.",
            "None changes it: no text has these tokens.": "The softmax is over all tokens, so each new logit "
            "takes its share.",
        },
        right="b",
    ),
}
