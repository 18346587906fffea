"""The exercises of lesson 01.

A misconception's sentence says what is wrong and why that matters, to whoever has just made it.
"""

from autograder.exercise import Exercise, Misconception, explained
from autograder.exercises.attention import alternatives as right
from autograder.exercises.attention import cases
from autograder.exercises.attention import misconceptions as wrong
from autograder.exercises.attention import misconceptions_habits as habits
from autograder.exercises.attention import misconceptions_scores as scores
from autograder.exercises.attention import misconceptions_study as study
from helpers import attention
from helpers.checks import gradient_reaches_inputs, inputs_unchanged, rows_sum_to_one

# Written out, so that the search for forbidden names in an answer finds each of them.
ATTENTION_OF_TORCH = (
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.functional.multi_head_attention_forward",
    "torch._native_multi_head_attention",
    "torch.nn.MultiheadAttention",
)

SOFTMAX = Exercise(
    id="attention.softmax",
    title="Softmax",
    points=3,
    difficulty=2,
    minutes=10,
    reference=attention.softmax,
    cases=cases.softmax_cases,
    returns=("weights",),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    forbidden=(
        "torch.softmax",
        "torch.log_softmax",
        "torch.Tensor.softmax",
        "torch.Tensor.log_softmax",
        "torch.nn.functional.softmax",
        "torch.nn.functional.log_softmax",
        "torch.nn.functional.softmin",
        "torch.nn.Softmax",
        "torch.nn.LogSoftmax",
        "torch.special.softmax",
        "torch.special.log_softmax",
        *ATTENTION_OF_TORCH,  # with identity matrices it gives a softmax
    ),
    misconceptions=explained(
        wrong.no_maximum,
        wrong.global_maximum,
        wrong.clamped,
        wrong.always_last_axis,
        wrong.always_first_axis,
        wrong.no_keepdim,
        wrong.divided_by_total,
        wrong.not_divided,
        wrong.logarithm,
        habits.shifted_above_alone,
        scores.powers_of_two,
        scores.total_of_everything,
        scores.absolute_scores,
        scores.smallest_is_largest,
        scores.of_unit_length,
    ),
    alternatives=(
        right.by_logsumexp,
        right.on_the_last_axis,
        right.one_slice_after_another,
        right.after_subtracting_in_place,
    ),
)

