# %% [markdown]
# # 7 · Counting parameters
#
# - **You will learn** to count a Transformer's parameters, part by part, with formulas that agree with real
#   modules to the last digit. Then you estimate what it takes to train one: gigabytes, operations, days. You
#   will also see how a wrong formula can give the right total, and how to expose it.
# - **You need** lessons 2, 4 and 6: multi-head attention, masks, and the block. Little code, much care.
# - **Time** {minutes} minutes, in three sittings: 7.1 to 7.7, 7.8 to 7.13, 7.14 to 7.19.
#
# Every count is an exact integer. So "almost right" is wrong here, and a check can tell you which part is missing.

# %% setup=true
import math

import torch

from helpers.checks import case, check
from helpers.counting import drawings, experiments, explorers, figures
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for

torch.set_num_threads(1)  # for small tensors: two cores would mostly wait for each other

# %% [markdown]
# ## 7.0 Catch the slip
#
# Three short pieces on lessons 5 and 6. Each is right, or has one slip that is easy to make.

# %% recall="counting.recall_norm"

# %% recall="counting.recall_running"

# %% recall="counting.recall_embed"

# %% [markdown]
# ## 7.1 What is a parameter?
#
# A parameter is a number that training changes. The first question about any model is how many it has: that decides
# how much memory it takes, how long it trains, and whether your machine can hold it at all.
#
# PyTorch can count for you, and in this lesson it is your witness. On the device `"meta"` a module has shapes but
# no numbers: even a huge one is made in an instant and takes no memory.


# %%
def count(module):
    return sum(parameter.numel() for parameter in module.parameters())


def beside(name, yours, module):
    print(f"{name:<48} yours {yours:>13,}   torch {count(module):>13,}")


with torch.device("meta"):
    small = torch.nn.Linear(3, 2)
print({name: tuple(parameter.shape) for name, parameter in small.named_parameters()}, "in all", count(small))

# %% [markdown]
# Why count by hand, then? A formula answers questions that a finished model can't, such as how large a model
# would still fit. And if you can't count a model, you don't know what is in it. So write formulas, and let
# torch only confirm: your answers may not use its layers, or any other `torch.nn.Module`.
#
# **The smallest building block** is a linear map $y = xW + b$ from $n_{in}$ to $n_{out}$ numbers: a weight for
# each pair of an input and an output, and a bias for each output.
#
# **By hand.** 3 inputs, 2 outputs: 3·2 = 6 weights and 2 biases, so 8, as torch says above.
#
# **Exercise 7.1** · difficulty 1 of 5 · 3 minutes · 1 point
#
# **Return how many parameters a linear map has.**
#
# <details><summary>Hint 1</summary>How many weights lead to one output, and how many to all outputs?</details>
# <details><summary>Hint 2</summary>The bias is added to what comes out. How many numbers is that?</details>
# <details><summary>The idea</summary>A product for the weights and, if there is a bias, one more number for each
# output.</details>


# %% exercise="counting.linear"
def linear_parameters(n_in, n_out, bias=True):
    """The parameters of a linear map.

    Args:
        n_in: inputs.
        n_out: outputs.
        bias: whether it has one.

    Returns:
        How many there are, an integer.
    """
    ### BEGIN SOLUTION
    return n_in * n_out + (n_out if bias else 0)
    ### END SOLUTION


# %% check="counting.linear"
check("counting.linear", linear_parameters)

# %% [markdown]
# ## 7.2 Embeddings
#
# **Why.** A model begins by looking words up: token 17 gets row 17 of a table. The table has a row of $d$ numbers
# for each of the $V$ tokens ($d$ is the width, `d_model`). It is the same table at every position, and it has no
# bias.
#
# Positions come on top (lesson 3). Sines and cosines are computed, so they have no parameters. *Learned* positions
# are a second table, with a row of $d$ numbers for each position.
#
# **By hand.** 5 tokens of width 3: 15. With 4 learned positions: 15 + 12 = 27.


# %%
def embedding_parameters(vocabulary, d_model, positions=0):
    """The parameters of the embeddings.

    Args:
        vocabulary: tokens.
        d_model: numbers of a vector.
        positions: learned positions; 0 where
            positions are sines and cosines.

    Returns:
        How many there are, an integer.
    """
    return (vocabulary + positions) * d_model


# %% [markdown]
# ## 7.3 Attention, whatever the heads
#
# **Why.** Multi-head attention has four maps: $W_q$, $W_k$, $W_v$ make queries, keys and values, and $W_o$ mixes what the
# heads found. How much does a second head cost?
#
# **Formula.** Each of $H$ heads works with $d/H$ features. So its part of $W_q$ has $d$ rows and $d/H$ columns, and
# the parts of all heads side by side fill one square:
#
# $$H \cdot d \cdot \frac{d}{H} = d^2$$
#
# The same holds for $W_k$ and $W_v$. $W_o$ takes all heads side by side, $d$ numbers, and returns $d$. Each of the
# four may have a bias.
#
# **By hand**, width 4 and 2 heads. A head has three 4 × 2 matrices, so 24 weights; both together 48. $W_o$ has 16. That
# makes 64 weights, and with 4 biases of 4 numbers **80**. With 1 head: three 4 × 4 matrices, 48 again.
#
# **Exercise 7.3** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return how many parameters multi-head attention has.**
#
# `n_heads` divides `d_model`. Does your answer need it at all?
#
# <details><summary>Hint 1</summary>Count by hand once more for width 4 and 4 heads. What changes?</details>
# <details><summary>Hint 2</summary>Each of the maps is one that Exercise 7.1 counts. How many inputs and outputs does
# it have?</details>
# <details><summary>The idea</summary>Four square maps.</details>


# %% exercise="counting.attention"
def attention_parameters(d_model, n_heads, bias=True):
    """The parameters of multi-head attention.

    Args:
        d_model: the width.
        n_heads: a divisor of the width.
        bias: whether each of the four maps has one.

    Returns:
        How many there are, an integer.
    """
    ### BEGIN SOLUTION
    return 4 * linear_parameters(d_model, d_model, bias)
    ### END SOLUTION


# %% check="counting.attention"
check("counting.attention", attention_parameters)

# %% draw=true
# Your count beside PyTorch's, and the matrices of one head and of eight
with waiting_for("Exercise 7.3"):
    for width, heads in ((512, 1), (512, 8), (768, 12)):
        with torch.device("meta"):
            attention = torch.nn.MultiheadAttention(width, heads)
        beside(f"width {width}, heads {heads}", attention_parameters(width, heads), attention)
    axes = plots.panels(2, width=4.2, height=1.6)
    for ax, heads in zip(axes, (1, 8), strict=True):
        squares = [(f"$W_{name}$", 64, 64, heads, "columns") for name in "qkv"]
        shapes = [[*squares, ("$W_o$", 64, 64, heads, "rows")]]
        figures.matrices(shapes, title=f"{heads} head{'s' * (heads > 1)}, width 64", ax=ax)
    show(axes[0])

