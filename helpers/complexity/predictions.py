"""What students predict about what attention costs before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "clock": Prediction(
        "By the count of operations, the recurrent layer is the cheaper one as soon as n is "
        "larger than d = 64. When does it win by the clock?",
        {
            "From about 64 on, as counted.": "The count knows nothing of waiting: the "
            "recurrent layer makes n small products, one after the other.",
            "Earlier: it needs no table of weights.": "The table is one large product, and "
            "that is what a processor does best.",
            "Much later, or not at all.": "So it is: attention hands the processor one large "
            "product, the recurrent layer n small ones that wait for each other.",
        },
        right="c",
    ),
    "blocks": Prediction(
        "Attention in blocks never holds the whole table of weights. What grows more slowly "
        "with n than before?",
        {
            "The memory, and not the operations.": "So it is: the outputs, and the "
            "operations, are the same. Only what has to be held at once gets smaller.",
            "The operations, and not the memory.": "Every score is still computed once. What "
            "isn't kept is the table that they form.",
            "Both.": "Every query still meets every key, so the operations stay quadratic.",
        },
        right="a",
    ),
    "cheaper": Prediction(
        "Attention with its projections against a plain recurrent layer of the same width, d = "
        "1024, in FLOPs. Up to which length is attention the cheaper one?",
        {
            "Up to n = 1024, where n equals d.": "That is the table of orders, which leaves "
            "the projections out. With them attention starts at a disadvantage.",
            "Up to about n = 2500.": "That is the length against a layer with more matrices, "
            "such as an LSTM. A plain one has only two.",
            "It never is.": "So it is: its projections alone already cost more than the "
            "recurrent layer's two matrices.",
        },
        right="c",
    ),
}
