# %% [markdown]
# # 1 · Attention
#
# - **You will learn** how a network looks things up: from a soft dictionary to the scaled dot-product attention of
#   the Transformer, one query first and then all at once. You will learn why √d_k is there, compare with the additive
#   attention of early neural translators, and catch a mistake that is easy to make.
# - **You need** Python, tensors in PyTorch (shapes, broadcasting, `@`), and what a gradient is.
# - **Time** {minutes} minutes. Sections 1.1 to 1.7 and 1.8 to 1.14 fit two sittings.
#
# Every exercise is checked as soon as you ask for it. If you get stuck, each has two hints and then the idea.

# %% setup=true
import math

import torch
from IPython.display import display

from helpers.attention import drawings, experiments, explorers
from helpers.attention.reader import reader
from helpers.attention.writer import own_reader
from helpers.checks import case, check
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.timing import seconds

# %% [markdown]
# ## 1.0 First, watch one
#
# Here is a small Transformer, the **reader**. It was trained on book reviews made up by a grammar, with one task:
# read from left to right, and predict the next word. Nobody told it what a name is, what *plural* means, or which
# names are a *she* and which a *he*. To choose a word, it looks back at those it has read. It does so twice, side by
# side; each of the two look-ups is called a **head**. Now it has read *the plot that fills the book*, and has to choose
# between *is* and *are*.

# %% predict="attention.watched"

# %% draw=true
# The trained model reads: where it looks, and what may come next
with waiting_for("your prediction"), after_predicting("attention.watched"):
    display(explorers.reading_explorer())

# %% [markdown] reveals="attention.watched"
# The bars show how much each head looks at each word; the bars of one colour sum to 1. (`<bos>` marks the beginning
# of a text.) Head 1 has found the subject. The other is head 0: in this course heads, positions, rows and columns
# are counted from 0, as in Python.

# %% [markdown]
# Try these:
#
# 1. Replace *plot that fills* with *jokes that fill*. Which word follows now, and where does head 1 look?
# 2. Type *when simon inherits the treasure , two captains follow*. Is *him* or *her* more likely? Then replace
#    *simon* with *nora*.
# 3. Type *luckily , the plot is*, then *sadly , the plot is*. Which head looks at the word that differs?
# 4. Move *words read* to the left, word by word: each word looks for something different.
# 5. Type something of your own. The model knows some 880 words, and tells you which of yours it doesn't know.
#    (*temperature* and *write on* are explained in 1.13.)
#
# In 300 new reviews it gets {measured.reader_reader.is_or_are.right_95_interval.1} % of
# {measured.reader_reader.is_or_are.places} choices between *is* and *are* right, and
# {measured.reader_reader.he_or_she.right_95_interval:.0f} % of {measured.reader_reader.he_or_she.places} between
# *he* and *she*. (`python -m benchmarks.reader` measures this.) We trained four such models, from different random
# numbers, and show the one whose heads are easiest to read. All four learned *is* and *are*; one of them never
# learned *he* and *she*.
#
# Nobody programmed this look-up. In this lesson you build one, starting from four temperatures. In 1.6 your own
# function will read such a sentence with this model's numbers, and you will know what they are for.

# %% [markdown]
# ## 1.1 A look-up that never misses
#
# A thermometer was read four times today: 11° at 8:00, 18° at 12:00, 21° at 16:00, 15° at 20:00. How warm was it
# at 13:00? A Python dict can't say: 13 isn't one of its keys.
#
# A *soft* look-up always has an answer: an average of all the values, in which those whose key is close to what
# you ask for count more.
#
# $$\text{output} = \sum_j w_j\, v_j \qquad w_j \ge 0, \quad \sum_j w_j = 1$$
#
# Three words for the rest of the course: the **query** is what you ask (13:00), the **keys** are what it is
# compared with (the four hours), and the **values** are what the answer is mixed from (the four temperatures).
#
# **By hand**, with minus the distance as the score: the scores are −5, −1, −3, −7. The exponential
# $e^{\text{score}}$ makes them positive: 0.007, 0.368, 0.050, 0.001. Divide by their sum, 0.425: the weights are
# 0.016, 0.865, 0.117, 0.002. The average is 0.016·11 + 0.865·18 + 0.117·21 + 0.002·15 = **18.2°**.

# %%
hours = torch.tensor([8.0, 12.0, 16.0, 20.0])  # keys
degrees = torch.tensor([11.0, 18.0, 21.0, 15.0])  # values
scores = -(hours - 13.0).abs()  # the query is 13:00
positive = scores.exp()
weights = positive / positive.sum()
print("weights", [round(w, 3) for w in weights.tolist()], "answer", round(float(weights @ degrees), 2))

# %% draw=true
# Where the query 13:00 looks
labels = ["8:00", "12:00", "16:00", "20:00"]
show(plots.bars(labels, {"weight": weights}, title="Where the query 13:00 looks"))

# %% [markdown]
# A dict gives one entry or an error. The answer to a soft look-up changes gradually as the query changes. So
# gradients pass through it, and whatever computes the queries and keys can be *learned*. That is attention. The
# rest of this lesson is about where the scores come from.

# %% [markdown]
# ## 1.2 Scores become weights: softmax
#
# **Why.** Scores can be any numbers; weights must be positive and sum to 1. What you just did is called the
# *softmax*:
#
# $$\text{softmax}(s)_j = \frac{e^{s_j}}{\sum_i e^{s_i}}$$
#
# **By hand.** Scores 0, 0.69, 1.10 are the logarithms of 1, 2, 3. So $e^s$ is 1, 2, 3, the sum is 6, and the weights
# are 1/6, 2/6, 3/6.
#
# **A trap.** Nothing stops a network from producing a score of 1000, but the largest float32 is about $e^{88.7}$:

# %%
big = torch.tensor([0.0, 1000.0])
big.exp(), big.exp() / big.exp().sum()

