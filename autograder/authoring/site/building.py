"""The lessons -> `site/html`: pages for Sphinx, which runs in an environment of its own, and what follows.

`make site` calls this, once `bootstrap.py` has made that environment. All that it makes is in `site/`:
`executed/`, the lessons with their outputs; `class/`, a made-up one that is graded; `pages/`, what Sphinx
reads; `npm/`, what sets formulas and makes pages lighter; `html/`, the site. A link that leads nowhere stops
it.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import nbformat

from autograder import exercises, lessons
from autograder.authoring.bundles import repository
from autograder.authoring.site import sample
from autograder.authoring.site.executing import digest_of, executed
from autograder.authoring.site.pages import outputs_of, page
from autograder.lessons import ROOT

SITE, THEME = ROOT / "site", Path(__file__).parent / "theme"
SPHINX = ROOT / (".venv-site/Scripts/python.exe" if os.name == "nt" else ".venv-site/bin/python")
TEXTS = ("index.md", "instructors.md", "404.md")
FIRST, READER = "01_attention", "explorers.reading_explorer()"  # whose explorer the start page shows
START = (
    "**A trained model reads**, and has to choose between *is* and *are*. The bars show where its two "
    "heads look. Change its sentence.\n\n```{{raw}} html\n{reader}\n```"
)
REPORT = '<a href="report.html">See one</a>, of a made-up class of twelve with common mistakes.'
FEEDBACK = '<a href="feedback.html">See one</a>, of a made-up student; the code of the answers is left out.'
ROW = re.compile(r"^\| (\d\d) (.+?) \| (\d+) \| (\d+) \| (\d+) \| (.+?) \|$", re.MULTILINE)
ICONS = re.compile(
    r"<script [^>]*fontawesome\.js[^>]*></script>"
    r"|(?<=[}\n])\.fa-[\w-]+(:before)?\{[^}]*\}|@font-face\{[^}]*\}"
)  # site.css has ours
OUTSIDE = re.compile(r"(?<!!)\[([^\]]*)\]\(\.\./([^)\s]+)\)")
RELATIVE = re.compile(r'\b(href|src|data-content_root)="(?![a-z]+:|[/#])')
BOOTSTRAP = re.compile(r"\s*<(link|script) [^>]*scripts/bootstrap\.js[^>]*>(</script>)?")
SEARCH = re.compile(r"<script [^>]*(searchindex|searchtools|language_data)\.js[^>]*></script>")
# site.js has the one menu that needs Bootstrap.
UNUSED = ("fontawesome.js*", "bootstrap.js*", "*.map", "*.ipynb")
FONTS = "npm/node_modules/mathjax/es5/output/chtml/fonts/woff-v2"


def build(names: list[str], url: str = "") -> int:
    """Make the website.

    Args:
        names: of the lessons, as `lessons.find` takes them. None means all.
        url: where it will be published. The sitemap and the social picture need it, and are left out without.

    Returns:
        The exit code.
    """
    found = sorted({lessons.find(name) for name in names}) or lessons.names()
    pages = SITE / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    (pages / "extra/downloads").mkdir(parents=True)
    reader = ""
    graded: tuple[Path, ...] = ()
    for lesson in found:
        topic = exercises.load(lessons.topic(lesson))
        ran = executed(lesson, SITE)
        made = page(lesson, ran, topic, pages / "extra/figures")
        if lesson == FIRST:
            digest = digest_of(lessons.source_path(lesson).parent)
            graded = sample.pages(lesson, digest, SITE)
            for file in graded:
                shutil.copy(file, pages / "extra")
            reader = outputs_of(READER, ran, pages / "extra/figures")
        nbformat.write(made, pages / f"{lesson}.ipynb")
        for file in (lessons.release_path(lesson), ROOT / f"release/{lesson}.zip"):
            shutil.copy(file, pages / "extra/downloads")
    _texts(found, reader, bool(graded), pages)
    shutil.copytree(THEME / "static", pages / "_static")
    shutil.copytree(SITE / FONTS, pages / "_static/fonts")
    shutil.copy(THEME / "conf.py", pages)
    shutil.copy(ROOT / "docs/images/explorer.png", pages / "extra/social.png")
    return _sphinx(url.rstrip("/"))


def _texts(found: list[str], reader: str, graded: bool, pages: Path) -> None:
    """The pages that aren't lessons, filled in."""
    rows = [row for row in ROW.findall((ROOT / "README.md").read_text(encoding="utf-8"))]
    links = {lesson[:2]: lesson for lesson in found}
    table = ["| lesson | what it asks | minutes |", "| --- | --- | --- |"]
    table += [
        f"| [{number} {title}]({links[number]}) | {asks} | {minutes} |"
        for number, title, _, _, minutes, asks in rows
        if number in links
    ]
    filled = {
        "lessons": "\n".join(found),
        "table": "\n".join(table),
        "clone": f"git clone {repository() or '<this repository>'} headstart && cd headstart",
        "reader": START.format(reader=reader) if reader else "",
        "first": FIRST if FIRST in found else found[0],
        "docs": "\n".join(_docs(pages)),
        "report": REPORT if graded else "",
        "feedback": FEEDBACK if graded else "",
    }
    for name in TEXTS:
        text = (THEME / name).read_text(encoding="utf-8")
        for key, value in filled.items():
            text = text.replace(f"{{{key}}}", value)
        (pages / name).write_text(text, encoding="utf-8")


