# %% [markdown]
# # 3 · Positions
#
# - **You will learn** five ways to tell attention where a word is: sinusoidal and learned positions, which are
#   added to the input; a bias by distance and a linear penalty, which are added to the scores; and rotary
#   positions, which turn queries and keys. You will write each of them, and measure which of them still work on
#   texts longer than those in training.
# - **You need** lesson 1: scaled dot-product attention, masks, and what *equivariant* means. From lesson 2: heads.
#   Sine and cosine.
# - **Time** {minutes} minutes. Sections 3.1 to 3.6 and 3.7 to 3.13 fit two sittings.
#
# Every exercise is checked as soon as you ask for it. If you get stuck, each has two hints and then the idea.

# %% setup=true
import math

import torch

from helpers.attention import permutation_gaps, scaled_dot_product_attention
from helpers.checks import case, check
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.positional import drawings, explorers
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
# ## 3.1 A sentence is a bag
#
# *The dog bites the man* and *the man bites the dog* have the same words. In lesson 1 you measured what that means
# for self-attention: shuffle the words, and each word keeps its output. The layer is **equivariant**, and the order
# is lost. (The reason isn't that q·k = k·q. With $W_q \ne W_k$, word $i$ scores word $j$ differently than $j$
# scores $i$, and the order is still lost, because the layer does the same at every position.)
#
# The obvious cure is to give each vector something that says where it is. Let us try random vectors, one for each
# position.

# %%
torch.manual_seed(4)
words, places = torch.randn(6, 8), torch.randn(6, 8)
order = torch.tensor([2, 0, 5, 1, 4, 3])


def attend_to_itself(x):
    return scaled_dot_product_attention(x, x, x)[0]


def attend_with_places(x):
    return attend_to_itself(x + places)


for layer in (attend_to_itself, attend_with_places):
    gap, _ = permutation_gaps(layer, words, order)
    print(f"{layer.__name__:<18} equivariance gap {float(gap):.4f}")

# %% [markdown]
# Without position vectors the gap is 0: shuffle the words, and the outputs are shuffled in the same way. With them
# it isn't 0: a word's output depends on where the word is.
#
# It is sometimes said that with encoded positions, the order survives a shuffle. That is right, in this sense: if
# you shuffle the *sums* of words and positions, attention is as equivariant as before. But each vector carries its
# position with it, so nothing is lost. The order is no longer in the arrangement of the rows, but in the vectors.
#
# Random vectors would do, if every position occurred often enough in training. The next section has something
# better.

# %% [markdown]
# ## 3.2 A clock with many hands
#
# **Why.** A clock tells the time with a few hands of different speeds. The second hand distinguishes moments close
# together, the hour hand distant ones. Do the same with positions: $d_{model}/2$ hands, each given by the sine and
# cosine of its angle, which always lie between −1 and 1.
#
# **Formula** (Vaswani et al. 2017, section 3.5). For position $p$ and pair $i = 0, 1, 2, \dots$
#
# $$\text{table}[p, 2i] = \sin(p\,\omega_i) \qquad \text{table}[p, 2i+1] = \cos(p\,\omega_i) \qquad
# \omega_i = 10000^{-2i/d_{model}}$$
#
# $\omega_i$ is a speed, in radians per position. The first hand has speed 1 and goes round once in
# $2\pi \approx 6.3$ positions. The last one takes about 60,000 positions, if $d_{model}$ is 512.
#
# **By hand**, $d_{model} = 4$: the speeds are $10000^0 = 1$ and $10000^{-2/4} = 0.01$.
#
# | position | sin(p) | cos(p) | sin(0.01p) | cos(0.01p) |
# | --- | --- | --- | --- | --- |
# | 0 | 0 | 1 | 0 | 1 |
# | 1 | 0.84 | 0.54 | 0.01 | 1.00 |
# | 3 | 0.14 | −0.99 | 0.03 | 1.00 |
#
# **As published,** a sine and its cosine are next to each other. Some libraries put all sines first, then all
# cosines. That works just as well, because it only reorders the features, but weights trained with one order don't
# fit the other. We follow the paper.
#
# **Exercise 3.2** · difficulty 3 of 5 · 12 minutes · 3 points
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
with waiting_for("Exercise 3.2"):
    table = sinusoidal(64, 32)
    left, right = plots.panels(2, width=4.8, height=3.4)
    table_picture(table, title="64 positions, 32 features", ax=left)
    hands = {f"feature {n}": table[:, n] for n in (0, 4, 8, 12)}
    labels = {"xlabel": "position", "ylabel": "", "title": "four of its columns", "below": 4}
    show(curves(range(64), hands, **labels, ax=right))

