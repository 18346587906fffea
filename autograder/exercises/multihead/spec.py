"""The exercises of lesson 02.

A misconception's sentence says what is wrong and why that matters, to whoever has just made it.
"""

from autograder.exercise import Exercise, Misconception, explained
from autograder.exercises.multihead import alternatives as right
from autograder.exercises.multihead import cases
from autograder.exercises.multihead import misconceptions as wrong
from autograder.exercises.multihead import misconceptions_habits as habits
from autograder.exercises.multihead import misconceptions_heads as heads
from autograder.exercises.multihead import misconceptions_module as shapes
from autograder.exercises.multihead import misconceptions_roles as roles
from helpers import multihead
from helpers.checks import gradient_reaches_inputs, inputs_unchanged, rows_sum_to_one

SPLIT_HEADS = Exercise(
    id="multihead.split_heads",
    title="Splitting into heads",
    points=2,
    difficulty=2,
    minutes=8,
    reference=multihead.split_heads,
    cases=cases.split_cases,
    returns=("heads",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        wrong.view_alone,
        wrong.no_transpose,
        wrong.first_two_axes,
        wrong.every_nth_channel,
        wrong.features_before_positions,
        wrong.heads_for_channels,
        wrong.everything_for_each,
    ),
    alternatives=(
        right.split_with_view_and_transpose,
        right.split_into_chunks,
        right.split_one_after_another,
        right.split_by_way_of_the_transpose,
    ),
)

MERGE_HEADS = Exercise(
    id="multihead.merge_heads",
    title="Merging the heads",
    points=2,
    difficulty=2,
    minutes=5,
    reference=multihead.merge_heads,
    cases=cases.merge_cases,
    returns=("merged",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        wrong.merged_without_transposing,
        wrong.only_transposed,
        wrong.averaged_over_heads,
        wrong.summed_over_heads,
        wrong.channel_by_channel,
        wrong.one_after_another,
        wrong.merged_first_two_axes,
        habits.positions_and_heads_flattened,
    ),
    alternatives=(right.merge_with_reshape, right.merge_by_cat, right.merge_contiguous_view),
)

_PADDING = "padding: each sentence has its own length"
_CAUSAL = "no word sees a later one, in all sentences alike"
_BOTH = "both at once"
_ALIKE, _NO_HEADS, _KEYS, _FULL = "(T_q, T_k)", "(B, T_q, T_k)", "(B, 1, 1, T_k)", "(B, 1, T_q, T_k)"
_TRAP = "the scores (B, H, T_q, T_k) take its first axis for the heads"

MASK_AXES = Exercise(
    id="multihead.mask_axes",
    title="The axes of a mask",
    points=2,
    difficulty=2,
    minutes=5,
    driver="choice",
    reference={_PADDING: _KEYS, _CAUSAL: _ALIKE, _BOTH: _FULL},
    cases=lambda generator: cases.choose(
        {slot: [_ALIKE, _NO_HEADS, _KEYS, _FULL] for slot in (_PADDING, _CAUSAL, _BOTH)}
    ),
    misconceptions=(
        Misconception(
            "padding_alike",
            {_PADDING: _ALIKE},
            "A padding mask (T_q, T_k) hides the same keys in every sentence: without a batch axis it can't "
            "know that one is shorter than another.",
        ),
        Misconception(
            "padding_meets_heads",
            {_PADDING: _NO_HEADS},
            f"A padding mask (B, T_q, T_k) is lined up from the right, so that {_TRAP}: it raises, or hides "
            "the wrong words where B happens to equal H.",
        ),
        Misconception(
            "padding_too_large",
            {_PADDING: _FULL},
            "(B, 1, T_q, T_k) would do for padding too, but it says the same T_q times: a padded key is "
            "hidden from every query, so an axis of size 1 is enough.",
        ),
        Misconception(
            "causal_meets_heads",
            {_CAUSAL: _NO_HEADS},
            f"A causal mask needs no batch axis, and as (B, T_q, T_k) {_TRAP}: what holds for all sentences "
            "needs two axes only.",
        ),
        Misconception(
            "causal_without_queries",
            {_CAUSAL: _KEYS},
            "With (B, 1, 1, T_k) all queries of a sentence see the same keys, but which words are later "
            "ones differs from query to query.",
        ),
        Misconception(
            "causal_too_large",
            {_CAUSAL: _FULL},
            "(B, 1, T_q, T_k) would do for the causal mask too, but it says the same B times: broadcasting "
            "takes care of all axes in front.",
        ),
        Misconception(
            "both_alike",
            {_BOTH: _ALIKE},
            "Both at once can't be (T_q, T_k), since its padding part differs from sentence to sentence.",
        ),
        Misconception(
            "both_meet_heads",
            {_BOTH: _NO_HEADS},
            f"Both at once needs B, T_q and T_k, but as (B, T_q, T_k) {_TRAP}: an axis of size 1 has to keep "
            "their place.",
        ),
        Misconception(
            "both_without_queries",
            {_BOTH: _KEYS},
            "Both at once can't be (B, 1, 1, T_k), since its causal part differs from query to query.",
        ),
    ),
)

