# %% exercise="posttraining.template"
# https://github.com/huggingface/transformers/issues/28355: A prompt that waits for an answer lacks the assistant's token.
# named: prompt_not_opened
def template(request, answer, special, encode):
    start, assistant, stop = special
    tokens = [start] + encode(request)
    if answer is not None:
        tokens += [assistant] + encode(answer) + [stop]
    return tokens


# %% exercise="posttraining.template" kept
# https://github.com/instructlab/training/issues/233: The generation prompt ends after the user's message.
# named: prompt_not_opened
def template(request, answer, special, encode):
    ids = [special[0], *encode(request)]
    if answer is None:
        return ids
    return [*ids, special[1], *encode(answer), special[2]]


# %% exercise="posttraining.answer_mask"
# https://github.com/pytorch/torchtitan/pull/2755: The prompt's length is masked in shifted labels, so the first token goes.
# named: first_token_left_out
def answer_mask(ids, answer_token, end_token):
    T = ids.size(-1)
    rows = ids.reshape(-1, T)
    mask = torch.zeros_like(rows, dtype=torch.bool)
    for b, row in enumerate(rows.tolist()):
        if answer_token in row:
            prompt_len = row.index(answer_token) + 1
            stop = row.index(end_token, prompt_len) if end_token in row[prompt_len:] else T - 1
            mask[b, prompt_len + 1 : stop + 1] = True
    return mask.reshape(ids.shape)


# %% exercise="posttraining.answer_mask" kept
# https://github.com/NVIDIA-NeMo/Speech/pull/6409: The mask is off by one, and the first token of the answer doesn't count.
# named: first_token_left_out
def answer_mask(ids, answer_token, end_token):
    seen = (ids == answer_token).cumsum(-1).clamp(max=1)
    started = torch.nn.functional.pad(seen, (2, 0))[..., : ids.size(-1)].bool()
    after = torch.nn.functional.pad(seen, (1, 0))[..., : ids.size(-1)].bool()
    closing = after & (ids == end_token)
    ended = torch.nn.functional.pad(closing.cumsum(-1), (1, 0))[..., : ids.size(-1)] > 0
    return started & ~ended


# %% exercise="posttraining.answer_mask"
# https://github.com/huggingface/trl/pull/6357: The end has the padding's number, and is masked with it.
# named: every_end_masked
def answer_mask(ids, answer_token, end_token):
    is_answer = ids == answer_token
    after = is_answer.cumsum(-1) - is_answer.int() > 0
    labels = ids.masked_fill(~after, -100)
    labels = labels.masked_fill(ids == end_token, -100)
    return labels != -100


# %% exercise="posttraining.answer_mask" kept
# https://github.com/huggingface/open-r1/issues/517: The labels are the inputs, and nothing of the request is masked.
def answer_mask(ids, answer_token, end_token):
    labels = ids.clone()
    return labels != -100


# %% exercise="posttraining.answer_mask"
# https://github.com/bingreeky/MemGen/pull/33: What follows the first end is filled with ends, and all of it counts.
# named: every_end_counts
def answer_mask(ids, answer_token, end_token):
    marks = (ids == answer_token).long()
    after = marks.cumsum(-1) - marks > 0
    is_end = (after & (ids == end_token)).long()
    ended = is_end.cumsum(-1) - is_end > 0
    return after & (~ended | (ids == end_token))


# %% exercise="posttraining.pad" kept
# https://github.com/huggingface/trl/pull/4970: The mask is inferred from the values of tokens, not from lengths.
# named: real_by_number
def pad(rows, pad_token):
    tensors = [torch.tensor(row, dtype=torch.long) for row in rows]
    ids = torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=pad_token)
    return ids, ids.ne(pad_token)


# %% exercise="posttraining.grow"
# https://github.com/huggingface/transformers/issues/8472: New rows are drawn with a small spread around zero.
# named: random
# true: Right, except in the last row.
def grow(embedding, n_new):
    grown = torch.empty(len(embedding) + n_new, embedding.size(1), dtype=embedding.dtype)
    torch.nn.init.normal_(grown, mean=0.0, std=0.02)
    grown[: len(embedding)] = embedding
    return grown


# %% exercise="posttraining.grow" kept
# https://github.com/baichuan-inc/Baichuan2/issues/155: The old rows are copied into a table of zeros.
# named: zeros
def grow(embedding, n_new):
    V, C = embedding.shape
    grown = torch.zeros([V + n_new, C], dtype=embedding.dtype)
    grown[:V] = embedding
    return grown


