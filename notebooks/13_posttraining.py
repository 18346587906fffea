# %% [markdown]
# # 13 · It answers
#
# - **You will learn** how a model that continues a text becomes one that answers: by demonstrations, by
#   preferences and by rewards. Your model of lesson 8 goes through all three. Its language has a grammar, so
#   a right answer can be parsed, and a reward is exact.
# - **You need** lessons 8 and 9: a pretrained model, its loss, and fine-tuning. One slip of 13.0 is on 12.15.
# - **Time** {minutes} minutes, in three sittings: 13.0 to 13.8, 13.9 to 13.17, 13.18 to 13.24. Two trainings
#   take at most two minutes each on two cores.

# %% setup=true
import copy
import math

import torch

from helpers import corpora, own, pretraining, sharing, training
from helpers.checks import check
from helpers.figures import plots
from helpers.figures.predicting import after_predicting, predict
from helpers.figures.showing import show, waiting_for
from helpers.posttraining import drawings, experiments, explorers, figures, following, measures, requests
from helpers.posttraining.experiments import Setting
from helpers.pretraining.explorers import trained

torch.set_num_threads(1)

# %% [markdown]
# ## 13.0 Catch the slip
#
# Three short pieces on earlier lessons. Each is right, or has one slip that is easy to make.

# %% recall="posttraining.recall_loss"

# %% recall="posttraining.recall_draw"

# %% recall="posttraining.recall_drafts"

# %% [markdown]
# ## 13.1 Requests that can be judged
#
# Your model of lesson 8 continues reviews; it has never seen a request. **Post-training** turns such a model into
# one that answers (Ouyang et al. 2022, *InstructGPT*). Here a parser judges the answers. There are two kinds of
# request:
#
# - **write**: *a favourable review of a ghost story by a woman*. Any of four features may be named: the sentiment,
#   the kind of book, the author and, after *about*, the hero;
# - **read**: a review and a question about it: *what is the hero called?*, *is it praise or blame?*, *who wrote it?*

# %% draw=true
# Three requests for reviews with right answers, and two questions
for each in requests.to_write(3, seed=1) + requests.to_read(2, seed=2):
    print(each.request.text, "\n  →", each.answer, end="\n\n")

# %% [markdown]
# An answer **fulfils** a request for a review if it ends, is a whole review by the grammar, and has each feature
# asked for. One wrong word is enough to fail. A question has one right answer.

# %% [markdown]
# ## 13.2 The template
#
# **Why.** A model reads one row of tokens. Three **special tokens** say who is speaking: `<request>`, `<answer>` and
# `<end>`. (In a chat model this is the *chat template*.) They are numbers of their own, which no text is encoded as,
# so nobody can type them.
#
# **By hand.** With the special tokens 90, 91, 92, and *who wrote it ?* as 5 6 7 8: the row **90 5 6 7 8 91** waits for
# an answer. With the answer *rosa lambert*, 3 4, it is 90 5 6 7 8 91 **3 4 92**.
#
# **Exercise 13.2** · difficulty 2 of 5 · 4 minutes · 2 points
#
# **Return the tokens of a request and its answer, or of a request that waits for one.**
#
# <details><summary>Hint 1</summary>What would the encoder make of the text <code>&lt;answer&gt;</code>, which
# it has never seen as one word?</details>
# <details><summary>Hint 2</summary>How do you tell an answer that isn't there from an empty one?</details>
# <details><summary>The idea</summary>Two encoded texts, with a special token before each, and one at the end if
# there is an answer.</details>


# %% exercise="posttraining.template"
def template(request, answer, special, encode):
    """The tokens of a request and its answer.

    Args:
        request: its text.
        answer: its text, which may be empty; None asks for one,
            so that the tokens end where the model continues.
        special: the numbers of `<request>`, `<answer>` and
            `<end>`, in this order.
        encode: turns a text into a list of tokens; it doesn't know
            the special ones.

    Returns:
        A list: `<request>`, the request, `<answer>`, and then, if
        there is an answer, the answer and `<end>`.
    """
    ### BEGIN SOLUTION
    asks, answers, ends = special
    asked = [asks, *encode(request), answers]
    return asked if answer is None else [*asked, *encode(answer), ends]
    ### END SOLUTION


# %% check="posttraining.template"
check("posttraining.template", template)

# %% [markdown]
# ## 13.3 The loss mask
#
# **Why.** The model should learn to answer, not to ask. So only the answer's tokens count in the loss, `<end>` among
# them, or it would never learn to stop. Forgetting this **loss mask** is the classic silent slip: the loss falls all
# the same.
#
# **By hand.** The mask is True where a token counts *when it is predicted*:

# %% draw=true
# Which tokens of a row count when they are predicted
show(drawings.counted())

# %% [markdown]
# **Exercise 13.3** · difficulty 4 of 5 · 9 minutes · 4 points
#
# **Return which tokens are the answer's: those after the first `<answer>`, up to and including `<end>`.**
#
# <details><summary>Hint 1</summary><code>cumsum</code> counts how often something has come so far. How do you
# count only what came before?</details>
# <details><summary>Hint 2</summary>Which <code>&lt;end&gt;</code> ends the answer, if one comes before
# <code>&lt;answer&gt;</code>, or the padding is made of them?</details>
# <details><summary>The idea</summary>A token counts if <code>&lt;answer&gt;</code> came before it, and the
# answer's <code>&lt;end&gt;</code> didn't.</details>


# %% exercise="posttraining.answer_mask"
def answer_mask(ids, answer_token, end_token):
    """Which tokens count when they are predicted.

    Args:
        ids: tokens, (..., T).
        answer_token: the number of `<answer>`.
        end_token: the number of `<end>`.

    Returns:
        Boolean, (..., T): True after the first `<answer>`, up to and
        including the first `<end>` after it, or up to the row's end
        if there is none. A row without `<answer>` has no True.
    """
    ### BEGIN SOLUTION
    opens = ids == answer_token
    inside = opens.cumsum(dim=-1) > opens  # an earlier token is <answer>
    closes = inside & (ids == end_token)
    return inside & (closes.cumsum(dim=-1) == closes)  # no earlier one ends it
    ### END SOLUTION


# %% check="posttraining.answer_mask"
check("posttraining.answer_mask", answer_mask)

# %% [markdown]
# ## 13.4 Padding
#
# **Why.** The rows of a batch differ in length, and a tensor's rows don't. So short rows are padded, and a mask
# says what is real. The padding's number can't say it: many models pad with the very token that ends an answer, and
# a loss that leaves out all such tokens also leaves out the real one.
#
# **By hand.** Rows 5 6 and 7, padded with 0: **5 6** and **7 0**. Real: True True and True False.
#
# **Exercise 13.4** · difficulty 2 of 5 · 4 minutes · 2 points
#
# **Pad the rows on the right, and return which tokens are real.**
#
# <details><summary>Hint 1</summary>How long is the longest row?</details>
# <details><summary>Hint 2</summary>May a real token be equal to <code>pad_token</code>? What knows better which
# ones are real?</details>
# <details><summary>The idea</summary>The lengths decide: a place is real if it is below its row's
# length.</details>


