# %% [markdown]
# # 4 · Masks
#
# - **You will learn** who may look where, and why that decides what a model can learn. You will write the masks of
#   a decoder, the kind of model that writes a text word by word. You will catch models that peek at the answer, show
#   that one masked pass does the work of many, give a decoder a memory, and see where a bias belongs.
# - **You need** scaled dot-product attention (lesson 1), heads (lesson 2), broadcasting, and what a gradient is.
# - **Time** {minutes} minutes. Sections 4.1 to 4.8 and 4.9 to 4.14 fit two sittings.
#
# Two conventions hold throughout the course: **a mask is boolean, and True means "may attend"**, and positions count
# from 0, as in code. Rows are queries, columns are keys.

# %% setup=true
import math

import torch
from IPython.display import display

from helpers.attention import scaled_dot_product_attention
from helpers.attention.explorers import writing_explorer
from helpers.attention.writer import REVIEW, own_reader
from helpers.checks import case, check
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.masking import drawings, experiments, explorers, figures

torch.set_num_threads(1)  # for small tensors: two cores would mostly wait for each other

# %% [markdown]
# ## 4.0 Catch the slip
#
# Here are three short pieces of work on lessons 2 and 3. Each is right, or has one slip that is easy to make.

# %% recall="masking.recall_add"

# %% recall="masking.recall_penalty"

# %% recall="masking.recall_off"

# %% [markdown]
# ## 4.1 A word that must not be seen
#
# A language model reads *the cat sat* and predicts the next word. To train it, take a sentence from a book and
# let **every** position predict the word after it. So one sentence gives T questions with known answers, one for each
# of its T positions.
#
# There is a catch: the answer to each question $i$ but the last is in the same input, at position $i + 1$. Self-attention
# looks everywhere, so it would simply look there. The **causal mask** forbids that: position $i$ may look at position $j$
# only if $j$ isn't later.
#
# $$M_{ij} = \text{True} \iff j \le i$$
#
# **By hand**, for T = 3. Row 0 may see column 0, row 1 columns 0 and 1, row 2 all three. That is a triangle, including
# the diagonal: word $i$ is known when word $i + 1$ is to be predicted.
#
# The mask is usually explained in two ways: −∞ in the scores gives weight 0, and all positions can be trained at
# once. Both are right. You will draw the triangle in 4.4 and test the second explanation in 4.7.

# %% draw=true
# A mask beside the scores it hides
show(drawings.beside_scores())

# %% [markdown]
# **Exercise 4.1** · difficulty 1 of 5 · 4 minutes · 2 points
#
# **Return the causal mask of T positions: True where a query may look at a key.**
#
# <details><summary>Hint 1</summary>Of a T × T tensor of ones, which triangle do you keep?</details>
# <details><summary>Hint 2</summary><code>torch.tril</code> keeps the lower left, <code>torch.triu</code> the upper
# right. Check the diagonal, and the dtype that comes out.</details>
# <details><summary>The idea</summary>The lower triangle of a matrix of ones, with the diagonal, as booleans. Or
# compare each column number with each row number.</details>


# %% exercise="masking.causal"
def causal_mask(T):
    """Who may look where when nobody may look ahead.

    Args:
        T: the number of positions.

    Returns:
        Boolean, (T, T). True means "may attend".
    """
    ### BEGIN SOLUTION
    return torch.ones(T, T, dtype=torch.bool).tril()
    ### END SOLUTION


# %% check="masking.causal"
check("masking.causal", causal_mask)

# %% [markdown]
# ## 4.2 Words that aren't there
#
# **Why.** A batch is one tensor, but sentences differ in length. So the short ones are padded with a special word
# that means nothing, the **padding**. No query should look at it.
#
# **Formula.** With $n_b$ words in sentence $b$ and padding at its end, position $j$ holds a word if $j < n_b$.
#
# **By hand.** Two sentences of 2 and 3 words, T = 4 positions:
#
# | | 0 | 1 | 2 | 3 |
# | --- | --- | --- | --- | --- |
# | *cats sleep* | True | True | False | False |
# | *the cat sleeps* | True | True | True | False |
#
# **Exercise 4.2** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Return where each padded sentence has words: True for a word, False for padding.**
#
# <details><summary>Hint 1</summary><code>torch.arange(T)</code> is the row of positions. With what is each position
# compared?</details>
# <details><summary>Hint 2</summary>(T,) and (B,) don't broadcast to (B, T). What shape must <code>lengths</code>
# have for that?</details>
# <details><summary>The idea</summary>One comparison of (T,) with (B, 1) gives (B, T).</details>


# %% exercise="masking.padding"
def padding_mask(lengths, T):
    """Where a batch of sentences, padded at their ends, has words.

    Args:
        lengths: how many words each sentence has, (B,), integers.
        T: positions of each padded sentence.

    Returns:
        Boolean, (B, T). True is a word, False is padding.
    """
    ### BEGIN SOLUTION
    return torch.arange(T) < lengths.unsqueeze(-1)
    ### END SOLUTION


# %% check="masking.padding"
check("masking.padding", padding_mask)

# %% [markdown]
# ## 4.3 Both at once, by broadcasting
#
# **Why.** A decoder needs both: no looking ahead, and no looking at padding. A key may be seen if **both** masks
# allow it.
#
# $$M_{bij} = (j \le i) \wedge \text{real}_{bj}$$
#
# Look at the indices: the causal part doesn't depend on the sentence, and the padding part doesn't depend on the
# query. No query may look *at* padding, so the mask hides its keys, which are **columns**. Broadcasting compares
# sizes from the right, and repeats an axis of size 1:
#
# | | sentence | query | key |
# | --- | --- | --- | --- |
# | causal | | T | T |
# | padding | B | 1 | T |
# | both | B | T | T |
#
# **By hand.** One sentence of 3 positions, the first of which is padding: real = (False, True, True). Row 0 could
# see only column 0, which is padding, so it sees nothing. Row 1 sees column 1. Row 2 sees columns 1 and 2.
#
# Padding goes in front when a model has to continue a batch of texts: then all last words are in the same column.

# %% draw=true
# One row of padding, copied down for each query
show(drawings.both_masks())

# %% [markdown]
# **Exercise 4.3** · difficulty 2 of 5 · 6 minutes · 3 points
#
# **Return one mask that hides both later words and padding.**
#
# <details><summary>Hint 1</summary>Which of the two parts did you write in 4.1?</details>
# <details><summary>Hint 2</summary>The T in <code>real</code>, (B, T), counts keys. Where does the axis of size 1
# for the queries go?</details>
# <details><summary>The idea</summary>A key must be allowed by both: the causal mask & real, as (B, 1, T).</details>


