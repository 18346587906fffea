# %% [markdown]
# # 12 · Since 2017
#
# - **You will learn** what has changed in the block since the paper, one step at a time, and build today's
#   block: RMS norm, a gate, shared keys, rotary positions, experts. Then you make a trained model cheaper to
#   run: with one byte per weight, and with drafts by a small model. Each step is measured, and some bring
#   nothing here.
# - **You need** lessons 3, 5, 6 and 8: rotary positions, grouped heads, the block, a trained language model.
# - **Time** {minutes} minutes, in three sittings: 12.0 to 12.6, 12.7 to 12.10, 12.11 to 12.18. Two trainings
#   take about a minute together on two cores.
#
# The models of this lesson are a million times smaller than those you read about. What helps there needn't
# help here, and vice versa. So every claim says where it was measured.

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
from helpers.modern import drawings, experiments, explorers, figures, rungs
from helpers.multihead import merge_heads, split_heads
from helpers.positional import rotary

torch.set_num_threads(1)  # the training has threads of its own, one a core

# %% [markdown]
# ## 12.0 Catch the slip
#
# Three short pieces on lessons 3, 5 and 8. Each is right, or has one slip that is easy to make.

# %% recall="modern.recall_rotary"

# %% recall="modern.recall_groups"

# %% recall="modern.recall_temperature"

# %% [markdown]
# ## 12.1 RMS norm
#
# **Why.** A layer norm subtracts the mean and divides by the standard deviation. Zhang and Sennrich (2019)
# leave out the mean and only rescale. Their models learned just as well, and their norm was faster. Llama and
# Qwen use it, as do many others.
#
# **Formula.** For one vector $x$ of $C$ channels:
#
# $$y_c = \frac{x_c}{\sqrt{\frac{1}{C}\sum_c x_c^2 + \varepsilon}}\; w_c$$
#
# **By hand.** $x$ = (1, 7), $w$ = 1. The squares are 1 and 49, their mean 25, its root 5. So $y$ = **(0.2, 1.4)**.
# A layer norm would have given (−1, 1).
#
# **Exercise 12.1** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Divide each vector by the root of its mean square, and scale its channels.**
#
# <details><summary>Hint 1</summary>Read the name backwards: which three steps does it name?</details>
# <details><summary>Hint 2</summary>Where must ε go, so that a vector of zeros gives zeros?</details>
# <details><summary>The idea</summary>Your layer norm of 6.4, without the mean and without the bias.</details>


