"""The exercises on what has come since 2017.

A misconception's sentence says what is wrong and why that matters, to whoever has just made it.
"""

from autograder.exercise import Exercise, explained
from autograder.exercises.modern import alternatives as right
from autograder.exercises.modern import cases, choices
from autograder.exercises.modern import misconceptions as wrong
from autograder.exercises.modern import misconceptions_block as blocks
from autograder.exercises.modern import misconceptions_cheaper as cheaper
from autograder.exercises.modern import misconceptions_experts as experts
from helpers import modern
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

RMS_NORM = Exercise(
    id="modern.rms_norm",
    title="RMS norm",
    points=2,
    difficulty=2,
    minutes=6,
    reference=modern.rms_norm,
    cases=cases.rms_cases,
    returns=("normalised",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    forbidden=("torch.nn.RMSNorm", "torch.nn.functional.rms_norm", "torch.rms_norm"),
    misconceptions=explained(
        wrong.mean_taken_away,
        wrong.a_layer_norm,
        wrong.root_forgotten,
        wrong.eps_beside_the_root,
        wrong.eps_left_out,
        wrong.eps_written_in,
        wrong.summed,
        wrong.length_by_normalize,
        wrong.deviation_for_size,
        wrong.over_everything,
        wrong.over_the_first_axis,
        wrong.scale_left_out,
        wrong.one_added_to_weight,
        wrong.absolute_mean,
    ),
    alternatives=(right.rms_by_dividing, right.rms_by_length, right.rms_by_einsum),
)

GATED = Exercise(
    id="modern.gated",
    title="A gate",
    points=3,
    difficulty=2,
    minutes=8,
    driver="module",
    reference=right.GatedFeedForward,
    cases=cases.gated_cases,
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        wrong.GateAndUpExchanged,
        wrong.SigmoidGate,
        wrong.GeluGate,
        wrong.ReluGate,
        wrong.NoActivation,
        wrong.Added,
        wrong.ActivatedProduct,
        wrong.BothActivated,
        wrong.NoGate,
        wrong.PathInside,
    ),
    alternatives=(right.GatedInSteps, right.GatedByMatrices),
)

WIDTH = Exercise(
    id="modern.width",
    title="As many weights as before",
    points=1,
    difficulty=2,
    minutes=5,
    reference=modern.gated_width,
    cases=cases.width_cases,
    returns=("width",),
    misconceptions=explained(
        wrong.not_rounded,
        wrong.rounded_down,
        wrong.rounded_to_nearest,
        wrong.one_multiple_more,
        wrong.fraction_rounded_up,
        wrong.third_cut_first,
        wrong.half_as_wide,
        wrong.a_third,
        wrong.half_as_much_again,
    ),
    alternatives=(right.width_with_ceil, right.width_as_in_llama, right.width_by_remainder),
)

INTERLEAVED = Exercise(
    id="modern.interleaved",
    title="Rows in another order",
    points=3,
    difficulty=3,
    minutes=10,
    reference=modern.interleaved,
    cases=cases.interleaved_cases,
    returns=("weight",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        wrong.rows_as_they_are,
        wrong.the_other_way,
        wrong.over_all_rows,
        wrong.halves_exchanged,
        wrong.second_half_first,
        wrong.heads_in_between,
    ),
    alternatives=(
        right.interleaved_with_stack,
        right.interleaved_with_an_index,
        right.interleaved_by_filling,
    ),
)

ATTENTION = Exercise(
    id="modern.attention",
    title="Attention today",
    points=5,
    difficulty=4,
    minutes=18,
    driver="module",
    reference=right.GroupedAttention,
    cases=cases.attention_cases,
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("modern.rms_norm",),
    misconceptions=explained(
        blocks.NoNorms,
        blocks.KeysNotNormed,
        blocks.QueriesNotNormed,
        blocks.ValuesNormedToo,
        blocks.NormsExchanged,
        blocks.TurnedBeforeNormed,
        blocks.NormedBeforeSplit,
        blocks.NotTurned,
        blocks.KeysNotTurned,
        blocks.ValuesTurnedToo,
        blocks.NotCausal,
        blocks.CausalTurned,
        blocks.GroupsTiled,
        blocks.LastMapForgotten,
        blocks.ScaledTwice,
    ),
    alternatives=(right.AttentionWithTorch, right.AttentionHeadByHead),
    square="the maps of attention are d_model × d_model",
)

BLOCK = Exercise(
    id="modern.block",
    title="Today's block",
    points=3,
    difficulty=2,
    minutes=8,
    driver="module",
    reference=right.Block,
    cases=cases.block_cases,
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("modern.rms_norm", "modern.gated", "modern.attention"),
    misconceptions=explained(
        blocks.NoResidual,
        blocks.FirstPathMissing,
        blocks.SecondPathMissing,
        blocks.FirstNormTwice,
        blocks.SublayersReadRaw,
        blocks.PostNorm,
        blocks.PathNormalised,
        blocks.NormsExchangedHere,
        blocks.FeedForwardFirst,
        blocks.SideBySide,
        blocks.FirstPathAgain,
        blocks.SublayersNormalised,
    ),
    alternatives=(right.BlockInSteps, right.BlockByASublayer),
    square="the maps of attention are d_model × d_model",
)

