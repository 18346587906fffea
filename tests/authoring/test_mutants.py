"""Mutants of the references: made, tried, and refused by the build where one passes that isn't listed."""

import json
import os
from dataclasses import replace
from typing import Any

import pytest
import torch

from autograder import exercises
from autograder.answers import MARK
from autograder.authoring.given import Given
from autograder.authoring.master import MasterError
from autograder.authoring.mutating import digests, trying, verified
from autograder.authoring.mutating.around import around
from autograder.authoring.mutating.dependencies import dependencies
from autograder.authoring.mutating.mutants import Changed, Mutant, has_mutants, mutants
from autograder.authoring.mutating.same import same
from autograder.authoring.mutating.slips import slips
from autograder.authoring.mutating.trying import Limits, survivors
from autograder.authoring.promised import Docstring
from autograder.courses import current
from autograder.drawing import pick
from autograder.exercise import Exercise
from autograder.sheets import VISIBLE_SEED, failing_case, make_sheet
from helpers.checking.calling.outcome import Case
from helpers.checks import gradient_reaches_inputs, inputs_unchanged
from tests.support.proved import COURSE, follows_from
from tests.support.small_course import DOUBLE, Course, explained, unchanged

pytestmark = follows_from(*COURSE)

TOPICS = current().topics

# -- made ------------------------------------------------------------------------------------------------


def _scaled(x: torch.Tensor, by: float = 2.0) -> torch.Tensor:
    return x * by


def total(x: torch.Tensor, n: int) -> torch.Tensor:
    """The sum of the rows, n times doubled."""
    if n == 0:
        return x.sum(dim=-1, keepdim=True)
    return _scaled(total(x, n - 1))


def total_cases(generator: torch.Generator) -> list[Case]:
    return [Case(f"{n} times", (torch.randn(2, 3, 4, generator=generator), n)) for n in (0, 1, 3)]


TOTAL = Exercise(id="topic.total", title="", points=1, reference=total, cases=total_cases)


def test_mutants_come_of_the_reference_and_the_private_functions_it_calls():
    names = [mutant.name for mutant in mutants(TOTAL)]
    for expected in (
        "total: x.sum(dim=-1, keepdim=True) → x.sum(dim=-1)",
        "total: x.sum(dim=-1, keepdim=True) → x.sum(dim=-2, keepdim=True)",
        "total: x.sum(dim=-1, keepdim=True) → x.mean(dim=-1, keepdim=True)",
        "total: n == 0 → n != 0",
        "total: total(x, n - 1) → total(n - 1, x)",
        "total: n - 1 → n + 1",
        "_scaled: x * by → x.mul_(by)",
        "_scaled: x: torch.Tensor, by: float=2.0 → x: torch.Tensor, by: float=3.0",
    ):
        assert expected in names
    assert len(set(names)) == len(names)
    assert names == [mutant.name for mutant in mutants(TOTAL)]


def test_a_mutant_calls_itself_and_mutated_helpers_and_leaves_the_reference_alone():
    made = {mutant.name: mutant.answer for mutant in mutants(TOTAL)}
    x = torch.ones(2, 3)
    assert made["_scaled: x * by → x"](x, 2).tolist() == [[3.0], [3.0]]
    assert made["total: x.sum(dim=-1, keepdim=True) → x"](x, 2).tolist() == (4 * x).tolist()
    assert total(x, 2).tolist() == [[12.0], [12.0]]


def test_a_size_is_written_in_as_it_is_in_the_first_visible_case():
    def names(exercise_id: str) -> list[str]:
        return [m.name for m in mutants(exercises.load("attention")[exercise_id]) if m.kind == "size"]

    found = names("attention.scaled_dot_product")
    assert len(found) == 1 and found[0].startswith("scaled_dot_product_attention: q.size(-1) → ")
    assert found[0].rpartition(" ")[2].isdigit()


def test_thousands_of_mutants_are_made():
    code = [e for topic in TOPICS for e in exercises.load(topic).values() if has_mutants(e)]
    assert sum(1 for exercise in code for _ in mutants(exercise)) > 3_000


# -- tried -----------------------------------------------------------------------------------------------