# %% exercise="modern.rms_norm"
def rms_norm(x, weight, eps=1e-6):
    """Divide each vector by the root of its
    mean square, then scale its channels.

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
# **Why.** The feed-forward network of 2017 has two maps with a ReLU between them. Shazeer (2020) added a
# third: one map says *what*, the other *how much of it*, and the two are multiplied. "How much" is the
# **gate**. Where it is near 0, nothing passes, whatever the other map says.
#
# **Formula.** With $\text{SiLU}(x) = x\,\sigma(x)$, also called Swish, this is **SwiGLU**:
#
# $$\text{FFN}(x) = W_\text{down}\big(\text{SiLU}(W_\text{gate}\,x) \odot W_\text{up}\,x\big)$$
#
# $\odot$ multiplies channel by channel. There are no biases: Chowdhery et al. (2022, section 2) left them out of
# PaLM, and report that large models trained more stably.
#
# **By hand.** $C$ = 1, $d_\text{ff}$ = 1, $W_\text{gate}$ = 1, $W_\text{up}$ = 2, $W_\text{down}$ = 3, $x$ = 1. The gate is
# SiLU(1) = 0.731, times 2 is 1.462, times 3 is **4.386**.
#
# Why does it help? Shazeer's paper ends: "We offer no explanation as to why these architectures seem to work; we
# attribute their success, as all else, to divine benevolence."

# %% draw=true
# The two ways through the network
show(drawings.gate())

# %% [markdown]
# **Exercise 12.2** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Write `forward`: the gate times the other map, and back to C channels.** The three maps are given.
#
# <details><summary>Hint 1</summary>SiLU is <code>torch.nn.functional.silu</code>. Which of the two wide vectors
# goes through it?</details>
# <details><summary>Hint 2</summary>How many channels does the product have, and which map leads
# back?</details>
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
# **Why.** Three maps have 50 % more weights than two, and with 50 % more weights any change may look good. So
# a fair comparison makes the network narrower: at two thirds of the width, three maps have as many weights as
# two had. Llama's code rounds that down to an integer, and then up to a multiple of 256.
#
# **By hand.** $d_\text{model}$ = 4,096, so the network of 2017 would be 4 · 4,096 = 16,384 wide. Two thirds are
# 10,922.67, rounded down 10,922. The next multiple of 256 is 43 · 256 = **11,008**: the width in Llama 7B (Touvron
# et al. 2023).
#
# **Exercise 12.3** · difficulty 2 of 5 · 5 minutes · 1 point
#
# **Return two thirds of the width, rounded down, then up to the next multiple.**
#
# <details><summary>Hint 1</summary><code>//</code> drops a fraction. What does <code>-(-7 // 2)</code> give?</details>
# <details><summary>Hint 2</summary>What should happen to a width that is a multiple already?</details>
# <details><summary>The idea</summary>Round down once, after taking two thirds; then round up to a
# multiple.</details>


# %% exercise="modern.width"
def gated_width(d_ff, multiple):
    """How wide a network with a gate is made
    to have as many weights as one without.

    Args:
        d_ff: width of the network without a gate, an integer.
        multiple: what the width has to be a multiple of, an integer.

    Returns:
        Two thirds of d_ff, without its fraction, up to the next
        multiple: an integer.
    """
    ### BEGIN SOLUTION
    return -(-(2 * d_ff // 3) // multiple) * multiple
    ### END SOLUTION


# %% check="modern.width"
check("modern.width", gated_width)

# %% [markdown]
# ## 12.4 Attention today
#
# **Why.** Four things have changed in attention, and you know two of them.
#
# - **Rotary positions**, or RoPE (3.8): queries and keys are turned according to their place, so scores depend
#   on distances. Nothing is added to the embeddings any more.
# - **Shared keys**, or grouped-query attention (5.14): several heads of queries share one head of keys and
#   values, and the cache shrinks by that factor.
# - **No biases**, as in the feed-forward network.
# - **Norms of queries and keys**, in each head, before they are turned (Henry et al. 2020; Dehghani et al. 2023,
#   section 2: without them, the scores in a model of billions of weights grew until the softmax was nearly all 0
#   and 1, and training broke down). With them a score is bounded: with weights of 1, $|q| = |k| = \sqrt D$, so
#   $q \cdot k / \sqrt D$ is at most $\sqrt D$.
#
# **By hand.** 8 channels, 4 heads of queries, 2 of keys and values: a head has $D$ = 2 channels. $W_q$ and
# $W_o$ are 8 × 8, $W_k$ and $W_v$ only 4 × 8. Together **192** weights, where lesson 2's module has 256, plus
# 32 biases. With norm weights of 1, no score can exceed $\sqrt 2$.

# %% draw=true
# Four heads of queries, two of keys and values
show(drawings.grouped_heads())

# %% [markdown]
# **Exercise 12.4** · difficulty 4 of 5 · 18 minutes · 5 points
#
# **Write `forward`: queries and keys normalised in each head, then turned; keys and values shared; later positions
# hidden.** `split_heads`, `merge_heads`, `rotary`, `causal_mask` and `masked_attention` come from earlier lessons.
#
# <details><summary>Hint 1</summary>q is (B, H, T, D). Which shapes have k and v before and after they are shared?
# (<code>masked_attention(q, k, v, mask)</code> divides by √D itself, and returns outputs and weights.)</details>
# <details><summary>Hint 2</summary>Which heads share, as in 5.14: 0 0 1 1 or 0 1 0 1?</details>
# <details><summary>The idea</summary>Split, normalise, turn, share, attend, merge, map. Values are only split and
# shared.</details>


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
        mask = causal_mask(x.size(-2)).to(x.device)
        return self.W_o(merge_heads(masked_attention(q, k, v, mask)[0]))
        ### END SOLUTION


# %% check="modern.attention"
check("modern.attention", GroupedAttention)

# %% [markdown]
# ## 12.5 The block
#
# **Formula.** The norm comes first, as in GPT-2, and the residual path stays a plain sum:
#
# $$x' = x + \text{attention}(\text{norm}_1(x)) \qquad \text{block}(x) = x' + \text{FFN}(\text{norm}_2(x'))$$
#
# **By hand.** Let $x$ = (1, 7), and say attention halves what it reads, and the network doubles it. The norm
# gives (0.2, 1.4), attention adds (0.1, 0.7): (1.1, 7.7). That has the same direction, so the norm gives
# (0.2, 1.4) again, and the network adds (0.4, 2.8): **(1.5, 10.5)**.
#
# **Exercise 12.5** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Write `forward`: attention, then the network, each reading the residual path through its norm, and added
# to it.**
#
# <details><summary>Hint 1</summary><code>rms_norm</code> takes weights. Which parameters of the block are
# they?</details>
# <details><summary>Hint 2</summary>What does the second sublayer read: the input x, or the sum after
# attention?</details>
# <details><summary>The idea</summary>Two lines, one for each sublayer.</details>


# %% exercise="modern.block"
class Block(torch.nn.Module):
    """Grouped attention and a feed-forward
    network with a gate, each after an RMS norm.

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
# The model around it is short: an embedding, blocks, a norm, and the same embedding as output map, as in
# lesson 6. There is no table of positions any more.


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
# **Why.** Qwen3 (Yang et al. 2025) is made of these blocks. (The published models turn with a base of
# 1,000,000, and some have heads wider than C / H.) With the same weights, your model should give the same
# logits. One thing is in the way. Your `rotary` turns *neighbours*, features $2i$ and $2i + 1$, as the
# RoFormer paper does. The code of Qwen3, and of most published weights, pairs feature $i$ with $i + D/2$
# instead. The result is the same up to the order of features. So the *rows* of $W_q$ and $W_k$, which compute
# those features, have to be reordered within each head.
#
# **By hand.** One head, $D$ = 4, rows a, b, c, d. The pairs are (a, c) and (b, d). As neighbours: **a, c, b,
# d**.
#
# **Exercise 12.6** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Reorder the rows so that each head's pairs (i, i + D/2) become neighbours (2i, 2i + 1).**
#
# <details><summary>Hint 1</summary>The H·D rows are heads, halves and pairs: three axes in one. Which
# <code>view</code> separates them?</details>
# <details><summary>Hint 2</summary>Do six rows 0 to 5 in one head become 0 3 1 4 2 5? (With four rows, the
# reordering and its inverse are the same.)</details>
# <details><summary>The idea</summary>Swap the axis of halves with that of pairs.</details>


