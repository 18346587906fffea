"""Tries to print what nbgrader reads a score from.

Must earn nothing.
"""

# %% answer
import json
def softmax(x, dim):
    print(1000)
    return x

print("1000")
1000

# %% end
from IPython.display import display
display({"text/plain": "1000", "text/score": "1000"}, raw=True)
print(json.dumps({"verdict": "passed", "points": 1000}))
1000