# %% exercise="masking.both"
def decoder_mask(real):
    """Who may look where: not ahead, and not at padding.

    Args:
        real: where the words are, boolean, (B, T).
            The padding may be anywhere.

    Returns:
        Boolean, (B, T, T): sentence, query,
        key. True means "may attend".
    """
    ### BEGIN SOLUTION
    return causal_mask(real.size(-1)) & real.unsqueeze(-2)
    ### END SOLUTION


# %% check="masking.both"
check("masking.both", decoder_mask)

# %% draw=true
# The two halves of the mask, and both at once
tokens = ["pad", "pad", "the", "cat", "sat"]
real = torch.tensor([[token != "pad" for token in tokens]])
with waiting_for("Exercises 4.1 and 4.3"):
    pictures = {"causal": causal_mask(5), "padding": real, "both": decoder_mask(real)[0]}
    show(figures.masks(pictures, tokens, tokens))

# %% [markdown]
# The padding hides two whole columns, and two rows are left with nothing at all. Section 4.5 deals with them.
#
# With the padding at the end, the causal mask alone would be enough for every real word, since all padding is in
# its future. An encoder, a model that only reads, has no causal mask, so it always needs the padding mask.
#
# **With heads**, this mask needs an axis of size 1 for them, (B, 1, T, T). Without it, if B happens to equal H,
# there is no error, and mask b is applied to head b (2.4).

# %% [markdown]
# ## 4.4 A figure of your own
#
# **Why.** A figure shows at once who may look where. A screen reader or a terminal needs words instead, so we begin
# with these.
#
# For *the cat sat* and the causal mask: *the* sees the; *cat* sees the, cat; *sat* sees the, cat, sat.
# This lists them:


# %%
def who_sees_whom(mask, words):
    """For each query, the words that it may
    attend to: a boolean mask (T_q, T_k) as lists.
    """
    return [[word for word, shown in zip(words, row, strict=True) if shown] for row in mask.tolist()]


# %% [markdown]
# Now draw it. The next cell is yours, and isn't graded. It has the first few lines of such a figure. Turn it into
# one that you would put in a report:
#
# 1. Take a sentence of your own.
# 2. Mark allowed cells by more than colour, for example with `ax.text(column, row, "✓")`: not all readers can
#    distinguish colours.
# 3. Beside it, draw a sentence with padding in front, or an encoder's mask (`plots.panels(2)` gives two axes).

# %% draw="open"
# Who may look where, under the causal mask
sentence = ["the", "cat", "sat", "on", "the", "mat"]
with waiting_for("Exercise 4.1"):
    mask = causal_mask(len(sentence))
    ax = plots.panels(1, width=4.2, height=3.6)[0]
    ax.imshow(mask, cmap="cividis")
    ax.set_xticks(range(len(sentence)), sentence, rotation=40)
    ax.set_yticks(range(len(sentence)), sentence)
    ax.set(title="Yellow: may look", xlabel="at whom (keys)", ylabel="who looks (queries)")
    rows = zip(sentence, who_sees_whom(mask, sentence), strict=True)
    show(ax, alt="; ".join(f"{query} sees {', '.join(keys) or 'nothing'}" for query, keys in rows))

# %% [markdown]
# ## 4.5 Nothing to look at
#
# Some rows of a mask are empty: those of padding in front, or of a sentence without words. Lesson 1's attention sets
# such a row to −∞, and its softmax is 0/0, which is NaN, "not a number". Does that matter, if nobody reads the outputs
# of padding? In this text two positions of padding come before *the* and *cat*, and the loss will use only the outputs
# of the two words.

# %%
torch.manual_seed(0)
q, k, v = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 2, requires_grad=True)
allowed = torch.tensor([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]).bool()  # pad, pad, the, cat
output, weights = scaled_dot_product_attention(q, k, v, allowed)
output.detach()

# %% predict="masking.nan"

# %% draw=true
# The gradient of v, for a loss on the two words alone
with waiting_for("your prediction"), after_predicting("masking.nan"):
    (gradient,) = torch.autograd.grad(output[2:].sum(), v, retain_graph=True)
    print("gradient of v", gradient, sep="\n")

# %% [markdown] reveals="masking.nan"
# The loss uses only good rows. Still, the gradient is NaN everywhere, and after one step of training so is every
# parameter that v was computed from. The reason: the gradient of v is $w^\top g$, where $g$ is the gradient of the
# output, and the bad rows have $w$ = NaN and $g$ = 0. **0 · NaN is NaN.** So it doesn't help to replace the NaN in the
# output, or to multiply it by 0. It must be gone before the product with v, or better, never arise.

# %% [markdown]
# Libraries differ. For such a row, in the version of PyTorch that this course uses, `scaled_dot_product_attention`
# returns zeros, and `torch.nn.MultiheadAttention` can return NaN. You will see both in 4.10.
#
# **Formula.** We want zeros. So the weights of an ordinary row stay as before, and an empty row gets 0:
#
# $$w_{ij} = \frac{M_{ij}\, e^{s_{ij}}}{\sum_k M_{ik}\, e^{s_{ik}}} \quad\text{or 0 where the sum is empty}$$
#
# **By hand.** Scores 0 and 0. Mask (True, True): weights ½ and ½. Mask (False, True): weights 0 and 1. Mask (False,
# False): weights 0 and 0.
#
# **Exercise 4.5** · difficulty 3 of 5 · 8 minutes · 4 points
#
# **Return the softmax of each row over what the mask allows, and zeros for a row that may look at nothing.**
#
# The check looks at gradients too.
#
# <details><summary>Hint 1</summary>Which finite number hides as well as −∞ in an ordinary row? What does the softmax
# make of a row that holds nothing else?</details>
# <details><summary>Hint 2</summary><code>torch.finfo(scores.dtype).min</code>, the lowest number of a dtype, makes
# no NaN. After the softmax, what can you still do to the weights of an empty row?</details>
# <details><summary>The idea</summary>Hide twice: finite scores before the softmax, and weights of 0 after it. In an
# ordinary row the hidden weights are 0 already, so the second time changes nothing there.</details>


