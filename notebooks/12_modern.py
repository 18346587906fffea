# %% [markdown]
# # 12 · Since 2017
#
# - **You will learn** what has changed in the block since the paper, one step at a time, and build today's: RMS norm,
#   a gate, shared keys, turned positions, experts. Then what makes a trained model cheaper to run: one byte for each
#   weight, and drafts by a small model. Each step is measured, and some turn out to bring nothing here.
# - **You need** lessons 3, 5, 6 and 8: rotary positions, grouped heads, the block, a trained language model.
# - **Time** {minutes} minutes, in three sittings: 12.0 to 12.6, 12.7 to 12.10, 12.11 to 12.18. Two trainings take about
#   a minute and a half together on two cores.
#
# The small models of this lesson differ from those you read about by a factor of a million. What helps there needn't
# help here, and what helps here needn't help there. So every claim says where it was measured.

# %% setup=true
import math

import torch

from helpers import corpora, training
from helpers.block import DecoderOnly, unembed
from helpers.checks import case, check
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.masking import causal_mask, masked_attention
from helpers.modern import experiments, explorers, figures
from helpers.multihead import merge_heads, split_heads
from helpers.positional import rotary

torch.set_num_threads(1)  # the training has threads of its own, one a core

# %% [markdown]
# ## 12.0 Catch the slip
#
# Three short pieces on lessons 03, 05 and 08. Each is right, or has one slip in it of a kind that is easily made.

# %% recall="modern.recall_rotary"

# %% recall="modern.recall_groups"

# %% recall="modern.recall_temperature"

# %% [markdown]
# ## 12.1 RMS norm
#
# **Why.** A layer norm takes the mean away and divides by what is left. Zhang and Sennrich (2019) leave the first half
# out: only the size counts. Their models learned as well, and their norm was faster. Llama, Qwen and most models since
# have it.
#
# **Formula.** For one vector $x$ of $C$ channels:
#
# $$y_c = \frac{x_c}{\sqrt{\frac{1}{C}\sum_c x_c^2 + \varepsilon}}\; w_c$$
#
# **By hand.** $x$ = (1, 7), $w$ = 1. The squares are 1 and 49, their mean 25, its root 5. So $y$ = **(0.2, 1.4)**. A layer
# norm would have made (−1, 1) of it.
#
# **Exercise 12.1** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Divide each vector by the root of its mean square, and scale its channels.**
#
# <details><summary>Hint 1</summary>Three steps, in the order of the name read backwards: square, mean, root.</details>
# <details><summary>Hint 2</summary>Where does ε have to stand, so that a vector of zeros gives zeros?</details>
# <details><summary>The idea</summary>Your layer norm of 6.4, without the mean and without the bias.</details>


# %% exercise="modern.rms_norm"
def rms_norm(x, weight, eps=1e-6):
    """Divide each vector by the root of its mean square, then scale its channels.

    Args:
        x: (..., C).
        weight: what each channel is multiplied by, (C,).
        eps: what is added to the mean square.

    Returns:
        The normalised vectors, shaped like x.
    """
    ### BEGIN SOLUTION
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + eps) * weight
    ### END SOLUTION


# %% check="modern.rms_norm"
check("modern.rms_norm", rms_norm)

# %% [markdown]
# ## 12.2 A gate
#
# **Why.** The feed-forward network of 2017 has two maps with a ReLU between them. Shazeer (2020) tried a third: one
# map says *what*, another says *how much of it*, and the two are multiplied. "How much" is the **gate**. Where it is
# near 0 it closes, whatever the other says.
#
# **Formula.** With $\text{SiLU}(x) = x\,\sigma(x)$, also called Swish, this is **SwiGLU**:
#
# $$\text{FFN}(x) = W_\text{down}\big(\text{SiLU}(W_\text{gate}\,x) \odot W_\text{up}\,x\big)$$
#
# $\odot$ multiplies channel by channel. There are no biases: Chowdhery et al. (2022, section 2) left them out of PaLM,
# and report a more stable training of large models.
#
# **By hand.** $C$ = 1, $d_\text{ff}$ = 1, $W_\text{gate}$ = 1, $W_\text{up}$ = 2, $W_\text{down}$ = 3, $x$ = 1. The gate is
# SiLU(1) = 0.731, times 2 is 1.462, times 3 is **4.386**.
#
# Why does it help? Shazeer's paper ends: "We offer no explanation as to why these architectures seem to work; we
# attribute their success, as all else, to divine benevolence."
#
# **Exercise 12.2** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Write `forward`.** The three maps are there.
#
# <details><summary>Hint 1</summary><code>torch.nn.functional.silu</code> is the SiLU.</details>
# <details><summary>Hint 2</summary>Which of the two wide vectors goes through it, and which stays as it is?</details>
# <details><summary>The idea</summary>Two maps side by side, a product, and one map back.</details>


# %% exercise="modern.gated"
class GatedFeedForward(torch.nn.Module):
    """A feed-forward network with a gate, SwiGLU.

    Args:
        d_model: C, channels of what goes in and out.
        d_ff: channels between the maps.
    """

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_gate = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_up = torch.nn.Linear(d_model, d_ff, bias=False)
        self.W_down = torch.nn.Linear(d_ff, d_model, bias=False)

    def forward(self, x):
        """(..., T, C) to (..., T, C)."""
        ### BEGIN SOLUTION
        return self.W_down(torch.nn.functional.silu(self.W_gate(x)) * self.W_up(x))
        ### END SOLUTION


# %% check="modern.gated"
check("modern.gated", GatedFeedForward)

