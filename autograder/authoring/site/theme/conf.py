"""How Sphinx makes the website of the folder that `building.py` has filled; it runs in `.venv-site`."""

import html
import os
from typing import Any

project = title = html_title = "Headstart"
author = copyright = "the authors of Headstart"
html_use_index = False
html_show_copyright = html_show_sphinx = html_show_sourcelink = html_copy_source = False
language = "en"
extensions = ["myst_nb"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
nb_render_markdown_format = "myst"  # with formulas, in what is told below a figure
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict] = {}  # or each page would ask another host for them
nb_mime_priority_overrides = [
    ("html", "text/html", 0),
    ("html", "text/markdown", 1),
    ("html", "text/plain", 2),
]
suppress_warnings = ["myst.header"]  # a lesson's question may have a heading of its own
html_theme = "sphinx_book_theme"
html_theme_options = {
    "show_toc_level": 2,
    "use_download_button": False,  # each lesson has links of its own
    "use_fullscreen_button": False,
    "navbar_persistent": [],  # its search is in the sidebar
    "logo": {"text": "Headstart"},
}
html_context, html_favicon = {"default_mode": "auto"}, "_static/favicon.svg"
html_static_path, html_extra_path, exclude_patterns = ["_static"], ["extra"], ["extra"]
# Deferred, and no module, which isn't loaded from a disk.
html_css_files, html_js_files = ["site.css"], [("site.js", {"defer": "defer"})]
html_math_renderer = "ours"
html_baseurl = URL = os.environ.get("SITE_URL", "")
PICTURE = "A heat map of attention weights with a sentence, a temperature slider and a choice of masks."
DESCRIPTION = "A hands-on course on Transformers: read, predict, look, and build each part yourself."


def setup(app: Any) -> None:
    """Leave formulas as TeX, which `formulas.cjs` sets, and tell other sites what a page is."""
    app.add_html_math_renderer("ours", (_inline, _end), (_displayed, _end))
    app.connect("html-page-context", _tags)


def _inline(self: Any, node: Any) -> None:
    self.body.append(f'<span class="math">\\({html.escape(node.astext())}\\)</span>')
    node.children.clear()


def _displayed(self: Any, node: Any) -> None:
    self.body.append(f'<div class="math">\\[{html.escape(node.astext())}\\]</div>')
    node.children.clear()


def _end(self: Any, node: Any) -> None:
    pass


def _tags(app: Any, page: str, template: str, context: dict[str, Any], tree: Any) -> None:
    name = html.escape(f"{context.get('title') or project}", quote=True)
    tags = [("og:title", name), ("og:description", DESCRIPTION), ("og:type", "website")]
    if URL:
        tags += [
            ("og:image", f"{URL}/social.png"),
            ("og:image:alt", PICTURE),
            ("og:url", f"{URL}/{page}.html"),
        ]
    metas = [f'<meta property="{key}" content="{value}">' for key, value in tags]
    metas.append(f'<meta name="description" content="{DESCRIPTION}">')
    # Before anything is drawn: figures wait for a choice only where one can be made.
    metas.append('<script>document.documentElement.classList.add("hs-scripts")</script>')
    context["metatags"] = context.get("metatags", "") + "\n".join(metas)
