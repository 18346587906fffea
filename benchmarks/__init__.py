"""Measurements, run by command: `python -m benchmarks.grading`, `python -m benchmarks.lessons`.

Where rows don't depend on each other (`grading`, `truth`, `training_modern`), they are printed as they come,
and a call goes on where the last was stopped; `--fresh` begins anew. The others always begin anew, since they
compare times that have to be measured in turns, or train one model that all their rows are about.
"""
