"""Tries to replace the course's functions that call an answer.

Must earn nothing.
"""

# %% answer
import helpers.checking.calling.drivers
from helpers.checking.calling.drivers import Outcome
def softmax(x, dim):
    return x

def forged(driver, answer, case, **how):
    return Outcome("returned", case.args[0], [case.args[0]], [case.args[0]])
helpers.checking.calling.drivers.run = forged
for name in helpers.checking.calling.drivers.DRIVERS:
    helpers.checking.calling.drivers.DRIVERS[name] = lambda answer, case, gradients: forged("", answer, case)
Outcome.to_json = lambda self: {"status": "passed", "points": 3, "outputs": True}
