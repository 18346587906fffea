"""Lesson 10's misconceptions about what BERT reads: masking, pairs, packing, segments, the embedding.

A function's docstring is the sentence that the student reads. Each stands alone, with `torch` and `math` as
its only names, so that the class simulator can paste it.
"""

# ruff: noqa: D205  (a sentence may take two lines)

import torch

# -- masking -------------------------------------------------------------------------------------------------


def special_tokens_too(ids, vocabulary, generator, share=0.15):
    """Special tokens are chosen too, so that the model is asked to guess [CLS], [SEP] and padding: only
    numbers from 6 on are words.
    """
    chosen = torch.rand(ids.shape, generator=generator) < share
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    return torch.where(chosen & (fate >= 0.9), others, read), torch.where(chosen, ids, -100)


def labels_everywhere(ids, vocabulary, generator, share=0.15):
    """Every position has a label, so the loss would count words that stand there to be copied: where
    nothing was chosen the label is -100.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    return torch.where(chosen & (fate >= 0.9), others, read), ids.clone()


def labels_of_what_is_read(ids, vocabulary, generator, share=0.15):
    """The labels are taken after the masking, so the answer to a blank is <mask>: a label is the word that
    stood there before.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    read = torch.where(chosen & (fate >= 0.9), others, read)
    return read, torch.where(chosen, read, -100)


def zero_for_no_label(ids, vocabulary, generator, share=0.15):
    """Positions that weren't chosen get the label 0, which is <pad>, so the model would learn to say <pad>
    nearly everywhere: the loss skips -100.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    return torch.where(chosen & (fate >= 0.9), others, read), torch.where(chosen, ids, 0)


def always_mask(ids, vocabulary, generator, share=0.15):
    """All chosen words become <mask>, a token that the model never meets after pretraining: one chosen word
    in ten becomes another word, and one in ten stays, by a second draw, not the one that chose them.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    return torch.where(chosen, 3, ids), torch.where(chosen, ids, -100)


def any_token_as_the_other(ids, vocabulary, generator, share=0.15):
    """The other word is drawn from all numbers, special tokens included: words begin at 6."""
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(0, vocabulary, ids.shape, generator=generator)
    others = torch.where(others == 3, 0, others)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    return torch.where(chosen & (fate >= 0.9), others, read), torch.where(chosen, ids, -100)


def fate_of_all_words(ids, vocabulary, generator, share=0.15):
    """Each word has a fate, whether it was chosen or not, so 80 % of the whole text is hidden: the 80, 10
    and 10 % are of the chosen words.
    """
    word = ids >= 6
    chosen = (torch.rand(ids.shape, generator=generator) < share) & word
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(word & (fate < 0.8), 3, ids)
    return torch.where(word & (fate >= 0.9), others, read), torch.where(chosen, ids, -100)


def one_draw_for_all_rows(ids, vocabulary, generator, share=0.15):
    """The draws have the shape (T,), so all rows lose the words at the same places: each token has a draw of
    its own, with the shape of ids.
    """
    size = ids.size(-1)
    chosen = (torch.rand(size, generator=generator) < share) & (ids >= 6)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    return torch.where(chosen & (fate >= 0.9), others, read), torch.where(chosen, ids, -100)


def tenth_of_the_rest(ids, vocabulary, generator, share=0.15):
    """Far fewer than 10 % of the chosen become another word: either a tenth of what <mask> has left does,
    where half of it should, or <mask> is written over most of the other words.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    hidden = chosen & (torch.rand(ids.shape, generator=generator) < 0.8)
    other = chosen & ~hidden & (torch.rand(ids.shape, generator=generator) < 0.1)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(other, others, torch.where(hidden, 3, ids))
    return read, torch.where(chosen, ids, -100)


def none_stays(ids, vocabulary, generator, share=0.15):
    """Whatever doesn't become <mask> becomes another word, so none of the chosen stays: the model would learn
    that a chosen word is never the one that stands there.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    hidden = torch.rand(ids.shape, generator=generator) < 0.8
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen, torch.where(hidden, 3, others), ids)
    return read, torch.where(chosen, ids, -100)