# %% [markdown]
# The left columns change quickly, the right ones hardly at all within 64 positions. Each row is a position, and no
# two rows are equal.

# %% [markdown]
# ## 3.3 Add it along the right axis
#
# **Why add?** You could also append the position to the word's vector, but then every layer would have to be wider.
# With a sum, nothing gets wider, and a model can learn to use different directions of the space for words and for
# positions.
#
# **Formula.** Row $p$ is added to the vector at position $p$, in every sentence of the batch:
#
# $$x'_{b,p} = x_{b,p} + \text{table}_p$$
#
# The table depends only on its size, so it is **computed once**, for the longest sentence, and each batch takes the
# rows it needs.
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
# Every word of sentence 0 got row 0, and every word of sentence 1 got row 1. The shapes are right, and training
# runs without an error. But all words of a sentence get the same vector, which says nothing about their positions.
#
# **Exercise 3.3** · difficulty 2 of 5 · 6 minutes · 2 points
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
        table: (max_T, d_model), max_T at least T.

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
with waiting_for("Exercise 3.3"):
    nothing = torch.zeros(3, 5, 4)
    left, right = plots.panels(2, width=4.4, height=2.2)
    slip, right_way = copied_code(nothing, where)[..., 0], add_positions(nothing, where)[..., 0]
    grid(slip, sentences, columns, title="the slip: rows of the table", digits=0, ax=left)
    show(grid(right_way, sentences, columns, title="your function", digits=0, ax=right))

# %% [markdown]
# On the left the numbers count sentences, on the right words. In any model that adds positions, check this line
# first. A quick test: put the same sentence into a batch twice, and both outputs must be equal.

# %% draw=true
# The same sentence twice: do both come out equal?
with waiting_for("Exercises 3.2 and 3.3"):
    twice, table = words.expand(2, 6, 8), sinusoidal(20, 8)
    for name, add in (("the slip", copied_code), ("your function", add_positions)):
        first, second = attend_to_itself(add(twice, table))
        apart = float((first - second).abs().max())
        gap, _ = permutation_gaps(lambda x, add=add: attend_to_itself(add(x, table)), twice, order)
        print(f"{name:<14} equal sentences differ by {apart:.4f} · equivariance gap {float(gap):.4f}")

# %% [markdown]
# With the slip, the outputs of equal sentences differ, and the equivariance gap is 0: word order is lost, as
# before. With your function, equal sentences agree, and the gap isn't 0.

