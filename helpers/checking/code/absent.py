"""Lines at the top level of a cell that ask for what isn't there, left out with a remark: the rest counts.

A notebook that was written elsewhere, such as on Colab, imports what is only there. What such an import binds
gets a stand-in, which raises the import's error where an answer needs it. Plain statements that begin with a
stand-in, such as `drive.mount("/content/drive")`, are left out, too, and so are magics that IPython doesn't
know. What is inside of a `try`, an `if` or a function is left as it is.
"""

import ast
import re
import sys
from collections.abc import Iterator
from typing import Any

Import = ast.Import | ast.ImportFrom
LOADING = ("load_ext", "reload_ext")


class Absent:
    """What stands for something that isn't there; to call it raises `error` with these words."""

    def __init__(self, words: str, error: type[ImportError] = ImportError) -> None:
        self.__words, self.__error = words, error

    def __getattr__(self, name: str) -> "Absent":
        if name.startswith("__"):  # what Python asks all objects for
            raise AttributeError(name)
        return self

    def __getitem__(self, _: Any) -> "Absent":
        return self  # Float[Tensor, "n"], in a type hint

    __iter__ = None  # or each index would give something

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise self.__error(self.__words)

    def __str__(self) -> str:
        return self.__words


class LeaveOut:
    """Makes such lines optional in the code of a shell's cells, as one of IPython's `ast_transformers`."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell

    def visit(self, module: ast.Module) -> ast.Module:
        """The code of a cell: as it is, but for lines that may have to be left out."""
        known = {name for name, value in self.shell.user_ns.items() if type(value) is Absent}
        body: list[ast.stmt] = []
        for node in module.body:
            unsure = list(_unsure(node))
            known |= {name for each in unsure for name in _bound_by(each)}
            body += map(_tried, unsure) if unsure else [_unless_absent(node, known)]
        module.body = body
        return module


def _unsure(node: ast.stmt) -> Iterator[ast.stmt]:
    """A statement that may ask for what isn't there, an import name by name; nothing of any other."""
    if _magic(node)[:1] in [(name,) for name in LOADING]:
        yield node
    if not isinstance(node, Import) or _succeeds(node):
        return
    for alias in node.names:
        yield ast.copy_location(type(node)(**{**vars(node), "names": [alias]}), node)


def _succeeds(node: Import) -> bool:
    """Whether it is known to: most imports are of what was imported before."""
    if isinstance(node, ast.Import):
        return all(alias.name in sys.modules for alias in node.names)
    module = sys.modules.get(node.module or "")
    there = all(alias.name == "*" or hasattr(module, alias.name) for alias in node.names)
    return node.module == "__future__" or (bool(module) and not node.level and there)


def _magic(node: ast.stmt) -> tuple[str, str] | tuple[()]:
    """The name and the line of a magic such as `%load_ext tensorboard`; nothing for other statements."""
    call = node.value if isinstance(node, ast.Expr) else None
    if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "run_line_magic":
        texts = [str(each.value) for each in call.args if isinstance(each, ast.Constant)]
        return (texts[0], texts[1]) if len(texts) == 2 else ()
    return ()


def _bound_by(node: ast.stmt) -> list[str]:
    """The names that an import binds."""
    names = [a.asname or a.name.partition(".")[0] for a in node.names] if isinstance(node, Import) else []
    return [name for name in names if name != "*"]


def _tried(node: ast.stmt) -> ast.stmt:
    """A statement that is left out if it raises an ImportError."""
    call = _call("instead_of", ast.Constant(_written(node)))
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in _bound_by(node)]
    instead = ast.Assign(targets, call) if targets else ast.Expr(call)
    handler = ast.ExceptHandler(ast.Name("ImportError", ast.Load()), None, [instead])
    return _placed(ast.Try([node], [handler], [], []), node)


def _unless_absent(node: ast.stmt, known: set[str]) -> ast.stmt:
    """A plain statement that is left out if it begins with a stand-in, or with a magic that isn't there."""
    names = isinstance(node, ast.Assign) and all(isinstance(each, ast.Name) for each in node.targets)
    if not isinstance(node, ast.Expr | ast.Assign) or not (names or isinstance(node, ast.Expr)):
        return node
    begins = node.value
    while isinstance(begins, ast.Attribute | ast.Call | ast.Subscript):
        begins = begins.func if isinstance(begins, ast.Call) else begins.value
    used, magic = isinstance(begins, ast.Name) and begins.id in known, _magic(node)
    if used or magic:
        known |= {each.id for each in getattr(node, "targets", ()) if isinstance(each, ast.Name)}
        absent = _call("no_magic", ast.Constant(magic[0])) if magic else _call("absent", begins)
        left_out = _call("left_out", absent, ast.Constant(_written(node)), ast.Constant(names))
        node.value = _placed(ast.IfExp(absent, left_out, node.value), node)
    return node


def _written(node: ast.stmt) -> str:
    return f"%{' '.join(magic)}" if (magic := _magic(node)) else ast.unparse(node)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    """A call of one of the functions below; the notebook needs no name for it."""
    here = ast.Call(
        ast.Name("__import__", ast.Load()),
        [ast.Constant(__name__)],
        [ast.keyword("fromlist", ast.Tuple([ast.Constant(name)], ast.Load()))],
    )
    return ast.Call(ast.Attribute(here, name, ast.Load()), list(arguments), [])


def _placed(made: Any, node: ast.stmt) -> Any:
    """Code in the place of a statement: an error in it is in that line."""
    for each in ast.walk(made):
        if not hasattr(each, "lineno"):
            ast.copy_location(each, node)
    return made


def instead_of(line: str) -> Absent:
    """A stand-in for what a line could not import, in an `except` clause."""
    error = sys.exc_info()[1]
    words = re.sub(r" \([^()]*\)$", "", str(error))  # without the path of a file
    return left_out(Absent(words, ModuleNotFoundError if "No module" in words else ImportError), line, True)


def absent(value: object) -> Absent | None:
    """A value if it is a stand-in, else None."""
    return value if type(value) is Absent else None


def no_magic(name: str) -> Absent | None:
    """A stand-in for a magic that IPython doesn't know; None if it does."""
    known = sys.modules["IPython"].get_ipython().find_line_magic(name)
    return None if known else Absent(f"there is no magic %{name}")


def left_out(absent: Absent, line: str, keep: bool) -> Any:
    """Say that a line was left out, and give what stands for its value, if anything keeps that."""
    print(f"Left out `{line}`: {absent}. Grading has the course's packages, and no others.", file=sys.stderr)
    return absent if keep else None
