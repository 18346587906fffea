# %% [markdown]
# # 3 · Positions
#
# - **You will learn** what attention can't do without positions, and five ways to tell it where a word is: rows added
#   to the input, learned or computed; numbers for distances, learned or fixed, added to the scores; and rotary
#   positions, which turn queries and keys. Each fixes something that you will first see fail.
# - **You need** lesson 1: scaled dot-product attention, masks, and what *equivariant* means. From lesson 2: heads.
#   Sine and cosine.
# - **Time** {minutes} minutes. Sections 3.1 to 3.6 and 3.7 to 3.12 fit two sittings.
#
# Every exercise is checked as soon as you ask for it. If you get stuck, each has two hints and then the idea.

# %% setup=true
import math

import torch
from IPython.display import display

from helpers.attention import permutation_gaps, scaled_dot_product_attention
from helpers.attention.explorers import writing_explorer
from helpers.attention.reader import reader
from helpers.attention.writer import own_reader
from helpers.checks import case, check
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.positional import drawings, experiments, explorers
from helpers.positional.experiments import Way
from helpers.positional.explorers import by_distance, by_length, curves, grid, table_picture

torch.set_num_threads(1)  # for small tensors: two cores would mostly wait for each other

# %% [markdown]
# ## 3.0 Catch the slip
#
# Here are three short pieces of work on lessons 1 and 2. Each is right, or has one slip that is easy to make.

# %% recall="positional.recall_split"

# %% recall="positional.recall_merge"

# %% recall="positional.recall_mask"

# %% [markdown]
# ## 3.1 A reader without positions
#
# Here is the reader of lesson 1 again, and a second one that was trained in the same way, but without positions:
# nothing tells it where a word is. Both read two texts that have the same words:
#
# - *sadly , the plot is gripping . luckily , the jokes are …*
# - *luckily , the plot is gripping . sadly , the jokes are …*

# %% predict="positional.bag"

# %% draw=true
# Two readers, two texts: which words may come next
texts = [
    "sadly , the plot is gripping . luckily , the jokes are",
    "luckily , the plot is gripping . sadly , the jokes are",
]
with waiting_for("your prediction"), after_predicting("positional.bag"):
    for name, model in {"with": reader(), "without": reader(kind="without positions")}.items():
        print(f"The reader {name} positions")
        for text in texts:
            likely = model.most_likely(model.read(text), 4)
            found = ", ".join(f"{word} {p:.3f}" for word, p in likely.items())
            print(f"  {text} …\n     ", found)

# %% [markdown] reveals="positional.bag"
# The reader of lesson 1 goes by the adverb just before *the jokes*. The one without positions gives both texts the
# same probabilities. Its last word averages over a **bag** of words: it sees that *sadly* and *luckily* are in there,
# but not which of them belongs to the jokes.
#
# In lesson 1 you measured why: self-attention is **equivariant**. Shuffle the words, and each word keeps its output.
# (The reader has a causal mask, but its last word sees them all.) The reason isn't that q·k = k·q. With
# $W_q \ne W_k$, word $i$ scores word $j$ differently than $j$ scores $i$, and the order is still lost, because the
# layer does the same at every position.

# %% [markdown]
# So something has to say where each word is: a **positional encoding**. It can be added to the vectors or to the
# scores, or turn queries and keys. The brackets give the sections of this lesson:

# %% draw=true
# Where positions can enter, and in which section
show(drawings.five_ways())

# %% [markdown]
# ## 3.2 A row for each position
#
# **Why.** The first idea is to add to each word's vector something that says where the word is: the row for its
# position, from a table with a row for each. The table can be **learned**, as the vectors of words are (Gehring et al.
# 2017, section 3.1). BERT, GPT-2 and our reader have such a table.
#
# $$x'_{b,p} = x_{b,p} + \text{table}_p$$
#
# **By hand.** In a batch of 2 sentences with 3 words each, the first sentence gets rows 0, 1, 2, and so does the
# second.
#
# **A slip that raises no error.** This code was written for tensors (T, B, d_model), with the words first. Used on
# (B, T, d_model), it cuts the table by the number of *sentences*:


# %%
def copied_code(x, table):  # x: (B, T, d_model)
    table = table.unsqueeze(1)  # (max_T, 1, d_model)
    return x + table[: x.size(0)]


where = torch.arange(10.0).unsqueeze(1).expand(10, 4)  # row p holds nothing but p
print(copied_code(torch.zeros(2, 3, 4), where)[..., 0])

# %% [markdown]
# Every word of sentence 0 got row 0, and every word of sentence 1 got row 1. So all words of a sentence get the same
# vector, which says nothing about their positions, and training runs without an error.
#
# **Exercise 3.2** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Add row p of the table to the vector at position p, for any number of axes in front.**
#
# <details><summary>Hint 1</summary>There may be no batch axis, one, or several. Which axis of x, counted from the
# end, always holds the positions?</details>
# <details><summary>Hint 2</summary>Broadcasting aligns shapes from the right. Do (B, T, d_model) and (T, d_model)
# fit as they are?</details>
# <details><summary>The idea</summary>The last two axes of x are a sentence, and the table's first T rows are its
# positions.</details>


# %% exercise="positional.add"
def add_positions(x, table):
    """Add row p of the table to the vector at position p.

    Args:
        x: (..., T, d_model).
        table: (max_T, d_model), max_T at least T. It may be
            learned, so it gets a gradient.

    Returns:
        Shaped like x. x itself stays as it was.
    """
    ### BEGIN SOLUTION
    return x + table[: x.size(-2)]
    ### END SOLUTION


# %% check="positional.add"
check("positional.add", add_positions)

# %% draw=true
# What is added to each word: with the slip, and by your function
sentences, columns = ["sentence 0", "sentence 1", "sentence 2"], [f"word {n}" for n in range(5)]
with waiting_for("Exercise 3.2"):
    nothing = torch.zeros(3, 5, 4)
    left, right = plots.panels(2, width=4.4, height=2.2)
    slip, right_way = copied_code(nothing, where)[..., 0], add_positions(nothing, where)[..., 0]
    grid(slip, sentences, columns, title="the slip: rows of the table", digits=0, ax=left)
    show(grid(right_way, sentences, columns, title="your function", digits=0, ax=right))

# %% [markdown]
# On the left the numbers count sentences, on the right words. In any model that adds positions, check that line of
# code first. A quick test: put the same sentence into a batch twice, and both outputs must be equal. And shuffle its
# words: the equivariance gap must not be 0.

