"""A report's page from its template in `templates/`."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from helpers.checking.finding import marked

# Students write into reports: names, messages with numbers and errors of theirs. All of it is escaped.
# defence: reports: escapes
environment = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
environment.filters["marked"] = lambda text: Markup(marked(text))  # which escapes it, too


def render(template: str, **values: object) -> str:
    """A page.

    Args:
        template: its name, without `.html.j2`.
        values: what it shows. Text is escaped; HTML of ours comes as `markupsafe.Markup`.
    """
    return environment.get_template(f"{template}.html.j2").render(values)
