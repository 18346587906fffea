"""Right answers of lesson 08, written in other ways than the references.

Each stands alone, with `torch`, `math` and answers to earlier exercises as its only names.
"""

# ruff: noqa: D103, RUF007  (their names say what is special about them)

import math

import torch

from helpers.pretraining import merge_pair

# -- batches, loss, perplexity, pairs --------------------------------------------------------------------


def shifted_with_clone(ids, pad=0):
    targets = ids[:, 1:].clone()
    targets[targets == pad] = -100
    return ids[:, :-1], targets


def shifted_with_where(ids, pad=0):
    T = ids.size(1) - 1
    then = ids.narrow(1, 1, T)
    return ids.narrow(1, 0, T), torch.where(then != pad, then, -100)


def loss_of_the_real_ones(logits, targets):
    real = targets != -100
    scores, wanted = logits[real], targets[real]
    return (scores.logsumexp(dim=-1) - scores[torch.arange(len(wanted)), wanted]).mean()


def loss_by_one_hot(logits, targets):
    shifted = logits - logits.amax(dim=-1, keepdim=True)
    log_p = shifted - shifted.exp().sum(dim=-1, keepdim=True).log()
    chosen = torch.arange(logits.size(-1)) == targets.unsqueeze(-1)
    return -log_p[chosen].sum() / (targets >= 0).sum()


def loss_row_by_row(logits, targets):
    total, count = 0.0, 0
    for row, wanted in zip(logits, targets, strict=True):
        for scores, target in zip(row, wanted.tolist(), strict=True):
            if target != -100:
                total = total - scores.log_softmax(dim=0)[target]
                count += 1
    return total / count


def perplexity_of_all_tokens(losses, counts):
    return torch.exp((losses * counts / counts.sum()).sum())


def perplexity_in_a_loop(losses, counts):
    total = sum(float(loss) * int(count) for loss, count in zip(losses, counts, strict=True))
    return math.exp(total / int(counts.sum()))


def pairs_in_a_loop(inputs, targets, vocabulary, alpha):
    counts = torch.full((vocabulary, vocabulary), float(alpha))
    for row, wanted in zip(inputs.tolist(), targets.tolist(), strict=True):
        for now, then in zip(row, wanted, strict=True):
            if then != -100:
                counts[now, then] += 1
    return (counts / counts.sum(dim=1, keepdim=True)).log()


def pairs_by_index_put(inputs, targets, vocabulary, alpha):
    real = targets >= 0
    counts = torch.zeros(vocabulary, vocabulary)
    counts.index_put_((inputs[real], targets[real]), torch.ones(()), accumulate=True)
    counts += alpha
    return counts.log() - counts.sum(dim=-1, keepdim=True).log()


# -- the model -------------------------------------------------------------------------------------------