# %% draw=true
# A sentence twice, and shuffled: the slip, and your function
with waiting_for("Exercise 3.2"):
    torch.manual_seed(4)
    words, table = torch.randn(6, 8), torch.randn(20, 8)
    twice, order = words.expand(2, 6, 8), torch.tensor([2, 0, 5, 1, 4, 3])
    for name, add in (("the slip", copied_code), ("your function", add_positions)):

        def layer(x, add=add):
            x = add(x, table)
            return scaled_dot_product_attention(x, x, x)[0]

        first, second = layer(twice)
        apart, gap = float((first - second).abs().max()), float(permutation_gaps(layer, twice, order)[0])
        print(f"{name:<14} equal sentences differ by {apart:.4f} · equivariance gap {gap:.4f}")

# %% [markdown]
# Does the order survive a shuffle, then? Yes, in this sense: shuffle the *sums* of words and rows, and attention
# is as equivariant as before, but each vector carries its position with it.
#
# Now the trained reader, with its own table, which **your** function adds:

# %% draw=true
# The reader with your function: which words may come next
with waiting_for("Exercise 3.2"):
    own = own_reader(positions=add_positions)
    for text in texts:
        scores = own.read(own.ids(text))[0][0, -1]
        likely = scores.softmax(-1).topk(4)
        names = [list(own.model.vocabulary)[n] for n in likely.indices]
        found = ", ".join(f"{w} {p:.3f}" for w, p in zip(names, likely.values, strict=True))
        print(f"  {text} …\n     ", found)

# %% [markdown]
# These are the probabilities of 3.1, as they should be.

# %% [markdown]
# ### Where the table ends
# Which rows of a learned table does training reach? We add a table of 24 rows to 32 sentences of 16 words, and look
# at the table's gradient:

# %% draw=true
# Which rows of a learned table get a gradient
with waiting_for("Exercise 3.2"):
    torch.manual_seed(0)
    batch, place_table = torch.randn(32, 16, 8), torch.randn(24, 8, requires_grad=True)
    x = add_positions(batch, place_table)
    scaled_dot_product_attention(x, x, x)[0].square().mean().backward()
    reached = place_table.grad.norm(dim=-1)
    ax = plots.panels(width=6, height=2.6)[0]
    ax.bar(range(24), reached.tolist(), color=plots.PALETTE[0])
    ax.set(xlabel="row of the position table", ylabel="size of its gradient")
    ax.set_title("32 sentences of 16 words")
    show(ax, alt=f"Gradients of 24 rows: 16 up to {reached.max():.3f}, then 8 of {reached[16:].max():.0f}")

# %% [markdown]
# Rows 16 to 23 get no gradient at all: they keep their random numbers. And beyond the last row there is nothing to
# look up. To see how much that matters, we need a model small enough to train in two seconds, and a task in which
# order counts.
#
# **The task.** The texts are plays. Each token is a word or one of four names. The question at each token is *who
# is speaking?*, and the answer is the most recent name. On average, every fourth token is a name.

# %%
play, speaker = experiments.speaking((16,), torch.Generator().manual_seed(5))
print("play   ", " ".join("ABCDuvwx"[n] for n in play))
print("speaker", " ".join("ABCD"[n] for n in speaker))

# %% [markdown]
# **The model** is one layer of attention with 4 heads and a causal mask: each token sees itself and what came
# before. It trains on texts of 16 tokens, and then reads texts of 16, 32 and 64. We measure its accuracy on the
# **last 8 tokens**: in the long texts, these are at positions that didn't occur in training. We train five models of
# each kind side by side, from different random numbers and on different texts, since one model alone would prove
# little. (`helpers/positional/experiments.py` has the code. A `Way` says which of your functions goes where.)

# %% draw=true
# Who is speaking? Without positions, and with a learned table
with waiting_for("Exercise 3.2"):
    results = {"none": experiments.accuracies(experiments.train(Way()))}
    learned = experiments.train(Way(vectors=add_positions, learned=(64, 32)))
    results["learned table"] = experiments.accuracies(learned)
    show(by_length({"who is speaking?": results}))

# %% [markdown]
# At 16 tokens the model without positions is right two times in three (often there are only a few names to choose
# from); the model with the table is nearly always right. But in the shaded part, beyond the training length, it does
# worse than the one without positions.

# %% [markdown]
# ## 3.3 A row for every position: sines and cosines
#
# **Why.** If rows beyond the training length are the problem, don't learn rows: compute them, by a formula that has one
# for *every* position. A clock tells the time with a few hands of different speeds. Its fast hands
# distinguish moments close together, its slow ones distant moments. Do the same with positions: $d_{model}/2$ hands,
# each given by the sine and cosine of its angle, which always lie between −1 and 1.
#
# **Formula** (Vaswani et al. 2017, section 3.5). For position $p$ and pair $i = 0, 1, 2, \dots$
#
# $$\text{table}[p, 2i] = \sin(p\,\omega_i) \qquad \text{table}[p, 2i+1] = \cos(p\,\omega_i) \qquad
# \omega_i = 10000^{-2i/d_{model}}$$
#
# $\omega_i$ is a speed, in radians per position. The first hand has speed 1 and goes round once in
# $2\pi \approx 6.3$ positions. The last one takes about 60,000 positions, if $d_{model}$ is 512.
#
# We draw a hand as mathematics draws an angle: cosine to the right, sine upwards. At position 0 it points to the
# right, and each step turns it **anticlockwise** by $\omega_i$. All turns in this lesson go this way.
#
# **By hand**, $d_{model} = 4$: the speeds are $10000^0 = 1$ and $10000^{-2/4} = 0.01$.
#
# | position | sin(p) | cos(p) | sin(0.01p) | cos(0.01p) |
# | --- | --- | --- | --- | --- |
# | 0 | 0 | 1 | 0 | 1 |
# | 1 | 0.84 | 0.54 | 0.01 | 1.00 |
# | 3 | 0.14 | −0.99 | 0.03 | 1.00 |
#
# **As published,** a sine and its cosine are next to each other, the sine first. Some libraries put all sines
# first, then all cosines: that only reorders the features, but weights trained with one order don't fit the
# other. The table depends only on its size, so it is **computed once**, for the longest sentence.
#
# **Exercise 3.3** · difficulty 3 of 5 · 12 minutes · 3 points
#
# **Return the table of sinusoidal positions, one row for each position.**
#
# <details><summary>Hint 1</summary>Begin with the d_model/2 speeds. What are their exponents?
# <code>torch.arange(0, d_model, 2)</code> counts in twos.</details>
# <details><summary>Hint 2</summary>How do positions and speeds make all angles at once? (T, 1) times (d_model/2,)
# is (T, d_model/2).</details>
# <details><summary>The idea</summary>One table of angles, used twice: sines in the even columns, cosines in the odd
# ones. Stacked on a new last axis and flattened, they alternate.</details>


