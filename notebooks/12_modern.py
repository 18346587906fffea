# %% [markdown]
# # 12 · Since 2017
#
# - **You will learn** what has changed in the block since the paper, one step at a time, and build the block of
#   2026 (as of November): RMS norm, a gate, shared keys, rotary positions, experts. Then you make models cheaper to
#   run: with one byte per weight or half of one, a smaller cache or none, and drafts by a small model. Each step is
#   measured, and some bring nothing here.
# - **You need** lessons 3, 5, 6 and 8: rotary positions, grouped heads, the block, a trained language model.
# - **Time** {minutes} minutes, in four sittings: 12.0 to 12.6, 12.7 to 12.10, 12.11 to 12.14, 12.15 to 12.19. Two
#   trainings take about a minute together on two cores.
#
# This lesson's models are a million times smaller than those you read about. What helps those needn't help here: every
# claim says where it was measured.

# %% setup=true
import math

import torch

from helpers import corpora, training
from helpers.block import DecoderOnly, unembed
from helpers.checks import case, check
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, show_table, waiting_for
from helpers.masking import causal_mask, masked_attention
from helpers.modern import cheaper, drawings, experiments, explorers, figures, rungs
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
# **Why.** A layer norm subtracts the mean and divides by the standard deviation. Zhang and Sennrich (2019) only
# rescale: their models learned just as well, and the norm was faster.
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
# <details><summary>Hint 1</summary>RMS is <em>root mean square</em>. Read it backwards: which three steps does it
# name?</details>
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
# **By hand.** $C$ = 1, $d_\text{ff}$ = 1, $W_\text{gate}$ = 1, $W_\text{up}$ = 2, $W_\text{down}$ = 3, $x$ = 1. The
# gate is SiLU(1) = 0.731, times 2 is 1.462, times 3 is **4.386**.
#
# Why does it help? "We offer no explanation", Shazeer's paper ends; "we attribute their success, as all else, to
# divine benevolence."

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
# Three maps have 50 % more weights than two, and more weights alone can make a change look good. So a fair
# comparison takes two thirds of the width: Llama 7B has 11,008, two thirds of 4 · 4,096 rounded up to a multiple of
# 256.
#
# ## 12.3 Longer texts
#
# **A larger base.** Rotary positions (3.8) turn pair $i$ of a head's $D$ features by $b^{-2i/D}$ per position, with
# the base $b$ = 10,000. The slowest pairs don't complete a turn in a text of 4,096 positions, so training shows a
# model only a part of their circle. In longer texts they point in directions that it has never seen. Xiong et al.
# (2023) raised Llama 2's base to 500,000, so that attention to distant positions fades less, and continued training
# on long texts. With a larger base the pairs turn more slowly:

# %% draw=true
# How far the pairs of a head of 128 features turn, for three bases
show_table(figures.turns_table())

# %% [markdown]
# At the base 10,000 the slowest pair turns by 27° over 4,096 positions; at 1,000,000, by only 9° over 131,072: less
# than the model has seen.
#
# **Windows** (4.12). If a layer sees only the nearest positions, only those have to be cached. Through $n$ layers
# with a window of $w$, a position *can* know of $n\,(w - 1)$ earlier ones; a full layer among them lifts that
# limit. Here are 12 layers over 64 positions, with a window of 4:

# %% draw=true
# What the last position knows of, and what has to be cached
show_table(figures.windows_table())

