# %% [markdown]
# # 11 · Translation, the whole Transformer
#
# - **You will learn** to build the model of the paper that started all this: an encoder reads, a decoder writes,
#   and cross-attention connects them. You train it, let it write, greedily and with beams, measure how good it is,
#   and see what it looks at. You make translations of your own, and at the end your model learns to say English
#   words.
# - **You need** lessons 1 to 4 (attention, heads, positions, masks), the block of lesson 6 and the training
#   loop of lesson 8. Blocks and the loop are given; you write what is new.
# - **Time** {minutes} minutes, in four sittings: 11.1 to 11.9, 11.10 to 11.13, 11.14 to 11.19, 11.20 to 11.25.
#   The first training takes less than a minute, the second about two.
#
# The first training is so quick because its sentences come from a small grammar. Real data come at the end: an English
# dictionary in 11.20, and German sentences, which take half an hour or more, in 11.24.

# %% setup=true
import itertools
import math
import time

import torch

from helpers import corpora, training
from helpers.checks import case, check
from helpers.corpora import BOS, EOS, PAD
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.models.blocks import Block, CrossAttention, FeedForward, SelfAttention, initialise
from helpers.positional import sinusoidal
from helpers.pretraining import optimizer_of, training_step
from helpers.timing import seconds
from helpers.translation import drawings, explorers, figures, sounds

torch.set_num_threads(1)  # the training has threads of its own, one a core

# %% [markdown]
# ## 11.0 Catch the slip
#
# Three short pieces on lessons 9 and 10. Each is right, or has one slip that is easy to make.

# %% recall="translation.recall_pack"

# %% recall="translation.recall_segments"

# %% recall="translation.recall_wilson"

# %% [markdown]
# ## 11.1 Two towers
#
# **Why.** A language model continues one text. A translator has two: one that is complete, and one that grows word
# by word. So the paper's model (Vaswani et al. 2017, section 3.1) has two halves.
#
# - The **encoder** reads the source sentence once, by self-attention: queries, keys and values all come from the
#   source's positions, and each word looks at all words, in both directions. Its output, a vector for each
#   source word, is the **memory**.
# - The **decoder** writes. Each of its blocks looks twice. In *masked self-attention* queries, keys and values
#   come from the words written so far. In *cross-attention* (lesson 1) the queries still come from the
#   decoder's positions, since those need the information, but keys and values come from the memory. Then comes
#   the feed-forward network.
#
# The languages of this lesson are English and an invented one, with a word order of its own.

# %% draw=true
# Four sentences and their translations
for text in explorers.SENTENCES[:4]:
    print(f"{text}\n    {corpora.translate(text)}")

# %% [markdown]
# The verb comes last, adjectives come after their nouns, and there are no articles. Endings say who does what to
# whom, and *old* is *zokur* for a person but *zokul* for a thing. So translating word by word won't do.

# %% [markdown]
# ## 11.2 The decoder block
#
# **Why.** This is the only part of the Transformer that you haven't built yet. It has three sublayers, each
# with a residual connection. As in lesson 6, each sublayer begins with a norm: *pre-norm* (6.8). The paper of
# 2017 normalised the sums instead (*post-norm*), which is why it needed a warm-up of the learning rate (Xiong
# et al. 2020).
#
# $$y \leftarrow y + \text{SelfAttention}(\text{norm}_1(y)) \qquad \text{causal}$$
# $$y \leftarrow y + \text{CrossAttention}(\text{norm}_2(y), \text{memory}) \qquad \text{padding hidden}$$
# $$y \leftarrow y + \text{FeedForward}(\text{norm}_3(y))$$
#
# **The parts** are given. You call them like this:
#
# - `self.attention(x, mask=None, causal=False, cache=None)`
# - `self.cross_attention(y, memory, mask=None, cache=None)`
# - `self.feed_forward(x)`
#
# **The caches.** When the decoder writes word by word, it needn't recompute old keys and values. `cache` is
# None or a pair of dicts: pass the first to the self-attention and the second to the cross-attention. They do
# the rest; 11.10 shows how.
#
# **Shapes.** y is (B, T_t, C), the memory (B, T_s, C): different lengths, the same width. The output is shaped like
# y.

# %% draw=true
# The encoder, the decoder, and what passes between them
show(drawings.two_towers())

# %% [markdown]
# **Exercise 11.2** · difficulty 3 of 5 · 15 minutes · 4 points
#
# **Write `forward`: masked self-attention, cross-attention, feed-forward network, each added to its input.**
#
# <details><summary>Hint 1</summary>Each line of the formula becomes one line of code. On its right side, y occurs
# twice: which of the two is normalised?</details>
# <details><summary>Hint 2</summary><code>memory_mask</code> says which source words are real. Which of the
# two attentions has source words as its keys, and which has to be causal?</details>
# <details><summary>The idea</summary>Attend to the words so far, then to the memory, then apply the network,
# and add each result. The memory isn't normalised again. Without a cache, both attentions get None.</details>


# %% exercise="translation.decoder_block"
class DecoderBlock(torch.nn.Module):
    """Masked self-attention, cross-attention,
    feed-forward network: pre-norm.

    Args:
        d_model: C.
        n_heads: H, a divisor of d_model.
        d_ff: hidden channels of the feed-forward network.
    """

    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        """One layer of the decoder.

        Args:
            y: (B, T_t, C); with a cache, the new positions alone.
            memory: the encoder's outputs, (B, T_s, C).
            memory_mask: boolean, broadcastable to (B, H, T_t, T_s).
                True means "may attend".
            cache: None, or a pair of dicts, one for each attention.

        Returns:
            (B, T_t, C).
        """
        ### BEGIN SOLUTION
        own, crossed = cache if cache is not None else (None, None)
        y = y + self.attention(self.norm_1(y), causal=True, cache=own)
        y = y + self.cross_attention(self.norm_2(y), memory, memory_mask, crossed)
        return y + self.feed_forward(self.norm_3(y))
        ### END SOLUTION


# %% check="translation.decoder_block"
check("translation.decoder_block", DecoderBlock)

# %% [markdown]
# ## 11.3 Three masks
#
# **Why.** The sentences of a batch differ in length, so the short ones end in padding. And a decoder trained on
# whole sentences mustn't see the words that it should predict. So each of the three attentions hides something.
#
# The targets end in padding too, but need no mask for it. Padding comes *after* every real word, so the
# causal mask hides it, and the loss ignores what is computed *at* padding.
#
# **Exercise 11.3** · difficulty 2 of 5 · 4 minutes · 1 point
#
# **Say what each of the three masks hides.** Write `"the source's padding"`, `"later positions"` or `"both"` in
# place of each `...`.
#
# <details><summary>Hint 1</summary>Whose positions are the keys of each attention?</details>
# <details><summary>Hint 2</summary>Which of the two sentences is complete before the writing begins?</details>
# <details><summary>The idea</summary>Where the keys are source words, hide their padding. Where they are words
# still being written, hide the later ones.</details>

# %% exercise="translation.masks"
masks = {
    "the encoder's self-attention hides": ...,
    "masked self-attention hides": ...,
    "cross-attention hides": ...,
}
### BEGIN SOLUTION
masks = {
    "the encoder's self-attention hides": "the source's padding",
    "masked self-attention hides": "later positions",
    "cross-attention hides": "the source's padding",
}
### END SOLUTION

# %% check="translation.masks"
check("translation.masks", masks)

# %% [markdown]
# ## 11.4 The whole model
#
# Here is the whole model. Words become vectors, times √C (section 3.4 of the paper), plus sines and cosines
# (lesson 3). The source goes through N encoder blocks, the target through N of *your* decoder blocks, and
# each through a final norm. The output is one score for each word of the vocabulary.
#
# One matrix does three jobs, as in the paper: source embedding, target embedding, and the map to the scores.
# So both languages share one vocabulary.


# %%
class Translator(torch.nn.Module):
    """The paper's Transformer, pre-norm. `real`
    is boolean, (B, T_s): False is padding.
    """

    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions=128):
        super().__init__()
        sizes = d_model, n_heads, d_ff
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.register_buffer("table", sinusoidal(positions, d_model), persistent=False)
        self.encoder = torch.nn.ModuleList(Block(*sizes) for _ in range(n_layers))
        self.decoder = torch.nn.ModuleList(DecoderBlock(*sizes) for _ in range(n_layers))
        self.encoder_norm, self.decoder_norm = (torch.nn.LayerNorm(d_model) for _ in range(2))
        for layers in (self.encoder, self.decoder):
            # GPT-2's 0.02 is for wider models:
            # here attention would begin too flat
            initialise(layers, std=0.06)
        torch.nn.init.normal_(self.words.weight, std=0.05)  # times √C about as large as the positions

    def embed(self, ids, start=0):
        scaled = self.words(ids) * math.sqrt(self.words.embedding_dim)
        return scaled + self.table[start : start + ids.size(1)]

    def encode(self, source, real):
        """Tokens (B, T_s) to the memory (B, T_s, C)."""
        x, mask = self.embed(source), real[:, None, None, :]
        for block in self.encoder:
            x = block(x, mask)
        return self.encoder_norm(x)

    def decode(self, tokens, memory, real, cache=None):
        """Tokens (B, T_t), with a cache the new ones
        alone, to scores for what comes next (B, T_t, V).
        """
        start = cache[0][0]["k"].size(-2) if cache and cache[0][0] else 0
        y, mask = self.embed(tokens, start), real[:, None, None, :]
        for number, block in enumerate(self.decoder):
            y = block(y, memory, mask, cache[number] if cache else None)
        return self.decoder_norm(y) @ self.words.weight.T

    def new_cache(self):
        return [({}, {}) for _ in self.decoder]