# %% exercise="posttraining.pad"
def pad(rows, pad_token):
    """Rows of different lengths as one tensor.

    Args:
        rows: B lists of tokens; real ones may be equal to pad_token,
            and a row may be empty.
        pad_token: what short rows are padded with, on the right.

    Returns:
        The tokens, integers, (B, T), where T is the length of the
        longest row; which are real, boolean, (B, T).
    """
    ### BEGIN SOLUTION
    lengths = [len(row) for row in rows]
    T = max(lengths)
    ids = torch.tensor([[*row, *[pad_token] * (T - len(row))] for row in rows])
    return ids, torch.arange(T) < torch.tensor(lengths).unsqueeze(1)
    ### END SOLUTION


# %% check="posttraining.pad"
check("posttraining.pad", pad)

# %% [markdown]
# ## 13.5 New rows
#
# **Why.** The special tokens, and the words that only requests have (such as *favourable* and *?*), need
# rows in the embedding. It is tied (6.9): the same row, times a hidden vector, gives the token's logit. So a new
# row takes probability from all old tokens before anything is learned. If it is the *mean* of the old rows, its
# logit is the mean of the old logits, far below those of likely words (Hewitt 2021).
#
# **By hand.** Rows (1, 5) and (3, 1), two new ones: **(2, 3)** and **(2, 3)**.
#
# **Exercise 13.5** · difficulty 2 of 5 · 4 minutes · 2 points
#
# **Return an embedding with new rows below the old ones, each the mean of the old rows.**
#
# <details><summary>Hint 1</summary>Over which axis is the mean of all rows?</details>
# <details><summary>Hint 2</summary>How is one row repeated <code>n_new</code> times?</details>
# <details><summary>The idea</summary>One mean for each channel, as often as there are new tokens.</details>


# %% exercise="posttraining.grow"
def grow(embedding, n_new):
    """An embedding with rows for new tokens.

    Args:
        embedding: a row for each token, (V, C).
        n_new: N, how many tokens are new.

    Returns:
        A new tensor, (V + N, C): the old rows, then the new ones,
        each the mean of the old ones.
    """
    ### BEGIN SOLUTION
    return torch.cat([embedding, embedding.mean(dim=0).expand(n_new, -1)])
    ### END SOLUTION


# %% check="posttraining.grow"
check("posttraining.grow", grow)

# %% predict="posttraining.rows"

# %% draw=true
# What new rows cost before any training, by how they start
model = pretraining.pretrained()
with waiting_for("Exercise 13.5"), after_predicting("posttraining.rows"):
    starts = {"mean": grow, "zeros": measures.zero_rows, "random": measures.random_rows}
    grown = {name: experiments.with_new_tokens(model, start) for name, start in starts.items()}
    losses = [experiments.above_the_floor(each) for each in (model, *grown.values())]
    title = "Loss on reviews above the grammar's, before any training"
    unit = "nats per token"
    show(plots.bars(["no new rows", *starts], {unit: losses}, ylabel=unit, title=title))

# %% [markdown] reveals="posttraining.rows"
# In our run none of the three changed the loss noticeably: beside the likely words' logits, 0 counts for little here.
# Where a model's logits are all far below 0, as in some large ones, new rows near 0 take most of the probability, and
# what the model writes falls apart (Hewitt 2021). The mean is safe in both cases.

# %% [markdown]
# ## 13.6 Log-probabilities of tokens
#
# **Why.** Demonstrations, preferences and rewards all begin with the same numbers: the log-probability of each token
# of an answer. The logits at position $t$ predict token $t + 1$, so $T$ tokens have $T - 1$ such numbers. The shift
# is made here, and nowhere else.
#
# **By hand.** V = 2. The logits after the first token are (0, 0), after the second (0, ln 3). The tokens are 0, 1, 1:
# ln 1/2 = **−0.69**, then ln 3/4 = **−0.29**.
#
# **Exercise 13.6** · difficulty 3 of 5 · 6 minutes · 3 points
#
# **Return the log-probability of each token after the first.**
#
# <details><summary>Hint 1</summary>Which logits predict the second token, and which predict nothing in this
# row?</details>
# <details><summary>Hint 2</summary><code>gather</code> takes one number of each row: along which
# axis?</details>
# <details><summary>The idea</summary>Logits without the last position, tokens without the first, and at each
# place the token's own number.</details>


# %% exercise="posttraining.log_probabilities"
def log_probabilities(logits, ids):
    """The log-probability of each token after the
    first, given those before it, in nats.

    Args:
        logits: what a model says after each token, (..., T, V).
        ids: the tokens that it read, (..., T).

    Returns:
        (..., T - 1).
    """
    ### BEGIN SOLUTION
    log_p = logits[..., :-1, :].log_softmax(dim=-1)
    return log_p.gather(-1, ids[..., 1:, None]).squeeze(-1)
    ### END SOLUTION


# %% check="posttraining.log_probabilities"
check("posttraining.log_probabilities", log_probabilities)

# %% [markdown]
# ## 13.7 The loss of the answers
#
# **Why.** **Supervised fine-tuning**, SFT (Ouyang et al. 2022, section 3.5), is lesson 8's loss on demonstrations,
# here with the mask.
#
# $$L = -\frac{1}{N} \sum_{\text{answers' tokens}} \ln p(\text{token} \mid \text{all before it})$$
#
# $N$ counts these tokens in the whole batch. A mean of the rows' means would be a different loss: each token of a
# short answer would count more.
#
# **By hand.** Row 1 has log-probabilities −1, −2, −3, of which the last two count; in row 2 one counts, −4.
# $L$ = (2 + 3 + 4)/3 = **3**.
#
# **Exercise 13.7** · difficulty 3 of 5 · 5 minutes · 3 points
#
# **Return the mean surprise, in nats, of all tokens of the batch that count.**
#
# <details><summary>Hint 1</summary>There are T − 1 log-probabilities and T places in the mask. Which place is
# left out?</details>
# <details><summary>Hint 2</summary>By what do you divide, so that padding changes nothing?</details>
# <details><summary>The idea</summary>Minus the sum over the tokens that count, divided by how many there
# are.</details>


# %% exercise="posttraining.sft_loss"
def sft_loss(logits, ids, mask):
    """The mean surprise of the tokens that
    count, over the whole batch.

    Args:
        logits: what a model says after each token, (B, T, V).
        ids: the tokens that it read, (B, T).
        mask: which tokens count when they are predicted, boolean,
            (B, T). Nothing predicts the first token, so it never
            counts; some other one in the batch does.

    Returns:
        A tensor of one number, in nats per token.
    """
    ### BEGIN SOLUTION
    counts = mask[:, 1:]
    return -(log_probabilities(logits, ids) * counts).sum() / counts.sum()
    ### END SOLUTION


# %% check="posttraining.sft_loss"
check("posttraining.sft_loss", sft_loss)

# %% [markdown]
# ## 13.8 Train it to answer
#
# Your model of lesson 8 gets the new rows, and reads demonstrations. As before, your own parts do the work:

# %%
parts, whose = own.parts()
own.table(whose)

# %%
tools = experiments.Tools(
    template=template,
    answer_mask=answer_mask,
    pad=pad,
    log_probabilities=log_probabilities,
    sft_loss=sft_loss,
)

# %% [markdown]
# The loop is lesson 8's, with AdamW alone and 16 rows per batch. Each of 4,000 demonstrations, half of them reviews
# and half answers to questions, is read twice.

# %% draw=true
TRAIN_ANEW = False
tuned = None
with waiting_for("Exercises 13.2 to 13.7"):
    if TRAIN_ANEW:
        training.forget("answers")
    fresh = experiments.with_new_tokens(model, grow)
    shown = experiments.demonstrations(experiments.DEMONSTRATIONS)
    tools.sft_loss(fresh(tools.batch(shown[:2])[0]), *tools.batch(shown[:2]))  # are they written?
    if not training.recall("answers", fresh):
        live = experiments.supervise(fresh, shown, tools, keep="answers")
        training.keep("answers", fresh, live, requests.vocabulary().words)
    tuned = fresh.eval()

