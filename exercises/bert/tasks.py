"""Who loses by one direction."""

from headstart import Entry

_LOSES, _NOT = "loses by one direction", "loses nothing by it"
_NAMES = "marking each word as name or no name, at the word's own position"
_SPAN = "pointing at the words of a text that answer a question read before it"
_NEXT = "suggesting the next word while somebody types"
_BLANK = "guessing a word that is smudged in the middle of a letter"
TASKS = {_NAMES: _LOSES, _SPAN: _LOSES, _NEXT: _NOT, _BLANK: _LOSES}
TASKS_OPTIONS = {slot: [_LOSES, _NOT] for slot in TASKS}


exercise = Entry(
    id="bert.tasks",
    title="Who loses by one direction",
    points=2,
    difficulty=2,
    minutes=4,
    reference=TASKS,
    options=TASKS_OPTIONS,
)


exercise.choice("names_from_the_left", {_NAMES: _NOT}).says(
    "At its own position a word has only its left side, and often the right side tells: Paris said, or "
    "Paris has 2 million inhabitants."
)
exercise.choice("spans_from_the_left", {_SPAN: _NOT}).says(
    "The question is to the left, but whether a word begins the answer depends on what follows it, which "
    "its position can't see."
)
exercise.choice("next_word_from_both", {_NEXT: _LOSES}).says(
    "There is no right side yet, so reading in one direction hides nothing."
)
exercise.choice("blanks_from_the_left", {_BLANK: _NOT}).says(
    "The words after the gap are known and tell much about it; the measurement of 10.9 says how much."
)