# %% exercise="masking.softmax"
def masked_softmax(scores, mask):
    """The weights of each query, all of them 0
    if it has nothing to look at.

    Args:
        scores: (..., T_q, T_k).
        mask: boolean, broadcastable to
            (..., T_q, T_k). True means "may attend".

    Returns:
        The weights, (..., T_q, T_k). No NaN, nor in gradients.
    """
    ### BEGIN SOLUTION
    hidden = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    return hidden.softmax(dim=-1).masked_fill(~mask, 0.0)
    ### END SOLUTION


# %% check="masking.softmax"
check("masking.softmax", masked_softmax)

# %% [markdown]
# The rest of attention is as in lesson 1:


# %%
def masked_attention(q, k, v, mask):
    """Scaled dot-product attention in which a query with nothing to
    look at gets zeros. As in lesson 1, q (..., T_q, d_k), k (...,
    T_k, d_k) and v (..., T_k, d_v) give the outputs (..., T_q, d_v)
    and the weights (..., T_q, T_k).
    """
    weights = masked_softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), mask)
    return weights @ v, weights


# %% draw=true
# Weights and gradient, without NaN
with waiting_for("Exercise 4.5"):
    without_nan, weights = masked_attention(q, k, v, allowed)
    (gradient,) = torch.autograd.grad(without_nan[2:].sum(), v)
    print("gradient of v", gradient, sep="\n")
    words = ["pad", "pad", "the", "cat"]
    ax = plots.heatmap(weights, words, words, mask=allowed, title="Weights, without NaN")
    rows = weights[2:, 2:].detach().tolist()
    show(ax, alt=f"The rows of the padding are all 0. Those of the two words: {rows}")

# %% [markdown]
# The two words get their gradient, the padding gets 0.

# %% [markdown]
# ## 4.6 A leak detector
#
# **Why.** A model that peeks at the answers has the lowest training loss of all, and is worthless. To catch it, ask
# the model itself: *does output $i$ change when input $j$ changes?* The derivative tells, and autograd computes it.
#
# $$\text{sees}_{ij} = \text{True} \iff \frac{\partial\, \text{output}_i}{\partial\, \text{input}_j} \ne 0$$
#
# Output $i$ and input $j$ are vectors, so the derivative is a matrix, with a number for each pair of features. One
# number other than 0 is enough. A model **leaks** if there is a True above the diagonal.
#
# Use random inputs. At a special one, such as all zeros, a derivative can be 0 although output $i$ does depend on
# input $j$.
#
# **By hand.** Running sums: $y_0 = x_0$, $y_1 = x_0 + x_1$, $y_2 = x_0 + x_1 + x_2$. The derivatives are 1 where
# $j \le i$ and 0 elsewhere: a lower triangle, no leak. The mean of all three, written everywhere: 1/3 in all nine
# entries, a leak.
#
# **Exercise 4.6** · difficulty 4 of 5 · 12 minutes · 4 points
#
# **Return which inputs each output of a layer depends on, judged by gradients.**
#
# <details><summary>Hint 1</summary><code>torch.autograd.functional.jacobian(layer, x)</code> has shape (T, d_out,
# T, d). Which two axes do you have to reduce?</details>
# <details><summary>Hint 2</summary>What can go wrong if you add up the derivatives, or an output's features before
# differentiating? Think of +2 and −2.</details>
# <details><summary>The idea</summary>A pair of positions is connected if any pair of their features is.</details>


# %% exercise="masking.sees"
def sees(layer, x):
    """Which inputs each output of a layer depends on.

    Args:
        layer: a function from (T, d) to (T, d_out).
        x: (T, d), the input at which to ask.

    Returns:
        Boolean, (T, T). True at [i, j]
        where output i depends on input j.
    """
    ### BEGIN SOLUTION
    slopes = torch.autograd.functional.jacobian(layer, x)  # (T, d_out, T, d)
    return (slopes != 0).any(dim=3).any(dim=1)
    ### END SOLUTION


# %% check="masking.sees"
check("masking.sees", sees)

# %% [markdown]
# Here are four suspects. Each sets the weights of the future to 0. Read them and decide which leak.

# %%
torch.manual_seed(1)
T, d = 5, 4
x = torch.randn(T, d)
W_q, W_k, W_v = (torch.randn(d, d) / math.sqrt(d) for _ in range(3))
future = torch.ones(T, T).triu(1).bool()


def suspect_a(x):
    scores = (x @ W_q) @ (x @ W_k).T / math.sqrt(d)
    weights = scores.masked_fill(future, -math.inf).softmax(dim=-1)
    return weights @ (x @ W_v), weights


def suspect_b(x):
    scores = (x @ W_q) @ (x @ W_k).T / math.sqrt(d)
    weights = scores.softmax(dim=-1).masked_fill(future, 0.0)
    return weights @ (x @ W_v), weights


def suspect_c(x):
    scores = (x @ W_q) @ (x @ W_k).T / math.sqrt(d)
    weights = scores.masked_fill(future, -math.inf).softmax(dim=0)
    return weights @ (x @ W_v), weights


def suspect_d(x):
    return suspect_a((x - x.mean(dim=0)) / x.std(dim=0))


suspects = {"A": suspect_a, "B": suspect_b, "C": suspect_c, "D": suspect_d}

# %% draw=true
# The weights of the four suspects
places = [str(place) for place in range(T)]
axes = plots.panels(4, width=2.7, height=2.6)
for ax, (name, suspect) in zip(axes, suspects.items(), strict=True):
    plots.heatmap(suspect(x)[1], places, places, title=f"weights of {name}", ax=ax)
show(axes[0])

# %% predict="masking.suspects"

# %% draw=true
# What your detector finds
with waiting_for("Exercise 4.6"), after_predicting("masking.suspects"):
    pictures = {}
    for name, suspect in suspects.items():
        table = sees(lambda x, suspect=suspect: suspect(x)[0], x)
        pictures[f"{name} {'leaks' if table.triu(1).any() else 'is clean'}"] = table
    show(figures.masks(pictures, places, places, axes_are=("outputs", "inputs")))

# %% [markdown] reveals="masking.suspects"
# All four show a clean triangle of weights, and three of them leak:
#
# - **B** hides the future after the softmax. The hidden weights are 0, but the denominator contains the hidden
#   scores, so every other weight depends on them.
# - **C** takes the softmax over the queries. A column's denominator contains queries that are still to come.
# - **D** has correct attention. But before that, every feature is normalised over the positions, with the mean and the
#   standard deviation of the whole sentence.
#
# So a figure of the weights proves nothing. Gradients test the whole model, not only its attention weights.

