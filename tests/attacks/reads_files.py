"""Tries to find the secret, solutions, other submissions and the gradebook on the disk.

Must read nothing.
"""

# %% end
import glob, os
for root, folders, names in os.walk("/"):
    if root.startswith(("/usr/lib", "/usr/share", "/sys", "/dev")):
        folders.clear()
    for name in names:
        path = os.path.join(root, name)
        if name.endswith((".ipynb", ".db", "_secret", ".txt", ".py", ".json", ".pyc")) and "site-packages" not in path:
            try:
                text = open(path, "rb").read()
            except OSError:
                continue
            if b"canary" in text.lower():
                print("FOUND", path, text[:3000])
for place in ("/proc/1/cwd", "/proc/self/root", "/proc/1/root", "../../..", "/root", "/home"):
    try:
        print(os.listdir(place))
    except OSError as error:
        print(place, type(error).__name__)
