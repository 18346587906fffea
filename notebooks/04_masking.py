# %% [markdown]
# # 4 · Masks
#
# - **You will learn** who may look where, and why that decides what a model can learn. You will write the masks of
#   a decoder, catch models that peek at the answer, show that one masked pass does the work of many, and give a
#   decoder a memory. On the way you will fix a formula with a slip that is easy to make.
# - **You need** scaled dot-product attention (lesson 1), heads (lesson 2), broadcasting, and what a gradient is.
# - **Time** {minutes} minutes. Sections 4.1 to 4.8 and 4.9 to 4.13 make two good sittings.
#
# One convention holds throughout the course: **a mask is boolean, and True means "may attend"**. Rows are queries,
# columns are keys.

# %% setup=true
import math

import torch

from helpers.attention import scaled_dot_product_attention
from helpers.checks import case, check
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.masking import drawings, experiments, explorers, figures

torch.set_num_threads(1)  # for small tensors: two cores would mostly wait for each other

# %% [markdown]
# ## 4.0 Catch the slip
#
# Three short pieces on lessons 2 and 3. Each is right, or has one slip that is easy to make.

# %% recall="masking.recall_add"

# %% recall="masking.recall_penalty"

# %% recall="masking.recall_off"

# %% [markdown]
# ## 4.1 A word that must not be seen
#
# A language model reads *the cat sat* and says what comes next. To train it, take a sentence from a book and let
# **every** position predict the word after it. One sentence of T words gives T questions with known answers.
#
# There is a catch: the answer to question $i$ stands at position $i + 1$ of the same input. Self-attention looks
# everywhere, so it would simply look there. The **causal mask** forbids that: position $i$ may look at position $j$
# only if $j$ isn't later.
#
# $$M_{ij} = \text{True} \iff j \le i$$
#
# **By hand**, for T = 3, counting from 1. Row 1 may see column 1. Row 2 may see columns 1 and 2. Row 3 may see all
# three. That is a triangle, including the diagonal: word $i$ is known when word $i + 1$ is asked for.
#
# What is this triangle for? Two answers: −∞ in the scores gives weight 0, and all positions can be trained at once.
# Both are right. You will draw the triangle in 4.4 and test the second answer in 4.7.

# %% draw=true
# A mask beside the scores it hides
show(drawings.beside_scores())

# %% [markdown]
# **Exercise 4.1** · difficulty 1 of 5 · 4 minutes · 2 points
#
# **Return the causal mask of T positions: True where a query may look at a key.**
#
# <details><summary>Hint 1</summary>Of a T × T tensor of ones, which triangle do you keep?</details>
# <details><summary>Hint 2</summary><code>torch.tril</code> keeps the lower left, <code>torch.triu</code> the upper right.
# Does the diagonal stay? And which dtype comes out?</details>
# <details><summary>The idea</summary>The lower triangle of a matrix of ones, with the diagonal, as booleans. Or compare
# each column number with each row number.</details>


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
# **Why.** A batch is one tensor, and sentences differ in length. So the short ones are filled up with a word that
# means nothing, the **padding**. No query should look at it.
#
# **Formula.** With $n_b$ words in sentence $b$, filled up at the end, position $j$ holds a word if $j < n_b$, counting $j$
# from 0.
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
# **Return where each filled-up sentence has words: True for a word, False for padding.**
#
# <details><summary>Hint 1</summary><code>torch.arange(T)</code> is the row of positions. What is each compared
# with?</details>
# <details><summary>Hint 2</summary>(T,) and (B,) don't broadcast to (B, T). What shape must <code>lengths</code> have for
# that?</details>
# <details><summary>The idea</summary>One comparison of (T,) with (B, 1) gives (B, T).</details>