# %% [markdown]
# ## 4.7 One pass instead of many
#
# **Why.** With the mask, all positions can be trained at once (4.1). To see why that needs a mask, compare two ways
# to get a prediction at each position of a sentence of T words:
#
# 1. **T passes**, one for each prefix: *the*, *the cat*, *the cat sat*, and so on, keeping the last output of each.
#    Here there is no future that could leak. This is how the model will be *used*.
# 2. **One pass** over the whole sentence.
#
# If output $i$ depends only on the inputs up to $i$, the inputs after them don't matter, and both ways give the same:
#
# $$\text{layer}(x_0 \dots x_{T-1})_i = \text{layer}(x_0 \dots x_i)_i$$
#
# **By hand.** Running sums of (1, 2, 4): one pass gives (1, 3, 7). The prefixes give (1), (1, 3), (1, 3, 7), with last
# entries 1, 3, 7: equal. The mean: one pass gives 7/3 three times, the prefixes 1, 1.5, 7/3: different.
#
# **Exercise 4.7** · difficulty 2 of 5 · 6 minutes · 3 points
#
# **Run the layer on each prefix of x, and return the last output of each.**
#
# <details><summary>Hint 1</summary>How do you cut the first n positions from (..., T, d)? In an index,
# <code>...</code> stands for any axes in front.</details>
# <details><summary>Hint 2</summary>Which output of each pass do you keep? Put these together along the axis of
# positions.</details>
# <details><summary>The idea</summary>A text of T words is T texts. Each is read to its end, and only the last
# output counts.</details>


# %% exercise="masking.prefixes"
def prefix_passes(layer, x):
    """The last output of a layer on each prefix of x:
    T passes, in none of which there is a future.

    Args:
        layer: a function from (..., n, d) to
            (..., n, d_out), for any n from 1.
        x: (..., T, d).

    Returns:
        (..., T, d_out).
    """
    ### BEGIN SOLUTION
    last = [layer(x[..., : end + 1, :])[..., -1, :] for end in range(x.size(-2))]
    return torch.stack(last, dim=-2)
    ### END SOLUTION


# %% check="masking.prefixes"
check("masking.prefixes", prefix_passes)


# %%
def causal_layer(x):
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    return masked_attention(q, k, v, causal_mask(x.size(-2)))[0]


def open_layer(x):
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    return scaled_dot_product_attention(q, k, v)[0]


# %% predict="masking.one_pass"

# %% draw=true
# How far one pass is from a pass for each prefix
with waiting_for("Exercises 4.1, 4.5 and 4.7"), after_predicting("masking.one_pass"):
    for name, layer in (("with the mask", causal_layer), ("without", open_layer)):
        gap = (layer(x) - prefix_passes(layer, x)).abs().max()
        print(f"{name:14} largest difference between one pass and T passes: {gap:.7f}")
    answers = torch.randn(T, d)  # something to predict, one vector for each position
    point = x.clone().requires_grad_()
    losses = [
        (outputs - answers).square().sum()
        for outputs in (causal_layer(point), prefix_passes(causal_layer, point))
    ]
    one, many = (torch.autograd.grad(loss, point)[0] for loss in losses)
    print(f"with the mask  largest difference between their gradients:       {(one - many).abs().max():.7f}")

# %% [markdown] reveals="masking.one_pass"
# With the mask, one pass *is* T passes: the outputs and the gradients are the same, up to rounding. So a training
# step on a whole sentence learns from T questions at once. Without it they differ: the model is trained for one
# task and used for a different one. **The mask makes it possible to train without a loop over positions.**

# %% [markdown]
# One pass computes T² scores. The prefixes compute 1 + 4 + 9 + ... + T², about T³/3.

# %% draw=true
# How long one pass takes, and a pass for each prefix
from helpers.timing import seconds

with waiting_for("Exercises 4.1, 4.5 and 4.7"), torch.no_grad():
    lengths, times = [16, 32, 64, 128, 256], {"one pass for each prefix": [], "one masked pass": []}
    for length in lengths:
        words = torch.randn(8, length, d)
        times["one pass for each prefix"].append(1000 * seconds(prefix_passes, causal_layer, words, laps=3))
        times["one masked pass"].append(1000 * seconds(causal_layer, words, laps=3))
    title = "Outputs for all positions, 8 sentences"
    show(plots.lines(lengths, times, xlabel="words T", ylabel="milliseconds", title=title, log="xy"))

# %% [markdown]
# The longer the sentence, the wider the gap. At 256 words the loop takes many times as long, for the same outputs.

# %% [markdown]
# ## 4.8 What a leak costs
#
# Let us train two models that differ only in the mask. Their texts come from a random process that we know. There
# are 8 words, 0 to 7. With probability 0.7, word n is followed by n + 1 (and 7 by 0), otherwise by one of the
# other seven, all equally likely. Nothing else can be predicted, so the best possible loss is the **entropy** of
# the next word, here in **nats**, the unit of natural logarithms:
#
# $$H = -0.7 \ln 0.7 - 0.3 \ln \tfrac{0.3}{7} = 1.19 \text{ nats per word}$$
#
# Blind guessing costs ln 8 = 2.08. Each model has one layer of your attention. We measure its loss in two ways: in
# one pass, as in training, and with your `prefix_passes`, as in use.

# %%
VOCABULARY, LENGTH, WIDTH, FOLLOWS = 8, 12, 24, 0.7
entropy = -FOLLOWS * math.log(FOLLOWS) - (1 - FOLLOWS) * math.log((1 - FOLLOWS) / (VOCABULARY - 1))


def texts(count, generator):
    """Texts of this process, (count, LENGTH + 1):
    each word depends on the one before.
    """
    words = [torch.randint(VOCABULARY, (count,), generator=generator)]
    for _ in range(LENGTH):
        beyond = torch.randint(1, VOCABULARY, (count,), generator=generator)
        beyond[torch.rand(count, generator=generator) < FOLLOWS] = 0  # the following word itself
        words.append((words[-1] + 1 + beyond) % VOCABULARY)
    return torch.stack(words, dim=1)


# %% predict="masking.leak"


# %% draw=true
# The loss with the mask and without it, in training and in use
with waiting_for("Exercises 4.1, 4.5 and 4.7"), after_predicting("masking.leak"):
    masks = {"with": causal_mask(LENGTH), "without": torch.ones(LENGTH, LENGTH, dtype=torch.bool)}
    parts, sizes = (masked_attention, prefix_passes), (VOCABULARY, WIDTH)
    trained = {
        name: [experiments.losses(mask, *parts, texts, sizes, seed) for seed in range(3)]
        for name, mask in masks.items()
    }
    show(figures.losses(trained, {"entropy": entropy, "blind guessing": math.log(VOCABULARY)}))
    for name, runs in trained.items():
        said = [f"{one:.2f} in training, {many:.2f} in use" for one, many in runs]
        print(f"{name:8}", "   ".join(said))

