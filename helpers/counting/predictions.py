"""What students predict about sizes and costs before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "larger": Prediction(
        "Two models differ only in the head: a classifier has 2 classes, a language model "
        "100 words. Which has more parameters?",
        {
            "The classifier: it solves the harder task.": "The task doesn't enter the count."
            " A head costs the same for each of its outputs.",
            "The language model.": "Right: its head has 100 outputs, the other's has 2,"
            " and each costs width + 1 parameters.",
            "Neither: the blocks are the same.": "The blocks are, but the heads differ by 98 outputs.",
        },
        right="b",
    ),
    "meets": Prediction(
        "The second count's formula gives the right total for the lab's model, which has two "
        "heads. What about models with other numbers of heads?",
        {
            "It is right for all of them.": "Its formula multiplies by the number of heads "
            "where there are two matrices. Two heads hide that.",
            "It is right for more heads, not for one.": "The two lines cross once, at two "
            "heads, and part on both sides.",
            "It is right at two heads, and nowhere else.": "Right: two wrong factors "
            "happened to be right for this one model.",
        },
        right="c",
    ),
    "home": Prediction(
        "Eight P100s trained the paper's base model in 12 hours. How long does one GTX 1050 Ti take, if it "
        "is as well utilised as they were?",
        {
            "About a day.": "It has less than a quarter of one P100's speed, and there were eight.",
            "Two to three weeks.": "Right: half a day, times eight, times more than four.",
            "About a year.": "The run took 12 hours, which is short: times eight GPUs, times "
            "4.4 for the slower one.",
        },
        right="b",
    ),
}
