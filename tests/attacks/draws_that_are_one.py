"""Tries to pass off one result of chance, without any chance in it, as many.

In 10_bert.
Must earn nothing.
"""

# %% answer bert.mask_tokens
import helpers.checking.calling.drivers
from helpers.checking.calling.drivers import Outcome

draws = helpers.checking.calling.drivers.DRIVERS["draws"]


class Many(list):
    def __len__(self):
        return 10**6

    def __eq__(self, other):
        return True

    def __iter__(self):
        first = list.__getitem__(self, 0)
        return iter([first] * 401)


def mask_tokens(ids, vocabulary, generator, share=0.15):
    return ids.clone(), ids.clone()


def one(answer, case, gradients):
    outcome = draws(answer, case, gradients)
    return Outcome("returned", Many(outcome.outputs), outcome.inputs_after)


helpers.checking.calling.drivers.DRIVERS["draws"] = one
