"""Counting: how many numbers a Transformer learns, and what it costs to teach them.

What lesson 07 asks for, for the lessons after it. Everything is plain integers: `d_model` the width,
`n_heads` heads, `d_ff` the hidden width of a feed-forward network, `n_layers` layers, `vocabulary` tokens.
Layers have a bias in every linear map, as `torch.nn.TransformerEncoderLayer` has them.
"""

import torch


def count(module: torch.nn.Module) -> int:
    """How many numbers a module learns; a tensor that is used in two places counts once."""
    return sum(parameter.numel() for parameter in module.parameters())


# -- parts ---------------------------------------------------------------------------------------------------


def linear_parameters(n_in: int, n_out: int, bias: bool = True) -> int:
    """The parameters of `torch.nn.Linear(n_in, n_out, bias)`: weights, and a bias for each output."""
    return n_in * n_out + (n_out if bias else 0)


def embedding_parameters(vocabulary: int, d_model: int, positions: int = 0) -> int:
    """One vector for each token, and one for each position where positions are learned.

    Args:
        vocabulary: tokens.
        d_model: numbers of a vector.
        positions: learned position vectors; 0 where positions are sines and cosines.
    """
    return (vocabulary + positions) * d_model


def attention_parameters(d_model: int, n_heads: int, bias: bool = True) -> int:
    """Multi-head attention: W_q, W_k, W_v and W_o, each d_model × d_model whatever the number of heads.

    Each head has d_model / n_heads columns of W_q, W_k and W_v, so together they fill one square.

    Args:
        d_model: the width.
        n_heads: a divisor of d_model.
        bias: whether each of the four maps has one.

    Raises:
        ValueError: the heads don't divide the width.

    Source: Vaswani et al. 2017, section 3.2.2.
    """
    if d_model % n_heads:
        raise ValueError(f"{n_heads} heads don't divide a width of {d_model}")
    return 4 * linear_parameters(d_model, d_model, bias)


def feed_forward_parameters(d_model: int, d_ff: int) -> int:
    """Two linear maps with biases, d_model to d_ff and back. Source: Vaswani et al. 2017, section 3.3."""
    return linear_parameters(d_model, d_ff) + linear_parameters(d_ff, d_model)


def norm_parameters(d_model: int) -> int:
    """Layer normalisation: a scale and a shift for each feature. Source: Ba et al. 2016, section 3."""
    return 2 * d_model


# -- layers and models ---------------------------------------------------------------------------------------


def encoder_layer_parameters(d_model: int, n_heads: int, d_ff: int) -> int:
    """Self-attention, feed-forward, and a norm for each. A causal mask adds nothing."""
    blocks = attention_parameters(d_model, n_heads) + feed_forward_parameters(d_model, d_ff)
    return blocks + 2 * norm_parameters(d_model)


def decoder_layer_parameters(d_model: int, n_heads: int, d_ff: int) -> int:
    """Self-attention, attention over the encoder, feed-forward, and a norm for each of the three."""
    blocks = 2 * attention_parameters(d_model, n_heads) + feed_forward_parameters(d_model, d_ff)
    return blocks + 3 * norm_parameters(d_model)


def lab_model_parameters(
    vocabulary: int, d_model: int, n_heads: int, d_ff: int, n_layers: int, n_out: int
) -> int:
    """The lab's model: embedding, sines for positions, encoder layers, and one linear head with a bias.

    Args:
        vocabulary: tokens.
        d_model: the width.
        n_heads: a divisor of d_model.
        d_ff: hidden width of the feed-forward networks.
        n_layers: encoder layers.
        n_out: outputs of the head: the classes of a classifier, the vocabulary of a language model.
    """
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, d_ff)
    return embedding_parameters(vocabulary, d_model) + layers + linear_parameters(d_model, n_out)