ADDITIVE = Exercise(
    id="attention.additive",
    title="Additive attention",
    points=3,
    difficulty=3,
    minutes=12,
    reference=attention.additive_attention,
    cases=cases.additive_cases,
    returns=("context", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    needs=("attention.softmax",),
    misconceptions=explained(
        wrong.no_tanh,
        wrong.tanh_of_the_score,
        wrong.tanh_before_the_sum,
        wrong.relu_for_tanh,
        wrong.product_for_sum,
        wrong.additive_scaled,
        wrong.no_softmax,
        wrong.context_of_keys,
        wrong.no_axis_for_positions,
        wrong.context_and_weights_swapped,
        scores.sigmoid_for_tanh,
    ),
    alternatives=(right.with_matrix_products, right.with_sums_over_axes, right.one_key_after_another),
)

SCALED_DOT_PRODUCT = Exercise(
    id="attention.scaled_dot_product",
    title="Scaled dot-product attention",
    points=4,
    difficulty=2,
    minutes=10,
    reference=attention.scaled_dot_product_attention,
    cases=cases.attention_cases,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    forbidden=ATTENTION_OF_TORCH,
    needs=("attention.softmax",),
    misconceptions=explained(
        wrong.unscaled,
        wrong.scaled_by_d_k,
        wrong.scaled_by_number_of_keys,
        wrong.multiplied_by_root,
        wrong.softmax_over_queries,
        wrong.returned_in_other_order,
        wrong.returned_scores,
        wrong.mask_ignored,
        wrong.mask_after_softmax,
        wrong.mask_inverted,
        wrong.mask_sets_zero,
        wrong.filled_with_minus_hundred,
        wrong.filled_with_infinity,
        wrong.filled_with_a_large_number,
        wrong.filled_with_e,
        wrong.mask_added,
        scores.keys_reshaped,
        scores.divided_after_the_softmax,
        scores.softmax_over_everything,
    ),
    alternatives=(
        right.with_einsum,
        right.with_a_large_negative_number,
        right.with_an_added_bias,
        right.masked_and_divided_again,
        right.with_baddbmm,
    ),
)

ROLES = Exercise(
    id="attention.roles",
    title="Query, key and value",
    points=2,
    difficulty=1,
    minutes=3,
    driver="choice",
    reference={
        "attention of y over x": {"query": "y", "key": "x", "value": "x"},
        "attention of x over x": {"query": "x", "key": "x", "value": "x"},
    },
    cases=lambda generator: cases.choose(
        {
            f"attention of {asking} over x · {role}": ["x", "y"]
            for asking in "yx"
            for role in ("query", "key", "value")
        }
    ),
    misconceptions=(
        Misconception(
            "query_from_the_answerer",
            {"attention of y over x · query": "x"},
            "In attention of y over x it is y that asks, so the queries come from y: there is one output "
            "for each position of y.",
        ),
        Misconception(
            "key_from_the_asker",
            {"attention of y over x · key": "y"},
            "In attention of y over x the keys come from x: they say what each position of x has to offer, "
            "and y's queries are compared with them.",
        ),
        Misconception(
            "value_from_the_asker",
            {"attention of y over x · value": "y"},
            "In attention of y over x the values come from x: they are what is averaged, and y is there to "
            "fetch something from x.",
        ),
        Misconception(
            "self_query_from_elsewhere",
            {"attention of x over x · query": "y"},
            "In attention of x over x the sequence asks itself, so its queries come from x: no y is in it.",
        ),
        Misconception(
            "self_key_from_elsewhere",
            {"attention of x over x · key": "y"},
            "In attention of x over x every position of x is compared with every position of x, so the keys "
            "come from x too.",
        ),
        Misconception(
            "self_value_from_elsewhere",
            {"attention of x over x · value": "y"},
            "In attention of x over x each output is an average over positions of x, so the values come "
            "from x.",
        ),
    ),
)

CROSS = Exercise(
    id="attention.cross",
    title="Cross-attention",
    points=3,
    difficulty=2,
    minutes=8,
    reference=attention.cross_attention,
    cases=cases.cross_cases,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    forbidden=ATTENTION_OF_TORCH,
    needs=("attention.scaled_dot_product",),
    misconceptions=explained(
        wrong.x_asks_y,
        wrong.values_from_y,
        wrong.all_from_x,
        wrong.all_from_y,
        wrong.values_not_projected,
        wrong.values_by_key_weights,
        wrong.mask_forgotten,
        wrong.cross_filled_with_minus_hundred,
        wrong.mask_turned_round,
        wrong.scaled_again,
        habits.cross_unscaled,
    ),
    alternatives=(right.with_named_projections, right.all_by_itself, right.with_linear),
)

PREDICTED_VARIANCE = Exercise(
    id="attention.predicted_variance",
    title="The variance of a dot product",
    points=1,
    difficulty=2,
    minutes=5,
    reference=attention.predicted_variance,
    cases=cases.variance_cases,
    returns=("variance",),
    misconceptions=explained(
        study.standard_deviation,
        study.of_one_component,
        study.mean_for_variance,
        study.reciprocal,
        study.two_vectors_added,
        study.squared,
    ),
    alternatives=(right.sum_of_ones, right.as_a_tensor),
)

SATURATION = Exercise(
    id="attention.saturation",
    title="Saturation",
    points=3,
    difficulty=4,
    minutes=15,
    reference=attention.saturation,
    cases=cases.saturation_cases,
    returns=("mean largest weight", "mean gradient norm"),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        study.never_scaled,
        study.always_scaled,
        study.saturation_scaled_by_d_k,
        study.gradient_before_scaling,
        study.gradient_of_the_mean,
        study.one_norm_for_all,
        study.gradient_of_all_weights,
        study.gradient_of_queries,
        study.one_hot_cut_short,
        study.largest_of_all,
        study.softmax_over_the_batch,
        habits.every_query_with_all_keys,
        habits.own_derivative_alone,
        habits.sum_of_absolute_slopes,
    ),
    alternatives=(right.by_formula, right.one_row_after_another, right.with_retained_gradient),
)