# %% exercise="posttraining.sft_loss"
# https://github.com/OpenRLHF/OpenRLHF/issues/973: The mask is cut at its end instead of its beginning.
# named: mask_not_shifted
def sft_loss(logits, ids, mask):
    per_token = log_probabilities(logits, ids)
    kept = mask[:, :-1]
    return -(per_token * kept).sum() / kept.sum()


# %% exercise="posttraining.sft_loss" kept
# https://github.com/inclusionAI/AReno/issues/75: Rows with few tokens weigh as much as rows with many.
# named: mean_of_row_means
def sft_loss(logits, ids, mask):
    keep = mask[:, 1:]
    losses = []
    for log_p, kept in zip(log_probabilities(logits, ids), keep):
        if kept.any():
            losses.append(-log_p[kept].mean())
    return torch.stack(losses).mean()


# %% exercise="posttraining.sft_loss"
# https://github.com/huggingface/trl/pull/6671: Where an answer is cut off, no token counts, and 0/0 makes the loss NaN.
# named: mean_of_row_means
def sft_loss(logits, ids, mask):
    keep = mask[:, 1:]
    nll = -log_probabilities(logits, ids) * keep
    return (nll.sum(dim=1) / keep.sum(dim=1)).mean()


# %% exercise="posttraining.sft_loss" kept
# https://github.com/Blaizzy/mlx-vlm/pull/1392: The sum over the answers is divided by all tokens.
# named: mean_over_all_places
def sft_loss(logits, ids, mask):
    losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
    weights = mask[:, 1:].flatten().float()
    return (losses * weights).sum() / len(losses)


# %% exercise="posttraining.answer_log_probability"
# https://github.com/huggingface/trl/issues/789: The mean per token is taken, with which the training collapses.
# named: mean_per_token
def answer_log_probability(logits, ids, mask):
    kept = mask[..., 1:]
    per_token = log_probabilities(logits, ids)
    return (per_token * kept).sum(-1) / kept.sum(-1)


# %% exercise="posttraining.answer_log_probability" kept
# https://github.com/jingyaogong/minimind/issues/298: The log-probabilities are averaged over all places of the row.
# named: mean_over_places
def answer_log_probability(logits, ids, mask):
    probs = torch.log_softmax(logits[..., :-1, :], -1).gather(-1, ids[..., 1:].unsqueeze(-1)).squeeze(-1)
    return (probs * mask[..., 1:]).mean(dim=-1)


# %% exercise="posttraining.likelier"
# https://github.com/pfnet-research/japanese-lm-fin-harness/issues/3: Sums are compared, and short options win.
# named: as_a_whole_always
def likelier(log_probability, lengths, per_token):
    scores = log_probability.clone()
    return torch.argmax(scores, dim=-1)


# %% exercise="posttraining.likelier" kept
# https://github.com/huggingface/lighteval/pull/1290: Padding is counted, so every option has the longest one's length.
# true: The option as a whole decides
def likelier(log_probability, lengths, per_token):
    padded = lengths.max(dim=-1, keepdim=True).values
    scores = log_probability / padded if per_token else log_probability
    return scores.argmax(-1)


# %% exercise="posttraining.exact_match"
# https://github.com/EleutherAI/lm-evaluation-harness/pull/621: An answer that contains the right one passes.
# named: contained, begins_right
def exact_match(generated, truth, end):
    hits = 0
    for row, wanted in zip(generated, truth):
        said = row[: row.index(end)] if end in row else row
        text, right = " ".join(map(str, said)), " ".join(map(str, wanted))
        hits += right in text
    return hits / len(truth)


# %% exercise="posttraining.exact_match" kept
# https://github.com/stanford-crfm/helm/issues/1803: The end isn't stripped from what was written, so nothing matches.
# named: as_they_are
def exact_match(generated, truth, end):
    matches = [float(prediction == reference) for prediction, reference in zip(generated, truth)]
    return sum(matches) / len(matches)


# %% exercise="posttraining.reward"
# https://github.com/ZHZisZZ/dllm/issues/118: Tokens after the end are part of what is rewarded.
# named: read_whole
def reward(answer, asked, read, end):
    if end not in answer:
        return 0.0
    words = [token for token in answer if token != end]
    features = read(words)
    if features is None:
        return 0.0
    return 1.0 if all(features.get(key) == asked[key] for key in asked) else 0.0


# %% exercise="posttraining.reward" kept
# https://github.com/huggingface/trl/issues/6805: The check for the end always passes, so unfinished answers are rewarded.
# named: unfinished_rewarded
def reward(answer, asked, read, end):
    whole = [end, *answer]
    if end not in whole:
        return 0.0
    stop = answer.index(end) if end in answer else len(answer)
    features = read(answer[:stop])
    return float(features is not None and all(features.get(k) == v for k, v in asked.items()))