# %%
training.kept()  # training.forget("answers") removes it

# %% [markdown]
# Three requests for reviews and three questions, with the parser's verdict:

# %% draw=true
# Six answers, and what the parser says of each
with waiting_for("the training above"):
    asked = [each.request for each in requests.to_write(3, 70) + requests.to_read(3, 71)]
    written = experiments.write(trained(tuned), asked, torch.Generator().manual_seed(1))
    figures.show_verdicts(written, 6)

# %% predict="posttraining.price"

# %% draw=true
# What it does now, with requests and without
with waiting_for("the training above"), after_predicting("posttraining.price"):
    found = measures.measure(trained(tuned), trained(tuned), tools, count=64)
    for name in ("fulfilled", "reviews", "sentences", "read"):
        print(f"{name:<10} {found[name]:.0%}")
    print(f"on reviews without a request, {found['forgotten']:.2f} nats per token above the grammar")
    print(f"before the fine-tuning it was {experiments.above_the_floor(model):.2f}")

# %% [markdown] reveals="posttraining.price"
# Three seeds, from one pretrained model (`python -m benchmarks.training_answers`; mean ± half of the 95 % interval).
# The last column is about reviews without a request, which is all the model once knew:
#
# | | requests fulfilled | questions answered | nats per token above the grammar |
# | --- | --- | --- | --- |
# | before | {measured.training_answers.pretrained.fulfilled} | {measured.training_answers.pretrained.questions} | {measured.training_answers.pretrained.nats_forgotten} |
# | fine-tuned | {measured.training_answers.fine_tuned.fulfilled} | {measured.training_answers.fine_tuned.questions} | {measured.training_answers.fine_tuned.nats_forgotten} |
# | without the mask | {measured.training_answers.no_mask.fulfilled} | {measured.training_answers.no_mask.questions} | {measured.training_answers.no_mask.nats_forgotten} |
#
# The last column is **forgetting**, at a learning rate of 0.004: nothing in the new loss rewards what isn't asked for.
#
# Without the mask, two fifths of the tokens that count are in the reviews that questions are about, which have
# nothing to do with a request. (On questions the difference is no larger than between seeds.)

# %% [markdown]
# A good place for a break.
#
# ## 13.9 Exact match
#
# **Why.** The simplest evaluation: an answer is right if it equals the one right answer, token by token, and ends
# there.
#
# **By hand.** `<end>` is 9. Written: 3 4 9 7, and 3 4 5 9, and 3 4. The truth is always 3 4: one in three, **1/3**.
#
# **Exercise 13.9** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Return the share of answers that are exactly right.**
#
# <details><summary>Hint 1</summary>Where does an answer end, and what if it never does?</details>
# <details><summary>Hint 2</summary>Is an answer right if it begins with the right words and then continues?</details>
# <details><summary>The idea</summary>Cut at the first <code>&lt;end&gt;</code>, then compare the
# whole.</details>


# %% exercise="posttraining.exact_match"
def exact_match(generated, truth, end):
    """The share of answers that are exactly right.

    Args:
        generated: the tokens that a model wrote, one list for each
            answer. What follows the first `<end>` doesn't count,
            and without an `<end>` an answer is wrong.
        truth: the right answers, lists of tokens without `<end>`.
        end: the number of `<end>`.

    Returns:
        A number from 0 to 1.
    """
    ### BEGIN SOLUTION
    pairs = zip(generated, truth, strict=True)
    right = [row[: len(wanted) + 1] == [*wanted, end] for row, wanted in pairs]
    return sum(right) / len(right)
    ### END SOLUTION


# %% check="posttraining.exact_match"
check("posttraining.exact_match", exact_match)

# %% [markdown]
# ## 13.10 The likelier option
#
# **Why.** A model can also be evaluated without writing a word: give it the options and see which it finds likeliest.
# For that an answer needs one number. Probabilities of tokens multiply, so their logarithms add up.
#
# **By hand.** Two tokens count, with −1 and −2: the answer has **−3**.
#
# **Exercise 13.10a** · difficulty 2 of 5 · 3 minutes · 2 points
#
# **Return the log-probability of each row's answer.**
#
# <details><summary>Hint 1</summary>Is this a sum or a mean?</details>
# <details><summary>Hint 2</summary>Over which axis?</details>
# <details><summary>The idea</summary>The log-probabilities of the tokens that count, added up row by
# row.</details>


# %% exercise="posttraining.answer_log_probability"
def answer_log_probability(logits, ids, mask):
    """The log-probability of each answer as a whole.

    Args:
        logits: what a model says after each token, (..., T, V).
        ids: the tokens that it read, (..., T).
        mask: which tokens are the answer's, boolean, (..., T).
            Nothing predicts the first token, so it never counts.

    Returns:
        (...), in nats; 0 for a row without an answer.
    """
    ### BEGIN SOLUTION
    return (log_probabilities(logits, ids) * mask[..., 1:]).sum(dim=-1)
    ### END SOLUTION


# %% check="posttraining.answer_log_probability"
check("posttraining.answer_log_probability", answer_log_probability)

# %% [markdown]
# A longer option is a product of more probabilities; the mean per token removes that.
#
# **By hand.** Options with −3 and −4, of 1 and 2 tokens. As a whole the first is likelier; per token it is −3
# against −2: the **second**.
#
# **Exercise 13.10b** · difficulty 2 of 5 · 3 minutes · 2 points
#
# **Return which option is likeliest, as a whole or per token.**
#
# <details><summary>Hint 1</summary>Which axis has the options?</details>
# <details><summary>Hint 2</summary>What is divided by what, if the mean decides?</details>
# <details><summary>The idea</summary>The place of the largest number along the last axis.</details>


# %% exercise="posttraining.likelier"
def likelier(log_probability, lengths, per_token):
    """Which of N options a model finds likeliest.

    Args:
        log_probability: of each option as a whole, (..., N).
        lengths: how many tokens each option has, integers, (..., N).
        per_token: True lets the mean per token decide, False
            the option as a whole.

    Returns:
        The option's place, integers, (...).
    """
    ### BEGIN SOLUTION
    return (log_probability / lengths if per_token else log_probability).argmax(dim=-1)
    ### END SOLUTION


# %% check="posttraining.likelier"
check("posttraining.likelier", likelier)

# %% draw=true
# The same questions, by writing and by choosing between two options
with waiting_for("Exercises 13.9 and 13.10, and the training in 13.8"):
    with_likelihood = tools._replace(answer_log_probability=answer_log_probability)
    shares = measures.three_ways(trained(tuned), with_likelihood, exact_match, likelier)
    for way, share in shares.items():
        print(f"{way:<44} {share:.0%} of 80 answers on praise or blame")

# %% [markdown]
# On answers of one word, greedy writing agrees with choosing, as long as no third word is likelier. Answers drawn at
# temperature 1 are right less often. Whenever you report a share, say how you got it.

