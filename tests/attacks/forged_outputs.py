"""Tries to hand in the outputs of checks that passed.

Must earn nothing.
"""

# %% notebook
for cell in notebook.cells:
    if cell.source.startswith("check("):
        text = "✓ Softmax · 7 of 7 cases · 3 points"
        cell.outputs = [nbformat.v4.new_output("display_data", {"text/plain": text, "text/html": text})]
