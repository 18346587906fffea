"""The exercises of the block.

A misconception's sentence says what is wrong and why that matters, to whoever has just made it.
"""

from autograder.exercise import Exercise, explained
from autograder.exercises.block import alternatives as right
from autograder.exercises.block import cases, choices
from autograder.exercises.block import misconceptions as wrong
from autograder.exercises.block import misconceptions_block as blocks
from autograder.exercises.block import misconceptions_gpt2 as gpt2
from autograder.exercises.block import misconceptions_model as models
from helpers import block
from helpers.checks import gradient_reaches_inputs, inputs_unchanged

EMBED = Exercise(
    id="block.embed",
    title="Tokens to vectors",
    points=2,
    difficulty=2,
    minutes=6,
    reference=block.embed,
    cases=cases.embed_cases,
    returns=("vectors",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        wrong.not_scaled,
        wrong.scaled_down,
        wrong.scaled_by_width,
        wrong.positions_scaled_too,
        wrong.positions_of_tokens,
        wrong.positions_from_one,
        wrong.last_positions,
        wrong.no_positions,
        wrong.scaled_by_vocabulary,
    ),
    alternatives=(right.embed_with_functional, right.embed_with_one_hot, right.embed_with_index_select),
)

UNEMBED = Exercise(
    id="block.unembed",
    title="Vectors to scores",
    points=1,
    difficulty=1,
    minutes=4,
    reference=block.unembed,
    cases=cases.unembed_cases,
    returns=("logits",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    misconceptions=explained(
        wrong.unembedded_and_scaled,
        wrong.unembedded_and_divided,
        wrong.unembedded_to_probabilities,
        wrong.unembedded_to_one_token,
        wrong.unembedded_by_distance,
    ),
    alternatives=(right.unembed_with_linear, right.unembed_with_einsum, right.unembed_by_sums),
)

LAYER_NORM = Exercise(
    id="block.layer_norm",
    title="Layer norm",
    points=3,
    difficulty=2,
    minutes=8,
    reference=block.layer_norm,
    cases=cases.norm_cases,
    returns=("normalised",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    # Written out, so that the search for forbidden names in an answer finds each of them.
    forbidden=(
        "torch.nn.LayerNorm",
        "torch.nn.functional.layer_norm",
        "torch.layer_norm",
        "torch.native_layer_norm",
        "torch.nn.GroupNorm",
        "torch.nn.functional.group_norm",
        "torch.group_norm",
    ),
    misconceptions=explained(
        wrong.divided_by_one_less,
        wrong.eps_beside_the_root,
        wrong.eps_left_out,
        wrong.eps_written_in,
        wrong.over_everything,
        wrong.over_the_first_axis,
        wrong.mean_stays,
        wrong.divided_by_variance,
        wrong.root_mean_square,
        wrong.mean_of_squares_minus,
        wrong.scale_left_out,
        wrong.shift_left_out,
        wrong.shifted_before_scaled,
    ),
    alternatives=(right.norm_with_var_mean, right.norm_with_var, right.norm_from_sums),
)

GELU = Exercise(
    id="block.gelu",
    title="GELU",
    points=2,
    difficulty=2,
    minutes=6,
    reference=block.gelu,
    cases=cases.gelu_cases,
    returns=("activated",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    forbidden=("torch.nn.GELU", "torch.nn.functional.gelu", "torch._C._nn.gelu"),
    misconceptions=explained(
        wrong.tanh_approximation,
        wrong.sigmoid_approximation,
        wrong.silu,
        wrong.relu,
        wrong.erf_without_root,
        wrong.phi_alone,
        wrong.not_halved,
        wrong.erf_alone,
        wrong.density,
    ),
    alternatives=(right.gelu_with_normal_distribution, right.gelu_with_erfc, right.gelu_with_ndtr),
)

FEED_FORWARD = Exercise(
    id="block.feed_forward",
    title="The feed-forward network",
    points=2,
    difficulty=2,
    minutes=6,
    driver="module",
    reference=right.FeedForward,
    cases=cases.feed_forward_cases,
    returns=("output",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("block.gelu",),
    misconceptions=explained(
        blocks.NoActivation,
        blocks.ActivationLast,
        blocks.ActivationFirst,
        blocks.ActivationTwice,
        blocks.ReluInside,
        blocks.PathInside,
        blocks.BiasesForgotten,
    ),
    alternatives=(right.FeedForwardInSteps, right.FeedForwardByMatrices),
)

ADD_SUBLAYER = Exercise(
    id="block.add_sublayer",
    title="The residual path",
    points=3,
    difficulty=2,
    minutes=8,
    driver="call_with_layer",
    reference=block.add_sublayer,
    cases=cases.sublayer_cases,
    returns=("path",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        wrong.path_forgotten,
        wrong.path_normalised,
        wrong.always_first,
        wrong.always_last,
        wrong.turned_round,
        wrong.normed_twice,
        wrong.output_normed,
        wrong.sum_not_normed,
        wrong.path_added_twice,
    ),
    alternatives=(right.sublayer_with_branches, right.sublayer_with_two_choices),
    square="a sublayer's map is d_model × d_model",
)

PRE_OR_POST = Exercise(
    id="block.pre_or_post",
    title="Norm first or last",
    points=2,
    difficulty=2,
    minutes=5,
    driver="choice",
    reference=choices.PRE_OR_POST,
    cases=lambda generator: cases.choose(choices.PRE_OR_POST_OPTIONS),
    misconceptions=choices.PRE_OR_POST_WRONG,
)

DROPOUT = Exercise(
    id="block.dropout",
    title="Dropout",
    points=2,
    difficulty=2,
    minutes=6,
    reference=block.dropout,
    cases=cases.dropout_cases,
    returns=("dropped",),
    properties=(inputs_unchanged,),
    forbidden=("torch.nn.Dropout", "torch.nn.functional.dropout", "torch.dropout"),
    misconceptions=explained(
        wrong.rest_not_scaled,
        wrong.rest_scaled_down,
        wrong.rest_divided_by_share,
        wrong.others_dropped,
        wrong.dropped_later_too,
        wrong.scaled_later_instead,
        wrong.only_later,
        wrong.not_dropped_at_all,
    ),
    alternatives=(right.dropout_by_a_mask, right.dropout_by_filling, right.dropout_by_multiplying),
)

EVAL = Exercise(
    id="block.eval",
    title="What eval changes",
    points=1,
    difficulty=2,
    minutes=4,
    driver="choice",
    reference=choices.EVAL,
    cases=lambda generator: cases.choose(choices.EVAL_OPTIONS),
    misconceptions=choices.EVAL_WRONG,
)

BLOCK = Exercise(
    id="block.block",
    title="The block",
    points=4,
    difficulty=3,
    minutes=12,
    driver="module",
    reference=right.Block,
    cases=cases.block_cases,
    returns=("output",),
    properties=(inputs_unchanged, gradient_reaches_inputs),
    needs=("multihead.module", "block.layer_norm", "block.gelu", "block.feed_forward", "block.add_sublayer"),
    misconceptions=explained(
        blocks.NoResidual,
        blocks.OnlyFirstResidual,
        blocks.OnlySecondResidual,
        blocks.PostNorm,
        blocks.PathNormalised,
        blocks.NoNorms,
        blocks.FirstNormTwice,
        blocks.NormsExchanged,
        blocks.FeedForwardFirst,
        blocks.SideBySide,
        blocks.MaskDropped,
        blocks.KeysNotNormalised,
        blocks.QueriesNotNormalised,
        blocks.FirstPathAgain,
        blocks.NoFeedForward,
        blocks.NoAttention,
        blocks.SublayersNormalised,
    ),
    alternatives=(right.BlockInSteps, right.BlockWithFunctions),
    square="the maps of attention are d_model × d_model",
)

MODEL = Exercise(
    id="block.model",
    title="The model",
    points=4,
    difficulty=3,
    minutes=12,
    driver="module",
    reference=right.DecoderOnly,
    cases=cases.model_cases,
    returns=("logits",),
    needs=("block.embed", "block.unembed", "block.layer_norm", "block.block"),
    misconceptions=explained(
        models.NotCausal,
        models.LooksBack,
        models.OnlyTheFirstIsCausal,
        models.LastNormForgotten,
        models.NormBeforeTheBlocks,
        models.NormAfterEach,
        models.FirstBlockAgain,
        models.LastBlockAlone,
        models.AddedTwice,
        models.Probabilities,
        models.HiddenVectors,
        models.LastPositionAlone,
        models.EmbeddingNotScaled,
        models.PositionsForgotten,
        models.BackwardsThroughTheBlocks,
        models.ScaledOnTheWayOut,
    ),
    alternatives=(right.ModelByModules, right.ModelInALoop),
    square="the maps of attention are d_model × d_model",
)

INITIAL_STD = Exercise(
    id="block.initial_std",
    title="How large to begin",
    points=2,
    difficulty=2,
    minutes=6,
    reference=block.initial_std,
    cases=cases.initial_std_cases,
    returns=("standard deviation",),
    misconceptions=explained(
        wrong.all_alike,
        wrong.root_of_layers,
        wrong.without_root,
        wrong.all_smaller,
        wrong.attention_alone,
        wrong.feed_forward_alone,
        wrong.larger,
        wrong.readers_smaller,
    ),
    alternatives=(right.std_by_the_end, right.std_by_a_set),
)

FROM_GPT2 = Exercise(
    id="block.from_gpt2",
    title="Weights of GPT-2",
    points=4,
    difficulty=4,
    minutes=20,
    reference=block.from_gpt2,
    cases=cases.gpt2_cases,
    returns=("state dict",),
    properties=(inputs_unchanged,),
    misconceptions=explained(
        gpt2.embedding_as_it_is,
        gpt2.norm_not_made_up_for,
        gpt2.positions_divided_too,
        gpt2.keys_first,
        gpt2.last_map_not_transposed,
        gpt2.queries_not_transposed,
        gpt2.norms_exchanged,
    ),
    alternatives=(right.gpt2_written_out, right.gpt2_by_renaming),
    square="GPT-2's maps of attention are d_model × d_model",
)
