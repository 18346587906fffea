"""The numbers that a live widget gives its view."""

import html
import json
import re


def shown_in(page: str) -> dict:
    """Those in a widget's HTML, as `helpers.figures.live.shown` writes them."""
    found = re.search('data-numbers="([^"]*)"', page)
    assert found, page[:300]
    return json.loads(html.unescape(found[1]))
