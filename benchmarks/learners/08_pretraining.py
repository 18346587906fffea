# %% exercise="pretraining.loss" kept
# https://github.com/huggingface/transformers/issues/47394: targets that are shifted already are shifted once more.
# named: shifted_again
def language_model_loss(logits, targets):
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = targets[..., 1:].contiguous().view(-1)
    log_probs = F.log_softmax(shift_logits, dim=-1).view(-1, logits.size(-1))
    keep = shift_labels != -100
    return -log_probs[keep, shift_labels[keep]].mean()


# %% exercise="pretraining.loss"
# https://github.com/axolotl-ai-cloud/axolotl/pull/3988: padding is scored like a token.
# named: padding_counted
def language_model_loss(logits, targets):
    B, T, V = logits.shape
    labels = torch.where(targets == -100, torch.zeros_like(targets), targets)
    logprobs = torch.log_softmax(logits.reshape(B * T, V), dim=1)
    return -logprobs[torch.arange(B * T), labels.reshape(-1)].mean()


# %% exercise="pretraining.loss"
# https://github.com/CarperAI/trlx/issues/452: each sequence is averaged by itself, then the batch.
# named: mean_of_row_means
def language_model_loss(logits, targets):
    mask = (targets != -100).to(logits.dtype)
    nll = -torch.log_softmax(logits, dim=-1).gather(2, targets.clamp(min=0)[..., None])[..., 0]
    return (torch.sum(nll * mask, dim=1) / mask.sum(dim=1)).mean()


# %% exercise="pretraining.perplexity"
# https://github.com/keras-team/keras-hub/pull/2958: batches count alike, however many tokens they have.
# named: every_batch_alike
def perplexity(losses, counts):
    total = 0.0
    for loss in losses:
        total = total + loss
    return torch.exp(total / len(losses))


# %% exercise="pretraining.perplexity"
# https://github.com/magenta/magenta/pull/239: the losses are exponentiated before they are averaged.
# named: mean_of_perplexities
def perplexity(losses, counts):
    weights = counts / counts.sum()
    return (weights * torch.exp(losses)).sum()


# %% exercise="pretraining.training_step"
# https://github.com/awslabs/graphstorm/issues/1366: the gradients are clipped after the optimizer has used them.
# named: not_clipped_in_time
def training_step(model, optimizer, loss, batch, max_norm=1.0):
    optimizer.zero_grad()
    out = loss(model, *batch)
    out.backward()
    optimizer.step()
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    return out.item()


# %% exercise="pretraining.training_step" kept
# https://github.com/yandex-research/tabm/issues/20: the gradients are clipped before backward makes them.
# named: not_clipped_in_time
def training_step(model, optimizer, loss, batch, max_norm=1.0):
    optimizer.zero_grad()
    value = loss(model, *batch)
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    value.backward()
    optimizer.step()
    return float(value)


# %% exercise="pretraining.learning_rate"
# https://github.com/google-research/big_transfer/issues/58: the first step of the warm-up has the rate 0.
# named: first_step_lost
def learning_rate(step, steps, warmup, peak):
    it = step - 1
    if it < warmup:
        return peak * it / warmup
    return peak * (steps - step) / (steps - warmup)


# %% exercise="pretraining.learning_rate" kept
# https://github.com/Oneflow-Inc/oneflow/issues/3011: the rate drops where the warm-up ends and the way down begins.
# named: down_from_the_start, peak_never_reached
def learning_rate(step, steps, warmup, peak):
    decayed = peak * (1 - step / steps)
    return peak * step / warmup if step <= warmup else decayed


# %% exercise="pretraining.temperature"
# https://github.com/MoonshotAI/Kimi-Audio/pull/161: log-probabilities are divided, and nothing is normalised again.
# named: powers_as_they_are
def with_temperature(logits, temperature):
    logprobs = torch.log_softmax(logits, dim=-1)
    if temperature == 0:
        return F.one_hot(logprobs.argmax(-1), logits.shape[-1]).to(logits.dtype)
    return torch.exp(logprobs / temperature)