def cost_written_out(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    attention = 4 * (d_model * d_model + d_model)
    feed_forward = d_model * 4 * d_model + 4 * d_model + 4 * d_model * d_model + d_model
    words, norms = vocabulary * d_model, 2 * n_layers + 1
    weights = words + n_layers * (attention + feed_forward) + norms * 2 * d_model
    scores = 2 * 2 * positions * d_model * n_layers
    return weights + positions * d_model, tokens * 3 * (2 * weights + scores)


def cost_by_lesson_06(vocabulary, d_model, n_heads, n_layers, positions, tokens):
    from helpers.counting import gpt2_parameters, training_flops_per_token

    total = gpt2_parameters(vocabulary, d_model, n_heads, n_layers, positions)
    per_token = training_flops_per_token(total - positions * d_model, n_layers, positions, d_model)
    return total, per_token * tokens


# -- training --------------------------------------------------------------------------------------------


def rate_of_the_smaller(step, steps, warmup, peak):
    return peak * min(step / warmup, (steps - step) / (steps - warmup))


def rate_in_pieces(step, steps, warmup, peak):
    if step < warmup:
        return step * (peak / warmup)
    done = (step - warmup) / (steps - warmup)
    return peak * (1 - done)


def step_cleared_late(model, optimizer, loss, batch, max_norm=1.0):
    value = loss(model, *batch)
    optimizer.zero_grad(set_to_none=True)
    value.backward()
    torch.nn.utils.clip_grad_norm_(list(model.parameters()), max_norm=max_norm)
    optimizer.step()
    return value.detach()


def step_clipped_by_hand(model, optimizer, loss, batch, max_norm=1.0):
    for parameter in model.parameters():
        parameter.grad = None
    value = loss(model, *batch)
    value.backward()
    length = torch.sqrt(sum((p.grad**2).sum() for p in model.parameters()))
    if length > max_norm:
        for parameter in model.parameters():
            parameter.grad *= max_norm / length
    optimizer.step()
    return value.item()


# -- writing ---------------------------------------------------------------------------------------------


def temperature_by_exponentials(logits, temperature):
    if not temperature:
        greedy = torch.zeros_like(logits)
        return greedy.scatter(-1, logits.argmax(-1, keepdim=True), 1.0)
    powers = ((logits - logits.amax(-1, keepdim=True)) / temperature).exp()
    return powers / powers.sum(-1, keepdim=True)


def temperature_of_largest(logits, temperature):
    if temperature == 0:
        return (logits == logits.max(dim=-1, keepdim=True).values).to(logits.dtype)
    return torch.softmax(logits / temperature, -1)


def top_k_by_threshold(probabilities, k):
    least = probabilities.sort(dim=-1, descending=True).values[..., k - 1 : k]
    kept = torch.where(probabilities >= least, probabilities, 0.0)
    return kept / kept.sum(-1, keepdim=True)


def top_k_by_softmax(probabilities, k):
    least = probabilities.topk(k).values[..., -1:]
    return probabilities.log().masked_fill(probabilities < least, -math.inf).softmax(-1)


def nucleus_by_counting(probabilities, p):
    sums = probabilities.sort(dim=-1, descending=True).values.cumsum(-1)
    needed = ((sums < p).sum(-1, keepdim=True)).clamp(max=probabilities.size(-1) - 1)
    ranks = probabilities.argsort(dim=-1, descending=True).argsort(dim=-1)
    kept = probabilities * (ranks <= needed)
    return kept / kept.sum(-1, keepdim=True)


def nucleus_row_by_row(probabilities, p):
    rows = probabilities.reshape(-1, probabilities.size(-1))
    kept = torch.zeros_like(rows)
    for row, mine in zip(rows, kept, strict=True):
        total = 0.0
        for token in row.argsort(descending=True).tolist():
            if total >= p:
                break
            mine[token] = row[token]
            total += float(row[token])
        mine /= mine.sum()
    return kept.reshape(probabilities.shape)


def draw_by_search(probabilities, uniform):
    ends = probabilities.cumsum(dim=-1)
    ends[..., -1] = 1
    return torch.searchsorted(ends, uniform.unsqueeze(-1), right=True).squeeze(-1)


def draw_first_that_reaches(probabilities, uniform):
    reached = probabilities.cumsum(-1) > uniform.unsqueeze(-1)
    return torch.where(reached.any(-1), reached.int().argmax(dim=-1), probabilities.size(-1) - 1)


def draw_never_beyond(probabilities, uniform):
    passed = (probabilities.cumsum(-1) <= uniform.unsqueeze(-1)).sum(-1)
    return passed.clamp(max=probabilities.size(-1) - 1)


# -- tokens --------------------------------------------------------------------------------------------------


def pairs_with_counter(words):
    from collections import Counter

    found = Counter()
    for word, n in words.items():
        parts = word.split(" ")
        for i in range(len(parts) - 1):
            found[parts[i] + " " + parts[i + 1]] += n
    return found


def pairs_of_all_places(words):
    places = []
    for word in words:
        tokens = word.split()
        places += [(f"{tokens[i - 1]} {tokens[i]}", words[word]) for i in range(1, len(tokens))]
    counts = {pair: 0 for pair, _ in places}
    for pair, times in places:
        counts[pair] += times
    return counts


def merge_by_regular_expression(word, pair):
    import re

    return re.sub(r"(?<!\S)" + re.escape(pair) + r"(?!\S)", pair.replace(" ", ""), word)


def merge_in_place(word, pair):
    tokens = word.split()
    left, right = pair.split()
    i = 0
    while i < len(tokens) - 1:
        if tokens[i] == left and tokens[i + 1] == right:
            tokens[i : i + 2] = [left + right]
        i += 1
    return " ".join(tokens)


def merge_by_iterator(word, pair):
    left, right = pair.split()
    merged = []
    open_pair = False
    for token in word.split():
        if open_pair and token == right:
            merged[-1] = left + right
            open_pair = False
        else:
            merged.append(token)
            open_pair = token == left
    return " ".join(merged)


def encode_by_rank(word, merges):
    tokens = list(word)
    while len(tokens) > 1:
        pairs = [f"{left} {right}" for left, right in zip(tokens[:-1], tokens[1:], strict=True)]
        known = [pair for pair in pairs if pair in merges]
        if not known:
            break
        best = min(known, key=merges.index)
        tokens = merge_pair(" ".join(tokens), best).split()
    return " ".join(tokens)


def encode_by_reduce(word, merges):
    import functools

    return functools.reduce(lambda tokens, pair: merge_pair(tokens, pair), merges, " ".join(list(word)))
