"""Messages across the trust line: JSON in frames, over a stream socket. Never pickle.

A frame is four bytes of length, big-endian, then that many bytes of JSON. Nothing that arrives is trusted:
the length is checked before anything is read, and what isn't JSON of moderate depth and size is a
`WireError`.
"""

import json
import socket
import time
from typing import Any

from autograder.limits import MAX_FRAME, MAX_FRAME_PARTS


class WireError(Exception):
    """The other side broke the protocol, or hung up."""


class WireTimeout(WireError):
    """Nothing came in time."""


def send(channel: socket.socket, message: Any, *, seconds: float | None = None) -> None:
    """Send one message.

    Args:
        channel: where to.
        message: what `json.dumps` takes, or its JSON in bytes.
        seconds: how long the other side may take to read it; None for ever.

    Raises:
        WireError: the other side hung up or doesn't read, or the message is over `MAX_FRAME`.
    """
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    # defence: wire: length of ours
    if len(body) > MAX_FRAME:
        raise WireError(f"a message of {len(body):,} bytes is over the limit of {MAX_FRAME:,}")
    # defence: wire: time to listen
    channel.settimeout(seconds)
    try:
        channel.sendall(len(body).to_bytes(4, "big") + body)
    except OSError as error:
        raise WireError(f"the other side doesn't listen: {error}") from None


def receive(channel: socket.socket, *, seconds: float | None = None) -> Any:
    """Receive one message, or give the channel up: see `Inbox.receive`."""
    return Inbox(channel).receive(seconds=seconds)


class Inbox:
    """Where messages arrive. What has come of one when time is out is kept, and the rest waited for later."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel, self._come = channel, bytearray()

    def receive(self, *, seconds: float | None = None) -> Any:
        """Receive one message.

        Args:
            seconds: how long the whole message may take to arrive; None for ever.

        Raises:
            WireTimeout: it didn't.
            WireError: the other side hung up, or sent what isn't a message.
        """
        deadline = None if seconds is None else time.monotonic() + seconds
        self._read(4, deadline)
        size = int.from_bytes(self._come[:4], "big")
        # defence: wire: length
        if size > MAX_FRAME:
            raise WireError(f"a message of {size:,} bytes is over the limit of {MAX_FRAME:,}")
        self._read(4 + size, deadline)
        body, self._come = bytes(self._come[4:]), bytearray()
        # defence: wire: parts
        if body.count(b"{") + body.count(b"[") > MAX_FRAME_PARTS:
            raise WireError(f"a message of over {MAX_FRAME_PARTS:,} parts")
        try:
            return json.loads(body)
        # defence: wire: what can be read
        except (ValueError, RecursionError) as error:
            raise WireError(f"not a message: {error}") from None

    def _read(self, size: int, deadline: float | None) -> None:
        """Wait until so much of a message has come, and take no more: the next may be for somebody else."""
        while (missing := size - len(self._come)) > 0:
            left = None if deadline is None else deadline - time.monotonic()
            # defence: wire: time for all of it
            if left is not None and left <= 0:
                raise WireTimeout("it didn't come in time")
            self._channel.settimeout(left)
            try:
                part = self._channel.recv(min(missing, 1 << 20))
            except TimeoutError:
                raise WireTimeout("nothing came in time") from None
            except OSError as error:
                raise WireError(str(error)) from None
            if not part:
                raise WireError("the other side hung up")
            self._come += part