def two_separate_draws(ids, vocabulary, generator, share=0.15):
    """<mask> and another word are drawn apart from each other, so the second overwrites some of the first:
    one draw decides among the three, or the second draw looks only at what is left.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    hidden = chosen & (torch.rand(ids.shape, generator=generator) < 0.8)
    other = chosen & (torch.rand(ids.shape, generator=generator) < 0.1)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(other, others, torch.where(hidden, 3, ids))
    return read, torch.where(chosen, ids, -100)


def labels_for_masks_alone(ids, vocabulary, generator, share=0.15):
    """Only <mask> has a label: words that were replaced or kept need one too, or else nothing would
    tell the model to doubt what it reads.
    """
    chosen = (torch.rand(ids.shape, generator=generator) < share) & (ids >= 6)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    labels = torch.where(read == 3, ids, -100)
    return torch.where(chosen & (fate >= 0.9), others, read), labels


def generator_ignored(ids, vocabulary, generator, share=0.15):
    """The random numbers don't come from the generator, so nobody can repeat the experiment: pass
    generator=generator to each draw.
    """
    chosen = (torch.rand(ids.shape) < share) & (ids >= 6)
    fate = torch.rand(ids.shape)
    others = torch.randint(6, vocabulary, ids.shape)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    return torch.where(chosen & (fate >= 0.9), others, read), torch.where(chosen, ids, -100)


def share_ignored(ids, vocabulary, generator, share=0.15):
    """15 % are chosen whatever `share` says: it is an argument so that an experiment can ask for more."""
    chosen = (torch.rand(ids.shape, generator=generator) < 0.15) & (ids >= 6)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(6, vocabulary, ids.shape, generator=generator)
    read = torch.where(chosen & (fate < 0.8), 3, ids)
    return torch.where(chosen & (fate >= 0.9), others, read), torch.where(chosen, ids, -100)


# -- pairs ---------------------------------------------------------------------------------------------------


def sometimes_itself(documents, generator):
    """The stranger is drawn from all documents, so now and then it is the document itself, a true pair with
    the label 0: leave its own number out of the draw.
    """
    pairs = []
    for first, second in documents:
        own = bool(torch.rand((), generator=generator) < 0.5)
        stranger = documents[int(torch.randint(len(documents), (), generator=generator))][1]
        pairs.append((first, second if own else stranger, int(own)))
    return pairs


def labels_turned(documents, generator):
    """The labels are the wrong way round: 1 is for a second part that is the document's own."""
    pairs = []
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand((), generator=generator) < 0.5)
        at = number + int(torch.randint(1, len(documents), (), generator=generator))
        pairs.append((first, second if own else documents[at % len(documents)][1], int(not own)))
    return pairs


def every_other_document(documents, generator):
    """Every other document is true, the same ones each time, so a model could learn by heart which are:
    draw anew for each pair.
    """
    pairs = []
    for number, (first, second) in enumerate(documents):
        at = number + int(torch.randint(1, len(documents), (), generator=generator))
        stranger = documents[at % len(documents)][1]
        pairs.append((first, stranger if number % 2 else second, 1 - number % 2))
    return pairs


def one_draw_for_all(documents, generator):
    """One draw decides for all documents, so a call gives only true pairs or only false ones: draw for each
    document.
    """
    pairs = []
    own = bool(torch.rand((), generator=generator) < 0.5)
    for number, (first, second) in enumerate(documents):
        at = number + int(torch.randint(1, len(documents), (), generator=generator))
        pairs.append((first, second if own else documents[at % len(documents)][1], int(own)))
    return pairs


def last_step_never_drawn(documents, generator):
    """One document never gives the stranger, since torch.randint doesn't draw its upper bound itself: with
    two documents there is nothing left to draw from.
    """
    pairs = []
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand((), generator=generator) < 0.5)
        at = number + int(torch.randint(1, len(documents) - 1, (), generator=generator))
        pairs.append((first, second if own else documents[at % len(documents)][1], int(own)))
    return pairs


def always_the_next(documents, generator):
    """The stranger is always the next document's second part, so each pair of texts comes again and again:
    draw it from all others.
    """
    pairs = []
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand((), generator=generator) < 0.5)
        stranger = documents[(number + 1) % len(documents)][1]
        pairs.append((first, second if own else stranger, int(own)))
    return pairs


def first_part_of_a_stranger(documents, generator):
    """The stranger gives its *first* part, and a model could tell it by how a text begins: the second
    passage is always a second part.
    """
    pairs = []
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand((), generator=generator) < 0.5)
        at = number + int(torch.randint(1, len(documents), (), generator=generator))
        pairs.append((first, second if own else documents[at % len(documents)][0], int(own)))
    return pairs


def one_in_three(documents, generator):
    """True and false aren't half and half, so a model that always says the same beats chance: the draw is
    against 0.5.
    """
    pairs = []
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand((), generator=generator) < 1 / 3)
        at = number + int(torch.randint(1, len(documents), (), generator=generator))
        pairs.append((first, second if own else documents[at % len(documents)][1], int(own)))
    return pairs


def pairs_without_the_generator(documents, generator):
    """The random numbers don't come from the generator, so the same seed gives other pairs: pass
    generator=generator to each draw.
    """
    pairs = []
    for number, (first, second) in enumerate(documents):
        own = bool(torch.rand(()) < 0.5)
        at = number + int(torch.randint(1, len(documents), ()))
        pairs.append((first, second if own else documents[at % len(documents)][1], int(own)))
    return pairs
