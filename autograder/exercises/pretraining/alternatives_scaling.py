"""Other right answers on sizes and budgets, each written differently from the reference."""

# ruff: noqa: D103  (their names say it)

import math

import torch


def best_size_with_numpy(sizes, gaps):
    import numpy as np

    a, b, _ = np.polyfit(np.log(np.asarray(sizes)), np.log(np.asarray(gaps)), 2)
    return float(np.exp(-b / (2 * a)))


def best_size_centred(sizes, gaps):
    x, y = sizes.log(), gaps.log()
    middle = x.mean()
    rows = torch.stack([(x - middle) ** 2, x - middle, torch.ones_like(x)], dim=1)
    solution = torch.linalg.pinv(rows) @ y
    return torch.exp(middle - solution[1] / solution[0] / 2)


def best_size_by_normal_equations(sizes, gaps):
    x = torch.log(sizes)
    shift = x[0].item()
    X = torch.vander(x - shift, 3)
    p = torch.linalg.solve(X.T @ X, X.T @ torch.log(gaps))
    return math.exp(shift - p[1].item() / (2 * p[0].item()))


def optimal_with_numpy(budgets, best, flops):
    import numpy as np

    slope, offset = np.polyfit(np.log(np.asarray(budgets)), np.log(np.asarray(best)), 1)
    N = np.exp(slope * np.log(flops) + offset)
    return N, flops / 6 / N


def optimal_by_covariance(budgets, best, flops):
    x, y = budgets.log(), best.log()
    dx = x - x.mean()
    slope = (dx * y).sum() / (dx * dx).sum()
    size = torch.exp(y.mean() + slope * (math.log(flops) - x.mean()))
    tokens = flops / (6 * size)
    return size.item(), tokens.item()


def optimal_with_lstsq(budgets, best, flops):
    rows = torch.stack([torch.log(budgets), torch.ones_like(budgets)], dim=1)
    line = torch.linalg.lstsq(rows, torch.log(best).unsqueeze(1)).solution.squeeze(1)
    log_size = line[0] * math.log(flops) + line[1]
    return log_size.exp(), (math.log(flops) - math.log(6) - log_size).exp()
