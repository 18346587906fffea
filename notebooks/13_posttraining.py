# %% [markdown]
# # 13 · Posttraining
#
# - **You will learn** how a model that goes on writing becomes one that answers.
# - **You need** lesson 8.
# - **Time** {minutes} minutes.

# %% setup=true
import math

import torch

from helpers.checks import check

# %% [markdown]
# ## 13.0 Catch the slip
#
# Three short pieces on lessons 8 and 12. Each is right, or has one slip that is easy to make.

# %% recall="posttraining.recall_loss"

# %% recall="posttraining.recall_draw"

# %% recall="posttraining.recall_drafts"

# %% [markdown]
# ## 13.1 The template
#
# A request and its answer become one row of tokens: `<request>` … `<answer>` … `<end>`. The three special tokens
# have numbers of their own, which no text contains.
#
# **Exercise 13.1** · difficulty 2 of 5 · 4 minutes · 2 points
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
            so that the tokens end where the model goes on.
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
# ## 13.2 The loss mask
#
# The model should learn to answer, not to ask: only the answer's tokens count in the loss. The mask is True where a
# token counts when it is predicted.
#
# **Exercise 13.2** · difficulty 4 of 5 · 9 minutes · 4 points
#
# **Return which tokens are the answer's: those after the first `<answer>`, up to and including `<end>`.**
#
# <details><summary>Hint 1</summary><code>cumsum</code> counts how often something has come so far. How do you
# count only what came before?</details>
# <details><summary>Hint 2</summary>Which <code>&lt;end&gt;</code> ends the answer, if the request has one too,
# or the padding is made of them?</details>
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
# ## 13.3 Padding
#
# Rows of a batch differ in length, and a tensor has none that are shorter. So short rows are filled up, and a
# second tensor says what is real.
#
# **Exercise 13.3** · difficulty 2 of 5 · 4 minutes · 2 points
#
# **Fill the rows up on the right, and return which tokens are real.**
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
        pad_token: what short rows are filled up with, on the right.

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
# ## 13.4 New tokens
#
# The special tokens need rows in the embedding, which is tied: a row is also what a hidden vector is multiplied by
# to give the token's logit. If new rows start as the mean of the old ones, their logits start as the mean logit, so
# they take little from the others (Hewitt 2021).
#
# **Exercise 13.4** · difficulty 2 of 5 · 4 minutes · 2 points
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

# %% [markdown]
# ## 13.5 Log-probabilities of tokens
#
# All that follows starts from one number for each token: the logarithm of the probability that the model gave it.
# The logits at position $t$ predict token $t + 1$, so a row of $T$ tokens has $T - 1$ such numbers.
#
# **Exercise 13.5** · difficulty 3 of 5 · 6 minutes · 3 points
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
# ## 13.6 The loss of the answers
#
# Supervised fine-tuning is lesson 8's loss with a mask: the mean surprise over the tokens that count (Ouyang et al.
# 2022). Each token of the batch counts once, whatever row it is in.
#
# **Exercise 13.6** · difficulty 3 of 5 · 5 minutes · 3 points
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
# ## 13.7 Exact match
#
# Questions with one right answer are judged by comparing: a model's answer is right if it is the right one, token
# by token, and ends there. What comes after the first `<end>` isn't part of it.
#
# **Exercise 13.7** · difficulty 2 of 5 · 5 minutes · 2 points
#
# **Return the share of answers that are exactly right.**
#
# <details><summary>Hint 1</summary>Where does an answer end, and what if it never does?</details>
# <details><summary>Hint 2</summary>Is an answer right that begins with the right words and goes on?</details>
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
# ## 13.8 The log-probability of an answer
#
# Probabilities of tokens multiply, so their logarithms add up. The sum over an answer's tokens is what preferences
# and rewards will push up or down.
#
# **Exercise 13.8** · difficulty 2 of 5 · 3 minutes · 2 points
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
# ## 13.9 The likelier option
#
# A model can also be asked to choose: of several answers it is given, which does it find likeliest? A long answer
# is a product of more probabilities, so it starts behind, unless the mean for each token decides.
#
# **Exercise 13.9** · difficulty 2 of 5 · 3 minutes · 2 points
#
# **Return which option is likeliest, as a whole or for each token.**
#
# <details><summary>Hint 1</summary>Which axis has the options?</details>
# <details><summary>Hint 2</summary>What is divided by what, if the mean decides?</details>
# <details><summary>The idea</summary>The place of the largest number along the last axis.</details>