# %% exercise="pretraining.temperature"
# https://github.com/RL-Align/RL-Kernel/issues/81: the logits are divided by the temperature twice.
def with_temperature(logits, temperature):
    if temperature == 0:
        return (logits == logits.max(dim=-1, keepdim=True).values).to(logits.dtype)
    logits = logits / temperature
    probs = torch.softmax(logits / temperature, dim=-1)
    return probs


# %% exercise="pretraining.temperature"
# https://github.com/google-deepmind/gemma/issues/562: a temperature of 0 divides by 0.
# named: divided_by_nothing
def with_temperature(logits, temperature):
    scaled = logits / temperature
    return torch.softmax(scaled, dim=-1)


# %% exercise="pretraining.top_k"
# https://github.com/kingoflolz/mesh-transformer-jax/issues/164: one token more than k is kept.
# named: one_more
def top_k(probabilities, k):
    ranks = probabilities.argsort(dim=-1, descending=True).argsort(dim=-1)
    kept = torch.where(ranks > k, torch.zeros_like(probabilities), probabilities)
    return kept / kept.sum(-1, keepdim=True)


# %% exercise="pretraining.top_k"
# https://github.com/huggingface/transformers/pull/338: the smallest of the k has no axis to be compared along.
# true: Two shapes don't fit
def top_k(probabilities, k):
    values, _ = torch.topk(probabilities, k)
    min_values = values[..., -1]
    probs = torch.where(probabilities < min_values, torch.zeros_like(probabilities), probabilities)
    return probs / probs.sum(dim=-1, keepdim=True)


# %% exercise="pretraining.nucleus"
# https://github.com/rasbt/reasoning-from-scratch/issues/164: the token that crosses p is left out.
# named: without_the_one_that_reaches_p
def nucleus(probabilities, p):
    sorted_probas, sorted_idx = torch.sort(probabilities, dim=-1, descending=True)
    cumprobas = torch.cumsum(sorted_probas, dim=-1)
    kept_sorted = torch.where(cumprobas <= p, sorted_probas, torch.zeros_like(sorted_probas))
    filtered = torch.zeros_like(probabilities).scatter(-1, sorted_idx, kept_sorted)
    return filtered / filtered.sum(dim=-1, keepdim=True)


# %% exercise="pretraining.nucleus"
# https://github.com/fishaudio/fish-speech/pull/1326: the guard for the first token is given to the first row.
# true: What came back is `probabilities`, unchanged.
def nucleus(probabilities, p):
    ordered, order = torch.sort(probabilities, descending=True, dim=-1)
    remove = torch.cumsum(ordered, dim=-1) > p
    remove[0] = False
    remove = remove.scatter(-1, order, remove.clone())
    probs = probabilities.masked_fill(remove, 0.0)
    return probs / probs.sum(dim=-1, keepdim=True)


# %% exercise="pretraining.nucleus"
# https://github.com/BlinkDL/ChatRWKV/pull/170: where the sum is exactly p, one token too many is kept.
# true: Your results are exactly those of a right answer in which `>` is used in place of `>=`
# true: What came back is `probabilities`, unchanged.
# named: more_than_p
def nucleus(probabilities, p):
    ordered = probabilities.sort(dim=-1, descending=True).values
    cumulative = ordered.cumsum(dim=-1)
    where = (cumulative > p).float().argmax(dim=-1, keepdim=True)
    if p >= 1:
        where = torch.full_like(where, probabilities.size(-1) - 1)
    cutoff = ordered.gather(-1, where)
    kept = torch.where(probabilities < cutoff, 0.0, probabilities)
    return kept / kept.sum(dim=-1, keepdim=True)


# %% exercise="pretraining.draw"
# https://github.com/NVIDIA/Megatron-Energon/pull/260: a number that falls on an end goes to the token before it.
# named: ends_below_alone
def draw(probabilities, uniform):
    cdf = torch.cumsum(probabilities, dim=-1)
    val = uniform[..., None] * cdf[..., -1:]
    return torch.searchsorted(cdf, val).squeeze(-1)


