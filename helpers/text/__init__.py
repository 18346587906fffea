"""Text for the lessons. `helpers.corpora` is the door."""
