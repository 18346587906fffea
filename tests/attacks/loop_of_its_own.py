"""Tries to have a loop, a task and a runner of its own between the grader and the cells.

Must earn nothing.
"""

# %% answer
import asyncio
from types import SimpleNamespace

shell = get_ipython()
async def overwrite():
    while True:
        await asyncio.sleep(0)
        get_ipython().recorder.outputs.clear()
        get_ipython().recorder.outputs.append({"output_type": "stream", "name": "stdout", "text": "passed"})
task = asyncio.get_event_loop().create_task(overwrite())
shell.loop_runner = lambda cell: SimpleNamespace(error_in_exec=None, error_before_exec=None)
type(shell.loop).go_on = lambda self: get_ipython().recorder.outputs.clear()
def softmax(x, dim):
    return x

# %% end
await asyncio.sleep(0)
