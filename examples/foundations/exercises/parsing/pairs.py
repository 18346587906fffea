"""Settings in a text, as a dict."""

import random

from headstart import Case, Entry, pick

exercise = Entry(
    id="parsing.pairs",
    title="Settings in a text",
    points=3,
    difficulty=2,
    minutes=10,
    returns=("settings",),
)


@exercise.reference
def pairs(text):
    found = {}
    for line in text.splitlines():
        line = line.partition("#")[0]
        if "=" in line:
            key, _, value = line.partition("=")
            found[key.strip()] = value.strip()
    return found


@exercise.cases
def cases(generator: random.Random):
    names = generator.sample(["color", "size", "font", "lang", "zoom", "tabs"], pick(generator, 3, 2, 4))
    first, number = names[0], generator.randrange(10, 99)
    lines = [f"{name} = {generator.randrange(10, 99)}" for name in names]
    return [
        Case("a setting on each line", ("\n".join(lines),)),
        Case("spaces around both, or none", (f"  {first}={number}\n\tmore  =  some words  ",)),
        Case("an = in the value", (f"{first} = a={number}=b",)),
        Case(
            "comments and empty lines",
            (f"# by hand = yes\n\n{first} = {number} # not {number + 1} # ever\n\n",),
        ),
        Case("a line without =", (f"{first} = {number}\nnothing here\n",)),
        Case("the last one counts", (f"{first} = {number}\n{first} = {number + 1}",)),
        Case("nothing", ("",)),
    ]


@exercise.alternative
def with_split(text):
    lines = [line.split("#")[0] for line in text.split("\n")]
    parts = [line.split("=", 1) for line in lines if "=" in line]
    return {key.strip(): value.strip() for key, value in parts}


@exercise.alternative
def by_hand(text):
    settings = {}
    for line in text.split("\n"):
        end = line.find("#")
        line = line if end < 0 else line[:end]
        at = line.find("=")
        if at >= 0:
            settings[line[:at].strip()] = line[at + 1 :].strip()
    return settings


exercise.slip("comments", 'line.partition("#")[0] → line').says(
    "What comes after a # is a comment: it belongs to no value, and a line that begins with one sets nothing."
)
exercise.slip("last_equals", 'line.partition("=") → line.rpartition("=")').says(
    "The line is cut at its last =: a value may have one in it, so cut at the first."
)
exercise.slip("spaces", "value.strip() → value").says("The spaces around a value aren't part of it.")
