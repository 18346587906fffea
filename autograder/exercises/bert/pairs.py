"""Half of them true."""

import torch
from torch import Generator

from autograder.entry import Entry
from autograder.exercises.bert import shared
from helpers.checking.calling.drivers import GENERATOR, Case
from helpers.checks import inputs_unchanged
from helpers.text.vocabulary import ORDINARY

exercise = Entry(
    id="bert.pairs",
    title="Half of them true",
    points=2,
    difficulty=2,
    minutes=8,
    driver="draws",
    returns=("what holds of the draws",),
    properties=(inputs_unchanged,),
)


@exercise.reference
def next_sentence_pairs(documents, generator):
    pairs = []
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand((), generator=generator) < 0.5)
        if not own:
            step = int(torch.randint(1, len(documents), (), generator=generator))
            second = documents[(number + step) % len(documents)][1]
        pairs.append((first, second, int(own)))
    return pairs


@exercise.cases
def pairing_cases(g: Generator) -> list[Case]:
    """Documents whose passages are all different."""
    numbers = (torch.randperm(300, generator=g) + ORDINARY).tolist()
    documents = []
    for _ in range(22):
        lengths = shared.between(g, 1, 4), shared.between(g, 1, 4)
        documents.append([[numbers.pop() for _ in range(length)] for length in lengths])
    judge = {"layer": "statistics of pairs"}
    return [
        Case("the statistics of many draws", (judge, 60, documents[:20], GENERATOR)),
        Case("two documents", (judge, 60, documents[20:], GENERATOR)),
    ]


@exercise.alternative
def drawn_until_another(documents, generator):
    pairs = []
    for number in range(len(documents)):
        label = int(torch.randint(2, (1,), generator=generator))
        at = number
        while not label and at == number:
            at = int(torch.randint(len(documents), (1,), generator=generator))
        pairs.append((documents[number][0], documents[at][1], label))
    return pairs


@exercise.alternative
def exactly_half(documents, generator):
    count, pairs = len(documents), []
    true = set(torch.randperm(count, generator=generator)[: count // 2].tolist())
    for number, (first, second) in enumerate(documents):
        if number in true:
            pairs.append([first, second, 1])
        else:
            others = [other for at, (_, other) in enumerate(documents) if at != number]
            pairs.append([first, others[int(torch.randint(len(others), (), generator=generator))], 0])
    return pairs


exercise.slip(
    "sometimes_itself",
    "if not own:\n"
    "            step = int(torch.randint(1, len(documents), (), generator=generator))\n"
    "            second = documents[(number + step) % len(documents)][1] → stranger = "
    "documents[int(torch.randint(len(documents), (), generator=generator))][1]",
    "(first, second, int(own)) → (first, second if own else stranger, int(own))",
).says(
    "The stranger is drawn from all documents, so now and then it is the document itself, a true pair "
    "with the label 0: leave its own number out of the draw."
)


@exercise.misconception
def labels_turned(documents, generator):
    """The labels are swapped: 1 is for a second part that is the document's own."""
    pairs = []
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand((), generator=generator) < 0.5)
        at = number + int(torch.randint(1, len(documents), (), generator=generator))
        pairs.append((first, second if own else documents[at % len(documents)][1], int(not own)))
    return pairs


@exercise.misconception
def every_other_document(documents, generator):
    """Every other document is true, the same ones each time, so a model could learn by heart which are:
    draw anew for each pair.
    """
    pairs = []
    for number, (first, second) in enumerate(documents):
        at = number + int(torch.randint(1, len(documents), (), generator=generator))
        stranger = documents[at % len(documents)][1]
        pairs.append((first, stranger if number % 2 else second, 1 - number % 2))
    return pairs


@exercise.misconception
def one_draw_for_all(documents, generator):
    """One draw decides for all documents, so a call gives only true pairs or only false ones: draw for each
    document.
    """
    pairs = []
    own = bool(torch.rand((), generator=generator) < 0.5)
    for number, (first, second) in enumerate(documents):
        at = number + int(torch.randint(1, len(documents), (), generator=generator))
        pairs.append((first, second if own else documents[at % len(documents)][1], int(own)))
    return pairs


exercise.slip(
    "last_step_never_drawn",
    "if not own:\n"
    "            step = int(torch.randint(1, len(documents), (), generator=generator))\n"
    "            second = documents[(number + step) % len(documents)][1] → at = number + "
    "int(torch.randint(1, len(documents) - 1, (), generator=generator))",
    "(first, second, int(own)) → (first, second if own else documents[at % len(documents)][1], int(own))",
).says(
    "One document never gives the stranger, since torch.randint doesn't draw its upper bound itself: with "
    "two documents there is nothing left to draw from."
)
exercise.slip(
    "always_the_next",
    "if not own:\n"
    "            step = int(torch.randint(1, len(documents), (), generator=generator))\n"
    "            second = documents[(number + step) % len(documents)][1] → stranger = documents[(number + "
    "1) % len(documents)][1]",
    "(first, second, int(own)) → (first, second if own else stranger, int(own))",
).says(
    "The stranger is always the next document's second part, so each pair of texts comes again and again: "
    "draw it from all others."
)
exercise.slip(
    "first_part_of_a_stranger",
    "if not own:\n"
    "            step = int(torch.randint(1, len(documents), (), generator=generator))\n"
    "            second = documents[(number + step) % len(documents)][1] → at = number + "
    "int(torch.randint(1, len(documents), (), generator=generator))",
    "(first, second, int(own)) → (first, second if own else documents[at % len(documents)][0], int(own))",
).says(
    "The stranger gives its *first* part, and a model could tell it by how a text begins: the second "
    "passage is always a second part."
)


@exercise.misconception
def one_in_three(documents, generator):
    """True and false aren't half and half, so a model that always says the same beats chance: the draw is
    against 0.5.
    """
    pairs = []
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand((), generator=generator) < 1 / 3)
        at = number + int(torch.randint(1, len(documents), (), generator=generator))
        pairs.append((first, second if own else documents[at % len(documents)][1], int(own)))
    return pairs


@exercise.misconception
def pairs_without_the_generator(documents, generator):
    """The random numbers don't come from the generator, so the same seed gives other pairs: pass
    generator=generator to each draw.
    """
    pairs = []
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand(()) < 0.5)
        at = number + int(torch.randint(1, len(documents), ()))
        pairs.append((first, second if own else documents[at % len(documents)][1], int(own)))
    return pairs
