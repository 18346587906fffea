"""An encoder of texts, and a reader of answers to try a reward on. They hold no solution."""

import re
from collections.abc import Callable, Mapping, Sequence

from helpers.checking.calling.registry import register

Features = Mapping[str, str]


def _encoder(*words: str) -> Callable[[str], list[int]]:
    """Numbers for these words, and for `<` and `>`: it knows no special tokens, and takes them apart."""
    numbers = {word: number for number, word in enumerate(words)}

    def encode(text: str) -> list[int]:
        return [numbers.get(part, len(words)) for part in re.findall(r"[<>]|[^<>\s]+", text)]

    return encode


def _reader(*known: Sequence) -> Callable[[Sequence[int]], Features | None]:
    """Reads the answers that it knows, each a pair of tokens and features; the others aren't grammatical."""
    texts = [(list(tokens), dict(features)) for tokens, features in known]

    def read(tokens: Sequence[int]) -> Features | None:
        return next((features for text, features in texts if text == list(tokens)), None)

    return read


register({"an encoder of texts": _encoder, "a reader of answers": _reader})