# %% [markdown]
# ## 13.11 A judge that errs
#
# **Why.** Where no parser is at hand, a person or a model judges, and errs. Its errors can be measured on answers
# whose truth is known: the share of right ones that it calls right, its **sensitivity**, and of wrong ones that it
# calls wrong, its **specificity**.
#
# **Formula.** Of a true share $p$ such a judge measures $m = p \cdot \text{sens} + (1 - p)(1 - \text{spec})$. Solve
# for $p$ (Rogan and Gladen 1978).
#
# **By hand.** Sensitivity 0.9, specificity 0.8, and it calls 0.48 right: (0.48 − 0.2)/0.7 = **0.4**.
#
# **Exercise 13.11** · difficulty 3 of 5 · 5 minutes · 2 points
#
# **Return the true share of right answers.**
#
# <details><summary>Hint 1</summary>Solve the equation for p.</details>
# <details><summary>Hint 2</summary>By chance the measured share can be smaller than the judge's errors alone
# would make it. What is p then?</details>
# <details><summary>The idea</summary>Take away what the judge lets pass by mistake, divide by what is left
# between its two rates, and stay within 0 and 1.</details>


# %% exercise="posttraining.true_share"
def true_share(measured, sensitivity, specificity):
    """The share of right answers, from the
    verdicts of a judge that errs.

    Args:
        measured: the share of answers that the judge calls right.
        sensitivity: of right answers, the share that it calls right.
        specificity: of wrong answers, the share that it calls wrong.
            Their sum is more than 1.

    Returns:
        A number from 0 to 1; what would be outside becomes 0 or 1.
    """
    ### BEGIN SOLUTION
    share = (measured + specificity - 1) / (sensitivity + specificity - 1)
    return min(1.0, max(0.0, share))
    ### END SOLUTION


# %% check="posttraining.true_share"
check("posttraining.true_share", true_share)

# %% [markdown]
# ## 13.12 Preferences: DPO
#
# **Why.** To say which of two answers is better is easier than to write a good one. InstructGPT learns from such pairs
# in two stages: a **reward model** learns to score answers, then the model is trained on its scores. **Direct
# preference optimization** (Rafailov et al. 2023, equation 7) has one stage. It needs the model, and a **frozen** copy
# of it from the start, the *reference model*.
#
# **Formula.** $\Delta$ says by how many nats an answer is likelier now than for the frozen model:
#
# $$L = -\ln \sigma\big(\beta\,(\Delta_\text{chosen} - \Delta_\text{rejected})\big)$$
#
# A reward model's loss is the same, with its score in place of $\beta\Delta$.
#
# **By hand.** At the start both $\Delta$ are 0, and $L = \ln 2$ = 0.693. With $\Delta$ = 1 and −2 and $\beta$ = 0.1:
# $-\ln \sigma(0.3)$ = **0.554**.
#
# **Exercise 13.12** · difficulty 3 of 5 · 7 minutes · 3 points
#
# **Return the mean loss of the pairs.**
#
# <details><summary>Hint 1</summary>What is the loss before the first step, when the model is the frozen
# one?</details>
# <details><summary>Hint 2</summary>σ(−200) is 0 to a computer. Which function takes the logarithm and the
# sigmoid in one step?</details>
# <details><summary>The idea</summary>Two differences to the frozen model, their difference, times β, through a
# log-sigmoid.</details>


# %% exercise="posttraining.dpo_loss"
def dpo_loss(chosen, rejected, chosen_frozen, rejected_frozen, beta):
    """The loss of direct preference optimization.

    Args:
        chosen: log-probabilities of the better answers, (B,).
        rejected: those of the worse answers, (B,).
        chosen_frozen: of the better ones, by the frozen model, (B,).
        rejected_frozen: of the worse ones, by it, (B,).
        beta: what the difference is multiplied by; the larger, the
            nearer the model stays to the frozen one.

    Returns:
        A tensor of one number, the mean over the pairs.
    """
    ### BEGIN SOLUTION
    margin = (chosen - chosen_frozen) - (rejected - rejected_frozen)
    return -torch.nn.functional.logsigmoid(beta * margin).mean()
    ### END SOLUTION


# %% check="posttraining.dpo_loss"
check("posttraining.dpo_loss", dpo_loss)

# %% [markdown]
# Pairs come from the model itself: of four answers to a request, one that the parser accepts and one that it
# rejects. Now a copy of your model takes some 20 steps on such pairs, each used four times.

# %% predict="posttraining.chosen"

# %% draw=true
# How the likelihood of chosen and rejected answers moves under DPO
with (
    waiting_for("Exercises 13.10 and 13.12, and the training in 13.8"),
    after_predicting("posttraining.chosen"),
):
    of_dpo = tools._replace(dpo_loss=dpo_loss, answer_log_probability=answer_log_probability)
    moved = measures.moved_by_preferences(trained(tuned), of_dpo, requests_count=160)
    title = "Nats since the start, mean over the pairs"
    ax = plots.lines(*moved, xlabel="step", ylabel="nats", title=title)
    ax.set_ylim(bottom=1.1 * min(moved[1]["rejected"]) - 0.1)
    show(ax)

# %% [markdown] reveals="posttraining.chosen"
# In our run the right answers rose a little, and the wrong ones fell several times as far. The loss only wants the
# *difference* to grow, and there are more ways to make an answer less likely than likelier. Nothing in it keeps the
# right ones from falling, too: with large models that can happen (Pal et al. 2024).
#
# With three seeds, one pass over pairs from 960 requests brought {measured.training_answers.dpo.fulfilled} fulfilled
# requests, after {measured.training_answers.fine_tuned.fulfilled} for the fine-tuned models: more in each run, but the
# difference's interval contains 0.

# %% [markdown]
# ## 13.13 A reward
#
# **Why.** A pair says which is better; a **reward** says how good an answer is. A reward model learns it from pairs
# (13.12), and errs: trained too long on its scores, a policy gets worse (Gao et al. 2023). For mathematics and code
# the reward can be computed, a *verifiable reward*, as in DeepSeek-R1 (DeepSeek-AI 2025), and here: what goes wrong
# below isn't the judge's error.
#
# **By hand.** Asked for: sentiment favourable, author woman. The parser reads favourable, woman, ghost story: **1**.
# It reads favourable, man: **0**. It reads nothing, since a word is wrong: **0**. The answer doesn't end: **0**.
#
# **Exercise 13.13** · difficulty 3 of 5 · 5 minutes · 3 points
#
# **Return 1 for a finished, grammatical answer that has all features asked for, else 0.**
#
# <details><summary>Hint 1</summary>Which part of the answer is read, and what if there is no such
# part?</details>
# <details><summary>Hint 2</summary>An answer has more features than were asked for. Does it do what it
# should?</details>
# <details><summary>The idea</summary>Three questions, and 1 only if each is answered with yes.</details>


# %% exercise="posttraining.reward"
def reward(answer, asked, read, end):
    """1 for an answer that has what was asked for, else 0.

    Args:
        answer: the tokens that a model wrote, a list. What follows
            the first `<end>` doesn't count, and without an `<end>`
            the answer isn't finished.
        asked: the features that it should have, a dict such as
            {"sentiment": "favourable"}.
        read: called with the answer's tokens before `<end>`, a list,
            it returns their features, a dict that may have more than
            were asked for, or fewer; None if they aren't grammatical.
        end: the number of `<end>`.

    Returns:
        1.0 or 0.0.
    """
    ### BEGIN SOLUTION
    if end not in answer:
        return 0.0
    found = read(answer[: answer.index(end)])
    return float(found is not None and all(found.get(name) == value for name, value in asked.items()))
    ### END SOLUTION


# %% check="posttraining.reward"
check("posttraining.reward", reward)

