# %% [markdown]
# # 5 · Complexity
#
# - **You will learn** to count what a layer costs before you run it: its operations, the steps that have to run one
#   after another, its memory. You will find the length at which attention stops being the cheaper layer, check the
#   count with a stopwatch, and write attention that never holds all n × n weights.
# - **You need** lessons 1, 2 and 4 (scaled dot-product attention, heads, the cache), logarithms, and the slope of a
#   straight line.
# - **Time** {minutes} minutes, in three sittings: 5.1 to 5.7 count, 5.8 to 5.10 measure, 5.11 to 5.17 save memory.
#
# Every exercise is checked as soon as you ask for it. If you get stuck, open its two hints, and then the idea.

# %% setup=true
import math

import torch
from IPython.display import display

from helpers.attention import additive_attention, cross_attention, scaled_dot_product_attention
from helpers.attention.explorers import writing_explorer
from helpers.attention.writer import own_reader
from helpers.checks import case, check
from helpers.complexity import drawings, explorers
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.masking import cached_step
from helpers.timing import seconds

torch.set_num_threads(1)  # for small tensors: two cores would mostly wait for each other

# %% [markdown]
# ## 5.0 Catch the slip
#
# Three short pieces on lessons 3 and 4. Each is right, or has one slip that is easy to make.

# %% recall="complexity.recall_both"

# %% recall="complexity.recall_reach"

# %% recall="complexity.recall_rows"

# %% [markdown]
# ## 5.1 Twice as long: how much more?
#
# A model reads one page. Then it reads a book of 300 pages. Is that 300 times the work, or 300² = 90,000 times?
#
# Here is lesson 1's self-attention with its three **projections**, the products with $W_q$, $W_k$ and $W_v$. We
# double the length of its input, once for a short sequence and once for a long one. What happens to the time?

# %% predict="complexity.doubled"

# %% draw=true
# How much longer twice the length takes
torch.manual_seed(0)
W = torch.randn(256, 256) / 16


def self_attention(x):
    return cross_attention(x, x, W, W, W)


gauge = explorers.milliseconds
with waiting_for("your prediction"), after_predicting("complexity.doubled"):
    for n in (64, 2048):
        once, twice = (gauge(self_attention, torch.randn(length, 256)) for length in (n, 2 * n))
        times = f"{once:7.2f} ms -> {twice:7.2f} ms"
        print(f"{n:5} -> {2 * n:5} positions: {times}, {twice / once:.1f} times as long")

# %% [markdown] reveals="complexity.doubled"
# Doubling a short sequence roughly doubles the time; doubling a long one roughly quadruples it. So both answers are
# right, each at its own length. (Such times vary: run the cell again and see by how much.) Where is the border?

# %% [markdown]
# Would a different kind of layer be faster, and at which lengths? We can't time every case, so we count.

# %% [markdown]
# ## 5.2 Counting: a matrix product
#
# **Why.** Nearly all the arithmetic of a Transformer is in matrix products. Count them, and you know nearly all of
# its cost.
#
# A **FLOP** is one floating-point operation: one multiplication, or one addition. (*FLOPs* is the plural; *FLOP/s*,
# with a slash, is a speed. Check which one an author means.) A multiplication whose result is added to a sum, a
# **multiply-add**, counts as **2 FLOPs**. Some papers count it as 1; this course always counts 2.
#
# **Formula.** Each number of $AB$ is a dot product of a row of $A$ with a column of $B$:
#
# $$(AB)_{ij} = \sum_{l=1}^{k} A_{il}\, B_{lj} \qquad A: m \times k, \quad B: k \times n$$
#
# **By hand.** A 2 × 3 matrix times a 3 × 4 matrix gives 2 · 4 = 8 numbers. Each takes 3 multiply-adds, which are 6
# FLOPs. Together **48**. (A sum of 3 products needs only 2 additions. But it starts from 0, and everybody counts 2
# per multiply-add.)
#
# Axes in front of the last two are a batch: their sizes say how many such products there are. As code, from the two
# shapes alone:


# %%
def matmul_flops(a, b):
    """FLOPs of a @ b, where a multiply-add counts 2.

    Args:
        a: the shape of the left side,
            (..., m, k), a tuple or list of ints.
        b: the shape of the right side: (k, n), or (..., k, n) with the
            axes that a has in front.

    Returns:
        The number of FLOPs.
    """
    return 2 * math.prod(a) * b[-1]


# %% [markdown]
# PyTorch can count the FLOPs of what it computes. Do the counts agree?

# %% draw=true
# PyTorch's count, and ours
from torch.utils.flop_counter import FlopCounterMode

for left, right in [((2, 3), (3, 4)), ((8, 100, 64), (64, 256)), ((8, 12, 100, 64), (8, 12, 64, 100))]:
    with FlopCounterMode(display=False) as counter:
        torch.randn(left) @ torch.randn(right)
    print(
        f"{left} @ {right}: PyTorch {counter.get_total_flops():,}, matmul_flops {matmul_flops(left, right):,}"
    )

# %% [markdown]
# ## 5.3 Write the shape beside each product
#
# Self-attention of $n$ positions with $d$ features, where queries, keys and values also have $d$ features:
#
# $$\underbrace{Q = XW_q,\; K = XW_k,\; V = XW_v}_{\text{projections}} \quad \underbrace{S = QK^\top}_{\text{scores}} \quad
# \underbrace{P = \text{softmax}(S / \sqrt d)}_{\text{weights}} \quad \underbrace{PV}_{\text{mixture}}$$
#
# $Q$, $K$ and $V$ are $n \times d$. The scores are $n \times n$, one for each pair of a query and a key, and so are the
# weights. The mixture is $n \times d$ again.

# %% draw=true
# Which matrices grow, and how, when the text is twice as long
show(drawings.twice_as_long())

# %% [markdown]
# It is an easy slip to give $QK^\top$ the shape of $Q$, $n \times d$. Then the next product would be impossible:
# $n \times d$ times $n \times d$ doesn't fit. And $n \cdot d$ scores of $d$ multiply-adds each would cost $nd^2$: nothing
# in attention would be quadratic in $n$.

# %% [markdown]
# ## 5.4 Attention, step by step
#
# Now count the FLOPs of each step. The softmax isn't a matrix product. Count 6 FLOPs for each score: divide by
# $\sqrt d$, compare (for the largest), subtract the largest, take the exponential, add up, divide by the sum.
#
# **By hand**, $n = 2$, $d = 3$. Each projection is (2 × 3)(3 × 3): 2·2·3·3 = 36, and three make **108**. The scores
# are (2 × 3)(3 × 2): **24**. There are 4 scores, so the softmax takes **24**. The mixture is (2 × 2)(2 × 3): **24**.
#
# **Exercise 5.4** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Return the FLOPs of each step of self-attention.**
#
# <details><summary>Hint 1</summary>Which two shapes go into <code>matmul_flops</code> at each step?</details>
# <details><summary>Hint 2</summary>The scores are n × n. What is multiplied with them to give the output?</details>
# <details><summary>The idea</summary>The projections work on positions one by one; everything after them works on
# pairs.</details>


