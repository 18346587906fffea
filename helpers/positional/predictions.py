"""What students predict about positions before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "similar": Prediction(
        "In a table of sines and cosines, is the nearer of two positions always the more similar one?",
        {
            "Yes: similarity falls steadily with distance.": "It falls at first. But each "
            "pair of features comes round again, so the curve goes up and down further out.",
            "On the whole, but not always.": "So it is: the nearest are the most similar, and"
            " further out the curve goes up and down.",
            "No, distance says nothing.": "That is what random rows do. In this table near "
            "positions share most of their slow features.",
        },
        right="b",
    ),
    "one_matrix": Prediction(
        "One matrix moves every position of the sinusoidal table by 7 places. Can the best "
        "matrix do so for a table of random rows?",
        {
            "Yes, there are enough numbers in it.": "It has to work for all rows at once, and"
            " there are many more rows than it has columns.",
            "Roughly: it gets the larger part right.": "Nearly all of their size is left "
            "over: nothing ties one random row to the next.",
            "No: it gets next to nothing right.": "So it is: a row says nothing about the row"
            " 7 places on, unless they were made so.",
        },
        right="c",
    ),
    "longer": Prediction(
        "Six ways to tell positions, trained on texts of 16 tokens, are asked about 32 and 64. "
        "Which stays where it was?",
        {
            "Sines and cosines: they are defined everywhere.": "Defined they are, but the "
            "model never saw those rows, and falls as far as with no positions at all.",
            "Rotary positions.": "They hold at 32 and break at 64: pairs of features come "
            "round to angles that look near.",
            "The penalty for distance.": "So it is: a penalty goes on growing with distance, "
            "and nothing new comes with length.",
        },
        right="c",
    ),
}