# %% exercise="masking.padding"
def padding_mask(lengths, T):
    """Where a batch of sentences, filled up at their ends, has words.

    Args:
        lengths: how many words each sentence has, (B,), integers.
        T: positions of the filled-up sentences.

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
# Look at the indices. The causal part knows nothing of sentences, the padding part nothing of queries. Padding must
# not be looked *at*: it is a key, so it hides **columns**. Sizes are compared from the right, and a size of 1 is
# copied:
#
# | | sentence | query | key |
# | --- | --- | --- | --- |
# | causal | | T | T |
# | padding | B | 1 | T |
# | both | B | T | T |
#
# **By hand.** One sentence of 3 positions, the first of which is padding: real = (False, True, True). Row 0 would see
# column 0, which is padding: nothing is left. Row 1 sees column 1. Row 2 sees columns 1 and 2.
#
# Padding goes in front when a batch of texts is to be continued: then all their last words stand at the end.

# %% draw=true
# One row of padding, copied down for each query
show(drawings.both_masks())

# %% [markdown]
# **Exercise 4.3** · difficulty 2 of 5 · 6 minutes · 3 points
#
# **Return one mask that hides both later words and padding.**
#
# <details><summary>Hint 1</summary>Which half did you write in 4.1?</details>
# <details><summary>Hint 2</summary><code>real</code> is (B, T), and its T are keys. Where does the axis of size 1
# for the queries go?</details>
# <details><summary>The idea</summary>A key must pass both: the causal mask & real, as (B, 1, T).</details>


# %% exercise="masking.both"
def decoder_mask(real):
    """Who may look where: not ahead, and not at padding.

    Args:
        real: where the words are, boolean, (B, T).
            The padding may stand anywhere.

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
# The padding takes away two whole columns. Two rows are left with nothing at all. Section 4.5 takes care of them.
#
# With the padding at the end, the causal mask alone would do for every real word, since all padding is in its
# future. An encoder has no causal mask, so it needs the padding mask wherever the padding stands.
#
# **With heads**, this mask needs an axis of size 1 for them, (B, 1, T, T). Remember what happens without it where B
# happens to equal H (2.4): there is no error, and mask b goes to head b.

# %% [markdown]
# ## 4.4 A figure of your own
#
# **Why.** A figure explains a mask at once: who may look where. Where it can't be seen, by a screen reader or in a
# terminal, words must do. So the words first.
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
# Now draw it. The next cell is yours, and nobody grades it. It has the few lines that any such figure begins with.
# Turn it into one that you would put in a report:
#
# 1. Take a sentence of your own.
# 2. Mark allowed cells by more than colour, as with `ax.text(column, row, "✓")`: not all readers see colours.
# 3. Beside it, draw a sentence with padding in front, or an encoder's mask (`plots.panels(2)` gives two axes).

# %% draw=true
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
# **Why.** Some rows of a mask are empty: padding in front, or a sentence without words. Lesson 1's attention fills
# such a row with −∞, and its softmax is 0/0. Who cares, you may say: nobody reads the output of padding. Look:

# %%
torch.manual_seed(0)
q, k, v = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4, 2, requires_grad=True)
allowed = torch.tensor([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]).bool()  # pad, pad, the, cat
output, weights = scaled_dot_product_attention(q, k, v, allowed)
print("output", output.detach(), sep="\n")
output[2:].sum().backward()  # a loss on the two words alone
print("gradient of v", v.grad, sep="\n")

# %% [markdown]
# The loss reads only good rows. Still the gradient is NaN everywhere, and one optimizer step makes every parameter
# behind v NaN. The reason: the gradient of v is $w^\top g$, and the bad rows have $w$ = NaN and $g$ = 0. **0 · NaN
# is NaN.** So replacing the NaN in the output, or multiplying it by 0, is no cure. It must be gone before the
# product with v; better still, never make it.
#
# Libraries differ. For such a row, torch's `scaled_dot_product_attention` gives zeros and
# `torch.nn.MultiheadAttention` can give NaN. You will see both in 4.10.
#
# **Formula.** A row with something to look at is as before. A row with nothing gets weights of 0, and so an output
# of 0:
#
# $$w_{ij} = \frac{M_{ij}\, e^{s_{ij}}}{\sum_k M_{ik}\, e^{s_{ik}}} \quad\text{or 0 where the sum is empty}$$
#
# **By hand.** Scores 0 and 0, values 10 and 20. Mask (True, True): weights ½ and ½, output 15. Mask (False, True):
# weights 0 and 1, output 20. Mask (False, False): weights 0 and 0, output 0.
#
# **Exercise 4.5** · difficulty 3 of 5 · 10 minutes · 4 points
#
# **Return attention under a mask, with zeros instead of NaN for a query that may look at nothing.**
#
# The check looks at gradients too.
#
# <details><summary>Hint 1</summary>Which finite number hides as well as −∞ in an ordinary row? What does the
# softmax make of a row of nothing else?</details>
# <details><summary>Hint 2</summary><code>torch.finfo(scores.dtype).min</code> is the lowest number of a dtype. It
# makes no NaN, but an empty row becomes uniform. What can you still do to the weights?</details>
# <details><summary>The idea</summary>Hide twice: finite scores before the softmax, and weights of 0 after it. In an
# ordinary row the hidden weights are 0 already, so the second time changes nothing there.</details>


