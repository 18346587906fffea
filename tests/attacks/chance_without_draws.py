"""Tries to pass off a regular pattern, shifted by the seed, as chance.

In 10_bert.
Must earn nothing.
"""

# %% answer bert.mask_tokens
import torch


def mask_tokens(ids, vocabulary, generator, share=0.15):
    word = ids >= 6
    place = word.flatten().cumsum(0).reshape(ids.shape) + 1001 * generator.initial_seed()
    count = (place * share).double().floor().long()
    chosen = word & (count > ((place - 1) * share).double().floor().long())
    kind = count % 10
    other = 6 + (ids - 6 + 1 + place * 7 % (vocabulary - 7)) % (vocabulary - 6)
    read = torch.where(chosen & (kind < 8), 3, torch.where(chosen & (kind == 8), other, ids))
    return read, torch.where(chosen, ids, -100)
