"""What students of attention predict before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "watched": Prediction(
        "It has read *the plot that fills the book*. What will one of its heads look at most, to choose "
        "between *is* and *are*?",
        {
            "At “book”, the last word.": "The nearest noun is what a hasty writer would go by, and then "
            "“the jokes that fill the book is” would be right.",
            "At “plot”, five words back.": "So it is: what decides is the subject, wherever it stands, and "
            "it has found that out from reading alone.",
            "At all words about equally.": "A model that has learned nothing yet looks like that. But one of "
            "these words decides, and the others would only dilute it.",
        },
        right="b",
    ),
    "temperature": Prediction(
        "The same four scores, divided by 0.5, by 1 and by 4 before the softmax. What becomes of the weights "
        "as the number grows?",
        {
            "They come closer to each other.": "So it is: divided by 4, the gaps between scores shrink, and "
            "the softmax sees nothing but gaps.",
            "The largest takes more and more.": "That is what a number below 1 does: it makes the gaps "
            "between scores wider. A large one shrinks them.",
            "Nothing: their order is the same.": "Their order is, but the softmax looks at how far apart "
            "scores are, not only at which is larger.",
        },
        right="a",
    ),
    "hidden_key": Prediction(
        "The query E may not look at the key E, its best match. Where does the weight go that E had?",
        {
            "Nowhere: that row sums to less than 1.": "The softmax divides by what is left, so each row "
            "still sums to 1: the weight has to go somewhere.",
            "To all seven others in equal parts.": "Each of the others grows by the same factor, so what "
            "had much gets much and what had next to nothing keeps next to nothing.",
            "Mostly to its neighbours NE and SE.": "So it is: the others all grow by the same factor, and "
            "the two neighbours had the most.",
        },
        right="c",
    ),
    "gradient": Prediction(
        "Queries and keys are random, and scores aren't scaled. What becomes of the gradient that the "
        "softmax lets through as $d_k$ grows from 1 to 1024?",
        {
            "It grows without end, with the scores.": "The scores do grow, but the gradient goes through "
            "w(1 − w), and that falls as the largest weight nears 1.",
            "It falls nearly to 0, after a rise.": "So it is: a little size helps, but at 1024 most "
            "softmaxes have decided, and nothing that is decided learns.",
            "It stays: a softmax's output lies between 0 and 1.": "Its output does, but how much that "
            "output still moves is another matter: at a weight of 1 it hardly moves at all.",
        },
        right="b",
    ),
    "order": Prediction(
        "The three words *dog bites man* go through self-attention, then *man bites dog*. What becomes "
        "of the output for *bites*?",
        {
            "It differs: who bites whom has changed.": "To a reader it has. But a weighted average doesn't "
            "know where its values stood, so the layer can't tell.",
            "It is the same.": "So it is: the same words are looked up by the same query, and an average "
            "doesn't know the order of what it averages.",
            "It has the same numbers in another order.": "The rows of the output change places with the "
            "words. Within the row of *bites* nothing moves.",
        },
        right="b",
    ),
}
