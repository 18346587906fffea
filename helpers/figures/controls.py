"""What all explorers share: a control's label, and the words of a typed sentence."""

import re


def labelled(name: str) -> dict:
    """A control's label, and the same as its tooltip, which is what a screen reader finds."""
    width = {"style": {"description_width": "100px"}, "layout": {"width": "min(560px, 95%)"}}
    return {"description": name, "tooltip": name, **width}


def tokens_of(sentence: str) -> list[str]:
    """The words of a sentence, in lower case."""
    return re.findall(r"[^\W_]+(?:['’][^\W_]+)?", sentence.lower())
