# %% [markdown]
# # 9 · Fine-tuning
#
# - **You will learn** to turn a language model into a classifier: put a new head on its body, read the right
#   position, move weights without silently losing them, freeze parts and choose learning rates for the rest. Then you
#   measure, with intervals, what pretraining is worth for 50 to 2,000 labels, whether the model still knows what it
#   knew before, and what a low-rank change can do (LoRA).
# - **You need** lesson 8 (language models and their training) and lesson 4 (masks).
# - **Time** {minutes} minutes, in three sittings: 9.1 to 9.5, 9.6 to 9.11, 9.12 to 9.18.
#
# A label costs somebody's time; plain text is nearly free. This lesson measures how many labels text can replace.

# %% setup=true
import math

import torch

from helpers import corpora, pretraining, training
from helpers.checks import case, check
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.finetuning import drawings, experiments, explorers, figures, real_text
from helpers.finetuning.experiments import Examples, Run, new_backbone

torch.set_num_threads(1)  # each core works on a training run of its own
PAD = corpora.PAD  # the number of <pad>: 0
# Student's t for 95 %, by degrees of freedom:
# T_95[4] is 2.776. There is none for 0.
T_95 = (0.0, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)

# %% [markdown]
# ## 9.0 Catch the slip
#
# Three short pieces on lessons 7 and 8. Each is right, or has one slip that is easy to make.

# %% recall="finetuning.recall_shift"

# %% recall="finetuning.recall_perplexity"

# %% recall="finetuning.recall_layer"

# %% [markdown]
# ## 9.1 The task
#
# Each review of the course's corpus has a label: 1 where it is favourable, 0 where it isn't.

# %%
for review in corpora.reviews(4, seed=3):
    print(review.label, review.text, "\n")

# %% [markdown]
# Counting good and bad words isn't enough. *Not dull* is praise, and *although the plot is charming, the
# prose is flat* isn't. To find the label, you need the order of the words.
#
# A language model has read thousands of such reviews, without labels. To guess the next word it had to learn
# which words go together. To use that, keep its **body**, which turns tokens into vectors. Replace its
# **head**, which turned vectors into scores for words, with a new one that scores two classes. Train a little
# on labelled reviews. That is *fine-tuning* (Radford et al. 2018).

# %% [markdown]
# ## 9.2 Which position to read
#
# **Why.** The body gives a vector for each position: T of them. The head needs one. In a causal model,
# position $t$ has seen the tokens up to $t$, so only the **last** one has seen the whole review.
#
# The reviews of a batch differ in length, and short ones are padded. In those, the last *column* isn't the
# last *token*.
#
# **By hand.** Three reviews of 4, 2 and 3 tokens in a batch with T = 4 (to keep it short, without the `<bos>`
# that each real one begins with):
#
# | | 0 | 1 | 2 | 3 | real tokens | read position |
# | --- | --- | --- | --- | --- | --- | --- |
# | review 0 | a | fine | book | `<eos>` | 4 | 3 |
# | review 1 | dull | `<eos>` | `<pad>` | `<pad>` | 2 | **1** |
# | review 2 | a | joy | `<eos>` | `<pad>` | 3 | **2** |
#
# **Exercise 9.2a** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return the vector at each review's last real token.**
#
# <details><summary>Hint 1</summary>The mask says which tokens are real. How do you count them in each review?
# </details>
# <details><summary>Hint 2</summary>If a review has n tokens, what is its last position? (<code>hidden[rows,
# positions]</code> takes one position for each row.)</details>
# <details><summary>The idea</summary>The number of real tokens in a row says where its last one is. Pick the vector
# there.</details>


# %% exercise="finetuning.last_real"
def last_real(hidden, real):
    """The vector at each review's last token.

    Args:
        hidden: one vector for each position, (B, T, C).
        real: boolean, (B, T). True is a token. Padding is at the ends,
            and no review is empty.

    Returns:
        (B, C).
    """
    ### BEGIN SOLUTION
    last = real.sum(dim=-1) - 1  # (B,)
    return hidden[torch.arange(len(hidden)), last]
    ### END SOLUTION


# %% check="finetuning.last_real"
check("finetuning.last_real", last_real)

# %% [markdown]
# What happens if you read the last column? Here one short review goes through an untrained body: alone, and in
# a batch with a longer one.

# %% draw=true
# How far a vector moves beside a longer review
with waiting_for("Exercise 9.2a"):
    torch.manual_seed(0)
    body = new_backbone()
    both = experiments.examples(40, seed=1).ids
    lengths = (both != PAD).sum(dim=-1)
    pair = both[[int(lengths.argmin()), int(lengths.argmax())]]
    alone = pair[:1, : int(lengths.min())]
    with torch.no_grad():
        in_batch, by_itself = body(pair), body(alone)
    right = (last_real(in_batch, pair != PAD)[0] - last_real(by_itself, alone != PAD)[0]).norm()
    column = (in_batch[0, -1] - by_itself[0, -1]).norm()
    labels, moved = ["the last token", "the last column"], {"difference": [right, column]}
    title = f"A review of {int(lengths.min())} tokens: alone, and beside one of {int(lengths.max())}"
    show(plots.bars(labels, moved, ylabel="distance of the two vectors", title=title))

# %% [markdown]
# There is an alternative. The body was trained to predict the next word. After the last token there is none, so the
# vector there may hold little; what the body has found out about a word may be at that word's own position. So take
# the **mean** of the vectors at all real positions. 9.9 measures which is better. (The first position won't do: it
# has seen only `<bos>`, so its vector is the same for every review.)
#
# **By hand.** Vectors 2, 4, 9, 9, the last two of them padding: (2 + 4)/2 = **3**, not 24/4.
#
# **Exercise 9.2b** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Return the mean of the vectors at each review's real tokens.**
#
# <details><summary>Hint 1</summary>What has to be 0 before you add over the positions?</details>
# <details><summary>Hint 2</summary>By what do you divide: by T, or by something that differs from review to
# review?</details>
# <details><summary>The idea</summary>Padding counts for nothing, neither in the sum nor in the number of
# tokens.</details>


# %% exercise="finetuning.mean_real"
def mean_real(hidden, real):
    """The mean of the vectors at each review's tokens.

    Args:
        hidden: one vector for each position, (B, T, C).
        real: boolean, (B, T). True is a token. No review is empty.

    Returns:
        (B, C).
    """
    ### BEGIN SOLUTION
    return (hidden * real[..., None]).sum(dim=-2) / real.sum(dim=-1, keepdim=True)
    ### END SOLUTION


# %% check="finetuning.mean_real"
check("finetuning.mean_real", mean_real)

# %% [markdown]
# ## 9.3 A head on a body
#
# **Formula.** Let $h$ be the vector that is read, the last token's or the mean:
#
# $$\text{logits} = W h + b, \qquad W: K \times C$$
#
# $K$ is the number of classes. For the course's model, with C = 96 and K = 2, that is 194 new parameters beside the body's
# 318 thousand.

# %% draw=true
# From tokens to the scores of the classes
show(drawings.head_on_a_body())

# %% [markdown]
# **Exercise 9.3** · difficulty 2 of 5 · 8 minutes · 3 points
#
# **Write `forward`: the body's vectors, pooled into one, and a score for each class.**
#
# The body is a module: `self.body(ids)` gives (B, T, C). `self.pool` is one of your two functions, or a
# similar one. Padding has the number 0.
#
# <details><summary>Hint 1</summary>Which three steps lead from tokens to logits?</details>
# <details><summary>Hint 2</summary>Which tokens are real? Compare the ids with the number of padding. The
# loss takes logits, so there is no softmax here.</details>
# <details><summary>The idea</summary>Body, pool, head. The pool also takes the mask of real tokens.</details>


