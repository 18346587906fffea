"""The exercises of lesson 11.

A misconception's sentence says what is wrong and why that matters, to the one who has just made it.
"""

from autograder.exercise import Exercise, explained
from autograder.exercises.translation import alternatives as right
from autograder.exercises.translation import alternatives_bleu as bleu_right
from autograder.exercises.translation import cases, choices
from autograder.exercises.translation import cases_bleu as bleu_cases
from autograder.exercises.translation import misconceptions_beam as beam
from autograder.exercises.translation import misconceptions_bleu as bleu
from autograder.exercises.translation import misconceptions_block as block
from autograder.exercises.translation import misconceptions_decoding as decoding
from autograder.exercises.translation import misconceptions_ends as ends
from autograder.exercises.translation import misconceptions_sum as sums
from autograder.exercises.translation import misconceptions_training as wrong
from helpers import translation
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

WHO_ASKS = Exercise(
    id="translation.who_asks",
    title="Who asks whom",
    points=2,
    difficulty=2,
    minutes=5,
    driver="choice",
    reference=choices.WHO_ASKS,
    cases=lambda generator: cases.choose(choices.ASKING),
    misconceptions=choices.ASKING_MISCONCEPTIONS,
)

BLOCK = Exercise(
    id="translation.decoder_block",
    title="The decoder block",
    points=4,
    difficulty=3,
    minutes=15,
    driver="module",
    reference=right.Plain,
    cases=cases.block_cases,
    properties=(gradient_reaches_inputs,),
    # Written out, so that the search for forbidden names in an answer finds each of them.
    forbidden=("torch.nn.TransformerDecoderLayer", "torch.nn.TransformerDecoder"),
    square="the projections are d_model × d_model",
    misconceptions=explained(
        block.NotCausal,
        block.CausalAsMemoryMask,
        block.KeysFromTheDecoder,
        block.QueriesFromTheMemory,
        block.CrossBeforeSelf,
        block.PaddingSeen,
        block.MemoryMaskTurned,
        block.LaterNormsExchanged,
        block.CrossAttentionCausal,
        block.NoCrossAttention,
        block.OwnCacheForgotten,
        block.CachesExchanged,
        block.MemoryCacheForgotten,
        sums.MemoryNormalised,
        sums.NormAfterTheSum,
        sums.NormOnTheSublayer,
        sums.NoNorms,
        sums.NoResidualAtCross,
        sums.NoResiduals,
        sums.NoFeedForward,
        sums.NormFirstTwice,
        ends.PathNormalised,
    ),
    alternatives=(right.StepByStep, right.WithAMaskOfItsOwn),
)

MASKS = Exercise(
    id="translation.masks",
    title="Three masks",
    points=1,
    difficulty=2,
    minutes=4,
    driver="choice",
    reference=choices.MASKS,
    cases=lambda generator: cases.choose(choices.HIDING),
    misconceptions=choices.HIDING_MISCONCEPTIONS,
)

