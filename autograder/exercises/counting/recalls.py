"""Slips to catch at the start of counting, on lessons 05 and 06."""

from autograder.recall import recall

NORM = recall(
    "counting.recall_norm",
    "block.layer_norm",
    title="Catch the slip: layer norm",
    task=("This gives each vector mean 0 and variance 1."),
    code="""
def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias
""",
    inputs=(
        "layer_norm(torch.zeros(1, 2), torch.ones(2), torch.zeros(2))",
        "layer_norm(torch.tensor([1.0, 3.0]), torch.ones(2), torch.zeros(2))",
    ),
    hint=("torch's var divides by one less than the number of values, unless it is told not to"),
    line=3,
    shows=2,
)

CACHE = recall(
    "counting.recall_cache",
    "complexity.cache_bytes",
    title="Catch the slip: the cache",
    task=("This counts the bytes of the key-value cache of one sequence."),
    code="""
def cache_bytes(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    numbers = layers * kv_heads * d_head * positions
    return numbers * bytes_per_number
""",
    inputs=(
        "cache_bytes(1, 1, 0, 1, 1, 1)",
        "cache_bytes(1, 1, 1, 1, 1, 2)",
    ),
    hint=("for each position there is a key to keep, and something else"),
    line=2,
    shows=2,
)

EMBED = recall(
    "counting.recall_embed",
    "block.embed",
    title="Catch the slip: tokens to vectors",
    task=("This turns tokens into vectors: the scaled row of each, plus its position's."),
    code="""
def embed(ids, words, positions):
    scale = words.size(-1) ** 0.5
    places = positions[: ids.size(-1)]
    return scale * words[ids] + places
""",
    inputs=(
        "embed(torch.tensor([0]), torch.eye(4), torch.ones(1, 4))",
        "embed(torch.tensor([1, 0]), torch.eye(4), torch.ones(3, 4))",
    ),
    hint=("the root of the width multiplies the words alone"),
)