# %% exercise="masking.attention"
def masked_attention(q, k, v, mask):
    """Scaled dot-product attention in which a
    query with nothing to look at gets zeros.

    Args:
        q: queries, (..., T_q, d_k).
        k: keys, (..., T_k, d_k).
        v: values, (..., T_k, d_v).
        mask: boolean, broadcastable to
            (..., T_q, T_k). True means "may attend".

    Returns:
        The outputs (..., T_q, d_v) and the weights (..., T_q, T_k). No
        NaN, nor in gradients.
    """
    ### BEGIN SOLUTION
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1).masked_fill(~mask, 0.0)
    return weights @ v, weights
    ### END SOLUTION


# %% check="masking.attention"
check("masking.attention", masked_attention)

# %% draw=true
# Weights and gradient, without NaN
with waiting_for("Exercise 4.5"):
    output, weights = masked_attention(q, k, v, allowed)
    (gradient,) = torch.autograd.grad(output[2:].sum(), v)
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
# **Why.** A model that peeks has the lowest training loss of all, and is worthless. How do you find out? Looking at
# the attention weights isn't enough, as you will see. Ask the model itself: *does output $i$ change when input $j$
# does?* That is a derivative, and autograd computes it.
#
# $$\text{sees}_{ij} = \text{True} \iff \frac{\partial\, \text{output}_i}{\partial\, \text{input}_j} \ne 0$$
#
# Output $i$ and input $j$ are vectors, so this derivative is a table, with a number for each pair of features. One
# that isn't 0 is enough. A model **leaks** if there is a True above the diagonal.
#
# Ask at random inputs. At a special one, such as all zeros, a derivative can be 0 although output $i$ does depend
# on input $j$.
#
# **By hand.** Running sums: $y_1 = x_1$, $y_2 = x_1 + x_2$, $y_3 = x_1 + x_2 + x_3$. The derivatives are 1 where
# $j \le i$ and 0 elsewhere: a lower triangle, no leak. The mean of all three, written everywhere: 1/3 in all nine
# places, a leak.
#
# **Exercise 4.6** · difficulty 4 of 5 · 12 minutes · 4 points
#
# **Return which inputs each output of a layer depends on, judged by gradients.**
#
# <details><summary>Hint 1</summary><code>torch.autograd.functional.jacobian(layer, x)</code> has shape
# (T, d_out, T, d). Which two axes do you have to get rid of, and how?</details>
# <details><summary>Hint 2</summary>Why not add derivatives up, or an output's features before the gradient is
# taken? What do +2 and −2 make?</details>
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
# Four suspects. Each claims not to look ahead, and each sets the weights of the future to 0. Read them: who leaks?

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

# %% predict="masking.suspects"

# %% draw=true
# The weights of the four suspects, and what your detector finds
places = [str(place) for place in range(1, T + 1)]
axes = plots.panels(4, width=2.7, height=2.6)
for ax, (name, suspect) in zip(axes, suspects.items(), strict=True):
    plots.heatmap(suspect(x)[1], places, places, title=f"weights of {name}", ax=ax)
show(axes[0])
with waiting_for("Exercise 4.6"), after_predicting("masking.suspects"):
    pictures = {}
    for name, suspect in suspects.items():
        table = sees(lambda x, suspect=suspect: suspect(x)[0], x)
        pictures[f"{name} {'leaks' if table.triu(1).any() else 'is clean'}"] = table
    show(figures.masks(pictures, places, places, axes_are=("outputs", "inputs")))