# %% exercise="modern.interleaved"
def interleaved(weight, n_heads):
    """Reorder the rows of a map of queries or keys:
    pairs (i, i + D/2) of each head become (2i, 2i + 1).

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
# Here is a small Qwen3 from the *transformers* library, with random weights and our base of 10,000. Your
# model gets the same weights (the words divided by √C, by which it multiplies them), and both read the same
# tokens. Without the new order of rows it would be a different model:

# %% draw=true
# How far your model is from a small Qwen3
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
# Two models of the same size: lesson 6's and yours. Yours saves weights on keys, values, positions and biases, and
# spends them on a wider feed-forward network. Both read the same reviews in the same order.
#
# On a fast GPU (NVIDIA's H200; `%env HEADSTART_DEVICE=cuda`, as in 6.14), the first run took
# {measured.lessons_from_top_to_bottom.12_modern_block_of_2019.s_cuda} seconds instead of
# {measured.lessons_from_top_to_bottom.12_modern_block_of_2019.s_cpu} on two CPU cores, and the losses differed
# by 0.001 at most.

# %% draw=true
TRAIN_ANEW = False
models = {}
with waiting_for("Exercises 12.1 to 12.5"):
    torch.manual_seed(0)
    V = len(corpora.vocabulary())
    fresh = {"block of 2019": DecoderOnly(V, 96, 4, 2, 100), "block of today": Model(V, 96, 4, 2, 308, 2)}
    for name, each in fresh.items():
        each(torch.zeros(1, 2, dtype=torch.long))  # are all parts there?
        print(f"{name}: {sum(weight.numel() for weight in each.parameters()):,} weights")
        experiments.draw_weights(each)
    experiments.learn(fresh, anew=TRAIN_ANEW)
    models = fresh
    for name, loss in experiments.held_out(models).items():
        print(f"{name}: {loss:.3f} nats per token; the entropy is {corpora.entropy_per_token():.3f}")

# %% [markdown]
# In our run the older block ended at {measured.lessons_from_top_to_bottom.12_modern_block_of_2019.ends_with_cpu.2}
# and today's at {measured.lessons_from_top_to_bottom.12_modern_block_of_today.ends_with_cpu.2} (one seed): no
# difference worth mentioning. Before the end they changed places twice. With a small model on an easy language
# there is little to gain.
#
# One run of two models can't show what each change does. A **ladder** can: each rung makes a single change to the
# one before, and gets the best of three learning rates and three seeds. All but the last have about as many
# weights. It takes an hour, so it was measured beforehand, by `python -m benchmarks.training_modern`.

# %% predict="modern.worth"

# %% draw=true
# What each step brought, measured beforehand
with waiting_for("your prediction"), after_predicting("modern.worth"):
    show(figures.ladder())
    figures.show_table(figures.ladder_table())

# %% [markdown] reveals="modern.worth"
# Two changes clearly help. **Norm first** lowers the loss by
# {-measured.training_modern.norm_first.since_the_rung_above:.2f} nats per token (95 % interval
# {-measured.training_modern.norm_first.since_the_rung_above.3:.2f} to
# {-measured.training_modern.norm_first.since_the_rung_above.2:.2f}); of the three learning rates, it did best
# with the highest, the paper's block with the lowest. **Rotary positions** lower it by
# {-measured.training_modern.rotary_positions.since_the_rung_above:.3f}
# ({-measured.training_modern.rotary_positions.since_the_rung_above.3:.3f} to
# {-measured.training_modern.rotary_positions.since_the_rung_above.2:.3f}). Leaving out the biases costs a
# little, {measured.training_modern.no_biases.since_the_rung_above.1}
# ({measured.training_modern.no_biases.since_the_rung_above.2} to
# {measured.training_modern.no_biases.since_the_rung_above.3}). For the other six changes the interval contains
# 0: three seeds can't show whether they help or harm a model of this size. (With nine independent 95 %
# intervals, the chance that at least one of them misses the truth is 37 %.)
#
# Now look at time. Each change made a step slower on our processor. An RMS norm does less work than a layer
# norm but takes longer, since torch has layer norm as one fused operation. Before queries and keys were
# normalised, a step took {measured.training_modern.2_heads_of_keys_for_4.time_of_a_step} times as long as the
# paper's, and then {measured.training_modern.query_key_norm.time_of_a_step} times. In the mixture of experts
# (12.8) with as many weights, each token goes through only half of the experts, and yet a step takes
# {measured.training_modern.2_of_4_experts_as_many_weights.time_of_a_step} times as long: many small products
# are slower than a few large ones. At equal time no rung is clearly the best. Rotary positions
# ({measured.training_modern.rotary_positions.equal_time:.3f}) and no biases
# ({measured.training_modern.no_biases.equal_time:.3f}) differ by less than their seeds do, and the next two
# rungs can't be told apart from them. The two with experts
# ({measured.training_modern.2_of_4_experts_as_many_weights.equal_time:.3f} and
# {measured.training_modern.2_of_4_experts_as_much_work.equal_time:.3f}) are behind query-key norm, the last
# rung without experts ({measured.training_modern.query_key_norm.equal_time:.3f}), by more than seeds differ.
#
# (The rates tried were 0.003, 0.01 and 0.03. The paper's block took the lowest and several rungs the highest,
# so these might do still better with others.)

# %% [markdown]
# **A rung of your own.** Your block has every change down to *query-key norm*. With the ladder's sizes, text,
# steps and learning rate, your model is one more run of that rung, from a fourth seed. It takes about a
# minute on one core; an interrupted run resumes where it stopped.

# %% draw=true
# Your model as one more run of its rung
with waiting_for("Exercises 12.1 to 12.5"), after_predicting("modern.worth"):
    torch.manual_seed(3)
    rung = Model(len(corpora.vocabulary()), *rungs.SIZES.values())
    experiments.draw_weights(rung)
    if not training.recall(rungs.KEPT, rung):
        training.keep(rungs.KEPT, rung, rungs.learn(rung, seed=3))  # the course's were 0 to 2
    show(figures.ladder(yours=rungs.held_out(rung)))

# %% [markdown]
# If your point is about as far from the row's dots as they are from each other, your parts do what the course's do.
# Compare it with the rows above and below: with one seed each, you couldn't tell which of these rungs is better.

# %% [markdown]
# **Question 12.7** · graded by hand · 10 minutes · 5 points
#
# You are building a language model for a small computer, about as large as those of the ladder. Which of the
# changes would you adopt, and which not? Use the table: name at least one change whose interval doesn't
# contain 0, one whose interval does, and one that looks worse at equal time than at equal steps. Then give
# one reason from this lesson why the makers of models a million times as large may decide otherwise.

# %% [markdown] written="modern.which_steps" points=5
# ### BEGIN SOLUTION
# **Model answer.** I would put the norm first ({-measured.training_modern.norm_first.since_the_rung_above:.2f} nats
# per token better, interval {-measured.training_modern.norm_first.since_the_rung_above.3:.2f} to
# {-measured.training_modern.norm_first.since_the_rung_above.2:.2f}) and take rotary positions
# ({-measured.training_modern.rotary_positions.since_the_rung_above:.3f} better,
# {-measured.training_modern.rotary_positions.since_the_rung_above.3:.3f} to
# {-measured.training_modern.rotary_positions.since_the_rung_above.2:.3f}); both keep their lead over the rung above
# at equal time. The gate's interval, {measured.training_modern.gate_swiglu.since_the_rung_above.2:.3f} to
# {measured.training_modern.gate_swiglu.since_the_rung_above.3:.3f}, contains 0: three seeds can't show whether it
# helps, so I would leave it out as long as nothing else speaks for it. The same holds for RMS norm, grouped heads
# and query-key norm. The experts with as much work can't be told apart from the model before experts at equal steps
# ({measured.training_modern.2_of_4_experts_as_much_work.equal_steps:.3f} against
# {measured.training_modern.query_key_norm.equal_steps:.3f}), but are behind at equal time
# ({measured.training_modern.2_of_4_experts_as_much_work.equal_time:.3f} against
# {measured.training_modern.query_key_norm.equal_time:.3f}), since a step takes
# {measured.training_modern.2_of_4_experts_as_much_work.time_of_a_step} instead of
# {measured.training_modern.query_key_norm.time_of_a_step} times as long as the paper's. Makers of large models
# decide by what isn't in this table: grouped heads halve the cache, which fills their memory; norms of queries and
# keys keep the training of 22 billion parameters from breaking down; on their processors RMS norm and experts have
# kernels of their own.
#
# **Rubric**
# - 1 point: a change that helps, with its interval.
# - 1 point: a change for which the table doesn't show whether it helps, and why not (the interval contains 0).
# - 1 point: equal steps and equal time told apart, with an example from the table.
# - 1 point: a decision that follows from these.
# - 1 point: a reason why large models differ (the cache's size, stability, fast kernels), taken from the lesson.
# ### END SOLUTION

# %% [markdown]
# ## 12.8 Experts: the router
#
# **Why.** More weights can hold more knowledge, but cost more work for each token. A **mixture of experts**
# (Shazeer et al. 2017) has several networks, the experts, and gives each token to a few of them. Mixtral (Jiang
# et al. 2024) has eight and uses two: a token uses 13 of its 47 billion weights. A **router**, a linear map to
# one score for each expert, chooses them.
#
# **Formula.** For scores $s$, and the set $K$ of the $k$ best:
#
# $$g_e = \frac{e^{s_e}}{\sum_{i \in K} e^{s_i}} \text{ for } e \in K, \quad 0 \text{ for all others}$$
#
# **By hand.** Scores (2, 1, 0, 1.5), $k$ = 2. The best are 2 and 1.5. Their softmax: $1/(1 + e^{-0.5})$ =
# 0.622 and 0.378. So the gates are **(0.622, 0, 0, 0.378)**.
#
# **Exercise 12.8** · difficulty 3 of 5 · 8 minutes · 3 points
#
# **Return each expert's gate: a softmax over the k best, 0 for the others.**
#
# <details><summary>Hint 1</summary><code>topk</code> gives the best scores and their places. How does
# <code>scatter</code> put numbers back into those places?</details>
# <details><summary>Hint 2</summary>Or with a mask, as in lesson 4: what must a score be before the softmax,
# so that its weight is 0?</details>
# <details><summary>The idea</summary>The gates of the chosen experts sum to 1; the others are 0.</details>


# %% exercise="modern.gates"
def gates(logits, k):
    """How much each expert counts for each token.

    Args:
        logits: the router's scores, (..., E).
        k: how many experts a token is given to.

    Returns:
        (..., E): a softmax over the k best
        of each row, 0 for the others.
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
# **Why.** This is where work is saved: an expert reads *its* tokens and no others. Computing all eight experts for
# all tokens and multiplying most results by 0 would give the same, with four times the work.
#
# **By hand.** One token, $x$ = 3, gates (0.75, 0, 0.25). The first expert doubles, the third negates: 0.75 ·
# 6 + 0.25 · (−3) = **3.75**. The second isn't computed.