# %% draw=true
# How large the model is
vocabulary = explorers.vocabulary()
untrained = Translator(len(vocabulary), 96, 4, 384, 2)
parameters = sum(parameter.numel() for parameter in untrained.parameters())
print(f"{len(vocabulary)} words of both languages, {parameters:,} parameters")

# %% [markdown]
# The paper's base model has the same parts, 512 channels wide and six blocks deep: 65 million parameters (its table 3).
#
# ## 11.5 Shifted right
#
# **Why.** In training the right translation is known, so all its words can be predicted at once. At each
# position the decoder reads the *right* words so far, whatever it would have written itself, and predicts the
# next one: **teacher forcing**. So it reads the target, **shifted right** by one place (figure 1 of the paper).
#
# **By hand**, with `<bos>` 1, `<eos>` 2, `<pad>` 0:
#
# | | | | | |
# | --- | --- | --- | --- | --- |
# | target | 31 | 17 | 2 | 0 |
# | the decoder reads | 1 | 31 | 17 | 2 |
# | it should say | 31 | 17 | 2 | −100 |
#
# −100 is PyTorch's label for "ignore this position". `<eos>` isn't ignored: a model that never learns to stop
# doesn't stop.
#
# In lesson 8 you cut inputs and targets out of one text. Here the target has no `<bos>`, so it gets one:


# %%
def shifted_right(target, bos=1, pad=0):
    """Of sentences (B, T) without a beginning: what the
    decoder reads, and what it should write, -100 for padding.
    """
    read = torch.cat([torch.full_like(target[:, :1], bos), target[:, :-1]], dim=1)
    return read, target.masked_fill(target == pad, -100)


# %% [markdown]
# ## 11.6 Label smoothing
#
# **Why.** Cross-entropy is never satisfied: even at a probability of 0.99 it pushes towards 1, and the scores keep
# growing. **Label smoothing** asks for a little less than certainty. A share ε of the target's probability is spread
# evenly over **all** V words, the right one among them. Here $[w = \text{right}]$ is 1 for the right word and 0 for
# all others:
#
# $$\text{target}_w = (1 - \varepsilon)\,[w = \text{right}] + \frac{\varepsilon}{V} \qquad
# \text{loss} = -\sum_w \text{target}_w \log p_w$$
#
# (Some programs spread it over the V − 1 others. PyTorch and Szegedy et al. 2016, whom the paper cites, mean
# all V.) The loss is the mean over all positions that count, in nats per token.
#
# **By hand.** V = 4, ε = 0.1, and the model gives 0.7 to the right word and 0.1 to each other. The targets
# are 0.925 and three times 0.025. The loss is 0.925·0.357 + 3·0.025·2.303 = **0.503**; without smoothing it
# is 0.357.
#
# **A floor.** At best a model predicts exactly these targets; then the loss is their entropy, not 0.
#
# **Exercise 11.6** · difficulty 3 of 5 · 12 minutes · 3 points
#
# **Return the mean cross-entropy against the smoothed targets.**
#
# <details><summary>Hint 1</summary>Put the target into the sum: one part is −(1 − ε) times the log-probability of
# the right word. What is the other?</details>
# <details><summary>Hint 2</summary><code>log_p.gather(-1, ...)</code> picks the right word's. But -100 is no
# index: what can you put there instead, since these positions don't enter the mean anyway?</details>
# <details><summary>The idea</summary>A mixture of two losses: with weight 1 − ε that of the right word, with weight
# ε the mean over the vocabulary. Both are averaged over the positions that count.</details>


# %% exercise="translation.label_smoothed_loss"
def label_smoothed_loss(logits, targets, epsilon):
    """The mean cross-entropy against smoothed targets.

    Args:
        logits: (B, T, V).
        targets: integers, (B, T); -100 where nothing is asked.
        epsilon: how much of the probability is
            spread over all V words, 0 for none.

    Returns:
        A tensor of one number, in nats per token.
    """
    ### BEGIN SOLUTION
    log_p = logits.log_softmax(dim=-1)  # (B, T, V)
    asked = targets != -100
    right = log_p.gather(-1, targets.clamp(min=0).unsqueeze(-1)).squeeze(-1)  # (B, T)
    each = -(1 - epsilon) * right - epsilon * log_p.mean(dim=-1)
    return each[asked].mean()
    ### END SOLUTION


# %% check="translation.label_smoothed_loss"
check("translation.label_smoothed_loss", label_smoothed_loss)

# %% [markdown]
# What does this loss reward? Of four words one is right. Below is the loss of a model that gives it the
# probability p and spreads the rest evenly.

# %% predict="translation.smoothing"

# %% draw=true
# The loss of a right word, with label smoothing and without
with waiting_for("Exercise 11.6"), after_predicting("translation.smoothing"):
    sure = [0.3, 0.5, 0.7, 0.8, 0.9, 0.925, 0.95, 0.99, 0.999]
    log_p = torch.tensor([[p, *3 * [(1 - p) / 3]] for p in sure]).log()  # (9, 4)
    right = torch.zeros(1, 1, dtype=torch.long)
    curves = {
        f"ε = {epsilon}": [label_smoothed_loss(row.view(1, 1, 4), right, epsilon) for row in log_p]
        for epsilon in (0.0, 0.1)
    }
    show(plots.lines(sure, curves, xlabel="p of the right word", ylabel="nats per token"))

# %% [markdown] reveals="translation.smoothing"
# Without smoothing the curve falls all the way. With ε = 0.1 the best p is 0.925, and more certainty costs more: at 0.99 the
# loss is 0.44, above the 0.41 of a model that says 0.8.

# %% [markdown]
# ## 11.7 The paper's learning rate
#
# **Why.** In the first steps Adam's averages rest on few gradients, and large steps can do harm. So the rate
# **warms up**. Later the steps should shrink. The paper's rule (equation 3) does both in one line:
#
# $$\text{rate} = d_{\text{model}}^{-0.5} \cdot \min\left(\text{step}^{-0.5},\; \text{step} \cdot \text{warmup}^{-1.5}\right)$$
#
# **By hand.** Width 64, warm-up 100. Step 25: 1/8 · min(0.2, 25/1000) = 0.0031. Step 100: 1/8 · min(0.1, 0.1) = 0.0125, the
# peak: both branches meet. Step 400: 1/8 · min(0.05, 0.4) = 0.0063.
#
# **Exercise 11.7** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return the paper's learning rate at a step.**
#
# <details><summary>Hint 1</summary>Which branch is smaller before the peak, and which after it?</details>
# <details><summary>Hint 2</summary>Python's <code>**</code> takes negative exponents. How do you write 1/√step with
# it?</details>
# <details><summary>The idea</summary>A straight line up, a root down, and always the lower of the two.</details>


# %% exercise="translation.paper_rate"
def paper_rate(step, d_model, warmup):
    """The learning rate of a step.

    Args:
        step: from 1 on.
        d_model: C.
        warmup: the step of the peak.

    Returns:
        A number.
    """
    ### BEGIN SOLUTION
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
    ### END SOLUTION


# %% check="translation.paper_rate"
check("translation.paper_rate", paper_rate)

# %% draw=true
# The schedule with three lengths of warm-up
with waiting_for("Exercise 11.7"):
    places = [1, 100, 200, 300, 400, 600, 800, 1000, 1200, 1500]  # the peaks are among them
    rates = {
        f"warm-up {warmup}": [paper_rate(step, 96, warmup) for step in places] for warmup in (200, 400, 800)
    }
    show(plots.lines(places, rates, xlabel="step", ylabel="learning rate", title="96 channels"))

