"""Misconceptions about a mixture of experts: each reference with one slip in it, as a student has it.

A docstring is the sentence that the student reads. Each function stands alone, with `torch` and `math` as its
only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines, and is no command)

import torch

# -- the router --------------------------------------------------------------------------------------------


def not_made_up_for(logits, k):
    """The softmax goes over all experts, and what the others had is lost: the k chosen share all of it, so
    that a row sums to 1.
    """
    best, places = logits.softmax(dim=-1).topk(k, dim=-1)
    return torch.zeros_like(logits).scatter(-1, places, best)


def all_experts(logits, k):
    """Every expert gets a share: only the k best count, all others are 0."""
    return logits.softmax(dim=-1)


def scores_as_gates(logits, k):
    """The scores themselves are the gates: they become shares by a softmax over the chosen ones."""
    best, places = logits.topk(k, dim=-1)
    return torch.zeros_like(logits).scatter(-1, places, best)


def alike(logits, k):
    """The chosen experts count alike: a softmax over their scores says how much each counts."""
    places = logits.topk(k, dim=-1).indices
    return torch.zeros_like(logits).scatter(-1, places, 1 / k)


def the_worst(logits, k):
    """The k experts with the lowest scores are chosen: it is the highest that count."""
    least, places = logits.topk(k, dim=-1, largest=False)
    return torch.zeros_like(logits).scatter(-1, places, least.softmax(dim=-1))


def zeros_for_the_others(logits, k):
    """The others' scores are set to 0 before the softmax, where e⁰ = 1 counts: hide them with -∞."""
    least = logits.topk(k, dim=-1).values[..., -1:]
    return torch.where(logits >= least, logits, 0.0).softmax(dim=-1)


def sigmoids(logits, k):
    """Each chosen gate is a sigmoid of its own score, so a row doesn't sum to 1: take a softmax over the
    k.
    """
    best, places = logits.topk(k, dim=-1)
    return torch.zeros_like(logits).scatter(-1, places, best.sigmoid())


def best_alone(logits, k):
    """Only the best expert gets anything: it is the k best that share."""
    best, places = logits.topk(1, dim=-1)
    return torch.zeros_like(logits).scatter(-1, places, best.softmax(dim=-1))


def shares_of_the_scores(logits, k):
    """The chosen scores are divided by their sum: scores may be negative or sum to 0, so it is a softmax that
    makes shares of them.
    """
    best, places = logits.topk(k, dim=-1)
    return torch.zeros_like(logits).scatter(-1, places, best / best.sum(dim=-1, keepdim=True))


def best_of_all_rows(logits, k):
    """The k best of all rows together are chosen: each row, a token, has its own k."""
    least = logits.flatten().topk(k).values[-1]
    return logits.masked_fill(logits < least, -torch.inf).softmax(dim=-1)


def shares_in_order(logits, k):
    """The shares stand in the order of the scores, best first: each belongs at the place of its expert."""
    best = logits.topk(k, dim=-1).values.softmax(dim=-1)
    gates = torch.zeros_like(logits)
    gates[..., :k] = best
    return gates


# -- the mixture -------------------------------------------------------------------------------------------


def everyone_reads_everything(x, gates, experts):
    """Every expert reads every token, though most gates are 0: that is all of the work, and an expert may
    not know what to do with others' tokens.
    """
    return sum(gates[:, number, None] * expert(x) for number, expert in enumerate(experts))


def gates_ignored(x, gates, experts):
    """What the experts say is added without their gates."""
    output = torch.zeros_like(x)
    for number, expert in enumerate(experts):
        mine = gates[:, number] > 0
        output[mine] = output[mine] + expert(x[mine])
    return output


def gate_before_the_expert(x, gates, experts):
    """The gate multiplies what an expert reads: it belongs to what the expert says, which isn't the same."""
    output = torch.zeros_like(x)
    for number, expert in enumerate(experts):
        mine = gates[:, number] > 0
        output[mine] = output[mine] + expert(gates[mine, number, None] * x[mine])
    return output


