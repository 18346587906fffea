"""Catch the slip: the cache."""

from autograder.recall import recall

exercise = recall(
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
