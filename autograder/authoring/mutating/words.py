"""A mutant's change in words: what is other than it should be, and beside which of the exercise's arguments.

The words name the change and not the code: a sentence shouldn't hand out the solution.
"""

import ast
import inspect
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
    ast.Add: "something isn't added", ast.Sub: "something isn't subtracted", ast.Mult: "a factor is missing",
    ast.Div: "a division is missing", ast.FloorDiv: "a division is missing", ast.Pow: "a power isn't taken",
    ast.MatMult: "a matrix product is missing", ast.Mod: "a remainder isn't taken",
    ast.BitAnd: "one of two conditions is missing", ast.BitOr: "one of two conditions is missing",
}  # fmt: skip
OTHERWISE = "the wrong way round"
A_STEP = "a step"
# Functions by what they do: a name could be the solution.
WORDS = {
    word: what
    for what, names in {
        "a sum": "sum", "a mean": "mean", "a softmax": "softmax", "an exponential": "exp",
        "a logarithm": "log", "a square root": "sqrt rsqrt", "a maximum": "max amax maximum",
        "a minimum": "min amin minimum", "a clamp": "clamp clip", "a sine or cosine": "sin cos",
        "a product": "matmul bmm einsum outer prod dot", "a running sum": "cumsum", "a length": "len",
        "a swap of axes": "transpose permute movedim swapaxes", "a concatenation": "cat stack",
        "a change of shape": "view reshape flatten unflatten", "a triangular mask": "tril triu",
        "an added or dropped axis": "unsqueeze squeeze", "a rounding": "ceil floor round",
        "a fill": "masked_fill fill where full full_like", "a range": "range arange",
        "a repetition": "repeat repeat_interleave expand", "a sort": "sort sorted topk argsort",
        "a selection": "gather index_select scatter index_add take", "an `any` or `all`": "all any",
        "the place of the largest": "argmax", "an absolute value": "abs", "a variance": "var std",
        "a change of type": "float double int long bool to str list tuple", "a split": "split chunk unbind",
        "an entry of a list": "append extend insert", "a mirroring": "flip reversed", "a `zip`": "zip",
        "an `enumerate`": "enumerate",
    }.items()
    for word in names.split()
}  # fmt: skip


def describe(mutant: Mutant, exercise: Exercise) -> tuple[str, str]:
    """A mutant's change in words, "" where there are none, and where it is, in words of its exercise."""
    said = next(filter(None, _said(mutant.place, mutant.change.node, mutant.kind)), "")
    return said, "" if mutant.kind == "name" else _where(mutant.place, exercise)


def _said(place: Place, new: Any, kind: str) -> Iterator[str]:
    old: Any = place.node
    holder = place.around[0]
    if kind == "size":
        number = ast.unparse(new)
        yield f"a size is written in as {number}, which fits the first case only"
    elif kind == "default":
        yield f"a default value is {ast.unparse(new)}, which should be another"
    elif kind == "name":
        was, stands = (node.id if isinstance(node, ast.Name) else node.attr for node in (old, new))
        yield f"`{stands}` stands where `{was}` belongs"
    elif kind == "reshaped":
        yield "sizes are changed by a `reshape` where axes should change places"
    elif kind == "in place":
        yield "a tensor is changed in place where a new one is needed"
    elif kind == "off by one":
        yield _bound(place, new)
    elif kind == "condition":
        always = isinstance(new, ast.Constant) and ("always" if new.value else "never")
        yield f"a condition {always} holds" if always else f"a condition is {OTHERWISE}"
    elif kind == "statement":
        yield _statement(old, new)
    elif kind == "order":
        yield "two values side by side have changed places"
    elif kind == "axis":
        yield _axis(place, new)
    elif kind == "operator":
        yield _operator(old, new)
    elif kind == "constant":
        yield _constant(old, new, holder)
    elif kind == "argument":
        yield _argument(old, new)
    elif kind == "call":
        yield _call(old, new)


def _operator(old: Any, new: Any) -> str:
    if isinstance(old, ast.UnaryOp):
        return "a minus sign is missing" if isinstance(old.op, ast.USub) else f"a condition is {OTHERWISE}"
    if isinstance(old, ast.BoolOp):
        joined = isinstance(new, ast.BoolOp) and new.values == old.values
        return f"`{SIGNS[type(new.op)]}` joins two conditions" if joined else LEFT_OUT[ast.BitAnd]
    if isinstance(old, ast.Compare):
        return f"`{SIGNS[type(new.ops[0])]}` stands where another comparison belongs"
    if isinstance(old, ast.AugAssign) or (
        isinstance(new, ast.BinOp) and new.left is old.left and new.right is old.right
    ):
        return f"`{SIGNS[type(new.op)]}` stands where another operation belongs"
    if isinstance(new, ast.BinOp) and new.left is old.right and new.right is old.left:
        return f"the two sides of a `{SIGNS[type(old.op)]}` have changed places"
    sided = isinstance(old.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Pow | ast.Mod)
    if new is old.right and sided:
        return f"only the right side of a `{SIGNS[type(old.op)]}` is there"
    return LEFT_OUT.get(type(old.op), "")


