"""A small pronouncing dictionary in place of the published one: made-up words, a sound for each letter."""

import hashlib
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from helpers.text import real_text
from helpers.translation import sounds

SAID = {
    "b": "B",
    "d": "D",
    "f": "F",
    "k": "K",
    "m": "M",
    "n": "N",
    "p": "P",
    "t": "T",
    "a": "AE1",
    "o": "OW0",
}
TRAPS = """a AH0
a(2) EY1
a.d. EY2 D IY1
aalto AA1 L T OW2 # name, finnish
dab's D AE1 B Z
dabs D AE1 B Z
either IY1 DH ER0
either(2) AY1 DH ER0
king's K IH1 NG Z
read R EH1 D
read(2) R IY1 D
tomato T AH0 M EY1 T OW2
tomato(2) T AH0 M AA1 T OW2
tomato(3) T AH1 M AA1 T OW0
through TH R UW1
"""


def text() -> str:
    """160 words of three letters, and words in which something is easy to overlook."""
    words = ("".join(letters) for letters in itertools.product("bdfkmnpt", "ao", "bdfkmnptao"))
    regular = (f"{word} {' '.join(SAID[letter] for letter in word)}\n" for word in words)
    return "".join(regular) + TRAPS


@contextmanager
def dictionary(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The small one is at hand, with 5 and 12 words held out."""
    data = text().encode()
    (folder / "cmudict.dict").write_bytes(data)
    pinned = real_text.SETS["cmudict"][0]._replace(sha256=hashlib.sha256(data).hexdigest())
    monkeypatch.setitem(real_text.SETS, "cmudict", (pinned,))
    monkeypatch.setenv("HEADSTART_DATA", str(folder))
    monkeypatch.setattr(sounds, "LOOKED_AT", 5)
    monkeypatch.setattr(sounds, "TESTED", 12)
    sounds.dictionary.cache_clear()
    yield
    sounds.dictionary.cache_clear()