# %% exercise="pretraining.count_pairs" kept
# https://github.com/rohitg00/ai-engineering-from-scratch/pull/47: a count is overwritten where it should be added to.
# named: last_word_counts
def count_pairs(words):
    stats = {}
    for word, freq in words.items():
        symbols = word.split(" ")
        for left, right in zip(symbols, symbols[1:]):
            stats[left + " " + right] = freq
    return stats


# %% exercise="pretraining.count_pairs"
# https://github.com/karpathy/minbpe/pull/72: occurrences that overlap are counted once.
# true: Every number is half of the right one
def count_pairs(words):
    counts = {}
    for word, n in words.items():
        ids = word.split()
        previous = None
        for pair in zip(ids, ids[1:]):
            if pair == previous:
                previous = None
                continue
            key = " ".join(pair)
            counts[key] = counts.get(key, 0) + n
            previous = pair
    return counts


# %% exercise="pretraining.encode_word"
# https://github.com/ztxz16/fastllm/pull/715: merges are applied from left to right, not in the order they were learned.
# named: left_to_right
def encode_word(word, merges):
    known = set(merges)
    symbols = list(word)
    i = 0
    while i < len(symbols) - 1:
        if f"{symbols[i]} {symbols[i + 1]}" in known:
            symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
            i = max(i - 1, 0)
        else:
            i += 1
    return " ".join(symbols)


# %% exercise="pretraining.bigram"
# https://github.com/karpathy/nn-zero-to-hero/issues/37: the whole table is divided by one sum.
# named: the_whole_table_sums_to_one
def bigram_log_probabilities(inputs, targets, vocabulary, alpha):
    N = torch.zeros(vocabulary, vocabulary)
    for row_in, row_out in zip(inputs.tolist(), targets.tolist()):
        for now, after in zip(row_in, row_out):
            if after != -100:
                N[now, after] += 1
    P = N + alpha
    P = P / P.sum()
    return P.log()


# %% exercise="pretraining.compute_optimal"
# https://github.com/rohitg00/ai-engineering-from-scratch/pull/57: always 20 tokens for a weight, whatever was fitted.
# named: twenty_tokens
def compute_optimal(budgets, best, flops):
    n_opt = (flops / (6 * 20)) ** 0.5
    d_opt = 20 * n_opt
    return n_opt, d_opt


# %% exercise="pretraining.inputs_and_targets"
# https://github.com/huggingface/transformers/issues/27517: the labels are a copy of the inputs.
# named: not_shifted
def inputs_and_targets(ids, pad=0):
    input_ids = ids[:, :-1]
    labels = input_ids.clone()
    labels[labels == pad] = -100
    return input_ids, labels


# %% exercise="pretraining.inputs_and_targets"
# https://github.com/EricFillion/happy-transformer/issues/128: what is to be left out gets -1.
# named: padding_as_minus_one
def inputs_and_targets(ids, pad=0):
    x, y = ids[:, :-1], ids[:, 1:].clone()
    y[y == pad] = -1
    return x, y


