"""The exercises of lesson 03.

A misconception's sentence says what is wrong and why that matters, to whoever has just made it.
"""

from autograder.exercise import Exercise, Misconception, explained
from autograder.exercises.positional import alternatives as right
from autograder.exercises.positional import cases
from autograder.exercises.positional import misconceptions as added
from autograder.exercises.positional import misconceptions_habits as habits
from autograder.exercises.positional import misconceptions_scores as scores
from autograder.exercises.positional import misconceptions_turning as turned
from helpers import positional
from helpers.checks import gradient_reaches_inputs, inputs_unchanged, rows_sum_to_one

SINUSOIDAL = Exercise(
    id="positional.sinusoidal",
    title="Sinusoidal positions",
    points=3,
    difficulty=3,
    minutes=12,
    reference=positional.sinusoidal,
    cases=cases.sinusoidal_cases,
    returns=("table",),
    misconceptions=explained(
        added.in_halves,
        added.exponent_i,
        added.exponent_of_each_feature,
        added.exponent_twice_doubled,
        added.cosine_with_another_speed,
        added.cosine_first,
        added.base_1000,
        added.base_written_in,
        added.from_one,
        added.faster_and_faster,
        added.divided_by_div_term,
        added.same_speed_for_all,
        added.as_in_fairseq,
        added.in_degrees,
        added.features_by_positions,
        added.no_cosine,
        added.decimal_logarithm,
        added.whole_turns,
        habits.steps_to_the_last,
    ),
    alternatives=(right.with_two_slices, right.one_entry_after_another, right.with_a_quarter_turn),
)

ADD = Exercise(
    id="positional.add",
    title="Adding positions",
    points=2,
    difficulty=2,
    minutes=6,
    reference=positional.add_positions,
    cases=cases.add_cases,
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        added.along_the_batch,
        added.laid_out_for_words_first,
        added.as_many_rows_as_sentences,
        added.rows_of_the_second_axis,
        added.whole_table,
        added.last_rows,
        added.skipping_the_first_row,
        added.same_row_for_all,
        added.multiplied,
        added.added_in_place,
        habits.scaled_up_first,
        habits.put_side_by_side,
    ),
    alternatives=(right.with_a_slice_in_front, right.with_a_look_up, right.with_expand),
)

SIMILARITY = Exercise(
    id="positional.similarity",
    title="Similarity by distance",
    points=2,
    difficulty=3,
    minutes=8,
    reference=positional.similarity_by_distance,
    cases=cases.similarity_cases,
    returns=("similarity",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        added.cosine,
        added.sum_over_pairs,
        added.divided_by_all,
        added.round_the_corner,
        added.from_the_first_row,
        added.features_compared,
        added.distances_in_space,
        added.mean_over_features,
        habits.from_distance_one,
    ),
    alternatives=(right.with_two_loops, right.with_shifted_tables, right.with_masks),
)

SHIFT = Exercise(
    id="positional.shift",
    title="The matrix of a shift",
    points=4,
    difficulty=4,
    minutes=12,
    reference=positional.shift_matrix,
    cases=cases.shift_cases,
    returns=("matrix",),
    misconceptions=explained(
        turned.transposed,
        turned.no_minus,
        turned.one_speed_for_all,
        turned.shift_exponent_i,
        turned.shift_base_written_in,
        turned.shift_faster_and_faster,
        turned.k_times_one_step,
        turned.laid_out_in_halves,
        turned.rows_rolled,
        habits.shift_forward_alone,
    ),
    alternatives=(right.filled_in, right.with_diagonals, right.solved_from_two_positions),
)

LEARNED = Exercise(
    id="positional.learned",
    title="Learned positions",
    points=2,
    difficulty=2,
    minutes=6,
    reference=positional.learned_positions,
    cases=cases.learned_cases,
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        scores.looked_up_by_word,
        scores.one_position_for_each_sentence,
        scores.counted_through_the_batch,
        scores.learned_from_one,
        scores.positions_left_out,
        scores.positions_alone,
        scores.one_after_the_other,
        scores.frozen,
        habits.words_scaled_up,
        habits.one_position_for_all,
    ),
    alternatives=(right.with_embeddings, right.with_one_hot, right.with_index_select),
)

RELATIVE = Exercise(
    id="positional.relative",
    title="A number for each distance",
    points=3,
    difficulty=3,
    minutes=10,
    reference=positional.relative_bias,
    cases=cases.relative_cases,
    returns=("bias",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        scores.i_minus_j,
        scores.not_clipped,
        scores.wrapped_round,
        scores.no_sign,
        scores.first_half_looked_up,
        scores.not_moved_by_k,
        scores.clipped_after_moving,
        habits.clipped_at_k_after_moving,
        scores.far_keys_get_nothing,
        scores.first_axis_looked_up,
        scores.keys_by_queries,
    ),
    alternatives=(right.by_indexing_with_lists, right.with_gather, right.with_where),
)

