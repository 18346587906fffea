"""What students predict about the steps since 2017 before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "worth": Prediction(
        "Eight changes lead from the block of 2017 to that of today. All models are small, have as many "
        "weights, and read as many tokens. Which change helps most?",
        {
            "Norm first.": "By far: with its norm last, the paper's block tolerates only a tenth "
            "of the learning rate.",
            "The gate (SwiGLU).": "Its gain is smaller than the seeds differ: the interval contains 0.",
            "Rotary positions.": "It is the only other change that helps here, and gains about a sixth of "
            "what the norm does.",
            "Query-key norm.": "Scores don't grow large in so small a model, so there is little for it to "
            "hold down.",
        },
        right="a",
    ),
    "crowd": Prediction(
        "A router learns which of six experts reads which token. Nothing asks it to treat them alike. How "
        "are the tokens shared out after a short training?",
        {
            "One sixth each: there is no reason to prefer one.": "At the start chance prefers one. It gets "
            "more tokens, learns more, and is chosen more.",
            "Unevenly: the busiest gets more than twice as much as the idlest.": "An expert that is "
            "chosen early learns early, and is chosen again.",
            "All to one expert.": "It can come to that. In this short training the others kept some tokens.",
        },
        right="b",
    ),
    "bits": Prediction(
        "Each weight of the trained model's maps is rounded, to 8 bits, then to 6, 5, 4, 3 and 2. At how "
        "many bits does the loss first rise by more than two hundredths of a nat?",
        {
            "At 8 bits: rounding every weight must cost something.": "It costs less than you can see: the "
            "errors of many weights point in all directions and mostly cancel.",
            "At 3 bits.": "In our run 4 bits cost less than a hundredth, 3 bits about seven.",
            "Only at 2 bits.": "At 2 bits a weight is -1, 0 or 1 times its row's scale; the trouble begins "
            "earlier.",
        },
        right="b",
    ),
}