# %% [markdown]
# The warm-up decides two things at once: how long the rate rises, and how high. After the last peak all
# curves are the same.
#
# ## 11.8 Greedy decoding
#
# **Why.** A trained model scores the *next* word. To get a sentence, append the likeliest word and ask again, until
# `<eos>`. That is **greedy decoding**. The sentences of a batch end at different steps: a finished row gets `<pad>`
# until the others have ended, too.
#
# You get the model as a function `step`: it takes all tokens so far, (B, t), and returns scores (B, V).
#
# **By hand.** Two rows. The first says A, `<eos>`; the second says B, C, `<eos>`. The result is
# (A, `<eos>`, `<pad>`) and (B, C, `<eos>`), and then all rows are finished.
#
# **Exercise 11.8** · difficulty 3 of 5 · 12 minutes · 3 points
#
# **Write the likeliest token again and again, in all rows at once, until each has ended.**
#
# <details><summary>Hint 1</summary>Which two things must you remember from step to step?</details>
# <details><summary>Hint 2</summary>Which comes first: putting <code>&lt;pad&gt;</code> into rows that had finished,
# or marking the rows that finish now? The wrong order loses the <code>&lt;eos&gt;</code>.</details>
# <details><summary>The idea</summary>Grow all rows by one column at a time. A row that has said
# <code>&lt;eos&gt;</code> only gets <code>&lt;pad&gt;</code> from then on. The column of <code>&lt;bos&gt;</code>
# isn't part of the answer.</details>


# %% exercise="translation.greedy_decode"
def greedy_decode(step, rows, longest, bos=1, eos=2, pad=0):
    """Write the likeliest token, again and
    again, for several sentences at once.

    Args:
        step: gives scores (B, V) for what comes next after tokens
            (B, t), which begin with `<bos>`. Call it once for each new
            column.
        rows: B, how many sentences.
        longest: how many tokens are written at most.
        bos: the number of `<bos>`.
        eos: the number of `<eos>`: a row
            that has written it is finished.
        pad: the number of `<pad>`, which finished rows get.

    Returns:
        The tokens without `<bos>`, integers (B, T). T is `longest`, or
        less where all rows are finished before.
    """
    ### BEGIN SOLUTION
    tokens = torch.full((rows, 1), bos)
    finished = torch.zeros(rows, dtype=torch.bool)
    while tokens.size(1) <= longest and not finished.all():
        best = step(tokens).argmax(dim=-1).masked_fill(finished, pad)
        tokens = torch.cat([tokens, best.unsqueeze(1)], dim=1)
        finished = finished | (best == eos)
    return tokens[:, 1:]
    ### END SOLUTION


# %% check="translation.greedy_decode"
check("translation.greedy_decode", greedy_decode)

# %% [markdown]
# ## 11.9 Train it
#
# All parts are ready. The loss combines the shift, the model and your smoothing; the loop is lesson 8's. Our
# measure is strict: the share of held-out sentences translated **exactly**, every word and ending.


# %%
vocabulary = explorers.vocabulary()
WIDTH, HEADS, LAYERS = 96, 4, 2
EPSILON, WARMUP, BATCH, STEPS, LONGEST = 0.1, 400, 48, 1500, 24


def translation_loss(model, source, inputs, targets):
    """Source (B, T_s), decoder inputs, targets (B, T_t) to the loss."""
    real = source != PAD
    return label_smoothed_loss(model.decode(inputs, model.encode(source, real), real), targets, EPSILON)


def steps_of(model, source):
    """The model as a step function for these sources
    (B, T_s), with a cache: it reads each token once.
    """
    real = source != PAD
    memory, cache = model.encode(source, real), model.new_cache()
    return lambda tokens: model.decode(tokens[:, -1:], memory, real, cache)[:, -1]


@torch.no_grad()
def translations(model, sources):
    """English sentences to the model's translations, both as texts."""
    source = explorers.encode([vocabulary.encode(text) for text in sources])
    written = greedy_decode(steps_of(model, source), len(source), LONGEST)
    return [vocabulary.decode(row) for row in written]


def exact_share(model, pairs):
    found = translations(model, [pair.source for pair in pairs])
    return sum(one == pair.target for one, pair in zip(found, pairs, strict=True)) / len(pairs)


# %% [markdown]
# The model learns from 12,000 pairs; 300 are held out. Since the learning rate never reaches 0, the weights
# fluctuate to the end. So the final model's weights are the mean over the last eighth of the steps, as the paper
# averaged its last checkpoints (section 6.1).
#
# While it trains, the picture on the right shows what share of 60 held-out sentences is right.


# %%
@training.on_device
def train(model, drawn, steps, rate, evaluate, title, limits=None):
    """Train in place, and leave the mean of the last
    weights. `evaluate` gives a score from 0 to 1.
    """
    place = next(model.parameters()).device
    optimizer, spread = optimizer_of(model, 1e-3), training.on_all_cores(translation_loss)
    mean, last = torch.optim.swa_utils.AveragedModel(model), max(1, steps // 8)
    keep = training.Checkpoint(f"translation_{title.lower()}", model=model, optimizer=optimizer, mean=mean)
    apart = {"held out": "score of held-out sentences"}
    live = training.Live(steps, "nats per token", limits, title, apart=apart, keep=keep, data=drawn)
    for step in live:
        optimizer.param_groups[0]["lr"] = rate(step)
        source, target = next(drawn)
        live.add(training=training_step(model, optimizer, spread, (source, *shifted_right(target))))
        if step > steps - last:
            mean.update_parameters(model)
        if step % max(1, steps // 10) == 0:
            live.add(held_out=evaluate(model.to("cpu")))
            model.to(place)
    model.load_state_dict(mean.module.state_dict())
    return live


def train_on_pairs(model, steps, seed):
    """Train on the invented language, with a
    look at 60 held-out sentences now and then.
    """
    learned, held_out = explorers.pairs()
    drawn = explorers.batches(explorers.numbered(learned), BATCH, seed)
    asked = torch.full((len(vocabulary),), EPSILON / len(vocabulary))
    asked[0] += 1 - EPSILON  # the targets' probabilities: the loss can't fall below their entropy
    floor = float(-(asked * asked.log()).sum())

    def share(model):
        return exact_share(model, held_out[:60])

    def rate(step):
        return paper_rate(step, WIDTH, WARMUP)

    return train(model, drawn, steps, rate, share, "Training", {"least possible loss": floor})


# %% predict="translation.exactly"

# %% draw=true
# It learns to translate: how many new sentences come out right
held_out = explorers.pairs()[1]
with waiting_for("Exercises 11.2, 11.6, 11.7 and 11.8"), after_predicting("translation.exactly"):
    torch.manual_seed(0)
    model = Translator(len(vocabulary), WIDTH, HEADS, 4 * WIDTH, LAYERS)
    if not training.recall("translator", model):
        training.keep("translator", model, train_on_pairs(model, training.steps(STEPS), seed=0))
    explorers.finished(model)
    print(f"{exact_share(model, held_out):.1%} of {len(held_out)} held-out sentences exactly right")
    near = explorers.one_word_away(explorers.pairs()[0], held_out)
    far = [pair for pair, is_near in zip(held_out, near, strict=True) if not is_near]
    share = f"{exact_share(model, far):.1%} of the {len(far)}"
    print(f"{share} that are over one word away from all training sentences")

# %% [markdown] reveals="translation.exactly"
# The loss comes down almost to the floor that label smoothing leaves, and hardly any held-out sentence is
# wrong. None of them was in the training set, though about a quarter differ from a training sentence in one
# word only. The others are translated just as well: the model has learned the grammar, not the sentences.

# %% [markdown]
# Put some sentences of your own into the next cell. (`explorers.vocabulary().words` lists the words.)

# %% draw="open"
# Two sentences, translated
with waiting_for("the training in 11.9"):
    mine = ["the famous baker sold my sister the white horse .", "did the thieves hide these letters ?"]
    for text, found in zip(mine, translations(model, mine), strict=True):
        print(f"{text}\n    model  {found}\n    right  {corpora.translate(text)}")

# %% [markdown]
# ## 11.10 A cache
#
# **Why.** When the decoder writes its tenth word, the nine before it haven't changed, and in a *causal* decoder
# nothing computed at their positions has, either: they can't see the tenth. So keep their keys and values, and send
# only the new position through the layers. Its query looks at all keys, old and new.
#
# $$\text{output} = \text{softmax}\!\left(\frac{q\,[K_{\text{past}}; k]^\top}{\sqrt{D}}\right)[V_{\text{past}}; v]$$
#
# **Several new positions** may come at once, such as a given beginning. Attention among them has to stay
# causal. With P positions in the past, new position i (from 0) may look at keys 0 … P + i.
#
# **By hand.** P = 2 and two new positions. The mask has two rows and four columns: (1, 1, 1, 0) and (1, 1, 1, 1).
#
# This is the cache of lesson 4:


# %%
def cached_attention(q, k, v, past=None):
    """Causal attention of new positions (..., T, D), behind the
    keys and values of P earlier ones: outputs, keys, values.
    """
    if past is not None:
        k, v = torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2)
    T, everything = q.size(-2), k.size(-2)
    seen = torch.ones(T, everything, dtype=torch.bool).tril(everything - T)
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).masked_fill(~seen, -math.inf)
    return scores.softmax(dim=-1) @ v, k, v


# %% [markdown]
# The result has to be the same, word by word with the cache or all at once.