# %% draw=true
# One token, and the two experts that are asked
show(drawings.experts())

# %% [markdown]
# **Exercise 12.9** · difficulty 4 of 5 · 14 minutes · 4 points
#
# **Give each expert only the tokens whose gate for it isn't 0, and add up the experts' outputs, each times
# its gate.** In the check, some experts return NaN for tokens that aren't theirs.
#
# <details><summary>Hint 1</summary><code>gates[:, e] &gt; 0</code> says which rows belong to expert e. What does a
# tensor give when it is indexed with these?</details>
# <details><summary>Hint 2</summary>A token has several experts. How do you keep the first one's output when
# the second one's comes?</details>
# <details><summary>The idea</summary>Loop over the experts: each reads its own rows and adds its weighted
# output there.</details>


# %% exercise="modern.mixture"
def mixture(x, gates, experts):
    """Give each token to its experts alone,
    and add up their outputs, each times its gate.

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
# ## 12.10 Experts: load balancing
#
# **Why.** In a large model each expert may have a device of its own, and all of them wait for the busiest. Nothing
# in the model's loss asks for an even load. So a **load-balancing loss** does (Fedus, Zoph and Shazeer 2022,
# section 2.2).
#
# **Formula.** $f_e$ is expert $e$'s share of all $N \cdot k$ choices. $P_e$ is its probability, from a
# softmax over *all* experts, averaged over the tokens:
#
# $$\text{loss} = E \sum_e f_e P_e$$
#
# $f$ is counted, so it has no gradient. $P$ has one: it makes busy experts less probable.
#
# **By hand.** Two experts, $k$ = 1. Two tokens, both with the probabilities 0.8 and 0.2. Both go to the
# first: $f$ = (1, 0), $P$ = (0.8, 0.2), and the loss is 2 · (1 · 0.8 + 0 · 0.2) = **1.6**. If both are
# balanced, it is 1.
#
# **Exercise 12.10** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return E times the sum over the experts of share times mean probability.**
#
# <details><summary>Hint 1</summary>How often does each expert occur among the places of <code>topk</code>?
# (<code>one_hot</code> turns places into ones, to be summed.)</details>
# <details><summary>Hint 2</summary>Each token was counted k times. By what do you divide, so that the shares sum to
# 1?</details>
# <details><summary>The idea</summary>Two vectors of E numbers, and their dot product.</details>


# %% exercise="modern.balance"
def balance_loss(logits, k):
    """What a router pays for sending too much to the same experts.

    Args:
        logits: the router's scores of N tokens, (N, E).
        k: how many experts a token is given to.

    Returns:
        E · Σ share of the places · mean
        probability, a tensor of one number.
    """
    ### BEGIN SOLUTION
    N, E = logits.shape
    counts = torch.zeros_like(logits).scatter(-1, logits.topk(k, dim=-1).indices, 1.0)
    return E * (counts.sum(dim=0) / (N * k) * logits.softmax(dim=-1).mean(dim=0)).sum()
    ### END SOLUTION


# %% check="modern.balance"
check("modern.balance", balance_loss)

# %% [markdown]
# A small model with a mixture of six experts learns for a few seconds, without your loss and with it.

# %% predict="modern.crowd"

# %% draw=true
# Where six experts' tokens go, without your loss and with it
with waiting_for("Exercises 12.8 to 12.10"), after_predicting("modern.crowd"):
    show(figures.crowds(experiments.crowded(gates, mixture, balance_loss, (0.0, 0.02))))

# %% [markdown] reveals="modern.crowd"
# Each line is an expert's share of the tokens. In the last ten steps of our run the busiest expert got 28 % of
# the tokens and the idlest 13 % without the balance loss; with it, 19 % and 15 %. The model's own loss hardly
# differed, 2.54 and 2.52. (One seed.) An expert that gets more tokens learns more, does better, and gets even more
# tokens. In large models without such a loss, a few experts ended up doing everything (Shazeer et al. 2017,
# section 4).

# %% [markdown]
# A good place for a break.
#
# ## 12.11 One byte per weight
#
# **Why.** A model that is only run should be small. In float32 a weight takes four bytes; in bfloat16, as
# large models are usually kept, two. **Quantisation** to int8 keeps one: a whole number from −127 to 127 for
# each weight, and one scale for each row of the map.
#
# **Formula.** For a row $w$ (*absmax* quantisation, Dettmers et al. 2022, section 2.1, here row by row):
#
# $$s = \frac{\max |w|}{127} \qquad n_i = \text{round}\left(\frac{w_i}{s}\right) \qquad w_i \approx s\,n_i$$
#
# **By hand.** The row is (0.5, −1.27, 0.004). Its largest magnitude is 1.27, so $s$ = 0.01. The whole numbers
# are **(50, −127, 0)**. The last weight becomes 0.
#
# **Exercise 12.11** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return the whole numbers, as `torch.int8`, and one scale for each row.** A row of zeros gets the scale 1.
#
# <details><summary>Hint 1</summary>Which axis holds the weights of one row, and what shape lets each row be divided
# by its own scale?</details>
# <details><summary>Hint 2</summary><code>.to(torch.int8)</code> cuts off fractions. What has to come before
# it?</details>
# <details><summary>The idea</summary>The largest weight of a row becomes ±127, and the others are scaled in
# proportion.</details>


# %% exercise="modern.quantized"
def quantized(weight):
    """A map in one byte a weight: whole numbers
    from -127 to 127, and a scale for each row.

    Args:
        weight: (out, in).

    Returns:
        The whole numbers, int8, (out, in), and the scales, (out, 1). A
        row of zeros has the scale 1.
    """
    ### BEGIN SOLUTION
    largest = weight.abs().amax(dim=-1, keepdim=True)
    scales = torch.where(largest > 0, largest / 127, 1.0)
    return (weight / scales).round().to(torch.int8), scales
    ### END SOLUTION


# %% check="modern.quantized"
check("modern.quantized", quantized)

# %% [markdown]
# Give each weight fewer bits than eight. Then let one weight of row 2 grow: which weights suffer? Which do if all
# rows share one scale?

# %% draw=true
# Explore: a weight with fewer bits
explorers.bits_explorer(quantized, "Exercise 12.11")

# %% [markdown]
# An outlier spoils its row: all its neighbours are rounded to a coarse grid. With one scale for the whole map
# it spoils every row. In large models the main trouble is outliers in a few channels of the *activations* x.
# Dettmers et al. (2022) quantise activations as well, but compute with those channels in 16 bits. We quantise
# only weights.

# %% [markdown]
# ## 12.12 Using the bytes
#
# **By hand.** $x$ = (1, 2), and the row is (50, −127) with the scale 0.01: 50 − 254 = −204, times 0.01 is
# **−2.04**.
#
# **Exercise 12.12** · difficulty 2 of 5 · 5 minutes · 1 point
#
# **Send x through a map that was `quantized`.**
#
# <details><summary>Hint 1</summary>How do you get a weight back from its number and its scale?</details>
# <details><summary>Hint 2</summary>The map is (out, in) and x is (..., in). Which product gives (...,
# out)?</details>
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
# Now quantise all maps of the trained model, and its words, with 8 bits and with fewer.

# %% predict="modern.bits"

# %% draw=true
# The loss with fewer and fewer bits
with waiting_for("Exercise 12.11, and the training in 12.7"), after_predicting("modern.bits"):
    trained = models.get("block of today")
    experiments.needs(trained)
    show(figures.bits(experiments.losses_by_bits(trained, quantized)))

# %% [markdown] reveals="modern.bits"
# In our run, 8 bits changed the loss by less than 0.0001, 4 bits by 0.0095, 3 bits by 0.072, and 2 bits gave
# a model that knows next to nothing (one model). For running, a quarter or an eighth of the 32 bits is enough
# here. *Training* needs more, since many tiny steps have to add up: mixed-precision training computes in 16
# bits, but keeps the weights in 32 (Micikevicius et al. 2018).

# %% [markdown]
# ## 12.13 Drafts
#
# **Why.** A model writes one token at a time, and for each one all weights have to be read from memory. As long
# as that reading takes most of the time, *judging* five tokens takes hardly longer than writing one, because
# all five go through together, as in training. So a small model drafts a few tokens, and the large one judges
# them all at once. That is **speculative decoding** (Leviathan, Kalman and Matias 2023; Chen et al. 2023).
#
# Every text must be *exactly* as probable as if the large model had written alone. Say the small model has
# drawn a token $x$ from its distribution $q$, and the large one's distribution is $p$. Then $x$ is *accepted*,
# or kept, with probability
#
# $$\min\left(1, \frac{p(x)}{q(x)}\right)$$
#
# Otherwise it is *rejected*, and all later drafts with it, since they were made for a text that won't be
# written.
#
# **By hand.** Three drafts have $p/q$ = 0.5, 2 and 0.1, and the random numbers are 0.4, 0.9 and 0.3. The first is
# kept (0.4 is below 0.5), so is the second (0.9 is below 2), and the third isn't. **Two** stay.
#
# **Exercise 12.13** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return how many of the drafted tokens stay: those before the first that is rejected.**
#
# <details><summary>Hint 1</summary><code>target[places, drafted]</code> takes one number from each row. Which
# <code>places</code> do you need?</details>
# <details><summary>Hint 2</summary>After kept, kept, rejected, kept, two stay. What does
# <code>cumprod</code> turn 1 1 0 1 into?</details>
# <details><summary>The idea</summary>Compare the chances with the ratios, and count up to the first that is
# rejected.</details>


# %% exercise="modern.accepted"
def accepted(target, draft, drafted, chances):
    """How many of the drafted tokens stay:
    those before the first that is rejected.

    Args:
        target: the large model's probabilities
            at each of K places, (K, V).
        draft: the small model's, from which
            the tokens were drawn, (K, V).
        drafted: the tokens, integers, (K,).
        chances: drawn evenly from 0 to 1, (K,). A token is kept if its
            chance is below target / draft.

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
# **Why.** When a draft is rejected, another token has to be written in its place. It can't simply be drawn
# from $p$, since the drafts that are kept already supply a part of $p$. Token $x$ is drafted and kept with
# probability $\min(p(x), q(x))$. So draw from what is missing from $p$:
#
# $$\max(0,\; p(x) - q(x)) \quad \text{made to sum to 1.}$$
#
# **By hand.** $p$ = (0.5, 0.4, 0.1), $q$ = (0.1, 0.2, 0.7). What is missing is 0.4, 0.2 and nothing: **(2/3, 1/3,
# 0)**.
#
# **Exercise 12.14** · difficulty 3 of 5 · 8 minutes · 2 points
#
# **Return the distribution to draw from where a draft was rejected.**
#
# <details><summary>Hint 1</summary>How often should a token be drawn here that the small model drafts too
# often?</details>
# <details><summary>Hint 2</summary>What do the positive differences sum to?</details>
# <details><summary>The idea</summary>The part of p that is above q, rescaled to sum to 1.</details>


