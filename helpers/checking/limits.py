"""What a check accepts of an answer, in a student's notebook as in the judge's process.

The engine's limits are in `autograder/limits.py`. These are here because students have only this folder.
"""

MAX_ELEMENTS = 1_000_000  # of one tensor; a lesson's cases stay under a thousand
MAX_AXES = 16  # of one tensor
MAX_ITEMS = 5_000  # of a set, or of a dict whose keys are no texts: strangers choose how they hash
MAX_DEPTH = 16  # lists in lists, in what an answer returns
KEPT = 4_000  # characters of what one call prints; of more, the beginning and the end
MAX_SOURCE = 200_000  # characters of a cell whose code is read
MAX_STEPS = 1_000_000  # from one name to the next, where a lesson takes some hundreds: a second or so