# %% [markdown]
# The weights should be 0 and 1, but one is NaN. The cure: adding the same number $c$ to all scores changes no
# weight, since $e^{s+c} = e^s e^c$, and $e^c$ cancels. With the right $c$, nothing overflows.
#
# **Exercise 1.2** · difficulty 2 of 5 · 10 minutes · 3 points
#
# **Turn scores into weights along one axis, so that no exponential overflows.**
#
# <details><summary>Hint 1</summary>Which $c$ makes the largest exponent exactly 0? Each row has its own.</details>
# <details><summary>Hint 2</summary>A sum or a maximum along <code>dim</code> removes that axis. What does
# <code>keepdim</code> do about it?</details>
# <details><summary>The idea</summary>With the largest score of its row subtracted, every exponent is at most 0, so
# every exponential lies between 0 and 1.</details>


# %% exercise="attention.softmax"
def softmax(x, dim):
    """Turn scores into weights along one axis.

    Args:
        x: scores, with one axis or more, as large as ±10⁴.
        dim: the axis along which the weights sum to 1. Negative ones
            count from the end.

    Returns:
        The weights, shaped like x.
    """
    ### BEGIN SOLUTION
    shifted = x - x.amax(dim=dim, keepdim=True)
    exponentials = shifted.exp()
    return exponentials / exponentials.sum(dim=dim, keepdim=True)
    ### END SOLUTION


# %% check="attention.softmax"
check("attention.softmax", softmax)

# %% [markdown]
# If you first divide the scores by a number, the *temperature*, you control how sharp the look-up is.

# %% predict="attention.temperature"

# %% draw=true
# The same scores at three temperatures
with waiting_for("Exercise 1.2"), after_predicting("attention.temperature"):
    by_temperature = {f"temperature {t}": softmax(scores / t, dim=0) for t in (0.5, 1, 4)}
    labels = ["8:00", "12:00", "16:00", "20:00"]
    show(plots.bars(labels, by_temperature, title="The same scores at three temperatures"))

# %% [markdown] reveals="attention.temperature"
# At a low temperature the largest score takes nearly all the weight. At a high one, the weights are closer to each
# other.

# %% [markdown]
# ## 1.3 One query, word by word
#
# **Why.** A network reads words, not hours. So each word of the vocabulary has a row in a table of numbers: word 7's
# *vector* is row 7. The rows start as random numbers, and training changes them like all other weights.
# (`torch.nn.Embedding` is such a table.) The dot product measures how similar two vectors are: it is large when they
# point the same way, 0 at a right angle, negative when they point in opposite directions.
#
# **Formula.** A query $q$ meets $T$ keys and values:
#
# $$s_j = q \cdot k_j \qquad w = \text{softmax}(s) \qquad \text{output} = \sum_j w_j\, v_j$$
#
# **By hand.** Query (1, 0); keys (1, 0), (0, 1), (−1, 0); values 10, 20, 30. The scores are 1, 0, −1, their
# exponentials 2.72, 1, 0.37, with sum 4.09. So the weights are 0.67, 0.24, 0.09, and the output is **14.2**.
#
# **Exercise 1.3** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Let one query look things up: score one word after another, and return the output and the weights.**
#
# <details><summary>Hint 1</summary>What does a loop over the rows of <code>keys</code> give you? Use
# <code>torch.stack</code> to make one tensor of several numbers.</details>
# <details><summary>Hint 2</summary>Each value is a whole vector. What is it multiplied by before they are added
# up?</details>
# <details><summary>The idea</summary>The thermometer again, with dot products as scores and vectors as
# values.</details>


# %% exercise="attention.one_query"
def look_up(query, keys, values):
    """Average the values of T words, each
    weighted by how well its key answers the query.

    Args:
        query: (d_k,).
        keys: (T, d_k).
        values: (T, d_v).

    Returns:
        The output (d_v,) and the weights (T,).
    """
    ### BEGIN SOLUTION
    scores = torch.stack([query @ key for key in keys])
    weights = softmax(scores, dim=0)
    output = sum(weight * value for weight, value in zip(weights, values, strict=True))
    return output, weights
    ### END SOLUTION


# %% check="attention.one_query"
check("attention.one_query", look_up)

# %% [markdown]
# ## 1.4 All queries at once
#
# **Why.** In a sentence every word asks. A loop over all pairs of words is slow. But all dot products of all queries
# with all keys are *one* matrix product, which processors are built for.
#
# **Formula** (Vaswani et al. 2017, equation 1). The rows of $Q$, $K$ and $V$ are the queries, keys and values:
#
# $$\text{Attention}(Q, K, V) = \text{softmax}\!\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V$$
#
# Row $i$ of $QK^\top$ holds query $i$'s scores, one for each key, and the softmax runs along the row. One thing is
# new: the scores are divided by $\sqrt{d_k}$. Sections 1.8 and 1.9 measure why.
#
# **By hand.** The query and the keys of 1.3, with $d_k$ = 2: the dot products 1, 0, −1, divided by √2, are 0.71, 0,
# −0.71. Their exponentials are 2.03, 1, 0.49, with sum 3.52. So the weights are 0.58, 0.28, 0.14, and the output is
# **15.6**.

# %% draw=true
# Two products: queries with keys, then weights with values
show(drawings.look_up())

# %% [markdown]
# **Exercise 1.4** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Do the same for all queries at once, without a loop, and divide the scores by √d_k.**
#
# <details><summary>Hint 1</summary>In the drawing, which matrix is transposed?</details>
# <details><summary>Hint 2</summary>The scores are (T_q, T_k). Along which axis do they become weights?</details>
# <details><summary>The idea</summary>Two products with a softmax between them: queries with keys, then weights with
# values.</details>


# %% exercise="attention.all_queries"
def attend(q, k, v):
    """Let each query look things up.

    Args:
        q: queries, (T_q, d_k).
        k: keys, (T_k, d_k).
        v: values, (T_k, d_v).

    Returns:
        The outputs (T_q, d_v) and the weights (T_q, T_k).
    """
    ### BEGIN SOLUTION
    scores = q @ k.T / math.sqrt(q.size(-1))
    weights = softmax(scores, dim=-1)
    return weights @ v, weights
    ### END SOLUTION


# %% check="attention.all_queries"
check("attention.all_queries", attend)