GATES = Exercise(
    id="modern.gates",
    title="The router",
    points=3,
    difficulty=3,
    minutes=8,
    reference=modern.gates,
    cases=cases.gates_cases,
    returns=("gates",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        experts.not_made_up_for,
        experts.all_experts,
        experts.scores_as_gates,
        experts.alike,
        experts.the_worst,
        experts.zeros_for_the_others,
        experts.sigmoids,
        experts.best_alone,
        experts.shares_in_order,
        experts.shares_of_the_scores,
        experts.best_of_all_rows,
    ),
    alternatives=(right.gates_by_renormalising, right.gates_by_a_mask, right.gates_by_sorting),
)

MIXTURE = Exercise(
    id="modern.mixture",
    title="The experts",
    points=4,
    difficulty=4,
    minutes=14,
    driver="call_with_layer",
    reference=modern.mixture,
    cases=cases.mixture_cases,
    properties=(inputs_unchanged,),
    misconceptions=explained(
        experts.everyone_reads_everything,
        experts.gates_ignored,
        experts.gate_before_the_expert,
        experts.last_one_counts,
        experts.only_the_best,
        experts.path_added,
        experts.shared_by_count,
    ),
    alternatives=(right.mixture_token_by_token, right.mixture_with_index_add, right.mixture_by_a_sum),
    square="an expert's map is d_model × d_model",
)

BALANCE = Exercise(
    id="modern.balance",
    title="What imbalance costs",
    points=3,
    difficulty=3,
    minutes=10,
    reference=modern.balance_loss,
    cases=cases.balance_cases,
    returns=("loss",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        experts.not_times_experts,
        experts.counts_as_they_are,
        experts.shares_of_tokens,
        experts.probabilities_twice,
        experts.shares_twice,
        experts.gates_for_probabilities,
        experts.token_by_token,
        experts.the_best_alone,
    ),
    alternatives=(right.balance_by_one_hot, right.balance_by_counting, right.balance_expert_by_expert),
)

QUANTIZED = Exercise(
    id="modern.quantized",
    title="One byte per weight",
    points=3,
    difficulty=3,
    minutes=10,
    reference=modern.quantized,
    cases=cases.quantized_cases,
    returns=("whole numbers", "scales"),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        cheaper.one_scale_for_all,
        cheaper.cut_off,
        cheaper.up_to_128,
        cheaper.only_positive,
        cheaper.only_positive_and_cut,
        cheaper.still_floats,
        cheaper.divided_by_zero,
        cheaper.turned_over,
        cheaper.four_bits,
    ),
    alternatives=(right.quantized_with_max, right.quantized_row_by_row),
)

QUANTIZED_LINEAR = Exercise(
    id="modern.quantized_linear",
    title="Using the bytes",
    points=1,
    difficulty=2,
    minutes=5,
    reference=modern.quantized_linear,
    cases=cases.quantized_linear_cases,
    properties=(inputs_unchanged,),
    misconceptions=explained(
        cheaper.scales_forgotten,
        cheaper.divided_by_scales,
        cheaper.input_rounded,
        cheaper.scales_summed,
        cheaper.scales_as_a_column,
    ),
    alternatives=(right.quantized_linear_scaled_later, right.quantized_linear_with_functional),
)

ACCEPTED = Exercise(
    id="modern.accepted",
    title="Which drafts are kept",
    points=3,
    difficulty=3,
    minutes=10,
    reference=modern.accepted,
    cases=cases.accepted_cases,
    returns=("kept",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        cheaper.all_that_pass,
        cheaper.every_place_for_every_token,
        cheaper.first_no_by_argmax,
        cheaper.ratio_turned_over,
        cheaper.chances_above,
        cheaper.target_alone,
        cheaper.only_where_more,
        cheaper.the_best_only,
        cheaper.one_too_many,
        cheaper.all_or_nothing,
    ),
    alternatives=(right.accepted_in_a_loop, right.accepted_with_gather, right.accepted_by_the_first),
)

ADJUSTED = Exercise(
    id="modern.adjusted",
    title="What to draw instead",
    points=2,
    difficulty=3,
    minutes=8,
    reference=modern.adjusted,
    cases=cases.adjusted_cases,
    returns=("probabilities",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        cheaper.from_the_target,
        cheaper.not_summing_to_one,
        cheaper.the_other_more,
        cheaper.differences_both_ways,
        cheaper.softmax_of_differences,
        cheaper.softmax_of_the_rest,
        cheaper.target_where_more,
        cheaper.by_ratio,
    ),
    alternatives=(right.adjusted_by_where, right.adjusted_with_minimum),
)

TOKENS = Exercise(
    id="modern.tokens",
    title="Tokens per call",
    points=1,
    difficulty=2,
    minutes=5,
    reference=modern.tokens_per_call,
    cases=cases.tokens_cases,
    returns=("tokens",),
    misconceptions=explained(
        cheaper.own_token_forgotten,
        cheaper.each_on_its_own,
        cheaper.one_draft_less,
        cheaper.closed_one_draft_less,
        cheaper.one_draft_more,
        cheaper.divided_by_nothing,
        cheaper.all_kept_alone,
    ),
    alternatives=(right.tokens_by_formula, right.tokens_in_a_loop),
)

SAME = Exercise(
    id="modern.same",
    title="What stays the same",
    points=2,
    difficulty=2,
    minutes=5,
    driver="choice",
    reference=choices.SAME,
    cases=lambda generator: cases.choose(choices.SAME_OPTIONS),
    misconceptions=choices.SAME_WRONG,
)
