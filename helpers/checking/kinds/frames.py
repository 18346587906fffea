"""The frames and series of pandas: as JSON and back, and as parts that can be compared."""

import importlib
import re
import sys
from collections.abc import Callable
from typing import Any

from helpers.checking.kinds.sent import encode_array

Way = Callable[[Any], Any]  # how the arrays and names in them are encoded, or decoded
OWN = re.compile(r"U?Int\d{1,2}|Float\d{2}|boolean|str|string|category")  # dtypes that NumPy has not


def is_frame(value: object) -> bool:
    """Whether a value is a frame or a series."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame | pandas.Series)


def is_series(value: Any) -> bool:
    """Whether a value is a series."""
    return is_frame(value) and value.ndim == 1


def is_span(value: object) -> bool:
    """Whether a value is one of pandas' periods or intervals, or its mark of a missing value."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.Period | pandas.Interval | type(pandas.NA))


def encode_frame(value: Any, encode: Way, name: Way) -> dict:
    """A frame or a series as what `json.dumps` takes: its columns and its index as arrays.

    Args:
        value: the frame or the series.
        encode: encodes arrays.
        name: encodes what columns and rows are called, which may be tuples.
    """

    def column(series: Any) -> list:
        return [name(series.name), str(series.dtype), encode(series.to_numpy())]

    rows = value.index
    called = tuple(rows.names) if rows.nlevels > 1 else rows.name
    index = [name(called), str(rows.dtype), encode_array(rows.to_numpy(), name)]
    if is_series(value):
        return {"$series": column(value), "index": index}
    return {"$frame": [column(value.iloc[:, n]) for n in range(value.shape[1])], "index": index}


def decode_frame(value: dict, decode: Way) -> Any:
    """Turn parsed JSON back into a frame or a series.

    Raises:
        ValueError: it is nothing that `encode_frame` makes, which may come from a stranger.
    """
    pandas: Any = importlib.import_module("pandas")

    def column(held: Any) -> Any:
        # defence: values: columns
        if not isinstance(held, list) or len(held) != 3 or not isinstance(held[1], str):
            raise ValueError("malformed column")
        name, numbers = decode(held[0]), decode(held[2])
        hash(name)
        if not hasattr(numbers, "ndim") or numbers.ndim != 1:
            raise ValueError("malformed column")
        series = pandas.Series(numbers, name=name)
        with importlib.import_module("numpy").errstate(invalid="raise"):  # 9e18 as Int64
            return (
                series.astype(held[1]) if OWN.fullmatch(held[1]) and str(series.dtype) != held[1] else series
            )

    try:
        index = column(value.get("index"))
        index = _labels(index, index.name)
        if "$series" in value:
            return column(value["$series"]).set_axis(index)
        columns = [column(each) for each in value["$frame"]]
        if not columns:
            return pandas.DataFrame(index=index)
        frame = pandas.concat(columns, axis=1, ignore_index=True).set_axis(index)
        return frame.set_axis(_labels([each.name for each in columns]), axis=1)
    except (TypeError, AttributeError, ArithmeticError) as error:
        raise ValueError(f"malformed frame: {error}") from None


def _labels(names: Any, called: Any = None) -> Any:
    """The names of rows or of columns as pandas has them: in levels where they are tuples of one length."""
    pandas: Any = importlib.import_module("pandas")
    levels = {len(each) if isinstance(each, tuple) else 1 for each in names}
    if len(levels) == 1 and (depth := levels.pop()) > 1:
        known = isinstance(called, tuple) and len(called) == depth
        return pandas.MultiIndex.from_tuples(list(names), names=called if known else None)
    return pandas.Index(names, name=called, tupleize_cols=False)


def columns(value: Any) -> list:
    """The names of a frame's columns, or of a series, in order."""
    return [value.name] if is_series(value) else value.columns.tolist()


def parts(value: Any) -> list:
    """The index and the columns as arrays."""
    return [value.index.to_numpy(), *map(values, series(value))]


def series(value: Any) -> list:
    """A frame's columns, or a series alone."""
    return [value] if is_series(value) else [value.iloc[:, n] for n in range(value.shape[1])]


def rows(value: Any) -> list:
    """The names of a frame's or a series' rows, in order."""
    return value.index.tolist()


def values(series: Any) -> Any:
    """A series' values as an array; those of texts as texts."""
    return series.to_numpy()