# %% exercise="finetuning.classifier"
class Classifier(torch.nn.Module):
    """A head on a body.

    Args:
        body: a module; body(ids) is (B, T, C).
        d_model: C.
        n_classes: K.
        pool: pool(hidden, real) makes one
            vector of each review, (B, C).
    """

    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        """Tokens (B, T), with 0 for padding
        at the ends, to logits (B, K).
        """
        ### BEGIN SOLUTION
        return self.head(self.pool(self.body(ids), ids != 0))
        ### END SOLUTION


# %% check="finetuning.classifier"
check("finetuning.classifier", Classifier)

# %% [markdown]
# ## 9.4 The loss of a class
#
# **Why.** Lesson 8's loss asked for the next word at each position. Now there is one prediction per review,
# out of K classes. It is the same cross-entropy, without the positions:
#
# $$\mathcal L = -\frac1B \sum_{b} \ln \mathrm{softmax}(\text{logits}_b)[\text{label}_b]$$
#
# **By hand.** Logits (0, 0): both classes have probability 1/2, and the loss is $\ln 2 = 0.693$ whatever the label. Logits
# (ln 3, 0): the first class has 3/4. If it is right, the loss is ln 4/3 = **0.288**; if not, ln 4 = **1.386**.
#
# You have written it for words, so here it is given:


# %%
def class_loss(logits, labels):
    """The mean cross-entropy of the right classes
    in nats, of logits (B, K) and labels (B,).
    """
    return -logits.log_softmax(dim=-1).gather(-1, labels[:, None]).mean()


# %% [markdown]
# ## 9.5 Moving the weights
#
# **Why.** A model's weights are saved as a *state dict*, which maps names to tensors. The language model of
# lesson 8 has names such as `blocks.0.attention.W_qkv.weight`. In your classifier the same tensor is called
# `body.blocks.0.attention.W_qkv.weight`, because it belongs to the part named `body`. And both models have a
# `head.weight`, with different meanings!

# %%
old = pretraining.new_model().state_dict()
print([f"{name} {tuple(tensor.shape)}" for name, tensor in old.items()][:3], "...")
print([f"{name} {tuple(tensor.shape)}" for name, tensor in old.items()][-3:])

# %% [markdown]
# **What must match**: each name of the body, and each shape. **What must not**: the head. It has a different
# job, and starts from random numbers. So compare before you copy anything.
#
# **By hand.** Old: `words.weight` (9, 4), `positions.weight` (5, 4), `head.weight` (9, 4). New, with the prefix `body.`:
# `body.words.weight` (9, 4), `body.positions.weight` (8, 4), `body.norm.weight` (4), `head.weight` (2, 4).
#
# | list | names |
# | --- | --- |
# | fits | `body.words.weight` |
# | other shape | `body.positions.weight` |
# | missing | `body.norm.weight` |
# | left over (of the old) | `head.weight` |
#
# **Exercise 9.5a** · difficulty 3 of 5 · 10 minutes · 3 points
#
# **Sort the names of the weights into those that fit, have a different shape, are missing, or are left
# over.**
#
# <details><summary>Hint 1</summary>Loop over the new names. Which of them belong to the body?</details>
# <details><summary>Hint 2</summary>What is the same tensor called in the old model? <code>removeprefix</code> helps.
# </details>
# <details><summary>The idea</summary>Look up each name of the new body in the old model: is it there, and in
# the same shape? Old names that are never looked up are left over.</details>


# %% exercise="finetuning.what_fits"
def match_state_dict(old, new, prefix):
    """Compare the weights of a pretrained model with
    those of a model whose body they should fill.

    Args:
        old: the pretrained model's weights by name, {name: tensor}.
        new: the new model's. Its body's names are
            the old ones with the prefix in front.
        prefix: such as "body.".

    Returns:
        {"fits": [...], "other shape": [...], "missing": [...],
        "left over": [...]}. The first three hold names of the new
        model's body, in the order of `new`; the last the old names that
        the new body doesn't have, in the order of `old`.
    """
    ### BEGIN SOLUTION
    found = {"fits": [], "other shape": [], "missing": [], "left over": []}
    for name, tensor in new.items():
        if name.startswith(prefix):
            there = old.get(name.removeprefix(prefix))
            kind = "missing" if there is None else "fits" if there.shape == tensor.shape else "other shape"
            found[kind].append(name)
    found["left over"] = [name for name in old if prefix + name not in new]
    return found
    ### END SOLUTION


# %% check="finetuning.what_fits"
check("finetuning.what_fits", match_state_dict)

# %% [markdown]
# Now fill the body, with *copies*: if the classifier shared tensors with the pretrained model, training one
# would change the other.
#
# **Exercise 9.5b** · difficulty 3 of 5 · 8 minutes · 3 points
#
# **Return the new model's weights, with the pretrained ones in its body wherever they fit.**
#
# <details><summary>Hint 1</summary>The result has exactly the names of <code>new</code>. For which of them does the tensor come
# from <code>old</code>?</details>
# <details><summary>Hint 2</summary>Your <code>match_state_dict</code> lists those that fit.
# <code>tensor.clone()</code> copies.</details>
# <details><summary>The idea</summary>Every tensor returned is a copy: of the old one where it fits, else of
# the new one.</details>


# %% exercise="finetuning.moved"
def transfer(old, new, prefix):
    """The new model's weights with the pretrained ones in its body.

    Args:
        old: the pretrained model's weights by name.
        new: the new model's.
        prefix: of the body's names in the new model.

    Returns:
        A dict with the names of `new`: copies, of the old tensor where
        the name is the body's and fits, else of the new one.
    """
    ### BEGIN SOLUTION
    fits = match_state_dict(old, new, prefix)["fits"]
    return {
        name: (old[name.removeprefix(prefix)] if name in fits else tensor).clone()
        for name, tensor in new.items()
    }
    ### END SOLUTION


# %% check="finetuning.moved"
check("finetuning.moved", transfer)

# %% [markdown]
# Now the real thing: the language model that you trained in lesson 8. (If it isn't on this computer, one like
# it is trained now, in about two minutes on two cores.) To make many runs quick, the bodies below are built
# from the course's parts; with your weights they compute the same numbers as your own model. If anything
# doesn't match, a good loader stops, as this one does.


# %%
def new_classifier(pretrained_weights=None, pool=mean_real):
    """Your classifier, (B, T) to (B, 2): with the pretrained
    weights in its body, or without, from scratch.
    """
    backbone = new_backbone()
    classifier = Classifier(backbone, backbone.config.d_model, 2, pool)
    if pretrained_weights is not None:
        own = classifier.state_dict()
        found = match_state_dict(pretrained_weights, own, "body.")
        if found["missing"] or found["other shape"]:
            raise ValueError(f"the body isn't the pretrained one: {found}")
        classifier.load_state_dict(transfer(pretrained_weights, own, "body."))
    return classifier


# %% draw=true
# Which model is fine-tuned here, and which of its weights fit
with waiting_for("the exercises up to 9.5b"):
    new_classifier(
        pretraining.new_model().state_dict()
    )  # are they all written? Only then is it worth training
    weights = experiments.pretrained_weights()
    experiments.trained_enough(weights)
    classifier = new_classifier(weights)
    found = match_state_dict(weights, classifier.state_dict(), "body.")
    print({kind: len(names) for kind, names in found.items()}, "left over:", found["left over"])

# %% [markdown]
# Everything fits except the old head, as it should be.
#
# What does this model know of praise and blame, although it has never seen a label? Let it predict the next word, and
# compare the probability of twelve adjectives of praise (*charming*, *clever*, ...) with that of twelve of blame
# (*dull*, *tedious*, ...): what share goes to praise?

# %% predict="finetuning.praise"

