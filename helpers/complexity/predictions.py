"""What students predict about what attention costs before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "doubled": Prediction(
        "A sequence of 64 positions becomes twice as long, and so does one of 2,048. How much longer does "
        "each take?",
        {
            "Both take twice as long.": "That is right for the short one. In the long one most of the "
            "time goes into the table of weights, which has four times as many entries.",
            "The short one about twice, the long one about four times.": "The projections take twice as "
            "long, the table of weights four times, and the length decides which of them counts.",
            "Both take four times as long.": "That is right for the long one. In the short one the "
            "projections take most of the time, and they only double.",
        },
        right="b",
    ),
    "clock": Prediction(
        "By the count of operations, the recurrent layer is cheaper as soon as n is larger than d = 64. When "
        "does it win by the clock?",
        {
            "From about 64 on, as counted.": "The count leaves out waiting: the "
            "recurrent layer makes n small products, one after another.",
            "Earlier: it needs no table of weights.": "The table comes from one large product, and "
            "processors are best at those.",
            "Only far beyond 64, if at all.": "Attention hands the processor one large product, the "
            "recurrent layer n small ones that wait for each other.",
        },
        right="c",
    ),
}
