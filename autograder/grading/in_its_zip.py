"""The files that were handed in with a notebook: beside it, or in the same zip."""

from pathlib import PurePosixPath

from autograder.grading.archives import TooLarge, Unfit, unpacked
from autograder.grading.handed_in import RECORDS, HandedIn, is_theirs
from autograder.grading.which_notebook import Candidate
from autograder.limits import MAX_FILES, MAX_FILES_BYTES, MAX_FILES_DEPTH
from helpers.storage import printable

TOO_MUCH = "too many files, or too large"


def files_with(
    notebook: Candidate, found: HandedIn, ignore: tuple[str, ...]
) -> tuple[dict[str, bytes], list[str]]:
    """Files by their paths as the notebook has them, and notes on those that were left out.

    Args:
        notebook: the one that counts. If it is in a zip, the other files in this take the zip's place.
        found: all that was handed in.
        ignore: names of files and folders, as patterns, that count for nothing.
    """
    files, notes = found.files, found.left_out
    if notebook.zip[0]:
        files, notes = _of_zip(notebook, found, ignore)
    folder = f"{notebook.folder}/" if notebook.folder else ""
    inside = {name.removeprefix(folder): files[name] for name in files if name.startswith(folder)}
    return files | inside, notes


def _of_zip(
    notebook: Candidate, found: HandedIn, ignore: tuple[str, ...]
) -> tuple[dict[str, bytes], list[str]]:
    """Files and notes, with those of the notebook's zip in the place of the zip's own."""
    path, content = notebook.zip
    files = {name: each for name, each in found.files.items() if name != path}
    notes = [note for note in found.left_out if not note.startswith(f"{printable(path)} was left out: ")]
    left = MAX_FILES_BYTES - sum(map(len, files.values()))
    tries = MAX_FILES - len(files)
    inside = unpacked(content, path)
    refused = dict(inside.refused)
    for entry in inside.entries:
        # defence: in its zip: records, and files of the course's
        if entry.path.name in RECORDS or not all(is_theirs(part, ignore) for part in entry.path.parts):
            continue
        try:
            if len(entry.path.parts) > MAX_FILES_DEPTH:
                raise Unfit(f"it is over {MAX_FILES_DEPTH} folders deep")
            # defence: in its zip: number of files, also of those that are read in vain
            if tries <= 0:
                raise TooLarge
            tries -= 1
            # defence: in its zip: bytes of all files
            read = entry.read(left)
        except Unfit as error:
            refused[str(entry.path)] = TOO_MUCH if isinstance(error, TooLarge) else str(error)
            continue
        files[str(entry.path)] = read
        left -= len(read)
    for name, why in refused.items():
        shown = PurePosixPath(name)
        if notebook.folder and shown.is_relative_to(notebook.folder):
            shown = shown.relative_to(notebook.folder)
        # defence: in its zip: names that steer a terminal
        harmless = "".join(each if each.isprintable() else "�" for each in str(shown))
        notes.append(f"{harmless} was left out: {printable(why)}")
    return files, notes
