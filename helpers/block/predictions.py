"""What students of the block predict before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "alone": Prediction(
        "Ten random vectors go through twelve layers of attention, one after another, and nothing else. "
        "What happens to them?",
        {
            "They become ever more different.": "Each layer gives every position an average of all. Averages "
            "of the same vectors are closer to each other than the vectors are.",
            "They become alike.": "They become averages of averages. After two layers all ten point "
            "the same way, and nothing tells one position from another.",
            "They stay about as different as they were.": "Random projections alone would leave them so. But "
            "each layer also averages over the positions.",
        },
        right="b",
    ),
    "gradient": Prediction(
        "Twelve blocks have random weights, no residual path and no norms. How large is the gradient in "
        "front of the first block, compared with that in front of the last?",
        {
            "About as large.": "It would be with a residual path, along which the gradient runs back "
            "unchanged. Without one it passes through every matrix.",
            "A hundredth, say.": "A single block makes it ten to twenty times smaller, and there are eleven "
            "in between.",
            "Next to nothing, below a billionth.": "Each block multiplies the gradient by a small "
            "number, and eleven such factors leave nothing to learn from.",
        },
        right="c",
    ),
    "depth": Prediction(
        "Stacks of 2, 6 and 12 blocks are trained briefly. Which part can they least do without?",
        {
            "The residual path.": "Without it no depth learns more than word frequencies in this "
            "time, with norms or without.",
            "The norms.": "They help, the more so the deeper the stack is. But without the path even two "
            "blocks learn no more than word frequencies.",
            "Neither is needed with two blocks only.": "Two blocks are four sublayers in a row. Without a "
            "path around them, even these hardly learn in so short a time.",
        },
        right="a",
    ),
    "first_loss": Prediction(
        "A model has torch's default weights. How large is its loss before any training?",
        {
            "Near ln V, that of a guess.": "That takes scores that hardly differ. torch draws a table's "
            "numbers with a standard deviation of 1, and such rows give scores that differ a lot.",
            "Below ln V: random weights know a little.": "Random weights know nothing of this text, and so "
            "do no better than a guess.",
            "Far above ln V.": "Large random scores make the model sure of itself, and it is nearly "
            "always wrong.",
        },
        right="c",
    ),
}
