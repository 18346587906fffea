"""Where positions come in."""

from autograder.entry import Entry

_PLACES = ("input", "queries and keys", "scores")


exercise = Entry(
    id="positional.places",
    title="Where positions come in",
    points=2,
    difficulty=2,
    minutes=3,
    reference={
        "sinusoidal": "input",
        "learned": "input",
        "relative bias": "scores",
        "rotary": "queries and keys",
        "linear penalty": "scores",
    },
    options={
        kind: list(_PLACES) for kind in ("sinusoidal", "learned", "relative bias", "rotary", "linear penalty")
    },
)


_WHY_WRONG = {
    ("sinusoidal", "queries and keys"): (
        "Sinusoidal positions turn nothing: a row of the table is added to each vector before any query or "
        "key is made of it."
    ),
    ("sinusoidal", "scores"): (
        "Sinusoidal positions are vectors, and a score is one number: a row of the table is added to each "
        "input vector."
    ),
    ("learned", "queries and keys"): (
        "Learned positions are rows of a table that are added to the word vectors, so queries, keys and "
        "values are all made of words and positions together."
    ),
    ("learned", "scores"): (
        "A learned position belongs to one place, and a score to a pair of places: it is added to the "
        "vector of the word at that place."
    ),
    ("relative bias", "input"): (
        "A relative bias belongs to a pair, a query and a key, so it can't be added to one input vector: it "
        "is added to their score."
    ),
    ("relative bias", "queries and keys"): (
        "A relative bias leaves queries and keys as they are: it is a number for each distance, added to the "
        "score that they give."
    ),
    ("rotary", "input"): (
        "Rotary positions leave the input alone, and with it the values: it is the queries and keys, which "
        "each layer makes of it, that are turned."
    ),
    ("rotary", "scores"): (
        "With rotary positions nothing is added to the scores: they come out different because queries and "
        "keys were turned before their products were taken."
    ),
    ("linear penalty", "input"): (
        "The linear penalty belongs to a distance, and an input vector alone is at no distance from "
        "anything: the penalty is added to the scores."
    ),
    ("linear penalty", "queries and keys"): (
        "The linear penalty turns nothing: it is subtracted from the score of a query and a key, and the "
        "further apart they are, the more."
    ),
}


for (kind, place), sentence in _WHY_WRONG.items():
    exercise.choice(f"{kind}_in_{place}".replace(" ", "_"), {kind: place}).says(sentence)