# %% draw=true
# Your two functions: the same numbers, and how long they take
with waiting_for("Exercises 1.3 and 1.4"):
    q, k, v = torch.randn(3, 128, 64)

    def one_by_one():
        return torch.stack([look_up(query / math.sqrt(64), k, v)[0] for query in q])

    print(f"largest difference: {(one_by_one() - attend(q, k, v)[0]).abs().max():.0e}")
    slow, fast = seconds(one_by_one, laps=3), seconds(attend, q, k, v, laps=30)
    print(f"128 words: {1000 * slow:.0f} ms in a loop, {1000 * fast:.2f} ms at once")

# %% [markdown]
# A compass shows how dot products compare vectors. Its eight directions are arrows in the plane; each is a query, a
# key and a value.

# %% draw=true
# Where each direction of a compass looks
names = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
angles = torch.arange(8) * math.pi / 4
arrows = 3 * torch.stack([angles.sin(), angles.cos()], dim=-1)  # (8, 2)
with waiting_for("Exercise 1.4"):
    _, looks = attend(arrows, arrows, arrows)
    show(plots.heatmap(looks, names, names, title="Where each direction looks"))

# %% [markdown]
# Each direction looks mostly at itself, then at its two neighbours, and hardly at the opposite one.

# %% [markdown]
# ## 1.5 Hidden keys, and many sentences
#
# **Why.** Some keys have to stay hidden. A model that predicts the next word mustn't see the words that follow; a
# mask that hides them is called **causal**. And sentences that are processed together, in one tensor, have to be
# equally long, so the short ones get meaningless words at their ends, the **padding**, at which no other word
# should look.
#
# **Formula.** A mask says which keys a query *may* see. The others get the score −∞ **before** the softmax. Since
# $e^{-\infty} = 0$, their weight is exactly 0, and the other weights still sum to 1.
#
# **By hand.** Scores 0, 0, 0.69, and the first key is hidden: −∞, 0, 0.69. The exponentials are 0, 1, 2, and the
# weights 0, 1/3, 2/3.
#
# Several sentences at once make a tensor with one more axis in front, (B, T, d). `@` multiplies matrices in the
# last two axes, sentence by sentence, whatever axes are in front; docstrings write (...) for them.
#
# **Exercise 1.5** · difficulty 2 of 5 · 6 minutes · 4 points
#
# **Give your function of 1.4 a mask, and let it take any axes in front.**
#
# <details><summary>Hint 1</summary>Which two axes of k must be swapped? There may be more in front, so
# <code>k.T</code> won't do.</details>
# <details><summary>Hint 2</summary>Which scores must become −∞, those where the mask is True or those where it is
# False? Look up <code>masked_fill</code>.</details>
# <details><summary>The idea</summary>Counted from the end, the axes of one sentence are always −2 and −1. And a score
# of −∞ leaves no weight.</details>


# %% exercise="attention.scaled_dot_product"
def scaled_dot_product_attention(q, k, v, mask=None):
    """Average the values, each weighted
    by how well its key answers the query.

    Args:
        q: queries, (..., T_q, d_k).
        k: keys, (..., T_k, d_k).
        v: values, (..., T_k, d_v).
        mask: boolean, broadcastable to (..., T_q, T_k). True means
            "may attend". None hides nothing.

    Returns:
        The outputs (..., T_q, d_v) and the weights (..., T_q, T_k).
    """
    ### BEGIN SOLUTION
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = softmax(scores, dim=-1)
    return weights @ v, weights
    ### END SOLUTION


# %% check="attention.scaled_dot_product"
check("attention.scaled_dot_product", scaled_dot_product_attention)

# %% predict="attention.hidden_key"

# %% draw=true
# Where each direction looks, with all keys and without E
not_east = torch.tensor([name != "E" for name in names]).expand(8, 8)
with waiting_for("Exercise 1.5"), after_predicting("attention.hidden_key"):
    _, all_seen = scaled_dot_product_attention(arrows, arrows, arrows)
    _, east_hidden = scaled_dot_product_attention(arrows, arrows, arrows, not_east)
    left, right = plots.panels(2, width=4.8, height=3.8)
    plots.heatmap(all_seen, names, names, title="all keys", ax=left)
    show(plots.heatmap(east_hidden, names, names, mask=not_east, title="E hidden", ax=right))

# %% [markdown] reveals="attention.hidden_key"
# With E hidden, the query E looks at NE and SE instead. All its other weights have grown by the same factor.

# %% [markdown]
# ## 1.6 Who asks, and who is asked
#
# **Why.** A word seldom looks for its own kind: *it* is a pronoun and looks for a noun. So before the look-up, three
# learned matrices turn each vector into what it asks for (its query), what it can be found by (its key), and what it
# hands over (its value). The sequence that asks, y, gives the queries. The sequence that is asked, x, gives both keys
# and values:
#
# $$Q = y\,W_q \qquad K = x\,W_k \qquad V = x\,W_v$$
#
# People call this attention *of y over x*. There are two kinds:
#
# - **Cross-attention**: two sequences. A model that translates has two parts. Its **encoder** reads the sentence
#   to translate and makes a vector for each of its words. Its **decoder** writes the translation, one word after
#   another; its vectors sum up what it has written so far. Here the decoder's vectors are y, and the encoder's
#   are x.
# - **Self-attention**: one sequence, y = x. Each word of a sentence looks things up in the same sentence.
#
# **By hand**, all sizes 1: y = 1; x = 1, 2; $W_q$ = 1, $W_k$ = 0.69, $W_v$ = 10. The query is 1, the keys are 0.69 and
# 1.39. So are the scores, since √1 = 1. Their exponentials are 2 and 4, the weights 1/3 and 2/3, the values 10 and 20,
# and the output is **16.7**.

# %% draw=true
# Where queries, keys and values come from
show(drawings.asking())