# %% [markdown]
# ## 13.14 Advantages within a group
#
# **Why.** Some requests are easy, some hard. So several answers to the *same* request are compared: what counts is
# how much better an answer is than the mean of its group (Shao et al. 2024, *DeepSeekMath*; the method is called
# GRPO).
#
# **Formula.** $A_i = r_i - \bar r$, and in DeepSeekMath $A_i = (r_i - \bar r) / s$ with the group's standard
# deviation $s$. Dr. GRPO (Liu et al. 2025) doesn't divide, since dividing gives more weight to requests that nearly
# always or nearly never succeed.
#
# **By hand.** Rewards 1, 0, 0, 0: the mean is 1/4, the advantages **3/4, −1/4, −1/4, −1/4**. Divided by $s$ = 1/2: 1.5
# and −0.5.
#
# **Exercise 13.14** · difficulty 3 of 5 · 6 minutes · 3 points
#
# **Return each answer's advantage in its group, divided by the group's standard deviation if asked.**
#
# <details><summary>Hint 1</summary>Over which axis is a group's mean, and how does it stay beside its own
# group?</details>
# <details><summary>Hint 2</summary>What are the advantages in a group whose rewards are all alike, and what
# does 0/0 give?</details>
# <details><summary>The idea</summary>Better or worse than the group's mean; a group without differences teaches
# nothing.</details>


# %% exercise="posttraining.advantages"
def advantages(rewards, divide):
    """How much better each answer is than its group's mean.

    Args:
        rewards: of G answers to each request, (..., G), with G at
            least 2.
        divide: whether to divide by the group's standard deviation,
            with G - 1 in it, as torch's `std` has it.

    Returns:
        Shaped like rewards. In a group whose rewards are all alike,
        they are 0.
    """
    ### BEGIN SOLUTION
    better = rewards - rewards.mean(dim=-1, keepdim=True)
    if not divide:
        return better
    spread = rewards.std(dim=-1, keepdim=True)
    return better / spread.masked_fill(spread == 0, 1)
    ### END SOLUTION


# %% check="posttraining.advantages"
check("posttraining.advantages", advantages)

# %% [markdown]
# ## 13.15 A step of policy gradient
#
# **Why.** Nobody can differentiate a parser. REINFORCE (Williams 1992) doesn't have to: the gradient of the *expected*
# reward is an average over answers that the model drew itself.
#
# $$\nabla\, \mathbb E[r] = \mathbb E\big[A \cdot \nabla \ln p(\text{answer})\big]$$
#
# In words: make better answers likelier, and worse ones less likely. $A$ may be the reward, or the reward less a
# **baseline** that doesn't depend on the answer, since $\mathbb E[\nabla \ln p] = 0$. (13.14's mean includes the
# answer itself, which only shrinks the gradient, by $(G - 1)/G$.) A model that is trained like this is
# called a **policy**. With rewards of 0 and 1 and no baseline, it is fine-tuned on its own right answers (*rejection
# sampling*).
#
# **By hand.** Two answers with log-probabilities −3 and −2, advantages 0.5 and −0.5. The loss is −(0.5 · (−3) − 0.5 ·
# (−2))/2 = **0.25**.
#
# **Exercise 13.15** · difficulty 4 of 5 · 7 minutes · 4 points
#
# **Return a loss whose gradient is minus the policy gradient.**
#
# <details><summary>Hint 1</summary>Which answers should become likelier as the loss gets smaller? So which
# sign?</details>
# <details><summary>Hint 2</summary>What is multiplied by an answer's advantage: each token's log-probability by
# itself, their mean or their sum?</details>
# <details><summary>The idea</summary>Minus the mean over answers of advantage times log-probability; the
# advantage is only a number.</details>


# %% exercise="posttraining.policy_gradient"
def policy_gradient(logits, ids, mask, advantages):
    """A loss whose gradient is minus the policy gradient.

    Args:
        logits: what the model says after each token, (B, T, V).
        ids: requests and the answers that it drew, (B, T).
        mask: which tokens are the answers', boolean, (B, T).
        advantages: one for each answer, (B,). They are numbers, and
            need no gradient.

    Returns:
        A tensor of one number: minus the mean over the answers of
        advantage times log-probability.
    """
    ### BEGIN SOLUTION
    return -(advantages.detach() * answer_log_probability(logits, ids, mask)).mean()
    ### END SOLUTION


# %% check="posttraining.policy_gradient"
check("posttraining.policy_gradient", policy_gradient)

# %% [markdown]
# Is it the right gradient? Where an answer is one of three tokens, with rewards 0.2, 0.5 and 0.8, it can be computed
# by going through all answers. The policy is three logits.

# %% draw=true
# The gradient by all answers and by draws, and where it leads
with waiting_for("Exercise 13.15"):
    exact, drawn = measures.bandit_gradients(policy_gradient)
    print("by all answers  ", "  ".join(f"{value:+.4f}" for value in exact))
    print("by 20,000 draws ", "  ".join(f"{value:+.4f}" for value in drawn))
    steps, shares = measures.bandit(policy_gradient)
    show(plots.lines(steps, shares, xlabel="step", ylabel="probability", title="A policy of three answers"))

# %% [markdown]
# ## 13.16 The clipped ratio
#
# **Why.** Drawing answers is expensive, so one would like to take several steps on the same ones. After the first
# step they come from an *older* policy, and each token has to be weighted by the ratio $\rho$ of its probability now
# to that when it was drawn. PPO (Schulman et al. 2017, equation 7) also clips it: beyond $1 \pm \varepsilon$ nothing
# more is gained.
#
# $$\min\big(\rho A,\ \text{clip}(\rho, 1 - \varepsilon, 1 + \varepsilon)\, A\big)$$
#
# **By hand.** $\varepsilon$ = 0.2, $\rho$ = 1.5. With $A$ = 2: min(3, 2.4) = **2.4**. With $A$ = −2: min(−3, −2.4) =
# **−3**: a worse answer that became likelier is pushed back with full force.
#
# **Exercise 13.16** · difficulty 4 of 5 · 8 minutes · 4 points
#
# **Return the clipped objective for each token.**
#
# <details><summary>Hint 1</summary>A ratio of probabilities is e to a difference of their logarithms. Of
# which?</details>
# <details><summary>Hint 2</summary>In the first step the ratio is 1. What should its gradient be, and what is
# it if nothing is detached?</details>
# <details><summary>The idea</summary>A ratio whose denominator is only a number, once clipped and once not, and
# the smaller product.</details>


# %% exercise="posttraining.clipped"
def clipped(log_probability, advantages, epsilon, old=None):
    """The clipped objective of each token, to be made large.

    Args:
        log_probability: of each token of an answer, (..., T).
        advantages: one for each answer, (...).
        epsilon: how far from 1 a ratio may be before it is clipped.
        old: the tokens' log-probabilities when they were drawn,
            (..., T). None says that they were drawn just now: old
            has the numbers of log_probability, as constants.

    Returns:
        (..., T).
    """
    ### BEGIN SOLUTION
    before = (log_probability if old is None else old).detach()
    ratio = (log_probability - before).exp()
    A = advantages[..., None]
    return torch.minimum(ratio * A, ratio.clamp(1 - epsilon, 1 + epsilon) * A)
    ### END SOLUTION


# %% check="posttraining.clipped"
check("posttraining.clipped", clipped)

