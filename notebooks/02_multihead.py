# %% [markdown]
# # 2 · Multi-head attention
#
# - **You will learn** why one look-up isn't enough, how a layer makes several with the same number of
#   multiplications, and what individual heads do. You will write the module that all later lessons use, check it
#   against PyTorch's, set the weights of two heads by hand, and switch heads off in a model that you have
#   trained.
# - **You need** lesson 1 (queries, keys, values, masks) and `torch.nn.Module` with `torch.nn.Linear`.
# - **Time** {minutes} minutes. Sections 2.1 to 2.6 and 2.7 to 2.14 fit two sittings.
#
# Every exercise is checked as soon as you ask for it. If you get stuck, each has two hints and then the idea.

# %% setup=true
import itertools
import math

import torch
from IPython.display import display

from helpers.attention import scaled_dot_product_attention
from helpers.attention.explorers import writing_explorer
from helpers.attention.writer import own_reader
from helpers.checks import case, check
from helpers.figures import plots, repeats
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.multihead import drawings, experiments, explorers
from helpers.multihead.explorers import LONGEST, NOUNS, WORDS, encode, sentences

torch.set_num_threads(1)  # for small tensors: two cores would mostly wait for each other

# %% [markdown]
# ## 2.0 Catch the slip
#
# Here are three short pieces of work on lesson 1. Each is right, or has one slip that is easy to make.

# %% recall="multihead.recall_softmax"

# %% recall="multihead.recall_cross"

# %% recall="multihead.recall_dot_product"

# %% [markdown]
# ## 2.1 One look-up, one average
#
# *The wolf chased the cat.* To understand *chased* you need two things: **who** did it, and **to whom**. Attention
# gives *chased* one row of weights, and so one average of the values:
#
# $$\text{output} = \sum_j w_j\, v_j$$
#
# **By hand.** Let the wolf's value be 10 and the cat's 30. Half the weight on each gives 0.5·10 + 0.5·30 = 20. Swap
# the values, 30 for the wolf and 10 for the cat, and the output is 20 again. 25 and 15 give 20, too. The layers that
# follow can't tell these cases apart, so who chased whom is lost.

# %%
weights = torch.tensor([[0.5, 0.5]])
for wolf, cat in ((10.0, 30.0), (25.0, 15.0), (30.0, 10.0)):
    print(
        f"wolf {wolf:.0f}, cat {cat:.0f}: the average is {(weights @ torch.tensor([wolf, cat])).item():.0f}"
    )

# %% [markdown]
# Weights of 1 and 0 would keep the wolf's value and lose the cat's. So let *chased* make **two** look-ups, each
# with its own weights, and keep both results. Each of them is a **head**.
#
# Four letters for the rest of the lesson: a vector has C numbers, its *channels* (`d_model`). A layer has H heads
# (`n_heads`), and each works in D = C / H of the channels (`d_head`). T is the number of positions, as before.
# Channels, heads and positions are counted from 0.

# %% [markdown]
# ## 2.2 Splitting and merging the channels
#
# **Why.** Each of H heads could have its own three matrices. One large product is simpler than many small ones:
# project once, as in lesson 1, and then *divide the channels among the heads*. The first D belong to head 0, the next
# D to head 1, and so on.
#
# **Formula.** (…, T, C) becomes (…, H, T, D). Entry (h, t, d) of the result is entry (t, h·D + d) of the input. The
# heads come *before* the positions, so that the last two axes are one head's view of the sentence, (T, D), and
# lesson 1's attention works on them unchanged.
#
# **By hand.** T = 2 positions, C = 4 channels, H = 2 heads. Head 0 gets channels 0 and 1 of *both* positions:

# %%
x = torch.arange(8).reshape(2, 4)
print("x", x.tolist())
print("head 0", x[:, :2].tolist(), "head 1", x[:, 2:].tolist())

# %% [markdown]
# We want the shape (2, 2, 2). `view` returns that shape without an error:

# %%
print("view alone: head 0", x.view(2, 2, 2)[0].tolist(), "head 1", x.view(2, 2, 2)[1].tolist())

# %% [markdown]
# But now head 0 has all channels of position 0, and nothing of position 1! `view` doesn't move numbers: it reads
# them in memory order, position by position. So first split the last axis, which keeps that order, and then swap
# two axes.

# %% draw=true
# Each head gets its columns, in all rows
show(drawings.split_and_merge())

# %% [markdown]
# **Exercise 2.2a** · difficulty 2 of 5 · 8 minutes · 2 points
#
# **Cut the channels into n_heads equal parts, and return them with the heads before the positions.**
#
# <details><summary>Hint 1</summary>Memory holds all channels of position 0, then all of position 1. If you only cut
# the last axis into H and D, which shape do you get?</details>
# <details><summary>Hint 2</summary>There may be no batch axis, or two. Which axes do you swap, counted from the
# end? To cut an axis, look up <code>unflatten</code>.</details>
# <details><summary>The idea</summary>Cutting an axis moves no number, so cut first, and then swap two whole axes:
# (…, T, H, D), then (…, H, T, D).</details>


# %% exercise="multihead.split_heads"
def split_heads(x, n_heads):
    """Give each head its share of the channels.

    Args:
        x: (..., T, C).
        n_heads: H, a divisor of C.

    Returns:
        (..., H, T, D) with D = C / H. Head h gets channels h·D to
        h·D + D - 1 of every position.
    """
    ### BEGIN SOLUTION
    return x.unflatten(-1, (n_heads, -1)).transpose(-3, -2)
    ### END SOLUTION


# %% check="multihead.split_heads"
check("multihead.split_heads", split_heads)

# %% [markdown]
# Move the slider. On the right is **your** function: every head sees every position. On the left is `view` alone: a
# head sees some positions and misses the others. For which number of heads do the two agree?

# %% draw=true
# Explore: which head gets which numbers
explorers.split_explorer(split_heads)

