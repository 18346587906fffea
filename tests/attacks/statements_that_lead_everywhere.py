"""Tries to keep the judge reading: each of very many statements leads to all before it.

Must earn nothing.
"""

# %% notebook
answer = next(cell for cell in notebook.cells if cell.get("id") == "attention-softmax-answer")
answer.source = "def softmax(x, dim):\n    return x\n" + "softmax.__dict__.update(softmax.__dict__)\n" * 4000
