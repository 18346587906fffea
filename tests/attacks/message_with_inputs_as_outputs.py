"""Tries to send each input back as an output, well-formed and never worked out.

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

def forged(exercise, answer):
    send({"ask": exercise})
    while (request := receive()).get("cases"):
        send({"outcomes": [
            {"status": "returned", "outputs": case["args"][0], "inputs_after": [case["args"][0]], "gradients": [case["args"][0]]}
            for case in request["cases"]
        ]})
check = checks.check = forged