# %% exercise="complexity.attention_flops"
def attention_flops(n, d):
    """FLOPs of self-attention with one head, step by step.

    Args:
        n: positions.
        d: features of the input, and of queries, keys and values.

    Returns:
        A dict with the keys "projections" (all three together),
        "scores", "softmax" and "mixture".
    """
    ### BEGIN SOLUTION
    return {
        "projections": 3 * matmul_flops((n, d), (d, d)),
        "scores": matmul_flops((n, d), (d, n)),
        "softmax": 6 * n * n,
        "mixture": matmul_flops((n, n), (n, d)),
    }
    ### END SOLUTION


# %% check="complexity.attention_flops"
check("complexity.attention_flops", attention_flops)

# %% [markdown]
# Now we can answer 5.1: divide the FLOPs of $2n$ positions by those of $n$.

# %% draw=true
# FLOPs of twice the length, beside those of the length itself
with waiting_for("Exercise 5.4"):
    lengths = [2**power for power in range(4, 17, 2)]
    ratios = {
        f"d = {d}": [
            sum(attention_flops(2 * n, d).values()) / sum(attention_flops(n, d).values()) for n in lengths
        ]
        for d in (64, 512, 4096)
    }
    title = "FLOPs of 2n positions over those of n"
    ax = plots.lines(lengths, ratios, xlabel="length n", ylabel="times", title=title, log="x")
    ax.set(ylim=(1.8, 4.2), yticks=[2, 3, 4])
    show(ax)

# %% [markdown]
# Every curve climbs from about 2 towards 4. When $n$ doubles, the projections' $6nd^2$ double, and the $4n^2d$ of
# scores and mixture quadruple. The two are equal at $n = 1.5\,d$, where the curve passes 3. (In fact a little
# earlier, because of the softmax.) "Attention is quadratic" is true *to the right of that*.

# %% [markdown]
# ## 5.5 How far does a convolution see?
#
# Before attention, two kinds of layers read sequences. A *recurrent* one goes from position to position and carries a
# state along. A *convolutional* one gives each position a weighted sum over a window of $k$ positions; $k$ is its
# **kernel width**. In a causal one, these are the position itself and the $k - 1$ before it, so a distant word is out
# of sight until enough layers are stacked. How many does that take?
#
# - With **steps of 1**, the positions of a window are adjacent, and each layer brings $k - 1$ more into sight.
# - With **growing steps** (*dilated*), they are 1 apart in the first layer, $k$ in the second, $k^2$ in the third,
#   and each layer multiplies the number in sight by $k$.
#
# **By hand**, $k = 3$, $n = 9$ positions. Steps of 1: the last position sees 1, 3, 5, 7, 9 after 0, 1, 2, 3, **4**
# layers. Growing steps: 1, 3, 9 after 0, 1, **2** layers. The figure after the exercise draws both.
#
# **Exercise 5.5** · difficulty 3 of 5 · 9 minutes · 2 points
#
# **Return how many convolutions it takes until the last of n positions sees the first.**
#
# <details><summary>Hint 1</summary>How many positions are in sight after 0 layers, after 1, after 2? A loop is
# fine.</details>
# <details><summary>Hint 2</summary>If you use a logarithm, try n = 125, k = 5. What does
# <code>math.log(125, 5)</code> print?</details>
# <details><summary>The idea</summary>Stack layers until n positions are in sight, in whole numbers, which don't
# round.</details>


# %% exercise="complexity.layers_to_connect"
def layers_to_connect(n, k, dilated):
    """How many causal convolutions it takes
    until the last of n positions sees the first.

    Args:
        n: positions, 2 or more.
        k: width of the kernel, 2 or more.
        dilated: True for steps of 1, k, k², ... from layer to layer,
            False for steps of 1 in all.

    Returns:
        The number of layers, an int.
    """
    ### BEGIN SOLUTION
    layers, sees = 0, 1
    while sees < n:
        sees = sees * k if dilated else sees + k - 1
        layers += 1
    return layers
    ### END SOLUTION


# %% check="complexity.layers_to_connect"
check("complexity.layers_to_connect", layers_to_connect)

# %% draw=true
# What the last position sees, with steps of 1 and with growing steps
with waiting_for("Exercise 5.5"):
    axes = plots.panels(2, width=4.6, height=2.9)
    for ax, dilated in zip(axes, (False, True), strict=True):
        stack = explorers.stack_of_convolutions
        stack(9, 3, dilated, layers_to_connect(9, 3, dilated), ax=ax)
    show(axes[0])

# %% [markdown]
# Does this hold for real convolutions? The gradient can tell: if it reaches the first input, the last output depends
# on that input. With your number of layers it should get there; with one fewer it shouldn't.


# %% draw=true
# Does a gradient arrive with so many layers, and with one fewer?
with waiting_for("Exercise 5.5"):
    for n, k, dilated in ((9, 3, False), (9, 3, True), (100, 4, False), (100, 4, True), (125, 5, True)):
        layers = layers_to_connect(n, k, dilated)
        enough, fewer = (explorers.gradient_arrives(n, k, dilated, count) for count in (layers, layers - 1))
        kind = "growing steps" if dilated else "steps of 1"
        print(f"n = {n:3}, k = {k}, {kind:13}: {layers:2} layers, arrives {enough}; with one fewer {fewer}")

# %% [markdown]
# ## 5.6 Three layers, three costs
#
# Vaswani et al. (2017, table 1) compare layers that turn $n$ vectors of $d$ features into $n$ new ones. Three numbers
# describe each:
#
# - **Operations**: all the arithmetic. In this table, attention means the scores and the mixture, without the
#   projections. (5.7 puts them back.)
# - **Sequential steps**: how many operations have to run one after another. However many calculators you have, it
#   takes that many steps.
# - **Longest path**: how many layers, or steps within a layer, a signal passes through from the first position to the
#   last. Long paths make it hard to learn how distant words depend on each other.
#
# All three are *orders*: only the leading term counts, and constant factors are dropped. So write $n^2d$ for $4n^2d$,
# and $n$ for $n - 1$.
#
# What the layers do:
#
# - *Self-attention* scores each of $n$ queries against each of $n$ keys, all at once.
# - A *recurrent* layer, $h_t = \tanh(x_t W + h_{t-1} U)$, multiplies by $d \times d$ matrices at each position, and
#   needs $h_{t-1}$ for it.
# - A *convolutional* layer has a $d \times d$ matrix for each of its $k$ places, at each position. Its path is the
#   number of layers that you have just counted, with growing steps.
#
# **By hand**, $n = 10$, $d = 4$: attention takes 10·10·4 = 400 operations, a recurrent layer 10·4·4 = 160. With
# $d = 40$ it is 4,000 against 16,000. Which is cheaper depends on whether $n$ or $d$ is larger.
#
# **Exercise 5.6** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Return a layer's operations, its sequential steps and its longest path, as orders.**
#
# <details><summary>Hint 1</summary>What does attention compute for each pair of positions, and what do the other two
# compute for each position?</details>
# <details><summary>Hint 2</summary>Can position 7 be computed before position 6, and through how many positions or
# layers does information from position 0 have to pass?</details>
# <details><summary>The idea</summary>Attention works on pairs, the other two multiply by matrices at each position.
# Only the recurrent layer has to wait for the position before. In attention every pair is one step apart.</details>


