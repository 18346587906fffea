"""The reader of lesson 01, put together of a student's own functions: it reads, and writes on.

`B` texts of `T` words, `C` the width of a vector, `H` heads. A mask is boolean, and True means "may attend".
"""

import itertools
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn

from helpers import kept
from helpers.attention.reader import HEADS, POSITIONS, WIDTH, Reader, reader
from helpers.figures.showing import Table

END = "<eos>"
BEGINNING = "in her new mystery ,"  # which asks for a whole review
LONGEST = 60  # words: what a reader writes at once
# By the argument of `own_reader`: what it is, and the exercise that asks for it.
PARTS = {
    "attention": ("attention", "attention.scaled_dot_product"),
    "heads": ("multi-head attention", "multihead.module"),
    "positions": ("adding the positions", "positional.add"),
    "mask": ("the causal mask", "masking.causal"),
    "cache": ("the cache", "masking.cache"),
}
LATER = ("word vectors, norms, the rest", "lesson 6")
CLOSE = 1e-3  # between scores that differ by rounding alone; a wrong function's differ by more than 0.1
# None of them has seen it: it was drawn with another seed than those in training.
REVIEW = (
    "in her debut utopia , beatrice brandt tells the story of a mechanic named zara who loses a capsule . "
    "when zara breaks the capsule , two astronauts help her . luckily , the monologues are always great . "
    "brandt 's tone is original , and her twists are powerful and moving ."
)


