"""A blank, left to right."""

import torch
from torch import Generator

from exercises.bert import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers.text.vocabulary import BOS, ORDINARY

exercise = Entry(
    id="bert.blank",
    title="A blank, left to right",
    points=3,
    difficulty=4,
    minutes=12,
    driver="call_with_layer",
    returns=("by what is before", "by the whole text"),
    properties=(inputs_unchanged,),
)


@exercise.reference
def blank_left_to_right(model, ids, place, candidates):
    texts = ids.repeat(len(candidates), 1)
    texts[:, place] = candidates
    log_p = model(texts[:, :-1]).log_softmax(dim=-1)
    each = log_p.gather(-1, texts[:, 1:, None])[..., 0]
    return each[:, place - 1].softmax(dim=0), each.sum(dim=-1).softmax(dim=0)


@exercise.cases
def blank_cases(g: Generator) -> list[Case]:
    """Blanks near the beginning, in the middle, at the end."""

    def case(title: str, T: int, place: int, candidates: int) -> Case:
        V, C = pick(g, 12, 11, 13), 5
        weights = [shared.normal(g, V, C), shared.normal(g, C, 4), shared.normal(g, 4, V)]
        words = torch.cat([torch.tensor([BOS]), shared.words(g, T - 1, V)])
        those = torch.randperm(V - ORDINARY, generator=g)[:candidates] + ORDINARY
        return Case(title, ({"layer": "a small language model", "weights": weights}, words, place, those))

    return [
        case("a blank in the middle", pick(g, 7, 6, 8), shared.between(g, 3, 4), pick(g, 4, 5, 3)),
        case("the first word after <bos>", pick(g, 6, 5, 4), 1, pick(g, 3, 4)),
        case("the last word", T := pick(g, 5, 4, 6), T - 1, 4),
        case("one candidate", pick(g, 6, 5), 2, 1),
        case("a long text", T := 60, T - 3, pick(g, 3, 4)),
    ]


@exercise.alternative
def blank_text_by_text(model, ids, place, candidates):
    scores = []
    for candidate in candidates:
        text = ids.clone()
        text[place] = candidate
        log_p = torch.log_softmax(model(text[None])[0], dim=-1)
        scores.append(sum(log_p[t - 1, text[t]] for t in range(place, len(text))))
    left = torch.softmax(model(ids[None, :place])[0, -1], dim=-1)[candidates]
    return left / left.sum(), torch.softmax(torch.stack(scores), dim=0)


@exercise.alternative
def blank_by_cross_entropy(model, ids, place, candidates):
    texts = torch.stack([torch.cat([ids[:place], c[None], ids[place + 1 :]]) for c in candidates])
    loss = torch.nn.functional.cross_entropy(
        model(texts)[:, :-1].transpose(1, 2), texts[:, 1:], reduction="none"
    )
    whole = torch.softmax(-loss.sum(dim=1), dim=0)
    return torch.softmax(-loss[:, place - 1], dim=0), whole


exercise.slip(
    "one_place_late", "texts[:, :-1] → texts", "each[:, place - 1] → log_p[0, place, candidates]"
).says(
    "The next-word scores are read at the blank itself, where the model has read the word and predicts the "
    "one after it: the scores for a word are one place before it."
)
exercise.slip(
    "each_place_for_itself",
    "texts[:, :-1] → texts",
    ":, 1:, None → ..., None",
    "each[:, place - 1] → each[:, place]",
).says(
    "The scores at a place are taken for the word in that place, which the model has just read: they are "
    "for the next one, so each word's own are one place before it."
)
exercise.slip(
    "never_one_place_before",
    "texts[:, :-1] → texts",
    ":, 1:, None → ..., None",
    "each[:, place - 1] → log_p[0, place, candidates]",
).says(
    "The scores at each position are taken for the word at that position: they are for the next one, so a "
    "word's own are one place before it, in the blank and in the whole text."
)
exercise.slip("read_at_the_blank", "each[:, place - 1] → model(ids[None])[0, place, candidates]").says(
    "The next-word scores are read at the blank itself, where the model has read the word that is there and "
    "predicts the one after it: the scores for a word are one place before it."
)
exercise.slip(
    "read_at_each_candidate",
    "texts[:, :-1] → texts",
    "each[:, place - 1] → log_p[torch.arange(len(candidates)), place, candidates]",
).says(
    "Each candidate's score is read at its own place, where the model has just read it and predicts the word "
    "after it: the scores for a word are one place before it."
)
exercise.slip("column_of_the_next", "each[:, place - 1] → each[:, place]").says(
    "The candidates' own column is place - 1, since the first token has none: column `place` belongs to "
    "the word after the blank."
)
exercise.slip(
    "not_among_candidates",
    ".softmax(dim=0), each.sum(dim=-1).softmax(dim=0) → .exp(), each.sum(dim=-1).exp()",
).says(
    "The probabilities are shares of the whole vocabulary, so they don't sum to 1 over the candidates: "
    "divide by their sum."
)
exercise.slip(
    "left_not_among_candidates", "each[:, place - 1].softmax(dim=0) → each[:, place - 1].exp()"
).says(
    "By what is before, the probabilities are shares of the whole vocabulary, so they don't sum to 1 over "
    "the candidates: divide by their sum."
)
exercise.slip("texts_not_among_candidates", "each.sum(dim=-1).softmax(dim=0) → each.sum(dim=-1).exp()").says(
    "By the whole text, the probabilities are those of the texts among all texts, so they don't sum to 1 "
    "over the candidates: divide by their sum."
)
exercise.slip("right_side_alone", "each.sum(dim=-1) → each[:, place:].sum(dim=-1)").says(
    "Only what comes after the blank is scored: the probability of a text has the candidate's own factor "
    "in it too."
)
exercise.slip("left_side_twice", "each.sum(dim=-1) → each[:, :place].sum(dim=-1)").says(
    "The second answer is the same as the first: the words to the right have to be scored as well, with "
    "each candidate in turn at the blank."
)
exercise.slip("mean_over_the_text", "each.sum(dim=-1) → each.mean(dim=-1)").says(
    "The log-probabilities are averaged over the text, which makes all candidates more alike: the "
    "probability of a text is a product, so its logarithm is a sum."
)
exercise.slip(
    "logits_added_up",
    "log_p.gather(-1, texts[:, 1:, None]) → model(texts[:, :-1]).gather(-1, texts[:, 1:, None])",
).says("Logits are added up, but logits can be compared only at one position: take log_softmax first.")


@exercise.misconception
def texts_spoiled(model, ids, place, candidates):
    """The candidates are written into the caller's text: repeat or clone it first."""
    rows = []
    for candidate in candidates.tolist():
        ids[place] = candidate
        log_p = model(ids[None, :-1]).log_softmax(dim=-1)
        rows.append(log_p.gather(-1, ids[None, 1:, None])[0, :, 0])
    each = torch.stack(rows)
    return each[:, place - 1].softmax(dim=0), each.sum(dim=-1).softmax(dim=0)


exercise.slip(
    "probabilities_multiplied",
    "each.sum(dim=-1).softmax(dim=0) → each.sum(dim=-1).exp() / each.sum(dim=-1).exp().sum()",
).says(
    "Probabilities are multiplied, and those of a long text are too small for any float, so 0 is divided by "
    "0: add logarithms, and let a softmax bring them back."
)
