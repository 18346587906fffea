"""What a student changed in one of the course's code cells.

It becomes a cell of the student's own after it, statement by statement, so that the course's part doesn't run
twice.
"""

import ast
import warnings

NAMES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


def what_changed(ours: str, theirs: str, *, only_names: bool = False) -> str:
    """The statements of an edited cell that the course's cell doesn't have, in their order.

    Args:
        ours: the cell as students get it.
        theirs: the same after a student's edits.
        only_names: functions, classes and imports alone, as of a cell that grading leaves out for its figures
            and training runs: what builds on those has no place there either.

    Returns:
        Code; what can't be taken apart comes whole, and the course's part of it then runs twice.
    """
    if ours.split() == theirs.split():
        return ""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the student's code, and this is the grader's terminal
            known = {ast.dump(node) for node in ast.parse(ours).body}
            new = [node for node in ast.parse(theirs).body if ast.dump(node) not in known]
            if only_names:
                new = [node for node in new if isinstance(node, NAMES)]
            lines = theirs.encode().splitlines(keepends=True)  # bytes: at the ends of lines that Python knows
            return "\n".join(_source(lines, node) for node in new)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # IPython's own syntax, or none
        return "" if only_names else theirs


def _source(lines: list[bytes], node: ast.stmt) -> str:
    """A statement as it is written, with its decorators."""
    decorators = [_segment(lines, each) for each in getattr(node, "decorator_list", [])]
    return "\n".join([*(f"@{text}" for text in decorators), _segment(lines, node)])


def _segment(lines: list[bytes], node: ast.stmt | ast.expr) -> str:
    """What ast.get_source_segment gives, which goes through the whole cell for each of its statements."""
    assert node.end_lineno is not None and node.end_col_offset is not None, "the parser sets both"
    own = lines[node.lineno - 1 : node.end_lineno]
    own[-1] = own[-1][: node.end_col_offset]
    own[0] = own[0][node.col_offset :]
    return b"".join(own).decode()
