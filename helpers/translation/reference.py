"""Translating: what lesson 11 asks for, from the loss to BLEU. The model is in `helpers/models/`.

`B` batch, `T` positions, `C` or `d_model` channels, `V` vocabulary. A mask is boolean, True = "may attend".
"""

import math
from collections.abc import Callable, Sequence

import torch

from helpers.models.encoder_decoder import DecoderBlock

__all__ = [
    "DecoderBlock", "alignment", "beam_search", "bleu",
    "clipped_matches", "decoder_work", "greedy_decode", "label_smoothed_loss",
    "paper_rate",
]  # fmt: skip

Past = tuple[torch.Tensor, torch.Tensor]
Step = Callable[[torch.Tensor], torch.Tensor]

# -- training --------------------------------------------------------------------------------------------


def label_smoothed_loss(logits: torch.Tensor, targets: torch.Tensor, epsilon: float) -> torch.Tensor:
    """The mean cross-entropy against smoothed targets: ε spread evenly over all V tokens, the right one too.

    Args:
        logits: (B, T, V).
        targets: integers, (B, T); -100 where there is none.
        epsilon: how much of the probability is spread, 0 for none.

    Returns:
        A tensor of one number, in nats per token.

    Source: Szegedy et al. 2016, section 7; Vaswani et al. 2017, section 5.4.
    """
    log_p = logits.log_softmax(dim=-1)  # (B, T, V)
    asked = targets != -100
    right = log_p.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1)  # (B, T)
    each = -(1 - epsilon) * right - epsilon * log_p.mean(dim=-1)
    return each[asked].mean()


def paper_rate(step: int, d_model: int, warmup: int) -> float:
    """The paper's learning rate: up in a straight line until `warmup`, then down as 1/√step.

    Args:
        step: from 1 on.
        d_model: C.
        warmup: the step of the peak.

    Source: Vaswani et al. 2017, equation 3.
    """
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)


# -- decoding --------------------------------------------------------------------------------------------


def greedy_decode(
    step: "Step", rows: int, longest: int, bos: int = 1, eos: int = 2, pad: int = 0
) -> torch.Tensor:
    """Write the most likely token, again and again, for several sentences at once.

    Args:
        step: gives scores (B, V) for the next token after tokens (B, t), which begin with `<bos>`.
        rows: B, how many sentences.
        longest: how many tokens are written at most.
        bos: the number of `<bos>`.
        eos: the number of `<eos>`: a row that has written it is finished.
        pad: the number of `<pad>`, which finished rows get.

    Returns:
        The tokens without `<bos>`, (B, T); T is `longest`, or less where all rows are finished before.
    """
    tokens = torch.full((rows, 1), bos)
    finished = torch.zeros(rows, dtype=torch.bool)
    while tokens.size(1) <= longest and not finished.all():
        best = step(tokens).argmax(dim=-1).masked_fill(finished, pad)
        tokens = torch.cat([tokens, best.unsqueeze(1)], dim=1)
        finished = finished | (best == eos)
    return tokens[:, 1:]


def decoder_work(length: int) -> tuple[int, int, int, int]:
    """The work of writing `length` tokens one by one, in one layer and one head.

    Returns:
        Positions that go through the layer without a cache, and with one; scores of the self-attention, a
        query with a key, without a cache, and with one. Without: all positions again at each step, whole
        square tables. With: only the new position.
    """
    steps = range(1, length + 1)
    return sum(steps), length, sum(t * t for t in steps), sum(steps)


def beam_search(
    step: "Step", beams: int, longest: int, alpha: float, bos: int = 1, eos: int = 2
) -> list[tuple[float, list[int]]]:
    """Follow the `beams` most likely beginnings of one sentence at once.

    Of all continuations of all running hypotheses by one token, the `beams` most likely stay. Those that
    end in `<eos>` are finished and leave; the others go on.

    Args:
        step: gives log-probabilities (n, V) for the next token after tokens (n, t), `<bos>` first.
        beams: how many stay at each step.
        longest: how many tokens are written at most; a hypothesis still running then ends there.
        alpha: of the penalty ((5 + length) / 6)^α, by which log-probabilities are divided; 0 for none.
        bos: the number of `<bos>`.
        eos: the number of `<eos>`.

    Returns:
        The finished hypotheses, best first: normalised score, and tokens without `<bos>`.

    Source: Sutskever et al. 2014, section 3.2; Wu et al. 2016, section 7.
    """
    running: list[tuple[float, list[int]]] = [(0.0, [bos])]
    finished: list[tuple[float, list[int]]] = []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))  # (n, V)
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [
        (value / ((5 + len(tokens) - 1) / 6) ** alpha, tokens[1:]) for value, tokens in finished + running
    ]
    return sorted(scored, key=lambda one: -one[0])


# -- measuring -------------------------------------------------------------------------------------------


def clipped_matches(candidate: "Sequence[str]", reference: "Sequence[str]", n: int) -> tuple[int, int]:
    """How many of a candidate's n-grams the reference has, each counted at most as often as it is there.

    Args:
        candidate: words.
        reference: words.
        n: how many words in a row.

    Returns:
        The matches, and how many n-grams the candidate has.

    Source: Papineni et al. 2002, section 2.1.
    """
    ours, theirs = (
        [tuple(words[at : at + n]) for at in range(len(words) - n + 1)] for words in (candidate, reference)
    )
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in set(ours)), len(ours)


def bleu(candidates: "Sequence[str]", references: "Sequence[str]") -> float:
    """BLEU of a whole test set, 0 to 100: geometric mean of four precisions, times the brevity penalty.

    Matches and n-grams are summed over all sentences before one is divided by the other.

    Args:
        candidates: translations, words with spaces between them.
        references: one for each, in the same form.

    Returns:
        0 if no n-gram of some length matches: there is no smoothing.

    Source: Papineni et al. 2002, section 2.3.
    """
    pairs = [(one.split(), other.split()) for one, other in zip(candidates, references, strict=True)]
    logs = 0.0
    for n in range(1, 5):
        found = [clipped_matches(candidate, reference, n) for candidate, reference in pairs]
        matches, possible = (sum(column) for column in zip(*found, strict=True))
        if matches == 0:
            return 0.0
        logs += math.log(matches / possible) / 4
    c, r = (sum(map(len, side)) for side in zip(*pairs, strict=True))
    penalty = min(1.0, math.exp(1 - r / c))  # for brevity
    return 100 * penalty * math.exp(logs)


def edit_distance(written: "Sequence[str]", right: "Sequence[str]") -> int:
    """How many insertions, deletions and substitutions turn one list into the other, at least.

    Args:
        written: sounds.
        right: sounds.

    Returns:
        An integer: 0 if the two are equal, at most the length of the longer one.

    Source: Wagner and Fischer 1974.
    """
    row = list(range(len(right) + 1))  # from nothing to the first j sounds: j insertions
    for i, one in enumerate(written, 1):
        above, row = row, [i]
        for j, other in enumerate(right, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (one != other)))
    return row[-1]


# -- looking inside --------------------------------------------------------------------------------------


def alignment(weights: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    """The source position that each written word attends to most.

    Args:
        weights: a layer's cross-attention for one sentence, (H, T_t, T_s).
        real: boolean, (T_s,). False is what no word may be aligned with, such as padding and `<eos>`.

    Returns:
        Positions, integers, (T_t,): the largest of the average over the heads.
    """
    return weights.mean(dim=0).masked_fill(~real, -1.0).argmax(dim=-1)