# %% exercise="complexity.layer_cost"
def layer_cost(layer, n, d, k):
    """What a layer costs, without constant factors.

    Args:
        layer: "self-attention", "recurrent" or "convolutional".
        n: positions.
        d: features.
        k: width of a convolution's kernel. The other layers ignore it.

    Returns:
        Three numbers: operations; sequential steps of one layer;
        longest path (for a convolution, through a stack of layers with
        growing steps). As in the table, n² · d and not 4 · n² · d, n
        and not n - 1.
    """
    ### BEGIN SOLUTION
    if layer == "self-attention":
        return n * n * d, 1, 1
    if layer == "recurrent":
        return n * d * d, n, n
    return k * n * d * d, 1, layers_to_connect(n, k, True)
    ### END SOLUTION


# %% check="complexity.layer_cost"
check("complexity.layer_cost", layer_cost)

# %% draw=true
# What three layers cost for a sentence, and for a book
with waiting_for("Exercises 5.5 and 5.6"):
    layers = ("self-attention", "recurrent", "convolutional")
    costs = {n: {layer: layer_cost(layer, n, 512, 3) for layer in layers} for n in (50, 100_000)}
    print("a sentence of 50 words, d = 512, kernel 3; then a book of 100,000 words")
    for n, table in costs.items():
        print(f"\nn = {n:<10} {'operations':>12}  {'steps':>7}  {'path':>7}")
        for layer, (operations, steps, path) in table.items():
            print(f"{layer:<14} {operations:12.2g}  {steps:7}  {path:7}")

# %% [markdown]
# For the sentence, attention does a tenth of the recurrent layer's operations. For the book it does 200 times as
# many. The sequential steps tell a different story. Which of the two matters more?
#
# ### Explore: who is done first
#
# Think of a machine with $P$ calculators, each of which does one operation in a time step. A sequential step of
# $w$ operations takes it $w / P$ time steps, but at least 1. (This is Brent's theorem of 1974, simplified.) With
# one calculator, only operations count. A GPU does many thousands at once. Try these:
#
# 1. One calculator. At which length do the lines of attention and recurrence cross, and how does that depend on $d$?
# 2. Increase the number of calculators, with $n = 512$ and $d = 256$. At how many does a different layer take the
#    lead, and which one?
# 3. With very many calculators, make the kernel wider. Where does the convolution now cross attention?
# 4. Why does the convolution never win with one calculator? When is it useful?

# %% draw=true
# Explore: who is done first
explorers.layer_explorer(layer_cost)

# %% [markdown]
# With one calculator the lines cross at $n = d$: attention is cheaper for shorter sequences, recurrence for longer
# ones. Many calculators move the crossing further out, because the recurrent layer's $n$ steps can't run in parallel.
# Then attention competes with the convolution, and their lines cross at $n = kd$.

# %% [markdown]
# ## 5.7 Where they cross
#
# The table drops constant factors. To choose between two layers, you need them.
#
# Attention with $p$ projections takes $2p\,nd^2 + 4n^2d$ FLOPs. (We leave out the softmax's $6n^2$: for $d = 64$
# that is 2 % of the scores and the mixture, and less for larger $d$.) A recurrent layer with $r$ matrices of
# $d \times d$ in each step takes $2r\,nd^2$. A plain one has $r = 2$, one for the input and one for the state. Those
# used in practice also learn what to keep in the state and what to forget: a GRU has three of each, $r = 6$, an LSTM
# four, $r = 8$.
#
# **By hand.** As in the table: $p = 0$, $r = 2$. Then $4n^2d = 4nd^2$ gives $n = d$.
# With $p = 3$ and an LSTM: $6nd^2 + 4n^2d = 16nd^2$, so $4n^2d = 10nd^2$ and $n = 2.5\,d$.
#
# **Exercise 5.7** · difficulty 3 of 5 · 8 minutes · 2 points
#
# **Return the length up to which attention takes fewer FLOPs than the recurrent layer, or 0 if it never does.**
#
# <details><summary>Hint 1</summary>Set both sides equal for general p and r. What can be divided away?</details>
# <details><summary>Hint 2</summary>Try p = 3, r = 2. What does the formula give, and what should it?</details>
# <details><summary>The idea</summary>Attention saves 2(r − p)nd² on matrices, if r is larger than p, and pays 4n²d
# for pairs. At the crossing the two are equal.</details>


# %% exercise="complexity.crossover_length"
def crossover_length(d, projections, recurrent):
    """The length up to which self-attention
    takes fewer FLOPs than a recurrent layer.

    Args:
        d: features.
        projections: d × d matrices of
            attention, applied at each position.
        recurrent: d × d matrices of the recurrent
            layer, applied at each step.

    Returns:
        The length n at which both take as many, 0 where attention is
        never the cheaper one.
    """
    ### BEGIN SOLUTION
    return max(0.0, d * (recurrent - projections) / 2)
    ### END SOLUTION


# %% check="complexity.crossover_length"
check("complexity.crossover_length", crossover_length)

# %% draw=true
# Up to which length attention takes fewer FLOPs
with waiting_for("Exercise 5.7"):
    layers = {"plain recurrent": 2, "GRU": 6, "LSTM": 8}
    crossings = {
        name: [f"{crossover_length(1024, p, matrices):6.0f} with {p} projections" for p in (0, 3)]
        for name, matrices in layers.items()
    }
    print("attention takes fewer FLOPs up to n = ..., for d = 1024")
    for name, lengths in crossings.items():
        print(f"{name:<16}", "; ".join(lengths))

# %% [markdown]
# Constant factors decide. Compared with a plain recurrent layer, attention with its projections is *never* cheaper.
# Compared with the LSTMs of the first neural translators, with $d = 1000$ (Sutskever et al. 2014, section 3.4) and
# sentences of a few dozen words, it takes about 40 % of the FLOPs. The order of growth says which layer is cheaper
# for very long sequences, but not how long they must be.
#
# *A good place for a break.*

