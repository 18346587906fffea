"""Tries to keep the grader itself busy, with displays that take hours to clean.

Must leave nothing.
"""

# %% end
from IPython.display import HTML, display
display(HTML("<div>" * 300_000))
display(HTML("".join(f"<b title={n}>" for n in range(50_000))))
display(HTML("<b " + " ".join(f"a{n}" for n in range(100_000)) + ">x</b>"))
display(HTML("<b style='color: " + "(" * 5000 + "'>x</b>"))
