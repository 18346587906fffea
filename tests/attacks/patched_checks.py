"""Tries to replace the functions of the course that assess an answer.

Must earn nothing.
"""

# %% answer
import helpers.checks, helpers.checking.assessing, helpers.checking.comparing, helpers.checking.calling.drivers, helpers.checking.properties, helpers.checking.calling.values
def softmax(x, dim):
    return x

passed = helpers.checks.Finding("Softmax", "passed", 3, 7)
helpers.checks.assess = helpers.checking.assessing.assess = lambda *args, **kwargs: passed
helpers.checks.compare = helpers.checking.assessing.compare = helpers.checking.comparing.compare = lambda *args, **kwargs: None
helpers.checking.assessing.problem_of = lambda *args: None
for name in helpers.checking.properties.PROPERTIES:
    helpers.checking.properties.PROPERTIES[name] = lambda *args: None
helpers.checks.check = check = lambda *args: print("✓ passed")
