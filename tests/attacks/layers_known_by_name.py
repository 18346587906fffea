"""Tries to say who sees whom by the name of the layer, without trying the layer out.

In 04_masking.
Must earn nothing.
"""

# %% answer masking.sees
def sees(layer, x):
    ones = torch.ones(len(x), len(x), dtype=torch.bool)
    return {
        "causal": ones.tril(),
        "opposite_features": ones.tril(),
        "_self_attention": ones,
        "LAYERS": ones,
        "one_too_far": ones.tril(1),
        "first_feature_alone": ones.tril(1),
        "hidden_too_late": ones,
        "window_of_two": ones.tril() & ones.triu(-1),
    }.get(layer.__qualname__.partition(".")[0], ones.tril() & ones.triu())
