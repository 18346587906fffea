"""The template."""

import itertools

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import posttraining

WORDS = ("a", "review", "of", "praise", "blame", "ghost", "story", "the", "plot", "is", "dull", "good", ".")

exercise = Entry(
    id="posttraining.template",
    title="The template",
    points=2,
    difficulty=2,
    minutes=4,
    driver="call_with_layer",
    reference=posttraining.template,
    returns=("tokens",),
    properties=(inputs_unchanged,),
)


@exercise.cases
def template_cases(g: Generator) -> list[Case]:
    """An answer of a few words, one that isn't written yet, an empty one; special tokens in any order."""

    def text(least: int) -> str:
        count = shared.one(g, least, least + 4)
        return " ".join(WORDS[number] for number in torch.randint(len(WORDS), (count,), generator=g).tolist())

    def case(title: str, request: str, answer: str | None) -> Case:
        order = torch.randperm(len(WORDS), generator=g).tolist()
        encoder = {"layer": "an encoder of texts", "weights": [WORDS[number] for number in order]}
        return Case(title, (request, answer, shared.numbers(g, 3, 20, 90), encoder))

    return [
        case("a request and its answer", text(2), text(3)),
        case("a request that waits for its answer", text(3), None),
        case("an empty answer", text(pick(g, 2, 1, 4)), ""),
        case("an empty request", "", text(2)),
        case("a long answer", text(2), text(pick(g, 9, 7, 12))),
    ]


@exercise.alternative
def template_chained(request, answer, special, encode):
    first, middle, last = special
    said = () if answer is None else itertools.chain(encode(answer), (last,))
    return list(itertools.chain((first,), encode(request), (middle,), said))


@exercise.alternative
def template_step_by_step(request, answer, special, encode):
    ids = [special[0]]
    ids.extend(encode(request))
    ids.append(special[1])
    if answer is None:
        return ids
    ids.extend(encode(answer))
    ids.append(special[2])
    return ids


@exercise.alternative
def template_in_parts(request, answer, special, encode):
    start, middle, end = ([token] for token in special)
    parts = [start, encode(request), middle]
    if isinstance(answer, str):
        parts.extend([encode(answer), end])
    return [token for part in parts for token in part]


exercise.slip(
    "special_tokens_as_text",
    "asked = [asks, *encode(request), answers] → asked = encode('<request> ' + request + ' <answer>')",
    "[*asked, *encode(answer), ends] → encode('<request> ' + request + ' <answer> ' + answer + ' <end>')",
).says(
    "The special tokens are written into the text, and the encoder takes them apart into <, a word and >: "
    "put their numbers into the list yourself."
)
exercise.slip("never_ends", "[*asked, *encode(answer), ends] → [*asked, *encode(answer)]").says(
    "<end> is missing after the answer, so a model that learns from this never learns to stop."
)
exercise.slip(
    "prompt_is_closed",
    "asked if answer is None else [*asked, *encode(answer), ends] → [*asked, *encode(answer or ''), ends]",
).says(
    "A request that waits for its answer is closed with <end>, as if its answer were empty: the model "
    "would continue after that."
)
exercise.slip("empty_is_none", "answer is None → not answer").says(
    "An empty answer is taken for none, since both are false to Python: ask whether it `is None`."
)
exercise.slip("prompt_not_opened", "asked if answer is None → asked[:-1] if answer is None").says(
    "A request that waits for its answer lacks <answer> at its end, so the model may continue the request."
)
exercise.slip(
    "request_closed_too", "[asks, *encode(request), answers] → [asks, *encode(request), ends, answers]"
).says("There is an <end> after the request too: in this template <answer> closes the request.")
exercise.slip("request_not_opened", "[asks, *encode(request), answers] → [*encode(request), answers]").says(
    "<request> is missing at the start."
)
exercise.slip("answer_not_opened", "[asks, *encode(request), answers] → [asks, *encode(request)]").says(
    "<answer> is missing between the request and its answer, so nothing says where the one ends and the "
    "other begins."
)
exercise.slip("special_in_another_order", "asks, answers, ends → asks, ends, answers").says(
    "<answer> and <end> are swapped: `special` has <request>, <answer> and <end>, in this order."
)
exercise.slip("lists_in_a_list", "[asks, *encode(request), answers] → [asks, encode(request), answers]").says(
    "There is a list inside the list: a star before it, or a sum of lists, makes one list of tokens."
)