# %% [markdown]
# ## 5.8 Reading an exponent off a stopwatch
#
# **Why.** A count is a prediction. To test it, measure times $t$ at sizes $s$ and ask which power fits. If
# $t = c\,s^p$, then
#
# $$\log t = \log c + p \log s$$
#
# So on **log-log axes** a power law is a straight line, and its slope is the exponent. The base of the logarithm
# doesn't matter. Neither does the unit of $t$: with hours instead of seconds, the line only moves down.
#
# **Formula.** With $x = \log s$, $y = \log t$, and their means $\bar x$, $\bar y$, the slope by least squares is
#
# $$p = \frac{\sum_i (x_i - \bar x)(y_i - \bar y)}{\sum_i (x_i - \bar x)^2}$$
#
# **By hand.** Sizes 1, 2, 4 took 3, 12, 48 seconds: each doubling takes 4 times as long. In base 2, $x$ is 0, 1, 2
# and $y$ is 1.58, 3.58, 5.58. The deviations are −1, 0, 1 and −2, 0, 2. So $p$ = (2 + 0 + 2)/(1 + 0 + 1) = **2**.
#
# **Exercise 5.8** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return the slope of the line that best fits the logarithms.**
#
# <details><summary>Hint 1</summary>What has to happen to sizes and times before the formula?</details>
# <details><summary>Hint 2</summary>If the means aren't subtracted, the line is forced through size 1, time 1. Should
# it be?</details>
# <details><summary>The idea</summary>With the means subtracted, the line goes through the origin, and only its
# slope is left to fit.</details>


# %% exercise="complexity.fitted_exponent"
def fitted_exponent(sizes, times):
    """The exponent p of the power law
    times = c · sizes^p that fits best.

    Args:
        sizes: (N,), positive.
        times: (N,), positive.

    Returns:
        The slope of the least-squares line on log-log axes, one number.
    """
    ### BEGIN SOLUTION
    x, y = sizes.log(), times.log()
    x, y = x - x.mean(), y - y.mean()
    return (x * y).sum() / (x * x).sum()
    ### END SOLUTION


# %% check="complexity.fitted_exponent"
check("complexity.fitted_exponent", fitted_exponent)

# %% [markdown]
# The same three counts on plain axes and on log-log axes: on the left you see which one is largest, on the right the
# powers.

# %% draw=true
# The same counts on plain axes and on log-log axes
with waiting_for("Exercise 5.8"):
    sizes = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    counts = {"20·s": 20 * sizes, "s²": sizes**2, "s³/30": sizes**3 / 30}
    plain, logarithmic = plots.panels(2, width=4.2)
    named = {f"{name}, slope {fitted_exponent(sizes, y):.0f}": y for name, y in counts.items()}
    plots.lines(sizes.tolist(), counts, xlabel="size s", ylabel="count", title="plain axes", ax=plain)
    title = "log-log axes"
    plots.lines(sizes.tolist(), named, xlabel="size s", ylabel="count", title=title, log="xy", ax=logarithmic)
    show(plain)

# %% [markdown]
# ## 5.9 The stopwatch's verdict
#
# Now measure. As in the table, attention is measured without its projections. The other two layers are written out
# below. In one series $n$ grows and $d$ is fixed; in the other, $d$ grows and $n$ is fixed.
#
# Wall-clock time would include what other programs take. So we read the *processor time* of your code alone, and keep
# the smallest of several measurements, which is the least disturbed.
#
# By the count, with $d = 64$, the recurrent layer takes fewer *operations* as soon as $n > 64$. When does it take less
# *time*?


# %%
def attention_layer(x):
    return scaled_dot_product_attention(x, x, x)[0]


def recurrent_layer(x, W, U):
    """x (n, d), W, U (d, d) -> (n, d): each state needs the last."""
    state, states = torch.zeros(x.size(-1)), []
    for row in x @ W:
        state = torch.tanh(row + state @ U)
        states.append(state)
    return torch.stack(states)


def convolutional_layer(x, kernel):
    """x (n, d), kernel (k, d, d) -> (n, d): a matrix
    for each place, itself and the k - 1 before.
    """
    k = kernel.size(0)
    padded = torch.nn.functional.pad(x, (0, 0, k - 1, 0))
    return sum(padded[place : place + x.size(0)] @ kernel[place] for place in range(k))


# %% draw="open"
LAYERS = {
    "self-attention": attention_layer,
    "recurrent": recurrent_layer,
    "convolutional": convolutional_layer,
}


def weights_of(layer, d):
    """The matrices that a layer multiplies by, besides its input."""
    shapes = {"self-attention": [], "recurrent": [(d, d), (d, d)], "convolutional": [(3, d, d)]}
    return [torch.randn(shape) / math.sqrt(2 * d) for shape in shapes[layer]]


def series(sizes, rounds):
    """The least time of each layer at each (n, d), in
    milliseconds, in several rounds through all of them.
    """
    torch.manual_seed(0)
    inputs = {layer: [(torch.randn(n, d), *weights_of(layer, d)) for n, d in sizes] for layer in LAYERS}
    times = [
        {
            layer: [explorers.milliseconds(LAYERS[layer], *each, laps=2) for each in inputs[layer]]
            for layer in LAYERS
        }
        for _ in range(rounds)
    ]
    return {
        layer: [min(found) for found in zip(*(each[layer] for each in times), strict=True)]
        for layer in LAYERS
    }


lengths, widths = [32, 64, 128, 256, 512, 1024, 2048], [128, 256, 512, 1024, 2048]
by_length = series([(n, 64) for n in lengths], rounds=4)
by_width = series([(64, d) for d in widths], rounds=2)

# %% predict="complexity.clock"

# %% draw=true
# The times on log-log axes, and the exponents that fit them
with waiting_for("Exercise 5.8"), after_predicting("complexity.clock", told=False):
    left, right = plots.panels(2, width=4.6, height=3.4)
    labels = {"ylabel": "milliseconds", "log": "xy"}
    plots.lines(lengths, by_length, xlabel="length n", title="d = 64", ax=left, **labels)
    plots.lines(widths, by_width, xlabel="width d", title="n = 64", ax=right, **labels)
    show(left)
    promised = {"self-attention": (2, 1), "recurrent": (1, 2), "convolutional": (1, 2)}
    print("fitted exponents     of n, 128 to 1024      of d, 256 to 2048")
    for layer in LAYERS:
        pairs = ((lengths[2:6], by_length[layer][2:6]), (widths[1:], by_width[layer][1:]))
        found = [float(fitted_exponent(torch.tensor(s).float(), torch.tensor(t))) for s, t in pairs]
        said = (f"{p:.2f} (counted: {count})" for p, count in zip(found, promised[layer], strict=True))
        print(f"{layer:<20} {'       '.join(said)}")

