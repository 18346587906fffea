"""What the sandbox shows of this machine: the interpreter, its packages and the libraries they link to.

It is chosen by what Python needs, not by what is known to be secret. So a folder that somebody adds to /usr
or beside the environment, such as nbgrader's exchange or settings with a password in them, is not there.
"""

import functools
import mmap
import os
import re
import shutil
import site
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SYSTEM = ("/usr", "/usr/local")  # prefixes that Python shares with everything else
# Fonts, so that a picture looks as it does outside; time zones; locales, where the C library has none itself.
# defence: shown: nothing but what is needed
DATA = ("/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/zoneinfo", "/usr/lib/locale")
CACHE = "/etc/ld.so.cache"  # where the dynamic linker looks libraries up
BY_NAME = ("libgcc_s.so.1",)  # loaded by the C library when a thread ends, and linked to by nobody
LISTED = re.compile(r"^\s+(\S+) \(libc6,(?:x86-64|AArch64).*\) => (\S+)$", re.MULTILINE)
PT_DYNAMIC, PT_INTERP, PT_LOAD = 2, 3, 1
DT_NEEDED, DT_STRTAB = 1, 5
ELF_64_LITTLE = b"\x7fELF\x02\x01"


@dataclass(frozen=True)
class Shown:
    """What to bind, by the path it gets inside; what to link; and which folders within to show empty."""

    files: dict[str, str]
    links: dict[str, str]
    hidden: tuple[str, ...]


@functools.cache
def shown() -> Shown:
    """What this interpreter needs. Found out once a process, in tenths of a second."""
    program = os.path.realpath(sys.executable)
    stdlib = {sysconfig.get_path(kind, vars=_base()) for kind in ("stdlib", "platstdlib")}
    packages = {place for place in site.getsitepackages() if os.path.isdir(place)}
    folders = {place for place in stdlib | packages if os.path.isdir(place)}
    files = {place: place for place in (*folders, *_own_libraries(), program, *DATA, CACHE)}
    config = str(Path(sys.prefix, "pyvenv.cfg"))
    # defence: shown: an environment's settings
    files |= {config: config, **_libraries(program, [*folders, *_own_libraries()])}
    links = {f"/{name}": os.readlink(f"/{name}") for name in ("lib", "lib64") if os.path.islink(f"/{name}")}
    if program != sys.executable:
        links[sys.executable] = program
    # The base interpreter's packages lie within its library; an environment doesn't have them.
    others = {f"{place}/{name}" for place in stdlib for name in ("site-packages", "dist-packages")} - packages
    # defence: shown: no packages of the base interpreter
    hidden = tuple(sorted(place for place in others if os.path.isdir(place)))
    return Shown({inside: path for inside, path in files.items() if os.path.exists(path)}, links, hidden)


def _base() -> dict[str, str]:
    names = ("base", "platbase", "installed_base", "installed_platbase")
    return dict.fromkeys(names, sys.base_prefix)


def _own_libraries() -> set[str]:
    """Shared libraries that lie in a Python's own prefix, which some packages load by name."""
    found = set()
    for prefix in {sys.prefix, sys.base_prefix} - set(SYSTEM):
        folder = Path(prefix, "lib")
        if Path(prefix, "conda-meta").is_dir():  # hundreds, with nothing else beside them
            found.add(str(folder))
        else:
            found |= {str(path) for path in folder.glob("lib*.so*")}
    return found


def _libraries(program: str, places: list[str]) -> dict[str, str]:
    """The system's libraries that a program and all libraries in some places link to, and those link to.

    Returns:
        Real files by the path at which the dynamic linker looks for them.
    """
    interpreter, wanted = _linked(program)
    for place in places:
        for path in _shared_objects(place):
            wanted |= _linked(path)[1]
    wanted |= set(BY_NAME)
    listed = dict(reversed(LISTED.findall(_ldconfig())))  # the first of a name is the one that is loaded
    found = {_place(interpreter): os.path.realpath(interpreter)} if interpreter else {}
    done: set[str] = set()
    while new := wanted - done:
        done |= new
        for name in new & listed.keys():
            found[_place(listed[name])] = os.path.realpath(listed[name])
            wanted |= _linked(listed[name])[1]
    return found


def _place(path: str) -> str:
    """A path without links in its folder, since /lib may be one; its name stays."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _ldconfig() -> str:
    program = shutil.which(
        "ldconfig", path="/sbin:/usr/sbin:/bin:/usr/bin"
    )  # an ordinary user's path lacks sbin
    if program is None:
        raise FileNotFoundError("ldconfig is missing, which says where this system's libraries lie")
    return subprocess.run([program, "-p"], capture_output=True, text=True, check=True).stdout


def _shared_objects(place: str) -> Iterator[str]:
    if os.path.isfile(place):
        yield place
    for folder, _, names in os.walk(place):
        yield from (os.path.join(folder, name) for name in names if ".so" in name)


def _linked(path: str) -> tuple[str, set[str]]:
    """What an ELF file asks for: its dynamic linker, and libraries by name. Nothing of another file."""
    with open(path, "rb") as file:
        if file.read(6) != ELF_64_LITTLE:
            return "", set()
        with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
            return _read(data)


def _read(data: mmap.mmap) -> tuple[str, set[str]]:
    start, size, count = *struct.unpack_from("<Q", data, 32), *struct.unpack_from("<HH", data, 54)
    headers = [struct.unpack_from("<IIQQQQ", data, start + size * number) for number in range(count)]
    interpreter, tags = "", []
    for kind, _, offset, _, _, length in headers:
        if kind == PT_INTERP:
            interpreter = data[offset : offset + length].rstrip(b"\0").decode()
        elif kind == PT_DYNAMIC:
            tags += [struct.unpack_from("<QQ", data, at) for at in range(offset, offset + length, 16)]
    texts = next((value for tag, value in tags if tag == DT_STRTAB), 0)
    for kind, _, offset, address, _, length in headers:
        if kind == PT_LOAD and address <= texts < address + length:
            texts += offset - address
            break
    names = (data[texts + at : data.find(b"\0", texts + at)] for tag, at in tags if tag == DT_NEEDED)
    return interpreter, {name.decode() for name in names}