# %% [markdown] reveals="masking.suspects"
# All four have a clean triangle of weights, and three of them leak:
#
# - **B** hides the future after the softmax. The weight is 0, but the denominator has counted the hidden scores: every
#   other weight depends on them.
# - **C** takes the softmax over the queries. A column's denominator contains queries that are still to come.
# - **D** has perfect attention. But before it, every feature is normalised over the positions, with a mean that
#   knows the whole sentence.
#
# So a figure of the weights proves nothing. The gradient does: it asks the whole model, not one layer of it.

# %% [markdown]
# ## 4.7 One pass instead of many
#
# **Why.** With the mask, said 4.1, all positions can be trained at once. Why does that need a mask? Compare two
# ways to get a prediction at each position of a sentence of T words:
#
# 1. **T passes**, one for each prefix: *the*, *the cat*, *the cat sat*, and so on, keeping the last output of each.
#    There is no future, so nothing can leak. This is how the model will be *used*.
# 2. **One pass** over the whole sentence.
#
# If output $i$ depends only on the inputs up to $i$, it doesn't matter what comes after them, and the two are
# equal:
#
# $$\text{layer}(x_1 \dots x_T)_i = \text{layer}(x_1 \dots x_i)_i$$
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
# <details><summary>Hint 2</summary>Which output of each pass do you keep? Along which axis are these put
# together?</details>
# <details><summary>The idea</summary>A text of T words is T texts: each is read to its end, and only the end
# counts.</details>


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
# With the mask, one pass *is* T passes: the same outputs, the same gradients, up to rounding. So a training step on
# a whole sentence learns from T questions at once. Without it the two differ: the model is trained on one thing and
# used on another. **The mask buys training without a loop over positions.**

# %% [markdown]
# How much does one pass save? It computes T² scores. The prefixes compute 1 + 4 + 9 + ... + T², about T³/3.

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
# The longer the sentence, the wider the gap. At 256 words the loop takes many times as long, for the same numbers.

# %% [markdown]
# ## 4.8 What a leak costs
#
# Let us train two models that differ only in the mask. The "text" comes from a machine whose habits we know. There
# are 8 words; with probability 0.7 the next word is the following one (8 is followed by 1), otherwise one of the
# other seven, all equally likely. Nobody can predict more than that. The best possible loss is the **entropy** of
# the next word:
#
# $$H = -0.7 \ln 0.7 - 0.3 \ln \tfrac{0.3}{7} = 1.19 \text{ nats per word}$$
#
# Guessing blindly costs ln 8 = 2.08. Each model has one layer of your attention. We measure its loss in two ways:
# in one pass, as in training, and with your `prefix_passes`, as in use.

# %%
VOCABULARY, LENGTH, WIDTH, FOLLOWS = 8, 12, 24, 0.7
entropy = -FOLLOWS * math.log(FOLLOWS) - (1 - FOLLOWS) * math.log((1 - FOLLOWS) / (VOCABULARY - 1))


