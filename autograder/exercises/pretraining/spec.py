"""The exercises of lesson 08.

A misconception's sentence says what is wrong and why that matters, to the one who has just made it.
"""

from autograder.exercise import Exercise, Misconception, explained
from autograder.exercises.pretraining import alternatives as right
from autograder.exercises.pretraining import alternatives_scaling as right_scaling
from autograder.exercises.pretraining import cases, cases_scaling
from autograder.exercises.pretraining import misconceptions as wrong
from autograder.exercises.pretraining import misconceptions_counts as counts
from autograder.exercises.pretraining import misconceptions_scaling as scaling
from autograder.exercises.pretraining import misconceptions_step as steps
from autograder.exercises.pretraining import misconceptions_tokens as tokens
from autograder.exercises.pretraining import misconceptions_writing as writing
from helpers import pretraining
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

# Written out, so that the search for forbidden names in an answer finds each of them.
READY_LOSSES = (
    "torch.nn.functional.cross_entropy",
    "torch.nn.functional.nll_loss",
    "torch.nn.CrossEntropyLoss",
    "torch.nn.NLLLoss",
)

SHIFT = Exercise(
    id="pretraining.inputs_and_targets",
    title="Inputs and targets",
    points=2,
    difficulty=2,
    minutes=8,
    reference=pretraining.inputs_and_targets,
    cases=cases.batch_cases,
    returns=("inputs", "targets"),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        wrong.not_shifted,
        wrong.shifted_backwards,
        wrong.padding_as_a_target,
        wrong.padding_as_minus_one,
        wrong.inputs_hidden_too,
        wrong.hidden_where_the_input_is_padding,
        wrong.rolled,
        wrong.shifted_by_two,
        wrong.padding_is_always_zero,
    ),
    alternatives=(right.shifted_with_clone, right.shifted_with_where),
)

