"""What students predict about fine-tuning before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "praise": Prediction(
        "Nobody has told the language model which words praise. What share of the probability "
        "goes to words of praise after *luckily, the plot is*, and after *sadly, the plot is*?",
        {
            "About half after both.": "A model that had learned word order alone would do so."
            " This one has learned which words keep company.",
            "A lot after the first, little after the second.": "It knows words by "
            "the company they keep, and that takes no labels.",
            "Little after both: praise is rare.": "In these reviews praise and blame are about as frequent.",
        },
        right="b",
    ),
    "strict": Prediction(
        "The pretrained weights, whose names lack the prefix, are loaded with "
        "`strict=False`. How many tensors of the body are moved?",
        {
            "All: the names end alike.": "Names have to be equal, not alike. Without the "
            "prefix none of them is.",
            "Those of the blocks.": "They lack the prefix, too. Nothing fits, and "
            "`strict=False` says nothing about it.",
            "None, and there is no error.": "`strict=False` means that what doesn't"
            " fit is left out, and here that is everything.",
        },
        right="c",
    ),
    "one_pair": Prediction(
        "The pretrained model is ahead after each of 15 epochs, in one run of each. What does that show?",
        {
            "That pretraining is better: it was ahead 15 times.": "The 15 epochs of a run share its seed "
            "and its labels. They are one draw, not 15.",
            "That these two trained models differ.": "Whether pretraining or chance made the difference "
            "takes several seeds to tell.",
            "Nothing at all.": "It does show that these two models differ, as far as so many test "
            "reviews can tell.",
        },
        right="b",
    ),
    "forgets": Prediction(
        "The whole body is fine-tuned on labels. What happens to its loss as a language model?",
        {
            "It rises considerably.": "Training no longer rewards the next word, so the "
            "body loses some of what it knew.",
            "It stays: the body still knows the language.": "With the head alone it does, to "
            "the last digit. Here the body itself moves.",
            "It falls further: the model keeps learning.": "It learns a different "
            "task, and loses some of the first.",
        },
        right="a",
    ),
    "adapters": Prediction(
        "Adapters of rank 4 beside every map of the blocks, 4 % of all numbers, are trained on 200 labels. "
        "How accurate will they be?",
        {
            "Between the head alone and full fine-tuning.": "That would be a natural guess. But training "
            "more numbers doesn't make a model more accurate on new reviews.",
            "Not below full fine-tuning.": "With 200 labels there is little to learn, and a "
            "change of low rank is enough for it.",
            "Like the head alone: so few numbers can learn little.": "They are in every block, though, and "
            "change what the body computes. The head alone can't.",
        },
        right="b",
    ),
}
