"""A mutant's change in words: what is other than it should be, and beside which of the exercise's arguments.

The words name the change and not the solution: code is quoted as it is with the change in it, or it is the
small part that is missing, and only where all its names are in the exercise's own text.
"""

import ast
import inspect
import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.authoring.mutating.mutants import Mutant, fragments
from autograder.authoring.mutating.places import IN_FULL, Place
from autograder.authoring.mutating.quoting import number_of, quoted
from autograder.authoring.mutating.tables import A_STEP, BEFORE, SIDES, SIGNS, WORDS
from autograder.exercise import Exercise
from autograder.lessons import listed


def describe(mutant: Mutant, exercise: Exercise, *, exact: bool = False) -> tuple[str, str]:
    """A mutant's change, as it reads after "a right answer in which", and where it is; "" where unknown.

    Args:
        mutant: the changed answer.
        exercise: whose answer it is.
        exact: whether to quote code, and to say which of several terms it is. Many changes may have the same
            sentence without that, and each its own with it.
    """
    speech = _Speech.about(exercise, mutant, exact)
    said = speech.said()
    return said, "" if mutant.kind == "name" else speech.where(said)


@dataclass(frozen=True)
class _Speech:
    """What can be said of one mutant.

    Attributes:
        mutant: the changed answer.
        exercise: whose answer it is.
        words: the names that the exercise's text has for its arguments, as far as the changed code has them.
        text: all words of the exercise's docstrings.
        exact: whether to quote code, and to say which of several terms it is.
    """

    mutant: Mutant
    exercise: Exercise
    words: frozenset[str]
    text: frozenset[str]
    exact: bool

    @classmethod
    def about(cls, exercise: Exercise, mutant: Mutant, exact: bool) -> "_Speech":
        known, text = _names(exercise)
        own = {node.arg for node in ast.walk(_function(mutant.place)) if isinstance(node, ast.arg)}
        return cls(mutant, exercise, frozenset(known & own - {"self"}), frozenset(text), exact)

    def said(self) -> str:
        """What is other than it should be; "" where there are no words for it."""
        place, new, kind = self.mutant.place, self.mutant.change.node, self.mutant.kind
        old: Any = place.node
        tell = {
            "size": self._size, "default": self._default, "name": self._name_taken,
            "condition": self._condition,
            "reshaped": self._reshaped, "in place": self._in_place, "off by one": self._bound,
            "statement": self._statement, "order": self._order, "axis": self._axis,
            "operator": self._operator,
            "constant": self._constant, "argument": self._argument, "call": self._call,
        }.get(kind)  # fmt: skip
        return tell(old, new) if tell else ""

    def _quote(self, node: Any) -> str:
        return quoted(node, self.words) if self.exact else ""

    def _shown(self, said: str) -> str:
        """What is said, with the code of the place as it is with the change, where that can be quoted."""
        if not (said and self.exact):
            return said
        try:
            code = ast.parse(fragments(self.mutant.place, self.mutant.change)[1], mode="eval").body
        except SyntaxError:  # a statement, or the inside of a comprehension
            return said
        text = quoted(code, self.words)
        return f"{said}: `{text}`" if text and not isinstance(code, ast.Constant) else said

    def _size(self, old: Any, new: Any) -> str:
        return f"a size is the fixed number {ast.unparse(new)}, which is right for the first case only"

    def _default(self, old: Any, new: Any) -> str:
        return f"a default value is {ast.unparse(new)}, the wrong one"

    def _reshaped(self, old: Any, new: Any) -> str:
        return "a `reshape` is used where axes should be swapped"

    def _in_place(self, old: Any, new: Any) -> str:
        what = "a tensor" if "torch" in sys.modules else "an array or a list"
        return f"{what} is changed in place instead of being copied"

    def _condition(self, old: Any, new: Any) -> str:
        if not isinstance(new, ast.Constant):
            return self._reversed(old)
        holder = self.mutant.place.around[0]
        if isinstance(holder, ast.comprehension):
            return "nothing is left out by an `if`" if new.value else "an `if` leaves out everything"
        if isinstance(holder, ast.While):
            return "a loop never stops by its condition" if new.value else "a loop never runs"
        code = self._quote(old)
        condition = f"`if {code}`" if code else "an `if`"
        return f"the code under {condition} {'always' if new.value else 'never'} runs"

    def _reversed(self, old: Any) -> str:
        return "a condition is the wrong way round"

    def _name_taken(self, old: Any, new: Any) -> str:
        """An argument or a layer taken for another; "" where the exercise's text doesn't have both names."""
        was, taken = (node.id if isinstance(node, ast.Name) else node.attr for node in (old, new))
        known = isinstance(old, ast.Attribute) or {was, taken} <= self.words
        return f"`{taken}` is used in place of `{was}`" if known else ""

    # -- operators -----------------------------------------------------------------------------------------

    def _operator(self, old: Any, new: Any) -> str:
        if isinstance(old, ast.UnaryOp):
            signs = {ast.USub: "a minus sign", ast.Not: "a `not`", ast.Invert: "a `~`"}
            return f"{signs[type(old.op)]} is missing" if type(old.op) in signs else ""
        if isinstance(old, ast.BoolOp):
            joined = isinstance(new, ast.BoolOp) and new.values == old.values
            return _taken(new.op, old.op) if joined else SIDES[ast.BitAnd][0]
        if isinstance(old, ast.Compare):
            negated = isinstance(new.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn | ast.NotEq)
            return self._shown(self._reversed(old) if negated else _taken(new.ops[0], old.ops[0]))
        if isinstance(old, ast.AugAssign):
            return f"`{SIGNS[type(new.op)]}=` is used in place of `{SIGNS[type(old.op)]}=`"
        if isinstance(new, ast.BinOp) and new.left is old.left and new.right is old.right:
            said = self._shown(_taken(new.op, old.op))
            # With a reciprocal it is the other way round, so without code neither sign is the reader's.
            mixed_up = {type(new.op), type(old.op)} == {ast.Mult, ast.Div} and ": " not in said
            return "`*` and `/` are mixed up" if mixed_up else said
        if isinstance(new, ast.BinOp) and new.left is old.right and new.right is old.left:
            return self._shown(f"the two sides of a `{SIGNS[type(old.op)]}` are swapped")
        return self._side_missing(old, new is old.left)

    def _side_missing(self, old: ast.BinOp, right: bool) -> str:
        """An operation without one of its sides: which, if that gives nothing away."""
        sign, gone, kept = SIGNS[type(old.op)], *((old.right, old.left) if right else (old.left, old.right))
        small = number_of(gone) is not None or (isinstance(gone, ast.Name) and gone.id in self.words)
        if code := quoted(gone, self.words, inside=True) if small else self._quoted_inside(gone):
            before = self._thing(kept, "") if not right and self.exact else ""
            missing = f"`{sign} {code}` is missing" if right else f"`{code} {sign}` is missing"
            return f"{missing} before {before}" if before else missing
        if type(old.op) in BEFORE and not right:
            plain, with_it = BEFORE[type(old.op)]
            what = self._thing(kept, "term")
        elif type(old.op) in SIDES:
            plain, with_it, noun = SIDES[type(old.op)]
            what = self._thing(gone, noun)
        else:
            return ""
        return with_it.format(what) if what and self.exact else plain

    def _quoted_inside(self, node: Any) -> str:
        return quoted(node, self.words, inside=True) if self.exact else ""

    def _thing(self, node: Any, noun: str) -> str:
        """What a part of the code is: quoted, or what its function does, or which arguments are in it."""
        if code := self._quote(node):
            return f"`{code}`"
        if (called := self._name(node)) != A_STEP:
            return called
        named = [f"`{word}`" for word in dict.fromkeys(_read(node)) if word in self.words]
        article = "the" if noun == "one" else "a"
        return f"{article} {noun} with {listed(named, 'and')}" if noun and 0 < len(named) < 3 else ""

    # -- numbers -------------------------------------------------------------------------------------------

    def _constant(self, old: Any, new: Any) -> str:
        place = self.mutant.place
        holder = place.around[0]
        name = f"`{holder.arg}`" if isinstance(holder, ast.keyword) and holder.arg else ""
        if isinstance(old, ast.Constant) and isinstance(old.value, bool):
            if name and old.value:
                return f"`{getattr(holder, 'arg', '')}=True` is missing"
            return f"{name} is {new.value}" if name else f"{new.value} is used in place of {old.value}"
        before, after = number_of(old), number_of(new)
        if before is None and after is not None:
            return f"{after:g} is used in place of −∞"
        if before is None or after is None:
            return ""
        if isinstance(holder, ast.Compare) and all(isinstance(op, ast.Eq | ast.NotEq) for op in holder.ops):
            return "a comparison has the wrong number"  # by how much it is off makes no difference
        if position := _position(old, place):
            return f"{position}, {after:g}"
        return self._shown(_amount(name or _role(old, holder), before, after))

    def _axis(self, old: Any, new: Any) -> str:
        place = self.mutant.place
        call = next((node for node in place.around[:3] if isinstance(node, ast.Call)), None)
        sized = call and getattr(call.func, "attr", "") == "size"
        if isinstance(place.around[0], ast.Subscript) or sized:
            return f"a size is that of the wrong axis, {ast.unparse(new)}"
        number = number_of(new)
        return f"{self._name(call)} uses the wrong axis, {number}" if number is not None else ""

    def _bound(self, old: Any, new: Any) -> str:
        place = self.mutant.place
        holder: Any = place.around[0]
        if isinstance(new, ast.Constant | ast.UnaryOp) and isinstance(holder, ast.Slice):
            return f"a slice is without its {'start' if place.node is holder.lower else 'end'}"
        late = isinstance(new.op, ast.Add)
        if isinstance(holder, ast.Slice):
            what, begins = "a slice", place.node is holder.lower
        elif self._name(holder) == "a triangular mask":
            return "a diagonal is off by one"
        elif self._name(holder) == "a range":
            what, begins = "a range", len(holder.args) > 1 and place.node is holder.args[0]
        else:
            return f"an argument of {self._name(holder)} is one too {'large' if late else 'small'}"
        return f"{what} {'starts' if begins else 'ends'} one position too {'late' if late else 'early'}"

    # -- calls and statements --------------------------------------------------------------------------------

    def _argument(self, old: Any, new: Any) -> str:
        called = self._name(old)
        if len(new.keywords) < len(old.keywords):
            [gone] = [k for k in old.keywords if k not in new.keywords]
            if isinstance(gone.value, ast.Constant) and gone.value.value is True:
                return f"`{gone.arg}=True` is missing"
            return f"`{gone.arg}` is missing in {called}" if gone.arg else ""
        if len(new.args) < len(old.args):
            gone = next(a for n, a in enumerate(old.args) if n >= len(new.args) or new.args[n] is not a)
            if code := self._quote(gone):
                return f"`{code}` is missing in {called}"
            return f"one argument of {called} is missing" if called != A_STEP else ""
        return self._shown(f"two arguments of {called} are swapped").replace(
            f" of {A_STEP} are swapped:", " are swapped:"
        )

    def _call(self, old: Any, new: Any) -> str:
        # What is left of a chain may have the arguments of what is gone.
        left_out = new is getattr(old.func, "value", None)
        if not (isinstance(new, ast.Call) and new.args == old.args and not left_out):
            return f"{self._name(old)} is missing"
        called, was = (getattr(f, "attr", getattr(f, "id", "")) for f in (new.func, old.func))
        right = self._name(old)
        if right == A_STEP:
            right = "a different function"
        elif right == self._name(new) or called.startswith(was):
            right = f"a different kind of {right.partition(' ')[2]}"
        return self._shown(f"`{called}` is used where {right} belongs")

    def _order(self, old: Any, new: Any) -> str:
        names = self.exercise.returns
        returned = isinstance(self.mutant.place.around[0], ast.Return) and len(names) == len(old.elts) > 1
        if returned and not _method((old, *self.mutant.place.around)):
            first = next(n for n, each in enumerate(old.elts) if new.elts[n] is not each)
            return f"`{names[first]}` and `{names[first + 1]}` are returned in the wrong order"
        what = "two numbers" if all(number_of(each) is not None for each in old.elts) else "two values"
        return self._shown(f"{what} next to each other are in the wrong order")

    def _statement(self, old: Any, new: Any) -> str:
        if isinstance(old, ast.Break):
            return "a loop continues where it should stop"
        if isinstance(old, ast.Continue):
            return (
                "a loop stops where it should continue"
                if isinstance(new, ast.Break)
                else "nothing is skipped"
            )
        if isinstance(old, ast.AugAssign):
            sign = f"{SIGNS[type(old.op)]}="
            value = self._quote(old.value)
            return f"`{sign} {value}` is missing" if value else f"a `{sign}` is missing"
        if isinstance(old, ast.Expr):
            return f"{self._name(old.value)} is missing"
        target = old.targets[0]
        known = isinstance(target, ast.Name) and target.id in self.words
        return f"a line is missing that changes `{target.id}`" if known else "a line is missing"

    def _name(self, node: Any) -> str:
        """What a call does, in words; of one of the object's own layers, its name, which the text gives."""
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute):
            own = isinstance(function.value, ast.Name) and function.value.id == "self"
            if own and not function.attr.startswith("_"):
                return f"`{function.attr}`"
            return WORDS.get(function.attr, A_STEP)
        name = getattr(function, "id", "")
        return WORDS.get(name) or (f"`{name}`" if self._is_earlier(name) else A_STEP)

    def _is_earlier(self, name: str) -> bool:
        """Whether a function is the answer to an earlier exercise, or named by this one's text."""
        module = self.exercise.reference.__module__
        made = vars(sys.modules[module]).get(name)
        own = getattr(made, "__module__", "") == module and not name.startswith("_")
        return name in self.text or own

    # -- places ----------------------------------------------------------------------------------------------

    def where(self, said: str) -> str:
        """In brackets, with which of the exercise's arguments it happens, or in which of its methods.

        Args:
            said: what is said before: arguments that it names needn't be named again.
        """
        place = self.mutant.place
        nodes = (place.node, *place.around)
        whole = _method(nodes)
        # A method that only this right answer has is nothing that a reader knows.
        method = [f"in `{whole.name}`"] if whole and hasattr(self.exercise.reference, whole.name) else []
        statement = next((node for node in nodes if isinstance(node, ast.stmt)), place.node)
        at_the_end = isinstance(statement, ast.Return) and (
            not whole or (method and _function(place) is whole)
        )
        if step := self._step(nodes, statement):
            known = {word for code in re.findall("`([^`]*)`", said) for word in re.findall(r"\w+", code)}
            method += (
                [] if {*step} <= known else [f"the step with {listed([f'`{word}`' for word in step], 'and')}"]
            )
        elif at_the_end and "returned" not in said:
            method.append("in the `return`" if not method else "the `return`")
        return f" ({', '.join(method)})" if method else ""

    def _step(self, nodes: Sequence[ast.AST], statement: ast.AST) -> list[str]:
        """The exercise's arguments in the code around a place, if they are few."""
        for each in (next((node for node in nodes if isinstance(node, IN_FULL)), nodes[0]), statement):
            if isinstance(each, ast.FunctionDef | ast.ClassDef | ast.For | ast.If | ast.While | ast.With):
                continue
            named = [word for word in dict.fromkeys(_read(each)) if word in self.words]
            if named and len(named) <= 3:
                return named
        return []


