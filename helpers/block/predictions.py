"""What students of the block predict before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "alone": Prediction(
        "Ten random vectors go through twelve layers of attention, one after the other, and nothing else. "
        "What becomes of them?",
        {
            "They become ever more different.": "Each layer gives every position an average of all. "
            "Averages of the same vectors are closer to each other than the vectors were.",
            "They become alike.": "So it is: an average of averages. After two layers all ten point the same "
            "way, and nothing tells one position from another.",
            "They stay about as different as they were.": "Random projections alone would leave them so. "
            "But each layer also averages over the positions, again and again.",
        },
        right="b",
    ),
    "gradient": Prediction(
        "Twelve blocks with random weights. How large is the gradient in front of the first block, beside "
        "that in front of the last, without residual path and without norms?",
        {
            "About as large.": "That is so with a residual path: the gradient runs back along it unchanged. "
            "Without one it goes through every matrix.",
            "A hundredth, say.": "Each block alone takes a factor of ten to twenty away, and there are "
            "eleven blocks in between.",
            "Next to nothing, below a billionth.": "So it is: each block multiplies the gradient by a small "
            "number, and eleven such factors leave nothing to learn from.",
        },
        right="c",
    ),
    "depth": Prediction(
        "Stacks of 2, 6 and 12 blocks learn for a short while. Which part can least be left out?",
        {
            "The residual path.": "So it is: without it no depth learns anything in this time, with norms "
            "or without.",
            "The norms.": "They help, and more so the deeper the stack is. But without the path even two "
            "blocks stay where they began.",
            "Neither, as long as the stack has two blocks only.": "Two blocks are four sublayers in a row. "
            "Without a path around them, even these don't learn in so short a time.",
        },
        right="a",
    ),
    "first_loss": Prediction(
        "A model whose weights torch has drawn in its usual way, before any training: how large is its loss?",
        {
            "Near ln V, that of a guess.": "That takes scores that hardly differ. torch draws a table's "
            "numbers with a standard deviation of 1, and as scores these are far from alike.",
            "Below ln V: random weights know a little.": "Random weights know nothing of this text, and "
            "nobody who knows nothing does better than a guess.",
            "Far above ln V.": "So it is: large random scores make the model sure of itself, and it is "
            "nearly always wrong.",
        },
        right="c",
    ),
}