# %% [markdown]
# **Exercise 1.6** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Project both sequences, and return the outputs and the weights of y looking things up in x.**
#
# <details><summary>Hint 1</summary>You have written the look-up already. Which three tensors does it
# take?</details>
# <details><summary>Hint 2</summary>Queries come from y and keys from x. Does a mask (T_y, T_x) have to be
# changed?</details>
# <details><summary>The idea</summary>Three projections, two of them of x, then your function of Exercise
# 1.5.</details>


# %% exercise="attention.cross"
def cross_attention(y, x, W_q, W_k, W_v, mask=None):
    """Let each position of y look things up in x.

    Args:
        y: who asks, (..., T_y, d_y).
        x: who is asked, (..., T_x, d_x).
        W_q: (d_y, d_k).
        W_k: (d_x, d_k).
        W_v: (d_x, d_v).
        mask: boolean, broadcastable to
            (..., T_y, T_x). True means "may attend".

    Returns:
        The outputs (..., T_y, d_v) and the weights (..., T_y, T_x).
    """
    ### BEGIN SOLUTION
    return scaled_dot_product_attention(y @ W_q, x @ W_k, x @ W_v, mask)
    ### END SOLUTION


# %% check="attention.cross"
check("attention.cross", cross_attention)

# %% [markdown]
# Here is a sentence with vectors that you can read. Four features say of what kind each word is, and $W_q$ turns that
# into what the word looks for. A model would learn these numbers; we write them by hand to see what they do.

# %%
words = ["the", "cat", "sat", "because", "it", "was", "tired"]
is_animate = {"cat"}
is_event = {"sat", "tired"}
is_pronoun = {"it"}
x = torch.tensor([[w in is_animate, False, w in is_event, w in is_pronoun] for w in words]).float()

# What a word of each kind looks for. The columns: animate, thing,
# event, pronoun.
W_q = torch.tensor(
    [
        [0.0, 0.0, 5.0, 0.0],  # someone looks for what they do
        [0.0, 0.0, 4.0, 0.0],  # a thing, for what happens to it
        [6.0, 3.0, 0.0, 0.0],  # an event, for who or what is in it
        [8.0, 5.0, 0.0, 0.0],  # a pronoun, for what it refers to
    ]
)
W_k = W_v = torch.eye(4)

# %% draw=true
# What each word looks at, and what has become of *it*
with waiting_for("Exercise 1.6"):
    outputs, weights = cross_attention(x, x, W_q, W_k, W_v)
    show(plots.heatmap(weights, words, words, title="Self-attention: what each word looks at"))
    it = words.index("it")
    print("features      animate  thing  event  pronoun")
    print("it, before   ", "  ".join(f"{value:6.2f}" for value in x[it].tolist()))
    print("it, after    ", "  ".join(f"{value:6.2f}" for value in outputs[it].tolist()))

# %% [markdown]
# *it* looks at *cat*, and its output is mostly animate: the vector now says what *it* refers to. *the*, *because* and
# *was* ask for nothing here: all their scores are 0, so they look at every word equally.

# %% [markdown]
# The model of 1.0 does the same. Its vectors have 48 features instead of four, and nobody chose their meaning. For
# each head, three matrices turn them into queries, keys and values. (Each projection also adds a constant vector.)
# Here they go through **your** function of 1.5, with a causal mask, since the model reads from left to right.

# %% draw=true
# Head 1 of the trained model, by your function
with waiting_for("Exercise 1.5"):
    reading = reader().read("the jokes that fill the book")
    count = len(reading.words)
    causal = torch.ones(count, count, dtype=torch.bool).tril()
    q, k, v = (reading.vectors @ W + b for W, b in reader().projections(head=1))
    _, looks = scaled_dot_product_attention(q, k, v, causal)
    title = "Head 1 of the trained model, by your function"
    show(plots.heatmap(looks, reading.words, reading.words, mask=causal, title=title))
    print(f"largest difference from the model's own weights: {(looks - reading.weights[1]).abs().max():.0e}")

# %% [markdown]
# The last row shows what head 1 shows in 1.0 for *the jokes that fill the book*. No number in this model was set
# by hand: training moved its 66,288 numbers, a little at a time, to make the next word more probable. Lesson 8
# shows how.

# %% [markdown]
# ## 1.7 Explore: a sentence of your own
#
# The picture calls **your** function. The bars show each row's *entropy*: 0 bits when a word looks at only one
# word, $\log_2 T$ when it looks at all $T$ equally. Try these:
#
# 1. Move the temperature down to 0.1, then up to 10. Which rows keep their entropy, and why?
# 2. Choose the causal mask. What is left for the first word to look at?
# 3. Hide *cat*. Where does *it* look now, and is that sensible?
# 4. Type *the dog chased the ball because it was hungry*, then end with *round*. Can one look-up tell what *it*
#    is?

# %% draw=true
# Explore: a sentence of your own
explorers.attention_explorer(scaled_dot_product_attention)

# %% [markdown]
# **Question 1.7** · graded by hand · 8 minutes · 5 points
#
# How does self-attention differ from a decoder's attention over an encoder's vectors? For each, say where queries,
# keys and values come from, what shape the weights have, and what it is for. Name one thing that they have in
# common. Five sentences are enough.

# %% [markdown] written="attention.self_or_encoder" points=5
# ### BEGIN SOLUTION
# **Model answer.** In cross-attention the decoder asks: the queries come from the decoder's vectors y, the keys and
# values from the encoder's vectors x. The weights have shape T_y × T_x, and each row says where in the source a
# position of the translation looks, so information moves from one sequence to the other. In self-attention all three
# are projections of one and the same sequence, the weights are T × T, and each position gets a new vector made from
# all positions, so a word's vector depends on its context. Both have the look-up in common: scores, softmax over the
# keys, weighted average of the values.
#
# **Rubric**
# - 1 point: over an encoder's vectors, the queries come from the decoder and the keys and values from the encoder.
# - 1 point: in self-attention all three come from the same sequence, by different projections.
# - 1 point: the weights are T_y × T_x in the one and T × T in the other (in words is fine).
# - 1 point: what for: information from one sequence to the other, against a word's own context.
# - 1 point: what both have in common: the look-up itself (scores, softmax, average of values).
# - No point is lost for language. "Self-attention looks at neighbours only" loses the fourth point: it looks at all
#   positions.
# ### END SOLUTION

