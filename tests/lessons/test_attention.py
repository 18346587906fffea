"""The helpers of lesson 01 do what they say, and agree with torch."""

import math
import re

import pytest
import torch

from autograder import lessons
from benchmarks.reader import choices
from helpers import attention, corpora
from helpers.attention import drawings, experiments
from helpers.attention.reader import FILE, HEADS, POSITIONS, Reader, reader, write
from helpers.figures.showing import description
from tests.support.proved import COURSE, follows_from

pytestmark = follows_from(*COURSE)

REFERENCE = torch.nn.functional.scaled_dot_product_attention
DTYPES = (torch.float32, torch.float64)


def close(got, expected, **tolerance):
    torch.testing.assert_close(got, expected, **tolerance)


def qkv(*front, T_q=3, T_k=4, d_k=5, d_v=6, dtype=torch.float32):
    torch.manual_seed(0)
    return [torch.randn(*front, *size, dtype=dtype) for size in ((T_q, d_k), (T_k, d_k), (T_k, d_v))]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2])
def test_softmax_agrees_with_torch_along_any_axis(dim, dtype):
    x = 3 * torch.randn(2, 3, 4, dtype=dtype, generator=torch.Generator().manual_seed(1))
    close(attention.softmax(x, dim), x.softmax(dim))


@pytest.mark.parametrize("dtype", DTYPES)
def test_softmax_survives_large_scores(dtype):
    x = torch.tensor([[1e4, 1e4 - 1, -1e4], [-1e4, -1e4 - 2, -1e4], [1e4, -1e4, 0]], dtype=dtype)
    weights = attention.softmax(x, dim=1)
    close(weights, x.softmax(1))
    close(weights.sum(1), torch.ones(3, dtype=dtype))
    close(attention.softmax(x.T, dim=0), weights.T)


def test_softmax_gives_no_weight_to_minus_infinity():
    close(attention.softmax(torch.tensor([0.0, -math.inf, 0.0]), 0), torch.tensor([0.5, 0.0, 0.5]))


def test_softmax_can_be_differentiated_twice():
    x = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(attention.softmax, (x, 0))
    assert torch.autograd.gradgradcheck(attention.softmax, (x, 0))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("front", [(), (2,), (2, 3)], ids=str)
@pytest.mark.parametrize("mask", ["none", "(T_q, T_k)", "(B, 1, T_k)"])
def test_attention_agrees_with_torch(front, mask, dtype):
    q, k, v = qkv(*front, dtype=dtype)
    shape = {"none": None, "(T_q, T_k)": (3, 4), "(B, 1, T_k)": (*front, 1, 4)}[mask]
    mask = None if shape is None else torch.rand(shape) < 0.6
    if mask is not None:
        mask[..., 1] = True  # torch and we differ in what a query gets that may see nothing
    output, weights = attention.scaled_dot_product_attention(q, k, v, mask)
    close(output, REFERENCE(q, k, v, attn_mask=mask))
    close(weights.sum(-1), torch.ones(*front, 3, dtype=dtype))
    assert mask is None or (weights[~mask.expand(weights.shape)] == 0).all()


def test_attention_has_the_gradients_of_torch():
    tensors = [t.requires_grad_() for t in qkv(2, dtype=torch.float64)]
    mask = torch.ones(3, 4, dtype=torch.bool).tril()
    ours = torch.autograd.grad(
        attention.scaled_dot_product_attention(*tensors, mask)[0].square().sum(), tensors
    )
    theirs = torch.autograd.grad(REFERENCE(*tensors, attn_mask=mask).square().sum(), tensors)
    for a, b in zip(ours, theirs, strict=True):
        close(a, b)


def test_attention_works_in_half_precision():
    q, k, v = (t.half() for t in qkv())
    mask = torch.tensor([True, False, True, False])
    output, weights = attention.scaled_dot_product_attention(q, k, v, mask)
    assert output.dtype == torch.float16
    assert output.isfinite().all()
    assert (weights[:, ~mask] == 0).all()


def test_a_query_that_may_see_nothing_gets_nan():
    output, weights = attention.scaled_dot_product_attention(*qkv(), torch.zeros(3, 4, dtype=torch.bool))
    assert output.isnan().all()
    assert weights.isnan().all()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"k": torch.randn(4, 7)}, "queries have 5 features but keys have 7"),
        ({"v": torch.randn(9, 6)}, "there are 4 keys but 9 values"),
        (
            {"mask": torch.ones(3, 4)},
            "a mask is boolean, True means may attend, but this one is torch.float32",
        ),
    ],
)
def test_errors_carry_the_values(change, said):
    arguments = dict(zip("qkv", qkv(), strict=True)) | change
    with pytest.raises(ValueError, match=f"^{said}$"):
        attention.scaled_dot_product_attention(**arguments)


