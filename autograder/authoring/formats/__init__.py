"""Exercises for graders other than ours: as pytest, as otter's test files, as cells of plain nbgrader."""