# %% draw=true
# From which length on the recurrent layer is faster
with waiting_for("Exercise 5.7"), after_predicting("complexity.clock"):
    counted = crossover_length(64, 0, 2)
    pairs = zip(lengths, by_length["self-attention"], by_length["recurrent"], strict=True)
    faster = [n for n, attention_time, recurrent_time in pairs if recurrent_time < attention_time]
    measured = f"first at n = {min(faster)}" if faster else f"nowhere up to n = {lengths[-1]}"
    print(f"by the count, attention is cheaper up to n = {counted:.0f}")
    print(f"by the clock, of the lengths measured, the recurrent layer is faster {measured}")

# %% [markdown] reveals="complexity.clock"
# The recurrent layer wins much later than counted, or not at all. Attention hands the processor two large products, on
# which all its arithmetic units work side by side. The recurrent layer hands it $n$ small ones, each waiting for the
# one before. And that is one core. On a GPU with thousands of units, expect an even wider gap.

# %% [markdown]
# The exponents come out near the counted ones, but seldom equal to them. At small sizes each call costs a few
# microseconds whatever it computes, so the curves begin flat and the slopes come out low. Tensors too large for the
# processor's cache make them come out high.

# %% [markdown]
# **Question 5.9** · graded by hand · 8 minutes · 5 points
#
# A colleague says: "My sequences have 2000 steps and my vectors 64 features. By table 1 a recurrent layer does 30
# times fewer operations than attention, so it will train 30 times faster on our GPU." What is right about this, what
# is wrong, and why? Use sequential steps, the explorer of 5.6 and what you measured. When *would* the count of
# operations decide?

# %% [markdown] written="complexity.sequential_steps" points=5
# ### BEGIN SOLUTION
# **Model answer.** The count is right: n²d over nd² is n/d, about 31. But time isn't operations alone. A recurrent
# layer needs the state of step t − 1 for step t, so its 2000 steps come one after another, however many units the GPU
# has. Each step has only d² = 4096 operations in the table's count, too few to keep thousands of units busy, and a
# fixed cost for starting it. Attention's n²d operations are in one sequential step: a few large matrix products that
# fill all units. In the explorer, with many calculators, the recurrent layer takes at least n time steps, while
# attention takes n²d/P. In our measurement the recurrent layer became faster only far beyond n = d, or not at all,
# even on one core. Operations decide when there is nothing to run in parallel: with one calculator, when n is so
# large that attention too has far more work than units, or when the units are kept busy otherwise, by a large batch
# of sequences, say. (Then memory counts as well. While a text is being written word by word, every layer is
# sequential.)
#
# **Rubric**
# - 1 point: the ratio of operations, n/d ≈ 31, is right.
# - 1 point: the recurrent layer's n steps depend on each other and can't run in parallel; attention's are one step.
# - 1 point: so on parallel hardware time isn't proportional to operations (units idle, or w/P with at least 1 a
#   step).
# - 1 point: evidence: the explorer with many calculators, or the measured crossing far from n = d.
# - 1 point: when the count decides: one calculator, a large batch, or n so long that the work exceeds the units.
# - "Attention has fewer operations here" is wrong and loses the first point only.
# ### END SOLUTION

# %% [markdown]
# ## 5.10 What attention has to hold
#
# You can wait for a slow program. A program that runs out of memory stops.
#
# Attention makes a table of $n \times n$ weights for each head and each sequence of a batch. Unless the layer is
# written as in 5.12, the tables of all layers are also kept for the backward pass.
#
# **By hand.** 2 sequences, 3 heads, $n = 4$: 2·3·4·4 = 96 numbers. In float32, 4 bytes each, **384 bytes**. (Large
# models often use bfloat16, a number format of 2 bytes: half of that.)
#
# For one sequence, 32 heads and bfloat16, in one layer:

# %%
for n in (1_000, 10_000, 100_000):
    print(f"n = {n:7,}: {1 * 32 * n * n * 2 / 1e9:10.3f} GB")

# %% [markdown]
# Ten times the length takes a hundred times the memory. At 100,000 positions one layer's tables take 640 GB, as much
# as eight GPUs of 80 GB have.
#
# ### Additive attention holds even more
#
# In lesson 1 you timed additive and dot-product attention as $d$ grew. Now let $n$ grow. Both score $n^2$ pairs.
# But additive attention makes a vector of $d_a$ numbers for *each pair* before it has a score. We record the
# largest tensor that each makes:

# %% draw=true
# The largest tensor that each makes, and how long it takes
sizes, d = [64, 128, 256, 512], 32
W_q, W_k, v = torch.randn(d, d) / 6, torch.randn(d, d) / 6, torch.randn(d)
calls = {
    "additive": lambda x: additive_attention(x, x[None], x[None], W_q, W_k, v)[0],
    "dot product": lambda x: scaled_dot_product_attention(x, x, x)[0],
}
held, took = explorers.measured(calls, [[torch.randn(n, d)] for n in sizes], laps=4)
left, right = plots.panels(2, width=4.4, height=3.2)
labels = {"xlabel": "length n", "log": "xy"}
plots.lines(sizes, held, ylabel="millions of numbers", title="largest tensor", ax=left, **labels)
plots.lines(sizes, took, ylabel="milliseconds", title="time", ax=right, **labels)
show(left)
memory, time = (each["additive"][-1] / each["dot product"][-1] for each in (held, took))
print(f"n = {sizes[-1]}, d = {d}: additive holds {memory:.0f} times as much")
print(f"and takes {time:.0f} times as long")

# %% [markdown]
# In memory the two lines are parallel: both grow like $n^2$, and a factor of $d_a$ = 32 lies between them. So
# dot-product attention is cheaper by a factor, not by an order in $n$: the matrix product sums over the features as
# it goes, and never stores the terms.
#
# *A good place for a break.*

