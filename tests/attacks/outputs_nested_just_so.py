"""Tries to display text that is a list, nested as deep as can still be read.

Must earn nothing.
"""

# %% answer
from helpers import checks
channel = next(cell.cell_contents for cell in checks.check.__closure__ if hasattr(cell.cell_contents, "recv"))

def softmax(x, dim):
    return x

for depth in range(930, 990, 4):
    body = b'{"done":[{"output_type":"stream","text":' + b"[" * depth + b"]" * depth + b"}]}"
    channel.sendall(len(body).to_bytes(4, "big") + body)
