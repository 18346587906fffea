"""What students predict about multi-head attention before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "one_head": Prediction(
        "Your module learns to pass on two independent random numbers, one from each neighbour. Where does "
        "the mean squared error of one head end up, if it is as wide as two?",
        {
            "Near 0.25: it passes on half of each.": "Half of each is their mean. It misses each number by "
            "half of their difference, and that costs 0.5 as well.",
            "Near 1: it passes on neither.": "It does better than that: one average can carry "
            "one of the two numbers, and that halves the error.",
            "Near 0.5: it passes on one of the two.": "Of two independent numbers with variance 1, one "
            "average can carry one.",
        },
        right="c",
    ),
    "round_trip": Prediction(
        "The wrong pair splits with `view` and merges with `reshape`. In between, each head has numbers "
        "that it shouldn't have. Does x come back?",
        {
            "Yes, exactly.": "Neither function moves a number in memory, so the second undoes what the "
            "first did, right or wrong.",
            "Only if there are as many heads as positions.": "Sizes don't matter here: neither function "
            "moves a number, whatever the shapes are.",
            "No: the numbers end up in other places.": "They are read in memory order both times, so each "
            "ends up where it was.",
        },
        right="a",
    ),
    "price": Prediction(
        "By your count, the multiplications stay the same when the number of heads grows from 1 to 16. What "
        "happens to the time?",
        {
            "It stays the same, too.": "The matrix products do take as long. But the softmax works on 16 "
            "maps in place of one, and these have to be written and read.",
            "It grows, but far less than 16-fold.": "The softmax has 16 maps to work on instead of one, but "
            "the matrix products still take most of the time.",
            "It grows about 16-fold, like the number of weights.": "Only the work on the maps grows like "
            "that. Most of the time goes into matrix products, which stay the same.",
        },
        right="b",
    ),
    "pairs": Prediction(
        "The reader has two questions, *who* and *whom*, and four heads. Only two of them are left on. Does "
        "the best pair answer as well as all four?",
        {
            "Yes: one head for each question is enough.": "That pair answers most of both questions. But the "
            "four have learned to share the work, and the other two are missed.",
            "No, but it answers most of both questions.": "It has a head for each question, and lacks the "
            "help of the other two.",
            "No: it can answer only one of the two.": "A pair that has one head for each question gets most "
            "of both right.",
        },
        right="b",
    ),
}