LOSS = Exercise(
    id="pretraining.loss",
    title="The loss",
    points=3,
    difficulty=3,
    minutes=12,
    reference=pretraining.language_model_loss,
    cases=cases.loss_cases,
    returns=("loss",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    forbidden=READY_LOSSES,
    misconceptions=explained(
        wrong.mean_over_all_positions,
        wrong.padding_counted,
        wrong.token_zero_left_out,
        wrong.mean_over_the_vocabulary,
        wrong.mean_of_row_means,
        wrong.shifted_again,
        wrong.summed,
        wrong.without_minus,
        wrong.softmax_over_positions,
        wrong.probability_instead_of_logarithm,
        wrong.logits_as_logarithms,
        wrong.in_bits,
        wrong.to_base_ten,
        wrong.logarithm_of_a_rounded_softmax,
        counts.divided_by_rows,
    ),
    alternatives=(right.loss_of_the_real_ones, right.loss_by_one_hot, right.loss_row_by_row),
)

PERPLEXITY = Exercise(
    id="pretraining.perplexity",
    title="Perplexity",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.perplexity,
    cases=cases.perplexity_cases,
    returns=("perplexity",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        wrong.every_batch_alike,
        wrong.mean_of_perplexities,
        wrong.power_of_two,
        wrong.no_power,
        wrong.losses_overwritten,
        wrong.power_of_the_sum,
    ),
    alternatives=(right.perplexity_of_all_tokens, right.perplexity_in_a_loop),
)

BIGRAM = Exercise(
    id="pretraining.bigram",
    title="A table of pairs",
    points=2,
    difficulty=3,
    minutes=10,
    reference=pretraining.bigram_log_probabilities,
    cases=cases.bigram_cases,
    returns=("log-probabilities",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        wrong.columns_for_now,
        wrong.counted_by_next,
        wrong.normalised_over_now,
        wrong.the_whole_table_sums_to_one,
        wrong.each_pair_once,
        wrong.padding_is_a_pair,
        wrong.smoothed_after_dividing,
        wrong.always_plus_one,
        wrong.no_logarithm,
        counts.alpha_once_below,
    ),
    alternatives=(right.pairs_in_a_loop, right.pairs_by_index_put),
)

COST = Exercise(
    id="pretraining.cost",
    title="Its size and its price",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.model_cost,
    cases=cases.cost_cases,
    returns=("parameters", "operations"),
    misconceptions=explained(
        steps.head_counted_again,
        steps.last_norm_forgotten,
        steps.positions_forgotten,
        steps.positions_multiply,
        steps.head_does_no_work,
        steps.forward_pass_alone,
        steps.one_token,
        steps.scores_forgotten,
        steps.one_block,
    ),
    alternatives=(right.cost_written_out, right.cost_by_lesson_06),
)

STEP = Exercise(
    id="pretraining.training_step",
    title="A training step",
    points=4,
    difficulty=3,
    minutes=10,
    driver="train",
    reference=pretraining.training_step,
    cases=cases.step_cases,
    returns=("losses", "parameters afterwards"),
    misconceptions=explained(
        steps.gradients_not_cleared,
        steps.cleared_before_the_move,
        steps.not_clipped_in_time,
        steps.moved_by_the_last_batch,
        steps.clipped_number_by_number,
        steps.clipped_one_by_one,
        steps.clipped_to_one_always,
        steps.stretched_too,
        steps.loss_after_the_step,
        steps.stepped_twice,
    ),
    alternatives=(right.step_cleared_late, right.step_clipped_by_hand),
)

SCHEDULE = Exercise(
    id="pretraining.learning_rate",
    title="Up, then down",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.learning_rate,
    cases=cases.schedule_cases,
    returns=("learning rate",),
    misconceptions=explained(
        steps.counted_from_zero,
        steps.first_step_lost,
        steps.no_warm_up,
        steps.down_from_the_start,
        steps.peak_never_reached,
        steps.by_an_inverse_root,
        steps.down_by_a_share,
        steps.never_down,
        steps.along_a_cosine,
        steps.one_step_too_many,
        steps.too_long_a_way,
    ),
    alternatives=(right.rate_of_the_smaller, right.rate_in_pieces),
)

FINE, LEAK = "all is well", "an answer leaks into the input"
FITTED, STILL = "it has learned its few texts by heart", "nothing is learned"
CURVES = [FINE, LEAK, FITTED, STILL]
A, B, C, D = (f"run {letter}" for letter in "ABCD")


def _read(run: str, taken_for: str, sentence: str) -> Misconception:
    name = f"{run} {taken_for}".replace(" ", "_")
    return Misconception(name, {run: taken_for}, sentence)


DIAGNOSIS = Exercise(
    id="pretraining.diagnosis",
    title="Four runs",
    points=2,
    difficulty=2,
    minutes=6,
    driver="choice",
    reference={A: LEAK, B: FITTED, C: FINE, D: STILL},
    cases=lambda _: cases.choose({A: CURVES, B: CURVES, C: CURVES, D: CURVES}),
    misconceptions=(
        _read(A, FINE, "Run A is far below the entropy on texts it has never seen, and nobody can be."),
        _read(A, FITTED, "Run A is as good on texts it has never seen, which it can't know by heart."),
        _read(
            A,
            STILL,
            "Run A changes its loss from 6.8 to 0.2, so something is learned.",
        ),
        _read(B, FINE, "Run B gets worse and worse on new texts while its training loss falls."),
        _read(
            B,
            LEAK,
            "Run B would be below the entropy on new texts too if the answer leaked.",
        ),
        _read(B, STILL, "Run B learns a lot, but about the texts it trains on and no others."),
        _read(C, LEAK, "Run C stays above the entropy, as anyone must who sees no answer."),
        _read(
            C, FITTED, "Run C has the same loss on new texts as in training, so it learned what all share."
        ),
        _read(C, STILL, "Run C comes from 6.8 to near the entropy, which is most of what can be learned."),
        _read(D, FINE, "Run D stays at log V, the loss of one who takes all words for equally likely."),
        _read(D, LEAK, "Run D has a loss of log V: with the answer before its eyes it would go to zero."),
        _read(D, FITTED, "Run D's training loss doesn't fall, so it knows no text by heart."),
    ),
)

TEMPERATURE = Exercise(
    id="pretraining.temperature",
    title="Temperature",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.with_temperature,
    cases=cases.temperature_cases,
    returns=("probabilities",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        writing.multiplied,
        writing.divided_after_the_softmax,
        writing.powers_as_they_are,
        writing.not_a_distribution,
        writing.softmax_twice,
        writing.zero_is_one,
        writing.divided_by_nothing,
        writing.one_token_for_all_rows,
        writing.softmax_over_rows,
    ),
    alternatives=(right.temperature_by_exponentials, right.temperature_of_largest),
)

TOP_K = Exercise(
    id="pretraining.top_k",
    title="Top-k",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.top_k,
    cases=cases.top_k_cases,
    returns=("probabilities",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        writing.top_k_not_renormalised,
        writing.bottom_k,
        writing.k_dropped,
        writing.one_fewer,
        writing.one_more,
        writing.all_k_alike,
        writing.softmax_of_probabilities,
        writing.still_sorted,
        counts.k_values_alone,
    ),
    alternatives=(right.top_k_by_threshold, right.top_k_by_softmax),
)

NUCLEUS = Exercise(
    id="pretraining.nucleus",
    title="The nucleus",
    points=3,
    difficulty=4,
    minutes=12,
    reference=pretraining.nucleus,
    cases=cases.nucleus_cases,
    returns=("probabilities",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        writing.nucleus_not_renormalised,
        writing.without_the_one_that_reaches_p,
        writing.more_than_p,
        writing.first_kept_at_least,
        writing.one_behind_p,
        writing.nucleus_still_sorted,
        writing.mask_of_the_sorted,
        writing.sorted_once_more,
        writing.not_sorted,
        writing.least_probable_first,
        writing.each_against_p,
        writing.filled_with_the_rest,
        counts.first_kept_below,
    ),
    alternatives=(right.nucleus_by_counting, right.nucleus_row_by_row),
)

DRAW = Exercise(
    id="pretraining.draw",
    title="Drawing a token",
    points=1,
    difficulty=2,
    minutes=6,
    reference=pretraining.draw,
    cases=cases.draw_cases,
    returns=("tokens",),
    properties=(inputs_unchanged,),
    forbidden=("torch.multinomial", "torch.distributions.Categorical"),
    misconceptions=explained(
        writing.the_most_probable,
        writing.one_too_far,
        writing.one_before,
        writing.beyond_the_last,
        writing.first_when_none_reaches,
        writing.uniform_over_tokens,
        writing.nearest_probability,
        writing.largest_first,
        writing.from_the_other_end,
        writing.ends_ahead,
    ),
    alternatives=(right.draw_by_search, right.draw_first_that_reaches, right.draw_never_beyond),
)

PAIRS = Exercise(
    id="pretraining.count_pairs",
    title="Pairs of tokens",
    points=2,
    difficulty=2,
    minutes=7,
    reference=pretraining.count_pairs,
    cases=cases.pair_cases,
    returns=("counts",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        tokens.words_not_weighted,
        tokens.once_a_word,
        tokens.last_word_counts,
        tokens.letters_counted,
        tokens.tokens_counted,
        tokens.every_second_pair,
        tokens.across_words,
        tokens.order_ignored,
        tokens.last_pair_missing,
    ),
    alternatives=(right.pairs_with_counter, right.pairs_of_all_places),
)

MERGE = Exercise(
    id="pretraining.merge_pair",
    title="Two tokens become one",
    points=3,
    difficulty=3,
    minutes=10,
    reference=pretraining.merge_pair,
    cases=cases.merge_cases,
    returns=("word",),
    misconceptions=explained(
        tokens.text_replaced,
        tokens.first_place_alone,
        tokens.either_order,
        tokens.from_the_right,
        tokens.token_used_twice,
        tokens.second_token_stays,
        tokens.one_word_again,
        tokens.nothing_merged,
    ),
    alternatives=(right.merge_by_regular_expression, right.merge_in_place, right.merge_by_iterator),
)

ENCODE = Exercise(
    id="pretraining.encode_word",
    title="A word's tokens",
    points=2,
    difficulty=2,
    minutes=6,
    reference=pretraining.encode_word,
    cases=cases.encoding_cases,
    returns=("tokens",),
    properties=(inputs_unchanged,),
    needs=("pretraining.merge_pair",),
    misconceptions=explained(
        tokens.last_learned_first,
        tokens.not_split,
        tokens.letters_alone,
        tokens.longest_first,
        tokens.stops_when_one_does_not_fit,
        tokens.one_merge_alone,
        tokens.first_in_the_list_alone,
        tokens.last_merge_missing,
    ),
    alternatives=(right.encode_by_rank, right.encode_by_reduce),
)

BEST_SIZE = Exercise(
    id="pretraining.best_size",
    title="The best size for a budget",
    points=3,
    difficulty=3,
    minutes=10,
    reference=pretraining.best_size,
    cases=cases_scaling.best_size_cases,
    returns=("size",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        scaling.best_of_those_tried,
        scaling.sizes_without_logs,
        scaling.gaps_without_logs,
        scaling.logarithm_of_the_size,
        scaling.two_forgotten,
        scaling.sign_forgotten,
        scaling.logs_of_another_base,
        scaling.times_the_bend,
        scaling.coefficients_from_behind,
    ),
    alternatives=(
        right_scaling.best_size_with_numpy,
        right_scaling.best_size_centred,
        right_scaling.best_size_by_normal_equations,
    ),
)

COMPUTE_OPTIMAL = Exercise(
    id="pretraining.compute_optimal",
    title="Weights or tokens",
    points=3,
    difficulty=3,
    minutes=10,
    reference=pretraining.compute_optimal,
    cases=cases_scaling.optimal_cases,
    returns=("weights", "tokens"),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        scaling.six_forgotten,
        scaling.forward_alone,
        scaling.exchanged,
        scaling.twenty_tokens,
        scaling.no_logs,
        scaling.largest_kept,
        scaling.ends_alone,
        scaling.no_offset,
        scaling.slope_and_offset_exchanged,
        scaling.budgets_by_sizes,
        scaling.back_by_another_base,
    ),
    alternatives=(
        right_scaling.optimal_with_numpy,
        right_scaling.optimal_by_covariance,
        right_scaling.optimal_with_lstsq,
    ),
)

EXERCISES = (
    SHIFT, LOSS, PERPLEXITY, BIGRAM, COST, STEP, SCHEDULE, DIAGNOSIS,
    TEMPERATURE, TOP_K, NUCLEUS, DRAW, PAIRS, MERGE, ENCODE, BEST_SIZE,
    COMPUTE_OPTIMAL,
)  # fmt: skip