# %% [markdown]
# Each stripe belongs to one head. More heads mean more stripes, but the areas stay the same. **The number of heads
# is not in the formula.** Keep that in mind for 7.8.

# %% [markdown]
# ## 7.4 Feed-forward
#
# **Why.** After attention, each position is processed by itself: a linear map to a hidden width $d_{ff}$, a
# nonlinearity (ReLU or GELU, without parameters), and a linear map back (Vaswani et al. 2017, section 3.3).
#
# **By hand.** Width 2, hidden width 3. Up: 2·3 + 3 = 9. Down: 3·2 + 2 = 8. Together **17**.


# %%
def feed_forward_parameters(d_model, d_ff):
    """The parameters of a feed-forward network, both maps with a bias.

    Args:
        d_model: the width.
        d_ff: the hidden width.

    Returns:
        How many there are, an integer.
    """
    return linear_parameters(d_model, d_ff) + linear_parameters(d_ff, d_model)


# %% [markdown]
# ## 7.5 Layer normalisation
#
# **Why.** Without a norm, vectors tend to grow from layer to layer. Layer normalisation (Ba et al. 2016) takes each
# token's vector, shifts and scales it to mean 0 and standard deviation 1, and then lets the model choose a new scale
# $\gamma_i$ and a new shift $\beta_i$ for each feature $i$. Mean and deviation are computed afresh for each token.
# Only $\gamma$ and $\beta$ are learned.
#
# **By hand.** The vector (1, 3) has mean 2 and deviation 1, so it becomes (−1, 1), and then
# $(-\gamma_1 + \beta_1,\; \gamma_2 + \beta_2)$: **4** parameters.


# %%
def norm_parameters(d_model):
    """The parameters of one layer normalisation.

    Args:
        d_model: the width.

    Returns:
        How many there are, an integer.
    """
    return 2 * d_model


# %% [markdown]
# ## 7.6 A layer of the encoder, a layer of the decoder
#
# **An encoder layer** is lesson 6's block: two sublayers, self-attention and feed-forward, each with a norm.
#
# **By hand**, width 4, hidden width 8, 2 heads: attention 80, feed-forward 4·8 + 8 + 8·4 + 4 = 76, two norms 16. Together
# **172**.


# %%
def encoder_layer_parameters(d_model, n_heads, d_ff):
    """The parameters of an encoder layer.

    Args:
        d_model: the width.
        n_heads: a divisor of the width.
        d_ff: the hidden width of the feed-forward network.

    Returns:
        How many there are, an integer.
    """
    attention = attention_parameters(d_model, n_heads)
    return attention + feed_forward_parameters(d_model, d_ff) + 2 * norm_parameters(d_model)


# %% draw=true
# The weights of a layer, drawn to scale
show(drawings.layer())

# %% [markdown]
# **A decoder layer** of a translator has three sublayers: self-attention under a causal mask, attention over the
# encoder, and feed-forward. Each has a norm.
#
# Two questions first. Does a mask have parameters? And which layer has the matrices that turn the encoder's
# *outputs* into keys and values: the encoder's or the decoder's?
#
# **Exercise 7.6** · difficulty 2 of 5 · 4 minutes · 2 points
#
# **Return how many parameters a layer of the decoder has.**
#
# <details><summary>Hint 1</summary>A mask is a table of True and False. Does training change it?</details>
# <details><summary>Hint 2</summary>In lesson 1, cross-attention had W_q for y, and W_k and W_v for x. Which of the
# two layers uses these three, and W_o?</details>
# <details><summary>The idea</summary>Two whole attentions, one feed-forward network, three norms.</details>


# %% exercise="counting.decoder_layer"
def decoder_layer_parameters(d_model, n_heads, d_ff):
    """The parameters of a decoder layer of a translator.

    Args:
        d_model: the width.
        n_heads: a divisor of the width.
        d_ff: the hidden width of the feed-forward network.

    Returns:
        How many there are, an integer.
    """
    ### BEGIN SOLUTION
    attentions = 2 * attention_parameters(d_model, n_heads)
    return attentions + feed_forward_parameters(d_model, d_ff) + 3 * norm_parameters(d_model)
    ### END SOLUTION


# %% check="counting.decoder_layer"
check("counting.decoder_layer", decoder_layer_parameters)

# %% draw=true
# Your count beside PyTorch's, and an encoder layer to scale
with waiting_for("Exercise 7.6"):
    for width, heads, hidden in ((4, 2, 8), (200, 2, 200), (512, 8, 2048)):
        with torch.device("meta"):
            encoder = torch.nn.TransformerEncoderLayer(width, heads, hidden)
            decoder = torch.nn.TransformerDecoderLayer(width, heads, hidden)
        sizes = f"width {width}, heads {heads}, hidden {hidden}"
        beside(f"encoder layer, {sizes}", encoder_layer_parameters(width, heads, hidden), encoder)
        beside(f"decoder layer, {sizes}", decoder_layer_parameters(width, heads, hidden), decoder)
    squares = [(f"$W_{name}$", 512, 512, 8, "columns") for name in "qkv"]
    shapes = [
        [*squares, ("$W_o$", 512, 512, 8, "rows")],
        [("$W_1$", 512, 2048)],
        [(r"$W_2^\top$", 512, 2048)],
    ]
    show(figures.matrices(shapes, title="An encoder layer of Transformer-base, to scale"))

# %% [markdown]
# With $d_{ff} = 4d$, as here, feed-forward has twice the weights of attention: two rectangles of $4d^2$ against
# four squares of $d^2$. That makes $12 d^2$ weights per layer, a number worth remembering. All biases and norms
# together are less than 0.3 % of this layer.

# %% [markdown]
# ## 7.7 A whole model
#
# Take a small model from a course's lab. It has a vocabulary of 100 tokens, width 200, sines for positions, 4
# encoder layers with 2 heads and hidden width 200, and on top one linear map with a bias. That map is called a
# **head** too, though it has nothing to do with attention's heads: it gives the model's answer. The lab trains
# the model twice: as a language model, whose head has an output for each of the 100 tokens, and then as a
# classifier with 2 classes.
#
# Here it is as a module, without the parts that have no parameters.


# %%
class LabModel(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
        super().__init__()
        self.embedding = torch.nn.Embedding(vocabulary, d_model)
        self.layers = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(d_model, n_heads, d_ff) for _ in range(n_layers)
        )
        self.head = torch.nn.Linear(d_model, n_out)