# %% [markdown]
# ## 1.8 Why √d_k: how large is a dot product?
#
# Why are scores divided by $\sqrt{d_k}$? Not because large numbers would overflow: in float32 your softmax handles
# scores of ±10⁴. So let us measure. First, how large do scores get? Let the components of q and k be random and
# independent, each with mean 0 and variance 1. A score is a sum with one term for each of the $d_k$ components:
#
# $$q \cdot k = q_1 k_1 + q_2 k_2 + \dots$$

# %% predict="attention.size"

# %% draw=true
# How large dot products are
sizes = [1, 4, 16, 64, 256, 1024]
generator = torch.Generator().manual_seed(0)
with waiting_for("your prediction"), after_predicting("attention.size"):
    pairs = [[torch.randn(2000, d, generator=generator) for _ in "qk"] for d in sizes]
    found = {
        "measured, 2000 pairs": [float((q * k).sum(dim=-1).std()) for q, k in pairs],
        "√$d_k$": [math.sqrt(d) for d in sizes],
    }
    show(plots.lines(sizes, found, xlabel="$d_k$", ylabel="standard deviation of q·k", log="xy"))

# %% [markdown] reveals="attention.size"
# One term has mean 0 and variance 1. The terms are independent, so their variances add up: the sum has variance
# $d_k$, and a typical score has size $\sqrt{d_k}$, its standard deviation. That is 8 for $d_k = 64$, and 32 for 1024.
# Divided by $\sqrt{d_k}$, a typical score has size 1, whatever $d_k$ is. (Vaswani et al. 2017, footnote 4.)
#
# **By hand.** Let each component be +1 or −1 with equal chance (mean 0, variance 1). For $d_k = 1$ the product is +1 or
# −1: its variance is 1. For $d_k = 2$ the four equally likely sums are −2, 0, 0, 2: the variance is (4 + 0 + 0 + 4)/4 = 2.

# %% [markdown]
# ## 1.9 Why √d_k: a softmax that stops learning
#
# What do large scores do? With two keys whose scores differ by $g$, the larger weight is $w = 1/(1 + e^{-g})$. Its
# derivative with respect to its own score is $w(1-w)$. That is how fast the weight changes with the score:
#
# | gap $g$ | weight $w$ | derivative $w(1-w)$ |
# | --- | --- | --- |
# | 0 | 0.5 | 0.25 |
# | 2 | 0.88 | 0.10 |
# | 8 | 0.9997 | 0.0003 |
# | 32 | 1.0000 | 0.00000000000001 |
#
# With a large gap the softmax is *saturated*: one weight is nearly 1, and hardly any gradient comes back to change
# that. All numbers are finite, but queries and keys hardly learn. Let us measure this for many queries.
#
# Each of N queries has T keys of its own. The function below begins with their scores, (N, T). It ends with the
# softmax and the gradient: for each query, the largest weight, and the length (the *norm*) of this weight's
# gradient with respect to the T scores. It returns the means of both.
#
# **Exercise 1.9** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Write the step in between: divide the scores by √d_k if `scaled` is True.**
#
# <details><summary>Hint 1</summary>Which axis of q has the size d_k?</details>
# <details><summary>Hint 2</summary>What should happen to the scores if <code>scaled</code> is False?</details>
# <details><summary>The idea</summary>The same division as in 1.4, if it is asked for.</details>


# %% exercise="attention.saturation"
def saturation(q, k, scaled):
    """How decided a softmax is, and how
    much gradient it lets through.

    Args:
        q: one query per row, (N, d_k).
        k: the T keys of each query, (N, T, d_k).
        scaled: whether the scores are divided by √d_k.

    Returns:
        The mean largest weight and the mean
        gradient norm, two tensors without axes.
    """
    scores = torch.einsum("nd,ntd->nt", q, k)  # each query with its own keys
    ### BEGIN SOLUTION
    if scaled:
        scores = scores / math.sqrt(q.size(-1))
    ### END SOLUTION
    scores = scores.detach().requires_grad_()
    largest = softmax(scores, dim=-1).amax(dim=-1)  # (N,)
    (gradient,) = torch.autograd.grad(largest.sum(), scores)  # (N, T)
    return largest.detach().mean(), gradient.norm(dim=-1).mean()


# %% check="attention.saturation"
check("attention.saturation", saturation)

# %% predict="attention.gradient"

# %% draw=true
# How decided the softmax is, and how much gradient is left
with waiting_for("Exercise 1.9"), after_predicting("attention.gradient"):
    torch.manual_seed(0)
    sizes = [1, 4, 16, 64, 256, 1024]
    rows = [(torch.randn(400, d), torch.randn(400, 16, d)) for d in sizes]
    plain, scaled = ([saturation(q, k, flag) for q, k in rows] for flag in (False, True))
    axes = plots.panels(2, width=4.2)
    for which, ylabel in enumerate(["mean largest weight", "mean gradient norm"]):
        series = {"not scaled": [f[which] for f in plain], "scaled by √$d_k$": [f[which] for f in scaled]}
        plots.lines(sizes, series, xlabel="$d_k$", ylabel=ylabel, log="x", ax=axes[which])
    show(axes[0])
    q, k = rows[-1]
    norms = [float(saturation(q[[n]], k[[n]], False)[1]) for n in range(400)]
    lost = sum(norm < 0.001 for norm in norms) / len(norms)
    print(f"d_k = 1024, not scaled: {100 * lost:.0f} % of the queries get a gradient below 0.001")

# %% [markdown] reveals="attention.gradient"
# So, for random vectors: **without the scale, the scores' variance is $d_k$, the softmax saturates and its gradient
# vanishes.** The mean hides how badly: most queries get next to nothing, and the mean comes from the few whose two
# best keys nearly tie. (At $d_k = 4$ the unscaled scores get the larger gradient: only large scores do damage.)
# Vaswani et al. (2017, section 3.2.1) only *suspect* that this is why unscaled dot products do worse at large
# $d_k$. Trained queries and keys aren't random: a model can learn to keep them small, and then nothing saturates.