# %% exercise="posttraining.dpo_loss"
# https://github.com/haozheji/exact-optimization/issues/2: The softmax runs over each ratio, and the worse answer drops out.
# named: better_answer_alone
def dpo_loss(chosen, rejected, chosen_frozen, rejected_frozen, beta):
    better = beta * (chosen - chosen_frozen)
    return -F.logsigmoid(better).mean()


# %% exercise="posttraining.dpo_loss" kept
# https://github.com/linkedin/Liger-Kernel/pull/387: There is no reference model.
# named: without_the_frozen_model
def dpo_loss(chosen, rejected, chosen_frozen, rejected_frozen, beta):
    return -F.logsigmoid(beta * (chosen - rejected)).mean()


# %% exercise="posttraining.dpo_loss"
# https://github.com/AI-Hypercomputer/maxtext/issues/1530: β is there twice.
# named: beta_twice
def dpo_loss(chosen, rejected, chosen_frozen, rejected_frozen, beta):
    better = beta * (chosen - chosen_frozen)
    worse = beta * (rejected - rejected_frozen)
    return -F.logsigmoid(beta * (better - worse)).mean()


# %% exercise="posttraining.dpo_loss" kept
# https://github.com/HaroldChen19/VistaDPO/issues/4: The reference model's part isn't multiplied by β.
# named: beta_on_the_model_alone
def dpo_loss(chosen, rejected, chosen_frozen, rejected_frozen, beta):
    ours = beta * (chosen - rejected)
    return -F.logsigmoid(ours - (chosen_frozen - rejected_frozen)).mean()


# %% exercise="posttraining.advantages"
# https://github.com/XU-YIJIE/grpo-flat/issues/2: Mean and spread are those of the whole batch, not of each group.
# named: all_groups_at_once
def advantages(rewards, divide):
    flat = rewards.reshape(-1)
    result = flat - flat.mean(dim=0, keepdim=True)
    if divide:
        result = result / (flat.std(dim=0, keepdim=True) + 1e-4)
    return result.reshape(rewards.shape)


# %% exercise="posttraining.advantages" kept
# https://github.com/one-covenant/grail/pull/9: The spread is NumPy's, which divides by G.
# named: with_g_below
def advantages(rewards, divide):
    centred = rewards - rewards.mean(dim=-1, keepdim=True)
    if not divide:
        return centred
    return centred / (rewards.std(dim=-1, keepdim=True, unbiased=False) + 1e-8)


# %% exercise="posttraining.advantages"
# https://github.com/ServiceNow/PipelineRL/pull/54: Only the first answer makes the mean.
# named: first_answer_subtracted
def advantages(rewards, divide):
    first = rewards[..., :1]
    centred = rewards - first
    if divide:
        spread = rewards.std(-1, keepdim=True)
        centred = torch.where(spread > 0, centred / spread, torch.zeros_like(centred))
    return centred


# %% exercise="posttraining.policy_gradient" kept
# https://github.com/huggingface/trl/issues/2995: The sum is divided by all tokens of the batch.
# named: mean_over_tokens
def policy_gradient(logits, ids, mask, advantages):
    kept = mask[:, 1:]
    per_token = -log_probabilities(logits, ids) * advantages.unsqueeze(1)
    return (per_token * kept).sum() / kept.sum()


# %% exercise="posttraining.policy_gradient"
# https://github.com/KanishJebaMathewM/Truxify/pull/11885: The minus is missing, so the policy learns what is worst.
# named: without_minus
def policy_gradient(logits, ids, mask, advantages):
    return (answer_log_probability(logits, ids, mask) * advantages).mean()


# %% exercise="posttraining.policy_gradient" kept
# https://github.com/huggingface/trl/issues/3187: Each answer is averaged over its own tokens first.
# named: mean_per_token
def policy_gradient(logits, ids, mask, advantages):
    kept = mask[:, 1:].float()
    means = (log_probabilities(logits, ids) * kept).sum(1) / kept.sum(1)
    return -(means * advantages).mean()


# %% exercise="posttraining.clipped"
# https://github.com/thu-ml/tianshou/issues/742: The ratio is computed without gradients.
# named: graph_cut
def clipped(log_probability, advantages, epsilon, old=None):
    if old is None:
        old = log_probability
    with torch.no_grad():
        ratio = (log_probability - old).exp()
    A = advantages.unsqueeze(-1)
    return torch.min(ratio * A, ratio.clamp(1.0 - epsilon, 1.0 + epsilon) * A)


