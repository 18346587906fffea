"""What several lessons build on: blocks, a language model and an encoder, an encoder-decoder."""