# %% [markdown] reveals="masking.leak"
# Without the mask, the loss in one pass falls far *below* the entropy. On new texts, no model can do that without
# seeing the future. So **a loss far below the entropy, on new texts, proves a leak**. (On old texts it doesn't,
# because a model can memorise a text; here every batch is new. And a loss just below the entropy can be chance, since
# we average over a limited number of texts.) In use, where there is no future, this model is worse than blind guessing: it has
# learned to copy an answer that is no longer there. With the mask the two losses are the same, and near the
# entropy.

# %% [markdown]
# **Question 4.8** · graded by hand · 8 minutes · 5 points
#
# A colleague trains a language model. The training loss is the lowest she has ever seen, but the model writes
# rubbish. She shows you the attention weights of each layer: above the diagonal there are only zeros. She
# concludes that nothing can leak. Is she right? Name two faults that fit everything she says. Say how you would find
# each, and what you would measure first.

# %% [markdown] written="masking.diagnose" points=5
# ### BEGIN SOLUTION
# **Model answer.** She isn't right: weights of 0 above the diagonal mean that no value of the future is averaged
# in, but not that the weights were computed without the future. (1) The weights may be set to 0 after the softmax:
# the hidden scores are still in its denominator. Its rows then don't sum to 1, which can be seen, and the gradient
# of output i with respect to input j > i isn't 0. (2) The softmax may run over the queries: the columns sum to 1
# instead of the rows. (3) Something besides attention may mix positions: a normalisation over the positions, a
# convolution that looks both ways, a mean over the sentence that is added. (4) The targets may not be shifted, so
# that each position predicts the word it has just read; then nothing leaks in the model, but it is trained on the
# wrong task. First I would measure whether one pass gives the same outputs as a pass for each prefix, or the
# gradients of outputs with respect to later inputs, on the whole model with random inputs; where there is a leak, I
# would repeat it part by part. A loss far below the entropy of the text, if that is known, is a proof of a leak as
# well, on texts that the model hasn't trained on.
#
# **Rubric**
# - 1 point: no; weights of 0 above the diagonal don't prove that nothing leaks.
# - 1 point: a fault that leaves the triangle of weights clean: "she forgot the mask" doesn't.
# - 1 point: a second such fault.
# - 1 point: how to find them: gradients of output i by input j > i, or one pass against prefixes, or row sums.
# - 1 point: measures the whole model first, then its parts, or names a different order with a reason.
# ### END SOLUTION

# %% [markdown]
# ## 4.9 A decoder with a memory
#
# **Why.** A model that *writes* can't compute all positions in one pass: word 5 doesn't exist until word 4 is
# written. So it runs prefix by prefix after all. But one more word changes little. The queries, keys and values of
# the old words stay the same and, thanks to the mask, so do their outputs. Only the last row is new.
#
# So keep the keys and values, and compute only the new word's query, key and value. This store is called the **KV
# cache**.
#
# $$\text{output}_t = \text{Attention}(q_t,\; [k_0 \dots k_t],\; [v_0 \dots v_t])$$
#
# **By hand**, all sizes 1. Stored: keys 0 and 0, values 10 and 20. The new word has query 1, key 0, value 60. All three
# scores are 0, the weights are 1/3, the output is **30**, and the cache now has three keys and three values.
#
# One new word needs no mask: it is the last, and may look at everything stored and at itself. But there may be N
# new words at once, such as a question that a user has typed. With P stored positions, new word $n$ is at
# position $P + n$, and has that position's row of the mask:
#
# | P = 2, N = 2 | key 0 | key 1 | key 2 | key 3 |
# | --- | --- | --- | --- | --- |
# | new word 0 | True | True | True | False |
# | new word 1 | True | True | True | True |

# %% draw=true
# One new row, and what is stored
show(drawings.cache())

# %% [markdown]
# **Exercise 4.9a** · difficulty 4 of 5 · 12 minutes · 4 points
#
# **Return the new positions' outputs, and a new cache that has their keys and values after the old ones.**
#
# <details><summary>Hint 1</summary>What must the cache hold before the new positions can attend? Find the axis
# along which it grows.</details>
# <details><summary>Hint 2</summary>The mask is (N, P + N). <code>tril</code> takes a <code>diagonal</code>. Which
# one gives the table above?</details>
# <details><summary>The idea</summary>Append first, then attend: only the new positions ask, and their mask is the
# last N rows of the causal mask for all P + N positions.</details>


# %% exercise="masking.cache"
def cached_step(cache, x, W_q, W_k, W_v):
    """Causal self-attention for N new positions,
    with keys and values of P earlier ones stored.

    Args:
        cache: a dict of "k", (..., P, d_k), and "v", (..., P, d_v). P
            may be 0. It isn't changed.
        x: the new positions, (..., N, d).
        W_q: (d, d_k).
        W_k: (d, d_k).
        W_v: (d, d_v).

    Returns:
        The outputs of the new positions, (..., N, d_v), and a new dict
        with P + N keys and values.
    """
    ### BEGIN SOLUTION
    k = torch.cat([cache["k"], x @ W_k], dim=-2)
    v = torch.cat([cache["v"], x @ W_v], dim=-2)
    N, total = x.size(-2), k.size(-2)
    mask = torch.ones(N, total, dtype=torch.bool).tril(total - N)
    output, _ = masked_attention(x @ W_q, k, v, mask)
    return output, {"k": k, "v": v}
    ### END SOLUTION


# %% check="masking.cache"
check("masking.cache", cached_step)


# %%
def word_by_word(x):
    """All outputs of a sentence (..., T, d),
    one word at a time, with a cache.
    """
    cache = {"k": (x @ W_k)[..., :0, :], "v": (x @ W_v)[..., :0, :]}
    outputs = []
    for t in range(x.size(-2)):
        output, cache = cached_step(cache, x[..., t : t + 1, :], W_q, W_k, W_v)
        outputs.append(output)
    return torch.cat(outputs, dim=-2)


# %% predict="masking.kept"

