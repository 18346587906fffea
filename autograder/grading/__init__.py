"""From submissions to verdicts, with the reason for each."""
