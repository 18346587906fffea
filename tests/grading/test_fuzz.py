"""A little of what `python -m tests.long.fuzz` does at length."""

import pytest

from tests.long.fuzz import Messages, Notebooks


@pytest.mark.promise(25)
@pytest.mark.needs_bubblewrap
def test_mutated_notebooks_are_graded_or_refused(tmp_path):
    notebooks = Notebooks(tmp_path / "course", seed=2)
    for number in range(40):
        notebooks.one(number)
    notebooks.close()
    assert notebooks.came_of["unreadable"]
    assert notebooks.came_of.total() == 40
    assert len(notebooks.came_of) > 2  # some are hurt, and still gradable


@pytest.mark.promise(25)
def test_mutated_messages_are_judged_or_refused():
    messages = Messages(seed=2)
    for number in range(2000):
        messages.one(number)
    assert all(messages.came_of[what] for what in ("passed", "failed", "Stopped", "WireError", "outputs"))
