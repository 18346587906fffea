"""Tries to display without end.

Must leave nothing.
"""

# %% end
from IPython.display import HTML, display
while True:
    display(HTML("<p>" + "x" * 100_000 + "</p>"))