MODULE = Exercise(
    id="multihead.module",
    title="Multi-head attention",
    points=5,
    difficulty=4,
    minutes=20,
    driver="module",
    reference=right.Plain,
    cases=cases.module_cases,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    # Written out, so that the search for forbidden names in an answer finds each of them.
    forbidden=(
        "torch.nn.MultiheadAttention",
        "torch.nn.functional.multi_head_attention_forward",
        "torch._native_multi_head_attention",
    ),
    needs=("multihead.split_heads", "multihead.merge_heads"),
    square="W_q, W_k, W_v and W_o are d_model × d_model",
    misconceptions=explained(
        shapes.SplitByViewAlone,
        shapes.MergedWithoutTransposing,
        shapes.HeadsAmongThemselves,
        shapes.NotSplit,
        shapes.ScaledByModelWidth,
        shapes.Unscaled,
        shapes.ScaledByHeadWidth,
        shapes.ScaledByNumberOfHeads,
        shapes.FilledWithMinusHundred,
        shapes.FilledWithInfinity,
        shapes.SoftmaxOverQueries,
        shapes.SoftmaxOverHeads,
        roles.NoOutputProjection,
        roles.ValuesNotProjected,
        roles.KeysAndValuesSwapped,
        roles.AlwaysItself,
        roles.TheOtherAsks,
        roles.MaskIgnored,
        roles.MaskInverted,
        roles.MaskAfterSoftmax,
        roles.OneMaskForAll,
        roles.WeightsAveraged,
        habits.WeightsAsTheyLie,
        habits.MaskWithOneMoreAxis,
    ),
    alternatives=(right.WithEinsum, right.OneHeadAfterAnother, right.WithScaledQueries),
)

UNPACK = Exercise(
    id="multihead.unpack",
    title="Weights from torch",
    points=2,
    difficulty=2,
    minutes=6,
    reference=multihead.unpack_projections,
    cases=cases.unpack_cases,
    returns=("parameters",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        wrong.keys_first,
        wrong.values_second,
        wrong.transposed,
        wrong.every_third_row,
        wrong.biases_not_split,
        wrong.cut_into_columns,
    ),
    alternatives=(right.unpack_by_slices, right.unpack_by_view),
)

COSTS = Exercise(
    id="multihead.costs",
    title="What several heads cost",
    points=3,
    difficulty=3,
    minutes=10,
    reference=multihead.costs,
    cases=cases.cost_cases,
    returns=("parameters", "multiplications", "weights"),
    misconceptions=explained(
        wrong.full_width_heads,
        wrong.no_output_projection_counted,
        wrong.no_biases_counted,
        wrong.scores_alone,
        wrong.no_projections_counted,
        wrong.attention_times_heads,
        wrong.one_head_counted,
        wrong.small_matrices,
        wrong.one_map_for_all,
        wrong.additions_too,
        habits.projected_to_one_head,
        habits.output_projection_not_multiplied,
        habits.one_bias_counted,
    ),
    alternatives=(right.costs_head_by_head, right.costs_in_closed_form),
)

BOTH_NEIGHBOURS = Exercise(
    id="multihead.both_neighbours",
    title="Two places at once",
    points=4,
    difficulty=4,
    minutes=15,
    driver="use_result",
    reference=multihead.both_neighbours,
    cases=cases.round_table_cases,
    returns=("what the two heads put out",),
    misconceptions=explained(
        heads.turned_the_other_way,
        heads.both_look_the_same_way,
        heads.both_look_at_themselves,
        heads.not_sharp,
        heads.everything_alike,
        heads.output_not_moved,
        heads.one_head_has_the_number,
        heads.both_in_one_channel,
        heads.nothing_gets_through,
    ),
    alternatives=(right.as_written_tables, right.with_turned_keys_and_heads_exchanged),
)

SWITCH_OFF = Exercise(
    id="multihead.switch_off",
    title="Switching heads off",
    points=2,
    difficulty=2,
    minutes=6,
    reference=multihead.switch_off,
    cases=cases.switch_off_cases,
    returns=("weight",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        heads.rows_off,
        heads.others_off,
        heads.every_hth_column,
        heads.one_column,
        heads.made_up_for,
        heads.cut_out,
        heads.written_into,
        habits.rows_shared_out,
    ),
    alternatives=(right.off_by_a_loop, right.off_by_views),
)

IMPORTANCE = Exercise(
    id="multihead.head_importance",
    title="Head importance",
    points=2,
    difficulty=3,
    minutes=8,
    driver="call_with_layer",
    reference=multihead.head_importance,
    cases=cases.importance_cases,
    returns=("importance",),
    misconceptions=explained(
        heads.this_head_alone,
        heads.losses_themselves,
        heads.sign_turned,
        heads.without_sign,
        heads.as_shares,
        heads.never_on_again,
        heads.against_none,
        heads.as_ratio,
        habits.no_head_off,
    ),
    alternatives=(right.with_an_identity_matrix, right.as_plain_numbers),
)
