"""Catch the slip: two passages in a row."""

from headstart import recall

exercise = recall(
    "translation.recall_segments",
    "bert.pack",
    title="Catch the slip: two passages in a row",
    task=(
        "This packs two passages that fit into a row, with `[CLS]` (4) and `[SEP]` (5), and gives each token "
        "its segment."
    ),
    code="""
def pack(first, second, length):
    row = [4, *first, 5, *second, 5]
    segments = [0] * (len(first) + 2) + [1] * (len(first) + 1)
    return row, segments
""",
    inputs=(
        "pack([7], [8], 6)",
        "pack([7, 8], [9], 9)",
    ),
    hint=("each passage has as many segments as tokens, its separator included"),
    line=3,
    shows=2,
)
