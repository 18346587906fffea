"""Tries to stop the batch with text that no file and no database takes.

Must leave nothing.
"""

# %% end
print("\ud800 \0 \x1b[2J \u202e")
from IPython.display import HTML, display
display(HTML("<b>\ud800\0</b>"), {"text/plain": "\udfff"}, raw=False)
raise type("Bad\ud800", (Exception,), {})("\ud800\0")

# %% notebook
notebook.cells[3].source += "\ud800\0"
notebook.cells.append(nbformat.v4.new_markdown_cell("\ud800\0"))
