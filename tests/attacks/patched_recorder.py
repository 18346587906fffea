"""Tries to record outputs of its own in place of the checks'.

Must earn nothing.
"""

# %% answer
import sys
def softmax(x, dim):
    return x

recorder = get_ipython().recorder
forged = [{"output_type": "display_data", "data": {"text/plain": "✓ 3 points"}, "metadata": {}}]
type(recorder).start = lambda self: setattr(self, "outputs", forged)
recorder.outputs = forged