# %% [markdown]
# ## 12.3 As many weights as before
#
# **Why.** Three maps have half as many weights again as two. Any change looks good with 50 % more weights, so a fair
# comparison makes the network narrower: two thirds of the width, and three maps weigh what two did. Llama's code drops
# the fraction, and then goes up to a multiple of 256, which computers like.
#
# **By hand.** $d_\text{model}$ = 4,096, so the network of 2017 would be 4 · 4,096 = 16,384 wide. Two thirds are 10,922.67,
# without the fraction 10,922. The next multiple of 256 is 43 · 256 = **11,008**: the width in Llama 7B (Touvron et al.
# 2023).
#
# **Exercise 12.3** · difficulty 2 of 5 · 5 minutes · 1 point
#
# **Return two thirds of the width, without the fraction, up to the next multiple.**
#
# <details><summary>Hint 1</summary><code>//</code> drops a fraction. What does <code>-(-7 // 2)</code> give?</details>
# <details><summary>Hint 2</summary>A width that is a multiple already stays as it is.</details>
# <details><summary>The idea</summary>Down once, by thirds; up once, by multiples.</details>


# %% exercise="modern.width"
def gated_width(d_ff, multiple):
    """How wide a network with a gate is made to have as many weights as one without.

    Args:
        d_ff: width of the network without a gate, an integer.
        multiple: what the width has to be a multiple of, an integer.

    Returns:
        Two thirds of d_ff, without its fraction, up to the next multiple: an integer.
    """
    ### BEGIN SOLUTION
    return -(-(2 * d_ff // 3) // multiple) * multiple
    ### END SOLUTION


# %% check="modern.width"
check("modern.width", gated_width)

# %% [markdown]
# ## 12.4 Attention of today
#
# **Why.** Four things have changed in attention, and you have met two of them.
#
# - **Turned positions** (3.9): queries and keys are turned by their place, so scores depend on distances. Nothing is
#   added to the words any more.
# - **Shared keys** (5.14): several heads of queries share one head of keys and values. The cache, which is what fills the
#   memory while a model writes, shrinks by that factor.
# - **No biases**, as in the network.
# - **Norms of queries and keys**, in each head, before they are turned (Henry et al. 2020; Dehghani et al. 2023,
#   section 2: without them the scores of a model of billions of weights grew until the softmax was all 0 and 1, and its
#   training broke down). With them a score can't grow: with weights of 1, $|q| = |k| = \sqrt D$, so
#   $q \cdot k / \sqrt D$ is at most $\sqrt D$.
#
# **By hand.** 8 channels, 4 heads of queries, 2 of keys and values: a head has $D$ = 2 channels. $W_q$ and $W_o$ are 8 × 8,
# $W_k$ and $W_v$ only 4 × 8. Together **192** weights, where lesson 2's module has 256, and 32 biases. No score is larger
# than $\sqrt 2$ times the norms' weights.
#
# **Exercise 12.4** · difficulty 4 of 5 · 18 minutes · 5 points
#
# **Write `forward`: queries and keys normalised in each head, then turned; keys and values shared; later positions
# hidden.** `split_heads`, `merge_heads`, `rotary`, `causal_mask` and `masked_attention` of earlier lessons are there.
#
# <details><summary>Hint 1</summary>Write down the shapes: q is (B, H, T, D), k and v are (B, G, T, D) until they are shared.
# <code>masked_attention(q, k, v, mask)</code> divides by √D itself, and gives outputs and weights.</details>
# <details><summary>Hint 2</summary>Neighbouring heads share: 0 0 1 1, as in 5.14. And the norm's weight belongs to the
# features as they were before they were turned.</details>
# <details><summary>The idea</summary>Split, normalise, turn, share, attend, merge, map. The values are split and shared
# only.</details>


# %% exercise="modern.attention"
class GroupedAttention(torch.nn.Module):
    """Causal self-attention as models have it today.

    Args:
        d_model: C.
        n_heads: H, a divisor of d_model; C / H is even.
        n_groups: G, heads of keys and values, a divisor of n_heads.
    """

    def __init__(self, d_model, n_heads, n_groups):
        super().__init__()
        D = d_model // n_heads
        self.n_heads, self.n_groups = n_heads, n_groups
        self.W_q = torch.nn.Linear(d_model, n_heads * D, bias=False)
        self.W_k = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_v = torch.nn.Linear(d_model, n_groups * D, bias=False)
        self.W_o = torch.nn.Linear(d_model, d_model, bias=False)
        self.norm_q = torch.nn.Parameter(torch.ones(D))  # weights of the RMS norms
        self.norm_k = torch.nn.Parameter(torch.ones(D))

    def forward(self, x):
        """(B, T, C) to (B, T, C); no position sees a later one."""
        ### BEGIN SOLUTION
        q = rms_norm(split_heads(self.W_q(x), self.n_heads), self.norm_q)
        k = rms_norm(split_heads(self.W_k(x), self.n_groups), self.norm_k)
        v = split_heads(self.W_v(x), self.n_groups)
        places = torch.arange(x.size(-2))
        q, k = rotary(q, places), rotary(k, places)
        k, v = (shared.repeat_interleave(self.n_heads // self.n_groups, dim=-3) for shared in (k, v))
        return self.W_o(merge_heads(masked_attention(q, k, v, causal_mask(x.size(-2)))[0]))
        ### END SOLUTION


# %% check="modern.attention"
check("modern.attention", GroupedAttention)

# %% [markdown]
# ## 12.5 The block
#
# **Formula.** The norm comes first, as since GPT-2, and the path stays a plain sum:
#
# $$x' = x + \text{attention}(\text{norm}_1(x)) \qquad \text{block}(x) = x' + \text{FFN}(\text{norm}_2(x'))$$
#
# **By hand.** Let $x$ = (1, 7), and let attention give half of what it reads, the network twice. The norm makes (0.2, 1.4),
# attention adds (0.1, 0.7): (1.1, 7.7). That points the same way, so the norm makes (0.2, 1.4) again, and the network adds (0.4,
# 2.8): **(1.5, 10.5)**.
#
# **Exercise 12.5** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Write `forward`.**
#
# <details><summary>Hint 1</summary>The norms' weights are parameters, and <code>rms_norm</code> is a function that takes
# them.</details>
# <details><summary>Hint 2</summary>What does the second sublayer read: x, or what attention has made of it?</details>
# <details><summary>The idea</summary>Two lines, one for each sublayer.</details>


# %% exercise="modern.block"
class Block(torch.nn.Module):
    """Grouped attention and a feed-forward network with a gate, each behind an RMS norm.

    Args:
        d_model: C.
        n_heads: H.
        n_groups: G.
        d_ff: hidden channels of the feed-forward network.
    """

    def __init__(self, d_model, n_heads, n_groups, d_ff):
        super().__init__()
        self.attention = GroupedAttention(d_model, n_heads, n_groups)
        self.feed_forward = GatedFeedForward(d_model, d_ff)
        self.norm_1 = torch.nn.Parameter(torch.ones(d_model))
        self.norm_2 = torch.nn.Parameter(torch.ones(d_model))

    def forward(self, x):
        """(B, T, C) to (B, T, C)."""
        ### BEGIN SOLUTION
        x = x + self.attention(rms_norm(x, self.norm_1))
        return x + self.feed_forward(rms_norm(x, self.norm_2))
        ### END SOLUTION


# %% check="modern.block"
check("modern.block", Block)

# %% [markdown]
# A model around it is quickly made: words in, blocks, a norm, and the same words out, as in lesson 6. There is no table
# of positions any more.


# %%
class Model(torch.nn.Module):
    """A language model of today's blocks; words in and out are tied."""

    def __init__(self, vocabulary, d_model, n_heads, n_groups, d_ff, n_layers):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, n_groups, d_ff) for _ in range(n_layers))
        self.norm = torch.nn.Parameter(torch.ones(d_model))

    def forward(self, ids):
        """Logits (B, T, V) of tokens (B, T)."""
        x = math.sqrt(self.words.weight.size(-1)) * self.words(ids)
        for block in self.blocks:
            x = block(x)
        return unembed(rms_norm(x, self.norm), self.words.weight)


# %% [markdown]
# ## 12.6 The same block as theirs?
#
# **Why.** Qwen3 (Yang et al. 2025) has exactly these blocks. With its weights your model should say what it says. One thing
# is in the way. Your `rotary` turns *neighbours*, features $2i$ and $2i + 1$, as its paper does. The code that most
# published weights are made for turns feature $i$ with $i + D/2$ instead. The result is the same up to the order of features. So the
# *rows* of $W_q$ and $W_k$, which make those features, have to change places, within each head.
#
# **By hand.** One head, $D$ = 4, rows a, b, c, d. Pairs are (a, c) and (b, d). Side by side: **a, c, b, d**.
#
# **Exercise 12.6** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Reorder the rows, so that each head's pairs (i, i + D/2) become neighbours (2i, 2i + 1).**
#
# <details><summary>Hint 1</summary>Rows H·D are heads, halves and pairs: three axes in one. Which <code>view</code> shows
# them?</details>
# <details><summary>Hint 2</summary>Try six rows numbered 0 to 5, one head: 0 3 1 4 2 5 should come out. With four rows
# the way there and the way back are the same, and a slip doesn't show.</details>
# <details><summary>The idea</summary>Swap the axis of halves with that of pairs.</details>


# %% exercise="modern.interleaved"
def interleaved(weight, n_heads):
    """Reorder the rows of a map of queries or keys: pairs (i, i + D/2) of each head become (2i, 2i + 1).

    Args:
        weight: (H·D, C), D rows for each head.
        n_heads: H.

    Returns:
        (H·D, C).
    """
    ### BEGIN SOLUTION
    rows, C = weight.shape
    halves = weight.view(n_heads, 2, rows // n_heads // 2, C)  # head, half, pair
    return halves.transpose(1, 2).reshape(rows, C)
    ### END SOLUTION


# %% check="modern.interleaved"
check("modern.interleaved", interleaved)

# %% [markdown]
# Here is a small Qwen3 of the *transformers* library, with random weights. Your model gets the same, and both read the
# same tokens. Without the new order of rows it would be another model:

# %% draw=true
with waiting_for("Exercises 12.1 to 12.6"), torch.no_grad():
    theirs = experiments.small_qwen3(50, 24, 6, 2, 40, 2)
    yours = Model(50, 24, 6, 2, 40, 2)
    some = torch.randint(50, (2, 12), generator=torch.Generator().manual_seed(0))
    orders = {"rows reordered by you": interleaved, "rows as they were": lambda weight, n_heads: weight}
    for name, order in orders.items():
        yours.load_state_dict(experiments.from_qwen3(theirs.state_dict(), 2, order))
        apart = (yours(some) - theirs(some).logits).abs().max()
        print(f"{name}: largest difference of the logits {apart:.1e}")

# %% [markdown]
# A good place for a break.
#
# ## 12.7 Does it learn better?
#
# Two models of one size: lesson 6's, and yours. What yours saves on keys, values, positions and biases goes into its
# network. Both read the same reviews in the same order.

# %% draw=true
TRAIN_ANEW = False
models, learned = {}, {}
with waiting_for("Exercises 12.1 to 12.5"):
    torch.manual_seed(0)
    V = len(corpora.vocabulary())
    fresh = {"block of 2019": DecoderOnly(V, 96, 4, 2, 100), "block of today": Model(V, 96, 4, 2, 308, 2)}
    for name, each in fresh.items():
        each(torch.zeros(1, 2, dtype=torch.long))  # are all parts there?
        print(f"{name}: {sum(weight.numel() for weight in each.parameters()):,} weights")
        experiments.draw_weights(each)
    if TRAIN_ANEW or not all(training.recall(f"modern {name}", each) for name, each in fresh.items()):
        learned = experiments.learn(fresh)
        for name, each in fresh.items():
            training.keep(f"modern {name}", each)
    models = fresh
    for name, loss in experiments.held_out(models).items():
        print(f"{name}: {loss:.3f} nats per token; the entropy is {corpora.entropy_per_token():.3f}")

# %% [markdown]
# With us the older block ended at 1.279 and today's at 1.283 (one seed): no difference worth a word. Earlier on,
# today's was ahead: after 200 steps of a shorter training 1.86 to 1.99 (one seed, too). Small models on an easy language
# leave little to gain.
#
# One run of two models can't tell what each change does. For that there is a **ladder**: each rung is the one before with a single
# change, as many weights, the best of three learning rates, and three seeds. It takes an hour, so it was measured
# beforehand, by `python -m benchmarks.training_modern`.

# %% predict="modern.worth"

# %% draw=true
with waiting_for("your prediction"), after_predicting("modern.worth"):
    show(figures.ladder())
    figures.show_table(figures.ladder_table())

# %% [markdown]
# Two changes help beyond doubt. **Norm first** takes 0.19 nats per token off (95 % interval 0.03 to 0.35), and stands ten times the
# learning rate. **Rotary positions** take off 0.033 (0.025 to 0.040). To leave out the biases costs a little, 0.004 (0.002 to
# 0.006). Of all others the interval contains 0: with three seeds nobody can say whether they help or harm a model of this size.
#
# Now look at time. Each change since rotary positions makes a step slower on this processor. An RMS norm does less than a layer norm and
# takes longer, since torch has layer norm as one fused operation here; so do norms of queries and keys, 7 % of a step. A mixture of
# experts does half of its network's work, and a step takes 7 % *more*: many small products are slower than a few large ones. At
# equal time the best rung is the one without biases, and none of the four after it catches up.
#
# (The rates tried were 0.003, 0.01 and 0.03. Several rungs took the highest, so a higher one might do still better.)
#
# **Question 12.7** · graded by hand · 10 minutes · 5 points
#
# You build a language model for a small computer, about as large as those of the ladder. Which of the changes would you take, and
# which not? Use the table: name at least one change whose interval doesn't contain 0, one whose interval does, and one
# that loses at equal time what it wins at equal steps, or the other way round. Then say why the makers of models a million
# times as large may decide otherwise, with one reason from this lesson.

# %% [markdown] written="modern.which_steps" points=5
# ### BEGIN SOLUTION
# **Model answer.** I would put the norm first (0.19 nats per token better, interval 0.03 to 0.35) and take rotary positions (0.033
# better, 0.025 to 0.040); both keep their lead at equal time. The gate's interval, −0.029 to +0.018, contains 0: three seeds
# can't say whether it helps, so I would leave it out as long as nothing else speaks for it. The same holds for RMS norm, grouped
# heads and query-key norm. The experts with as much work are level with the rung above at equal steps (1.281 to 1.294) and lose at equal
# time, 1.320 to 1.302 of the model before experts, since a step takes 1.54 times as long. Makers of large models decide by what
# isn't in this table: grouped heads halve the cache, which fills their memory; norms of queries and keys keep the
# training of 22 billion parameters from breaking down; on their processors RMS norm and experts have kernels of their own.
#
# **Rubric**
# - 1 point: a change that helps, with its interval.
# - 1 point: a change of which the table can't say whether it helps, and why (the interval contains 0).
# - 1 point: equal steps and equal time told apart, with an example from the table.
# - 1 point: a decision that follows from these.
# - 1 point: a reason why large models differ (the cache's size, stability, fast kernels), taken from the lesson.
# ### END SOLUTION

# %% [markdown]
# ## 12.8 Experts: the router
#
# **Why.** More weights know more, and cost more at each token. A **mixture of experts** (Shazeer et al. 2017) has several
# networks, the experts, and gives each token to a few of them. Mixtral (Jiang et al. 2024) has eight, and takes two: a token meets
# 13 of its 47 billion weights. Who reads what is decided by a **router**, a map to one score for each expert.
#
# **Formula.** For scores $s$, and the set $K$ of the $k$ best:
#
# $$g_e = \frac{e^{s_e}}{\sum_{i \in K} e^{s_i}} \text{ for } e \in K, \quad 0 \text{ for all others}$$
#
# **By hand.** Scores (2, 1, 0, 1.5), $k$ = 2. The best are 2 and 1.5. Their shares: $1/(1 + e^{-0.5})$ = 0.622 and 0.378. So the
# gates are **(0.622, 0, 0, 0.378)**.
#
# **Exercise 12.8** · difficulty 3 of 5 · 8 minutes · 3 points
#
# **Return each expert's gate: a softmax over the k best, 0 for the others.**
#
# <details><summary>Hint 1</summary><code>topk</code> gives the best scores and their places. <code>scatter</code> puts
# values at places.</details>
# <details><summary>Hint 2</summary>There is a way without places, too: what has to stand where no weight shall be, before a
# softmax? You have done that in lesson 4.</details>
# <details><summary>The idea</summary>Shares among those that were chosen; nothing for the rest.</details>


# %% exercise="modern.gates"
def gates(logits, k):
    """How much each expert counts for each token.

    Args:
        logits: the router's scores, (..., E).
        k: how many experts a token is given to.

    Returns:
        (..., E): a softmax over the k best of each row, 0 for the others.
    """
    ### BEGIN SOLUTION
    best, places = logits.topk(k, dim=-1)
    return torch.zeros_like(logits).scatter(-1, places, best.softmax(dim=-1))
    ### END SOLUTION


# %% check="modern.gates"
check("modern.gates", gates)

# %% [markdown]
# ## 12.9 Experts: the work
#
# **Why.** What is saved is saved here: an expert reads *its* tokens, and no others. To compute all experts for all tokens and
# multiply most of it by 0 would be right, and four times the work.
#
# **By hand.** One token, $x$ = 3, gates (0.75, 0, 0.25). The first expert doubles, the third negates. 0.75 · 6 + 0.25 ·
# (−3) = **3.75**. The second isn't asked.
#
# **Exercise 12.9** · difficulty 4 of 5 · 14 minutes · 4 points
#
# **Give each expert the tokens whose gate for it isn't 0, and only those. Add up what the experts say, each times its
# gate.** Some experts of the check can't read others' tokens: they say NaN.
#
# <details><summary>Hint 1</summary><code>gates[:, e] &gt; 0</code> says which rows are expert e's. A tensor can be indexed with it, and
# written to as well.</details>
# <details><summary>Hint 2</summary>A token has several experts: the second one's word is added to the first one's.</details>
# <details><summary>The idea</summary>A loop over experts; in it, pick rows, ask, weigh, add to those rows.</details>


# %% exercise="modern.mixture"
def mixture(x, gates, experts):
    """Give each token to its experts alone, and add up what they say, each times its gate.

    Args:
        x: tokens' vectors, (N, C).
        gates: (N, E), 0 where a token isn't given to an expert.
        experts: a list of E functions from (n, C) to (n, C).

    Returns:
        (N, C).
    """
    ### BEGIN SOLUTION
    output = torch.zeros_like(x)
    for number, expert in enumerate(experts):
        mine = gates[:, number] > 0
        output[mine] = output[mine] + gates[mine, number, None] * expert(x[mine])
    return output
    ### END SOLUTION


# %% check="modern.mixture"
check("modern.mixture", mixture)

# %% [markdown]
# ## 12.10 Experts: a balance
#
# **Why.** An expert that gets more tokens learns more, does better, and gets more tokens. In the end a few do everything, and
# the other weights are there for nothing. So the router pays for imbalance (Fedus, Zoph and Shazeer 2022, section 2.2).
#
# **Formula.** $f_e$ is expert $e$'s share of all $N \cdot k$ places, $P_e$ the mean over the tokens of its probability, from a softmax over
# *all* experts:
#
# $$\text{loss} = E \sum_e f_e P_e$$
#
# $f$ is counted, so it has no gradient. $P$ has one: it makes those experts less probable that got much.
#
# **By hand.** Two experts, $k$ = 1. Two tokens, both with the probabilities 0.8 and 0.2. Both go to the first: $f$ = (1, 0), $P$ =
# (0.8, 0.2), the loss is 2 · (1 · 0.8 + 0 · 0.2) = **1.6**. In perfect balance it is 1.
#
# **Exercise 12.10** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return E times the sum, over the experts, of share times mean probability.**
#
# <details><summary>Hint 1</summary>From the places of <code>topk</code>: how often does each expert occur?
# <code>scatter</code> or <code>one_hot</code> makes ones of places, to be summed.</details>
# <details><summary>Hint 2</summary>The shares have to sum to 1, and each token was counted k times.</details>
# <details><summary>The idea</summary>Two vectors of E numbers, and their dot product.</details>


# %% exercise="modern.balance"
def balance_loss(logits, k):
    """What a router pays for sending too much to the same experts.

    Args:
        logits: the router's scores of N tokens, (N, E).
        k: how many experts a token is given to.

    Returns:
        E · Σ share of the places · mean probability, a tensor of one number.
    """
    ### BEGIN SOLUTION
    N, E = logits.shape
    counts = torch.zeros_like(logits).scatter(-1, logits.topk(k, dim=-1).indices, 1.0)
    return E * (counts.sum(dim=0) / (N * k) * logits.softmax(dim=-1).mean(dim=0)).sum()
    ### END SOLUTION


# %% check="modern.balance"
check("modern.balance", balance_loss)

# %% [markdown]
# A small model whose network is a mixture of six experts learns for a few seconds, without your loss and with it.

# %% predict="modern.crowd"

# %% draw=true
with waiting_for("Exercises 12.8 to 12.10"), after_predicting("modern.crowd"):
    show(figures.crowds(experiments.crowded(gates, mixture, balance_loss, (0.0, 0.02))))

# %% [markdown]
# Each line is an expert's share of the tokens. With us, without the balance loss, the busiest got 32 % of the tokens and the
# idlest 10 % in the last step; with it, 20 % and 13 %. The model's own loss hardly differed, 2.54 and 2.52. (One seed.) What balance
# buys isn't seen in so small a model: where each expert sits on a computer of its own, the busiest one is what all others
# wait for.
#
# A good place for a break.
#
# ## 12.11 One byte for each weight
#
# **Why.** Once a model is trained, who runs it wants it small. A weight is a number of four bytes, and most of their digits
# hardly matter. **Quantisation** keeps a whole number from −127 to 127, one byte, and one scale for each row of the map.
#
# **Formula.** For a row $w$ (Dettmers et al. 2022, section 2.1, row by row):
#
# $$s = \frac{\max |w|}{127} \qquad n_i = \text{round}\left(\frac{w_i}{s}\right) \qquad w_i \approx s\,n_i$$
#
# **By hand.** The row (0.5, −1.27, 0.004): its largest size is 1.27, so $s$ = 0.01. The whole numbers are **(50, −127, 0)**. The
# last weight is lost.
#
# **Exercise 12.11** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return the whole numbers, as `torch.int8`, and the scales, one for each row.** A row of zeros gets the scale 1.
#
# <details><summary>Hint 1</summary>The largest <em>size</em> of a row, with its axis kept, so that rows are divided by their
# own.</details>
# <details><summary>Hint 2</summary><code>.to(torch.int8)</code> cuts fractions off. What comes before it?</details>
# <details><summary>The idea</summary>The largest weight of a row becomes ±127, all others what they are beside it.</details>


# %% exercise="modern.quantized"
def quantized(weight):
    """A map in one byte a weight: whole numbers from -127 to 127, and a scale for each row.

    Args:
        weight: (out, in).

    Returns:
        The whole numbers, int8, (out, in), and the scales, (out, 1). A row of zeros has the scale 1.
    """
    ### BEGIN SOLUTION
    largest = weight.abs().amax(dim=-1, keepdim=True)
    scales = torch.where(largest > 0, largest / 127, 1.0)
    return (weight / scales).round().to(torch.int8), scales
    ### END SOLUTION


# %% check="modern.quantized"
check("modern.quantized", quantized)

# %% [markdown]
# Give each weight fewer bits than eight. Then let one weight of row 2 grow: whom does it harm? And whom, if all rows share one scale?

# %% draw=true
explorers.bits_explorer(quantized, "Exercise 12.11")

# %% [markdown]
# An outlier spoils its row: all others are rounded to its grid. With one scale for the whole map it spoils them all. In large models
# such outliers are the main trouble (Dettmers et al. 2022 keep them apart, in 16 bits).

# %% [markdown]
# ## 12.12 Through a map of bytes
#
# **By hand.** $x$ = (1, 2), the row (50, −127) with the scale 0.01: 50 − 254 = −204, times 0.01 is **−2.04**.
#
# **Exercise 12.12** · difficulty 2 of 5 · 5 minutes · 1 point
#
# **Send x through a map that was `quantized`.**
#
# <details><summary>Hint 1</summary>Numbers times scales, and you have a weight again.</details>
# <details><summary>Hint 2</summary>A map (out, in) takes x by its transpose.</details>
# <details><summary>The idea</summary>A row's scale can be applied before the product, or to what comes out.</details>


# %% exercise="modern.quantized_linear"
def quantized_linear(x, whole, scales):
    """Send x through a map that was `quantized`.

    Args:
        x: (..., in).
        whole: int8, (out, in).
        scales: (out, 1).

    Returns:
        (..., out).
    """
    ### BEGIN SOLUTION
    return x @ (whole * scales).T
    ### END SOLUTION


# %% check="modern.quantized_linear"
check("modern.quantized_linear", quantized_linear)

# %% [markdown]
# Now all maps of the trained model, and its words, with 8 bits, and with fewer.

# %% predict="modern.bits"

# %% draw=true
with waiting_for("Exercise 12.11, and the training in 12.7"), after_predicting("modern.bits"):
    trained = models.get("block of today")
    experiments.needs(trained)
    show(figures.bits(experiments.losses_by_bits(trained, quantized)))

# %% [markdown]
# With us, 8 bits changed the loss by less than 0.0001, 4 bits by 0.008, 3 bits by 0.063, and 2 bits gave a model that knows next
# to nothing (one model). So the 32 bits of a weight are needed for *learning*, where many tiny steps add up. For running, a
# quarter or an eighth of them does.

# %% [markdown]
# ## 12.13 Drafts
#
# **Why.** A model writes one token at a time, and for each one all weights have to be read from memory. To *judge* five tokens takes
# hardly longer than to write one: they go through together, as in training. So let a small model draft a few tokens,
# and the large one judge them at once. That is **speculative decoding** (Leviathan, Kalman and Matias 2023; Chen et al. 2023).
#
# The rule has to be such that the text is *exactly* as probable as if the large model had written it alone. A token $x$, drawn from the
# small model's $q$, where the large one has $p$, is kept with the probability
#
# $$\min\left(1, \frac{p(x)}{q(x)}\right)$$
#
# The first one that is turned down takes all later ones with it: they were drafted for a text that isn't written.
#
# **By hand.** Three drafts, with $p/q$ = 0.5, 2 and 0.1, and the chances 0.4, 0.9 and 0.3. The first is kept (0.4 is below 0.5), the second is (0.9
# is below 2), the third isn't. **Two** stay.
#
# **Exercise 12.13** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return how many of the drafted tokens stay: those before the first that is turned down.**
#
# <details><summary>Hint 1</summary><code>target[places, drafted]</code> takes one number of each row.</details>
# <details><summary>Hint 2</summary>Kept, kept, turned down, kept: two stay, not three. What does <code>cumprod</code> make of 1 1 0 1?</details>
# <details><summary>The idea</summary>Compare chances with ratios, then count up to the first no.</details>


# %% exercise="modern.accepted"
def accepted(target, draft, drafted, chances):
    """How many of the drafted tokens stay: those before the first that is turned down.

    Args:
        target: the large model's probabilities at each of K places, (K, V).
        draft: the small model's, from which the tokens were drawn, (K, V).
        drafted: the tokens, integers, (K,).
        chances: drawn evenly from 0 to 1, (K,). A token is kept if its chance is below target / draft.

    Returns:
        From 0 to K, an integer.
    """
    ### BEGIN SOLUTION
    places = torch.arange(len(drafted))
    kept = chances < target[places, drafted] / draft[places, drafted]
    return int(kept.long().cumprod(dim=0).sum())
    ### END SOLUTION


# %% check="modern.accepted"
check("modern.accepted", accepted)

# %% [markdown]
# ## 12.14 What to draw instead
#
# **Why.** Where a draft is turned down, another token has to be written in its place. Not one of the large model's distribution: part
# of that was written already, by the drafts that were kept. Token $x$ is drafted and kept with the probability $\min(p(x), q(x))$. What is
# missing from $p(x)$ is
#
# $$\max(0,\; p(x) - q(x)) \quad \text{made to sum to 1.}$$
#
# **By hand.** $p$ = (0.5, 0.4, 0.1), $q$ = (0.1, 0.2, 0.7). Missing are 0.4, 0.2 and nothing: **(2/3, 1/3, 0)**.
#
# **Exercise 12.14** · difficulty 3 of 5 · 8 minutes · 2 points
#
# **Return what to draw from where a draft was turned down.**
#
# <details><summary>Hint 1</summary>A token of which the small model has too much is never drawn here.</details>
# <details><summary>Hint 2</summary>The differences above 0: what do they sum to?</details>
# <details><summary>The idea</summary>The part of p that sticks out above q.</details>


# %% exercise="modern.adjusted"
def adjusted(target, draft):
    """What to draw from where a drafted token was turned down.

    Args:
        target: the large model's probabilities, (V,).
        draft: the small model's, (V,), others than the target's.

    Returns:
        Probabilities, (V,).
    """
    ### BEGIN SOLUTION
    more = (target - draft).clamp(min=0)
    return more / more.sum()
    ### END SOLUTION


# %% check="modern.adjusted"
check("modern.adjusted", adjusted)

# %% [markdown]
# Is it exact? The trained model is the large one. The small one is the crudest there is: a table of which word follows which. Both
# say what may come next; the table drafts one word, the model judges it, 4,000 times.

# %% predict="modern.judged"

# %% draw=true
with waiting_for("Exercises 12.13 and 12.14, and the training in 12.7"), after_predicting("modern.judged"):
    trained = models.get("block of today")
    experiments.needs(trained)
    text = "i read this mystery by julia whitfield in march . it is about irene , a"
    target, draft = experiments.next_words(trained, text)
    shares = experiments.drawn_by_drafts(target, draft, accepted, adjusted, 4_000, seed=0)
    show(figures.judged(target, draft, shares, 4_000))

# %% [markdown]
# The third bars follow the first, up to the chance of 4,000 draws, though every word came from the second or was drawn instead. No
# approximation is in it.

# %% [markdown]
# ## 12.15 Tokens for each call
#
# **Formula.** Say each draft is kept with probability $a$, by chance. With $K$ drafts, one call of the large model brings, on average,
#
# $$1 + a + a^2 + \dots + a^K$$
#
# tokens: the $n$-th draft counts only if all $n$ were kept. And 1, since the call adds a token of its own in any case: the one drawn
# instead, or, where all were kept, one more.
#
# **By hand.** $a$ = 0.8, $K$ = 4: 1 + 0.8 + 0.64 + 0.512 + 0.4096 = **3.36**.
#
# **Exercise 12.15** · difficulty 2 of 5 · 5 minutes · 1 point
#
# **Return the average number of tokens for each call.**
#
# <details><summary>Hint 1</summary>A sum of K + 1 powers.</details>
# <details><summary>Hint 2</summary>There is a closed formula. What does it do at a = 1?</details>
# <details><summary>The idea</summary>Add up the probabilities that at least n drafts are kept.</details>


# %% exercise="modern.tokens"
def tokens_per_call(share, drafted):
    """How many tokens one call of the large model brings on average.

    Args:
        share: the probability that a draft is kept, from 0 to 1.
        drafted: K, how many are drafted.

    Returns:
        1 + share + ... + share^K.
    """
    ### BEGIN SOLUTION
    return math.fsum(share**kept for kept in range(drafted + 1))
    ### END SOLUTION


# %% check="modern.tokens"
check("modern.tokens", tokens_per_call)

# %% [markdown]
# Make the two models more alike, and draft more at once. Which of the two brings more?

# %% draw=true
explorers.draft_explorer(adjusted, tokens_per_call, "Exercises 12.14 and 12.15")

# %% [markdown]
# And in earnest: twelve reviews, written by your trained model with drafts by the table.

# %% draw=true
with waiting_for("Exercises 12.13 to 12.15, and the training in 12.7"):
    trained = models.get("block of today")
    experiments.needs(trained)
    found = {
        drafts: [experiments.speculate(trained, accepted, adjusted, drafts, seed) for seed in range(12)]
        for drafts in (0, 1, 2, 4, 8)
    }
    opening = len(corpora.vocabulary().batch([experiments.OPENING], eos=False)[0])
    figures.show_table(figures.written_table(found, opening, tokens_per_call))
    print(corpora.vocabulary().decode(found[4][0].ids))

# %% [markdown]
# Half as many calls, from a table that knows one word of the past. More drafts bring ever less, since the later ones are seldom
# reached. (The last column takes one chance for all drafts, the one that fits how many were kept. Real drafts aren't alike: some words
# are easy, some hard.) What it saves depends on the machine: here a call with five tokens took about as long as one with a single
# token, so half the calls was half the time.

# %% [markdown]
# ## 12.16 What stays the same
#
# **Exercise 12.16** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **A model is trained. Say for each step what it does to the texts that the model writes.**
#
# <details><summary>Hint 1</summary>Does the step change any number that the softmax sees? By rounding alone?</details>
# <details><summary>Hint 2</summary>Where weights are missing, or are shared that weren't: who could know their values?</details>
# <details><summary>The idea</summary>Three steps do the same work in another way, one rounds, two need another
# training.</details>

# %% exercise="modern.same"
same = {
    "keeping keys and values in a cache": ...,
    "speculative decoding": ...,
    "reordering rows of W_q and W_k, and turning neighbours": ...,
    "one byte for each weight": ...,
    "a feed-forward network with a gate for one without": ...,
    "half as many heads of keys and values": ...,
}
### BEGIN SOLUTION
same = {
    "keeping keys and values in a cache": "exactly the same distribution",
    "speculative decoding": "exactly the same distribution",
    "reordering rows of W_q and W_k, and turning neighbours": "exactly the same distribution",
    "one byte for each weight": "nearly the same",
    "a feed-forward network with a gate for one without": "another model, to be trained as such",
    "half as many heads of keys and values": "another model, to be trained as such",
}
### END SOLUTION

# %% check="modern.same"
check("modern.same", same)

# %% [markdown]
# ## 12.17 For a friend who pays
#
# **Question 12.17** · graded by hand · 10 minutes · 5 points
#
# A friend runs a chat service and says: "Our model answers too slowly, and its computers cost too much. I have read of grouped heads,
# int8, speculative decoding and experts. Which shall I switch on tonight?" Answer in a short letter. Say of each of the four what it
# saves (memory, work, or waiting), whether it changes the answers, and whether it can be done to the model as it is. Use two numbers
# that you measured.

# %% [markdown] written="modern.letter" points=5
# ### BEGIN SOLUTION
# **Model answer.** Tonight: int8 and speculative decoding, since both work on the model as it is. One byte for each weight makes the
# maps a quarter of their size in memory, and answers change a little: here 8 bits moved the loss by less than 0.0001 nats per token,
# 4 bits by 0.008. Speculative decoding saves waiting, not work: the small model's drafts are extra, and those turned down
# are for nothing. But the answers are exactly as probable as before; in 4,000 trials the words came out as the large model has them. Here a
# table of word pairs halved the calls, 1.9 tokens for each; a small model that is more like the large one brings more.
# Grouped heads shrink the cache by the factor of heads that share, and thereby memory for many users at once, but that is another
# model: it has to be trained so, or at least trained on after merging heads. Experts save work for each token at a given number
# of weights; the memory for all of them is still needed. That, too, is another model.
#
# **Rubric**
# - 1 point: int8: memory, nearly the same answers, can be done to the model as it is.
# - 1 point: speculative decoding: waiting (fewer calls one after another), exactly the same distribution, as it is, needs a small
#   model.
# - 1 point: grouped heads: the cache's memory; another model.
# - 1 point: experts: work for each token, not memory; another model.
# - 1 point: two numbers measured in the lesson, used rightly.
# ### END SOLUTION

# %% [markdown]
# ## 12.18 What to take along
#
# - An RMS norm is a layer norm without the mean. A gate is a third map that multiplies; two thirds of the width keep the weights equal.
# - Attention of today turns queries and keys by place, normalises them first, and shares keys among heads. Two conventions of
#   turning differ by the order of rows, and nothing else.
# - A single run shows little. A ladder shows what each change does: same weights, same tokens, tuned rates, several seeds, and time.
# - Experts: few of many weights for each token. The router chooses, and pays for imbalance.
# - One byte a weight is enough for running, not for learning. A scale for each row keeps outliers' harm in their row.
# - Drafts are judged in one call, and the texts are exactly those of the large model.
#
# **Sources.** Zhang and Sennrich 2019, *Root mean square layer normalization*. Shazeer 2020, *GLU variants improve
# Transformer*. Su et al. 2021, *RoFormer*. Ainslie et al. 2023, *GQA*. Henry et al. 2020, *Query-key normalization for
# Transformers*. Dehghani et al. 2023, *Scaling vision Transformers to 22 billion parameters*. Chowdhery et al. 2022,
# *PaLM*. Touvron et al. 2023, *LLaMA*. Yang et al. 2025, *Qwen3 technical report*. Shazeer et al. 2017, *Outrageously
# large neural networks*. Fedus, Zoph and Shazeer 2022, *Switch Transformers*. Jiang et al. 2024, *Mixtral of experts*.
# Dettmers et al. 2022, *LLM.int8()*. Leviathan, Kalman and Matias 2023, *Fast inference from Transformers via speculative
# decoding*. Chen et al. 2023, *Accelerating large language model decoding with speculative sampling*.
#
# That was the last lesson. You have built every part of the paper's figure 1, and every part of the models that came
# after it.