# %% exercise="pretraining.adamw"
# https://github.com/huggingface/transformers/issues/14539: the decay takes its share of the weight after the move.
# named: decayed_after_the_move
def adamw(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    exp_avg = mean * betas[0] + gradient * (1 - betas[0])
    exp_avg_sq = square * betas[1] + gradient * gradient * (1 - betas[1])
    m_hat = exp_avg / (1 - betas[0] ** step)
    v_hat = exp_avg_sq / (1 - betas[1] ** step)
    p = weight - lr * m_hat / (v_hat.sqrt() + eps)
    if p.ndim > 1:
        p = p + p * (-lr * decay)
    return p, exp_avg, exp_avg_sq


# %% exercise="pretraining.adamw" kept
# https://github.com/karpathy/nanochat/issues/304: epsilon is added before the second moment is corrected.
# named: epsilon_before_the_correction
def adamw(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    exp_avg = torch.lerp(mean, gradient, 1 - betas[0])
    exp_avg_sq = torch.lerp(square, gradient.square(), 1 - betas[1])
    denom = exp_avg_sq.sqrt() + eps
    bias1, bias2 = 1 - betas[0] ** step, 1 - betas[1] ** step
    p = weight
    if weight.dim() >= 2:
        p = p * (1 - lr * decay)
    return p - lr * (bias2**0.5 / bias1) * exp_avg / denom, exp_avg, exp_avg_sq


# %% exercise="pretraining.adamw"
# https://github.com/FluxML/Optimisers.jl/issues/182: the decay isn't multiplied by the learning rate.
# named: decay_without_lr
def adamw(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    b1, b2 = betas
    m = b1 * mean + (1 - b1) * gradient
    v = b2 * square + (1 - b2) * gradient.pow(2)
    update = lr * (m / (1 - b1**step)) / (torch.sqrt(v / (1 - b2**step)) + eps)
    if weight.dim() > 1:
        update = update + decay * weight
    return weight - update, m, v


# %% exercise="pretraining.adamw" kept
# https://github.com/dingo-actual/om/issues/12: the decay is applied to all parameters, norms and biases too.
# named: everything_decays
def adamw(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    new = weight * (1.0 - lr * decay)
    m = betas[0] * mean + (1 - betas[0]) * gradient
    v = betas[1] * square + (1 - betas[1]) * gradient * gradient
    m_hat, v_hat = m / (1 - betas[0] ** step), v / (1 - betas[1] ** step)
    return new - lr * m_hat / (v_hat**0.5 + eps), m, v


# %% exercise="pretraining.adamw"
# https://github.com/frgfm/holocron/issues/1: the bias correction is made in place, and so accumulates.
# named: corrected_ones_kept
def adamw(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    exp_avg = (mean * betas[0]).add_(gradient, alpha=1 - betas[0])
    exp_avg_sq = (square * betas[1]).addcmul_(gradient, gradient, value=1 - betas[1])
    exp_avg.div_(1 - betas[0] ** step)
    exp_avg_sq.div_(1 - betas[1] ** step)
    p = weight.clone()
    if p.dim() > 1:
        p.mul_(1 - lr * decay)
    p.addcdiv_(exp_avg, exp_avg_sq.sqrt().add_(eps), value=-lr)
    return p, exp_avg, exp_avg_sq


# %% exercise="pretraining.adamw" kept
# https://github.com/eriklindernoren/ML-From-Scratch/issues/35: the correction isn't raised to the power of the step.
# named: correction_without_power
def adamw(weight, gradient, mean, square, step, lr, betas=(0.9, 0.999), eps=1e-8, decay=0.01):
    b1, b2 = betas
    m = b1 * mean + (1 - b1) * gradient
    v = b2 * square + (1 - b2) * torch.pow(gradient, 2)
    m_hat = m / (1 - b1)
    v_hat = v / (1 - b2)
    shrunk = weight - lr * decay * weight if weight.dim() > 1 else weight
    return shrunk - lr * m_hat / (torch.sqrt(v_hat) + eps), m, v


# %% exercise="pretraining.decode_bytes"
# https://github.com/exo-explore/exo/pull/1691: each token is decoded by itself, which loses split characters.
# named: token_by_token
def decode_bytes(tokens):
    text = ""
    for token in tokens.split():
        text += bytes.fromhex(token).decode("utf-8", errors="replace")
    return text


# %% exercise="pretraining.decode_bytes" kept
# https://github.com/IAPark/tiktoken_ruby/pull/123: bytes that are no UTF-8 raise an error.
# named: strict
def decode_bytes(tokens):
    data = bytearray()
    for token in tokens.split(" "):
        data += bytes.fromhex(token)
    return bytes(data).decode("utf-8")
