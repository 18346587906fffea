# %% exercise="counting.linear" kept
# https://github.com/dgschwend/netscope/issues/17: the biases aren't counted.
# named: bias_forgotten
def linear_parameters(n_in, n_out, bias=True):
    weight = torch.empty(n_out, n_in, device="meta")
    return weight.numel()


# %% exercise="counting.gpt2"
# https://github.com/TransformerLensOrg/TransformerLens/issues/903: attention and feed-forward weights alone, no table.
def gpt2_parameters(vocabulary, d_model, n_heads, n_layers, positions):
    d_head = d_model // n_heads
    attention = 4 * n_heads * d_head * d_model
    mlp = 2 * d_model * (4 * d_model)
    return n_layers * (attention + mlp)


# %% exercise="counting.gpt2" kept
# https://github.com/AnswerDotAI/ModernBERT/pull/67: learned positions are subtracted from the total.
# named: gpt2_positions_forgotten
def gpt2_parameters(vocabulary, d_model, n_heads, n_layers, positions):
    wte = vocabulary * d_model
    wpe = positions * d_model
    ln_f = 2 * d_model
    total = wte + wpe + n_layers * encoder_layer_parameters(d_model, n_heads, 4 * d_model) + ln_f
    return total - wpe


# %% exercise="counting.gpt2"
# https://github.com/huggingface/transformers/issues/14960: the tied output map is expected among the parameters.
# named: output_counted_again
def gpt2_parameters(vocabulary, d_model, n_heads, n_layers, positions):
    transformer = embedding_parameters(vocabulary, d_model, positions)
    for _ in range(n_layers):
        transformer += encoder_layer_parameters(d_model, n_heads, 4 * d_model)
    transformer += norm_parameters(d_model)
    lm_head = linear_parameters(d_model, vocabulary, bias=False)
    return transformer + lm_head


# %% exercise="counting.transformer" kept
# https://github.com/jranaraki/vllm-fit/issues/27: the output head is always taken for tied.
# named: always_tied
def transformer_parameters(vocabulary, d_model, n_heads, d_ff, n_layers, tied):
    encoder = n_layers * encoder_layer_parameters(d_model, n_heads, d_ff)
    decoder = n_layers * decoder_layer_parameters(d_model, n_heads, d_ff)
    return embedding_parameters(vocabulary, d_model) + encoder + decoder


# %% exercise="counting.lab_model"
# https://github.com/OpenNLPLab/TransnormerLLM/issues/6: the layers are added up, and the embedding isn't among them.
# named: lab_embedding_forgotten
def lab_model_parameters(vocabulary, d_model, n_heads, d_ff, n_layers, n_out):
    total = 0
    for _ in range(n_layers):
        total += encoder_layer_parameters(d_model, n_heads, d_ff)
    total += linear_parameters(d_model, n_out)
    return total


# %% exercise="counting.training_state" kept
# https://github.com/caomaolufei/AIInfraGuide/issues/24: Adam's state is counted as one copy of the parameters.
# named: one_moment
def training_state_bytes(n_parameters, optimizer):
    weights = n_parameters * 4
    gradients = n_parameters * 4
    state = {"sgd": 0, "momentum": n_parameters * 4, "adam": n_parameters * 4}
    return weights + gradients + state[optimizer]


# %% exercise="counting.training_state"
# https://github.com/LLMBook-zh/LLMBook-zh.github.io/issues/37: Adam is given a copy of the parameters of its own.
# true: Too large by 4 · `n_parameters`.
# true: Your results are exactly those of a right answer in which a number is 1 too large
def training_state_bytes(n_parameters, optimizer):
    per_parameter = 4 + 4
    if optimizer == "momentum":
        per_parameter += 4
    elif optimizer == "adam":
        per_parameter += 4 + 4 + 4
    return per_parameter * n_parameters


# %% exercise="counting.training_state" kept
# https://github.com/harvard-edge/cs249r_book/pull/664: SGD takes the parameters' size, momentum 2 and Adam 3 of them.
# named: gradients_forgotten
def training_state_bytes(n_parameters, optimizer):
    size = 4 * n_parameters
    if optimizer == "sgd":
        return size
    if optimizer == "momentum":
        return 2 * size
    return 3 * size


# %% exercise="counting.flops"
# https://github.com/karpathy/nanoGPT/issues/456: the attention term is taken to be 6 L T d instead of 12 L T d.
# named: scores_alone
def training_flops_per_token(n_weights, n_layers, positions, d_model):
    return 6 * n_weights + 6 * n_layers * positions * d_model


# %% exercise="counting.flops" kept
# https://github.com/pytorch/torchtitan/pull/4366: one of the two products of attention is counted.
# named: scores_alone
def training_flops_per_token(n_weights, n_layers, positions, d_model):
    flops_forward = 2 * n_weights
    for _ in range(n_layers):
        flops_forward += 2 * d_model * positions  # QK^T and the values
    flops_backward = 2 * flops_forward
    return flops_forward + flops_backward


# %% exercise="counting.flops"
# https://github.com/NVIDIA/Megatron-LM/issues/831: attention is counted half, for the causal mask.
# named: scores_alone
def training_flops_per_token(n_weights, n_layers, positions, d_model):
    attention = 12 * n_layers * d_model * positions
    return 6 * n_weights + attention // 2


# %% exercise="counting.activations" kept
# https://github.com/manuelescobar-dev/LLM-Tools/issues/4: bytes where numbers are meant.
# named: kept_bytes
def activation_numbers(batch, positions, d_model, n_heads, d_ff, n_layers):
    per_token = 8 * d_model + 2 * d_ff + n_heads * positions
    return batch * positions * per_token * n_layers * 4


# %% exercise="counting.activations"
# https://github.com/deepspeedai/DeepSpeed/issues/1861: scores and weights are both kept, and d_ff is always four d.
def activation_numbers(batch, positions, d_model, n_heads, d_ff, n_layers):
    return (2 * positions * n_heads + 16 * d_model) * positions * batch * n_layers


# %% exercise="counting.activations" kept
# https://github.com/cli99/llm-analysis/issues/18: one layer norm is counted for a layer that has two.
# named: one_vector_short
def activation_numbers(batch, positions, d_model, n_heads, d_ff, n_layers):
    tokens = batch * positions
    layernorm = tokens * d_model
    attention = 5 * tokens * d_model + batch * n_heads * positions * positions
    mlp = tokens * d_model + 2 * tokens * d_ff
    return (layernorm + attention + mlp) * n_layers


# %% exercise="counting.attention"
# https://github.com/deep-learning-indaba/indaba-pracs-2022/pull/5: each head is given three maps of the whole width.
# true: Your results are exactly those of a right answer in which `// n_heads` is missing
# true: Your results are exactly those of a right answer in which a division is missing
# named: multiplied_by_heads, whole_width_for_each_head
def attention_parameters(d_model, n_heads, bias=True):
    per_head = 3 * linear_parameters(d_model, d_model, bias)
    return n_heads * per_head + linear_parameters(d_model, d_model, bias)