# %% [markdown]
# After the look-up, each head has D numbers for each position. **Merging** puts them side by side, so that they are
# C channels again: (…, H, T, D) becomes (…, T, H·D), and entry (t, h·D + d) is entry (h, t, d).
#
# **By hand.** Head 0 holds [[0, 1], [4, 5]] and head 1 holds [[2, 3], [6, 7]]. Position 0 gets 0, 1 from head 0 and
# 2, 3 from head 1; position 1 gets 4, 5 and 6, 7. Merged, that is [[0, 1, 2, 3], [4, 5, 6, 7]].
#
# **Exercise 2.2b** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Put the channels of all heads side by side again, head 0 first.**
#
# <details><summary>Hint 1</summary>Which two axes have to be neighbours, and in which order, before they can become
# one?</details>
# <details><summary>Hint 2</summary>Does <code>view</code> complain about the order in memory? <code>reshape</code>
# and <code>flatten</code> copy if they have to.</details>
# <details><summary>The idea</summary>The two steps of Exercise 2.2a, backwards: swap, then flatten the last two
# axes.</details>


# %% exercise="multihead.merge_heads"
def merge_heads(z):
    """Put the channels of all heads side by side.

    Args:
        z: (..., H, T, D).

    Returns:
        (..., T, H·D).
    """
    ### BEGIN SOLUTION
    return z.transpose(-3, -2).flatten(-2)
    ### END SOLUTION


# %% check="multihead.merge_heads"
check("multihead.merge_heads", merge_heads)

# %% [markdown]
# A tempting test: split, merge, and see whether x comes back. We try it on your functions, and on a wrong pair,
# `view` and `reshape`.

# %% predict="multihead.round_trip"

# %% draw=true
# Does a round trip prove anything?
with waiting_for("Exercises 2.2a and 2.2b"), after_predicting("multihead.round_trip"):
    x = torch.randn(5, 12)
    print("yours:              x comes back?", torch.equal(merge_heads(split_heads(x, 3)), x))
    print("view, then reshape: x comes back?", torch.equal(x.view(3, 5, 4).reshape(5, 12), x))

# %% [markdown] reveals="multihead.round_trip"
# Two mistakes undo each other. The test passes, although every head in between has looked at the wrong numbers. A
# round trip proves less than it seems to: check what is in the middle, too.

# %% [markdown]
# ## 2.3 All heads in one call
#
# **Why.** Each head has its own queries, keys and values, and its own softmax. A loop over the heads would do. But
# your attention of lesson 1 takes any axes in front, and to it the heads are just one more axis.
#
# **Formula.** With $Q_h$, $K_h$, $V_h$ for head h's channels:
#
# $$\text{head}_h = \text{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{D}}\right) V_h$$
#
# We divide by √D, not √C, because a dot product within one head has D terms.
#
# **By hand.** C = 2, H = 2, so D = 1. Queries, keys and values are all (1, 0) at position 0 and (0, 1) at position 1.
# Head 0 sees channel 0: 1 and 0. Position 0 asks with 1: scores 1 and 0, weights 0.73 and 0.27, output 0.73.
# Position 1 asks with 0: weights 0.5 and 0.5, output 0.5. Head 1 sees 0 and 1, and finds 0.5 and 0.73. Merged:
# (0.73, 0.5) and (0.5, 0.73).
#
# **Exercise 2.3** · difficulty 3 of 5 · 8 minutes · 2 points
#
# **Let all heads look things up: return their outputs, side by side, and the weights of each head.**
#
# <details><summary>Hint 1</summary>Which shapes do q, k and v get from <code>split_heads</code>?</details>
# <details><summary>Hint 2</summary><code>scaled_dot_product_attention</code> is imported. What does it return for
# tensors (…, H, T, D), and which of its two results has to be merged?</details>
# <details><summary>The idea</summary>The heads are one more batch axis, so one call looks things up for all of
# them.</details>


# %% exercise="multihead.attend_by_heads"
def attend_by_heads(q, k, v, n_heads, mask=None):
    """Attention by several heads, each in its own channels.

    Args:
        q: queries, (..., T_q, C).
        k: keys, (..., T_k, C).
        v: values, (..., T_k, C).
        n_heads: H, a divisor of C.
        mask: boolean, broadcastable to
            (..., H, T_q, T_k). True means "may attend".

    Returns:
        The outputs (..., T_q, C) and the weights of each head
        (..., H, T_q, T_k).
    """
    ### BEGIN SOLUTION
    q, k, v = (split_heads(t, n_heads) for t in (q, k, v))
    outputs, weights = scaled_dot_product_attention(q, k, v, mask)
    return merge_heads(outputs), weights
    ### END SOLUTION


# %% check="multihead.attend_by_heads"
check("multihead.attend_by_heads", attend_by_heads)

# %% [markdown]
# Here are two heads over five random vectors, with a causal mask, which hides later words.

# %% draw=true
# Two heads that nobody has trained
words = ["the", "wolf", "chased", "the", "cat"]
with waiting_for("Exercise 2.3"):
    torch.manual_seed(4)
    causal = torch.ones(5, 5, dtype=torch.bool).tril()
    _, weights = attend_by_heads(*torch.randn(3, 5, 16), 2, causal)
    axes = plots.panels(2, width=3.9, height=3.0)
    for head, ax in enumerate(axes):
        plots.heatmap(weights[head], words, words, mask=causal, title=f"head {head}", ax=ax)
    show(axes[0])

# %% [markdown]
# One sentence and one mask give two different maps, and in *each* head, each row sums to 1. Some libraries show the
# average over the heads, which is neither head's map.

# %% [markdown]
# ## 2.4 One more axis for the mask
#
# With heads, the scores have the shape (B, H, T_q, T_k). The mask's axes are aligned with these **from the
# right**, and an axis that has size 1, or is missing in front, applies to all. Usually all heads share a mask,
# but each *sentence* may have its own: the shorter it is, the more padding it has at its end (1.5). Here are
# masks for B = 2 sentences, without an axis for the heads:

