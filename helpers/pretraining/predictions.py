"""What students predict about pretraining before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "untrained": Prediction(
        "What is the loss of an untrained model with small random weights?",
        {
            "0: it has made no mistake yet.": "The loss is the surprise at what comes next, and "
            "a model that knows nothing is surprised every time.",
            "ln V: that of a guess among all words.": "Small weights give all words"
            " nearly the same score, so each gets 1/V.",
            "Far above ln V.": "That happens with large first weights: the model is then sure"
            " of itself, and wrong.",
        },
        right="b",
    ),
    "bias": Prediction(
        "Without the bias correction, with β₁ = 0.9 and β₂ = 0.999: how long is the first step, compared "
        "with the corrected one?",
        {
            "A tenth as long: the mean is a tenth of the gradient.": "The mean is, but it is divided "
            "by the root of the squares' mean, which is too small as well, and by more.",
            "As long: that cancels.": "They are too small by different factors: "
            "a tenth, and the root of a thousandth.",
            "Three times as long.": "The mean is too small by 0.1, the root by √0.001 = 0.03.",
        },
        right="c",
    ),
    "limit": Prediction(
        "The model trains for a minute or two, on new texts only. Where does its loss on held-out texts end, "
        "compared with the entropy?",
        {
            "A few per cent above it.": "The rest is what the model hasn't learned. No model gets "
            "below the entropy, on average.",
            "Below it, since the model has seen so much.": "The entropy is the part that is left to chance. "
            "Only a model that sees the answer gets below it.",
            "About twice as high.": "That is where the pair table ends. A minute of training "
            "goes much further.",
        },
        right="a",
    ),
    "settings": Prediction(
        "The model writes reviews in several ways. Which setting gives the fewest sentences"
        " that the grammar could have written?",
        {
            "Greedy: it always takes the likeliest word.": "Greedy text is nearly flawless, "
            "and says the same thing again and again.",
            "Cut to the nucleus.": "Cutting off the unlikely words removes most slips.",
            "Temperature 1.3.": "A temperature above 1 lifts the unlikely words, "
            "and one wrong word spoils a sentence.",
        },
        right="c",
    ),
    "merges": Prediction(
        "A word of new reviews has four letters, on average. How many tokens does it have after 30, 100 and "
        "300 merges?",
        {
            "Each merge saves as many tokens as the one before it.": "The first merges are those of the "
            "most frequent pairs, and each later pair is rarer than those before it.",
            "Far fewer after the first merges, then a little fewer with each.": "What is "
            "frequent is merged first, and what comes later occurs seldom.",
            "Hardly fewer until most whole words are tokens.": "Pieces of words help at once: a merge "
            "that occurs in many words shortens each of them.",
        },
        right="b",
    ),
    "vocabulary": Prediction(
        "Shakespeare, with letters, and with 256 and 1,024 merges besides: the same model, the same steps. "
        "How many bits per character does it need in the end?",
        {
            "As many: bits per character don't depend on the tokens.": "With longer tokens the same "
            "model looks further back, and reads more text in as many steps.",
            "Fewer with merges.": "The same 64 positions hold more text, and as many steps read more of it.",
            "More with merges: there are more tokens to guess among.": "Per token that is so. But each token "
            "stands for more characters, and that outweighs it.",
        },
        right="b",
    ),
    "valley": Prediction(
        "For each budget of operations one size is best. With thirty times the operations, how much "
        "larger is the best model?",
        {
            "No larger: it reads thirty times as much.": "A model of that size can't learn much "
            "more from that much text, and its gap hardly shrinks any further.",
            "About six times as large.": "Size and tokens grow nearly alike, each by about "
            "the root of thirty.",
            "Thirty times as large.": "Then it would read no more tokens than the small one did, "
            "far too few for thirty times the weights.",
        },
        right="b",
    ),
}