def transformer_parameters(
    vocabulary: int, d_model: int, n_heads: int, d_ff: int, n_layers: int, tied: bool
) -> int:
    """An encoder and a decoder of n_layers layers each, with sines for positions.

    Args:
        vocabulary: tokens, the same for source and target.
        d_model: the width.
        n_heads: a divisor of d_model.
        d_ff: hidden width of the feed-forward networks.
        n_layers: layers of the encoder, and of the decoder.
        tied: whether one matrix serves as source embedding, target embedding and output map. The output map
            has no bias either way.

    Source: Vaswani et al. 2017, section 3.4.
    """
    matrices = (1 if tied else 3) * vocabulary * d_model
    pair = encoder_layer_parameters(d_model, n_heads, d_ff) + decoder_layer_parameters(d_model, n_heads, d_ff)
    return matrices + n_layers * pair


def bert_parameters(
    vocabulary: int, d_model: int, n_heads: int, d_ff: int, n_layers: int, positions: int, segments: int
) -> int:
    """BERT's body: three embeddings and a norm, encoder layers, and the pooler, a linear map of [CLS].

    Source: Devlin et al. 2019, section 3; the pooler is in the released code.
    """
    embeddings = embedding_parameters(vocabulary, d_model, positions + segments) + norm_parameters(d_model)
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, d_ff)
    return embeddings + layers + linear_parameters(d_model, d_model)


def gpt2_parameters(vocabulary: int, d_model: int, n_heads: int, n_layers: int, positions: int) -> int:
    """GPT-2: learned positions, layers with d_ff = 4 · d_model, a last norm, a tied output.

    Source: Radford et al. 2019, section 2.3.
    """
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, 4 * d_model)
    return embedding_parameters(vocabulary, d_model, positions) + layers + norm_parameters(d_model)


def exposing_configuration(d_model: int) -> dict[str, int]:
    """A model of this width that tells n_heads from a 2: one head divides every width."""
    return {"n_heads": 1, "d_ff": d_model}


# -- what training takes -------------------------------------------------------------------------------------


def training_state_bytes(n_parameters: int, optimizer: str) -> int:
    """Bytes for weights, gradients and what the optimizer keeps, all in float32.

    Args:
        n_parameters: of the model.
        optimizer: "sgd" keeps nothing of its own, "momentum" one number per parameter, "adam" two.

    Source for Adam's two moments: Kingma and Ba 2015, algorithm 1.
    """
    own = {"sgd": 0, "momentum": 1, "adam": 2}[optimizer]
    return n_parameters * (1 + 1 + own) * 4  # weight, gradient, the optimizer's own; float32 has 4 bytes


def activation_numbers(
    batch: int, positions: int, d_model: int, n_heads: int, d_ff: int, n_layers: int
) -> int:
    """How many numbers encoder layers keep from the forward for the backward pass, without dropout.

    For each token: 8 vectors of the width (the layer's input, q, k, v, the heads' outputs side by side, what
    goes into each of the two norms, what goes into the feed-forward network) and 2 of the hidden width
    (before and after the GELU). For each sequence and head: one T × T matrix of weights. The norms' means and
    standard deviations, 4 numbers per token, are left out.

    Source: Korthikanti et al. 2022, section 4.1, whose 34 bytes become these 16 numbers at d_ff = 4 · d_model
    without the masks of dropout.
    """
    tokens = batch * positions
    return n_layers * (tokens * (8 * d_model + 2 * d_ff) + batch * n_heads * positions**2)


def training_flops_per_token(n_weights: int, n_layers: int, positions: int, d_model: int) -> int:
    """Floating-point operations of one token's forward and backward pass.

    Each weight multiplies once and adds once in the forward pass, and twice that in the backward pass. In
    each layer q meets T keys and the weights meet T values: 2 · 2 · T · d_model, three times over.

    Args:
        n_weights: parameters that multiply: embeddings that are only looked up are none.
        n_layers: layers with attention.
        positions: T, how many keys each query meets.
        d_model: the width.

    Source: Kaplan et al. 2020, section 2.1; Chowdhery et al. 2022, appendix B.
    """
    return 6 * n_weights + 12 * n_layers * positions * d_model


def training_days(flops: float, n_gpus: int, peak_flops: float, utilisation: float) -> float:
    """Days that a training run takes.

    Args:
        flops: floating-point operations of the whole run.
        n_gpus: GPUs that share them.
        peak_flops: operations per second of one GPU, by its data sheet.
        utilisation: the share of that peak which the run really gets, between 0 and 1.
    """
    return flops / (n_gpus * peak_flops * utilisation) / (24 * 60 * 60)
