"""Figures, how they are shown, and what all explorers share. A lesson's own are in its folder."""