def texts(count, generator):
    """Texts of the machine, (count, LENGTH + 1):
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
# Without the mask the loss in one pass falls far *below* the entropy. On texts that are new to it, no model can do
# that without seeing the future. So **a loss far below the entropy, on new texts, proves a leak**. (On old texts it
# doesn't: a model can learn a text by heart. Here every batch is new. And a hair below may be chance, since a mean
# over some texts isn't the mean over all.) In use, where there is no future, this model is worse than blind
# guessing: it has learned to copy an answer that nobody gives it. With the mask the two losses are the same, and lie
# where they must.

# %% [markdown]
# **Question 4.8** · graded by hand · 8 minutes · 5 points
#
# A colleague trains a language model. The training loss is the lowest ever seen, and what the model writes is
# rubbish. She shows you the attention weights of each layer: above the diagonal there are only zeros. She concludes
# that nothing can leak. Is she right? Name two faults that fit everything she says, and say how you would find
# each. What would you measure first?

# %% [markdown] written="masking.diagnose" points=5
# ### BEGIN SOLUTION
# **Model answer.** She isn't right: that the weights above the diagonal are 0 says that no value of the future is averaged
# in, but not that the weights themselves are made without the future. (1) The weights may be set to 0 after the softmax:
# the hidden scores are still in its denominator. Its rows then don't sum to 1, which can be seen, and the gradient of
# output i with respect to input j > i isn't 0. (2) The softmax may run over the queries: the columns sum to 1 instead of
# the rows. (3) Something besides attention may mix positions: a normalisation over the positions, a convolution that looks
# both ways, a mean over the sentence that is added. (4) The targets may not be shifted, so that each position predicts the
# word it has just read; then nothing leaks in the model at all, the question is wrong. First I would measure whether one
# pass gives the same outputs as a pass for each prefix, or the gradients of outputs with respect to later inputs, on the
# whole model with random inputs; where there is a leak, I would repeat it part by part. A loss far below the entropy of the
# text, if that is known, is a proof of a leak as well, on texts that the model hasn't trained on.
#
# **Rubric**
# - 1 point: no; weights of 0 above the diagonal don't prove that nothing leaks.
# - 2 points: two faults that fit (one each). They must leave the triangle of weights clean: "she forgot the mask" doesn't.
# - 1 point: how to find them: gradients of output i by input j > i, or one pass against prefixes, or row sums.
# - 1 point: measures the whole model first, then its parts, or names another order with a reason.
# ### END SOLUTION

# %% [markdown]
# ## 4.9 A decoder with a memory
#
# **Why.** When a model *writes*, it can't use the trick of 4.7: there is no word 5 before word 4 is written. So it
# runs prefix by prefix after all. But look at what one more word changes. The queries, keys and values of the old
# words stay what they were and, thanks to the mask, so do their outputs. Only one row is new: the last.
#
# So keep the keys and values, and compute only the new word's query, key and value. This store is called the **KV
# cache**.
#
# $$\text{output}_t = \text{Attention}(q_t,\; [k_1 \dots k_t],\; [v_1 \dots v_t])$$
#
# **By hand**, all sizes 1. Stored: keys 0 and 0, values 10 and 20. The new word has query 1, key 0, value 60. All three
# scores are 0, the weights are 1/3, the output is **30**, and the cache now has three keys and three values.
#
# One new word needs no mask: it is the last, and may look at everything stored and at itself. But there may be N
# new words at once, such as a question that the user has typed. With P stored positions, new word $n$ (from 0)
# stands at $P + n$. Its row of the mask is the one for that place:
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
# <details><summary>Hint 1</summary>What must the cache hold before the new positions can attend? Along which axis
# is it lengthened?</details>
# <details><summary>Hint 2</summary>The mask is (N, P + N). <code>tril</code> takes a <code>diagonal</code>: how far
# to the right does it begin in the table above?</details>
# <details><summary>The idea</summary>Append first, then attend: only the new positions ask, and their mask is the
# last N rows of the causal mask of all P + N.</details>


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
# The same outputs, and the longer the text, the more the cache saves.

# %% [markdown]
# Write a text word by word, with the cache and without. The score of an old query with an old key is the same
# number each time.

# %% draw=true
# Explore: writing with the cache and without
explorers.cache_explorer(cached_step)

# %% [markdown]
# With the cache, the last of T words takes one row. (Without it, we count only the scores that the mask allows.)
#
# The price is memory: two vectors for each position in each layer. GPT-2 small has 12 layers of width 768 and 1,024
# positions (Radford et al. 2019, section 2.3 and table 2). In 16-bit numbers its cache takes 2 · 12 · 1024 · 768 ·
# 2 bytes = **37.7 megabytes** for one full text. With many texts at once, that adds up.

# %% [markdown]
# **Question 4.9b** · graded by hand · 8 minutes · 5 points
#
# "The mask lets all positions be trained at once." Explain this to a friend who knows attention but not masks. What are the
# questions and answers in one sentence of training text? Why is one pass allowed to stand for T passes, and what in the
# model must hold for that? And why can't the model *write* all positions at once? Use what you measured in 4.7 to 4.9.

# %% [markdown] written="masking.parallel" points=5
# ### BEGIN SOLUTION
# **Model answer.** One sentence of T words holds T questions: given the first i words, which is word i + 1? The
# answers stand in the same sentence, one place further. Asked one by one, that is T passes over T prefixes. With
# the causal mask output i depends on the inputs up to i alone, so what comes after makes no difference to it, and
# output i of one pass over the whole sentence is the output of the pass over prefix i. We measured equal outputs
# and equal gradients, up to rounding; without the mask they differed. What must hold is that *no part* of the model
# carries anything from a later position to an earlier one: every layer must be causal, not the attention weights
# alone. In training all words are known beforehand, so all questions can be asked at once, and one pass costs T²
# scores where the prefixes cost about T³/3. In writing, word i + 1 is the model's own answer and the input of the
# next question, so there is nothing to put there before it is written. What can be saved is computing the old keys
# and values again: the cache keeps them, and gives the same outputs.
#
# **Rubric**
# - 1 point: one sentence holds T questions, each answered by the next word.
# - 1 point: one pass equals T passes because output i doesn't depend on later inputs.
# - 1 point: this must hold for the whole model, or names another part that could break it.
# - 1 point: writing is one after another, since each word is input to the next.
# - 1 point: uses a measurement: equal outputs or gradients, the times, or the cache.
# ### END SOLUTION

# %% [markdown]
# ## 4.10 Four ways to write a mask
#
# **Why.** Libraries disagree on what True means, and a mask the wrong way round raises no error. Four ways to say
# "may see, may see, may not see":
#
# | kind | by hand | who writes it so |
# | --- | --- | --- |
# | `"may attend"` | True, True, False | this course; `attn_mask` of `torch.nn.functional.scaled_dot_product_attention` |
# | `"hidden"` | False, False, True | `attn_mask` and `key_padding_mask` of `torch.nn.MultiheadAttention`; the masks of `torch.nn.Transformer` |
# | `"additive"` | 0, 0, −∞ | all of torch's above take it too: it is added to the scores |
# | `"integer"` | 1, 1, 0 | the `attention_mask` that a Hugging Face tokenizer makes |
#
# In the first two rows *one* library disagrees with itself. Four kinds make twelve conversions; don't write twelve.
# Read any kind into ours, then write any kind from ours.
#
# **Exercise 4.10** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Return the same mask as the target library would write it.**
#
# <details><summary>Hint 1</summary>What does each kind look like when read as ours, a boolean <code>may</code>? And
# how is each written from <code>may</code>?</details>
# <details><summary>Hint 2</summary>Which number stands in an additive mask where attending is allowed? What does
# <code>.bool()</code> make of −∞, and what is 0 · ∞?</details>
# <details><summary>The idea</summary>One common form in the middle: every kind is read into it, and every kind is
# written from it.</details>


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
# Now three implementations look at one batch: yours, a function of torch and a module of torch.
# `torch.nn.MultiheadAttention` gets matrices that change nothing, so that only the attention itself is compared.

# %%
torch.manual_seed(3)
batch = torch.randn(2, 5, 4)
theirs = torch.nn.MultiheadAttention(4, num_heads=1, bias=False, batch_first=True)
with torch.no_grad():
    theirs.in_proj_weight.copy_(torch.eye(4).repeat(3, 1))
    theirs.out_proj.weight.copy_(torch.eye(4))


def three_ways(real):
    """The outputs (2, 5, 4) of four calls, with
    every mask turned as the called one wants it.
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
    print(f"the wrong way round  function                     {(turned - right).abs().max():.6f}")

