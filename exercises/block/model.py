"""The model."""

import math

import torch
from torch import Generator, Tensor

from exercises.block import shared
from exercises.block.block import Block
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers.block import LayerNorm, embed, unembed
from helpers.masking import causal_mask

exercise = Entry(
    id="block.model",
    title="The model",
    points=4,
    difficulty=3,
    minutes=12,
    driver="module",
    returns=("logits",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("block.embed", "block.unembed", "block.layer_norm", "block.block"),
    square="the maps of attention are d_model × d_model",
)


@exercise.reference
class DecoderOnly(torch.nn.Module):
    """The reference: as the lesson's own solution."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1))
        for block in self.blocks:
            x = block(x, mask)
        return unembed(self.norm(x), self.words.weight)


@exercise.cases
def model_cases(g: Generator) -> list[Case]:
    """One block and several, one head and two, a batch, a single token, as long as it may be, float64."""

    def case(
        title: str, n_heads: int, width: int, n_layers: int, longest: int, *shape: int,
        dtype: torch.dtype = torch.float32,
    ) -> Case:  # fmt: skip
        sizes = {
            "vocabulary": pick(g, 7, 6), "d_model": n_heads * width, "n_heads": n_heads, "n_layers": n_layers,
            "positions": longest,
        }  # fmt: skip
        ids = shared.ids(g, sizes["vocabulary"], *shape)
        return Case(title, (sizes, _model(g, sizes, dtype), ids))

    return [
        case("one block", 1, pick(g, 4, 5), 1, pick(g, 9, 6), 1, pick(g, 3, 4, 2)),
        case("several blocks", 2, 2, pick(g, 2, 3), 5, 1, pick(g, 3, 4)),
        case("a single token", *pick(g, (1, 4), (2, 2), (3, 1)), 1, 2, pick(g, 1, 2), 1),
        case("as long as the model allows, float64", 1, 4, 1, 5, pick(g, 2, 3), 5, dtype=torch.float64),
    ]


def _model(g: Generator, sizes: dict[str, int], dtype: torch.dtype = torch.float32) -> dict[str, Tensor]:
    C = sizes["d_model"]
    made = {"words.weight": shared.normal(g, sizes["vocabulary"], C, dtype=dtype)}
    made["positions.weight"] = shared.normal(g, sizes["positions"], C, dtype=dtype)
    for number in range(sizes["n_layers"]):
        made |= shared.block(g, C, 4 * C, f"blocks.{number}.", dtype)
    return made | shared.norm(g, "norm", C, dtype)


@exercise.alternative
class ModelByModules(torch.nn.Module):
    """With the embeddings as modules, and a mask made on the spot."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.d_model = d_model
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList([Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers)])
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        T = ids.shape[1]
        x = self.words(ids) * math.sqrt(self.d_model) + self.positions(torch.arange(T))
        earlier = torch.tril(torch.ones(T, T)) == 1
        for block in self.blocks:
            x = block(x, mask=earlier)
        return self.norm(x) @ self.words.weight.transpose(0, 1)


@exercise.alternative
class ModelInALoop(torch.nn.Module):
    """With numbered blocks, and the mask anew for each."""

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        hidden = embed(ids, self.words.weight, self.positions.weight)
        for number in range(len(self.blocks)):
            hidden = self.blocks[number](hidden, causal_mask(ids.size(1)))
        return unembed(self.norm(hidden), self.words.weight)


