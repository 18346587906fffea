"""Tries to replace the functions of the course that assess an answer.

Must earn nothing.
"""

# %% answer
import helpers.checks, helpers.checking.comparing, helpers.checking.drivers, helpers.checking.properties, helpers.checking.values
def softmax(x, dim):
    return x

passed = helpers.checks.Finding("Softmax", "passed", 3, 7)
helpers.checks.assess = lambda *args, **kwargs: passed
helpers.checks.compare = helpers.checking.comparing.compare = lambda *args, **kwargs: None
helpers.checks._problem = lambda *args: None
for name in helpers.checking.properties.PROPERTIES:
    helpers.checking.properties.PROPERTIES[name] = lambda *args: None
helpers.checks.check = check = lambda *args: print("✓ passed")