# %% exercise="posttraining.likelier"
def likelier(log_probability, lengths, per_token):
    """Which of N options a model holds for the likeliest.

    Args:
        log_probability: of each option as a whole, (..., N).
        lengths: how many tokens each option has, integers, (..., N).
        per_token: True lets the mean for each token decide, False
            the option as a whole.

    Returns:
        The option's place, integers, (...).
    """
    ### BEGIN SOLUTION
    return (log_probability / lengths if per_token else log_probability).argmax(dim=-1)
    ### END SOLUTION


# %% check="posttraining.likelier"
check("posttraining.likelier", likelier)

# %% [markdown]
# ## 13.10 A judge that errs
#
# A judge who errs measures a share that is off: it misses some right answers, and lets some wrong ones pass. If
# both rates are known, the true share $p$ follows from the measured one, $m = p \cdot \text{sensitivity} + (1 -
# p)(1 - \text{specificity})$ (Rogan and Gladen 1978).
#
# **Exercise 13.10** · difficulty 3 of 5 · 5 minutes · 2 points
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
    """The share of right answers, from what
    a judge says who errs.

    Args:
        measured: the share of answers that the judge calls right.
        sensitivity: of right answers, the share that it calls right.
        specificity: of wrong answers, the share that it calls wrong.
            The two are more than 1 together.

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
# ## 13.11 DPO
#
# Direct preference optimization (Rafailov et al. 2023) needs pairs of a better and a worse answer, and the frozen
# model. With $\Delta$ for how much likelier an answer has become than it is for the frozen model, in nats, the loss
# of a pair is $-\ln \sigma\big(\beta\,(\Delta_\text{chosen} - \Delta_\text{rejected})\big)$.
#
# **Exercise 13.11** · difficulty 3 of 5 · 7 minutes · 3 points
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
        beta: what the difference is multiplied by.

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
# ## 13.12 A reward
#
# A reward says how good an answer is, and here a parser can say it exactly: 1 if the answer ends, is grammatical
# and has every feature that was asked for, else 0. What it leaves out, a policy will find.
#
# **Exercise 13.12** · difficulty 3 of 5 · 5 minutes · 3 points
#
# **Return 1 for an answer that is finished, grammatical and as it was asked for, else 0.**
#
# <details><summary>Hint 1</summary>Which part of the answer is read, and what if there is no such
# part?</details>
# <details><summary>Hint 2</summary>Does an answer that has more features than were asked for do what it
# should?</details>
# <details><summary>The idea</summary>Three questions, and 1 only if each is answered with yes.</details>


# %% exercise="posttraining.reward"
def reward(answer, asked, read, end):
    """1 for an answer that is as it was asked for, else 0.

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
# ## 13.13 Advantages within a group
#
# Whether a reward is good depends on the request, so several answers to one request are compared: an answer's
# advantage is its reward minus the group's mean. DeepSeekMath (Shao et al. 2024) also divides by the group's
# standard deviation, and Dr. GRPO (Liu et al. 2025) doesn't.
#
# **Exercise 13.13** · difficulty 3 of 5 · 6 minutes · 3 points
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
# ## 13.14 A step of policy gradient
#
# Nobody can differentiate a parser. REINFORCE (Williams 1992) only needs answers that the model drew itself: the
# gradient of the expected reward is the mean of advantage times the gradient of the answer's log-probability.
#
# **Exercise 13.14** · difficulty 4 of 5 · 7 minutes · 4 points
#
# **Return a loss whose gradient is minus the policy gradient.**
#
# <details><summary>Hint 1</summary>What becomes likelier when a loss gets smaller, and what has to?</details>
# <details><summary>Hint 2</summary>What is multiplied by an answer's advantage: each token's log-probability
# for itself, their mean or their sum?</details>
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
# ## 13.15 The clipped ratio
#
# After one step the answers are from an older model. PPO (Schulman et al. 2017) weighs each token by the ratio $r$
# of its probability now to that when it was drawn, and clips it: $\min\big(r A,\ \text{clip}(r, 1 - \varepsilon, 1
# + \varepsilon)\,A\big)$, so that nothing is gained by moving further.
#
# **Exercise 13.15** · difficulty 4 of 5 · 8 minutes · 4 points
#
# **Return the clipped objective for each token.**
#
# <details><summary>Hint 1</summary>A ratio of probabilities is e to a difference of their logarithms. Of
# which?</details>
# <details><summary>Hint 2</summary>In the first step the ratio is 1. What should its gradient be, and what is
# it if nothing is detached?</details>
# <details><summary>The idea</summary>A ratio whose lower half is only a number, once clipped and once not, and
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
# ## 13.16 How far it has moved
#
# A reward that is pushed too hard ruins the language, so the distance to the frozen model is watched. At one
# position it can be computed exactly, over all tokens: $\text{KL}(p \,\|\, q) = \sum_v p_v \ln \frac{p_v}{q_v}$,
# with $p$ the model and $q$ the frozen one.
#
# **Exercise 13.16** · difficulty 3 of 5 · 4 minutes · 3 points
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
# ## 13.17 Three estimates of it
#
# Where only the drawn tokens' log-probabilities are at hand, KL is estimated. Schulman (2020) compares three, with
# $r = q/p$, the frozen model's probability of a drawn token divided by the model's: $k_1 = -\ln r$, $k_2 = \frac12
# (\ln r)^2$, $k_3 = (r - 1) - \ln r$.
#
# **Exercise 13.17** · difficulty 3 of 5 · 5 minutes · 3 points
#
# **Return the three estimates for each token.**
#
# <details><summary>Hint 1</summary>Which of the two log-probabilities is the minuend of ln r?</details>
# <details><summary>Hint 2</summary>Which of the three can be negative? Look whether yours is.</details>
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
# ## 13.18 pass@k
#
# What is the chance that at least one of $k$ answers is right? With $n$ answers tried, of which $c$ were right, the
# share of all choices of $k$ among the $n$ that contain a right one estimates it without bias (Chen et al. 2021):
# $1 - \binom{n-c}{k} \big/ \binom{n}{k}$.
#
# **Exercise 13.18** · difficulty 3 of 5 · 5 minutes · 2 points
#
# **Return the unbiased estimate of pass@k.**
#
# <details><summary>Hint 1</summary>How many ways are there to choose k of n answers, and how many of them hold
# only wrong ones? <code>math.comb</code> counts.</details>
# <details><summary>Hint 2</summary>What does it give when fewer than k answers are wrong?</details>
# <details><summary>The idea</summary>One minus the share of choices without any right answer.</details>


# %% exercise="posttraining.pass_at_k"
def pass_at_k(n, correct, k):
    """The chance that one of k answers is right, at least.

    Args:
        n: how many answers were tried.
        correct: how many of them were right, 0 to n.
        k: how many one may hand in, 1 to n.

    Returns:
        The unbiased estimate, a number from 0 to 1.
    """
    ### BEGIN SOLUTION
    return 1 - math.comb(n - correct, k) / math.comb(n, k)
    ### END SOLUTION


# %% check="posttraining.pass_at_k"
check("posttraining.pass_at_k", pass_at_k)
