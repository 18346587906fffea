# %% [markdown]
# # 6 · The block
#
# - **You will learn** what surrounds attention, and build it: the way from tokens to vectors and back, the norm,
#   the feed-forward network, the residual path. A few *blocks* of these make a language model, and at the end yours
#   learns to write.
# - **You need** lessons 1, 2 and 4 (attention, heads, the causal mask), `torch.nn.Module`, and what a gradient is.
# - **Time** {minutes} minutes, in three sittings: 6.0 to 6.6 build the small parts, 6.7 to 6.11 put them together,
#   6.12 to 6.15 bring them to life. The training takes less than a minute on two cores; a bar shows how long it
#   takes on yours.
#
# Every exercise is checked as soon as you ask for it. Stuck? Below each are two hints, then the idea.

# %% setup=true
import math

import torch

from helpers import corpora, sharing, training
from helpers.block import drawings, experiments, explorers, figures
from helpers.checks import case, check
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.masking import causal_mask
from helpers.multihead import MultiHeadAttention

torch.set_num_threads(1)  # for small tensors: two cores would mostly wait for each other

# %% [markdown]
# ## 6.0 Catch the slip
#
# Three short pieces on earlier lessons. Each is right, or has one slip that is easy to make.

# %% recall="block.recall_merge"

# %% recall="block.recall_padding"

# %% recall="block.recall_flops"

# %% [markdown]
# ## 6.1 Twelve in a row
#
# You have built attention with several heads. Let's stack it. Here are ten random vectors, and twelve of lesson 2's
# modules with random weights, one after the other. After each layer we measure how alike the ten positions are: the
# mean cosine between pairs of them, which is 1 if all point the same way.

# %% predict="block.alone"

# %% draw=true
# The mean cosine between positions, layer by layer
with waiting_for("your prediction"), after_predicting("block.alone"):
    torch.manual_seed(0)
    layers = [MultiHeadAttention(32, 2) for _ in range(12)]
    tokens = torch.randn(4, 10, 32)
    calls = [lambda x, layer=layer: layer(x)[0] for layer in layers]
    ways = {"attention alone": False, "its output added to what it read": True}
    found = {name: experiments.alikeness(tokens, calls, added) for name, added in ways.items()}
    show(figures.alike(found))

# %% [markdown] reveals="block.alone"
# After two layers all ten positions hold nearly the same vector, and nothing that comes later can tell them apart:
# averages of averages lose what was different. (Dong et al. 2021 prove, for weights of bounded size, that with
# attention alone the differences between positions shrink *doubly* exponentially with depth. This is one run with one
# seed; try others.)

# %% [markdown]
# The other line differs in one small thing: each layer's output is *added* to what the layer has read. You will build
# that, and the other parts that a deep stack needs.

# %% [markdown]
# ## 6.2 Tokens to vectors
#
# **Why.** A model reads numbers that stand for words, say 17, 4, 230. A table with a row of $C$ numbers for each of
# the $V$ tokens turns them into vectors. The rows are parameters, learned like everything else. A second row, from a
# table of positions, says where the token is, as in 3.2.
#
# **Formula** (Vaswani et al. 2017, section 3.4):
#
# $$x_t = \sqrt{C}\; \text{words}[\text{ids}_t] + \text{positions}[t]$$
#
# The paper gives no reason for the factor; 6.3 gives the usual one.
#
# **By hand.** $C = 4$, the token's row is (1, 0, −1, 2), its position's row (0.5, 0.5, 0.5, 0.5). Then $x$ = 2·(1, 0,
# −1, 2) + 0.5 = **(2.5, 0.5, −1.5, 4.5)**.
#
# **Exercise 6.2** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return a vector for each token: its scaled row of `words` plus the row of its position.**
#
# <details><summary>Hint 1</summary>What do you get if you index a table with a whole tensor?</details>
# <details><summary>Hint 2</summary>The table of positions may be longer than the sequence. Which rows belong to T
# tokens?</details>
# <details><summary>The idea</summary>Two look-ups and a sum; broadcasting takes care of batch axes.</details>


# %% exercise="block.embed"
def embed(ids, words, positions):
    """Turn tokens into vectors: √C times the
    token's row, plus the position's row.

    Args:
        ids: tokens, integers, (..., T).
        words: a row for each token, (V, C).
        positions: a row for each position,
            (longest, C), where T is at most `longest`.

    Returns:
        The vectors, (..., T, C).
    """
    ### BEGIN SOLUTION
    return math.sqrt(words.size(-1)) * words[ids] + positions[: ids.size(-1)]
    ### END SOLUTION


# %% check="block.embed"
check("block.embed", embed)

