# %% exercise="positional.sinusoidal"
# https://github.com/maxjcohen/transformer/issues/62: The base has lost a zero, and the cosines' exponents are the odd numbers.
# named: base_1000, exponent_of_each_feature
# true: Right only where `T` is 1.
def sinusoidal(T, d_model, base=10_000.0):
    PE = torch.zeros((T, d_model))
    pos = torch.arange(T).unsqueeze(1)
    PE[:, 0::2] = torch.sin(pos / torch.pow(1000, torch.arange(0, d_model, 2, dtype=torch.float32) / d_model))
    PE[:, 1::2] = torch.cos(pos / torch.pow(1000, torch.arange(1, d_model, 2, dtype=torch.float32) / d_model))
    return PE


# %% exercise="positional.sinusoidal"
# https://github.com/zju3dv/LoFTR/issues/41: / and // go from left to right, so the exponent is rounded down to a whole number.
# named: speeds_rounded_down
def sinusoidal(T, d_model, base=10_000.0):
    pe = torch.zeros(T, d_model)
    position = torch.arange(T).float().unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model // 2).float() * (-math.log(base) / d_model // 2))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


# %% exercise="positional.sinusoidal"
# https://github.com/ivanvovk/WaveGrad/issues/12: The power is upside down, exponent ** base, so all pairs turn nearly alike.
# true: Right only where `T` is 1.
def sinusoidal(T, d_model, base=10_000.0):
    exponents = torch.arange(0, d_model, 2) / d_model
    exponents = exponents ** (1 / base)
    angles = torch.arange(T).unsqueeze(1) * exponents.unsqueeze(0)
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


# %% exercise="positional.sinusoidal"
# https://github.com/harvardnlp/annotated-transformer/issues/131: The position is divided by what is the reciprocal already.
# named: divided_by_div_term, faster_and_faster
def sinusoidal(T, d_model, base=10_000.0):
    pe = torch.zeros(T, d_model)
    position = torch.arange(0, T).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(base) / d_model))
    pe[:, 0::2] = torch.sin(position / div_term)
    pe[:, 1::2] = torch.cos(position / div_term)
    return pe


# %% exercise="positional.sinusoidal"
# https://github.com/shenweichen/DeepCTR/issues/379: i counts features where the formula's i counts pairs.
# named: cosine_with_another_speed
def sinusoidal(T, d_model, base=10_000.0):
    position_enc = torch.tensor(
        [[pos / math.pow(base, 2.0 * i / d_model) for i in range(d_model)] for pos in range(T)]
    )
    position_enc[:, 0::2] = torch.sin(position_enc[:, 0::2])
    position_enc[:, 1::2] = torch.cos(position_enc[:, 1::2])
    return position_enc


# %% exercise="positional.sinusoidal"
# https://github.com/BrianPulfer/PapersReimplementations/issues/9: The even features are doubled again in the exponent.
# named: exponent_twice_doubled
def sinusoidal(T, d_model, base=10_000.0):
    embedding = torch.zeros(T, d_model)
    wk = torch.tensor([1 / base ** (2 * j / d_model) for j in range(d_model)]).reshape(1, d_model)
    t = torch.arange(T).reshape(T, 1)
    embedding[:, ::2] = torch.sin(t * wk[:, ::2])
    embedding[:, 1::2] = torch.cos(t * wk[:, ::2])
    return embedding


# %% exercise="positional.sinusoidal" kept
# https://github.com/Kyubyong/transformer/pull/81: Integers are divided by integers, so every exponent is 0.
# named: same_speed_for_all
def sinusoidal(T, d_model, base=10_000.0):
    table = torch.empty(T, d_model)
    for pos in range(T):
        for i in range(d_model):
            angle = pos / base ** (2 * (i // 2) // d_model)
            table[pos, i] = math.sin(angle) if i % 2 == 0 else math.cos(angle)
    return table


# %% exercise="positional.add"
# https://github.com/DiffPoseTalk/DiffPoseTalk/issues/20: A colon is missing: one row, that of the length, is added everywhere.
# named: same_row_for_all
def add_positions(x, table):
    return x + table[x.shape[-2] - 1, :]


# %% exercise="positional.add" kept
# https://github.com/songyangco/GETNext/issues/2: The positions run along the batch, as in code that keeps words in the first axis.
# named: along_the_batch, laid_out_for_words_first
def add_positions(x, table):
    pe = table.unsqueeze(1)
    return x + pe[: x.size(0)]


# %% exercise="positional.rotary"
# https://github.com/raiyanyahya/how-to-train-your-gpt/issues/6: The angles are those of neighbours, the partners those of halves.
# named: partners_in_halves
def rotary(x, positions, base=10_000.0):
    d = x.size(-1)
    freqs = torch.outer(positions.to(x.dtype), base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d))
    emb = freqs.repeat_interleave(2, dim=-1)
    x1, x2 = x[..., : d // 2], x[..., d // 2 :]
    rotated = torch.cat([-x2, x1], dim=-1)
    return x * emb.cos() + rotated * emb.sin()


# %% exercise="positional.rotary"
# https://github.com/facebookresearch/xformers/issues/779: The angles are laid out in halves, though neighbours are turned together.
# named: angles_in_halves
def rotary(x, positions, base=10_000.0):
    d = x.size(-1)
    inv_freq = 1.0 / (base ** (torch.arange(0, d, 2).to(x.dtype) / d))
    freqs = torch.einsum("i,j->ij", positions.to(x.dtype), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    pairs = x.unflatten(-1, (-1, 2))
    turned = torch.stack((-pairs[..., 1], pairs[..., 0]), dim=-1).flatten(-2)
    return x * emb.cos() + turned * emb.sin()


# %% exercise="positional.rotary"
# https://github.com/naver/croco/issues/3: Even and odd features are taken apart, and joined again in halves.
# named: turned_pairs_in_halves, partners_in_halves
def rotary(x, positions, base=10_000.0):
    d = x.size(-1)
    theta = positions.to(x.dtype)[:, None] * base ** (-torch.arange(0, d, 2, dtype=x.dtype) / d)
    cos, sin = theta.cos(), theta.sin()
    x1, x2 = x[..., ::2], x[..., 1::2]
    return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)


# %% exercise="positional.rotary"
# https://github.com/zai-org/ChatGLM-6B/issues/838: Each feature of the first half is turned with one of the second.
# named: first_half_with_second
def rotary(x, positions, base=10_000.0):
    half = x.size(-1) // 2
    angle = positions.unsqueeze(-1).to(x.dtype) * torch.pow(base, -torch.arange(half).to(x.dtype) / half)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], -1)