# %% [markdown]
# ## 12.4 Attention today
#
# **Why.** Four things have changed in attention, and you know two of them.
#
# - **Rotary positions**, or RoPE (3.8): queries and keys are turned according to their place, so scores depend only
#   on distances. Nothing is added to the embeddings any more.
# - **Shared keys**, or grouped-query attention (5.14): several heads of queries share one head of keys and
#   values, and the cache shrinks by that factor.
# - **No biases**, in most models.
# - **Norms of queries and keys**, in each head, before they are turned (Henry et al. 2020, as an L2 norm). Without
#   them, scores in vision models of some 8 billion weights grew until training diverged (Dehghani et al.
#   2023). With them, and weights of 1, $|q| = |k| = \sqrt D$, so $q \cdot k / \sqrt D$ is at most $\sqrt D$.
#
# **By hand.** 8 channels, 4 heads of queries, 2 of keys and values: a head has $D$ = 2 channels. $W_q$ and
# $W_o$ are 8 × 8, $W_k$ and $W_v$ only 4 × 8. These maps have **192** weights, where lesson 2's module has 288.

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
# **Exercise 12.5** · difficulty 2 of 5 · 6 minutes · 3 points
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
# The model around it is as in lesson 6, but without a table of positions.


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
# **Why.** Qwen3 (Yang et al. 2025) is made of these blocks. With the same weights, your model should give the same
# logits. One thing is in the way: your `rotary` turns *neighbours*, features $2i$ and $2i + 1$, as the RoFormer
# paper does; the code of Qwen3, like that of most published models, pairs feature $i$ with $i + D/2$. Only the
# order of features differs. So the *rows* of $W_q$ and $W_k$ have to be reordered within each head.
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
# Here is a small Qwen3 from the *transformers* library, with random weights and our base of 10,000. Your model gets
# the same weights, and both read the same tokens. (The norms' weights are reordered, too, and the words are divided
# by √C, since your model multiplies them by it.)

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
# Two models of the same size, lesson 6's and yours, read the same reviews in the same order. Yours saves weights on
# keys, values, positions and biases, and spends them on the network's third map.

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
# and today's at {measured.lessons_from_top_to_bottom.12_modern_block_of_today.ends_with_cpu.2} (one seed): hardly a
# difference. A small model of an easy language has little to gain.
#
# A **ladder** shows what each change does. Each rung makes one change, and is trained from three seeds with the
# best of three learning rates. All but the last have about the same number of weights. This takes an hour, so it
# was measured beforehand (`python -m benchmarks.training_modern`).

# %% predict="modern.worth"

# %% draw=true
# What each step brought, measured beforehand
with waiting_for("your prediction"), after_predicting("modern.worth"):
    show(figures.ladder())
    show_table(figures.ladder_table())

# %% [markdown] reveals="modern.worth"
# Two changes clearly help. **Norm first** lowers the loss by
# {-measured.training_modern.norm_first.since_the_rung_above:.2f} nats per token (95 % interval
# {-measured.training_modern.norm_first.since_the_rung_above.3:.2f} to
# {-measured.training_modern.norm_first.since_the_rung_above.2:.2f}); of the learning rates 0.003, 0.01 and 0.03 it
# did best with the highest, the paper's block with the lowest. **Rotary positions** lower it by
# {-measured.training_modern.rotary_positions.since_the_rung_above:.3f}
# ({-measured.training_modern.rotary_positions.since_the_rung_above.3:.3f} to
# {-measured.training_modern.rotary_positions.since_the_rung_above.2:.3f}). Leaving out the biases costs a little,
# {measured.training_modern.no_biases.since_the_rung_above.1}
# ({measured.training_modern.no_biases.since_the_rung_above.2} to
# {measured.training_modern.no_biases.since_the_rung_above.3}). For the other six changes the interval contains 0:
# three seeds can't show whether they help or harm a model of this size.
#
# Now look at time. On our processor each change made a step slower. An RMS norm does less work than a layer norm,
# but takes longer, since torch has layer norm as one fused operation. With queries and keys normalised a step takes
# {measured.training_modern.query_key_norm.time_of_a_step} times as long as the paper's, with experts (12.8)
# {measured.training_modern.2_of_4_experts_as_many_weights.time_of_a_step} times: many small products are slower
# than a few large ones. At equal time no rung is clearly the best, and the two with experts
# ({measured.training_modern.2_of_4_experts_as_many_weights.equal_time:.3f} and
# {measured.training_modern.2_of_4_experts_as_much_work.equal_time:.3f}) are behind the last without
# ({measured.training_modern.query_key_norm.equal_time:.3f}) by more than seeds differ.

# %% [markdown]
# **A rung of your own.** Your block has every change down to *query-key norm*. With the ladder's sizes, text,
# steps and learning rate, your model is one more run of that rung, from a fourth seed.

# %% draw=true
# Your model as one more run of its rung
with waiting_for("Exercises 12.1 to 12.5"), after_predicting("modern.worth", told=False):
    torch.manual_seed(3)
    rung = Model(len(corpora.vocabulary()), *rungs.SIZES.values())
    experiments.draw_weights(rung)
    if not training.recall(rungs.KEPT, rung):
        training.keep(rungs.KEPT, rung, rungs.learn(rung, seed=3))  # the course's were 0 to 2
    show(figures.ladder(yours=rungs.held_out(rung)))

