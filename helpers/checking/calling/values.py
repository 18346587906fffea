"""Values as JSON: the one encoding of `checks.json` and of the grader's wire.

Numbers, texts, None, lists and dicts with texts as keys are as JSON has them. All else is a dict with one key
that begins with `$`: a set, bytes, a dict with other keys, a large whole number, a complex one, a
dataclass's instance, a `Record` once decoded, or an array, as in `helpers.checking.kinds.sent`. Tuples become
lists, except in arguments, and where they are keys or in a set. What is no data becomes
`{"$type": "numpy.matrix"}`: an `Opaque` once decoded, which is enough to say that the type is wrong. A date,
an interval and a member of an enum are told from others of their type by their text.
"""

import dataclasses
import json
import numbers
import sys
from collections.abc import ItemsView, KeysView, Mapping, Set, ValuesView
from dataclasses import dataclass, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from helpers.checking.kinds import frames
from helpers.checking.kinds.arrays import (
    PLAIN,
    arrays,
    is_array,
    map_arrays,
    map_tensors,
    same_array,
    tensors,
)
from helpers.checking.kinds.sent import decode_array, encode_array, plain_copy, unsent
from helpers.checking.limits import MAX_DEPTH, MAX_ITEMS
from helpers.storage import printable

__all__ = [
    "Opaque", "Record", "arrays", "decode", "encode", "identical", "map_arrays", "map_tensors", "same",
    "settled", "tensors",
]  # fmt: skip

MAX_INTEGER = 2**63  # beyond it, not every JSON reader takes an integer
# Of more digits, no float can be made, and from 4,300 on not even a text: they are told apart from nothing.
MOST_DIGITS = 300
LONGEST = 100  # characters by which a value that isn't data is known
SCALARS = PLAIN - {list, tuple, dict, set, frozenset}
HUGE = f"int of over {MOST_DIGITS} digits"


@dataclass(frozen=True)
class Opaque:
    """A value of a type that isn't data, known by its type's name, and by its text if that says all of it."""

    type_name: str
    text: str = ""

    def __repr__(self) -> str:
        return self.text or f"Opaque(type_name={self.type_name!r})"


@dataclass(frozen=True)
class Record:
    """An instance of a dataclass, known by the name of its class and its fields."""

    type_name: str
    fields: Mapping[str, Any]

    def __hash__(self) -> int:
        return hash((self.type_name, *sorted(self.fields)))

    def __repr__(self) -> str:  # as the instance itself has it
        return f"{self.type_name}({', '.join(f'{name}={value!r}' for name, value in self.fields.items())})"


def type_name(value: object) -> str:
    """The name a student knows the type by: `float`, `numpy.matrix`, `torch.Linear`."""
    kind = type(value)
    module = "" if kind.__module__ in ("builtins", "__main__") else kind.__module__.split(".")[0] + "."
    return f"{module}{kind.__qualname__}"[:LONGEST]


def record(value: object) -> Record | None:
    """An instance of a dataclass as a record; None for all else."""
    if isinstance(value, Record):
        return value
    if not is_dataclass(value) or isinstance(value, type | Opaque):
        return None
    kept = {each.name: getattr(value, each.name, None) for each in dataclasses.fields(value)}
    return Record(type(value).__name__[:100], kept)