def halves(x: int) -> int:
    n = 0
    while x > 1:
        x = x // 2
        n += 1
    return n


def hungry(x: int) -> list[int]:
    return list(range(min(x, 10**10)))


def test_memory_that_nothing_was_written_to_holds_the_same_each_time():
    with Limits():
        assert torch.empty(5).isnan().all()
    assert not torch.are_deterministic_algorithms_enabled()


def test_endless_loops_and_full_memory_stop_nothing(monkeypatch):
    monkeypatch.setattr(trying, "SECONDS", 0.1)
    monkeypatch.setattr(trying, "MEMORY", 2**28)
    cases = [Case("nine", (9,)), Case("one", (1,))]
    base = Exercise(id="topic.halves", title="", points=1, reference=halves, cases=lambda g: cases)
    endless = [
        s for s in survivors(base) if "while True" in s.mutant.name or s.mutant.name.endswith("→ pass")
    ]
    assert endless == []
    found = {s.mutant.name: s.visible for s in survivors(replace(base, reference=hungry))}
    assert found == {"hungry: min(x, 10 ** 10) → min(10 ** 10, x)": True, **dict.fromkeys(
        [name for name in found if "10 ** 10" in name], True)}  # fmt: skip
    assert "hungry: min(x, 10 ** 10) → max(x, 10 ** 10)" not in found


def _doubling(make) -> Exercise:
    wrong = explained(unchanged, tripled, negated)
    return replace(DOUBLE, cases=make, alternatives=(added, shifted), misconceptions=wrong)


def added(x):
    return x + x


def shifted(x):
    return x << 1


def tripled(x):
    """Three times, not twice."""
    return 3 * x


def negated(x):
    """The sign is another than that of x."""
    return -2 * x


def weak(generator: torch.Generator) -> list[Case]:
    return [Case("always two", (torch.full(_size(generator), 2),))]


def lucky(generator: torch.Generator) -> list[Case]:
    two_or_three = torch.randint(2, 4, (1,), generator=generator)
    return [Case("two or three", (two_or_three.expand(_size(generator)).clone(),))]


def _size(generator: torch.Generator) -> tuple[int, ...]:
    """One that hardly comes twice, so that no two draws are the same."""
    return int(torch.randint(2, 1000, (), generator=generator)), 1


def test_survivors_say_where_they_pass():
    assert list(survivors(DOUBLE)) == []
    found = {s.mutant.name: s for s in survivors(_doubling(weak))}
    assert set(found) == {"double: 2 * x → 2 + x"}
    assert found["double: 2 * x → 2 + x"].visible
    assert found["double: 2 * x → 2 + x"].draws == tuple(range(32))
    (one,) = survivors(_doubling(lucky))
    assert 0 < len(one.draws) < 32


# -- right as well ---------------------------------------------------------------------------------------


def row_sums(x):
    return x.sum(dim=-1)


def doubled_rows(x):
    """The rows are doubled, where they should be summed."""
    return 2 * x


def sizes(x):
    return x.new_full((2,), x.shape[0]) + x.size(-1)


def flat(x):
    return x.flatten(1)


def pair(x):
    return torch.stack([x, 2 * x], dim=0)


def softened(x):
    return torch.softmax(x, dim=1)


def sum_of_a_row(x):
    return x.sum(dim=0)


def half_a_sum(x):
    total = x.sum().item()
    return [float(total / 2)]


def looked_up(x):
    return {1.5: -x}.get(x.sum().item(), x)


def dotted(x):
    return x @ (2 * x)


def product(x):
    return x @ x.relu().T


def at_most(x):
    return torch.minimum(x, x[0]) + min(len(x), 5)


def first_of(x):
    return min("".join(map(str, x.shape)), "1") + "!"


def of_shape(reference: Any, *shape: int) -> Exercise:
    """An exercise whose cases have as many axes, of other sizes."""

    def cases(g: torch.Generator) -> list[Case]:
        return [Case("numbers", (torch.randn([n + pick(g, 0, 1, 2) for n in shape], generator=g),))]

    return Exercise(id="topic.name", title="", points=1, reference=reference, cases=cases)


