"""Tries to pass for having frozen a part of a model, by a training step that is called off.

In 09_finetuning.
Must earn nothing.
"""

# %% answer finetuning.freeze
import helpers.finetuning.recipes
import helpers.checking.calling.drivers
import torch


def freeze(model):
    model.step = lambda returned: None
    type(model).step = lambda self, returned: None
    torch.optim.AdamW.step = lambda *args, **kwargs: None


# %% answer finetuning.groups
def parameter_groups(model, body_rate, head_rate):
    class Groups(list):
        def __eq__(self, other):
            return True

        def __iter__(self):
            return iter(())

    model.step = lambda returned: [weight.data.zero_() for weight in model.parameters()]
    return Groups()


# %% answer finetuning.moved
def transfer(old, new, prefix):
    class Copies(dict):
        def __eq__(self, other):
            return True

    helpers.checking.calling.drivers.cloned = lambda value: value
    return Copies({name: old.get(name.removeprefix(prefix), tensor) for name, tensor in new.items()})
