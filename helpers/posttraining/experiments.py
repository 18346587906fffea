"""The experiments of lesson 13: a model that gets new tokens, writes answers, and is measured.

What the student writes comes in as arguments. `B` rows, `T` positions, `G` answers to a request, `V` tokens.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch

from helpers import corpora, own, pretraining, training
from helpers.models.transformer import LanguageModel
from helpers.posttraining import requests
from helpers.posttraining.requests import Demonstration, Request, Verdict


class Answered(NamedTuple):
    """Answers to requests: all tokens (B, T), which of them are prompt, and what was asked."""

    ids: torch.Tensor
    prompts: list[int]
    requests: list[Request]

    def answer(self, row: int) -> list[int]:
        """The tokens after `<answer>`, up to `<end>` or as far as there was room."""
        ids = self.ids[row, self.prompts[row] :].tolist()
        end = requests.special().end
        return ids[: ids.index(end) + 1] if end in ids else ids

    def verdicts(self) -> list[Verdict]:
        """The parser's verdict on each answer."""
        return [requests.judge(self.requests[row], self.answer(row)) for row in range(len(self.requests))]


# -- a model with more tokens --------------------------------------------------------------------------------


def with_new_tokens(model: LanguageModel, grow: Callable[[torch.Tensor, int], torch.Tensor]) -> LanguageModel:
    """A copy of a language model whose tied embedding has rows for the new words and marks.

    Args:
        model: of the reviews' words; it stays as it is.
        grow: grow(embedding, n) gives the embedding n more rows.
    """
    more = len(requests.vocabulary()) - model.config.vocabulary
    grown = LanguageModel(
        dataclasses.replace(model.config, vocabulary=model.config.vocabulary + more), own.parts()[0]
    )
    weights = dict(model.state_dict())
    words = grow(weights["words.weight"], more).detach().clone()
    grown.load_state_dict(weights | {"words.weight": words, "head.weight": words})
    return grown


def above_the_floor(model: LanguageModel, count: int = 100, seed: int = 997) -> float:
    """How many nats per token a model's loss on new reviews is above the grammar's own: what it has forgotten."""
    texts = [review.text for review in corpora.reviews(count, seed)]
    inputs, targets = pretraining.inputs_and_targets(corpora.vocabulary().batch(texts))
    floor = -sum(map(corpora.log_probability, texts)) / int((targets != -100).sum())
    with torch.no_grad():
        return float(pretraining.language_model_loss(model(inputs), targets)) - floor


# -- writing answers -----------------------------------------------------------------------------------------


def prompt(request: Request) -> list[int]:
    """`<request>`, the request, `<answer>`."""
    marks = requests.special()
    return [marks.request, *requests.encode(request.text), marks.answer]


@torch.no_grad()
def write(
    model: LanguageModel, asked: Sequence[Request], generator: torch.Generator, temperature: float = 1.0
) -> Answered:
    """Answer requests, token by token, until all answers have ended or the model's positions are used up.

    Rows begin together, so none needs padding on its left: where one is still in its prompt, the prompt's next
    token is taken instead of the one that was drawn.
    """
    prompts, end = [prompt(request) for request in asked], requests.special().end
    lengths = [len(each) for each in prompts]
    known = torch.full((len(asked), max(lengths)), corpora.PAD)
    for row, each in enumerate(prompts):
        known[row, : len(each)] = torch.tensor(each)
    given = torch.arange(known.size(1)) < torch.tensor(lengths)[:, None]
    ids, cache = known[:, : min(lengths)], model.new_cache()
    logits, over = model(ids, cache)[:, -1], torch.zeros(len(asked), dtype=torch.bool)
    while ids.size(1) < len(model.positions.weight) and not over.all():
        new = _drawn(logits, generator, temperature).masked_fill(over, corpora.PAD)
        if (at := ids.size(1)) < known.size(1):
            new = torch.where(given[:, at], known[:, at], new)
        over |= (new == end) & torch.tensor([at >= length for length in lengths])
        ids = torch.cat([ids, new[:, None]], dim=1)
        logits = model(new[:, None], cache)[:, -1]
    return Answered(ids, lengths, list(asked))


def _drawn(logits: torch.Tensor, generator: torch.Generator, temperature: float) -> torch.Tensor:
    if temperature == 0:
        return logits.argmax(dim=-1)
    return torch.multinomial((logits / temperature).softmax(dim=-1), 1, generator=generator)[:, 0]