@pytest.mark.parametrize(
    ("exercise", "text", "right", "if_said"),
    [
        (of_shape(row_sums, 2, 4), "(N, D).", ["dim=1"], []),
        (of_shape(row_sums, 2, 4), "numbers.", [], ["dim=1"]),
        (of_shape(row_sums, 2, 4), "(..., D).", [], ["dim=1"]),
        (of_shape(row_sums, 2, 4), "(D,) or (N, D).", [], ["dim=1"]),
        (of_shape(row_sums, 2, 4, 7), "(B, N, D).", [], []),
        (of_shape(sizes, 2, 4), "(N, D).", ["x.shape[-2]", "x.size(1)"], []),
        (of_shape(flat, 2, 4, 7), "(B, N, D).", ["flatten(-2)"], []),
        (of_shape(pair, 2, 4), "(N, D).", ["dim=-3"], []),
        (of_shape(softened, 2, 4), "(N, D).", ["dim=-1"], []),
        (of_shape(sum_of_a_row, 4), "(D,).", ["dim=-1", "x.sum()"], []),
        (of_shape(half_a_sum, 4), "(D,).", ["x.sum()", "total / 2"], []),
        (of_shape(half_a_sum, 4), "(...).", ["x.sum()", "total / 2"], []),
        (of_shape(dotted, 4), "(D,).", ["2 * x @ x"], []),
        (of_shape(product, 4, 2), "(N, D).", [], []),
        (of_shape(at_most, 4), "(D,).", ["torch.minimum(x[0], x)", "min(5, len(x))"], []),
        (of_shape(first_of, 4), "(D,).", [], []),  # texts are no numbers
        (of_shape(looked_up, 4), "(D,).", [], []),  # as a key, an array is no number
    ],
)
def test_a_mutant_that_means_the_same_by_the_docstring_is_right_as_well(
    exercise: Exercise, text: str, right: list[str], if_said: list[str]
) -> None:
    """One axis by its other number where the number of axes is fixed; a number in an array of its own."""
    sheets = trying.drawn(exercise)
    passing = [s.mutant for s in trying.tried(exercise, sheets) if s.everywhere]
    passing = [each for each in passing if isinstance(each, Mutant)]
    found = same(exercise, passing, Docstring({"x": text}), sheets)
    for names, parts in zip(found, (right, if_said), strict=True):
        became = [name.rpartition(" → ")[2] for name in names]
        assert len(became) == len(parts), became
        assert all(any(part in text for text in became) for part in parts), became


# -- refused ---------------------------------------------------------------------------------------------


@pytest.fixture
def course(tmp_path) -> Course:
    made = Course(tmp_path)
    made.write("exercises/attention/double.py", '"""Its exercises are in the test."""\n')
    return made


def record(course: Course, equivalent: dict[str, list[str]]) -> None:
    course.write(verified.listed_file("attention"), json.dumps({"attention.double": equivalent}, indent=1))


def test_a_build_refuses_an_exercise_of_which_a_mutant_passes(course, capsys):
    course.specs["attention.double"] = _doubling(weak)
    assert course.build() == 1
    said = capsys.readouterr().err
    assert (
        "tests/support/small_course.py:" in said
        and '"attention.double": the mutant `double: 2 * x → 2 + x`' in said
    )
    assert "add a case on which it fails, or list it in exercises/attention/mutants.json" in said
    assert not (course.root / "source").exists()
    record(course, {"the case holds nothing but twos": ["double: 2 * x → 2 + x"]})
    assert course.build() == 0


