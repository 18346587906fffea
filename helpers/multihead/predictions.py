"""What students predict about multi-head attention before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "one_head": Prediction(
        "Your module learns to hand on two independent random numbers at once, one from each side. Where "
        "does the error of a single head end up, if it is as wide as two?",
        {
            "It goes to 0 as well, only later.": "Width doesn't help. One head makes one average, and one "
            "average can't hold two independent numbers.",
            "Near 1: it hands on neither.": "It does better than that: one average can carry "
            "one of the two numbers, and that halves the error.",
            "Near 0.5: it hands on one of the two.": "Right: of two independent numbers with variance 1, one "
            "average can carry one.",
        },
        right="c",
    ),
    "price": Prediction(
        "The width stays, and the number of heads grows from 1 to 16. What happens to the cost of the matrix "
        "products?",
        {
            "It stays the same.": "Right: the heads share the channels, so with twice as many heads each "
            "product is half as large.",
            "Each head adds to it.": "There are more products, but each is smaller: with H heads, a head has "
            "1/H of the channels.",
            "It falls: small products are cheaper.": "Each is cheaper, but there are more of them, and the "
            "two cancel exactly.",
        },
        right="a",
    ),
    "pairs": Prediction(
        "The reader has two questions, *who* and *whom*, and four heads. Only two of them are "
        "left on. How does the best pair do?",
        {
            "As well as all four: there are two questions.": "It gets most answers right, "
            "but the four have learned to share the work, and the other two are missed.",
            "Worse than all four, and better than any other pair.": "Right: it has a head for each question, "
            "but lacks the help of the other two.",
            "No better than a coin.": "Two heads that each answer one question get most of both.",
        },
        right="b",
    ),
}
