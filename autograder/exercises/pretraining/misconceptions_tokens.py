"""Lesson 08's misconceptions about tokens. A docstring is the sentence that the student reads."""

# ruff: noqa: D205, RUF007  (a sentence may take two lines; students write zip)

from helpers.pretraining import merge_pair

# -- counting pairs ------------------------------------------------------------------------------------------


def words_not_weighted(words):
    """Each word counts once here: its pairs occur as often as the word does in the text."""
    counts = {}
    for word in words:
        tokens = word.split()
        for left, right in zip(tokens[:-1], tokens[1:], strict=True):
            counts[f"{left} {right}"] = counts.get(f"{left} {right}", 0) + 1
    return counts


def once_a_word(words):
    """A pair that stands twice in a word is counted once there: count every place."""
    counts = {}
    for word, times in words.items():
        tokens = word.split()
        pairs = [f"{left} {right}" for left, right in zip(tokens[:-1], tokens[1:], strict=True)]
        for pair in dict.fromkeys(pairs):
            counts[pair] = counts.get(pair, 0) + times
    return counts


def last_word_counts(words):
    """A pair's count is overwritten by the next word that has it: add to it."""
    counts = {}
    for word, times in words.items():
        tokens = word.split()
        for left, right in zip(tokens[:-1], tokens[1:], strict=True):
            counts[f"{left} {right}"] = times
    return counts


def letters_counted(words):
    """These are pairs of letters: a token may have several, and ends at a space."""
    counts = {}
    for word, times in words.items():
        letters = word.replace(" ", "")
        for left, right in zip(letters[:-1], letters[1:], strict=True):
            counts[f"{left} {right}"] = counts.get(f"{left} {right}", 0) + times
    return counts


def tokens_counted(words):
    """These are counts of single tokens: two that stand side by side are one pair."""
    counts = {}
    for word, times in words.items():
        for token in word.split():
            counts[token] = counts.get(token, 0) + times
    return counts


def every_second_pair(words):
    """Only every second pair is counted: a token in the middle belongs to two, one to its left and one to
    its right.
    """
    counts = {}
    for word, times in words.items():
        tokens = word.split()
        for left, right in zip(tokens[::2], tokens[1::2], strict=False):
            counts[f"{left} {right}"] = counts.get(f"{left} {right}", 0) + times
    return counts


def across_words(words):
    """The last token of a word is counted with the first of the next: pairs end with the word."""
    counts = {}
    before = None
    for word, times in words.items():
        for token in word.split():
            if before is not None:
                counts[f"{before} {token}"] = counts.get(f"{before} {token}", 0) + times
            before = token
    return counts


def order_ignored(words):
    """The two tokens of a pair are sorted: `l o` and `o l` are different pairs."""
    counts = {}
    for word, times in words.items():
        tokens = word.split()
        for pair in zip(tokens[:-1], tokens[1:], strict=True):
            key = " ".join(sorted(pair))
            counts[key] = counts.get(key, 0) + times
    return counts


def last_pair_missing(words):
    """The last pair of each word is missing: n tokens have n - 1 pairs."""
    counts = {}
    for word, times in words.items():
        tokens = word.split()
        for at in range(len(tokens) - 2):
            pair = f"{tokens[at]} {tokens[at + 1]}"
            counts[pair] = counts.get(pair, 0) + times
    return counts


# -- merging -------------------------------------------------------------------------------------------------


def text_replaced(word, pair):
    """This replaces text, wherever tokens end: `l o` also stands in `xl o`, whose first token isn't `l`."""
    return word.replace(pair, pair.replace(" ", ""))


def first_place_alone(word, pair):
    """Only the first place is merged: merge them all."""
    tokens, wanted = word.split(), pair.split()
    for at in range(len(tokens) - 1):
        if tokens[at : at + 2] == wanted:
            tokens[at : at + 2] = ["".join(wanted)]
            break
    return " ".join(tokens)


def either_order(word, pair):
    """The pair is merged the other way round too: `o l` isn't `l o`."""
    tokens, wanted = word.split(), pair.split()
    merged, at = [], 0
    while at < len(tokens):
        if sorted(tokens[at : at + 2]) == sorted(wanted):
            merged.append("".join(tokens[at : at + 2]))
            at += 2
        else:
            merged.append(tokens[at])
            at += 1
    return " ".join(merged)


def from_the_right(word, pair):
    """Of three alike the last two are merged: go from left to right."""
    tokens, wanted = word.split(), pair.split()
    at = len(tokens) - 2
    while at >= 0:
        if tokens[at : at + 2] == wanted:
            tokens[at : at + 2] = ["".join(wanted)]
            at -= 1
        at -= 1
    return " ".join(tokens)


def token_used_twice(word, pair):
    """A token is used twice: once it is merged it is gone, so skip it."""
    tokens, wanted = word.split(), pair.split()
    merged = []
    for at in range(len(tokens)):
        if tokens[at : at + 2] == wanted:
            merged.append("".join(wanted))
        elif not (at and tokens[at - 1 : at + 1] == wanted):
            merged.append(tokens[at])
    return " ".join(merged)


def second_token_stays(word, pair):
    """The pair's second token is still there after the merge: skip it too."""
    tokens, wanted = word.split(), pair.split()
    merged = []
    for at in range(len(tokens)):
        merged.append("".join(wanted) if tokens[at : at + 2] == wanted else tokens[at])
    return " ".join(merged)


def one_word_again(word, pair):
    """The spaces are gone: tokens that aren't merged stay apart."""
    return word.replace(" ", "")


def nothing_merged(word, pair):
    """Nothing is merged: strings don't change in place, so keep what `replace` or `join` returns."""
    word.replace(pair, pair.replace(" ", ""))
    return word


# -- encoding ------------------------------------------------------------------------------------------------


def last_learned_first(word, merges):
    """The merges are applied from the last one on: what was learned late is made of what came early."""
    tokens = " ".join(word)
    for pair in reversed(merges):
        tokens = merge_pair(tokens, pair)
    return tokens


def not_split(word, merges):
    """The word isn't split into letters first, so there is nothing to merge."""
    for pair in merges:
        word = merge_pair(word, pair)
    return word


def letters_alone(word, merges):
    """These are the letters: no merge was applied, or its result wasn't kept."""
    return " ".join(word)


def longest_first(word, merges):
    """This takes the longest known token from the left, as WordPiece does: byte-pair encoding applies its
    merges in the order in which they were learned.
    """
    known = {pair.replace(" ", "") for pair in merges} | set(word)
    tokens, at = [], 0
    while at < len(word):
        end = next(end for end in range(len(word), at, -1) if word[at:end] in known)
        tokens.append(word[at:end])
        at = end
    return " ".join(tokens)


def stops_when_one_does_not_fit(word, merges):
    """This stops at the first merge that changes nothing: a later one may fit again."""
    tokens = " ".join(word)
    for pair in merges:
        new = merge_pair(tokens, pair)
        if new == tokens:
            break
        tokens = new
    return tokens


def one_merge_alone(word, merges):
    """This applies the first merge that fits and returns: go on with those after it."""
    tokens = " ".join(word)
    for pair in merges:
        new = merge_pair(tokens, pair)
        if new != tokens:
            return new
    return tokens


def first_in_the_list_alone(word, merges):
    """Only the first merge of the list is tried, fit or not, as where a `return` stands in the loop."""
    return merge_pair(" ".join(word), merges[0])


def last_merge_missing(word, merges):
    """The last merge is missing."""
    tokens = " ".join(word)
    for pair in merges[:-1]:
        tokens = merge_pair(tokens, pair)
    return tokens
