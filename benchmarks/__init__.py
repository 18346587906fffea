"""Measurements, run by command: `python -m benchmarks.grading`, `python -m benchmarks.lessons`."""
