"""The names in a cell's code: what each statement binds, and what it and its functions mention."""

import ast
import functools
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from helpers.checking.code.lookalikes import as_it_looks
from helpers.checking.limits import MAX_SOURCE

LONGEST_LINE = 120  # characters of a line that is shown
LOOKUPS = ("attrgetter", "methodcaller", "__getattribute__")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Mention:
    """A name with attributes behind it, such as `F.softmax`.

    Attributes:
        root: the global name it begins with; "" where it begins with anything else.
        module: what a function's own import makes of that name, as a dotted name.
        path: the attributes.
        where: its line, with its number in the cell.
    """

    root: str
    module: str
    path: tuple[str, ...]
    where: str


@dataclass
class Statement:
    """One statement of a cell, as far as names are concerned.

    Attributes:
        binds: names that stand for something else after it.
        adds: names that may do, or whose objects it writes into.
        makes: names that it assigns something to, or into.
        end: its last line.
        modules: of the names it binds, those that it imports, with their dotted names.
        alias: what its only name stands for, where that is another name.
        owned: functions and classes that it defines, and what those classes give their objects.
        now: what is read when it runs.
        later: what its functions read when they are called.
        checks: by exercise, what a call of `check` is given.
        text: the lines of the cell's statement that it is, or is inside of.
        does_nothing_else: whether that one defines or imports something and has no other effect.
    """

    binds: set[str] = field(default_factory=set)
    adds: set[str] = field(default_factory=set)
    makes: set[str] = field(default_factory=set)
    end: int = 0
    modules: dict[str, str] = field(default_factory=dict)
    alias: Mention | None = None
    defines: set[str] = field(default_factory=set)
    owned: set[str] = field(default_factory=set)
    now: list[Mention] = field(default_factory=list)
    later: list[Mention] = field(default_factory=list)
    checks: dict[str, list[Mention]] = field(default_factory=dict)
    text: str = ""
    does_nothing_else: bool = True


@functools.lru_cache(maxsize=2000)
def read(cell: str) -> tuple[Statement, ...]:
    """A cell's statements; none of one that doesn't run for being no Python."""
    try:
        return tuple(_with_texts(cell))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()


def _with_texts(cell: str) -> Iterator[Statement]:
    lines, heads = cell.splitlines(), _heads(cell)
    for node in _parse(cell).body:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        text = "\n".join(lines[first - 1 : node.end_lineno])
        for statement in _statements([node], heads, always=True):
            statement.text, statement.does_nothing_else = text, _only_defines(node)
            yield statement


def _heads(cell: str) -> list[str]:
    """What is shown of each line of a cell."""
    return [line.strip()[:LONGEST_LINE] for line in cell.splitlines()]


def _only_defines(node: ast.stmt) -> bool:
    """Whether a statement defines or imports something, or names plain numbers, texts and other names."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        harmless = (
            ast.Constant, ast.Name, ast.Attribute, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.List, ast.Dict,
            ast.operator, ast.unaryop, ast.expr_context, ast.Lambda, ast.arguments, ast.arg,
        )  # fmt: skip
        lambdas = [each for each in ast.walk(node) if isinstance(each, ast.Lambda)]
        inside = {id(part) for each in lambdas for part in ast.walk(each.body)}
        parts = ast.walk(node.value) if node.value else ()
        return all(isinstance(part, harmless) or id(part) in inside for part in parts)
    return isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)


def syntax_problem(cell: str) -> str:
    """What is wrong with a cell's syntax, with its line; "" where nothing is."""
    try:
        compile(_parse(cell), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError as error:
        return f"{error.msg}, in line {error.lineno}"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error)
    return ""


def _parse(cell: str) -> ast.Module:
    if len(cell) > MAX_SOURCE:
        raise ValueError("longer than any answer")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the student's code, and this may be the grader's terminal
        try:
            return ast.parse(cell)
        except (
            SyntaxError
        ):  # IPython's own syntax, perhaps, or characters that it gets as what they look like
            from IPython.core.inputtransformer2 import TransformerManager  # a notebook's cells have it

            return ast.parse(as_it_looks(TransformerManager().transform_cell(cell)).source)


def _statements(body: list[ast.stmt], lines: list[str], *, always: bool) -> Iterator[Statement]:
    """The statements of a cell, those inside of `if`, `for`, `with` and `try` one by one."""
    for node in body:
        if isinstance(node, ast.If | ast.For | ast.AsyncFor | ast.While | ast.With | ast.AsyncWith | ast.Try):
            yield _statement(node, lines, always=False, inside=False)
            for name in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(node, name, []), lines, always=False)
            for handler in getattr(node, "handlers", []):
                yield from _statements(handler.body, lines, always=False)
        # defence: names: magics
        elif magic := _cell_magic(node):
            yield from _statements(_parse(magic).body, _heads(magic), always=False)
        else:
            yield _statement(node, lines, always=always)


def _cell_magic(node: ast.stmt) -> str:
    """The code below a magic such as `%%time`."""
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "run_cell_magic":
        *_, code = [arg.value for arg in call.args if isinstance(arg, ast.Constant)] or [""]
        try:
            ast.parse(str(code))
        except SyntaxError:  # of another language
            return ""
        return str(code)
    return ""


