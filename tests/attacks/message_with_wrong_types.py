"""Tries to send tensors of types and sizes that there aren't.

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
        bad = [
            {"$tensor": "float32", "shape": [2, -1], "data": [1, 2]},
            {"$tensor": "object", "shape": [1], "data": ["x"]},
            {"$tensor": "float32", "shape": [10**12], "data": []},
            {"$tensor": "int8", "shape": [1], "data": [10**30]},
            {"$tensor": "float32", "shape": [1] * 1000, "data": [1]},
        ]
        send({"outcomes": [{"status": "returned", "outputs": bad[n % 5]} for n, _ in enumerate(request["cases"])]})
check = checks.check = forged