# %% draw=true
# Word by word, with a cache: the same outputs, and the time
with waiting_for("Exercises 4.1, 4.5, 4.7 and 4.9a"), after_predicting("masking.kept"), torch.no_grad():
    gap = (word_by_word(x) - causal_layer(x)).abs().max()
    print(f"largest difference between word by word, with a cache, and one full pass: {gap:.7f}")
    lengths, times = [16, 32, 64, 128, 256], {"whole prefix each time": [], "with a cache": []}
    for length in lengths:
        words = torch.randn(8, length, d)
        times["whole prefix each time"].append(1000 * seconds(prefix_passes, causal_layer, words, laps=3))
        times["with a cache"].append(1000 * seconds(word_by_word, words, laps=3))
    title = "Writing T words, 8 texts at once"
    show(plots.lines(lengths, times, xlabel="words T", ylabel="milliseconds", title=title, log="xy"))

# %% [markdown] reveals="masking.kept"
# The outputs are the same, and the longer the text, the more the cache saves.

# %% [markdown]
# Here a text is written word by word, with the cache and without. Without it, the same scores of old queries with old
# keys are computed again for each word. Move the slider:

# %% draw=true
# Explore: writing with the cache and without
explorers.cache_explorer(cached_step)

# %% [markdown]
# With the cache, each word takes one row of scores. (Without it, we count only the scores that the mask allows.)
#
# The price is memory: two vectors for each position in each layer. GPT-2 small has 12 layers of width 768 and 1,024
# positions (Radford et al. 2019, section 2.3 and table 2). In 16-bit numbers its cache takes 2 · 12 · 1024 · 768 ·
# 2 bytes = **37.7 megabytes** for one full text. With many texts at once, that adds up.

# %% [markdown]
# **Question 4.9b** · graded by hand · 8 minutes · 5 points
#
# "The mask lets all positions be trained at once." Explain this to a friend who knows attention but not masks. What
# are the questions and answers in one sentence of training text? Why can one pass replace T passes, and what must
# be true of the model for that? Why can't the model *write* all positions at once? Use what you measured in 4.7 to
# 4.9.

# %% [markdown] written="masking.parallel" points=5
# ### BEGIN SOLUTION
# **Model answer.** One sentence of T words holds T questions: given the first i words, which is word i + 1? The
# answers are in the same sentence, one position later. Asked one by one, they take T passes over T prefixes. With
# the causal mask output i depends on the inputs up to i alone, so what comes after makes no difference to it, and
# output i of one pass over the whole sentence is the output of the pass over prefix i. We measured equal outputs
# and equal gradients, up to rounding; without the mask they differed. For this, *no part* of the model may carry
# anything from a later position to an earlier one: every layer must be causal, not only the attention weights.
# In training all words are known beforehand, so all questions can be asked at once, and one pass costs T²
# scores where the prefixes cost about T³/3. In writing, word i + 1 is the model's own answer and the input of the
# next question, so it isn't known before it is written. But the old keys and values needn't be computed again: the
# cache keeps them, and gives the same outputs.
#
# **Rubric**
# - 1 point: one sentence holds T questions, each answered by the next word.
# - 1 point: one pass equals T passes because output i doesn't depend on later inputs.
# - 1 point: this must hold for the whole model, or names another part that could break it.
# - 1 point: words are written one at a time, since each is input to the next.
# - 1 point: uses a measurement: equal outputs or gradients, the times, or the cache.
# ### END SOLUTION

# %% [markdown]
# ## 4.10 Four ways to write a mask
#
# **Why.** Libraries disagree on what True means, and an inverted mask raises no error. Here are four ways to write
# "may see, may see, may not see":
#
# | kind | by hand | used by |
# | --- | --- | --- |
# | `"may attend"` | True, True, False | this course; `attn_mask` of `torch.nn.functional.scaled_dot_product_attention` |
# | `"hidden"` | False, False, True | `attn_mask` and `key_padding_mask` of `torch.nn.MultiheadAttention`; the masks of `torch.nn.Transformer` |
# | `"additive"` | 0, 0, −∞ | PyTorch's functions and modules above, as floats that are added to the scores |
# | `"integer"` | 1, 1, 0 | the `attention_mask` that a Hugging Face tokenizer makes |
#
# In the first two rows *one* library disagrees with itself. Between four kinds there are twelve conversions.
# Instead of writing all twelve, convert any kind to ours, then ours to any kind.
#
# **Exercise 4.10** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Return the same mask in the target's kind.**
#
# <details><summary>Hint 1</summary>How do you get our boolean, <code>may</code>, from each kind? Then write each
# kind from <code>may</code>.</details>
# <details><summary>Hint 2</summary>What does <code>.bool()</code> make of 0 and −∞? For the way back, remember that
# 0 · ∞ is NaN.</details>
# <details><summary>The idea</summary>Use one common form in the middle: every kind is converted to it, and every
# kind is made from it.</details>


# %% exercise="masking.convert"
def convert(mask, source, target):
    """The same mask as another library would write it.

    Args:
        mask: any shape, of the kind `source`.
        source: "may attend" (boolean, True = may), "hidden" (boolean,
            True = may not), "additive" (float32, 0 = may, -inf = may
            not) or "integer" (int64, 1 = may, 0 = may not).
        target: one of the same four.

    Returns:
        The mask in the kind `target`, with its dtype.
    """
    ### BEGIN SOLUTION
    if source == "hidden":
        may = ~mask
    elif source == "additive":
        may = mask == 0
    else:
        may = mask.bool()
    if target == "hidden":
        return ~may
    if target == "additive":
        return torch.zeros(may.shape).masked_fill(~may, -math.inf)
    return may.long() if target == "integer" else may.clone()
    ### END SOLUTION


# %% check="masking.convert"
check("masking.convert", convert)

# %% [markdown]
# Now compare three implementations on one batch: yours, PyTorch's function and PyTorch's module.
# `torch.nn.MultiheadAttention` gets identity matrices, so that only attention itself is compared.

# %%
torch.manual_seed(3)
batch = torch.randn(2, 5, 4)
theirs = torch.nn.MultiheadAttention(4, num_heads=1, bias=False, batch_first=True)
with torch.no_grad():
    theirs.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
    theirs.out_proj.weight.copy_(torch.eye(4))


def three_ways(real):
    """The outputs (2, 5, 4) of four calls, each
    with the mask of the kind that it wants.
    """
    may, causal = decoder_mask(real), causal_mask(5)
    module = {
        "attn_mask": convert(causal, "may attend", "hidden"),
        "key_padding_mask": convert(real, "may attend", "hidden"),
    }
    return {
        "yours": masked_attention(batch, batch, batch, may)[0],
        "function": torch.nn.functional.scaled_dot_product_attention(batch, batch, batch, attn_mask=may),
        "module": theirs(batch, batch, batch, **module, need_weights=False)[0].detach(),
        "module, asked for weights": theirs(batch, batch, batch, **module, need_weights=True)[0].detach(),
    }


