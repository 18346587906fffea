"""A model that answers: requests, preferences and rewards."""

from helpers.posttraining.reference import (
    advantages,
    answer_log_probability,
    answer_mask,
    clipped,
    dpo_loss,
    exact_match,
    grow,
    kl,
    kl_estimates,
    likelier,
    log_probabilities,
    pad,
    pass_at_k,
    policy_gradient,
    reward,
    sft_loss,
    template,
    true_share,
)
