"""Tries to pass off one result of chance, without any chance in it, as many.

In 10_bert.
Must earn nothing.
"""

# %% answer bert.mask_tokens
import helpers.checking.drivers
from helpers.checking.drivers import Outcome

draws = helpers.checking.drivers.DRIVERS["draws"]


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


helpers.checking.drivers.DRIVERS["draws"] = one

# %% answer bert.pairs
import helpers.checking.registry

helpers.checking.drivers.make_layer = helpers.checking.registry.make_layer = lambda recipe: lambda *results: {}


def next_sentence_pairs(documents, generator):
    class Right(list):
        def __eq__(self, other):
            return True

    return Right((first, second, 1) for first, second in documents)