# %% draw=true
# How probable words of praise are, after four openings
with waiting_for("the exercises up to 9.5b"), after_predicting("finetuning.praise"):
    language_model = pretraining.new_model()
    language_model.load_state_dict(weights)
    opening = "i read this mystery by julia whitfield in march . it is about irene , a lonely detective in london . "
    for text in (
        "luckily , the plot is",
        "sadly , the plot is",
        "the plot is vivid and",
        "the plot is flat and",
    ):
        share = experiments.share_of_praise(language_model, opening + text)
        print(f"{text + ' ...':<26} praise {100 * share:3.0f} %")

# %% [markdown] reveals="finetuning.praise"
# It has separated praise from blame by the company that words keep. The loss hardly shows it: ours reached
# {measured.training_finetuning.before.nats_per_token:.2f} nats per token, and the entropy is
# {measured.training_finetuning.the_entropy.nats_per_token:.2f}. An earlier model of ours stopped a few hundredths
# higher. It gave praise about half everywhere, and with 200 labels it gained nothing that could be told from chance.
# A body can't pass on what it hasn't learned.

# %% [markdown]
# ## 9.6 PyTorch's own loader
#
# `load_state_dict` raises an error when names differ. Many programs call it with `strict=False` instead.

# %% predict="finetuning.strict"

# %% draw=true
# The same weights in PyTorch's own loader
with waiting_for("the exercises up to 9.5b"), after_predicting("finetuning.strict"):
    careless = new_classifier()
    before = {name: tensor.clone() for name, tensor in careless.state_dict().items()}
    without_head = {name: tensor for name, tensor in weights.items() if name != "head.weight"}
    missing, unexpected = map(len, careless.load_state_dict(without_head, strict=False))
    same = sum(torch.equal(tensor, before[name]) for name, tensor in careless.state_dict().items())
    print(f"no error; {same} of {len(before)} tensors are what they were before")
    print(f"who looks at what it returns: {missing} missing, {unexpected} unexpected")
    held_out = experiments.examples(100, seed=998)
    for name, model in (("your `transfer`", classifier), ("strict=False", careless)):
        torch.manual_seed(0)
        first = class_loss(model(held_out.ids), held_out.labels).item()
        loss = experiments.language_loss(model.body, held_out)
        print(f"{name:<14} first classifier loss {first:.2f}   language-model loss of the body {loss:.2f}")

# %% [markdown] reveals="finetuning.strict"
# Not a single tensor was moved, and no error said so. The classifier's first loss doesn't reveal it: with a new
# head it is near ln 2 ≈ 0.69 in both cases. The body's own loss as a language model does: an untrained body is
# no better than guessing among 884 words, which costs ln 884 ≈ 6.8.

# %% [markdown]
# **Exercise 9.6** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Say what `load_state_dict(..., strict=False)` does in each case.** `"the rest is moved"` means that all matching
# tensors are moved, without an error. In the third line, the two layers are blocks 0 and 1, whose shapes are equal.
# The last line asks for the clearest sign that nothing was moved.
#
# <details><summary>Hint 1</summary><code>strict</code> is about names. Is it also about shapes?</details>
# <details><summary>Hint 2</summary>When two blocks of equal shape are swapped, every name and shape still
# matches. Does the order of blocks matter?</details>
# <details><summary>The idea</summary>Names decide whether a tensor is moved, shapes whether there is an
# error. Nothing checks what a block is for.</details>


# %% exercise="finetuning.silent"
# The first two: "an error", "nothing is moved", "the rest is moved".
# The third: "an error", "a different function", "the same function".
# The last: "the classifier's first loss",
# "the body's language-model loss", "a warning".
silent = {
    "each name lacks the prefix": ...,
    "one tensor has a different shape": ...,
    "two layers are swapped": ...,
    "the surest sign that nothing was moved": ...,
}
### BEGIN SOLUTION
silent = {
    "each name lacks the prefix": "nothing is moved",
    "one tensor has a different shape": "an error",
    "two layers are swapped": "a different function",
    "the surest sign that nothing was moved": "the body's language-model loss",
}
### END SOLUTION

# %% check="finetuning.silent"
check("finetuning.silent", silent)

# %% [markdown]
# ## 9.7 Freezing
#
# **Why.** The head starts from random numbers, the body doesn't. You can leave the body as it is and train
# the head alone: that is quick, takes little memory, and lets the body serve other tasks as well. A parameter
# with `requires_grad` False gets no gradient, and an optimizer leaves it alone. (`eval()` freezes nothing: it
# switches dropout off.)
#
# **Exercise 9.7a** · difficulty 1 of 5 · 4 minutes · 2 points
#
# **Freeze the body, and leave the head free to learn.**
#
# <details><summary>Hint 1</summary>Which attribute of a parameter says whether it trains? It belongs to parameters, not to modules.</details>
# <details><summary>Hint 2</summary>What does <code>model.body.requires_grad = False</code> do? It raises no
# error, and only gives the module a new attribute.</details>
# <details><summary>The idea</summary>Every parameter of the body has to be frozen. A module has a method that
# does this for all its parameters.</details>


# %% exercise="finetuning.freeze"
def freeze(model):
    """Let training change nothing in the
    model's body. Its head still trains.

    Args:
        model: has a `body` and a `head`; changed in place.
    """
    ### BEGIN SOLUTION
    model.body.requires_grad_(False)
    ### END SOLUTION


# %% check="finetuning.freeze"
check("finetuning.freeze", freeze)

# %% [markdown]
# **Exercise 9.7b** · difficulty 1 of 5 · 3 minutes · 1 point
#
# **Return how many numbers training can change.**
#
# <details><summary>Hint 1</summary>Lesson 7 counted all parameters. Which of them count here?</details>
# <details><summary>Hint 2</summary>A parameter of 3 × 4 is 12 numbers.</details>
# <details><summary>The idea</summary>Lesson 7's count, without what is frozen.</details>


# %% exercise="finetuning.trainable"
def trainable(model):
    """How many numbers of a model training can change, an integer.
    A parameter that two layers share counts once.
    """
    ### BEGIN SOLUTION
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)
    ### END SOLUTION


# %% check="finetuning.trainable"
check("finetuning.trainable", trainable)

# %% [markdown]
# **A claim to check.** "Weight decay still moves frozen parameters, since it pulls all of them towards 0."
# Does it? AdamW skips a parameter whose gradient is `None`. A gradient of *zeros* is a different matter:

# %%
for name, gradient in (("None", None), ("zeros", torch.zeros(2))):
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.grad = gradient
    torch.optim.AdamW([parameter], lr=0.1, weight_decay=0.1).step()
    print(f"gradient {name:<6} after one step: {[round(number, 3) for number in parameter.tolist()]}")

# %% [markdown]
# So the claim is wrong for parameters frozen from the start, whose gradient is `None`. It is right if you
# "freeze" by setting gradients to zero.

# %% [markdown]
# ## 9.8 Two learning rates
#
# **Why.** If the body trains too, it needs care: large steps at the beginning, while the head is random, can
# destroy what it knows. An optimizer accepts *groups*, each with its own rate (Howard and Ruder 2018 give
# each layer its own):
#
# `torch.optim.AdamW([{"params": [...], "lr": 0.001}, {"params": [...], "lr": 0.01}])`
#
# Two traps. The key must be `lr`: any other, such as `rate`, is silently accepted, and the optimizer's
# default rate is used. And `model.parameters()` holds *all* parameters, the head's too.
#
# **Exercise 9.8** · difficulty 3 of 5 · 8 minutes · 3 points
#
# **Return the optimizer's groups: body and head, each with its rate, without what is frozen.**
#
# <details><summary>Hint 1</summary>How do you get the body's parameters without the head's?</details>
# <details><summary>Hint 2</summary>Which parameters belong in no group? (Leave out a group that would be
# empty.)</details>
# <details><summary>The idea</summary>Two groups of trainable parameters, each with its rate. An empty group
# is left out.</details>


