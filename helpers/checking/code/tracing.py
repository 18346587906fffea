"""What of a notebook's code an answer reaches, and whether that names what its exercise forbids.

`forbidding` watches what an answer calls, in the student's own process, which can be talked out of it. This
reads code, and only code that the judged object leads to: a self-test beside the answer, a version kept for
comparison or a call of `help` may name anything. A name that leads to something of the student's own, or to
the helpers, is free. A student's check and the judge both read the cells that ran, in their order, so that
both say the same.
"""

import contextlib
import re
import sys
from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from helpers.checking.calling.outcome import Outcome
from helpers.checking.code.names import Mention, Statement, read, syntax_problem
from helpers.checking.code.running import Failure
from helpers.checking.limits import MAX_STEPS

# They fetch an operator's code, which nobody then sees called. What else would an answer need it for?
KERNELS = ("torch.library.get_kernel", "torch._C._dispatch_get_computed_kernel_for_dispatch_key")


class Tangled(Exception):
    """The code is such that nobody would see to its end which names lead where; the text says so."""


@dataclass(frozen=True)
class Use:
    """A forbidden function that an answer's code names: the entry of the exercise, and the line."""

    name: str
    where: str


def forbidden_use(
    cells: Sequence[str], exercise: str, forbidden: tuple[str, ...], answer: str = ""
) -> Use | None:
    """The first forbidden function that an answer's code names.

    Args:
        cells: the code cells that ran, in their order. The last one calls `check`.
        exercise: its id, by which the call is found.
        forbidden: dotted names; one without a dot stands for a whole package.
        answer: the name of the judged object, for a call that the last cell doesn't show.

    Raises:
        Tangled: it takes too long to find out.
    """
    if forbidden:
        # defence: traced: kernels
        forbidden = (*forbidden, *KERNELS)
    words = {name.rpartition(".")[2] for name in forbidden}
    # defence: traced: other letters
    if all(cell.isascii() and not any(word in cell for word in words) for cell in cells):
        return (
            None  # a name is there as it is, or nowhere; other alphabets have letters that Python reads alike
        )
    statements = [statement for cell in cells for statement in read(cell)]
    return _Search(statements, forbidden).of(exercise, answer)


def source_of(cells: Sequence[str], exercise: str, answer: str) -> str:
    """An answer with all that it leads to in a notebook's cells, as Python that stands by itself.

    Args:
        cells: as for `forbidden_use`.
        exercise: its id.
        answer: the name of the judged object.

    Returns:
        The statements in their order; "" where some of them do more than define and import, such as reading
        a file, which mustn't happen again elsewhere, or it takes too long to find them.
    """
    statements = [statement for cell in cells for statement in read(cell)]
    search = _Search(statements, ())
    try:
        numbers = sorted({n for _, _, fresh in search.reached(exercise, answer) for n in fresh})
    except Tangled:
        return ""
    modules = {name for statement in statements for name in statement.modules}
    # A call such as torch.manual_seed(0) makes no answer what it is.
    found = [each for each in map(statements.__getitem__, numbers) if each.binds or each.adds - modules]
    text = "\n\n\n".join(dict.fromkeys(statement.text for statement in found)) + "\n"
    alone = all(statement.does_nothing_else for statement in found) and not syntax_problem(text)
    return text if found and alone else ""


def did_not_run(cells: Sequence[str], exercise: str, answer: str = "") -> str:
    """Why the last version of an answer's cell can't have run, so that its name stands for an older one.

    Args:
        cells: as for `forbidden_use`.
        exercise: its id.
        answer: the name of the judged object, for a call that the last cell doesn't show.

    Returns:
        The mistake in its syntax, with its line; "" where there is none.
    """
    last = read(cells[-1]) if cells else ()
    given = [mention.root for statement in last for mention in statement.checks.get(exercise, ())]
    name = given[0] if given else answer
    for cell in reversed(cells[:-1]):
        if name and _writes(cell, name):
            problem = syntax_problem(cell)
            return f"the last version of its cell did not run: {problem}" if problem else ""
    return ""


