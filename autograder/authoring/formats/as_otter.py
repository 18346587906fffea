"""An exercise as a test file of otter-grader, in the form of its `test_case` or in the older one of a dict.

Source of both: otter-grader's documentation, "Python test files".
"""

import ast

from autograder.authoring.formats.core import Core


def as_otter(core: Core) -> dict[str, bytes]:
    """The file of an exercise, by its name, for otter-grader 4.2 and later: functions that raise."""
    cases = []
    for number, call in enumerate(core.calls, 1):
        mark = f"@test_case(name={f'{number}: {call.title}'!r}, hidden={call.hidden})"
        cases.append(f"{mark}\ndef test_{number}(env):\n    answer = env[{core.name!r}]\n    {call.code}\n")
    parts = [
        core.docstring(),
        "# ruff: noqa\nfrom otter.test_files import test_case\n",
        core.code,
        f"OK_FORMAT = False\n\nname = {core.stem!r}\npoints = {core.exercise.points}",
        "all_or_nothing = True\n\n",
        "\n\n".join(cases),
    ]
    return {f"{core.stem}.py": "\n".join(parts).encode()}


def as_ok(core: Core) -> dict[str, bytes]:
    """The file of an exercise, by its name, as doctests in a dict: for any otter-grader, and for OK.

    Each doctest gets a copy of the notebook's names, so each defines what it uses: hence there are two, of
    the visible cases and of the hidden ones.
    """
    cases = ""
    for hidden in sorted({call.hidden for call in core.calls}):
        calls = "\n".join(call.code for call in core.calls if call.hidden is hidden)
        code = _doctest(f"{core.code}\nanswer = {core.name}\n{calls}")
        lines = "\n".join(f"{' ' * 20}{line!r}" for line in code.splitlines(keepends=True))
        cases += f"            {{'hidden': {hidden}, 'code': (\n{lines}\n            )}},\n"
    text = f"""{core.docstring()}
# ruff: noqa
OK_FORMAT = True

test = {{
    'name': {core.stem!r},
    'points': {core.exercise.points},
    'all_or_nothing': True,
    'suites': [{{
        'type': 'doctest', 'scored': True, 'setup': '', 'teardown': '',
        'cases': [
{cases}        ],
    }}],
}}
"""
    return {f"{core.stem}.py": text.encode()}


def _doctest(code: str) -> str:
    """Code as doctests: each statement after `>>> `, its further lines after `... `."""
    lines, made = code.split("\n"), []
    for node in ast.parse(code).body:
        marks = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(mark.lineno for mark in marks)])
        for number, line in enumerate(lines[first - 1 : node.end_lineno]):
            made.append(f"{'... ' if number else '>>> '}{line}".rstrip())
    return "\n".join(made) + "\n"
