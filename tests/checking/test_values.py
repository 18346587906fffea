"""Tensors and data survive JSON, and what a stranger sends is refused without harm."""

import json
import math

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.checking.calling.values import Opaque, decode, encode
from helpers.checking.kinds.sent import TENSORS
from helpers.checking.limits import MAX_ELEMENTS
from tests.support.raising import raises_only


def trip(value):
    return decode(json.loads(json.dumps(encode(value))))


def same_bits(a, b):
    return (
        a.dtype == b.dtype and a.shape == b.shape and torch.equal(a.isnan(), b.isnan()) and bits(a) == bits(b)
    )


def bits(tensor):
    return (
        tensor.nan_to_num(nan=0).contiguous().flatten().view(torch.uint8).tolist() if tensor.numel() else []
    )


SHAPES = [(), (0,), (3,), (2, 0, 3), (2, 3), (1, 2, 1)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", TENSORS)
def test_a_tensor_keeps_every_bit(name, shape):
    torch.manual_seed(0)
    values = 100 * torch.randn(shape, dtype=torch.float64)
    tensor = values.abs().to(getattr(torch, name)) if name == "uint8" else values.to(getattr(torch, name))
    assert same_bits(trip(tensor), tensor)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_odd_floats_keep_every_bit(dtype):
    limits = torch.finfo(dtype)
    values = [math.nan, math.inf, -math.inf, 0.0, -0.0, limits.max, limits.min, limits.tiny, limits.tiny / 4]
    tensor = torch.tensor([*values, 1 / 3, 0.1, 1 + limits.eps, 1e4 + 1 / 3], dtype=dtype)
    assert same_bits(trip(tensor), tensor)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.floats(width=32), max_size=8))
def test_any_float32_keeps_every_bit(numbers):
    tensor = torch.tensor(numbers, dtype=torch.float32)
    assert same_bits(trip(tensor), tensor)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(width=16), max_size=8))
def test_any_float16_keeps_every_bit(numbers):
    tensor = torch.tensor(numbers, dtype=torch.float16)
    assert same_bits(trip(tensor), tensor)


def test_views_and_gradients_come_through_as_numbers():
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    assert torch.equal(trip(x.T), x.detach().T)
    assert not trip(x * 2).requires_grad


DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False)
    | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=6).filter(lambda key: key[:1] != "$"), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(DATA)
def test_plain_data_comes_back(data):
    assert trip(data) == data


def test_tuples_become_lists_and_nan_stays():
    assert trip((1, (2.5, "a"))) == [1, [2.5, "a"]]
    assert math.isnan(trip(math.nan))


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (numpy.ma.array([1]), "numpy.MaskedArray"),
        (numpy.array([b"a"]), "numpy.ndarray of |S1"),
        (torch.nn.Linear(1, 1), "torch.Linear"),
        (object(), "object"),
        (print, "builtin_function_or_method"),
        (torch.ones(2).cfloat(), "torch.Tensor of complex64"),
        (torch.eye(2).to_sparse(), "torch.Tensor of float32"),
        (torch.ones(1).expand(MAX_ELEMENTS + 1), "torch.Tensor of 1,000,001 numbers, too large to compare"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_no_data_is_known_by_its_type(value, name):
    back = trip(value)
    assert isinstance(back, Opaque)
    assert back.type_name == name


def test_numpy_numbers_are_numbers():
    assert trip([numpy.float32(0.5), numpy.int64(3)]) == [0.5, 3]


def test_data_without_end_has_an_end():
    endless = []
    endless.append(endless)
    assert "nested too deep" in json.dumps(encode(endless))
    trip(endless)


def test_half_characters_are_replaced():
    assert trip("a\ud800b") == "a?b"
    assert decode({"\ud800": "\udfff"}) == {"?": "?"}


@pytest.mark.parametrize(
    "value",
    [
        {"$tensor": "float32"},
        {"$tensor": "float32", "shape": [2], "data": [1]},
        {"$tensor": "float32", "shape": [-1], "data": []},
        {"$tensor": "float32", "shape": [True], "data": [1]},
        {"$tensor": "float32", "shape": [1.0], "data": [1]},
        {"$tensor": "float32", "shape": [1], "data": ["1"]},
        {"$tensor": "float32", "shape": [1], "data": [None]},
        {"$tensor": "float32", "shape": [1], "data": [[1]]},
        {"$tensor": "float32", "shape": [1], "data": [10**400]},
        {"$tensor": "float32", "shape": {}, "data": []},
        {"$tensor": "float32", "shape": [1] * 17, "data": [1]},
        {"$tensor": "float32", "shape": [0, 10**9, 10**9], "data": []},
        {"$tensor": "int64", "shape": [1], "data": [2**80]},
        {"$tensor": "int64", "shape": [1], "data": [math.nan]},
        {"$tensor": "complex64", "shape": [1], "data": [1]},
        {"$tensor": ["float32"], "shape": [1], "data": [1]},
        {"$tensor": None, "shape": [1], "data": [1]},
        2**64,
        [[-(2**64)]],
    ],
    ids=str,
)
def test_malformed_data_is_refused(value):
    with raises_only(ValueError):
        decode(value)


def test_data_nested_too_deep_is_refused():
    nested = []
    for _ in range(500):
        nested = [nested]
    with raises_only(ValueError, match="nested too deep"):
        decode(nested)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["$tensor", "$type", "shape", "data", "a"]), inner, max_size=4)
        | st.fixed_dictionaries(
            {
                "$tensor": st.sampled_from([*TENSORS, "float"]) | inner,
                "shape": st.lists(st.integers(-1, 5), max_size=3) | inner,
                "data": st.lists(st.floats() | st.integers() | st.booleans(), max_size=6) | inner,
            }
        )
    ),
    max_leaves=10,
)


@pytest.mark.promise(17)
@settings(max_examples=1000, deadline=None)
@given(ANY_JSON)
def test_decoding_anything_raises_value_errors_alone(value):
    try:
        back = decode(value)
    except ValueError:
        return
    json.dumps(encode(back))