# %% [markdown]
# If your point lies about as far from the row's dots as they do from each other, your parts do what the course's
# do.

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
# helps, so I would leave it out as long as nothing else speaks for it. The same holds for RMS norm, grouped heads and
# query-key norm. The experts with as much work can't be told apart from the model before experts at equal steps
# ({measured.training_modern.2_of_4_experts_as_much_work.equal_steps:.3f} against
# {measured.training_modern.query_key_norm.equal_steps:.3f}), but are behind at equal time
# ({measured.training_modern.2_of_4_experts_as_much_work.equal_time:.3f} against
# {measured.training_modern.query_key_norm.equal_time:.3f}), since a step takes
# {measured.training_modern.2_of_4_experts_as_much_work.time_of_a_step} instead of
# {measured.training_modern.query_key_norm.time_of_a_step} times as long as the paper's. Makers of large models decide
# by what isn't in this table: grouped heads halve the cache, which fills their memory; norms of queries and keys keep
# the training of large models from diverging; on their processors RMS norm and experts have kernels of their own.
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
# one score for each expert, chooses them. A **bias** can make an expert likelier to be chosen, without a say in how
# much it counts (Wang et al. 2024); 12.10 shows what for.
#
# **Formula.** For scores $s$ and biases $b$, let $K$ be the $k$ experts with the largest $s_e + b_e$:
#
# $$g_e = \frac{e^{s_e}}{\sum_{i \in K} e^{s_i}} \text{ for } e \in K, \quad 0 \text{ for all others}$$
#
# **By hand.** Scores (2, 1, 0, 1.5), $k$ = 2. Without biases the best are 2 and 1.5. Their softmax: $1/(1 +
# e^{-0.5})$ = 0.622 and 0.378. So the gates are **(0.622, 0, 0, 0.378)**. With the biases (0, 0, 3, 0) the first and
# the third are chosen, and the softmax of their scores, 2 and 0, gives **(0.881, 0, 0.119, 0)**. (With $k$ = 1 each
# gate is 1, and the router learns nothing from the model's loss; the Switch Transformer, which uses one expert,
# takes the softmax over all of them.)
#
# **Exercise 12.8** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return each expert's gate: a softmax over the scores of the k chosen, 0 for the others.**
#
# <details><summary>Hint 1</summary>Which sums decide who is chosen, and which numbers go into the
# softmax?</details>
# <details><summary>Hint 2</summary><code>topk</code> gives places. How does <code>gather</code> read from them, and
# <code>scatter</code> write to them? Or with a mask, as in lesson 4: what must a score be before the softmax, so that
# its weight is 0?</details>
# <details><summary>The idea</summary>Biases choose, scores weigh.</details>


# %% exercise="modern.gates"
def gates(logits, k, bias):
    """How much each expert counts for each token.

    Args:
        logits: the router's scores, (..., E).
        k: how many experts a token is given to.
        bias: added to the scores for the choice
            alone, (E,).

    Returns:
        (..., E): a softmax over the scores of the
        k chosen of each row, 0 for the others.
    """
    ### BEGIN SOLUTION
    places = (logits + bias).topk(k, dim=-1).indices
    shares = logits.gather(-1, places).softmax(dim=-1)
    return torch.zeros_like(logits).scatter(-1, places, shares)
    ### END SOLUTION


# %% check="modern.gates"
check("modern.gates", gates)

# %% [markdown]
# ## 12.9 Experts: the work
#
# **Why.** This is where work is saved: an expert reads *its* tokens and no others.
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
# Many models add a **shared expert** that reads every token (Dai et al. 2024), so that the others needn't all learn
# what every token needs. To your `mixture` it is one more expert, whose gate is always 1. (In Qwen3.5 that gate is
# learned.)

# %% draw=true
# A shared expert is one more, with a gate of 1
with waiting_for("Exercises 12.8 and 12.9"), torch.no_grad():
    torch.manual_seed(0)
    x, shared = torch.randn(6, 8), torch.nn.Linear(8, 8)
    some = [torch.nn.Linear(8, 8) for _ in range(4)]
    routed = gates(torch.randn(6, 4), 2, torch.zeros(4))
    with_shared = torch.cat([routed, torch.ones(6, 1)], dim=-1)
    as_one_more = mixture(x, with_shared, [*some, shared])
    apart = as_one_more - (shared(x) + mixture(x, routed, some))
    print(f"largest difference: {apart.abs().max():.1e}")

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
# Two experts, $k$ = 1, and two tokens that both go to the first with the probability 0.8: the loss is 2 · (1 · 0.8 +
# 0 · 0.2) = 1.6. If $f$ and $P$ are even, it is 1.


