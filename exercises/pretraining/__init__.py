"""The exercises on pretraining."""
