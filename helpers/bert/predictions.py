"""What students predict about BERT before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "sides": Prediction(
        "A language model and a BERT of the same size fill in one hidden word. For which words "
        "does reading on both sides help most?",
        {
            "For all words about alike.": "Where what decides has been said before, the right"
            " side has nothing to add.",
            "For words that what comes later decides.": "So it is: there one side can only go"
            " by what is frequent.",
            "For words that were named before.": "Those a model that reads from the left knows already.",
        },
        right="b",
    ),
    "from_scratch": Prediction(
        "Are two first sentences of the same genre? Trained on the same labelled pairs, how "
        "does the classifier that begins from scratch end?",
        {
            "At a guess, where the pretrained one ends near 100 %.": "So it is: two words far"
            " apart have to be compared, and labels alone didn't get it to look.",
            "A few points behind the pretrained one.": "There are labels enough for it, in "
            "principle. But it never finds out where to look.",
            "Ahead: it has nothing to unlearn.": "Nothing to unlearn, and nothing to begin "
            "with: it guesses to the end.",
        },
        right="a",
    ),
    "checkpoint": Prediction(
        "200 labelled sentences of film reviews. Counting words is right for 58 of 100 others. "
        "How far does the checkpoint come, fine-tuned?",
        {
            "About as far, 55 to 62: these are the same 200 labels.": "The labels are the same. What the"
            " model knows of English isn't: it comes from a billion pairs of texts.",
            "To 70 or more.": "So it is: it has learned what words mean, and the labels only have to say "
            "which side is the good one.",
            "Above 90: film reviews are easy.": "These are single sentences, often ironic. Nor is this a "
            "large model.",
        },
        right="b",
    ),
    "writes": Prediction(
        "BERT writes by several procedures, the language model from left to right. Which share "
        "of grammatical sentences does BERT's best procedure reach?",
        {
            "About the language model's.": "Its words are likely one by one. What doesn't fit"
            " is their neighbours.",
            "More: it looks at both sides.": "It looks at both sides of blanks, and a row of "
            "blanks is something that it never saw in training.",
            "Far less.": "So it is: no procedure makes of many good guesses one sentence.",
        },
        right="c",
    ),
}