# %%
def balance_loss(logits, k):
    """What a router pays for sending too much to the same experts."""
    N, E = logits.shape
    counts = torch.zeros_like(logits).scatter(-1, logits.topk(k, dim=-1).indices, 1.0)
    share = counts.sum(dim=0) / (N * k)
    return E * (share * logits.softmax(dim=-1).mean(dim=0)).sum()


# %% [markdown]
# A different way leaves the loss alone (Wang et al. 2024; DeepSeek-V3 adds only a tiny one). After each step, the
# biases of experts that got less than their share go up a little, the others down. A small model with six experts
# is trained three times, for a few seconds each: with nothing, with this loss, with biases.

# %% predict="modern.crowd"

# %% draw=true
# Where six experts' tokens go: nothing, the loss, biases
with waiting_for("Exercises 12.8 and 12.9"), after_predicting("modern.crowd"):
    show(figures.crowds(experiments.crowded(gates, mixture, balance_loss)))

# %% [markdown] reveals="modern.crowd"
# Each line is one expert's share of all choices, two per token. The last ten steps of our run (one seed):
#
# | | busiest | idlest | loss |
# | --- | --- | --- | --- |
# | nothing | {measured.training_cheaper.nothing.busiest} | {measured.training_cheaper.nothing.idlest} | {measured.training_cheaper.nothing.loss} |
# | the balance loss | {measured.training_cheaper.the_balance_loss.busiest} | {measured.training_cheaper.the_balance_loss.idlest} | {measured.training_cheaper.the_balance_loss.loss} |
# | biases | {measured.training_cheaper.biases.busiest} | {measured.training_cheaper.biases.idlest} | {measured.training_cheaper.biases.loss} |
#
# An expert that is chosen more learns more, so the router can come to prefer it. Without a loss for balance, the same
# few got nearly all the weight (Shazeer et al. 2017, section 4).

# %% [markdown]
# A good place for a break.
#
# ## 12.11 One byte per weight
#
# **Why.** A model that is only run should be small. In float32 a weight takes four bytes; in bfloat16, in which
# large models are usually kept, two. **Quantisation** to int8 keeps one: each weight becomes a whole number from
# −127 to 127, and each row of the map has one scale.
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
# Use fewer bits. Then let one weight of row 2 grow: which weights suffer? And which if all rows share one scale?

# %% draw=true
# Explore: a weight with fewer bits
explorers.bits_explorer(quantized, "Exercise 12.11")

# %% [markdown]
# Such an **outlier** spoils its row: the other weights are rounded to a coarse grid. In large models the main trouble
# is outliers in a few channels of the *activations* x. Dettmers et al. (2022) quantise activations as well, but
# compute with those channels in 16 bits. We quantise only weights.

# %% [markdown]
# Now quantise all maps of the trained model, and its words, with 8 bits and with fewer.

# %% predict="modern.bits"

# %% draw=true
# The loss with fewer and fewer bits
with waiting_for("Exercise 12.11, and the training in 12.7"), after_predicting("modern.bits"):
    trained = models.get("block of today")
    experiments.needs(trained)
    show(figures.bits(cheaper.losses_by_bits(trained, quantized)))

# %% [markdown] reveals="modern.bits"
# In our run (one model) 4 bits raised the loss by
# {measured.training_cheaper.4_bits.change_of_the_loss_nats_per_token.1:.4f} and 3 bits by
# {measured.training_cheaper.3_bits.change_of_the_loss_nats_per_token.1:.3f}; 8 bits hardly changed it. With 2 bits
# the model knows next to nothing.

# %% [markdown]
# *Training* needs more bits, since many tiny steps have to add up. Mixed-precision training computes in 16 bits,
# but keeps the weights in 32 (Micikevicius et al. 2018). bfloat16 keeps two or three digits: next to 1 its steps
# are 1/128.

# %% draw=true
# Add 0.001 to 1, a thousand times
for dtype in (torch.float32, torch.bfloat16):
    weight = torch.ones((), dtype=dtype)
    for _ in range(1000):
        weight += 1e-3
    print(f"in {dtype}: {weight.item():.4f}")

