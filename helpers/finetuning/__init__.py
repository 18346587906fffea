"""Fine-tuning: what lesson 09 asks for."""

from helpers.finetuning.reference import (
    PAD,
    T_95,
    Classifier,
    LoRALinear,
    class_loss,
    freeze,
    last_real,
    match_state_dict,
    mean_real,
    merged_weight,
    parameter_groups,
    t_interval,
    tfidf,
    trainable,
    transfer,
    wilson,
)
