"""The exercises on counting."""
