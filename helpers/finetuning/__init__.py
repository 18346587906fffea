"""Fine-tuning: what lesson 09 asks for."""

from helpers.finetuning.reference import (
    PAD,
    T_95,
    Classifier,
    class_loss,
    freeze,
    last_real,
    match_state_dict,
    mean_real,
    parameter_groups,
    t_interval,
    tfidf,
    trainable,
    transfer,
    wilson,
)
