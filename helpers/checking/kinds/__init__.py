"""The kinds of values that a check knows: plain Python's, and those of packages that are there.

Each package has a module of its own here, which imports it. Nothing else does: a value of a package can only be
there if somebody has imported it, so a check of plain Python needs none of them.
"""
