# %% [markdown]
# # 8 · Pretraining a language model
#
# - **You will learn** how GPT learned to write: by predicting what comes next. You build the loss, the optimizer and
#   the training step, train a model, and let it write. The best possible loss is known.
# - **You need** lessons 1 to 7, whose parts are put together here.
# - **Time** {minutes} minutes, in three sittings: 8.1 to 8.5, 8.6 to 8.12, 8.13 to 8.21. The training takes about a
#   minute and a half on two cores.

# %% setup=true
import math
import random

import numpy as np
import torch

from helpers import corpora, own, sharing, training
from helpers.block import DecoderOnly
from helpers.block.experiments import speak
from helpers.checks import case, check
from helpers.counting import (
    embedding_parameters,
    encoder_layer_parameters,
    norm_parameters,
    training_flops_per_token,
)
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.models.transformer import LanguageModel, LanguageModelConfig
from helpers.pretraining import adam, drawings, explorers, plays, scaling
from helpers.pretraining.explorers import trained, two_prompts
from helpers.training.muon import CombinedOptimizer, Muon, matrices_and_rest

torch.set_num_threads(1)  # each core will have rows of its own to work on

# %% [markdown]
# ## 8.0 Catch the slip
#
# Three short pieces on lessons 4, 6 and 7. Each is right, or has one slip that is easy to make.

# %% recall="pretraining.recall_unembed"

# %% recall="pretraining.recall_state"

# %% recall="pretraining.recall_both"

# %% [markdown]
# ## 8.1 A text whose entropy is known
#
# Your model learns two languages. The first is simple: book reviews, written by a grammar with known
# probabilities. So the best possible loss, the **entropy**, can be computed. The second is Shakespeare's. How
# well that can be predicted, nobody knows. `SHAKESPEARE = True` downloads his plays once (1 MB), for 8.21.

# %% draw=true
SHAKESPEARE = False
if SHAKESPEARE or corpora.is_here("tinyshakespeare"):
    print(corpora.load("tinyshakespeare")[:260])
else:
    print("Left out: the plays, which aren't on this computer yet.")

# %% [markdown]
# What the grammar writes:

# %%
vocabulary = corpora.vocabulary()
for review in corpora.reviews(3, seed=5):
    print(review.text, end="\n\n")
print(f"{len(vocabulary)} tokens, among them {', '.join(vocabulary.words[:3])}")
print(f"entropy: {corpora.entropy_per_token():.3f} nats per token")


# %% [markdown]
# A *nat* is the unit of the natural logarithm: an event of probability $p$ is a surprise of $-\ln p$ nats. The
# entropy is the average surprise for somebody who knows the true probabilities; a uniform guess has ln 884 =
# 6.78. What lies between can be learned, such as that *plots* takes *are*.

# %% [markdown]
# ## 8.2 Inputs and targets
#
# **Why.** Nobody has to label this text: the right answer at each position is the token after it. Training on such
# text, before any task, is called **pretraining**. Short texts are padded with `<pad>`, which the model needn't
# predict: such a target becomes −100, which is no token's number, and the loss leaves it out.
#
# **By hand.** `<bos> it is good . <eos> <pad>` gives
#
# | input | `<bos>` | it | is | good | . | `<eos>` |
# | --- | --- | --- | --- | --- | --- | --- |
# | target | it | is | good | . | `<eos>` | −100 |

# %% draw=true
# The same row twice, shifted by one place
show(drawings.next_token())

# %% [markdown]
# **Exercise 8.2** · difficulty 2 of 5 · 8 minutes · 2 points
#
# **Return what the model reads, and what it should say at each position: the next token.**
#
# <details><summary>Hint 1</summary>T + 1 tokens make T pairs. Which token is never a target, and which never an
# input?</details>
# <details><summary>Hint 2</summary>Is a position left out because its input is padding, or because its target is? Look
# at the last two columns above.</details>
# <details><summary>The idea</summary>The same row twice, shifted by one place. Where the target would be padding,
# nothing is asked.</details>


# %% exercise="pretraining.inputs_and_targets"
def inputs_and_targets(ids, pad=0):
    """What a language model reads, and
    what it should say at each position.

    Args:
        ids: sequences, padding at their ends, (B, T + 1).
        pad: the number of `<pad>`.

    Returns:
        Inputs (B, T) and targets (B, T). A target is -100 where the
        next token is `<pad>`.
    """
    ### BEGIN SOLUTION
    inputs, targets = ids[:, :-1], ids[:, 1:]
    return inputs, targets.masked_fill(targets == pad, -100)
    ### END SOLUTION


# %% check="pretraining.inputs_and_targets"
check("pretraining.inputs_and_targets", inputs_and_targets)

# %% draw=true
# What each position reads, and what it should say
with waiting_for("Exercise 8.2"):
    two = vocabulary.batch(["the plot is dull .", "it is good ."])
    for row, wanted in zip(*inputs_and_targets(two), strict=True):
        said = ["–" if target < 0 else vocabulary.words[target] for target in wanted]
        print(" ".join(f"{vocabulary.words[i]}→{t}" for i, t in zip(row, said, strict=True)))


# %% [markdown]
# ## 8.3 The loss
#
# **Why.** A model gives each position a score for each token, the logits. The loss is the mean surprise at the real
# targets, the **cross-entropy**:
#
# $$L = -\frac{1}{N} \sum_{\text{real } (b,\,t)} \ln p_{b,t}(\text{target}_{b,t}) \qquad p_{b,t} = \text{softmax}(\text{logits}_{b,t})$$
#
# $N$ counts the targets that aren't −100, not positions or rows: every token counts once.
#
# **By hand.** Two rows of two positions. The right tokens have probabilities 1/2 and 1/4 in the first row. The second
# row has 1/8, and then padding. $L$ = (0.69 + 1.39 + 2.08) / 3 = **1.39**.
#
# **A trap.** In float32 a softmax gives 0 where a score is 110 below the largest, and ln 0 is −∞. `log_softmax`
# does both steps at once and stays exact.
#
# **Exercise 8.3** · difficulty 3 of 5 · 12 minutes · 3 points
#
# **Return the mean surprise at the real targets, in nats.**
#
# <details><summary>Hint 1</summary><code>gather</code> takes one number out of each position's V; but −100 is no
# index. Which index can you use instead, if you leave that position out afterwards?</details>
# <details><summary>Hint 2</summary>Or pick the real positions first: what is the shape of <code>logits[targets !=
# -100]</code>?</details>
# <details><summary>The idea</summary>The surprise at each real target, averaged over the real targets
# alone.</details>


# %% exercise="pretraining.loss"
def language_model_loss(logits, targets):
    """The mean cross-entropy over the targets
    that aren't -100, in nats per token.

    Args:
        logits: (B, T, V).
        targets: (B, T), integers.

    Returns:
        A tensor of one number.
    """
    ### BEGIN SOLUTION
    real = targets != -100
    log_p = logits.log_softmax(dim=-1)
    chosen = log_p.gather(-1, targets.masked_fill(~real, 0).unsqueeze(-1)).squeeze(-1)
    return -(chosen * real).sum() / real.sum()
    ### END SOLUTION


# %% check="pretraining.loss"
check("pretraining.loss", language_model_loss)


# %% [markdown]
# ## 8.4 Perplexity
#
# **Why.** $e^{1.39} = 4$ says more than "1.39 nats": the model was as unsure as with 4 equally likely tokens. That is
# the **perplexity**. A uniform guess has 884 here; the entropy, 1.175, is a perplexity of 3.24.
#
# **A trap.** The losses of several batches are means over different numbers of tokens. So weight each batch by
# its number of tokens, and take the exponential only at the end.
#
# **By hand.** A batch of 30 tokens with mean loss 1, one of 10 tokens with mean loss 2: (30·1 + 10·2)/40 = 1.25, and
# $e^{1.25}$ = **3.49**.
#
# **Exercise 8.4** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return the perplexity over all tokens of several batches.**
#
# <details><summary>Hint 1</summary>How large is the loss of a whole batch, summed over its tokens?</details>
# <details><summary>Hint 2</summary>Would your answer change if one batch were cut into two? It mustn't.</details>
# <details><summary>The idea</summary>One mean over all tokens, as if they were a single batch; then e to that
# power.</details>


# %% exercise="pretraining.perplexity"
def perplexity(losses, counts):
    """The perplexity over all tokens of several batches.

    Args:
        losses: each batch's mean loss in nats per token, (N,).
        counts: how many tokens each is the mean of, (N,).

    Returns:
        A tensor of one number.
    """
    ### BEGIN SOLUTION
    return ((losses * counts).sum() / counts.sum()).exp()
    ### END SOLUTION


# %% check="pretraining.perplexity"
check("pretraining.perplexity", perplexity)