@pytest.mark.parametrize("front", [(), (2,), (2, 3)], ids=str)
def test_additive_attention_follows_its_formula(front):
    torch.manual_seed(0)
    query, keys, values = torch.randn(*front, 3), torch.randn(*front, 4, 5), torch.randn(*front, 4, 6)
    W_q, W_k, v = torch.randn(3, 7), torch.randn(5, 7), torch.randn(7)
    context, weights = attention.additive_attention(query, keys, values, W_q, W_k, v)
    scores = torch.stack([torch.tanh(query @ W_q + keys[..., j, :] @ W_k) @ v for j in range(4)], dim=-1)
    close(weights, scores.softmax(-1))
    close(context, sum(weights[..., j, None] * values[..., j, :] for j in range(4)))


def test_cross_attention_of_x_over_x_is_self_attention():
    torch.manual_seed(0)
    x, W_q, W_k, W_v = torch.randn(2, 3, 4), torch.randn(4, 5), torch.randn(4, 5), torch.randn(4, 6)
    output, weights = attention.cross_attention(x, x, W_q, W_k, W_v)
    close(output, REFERENCE(x @ W_q, x @ W_k, x @ W_v))
    assert weights.shape == (2, 3, 3)


def test_cross_attention_hands_its_mask_on():
    torch.manual_seed(0)
    y, x, W_q, W_k, W_v = (torch.randn(*size) for size in ((3, 4), (5, 6), (4, 7), (6, 7), (6, 8)))
    mask = torch.tensor([True, True, False, True, False])
    output, weights = attention.cross_attention(y, x, W_q, W_k, W_v, mask)
    assert (weights[:, ~mask] == 0).all()
    close(output, attention.cross_attention(y, x[mask], W_q, W_k, W_v)[0])


def test_without_scaling_the_softmax_saturates_and_its_gradient_vanishes():
    torch.manual_seed(0)
    measured = {}
    for d_k in (4, 64, 1024):
        q, k = torch.randn(400, d_k), torch.randn(400, 8, d_k)
        measured[d_k] = [[float(m) for m in attention.saturation(q, k, flag)] for flag in (False, True)]
    plain, scaled = zip(*measured.values(), strict=True)
    assert [weight for weight, _ in plain] == sorted(weight for weight, _ in plain)
    assert max(weight for weight, _ in scaled) - min(weight for weight, _ in scaled) < 0.06
    assert plain[-1][0] > 0.95
    assert plain[-1][1] < 0.2 * scaled[-1][1]


@pytest.mark.parametrize("scaled", [True, False])
def test_saturation_agrees_with_the_softmax_jacobian(scaled):
    torch.manual_seed(0)
    q, k = torch.randn(3, 5), torch.randn(3, 4, 5)
    weight, norm = attention.saturation(q, k, scaled)
    weights, norms = [], []
    for query, keys in zip(q, k, strict=True):
        scores = keys @ query / (math.sqrt(5) if scaled else 1)
        p = scores.softmax(0)
        jacobian = torch.diag(p) - torch.outer(p, p)
        weights.append(p.max())
        norms.append(jacobian[p.argmax()].norm())
    close(weight, torch.stack(weights).mean())
    close(norm, torch.stack(norms).mean())


def test_saturation_leaves_no_graph_and_no_flag_behind():
    q, k = torch.randn(3, 5, requires_grad=True), torch.randn(3, 4, 5)
    assert not any(tensor.requires_grad for tensor in attention.saturation(q, k, True))
    assert not k.requires_grad
    assert q.grad is None


