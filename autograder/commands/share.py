"""Write a model that was trained on this computer as one HTML file that runs in any browser."""

import argparse
from dataclasses import replace
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = "Write a model that you trained on this computer as one HTML file to open or send."
    parser.add_argument(
        "model", nargs="?", default="reviews", choices=("reviews", "block"),
        help="reviews: trained in lesson 08 (the default); block: in lesson 06",
    )  # fmt: skip
    parser.add_argument("--name", default="", help="who trained it; without it, the page names nobody")
    parser.add_argument("--to", type=Path, default="my_model.html", metavar="FILE", help="(%(default)s)")


def run(options: argparse.Namespace) -> int:
    """Write the page, say where it is, and return the exit code."""
    import torch

    from helpers import corpora, own, sharing
    from helpers.block import DecoderOnly
    from helpers.models.transformer import LanguageModel, LanguageModelConfig

    torch.set_num_threads(1)
    sizes = (len(corpora.vocabulary()), 96, 4, 2, 100)  # of both lessons' models
    parts, whose = own.parts()
    if options.model == "block":  # lesson 06 takes lesson 02's module from the course
        whose = [replace(row, yours=row.yours and row.exercise.startswith("block.")) for row in whose]
        model: torch.nn.Module = DecoderOnly(*sizes)
    else:
        model = LanguageModel(LanguageModelConfig(*sizes), parts)
    sharing.share(options.model, model, options.name, whose, options.to)
    return 0
