"""Lesson 09's choices: options, answers, and a sentence for each wrong option."""

from autograder.exercise import Misconception

# -- a silent mismatch ---------------------------------------------------------------------------------------

PREFIX = "each name lacks the prefix"
SHAPE = "one tensor has another shape"
EXCHANGED = "two layers are exchanged"
SIGN = "the surest sign that nothing was moved"

_ERROR, _NOTHING, _REST = "an error", "nothing is moved", "the rest is moved"
_OTHER, _SAME = "another function", "the same function"
_FIRST_LOSS, _BODY, _MESSAGE = "the classifier's first loss", "the body's language-model loss", "a warning"

SILENT_OPTIONS = {
    PREFIX: [_ERROR, _NOTHING, _REST],
    SHAPE: [_ERROR, _NOTHING, _REST],
    EXCHANGED: [_ERROR, _OTHER, _SAME],
    SIGN: [_FIRST_LOSS, _BODY, _MESSAGE],
}
SILENT_ANSWERS = {PREFIX: _NOTHING, SHAPE: _ERROR, EXCHANGED: _OTHER, SIGN: _BODY}
SILENT_MISCONCEPTIONS = (
    Misconception(
        "prefix_raises",
        {PREFIX: _ERROR},
        "With strict=False, names that aren't found are no error: they are only listed in what "
        "`load_state_dict` returns, and if you don't look there you train from scratch.",
    ),
    Misconception(
        "prefix_partly",
        {PREFIX: _REST},
        "If every name lacks the prefix, there is no rest: not one name of the body is found.",
    ),
    Misconception(
        "shape_skips_all",
        {SHAPE: _NOTHING},
        "A shape that differs is an error for `load_state_dict`, with strict=False as well: strict is about "
        "names alone.",
    ),
    Misconception(
        "shape_skipped",
        {SHAPE: _REST},
        "A shape that differs is an error, with strict=False as well, raised after the others were copied: "
        "whoever catches it has a model that is half moved.",
    ),
    Misconception(
        "exchange_raises",
        {EXCHANGED: _ERROR},
        "Both layers have the same shapes, so no name and no size is wrong, and nothing can raise an error.",
    ),
    Misconception(
        "exchange_harmless",
        {EXCHANGED: _SAME},
        "The second layer has learned to read what the first one gives: in another order they compute "
        "something else.",
    ),
    Misconception(
        "first_loss",
        {SIGN: _FIRST_LOSS},
        "The classifier's first loss is near ln 2 in either case, because its head is new and knows nothing "
        "yet.",
    ),
    Misconception(
        "warned",
        {SIGN: _MESSAGE},
        "There is no warning: `load_state_dict` returns what it didn't find, and says nothing if nobody "
        "looks.",
    ),
)

# -- the reports ---------------------------------------------------------------------------------------------

BETTER = "one run of each kind, the pretrained one above at every epoch"
CONVERGED = "converged after 2 epochs, read off one curve on 100 reviews"
MEET = "with more epochs the two curves may meet"
HELPS = "pretrained with 200 labels, beside from scratch with 500, as many steps"

_PROVES, _SHOWS, _NOTHING_SHOWN = "pretraining is better", "this pair differs", "nothing at all"
_TRUE, _INTERVAL, _NEVER = "it has", "its steps are within the interval", "it never converges"
_TEST, _KNOWN, _REFUTED = "a guess to be tested", "shown by the plateau", "refuted by the plateau"
_AS_GOOD, _WORSE, _BY_LABELS = "about as good or better", "far worse", "decided by the labels alone"

REPORT_OPTIONS = {
    BETTER: [_PROVES, _SHOWS, _NOTHING_SHOWN],
    CONVERGED: [_TRUE, _INTERVAL, _NEVER],
    MEET: [_TEST, _KNOWN, _REFUTED],
    HELPS: [_AS_GOOD, _WORSE, _BY_LABELS],
}
REPORT_ANSWERS = {BETTER: _SHOWS, CONVERGED: _INTERVAL, MEET: _TEST, HELPS: _AS_GOOD}
REPORT_MISCONCEPTIONS = (
    Misconception(
        "one_run_proves",
        {BETTER: _PROVES},
        "One run of each kind can't tell pretraining from luck with the seed, and 15 epochs of one run "
        "aren't 15 "
        "runs: it takes several seeds, and intervals.",
    ),
    Misconception(
        "one_run_is_nothing",
        {BETTER: _NOTHING_SHOWN},
        "It does show something: that these two trained models differ, by as much as the interval for so "
        "many "
        "test reviews allows.",
    ),
    Misconception(
        "flat_to_the_eye",
        {CONVERGED: _TRUE},
        "On 100 reviews an accuracy of 70 % has an interval of about ±9 points, so the curve could rise "
        "by several "
        "points after epoch 2 and nobody would see it.",
    ),
    Misconception(
        "never",
        {CONVERGED: _NEVER},
        "It may well have converged: only, a curve whose steps are smaller than its interval can't tell "
        "when.",
    ),
    Misconception(
        "plateau_shows",
        {MEET: _KNOWN},
        "A plateau of both shows rather that more epochs on the same labels change little: that they "
        "would meet "
        "was never measured.",
    ),
    Misconception(
        "plateau_refutes",
        {MEET: _REFUTED},
        "Nobody looked beyond the last epoch, so a later rise of either curve isn't ruled out: train "
        "longer, and "
        "it is decided.",
    ),
    Misconception(
        "far_worse",
        {HELPS: _WORSE},
        "Look at 200 on the one curve and at 500 on the other: the pretrained model isn't below, though it "
        "has seen fewer labels.",
    ),
    Misconception(
        "labels_decide",
        {HELPS: _BY_LABELS},
        "If labels alone decided, the two curves would lie on each other: at each number of labels they "
        "differ by "
        "what the body brought along.",
    ),
)