# %% [markdown]
# ## 6.3 And back
#
# **Why.** At the end the model has a vector at each position and must say which token comes next. It compares the
# vector with every token's row by a dot product: the larger, the better the token fits. These scores are called
# **logits**; a softmax turns them into probabilities.
#
# **One matrix, two jobs.** The rows that turned tokens into vectors now score them. The table is *tied* (Press and
# Wolf 2017): one set of parameters instead of two, and what the model learns about a token by reading it helps it
# write that token. For scores its numbers should be small, or the softmax is sure of itself before anything is
# learned. For vectors they should be larger, which would explain the $\sqrt{C}$ on the way in.
#
# **By hand.** $x$ = (1, 2), and three tokens with the rows (1, 0), (0, 1), (1, 1): the logits are **1, 2, 3**.
#
# **Exercise 6.3** · difficulty 1 of 5 · 4 minutes · 1 point
#
# **Return the logits: each vector's dot product with each token's row.**
#
# <details><summary>Hint 1</summary>How do (..., T, C) and (V, C) give (..., T, V)?</details>
# <details><summary>Hint 2</summary>Which of the two has to be transposed?</details>
# <details><summary>The idea</summary>One matrix product does all positions and all tokens.</details>


# %% exercise="block.unembed"
def unembed(x, words):
    """Score each token by the dot product of its row with the vector.

    Args:
        x: vectors, (..., T, C).
        words: the matrix that turned tokens into vectors, (V, C).

    Returns:
        Logits, (..., T, V).
    """
    ### BEGIN SOLUTION
    return x @ words.T
    ### END SOLUTION


# %% check="block.unembed"
check("block.unembed", unembed)

# %% [markdown]
# ## 6.4 Layer norm
#
# **Why.** Twelve blocks are 24 *sublayers* in a row, twelve of attention and twelve feed-forward networks. If each
# makes its vectors a fifth larger, the output is 80 times as large as the input. A **norm** in front of each gives it
# vectors of the same size, at any depth.
#
# **Formula** (Ba, Kiros and Hinton 2016). For one vector $x$ of $C$ channels:
#
# $$\mu = \frac{1}{C}\sum_c x_c \qquad \sigma^2 = \frac{1}{C}\sum_c (x_c - \mu)^2 \qquad
# y_c = \frac{x_c - \mu}{\sqrt{\sigma^2 + \varepsilon}}\; w_c + b_c$$
#
# Every position is normalised by itself. $w$ and $b$ are learned, one number for each channel, so that the model can
# make a channel larger again. $\varepsilon$ keeps a vector whose channels are all equal from being divided by 0.
#
# **By hand.** $x$ = (1, 2, 6), $w$ = 1, $b$ = 0. The mean is 3, the differences are −2, −1, 3, the variance is (4 + 1 +
# 9)/3 = 4.67, its root 2.16. So $y$ = **(−0.93, −0.46, 1.39)**.
#
# **Exercise 6.4** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Return x with mean 0 and variance 1 in each vector, times `weight`, plus `bias`.**
#
# <details><summary>Hint 1</summary>Over which axis are mean and variance taken? (<code>keepdim=True</code> keeps
# that axis for the subtraction.)</details>
# <details><summary>Hint 2</summary>Does <code>x.var()</code> divide by C or by C − 1?</details>
# <details><summary>The idea</summary>Subtract the mean first. The mean square of what is left is the
# variance.</details>


# %% exercise="block.layer_norm"
def layer_norm(x, weight, bias, eps=1e-5):
    """Give each vector mean 0 and variance
    1, then scale and shift its channels.

    Args:
        x: (..., C).
        weight: what each channel is multiplied by, (C,).
        bias: what is added to each channel, (C,).
        eps: what is added to the variance.

    Returns:
        The normalised vectors, shaped like x.
    """
    ### BEGIN SOLUTION
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    return centred / torch.sqrt(variance + eps) * weight + bias
    ### END SOLUTION


# %% check="block.layer_norm"
check("block.layer_norm", layer_norm)

# %% [markdown]
# Shift a vector and stretch it. What does the norm remove, and what if you multiply by 0?

# %% draw=true
# Explore: what the norm makes of a vector
explorers.norm_explorer(layer_norm, "Exercise 6.4")

# %% [markdown]
# Offset and size are gone, whatever they were. What is left is the *direction* of $x - \mu$.
#
# In a model the norm is a module: it owns its weight and its bias. This one calls your function.


# %%
class LayerNorm(torch.nn.Module):
    """Your `layer_norm`, with a weight and a bias that learn."""

    def __init__(self, d_model):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(d_model))
        self.bias = torch.nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return layer_norm(x, self.weight, self.bias)


# %% [markdown]
# ## 6.5 GELU
#
# **Why.** Two matrices in a row are one matrix: $W_2 (W_1 x) = (W_2 W_1) x$. Something nonlinear has to come between
# them. In 2017 that was ReLU, which is 0 below 0. GPT and BERT use a smoother function.
#
# **Formula** (Hendrycks and Gimpel 2016). Each number is multiplied by the share $\Phi(x)$ of a standard normal
# distribution that lies below it:
#
# $$\text{GELU}(x) = x\,\Phi(x) \qquad \Phi(x) = \tfrac{1}{2}\left(1 + \text{erf}\frac{x}{\sqrt 2}\right)$$
#
# **By hand.** $\Phi(0)$ = ½, so GELU(0) = **0**. $\Phi(1)$ = 0.841, so GELU(1) = **0.841**. $\Phi(-1)$ = 0.159, so
# GELU(−1) = **−0.159**: a little of a small negative number gets through.
#
# **Exercise 6.5** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return GELU(x) for each number, by the exact formula.**
#
# <details><summary>Hint 1</summary>Which part of the formula is <code>torch.erf</code>?</details>
# <details><summary>Hint 2</summary>Far below 0 nothing gets through, far above 0 everything does. What does your Φ give
# at −60 and at 60?</details>
# <details><summary>The idea</summary>A number times a share between 0 and 1.</details>


