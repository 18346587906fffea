"""Memory of the cache."""

from torch import Generator

from autograder.drawing import pick
from autograder.entry import Entry
from autograder.exercises.complexity import shared
from helpers import complexity
from helpers.checking.calling.drivers import Case

exercise = Entry(
    id="complexity.cache_bytes",
    title="Memory of the cache",
    points=2,
    difficulty=2,
    minutes=5,
    reference=complexity.cache_bytes,
    returns=("bytes",),
)


@exercise.cases
def cache_cases(g: Generator) -> list[Case]:
    """As many heads of keys as of queries, fewer, and one."""
    n = shared.between(g, 100, 200)
    layers, width = shared.sizes(g, 3, 5)
    return [
        Case("a head of keys for each head", (layers, 7, 7, 8 * width, n, 2)),
        Case("groups that share a head", (layers, 12, 4, 8 * width, n + 1, 2)),
        Case("one head of keys for all", (layers + 1, 6, 1, pick(g, 16, 24, 40), n + 2, pick(g, 4, 1, 8))),
    ]


@exercise.alternative
def keys_and_values_apart(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    keys = positions * kv_heads * d_head
    values = positions * kv_heads * d_head
    return layers * (keys + values) * bytes_per_number


@exercise.alternative
def a_share_of_the_full_cache(layers, heads, kv_heads, d_head, positions, bytes_per_number):
    full = 2 * layers * positions * heads * d_head * bytes_per_number
    return full * kv_heads // heads


exercise.slip("keys_alone", "2 * layers → layers").says(
    "Only the keys are kept here: the values are looked up at every later word too, so the cache holds both."
)
exercise.slip("queries_kept_too", "2 * layers * kv_heads → layers * (2 * kv_heads + heads)").says(
    "Queries are counted along with keys and values: a query is used for its own word and never again, so "
    "nothing is kept of it."
)
exercise.slip("every_query_head", "* kv_heads → * heads").says(
    "This counts keys and values for every query head: heads of a group share theirs, so there are "
    "kv_heads of them."
)
exercise.slip("heads_in_a_group", "* kv_heads → * (heads // kv_heads)").says(
    "The quotient heads / kv_heads is how many query heads share one head of keys and values: the cache "
    "holds kv_heads of these."
)
exercise.slip("one_layer_alone", " * layers →").says(
    "This is one layer's cache: each layer computes keys and values of its own, and keeps them."
)
exercise.slip("positions_squared", "* positions → * (positions**2)").says(
    "The cache grows with the length, not with its square: it holds keys and values, one of each per "
    "position, and no table of weights."
)
exercise.slip("cached_numbers", " * bytes_per_number →").says(
    "This is how many numbers are kept: each takes bytes_per_number bytes."
)
exercise.slip("cache_in_bits", "2 * layers → (8 * 2) * layers").says(
    "These are bits: the exercise asks for bytes, and a number takes `bytes_per_number` of them."
)
