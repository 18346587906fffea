"""FLOPs of attention, step by step."""

from torch import Generator

from exercises.complexity import shared
from headstart import Case, Entry, pick
from helpers import complexity
from helpers.complexity import matmul_flops

exercise = Entry(
    id="complexity.attention_flops",
    title="FLOPs of attention, step by step",
    points=3,
    difficulty=2,
    minutes=8,
    reference=complexity.attention_flops,
    returns=("FLOPs",),
)


@exercise.cases
def step_cases(g: Generator) -> list[Case]:
    """More positions than features, and fewer."""
    long, wide = shared.between(g, 20, 40), shared.between(g, 50, 90)
    return [
        Case("few positions and features", shared.sizes(g, 3, 5)),
        Case("more positions than features", (long, pick(g, 8, 3, 11))),
        Case("more features than positions", (pick(g, 12, 1, 9), wide)),
    ]


@exercise.alternative
def written_out(n, d):
    scores = 2 * n**2 * d
    return {"mixture": scores, "scores": scores, "softmax": 6 * n**2, "projections": 6 * n * d**2}


@exercise.alternative
def with_products_of_shapes(n, d):
    projection = matmul_flops([n, d], [d, d])
    return {
        "projections": projection + projection + projection,
        "scores": matmul_flops([n, d], [d, n]),
        "softmax": 6.0 * n * n,
        "mixture": matmul_flops([n, n], [n, d]),
    }


exercise.slip(
    "scores_of_n_by_d",
    "matmul_flops((n, d), (d, n)) → 2 * n * d * d",
    "6 * n * n → 6 * n * d",
    "matmul_flops((n, n), (n, d)) → 2 * n * d * d",
).says(
    "Here QKᵀ is taken for n × d: it has a score for each query and each key, so it is n × n, and its "
    "cost grows with n²."
)
exercise.slip(
    "each_multiply_add_once",
    "3 * matmul_flops((n, d), (d, d)) → (3 * n * d) * d",
    "matmul_flops((n, d), (d, n)) → n * n * d",
    "matmul_flops((n, n), (n, d)) → n * n * d",
).says("The matrix products are half of what they should be: a multiply-add counts as 2.")
exercise.slip("no_second_product", "matmul_flops((n, n), (n, d)) → 0").says(
    "The second product is missing: mixing the values, weights @ V, is a product of an n × n matrix with "
    "an n × d matrix, and costs as much as the scores."
)
exercise.slip("mixture_for_one_query", "matmul_flops((n, n), (n, d)) → 2 * n * d").says(
    "The mixture is counted for one query: n values of d numbers are averaged anew for each of the n queries."
)
exercise.slip("no_projections", "3 * matmul_flops((n, d), (d, d)) → 0").says(
    "The projections are forgotten: before the scores, x is multiplied by W_q, W_k and W_v, three "
    "matrices of d × d."
)
exercise.slip("one_projection", "3 * matmul_flops((n, d), (d, d)) → (2 * n * d) * d").says(
    "One projection is counted: queries, keys and values have a matrix each, so there are three."
)
exercise.slip("projection_of_one_position", "3 * matmul_flops((n, d), (d, d)) → (6 * d) * d").says(
    "The projections are counted for one position: each of the n rows of x goes through the three matrices."
)
exercise.slip("softmax_of_one_row", "6 * n → 6").says(
    "The softmax is counted for one query: there are n rows of n scores, with 6 operations for each."
)
exercise.slip("scores_without_transpose", "matmul_flops((n, d), (d, n)) → 2 * n * d * d").says(
    "The scores are counted as (n, d) times (n, d): K is transposed for them, (d, n), so each of n · n "
    "scores takes d multiply-adds."
)
exercise.slip(
    "halved_for_a_mask",
    "matmul_flops((n, d), (d, n)) → n * n * d",
    "matmul_flops((n, n), (n, d)) → n * n * d",
).says(
    "The two products are halved, as if a causal mask spared half of them: here every query is compared with "
    "every key."
)
exercise.slip(
    "scores_and_softmax_of_n_by_d", "matmul_flops((n, d), (d, n)) → 2 * n * d * d", "6 * n * n → 6 * n * d"
).says("QKᵀ is taken for n × d, and its softmax too: a score for each query and each key makes n × n.")
exercise.slip("n_and_d_exchanged", "    return { →     n, d = d, n\n    return {").says(
    "n and d have changed places: n counts positions, and d is the width of each vector."
)

exercise.slip("four_projections", "3 * matmul_flops((n, d), (d, d)) → 4 * matmul_flops((n, d), (d, d))").says(
    "Four projections are counted: here they are three, those of queries, keys and values, without an output "
    "projection."
)
