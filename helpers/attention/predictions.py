"""What students of attention predict before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "watched": Prediction(
        "It has read *the plot that fills the book*. To choose between *is* and *are*, what will one of its "
        "heads look at most?",
        {
            "At “book”, the last word.": "A hasty writer goes by the nearest noun. But then “the jokes that "
            "fill the book is” would be right.",
            "At “plot”, four words before it.": "The subject decides, wherever it is, and the model has "
            "learned that only by reading.",
            "At all words about equally.": "A model that has learned nothing does that. But one of these "
            "words decides, and the others would only dilute it.",
        },
        right="b",
    ),
    "temperature": Prediction(
        "The same four scores are divided by 0.5, by 1 and by 4 before the softmax. What happens to the "
        "weights as the number grows?",
        {
            "They come closer to each other.": "Divided by 4, the gaps between scores shrink, and the "
            "weights depend only on these gaps.",
            "The largest takes more and more.": "A number below 1 does that: it widens the gaps between "
            "scores. A large one shrinks them.",
            "Nothing: their order is the same.": "The order stays the same, but the weights depend on how "
            "far apart the scores are.",
        },
        right="a",
    ),
    "hidden_key": Prediction(
        "The query E may not look at the key E, its best match. Where does that key's weight go?",
        {
            "Nowhere: that row sums to less than 1.": "The softmax divides by what is left, so each row "
            "still sums to 1: the weight has to go somewhere.",
            "To all seven others in equal parts.": "The others all grow by the same factor: large weights "
            "gain much, and what was next to nothing stays next to nothing.",
            "Mostly to its neighbours NE and SE.": "The others all grow by the same factor, and the "
            "two neighbours had the most.",
        },
        right="c",
    ),
    "size": Prediction(
        "Such dot products have mean 0, so their typical size is their standard deviation. How much larger "
        "does it get when $d_k$ grows from 64 to 1024?",
        {
            "About 4 times.": "There are 16 times as many terms, and so the variance is 16 times as large. "
            "The standard deviation is its root.",
            "About 16 times, like the number of terms.": "The terms would have to agree in sign. They are as "
            "often negative as positive, so much of the sum cancels.",
            "Hardly at all, as positive and negative terms cancel.": "Much of the sum cancels, but not all. "
            "What is left grows with the number of terms, though more slowly.",
        },
        right="a",
    ),
    "gradient": Prediction(
        "Queries and keys are random, with $d_k$ = 1024, and scores aren't scaled. The mean of your gradient "
        "norms is a few hundredths. How many of the queries get less than a thousandth?",
        {
            "Hardly any: each gets about the mean.": "The mean is misleading. A few queries, whose two best "
            "keys nearly tie, get a lot, and lift it far above what most get.",
            "More than half.": "For most queries one weight is nearly 1, and next to no gradient is left. "
            "The few whose two best keys nearly tie lift the mean.",
            "All but one or two.": "The two best of 16 random keys nearly tie more often than that, and "
            "then a gradient is left.",
        },
        right="b",
    ),
    "order": Prediction(
        "The three words *dog bites man* go through self-attention, then *man bites dog*. What happens to "
        "the output for *bites*?",
        {
            "It differs: who bites whom has changed.": "For a human reader it has. But a weighted average "
            "doesn't depend on the order of its values.",
            "It is the same.": "The same query looks up the same words, and an average doesn't depend on "
            "the order of its terms.",
            "It has the same numbers in a different order.": "The rows of the output change places with the "
            "words. Within the row of *bites* nothing moves.",
        },
        right="b",
    ),
}
