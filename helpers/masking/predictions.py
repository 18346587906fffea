"""What students predict about masks before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "one_pass": Prediction(
        "A layer of attention reads a sentence once. Then it reads each of its prefixes by itself. With "
        "which mask does the one pass give the same outputs?",
        {
            "With the causal mask alone.": "Right: then no output depends on what comes later, so cutting "
            "that off changes nothing.",
            "With any mask or none: the words are the same.": "Without a mask a position also looks at later "
            "words, and a prefix doesn't have them.",
            "With none: there is always a difference.": "With the causal mask there is nothing but rounding.",
        },
        right="a",
    ),
    "leak": Prediction(
        "A model without the mask learns to predict the next word. No honest loss can be lower than 1.19 "
        "nats. What is its loss on new texts, first in one pass, then in use?",
        {
            "A little under 1.19 in both.": "In one pass it falls far below, since it copies "
            "the answer. In use there is nothing to copy.",
            "Far below 1.19 in one pass, and worse than guessing in use.": "Right: it has learned to copy "
            "what stands one place further on, and in use nothing stands there.",
            "1.19 in one pass, more in use.": "In one pass it sees the very word it should predict, so "
            "nothing keeps it at 1.19.",
        },
        right="b",
    ),
    "kept": Prediction(
        "Words are written one by one. The keys and values of earlier words are either kept or computed "
        "again. How do the outputs differ?",
        {
            "A little: what is kept gets stale.": "Under a causal mask an old word never learns of a new "
            "one, so computing again gives what was kept.",
            "Not at all, up to rounding.": "Right: keys and values of earlier words don't depend on later "
            "ones, so keeping them changes nothing.",
            "They drift apart, the longer the text is.": "Nothing adds up: each step uses the"
            " same keys and values as a full pass.",
        },
        right="b",
    ),
}