# %% draw=true
# The same result, word by word and all at once?
torch.manual_seed(0)
q, k, v = torch.randn(3, 6, 8)
whole, _, _ = cached_attention(q, k, v)
past, rows = None, []
for t in range(6):
    output, *past = cached_attention(*(part[t : t + 1] for part in (q, k, v)), past)
    rows.append(output)
print("largest difference:", f"{(torch.cat(rows) - whole).abs().max():.1e}")

# %% [markdown]
# The memory's keys and values never change at all, so the cross-attention's cache is filled only once.
#
# ## 11.11 What it saves
#
# **Why.** "Faster" isn't a number. Count, for a sentence of n tokens, in one layer and one head of self-attention:
#
# - **positions** that go through the layer. Without a cache, step t recomputes all t positions.
# - **scores**, each of a query with a key. Without a cache, step t computes a whole square, t · t: the causal mask
#   hides half of it, but only afterwards. With a cache, step t has one query and t keys.
#
# **By hand**, n = 3. Positions: 1 + 2 + 3 = 6 without, 3 with. Scores: 1 + 4 + 9 = 14 without, 1 + 2 + 3 = 6 with.
#
# **Exercise 11.11** · difficulty 2 of 5 · 8 minutes · 2 points
#
# **Count the positions and the scores that writing takes, without a cache and with one.**
#
# <details><summary>Hint 1</summary>How many positions and scores does step t take, without a cache and with
# one?</details>
# <details><summary>Hint 2</summary>With a cache, one position is new at step t. How many keys does it look
# at, its own included?</details>
# <details><summary>The idea</summary>Four sums over t: of t, of 1, of t², of t.</details>


# %% exercise="translation.decoder_work"
def decoder_work(length):
    """What it takes to write `length` tokens
    one by one, in one layer and one head.

    Returns:
        Four integers: positions without a cache, positions with one,
        scores without, scores with.
    """
    ### BEGIN SOLUTION
    steps = range(1, length + 1)
    return sum(steps), length, sum(t * t for t in steps), sum(steps)
    ### END SOLUTION


# %% check="translation.decoder_work"
check("translation.decoder_work", decoder_work)

# %% [markdown]
# Now the time on one core: our decoder, with random weights, writes 8 sentences of a fixed length, with and
# without its caches.


# %%
@torch.no_grad()
def write(model, memory, real, length, with_cache):
    """Write so many tokens from this memory, whatever they are."""
    cache, tokens = (model.new_cache() if with_cache else None), torch.full((len(memory), 1), BOS)
    for _ in range(length):
        scores = model.decode(tokens[:, -1:] if with_cache else tokens, memory, real, cache)
        tokens = torch.cat([tokens, scores[:, -1].argmax(-1, keepdim=True)], dim=1)


# %% draw=true
# How long writing takes, with the cache and without
with waiting_for("Exercises 11.2 and 11.11"), torch.no_grad():
    torch.manual_seed(0)
    fresh = Translator(len(vocabulary), 96, 4, 384, 2)
    source, real = torch.randint(6, 400, (8, 12)), torch.ones(8, 12, dtype=torch.bool)
    memory, lengths = fresh.encode(source, real), [8, 16, 32, 64]
    clocks = {"without a cache": [], "with a cache": []}
    for length, (name, laps) in itertools.product(lengths, clocks.items()):
        cached = name == "with a cache"
        laps.append(1000 * seconds(write, fresh, memory, real, length, cached, laps=3))
    show(plots.lines(lengths, clocks, xlabel="tokens written", ylabel="milliseconds", log="xy"))
    for length in (lengths[0], lengths[-1]):
        plain, kept, scores, kept_scores = decoder_work(length)
        more = f"{plain / kept:.1f} times the positions, {scores / kept_scores:.1f} times the scores"
        print(f"{length} tokens without a cache: {more}")

# %% [markdown]
# The gap grows with the length. It is smaller than the count suggests, since every call has a fixed cost and other
# parts of the model take time, too.
#
# ## 11.12 Beam search
#
# **Why.** Greedy decoding never takes a word back, and the likeliest first word needn't begin the likeliest
# sentence. **Beam search** follows several beginnings at once, its *hypotheses*.
#
# **By hand.** After `<bos>` a model gives A 0.55 and B 0.4. After A the best word has only 0.36; after B, the word
# C has 0.9. Greedy decoding takes A, and its sentence has at most 0.55 · 0.36 = 0.20. B C has 0.4 · 0.9 = 0.36. In
# logarithms: −0.60 − 1.02 = −1.62 against −0.92 − 0.11 = −1.02.
#
# **Length.** A hypothesis' log-probability is a *sum*, which every further word makes smaller, so short hypotheses
# would win. Wu et al. (2016, equation 14) divide by a penalty:
#
# $$\text{score} = \frac{\log p}{\text{penalty}} \qquad \text{penalty} = \left(\frac{5 + \text{length}}{6}\right)^{\alpha}$$
#
# The length counts `<eos>`, not `<bos>`. With α = 0 the penalty is 1; the Transformer's paper used α = 0.6
# and 4 beams (section 6.1). **By hand.** log p = −3, 7 tokens, α = 0.6: the penalty is 2 to the power 0.6 =
# 1.516, the score −1.98.
#
# **The rules** (there are variants; these follow Sutskever et al. 2014, with that score):
#
# 1. Begin with one running hypothesis, `<bos>`, log-probability 0.
# 2. Continue every running hypothesis with every token. Of **all** these continuations together, keep the `beams`
#    with the largest *sums of log-probabilities*.
# 3. Those that end in `<eos>` are finished: they leave, and nothing takes their place in this step. The others keep
#    running.
# 4. Stop when none is running, or after `longest` tokens; those still running then count as they are.
# 5. Divide each sum by its penalty, and sort: best first.
#
# **Exercise 11.12** · difficulty 5 of 5 · 28 minutes · 5 points
#
# **Return the hypotheses that beam search finds, best first.**
#
# <details><summary>Hint 1</summary>Keep two lists of pairs (sum, tokens): running and finished. Why can all
# running hypotheses be one tensor for <code>step</code>?</details>
# <details><summary>Hint 2</summary>The sums of all continuations are a table (n, V). If you flatten it for
# <code>topk</code>, which row and which token does an index stand for? (<code>divmod</code> tells, and
# <code>topk</code> can't take more than there are.)</details>
# <details><summary>The idea</summary>One table per step: what a hypothesis has so far, plus what each next
# token adds. Its best entries become the new hypotheses, and their last token says whether they keep running.
# Length counts only at the end.</details>


# %% exercise="translation.beam_search"
def beam_search(step, beams, longest, alpha, bos=1, eos=2):
    """Follow the likeliest beginnings of one sentence at once.

    Args:
        step: gives log-probabilities (n, V) for what comes next after
            tokens (n, t), which begin with `<bos>`.
        beams: how many continuations stay at each step.
        longest: how many tokens are written at most.
        alpha: of the penalty, 0 for none.
        bos: the number of `<bos>`.
        eos: the number of `<eos>`.

    Returns:
        A list of pairs, best first: the sum of log-probabilities over
        the penalty, and the list of tokens without `<bos>`.
    """
    ### BEGIN SOLUTION
    running, finished = [(0.0, [bos])], []
    for _ in range(longest):
        if not running:
            break
        log_p = step(torch.tensor([tokens for _, tokens in running]))  # (n, V)
        total = log_p + torch.tensor([[before] for before, _ in running], dtype=log_p.dtype)
        best = total.flatten().topk(min(beams, total.numel()))
        grown = []
        for value, index in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            row, token = divmod(index, log_p.size(-1))
            grown.append((value, [*running[row][1], token]))
        finished += [one for one in grown if one[1][-1] == eos]
        running = [one for one in grown if one[1][-1] != eos]
    scored = [
        (value / ((5 + len(tokens) - 1) / 6) ** alpha, tokens[1:]) for value, tokens in finished + running
    ]
    return sorted(scored, key=lambda one: -one[0])
    ### END SOLUTION


# %% check="translation.beam_search"
check("translation.beam_search", beam_search)

# %% [markdown]
# ## 11.13 What beams change
#
# Here is the example as a tree. The number on a branch is the log-probability of the word it leads to. Blue
# branches were kept, dotted grey ones dropped; the thick orange one is the best. A number after a word is a
# finished hypothesis' score.

# %%
LETTERS = ["<pad>", "<bos>", "<eos>", "A", "B", "C"]
SAYS = {
    (1,): {3: 0.55, 4: 0.4, 5: 0.05},
    (1, 3): {3: 0.36, 4: 0.3, 5: 0.24, 2: 0.1},
    (1, 4): {5: 0.9, 3: 0.07, 2: 0.03},
    (1, 4, 5): {2: 0.9, 3: 0.1},
    (1, 3, 3): {2: 0.6, 4: 0.4},
}