# %% exercise="positional.sinusoidal"
def sinusoidal(T, d_model, base=10_000.0):
    """The table of sinusoidal positions, as published.

    Args:
        T: how many positions, 0 ... T-1.
        d_model: how many features, an even number.
        base: 10000 in the paper.

    Returns:
        (T, d_model), float32.
    """
    ### BEGIN SOLUTION
    speeds = base ** (-torch.arange(0, d_model, 2) / d_model)  # (d_model / 2,)
    angles = torch.arange(T).unsqueeze(1) * speeds  # (T, d_model / 2)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)
    ### END SOLUTION


# %% check="positional.sinusoidal"
check("positional.sinusoidal", sinusoidal)

# %% draw=true
# The table as a picture, and four of its columns
with waiting_for("Exercise 3.3"):
    table = sinusoidal(64, 32)
    left, right = plots.panels(2, width=4.8, height=3.4)
    table_picture(table, title="64 positions, 32 features", ax=left)
    hands = {f"feature {n}": table[:, n] for n in (0, 4, 8, 12)}
    labels = {"xlabel": "position", "ylabel": "", "title": "four of its columns", "below": 4}
    show(curves(range(64), hands, **labels, ax=right))

# %% [markdown]
# The left columns change quickly, the right ones hardly at all within 64 positions.

# %% [markdown]
# The same model again, with this table in place of the learned one:

# %% predict="positional.beyond"

# %% draw=true
# Who is speaking? With the sinusoidal table
with waiting_for("Exercises 3.2 and 3.3"), after_predicting("positional.beyond"):
    computed = experiments.train(Way(vectors=add_positions, table=sinusoidal(64, 32)))
    with_sinusoids = results | {"sinusoidal": experiments.accuracies(computed)}
    show(by_length({"who is speaking?": with_sinusoids}))

# %% [markdown] reveals="positional.beyond"
# Within the training length it is as good as the learned table, with no parameters to learn. (The same holds for
# translation: Vaswani et al. 2017, table 3, row E.) But beyond that length it is no better. A row may be *defined*,
# and yet a model can't *use* it: in training it met only 16 of them.

# %% [markdown]
# The paper says that sinusoids *may* allow longer texts. The next two sections measure two other properties: one
# that is often claimed for them, and one that the paper hoped for.

# %% [markdown]
# ## 3.4 Are near positions similar?
#
# We measure similarity by the dot product, since that is how attention compares vectors. For one pair of features,
# the sine and cosine of $a$ and of $b$:
#
# $$\sin a \sin b + \cos a \cos b = \cos(a - b)$$
#
# So the dot product of positions $p$ and $p + k$ is $\sum_i \cos(\omega_i k)$. It depends on the **distance** $k$ alone.
#
# **By hand**, $d_{model} = 4$, speeds 1 and 0.01. Distance 0: 1 + 1 = 2. Distance 1: 0.54 + 1.00 = 1.54. Distance
# 3: −0.99 + 1.00 = 0.01. Distance 6: 0.96 + 1.00 = 1.96, nearly as much as at distance 0!
#
# Measure this for any table, also for learned ones, where pairs at the same distance differ. So take their mean.
#
# **Exercise 3.4** · difficulty 3 of 5 · 8 minutes · 2 points
#
# **Return the mean dot product of rows k apart, for each k from 0 to T − 1.**
#
# <details><summary>Hint 1</summary>All dot products of two rows are one matrix product, (T, T). Where in it are the
# pairs that are k apart?</details>
# <details><summary>Hint 2</summary>What does <code>x.diagonal(k)</code> give?</details>
# <details><summary>The idea</summary>In the matrix of all dot products, pairs at the same distance are on one
# diagonal.</details>


# %% exercise="positional.similarity"
def similarity_by_distance(table):
    """How similar two rows of a table are, by their distance.

    Args:
        table: (T, d_model).

    Returns:
        (T,). Entry k is the mean of table[p] · table[p + k] over all p
        for which both rows exist.
    """
    ### BEGIN SOLUTION
    products = table @ table.T
    return torch.stack([products.diagonal(k).mean() for k in range(len(table))])
    ### END SOLUTION


# %% check="positional.similarity"
check("positional.similarity", similarity_by_distance)

# %% predict="positional.similar"

# %% draw=true
# How similar rows are, by their distance
with waiting_for("Exercises 3.3 and 3.4"), after_predicting("positional.similar"):
    torch.manual_seed(0)
    chosen = {"sinusoidal, width 128": sinusoidal(64, 128), "sinusoidal, width 16": sinusoidal(64, 16)}
    chosen["random, width 128"] = torch.randn(64, 128)
    found = {name: similarity_by_distance(rows) for name, rows in chosen.items()}
    found = {name: values / values[0] for name, values in found.items()}
    labels = {"xlabel": "distance k", "ylabel": "similarity (1: a row with itself)", "below": 2}
    show(curves(range(64), found, **labels, ax=plots.panels(width=5.4, height=3.4)[0]))

# %% [markdown] reveals="positional.similar"
# So it is true: near positions are similar, and in these two sinusoidal tables the nearest are the most similar.
# But the similarity doesn't measure distance. It goes up and down, more so in narrow tables, and a far position can
# be more similar than a nearer one. Random rows are about equally dissimilar at every distance.

