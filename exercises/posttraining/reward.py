"""A reward."""

import torch
from torch import Generator

from exercises.posttraining import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import posttraining

exercise = Entry(
    id="posttraining.reward",
    title="A reward",
    points=3,
    difficulty=3,
    minutes=5,
    driver="call_with_layer",
    reference=posttraining.reward,
    returns=("reward",),
    properties=(inputs_unchanged,),
)

KINDS = ("ghost story", "crime novel", "memoir")
PRAISE, BLAME = "favourable", "unfavourable"


@exercise.cases
def reward_cases(g: Generator) -> list[Case]:
    """Answers as asked; with more or fewer features, or another one; unfinished, ungrammatical, going on."""
    kind, other = (KINDS[number] for number in shared.numbers(g, 2, 0, 3))
    mood, opposite = pick(g, (PRAISE, BLAME), (BLAME, PRAISE))
    end = shared.one(g, 1, 9)
    asked = {"sentiment": mood, "kind": kind}

    def words(least: int = 2) -> list[int]:
        return torch.randint(20, 60, (shared.one(g, least, least + 3),), generator=g).tolist()

    def case(title: str, found: dict | None, wrote: str = "ae", asked: dict = asked) -> Case:
        """The letters say what was written: a the answer, e <end>, w other words."""
        answer, others = words(), [70, *words()]
        parts = {"a": answer, "e": [end], "w": others}
        known = [] if found is None else [[answer, found]]
        reader = {"layer": "a reader of answers", "weights": known}
        return Case(title, ([token for letter in wrote for token in parts[letter]], asked, reader, end))

    author = {"author": pick(g, "a woman", "a man")}
    return [
        case("as asked", {"kind": kind, "sentiment": mood}),
        case("a different sentiment", {"sentiment": opposite, "kind": kind}),
        case("a different kind", {"sentiment": mood, "kind": other}),
        case("all of it different", {"sentiment": opposite, "kind": other}),
        case("more features than asked for", {**asked, **author}),
        case("a feature is missing", {"sentiment": mood}),
        case("not grammatical", None),
        case("unfinished", asked, "a"),
        case("as asked, then more text", asked, "aewe"),
        case("as asked, then more text without an end", asked, "aew"),
        case("as asked, padded with <end>", asked, "aee"),
        case("wrong, and as asked after the end", asked, "weae"),
        case("nothing but <end>", None, "e"),
        case("grammatical, nothing asked for", {**author, "kind": other}, asked={}),
        case("not grammatical, nothing asked for", None, asked={}),
        case("grammatical without any feature, nothing asked for", {}, asked={}),
        case("as asked, under each other's names", {"sentiment": kind, "kind": mood}),
        case("one feature asked for", {**author, "kind": pick(g, kind, other)}, asked={"kind": kind}),
    ]


@exercise.alternative
def reward_step_by_step(answer, asked, read, end):
    said = []
    for token in answer:
        if token == end:
            break
        said.append(token)
    else:
        return 0.0
    features = read(said)
    if features is None:
        return 0.0
    for name in asked:
        if name not in features or features[name] != asked[name]:
            return 0.0
    return 1.0


@exercise.alternative
def reward_by_items(answer, asked, read, end):
    ended = answer.count(end) > 0
    features = read(answer[: answer.index(end)]) if ended else None
    return 1.0 if features is not None and asked.items() <= features.items() else 0.0


@exercise.alternative
def reward_by_merging(answer, asked, read, end):
    if end not in answer:
        return 0.0
    features = read(answer[0 : answer.index(end)])
    return 0.0 if features is None else float({**features, **asked} == features)


exercise.slip(
    "unfinished_rewarded",
    "if end not in answer:\n        return 0.0\n    found = read(answer[: answer.index(end)]) → "
    "found = read(answer[: answer.index(end)] if end in answer else answer)",
).says(
    "An answer that was cut off is rewarded as if it were finished: a policy then learns that it needn't "
    "stop."
)
exercise.slip(
    "ungrammatical_passes",
    "found is not None and all(found.get(name) == value for name, value in asked.items()) → "
    "all((found or {}).get(name) == value for name, value in asked.items())",
).says("Where nothing is asked for, an answer that isn't grammatical is rewarded: ask for that first.")
exercise.slip("any_feature", "all(found.get(name) → any(found.get(name)").says(
    "One feature out of several is enough here: the answer should have all of them."
)
exercise.slip(
    "nothing_else_allowed", "all(found.get(name) == value for name, value in asked.items()) → found == asked"
).says("An answer with more features than were asked for gets nothing: what wasn't asked for is free.")
exercise.slip("missing_is_fine", "found.get(name) == value → found.get(name, value) == value").says(
    "A feature that the answer doesn't have counts as if it were right: it was asked for."
)
exercise.slip(
    "names_alone",
    "found.get(name) == value for name, value in asked.items() → name in found for name in asked",
).says("This checks only that the answer has such a feature: its value has to be the one asked for, too.")
exercise.slip(
    "grammatical_is_enough", " and all(found.get(name) == value for name, value in asked.items()) →"
).says("Any grammatical answer is rewarded: a policy will write the easiest one, whatever it is asked.")
exercise.slip(
    "share_of_features",
    "float(found is not None and all(found.get(name) == value for name, value in asked.items())) → "
    "0.0 if found is None else sum(found.get(n) == v for n, v in asked.items()) / max(1, len(asked))",
).says("This is the share of the features that are right: only all of them give 1, and everything else 0.")
exercise.slip(
    "read_whole", "read(answer[: answer.index(end)]) → read([token for token in answer if token != end])"
).says(
    "What follows <end> is read as well, padding or a second answer among it: the answer is what is before "
    "the first <end>."
)
exercise.slip("end_is_read", "answer[: answer.index(end)] → answer[: answer.index(end) + 1]").says(
    "<end> is read as if it were a word, and no text with it is grammatical: stop before it."
)
exercise.slip(
    "up_to_the_last_end", "answer[: answer.index(end)] → answer[: len(answer) - 1 - answer[::-1].index(end)]"
).says("The answer is read up to the last <end>: it is over at the first.")
exercise.slip("end_must_be_last", "if end not in answer: → if end not in answer or answer[-1] != end:").says(
    "An answer is taken for unfinished unless its very last token is <end>: what follows an <end> doesn't "
    "count."
)


@exercise.misconception
def all_but_the_last(answer, asked, read, end):
    """Only an <end> in the last place counts, and all before it is read: the answer is over at the first
    <end>.
    """
    if answer[-1] != end:
        return 0.0
    found = read(answer[:-1])
    return float(found is not None and all(found.get(name) == value for name, value in asked.items()))


exercise.slip("featureless_fails", "found is not None and → bool(found) and").says(
    "A grammatical answer without any feature is an empty dict, which is false to Python: ask whether it `is "
    "None`."
)
exercise.slip(
    "values_alone",
    "all(found.get(name) == value for name, value in asked.items()) → set(asked.values()) <= "
    "set(found.values())",
).says("The values are looked for under any name: each one asked for belongs to one feature, by its name.")
