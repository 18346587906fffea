# %% exercise="block.layer_norm"
# https://github.com/codertimo/BERT-pytorch/issues/30: The sample's standard deviation, with eps added outside the root.
# named: torch_std, divided_by_one_less, eps_beside_the_root
def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True)
    return weight * (x - mean) / (std + eps) + bias


# %% exercise="block.layer_norm"
# https://github.com/hyunwoongko/transformer/issues/7: The root is taken of the standard deviation, which has one already.
# named: root_of_the_deviation
def layer_norm(x, weight, bias, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True, unbiased=False)
    out = (x - mean) / torch.sqrt(std + eps)
    return weight * out + bias


# %% exercise="block.layer_norm"
# https://github.com/131250208/TPlinker-joint-extraction/issues/37: ** 2 stands where ** 0.5 belongs.
# true: Your results are exactly those of a right answer in which `square` is used where a square root belongs (the step with `eps`)
def layer_norm(x, weight, bias, eps=1e-5):
    mean = torch.mean(x, dim=-1, keepdim=True)
    variance = torch.mean((x - mean) ** 2, dim=-1, keepdim=True)
    std = (variance + eps) ** 2
    return (x - mean) / std * weight + bias


# %% exercise="block.layer_norm"
# https://github.com/harvardnlp/annotated-transformer/pull/119: var() without correction=0 divides by one less.
# named: divided_by_one_less
def layer_norm(x, weight, bias, eps=1e-5):
    return (x - x.mean(-1, True)) * (x.var(-1, keepdim=True) + eps).rsqrt() * weight + bias


# %% exercise="block.gelu"
# https://github.com/huggingface/transformers/pull/11514: The two constants of the tanh approximation have changed places.
# named: constants_exchanged
def gelu(x):
    coeff1, coeff2 = 0.7978845608, 0.044715
    return 0.5 * x * (1.0 + torch.tanh(x * coeff2 * (1.0 + coeff1 * x * x)))


# %% exercise="block.gelu"
# https://github.com/tensorflow/tfjs/pull/8224: The factor x is missing, so this is the share below x alone.
# named: phi_alone
def gelu(x):
    cdf = 0.5 * (1.0 + torch.special.erf(x / 2**0.5))
    return cdf


# %% exercise="block.gelu"
# https://github.com/harvard-edge/cs249r_book/pull/1156: The sigmoid approximation, with 1.702 said to come from √(2/π).
# named: sigmoid_approximation
def gelu(x):
    return x / (1 + torch.exp(-1.702 * x))


# %% exercise="block.add_sublayer"
# https://github.com/Howuhh/faster-trajectory-transformer/issues/3: The path itself is normalised before the sublayer's output is added.
# named: path_normalised
def add_sublayer(x, sublayer, norm, norm_first=True):
    if norm_first:
        x = norm(x)
        x = x + sublayer(x)
    else:
        x = norm(x + sublayer(x))
    return x


# %% exercise="block.add_sublayer" kept
# https://github.com/kyegomez/BitNet/issues/32: The name x is used again for what the sublayer gives, which is then added to itself.
def add_sublayer(x, sublayer, norm, norm_first=True):
    if norm_first:
        x = sublayer(norm(x))
        return x + x
    x = sublayer(x)
    return norm(x + x)


# %% exercise="block.add_sublayer"
# https://github.com/NVIDIA-NeMo/Speech/pull/4350: The normalised sum is read by the next layer alone; the path goes on without the norm.
# named: no_norm_last
def add_sublayer(x, sublayer, norm, norm_first=True):
    residual = x
    layernorm_output = norm(x) if norm_first else x
    layernorm_input = residual + sublayer(layernorm_output)
    if not norm_first:
        normalization_output = norm(layernorm_input)
    return layernorm_input


# %% exercise="block.dropout"
# https://github.com/lmjohns3/theanets/pull/123: What stays is divided by the share that goes.
# named: rest_divided_by_share
# true: Your results are exactly those of a right answer in which `1 -` is missing before `p`
def dropout(x, p, training, chances):
    if not training or p == 0:
        return x
    mask = (chances >= p).to(x.dtype)
    return x * mask / p


