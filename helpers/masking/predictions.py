"""What students predict about masks before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "one_pass": Prediction(
        "A layer of attention reads a sentence once. Then it reads every prefix of it by "
        "itself. With which mask does one pass give the same outputs?",
        {
            "With the causal mask alone.": "So it is: then no output depends on what comes "
            "later, so cutting that off changes nothing.",
            "With any mask or none: the words are the same.": "Without a mask a position also"
            " looks at later words, and a prefix hasn't got them.",
            "With none: rounding apart, both differ.": "With the causal mask the difference "
            "is rounding, and nothing else.",
        },
        right="a",
    ),
    "leak": Prediction(
        "A model without the mask learns to predict the next word. Nothing can be better than "
        "1.19 nats. What does it show on new texts, first in one pass, then in use?",
        {
            "A little under 1.19 in both.": "In one pass it falls far below, since it copies "
            "the answer. In use there is nothing to copy.",
            "Far below 1.19 in one pass, and worse than guessing in use.": "So it is: it has "
            "learned to copy what stands one place further, and in use nothing stands there.",
            "1.19 in one pass, more in use.": "It sees the very word it should predict: in "
            "one pass nothing keeps it at the entropy.",
        },
        right="b",
    ),
    "kept": Prediction(
        "Words are written one by one, with the keys and values of earlier ones kept or "
        "computed again. How do the outputs differ?",
        {
            "A little: what is kept gets stale.": "Under a causal mask an old word never "
            "learns of a new one, so what was kept is what would be computed.",
            "Not at all, up to rounding.": "So it is: keys and values of earlier words don't "
            "depend on later ones, so keeping them changes nothing.",
            "They drift apart, the longer the text is.": "Nothing adds up: each step uses the"
            " same keys and values as a full pass.",
        },
        right="b",
    ),
}
