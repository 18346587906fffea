"""What students predict about the steps since 2017 before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "worth": Prediction(
        "Eight changes lead from the block of 2017 to that of today. All models are small, have as many "
        "weights, and read as many tokens. Which change brings most?",
        {
            "Norm first.": "So it is, by far: with its norm last the paper's block stands only a tenth of "
            "the learning rate.",
            "The gate (SwiGLU).": "It gains less than the seeds differ: the interval of its gain contains 0.",
            "Rotary positions.": "It is the only other change that helps here, and gains about a sixth of "
            "what the norm does.",
            "Query-key norm.": "Scores don't grow large in so small a model, so there is little for it to "
            "hold down.",
        },
        right="a",
    ),
    "crowd": Prediction(
        "A router learns which of six experts reads which token. Nothing asks it to treat them alike. How "
        "are the "
        "tokens shared out after a short training?",
        {
            "One sixth each: there is no reason to prefer one.": "Chance prefers one at the start, and "
            "who gets "
            "more tokens learns more, and is chosen more.",
            "Unevenly: the busiest gets several times as much as the idlest.": "So it is: an expert that is "
            "chosen early learns early, and is chosen again.",
            "All to one expert.": "It can come to that in large models. Here the experts differ enough "
            "for the "
            "others to keep some tokens.",
        },
        right="b",
    ),
    "bits": Prediction(
        "Each weight of the trained model's maps is rounded, to 8 bits, then to 6, 5, 4, 3 and 2. From "
        "where on "
        "does the loss rise by more than a hundredth?",
        {
            "From 8 bits on: rounding every weight must cost something.": "It costs less than the loss "
            "shows: "
            "errors of many weights point in all directions, and mostly cancel.",
            "From 3 bits on.": "So it is: with us 4 bits cost less than a hundredth, 3 bits about a "
            "twentieth.",
            "Only at 2 bits.": "At 2 bits a weight is -1, 0 or 1 times its row's scale; the trouble begins "
            "before.",
        },
        right="b",
    ),
    "judged": Prediction(
        "A small model drafts a word, the large one judges it. In 4,000 trials, whose frequencies come out?",
        {
            "The small model's, since it drafts.": "It drafts, but what it drafts too often is turned down.",
            "Something in between.": "That would be so if what is turned down were drawn from the large "
            "model "
            "itself. It is drawn from what is still missing.",
            "The large model's, exactly.": "So it is, up to the chance of 4,000 draws: that is what the "
            "rule is "
            "made for.",
        },
        right="c",
    ),
}
