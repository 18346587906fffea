"""The exercises of lesson 04: masks, leaks, caches."""

from autograder.exercise import Exercise, Misconception, explained
from autograder.exercises.masking import alternatives as right
from autograder.exercises.masking import cases
from autograder.exercises.masking import misconceptions as wrong
from autograder.exercises.masking import misconceptions_axes as axes
from autograder.exercises.masking import misconceptions_form as form
from autograder.exercises.masking import misconceptions_habits as habits
from autograder.exercises.masking import misconceptions_study as study
from helpers import masking
from helpers.checks import gradient_reaches_inputs, inputs_unchanged, rows_sum_to_one

CAUSAL = Exercise(
    id="masking.causal",
    title="The causal mask",
    points=2,
    difficulty=1,
    minutes=4,
    reference=masking.causal_mask,
    cases=cases.causal_cases,
    returns=("mask",),
    misconceptions=explained(
        wrong.not_itself,
        wrong.upper_triangle,
        wrong.true_hides,
        wrong.one_too_far,
        wrong.not_boolean,
        wrong.to_be_added,
        wrong.only_itself,
    ),
    alternatives=(right.compared_places, right.future_taken_away, right.row_by_row),
)

PADDING = Exercise(
    id="masking.padding",
    title="The padding mask",
    points=2,
    difficulty=2,
    minutes=5,
    reference=masking.padding_mask,
    cases=cases.padding_cases,
    returns=("mask",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        wrong.true_is_padding,
        wrong.one_word_more,
        wrong.filled_in_front,
        wrong.sentences_in_columns,
        wrong.padding_as_numbers,
        wrong.up_to_the_longest,
        axes.with_axes_for_heads,
        habits.one_word_less,
    ),
    alternatives=(right.one_sentence_after_another, right.filled_in_place, right.written_as_a_list),
)

BOTH = Exercise(
    id="masking.both",
    title="Both masks at once",
    points=3,
    difficulty=2,
    minutes=6,
    reference=masking.decoder_mask,
    cases=cases.decoder_cases,
    returns=("mask",),
    properties=(inputs_unchanged,),
    needs=("masking.causal",),
    misconceptions=explained(
        wrong.queries_for_keys,
        wrong.queries_and_keys,
        wrong.either,
        wrong.no_new_axis,
        wrong.causal_alone,
        wrong.padding_alone,
        wrong.exclusive,
        axes.queries_with_heads,
        axes.both_with_heads,
        habits.words_taken_to_come_first,
        habits.future_for_past,
    ),
    alternatives=(right.with_none, right.hidden_keys_filled, right.both_compared),
)

_TABLE, _ROW, _FULL = "(T_q, T_k)", "(B, 1, 1, T_k)", "(B, 1, T_q, T_k)"
_CAUSAL, _PADDING, _BOTH = "the causal mask", "the padding mask", "both at once"
_AXIS = "a mask (B, T_q, T_k) where H happens to equal B"
_NOTICED, _SENTENCE, _HEAD = "an error", "mask b for sentence b", "mask b for head b"

# Written out, so that the search for forbidden names in an answer finds each of them.
ATTENTION_OF_TORCH = (
    "torch.nn.functional.scaled_dot_product_attention",
    "torch.nn.functional.multi_head_attention_forward",
    "torch._native_multi_head_attention",
    "torch.nn.MultiheadAttention",
)

MASKED = Exercise(
    id="masking.attention",
    title="Nothing to look at",
    points=4,
    difficulty=3,
    minutes=10,
    reference=masking.masked_attention,
    cases=cases.masked_cases,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    forbidden=ATTENTION_OF_TORCH,
    misconceptions=explained(
        wrong.nan_in_empty_rows,
        wrong.uniform_in_empty_rows,
        wrong.nan_replaced_at_the_end,
        wrong.nan_replaced_after_adding,
        wrong.nan_replaced_too_late,
        wrong.zeros_for_all,
        wrong.weights_left_uniform,
        wrong.empty_rows_opened,
        wrong.hidden_after_the_softmax,
        wrong.a_little_added,
        wrong.filled_with_minus_hundred,
        wrong.filled_with_infinity,
        wrong.filled_with_e,
        wrong.scores_set_to_zero,
        wrong.mask_turned_round,
        wrong.not_scaled,
        habits.weights_left_nan,
        habits.hidden_scores_near_zero,
    ),
    alternatives=(
        right.empty_rows_put_aside,
        right.with_a_safe_divisor,
        right.nan_replaced_in_the_weights,
        right.large_negative_then_zero,
    ),
)