# %% [markdown]
# These are the largest differences from your outputs. With padding at the end there are none. With padding in
# front, some rows have nothing to look at, and there the module's answer depends on whether you ask for the weights
# too: if so, it takes another path inside, and gives NaN. (At least in the version of torch that this course uses.)
#
# In the last line the function got a mask the wrong way round: other outputs, and no complaint. **Test the polarity
# when you call a library**: hide one key, and see whether changing it changes the output.

# %% [markdown]
# ## 4.11 A mask inside the fraction
#
# It is easy to write attention with a mask like this:
#
# $$\text{softmax}\!\left(\frac{Q K^\top + \text{mask}}{\sqrt{d_k}}\right) V$$
#
# The mask is added *inside* the fraction. Is that wrong? With a mask of 0 and −∞ you wouldn't notice. But what is
# added can also be finite: a **bias** that says how much to prefer a key. ALiBi, for one, takes off a little for
# each word of distance (Press et al. 2022), and needs no position vectors. Inside the fraction the bias is divided
# by $\sqrt{d_k}$ as well: the larger $d_k$, the weaker it comes out. It belongs outside:
#
# $$\text{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}} + \text{bias}\right) V$$
#
# **By hand.** $d_k = 64$, so the root is 8. Two keys with q·k = 0, biases 0 and −2. Outside: $e^0 = 1$ and
# $e^{-2} = 0.135$, weights 0.88 and 0.12. Inside: the bias becomes −0.25, $e^{-0.25} = 0.78$, weights 0.56 and 0.44.
#
# As code, with the bias where it belongs:


