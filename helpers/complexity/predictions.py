"""What students predict about what attention costs before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "clock": Prediction(
        "By the count of operations, the recurrent layer is cheaper as soon as n is larger than d = 64. When "
        "does it win by the clock?",
        {
            "From about 64 on, as counted.": "The count knows nothing of waiting: the "
            "recurrent layer makes n small products, one after the other.",
            "Earlier: it needs no table of weights.": "The table is one large product, and processors are "
            "best at those.",
            "Much later, or not at all.": "Right: attention hands the processor one large product, the "
            "recurrent layer n small ones that wait for each other.",
        },
        right="c",
    ),
    "blocks": Prediction(
        "Attention in blocks never holds the whole table of weights. What now grows more slowly with n?",
        {
            "The memory, and not the operations.": "Right: the operations and the outputs stay the same. "
            "Only what has to be held at once gets smaller.",
            "The operations, and not the memory.": "Every score is still computed once. Only the table that "
            "they form isn't kept.",
            "Both.": "Every query still meets every key, so the operations stay quadratic.",
        },
        right="a",
    ),
    "cheaper": Prediction(
        "Attention with its projections and a plain recurrent layer have the same width, d = 1024. Up to "
        "which length does attention take fewer FLOPs?",
        {
            "Up to n = 1024, where n equals d.": "So says the table of orders, which leaves the projections "
            "out. With them, attention starts at a disadvantage.",
            "Up to about n = 2500.": "That would be against a layer with more matrices, such as an LSTM. A "
            "plain one has only two.",
            "It never does.": "Right: its projections alone cost more than the recurrent layer's two "
            "matrices.",
        },
        right="c",
    ),
}