# %% [markdown]
# ## 3.5 One matrix moves every position
#
# **Why.** To look three words back, a head has to turn *I am at p* into *I look for p − 3*. If a single matrix does
# that for every $p$, then $W_q$ can learn it once and use it everywhere. The paper's authors hypothesised that
# this would be easy to learn with sines and cosines (Vaswani et al. 2017, section 3.5).
#
# **Formula.** To move by $k$ positions, turn each hand by $k$ steps. For one pair with speed $\omega$, write
# $a = p\,\omega$ and $b = k\,\omega$. Then
#
# $$\sin(a + b) = \sin a \cos b + \cos a \sin b \qquad \cos(a + b) = \cos a \cos b - \sin a \sin b$$
#
# The new pair is a combination of the old one, and the coefficients, $\cos b$ and $\sin b$, don't depend on $p$. As
# a matrix, with the row on its left:
#
# $$\begin{pmatrix} \sin a & \cos a \end{pmatrix}
# \begin{pmatrix} \cos b & -\sin b \\ \sin b & \cos b \end{pmatrix} =
# \begin{pmatrix} \sin(a+b) & \cos(a+b) \end{pmatrix}$$
#
# The block is the usual rotation matrix, which turns an arrow anticlockwise by $b$. (Usually it multiplies a column
# from the left, with the cosine first. Here it multiplies a row from the right, with the sine first. Each of the two
# changes alone would reverse the turn; together they cancel.)
#
# A table has many pairs, each with its own speed. So the whole matrix is **block diagonal**: one such 2 × 2 block
# for each pair, and zeros elsewhere.
#
# **By hand**, one pair, $\omega = 1$, $k = 1$: the block is (0.54, −0.84; 0.84, 0.54). Position 0 is (0, 1). Times the block:
# (0.84, 0.54). That is position 1.
#
# **Exercise 3.5** · difficulty 4 of 5 · 12 minutes · 4 points
#
# **Return the matrix that moves every position of the sinusoidal table by k.**
#
# <details><summary>Hint 1</summary>Start with width 2, one block. Is row 0 times your block row k of
# <code>sinusoidal(k + 1, 2)</code>?</details>
# <details><summary>Hint 2</summary>By which angle does pair i turn? Look up <code>torch.block_diag</code>, or fill
# a matrix of zeros in a loop.</details>
# <details><summary>The idea</summary>Each pair turns by its own angle, k·ω_i, and pairs don't mix.</details>


# %% exercise="positional.shift"
def shift_matrix(k, d_model, base=10_000.0):
    """The matrix M that moves each position by k:
    sinusoidal(...)[p] @ M is sinusoidal(...)[p + k].

    Args:
        k: how far. Negative moves back.
        d_model: an even number.
        base: as in `sinusoidal`.

    Returns:
        (d_model, d_model), float32.
    """
    ### BEGIN SOLUTION
    angles = k * base ** (-torch.arange(0, d_model, 2) / d_model)
    blocks = [torch.tensor([[a.cos(), -a.sin()], [a.sin(), a.cos()]]) for a in angles]
    return torch.block_diag(*blocks)
    ### END SOLUTION


# %% check="positional.shift"
check("positional.shift", shift_matrix)

# %% [markdown]
# We move positions 0, 5, 100 and 1000 by 7, all with the same matrix. Then we do the same for a table of random
# rows, with the matrix that fits best (by least squares).

# %% predict="positional.one_matrix"

# %% draw=true
# How far off one matrix is, for every position at once
with waiting_for("Exercises 3.3 and 3.5"), after_predicting("positional.one_matrix"):
    table, M = sinusoidal(1100, 32), shift_matrix(7, 32)
    for p in (0, 5, 100, 1000):
        print(f"from {p:>4} by 7: largest error {float((table[p] @ M - table[p + 7]).abs().max()):.6f}")
    torch.manual_seed(0)
    rows = torch.randn(1100, 32)
    best = torch.linalg.lstsq(rows[:-7], rows[7:]).solution
    left = (rows[:-7] @ best - rows[7:]).square().mean() / rows.square().mean()
    print(f"random rows: the best matrix leaves {100 * float(left):.0f} % of their variance unexplained")

# %% draw=true
# The matrix that moves by three
with waiting_for("Exercise 3.5"):
    features = [f"{n}" for n in range(8)]
    labels = {"title": "moves by 3, width 8", "xlabel": "new feature", "ylabel": "old feature"}
    show(grid(shift_matrix(3, 8), features, features, reach=1, **labels))

# %% [markdown] reveals="positional.one_matrix"
# One matrix moves every position of the sinusoidal table, up to rounding. No matrix does that for random rows: the
# best one leaves nearly all of their variance unexplained. In the picture, each block is a turn: fast at the top,
# nearly the identity at the bottom.

# %% [markdown]
# ## 3.6 Explore: two positions compared
#
# The picture calls **your** function of 3.3. Each clock is a pair of features, with a hand for each of two positions;
# beside the clocks are the dot products of row a with all others, and below them both rows.
#
# 1. Move a and b together, keeping their distance. What stays the same?
# 2. Make the width 4. Which positions are now hard to distinguish from a? The first pair shows why.
# 3. Make the base 10, with width 32. What changes for far positions, and what is a large base good for?
# 4. Make the width 8 and put b 3 positions from a, then 6. Which is more similar, and from which width on does the
#    answer change?

# %% draw=true
# Explore: two positions compared
explorers.positions_explorer(sinusoidal)

# %% [markdown]
# **Question 3.6** · graded by hand · 8 minutes · 5 points
#
# Suppose a head sees nothing but sinusoidal positions: query $i$ is table[i] $W_q$, key $j$ is table[j] $W_k$.
# Choose $W_q$ and $W_k$ so that every position looks three positions back, and say why that works for every $i$.
# How sharply does the head look (think of 3.4)? Would it work with random rows? In a real model the rows are added to
# words: how does that disturb the head?

# %% [markdown] written="positional.three_back" points=5
# ### BEGIN SOLUTION
# **Model answer.** Take W_q = shift_matrix(−3) and W_k the identity, perhaps with both multiplied by a large
# number. Then query i is table[i − 3], and its score with key j is table[i − 3] · table[j], which by 3.4 is a sum
# of cosines of the distance between i − 3 and j: largest at j = i − 3. It works for every i because the matrix
# doesn't depend on the position. The similarity falls only slowly around its maximum and rises again further away,
# so with small weights the head also looks at the neighbours of i − 3; larger weights make it sharper. With random
# rows no matrix turns row i into row i − 3 for all i at once (unless the width is at least the number of positions;
# then it has to learn each position separately). When words are added, scores also have terms word with word, word
# with position and position with word; these disturb the pattern unless W_q and W_k keep words and positions apart.
#
# **Rubric**
# - 1 point: W_q (or W_k, with +3) is the matrix of the shift, the other one the identity or anything that cancels.
# - 1 point: it works for all i because the matrix doesn't depend on the position.
# - 1 point: the score depends on the distance to i − 3 and is largest there; neighbours get nearly as much, or:
#   scale it up.
# - 1 point: not with random rows; no single matrix moves them.
# - 1 point: with words the score has further terms that mix words and positions.
# - W_q = shift_matrix(3) with the identity as W_k looks three places *ahead*: take half of the first point off, no
#   more.
# ### END SOLUTION