ROTARY = Exercise(
    id="positional.rotary",
    title="Rotary positions",
    points=3,
    difficulty=4,
    minutes=14,
    reference=positional.rotary,
    cases=cases.rotary_cases,
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        turned.turned_back,
        turned.no_turn,
        turned.second_turned_back,
        turned.sine_and_cosine_not_exchanged,
        turned.first_half_with_second,
        turned.turned_pairs_in_halves,
        turned.angles_in_halves,
        turned.partners_in_halves,
        turned.rotary_faster_and_faster,
        turned.one_angle_for_all,
        turned.rotary_exponent_i,
        turned.rotary_base_written_in,
        turned.places_for_positions,
        turned.overwritten_too_early,
        turned.added_instead,
        turned.scaled_feature_by_feature,
        habits.positions_in_a_row,
        habits.rotary_exponent_of_half,
    ),
    alternatives=(right.with_complex_numbers, right.with_a_partner, right.pair_by_pair),
)

ROTARY_ATTENTION = Exercise(
    id="positional.rotary_attention",
    title="Rotary attention",
    points=2,
    difficulty=2,
    minutes=6,
    reference=positional.rotary_attention,
    cases=cases.rotary_attention_cases,
    returns=("output", "weights"),
    properties=(inputs_unchanged, gradient_reaches_inputs, rows_sum_to_one),
    needs=("positional.rotary",),
    misconceptions=explained(
        turned.values_too,
        turned.queries_alone,
        turned.keys_alone,
        turned.keys_turned_back,
        turned.not_turned,
        turned.rotary_mask_forgotten,
        turned.rotary_filled_with_minus_hundred,
        turned.rotary_unscaled,
        habits.keys_at_the_queries_positions,
        habits.positions_added_in,
    ),
    alternatives=(right.with_named_steps, right.turning_the_keys_by_distance, right.all_by_itself),
)

PENALTY = Exercise(
    id="positional.penalty",
    title="A linear penalty",
    points=3,
    difficulty=3,
    minutes=10,
    reference=positional.linear_penalty,
    cases=cases.penalty_cases,
    returns=("penalty",),
    misconceptions=explained(
        scores.rewarded,
        scores.signed_distance,
        scores.signed_the_other_way,
        scores.one_side_only,
        scores.future_hidden,
        scores.one_row_of_distances,
        scores.distances_from_the_first_key,
        scores.slopes_from_zero,
        scores.slopes_halving,
        scores.slopes_reversed,
        scores.slopes_in_a_line,
        scores.slopes_growing,
        scores.squared_distance,
        scores.same_for_all_heads,
    ),
    alternatives=(right.one_head_after_another, right.with_a_ratio, right.with_the_smaller_of_two),
)

_PLACES = ("input", "queries and keys", "scores")
_WHY_WRONG = {
    ("sinusoidal", "queries and keys"): (
        "Sinusoidal positions turn nothing: a row of the table is added to each vector before any query or "
        "key is made of it."
    ),
    ("sinusoidal", "scores"): (
        "Sinusoidal positions are vectors, and a score is one number: a row of the table is added to each "
        "input vector."
    ),
    ("learned", "queries and keys"): (
        "Learned positions are rows of a table that are added to the word vectors, so queries, keys and "
        "values are all made of words and positions together."
    ),
    ("learned", "scores"): (
        "A learned position belongs to one place, and a score to a pair of places: it is added to the word "
        "vector that stands there."
    ),
    ("relative bias", "input"): (
        "A relative bias belongs to a pair, a query and a key, so it can't be added to one input vector: it "
        "is added to their score."
    ),
    ("relative bias", "queries and keys"): (
        "A relative bias leaves queries and keys as they are: it is a number for each distance, added to the "
        "score that they give."
    ),
    ("rotary", "input"): (
        "Rotary positions leave the input alone, and with it the values: what is turned are the queries and "
        "keys that each layer makes of it."
    ),
    ("rotary", "scores"): (
        "With rotary positions nothing is added to the scores: they come out different because queries and "
        "keys were turned before their products were taken."
    ),
    ("linear penalty", "input"): (
        "The linear penalty belongs to a distance, and an input vector alone is at no distance from "
        "anything: the penalty is added to the scores."
    ),
    ("linear penalty", "queries and keys"): (
        "The linear penalty turns nothing: it is subtracted from the score of a query and a key, and the "
        "further apart they are, the more."
    ),
}

PLACES = Exercise(
    id="positional.places",
    title="Where positions come in",
    points=2,
    difficulty=2,
    minutes=3,
    driver="choice",
    reference={
        "sinusoidal": "input",
        "learned": "input",
        "relative bias": "scores",
        "rotary": "queries and keys",
        "linear penalty": "scores",
    },
    cases=lambda generator: cases.choose(
        {
            kind: list(_PLACES)
            for kind in ("sinusoidal", "learned", "relative bias", "rotary", "linear penalty")
        }
    ),
    misconceptions=tuple(
        Misconception(f"{kind}_in_{place}".replace(" ", "_"), {kind: place}, sentence)
        for (kind, place), sentence in _WHY_WRONG.items()
    ),
)