# %% [markdown]
# ## 3.4 Are near positions similar?
#
# Two things are often said about sinusoidal positions: near positions are similar, and the model may work on texts
# longer than those in training. We measure the first here, and the second in 3.12.
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
    """How similar rows of a table are that are k apart.

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
with waiting_for("Exercises 3.2 and 3.4"), after_predicting("positional.similar"):
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
# that for every $p$, then $W_q$ can learn it once and use it everywhere. The paper's authors chose sines and
# cosines because they hypothesised that this would make it easy to learn (Vaswani et al. 2017, section 3.5).
#
# **Formula.** For one pair with speed $\omega$, write $a = p\,\omega$ and $b = k\,\omega$. Then
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
with waiting_for("Exercises 3.2 and 3.5"), after_predicting("positional.one_matrix"):
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
# The picture calls **your** function of 3.2: the table, two of its rows, and the dot products of row a with all others.
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
# How sharply does the head look (think of 3.4)? Would it work with random rows? In a real model the words are
# added, too: what does the head lose by that?

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
# ## 3.7 Learned positions
#
# **Why.** Training finds the vectors of words. It can find a table of positions, too: row $p$ for position $p$,
# added as before (Gehring et al. 2017, section 3.1). BERT and GPT-2 do this.
#
# $$x_{b,p} = \text{words}[\text{id}_{b,p}] + \text{positions}[p]$$
#
# A word's vector is looked up by *which word* it is, a position's by *where* it is.
#
# **By hand.** The ids are (7, 2, 7). The first vector is words[7] + positions[0], the second words[2] +
# positions[1], the third words[7] + positions[2]. The same word at two positions has two different vectors.
#
# **Exercise 3.7** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return the sum of word vectors and learned position vectors.**
#
# <details><summary>Hint 1</summary>What shape is <code>words[ids]</code> if ids is (B, T)?</details>
# <details><summary>Hint 2</summary>Which rows of <code>positions</code> do T words need, as in 3.3?</details>
# <details><summary>The idea</summary>Which word it is decides one row, its position the other.</details>


# %% exercise="positional.learned"
def learned_positions(ids, words, positions):
    """The input of a Transformer with learned positions.

    Args:
        ids: which words, integers (..., T).
        words: (V, d_model).
        positions: (max_T, d_model), max_T at least T.

    Returns:
        (..., T, d_model).
    """
    ### BEGIN SOLUTION
    return words[ids] + positions[: ids.size(-1)]
    ### END SOLUTION


# %% check="positional.learned"
check("positional.learned", learned_positions)

# %% [markdown]
# Learned and sinusoidal positions gave nearly the same translation quality (Vaswani et al. 2017, table 3, row E).
# But what about a sentence longer than any in training? The gradient shows which rows learn anything:

# %% draw=true
# Which rows of a learned table get a gradient
with waiting_for("Exercise 3.7"):
    torch.manual_seed(0)
    vocabulary, place_table = torch.randn(50, 8), torch.randn(24, 8, requires_grad=True)
    batch = torch.randint(50, (32, 16), generator=torch.Generator().manual_seed(0))  # 16 words each
    attend_to_itself(learned_positions(batch, vocabulary, place_table)).square().mean().backward()
    reached = place_table.grad.norm(dim=-1)
    ax = plots.panels(width=6, height=2.6)[0]
    ax.bar(range(24), reached.tolist(), color=plots.PALETTE[0])
    ax.set(xlabel="row of the position table", ylabel="size of its gradient")
    ax.set_title("32 sentences of 16 words")
    show(ax, alt=f"Gradients of 24 rows: 16 up to {reached.max():.3f}, then 8 of {reached[16:].max():.0f}")

# %% [markdown]
# Rows 16 to 23 get no gradient at all: they keep their random numbers. And beyond the last row there is nothing to
# look up. A learned table is useful only up to the length of its training texts.

# %% [markdown]
# ## 3.8 A number for each distance
#
# **Why.** It rarely matters that a word is the 40th, but often that it comes three positions before some other
# word. *Relative* positions express that. Leave the input as it is, and add to the **scores** something that
# depends on the distance between key and query. Shaw et al. (2018) learn a vector for each distance. Raffel et al.
# (2020, section 2.1) learn a single number, which is added to the score. You will write the second:
#
# $$\text{score}_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} + \text{table}[\,j - i\,]$$
#
# (T5, the model of Raffel et al., doesn't divide by $\sqrt{d_k}$: its code starts with smaller query weights
# instead.) The table is learned, one for each head. It has a number for each distance from −K to K. Distances
# beyond are **clipped**: they get the last number on their side (as in Shaw et al., section 3.2; in Raffel et al.,
# whole ranges of far distances share a number).
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
# **Exercise 3.8** · difficulty 3 of 5 · 10 minutes · 3 points
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
with waiting_for("Exercise 3.8"):
    numbers = torch.tensor([0.0, 1.0, 4.0, 2.0, -1.0, -2.0, -3.0])  # for distances -3 ... 3
    bias = relative_bias(numbers, 7, 7)
    names = [f"{n}" for n in range(7)]
    left, right = plots.panels(2, width=3.8, height=3.2)
    labels = {"title": "the bias: one number per diagonal", "xlabel": "keys", "ylabel": "queries"}
    grid(bias, names, names, digits=0, ax=left, **labels)
    show(plots.heatmap(bias.softmax(-1), names, names, title="weights, if all words are alike", ax=right))

# %% [markdown]
# Each diagonal has one number, so the pattern is the same wherever the query is. Even if all words are alike,
# attention now knows where to look: here, at the word just before.

# %% [markdown]
# ## 3.9 Turning queries and keys
#
# **Why.** In 3.5 a shift turned each pair of the *position vector*. Now turn each pair of the *query and the key*,
# by an angle that grows with the position. In each pair, the angle between query and key then changes by the
# difference of the two angles, and the dot product of two arrows depends only on their lengths and on the angle
# between them. These are **rotary** positions (Su et al. 2021). Many large language models use them, such as LLaMA
# (Touvron et al. 2023, section 2.2).
#
# **Formula.** At position $p$, pair $i$ of a vector, $(a, b) = (x_{2i}, x_{2i+1})$, turns by $p\,\omega_i$, where
# $\omega_i = 10000^{-2i/d}$ as before and $d$ is the width of the query:
#
# $$(a, b) \;\to\; (a\cos p\omega_i - b \sin p\omega_i,\;\; a \sin p\omega_i + b\cos p\omega_i)$$
#
# **The property.** Write $R_p$ for this turn. Turning two vectors by the same angle doesn't change their dot
# product, so we can turn both back by position $i$: $R_i q \cdot R_j k = q \cdot R_{j-i}\, k$. The score depends on
# $i$ and $j$ only by their **distance** $j - i$. And lengths don't change.
#
# **By hand**, one pair, so $\omega = 1$. The query (1, 0) at position 2 becomes (cos 2, sin 2) = (−0.42, 0.91). The
# key (1, 0) at position 5 becomes (cos 5, sin 5) = (0.28, −0.96). Their dot product is −0.99, which is cos 3. At
# positions 12 and 15 it is cos 3 again.
#
# **As published**, neighbours form a pair: features 0 and 1, 2 and 3. Some programs pair feature $i$ with $i + d/2$
# instead. (A pair here is an arrow (a, b) that turns anticlockwise. In 3.5 the pair was (sin, cos), with the sine
# first, so the same step turned it clockwise.)
#
# **Exercise 3.9a** · difficulty 4 of 5 · 14 minutes · 3 points
#
# **Turn each pair of features of x by its position times the pair's speed.**
#
# <details><summary>Hint 1</summary>How did positions and speeds make a (T, d/2) table of angles in 3.2?</details>
# <details><summary>Hint 2</summary>What do <code>x[..., 0::2]</code> and <code>x[..., 1::2]</code> hold, and do
# their shapes fit the angles?</details>
# <details><summary>The idea</summary>All pairs turn at once if you separate the first features of the pairs from
# the second. Afterwards they alternate again, as in 3.2.</details>


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
# The picture turns a query and a key with **your** function. Move the key away from the query, then move both, and
# watch the arrows and the score.

# %% draw=true
# Explore: a query and a key, turned
explorers.rotary_explorer(rotary)

# %% [markdown]
# If both move, the arrows turn and the diamond stays: the score depends only on the distance. If they move apart,
# the score goes up and down like the curve of 3.4, for the same reason.
#
# In a model, every layer turns its queries and keys. The **values** stay as they are: a position should decide
# where to look, not what is found there.
#
# **Exercise 3.9b** · difficulty 2 of 5 · 6 minutes · 2 points
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

# %% [markdown]
# Do its outputs depend only on distances? We put three extra words in front of a sentence, hide them, and see
# whether the sentence's outputs change. Then the same with sinusoidal positions.

# %% draw=true
# How much three strange words in front change
with waiting_for("Exercises 3.2, 3.3 and 3.9b"):
    torch.manual_seed(1)
    sentence, strange = torch.randn(5, 8), torch.randn(3, 8)
    longer = torch.cat([strange, sentence])
    seen = torch.arange(8) >= 3
    moved = rotary_attention(longer, longer, longer, seen)[0][3:]
    print(f"rotary:     {float((moved - rotary_attention(sentence, sentence, sentence)[0]).abs().max()):.6f}")
    x, y = add_positions(sentence, sinusoidal(8, 8)), add_positions(longer, sinusoidal(8, 8))
    moved = scaled_dot_product_attention(y, y, y, seen)[0][3:]
    print(f"sinusoidal: {float((moved - attend_to_itself(x)).abs().max()):.6f}")

# %% [markdown]
# With rotary positions the outputs are the same, up to rounding, wherever the sentence begins. With sinusoidal ones
# they aren't: there, positions also get into the values, and into the products of words with positions.

# %% [markdown]
# ## 3.10 A penalty for distance
#
# **Why.** The simplest idea is that distant words count less: subtract from each score a number that grows with the
# distance (Press et al. 2022, who call it ALiBi). Nothing is learned. Each head $h = 1 \dots H$ has its own slope
# $m_h$, so that some heads look near and others far:
#
# $$\text{score}_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_k}} - m_h\,|i - j| \qquad m_h = 2^{-8h/H}$$
#
# **Two sides.** In the paper a query sees only what came before it, so the penalty is written only for those keys.
# Ours, with $|i - j|$, treats both sides alike, so it also works without a causal mask. Under a causal mask the two
# are the same. The penalty itself hides nothing: that is the mask's job.
#
# **By hand.** With 8 heads the slopes are 1/2, 1/4, and so on to 1/256; with 4 heads 1/4, 1/16, 1/64, 1/256. For the first of 4
# heads, query 2 and keys 0 to 3, the penalty is −0.5, −0.25, 0, −0.25.
#
# **Exercise 3.10** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return each head's penalty for each query and key: minus its slope times their distance.**
#
# <details><summary>Hint 1</summary>Slopes are (n_heads,), distances (T_q, T_k). Which shape must the slopes have,
# so that each multiplies every distance?</details>
# <details><summary>Hint 2</summary>Heads are counted from 1 here. With what does <code>torch.arange</code>
# begin?</details>
# <details><summary>The idea</summary>All heads use the same table of distances, each with its own slope.</details>


# %% exercise="positional.penalty"
def linear_penalty(n_heads, T_q, T_k):
    """What to add to the scores so that distant keys count less,
    on both sides alike, with a different slope per head.

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
with waiting_for("Exercise 3.10"):
    looking_back = linear_penalty(4, 64, 64)[:, -1].flip(-1).softmax(-1)  # the last query, nearest key first
    series = {f"head {h + 1}": row for h, row in enumerate(looking_back)}
    title = "Where 4 heads look, if all words are alike"
    show(curves(range(64), series, xlabel="distance", ylabel="weight", title=title))

