"""BERT: what lesson 10 asks for.

`B` batch, `T` positions, `C` or `d_model` channels, `V` vocabulary. Numbers of special tokens are those of
`helpers.text.vocabulary`. A mask is boolean, and True means "may attend".
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence

import torch
from torch import nn

from helpers.models.transformer import Encoder, EncoderConfig
from helpers.text.vocabulary import CLS, MASK, ORDINARY, PAD, SEP

Model = Callable[[torch.Tensor], torch.Tensor]  # tokens (B, T) to logits (B, T, V)


# -- what BERT reads ---------------------------------------------------------------------------------------


def mask_tokens(
    ids: torch.Tensor, vocabulary: int, generator: torch.Generator, share: float = 0.15
) -> tuple[torch.Tensor, torch.Tensor]:
    """Hide some words, and say what they were.

    Of the chosen words, 80 % become `<mask>`, 10 % a random other word, and 10 % stay.

    Args:
        ids: tokens, (B, T). Special tokens are never chosen.
        vocabulary: V. The words are the numbers from 6 on.
        generator: of the random numbers.
        share: how many of the words are chosen, on average.

    Returns:
        The tokens to read, (B, T), and the labels, (B, T): the word where it was chosen, -100 elsewhere.

    Source: Devlin et al. 2019, section 3.1 and appendix A.1.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= ORDINARY)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(ORDINARY, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen & (fate < 0.8), MASK, ids)
    read = torch.where(chosen & (fate >= 0.9), others, read)
    return read, torch.where(chosen, ids, -100)


def pack(first: Sequence[int], second: Sequence[int], length: int) -> tuple[list[int], list[int]]:
    """Two passages as one row, `[CLS]` first `[SEP]` second `[SEP]`, and the segment of each token.

    If that is too long, words are removed from the end of the longer passage, one by one; if both are equally
    long, from the second.

    Args:
        first: the words of a passage, as numbers.
        second: those of another.
        length: the most tokens that the row may have, at least 3.

    Returns:
        The row, and as many segments: 0 up to the first `[SEP]`, 1 from there up to the second.

    Source: Devlin et al. 2019, section 3, and the published code, `truncate_seq_pair`.
    """
    first, second = list(first), list(second)
    while len(first) + len(second) + 3 > length:
        (first if len(first) > len(second) else second).pop()
    row = [CLS, *first, SEP, *second, SEP]
    return row, [0] * (len(first) + 2) + [1] * (len(second) + 1)


def key_mask(ids: torch.Tensor) -> torch.Tensor:
    """Which keys every query may attend to: tokens that aren't `<pad>`. (B, T) to boolean (B, 1, 1, T)."""
    return (ids != PAD)[:, None, None, :]


def embed(
    ids: torch.Tensor,
    segments: torch.Tensor,
    words: torch.Tensor,
    positions: torch.Tensor,
    kinds: torch.Tensor,
) -> torch.Tensor:
    """The input of the first layer, before its norm: three vectors for each token, summed.

    Args:
        ids: tokens, (B, T).
        segments: 0 or 1 for each token, (B, T).
        words: a vector for each token of the vocabulary, (V, C).
        positions: a vector for each place, (P, C), P at least T.
        kinds: a vector for each segment, (2, C).

    Returns:
        (B, T, C).

    Source: Devlin et al. 2019, figure 2.
    """
    return words[ids] + positions[: ids.size(-1)] + kinds[segments]


# -- the model ---------------------------------------------------------------------------------------------


class WordHead(nn.Module):
    """Predicts the word at a position, by comparison with the embedding.

    Args:
        d_model: C.
        vocabulary: V.

    Source: Devlin et al. 2019, in its published code; the tie to the embedding is Press and Wolf's (2017).
    """

    def __init__(self, d_model: int, vocabulary: int) -> None:
        super().__init__()
        self.transform = nn.Linear(d_model, d_model)
        self.norm = nn.LayerNorm(d_model, eps=1e-12)
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x: torch.Tensor, embedding: torch.Tensor) -> torch.Tensor:
        """Vectors (..., C) and the embedding (V, C) to logits (..., V)."""
        x = self.norm(nn.functional.gelu(self.transform(x)))
        return x @ embedding.T + self.bias


class Bert(nn.Module):
    """An encoder with two heads: which words are hidden, and does the second passage follow?

    Args:
        config: of the encoder, with two segments.

    Source: Devlin et al. 2019, section 3.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.word_head = WordHead(config.d_model, config.vocabulary)
        self.pooler, self.follows = nn.Linear(config.d_model, config.d_model), nn.Linear(config.d_model, 2)

    def forward(self, ids: torch.Tensor, segments: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Packed rows and their segments, (B, T) each, to logits of words (B, T, V) and of 0, 1 (B, 2)."""
        x = self.encoder(ids, ids != PAD, segments)
        whole = self.pooler(x[:, 0]).tanh()
        return self.word_head(x, self.encoder.words.weight), self.follows(whole)


def bert_loss(
    word_logits: torch.Tensor, follows_logits: torch.Tensor, labels: torch.Tensor, follows: torch.Tensor
) -> torch.Tensor:
    """The sum of two means, in nats: over the chosen words, and over the pairs.

    Args:
        word_logits: (B, T, V).
        follows_logits: (B, 2).
        labels: the word where one was chosen, -100 elsewhere, (B, T).
        follows: 1 where the second passage follows, 0 where it doesn't, (B,).

    Returns:
        A tensor of one number.

    Source: Devlin et al. 2019, appendix A.2.
    """
    chosen = labels != -100
    words = nn.functional.cross_entropy(word_logits[chosen], labels[chosen])
    return words + nn.functional.cross_entropy(follows_logits, follows)


