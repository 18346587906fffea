"""Submissions to verdicts to the gradebook."""
