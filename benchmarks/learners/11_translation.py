# %% exercise="translation.label_smoothed_loss"
# https://github.com/k-tahiro/bert-summarizer/pull/41: padding takes part in the smoothed loss.
# named: padding_scored, padding_counted
def label_smoothed_loss(logits, targets, epsilon):
    V = logits.size(-1)
    output = F.log_softmax(logits, dim=-1).view(-1, V)
    target = targets.reshape(-1).clamp(min=0)
    model_prob = torch.full_like(output, epsilon / V)
    model_prob.scatter_add_(1, target.unsqueeze(1), torch.full_like(model_prob[:, :1], 1 - epsilon))
    return -(model_prob * output).sum(dim=1).mean()


# %% exercise="translation.label_smoothed_loss"
# https://github.com/huggingface/transformers/issues/7546: the loss is a sum, not a mean over the tokens.
# named: summed
def label_smoothed_loss(logits, targets, epsilon):
    lprobs = torch.log_softmax(logits, dim=-1)
    target = targets.unsqueeze(-1)
    pad_mask = target.eq(-100)
    nll_loss = -lprobs.gather(dim=-1, index=target.masked_fill(pad_mask, 0)).masked_fill(pad_mask, 0.0)
    smooth_loss = -lprobs.sum(dim=-1, keepdim=True).masked_fill(pad_mask, 0.0)
    return (1.0 - epsilon) * nll_loss.sum() + epsilon / lprobs.size(-1) * smooth_loss.sum()


# %% exercise="translation.label_smoothed_loss"
# https://github.com/harvardnlp/annotated-transformer/issues/39: what is spread is divided by two classes too few.
# named: spread_over_all_but_two
def label_smoothed_loss(logits, targets, epsilon):
    size = logits.size(-1)
    x = logits.log_softmax(dim=-1).reshape(-1, size)
    target = targets.reshape(-1)
    keep = target != -100
    x, target = x[keep], target[keep]
    true_dist = torch.full_like(x, epsilon / (size - 2))
    true_dist.scatter_(1, target.unsqueeze(1), 1.0 - epsilon)
    return -(true_dist * x).sum() / keep.sum()


# %% exercise="translation.beam_search"
# https://github.com/atulkum/pointer_summarizer/issues/26: probabilities are added up where logarithms should be.
# named: probabilities_added
def beam_search(step, beams, longest, alpha, bos=1, eos=2):
    hypotheses, complete = [([bos], 0.0)], []
    for _ in range(longest):
        if not hypotheses:
            break
        final_dist = torch.softmax(step(torch.tensor([h for h, _ in hypotheses])), dim=-1)
        candidates = []
        for (tokens, score), row in zip(hypotheses, final_dist):
            for token, p in enumerate(row.tolist()):
                candidates.append((tokens + [token], score + p))
        candidates.sort(key=lambda c: c[1], reverse=True)
        hypotheses = []
        for tokens, score in candidates[:beams]:
            (complete if tokens[-1] == eos else hypotheses).append((tokens, score))
    result = [(s / ((5 + len(t) - 1) / 6) ** alpha, t[1:]) for t, s in complete + hypotheses]
    return sorted(result, key=lambda r: r[0], reverse=True)