def _statement(node: ast.stmt, lines: list[str], *, always: bool, inside: bool = True) -> Statement:
    """One statement; of `if` and its like, with `inside` false, only the head."""
    if not inside:
        heads = [getattr(node, name) for name in ("test", "iter", "target", "items") if hasattr(node, name)]
        parts = [part for head in heads for part in (head if isinstance(head, list) else [head])]
    else:
        parts = [node]
    reader = _Reader(lines)
    made = reader.made
    made.end = (node.end_lineno or 0) if inside else node.body[0].lineno - 1  # type: ignore[attr-defined]
    for part in parts:
        bound = _bound(part)
        # `x.append(y)` may change much or nothing: it makes no `x`.
        made.makes |= {*bound, *(() if isinstance(part, ast.Expr) else _written_into(part))}
        made.modules |= {name: module for name, module in bound.items() if module}
        (made.binds if always else made.adds).update(bound)
        # defence: names: objects written into
        made.adds |= _written_into(part)
        reader.visit(part)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        made.defines.add(node.name)
        # defence: names: global
        made.adds |= {name for each in ast.walk(node) if isinstance(each, ast.Global) for name in each.names}
    if (
        isinstance(node, ast.Assign)
        and len(made.now) == 1
        and isinstance(node.value, ast.Name | ast.Attribute)
    ):
        made.alias = made.now[0]
    return made


def _bound(node: ast.AST) -> dict[str, str]:
    """The names that a piece of code binds in its own scope, with what it imports them as, or ""."""
    found: dict[str, str] = {}
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store | ast.Del):
            found.setdefault(each.id, "")
        elif isinstance(each, ast.Import):
            for alias in each.names:
                first = alias.name.partition(".")[0]
                found[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(each, ast.ImportFrom):
            module = each.module or "." * each.level
            found |= {
                alias.asname or alias.name: module if alias.name == "*" else f"{module}.{alias.name}"
                for alias in each.names
            }
        elif isinstance(each, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and each.name:
            found.setdefault(each.name, "")
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.setdefault(each.name, "")
        elif not isinstance(each, (ast.Lambda, *COMPREHENSIONS)):
            waiting += ast.iter_child_nodes(each)
    return found


def _written_into(node: ast.AST) -> set[str]:
    """Names whose objects a statement changes: `table["f"] = g`, `A.forward = f`, `table.append(g)`."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        targets = [call.func] if isinstance(call.func, ast.Attribute) else []
        if getattr(call.func, "id", "") == "setattr":
            targets = call.args[:1]
    found = set()
    for target in targets:
        while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
            target = target.value
        if isinstance(target, ast.Name):
            found.add(target.id)
    return found


class _Reader(ast.NodeVisitor):
    """Collects what one statement mentions, by Python's rules of scope."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.made = lines, Statement()
        self.scopes: list[tuple[bool, dict[str, str]]] = []  # a class's own or not, and its names
        self.depth = 0

    def _mention(self, root: ast.expr | None, path: tuple[str, ...], line: int) -> None:
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        where = f"line {line}: {text}"[:LONGEST_LINE]
        name, module = root.id if isinstance(root, ast.Name) else "", ""
        for number, (of_class, names) in enumerate(reversed(self.scopes)):
            if name in names and not (of_class and number):  # methods don't see their class's names
                name, module = "", names[name]
                break
        (self.made.later if self.depth else self.made.now).append(Mention(name, module, path, where))

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._mention(node, (), node.lineno)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._chain(node.value, (node.attr,), node.lineno)
        if self.scopes and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            self.made.owned.add(node.attr)  # self.softmax = ...

    def _chain(self, base: ast.expr, path: tuple[str, ...], line: int) -> None:
        while isinstance(base, ast.Attribute):
            path = base.attr, *path
            base = base.value
        self._mention(base, path, line)
        if not isinstance(base, ast.Name):
            self.visit(base)

    def visit_Call(self, node: ast.Call) -> None:
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        texts = [
            arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
        ]
        # defence: names: getattr
        if called == "getattr" and texts and len(node.args) > 1:
            self._chain(node.args[0], (texts[0],), node.lineno)
        # defence: names: methodcaller
        elif called in LOOKUPS and texts:
            self._mention(None, tuple(texts[-1].split(".")), node.lineno)
        elif called == "check" and texts and len(node.args) + len(node.keywords) > 1:
            reader = _Reader(self.lines)
            for given in (*node.args[1:], *(keyword.value for keyword in node.keywords)):
                reader.visit(given)
            self.made.checks[texts[0]] = reader.made.now + reader.made.later
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """`torch.__dict__["softmax"]` and `vars(torch)["softmax"]`."""
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        # defence: names: __dict__
        if isinstance(key, str):
            if isinstance(node.value, ast.Attribute) and node.value.attr == "__dict__":
                self._chain(node.value.value, (key,), node.lineno)
            elif isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "vars":
                for arg in node.value.args:
                    self._chain(arg, (key,), node.lineno)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in (*node.decorator_list, *node.bases, *(keyword.value for keyword in node.keywords)):
            self.visit(part)
        names = {name: module for part in node.body for name, module in _bound(part).items()}
        self.made.owned |= set(names)
        self._within(True, names, node.body)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in node.decorator_list:
            self.visit(part)
        self._function(node, node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._function(node, [node.body])

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, body: Sequence[ast.AST]
    ) -> None:
        for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(default)
        names = {each.arg: "" for each in ast.walk(node.args) if isinstance(each, ast.arg)}
        elsewhere: set[str] = set()
        for part in body:
            names |= _bound(part)
            for each in ast.walk(part):
                if isinstance(each, ast.Global):
                    elsewhere |= set(each.names)
        self.depth += 1
        self._within(False, {k: v for k, v in names.items() if k not in elsewhere}, body)
        self.depth -= 1

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        names = {n: "" for part in node.generators for n in _bound(part.target)}
        self._within(False, names, list(ast.iter_child_nodes(node)))

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _within(self, of_class: bool, names: dict[str, str], body: Sequence[ast.AST]) -> None:
        self.scopes.append((of_class, names))
        for part in body:
            self.visit(part)
        self.scopes.pop()
