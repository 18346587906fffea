"""What students predict about positions before they look."""

from helpers.figures.predicting import Prediction

PREDICTIONS = {
    "similar": Prediction(
        "In a table of sines and cosines, is the nearer of two positions always the more similar one?",
        {
            "Yes: similarity falls steadily with distance.": "It falls at first. But each pair of features "
            "comes round again, so further out the curve goes up and down.",
            "On the whole, but not always.": "Right: the nearest are the most similar, and further out the "
            "curve goes up and down.",
            "No, distance says nothing.": "Random rows are like that. In this table near positions share "
            "most of their slow features.",
        },
        right="b",
    ),
    "one_matrix": Prediction(
        "One matrix moves every position of the sinusoidal table by 7 places. How well does the best matrix "
        "do that for a table of random rows?",
        {
            "Exactly: there are enough numbers in it.": "It has to work for all rows at once, and there are "
            "many more rows than columns.",
            "Roughly: it gets the larger part right.": "Nearly all of their variance is left over: nothing "
            "ties one random row to another.",
            "Hardly: it gets next to nothing right.": "Right: a row says nothing about the row 7 places on, "
            "unless they were made that way.",
        },
        right="c",
    ),
    "longer": Prediction(
        "Models with six ways to tell positions train on texts of 16 tokens, and then read 32 and 64. Which "
        "stays as good as it was?",
        {
            "Sines and cosines: they are defined everywhere.": "They are, but the model never saw those "
            "rows, and falls as far as with no positions at all.",
            "Rotary positions.": "They hold at 32 and break at 64: a pair of features comes round, and far "
            "looks like near.",
            "The penalty for distance.": "Right: the penalty goes on growing with distance, and longer texts "
            "bring nothing new.",
        },
        right="c",
    ),
}
