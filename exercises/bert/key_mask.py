"""The mask that hides padding."""

from torch import Generator

from exercises.bert import shared
from headstart import Case, Entry, inputs_unchanged, pick
from helpers.text.vocabulary import MASK

exercise = Entry(
    id="bert.key_mask",
    title="The mask that hides padding",
    points=1,
    difficulty=1,
    minutes=3,
    returns=("mask",),
    properties=(inputs_unchanged,),
)


@exercise.reference
def key_mask(ids):
    return (ids != 0)[:, None, None, :]


@exercise.cases
def key_mask_cases(g: Generator) -> list[Case]:
    """Rows with padding, with hidden words among them."""
    several = shared.rows(
        g, [(shared.between(g, 1, 3), 2), (3, shared.between(g, 3, 5)), (2, shared.between(g, 1, 4))]
    )
    more = [(1, 1)] * pick(g, 0, 1, 2)
    hidden = shared.rows(g, [(shared.between(g, 2, 5), 4), (2, shared.between(g, 1, 3)), *more])
    hidden[:, 2] = MASK
    return [
        Case("one row without padding", (shared.row(g, 2, shared.between(g, 1, 3), 0)[None],)),
        Case("three rows with padding", (several,)),
        Case("hidden words", (hidden,)),
        Case("one row with padding", (shared.row(g, 1, 2, shared.between(g, 2, 4))[None],)),
    ]


@exercise.alternative
def mask_by_unsqueezing(ids):
    return ids.ne(0).unsqueeze(1).unsqueeze(1)


@exercise.alternative
def mask_by_view(ids):
    return (ids > 0).view(len(ids), 1, 1, -1)


exercise.slip("specials_hidden", "ids != 0 → ids >= 6").says(
    "All special tokens are hidden, so no query sees [CLS] or [SEP], or that a word is <mask>: only "
    "padding carries no information."
)
exercise.slip("masks_hidden", "ids != 0 → (ids != 0) & (ids != 3)").says(
    "<mask> is hidden from attention: its place and its neighbours tell something, and a position must "
    "see itself."
)
exercise.slip("padding_shown", "ids != 0 → ids == 0").says(
    'This is True for padding: in this course True means "may attend".'
)
exercise.slip("no_axes_for_heads", "(ids != 0)[:, None, None, :] → ids != 0").says(
    "The mask is (B, T), and beside scores (B, H, T_q, T_k) its B would line up with the queries: it needs "
    "axes of size 1 for heads and queries."
)
exercise.slip("queries_hidden", ":, None, None, : → :, None, :, None").says(
    "The padding is hidden as queries instead of keys, so all words still look at it: the T belongs at "
    "the end."
)
exercise.slip(
    "causal_too",
    "return (ids != 0)[:, None, None, :] → T = ids.size(-1)\n"
    "    return (ids != 0)[:, None, None, :] & torch.ones(T, T, dtype=torch.bool).tril()",
).says("Later words are hidden too: that is a language model, but BERT should see both sides.")
exercise.slip(
    "a_row_for_each_query", "[:, None, None, :] → [:, None, None, :].expand(-1, 1, ids.size(1), -1)"
).says("There is a row for each query, and all rows are alike: an axis of size 1 does for all queries.")
exercise.slip(
    "queries_hidden_too",
    "return (ids != 0)[:, None, None, :] → real = ids != 0\n"
    "    return real[:, None, None, :] & real[:, None, :, None]",
).says(
    "The padding is hidden as queries, too, so there is a row for each query, and those of padding may "
    "attend to nothing: only keys are hidden."
)
exercise.slip(
    "one_padding_shown",
    "return (ids != 0)[:, None, None, :] → lengths = (ids != 0).sum(dim=-1, keepdim=True)\n"
    "    return (torch.arange(ids.size(-1)) <= lengths)[:, None, None, :]",
).says("The first padding of each row is still shown: of n real tokens, the last is at n - 1.")
