"""Tries to tell the worker, by every descriptor that is open, that all went well.

Must earn nothing.
"""

# %% answer
from helpers import checks
channel = next(cell.cell_contents for cell in checks.check.__closure__ if hasattr(cell.cell_contents, "recv"))
import json
def send(message):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    channel.sendall(len(body).to_bytes(4, "big") + body)
def receive():
    size = int.from_bytes(channel.recv(4), "big")
    body = b""
    while len(body) < size:
        body += channel.recv(size - len(body))
    return json.loads(body)

def softmax(x, dim):
    return x

import os, socket, struct
body = json.dumps({"ended": {"signal": 0, "code": 0}, "verdict": "passed"}).encode()
for fd in range(3, 64):
    if fd != channel.fileno():
        for data in (len(body).to_bytes(4, "big") + body, b"1\n" + body):
            try:
                os.write(fd, data)
                print("wrote to", fd)
            except OSError:
                pass
