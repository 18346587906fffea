"""From submissions to verdicts, and on to the gradebook."""
