"""What students predict about BERT before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "sides": Prediction(
        "A language model and a BERT of the same size fill in one hidden word. For which words "
        "does reading on both sides help most?",
        {
            "For all words about equally.": "Where the decisive words came before, the right"
            " side has nothing to add.",
            "For words that depend on what comes later.": "There the left side can only go"
            " by what is frequent.",
            "For words that were named before.": "A model that reads from the left knows those already.",
        },
        right="b",
    ),
    "from_scratch": Prediction(
        "Are two first sentences of the same genre? Trained on the same labelled pairs, where "
        "does a classifier from scratch end up?",
        {
            "At guessing, far behind the pretrained one.": "Two words far"
            " apart have to be compared, and labels alone didn't teach it to look.",
            "A few points behind the pretrained one.": "There are enough labels for that, in "
            "principle. But it never finds out where to look.",
            "Ahead: it has nothing to unlearn.": "It has nothing to unlearn, but also nothing to start "
            "from: it is still guessing at the end.",
        },
        right="a",
    ),
    "checkpoint": Prediction(
        "With 200 labelled sentences of film reviews, counting words gets somewhat less than 60 % of others "
        "right. How far does the fine-tuned checkpoint get?",
        {
            "About as far: these are the same 200 labels.": "The labels are the same. What the"
            " model knows of English isn't: it comes from a billion pairs of texts.",
            "To 70 % or more.": "It already knows what words mean, and the labels only have to say "
            "which reviews are favourable.",
            "Above 90 %: film reviews are easy.": "These are single sentences, often ironic, and the "
            "model is small.",
        },
        right="b",
    ),
    "sequential": Prediction(
        "The original Transformer reads ten words and writes ten. Which half needs one pass per word, and "
        "when?",
        {
            "Both, in training too.": "No position of the encoder waits for the one before: attention "
            "compares all of them in one product.",
            "The decoder, in training and when it writes.": "In training the right words are known, and the "
            "causal mask hides those that come later, so one pass is enough.",
            "The decoder, and only when it writes.": "A word that isn't written yet can't be read.",
        },
        right="c",
    ),
    "writes": Prediction(
        "BERT writes by several procedures, the language model from left to right. What share of "
        "BERT's sentences is grammatical, with its best procedure?",
        {
            "About the same as the language model's.": "Its words are likely one by one, but"
            " neighbours don't fit each other.",
            "A larger one: BERT looks at both sides.": "It looks at both sides of blanks, and it never saw "
            "a row of blanks in training.",
            "A far smaller one.": "Many good guesses, each made by itself, seldom make one sentence.",
        },
        right="c",
    ),
}