def _taken(new: ast.AST, old: ast.AST) -> str:
    """That one sign has the place of another."""
    return f"`{SIGNS[type(new)]}` is used in place of `{SIGNS[type(old)]}`"


def _amount(what: str, before: float, after: float) -> str:
    """By how much a number is off."""
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


def _function(place: Place) -> Any:
    return next(n for n in (place.node, *place.around) if isinstance(n, ast.FunctionDef | ast.ClassDef))


def _method(nodes: Sequence[ast.AST]) -> ast.FunctionDef | None:
    """The method of a class that code belongs to, whatever functions within it are around the code."""
    pairs = itertools.pairwise(nodes)
    return next(
        (n for n, outer in pairs if isinstance(n, ast.FunctionDef) and isinstance(outer, ast.ClassDef)), None
    )


def _names(exercise: Exercise) -> tuple[set[str], set[str]]:
    """The names that an exercise's text has for its arguments, and all words of its docstrings."""
    definition = exercise.reference
    methods = (
        [m for m in vars(definition).values() if inspect.isfunction(m)]
        if isinstance(definition, type)
        else []
    )
    every = [definition, *methods]
    known = {name for each in every for name in inspect.signature(each).parameters}
    return known, {word for each in every for word in re.findall(r"\w+", inspect.getdoc(each) or "")}


def _read(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            yield each.id