# %% [markdown]
# **Exercise 7.7** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Return how many parameters the whole model has.**
#
# <details><summary>Hint 1</summary>Three kinds of parts, from bottom to top. Which of them occurs n_layers
# times?</details>
# <details><summary>Hint 2</summary>Mind the brackets: what is multiplied by the number of layers, and what isn't?</details>
# <details><summary>The idea</summary>One embedding without learned positions, n_layers encoder layers, one linear map
# from the width to n_out.</details>


# %% exercise="counting.lab_model"
def lab_model_parameters(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    """The parameters of this small model.

    Args:
        vocabulary: tokens.
        d_model: the width.
        n_heads: a divisor of the width.
        d_ff: the hidden width of the feed-forward networks.
        n_layers: encoder layers.
        n_out: outputs of the head.

    Returns:
        How many there are, an integer.
    """
    ### BEGIN SOLUTION
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, d_ff)
    return embedding_parameters(vocabulary, d_model) + layers + linear_parameters(d_model, n_out)
    ### END SOLUTION


# %% check="counting.lab_model"
check("counting.lab_model", lab_model_parameters)

# %% draw=true
# The lab's two models: your count beside the real ones
with waiting_for("Exercise 7.7"):
    totals = {}
    for name, outputs in (("classifier", 2), ("language model", 100)):
        with torch.device("meta"):
            model = LabModel(100, 200, 2, 200, 4, outputs)
        totals[name] = lab_model_parameters(100, 200, 2, 200, 4, outputs)
        beside(f"the lab's {name}", totals[name], model)
    print(f"difference {totals['language model'] - totals['classifier']:,} = (100 - 2) outputs · (200 + 1)")

# %% [markdown]
# The two models differ only in the head. A head costs 201 numbers for each output: 402 for 2 classes, 20,100 for
# 100 words. So the *language model* is the larger one, 1,008,100 against 988,402.
#
# Two slips are easy to make here. One is to swap the two totals, so ask beforehand which must be larger. The other is
# a bracket that never closes:
#
# $$V d + 4 \cdot \Big(\;4 (d^2 + d) + 2d + 2 (d^2 + d) + 2d + d\,C + C$$
#
# All its parts are right for a classifier with $C$ classes, but it doesn't say what is counted four times. The
# bracket has to close after the second $2d$, where a layer ends. Closed at the very end instead, it would count
# the head four times, and give the classifier 3 · 402 parameters too many. **Copied totals don't test a
# formula. Evaluate it.**
#
# *A good place for a break.*

# %% [markdown]
# ## 7.8 Right by coincidence
#
# A formula claims something about every model, but a total tests it on one. Here is a count with a slip. Its totals
# for both models of 7.7 are right, to the last digit:


# %%
def slipped_count(vocabulary, d_model, n_heads, n_layers, n_out):
    square = d_model * d_model + d_model  # a map from width to width, with its bias
    attention = 4 * square
    feed_forward = n_heads * square
    norms = n_heads * 2 * d_model
    layers = n_layers * (attention + feed_forward + norms)
    return vocabulary * d_model + layers + d_model * n_out + n_out


slipped_count(100, 200, 2, 4, 2), slipped_count(100, 200, 2, 4, 100)

# %% [markdown]
# **Exercise 7.8a** · difficulty 3 of 5 · 9 minutes · 3 points
#
# **Catch the slip: for a given width, return a number of heads and a hidden width with which it shows.**
#
# A layer of these sizes should show this slip *and nothing else*:
#
# - the layer can be built, so the heads divide the width,
# - the count above is wrong for it,
# - the same count with the slip corrected is right for it.
#
# Many answers are right. The check builds torch's own layer from yours and compares, at several widths.
#
# <details><summary>Hint 1</summary>Which parts of a layer know about heads at all? Section 7.3 says what the heads
# change in the count.</details>
# <details><summary>Hint 2</summary>The count takes for granted that the hidden width equals the width. Keep it so.
# Which number of heads hides the slip?</details>
# <details><summary>The idea</summary>Any number of heads but that one will do, as long as it divides the width. Which
# numbers divide every width, even a prime number?</details>


# %% exercise="counting.expose"
def exposing_configuration(d_model):
    """The sizes of a layer on which the
    slip shows, and no other mistake does.

    Args:
        d_model: the width, at least 3.

    Returns:
        A dict with the integers "n_heads" and "d_ff".
    """
    ### BEGIN SOLUTION
    return {"n_heads": 1, "d_ff": d_model}
    ### END SOLUTION


# %% check="counting.expose"
check("counting.expose", exposing_configuration)

# %% predict="counting.meets"

# %% draw=true
# Your formula and the count with the slip, against the number of heads
with waiting_for("Exercise 7.7"), after_predicting("counting.meets"):
    heads = [1, 2, 4, 5, 8, 10]
    series = {
        "your formula": [lab_model_parameters(100, 200, h, 200, 4, 2) / 1e6 for h in heads],
        "with the slip": [slipped_count(100, 200, h, 4, 2) / 1e6 for h in heads],
    }
    title = "The lab's classifier with other numbers of heads"
    show(plots.lines(heads, series, xlabel="heads", ylabel="parameters (millions)", title=title))

# %% [markdown] reveals="counting.meets"
# The lines meet at one point, and that point is the lab's model. A layer has two feed-forward matrices and two
# norms, whatever its heads; the lab's model happens to have two heads as well. There is a second coincidence:
# the count treats the feed-forward matrices as *squares*, which is right only because the lab has $d_{ff} = d$.
# With BERT's $d_{ff} = 4d$ it fails with any number of heads. **A model whose sizes all differ tests a formula
# better.** That is why the checks of this course use such sizes.

# %% [markdown]
# **Question 7.8b** · graded by hand · 8 minutes · 5 points
#
# The totals of the count in 7.8 agree with what PyTorch prints, and yet its formula is wrong. How can that be? Name
# both coincidences of the lab's model. How would you test such a formula, and what would a passing test tell you?
# Where else does "the right number" prove little? Give one example of your own.

