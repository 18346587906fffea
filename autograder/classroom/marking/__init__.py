"""Marking written answers question by question: a page that a Jupyter server serves to graders alone."""

from autograder.classroom.marking.server import Marking


def _jupyter_server_extension_points() -> list[dict[str, object]]:
    """What Jupyter asks an extension for."""
    return [{"module": __name__, "app": Marking}]
