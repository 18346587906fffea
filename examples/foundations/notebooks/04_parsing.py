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

# %% [markdown]
# ## 4.2 A cache of a few
#
# A program reads the same files of settings again and again. A **cache** keeps what was read last, but not all of
# it: when there is no room left, what nobody has used for longest has to go (*least recently used*).
#
# **By hand.** In a cache of two, put *a*, put *b*, ask for *a*, put *c*. Now *b* is gone: *a* was used after it.
#
# **Exercise 4.2** · difficulty 3 of 5 · 15 minutes · 4 points
#
# **Write a cache that forgets what nobody has used for longest.**
#
# <details><summary>Hint 1</summary>A dict keeps its keys in the order in which they were put in.</details>
# <details><summary>Hint 2</summary>What does taking a key out and putting it in again do to that order?</details>
# <details><summary>The idea</summary>Let the order say how long ago a key was used: the first key leaves.</details>


# %% exercise="parsing.cache"
class Cache:
    """Keeps the values of the keys that were used last.

    Args:
        size: for how many keys there is room, one at least.
    """

    def __init__(self, size):
        ### BEGIN SOLUTION
        self.size = size
        self.values = {}
        ### END SOLUTION

    def get(self, key):
        """The value of a key, or None if the key isn't there."""
        ### BEGIN SOLUTION
        if key not in self.values:
            return None
        self.values[key] = self.values.pop(key)
        return self.values[key]
        ### END SOLUTION

    def put(self, key, value):
        """Keep the value of a key."""
        ### BEGIN SOLUTION
        self.values.pop(key, None)
        self.values[key] = value
        if len(self.values) > self.size:
            del self.values[next(iter(self.values))]
        ### END SOLUTION


# %% check="parsing.cache"
check("parsing.cache", Cache)
