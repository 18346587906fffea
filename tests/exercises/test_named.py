"""What people wrote who had seen the notebooks of lessons 01 to 06 and nothing else, and what they are told.

Each has one mistake, in the idiom it was made in, and the message leads to it. Before, each got a sentence that
was false of it, or none. The sheets are made here, from the exercises as they are.
"""

import functools
import importlib
import json
import linecache
import math

import pytest
import torch

from autograder import exercises
from autograder.sheets import VISIBLE_SEED, make_sheet
from helpers.checking.assessing import assess
from helpers.checking.calling.drivers import run
from helpers.checking.calling.outcome import Outcome
from helpers.checking.finding import Finding
from helpers.checking.sheet import Sheet


@functools.cache
def sheet_of(exercise: str) -> Sheet:
    made = make_sheet(exercises.load(exercise.partition(".")[0])[exercise], VISIBLE_SEED)
    return Sheet.from_json(json.loads(json.dumps(made.to_json())))


def answered(exercise: str, lines: str):
    """The function that these lines define under the reference's name, as if they stood in a cell."""
    topic = exercise.partition(".")[0]
    reference = exercises.load(topic)[exercise].reference
    head = f"def {reference.__name__}({SIGNATURES[exercise]}):"
    source = "\n    ".join([head, *lines.strip().splitlines()])
    name = f"<ipython-input-1-{abs(hash(source))}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names = {"torch": torch, "math": math}
    for other in ("attention", "multihead", "positional", "masking", "complexity", "block"):
        names |= vars(importlib.import_module(f"helpers.{other}.reference"))
    exec(compile(source, name, "exec"), names)
    return names[reference.__name__]


def found(exercise: str, answer) -> Finding:
    """What a student reads who hands in this answer."""
    sheet = sheet_of(exercise)
    outcomes = [run(sheet.driver, answer, case, gradients=sheet.wants_gradients) for case in sheet.cases]
    return assess(sheet, [Outcome.from_json(json.loads(json.dumps(o.to_json()))) for o in outcomes])


SIGNATURES = {
    "attention.softmax": "x, dim",
    "attention.one_query": "query, keys, values",
    "attention.additive": "query, keys, values, W_q, W_k, v",
    "attention.permutation": "layer, x, permutation",
    "attention.saturation": "q, k, scaled",
    "attention.scaled_dot_product": "q, k, v, mask=None",
    "attention.cross": "y, x, W_q, W_k, W_v, mask=None",
    "multihead.split_heads": "x, n_heads",
    "multihead.merge_heads": "z",
    "multihead.switch_off": "weight, keep",
    "multihead.unpack": "in_proj_weight, in_proj_bias",
    "multihead.head_importance": "loss_with, n_heads",
    "multihead.both_neighbours": "",
    "positional.sinusoidal": "T, d_model, base=10_000.0",
    "positional.add": "x, table",
    "positional.similarity": "table",
    "positional.shift": "k, d_model, base=10_000.0",
    "positional.relative": "table, T_q, T_k",
    "positional.rotary_attention": "q, k, v, mask=None",
    "masking.both": "real",
    "masking.causal": "T",
    "masking.cache": "cache, x, W_q, W_k, W_v",
    "masking.softmax": "scores, mask",
    "masking.convert": "mask, source, target",
    "masking.padding": "lengths, T",
    "masking.prefixes": "layer, x",
    "masking.reach": "mask, layers",
    "masking.sees": "layer, x",
    "complexity.layer_cost": "layer, n, d, k",
    "complexity.layers_to_connect": "n, k, dilated",
    "complexity.crossover_length": "d, projections, recurrent",
    "complexity.fitted_exponent": "sizes, times",
    "complexity.absorb": "largest, total, mixture, scores, values",
    "complexity.blockwise_attention": "q, k, v, block",
    "complexity.grouped_attention": "q, k, v",
    "block.embed": "ids, words, positions",
    "block.layer_norm": "x, weight, bias, eps=1e-5",
    "block.add_sublayer": "x, sublayer, norm, norm_first=True",
    "block.dropout": "x, p, training, chances",
    "block.from_gpt2": "state, n_layers",
    "block.initial_std": "name, n_layers, std=0.02",
}

