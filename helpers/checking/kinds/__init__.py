"""The kinds of values that a check knows: plain Python's, and those of packages that are there.

What knows of a package asks whether somebody has imported it: none of its values can be there otherwise. So a
check of plain Python needs no package.
"""
