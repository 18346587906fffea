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
            "Only far beyond 64, if at all.": "Attention hands the processor two large products, the "
            "recurrent layer n small ones that wait for each other.",
        },
        right="c",
    ),
    "cache": Prediction(
        "Let each of Llama 2 70B's 64 heads keep keys and values of its own. How much does the cache of one "
        "text of 100,000 positions take, in numbers of 2 bytes?",
        {
            "262 GB, more than three GPUs of 80 GB have.": "That is 2 · 80 · 64 · 128 · 100,000 numbers "
            "of 2 bytes each.",
            "33 GB, less than half of what a GPU of 80 GB has.": "That is what 8 heads of keys and values "
            "take. 64 take 8 times as much.",
            "3 GB, which fits into a laptop.": "That is about one layer's share, and each of the 80 layers "
            "has keys and values of its own.",
        },
        right="a",
    ),
}