# %%
mask = torch.ones(2, 3, 3, dtype=torch.bool)  # (B, T_q, T_k)
for n_heads in (4, 2):
    scores = torch.zeros(2, n_heads, 3, 3)  # (B, H, T_q, T_k)
    try:
        print(f"{n_heads} heads: fits, {tuple(scores.masked_fill(~mask, -math.inf).shape)}")
    except RuntimeError as error:
        print(f"{n_heads} heads: {error}")

# %% [markdown]
# With 4 heads there is an error, luckily. With 2 heads the shapes fit, but the meaning is wrong: the mask of sentence 0
# is applied to *head* 0 of every sentence.
#
# **Exercise 2.4** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Choose the smallest shape that does each job by broadcasting.** Write `"(T_q, T_k)"`, `"(B, T_q, T_k)"`,
# `"(B, 1, 1, T_k)"` or `"(B, 1, T_q, T_k)"` in place of each `...`
#
# <details><summary>Hint 1</summary>What decides whether a key is hidden: the sentence, the head, the query, the
# key?</details>
# <details><summary>Hint 2</summary>Which queries may not see padding, and which may not see a given later
# word?</details>
# <details><summary>The idea</summary>An axis that matters keeps its size, any other has size 1, and axes of size 1
# in front can be left out.</details>

# %% exercise="multihead.mask_axes"
mask_shapes = {
    "padding: each sentence has its own length": ...,
    "no word sees a later one, in all sentences alike": ...,
    "both at once": ...,
}
### BEGIN SOLUTION
mask_shapes = {
    "padding: each sentence has its own length": "(B, 1, 1, T_k)",
    "no word sees a later one, in all sentences alike": "(T_q, T_k)",
    "both at once": "(B, 1, T_q, T_k)",
}
### END SOLUTION

# %% check="multihead.mask_axes"
check("multihead.mask_axes", mask_shapes)

# %% [markdown]
# ## 2.5 The module
#
# **Why.** Two things are missing. The queries, keys and values have to be made from vectors: by three projections of
# C channels to C, as in lesson 1. And after the merge, channel 0 could only ever hold what head 0 has found. So a
# fourth projection, $W_o$, lets every channel of the output draw on every head.
#
# **Formula** (Vaswani et al. 2017, section 3.2.2), where y asks and x is asked:
#
# $$Q = y\,W_q \quad K = x\,W_k \quad V = x\,W_v \qquad \text{output} = [\text{head}_0, \dots, \text{head}_{H-1}]\; W_o$$
#
# Without x, the module is self-attention. In a translator's decoder, y holds the decoder's vectors and x the
# encoder's. It is the same module, called with both.
#
# **By hand.** In the example of 2.3 the merged outputs are (0.73, 0.5) and (0.5, 0.73). With $W_o$ = [[1, 0], [1, 0]],
# channel 0 of the output is the sum of both heads, 1.23 at both positions, and channel 1 is 0.

# %% draw=true
# The shape after each step
show(drawings.module())

# %% [markdown]
# **Exercise 2.5** · difficulty 3 of 5 · 12 minutes · 4 points
#
# **Write the forward pass of multi-head attention: return the outputs and the weights of each head.**
#
# <details><summary>Hint 1</summary>What do you pass for x if it is None?</details>
# <details><summary>Hint 2</summary>Which three of the four layers come before your function of Exercise 2.3, and
# which one after it?</details>
# <details><summary>The idea</summary>Three projections make what the heads need, and the fourth mixes what they
# found.</details>


# %% exercise="multihead.module"
class MultiHeadAttention(torch.nn.Module):
    """Attention by several heads, batch first.

    Args:
        d_model: C, channels of everything that goes in and out.
        n_heads: H, a divisor of d_model.
    """

    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (torch.nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, y, x=None, mask=None):
        """Let y look things up in x.

        Args:
            y: who asks, (B, T_q, C).
            x: who is asked, (B, T_k, C). None
                means y: self-attention.
            mask: boolean, broadcastable to
                (B, H, T_q, T_k). True means "may attend".

        Returns:
            The outputs (B, T_q, C) and the weights of each head
            (B, H, T_q, T_k).
        """
        ### BEGIN SOLUTION
        x = y if x is None else x
        found, weights = attend_by_heads(self.W_q(y), self.W_k(x), self.W_v(x), self.n_heads, mask)
        return self.W_o(found), weights
        ### END SOLUTION


# %% check="multihead.module"
check("multihead.module", MultiHeadAttention)

# %% [markdown]
# ## 2.6 The same numbers as PyTorch
#
# **Why.** A good test of a module: give it the weights of a trusted one, and compare. `torch.nn.MultiheadAttention`
# packs its three projections into one weight, so that self-attention takes one product instead of three.
# `in_proj_weight`, (3C, C), stacks three `nn.Linear` weights, for queries, keys and values in this order;
# `in_proj_bias`, (3C,), stacks their biases in the same way.
#
# **By hand.** With C = 1 and `in_proj_weight` [[2], [3], [5]]: $W_q$ is [[2]], $W_k$ is [[3]], $W_v$ is [[5]].
#
# **Exercise 2.6** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Take torch's packed weight and bias apart, and return the six parameters by name.**
#
# <details><summary>Hint 1</summary>How many rows of the packed weight belong to the queries?</details>
# <details><summary>Hint 2</summary>Which function cuts a tensor into equal pieces? Look up
# <code>torch.chunk</code>, or use slices.</details>
# <details><summary>The idea</summary>Three equal pieces, from top to bottom. Nothing is transposed: nn.Linear, too,
# keeps its weight as (out, in).</details>