def _docs(pages: Path) -> list[str]:
    """The pages of `docs/`, in the README's order; what they link to elsewhere is in the repository."""
    names = re.findall(r"\]\(docs/([\w-]+)\.md\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    place = repository() and f"{repository()}/blob/main/"
    for name in names:
        text = (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
        elsewhere = rf"[\1]({place}\2)" if place else r"\1"
        (pages / f"{name}.md").write_text(OUTSIDE.sub(elsewhere, text), encoding="utf-8")
    shutil.copytree(ROOT / "docs/images", pages / "images")
    return names


def _sphinx(url: str) -> int:
    """Let Sphinx make the pages, set their formulas, and add what it doesn't make."""
    made = SITE / "html"
    shutil.rmtree(made, ignore_errors=True)
    # -W: a link that leads nowhere is an error.
    command: list[str | Path] = [
        SPHINX,
        "-m",
        "sphinx",
        "-b",
        "html",
        "-q",
        "-W",
        "--keep-going",
        "-d",
        SITE / "doctrees",
    ]
    shutil.rmtree(SITE / "doctrees", ignore_errors=True)
    environment = {**os.environ, "SITE_URL": url}
    if code := subprocess.call([*command, SITE / "pages", made], env=environment):
        return code
    _lighter(made)
    for script in ("formulas.cjs", "lighter.cjs"):
        shutil.copy(THEME / script, SITE / "npm")
        if code := subprocess.call(["node", SITE / "npm" / script, made]):
            return code
    (made / ".nojekyll").touch()  # or GitHub Pages leaves _static out
    if url:
        _with_address(made, url)
    print(f"headstart: {made.relative_to(ROOT)}/ has {len(list(made.glob('*.html')))} pages")
    return 0


def _lighter(made: Path) -> None:
    """Take out what pages load for nothing: every icon, 1.8 MB; Bootstrap; most, the index of the search."""
    for file in [*made.glob("*.html"), *made.glob("_static/styles/*.css")]:
        text = BOOTSTRAP.sub("", ICONS.sub("", file.read_text(encoding="utf-8")))
        file.write_text(text if file.name == "search.html" else SEARCH.sub("", text), encoding="utf-8")
    for pattern in UNUSED:
        for file in [*made.glob(f"_static/**/{pattern}"), *made.glob(f"_sources/**/{pattern}")]:
            file.unlink()
    shutil.rmtree(made / "_static/vendor/fontawesome")


def _with_address(made: Path, url: str) -> None:
    """What needs to know where the site is: a sitemap, and a 404 that is shown at any depth."""
    names = sorted(path.name for path in made.glob("*.html") if path.stem not in ("404", "search"))
    entries = "".join(f"<url><loc>{url}/{name}</loc></url>" for name in names)
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    (made / "sitemap.xml").write_text(f'<?xml version="1.0"?><urlset xmlns="{space}">{entries}</urlset>\n')
    lost, path = made / "404.html", urlsplit(url).path
    text = RELATIVE.sub(rf'\1="{path}/', lost.read_text(encoding="utf-8"))
    lost.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(build(sys.argv[1:], os.environ.get("SITE_URL", "")))