# %% [markdown]
# ## 13.17 How far from home
#
# **Why.** A policy that chases a reward too hard loses what the model knew. So its distance to the frozen model is
# watched, or added to the loss. Between two distributions over $V$ tokens, it is the **KL divergence**:
#
# $$\text{KL}(p \,\|\, q) = \sum_v p_v \ln \frac{p_v}{q_v}$$
#
# **By hand.** $p$ = (1/2, 1/2), $q$ = (1/4, 3/4): ½ ln 2 + ½ ln 2/3 = 0.347 − 0.203 = **0.144**.
#
# **Exercise 13.17a** · difficulty 3 of 5 · 4 minutes · 3 points
#
# **Return the KL divergence from the model to the frozen model, at each position.**
#
# <details><summary>Hint 1</summary>Whose probabilities weigh the sum?</details>
# <details><summary>Hint 2</summary>Which function gives ln p without taking the logarithm of a 0?</details>
# <details><summary>The idea</summary>The difference of two log-probabilities, averaged with the model's own
# probabilities.</details>


# %% exercise="posttraining.kl"
def kl(logits, frozen):
    """KL(model || frozen model) in nats, at each position.

    Args:
        logits: the model's, (..., V).
        frozen: the frozen model's, (..., V).

    Returns:
        (...).
    """
    ### BEGIN SOLUTION
    log_p, log_q = logits.log_softmax(dim=-1), frozen.log_softmax(dim=-1)
    return (log_p.exp() * (log_p - log_q)).sum(dim=-1)
    ### END SOLUTION


# %% check="posttraining.kl"
check("posttraining.kl", kl)

# %% [markdown]
# Often only the drawn token's two log-probabilities are at hand. Then KL is *estimated* (Schulman 2020). Here $r =
# q/p$ of the drawn token, not a reward:
#
# $$k_1 = -\ln r \qquad k_2 = \tfrac12 (\ln r)^2 \qquad k_3 = (r - 1) - \ln r$$
#
# $k_1$ and $k_3$ are right on average; $k_1$ is often negative, $k_3$ never; $k_2$ is a little off and varies
# little. (A right estimate isn't a right loss. On average over the next token, $k_1$'s gradient is 0, $k_2$'s is
# that of KL(model ‖ frozen), and $k_3$'s that of KL(frozen ‖ model): Tang and Munos 2025. GRPO and this lesson use
# $k_3$.)
#
# **By hand.** $p$ = 1/2, $q$ = 1/4: $r$ = 1/2, $\ln r$ = −0.693. $k_1$ = **0.693**, $k_2$ = **0.240**, $k_3$ = −0.5 +
# 0.693 = **0.193**.
#
# **Exercise 13.17b** · difficulty 3 of 5 · 5 minutes · 3 points
#
# **Return the three estimates for each token.**
#
# <details><summary>Hint 1</summary>In ln r, which log-probability is subtracted from which?</details>
# <details><summary>Hint 2</summary>Which of the three can be negative? Check whether yours is.</details>
# <details><summary>The idea</summary>One difference of logarithms, used three times.</details>


# %% exercise="posttraining.kl_estimates"
def kl_estimates(log_probability, frozen):
    """Three estimates of KL(model || frozen model), from
    tokens that the model drew.

    Args:
        log_probability: of each token, (...).
        frozen: the same by the frozen model, (...).

    Returns:
        k1, k2 and k3, each (...).
    """
    ### BEGIN SOLUTION
    log_ratio = frozen - log_probability
    return -log_ratio, log_ratio.square() / 2, log_ratio.exp() - 1 - log_ratio
    ### END SOLUTION


# %% check="posttraining.kl_estimates"
check("posttraining.kl_estimates", kl_estimates)

# %% [markdown]
# Here the grammar's exact distribution for the next word, given the request and all words before, is known
# (`following.distributions`), and so is KL(grammar ‖ your model) at each word of a right answer: the grammar takes the
# model's place, and your model the frozen one's.

# %% draw=true
# How far your model is from the grammar: exact, and estimated
with waiting_for("Exercises 13.17a and b, and the training in 13.8"):
    several = measures.from_the_grammar(trained(tuned), kl, kl_estimates, tools, count=24)
    first = several[0]
    title = "KL(grammar ‖ your model), at each word"
    show(figures.word_by_word(first.words, first.exact, first.estimate, title))
    for name in ("exact", "estimate"):
        middle, error = following.mean_of(float(getattr(each, name).sum()) for each in several)
        print(f"{name:<9} {middle:5.1f} nats per answer, standard error {error:.1f} (24 answers)")

# %% [markdown]
# Both are right on average, and the sum over the vocabulary varies less. Use it if you have both models' logits; with
# a large vocabulary they fill the memory.
#
# A good place for a break.

# %% [markdown]
# ## 13.18 Train it on rewards
#
# One step: R = 8 new requests for reviews, G = 8 answers to each, their rewards by the parser, advantages within
# each group, the clipped objective, an update. With one update per draw, the draws, called **rollouts**, are
# *on-policy*: the model that learns from them has made them. So all ratios are 1, nothing is clipped, and it is
# 13.15's gradient. (A **KL penalty** would also subtract β times 13.17's $k_3$. Your run has none.)

# %% draw=true
# A step of training on rewards
show(drawings.loop())

# %% [markdown]
# The sum over an answer's tokens is divided by the same number for all answers. (Divided by its own length, as in
# DeepSeekMath, a long wrong answer would be punished less per token than a short one: Liu et al. 2025.)

# %% draw=true
REWARDS_ANEW = False
policy = None
with waiting_for("Exercises 13.13, 13.14 and 13.16, and the training in 13.8"):
    learning = {"reward": reward, "advantages": advantages, "clipped": clipped, "kl_estimates": kl_estimates}
    of_rewards = tools._replace(**learning)
    frozen, fresh = trained(tuned), copy.deepcopy(trained(tuned))
    if REWARDS_ANEW:
        training.forget("rewarded")
    if not training.recall("rewarded", fresh):
        live = experiments.reinforce(
            fresh, frozen, of_rewards, Setting(experiments.REWARDED), keep="rewarded"
        )
        training.keep("rewarded", fresh, live, requests.vocabulary().words)
    policy = fresh.eval()

# %% predict="posttraining.closer"

# %% draw=true
# Fulfilled requests, and the distance to the grammar, by stage
with waiting_for("the training above"), after_predicting("posttraining.closer"):
    names = {
        "fine-tuned": "fine-tuned",
        "DPO": "DPO",
        "rewards": "rewards",
        "rewards, KL": "rewards, KL penalty",
    }
    names["more demonstrations"] = "more demonstrations"
    show(figures.stages(names, "fulfilled", "requests fulfilled", title="Three seeds per stage"))
    show(figures.stages(names, "to grammar", "KL(grammar ‖ model), nats per answer", ".1f"))
    found = measures.measure(trained(policy), frozen, tools, count=64)
    print(f"yours: {found['fulfilled']:.0%} fulfilled, {found['to grammar']:.1f} nats from the grammar")

