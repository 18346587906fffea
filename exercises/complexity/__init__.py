"""The exercises on complexity."""
