"""What students predict about the steps since 2017 before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "worth": Prediction(
        "Nine changes, one after another, lead from the block of 2017 to that of today. The models are "
        "small, all but the last have about the same number of weights, and all read the same tokens. Which "
        "change helps most?",
        {
            "Norm first.": "By far. With its norms last, the paper's block bears only a much "
            "lower learning rate.",
            "The gate (SwiGLU).": "Its gain is smaller than the seeds differ: the interval contains 0.",
            "Rotary positions.": "This is the only other change that clearly helps here, and it gains "
            "far less than the norm does.",
            "Query-key norm.": "Its interval contains 0 as well. It was made to hold down large scores, "
            "which a small model may not have.",
        },
        right="a",
    ),
    "crowd": Prediction(
        "A router learns which two of six experts read which token. Nothing rewards an equal load. How "
        "are the tokens distributed after a short training?",
        {
            "One sixth each: there is no reason to prefer one.": "At the start chance favours one. It gets "
            "more tokens, learns more, and is chosen more.",
            "Unevenly: the busiest gets about twice as much as the idlest.": "An expert that is "
            "chosen early learns early, and is chosen again.",
            "All to one expert.": "It can come to that. In this short training the others kept some tokens.",
        },
        right="b",
    ),
    "bits": Prediction(
        "Each weight of the trained model's maps is rounded, to 8 bits, then to 6, 5, 4, 3 and 2. At how "
        "many bits is the loss first more than 0.02 nats higher?",
        {
            "At 8 bits: rounding every weight must cost something.": "It costs less than you can see: the "
            "errors of many weights point in all directions and mostly cancel.",
            "At 3 bits.": "At 4 bits most errors still cancel. At 3 bits a weight has only seven values "
            "left, and they no longer do.",
            "Only at 2 bits.": "At 2 bits a weight is -1, 0 or 1 times its row's scale, but the loss rises "
            "earlier.",
        },
        right="b",
    ),
    "recall": Prediction(
        "Keys and values have 16 channels, so the state has 16 × 16 numbers. How many random pairs can be "
        "stored, one after another, so that about half of the values are still found by their keys?",
        {
            "256: the state has that many numbers.": "One value alone is 16 numbers, and the keys overlap "
            "long before: most values get lost among the others.",
            "8: each pair takes two rows.": "No row belongs to a pair: each pair is added to the whole "
            "matrix, and as long as they are few, they hardly disturb each other.",
            "32: twice as many as the channels.": "More than 16 directions can't all be at right angles, "
            "so the pairs disturb each other, the more of them the worse.",
        },
        right="c",
    ),
}