# %% [markdown]
# Head 1 looks at a few neighbours, head 4 at everything almost equally. The penalty is defined for any distance,
# and it keeps growing with distance.

# %% [markdown]
# ## 3.11 Five ways in one table
#
# **Exercise 3.11** · difficulty 2 of 5 · 3 minutes · 2 points
#
# **Write what each way changes, `"input"`, `"queries and keys"` or `"scores"`, in place of each `...`.**
#
# <details><summary>Hint 1</summary>What does each of your functions take, and what shape does it return?</details>
# <details><summary>Hint 2</summary>Does it depend on one position, or on a pair of positions?</details>
# <details><summary>The idea</summary>Two are added to vectors, two are added to scores, and one turns
# vectors.</details>

# %% exercise="positional.places"
changes = {
    "sinusoidal": ...,
    "learned": ...,
    "relative bias": ...,
    "rotary": ...,
    "linear penalty": ...,
}
### BEGIN SOLUTION
changes = {
    "sinusoidal": "input",
    "learned": "input",
    "relative bias": "scores",
    "rotary": "queries and keys",
    "linear penalty": "scores",
}
### END SOLUTION

# %% check="positional.places"
check("positional.places", changes)

# %% draw=true
# Where each of the five enters
show(drawings.five_ways())

# %% [markdown]
# ## 3.12 Which of them works on longer texts?
#
# There are two common opinions. The first: sinusoidal positions may let a model work on texts longer than those in
# training. (The paper, too, says *may*: section 3.5.) The second: absolute positions are fixed whatever the length,
# so for long texts use relative ones. Let us test both.
#
# **The task.** The texts are plays. Each token is a word or one of four names. The question at each token is *who
# is speaking?*, and the answer is the most recent name. On average, every fourth token is a name.

