"""What fits."""

from exercises.finetuning.shared import names_cases
from headstart import Entry, inputs_unchanged
from helpers import finetuning

exercise = Entry(
    id="finetuning.what_fits",
    title="What fits",
    points=3,
    difficulty=3,
    minutes=10,
    reference=finetuning.match_state_dict,
    returns=("names",),
    properties=(inputs_unchanged,),
)


exercise.cases(names_cases)


@exercise.alternative
def fits_with_comprehensions(old, new, prefix):
    body = [name for name in new if name.startswith(prefix)]
    known = [name for name in body if name[len(prefix) :] in old]
    fits = [name for name in known if old[name[len(prefix) :]].shape == new[name].shape]
    return {
        "fits": fits,
        "other shape": [name for name in known if name not in fits],
        "missing": [name for name in body if name not in known],
        "left over": [name for name in old if f"{prefix}{name}" not in new],
    }


@exercise.alternative
def fits_step_by_step(old, new, prefix):
    fits, other, missing, used = [], [], [], []
    for name in new:
        if not name.startswith(prefix):
            continue
        short = name.replace(prefix, "", 1)
        if short not in old:
            missing.append(name)
            continue
        used.append(short)
        if tuple(old[short].shape) == tuple(new[name].shape):
            fits.append(name)
        else:
            other.append(name)
    left = [name for name in old if name not in used]
    return {"fits": fits, "other shape": other, "missing": missing, "left over": left}


exercise.slip("prefix_forgotten", ".removeprefix(prefix) →", "prefix + name → name").says(
    "The names are compared as they are, though the body's names in the new model begin with the prefix, so "
    "nothing is ever found."
)


@exercise.misconception
def head_asked_too(old, new, prefix):
    """The new model's head is listed too: it isn't part of the body, and is trained from scratch."""
    found = {"fits": [], "other shape": [], "missing": [], "left over": []}
    for name, tensor in new.items():
        there = old.get(name.removeprefix(prefix))
        kind = "missing" if there is None else "fits" if there.shape == tensor.shape else "other shape"
        found[kind].append(name)
    found["left over"] = [name for name in old if prefix + name not in new]
    return found


@exercise.misconception
def shapes_not_compared(old, new, prefix):
    """Only names are compared: a tensor of a different shape doesn't fit, whatever it is called."""
    names = [name for name in new if name.startswith(prefix)]
    fits = [name for name in names if name.removeprefix(prefix) in old]
    missing = [name for name in names if name not in fits]
    left = [name for name in old if prefix + name not in new]
    return {"fits": fits, "other shape": [], "missing": missing, "left over": left}


exercise.slip(
    "left_over_of_the_new",
    "[name for name in old if prefix + name not in new] → [name for name in new if name not in "
    'found["fits"]]',
).says("Left over are names of the old model that the new body doesn't have, not names of the new model.")
exercise.slip("other_shape_left_over", 'prefix + name not in new → prefix + name not in found["fits"]').says(
    "A tensor of a different shape counts as left over too: only old names that the new body doesn't have "
    "at all are left over."
)
exercise.slip(
    "names_without_prefix",
    "there = old.get(name.removeprefix(prefix)) → short = name.removeprefix(prefix)",
    'kind = "missing" if there is None else "fits" if there.shape == tensor.shape else "other shape" → '
    "there = old.get(short)\n"
    '            kind = "missing" if there is None else "fits" if there.shape == tensor.shape else "other '
    'shape"',
    "found[kind].append(name) → found[kind].append(short)",
).says("The names lack their prefix: what fits, differs or is missing should be named as in the new model.")
exercise.slip(
    "sizes_compared",
    '"missing" if there is None else "fits" if there.shape == tensor.shape else "other shape" → "other '
    'shape" if there is not None and there.numel() != tensor.numel() else "fits"',
    'found[kind] → found["missing" if there is None else kind]',
).says(
    "Only how many numbers they hold is compared: a transposed matrix holds as many, but has a different "
    "shape."
)
exercise.slip("letters_stripped", "name.removeprefix(prefix) → name.lstrip(prefix)").says(
    "`lstrip` takes off all letters that occur in the prefix, so a name loses some of its own: "
    "`removeprefix` takes off the prefix."
)
exercise.slip(
    "letters_stripped_everywhere", 'name.replace(prefix, "", 1) → name.lstrip(prefix)', of=fits_step_by_step
).says(
    "lstrip takes off all letters at the start that occur in the prefix, not the prefix: removeprefix takes "
    "off what is there."
)
exercise.slip(
    "prefix_taken_out_everywhere",
    'name.replace(prefix, "", 1) → name.replace(prefix, "")',
    of=fits_step_by_step,
).says(
    "replace takes the prefix out wherever it is in the name: only what is in front belongs to the prefix."
)
exercise.slip(
    "head_among_the_body",
    "        if not name.startswith(prefix):\n            continue\n →",
    of=fits_step_by_step,
).says("The head's names are sorted in as well: only names that begin with the prefix belong to the body.")
exercise.slip(
    "left_over_with_the_prefix",
    '[name for name in old if f"{prefix}{name}" → [prefix + name for name in old if f"{prefix}{name}"',
    of=fits_with_comprehensions,
).says(
    "What is left over is listed with the prefix in front: these are the old model's names, which have none."
)
