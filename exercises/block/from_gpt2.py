"""Weights of GPT-2."""

import math

import torch
from torch import Generator, Tensor

from exercises.block import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers import block

exercise = Entry(
    id="block.from_gpt2",
    title="Weights of GPT-2",
    points=4,
    difficulty=4,
    minutes=20,
    reference=block.from_gpt2,
    returns=("state dict",),
    properties=(inputs_unchanged,),
    square="GPT-2's maps of attention are d_model × d_model",
)


@exercise.cases
def gpt2_cases(g: Generator) -> list[Case]:
    """One layer and several, small enough to read; square maps, so that a transpose must be known."""

    def case(title: str, C: int, n_layers: int, longest: int, dtype: torch.dtype = torch.float32) -> Case:
        return Case(title, (_gpt2(g, C, n_layers, longest, dtype), n_layers))

    return [
        case("one layer", pick(g, 3, 2), 1, 1),
        case("several layers, float64", 2, pick(g, 2, 3), pick(g, 3, 4), torch.float64),
    ]


def _gpt2(g: Generator, C: int, n_layers: int, longest: int, dtype: torch.dtype) -> dict[str, Tensor]:
    """A state dict as `transformers` has it; the head is there as well, as it is in its files."""
    words = shared.normal(g, pick(g, 5, 7), C, dtype=dtype)
    places = shared.normal(g, longest, C, dtype=dtype)
    state = {"transformer.wte.weight": words, "transformer.wpe.weight": places}
    shapes = {
        "ln_1": (C,), "attn.c_attn": (C, 3 * C), "attn.c_proj": (C, C), "ln_2": (C,), "mlp.c_fc": (C, 4 * C),
        "mlp.c_proj": (4 * C, C),
    }  # fmt: skip
    for layer in range(n_layers):
        for name, shape in shapes.items():
            state[f"transformer.h.{layer}.{name}.weight"] = shared.normal(g, *shape, dtype=dtype)
            state[f"transformer.h.{layer}.{name}.bias"] = shared.normal(g, shape[-1], dtype=dtype)
    state["transformer.ln_f.weight"] = shared.normal(g, C, dtype=dtype)
    state["transformer.ln_f.bias"] = shared.normal(g, C, dtype=dtype)
    return state | {"lm_head.weight": words}


@exercise.alternative
def gpt2_written_out(state, n_layers):
    root = math.sqrt(state["transformer.wte.weight"].shape[1])
    made = {"words.weight": state["transformer.wte.weight"] / root}
    made["positions.weight"] = state["transformer.wpe.weight"]
    for i in range(n_layers):
        old, new = f"transformer.h.{i}.", f"blocks.{i}."
        q, k, v = state[old + "attn.c_attn.weight"].T.split(state["transformer.wpe.weight"].shape[1])
        made[new + "attention.W_q.weight"] = q
        made[new + "attention.W_k.weight"] = k
        made[new + "attention.W_v.weight"] = v
        q, k, v = state[old + "attn.c_attn.bias"].view(3, -1)
        made[new + "attention.W_q.bias"] = q
        made[new + "attention.W_k.bias"] = k
        made[new + "attention.W_v.bias"] = v
        made[new + "attention.W_o.weight"] = state[old + "attn.c_proj.weight"].t()
        made[new + "attention.W_o.bias"] = state[old + "attn.c_proj.bias"]
        made[new + "feed_forward.W_up.weight"] = state[old + "mlp.c_fc.weight"].t()
        made[new + "feed_forward.W_up.bias"] = state[old + "mlp.c_fc.bias"]
        made[new + "feed_forward.W_down.weight"] = state[old + "mlp.c_proj.weight"].t()
        made[new + "feed_forward.W_down.bias"] = state[old + "mlp.c_proj.bias"]
        for number in (1, 2):
            made[new + f"norm_{number}.weight"] = state[old + f"ln_{number}.weight"]
            made[new + f"norm_{number}.bias"] = state[old + f"ln_{number}.bias"]
    made["norm.weight"] = root * state["transformer.ln_f.weight"]
    made["norm.bias"] = root * state["transformer.ln_f.bias"]
    return made


