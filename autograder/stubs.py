"""What a student finds in place of a solution. `nbgrader_config.py` lists it among the preprocessors."""

from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions


class ClearAnswers(ClearSolutions):
    """nbgrader's ClearSolutions, which leaves nothing at all in place of a choice's solution.

    A choice is released as a table with `...` in its slots. `raise NotImplementedError()` below it would
    have to be deleted before the choices can be checked, and students would not know that.
    """

    code_stub: dict[str, str]

    def preprocess_cell(
        self, cell: NotebookNode, resources: ResourcesDict, index: int
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Clear one cell."""
        if not cell.metadata.get("headstart", {}).get("choice"):
            return super().preprocess_cell(cell, resources, index)
        stubs = dict(self.code_stub)
        self.code_stub = dict.fromkeys(stubs, "")
        try:
            cell, resources = super().preprocess_cell(cell, resources, index)
        finally:
            self.code_stub = stubs
        cell.source = cell.source.rstrip()
        return cell, resources