# %% draw="open"
LENGTHS, LONGEST_TRAINED, SEEDS = (16, 32, 64), 16, 5


def play(shape, generator):
    """Tokens, of which 0 to 3 are names and 4
    to 7 words, and who is speaking at each.
    """
    is_name = torch.rand(shape, generator=generator) < 0.25
    is_name[..., 0] = True
    tokens = torch.randint(4, 8, shape, generator=generator)
    tokens = torch.where(is_name, tokens - 4, tokens)
    last_name = torch.where(is_name, torch.arange(shape[-1]), 0).cummax(dim=-1).values
    return tokens, tokens.gather(-1, last_name)


tokens, speaker = play((16,), torch.Generator().manual_seed(5))
print("play   ", " ".join("ABCDuvwx"[n] for n in tokens))
print("speaker", " ".join("ABCD"[n] for n in speaker))

# %% [markdown]
# **The model** is one layer of attention with 4 heads and a causal mask: each token sees itself and what came
# before. Only the way of encoding positions differs. Of each kind, five models are trained side by side, along an
# extra first axis, from different random numbers and on different texts: one model alone would prove little.

# %% draw="open"
D, HEADS, MASK = 32, 4, torch.ones(64, 64, dtype=torch.bool).tril()


def speaker_model(w, tokens, kind, base=10_000.0):
    """Scores for what belongs at each token, and the
    attention weights. Tokens are (models, B, T).
    """
    T = tokens.size(-1)
    x = w["words"][torch.arange(len(tokens))[:, None, None], tokens]  # (models, B, T, D)
    if kind == "sinusoidal":
        x = add_positions(x, w["table"])
    if kind == "learned":
        x = x + w["positions"][..., :T, :]
    for layer in ("", "2") if "q2" in w else ("",):
        normed = torch.nn.functional.rms_norm(x, (D,))  # all vectors equally long: training is steadier
        # Each of the three is (models, B, HEADS, T, D / HEADS).
        q, k, v = (split_heads(normed @ w[name + layer]) for name in "qkv")
        if kind == "rotary":
            q, k = (rotary(y, torch.arange(T), base) for y in (q, k))
        scores = q @ k.transpose(-2, -1) / math.sqrt(D / HEADS)
        if kind == "relative bias":
            scores = scores + relative_bias(w["bias"], T, T)
        if kind == "linear penalty":
            scores = scores + linear_penalty(HEADS, T, T)
        weights = scores.masked_fill(~MASK[:T, :T], -math.inf).softmax(dim=-1)
        x = x + (weights @ v).transpose(-3, -2).flatten(-2) @ w["mix" + layer]
    return torch.nn.functional.rms_norm(x, (D,)) @ w["out"], weights


