"""The exercises on positions."""
