"""Tries to import references and hidden cases.

Must read nothing.
"""

# %% end
import importlib
for name in ("exercises", "exercises.attention", "autograder.sheets", "autograder.grading.judge", "autograder.results", "helpers.attention.reference"):
    try:
        print("IMPORTED", importlib.import_module(name), "canary")
    except ImportError as error:
        print(name, "isn't there")
assert True
