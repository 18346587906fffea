"""Today's block."""

import torch
from torch import Generator

from exercises.modern import shared
from exercises.modern.attention import GroupedAttention
from exercises.modern.gated import GatedFeedForward
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers.modern import rms_norm

exercise = Entry(
    id="modern.block",
    title="Today's block",
    points=3,
    difficulty=2,
    minutes=6,
    driver="module",
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("modern.rms_norm", "modern.gated", "modern.attention"),
    square="the maps of attention are d_model × d_model",
)


@exercise.reference
class Block(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        x = x + self.attention(rms_norm(x, self.norm_1))
        return x + self.feed_forward(rms_norm(x, self.norm_2))


@exercise.cases
def block_cases(g: Generator) -> list[Case]:
    """One head and several, one position, a batch, float64."""

    def case(
        title: str, C: int, H: int, G: int, d_ff: int, *shape: int, dtype: torch.dtype = torch.float32
    ) -> Case:
        sizes = {"d_model": C, "n_heads": H, "n_groups": G, "d_ff": d_ff}
        weights = shared.attention(g, C, H, G, "attention.", dtype) | shared.network(
            g, C, d_ff, "feed_forward.", dtype
        )
        weights |= {name: 1 + shared.normal(g, C, spread=0.4, dtype=dtype) for name in ("norm_1", "norm_2")}
        return Case(title, (sizes, weights, 2 * shared.normal(g, *shape, C, dtype=dtype)))

    return [
        case("one head", 4, 1, 1, pick(g, 5, 6, 7), 1, pick(g, 3, 5)),
        case(
            "heads share their keys", *pick(g, (4, 2, 1), (8, 4, 2), (6, 3, 1)), 7, *pick(g, (1, 5), (2, 3))
        ),
        case("one position", 4, 2, 1, 3, pick(g, 2, 3, 5), 1),
        case(
            "a batch, float64",
            *pick(g, (4, 2, 2), (6, 3, 3)),
            3,
            *pick(g, (2, 5), (4, 2), (5, 4)),
            dtype=torch.float64,
        ),
    ]


@exercise.alternative
class BlockInSteps(torch.nn.Module):
    """Line by line, and the sums the other way round."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.norm_1 = torch.nn.Parameter(torch.ones(d_model))
        self.norm_2 = torch.nn.Parameter(torch.ones(d_model))
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)

    def forward(self, x):
        normed = rms_norm(x, self.norm_1)
        attended = self.attention(normed)
        path = attended + x
        normed = rms_norm(path, self.norm_2)
        return self.feed_forward(normed) + path


@exercise.alternative
class BlockByASublayer(torch.nn.Module):
    """With a function for both sublayers."""

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = (torch.nn.Parameter(torch.ones(d_model)) for _ in range(2))

    def forward(self, x):
        for sublayer, weight in [(self.attention, self.norm_1), (self.feed_forward, self.norm_2)]:
            x = x + sublayer(torch.nn.functional.rms_norm(x, weight.shape, weight, 1e-6))
        return x


exercise.slip(
    "NoResidual",
    "x + self.attention(rms_norm(x, self.norm_1)) → self.attention(rms_norm(x, self.norm_1))",
    "x + self.feed_forward(rms_norm(x, self.norm_2)) → self.feed_forward(rms_norm(x, self.norm_2))",
).says("There is no residual path: each sublayer's output is added to x.")
exercise.slip(
    "FirstPathMissing",
    "x + self.attention(rms_norm(x, self.norm_1)) → self.attention(rms_norm(x, self.norm_1))",
).says("Attention's output replaces x: add it to x.")
exercise.slip(
    "SecondPathMissing",
    "x + self.feed_forward(rms_norm(x, self.norm_2)) → self.feed_forward(rms_norm(x, self.norm_2))",
).says("The network's output replaces x: add it to x.")
exercise.slip("FirstNormTwice", "rms_norm(x, self.norm_2) → rms_norm(x, self.norm_1)").says(
    "Both norms use norm_1: the weights of the second are norm_2."
)
exercise.slip("SublayersReadRaw", "rms_norm(x, self.norm_1) → x", "rms_norm(x, self.norm_2) → x").says(
    "Nothing is normalised: each sublayer reads x through its norm."
)
exercise.slip(
    "PostNorm",
    "x + self.attention(rms_norm(x, self.norm_1)) → rms_norm(x + self.attention(x), self.norm_1)",
    "x + self.feed_forward(rms_norm(x, self.norm_2)) → rms_norm(x + self.feed_forward(x), self.norm_2)",
).says(
    "The norms come last, as in 2017: here each sublayer reads what is normalised, and the path stays a "
    "plain sum."
)
exercise.slip(
    "PathNormalised",
    "x + self.attention(rms_norm(x, self.norm_1)) → rms_norm(x, self.norm_1)",
    "return x + self.feed_forward(rms_norm(x, self.norm_2)) → x = x + self.attention(x)\n"
    "        x = rms_norm(x, self.norm_2)\n"
    "        return x + self.feed_forward(x)",
).says("The path itself is normalised: only what a sublayer reads is.")
exercise.slip(
    "NormsExchangedHere",
    "rms_norm(x, self.norm_1) → rms_norm(x, self.norm_2)",
    "rms_norm(x, self.norm_2) → rms_norm(x, self.norm_1)",
).says("The norms' weights are swapped: `norm_1` comes before attention, `norm_2` before the network.")
exercise.slip(
    "FeedForwardFirst",
    "self.attention(rms_norm(x, self.norm_1)) → self.feed_forward(rms_norm(x, self.norm_2))",
    "self.feed_forward(rms_norm(x, self.norm_2)) → self.attention(rms_norm(x, self.norm_1))",
).says("The network comes first: attention gathers, then the network works on what was gathered.")
exercise.slip(
    "SideBySide",
    "self.feed_forward(normed) + path → (x + attended) + self.feed_forward(rms_norm(x, self.norm_2))",
    of=BlockInSteps,
).says(
    "Both sublayers read the same x, as in some models since GPT-J: here the network reads x with "
    "attention's output added."
)
exercise.slip(
    "FirstPathAgain",
    "self.attention(normed) → x + self.attention(rms_norm(x, self.norm_1))",
    "self.feed_forward(normed) + path → x + self.feed_forward(rms_norm(attended, self.norm_2))",
    of=BlockInSteps,
).says("The second sum starts from the x that came in: it should start from the first sum.")
exercise.slip(
    "SecondPathNormalised",
    "self.feed_forward(normed) + path → self.feed_forward(normed) + normed",
    of=BlockInSteps,
).says(
    "The second sum starts from the normalised vectors: it starts from the first sum as it is, and only "
    "what the network reads is normalised."
)
exercise.slip("FirstPathNormalised", "attended + x → attended + normed", of=BlockInSteps).says(
    "The first sum starts from the normalised vectors: it starts from x as it is, and only what attention "
    "reads is normalised."
)
exercise.slip(
    "SublayersNormalised",
    "self.attention(rms_norm(x, self.norm_1)) → rms_norm(self.attention(x), self.norm_1)",
    "self.feed_forward(rms_norm(x, self.norm_2)) → rms_norm(self.feed_forward(x), self.norm_2)",
).says("The sublayers' outputs are normalised: the norms belong on their inputs.")
exercise.slip("SecondNormMissing", "self.feed_forward(rms_norm(x, self.norm_2)) → self.feed_forward(x)").says(
    "The network reads the sum as it is: it has a norm of its own in front, with the weights norm_2."
)
exercise.slip("FirstNormMissing", "self.attention(rms_norm(x, self.norm_1)) → self.attention(x)").says(
    "Attention reads x as it is: it has a norm of its own in front, with the weights norm_1."
)
exercise.slip(
    "InputAddedLate",
    "self.attention(normed) → self.attention(rms_norm(x, self.norm_1))",
    "self.feed_forward(normed) + path → x + self.feed_forward(rms_norm(attended, self.norm_2))",
    of=BlockInSteps,
).says(
    "The network reads attention's output alone, and x is added at the end: x is added to attention's output "
    "first, and that sum goes on."
)
exercise.slip(
    "NormAtTheEnd",
    "return x + self.feed_forward(rms_norm(x, self.norm_2)) → return rms_norm(x + "
    "self.feed_forward(rms_norm(x, self.norm_2)), self.norm_2)",
).says("There is a norm after the last sum: norms are only in front of the two sublayers.")
