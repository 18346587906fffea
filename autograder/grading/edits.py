"""What a student changed in a code cell of the course's."""

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
            return "\n".join(_source(theirs, node) for node in new)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # IPython's own syntax, or none
        return "" if only_names else theirs


def _source(cell: str, node: ast.stmt) -> str:
    """A statement as it is written, with its decorators."""
    decorators = [ast.get_source_segment(cell, each) or "" for each in getattr(node, "decorator_list", [])]
    return "\n".join([*(f"@{text}" for text in decorators), ast.get_source_segment(cell, node) or ""])
