"""Tries to leave code where later students' Python would load it.

Must leave nothing.
"""

# %% end
import os, site, sys, tempfile
written = []
places = [*sys.path, *site.getsitepackages(), "/headstart/helpers", "/tmp", "/dev/shm", "/var/tmp", os.path.expanduser("~"),
          os.path.expanduser("~/.ipython/profile_default/startup"), os.environ.get("MPLCONFIGDIR", "/"), tempfile.gettempdir(), "/", "/usr/lib"]
for place in places:
    for name in ("sitecustomize.py", "usercustomize.py", "helpers.py", "torch.py", "evil.pth", "left_behind.py", "checks.json"):
        try:
            os.makedirs(place, exist_ok=True)
            with open(os.path.join(place, name), "w") as file:
                file.write("print('LEFT BEHIND')")
            written.append(os.path.join(place, name))
        except OSError:
            pass
print(written)