# %% [markdown]
# ## 8.5 A language model without a network
#
# **Why.** One of the oldest language models is a table: how often did each token follow each other token (Shannon
# 1948, section 3)?
#
# $$p(\text{next} \mid \text{now}) = \frac{\text{count}(\text{now}, \text{next}) + \alpha}{\sum_{v} \big(\text{count}(\text{now}, v) + \alpha\big)}$$
#
# The small $\alpha$ keeps pairs that never occurred from being impossible: their loss would be infinite.
#
# **By hand**, 3 tokens, $\alpha$ = 1. After token 0 came token 1 twice, token 2 never, token 0 never. The counts 0, 2,
# 0 become 1, 3, 1, and these the probabilities 0.2, 0.6, 0.2.
#
# **Exercise 8.5** · difficulty 3 of 5 · 10 minutes · 2 points
#
# **Return the table of log-probabilities of each next token after each token.**
#
# <details><summary>Hint 1</summary>What does <code>counts[now, then] += 1</code>, with tensors of indices, do with
# a pair that occurs five times? Try it.</details>
# <details><summary>Hint 2</summary>A pair of tokens is one number, now · V + next. What does
# <code>torch.bincount</code> make of such numbers? (A loop over the pairs is fine too.)</details>
# <details><summary>The idea</summary>Each row says how often every token came next, smoothed by alpha, as
# log-probabilities. Padding never comes next.</details>


# %% exercise="pretraining.bigram"
def bigram_log_probabilities(inputs, targets, vocabulary, alpha):
    """The table of a language model that
    looks at one token: log p(next | now).

    Args:
        inputs: (B, T), integers.
        targets: the token after each, (B, T); -100 where there is none.
        vocabulary: V.
        alpha: added to each count.

    Returns:
        (V, V), float32: a row for each
        token now, a column for each next.
    """
    ### BEGIN SOLUTION
    real = targets != -100
    pairs = inputs[real] * vocabulary + targets[real]
    counts = torch.bincount(pairs, minlength=vocabulary**2).view(vocabulary, vocabulary) + alpha
    return (counts / counts.sum(dim=-1, keepdim=True)).float().log()
    ### END SOLUTION


# %% check="pretraining.bigram"
check("pretraining.bigram", bigram_log_probabilities)

# %% [markdown]
# Three models without a network, on 200 new reviews. The *unigram* model knows how frequent each token is, and
# nothing else.

# %% draw=true
# What three models without a network know
held_out_texts = [review.text for review in corpora.reviews(200, seed=995)]
held_out = vocabulary.batch(held_out_texts)  # (B, T + 1)
entropy = corpora.entropy_per_token()
steps_up = {}
with waiting_for("Exercises 8.2, 8.3 and 8.5"):
    texts = [review.text for review in corpora.reviews(3000, seed=1)]
    inputs, targets = inputs_and_targets(vocabulary.batch(texts))
    read, wanted = inputs_and_targets(held_out)
    frequency = torch.bincount(targets[targets != -100], minlength=len(vocabulary)) + 0.1
    unigram = (frequency / frequency.sum()).log().expand(*wanted.shape, -1)
    pairs = bigram_log_probabilities(inputs, targets, len(vocabulary), 0.1)
    logits = {"uniform": torch.zeros_like(unigram), "unigram": unigram, "bigram": pairs[read]}
    steps_up = {name: float(language_model_loss(each, wanted)) for name, each in logits.items()}
    show(explorers.ladder(steps_up, entropy))

# %% [markdown]
# To get from the table to the dashed line, a model has to remember more than one word.
#
# A good place for a break.

# %% [markdown]
# ## 8.6 The model
#
# You built it in lesson 6: `DecoderOnly`. For longer training, the course has the same model with three
# additions: one product for queries, keys and values; a cache (4.9); and a way to look at the attention weights.
#
# Wherever your check has passed on this computer, your own function does the work. (If it fails here or is many
# times slower, the course's replaces it. `own.use(False)` switches yours off. No grade depends on it.)

# %%
parts, whose = own.parts()
own.table(whose)


# %%
def new_model(vocabulary, d_model, n_heads, n_layers, positions):
    """A language model built from these parts."""
    sizes = LanguageModelConfig(vocabulary, d_model, n_heads, n_layers, positions)
    return LanguageModel(sizes, parts)


# %% draw=true
# How far the fast model is from lesson 6's, with the same weights
with torch.no_grad():
    torch.manual_seed(0)
    plain, fast = DecoderOnly(50, 24, 3, 2, 20), new_model(50, 24, 3, 2, 20)
    fast.load_state_dict(explorers.as_language_model(plain.state_dict()))
    some = torch.randint(50, (2, 12))
    cache = fast.new_cache()
    one_by_one = torch.cat([fast(some[:, t : t + 1], cache) for t in range(12)], dim=1)
    print(f"largest difference: {(plain(some) - fast(some)).abs().max():.1e}", end="; ")
    print(f"token by token, with the cache: {(plain(some) - one_by_one).abs().max():.1e}")
torch.manual_seed(0)
untrained = new_model(len(vocabulary), 96, 4, 2, 100)  # the model of the next cells

# %% predict="pretraining.untrained"

# %% draw=true
# The loss of a model that has learned nothing
with waiting_for("Exercises 8.2 and 8.3"), after_predicting("pretraining.untrained"), torch.no_grad():
    some, after = inputs_and_targets(held_out[:20])
    loss = language_model_loss(untrained(some), after)
    print(f"untrained: {loss:.2f} nats per token; ln {len(vocabulary)} = {math.log(len(vocabulary)):.2f}")

# %% [markdown] reveals="pretraining.untrained"
# Near ln V: with small weights all tokens get nearly the same score. If a loss starts far from ln V, the sizes of
# the weights are wrong.

# %% [markdown]
# ## 8.7 All positions learn at once
#
# A review goes through the model once, with the causal mask, and then T times, cut off after 1, 2, ..., T tokens.

# %% draw=true
# All positions at once, and one by one: outputs, time and loss
from helpers.timing import seconds

with waiting_for("Exercises 8.2 and 8.3"), torch.no_grad():
    one_text = vocabulary.batch([corpora.reviews(1, seed=11)[0].text])
    now, then = inputs_and_targets(one_text)

    def one_by_one():
        return torch.cat([untrained(now[:, :end])[:, -1:] for end in range(1, now.size(1) + 1)], dim=1)

    at_once, joined = untrained(now), one_by_one()
    apart = (at_once - joined).abs().max()
    print(f"{now.size(1)} positions; largest difference of the logits {apart:.1e}")
    once, often = 1000 * seconds(untrained, now), 1000 * seconds(one_by_one)
    print(f"all at once: {once:.0f} ms; one by one: {often:.0f} ms")
    print(f"loss {language_model_loss(at_once, then):.4f} and {language_model_loss(joined, then):.4f}")


# %% [markdown]
# The same logits up to rounding, so the same loss and gradient, from one pass instead of T. Each position is a
# training example; in BERT (lesson 10) only 15 % are (Devlin et al. 2019, section 3.1).

# %% [markdown]
# **What it costs**, by lesson 7, before you train: two tables (the head reuses the words'), the blocks and the last
# norm. Each weight but those of the positions takes six operations per token.

# %% draw=true
# What the model costs, by lesson 7
size = embedding_parameters(len(vocabulary), 96, 100) + norm_parameters(96)
size += 2 * encoder_layer_parameters(96, 4, 4 * 96)
really = sum(parameter.numel() for parameter in untrained.parameters())
operations = 3_470_000 * training_flops_per_token(size - 100 * 96, 2, 100, 96)
print(f"parameters: {size:,} by lesson 7, {really:,} in the model")
print(
    f"3.47 million tokens: {operations:.1e} operations, {operations / 60e9:.0f} s at a guessed 60 billion a second"
)

# %% [markdown]
# GPT-3's training took 43 billion times as many operations (Brown et al. 2020, appendix D: 3.1·10²³).

# %% [markdown]
# ## 8.8 A training step
#
# **Why.** All training is one step, repeated. In order:
#
# 1. **zero**: forget the gradients of the step before; `backward` *adds* to what is there.
# 2. **forward** and **loss**: how surprised is the model by this batch?
# 3. **backward**: the gradient of the loss for each parameter.
# 4. **clip**: treat all gradients as one long vector. If it is longer than `max_norm`, shorten it to that and
#    keep its direction, so that one odd batch can't throw the model far (Pascanu et al. 2013, section 3.2).
# 5. **step**: the optimizer moves the parameters.
#
# **By hand.** Two parameters 1 and 1, gradients 3 and 4, plain gradient descent with learning rate 0.1, `max_norm` 1.
# The vector (3, 4) is 5 long; clipped it is (0.6, 0.8). The parameters become 0.94 and 0.92.

# %% draw=true
# One training step, as a circle
show(drawings.step())

# %% [markdown]
# **Exercise 8.8** · difficulty 3 of 5 · 10 minutes · 4 points
#
# **Make one step of training, and return the loss.**
#
# <details><summary>Hint 1</summary>Every step of the list is one line. Which lines are the optimizer's, which the
# loss's?</details>
# <details><summary>Hint 2</summary>Look up <code>torch.nn.utils.clip_grad_norm_</code>. Between which two steps of
# the list are there gradients that clipping can still change?</details>
# <details><summary>The idea</summary>The list above, in its order. What comes back is a plain number
# (<code>.item()</code>).</details>


# %% exercise="pretraining.training_step"
def training_step(model, optimizer, loss, batch, max_norm=1.0):
    """One step downhill.

    Args:
        model: changed in place.
        optimizer: of the model's parameters:
            has zero_grad() and step().
        loss: called as loss(model, *batch),
            gives a tensor of one number.
        batch: a tuple of tensors.
        max_norm: the longest that all gradients
            together may be, as one vector.

    Returns:
        The loss before the step, a plain number.
    """
    ### BEGIN SOLUTION
    optimizer.zero_grad()
    value = loss(model, *batch)
    value.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return value.item()
    ### END SOLUTION


