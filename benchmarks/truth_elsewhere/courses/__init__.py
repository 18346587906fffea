"""Courses whose tests the answers are tried against: a module for each, which runs in that course's Python.

A module has `FORMS`, the tasks that the course shares with us, and `LACKS`, the parts of these that it
doesn't ask for. `prepare(folder)` makes its tests importable from a checkout, and `failures(task, answer)`
lists what they say of an answer.
"""
