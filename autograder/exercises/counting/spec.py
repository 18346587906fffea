"""The exercises of lesson 07.

A misconception's sentence says what is wrong and why that matters, to whoever has just made it.
"""

from autograder.exercise import Exercise, explained
from autograder.exercises.counting import alternatives as right
from autograder.exercises.counting import cases
from autograder.exercises.counting import choices as reports
from autograder.exercises.counting import misconceptions as wrong
from autograder.exercises.counting import misconceptions_cost as cost
from autograder.exercises.counting import misconceptions_model as models
from helpers import counting

# Torch can count, but here it is the witness, not the answer. Written out, so that the search for forbidden
# names in an answer finds each of them.
MODULES = (
    "torch.nn.Linear",
    "torch.nn.Embedding",
    "torch.nn.LayerNorm",
    "torch.nn.MultiheadAttention",
    "torch.nn.TransformerEncoderLayer",
    "torch.nn.TransformerDecoderLayer",
    "torch.nn.Transformer",
)

LINEAR = Exercise(
    id="counting.linear",
    title="A linear map",
    points=1,
    difficulty=1,
    minutes=3,
    reference=counting.linear_parameters,
    cases=cases.linear_cases,
    returns=("parameters",),
    forbidden=MODULES,
    misconceptions=explained(
        wrong.bias_forgotten,
        wrong.bias_for_each_input,
        wrong.one_bias_for_all,
        wrong.bias_always_counted,
        wrong.bias_for_each_weight,
        wrong.weights_added,
        wrong.condition_over_all,
    ),
    alternatives=(right.linear_with_if, right.linear_in_brackets),
)

ATTENTION = Exercise(
    id="counting.attention",
    title="Multi-head attention",
    points=2,
    difficulty=2,
    minutes=6,
    reference=counting.attention_parameters,
    cases=cases.attention_cases,
    returns=("parameters",),
    forbidden=MODULES,
    needs=("counting.linear",),
    misconceptions=explained(
        wrong.multiplied_by_heads,
        wrong.no_output_map,
        wrong.attention_biases_forgotten,
        wrong.attention_biases_always,
        wrong.attention_condition_over_all,
        wrong.output_map_without_bias,
        wrong.only_one_head,
        wrong.output_map_for_each_head,
        wrong.whole_width_for_each_head,
        wrong.one_matrix_for_all_three,
        wrong.divided_by_heads,
    ),
    alternatives=(right.four_squares, right.head_by_head, right.attention_by_linear_maps),
)

DECODER_LAYER = Exercise(
    id="counting.decoder_layer",
    title="A decoder layer",
    points=2,
    difficulty=2,
    minutes=4,
    reference=counting.decoder_layer_parameters,
    cases=cases.layer_cases,
    returns=("parameters",),
    forbidden=MODULES,
    needs=("counting.attention",),
    misconceptions=explained(
        wrong.decoder_with_one_attention,
        wrong.decoder_with_two_norms,
        wrong.decoder_like_encoder,
        wrong.cross_attention_without_keys_and_values,
        wrong.decoder_with_two_feed_forwards,
        wrong.decoder_without_norms,
    ),
    alternatives=(right.decoder_layer_multiplied_out, right.decoder_layer_step_by_step),
)

LAB_MODEL = Exercise(
    id="counting.lab_model",
    title="The lab model",
    points=2,
    difficulty=2,
    minutes=5,
    reference=counting.lab_model_parameters,
    cases=cases.lab_cases,
    returns=("parameters",),
    forbidden=MODULES,
    needs=("counting.linear",),
    misconceptions=explained(
        models.head_in_every_layer,
        models.heads_and_hidden_width_exchanged,
        models.lab_head_forgotten,
        models.lab_head_without_bias,
        models.lab_embedding_forgotten,
        models.embedding_in_every_layer,
        models.one_layer_only,
        models.lab_with_last_norm,
        models.lab_head_always_words,
    ),
    alternatives=(right.lab_multiplied_out, right.lab_with_a_loop),
)

FIRST_REPORT = Exercise(
    id="counting.first_report",
    title="The first count",
    points=2,
    difficulty=2,
    minutes=5,
    driver="choice",
    reference={reports.LINE: 7, reports.BRACKET: "the second norm"},
    cases=lambda generator: cases.choose(
        {reports.LINE: [1, 2, 3, 4, 5, 6, 7], reports.BRACKET: list(reports.PLACES)}
    ),
    misconceptions=reports.FIRST_REPORT,
)

