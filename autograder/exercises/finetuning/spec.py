"""The exercises of lesson 09: fine-tuning."""

from autograder.exercise import Exercise, explained
from autograder.exercises.finetuning import alternatives as right
from autograder.exercises.finetuning import cases, choices
from autograder.exercises.finetuning import misconceptions as wrong
from autograder.exercises.finetuning import misconceptions_intervals as intervals
from autograder.exercises.finetuning import misconceptions_module as module
from autograder.exercises.finetuning import misconceptions_names as names
from autograder.exercises.finetuning import misconceptions_training as slips
from helpers import finetuning
from helpers.checks import gradient_reaches_inputs, inputs_unchanged, shares_nothing

LAST = Exercise(
    id="finetuning.last_real",
    title="The last real position",
    points=2,
    difficulty=2,
    minutes=6,
    reference=finetuning.last_real,
    cases=cases.last_cases,
    returns=("vectors",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        wrong.last_column,
        wrong.first_position,
        wrong.mean_over_all,
        wrong.mean_over_real,
        wrong.one_too_early,
        wrong.first_padding,
        wrong.longest_for_all,
        wrong.axis_kept,
        names.rows_crossed,
    ),
    alternatives=(right.last_by_gather, right.last_by_loop, right.last_by_change),
)

MEAN = Exercise(
    id="finetuning.mean_real",
    title="The mean of the real positions",
    points=2,
    difficulty=2,
    minutes=5,
    reference=finetuning.mean_real,
    cases=cases.mean_cases,
    returns=("vectors",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        wrong.padding_in_the_mean,
        wrong.largest_of_each,
        wrong.divided_by_all,
        wrong.not_divided_at_all,
        wrong.mean_over_the_batch,
        names.one_mean_for_all,
        wrong.mean_of_the_padding,
        wrong.still_the_last,
    ),
    alternatives=(right.mean_by_loop, right.mean_by_fill, right.mean_by_weights),
)

CLASSIFIER = Exercise(
    id="finetuning.classifier",
    title="A head on a body",
    points=3,
    difficulty=2,
    minutes=8,
    driver="module",
    reference=right.StepByStep,
    cases=cases.classifier_cases,
    returns=("logits",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        module.PoolsTheLastColumn,
        module.PoolsTheFirst,
        module.EverythingReal,
        module.PaddingPooled,
        module.GivesSigmoids,
        module.AlwaysTheLast,
        module.AlwaysTheMean,
        module.AtEachPosition,
        module.GivesProbabilities,
        module.GivesTheClass,
        module.BackboneDetached,
        module.BackboneMeaned,
    ),
    alternatives=(right.StepByStep, right.ByWeights),
)

FITS = Exercise(
    id="finetuning.what_fits",
    title="What fits",
    points=3,
    difficulty=3,
    minutes=10,
    reference=finetuning.match_state_dict,
    cases=cases.names_cases,
    returns=("names",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        wrong.prefix_forgotten,
        wrong.head_asked_too,
        wrong.shapes_not_compared,
        wrong.left_over_of_the_new,
        wrong.other_shape_left_over,
        wrong.names_without_prefix,
        names.sizes_compared,
        names.letters_stripped,
    ),
    alternatives=(right.fits_with_comprehensions, right.fits_step_by_step),
)

MOVED = Exercise(
    id="finetuning.moved",
    title="Moving the weights",
    points=3,
    difficulty=3,
    minutes=8,
    driver="copies",
    reference=finetuning.transfer,
    cases=cases.names_cases,
    returns=("weights",),
    properties=(shares_nothing,),
    needs=("finetuning.what_fits",),
    misconceptions=explained(
        wrong.nothing_moved,
        wrong.old_head_too,
        wrong.by_position,
        wrong.shares_the_old,
        wrong.shares_the_new,
        wrong.old_names_kept,
        wrong.only_what_matches,
    ),
    alternatives=(right.transfer_by_loop, right.transfer_from_the_old),
)

SILENT = Exercise(
    id="finetuning.silent",
    title="A silent mismatch",
    points=2,
    difficulty=2,
    minutes=5,
    driver="choice",
    reference=choices.SILENT_ANSWERS,
    cases=lambda generator: cases.choose(choices.SILENT_OPTIONS),
    misconceptions=choices.SILENT_MISCONCEPTIONS,
)

FREEZE = Exercise(
    id="finetuning.freeze",
    title="Freezing",
    points=2,
    difficulty=1,
    minutes=4,
    driver="prepare",
    reference=finetuning.freeze,
    cases=cases.freeze_cases,
    returns=("parameters",),
    misconceptions=explained(
        slips.evaluation_mode,
        slips.head_frozen_too,
        slips.head_instead,
        slips.only_one_layer,
        slips.weights_without_biases,
    ),
    alternatives=(right.freeze_by_loop, right.freeze_by_name),
)

