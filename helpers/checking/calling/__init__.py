"""How an answer is called, and what is recorded of it."""