SEES = Exercise(
    id="masking.sees",
    title="A leak detector",
    points=4,
    difficulty=4,
    minutes=12,
    driver="call_with_layer",
    reference=masking.sees,
    cases=cases.sees_cases,
    returns=("table",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        study.features_summed,
        study.signs_cancel,
        study.above_zero_alone,
        study.all_for_any,
        study.every_input_feature,
        study.rows_for_columns,
        study.all_outputs_at_once,
        study.gradients_pile_up,
        study.how_much,
        study.the_future_alone,
        study.one_feature_asked,
        study.asked_at_zero,
        habits.slopes_add_up,
        habits.small_slopes_taken_for_none,
        habits.same_features_alone,
    ),
    alternatives=(
        right.one_output_at_a_time,
        right.with_random_weights,
        right.gradient_forgotten_each_time,
        right.with_jacrev,
    ),
)

PREFIXES = Exercise(
    id="masking.prefixes",
    title="One pass for each prefix",
    points=3,
    difficulty=2,
    minutes=6,
    driver="call_with_layer",
    reference=masking.prefix_passes,
    cases=cases.prefix_cases,
    returns=("outputs",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        study.one_pass_for_all,
        study.first_outputs,
        study.endings,
        study.future_set_to_zero,
        study.last_prefix_missing,
        study.mean_of_the_outputs,
        study.one_word_sentences,
        study.stacked_in_front,
        study.cut_along_the_batch,
    ),
    alternatives=(right.last_ones_joined, right.from_the_longest),
)

CACHE = Exercise(
    id="masking.cache",
    title="A decoder with a memory",
    points=4,
    difficulty=4,
    minutes=12,
    reference=masking.cached_step,
    cases=cases.cached_cases,
    returns=("output", "cache"),
    properties=(inputs_unchanged,),
    needs=("masking.attention",),
    misconceptions=explained(
        study.past_forgotten,
        study.present_forgotten,
        habits.asked_before_storing,
        habits.hidden_from_itself,
        study.mask_at_the_upper_left,
        study.no_mask_for_several,
        study.padded_on_the_right,
        study.cache_filled_with_minus_hundred,
        study.old_cache_returned,
        study.only_the_new_stored,
        study.new_ones_in_front,
        study.joined_along_the_first_axis,
        study.queries_stored,
        study.cache_changed,
    ),
    alternatives=(right.whole_mask_cut, right.with_places_compared, right.one_after_another),
)

CONVERT = Exercise(
    id="masking.convert",
    title="Four ways to write a mask",
    points=3,
    difficulty=2,
    minutes=8,
    reference=masking.convert,
    cases=cases.convert_cases,
    returns=("mask",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        form.hidden_taken_as_may,
        form.hidden_written_as_may,
        form.additive_by_truth,
        form.zero_times_infinity,
        form.one_and_zero_added,
        form.infinity_on_what_may_be_seen,
        form.large_but_finite,
        form.integer_left_boolean,
        form.integer_turned_round,
        form.integer_of_32_bits,
    ),
    alternatives=(right.with_a_table_of_readers, right.by_logarithm),
)

_INFINITE, _BILLION = "0 where allowed, -inf where not", "0 where allowed, -1e9 where not"
_FIVE, _DISTANCE = "0 where allowed, -5 where not", "-1 for each word of distance"

INSIDE = Exercise(
    id="masking.inside",
    title="Inside or outside",
    points=2,
    difficulty=2,
    minutes=4,
    driver="choice",
    reference={_INFINITE: "same", _BILLION: "same", _FIVE: "different", _DISTANCE: "different"},
    cases=lambda generator: cases.choose(
        {slot: ["same", "different"] for slot in (_INFINITE, _BILLION, _FIVE, _DISTANCE)}
    ),
    misconceptions=(
        Misconception(
            "infinity_different",
            {_INFINITE: "different"},
            "−∞ divided by √d_k is −∞, and 0 stays 0, so a mask of 0 and −∞ gives the same weights inside "
            "and outside.",
        ),
        Misconception(
            "billion_different",
            {_BILLION: "different"},
            "−10⁹ divided by 8 is still so low that its exponential is 0 in float32, so the weights are the "
            "same: the bias isn't, but nobody can see it.",
        ),
        Misconception(
            "five_same",
            {_FIVE: "same"},
            "−5 divided by 8 is −0.6, so a key that should keep less than a hundredth of its weight keeps "
            "half of it.",
        ),
        Misconception(
            "distance_same",
            {_DISTANCE: "same"},
            "−1 for each word becomes −0.125 for each word when it is divided by 8, so far words count for "
            "more than they should.",
        ),
    ),
)

REACH = Exercise(
    id="masking.reach",
    title="Several layers",
    points=3,
    difficulty=3,
    minutes=8,
    reference=masking.reach,
    cases=cases.reach_cases,
    returns=("table",),
    properties=(inputs_unchanged,),
    square="a mask of self-attention is T × T; a chain isn't its own transpose",
    misconceptions=explained(
        form.nothing_kept,
        form.mask_of_one_layer,
        form.one_layer_more,
        form.number_of_ways,
        form.who_is_reached,
        form.both_ways,
        form.last_layer_alone,
        habits.one_layer_at_least,
        habits.doubled_with_each_layer,
    ),
    alternatives=(right.as_a_power, right.from_neighbour_to_neighbour, right.kept_and_added),
)
