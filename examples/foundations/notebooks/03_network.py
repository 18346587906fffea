# %% [markdown]
# # 3 · A network by hand
#
# - **You will learn** what two layers compute, and how the error finds its way back through them.
# - **You need** the product of matrices, and the chain rule.
# - **Time** {minutes} minutes.

# %% setup=true
import numpy as np

from helpers.checks import check

# %% [markdown]
# ## 3.1 Forward
#
# The first layer makes hidden numbers, of which those below 0 become 0. The second makes the outputs of them:
#
# $$h = \max(x W_1 + b_1, 0), \qquad y = h W_2 + b_2$$
#
# **By hand.** With $x = 2$, $W_1 = (1, -1)$ and $b_1 = (0, 1)$, the hidden numbers are 2 and max(−1, 0) = 0.
#
# **Exercise 3.1** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Return the outputs and the hidden numbers.**
#
# <details><summary>Hint 1</summary>Which function of NumPy takes the larger of each number and 0?</details>
# <details><summary>The idea</summary>A line, a bend, a line.</details>


# %% exercise="network.forward"
def forward(x, w1, b1, w2, b2):
    """What a network of two layers gives.

    Args:
        x: the inputs, an array of floats, (n, d).
        w1, b1: the first layer, (d, h) and (h,).
        w2, b2: the second layer, (h, k) and (k,).

    Returns:
        The outputs, (n, k), and the hidden numbers, (n, h).
    """
    ### BEGIN SOLUTION
    hidden = np.maximum(x @ w1 + b1, 0)
    return hidden @ w2 + b2, hidden
    ### END SOLUTION


# %% check="network.forward"
check("network.forward", forward)

# %% [markdown]
# ## 3.2 Back
#
# `wrong` holds the gradient of the loss by each output. From there the chain rule leads back: to the second
# layer, through its weights to the hidden numbers, and, where these aren't 0, to the first layer. All rows of
# the batch share the weights, so their parts are summed.
#
# **By hand.** With $h = 2$, $W_2 = 3$ and a gradient of 0.5, the gradient by $W_2$ is 2 · 0.5 = **1**, and that
# by $h$ is 3 · 0.5 = **1.5**.
#
# **Exercise 3.2** · difficulty 4 of 5 · 15 minutes · 4 points
#
# **Return the gradients by the weights and biases of both layers.**
#
# <details><summary>Hint 1</summary>Which product of matrices has the shape of the weights?</details>
# <details><summary>Hint 2</summary>What is the slope of max(z, 0) where z is below 0?</details>
# <details><summary>The idea</summary>The same path as forward, in the other direction.</details>


# %% exercise="network.gradients"
def gradients(x, hidden, w2, wrong):
    """The gradients of a network of two layers.

    Args:
        x: the inputs, (n, d).
        hidden: the hidden numbers, (n, h), none below 0.
        w2: the weights of the second layer, (h, k).
        wrong: the gradients by the outputs, (n, k).

    Returns:
        The gradients by w1, b1, w2 and b2: (d, h), (h,), (h, k), (k,).
    """
    ### BEGIN SOLUTION
    back = wrong @ w2.T * (hidden > 0)
    return x.T @ back, back.sum(axis=0), hidden.T @ wrong, wrong.sum(axis=0)
    ### END SOLUTION


# %% check="network.gradients"
check("network.gradients", gradients)
