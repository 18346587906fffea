# %% exercise="bert.mask_tokens" kept
# https://github.com/lucidrains/mlm-pytorch/issues/6: words that were replaced are mostly overwritten by <mask>.
# named: two_separate_draws
def mask_tokens(ids, vocabulary, generator, share=0.15):
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    labels = ids.masked_fill(~chosen, -100)
    random_token = (torch.rand(ids.shape, generator=generator) < 0.1) & chosen
    random_words = torch.randint(6, vocabulary, ids.shape, generator=generator)
    masked = torch.where(random_token, random_words, ids)
    replace = (torch.rand(ids.shape, generator=generator) < 0.9) & chosen
    masked = masked.masked_fill(replace, 3)
    return masked, labels


# %% exercise="bert.mask_tokens"
# https://github.com/huggingface/transformers/pull/17377: a tenth of what <mask> has left is replaced, not a half.
# named: tenth_of_the_rest
def mask_tokens(ids, vocabulary, generator, share=0.15):
    inputs, labels = ids.clone(), ids.clone()
    probability = torch.full(ids.shape, share).masked_fill(ids < 6, 0.0)
    masked_indices = torch.bernoulli(probability, generator=generator).bool()
    labels[~masked_indices] = -100
    replaced = torch.bernoulli(torch.full(ids.shape, 0.8), generator=generator).bool() & masked_indices
    inputs[replaced] = MASK
    indices_random = torch.bernoulli(torch.full(ids.shape, 0.1), generator=generator).bool()
    indices_random = indices_random & masked_indices & ~replaced
    random_words = torch.randint(6, vocabulary, ids.shape, generator=generator)
    inputs[indices_random] = random_words[indices_random]
    return inputs, labels


# %% exercise="bert.mask_tokens" kept
# https://github.com/huggingface/transformers/issues/13020: every token is its own label, so all are scored.
# named: labels_everywhere
def mask_tokens(ids, vocabulary, generator, share=0.15):
    labels = ids.clone()
    draw = torch.rand(ids.shape, generator=generator)
    selected = (draw < share) & (ids > 5)
    fate = torch.rand(ids.shape, generator=generator)
    noise = torch.randint(6, vocabulary, ids.shape, generator=generator)
    inputs = ids.clone()
    inputs[selected & (fate < 0.8)] = MASK
    swap = selected & (fate >= 0.8) & (fate < 0.9)
    inputs[swap] = noise[swap]
    return inputs, labels


# %% exercise="bert.mask_tokens"
# https://github.com/mead-ml/mead-baseline/pull/337: what wasn't chosen gets the label 0.
# named: zero_for_no_label
def mask_tokens(ids, vocabulary, generator, share=0.15):
    labels = ids.clone()
    masked_indices = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    labels[~masked_indices] = 0
    p = torch.rand(ids.shape, generator=generator)
    words = torch.randint(6, vocabulary, ids.shape, generator=generator)
    x = torch.where(masked_indices & (p < 0.8), torch.full_like(ids, MASK), ids)
    x = torch.where(masked_indices & (p >= 0.8) & (p < 0.9), words, x)
    return x, labels


# %% exercise="bert.mask_tokens"
# https://github.com/graykode/nlp-tutorial/issues/22: special tokens and padding are hidden like words.
# named: special_tokens_too
def mask_tokens(ids, vocabulary, generator, share=0.15):
    masked = torch.rand(ids.shape, generator=generator) < share
    p = torch.rand(ids.shape, generator=generator)
    rand_ids = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = ids.clone()
    read[masked & (p < 0.8)] = MASK
    read[masked & (p > 0.9)] = rand_ids[masked & (p > 0.9)]
    labels = torch.full_like(ids, -100)
    labels[masked] = ids[masked]
    return read, labels


# %% exercise="bert.key_mask"
# https://github.com/hyunwoongko/transformer/pull/40: the axes are put so that queries are hidden, not keys.
# named: queries_hidden
def key_mask(ids):
    return (ids != 0).unsqueeze(1).unsqueeze(3)


# %% exercise="bert.key_mask" kept
# https://github.com/huggingface/transformers/issues/25645: padding is hidden as query and as key.
# named: queries_hidden_too
def key_mask(ids):
    mask = ids != 0
    return mask[:, None, None, :] & mask[:, None, :, None]


# %% exercise="bert.key_mask"
# https://github.com/meta-pytorch/attention-gym/issues/38: True stands for padding.
# named: padding_shown
def key_mask(ids):
    pad = ids == 0
    return pad.view(ids.size(0), 1, 1, ids.size(1))


