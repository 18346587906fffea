"""Mutants that are right as well, by what the docstring says and by how results are compared.

An axis of an array that always has two is the same by either of its numbers, 1 and -1, and the only axis of
one that has one is all of its axes. An array of one number counts as that number. The smaller of two numbers
and the product of two vectors are the same in either order. That a mutant passes says less: there may be a
case on which it wouldn't. So of those that pass, these alone needn't be listed.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from autograder.authoring import promised
from autograder.authoring.mutating.mutants import Mutant, observed
from autograder.authoring.mutating.places import Place, places
from autograder.authoring.mutating.tables import AXIS_WORDS
from autograder.authoring.promised import Docstring
from autograder.exercise import Exercise
from autograder.sheets import outcome_of
from helpers.checking.kinds.arrays import count, dtype_name, is_array
from helpers.checks import Sheet

ADDS_AN_AXIS = {"unsqueeze", "stack", "expand_dims"}  # whose axis is one of the result's
KINDS = {"float": ("float", "bfloat"), "int": ("int", "uint"), "bool": ("bool",)}  # of numbers, by dtypes
CALCULATING = {"float", "int", "bool", "abs", "round", "min", "max", "sum", "append", "sqrt", "log", "exp"}
SYMMETRIC = {"min", "max", "minimum", "maximum", "gcd", "hypot"}  # in their arguments, if these are numbers
Where = tuple[int, int, int, int]  # of a node, in its file
Seen = Mapping[Where, list[Any]]  # what is known of a value each time: see `_known`


def same(
    exercise: Exercise, mutants: Iterable[Mutant], said: Docstring, sheets: Sequence[Sheet]
) -> tuple[set[str], set[str]]:
    """Which mutants are right as well.

    Args:
        exercise: the exercise.
        mutants: those that pass everywhere.
        said: what the exercise's docstring says.
        sheets: the visible one and the hidden ones.

    Returns:
        The names of those that are, and of those that would be if the docstring said how many axes there are.
    """
    mutants = [each for each in mutants if _boxed(each) or _axes(each) or _swapped(each)]
    if not mutants:
        return set(), set()
    wanted = {
        where
        for each in mutants
        for where in map(_where, _swapped(each) or _operands(each.place.around, each.place.node))
    }
    seen: dict[Where, list[Any]] = {}
    answer = observed(
        exercise,
        lambda node: isinstance(node, ast.expr) and _where(node) in wanted,
        lambda node, value: seen.setdefault(_where(node), []).append(_known(value)),
    )
    cases = [case for sheet in sheets for case in sheet.cases]
    for case in cases:
        outcome_of(exercise, answer, case)
    numbers = {each.name for each in mutants if (kinds := _boxed(each)) and _is_number(each, kinds, seen)}
    axes = {each.name for each in mutants if (pair := _axes(each)) and _one_axis(each, pair, seen)}
    numbers |= {each.name for each in mutants if (sides := _swapped(each)) and _either_way(each, sides, seen)}
    return (numbers | axes, set()) if promised.fixed_axes(exercise, said, cases) else (numbers, axes)


def _where(node: Any) -> Where:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


def _known(value: Any) -> tuple[int, str] | None:
    """How many axes an array has, or each of several, and its dtype; None for what is no array."""
    if is_array(value):
        return len(value.shape), dtype_name(value) if count(value) == 1 else ""
    if type(value) in (bool, int, float) or hasattr(value, "item"):  # or one of NumPy's numbers
        return 0, str(getattr(value, "dtype", type(value).__name__))
    if isinstance(value, list | tuple) and value and all(map(is_array, value)):
        axes = {len(each.shape) for each in value}
        return (axes.pop(), "") if len(axes) == 1 else None
    return None


def _call(node: ast.AST, around: Sequence[ast.AST]) -> Any:
    """The call, or the subscript of a shape, to which a node belongs: the node itself, or one around it."""
    for each in (node, *around[:3]):
        if isinstance(each, ast.Call | ast.Subscript):
            return each
    return None


def _operands(around: Sequence[ast.AST], node: ast.AST) -> Iterator[ast.expr]:
    """What a call works on: what it is a method of, which may be a module, then its first argument."""
    call = _call(node, around)
    if isinstance(call, ast.Subscript) and isinstance(call.value, ast.Attribute):
        yield call.value.value
    elif isinstance(call, ast.Call):
        if isinstance(call.func, ast.Attribute):
            yield call.func.value
        yield from call.args[:1]


def _of_operand(mutant: Mutant, seen: Seen) -> list[tuple[int, str]] | None:
    """What is known of what a mutant's call works on, each time; None where that isn't always an array."""
    for operand in _operands(mutant.place.around, mutant.place.node):
        known = seen.get(_where(operand), [])
        if known and all(known):
            return known
    return None


# -- orders ----------------------------------------------------------------------------------------------


def _swapped(mutant: Mutant) -> list[ast.expr]:
    """What has changed places: the arguments of a function that is symmetric, the sides of a product."""
    old, new = mutant.place.node, mutant.change.node
    if isinstance(old, ast.BinOp) and isinstance(new, ast.BinOp) and isinstance(old.op, ast.MatMult):
        return [old.left, old.right] if new.left is old.right and new.right is old.left else []
    if not isinstance(old, ast.Call) or not isinstance(new, ast.Call) or old.keywords or new.keywords:
        return []
    called = getattr(old.func, "attr", getattr(old.func, "id", ""))
    moved = new.args != old.args and sorted(map(id, new.args)) == sorted(map(id, old.args))
    return list(old.args) if called in SYMMETRIC and moved else []


def _either_way(mutant: Mutant, sides: Sequence[ast.expr], seen: Seen) -> bool:
    """Whether their order has meant nothing: each time numbers or arrays, and vectors in a product."""
    known = [each for side in sides for each in seen.get(_where(side), [None])]
    vectors = isinstance(mutant.place.node, ast.BinOp)
    return all(each and (each[0] == 1 or not vectors) for each in known)


# -- axes ------------------------------------------------------------------------------------------------


def _number(node: Any) -> int | None:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError):
        return None
    return value if type(value) is int else None


def _axes(mutant: Mutant) -> tuple[int, int | None] | None:
    """The axis and what it became, None if all of them; None where a mutant changes no axis."""
    old, new = mutant.place.node, mutant.change.node
    if mutant.kind == "axis":
        before, after = _number(old), _number(new)
        return None if before is None or after is None else (before, after)
    if mutant.kind != "argument" or not isinstance(old, ast.Call) or not isinstance(new, ast.Call):
        return None
    if len(new.keywords) < len(old.keywords):
        [gone] = [each for each in old.keywords if each not in new.keywords]
        axis = _number(gone.value) if gone.arg in AXIS_WORDS else None
        return None if axis is None else (axis, None)
    return None


def _one_axis(mutant: Mutant, pair: tuple[int, int | None], seen: Seen) -> bool:
    """Whether both of an axis's numbers have meant the same one, each time."""
    call: Any = _call(mutant.place.node, mutant.place.around)
    name = getattr(call.func, "attr", getattr(call.func, "id", "")) if isinstance(call, ast.Call) else ""
    old, new = pair
    for axes, _ in _of_operand(mutant, seen) or [(0, "")]:
        axes += name in ADDS_AN_AXIS
        if axes < 1 or (axes != 1 if new is None else (old - new) % axes or not -axes <= new < axes):
            return False
    return True


