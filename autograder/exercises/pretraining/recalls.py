"""Slips to catch at the start of pretraining, on lessons 04, 06 and 07."""

from autograder.recall import recall

UNEMBED = recall(
    "pretraining.recall_unembed",
    "block.unembed",
    title="Catch the slip: vectors to scores",
    task=("This scores each of V tokens for each vector."),
    code="""
def unembed(x, words):
    scores = x @ words.T
    return scores / words.size(-1) ** 0.5
""",
    inputs=(
        "unembed(torch.zeros(1, 4), torch.eye(4))",
        "unembed(torch.ones(1, 4), torch.eye(4))",
    ),
    hint=("only attention's scores are divided by a root"),
    line=3,
    shows=2,
)

STATE = recall(
    "pretraining.recall_state",
    "counting.training_state",
    title="Catch the slip: what training keeps",
    task=("This counts the bytes of parameters, gradients and the optimizer's own numbers, in float32."),
    code="""
def training_state_bytes(n_parameters, optimizer):
    own = {"sgd": 0, "momentum": 1, "adam": 2}[optimizer]
    numbers = n_parameters * (2 + own)
    return 4 * numbers
""",
    inputs=(
        'training_state_bytes(1, "sgd")',
        'training_state_bytes(3, "adam")',
    ),
    hint=("each parameter has a gradient, and Adam keeps two means of its own"),
)

BOTH = recall(
    "pretraining.recall_both",
    "masking.both",
    title="Catch the slip: the decoder's mask",
    task=("This hides later words, and padding, (B, T) to (B, T, T)."),
    code="""
def decoder_mask(real):
    T = real.size(-1)
    earlier = torch.ones(T, T, dtype=torch.bool).triu()
    return earlier & real[:, None, :]
""",
    inputs=(
        "decoder_mask(torch.tensor([[True]]))",
        "decoder_mask(torch.tensor([[True, True]]))",
    ),
    hint=("rows are queries, and a query may see what is left of the diagonal"),
    line=3,
    shows=2,
)
