"""What students predict about fine-tuning before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "praise": Prediction(
        "Nobody has told the language model which words praise. Which share of the probability "
        "goes to words of praise after *luckily, the plot is*, and after *sadly, the plot is*?",
        {
            "About half after both.": "A model that had learned word order alone would do so."
            " This one has noticed which words keep company.",
            "A lot after the first, little after the second.": "Words are known by "
            "the company they keep, and nobody had to give a label.",
            "Little after both: praise is rare.": "In these reviews praise and blame are about as frequent.",
        },
        right="b",
    ),
    "strict": Prediction(
        "The pretrained weights are loaded under names that lack the prefix, with "
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
    "forgets": Prediction(
        "All of the body is fine-tuned on labels. What becomes of its loss as a language model?",
        {
            "It rises a good deal.": "Nobody asks for the next word any more, and "
            "what isn't asked for is given up.",
            "It stays: the body still knows the language.": "With the head alone it does, to "
            "the last digit. Here the body itself moves.",
            "It falls further: the model goes on learning.": "It learns to answer another "
            "question, and pays with the first.",
        },
        right="a",
    ),
    "adapters": Prediction(
        "Adapters of rank 4 beside every map of the blocks, 4 % of all numbers, are trained on 200 labels. "
        "Where will their accuracy lie?",
        {
            "Between the head alone and full fine-tuning.": "That is what one expects of something in "
            "between. But accuracy on new reviews isn't a question of how much may change.",
            "Not below full fine-tuning.": "With 200 labels there is little to learn, and a "
            "change of low rank is enough to hold it.",
            "At the head alone: so few numbers hold nothing.": "They sit in every block, though, where they "
            "change what the body looks at. The head alone can't.",
        },
        right="b",
    ),
}
