"""Other right answers to the exercises of lesson 09, as students write them."""

# ruff: noqa: D101, D103

import math

import torch

from helpers.finetuning import match_state_dict


def last_by_gather(hidden, real):
    lengths = real.long().sum(dim=1)
    index = (lengths - 1).view(-1, 1, 1).expand(-1, 1, hidden.size(-1))
    return hidden.gather(1, index).squeeze(1)


def last_by_loop(hidden, real):
    rows = []
    for review, mask in zip(hidden, real, strict=True):
        rows.append(review[mask][-1])
    return torch.stack(rows)


def last_by_change(hidden, real):
    following = torch.cat([real[:, 1:], torch.zeros_like(real[:, :1])], dim=1)
    return (hidden * (real & ~following).unsqueeze(-1)).sum(dim=1)


def mean_by_loop(hidden, real):
    return torch.stack([review[mask].mean(dim=0) for review, mask in zip(hidden, real, strict=True)])


def mean_by_fill(hidden, real):
    kept = hidden.masked_fill(~real.unsqueeze(-1), 0.0)
    return kept.sum(dim=1) / real.sum(dim=1).unsqueeze(-1)


def mean_by_weights(hidden, real):
    weights = real.to(hidden.dtype)
    weights = weights / weights.sum(dim=1, keepdim=True)
    return torch.einsum("bt,btc->bc", weights, hidden)


class StepByStep(torch.nn.Module):
    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        hidden = self.body(ids)
        real = ids.ne(0)
        vectors = self.pool(hidden, real)
        return self.head(vectors)


class ByWeights(torch.nn.Module):
    def __init__(self, body, d_model, n_classes, pool):
        super().__init__()
        self.body = body
        self.head = torch.nn.Linear(d_model, n_classes)
        self.pool = pool

    def forward(self, ids):
        one_for_each = self.pool(self.body(ids), ids > 0)
        return one_for_each @ self.head.weight.T + self.head.bias


def fits_with_comprehensions(old, new, prefix):
    body = [name for name in new if name.startswith(prefix)]
    known = [name for name in body if name[len(prefix) :] in old]
    fits = [name for name in known if old[name[len(prefix) :]].shape == new[name].shape]
    return {
        "fits": fits,
        "other shape": [name for name in known if name not in fits],
        "missing": [name for name in body if name not in known],
        "left over": [name for name in old if f"{prefix}{name}" not in new],
    }


def fits_step_by_step(old, new, prefix):
    fits, other, missing, used = [], [], [], []
    for name in new:
        if not name.startswith(prefix):
            continue
        short = name.replace(prefix, "", 1)
        if short not in old:
            missing.append(name)
            continue
        used.append(short)
        if tuple(old[short].shape) == tuple(new[name].shape):
            fits.append(name)
        else:
            other.append(name)
    left = [name for name in old if name not in used]
    return {"fits": fits, "other shape": other, "missing": missing, "left over": left}


def transfer_by_loop(old, new, prefix):
    result = {name: tensor.clone() for name, tensor in new.items()}
    for name in match_state_dict(old, new, prefix)["fits"]:
        result[name] = old[name[len(prefix) :]].clone()
    return result


def transfer_from_the_old(old, new, prefix):
    result = {}
    for name, tensor in new.items():
        source = old.get(name[len(prefix) :]) if name.startswith(prefix) else None
        if source is None or source.shape != tensor.shape:
            source = tensor
        result[name] = source.detach().clone()
    return result


def freeze_by_loop(model):
    for parameter in model.body.parameters():
        parameter.requires_grad = False


def freeze_by_name(model):
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(name.startswith("head"))


def trainable_by_loop(model):
    total = 0
    for parameter in model.parameters():
        if parameter.requires_grad:
            total += math.prod(parameter.shape)
    return total


def trainable_by_difference(model):
    everything = sum(p.numel() for p in model.parameters())
    frozen = sum(p.numel() for p in model.parameters() if not p.requires_grad)
    return everything - frozen


def groups_by_name(model, body_rate, head_rate):
    body, head = [], []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            (head if name.startswith("head.") else body).append(parameter)
    groups = []
    if body:
        groups.append({"params": body, "lr": body_rate})
    if head:
        groups.append({"params": head, "lr": head_rate})
    return groups


def groups_one_each(model, body_rate, head_rate):
    groups = [{"params": [p], "lr": body_rate} for p in model.body.parameters() if p.requires_grad]
    return groups + [{"params": [p], "lr": head_rate} for p in model.head.parameters() if p.requires_grad]


def wilson_multiplied_out(correct, n, z):
    middle = correct + z * z / 2
    spread = z * (correct * (n - correct) / n + z * z / 4) ** 0.5
    return (middle - spread) / (n + z * z), (middle + spread) / (n + z * z)


def wilson_as_roots(correct, n, z):
    share = correct / n
    a, b, c = 1 + z**2 / n, -(2 * share + z**2 / n), share**2
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def t_with_torch(values, quantiles):
    numbers = torch.tensor(values, dtype=torch.float64)
    half = quantiles[len(values) - 1] * numbers.std() / math.sqrt(len(values))
    return (numbers.mean() - half).item(), (numbers.mean() + half).item()


def t_step_by_step(values, quantiles):
    count, total = len(values), 0.0
    mean = sum(values) / count
    for value in values:
        total += (value - mean) * (value - mean)
    deviation = math.sqrt(total / (count - 1))
    error = deviation / math.sqrt(count)
    return [mean - quantiles[count - 1] * error, mean + quantiles[count - 1] * error]


def tfidf_with_normalize(train, counts):
    N = train.size(0)
    df = train.gt(0).to(counts.dtype).sum(0)
    idf = 1 + torch.log((N + 1) / (df + 1))
    return torch.nn.functional.normalize(counts * idf, dim=1)


def tfidf_by_hand(train, counts):
    df = torch.count_nonzero(train, dim=0)
    weighted = counts * (math.log(len(train) + 1) - torch.log(df + 1.0).to(counts.dtype) + 1)
    return weighted / weighted.pow(2).sum(dim=1, keepdim=True).sqrt()


class AsLinearMaps(torch.nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        scale = self.alpha / self.rank
        inner = torch.nn.functional.linear(x, self.A)
        return self.linear(x) + torch.nn.functional.linear(inner, self.B) * scale


class WithOneWeight(torch.nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        weight = self.linear.weight + (self.B @ self.A) * (self.alpha / self.rank)
        return x @ weight.T + self.linear.bias


class WithEinsum(torch.nn.Module):
    def __init__(self, linear, rank, alpha):
        super().__init__()
        self.linear = linear.requires_grad_(False)
        self.A = torch.nn.Parameter(torch.randn(rank, linear.in_features) / math.sqrt(linear.in_features))
        self.B = torch.nn.Parameter(torch.zeros(linear.out_features, rank))
        self.rank, self.alpha = rank, alpha

    def forward(self, x):
        change = torch.einsum("...i,ri,or->...o", x, self.A, self.B)
        return self.linear(x) + self.alpha * change / self.rank


def merged_with_addmm(weight, A, B, alpha):
    return torch.addmm(weight, B, A, alpha=alpha / A.size(0))


def merged_by_columns(weight, A, B, alpha):
    result = weight.clone()
    rank = A.shape[0]
    for k in range(rank):
        result += alpha / rank * torch.outer(B[:, k], A[k])
    return result


def merged_with_einsum(weight, A, B, alpha):
    r = B.size(1)
    return weight + torch.einsum("or,ri->oi", B, A) * (alpha / r)
