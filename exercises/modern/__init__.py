"""The exercises on what has come since 2017."""