# %% exercise="block.dropout"
# https://github.com/CSTR-Edinburgh/mlpractical/pull/32: What stays is scaled up twice.
# named: rest_scaled_twice
def dropout(x, p, training, chances):
    if not training:
        return x
    keep = 1 - p
    mask = (chances >= p) / keep
    return x * mask / keep


# %% exercise="block.embed" kept
# https://github.com/SamLynnEvans/Transformer/issues/10: The embedding isn't multiplied by √C.
# named: not_scaled
def embed(ids, words, positions):
    seq_len = ids.shape[-1]
    return F.embedding(ids, words).add(positions.narrow(0, 0, seq_len))


# %% exercise="block.embed"
# https://github.com/pytorch/tutorials/issues/2849: Somebody expects a division by √C, as in the scores of attention.
# named: scaled_down
def embed(ids, words, positions):
    src = F.embedding(ids, words) / math.sqrt(words.shape[1])
    return src + positions[torch.arange(ids.shape[-1])]


# %% exercise="block.feed_forward" kept
# https://github.com/goruck/nilm/issues/1: The activation stands behind the second map.
# named: ActivationLast
class FeedForward(torch.nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)
        self.activation = nn.GELU()

    def forward(self, x):
        x_fc1 = self.W_up(x)
        return self.activation(self.W_down(x_fc1))


# %% exercise="block.feed_forward"
# https://github.com/NVlabs/Forecasting-Model-Search/pull/6: The activation is a ReLU whatever was asked for, and the path is added inside.
# named: ReluInside, PathInside
class FeedForward(torch.nn.Module):
    def __init__(self, d_model, d_ff, activation="gelu"):
        super().__init__()
        self.W_up, self.W_down = torch.nn.Linear(d_model, d_ff), torch.nn.Linear(d_ff, d_model)
        self.activation = nn.ReLU()

    def forward(self, x):
        return x + self.W_down(self.activation(self.W_up(x)))


# %% exercise="block.block"
# https://github.com/ml-explore/mlx/issues/1636: The first norm is used again where the second belongs.
# named: FirstNormTwice
class Block(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, x, mask=None):
        y = self.norm_1(x)
        y, _ = self.attention(y, mask=mask)
        x = x + y
        y = self.norm_1(x)
        return x + self.feed_forward(y)


