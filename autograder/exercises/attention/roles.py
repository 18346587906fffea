"""Query, key and value."""

from autograder.entry import Entry

exercise = Entry(
    id="attention.roles",
    title="Query, key and value",
    points=2,
    difficulty=1,
    minutes=3,
    reference={
        "attention of y over x": {"query": "y", "key": "x", "value": "x"},
        "attention of x over x": {"query": "x", "key": "x", "value": "x"},
    },
    options={
        f"attention of {asking} over x · {role}": ["x", "y"]
        for asking in "yx"
        for role in ("query", "key", "value")
    },
)


exercise.choice("query_from_the_answerer", {"attention of y over x · query": "x"}).says(
    "In attention of y over x it is y that asks, so the queries come from y: there is one output for each "
    "position of y."
)
exercise.choice("key_from_the_asker", {"attention of y over x · key": "y"}).says(
    "In attention of y over x the keys come from x: they say what each position of x has to offer, and "
    "y's queries are compared with them."
)
exercise.choice("value_from_the_asker", {"attention of y over x · value": "y"}).says(
    "In attention of y over x the values come from x: they are what is averaged, and y is there to fetch "
    "something from x."
)
exercise.choice("self_query_from_elsewhere", {"attention of x over x · query": "y"}).says(
    "In attention of x over x the sequence asks itself, so its queries come from x: no y is in it."
)
exercise.choice("self_key_from_elsewhere", {"attention of x over x · key": "y"}).says(
    "In attention of x over x every position of x is compared with every position of x, so the keys come "
    "from x too."
)
exercise.choice("self_value_from_elsewhere", {"attention of x over x · value": "y"}).says(
    "In attention of x over x each output is an average over positions of x, so the values come from x."
)