SECOND_REPORT = Exercise(
    id="counting.second_report",
    title="The second count",
    points=2,
    difficulty=2,
    minutes=5,
    driver="choice",
    reference=reports.LINES | {reports.THIRD: "matrices", reports.FOURTH: "norms"},
    cases=lambda generator: cases.choose(
        {line: ["right", "wrong"] for line in reports.LINES}
        | {slot: list(reports.THINGS) for slot in (reports.THIRD, reports.FOURTH)}
    ),
    misconceptions=reports.SECOND_REPORT,
)

EXPOSE = Exercise(
    id="counting.expose",
    title="A configuration that exposes it",
    points=3,
    difficulty=3,
    minutes=7,
    driver="use_result",
    reference=counting.exposing_configuration,
    cases=cases.exposing_cases,
    returns=("configuration",),
    misconceptions=explained(
        models.as_in_the_lab,
        models.always_four_heads,
        models.always_three_heads,
        models.wider_feed_forward,
        models.heads_and_width_changed,
        models.more_heads_than_width,
        models.half_the_width,
    ),
    alternatives=(right.a_head_for_each_feature, right.largest_divisor_below),
)

TRANSFORMER = Exercise(
    id="counting.transformer",
    title="Encoder and decoder",
    points=3,
    difficulty=3,
    minutes=6,
    reference=counting.transformer_parameters,
    cases=cases.transformer_cases,
    returns=("parameters",),
    forbidden=MODULES,
    needs=("counting.decoder_layer",),
    misconceptions=explained(
        models.tied_matrix_counted_three_times,
        models.always_tied,
        models.output_not_tied,
        models.output_map_forgotten,
        models.output_map_with_bias,
        models.untied_output_map_with_bias,
        models.decoder_of_encoder_layers,
        models.layers_shared_out,
        models.norms_after_the_stacks,
        models.encoder_alone,
        models.encoder_layer_once,
    ),
    alternatives=(right.transformer_multiplied_out, right.transformer_with_if),
)

GPT2 = Exercise(
    id="counting.gpt2",
    title="GPT-2",
    points=2,
    difficulty=2,
    minutes=5,
    reference=counting.gpt2_parameters,
    cases=cases.gpt2_cases,
    returns=("parameters",),
    forbidden=MODULES,
    needs=("counting.decoder_layer",),
    misconceptions=explained(
        models.output_counted_again,
        models.gpt2_positions_forgotten,
        models.last_norm_forgotten,
        models.gpt2_of_decoder_layers,
        models.hidden_width_as_the_width,
        models.last_norm_in_every_layer,
    ),
    alternatives=(right.gpt2_multiplied_out, right.gpt2_step_by_step),
)

STATE = Exercise(
    id="counting.training_state",
    title="What each parameter needs",
    points=2,
    difficulty=2,
    minutes=4,
    reference=counting.training_state_bytes,
    cases=cases.state_cases,
    returns=("bytes",),
    misconceptions=explained(
        cost.one_moment,
        cost.gradients_forgotten,
        cost.optimizer_forgotten,
        cost.weights_alone,
        cost.numbers_for_bytes,
        cost.in_bits,
        cost.in_half_precision,
        cost.always_adam,
        cost.sgd_like_momentum,
    ),
    alternatives=(right.state_with_ifs, right.state_by_position),
)

ACTIVATIONS = Exercise(
    id="counting.activations",
    title="What the backward pass needs",
    points=3,
    difficulty=4,
    minutes=8,
    reference=counting.activation_numbers,
    cases=cases.activation_cases,
    returns=("numbers",),
    misconceptions=explained(
        cost.weights_once_for_all_heads,
        cost.weights_once_for_the_batch,
        cost.weights_without_square,
        cost.attention_weights_forgotten,
        cost.one_vector_short,
        cost.scores_kept_too,
        cost.one_hidden_vector,
        cost.queries_keys_values_as_one,
        cost.vectors_for_each_head,
        cost.one_layer_kept,
        cost.one_sequence_kept,
        cost.weights_across_sequences,
        cost.kept_bytes,
    ),
    alternatives=(right.activations_part_by_part, right.activations_for_each_token),
)

FLOPS = Exercise(
    id="counting.flops",
    title="Operations per token",
    points=2,
    difficulty=3,
    minutes=6,
    reference=counting.training_flops_per_token,
    cases=cases.flops_cases,
    returns=("operations",),
    misconceptions=explained(
        cost.forward_alone,
        cost.backward_like_forward,
        cost.multiplications_alone,
        cost.attention_left_out,
        cost.scores_alone,
        cost.attention_forward_alone,
        cost.attention_of_one_layer,
        cost.attention_of_all_tokens,
    ),
    alternatives=(right.three_forward_passes, right.six_times),
)
