"""The references' mutants: made, tried, recorded, and told to the check in words."""
