"""Norm first or last."""

from headstart import Entry

PRE, POST = "norm first", "norm last"
OF_2017 = "the paper of 2017"
OF_GPT2 = "GPT-2"
SUM = "the residual path is a plain sum of the embedding and all sublayers' outputs"
LAST = "the stack needs one more norm at its end"
WARM_UP = "known to need a slow start of the learning rate"
PRE_OR_POST = {OF_2017: POST, OF_GPT2: PRE, SUM: PRE, LAST: PRE, WARM_UP: POST}
PRE_OR_POST_OPTIONS = {slot: [PRE, POST] for slot in PRE_OR_POST}


exercise = Entry(
    id="block.pre_or_post",
    title="Norm first or last",
    points=2,
    difficulty=2,
    minutes=5,
    reference=PRE_OR_POST,
    options=PRE_OR_POST_OPTIONS,
)


exercise.choice("paper_first", {OF_2017: PRE}).says(
    "The paper of 2017 writes LayerNorm(x + Sublayer(x)), so its norm comes last, around the sum."
)
exercise.choice("gpt2_last", {OF_GPT2: POST}).says(
    "GPT-2 moved the norm to the input of each sublayer, so it has the norm first."
)
exercise.choice("sum_last", {SUM: POST}).says(
    "With the norm last, each sum is normalised before the next sublayer adds to it, so early contributions "
    "are scaled again and again."
)
exercise.choice("one_more_last", {LAST: POST}).says(
    "With the norm last, the stack's output has just been normalised: with the norm first, the path itself "
    "never was."
)
exercise.choice("warm_up_first", {WARM_UP: PRE}).says(
    "Xiong and others (2020) could leave the warm-up out with the norm first: with the norm last, the "
    "gradients near the output are large at the start."
)
