"""The exercises on fine-tuning."""