# %% [markdown]
# ## 5.11 A softmax that never sees the whole row
#
# Does attention *need* the $n \times n$ table? The output for one query is
#
# $$\text{output} = \frac{\sum_j e^{s_j} v_j}{\sum_j e^{s_j}}$$
#
# Both sums can be accumulated block by block: read some keys, add their terms, forget them, read on. There is one
# obstacle. To avoid overflow we subtract the row's largest score (1.2), and we don't know it before the last block.
#
# The solution (Milakov and Gimelshein 2018): use the largest score *so far*, and when a larger one comes, rescale
# what has been summed. Keep three things for each query:
#
# - `largest`: $m$, the largest score so far,
# - `total`: $\sum_j e^{s_j - m}$ over the keys read so far,
# - `mixture`: $\sum_j e^{s_j - m}\, v_j$ over the same keys.
#
# **Formula.** When a block of keys comes, let $m'$ be the larger of $m$ and the block's largest score. Since
# $e^{s - m'} = e^{m - m'} e^{s - m}$, the old sums shrink by the factor $e^{m - m'}$:
#
# $$\text{total}' = e^{m - m'}\,\text{total} + \sum_{j\,\in\,\text{block}} e^{s_j - m'} \qquad
# \text{mixture}' = e^{m - m'}\,\text{mixture} + \sum_{j\,\in\,\text{block}} e^{s_j - m'} v_j$$
#
# **By hand.** Scores 0 and 0.69 have been read, with values 10 and 20. So $m$ = 0.69, total = $e^{-0.69} + 1$ = 0.5 +
# 1 = 1.5, mixture = 0.5·10 + 20 = 25. Now comes one key with score 1.39 and value 30. $m'$ = 1.39, the factor is
# $e^{-0.69}$ = 0.5, total' = 0.5·1.5 + 1 = **1.75**, mixture' = 0.5·25 + 30 = **42.5**. Their ratio is 24.3. All at
# once: the weights are 1/7, 2/7, 4/7, and the average is (10 + 40 + 120)/7 = **24.3**.
#
# **Exercise 5.11** · difficulty 4 of 5 · 14 minutes · 3 points
#
# **Return each query's three running numbers after one more block of keys.**
#
# Before the first block, `largest` is −∞ and the sums are 0; that needs no special case, as $e^{-\infty} = 0$.
# `nothing_read`, below the check, makes these three.
#
# <details><summary>Hint 1</summary>What is the new maximum? <code>torch.maximum</code> compares two tensors place
# by place.</details>
# <details><summary>Hint 2</summary>The factor is (..., T_q), like the total; the mixture and the scores have one
# axis more. Where is <code>unsqueeze(-1)</code> needed?</details>
# <details><summary>The idea</summary>Bring the old sums to the new maximum, then add the block's. Both sums shrink
# by the same factor, and nothing is divided yet.</details>


# %% exercise="complexity.absorb"
def absorb(largest, total, mixture, scores, values):
    """Take one block of keys into a running softmax.

    Args:
        largest: (..., T_q), the largest score of each query so far. -∞
            before the first block.
        total: (..., T_q), the sum of exp(score - largest) so far.
        mixture: (..., T_q, d_v), the sum of
            exp(score - largest) · value so far.
        scores: (..., T_q, b), of each query
            with the b keys of this block.
        values: (..., b, d_v), of this block.

    Returns:
        The new largest, total and mixture.
    """
    ### BEGIN SOLUTION
    new = torch.maximum(largest, scores.amax(dim=-1))
    shrink = (largest - new).exp()
    exponentials = (scores - new.unsqueeze(-1)).exp()
    total = shrink * total + exponentials.sum(dim=-1)
    mixture = shrink.unsqueeze(-1) * mixture + exponentials @ values
    return new, total, mixture
    ### END SOLUTION


# %% check="complexity.absorb"
check("complexity.absorb", absorb)


# %%
def nothing_read(q, v):
    """The three running numbers before the first block: of queries
    (..., T_q, d_k) and values (..., T_k, d_v).
    """
    largest, total = q.new_full(q.shape[:-1], -math.inf), q.new_zeros(q.shape[:-1])
    return largest, total, q.new_zeros(*q.shape[:-1], v.size(-1))


# %% [markdown]
# ### Explore: read on, and correct
#
# One query, 12 keys. The picture calls **your** function. Try these:
#
# 1. Read block after block. When do the bars shrink a lot, and when only a little?
# 2. Key 8 has the largest score. What are the weights before it is read, and after?
# 3. Change the size of a block, then read all keys. Does the last line change?

# %% draw=true
# Explore: read on, and correct
explorers.running_softmax_explorer(absorb)

# %% [markdown]
# ## 5.12 Attention in blocks
#
# Now for whole sequences: begin with `nothing_read`, go through the keys and values a block at a time, absorb each, and
# divide the mixture by the total at the end.
#
# **By hand.** 100 queries, 100 keys, blocks of 10: ten tables of 100 × 10 = 1000 scores, one after another, in place
# of one of 10,000.

# %% draw=true
# One block of the scores at a time
show(drawings.blocks())

# %% [markdown]
# **Exercise 5.12** · difficulty 3 of 5 · 10 minutes · 4 points
#
# **Return attention's outputs, going through keys and values a block at a time.**
#
# The check compares with full attention, and measures the largest tensor that you make. Blocks of queries would pass
# it, too, although `block` counts keys.
#
# <details><summary>Hint 1</summary>Blocks begin at 0, block, 2 · block and so on. What does a slice return that
# reaches beyond the end?</details>
# <details><summary>Hint 2</summary>Which scores does each block need, and by what are they divided? What does
# <code>absorb</code> give back?</details>
# <details><summary>The idea</summary>All queries meet one block of keys at a time. Only when all keys are read is
# the mixture divided by the total.</details>


# %% exercise="complexity.blockwise_attention"
def blockwise_attention(q, k, v, block):
    """Scaled dot-product attention that
    never holds all the scores at once.

    Args:
        q: queries, (..., T_q, d_k).
        k: keys, (..., T_k, d_k).
        v: values, (..., T_k, d_v).
        block: how many keys at a time. The last block may be shorter.

    Returns:
        The outputs, (..., T_q, d_v).
    """
    ### BEGIN SOLUTION
    largest, total, mixture = nothing_read(q, v)
    for start in range(0, k.size(-2), block):
        keys, values = k[..., start : start + block, :], v[..., start : start + block, :]
        scores = q @ keys.transpose(-2, -1) / math.sqrt(q.size(-1))
        largest, total, mixture = absorb(largest, total, mixture, scores, values)
    return mixture / total.unsqueeze(-1)
    ### END SOLUTION


# %% check="complexity.blockwise_attention"
check("complexity.blockwise_attention", blockwise_attention)

# %% [markdown]
# ## 5.13 What blocks save
#
# Compare full attention with yours in blocks of 64 keys: the largest tensor that each makes, the outputs, and the
# time.

# %% draw=true
# Memory, outputs and time: in full, and in blocks
with waiting_for("Exercise 5.12"):
    torch.manual_seed(0)
    sizes, title = [128, 256, 512, 1024, 2048], "Largest tensor, d = 16"
    triples = [[torch.randn(n, 16) for _ in "qkv"] for n in sizes]
    ways = {
        "full": lambda q, k, v: scaled_dot_product_attention(q, k, v)[0],
        "blocks of 64": lambda q, k, v: blockwise_attention(q, k, v, 64),
    }
    held, took = explorers.measured(ways, triples, laps=3)
    show(plots.lines(sizes, held, xlabel="length n", ylabel="millions of numbers", title=title, log="xy"))
    for name, numbers in held.items():
        print(f"{name}: exponent {fitted_exponent(torch.tensor(sizes).float(), torch.tensor(numbers)):.2f}")
    (full, full_time), (blocked, time) = ((way(*triples[-1]), took[name][-1]) for name, way in ways.items())
    print(f"largest difference of the outputs at n = {sizes[-1]}: {(full - blocked).abs().max():.1e}")
    print(f"milliseconds at n = {sizes[-1]}: full {full_time:.0f}, in blocks {time:.0f}")

