"""Tries to send data nested as deep as can still be read and no longer be looked at.

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

depth = 820
def check(exercise, answer):
    global depth
    send({"ask": exercise})
    while (request := receive()).get("cases"):
        depth += 8
        name = "[" * depth + "]" * depth
        value = "[" * 17 + '{"$type":' + name + "}" + "]" * 17
        outcome = f'{{"status":"returned","outputs":{value}}}'
        send(('{"outcomes":[' + ",".join([outcome] * len(request["cases"])) + "]}").encode())