# %% [markdown]
# ## 12.12 Four bits
#
# **Why.** At four bits, one large weight spoils too much if a whole row shares its scale. So neighbours share a
# scale in small **groups** (*blocking*, Dettmers and Zettlemoyer 2023, section 2). A scale of 16 bits for each 32
# weights adds half a bit to each.
#
# **By hand.** The row is (0.7, 0.3, −0.02, 0.014), in groups of two. The first scale is 0.7 / 7 = 0.1, the second
# 0.02 / 7. The whole numbers are **(7, 3, −7, 5)**. With one scale for the row they would be (7, 3, 0, 0).
#
# **Exercise 12.12** · difficulty 3 of 5 · 8 minutes · 3 points
#
# **Return the whole numbers, from −7 to 7, as `torch.int8`, and one scale for each group of a row.** (torch has no
# type of four bits; in use, a byte would hold two.) A group of zeros gets the scale 1.
#
# <details><summary>Hint 1</summary>Which <code>view</code> or <code>unflatten</code> gives the groups an axis of
# their own?</details>
# <details><summary>Hint 2</summary>Each group is divided by its own scale. Which shape must the scales have for
# that, and which at the end?</details>
# <details><summary>The idea</summary>Exercise 12.11, with an axis for the groups.</details>


# %% exercise="modern.in_groups"
def in_groups(weight, size):
    """A map in four bits a weight: whole numbers from
    -7 to 7, and a scale for each group of neighbours.

    Args:
        weight: (out, in).
        size: weights of a row that share a scale, a
            divisor of in.

    Returns:
        The whole numbers, int8, (out, in), and the scales,
        (out, groups). A group of zeros has the scale 1.
    """
    ### BEGIN SOLUTION
    groups = weight.unflatten(-1, (-1, size))
    largest = groups.abs().amax(dim=-1, keepdim=True)
    scales = torch.where(largest > 0, largest / 7, 1.0)
    whole = (groups / scales).round().to(torch.int8)
    return whole.flatten(-2), scales.squeeze(-1)
    ### END SOLUTION


# %% check="modern.in_groups"
check("modern.in_groups", in_groups)

# %% draw=true
# The trained model at four bits, beside more bits
with waiting_for("Exercises 12.11 and 12.12, and the training in 12.7"):
    trained = models.get("block of today")
    experiments.needs(trained)
    kept = cheaper.losses_in_groups(trained, quantized, in_groups)
    as_trained = cheaper.losses_by_bits(trained, quantized, ())[32]
    show_table(figures.groups_table(kept, as_trained))

# %% [markdown]
# In our run groups of 64 cost no less than whole rows, but smaller ones did. Compare at equal bytes, though: five bits
# with a scale for each row took {measured.training_cheaper.5_bits_a_scale_for_each_row.bytes} bytes per weight and cost
# {measured.training_cheaper.5_bits_a_scale_for_each_row.change_of_the_loss_nats_per_token.1:.4f} nats per token,
# four bits in groups of 16 took {measured.training_cheaper.4_bits_a_scale_for_each_16.bytes} and cost
# {measured.training_cheaper.4_bits_a_scale_for_each_16.change_of_the_loss_nats_per_token.1:.4f}. In models with
# billions of weights, small groups were better at equal bytes (Dettmers and Zettlemoyer 2023).

# %% [markdown]
# ## 12.13 A smaller cache
#
# **Why.** Grouped heads (12.4) shrink the cache by sharing keys and values. **Latent attention** (MLA, DeepSeek-AI
# 2024, section 2.1) keeps *one* short vector for each position, the latent $c$, and every head makes its keys and
# values from it: $k = U_k\,c$ and $v = U_v\,c$. GLM-5 (12.17) has 64 heads with keys and values of 256 features
# each: 32,768 numbers per position and layer. Its cache holds 576, and an index.
#
# Keys needn't be made again at every step, since
#
# $$q \cdot (U_k\,c) = (U_k^\top q) \cdot c$$
#
# So a head can ask the latents themselves. Values can wait, too: average the latents first, then map the average.
# The maps are *absorbed*. (Turning by position would come in between, so positions get a small key of their own.)
#
# **By hand.** One head, $D$ = 2, latents of one number, $c$ = 1 and 3, $U_k = (2, 0)^\top$, $q$ = (1, 5). The question
# becomes $U_k^\top q$ = **2**, and the scores, not yet divided, 2 · 1 = **2** and 2 · 3 = **6**. With keys it is the
# same: $q \cdot (2, 0)$ = 2 and $q \cdot (6, 0)$ = 6.
#
# **Exercise 12.13** · difficulty 4 of 5 · 12 minutes · 4 points
#
# **Return what each head reads for the newest position, without making keys or values of all positions.**
#
# The check measures the largest tensor that you make.
#
# <details><summary>Hint 1</summary><code>up_k</code> is (H, D, R) and <code>q</code> (..., H, D). Which axis
# disappears, so that each head has a question of R numbers?</details>
# <details><summary>Hint 2</summary>The scores are (..., H, T). Over which axis is the softmax?</details>
# <details><summary>The idea</summary>Four steps: turn the questions, score the latents, average the latents, map each
# head's average to a value.</details>


