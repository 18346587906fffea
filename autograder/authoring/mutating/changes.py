"""What can be changed in code, and into what: one small thing at a time, as people get it wrong."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

from autograder.authoring.mutating.places import Place
from autograder.authoring.mutating.tables import (
    AXES,
    AXIS_WORDS,
    COMPARISONS,
    IN_PLACE,
    MODULES,
    OPERATORS,
    OTHERS,
    OTHERS_ELSEWHERE,
    REFUSING,
    SYMMETRIC,
    VIEWS,
    WRITTEN_IN_PLACE,
)


@dataclass(frozen=True)
class Change:
    """What could stand at a place instead, and what sort of change that is."""

    kind: str
    node: ast.AST


def changes(place: Place, size: Any = None, *, elsewhere: bool = False) -> Iterator[Change]:
    """What could stand at a place instead.

    Args:
        place: of a definition.
        size: what it is in the first visible case, where it is a size.
        elsewhere: whether the code has nothing to do with torch.
    """
    for kind, nodes in (
        ("operator", _operators(place.node)),
        ("axis", _axes(place)),
        ("constant", _constants(place)),
        ("argument", _arguments(place.node)),
        ("call", _calls(place.node, elsewhere)),
        ("off by one", _bounds(place)),
        ("condition", _conditions(place)),
        ("statement", _statements(place)),
        ("order", _orders(place)),
        ("in place", _in_place(place)),
        ("size", _size(place.node, size)),
    ):
        default = isinstance(place.around[0], ast.arguments)
        for node in nodes:
            yield Change("default" if default else kind, node)


def _new(node: Any, **parts: Any) -> Any:
    """A copy of a node with other parts. What stays is shared: nothing changes it."""
    made = copy.copy(node)
    for name, value in parts.items():
        setattr(made, name, value)
    return made


def _operators(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.BinOp):
        for other in OPERATORS.get(type(node.op), ()):
            yield _new(node, op=other())
        yield node.left
        yield node.right
        if not isinstance(node.op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr):
            yield _new(node, left=node.right, right=node.left)
    elif isinstance(node, ast.AugAssign):
        for other in OPERATORS.get(type(node.op), ()):
            yield _new(node, op=other())
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for compared in COMPARISONS[type(node.ops[0])]:
            yield _new(node, ops=[compared()])
    elif isinstance(node, ast.BoolOp):
        yield _new(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        yield from node.values
    elif isinstance(node, ast.UnaryOp) and not _is_number(node):
        yield node.operand


# -- numbers ---------------------------------------------------------------------------------------------


def _is_number(node: Any) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _inside_a_number(place: Place) -> bool:
    """The 1 of -1: the number is the place."""
    return isinstance(place.around[0], ast.UnaryOp) and _is_number(place.around[0])


def _value(node: Any) -> Any:
    negative = isinstance(node, ast.UnaryOp)
    return -node.operand.value if negative else node.value


def _number(value: Any) -> ast.AST:
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if value < 0 else ast.Constant(value)


def _is_axis(place: Place) -> bool:
    """Whether a number stands where an axis is asked for: `dim=-1`, `x.size(0)`, `x.shape[0]`."""
    if not _is_number(place.node) or type(_value(place.node)) is not int:
        return False
    holder = place.around[0]
    if isinstance(holder, ast.Tuple) and len(place.around) > 1:
        holder = place.around[1]
    if isinstance(holder, ast.keyword):
        return holder.arg in AXIS_WORDS
    if isinstance(holder, ast.Subscript):
        return isinstance(holder.value, ast.Attribute) and holder.value.attr == "shape"
    if not isinstance(holder, ast.Call) or not isinstance(holder.func, ast.Attribute):
        return False
    whole = holder.func.attr in ("permute", "transpose", "size", "flatten", "movedim", "swapaxes")
    first = holder.args[:1] if _has_receiver(holder) else holder.args[1:2]
    return holder.func.attr in AXES and (whole or place.node in first)


def _axes(place: Place) -> Iterator[ast.AST]:
    if _is_axis(place):
        for axis in (-1, -2, -3, 0, 1):
            if axis != _value(place.node):
                yield _number(axis)
    holder = place.around[0]
    if isinstance(holder, ast.keyword) and holder.arg in AXIS_WORDS and isinstance(place.node, ast.Name):
        yield _number(-1)
        yield _number(0)


def _constants(place: Place) -> Iterator[ast.AST]:
    node = place.node
    if getattr(place.around[0], "arg", "") in REFUSING:
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.UnaryOp) and ast.unparse(node) == "-math.inf":
        yield _number(-100.0)
        yield _number(0.0)
    elif _is_number(node) and not _is_axis(place) and not _inside_a_number(place):
        value = _value(node)
        if 0 < abs(value) < 1e-6:  # it guards against dividing by 0, and any that is small does
            return
        if isinstance(value, int):
            others: tuple = (value + 1, value - 1, 0)
        else:
            near = (value + 1,) if abs(value) < 100 else ()  # to a large one it makes no difference
            others = (2 * value, value / 2, *near, 0.0)
        for other in dict.fromkeys(others):
            if other != value:
                yield _number(other)


# -- calls -----------------------------------------------------------------------------------------------


def _called(node: ast.Call) -> str:
    """The name of the function that is called, without what it belongs to."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _has_receiver(node: ast.Call) -> bool:
    """Whether a call is `x.f(...)`, and not `torch.f(...)`."""
    if not isinstance(node.func, ast.Attribute):
        return False
    root: ast.expr = node.func.value
    while isinstance(root, ast.Attribute):
        root = root.value
    if isinstance(root, ast.Call) and isinstance(root.func, ast.Name):
        root = root.func
    return not (isinstance(root, ast.Name) and root.id in MODULES)


