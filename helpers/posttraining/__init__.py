"""Post-training: from a model that continues a text to one that answers a request."""