exercise.slip("NotCausal", "block(x, mask) → block(x)").says(
    "No mask is passed to the blocks, so each position sees the token that it should predict."
)
exercise.slip("LooksBack", "causal_mask(ids.size(-1)) → causal_mask(ids.size(-1)).T").says(
    "The mask is inverted: a position may attend to itself and to earlier ones."
)
exercise.slip(
    "OnlyTheFirstIsCausal",
    "for block in self.blocks:\n"
    "            x = block(x, mask) → for number, block in enumerate(self.blocks):\n"
    "            x = block(x, None if number else mask)",
).says("Only the first block gets the mask: one block that looks ahead is enough for a leak.")
exercise.slip("LastNormForgotten", "self.norm(x) → x").says(
    "The last norm is missing: with the norms first, nothing has normalised the path itself yet."
)
exercise.slip(
    "NormBeforeTheBlocks",
    "for block in self.blocks: → x = self.norm(x)\n        for block in self.blocks:",
    "self.norm(x) → x",
).says("The norm comes before the blocks: it belongs after the last of them.")
exercise.slip("NormAfterEach", "block(x, mask) → self.norm(block(x, mask))", "self.norm(x) → x").says(
    "The norm comes after every block: it comes once, after the last."
)
exercise.slip("FirstBlockAgain", "block(x, mask) → self.blocks[0](x, mask)").says(
    "The first block is used again and again: each block has weights of its own."
)
exercise.slip(
    "LastBlockAlone", "x = block(x, mask) → y = block(x, mask)", "self.norm(x) → self.norm(y)"
).says(
    "Each block gets the embedding, so only the last block counts: each should read the output of the "
    "one before."
)
exercise.slip(
    "FirstBlockAlone",
    "mask = causal_mask(ids.size(-1)) → x = self.blocks[0](x, causal_mask(ids.size(-1)))",
    "        for block in self.blocks:\n            x = block(x, mask)\n →",
).says("Only the first block is used: all of them should run, one after another.")
exercise.slip("AddedTwice", "block(x, mask) → x + block(x, mask)").says(
    "The blocks' outputs are added to x, but a block has its residual path inside."
)
exercise.slip(
    "Probabilities",
    "unembed(self.norm(x), self.words.weight) → unembed(self.norm(x), self.words.weight).softmax(-1)",
).says("These are probabilities: logits are what comes before the softmax.")
exercise.slip(
    "LogProbabilities",
    "unembed(self.norm(x), self.words.weight) → unembed(self.norm(x), self.words.weight).log_softmax(dim=-1)",
).says(
    "These are log-probabilities: logits are the scores before any softmax, and the loss takes its own "
    "logarithms."
)
exercise.slip(
    "PositionsFromOne",
    "x = embed(ids, self.words.weight, self.positions.weight) → moved = self.positions.weight.roll(-1, 0)\n"
    "        x = embed(ids, self.words.weight, moved)",
).says("Positions are counted from 1: the first token gets row 0 of the positions' table.")
exercise.slip(
    "TokensForLogits",
    "unembed(self.norm(x), self.words.weight) → unembed(self.norm(x), self.words.weight).argmax(dim=-1)",
).says(
    "The likeliest token is returned: the exercise asks for logits, a score for each token of the vocabulary."
)
exercise.slip("HiddenVectors", "unembed(self.norm(x), self.words.weight) → self.norm(x)").says(
    "These are the vectors after the last norm: `unembed` turns them into a score for each token."
)
exercise.slip("LastPositionAlone", "self.norm(x) → self.norm(x[:, -1:])").says(
    "These are the last position's logits alone: each position predicts what comes after it."
)
exercise.slip(
    "EmbeddingNotScaled",
    "embed(ids, self.words.weight, self.positions.weight) → self.words(ids) + self.positions.weight[: "
    "ids.size(-1)]",
).says("The embedding isn't multiplied by √C: your `embed` should do that.")
exercise.slip(
    "PositionsForgotten",
    "embed(ids, self.words.weight, self.positions.weight) → math.sqrt(self.words.weight.size(-1)) * "
    "self.words(ids)",
).says("The positions are left out: then only the mask says anything about the order of the tokens.")
exercise.slip(
    "BackwardsThroughTheBlocks",
    "for block in self.blocks:\n"
    "            x = block(x, mask) → for block in reversed(self.blocks):\n"
    "            x = block(x, mask)",
).says("The blocks are passed from the last to the first.")
exercise.slip(
    "ScaledOnTheWayOut",
    "unembed(self.norm(x), self.words.weight) → math.sqrt(x.size(-1)) * unembed(self.norm(x), "
    "self.words.weight)",
).says("The scores are multiplied by √C: the factor belongs to the way in alone.")
exercise.slip("MaskInverted", "causal_mask(ids.size(-1)) → ~causal_mask(ids.size(-1))").says(
    "The mask is inverted: True means that a position may be seen, and the last one then sees nothing, which "
    "gives NaN."
)
exercise.slip("NothingIsLearned", "x = block(x, mask) → x = block(x, mask).detach()").says(
    "`.detach()` behind a block lets no gradient through: nothing before the last norm would ever learn."
)
exercise.slip(
    "LastBlockSkipped", "range(len(self.blocks)) → range(len(self.blocks) - 1)", of=ModelInALoop
).says("The last block is left out: range(n) already ends at n − 1.")
exercise.slip("LastVectorAlone", "self.norm(x) → self.norm(x[:, -1])").says(
    "Only the last position is scored: each position predicts what comes after it."
)
