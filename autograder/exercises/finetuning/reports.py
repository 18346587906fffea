"""What one run can say."""

from autograder.entry import Entry

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


exercise = Entry(
    id="finetuning.reports",
    title="What one run can say",
    points=2,
    difficulty=2,
    minutes=5,
    reference=REPORT_ANSWERS,
    options=REPORT_OPTIONS,
)


exercise.choice("one_run_proves", {BETTER: _PROVES}).says(
    "One run of each kind can't tell pretraining from luck with the seed, and 15 epochs of one run aren't "
    "15 runs: it takes several seeds, and intervals."
)
exercise.choice("one_run_is_nothing", {BETTER: _NOTHING_SHOWN}).says(
    "It does show something: that these two trained models differ, by as much as the interval for so many "
    "test reviews allows."
)
exercise.choice("flat_to_the_eye", {CONVERGED: _TRUE}).says(
    "On 100 reviews an accuracy of 70 % has an interval of about ±9 points, so the curve could rise by "
    "several points after epoch 2 and nobody would see it."
)
exercise.choice("never", {CONVERGED: _NEVER}).says(
    "It may well have converged: only, a curve whose steps are smaller than its interval can't tell when."
)
exercise.choice("plateau_shows", {MEET: _KNOWN}).says(
    "A plateau of both shows rather that more epochs on the same labels change little: that they would "
    "meet was never measured."
)
exercise.choice("plateau_refutes", {MEET: _REFUTED}).says(
    "Nobody looked beyond the last epoch, so a later rise of either curve isn't ruled out: train longer, "
    "and it is decided."
)
exercise.choice("far_worse", {HELPS: _WORSE}).says(
    "Look at 200 on the one curve and at 500 on the other: the pretrained model isn't below, though it "
    "has seen fewer labels."
)
exercise.choice("labels_decide", {HELPS: _BY_LABELS}).says(
    "If labels alone decided, the two curves would lie on each other: at each number of labels they "
    "differ by what the body brought along."
)