# %% [markdown]
# ## 3.7 A number for each distance
#
# **What fails.** Both tables say *where* a word is, not how far it is from the others. To see what that costs, the
# models of 3.2 and 3.3 read texts of 16 tokens again, as in training, but numbered from a later start.

# %% draw=true
# The same texts of 16 tokens, numbered from 0, 4, 8 and 16
with waiting_for("Exercises 3.2 and 3.3"):
    for name, model in {"learned table": learned, "sinusoidal": computed}.items():
        right = [f"from {s}: {experiments.accuracy(model, start=s).mean():.2f}" for s in (0, 4, 8, 16)]
        print(f"{name:<14}", "   ".join(right))

# %% [markdown]
# Accuracy falls from nearly 1 to about one half, although the texts are the same. The models have learned each
# position by itself, although only the distances count.
#
# **Why.** It rarely matters that a word is the 40th, but often that it comes three positions before some other
# word. *Relative* positions express that. Leave the input as it is, and add to the **scores** something that
# depends on the distance between key and query. Shaw et al. (2018) learn a vector for each distance. Raffel et al.
# (2020, section 2.1) learn a single number. You will write the second:
#
# $$\text{score}_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} + \text{table}[\,j - i\,]$$
#
# Each head learns its own table, with a number for each distance from −K to K. Distances beyond are **clipped**:
# they get the last number on their side (as in Shaw et al., section 3.2; in Raffel et al., whole ranges of far
# distances share a number).
#
# $$\text{bias}_{ij} = \text{table}[\,\text{clip}(j - i, -K, K) + K\,]$$
#
# Indices begin at 0, so we add $K$: distance −K is entry 0, and distance 0 is the entry in the middle.
#
# **By hand**, K = 2, the table for distances −2 to 2 is (5, 4, 3, 2, 1). Query 0 with four keys: the distances are 0, 1, 2, 3;
# 3 is clipped to 2; the bias is 3, 2, 1, 1. Query 1: distances −1, 0, 1, 2; the bias is 4, 3, 2, 1.

# %% draw=true
# One number for each diagonal
show(drawings.distances())

# %% [markdown]
# **Exercise 3.7** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return the bias for each query and key: the table's number for their clipped distance.**
#
# <details><summary>Hint 1</summary>How do you get all distances, (T_q, T_k), from a row of key positions and a
# column of query positions?</details>
# <details><summary>Hint 2</summary>What comes first, clipping or adding K? In <code>table[..., index]</code> the
# index may be a whole tensor.</details>
# <details><summary>The idea</summary>Turn a matrix of distances into valid indices, and it looks up all numbers at
# once.</details>


# %% exercise="positional.relative"
def relative_bias(table, T_q, T_k):
    """What to add to the scores: for query i and
    key j the table's number for the distance j - i.

    Args:
        table: (..., 2K+1), the numbers for the distances -K ... K, in
            this order. In front, heads for instance.
        T_q: how many queries. Query i is at position i.
        T_k: how many keys. Key j is at position j.

    Returns:
        (..., T_q, T_k). Distances beyond -K
        and K get the first and the last number.
    """
    ### BEGIN SOLUTION
    K = table.size(-1) // 2
    distance = torch.arange(T_k) - torch.arange(T_q).unsqueeze(1)  # (T_q, T_k)
    return table[..., distance.clamp(-K, K) + K]
    ### END SOLUTION


# %% check="positional.relative"
check("positional.relative", relative_bias)

# %% draw=true
# The bias as a table, and the weights that it makes by itself
with waiting_for("Exercise 3.7"):
    numbers = torch.tensor([0.0, 1.0, 4.0, 2.0, -1.0, -2.0, -3.0])  # for distances -3 ... 3
    bias = relative_bias(numbers, 7, 7)
    names = [f"{n}" for n in range(7)]
    left, right = plots.panels(2, width=3.7, height=3.2)
    labels = {"title": "the bias: one number per diagonal", "xlabel": "keys", "ylabel": "queries"}
    grid(bias, names, names, digits=0, ax=left, **labels)
    show(plots.heatmap(bias.softmax(-1), names, names, title="weights, if all words are alike", ax=right))

# %% [markdown]
# Each diagonal has one number, so the pattern is the same wherever the query is. Even if all words are alike,
# attention now knows where to look: here, at the word just before. Now the same test as above, and longer texts:

# %% draw=true
# The relative bias: numbered from 0, 4, 8 and 16, and on longer texts
with waiting_for("Exercises 3.2, 3.3 and 3.7"):
    relative = experiments.train(Way(scores=relative_bias, learned=(4, 31)))  # distances -15 ... 15
    right = [f"from {s}: {experiments.accuracy(relative, start=s).mean():.2f}" for s in (0, 4, 8, 16)]
    print(f"{'relative bias':<14}", "   ".join(right))
    with_distances = results | {"relative bias": experiments.accuracies(relative)}
    show(by_length({"who is speaking?": with_distances}))

# %% [markdown]
# The start of the numbering makes no difference: nothing in the model depends on it. At 16 tokens the model is right a
# little less often than the one with a learned table. It loses a few points with each doubling of the length: all keys more than
# 15 away share one number, and there are more and more of them.

# %% [markdown]
# ## 3.8 Turning queries and keys
#
# **A different task.** Here the *word* decides how far back to look: token 0 asks which token was one position back,
# token 1 which was two back, and so on to token 7 and eight back. The model has 4 heads, and each learns its own bias.

# %% predict="positional.word_decides"

# %% draw=true
# Each token says how far back to look: the relative bias
with waiting_for("Exercise 3.7"), after_predicting("positional.word_decides"):
    task = experiments.looking_back
    for name, way in {"none": Way(), "relative bias": Way(scores=relative_bias, learned=(4, 31))}.items():
        right = experiments.accuracy(experiments.train(way, task), task=task)
        print(f"{name:<14} {right.mean():.2f} (five models: {right.min():.2f} to {right.max():.2f})")

# %% [markdown] reveals="positional.word_decides"
# Little more than a third of the answers are right, not many more than without positions. A head's bias is the same for
# all words: a score that adds up a part for the words and a part for the distance can't give each word a distance of
# its own.