def encode(value: Any, depth: int = 0, *, tuples: bool = False, keys: bool = False) -> Any:
    """Turn a value into what `json.dumps` takes. Never raises on a value's type, which it records instead.

    Args:
        value: the value.
        depth: how deep it lies in others.
        tuples: whether tuples are told from lists.
        keys: whether it has to be a key once it is decoded, which an array can't be.
    """
    if depth > MAX_DEPTH:
        return {"$type": "data nested too deep"}

    def inner(item: Any, keys: bool = keys) -> Any:
        return encode(item, depth + 1, tuples=tuples or keys, keys=keys)

    if value is None or isinstance(value, bool):
        return value
    if is_array(value):
        return {"$type": type_name(value)} if keys else encode_array(value, inner)
    if isinstance(value, str):
        return printable(str.__str__(value))  # one of NumPy's, or of an enum, is shown in another way
    if _is_numpys(value):
        plain = value.item() if value.dtype.kind in "biufcSU" else value
        return encode(sys.modules["numpy"].asarray(value) if _is_numpys(plain) else plain, depth, keys=keys)
    if isinstance(value, numbers.Integral):
        return int(value) if abs(int(value)) < MAX_INTEGER else {"$int": hex(int(value))}
    if isinstance(value, numbers.Real | Decimal):
        return _float(value)
    if isinstance(value, list | tuple):
        items = [inner(item) for item in value]
        return {"$tuple": items} if tuples and isinstance(value, tuple) else items
    if isinstance(value, Mapping):
        if all(isinstance(key, str) and not key.startswith("$") for key in value):
            return {printable(key): inner(item) for key, item in value.items()}
        return {"$dict": [[inner(key, keys=True), inner(item)] for key, item in value.items()]}
    return _encode_other(value, inner)


def _encode_other(value: Any, inner: Any) -> Any:
    if isinstance(value, range | KeysView | ValuesView | ItemsView) and len(value) <= MAX_ITEMS:
        return [inner(item) for item in value]
    if isinstance(value, Set):
        return {"$set": sorted((inner(item, keys=True) for item in value), key=repr)}
    if isinstance(value, complex):
        return {"$complex": [value.real, value.imag]}
    if isinstance(value, bytes | bytearray):
        return {"$bytes": bytes(value).hex()}
    if frames.is_frame(value):
        return frames.encode_frame(value, inner, lambda item: inner(item, keys=True))
    if found := record(value):
        return {"$record": printable(found.type_name), "fields": inner(dict(found.fields))}
    opaque = value if isinstance(value, Opaque) else Opaque(type_name(value), _text(value))
    return {"$type": opaque.type_name} | ({"text": printable(opaque.text)} if opaque.text else {})


def _text(value: object) -> str:
    """What tells a date, an interval or a member of an enum from others; "" of all else."""
    if isinstance(value, date | time | timedelta) or frames.is_span(value):
        return str(value)[:LONGEST]
    return str(value.name)[:LONGEST] if isinstance(value, Enum) else ""


def _is_numpys(value: object) -> bool:
    """Whether a value is one number of NumPy's own."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.generic)


def _float(value: Any) -> Any:
    try:
        return float(value)
    except (OverflowError, ValueError):  # of a fraction; of a NaN that mustn't be used
        return {"$type": type_name(value)}


def _whole(value: int) -> int | Opaque:
    # defence: values: digits without end
    return value if abs(value) < 10**MOST_DIGITS else Opaque(HUGE)


def is_huge(value: Any) -> bool:
    """Whether a whole number in some data has more digits than can be compared."""
    if isinstance(value, Mapping):
        return any(map(is_huge, [*value, *value.values()]))
    if isinstance(value, list | tuple | Set):
        return any(map(is_huge, value))
    if isinstance(value, Record):
        return is_huge(value.fields)
    if isinstance(value, Opaque):
        return value.type_name == HUGE
    return type(value) is int and _whole(value) is not value


def settled(value: Any, depth: int = 0) -> Any:
    """The value, and in place of what is of any other class than Python's own, its plain data.

    Of arrays, too: they may have methods of their own, and share their memory.
    """
    kind = type(value)
    if kind in PLAIN and depth <= MAX_DEPTH:
        if kind is dict:
            return {settled(key, depth + 1): settled(item, depth + 1) for key, item in value.items()}
        if kind is int:
            return _whole(value)
        several = kind in (list, tuple, set, frozenset)
        return kind([settled(item, depth + 1) for item in value]) if several else value
    if isinstance(value, str):
        return str.__str__(value)
    exact = f"{kind.__module__}.{kind.__name__}" in ("torch.Tensor", "numpy.ndarray")
    if exact and is_array(value) and not _is_of_objects(value) and not unsent(value):
        return plain_copy(value)  # as it would come back from JSON, and sooner
    return value if isinstance(value, Opaque) and depth <= MAX_DEPTH else decode(encode(value, depth))


def identical(given: Any, left: Any) -> bool:
    """Whether two values are of Python's own classes or arrays, and the same; sets and NaN never are."""
    kind = type(given)
    if kind is not type(left):
        return False
    if kind in (list, tuple):
        return len(given) == len(left) and all(map(identical, given, left))
    if kind is dict:
        return identical([*given.items()], [*left.items()])
    return same_array(given, left) if is_array(given) else kind in SCALARS and given == left