def toy(tokens):
    """Log-probabilities of a toy model with six
    tokens; where `SAYS` is silent, the sentence ends.
    """
    table = torch.full((len(tokens), 6), 1e-6)
    for row, path in enumerate(tokens.tolist()):
        for token, chance in SAYS.get(tuple(path), {2: 0.98}).items():
            table[row, token] = chance
    return table.log()


# %% draw=true
# The tree that one beam sees
with waiting_for("Exercise 11.12"):
    recorder = explorers.Recorder(toy)
    show(figures.tree(recorder.chances, beam_search(recorder, 1, 4, 0.0), LETTERS))

# %% draw=true
# The tree that two beams see
with waiting_for("Exercise 11.12"):
    recorder = explorers.Recorder(toy)
    show(figures.tree(recorder.chances, beam_search(recorder, 2, 4, 0.0), LETTERS))

# %% [markdown]
# One beam is greedy decoding and walks into the trap. Two beams keep B alive long enough.
#
# Now your translator. Move the number of beams and α, and choose a sentence.


# %%
def step_of(text):
    """The model as a step function for one English
    sentence: any number of hypotheses (n, t) at once.
    """
    source = explorers.encode([vocabulary.encode(text)])
    real = source != PAD
    with torch.no_grad():
        memory = model.encode(source, real)

    @torch.no_grad()
    def step(tokens):
        n = len(tokens)
        scores = model.decode(tokens, memory.expand(n, -1, -1), real.expand(n, -1))
        return scores[:, -1].log_softmax(dim=-1)

    return step


# %% draw=true
# Explore: beams in a sentence of your own
explorers.beam_explorer(beam_search, step_of, vocabulary.words, "Exercise 11.12, and the training in 11.9")

# %% [markdown]
# The trained model is sure of itself: one continuation has about 0.9 (label smoothing keeps it from more). So beams
# change little here, as the next cell measures. Our grammar has one right translation for each sentence; real
# languages have many, so beams can gain more there. The numbers after `<eos>` are the scores, whose order α may
# change.

# %% draw=true
# One beam against four, on held-out sentences
with waiting_for("Exercise 11.12, and the training in 11.9"):
    some = held_out[: training.steps(60)]
    greedy = translations(model, [pair.source for pair in some])
    best = [beam_search(step_of(pair.source), 4, LONGEST, 0.6)[0] for pair in some]
    beamed = [vocabulary.decode(tokens) for _, tokens in best]
    for name, found in (("greedy", greedy), ("4 beams", beamed)):
        exact = sum(one == pair.target for one, pair in zip(found, some, strict=True))
        print(f"{name}: {exact} of {len(some)} exactly right")

# %% [markdown]
# ## 11.14 BLEU: clipped matches
#
# **Why.** *Exactly right* is too strict for real sentences: two people would translate them differently, too.
# **BLEU** (Papineni et al. 2002) counts how many of the translation's **n-grams** (single words, and two, three
# or four in a row) occur in a translation made by a person, the **reference**.
#
# **Clipped.** The candidate "the the the the the the the" consists of nothing but words of the reference "the
# cat is on the mat". But the reference has *the* only twice, so only two matches count. **By hand**: 2 of 7
# (their example, section 2.1). An n-gram counts at most as often as it occurs in the reference.
#
# **Exercise 11.14** · difficulty 2 of 5 · 8 minutes · 2 points
#
# **Return how many n-grams of the candidate count as matches.**
#
# <details><summary>Hint 1</summary>How many n-grams does a sentence of T words have, and when does it have
# none?</details>
# <details><summary>Hint 2</summary>How often is each <em>different</em> n-gram in the candidate, and how often in the
# reference? (A list can't go into a set or a dict: make it a tuple or a text.)</details>
# <details><summary>The idea</summary>Every different n-gram of the candidate contributes the smaller of its
# two counts. The second number counts all n-grams of the candidate.</details>


# %% exercise="translation.clipped_matches"
def clipped_matches(candidate, reference, n):
    """How many of a candidate's n-grams the reference
    has, each counted at most as often as it is there.

    Args:
        candidate: a list of words.
        reference: a list of words.
        n: how many words in a row.

    Returns:
        Two integers: the matches, and how
        many n-grams the candidate has.
    """
    ### BEGIN SOLUTION
    ours, theirs = (
        [tuple(words[at : at + n]) for at in range(len(words) - n + 1)] for words in (candidate, reference)
    )
    return sum(min(ours.count(gram), theirs.count(gram)) for gram in set(ours)), len(ours)
    ### END SOLUTION


# %% check="translation.clipped_matches"
check("translation.clipped_matches", clipped_matches)

# %% [markdown]
# ## 11.15 BLEU of a whole set
#
# **Formula.** Four precisions $p_1 … p_4$, their geometric mean, a penalty for brevity, times 100:
#
# $$\text{BLEU} = 100 \cdot \text{penalty} \cdot (p_1\, p_2\, p_3\, p_4)^{1/4} \qquad
# p_n = \frac{\sum_{\text{sentences}} \text{matches}}{\sum_{\text{sentences}} \text{n-grams}} \qquad
# \text{penalty} = \begin{cases} 1 & c \ge r \\ e^{1 - r/c} & c < r \end{cases}$$
#
# with $c$ words in all candidates and $r$ in all references. **Why a penalty?** Precision rewards saying
# little: "the cat" has a precision of 1. Translations that are too long need none, since their precision is
# low already. **By hand.** 8 words against 10: $e^{1 - 10/8} = e^{-0.25}$ = 0.78. 10 against 8: 1.
#
# **Sum first, then divide.** BLEU is defined for a set of sentences. Matches, n-grams and lengths are summed
# over all of them before anything is divided. It isn't a mean of the sentences' scores: a single sentence
# often has no four words in a row right, and would count 0.
#
# **By hand.** Two candidates have the same reference, *kine zokur vezese lavok gebel zupot .* The first ends in ?
# instead: 6/7, 5/6, 4/5, 3/4. Their product is 3/7, its fourth root 0.809: BLEU 80.9. The second swaps *lavok* and
# *gebel*: 7/7, 3/6, 1/5, 0/4, so 0. As a set: 13/14, 8/12, 5/10, 3/8, and BLEU 58.4; the mean of the two would be
# 40.5.
#
# **Exercise 11.15** · difficulty 3 of 5 · 11 minutes · 3 points
#
# **Return the BLEU of a whole set of translations.**
#
# <details><summary>Hint 1</summary>Your <code>clipped_matches</code> takes lists of words. How do you get those
# from texts?</details>
# <details><summary>Hint 2</summary>The logarithm of 0 stops the program. What is a geometric mean with a 0 in
# it?</details>
# <details><summary>The idea</summary>Count in each sentence, add up over the set, and only then take ratios, of
# matches and of lengths. If one precision is 0, so is BLEU.</details>


# %% exercise="translation.bleu"
def bleu(candidates, references):
    """BLEU of a whole set: 0 to 100, one reference
    for each candidate, nothing smoothed.

    Args:
        candidates: a list of translations,
            texts with spaces between the words.
        references: a list of as many references, likewise.

    Returns:
        A number; 0 where there is no match of some length.
    """
    ### BEGIN SOLUTION
    pairs = [(one.split(), other.split()) for one, other in zip(candidates, references, strict=True)]
    logs = 0.0
    for n in range(1, 5):
        found = [clipped_matches(candidate, reference, n) for candidate, reference in pairs]
        matches, possible = (sum(column) for column in zip(*found, strict=True))
        if matches == 0:
            return 0.0
        logs += math.log(matches / possible) / 4
    c, r = (sum(map(len, side)) for side in zip(*pairs, strict=True))
    penalty = min(1.0, math.exp(1 - r / c))  # for brevity
    return 100 * penalty * math.exp(logs)
    ### END SOLUTION


# %% check="translation.bleu"
check("translation.bleu", bleu)

# %% [markdown]
# ## 11.16 What BLEU doesn't see
#
# Published figures usually come from the program `sacrebleu` (Post 2018). Without its tokenizer and its smoothing
# it agrees with your function, as the course's tests confirm. What does BLEU say about translations damaged on
# purpose?

# %% predict="translation.exchanged"

# %% draw=true
# What BLEU says of five kinds of translations
with waiting_for("Exercise 11.15"), after_predicting("translation.exchanged"):
    references = [pair.target for pair in explorers.pairs()[1]]
    spoilt = {
        "as they are": references,
        "last word left out": [text.rsplit(" ", 1)[0] for text in references],
        "first two words swapped": [" ".join([*(w := text.split())[1::-1], *w[2:]]) for text in references],
        "all words sorted": [" ".join(sorted(text.split())) for text in references],
        "a different sentence": references[1:] + references[:1],
    }
    for name, texts in spoilt.items():
        print(f"{name:<28} BLEU {bleu(texts, references):5.1f}")

# %% [markdown] reveals="translation.exchanged"
# To a reader, swapping two words is a serious mistake; here it costs less than half of the score. Sorted words
# aren't a sentence at all, and yet they score. BLEU counts matches, not meaning.

