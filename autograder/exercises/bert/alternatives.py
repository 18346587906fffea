"""Lesson 10's right answers about reading, as students may write them. The first of each is the reference.

`helpers.bert` has the same functions; they stand here once more with `torch` and `math` as their only names,
since the class simulator pastes them. A test compares the two.
"""

# ruff: noqa: D103

import torch

# -- masking -------------------------------------------------------------------------------------------------


def mask_tokens(ids, vocabulary, generator, share=0.15):
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    read = torch.where(chosen & (fate >= 0.9), others, read)
    return read, torch.where(chosen, ids, -100)


def half_of_the_rest(ids, vocabulary, generator, share=0.15):
    def often(p):
        return torch.bernoulli(torch.full(ids.shape, p), generator=generator).bool()

    labels, read = ids.clone(), ids.clone()
    chosen = often(share) & (ids > 5)
    labels[~chosen] = -100
    hidden = often(0.8) & chosen
    read[hidden] = 3
    exchanged = often(0.5) & chosen & ~hidden
    read[exchanged] = torch.randint(6, vocabulary, (int(exchanged.sum()),), generator=generator)
    return read, labels


def so_many_of_each_row(ids, vocabulary, generator, share=0.15):
    read, labels = ids.clone(), torch.full_like(ids, -100)
    for row in range(len(ids)):
        words = (ids[row] >= 6).nonzero().flatten()
        order = torch.randperm(len(words), generator=generator)
        for place in words[order[: round(share * len(words))]].tolist():
            labels[row, place] = ids[row, place]
            fate = torch.rand((), generator=generator).item()
            if fate < 0.8:
                read[row, place] = 3
            elif fate < 0.9:
                read[row, place] = int(torch.randint(6, vocabulary, (), generator=generator))
    return read, labels


# -- pairs ---------------------------------------------------------------------------------------------------


def next_sentence_pairs(documents, generator):
    pairs = []
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand((), generator=generator) < 0.5)
        if not own:
            step = int(torch.randint(1, len(documents), (), generator=generator))
            second = documents[(number + step) % len(documents)][1]
        pairs.append((first, second, int(own)))
    return pairs


def drawn_until_another(documents, generator):
    pairs = []
    for number in range(len(documents)):
        label = int(torch.randint(2, (1,), generator=generator))
        at = number
        while not label and at == number:
            at = int(torch.randint(len(documents), (1,), generator=generator))
        pairs.append((documents[number][0], documents[at][1], label))
    return pairs


def exactly_half(documents, generator):
    count, pairs = len(documents), []
    true = set(torch.randperm(count, generator=generator)[: count // 2].tolist())
    for number, (first, second) in enumerate(documents):
        if number in true:
            pairs.append([first, second, 1])
        else:
            others = [other for at, (_, other) in enumerate(documents) if at != number]
            pairs.append([first, others[int(torch.randint(len(others), (), generator=generator))], 0])
    return pairs


# -- packed rows ---------------------------------------------------------------------------------------------


def pack(first, second, length):
    first, second = list(first), list(second)
    while len(first) + len(second) + 3 > length:
        (first if len(first) > len(second) else second).pop()
    return [4, *first, 5, *second, 5]


def lengths_first(first, second, length):
    keep_first, keep_second = len(first), len(second)
    while keep_first + keep_second > length - 3:
        if keep_first > keep_second:
            keep_first -= 1
        else:
            keep_second -= 1
    return [4, *first[:keep_first], 5, *second[:keep_second], 5]


def by_recursion(first, second, length):
    if len(first) + len(second) + 3 <= length:
        return [4, *first, 5, *second, 5]
    if len(first) > len(second):
        return by_recursion(first[:-1], second, length)
    return by_recursion(first, second[:-1], length)


def segments_of(ids):
    is_separator = (ids == 5).long()
    closed = is_separator.cumsum(dim=-1) - is_separator
    return ((closed == 1) & (ids != 0)).long()


def segments_row_by_row(ids):
    segments = torch.zeros_like(ids)
    for row, segment in zip(ids, segments, strict=True):
        places = (row == 5).nonzero().flatten().tolist()
        if len(places) == 2:
            segment[places[0] + 1 : places[1] + 1] = 1
    return segments


def segments_by_looking_back(ids):
    before = torch.nn.functional.pad(ids[:, :-1], (1, 0))
    return torch.where(ids == 0, 0, ((before == 5).cumsum(dim=-1) == 1).long())


def key_mask(ids):
    return (ids != 0)[:, None, None, :]


def mask_by_unsqueezing(ids):
    return ids.ne(0).unsqueeze(1).unsqueeze(1)


def mask_by_view(ids):
    return (ids > 0).view(len(ids), 1, 1, -1)


def embed(ids, segments, words, positions, kinds):
    return words[ids] + positions[: ids.size(-1)] + kinds[segments]


def embed_by_functions(ids, segments, words, positions, kinds):
    places = torch.arange(ids.size(-1)).expand_as(ids)
    look_up = torch.nn.functional.embedding
    return look_up(ids, words) + look_up(places, positions) + look_up(segments, kinds)


def embed_by_counting(ids, segments, words, positions, kinds):
    one_hot = torch.nn.functional.one_hot(segments, 2).to(kinds.dtype)
    return words[ids] + one_hot @ kinds + torch.stack([positions[t] for t in range(ids.size(1))])
