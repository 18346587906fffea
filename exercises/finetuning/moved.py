"""Moving the weights."""

from exercises.finetuning.shared import names_cases
from headstart import Entry, shares_nothing
from helpers import finetuning
from helpers.finetuning import match_state_dict

exercise = Entry(
    id="finetuning.moved",
    title="Moving the weights",
    points=3,
    difficulty=3,
    minutes=8,
    driver="copies",
    reference=finetuning.transfer,
    returns=("weights",),
    properties=(shares_nothing,),
    needs=("finetuning.what_fits",),
)


exercise.cases(names_cases)


@exercise.alternative
def transfer_by_loop(old, new, prefix):
    result = {name: tensor.clone() for name, tensor in new.items()}
    for name in match_state_dict(old, new, prefix)["fits"]:
        result[name] = old[name[len(prefix) :]].clone()
    return result


@exercise.alternative
def transfer_from_the_old(old, new, prefix):
    result = {}
    for name, tensor in new.items():
        source = old.get(name[len(prefix) :]) if name.startswith(prefix) else None
        if source is None or source.shape != tensor.shape:
            source = tensor
        result[name] = source.detach().clone()
    return result


exercise.slip(
    "nothing_moved",
    'for name in match_state_dict(old, new, prefix)["fits"]:\n'
    "        result[name] = old[name[len(prefix) :]].clone() → for name, tensor in new.items():\n"
    "        same = name in old and old[name].shape == tensor.shape and name.startswith(prefix)\n"
    "        result[name] = (old[name] if same else tensor).clone()",
    of=transfer_by_loop,
).says(
    "Nothing is moved, and no error says so: the new names are looked for in `old` with their prefix, "
    "which has to be taken off first."
)
exercise.slip(
    "old_head_too",
    'for name in match_state_dict(old, new, prefix)["fits"]:\n'
    "        result[name] = old[name[len(prefix) :]].clone() → for name, tensor in new.items():\n"
    "        there = old.get(name.removeprefix(prefix))\n"
    "        result[name] = (tensor if there is None or there.shape != tensor.shape else there).clone()",
    of=transfer_by_loop,
).says(
    "The old head is moved as well where its shape happens to fit: it scores words, the new one classes, so "
    "the new one starts afresh."
)


@exercise.misconception
def by_position(old, new, prefix):
    """The tensors are matched by their order instead of their names: it goes wrong as soon as either model
    has one that the other lacks.
    """
    weights = {}
    sources = list(old.values())
    for number, (name, tensor) in enumerate(new.items()):
        there = sources[number] if number < len(sources) else tensor
        weights[name] = (there if there.shape == tensor.shape else tensor).clone()
    return weights


exercise.slip(
    "shapes_not_compared",
    "source is None or source.shape != tensor.shape → source is None",
    of=transfer_from_the_old,
).says(
    "The shapes aren't compared, so a tensor is moved that has no place in the new model: what doesn't fit "
    "stays the new model's own."
)
exercise.slip(
    "shares_the_old",
    "{\n"
    "        name: (old[name.removeprefix(prefix)] if name in fits else tensor).clone()\n"
    "        for name, tensor in new.items()\n"
    "    } → {n: old[n.removeprefix(prefix)] if n in fits else tensor.clone() for n, tensor in new.items()}",
).says(
    "The pretrained tensors themselves are handed over, so training the new model changes the old one: "
    "copy them with `clone`."
)
exercise.slip(
    "shares_the_new",
    "{\n"
    "        name: (old[name.removeprefix(prefix)] if name in fits else tensor).clone()\n"
    "        for name, tensor in new.items()\n"
    "    } → {n: old[n.removeprefix(prefix)].clone() if n in fits else tensor for n, tensor in new.items()}",
).says(
    "The tensors that are the new model's own aren't copied, so later steps change what the caller handed "
    "in: `clone` these too."
)


@exercise.misconception
def old_names_kept(old, new, prefix):
    """The names are the old model's: the new model looks for its own names, with the prefix in front of the
    body's.
    """
    fits = match_state_dict(old, new, prefix)["fits"]
    weights = {name.removeprefix(prefix): old[name.removeprefix(prefix)].clone() for name in fits}
    return weights | {name: tensor.clone() for name, tensor in new.items() if name not in fits}


exercise.slip(
    "only_what_matches",
    "{\n"
    "        name: (old[name.removeprefix(prefix)] if name in fits else tensor).clone()\n"
    "        for name, tensor in new.items()\n"
    "    } → {name: old[name.removeprefix(prefix)].clone() for name in fits}",
).says("Only the moved tensors are returned: a model needs them all, its own head among them.")