# %% exercise="multihead.unpack"
def unpack_projections(in_proj_weight, in_proj_bias):
    """Take apart what torch keeps in one.

    Args:
        in_proj_weight: (3C, C).
        in_proj_bias: (3C,).

    Returns:
        A dict with the keys "W_q.weight", "W_k.weight", "W_v.weight",
        each (C, C), and "W_q.bias", "W_k.bias", "W_v.bias", each (C,).
    """
    ### BEGIN SOLUTION
    weights, biases = in_proj_weight.chunk(3), in_proj_bias.chunk(3)
    parameters = {}
    for name, weight, bias in zip(("W_q", "W_k", "W_v"), weights, biases, strict=True):
        parameters[f"{name}.weight"], parameters[f"{name}.bias"] = weight, bias
    return parameters
    ### END SOLUTION


# %% check="multihead.unpack"
check("multihead.unpack", unpack_projections)

# %% [markdown]
# Now compare. PyTorch's module differs from yours in three ways. The batch is its second axis, unless you say
# `batch_first=True`. It averages the weights over the heads, unless you say `average_attn_weights=False`. And in
# *its* boolean masks True means "may **not** attend", the opposite of ours and of
# `torch.nn.functional.scaled_dot_product_attention`.

# %% draw=true
# How far your module is from PyTorch's, given the same weights
with waiting_for("Exercises 2.5 and 2.6"):
    for what, (outputs, weights) in experiments.against_torch(MultiHeadAttention, unpack_projections).items():
        print(f"{what:<16} largest difference: outputs {outputs:.0e}, weights {weights:.0e}")

# %% [markdown]
# This is rounding: a float32 has about seven digits, so differences near 1e-07 mean nothing.

# %% [markdown]
# ## 2.7 What do several heads cost?
#
# Several heads can look at several things. Are they also cheaper than one head, or more expensive? Count:
#
# - **Parameters**: four matrices and their biases.
# - **Multiplications**: those in matrix products. Shape (a, b) times (b, c) takes a·b·c. (The FLOPs of lesson 5 are
#   twice as many, as they count the additions too.)
# - **Weights**: the numbers that come out of the softmax. Your function keeps them for the gradient. (Lesson 5
#   shows how FlashAttention avoids that.)
#
# **By hand.** One sentence of T = 10, C = 4, H = 2, D = 2. Parameters: 4·(4·4 + 4) = 80. Each of the four
# projections takes 10·4·4 = 160 multiplications, all four 640. In one head, the scores take 10·2·10 = 200 and the averages
# 10·10·2 = 200. Both heads: 800. Together 1440. Weights: 2·10·10 = 200.
#
# **Exercise 2.7a** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return the number of parameters, of multiplications and of weights of self-attention over one sentence.**
#
# <details><summary>Hint 1</summary>Repeat the example by hand with letters. Which of its numbers contain
# H?</details>
# <details><summary>Hint 2</summary>Which shapes are multiplied in one head, for the scores and for the averages?
# Remember that H·D = C.</details>
# <details><summary>The idea</summary>The projections don't depend on the heads. In the look-ups, H heads of D
# channels do as much as one of C channels. Only the number of attention maps grows with H.</details>


# %% exercise="multihead.costs"
def costs(T, d_model, n_heads):
    """What multi-head self-attention over one sentence costs.

    Args:
        T: positions.
        d_model: channels.
        n_heads: heads of d_model / n_heads channels each.

    Returns:
        Three integers: parameters (biases too), multiplications in
        matrix products, attention weights.
    """
    ### BEGIN SOLUTION
    d_head = d_model // n_heads
    parameters = 4 * (d_model * d_model + d_model)
    multiplications = 4 * T * d_model * d_model + n_heads * 2 * T * T * d_head
    return parameters, multiplications, n_heads * T * T
    ### END SOLUTION


# %% check="multihead.costs"
check("multihead.costs", costs)

# %% [markdown]
# Here is your count beside PyTorch's, with the time that your module takes on one core of this machine:

# %% predict="multihead.price"

# %% draw=true
# What heads cost: your count, PyTorch's, and the clock
from helpers.timing import seconds

with waiting_for("Exercises 2.5 and 2.7a"), after_predicting("multihead.price"):
    T, C, heads = 128, 256, [1, 2, 4, 8, 16]
    layers = {H: MultiHeadAttention(C, H) for H in heads}
    times = {H: 1000 * seconds(layer, torch.randn(2, T, C), laps=15) for H, layer in layers.items()}
    print("heads  parameters  torch counts  multiplications  weights  milliseconds")
    for H, layer in layers.items():
        counted = sum(p.numel() for p in layer.parameters())
        parameters, products, weights = costs(T, C, H)
        print(f"{H:5}  {parameters:10,}  {counted:12,}  {products:15,}  {weights:7,}  {times[H]:12.1f}")
    millions = [costs(T, C, H)[1] / 1e6 for H in heads]
    wide = [H * millions[0] for H in heads]
    series = {"heads share the channels": millions, "each head as wide as the model": wide}
    show(plots.lines(heads, series, xlabel="heads", ylabel="million multiplications", log="x"))

# %% [markdown] reveals="multihead.price"
# The heads share the channels, so parameters and multiplications are **the same for any number of heads**. Only the
# number of weights grows, with H maps instead of one, and with it the softmax's time and memory. Several heads
# aren't *cheaper* than one wide head: their matrix products cost the same (Vaswani et al. 2017, section 3.2.2: the
# total cost is similar). They are cheap only compared with H heads that are each as wide as the model, the upper
# line. And each head has only D channels to compare.

# %% [markdown]
# **Question 2.7b** · graded by hand · 8 minutes · 5 points
#
# So, *why several heads?* Say what several heads can do that one can't, what they cost compared with one head of
# full width (parameters, multiplications, memory), what would change if every head were as wide as the model, and
# what is bad about very many heads. Use your numbers.

