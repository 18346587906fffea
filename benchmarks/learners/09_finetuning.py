# %% exercise="finetuning.last_real" kept
# https://github.com/rasbt/LLMs-from-scratch/issues/990: the last column is read, which is padding in short texts.
# named: last_column
def last_real(hidden, real):
    return hidden[:, -1, :]


# %% exercise="finetuning.last_real"
# https://github.com/StarlightSearch/EmbedAnything/issues/213: position 0 is read in every row.
# named: first_position
def last_real(hidden, real):
    return hidden.select(1, 0)


# %% exercise="finetuning.mean_real"
# https://github.com/jsboige/CoursIA/issues/15045: the mean goes over padding too.
# named: padding_in_the_mean
def mean_real(hidden, real):
    return hidden.mean(dim=1)


# %% exercise="finetuning.mean_real"
# https://github.com/huggingface/transformers/issues/17463: the vectors at padding are taken for zeros.
# named: padding_in_the_sum
def mean_real(hidden, real):
    lengths = real.sum(dim=1, keepdim=True)
    return hidden.sum(dim=1) / lengths


# %% exercise="finetuning.classifier"
# https://github.com/CarryCKW/AES-NPCR/issues/7: padding is looked for under the wrong number, 1.
# true: Your results are exactly those of a right answer in which a number is 1 too large: `ids.ne(1)` (in `forward`)
class Classifier(torch.nn.Module):
    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        attention_mask = ids != 1
        hidden_states = self.body(ids)
        return self.head(self.pool(hidden_states, attention_mask))


# %% exercise="finetuning.classifier"
# https://github.com/bojone/SimCSE/issues/6: the average is taken without a mask.
# named: BackboneMeaned, EverythingReal
class Classifier(torch.nn.Module):
    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        outputs = self.body(ids)
        return self.head(outputs.mean(dim=1))


# %% exercise="finetuning.what_fits" kept
# https://github.com/nerfstudio-project/nerfstudio/pull/1567: the prefix is taken out wherever it stands in a name.
# named: prefix_taken_out_everywhere
def match_state_dict(old, new, prefix):
    result = {"fits": [], "other shape": [], "missing": [], "left over": []}
    inner = {key.replace(prefix, ""): key for key in new if key.startswith(prefix)}
    for short, key in inner.items():
        if short not in old:
            result["missing"].append(key)
        elif old[short].shape != new[key].shape:
            result["other shape"].append(key)
        else:
            result["fits"].append(key)
    result["left over"] = [key for key in old if key not in inner]
    return result


# %% exercise="finetuning.what_fits"
# https://github.com/pytorch/examples/issues/1029: names are compared though one side has the prefix.
# named: prefix_forgotten
def match_state_dict(old, new, prefix):
    body = [name for name in new if name.startswith(prefix)]
    return {
        "fits": [n for n in body if n in old and old[n].shape == new[n].shape],
        "other shape": [n for n in body if n in old and old[n].shape != new[n].shape],
        "missing": [n for n in body if n not in old],
        "left over": [n for n in old if n not in new],
    }


# %% exercise="finetuning.moved" kept
# https://github.com/ChengShiest/LAST-ViT/issues/20: no name matches, since one side has a prefix, and nothing is moved.
# named: nothing_moved
def transfer(old, new, prefix):
    state = {name: tensor.clone() for name, tensor in new.items()}
    for name, tensor in old.items():
        if name in state and state[name].shape == tensor.shape:
            state[name] = tensor.clone()
    return state


# %% exercise="finetuning.freeze"
# https://github.com/ultralytics/yolov5/issues/1213: what was frozen is set to train again in the next loop.
# named: evaluation_mode
def freeze(model):
    for parameter in model.body.parameters():
        parameter.requires_grad = False
    for parameter in model.parameters():
        parameter.requires_grad = True


# %% exercise="finetuning.freeze" kept
# https://github.com/amdegroot/ssd.pytorch/issues/109: parameters are counted as if they were layers.
# true: Only parameters called weight are frozen
def freeze(model):
    for layer, param in enumerate(model.body.parameters()):
        param.requires_grad = layer not in (0, 1)


# %% exercise="finetuning.groups"
# https://github.com/SegmentationBLWX/sssegmentation/issues/54: frozen parameters are handed to the optimizer.
# named: frozen_included
def parameter_groups(model, body_rate, head_rate):
    return [
        {"params": list(model.body.parameters()), "lr": body_rate},
        {"params": list(model.head.parameters()), "lr": head_rate},
    ]


# %% exercise="finetuning.trainable" kept
# https://github.com/kevinzakka/pytorch-goodies/pull/3: frozen parameters are counted too.
# named: counts_everything
def trainable(model):
    return sum(p.numel() for p in model.parameters())