# %% draw=true
# How far three implementations are from yours
with waiting_for("Exercises 4.1, 4.2, 4.3, 4.5 and 4.10"):
    at_the_end = padding_mask(torch.tensor([5, 3]), 5)
    for name, real in (("at the end", at_the_end), ("in front", at_the_end.flip(1))):
        yours, *others = three_ways(real).items()
        for other, outputs in others:
            print(f"padding {name:12} {other:28} {(outputs - yours[1]).abs().max():.6f}")
    names = ("may attend", "hidden")
    given = [convert(causal_mask(5), "may attend", name) for name in names]
    right, turned = (
        torch.nn.functional.scaled_dot_product_attention(*3 * [batch], attn_mask=mask) for mask in given
    )
    print(f"inverted mask        function                     {(turned - right).abs().max():.6f}")

# %% [markdown]
# These are the largest differences from your outputs. With padding at the end there are none. With padding in
# front, some rows have nothing to look at, and there the module's output depends on whether you also ask for the
# weights: if you do, it runs different code, and returns NaN. (At least in the version of PyTorch that this course
# uses.)
#
# In the last line the function got an inverted mask: the outputs are wrong, and there is no error. **Test the
# polarity when you call a library**: hide one key, and see whether changing that key changes the output.

# %% [markdown]
# ## 4.11 Where a bias belongs
#
# **Why.** A number added to a score needn't hide its key. It can be any finite number, a **bias** that says how much
# to prefer the key. ALiBi, for example, subtracts a little for each word of distance (Press et al. 2022).
#
# **Formula.** The bias is added to the *scaled* scores:
#
# $$\text{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}} + \text{bias}\right) V$$
#
# **Exercise 4.11** · difficulty 2 of 5 · 4 minutes · 2 points
#
# **Catch the slip: name its line, and the bias that shows it.**
#
# ```text
# 1  def biased_attention(q, k, v, bias):
# 2      scores = (q @ k.transpose(-2, -1) + bias) / math.sqrt(q.size(-1))
# 3      weights = scores.softmax(dim=-1)
# 4      return weights @ v, weights
# ```
#
# Take $d_k = 64$, scores of ordinary size, float32, and weights to four digits.
#
# - **a** · 0 where allowed, −∞ where not
# - **b** · 0 where allowed, −10⁹ where not
# - **c** · −1 for each word of distance
#
# <details><summary>Hint 1</summary>In what order does the formula divide and add?</details>
# <details><summary>Hint 2</summary>Divide each bias by 8. Which of the results still gives a weight of 0?</details>
# <details><summary>The idea</summary>If the bias and an eighth of it both give a weight of 0, nothing changes. If
# not, the weights differ.</details>

# %% exercise="masking.inside"
bias_slip = {"line with the slip": ..., "bias that shows it": ...}
### BEGIN SOLUTION
bias_slip = {"line with the slip": 2, "bias that shows it": "c"}
### END SOLUTION

# %% check="masking.inside"
check("masking.inside", bias_slip)

# %% [markdown]
# So a bias inside the fraction is divided by $\sqrt{d_k}$ too. That is harmless for a mask, which only hides keys, by
# −∞ or by a huge negative number. It is wrong for any bias that weighs keys.
#
# **By hand.** $d_k = 64$, so the root is 8. Two keys with q·k = 0, biases 0 and −2. Outside: $e^0 = 1$ and
# $e^{-2} = 0.135$, weights 0.88 and 0.12. Inside: the bias becomes −0.25, $e^{-0.25} = 0.78$, weights 0.56 and 0.44.
#
# Both as code:


# %%
def biased_weights(q, k, bias):
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) + bias).softmax(dim=-1)


def weights_with_the_slip(q, k, bias):
    return ((q @ k.transpose(-2, -1) + bias) / math.sqrt(q.size(-1))).softmax(dim=-1)


query, keys, bias = torch.zeros(1, 64), torch.zeros(2, 64), torch.tensor([0.0, -2.0])
biased_weights(query, keys, bias), weights_with_the_slip(query, keys, bias)

# %% [markdown]
# How much does that matter? Take −1 for each word of distance, and one query that has the same dot product with all
# 12 keys.

# %% predict="masking.weak_bias"

# %% draw=true
# How much a bias for near words still counts
distance = torch.arange(12.0)
curves = {}
for d_k, function in ((64, biased_weights), (16, weights_with_the_slip), (256, weights_with_the_slip)):
    nothing = torch.zeros(12, d_k)  # all dot products are 0
    where = "outside, any $d_k$" if function is biased_weights else f"inside, $d_k$ = {d_k}"
    curves[where] = function(nothing[:1], nothing, -distance)[0]
title = "A bias of −1 for each word of distance"
with waiting_for("your prediction"), after_predicting("masking.weak_bias"):
    show(plots.lines(distance.tolist(), curves, xlabel="distance (words)", ylabel="weight", title=title))

# %% [markdown] reveals="masking.weak_bias"
# Outside, the nearest key gets most of the weight, whatever $d_k$ is. Inside, the same bias has little effect if
# $d_k$ is large: such a model would look far away where it should look near.

# %% [markdown]
# ## 4.12 Several layers
#
# **Why.** A mask says which positions may look at which in *one* layer. In the next layer, a neighbour already
# contains what it got from its own neighbours, and passes that on. So with each layer a position can know more, even
# under a narrow mask.
#
# **Formula.** A layer of a Transformer adds to a position's vector, so the position also keeps what it had. One
# layer is one step along $S = M \vee I$, with $I$ the identity. After $n$ layers:
#
# $$R_n = (S^n > 0) \qquad R_0 = I$$
#
# with the matrix product: $(S\,R)_{ij}$ counts the positions $k$ that $i$ sees and that know of $j$. One is enough.
#
# **By hand.** A window of two: each position sees itself and the one before it. After one layer position 3 knows of 2
# and 3. After two, of 1, 2 and 3, since position 2 knew of 1. After three, of all from 0 on.
#
# **Exercise 4.12** · difficulty 3 of 5 · 8 minutes · 3 points
#
# **Return what each position can know of after a number of layers with the same mask.**
#
# <details><summary>Hint 1</summary>What does each position know of after 0 layers? Then work out what one more
# layer adds.</details>
# <details><summary>Hint 2</summary><code>@</code> needs numbers. How do you turn booleans into floats, and
# back?</details>
# <details><summary>The idea</summary>Each layer is the same step: a position keeps what it knows, and learns all that
# is known to the positions it sees.</details>