# %%
def biased_attention(q, k, v, bias):
    """Attention whose scaled scores get a bias,
    broadcastable to (..., T_q, T_k), before the softmax.
    """
    weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) + bias).softmax(dim=-1)
    return weights @ v, weights


# %% [markdown]
# And the version above. Compare the two, with any bias that you like:


# %%
def report_attention(q, k, v, bias):
    weights = ((q @ k.transpose(-2, -1) + bias) / math.sqrt(q.size(-1))).softmax(dim=-1)
    return weights @ v, weights


torch.manual_seed(4)
wide_q, wide_k, wide_v = torch.randn(6, 64), torch.randn(6, 64), torch.randn(6, 3)
my_bias = torch.zeros(6, 6)  # change it

# %% draw=true
# How far the two are from each other
pairs = [f(wide_q, wide_k, wide_v, my_bias)[1] for f in (biased_attention, report_attention)]
print(f"largest difference between the weights: {(pairs[0] - pairs[1]).abs().max():.4f}")

# %% [markdown]
# **Exercise 4.11** · difficulty 2 of 5 · 4 minutes · 2 points
#
# **Say for each mask or bias whether adding it inside or outside the division gives the same weights, to four
# digits.**
#
# Take $d_k = 64$ and scores of ordinary size, in float32. Write `"same"` or `"different"` in place of each `...`.
# You can try it in the cells above; `causal_mask` and `convert` may help.
#
# <details><summary>Hint 1</summary>What is each bias divided by 8?</details>
# <details><summary>Hint 2</summary>What is e to that?</details>
# <details><summary>The idea</summary>Where both the bias and its eighth give a weight of 0, nothing changes. Where one can
# still be told from the other, something does.</details>

# %% exercise="masking.inside"
inside_or_outside = {
    "0 where allowed, -inf where not": ...,
    "0 where allowed, -1e9 where not": ...,
    "0 where allowed, -5 where not": ...,
    "-1 for each word of distance": ...,
}
### BEGIN SOLUTION
inside_or_outside = {
    "0 where allowed, -inf where not": "same",
    "0 where allowed, -1e9 where not": "same",
    "0 where allowed, -5 where not": "different",
    "-1 for each word of distance": "different",
}
### END SOLUTION

# %% check="masking.inside"
check("masking.inside", inside_or_outside)

# %% [markdown]
# So the formula above is harmless as long as a mask only hides, by −∞ or by a huge number, and wrong for every bias
# that should weigh keys, not hide them. Take −1 for each word of distance, and one query that likes all 12 keys
# equally well.

# %% predict="masking.weak_bias"

# %% draw=true
# How much a bias for near words still counts
distance = torch.arange(12.0)
curves = {}
for d_k, function in ((64, biased_attention), (16, report_attention), (256, report_attention)):
    nothing = torch.zeros(12, d_k)  # all dot products are 0
    where = "outside, any $d_k$" if function is biased_attention else f"inside, $d_k$ = {d_k}"
    curves[where] = function(nothing[:1], nothing, nothing, -distance)[1][0]
title = "A bias of −1 for each word of distance"
with waiting_for("your prediction"), after_predicting("masking.weak_bias"):
    show(plots.lines(distance.tolist(), curves, xlabel="distance (words)", ylabel="weight", title=title))

# %% [markdown] reveals="masking.weak_bias"
# Outside, the nearest key gets most of the weight, whatever $d_k$ is. Inside, the same bias hardly counts once
# $d_k$ is large: a model built that way would look far away where it was told to look near.

