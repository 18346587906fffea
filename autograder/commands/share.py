"""Write a model that was trained on this computer as one HTML file that runs in any browser."""

import argparse
from dataclasses import replace
from pathlib import Path

MODELS = ("reviews", "block", "plays", "answers", "rewarded")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.description = "Write a model that you trained on this computer as one HTML file to open or send."
    parser.add_argument(
        "model", nargs="?", default="reviews", choices=MODELS,
        help="reviews: trained in lesson 08 (the default); block: in lesson 06; plays: in 8.21, on letters; "
        "answers: in 13.8, on demonstrations; rewarded: in 13.18, on rewards",
    )  # fmt: skip
    parser.add_argument("--name", default="", help="who trained it; without it, the page names nobody")
    parser.add_argument("--to", type=Path, default="my_model.html", metavar="FILE", help="(%(default)s)")


def run(options: argparse.Namespace) -> int:
    """Write the page, say where it is, and return the exit code."""
    import torch

    from helpers import corpora, own, sharing, training
    from helpers.block import DecoderOnly
    from helpers.models.transformer import LanguageModel, LanguageModelConfig

    torch.set_num_threads(1)
    sizes = (len(corpora.vocabulary()), 96, 4, 2, 100)  # of both lessons' models
    parts, whose = own.parts()
    if options.model == "block":  # lesson 06 takes lesson 02's module from the course
        whose = [replace(row, yours=row.yours and row.exercise.startswith("block.")) for row in whose]
        model: torch.nn.Module = DecoderOnly(*sizes)
    elif options.model != "reviews" and (shapes := training.shapes(options.model)):
        layers = sum(name.endswith("norm_1.weight") for name in shapes)
        (V, C), (P, _) = shapes["words.weight"], shapes["positions.weight"]
        model = LanguageModel(LanguageModelConfig(V, C, 4, layers, P), parts)
    else:
        model = LanguageModel(LanguageModelConfig(*sizes), parts)
    sharing.share(options.model, model, options.name, whose, options.to)
    return 0