# %% [markdown] written="multihead.why_heads" points=5
# ### BEGIN SOLUTION
# **Model answer.** One head gives each query one row of weights and so one weighted average; a verb that needs its
# subject and its object gets a mixture of both. Several heads give each query several rows and several averages,
# kept apart in channels of their own until W_o mixes them. The cost: with D = C / H the four projections stay C ×
# C, so the parameters are 4(C² + C) for any H, and the multiplications 4TC² + 2T²C for any H, as the H in front of
# the attention and the H in D cancel. So they aren't cheaper than one head; they cost the same. Only the memory for
# the weights grows, H·T², and with it the time for their softmax. If every
# head were as wide as the model, everything would grow H-fold. Very many heads have a drawback: D becomes small,
# each head compares and carries only D numbers, and in the limit D = 1 a score is one product of two numbers.
#
# **Rubric**
# - 1 point: one head, one average; several heads, several averages of one query kept apart.
# - 1 point: parameters and multiplications don't depend on H at fixed d_model, with a reason or with numbers.
# - 1 point: not "cheaper", but the same; or: the saving is against H heads of full width, which cost H times as
#   much.
# - 1 point: the weights (memory, softmax) grow with H.
# - 1 point: with many heads d_head gets small, and each head compares or carries less.
# - "Each head sees a different part of the sentence" loses the first point: each sees all positions, in different
#   channels.
# ### END SOLUTION

# %% [markdown]
# ## 2.8 Two places at once
#
# Is one head really not enough? It could be wider, or have better weights. Here is a task that one head *provably*
# cannot do.
#
# There are four places around a table: N, E, S, W. Each has a number, and should get **both** neighbours' numbers:
# the next place's (clockwise) in output channel 0, the previous place's in channel 1. N should get E's and W's.
#
# A place's vector has four channels: its direction, as (east, north), its number, and a spare 0.

# %%
places = ["N", "E", "S", "W"]
directions = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])  # east, north


def table(numbers):
    """The vectors of the four places,
    (..., 4, 4), for numbers (..., 4).
    """
    number = numbers.unsqueeze(-1)
    return torch.cat([directions.expand(*numbers.shape, 2), number, torch.zeros_like(number)], dim=-1)


print(table(torch.tensor([7.0, 2.0, 5.0, 4.0])))

# %% [markdown]
# **One head can't, however wide it is.** Whatever a head's weights $w_j$ are, it takes an average, and the output
# of N is $(\sum_j w_j x_j)\,W_v W_o$. The four numbers enter it only through *one* number, the average
# $m = \sum_j w_j\,\text{number}_j$. The other channels of the average are directions and the spare 0, between −1
# and 1. So, with factors a and b that depend on the matrices alone,
#
# - output channel 0 is a·m + something small, and has to be E's number;
# - output channel 1 is b·m + something small, and has to be W's number.
#
# Make the four numbers huge, and the small parts no longer matter. Then E's number divided by W's would always be
# a/b. But E and W can have any two numbers. So no choice of matrices works, even if the weights depend on the
# numbers. ∎
#
# **Two heads can**: each fetches one of the numbers, and W_o puts them into their channels. Now set the weights by
# hand. A place finds its neighbour by *turning* its own direction: a quarter turn clockwise takes N to E, E to S,
# and so on.
#
# **By hand.** A quarter turn clockwise takes (east, north) to (north, −east). For a row vector that is the product
# with [[0, −1], [1, 0]]: (0, 1) becomes (1, 0), N becomes E. If N asks with 40·(1, 0), its scores with the keys N,
# E, S, W are 0, 40, 0, −40 before scaling, and after the softmax E has practically all the weight.
#
# **Exercise 2.8** · difficulty 4 of 5 · 15 minutes · 4 points
#
# **Return four matrices with which two heads bring each place both neighbours' numbers.**
#
# There are no biases: Q = x @ W_q and so on. H = 2 and D = 2, so columns 0 and 1 of W_q, W_k, W_v belong to head 0,
# columns 2 and 3 to head 1. After the merge, channels 0 and 1 come from head 0, and 2 and 3 from head 1. The check
# compares to one decimal. If your numbers are close but not right, the softmax isn't sharp enough yet.
#
# <details><summary>Hint 1</summary>Begin with W_k: in both heads, a place's key should be its direction. Which channels
# of x hold that, and in which columns must it end up?</details>
# <details><summary>Hint 2</summary>What does each head ask for? The transposed matrix turns anticlockwise. W_v has
# to hand the same channel of x to both heads.</details>
# <details><summary>The idea</summary>All four matrices are zero except for blocks. Keys are directions:
# <code>W_k[:2, :2]</code> and <code>W_k[:2, 2:]</code> are identities. Queries are directions, turned and enlarged.
# For each head, a 1 in W_v lets the number in, and a 1 in W_o lets it out.</details>


# %% exercise="multihead.both_neighbours"
def both_neighbours():
    """Weights of two heads by which each place
    gets both of its neighbours' numbers.

    Returns:
        W_q, W_k, W_v, W_o, each a tensor (4, 4), used as x @ W.
    """
    ### BEGIN SOLUTION
    clockwise = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    W_q, W_k, W_v, W_o = torch.zeros(4, 4, 4)
    W_q[:2, :2], W_q[:2, 2:] = 40 * clockwise, 40 * clockwise.T
    W_k[:2, :2] = W_k[:2, 2:] = torch.eye(2)
    W_v[2, 0] = W_v[2, 2] = 1  # each head carries the number in its first channel
    W_o[0, 0] = W_o[2, 1] = 1
    return W_q, W_k, W_v, W_o
    ### END SOLUTION


# %% check="multihead.both_neighbours"
check("multihead.both_neighbours", both_neighbours)

