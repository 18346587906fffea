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
    ),
    alternatives=(right.linear_with_if, right.linear_in_brackets),
)

EMBEDDING = Exercise(
    id="counting.embedding",
    title="Embeddings",
    points=1,
    difficulty=1,
    minutes=3,
    reference=counting.embedding_parameters,
    cases=cases.embedding_cases,
    returns=("parameters",),
    forbidden=MODULES,
    misconceptions=explained(
        wrong.embedding_with_bias,
        wrong.positions_forgotten,
        wrong.a_table_for_each_position,
        wrong.positions_of_one_number,
        wrong.vocabulary_squared,
    ),
    alternatives=(right.two_tables, right.row_by_row),
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
        wrong.output_map_without_bias,
        wrong.only_one_head,
        wrong.output_map_for_each_head,
        wrong.one_matrix_for_all_three,
        wrong.divided_by_heads,
    ),
    alternatives=(right.four_squares, right.head_by_head, right.attention_by_linear_maps),
)

FEED_FORWARD = Exercise(
    id="counting.feed_forward",
    title="Feed-forward",
    points=1,
    difficulty=1,
    minutes=4,
    reference=counting.feed_forward_parameters,
    cases=cases.feed_forward_cases,
    returns=("parameters",),
    forbidden=MODULES,
    needs=("counting.linear",),
    misconceptions=explained(
        wrong.one_matrix,
        wrong.feed_forward_biases_forgotten,
        wrong.feed_forward_of_one_width,
        wrong.two_wide_biases,
        wrong.two_narrow_biases,
        wrong.a_map_between,
    ),
    alternatives=(right.out_and_back, right.by_brackets),
)

NORM = Exercise(
    id="counting.norm",
    title="Layer normalisation",
    points=1,
    difficulty=1,
    minutes=2,
    reference=counting.norm_parameters,
    cases=cases.norm_cases,
    returns=("parameters",),
    forbidden=MODULES,
    misconceptions=explained(
        wrong.only_the_scale,
        wrong.one_scale_for_all,
        wrong.a_linear_map,
        wrong.mean_and_deviation_too,
    ),
    alternatives=(right.scale_and_shift, right.one_and_one),
)

PARTS = ("counting.attention", "counting.feed_forward", "counting.norm")

ENCODER_LAYER = Exercise(
    id="counting.encoder_layer",
    title="An encoder layer",
    points=1,
    difficulty=1,
    minutes=3,
    reference=counting.encoder_layer_parameters,
    cases=cases.layer_cases,
    returns=("parameters",),
    forbidden=MODULES,
    needs=PARTS,
    misconceptions=explained(
        wrong.encoder_with_one_norm,
        wrong.encoder_without_norms,
        wrong.encoder_attention_by_heads,
        wrong.encoder_with_two_feed_forwards,
        wrong.encoder_with_two_attentions,
        wrong.encoder_norm_for_each_head,
    ),
    alternatives=(right.encoder_layer_multiplied_out, right.encoder_layer_step_by_step),
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
    needs=PARTS,
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
    needs=("counting.encoder_layer", "counting.embedding", "counting.linear", "counting.norm"),
    misconceptions=explained(
        models.head_in_every_layer,
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
    title="The first report",
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
    title="The second report",
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
    needs=("counting.encoder_layer", "counting.decoder_layer"),
    misconceptions=explained(
        models.tied_matrix_counted_three_times,
        models.always_tied,
        models.output_not_tied,
        models.output_map_forgotten,
        models.output_map_with_bias,
        models.decoder_of_encoder_layers,
        models.layers_shared_out,
        models.norms_after_the_stacks,
        models.encoder_alone,
        models.encoder_layer_once,
    ),
    alternatives=(right.transformer_multiplied_out, right.transformer_with_if),
)

BERT = Exercise(
    id="counting.bert",
    title="BERT",
    points=2,
    difficulty=2,
    minutes=5,
    reference=counting.bert_parameters,
    cases=cases.bert_cases,
    returns=("parameters",),
    forbidden=MODULES,
    needs=("counting.encoder_layer", "counting.embedding", "counting.norm", "counting.linear"),
    misconceptions=explained(
        models.pooler_forgotten,
        models.embedding_norm_forgotten,
        models.segments_forgotten,
        models.always_two_segments,
        models.sines_for_positions,
        models.pooler_without_bias,
        models.output_map_for_words,
        models.a_segment_table_for_each_position,
    ),
    alternatives=(right.bert_multiplied_out, right.bert_by_brackets, right.bert_by_layers),
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
    needs=("counting.encoder_layer", "counting.decoder_layer", "counting.embedding", "counting.norm"),
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
    title="What each parameter takes along",
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
    title="Operations for each token",
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

DAYS = Exercise(
    id="counting.days",
    title="Days on a GPU",
    points=2,
    difficulty=2,
    minutes=4,
    reference=counting.training_days,
    cases=cases.days_cases,
    returns=("days",),
    misconceptions=explained(
        cost.in_hours,
        cost.in_seconds,
        cost.in_minutes,
        cost.times_utilisation,
        cost.utilisation_ignored,
        cost.one_gpu,
        cost.times_gpus,
    ),
    alternatives=(right.by_steps, right.as_tensor),
)
