"""Attention today."""

import math

import torch
from torch import Generator

from exercises.modern import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers.masking import causal_mask, masked_attention
from helpers.modern import rms_norm
from helpers.multihead import merge_heads, split_heads
from helpers.positional import rotary

exercise = Entry(
    id="modern.attention",
    title="Attention today",
    points=5,
    difficulty=4,
    minutes=18,
    driver="module",
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("modern.rms_norm",),
    square="the maps of attention are d_model × d_model",
)


@exercise.reference
class GroupedAttention(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(D)) for _ in range(2))

    def forward(self, x):
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))


@exercise.cases
def attention_cases(g: Generator) -> list[Case]:
    """As many heads of keys as of queries, fewer, one for all; one position; float64."""

    def case(title: str, C: int, H: int, G: int, *shape: int, dtype: torch.dtype = torch.float32) -> Case:
        sizes = {"d_model": C, "n_heads": H, "n_groups": G}
        return Case(
            title, (sizes, shared.attention(g, C, H, G, "", dtype), shared.normal(g, *shape, C, dtype=dtype))
        )

    return [
        case("each head has its own keys", *pick(g, (4, 2, 2), (6, 3, 3), (8, 2, 2)), 1, pick(g, 3, 5)),
        case("some heads share their keys", *pick(g, (12, 6, 3), (12, 6, 2), (16, 8, 2)), 1, pick(g, 3, 5)),
        case("a batch, one head of keys for all", 8, pick(g, 2, 4), 1, *pick(g, (2, 4), (3, 5), (5, 2))),
        case("one position", 4, 2, 1, pick(g, 2, 3), 1),
        case("float64", 6, 3, 1, 1, pick(g, 4, 5), dtype=torch.float64),
    ]


