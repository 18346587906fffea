"""What layers cost: operations, steps that must wait for each other, memory, and measured time."""

from helpers.complexity.reference import (
    absorb,
    attention_flops,
    blockwise_attention,
    crossover_length,
    fitted_exponent,
    grouped_attention,
    layer_cost,
    layers_to_connect,
    matmul_flops,
)