def own_layer(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Whether a node is one of an object's own: in `self.norm(x)`, x is what is left without it."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and not node.attr.startswith("_")
    )


def _arguments(node: ast.AST) -> Iterator[ast.AST]:
    if not isinstance(node, ast.Call):
        return
    args = node.args
    for number, keyword in enumerate(node.keywords):
        if keyword.arg in REFUSING:
            continue
        yield _new(node, keywords=node.keywords[:number] + node.keywords[number + 1 :])
    symmetric = getattr(node.func, "attr", "") in SYMMETRIC and _has_receiver(node)
    for number in range(0 if symmetric else len(args) - 1):
        yield _new(node, args=[*args[:number], args[number + 1], args[number], *args[number + 2 :]])
    for number in range(len(args)):
        if len(args) > 1:
            yield _new(node, args=args[:number] + args[number + 1 :])


def _calls(node: ast.AST, elsewhere: bool) -> Iterator[ast.AST]:
    """The call of another function, and what it was called with."""
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Attribute):
        for other in (*OTHERS.get(node.func.attr, ()), *_others_elsewhere(node.func.attr, elsewhere)):
            yield _new(node, func=_new(node.func, attr=other))
    elif isinstance(node.func, ast.Name):
        for other in OTHERS.get(node.func.id, ()):
            if other in ("max", "min", "sum", "any", "all"):
                yield _new(node, func=_new(node.func, id=other))
    of_module = elsewhere and ast.unparse(node.func).startswith(("np.", "numpy.", "pd."))
    if (
        _has_receiver(node)
        and isinstance(node.func, ast.Attribute)
        and not own_layer(node.func)
        and not of_module
    ):
        yield node.func.value
    elif node.args and not isinstance(node.args[0], ast.Starred):
        yield node.args[0]


def _others_elsewhere(name: str, elsewhere: bool) -> list[str]:
    return OTHERS_ELSEWHERE.get(name, []) if elsewhere else []