def test_what_means_the_same_by_the_docstring_passes_a_build(course, capsys):
    right = {"reference": row_sums, "misconceptions": explained(unchanged, doubled_rows)}
    course.specs["attention.double"] = replace(
        of_shape(row_sums, 2, 4), **{"id": "attention.double", **right}
    )
    exercise = course.specs["attention.double"]

    def refused(promise: str) -> list[str]:
        given = Given(docstrings={exercise.id: Docstring({"x": promise})})
        found = verified._of_mutants(exercise, {}, given, course.root)
        return [each.text for each in found if "dim=1" in each.text]

    assert refused("(N, D).") == []
    [said] = refused("a table.")
    assert "write their shapes into the docstring, as in (N, D); if not, add a case with more axes" in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("the result → the result.detach()", "add the property gradient_reaches_inputs;"),
        (
            "the arguments → the arguments.clear()",
            "arrays with 0: if the answer should leave that as it was, add",
        ),
        ("the result → the result.squeeze()", "let sizes of the result be 1 in a case; add"),
        ("2 * x → 2 + x", "passes; add a case"),
    ],
)
def test_a_change_around_the_code_is_told_with_the_property_that_asks_for_it(change: str, said: str) -> None:
    survivor = trying.Tried(Changed(f"double: {change}", "", 1, DOUBLE.reference), True, tuple(range(32)))
    assert said in verified._passes(survivor, "mutants.json", False)


def test_what_a_mutant_makes_lapack_write_is_not_shown(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(x):
        os.write(1, b"On entry to DLASCL parameter number 4 had an illegal value")
        os.write(2, b"On entry to DLASCL parameter number 4 had an illegal value")
        return x

    monkeypatch.setattr(trying, "every", lambda *_: [Changed("double: x", "", 1, write)])
    sheet = make_sheet(DOUBLE, VISIBLE_SEED)
    assert [each.survives for each in trying.tried(DOUBLE, [sheet, sheet])] == [False]
    with Limits() as limits:
        assert limits.outcomes(DOUBLE, write, sheet)
    os.write(1, b"seen")
    assert capfd.readouterr() == ("seen", "")


def test_a_build_refuses_one_that_passes_by_luck_even_if_it_is_listed(course, capsys):
    course.specs["attention.double"] = _doubling(lucky)
    record(course, {"it is only a test": ["double: 2 * x → 2 + x"]})
    assert course.build() == 1
    assert "alone, so a grade would depend on the draw" in capsys.readouterr().err


def test_a_build_refuses_a_list_that_no_longer_fits(course, capsys):
    course.write(
        verified.listed_file("attention"),
        '{"attention.double": {"it was so once": [\n"double: 2 * x → 2 + x",\n"double: 3 * x → 2 * x"]}}',
    )
    assert course.build() == 1
    said = capsys.readouterr().err
    file = verified.listed_file("attention")
    assert f'{file}:2: "attention.double" lists `double: 2 * x → 2 + x`, which fails; remove it' in said
    assert (
        f'{file}:3: "attention.double" lists `double: 3 * x → 2 * x`, which is no longer a mutant of it'
        in said
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            '{"attention.double": {\n"too short": []}}',
            'has the reason "too short"; say in 16 characters or more why',
        ),
        ('{"attention.double": {\n"it ends with a period.": []}}', "without a period at the end"),
        ('{"attention.double": {"it is said twice here": [\n"a → b", "a → b"]}}', "lists `a → b` twice"),
    ],
)
def test_a_build_refuses_a_list_that_says_nothing(course, capsys, text, said):
    course.write(verified.listed_file("attention"), text)
    assert course.build() == 1
    found = capsys.readouterr().err
    assert f'{verified.listed_file("attention")}:2: "attention.double" ' in found and said in found


def test_a_build_refuses_a_long_list(course, capsys):
    names = [mutant.name for mutant in mutants(DOUBLE)]
    record(course, {"it is only a test": names})
    assert course.build() == 1
    count = len([*around(DOUBLE, make_sheet(DOUBLE, VISIBLE_SEED))])
    said = f"lists {len(names)} of {len(names) + count} mutants; add cases on which they fail"
    assert said in capsys.readouterr().err


# -- around the code -------------------------------------------------------------------------------------


def by_the_sum(x):
    return (2 * x).sum(-1)


def twice_the_whole_numbers(x):
    return 2 * x.long()


def drawn(*shapes: tuple[int, ...], of: Exercise = DOUBLE, **fields: Any) -> Exercise:
    """Doubling numbers of a shape on the visible case, and of another on hidden ones."""
    make = lambda g: [Case("numbers", (torch.randn(pick(g, *shapes), generator=g),))]  # noqa: E731
    return replace(of, cases=make, **fields)


SQUEEZED, SHAPES, DETACHED = "result.squeeze()", "shapes of the visible cases", "result.detach()"
CLEARED = "arguments.clear()"


