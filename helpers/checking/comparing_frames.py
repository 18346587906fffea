"""Frames and series against what is right: columns, rows, then column by column."""

import re
from dataclasses import replace
from typing import Any

from helpers.checking.comparing_arrays import Allowed, Compare, compare_array, other_kind
from helpers.checking.differences import NO_KIND, Difference, different
from helpers.checking.kinds import frames
from helpers.checking.words import is_number, kind, listed


def compare_frame(
    expected: Any, got: Any, name: str, allowed: Allowed, compare: Compare
) -> Difference | None:
    """Where something differs from a frame or a series: its columns, its rows, then column by column."""
    if not frames.is_frame(got) or frames.is_series(got) != frames.is_series(expected):
        meaning = FRAME if frames.is_frame(got) else NO_KIND
        return other_kind("type", f"{name}: ", got, f"expected {kind(expected, named=False)}", meaning)
    if not frames.is_series(expected) and (difference := _compare_columns(expected, got, name)):
        return difference
    ours, theirs = frames.rows(expected), frames.rows(got)
    if len(ours) != len(theirs):
        full = f"{name}: {len(theirs)} {'row' if len(theirs) == 1 else 'rows'}, expected {len(ours)}"
        return different("shape", f"{name}: another number of rows", full, OTHER_ROWS)
    difference = _compare_values(expected, got, name, allowed, compare)
    if compare(ours, theirs, "index", allowed):
        moved = difference and sorted(map(str, ours)) == sorted(map(str, theirs))
        full = f"{name}: the rows {listed(theirs)}, expected {listed(ours)}"
        renamed = compare(_sorted(expected), _sorted(got), "rows", allowed) is None
        meaning = MOVED if moved else INDEX if renamed else NOT_THESE
        return different("structure", f"{name}: an index of other rows", full, meaning)
    if difference and compare(_sorted(expected), _sorted(got), "rows", allowed) is None:
        return different("structure", f"{name}: its rows in a different order", meaning=MOVED)
    return difference and _by_row(difference, ours)


def _compare_values(
    expected: Any, got: Any, name: str, allowed: Allowed, compare: Compare
) -> Difference | None:
    """Where the values differ, row by row as they come, whatever their rows are called."""
    if frames.is_series(expected):
        columns = [(name, expected, got)]
    else:
        columns = [(f"column {n!r}", expected[n], got[n]) for n in frames.columns(expected)]
    found = (
        compare_array(frames.values(ours), frames.values(theirs), what, allowed, compare)
        for what, ours, theirs in columns
    )
    return next(filter(None, found), None)


def _sorted(value: Any) -> list:
    """A frame's rows without their names, in an order that rounding hardly changes."""
    rows = zip(*(frames.values(each).tolist() for each in frames.series(value)), strict=True)
    return sorted(map(list, rows), key=lambda row: [f"{x:.6g}" if is_number(x) else str(x) for x in row])


FRAME = "A DataFrame has columns, a Series is one: df['a'] gives a Series, df[['a']] a DataFrame."
OTHER_ROWS = "Which rows are kept? Look at the filter, the kind of join, and dropna or drop_duplicates."
MOVED = "These are the right rows in a different order: is a sort missing, or one too many?"
COLUMNS = (
    "Compare the columns with those that the docstring names: is a selection, as in df[['a', 'b']], or a "
    "rename missing, or one too many?"
)
LEVELS = (
    "These columns have names in levels: .agg with a list of functions, .pivot_table with a list of values "
    "and .unstack of a frame make them. Without the list, or with .agg(new=('a', 'mean')), each has one name."
)
TURNED = "Rows and columns are exchanged: is a .T missing or one too many, or are index and columns swapped?"
NOT_THESE = (
    "These are different rows: look at the filter, at what they are sorted by, and at which end of them is "
    "kept."
)
IS_INDEX = "What is missing is the index here: reset_index makes it a column."
NO_INDEX = "What is too many should be the index: is a set_index missing, or a reset_index too many?"
INDEX = "The values belong to rows of other names: is a reset_index or a set_index missing, or one too many?"


def _compare_columns(expected: Any, got: Any, name: str) -> Difference | None:
    ours, theirs = frames.columns(expected), frames.columns(got)
    if ours == theirs:
        return None
    if lacking := [each for each in ours if each not in theirs]:
        said = f"{name}: without {'column' if len(lacking) == 1 else 'columns'} {listed(lacking)}"
        in_levels = any(isinstance(each, tuple) for each in theirs) and not any(
            isinstance(each, tuple) for each in ours
        )
        turned = (theirs, frames.rows(got)) == (frames.rows(expected), ours)
        known = {LEVELS: in_levels, TURNED: turned, IS_INDEX: set(lacking) <= _called(got)}
        meaning = next((said for said, holds in known.items() if holds), COLUMNS)
        return different("structure", said, f"{said}; it has {listed(theirs)}", meaning)
    if more := [each for each in theirs if each not in ours]:
        columns = "column" if len(more) == 1 else "columns"
        meaning = NO_INDEX if set(more) <= _called(expected) else COLUMNS
        full = f"{name}: with {columns} {listed(more)} too many"
        return different("structure", f"{name}: with more columns", full, meaning)
    full = f"{name}: columns {listed(theirs)}, expected {listed(ours)}"
    return different("structure", f"{name}: its columns in a different order", full, COLUMNS)


def _called(value: Any) -> set:
    """What a frame's index is called, level by level."""
    return set(value.index.names)


def _by_row(difference: Difference, rows: list) -> Difference:
    """The same with the row's own name, as pandas shows it, in place of a position."""
    named = re.sub(r"(at|of them) \[(\d+)\]", lambda m: f"{m[1]} row {rows[int(m[2])]!r}", difference.full)
    return replace(difference, full=named)