def _is_of_objects(array: Any) -> bool:
    return str(array.dtype) == "object"


def decode(value: Any, depth: int = 0) -> Any:
    """Turn parsed JSON back into data.

    Raises:
        ValueError: the JSON isn't something that `encode` makes. It may come from a stranger, so nothing
            in it is believed: sizes, types and depth are checked before anything is made.
    """
    # defence: values: depth
    if depth > MAX_DEPTH + 2:
        raise ValueError("data nested too deep")
    if isinstance(value, list):
        return [decode(item, depth + 1) for item in value]
    if isinstance(value, str):
        return printable(value)
    # defence: values: integers
    if isinstance(value, int) and not -MAX_INTEGER < value < MAX_INTEGER:
        raise ValueError("an integer beyond 64 bits")
    if not isinstance(value, dict):
        return value
    sign = next(iter(value), "")
    if sign in ("$tensor", "$array"):
        return decode_array(value, lambda item: decode(item, depth + 1))
    if sign.startswith("$"):
        return _decode_other(sign, value[sign], value, depth)
    return {printable(key): decode(item, depth + 1) for key, item in value.items()}


def _decode_other(sign: str, held: Any, whole: dict, depth: int) -> Any:
    """What a dict with a key that begins with `$` means."""
    if sign in ("$frame", "$series"):
        return frames.decode_frame(whole, lambda item: decode(item, depth + 1))
    texts, lists = ("$type", "$int", "$bytes", "$record"), ("$complex", "$tuple", "$set", "$dict")
    fits = isinstance(held, str) if sign in texts else isinstance(held, list) and sign in lists
    # defence: values: types
    if not fits:
        raise ValueError("malformed type")
    # defence: values: sets
    if sign in ("$set", "$dict") and len(held) > MAX_ITEMS:
        raise ValueError("more keys than are asked for")
    match sign:
        case "$type":
            return Opaque(*(printable(str(each))[:LONGEST] for each in (held, whole.get("text", ""))))
        case "$int":
            return _whole(int(held, 16))
        case "$bytes":
            return bytes.fromhex(held)
        case "$record":
            fields = decode(whole.get("fields", {}), depth + 1)
            if not isinstance(fields, dict):
                raise ValueError("a record without fields")
            return Record(printable(held)[:100], fields)
        case "$complex":
            return complex(*_numbers(held))
        case "$tuple":
            return tuple(decode(item, depth + 1) for item in held)
        case "$set":
            return {_hashable(decode(item, depth + 1)) for item in held}
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in held):
        raise ValueError("malformed keys")
    return {_hashable(decode(key, depth + 1)): decode(item, depth + 1) for key, item in held}


def _numbers(held: list) -> list[float]:
    # defence: values: parts of a complex number
    if len(held) != 2 or not all(isinstance(decode(each), int | float) for each in held):
        raise ValueError("a complex number has two parts")
    return held


def _hashable(value: Any) -> Any:
    """A key, or what is in a set."""
    if isinstance(value, tuple):
        return tuple(map(_hashable, value))
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, list | dict) or is_array(value):
        raise ValueError("a key that can't be one")
    return value


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same to the last bit, lists and tuples taken for each other."""
    one, other = (json.dumps(encode(value), sort_keys=True) for value in (a, b))
    return one == other
