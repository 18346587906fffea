# %% [markdown]
# # 13 · Posttraining
#
# - **You will learn** TODO: what, in a sentence or two.
# - **You need** TODO: which lessons, and what from each.
# - **Time** {minutes} minutes.

# %% setup=true
import torch

from helpers.checks import check