# %% exercise="finetuning.wilson"
# https://github.com/clux/decay/issues/6: z²/4n, divided by n already, is divided by n once more under the root.
# named: square_divided_twice
def wilson(correct, n, z):
    p = correct / n
    zzfn = z * z / (4 * n)
    root = z * math.sqrt((zzfn / n + p * (1 - p)) / n)
    below = 1 + 4 * zzfn
    return (p + 2 * zzfn - root) / below, (p + 2 * zzfn + root) / below


# %% exercise="finetuning.wilson" kept
# https://github.com/rpruim/fastR2/issues/15: the plus-four interval stands where Wilson's should.
def wilson(correct, n, z):
    n_plus = n + 4
    p_plus = (correct + 2) / n_plus
    se = math.sqrt(p_plus * (1 - p_plus) / n_plus)
    return p_plus - z * se, p_plus + z * se


# %% exercise="finetuning.wilson"
# https://github.com/opentargets/gentropy/pull/268: the standard error isn't multiplied by z.
# named: z_missing
def wilson(correct, n, z):
    p_hat = correct / n
    denominator = 1 + z * z / n
    middle = (p_hat + z * z / (2 * n)) / denominator
    error = math.sqrt(p_hat * (1 - p_hat) / n + z * z / (4 * n * n)) / denominator
    return middle - error, middle + error


# %% exercise="finetuning.t_interval" kept
# https://github.com/Novartis/xgxr/issues/48: the quantile is that of n degrees of freedom.
# named: degrees_are_n
def t_interval(values, quantiles):
    n = len(values)
    mu = sum(values) / n
    var = sum((v - mu) ** 2 for v in values) / (n - 1)
    q = quantiles[n]
    return mu - q * math.sqrt(var / n), mu + q * math.sqrt(var / n)


# %% exercise="finetuning.t_interval"
# https://github.com/neulab/ExplainaBoard/pull/599: the deviation of the values stands for that of their mean.
# named: deviation_for_error
def t_interval(values, quantiles):
    x = torch.tensor(values, dtype=torch.float64)
    spread = quantiles[len(values) - 1] * float(x.std())
    return float(x.mean()) - spread, float(x.mean()) + spread


# %% exercise="finetuning.t_interval" kept
# https://github.com/jaketmp/pyCompare/issues/10: the normal quantile is taken instead of Student's.
# named: normal_quantile
def t_interval(values, quantiles):
    n = len(values)
    md = sum(values) / n
    sd = math.sqrt(sum((v - md) ** 2 for v in values) / (n - 1))
    sem = sd / math.sqrt(n)
    return md - 1.96 * sem, md + 1.96 * sem


# %% exercise="finetuning.t_interval"
# https://github.com/mwegrzyn/language-performance/issues/27: the deviation is divided by n, as np.std does.
# named: divided_by_n
def t_interval(values, quantiles):
    data = torch.tensor(values, dtype=torch.float64)
    n = data.numel()
    half = quantiles[n - 1] * data.std(unbiased=False).item() / n**0.5
    centre = data.mean().item()
    return centre - half, centre + half


# %% exercise="finetuning.tfidf" kept
# https://github.com/tidymodels/textrecipes/issues/264: the rarity is log(1 + N/n).
# named: one_added_to_the_quotient
def tfidf(train, counts):
    N = train.size(0)
    n_j = (train > 0).sum(dim=0)
    idf = torch.log(1 + N / n_j)
    return F.normalize(counts * idf, dim=1)


# %% exercise="finetuning.tfidf"
# https://github.com/scikit-learn/scikit-learn/issues/8207: the brackets of the formula are lost, (1 + n) / 1 + df.
# named: brackets_forgotten
def tfidf(train, counts):
    n = train.shape[0]
    df = (train > 0).sum(dim=0)
    idf = torch.log((1 + n) / 1 + df) + 1
    tf_idf = counts * idf
    return tf_idf / tf_idf.norm(dim=1, keepdim=True)


# %% exercise="finetuning.tfidf" kept
# https://github.com/cole-trapnell-lab/garnett/issues/31: occurrences are summed where texts should be counted.
# named: occurrences_counted
def tfidf(train, counts):
    idf = torch.log((1 + len(train)) / (1 + train.sum(dim=0))) + 1
    return F.normalize(counts * idf, dim=-1)


# %% exercise="finetuning.adapter"
# https://github.com/Blaizzy/mlx-vlm/issues/841: the change is multiplied by alpha, not by alpha / rank.
# named: ScaledByAlpha
class LoRALinear(torch.nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        update = F.linear(F.linear(x, self.A), self.B)
        return self.linear(x) + self.alpha * update


# %% exercise="finetuning.merged" kept
# https://github.com/hao-ai-lab/FastVideo/pull/870: the change is merged without alpha / rank.
# named: merged_not_scaled
def merged_weight(weight, A, B, alpha):
    data = weight.clone()
    data += torch.matmul(B, A)
    return data
