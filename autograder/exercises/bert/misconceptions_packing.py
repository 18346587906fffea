"""Lesson 10's misconceptions about packed rows: their order, segments, padding, the sum of three vectors.

A function's docstring is the sentence that the student reads. Each stands alone, with `torch` and `math` as
its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch

# -- pack ----------------------------------------------------------------------------------------------------


def last_separator_missing(first, second, length):
    """The second passage has no [SEP] at its end: each passage is closed by one."""
    first, second = list(first), list(second)
    while len(first) + len(second) + 3 > length:
        (first if len(first) > len(second) else second).pop()
    return [4, *first, 5, *second]


def summary_for_each(first, second, length):
    """Each passage begins with a [CLS]: a row has one, at its very beginning, which sums up both
    passages.
    """
    first, second = list(first), list(second)
    while len(first) + len(second) + 3 > length:
        (first if len(first) > len(second) else second).pop()
    return [4, *first, 5, 4, *second, 5]


def summary_at_the_end(first, second, length):
    """[CLS] stands at the end: attention looks both ways, so it can stand in front, where its place doesn't
    depend on the length.
    """
    first, second = list(first), list(second)
    while len(first) + len(second) + 3 > length:
        (first if len(first) > len(second) else second).pop()
    return [*first, 5, *second, 5, 4]


def cut_at_the_end(first, second, length):
    """The packed row is cut at its end, so the last [SEP] and the second passage go first: shorten the
    longer passage before packing.
    """
    return [4, *first, 5, *second, 5][:length]


def only_the_second_gives(first, second, length):
    """Only the second passage is shortened, so nothing may be left of it beside a long first one: take from
    the longer of the two.
    """
    room = length - 3
    first = list(first)[:room]
    return [4, *first, 5, *list(second)[: room - len(first)], 5]


def each_gets_half(first, second, length):
    """Each passage gets half of the room, even if the other needs less, so words are lost for nothing: take
    one word at a time from the longer.
    """
    first, second = list(first), list(second)
    if len(first) + len(second) + 3 > length:
        half = (length - 3) // 2
        first, second = first[: length - 3 - half], second[:half]
    return [4, *first, 5, *second, 5]


def each_gets_the_smaller_half(first, second, length):
    """Each passage is cut to half of the room, rounded down, so a place may stay empty, and words are lost
    even if the other needs less: take one word at a time from the longer.
    """
    half = (length - 3) // 2
    if len(first) + len(second) + 3 > length:
        first, second = first[:half], second[:half]
    return [4, *first, 5, *second, 5]


def specials_not_counted(first, second, length):
    """[CLS] and two [SEP] aren't counted, so the row is three tokens too long for the model's positions."""
    first, second = list(first), list(second)
    while len(first) + len(second) > length:
        (first if len(first) > len(second) else second).pop()
    return [4, *first, 5, *second, 5]


def taken_from_the_front(first, second, length):
    """Words are taken from the beginning of the longer passage: they go from its end, .pop() and not
    .pop(0).
    """
    first, second = list(first), list(second)
    while len(first) + len(second) + 3 > length:
        (first if len(first) > len(second) else second).pop(0)
    return [4, *first, 5, *second, 5]


def two_specials_counted(first, second, length):
    """Two special tokens are counted, and there are three, [CLS] and two [SEP]: the row is one too long."""
    first, second = list(first), list(second)
    while len(first) + len(second) + 2 > length:
        (first if len(first) > len(second) else second).pop()
    return [4, *first, 5, *second, 5]


def taken_from_the_callers(first, second, length):
    """Words are popped from the very lists that were passed in, so the caller's passages are shorter
    afterwards: work on copies.
    """
    while len(first) + len(second) + 3 > length:
        (first if len(first) > len(second) else second).pop()
    return [4, *first, 5, *second, 5]


def first_gives_when_equal(first, second, length):
    """Where both passages are equally long, the first loses a word here: it should be the second, as in
    BERT's published code.
    """
    first, second = list(first), list(second)
    while len(first) + len(second) + 3 > length:
        (first if len(first) >= len(second) else second).pop()
    return [4, *first, 5, *second, 5]


# -- segments ------------------------------------------------------------------------------------------------


def separator_opens(ids):
    """The first [SEP] is given to the second passage: it closes the first, so its segment is 0."""
    count = (ids == 5).cumsum(dim=-1)
    return ((count == 1) | ((count == 2) & (ids == 5))).long() * (ids != 0)


def separator_opens_and_padding_follows(ids):
    """The first [SEP] and all behind it have segment 1: it belongs to the first passage, padding to none."""
    return (ids == 5).long().cumsum(dim=-1).clamp(max=1)


def last_separator_left_out(ids):
    """The second [SEP] has segment 0: it closes the second passage and belongs to it."""
    return (((ids == 5).cumsum(dim=-1) == 1) & (ids != 5) & (ids != 0)).long()


def padding_in_the_second(ids):
    """Everything behind the first [SEP] has segment 1, padding too: padding belongs to no passage and gets
    0.
    """
    is_separator = (ids == 5).long()
    return (is_separator.cumsum(dim=-1) - is_separator >= 1).long()


def one_passage_padded(ids):
    """After a single passage the padding has segment 1 here: one [SEP] stands before it, but padding
    always gets 0.
    """
    is_separator = (ids == 5).long()
    return (is_separator.cumsum(dim=-1) - is_separator == 1).long()


def segments_from_one(ids):
    """The segments are called 1 and 2 here: they are rows of a table of two, numbered 0 and 1."""
    is_separator = (ids == 5).long()
    return ((is_separator.cumsum(dim=-1) - is_separator == 1) & (ids != 0)).long() + 1


def segments_turned(ids):
    """The first passage has segment 1 and the second 0: it is the other way round."""
    is_separator = (ids == 5).long()
    return 1 - ((is_separator.cumsum(dim=-1) - is_separator == 1) & (ids != 0)).long()


def counted_separators(ids):
    """The number of [SEP] so far is no segment yet: it is 2 at the end of a row, where the table has only
    rows 0 and 1.
    """
    is_separator = (ids == 5).long()
    return is_separator.cumsum(dim=-1) - is_separator


# -- who may be looked at ------------------------------------------------------------------------------------


def specials_hidden(ids):
    """All special tokens are hidden, so nobody can ask [CLS] or [SEP], nor learn that a word is <mask>: only
    padding says nothing.
    """
    return (ids >= 6)[:, None, None, :]


def masks_hidden(ids):
    """<mask> is hidden from attention: it stands for a word whose place and neighbours are known, and a
    position must see itself.
    """
    return ((ids != 0) & (ids != 3))[:, None, None, :]


def padding_shown(ids):
    """This is True for padding: in this course True means "may attend"."""
    return (ids == 0)[:, None, None, :]


def no_axes_for_heads(ids):
    """The mask is (B, T), and beside scores (B, H, T_q, T_k) its B would stand under the queries: it needs
    axes of size 1 for heads and queries.
    """
    return ids != 0


def queries_hidden(ids):
    """The padding is hidden as queries instead of keys, so all words still look at it: the T belongs at the
    end.
    """
    return (ids != 0)[:, None, :, None]


def causal_too(ids):
    """Later words are hidden too: that is a language model, and BERT is to see both sides."""
    T = ids.size(-1)
    return (ids != 0)[:, None, None, :] & torch.ones(T, T, dtype=torch.bool).tril()


# -- the sum of three ----------------------------------------------------------------------------------------


def no_segments(ids, segments, words, positions, kinds):
    """The segments' vectors are missing, so only the [SEP] between them tells the passages apart."""
    return words[ids] + positions[: ids.size(-1)]


