"""Files of a student's beside the autograded notebook: under which names, and in whose place."""

import shutil
from pathlib import Path

# Files that formgrader may serve under their own names. A page, or a picture that is one, such as SVG, would
# run with the rights of the instructor who opens it.
HARMLESS = {
    "", ".txt", ".md", ".log", ".csv", ".tsv", ".json", ".jsonl", ".toml", ".yaml", ".yml", ".py", ".npy",
    ".npz", ".pt", ".pth", ".pkl", ".safetensors", ".parquet", ".zip", ".png", ".jpg", ".jpeg", ".gif",
    ".webp",
}  # fmt: skip


def kept_as(name: str) -> str:
    """The name under which a file of a student's is kept."""
    # defence: files: names
    return name if Path(name).suffix.lower() in HARMLESS else f"{name}.txt"


def make_way(folder: Path, name: str) -> None:
    """Remove what an earlier submission left in the place of a file, or of a folder above it."""
    path = folder / name
    for place in path.parents[: len(Path(name).parts) - 1]:
        if place.is_file():
            place.unlink()
    if path.is_dir():
        shutil.rmtree(path)