# %% [markdown]
# **Why.** In 3.5, a shift turned each pair of the *position's vector*. Now turn each pair of the *query and the
# key* themselves, the same way: anticlockwise, by an angle that grows with the position. In each pair, the angle
# between query and key then changes by the difference of the two angles, so it depends on the distance. These are
# **rotary** positions, or RoPE (Su et al. 2021). Many large language models use them, such as LLaMA (Touvron et
# al. 2023, section 2.2).
#
# **Formula.** At position $p$, pair $i$ of a vector, $(a, b) = (x_{2i}, x_{2i+1})$, turns by $p\,\omega_i$, where
# $\omega_i = 10000^{-2i/d}$ as before and $d$ is the width of the query:
#
# $$(a, b) \;\to\; (a\cos p\omega_i - b \sin p\omega_i,\;\; a \sin p\omega_i + b\cos p\omega_i)$$
#
# Draw $a$ to the right and $b$ upwards, and the arrow turns anticlockwise.
#
# **The property.** Write $R_p$ for this turn of all pairs. Then
#
# 1. Turning two vectors by the same angles doesn't change their dot product. So turn both of these by $-i$:
#    $\;R_i\, q \cdot R_j\, k = R_{-i} R_i\, q \cdot R_{-i} R_j\, k$.
# 2. Angles add up: $R_{-i} R_i$ turns by 0, and $R_{-i} R_j$ by $j - i$ steps.
# 3. So $\;R_i\, q \cdot R_j\, k = q \cdot R_{j-i}\, k$. The score depends on $i$ and $j$ only through their **distance**.
#
# **By hand**, one pair, so $\omega = 1$. The query (1, 0) at position 2 becomes (cos 2, sin 2) = (−0.42, 0.91). The
# key (1, 0) at position 5 becomes (cos 5, sin 5) = (0.28, −0.96). Their dot product is −0.99, which is cos 3. At
# positions 12 and 15 it is cos 3 again.
#
# **As published**, neighbours form a pair: features 0 and 1, 2 and 3. Some programs pair feature $i$ with $i + d/2$
# instead.
#
# **Exercise 3.8a** · difficulty 4 of 5 · 14 minutes · 3 points
#
# **Turn each pair of features of x by its position times the pair's speed.**
#
# <details><summary>Hint 1</summary>How did positions and speeds make a (T, d/2) table of angles in 3.3?</details>
# <details><summary>Hint 2</summary>What do <code>x[..., 0::2]</code> and <code>x[..., 1::2]</code> hold, and do
# their shapes fit the angles?</details>
# <details><summary>The idea</summary>All pairs turn at once if you separate the first features of the pairs from
# the second. Afterwards they alternate again, as in 3.3.</details>


# %% exercise="positional.rotary"
def rotary(x, positions, base=10_000.0):
    """Turn each pair of features by an
    angle that grows with the position.

    Args:
        x: queries or keys, (..., T, d), d even.
        positions: (T,), integers: where each
            vector is. Not always 0, 1, 2, ...
        base: as in `sinusoidal`.

    Returns:
        Shaped like x. x itself stays as it was.
    """
    ### BEGIN SOLUTION
    d = x.size(-1)
    angles = positions.unsqueeze(-1) * base ** (-torch.arange(0, d, 2) / d)  # (T, d / 2)
    a, b = x[..., 0::2], x[..., 1::2]
    turned = [a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()]
    return torch.stack(turned, dim=-1).flatten(-2)
    ### END SOLUTION


# %% check="positional.rotary"
check("positional.rotary", rotary)

# %% [markdown]
# How is this related to 3.3? Turn arrows that point to the right, (1, 0), with **your** function, and you get the
# sinusoidal table, with each cosine first:

# %% draw=true
# Arrows turned by their positions, and the sinusoidal table
with waiting_for("Exercises 3.3 and 3.8a"):
    to_the_right = torch.tensor([1.0, 0.0]).repeat(64, 4)  # (64, 8)
    turned = rotary(to_the_right, torch.arange(64)).unflatten(-1, (4, 2))
    sine_first = turned.flip(-1).flatten(-2)
    print(f"largest difference from the table: {float((sine_first - sinusoidal(64, 8)).abs().max()):.6f}")

# %% [markdown]
# In each pair of features, the table *adds* an arrow, turned by the position, to the word. Rotary positions turn
# *the word's own* query and key. The picture below shows that. Move the key away from the query, then move both, and
# watch the hands and the score.

# %% draw=true
# Explore: a query and a key, turned
explorers.rotary_explorer(rotary)

# %% [markdown]
# If both move, the arrows turn, but the diamond, which marks the score, stays: the score depends only on the distance.
# If they move apart, it goes up and down like the curve of 3.4, for the same reason.
#
# In a model, every layer turns its queries and keys. The **values** stay as they are: a position should decide
# where to look, not what is found there.
#
# **Exercise 3.8b** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return attention with queries and keys turned by their positions, and values as they are.**
#
# <details><summary>Hint 1</summary>How many positions do the queries have, and how many the keys?</details>
# <details><summary>Hint 2</summary>Which part is lesson 1's
# <code>scaled_dot_product_attention(q, k, v, mask)</code>, imported above?</details>
# <details><summary>The idea</summary>Turn only what is compared; the look-up doesn't change.</details>


# %% exercise="positional.rotary_attention"
def rotary_attention(q, k, v, mask=None):
    """Attention with rotary positions. Queries
    and keys are at positions 0, 1, 2, ...

    Args:
        q: (..., T_q, d_k), d_k even.
        k: (..., T_k, d_k).
        v: (..., T_k, d_v).
        mask: boolean, broadcastable to (..., T_q, T_k). True means
            "may attend". None hides nothing.

    Returns:
        The outputs (..., T_q, d_v) and the weights (..., T_q, T_k).
    """
    ### BEGIN SOLUTION
    q = rotary(q, torch.arange(q.size(-2)))
    k = rotary(k, torch.arange(k.size(-2)))
    return scaled_dot_product_attention(q, k, v, mask)
    ### END SOLUTION


# %% check="positional.rotary_attention"
check("positional.rotary_attention", rotary_attention)

# %% draw=true
# Each token says how far back to look: rotary positions
with waiting_for("Exercise 3.8a"):
    right = experiments.accuracy(experiments.train(Way(turned=rotary), task), task=task)
    print(f"{'rotary':<14} {right.mean():.2f} (five models: {right.min():.2f} to {right.max():.2f})")

# %% [markdown]
# Rotary positions get everything right where the bias failed: each word's query can point to the distance that the
# word asks for. Now *who is speaking?* again, and longer texts than in training. Scores depend only on distances.

# %% predict="positional.longer"

# %% draw=true
# Who is speaking? With rotary positions
with waiting_for("Exercises 3.2, 3.3, 3.7 and 3.8a"), after_predicting("positional.longer", told=False):
    turning = experiments.train(Way(turned=rotary))
    with_rotary = with_distances | {"rotary": experiments.accuracies(turning)}
    show(by_length({"who is speaking?": with_rotary}))