# %% exercise="finetuning.groups"
def parameter_groups(model, body_rate, head_rate):
    """Groups for an optimizer: the body at one learning
    rate, the head at another. Without what is frozen.

    Args:
        model: has a `body` and a `head`.
        body_rate: the body's learning rate.
        head_rate: the head's.

    Returns:
        A list of dicts with "params", a list of parameters, and "lr".
        No group is empty.
    """
    ### BEGIN SOLUTION
    groups = []
    for part, rate in ((model.body, body_rate), (model.head, head_rate)):
        params = [parameter for parameter in part.parameters() if parameter.requires_grad]
        if params:
            groups.append({"params": params, "lr": rate})
    return groups
    ### END SOLUTION


# %% check="finetuning.groups"
check("finetuning.groups", parameter_groups)

# %% [markdown]
# ## 9.9 Three regimes
#
# | regime | the body starts from | what trains | learning rates: body, head | pooling |
# | --- | --- | --- | --- | --- |
# | head only, a *linear probe* | pretrained weights | the head | –, 0.01 | mean |
# | full | pretrained weights | all | 0.0005, 0.01 | mean |
# | from scratch | random numbers | all | 0.001, 0.01 | last token |
#
# Each regime gets a fair chance. We tried a few learning rates and both ways of pooling, with one body of lesson 8,
# 15 epochs, three seeds and other test reviews. Those in the table did best, or couldn't be told apart from the best.
#
# The two regimes that train the body use AdamW with weight decay 0.05, 16 reviews per step, and gradients
# clipped to length 1. The rate rises for a tenth of the steps, then falls to 0. The head alone takes 300
# steps at a constant rate, each over all reviews: the frozen body's vectors are computed only once.

# %%
RATES = experiments.RATES
POOLS = {"mean": mean_real, "last": last_real}
test = experiments.examples(max(20, training.steps(300)), experiments.TEST_SEED)  # never trained on
print(f"{len(test)} test reviews, {int(test.labels.sum())} of them favourable")
rates = (f"{name:12} learning rate of the body {b:g}, of the head {h:g}" for name, (b, h) in RATES.items())
print("\n".join(rates))


def prepared(regime, seed, n, steps, measured_at, pool=None, adapter=None):
    """A run of `n` labels, ready to go: it makes `steps`
    steps, and counts after those in `measured_at`.
    """
    torch.manual_seed(seed)
    start = weights if regime != "from scratch" else None
    model = new_classifier(start, POOLS[pool or experiments.POOLS[regime]])
    if regime == "head only":
        freeze(model)
    if adapter:
        experiments.adapted(model, adapter, experiments.RANK, experiments.ALPHA)
    train = experiments.examples(n, experiments.TRAIN_SEED + seed)
    return Run(model, parameter_groups(model, *RATES[regime]), train, steps, measured_at, seed)


# %% draw=true
# How many numbers train in each regime
with waiting_for("the exercises up to 9.8"):
    for regime in ("head only", "full", "from scratch"):
        run = prepared(regime, 0, 16, 1, ())
        print(
            f"{regime:<13} {trainable(run.model):>8,} of {sum(p.numel() for p in run.model.parameters()):,} numbers train"
        )

# %% [markdown]
# Here is one run to watch, with 200 labels, for 8 *epochs*. An epoch is one pass over all labelled reviews:
# 13 steps of 16 here, the last one smaller. The loss on the labelled reviews falls almost to 0: the model can
# memorise 200 reviews. That says nothing about new ones.

# %% draw=true
# A fine-tuning run to watch
with waiting_for("the exercises up to 9.8"):
    steps = experiments.epochs(8, 200)
    run = prepared("full", 0, 200, steps, (steps,))
    live = training.Live(steps, "nats per review", {"ln 2": math.log(2)}, "Fine-tuning", bottom=0, top=1.2)
    ticks = iter(live)
    next(ticks)
    [n_right] = experiments.fit(
        run, class_loss, test, each_step=lambda loss: (live.add(training=loss), next(ticks, None))
    )
    print(f"{n_right} of {len(test)} test reviews are right")

# %% [markdown]
# **Last token or mean?** Both with the pretrained body, 8 epochs of 200 labels, 2 seeds.

# %% draw=true
# Pooled by the last token and by the mean: how many are right
watched = None  # the model that 9.14 looks into: it reads the last token
with waiting_for("the exercises up to 9.8"):
    steps = experiments.epochs(8, 200)
    pairs = [
        (pool, prepared("full", seed, 200, steps, (steps,), pool)) for seed in range(2) for pool in POOLS
    ]
    fits = experiments.fit_each([run for _, run in pairs], class_loss, test, "last or mean", models=True)
    counted = [n_right for [n_right] in fits]
    watched = next(run.model for pool, run in pairs if pool == "last")
    for name in POOLS:
        found = [100 * n / len(test) for (pool, _), n in zip(pairs, counted, strict=True) if pool == name]
        print(f"pooled: {name:<5} {', '.join(f'{share:.0f} %' for share in found)}")

# %% [markdown]
# With these few steps the last token is often ahead. In the trials behind our choice, with 15 epochs, the
# two were about equal, but the head alone got clearly more from the mean. So both pretrained regimes read
# the mean below, though it may cost full fine-tuning a few points.

# %% [markdown]
# ## 9.10 Several seeds, fifteen epochs
#
# **Why.** A different seed gives a different initial head, a different order of the reviews, and here also *different
# labelled reviews*. So train several times: 200 labels, 15 epochs, five seeds of each regime, and after each epoch
# the accuracy on the same test reviews.

# %% draw="open"
with waiting_for("the exercises up to 9.8"):
    EPOCHS, SEEDS, LABELS = 15, 5, 200
    steps = experiments.epochs(EPOCHS, LABELS)
    measured = sorted({math.ceil(steps * epoch / EPOCHS) for epoch in range(1, EPOCHS + 1)})
    jobs = [
        (name, prepared(name, seed, LABELS, steps, measured))
        for seed in range(SEEDS)
        for name in ("full", "from scratch")
    ]
    n_right = experiments.fit_each([run for _, run in jobs], class_loss, test, f"{SEEDS} seeds")
    curves = {}
    for name, label in (("full", "pretrained"), ("from scratch", "from scratch")):
        runs = [
            [n / len(test) for n in found]
            for (regime, _), found in zip(jobs, n_right, strict=True)
            if regime == name
        ]
        curves[label] = {EPOCHS * step / steps: shares for step, *shares in zip(measured, *runs, strict=True)}

# %% [markdown]
# Suppose you had a single pair of curves, from one seed, with the pretrained model ahead after each epoch. You
# might write that it "converged after about two epochs", and that the two "may meet" with more training.

# %% predict="finetuning.one_pair"

# %% draw=true
# Five pairs of curves instead of one
with waiting_for("the exercises up to 9.8"), after_predicting("finetuning.one_pair"):
    title = f"{LABELS} labels, {SEEDS} seeds"
    show(figures.curves(curves, xlabel="epoch", title=title, joined=True))

# %% [markdown] reveals="finetuning.one_pair"
# Each thin line is a run, and each band goes from the lowest to the highest of five. Here no run from scratch catches
# up with a pretrained one, so one pair would have been right about which is ahead. But it couldn't have shown that
# this isn't chance, nor how large the lead is. "Converged after two epochs" is too early here: the pretrained models
# still gain a lot after the second. And a single curve can't show gains smaller than the uncertainty of each point,
# three to five percentage points on 300 test reviews (9.15). "May meet" is a guess.

