"""BERT: what lesson 10 asks for."""

from helpers.bert.reference import (
    PUBLISHED_NAMES,
    Bert,
    Model,
    PairClassifier,
    WordHead,
    bert_loss,
    blank_left_to_right,
    embed,
    fill_and_mask_again,
    key_mask,
    mask_tokens,
    pack,
    renamed,
)
