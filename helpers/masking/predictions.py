"""What students predict about masks before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "nan": Prediction(
        "The outputs of the padding are NaN, and the loss adds up the outputs of the two words alone. What "
        "is the gradient of v?",
        {
            "Right for the two words, and 0 for the padding.": "The loss uses good rows alone. But the way "
            "back multiplies the weights of all rows, and 0 · NaN is NaN.",
            "NaN for the padding, and right for the two words.": "The values of the two words are in the "
            "sums of the bad rows too, whose weights are NaN.",
            "NaN everywhere.": "Each value is in the sums of the bad rows too. They get a gradient of 0, "
            "and 0 times their weight, NaN, is NaN.",
        },
        right="c",
    ),
    "suspects": Prediction(
        "All four set the weights of the future to 0. Which of them leak all the same?",
        {
            "None: what has weight 0 has no effect.": "The future can get in elsewhere: into a denominator, "
            "or into the vectors before attention sees them.",
            "B alone.": "B does leak, through its denominators. But look at what C's denominators sum over, "
            "and at what D does before its attention.",
            "B and C.": "Both leak through their denominators. D's attention is perfect, but its words were "
            "normalised with a mean over the whole sentence.",
            "B, C and D.": "Each lets the future in where its weights don't show it.",
        },
        right="d",
    ),
    "one_pass": Prediction(
        "With the mask, one pass and T passes give the same outputs. Now every output has to match a target, "
        "and the losses are added up. How do the gradients at the input compare?",
        {
            "They are the same, up to rounding.": "The two losses are the same function of the input, so "
            "their gradients are the same as well.",
            "Early words get more from T passes, which read them more often.": "They do read them more "
            "often. But in one pass, too, an early word gets a gradient from each later output.",
            "One pass gives less: each word is read only once.": "It is read once, but all later outputs "
            "look at it, and each of their losses sends a gradient back.",
        },
        right="a",
    ),
    "leak": Prediction(
        "A model without the mask learns to predict the next word. Without seeing the future, no model can "
        "get below 1.19 nats. What is its loss on new texts, first in one pass, then in use?",
        {
            "A little under 1.19 in both.": "In one pass it falls far below, since it copies "
            "the answer. In use there is nothing to copy.",
            "Far below 1.19 in one pass, and worse than guessing in use.": "It has learned to copy the word "
            "one position later, and in use there is none.",
            "1.19 in one pass, more in use.": "In one pass it sees the very word it should predict, so "
            "nothing keeps it at 1.19.",
        },
        right="b",
    ),
    "kept": Prediction(
        "A text is written word by word, either with a cache or by reading the whole prefix each time. How "
        "much of the time does the cache save?",
        {
            "The same share, however long the text is.": "Without a cache the work grows like the cube of "
            "the length, with a cache like its square. So the share grows.",
            "A little at 16 words, most of it at 256.": "Each word of a long text is computed again for each "
            "word after it, unless it is kept.",
            "Most of it at 16 words, a little at 256: the cache gets long.": "A longer cache takes longer to "
            "read. But the prefix gets longer too, and all of it is computed again.",
        },
        right="b",
    ),
    "weak_bias": Prediction(
        "The bias is added inside the fraction, and $d_k$ = 256. How much more weight does the nearest key "
        "get than the farthest, eleven words away?",
        {
            "About 60,000 times as much.": "That is e to the 11, which the same bias gives outside the "
            "fraction. Inside, it is divided by 16 first.",
            "About twice as much.": "The 11 is divided by √256 = 16, and e to the 11/16 is 2.",
            "Exactly as much: the bias cancels.": "Only what is added to all keys alike cancels. This bias "
            "is smaller than it should be, but it still differs from key to key.",
        },
        right="b",
    ),
}