# %% [markdown]
# The third regime, the head alone, with the same five seeds:

# %% draw=true
# Full, head only and from scratch, with 200 labels
with waiting_for("the exercises up to 9.8"):
    heads = [
        experiments.fit_head(prepared("head only", s, 200, 0, ()), class_loss, test) for s in range(SEEDS)
    ]
    last = {
        name: [found[-1] for (regime, _), found in zip(jobs, n_right, strict=True) if regime == name]
        for name in ("full", "from scratch")
    }
    compared = {"full": last["full"], "head only": heads, "from scratch": last["from scratch"]}

    def shares_of(compared):
        """Counts of right reviews as shares of them."""
        return {name: [n / len(test) for n in counts] for name, counts in compared.items()}

    show(figures.seeds(shares_of(compared), title="200 labels: 5 seeds and their mean"))

# %% [markdown]
# A body that has never seen a label is worth a lot: its head alone beats the model from scratch.
# Training the body as well gains more.

# %% [markdown]
# ## 9.11 How many labels is pretraining worth?
#
# Now the same for 50 to 2,000 labels, with two seeds each. From 200 labels on, all runs take 195 steps, as in 9.10.
# Those with fewer labels take 80, since 195 steps would change none of them by more than
# {measured.training_finetuning_trials.50_or_100.largest_change_points} points. (For 200 labels, see 9.10.)

# %% draw=true
# The runs with 50, 100, 500 and 2,000 labels
with waiting_for("the exercises up to 9.8"):
    few = training.steps(80)
    steps_by_size = {50: few, 100: few, 500: steps, 2000: steps}
    jobs_by_size = [
        (n, name, prepared(name, 50 + seed, n, count, (count,)))
        for n, count in steps_by_size.items() for seed in range(2) for name in ("full", "from scratch")
    ]  # fmt: skip
    fits = experiments.fit_each(
        [run for *_, run in jobs_by_size], class_loss, test, "other numbers of labels"
    )
    found = [n_right for *_, n_right in fits]

# %% draw=true
# Accuracy against the number of labels
with waiting_for("the exercises up to 9.8"):
    by_size = {name: {200: last[name]} for name in last}
    for (n, name, _), n_ok in zip(jobs_by_size, found, strict=True):
        by_size[name].setdefault(n, []).append(n_ok)
    ways = {"pretrained": by_size["full"], "from scratch": by_size["from scratch"]}
    by_labels = {way: {n: shares_of(of)[n] for n in sorted(of)} for way, of in ways.items()}
    show(figures.curves(by_labels, xlabel="labels", title="Accuracy against labels", joined=False))

# %% [markdown]
# From the pretrained point at 50, go right until you meet the curve from scratch: in this course's runs that is
# at the far end, so pretraining was worth about forty times as many labels. But 195 steps are 15 passes over
# 200 reviews and fewer than two over 2,000, so the model from scratch may do better with more steps.

# %% [markdown]
# **Is it a best case?** The pretraining text comes from the same grammar as the test reviews, and some sentences are
# in both, word for word. So test the pretrained models of 9.10 on 1,500 reviews with and without a sentence of the
# pretraining text.

# %% draw=true
# Reviews with a known sentence, and without
with waiting_for("the exercises up to 9.8"):
    known, many = experiments.known_sentences(training.steps(1_500))
    for name, rows in (("with a known sentence", known), ("without", ~known)):
        part = many.part(rows.nonzero()[:, 0])
        shares = [experiments.right(run.model, part) / len(part) for regime, run in jobs if regime == "full"]
        ends = f"{100 * min(shares):.1f} to {100 * max(shares):.1f}"
        print(f"{len(part):>5} reviews {name:<22} {100 * sum(shares) / SEEDS:.1f} % ({ends}: five seeds)")

# %% [markdown]
# The difference is small beside the lead over training from scratch: memorised sentences aren't what helps most. But
# the words and the grammar are the same. Pretraining text can hardly be closer to a task than that.

# %% [markdown]
# ## 9.12 Still a language model?
#
# The body was a language model. Is it still one? Use the embedding matrix as its head again, as fine-tuning has left
# it, and measure the loss on new reviews.

# %% predict="finetuning.forgets"

# %% draw=true
# The loss as a language model, before fine-tuning and after
with waiting_for("the exercises up to 9.8"), after_predicting("finetuning.forgets"):
    fresh = experiments.examples(100, seed=998)
    run = prepared("head only", 0, 200, 0, ())
    experiments.fit_head(run, class_loss, test)
    backbones = {
        "before": new_classifier(weights),
        "head only": run.model,
        "full, 200 labels": next(run.model for name, run in jobs if name == "full"),
        "full, 2,000 labels": next(run.model for n, name, run in jobs_by_size if (n, name) == (2000, "full")),
    }
    losses = {name: experiments.language_loss(model.body, fresh) for name, model in backbones.items()}
    show(figures.losses(losses, corpora.entropy_per_token()))

# %% [markdown] reveals="finetuning.forgets"
# Training the head alone forgets nothing: the body didn't change, and the loss is equal to the last digit. Full
# fine-tuning changes the body too, and nothing asks for the next word any more. So its loss as a language model
# rises. This is called *catastrophic forgetting* (McCloskey and Cohen 1989). It matters where one body serves
# several tasks. Remedies: keep the old weights, freeze the body, or keep training on the next word along with
# the label, as GPT-1 did (Radford et al. 2018, section 3.2).

# %% [markdown]
# **Question 9.12** · graded by hand · 8 minutes · 5 points
#
# Name a case in which you would train the head only, one in which you would train all, and one in which you would begin
# from scratch. Say for each what decides it: the number of labels, what the pretraining text was like, memory, or what
# else the body is needed for. Support at least one of your sentences with a number from this lesson.

# %% [markdown] written="finetuning.regimes" points=5
# ### BEGIN SOLUTION
# **Model answer.** Head only: one large model on a server has to answer ten questions about the same text;
# ten heads of a few hundred numbers fit beside one body, which stays the language model it is (its loss
# didn't change at all), and features are computed once. It needs a body whose vectors already hold what is
# asked for; here the head alone was clearly behind full fine-tuning, because what the next word needs isn't
# quite what the label needs. Full: a few hundred labels of the same kind of text as in pretraining, and
# accuracy is what counts: with 200 labels it was right for {measured.training_finetuning.end.full.1} % of the
# reviews, and from scratch for {measured.training_finetuning.end.from_scratch.1} %. From scratch: other tokens
# or a different kind of sequence, such as protein sequences for a model of English, where nothing that was
# learned applies, or millions of labels, with which the lead shrinks and the shape of the model can be chosen
# freely.
#
# **Rubric**
# - 1 point: a sensible case for training the head only, with what decides it.
# - 1 point: the same for full fine-tuning.
# - 1 point: the same for training from scratch.
# - 1 point: a number of this lesson that supports one of them, used rightly.
# - 1 point: says what each costs or loses: forgetting, memory, a copy of the body for each task, or accuracy.
# ### END SOLUTION