# %% exercise="block.block"
# https://github.com/SHI-Labs/Compact-Transformers/issues/25: The second path starts at the normalised vectors.
# named: SecondPathNormalised
class Block(torch.nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attention, self.feed_forward = MultiHeadAttention(d_model, n_heads), FeedForward(d_model, d_ff)
        self.norm_1, self.norm_2 = LayerNorm(d_model), LayerNorm(d_model)

    def forward(self, src, mask=None):
        src = src + self.attention(self.norm_1(src), mask=mask)[0]
        src = self.norm_2(src)
        src2 = self.feed_forward(src)
        return src + src2


# %% exercise="block.model" kept
# https://github.com/bkitano/llama-from-scratch/issues/5: The model ends with a softmax, though the loss takes its own.
# named: Probabilities
class DecoderOnly(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, idx):
        x = embed(idx, self.words.weight, self.positions.weight)
        for layer in self.blocks:
            x = layer(x, causal_mask(idx.shape[1]))
        a = unembed(self.norm(x), self.words.weight)
        logits = F.softmax(a, dim=-1)
        return logits


# %% exercise="block.model"
# https://github.com/facebookresearch/xformers/issues/103: Where no mask is handed over, the causal one is skipped as well.
# named: NotCausal
class DecoderOnly(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids, att_mask=None):
        if att_mask is not None:
            att_mask = att_mask & causal_mask(ids.size(1))
        x = embed(ids, self.words.weight, self.positions.weight)
        for block in self.blocks:
            x = block(x, att_mask)
        return unembed(self.norm(x), self.words.weight)


# %% exercise="block.model" kept
# https://github.com/agentdr1/LA_MIL/issues/3: The norm is made in __init__ and used nowhere.
# named: LastNormForgotten
class DecoderOnly(torch.nn.Module):
    def __init__(self, vocabulary, d_model, n_heads, n_layers, positions):
        super().__init__()
        self.words = torch.nn.Embedding(vocabulary, d_model)
        self.positions = torch.nn.Embedding(positions, d_model)
        self.blocks = torch.nn.ModuleList(Block(d_model, n_heads, 4 * d_model) for _ in range(n_layers))
        self.norm = LayerNorm(d_model)

    def forward(self, ids):
        h = embed(ids, self.words.weight, self.positions.weight)
        for i in range(len(self.blocks)):
            h = self.blocks[i](h, mask=causal_mask(ids.shape[1]))
        return h @ self.words.weight.T


# %% exercise="block.initial_std"
# https://github.com/karpathy/llama2.c/issues/579: The map to the inner width is scaled, not the one that writes to the path.
# named: up_for_down
def initial_std(name, n_layers, std=0.02):
    if name.endswith("W_up.weight") or name.endswith("W_o.weight"):
        return std / math.sqrt(2 * n_layers)
    return std


# %% exercise="block.initial_std" kept
# https://github.com/huggingface/transformers/issues/47458: The full name never equals the short one, so nothing is scaled.
# named: all_alike
def initial_std(name, n_layers, std=0.02):
    if name in ("W_o.weight", "W_down.weight"):
        return std / math.sqrt(2 * n_layers)
    return std


# %% exercise="block.initial_std"
# https://github.com/tenstorrent/tt-metal/pull/48716: Layers are counted where each has two sublayers that write to the path.
# named: root_of_layers
def initial_std(name, n_layers, std=0.02):
    writes = name.endswith(("W_o.weight", "W_down.weight"))
    return std / math.sqrt(n_layers) if writes else std


# %% exercise="block.unembed" kept
# https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/138: The logits are divided by √C, as where words are shared but not scaled.
# named: unembedded_and_divided
def unembed(x, words):
    x_logit_scale = words.size(1) ** -0.5
    return F.linear(x, words) * x_logit_scale


# %% exercise="block.from_gpt2"
# https://github.com/AutoGPTQ/AutoGPTQ/pull/139: GPT-2's Conv1D keeps its weights transposed, and they are copied as they are.
# named: nothing_transposed
def from_gpt2(state, n_layers):
    width = state["transformer.wte.weight"].shape[1]
    root = width**0.5
    out = {
        "words.weight": state["transformer.wte.weight"] / root,
        "positions.weight": state["transformer.wpe.weight"],
        "norm.weight": root * state["transformer.ln_f.weight"],
        "norm.bias": root * state["transformer.ln_f.bias"],
    }
    for n in range(n_layers):
        old, new = f"transformer.h.{n}.", f"blocks.{n}."
        qkv = state[old + "attn.c_attn.weight"].split(width, dim=1)
        qkv_bias = state[old + "attn.c_attn.bias"].split(width)
        for letter, weight, bias in zip("qkv", qkv, qkv_bias):
            out[f"{new}attention.W_{letter}.weight"] = weight
            out[f"{new}attention.W_{letter}.bias"] = bias
        for end in ("weight", "bias"):
            out[f"{new}attention.W_o.{end}"] = state[f"{old}attn.c_proj.{end}"]
            out[f"{new}feed_forward.W_up.{end}"] = state[f"{old}mlp.c_fc.{end}"]
            out[f"{new}feed_forward.W_down.{end}"] = state[f"{old}mlp.c_proj.{end}"]
            out[f"{new}norm_1.{end}"] = state[f"{old}ln_1.{end}"]
            out[f"{new}norm_2.{end}"] = state[f"{old}ln_2.{end}"]
    return out


# %% exercise="block.eval" kept
# https://github.com/NVIDIA/TransformerEngine/pull/72: No gradients in eval mode: the flag for dropout is taken for that of gradients.
# named: gradients_stop
evaluation = {
    "whether dropout zeroes anything": "changes",
    "which mean and variance layer norm uses": "stays as it is",
    "whether gradients are recorded": "changes",
    "the weights": "stays as it is",
}
