"""Words as numbers: the vocabulary of the course's own corpus, where a token is a word."""

from collections.abc import Iterable, Sequence

import torch

SPECIALS = ("<pad>", "<bos>", "<eos>", "<mask>", "[CLS]", "[SEP]")
PAD, BOS, EOS, MASK, CLS, SEP = range(len(SPECIALS))
ORDINARY = len(SPECIALS)  # the first number that is a word


class Vocabulary:
    """A fixed list of words, each with a number. The special tokens come first.

    Args:
        words: the words, in the order of their numbers, without the special tokens.
    """

    def __init__(self, words: Iterable[str]):
        self.words = (*SPECIALS, *words)
        self.ids = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, text: str) -> list[int]:
        """The number of each word of a text; special tokens may be among them.

        Raises:
            ValueError: a word isn't in the vocabulary.
        """
        try:
            return [self.ids[word] for word in text.split()]
        except KeyError as error:
            message = f"{error.args[0]!r} isn't one of the vocabulary's {len(self)} words"
            raise ValueError(f"{message}: it has lower-case words, with spaces around , . and 's") from None

    def decode(self, ids: Sequence[int] | torch.Tensor) -> str:
        """The words that numbers stand for, without `<pad>`, `<bos>` and what follows an `<eos>`."""
        numbers = ids.tolist() if isinstance(ids, torch.Tensor) else list(ids)
        if EOS in numbers:
            numbers = numbers[: numbers.index(EOS)]
        return " ".join(self.words[number] for number in numbers if number not in (PAD, BOS))

    def batch(self, texts: Iterable[str], bos: bool = True, eos: bool = True) -> torch.Tensor:
        """Texts as one tensor, (B, T): each between `<bos>` and `<eos>`, then `<pad>` up to the longest."""
        rows = [[BOS] * bos + self.encode(text) + [EOS] * eos for text in texts]
        longest = max(map(len, rows), default=0)
        return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows], dtype=torch.long)
