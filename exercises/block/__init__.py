"""The exercises on the block."""