# %% [markdown]
# The same outputs up to rounding, and memory with slope 1 instead of 2: no table of scores is larger than the queries
# times one block. (Rabe and Staats 2021 go further: with blocks of queries as well, the scores take memory that grows
# like $\sqrt n$.)
#
# **Time.** Attention in blocks takes as many FLOPs as before, still quadratic in $n$. Whether it is faster depends
# on the machine. FlashAttention (Dao et al. 2022) works this way inside a GPU's small fast memory, with the queries
# in blocks too. It is faster than full attention because it moves fewer bytes, not because it computes less.
#
# **Why blocks of *keys*?** Blocks of queries save memory too, and need no running softmax, since each query still sees
# its whole row. But a row can be long, and when a text is written word by word there is only one query (5.14). Blocks
# of keys work even then.
#
# **What is missing.** Your function takes no mask. A mask would set scores to −∞ before they are absorbed. But where it
# hides the whole first block from a query, as padding in front does, the largest score so far is −∞, and −∞ − (−∞) is
# NaN. So begin with a huge negative number instead of −∞, or skip hidden blocks. And training needs more thought:
# autograd keeps every block's exponentials for the gradient, and together they are the whole table again. Rabe and
# Staats, and FlashAttention, compute them a second time in the backward pass instead.

# %% [markdown]
# ## 5.14 The cache, and heads that share keys
#
# You built the **key-value cache** in 4.9: when a model writes word by word, the keys and values so far are kept
# instead of being computed again. Each new word then costs one row of scores instead of $n$, and memory becomes the
# limit. How much does the cache take?
#
# For each position, each layer, and each head that has keys and values of its own, the cache keeps one key and one
# value of $d_\text{head}$ numbers. The queries aren't kept: each is used for its own word and never again.
#
# Heads can *share* keys and values. If each query head has its own, that is lesson 2's multi-head attention. If all
# share a single head of keys and values, it is *multi-query* attention (Shazeer 2019); if each group of query heads
# shares one, *grouped-query* attention (Ainslie et al. 2023). So what counts is the number of heads of keys and values:


# %%
def cache_bytes(layers, kv_heads, d_head, positions, bytes_per_number):
    """Bytes of the cache of one text: a key and a value (2) of d_head
    numbers for each layer, each head of keys and each position.
    """
    return 2 * layers * kv_heads * d_head * positions * bytes_per_number


# %% [markdown]
# **By hand.** 2 layers, 4 query heads that share 2 heads of keys and values, $d_\text{head}$ = 8, 10 positions, 2
# bytes per number: 2 (key and value) · 2 · 2 · 8 · 10 · 2 = **1280 bytes**.
#
# Llama 2 70B has 80 layers, 64 query heads of width 128, and 8 heads of keys and values (Touvron et al. 2023, and its
# published settings). What if each of the 64 had its own?

# %% predict="complexity.cache"

# %% draw=true
# What the cache takes with 64, 8 and 1 heads of keys and values
with waiting_for("your prediction"), after_predicting("complexity.cache"):
    groups = {"64 (one for each head)": 64, "8 (groups of 8)": 8, "1 (one for all)": 1}
    gigabytes = {
        f"{n:,} positions": [cache_bytes(80, count, 128, n, 2) / 1e9 for count in groups.values()]
        for n in (4_096, 100_000)
    }
    title = "Cache of one sequence, bfloat16"
    ax = plots.bars(list(groups), gigabytes, ylabel="GB (logarithmic)", title=title)
    ax.set_yscale("log")
    ax.set_ylim(0.05, 2000)
    ax.set_xlabel("heads of keys and values")
    show(ax)

# %% [markdown] reveals="complexity.cache"
# With a head of keys for each query head, 100,000 positions take 262 GB: more than three GPUs of 80 GB have, and the
# model's own weights come on top. Groups of 8 make the cache 8 times smaller. And since the whole cache is *read* for
# each new word, writing gets faster, too.

# %% [markdown]
# What does attention look like when heads share? With $H$ heads of queries and $G$ of keys and values, where $G$
# divides $H$, **neighbours share**: the first $H/G$ query heads use the first head of keys and values, the next $H/G$
# the second, and so on.
#
# **By hand.** $H = 6$, $G = 2$: heads 0, 1, 2 use keys 0, heads 3, 4, 5 use keys 1. In short 0 0 0 1 1 1, not 0 1 0
# 1 0 1.
#
# As in lesson 2, heads are one more axis in front, and lesson 1's attention takes any number of those. You may use
# everything imported from `helpers.attention`.
#
# **Exercise 5.14** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return attention's outputs where neighbouring query heads share a head of keys and values.**
#
# <details><summary>Hint 1</summary>With as many heads of k and v as of q, it would be one call. How often must each
# head of k appear?</details>
# <details><summary>Hint 2</summary>Compare <code>torch.repeat_interleave</code> with <code>.repeat</code> on the
# numbers 0, 1. Which gives 0 0 0 1 1 1? The axis of the heads is the third from the end.</details>
# <details><summary>The idea</summary>Either copy each head of k and v for its group, neighbours together, or give q
# an axis for the groups, (..., G, H/G, T_q, d_k), and let broadcasting share k and v without a copy.</details>


# %% exercise="complexity.grouped_attention"
def grouped_attention(q, k, v):
    """Attention in which neighbouring
    query heads share keys and values.

    Args:
        q: queries, (..., H, T_q, d_k).
        k: keys, (..., G, T_k, d_k), where G divides H.
        v: values, (..., G, T_k, d_v).

    Returns:
        The outputs, (..., H, T_q, d_v).
    """
    ### BEGIN SOLUTION
    shared = q.size(-3) // k.size(-3)
    k, v = k.repeat_interleave(shared, dim=-3), v.repeat_interleave(shared, dim=-3)
    return scaled_dot_product_attention(q, k, v)[0]
    ### END SOLUTION


# %% check="complexity.grouped_attention"
check("complexity.grouped_attention", grouped_attention)

# %% [markdown]
# Sharing isn't free: the heads of a group look things up in the same keys and values, so they can differ only in
# their queries, and in what $W_o$ makes of their outputs. With 8 groups, Ainslie et al. (2023) find quality close to
# that of full multi-head attention, and speed close to that of a single head. Quality can only be seen in a trained
# model; the saving shows with random numbers too:

# %% draw=true
# How much there is to keep, with 32, 8 and 1 heads of keys
with waiting_for("Exercise 5.14"):
    torch.manual_seed(0)
    q = torch.randn(32, 1, 64)
    for count in (32, 8, 1):
        k, v = torch.randn(count, 4096, 64), torch.randn(count, 4096, 64)
        heads = grouped_attention(q, k, v).size(0)
        megabytes = (k.numel() + v.numel()) * 4 / 1e6
        print(
            f"{heads} heads of queries, {count:2} of keys: {megabytes:5.1f} MB to keep, and to read for each word"
        )

