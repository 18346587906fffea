"""The exercises on masks."""