def split_heads(x):
    return x.unflatten(-1, (HEADS, -1)).transpose(-3, -2)


# %% [markdown]
# **Training** uses texts of 16 tokens and, since every token has an answer, all their shorter beginnings. Then the
# same models read 16, 32 and 64 tokens. What counts is the accuracy on the **last 8 tokens**: in the long texts,
# these are at positions that didn't occur in training.


# %% draw="open"
def new_weights(kind, generator):
    w = {"words": torch.randn(SEEDS, 8, D, generator=generator)}
    for name, width in (("q", D), ("k", D), ("v", D), ("mix", D), ("out", 8)):
        w[name] = torch.randn(SEEDS, 1, D, width, generator=generator) / math.sqrt(D)
    if kind == "learned":
        w["positions"] = torch.randn(SEEDS, 1, max(LENGTHS), D, generator=generator)
    if kind == "relative bias":
        w["bias"] = torch.zeros(SEEDS, 1, HEADS, 2 * LONGEST_TRAINED - 1)  # distances -15 ... 15
    if kind == "none, two layers":
        w |= {
            f"{name}2": torch.randn(SEEDS, 1, D, D, generator=generator) / math.sqrt(D)
            for name in ("q", "k", "v", "mix")
        }
    return {name: x.requires_grad_() for name, x in w.items()}


