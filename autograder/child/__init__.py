"""All that the sandbox shows of ours: it runs student code and knows nothing secret."""