TRAINABLE = Exercise(
    id="finetuning.trainable",
    title="How much trains",
    points=1,
    difficulty=1,
    minutes=3,
    driver="call_with_layer",
    reference=finetuning.trainable,
    cases=cases.trainable_cases,
    returns=("numbers",),
    misconceptions=explained(
        slips.counts_everything,
        slips.counts_tensors,
        slips.counts_the_frozen,
        slips.counts_the_head,
        slips.counts_gradients,
    ),
    alternatives=(right.trainable_by_loop, right.trainable_by_difference),
)

GROUPS = Exercise(
    id="finetuning.groups",
    title="Two learning rates",
    points=3,
    difficulty=3,
    minutes=8,
    driver="prepare",
    reference=finetuning.parameter_groups,
    cases=cases.groups_cases,
    returns=("parameters",),
    misconceptions=explained(
        slips.rates_swapped,
        slips.head_twice,
        slips.one_rate,
        slips.frozen_included,
        slips.rate_misspelt,
        slips.head_forgotten,
        slips.empty_group_kept,
    ),
    alternatives=(right.groups_by_name, right.groups_one_each),
)

WILSON = Exercise(
    id="finetuning.wilson",
    title="An accuracy with its interval",
    points=2,
    difficulty=2,
    minutes=7,
    reference=finetuning.wilson,
    cases=cases.wilson_cases,
    returns=("lower", "upper"),
    misconceptions=explained(
        slips.plain_interval,
        slips.deviation_of_one,
        slips.z_missing,
        slips.centre_not_moved,
        slips.z_not_squared,
        slips.n_not_squared,
        slips.not_divided,
        slips.in_per_cent,
        intervals.z_for_its_square,
        intervals.half_not_divided,
        intervals.centre_and_half,
        intervals.whole_square_added,
    ),
    alternatives=(right.wilson_multiplied_out, right.wilson_as_roots),
)

T_INTERVAL = Exercise(
    id="finetuning.t_interval",
    title="Several seeds",
    points=2,
    difficulty=2,
    minutes=7,
    reference=finetuning.t_interval,
    cases=cases.t_cases,
    returns=("lower", "upper"),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        slips.deviation_for_error,
        slips.divided_by_n,
        slips.normal_quantile,
        slips.degrees_are_n,
        slips.n_for_its_root,
        slips.whole_range,
        intervals.population_and_degrees,
        intervals.degrees_less_two,
        intervals.mean_and_half,
    ),
    alternatives=(right.t_with_torch, right.t_step_by_step),
)

TFIDF = Exercise(
    id="finetuning.tfidf",
    title="Words, weighted by rarity",
    points=3,
    difficulty=3,
    minutes=8,
    reference=finetuning.tfidf,
    cases=cases.tfidf_cases,
    returns=("rows",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        slips.rarity_of_the_asked,
        slips.occurrences_counted,
        slips.not_smoothed,
        slips.logarithm_forgotten,
        slips.no_one_added,
        slips.length_not_one,
        slips.columns_of_length_one,
        slips.sums_to_one,
        slips.rarity_alone,
        intervals.logarithm_to_base_ten,
        intervals.one_added_below_alone,
        intervals.shares_of_texts,
    ),
    alternatives=(right.tfidf_with_normalize, right.tfidf_by_hand),
)

REPORTS = Exercise(
    id="finetuning.reports",
    title="What one run can say",
    points=2,
    difficulty=2,
    minutes=5,
    driver="choice",
    reference=choices.REPORT_ANSWERS,
    cases=lambda generator: cases.choose(choices.REPORT_OPTIONS),
    misconceptions=choices.REPORT_MISCONCEPTIONS,
)

ADAPTER = Exercise(
    id="finetuning.adapter",
    title="A small change beside a frozen map",
    points=3,
    difficulty=3,
    minutes=8,
    driver="module",
    reference=finetuning.LoRALinear,
    cases=cases.adapter_cases,
    square="one of the maps is square, so that a swap of A and B raises nothing",
    returns=("outputs",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        module.NotScaled,
        module.ScaledByAlpha,
        module.DividedByTheRank,
        module.DividedByTheRoot,
        module.MultipliedByTheRank,
        module.TheChangeAlone,
        module.TheSumScaled,
        module.TheMapScaled,
        module.BiasLost,
        module.BiasTwice,
        module.MapDetached,
        module.MapAlone,
    ),
    alternatives=(right.AsLinearMaps, right.WithOneWeight, right.WithEinsum),
)

MERGED = Exercise(
    id="finetuning.merged",
    title="The change put into the weight",
    points=2,
    difficulty=2,
    minutes=6,
    reference=finetuning.merged_weight,
    cases=cases.merged_cases,
    square="one of the matrices is square, so that a swap of A and B raises nothing",
    returns=("weight",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        wrong.merged_not_scaled,
        wrong.merged_by_alpha,
        wrong.merged_by_inputs,
        wrong.merged_by_outputs,
        wrong.merged_change_alone,
        wrong.merged_in_place,
        wrong.merged_whole_scaled,
        wrong.merged_taken_away,
    ),
    alternatives=(right.merged_with_addmm, right.merged_by_columns, right.merged_with_einsum),
)
