"""Tries to hand in links to files that it can't read.

Must read nothing.
"""

# %% folder
import os
(folder / "secret.txt").symlink_to(course / ".headstart_secret")
(folder / "solution.ipynb").symlink_to(course / "source" / "01_attention" / "01_attention.ipynb")
(folder / "others").symlink_to(course / "submitted")
os.link(course / "hidden.txt", folder / "hard.txt")

# %% end
import os
for root, folders, names in os.walk("."):
    for name in names:
        print(name, open(os.path.join(root, name), "rb").read()[:2000])
