# %% [markdown]
# # 1 · Softmax
#
# - **You will learn** how scores become weights that sum to 1, and why a computer needs one step more.
# - **You need** NumPy's arrays, axes and `keepdims`.
# - **Time** {minutes} minutes.

# %% setup=true
import numpy as np

from helpers.checks import check

# %% [markdown]
# ## 1.1 From scores to weights
#
# A larger score should get a larger weight, every weight should be positive, and together they should be 1.
# The exponential makes every score positive, and the sum of all of them divides each:
#
# $$w_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$$
#
# **By hand.** The scores 0 and ln 3 have the exponentials 1 and 3. Their sum is 4, so the weights are **1/4**
# and **3/4**.
#
# For a score of 1000, `np.exp` is infinite. The weights stay the same if the same number is subtracted from
# every score: numerator and denominator lose the same factor.
#
# **Exercise 1.1** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Return the weights along the last axis, for scores of any size.**
#
# <details><summary>Hint 1</summary>Which number, subtracted from every score, leaves none above 0?</details>
# <details><summary>Hint 2</summary>What shape does a sum over the last axis need to divide the rows?</details>
# <details><summary>The idea</summary>Only differences between scores matter, so the largest may be 0.</details>


# %% exercise="softmax.softmax"
def softmax(scores):
    """The weights of scores.

    Args:
        scores: an array of floats, (..., n).

    Returns:
        The weights, (..., n), which sum to 1 along the last axis.
    """
    ### BEGIN SOLUTION
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
    ### END SOLUTION


# %% check="softmax.softmax"
check("softmax.softmax", softmax)
