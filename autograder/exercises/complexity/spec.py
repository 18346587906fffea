"""The exercises of lesson 05.

A misconception's sentence says what is wrong and why that matters, to whoever has just made it.
"""

from autograder.exercise import Exercise, explained
from autograder.exercises.complexity import alternatives as right
from autograder.exercises.complexity import cases
from autograder.exercises.complexity import choices as slip
from autograder.exercises.complexity import misconceptions as wrong
from autograder.exercises.complexity import misconceptions_block as block
from autograder.exercises.complexity import misconceptions_habits as habits
from autograder.exercises.complexity import misconceptions_layer as layers
from autograder.exercises.complexity import misconceptions_measure as measure
from helpers import complexity
from helpers.checks import gradient_reaches_inputs, inputs_unchanged, stays_small

MATMUL_FLOPS = Exercise(
    id="complexity.matmul_flops",
    title="FLOPs of a matrix product",
    points=2,
    difficulty=1,
    minutes=5,
    reference=complexity.matmul_flops,
    cases=cases.matmul_cases,
    returns=("FLOPs",),
    misconceptions=explained(
        wrong.multiplications_alone,
        wrong.one_addition_less,
        wrong.batch_left_out,
        wrong.numbers_in_the_result,
        wrong.all_sizes_multiplied,
        habits.batch_counted_twice,
        wrong.numbers_read,
    ),
    alternatives=(right.with_names_for_the_axes, right.from_the_result),
)

REPORT_SLIP = Exercise(
    id="complexity.report_slip",
    title="A slip in a shape",
    points=1,
    difficulty=1,
    minutes=4,
    driver="choice",
    reference=slip.RIGHT,
    cases=lambda generator: cases.choose(slip.OPTIONS),
    misconceptions=slip.MISCONCEPTIONS,
)

ATTENTION_FLOPS = Exercise(
    id="complexity.attention_flops",
    title="FLOPs of attention, step by step",
    points=3,
    difficulty=2,
    minutes=8,
    reference=complexity.attention_flops,
    cases=cases.step_cases,
    returns=("FLOPs",),
    needs=("complexity.matmul_flops",),
    misconceptions=explained(
        wrong.scores_of_n_by_d,
        wrong.each_multiply_add_once,
        wrong.no_second_product,
        wrong.mixture_for_one_query,
        wrong.no_projections,
        wrong.one_projection,
        wrong.projection_of_one_position,
        wrong.softmax_of_one_row,
        habits.scores_without_transpose,
    ),
    alternatives=(right.written_out, right.with_products_of_shapes),
)

CONNECTING = Exercise(
    id="complexity.layers_to_connect",
    title="Layers until the last position sees the first",
    points=2,
    difficulty=3,
    minutes=9,
    reference=complexity.layers_to_connect,
    cases=cases.connecting_cases,
    returns=("layers",),
    misconceptions=explained(
        wrong.kernel_counted_whole,
        wrong.rounded_down,
        wrong.logarithm_rounded_up,
        wrong.one_layer_too_many,
        wrong.never_dilated,
        wrong.always_dilated,
        wrong.doubled_for_any_kernel,
        habits.fraction_of_a_layer,
        habits.steps_doubled,
        habits.growing_steps_rounded_down,
        habits.itself_counted_in,
    ),
    alternatives=(right.by_division_and_powers, right.by_walking_back),
)

LAYER_COST = Exercise(
    id="complexity.layer_cost",
    title="Three layers, three costs",
    points=3,
    difficulty=2,
    minutes=8,
    reference=complexity.layer_cost,
    cases=cases.table_cases,
    returns=("operations", "sequential steps", "longest path"),
    needs=("complexity.layers_to_connect",),
    misconceptions=explained(
        layers.attention_and_recurrence_swapped,
        layers.attention_without_features,
        layers.kernel_forgotten,
        layers.convolution_of_each_feature,
        layers.recurrence_in_parallel,
        layers.attention_in_steps,
        layers.convolution_in_steps,
        layers.short_path_through_recurrence,
        layers.long_path_through_attention,
        layers.short_path_through_convolution,
        layers.path_without_dilation,
        layers.root_for_logarithm,
        layers.constant_factors_kept,
        layers.path_of_one_less,
        habits.height_not_rounded,
        habits.kernels_side_by_side,
        habits.whole_kernels_side_by_side,
        habits.steps_of_the_stack,
        habits.operations_of_the_stack,
    ),
    alternatives=(right.from_a_dict, right.as_a_list),
)