# %% check="pretraining.training_step"
check("pretraining.training_step", training_step)


# %% [markdown]
# ## 8.9 AdamW
#
# **Why.** One learning rate is too large for some numbers and too small for others: a rare word's gradients are
# tiny. **Adam** (Kingma and Ba 2015) keeps two running means for each number, $m$ of its gradients and $v$ of their
# squares. It moves each number by the rate $\eta$ times $m/\sqrt{v}$, whose size is about 1 however small the
# gradients are. Both means start at 0; the *bias correction*, division by $1 - \beta^t$ at step $t$, makes up for
# that. **AdamW** also shrinks weights by a decay $\lambda$, beside the gradient, not through it: it is *decoupled*
# (Loshchilov and Hutter 2019). The small $\epsilon$ keeps the denominator from 0.
#
# $$m \leftarrow \beta_1 m + (1 - \beta_1)\, g \qquad v \leftarrow \beta_2 v + (1 - \beta_2)\, g^2$$
#
# $$w \leftarrow w - \eta \lambda w - \eta\, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon}$$
#
# **What decays?** Matrices and embeddings: tensors with two axes or more. Biases and norms have one axis, and don't
# decay (as in nanoGPT's `configure_optimizers`).
#
# **By hand.** Step 1, $w$ = 2, $g$ = 3, $\beta_1$ = 0.9, $\beta_2$ = 0.99, $\eta$ = 0.1, $\lambda$ = 0.5. Then $m$ = 0.3 and $v$ =
# 0.09; corrected, 3 and 9. The move is 3/√9 = 1. In a matrix $w$ becomes 2 − 0.1 − 0.1 = **1.8**, in a bias **1.9**.
#
# **Exercise 8.9** · difficulty 4 of 5 · 12 minutes · 4 points
#
# **Return a parameter and its two running means after one step of AdamW.**
#
# <details><summary>Hint 1</summary>The next step needs the running means again. With the correction, or
# without?</details>
# <details><summary>Hint 2</summary>How do you ask a tensor for its number of axes? And of which weight is the decay
# a share: before the move, or after it?</details>
# <details><summary>The idea</summary>Two running means, corrected; one divided by the root of the other; beside that, a
# share of the old weight.</details>


