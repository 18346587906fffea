"""Real text and published weights, on request: fetched from pinned commits, checked and kept.

Without a network, put the files into a folder and name it in `HEADSTART_DATA`; their names are those below.
"""

import gzip
import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import torch
    from tokenizers import Tokenizer

ADDRESSES = {
    "GitHub": "https://raw.githubusercontent.com/{repository}/{commit}/{path}",
    "Hugging Face": "https://huggingface.co/{repository}/resolve/{commit}/{path}",
}


class Checkpoint(NamedTuple):
    """A published model: its weights by their published names, and what cuts texts into its sub-words."""

    weights: "dict[str, torch.Tensor]"
    tokenizer: "Tokenizer"


class Remote(NamedTuple):
    """A file: its name here, where it comes from, its SHA-256, and which of ADDRESSES it is at."""

    name: str
    repository: str
    commit: str
    path: str
    sha256: str
    host: str = "GitHub"

    @property
    def url(self) -> str:
        """Where to fetch it."""
        address = ADDRESSES[self.host]
        return address.format(repository=self.repository, commit=self.commit, path=self.path)


def _multi30k(part: str, sha256: str) -> Remote:
    commit = "a3d2e0d26b56f3846f66a952536ffed4e401d05a"
    return Remote(f"multi30k-{part}.gz", "multi30k/dataset", commit, f"data/task1/raw/{part}.gz", sha256)


def _polarity(part: str, sha256: str) -> Remote:
    commit = "23e0e1f7355705bb083043fda05c031b15acb38c"
    return Remote(f"rt-polarity.{part}", "yoonkim/CNN_sentence", commit, f"rt-polarity.{part}", sha256)


def _wikitext(part: str, sha256: str) -> Remote:
    commit = "d5678bc8ac0cdd79dbd5e44d4130271018bcec4e"
    path = f"word_language_model/data/wikitext-2/{part}.txt"
    return Remote(f"wikitext-2-{part}.txt", "pytorch/examples", commit, path, sha256)


def _minilm(path: str, sha256: str) -> Remote:
    repository = "sentence-transformers/all-MiniLM-L6-v2"
    commit = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
    return Remote(f"all-minilm-l6-v2-{path}", repository, commit, path, sha256, "Hugging Face")


def _gpt2(path: str, sha256: str) -> Remote:
    commit = "607a30d783dfa663caf39e06633721c8d4cfcd7e"
    return Remote(f"gpt2-{path}", "openai-community/gpt2", commit, path, sha256, "Hugging Face")