CROSSOVER = Exercise(
    id="complexity.crossover_length",
    title="Where attention stops being cheaper",
    points=2,
    difficulty=3,
    minutes=8,
    reference=complexity.crossover_length,
    cases=cases.crossover_cases,
    returns=("length",),
    misconceptions=explained(
        layers.sides_swapped,
        layers.below_zero,
        layers.one_product_of_attention,
        layers.projections_left_out,
        layers.recurrence_counted_once,
        layers.always_the_width,
        layers.upside_down,
        habits.halved_too_early,
        habits.matrices_added,
    ),
    alternatives=(right.with_two_flops_apiece, right.as_a_whole_number),
)

EXPONENT = Exercise(
    id="complexity.fitted_exponent",
    title="An exponent from measured times",
    points=3,
    difficulty=3,
    minutes=10,
    reference=complexity.fitted_exponent,
    cases=cases.exponent_cases,
    returns=("exponent",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        measure.linear_axes,
        measure.logarithm_of_times_alone,
        measure.logarithm_of_sizes_alone,
        measure.axes_swapped,
        measure.first_and_last,
        measure.through_the_origin,
        measure.mean_of_ratios,
        measure.the_intercept,
        measure.correlation,
        habits.sums_before_products,
        habits.one_less_in_the_variance,
        habits.logarithms_of_means,
    ),
    alternatives=(right.by_covariance, right.by_least_squares, right.in_plain_python),
)

ABSORB = Exercise(
    id="complexity.absorb",
    title="One block into a running softmax",
    points=3,
    difficulty=4,
    minutes=14,
    reference=complexity.absorb,
    cases=cases.absorbing_cases,
    returns=("largest", "total", "mixture"),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        block.nothing_rescaled,
        block.mixture_not_rescaled,
        block.total_not_rescaled,
        block.rescaled_the_wrong_way,
        block.maximum_of_the_block,
        block.block_by_its_own_maximum,
        block.block_alone,
        block.softmax_of_the_block,
        block.divided_already,
    ),
    alternatives=(right.side_by_side, right.as_two_partial_sums),
)

BLOCKWISE = Exercise(
    id="complexity.blockwise_attention",
    title="Attention in blocks",
    points=4,
    difficulty=4,
    minutes=14,
    driver="call_measured",
    reference=complexity.blockwise_attention,
    cases=cases.block_cases,
    properties=(inputs_unchanged, gradient_reaches_inputs, stays_small),
    forbidden=(
        "torch.nn.functional.scaled_dot_product_attention",
        "torch.nn.functional.multi_head_attention_forward",
        "torch._native_multi_head_attention",
        "torch.nn.MultiheadAttention",
    ),
    needs=("complexity.absorb",),
    misconceptions=explained(
        block.all_scores_at_once,
        block.blocks_added,
        block.blocks_averaged,
        block.short_block_dropped,
        block.never_divided,
        block.blocks_unscaled,
        block.scaled_by_the_block,
        block.started_at_zero,
        block.no_running_maximum,
        block.rescaling_forgotten,
        habits.result_thrown_away,
        habits.last_block_left_out,
        habits.divided_in_the_loop,
        habits.first_block_alone,
        habits.blocks_scaled_again,
    ),
    alternatives=(
        right.starting_with_the_first_block,
        right.all_by_itself,
        right.with_logarithms_of_sums,
        right.blocks_of_queries,
        right.one_query_after_another,
    ),
)

CACHE_BYTES = Exercise(
    id="complexity.cache_bytes",
    title="Memory of the cache",
    points=2,
    difficulty=2,
    minutes=5,
    reference=complexity.cache_bytes,
    cases=cases.cache_cases,
    returns=("bytes",),
    misconceptions=explained(
        measure.keys_alone,
        measure.queries_kept_too,
        measure.every_query_head,
        measure.heads_in_a_group,
        measure.one_layer_alone,
        measure.positions_squared,
        measure.cached_numbers,
        measure.cache_in_bits,
    ),
    alternatives=(right.keys_and_values_apart, right.a_share_of_the_full_cache),
)

GROUPED = Exercise(
    id="complexity.grouped_attention",
    title="Heads that share keys and values",
    points=3,
    difficulty=3,
    minutes=10,
    reference=complexity.grouped_attention,
    cases=cases.grouped_cases,
    properties=(inputs_unchanged, gradient_reaches_inputs),
    forbidden=(
        "torch.nn.functional.scaled_dot_product_attention",
        "torch.nn.functional.multi_head_attention_forward",
        "torch._native_multi_head_attention",
        "torch.nn.MultiheadAttention",
    ),
    misconceptions=explained(
        measure.heads_dealt_in_turn,
        measure.first_head_for_all,
        measure.heads_averaged,
        measure.queries_averaged,
        measure.values_dealt_in_turn,
        measure.grouped_unscaled,
        measure.first_axis_repeated,
        measure.second_axis_repeated,
        measure.heads_not_repeated,
        habits.repeated_by_their_own_number,
        habits.members_meet_heads,
    ),
    alternatives=(right.by_broadcasting, right.one_head_after_another, right.with_a_list_of_heads),
)
