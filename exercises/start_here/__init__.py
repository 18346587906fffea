"""The exercise of the start page."""
