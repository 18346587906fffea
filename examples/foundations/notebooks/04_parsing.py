# %% [markdown]
# # 4 · Parsing
#
# - **You will learn** how a text of settings becomes a dict, and what an answer that is asked for twice costs.
# - **You need** Python's strings and dicts.
# - **Time** {minutes} minutes.

# %% setup=true
from helpers.checks import check

# %% [markdown]
# ## 4.1 Settings in a text
#
# Each line sets one thing: a name, `=`, a value. The name ends at the first `=`, so a value may hold one. What
# follows a `#` is a comment. A line without `=` sets nothing, and if a name is set twice, the last line counts.
#
# **By hand.** `size = 12  # points` sets `size` to `"12"`.
#
# **Exercise 4.1** · difficulty 2 of 5 · 10 minutes · 3 points
#
# **Return the settings of a text, as texts.**
#
# <details><summary>Hint 1</summary>What does `"a=b=c".partition("=")` return?</details>
# <details><summary>The idea</summary>Cut off the comment first, then cut at the first sign.</details>


# %% exercise="parsing.pairs"
def pairs(text):
    """The settings of a text.

    Args:
        text: lines such as `name = value  # comment`.

    Returns:
        A dict of each name's value, both without spaces around them.
    """
    ### BEGIN SOLUTION
    found = {}
    for line in text.splitlines():
        line = line.partition("#")[0]
        if "=" in line:
            key, _, value = line.partition("=")
            found[key.strip()] = value.strip()
    return found
    ### END SOLUTION


# %% check="parsing.pairs"
check("parsing.pairs", pairs)