# %% [markdown]
# ## 9.13 A small change beside a large map: LoRA
#
# **Why.** Full fine-tuning costs a copy of the model for each task, and memory for the optimizer while it
# trains: AdamW keeps two more numbers for each parameter. The head alone costs next to nothing, but was clearly
# behind. Is there something in between? Hu et al. (2022) leave a matrix $W$ as it is and learn a *change* to
# it, the product of two thin matrices:
#
# $$h = W x + b + \frac{\alpha}{r} B A x \qquad A: r \times d_\text{in}, \quad B: d_\text{out} \times r$$
#
# The **rank** $r$ is small. So $A$ and $B$ have $r\,(d_\text{in} + d_\text{out})$ numbers, where $W$ has
# $d_\text{in} \cdot d_\text{out}$: with 96, 384 and $r = 4$ that is 1,920 beside 36,864. $A$ starts from random
# numbers and $B$ from zeros, so at first nothing changes. The factor $\alpha / r$ is meant to spare you a new
# search for the learning rate whenever $r$ changes (Hu et al., section 4.1). Kalajdzievski (2023) finds that it
# slows learning down for large $r$, and divides by $\sqrt r$ instead.
#
# **By hand.** $d_\text{in} = 2$, $d_\text{out} = 1$, $r = 1$, $\alpha = 2$. $W = (1, 1)$, $b = 0$, $A = (1, -1)$, $B = (3)$,
# and $x = (5, 4)$. The map says 9. $Ax = 1$, $BAx = 3$, and 2/1 · 3 = 6. Together: **15**.

# %% draw=true
# Two thin matrices beside a frozen one
show(drawings.adapter())

# %% [markdown]
# **Exercise 9.13a** · difficulty 3 of 5 · 8 minutes · 3 points
#
# **Write `forward`: the frozen map's output, plus the scaled change.**
#
# <details><summary>Hint 1</summary>The formula has x as a column. Here x is (..., d_in), so how do you write
# $A x$?</details>
# <details><summary>Hint 2</summary>Which is cheaper: x down to r numbers and up again, or the product of B and A
# first?</details>
# <details><summary>The idea</summary>The map's output, plus a scaled detour through r numbers.</details>


# %% exercise="finetuning.adapter"
class LoRALinear(torch.nn.Module):
    """A linear map that stays as it is, and beside it
    the product of two thin matrices, which learns.

    Args:
        linear: a torch.nn.Linear from d_in to
            d_out, with a bias. It is frozen.
        rank: r.
        alpha: the change counts alpha / r times.
    """

    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        """(..., d_in) to (..., d_out)."""
        ### BEGIN SOLUTION
        return self.linear(x) + self.alpha / self.rank * (x @ self.A.T @ self.B.T)
        ### END SOLUTION


# %% check="finetuning.adapter"
check("finetuning.adapter", LoRALinear)

# %% [markdown]
# During training there are three products instead of one. Afterwards one is enough: a sum of linear maps is a
# linear map, so the weight can absorb the change.
#
# **By hand.** Above, $W + 2/1 \cdot BA$ = (1, 1) + 2 · (3, −3) = (7, −5), and (7, −5) · (5, 4) = **15** again.
#
# **Exercise 9.13b** · difficulty 2 of 5 · 6 minutes · 2 points
#
# **Return the weight of the single map that does what both do together.**
#
# <details><summary>Hint 1</summary>Which product of A and B has the shape of the weight?</details>
# <details><summary>Hint 2</summary>Which shape tells you the rank? (Don't change the old weight in place:
# others still need it.)</details>
# <details><summary>The idea</summary>The formula, with x factored out.</details>


# %% exercise="finetuning.merged"
def merged_weight(weight, A, B, alpha):
    """The weight of the one linear map that
    does what a map and its change do together.

    Args:
        weight: the map's, (d_out, d_in). It isn't changed.
        A: (r, d_in).
        B: (d_out, r).
        alpha: the change counts alpha / r times.

    Returns:
        (d_out, d_in).
    """
    ### BEGIN SOLUTION
    return weight + alpha / len(A) * (B @ A)
    ### END SOLUTION


# %% check="finetuning.merged"
check("finetuning.merged", merged_weight)

# %% [markdown]
# Now put your adapters beside all eight linear maps of the body's two blocks, and train them with the five
# seeds, 200 labels and 15 epochs of 9.10.

# %% predict="finetuning.adapters"

# %% draw=true
# Your adapters beside the other regimes, and merged
with waiting_for("the exercises up to 9.13b"), after_predicting("finetuning.adapters", told=False):
    RANK, ALPHA = experiments.RANK, experiments.ALPHA
    merged_weight(torch.zeros(2, 3), torch.zeros(1, 3), torch.zeros(2, 1), 1.0)  # is it written?
    adapted = [prepared("adapters", s, LABELS, steps, (steps,), adapter=LoRALinear) for s in range(SEEDS)]
    fits = experiments.fit_each(adapted, class_loss, test, "adapters", models=True)
    with_adapters = compared | {f"adapters, rank {RANK}": [n_right for *_, n_right in fits]}
    show(figures.seeds(shares_of(with_adapters), title="200 labels: 5 seeds and their mean"))
    model, one = adapted[0].model, experiments.merged(adapted[0].model, merged_weight, ALPHA)
    whole, size = (sum(p.numel() for p in each.parameters()) for each in (new_classifier(), one))
    print(f"{trainable(model):,} of {whole:,} numbers train: {trainable(model) / whole:.1%}")
    with torch.no_grad():
        apart = (one(test.ids[:50]) - model(test.ids[:50])).abs().max()
    print(f"merged: {size:,} numbers, as before, and logits that differ by {apart:.0e}")

# %% draw=true
# The loss as a language model, with adapters and without
with (
    waiting_for("the exercises up to 9.13b"),
    after_predicting("finetuning.forgets", told=False),
    after_predicting("finetuning.adapters"),
):
    taken_out = experiments.merged(model, lambda weight, A, B, alpha: weight, ALPHA)
    bodies = {"adapters, merged": one.body, "adapters, taken out": taken_out.body}
    with_bodies = {name: experiments.language_loss(body, fresh) for name, body in bodies.items()}
    for name, value in (losses | with_bodies).items():
        print(f"{name:<20} {value:.3f} nats per token")

# %% [markdown] reveals="finetuning.adapters"
# With rank 4, {measured.training_finetuning_trials.rank_4.accuracy} of the reviews were right, with rank 1
# {measured.training_finetuning_trials.rank_1.accuracy}, and with all numbers trained
# {measured.training_finetuning_trials.full.accuracy} (`python -m benchmarks.training_finetuning --trials`). With more
# labels there is more to learn, and a low-rank change may not be enough.
#
# Merged, the model has forgotten as well, even more than with full fine-tuning. A change in few numbers isn't a small
# change. (In large models, Biderman et al. 2024 measured that LoRA forgets less.) But adapters can be **taken out**,
# and then the body is what it was, to the last digit. So one body can serve many tasks, with 12 thousand numbers for
# each.

# %% [markdown]
# ## 9.14 Explore: what the label depends on
#
# Here is your classifier of 9.9 that reads the last token. The upper picture shows what the last position looks
# at in the last block, averaged over its heads; the lower one shows how the probability changes when a word is
# left out.
#
# Attention weights are tempting as an explanation. But other weights can give the same answer, and large
# weights needn't matter (Jain and Wallace 2019): the vectors that a position looks at have already been mixed
# by the earlier blocks. Leaving a word out tests the model itself, so trust the lower picture more, though a
# review with a gap may be unlike any that the model has seen. Try these:
#
# 1. Go through the reviews. Which are wrong? Type a *not* into one.
# 2. Leave out *not*, *although*, *but*, with the second slider. Does the label follow? Does the upper picture show it?
# 3. Find a word with a large weight whose omission changes nothing.

# %% draw=true
# Explore: what the label depends on
explorers.review_explorer(watched, explorers.EXAMPLES, "the exercises up to 9.8")