# -- numbers ---------------------------------------------------------------------------------------------


def _boxed(mutant: Mutant) -> tuple[str, ...]:
    """Of which kinds a number then stays in its array: any for `x.item()`, floats for `float(x)`."""
    node, new = mutant.place.node, mutant.change.node
    if not isinstance(node, ast.Call) or node.keywords:
        return ()
    if isinstance(node.func, ast.Attribute) and node.func.attr == "item" and new is node.func.value:
        return ("",)
    if isinstance(node.func, ast.Name) and node.args and new is node.args[0]:
        return KINDS.get(node.func.id, ())
    return ()


def _is_number(mutant: Mutant, kinds: tuple[str, ...], seen: Seen) -> bool:
    """Whether what stays in its array is one number of these kinds, and is only calculated with."""
    known = _of_operand(mutant, seen) or []
    right = bool(known) and all(dtype and dtype.startswith(kinds) for _, dtype in known)
    return right and _calculated(mutant.place, frozenset())


def _calculated(place: Place, names: frozenset[str]) -> bool:
    """Whether a value goes only where an array of one number does what the number does.

    It does so in sums, comparisons and results, and not as a key or in a text.
    """
    inner = place.node
    for node in place.around:
        if not _passes_on(node, inner):
            return False
        if isinstance(node, ast.Assign | ast.AugAssign):
            return _uses(node, place.around, names)
        if isinstance(node, ast.stmt):
            return True
        inner = node
    return False


def _passes_on(node: Any, inner: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        return inner is not node.func and called in CALCULATING
    if isinstance(node, ast.Compare):
        return not any(isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot) for op in node.ops)
    if isinstance(node, ast.Dict):
        return inner in node.values
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return inner is node.elt
    return isinstance(
        node,
        ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.IfExp | ast.Tuple | ast.List
        | ast.Return | ast.Expr | ast.If | ast.While | ast.Assign | ast.AugAssign,
    )  # fmt: skip


def _uses(node: Any, around: Sequence[ast.AST], names: frozenset[str]) -> bool:
    """Whether what is assigned is only calculated with."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    new = {target.id for target in targets if isinstance(target, ast.Name)} - names
    if not all(isinstance(target, ast.Name) for target in targets):
        return False
    function = next(each for each in around if isinstance(each, ast.FunctionDef | ast.ClassDef))
    return all(
        _calculated(place, names | new)
        for place in places(function)
        if isinstance(place.node, ast.Name) and isinstance(place.node.ctx, ast.Load) and place.node.id in new
    )
