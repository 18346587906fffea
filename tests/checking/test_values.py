"""Tensors and data survive JSON, and what a stranger sends is refused without harm."""

import datetime
import json
import math
import warnings
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, StrEnum
from fractions import Fraction

import numpy
import pandas
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.checking.calling.values import Opaque, Record, decode, encode, same, settled
from helpers.checking.comparing import compare
from helpers.checking.kinds.sent import ARRAYS, TENSORS
from helpers.checking.limits import MAX_ELEMENTS, MAX_ITEMS
from tests.support.raising import raises_only


class Side(Enum):
    LEFT = 1
    RIGHT = 2


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


with warnings.catch_warnings():  # that nested tensors may change
    warnings.simplefilter("ignore")
    NESTED = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
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


KEYS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=4)
    | st.binary(max_size=4),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=6,
)
ANYTHING = st.recursive(
    KEYS | st.complex_numbers(allow_nan=False),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.sets(KEYS, max_size=3)
    ),
    max_leaves=12,
)


def kinds_of(value):
    """The types of a value and of all in it; sets come back as sets, which a frozen one equals."""
    if isinstance(value, dict):
        return dict, [
            (kinds_of(key), kinds_of(value[key]))
            for key in sorted(
                value, key=lambda key: repr(sorted(map(repr, key)) if isinstance(key, frozenset) else key)
            )
        ]
    if isinstance(value, list | tuple):
        return type(value), [kinds_of(item) for item in value]
    return set if isinstance(value, frozenset) else type(value)


@settings(max_examples=300, deadline=None)
@given(ANYTHING)
def test_whatever_python_has_comes_back_with_its_types(value):
    back = decode(json.loads(json.dumps(encode(value, tuples=True))))
    assert back == value
    assert same(settled(value), value)
    assert kinds_of(back) == kinds_of(value)


ARRAYS_OF_ALL_KINDS = [
    numpy.arange(6).reshape(2, 3),
    numpy.arange(6).reshape(2, 3).T,
    numpy.array(2.5),
    numpy.zeros((0, 3)),
    numpy.array([math.nan, -math.inf, -0.0, 1 / 3, 5e-324]),
    numpy.array([1 / 3, 1e-45, 65504], dtype="float32"),
    numpy.array([1 / 3, 6e-8], dtype="float16"),
    numpy.array([2**64 - 1], dtype="uint64"),
    numpy.array([-128], dtype="int8"),
    numpy.array([[True], [False]]),
    numpy.array([1 + 2j, complex(math.nan, 1)]),
    numpy.array([1 / 3 + 2j], dtype="complex64"),
    numpy.array(["a", "", "ö\n"]),
    numpy.array(["2024-02-29", "NaT"], dtype="datetime64[D]"),
    numpy.array([90], dtype="timedelta64[m]"),
    numpy.array([1, "a", None, [1, 2], (3,)], dtype=object),
]


@pytest.mark.parametrize("array", ARRAYS_OF_ALL_KINDS, ids=lambda a: f"{a.dtype} {a.shape}")
def test_an_array_keeps_every_bit(array):
    for back in (decode(json.loads(json.dumps(encode(array, tuples=True)))), settled(array)):
        assert (back.dtype, back.shape) == (array.dtype, array.shape)
        assert array.dtype == object or back.tobytes() == array.tobytes()
        assert array.dtype != object or same(back, array)
    assert not numpy.shares_memory(settled(array), array)


def test_frames_and_series_come_back():
    frame = pandas.DataFrame(
        {
            "n": [1, 2],
            "text": ["a", None],
            "kind": pandas.Categorical(["x", "y"]),
            "when": pandas.to_datetime(["2024-01-01", "2024-01-02"]),
            "missing": pandas.array([1, None], dtype="Int64"),
            3: [0.5, math.nan],
        },
        index=pandas.Index(["r", "s"], name="row"),
    )
    pandas.testing.assert_frame_equal(trip(frame), frame, check_column_type=False)
    pandas.testing.assert_series_equal(trip(frame["text"]), frame["text"])
    assert trip(frame[[]]).shape == (2, 0)
    levels = frame.groupby(["n", 3]).agg({3: ["mean", "max"]})
    pandas.testing.assert_frame_equal(trip(levels), levels)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (datetime.date(2024, 1, 2), datetime.date(2024, 2, 1)),
        (pandas.Timestamp("2024-01-02"), pandas.NaT),
        (pandas.Interval(0, 1), pandas.Interval(0, 1, closed="left")),
        (pandas.Period("2024-01"), pandas.Period("2024-02")),
        (Side.LEFT, Side.RIGHT),
    ],
)
def test_values_that_a_text_tells_apart_are_not_the_same(one, other):
    assert compare(trip(one), trip(one)) is None
    assert compare(trip(one), trip(other))


@pytest.mark.parametrize(
    "value",
    [
        {"$frame": [["a"]], "index": [None, "int64", []]},
        {"$frame": [["a", "int64", [1, 2]]], "index": ["a", "int64", [1, 2]]},
        {"$series": ["a", "int64", {"$array": "int64", "shape": [1, 1], "data": [1]}], "index": None},
        {
            "$series": ["a", "int64", {"$array": "int64", "shape": [2], "data": [1, 2]}],
            "index": [None, "int64", {"$array": "int64", "shape": [1], "data": [1]}],
        },
        {"$frame": 3, "index": [None, "int64", {"$array": "int64", "shape": [1], "data": [1]}]},
    ],
    ids=str,
)
def test_malformed_frames_are_refused(value):
    with raises_only(ValueError):
        decode(value)