# %% draw=true
# What each place gets from its two neighbours
with waiting_for("Exercises 2.3 and 2.8"):
    numbers = torch.tensor([7.0, 2.0, 5.0, 4.0])
    W_q, W_k, W_v, W_o = both_neighbours()
    attended, weights = attend_by_heads(*(table(numbers) @ W for W in (W_q, W_k, W_v)), 2)
    outputs = attended @ W_o
    for place, number, found in zip(places, numbers.tolist(), outputs.tolist(), strict=True):
        print(f"{place} has {number:.0f}: next {found[0]:.0f}, before {found[1]:.0f}")
    axes = plots.panels(2, width=3.2, height=2.6)
    for head, ax in enumerate(axes):
        plots.heatmap(weights[head], places, places, title=f"head {head}", ax=ax)
    show(axes[0])

# %% [markdown]
# Does gradient descent find such weights, too? And how far does it get with one head that is as wide as both together?
# We train your module on random numbers with mean 0 and variance 1, three runs with one head and three with two.

# %% predict="multihead.one_head"

# %% draw=true
# How far one wide head gets, and two
with waiting_for("Exercise 2.5"), after_predicting("multihead.one_head"):
    runs = {
        "one head, D = 4": experiments.neighbours_learned(MultiHeadAttention, 1, table),
        "two heads, D = 2": experiments.neighbours_learned(MultiHeadAttention, 2, table),
    }
    labels = {"xlabel": "steps", "ylabel": "mean squared error"}
    show(repeats.curves(runs, title="Three runs each, and their mean", **labels))

# %% [markdown] reveals="multihead.one_head"
# One head stays near 0.5, or a little below: of two independent numbers with variance 1, a single average can carry
# one. (It can get lower, because the weights can depend on the numbers and so bring in some more. That is the
# "something small" of the proof.) With two heads, the error falls towards 0.

# %% [markdown]
# The proof needs both answers to come from the *same channel*. If one were a number and the other a colour, in a
# channel of its own, one average could hold both.

# %% [markdown]
# ## 2.9 Heads that learn their jobs
#
# Back to the wolf and the cat. A tiny reader, not the one of lesson 1, gets sentences like these, and answers two
# questions at each verb: who did it, and to whom?

# %%
tokens, who, whom = sentences(3000, seed=0)
for row in range(3):
    print(" ".join(WORDS[token] for token in tokens[row] if token > 0))

# %% [markdown]
# The reader has a table of vectors for the words (`torch.nn.Embedding`, as in 1.3), one for the positions in the
# sentence (see lesson 3), your attention, and two linear layers that each choose one of 20 nouns. So the answer at
# *chased* can depend on the wolf only through attention.


# %%
class Reader(torch.nn.Module):
    """At each verb: who did it, and to whom?"""

    def __init__(self, n_heads, d_model=16):
        super().__init__()
        self.words = torch.nn.Embedding(len(WORDS), d_model)
        self.places = torch.nn.Embedding(LONGEST, d_model)
        self.attention = MultiHeadAttention(d_model, n_heads)
        self.who = torch.nn.Linear(d_model, len(NOUNS))
        self.whom = torch.nn.Linear(d_model, len(NOUNS))

    def forward(self, tokens):
        """Word numbers (B, T) to scores for who and for
        whom, each (B, T, 20), and weights (B, H, T, T).
        """
        x = self.words(tokens) + self.places.weight[: tokens.size(1)]
        output, weights = self.attention(x, mask=(tokens > 0)[:, None, None])  # 0 is padding
        return self.who(output), self.whom(output), weights


def loss_of(scores, answers):
    """Mean cross-entropy over the verbs; elsewhere
    the answer is -100, which torch leaves out.
    """
    return torch.nn.functional.cross_entropy(scores.flatten(0, 1), answers.flatten())


def share_right(scores, answers):
    """Of all verbs, the share whose answer is right."""
    asked = answers >= 0
    return float((scores[asked].argmax(dim=-1) == answers[asked]).float().mean())


