"""What people get wrong about the memory and the time of training; see `misconceptions.py`."""

# ruff: noqa: D205  (a sentence may take two lines)

# -- weights, gradients, moments -----------------------------------------------------------------------------


def one_moment(n_parameters, optimizer):
    """Adam is counted with one number per parameter: it keeps two, a mean of gradients and one of squares."""
    return n_parameters * 4 * {"sgd": 2, "momentum": 3, "adam": 3}[optimizer]


def gradients_forgotten(n_parameters, optimizer):
    """The gradients are missing: there is one number for each parameter, as large as the weights together."""
    return n_parameters * 4 * {"sgd": 1, "momentum": 2, "adam": 3}[optimizer]


def optimizer_forgotten(n_parameters, optimizer):
    """What the optimizer keeps is missing: momentum is one number per parameter, and Adam has two."""
    return n_parameters * 8


def weights_alone(n_parameters, optimizer):
    """These are the weights alone, which is what using a model takes: training keeps gradients, and what the
    optimizer remembers.
    """
    return n_parameters * 4


def numbers_for_bytes(n_parameters, optimizer):
    """These are numbers: each takes 4 bytes in float32."""
    return n_parameters * {"sgd": 2, "momentum": 3, "adam": 4}[optimizer]


def in_bits(n_parameters, optimizer):
    """These are bits: a float32 has 32 of them, which are 4 bytes."""
    return n_parameters * 32 * {"sgd": 2, "momentum": 3, "adam": 4}[optimizer]


def in_half_precision(n_parameters, optimizer):
    """Each number is counted with 2 bytes, as in float16: a float32 has 4."""
    return n_parameters * 2 * {"sgd": 2, "momentum": 3, "adam": 4}[optimizer]


def always_adam(n_parameters, optimizer):
    """Every optimizer is counted as Adam: plain sgd keeps nothing of its own, and momentum one number per
    parameter.
    """
    return n_parameters * 16


def sgd_like_momentum(n_parameters, optimizer):
    """Plain sgd is counted like sgd with momentum: it uses each gradient once and keeps nothing of its own
    between steps.
    """
    return n_parameters * 4 * (4 if optimizer == "adam" else 3)


# -- activations ---------------------------------------------------------------------------------------------


def weights_once_for_all_heads(batch, positions, d_model, n_heads, d_ff, n_layers):
    """One T × T matrix of weights is counted for each sequence, but each head has its own."""
    tokens = batch * positions
    return n_layers * (tokens * (8 * d_model + 2 * d_ff) + batch * positions**2)


def weights_once_for_the_batch(batch, positions, d_model, n_heads, d_ff, n_layers):
    """The attention weights are counted for one sequence: each of the batch has T × T for each head."""
    tokens = batch * positions
    return n_layers * (tokens * (8 * d_model + 2 * d_ff) + n_heads * positions**2)


def weights_without_square(batch, positions, d_model, n_heads, d_ff, n_layers):
    """The attention weights are counted as T numbers: each of the T positions has one for each of T."""
    tokens = batch * positions
    return n_layers * (tokens * (8 * d_model + 2 * d_ff) + batch * n_heads * positions)


def attention_weights_forgotten(batch, positions, d_model, n_heads, d_ff, n_layers):
    """The attention weights are missing: a T × T matrix for each head of each sequence."""
    return n_layers * batch * positions * (8 * d_model + 2 * d_ff)


def one_vector_short(batch, positions, d_model, n_heads, d_ff, n_layers):
    """One vector of the width is missing: a token keeps 8 of them, from the layer's input to what goes into
    the second norm, as the comments count them.
    """
    return n_layers * (batch * positions * (7 * d_model + 2 * d_ff) + batch * n_heads * positions**2)


def scores_kept_too(batch, positions, d_model, n_heads, d_ff, n_layers):
    """Two T × T matrices are counted, but a softmax's gradient needs its output alone: the scores can go."""
    tokens = batch * positions
    return n_layers * (tokens * (8 * d_model + 2 * d_ff) + 2 * batch * n_heads * positions**2)


