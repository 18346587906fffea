"""The experts."""

import torch
from torch import Generator, Tensor

from exercises.modern import shared
from headstart import Case, Entry, gradient_reaches_inputs, inputs_unchanged, pick
from helpers import modern

exercise = Entry(
    id="modern.mixture",
    title="The experts",
    points=4,
    difficulty=4,
    minutes=14,
    driver="call_with_layer",
    reference=modern.mixture,
    properties=(inputs_unchanged, gradient_reaches_inputs),
    square="an expert's map is d_model × d_model",
)


@exercise.cases
def mixture_cases(g: Generator) -> list[Case]:
    """Several experts for a token, one token, an expert that nobody asks, experts that read nothing else."""

    def case(
        title: str,
        N: int,
        C: int,
        E: int,
        k: int,
        *,
        strict: bool = False,
        idle: int | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> Case:
        scores = shared.scores(g, N, E, dtype=dtype)
        if idle is not None:  # never the last: others come after it, with tokens to read
            scores[:, idle] = -9
        x, shares = shared.normal(g, N, C, dtype=dtype), _gates(scores, k)
        if strict:
            signs = torch.where(shares > 0, 1.0, -1.0)
            x[:, :E] = (x[:, :E].abs() + 0.25) * signs
        kind = "experts that read nothing but their own" if strict else "experts"
        recipe = {"layer": kind, "weights": _maps(g, C, E, dtype)}
        return Case(title, (x, shares, recipe))

    shares = torch.tensor([[62, 2, 0], [0, 63, 1], [1, 60, 3], [0, 4, 60]]) / 64
    shares = torch.cat([shares, torch.ones(4, 1)], dim=-1)  # of an expert that all share
    uneven = (shared.normal(g, 4, C := pick(g, 2, 3, 5)), shares[torch.randperm(4, generator=g)])
    experts = {"layer": "experts", "weights": _maps(g, C, 4)}
    return [
        case("several experts for each token", pick(g, 4, 6), 2, pick(g, 3, 5), 2),
        case("one expert for each", pick(g, 5, 2, 6), 3, 4, 1),
        case("one token", 1, pick(g, 2, 3, 5), 4, pick(g, 2, 3)),
        case("one channel", pick(g, 3, 2, 4), 1, pick(g, 3, 2, 5), 2),
        case("an expert whom nobody asks", pick(g, 3, 5), 2, 4, 2, idle=pick(g, 1, 0)),
        case("experts who can't read others' tokens", pick(g, 5, 6), 4, 3, 2, strict=True),
        Case("small gates, and an expert that all share", (*uneven, experts)),
        case("float64", pick(g, 4, 3), 2, 3, 2, dtype=torch.float64),
    ]


def _maps(g: Generator, C: int, E: int, dtype: torch.dtype = torch.float32) -> list[Tensor]:
    return [shared.normal(g, C, C, spread=0.7, dtype=dtype) for _ in range(E)]


def _gates(scores: Tensor, k: int) -> Tensor:
    """Shares of the k best of each row, with few digits."""
    best = scores.topk(k, dim=-1)
    shares = torch.zeros_like(scores).scatter(-1, best.indices, best.values.softmax(-1))
    return (64 * shares).round() / 64


@exercise.alternative
def mixture_token_by_token(x, gates, experts):
    rows = []
    for n in range(len(x)):
        row = torch.zeros_like(x[n])
        for e in range(len(experts)):
            if gates[n, e] != 0:
                row = row + gates[n, e] * experts[e](x[n : n + 1])[0]
        rows.append(row)
    return torch.stack(rows)


@exercise.alternative
def mixture_with_index_add(x, gates, experts):
    output = torch.zeros_like(x)
    for share, expert in zip(gates.T, experts, strict=True):
        rows = share.nonzero().squeeze(-1)
        if len(rows):
            output.index_add_(0, rows, share[rows].unsqueeze(-1) * expert(x[rows]))
    return output


@exercise.alternative
def mixture_by_a_sum(x, gates, experts):
    parts = []
    for e, expert in enumerate(experts):
        part = torch.zeros_like(x)
        asked = torch.where(gates[:, e] > 0)[0]
        part[asked] = expert(x[asked]) * gates[asked, e].view(-1, 1)
        parts.append(part)
    return sum(parts)


exercise.slip(
    "everyone_reads_everything",
    "return output → return sum(gates[:, number, None] * expert(x) for number, expert in enumerate(experts))",
).says(
    "Every expert reads every token, though most gates are 0: that is all of the work, and an expert may "
    "not know what to do with others' tokens."
)
exercise.slip("gates_ignored", "gates[mine, number, None] * expert(x[mine]) → expert(x[mine])").says(
    "The experts' outputs are added without their gates."
)
exercise.slip(
    "gate_before_the_expert",
    "gates[mine, number, None] * expert(x[mine]) → expert(gates[mine, number, None] * x[mine])",
).says("The gate multiplies what an expert reads: it belongs on the expert's output, which isn't the same.")
exercise.slip(
    "last_one_counts",
    "output[mine] + gates[mine, number, None] * expert(x[mine]) → gates[mine, number, None] * "
    "expert(x[mine])",
).says("A token's second expert overwrites its first one's output: the two are added.")
exercise.slip("only_the_best", "gates[:, number] > 0 → torch.argmax(gates, dim=-1) == number").says(
    "Each token is given to the expert with the largest gate alone: all experts with a gate above 0 count."
)
exercise.slip("path_added", "torch.zeros_like(x) → x.clone()").says(
    "The input is added here already: the residual path belongs to the block."
)
exercise.slip("shared_by_count", "return output → return output / len(experts)").says(
    "The sum is divided by the number of experts: the gates are shares already."
)
exercise.slip("small_gates_left_out", "> 0 → > 0.1").says(
    "Tokens with a small gate are left out: a token belongs to every expert whose gate for it isn't 0."
)
exercise.slip(
    "gates_rescaled",
    "output = torch.zeros_like(x) → gates = gates / gates.sum(dim=-1, keepdim=True)\n"
    "    output = torch.zeros_like(x)",
).says(
    "Each token's gates are made to sum to 1: they count as they are, and beside a shared expert, whose gate "
    "is 1, they sum to more."
)