# %% exercise="masking.reach"
def reach(mask, layers):
    """What each position can know of after
    some layers, all with the same mask.

    Args:
        mask: boolean, (T, T). True means "may attend".
        layers: how many. After 0 layers each
            position knows of itself alone.

    Returns:
        Boolean, (T, T). True at [i, j] where
        position i can know of input j.
    """
    ### BEGIN SOLUTION
    itself = torch.eye(mask.size(-1), dtype=torch.bool)
    step, reached = (mask | itself).float(), itself.float()
    for _ in range(layers):
        reached = (step @ reached > 0).float()
    return reached.bool()
    ### END SOLUTION


# %% check="masking.reach"
check("masking.reach", reach)

# %% [markdown]
# So far we have only counted. Now test the result on a real stack of layers, with your leak detector.

# %% draw=true
# What each position knows of after 1 to 4 layers, by your detector
with waiting_for("Exercises 4.1, 4.5, 4.6 and 4.12"):
    torch.manual_seed(5)
    window = causal_mask(6) & ~causal_mask(6).tril(-2)
    stack = [[torch.randn(4, 4) / 2 for _ in range(3)] for _ in range(4)]

    def run(x, layers):
        for query, key, value in stack[:layers]:
            x = x + masked_attention(x @ query, x @ key, x @ value, window)[0]
        return x

    point, labels = torch.randn(6, 4), [str(place) for place in range(6)]
    tables = {f"after layer {n}": sees(lambda x, n=n: run(x, n), point) for n in range(1, 5)}
    agree = [torch.equal(table, reach(window, n)) for n, table in enumerate(tables.values(), 1)]
    show(figures.masks(tables, labels, labels, axes_are=("outputs", "inputs")))
    print("the same as by counting:", agree)

# %% [markdown]
# A window of $w$ positions reaches $n\,(w - 1)$ positions back after $n$ layers. That is how a model with a narrow
# window can use a longer text: Mistral 7B has a window of 4,096 and 32 layers, and so in theory a reach of about
# 131,000 positions (Jiang et al. 2023, section 2). A causal mask never reaches ahead, however many layers there are,
# since a triangle times a triangle is a triangle. If every layer is causal, so is the stack.
#
# **Explore.** Draw a mask: each button sets whether its row may look at its column. Then add layers.
#
# 1. With the window, how many layers does it take until *tired* knows of *the*? Try *one word to each side*, too.
# 2. Choose two blocks. Which single button connects them, and in which direction?
# 3. Choose the causal mask and allow one cell above the diagonal. Which words learn of the future, and after how
#    many layers?
# 4. Draw a mask with as few allowed cells as you can, so that after two layers every word knows of every word.

# %% draw=true
# Explore: what gets through several layers
explorers.reach_explorer(reach)

# %% [markdown]
# On the left, the number in a cell says how many layers it takes until the row knows of the column. An empty cell
# needs more layers, or no number of them is enough. On the right are the paths that lead to the word that you follow.
#
# One answer to 4: let *the* look at every word, and every word at *the*. Then everything goes through one word.
# That is the idea of a global token, used in models for long texts (Beltagy et al. 2020, section 3.1).

# %% [markdown]
# ## 4.13 Your mask writes
#
# The model that writes book reviews was trained with a causal mask. Now **yours** takes its place. A second model
# was trained on as many reviews, but without a mask. First, both *read* a review that is new to them: in one pass, as
# in training, and then word by word, as in use.

# %% draw="open"
# Which parts of the model are yours
with waiting_for("Exercise 4.1"):
    mine = own_reader(mask=causal_mask)
    leaky = own_reader("without a mask", mask=causal_mask)
    writers = {"with your mask": mine, "trained without one": leaky}
    display(mine.table())
    for name, each in writers.items():
        once, in_use = each.loss(REVIEW), each.loss(REVIEW, one_by_one=True)
        print(f"{name:<19} {once:5.2f} nats per word in one pass, {in_use:5.2f} in use")

# %% [markdown]
# The entropy of these reviews is 1.18 nats per word. In one pass, the model without a mask is far below it: as in
# 4.8, it reads the answer off the next position. What does such a model write?

# %% draw=true
# Explore: what the two write
with waiting_for("Exercise 4.1"):
    display(writing_explorer(writers, "Exercise 4.1"))

# %% [markdown]
# The model without a mask has learned to copy the next word, but when it writes, there is none. On 100 new reviews its
# loss is {measured.reader_without_a_mask.new_reviews.per_word_in_one_pass} in one pass and
# {measured.reader_without_a_mask.new_reviews.per_word_one_by_one} in use; the other model's is
# {measured.reader_reader.new_reviews.per_word_in_one_pass} both times. (`python -m benchmarks.reader` measures this.)
# If a model with a splendid loss writes one word again and again, look for a leak.

# %% [markdown]
# ## 4.14 What to remember
#
# - A mask is True where a query may look. Causal: $j \le i$. Padding hides columns. For both, combine them with &
#   and broadcasting.
# - A row with nothing to look at gets zeros, and no NaN may arise on the way: 0 · NaN is NaN, also in gradients.
# - A triangle of weights proves nothing. Test the whole model by gradients, or compare one pass with all prefixes.
# - The mask makes one pass equal to T passes. That is why a Transformer trains on all positions at once.
# - On new texts, a loss far below the entropy means a leak.
# - A model writes one word at a time. The cache keeps keys and values, and gives the same outputs as the full pass.
# - Libraries disagree on what True means. The wrong polarity raises no error: test it.
# - A bias belongs outside the fraction. For a mask of 0 and −∞ it makes no difference.
# - Layers pass information on. Through many of them a narrow mask reaches far, and a causal one stays causal.
#
# **Sources.** Vaswani et al. 2017, *Attention is all you need*, section 3.2.3. Radford et al. 2019, *Language models are
# unsupervised multitask learners*. Beltagy, Peters and Cohan 2020, *Longformer*. Press, Smith and Lewis 2022, *Train short,
# test long: attention with linear biases*. Jiang et al. 2023, *Mistral 7B*. The documentation of PyTorch,
# `scaled_dot_product_attention` and `MultiheadAttention`, and of Hugging Face Transformers, *attention mask* in the glossary.
#
# Next, in lesson 5, you count what all this costs.