# %% [markdown]
# (That is one layer, with 4096 positions, heads of width 64, in float32.)

# %% [markdown]
# ## 5.15 One page or a book?
#
# Back to 5.1. A whole Transformer layer has more products that grow like $n$: besides the three projections, one
# for the output, and a feed-forward part that takes $16nd^2$ FLOPs (lesson 6). Together they take $24nd^2$, scores
# and mixture $4n^2d$. The two are equal at $n = 6d$. For $d = 4096$ that is about 25,000 positions.

# %% draw=true
# A page and a book, in FLOPs
with waiting_for("Exercise 5.4"):
    page, book, d = 500, 150_000, 4096

    def layer_flops(n):
        steps = attention_flops(n, d)
        table = steps["scores"] + steps["mixture"]
        return sum(steps.values()) + 2 * n * d * d + 16 * n * d * d, table

    print(f"a layer with d = {d}; a page of {page} words, a book of 300 pages, a position for each word")
    for name, n in (("one page", page), ("the book", book)):
        flops, table = layer_flops(n)
        print(f"{name}: {flops:.2g} FLOPs, {100 * table / flops:.0f} % in scores and mixture")
    ratio = layer_flops(book)[0] / layer_flops(page)[0]
    print(f"the book takes {ratio:.0f} times the FLOPs of a page: not 300, not 90000")

# %% [markdown]
# **Question 5.15** · graded by hand · 8 minutes · 5 points
#
# "Attention is quadratic." Take a task of your own (name it, with its typical $n$ and $d$) and explain what the
# sentence does and doesn't mean for it. Say what is quadratic in what: FLOPs, memory, and the cost of writing one
# more word. What share of the layer's FLOPs is quadratic at your $n$ and $d$? Which of the quadratic costs can be
# avoided with the same outputs?

# %% [markdown] written="complexity.what_quadratic_means" points=5
# ### BEGIN SOLUTION
# **Model answer.** My task: classify product reviews, n = 200 words, d = 768. The FLOPs of scores and mixture grow
# like n²d. The projections grow like nd². At my size 4n²d = 0.12 GFLOP and 6nd² = 0.71 GFLOP, so one seventh of
# attention's FLOPs (and a smaller part of the whole layer's) is quadratic: reviews twice as long take little more
# than twice the time. My n is far below the length at which the two are equal, 1.5 d = 1152 (in a whole layer 6d =
# 4608). Memory: the table of weights has n² numbers for each head, which a plain implementation holds; in blocks with
# a running softmax the outputs are the same and memory grows like n. The FLOPs of the two products can't be avoided
# that way: blocks do as many. Writing one more word with a cache costs one row, linear in n; writing n words costs
# the sum of these, which is quadratic again. The cache itself is linear in n, and sharing heads makes it smaller by a
# factor (but changes the model). And a quadratic count doesn't say what is slow: the work is parallel.
#
# **Rubric**
# - 1 point: FLOPs: scores and mixture are quadratic in n, projections (and feed-forward) linear.
# - 1 point: for the task's n and d, which part dominates, with numbers (comparing n with 1.5 d or 6 d is enough).
# - 1 point: memory: a full table is n² for each head; in blocks it is linear, with the same outputs.
# - 1 point: blocks save memory, not FLOPs.
# - 1 point: one more word with a cache is linear in n (or: the cache is linear in n).
# - Any task counts. "Twice the length always takes four times as long" loses the second point.
# ### END SOLUTION

# %% [markdown]
# ## 5.16 Your cache writes
#
# Now the model that writes book reviews gets a cache: yours of lesson 4 if its check passed on this computer,
# otherwise the course's. Without a cache, the model reads the whole text again for each word.

# %% draw="open"
# Which parts of the model are yours
with waiting_for("Exercise 4.9a"):
    mine = own_reader(cache=cached_step)
    display(mine.table())

# %% draw=true
# How long 64 texts take, with the cache and without
with waiting_for("Exercise 5.8"):
    start, counts = mine.ids("").expand(64, -1), [20, 40, 80]
    for name, cached in {"with the cache": True, "without it": False}.items():

        def write(words, cached=cached):
            return [*zip(range(words), mine.drawn(start, cached=cached), strict=False)]

        times = [seconds(write, words, laps=1) for words in counts]
        exponent = float(fitted_exponent(torch.tensor(counts).float(), torch.tensor(times)))
        said = "  ".join(f"{n} words {1000 * t:4.0f} ms" for n, t in zip(counts, times, strict=True))
        print(f"{name:<14}  {said}  exponent {exponent:.1f}")

# %% [markdown]
# With the cache, twice as many words take about twice the time, by **your** `fitted_exponent`. Without it they take
# more than that, and the gap widens as texts get longer. (The exponent isn't 2 yet: for texts this short, much of the
# time goes into starting operations.) The words are the same either way:

# %% draw=true
# Explore: it writes, with the cache
with waiting_for("Exercise 4.9a"):
    display(writing_explorer({"": mine}, "Exercise 4.9a"))

# %% [markdown]
# In this model, what surrounds attention is still the course's. You write that in lesson 6.

# %% [markdown]
# ## 5.17 What to remember
#
# - A product of m × k with k × n takes 2mkn FLOPs. $QK^\top$ is n × n: write the shape beside each product.
# - Attention: $6nd^2$ for projections, $4n^2d$ for scores and mixture. Doubling n costs 2 to 4 times as much; 3 times
#   at n = 1.5 d.
# - Operations, sequential steps, path: attention $n^2d$, 1, 1; recurrent $nd^2$, n, n; convolution $knd^2$, 1,
#   $\log_k n$.
# - Orders cross at n = d. With constant factors it may be at 2.5 d, or never. By the clock, what runs in parallel
#   stays ahead much longer.
# - On log-log axes, the slope is the exponent.
# - The n × n table needn't exist: a running maximum, a running total, a running mixture. That saves memory, not
#   FLOPs.
# - While writing, the cache is the limit. It holds keys *and* values; heads that share them make it smaller.
#
# **Sources.** Vaswani et al. 2017, *Attention is all you need*, section 4 and table 1. Kalchbrenner et al. 2016,
# *Neural machine translation in linear time* (growing steps). Sutskever et al. 2014, *Sequence to sequence learning
# with neural networks*. Brent 1974, *The parallel evaluation of general arithmetic expressions*. Milakov and
# Gimelshein 2018, *Online normalizer calculation for softmax*. Rabe and Staats 2021, *Self-attention does not need
# O(n²) memory*. Dao et al. 2022, *FlashAttention*. Shazeer 2019, *Fast Transformer decoding: one write-head is all
# you need*. Ainslie et al. 2023, *GQA*. Touvron et al. 2023, *Llama 2*.
#
# Next, lesson 6 builds what surrounds attention: the block, and from it a model that speaks.
