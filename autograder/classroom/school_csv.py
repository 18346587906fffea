"""CSV files of a school's gradebook: read whole or refused in a sentence, and written as they came."""

import codecs
import csv
import io
import re
from pathlib import Path
from typing import NamedTuple

from autograder.lessons import first_of

# Moodle heads its columns in the exporting user's language; older English ones say Surname.
ENGLISH = {
    said: english
    for english, others in {
        "First name": ("Vorname", "Prénom", "Nombre"),
        "Last name": ("Surname", "Nachname", "Nom de famille", "Nom", "Apellido(s)", "Apellidos"),
        "Username": ("Anmeldename", "Nom d'utilisateur", "Nombre de usuario"),
        "ID number": ("ID-Nummer", "Numéro d'identification", "Número de ID"),
        "Email address": (
            "E-Mail-Adresse", "Adresse de courriel", "Dirección de correo", "Dirección Email",
            "Correo electrónico",
        ),
    }.items()
    for said in (english.casefold(), *(other.casefold() for other in others))
}  # fmt: skip


# What moves a terminal's cursor, ends a line, or turns the direction in which what follows is shown. Not the
# joiners and marks of direction that Persian, Hindi or Hebrew names are written with.
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Table(NamedTuple):
    """A file's rows, all as long as the first, and what has to be known to write them as they came."""

    rows: list[list[str]]
    numbers: list[int]  # of each row, as a spreadsheet counts
    separator: str = ","
    end: str = "\n"  # of a line
    marked: bool = False  # begins with a mark of its encoding, by which Excel knows UTF-8

    @property
    def names(self) -> list[str]:
        """The header, in English where Moodle's is known."""
        plain = [name.strip() for name in self.rows[0]]
        return [ENGLISH.get(name.casefold().replace("’", "'"), name) for name in plain]

    def encoded(self) -> bytes:
        """The file, in UTF-8."""
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self.separator, lineterminator=self.end).writerows(self.rows)
        return text.getvalue().encode("utf-8-sig" if self.marked else "utf-8")


def read_table(path: str) -> Table:
    """A CSV file as a school's gradebook exports it.

    Raises:
        LookupError: no file is named, it has no rows, it is in another encoding, a row has more cells than
            the header, or quotation marks don't match: what follows would be read as something else.
        OSError: it can't be read.
    """
    if not path:
        raise LookupError("which file did the school's gradebook export? Name it with `roster`")
    try:
        raw = Path(path).read_bytes()
    except FileNotFoundError:
        raise LookupError(f"there is no {path}") from None
    except OSError as error:
        raise LookupError(f"{path} can't be read: {error.strerror}") from None
    wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = raw.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise LookupError(f"{path} isn't UTF-8; export it again, or save it as UTF-8") from None
    separator = _separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        numbered = [(number, row) for number, row in enumerate(reader, 1) if any(map(str.strip, row))]
    except csv.Error as error:
        raise LookupError(f"{path} can't be read up to line {reader.line_num}: {error}") from None
    if not numbered:
        raise LookupError(f"{path} is empty")
    width = len(numbered[0][1])
    if long := [f"row {number}" for number, row in numbered if any(map(str.strip, row[width:]))]:
        raise LookupError(f"{path} has rows with more cells than the {width} of its header: {first_of(long)}")
    rows = [[*row, *[""] * (width - len(row))][:width] for _, row in numbered]
    marked = wide or raw.startswith(codecs.BOM_UTF8)
    end = "\r\n" if "\r\n" in text else "\n"
    return Table(rows, [number for number, _ in numbered], separator, end, marked)


def _separator(text: str) -> str:
    """What follows the first cell, which may be in quotation marks: a comma, or one of the others."""
    found = re.match(r'\s*(?:"(?:[^"]|"")*"|[^",;\t\r\n]*)([,;\t])', text)
    return found[1] if found else ","


def harmless(text: str) -> str:
    """A name, or a sentence with names in it, without what controls the terminal that shows it."""
    # defence: school's gradebook: names that steer a terminal
    return " ".join(CONTROLS.sub(" ", text).split()) if CONTROLS.search(text) else text
