# %% [markdown]
# # 1 · Averages
#
# - **You will learn** why one wrong number ruins a mean and leaves a median alone.
# - **You need** lists, `sorted` and `sum`.
# - **Time** {minutes} minutes.

# %% setup=true
from helpers.checks import check

# %% [markdown]
# ## 1.1 The number in the middle
#
# Five people earn 20, 22, 25, 27 and 900. On average they earn 198.8, which none of them comes near. The
# *median* is what the one in the middle earns: 25, whatever the last one has.
#
# **By hand.** Sorted, 7, 1, 3 are 1, 3, 7: the median is **3**. Of 7, 1, 3, 6 there are two in the middle, 3
# and 6, and the median is the mean of these: **4.5**.
#
# **Exercise 1.1** · difficulty 1 of 5 · 5 minutes · 2 points
#
# **Return the median of the numbers.**
#
# <details><summary>Hint 1</summary>What is the index of the middle one of five numbers? Of seven?</details>
# <details><summary>Hint 2</summary>Of six numbers, which two are in the middle?</details>
# <details><summary>The idea</summary>Half of the numbers are below it, and half above.</details>


# %% exercise="averages.median"
def median(numbers):
    """The middle one of some numbers.

    Args:
        numbers: a list of at least one number, in any order. The list
            stays as it is.

    Returns:
        The number in the middle of the sorted list, or the mean of the
        two in the middle.
    """
    ### BEGIN SOLUTION
    ordered = sorted(numbers)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2
    ### END SOLUTION


# %% check="averages.median"
check("averages.median", median)
