"""Slips to catch at the start of the block, on lessons 02 to 05."""

from autograder.recall import recall

MERGE = recall(
    "block.recall_merge",
    "multihead.merge_heads",
    title="Catch the slip: merging the heads",
    task="This puts the channels of H heads side by side again, (..., H, T, D) to (..., T, H·D).",
    code="""
def merge_heads(z):
    *front, H, T, D = z.shape
    return z.reshape(*front, T, H * D)
""",
    inputs=(
        "merge_heads(torch.arange(4.0).view(1, 2, 2))",
        "merge_heads(torch.arange(4.0).view(2, 1, 2))",
        "merge_heads(torch.arange(8.0).view(2, 2, 2))",
    ),
    hint="a reshape keeps the order of the numbers, and here the axis of the heads has to move behind the "
    "positions",
    line=3,
    shows=3,
)

PADDING = recall(
    "block.recall_padding",
    "masking.padding",
    title="Catch the slip: padding",
    task="This says which of T positions hold words in sentences of the given lengths: True means a word.",
    code="""
def padding_mask(lengths, T):
    places = torch.arange(T)
    return places < lengths[:, None]
""",
    inputs=(
        "padding_mask(torch.tensor([2, 3]), 3)",
        "padding_mask(torch.tensor([0, 4]), 4)",
        "padding_mask(torch.tensor([1]), 2)",
    ),
    hint="places count from 0, so a sentence of two words has the places 0 and 1",
)

FLOPS = recall(
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