# %% [markdown] written="counting.right_by_coincidence" points=5
# ### BEGIN SOLUTION
# **Model answer.** A formula is a claim about all configurations, and the lab model is one of them. It writes
# n_heads where a layer has 2 matrices (feed-forward) and 2 norms. The lab model has 2 heads, so the three 2s can't
# be told apart there: they agree in value but not in meaning. The other coincidence is d_ff = d_model = 200, which
# makes a d_model × d_ff matrix look like a square, so that the formula needn't mention d_ff. A test should choose
# sizes that all differ and share no factors that matter, such as width 12, 3 heads, hidden width 40, 5 layers, 7
# outputs, and compare with a module built with just these sizes; it should also change one size at a time and see
# whether the count changes as expected (heads: not at all). A test that passes on such sizes makes a slip of this
# kind unlikely; it proves nothing for what was held constant, such as biases or tied weights. Examples: a matrix
# product tested on square matrices, where a missing transpose raises no error; a mean over a batch of one;
# attention tested with T_q = T_k; a loss of log V at the start, which a model that ignores its input has as well.
#
# **Rubric**
# - 1 point: a formula claims something for all configurations, and one agreeing case can agree by coincidence.
# - 1 point: 2 heads = 2 matrices = 2 norms.
# - 1 point: d_ff = d_model (or "the hidden width equals the width").
# - 1 point: a test with different sizes, or with one size changed at a time, against a real module.
# - 1 point: an example of one's own in which a right number proves little; any sound one.
# - "The formula is right because the total is right" earns nothing on the first line.
# ### END SOLUTION

# %% [markdown]
# ## 7.9 Encoder and decoder, and weights that are tied
#
# **Why.** Transformer-base, the model of Vaswani et al. (2017), translates: an encoder of 6 layers, a decoder of 6 layers,
# width 512, 8 heads, hidden width 2048, sines for positions, and a vocabulary of about 37,000 tokens that both languages share.
#
# Three places in it hold a matrix of $V \times d$: the source's embedding, the target's embedding, and the map from
# the decoder's outputs to a score for each token. The paper **ties** them (section 3.4): one matrix serves in all
# three places. It is learned once, so it counts once. PyTorch's `parameters()` agrees:

# %%
with torch.device("meta"):
    words = torch.nn.Embedding(1000, 16)
    scores = torch.nn.Linear(16, 1000, bias=False)
    apart = count(torch.nn.ModuleList([words, scores]))
    scores.weight = words.weight
    tied = count(torch.nn.ModuleList([words, scores]))
apart, tied

# %% [markdown]
# **By hand**, 10 tokens, width 4, 2 heads, hidden width 8, 1 layer each. You have 172 for the encoder layer. The decoder
# layer has 2·80 + 76 + 3·8 = 260. Tied: 40 + 172 + 260 = **472**. Not tied: 3·40 + 432 = **552**.
#
# **Exercise 7.9** · difficulty 3 of 5 · 6 minutes · 3 points
#
# **Return how many parameters a translator has, with tied weights or without.**
#
# The output map has no bias, tied or not.
#
# <details><summary>Hint 1</summary>How many matrices of V × d are learned if they are tied? And if not?</details>
# <details><summary>Hint 2</summary>The encoder has n_layers layers. How many does the decoder have?</details>
# <details><summary>The idea</summary>The matrices, plus n_layers times the sum of an encoder layer and a decoder
# layer.</details>


# %% exercise="counting.transformer"
def transformer_parameters(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    """The parameters of a translator with
    encoder and decoder, and sines for positions.

    Args:
        vocabulary: tokens, the same for source and target.
        d_model: the width.
        n_heads: a divisor of the width.
        d_ff: the hidden width of the feed-forward networks.
        n_layers: layers of the encoder, and as many of the decoder.
        tied: whether one matrix is source embedding,
            target embedding and output map.

    Returns:
        How many there are, an integer.
    """
    ### BEGIN SOLUTION
    matrices = (1 if tied else 3) * vocabulary * d_model
    encoder_layer = encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder_layer = decoder_layer_parameters(d_model, n_heads, d_ff)
    return matrices + n_layers * (encoder_layer + decoder_layer)
    ### END SOLUTION


# %% check="counting.transformer"
check("counting.transformer", transformer_parameters)

# %% draw=true
# Transformer-base, with its matrices tied and without
with waiting_for("Exercise 7.9"):
    base = transformer_parameters(37_000, 512, 8, 2048, 6, True)
    print(f"Transformer-base: {base:,}; not tied: {transformer_parameters(37_000, 512, 8, 2048, 6, False):,}")
    with torch.device("meta"):
        stacks = torch.nn.Transformer(512, 8, 6, 6, 2048, batch_first=True)
    beside("its layers alone", transformer_parameters(0, 512, 8, 2048, 6, True), stacks)

# %% [markdown]
# Torch has 2,048 more: its `Transformer` adds a norm after the last layer of each stack, 2 · 2 · 512 numbers, which the paper
# doesn't have.

# %% [markdown]
# ## 7.10 The paper says 65 million
#
# Table 3 gives **65 million**. You have 63.1 million, 3 % less. Who is right? The table has more rows, most of
# which change one size only. Each total is rounded to a million, so it allows a range of vocabularies. Your
# function gives the range:

# %% draw=true
# How many rows of the shared matrix give each published number
with waiting_for("Exercise 7.9"):
    ranges = {
        name: figures.rows_that_fit(millions, transformer_parameters(0, *sizes, True), sizes[0])
        for name, (millions, sizes) in figures.TRANSFORMERS.items()
    }
    marks = {"37,000, as the text says": 37_000}
    title = "Rows of the shared matrix that give the published number"
    show(figures.intervals(ranges, marks, xlabel="rows", title=title))
    low = max(low for name, (low, _) in ranges.items() if name != "big")
    high = min(high for name, (_, high) in ranges.items() if name != "big")
    print(f"all rows but the last agree on {low:,.0f} to {high:,.0f}")

# %% [markdown]
# Eight rows of the table agree with each other: layers as you count them, and a shared matrix of about 41,000 rows.
# (Or 37,000, and something else as large as 4,000 rows.) None of the eight fits 37,000, and the last row fits neither
# number. The paper doesn't say what it counted. So: *65M as published, 63.1M by the sizes in its text*. That is how
# to quote such a number.

# %% [markdown]
# ## 7.11 BERT
#
# **BERT** (Devlin et al. 2019) is an encoder. Each token gets the sum of three learned vectors: its own, its position's and
# its segment's (first sentence or second). A norm follows, then the layers, and on top the **pooler**, a linear map with
# a bias from width to width, for the first position, which holds the extra token [CLS].
#
# **By hand**, 10 tokens, 5 positions, 2 segments, width 4, 2 heads, hidden width 8, 1 layer: 17·4 + 8 + 172 + 20 = **268**.


# %%
def bert_parameters(vocabulary, d_model, n_heads, d_ff, n_layers, positions, segments):
    """The parameters of BERT's body, without a head for any task.

    Args:
        vocabulary: tokens.
        d_model: the width.
        n_heads: a divisor of the width.
        d_ff: the hidden width of the feed-forward networks.
        n_layers: encoder layers.
        positions: learned positions.
        segments: kinds of sentences, 2 in BERT.

    Returns:
        How many there are, an integer.
    """
    tables = embedding_parameters(vocabulary, d_model, positions + segments)
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, d_ff)
    return tables + norm_parameters(d_model) + layers + linear_parameters(d_model, d_model)


