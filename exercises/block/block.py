"""The block."""

import torch
from torch import Generator, Tensor

from exercises.block import shared
from exercises.block.feed_forward import FeedForward
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers.block import LayerNorm, add_sublayer
from helpers.multihead import MultiHeadAttention

exercise = Entry(
    id="block.block",
    title="The block",
    points=4,
    difficulty=3,
    minutes=12,
    driver="module",
    returns=("output",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("multihead.module", "block.layer_norm", "block.gelu", "block.feed_forward", "block.add_sublayer"),
    square="the maps of attention are d_model × d_model",
)


@exercise.reference
class Block(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = add_sublayer(x, lambda y: self.attention(y, mask=mask)[0], self.norm_1)
        return add_sublayer(x, self.feed_forward, self.norm_2)


@exercise.cases
def block_cases(g: Generator) -> list[Case]:
    """One head and several, with a causal mask, with padding, with a mask of each head, large numbers."""

    def case(
        title: str, C: int, heads: int, d_ff: int, B: int, T: int, mask: Tensor | None = None,
        dtype: torch.dtype = torch.float32, spread: float = 1,
    ) -> Case:  # fmt: skip
        x = shared.normal(g, B, T, C, dtype=dtype, spread=spread)
        given = {} if mask is None else {"mask": mask}
        return Case(title, (_sizes(C, heads, d_ff), shared.block(g, C, d_ff, dtype=dtype), x), given)

    padding = torch.tensor([[True, True, False], [True, True, True]])[torch.randperm(2, generator=g)]
    T = pick(g, 3, 5, 1)
    seen = torch.rand(1, 2, 3, 3, generator=g) < 0.5
    seen |= torch.eye(3, dtype=torch.bool)  # each query sees something
    return [
        case("one head", pick(g, 4, 5), 1, pick(g, 5, 3), 1, pick(g, 3, 2)),
        case("two heads, no word sees a later one", 4, 2, 6, 1, T, torch.ones(T, T, dtype=torch.bool).tril()),
        case(
            "two sentences, a mask (B, 1, 1, T) that hides padding", *pick(g, (4, 2, 3), (6, 2, 4)), 2, 3,
            padding[:, None, None], spread=3,
        ),
        case("a mask of its own for each head", 4, 2, 3, pick(g, 1, 5), 3, seen),
        case("float64", *pick(g, (6, 3, 4), (4, 2, 6), (6, 1, 3)), 1, 2, dtype=torch.float64),
    ]  # fmt: skip


def _sizes(d_model: int, n_heads: int, d_ff: int) -> dict[str, int]:
    return {"d_model": d_model, "n_heads": n_heads, "d_ff": d_ff}


@exercise.alternative
class BlockInSteps(torch.nn.Module):
    """Without `add_sublayer`, line by line."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        attended, _ = self.attention(self.norm_1(x), mask=mask)
        x = x + attended
        x = x + self.feed_forward(self.norm_2(x))
        return x


@exercise.alternative
class BlockWithFunctions(torch.nn.Module):
    """With a function inside, and torch's norms."""

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1 = torch.nn.LayerNorm(d_model)
        self.norm_2 = torch.nn.LayerNorm(d_model)

    def forward(self, x, mask=None):
        def attend(y):
            outputs, _ = self.attention(y, y, mask)
            return outputs

        return add_sublayer(add_sublayer(x, attend, self.norm_1), self.feed_forward, self.norm_2, True)


exercise.slip(
    "NoResidual", "x + attended → attended", "x + self.feed_forward → self.feed_forward", of=BlockInSteps
).says("There is no residual path: each sublayer's output should be added to x.")
exercise.slip("OnlyFirstResidual", "x + self.feed_forward → self.feed_forward", of=BlockInSteps).says(
    "The feed-forward network has no residual path: its output should be added, too."
)
exercise.slip("OnlySecondResidual", "x + attended → attended", of=BlockInSteps).says(
    "Attention has no residual path: its output should be added, too."
)
exercise.slip(
    "PostNorm",
    "self.norm_1(x) → x",
    "x + attended → self.norm_1(x + attended)",
    "x + self.feed_forward(self.norm_2(x)) → self.norm_2(x + self.feed_forward(x))",
    of=BlockInSteps,
).says("The norms come after the sums: this block has them in front of each sublayer.")
exercise.slip(
    "PathNormalised",
    "x = add_sublayer(x, lambda y: self.attention(y, mask=mask)[0], self.norm_1) → x = self.norm_1(x)\n"
    "        x = x + self.attention(x, mask=mask)[0]",
    "return add_sublayer(x, self.feed_forward, self.norm_2) → x = self.norm_2(x)\n"
    "        return x + self.feed_forward(x)",
).says("The residual path goes through the norms as well: only what a sublayer reads is normalised.")
exercise.slip("NoNorms", "self.norm_1(x) → x", "self.norm_2(x) → x", of=BlockInSteps).says(
    "The norms aren't used: each sublayer should read the path through its own."
)
exercise.slip("FirstNormTwice", "self.norm_2(x) → self.norm_1(x)", of=BlockInSteps).says(
    "Both sublayers use the first norm: the second has one of its own."
)
exercise.slip(
    "NormsExchanged", "self.norm_1(x) → self.norm_2(x)", "self.norm_2(x) → self.norm_1(x)", of=BlockInSteps
).says(
    "The two norms are swapped: `norm_1` comes before attention, `norm_2` before the feed-forward network."
)
exercise.slip(
    "FeedForwardFirst",
    "        attended, _ = self.attention(self.norm_1(x), mask=mask)\n        x = x + attended\n →",
    "return x → return x + self.attention(self.norm_1(x), mask=mask)[0]",
    of=BlockInSteps,
).says(
    "The feed-forward network comes first: it should come after attention, and work on what that has "
    "gathered."
)
exercise.slip(
    "FeedForwardFirstByTheNorms",
    "        attended, _ = self.attention(self.norm_1(x), mask=mask)\n        x = x + attended\n →",
    "self.norm_2(x) → self.norm_1(x)",
    "return x → return x + self.attention(self.norm_2(x), mask=mask)[0]",
    of=BlockInSteps,
).says(
    "The feed-forward network comes first, with `norm_1`, and attention second, with `norm_2`: it is the "
    "other way round, so that the network works on what attention has gathered."
)
exercise.slip("SideBySide", "x = x + attended\n        x = x + → x = x + attended +", of=BlockInSteps).says(
    "Both sublayers read the same x: the feed-forward network comes second, and reads what attention has "
    "added."
)
exercise.slip("MaskDropped", ", mask=mask →", of=BlockInSteps).says("The mask isn't passed on to attention.")
exercise.slip("MaskForX", "mask=mask → mask", of=BlockInSteps).says(
    "The mask is passed second, where `attention` takes the sequence that keys and values come from: "
    "pass it by name, mask=mask."
)
exercise.slip(
    "KeysNotNormalised", "self.norm_1(x), mask=mask → self.norm_1(x), x, mask", of=BlockInSteps
).says("Only the queries are normalised: keys and values should be made from the same normalised vectors.")
exercise.slip(
    "QueriesNotNormalised", "self.norm_1(x), mask=mask → x, self.norm_1(x), mask", of=BlockInSteps
).says("Only keys and values are normalised: the queries should be made from the same normalised vectors.")
exercise.slip(
    "FirstPathAgain",
    "x = x + attended → y = x + attended",
    "self.norm_2(x) → self.norm_2(y)",
    of=BlockInSteps,
).says("The second sum starts from the block's input: it should start from the sum after attention.")
exercise.slip("NoFeedForward", "        x = x + self.feed_forward(self.norm_2(x))\n →", of=BlockInSteps).says(
    "The feed-forward network isn't used."
)
exercise.slip("NoAttention", "        x = x + attended\n →", of=BlockInSteps).says(
    "Attention isn't used, so no position learns anything from the others."
)
exercise.slip(
    "SublayersNormalised",
    "self.norm_1(x) → x",
    "x + attended → x + self.norm_1(attended)",
    "self.feed_forward(self.norm_2(x)) → self.norm_2(self.feed_forward(x))",
    of=BlockInSteps,
).says("The sublayers' outputs are normalised: the norms belong on their inputs.")
exercise.slip("MaskTurnedRound", "mask=mask → mask=None if mask is None else ~mask", of=BlockInSteps).says(
    "The mask is inverted, as some other libraries have it: `attention` takes True for “may attend”, as the "
    "block does, and a query that may see nothing gets NaN."
)
exercise.slip(
    "DropoutInside",
    "x = x + attended → x = x + torch.dropout(attended, 0.1, self.training)",
    "x + self.feed_forward(self.norm_2(x)) → x + torch.dropout(self.feed_forward(self.norm_2(x)), 0.1, "
    "self.training)",
    of=BlockInSteps,
).says(
    "Dropout is applied to the sublayers' outputs, so training gives different numbers from the formulas': "
    "this block has none."
)
exercise.slip(
    "SecondPathNormalised",
    "x = x + self.feed_forward(self.norm_2(x)) → x = self.norm_2(x)\n        x = x + self.feed_forward(x)",
    of=BlockInSteps,
).says(
    "The second residual path starts at the normalised vectors: only what the feed-forward network reads "
    "goes through `norm_2`."
)