def train(kind, seed, base=10_000.0, task=play, steps=300):
    generator = torch.Generator().manual_seed(seed)
    w = new_weights(kind, generator)
    optimizer = torch.optim.Adam(w.values(), lr=0.01)
    slower = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0.02, steps)
    w["table"] = sinusoidal(max(LENGTHS), D)  # computed once
    for _ in range(steps):
        tokens, answers = task((SEEDS, 16, LONGEST_TRAINED), generator)
        guesses, _ = speaker_model(w, tokens, kind, base)
        # The five models share no weight, so the gradient of the sum of
        # their losses is each one's own.
        loss = SEEDS * torch.nn.functional.cross_entropy(guesses.flatten(0, 2), answers.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        slower.step()
    return w


@torch.no_grad()
def accuracy(w, kind, T, base=10_000.0, task=play):
    """The share of right answers at the last 8
    tokens of 128 new texts, for each of the models.
    """
    tokens, answers = task((SEEDS, 128, T), torch.Generator().manual_seed(99))
    guesses, _ = speaker_model(w, tokens, kind, base)
    return (guesses.argmax(-1) == answers)[..., -8:].double().mean(dim=(1, 2))


# %% [markdown]
# Now train six kinds with **your** functions, five models each. This takes some ten seconds, or a minute on a slow
# computer.

# %% predict="positional.longer"

# %% draw=true
# The six ways at three lengths
KINDS = ("none", "sinusoidal", "learned", "relative bias", "rotary", "linear penalty")
with waiting_for("Exercises 3.2, 3.3, 3.8, 3.9a and 3.10"), after_predicting("positional.longer"):
    trained = {kind: train(kind, seed=0) for kind in KINDS}
    results = {kind: torch.stack([accuracy(w, kind, T) for T in LENGTHS]) for kind, w in trained.items()}
    print("mean accuracy (worst to best of 5)")
    print(f"{'':<14}" + "".join(f"{T:>11} tokens" for T in LENGTHS))
    for kind, found in results.items():
        cells = (f"{row.mean():.2f} ({row.min():.2f}–{row.max():.2f})" for row in found)
        print(f"{kind:<14}" + "".join(f"{cell:>18}" for cell in cells))
    added = {kind: results[kind] for kind in KINDS[:3]}
    compared = {kind: results[kind] for kind in ("none", *KINDS[3:])}
    groups = {"positions added to the input": added, "distances in the scores": compared}
    show(by_length(LENGTHS, groups, trained_to=LONGEST_TRAINED))

# %% [markdown] reveals="positional.longer"
# Look at 16 tokens first, then at the shaded part beyond the training length:
#
# - **At 16**, sinusoidal, learned and rotary positions get practically everything right, the relative bias and the
#   penalty about 95 %. Without positions it is two thirds: often there are only a few names to choose from.
# - **Sinusoidal and learned** fall to the level of *none*, or below. For the learned table that was to be expected
#   (3.7). The sinusoidal table has a row for every position and one matrix for every shift, and still the model
#   can't use them. A likely reason: in training it saw only 16 rows, and nothing forced it to rely on the shifts.
# - **The relative bias** loses a few points with each doubling: all keys more than 15 away share one number, and
#   there are more and more of them.
# - **Rotary** loses little at 32, but at 64 it falls below *none*.
# - **The linear penalty** stays at about 95 %.

# %% [markdown]
# **Does a model always need positions?** Under a causal mask the first token sees one token, and the tenth sees
# ten, so the mask itself contains the order. One layer can't do much with that. Here is the same model with two
# layers, still without positions:

# %% draw=true
# Two layers without positions, at three lengths
with waiting_for("Exercises 3.2, 3.3, 3.8, 3.9a and 3.10"):
    deeper = train("none, two layers", seed=0)
    found = (accuracy(deeper, "none, two layers", T) for T in LENGTHS)
    print(
        "none, two layers  ",
        "   ".join(f"{T} tokens: {each.mean():.2f}" for T, each in zip(LENGTHS, found, strict=True)),
    )

# %% [markdown]
# At 16 tokens it gets 0.95 in our run, as much as the relative bias, and 0.98 when trained four times as long. So a
# causal model of several layers can infer the order by itself. Haviv et al. (2022) found the same in language
# models of up to 1.3 billion parameters. An encoder without a causal mask can't. And beyond the training length
# this model fails, too.
#
# Press et al. (2022, sections 2 and 4) measured language models beyond their training length: sinusoidal positions
# fail almost at once, rotary ones last somewhat longer, the bias of Raffel et al. longer still, and the penalty
# longest.
#
# Why does rotary fail at 64? Look at where attention goes at that length, by distance. The most recent name is
# hardly ever more than 15 tokens away.


# %% draw=true
# Where attention goes at 64 tokens, by distance
with waiting_for("Exercises 3.2, 3.3, 3.8, 3.9a and 3.10"):
    larger = train("rotary", seed=0, base=100_000.0)
    tokens, _ = play((SEEDS, 32, 64), torch.Generator().manual_seed(98))
    models = {kind: (trained[kind], tokens, kind) for kind in ("linear penalty", "rotary")}
    models["rotary, base 100,000"] = (larger, tokens, "rotary", 100_000.0)
    looks = {name: by_distance(speaker_model(*model)[1]) for name, model in models.items()}
    ax = plots.panels(width=6.4, height=3.2)[0]
    ax.axvspan(15.5, 57, color=plots.BAND, alpha=0.5, linewidth=0)
    labels = {"xlabel": "distance", "ylabel": "mean weight"}
    labels["title"] = "Texts of 64 tokens. Shaded: distances never met in training"
    show(curves(range(57), looks, **labels, ax=ax))
    for T in LENGTHS:
        right = float(accuracy(larger, "rotary", T, 100_000.0).mean())
        print(f"rotary, base 100,000, {T} tokens: mean accuracy {right:.2f}")

# %% [markdown]
# Rotary attention **rises again** at large distances, as a clock's hand returns to where it was. A head has 8
# features here, so four pairs, with speeds 1, 0.1, 0.01 and 0.001. It seems that the model distinguishes near from
# far by the second pair. But that pair completes a turn after $2\pi/0.1 \approx 63$ positions, and then far looks
# like near.
#
# If that is the reason, a slower second pair should help. With base 100,000 its speed is 0.056, and a turn takes
# 112 positions. In models newly trained with this base, attention rises much less at large distances, and the
# accuracy at 64 is about twice as high.
#
# **Is the penalty the best, then?** For this task, in which nearer is better. Here is a different task: *which
# token was three positions back?*


# %% draw="open"
def three_back(shape, generator):
    tokens = torch.randint(8, shape, generator=generator)
    answers = tokens.roll(3, dims=-1)
    answers[..., :3] = -100  # the loss ignores these: no token is three back
    return tokens, answers


with waiting_for("Exercises 3.2, 3.8 and 3.10"):
    for kind in ("relative bias", "linear penalty"):
        w = train(kind, seed=0, task=three_back)
        found = (float(accuracy(w, kind, T, task=three_back).mean()) for T in LENGTHS)
        print(f"{kind:<15}" + "".join(f"{T:>5} tokens: {a:.2f}" for T, a in zip(LENGTHS, found, strict=True)))

# %% [markdown]
# One layer with the penalty can't do it at any length: for the same words, three positions back always counts less
# than one. The relative bias has a number for the distance −3, and learns it. (It gets worse with length, as
# before: each of the many keys more than 15 away gets a little weight.) No way is best for all tasks. Ask which
# distances a way *can* express, and what it does with those that didn't occur in training.
#
# (One layer, small tables, made-up texts: the numbers hold only for this model. But in large language models, too,
# sinusoidal positions failed beyond the training length, see Press et al. above.)
#
# **Question 3.12** · graded by hand · 8 minutes · 5 points
#
# Compare the two opinions with your measurements. (a) *Sinusoidal positions may work on longer texts.* (b)
# *Absolute positions are fixed whatever the length, so use relative ones.* For each, say what is right, what isn't,
# and which of your figures shows it. Then suppose that you train on texts of 512 tokens and use the model on texts
# of 2048: which way would you choose, and what would you measure before you trust it?

# %% [markdown] written="positional.longer_texts" points=5
# ### BEGIN SOLUTION
# **Model answer.** (a) The table exists for any length, near positions are similar, and one matrix moves all
# positions, so it could work *in principle*; the paper says may. In our experiment all five models had nearly
# everything right at 16 tokens and about half at 32, no better than without positions. That a row is defined
# doesn't mean that the model has learned to use it. (b) Learned positions are fixed: rows beyond the training
# length get no gradient, and beyond the table there are none. The sinusoidal table isn't limited to any length, and
# yet it failed. That relative ones do better is what we measured, but not all of them and not without end: the bias
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
# ## 3.13 What to take along
#
# - Attention without a mask is equivariant: order has to be put into the vectors or into the scores. Under a causal
#   mask two layers can infer it by themselves, as long as texts are no longer than in training.
# - Sinusoidal: pairs of sine and cosine with decreasing speeds, computed once; row p is added at position p. Check
#   the axis.
# - Near positions are similar, but similarity goes up and down with distance. One matrix moves every position by k.
# - Learned positions are as good within the training length, and untrained beyond it.
# - Added to the scores: a learned number for each clipped distance, or a fixed penalty. Rotary turns queries and
#   keys, so that positions enter the scores only by distance. Values stay as they are.
# - *Defined* at any length isn't *usable* at any length. Measure it beyond the training length, with several seeds.
#
# **Sources.** Vaswani et al. 2017, *Attention is all you need*, section 3.5. Gehring et al. 2017, *Convolutional sequence to
# sequence learning*. Shaw et al. 2018, *Self-attention with relative position representations*. Raffel et al. 2020,
# *Exploring the limits of transfer learning with a unified text-to-text transformer*, section 2.1. Su et al. 2021, *RoFormer*. Press et al.
# 2022, *Train short, test long*. Haviv et al. 2022, *Transformer language models without positional encodings still learn
# positional information*. Touvron et al. 2023, *LLaMA*.
#
# Next, in lesson 4, masks hide what a model must not see: padding, and words that are still to come.
