"""What several exercises of this topic share."""

import torch
from torch import Generator, Tensor

BOS, EOS, PAD = 1, 2, 0


TABLE = "what comes next, by a table"


def table(logits: Tensor) -> dict:
    """A recipe; logits (B, P, V, V): by sentence, position and last token."""
    log_p = logits.log_softmax(dim=-1)
    return {"layer": TABLE, "weights": [log_p.flatten(-2).round(decimals=5)]}


def normal(g: Generator, *shape: int, spread: float = 1, dtype: torch.dtype = torch.float32) -> Tensor:
    return spread * torch.randn(*shape, generator=g, dtype=dtype)


def shuffled(g: Generator, row: Tensor) -> Tensor:
    return row[torch.randperm(len(row), generator=g)]


NOUNS = ("king", "girl", "book", "ship", "tree", "lamp", "road", "bird", "rain", "door")


def drawn(g: Generator, words: list[str]) -> list[str]:
    """So many words, and so few different ones, that two draws of cases hardly have the same answer."""
    count = int(torch.randint(15, 60, (), generator=g))
    return [words[i] for i in torch.randint(len(words), (count,), generator=g)]


def pick(g: Generator, count: int) -> list[str]:
    return [NOUNS[i] for i in torch.randperm(len(NOUNS), generator=g)[:count]]


OWN, CROSS, ENCODER = "masked self-attention", "cross-attention", "the encoder's self-attention"


# What counts all of BLEU in one call.
LIBRARIES = ("sacrebleu", "nltk", "torchmetrics", "torchtext", "evaluate")

# What finds an edit distance in one call.
DISTANCES = ("Levenshtein", "rapidfuzz", "nltk", "torchaudio")


SOUNDS = ("AA", "AE", "CH", "EY", "IY", "NG", "OW", "SH", "TH", "UW", "ZH", "K", "L", "M", "P", "T")


def sounds(g: Generator, count: int) -> list[str]:
    """So many different sounds."""
    return [SOUNDS[i] for i in torch.randperm(len(SOUNDS), generator=g)[:count]]