@exercise.alternative
def gpt2_by_renaming(state, n_layers):
    C = state["transformer.wpe.weight"].size(1)
    rename = {
        "wte": "words", "wpe": "positions", "ln_f": "norm", ".h.": ".blocks.", "attn.c_proj": "attention.W_o",
        "mlp.c_fc": "feed_forward.W_up", "mlp.c_proj": "feed_forward.W_down", "ln_": "norm_",
    }  # fmt: skip
    made = {}
    for name, tensor in state.items():
        if name == "lm_head.weight":
            continue
        if ".c_" in name and name.endswith("weight"):
            tensor = tensor.mT
        if "c_attn" in name:
            for letter, part in zip("qkv", tensor.chunk(3), strict=True):
                block = name.split(".")[2]
                made[f"blocks.{block}.attention.W_{letter}.{name.split('.')[-1]}"] = part
            continue
        for old, new in rename.items():
            name = name.replace(old, new)
        made[name.removeprefix("transformer.")] = tensor
    made["words.weight"] = made["words.weight"] * C**-0.5
    for end in ("weight", "bias"):
        made[f"norm.{end}"] = made[f"norm.{end}"] * C**0.5
    return made


exercise.slip(
    "embedding_as_it_is",
    'transformer.wte.weight"] / math.sqrt(C) → transformer.wte.weight"]',
    'ln_f.weight"] * math.sqrt(C) → ln_f.weight"]',
    'ln_f.bias"] * math.sqrt(C) → ln_f.bias"]',
).says(
    "The words are taken as they are, but your `embed` multiplies them by √C, and GPT-2 doesn't: divide "
    "them by √C, and make up for it in the last norm, or else the scores get too small."
)
exercise.slip(
    "norm_not_made_up_for",
    'ln_f.weight"] * math.sqrt(C) → ln_f.weight"]',
    'ln_f.bias"] * math.sqrt(C) → ln_f.bias"]',
).says(
    "The words are divided by √C, which makes the scores smaller as well: multiply the last norm's "
    "weight and bias by √C to make up for it."
)
exercise.slip(
    "positions_divided_too",
    'state["transformer.wpe.weight"] → state["transformer.wpe.weight"] / math.sqrt(C)',
).says("The positions are divided by √C as well: `embed` multiplies the words alone.")
exercise.slip("keys_first", '"qkv" → "kqv"').says(
    "Queries and keys are swapped: `c_attn` has the queries first, then keys, then values."
)
exercise.slip("last_map_not_transposed", 'value.dim() == 2 → value.dim() == 2 and "attn" not in old').says(
    "Attention's last map isn't transposed: it is square, so nothing complains, but it is kept as (in, "
    "out) too."
)
exercise.slip(
    "squares_not_transposed",
    'packed.T if end == "weight" else packed → packed',
    'value.dim() == 2 → value.dim() == 2 and "attn" not in old',
).says(
    "None of attention's four maps is transposed: they are square, so nothing complains, but they are kept "
    "as (in, out) too."
)
exercise.slip(
    "nothing_transposed",
    'packed.T if end == "weight" else packed → packed',
    "value.T if value.dim() == 2 else value → value",
).says("Nothing is transposed: GPT-2 keeps a linear map as (in, out), torch as (out, in).")
exercise.slip("last_bias_not_scaled", 'ln_f.bias"] * math.sqrt(C) → ln_f.bias"]').says(
    "Only the last norm's weight is multiplied by √C: its bias goes into the scores as well."
)
exercise.slip(
    "words_multiplied", 'transformer.wte.weight"] / math.sqrt(C) → transformer.wte.weight"] * math.sqrt(C)'
).says("The words are multiplied by √C here: your `embed` does that itself, so divide them by it.")
exercise.slip("queries_not_transposed", 'packed.T if end == "weight" else packed → packed').says(
    "The maps of queries, keys and values aren't transposed: cut into three they are square, so nothing "
    "complains."
)
exercise.slip(
    "norms_exchanged", '"ln_1": "norm_1", "ln_2": "norm_2" → "ln_1": "norm_2", "ln_2": "norm_1"'
).says("The two norms are swapped: `ln_1` comes before attention, `ln_2` before the feed-forward network.")
exercise.slip(
    "words_kept_again", 'return ours → return ours | {"lm_head.weight": state["lm_head.weight"]}'
).says(
    "`lm_head.weight` is kept: it is the table of words again, and the model has no parameter of that name."
)
