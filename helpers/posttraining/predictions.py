"""What students predict about post-training before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "rows": Prediction(
        "Sixteen rows are added to the embedding of your trained model: the mean of the old rows, zeros, or "
        "small random numbers. Nothing is trained yet. None of the new tokens occurs in reviews. How does "
        "the loss on them change?",
        {
            "It can't change: no text has these tokens.": "The softmax is over all tokens, so each new logit "
            "takes a share, however small.",
            "It rises a lot with zeros: their logit is 0 everywhere.": "It would if the other logits were "
            "far below 0. Here those of likely words are far above it.",
            "By less than 0.001 in each case.": "The likely words' logits are so large that sixteen small "
            "ones don't count. That isn't so for every model.",
        },
        right="c",
    ),
    "price": Prediction(
        "Before the fine-tuning, the loss on reviews *without* a request was a few hundredths of a nat per "
        "token above the grammar's. Half of the demonstrations are reviews, in answer to a request. How does "
        "this distance change?",
        {
            "It shrinks: the model has read 2,000 more reviews.": "It has read them after a request, and "
            "that is where it learned from them.",
            "It stays: reviews are what it knows best.": "The same weights now do something else, and "
            "nothing in the loss holds them.",
            "It grows about tenfold.": "Nothing in the new loss rewards what isn't asked for.",
        },
        right="c",
    ),
    "chosen": Prediction(
        "DPO learns from pairs of a right and a wrong answer. How do the log-probabilities of both move?",
        {
            "The right ones rise as far as the wrong ones fall.": "The loss sees only the difference, and "
            "doesn't say which side has to move.",
            "The right ones rise a little, the wrong ones fall far.": "It is easier to make an answer less "
            "likely than likelier.",
            "The right ones rise far, the wrong ones hardly fall.": "A right answer can't become much "
            "likelier: there are many others.",
        },
        right="b",
    ),
    "closer": Prediction(
        "After training on the parser's reward, far more requests are fulfilled. The reward is "
        "exact. How has the distance to the grammar's right answers changed, KL(grammar ‖ model)?",
        {
            "It has shrunk: the answers are right more often.": "A model that is right more often need not "
            "give each right answer as often as the grammar does.",
            "It has hardly changed.": "A policy that was pushed for 120 steps has moved somewhere.",
            "It has grown several times.": "Some right answers are safer than others. Look "
            "at the answers' lengths.",
        },
        right="c",
    ),
    "gamed": Prediction(
        "A policy is paid for words of praise, an eighth for each, up to eight. What do its answers look "
        "like after 120 steps?",
        {
            "Favourable reviews, well formed, whatever was asked.": "Nothing in the reward asks for a "
            "review, or for sentences. What isn't paid for isn't kept.",
            "Reviews with eight words of praise, no more.": "More don't pay, but they don't cost anything "
            "either.",
            "Praise upon praise without an end, and no reviews.": "Neither sentences nor an end are paid "
            "for.",
        },
        right="c",
    ),
    "often": Prediction(
        "Which is more often right: one of sixteen answers of the fine-tuned model, or one answer of the "
        "model after the training on rewards?",
        {
            "One of sixteen of the fine-tuned model.": "One answer is seldom right, but sixteen tries are "
            "many.",
            "One answer after the rewards.": "It is right far more often than one answer of the other "
            "model. But sixteen tries make up for more than that.",
            "They are about equal.": "Say one try in six is right. Were the tries independent, all "
            "sixteen would fail with a chance of 5/6 to the sixteenth power, 5 %.",
        },
        right="a",
    ),
}
