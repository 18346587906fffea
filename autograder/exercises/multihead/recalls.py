"""Slips to catch at the start of multi-head attention, on lesson 01."""

from autograder.recall import recall

SOFTMAX = recall(
    "multihead.recall_softmax",
    "attention.softmax",
    title="Catch the slip: softmax",
    task="This turns scores of any size into weights along an axis.",
    code="""
def softmax(x, dim):
    shifted = x - x.amax(dim=dim, keepdim=True)
    exponentials = shifted.exp()
    return exponentials / exponentials.sum(dim=-1, keepdim=True)
""",
    inputs=(
        "softmax(torch.tensor([1.0, 2.0, 3.0]), dim=0)",
        "softmax(torch.tensor([[0.0, 1000.0]]), dim=1)",
        "softmax(torch.tensor([[1.0, 2.0], [3.0, 5.0]]), dim=0)",
    ),
    hint="follow `dim` through each line, and see whether it is used wherever an axis is named",
    line=4,
    shows=3,
)

CROSS = recall(
    "multihead.recall_cross",
    "attention.cross",
    title="Catch the slip: who asks",
    task="This lets y look things up in x.",
    code="""
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    q = y @ W_q
    k = x @ W_k
    v = y @ W_v
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights
""",
    inputs=(
        "cross_attention(torch.ones(2, 1), torch.ones(2, 1), *[torch.eye(1)] * 3)",
        "cross_attention(torch.tensor([[0.0], [1.0]]), torch.tensor([[2.0], [4.0]]), *[torch.eye(1)] * 3)",
    ),
    hint="queries come from whoever asks, and what is looked up comes from somebody else",
    line=4,
    shows=2,
)

DOT_PRODUCT = recall(
    "multihead.recall_dot_product",
    "attention.scaled_dot_product",
    title="Catch the slip: the scale",
    task="This is scaled dot-product attention.",
    code="""
def scaled_dot_product_attention(q, k, v, mask=None):
    scores = (q / math.sqrt(k.size(-1))) @ k.transpose(-2, -1)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights
""",
    inputs=(
        "scaled_dot_product_attention(torch.ones(1, 4), torch.eye(4), torch.eye(4))",
        "scaled_dot_product_attention(torch.eye(2), torch.eye(2), torch.eye(2), torch.eye(2).bool())",
        "scaled_dot_product_attention(torch.ones(3, 2), torch.rand(5, 2), torch.rand(5, 1))",
    ),
    hint="dividing the query divides the scores, and a key has as many features as a query",
)
