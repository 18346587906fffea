"""Lesson 09's misconceptions about rows that are crossed and names that are cut.

A docstring is the sentence that the student reads.
"""

# ruff: noqa: D205  (a sentence may take two lines)


def rows_crossed(hidden, real):
    """hidden[:, positions] takes all these positions of every review, (B, B, C): beside them stand the rows,
    in hidden[rows, positions], so that each takes one.
    """
    return hidden[:, real.sum(dim=1) - 1]


def one_mean_for_all(hidden, real):
    """hidden[real] puts the tokens of all reviews into one long list, so this is one mean of them all: each
    review has a mean of its own.
    """
    return hidden[real].mean(dim=0)


def sizes_compared(old, new, prefix):
    """Only how many numbers they hold is compared: a matrix that is turned holds as many, and has another
    shape.
    """
    found = {"fits": [], "other shape": [], "missing": [], "left over": []}
    for name, tensor in new.items():
        if name.startswith(prefix):
            there = old.get(name.removeprefix(prefix))
            kind = "other shape" if there is not None and there.numel() != tensor.numel() else "fits"
            found["missing" if there is None else kind].append(name)
    found["left over"] = [name for name in old if prefix + name not in new]
    return found


def letters_stripped(old, new, prefix):
    """`lstrip` takes off all letters that occur in the prefix, so a name loses some of its own:
    `removeprefix` takes off the prefix.
    """
    found = {"fits": [], "other shape": [], "missing": [], "left over": []}
    for name, tensor in new.items():
        if name.startswith(prefix):
            there = old.get(name.lstrip(prefix))
            kind = "missing" if there is None else "fits" if there.shape == tensor.shape else "other shape"
            found[kind].append(name)
    found["left over"] = [name for name in old if prefix + name not in new]
    return found