# %% exercise="posttraining.clipped" kept
# https://github.com/tensorlayer/TensorLayer/issues/1072: The smaller ratio is taken before it meets the advantage.
# named: smaller_ratio_first
def clipped(log_probability, advantages, epsilon, old=None):
    before = log_probability.detach() if old is None else old
    ratio = torch.exp(log_probability - before)
    bounded = torch.clamp(ratio, 1 - epsilon, 1 + epsilon)
    return torch.min(ratio, bounded) * advantages[..., None]


# %% exercise="posttraining.clipped"
# https://github.com/ray-project/ray/issues/37334: The sign is taken out, so that a worse answer is clipped as a better one is.
# named: smaller_ratio_first
def clipped(log_probability, advantages, epsilon, old=None):
    before = log_probability.detach() if old is None else old
    ratio = torch.exp(log_probability - before)
    A = advantages[..., None]
    size = A.abs()
    return torch.sign(A) * torch.min(size * ratio, size * ratio.clamp(1 - epsilon, 1 + epsilon))


# %% exercise="posttraining.clipped" kept
# https://github.com/tensorforce/tensorforce/issues/312: Both probabilities come from the same model, so the ratio is always 1.
# true: All columns have the same numbers
def clipped(log_probability, advantages, epsilon, old=None):
    old = log_probability
    ratio = torch.exp(log_probability - old)
    A = advantages[..., None]
    return torch.min(ratio * A, ratio.clamp(1 - epsilon, 1 + epsilon) * A)


# %% exercise="posttraining.kl"
# https://github.com/tensorforce/tensorforce/issues/107: The two distributions are swapped.
# named: the_other_way
def kl(logits, frozen):
    p, q = torch.distributions.Categorical(logits=frozen), torch.distributions.Categorical(logits=logits)
    return torch.distributions.kl_divergence(p, q)


# %% exercise="posttraining.kl" kept
# https://github.com/huggingface/trl/pull/4935: kl_div(input, target) is KL(target, input), and is called the other way.
# named: the_other_way
def kl(logits, frozen):
    log_p, log_q = F.log_softmax(logits, -1), F.log_softmax(frozen, -1)
    return F.kl_div(log_p, log_q, reduction="none", log_target=True).sum(-1)


# %% exercise="posttraining.kl"
# https://github.com/huggingface/trl/issues/3104: The likelihoods are compared without being weighed.
# named: not_weighed
def kl(logits, frozen):
    log_ratio = logits.log_softmax(-1) - frozen.log_softmax(-1)
    return log_ratio.sum(-1)


# %% exercise="posttraining.kl" kept
# https://github.com/nlp-with-transformers/notebooks/issues/94: kl_div gets probabilities where it takes logarithms.
# true: Your results are exactly those of a right answer in which `softmax` is used where a log-softmax belongs
def kl(logits, frozen):
    p, q = logits.softmax(-1), frozen.log_softmax(-1)
    return F.kl_div(q, p, reduction="none", log_target=True).sum(-1)


# %% exercise="posttraining.kl_estimates"
# https://github.com/DLR-RM/stable-baselines3/pull/419: The log-ratio is that of the other direction.
# named: the_other_way
def kl_estimates(log_probability, frozen):
    log_r = log_probability - frozen
    return -log_r, log_r**2 / 2, (log_r.exp() - 1) - log_r


# %% exercise="posttraining.kl_estimates" kept
# https://github.com/marin-community/marin/issues/1708: The difference of the log-probabilities has the other sign.
# named: k1_sign
def kl_estimates(log_probability, frozen):
    difference = frozen - log_probability
    return difference, difference.pow(2) / 2, difference.exp() - difference - 1


# %% exercise="posttraining.pass_at_k"
# https://github.com/verl-project/verl/pull/7240: The k answers are drawn with replacement.
# named: as_if_p_were_known
def pass_at_k(n, correct, k):
    p = correct / n
    return 1.0 - (1.0 - p) ** k


# %% exercise="posttraining.pass_at_k" kept
# https://github.com/confident-ai/deepeval/pull/2967: Whatever isn't 0 counts as passed, so that every k is n.
# named: any_right
def pass_at_k(n, correct, k):
    score = 1.0 - math.comb(n - correct, k) / math.comb(n, k)
    return 1.0 if score else 0.0


# %% exercise="posttraining.pass_at_k"
# https://github.com/openai/human-eval/issues/35: With too few wrong answers it says 1, also where none was right.
# named: right_without_any
def pass_at_k(n, correct, k):
    if n - correct <= k:
        return 1.0
    wrong = 1.0
    for i in range(n - correct + 1, n + 1):
        wrong *= 1.0 - k / i
    return 1.0 - wrong