def one_hidden_vector(batch, positions, d_model, n_heads, d_ff, n_layers):
    """The hidden vector is counted once: the GELU needs what goes into it, and the second map needs what
    comes out.
    """
    tokens = batch * positions
    return n_layers * (tokens * (8 * d_model + d_ff) + batch * n_heads * positions**2)


def queries_keys_values_as_one(batch, positions, d_model, n_heads, d_ff, n_layers):
    """Two vectors of the width are missing for each token: queries, keys and values are three vectors and
    not one, and each of the two norms keeps what goes into it.
    """
    tokens = batch * positions
    return n_layers * (tokens * (6 * d_model + 2 * d_ff) + batch * n_heads * positions**2)


def vectors_for_each_head(batch, positions, d_model, n_heads, d_ff, n_layers):
    """Queries, keys, values and outputs are counted with the full width for each head: a head has d_model / H
    of it.
    """
    tokens = batch * positions
    return n_layers * (tokens * ((4 + 4 * n_heads) * d_model + 2 * d_ff) + batch * n_heads * positions**2)


def one_layer_kept(batch, positions, d_model, n_heads, d_ff, n_layers):
    """This is one layer: the backward pass begins after the last, so all layers have to keep theirs till
    then.
    """
    tokens = batch * positions
    return tokens * (8 * d_model + 2 * d_ff) + batch * n_heads * positions**2


def one_sequence_kept(batch, positions, d_model, n_heads, d_ff, n_layers):
    """This is one sequence: every sequence of the batch keeps its own."""
    return n_layers * (positions * (8 * d_model + 2 * d_ff) + n_heads * positions**2)


def weights_across_sequences(batch, positions, d_model, n_heads, d_ff, n_layers):
    """The square is taken of all tokens of the batch, but a token attends within its own sequence only."""
    tokens = batch * positions
    return n_layers * (tokens * (8 * d_model + 2 * d_ff) + n_heads * tokens**2)


def kept_bytes(batch, positions, d_model, n_heads, d_ff, n_layers):
    """These are bytes: this exercise asks how many numbers are kept."""
    tokens = batch * positions
    return 4 * n_layers * (tokens * (8 * d_model + 2 * d_ff) + batch * n_heads * positions**2)


# -- operations ----------------------------------------------------------------------------------------------


def forward_alone(n_weights, n_layers, positions, d_model):
    """This is the forward pass alone, 2 operations per weight: the backward pass takes twice as many
    again.
    """
    return 2 * n_weights + 4 * n_layers * positions * d_model


def backward_like_forward(n_weights, n_layers, positions, d_model):
    """The backward pass is counted like the forward pass, but it has two products for each of the forward's:
    one for the inputs' gradient, one for the weights'.
    """
    return 4 * n_weights + 8 * n_layers * positions * d_model


def multiplications_alone(n_weights, n_layers, positions, d_model):
    """Only multiplications are counted: each comes with an addition, so a weight costs 2 operations."""
    return 3 * n_weights + 6 * n_layers * positions * d_model


def attention_left_out(n_weights, n_layers, positions, d_model):
    """The products without weights are missing: queries with keys, and attention weights with values."""
    return 6 * n_weights


def scores_alone(n_weights, n_layers, positions, d_model):
    """Only the scores are counted for attention: averaging the values costs as much again."""
    return 6 * n_weights + 6 * n_layers * positions * d_model


def attention_forward_alone(n_weights, n_layers, positions, d_model):
    """The products of attention are counted in the forward pass alone: they have a backward pass too."""
    return 6 * n_weights + 4 * n_layers * positions * d_model


def attention_of_one_layer(n_weights, n_layers, positions, d_model):
    """The products of attention are counted for one layer: each of the n_layers has them."""
    return 6 * n_weights + 12 * positions * d_model


def attention_of_all_tokens(n_weights, n_layers, positions, d_model):
    """T² is for a whole sequence: one token's query meets T keys."""
    return 6 * n_weights + 12 * n_layers * positions**2 * d_model