# %% exercise="pretraining.adamw"
def adamw(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    """One step of AdamW for one parameter.

    Args:
        weight: any shape; with fewer than two axes, it doesn't decay.
        gradient: of the same shape, as are the two means.
        mean: of the gradients so far; zeros before the first step.
        square: of their squares.
        step: from 1 on.
        lr: the learning rate.
        betas: the shares of `mean` and of `square` that stay.
        eps: added to the root.
        decay: times lr, the share of the weight that is taken away.

    Returns:
        The new weight, mean and square. The
        arguments stay as they are.
    """
    ### BEGIN SOLUTION
    mean = betas[0] * mean + (1 - betas[0]) * gradient
    square = betas[1] * square + (1 - betas[1]) * gradient**2
    move = mean / (1 - betas[0] ** step) / ((square / (1 - betas[1] ** step)).sqrt() + eps)
    if weight.dim() > 1:
        weight = weight * (1 - lr * decay)
    return weight - lr * move, mean, square
    ### END SOLUTION


# %% check="pretraining.adamw"
check("pretraining.adamw", adamw)

# %% [markdown]
# What does each piece bring? A small model trains with your function, 200 steps and two seeds each: as it is,
# without the correction, with the decay added to the gradient instead (*L2*), without decay, and with $\beta_1$ = 0.
# All else is equal: $\beta_2$ = 0.999, $\lambda$ = 0.05. (Half a minute on one core.)

# %% predict="pretraining.bias"

# %% draw=true
# What each piece of AdamW brings
with waiting_for("Exercise 8.9"), after_predicting("pretraining.bias"):
    runs = adam.measure(adamw)
    show(adam.pieces(runs))

# %% [markdown] reveals="pretraining.bias"
# Three times: $m$ is a tenth of the gradient, but $\sqrt{v}$ only $\sqrt{0.001}$ of its size, and $0.1/\sqrt{0.001}$ =
# 3.2. In 200 steps the model doesn't recover from this. (With $\beta_2$ = 0.98, as in 8.11, it is 0.7 times, which
# does no harm.)
#
# L2 fails as badly. A rare word has hardly any other gradient, and $m/\sqrt{v}$ makes a full step of any pull,
# however small: its vector almost vanishes (right panel). Decoupled, the pull is as weak as $\lambda$ says. Decay
# and momentum hardly matter in so short a run.

# %% [markdown]
# ## 8.10 Up, then down
#
# **Why.** At first the optimizer's means rest on a few noisy gradients, so the first steps are small: a
# **warm-up**. At the end they are small again, so that the loss settles.
#
# **Formula.** Steps count from 1. Up in a straight line to the peak at step `warmup`, down in a straight line to 0 at
# step `steps`.
#
# $$\text{rate}(s) = \text{peak} \cdot \begin{cases} s / \text{warmup} & s \le \text{warmup} \\
# (\text{steps} - s) / (\text{steps} - \text{warmup}) & \text{afterwards} \end{cases}$$
#
# **By hand.** 10 steps, warm-up 4, peak 0.8: 0.2, 0.4, 0.6, **0.8**, 0.67, 0.53, 0.4, 0.27, 0.13, **0**.
#
# **Exercise 8.10** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return the learning rate of one step: up in a line, then down in a line.**
#
# <details><summary>Hint 1</summary>What share of the way down is left at step <code>warmup</code>, and at the last
# step?</details>
# <details><summary>Hint 2</summary>Two straight lines meet at the peak. How do you tell which one a step is
# on?</details>
# <details><summary>The idea</summary>Up: the share of the warm-up that is done. Down: the share of the rest that is
# left.</details>


# %% exercise="pretraining.learning_rate"
def learning_rate(step, steps, warmup, peak):
    """The learning rate of one step.

    Args:
        step: from 1 on.
        steps: the last step.
        warmup: the step with the largest rate.
        peak: the largest rate.

    Returns:
        The rate, a number.
    """
    ### BEGIN SOLUTION
    if step <= warmup:
        return peak * step / warmup
    return peak * (steps - step) / (steps - warmup)
    ### END SOLUTION


# %% check="pretraining.learning_rate"
check("pretraining.learning_rate", learning_rate)

# %% draw=true
# Your schedule as a curve
with waiting_for("Exercise 8.10"):
    marks = [1, 50, 1000, 2000, 2900]
    rates = {"your schedule": [1000 * learning_rate(mark, 2900, 50, 6e-3) for mark in marks]}
    show(plots.lines(marks, rates, xlabel="step", ylabel="learning rate, thousandths", title="2,900 steps"))


# %% [markdown]
# ## 8.11 Train it
#
# Texts of about the same length go together, so there is little padding. Each review is used once.


# %%
def batches(texts, size, seed):
    """Batches without end, (B, T + 1),
    each of texts of about the same length.
    """
    rng, several = random.Random(seed), 32 * size
    while True:
        order = rng.sample(texts, len(texts))
        for start in range(0, len(order), several):
            near = sorted(order[start : start + several], key=lambda text: len(text.split()))
            groups = [near[first : first + size] for first in range(0, len(near), size)]
            rng.shuffle(groups)
            for group in groups:
                yield vocabulary.batch(group)


def loss_of(model, inputs, targets):
    return language_model_loss(model(inputs), targets)


def grammar_loss(texts):
    """What the grammar itself, which knows each true
    probability, needs for these texts, in nats per token.
    """
    tokens = sum(len(text.split()) + 1 for text in texts)  # with <eos>
    return -sum(corpora.log_probability(text) for text in texts) / tokens


# %% [markdown]
# Two optimizers share the parameters: your AdamW moves the embeddings, biases and norms, **Muon** the blocks'
# matrices (Jordan et al. 2024). In a matrix's gradients a few directions are far longer than the others. Muon makes
# all about equally long. It scales the running mean $M$ of the gradients to length 1 and puts it through a
# polynomial five times (*Newton–Schulz*):
#
# $$M \leftarrow 0.95\,M + 0.05\,G \qquad X = M / \lVert M \rVert$$
#
# $$X \leftarrow aX + bXX^\top X + c\,(XX^\top)^2 X \quad \text{five times}$$
#
# $$W \leftarrow W - \eta X$$
#
# with $a$ = 3.44, $b$ = −4.78, $c$ = 2.03. The singular vectors stay, and each singular value $s$ becomes
# $as + bs^3 + cs^5$, until all are near 1: $X$ is nearly orthogonal. (Ours also looks one gradient ahead, like
# Nesterov's momentum, and moves tall matrices by $\sqrt{\text{rows}/\text{columns}}$ times as much.)

# %% draw=true
# The singular values of a gradient, and of Muon's move
with waiting_for("Exercises 8.2 and 8.3"):
    now, then = inputs_and_targets(held_out[:20])
    loss_of(untrained, now, then).backward()
    show(adam.directions(untrained.blocks[0].feed_forward.W_up.weight.grad))

# %% [markdown]
# (`python -m benchmarks.training_pretraining --adamw` compares with AdamW alone.) `training.on_all_cores` gives each
# core some rows of the batch.


# %%
def optimizer_of(model, positions=0.03, others=6e-3, matrices=0.014):
    """Muon and your AdamW as one, with a peak rate for each kind
    of parameter. Positions move further, since `embed` multiplies
    only the words by √C.
    """
    in_blocks, rest = matrices_and_rest(model)
    table = model.positions.weight
    groups = [
        {"params": [table], "lr": positions},
        {"params": [weight for weight in rest if weight is not table], "lr": others},
    ]
    yours = adam.ByHand(groups, adamw, betas=(0.9, 0.98), decay=0.05)
    return CombinedOptimizer(Muon(in_blocks, lr=matrices), yours)


# %%
@training.on_device
def pretrain(model, steps, batch_size=24, warmup=50):
    """Train on book reviews, with a live
    picture. An interrupted run resumes.
    """
    texts = [review.text for review in corpora.reviews(steps * batch_size, seed=1000)]
    drawn, spread = batches(texts, batch_size, seed=0), training.on_all_cores(loss_of)
    new_texts = [part[:50] for part in inputs_and_targets(held_out)]
    floor = grammar_loss(held_out_texts[:50])
    optimizer = optimizer_of(model)
    keep = training.Checkpoint("reviews", model=model, optimizer=optimizer)
    limits, apart = {"entropy": entropy}, {"above the grammar": "per cent"}
    live = training.Live(steps, "nats per token", limits, "Pretraining", apart=apart, keep=keep, data=drawn)
    for step in live:
        optimizer.set_rate(learning_rate(step, steps, warmup, 1.0))  # a share of each group's own peak
        batch = inputs_and_targets(next(drawn))
        live.add(training=training_step(model, optimizer, spread, batch))
        if step % max(1, steps // 8) == 0:
            with torch.no_grad():
                loss = float(spread(model, *new_texts))
                live.add(held_out=loss, above_the_grammar=100 * (loss / floor - 1))
                live.write(speak(model, "i read this", seed=step))
    return live


# %% [markdown]
# The picture shows the held-out loss beside the entropy, and on the right, how far it is above the grammar's, in
# per cent. If you interrupt the run, it resumes when you run its cell again. The weights are kept for lesson 9;
# `TRAIN_ANEW = True` trains again.

# %% predict="pretraining.limit"

# %% draw=true
TRAIN_ANEW, STEPS = False, 2900
model = None
with waiting_for("Exercises 8.2 to 8.10"), after_predicting("pretraining.limit"):
    if TRAIN_ANEW:
        training.forget("reviews")
    torch.manual_seed(0)
    fresh = new_model(len(vocabulary), 96, 4, 2, 100)
    loss_of(fresh, *inputs_and_targets(held_out[:1])), learning_rate(1, 2, 1, 1.0)  # are they written?
    adamw(*torch.ones(4, 1), 1, 0.1)
    if not training.recall("reviews", fresh):
        training.keep("reviews", fresh, pretrain(fresh, training.steps(STEPS)))
    model = fresh.eval()

# %% [markdown] reveals="pretraining.limit"
# With three seeds the model's loss was {measured.training_pretraining.all.above_the_grammar:.1f} to
# {measured.training_pretraining.all.above_the_grammar.2:.1f} % above the grammar's on 600 new reviews
# (`python -m benchmarks.training_pretraining --seeds 2 3 4`). No text is read
# twice, so none can be memorised.

# %%
training.kept()  # what is kept on this computer; training.forget("reviews") removes a model

# %% [markdown]
# How good is it beside the grammar itself, on the same 200 held-out reviews?

# %% draw=true
# Your model, beside the grammar and the models without a network
with waiting_for("the training in 8.11"), torch.no_grad():
    trained(model)
    read, wanted = inputs_and_targets(held_out)
    fifties = [(model(read[start : start + 50]), wanted[start : start + 50]) for start in range(0, 200, 50)]
    losses = torch.tensor([float(language_model_loss(*part)) for part in fifties])
    tokens = torch.tensor([int((part[1] != -100).sum()) for part in fifties])
    found = perplexity(losses, tokens)
    best = grammar_loss(held_out_texts)
    print(f"on {tokens.sum():,} held-out tokens: your model {math.log(found):.3f}, the grammar {best:.3f}")
    print(
        f"that is {math.log(found) / best:.3f} times as much; perplexities {found:.2f} and {math.exp(best):.2f}"
    )
    steps_up["your model"] = math.log(found)
    show(explorers.ladder(steps_up, entropy))

# %% [markdown]
# ## 8.12 Four runs
#
# **Why.** A training run can fail silently. Of these four runs of a small model, one is fine. In the others the model
# isn't causal, or it saw 40 texts again and again, or the optimizer's step was left out.

# %% draw=true
# Four runs: which one is sound?
show(explorers.four_runs(entropy))

# %% [markdown]
# **Exercise 8.12** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Say what happened in each run.** Write `"all is well"`, `"an answer leaks into the input"`, `"it has learned its
# few texts by heart"` or `"nothing is learned"` in place of each `...`.
#
# <details><summary>Hint 1</summary>How can a run get below the entropy, on texts never seen?</details>
# <details><summary>Hint 2</summary>Where the two lines part, what does the model know that isn't true of other
# texts?</details>
# <details><summary>The idea</summary>Below the dashed line on new texts: cheating. Lines that part: learning by
# heart, or <em>overfitting</em>. A flat line: nothing moves. The one that is left is fine.</details>

# %% exercise="pretraining.diagnosis"
happened = {"run A": ..., "run B": ..., "run C": ..., "run D": ...}
### BEGIN SOLUTION
happened = {
    "run A": "an answer leaks into the input",
    "run B": "it has learned its few texts by heart",
    "run C": "all is well",
    "run D": "nothing is learned",
}
### END SOLUTION

# %% check="pretraining.diagnosis"
check("pretraining.diagnosis", happened)


# %% [markdown]
# ## 8.13 What it knows
#
# What has the model learned about grammar?


# %% draw=true
# What comes after the opening of a review
def next_probabilities(text):
    """What comes after a text, (V,)."""
    with torch.no_grad():
        return trained(model)(vocabulary.batch([text], eos=False))[0, -1].softmax(-1)


with waiting_for("the training in 8.11"):
    before = "this short fairy tale by george tanaka follows alma , a restless wizard beyond the"
    show(explorers.next_words(next_probabilities(before), title=f"... {before[-28:]} ..."))

# %% [markdown]
# Now three pairs of beginnings, which differ in the number of the subject, in the hero, and in the author, named
# seventeen tokens back.

# %% draw=true
# What number, hero and author do to the next word
HE = explorers.OPENING.format("george tanaka")
with waiting_for("the training in 8.11"):
    axes = plots.panels(3, width=3.5, height=2.9)
    for ax, (title, (words, texts)) in zip(axes, explorers.PAIRS.items(), strict=True):
        found = {name: next_probabilities(text) for name, text in texts.items()}
        chances = {name: [float(p[vocabulary.ids[word]]) for word in words] for name, p in found.items()}
        two_prompts(words, chances, title=title, ax=ax)
    show(axes[0])

# %% [markdown]
# How does it know? Below are the attention weights at *book* in *the jokes that carry the book*, where *are* is due:
# a row for each head.

# %% draw=true
# Which words each head looks at where a verb is due
with waiting_for("the training in 8.11"), torch.no_grad():
    asked, looked = HE + "the jokes that carry the book", []
    trained(model)(vocabulary.batch([asked], eos=False), weights=looked)
    last = torch.cat([layer[0, :, -1, -7:] for layer in looked])  # (layers · heads, 7)
    heads = [f"block {layer}, head {head}" for layer in (1, 2) for head in range(4)]
    title = "What the last position looks at"
    ax = plots.heatmap(last, heads, asked.split()[-7:], title=title)
    ax.set(xlabel="looked at", ylabel="")
    show(ax)
    to_noun = last[:, 2].max()
    print(f"the head that looks most at 'jokes' gives it {to_noun:.2f} of its attention")


# %% [markdown]
# Is there a row with a bright cell at *jokes*? That head looks past *that carry the book* at the noun that
# decides. (Whether the model *uses* it is a different question, as in 2.10.)
#
# **Question 8.13** · graded by hand · 8 minutes · 5 points
#
# Why can a language model be trained on unlabelled text, at all its positions in one pass? What would happen to the
# loss without the causal mask, and why would the model then be useless? Why can't the held-out loss be clearly below
# the entropy? Use what you measured.

# %% [markdown] written="pretraining.why_it_works" points=5
# ### BEGIN SOLUTION
# **Model answer.** The target of each position is the token after it, so the text labels itself. With the causal mask,
# the weights of later positions are 0, so the output at a position depends only on that position and those before
# it. Each position is then an honest exercise, and one pass gives the loss of all of them: in 8.7 the logits of one
# pass and of T passes agreed. Without the mask a position could look at the very token that it has to predict. The
# loss would go below the entropy, towards zero, in training and on held-out text (run A), but in writing there is
# no next token to copy, so nothing useful would have been learned. The entropy is the average surprise of somebody
# who knows the true probabilities; with any others the surprise is larger on average (the difference is the
# Kullback-Leibler divergence, which is never negative). So a held-out loss clearly below it means a leak. Ours
# stayed a few per cent above.
#
# **Rubric**
# - 1 point: the targets are the next tokens, so no labels are needed.
# - 1 point: with the mask, no position sees its target, so all positions can be trained in one pass.
# - 1 point: without it, the loss goes towards zero by copying.
# - 1 point: when it writes there is nothing to copy, so such a model is of no use.
# - 1 point: nobody does better than the true probabilities on average, so the entropy is a limit; a measured number.
# - "The mask is there to save time", without the leak, loses the second point and no other.
# ### END SOLUTION

# %% [markdown]
# ## 8.14 Temperature
#
# **Why.** A model gives probabilities; writing takes decisions. *Greedy* takes the most probable token each time,
# and writes the same text again and again. If tokens are drawn, now and then one of the hundreds of wrong ones
# comes up.
#
# **Formula.** Between the two lies a **temperature** τ: divide the logits by it, then take the softmax. Below 1,
# likely tokens become likelier; towards 0 the rule becomes greedy.
#
# **By hand.** Logits 0 and 0.69: probabilities 1/3 and 2/3. With τ = 0.5 the logits are 0 and 1.39, the odds 1 to 4:
# 0.2 and 0.8. With τ = 2: 0 and 0.35, 0.41 and 0.59. With τ = 0: 0 and 1.
#
# **Exercise 8.14** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return the probabilities at a temperature; at temperature 0 the likeliest token has probability 1.**
#
# <details><summary>Hint 1</summary>Dividing by 0 gives NaN. What do a row's probabilities approach as τ gets
# small?</details>
# <details><summary>Hint 2</summary><code>torch.nn.functional.one_hot</code> makes rows with a single 1, in
# integers. Which dtype should come back?</details>
# <details><summary>The idea</summary>The temperature stretches the gaps between the logits, or shrinks them. At 0
# the largest logit wins everything.</details>


# %% exercise="pretraining.temperature"
def with_temperature(logits, temperature):
    """Probabilities at a temperature.

    Args:
        logits: (..., V).
        temperature: 0 is greedy, 1 changes nothing.

    Returns:
        Probabilities, (..., V).
    """
    ### BEGIN SOLUTION
    if temperature == 0:
        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.size(-1)).to(logits.dtype)
    return (logits / temperature).softmax(dim=-1)
    ### END SOLUTION


# %% check="pretraining.temperature"
check("pretraining.temperature", with_temperature)


# %% [markdown]
# ## 8.15 Top-k
#
# **Why.** To keep out the hundreds of wrong tokens, only the *k* most probable may be drawn (Fan et al. 2018,
# section 5.4). The others get 0, and the rest is scaled to sum to 1 again.
#
# **By hand.** Probabilities 0.1, 0.5, 0.3, 0.1 and k = 2: 0, 0.5, 0.3, 0 are left, their sum is 0.8, so **0, 0.625,
# 0.375, 0**.
#
# **Exercise 8.15** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Keep the k most probable tokens of each row, and return their probabilities so that they sum to 1.**
#
# No two probabilities of a row are equal.
#
# <details><summary>Hint 1</summary><code>torch.topk</code> gives the k largest values. Which of them is a
# threshold?</details>
# <details><summary>Hint 2</summary>The answer has V numbers in each row, each token in its own place. What takes
# the place of those below the threshold?</details>
# <details><summary>The idea</summary>The k best keep their places and their proportions, and share all of the
# probability.</details>


# %% exercise="pretraining.top_k"
def top_k(probabilities, k):
    """Keep only the k most probable tokens of each row.

    Args:
        probabilities: (..., V).
        k: how many tokens are kept.

    Returns:
        Probabilities, (..., V); each row sums to 1.
    """
    ### BEGIN SOLUTION
    least = probabilities.topk(k, dim=-1).values[..., -1:]
    kept = probabilities.masked_fill(probabilities < least, 0)
    return kept / kept.sum(dim=-1, keepdim=True)
    ### END SOLUTION


# %% check="pretraining.top_k"
check("pretraining.top_k", top_k)


# %% [markdown]
# ## 8.16 The nucleus
#
# **Why.** A dozen words can follow *plot*, and several dozen can follow *is*: a fixed k is too large for one or too
# small for the other. The **nucleus** adapts (Holtzman et al. 2020): the smallest set of most probable
# tokens that together reach p (*top-p*).
#
# **By hand.** Probabilities 0.1, 0.5, 0.3, 0.1 and p = 0.7. Largest first: 0.5, not yet; 0.5 + 0.3 = 0.8, reached. Both
# are kept, the one that reaches p as well: **0, 0.625, 0.375, 0**. With p = 0.4 the first one is enough: 0, 1, 0, 0.
#
# **Exercise 8.16** · difficulty 4 of 5 · 12 minutes · 3 points
#
# **Keep the smallest set of most probable tokens that reaches p, rescaled so that each row sums to 1.**
#
# <details><summary>Hint 1</summary>Sort from large to small and add up: <code>sort(descending=True)</code> and
# <code>cumsum</code>. If a token stays, what holds for the sum of those <em>before</em> it?</details>
# <details><summary>Hint 2</summary><code>sort</code> also says where each value was. How does <code>scatter</code>
# put the values back there?</details>
# <details><summary>The idea</summary>From the largest down, take tokens until p is reached. In their old places,
# these share all of the probability.</details>


# %% exercise="pretraining.nucleus"
def nucleus(probabilities, p):
    """The fewest most probable tokens
    of each row that together reach p.

    Args:
        probabilities: (..., V).
        p: the share to be reached, up to 1.

    Returns:
        Probabilities, (..., V); each row sums to 1.
    """
    ### BEGIN SOLUTION
    ordered, places = probabilities.sort(dim=-1, descending=True)
    before = ordered.cumsum(dim=-1) - ordered
    kept = torch.zeros_like(probabilities).scatter(-1, places, ordered.masked_fill(before >= p, 0))
    return kept / kept.sum(dim=-1, keepdim=True)
    ### END SOLUTION


# %% check="pretraining.nucleus"
check("pretraining.nucleus", nucleus)


# %% [markdown]
# ## 8.17 Drawing a token
#
# Lay the probabilities end to end on a line from 0 to 1, and drop a uniform random number onto it. The longer a
# token's piece, the more often it is hit.
#
# **By hand.** Probabilities 0.2, 0.5, 0.3 end at 0.2, 0.7, 1. The number 0.65 falls on token 1; 0.1 on token 0; 0.9 on
# token 2.
#
# **Exercise 8.17** · difficulty 2 of 5 · 6 minutes · 1 point
#
# **Return the token that each uniform number falls on.**
#
# Rounding can leave the sum of all probabilities a little below 1. A number beyond it belongs to the last token.
#
# <details><summary>Hint 1</summary>Where does each token's piece of the line end? (<code>cumsum</code>)</details>
# <details><summary>Hint 2</summary>If the number falls on token 1, how many ends lie at or below it?</details>
# <details><summary>The idea</summary>Count the ends that the number has passed: that is the token.</details>


# %% exercise="pretraining.draw"
def draw(probabilities, uniform):
    """The tokens that uniform random numbers fall on.

    Args:
        probabilities: (..., V).
        uniform: from 0 up to but not 1, (...).

    Returns:
        Tokens, integers, (...).
    """
    ### BEGIN SOLUTION
    ends = probabilities.cumsum(dim=-1)
    return (ends <= uniform.unsqueeze(-1) * ends[..., -1:]).sum(dim=-1)
    ### END SOLUTION


# %% check="pretraining.draw"
check("pretraining.draw", draw)


# %% [markdown]
# ## 8.18 It writes
#
# Every chat program runs this loop. With a cache only the new token goes through the model.


# %%
@torch.no_grad()
def generate(model, prompts, rule, seed=0):
    """Keep writing until all texts have
    ended, or the model has no more positions.

    prompts: (B, T). rule: logits (B, V) to probabilities (B, V).
    """
    generator, ids, cache = torch.Generator().manual_seed(seed), prompts, [{} for _ in model.blocks]
    logits = model(ids, cache)[:, -1]
    while ids.size(1) < model.positions.num_embeddings:
        new = draw(rule(logits), torch.rand(len(ids), generator=generator)).unsqueeze(-1)
        ids = torch.cat([ids, new], dim=1)
        if (ids == corpora.EOS).any(dim=1).all():
            break
        logits = model(new, cache)[:, -1]
    return [vocabulary.decode(row) for row in ids]


# %% draw=true
# A review by each of four rules
RULES = {
    "greedy": lambda logits: with_temperature(logits, 0),
    "temperature 0.8": lambda logits: with_temperature(logits, 0.8),
    "temperature 1": lambda logits: with_temperature(logits, 1),
    "temperature 1.3": lambda logits: with_temperature(logits, 1.3),
    "top-k 20": lambda logits: top_k(with_temperature(logits, 1), 20),
    "nucleus 0.9": lambda logits: nucleus(with_temperature(logits, 1), 0.9),
}

with waiting_for("the training in 8.11 and Exercises 8.14 to 8.17"):
    begun = torch.full((1, 1), corpora.BOS)
    for name in ("greedy", "temperature 0.8", "nucleus 0.9", "temperature 1.3"):
        print(f"{name}:\n  {generate(trained(model), begun, RULES[name], seed=1)[0]}\n")

# %% [markdown]
# Grey bars are the model's probabilities, blue ones what your rules leave. Try temperature 2, then lower top-p.

# %% draw=true
# Explore: which words are left to draw from
explorers.next_word_explorer(model, with_temperature, top_k, nucleus, draw)

# %% [markdown]
# **In one file.** As in 6.14, `SHARE = True` writes your model as a web page, `my_model.html`.

# %% draw=true
# Your model as a page to keep or to send
SHARE, NAME = False, ""
with waiting_for("the training in 8.11"):
    trained(model)
    if SHARE:
        sharing.share("reviews", model, NAME, whose)
    else:
        print("SHARE is False: no page is written.")

# %% [markdown]
# Each rule writes a hundred reviews, and the grammar tries to parse them. Texts should vary, too: how many different
# words are among the first 2,000?

# %% predict="pretraining.settings"

# %% draw=true
# How many sentences are grammatical, by rule
with waiting_for("the training in 8.11 and Exercises 8.14 to 8.17"), after_predicting("pretraining.settings"):
    many = torch.full((training.steps(2000) // 20, 1), corpora.BOS)
    shares = {}
    for name, rule in RULES.items():
        written = generate(trained(model), many, rule, seed=2)
        lines = [sentence for text in written for sentence in corpora.sentences(text)]
        shares[name] = sum(map(corpora.is_grammatical, lines)) / len(lines)
        different = len(set(" ".join(written).split()[:2000]))
        percent = f"{100 * shares[name]:5.1f} % of {len(lines)} sentences"
        print(f"{name:<16} {percent}, {different} different words")
    names = [name.replace(" ", "\n") for name in shares]
    title, shown = "Grammatical sentences, by rule", {"share": list(shares.values())}
    ax = plots.bars(names, shown, ylabel="share", title=title, ax=plots.panels(1, width=7.4, height=3)[0])
    ax.set_ylim(0, 1.1)
    show(ax)

# %% [markdown] reveals="pretraining.settings"
# In our run (8.11's benchmark) {measured.training_pretraining.temperature_0_8.grammatical_sentences} of the
# sentences at temperature 0.8 were grammatical,
# {measured.training_pretraining.temperature_1.grammatical_sentences} at 1 and
# {measured.training_pretraining.temperature_1_3.grammatical_sentences} at 1.3. Greedy writes the same text a
# hundred times. With the nucleus, {measured.training_pretraining.nucleus_0_9.grammatical_sentences} were: the
# damage at temperature 1 comes from the long tail of small probabilities.

# %% [markdown]
# **Question 8.18** · graded by hand · 5 minutes · 3 points
#
# A friend's model writes birthday poems. They should be correct, but never the same twice. Would you choose the
# words greedily, with a temperature, by top-k or by the nucleus? What goes wrong with the others, by what you
# measured? By which numbers would you choose the setting?

# %% [markdown] written="pretraining.which_rule" points=3
# ### BEGIN SOLUTION
# **Model answer.** Nucleus with p around 0.9, or temperature around 0.8. Greedy is correct, but writes the same text
# each time. At temperature 1.3 we saw far fewer grammatical sentences, since hundreds of wrong tokens get a share.
# Top-k keeps k tokens whatever the probabilities are: too many where the model is sure, too few where much is right;
# the nucleus adapts. To choose the setting, look at both sides: the share of grammatical sentences, and a measure of
# variety, such as the number of different words. One of them alone would choose greedy or noise.
#
# **Rubric**
# - 1 point: a choice, and what is wrong with greedy and with a high temperature.
# - 1 point: figures that the student measured.
# - 1 point: two measures for the setting, one of correctness and one of variety.
# - A choice other than ours is fine if its reason fits the figures.
# ### END SOLUTION

# %% [markdown]
# ## 8.19 Tokens of your own: byte-pair encoding
#
# **Why.** So far a token was a word, but real text has more words than any table. Letters can write any word, but
# make texts about four times as long. **Byte-pair encoding** is in between (Sennrich et al. 2016). Begin with
# letters. Count which two tokens occur side by side most often, and make them one. Repeat.
#
# **By hand.** A text has *low* five times, *lower* twice and *slow* once. As tokens with spaces between them:
#
# | word | times | pairs |
# | --- | --- | --- |
# | `l o w` | 5 | `l o`, `o w` |
# | `l o w e r` | 2 | `l o`, `o w`, `w e`, `e r` |
# | `s l o w` | 1 | `s l`, `l o`, `o w` |
#
# `l o` and `o w` occur 8 times each, `w e` and `e r` 2 times, `s l` once. Merge `l o`: `lo w`, `lo w e r`, `s lo w`.
#
# **Exercise 8.19a** · difficulty 2 of 5 · 7 minutes · 2 points
#
# **Return how often each pair of neighbouring tokens occurs.**
#
# <details><summary>Hint 1</summary><code>word.split()</code> gives the tokens. How many pairs do n tokens have?</details>
# <details><summary>Hint 2</summary>If a word occurs 5 times, how often do its pairs occur?</details>
# <details><summary>The idea</summary>Every pair of neighbours counts as often as its word occurs.</details>


# %% exercise="pretraining.count_pairs"
def count_pairs(words):
    """How often each pair of tokens occurs side by side.

    Args:
        words: {word: how often it occurs}. A word is its tokens with
            spaces between them: "lo w e r".

    Returns:
        {pair: how often it occurs}. A pair is two tokens with a space
        between them: "lo w".
    """
    ### BEGIN SOLUTION
    counts = {}
    for word, times in words.items():
        tokens = word.split()
        for at in range(len(tokens) - 1):
            pair = f"{tokens[at]} {tokens[at + 1]}"
            counts[pair] = counts.get(pair, 0) + times
    return counts
    ### END SOLUTION


# %% check="pretraining.count_pairs"
check("pretraining.count_pairs", count_pairs)

# %% [markdown]
# Now merge a pair wherever it occurs in a word, from left to right: `a a a` becomes `aa a`. Only whole tokens count:
# in `xl o w` there is no `l o`.
#
# **Exercise 8.19b** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return the word with each occurrence of the pair merged into one token.**
#
# <details><summary>Hint 1</summary>What would <code>word.replace</code> do to <code>xl o w</code>? It knows no
# tokens.</details>
# <details><summary>Hint 2</summary>After a merge, where do you look next?</details>
# <details><summary>The idea</summary>Walk through the tokens: take two at once where they are the pair, else
# one.</details>


# %% exercise="pretraining.merge_pair"
def merge_pair(word, pair):
    """A word in which each place of a pair
    has become one token, from left to right.

    Args:
        word: its tokens with spaces between them: "l o w e r".
        pair: two tokens with a space between them: "l o".

    Returns:
        The word: "lo w e r".
    """
    ### BEGIN SOLUTION
    tokens, wanted = word.split(), pair.split()
    merged, at = [], 0
    while at < len(tokens):
        found = tokens[at : at + 2] == wanted
        merged.append("".join(wanted) if found else tokens[at])
        at += 2 if found else 1
    return " ".join(merged)
    ### END SOLUTION


# %% check="pretraining.merge_pair"
check("pretraining.merge_pair", merge_pair)

# %% [markdown]
# A tie goes to the pair whose tokens are older; letters are the oldest, in alphabetical order. Do you get the merges
# of the library `tokenizers`?


# %%
def learn_merges(words, count):
    """The `count` merges that byte-pair encoding
    learns from {word: times}, in order.
    """
    first = sorted({token for word in words for token in word.split()})
    merges, age = [], {token: number for number, token in enumerate(first)}
    for _ in range(count):
        counts = count_pairs(words)
        best = max(counts, key=lambda pair: (counts[pair], *(-age[token] for token in pair.split())))
        merges.append(best)
        age.setdefault(best.replace(" ", ""), len(age))
        words = {merge_pair(word, best): times for word, times in words.items()}
    return merges


# %% draw=true
# Your merges, and the library's
with waiting_for("Exercises 8.19a and 8.19b"):
    texts = [review.text for review in corpora.reviews(2_000, seed=7)]
    times = {}
    for word in " ".join(texts).split():
        times[" ".join(word)] = times.get(" ".join(word), 0) + 1
    merges = learn_merges(times, 300)
    library = corpora.library_merges(texts, 300)
    print(f"{len(times)} different words; the first merges:", ", ".join(merges[:12]))
    print("and the last:", ", ".join(merges[-6:]))
    same = sum(mine == theirs for mine, theirs in zip(merges, library, strict=True))
    print(f"{same} of {len(library)} are those of the library")

# %% [markdown]
# Frequent words soon become tokens, rare ones stay in pieces. A new word is encoded by the same merges in the same
# order.
#
# **By hand.** With the merges `l o`, `lo w`: *slower* is `s l o w e r`, then `s lo w e r`, then `s low e r`.
#
# **Exercise 8.19c** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return the tokens of a word.**
#
# <details><summary>Hint 1</summary>What are a word's tokens before any merge?</details>
# <details><summary>Hint 2</summary>You have a function that merges one pair. In which order are the pairs
# merged?</details>
# <details><summary>The idea</summary>Letters; then each merge, in the order in which they were learned.</details>


# %% exercise="pretraining.encode_word"
def encode_word(word, merges):
    """The tokens of a word.

    Args:
        word: "lower".
        merges: pairs in the order in which
            they were learned: ["l o", "lo w"].

    Returns:
        The word's tokens with spaces between them: "low e r".
    """
    ### BEGIN SOLUTION
    tokens = " ".join(word)
    for pair in merges:
        tokens = merge_pair(tokens, pair)
    return tokens
    ### END SOLUTION


# %% check="pretraining.encode_word"
check("pretraining.encode_word", encode_word)

# %% [markdown]
# Each merge costs one more row of the embedding: for GPT-2 small, 768 numbers. It buys shorter texts, measured here
# on new reviews:

# %% predict="pretraining.merges"

# %% draw=true
# Three words as tokens, and tokens per word
with waiting_for("Exercises 8.19a to 8.19c"), after_predicting("pretraining.merges"):
    for word in ("beautifully", "unfilmable", "gravediggers"):
        print(f"{word:<13} {encode_word(word, merges)}")
    unseen = " ".join(review.text for review in corpora.reviews(200, seed=8)).split()
    sizes, per_word = (0, 30, 100, 300), []
    for size in sizes:
        tokens = {word: len(encode_word(word, merges[:size]).split()) for word in set(unseen)}
        per_word.append(sum(tokens[word] for word in unseen) / len(unseen))
        print(f"{size:>4} merges: {per_word[-1]:.2f} tokens per word")
    title = "Tokens per word, on new reviews"
    ax = plots.bars([str(n) for n in sizes], {"tokens per word": per_word}, ylabel="tokens", title=title)
    ax.set_xlabel("merges")
    show(ax)

# %% [markdown] reveals="pretraining.merges"
# The first merges shorten texts a lot, later ones less and less.

# %% [markdown]
# ### Bytes instead of letters
#
# A letter that no review has, such as φ, has no token. GPT-2 therefore begins with bytes (Radford et al. 2019,
# section 2.2): UTF-8 writes every text with 256 of them. Your functions need no change: written as two hexadecimal
# digits each, bytes are tokens like any other. φ is `cf 86`, and 🙂 is `f0 9f 99 82`.
#
# **By hand.** The tokens `c3a9 74 c3 a9` are *été*. The last é is in two tokens, and neither is a character.
#
# **Exercise 8.19d** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Return the text of byte tokens.** Bytes that aren't UTF-8, such as half a character, show as �.
#
# <details><summary>Hint 1</summary><code>bytes.fromhex("c3a9 74")</code> gives bytes. Can you decode each token by
# itself?</details>
# <details><summary>Hint 2</summary>What can <code>errors=</code> of <code>decode</code> be?</details>
# <details><summary>The idea</summary>All bytes in a row first; then characters.</details>


# %% exercise="pretraining.decode_bytes"
def decode_bytes(tokens):
    """The text that byte tokens spell.

    Args:
        tokens: with spaces between them, each one byte or several,
            as two hexadecimal digits: "c3a9 74 c3 a9".

    Returns:
        The text; what isn't valid UTF-8 becomes "\ufffd".
    """
    ### BEGIN SOLUTION
    return bytes.fromhex(tokens).decode(errors="replace")
    ### END SOLUTION


# %% check="pretraining.decode_bytes"
check("pretraining.decode_bytes", decode_bytes)

# %% draw=true
# A text with unknown letters, as byte tokens and back
with waiting_for("Exercises 8.19a to 8.19d"):
    in_bytes = {word.replace(" ", "").encode().hex(" "): count for word, count in times.items()}
    byte_merges = learn_merges(in_bytes, 100)
    sample = "the plot is όμορφη 🙂"
    tokens = sample.encode().hex(" ")
    for pair in byte_merges:
        tokens = merge_pair(tokens, pair)
    print("letters without a token:", *sorted(set(sample) - set("".join(times))))
    print(f"{len(sample)} characters, {len(sample.encode())} bytes, {len(tokens.split())} tokens: {tokens}")
    print("back again:", decode_bytes(tokens), "· exactly:", decode_bytes(tokens) == sample)
    print("without the last token:", decode_bytes(tokens.rsplit(" ", 1)[0]))

# %% [markdown]
# Losses per token can't be compared between models with different tokens. So use **bits per character**: the loss
# of the whole text in nats, divided by $\ln 2$ and by its number of characters.

# %% [markdown]
# ## 8.20 How large a model for how much computing?
#
# **Why.** In a given time a large model reads few tokens, a small one many. Which one ends closer to the entropy?
# With 6 operations for each weight and token (7.16), a budget of $F$ operations buys
#
# $$D = \frac{F}{6N} \quad\text{tokens for a model of}\quad N \quad\text{weights.}$$
#
# Below are 16 training runs: four budgets, each with four models of 8 to 128 channels. What counts is the gap, the
# loss above the entropy. (Measured beforehand, one seed each.)
#
# The gaps of one budget form a valley: near its bottom, roughly a parabola in the *logarithms* of both (as in the
# *IsoFLOP profiles* of Hoffmann et al. 2022, section 3.2, who fit the loss itself). The slope of $ax^2 + bx + c$ is
# 0 at $x = -b/2a$, so the best size is $e^{-b/2a}$.


# %%
def bottom(runs):
    """The best size by runs of one budget."""
    x, y = np.log([run.weights for run in runs]), np.log([run.gap for run in runs])
    a, b, _ = np.polyfit(x, y, 2)
    return math.exp(-b / (2 * a))


# %% predict="pretraining.valley"

# %% draw=true
# Four valleys, and the bottom of each
runs, best = scaling.kept(), {}
with waiting_for("your prediction"), after_predicting("pretraining.valley"):
    for flops in sorted({run.flops for run in runs}):
        best[flops] = bottom([run for run in runs if run.flops == flops])
        print(f"{flops:.0e} operations: best with {best[flops]:,.0f} weights")
    show(scaling.valleys(runs, best))

# %% [markdown] reveals="pretraining.valley"
# The smallest models can't hold all that so many tokens teach, and the largest have read too few. From the smallest
# budget to one thirty times as large, the gap of the best model tried has fallen from
# {measured.training_pretraining_scaling.1e_11_20_736.above_the_entropy:.2f} to
# {measured.training_pretraining_scaling.3e_12_156_672.above_the_entropy:.2f}.

# %% [markdown]
# **A budget of your own.** The four models of the smallest budget again, from a different seed, in about a minute
# on one core. How far your points lie from the course's is chance.

# %% draw=true
# Your budget of 10¹¹ operations, in the course's picture
with waiting_for("your prediction"), after_predicting("pretraining.valley", told=False):
    yours = scaling.measure([1e11], seed=1, keep="own budget")
    ax = scaling.valleys(runs, best)
    sizes, gaps = [run.weights for run in yours], [run.gap for run in yours]
    told = ", ".join(f"{run.gap:.3f} with {run.weights:,}" for run in yours)
    plots.yours(ax, sizes, gaps, f"Yours, 1e+11 operations: {told}")
    show(ax)
    print(f"best with {bottom(yours):,.0f} weights by your runs, {best[1e11]:,.0f} by the course's")

# %% [markdown]
# ### Weights or tokens
#
# **Why.** An expensive training run has to be planned from smaller ones. In logarithms, the best sizes of four
# budgets lie near a line, so they grow as a power of the budget: $N_\text{best} \propto F^a$, a *scaling law*.
#
# **By hand.** With budgets 10 and 1,000 the best sizes are 3 and 30. A hundredfold budget, a tenfold size: $a$ = 0.5. For 100,000
# the size is **300**, and the tokens are 100,000 / (6 · 300) = **55.6**.
#
# **Exercise 8.20** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Return the best size for a new budget, by a line through the logarithms, and how many tokens it can read.**
#
# <details><summary>Hint 1</summary>A line by least squares: <code>np.polyfit(x, y, 1)</code>, or 5.8's fitted exponent and an
# offset.</details>
# <details><summary>Hint 2</summary>Size times tokens times 6 is the budget. How many tokens does that
# leave?</details>
# <details><summary>The idea</summary>The line gives the size, the budget the tokens.</details>


# %% exercise="pretraining.compute_optimal"
def compute_optimal(budgets, best, flops):
    """What to train for a new budget.

    Args:
        budgets: floating-point operations, (K,), float64, two or more.
        best: the best size for each, (K,), float64.
        flops: the budget that is asked for, a number.

    Returns:
        The number of weights, by the line through the logarithms, and
        the number of tokens that it can read.
    """
    ### BEGIN SOLUTION
    slope, offset = np.polyfit(budgets.log(), best.log(), 1)
    size = math.exp(slope * math.log(flops) + offset)
    return size, flops / (6 * size)
    ### END SOLUTION


# %% check="pretraining.compute_optimal"
check("pretraining.compute_optimal", compute_optimal)

# %% draw=true
# What three budgets are best spent on
with waiting_for("Exercise 8.20"), after_predicting("pretraining.valley", told=False):
    known = [torch.tensor(list(values), dtype=torch.float64) for values in (best.keys(), best.values())]
    power = math.log(compute_optimal(*known, 1e14)[0] / compute_optimal(*known, 1e12)[0]) / math.log(100)
    print(f"the best size grows as the budget to the power {power:.2f}")
    for flops in (1e12, 3e13, 1e15):
        size, tokens = compute_optimal(*known, flops)
        print(f"{flops:.0e} operations: {size:,.0f} weights, {tokens:,.0f} tokens, {tokens / size:.0f} each")

# %% [markdown]
# In our runs the power was {measured.training_pretraining_scaling.the_budget.power:.2f}. It rests on sixteen models
# of one seed each, so don't take the second digit seriously.
#
# Larger budgets have led to different powers, too. Kaplan et al. (2020, section 6.1) found 0.73, Hoffmann et al.
# (2022, table 2) 0.46 to 0.50: size and tokens should grow alike, with some 20 tokens for each weight. Their
# Chinchilla, with a quarter of Gopher's weights and over four times its tokens, did better at the same cost. Porian
# et al. (2024) explain the difference: Kaplan left out the last layer's operations, warmed up too long for small
# models, and didn't tune the optimizer for each size.

# %% [markdown]
# ## 8.21 Shakespeare, with letters and with tokens of your own
#
# Here are 1.1 million characters of Shakespeare's plays. nanoGPT's README has a setting for a computer without a
# GPU: 4 layers, 4 heads, width 128, context 64, batches of 12, 2,000 steps; a token is a character, and the
# validation loss 1.88 nats after about three minutes (Karpathy 2022). Your model has the same sizes, batches and
# steps, and one thing more: Muon, where nanoGPT has AdamW alone. (The course's run reached
# {measured.training_pretraining_real_text.ours.validation_loss:.2f}, in
# {measured.training_pretraining_real_text.ours.seconds} seconds on two cores.)
#
# And with the tokens of 8.19? The same model, steps and seed, with 0, 256 and 1,024 merges:

# %% predict="pretraining.vocabulary"

# %% draw=true
# Letters and tokens on Shakespeare, measured beforehand
with waiting_for("Exercises 8.19a to 8.19c"), after_predicting("pretraining.vocabulary"):
    by_merges = plays.kept()
    for run in by_merges:
        print(
            f"{run.merges:>5,} merges: {run.parameters:,} parameters, {run.characters:.2f} characters per token,"
            f" {run.nats:.2f} nats per token, {run.bits:.2f} bits per character"
        )
    show(plays.bits_by_merges(by_merges))

# %% [markdown] reveals="pretraining.vocabulary"
# (One seed each; `python -m benchmarks.training_pretraining --tokens` makes these runs.) The nats per token
# grow with the vocabulary, since a longer token is harder to guess. The bits per character fall: from
# {measured.training_pretraining_tokens.0.bits_per_character:.2f} to
# {measured.training_pretraining_tokens.256.bits_per_character:.2f} with 256 merges, and to
# {measured.training_pretraining_tokens.1_024.bits_per_character:.2f} with 1,024. A token is then
# {measured.training_pretraining_tokens.256.characters_per_token} and
# {measured.training_pretraining_tokens.1_024.characters_per_token} characters long, so the same 64 positions reach
# farther, and the same steps read more text. The price, with 1,024 merges:
# {measured.training_pretraining_tokens.1_024.parameters} parameters in place of
# {measured.training_pretraining_tokens.0.parameters}, and fewer examples for each token's vector.

# %% [markdown]
# **A run of your own**, with a different seed. Set `SHAKESPEARE` in 8.1 to True. `MERGES = 0` takes letters; with
# 256, your functions of 8.19 learn the merges first, in a minute or more. How far your point lies from the course's
# bar shows how much is chance.


# %% draw="open"
def read_plays(text, merges):
    """The tokens of the plays as numbers,
    and the tokens that there are.
    """
    learning, unseen = plays.split(text)
    pairs = []
    if merges:
        times = {}
        for word in plays.words(learning):
            times[" ".join(word)] = times.get(" ".join(word), 0) + 1
        pairs = learn_merges(times, merges)
    tokens = sorted(set("".join(plays.words(learning)))) + [pair.replace(" ", "") for pair in pairs]
    number = {token: place for place, token in enumerate(tokens)}
    both = [plays.encoded(part, lambda word: encode_word(word, pairs)) for part in (learning, unseen)]
    return [torch.tensor([number[token] for token in part]) for part in both], tokens


@training.beside
def last_scores(model, line):
    return model(line[:, -64:])[:, -1].to("cpu")


def continued(model, line, count, seed=0):
    """A line of tokens (1, T), and the
    `count` that the model writes after it.
    """
    uniform = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for _ in range(count):
            probabilities = with_temperature(last_scores(model, line), 0.8)
            line = torch.cat([line, draw(probabilities, torch.rand(1, generator=uniform))[:, None]], dim=1)
    return line


@training.on_device
def train_on_plays(model, ids, tokens, steps=2000, context=64, batch_size=12):
    """Your parts, on Shakespeare, with what they write meanwhile."""
    optimizer, spread = optimizer_of(model, 3e-3, 3e-3, 0.02), training.on_all_cores(loss_of)
    keep = training.Checkpoint(f"plays_{len(tokens)}_{WIDTH}", model=model, optimizer=optimizer)
    limits = {"nanoGPT": 1.88} if len(tokens) < 100 else {}
    live = training.Live(steps, "nats per token", limits, "Shakespeare", keep=keep)
    start = torch.tensor([[tokens.index("¶")]])
    for step in live:
        optimizer.set_rate(learning_rate(step, steps, 100, 1.0))
        starts = torch.randint(len(ids) - context, (batch_size,)).tolist()
        rows = torch.stack([ids[start : start + context + 1] for start in starts])
        live.add(training=training_step(model, optimizer, spread, (rows[:, :-1], rows[:, 1:])))
        if step % max(1, steps // 8) == 0:
            live.write(plays.text_of(tokens[n] for n in continued(model, start, 60, seed=step)[0]))
    training.keep("plays", model, live, tokens)


# %% draw=true
MERGES, WIDTH = 0, 128  # or 256 merges; 80 wide fits a page to send
if not SHAKESPEARE:
    print("SHAKESPEARE is False, in 8.1: nothing is trained here.")
else:
    with waiting_for("Exercises 8.3 to 8.19"):
        text = corpora.load("tinyshakespeare")
        (ids, unseen), tokens = read_plays(text, MERGES)
        torch.manual_seed(1)  # the course's was 0
        playwright = new_model(len(tokens), WIDTH, 4, 4, 64)
        train_on_plays(playwright, ids, tokens, training.steps(2000))
        nats = plays.held_out_loss(playwright, unseen, loss_of)
        characters = len(plays.split(text)[1]) / len(unseen)
        bits = nats / math.log(2) / characters
        print(
            f"{nats:.3f} nats per token on all of the validation text; for letters, nanoGPT's README has 1.88"
        )
        print(f"{characters:.2f} characters per token: {bits:.3f} bits per character")
        show(plays.bits_by_merges(plays.kept(), (MERGES, bits)))
        line = continued(playwright, torch.tensor([[tokens.index("¶")]]), 300)
        print(plays.text_of(tokens[n] for n in line[0]))

# %% [markdown]
# **In one file.** A playwright with `WIDTH = 80` and letters has 0.3 million weights, and fits into a page of 2 MB:
# `SHARE = True` in 8.18 writes `my_model.html` (or, later, `headstart share plays` in a terminal).

# %% draw=true
# Your playwright as a page to keep or to send
if SHAKESPEARE and SHARE and WIDTH <= 80 and not MERGES:
    sharing.share("plays", playwright, NAME, whose)
else:
    print("No page is written: that takes SHAKESPEARE, SHARE, letters, and a WIDTH of at most 80.")

# %% [markdown]
# ## 8.22 What to remember
#
# - Text labels itself: the target is the next token. With a causal mask all positions are trained in one pass.
# - The loss is the mean surprise over real targets, in nats per token; $e$ to that power is the perplexity.
# - The entropy is the limit: a held-out loss clearly below it means a leak.
# - A training step: zero, forward, loss, backward, clip, step. The learning rate goes up, then down.
# - AdamW gives each number a step size of its own, and decays weights beside the gradient. Muon makes all directions
#   of a matrix about equally long.
# - Byte-pair encoding merges the most frequent neighbours. Over bytes, no text is unknown.
# - A model gives probabilities, not decisions: greedy, temperature, top-k and nucleus make them.
#
# **Sources.** Shannon 1948, *A mathematical theory of communication*. Brown et al. 2020, *Language models are
# few-shot learners*. Pascanu, Mikolov and Bengio 2013, *On the difficulty of training recurrent neural networks*.
# Kingma and Ba 2015, *Adam*. Loshchilov and Hutter 2019, *Decoupled weight decay regularization*. Fan, Lewis and
# Dauphin 2018, *Hierarchical neural story generation*. Holtzman et al. 2020, *The curious case of neural text
# degeneration*. Sennrich, Haddow and Birch 2016, *Neural machine translation of rare words with subword units*. Radford
# et al. 2019, *Language models are unsupervised multitask learners*.
# Devlin et al. 2019, *BERT*. Jordan et al. 2024, *Muon: an optimizer for hidden layers in neural networks*. Kaplan
# et al. 2020, *Scaling laws for neural language models*. Hoffmann et al. 2022, *Training compute-optimal large
# language models*. Porian et al. 2024, *Resolving discrepancies in compute-optimal scaling of language models*.
# Karpathy 2022, *nanoGPT*, README and `model.py`.
#
# In lesson 9 your model learns to tell praise from blame.