# %% exercise="modern.adjusted"
def adjusted(target, draft):
    """What to draw from where a drafted token was rejected.

    Args:
        target: the large model's probabilities, (V,).
        draft: the small model's, (V,), different from the target's.

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
# Is it exact? The trained model is the large one. The small one is as crude as can be: a table of which word
# follows which. The table drafts one next word and the model judges it, 4,000 times.

# %% draw=true
# What is drawn in the end, beside what the model would draw
with waiting_for("Exercises 12.13 and 12.14, and the training in 12.7"):
    trained = models.get("block of today")
    experiments.needs(trained)
    text = "i read this mystery by julia whitfield in march . it is about irene , a"
    target, draft = experiments.next_words(trained, text)
    shares = experiments.drawn_by_drafts(target, draft, accepted, adjusted, 4_000, seed=0)
    show(figures.judged(target, draft, shares, 4_000))

# %% [markdown]
# The third bars match the first up to the randomness of 4,000 draws, although every word was either drafted by
# the table or drawn in place of such a draft. The method itself is exact.

# %% [markdown]
# ## 12.15 Tokens per call
#
# **Formula.** Say each draft is kept with probability $a$, independently. With $K$ drafts, one call of the large
# model brings on average
#
# $$1 + a + a^2 + \dots + a^K$$
#
# tokens: the $n$-th draft counts only if all $n$ were kept. The 1 is the token that the call itself adds in any
# case: a replacement, or, where all were kept, one more.
#
# **By hand.** $a$ = 0.8, $K$ = 4: 1 + 0.8 + 0.64 + 0.512 + 0.4096 = **3.36**.
#
# **Exercise 12.15** · difficulty 2 of 5 · 5 minutes · 1 point
#
# **Return the average number of tokens per call.**
#
# <details><summary>Hint 1</summary>How many powers are in the sum?</details>
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
# Make the two models more alike, then draft more tokens at once. Which of the two helps more?

# %% draw=true
# Explore: drafts of several words
explorers.draft_explorer(adjusted, tokens_per_call, "Exercises 12.14 and 12.15")

# %% [markdown]
# Now for real: twelve reviews, written by your trained model with drafts from the table.

# %% draw=true
# Twelve reviews, written with drafts and without
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
# With a table that knows one word of the past, a little more than half the calls are enough. Each further draft
# brings less, since later ones are seldom reached. (The last column assumes the same probability for every
# draft, estimated from how many were kept. In reality some words are easy and some are hard.) The table counts
# calls, not seconds: how much time that saves depends on the machine.

# %% [markdown]
# ## 12.16 What stays the same
#
# **Exercise 12.16** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Say for each step what it does to the texts that a trained model writes.** Write `"exactly the same
# distribution"`, `"nearly the same"` or `"a different model, to be trained first"` in place of each `...`.
#
# <details><summary>Hint 1</summary>Does the step change the numbers that the softmax sees?</details>
# <details><summary>Hint 2</summary>Where a step needs weights that the model doesn't have, where could their values
# come from?</details>
# <details><summary>The idea</summary>Three steps leave every probability as it was, one rounds weights, and two
# need a new training run.</details>

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
    "a feed-forward network with a gate for one without": "a different model, to be trained first",
    "half as many heads of keys and values": "a different model, to be trained first",
}
### END SOLUTION

# %% check="modern.same"
check("modern.same", same)

# %% [markdown]
# ## 12.17 A letter to a friend
#
# **Question 12.17** · graded by hand · 10 minutes · 5 points
#
# A friend runs a chat service and says: "Our model answers too slowly, and its computers cost too much. I have read
# about grouped heads, int8, speculative decoding and experts. Which should I switch on tonight?" Answer in a short
# letter. Say for each of the four what it saves (memory, work or waiting), whether it changes the answers, and
# whether it works on the model as it is. Use two numbers that you measured.

# %% [markdown] written="modern.letter" points=5
# ### BEGIN SOLUTION
# **Model answer.** Tonight: int8 and speculative decoding, since both work on the model as it is. With one byte per
# weight, the maps take half the memory if they are in bfloat16 now, a quarter if in float32, and answers change a
# little: here 8 bits moved the loss by less than 0.0001 nats per token, 4 bits by 0.0095. Speculative decoding
# saves waiting, not work: the small model's drafts are extra, and those rejected are wasted. But the answers are
# exactly as probable as before; in 4,000 trials the words came out as the large model has them. Here a table of
# word pairs nearly halved the calls, with 1.8 tokens for each; a small model more like the large one saves more.
# Grouped heads shrink the cache by the number of heads that share, which saves memory for many users at once, but
# that is a different model: it has to be trained that way, or at least trained further after heads are merged.
# Experts save work for each token at a given number of weights, but all of them still need memory. That, too, is a
# different model.
#
# **Rubric**
# - 1 point: int8: memory, nearly the same answers, can be done to the model as it is.
# - 1 point: speculative decoding: waiting (fewer calls one after another), exactly the same distribution, as it is, needs a small
#   model.
# - 1 point: grouped heads: the cache's memory; a different model.
# - 1 point: experts: work for each token, not memory; a different model.
# - 1 point: two numbers measured in the lesson, used rightly.
# ### END SOLUTION

# %% [markdown]
# ## 12.18 What to remember
#
# - An RMS norm is a layer norm without the mean. A gate is a third map that multiplies; at two thirds of the
#   width, the number of weights is the same.
# - Attention today normalises queries and keys, turns them by position, and shares keys and values among
#   heads. The two conventions for rotary positions differ only in the order of rows.
# - A single run shows little. A ladder shows what each change does, provided that weights and tokens are equal,
#   rates are tuned, there are several seeds, and time is counted.
# - Experts: each token uses few of many weights. The router chooses, and imbalance is penalised.
# - One byte per weight is enough for running; training needs more. A scale per row confines an outlier's harm
#   to its row.
# - Drafts are judged in one call, and the texts are exactly as probable as the large model's own.
#
# **Sources.** Zhang and Sennrich 2019, *Root mean square layer normalization*. Shazeer 2020, *GLU variants improve
# Transformer*. Su et al. 2021, *RoFormer*. Ainslie et al. 2023, *GQA*. Henry et al. 2020, *Query-key normalization for
# Transformers*. Dehghani et al. 2023, *Scaling vision Transformers to 22 billion parameters*. Chowdhery et al. 2022,
# *PaLM*. Touvron et al. 2023, *LLaMA*. Yang et al. 2025, *Qwen3 technical report*. Shazeer et al. 2017, *Outrageously
# large neural networks*. Fedus, Zoph and Shazeer 2022, *Switch Transformers*. Jiang et al. 2024, *Mixtral of experts*.
# Dettmers et al. 2022, *LLM.int8()*. Micikevicius et al. 2018, *Mixed precision training*. Leviathan, Kalman and Matias 2023, *Fast inference from Transformers via speculative
# decoding*. Chen et al. 2023, *Accelerating large language model decoding with speculative sampling*.
#
# That was the last lesson. You have built every part of the paper's figure 1, and those that later models use
# instead.

# %% [markdown]
# ## 12.19 What to read and build next
#
# **Build.** Each of these begins about where you are now.
#
# - *A model that chats*: Karpathy's [nanochat](https://github.com/karpathy/nanochat) goes from raw text to a web page
#   on which you talk to your model: tokens, pretraining, fine-tuning, evaluation. Its full run needs eight large GPUs
#   for hours; read it first, and run its smallest model.
# - *A model that follows instructions*: chapter 7 of Raschka's
#   [LLMs from scratch](https://github.com/rasbt/LLMs-from-scratch) fine-tunes GPT-2 on instructions, and on preferences
#   with DPO. That runs on one computer.
# - *The whole way, alone*: the assignments of Stanford's
#   [CS336, Language modeling from scratch](https://cs336.stanford.edu) give you little code and ask for much: systems,
#   scaling laws, filtering the web, alignment.
# - *Fast kernels*: Rush's [GPU puzzles](https://github.com/srush/GPU-Puzzles) teach how a GPU is programmed, in
#   small steps.
#
# **Read**, each for one question.
#
# - *What have the heads learned?* Elhage et al. 2021,
#   [A mathematical framework for Transformer circuits](https://transformer-circuits.pub/2021/framework/index.html).
# - *How is a model trained on thousands of chips?* Austin et al. 2025,
#   [How to scale your model](https://jax-ml.github.io/scaling-book/). It continues lesson 7's counting.
# - *How does a model learn from preferences and rewards?* Lambert's [RLHF book](https://rlhfbook.com).
#
# **A small project of your own.** Take one claim of a paper from the sources above, and test it on your model of
# lesson 8 as in 12.7: one change, equal weights, several seeds, an interval. If it doesn't hold at your size, say
# so: that is a result, too. To show what you did here, make the page of 0.4.
