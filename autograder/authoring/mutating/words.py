"""A mutant's change in words: what is other than it should be, and beside which of the exercise's arguments.

The words name the change and not the code: a sentence shouldn't hand out the solution.
"""

import ast
import inspect
import itertools
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from autograder.authoring.mutating.mutants import Mutant
from autograder.authoring.mutating.places import IN_FULL, Place
from autograder.exercise import Exercise

SIGNS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in",
    ast.Is: "is", ast.IsNot: "is not", ast.And: "and", ast.Or: "or",
}  # fmt: skip
LEFT_OUT: dict[type, str] = {
    ast.Add: "one term of a sum is missing", ast.Sub: "nothing is subtracted",
    ast.Mult: "a factor is missing", ast.Div: "a division is missing", ast.FloorDiv: "a division is missing",
    ast.Pow: "a power is missing", ast.MatMult: "one side of a matrix product is missing",
    ast.Mod: "no remainder is taken", ast.BitAnd: "one of two conditions is missing",
    ast.BitOr: "one of two conditions is missing",
}  # fmt: skip
A_STEP = "a function call"
# Functions by what they do: a name could be the solution.
WORDS = {
    word: what
    for what, names in {
        "a sum": "sum", "a mean": "mean", "a softmax": "softmax", "an exponential": "exp",
        "a logarithm": "log", "a square root": "sqrt rsqrt", "a maximum": "max amax maximum",
        "a minimum": "min amin minimum", "a clamp": "clamp clip", "a sine or cosine": "sin cos",
        "a product": "matmul bmm einsum outer prod dot", "a running sum": "cumsum", "a length": "len",
        "a swap of axes": "transpose permute movedim swapaxes",
        "a concatenation": "cat stack concatenate",
        "a change of shape": "view reshape flatten unflatten ravel", "a triangular mask": "tril triu",
        "an `unsqueeze` or `squeeze`": "unsqueeze squeeze", "a rounding": "ceil floor round",
        "a fill": "masked_fill fill where full full_like", "a range": "range arange",
        "a repeat": "repeat repeat_interleave expand", "a sort": "sort sorted topk argsort",
        "a lookup by index": "gather index_select scatter index_add take", "an `any` or `all`": "all any",
        "an `argmax`": "argmax", "an absolute value": "abs", "a variance": "var std",
        "a change of type": "float double int long bool to str list tuple", "a split": "split chunk unbind",
        "an addition to a list": "append extend insert", "a reversal": "flip reversed", "a `zip`": "zip",
        "an `enumerate`": "enumerate", "a change of case": "lower upper",
    }.items()
    for word in names.split()
}  # fmt: skip


def describe(mutant: Mutant, exercise: Exercise) -> tuple[str, str]:
    """A mutant's change, as it reads after "a right answer in which", and where it is; "" where unknown."""
    place, words = mutant.place, _words(exercise, _function(mutant.place))
    said = next(filter(None, _said(place, mutant.change.node, mutant.kind, words)), "")
    return said, "" if mutant.kind == "name" else _where(place, exercise, words)


def _said(place: Place, new: Any, kind: str, words: set[str]) -> Iterator[str]:
    old: Any = place.node
    if kind == "size":
        yield f"a size is the fixed number {ast.unparse(new)}, which is right for the first case only"
    elif kind == "default":
        yield f"a default value is {ast.unparse(new)}, the wrong one"
    elif kind == "name":
        yield _name_taken(old, new, words)
    elif kind == "reshaped":
        yield "a `reshape` is used where axes should be swapped"
    elif kind == "in place":
        what = "a tensor" if "torch" in sys.modules else "an array or a list"
        yield f"{what} is changed in place instead of being copied"
    elif kind == "off by one":
        yield _bound(place, new)
    elif kind == "condition":
        always = isinstance(new, ast.Constant) and ("always" if new.value else "never")
        yield f"a condition is {always} true" if always else "a condition is reversed"
    elif kind == "statement":
        yield _statement(old, new)
    elif kind == "order":
        yield "two values next to each other are swapped"
    elif kind == "axis":
        yield _axis(place, new)
    elif kind == "operator":
        yield _operator(old, new, words)
    elif kind == "constant":
        yield _constant(old, new, place)
    elif kind == "argument":
        yield _argument(old, new)
    elif kind == "call":
        yield _call(old, new)


def _name_taken(old: Any, new: Any, words: set[str]) -> str:
    """An argument or a layer taken for another; "" where the exercise's text doesn't have both names."""
    was, taken = (node.id if isinstance(node, ast.Name) else node.attr for node in (old, new))
    known = isinstance(old, ast.Attribute) or {was, taken} <= words
    return f"`{taken}` is used in place of `{was}`" if known else ""


