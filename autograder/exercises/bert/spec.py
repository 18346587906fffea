"""The exercises of lesson 10: BERT."""

from autograder.exercise import Exercise, explained
from autograder.exercises.bert import alternatives as read
from autograder.exercises.bert import alternatives_model as right
from autograder.exercises.bert import alternatives_published as filled
from autograder.exercises.bert import cases, choices
from autograder.exercises.bert import misconceptions_blank as blank
from autograder.exercises.bert import misconceptions_model as model
from autograder.exercises.bert import misconceptions_packing as packing
from autograder.exercises.bert import misconceptions_published as published
from autograder.exercises.bert import misconceptions_reading as reading
from autograder.exercises.bert import misconceptions_use as use
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

MASKING = Exercise(
    id="bert.mask_tokens",
    title="Which words to hide",
    points=4,
    difficulty=3,
    minutes=12,
    driver="draws",
    reference=read.mask_tokens,
    cases=cases.masking_cases,
    returns=("what holds of the draws",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        reading.special_tokens_too,
        reading.labels_everywhere,
        reading.labels_of_what_is_read,
        reading.zero_for_no_label,
        reading.always_mask,
        reading.any_token_as_the_other,
        reading.fate_of_all_words,
        reading.one_draw_for_all_rows,
        reading.tenth_of_the_rest,
        reading.none_stays,
        reading.two_separate_draws,
        reading.labels_for_masks_alone,
        reading.generator_ignored,
        reading.share_ignored,
    ),
    alternatives=(read.half_of_the_rest, read.so_many_of_each_row),
)

PAIRS = Exercise(
    id="bert.pairs",
    title="Half of them true",
    points=2,
    difficulty=2,
    minutes=8,
    driver="draws",
    reference=read.next_sentence_pairs,
    cases=cases.pairing_cases,
    returns=("what holds of the draws",),
    misconceptions=explained(
        reading.sometimes_itself,
        reading.labels_turned,
        reading.every_other_document,
        reading.one_draw_for_all,
        reading.last_step_never_drawn,
        reading.always_the_next,
        reading.first_part_of_a_stranger,
        reading.one_in_three,
        reading.pairs_without_the_generator,
    ),
    alternatives=(read.drawn_until_another, read.exactly_half),
)

PACK = Exercise(
    id="bert.pack",
    title="Two passages, one row",
    points=2,
    difficulty=2,
    minutes=7,
    reference=read.pack,
    cases=cases.pack_cases,
    returns=("row",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        packing.last_separator_missing,
        packing.summary_for_each,
        packing.summary_at_the_end,
        packing.cut_at_the_end,
        packing.only_the_second_gives,
        packing.each_gets_half,
        packing.each_gets_the_smaller_half,
        packing.specials_not_counted,
        packing.two_specials_counted,
        packing.taken_from_the_callers,
        packing.taken_from_the_front,
        packing.first_gives_when_equal,
    ),
    alternatives=(read.lengths_first, read.by_recursion),
)

SEGMENTS = Exercise(
    id="bert.segments",
    title="Segment ids",
    points=1,
    difficulty=2,
    minutes=6,
    reference=read.segments_of,
    cases=cases.segments_cases,
    returns=("segments",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        packing.separator_opens,
        packing.separator_opens_and_padding_follows,
        packing.last_separator_left_out,
        packing.padding_in_the_second,
        packing.one_passage_padded,
        packing.segments_from_one,
        packing.segments_turned,
        packing.counted_separators,
    ),
    alternatives=(read.segments_row_by_row, read.segments_by_looking_back),
)

KEY_MASK = Exercise(
    id="bert.key_mask",
    title="Who may be looked at",
    points=1,
    difficulty=1,
    minutes=3,
    reference=read.key_mask,
    cases=cases.key_mask_cases,
    returns=("mask",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        packing.specials_hidden,
        packing.masks_hidden,
        packing.padding_shown,
        packing.no_axes_for_heads,
        packing.queries_hidden,
        packing.causal_too,
    ),
    alternatives=(read.mask_by_unsqueezing, read.mask_by_view),
)

EMBED = Exercise(
    id="bert.embed",
    title="The sum of three",
    points=1,
    difficulty=1,
    minutes=4,
    reference=read.embed,
    cases=cases.embed_cases,
    returns=("vectors",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        packing.no_segments,
        packing.as_many_segments_as_seen,
        packing.no_positions,
        packing.positions_by_token,
        packing.positions_by_segment,
        packing.kinds_swapped,
        packing.averaged,
        packing.scaled_by_the_root,
        use.all_positions_added,
    ),
    alternatives=(read.embed_by_functions, read.embed_by_counting),
)

