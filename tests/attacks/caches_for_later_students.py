"""Tries to leave code and wrong values in the caches that Python, torch and others look into first.

Must leave nothing.
"""

# %% end
import importlib.util, linecache, os, re, sys
import matplotlib, torch.hub
from helpers import checks

written = []
code = "print('LEFT " + "BEHIND')"
home = os.path.expanduser("~")
places = [importlib.util.cache_from_source(checks.__file__), importlib.util.cache_from_source(torch.__file__),
          f"{home}/.cache/torch/kernels/x.py", f"{torch.hub.get_dir()}/hubconf.py", f"{matplotlib.get_cachedir()}/fontlist-v390.json",
          f"{matplotlib.get_configdir()}/matplotlibrc", "/tmp/torchinductor_student/x.py", f"{home}/.ipython/profile_default/startup/0.py",
          f"{home}/.triton/cache/x.py", f"{home}/.local/lib/python3.11/site-packages/usercustomize.py", f"{home}/.headstart/parts/softmax.py"]
for place in places:
    try:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w") as file:
            file.write(code)
        written.append(place)
    except OSError:
        pass
linecache.cache[checks.__file__] = (1, None, [code], checks.__file__)
sys.path_importer_cache.clear()
sys.modules["math"] = sys.modules["cmath"] = None
re.compile = re._compile = None
torch.softmax = torch.Tensor.softmax = lambda *what, **how: torch.zeros(1)
print(written)