# %% exercise="translation.beam_search" kept
# https://github.com/facebookresearch/ParlAI/issues/2058: hypotheses are continued after their end.
# nothing: The list has too few values or too many
# named: goes_on_after_the_end
def beam_search(step, beams, longest, alpha, bos=1, eos=2):
    alive, finished = [([bos], 0.0)], []
    for _ in range(longest):
        logp = step(torch.tensor([t for t, _ in alive]))
        scores = logp + torch.tensor([s for _, s in alive], dtype=logp.dtype)[:, None]
        V = logp.shape[1]
        values, flat = scores.view(-1).topk(min(beams, scores.numel()))
        new = []
        for v, i in zip(values.tolist(), flat.tolist()):
            tokens = alive[i // V][0] + [i % V]
            new.append((tokens, v))
            if tokens[-1] == eos:
                finished.append((tokens, v))
        alive = new
    pool = finished + [(t, s) for t, s in alive if t[-1] != eos]
    ranked = [(s / ((5 + len(t) - 1) / 6) ** alpha, t[1:]) for t, s in pool]
    return sorted(ranked, key=lambda x: -x[0])


# %% exercise="translation.beam_search"
# https://github.com/awslabs/sockeye/issues/545: hypotheses that reach the limit keep their plain score.
# named: limit_not_normalised
def beam_search(step, beams, longest, alpha, bos=1, eos=2):
    live, done = [(0.0, [bos])], []
    for _ in range(longest):
        if not live:
            break
        log_p = step(torch.tensor([sequence for _, sequence in live]))
        options = []
        for (score, sequence), row in zip(live, log_p.tolist()):
            options += [(score + value, sequence + [token]) for token, value in enumerate(row)]
        best = sorted(options, key=lambda option: option[0], reverse=True)[:beams]
        live = [option for option in best if option[1][-1] != eos]
        done += [
            (score / ((5 + len(sequence) - 1) / 6) ** alpha, sequence[1:])
            for score, sequence in best
            if sequence[-1] == eos
        ]
    done += [(score, sequence[1:]) for score, sequence in live]
    return sorted(done, key=lambda option: option[0], reverse=True)


# %% exercise="translation.beam_search" kept
# https://github.com/huggingface/transformers/issues/26624: the length has what was given in it.
# named: beginning_counted
def beam_search(step, beams, longest, alpha, bos=1, eos=2):
    beam, hyps = [(0.0, [bos])], []
    for _ in range(longest):
        if len(beam) == 0:
            break
        log_p = step(torch.tensor([ids for _, ids in beam]))
        total = log_p + torch.tensor([[s] for s, _ in beam], dtype=log_p.dtype)
        top = total.reshape(-1).topk(min(beams, total.numel()))
        nxt = []
        for s, index in zip(top.values.tolist(), top.indices.tolist()):
            ids = beam[index // log_p.size(1)][1] + [index % log_p.size(1)]
            if ids[-1] == eos:
                hyps.append((s / ((5 + len(ids)) / 6) ** alpha, ids[1:]))
            else:
                nxt.append((s, ids))
        beam = nxt
    hyps += [(s / ((5 + len(ids)) / 6) ** alpha, ids[1:]) for s, ids in beam]
    return sorted(hyps, key=lambda h: h[0], reverse=True)


# %% exercise="translation.beam_search"
# https://github.com/pcyin/pytorch_basic_nmt/issues/3: the hypothesis is found with / where // is meant.
# true: A list is indexed by one whole number
def beam_search(step, beams, longest, alpha, bos=1, eos=2):
    hypotheses, completed = [[bos]], []
    hyp_scores = torch.zeros(1)
    for _ in range(longest):
        log_p = step(torch.tensor(hypotheses))
        continuating = (hyp_scores.unsqueeze(1) + log_p).view(-1)
        top_scores, top_pos = torch.topk(continuating, k=min(beams, continuating.numel()))
        prev_hyp_ids = top_pos / log_p.size(-1)
        word_ids = top_pos % log_p.size(-1)
        new_hypotheses, new_scores = [], []
        for prev, word, score in zip(prev_hyp_ids, word_ids, top_scores):
            sent = hypotheses[prev] + [int(word)]
            if sent[-1] == eos:
                completed.append((float(score) / ((5 + len(sent) - 1) / 6) ** alpha, sent[1:]))
            else:
                new_hypotheses.append(sent)
                new_scores.append(float(score))
        hypotheses, hyp_scores = new_hypotheses, torch.tensor(new_scores)
        if not hypotheses:
            break
    rest = zip(hyp_scores.tolist(), hypotheses)
    completed += [(s / ((5 + len(h) - 1) / 6) ** alpha, h[1:]) for s, h in rest]
    return sorted(completed, key=lambda c: c[0], reverse=True)


# %% exercise="translation.clipped_matches" kept
# https://github.com/mlpack/mlpack/pull/2477: a short candidate has a negative number of n-grams.
# named: fewer_than_none
def clipped_matches(candidate, reference, n):
    available = {}
    for i in range(len(reference) - n + 1):
        gram = tuple(reference[i : i + n])
        available[gram] = available.get(gram, 0) + 1
    matches = 0
    for i in range(len(candidate) - n + 1):
        gram = tuple(candidate[i : i + n])
        if available.get(gram, 0) > 0:
            matches += 1
            available[gram] -= 1
    return matches, len(candidate) - n + 1


# %% exercise="translation.bleu"
# https://github.com/karpathy/neuraltalk/pull/5: the brevity penalty is switched off.
# named: short_ones_go_free
def bleu(candidates, references):
    p = []
    for n in (1, 2, 3, 4):
        hits = total = 0
        for hyp, ref in zip(candidates, references):
            m, t = clipped_matches(hyp.split(), ref.split(), n)
            hits, total = hits + m, total + t
        if hits == 0:
            return 0
        p.append(hits / total)
    return 100 * (p[0] * p[1] * p[2] * p[3]) ** 0.25


# %% exercise="translation.bleu"
# https://github.com/nltk/nltk/issues/1984: orders without a match are left out of the mean.
# named: empty_ones_left_out
def bleu(candidates, references):
    hyps = [c.split() for c in candidates]
    refs = [r.split() for r in references]
    s = []
    for n in range(1, 5):
        counts = [clipped_matches(h, r, n) for h, r in zip(hyps, refs)]
        numerator = sum(c[0] for c in counts)
        denominator = sum(c[1] for c in counts)
        if numerator > 0:
            s.append(0.25 * math.log(numerator / denominator))
    bp = min(1.0, math.exp(1 - sum(map(len, refs)) / sum(map(len, hyps))))
    return 100 * bp * math.exp(math.fsum(s))


# %% exercise="translation.bleu"
# https://github.com/promptfoo/promptfoo/pull/9740: orders for which nobody has words enough are skipped.
# named: lengths_without_ngrams_left_out
def bleu(candidates, references):
    logs = []
    c = r = 0
    pairs = [(a.split(), b.split()) for a, b in zip(candidates, references)]
    for a, b in pairs:
        c, r = c + len(a), r + len(b)
    for order in range(1, 5):
        matched = possible = 0
        for a, b in pairs:
            m, t = clipped_matches(a, b, order)
            matched += m
            possible += t
        if possible == 0:
            continue
        if matched == 0:
            return 0.0
        logs.append(math.log(matched / possible))
    return 100 * min(1.0, math.exp(1 - r / c)) * math.exp(sum(logs) / len(logs))


# %% exercise="translation.greedy_decode" kept
# https://github.com/Dao-AILab/flash-attention/pull/2784: it ends only where all rows write <eos> in one step.
# named: stops_where_all_end_at_once, goes_on_after_the_end
def greedy_decode(step, rows, longest, bos=1, eos=2, pad=0):
    sequences = torch.full((rows, 1), bos, dtype=torch.long)
    for _ in range(longest):
        current = step(sequences).argmax(dim=-1)
        sequences = torch.cat([sequences, current[:, None]], dim=1)
        if (current == eos).all():
            break
    return sequences[:, 1:]


# %% exercise="translation.greedy_decode"
# https://github.com/2000ZRL/SOKE/issues/7: all rows count as finished as soon as one is.
# named: stops_with_the_first
def greedy_decode(step, rows, longest, bos=1, eos=2, pad=0):
    idx = torch.full((rows, 1), bos)
    for _ in range(longest):
        idx_next = step(idx).argmax(-1, keepdim=True)
        idx = torch.cat((idx, idx_next), dim=1)
        finished = torch.any(idx_next.squeeze(-1) == eos, dim=-1)
        if finished:
            break
    return idx[:, 1:]


# %% exercise="translation.greedy_decode" kept
# https://github.com/mistralai/mistral-inference/pull/270: finished rows go on writing while others aren't finished.
# named: goes_on_after_the_end
def greedy_decode(step, rows, longest, bos=1, eos=2, pad=0):
    tokens = torch.full((rows, 1), bos)
    is_finished = torch.zeros(rows, dtype=torch.bool)
    generated = []
    for _ in range(longest):
        next_token = torch.argmax(step(tokens), dim=-1)
        is_finished = is_finished | (next_token == eos)
        generated.append(next_token)
        tokens = torch.cat([tokens, next_token.unsqueeze(1)], dim=1)
        if is_finished.all():
            break
    return torch.stack(generated, dim=1)


# %% exercise="translation.decoder_block"
# https://github.com/ml-explore/mlx/issues/1636: the first norm is used where the second belongs.
# named: NormFirstTwice
class DecoderBlock(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        cache = cache or (None, None)
        x = y + self.attention(self.norm_1(y), causal=True, cache=cache[0])
        x = x + self.cross_attention(self.norm_1(x), memory, memory_mask, cache=cache[1])
        x = x + self.feed_forward(self.norm_3(x))
        return x


# %% exercise="translation.decoder_block" kept
# https://github.com/ml-explore/mlx/pull/3382: cross-attention is asked by what attention said, without the path.
class DecoderBlock(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        self_cache, cross_cache = (None, None) if cache is None else cache
        x = y
        y = self.attention(self.norm_1(x), causal=True, cache=self_cache)
        x = x + y
        y = self.cross_attention(self.norm_2(y), memory, memory_mask, cross_cache)
        x = x + y
        y = self.feed_forward(self.norm_3(x))
        return x + y


# %% exercise="translation.decoder_block"
# https://github.com/strutive07/transformer-tensorflow2.0/issues/14: the last sum starts from what came in.
# named: LastSumFromTheInput
class DecoderBlock(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        first, second = cache if cache else (None, None)
        output = y + self.attention(self.norm_1(y), causal=True, cache=first)
        output = output + self.cross_attention(self.norm_2(output), memory, memory_mask, second)
        output = self.feed_forward(self.norm_3(output))
        return y + output


# %% exercise="translation.decoder_block" kept
# https://github.com/Kamichanw/SeekDeeper/issues/3: the source's mask doesn't reach cross-attention.
# named: PaddingSeen
class DecoderBlock(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention = SelfAttention(d_model, n_heads)
        self.cross_attention = CrossAttention(d_model, n_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2, self.norm_3 = (torch.nn.LayerNorm(d_model) for _ in range(3))

    def forward(self, y, memory, memory_mask=None, cache=None):
        own, crossed = (None, None) if cache is None else cache
        normed = self.norm_1(y)
        y = y + self.attention(normed, causal=True, cache=own)
        normed = self.norm_2(y)
        y = y + self.cross_attention(normed, memory, cache=crossed)
        normed = self.norm_3(y)
        return y + self.feed_forward(normed)


# %% exercise="translation.paper_rate"
# https://github.com/Kyubyong/transformer/issues/89: the root of the warm-up stands where one over that of the width should.
# named: peak_of_one
def paper_rate(step, d_model, warmup):
    return warmup**0.5 * min(step * warmup**-1.5, step**-0.5)


# %% exercise="translation.paper_rate"
# https://github.com/tugstugi/pytorch-saltnet/issues/7: the first two steps have the same rate.
def paper_rate(step, d_model, warmup):
    last_epoch = max(1, step - 1)
    return d_model ** (-0.5) * min(last_epoch ** (-0.5), last_epoch * warmup ** (-1.5))


# %% exercise="translation.alignment"
# https://github.com/OpenNMT/CTranslate2/issues/563: the first head stands for all.
# named: first_head_alone
def alignment(weights, real):
    attention = weights[0].clone()
    attention[:, ~real] = 0
    return attention.argmax(dim=1)


# %% exercise="translation.alignment" kept
# https://github.com/facebookresearch/fairseq/issues/4446: <eos>, which gets most of the weight, isn't left out.
# named: end_and_padding_too
def alignment(weights, real):
    averaged = weights.mean(0)
    return torch.argmax(averaged, dim=-1)