# %% exercise="bert.embed" kept
# https://github.com/d2l-ai/d2l-en/pull/2661: the words' vectors are multiplied by the root of the width.
# named: scaled_by_the_root
def embed(ids, segments, words, positions, kinds):
    X = F.embedding(ids, words) * math.sqrt(words.shape[1])
    X = X + F.embedding(segments, kinds)
    return X + positions[: X.shape[1], :]


# %% exercise="bert.embed"
# https://github.com/d2l-ai/d2l-en/pull/2121: no gradient reaches the positions.
# true: Where none arrives
def embed(ids, segments, words, positions, kinds):
    X = F.embedding(ids, words) + F.embedding(segments, kinds)
    return X + positions.data[: X.shape[1]]


# %% exercise="bert.embed" kept
# https://github.com/p-lambda/swords/issues/2: segments and positions are added twice.
def embed(ids, segments, words, positions, kinds):
    T = ids.shape[1]
    token_type = kinds[segments]
    position = positions[torch.arange(T)]
    embeddings = words[ids] + token_type + position
    return embeddings + token_type + position


# %% exercise="bert.embed"
# https://github.com/graykode/nlp-tutorial/issues/22: positions are counted from 1.
def embed(ids, segments, words, positions, kinds):
    place = torch.arange(1, ids.size(1) + 1).clamp(max=positions.size(0) - 1)
    return F.embedding(ids, words) + positions[place] + F.embedding(segments, kinds)


# %% exercise="bert.word_head" kept
# https://github.com/huggingface/transformers/issues/2957: the bias is added twice.
# true: Each column is off by a number of its own.
class WordHead(torch.nn.Module):
    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        hidden = self.norm(F.gelu(self.transform(x)))
        scores = F.linear(hidden, embedding, self.bias)
        return scores + self.bias


# %% exercise="bert.word_head"
# https://github.com/huggingface/transformers/issues/12215: the transform before the comparison is missing.
# named: NoTransform
class WordHead(torch.nn.Module):
    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        return F.linear(x, embedding, self.bias)


# %% exercise="bert.word_head" kept
# https://github.com/vllm-project/vllm/pull/46835: the bias of the tied head is dropped.
# named: NoBias
class WordHead(torch.nn.Module):
    def __init__(self, d_model, vocabulary):
        super().__init__()
        self.transform = torch.nn.Linear(d_model, d_model)
        self.norm = torch.nn.LayerNorm(d_model, eps=1e-12)
        self.bias = torch.nn.Parameter(torch.zeros(vocabulary))

    def forward(self, x, embedding):
        h = self.transform(x)
        h = F.gelu(h)
        h = self.norm(h)
        return torch.matmul(h, embedding.t())


