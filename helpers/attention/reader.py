"""The trained Transformer that lesson 01 opens with: it reads a book review and says which word comes next.

It is put together of torch's own layers; `writer.py` puts it together of a student's. Two more were trained
on the same reviews, with the same vectors for words: one without positions, one without a mask.
`python -m benchmarks.reader` trains all three, writes words and weights into the files beside this one, and
prints what the lessons say of them. `T` words, `V` in the vocabulary.
"""

import base64
import functools
import re
from pathlib import Path
from typing import NamedTuple

import torch
from torch import nn

FILE = Path(__file__).with_name("reader.npz")
# The others' weights, without the words and their vectors, which are the reader's.
OTHERS = {"without positions": "without_positions.npz", "without a mask": "without_a_mask.npz"}
WIDTH, HEADS, POSITIONS = 48, 2, 100
PLAIN = (".weight", ".bias", "_weight", "_bias")
SCALES = " scales"  # in the file, beside a matrix's name
BEGIN = "<bos>"  # stands before every text
PIECES = re.compile(r"'s\b|\w+(?:-\w+)*|[.,]")  # a word, a comma, a full stop, and the 's of "moreau 's"


class Reading(NamedTuple):
    """What a reader makes of T words.

    Attributes:
        words: the T words, a `<bos>` first.
        unknown: the words that it has never seen, and left out.
        vectors: what goes into its attention, (T, WIDTH).
        weights: how much each word looks at those up to itself, (HEADS, T, T).
        following: for each word of the vocabulary, how probable it is as the next, (V,).
    """

    words: list[str]
    unknown: list[str]
    vectors: torch.Tensor
    weights: torch.Tensor
    following: torch.Tensor


class Reader(nn.Module):
    """A decoder-only Transformer of one layer: `HEADS` heads on vectors of `WIDTH` numbers.

    Args:
        words: its vocabulary, of which `<bos>` is one.
        kind: "", or what it does without: one of `OTHERS`.
    """

    def __init__(self, words: list[str], kind: str = "") -> None:
        super().__init__()
        self.kind = kind
        self.vocabulary = {word: number for number, word in enumerate(words)}
        self.words, self.positions = nn.Embedding(len(words), WIDTH), nn.Embedding(POSITIONS, WIDTH)
        nn.init.normal_(self.words.weight, std=0.02)
        nn.init.normal_(self.positions.weight, std=0.02 * WIDTH**0.5)
        self.layer = nn.TransformerEncoderLayer(
            WIDTH, HEADS, 2 * WIDTH, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Scores for the next word, (B, T, V), after each of the words (B, T)."""
        x, later = self._first(ids)
        return self.norm(self.layer(x, src_mask=later)) @ self.words.weight.T

    def _first(self, ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        count = ids.shape[-1]
        x = self.words(ids) * WIDTH**0.5
        if self.kind != "without positions":
            x = x + self.positions.weight[:count]
        later = torch.ones(count, count, dtype=torch.bool).triu(1)
        return x, later & (self.kind != "without a mask")

    @torch.no_grad()
    def read(self, sentence: str, most: int = POSITIONS) -> Reading:
        """Read the words of a sentence, and look at what it looks at.

        Args:
            sentence: words that it doesn't know are left out.
            most: how many words to read.
        """
        words, unknown = self.known(sentence)
        words = words[: min(most, POSITIONS - 1) + 1]
        ids = torch.tensor([[self.vocabulary[word] for word in words]])
        x, later = self._first(ids)
        vectors = self.layer.norm1(x)
        looks = self.layer.self_attn(*[vectors] * 3, attn_mask=later, average_attn_weights=False)[1]
        return Reading(words, unknown, vectors[0], looks[0], self(ids)[0, -1].softmax(dim=-1))

    def known(self, sentence: str) -> tuple[list[str], list[str]]:
        """The words of a sentence that it knows, after a `<bos>`, and those that it doesn't."""
        pieces = PIECES.findall(sentence.lower())
        words = [BEGIN, *(word for word in pieces if word in self.vocabulary)]
        return words, list(dict.fromkeys(word for word in pieces if word not in self.vocabulary))

    def projections(self, head: int) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """The matrices (WIDTH, d_k) and biases (d_k,) of a head's queries, keys and values, in this order."""
        own, size = self.layer.self_attn, WIDTH // HEADS
        rows = [slice(first + head * size, first + (head + 1) * size) for first in (0, WIDTH, 2 * WIDTH)]
        return [(own.in_proj_weight[each].detach().T, own.in_proj_bias[each].detach()) for each in rows]

    def most_likely(self, reading: Reading, count: int) -> dict[str, float]:
        """The most probable next words after a reading, with their probabilities."""
        words, found = list(self.vocabulary), reading.following.topk(count)
        return dict(zip([words[number] for number in found.indices], found.values.tolist(), strict=True))


def file_of(kind: str) -> Path:
    """Where the reader's words and weights are kept (kind ""), or the weights of one of `OTHERS`."""
    return FILE.with_name(OTHERS[kind]) if kind else FILE


def write(model: Reader, file: Path = FILE) -> None:
    """Keep a reader's words and weights: matrices in 8 bits with one scale a row, the rest in 16.

    Of one of `OTHERS`, the words and their vectors aren't kept.
    """
    import numpy

    kept = {} if model.kind else {"vocabulary": numpy.array(list(model.vocabulary))}
    for name, weights in model.state_dict().items():
        if model.kind and name == "words.weight":
            continue
        if weights.dim() == 2:
            scales = (weights.abs().amax(dim=1, keepdim=True) / 127).clamp(min=1e-6)
            kept[name + SCALES], weights = scales.half().numpy(), (weights / scales).round().to(torch.int8)
        kept[name] = weights.numpy() if weights.dtype == torch.int8 else weights.half().numpy()
    numpy.savez_compressed(file, allow_pickle=False, **kept)


@functools.cache
def for_a_page() -> dict:
    """The reader's words and weights as model.js reads them: int8 with scales, and float32, in base64."""
    import numpy

    def packed(numbers: numpy.ndarray) -> str:
        return base64.b64encode(numbers.tobytes()).decode()

    weights: dict[str, dict] = {}
    with numpy.load(FILE) as kept:
        for name in (name for name in kept if name.endswith(PLAIN)):
            if name + SCALES in kept:
                columns, scales = kept[name].shape[1], packed(kept[name + SCALES].astype("<f4"))
                weights[name] = {"bytes": packed(kept[name]), "columns": columns, "scales": scales}
            else:
                weights[name] = {"bytes": packed(kept[name].astype("<f4"))}
        return {"vocabulary": kept["vocabulary"].tolist(), "heads": HEADS, "weights": weights}


@functools.cache
def reader(file: Path | None = None, kind: str = "") -> Reader:
    """The trained reader, or one of `OTHERS`, whose words are the reader's.

    Raises:
        KeyError: there is no such kind.
    """
    import numpy

    shared = reader() if kind else None
    with numpy.load(file or file_of(kind)) as kept:
        words = list(shared.vocabulary) if shared else kept["vocabulary"].tolist()
        weights = {name: torch.from_numpy(kept[name]).float() for name in kept if name.endswith(PLAIN)}
        scales = {name: torch.from_numpy(kept[name + SCALES]) for name in weights if name + SCALES in kept}
    weights |= {name: weights[name] * scales[name].float() for name in scales}
    if shared:
        weights["words.weight"] = shared.words.weight.detach()
    model = Reader(words, kind)
    model.load_state_dict(weights)
    return model.eval()