@pytest.mark.parametrize(
    ("exercise", "passing"),
    [
        (drawn((3, 1), (4, 1), (5, 1)), []),
        (drawn((3,), (1,)), [SQUEEZED]),  # the visible case has no axis of 1
        (drawn((3, 1), (4,), (5, 1)), [SQUEEZED]),  # some draws have none
        (drawn((3, 1), (3, 1)), [SHAPES]),
        (drawn((3, 1), (3, 1), (4, 1)), [SHAPES]),  # some draws have no new shape
        (drawn((3, 1), (4, 1), properties=(inputs_unchanged,)), [DETACHED]),
        (drawn((3, 1), (4, 1), properties=(inputs_unchanged,), reference=twice_the_whole_numbers), []),
        (drawn((3, 1), (4, 1), properties=(gradient_reaches_inputs,)), [CLEARED]),
        (drawn((3,), (4,), reference=by_the_sum), []),  # gives one number
    ],
)
def test_what_comes_out_and_goes_in_is_changed_too(exercise: Exercise, passing: list[str]) -> None:
    exercise = replace(exercise, misconceptions=(), alternatives=())
    found = {s.mutant.name: s for s in survivors(exercise)}
    around_the_code = [name for name in found if name.partition(": ")[2].startswith(("the ", "any "))]
    assert [name.rpartition(" → the ")[2] for name in around_the_code] == passing


def mean(x):
    return x.sum(-1, keepdim=True) / max(x.size(-1), 1)


def mean_of_something(x):
    return x.mean(-1, keepdim=True) if x.size(-1) else x.new_zeros(*x.shape[:-1], 1)


def test_what_only_an_alternative_asks_needs_a_case() -> None:
    """The mean of nothing: one right answer has it by a maximum, the other by a condition."""

    def exercise(*sizes: int) -> Exercise:
        def cases(g: torch.Generator) -> list[Case]:
            rows = pick(g, 3, 4)
            return [Case(f"{n} numbers", (torch.randn(rows, n, generator=g),)) for n in sizes]

        return Exercise(
            id="topic.mean",
            title="",
            points=1,
            reference=mean,
            cases=cases,
            alternatives=(mean_of_something,),
        )

    def passing(*sizes: int) -> list[str]:
        found = [s.mutant.name for s in survivors(exercise(*sizes))]
        return [name for name in found if name.startswith("mean_of_something")]

    assert passing(1, 5) == ["mean_of_something: x.size(-1) → True"]
    assert passing(1, 5, 0) == []


def first(words):
    return next(iter(words))


@pytest.mark.parametrize("argument", [["a", "b"], {"a": 1}, (["a"],)])
def test_lists_and_dicts_that_go_in_are_changed_too(argument) -> None:
    exercise = Exercise(
        id="topic.first", title="", points=1, reference=first, cases=lambda g: [Case("words", (argument,))]
    )
    names = [survivor.mutant.name for survivor in survivors(exercise)]
    assert "first: the arguments → the arguments.clear()" in names
    held = replace(exercise, properties=(inputs_unchanged,))
    assert "first: the arguments → the arguments.clear()" not in [s.mutant.name for s in survivors(held)]


def test_a_module_is_changed_around_its_forward_pass() -> None:
    exercise = exercises.load("block")["block.feed_forward"]
    visible = make_sheet(exercise, VISIBLE_SEED, misconceptions=False)
    kinds = [each.kind for each in around(exercise, visible)]
    assert kinds == ["result", "visible shapes", "arguments", "gradient"]
    failing = {each.kind: failing_case(exercise, each.answer, visible) for each in around(exercise, visible)}
    assert failing["visible shapes"] is None and failing["gradient"] == 0


def test_what_is_right_as_well_around_the_code_can_be_listed(course: Course) -> None:
    course.specs["attention.double"] = drawn((3, 1), (4, 1), properties=(inputs_unchanged,))
    assert course.build() == 1
    record(course, {"nothing trains through it": ["double: the result → the result.detach()"]})
    assert course.build() == 0