def train(n_heads, seed, steps=400):
    """A reader that has seen `steps` batches of 64 sentences."""
    torch.manual_seed(seed)
    reader = Reader(n_heads)
    optimizer = torch.optim.Adam(reader.parameters(), lr=0.01)
    for _ in range(steps):
        batch = torch.randint(len(tokens), (64,))
        who_scores, whom_scores, _ = reader(tokens[batch])
        loss = loss_of(who_scores, who[batch]) + loss_of(whom_scores, whom[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return reader


# %% [markdown]
# We compare one head with two, both 16 channels wide, in three runs each, on 500 sentences that the reader hasn't
# seen:

# %% draw=true
# How many answers are right, with one head and with two
test_tokens, test_who, test_whom = sentences(500, seed=1)
with waiting_for("Exercise 2.5"):
    names, found = [], {"who": [], "whom": []}
    for n_heads, seed in itertools.product((1, 2), range(3)):
        trained = train(n_heads, seed)
        with torch.no_grad():
            who_scores, whom_scores, _ = trained(test_tokens)
        names.append(f"{n_heads} head{'s' * (n_heads > 1)}\nrun {seed + 1}")
        found["who"].append(share_right(who_scores, test_who))
        found["whom"].append(share_right(whom_scores, test_whom))
    show(explorers.shares(names, found, title="Who did it, and to whom?"))

# %% [markdown]
# Two heads get everything right, or nearly. One head never does: it learns one question and guesses the other (1 in
# 20 is chance), or is mediocre at both. (Being better than chance at both doesn't contradict 2.8: with only 20
# nouns, one average can tell something about two of them.)
#
# Now a reader with four heads. Each row shows where one head looks from one of the two verbs:

# %% draw=true
# Where each of four heads looks, from both verbs
sentence = ["the", "old", "wolf", "chased", "the", "cat", "while", "the", "king", "saw", "the", "queen"]
with waiting_for("Exercise 2.5"):
    reader = train(4, seed=2)
    with torch.no_grad():
        weights = reader(encode(sentence)[None])[2][0]  # (H, T, T)
    verbs = [sentence.index("chased"), sentence.index("saw")]
    rows = [f"{sentence[verb]}, head {head}" for verb in verbs for head in range(4)]
    ax = plots.heatmap(
        weights[:, verbs].transpose(0, 1).flatten(0, 1), rows, sentence, title="Where verbs look"
    )
    ax.set_ylabel("")
    show(ax)

# %% [markdown]
# Nobody told the heads what to do. Yet in both clauses some heads answer *who* and look at the noun before the
# verb; others answer *whom* and look at the noun after it. (Which head does which depends on the random start.)
# BERT (lesson 10), too, has a head that links direct objects with their verbs (Clark et al. 2019).

# %% [markdown]
# ## 2.10 Switching heads off
#
# **Why.** A map shows where a head looks, but not whether the head is of any *use*. To find out, take it away.
#
# **Formula.** The output is a sum over the heads, since each head's channels are multiplied by their own part of
# $W_o$:
#
# $$\text{output} = \sum_h \text{head}_h\, W_o^{(h)} + \text{bias}$$
#
# So to switch head h off, set its part of $W_o$ to 0. An `nn.Linear` keeps its weight as (out, in), so the columns
# of head h are h·D to h·D + D − 1.
#
# **By hand.** Two heads, D = 2, weight [[1, 2, 3, 4]]. With head 0 off it is [[0, 0, 3, 4]].
#
# **Exercise 2.10** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return the output projection with the heads switched off where keep is False.**
#
# <details><summary>Hint 1</summary>How many columns does each head have?</details>
# <details><summary>Hint 2</summary><code>keep</code> has one entry per head, the weight D columns per head. How do
# <code>repeat_interleave</code> and <code>repeat</code> differ?</details>
# <details><summary>The idea</summary>A head is off if its columns are 0. Return a new weight, and leave the given
# one unchanged.</details>


# %% exercise="multihead.switch_off"
def switch_off(weight, keep):
    """The output projection without some heads.

    Args:
        weight: of an nn.Linear after the merge, (C_out, H·D).
        keep: boolean, (H,). False switches a head off.

    Returns:
        A new weight (C_out, H·D); weight itself stays as it is.
    """
    ### BEGIN SOLUTION
    columns = keep.repeat_interleave(weight.size(1) // len(keep))
    return weight * columns
    ### END SOLUTION


# %% check="multihead.switch_off"
check("multihead.switch_off", switch_off)

# %% [markdown]
# Now the reader of 2.9 can read with any choice of heads. `functional_call` calls a module with some parameters
# replaced, without changing the module.


# %%
def read(tokens, keep):
    """What the reader answers where only the
    heads in keep (H,) are on: who, whom, weights.
    """
    weight = switch_off(reader.attention.W_o.weight, keep)
    return torch.func.functional_call(reader, {"attention.W_o.weight": weight}, (tokens,))


# %% [markdown]
# ## 2.11 What is a head worth?
#
# **Formula.** The importance of head h is how much the loss grows when only h is off. (Michel, Levy and Neubig
# 2019, section 3.2, measure how much worse a model then translates or classifies.)
#
# $$\text{importance}_h = \text{loss}(\text{all but } h) - \text{loss}(\text{all})$$
#
# **By hand.** The loss is 0.20 with all heads, 0.90 without head 0, 0.15 without head 1. The importances are 0.70 and
# −0.05. The model is a little better off without head 1.
#
# **Exercise 2.11** · difficulty 3 of 5 · 8 minutes · 2 points
#
# **Return how much the loss grows when each head alone is off.**
#
# <details><summary>Hint 1</summary>How often do you have to call <code>loss_with</code> for H heads?</details>
# <details><summary>Hint 2</summary>Which heads are on when a round begins? If you reuse one tensor, undo the last
# change first.</details>
# <details><summary>The idea</summary>The loss with all heads is the baseline; then each head is missing
# once.</details>


# %% exercise="multihead.head_importance"
def head_importance(loss_with, n_heads):
    """How much the loss grows when one
    head is off and all others are on.

    Args:
        loss_with: a function. It takes a boolean tensor (H,), True for
            heads that are on, and returns the loss, a tensor without
            axes.
        n_heads: H.

    Returns:
        The importances, one tensor (H,).
    """
    ### BEGIN SOLUTION
    everybody = torch.ones(n_heads, dtype=torch.bool)
    complete = loss_with(everybody)
    importances = []
    for head in range(n_heads):
        keep = everybody.clone()
        keep[head] = False
        importances.append(loss_with(keep) - complete)
    return torch.stack(importances)
    ### END SOLUTION


# %% check="multihead.head_importance"
check("multihead.head_importance", head_importance)

# %% [markdown]
# The reader answers two questions, so each head has two importances:

# %% draw=true
# How much the loss grows when a head is off
with waiting_for("Exercises 2.5, 2.10 and 2.11"), torch.no_grad():
    importance = {
        "for who": head_importance(lambda keep: loss_of(read(test_tokens, keep)[0], test_who), 4),
        "for whom": head_importance(lambda keep: loss_of(read(test_tokens, keep)[1], test_whom), 4),
    }
    names = [f"head {head}" for head in range(4)]
    importance = {name: values.round(decimals=3) + 0 for name, values in importance.items()}  # no -0.00
    show(plots.bars(names, importance, ylabel="the loss grows by", title="One head off at a time"))

# %% [markdown]
# Compare this with the map in 2.9: a head that looks at the subject matters for *who* and hardly for *whom*; a head
# that looks at the object does the opposite. But heads that look at the same noun needn't matter equally: how much one
# is missed depends on the others.
#
# Are two of the four heads enough? Here are all six pairs, with the other two heads off and no further training:

# %% predict="multihead.pairs"

# %% draw=true
# How many answers are right, with two of the four heads
with waiting_for("Exercises 2.5 and 2.10"), after_predicting("multihead.pairs"), torch.no_grad():
    names, found = [], {"who": [], "whom": []}
    for pair in itertools.combinations(range(4), 2):
        keep = torch.tensor([head in pair for head in range(4)])
        who_scores, whom_scores, _ = read(test_tokens, keep)
        names.append(" + ".join(str(head) for head in pair))
        found["who"].append(share_right(who_scores, test_who))
        found["whom"].append(share_right(whom_scores, test_whom))
    show(explorers.shares(names, found, title="Only these two heads are on"))

# %% [markdown] reveals="multihead.pairs"
# Two heads for the same question answer that one and not the other. The best pair has a head for each question, and
# still does worse than all four, which have learned to share the work. Large models are similar: most heads can be
# removed, one at a time, with little loss, and some layers need only one head (Michel et al. 2019); the heads that
# matter most are often ones whose role can be named (Voita et al. 2019).

# %% [markdown]
# ## 2.12 Explore: a sentence of your own
#
# This is the reader that **you** trained, with **your** module and your switches. In each map, a row is a word that
# asks; the slider chooses one, whose row is framed. The reader's answers are shown above the maps. It was only
# trained to answer at verbs, so the other rows mean little. Try these:
#
# 1. Find the heads for *who* and for *whom*. Switch off heads until *who* goes wrong and *whom* stays right.
# 2. Switch all heads off. Why does the reader now give the same answer at every verb?
# 3. Type *the cat and the dog saw the bird*: who saw? Look at the maps, and remember the average of 2.1.
# 4. Type *the cat was chased by the dog*. What does the query of *chased* depend on, and why can't one layer get
#    this right?

# %% draw=true
# Explore: a sentence of your own
explorers.heads_explorer(read)

# %% [markdown]
# **Question 2.12** · graded by hand · 8 minutes · 5 points
#
# In the maps of a large model, one head always looks at the subject. Somebody concludes: "This head finds the
# subject, and the model needs it for that." Which part of this do the maps support? What does the head's importance
# add, and what can an importance of almost 0 mean? Propose an experiment that distinguishes a useless head from a
# replaceable one, and use what you saw in 2.9 and 2.11.

# %% [markdown] written="multihead.what_is_a_head_for" points=5
# ### BEGIN SOLUTION
# **Model answer.** A map shows where the weight goes, so it supports "it looks at the subject". It doesn't show
# what is fetched from there (the values), or whether anything later uses it (W_o and what follows). Switching the
# head off measures its effect on the loss, given that all other heads are on. An importance near 0 can mean that
# nothing uses what the head does, or that another head does the same and can replace it. In our reader several
# heads looked at the same noun, and switching off one of them cost less than what was lost when all heads for that
# question were off. To tell the two apart, switch off pairs or groups: switching off a useless head makes no
# difference in any group; a replaceable one is missed once its stand-ins are off, too. Or keep only this head and
# see what it can do alone, or take heads away one after the other and measure again each time. Results should be
# repeated for several training runs and on more than one kind of sentence.
#
# **Rubric**
# - 1 point: maps support where it looks, not that it is needed.
# - 1 point: weights say nothing of the values or of what later layers do with the output.
# - 1 point: importance is measured with all other heads on, and depends on them.
# - 1 point: almost 0 means useless *or* replaceable.
# - 1 point: an experiment that separates them (groups off, only this head on, one after the other), tied to 2.9 or 2.11.
# - "Importance 0, so the head can be deleted with all others like it" loses the fourth point.
# ### END SOLUTION

# %% [markdown]
# ## 2.13 Your heads write
#
# At the end of lesson 1, your attention wrote book reviews in a trained model. Now **your** module makes both of
# that model's look-ups, with the model's weights in its four matrices. If your attention of lesson 1 passed its
# check on this computer, your module calls it, and otherwise it calls the course's. The table says which.

# %% draw="open"
# Which parts of the model are yours
with waiting_for("Exercise 2.5"):
    mine = own_reader(heads=MultiHeadAttention)
    display(mine.table())

# %% [markdown]
# Two more models write beside it. In each of them, **your** `switch_off` has removed one head. The bars show where
# the two heads of the complete model look before it writes.

# %% draw=true
# Explore: both heads write, and each without the other
with waiting_for("Exercises 2.5 and 2.10"), torch.no_grad():
    writers = {"both heads": mine}
    for head in range(2):
        fewer = own_reader(heads=MultiHeadAttention)
        weight = fewer.heads.W_o.weight
        weight.copy_(switch_off(weight, torch.arange(2) != head))
        writers[f"without head {head}"] = fewer
    display(writing_explorer(writers, "Exercises 2.5 and 2.10", looks=True))

# %% [markdown]
# Try these:
#
# 1. Type *the jokes that fill the book*. Which head looks at *jokes*? Which of the three models still write *are*?
# 2. Type *luckily , the plot is*, then *sadly , the plot is*. Which head looks at the mood?
# 3. Type *in her new mystery ,* and write again, several times. What does the model lose with each head?

# %% [markdown]
# ## 2.14 What to remember
#
# - One head gives each query one average. Several heads give several, side by side, and W_o mixes them.
# - Split: cut the last axis into (H, D), *then* swap H and T. Merge: swap back, then flatten. `view` alone mixes up
#   positions, without an error.
# - Divide the scores by √d_head. The softmax runs over the keys, separately in each head.
# - A mask is broadcast to (B, H, T_q, T_k): one mask per sentence needs an axis of size 1 for the heads.
# - At fixed d_model, parameters and multiplications don't depend on the number of heads. The number of weights
#   does.
# - Two heads can fetch two numbers of the same kind. One head provably can't.
# - Where a head looks and how much it matters are two questions. To answer the second, switch it off.
#
# **Sources.** Vaswani et al. 2017, *Attention is all you need*, section 3.2.2. Michel, Levy and Neubig 2019, *Are sixteen heads
# really better than one?* Voita et al. 2019, *Analyzing multi-head self-attention: specialized heads do the heavy lifting,
# the rest can be pruned*. Clark et al. 2019, *What does BERT look at?*
#
# Next, lesson 3 gives attention what it lacks: a sense of order.
