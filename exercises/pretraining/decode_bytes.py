"""Bytes become text."""

from torch import Generator

from exercises.pretraining import shared
from headstart import Case, Entry
from helpers import pretraining

exercise = Entry(
    id="pretraining.decode_bytes",
    title="Bytes become text",
    points=2,
    difficulty=2,
    minutes=5,
    reference=pretraining.decode_bytes,
    returns=("text",),
)


@exercise.cases
def byte_cases(g: Generator) -> list[Case]:
    """Characters of one byte to four, whole and split between tokens; bytes that aren't UTF-8."""
    a, b, c, d, e = shared.letters(g)
    greek, other = (chr(0x3B1 + shared.one(g, 0, 16)) for _ in range(2))
    emoji = chr(0x1F600 + shared.one(g, 0, 64))
    first, second, third, fourth = emoji.encode().hex(" ").split()

    def plain(text: str) -> str:
        return text.encode().hex(" ")

    lone = f"{shared.one(g, 0x80, 0xC0):02x}"
    return [
        Case("one byte each", (plain(f"{a}{b} {c}, {d}.\n"),)),
        Case("longer tokens", (f"{(a + b).encode().hex()} {plain(c)} {(' ' + d + e).encode().hex()}",)),
        Case("characters of two bytes", (f"{greek.encode().hex()} {plain(a)} {other.encode().hex()}",)),
        Case("a character in two tokens", (f"{plain(b)} {first}{second} {third}{fourth}{a.encode().hex()}",)),
        Case("a character in four", (f"{plain(greek)} {plain(emoji)} {plain(c)}",)),
        Case("cut off in a character", (f"{plain(a)} {plain(d)} {first} {second}",)),
        Case("a byte that is no beginning", (f"{plain(e)} {lone} {plain(b)}",)),
        Case("spaces at both ends", (plain(f" {c}{a} "),)),
    ]


@exercise.alternative
def bytes_one_by_one(tokens):
    values = []
    for token in tokens.split():
        for at in range(0, len(token), 2):
            values.append(int(token[at : at + 2], 16))
    return str(bytes(values), "utf-8", "replace")


@exercise.alternative
def bytes_joined(tokens):
    raw = b"".join(bytes.fromhex(token) for token in tokens.split(" "))
    return raw.decode("utf8", errors="replace")


@exercise.alternative
def bytes_from_one_number(tokens):
    digits = tokens.replace(" ", "")
    number = int(digits or "0", 16)
    return number.to_bytes(len(digits) // 2, "big").decode("utf-8", "replace")


exercise.slip(
    "token_by_token",
    'bytes.fromhex(tokens).decode(errors="replace") → '
    '"".join(bytes.fromhex(token).decode(errors="replace") for token in tokens.split())',
).says(
    "Each token is decoded by itself, so a character whose bytes are in two tokens is lost: join all bytes "
    "first."
)
exercise.slip("strict", 'errors="replace" →').says(
    "Bytes that aren't valid UTF-8 raise an error here: a model may write such bytes, so let `decode` "
    "replace them."
)
exercise.slip("left_out", '"replace" → "ignore"').says(
    "Bytes that aren't valid UTF-8 are left out: each should show as U+FFFD."
)
exercise.slip("escaped", '"replace" → "backslashreplace"').says(
    "Bytes that aren't valid UTF-8 are written as escapes: each should show as U+FFFD."
)
exercise.slip("a_character_each", '.decode(errors="replace") → .decode("latin-1")').says(
    "Each byte becomes a character of its own: UTF-8 makes one character of up to four bytes."
)
exercise.slip(
    "tokens_as_code_points",
    'bytes.fromhex(tokens).decode(errors="replace") → '
    '"".join(chr(int(token, 16) % 0x110000) for token in tokens.split())',
).says("A token's digits are taken as a character's number: they are bytes of UTF-8.")
exercise.slip(
    "spaces_kept",
    'return bytes → return " ".join(tokens.split()) and " ".join(bytes',
    'errors="replace") → errors="replace"))',
).says("There is a space between any two characters: the spaces between tokens aren't part of the text.")
exercise.slip("stripped", '.decode(errors="replace") → .decode(errors="replace").strip()').says(
    "The text's own spaces at its ends are gone: a token may begin with one."
)
exercise.slip(
    "until_the_first_invalid",
    'bytes.fromhex(tokens).decode(errors="replace") → '
    'bytes.fromhex(tokens).decode(errors="replace").split("\\ufffd")[0]',
).says("The text ends at the first byte that isn't valid UTF-8: what comes after it is lost.")
exercise.slip("bytes_returned", '.decode(errors="replace") →').says(
    "These are the bytes: `decode` makes text of them."
)
exercise.slip("as_ascii", '.decode(errors="replace") → .decode("ascii", errors="replace")').says(
    "The bytes are taken for ASCII, which has no character beyond 127: UTF-8 has all of them."
)
exercise.slip(
    "question_marks", '.decode(errors="replace") → .decode(errors="replace").replace("\\ufffd", "?")'
).says("Bytes that aren't valid UTF-8 show as question marks: each should show as U+FFFD.")


@exercise.misconception
def all_or_nothing(tokens):
    """One byte that isn't valid makes the whole text U+FFFD: `decode` can replace that byte alone."""
    try:
        return bytes.fromhex(tokens).decode()
    except UnicodeDecodeError:
        return "\ufffd"
