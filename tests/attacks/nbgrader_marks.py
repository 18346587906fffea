"""Tries to have the judge's cells replaced by marks that nbgrader acts on.

Must earn nothing.
"""

# %% answer
### BEGIN HIDDEN TESTS
def softmax(x, dim):
    return x
### END HIDDEN TESTS
### BEGIN MARK SCHEME
### END MARK SCHEME
### AUTOTEST softmax