SMOOTHING = Exercise(
    id="translation.label_smoothed_loss",
    title="Label smoothing",
    points=3,
    difficulty=3,
    minutes=12,
    reference=translation.label_smoothed_loss,
    cases=cases.smoothing_cases,
    returns=("loss",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    forbidden=(
        "torch.nn.functional.cross_entropy",
        "torch.nn.functional.nll_loss",
        "torch.nn.CrossEntropyLoss",
    ),
    misconceptions=explained(
        wrong.not_smoothed,
        wrong.spread_over_the_others,
        wrong.right_one_overwritten,
        wrong.spread_over_all_but_two,
        wrong.padding_scored,
        wrong.padding_smoothed,
        wrong.padding_counted,
        wrong.nearly_all_spread,
        wrong.smoothing_added,
        wrong.each_gets_epsilon,
        wrong.divergence,
        wrong.predictions_smoothed,
        wrong.mean_of_sentences,
        wrong.summed,
        ends.one_too_few_below,
    ),
    alternatives=(right.smoothed_by_distributions, right.smoothed_by_one_hot),
)

RATE = Exercise(
    id="translation.paper_rate",
    title="The paper's learning rate",
    points=2,
    difficulty=2,
    minutes=6,
    reference=translation.paper_rate,
    cases=cases.rate_cases,
    returns=("rate",),
    misconceptions=explained(
        wrong.larger_of_both,
        wrong.warmup_by_its_root,
        wrong.share_of_the_warm_up,
        wrong.width_without_root,
        wrong.grows_with_width,
        wrong.one_step_late,
        wrong.falls_as_one_over_step,
        wrong.never_down,
        wrong.never_up,
    ),
    alternatives=(right.rate_in_two_cases, right.rate_with_tensors),
)

GREEDY = Exercise(
    id="translation.greedy_decode",
    title="Greedy decoding",
    points=3,
    difficulty=3,
    minutes=12,
    driver="call_with_layer",
    reference=translation.greedy_decode,
    cases=cases.greedy_cases,
    returns=("tokens",),
    misconceptions=explained(
        decoding.beginning_kept,
        decoding.goes_on_after_the_end,
        decoding.ends_again_and_again,
        decoding.stops_with_the_first,
        decoding.stops_where_all_end_at_once,
        decoding.always_to_the_limit,
        decoding.only_the_last_token,
        decoding.end_hidden,
        decoding.one_token_more,
    ),
    alternatives=(right.greedy_in_a_for_loop, right.greedy_into_a_table),
)

WORK = Exercise(
    id="translation.decoder_work",
    title="What the cache saves",
    points=2,
    difficulty=2,
    minutes=8,
    reference=translation.decoder_work,
    cases=cases.work_cases,
    returns=("positions without", "positions with", "scores without", "scores with"),
    misconceptions=explained(
        decoding.as_if_always_full,
        decoding.the_last_step_alone,
        decoding.the_visible_half,
        decoding.one_score_a_step,
        decoding.cache_saves_no_scores,
        decoding.counted_from_zero,
    ),
    alternatives=(right.work_in_closed_form, right.work_in_a_loop),
)

NORMALISED = Exercise(
    id="translation.length_normalised",
    title="Length normalisation",
    points=1,
    difficulty=1,
    minutes=4,
    reference=translation.length_normalised,
    cases=cases.normalised_cases,
    returns=("score",),
    misconceptions=explained(
        decoding.by_plain_length,
        decoding.multiplied_by_it,
        decoding.power_above_alone,
        decoding.beginning_counted,
        decoding.end_taken_off,
        decoding.penalty_subtracted,
    ),
    alternatives=(right.normalised_with_pow, right.normalised_with_exp),
)

BEAM = Exercise(
    id="translation.beam_search",
    title="Beam search",
    points=4,
    difficulty=5,
    minutes=25,
    driver="call_with_layer",
    reference=translation.beam_search,
    cases=cases.beam_cases,
    returns=("hypotheses",),
    needs=("translation.length_normalised",),
    misconceptions=explained(
        beam.one_beam,
        beam.probabilities_added,
        beam.last_token_alone,
        beam.one_for_each_hypothesis,
        beam.goes_on_after_the_end,
        beam.not_normalised,
        beam.end_not_counted,
        beam.beginning_counted,
        beam.beginning_returned,
        beam.first_end_wins,
        beam.unfinished_dropped,
        beam.places_filled_again,
        beam.ended_ones_keep_their_places,
        beam.worst_first,
        beam.end_taken_off,
        beam.twice_as_many_beams,
        beam.sorted_before_normalising,
        beam.normalised_on_the_way,
        ends.ends_before_choosing,
        ends.one_list_for_all,
    ),
    alternatives=(right.beam_by_sorting, right.beam_in_tensors, right.beam_with_a_penalty_of_its_own),
)

# What counts all of BLEU in one call.
LIBRARIES = ("sacrebleu", "nltk", "torchmetrics", "torchtext", "evaluate")

MATCHES = Exercise(
    id="translation.clipped_matches",
    title="Clipped matches",
    points=2,
    difficulty=2,
    minutes=8,
    reference=translation.clipped_matches,
    forbidden=LIBRARIES,
    cases=bleu_cases.match_cases,
    returns=("matches", "n-grams"),
    misconceptions=explained(
        bleu.not_clipped,
        bleu.different_ones_only,
        bleu.once_each,
        bleu.out_of_the_reference,
        bleu.single_words,
        bleu.last_one_missing,
        bleu.at_least_one,
        bleu.fewer_than_none,
        bleu.at_the_same_place,
        bleu.cut_into_pieces,
    ),
    alternatives=(bleu_right.matches_with_counts, bleu_right.matches_by_crossing_out),
)

BREVITY = Exercise(
    id="translation.brevity_penalty",
    title="Brevity penalty",
    points=1,
    difficulty=1,
    minutes=4,
    reference=translation.brevity_penalty,
    forbidden=LIBRARIES,
    cases=bleu_cases.brevity_cases,
    returns=("penalty",),
    misconceptions=explained(
        bleu.long_ones_punished,
        bleu.plain_ratio,
        bleu.fraction_upside_down,
        bleu.long_ones_rewarded,
        bleu.one_forgotten,
        ends.wrong_side_punished,
    ),
    alternatives=(bleu_right.brevity_by_min, bleu_right.brevity_by_tensors),
)

BLEU = Exercise(
    id="translation.bleu",
    title="BLEU",
    points=2,
    difficulty=3,
    minutes=8,
    reference=translation.bleu,
    forbidden=LIBRARIES,
    cases=bleu_cases.bleu_cases,
    returns=("BLEU",),
    needs=("translation.clipped_matches", "translation.brevity_penalty"),
    misconceptions=explained(
        bleu.mean_of_sentences,
        bleu.mean_of_precisions,
        bleu.arithmetic_mean,
        bleu.product_without_root,
        bleu.short_ones_go_free,
        bleu.at_least_one_each,
        bleu.as_a_share,
        bleu.four_in_a_row_alone,
        bleu.empty_ones_left_out,
        bleu.the_other_way_round,
        ends.letters_for_words,
        ends.letters_and_words,
    ),
    alternatives=(bleu_right.bleu_as_a_product, bleu_right.bleu_in_one_pass, bleu_right.bleu_from_scratch),
)

ALIGNMENT = Exercise(
    id="translation.alignment",
    title="An alignment",
    points=2,
    difficulty=2,
    minutes=6,
    reference=translation.alignment,
    cases=bleu_cases.alignment_cases,
    returns=("positions",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        bleu.over_the_target,
        bleu.end_and_padding_too,
        bleu.first_head_alone,
        bleu.largest_of_any_head,
        bleu.each_head_for_itself,
        bleu.only_hidden_ones,
        bleu.least_looked_at,
        bleu.weight_returned,
        ends.averaged_along_the_queries,
        ends.averaged_along_the_queries_unmasked,
        ends.counted_among_the_real,
    ),
    alternatives=(bleu_right.aligned_by_sums, bleu_right.aligned_by_where),
)
