"""Tries to replace the course's functions that call an answer.

Must earn nothing.
"""

# %% answer
import helpers.drivers
from helpers.drivers import Outcome
def softmax(x, dim):
    return x

def forged(driver, answer, case, **how):
    return Outcome("returned", case.args[0], [case.args[0]], [case.args[0]])
helpers.drivers.run = forged
for name in helpers.drivers.DRIVERS:
    helpers.drivers.DRIVERS[name] = lambda answer, case, gradients: forged("", answer, case)
Outcome.to_json = lambda self: {"status": "passed", "points": 3, "outputs": True}