def _writes(cell: str, name: str) -> bool:
    """Whether a cell, which may be no Python, looks as if it made a name."""
    made = rf"^(?:(?:[ \t]*(?:async )?def|class)[ \t]+{re.escape(name)}\b|{re.escape(name)}[ \t]*=)"
    return bool(re.search(made, cell, re.M))


def fix_first(error: str, cells: Sequence[str], failures: Mapping[int, str]) -> str:
    """Why a name isn't defined, where a cell that should have made it failed.

    Args:
        error: a text with the exception in it.
        cells: the code cells that ran, in their order.
        failures: the types of the exceptions that ended their last runs, by their numbers in `cells`.

    Returns:
        What to fix first, in a sentence; "" where it is no such exception, or no failed cell makes the name.
    """
    if not (found := UNDEFINED.search(error)):
        return ""
    for number in sorted(failures, reverse=True):
        name, cell = found[1], cells[number]
        if any(name in statement.makes for statement in read(cell)) or _writes(cell, name):
            return FIX_FIRST.format(name=name, error=failures[number])
    return ""


def fails_in(outcomes: Sequence[Outcome], cells: Sequence[str], failing: Collection[str]) -> str:
    """The exercise in whose answer calls of another one fail for want of a name: no argument changes that.

    Args:
        outcomes: of the check of the other one.
        cells: as for `forbidden_use`.
        failing: ids of exercises whose answers are known not to pass.

    Returns:
        Its id; "" where calls fail for another reason, or in no answer that is known not to pass.
    """
    lines = [each.where for each in outcomes if UNDEFINED.match(f"{each.error}: {each.message}")]
    cell = cell_of(lines[0], cells) if lines else ""
    number = int(lines[0].split()[1].rstrip(":")) if cell else 0
    made = next((each.makes for each in read(cell) if number <= each.end), set())
    statements = [statement for cell in cells for statement in read(cell)] if made else []
    for exercise in failing:
        if made & {mention.root for each in statements for mention in each.checks.get(exercise, ())}:
            return exercise
    return ""


FAILS_IN = "It fails in the answer to “{}”, which doesn't pass yet: fix that first."
_LINE = re.compile(r"line (\d{1,6}): (.+)", re.DOTALL)
UNDEFINED = re.compile(r"NameError: name '(\w+)' is not defined")
FIX_FIRST = "`{name}` has no value, because the cell that makes it ended with {error}: fix that first."


def not_made_anew(
    cells: Sequence[str], exercise: str, failures: Mapping[int, Failure], answer: str = ""
) -> str:
    """Why an answer may be another than its cells say: one of them failed before it had made its part.

    Args:
        cells: as for `forbidden_use`.
        exercise: its id.
        failures: how the last runs of cells ended, by their numbers in `cells`.
        answer: the name of the judged object, for a call that the last cell doesn't show.

    Returns:
        The name that still stands for what it stood for before, in a sentence; "" where there is none.
    """
    if not failures:
        return ""
    made = [(number, statement) for number, cell in enumerate(cells) for statement in read(cell)]
    search = _Search([statement for _, statement in made], ())
    with contextlib.suppress(Tangled):
        for mention, _, fresh in search.reached(exercise, answer):
            for cell, statement in (made[number] for number in fresh):
                failure = failures.get(cell)
                if failure and failure.line <= statement.end and mention.root in statement.makes:
                    return NOT_MADE.format(name=mention.root, error=failure.error)
    return ""


NOT_MADE = (
    "The cell that makes `{name}` ended with {error} when it last ran, so `{name}` is missing, or is what it "
    "was before: fix that first, and run it again."
)


def cell_of(where: str, cells: Collection[str]) -> str:
    """The only cell with a line, such as `line 4: while True:`; "" where it is none, or could be several."""
    if not (found := _LINE.fullmatch(where)):
        return ""
    number, text = int(found[1]), found[2]
    having = {cell for cell in cells if _line(cell, number).startswith(text)}
    # defence: endless: no other cell
    return having.pop() if len(having) == 1 else ""


def _line(cell: str, number: int) -> str:
    lines = cell.split("\n")
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