# %% [markdown]
# ## 11.17 Cross-attention as an alignment
#
# **Why.** The model was never told which word translates which. Did it find out? Its cross-attention has one row
# for each word that it writes. The source word with the largest weight in that row is the written word's
# **alignment**. The grammar knows the true one.
#
# A layer has several heads: average them first. And some positions aren't words: padding, and `<eos>`. Heads may
# put their weight there when they have nothing to look for, as Clark et al. (2019) argue for BERT's `[SEP]`. Leave
# these positions out.
#
# **By hand.** Two heads, one row: (0.1, 0.7, 0.2) and (0.1, 0.1, 0.8), and the last position is `<eos>`. The
# average is (0.1, 0.4, 0.5); without the last position, position 1 has the largest weight.
#
# **Exercise 11.17** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return the source position that each written word looks at most.**
#
# <details><summary>Hint 1</summary>Weights are (H, T_t, T_s). Which axis do you reduce first, and which
# next?</details>
# <details><summary>Hint 2</summary>A weight is never negative. What could you write at positions that aren't
# allowed?</details>
# <details><summary>The idea</summary>Average the heads, rule out what isn't a word, and take the position of
# the largest weight.</details>


# %% exercise="translation.alignment"
def alignment(weights, real):
    """The source position that each written word looks at most.

    Args:
        weights: a layer's cross-attention
            for one sentence, (H, T_t, T_s).
        real: boolean, (T_s,). False is what
            no word may be aligned with.

    Returns:
        Positions, integers (T_t,): the
        largest of the average over the heads.
    """
    ### BEGIN SOLUTION
    return weights.mean(dim=0).masked_fill(~real, -1.0).argmax(dim=-1)
    ### END SOLUTION


# %% check="translation.alignment"
check("translation.alignment", alignment)


# %%
@torch.no_grad()
def watched(text, by=None, known=None):
    """Translate, and watch: the words read and written, and
    each layer's weights, own and crossed. `by` can be a
    different model, and `known` its vocabulary.
    """
    by, known = by or model, known or vocabulary
    if not getattr(by, "trained", False):
        raise NotImplementedError
    source = explorers.encode([known.encode(text)])
    target = greedy_decode(steps_of(by, source), 1, LONGEST)
    read, real = shifted_right(target)[0], source != PAD
    with explorers.watching(
        [part for block in by.decoder for part in (block.attention, block.cross_attention)]
    ) as seen:
        by.decode(read, by.encode(source, real), real)
    names = [[known.words[token] for token in row[0].tolist()] for row in (read, target)]
    return *names, [weights[0] for weights in seen[::2]], [weights[0] for weights in seen[1::2]]


# %% [markdown]
# How often is the alignment right, in each layer? A sentence that came out too short counts as not aligned.

# %% draw=true
# How often each layer looks at the right word
with waiting_for("Exercise 11.17, and the training in 11.9"):
    hits, total = [0, 0], 0
    for pair in held_out[: training.steps(100)]:
        _, written, _, crossed = watched(pair.source)
        truth = explorers.true_alignment(pair.source)
        real = torch.arange(crossed[0].size(-1)) < len(pair.source.split())
        total += len(truth)
        for layer, weights in enumerate(crossed):
            found = alignment(weights, real).tolist()
            if len(written) > len(truth):  # `<eos>` is one of those written
                hits[layer] += sum(a == b for a, b in zip(found, truth, strict=False))
    best_layer = max(range(2), key=hits.__getitem__)
    for layer, count in enumerate(hits):
        share = f"{count / total:.0%} of {total} words"
        print(f"layer {layer + 1}: {share} look most at the word that they translate")

# %% draw=true
# One sentence, and where the translation looks
with waiting_for("Exercise 11.17, and the training in 11.9"):
    text = explorers.SENTENCES[0]
    _, written, _, crossed = watched(text)
    words, truth = [*text.split(), "<eos>"], explorers.true_alignment(text)
    weights, title = crossed[best_layer].mean(dim=0), "cross-attention, mean of its heads"
    show(figures.alignment(weights, written, words, truth, title=title))

# %% [markdown]
# Frames mark the true alignment. The verb comes last, so for the verb the bright cells jump back; for an adjective
# and its noun they cross. The order of the source is no obstacle: the decoder looks where it needs to.
#
# Such a picture isn't proof. A position adds what it reads to what it already holds, and the memory at *king* holds
# something of *old*, too. Attention weights show where a model looks; by themselves they don't explain what it
# writes (Jain and Wallace 2019; Wiegreffe and Pinter 2019 disagree in part).
#
# ## 11.18 Self-attention and cross-attention, side by side
#
# One layer of the decoder, one sentence. Each row is a position: the word it read, an arrow, and the word it wrote.

# %% draw=true
# What the decoder looks at, in itself and in the source
with waiting_for("the training in 11.9"):
    read, written, own, crossed = watched(explorers.SENTENCES[2])
    layer = -1
    words = [*explorers.SENTENCES[2].split(), "<eos>"]
    show(figures.side_by_side(own[layer].mean(0), crossed[layer].mean(0), read, written, words))

# %% [markdown]
# On the left is a triangle, as wide as it is high: a sequence attends to itself, looking only backwards. On the
# right is a full rectangle, as wide as the source is long, since the source is complete. The shapes follow from
# where Q, K and V come from: on the left all from the same sequence; on the right queries from the decoder,
# keys and values from the encoder.
#
# **Question 11.18** · graded by hand · 10 minutes · 5 points
#
# Compare self-attention in the encoder, masked self-attention in the decoder, and cross-attention. For each of the three:
#
# - Where do queries, keys and values come from?
# - How large is the table of weights, for T_s source words and T_t target words?
# - What is hidden, and why?
#
# What would the model do without cross-attention? What can be cached for each of the decoder's two
# attentions?

# %% [markdown] written="translation.self_and_cross" points=5
# ### BEGIN SOLUTION
# **Model answer.** In the encoder's self-attention, queries, keys and values all come from the source's positions: T_s × T_s
# weights. Only padding is hidden, since the whole source is there before anything is written.
#
# In the decoder's self-attention all three come from the decoder's positions: T_t × T_t. Later positions are
# hidden: in training they hold the right words, which are to be predicted, and when writing they don't exist yet.
#
# In cross-attention the queries come from the decoder's positions, keys and values from the memory, the encoder's output:
# T_t × T_s. Only the source's padding is hidden.
#
# Without cross-attention nothing of the source reaches the decoder. It would be a language model: fluent sentences of
# the target language, which have nothing to do with the source.
#
# When writing word by word, the self-attention's keys and values are kept, and grow by one position at each step. The
# cross-attention's are those of the memory: computed once, and the same at each step.
#
# **Rubric**
# - 1 point: where queries, keys and values come from, in all three.
# - 1 point: the sizes T_s × T_s, T_t × T_t, T_t × T_s.
# - 1 point: what is hidden in each, with the reason for the causal mask.
# - 1 point: without cross-attention, a language model of the target language, independent of the source.
# - 1 point: a cache that grows by one position, and one that is computed once.
# ### END SOLUTION

# %% [markdown]
# ## 11.19 Your own translations
#
# Move the slider and watch the translation grow; choose a sentence, or type one. The frames mark the true
# alignment, if the grammar knows the sentence.


# %%
def watch(text):
    """The words written, and the cross-attention of
    the layer that aligns best, (H, T_t, T_s).
    """
    _, written, _, crossed = watched(text)
    return written, crossed[best_layer]


# %% draw=true
# Explore: translations of your own
explorers.translation_explorer(watch, "the training in 11.9, and 11.17")

# %% [markdown]
# Try sentences that the grammar can't make: *the lamp loves the king .*, or one of twenty words. The model answers
# anyway: it has never seen an "I don't know".

# %% draw=true
# All held-out sentences: how many are right, and some that aren't
with waiting_for("Exercise 11.15, and the training in 11.9"):
    found = translations(model, [pair.source for pair in held_out])
    right = [pair.target for pair in held_out]
    exact = sum(one == other for one, other in zip(found, right, strict=True))
    print(f"{exact} of {len(right)} held-out sentences exactly right, BLEU {bleu(found, right):.1f}")
    wrong = [(one, pair) for one, pair in zip(found, held_out, strict=True) if one != pair.target]
    for one, pair in wrong[:5]:
        print(f"    {pair.source}\n        model  {one}\n        right  {pair.target}")

# %% [markdown]
# **Question 11.19** · graded by hand · 10 minutes · 5 points
#
# A model can have all its shapes right and still translate nothing. What does it take to get from such a model to a
# translation that you can read? List the steps in order, and say for each how you would notice that it is wrong.
# Use what you built and measured here.
#
# End with two translations of your own, made with your model: one right, one wrong. (If you find no wrong one, take
# your hardest sentence.) Explain what went wrong in the wrong one.