@exercise.alternative
class AttentionWithTorch(torch.nn.Module):
    """With torch's fused attention and a group axis of its own."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.H, self.G = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, d_model, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q = torch.nn.Parameter(torch.ones(D))
        self.norm_k = torch.nn.Parameter(torch.ones(D))

    def forward(self, x):
        B, T, C = x.shape
        D = C // self.H
        q = self.W_q(x).view(B, T, self.H, D).transpose(1, 2)
        k = self.W_k(x).view(B, T, self.G, D).transpose(1, 2)
        v = self.W_v(x).view(B, T, self.G, D).transpose(1, 2)
        q = rotary(rms_norm(q, self.norm_q), torch.arange(T)).reshape(B, self.G, self.H // self.G, T, D)
        k = rotary(rms_norm(k, self.norm_k), torch.arange(T)).unsqueeze(2).expand_as(q)
        v = v.unsqueeze(2).expand_as(q)
        found = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.W_o(found.reshape(B, self.H, T, D).transpose(1, 2).reshape(B, T, C))


@exercise.alternative
class AttentionHeadByHead(torch.nn.Module):
    """One head after the other."""

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        self.n_heads, self.n_groups, self.size = n_heads, n_groups, d_model // n_heads
        self.W_q = torch.nn.Linear(d_model, n_heads * self.size, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * self.size, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * self.size, bias=False)
        self.W_o = torch.nn.Linear(n_heads * self.size, d_model, bias=False)
        self.norm_q, self.norm_k = (torch.nn.Parameter(torch.ones(self.size)) for _ in range(2))

    def forward(self, x):
        T = x.shape[1]
        places, later = torch.arange(T), torch.ones(T, T).triu(1).bool()
        queries, keys = self.W_q(x).split(self.size, dim=-1), self.W_k(x).split(self.size, dim=-1)
        values = self.W_v(x).split(self.size, dim=-1)
        outputs = []
        for head, query in enumerate(queries):
            group = head * self.n_groups // self.n_heads
            q = rotary(rms_norm(query, self.norm_q), places)
            k = rotary(rms_norm(keys[group], self.norm_k), places)
            scores = (q @ k.transpose(-2, -1) / math.sqrt(self.size)).masked_fill(later, -math.inf)
            outputs.append(torch.softmax(scores, dim=-1) @ values[group])
        return self.W_o(torch.cat(outputs, dim=-1))


exercise.slip(
    "NoNorms",
    "rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q) → split_heads(self.W_q(x), self.n_heads)",
    "rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k) → split_heads(self.W_k(x), "
    "self.n_groups)",
).says("Queries and keys aren't normalised: each head's are, before they are turned.")
exercise.slip(
    "KeysNotNormed",
    "rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k) → split_heads(self.W_k(x), "
    "self.n_groups)",
).says("Only the queries are normalised: large keys can still make scores as large as they like.")
exercise.slip(
    "QueriesNotNormed",
    "rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q) → split_heads(self.W_q(x), self.n_heads)",
).says("Only the keys are normalised: large queries can still make scores as large as they like.")
exercise.slip(
    "ValuesNormedToo",
    "split_heads(self.W_v(x), self.n_groups) → rms_norm(split_heads(self.W_v(x), self.n_groups), "
    "self.norm_k)",
).says(
    "The values are normalised as well: only the scores should be kept small, and values have no part in "
    "them."
)
exercise.slip(
    "NormsExchanged",
    "rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q) → rms_norm(split_heads(self.W_q(x), "
    "self.n_heads), self.norm_k)",
    "rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k) → rms_norm(split_heads(self.W_k(x), "
    "self.n_groups), self.norm_q)",
).says("The norms' weights are swapped: `norm_q` belongs to the queries, `norm_k` to the keys.")
exercise.slip(
    "TurnedBeforeNormed",
    "rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q) → split_heads(self.W_q(x), self.n_heads)",
    "rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k) → split_heads(self.W_k(x), "
    "self.n_groups)",
    "rotary(q, places), rotary(k, places) → rms_norm(rotary(q, places), self.norm_q), rms_norm(rotary(k, "
    "places), self.norm_k)",
).says(
    "Queries and keys are turned before they are normalised: the norm's weights then scale features that "
    "are mixed already, so scores depend on more than distances."
)
exercise.slip(
    "NormedBeforeSplit",
    "rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q) → split_heads(rms_norm(self.W_q(x), "
    "self.norm_q.repeat(self.n_heads)), self.n_heads)",
    "rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k) → split_heads(rms_norm(self.W_k(x), "
    "self.norm_k.repeat(self.n_groups)), self.n_groups)",
).says(
    "Queries and keys are normalised over their whole width, before they are split: each head has a size "
    "of its own."
)
exercise.slip(
    "NotTurned",
    "        places = torch.arange(x.size(-2))\n        q, k = rotary(q, places), rotary(k, places)\n →",
).says("Nothing is turned by its position, so attention can't tell the order of earlier tokens.")
exercise.slip("KeysNotTurned", "q, k = rotary(q, places), rotary(k, places) → q = rotary(q, places)").says(
    "Only the queries are turned: it takes both, so that only the distance is left in the scores."
)
exercise.slip(
    "ValuesTurnedToo",
    "q, k = rotary(q, places), rotary(k, places) → q, k, v = rotary(q, places), rotary(k, places), "
    "rotary(v, places)",
).says("The values are turned as well: they are what is read, and positions belong in the scores alone.")
exercise.slip("NotCausal", "causal_mask(x.size(-2)) → torch.ones(1, 1, dtype=torch.bool)").says(
    "Every position sees all others: later ones have to be hidden."
)
exercise.slip("MaskTurned", "causal_mask(x.size(-2)) → ~causal_mask(x.size(-2))").says(
    "The mask is inverted: `causal_mask` is True already where a position may look."
)
exercise.slip("ItselfHidden", "causal_mask(x.size(-2)) → causal_mask(x.size(-2)).tril(-1)").says(
    "A position doesn't see itself here: only later ones are hidden."
)
exercise.slip("CausalTurned", "causal_mask(x.size(-2)) → causal_mask(x.size(-2)).mT").says(
    "The causal mask is inverted: a position may see itself and earlier ones, not later ones."
)
exercise.slip(
    "GroupsTiled",
    "shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) → torch.cat([shared] * (self.n_heads "
    "// self.n_groups), dim=-3)",
).says("The heads of keys are repeated as a row, 0 1 0 1: neighbours share, 0 0 1 1.")
exercise.slip(
    "LastMapForgotten",
    "self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0])) → "
    "merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0])",
).says("`W_o` isn't used: it mixes what the heads have found.")
exercise.slip("ScaledTwice", "rotary(q, places) → rotary(q, places) / q.size(-1) ** 0.5").says(
    "The scores are divided by √D twice: `masked_attention` does it already."
)
exercise.slip("OneNormForBoth", "self.norm_k) → self.norm_q)").says(
    "Keys are normalised with the weights of the queries' norm: theirs are `norm_k`."
)
exercise.slip(
    "UnitLength",
    "rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q) → "
    "torch.nn.functional.normalize(split_heads(self.W_q(x), self.n_heads), dim=-1) * self.norm_q",
    "rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k) → "
    "torch.nn.functional.normalize(split_heads(self.W_k(x), self.n_groups), dim=-1) * self.norm_k",
).says(
    "Queries and keys are divided by their length, as in the paper of 2020: with an RMS norm their length "
    "is √D, and the scores are D times as large."
)
exercise.slip(
    "HeadsNotMerged",
    "merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]) → masked_attention(q, k, v, "
    "causal_mask(x.size(-2)))[0].reshape(x.shape)",
).says(
    "The heads are put into one axis with the positions still inside of them, so positions are mixed up: "
    "`merge_heads` swaps the two axes first."
)
