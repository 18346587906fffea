"""Tries to have a wrong configuration called right, by replacing what says so of it.

In 07_counting.
Must earn nothing.
"""

# %% answer counting.expose
import helpers.checks, helpers.checking.drivers, helpers.checking.registry


def exposing_configuration(d_model):
    return {"n_heads": 2, "d_ff": d_model}


WELL = {"the heads divide the width": True, "the first count is right": True, "the second count is right": False}
for name in helpers.checking.registry.LAYERS:
    helpers.checking.registry.LAYERS[name] = lambda *weights: lambda result: WELL
helpers.checking.registry.make_layer = helpers.checking.drivers.make_layer = lambda recipe: lambda result: WELL
helpers.checking.drivers.judged = helpers.checks.judged = lambda driver, case, outcome: outcome
helpers.checking.drivers.DRIVERS["use_result"] = lambda answer, case, gradients: helpers.checking.drivers.Outcome("returned", WELL)
