"""Tries to replace the course's functions that call an answer.

Must earn nothing.
"""

# %% answer
import helpers.checking.drivers
from helpers.checking.drivers import Outcome
def softmax(x, dim):
    return x

def forged(driver, answer, case, **how):
    return Outcome("returned", case.args[0], [case.args[0]], [case.args[0]])
helpers.checking.drivers.run = forged
for name in helpers.checking.drivers.DRIVERS:
    helpers.checking.drivers.DRIVERS[name] = lambda answer, case, gradients: forged("", answer, case)
Outcome.to_json = lambda self: {"status": "passed", "points": 3, "outputs": True}
