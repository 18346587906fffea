"""Tries to bring modules that stand in for the course's and for torch.

Must earn nothing.
"""

# %% folder
(folder / "helpers").mkdir()
(folder / "helpers" / "__init__.py").write_text("")
(folder / "helpers" / "checks.py").write_text("def check(*a): print('passed')")
for name in ("torch", "sitecustomize", "math", "json", "IPython"):
    (folder / f"{name}.py").write_text("raise SystemExit('stand-in')")
(folder / "checks.json").write_text("{}")

# %% answer
def softmax(x, dim):
    return x