# %% [markdown]
# ## 9.15 An accuracy needs an interval
#
# **Why.** "280 of 400 right" is 70 %. With 400 other reviews it would be a different number. How different?
#
# **Formula.** The share $p$ of right answers differs from one set of $n$ independent reviews to the next, with a
# standard deviation of $\sqrt{p(1-p)/n}$: its *standard error*. The interval $p \pm z \sqrt{p(1-p)/n}$, with
# $z = 1.96$ for 95 %, is the usual one, but it fails at the ends: if all are right, its length is 0. Wilson (1927)
# takes each possible true share, with *its own* standard error, and keeps the shares that are at most $z$ such errors
# away from the observed one:
#
# $$\frac{p + \frac{z^2}{2n}}{1 + \frac{z^2}{n}} \;\pm\; \frac{z}{1 + \frac{z^2}{n}} \sqrt{\frac{p(1-p)}{n} + \frac{z^2}{4n^2}}$$
#
# **By hand.** 4 of 4 right, z = 2: $p = 1$, $z^2/n = 1$. Centre (1 + 1/2)/2 = 0.75; half length 2/2 · √(0 +
# 4/64) = 0.25. So from **0.5** to **1**: four right out of four could still be a coin.
#
# **Exercise 9.15** · difficulty 2 of 5 · 7 minutes · 2 points
#
# **Return the two ends of Wilson's interval.**
#
# <details><summary>Hint 1</summary>Which fraction occurs four times? Give it a name.</details>
# <details><summary>Hint 2</summary>Under the root, how do you write z²/(4n²) with that name?</details>
# <details><summary>The idea</summary>A centre, pulled a little towards one half, and a half length that is never
# 0.</details>


# %% exercise="finetuning.wilson"
def wilson(correct, n, z):
    """Wilson's interval for an accuracy.

    Args:
        correct: how many came out right.
        n: of how many.
        z: 1.96 for 95 %.

    Returns:
        The lower and the upper end, shares between 0 and 1.
    """
    ### BEGIN SOLUTION
    p, extra = correct / n, z**2 / n
    centre = (p + extra / 2) / (1 + extra)
    half = z * math.sqrt(p * (1 - p) / n + extra / (4 * n)) / (1 + extra)
    return centre - half, centre + half
    ### END SOLUTION


# %% check="finetuning.wilson"
check("finetuning.wilson", wilson)

# %% draw=true
# The same 70 %, with four numbers of reviews
with waiting_for("Exercise 9.15"):
    rows = {
        f"{round(0.7 * n):,} of {n:,}": (0.7, wilson(round(0.7 * n), n, 1.96)) for n in (10, 100, 400, 10_000)
    }
    show(figures.forest(rows, title="The same 70 %"))

# %% [markdown]
# A hundred test reviews leave an interval of about ±9 points. Two curves that are 5 points apart on 100
# reviews may belong to equally good models. Halving an interval takes four times as many reviews.

# %% [markdown]
# ## 9.16 A mean needs an interval
#
# **Why.** Wilson's interval is about the choice of reviews. Seeds are a second source of chance, as 9.10 showed.
# How close is the mean of five to the mean over all possible seeds?
#
# **Formula.** With the mean $m$ and the standard deviation $s$ of $n$ results (the sum of squares is divided by
# $n - 1$): $m \pm t_{n-1}\, s/\sqrt n$. With few seeds $s$ itself is uncertain, so Student's $t$ makes the interval
# longer. Its index $n - 1$ is called the *degrees of freedom*: $t_4 = 2.776$ where $z$ is 1.96.
#
# **By hand.** Results 0.6, 0.7, 0.8: $m$ = 0.7, $s$ = 0.1, $t_2$ = 4.303. Half length 4.303 · 0.1/√3 = 0.248. So **0.45
# to 0.95**: three seeds say little.
#
# **Exercise 9.16** · difficulty 2 of 5 · 7 minutes · 2 points
#
# **Return the two ends of Student's interval for the mean.**
#
# <details><summary>Hint 1</summary>What do you need before you can square the deviations?</details>
# <details><summary>Hint 2</summary>n − 1 occurs twice: in the variance, and as the index of t. Where does √n
# go?</details>
# <details><summary>The idea</summary>The standard error of a mean of n results is their standard deviation
# over √n. The interval reaches t times as far to each side.</details>


# %% exercise="finetuning.t_interval"
def t_interval(values, quantiles):
    """Student's interval for a mean.

    Args:
        values: a result for each seed, two or more.
        quantiles: quantiles[d] is Student's t for d degrees of freedom;
            quantiles[0] isn't used.

    Returns:
        The lower and the upper end.
    """
    ### BEGIN SOLUTION
    n = len(values)
    mean = sum(values) / n
    variance = sum((value - mean) ** 2 for value in values) / (n - 1)
    half = quantiles[n - 1] * math.sqrt(variance / n)
    return mean - half, mean + half
    ### END SOLUTION


# %% check="finetuning.t_interval"
check("finetuning.t_interval", t_interval)


# %%
def student(shares):
    """Student's 95 % interval for the mean of shares, one per seed."""
    return t_interval(shares, T_95)


# %% draw=true
# The curves of 9.10, with intervals for their means
with waiting_for("the exercises up to 9.16"):
    title, told = f"{LABELS} labels, {SEEDS} seeds", "95 % intervals"
    show(figures.curves(curves, student, told, xlabel="epoch", title=title, joined=True))

# %% [markdown]
# Each band is the 95 % interval for the mean over seeds, on these test reviews. At the end the bands don't overlap.
# They don't cover differences between pretrained bodies: with a different body, the mean may be a few points higher
# or lower.

# %% [markdown]
# ## 9.17 What counting words can do
#
# **Why.** A model with 318 thousand parameters should beat something simple: count each review's words, weight
# each word by how rare it is, and separate the classes by a linear map (logistic regression). It knows nothing
# about order.
#
# **Formula.** Of $N$ training texts, $\mathrm{df}_w$ contain the word $w$. Its count in a text, the *term
# frequency*, is multiplied by its *inverse document frequency* (Spärck Jones 1972). Hence the name TF-IDF. The
# 1s are scikit-learn's; the two in the fraction avoid dividing by 0 for words that no training text has.
#
# $$\ln \frac{1 + N}{1 + \mathrm{df}_w} + 1$$
#
# Then each text's row is divided by its length, the root of its sum of squares.
#
# **By hand.** $N$ = 3 training texts. *the* is in all three: ln(4/4) + 1 = 1. *dull* is in one: ln(4/2) + 1 = 1.69. A
# text with *the* twice and *dull* once: (2, 1.69), of length 2.62, so the row is **(0.76, 0.65)**.
#
# **Exercise 9.17a** · difficulty 3 of 5 · 8 minutes · 3 points
#
# **Return the weighted counts, each row of length 1.**
#
# <details><summary>Hint 1</summary>In how many texts does a word occur? (Not: how often.)</details>
# <details><summary>Hint 2</summary>The rows may be of other texts. In which texts is rarity counted?</details>
# <details><summary>The idea</summary>The fewer training texts contain a word, the more it counts. In the end
# every row has length 1.</details>


# %% exercise="finetuning.tfidf"
def tfidf(train, counts):
    """Counts of words, weighted by how rare each word
    is among the training texts, as rows of length 1.

    Args:
        train: how often each word occurs in each training text, (N, V).
        counts: the same of the texts that rows
            are wanted for, (M, V). None is empty.

    Returns:
        (M, V).
    """
    ### BEGIN SOLUTION
    in_texts = (train > 0).sum(dim=0)  # (V,)
    rarity = ((1 + len(train)) / (1 + in_texts)).log() + 1
    rows = counts * rarity
    return rows / rows.norm(dim=-1, keepdim=True)
    ### END SOLUTION


# %% check="finetuning.tfidf"
check("finetuning.tfidf", tfidf)


# %%
def by_counting(train, others):
    """TF-IDF and logistic regression: how
    many of the other reviews come out right.
    """
    return experiments.by_counting(tfidf, train, others, len(corpora.vocabulary()))