PERMUTATION = Exercise(
    id="attention.permutation",
    title="Shuffling the positions",
    points=3,
    difficulty=3,
    minutes=10,
    driver="call_with_layer",
    reference=attention.permutation_gaps,
    cases=cases.permutation_cases,
    returns=("equivariance gap", "invariance gap"),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        study.gaps_in_other_order,
        study.first_axis_permuted,
        study.permuted_twice,
        study.input_not_permuted,
        study.mean_gap,
        habits.norm_of_differences,
        study.no_absolute_value,
        study.yes_or_no,
        study.of_the_pooled_output,
    ),
    alternatives=(right.with_index_select, right.undone_with_argsort, right.with_a_permutation_matrix),
)

_KINDS = ("symmetric", "equivariant", "invariant")
_DOT = "dot(a, b) == dot(b, a)"
_LAYER = "layer(x[p]) == layer(x)[p]"
_POOLED = "pooled(x[p]) == pooled(x)"
_WHY = "why word order is lost in self-attention"

SYMMETRY = Exercise(
    id="attention.symmetry",
    title="Symmetric, equivariant, invariant",
    points=2,
    difficulty=2,
    minutes=4,
    driver="choice",
    reference={_DOT: "symmetric", _LAYER: "equivariant", _POOLED: "invariant", _WHY: "equivariant"},
    cases=lambda generator: cases.choose({slot: list(_KINDS) for slot in (_DOT, _LAYER, _POOLED, _WHY)}),
    misconceptions=(
        Misconception(
            "dot_product_equivariant",
            {_DOT: "equivariant"},
            "dot(a, b) == dot(b, a) swaps two arguments and gives one and the same number, and nothing "
            "moves along with the swap: it is symmetric.",
        ),
        Misconception(
            "dot_product_invariant",
            {_DOT: "invariant"},
            "dot(a, b) == dot(b, a) is about swapping the two arguments of a function, which is called "
            "symmetric: invariant is about shuffling the positions of one input.",
        ),
        Misconception(
            "layer_symmetric",
            {_LAYER: "symmetric"},
            "layer(x[p]) == layer(x)[p] has one argument, so there is no second one to swap with: its "
            "outputs are shuffled as its inputs are, which is equivariant.",
        ),
        Misconception(
            "layer_invariant",
            {_LAYER: "invariant"},
            "layer(x[p]) == layer(x)[p] doesn't say that the output stays the same: it is shuffled just as "
            "the input was, which is equivariant.",
        ),
        Misconception(
            "pooling_symmetric",
            {_POOLED: "symmetric"},
            "pooled(x[p]) == pooled(x) shuffles the positions of one input, of which there may be any "
            "number, and the output stays the same: it is invariant.",
        ),
        Misconception(
            "pooling_equivariant",
            {_POOLED: "equivariant"},
            "In pooled(x[p]) == pooled(x) the output has no positions left to shuffle, and stays the same: "
            "it is invariant.",
        ),
        Misconception(
            "order_lost_by_symmetry",
            {_WHY: "symmetric"},
            "That q · k equals k · q isn't why word order is lost: with a q and a k of its own for each "
            "word the scores aren't symmetric, and self-attention still can't tell one order from another.",
        ),
        Misconception(
            "order_lost_by_invariance",
            {_WHY: "invariant"},
            "Self-attention's output isn't the same for a shuffled sentence: every word gets the vector "
            "that it got before, in its new place, so the layer is equivariant.",
        ),
    ),
)

FIND_SLIP = Exercise(
    id="attention.find_slip",
    title="Find the slip",
    points=1,
    difficulty=2,
    minutes=4,
    driver="choice",
    reference={"": 4},
    cases=lambda generator: cases.choose({"": [1, 2, 3, 4, 5]}),
    misconceptions=(
        Misconception(
            "slip_in_projections",
            {"": 1},
            "Line 1 is right: in self-attention queries, keys and values are three projections of one x.",
        ),
        Misconception(
            "slip_in_d_k",
            {"": 2},
            "Line 2 is right: d_k is the number of features of a key, the size of its last axis.",
        ),
        Misconception(
            "slip_in_scores",
            {"": 3},
            "Line 3 is right as it stands, dot products divided by √d_k: now see what becomes of these "
            "scores further down.",
        ),
        Misconception(
            "slip_in_output",
            {"": 5},
            "Line 5 is right: the output averages the values with the weights, and is as good as these are.",
        ),
    ),
)