# %% exercise="modern.latent_attention"
def latent_attention(q, latents, up_k, up_v):
    """What each head reads for the newest
    position, from a cache of latents.

    Args:
        q: the newest position's queries, (..., H, D).
        latents: the cache, (..., T, R).
        up_k: each head's map from a latent to a key,
            (H, D, R).
        up_v: each head's map from a latent to a value,
            (H, D, R).

    Returns:
        (..., H, D). Scores are divided by √D.
    """
    ### BEGIN SOLUTION
    asked = torch.einsum("...hd,hdr->...hr", q, up_k)
    weights = (asked @ latents.mT / math.sqrt(q.size(-1))).softmax(dim=-1)
    return torch.einsum("...hr,hdr->...hd", weights @ latents, up_v)
    ### END SOLUTION


# %% check="modern.latent_attention"
check("modern.latent_attention", latent_attention)

# %% draw=true
# The same as with keys and values, and what each way keeps and makes
with waiting_for("Exercise 12.13"):
    show_table(figures.latents_table(latent_attention))

# %% [markdown]
# "Largest tensor made" is counted while your function runs. If it is 16,384 or more, something as large as all keys
# was made.

# %% [markdown]
# ## 12.14 No cache at all
#
# **Why.** Even a small cache grows with the text, and so does the work per new token. Without the softmax,
# attention is a sum that can be carried along (Katharopoulos et al. 2020, who also make queries and keys positive
# and normalise). With vectors as rows:
#
# $$q_t \sum_{s \le t} k_s^\top v_s = q_t\,S_t \qquad S_t = S_{t-1} + k_t^\top v_t$$
#
# The **state** $S$ has $D \times D_v$ numbers, however long the text is. This is **linear attention**. It equals a
# masked product without a softmax, $(QK^\top \odot \text{causal})\,V$, so all positions can be trained at once.
#
# **By hand.** $D$ = $D_v$ = 1, keys 1 and 2, values 10 and 1, queries 1 and 3. The state is 10, then 10 + 2 = 12. The
# outputs are 1 · 10 = **10** and 3 · 12 = **36**.
#
# **Exercise 12.14** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return the outputs of all positions, and the last state.** The state begins as given, not always with zeros.
#
# <details><summary>Hint 1</summary>Which shape has a key as a column times a value as a row?</details>
# <details><summary>Hint 2</summary>A position sees itself. So which comes first, writing to the state or reading
# from it?</details>
# <details><summary>The idea</summary>Loop over positions: add an outer product, then multiply the query by the
# state. (Or, without a loop: the masked product, and what the first state adds to it.)</details>


# %% exercise="modern.linear_attention"
def linear_attention(q, k, v, state):
    """Attention without a softmax, with a state
    of fixed size in place of a cache.

    Args:
        q: queries, (..., T, D).
        k: keys, (..., T, D).
        v: values, (..., T, D_v).
        state: what earlier positions have left,
            (..., D, D_v).

    Returns:
        Outputs (..., T, D_v), and the state after
        the last position, (..., D, D_v).
    """
    ### BEGIN SOLUTION
    outputs = []
    for t in range(q.size(-2)):
        state = state + k[..., t, :, None] * v[..., t, None, :]
        outputs.append((q[..., t, None, :] @ state).squeeze(-2))
    return torch.stack(outputs, dim=-2), state
    ### END SOLUTION


# %% check="modern.linear_attention"
check("modern.linear_attention", linear_attention)

# %% [markdown]
# What does a fixed size cost? Store pairs of a key and a value, then ask for each value by its key.

# %% predict="modern.recall"

# %% draw=true
# How many values are found again by their keys
with waiting_for("Exercise 12.14"), after_predicting("modern.recall"):
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 20, 8).unbind()
    apart = linear_attention(q, k, v, torch.zeros(8, 8))[0] - (q @ k.mT).tril() @ v
    print(f"beside the masked product: largest difference {apart.abs().max():.1e}")
    show(figures.recall(cheaper.recalled(linear_attention)))

