"""A figure that waits for a prediction is drawn by a click: after *Run All*, when all cells below have run.

So no cell below may change what it reads, or it isn't the figure that its text describes. And what its cell
makes isn't there for the cells below until the click. Where they wait, too, they say so; but they mustn't go
on with what was there before.
"""

import ast
import copy
import dis
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType

from autograder.authoring.master import Cell
from autograder.authoring.review import parse

# Methods that change what they are called on, beside those of tensors, whose names end with an underscore.
CHANGING = {
    *("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse"),
    *("update", "setdefault", "popitem", "add", "discard", "train", "eval", "step", "load_state_dict"),
}
AT_ONCE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # code that runs where it is written
DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
UNSEEN = (*DEFINES, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)  # with own names
Where = tuple[int, frozenset[str]]  # a line, and the predictions that are made by then


@dataclass
class _Use:
    """What a cell does with the notebook's names.

    Attributes:
        waits: the predictions that it waits for.
        reads: the names whose values come from other cells, and whether a missing one is told kindly.
        binds: the names that it gives a value.
        changes: the names whose values it changes.
        empties: the names that it gives the value None: there is nothing yet.
    """

    waits: frozenset[str]
    reads: list[tuple[str, Where, bool]] = field(default_factory=list)
    binds: list[tuple[str, Where]] = field(default_factory=list)
    changes: list[tuple[str, Where]] = field(default_factory=list)
    empties: set[str] = field(default_factory=set)


def out_of_order(cells: list[Cell]) -> Iterator[tuple[int, str]]:
    """Each line of a master that counts on an order in which cells may not run, with the cure.

    Args:
        cells: of the master, all written out.
    """
    used: list[_Use] = []
    known: dict[str, set[str]] = {}  # what functions read, by the names that hold them so far
    modules: set[str] = set()
    for cell in cells:
        if cell.is_code and (tree := _tree(cell)):
            modules |= _imported(tree)
            used.append(_use(cell, tree, known, modules))
    for number, one in enumerate(used):
        if one.waits:
            yield from _changed_below(one, used[number + 1 :])
            yield from _not_there_yet(one, used[:number], used[number + 1 :])


def _changed_below(one: _Use, below: list[_Use]) -> Iterator[tuple[int, str]]:
    """What a waiting cell reads, and a cell below has changed by the click."""
    later: dict[str, int] = {}
    for name, (line, made) in (each for use in below for each in (*use.binds, *use.changes)):
        if not one.waits <= made:
            later.setdefault(name, line)
    for name, line in {name: line for name, (line, _), _ in reversed(one.reads) if name in later}.items():
        text = f"this waits for a prediction, and finds `{name}` as line {later[name]} leaves it"
        yield line, f"{text} if all cells have run by then; give one of the two a name of its own"


def _not_there_yet(one: _Use, above: list[_Use], below: list[_Use]) -> Iterator[tuple[int, str]]:
    """What a waiting cell makes, and a cell below reads before the click, of an older value or none."""
    older = {name for use in above for name, _ in use.binds} | {name for name, _ in one.changes}
    older |= {name for name, (_, made) in one.binds if not made}
    makes = {name: where for name, where in (*one.binds, *one.changes) if where[1]}
    for name in makes.keys() - one.empties:
        line, waits = makes[name]
        anew: list[frozenset[str]] = []  # what has been predicted where the name is bound again
        for use in below:
            early = (
                where
                for what, (where, made), told in use.reads
                if what == name and (name in older or not told)
                if not waits <= made and not any(each <= made for each in anew)
            )
            for where in itertools.islice(early, 1):
                yield where, _early(name, line, waits)
            anew += [made for what, (_, made) in use.binds if what == name]


def _early(name: str, line: int, waits: frozenset[str]) -> str:
    calls = ", ".join(f'after_predicting("{id}", told=False)' for id in sorted(waits))
    text = f"line {line} makes this `{name}` only once a prediction is made"
    return f"{text}; wait for it here as well, by `{calls}`, or make it above the prediction"


# -- what a cell does with names -------------------------------------------------------------------------


def _tree(cell: Cell) -> ast.Module | None:
    try:
        return parse(cell.source)
    except SyntaxError:  # which is told elsewhere
        return None


