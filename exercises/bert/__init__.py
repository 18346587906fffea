"""The exercises on BERT."""
