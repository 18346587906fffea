"""What is said of an answer that is wrong."""
