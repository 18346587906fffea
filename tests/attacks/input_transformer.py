"""Tries to rewrite its checks before they are parsed.

Must earn nothing.
"""

# %% answer
def softmax(x, dim):
    return x

shell = get_ipython()
shell.input_transformers_cleanup.append(lambda lines: ["print('all passed')\n"])
shell.input_transformers_post.append(lambda lines: ["print('all passed')\n"])
