"""The block's exercises of choice: their slots, what may be chosen, what is right, and the misconceptions."""

from autograder.exercise import Misconception

PRE, POST = "norm first", "norm last"

OF_2017 = "the paper of 2017"
OF_GPT2 = "GPT-2"
SUM = "the residual path is a plain sum of all that was said"
LAST = "the stack needs one more norm at its end"
WARM_UP = "known to need a slow start of the learning rate"
PRE_OR_POST = {OF_2017: POST, OF_GPT2: PRE, SUM: PRE, LAST: PRE, WARM_UP: POST}
PRE_OR_POST_OPTIONS = {slot: [PRE, POST] for slot in PRE_OR_POST}
PRE_OR_POST_WRONG = (
    Misconception(
        "paper_first",
        {OF_2017: PRE},
        "The paper of 2017 writes LayerNorm(x + Sublayer(x)), so its norm comes last, around the sum.",
    ),
    Misconception(
        "gpt2_last",
        {OF_GPT2: POST},
        "GPT-2 moved the norm to the input of each sublayer, so it has the norm first.",
    ),
    Misconception(
        "sum_last",
        {SUM: POST},
        "With the norm last, each sum is normalised before the next sublayer adds to it, so what was said "
        "early is scaled again and again.",
    ),
    Misconception(
        "one_more_last",
        {LAST: POST},
        "With the norm last, what leaves the stack has just been normalised: with the norm first, the path "
        "itself never was.",
    ),
    Misconception(
        "warm_up_first",
        {WARM_UP: PRE},
        "Xiong and others (2020) could leave the warm-up out with the norm first: with the norm last, the "
        "gradients near the output are large at the start.",
    ),
)

CHANGES, STAYS = "changes", "stays as it is"
DROPPED = "whether dropout zeroes anything"
NORMED = "which mean and variance layer norm uses"
RECORDED = "whether gradients are recorded"
WEIGHTS = "the weights"
EVAL = {DROPPED: CHANGES, NORMED: STAYS, RECORDED: STAYS, WEIGHTS: STAYS}
EVAL_OPTIONS = {slot: [CHANGES, STAYS] for slot in EVAL}
EVAL_WRONG = (
    Misconception(
        "dropout_goes_on",
        {DROPPED: STAYS},
        "Dropout looks at `training`, which `eval()` sets to False: after it nothing is zeroed.",
    ),
    Misconception(
        "norm_changes",
        {NORMED: CHANGES},
        "Batch norm keeps running means for later: layer norm always takes each vector's own.",
    ),
    Misconception(
        "gradients_stop",
        {RECORDED: CHANGES},
        "Gradients are recorded all the same: it takes `torch.no_grad()` to stop that.",
    ),
    Misconception(
        "weights_change",
        {WEIGHTS: CHANGES},
        "No number of the model changes: `eval()` sets a flag that some modules look at.",
    ),
)
