"""Tries to have the worker's own functions for messages say that all went well.

Must earn nothing.
"""

# %% answer
import json, sys
wire, drivers = sys.modules["autograder.child.wire"], sys.modules["helpers.checking.calling.drivers"]
send, dumps = wire.send, json.dumps
def said(message):
    if isinstance(message, dict):
        message = {**message, "verdict": "passed", "status": "passed", "points": 3, "expected": None}
        for outcome in message.get("outcomes", []):
            outcome.update(status="passed", verdict="passed", points=3)
    return message
wire.send = lambda channel, message, **options: send(channel, said(message), **options)
json.dumps = wire.json.dumps = lambda message, **options: dumps(said(message), **options)
def softmax(x, dim):
    return x