SETS = {
    "tinyshakespeare": (
        Remote(
            "tinyshakespeare.txt",
            "karpathy/char-rnn",
            "6f9487a6fe5b420b7ca9afb0d7c078e37c1d1b4e",
            "data/tinyshakespeare/input.txt",
            "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
        ),
    ),
    "rt-polarity": (
        _polarity("pos", "2da124ec187a9d5a29c9f04e91c540e02baed5af8868f550a26bd6fd4dbf8bf0"),
        _polarity("neg", "4ace77d558c3714723843f1d65b60c01e3417b208180f0728808d76ad0eeeaca"),
    ),
    "multi30k": (
        _multi30k("train.en", "d79cfa999dd4c51d2cb42499b6796d5a882c3a8a961923c25a898c90f8bbd56f"),
        _multi30k("train.de", "726e39b2fa9eb9ffb6dc763fb35a179f80fae06ffc5d28b6ace5faa883de28a6"),
        _multi30k("val.en", "14f7d25ddd868909a9213e361768460edcacdd6ab9d1e77b92560dc10c10dc28"),
        _multi30k("val.de", "f0cba2f995189cf5770f29a8a9a537a3ad3f51657ad873405082ff6863a5e75a"),
        _multi30k("test_2016_flickr.en", "611d361c6334bc7246101d48097c13cf5c4413c5befc793cc629934359d532d9"),
        _multi30k("test_2016_flickr.de", "9204244e408ccb38d2a55cfcd344df15005fc42a07a6e55ca6c52b6ababb8cc8"),
    ),
    "cmudict": (
        Remote(
            "cmudict.dict",
            "cmusphinx/cmudict",
            "74790861f652b15e4ac49015a90074ad62a27690",
            "cmudict.dict",
            "81917843c7f44ce2b094ac63873c2c7a4cf802040792c455ba3ca406891c3d22",
        ),
    ),
    "wikitext-2": (
        _wikitext("valid", "f0737ed31fc1329026e95cb8b98e19c2a182c39c240ab909dc31abf2f8af58e8"),
        _wikitext("test", "d790b833ef8cf03a90db7bf1271b7520b83c45ce07ba3c1a9699df81e239eca0"),
    ),
    "all-minilm-l6-v2": (
        _minilm("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
        _minilm("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
    ),
    "gpt2": (
        _gpt2("model.safetensors", "248dfc3911869ec493c76e65bf2fcf7f615828b0254c12b473182f0f81d3a707"),
        _gpt2("tokenizer.json", "8414cab924d8b9b33013f0d221c5862f365ee9be39c5c2bfae8a5a9e970478a6"),
    ),
}


def load(name: str) -> Any:
    """A public data set, from `HEADSTART_DATA`, from the cache, or from where it is published.

    Args:
        name: one of
            "tinyshakespeare": a text of 1.1 million characters;
            "rt-polarity": 10,662 sentences of film reviews, (text, label), label 1 if favourable;
            "multi30k": {"train": ..., "val": ..., "test": ...}, each a list of (English, German);
            "cmudict": {word: its pronunciations}, such as {"a": ["AH0", "EY1"]}, 126,052 words;
            "wikitext-2": {"valid": ..., "test": ...}, texts of an encyclopedia with rare words as `<unk>`;
            "all-minilm-l6-v2" and "gpt2": a `Checkpoint`, of 91 and 548 MB.

    Raises:
        LookupError: there is no such set.
        ConnectionError: it can't be fetched; the text says what to do.
        FileNotFoundError: the folder that `HEADSTART_DATA` names doesn't have the file.
        ValueError: a file isn't the one that was pinned, by its SHA-256.

    Sources: Karpathy 2015; Pang and Lee 2005; Elliott et al. 2016; the CMU Pronouncing Dictionary (1993-2015
    Carnegie Mellon University, BSD-2-Clause); Merity et al. 2016; Reimers and Gurevych 2019 and Wang et al.
    2020 (MiniLM, Apache-2.0); Radford et al. 2019 (GPT-2, MIT).
    """
    if name not in SETS:
        raise LookupError(f"no data set {name!r}; there are: {', '.join(SETS)}")
    return READERS[name]([fetch(file).read_bytes() for file in SETS[name]])


def is_here(name: str) -> bool:
    """Whether a data set can be loaded without a network. Its files are checked when it is."""
    mirror = os.environ.get("HEADSTART_DATA")
    folder = Path(mirror).expanduser() if mirror else cache_folder()
    return all((folder / file.name).is_file() for file in SETS[name])


def fetch(file: Remote) -> Path:
    """The path of a file, which is fetched if need be, and checked."""
    if mirror := os.environ.get("HEADSTART_DATA"):
        path = Path(mirror).expanduser() / file.name
        if not path.is_file():
            raise FileNotFoundError(
                f"HEADSTART_DATA is {mirror}, which has no {file.name}; it is at {file.url}"
            )
    else:
        path = cache_folder() / file.name
        if not path.is_file():
            _download(file, path)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != file.sha256:
        raise ValueError(
            f"{path} isn't the file that was published: its SHA-256 is {found[:12]}..., not"
            f" {file.sha256[:12]}...; delete it, and it will be fetched again"
        )
    return path


def cache_folder() -> Path:
    """Where fetched files are kept."""
    import pooch  # type: ignore[import-untyped]  # it ships no types; imported late: only fetching needs it

    return Path(pooch.os_cache("headstart"))


def _download(file: Remote, path: Path) -> None:
    """Fetch a file, with a progress bar. What doesn't have the right checksum isn't kept."""
    import pooch

    pooch.get_logger().setLevel("WARNING")
    downloader = pooch.HTTPDownloader(progressbar=True, timeout=20)
    try:
        pooch.retrieve(file.url, f"sha256:{file.sha256}", path.name, path.parent, downloader=downloader)
    except OSError as error:  # all of requests' errors are
        raise ConnectionError(
            f"{file.url} can't be fetched ({type(error).__name__}); without a network, put {file.name} into a"
            " folder and name that in HEADSTART_DATA"
        ) from None
    except ValueError:  # pooch has deleted what it fetched
        raise ValueError(
            f"what {file.url} sent isn't {file.name}: its SHA-256 is wrong, it isn't kept"
        ) from None


def _read_polarity(files: list[bytes]) -> list[tuple[str, int]]:
    lines = [data.decode("latin-1").strip().split("\n") for data in files]
    return [(text.strip(), label) for label, texts in zip((1, 0), lines, strict=True) for text in texts]


def _read_multi30k(files: list[bytes]) -> dict[str, list[tuple[str, str]]]:
    english_first = [gzip.decompress(data).decode().strip().split("\n") for data in files]
    sides = zip(english_first[::2], english_first[1::2], strict=True)
    parts = zip(("train", "val", "test"), sides, strict=True)
    return {part: list(zip(*lines, strict=True)) for part, lines in parts}


def _read_cmudict(files: list[bytes]) -> dict[str, list[str]]:
    """`aalto AA1 L T OW2 # name` is a word and its sounds; `a(2) EY1` is a second way to say *a*."""
    found: dict[str, list[str]] = {}
    for line in files[0].decode().splitlines():
        name, _, sounds = line.partition(" #")[0].partition(" ")
        found.setdefault(re.sub(r"\(\d+\)$", "", name), []).append(sounds.strip())
    return found


def _read_checkpoint(files: list[bytes]) -> Checkpoint:
    from safetensors.torch import load as load_weights
    from tokenizers import Tokenizer

    return Checkpoint(load_weights(files[0]), Tokenizer.from_str(files[1].decode()))


READERS: dict[str, Callable[[list[bytes]], Any]] = {
    "tinyshakespeare": lambda files: files[0].decode(),
    "rt-polarity": _read_polarity,
    "multi30k": _read_multi30k,
    "cmudict": _read_cmudict,
    "wikitext-2": lambda files: {"valid": files[0].decode(), "test": files[1].decode()},
    "all-minilm-l6-v2": _read_checkpoint,
    "gpt2": _read_checkpoint,
}