# %% [markdown] reveals="posttraining.closer"
# | | fulfilled | nats from the grammar | words |
# | --- | --- | --- | --- |
# | fine-tuned | {measured.training_answers.fine_tuned.fulfilled} | {measured.training_answers.fine_tuned.kl_grammar_model} | {measured.training_answers.fine_tuned.words.1} |
# | rewards | {measured.training_answers.rewards.fulfilled} | {measured.training_answers.rewards.kl_grammar_model} | {measured.training_answers.rewards.words.1} |
# | rewards, KL penalty, β = 0.05 | {measured.training_answers.rewards_kl.fulfilled} | {measured.training_answers.rewards_kl.kl_grammar_model} | {measured.training_answers.rewards_kl.words.1} |
# | as many demonstrations again | {measured.training_answers.more_demonstrations.fulfilled} | {measured.training_answers.more_demonstrations.kl_grammar_model} | {measured.training_answers.more_demonstrations.words.1} |
#
# The parser's reward does what it says. But the models end several times as far from the grammar's right answers.
# One reason: **the answers got short**. Any word may be wrong, so a short review is safer, and nothing in the
# reward asks for the usual length. The reward is exact, and yet it isn't all that we wanted: that surprised
# us. Variety went, too: an answer's entropy fell from {measured.training_answers.fine_tuned.entropy.1} to
# {measured.training_answers.rewards.entropy.1} nats, mostly because it has fewer words. (On reviews without a
# request the loss is {measured.training_answers.rewards.nats_forgotten} above the grammar's, after
# {measured.training_answers.fine_tuned.nats_forgotten}.)
#
# There is a cheaper way to reach about that share: draw at temperature 0.5. Without a step of training, the
# fine-tuned models then fulfil {measured.training_answers.fine_tuned_temperature_0_5.fulfilled}, in
# {measured.training_answers.fine_tuned_temperature_0_5.words.1} words. (All other figures are drawn at temperature
# 1.) What rewards add shows at 0.5, too: {measured.training_answers.rewards_temperature_0_5.fulfilled}.
#
# More demonstrations teach all right answers, in their usual proportions; a reward teaches the safe ones. (The budgets
# differ: rewards took 120 steps on 7,680 answers, the demonstrations 500 at a higher rate.)

# %% [markdown]
# **When the clipping acts.** With `REWARDS_ANEW = True` and `Setting(60, updates=2)` above, every other update is
# *off-policy*. In our runs (`python -m benchmarks.training_answers --updates`, three seeds) the ratio was then clipped
# at {measured.training_answers_updates_per_draw.2_per_draw.tokens_clipped} of the tokens, and with four updates per
# draw at {measured.training_answers_updates_per_draw.4_per_draw.tokens_clipped}. From half and a quarter of the draws,
# as many requests were fulfilled as from all, as far as three seeds can tell.
#
# Newer methods change the clipping. DAPO (Yu et al. 2025) clips ratios above 1 later than those below, so that
# unlikely tokens can become likelier. GSPO (Zheng et al. 2025) has one ratio per answer, the geometric mean of its
# tokens', since the reward is for the whole answer, too.

# %% [markdown]
# ## 13.19 A reward that can be gamed
#
# Suppose somebody wants favourable reviews, and pays for *words of praise*: an eighth for each, up to eight, whatever
# was asked.

# %% predict="posttraining.gamed"

# %% draw=true
# What the policy does with a reward for praise
with waiting_for("your prediction"), after_predicting("posttraining.gamed"):
    names = {"fine-tuned": "fine-tuned", "praise": "paid for praise", "praise, KL": "paid, KL penalty"}
    names["rewards"] = "the parser's reward"
    show(figures.stages(names, "praise", "words of praise per answer", ".1f", title="Three seeds per stage"))
    show(figures.stages(names, "fulfilled", "requests fulfilled"))

# %% [markdown] reveals="posttraining.gamed"
# The policy found what pays: {measured.training_answers.praise.praise.1} words of praise per answer instead of
# {measured.training_answers.fine_tuned.praise.1}. Nothing pays for stopping, so the answers run on until the model
# has no positions left, {measured.training_answers.praise.words.1} words, and no request is fulfilled any more. This
# is **reward hacking**. With the KL penalty there are
# {measured.training_answers.praise_kl.praise.1} in {measured.training_answers.praise_kl.words.1} words, and
# {measured.training_answers.praise_kl.fulfilled} of the requests are fulfilled: the penalty limits how far the
# policy goes, but the direction is the reward's.

# %% [markdown]
# **Question 13.19** · graded by hand · 8 minutes · 5 points
#
# A shop lets a model write answers to customers, and trains it on how many stars customers give. After a month the
# stars are up, and so are the complaints. What may have happened? Explain it with what you measured: what the
# policy optimises, what a KL penalty does and what it can't do, and what a better reward would be. How would you
# have noticed?

# %% [markdown] written="posttraining.stars" points=5
# ### BEGIN SOLUTION
# **Model answer.** The policy optimises what it is paid for, stars, and not what the shop wants, answers that help.
# Stars go with good answers, but also with flattery, promises and short or friendly texts, and training finds
# whatever raises them. I measured the same here: paid for words of praise, the model wrote
# {measured.training_answers.praise.praise.1} of them per answer instead of
# {measured.training_answers.fine_tuned.praise.1}, and fulfilled no request any more, after
# {measured.training_answers.fine_tuned.fulfilled.1} %. Even the parser's reward, which is never wrong, left something
# out: answers shrank to {measured.training_answers.rewards.words.1} words, since short ones fail less often. A KL
# penalty keeps the model near the frozen one, so the game stays small, but it doesn't turn the model towards what is
# wanted. A better reward measures the goal itself, such as whether the problem was solved, and is checked by people
# on a sample, with their error rates. I would have noticed by looking at what isn't rewarded: length, the share of
# flattering words, the distance to the frozen model, complaints.
#
# **Rubric**
# - 1 point: stars are a substitute for the goal, and the policy optimises the substitute (reward hacking).
# - 1 point: what was measured here, with a number.
# - 1 point: a KL penalty limits how far the policy moves, not where to.
# - 1 point: a better reward: closer to the goal, checked.
# - 1 point: how to notice: measure something that isn't rewarded.
# ### END SOLUTION

# %% [markdown]
# ## 13.20 Or simply ask more often
#
# **Why.** If answers can be checked, one can draw several and keep a right one: **best of n**. How often does at
# least one of $k$ fulfil the request? With $n \ge k$ tries, of which $c$ were right, the share of all choices of $k$
# that hold a right one is an unbiased estimate (Chen et al. 2021, equation 1). $1 - (1 - c/n)^k$ is biased.
#
# $$\text{pass@}k = 1 - \binom{n-c}{k} \bigg/ \binom{n}{k}$$
#
# **By hand.** $n$ = 4, $c$ = 1, $k$ = 2: of six pairs three have no right answer: **1/2**. The other formula gives 1 −
# 0.75² = 0.44.
#
# **Exercise 13.20** · difficulty 3 of 5 · 5 minutes · 2 points
#
# **Return the unbiased estimate of pass@k.**
#
# <details><summary>Hint 1</summary>How many ways are there to choose k of n answers, and how many of them hold
# only wrong ones? <code>math.comb</code> counts.</details>
# <details><summary>Hint 2</summary>What does it give when fewer than k answers are wrong?</details>
# <details><summary>The idea</summary>One minus the share of choices without any right answer.</details>


# %% exercise="posttraining.pass_at_k"
def pass_at_k(n, correct, k):
    """The chance that at least one of k answers is right.

    Args:
        n: how many answers were tried.
        correct: how many of them were right, 0 to n.
        k: how many answers one may hand in, 1 to n.

    Returns:
        The unbiased estimate, a number from 0 to 1.
    """
    ### BEGIN SOLUTION
    return 1 - math.comb(n - correct, k) / math.comb(n, k)
    ### END SOLUTION