# %% exercise="block.gelu"
def gelu(x):
    """x·Φ(x): each number times the share of
    a standard normal distribution below it.

    Args:
        x: any shape.

    Returns:
        Shaped like x.
    """
    ### BEGIN SOLUTION
    return x * (1 + torch.erf(x / math.sqrt(2))) / 2
    ### END SOLUTION


# %% check="block.gelu"
check("block.gelu", gelu)

# %% draw=true
# GELU beside ReLU, as curves
with waiting_for("Exercise 6.5"):
    numbers = [n / 4 for n in range(-12, 13)]
    series = {"GELU": gelu(torch.tensor(numbers)), "ReLU": torch.tensor(numbers).clamp(min=0)}
    ax = plots.lines(numbers, series, xlabel="x", ylabel="f(x)", title="Two activations")
    ax.set_ylim(-0.4, 3.1)
    show(ax)

# %% [markdown]
# ## 6.6 The feed-forward network
#
# **Why.** Attention moves information between positions. The feed-forward network then processes each position by
# itself, with the same two matrices everywhere: up to a wider vector, a GELU, and down again. With the usual width,
# $d_\text{ff} = 4C$, it holds two thirds of a block's parameters (7.6).
#
# **Formula** (Vaswani et al. 2017, section 3.3, with a GELU for the ReLU):
#
# $$\text{FFN}(x) = W_\text{down}\,\text{GELU}(W_\text{up}\,x + b_\text{up}) + b_\text{down} \qquad
# W_\text{up}: C \to d_\text{ff}, \quad W_\text{down}: d_\text{ff} \to C$$
#
# **By hand.** $C$ = 1, $d_\text{ff}$ = 2, $W_\text{up}$ = (1, −1), $W_\text{down}$ = (1, 1), no biases. $x$ = 1 goes up
# to (1, −1), through the GELU to (0.841, −0.159), and down to **0.683**.
#
# **Exercise 6.6** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Write `forward`: up, your `gelu`, and down again.**
#
# <details><summary>Hint 1</summary>A <code>Linear</code> is called like a function. Does it add its bias
# itself?</details>
# <details><summary>Hint 2</summary>Is the vector narrow or wide where the GELU works?</details>
# <details><summary>The idea</summary>Three calls, one inside the other.</details>


