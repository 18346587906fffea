"""How much time a child has: its own CPU time, whatever the machine does meanwhile."""

import contextlib
import multiprocessing
import threading
from dataclasses import dataclass

import pytest

from autograder.grading import clock
from autograder.grading.clock import Clock, Times, among_others
from autograder.limits import BRIEF_SECONDS, WAIT_SECONDS, WALL_PER_CPU


@dataclass
class Machine:
    """A machine on which time passes when a test says so, and a child that uses some of it."""

    now: float = 100.0
    used: float = 0.0
    queued: float = 0.0
    held: float | None = 0.0
    asked: int = 0

    def monotonic(self) -> float:
        return self.now

    def times(self) -> Times:
        self.asked += 1
        return Times(self.used, self.queued, self.held)

    def run(self, clock: Clock, share: float, queued: float = 0.0, held: float = 0.0) -> float:
        """Let time pass until the clock says stop; seconds that passed.

        Args:
            clock: the child's.
            share: of a core, that the child gets.
            queued: the share of time in which it wants one and gets none.
            held: that in which the machine keeps it waiting otherwise.
        """
        begun = self.now
        while left := clock.left():
            self.now, self.used = self.now + left, self.used + left * share
            self.queued += left * queued
            if self.held is not None:
                self.held += left * held
        return self.now - begun