# %% [markdown]
# With numbers of 16 bits, the scale also prevents overflow. In one of the two common formats, float16, the largest
# number is 65,504. A dot product beyond that becomes infinite before it gets to the softmax:

# %%
large = torch.full((1024,), 8.0, dtype=torch.float16)
print("q·k", (large @ large).item(), "   (q/√d_k)·k", (large / math.sqrt(1024) @ large).item())

# %% [markdown]
# Move $d_k$ and watch the softmax saturate. Then tick *divide by √d_k* and move it again.

# %% draw=true
# Explore: large scores, with and without the scale
explorers.saturation_explorer(saturation)

# %% [markdown]
# ## 1.10 Additive attention, the older way
#
# **Why.** The first neural translators had no look-up. Their encoder read the whole sentence into *one* vector, and
# their decoder wrote the translation from it. The longer the sentence, the worse the translation (Cho et al. 2014).
# Bahdanau et al. (2015) kept the encoder's vector of every source word, and let the decoder look them up, with its
# *state* as the query: the vector that sums up what it has written so far. The result is called the **context**.
#
# **Formula.** A small network compares the query with each key: two matrices bring both to the same size $d_a$, their
# sum goes through tanh (hence *additive*), and a vector $v$ turns the result into one score.
#
# $$s_j = v \cdot \tanh(q\,W_q + k_j\,W_k) \qquad w = \text{softmax}(s) \qquad \text{context} = \sum_j w_j\, \text{value}_j$$
#
# **By hand**, all sizes 1, $W_q = W_k = 1$, $v = 2$. Query 1, keys 1 and −1, values 10 and 20.
# The scores are 2·tanh(2) = 1.93 and 2·tanh(0) = 0. Then $e^{1.93}$ = 6.9 and $e^0$ = 1, so the weights are 0.87 and
# 0.13, and the context is 0.87·10 + 0.13·20 = **11.3**.
#
# **Exercise 1.10a** · difficulty 3 of 5 · 12 minutes · 3 points
#
# **Return the context and the weights of additive attention.**
#
# <details><summary>Hint 1</summary>Write the shapes down. <code>query @ W_q</code> is (..., d_a), but
# <code>keys @ W_k</code> is (..., T, d_a). What does the first need, so that it can be added to the second for
# every key?</details>
# <details><summary>Hint 2</summary>The scores are (..., T). Over which axis do they become weights? In the average,
# each weight multiplies a whole row of <code>values</code>.</details>
# <details><summary>The idea</summary>Give the query an axis of size 1 where the keys have T, and broadcasting
# compares it with every key. The context is the average of the values with the weights that the scores
# become.</details>


# %% exercise="attention.additive"
def additive_attention(query, keys, values, W_q, W_k, v):
    """Compare a query with each key through a
    small network, and average the values.

    Args:
        query: (..., d_q), one decoder state.
        keys: (..., T, d_k).
        values: (..., T, d_v).
        W_q: (d_q, d_a).
        W_k: (d_k, d_a).
        v: (d_a,).

    Returns:
        The context (..., d_v) and the weights (..., T).
    """
    ### BEGIN SOLUTION
    hidden = torch.tanh((query @ W_q).unsqueeze(-2) + keys @ W_k)  # (..., T, d_a)
    weights = softmax(hidden @ v, dim=-1)  # (..., T)
    context = (weights.unsqueeze(-1) * values).sum(dim=-2)
    return context, weights
    ### END SOLUTION


# %% check="attention.additive"
check("attention.additive", additive_attention)

# %% [markdown]
# Now let it learn. A translator turns *the black cat* into *le chat noir*: the last two words swap places. We start
# with random vectors and matrices, and train them through your function until each French word looks at the right
# English one. (A real translator isn't told which word to look at; it learns that from the loss of the words it
# writes.)

# %% draw=true
# Where each French word looks: before it has learned, and after
english, french, right = ["the", "black", "cat"], ["le", "chat", "noir"], [0, 2, 1]
with waiting_for("Exercise 1.10a"):
    first, last = experiments.learned_to_look(additive_attention, right, steps=40)
    before, after = plots.panels(2, width=3.2, height=2.6)
    plots.heatmap(first, french, english, title="before", ax=before)
    show(plots.heatmap(last, french, english, title="after 40 steps", ax=after))

# %% [markdown]
# *chat* looks at *cat*, and *noir* at *black*: a look-up can follow any word order. And gradient descent went
# *through* the tanh, so additive attention is differentiable. PyTorch's `gradcheck` confirms it: it compares
# gradients with finite differences, and returns True if they agree.

# %% draw=true
# Are both differentiable?
with waiting_for("Exercises 1.5 and 1.10a"):
    torch.manual_seed(0)
    shapes = {
        "additive": [(5,), (4, 3), (4, 2), (5, 6), (3, 6), (6,)],
        "dot product": [(2, 3), (4, 3), (4, 5)],
    }
    for name, function in (("additive", additive_attention), ("dot product", scaled_dot_product_attention)):
        inputs = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes[name]]
        print(f"{name}: do gradients and differences agree?", torch.autograd.gradcheck(function, inputs))

# %% [markdown]
# Both are differentiable: tanh, which lies between −1 and 1, is smooth, with the derivative $1 - \tanh^2$. They
# differ in cost. Take T queries and T keys of d features. Each projection takes T·d² multiplications: dot-product
# attention, as in 1.6, has three, additive attention two. For the scores and the averages, both need
# about 2·T²·d more. But all dot products are one matrix product. Additive attention computes T²·d sums, puts each
# through a tanh, and keeps them all for the gradient. So the dot product is "much faster and more space-efficient
# in practice" (Vaswani et al. 2017, section 3.2.1). At large $d_k$, they add, additive attention does better than
# dot products that aren't scaled (Britz et al. 2017). Here are your two functions, with their projections, timed
# on one core of your machine:

# %% draw=true
# How long each takes, the more features there are
with waiting_for("Exercises 1.6 and 1.10a"):
    T, widths, times = 64, [16, 32, 64, 128, 256], {"additive": [], "dot product": []}
    for d in widths:
        q, k, W, v = torch.randn(T, d), torch.randn(T, d), torch.randn(d, d) / d**0.5, torch.randn(d)
        for name, function, inputs in (
            ("additive", additive_attention, (q, k[None], k[None], W, W, v)),
            ("dot product", cross_attention, (q, k, W, W, W)),
        ):
            times[name].append(1000 * seconds(function, *inputs, laps=30))
    title = f"{T} queries, {T} keys"
    show(plots.lines(widths, times, xlabel="features d", ylabel="milliseconds", title=title, log="xy"))
    print(f"d = {d}: additive takes {times['additive'][-1] / times['dot product'][-1]:.0f} times as long")

# %% [markdown]
# **Question 1.10b** · graded by hand · 8 minutes · 5 points
#
# Compare dot-product with additive attention. How does each compute a score? Are both differentiable? How do they
# differ in time and memory, and why? Which of the two needs $\sqrt{d_k}$, and why doesn't the other? Use what you
# measured.

# %% [markdown] written="attention.dot_or_additive" points=5
# ### BEGIN SOLUTION
# **Model answer.** Dot-product attention takes q·k/√d_k, where q and k have the same size (after projection).
# Additive attention brings q and k to a common size, adds them, and reads a score from the tanh of the sum with a
# vector v; q and k may differ in size. Both are differentiable everywhere: tanh is smooth, gradcheck agrees for both, and
# we trained the additive one by gradient descent. Apart from the projections, the number of multiplications is of
# the same order, T²·d. But all dot products are one matrix product, which hardware is made for, and only the T × T
# scores are stored. The additive one forms T × T × d_a numbers and a tanh of each, so it is slower (several times
# in our timing) and needs d_a times the memory for its hidden layer. Dot products of random vectors have variance
# d_k, which saturates the softmax, hence the scale. tanh lies between −1 and 1, so an additive score is at most the
# sum of |v_i|, however large q and k are.
#
# **Rubric**
# - 1 point: how each computes a score.
# - 1 point: both are differentiable, with a reason or the measurement.
# - 1 point: the dot product is faster, because all scores are one matrix product (naming the measured ratio is enough).
# - 1 point: additive needs more memory: T × T × d_a numbers against T × T.
# - 1 point: the dot product's size grows like √d_k and saturates the softmax; tanh bounds the additive score.
# - "Additive isn't differentiable", or "cheaper by a whole order in T", loses the point of its line and no other.
# ### END SOLUTION

# %% [markdown]
# ## 1.11 Shuffle the words
#
# Does self-attention know the order of words? Below, each word has a random vector, and two sentences have the same
# words in different orders.

# %%
torch.manual_seed(22)
vector = {word: torch.randn(4) for word in ("dog", "bites", "man")}
matrices = [torch.randn(4, 4) for _ in range(3)]

# %% predict="attention.order"

# %% draw=true
# The same words in two orders
with waiting_for("Exercise 1.6"), after_predicting("attention.order"):
    axes = plots.panels(2, width=3.2, height=2.6)
    for ax, sentence in zip(axes, (["dog", "bites", "man"], ["man", "bites", "dog"]), strict=True):
        embedded = torch.stack([vector[word] for word in sentence])
        outputs, weights = cross_attention(embedded, embedded, *matrices)
        plots.heatmap(weights, sentence, sentence, title=" ".join(sentence), ax=ax)
        bites = [round(float(value), 3) for value in outputs[1]]
        print(f"{' '.join(sentence)}: the output for bites is {bites}")
    show(axes[0])

# %% [markdown] reveals="attention.order"
# Both maps show the same weights; only their rows and columns have changed places, as the words have. Each word gets
# the same output in both sentences, so who bites whom is lost.

# %% [markdown]
# Two properties that a layer can have when positions are shuffled by a permutation $p$:
#
# - **equivariant**: $\text{layer}(x_p) = \text{layer}(x)_p$. Shuffle the input, and the output is shuffled in the
#   same way.
# - **invariant**: $\text{layer}(x_p) = \text{layer}(x)$. Shuffle the input, and the output stays the same.
#
# **By hand.** x = (1, 2, 4), shuffled to (2, 1, 4). Doubling x gives (2, 4, 8); doubling the shuffled x gives
# (4, 2, 8), shuffled in the same way: equivariant. The sum is 7 both times: invariant. Running sums give (1, 3, 7),
# and for the shuffled x (2, 3, 7): neither.
#
# **Exercise 1.11** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return how far a layer is from each: its equivariance gap and its invariance gap.** A gap of 0, up to rounding,
# means that the layer has the property.
#
# <details><summary>Hint 1</summary>To shuffle, index with <code>permutation</code>. Which axis do you index, if
# there may be a batch axis in front?</details>
# <details><summary>Hint 2</summary>Which three tensors do the two gaps compare?</details>
# <details><summary>The idea</summary>Both gaps are largest absolute differences from layer(x shuffled): one from
# the shuffled output, one from the output as it is.</details>


# %% exercise="attention.permutation"
def permutation_gaps(layer, x, permutation):
    """How far a layer is from permutation
    equivariance and from permutation invariance.

    Args:
        layer: a function of x.
        x: (T, d) or (B, T, d).
        permutation: (T,), an order of the positions 0 ... T-1.

    Returns:
        max |layer(x[p]) - layer(x)[p]| and max
        |layer(x[p]) - layer(x)|, two tensors without axes.
    """
    ### BEGIN SOLUTION
    plain = layer(x)
    shuffled = layer(x[..., permutation, :])
    return (shuffled - plain[..., permutation, :]).abs().max(), (shuffled - plain).abs().max()
    ### END SOLUTION


# %% check="attention.permutation"
check("attention.permutation", permutation_gaps)

