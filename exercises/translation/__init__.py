"""The exercises on translation."""