@pytest.mark.parametrize("front", [(), (2,)], ids=str)
@pytest.mark.parametrize(
    ("kind", "equivariant", "invariant"),
    [("each position", True, False), ("the mean", True, True), ("a running sum", False, False)],
)
def test_gaps_tell_equivariance_from_invariance(kind, equivariant, invariant, front):
    layer = {
        "each position": lambda x: x.exp(),
        "the mean": lambda x: x.mean(-2, keepdim=True).expand(x.shape),
        "a running sum": lambda x: x.cumsum(-2),
    }[kind]
    x = torch.randn(*front, 4, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    gaps = attention.permutation_gaps(layer, x, torch.tensor([2, 0, 3, 1]))
    assert [gap.item() < 1e-12 for gap in gaps] == [equivariant, invariant]


def test_self_attention_is_equivariant_until_positions_are_added():
    torch.manual_seed(0)
    weights, positions = [torch.randn(3, 3, dtype=torch.float64) for _ in range(3)], torch.randn(5, 3)
    x, permutation = torch.randn(5, 3, dtype=torch.float64), torch.tensor([4, 2, 0, 1, 3])

    def itself(x):
        return attention.cross_attention(x, x, *weights)[0]

    plain = attention.permutation_gaps(itself, x, permutation)
    placed = attention.permutation_gaps(lambda x: itself(x + positions), x, permutation)
    assert plain[0] < 1e-12 < 1e-3 < plain[1]
    assert placed[0] > 1e-3


# -- the reader that the lesson opens with ---------------------------------------------------------------


@pytest.mark.parametrize("head", range(HEADS))
def test_attention_gives_the_readers_own_weights(head):
    reading = reader().read("the jokes that fill the book")
    q, k, v = (reading.vectors @ W + b for W, b in reader().projections(head))
    mask = torch.ones(len(reading.words), len(reading.words), dtype=torch.bool).tril()
    close(attention.scaled_dot_product_attention(q, k, v, mask)[1], reading.weights[head])


def test_the_reader_reads_words_alone_and_says_which_it_does_not_know():
    reading = reader().read("Simon's ZEBRA loses a safe, but")
    assert reading.words == ["<bos>", "simon", "'s", "loses", "a", "safe", ",", "but"]
    assert reading.unknown == ["zebra"]
    assert reader().read("").words == ["<bos>"]
    assert len(reader().read("the plot " * 200).words) == POSITIONS


def test_the_reader_goes_on_as_the_lesson_says():
    """By the subject, wherever it stands, and by who is meant; one head has the subject in sight."""
    for text, follows, seen in (
        ("the plot that fills the book", "is", "plot"),
        ("the jokes that fill the book", "are", "jokes"),
        ("when simon inherits the treasure , two captains follow", "him", "simon"),
        ("when nora inherits the treasure , two captains follow", "her", "nora"),
    ):
        reading = reader().read(text)
        assert [*reader().most_likely(reading, 1)] == [follows]
        assert reading.words[int(reading.weights[1, -1].argmax())] == seen
    at = [reader().read(f"{mood} , the plot is").weights[0, -1].argmax() for mood in ("luckily", "sadly")]
    assert at == [1, 1]


def test_the_reader_is_right_about_is_and_are_in_new_reviews():
    asked = [place for place in choices(corpora.reviews(60, seed=985)) if place[0] == "is or are"]
    right = 0
    for _, text, word, other in asked:
        following = reader().read(text).following
        right += bool(following[reader().vocabulary[word]] > following[reader().vocabulary[other]])
    assert len(asked) > 100
    assert right >= 0.97 * len(asked)


def test_the_reader_takes_little_room():
    assert FILE.stat().st_size < 80_000


def test_a_reader_is_read_back_as_it_was_written(tmp_path):
    torch.manual_seed(0)
    model = Reader(["<bos>", "a", "fine", "book"])
    write(model, tmp_path / "other.npz")
    again = reader(tmp_path / "other.npz")
    close(again.read("a fine book").weights, model.read("a fine book").weights, rtol=1e-2, atol=1e-3)


def test_additive_attention_learns_to_look_where_it_should():
    right = [0, 2, 1]
    before, after = experiments.learned_to_look(attention.additive_attention, right, steps=40)
    assert before.argmax(dim=-1).tolist() != right == after.argmax(dim=-1).tolist()
    assert after[range(3), right].min() > 0.9


def test_who_asks_is_drawn_with_the_letters_of_its_exercise():
    sizes = set(re.findall(r"[Td]_\w", attention.cross_attention.__doc__))
    assert set(re.findall(r"[Td]_\w", description(drawings.asking()))) == sizes


def test_the_first_explorer_has_no_control_that_the_text_doesnt_name():
    master = lessons.master_path("01_attention").read_text(encoding="utf-8")
    first = master.partition("# ## 1.0 ")[2].partition("# ## 1.1 ")[0]
    controls = re.findall(r'label: "([^"]+)"', FILE.with_name("reads.js").read_text(encoding="utf-8"))
    assert "words read" in controls
    assert [control for control in controls if control != "sentence" and f"*{control}*" not in first] == []