class PairClassifier(nn.Module):
    """BERT's backbone and pooler with a new last layer, for a task of pairs.

    Args:
        config: of the encoder, as of the `Bert` whose encoder and pooler are loaded into it.
        classes: how many answers there are.

    Source: Devlin et al. 2019, section 4.1.
    """

    def __init__(self, config: EncoderConfig, classes: int) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.pooler, self.classifier = (
            nn.Linear(config.d_model, config.d_model),
            nn.Linear(config.d_model, classes),
        )

    def forward(self, ids: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        """Packed rows and segments, (B, T) each, to logits (B, classes)."""
        x = self.encoder(ids, ids != PAD, segments)
        return self.classifier(self.pooler(x[:, 0]).tanh())


# -- blanks and writing ------------------------------------------------------------------------------------


def blank_left_to_right(
    model: Model, ids: torch.Tensor, place: int, candidates: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """A language model's probabilities for a blank: from the words before it, and from the whole text.

    Args:
        model: tokens (B, T) to logits (B, T, V) for the next token.
        ids: a text with any token at the blank, (T,). It begins with `<bos>`.
        place: of the blank, at least 1.
        candidates: the words that may stand there, (N,).

    Returns:
        The probabilities of the candidates, (N,) each, which sum to 1: by the next-word scores before the
        blank, and by the probability of the whole text with each of them.
    """
    texts = ids.repeat(len(candidates), 1)
    texts[:, place] = candidates
    log_p = model(texts[:, :-1]).log_softmax(dim=-1)  # (N, T - 1, V)
    each = log_p.gather(-1, texts[:, 1:, None])[..., 0]  # (N, T - 1): log p of each token after the first
    return each[:, place - 1].softmax(dim=0), each.sum(dim=-1).softmax(dim=0)


def fill_and_mask_again(ids: torch.Tensor, logits: torch.Tensor, again: int) -> torch.Tensor:
    """One round of mask-predict, simplified: fill every `<mask>`, then hide the least certain words again.

    In the paper words that stayed in an earlier round can be hidden again as well.

    Args:
        ids: tokens, (B, T).
        logits: of a masked model for these tokens, (B, T, V).
        again: how many of the new words of each row become `<mask>` again; all where there are fewer.

    Returns:
        (B, T). What wasn't `<mask>` stays. Special tokens aren't written.

    Source: Ghazvininejad et al. 2019, section 3.
    """
    hidden = ids == MASK
    p, words = logits[..., ORDINARY:].softmax(dim=-1).max(dim=-1)  # (B, T)
    filled = torch.where(hidden, words + ORDINARY, ids)
    order = p.masked_fill(~hidden, math.inf).argsort(dim=-1)[:, :again]  # the least certain first
    return filled.scatter(-1, order, MASK).where(hidden, ids)


# -- a published checkpoint ----------------------------------------------------------------------------------

# For each layer of an `Encoder` with segments, the layers of a published BERT whose rows fill it.
PUBLISHED_NAMES = {
    "words": ["embeddings.word_embeddings"],
    "positions": ["embeddings.position_embeddings"],
    "segments": ["embeddings.token_type_embeddings"],
    "first_norm": ["embeddings.LayerNorm"],
    "blocks.{}.attention.W_qkv": [
        "encoder.layer.{}.attention.self.query",
        "encoder.layer.{}.attention.self.key",
        "encoder.layer.{}.attention.self.value",
    ],
    "blocks.{}.attention.W_o": ["encoder.layer.{}.attention.output.dense"],
    "blocks.{}.norm_1": ["encoder.layer.{}.attention.output.LayerNorm"],
    "blocks.{}.feed_forward.W_up": ["encoder.layer.{}.intermediate.dense"],
    "blocks.{}.feed_forward.W_down": ["encoder.layer.{}.output.dense"],
    "blocks.{}.norm_2": ["encoder.layer.{}.output.LayerNorm"],
}


def renamed(
    published: Mapping[str, torch.Tensor],
    names: Mapping[str, Sequence[str]],
    n_layers: int,
    turned: Collection[str] = (),
) -> dict[str, torch.Tensor]:
    """Published weights under our names.

    Args:
        published: tensors by their names, which end in ".weight" or ".bias".
        names: for each of our layers, the published ones whose rows fill it, one below the other. {} stands
            for the number of a block.
        n_layers: how many blocks there are.
        turned: those of our layers whose matrices are published as (in, out); ours are (out, in).

    Returns:
        Tensors by our names: what the table names and the file has. A layer without a bias has none here.
    """
    found = {}
    for ours, theirs in names.items():
        for block in range(n_layers if "{}" in ours else 1):
            for kind in ("weight", "bias"):
                sources = [f"{their.format(block)}.{kind}" for their in theirs]
                parts = [published[source] for source in sources if source in published]
                if kind == "weight" and ours in turned:
                    parts = [part.T for part in parts]
                if parts:
                    found[f"{ours.format(block)}.{kind}"] = torch.cat(parts)
    return found