WRONG = [
    (
        "attention.scaled_dot_product",
        """
scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
if mask is not None:
    scores[~mask] = float("-inf")
w = scores.softmax(-1)
return w @ v, w
""",
        "needs the very shape of what it indexes",
    ),
    (
        "attention.additive",
        """
F = torch.nn.functional
a = (torch.tanh(F.linear(query, W_q)[..., None, :] + F.linear(keys, W_k)) @ v).softmax(-1)
return (a[..., None] * values).sum(-2), a
""",
        "F.linear(x, W) multiplies by W transposed",
    ),
    (
        "attention.cross",
        "return scaled_dot_product_attention(y @ W_q.T, x @ W_k.T, x @ W_v.T, mask)",
        "is W to be transposed there at all?",
    ),
    (
        "attention.saturation",
        """
scores = torch.einsum("nd,ntd->nt", q, k)
w = scores.softmax(-1).max(-1).values
w.sum().backward()
return w.mean(), scores.grad.norm(dim=-1).mean()
""",
        "followed for a gradient",
    ),
    (
        "attention.permutation",
        """
y, yp = layer(x), layer(x[:, permutation])
return (yp - y[:, permutation]).abs().max(), (yp - y).abs().max()
""",
        "Right only where `x` has 3 axes",
    ),
    (
        "multihead.split_heads",
        """
x = torch.reshape(x, (x.shape[0], -1, n_heads, x.shape[-1] // n_heads))
return torch.permute(x, (0, 2, 1, 3))
""",
        "Right only where `x` has 3 axes",
    ),
    (
        "multihead.split_heads",
        "return x.mT.reshape(*x.shape[:-2], n_heads, x.shape[-2], x.shape[-1] // n_heads)",
        "All the right numbers, but in the wrong places",
    ),
    (
        "multihead.merge_heads",
        """
z = z.transpose(1, 2).contiguous()
return z.view(z.size(0), z.size(1), -1)
""",
        "Right only where `z` has 4 axes",
    ),
    (
        "multihead.both_neighbours",
        """
W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
turn = 50 * torch.tensor([[0.0, -1.0], [1.0, 0.0]])
W_q[:2, :2], W_q[:2, 2:] = turn, turn.T
W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
W_v[3, 0] = W_v[3, 2] = W_o[0, 0] = W_o[2, 1] = 1
return W_q, W_k, W_v, W_o
""",
        "Every output is 0",
    ),
    (
        "multihead.switch_off",
        """
D, w = weight.shape[0] // len(keep), weight.clone()
for h, on in enumerate(keep):
    if not on:
        w[h * D : (h + 1) * D, :] = 0
return w
""",
        "a head comes in through its columns",
    ),
    (
        "multihead.head_importance",
        """
on, out = torch.ones(n_heads, dtype=torch.bool), []
for h in range(n_heads):
    off = on
    off[h] = False
    out.append(loss_with(off) - loss_with(on))
return torch.stack(out)
""",
        "`on.clone()` is a tensor of its own",
    ),
    (
        "multihead.unpack",
        """
(q, k, v), (a, b, c) = torch.split(in_proj_weight, 3), torch.split(in_proj_bias, 3)
weights = {"W_q.weight": q, "W_k.weight": k, "W_v.weight": v}
return {**weights, "W_q.bias": a, "W_k.bias": b, "W_v.bias": c}
""",
        "torch.split takes the size of a piece",
    ),
    (
        "positional.sinusoidal",
        """
half = d_model // 2
speeds = torch.exp(torch.arange(half) * -(math.log(base) / (half - 1)))
angles = torch.arange(T).unsqueeze(1) * speeds
return torch.stack([angles.sin(), angles.cos()], dim=2).view(T, -1)
""",
        "steps of 1/(d_model/2 − 1)",
    ),
    (
        "positional.add",
        "return x + table[:, : x.shape[-2]]",
        "Two shapes don't fit",
    ),
    (
        "positional.similarity",
        """
T, out = table.shape[0], torch.zeros(table.shape[0])
for k in range(T):
    for p in range(T - k):
        out[k] += torch.dot(table[p], table[p + k])
return out / T
""",
        "Each sum is divided by T",
    ),
    (
        "positional.similarity",
        "return torch.stack([(table[:-k] * table[k:]).sum(-1).mean() for k in range(len(table))])",
        "[:-k], which is [:0]",
    ),
    (
        "positional.shift",
        """
a = k * base ** (-torch.arange(0, d_model, 2) / d_model)
return torch.block_diag(torch.stack([a.cos(), -a.sin(), a.sin(), a.cos()], -1).reshape(-1, 2, 2))
""",
        "the blocks one by one",
    ),
    (
        "positional.relative",
        """
K = table.shape[-1] // 2
rel = (torch.arange(T_k)[None] - torch.arange(T_q)[:, None]).clamp(-K, K) + K
return torch.gather(table, -1, rel)
""",
        "as many axes as the tensor",
    ),
    (
        "positional.rotary_attention",
        """
pos = torch.arange(q.shape[-2])
return scaled_dot_product_attention(rotary(q, pos), rotary(k, pos), v, mask)
""",
        "as many positions as there are queries",
    ),
    (
        "masking.padding",
        "return torch.arange(1, T + 1) < lengths[:, None]",
        "The last word of each sentence",
    ),
    (
        "masking.both",
        "return padding_mask(real.sum(dim=1), real.size(1))[:, None, :] & causal_mask(real.size(1))",
        "as if the padding always came after them",
    ),
    (
        "masking.softmax",
        """
w = scores.softmax(-1) * mask
return w / w.sum(-1, keepdim=True)
""",
        "In a row with nothing to look at, 0 is divided by 0",
    ),
    (
        "masking.sees",
        "return (torch.autograd.functional.jacobian(layer, x) != 0).any(3).all(1)",
        "one of them is enough",
    ),
    (
        "masking.sees",
        "return torch.autograd.functional.jacobian(layer, x).abs().amax(dim=(1, 3)) > 1e-3",
        "",
    ),
    (
        "masking.prefixes",
        "return torch.stack([layer(x[..., :t, :])[..., -1, :] for t in range(x.size(-2))], dim=-2)",
        "no entry at all",
    ),
    (
        "masking.convert",
        """
readers = {"additive": lambda: mask < 0, "hidden": lambda: ~mask, "integer": lambda: mask == 1}
may = readers.get(source, lambda: mask)()
if target == "additive":
    return torch.where(may, 0.0, -math.inf)
return {"may attend": may, "hidden": ~may, "integer": may.long()}[target]
""",
        "read as its opposite",
    ),
    (
        "masking.reach",
        """
S = (mask | torch.eye(len(mask), dtype=torch.bool)).float()
R = S
for _ in range(layers - 1):
    R = S @ R
return R > 0
""",
        "begin with the identity",
    ),
    (
        "complexity.layer_cost",
        """
path = {"self-attention": (n * n * d, 1, 1), "recurrent": (n * d * d, n, n)}
return path.get(layer)
""",
        "as .get gives for a key that isn't there",
    ),
    (
        "complexity.layer_cost",
        """
table = {"self-attention": (n * n * d, 1, 1), "recurrent": (n * d * d, n, n)}
return table.get(layer, (k * n * d * d, 1, math.log(n, k)))
""",
        "a stack has whole layers",
    ),
    (
        "complexity.layers_to_connect",
        "return math.log(n) / math.log(k) if dilated else (n - 1) / (k - 1)",
        "a fraction of a layer",
    ),
    (
        "complexity.crossover_length",
        "return max(0, (recurrent - projections) * d)",
        "This is twice the length",
    ),
    (
        "complexity.fitted_exponent",
        """
x, y = sizes.log(), times.log()
return (x - x.mean()).sum() * (y - y.mean()).sum() / ((x - x.mean()) ** 2).sum()
""",
        "multiply them pair by pair",
    ),
    (
        "complexity.fitted_exponent",
        """
x, y = sizes.log(), times.log()
return ((x - x.mean()) * (y - y.mean())).mean() / x.var()
""",
        "divided by N − 1",
    ),
    (
        "attention.scaled_dot_product",
        """
weights = torch.einsum("...id,...id->...i", q, k).softmax(-1)
return weights @ v, weights
""",
        "which axis does each letter name?",
    ),
    ("attention.softmax", "return [x.softmax(dim)][torch.tensor(0) / 2]", "indexed by one whole number"),
    (
        "complexity.absorb",
        "return max(largest, scores.amax(-1)), total, mixture",
        "torch.maximum compares two tensors number by number",
    ),
    (
        "complexity.blockwise_attention",
        """
m, l = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1])
o = q.new_zeros(*q.shape[:-1], v.shape[-1])
for i in range(0, len(k), block):
    m, l, o = absorb(m, l, o, q @ k[i : i + block].mT / math.sqrt(q.shape[-1]), v[i : i + block])
return o / l.unsqueeze(-1)
""",
        "Wrong only where an input has more than 3 axes",
    ),
    (
        "complexity.grouped_attention",
        "return scaled_dot_product_attention(q, k, v)[0]",
        "k and v don't both have each of their heads H/G times",
    ),
    (
        "complexity.grouped_attention",
        """
r = q.shape[-3] / k.shape[-3]
return scaled_dot_product_attention(q, k.repeat_interleave(r, dim=-3), v)[0]
""",
        "`//`",
    ),
    (
        "block.embed",
        "return math.sqrt(words.shape[-1]) * words[ids] + positions",
        "Is the whole table added?",
    ),
    (
        "block.embed",
        "return words[ids] * math.sqrt(words.shape[1]) + positions[torch.arange(ids.shape[0])]",
        "counted along the last axis",
    ),
    (
        "block.layer_norm",
        """
m = x.mean(-1, keepdim=True)
return (x - m) / torch.sqrt(((x - m) ** 2).mean(-1, keepdim=True) + eps)
""",
        "Weight and bias are left out",
    ),
    (
        "block.add_sublayer",
        "return x + sublayer(norm(x))[0] if norm_first else norm(x + sublayer(x)[0])",
        "Only the first entry",
    ),
    (
        "block.dropout",
        "return torch.where(chances < p, x / p, 0.0) if training else x",
        "the share that stays",
    ),
    (
        "block.from_gpt2",
        'return {"words.weight": state["wte.weight"]}',
        "no entry under that key",
    ),
    (
        "block.initial_std",
        'return std / math.sqrt(2 * n_layers) if name.endswith("W_o.weight", "W_down.weight") else std',
        "Several endings come as one tuple",
    ),
    (
        "block.initial_std",
        'return 0.02 / math.sqrt(2 * n_layers) if "W_o" in name or "W_down" in name else 0.02',
        "The 0.02 is written in",
    ),
    (
        "attention.softmax",
        """
m = x.amax(dim, keepdim=True)
return torch.exp(x - m) / torch.exp(x).sum(dim, keepdim=True)
""",
        "above the line and not below it",
    ),
    (
        "positional.shift",
        """
w = base ** (-torch.arange(0, d_model, 2) / d_model)
step = torch.block_diag(*[torch.tensor([[c, -s], [s, c]]) for c, s in zip(w.cos().tolist(), w.sin().tolist())])
M = torch.eye(d_model)
for _ in range(k):
    M = M @ step
return M
""",
        "Wrong only where `k` is negative",
    ),
    (
        "positional.shift",
        """
angles = [torch.tensor(k * base ** (-2 * i / d_model)) for i in range(d_model // 2)]
return torch.block_diag([torch.tensor([[a.cos(), -a.sin()], [a.sin(), a.cos()]]) for a in angles])
""",
        "takes the blocks one by one",
    ),
    (
        "positional.add",
        "return x + table[: x.size(-2)].unsqueeze(1)",
        "There are more axes than expected",
    ),
    (
        "positional.relative",
        """
K = table.size(-1) // 2
d = torch.arange(T_k) - torch.arange(T_q)[:, None]
return table[..., torch.clamp(d + K, 0, K)]
""",
        "the last index is 2K",
    ),
    (
        "masking.prefixes",
        "return torch.stack([layer(x[..., :n, :])[..., -1, :] for n in range(2, x.size(-2) + 1)], dim=-2)",
        "the beginning of axis -2 is missing",
    ),
    (
        "masking.convert",
        """
may = mask == 0 if source == "additive" else ~mask if source in ("hidden", "integer") else mask
if target == "additive":
    return torch.where(may.bool(), 0.0, -torch.inf)
return {"hidden": ~may, "integer": may.long(), "may attend": may}[target]
""",
        "~1 is -2",
    ),
    (
        "complexity.absorb",
        """
m = torch.maximum(largest, scores.amax(dim=-2))
e = torch.exp(scores - m[..., None])
return m, (largest - m).exp() * total + e.sum(-1), (largest - m).exp()[..., None] * mixture + e @ values
""",
        "along the axis that you mean",
    ),
    (
        "complexity.blockwise_attention",
        """
m, t, mix = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1]), torch.zeros_like(q)
for s in range(0, k.size(-2), block):
    scores = q @ k[..., s : s + block, :].mT / math.sqrt(q.size(-1))
    m, t, mix = absorb(m, t, mix, scores, v[..., s : s + block, :])
return mix / t[..., None]
""",
        "the mixture (..., T_q, d_v)",
    ),
    (
        "complexity.blockwise_attention",
        """
m, t = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1])
mix = q.new_zeros(*q.shape[:-1], v.size(-1))
for s in range(0, k.size(-2), block):
    m, t, mix = absorb(m, t, mix, q @ k[..., s : s + block, :].mT / math.sqrt(q.size(-1)), v)
return mix / t[..., None]
""",
        "a block has as many values as scores in a row",
    ),
    (
        "masking.cache",
        """
out, _ = scaled_dot_product_attention(x @ W_q, cache["k"], cache["v"])
return out, {"k": torch.cat([cache["k"], x @ W_k], -2), "v": torch.cat([cache["v"], x @ W_v], -2)}
""",
        "before their own keys and values are in it",
    ),
    (
        "masking.cache",
        """
k, v = torch.cat([cache["k"], x @ W_k], -2), torch.cat([cache["v"], x @ W_v], -2)
P, N = cache["k"].size(-2), x.size(-2)
mask = torch.ones(N, P + N, dtype=torch.bool).tril(P - 1)
return scaled_dot_product_attention(x @ W_q, k, v, mask)[0], {"k": k, "v": v}
""",
        "hidden from itself",
    ),
    (
        "attention.permutation",
        """
a, b = layer(x[..., permutation, :]), layer(x)
return (a - b[..., torch.argsort(permutation), :]).abs().max(), (a - b).abs().max()
""",
        "or layer(x) put into the inverse order",
    ),
    (
        "masking.sees",
        """
slopes = torch.autograd.functional.jacobian(layer, x)
return (slopes.diagonal(dim1=1, dim2=3) != 0).any(dim=-1)
""",
        "the same feature of the inputs alone",
    ),
    (
        "masking.prefixes",
        "return torch.stack([layer(x[..., :n, :])[..., -1] for n in range(1, x.size(-2) + 1)], dim=-2)",
        "takes tensors of one shape",
    ),
    (
        "masking.causal",
        "return torch.ones(T).tril().bool()",
        "take a matrix, and this has fewer axes",
    ),
    (
        "complexity.layer_cost",
        """
if layer == "self-attention":
    return n * n * d, 1, 1
if layer == "recurrent":
    return n, n * d * d, n
return k * n * d * d, layers_to_connect(n, k, True), 1
""",
        "in each other's places",
    ),
    (
        "complexity.fitted_exponent",
        "return torch.polyfit(sizes.log(), times.log(), 1)[0]",
        "no function of this name",
    ),
    (
        "block.initial_std",
        """
if name.endswith(("W_o.weight", "W_down.weight")):
    return std / math.sqrt(2 * (int(name.split(".")[1]) + 1))
return std
""",
        "which block this is",
    ),
]