# %% exercise="positional.relative" kept
# https://github.com/huggingface/transformers/pull/9164: Distances aren't clipped, so a longer sequence reaches beyond the table.
# named: not_clipped
def relative_bias(table, T_q, T_k):
    K = (table.size(-1) - 1) // 2
    distance = torch.arange(T_k)[None, :] - torch.arange(T_q)[:, None]
    return table[..., distance + K]


# %% exercise="positional.relative"
# https://github.com/dmlc/gluon-nlp/pull/1470: The distance is query minus key, where the table is for key minus query.
# named: i_minus_j
def relative_bias(table, T_q, T_k):
    K = table.size(-1) // 2
    query_i = torch.arange(T_q).view(-1, 1)
    mem_j = torch.arange(T_k).view(1, -1)
    relative = torch.clip(query_i - mem_j, min=-K, max=K)
    return torch.index_select(table, -1, (relative + K).flatten()).unflatten(-1, (T_q, T_k))


# %% exercise="positional.penalty"
# https://github.com/paiml/aprender/pull/2143: The exponents start at 0, so the first head's slope is 1.
# named: slopes_from_zero
def linear_penalty(n_heads, T_q, T_k):
    slopes = torch.tensor([2 ** (-8 * h / n_heads) for h in range(n_heads)])
    distance = (torch.arange(T_q).view(-1, 1) - torch.arange(T_k).view(1, -1)).abs()
    return -slopes.view(-1, 1, 1) * distance


# %% exercise="positional.penalty"
# https://github.com/meta-pytorch/attention-gym/pull/86: The bias grows with query minus key, so that far keys of the past gain.
# named: signed_the_other_way, signed_distance
def linear_penalty(n_heads, T_q, T_k):
    h = torch.arange(n_heads)
    scale = torch.exp2(-((h + 1) * 8.0 / n_heads))
    q_idx, kv_idx = torch.meshgrid(torch.arange(T_q), torch.arange(T_k), indexing="ij")
    return (q_idx - kv_idx) * scale[:, None, None]


# %% exercise="positional.penalty"
# https://github.com/vllm-project/vllm/pull/945: The distance is off by one, so the nearest key is penalised too.
# true: The right numbers, one position too late along axis -1.
def linear_penalty(n_heads, T_q, T_k):
    slopes = 2.0 ** (-8.0 / n_heads * torch.arange(1, n_heads + 1))
    context_len = torch.arange(T_q)[:, None] + 1
    token_idx = torch.arange(T_k)[None, :]
    return slopes[:, None, None] * -(token_idx - context_len).abs()


# %% exercise="positional.rotary_attention"
# https://github.com/Tencent-Hunyuan/HunyuanDiT/issues/66: Only the queries are turned, so the scores don't depend on distances.
# named: queries_alone
def rotary_attention(q, k, v, mask=None):
    queries = rotary(q, torch.arange(q.size(-2)))
    return scaled_dot_product_attention(queries, k, v, mask=mask)


# %% exercise="positional.rotary_attention" kept
# https://github.com/vllm-project/vllm-omni/pull/3828: The keys are turned twice and the queries not at all, by a wrong name.
def rotary_attention(q, k, v, mask=None):
    k_turned = rotary(k, torch.arange(k.shape[-2]))
    k_turned = rotary(k_turned, torch.arange(k.shape[-2]))
    return scaled_dot_product_attention(q, k_turned, v, mask)
