"""What of nbgrader's settings grading follows, and which it can't.

One that it can't follow is refused in a sentence, so that no grade differs from nbgrader's without a word.
"""

from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import Execute
from traitlets.config import Config

from autograder.classroom.lateness import Policy
from autograder.limits import CELL_SECONDS, NO_LIMIT_SECONDS

HERE = "autograder.classroom.plugin."
WHOLE = "a submission is graded as a whole"
# Of Execute's settings these are followed, or decide about a kernel that grading doesn't start.
HARMLESS = {
    "timeout", "execute_retries", "iopub_timeout", "ipython_hist_file", "kernel_manager_class",
    "raise_on_iopub_timeout", "record_timing", "shell_timeout_interval", "shutdown_kernel", "startup_timeout",
    "store_widget_state",
}  # fmt: skip
# What has to be as nbgrader has it by itself, and what to do where it isn't.
FIXED = {
    (Execute, name): "grading doesn't follow it: take the setting out"
    for name in sorted({*Execute.class_trait_names(config=True)} - HARMLESS)
} | {
    (CourseDirectory, "notebook_id"): f"{WHOLE}: leave --notebook out",
    (Execute, "enabled"): "grading runs what was handed in: leave --no-execute out",
    (Execute, "kernel_name"): "grading has the kernel of its own environment: take the setting out",
    (Execute, "extra_arguments"): "grading starts no kernel: take the setting out",
    (Execute, "timeout_func"): "set Execute.timeout, which holds for all cells",
}
BY_NBGRADER = "call `nbgrader autograde`, which calls it"
HOOKS = {(Autograde, "pre_convert_hook"): BY_NBGRADER, (Autograde, "post_convert_hook"): BY_NBGRADER}


def refuse_settings(config: Config, *, by_nbgrader: bool = False) -> None:
    """Stop at a setting that would be ignored.

    Args:
        config: the settings.
        by_nbgrader: whether nbgrader calls, which sees to some of them itself.

    Raises:
        LookupError: there is one; the text names it and what to do.
    """
    for (owner, name), cure in (FIXED if by_nbgrader else FIXED | HOOKS).items():
        found = getattr(owner(config=config), name)
        # A hook of ours is for what nbgrader does before it calls us.
        ours = f"{getattr(found, '__module__', '')}." == HERE
        if found != getattr(owner(), name) and not ours:
            raise LookupError(f"{owner.__name__}.{name} is set, but {cure}")
    Policy.of(config)  # what it refuses is refused before anything is graded
    steps = config.Autograde.get("autograde_preprocessors", [])
    if own := [step for step in map(str, steps) if step.rpartition(".")[0] + "." != HERE]:
        raise LookupError(
            f"Autograde.autograde_preprocessors has {own[0]}, which only nbgrader's own engine calls: "
            f"leave it to {HERE}Grade"
        )


def cell_seconds(config: Config, foreign: bool) -> float:
    """How long a cell may run: nbgrader's own limit, but ours in our lessons, unless the course sets one."""
    seconds = Execute(config=config).timeout
    if not foreign and seconds == Execute().timeout:
        return CELL_SECONDS
    return float(seconds) if seconds and seconds > 0 else NO_LIMIT_SECONDS