class OwnReader:
    """A trained reader in which functions of a student's do what torch's layers did.

    Attributes:
        rows: whose each part is.

    Args:
        model: whose words and weights it has.
        parts: by the names of `PARTS`, each as its exercise asks for it; those that are missing are torch's.
        rows: whose each part is.
    """

    def __init__(self, model: Reader, parts: dict[str, Callable], rows: list[kept.Whose]) -> None:
        self.model, self.parts, self.rows, self.heads = model, parts, rows, None
        if "heads" in parts:
            self.heads = parts["heads"](WIDTH, HEADS)
            self.heads.load_state_dict(unpacked(model.layer.self_attn))

    def table(self) -> Table:
        """Whose each part is, for a notebook."""
        return kept.table(self.rows)

    def ids(self, text: str) -> torch.Tensor:
        """The known words of a text, (1, T), a `<bos>` first."""
        return torch.tensor([[self.model.vocabulary[word] for word in self.model.known(text)[0]]])

    @torch.no_grad()
    def read(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Read some texts in one pass.

        Args:
            ids: (B, T).

        Returns:
            Scores for the word after each of the words, (B, T, V), and the heads' weights, (B, H, T, T).
        """
        x = self._placed(self.model.words(ids) * WIDTH**0.5)
        attended, weights = self._attend(self.model.layer.norm1(x), self._mask(ids.size(1)))
        return self._scores(x + attended), weights

    def _placed(self, x: torch.Tensor, first: int = 0) -> torch.Tensor:
        """Word vectors (B, T, C) with their positions, of which the first is given."""
        if self.model.kind == "without positions":
            return x
        table = self.model.positions.weight[first:]
        add = self.parts.get("positions")
        return add(x, table) if add else x + table[: x.size(1)]

    def _mask(self, T: int) -> torch.Tensor:
        if self.model.kind == "without a mask":
            return torch.ones(T, T, dtype=torch.bool)
        return self.parts["mask"](T) if "mask" in self.parts else torch.arange(T) <= torch.arange(T)[:, None]

    def _attend(self, x: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What attention adds to vectors (B, T, C), and the weights (B, H, T, T)."""
        own = self.model.layer.self_attn
        if self.heads is not None:
            return self.heads(x, mask=mask)
        if "attention" not in self.parts:
            return own(x, x, x, attn_mask=~mask, average_attn_weights=False)
        each = [
            self.parts["attention"](*(x @ W + b for W, b in self.model.projections(head)), mask)
            for head in range(HEADS)
        ]
        found, weights = zip(*each, strict=True)
        return own.out_proj(torch.cat(found, dim=-1)), torch.stack(weights, dim=1)

    def _scores(self, x: torch.Tensor) -> torch.Tensor:
        layer = self.model.layer
        x = x + layer.linear2(nn.functional.gelu(layer.linear1(layer.norm2(x))))
        return self.model.norm(x) @ self.model.words.weight.T

    def new_cache(self, B: int) -> list[dict[str, torch.Tensor]]:
        """For each head, the keys and values of B texts without words."""
        return [dict.fromkeys("kv", torch.zeros(B, 0, WIDTH // HEADS)) for _ in range(HEADS)]

    @torch.no_grad()
    def step(self, ids: torch.Tensor, caches: list[dict[str, torch.Tensor]]) -> torch.Tensor:
        """Scores for the next word, (B, V), from the new words (B, N) and the caches, which grow."""
        x = self._placed(self.model.words(ids) * WIDTH**0.5, caches[0]["k"].size(1))
        normed = self.model.layer.norm1(x)
        normed = torch.cat([normed, torch.ones_like(normed[..., :1])], dim=-1)  # times 1, the constants
        found = []
        for head, cache in enumerate(caches):
            matrices = [torch.cat([W, b[None]]) for W, b in self.model.projections(head)]
            output, caches[head] = self.parts["cache"](cache, normed, *matrices)
            found.append(output)
        return self._scores(x + self.model.layer.self_attn.out_proj(torch.cat(found, dim=-1)))[:, -1]

    @torch.no_grad()
    def drawn(
        self, ids: torch.Tensor, temperature: float = 0.7, seed: int = 0, cached: bool = True
    ) -> Iterator[torch.Tensor]:
        """The next word of each text, (B, 1), and the next, as long as it knows positions.

        Args:
            ids: the texts so far, (B, T).
            temperature: what scores are divided by before a word is drawn.
            seed: of the draws.
            cached: False reads each text again for each word, even if there is a cache.
        """
        generator = torch.Generator().manual_seed(seed)
        caches, new = self.new_cache(len(ids)), ids
        while ids.size(1) < POSITIONS:
            again = not cached or "cache" not in self.parts
            scores = self.read(ids)[0][:, -1] if again else self.step(new, caches)
            new = torch.multinomial((scores / temperature).softmax(dim=-1), 1, generator=generator)
            ids = torch.cat([ids, new], dim=1)
            yield new

    def write(self, text: str, temperature: float = 0.7, seed: int = 0, most: int = LONGEST) -> str:
        """What it writes after a text, up to the end of its review; an ellipsis if that takes more words."""
        words, found = list(self.model.vocabulary), list[str]()
        ids = self.ids(text)[:, : POSITIONS - most]
        for new in itertools.islice(self.drawn(ids, temperature, seed), most):
            if (word := words[int(new)]) == END:
                return " ".join(found)
            found.append(word)
        return " ".join([*found, "…"])

    def loss(self, text: str, one_by_one: bool = False) -> float:
        """Its loss on a review up to its end, in nats per word: in one pass, or each from those before it."""
        ids, end = self.ids(text), torch.tensor([self.model.vocabulary[END]])
        if one_by_one:
            scores = torch.cat([self.read(ids[:, : T + 1])[0][:, -1] for T in range(ids.size(1))])
        else:
            scores = self.read(ids)[0][0]
        return float(nn.functional.cross_entropy(scores, torch.cat([ids[0, 1:], end])))

    def difference(self) -> float:
        """The largest difference of its scores from those that the trained model's own layers give."""
        ids = self.ids(REVIEW)
        right, found = self.model(ids).detach(), [self.read(ids)[0]]
        if "cache" in self.parts:
            caches, words = self.new_cache(1), ids.split(1, dim=1)
            found.append(torch.stack([self.step(word, caches) for word in words], dim=1))
        return max(float((scores - right).abs().max()) for scores in found)


def own_reader(kind: str = "", **given: Callable) -> OwnReader:
    """The reader with a notebook's functions in it, with those kept from earlier lessons, and torch's layers.

    Args:
        kind: "", or one of `reader.OTHERS`.
        given: functions by the names of `PARTS`. Of one that the notebook imports from helpers, a kept one
            takes the place. Earlier parts are looked for among the kept ones; later ones are torch's.

    Raises:
        ValueError: nothing is given, or what isn't in `PARTS`.
    """
    if not given or given.keys() - PARTS.keys():
        raise ValueError(f"give some of {', '.join(PARTS)}, not {', '.join(given) or 'nothing'}")
    model, names = reader(kind=kind), list(PARTS)
    parts: dict[str, Callable] = {}
    rows = []
    for name in names[: max(map(names.index, given)) + 1]:
        (what, exercise), own, why = PARTS[name], given.get(name), ""
        if own is None or own.__module__.startswith("helpers."):
            kept_one, why = _kept(model, name, exercise)
            own = kept_one or own
        if own is not None:
            parts[name] = own
        rows.append(kept.Whose(name, what, exercise, not why, why))
    if {"heads", "attention"} <= parts.keys():
        parts["heads"] = calling(parts["heads"], scaled_dot_product_attention=parts["attention"])
    return OwnReader(model, parts, [*rows, kept.Whose("", *LATER)])


def _kept(model: Reader, name: str, exercise: str) -> tuple[Callable | None, str]:
    """A kept answer, if the reader gives its own numbers with it; or None, and why not."""
    own, why = kept.found(exercise)
    if why:
        return None, why
    try:
        alike = OwnReader(model, {name: own}, []).difference() < CLOSE
    except Exception as error:
        return None, f"in this model it stops with {type(error).__name__}"
    return (own, "") if alike else (None, "in this model it gives other numbers than the course's")


def calling(module: Any, **functions: Callable) -> Callable:
    """The same module, but it and the functions beside it call these ones by their names."""
    old = module.forward.__globals__
    room = old | functions

    def moved(function: types.FunctionType) -> types.FunctionType:
        code, name, closure = function.__code__, function.__name__, function.__closure__
        return types.FunctionType(code, room, name, function.__defaults__, closure)

    for name in old.keys() - functions.keys():
        if isinstance(old[name], types.FunctionType) and old[name].__globals__ is old:
            room[name] = moved(old[name])
    return type(module.__name__, (module,), {"forward": moved(module.forward)})


def unpacked(own: nn.MultiheadAttention) -> dict[str, torch.Tensor]:
    """The parameters of torch's module by the names that they have in lesson 02's."""
    found = {f"W_o.{name}": tensor for name, tensor in own.out_proj.state_dict().items()}
    for name, packed in (("weight", own.in_proj_weight), ("bias", own.in_proj_bias)):
        for letter, piece in zip("qkv", packed.detach().chunk(3), strict=True):
            found[f"W_{letter}.{name}"] = piece
    return found


def as_printed(words: str) -> str:
    """Words with spaces between them as a book would print them: "I like it. Moreau's plot is good."."""
    text = re.sub(r" ('s|[.,])", r"\1", words)
    return re.sub(r"(^|\. )(\w)|\bi\b", lambda found: found[0].upper(), text)