def last_one_counts(x, gates, experts):
    """A token's second expert overwrites what its first has said: the two are added."""
    output = torch.zeros_like(x)
    for number, expert in enumerate(experts):
        mine = gates[:, number] > 0
        output[mine] = gates[mine, number, None] * expert(x[mine])
    return output


def only_the_best(x, gates, experts):
    """Each token is given to the expert with the largest gate alone: all with a gate above 0 have their
    say.
    """
    output = torch.zeros_like(x)
    for number, expert in enumerate(experts):
        mine = gates.argmax(dim=-1) == number
        output[mine] = gates[mine, number, None] * expert(x[mine])
    return output


def path_added(x, gates, experts):
    """The input is added here already: the residual path belongs to the block."""
    output = x.clone()
    for number, expert in enumerate(experts):
        mine = gates[:, number] > 0
        output[mine] = output[mine] + gates[mine, number, None] * expert(x[mine])
    return output


def shared_by_count(x, gates, experts):
    """The sum is divided by the number of experts: the gates are shares already."""
    output = torch.zeros_like(x)
    for number, expert in enumerate(experts):
        mine = gates[:, number] > 0
        output[mine] = output[mine] + gates[mine, number, None] * expert(x[mine])
    return output / len(experts)


# -- balance -----------------------------------------------------------------------------------------------


def not_times_experts(logits, k):
    """The factor E is missing, so a perfect balance would be 1/E: with it, it is 1 for any number of
    experts.
    """
    N = len(logits)
    counts = torch.zeros_like(logits).scatter(-1, logits.topk(k, dim=-1).indices, 1.0)
    return (counts.sum(dim=0) / (N * k) * logits.softmax(dim=-1).mean(dim=0)).sum()


def counts_as_they_are(logits, k):
    """The tokens are counted and not divided, so a longer text would pay more: take each expert's share of
    all N·k places.
    """
    E = logits.size(-1)
    counts = torch.zeros_like(logits).scatter(-1, logits.topk(k, dim=-1).indices, 1.0)
    return E * (counts.sum(dim=0) * logits.softmax(dim=-1).mean(dim=0)).sum()


def shares_of_tokens(logits, k):
    """The counts are divided by N, so that they sum to k: each token is counted k times, and N·k is the
    whole.
    """
    N, E = logits.shape
    counts = torch.zeros_like(logits).scatter(-1, logits.topk(k, dim=-1).indices, 1.0)
    return E * (counts.sum(dim=0) / N * logits.softmax(dim=-1).mean(dim=0)).sum()


def probabilities_twice(logits, k):
    """The mean probabilities are squared: one of the two factors is the share of tokens that are really
    sent.
    """
    return logits.size(-1) * logits.softmax(dim=-1).mean(dim=0).square().sum()


def shares_twice(logits, k):
    """The shares of tokens are squared, and counts have no gradient: one factor is the mean probability."""
    N, E = logits.shape
    counts = torch.zeros_like(logits).scatter(-1, logits.topk(k, dim=-1).indices, 1.0)
    return E * (counts.sum(dim=0) / (N * k)).square().sum()


def gates_for_probabilities(logits, k):
    """The probabilities are those of the chosen alone: the softmax here goes over all experts, so that the
    others can become more probable.
    """
    N, E = logits.shape
    best, places = logits.topk(k, dim=-1)
    counts = torch.zeros_like(logits).scatter(-1, places, 1.0)
    shares = torch.zeros_like(logits).scatter(-1, places, best.softmax(dim=-1))
    return E * (counts.sum(dim=0) / (N * k) * shares.mean(dim=0)).sum()


def token_by_token(logits, k):
    """Shares and probabilities are multiplied token by token: each is averaged over the tokens first."""
    E = logits.size(-1)
    counts = torch.zeros_like(logits).scatter(-1, logits.topk(k, dim=-1).indices, 1.0)
    return E * (counts / k * logits.softmax(dim=-1)).sum(dim=-1).mean()


def the_best_alone(logits, k):
    """Only each token's best expert is counted: it is sent to k of them."""
    N, E = logits.shape
    counts = torch.zeros_like(logits).scatter(-1, logits.argmax(dim=-1, keepdim=True), 1.0)
    return E * (counts.sum(dim=0) / N * logits.softmax(dim=-1).mean(dim=0)).sum()