# %% [markdown]
# ## 7.12 GPT-2
#
# **GPT-2** (Radford et al. 2019) writes text from left to right. It is called "decoder-only", and yet its layers are what
# you counted as *encoder* layers: there is nothing to cross-attend to, so what is left is self-attention and
# feed-forward, with a causal mask. Positions are learned, the hidden width is four times the width, one more norm follows
# after the last layer, and the output map is tied to the embedding.
#
# **By hand**, 10 tokens, 5 positions, width 4, 2 heads, 1 layer: 15·4 + (80 + 148 + 16) + 8 = **312**.
#
# **Exercise 7.12** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Return how many parameters GPT-2 has.**
#
# <details><summary>Hint 1</summary>Which of your two layers has one attention?</details>
# <details><summary>Hint 2</summary>What does a tied output map add?</details>
# <details><summary>The idea</summary>Two tables, n_layers layers with d_ff = 4 · d_model, one norm.</details>


# %% exercise="counting.gpt2"
def gpt2_parameters(vocabulary, d_model, n_heads, n_layers, positions):
    """The parameters of GPT-2.

    Args:
        vocabulary: tokens.
        d_model: the width; the hidden width is 4 times as much.
        n_heads: a divisor of the width.
        n_layers: layers.
        positions: learned positions.

    Returns:
        How many there are, an integer.
    """
    ### BEGIN SOLUTION
    layers = n_layers * encoder_layer_parameters(d_model, n_heads, 4 * d_model)
    return embedding_parameters(vocabulary, d_model, positions) + layers + norm_parameters(d_model)
    ### END SOLUTION


# %% check="counting.gpt2"
check("counting.gpt2", gpt2_parameters)