def test_keys_beyond_measure_are_refused():
    numbers = list(range(MAX_ITEMS + 1))
    for value in ({"$set": numbers}, {"$dict": [[number, 1] for number in numbers]}):
        with raises_only(ValueError, match="more keys"):
            decode(value)


@dataclass
class Point:
    x: float
    y: list


def test_an_instance_of_a_dataclass_becomes_a_record():
    assert trip(Point(1.5, [2])) == Record("Point", {"x": 1.5, "y": [2]})


def test_what_can_be_gone_through_twice_is_a_list():
    counted = {"a": 1, "b": 2}
    given = [range(3), counted.keys(), counted.values(), counted.items()]
    assert trip(given) == [[0, 1, 2], ["a", "b"], [1, 2], [["a", 1], ["b", 2]]]


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
        (NESTED, "torch.Tensor of float32"),
        (numpy.longdouble(1), f"numpy.ndarray of {numpy.dtype(numpy.longdouble)}"),
        (10**400, "int of over 300 digits"),
        (Fraction(10**400), "fractions.Fraction"),
        (Decimal("sNaN"), "decimal.Decimal"),
        (torch.ones((1,) * 17), "torch.Tensor with more or longer axes than can be compared"),
        (torch.ones(0, MAX_ELEMENTS + 1), "torch.Tensor with more or longer axes than can be compared"),
        (numpy.ones((0, MAX_ELEMENTS + 1)), "numpy.ndarray with more or longer axes than can be compared"),
        (torch.ones(1).expand(MAX_ELEMENTS + 1), "torch.Tensor of 1,000,001 numbers, too large to compare"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_is_no_data_is_known_by_its_type(value, name):
    back = trip(value)
    assert isinstance(back, Opaque)
    assert back.type_name == name


@pytest.mark.parametrize("whole", [10**300, -(10**5000)], ids=["300 digits", "5000 digits"])
def test_a_whole_number_that_no_text_or_float_holds_is_known_by_its_type(whole):
    """Python turns neither into a float, and the other into no text: whatever compares them would stop."""
    for held in (whole, [whole], {"a": whole}, {whole: 1}):
        assert settled(held) == decode(encode(held)) == trip(held)
        assert "int of over 300 digits" in str(trip(held))
    assert trip(10**300 - 1) == settled(10**300 - 1) == 10**300 - 1


@pytest.mark.parametrize("key", [torch.ones(1), (torch.ones(()), 1)], ids=["tensor", "tuple"])
def test_a_key_that_is_no_data_is_known_by_its_type(key):
    for held in ({key}, {key: 1}, {frozenset({key})}):
        assert "Opaque(type_name='torch.Tensor')" in str(trip(held))


class Grey(StrEnum):
    DARK = "dark"


@pytest.mark.parametrize("text", [numpy.str_("dark"), Grey.DARK])
def test_a_text_of_any_class_becomes_a_plain_one(text):
    assert repr(trip([text])) == "['dark']"
    assert repr(decode(encode([text, {text}]))) == "['dark', {'dark'}]"
    frame = pandas.DataFrame({"grey": pandas.Series([text], dtype=object)})
    assert repr(decode(encode(frame))["grey"][0]) == "'dark'"


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
        {"$array": "float32", "shape": [2], "data": [1]},
        {"$array": "int64", "shape": [1], "data": [1.5]},
        {"$array": "bfloat16", "shape": [1], "data": [1]},
        {"$array": "float16", "shape": [1], "data": [1e40]},
        {"$array": "uint8", "shape": [1], "data": [300]},
        {"$array": "str", "shape": [1], "data": [1]},
        {"$array": "complex128", "shape": [1], "data": [1]},
        {"$array": "datetime64[quarters]", "shape": [1], "data": [1]},
        {"$array": "datetime64[D]", "shape": [1], "data": [1.5]},
        {"$set": [[1]]},
        {"$set": {"a": 1}},
        {"$dict": [[1]]},
        {"$dict": [[[1], 2]]},
        {"$int": "ten"},
        {"$int": 10},
        {"$bytes": "zz"},
        {"$complex": [1, "1"]},
        {"$complex": [10**400, 0]},
        {"$record": "Point", "fields": [1]},
        {"$unknown": 1},
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


SIGNS = ["$array", "$set", "$dict", "$tuple", "$int", "$bytes", "$complex", "$record", "$frame", "$series"]
SIZES = st.lists(st.integers(-1, 3), max_size=2)
COLUMN = st.tuples(
    st.text(max_size=2) | st.integers(),
    st.sampled_from(["float64", "category", "Int64", "str", "x"]),
    st.builds(
        lambda data: {"$array": "float64", "shape": [len(data)], "data": data},
        st.lists(st.floats(), max_size=3),
    ),
).map(list)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["$tensor", "$type", "shape", "data", "a"]), inner, max_size=4)
        | st.dictionaries(st.sampled_from(SIGNS), inner, max_size=1)
        | st.fixed_dictionaries(
            {"$array": st.sampled_from(ARRAYS) | inner, "shape": SIZES | inner, "data": DATA}
        )
        | st.fixed_dictionaries({"$frame": st.lists(COLUMN, max_size=2) | inner, "index": COLUMN | inner})
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
