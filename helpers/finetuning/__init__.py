"""Fine-tuning: what lesson 08 asks for."""

from helpers.finetuning.reference import (
    PAD,
    T_95,
    Classifier,
    class_loss,
    freeze,
    last_real,
    mean_real,
    moved,
    parameter_groups,
    t_interval,
    tfidf,
    trainable,
    what_fits,
    wilson,
)