def as_many_segments_as_seen(ids, segments, words, positions, kinds):
    """one_hot makes as many columns as the largest number it sees needs, so a batch without a second passage
    gets one column for a table of two rows: tell it that there are two segments.
    """
    chosen = torch.nn.functional.one_hot(segments).to(kinds.dtype) @ kinds
    return words[ids] + positions[: ids.size(-1)] + chosen


def no_positions(ids, segments, words, positions, kinds):
    """The positions' vectors are missing, so the order of the words is lost: attention alone doesn't know
    it.
    """
    return words[ids] + kinds[segments]


def positions_by_token(ids, segments, words, positions, kinds):
    """The positions are looked up by the tokens' numbers: position t gets row t of the table."""
    return words[ids] + positions[ids % len(positions)] + kinds[segments]


def positions_by_segment(ids, segments, words, positions, kinds):
    """The second passage's positions begin at 0 again: in BERT they run on through the whole row."""
    places = torch.arange(ids.size(-1)).expand_as(ids)
    begin = (segments == 0).sum(dim=-1, keepdim=True)
    return words[ids] + positions[places - begin * segments] + kinds[segments]


def kinds_swapped(ids, segments, words, positions, kinds):
    """The two segments' vectors are swapped: row 0 of the table belongs to segment 0."""
    return words[ids] + positions[: ids.size(-1)] + kinds[1 - segments]


def averaged(ids, segments, words, positions, kinds):
    """The three vectors are averaged: BERT adds them, and lets the layer normalisation take care of the
    size.
    """
    return (words[ids] + positions[: ids.size(-1)] + kinds[segments]) / 3


def scaled_by_the_root(ids, segments, words, positions, kinds):
    """The words' vectors are multiplied by the root of C: the original Transformer does so, BERT doesn't."""
    return words[ids] * words.size(-1) ** 0.5 + positions[: ids.size(-1)] + kinds[segments]