# %% [markdown] written="translation.from_model_to_translation" points=5
# ### BEGIN SOLUTION
# **Model answer.** Data: pairs as numbers, with `<bos>`, `<eos>` and padding; print one pair back as words. The shift:
# the input one place behind the target; if it isn't shifted, the loss soon falls to its floor and decoding gives
# nonsense. The loss: padding not asked, `<eos>` asked; if `<eos>` is missing, sentences don't end. The causal mask:
# without it, again a loss too good to be true. The schedule: without warm-up or with too large a rate the loss jumps or
# stays where a model is that ignores the source. A measure on held-out pairs while training: exact share or BLEU of
# *decoded* sentences. The loss is computed with the right words as input, so it can't show that decoding is broken.
# Decoding: begin with `<bos>`, append, stop at `<eos>`; compare decoding with and without a cache, which have to agree.
# Only then beams, which on our language change next to nothing. Then two translations. A typical wrong one is a
# sentence that the grammar can't make: the model answers fluently with a word it has seen in that place.
#
# **Rubric**
# - 1 point: the shift and the masks, with a symptom of getting them wrong (a loss too good to be true).
# - 1 point: `<bos>`, `<eos>` and padding, with a symptom.
# - 1 point: a loop that decodes, and why a good loss doesn't show that it works (teacher forcing).
# - 1 point: a measure on held-out sentences.
# - 1 point: two translations of their own, with a look at what went wrong.
# ### END SOLUTION

# %% [markdown]
# ## 11.20 Letters to sounds
#
# **Why.** Now real data, small enough for a laptop. Your model learns to say English words: it reads letters and
# writes sounds. Programs that read aloud need this for every name that isn't in their dictionary. Your functions
# stay the same; only the tokens are new.
#
# The words come from the CMU Pronouncing Dictionary: 135,166 lines, each with a word and its sounds in a notation
# called ARPAbet. Set `SOUNDS = True` to download it once (3.6 MB). It is checked by its SHA-256, and kept. (Without
# a network, put it into a folder named in `HEADSTART_DATA`.) Everything below needs it, except the exercise.
#
# Real data have traps. `sounds.dictionary()` takes care of three, and leaves out words with dots or hyphens:
#
# - **A second pronunciation** has a line of its own, `either(2)`. The `(2)` isn't part of the word. And if one line
#   is held out and the other learned, the word isn't new.
# - **Digits are stress.** `AH1` is a stressed AH, `AH0` an unstressed one. Most published results leave stress
#   out, and so do we: 39 sounds remain.
# - **Families.** To a model that has learned *king*, neither *kings* nor *king's* is a new word. So words that
#   differ only in such an ending are all learned, or all held out.

# %%
SOUNDS = False  # True fetches the dictionary, 3.6 MB

# %% draw=true
# How many words there are, and how some of them are said
here = SOUNDS or corpora.is_here("cmudict")
if here:
    spoken = sounds.dictionary()
    several = sum(len(ways) > 1 for ways in spoken.sounds.values())
    print(f"{len(spoken.learned):,} words to learn from, {len(spoken.tested):,} held out for the test")
    print(f"{several:,} words have more than one pronunciation")
    for word in ("king's", "through", "either", *spoken.tested[:3]):
        print(f"    {word:<14}{' or '.join(spoken.sounds[word])}")
else:
    print(sounds.LEFT_OUT)

# %% [markdown]
# ## 11.21 How far from right?
#
# **Why.** One sound too many at the beginning shifts all the others, so comparing place by place would call
# nearly everything wrong. The **edit distance** counts edits instead: how many sounds must be *inserted*,
# *deleted* or *substituted*, at least, to get from one list to the other?
#
# **Formula.** Let $D_{i,j}$ be the distance between the first $i$ sounds written, $a_1$ to $a_i$, and the first $j$
# right ones, $b_1$ to $b_j$. The last step deletes $a_i$, inserts $b_j$, or pairs the two, which is free if they are
# equal:
#
# $$D_{i,j} = \min\left(D_{i-1,j} + 1,\;\; D_{i,j-1} + 1,\;\; D_{i-1,j-1} + [a_i \ne b_j]\right) \qquad D_{i,0} = i
# \qquad D_{0,j} = j$$
#
# Compute each cell once: a recursion that forgets its results needs over 10¹⁴ calls for two lists of 20 sounds.
#
# **By hand.** Written K N AY T, right N AY T. Place by place nothing matches, but the distance is 1: delete the K.
#
# | | | N | AY | T |
# | --- | --- | --- | --- | --- |
# | | 0 | 1 | 2 | 3 |
# | **K** | 1 | 1 | 2 | 3 |
# | **N** | 2 | 1 | 2 | 3 |
# | **AY** | 3 | 2 | 1 | 2 |
# | **T** | 4 | 3 | 2 | **1** |
#
# **Exercise 11.21** · difficulty 3 of 5 · 12 minutes · 3 points
#
# **Return the edit distance of two lists of sounds.**
#
# <details><summary>Hint 1</summary>Which three cells of the table does a new cell need? In which order can you fill
# the table, so that all three are there?</details>
# <details><summary>Hint 2</summary>What do the first row and the first column hold, and why aren't they
# zeros?</details>
# <details><summary>The idea</summary>Fill a table row by row, one row and one column larger than the lists are
# long. The answer is in its last corner.</details>


# %% exercise="translation.edit_distance"
def edit_distance(written, right):
    """The fewest insertions, deletions and substitutions
    that turn one list of sounds into the other.

    Args:
        written: a list of sounds, perhaps empty.
        right: a list of sounds, perhaps empty.
            30 sounds in each take milliseconds.

    Returns:
        An integer.
    """
    ### BEGIN SOLUTION
    row = list(range(len(right) + 1))
    for i, one in enumerate(written, 1):
        above, row = row, [i]
        for j, other in enumerate(right, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (one != other)))
    return row[-1]
    ### END SOLUTION


# %% check="translation.edit_distance"
check("translation.edit_distance", edit_distance)

# %% [markdown]
# The **phoneme error rate** is the sum of all edits, divided by the number of right sounds (phonemes): sum first,
# as in BLEU. The **word error rate** is the share of words with any error. If a word has several
# pronunciations, the nearest one counts.


# %%
def error_rates(written, words):
    """The phoneme error rate and the word error
    rate of what was written for these words.
    """
    edits = right = wrong = 0
    for text, word in zip(written, words, strict=True):
        ways = [way.split() for way in sounds.dictionary().sounds[word]]
        distance, length = min((edit_distance(text.split(), way), len(way)) for way in ways)
        edits, right, wrong = edits + distance, right + length, wrong + (distance > 0)
    return edits / right, wrong / len(words)


@torch.no_grad()
def said(model, words):
    """What the model writes for each word: sounds, as a text."""
    known = sounds.vocabulary()
    source = explorers.encode([known.encode(" ".join(word)) for word in words])
    return [known.decode(row) for row in greedy_decode(steps_of(model, source), len(source), LONGEST)]


# %% [markdown]
# ## 11.22 It learns to read aloud
#
# The same model and the same `train`. One vocabulary holds letters, in lower case, and sounds, in capitals. The
# picture on the right shows what share of 200 held-out words is right.


# %%
SPOKEN_BATCH, SPOKEN_STEPS = 64, 5000


def new_speaker(seed):
    torch.manual_seed(seed)
    return Translator(len(sounds.vocabulary()), WIDTH, HEADS, 4 * WIDTH, LAYERS)


def train_on_sounds(model, steps, seed):
    """Train on the dictionary, with a look at
    200 held-out words now and then.
    """
    spoken = sounds.dictionary()
    drawn = explorers.batches(sounds.numbered(spoken.learned), SPOKEN_BATCH, seed)

    def share(model):
        return 1 - error_rates(said(model, spoken.looked_at), spoken.looked_at)[1]

    return train(model, drawn, steps, lambda step: paper_rate(step, WIDTH, WARMUP), share, "Sounds")


# %% draw=true
# It learns to say words. Beside it: one fixed sound per letter
speaker = None
with waiting_for("Exercises 11.2, 11.6, 11.7, 11.8 and 11.21"):
    if here:
        speaker, fixed = new_speaker(seed=0), sounds.sound_of_each_letter()
        if not training.recall("speaker", speaker):
            training.keep("speaker", speaker, train_on_sounds(speaker, training.steps(SPOKEN_STEPS), seed=0))
        explorers.finished(speaker)
        spelled = [" ".join(fixed[letter] for letter in word) for word in spoken.tested]
        written = said(speaker, spoken.tested)
        for name, found in (("a fixed sound per letter", spelled), ("your model", written)):
            phonemes, words = error_rates(found, spoken.tested)
            print(f"{name:<26}{phonemes:6.1%} of sounds, {words:6.1%} of words wrong")
    else:
        print(sounds.LEFT_OUT)

