"""The wire believes nothing that arrives."""

import contextlib
import json
import socket
import threading
import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.child import wire
from tests.support.raising import raises_only

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda children: st.lists(children, max_size=4) | st.dictionaries(st.text(), children, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_what_is_sent_arrives(message: object) -> None:
    here, there = socket.socketpair()
    with here, there:
        wire.send(here, message)
        assert wire.receive(there) == message


@pytest.mark.promise(17)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_wire_error(body: bytes) -> None:
    here, there = socket.socketpair()
    with there:
        here.sendall(len(body).to_bytes(4, "big") + body)
        here.close()
        try:
            expected = json.loads(body)
        except (ValueError, RecursionError):
            with raises_only(wire.WireError):
                wire.receive(there)
        else:
            assert repr(wire.receive(there)) == repr(expected)


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ((wire.MAX_FRAME + 1).to_bytes(4, "big"), "over the limit"),
        (b"\0\0", "hung up"),
        (b"\0\0\0\x09{", "hung up"),
        (b"\0\1\x86\xa0" + b"[" * 100_000, "not a message"),
    ],
    ids=["too long", "half a length", "half a message", "nested"],
)
def test_a_broken_frame_says_what_is_wrong(sent: bytes, text: str) -> None:
    here, there = socket.socketpair()
    with there:
        here.sendall(sent)
        here.close()
        with raises_only(wire.WireError, match=text):
            wire.receive(there)


def test_silence_times_out_even_after_half_a_message() -> None:
    here, there = socket.socketpair()
    with here, there:
        here.sendall(b"\0\0\0\x09{")
        with raises_only(wire.WireTimeout):
            wire.receive(there, seconds=0.05)


@pytest.mark.timeout(60)
def test_a_message_in_drops_times_out() -> None:
    """All of it has to arrive in time, not each part."""
    here, there = socket.socketpair()
    drops = 2000  # twenty seconds: a machine may be busy before it is listened to
    here.sendall(drops.to_bytes(4, "big"))

    def drip() -> None:
        with contextlib.suppress(OSError):  # once it is closed
            for _ in range(drops):
                here.send(b" ")
                time.sleep(0.01)

    thread = threading.Thread(target=drip)
    thread.start()
    with here, there, raises_only(wire.WireTimeout):
        wire.receive(there, seconds=0.3)
    thread.join()


@pytest.mark.timeout(60)
def test_a_message_that_never_stops_coming_times_out(monkeypatch) -> None:
    """Each byte is there at once, so no wait for one takes long; and each takes a second to be read."""
    now = iter(range(10_000))
    monkeypatch.setattr(wire.time, "monotonic", lambda: next(now))
    endless = SimpleNamespace(settimeout=lambda seconds: None, recv=lambda most: b"\x01")
    with raises_only(wire.WireTimeout):
        wire.Inbox(endless).receive(seconds=20)
    assert next(now) < 30


def test_who_does_not_read_holds_nobody_up() -> None:
    here, there = socket.socketpair()
    late = threading.Timer(40, there.close)  # ends one that would wait for ever, with another error
    late.start()
    with here, there, raises_only(wire.WireError, match="timed out"):
        wire.send(here, "x" * (1 << 24), seconds=0.05)
    late.cancel()


def test_a_message_over_the_limit_is_not_sent() -> None:
    here, there = socket.socketpair()
    with here, there, raises_only(wire.WireError, match="over the limit"):
        wire.send(here, b" " * (wire.MAX_FRAME + 1), seconds=0.05)


@pytest.mark.promise(15)
def test_a_message_of_too_many_parts_is_refused() -> None:
    """Parsed, an empty list takes twenty times its text."""
    here, there = socket.socketpair()
    body = b"[" + b"{}," * wire.MAX_FRAME_PARTS + b"0]"
    thread = threading.Thread(target=here.sendall, args=(len(body).to_bytes(4, "big") + body,))
    thread.start()
    with here, there, raises_only(wire.WireError, match="a message of over 1,000,000 parts"):
        wire.receive(there)
    thread.join()