def _bounds(place: Place) -> Iterator[ast.AST]:
    """One more and one less where something begins or ends; and no beginning or end."""
    node: Any = place.node
    holder = place.around[0]
    if isinstance(holder, ast.Call) and node in holder.args:
        bound = _called(holder) in ("range", "arange", "tril", "triu", "linspace")
    else:
        bound = isinstance(holder, ast.Slice)
    if not bound:
        return
    if not _is_number(node) and not isinstance(node, ast.Starred):
        yield ast.BinOp(node, ast.Add(), ast.Constant(1))
        yield ast.BinOp(node, ast.Sub(), ast.Constant(1))
    if isinstance(holder, ast.Slice):
        yield _number(0) if node is holder.lower else ast.Constant(None)


# -- statements ------------------------------------------------------------------------------------------


def _conditions(place: Place) -> Iterator[ast.AST]:
    node: Any = place.node
    holder = place.around[0]
    tested = isinstance(holder, ast.If | ast.IfExp | ast.While) and node is holder.test
    if tested or (isinstance(holder, ast.comprehension) and node in holder.ifs):
        yield ast.UnaryOp(ast.Not(), node)
        yield ast.Constant(True)
        yield ast.Constant(False)


def _statements(place: Place) -> Iterator[ast.AST]:
    """Nothing, where a statement stands that others can do without."""
    node = place.node
    if isinstance(node, ast.Expr | ast.AugAssign | ast.Break | ast.Continue):
        yield ast.Pass()
    if isinstance(node, ast.Break):
        yield ast.Continue()
    if isinstance(node, ast.Continue):
        yield ast.Break()
    if isinstance(node, ast.Assign):
        targets = [name.id for t in node.targets for name in ast.walk(t) if isinstance(name, ast.Name)]
        function = next(n for n in place.around if isinstance(n, ast.FunctionDef | ast.ClassDef))
        stored = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        known = {n.id for n in stored if n.lineno < node.lineno} | _parameters(function)
        elsewhere = any(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets)
        if elsewhere or all(name in known for name in targets):
            yield ast.Pass()


def _parameters(function: ast.AST) -> set[str]:
    return {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}


def _orders(place: Place) -> Iterator[ast.AST]:
    """Two neighbours of a tuple or a list swapped."""
    node = place.node
    if isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load):
        if isinstance(place.around[0], ast.Compare):  # a set, in effect
            return
        items = node.elts
        for number in range(len(items) - 1):
            yield _new(node, elts=[*items[:number], items[number + 1], items[number], *items[number + 2 :]])


def _in_place(place: Place) -> Iterator[ast.AST]:
    """Written into what was there, instead of anew."""
    node: Any = place.node
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Name) and ast.unparse(value.left) == target.id:
            yield ast.AugAssign(target, value.op, value.right)
    if isinstance(node, ast.BinOp) and isinstance(node.left, ast.Name) and type(node.op) in WRITTEN_IN_PLACE:
        name = WRITTEN_IN_PLACE[type(node.op)]
        yield ast.Call(ast.Attribute(node.left, name, ast.Load()), [node.right], [])
    if isinstance(node, ast.Call) and _called(node) in IN_PLACE and _has_receiver(node):
        function: Any = node.func
        receiver = function.value
        view = isinstance(receiver, ast.Call) and _called(receiver) in VIEWS
        if view or isinstance(receiver, ast.Name | ast.Subscript):  # all else is a tensor of its own
            yield _new(node, func=_new(function, attr=f"{function.attr}_"))


# -- sizes -----------------------------------------------------------------------------------------------


def is_size(node: ast.AST) -> bool:
    """Whether a node asks for a size: `x.size(-1)`, `x.shape[0]`, `len(x)`, or `x.shape` for all of them."""
    if isinstance(node, ast.Call):
        return _called(node) in ("size", "len", "numel", "dim")
    attribute = node.value if isinstance(node, ast.Subscript) else node
    return isinstance(attribute, ast.Attribute) and attribute.attr == "shape"


def _size(node: ast.AST, size: Any) -> Iterator[ast.AST]:
    if isinstance(size, int):
        yield _number(size)
    elif isinstance(size, tuple) and all(isinstance(each, int) for each in size):
        yield ast.Tuple([ast.Constant(each) for each in size], ast.Load())