@pytest.fixture
def machine(monkeypatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(clock.time, "monotonic", machine.monotonic)
    return machine


@pytest.mark.promise(39)
@pytest.mark.parametrize("share", [1.0, 0.5, 0.4])
def test_a_cell_has_its_cpu_time_whatever_its_share_of_a_core_is(machine, share):
    time = Clock(machine, 20, 120)
    machine.run(time, share)
    assert machine.used == pytest.approx(20, abs=0.1)
    assert not time.starved
    assert time.said == "20 s of CPU time"


@pytest.mark.parametrize("share", [0.5, 0.2, 0.02])
def test_a_cell_that_others_keep_waiting_has_its_cpu_time_too(machine, share):
    """And so has the last of a notebook, after one that had nearly all of it."""
    time = Clock(machine, 20, 50)
    for seconds in (20, 20, 10):
        begun = machine.used
        time.start_cell()
        machine.run(time, share, queued=1 - share)
        assert machine.used - begun == pytest.approx(seconds, abs=0.1)
        assert not time.starved
    assert time.notebook_is_over


def test_who_waits_on_a_busy_machine_is_stopped_by_the_net(machine):
    """It asks for little, and is kept waiting for that: what it waits for of itself counts."""
    time = Clock(machine, 20, 120)
    assert machine.run(time, 0.01, queued=0.2) == pytest.approx(WALL_PER_CPU * 20 / 0.8, abs=0.1)
    assert not time.starved  # its queues have been made good already


@pytest.mark.promise(40)
def test_who_waits_is_stopped_by_the_net(machine):
    time = Clock(machine, 20, 120)
    assert machine.run(time, 0.0, held=0.1) == pytest.approx(WALL_PER_CPU * 20)
    assert not time.starved
    assert time.said == f"{WALL_PER_CPU * 20} s"


@pytest.mark.promise(40)
@pytest.mark.parametrize("known", [True, False])
def test_who_may_have_been_held_up_is_starved(machine, known):
    """And where the system doesn't say, each cell has its full time."""
    machine.held = 0.0 if known else None
    time = Clock(machine, 20, 500)
    for _ in range(3):
        time.start_cell()
        assert machine.run(time, 0.0, held=0.4) == pytest.approx(WALL_PER_CPU * 20)
        assert time.starved


@pytest.mark.promise(40)
def test_only_the_first_cell_that_waits_has_its_full_time(machine):
    time, begun = Clock(machine, 20, 120), machine.now
    for _ in range(12):
        time.start_cell()
        machine.run(time, 0.0)
        time.give_grace(2)
    assert machine.now - begun == pytest.approx(WALL_PER_CPU * 20 + 11 * WAIT_SECONDS, abs=0.5)
    assert time.said == "2 s of waiting (an earlier cell had waited for 60 s)"
    assert not time.starved
    assert not time.notebook_is_over


@pytest.mark.promise(39)
def test_after_a_cell_that_waited_the_others_can_still_work(machine):
    """However long their queues are, those of their main thread or of others."""
    time = Clock(machine, 20, 120)
    machine.run(time, 0.0)
    for share, queued, held in ((1.0, 0.0, 0.0), (0.4, 0.3, 0.28), (0.4, 0.58, 0.0)):
        begun = machine.used
        time.start_cell()
        machine.run(time, share, queued, held)
        assert machine.used - begun == pytest.approx(20, abs=0.1)
        assert time.said == "20 s of CPU time"


def test_a_cell_gets_no_less_because_of_the_cells_before(machine):
    """Until the child is asked, it isn't known when it used what it has used: in doubt, before."""
    time = Clock(machine, 20, 120)
    for seconds in (0.5, 9.0, 0.4):
        machine.now, machine.used = machine.now + seconds, machine.used + seconds
        time.start_cell()
        begun = machine.used
    machine.run(time, 1.0)
    assert 20 <= machine.used - begun < 21


def test_a_notebook_has_its_cpu_time_in_all_its_cells(machine):
    time, cells = Clock(machine, 20, 50), 0
    while not time.notebook_is_over:
        time.start_cell()
        machine.run(time, 0.5)
        cells += 1
    assert machine.used == pytest.approx(50, abs=0.2)
    assert cells in (3, 4)


def test_what_the_judge_does_takes_none_of_the_childs_time(machine):
    time = Clock(machine, 20, 120)
    with time.stopped():
        machine.now += 1000
    machine.run(time, 1.0)
    assert machine.used == pytest.approx(20, abs=0.1)


def test_grace_is_as_long_as_it_says_even_where_the_notebook_is_over(machine):
    time = Clock(machine, 20, 5)
    machine.run(time, 1.0)
    time.give_grace(2)
    assert machine.run(time, 1.0) == pytest.approx(2, abs=0.1)
    assert time.notebook_is_over


def test_a_cell_has_its_time_back_once_a_short_one_is_over_however_it_ended(machine):
    time = Clock(machine, 20, 120)
    for error in (None, EOFError):
        with contextlib.suppress(EOFError), time.briefly():
            if error:
                raise error
        assert time.left() > BRIEF_SECONDS
    with time.briefly():
        assert machine.run(time, 1.0) == pytest.approx(BRIEF_SECONDS, abs=0.1)
    assert time.said == f"{BRIEF_SECONDS:.0f} s of CPU time"


def test_short_cells_ask_for_nothing(machine):
    time = Clock(machine, 20, 120)
    for _ in range(9):
        machine.now += 0.1
        time.start_cell()
    assert machine.asked == 0


@pytest.mark.promise(40)
def test_who_runs_alone_waits_for_the_others_and_holds_up_those_who_come_later(tmp_path, monkeypatch):
    monkeypatch.setattr(clock.tempfile, "gettempdir", lambda: str(tmp_path))
    context = multiprocessing.get_context("fork")
    inside, leave = context.Queue(), {name: context.Event() for name in "abc"}

    def run(name: str, alone: bool) -> None:
        with among_others(alone=alone):
            inside.put(name)
            leave[name].wait()
            inside.put(f"{name} left")

    def start(name: str, alone: bool = False) -> None:
        process = threading.Thread(target=run, args=(name, alone))  # each opens the files, as processes do
        process.start()
        running.append(process)

    running: list[threading.Thread] = []
    start("a")
    assert inside.get() == "a"
    start("b", alone=True)
    leave["c"].set()
    leave["b"].set()
    leave["a"].set()
    assert inside.get() == "a left"
    assert inside.get() == "b"
    assert inside.get() == "b left"
    start("c")
    assert [inside.get() for _ in range(2)] == ["c", "c left"]
    for process in running:
        process.join()