# %% draw=true
# All ways with 200 labels, with intervals
with waiting_for("the exercises up to 9.17a"), after_predicting("finetuning.adapters", told=False):
    some = [experiments.examples(200, experiments.TRAIN_SEED + s) for s in range(SEEDS)]
    all_ways = with_adapters | {"TF-IDF": [by_counting(examples, test) for examples in some]}
    title = "200 labels: 5 seeds, their mean and its 95 % interval"
    show(figures.seeds(shares_of(all_ways), student, "95 % intervals", title=title))

# %% draw=true
# Accuracy against the number of labels, with intervals
with waiting_for("the exercises up to 9.17a"):
    by_labels["TF-IDF"] = {}
    for n in (50, 100, 200, 500, 2000):
        some = [experiments.examples(n, experiments.TRAIN_SEED + 50 + seed) for seed in range(2)]
        by_labels["TF-IDF"][n] = [by_counting(examples, test) / len(test) for examples in some]

    def wilson_of(shares):
        return wilson(sum(shares) / len(shares) * len(test), len(test), 1.96)

    told, title = f"Wilson's 95 % intervals for {len(test)} reviews", "Accuracy against labels"
    show(figures.curves(by_labels, wilson_of, told, xlabel="labels", title=title, joined=False))

# %% [markdown]
# With two seeds, Student's interval would be very long. So these bars are Wilson's: they cover the choice of
# the test reviews, but not the seed, whose effect the dots show. The Transformer from scratch doesn't beat
# counting.
#
# **In our runs**, on two CPU cores (`python -m benchmarks.training_finetuning`; the adapters are in your own figure):
#
# | labels, seeds | model | accuracy (95 % interval) | loss as a language model |
# | --- | --- | --- | --- |
# | 200, five | full | {measured.training_finetuning.end.full} | {measured.training_finetuning.full.nats_per_token:.2f}, before {measured.training_finetuning.before.nats_per_token:.2f} |
# | | head only | {measured.training_finetuning.end.head_only} | {measured.training_finetuning.head_only.nats_per_token:.2f} |
# | | TF-IDF | {measured.training_finetuning.end.tf_idf} | |
# | | from scratch | {measured.training_finetuning.end.from_scratch} | |
# | 50, two | full | {measured.training_finetuning.50.full} | |
# | 2,000, two | full | {measured.training_finetuning.2_000.full} | |
# | | from scratch | {measured.training_finetuning.2_000.from_scratch} | |
# | | TF-IDF | {measured.training_finetuning.2_000.tf_idf} | |
#
# If the intervals of full fine-tuning and of your adapters touch, compare them seed by seed: the runs share seeds,
# labels and test reviews. The intervals of full with 50 labels and of from scratch with 2,000 reach about 5 points to
# each side, so "forty times as many labels" is a rough number.

# %% [markdown]
# **Question 9.17b** · graded by hand · 10 minutes · 5 points
#
# A shop wants to know whether reviews of its products are favourable. It has 300 labelled reviews, 50,000 without
# labels, and no model. Somebody proposes to download a language model that was trained on an encyclopedia and to
# fine-tune it, and shows one run of 20 epochs, 81 % against 78 % from scratch on 200 test reviews. What would you
# compare, how would you measure it, and what do the numbers shown so far say?

# %% [markdown] written="finetuning.plan" points=5
# ### BEGIN SOLUTION
# **Model answer.** The numbers shown say little. On 200 reviews 81 % has a 95 % interval of about 75 to 86 %,
# 78 % one of about 72 to 83 %, and their difference of 3 points one of about −5 to 11 if each had its own
# reviews. Both read the same ones, so better count those that only one gets right (McNemar's test): even 14
# against 8 could be chance. And it is one seed each. I would put aside as many labelled reviews for testing
# as I can spare, say 100 of the 300 with cross-validation, or label 300 more, and never choose anything on
# them. I would compare: TF-IDF with logistic regression; the model from scratch; the downloaded model, head
# only and fully fine-tuned; and one whose body was trained on with the shop's 50,000 reviews first, since
# these are the kind of text it will meet, which an encyclopedia isn't. Each with learning rates chosen for it
# on a part of the training reviews, at least five seeds, and the same test reviews for all. I would report
# means with t-intervals over seeds, and differences seed by seed. And I would look whether the weights were
# really moved (language-model loss of the body), and whether padding plays a part.
#
# **Rubric**
# - 1 point: 3 points are well within what chance does on 200 reviews, so the run decides nothing (with a number: an
#   interval of about ±5 to 6 points for each, or that of the difference).
# - 1 point: several seeds with intervals, the same test set, which nothing is chosen on.
# - 1 point: a simple baseline such as TF-IDF, and from scratch.
# - 1 point: uses the 50,000 reviews without labels for pretraining, or says that the encyclopedia is a
#   different kind of text.
# - 1 point: fair to each: learning rates for each regime, chosen apart from the test reviews.
# ### END SOLUTION

# %% [markdown]
# ## 9.18 For a longer evening: real reviews
#
# The course's reviews come from a grammar in which word order matters and unlabelled text reveals sentiment.
# What about real ones? rt-polarity has 10,662 sentences of film reviews (Pang and Lee 2005). The body is
# trained, without labels, on those that aren't for testing and on WikiText-2. Then it gets 200 labels, with 5
# seeds. The accuracies: pretrained {measured.training_finetuning_real_text.pretrained.accuracy}, from
# scratch {measured.training_finetuning_real_text.from_scratch.accuracy}, TF-IDF
# {measured.training_finetuning_real_text.tf_idf.accuracy}. The intervals overlap, so none is clearly ahead. The
# lead that you measured isn't a law: it depends on the corpus, the body and the amount of pretraining.
#
# Set `LONG_EVENING = True` to see for yourself. It takes several minutes.

# %% draw=true
LONG_EVENING = False

if LONG_EVENING:
    with waiting_for("the exercises up to 9.17a"):
        real = real_text.comparison(Classifier, mean_real, class_loss, transfer, parameter_groups, tfidf)
        title = "rt-polarity, 200 labels: 5 seeds, their mean and its 95 % interval"
        show(figures.seeds(real, student, "95 % intervals", title=title))

# %% [markdown]
# ## 9.19 What to remember
#
# - A classifier is a body and a head. In a causal model read the last *real* position, or the mean of the real ones.
#   The last column of a short review is padding.
# - Moving weights: names and shapes of the body must match, the head must not be moved. `strict=False` may
#   move nothing and still raise no error. Look at the body's loss.
# - Freeze with `requires_grad`; `eval()` freezes nothing. The key of a group is `lr`.
# - Give every accuracy an interval: Wilson's for n test reviews, Student's for a few seeds. Say which.
# - Pretraining is worth most where labels are few. Compare with a simple baseline.
# - Full fine-tuning forgets; head only doesn't. Adapters (LoRA) can forget too, but they can be taken out
#   again, or merged so that they cost nothing.
#
# **Sources.** Radford et al. 2018, *Improving language understanding by generative pre-training*. Howard and
# Ruder 2018, *Universal language model fine-tuning for text classification*. Wilson 1927, *Probable
# inference, the law of succession, and statistical inference*. Student 1908, *The probable error of a mean*.
# Spärck Jones 1972, *A statistical interpretation of term specificity*. Pang and Lee 2005, *Seeing stars*.
# Jain and Wallace 2019, *Attention is not explanation*. McCloskey and Cohen 1989, *Catastrophic interference
# in connectionist networks*. Hu et al. 2022, *LoRA: low-rank adaptation of large language models*.
# Kalajdzievski 2023, *A rank stabilization scaling factor for fine-tuning with LoRA*. Biderman et al. 2024,
# *LoRA learns less and forgets less*.
#
# Next, lesson 10 lets the body read in both directions.