# %% [markdown]
# We trained from three seeds, each with about {measured.training_letters_to_sounds.seed_0.cpu_s} seconds of
# processor time. On average {measured.training_letters_to_sounds.mean_t_interval.sounds_wrong.1} % of the sounds
# and {measured.training_letters_to_sounds.mean_t_interval.words_wrong.1} % of the words were wrong (t-interval of
# the words: {measured.training_letters_to_sounds.mean_t_interval.words_wrong.2} to
# {measured.training_letters_to_sounds.mean_t_interval.words_wrong.3} %). A fixed sound per letter gets
# {measured.training_letters_to_sounds.a_fixed_sound_per_letter.words_wrong} of the words wrong. One wrong sound
# spoils a word, so the word error rate is much higher than the phoneme error rate.
#
# **Published results** are better: 23.55 % of the words wrong (Yao and Zweig 2015), then 19.88 % of the words and
# 4.6 % of the sounds (Sun et al. 2019). Those models are larger, were trained for longer and tested on other words,
# so the comparison is rough.

# %% draw=true
# Words that it has never seen, and what the dictionary says
with waiting_for("the training in 11.22"):
    if not here:
        print(sounds.LEFT_OUT)
    elif speaker is None:
        raise NotImplementedError
    else:
        for word, found in list(zip(spoken.tested, written, strict=True))[::150]:
            mark = " " if found in spoken.sounds[word] else "✗"
            print(f"{mark} {word:<14} {found:<34} {' or '.join(spoken.sounds[word])}")

# %% [markdown]
# ## 11.23 Which letters make a sound?
#
# You can judge this alignment yourself: in *phone*, *ph* makes F, *o* makes OW, *n* makes N, and *e* is silent. Did
# cross-attention find out? Letters and sounds come in nearly the same order, so a right alignment hardly ever goes
# back to an earlier letter.


# %%
def listen(word):
    """The sounds written, and the cross-attention of
    the layer that goes back least, (H, T_t, T_s).
    """
    if speaker is None:  # without one, `watched` would take the translator
        raise NotImplementedError
    _, written, _, crossed = watched(" ".join(word), speaker, sounds.vocabulary())
    return written, crossed[steadiest]


# %% draw=true
# How seldom the alignment goes back, in each layer
with waiting_for("Exercise 11.17, and the training in 11.22"):
    if here:
        back, steps = [0] * LAYERS, 0
        for word in spoken.tested[: training.steps(200)]:
            _, _, _, crossed = watched(" ".join(word), speaker, sounds.vocabulary())
            real = torch.arange(len(word) + 1) < len(word)
            for layer, weights in enumerate(crossed):
                found = alignment(weights, real).tolist()[:-1]  # without <eos>
                back[layer] += sum(b < a for a, b in itertools.pairwise(found))
            steps += max(0, len(found) - 1)
        steadiest = min(range(LAYERS), key=back.__getitem__)
        for layer, count in enumerate(back):
            print(f"layer {layer + 1}: {count / steps:.1%} of {steps} steps go back")
    else:
        print(sounds.LEFT_OUT)

# %% draw=true
# One word, and the letters that each of its sounds looks at
with waiting_for("the training in 11.22"):
    if here:
        found, weights = listen("apostrophe")
        show(figures.spoken(weights.mean(dim=0), found, "apostrophe"))
    else:
        print(sounds.LEFT_OUT)

# %% [markdown]
# Nobody told it that *ph* is one sound. And unlike the sentences of 11.17, words need no jumps: the bright cells
# run down a diagonal.
#
# Choose a word, or type one: your own name, or a word that you make up.

# %% draw=true
# Explore: words of your own
explorers.sounds_explorer(listen if here else None, "the training in 11.22")

# %% [markdown]
# ## 11.24 For a longer evening: German to English
#
# Real captions of pictures, 29,000 pairs (Multi30k, Elliott et al. 2016), with the same functions. Four things
# change. The tokens are sub-words (4,000, learned from both languages together). The model is larger: 192 channels,
# three blocks on each side. The measure is BLEU instead of exact sentences, on lower-case words with punctuation
# apart, so don't compare it with published figures. And it takes longer: set `LONG_EVENING` to True, choose the
# minutes, and run. How many steps that makes depends on your machine. In our run, half an hour on two idle cores,
# {measured.training_translation_real_text.multi30k.cpu_minutes} minutes of processor time in all, gave BLEU
# {measured.training_translation_real_text.multi30k.bleu} on the 1,000 captions of the test set.


# %%
def encoded(tokenizer, pairs, longest=60):
    """Both sides as sub-words, without the few very long ones."""
    coded = ([tokenizer.encode(text).ids for text in pair] for pair in pairs)
    return [pair for pair in coded if max(map(len, pair)) <= longest]


@torch.no_grad()
def in_english(model, tokenizer, german):
    """German captions to English ones."""
    found = []
    for start in range(0, len(german), 50):
        source = explorers.encode([tokenizer.encode(text).ids for text in german[start : start + 50]])
        for row in greedy_decode(steps_of(model, source), len(source), 50).tolist():
            end = row.index(EOS) if EOS in row else len(row)
            found.append(explorers.words_of(tokenizer.decode(row[:end])))
    return found


@training.on_device
def seconds_a_step(model, drawn, count=10):
    """How long a step takes; with a rate of 0 nothing is learned."""
    optimizer, spread = optimizer_of(model, 0.0), training.on_all_cores(translation_loss)
    begun = time.perf_counter()
    for _ in range(count):
        source, target = next(drawn)
        training_step(model, optimizer, spread, (source, *shifted_right(target)))
    return (time.perf_counter() - begun) / count


def german_to_english(minutes):
    """Train for so long, and print the test set's BLEU
    and some captions. Returns the model and BLEU.
    """
    tokenizer, captions = explorers.multi30k()
    drawn = explorers.batches(encoded(tokenizer, captions["train"]), 64, seed=0)
    torch.manual_seed(0)
    reader = Translator(tokenizer.get_vocab_size(), 192, 4, 768, 3)
    steps = training.steps(int(60 * minutes / seconds_a_step(reader, drawn)))
    german, english = zip(*captions["val"][:100], strict=True)

    def measure(model):
        return bleu(in_english(model, tokenizer, german), english) / 100

    def rate(step):
        return 0.5 * paper_rate(step, 192, 800)

    train(reader, drawn, steps, rate, measure, "German to English")
    german, english = zip(*captions["test"], strict=True)
    found = in_english(reader, tokenizer, german)
    reached = bleu(found, english)
    print(f"{steps} steps; test set, {len(german)} captions: BLEU {reached:.1f}")
    for one, model_says, person_says in zip(german[:5], found, english, strict=False):
        print(f"{one}\n    model   {model_says}\n    person  {person_says}")
    return reader, reached


# %% draw=true
LONG_EVENING, MINUTES = False, 30
if LONG_EVENING:
    reader, reached = german_to_english(MINUTES)
else:
    print("LONG_EVENING is False: nothing is trained here.")

# %% [markdown]
# ## 11.25 What to remember
#
# - The encoder reads once; its outputs are the memory. Each decoder block looks at the words so far, causally, and
#   then at the whole memory.
# - Teacher forcing: the decoder reads the right words, one place behind. So all positions train at once; but a good
#   loss doesn't show that decoding works.
# - Label smoothing spreads ε over all words: the loss has a floor above 0, and the model stays a little unsure.
# - A cache keeps keys and values: one position per step, and the same result.
# - Greedy decoding takes the best word, beam search keeps several beginnings; the sums of log-probabilities
#   have to be corrected for length.
# - BLEU: clipped n-grams, summed over the set, geometric mean, brevity penalty.
# - Cross-attention found out which word translates which, without being told.
# - Edit distance compares lists that are shifted against each other; error rates sum the edits first, then divide.
#
# **Sources.** Vaswani et al. 2017, *Attention is all you need*. Sutskever, Vinyals and Le 2014, *Sequence to
# sequence learning*. Wu et al. 2016, *Google's neural machine translation system*. Szegedy et al. 2016,
# *Rethinking the Inception architecture*. Papineni et al. 2002, *BLEU*. Post 2018, *A call for clarity in
# reporting BLEU scores*. Xiong et al. 2020, *On layer normalization in the Transformer architecture*. Jain
# and Wallace 2019, *Attention is not explanation*; Wiegreffe and Pinter 2019, *Attention is not not
# explanation*. Clark et al. 2019, *What does BERT look at?* Elliott et al. 2016, *Multi30K*. Wagner and Fischer 1974,
# *The string-to-string correction problem*. The CMU Pronouncing Dictionary, Carnegie Mellon University. Yao and
# Zweig 2015, *Sequence-to-sequence neural net models for grapheme-to-phoneme conversion*. Sun et al. 2019,
# *Token-level ensemble distillation for grapheme-to-phoneme conversion*.
#
# You have now built every part of the paper's figure 1, and it translates. Lesson 12 is about what has changed
# since.
