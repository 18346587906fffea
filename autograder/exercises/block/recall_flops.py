"""Catch the slip: counting a product."""

from autograder.recall import recall

exercise = recall(
    "block.recall_flops",
    "complexity.matmul_flops",
    title="Catch the slip: counting a product",
    task="This counts the FLOPs of a @ b, from their shapes.",
    code="""
def matmul_flops(a, b):
    rows = math.prod(a[:-1])
    inner = a[-1]
    columns = b[-1]
    return rows * columns * inner
""",
    inputs=("matmul_flops((1, 0), (0, 3))", "matmul_flops((2, 3), (3, 4))"),
    hint="a multiplication and an addition are two operations",
    line=5,
    shows=2,
)