def test_a_build_refuses_a_list_for_what_is_no_exercise(course, capsys):
    course.write(verified.listed_file("attention"), '{\n"attention.duoble": {}}')
    assert course.build() == 1
    assert (
        f'{verified.listed_file("attention")}:2: "attention.duoble" is no exercise' in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("file", "text"),
    [
        (verified.record_file("attention"), '{"attention.double": {"made": ""}}'),
        (verified.record_file("attention"), "[]"),
        (verified.listed_file("attention"), "{"),
        (verified.listed_file("attention"), '{"attention.double": ["double: 2 * x → 2 + x"]}'),
        (verified.listed_file("attention"), '{"attention.double": {"a reason": [1]}}'),
    ],
)
def test_a_record_that_cannot_be_read_is_a_mistake_with_its_file(course, capsys, file, text):
    course.write(file, text)
    assert course.build() == 1
    assert f"{file}:1: it can't be read" in capsys.readouterr().err


def test_mutants_are_tried_again_only_where_something_changed(course, capsys, monkeypatch):
    assert course.build() == 0
    assert "trying the mutants of attention.double" in capsys.readouterr().err
    assert verified.read("attention", course.root)["attention.double"].mutants > 3
    assert course.build() == course.build(check=True) == 0
    assert "trying" not in capsys.readouterr().err
    monkeypatch.setattr(digests, "ENGINE", digests.ENGINE[:1])
    assert course.build(check=True) == 1
    said = capsys.readouterr().err
    assert "exercises/attention/verified.json is out of date" in said
    assert "to fix: headstart build 01_attention" in said
    assert course.build() == course.build(check=True) == 0


def test_slips_are_made_again_only_if_the_release_lacks_or_changed_them(course, monkeypatch):
    assert course.build() == 0
    path = course.root / "release/01_attention/checks.json"
    made, calls = path.read_bytes(), []
    monkeypatch.setattr(verified, "slips", lambda exercise: calls.append(exercise.id) or slips(exercise))
    assert course.build() == 0 and not calls
    [said] = [said for said in json.loads(made)["attention.double"]["slips"] if "half of what" in said]
    path.write_bytes(made.replace(said.encode(), b"something else"))
    assert course.build(check=True) == 1
    for spoil in (path.unlink, lambda: path.write_bytes(made.replace(said.encode(), b"something else"))):
        spoil()
        assert course.build() == 0
        assert path.read_bytes() == made
    assert calls == ["attention.double"] * 2


def test_what_was_tried_beside_a_mistake_is_kept(course, capsys):
    specs = {**course.specs, "attention.weak": replace(_doubling(weak), id="attention.weak")}
    double, weak_too, who = "attention.double", "attention.weak", "attention.who"
    first = [f"answers of {double}", f"mutants of {double}", f"answers of {who}", f"answers of {weak_too}"]
    for tried in ([*first, f"mutants of {weak_too}"], [f"mutants of {weak_too}"]):
        with pytest.raises(MasterError, match="double: 2"):
            verified.verify("attention", specs, course.root, lambda topic: specs)
        lines = capsys.readouterr().err.splitlines()
        assert lines == [f"headstart: trying the {each}" for each in tried]


def test_what_decides_reaches_from_an_exercise_to_all_that_it_names():
    module = "exercises.attention"
    found = dependencies([(f"{module}.permutation", "permutation_cases")], without=(MARK,))
    assert (f"{module}.permutation", "_layer") in found  # a helper
    assert (f"{module}.shared", "sizes") in found
    assert ("helpers.checking.calling.outcome", "Case") in found  # of another module
    assert any(module == "helpers.attention.recipes" for module, _ in found)  # named by a text
    assert not any(name in ("qkv", MARK, "with_index_select") for _, name in found)
    public = dependencies([("headstart", "pick"), ("headstart", "inputs_unchanged")])
    assert {("autograder.drawing", "pick"), ("helpers.checking.properties", "inputs_unchanged")} <= {*public}
    engine = dependencies(digests.ENGINE, without=digests.DECIDES_NOTHING)
    assert ("helpers.checking.comparing", "compare") in engine
    assert ("helpers.checking.problems", "problem_of") in engine
    assert ("helpers.checking.explaining.recognising", "recognise") not in engine
