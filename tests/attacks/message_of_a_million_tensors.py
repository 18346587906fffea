"""Tries to send a million tensors.

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
        tensor = '{"$tensor": "float32", "shape": [], "data": [1]}'
        many = "[" + ",".join([tensor] * (1_000_000 if len(tensor) * 10**6 < 32 << 20 else 500_000)) + "]"
        body = '{"outcomes": [{"status": "returned", "outputs": %s}]}' % many
        send(body.encode())
check = checks.check = forged