# %% draw=true
# Where rotary attention goes at 64 tokens, by distance
with waiting_for("Exercise 3.8a"), after_predicting("positional.longer"):
    slower = experiments.train(Way(turned=lambda x, positions: rotary(x, positions, 100_000.0)))
    tokens, _ = experiments.speaking((5, 32, 64), torch.Generator().manual_seed(98))
    models = {"rotary": turning, "rotary, base 100,000": slower}
    looks = {name: by_distance(experiments.read(model, tokens)[1]) for name, model in models.items()}
    ax = plots.panels(width=6.4, height=3.2)[0]
    ax.axvspan(15.5, 57, color=plots.BAND, alpha=0.5, linewidth=0)
    labels = {"xlabel": "distance", "ylabel": "mean weight"}
    labels["title"] = "Texts of 64 tokens. Shaded: distances never met in training"
    show(curves(range(57), looks, **labels, ax=ax))
    right = experiments.accuracy(slower, 64)
    print(f"rotary, base 100,000, 64 tokens: mean accuracy {right.mean():.2f}")

# %% [markdown] reveals="positional.longer"
# With rotary positions the model loses little at 32 tokens, but at 64 it falls below the model without positions. The
# second picture shows where its attention goes. The most recent name is hardly ever more than 15 tokens away, but
# attention **rises again** at large distances, as a clock hand comes round again.
#
# A head has 8 features here, so four pairs, with speeds 1, 0.1, 0.01 and 0.001. It seems that the model
# distinguishes near from far by the second pair, which completes a turn after $2\pi/0.1 \approx 63$ positions: then
# far looks like near. If that is the reason, a slower second pair should help. With base 100,000 its speed is 0.056,
# and a turn takes 112 positions. In models newly trained with this base, attention rises much less, and the accuracy
# at 64 is about twice as high.

# %% [markdown]
# ## 3.9 A penalty for distance
#
# **Why.** The bias of 3.7 has a last number: all distances beyond it look the same. The simplest rule without an
# end is that distant words count less: subtract from each score a number that grows with the distance (Press et
# al. 2022, who call it ALiBi). Nothing is learned. Each head has its own slope $m_h$, so that some heads look
# near and others far. (Only here are heads counted from 1, as in the paper: $h = 1 \dots H$.)
#
# $$\text{score}_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} - m_h\,|i - j| \qquad m_h = 2^{-8h/H}$$
#
# **Two sides.** The paper writes the penalty only for keys before the query. Ours, with $|i - j|$, treats both
# sides alike, so it also works without a causal mask; under one, the two are the same. The penalty hides
# nothing: that is the mask's job.
#
# **By hand.** With 8 heads the slopes are 1/2, 1/4, and so on to 1/256; with 4 heads 1/4, 1/16, 1/64, 1/256. For the first of 4
# heads, query 2 and keys 0 to 3, the penalty is −0.5, −0.25, 0, −0.25.
#
# **Exercise 3.9** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return each head's penalty for each query and key: minus its slope times their distance.**
#
# <details><summary>Hint 1</summary>Slopes are (n_heads,), distances (T_q, T_k). Which shape must the slopes have,
# so that each multiplies every distance?</details>
# <details><summary>Hint 2</summary>Here heads are counted from 1, and positions, as always, from 0. With what
# does <code>torch.arange</code> begin?</details>
# <details><summary>The idea</summary>All heads use the same table of distances, each with its own slope.</details>


# %% exercise="positional.penalty"
def linear_penalty(n_heads, T_q, T_k):
    """What to add to the scores so that distant keys count less,
    on both sides, with a different slope per head.

    Args:
        n_heads: how many heads, a power of 2.
        T_q: how many queries. Query i is at position i.
        T_k: how many keys. Key j is at position j.

    Returns:
        (n_heads, T_q, T_k), float32. The
        first head has the steepest slope.
    """
    ### BEGIN SOLUTION
    slopes = 2.0 ** (-8 * torch.arange(1, n_heads + 1) / n_heads)
    distance = torch.arange(T_k) - torch.arange(T_q).unsqueeze(1)
    return -slopes[:, None, None] * distance.abs()
    ### END SOLUTION


# %% check="positional.penalty"
check("positional.penalty", linear_penalty)

# %% draw=true
# Where four heads look, if all words are alike
with waiting_for("Exercise 3.9"):
    looking_back = linear_penalty(4, 64, 64)[:, -1].flip(-1).softmax(-1)  # the last query, nearest key first
    series = {f"slope 1/{4 ** (h + 1)}": row for h, row in enumerate(looking_back)}
    title = "Where 4 heads look, if all words are alike"
    show(curves(range(64), series, xlabel="distance", ylabel="weight", title=title))

# %% [markdown]
# The steepest slope looks at a few neighbours, the flattest at everything almost equally.

# %% [markdown]
# ## 3.10 Which of them works on longer texts?
#
# Two opinions are common. The first: sinusoidal positions may let a model work on texts longer than those in
# training. The second: absolute positions are fixed whatever the length, so for long texts use relative ones. Here
# are all your functions at once:

# %% draw=true
# Who is speaking? All ways at three lengths
with (
    waiting_for("Exercises 3.2, 3.3, 3.7, 3.8a and 3.9"),
    after_predicting("positional.beyond", told=False),
    after_predicting("positional.longer", told=False),
):
    penalty = {"linear penalty": experiments.accuracies(experiments.train(Way(scores=linear_penalty)))}
    for name, right in (with_sinusoids | with_rotary | penalty).items():
        print(experiments.line(name, right))
    compared = {name: right for name, right in with_rotary.items() if name != "learned table"} | penalty
    groups = {"positions added to the input": with_sinusoids, "distances in the scores": compared}
    show(by_length(groups))

# %% [markdown]
# The linear penalty hardly loses anything. Press et al. (2022, sections 2 and 4) measured language models beyond
# their training length: sinusoidal positions fail almost at once, rotary ones last somewhat longer, the bias of
# Raffel et al. longer still, and the penalty longest.
#
# **Is the penalty the best, then?** For this task, yes, since nearer is better here. Now a different task: *which
# token was three positions back?*

# %% draw=true
# Which token was three positions back?
with waiting_for("Exercises 3.7 and 3.9"):
    task = experiments.three_back
    for name, way in {
        "relative bias": Way(scores=relative_bias, learned=(4, 31)),
        "linear penalty": Way(scores=linear_penalty),
    }.items():
        right = experiments.accuracies(experiments.train(way, task), task)
        print(experiments.line(name, right))

