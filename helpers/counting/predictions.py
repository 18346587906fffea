"""What students predict about sizes and costs before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "meets": Prediction(
        "The count with the slip gives the right total for the lab's model, which has two heads. What does "
        "it give for the same model with ten?",
        {
            "A few per cent too much, since only small parts are counted wrong.": "The feed-forward network "
            "is a third of each layer, and it is counted five times.",
            "Five times the right total, as ten is of two.": "Feed-forward and norms are counted five times. "
            "Attention, embedding and head are counted right.",
            "More than twice the right total.": "In each layer, ten feed-forward matrices are counted "
            "in place of two.",
        },
        right="c",
    ),
    "home": Prediction(
        "Eight P100s trained the paper's base model in 12 hours. How long does one GTX 1050 Ti take, if it "
        "is as well utilised as they were?",
        {
            "About a day.": "It has less than a quarter of one P100's speed, and there were eight.",
            "Two to three weeks.": "Half a day, times eight, times more than four.",
            "About a year.": "The run took only 12 hours. Times eight GPUs, times 4.4 for the slower one, "
            "that is eighteen days.",
        },
        right="b",
    ),
}
