# %% [markdown]
# # 2 · K-means
#
# - **You will learn** how two short steps, repeated, find groups of points.
# - **You need** broadcasting, `argmin` and boolean indexing.
# - **Time** {minutes} minutes.

# %% setup=true
import numpy as np

from helpers.checks import check

# %% [markdown]
# ## 2.1 Who is nearest?
#
# Each point belongs to the center that is nearest to it. The distance is the square root of the sum of the
# squared differences, and the nearest one is the same without the root.
#
# **By hand.** From (0, 0), the center (2, 2) is at a squared distance of 8, and (0, 3) at 9: the first is
# nearer.
#
# **Exercise 2.1** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Return the number of the center that is nearest to each point.**
#
# <details><summary>Hint 1</summary>With which axes do `points` and `centers` broadcast to (n, k, d)?</details>
# <details><summary>The idea</summary>A table of all distances, and in each row the smallest.</details>


# %% exercise="kmeans.assign"
def assign(points, centers):
    """The nearest center of each point.

    Args:
        points: an array of floats, (n, d).
        centers: an array of floats, (k, d).

    Returns:
        For each point the index of its nearest center, (n,).
    """
    ### BEGIN SOLUTION
    between = points[:, None] - centers[None]
    return (between**2).sum(axis=-1).argmin(axis=-1)
    ### END SOLUTION


# %% check="kmeans.assign"
check("kmeans.assign", assign)

# %% [markdown]
# ## 2.2 Move to the middle
#
# Then each center moves to the mean of its points. One that is nobody's nearest has no points, and stays.
#
# **By hand.** The points (0, 0) and (2, 4) have the mean (1, 2).
#
# **Exercise 2.2** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return the centers, each moved to the mean of its points.**
#
# <details><summary>Hint 1</summary>Which rows of `points` does `nearest == 0` select?</details>
# <details><summary>The idea</summary>One mean for each group, and nothing to do for an empty one.</details>


# %% exercise="kmeans.update"
def update(points, nearest, centers):
    """Where the centers move.

    Args:
        points: an array of floats, (n, d).
        nearest: for each point the index of its center, (n,).
        centers: an array of floats, (k, d). It stays as it is.

    Returns:
        The new centers, (k, d); one without points is where it was.
    """
    ### BEGIN SOLUTION
    moved = centers.copy()
    for number in range(len(centers)):
        own = points[nearest == number]
        if len(own):
            moved[number] = own.mean(axis=0)
    return moved
    ### END SOLUTION


# %% check="kmeans.update"
check("kmeans.update", update)

# %%
points = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0, 0], [5, 5], [0, 6]], 20, axis=0)
centers = points[[0, 20, 40]]
for _ in range(5):
    centers = update(points, assign(points, centers), centers)
centers.round(1)
