"""What students predict about multi-head attention before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "one_head": Prediction(
        "Your module learns to hand on two independent random numbers at once, one from each "
        "side. Where does the error of a single head stay, though it is as wide as two?",
        {
            "It goes to 0 as well, only later.": "Width isn't what it lacks. One head makes "
            "one average, and one average can't hold two independent numbers.",
            "Near 1: it hands on neither.": "It does better than that: one average can carry "
            "one of the two numbers, and that halves the error.",
            "Near 0.5: it hands on one of the two.": "So it is: of two independent numbers "
            "with variance 1, one average can carry one.",
        },
        right="c",
    ),
    "price": Prediction(
        "The width stays, and the number of heads grows from 1 to 16. What becomes of the matrix products?",
        {
            "Their cost stays the same.": "So it is: the heads share the channels out among "
            "themselves, and each product gets as many times smaller as there are more of them.",
            "Each head adds to it.": "There are more products, but each is smaller: with H "
            "heads a head has a share of 1/H of the channels.",
            "It falls: small products are cheaper.": "Each is cheaper, and there are more of "
            "them: the two make up for each other exactly.",
        },
        right="a",
    ),
    "pairs": Prediction(
        "The reader has two questions, *who* and *whom*, and four heads. Only two of them are "
        "left on. How does the best pair do?",
        {
            "As well as all four: there are two questions.": "It comes near, but the four "
            "have learned to share the work, and what was shared is missed.",
            "Worse than all four, and better than any other pair.": "So it is: it has a head "
            "for each question, and misses the help of the other two.",
            "No better than a coin.": "Two heads that each answer one question get most of both.",
        },
        right="b",
    ),
}