# %% [markdown] reveals="modern.recall"
# With 16 channels the state returns all of 8 values, {measured.training_cheaper.16_pairs.a_state_of_fixed_size} of
# 16, {measured.training_cheaper.32_pairs.a_state_of_fixed_size} of 32 and
# {measured.training_cheaper.128_pairs.a_state_of_fixed_size} of 128, of which a softmax over all keys finds
# {measured.training_cheaper.128_pairs.a_softmax_over_all_keys}. Pairs overlap in the state. Today's linear layers
# have a gate that forgets, and take out what a key held before they write a new value (Yang et al. 2024). But what
# doesn't fit is lost. So such models keep some layers full, as Qwen3.5 does every fourth (12.17).

# %% [markdown]
# A good place for a break.
#
# ## 12.15 Drafts
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
# **Exercise 12.15** · difficulty 3 of 5 · 10 minutes · 3 points
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
# ## 12.16 What to draw instead
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
# **Exercise 12.16** · difficulty 3 of 5 · 8 minutes · 2 points
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
# Is it exact? The large model is the trained one; the small one is as crude as can be, a table of which word
# follows which. The table drafts one word and the model judges it, 4,000 times.

# %% draw=true
# What is drawn in the end, beside what the model would draw
with waiting_for("Exercises 12.15 and 12.16, and the training in 12.7"):
    trained = models.get("block of today")
    experiments.needs(trained)
    text = "i read this mystery by julia whitfield in march . it is about irene , a"
    target, draft = experiments.next_words(trained, text)
    shares = experiments.drawn_by_drafts(target, draft, accepted, adjusted, 4_000, seed=0)
    show(figures.judged(target, draft, shares, 4_000))

# %% [markdown]
# The third bars match the first, up to the chance of 4,000 draws.

# %% [markdown]
# **Tokens per call.** If each draft is kept with probability $a$, independently, one call with $K$ drafts brings $1 +
# a + a^2 + \dots + a^K$ tokens on average: the $n$-th draft counts only if all $n$ were kept. The 1 is the token that
# the call itself adds: a replacement, or, where all were kept, one more. For $a$ = 0.8 and $K$ = 4 that is 3.36.

# %% [markdown]
# Make the two models more alike, then draft more tokens at once. Which of the two helps more?

# %% draw=true
# Explore: drafts of several words
explorers.draft_explorer(adjusted, "Exercise 12.16")

# %% [markdown]
# Now twelve whole reviews, written by your trained model with drafts from the table.

# %% draw=true
# Twelve reviews, written with drafts and without
with waiting_for("Exercises 12.15 and 12.16, and the training in 12.7"):
    trained = models.get("block of today")
    experiments.needs(trained)
    found = {
        drafts: [experiments.speculate(trained, accepted, adjusted, drafts, seed) for seed in range(12)]
        for drafts in (0, 1, 2, 4, 8)
    }
    opening = len(corpora.vocabulary().batch([experiments.OPENING], eos=False)[0])
    show_table(figures.written_table(found, opening))
    print(corpora.vocabulary().decode(found[4][0].ids))

# %% [markdown]
# Though the table knows only one word of the past, four drafts brought
# {measured.training_cheaper.4_drafts.tokens_per_call} tokens per call in our run. Further drafts bring less: they are
# seldom reached. (The last column assumes the same probability for every draft.)

# %% [markdown]
# ## 12.17 The block of 2026
#
# Five published models, as of November 2026. RMS norms, rotary positions and a gate are in all of them. They differ
# in how much they cache and how few weights they use per token. (*Clamped*: large numbers are cut off.
# *Sinks*: in each head, one more learned score in the softmax, which reads nothing. *YaRN*: slows the slow pairs of
# 12.3. *Index*: keys of the small attention named below.)

# %% draw=true
# The blocks of five published models
show_table(figures.published())

# %% [markdown]
# Not built here:
#
# - **Sparse attention**: a small attention chooses the positions that the large one reads, 2,048 in GLM-5 (DeepSeek-AI
#   2025, *DeepSeek-V3.2*).
# - **Heads for several tokens**: the model also predicts tokens beyond the next one, and uses them as drafts
#   (Gloeckle et al. 2024; DeepSeek-AI 2024, *DeepSeek-V3*, section 2.2).
# - **Training in fp8**, with a scale for each small group (*DeepSeek-V3*, section 3.3).

