"""JupyterHub's settings for one class on one server. docs/jupyterhub.md says how it gets there.

Who is a member of the Unix group `headstart-teachers` works in the course's environment, which is closed to
all others; everybody else who may log in works in the students'.
"""

import grp
import os
from pathlib import Path

c = get_config()  # noqa: F821  (JupyterHub defines it)

TEACHERS, STUDENTS = "headstart-teachers", "headstart-students"
COURSE = Path(os.environ.get("HEADSTART_COURSE", "/srv/headstart"))
STUDENTS_ENVIRONMENT = Path(os.environ.get("HEADSTART_STUDENTS_ENVIRONMENT", "/opt/headstart"))
HIDDEN = ("checks.json", "__pycache__", "*.pyc")  # in the list of files
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"

# Browsers reach the Hub through a web server that speaks TLS; nothing else may.
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
c.ConfigurableHTTPProxy.pid_file = "jupyterhub-proxy.pid"

# Passwords and accounts are the machine's own.
c.JupyterHub.authenticator_class = "pam"
c.LocalAuthenticator.allowed_groups = {STUDENTS, TEACHERS}

c.Spawner.default_url = "/lab"
c.Spawner.notebook_dir = "~"
c.Spawner.start_timeout = 120  # seconds: on a busy machine, JupyterLab takes its time to start


def place(spawner) -> None:
    """Give whoever starts a server the environment that is theirs."""
    teaches = spawner.user.name in grp.getgrnam(TEACHERS).gr_mem
    programs = COURSE / ".venv/bin" if teaches else STUDENTS_ENVIRONMENT / "bin"
    spawner.cmd = [str(programs / "jupyterhub-singleuser")]
    spawner.environment["PATH"] = f"{programs}:{SYSTEM_PATH}"
    # What a teacher makes, the others may change; what a student makes is their own.
    spawner.popen_kwargs = {"umask": 0o007 if teaches else 0o077}
    # Formgrader and feedback stand in frames of JupyterLab's, which JupyterHub forbids otherwise.
    headers = {"headers": {"Content-Security-Policy": "frame-ancestors 'self'"}}
    spawner.args = [f"--ServerApp.tornado_settings={headers}"]
    if teaches:
        spawner.notebook_dir = str(COURSE)  # formgrader opens nothing that lies elsewhere
        spawner.args += ["--ServerApp.jpserver_extensions={'autograder.classroom.marking': True}"]
    else:
        spawner.args += [f"--ContentsManager.hide_globs={name}" for name in HIDDEN]


c.Spawner.pre_spawn_hook = place
