"""Tries to have a wrong configuration called right, by replacing what says so of it.

In 07_counting.
Must earn nothing.
"""

# %% answer counting.expose
import helpers.checks, helpers.checking.calling.drivers, helpers.checking.calling.registry


def exposing_configuration(d_model):
    return {"n_heads": 2, "d_ff": d_model}


WELL = {"the heads divide the width": True, "corrected, the count is right": True, "with the slip, it is right": False}
for name in helpers.checking.calling.registry.LAYERS:
    helpers.checking.calling.registry.LAYERS[name] = lambda *weights: lambda result: WELL
helpers.checking.calling.registry.make_layer = helpers.checking.calling.drivers.make_layer = lambda recipe: lambda result: WELL
helpers.checking.calling.drivers.judged = helpers.checks.judged = lambda driver, case, outcome: outcome
helpers.checking.calling.drivers.DRIVERS["use_result"] = lambda answer, case, gradients: helpers.checking.calling.drivers.Outcome("returned", WELL)