# %% [markdown]
# ## 12.18 A letter to a friend
#
# **Question 12.18** · graded by hand · 10 minutes · 5 points
#
# A friend runs a chat service and says: "Our model answers too slowly, and its computers cost too much. I have read
# about grouped heads, int8, speculative decoding and experts. Which should I switch on tonight?" Answer in a short
# letter. Say for each of the four what it saves (memory, work or waiting), whether it changes the answers, and
# whether it works on the model as it is. Use two numbers that you measured.

# %% [markdown] written="modern.letter" points=5
# ### BEGIN SOLUTION
# **Model answer.** Tonight: int8 and speculative decoding, since both work on the model as it is. With one byte per
# weight, the maps take half the memory if they are in bfloat16 now, a quarter if in float32, and answers change a
# little: here 4 bits raised the loss by {measured.training_cheaper.4_bits.change_of_the_loss_nats_per_token.1:.4f}
# nats per token, and 8 bits hardly changed it. Speculative decoding saves waiting, not work: the small model's
# drafts are extra, and those rejected are wasted. But the answers are exactly as probable as before; in 4,000
# trials the words came out as the large model has them. Here a table of word pairs, drafting four words at once,
# brought {measured.training_cheaper.4_drafts.tokens_per_call} tokens per call; a small model more like the large
# one saves more. Grouped heads shrink the cache by the number of heads that share, which saves memory for many
# users at once, but that is a different model: it has to be trained that way, or at least trained further after
# heads are merged. Experts save work for each token at a given number of weights, but all of them still need
# memory. That, too, is a different model.
#
# **Rubric**
# - 1 point: int8: memory, nearly the same answers, can be done to the model as it is.
# - 1 point: speculative decoding: waiting (fewer calls one after another), exactly the same distribution, as it is,
#   needs a small model.
# - 1 point: grouped heads: the cache's memory; a different model.
# - 1 point: experts: work for each token, not memory; a different model.
# - 1 point: two numbers measured in the lesson, used rightly.
# ### END SOLUTION

# %% [markdown]
# ## 12.19 What to remember
#
# - An RMS norm is a layer norm without the mean. A gate is a third map that multiplies.
# - Attention today normalises queries and keys, turns them by position, and shares keys and values. The two
#   conventions for rotary positions differ only in the order of rows.
# - A single run shows little. A ladder shows what each change does, with equal weights and tokens, tuned rates,
#   several seeds, and time counted.
# - Experts: each token uses few of many weights. The router chooses, and a loss or biases spread the tokens.
# - One byte per weight is enough for running, and here little more than half of one. Training needs more.
# - With absorbed maps, queries read a cache of latents and get what keys and values would give. A state of fixed
#   size costs the same for every token, and forgets.
# - Drafts are judged in one call, and the texts are exactly as probable as the large model's.
#
# **Sources.** Zhang and Sennrich 2019, *Root mean square layer normalization*. Shazeer 2020, *GLU variants improve
# Transformer*. Su et al. 2021, *RoFormer*. Ainslie et al. 2023, *GQA*. Henry et al. 2020, *Query-key normalization
# for Transformers*. Dehghani et al. 2023, *Scaling vision Transformers to 22 billion parameters*. Chowdhery et al.
# 2022, *PaLM*. Touvron et al. 2023, *LLaMA*. Yang et al. 2025, *Qwen3 technical report*. Shazeer et al. 2017,
# *Outrageously large neural networks*. Fedus, Zoph and Shazeer 2022, *Switch Transformers*. Jiang et al. 2024,
# *Mixtral of experts*. Dai et al. 2024, *DeepSeekMoE*. Wang et al. 2024, *Auxiliary-loss-free load balancing strategy
# for mixture-of-experts*. Xiong et al. 2023, *Effective long-context scaling of foundation models*. Dettmers et al.
# 2022, *LLM.int8()*. Dettmers and Zettlemoyer 2023, *The case for 4-bit precision*. Micikevicius et al. 2018, *Mixed
# precision training*. DeepSeek-AI 2024, *DeepSeek-V2* and *DeepSeek-V3*; 2025, *DeepSeek-V3.2*; 2026, *DeepSeek-V4*.
# Katharopoulos et al. 2020, *Transformers are RNNs*. Yang et al. 2024, *Gated delta networks*. Gloeckle et al. 2024,
# *Better & faster large language models via multi-token prediction*. Leviathan, Kalman and Matias 2023, *Fast
# inference from Transformers via speculative decoding*. Chen et al. 2023, *Accelerating large language model decoding
# with speculative sampling*.