# %% exercise="bert.model"
# https://github.com/skeskinen/bert.cpp/issues/11: all positions are averaged where [CLS] should be read.
# named: MeanInsteadOfCls
class Bert(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler = torch.nn.Linear(d_model, d_model)
        self.follows = torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        hidden = self.encoder(ids, ids != PAD, segments)
        pooled = torch.tanh(self.pooler(hidden.mean(dim=1)))
        return self.word_head(hidden, self.encoder.words.weight), self.follows(pooled)


# %% exercise="bert.model" kept
# https://github.com/huggingface/transformers/issues/782: the pooler is given a GELU, as the paper seems to say.
# named: PoolerWithGelu
class Bert(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler = torch.nn.Linear(d_model, d_model)
        self.follows = torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        sequence_output = self.encoder(ids, ids != PAD, segments)
        first_token = sequence_output[:, 0]
        pooled = F.gelu(self.pooler(first_token))
        return self.word_head(sequence_output, self.encoder.words.weight), self.follows(pooled)


# %% exercise="bert.model"
# https://github.com/CarryCKW/AES-NPCR/issues/7: the encoder gets no attention mask.
# named: NothingHidden
class Bert(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, d_ff, n_layers, positions):
        super().__init__()
        sizes = (vocabulary, d_model, n_heads, d_ff, n_layers, positions)
        self.encoder = Encoder(EncoderConfig(*sizes, segments=2, style=PRE_NORM))
        self.word_head = WordHead(d_model, vocabulary)
        self.pooler = torch.nn.Linear(d_model, d_model)
        self.follows = torch.nn.Linear(d_model, 2)

    def forward(self, ids, segments):
        out = self.encoder(ids, segments=segments)
        cls = torch.tanh(self.pooler(out[:, 0, :]))
        return self.word_head(out, self.encoder.words.weight), self.follows(cls)


# %% exercise="bert.pack" kept
# https://github.com/facebookresearch/mmf/pull/383: room is left for two special tokens, and there are three.
# named: two_specials_counted
def pack(first, second, length):
    tokens_a, tokens_b = first[:], second[:]
    max_length = length - 2
    while len(tokens_a) + len(tokens_b) > max_length:
        if len(tokens_a) > len(tokens_b):
            tokens_a.pop()
        else:
            tokens_b.pop()
    segment_ids = [0] * (len(tokens_a) + 2) + [1] * (len(tokens_b) + 1)
    return [4] + tokens_a + [5] + tokens_b + [5], segment_ids


# %% exercise="bert.pack"
# https://github.com/pytorch-ignite/trainite/pull/161: the finished row is cut, and the last token is lost.
# named: cut_at_the_end
def pack(first, second, length):
    row = [4, *first, 5, *second, 5]
    segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
    return row[:length], segments[:length]


# %% exercise="bert.pack" kept
# https://github.com/huggingface/transformers/pull/5472: only the first passage is shortened.
# true: In `segments`: every number is 1 too large.
def pack(first, second, length):
    room = max(0, length - 3 - len(second))
    ids = first[:room]
    pair = second[: length - 3]
    return [4] + ids + [5] + pair + [5], [0] * (len(ids) + 2) + [1] * (len(pair) + 1)


# %% exercise="bert.renamed"
# https://github.com/nntile/nntile/pull/370: matrices published as (in, out) aren't turned.
# named: never_turned
def renamed(published, names, n_layers, turned=()):
    state = {}
    for ours, theirs in names.items():
        numbers = range(n_layers) if "{}" in ours else [0]
        for number in numbers:
            for suffix in [".weight", ".bias"]:
                tensors = []
                for their in theirs:
                    key = their.replace("{}", str(number)) + suffix
                    if key in published:
                        tensors.append(published[key])
                if tensors:
                    state[ours.replace("{}", str(number)) + suffix] = torch.cat(tensors, dim=0)
    return state


# %% exercise="bert.renamed" kept
# https://github.com/huggingface/transformers/pull/21519: query, key and value are joined in another order.
# true: In `blocks.0.W_qkv.weight`: the right numbers in reverse
def renamed(published, names, n_layers, turned=()):
    out = {}
    for ours, theirs in names.items():
        for i in range(n_layers if "{}" in ours else 1):
            for end in ("weight", "bias"):
                parts = []
                for their in reversed(theirs):
                    value = published.get(f"{their.format(i)}.{end}")
                    if value is not None:
                        parts.append(value.t() if end == "weight" and ours in turned else value)
                if parts:
                    out[f"{ours.format(i)}.{end}"] = torch.cat(parts)
    return out


# %% exercise="bert.fill"
# https://github.com/valeoai/Halton-MaskGIT/issues/36: words that stand already are written anew.
# named: given_words_rewritten, all_written_anew
def fill_and_mask_again(ids, logits, again):
    logits = logits.clone()
    logits[..., :6] = -math.inf
    conf, pred_code = logits.softmax(dim=-1).max(dim=-1)
    mask = ids == 3
    conf = conf.masked_fill(~mask, math.inf)
    code = pred_code.clone()
    for row in range(len(ids)):
        k = min(again, int(mask[row].sum()))
        if k:
            code[row, conf[row].topk(k, largest=False).indices] = 3
    return code


# %% exercise="bert.fill" kept
# https://github.com/pengzhangzhi/Open-dLLM/issues/7: every position takes part in the choice of what is hidden again.
# named: given_words_hidden
def fill_and_mask_again(ids, logits, again):
    mask_index = ids == MASK
    probs = torch.softmax(logits[:, :, 6:], dim=-1)
    full_conf, x0 = torch.max(probs, dim=-1)
    x = torch.where(mask_index, x0 + 6, ids)
    lowest = torch.topk(full_conf, min(again, ids.size(1)), dim=1, largest=False).indices
    return x.scatter(1, lowest, MASK)


# %% exercise="bert.blank"
# https://github.com/AI-Hypercomputer/maxtext/issues/2103: the scores at a place are taken for the token at that place.
# named: never_one_place_before, each_place_for_itself
def blank_left_to_right(model, ids, place, candidates):
    rows = ids.unsqueeze(0).repeat(candidates.numel(), 1)
    rows[:, place] = candidates
    logprobs = F.log_softmax(model(rows), dim=-1)
    per_token = torch.gather(logprobs, 2, rows.unsqueeze(2)).squeeze(2)
    return F.softmax(per_token[:, place], dim=0), F.softmax(per_token[:, 1:].sum(dim=1), dim=0)