# %% [markdown]
# ## 4.12 Several layers
#
# **Why.** A mask says who may look at whom in *one* layer. In the next layer your neighbour has already heard from
# its own neighbour, and passes it on to you. So what a position can know grows from layer to layer, even under a
# narrow mask.
#
# **Formula.** A layer of a Transformer adds to what a position has, so a position also keeps its own. One layer makes one
# step along $S = M \vee I$, with $I$ the identity. After $n$ layers:
#
# $$R_n = S^n > 0 \qquad R_0 = I$$
#
# with the matrix product: $(S\,R)_{ij}$ counts the positions $k$ that $i$ hears from and that know of $j$.
#
# **By hand.** A window of two: each position sees itself and the one before it. After one layer word 4 knows of words 3
# and 4. After two, of 2, 3 and 4, since word 3 knew of word 2. After three, of all four.
#
# **Exercise 4.12** · difficulty 3 of 5 · 8 minutes · 3 points
#
# **Return what each position can know of after a number of layers with the same mask.**
#
# <details><summary>Hint 1</summary>What does each position know of after 0 layers? What does one more layer
# add?</details>
# <details><summary>Hint 2</summary>@ wants numbers: how do you turn booleans into floats, and back?</details>
# <details><summary>The idea</summary>Each layer is the same step: you keep what you know, and learn what everyone
# you see knows.</details>


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
# That is a claim about models, made by counting alone. Your leak detector can test it on a real stack of layers.

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

    point, labels = torch.randn(6, 4), [str(place) for place in range(1, 7)]
    tables = {f"after layer {n}": sees(lambda x, n=n: run(x, n), point) for n in range(1, 5)}
    agree = [torch.equal(table, reach(window, n)) for n, table in enumerate(tables.values(), 1)]
    show(figures.masks(tables, labels, labels, axes_are=("outputs", "inputs")))
    print("the same as by counting:", agree)

# %% [markdown]
# A window of $w$ positions reaches $n\,(w - 1)$ back after $n$ layers. That is how a model with a narrow window can
# still use a long text: Mistral 7B has a window of 4,096 and 32 layers, and so a reach of about 131,000 (Jiang et
# al. 2023, section 2). A causal mask never reaches ahead, however many layers there are: a triangle times a
# triangle is a triangle. If every layer is causal, so is the stack.
#
# **Explore.** Draw a mask: each button says whether its row may look at its column. Then add layers.
#
# 1. With the window, how many layers does it take until *tired* knows of *the*? And with *one word to each side*?
# 2. Choose two blocks. Do more layers help? Which single button connects the blocks, and in which direction?
# 3. Choose the causal mask and allow one cell above the diagonal. Who learns of the future, and after how many
#    layers?
# 4. Draw a mask with as few ticks as you can, so that after two layers everyone knows of everyone.

# %% draw=true
# Explore: what gets through several layers
explorers.reach_explorer(reach)

# %% [markdown]
# On the left, the number in a cell says how many layers it takes until the row knows of the column. No number: it
# never does, or needs more layers. On the right are the paths by which something reaches the word that you follow.
#
# One answer to 4: let *the* look at everybody, and everybody look at *the*. Then everything goes through one word.
# That is the idea of a global token, used in models for long texts (Beltagy et al. 2020, section 3.1).

# %% [markdown]
# ## 4.13 What to take along
#
# - A mask is True where a query may look. Causal: $j \le i$. Padding hides columns. Both: &, by broadcasting.
# - A row with nothing to look at gets zeros, and no NaN on the way: 0 · NaN is NaN, in gradients too.
# - A triangle of weights proves nothing. Ask the whole model by gradients, or compare one pass with all prefixes.
# - The mask makes one pass equal to T passes. That is why a Transformer trains on all positions at once.
# - On new texts, a loss far below the entropy means a leak.
# - Writing is one word after another. The cache keeps keys and values, and gives the outputs of the full pass.
# - Libraries disagree on what True means. The wrong polarity raises no error: test it.
# - A bias belongs outside the fraction. For a mask of 0 and −∞ it makes no difference.
# - Layers pass on what they heard. Through many of them a narrow mask reaches far, and a causal one stays causal.
#
# **Sources.** Vaswani et al. 2017, *Attention is all you need*, section 3.2.3. Radford et al. 2019, *Language models are
# unsupervised multitask learners*. Beltagy, Peters and Cohan 2020, *Longformer*. Press, Smith and Lewis 2022, *Train short,
# test long: attention with linear biases*. Jiang et al. 2023, *Mistral 7B*. The documentation of PyTorch,
# `scaled_dot_product_attention` and `MultiheadAttention`, and of Hugging Face Transformers, *attention mask* in the glossary.
#
# Next, lesson 5 counts what all this costs.