def _operator(old: Any, new: Any, words: set[str]) -> str:
    if isinstance(old, ast.UnaryOp):
        signs = {ast.USub: "a minus sign", ast.Not: "a `not`", ast.Invert: "a `~`"}
        return f"{signs[type(old.op)]} is missing" if type(old.op) in signs else ""
    if isinstance(old, ast.BoolOp):
        joined = isinstance(new, ast.BoolOp) and new.values == old.values
        return f"two conditions are joined by `{SIGNS[type(new.op)]}`" if joined else LEFT_OUT[ast.BitAnd]
    if isinstance(old, ast.Compare):
        negated = isinstance(new.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn | ast.NotEq)
        return (
            "a condition is reversed"
            if negated
            else f"one comparison is changed to `{SIGNS[type(new.ops[0])]}`"
        )
    if isinstance(old, ast.AugAssign):
        return f"one operator is changed to `{SIGNS[type(new.op)]}=`"
    if isinstance(new, ast.BinOp) and new.left is old.left and new.right is old.right:
        return f"one operator is changed to `{SIGNS[type(new.op)]}`"
    if isinstance(new, ast.BinOp) and new.left is old.right and new.right is old.left:
        return f"the two sides of a `{SIGNS[type(old.op)]}` are swapped"
    return _side_missing(old, new is old.left, words)


def _side_missing(old: ast.BinOp, right: bool, words: set[str]) -> str:
    """An operation without one of its sides: which, if that gives nothing away."""
    sign, gone = SIGNS[type(old.op)], old.right if right else old.left
    if _number(gone) is not None or (isinstance(gone, ast.Name) and gone.id in words):
        text = ast.unparse(gone)
        return f"`{sign} {text}` is missing" if right else f"`{text} {sign}` is missing"
    if isinstance(old.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Pow | ast.Mod) and not right:
        return f"everything before a `{sign}` is missing"
    return LEFT_OUT.get(type(old.op), "")


def _number(node: Any) -> Any:
    with_sign = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    inner = node.operand if with_sign else node
    value = getattr(inner, "value", None)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return -value if with_sign else value


def _constant(old: Any, new: Any, place: Place) -> str:
    holder = place.around[0]
    name = f"`{holder.arg}`" if isinstance(holder, ast.keyword) and holder.arg else ""
    if isinstance(old, ast.Constant) and isinstance(old.value, bool):
        return f"{name} is {new.value}" if name else f"a {old.value} is changed to {new.value}"
    before, after = _number(old), _number(new)
    if before is None and after is not None:
        return f"−∞ is replaced by {after:g}"
    if before is None or after is None:
        return ""
    if isinstance(holder, ast.Compare) and all(isinstance(op, ast.Eq | ast.NotEq) for op in holder.ops):
        return "a comparison has the wrong number"  # by how much it is off makes no difference
    if position := _position(old, place):
        return f"{position}, {after:g}"
    what = name or _role(old, holder)
    if after == 0:
        return f"{what} is 0, which it shouldn't be"
    if after == 2 * before and after - before != 1:
        return f"{what} is twice what it should be"
    if after == before / 2:
        return f"{what} is half of what it should be"
    return f"{what} is {abs(after - before):g} too {'large' if after > before else 'small'}"


def _position(number: Any, place: Place) -> str:
    """That a number takes the wrong part of something; "" if it has another role."""
    holder: Any = place.around[1] if isinstance(place.around[0], ast.Tuple) else place.around[0]
    if isinstance(holder, ast.Slice):
        return f"a slice {'starts' if number is holder.lower else 'ends'} at the wrong place"
    return "the wrong index is used" if isinstance(holder, ast.Subscript) else ""


def _role(number: Any, holder: Any) -> str:
    """What a number does where it stands: who writes the same otherwise has no such number to search for."""
    if isinstance(holder, ast.BinOp) and isinstance(holder.op, ast.Pow) and number is holder.right:
        return "an exponent"
    return "a number in a comparison" if isinstance(holder, ast.Compare) else "a number"


def _axis(place: Place, new: Any) -> str:
    call = next((node for node in place.around[:3] if isinstance(node, ast.Call)), None)
    if isinstance(place.around[0], ast.Subscript) or (call and getattr(call.func, "attr", "") == "size"):
        return f"a size is that of the wrong axis, {ast.unparse(new)}"
    number = _number(new)
    return f"{_name(call)} uses the wrong axis, {number}" if number is not None else ""


