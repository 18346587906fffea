"""What is read of an answer's code."""
