"""Bugs that people reported in public, as answers to our exercises: see README.md."""