@pytest.mark.parametrize(("exercise", "lines", "said"), WRONG, ids=[f"{id} {said}" for id, _, said in WRONG])
def test_a_stranger_s_mistake_is_named(exercise, lines, said):
    told = found(exercise, answered(exercise, lines))
    assert told.status == "failed" and said in told.meaning, told.text()


RIGHT = [
    (
        "complexity.fitted_exponent",
        """
x, y = sizes.double().log2(), times.double().log2()
A = torch.stack((x, torch.ones_like(x)), dim=1)
return torch.linalg.lstsq(A, y[:, None]).solution[0, 0]
""",
    ),
    (
        "attention.saturation",
        """
scores = torch.einsum("nd,ntd->nt", q.double(), k.double())
w = (scores / q.shape[-1] ** 0.5 if scaled else scores).softmax(-1)
top, at = w.max(-1)
slopes = -top[:, None] * w
slopes[torch.arange(len(w)), at] = top * (1 - top)
return top.mean(), slopes.norm(dim=-1).mean()
""",
    ),
    (
        "masking.softmax",
        "return scores.masked_fill(~mask, -math.inf).softmax(-1).nan_to_num()",
    ),
]


@pytest.mark.parametrize(("exercise", "lines"), RIGHT, ids=[id for id, _ in RIGHT])
def test_a_stranger_s_right_answer_passes(exercise, lines):
    told = found(exercise, answered(exercise, lines))
    assert told.status == "passed", told.text()


def test_where_no_gradient_arrives_the_values_are_not_said_to_be_wrong():
    """One score alone has a weight of 1, whose gradient is 0, so a lost one isn't seen there."""
    scores = "w = torch.tensor([query @ key for key in keys]).softmax(-1)"
    finding = found("attention.one_query", answered("attention.one_query", f"{scores}\nreturn w @ values, w"))
    assert finding.returned.startswith("the right values, but no gradient")
    assert finding.meaning.startswith("Where none arrives")


def test_a_wrong_shape_behind_wrong_values_is_shown_too():
    made = answered(
        "attention.scaled_dot_product", "return v.mean(-2, keepdim=True).expand(*q.shape[:-1], -1), k"
    )
    assert "; weights (" in found("attention.scaled_dot_product", made).returned