# %% exercise="block.feed_forward"
class FeedForward(torch.nn.Module):
    """Two linear maps with a GELU between them, at each position alone.

    Args:
        d_model: C, channels of what goes in and out.
        d_ff: channels between the maps.
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)

    def forward(self, x):
        """(..., T, C) to (..., T, C)."""
        ### BEGIN SOLUTION
        return self.W_down(gelu(self.W_up(x)))
        ### END SOLUTION


# %% check="block.feed_forward"
check("block.feed_forward", FeedForward)

# %% [markdown]
# ## 6.7 The residual path
#
# **Why.** In 6.1 one thing kept the positions apart: adding. Each sublayer *reads* from a path that runs through the
# whole model, and *adds* its output to it. What it leaves alone reaches all later layers unchanged. The path is
# called **residual** (He et al. 2016: a layer has to learn only what is left to add), and today often the *residual
# stream* (Elhage et al. 2021).
#
# **Formula.** There are two places for the norm:
#
# $$\text{norm first: } x + f(\text{norm}(x)) \qquad \text{norm last: } \text{norm}(x + f(x))$$
#
# **By hand.** Let $f$ double its input, and let the "norm" subtract 1. $x$ = 5. Norm first: 5 + 2·(5 − 1) = **13**. Norm
# last: (5 + 2·5) − 1 = **14**.
#
# **Exercise 6.7** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Return the residual path after a sublayer has added to it, with the norm first or last.**
#
# <details><summary>Hint 1</summary><code>sublayer</code> and <code>norm</code> are functions: what does each
# get?</details>
# <details><summary>Hint 2</summary>With the norm first, is x itself ever normalised?</details>
# <details><summary>The idea</summary>Read both formulas aloud, from the inside out.</details>


# %% exercise="block.add_sublayer"
def add_sublayer(x, sublayer, norm, norm_first=True):
    """Add a sublayer's output to the residual path.

    Args:
        x: the residual path, (..., T, C).
        sublayer: a function from (..., T, C) to (..., T, C).
        norm: a function like it.
        norm_first: True normalises what the sublayer reads (pre-norm),
            False the sum (post-norm).

    Returns:
        The residual path after it, shaped like x.
    """
    ### BEGIN SOLUTION
    return x + sublayer(norm(x)) if norm_first else norm(x + sublayer(x))
    ### END SOLUTION


# %% check="block.add_sublayer"
check("block.add_sublayer", add_sublayer)

# %% [markdown]
# What is the path worth? First, before any training: small language models of twelve blocks, with random weights and
# your `add_sublayer`, read some sentences. There are four kinds, with and without the path, each with and without
# norms. Without the path, a sublayer's output replaces what it has read. The figure shows the size of the loss's
# gradient in front of each block.

# %% predict="block.gradient"

# %% draw=true
# The gradient that reaches each block, in stacks of twelve
with waiting_for("Exercise 6.7"), after_predicting("block.gradient"):
    show(figures.gradients(experiments.gradient_sizes(add_sublayer)))

# %% [markdown] reveals="block.gradient"
# Without path and norms, the first block's gradient is about 10⁻¹⁴ of the last one's. (Geometric means of three
# seeds.) Norms alone restore the size of the gradient. Is that enough to learn from?

# %% [markdown]
# Now all four kinds, with 2, 6 and 12 blocks and three seeds each, are trained briefly to predict the next word.

# %% predict="block.depth"

# %% draw=true
# The loss at three depths, with parts left out
with waiting_for("Exercise 6.7"), after_predicting("block.depth"):
    learned = experiments.depths(add_sublayer)
    guesses = {
        "ln V: a guess among all words": math.log(len(corpora.vocabulary())),
        "word frequencies alone": experiments.loss_of_frequencies(),
    }
    show(figures.losses(learned, guesses))

# %% [markdown] reveals="block.depth"
# In this short time no stack without a residual path, however shallow, gets below the lower dashed line, the loss of
# word frequencies alone. With the path all of them learn. Norms hardly matter for two blocks, but a good deal for
# twelve. (Three seeds, one learning rate, 0.01, small models. Deeper isn't better yet after 50 steps; and with more
# time and care, stacks without a path learn something as well.)
#
# So the gradient's size isn't everything. Without a path, each block replaces what those before it have found, and
# 6.1 showed what that does.

# %% [markdown]
# ## 6.8 Norm first or last?
#
# The paper of 2017 has the norm last. GPT-2 moved it to the front (Radford et al. 2019, section 2.3), and most
# models since have left it there. Xiong et al. (2020) explain why. With the norm last, the gradients near the
# output are large at the start, so the learning rate has to rise slowly, in a *warm-up*. With the norm first there
# is no need for one. The price: the path itself is never normalised, so it needs one more norm at its end.
#
# **Exercise 6.8** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Say for each line whether it belongs to `"norm first"` or `"norm last"`.**
#
# <details><summary>Hint 1</summary>Write down the path after two sublayers, both ways. Which is a sum of three
# terms?</details>
# <details><summary>Hint 2</summary>Which operation is the last one before the vectors leave the stack?</details>
# <details><summary>The idea</summary>With the norm last, the path itself goes through every norm; with the norm
# first, only copies of it do.</details>

# %% exercise="block.pre_or_post"
norms = {
    "the paper of 2017": ...,
    "GPT-2": ...,
    "the residual path is a plain sum of the embedding and all sublayers' outputs": ...,
    "the stack needs one more norm at its end": ...,
    "known to need a slow start of the learning rate": ...,
}
### BEGIN SOLUTION
norms = {
    "the paper of 2017": "norm last",
    "GPT-2": "norm first",
    "the residual path is a plain sum of the embedding and all sublayers' outputs": "norm first",
    "the stack needs one more norm at its end": "norm first",
    "known to need a slow start of the learning rate": "norm last",
}
### END SOLUTION

# %% check="block.pre_or_post"
check("block.pre_or_post", norms)

# %% [markdown]
# ## 6.9 Dropout, and what `eval` does
#
# **Why.** A model that reads a small text many times can memorise it: it *overfits*. **Dropout** makes that
# harder: during training, a random share $p$ of the numbers is set to 0, so that no sublayer can rely on a single
# one (Srivastava et al. 2014). The rest is divided by $1 - p$, which keeps the expected sum. After training
# nothing is dropped.
#
# **By hand.** $x$ = (1, 2, 3, 4), $p$ = ½, chances 0.9, 0.3, 0.5, 0.1. The second and fourth are dropped, the
# others double: **(2, 0, 6, 0)**.
#
# **Exercise 6.9a** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **In training, return x with 0 where `chances` is below p and the rest scaled up; otherwise return x.**
#
# <details><summary>Hint 1</summary>Which function chooses between two values, number by number?</details>
# <details><summary>Hint 2</summary>If half of the numbers are dropped, how much must the others grow to keep the
# expected sum?</details>
# <details><summary>The idea</summary><code>chances</code> only decides which numbers stay.</details>


# %% exercise="block.dropout"
def dropout(x, p, training, chances):
    """Zero a share p of the numbers while
    training, and scale up the rest.

    Args:
        x: any shape.
        p: the share, 0 <= p < 1.
        training: False leaves x as it is.
        chances: drawn evenly from 0 to 1, shaped like x. Where one is
            below p, the number becomes 0.

    Returns:
        Shaped like x.
    """
    ### BEGIN SOLUTION
    return torch.where(chances < p, 0.0, x / (1 - p)) if training else x
    ### END SOLUTION


# %% check="block.dropout"
check("block.dropout", dropout)

# %% [markdown]
# Every module has a flag, `training`. `model.train()` and `model.eval()` set it, for the module and everything inside
# it. They do nothing else. Try it before you answer.

# %%
trial = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.LayerNorm(3), torch.nn.Dropout(0.5))
for setting in (trial.train, trial.eval):
    setting()
    torch.manual_seed(0)
    out = trial(torch.tensor([[1.0, 2.0, 4.0]]))
    print(
        f"training: {trial.training!s:<5}",
        [round(n, 3) for n in out[0].tolist()],
        "gradient:",
        out.requires_grad,
    )

# %% [markdown]
# **Exercise 6.9b** · difficulty 2 of 5 · 4 minutes · 1 point
#
# **Say for each line whether `model.eval()` `"changes"` it or it `"stays as it is"`.**
#
# <details><summary>Hint 1</summary>Which modules look at the flag?</details>
# <details><summary>Hint 2</summary>What does the last column printed above say?</details>
# <details><summary>The idea</summary>A flag is set. No number of the model is touched.</details>

# %% exercise="block.eval"
evaluation = {
    "whether dropout zeroes anything": ...,
    "which mean and variance layer norm uses": ...,
    "whether gradients are recorded": ...,
    "the weights": ...,
}
### BEGIN SOLUTION
evaluation = {
    "whether dropout zeroes anything": "changes",
    "which mean and variance layer norm uses": "stays as it is",
    "whether gradients are recorded": "stays as it is",
    "the weights": "stays as it is",
}
### END SOLUTION

# %% check="block.eval"
check("block.eval", evaluation)

# %% [markdown]
# The models that you pretrain on made-up reviews never see a text twice, so they use no dropout.

# %% [markdown]
# ## 6.10 The block
#
# **Why.** A Transformer repeats one block: attention, then the feed-forward network. Each reads the path through a
# norm of its own, and adds its output to the path.
#
# $$x \leftarrow x + \text{Attention}(\text{norm}_1(x)) \qquad x \leftarrow x + \text{FFN}(\text{norm}_2(x))$$
#
# Attention is lesson 2's module: `self.attention(y, mask=mask)` returns the outputs *and* the weights.
#
# **By hand.** If both sublayers return 0 for everything, the block returns what it was given: **x**. A block of small
# random weights nearly does that, so a deep stack begins by passing on its input almost unchanged, a good place to
# start learning.

# %% draw=true
# A straight path, and two branches that add to it
show(drawings.block())

# %% [markdown]
# **Exercise 6.10** · difficulty 3 of 5 · 12 minutes · 4 points
#
# **Write `forward`: attention, then the feed-forward network, each after its own norm and added to the path.**
#
# <details><summary>Hint 1</summary>Your <code>add_sublayer</code> wants a function of one argument. How do you give
# it attention with a mask, and only the first of its two results?</details>
# <details><summary>Hint 2</summary>What does the second sublayer read?</details>
# <details><summary>The idea</summary>One path, added to twice. A lambda makes a function of one argument.</details>


# %% exercise="block.block"
class Block(torch.nn.Module):
    """Self-attention, then the feed-forward network,
    each beside the residual path, each after a norm.

    Args:
        d_model: C.
        n_heads: H, a divisor of d_model.
        d_ff: hidden channels of the feed-forward network.
    """

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        """(B, T, C) to (B, T, C). The mask is
        boolean, broadcastable to (B, H, T, T).
        """
        ### BEGIN SOLUTION
        x = add_sublayer(x, lambda y: self.attention(y, mask=mask)[0], self.norm_1)
        return add_sublayer(x, self.feed_forward, self.norm_2)
        ### END SOLUTION


# %% check="block.block"
check("block.block", Block)

# %% [markdown]
# PyTorch has such a block and calls it an encoder layer. With your weights in it, does it give your numbers?

# %% draw=true
# How far your block is from PyTorch's
with waiting_for("Exercises 6.4 to 6.10"), torch.no_grad():
    torch.manual_seed(0)
    mine = Block(24, 3, 96)
    theirs = torch.nn.TransformerEncoderLayer(
        24, 3, 96, dropout=0, activation="gelu", batch_first=True, norm_first=True
    )
    theirs.load_state_dict(experiments.as_encoder_layer(mine.state_dict()))
    x, earlier = torch.randn(2, 7, 24), causal_mask(7)
    gap = (mine(x, earlier) - theirs(x, src_mask=~earlier)).abs().max()
    print(f"largest difference between your block and torch's: {gap:.1e}")

# %% [markdown]
# ## 6.11 The model
#
# **Why.** All the parts are there. Tokens become vectors, the blocks add to them, and after a last norm the vectors
# become scores. With a causal mask no position knows what comes later, so its scores are an honest guess at the
# next token. Such a model is called *decoder-only*. GPT is one.
#
# **By hand.** Two tokens go in, $V$ = 5, and 2 · 5 scores come out. The first five are a guess at the second token,
# the last five at a token that isn't there yet.

# %% draw=true
# From tokens to scores
show(drawings.model())

# %% [markdown]
# **Exercise 6.11** · difficulty 3 of 5 · 12 minutes · 4 points
#
# **Write `forward`, from tokens to logits, so that no position sees a later one.**
#
# <details><summary>Hint 1</summary>What does <code>embed</code> want: the module <code>self.words</code>, or its
# table, <code>self.words.weight</code>?</details>
# <details><summary>Hint 2</summary>Which mask serves all blocks? <code>causal_mask(T)</code> of lesson 4 is
# imported.</details>
# <details><summary>The idea</summary>Your embed, the blocks in a loop, the norm, your unembed.</details>


# %% exercise="block.model"
class DecoderOnly(torch.nn.Module):
    """Scores the next token at each
    position, from the tokens up to there.

    Args:
        vocabulary: V.
        d_model: C.
        n_heads: H, a divisor of d_model.
        n_layers: blocks.
        positions: the longest sequence.
    """

    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        """Tokens (B, T) to logits (B, T, V)."""
        ### BEGIN SOLUTION
        x = embed(ids, self.words.weight, self.positions.weight)
        mask = causal_mask(ids.size(-1)).to(ids.device)
        for block in self.blocks:
            x = block(x, mask)
        return unembed(self.norm(x), self.words.weight)
        ### END SOLUTION


# %% check="block.model"
check("block.model", DecoderOnly)

# %% [markdown]
# ## 6.12 Weights of GPT-2
#
# **Why.** Is this really the architecture of GPT-2? There is a hard test: put GPT-2's weights into your model, and
# compare. (A model's weights, each under its name, are its *state dict*.) GPT-2's file uses different names, and
# differs from your model in three ways:
#
# - It keeps a linear map as (in, out), torch as (out, in): `attn.c_attn`, `attn.c_proj`, `mlp.c_fc`, `mlp.c_proj`.
# - Queries, keys and values are one map, `c_attn`, in this order: (C, 3C), with a bias of 3C.
# - It doesn't multiply its embedding by $\sqrt{C}$. Your `embed` does. So divide the words by $\sqrt{C}$. But the
#   words are tied: now the scores are too small by a factor of $\sqrt{C}$. Which part between the blocks and the
#   scores can make up for that?
#
# | GPT-2 | yours |
# | --- | --- |
# | `transformer.wte.weight`, `transformer.wpe.weight` | `words.weight`, `positions.weight` |
# | `transformer.h.0.ln_1`, `ln_2` | `blocks.0.norm_1`, `norm_2` |
# | `transformer.h.0.attn.c_attn` | `blocks.0.attention.W_q`, `W_k`, `W_v` |
# | `transformer.h.0.attn.c_proj` | `blocks.0.attention.W_o` |
# | `transformer.h.0.mlp.c_fc`, `mlp.c_proj` | `blocks.0.feed_forward.W_up`, `W_down` |
# | `transformer.ln_f` | `norm` |
#
# All but the first two have a `.weight` and a `.bias`. `lm_head.weight` is the table of words again, and isn't
# needed.
#
# **By hand.** $C$ = 4: words of GPT-2 (2, 4, 6, 8) become **(1, 2, 3, 4)**, and the last norm's weight and bias double.
#
# **Exercise 6.12** · difficulty 4 of 5 · 20 minutes · 4 points
#
# **Return GPT-2's parameters under your model's names and in its shapes.**
#
# <details><summary>Hint 1</summary>A square matrix raises no error if you forget to transpose it. Which ones are
# square?</details>
# <details><summary>Hint 2</summary>What multiplies the scores if the last norm's weight and bias are
# multiplied?</details>
# <details><summary>The idea</summary>It is book-keeping: new names, one map cut into three, and a factor in three
# places.</details>


# %% exercise="block.from_gpt2"
def from_gpt2(state, n_layers):
    """The parameters of a GPT-2 under the names,
    and in the shapes, of a `DecoderOnly`.

    Args:
        state: of `transformers`' GPT2LMHeadModel:
            "transformer.wte.weight" and so on.
        n_layers: blocks.

    Returns:
        A state dict of a `DecoderOnly`.
    """
    ### BEGIN SOLUTION
    C = state["transformer.wte.weight"].size(-1)
    ours = {
        "words.weight": state["transformer.wte.weight"] / math.sqrt(C),
        "positions.weight": state["transformer.wpe.weight"],
        "norm.weight": state["transformer.ln_f.weight"] * math.sqrt(C),
        "norm.bias": state["transformer.ln_f.bias"] * math.sqrt(C),
    }
    names = {
        "attn.c_proj": "attention.W_o",
        "mlp.c_fc": "feed_forward.W_up",
        "mlp.c_proj": "feed_forward.W_down",
        "ln_1": "norm_1",
        "ln_2": "norm_2",
    }
    for layer in range(n_layers):
        theirs, block = f"transformer.h.{layer}", f"blocks.{layer}"
        for end in ("weight", "bias"):
            packed = state[f"{theirs}.attn.c_attn.{end}"].chunk(3, dim=-1)
            for name, part in zip("qkv", packed, strict=True):
                ours[f"{block}.attention.W_{name}.{end}"] = part.T if end == "weight" else part
            for old, new in names.items():
                value = state[f"{theirs}.{old}.{end}"]
                ours[f"{block}.{new}.{end}"] = value.T if value.dim() == 2 else value
    return ours
    ### END SOLUTION


# %% check="block.from_gpt2"
check("block.from_gpt2", from_gpt2)

# %% [markdown]
# The real file is about 550 MB. A small GPT-2 with random weights is just as hard a test: its code is the same.
# (Its activation is set to the exact GELU; GPT-2 itself has an approximation with a tanh.)

# %% draw=true
# How far your model is from a small GPT-2
with waiting_for("Exercises 6.2 to 6.12"), torch.no_grad():
    gpt2 = experiments.small_gpt2(vocabulary=50, d_model=24, n_heads=4, n_layers=3, positions=16)
    model = DecoderOnly(50, 24, 4, 3, 16)
    model.load_state_dict(from_gpt2(gpt2.state_dict(), 3))
    ids = torch.randint(50, (2, 9))
    logits, right = model(ids), gpt2(ids).logits
    print(
        f"largest logit {right.abs().max():.1f}; largest difference between yours and GPT-2's {(logits - right).abs().max():.1e}"
    )

# %% [markdown]
# The same numbers, up to rounding: you have built GPT-2's architecture.

# %% [markdown]
# ## 6.13 Initial weights
#
# **Why.** Each of $N$ blocks adds to the path twice. If each addition is independent and has variance $v$, the path's
# variance grows by $2N v$. GPT-2 starts with smaller weights where a map *writes* to the path (Radford et al. 2019,
# section 2.3): at the last map of attention, `W_o`, and of the feed-forward network, `W_down`. Variances add up, so a
# factor of $1/\sqrt{2N}$ on each keeps the sum in check.
#
# **By hand.** 8 blocks have 16 sublayers. With 0.02 for all others, those that write get 0.02/√16 = **0.005**.
#
# **Exercise 6.13** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return the standard deviation with which a parameter is drawn, given its name.**
#
# <details><summary>Hint 1</summary>How do the names of the two maps end? <code>str.endswith</code> takes several
# endings at once.</details>
# <details><summary>Hint 2</summary>How many sublayers does a block have?</details>
# <details><summary>The idea</summary>The name says which maps write to the path, and variances add up.</details>


# %% exercise="block.initial_std"
def initial_std(name, n_layers, std=0.02):
    """How large a weight is at first:
    smaller where it writes to the residual path.

    Args:
        name: of a parameter in a `DecoderOnly`, such as
            "blocks.0.feed_forward.W_down.weight".
        n_layers: blocks, each with two sublayers.
        std: of all other weights.

    Returns:
        The standard deviation: std / √(number of sublayers) for the
        weight of a sublayer's last map, std for all others, biases too.
    """
    ### BEGIN SOLUTION
    return std / math.sqrt(2 * n_layers) if name.endswith(("W_o.weight", "W_down.weight")) else std
    ### END SOLUTION


# %% check="block.initial_std"
check("block.initial_std", initial_std)

# %% [markdown]
# A model that has learned nothing should be as unsure as a uniform guess among all $V$ words: its loss should be near
# $\ln V$. Is that so for yours, and for a model with torch's default weights?

# %% predict="block.first_loss"

# %% draw=true
# The loss before any training
with waiting_for("Exercises 6.2 to 6.13"), after_predicting("block.first_loss"), torch.no_grad():
    V = len(corpora.vocabulary())
    some = next(experiments.batches(1, 20, seed=3))
    torch.manual_seed(0)
    usual, yours = (DecoderOnly(V, 96, 4, 2, 100) for _ in range(2))
    experiments.draw_weights(yours, initial_std, 2)
    print(f"ln {V} = {math.log(V):.2f}")
    print(f"torch's usual first weights: {experiments.loss_of(usual, *some):.1f}")
    print(f"yours: {experiments.loss_of(yours, *some):.2f}")

# %% [markdown] reveals="block.first_loss"
# By default, torch draws an embedding with a standard deviation of 1. Such rows give scores that are far too large:
# the untrained model is sure of itself, and wrong.

# %% [markdown]
# ## 6.14 It learns to speak
#
# Two blocks of 96 channels, four heads: about 0.3 million parameters, all of them in parts that you have written
# (attention in lesson 2). The model reads book reviews made up by a grammar, so we know how well *any* model can
# predict them: 1.175 nats per word, the text's **entropy** (4.8). Lesson 8 takes the training apart; here it is
# given. Watch the loss come down from $\ln V$ = 6.8.
#
# You can interrupt the training at any time (the square ■ above): it is saved twice a minute, and resumes when you
# run the cell again.
#
# Models train on the CPU unless a cell above says `%env HEADSTART_DEVICE=cuda` (on a Mac `mps`). On a fast GPU
# (NVIDIA's H200), this run took {measured.lessons_from_top_to_bottom.06_block_learning_to_speak.s_cuda} seconds
# instead of {measured.lessons_from_top_to_bottom.06_block_learning_to_speak.s_cpu} on two CPU cores, and ended with
# the same loss. The 36 short runs of 6.7 took {measured.lessons_from_top_to_bottom.06_block_stacks.s_cuda} seconds
# there, one after another, and {measured.lessons_from_top_to_bottom.06_block_stacks.s_cpu} on the CPU, where two run
# at a time.

# %% draw=true
TRAIN_ANEW = False
model = None
with waiting_for("Exercises 6.2 to 6.13"):
    if TRAIN_ANEW:
        training.forget(experiments.KEPT)
    torch.manual_seed(0)
    fresh = DecoderOnly(len(corpora.vocabulary()), 96, 4, 2, 100)
    experiments.draw_weights(fresh, initial_std, 2)
    fresh = experiments.use_your_attention(fresh)
    if not training.recall(experiments.KEPT, fresh):
        training.keep(experiments.KEPT, fresh, experiments.train(fresh))
    model = fresh

# %% [markdown]
# And now it speaks. You give it a beginning, and it draws one word after another.

# %% draw=true
# What it says, four times
with waiting_for("the training in 6.14"):
    experiments.needs(model)
    for seed in range(4):
        print(experiments.speak(model, "i read this", seed), "\n")

# %% [markdown]
# In our runs the grammar could have written most of these sentences. Look closely, and you find slips: a name that
# changes, praise and blame for the same thing. Such slips are one reason why the loss stays above the entropy.
#
# ### Explore: what the stream says
#
# Each block adds to the path. So you can stop after any of them and ask the table of words what the path says *so
# far* (nostalgebraist 2020 called this the *logit lens*). Type the beginning of a review, and look at its next
# word.
#
# 1. Before the first block the path knows one word and its place. Which words does it suggest?
# 2. Which block decides that an occupation follows *a lonely*?
# 3. End with *luckily , the plot is*, then with *sadly , the plot is*. Which block knows the difference?

# %% draw=true
# Explore: what each block adds
explorers.stream_explorer(model, unembed, "the training in 6.14")

# %% [markdown]
# ### Your model in one file
#
# With `SHARE = True` this cell writes your model as a web page, `my_model.html`, beside this notebook. The page works
# without a network, on a phone too: your model writes there, and shows its probabilities, its attention and how it
# learned. With `NAME = "Ada"`, it also says whose model it is. (To send it, right-click the file in JupyterLab's list
# and choose *Download*.)

# %% draw=true
# Your model as a page to keep or to send
SHARE, NAME = False, ""
with waiting_for("the training in 6.14"):
    experiments.needs(model)
    if SHARE:
        sharing.share(experiments.KEPT, model, NAME)
    else:
        print("SHARE is False: no page is written.")

# %% [markdown]
# **Question 6.14** · graded by hand · 8 minutes · 5 points
#
# A friend says: "Attention is the Transformer. The rest is plumbing." What would you answer? Say what attention
# alone does to its positions, what the residual path and the norms do for learning, and what the feed-forward
# network is for. Use at least two measurements from this lesson.

# %% [markdown] written="block.plumbing" points=5
# ### BEGIN SOLUTION
# **Model answer.** Attention is the only part that moves information between positions, so in that sense the friend
# is right. But stacked on its own it destroys what it moves: each layer averages over positions, and after two
# layers all ten positions had a mean cosine of 1.0; with its output added to what it had read, they stayed apart.
# The residual path keeps what no layer has changed, and gives the gradient a way back: without path and norms the
# gradient in front of the first of twelve blocks was about 10⁻¹⁴ of that in front of the last. Norms alone repaired
# the gradient's size, yet no stack without the path got below the loss that word frequencies give, in our short
# training; with the path, norms made more difference the deeper the stack was. The feed-forward network works at
# each position alone and holds two thirds of a block's parameters: it processes what attention has brought there;
# without an activation between them, its two maps would be one.
#
# **Rubric**
# - 1 point: attention alone makes positions alike (or: is only averaging).
# - 1 point: the residual path keeps what was there, or carries the gradient back.
# - 1 point: what norms do: one size for every sublayer; they help, and can't replace the path.
# - 1 point: the feed-forward network works at each position, and is where the nonlinearity is.
# - 1 point: two measurements of the lesson, used rightly.
# ### END SOLUTION

# %% [markdown]
# ## 6.15 What to remember
#
# - One table turns tokens into vectors and vectors into scores: it is tied.
# - A layer norm gives each vector mean 0 and variance 1: divide by C, and keep ε inside the root.
# - The feed-forward network works at each position alone; without its activation it would be one matrix.
# - Sublayers read the residual path and add to it. Without it, attention makes all positions alike, and even
#   shallow stacks hardly learn.
# - With the norm first, the path is a plain sum, and needs one more norm at the end.
# - `eval()` stops dropout; it doesn't stop gradients.
# - A map that writes to the path starts with smaller weights.
#
# **Sources.** Vaswani et al. 2017, *Attention is all you need*, sections 3.1, 3.3 and 3.4. He et al. 2016, *Deep residual
# learning for image recognition*. Ba, Kiros and Hinton 2016, *Layer normalization*. Hendrycks and Gimpel 2016, *Gaussian
# error linear units*. Press and Wolf 2017, *Using the output embedding to improve language models*. Srivastava et al.
# 2014, *Dropout*. Radford et al. 2019, *Language models are unsupervised multitask learners*. Xiong et al. 2020, *On layer
# normalization in the Transformer architecture*. Dong, Cordonnier and Loukas 2021, *Attention is not all you need*.
# Elhage et al. 2021, *A mathematical framework for Transformer circuits*. nostalgebraist 2020, *interpreting GPT: the
# logit lens*.
#
# Next, lesson 7 counts what you have built.