def _argument(old: Any, new: Any) -> str:
    called = _name(old)
    if len(new.keywords) < len(old.keywords):
        [gone] = [k.arg for k in old.keywords if k not in new.keywords]
        return f"{called} is without its `{gone}`" if gone else ""
    if len(new.args) < len(old.args):
        return f"{called} is without one of its arguments" if called != A_STEP else ""
    return f"two arguments of {called} are swapped"


def _call(old: Any, new: Any) -> str:
    left_out = new is getattr(old.func, "value", None)  # of a chain, whose other links may have its arguments
    if isinstance(new, ast.Call) and new.args == old.args and not left_out:
        called = getattr(new.func, "attr", getattr(new.func, "id", ""))
        return f"one function is changed to `{called}`"
    return f"{_name(old)} is missing"


def _bound(place: Place, new: Any) -> str:
    holder: Any = place.around[0]
    if isinstance(new, ast.Constant | ast.UnaryOp) and isinstance(holder, ast.Slice):
        return f"a slice is without its {'start' if place.node is holder.lower else 'end'}"
    late = isinstance(new.op, ast.Add)
    if isinstance(holder, ast.Slice):
        what, begins = "a slice", place.node is holder.lower
    elif _name(holder) == "a triangular mask":
        return "a diagonal is off by one"
    elif _name(holder) == "a range":
        what, begins = "a range", len(holder.args) > 1 and place.node is holder.args[0]
    else:
        return f"an argument of {_name(holder)} is one too {'large' if late else 'small'}"
    return f"{what} {'starts' if begins else 'ends'} one position too {'late' if late else 'early'}"


def _statement(old: Any, new: Any) -> str:
    if isinstance(old, ast.Break):
        return "a loop continues where it should stop"
    if isinstance(old, ast.Continue):
        return "a loop stops where it should continue" if isinstance(new, ast.Break) else "nothing is skipped"
    if isinstance(old, ast.AugAssign):
        return f"a `{SIGNS[type(old.op)]}=` is missing"
    return f"{_name(old.value)} is missing" if isinstance(old, ast.Expr) else "an assignment is missing"


def _name(node: Any) -> str:
    """What a call does, in words; of one of the object's own layers, its name, which the text gives."""
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute):
        own = isinstance(function.value, ast.Name) and function.value.id == "self"
        return (
            f"`{function.attr}`"
            if own and not function.attr.startswith("_")
            else WORDS.get(function.attr, A_STEP)
        )
    return WORDS.get(getattr(function, "id", ""), A_STEP)


def _where(place: Place, exercise: Exercise, words: set[str]) -> str:
    """In brackets, with which of the exercise's arguments it happens, or in which of its methods."""
    nodes = (place.node, *place.around)
    whole = _method(nodes)
    # A method that only this right answer has is nothing that a reader knows.
    method = [f"in `{whole.name}`"] if whole and hasattr(exercise.reference, whole.name) else []
    step = next((node for node in nodes if isinstance(node, IN_FULL)), place.node)
    statement = next((node for node in nodes if isinstance(node, ast.stmt)), place.node)
    for around in (step, statement):
        if isinstance(around, ast.FunctionDef | ast.ClassDef | ast.For | ast.If | ast.While | ast.With):
            continue
        named = [f"`{word}`" for word in dict.fromkeys(_read(around)) if word in words]
        if named and len(named) <= 3:
            return f" ({', '.join([*method, f'the step with {_listed(named)}'])})"
    if isinstance(statement, ast.Return) and (not whole or (method and _function(place) is whole)):
        method.append("in the `return`" if not method else "the `return`")
    return f" ({', '.join(method)})" if method else ""


def _function(place: Place) -> Any:
    return next(n for n in (place.node, *place.around) if isinstance(n, ast.FunctionDef | ast.ClassDef))


def _method(nodes: Sequence[ast.AST]) -> ast.FunctionDef | None:
    """The method of a class that code belongs to, whatever functions within it are around the code."""
    pairs = itertools.pairwise(nodes)
    return next(
        (n for n, outer in pairs if isinstance(n, ast.FunctionDef) and isinstance(outer, ast.ClassDef)), None
    )


def _words(exercise: Exercise, function: Any) -> set[str]:
    """The names that an exercise's text has for its arguments, as far as this function has them too."""
    definition = exercise.reference
    methods = (
        [m for m in vars(definition).values() if inspect.isfunction(m)]
        if isinstance(definition, type)
        else []
    )
    known = {name for each in [definition, *methods] for name in inspect.signature(each).parameters}
    own = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    return (known & own) - {"self"}


def _read(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            yield each.id


def _listed(named: list[str]) -> str:
    return named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
