"""The block's misconceptions about weights from elsewhere: what GPT-2's file says and how it is read.

A docstring is the sentence that the student reads. Each function stands alone, with `torch` and `math` as its
only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and is no command)

import math


def embedding_as_it_is(state, n_layers):
    """The words are taken as they are, but `embed` multiplies them by √C, which GPT-2 doesn't: divide them
    by it, and the head's scores come out right by a larger last norm.
    """
    ours = {
        "words.weight": state["transformer.wte.weight"],
        "positions.weight": state["transformer.wpe.weight"],
        "norm.weight": state["transformer.ln_f.weight"],
        "norm.bias": state["transformer.ln_f.bias"],
    }
    names = {
        "attn.c_proj": "attention.W_o", "mlp.c_fc": "feed_forward.W_up", "mlp.c_proj": "feed_forward.W_down",
        "ln_1": "norm_1", "ln_2": "norm_2",
    }  # fmt: skip
    for layer in range(n_layers):
        theirs, block = f"transformer.h.{layer}", f"blocks.{layer}"
        for end in ("weight", "bias"):
            packed = state[f"{theirs}.attn.c_attn.{end}"]
            for name, part in zip("qkv", packed.chunk(3, dim=-1), strict=True):
                ours[f"{block}.attention.W_{name}.{end}"] = part.T if end == "weight" else part
            for old, new in names.items():
                value = state[f"{theirs}.{old}.{end}"]
                ours[f"{block}.{new}.{end}"] = value.T if value.dim() == 2 else value
    return ours


def norm_not_made_up_for(state, n_layers):
    """The words are divided by √C, which makes the head's scores smaller as well: the last norm makes up
    for it, times √C.
    """
    C = state["transformer.wte.weight"].size(-1)
    ours = {
        "words.weight": state["transformer.wte.weight"] / math.sqrt(C),
        "positions.weight": state["transformer.wpe.weight"],
        "norm.weight": state["transformer.ln_f.weight"],
        "norm.bias": state["transformer.ln_f.bias"],
    }
    names = {
        "attn.c_proj": "attention.W_o", "mlp.c_fc": "feed_forward.W_up", "mlp.c_proj": "feed_forward.W_down",
        "ln_1": "norm_1", "ln_2": "norm_2",
    }  # fmt: skip
    for layer in range(n_layers):
        theirs, block = f"transformer.h.{layer}", f"blocks.{layer}"
        for end in ("weight", "bias"):
            packed = state[f"{theirs}.attn.c_attn.{end}"]
            for name, part in zip("qkv", packed.chunk(3, dim=-1), strict=True):
                ours[f"{block}.attention.W_{name}.{end}"] = part.T if end == "weight" else part
            for old, new in names.items():
                value = state[f"{theirs}.{old}.{end}"]
                ours[f"{block}.{new}.{end}"] = value.T if value.dim() == 2 else value
    return ours


def positions_divided_too(state, n_layers):
    """The positions are divided by √C as well: `embed` multiplies the words alone."""
    C = state["transformer.wte.weight"].size(-1)
    ours = {
        "words.weight": state["transformer.wte.weight"] / math.sqrt(C),
        "positions.weight": state["transformer.wpe.weight"] / math.sqrt(C),
        "norm.weight": state["transformer.ln_f.weight"] * math.sqrt(C),
        "norm.bias": state["transformer.ln_f.bias"] * math.sqrt(C),
    }
    names = {
        "attn.c_proj": "attention.W_o", "mlp.c_fc": "feed_forward.W_up", "mlp.c_proj": "feed_forward.W_down",
        "ln_1": "norm_1", "ln_2": "norm_2",
    }  # fmt: skip
    for layer in range(n_layers):
        theirs, block = f"transformer.h.{layer}", f"blocks.{layer}"
        for end in ("weight", "bias"):
            packed = state[f"{theirs}.attn.c_attn.{end}"]
            for name, part in zip("qkv", packed.chunk(3, dim=-1), strict=True):
                ours[f"{block}.attention.W_{name}.{end}"] = part.T if end == "weight" else part
            for old, new in names.items():
                value = state[f"{theirs}.{old}.{end}"]
                ours[f"{block}.{new}.{end}"] = value.T if value.dim() == 2 else value
    return ours


def keys_first(state, n_layers):
    """Queries and keys are exchanged: `c_attn` has the queries first, then keys, then values."""
    C = state["transformer.wte.weight"].size(-1)
    ours = {
        "words.weight": state["transformer.wte.weight"] / math.sqrt(C),
        "positions.weight": state["transformer.wpe.weight"],
        "norm.weight": state["transformer.ln_f.weight"] * math.sqrt(C),
        "norm.bias": state["transformer.ln_f.bias"] * math.sqrt(C),
    }
    names = {
        "attn.c_proj": "attention.W_o", "mlp.c_fc": "feed_forward.W_up", "mlp.c_proj": "feed_forward.W_down",
        "ln_1": "norm_1", "ln_2": "norm_2",
    }  # fmt: skip
    for layer in range(n_layers):
        theirs, block = f"transformer.h.{layer}", f"blocks.{layer}"
        for end in ("weight", "bias"):
            packed = state[f"{theirs}.attn.c_attn.{end}"]
            for name, part in zip("kqv", packed.chunk(3, dim=-1), strict=True):
                ours[f"{block}.attention.W_{name}.{end}"] = part.T if end == "weight" else part
            for old, new in names.items():
                value = state[f"{theirs}.{old}.{end}"]
                ours[f"{block}.{new}.{end}"] = value.T if value.dim() == 2 else value
    return ours


def last_map_not_transposed(state, n_layers):
    """Attention's last map isn't transposed: it is square, so nothing complains, but it is kept as (in,
    out) too.
    """
    C = state["transformer.wte.weight"].size(-1)
    ours = {
        "words.weight": state["transformer.wte.weight"] / math.sqrt(C),
        "positions.weight": state["transformer.wpe.weight"],
        "norm.weight": state["transformer.ln_f.weight"] * math.sqrt(C),
        "norm.bias": state["transformer.ln_f.bias"] * math.sqrt(C),
    }
    names = {
        "attn.c_proj": "attention.W_o", "mlp.c_fc": "feed_forward.W_up", "mlp.c_proj": "feed_forward.W_down",
        "ln_1": "norm_1", "ln_2": "norm_2",
    }  # fmt: skip
    for layer in range(n_layers):
        theirs, block = f"transformer.h.{layer}", f"blocks.{layer}"
        for end in ("weight", "bias"):
            packed = state[f"{theirs}.attn.c_attn.{end}"]
            for name, part in zip("qkv", packed.chunk(3, dim=-1), strict=True):
                ours[f"{block}.attention.W_{name}.{end}"] = part.T if end == "weight" else part
            for old, new in names.items():
                value = state[f"{theirs}.{old}.{end}"]
                ours[f"{block}.{new}.{end}"] = value.T if value.dim() == 2 and "attn" not in old else value
    return ours


def queries_not_transposed(state, n_layers):
    """The maps of queries, keys and values aren't transposed: cut into three they are square, so nothing
    complains.
    """
    C = state["transformer.wte.weight"].size(-1)
    ours = {
        "words.weight": state["transformer.wte.weight"] / math.sqrt(C),
        "positions.weight": state["transformer.wpe.weight"],
        "norm.weight": state["transformer.ln_f.weight"] * math.sqrt(C),
        "norm.bias": state["transformer.ln_f.bias"] * math.sqrt(C),
    }
    names = {
        "attn.c_proj": "attention.W_o", "mlp.c_fc": "feed_forward.W_up", "mlp.c_proj": "feed_forward.W_down",
        "ln_1": "norm_1", "ln_2": "norm_2",
    }  # fmt: skip
    for layer in range(n_layers):
        theirs, block = f"transformer.h.{layer}", f"blocks.{layer}"
        for end in ("weight", "bias"):
            packed = state[f"{theirs}.attn.c_attn.{end}"]
            for name, part in zip("qkv", packed.chunk(3, dim=-1), strict=True):
                ours[f"{block}.attention.W_{name}.{end}"] = part
            for old, new in names.items():
                value = state[f"{theirs}.{old}.{end}"]
                ours[f"{block}.{new}.{end}"] = value.T if value.dim() == 2 else value
    return ours


def norms_exchanged(state, n_layers):
    """The two norms are exchanged: `ln_1` stands before attention, `ln_2` before the feed-forward network."""
    C = state["transformer.wte.weight"].size(-1)
    ours = {
        "words.weight": state["transformer.wte.weight"] / math.sqrt(C),
        "positions.weight": state["transformer.wpe.weight"],
        "norm.weight": state["transformer.ln_f.weight"] * math.sqrt(C),
        "norm.bias": state["transformer.ln_f.bias"] * math.sqrt(C),
    }
    names = {
        "attn.c_proj": "attention.W_o", "mlp.c_fc": "feed_forward.W_up", "mlp.c_proj": "feed_forward.W_down",
        "ln_1": "norm_2", "ln_2": "norm_1",
    }  # fmt: skip
    for layer in range(n_layers):
        theirs, block = f"transformer.h.{layer}", f"blocks.{layer}"
        for end in ("weight", "bias"):
            packed = state[f"{theirs}.attn.c_attn.{end}"]
            for name, part in zip("qkv", packed.chunk(3, dim=-1), strict=True):
                ours[f"{block}.attention.W_{name}.{end}"] = part.T if end == "weight" else part
            for old, new in names.items():
                value = state[f"{theirs}.{old}.{end}"]
                ours[f"{block}.{new}.{end}"] = value.T if value.dim() == 2 else value
    return ours