def _number(node: Any) -> Any:
    with_sign = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
    inner = node.operand if with_sign else node
    value = getattr(inner, "value", None)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return -value if with_sign else value


def _constant(old: Any, new: Any, holder: ast.AST) -> str:
    name = f"`{holder.arg}`" if isinstance(holder, ast.keyword) and holder.arg else ""
    if isinstance(old, ast.Constant) and isinstance(old.value, bool):
        return f"{name or 'something'} is {new.value}"
    before, after = _number(old), _number(new)
    if before is None and after is not None:
        return f"what should be as small as can be is {after:g}"
    if before is None or after is None:
        return ""
    what = name or "a number"
    if after == 0:
        return f"{what} that should be another is 0"
    if after == 2 * before:
        return f"{what} is twice what it should be"
    if after == before / 2:
        return f"{what} is half of what it should be"
    return f"{what} is {abs(after - before):g} too {'large' if after > before else 'small'}"


def _axis(place: Place, new: Any) -> str:
    call = next((node for node in place.around[:3] if isinstance(node, ast.Call)), None)
    called = _name(call)
    if isinstance(place.around[0], ast.Subscript) or (call and getattr(call.func, "attr", "") == "size"):
        return f"the size of axis {ast.unparse(new)} stands where another's belongs"
    number = _number(new)
    return f"{called} uses axis {number} where another belongs" if number is not None else ""


def _argument(old: Any, new: Any) -> str:
    called = _name(old)
    if len(new.keywords) < len(old.keywords):
        [gone] = [k.arg for k in old.keywords if k not in new.keywords]
        return f"{called} lacks its `{gone}`" if gone else ""
    if len(new.args) < len(old.args):
        return f"{called} lacks an argument" if called != A_STEP else ""
    return f"two arguments of {called} have changed places"


def _call(old: Any, new: Any) -> str:
    if isinstance(new, ast.Call) and new.args == old.args:
        called = getattr(new.func, "attr", getattr(new.func, "id", ""))
        return f"`{called}` stands where another function belongs"
    return f"{_name(old)} is missing"


def _bound(place: Place, new: Any) -> str:
    holder: Any = place.around[0]
    if isinstance(new, ast.Constant | ast.UnaryOp) and isinstance(holder, ast.Slice):
        return "a slice begins at the start" if place.node is holder.lower else "a slice goes on to the end"
    late = isinstance(new.op, ast.Add)
    if isinstance(holder, ast.Slice):
        what, begins = "a slice", place.node is holder.lower
    elif _name(holder) == "a triangular mask":
        return "a diagonal is off by one"
    elif _name(holder) == "a range":
        what, begins = "a range", len(holder.args) > 1 and place.node is holder.args[0]
    else:
        return f"an argument of {_name(holder)} is one too {'large' if late else 'small'}"
    return f"{what} {'begins' if begins else 'ends'} one too {'late' if late else 'early'}"


def _statement(old: Any, new: Any) -> str:
    if isinstance(old, ast.Break):
        return "a loop goes on where it should end"
    if isinstance(old, ast.Continue):
        return "a loop ends where it should go on" if isinstance(new, ast.Break) else "nothing is skipped"
    if isinstance(old, ast.AugAssign):
        return "something isn't added up"
    return f"{_name(old.value)} is missing" if isinstance(old, ast.Expr) else "a step is missing"


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


def _where(place: Place, exercise: Exercise) -> str:
    """With which of the exercise's arguments it happens, or in which of its methods."""
    nodes = (place.node, *place.around)
    function = next(node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef))
    method = (
        f" in `{function.name}`"
        if isinstance(exercise.reference, type) and _is_method(function, nodes)
        else ""
    )
    step = next((node for node in nodes if isinstance(node, IN_FULL)), place.node)
    statement = next((node for node in nodes if isinstance(node, ast.stmt)), place.node)
    words = _words(exercise, function)
    for around in (step, statement):
        if isinstance(around, ast.FunctionDef | ast.ClassDef | ast.For | ast.If | ast.While | ast.With):
            continue
        named = [f"`{word}`" for word in dict.fromkeys(_read(around)) if word in words]
        if named and len(named) <= 3:
            return f"{method}, in the step with {_listed(named)}"
    if isinstance(statement, ast.Return):
        return f"{method}, in what is returned"
    return method


def _is_method(function: ast.AST, nodes: Sequence[ast.AST]) -> bool:
    return isinstance(function, ast.FunctionDef) and any(isinstance(node, ast.ClassDef) for node in nodes)


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