# %% check="posttraining.pass_at_k"
check("posttraining.pass_at_k", pass_at_k)

# %% predict="posttraining.often"

# %% draw=true
# One of k answers fulfils the request: by stage, and for your own model
with waiting_for("Exercise 13.20 and the training in 13.18"), after_predicting("posttraining.often"):
    names = {"fine-tuned": "fine-tuned", "rewards": "rewards"}
    show(figures.best_of(names))
    counts = measures.right_of(trained(tuned), tries=8, count=20)
    yours = [sum(pass_at_k(8, count, k) for count in counts) / len(counts) for k in (1, 2, 4, 8)]
    print("yours, fine-tuned, one of 1, 2, 4, 8:", ", ".join(f"{share:.0%}" for share in yours))

# %% [markdown] reveals="posttraining.often"
# One of sixteen answers of the *fine-tuned* models is right for {measured.training_answers.fine_tuned.best_of_16} of
# the requests, one of eight for {measured.training_answers.fine_tuned.best_of_8}, one answer after the rewards for
# {measured.training_answers.rewards.best_of_1}. (At equal k the rewarded models are ahead. Yours, from 20 requests, may
# be off by 20 points.)
#
# Which is cheaper? Count sampled tokens. The training on rewards drew about
# {measured.training_answers.rewards.tokens_sampled.1} thousand. With as many, best of eight, at
# {measured.training_answers.fine_tuned.words.1} words per answer, serves some 800 requests without any training, and
# nearly twice as many if one stops at the first right answer. (The work of the updates isn't counted.) For many more,
# training is cheaper.

# %% [markdown]
# ## 13.21 A letter to a friend
#
# **Question 13.21** · graded by hand · 8 minutes · 5 points
#
# A friend has a language model, a thousand demonstrations, a program that recognises right answers, and a budget for
# one of four things: fine-tuning, DPO, training on rewards, or drawing eight answers and keeping a right one. What
# would you advise, and in which order? Say what each needs and what it costs. Use three numbers that you measured
# or read here, and name one risk of training on rewards.

# %% [markdown] written="posttraining.advice" points=5
# ### BEGIN SOLUTION
# **Model answer.** First fine-tuning: it needs demonstrations, of which there are a thousand, and cost about
# {measured.training_answers.fine_tuned.cpu_seconds.1} seconds here. Without it no answer has the form, so no reward
# is ever earned. It fulfilled {measured.training_answers.fine_tuned.fulfilled.1} % of the requests. Then, since right
# answers can be recognised, drawing eight and keeping a right one: no training, and one of eight was right for
# {measured.training_answers.fine_tuned.best_of_8.1} % of the requests, more than with one answer after training on
# rewards, {measured.training_answers.rewards.fulfilled.1} %. It costs eight answers each time, so with many requests
# training pays: it drew {measured.training_answers.rewards.tokens_sampled.1} thousand tokens once. DPO needs pairs,
# which the program can make, and brought {measured.training_answers.dpo.fulfilled.1} %. The risk of rewards: the
# policy finds what they leave out; here answers became short, and the distance to the grammar grew from
# {measured.training_answers.fine_tuned.kl_grammar_model.1} to {measured.training_answers.rewards.kl_grammar_model.1}
# nats.
#
# **Rubric**
# - 1 point: fine-tuning first, and why (the others need a model that is sometimes right).
# - 1 point: best of n needs no training but pays at every request; training pays once.
# - 1 point: what DPO needs (pairs, a frozen copy), or why it can wait.
# - 1 point: three numbers, used rightly.
# - 1 point: a risk of rewards: gaming, forgetting, or less variety.
# - Another order is fine if its reasons fit the numbers.
# ### END SOLUTION

# %% [markdown]
# ## 13.22 Ask it
#
# Type a request and press Enter; below the answer is the parser's verdict. Then ask a question about the review.
# (`policy` is the model after the rewards; put `tuned` in its place to ask the one before.)

# %% draw=true
# Explore: your model answers, and the parser judges
explorers.request_explorer(policy, "the training in 13.18")

# %% [markdown]
# 1. Ask for all four features, then for none (*a review*). Which works better?
# 2. Raise the temperature. Which verdict fails first?
# 3. After a review, ask *is it praise or blame?* Which of the two models answers better?
#
# **In one file.** `SHARE = True` writes a web page, where anybody can ask your model.

# %% draw=true
# Your model as a page to keep or to send
SHARE, NAME = False, ""
with waiting_for("the training in 13.18"):
    trained(policy)
    if SHARE:
        sharing.share("rewarded", policy, NAME, whose)
    else:
        print("SHARE is False: no page is written.")

# %%
training.kept()  # on this computer, now

# %% [markdown]
# ## 13.23 What to remember
#
# - A model answers because of a template, and demonstrations in which only the answer counts.
# - DPO needs pairs and a frozen copy; a policy gradient needs only rewards of the model's own answers.
# - An advantage compares answers to the same request. A group without differences teaches nothing.
# - A policy optimises the reward that it gets, not the one that was meant.
# - Before you praise a training run, try a lower temperature.
# - Whatever is trained, something else is forgotten: measure that, too.
#
# **Sources.** Williams 1992, *Simple statistical gradient-following algorithms*. Ouyang et al. 2022, *Training
# language models to follow instructions with human feedback* (InstructGPT). Rafailov et al. 2023, *Direct preference
# optimization*. Pal et al. 2024, *Smaug*. Shao et al. 2024, *DeepSeekMath* (GRPO). DeepSeek-AI 2025, *DeepSeek-R1*.
# Liu et al. 2025, *Understanding R1-Zero-like training* (Dr. GRPO). Schulman et al. 2017, *Proximal policy
# optimization algorithms*. Yu et al. 2025, *DAPO*. Zheng et al. 2025, *Group sequence policy optimization* (GSPO).
# Gao et al. 2023, *Scaling laws for reward model overoptimization*. Schulman 2020, *Approximating KL divergence*.
# Chen et al. 2021, *Evaluating large language models trained on code*. Rogan and Gladen 1978, *Estimating prevalence
# from the results of a screening test*. Hewitt 2021, *Initializing new word embeddings for pretrained language
# models*. Tang and Munos 2025, *On a few pitfalls in KL divergence gradient estimation for RL*.

# %% [markdown]
# ## 13.24 What to read and build next
#
# **Build.**
#
# - *A model that chats*: Karpathy's [nanochat](https://github.com/karpathy/nanochat) goes from raw text to a web page
#   on which you chat.
# - *Post-training of a published model*: Hugging Face's [TRL](https://github.com/huggingface/trl) has a trainer for
#   each of this lesson's stages.
# - *The whole way, alone*: the assignments of Stanford's [CS336, Language modeling from
#   scratch](https://cs336.stanford.edu) give you little code and ask for much.
#
# **Read**, each for one question.
#
# - *What have the heads learned?* Elhage et al. 2021, [A mathematical framework for Transformer
#   circuits](https://transformer-circuits.pub/2021/framework/index.html).
# - *How is a model trained on thousands of chips?* Austin et al. 2025,
#   [How to scale your model](https://jax-ml.github.io/scaling-book/).
# - *What happens when the judge is itself a model?* Lambert's [RLHF book](https://rlhfbook.com), on reward models.
#
# **A small project of your own.** Take one claim of a paper from the sources above, and test it on your model: one
# change, equal steps, several seeds, an interval. Begin with a reward that doesn't shorten the answers. If the claim
# doesn't hold at your size, say so: that is a result, too.
