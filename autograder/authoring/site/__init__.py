"""The lessons as a static website: executed once, solutions taken out, and read without a kernel."""