# %% draw=true
# BERT and GPT-2, and which vocabularies give GPT-2's published sizes
with waiting_for("Exercise 7.12"):
    print(f"BERT-base    {bert_parameters(30_522, 768, 12, 3072, 12, 512, 2):>13,}")
    print(f"GPT-2 small  {gpt2_parameters(50_257, 768, 12, 12, 1024):>13,}")
    ranges = {}
    for name, (millions, width, layers) in figures.GPT2.items():
        rest = gpt2_parameters(0, width, width // 64, layers, 1024)
        ranges[f"{name}: {millions} M"] = figures.rows_that_fit(millions, rest, width)
    marks = {"GPT-1: 40,478": 40_478, "GPT-2: 50,257": 50_257}
    title = "Vocabularies that give the sizes in GPT-2's paper"
    show(figures.intervals(ranges, marks, xlabel="vocabulary", title=title))

# %% [markdown]
# BERT-base has 109,482,240, which rounds to the published 110M.
#
# GPT-2 small has **124,439,808**, and the paper says 117M (Table 2). Its authors corrected that later: the README of
# their code says that the original counts were wrong, and the models are now called 124M, 355M, 774M and 1558M. What
# was the error? They don't say. But look at the picture. All four published sizes are what you get with the
# vocabulary of the *earlier* model, GPT-1, and everything else as in GPT-2. (It fits to the last printed digit. That
# makes it likely, not certain.)

# %% [markdown]
# ## 7.13 Explore: where the parameters are
#
# Every number here comes from your functions. Try these:
#
# 1. Start from Transformer-base and double the width. Which part grows twofold, and which fourfold?
# 2. Change the heads. What happens to the picture?
# 3. Start from the lab's classifier and give it a vocabulary of 50,257. Where are its parameters now?
# 4. What share do GPT-3's embeddings have? Why so small?

# %% draw=true
# Explore: the sizes of models
functions = explorers.Functions(
    embedding_parameters,
    attention_parameters,
    feed_forward_parameters,
    lab_model_parameters,
    transformer_parameters,
    bert_parameters,
    gpt2_parameters,
)
explorers.size_explorer(functions)

# %% [markdown]
# Embeddings grow with $d$, layers with $d^2$: small models are mostly vocabulary, large ones mostly layers. Of
# GPT-3's 175 billion, all but 0.4 % are in the layers: the rule of thumb from 7.6 gives 96 · 12 · 12,288², which is
# 174 billion.
#
# *A good place for a break.*

# %% [markdown]
# ## 7.14 Memory: what each parameter needs
#
# Could Transformer-base be trained at home, on a GTX 1050 Ti with 4 GB? It has 65 million parameters, and the
# paper used 8 GPUs for 12 hours. "Obviously not", you may think. The rest of this lesson finds out.
#
# **Formula.** In float32 each number takes 4 bytes. For each parameter training keeps
#
# - the **weight**,
# - its **gradient**,
# - what the **optimizer** remembers: plain gradient descent (SGD) nothing, SGD with momentum one number, Adam two (a
#   running mean of the gradients, and one of their squares; Kingma and Ba 2015).
#
# **By hand.** 1,000 parameters with Adam: 4,000 + 4,000 + 8,000 bytes, so **16 bytes for each parameter**.
#
# **Exercise 7.14** · difficulty 2 of 5 · 4 minutes · 2 points
#
# **Return the bytes of weights, gradients and the optimizer's own numbers.**
#
# <details><summary>Hint 1</summary>Count numbers first: how many for one parameter, with each optimizer?</details>
# <details><summary>Hint 2</summary>Which two numbers does every optimizer need for a parameter, and how many does each
# keep besides?</details>
# <details><summary>The idea</summary>A few numbers per parameter, one of them the weight, and 4 bytes for
# each.</details>


# %% exercise="counting.training_state"
def training_state_bytes(n_parameters, optimizer):
    """Bytes for weights, gradients and what
    the optimizer remembers, in float32.

    Args:
        n_parameters: of the model.
        optimizer: "sgd", "momentum" or "adam".

    Returns:
        Bytes, an integer.
    """
    ### BEGIN SOLUTION
    numbers = {"sgd": 2, "momentum": 3, "adam": 4}[optimizer]
    return n_parameters * numbers * 4
    ### END SOLUTION


# %% check="counting.training_state"
check("counting.training_state", training_state_bytes)

# %% draw=true
# What training holds: your bytes, and PyTorch's
with waiting_for("Exercise 7.14"):
    for name in ("sgd", "momentum", "adam"):
        small, held = experiments.trained_once(name)
        yours = training_state_bytes(count(small), name)
        print(f"{name:<9} yours {yours:>7,} bytes   held by torch {held:>7,} bytes")
    base = transformer_parameters(37_000, 512, 8, 2048, 6, True)
    print(f"Transformer-base with Adam: {training_state_bytes(base, 'adam') / 1e9:.2f} GB")

# %% [markdown]
# About 1 GB. (GB is 10⁹ bytes here.) That alone would fit into 4 GB. But it isn't all.

# %% [markdown]
# ## 7.15 Memory: what the backward pass needs
#
# **Why.** A gradient needs values from the forward pass: the gradient of $W$ in $y = xW$ is computed from $x$. So
# each layer keeps its intermediate results, its **activations**, until the backward pass. Here is a layer written
# out. The comments say what each line makes PyTorch keep.


# %%
def written_out_layer(x, weights, n_heads):
    B, T, d = x.shape
    W_q, W_k, W_v, W_o, W_1, W_2 = weights

    def heads(projected):
        return projected.view(B, T, n_heads, d // n_heads).transpose(1, 2)  # (B, H, T, d/H)

    q, k, v = heads(x @ W_q), heads(x @ W_k), heads(x @ W_v)  # x: one vector of width d for each token
    scores = q @ k.transpose(-2, -1) / math.sqrt(d // n_heads)  # q and k: two more
    attention = scores.softmax(dim=-1)  # the weights: a T × T matrix for each head
    found = (attention @ v).transpose(1, 2).reshape(B, T, d)  # v: one more
    x = torch.nn.functional.layer_norm(x + found @ W_o, (d,))  # found, and what goes into the norm: two
    hidden = x @ W_1  # what comes out of the norm: one
    active = torch.nn.functional.gelu(hidden)  # hidden, of the hidden width
    return torch.nn.functional.layer_norm(x + active @ W_2, (d,))  # active, and what goes into the norm


# %% [markdown]
# PyTorch can tell us what it keeps: `saved_tensors_hooks` calls a function for each tensor that is put aside for
# the backward pass. We add up their sizes, count shared memory once, and leave out the weights, which you have
# counted already.


# %%
def numbers_kept(forward, own):
    """How many numbers a forward pass keeps,
    besides those of the tensors in `own`.
    """
    known, kept = {tensor.untyped_storage()._cdata for tensor in own}, {}

    def put_aside(tensor):
        storage = tensor.untyped_storage()
        if storage._cdata not in known:
            kept[storage._cdata] = (storage.nbytes() // tensor.element_size(), tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(put_aside, lambda tensor: tensor):
        result = forward()  # held, so that no memory is used twice
    return sum(size for size, _ in kept.values()), result


def measured(B, T, d, H, d_ff, layers, device="meta"):
    shapes = [(d, d)] * 4 + [(d, d_ff), (d_ff, d)]
    stack = [[torch.empty(s, device=device, requires_grad=True) for s in shapes] for _ in range(layers)]

    def forward():
        x = torch.empty(B, T, d, device=device, requires_grad=True)
        for weights in stack:
            x = written_out_layer(x, weights, H)
        return x

    return numbers_kept(forward, [weight for weights in stack for weight in weights])[0]


measured(1, 3, 4, 2, 8, 1)

# %% [markdown]
# **By hand**, one sequence of 3 tokens, width 4, 2 heads, hidden width 8. According to the comments, each token
# keeps 1 + 2 + 1 + 2 + 1 + 1 = 8 vectors of width 4: for 3 tokens 96 numbers. And 2 vectors of hidden width 8: for
# 3 tokens 48. Attention weights: 2 heads of 3 × 3, so 18. Together **162**.
#
# PyTorch says 174. The other 12 are the mean and the deviation of each token in each of the two norms, 2 · 2 · 3.
# We leave these out: they are few.
#
# **Exercise 7.15** · difficulty 4 of 5 · 8 minutes · 3 points
#
# **Return how many numbers the encoder layers keep for the backward pass.**
#
# The layers are those written out above; they read B sequences of T tokens each.
#
# <details><summary>Hint 1</summary>What is kept for each token, and what for each pair of tokens in a
# sequence?</details>
# <details><summary>Hint 2</summary>Each token has 8 vectors of the width and 2 of the hidden width. How many tokens
# are there, and how many tables of weights?</details>
# <details><summary>The idea</summary>Tokens bring vectors, pairs of tokens bring weights. Each layer keeps its
# own.</details>


# %% exercise="counting.activations"
def activation_numbers(batch, positions, d_model, n_heads, d_ff, n_layers):
    """How many numbers encoder layers keep for the backward pass.

    Args:
        batch: sequences, B.
        positions: tokens in each, T.
        d_model: the width.
        n_heads: a divisor of the width.
        d_ff: the hidden width of the feed-forward networks.
        n_layers: layers.

    Returns:
        Numbers (not bytes), an integer. The
        norms' means and deviations are left out.
    """
    ### BEGIN SOLUTION
    vectors = batch * positions * (8 * d_model + 2 * d_ff)
    weights = batch * n_heads * positions**2
    return n_layers * (vectors + weights)
    ### END SOLUTION


# %% check="counting.activations"
check("counting.activations", activation_numbers)

# %% draw=true
# What a layer keeps for the gradient: your formula, and measured
with waiting_for("Exercise 7.15"):
    for sizes in ((1, 3, 4, 2, 8, 1), (4, 30, 64, 8, 256, 2), (8, 512, 768, 12, 3072, 12)):
        yours, real = activation_numbers(*sizes), measured(*sizes)
        norms = 4 * sizes[0] * sizes[1] * sizes[-1]  # two numbers for each token, in two norms
        left = real - yours - norms
        print(f"yours {yours:>13,}   measured {real:>13,}   the norms' {norms:>7,}   left {left}")
    lengths = [32, 64, 128, 256, 512]
    own = torch.nn.TransformerEncoderLayer(64, 8, 256, dropout=0.0, activation="gelu", batch_first=True)
    x = [torch.randn(1, T, 64, requires_grad=True) for T in lengths]
    kept = [numbers_kept(lambda part=part: own(part), list(own.parameters()))[0] for part in x]
    formula = [activation_numbers(1, T, 64, 8, 256, 1) / T for T in lengths]
    fused = [numbers / T for numbers, T in zip(kept, lengths, strict=True)]
    series = {"written out, by your formula": formula, "torch's own layer, measured": fused}
    labels = {"xlabel": "tokens in a sequence", "ylabel": "numbers kept for each token", "log": "x"}
    show(plots.lines(lengths, series, title="One layer, width 64, 8 heads", **labels))

# %% [markdown]
# The formula is exact. Its $T^2$ part grows with the length until attention weights dominate. Torch's own layer
# doesn't pay that: it computes attention in blocks and recomputes the weights in the backward pass (Dao et al.
# 2022), so it keeps only one number for each query and head. For one layer with $d_{ff} = 4d$, your formula is that
# of Korthikanti et al. (2022, section 4.1), without dropout: 16 numbers for each token and feature, and $H T^2$.

# %% [markdown]
# ## 7.16 Operations
#
# **Why.** Memory decides whether a model can be trained on a machine. Operations decide how long it takes.
#
# **Formula.** A FLOP is one addition or one multiplication of floating-point numbers. In the forward pass a token
# meets each weight once: one multiplication and one addition. The backward pass has two products for each product
# of the forward pass: one for the gradient of the inputs, one for the gradient of the weights. So a weight costs
# 2 + 4 = **6** FLOPs per token.
#
# Two products have no weights: in each layer, a token's query meets the keys of $T$ tokens, and its attention weights meet their
# values. Each takes $T \cdot d$ multiplications and as many additions, and there is a backward pass for them as well.
#
# **By hand.** 100 weights, 1 layer, T = 3, d = 4: weights 600; scores 2·3·4 = 24, averages 24, times three 144. Together **744**.
#
# **Exercise 7.16** · difficulty 3 of 5 · 6 minutes · 2 points
#
# **Return the operations of one token, forward and backward.**
#
# <details><summary>Hint 1</summary>What does the forward pass cost, in both kinds of products?</details>
# <details><summary>Hint 2</summary>The backward pass costs as much as two forward passes. How many forward passes is
# that in all?</details>
# <details><summary>The idea</summary>The forward pass, with weights and without, and twice as much again for the
# way back.</details>


# %% exercise="counting.flops"
def training_flops_per_token(n_weights, n_layers, positions, d_model):
    """Operations of one token's forward and backward pass.

    Args:
        n_weights: weights that the token meets.
        n_layers: layers with attention.
        positions: how many keys a query meets, T.
        d_model: the width.

    Returns:
        FLOPs, an integer.
    """
    ### BEGIN SOLUTION
    forward = 2 * n_weights + n_layers * (2 * 2 * positions * d_model)
    return 3 * forward
    ### END SOLUTION


# %% check="counting.flops"
check("counting.flops", training_flops_per_token)

# %% draw=true
# FLOPs of a training step: your count, and PyTorch's
from torch.utils.flop_counter import FlopCounterMode

with waiting_for("Exercise 7.16"):
    for B, T, d, H, d_ff in ((1, 3, 4, 2, 8), (2, 64, 512, 8, 2048), (2, 4096, 512, 8, 2048)):
        shapes = [(d, d)] * 4 + [(d, d_ff), (d_ff, d)]
        weights = [torch.empty(s, device="meta", requires_grad=True) for s in shapes]
        x = torch.empty(B, T, d, device="meta", requires_grad=True)
        with FlopCounterMode(display=False) as counter:
            y = written_out_layer(x, weights, H)
            y.backward(torch.empty_like(y))
        n_weights = sum(weight.numel() for weight in weights)
        each = training_flops_per_token(n_weights, 1, T, d)
        share = f"attention's share {100 * (1 - 6 * n_weights / each):.0f} %"
        counted = counter.get_total_flops() // (B * T)
        print(f"T = {T:>4}: yours {each:>11,} per token, counted {counted:>11,}; {share}")

# %% [markdown]
# Exact again, for the matrix products, where nearly all the time goes. For sentences the attention term hardly
# matters, and people use "6N FLOPs per token" (Kaplan et al. 2020, section 2.1). For long sequences it does matter;
# Chowdhery et al. (2022, appendix B) give the formula with both terms.
#
# Which weights does a token "meet"? All that multiply it. Embedding tables are only looked up, so they don't count,
# unless they are tied to the output map, where they do multiply.

# %% [markdown]
# ## 7.17 Days
#
# **Formula.** A GPU's data sheet says how many FLOPs it can do per second: its **peak**. No training run reaches it:
# data must be moved, and small products leave parts of the chip idle. The share that a run reaches is its
# **utilisation** (papers call it MFU, for *model FLOPs utilisation*).
#
# **By hand.** 864 · 10¹⁵ FLOPs on 10 GPUs with a peak of 10¹² and a utilisation of 0.5: 864 · 10¹⁵ / (5 · 10¹²) = 172,800
# seconds. A day has 86,400, so **2 days**.


# %%
def training_days(flops, n_gpus, peak_flops, utilisation):
    """How many days a training run takes.

    Args:
        flops: operations of the whole run.
        n_gpus: GPUs that share them.
        peak_flops: operations a second of one GPU at its peak.
        utilisation: the share of the peak
            that is reached, between 0 and 1.

    Returns:
        Days, a number that isn't rounded.
    """
    per_second = n_gpus * peak_flops * utilisation
    return flops / per_second / (24 * 60 * 60)


# %% [markdown]
# Now Transformer-base. From the paper: 100,000 steps, each with about 25,000 source tokens and 25,000 target
# tokens; 8 GPUs of type P100; 12 hours (sections 5.1 and 5.2). Source tokens pass through the encoder, target
# tokens through the decoder and the output map, so a *pair* of them meets all N parameters once. The paper counts a
# P100 as 9.5 TFLOPS (10¹² FLOPs per second; footnote 5). The data sheet of a GTX 1050 Ti gives 768 cores at 1.392
# GHz, with 2 FLOPs each: 2.14 TFLOPS.

# %% predict="counting.home"

# %% draw=true
# Transformer-base at home: FLOPs, days and gigabytes
with waiting_for("the exercises up to 7.16"), after_predicting("counting.home"):
    base = transformer_parameters(37_000, 512, 8, 2048, 6, True)
    # 6 layers of the encoder with one attention, 6 of the decoder with
    # two; sentences of 30 tokens, say.
    each, could = training_flops_per_token(base, 18, 30, 512), 8 * 12 * 3600 * 9.5e12
    run = each * 25_000 * 100_000
    print(f"needed: {each / 1e6:.0f} million FLOPs per pair of tokens, {run:.2g} in all")
    share = f"so their utilisation was {100 * run / could:.0f} %"
    print(f"what 8 P100 can do in 12 hours: {could:.2g}, {share}")
    home = training_days(run, 1, 2.14e12, run / could)
    print(f"one GTX 1050 Ti at the same utilisation: {home:.0f} days")
    for parts in (1, 8, 16):
        layers = 4 * activation_numbers(25_000 // parts // 30, 30, 512, 8, 2048, 12)
        total = (training_state_bytes(base, "adam") + layers + 4 * 37_000 * 25_000 // parts) / 1e9
        print(f"memory with a step's tokens in {parts:>2} part{'s' * (parts > 1)}: {total:.1f} GB")

# %% [markdown] reveals="counting.home"
# The paper prints 3.3 · 10¹⁸ FLOPs as its cost (Table 2). That is 8 GPUs times 12 hours times 9.5 TFLOPS: what
# the GPUs *could* have done. What the training *needs*, by your count, is less than a third of it.
#
# At home the run takes between two and three weeks, day and night, if the small GPU is as well utilised as the
# large ones were. A whole step doesn't fit into 4 GB. But it needn't: send the tokens through in parts, add up
# the gradients, and step once (*gradient accumulation*). By this estimate 8 parts are enough: 2.7 GB. But the
# estimate is low: the loss keeps more than one copy of the scores, decoder layers have a second attention, and
# PyTorch itself takes some memory. 16 parts leave more room.
#
# So the answer isn't "obviously not". It is: **yes, in two to three weeks; no, if your deadline is sooner.** A
# smaller model learns to translate in minutes, in lesson 11.

# %% [markdown]
# **Question 7.17** · graded by hand · 8 minutes · 5 points
#
# Could *your* machine train Transformer-base? Find out its memory and its peak in float32. (For a CPU: cores ×
# GHz × FLOPs per cycle, where 32 is a fair guess: two units that each multiply and add eight numbers. The cell
# below measures what yours actually reaches.) Choose a utilisation and say why, then compute memory and days
# with your functions. Which of your numbers do you trust least? What would you change about the training to
# make it possible?

# %% draw="open"
from timeit import repeat

matrix = torch.randn(1024, 1024)
# Wall-clock time, since all threads work on it together.
seconds = min(repeat(lambda: matrix @ matrix, number=1, repeat=3))
print(
    f"one large matrix product here: {2 * 1024**3 / seconds / 1e9:.0f} GFLOPs per second, threads: {torch.get_num_threads()}"
)

# %% [markdown] written="counting.your_machine" points=5
# ### BEGIN SOLUTION
# **Model answer.** For a laptop (yours has other numbers): four cores at 3 GHz with 32 FLOPs per
# cycle have a peak of 4 · 3·10⁹ · 32 = 3.8·10¹¹ FLOPs per second, and there are 16 GB of memory. The run needs
# about 9.5·10¹⁷ FLOPs, by training_flops_per_token with N = 63 million and 2.5·10⁹ pairs of tokens. I assume a
# utilisation of 0.3, since the paper's own GPUs reached 0.29 by our estimate. training_days(9.5e17, 1, 3.8e11, 0.3)
# gives about 96 days. The state takes 16 bytes per parameter, 1.0 GB with Adam. A whole step would take another 14
# GB or so for activations and scores, so I split it into 8 parts, after which everything fits into 3 GB. So memory
# is no obstacle, but time is. The number I trust least is the utilisation, which may be off by a factor of two or
# three either way; next the FLOPs per cycle. To make it possible: a smaller model (N enters as a factor), fewer
# steps or shorter sentences, a rented GPU with half-precision units (an A100's 3·10¹⁴ FLOPs per second at 0.3 would
# take about three hours), or a pretrained model that is only fine-tuned.
#
# **Rubric**
# - 1 point: a peak for a machine, with where it comes from, and its memory.
# - 1 point: memory: state (16 bytes per parameter with Adam, about 1 GB) and activations, or that a step is split
#   into parts.
# - 1 point: days computed from about 10¹⁸ FLOPs (5·10¹⁷ to 4·10¹⁸ is fine), with the peak multiplied by the utilisation.
# - 1 point: a utilisation with a reason, and which number is least certain.
# - 1 point: a sensible change that makes it possible.
# - "It is impossible" without numbers earns nothing on the third line, whatever the conclusion.
# ### END SOLUTION

# %% [markdown]
# ## 7.18 Explore: what training takes
#
# Your functions again, for models you know. "Scores of the output" are V numbers per token, one for each word of the
# vocabulary. Layers are those of 7.15, every number takes 4 bytes, and every parameter counts as a weight that
# multiplies. (The peaks of the A100 and the H100 are for bfloat16, whose numbers take 2 bytes. In practice both
# formats are mixed, and memory is somewhat lower than drawn.) With several GPUs, each holds all parameters, the
# optimizer's state and its own sequences: the picture shows the memory of one. Try these:
#
# 1. GPT-2 small with 1,024 tokens in each sequence, on a GTX 1050 Ti: how many sequences fit into a step, and which
#    part takes the most?
# 2. Make the sequences longer and the batch smaller, so that the number of tokens stays the same. What still grows?
# 3. Adam or plain SGD: what does it change for a small batch, and what for a large one?
# 4. GPT-3 was trained on 300 billion tokens (Brown et al. 2020). How many A100s does it take to finish in a month or
#    two?

# %% draw=true
# Explore: what a training run takes
explorers.training_explorer(
    functions, training_state_bytes, activation_numbers, training_flops_per_token, training_days
)

# %% [markdown]
# ## 7.19 What to remember
#
# - A linear map has $n_{in} n_{out} + n_{out}$ parameters, and everything in a Transformer is made of such maps,
#   tables and norms.
# - Attention has four square maps, $4(d^2 + d)$. Heads split them and don't change the count.
# - With $d_{ff} = 4d$ a layer has about $12 d^2$: a third attention, two thirds feed-forward. A decoder layer has a second
#   attention and a third norm. A mask has no parameters. Tied matrices count once.
# - A formula can agree with one model by coincidence. Test it where all sizes differ, and change one at a time.
# - Training with Adam in float32 takes 16 bytes per parameter, plus activations, which grow with the batch.
# - A token costs about 6 FLOPs per parameter. Divide by the FLOPs per second that are actually reached.
# - Quote a published size together with what it counts. 65M, 110M and 117M are all rounded, and 117M was wrong.
#
# **Sources.** Vaswani et al. 2017, *Attention is all you need*, sections 3.3, 3.4, 5.1 and 5.2, Tables 2 and 3.
# Devlin et al. 2019, *BERT*. Radford et al. 2019, *Language models are unsupervised multitask learners*, and the
# README of the code, github.com/openai/gpt-2; GPT-1's vocabulary as in its released files. Kingma and Ba 2015,
# *Adam*. Ba, Kiros and Hinton 2016, *Layer normalization*. Korthikanti et al. 2022, *Reducing activation
# recomputation in large transformer models*. Dao et al. 2022, *FlashAttention*. Kaplan et al. 2020, *Scaling laws for
# neural language models*. Brown et al. 2020, *Language models are few-shot learners*. Chowdhery et al. 2022, *PaLM*.
# NVIDIA's data sheets for the GeForce GTX 1050 Ti and RTX 4090, the A100 and the H100 (SXM, without sparsity).
#
# Next, in lesson 8, you train such a model.