WORD_HEAD = Exercise(
    id="bert.word_head",
    title="The head for words",
    points=2,
    difficulty=2,
    minutes=6,
    driver="module",
    reference=right.WordHead,
    cases=cases.head_cases,
    returns=("logits",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    square="transform.weight is d_model × d_model",
    misconceptions=explained(
        model.NoTransform,
        model.NoNonlinearity,
        model.NormBeforeNonlinearity,
        model.NoNorm,
        model.NoBias,
        model.WithRelu,
        model.SharesForScores,
        use.TanhGelu,
    ),
    alternatives=(right.HeadAsALinearMap, right.HeadByEinsum),
)

BERT = Exercise(
    id="bert.model",
    title="BERT with both heads",
    points=3,
    difficulty=3,
    minutes=10,
    driver="module",
    reference=right.PlainBert,
    cases=cases.bert_cases,
    returns=("word logits", "follows logits"),
    properties=(inputs_unchanged,),
    needs=("bert.word_head",),
    square="W_o and the pooler are d_model × d_model",
    misconceptions=explained(
        model.NothingHidden,
        model.SegmentsForgotten,
        model.PaddingMaskTurned,
        model.NoPooler,
        model.PoolerWithoutTanh,
        model.MeanInsteadOfCls,
        model.LastInsteadOfCls,
        model.PairScoresEverywhere,
        model.SegmentsAndMaskSwapped,
        use.FirstRowForPairs,
    ),
    alternatives=(right.BertStepByStep, right.BertWithItsOwnHead),
)

BLANK = Exercise(
    id="bert.blank",
    title="A blank, left to right",
    points=3,
    difficulty=4,
    minutes=12,
    driver="call_with_layer",
    reference=right.blank_left_to_right,
    cases=cases.blank_cases,
    returns=("by what is before", "by the whole text"),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        blank.one_place_late,
        blank.never_one_place_before,
        blank.not_among_candidates,
        blank.right_side_alone,
        blank.left_side_twice,
        blank.mean_over_the_text,
        blank.logits_added_up,
        blank.texts_spoiled,
    ),
    alternatives=(right.blank_text_by_text, right.blank_by_cross_entropy),
)

COMPARABLE = Exercise(
    id="bert.comparable",
    title="Which numbers can be compared",
    points=1,
    difficulty=2,
    minutes=3,
    driver="choice",
    reference=choices.COMPARABLE,
    cases=lambda generator: cases.choose(choices.COMPARABLE_OPTIONS),
    misconceptions=choices.NOT_COMPARABLE,
)

TASKS = Exercise(
    id="bert.tasks",
    title="Who loses by one direction",
    points=2,
    difficulty=2,
    minutes=4,
    driver="choice",
    reference=choices.TASKS,
    cases=lambda generator: cases.choose(choices.TASKS_OPTIONS),
    misconceptions=choices.NOT_SO_TASKS,
)

CLASSIFIER = Exercise(
    id="bert.classifier",
    title="A pair classifier",
    points=2,
    difficulty=2,
    minutes=6,
    driver="module",
    reference=right.PlainClassifier,
    cases=cases.classifier_cases,
    returns=("logits",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    square="W_o and the pooler are d_model × d_model",
    misconceptions=explained(
        use.PoolsTheLast,
        use.PoolsTheMean,
        use.PoolsTheSeparator,
        use.PoolerLeftOut,
        use.PoolerStraight,
        use.PassagesAlike,
        use.PaddingRead,
        use.PoolsTheFirstRow,
    ),
    alternatives=(right.ClassifierStepByStep, right.ClassifierOfAllPositions),
)

FILL = Exercise(
    id="bert.fill",
    title="Fill, and doubt again",
    points=3,
    difficulty=3,
    minutes=10,
    reference=right.fill_and_mask_again,
    cases=cases.fill_cases,
    returns=("tokens",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        blank.most_certain_again,
        blank.given_words_rewritten,
        blank.given_words_hidden,
        blank.special_tokens_written,
        blank.numbers_not_moved_back,
        blank.certain_by_logits,
        blank.certain_among_all_tokens,
        blank.all_stay,
        blank.again_in_all_rows,
    ),
    alternatives=(right.fill_row_by_row, right.fill_by_ranks),
)

TABLE = Exercise(
    id="bert.table",
    title="BERT, GPT and the original",
    points=2,
    difficulty=2,
    minutes=6,
    driver="choice",
    reference=choices.TABLE,
    cases=lambda generator: cases.choose(choices.TABLE_OPTIONS),
    misconceptions=choices.NOT_IN_THE_TABLE,
)

PUBLISHED_NAMES = Exercise(
    id="bert.published_names",
    title="Whose weights are whose",
    points=2,
    difficulty=2,
    minutes=6,
    driver="choice",
    reference=choices.PUBLISHED,
    cases=lambda generator: cases.choose(choices.PUBLISHED_OPTIONS),
    misconceptions=choices.NOT_PUBLISHED_SO,
)

RENAMED = Exercise(
    id="bert.renamed",
    title="Published weights under your names",
    points=3,
    difficulty=3,
    minutes=12,
    reference=filled.renamed,
    cases=cases.renamed_cases,
    returns=("weights",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        published.first_block_alone,
        published.last_block_missing,
        published.biases_forgotten,
        published.side_by_side,
        published.stacked,
        published.sorted_by_name,
        published.first_source_alone,
        published.never_turned,
        published.all_turned,
        published.turned_after_joining,
        published.everything_kept,
        published.published_names_kept,
        published.every_layer_for_each_block,
    ),
    alternatives=(filled.renamed_by_lists, filled.renamed_from_the_file),
)