def _use(cell: Cell, tree: ast.Module, known: dict[str, set[str]], modules: set[str]) -> _Use:
    """What a cell does with names, by Python's own compiler, which knows what is local to a function.

    Args:
        cell: of code.
        tree: its source.
        known: by name, what the function that it holds reads when it is called. The cell's are added.
        modules: names of modules, which no method changes.
    """
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.With)]
    use = _Use(frozenset().union(*(_calls(block, "after_predicting") for block in blocks)))
    bound: set[str] = set()
    for part in _parts(tree.body):
        around = [block for block in blocks if block.lineno <= part.lineno <= (block.end_lineno or 0)]
        made = frozenset().union(*(_calls(block, "after_predicting") for block in around))
        told = any(_calls(block, "waiting_for") for block in around)
        where = (cell.first + part.lineno - 1, made)
        reads, binds, kept = _names(part)
        # What explorers call, they call kindly; but their arguments must be there.
        kindly = _reached(reads, known) - reads if "_explorer(" in ast.unparse(part) else set()
        use.reads += [
            (name, where, told or name in kindly) for name in sorted(_reached(reads, known) - bound)
        ]
        use.changes += [(name, where) for name in sorted(_changed(part) - modules)]
        bound |= binds
        if _is_none(part):
            use.empties |= binds
        else:
            use.binds += [(name, where) for name in sorted(binds)]
        made_of = (known.get(name, set()) for name in reads if name[0].isupper())  # an object of a class
        known |= dict.fromkeys(binds, kept.union(*made_of))
    return use


def _is_none(part: ast.stmt) -> bool:
    """Whether a statement gives a name the value None."""
    return isinstance(part, ast.Assign) and isinstance(part.value, ast.Constant) and part.value.value is None


def _reached(names: set[str], known: dict[str, set[str]]) -> set[str]:
    """Some names, and all that the functions that they hold read in turn."""
    found: set[str] = set()
    while names:
        found |= names
        names = set().union(*(known.get(name, ()) for name in names)) - found
    return found


def _parts(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body in order: of one that holds others, first its head, then what it holds."""
    for statement in body:
        if not isinstance(statement, ast.For | ast.While | ast.If | ast.With):
            yield statement
            continue
        head = copy.copy(statement)
        head.body = [ast.copy_location(ast.Pass(), statement)]
        held = list(statement.body)
        if not isinstance(head, ast.With):
            held += head.orelse
            head.orelse = []
        yield head
        yield from _parts(held)


def _names(statement: ast.stmt) -> tuple[set[str], set[str], set[str]]:
    """What a statement reads of the notebook, what it binds, and what functions in it read when called."""
    reads: set[str] = set()
    binds: set[str] = set()
    module = compile(ast.Module([statement], []), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    for step in dis.get_instructions(module):
        if step.opname in ("LOAD_NAME", "LOAD_GLOBAL"):
            reads |= {step.argval} - binds
        elif step.opname in ("STORE_NAME", "STORE_GLOBAL", "DELETE_NAME"):
            binds.add(step.argval)
    later, now = _in_functions(module)
    if isinstance(statement, DEFINES):
        return reads, binds, later | now
    return reads | later | now, binds, later  # whoever is handed a function may call it at once


def _in_functions(code: CodeType) -> tuple[set[str], set[str]]:
    """What the functions in some code read of the notebook, and what its comprehensions do."""
    later: set[str] = set()
    now: set[str] = set()
    for inner in (each for each in code.co_consts if isinstance(each, CodeType)):
        steps = [*dis.get_instructions(inner)]
        own = {step.argval for step in steps if step.opname == "STORE_NAME"}  # of a class
        reads = {step.argval for step in steps if step.opname in ("LOAD_NAME", "LOAD_GLOBAL")} - own
        deeper, at_once = _in_functions(inner)
        if inner.co_name in AT_ONCE:
            later, now = later | deeper, now | reads | at_once
        else:
            later |= reads | deeper | at_once
    return later, now


def _calls(block: ast.With, name: str) -> frozenset[str]:
    """What a block is handed by calls of a name at its head: `with waiting_for("..."):`."""
    calls = (item.context_expr for item in block.items)
    named = (call for call in calls if isinstance(call, ast.Call) and ast.unparse(call.func) == name)
    return frozenset(
        str(each.value) for call in named for each in call.args if isinstance(each, ast.Constant)
    )


def _imported(tree: ast.Module) -> set[str]:
    """The names that a cell imports: `experiments.train(...)` doesn't change a module."""
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return {alias.asname or alias.name.partition(".")[0] for each in imports for alias in each.names}


def _changed(node: ast.AST) -> set[str]:
    """The names whose values a statement changes in place, as far as it shows."""
    if isinstance(node, UNSEEN):
        return set()
    found = set().union(*map(_changed, ast.iter_child_nodes(node)))
    stored = isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
    called = node.func if isinstance(node, ast.Call) else None
    if isinstance(called, ast.Attribute) and (
        called.attr in CHANGING or re.fullmatch(r"[a-z]\w*[a-z]_", called.attr)
    ):
        found.add(_root(called))
    return found | ({_root(node)} if stored else set())


def _root(node: ast.AST) -> str:
    """The name of which something is a part, "" where that has none."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