# %% [markdown]
# One layer with the penalty can't do it at any length: of two equal words, the one three positions back always counts
# less than the one just before. The relative bias has a number for the distance −3, and learns it. (It gets worse with
# length, as before.) No scheme is best for all tasks. Ask which distances a scheme *can* express, and what it does
# with those that didn't occur in training.
#
# **Does a model always need positions?** Under a causal mask the first token sees one token, and the tenth sees
# ten, so the mask itself contains the order. One layer can't do much with that. Here is the same model with two
# layers, still without positions:

# %% draw=true
# Two layers without positions, at three lengths
right = experiments.accuracies(experiments.train(Way(layers=2)))
print(experiments.line("none, two layers", right))

# %% [markdown]
# At 16 tokens it gets about as much right as the relative bias. So a causal model of several layers can infer the
# order by itself. Haviv et al. (2022) found the same in language models of up to 1.3 billion parameters. An encoder
# without a causal mask can't. And beyond the training length this model, too, soon fails.
#
# (One layer, small tables, made-up texts: the numbers hold only for this model.)
#
# **Question 3.10** · graded by hand · 8 minutes · 5 points
#
# Compare the two opinions with your measurements. (a) *Sinusoidal positions may work on longer texts.* (b)
# *Absolute positions are fixed whatever the length, so use relative ones.* For each, say what is right, what
# isn't, and which of your figures shows it. Then suppose that you train on texts of 512 tokens and use the model
# on texts of 2048: which scheme would you choose, and what would you measure before you trust it?

# %% [markdown] written="positional.longer_texts" points=5
# ### BEGIN SOLUTION
# **Model answer.** (a) The table exists for any length, near positions are similar, and one matrix moves all
# positions, so it could work *in principle*; the paper says may. In our experiment all five models had nearly
# everything right at 16 tokens and about half at 32, no better than without positions. A row may be defined, and yet
# the model hasn't learned to use it. (b) Learned positions are fixed: rows beyond the training
# length get no gradient, and beyond the table there are none. The sinusoidal table isn't limited to any length, and
# yet it failed. Relative ones did better in our experiments, but not all of them, and not without end: the bias
# lost a few points with each doubling, rotary held at 32 and failed at 64, where a pair of features had completed a
# turn; the penalty held, but couldn't do the second task at all. For 512 to 2048 I would take a relative bias or a
# penalty, or rotary with a larger base, and measure accuracy or loss on the last tokens of texts of 512, 1024 and
# 2048 with several seeds, on a task that needs far tokens as well as near ones.
#
# **Rubric**
# - 1 point: (a) defined at any length, but accuracy fell to that of *none*, with figures (at 32 or 64).
# - 1 point: (b) learned rows beyond the training length are untrained; sinusoidal ones aren't fixed, so "absolute"
#   isn't one case.
# - 1 point: relative ways differ: the bias falls slowly, rotary fails where a pair completes a turn, the penalty
#   holds.
# - 1 point: the penalty's limit, or that the best way depends on the task.
# - 1 point: a choice with a reason, and a measurement beyond the training length, on several seeds or on the last
#   tokens.
# - Any choice earns the last point if reason and measurement fit it. Other figures than ours are fine.
# ### END SOLUTION

# %% [markdown]
# ## 3.11 Your positions write
#
# Back to the model that writes book reviews. **Your** `add_positions` gives it its positions, and your parts of
# lessons 1 and 2 look things up, if their checks passed on this computer.

# %% draw="open"
# Which parts of the model are yours
with waiting_for("Exercise 3.2"):
    mine = own_reader(positions=add_positions)
    display(mine.table())

# %% [markdown]
# Three models write side by side: this one, the one of 3.1 that was trained without positions, and this one
# with its positions taken away.

# %% draw=true
# Explore: with positions, trained without them, and with none left
with waiting_for("Exercise 3.2"):
    writers = {
        "with positions": mine,
        "trained without": own_reader("without positions", positions=add_positions),
        "taken away": own_reader(positions=lambda x, table: x),
    }
    display(writing_explorer(writers, "Exercise 3.2"))

# %% [markdown]
# Press *write again* a few times. The share of grammatical sentences in 100 reviews at temperature 0.7:
#
# | model | grammatical sentences |
# | --- | --- |
# | with positions | {measured.reader_reader.0_7.grammatical_sentences:.0f} % |
# | trained without | {measured.reader_without_positions.0_7.grammatical_sentences:.0f} % |
# | taken away | {measured.reader_reader.0_7_positions_removed.grammatical_sentences:.0f} % |
#
# (`python -m benchmarks.reader` counts them.) A model that was trained with positions relies on them. The one that
# was trained without goes by the last word and the bag before it. It still chooses correctly between *is* and *are* in
# {measured.reader_without_positions.is_or_are.right_95_interval:.0f} % of
# {measured.reader_without_positions.is_or_are.places} cases, but it loses its place in the
# sentence: once it wrote *the story of irene , simon , irene steals a necklace*.

# %% [markdown]
# ## 3.12 What to remember
#
# - Attention without a mask is equivariant: order has to be put into the vectors, into queries and keys, or into the
#   scores. Under a causal mask two layers can infer it by themselves, as long as texts are no longer than in training.
# - A table adds row p at position p. Check the axis. Learned rows beyond the training length are untrained.
# - Sinusoidal rows exist for every position, computed once. Near ones are similar, but similarity goes up and down
#   with distance. One matrix moves every position by k. Yet beyond the training length they failed as well.
# - A bias by distance is the same wherever a text starts, and the same for all words.
# - Rotary positions turn queries and keys, so that scores depend only on distances, and each word can prefer its
#   own. Values stay as they are. Far beyond the training length, the hands come round again.
# - A fixed penalty works at any length, if near words are what counts.
# - *Defined* at any length isn't *usable* at any length. Measure it beyond the training length, with several seeds.
#
# **Sources.** Vaswani et al. 2017, *Attention is all you need*, section 3.5. Gehring et al. 2017, *Convolutional sequence to
# sequence learning*. Shaw et al. 2018, *Self-attention with relative position representations*. Raffel et al. 2020,
# *Exploring the limits of transfer learning with a unified text-to-text transformer*, section 2.1. Su et al. 2021, *RoFormer*. Press et al.
# 2022, *Train short, test long*. Haviv et al. 2022, *Transformer language models without positional encodings still learn
# positional information*. Touvron et al. 2023, *LLaMA*.
#
# Next, in lesson 4, masks hide what a model must not see: padding, and words that are still to come.
