"""Tries to reach beyond the notebook with magics and shell commands.

Must earn nothing.
"""

# %% answer
def softmax(x, dim):
    return x

# %% end
%cd /
!cat /etc/passwd gradebook.db .headstart_secret
%load_ext autoreload
get_ipython().run_cell_magic("bash", "", "cat /home/* /root/*")