class _Search:
    """From a judged object to all that it leads to."""

    def __init__(self, statements: list[Statement], forbidden: tuple[str, ...]) -> None:
        self.statements = statements
        self.last = {name.rpartition(".")[2]: name for name in reversed(forbidden) if "." in name}
        self.packages = {name for name in forbidden if "." not in name}
        self.roots = {name.partition(".")[0] for name in forbidden}
        self.own = {name for statement in statements for name in statement.owned}
        stars = (statement.modules.get("*", "") for statement in statements)
        self.steps = 0
        self.stars = any(star.partition(".")[0] in self.roots for star in stars)
        self.history: dict[str, list[tuple[int, bool]]] = defaultdict(list)
        for number, statement in enumerate(statements):
            for name in statement.binds | statement.adds:
                self.history[name].append((number, name in statement.binds))

    def of(self, exercise: str, answer: str) -> Use | None:
        """The first forbidden use that the object of the last check of an exercise leads to."""
        for mention, time, _ in self.reached(exercise, answer):
            if name := self._forbidden(mention, time):
                return Use(name, mention.where)
        return None

    def reached(self, exercise: str, answer: str) -> Iterator[tuple[Mention, int, list[int]]]:
        """All that the object of the last check of an exercise leads to.

        Yields:
            A mention, the time of its reading, and the statements that it leads to and none before did.
        """
        given = [n for n, statement in enumerate(self.statements) if exercise in statement.checks]
        start = self.statements[given[-1]].checks[exercise] if given else [Mention(answer, "", (), "")]
        waiting = deque((mention, given[-1] if given else len(self.statements)) for mention in start)
        seen: set[int] = set()
        while waiting:
            mention, time = waiting.popleft()
            fresh = [number for number in self._bindings(mention.root, time) if number not in seen]
            yield mention, time, fresh
            seen.update(fresh)
            for number in fresh:
                found = self.statements[number]
                # defence: traced: at once
                waiting += [(each, number) for each in found.now]
                # defence: traced: in functions
                waiting += [(each, len(self.statements)) for each in found.later]

    def _bindings(self, name: str, time: int) -> Iterator[int]:
        """The statements that made a name what it is at a time, the last first."""
        for number, afresh in reversed(self.history.get(name, [])):
            self.steps += 1
            # defence: traced: steps without end
            if self.steps > MAX_STEPS:
                raise Tangled("its code is too tangled to see what it leads to: fewer statements would do")
            if number < time:
                yield number
                if afresh:
                    return

    def _forbidden(self, mention: Mention, time: int) -> str:
        """The entry that a mention stands for; "" where it is free."""
        dotted = [mention.module] if mention.module else list(self._modules(mention, time))
        for name in dotted:
            package, *parts = name.split(".")
            parts += mention.path
            # defence: traced: packages
            if package in self.packages:
                return package
            if package in self.roots and (found := next((p for p in parts if p in self.last), "")):
                return self.last[found]
        if dotted:
            return ""
        bindings = list(self._bindings(mention.root, time))
        if not bindings and self.last.get(mention.root) == f"builtins.{mention.root}":
            return self.last[mention.root]
        # defence: traced: star imports
        if mention.root and not bindings and mention.root in self.last and self.stars:
            return self.last[mention.root]
        if any(mention.root in self.statements[number].defines for number in bindings):
            return ""
        # defence: traced: methods
        found = next((part for part in mention.path if part in self.last and part not in self.own), "")
        return self.last.get(found, "")

    def _modules(self, mention: Mention, time: int, depth: int = 0) -> Iterator[str]:
        """The dotted names that a mention's global name may have come with, through aliases."""
        for number in self._bindings(mention.root, time):
            statement = self.statements[number]
            if mention.root in statement.modules:
                yield statement.modules[mention.root]
            elif statement.alias and depth < 10:
                path = ".".join(("", *statement.alias.path))
                yield from (name + path for name in self._modules(statement.alias, number, depth + 1))


def cells_so_far() -> list[str]:
    """The cells that this notebook ran since its start, the running one last; none outside of a notebook."""
    if "IPython" not in sys.modules or (shell := sys.modules["IPython"].get_ipython()) is None:
        return []
    return list(shell.history_manager.input_hist_parsed)