# %% draw=true
# How far four layers are from either property
with waiting_for("Exercises 1.6 and 1.11"):
    torch.manual_seed(0)
    tokens, positions = torch.randn(6, 4), torch.randn(6, 4)
    layers = {
        "self-attention": lambda x: cross_attention(x, x, *matrices)[0],
        "positions + self-attention": lambda x: layers["self-attention"](x + positions),
        "mean over positions": lambda x: x.mean(dim=-2, keepdim=True).expand_as(x),
        "running sum": lambda x: x.cumsum(dim=-2),
    }
    order = torch.tensor([2, 0, 5, 1, 4, 3])
    found = {name: permutation_gaps(layer, tokens, order) for name, layer in layers.items()}
    print(f"{'layer':<28} equivariance gap  invariance gap")
    for name, gaps in found.items():
        print(f"{name:<28} {gaps[0]:16.4f}  {gaps[1]:14.4f}")

# %% [markdown]
# Self-attention is equivariant, and that is why it doesn't know the order of words. The reason isn't that dot products
# are symmetric, dot(a, b) = dot(b, a): that is about swapping the two *arguments* of one score, not about shuffling
# *positions*. And since $W_q$ and $W_k$ differ above, the scores aren't even symmetric.
#
# If you add to each vector something that depends on its position, the layer is no longer equivariant. That is how a
# Transformer knows word order, and the subject of lesson 3. (The mean, written at every position, has both
# properties, because all its rows are equal.)

# %% [markdown]
# ## 1.12 Catch the slip
#
# This is self-attention, step by step. It runs, the shapes are right, and the weights sum to 1. But one line has a
# slip that is easy to make.


# %%
def self_attention(x, W_q, W_k, W_v):
    q, k, v = x @ W_q, x @ W_k, x @ W_v  # line 1
    d_k = k.size(-1)  # line 2
    scores = q @ k.transpose(-2, -1) / math.sqrt(d_k)  # line 3
    weights = torch.softmax(scores / math.sqrt(d_k), dim=-1)  # line 4
    return weights @ v  # line 5


# %% [markdown]
# **Exercise 1.12** · difficulty 2 of 5 · 4 minutes · 1 point
#
# **Write the number of the wrong line in place of `...`.**
#
# <details><summary>Hint 1</summary>Which part of the formula in 1.4 does each line compute?</details>
# <details><summary>Hint 2</summary>How large is a typical score after line 3? Compare that with what goes into the
# softmax.</details>
# <details><summary>The idea</summary>Each part of the formula should occur exactly once.</details>

# %% exercise="attention.find_slip"
slip_line = ...
### BEGIN SOLUTION
slip_line = 4
### END SOLUTION

# %% check="attention.find_slip"
check("attention.find_slip", slip_line)

# %% [markdown]
# What does the slip do? For the random vectors of 1.8, scores scaled once have size 1. Scaled twice, they have size
# $1/\sqrt{d_k}$: the larger $d_k$ is, the closer attention comes to a plain average, without any error or warning.

# %% draw=true
# The weights, scaled once and scaled twice
with waiting_for("Exercise 1.2"):
    torch.manual_seed(0)
    one_query = torch.randn(8, 64) @ torch.randn(64) / math.sqrt(64)
    both = {
        "scaled once": softmax(one_query, dim=0),
        "scaled twice": softmax(one_query / math.sqrt(64), dim=0),
    }
    labels = [f"key {number}" for number in range(8)]
    show(plots.bars(labels, both, title="One query, 8 keys, $d_k$ = 64"))

# %% [markdown]
# ## 1.13 Your attention writes
#
# The model of 1.0 can also *write*. It draws the next word at random, by the probabilities that it has computed, adds
# the word to the text, reads the text again, and so on to the end of its review. Here **your** function of 1.5
# does the looking up, once for each head, with later words hidden. The trained model does the rest. The table shows
# which parts are yours.

# %% draw="open"
# Which parts of the model are yours
with waiting_for("Exercise 1.5"):
    mine = own_reader(attention=scaled_dot_product_attention)
    display(mine.table())

# %% draw=true
# Explore: a model that writes, with your attention
with waiting_for("Exercise 1.5"):
    display(explorers.writing_explorer({"": mine}, "Exercise 1.5"))

# %% [markdown]
# Try these:
#
# 1. *Write again* draws different words. How much do the reviews differ at temperature 0.1, and how much at 2?
#    (Here the temperature divides the scores of the *words*; in 1.2 it divided those of the keys.)
# 2. Type beginnings of your own: *although*, *i would never*, *the jokes that fill the book*, *simon follows*.
# 3. Take $\sqrt{d_k}$ out of your function in 1.5, run its cell, and run the two cells above this list again.
#    What does the model write now? Then put it back.
#
# At temperature 0.7, {measured.reader_reader.0_7.grammatical_sentences:.0f} % of its sentences follow the rules of the
# grammar that made the reviews; at temperature 2, {measured.reader_reader.2_0.grammatical_sentences:.0f} %.
# (`python -m benchmarks.reader` counts them in 100 reviews.) The next four lessons end with this model, too, and in
# each of them more of it is yours.

# %% [markdown]
# ## 1.14 What to remember
#
# - Attention is a soft look-up: scores, softmax, weighted average. A query asks; keys are compared; values are
#   averaged.
# - All queries at once are two matrix products, (T_q, d) @ (d, T_k) and (T_q, T_k) @ (T_k, d), with a softmax along
#   each row between them.
# - A mask is True where a query may look, and acts before the softmax.
# - In self-attention a sequence looks things up in itself, in cross-attention in a different sequence. The same
#   function does both.
# - Divide by √d_k once: scores of random vectors have variance d_k, and a saturated softmax has hardly any
#   gradient.
# - Additive attention scores each pair with a small network. It is differentiable, too, but slower.
# - Self-attention is permutation equivariant. That has nothing to do with the symmetry of the dot product.
#
# **Sources.** Cho et al. 2014, *On the properties of neural machine translation: encoder–decoder approaches*.
# Bahdanau, Cho and Bengio 2015, *Neural machine translation by jointly learning to align and translate*. Vaswani et
# al. 2017, *Attention is all you need*, sections 3.2.1 and 3.2.3. Britz et al. 2017, *Massive exploration of neural
# machine translation architectures*.
#
# Next, in lesson 2, a layer makes several look-ups at once.
