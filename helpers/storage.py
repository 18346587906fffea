"""How a file is written, wherever one is kept, and a text that any file takes."""

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: whoever reads it meanwhile sees the old one or the new one.

    Raises:
        OSError: it can't be written; then nothing has changed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def printable(text: str) -> str:
    """The text without half characters (lone surrogates), which no file or terminal takes."""
    # defence: values: half characters
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
